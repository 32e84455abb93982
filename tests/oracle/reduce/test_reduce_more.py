"""var std ptp argmin argmax, the reductions without NaN, norms, vdot, vecdot and gnd_reduce: what random
tests seldom meet: every dtype with every `dtype` and `out`, indices over several axes, overlapping results,
divisors of nothing, what is refused."""

import itertools

import numpy as np
import pytest

import dtypes
import folds
import gnd
import headers
from folds import FOLDS, check_fold, quiet

g = None  # each test's own (conftest.py)
INEXACT = dtypes.FLOATS + dtypes.COMPLEX
PLAIN = [name for name in dtypes.NAMES if name != "bfloat16"]


def sample(dtype, shape, nan=0.0):
    if dtype == "bool":
        return g.integers(0, 2, shape).astype(bool)
    if dtype in dtypes.INTEGERS:
        return g.integers(0 if dtype.startswith("u") else -100, 100, shape).astype(dtype)
    x = g.normal(size=shape) * 10
    if dtype in dtypes.COMPLEX:
        x = x + 1j * g.normal(size=shape)
    return dtypes.cast(np.where(g.random(shape) < nan, np.nan, x), dtype)


def all_axes(n):
    return [c for k in range(n + 1) for c in itertools.combinations(range(n), k)]


# ---- indices ---------------------------------------------------------------------------------------------


def place_of_axes(function, x, axes, keepdims=False):
    """argmin over several axes: the index in C order among them."""
    rest = [k for k in range(x.ndim) if k not in axes]
    moved = np.transpose(x, rest + list(axes)).reshape([x.shape[k] for k in rest] + [-1])
    result = function(moved, axis=-1)
    return np.expand_dims(result, axes) if keepdims else result


@pytest.mark.parametrize("dtype", ["float32", "int16", "bool", "complex64", "float64"])
@pytest.mark.parametrize("name", ["argmin", "argmax", "nanargmin", "nanargmax"])
def test_indices_over_several_axes(name, dtype):
    x = sample(dtype, (3, 4, 5, 6))
    if name.startswith("nan") and dtype in INEXACT:
        x[np.indices(x.shape).sum(0) % 5 == 0] = np.nan  # never all of a line
    if dtype == "int16":
        x //= 40  # many equal ones: the first counts
    steps = [(), ("::-1",), (":, ::-1, ::2",), ("::2, :, ::-1, ::-2",), ("..., 1:5",)]
    for step, order in itertools.product(steps, [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)]):
        a, y = gnd.from_numpy(x), x
        for text in step:
            a = a[text]
            y = eval(f"y[{text}]")
        a, y = gnd.permute(a, order), np.transpose(y, order)
        for axes in all_axes(4)[1:]:
            for keepdims in (False, True):
                got = getattr(gnd, name)(a, gnd.Axes(*axes[::-1], keepdims=keepdims))
                want = place_of_axes(getattr(np, name), y, axes, keepdims)
                assert got.dtype == "int64" and got.shape == want.shape
                assert np.array_equal(got.numpy(), want), (step, order, axes)
        assert getattr(gnd, name)(a, None).numpy() == getattr(np, name)(y)


@pytest.mark.parametrize("dtype", PLAIN)
@pytest.mark.parametrize("name", ["argmin", "argmax", "nanargmin", "nanargmax"])
def test_indices_of_equal_elements(name, dtype):
    """Rows and columns in which the best one comes twice, at any two places; in every other one two NaN before it."""
    for n in (100, 513, 1000, 2600):
        x = dtypes.cast(np.zeros((60, n)), dtype)
        for row in x:
            places = np.sort(g.choice(n, 4, replace=False))
            row[places[2:]] = 1 if name.endswith("max") else 0
            if name.endswith("min"):
                row[:] = 1
                row[places[2:]] = 0
        if dtype in INEXACT:
            for row in x[::2] if name.startswith("nan") else x[::7]:
                row[g.choice(n, 2, replace=False)] = np.nan
        want = getattr(np, name)(x, axis=1)
        assert np.array_equal(getattr(gnd, name)(gnd.from_numpy(x), 1).numpy(), want)
        assert np.array_equal(getattr(gnd, name)(gnd.from_numpy(np.ascontiguousarray(x.T)), 0).numpy(), want)
        back = np.ascontiguousarray(x[:, ::-1])
        assert np.array_equal(getattr(gnd, name)(gnd.from_numpy(back)["..., ::-1"], 1).numpy(), want)


def test_indices_without_axes():
    assert not gnd.argmax(gnd.from_numpy(sample("float32", (3, 4))), ()).numpy().any()


@pytest.mark.parametrize("name", ["argmin", "argmax", "nanargmin", "nanargmax"])
def test_indices_of_nothing(name):
    for shape, axis in [((0,), None), ((0, 3), 0), ((3, 0), 1), ((0, 3), None)]:
        with pytest.raises(gnd.Error) as caught:
            getattr(gnd, name)(gnd.zeros(shape, "float32"), axis)
        assert caught.value.code == gnd.ERROR_VALUE
    assert getattr(gnd, name)(gnd.zeros((0, 3), "float32"), 1).shape == (0,)
    assert getattr(gnd, name)(gnd.zeros((), "float32"), 0).numpy() == 0


@pytest.mark.parametrize("dtype", INEXACT)
@pytest.mark.parametrize("name", ["nanargmin", "nanargmax"])
def test_all_nan_is_reported_at_the_next_wait(name, dtype):
    wide = dtypes.widen(sample(dtype, (4, 9)))
    wide[2] = np.nan
    place = getattr(gnd, name)(gnd.from_numpy(dtypes.cast(wide, dtype)), 1)
    with pytest.raises(gnd.Error, match="all NaN") as caught:
        place.numpy()
    assert caught.value.code == gnd.ERROR_VALUE
    del place
    # NaN stands for the worst value: an infinity of that kind is no better than a NaN before it.
    for value in (1.0, np.inf, -np.inf):
        wide[2, 5] = value
        place = getattr(gnd, name)(gnd.from_numpy(dtypes.cast(wide, dtype)), 1)
        assert np.array_equal(place.numpy(), getattr(np, name)(wide, axis=1))


# ---- dtypes ---------------------------------------------------------------------------------------------

WITH_DTYPE = ["mean", "var", "std", "nansum", "nanprod", "nanmean", "nanvar", "nanstd", "sum", "prod"]


def as_numpy_means(name, dtype, asked):
    """Whether NumPy's result for these is what gnd gives, and not a half or an integer rounded twice."""
    if "var" in name or "std" in name:
        complex_to_real = dtype in dtypes.COMPLEX and asked not in dtypes.COMPLEX
        return asked in INEXACT and not complex_to_real
    if "mean" in name and asked in ("int8", "int16", "uint8", "uint16", "uint32"):
        return False  # NumPy's sum wraps around in them, gnd's does not
    return dtype not in dtypes.COMPLEX or asked in dtypes.COMPLEX


@pytest.mark.parametrize("dtype", PLAIN)
@pytest.mark.parametrize("name", WITH_DTYPE)
def test_every_dtype_asked_for(name, dtype):
    x = sample(dtype, (40, 70), 0.2 if name.startswith("nan") else 0)
    if "prod" in name:
        x = x[:, :3]
    a = gnd.from_numpy(np.ascontiguousarray(x))
    for asked in PLAIN:
        if not as_numpy_means(name, dtype, asked):
            continue
        if dtype in dtypes.FLOATS + dtypes.COMPLEX and asked in dtypes.INTEGERS and asked != "bool":
            if asked.startswith("u") or not np.isfinite(x).all() and not name.startswith("nan"):
                continue  # what C's casts leave open
        check_fold(FOLDS[name], a, x, 1, dtype=asked)


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "nansum", "nanprod", "nanmean"])
def test_complex_in_a_real_dtype(name):
    """Imaginary parts are dropped; a NaN among them leaves the element out first."""
    x = sample("complex128", (4, 6))
    if name.startswith("nan"):
        x[1, 2], x[2, 3], x[3, :] = complex(1, np.nan), complex(np.nan, 1), complex(2, np.nan)
    for asked in ("float64", "float32", "int32", "bool"):
        if name == "nanmean" and asked in ("int32", "bool"):
            continue
        got = getattr(gnd, name)(gnd.from_numpy(x), gnd.Axes(1, dtype=asked)).numpy()
        want = quiet(getattr(np, name), x, axis=1, dtype=asked)
        np.testing.assert_allclose(got, want, rtol=2e-5, err_msg=asked)


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_deviations_refuse_integers(name):
    for dtype, asked in itertools.product(("float32", "int32"), ("int32", "bool", "uint8")):
        with pytest.raises(gnd.Error) as caught:
            getattr(gnd, name)(gnd.ones((3,), dtype), gnd.Axes(dtype=asked), 0)
        assert caught.value.code == gnd.ERROR_DTYPE and name in caught.value.message


@pytest.mark.parametrize("name", ["var", "nanvar"])
def test_deviation_of_complex_in_a_real_dtype(name):
    """The variance in that precision (numpy.var drops the imaginary part of the mean alone)."""
    x = sample("complex128", (4, 30))
    want = np.var(x, axis=1)
    for asked, digits in (("float64", 1e-13), ("float32", 1e-5), ("float16", 1e-3)):
        got = getattr(gnd, name)(gnd.from_numpy(x), gnd.Axes(1, dtype=asked), 0)
        assert got.dtype == asked
        np.testing.assert_allclose(got.numpy(), want, rtol=digits)


NAMES = ["sum", "prod", "min", "max", "mean", "any", "all", "count_nonzero", "ptp", "var", "std", "nansum",
         "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd", "argmin", "argmax"]
KINDS = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


def numpy_into(name, x, axis, out):
    f = FOLDS[name]
    extra = dict(f.extra, axis=axis)
    try:
        return quiet(f.numpy, x, out=out, **extra)
    except TypeError:
        return None


@pytest.mark.parametrize("name", NAMES)
def test_every_dtype_of_out(name):
    """As NumPy, where it takes that dtype; what it refuses (int8 for a deviation) is cast as by astype."""
    for dtype, into in itertools.product(PLAIN, PLAIN):
        x = sample(dtype, (4, 6))
        if "prod" in name:
            x = x[:, :2]
        a, out = gnd.from_numpy(np.ascontiguousarray(x)), gnd.zeros((4,), into)
        want = np.zeros(4, into)
        numpy = numpy_into(name, x, 1, want)
        if KINDS[np.dtype(into).kind] < KINDS[x.dtype.kind] and into[0] != "i" or numpy is None:
            continue  # what C's casts leave open, and what NumPy refuses
        if into in dtypes.INTEGERS and into != "int64" and (
                "var" in name or "m" in name and dtype in dtypes.INTEGERS):
            continue  # NumPy keeps its intermediate results in `out`: sums wrap around, signs get lost
        try:
            got = getattr(gnd, name)(a, *FOLDS[name].before, gnd.Axes(1, out=out), *FOLDS[name].after)
        except gnd.Error as error:
            pytest.fail(f"{name} of {dtype} into {into}: {error}")
        assert got.address == out.address and got.dtype == into
        near = dtypes.widen(out.numpy()), dtypes.widen(want)
        if into in dtypes.INTEGERS and dtype in INEXACT or name.removeprefix("nan") in ("mean", "var", "std"):
            # Truncated after roundings that need not be the same.
            size = np.maximum(np.abs(near[1]), 1) if into in INEXACT else np.ones(4)
            good = np.abs(near[0].astype(np.clongdouble) - near[1]) <= size * (
                2e-2 if "float16" in (dtype, into) and into in INEXACT else 1)
        else:
            with np.errstate(all="ignore"):
                good = np.isclose(*near, rtol=2e-3 if "float16" in (dtype, into) else 1e-5,
                                  atol=1e-3, equal_nan=True)
        assert good.all(), f"{name} of {dtype} into {into}: {near[0]}, not {near[1]}"


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"ptp"}) + ["ptp"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_rounded_once(name, dtype):
    """Computed in float32, rounded at the end: beside the true value, at most half a unit and a little."""
    if name in ("prod", "nanprod"):
        pytest.skip("products of halves overflow")
    x = sample(dtype, (3, 2000))
    f = FOLDS[name]
    got = getattr(gnd, name)(gnd.from_numpy(x), *f.before, gnd.Axes(1), *f.after)
    want = quiet(f.numpy, dtypes.widen(x).astype(np.float64), axis=1, **f.extra)
    if got.dtype != dtype:
        assert np.array_equal(got.numpy(), want)
        return
    wide = gnd.zeros((3,), "float32")
    getattr(gnd, name)(gnd.from_numpy(x), *f.before, gnd.Axes(1, out=wide), *f.after)
    np.testing.assert_allclose(wide.numpy(), want, rtol=2e-6, atol=1e-5)
    rounded = dtypes.cast(wide.numpy(), dtype)
    assert np.array_equal(dtypes.widen(got.numpy()), dtypes.widen(rounded))


# ---- options --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES + ["nanargmin", "nanargmax"])
def test_out_overlaps_x(name):
    for dtype in ("float64", "int64", "float32"):
        x = sample(dtype, (6, 6))
        for text, axis in (("0", 0), (":, 2", 1), ("3", 1), ("::-1, 0", 0)):
            a = gnd.from_numpy(x)
            want = getattr(gnd, name)(gnd.from_numpy(x), *FOLDS[name].before, gnd.Axes(axis),
                                      *FOLDS[name].after)
            out = a[text]
            getattr(gnd, name)(a, *FOLDS[name].before, gnd.Axes(axis, out=out), *FOLDS[name].after)
            assert np.array_equal(out.numpy(), want.numpy().astype(dtype)), (dtype, text)


REFUSALS = [
    ("ptp", dict(where=True)), ("ptp", dict(initial=1)), ("ptp", dict(dtype="float64")),
    ("argmin", dict(where=True)), ("argmax", dict(initial=1)), ("argmin", dict(dtype="int32")),
    ("nanargmin", dict(dtype="int64")), ("nanargmax", dict(where=True)), ("mean", dict(initial=1)),
    ("var", dict(initial=1)), ("std", dict(initial=1)), ("nanmean", dict(initial=1)),
    ("nanvar", dict(initial=1)), ("nanmin", dict(dtype="float64")), ("nanmax", dict(dtype="float64")),
    ("count_nonzero", dict(initial=1)), ("norm 2", dict(where=True)), ("norm 1", dict(dtype="float64")),
    ("norm 0", dict(initial=1))]


@pytest.mark.parametrize("name, option", REFUSALS)
def test_options_that_are_not_taken(name, option):
    f, x = FOLDS[name], gnd.ones((3, 4), "float32")
    (key, value), = option.items()
    value = {"where": gnd.ones((3, 4), "bool"), "initial": gnd.ones((), "float32")}.get(key, value)
    with pytest.raises(gnd.Error, match=f"gnd_{f.name}: takes no `{key}`") as caught:
        getattr(gnd, f.name)(x, *f.before, gnd.Axes(0, **{key: value}), *f.after)
    assert caught.value.code == gnd.ERROR_INVALID


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
def test_nan_needs_an_inexact_result(name):
    x, after = gnd.ones((3, 4), "float32"), FOLDS[name].after
    for options in (dict(out=gnd.zeros((3,), "int32")), dict(dtype="int32")):
        with pytest.raises(gnd.Error) as caught:
            getattr(gnd, name)(x, gnd.Axes(1, **options), *after)
        assert caught.value.code == gnd.ERROR_DTYPE
    getattr(gnd, name)(gnd.ones((3, 4), "int32"), gnd.Axes(1, out=gnd.zeros((3,), "int32")), *after)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("dtype", INEXACT)
def test_nothing_but_nan(name, dtype):
    wide = dtypes.widen(sample(dtype, (5, 40), 0.5))
    wide[1], wide[3, 1:], wide[3, 0] = np.nan, np.nan, 2.5
    x = dtypes.cast(wide, dtype)
    f, a = FOLDS[name], gnd.from_numpy(x)
    check_fold(f, a, x, 1)
    check_fold(f, a, x, 0)
    where = g.random((5, 40)) < 0.5
    where[2] = False
    start = dict(initial=np.array(3.5, np.float32)) if name in ("nanmin", "nanmax") else {}
    if dtype != "bfloat16":
        check_fold(f, a, x, 1, where=where, **start)
    if dtype in dtypes.COMPLEX:  # either part may be the NaN
        x[0, :20], x[0, 20:] = complex(np.nan, 1), complex(1, np.nan)
        x[0, 7] = 3 - 2j
        check_fold(f, gnd.from_numpy(x), x, 1)


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
def test_divisors(name):
    """More degrees of freedom than elements: inf or NaN as NumPy has it; any number as ddof."""
    for dtype in ("float32", "float64", "complex64", "int32"):
        x = sample(dtype, (4, 5))
        x[2] = 3
        for ddof in (0, 1, 4, 5, 6, 0.5, 4.5, -1, -2.5, np.nan, np.inf, -np.inf):
            got = getattr(gnd, name)(gnd.from_numpy(x), gnd.Axes(1), float(ddof)).numpy()
            want = quiet(getattr(np, name), x, axis=1, ddof=ddof)
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6, err_msg=f"{dtype} {ddof}")
        got = getattr(gnd, name)(gnd.from_numpy(x), (), 1.0).numpy()
        assert np.array_equal(got, quiet(getattr(np, name), x, axis=(), ddof=1), equal_nan=True)


def test_large_mean():
    """No digits are lost to a mean far from zero."""
    for shape, axis in (((100000,), None), ((1000, 100), 0), ((100, 1000), 1), ((30, 40, 50), (0, 2))):
        x = g.normal(size=shape) + 1e6
        np.testing.assert_allclose(gnd.var(gnd.from_numpy(x), axis, 0.0).numpy(), np.var(x, axis=axis),
                                   rtol=1e-9)
        x = x.astype(np.float32)  # whose mean is known to 0.06 at best, and the variance to its square
        np.testing.assert_allclose(gnd.var(gnd.from_numpy(x), axis, 0.0).numpy(),
                                   np.var(x.astype(np.float64), axis=axis), rtol=8e-3)


def test_infinities_have_no_deviation():
    for value in (np.inf, -np.inf, np.nan):
        x = np.ones((2, 300), np.float32)
        x[0, 77] = value
        got = gnd.var(gnd.from_numpy(x), 1, 0.0).numpy()
        assert np.isnan(got[0]) and got[1] == 0
        assert np.isnan(gnd.std(gnd.from_numpy(x), None, 0.0).numpy())


# ---- ranges ---------------------------------------------------------------------------------------------


def test_ptp():
    for dtype in PLAIN[1:]:
        for shape in ((7,), (3, 40), (40, 3), (5, 6, 7)):
            x = sample(dtype, shape)
            for axes in all_axes(len(shape)):
                check_fold(FOLDS["ptp"], gnd.from_numpy(x), x, axes)
    for bad in (gnd.ones((3,), "bool"), gnd.zeros((0,), "int8"), gnd.zeros((0, 3), "int8")):
        with pytest.raises(gnd.Error):
            gnd.ptp(bad, None)
    with pytest.raises(gnd.Error):
        gnd.ptp(gnd.ones((3,), "bool"), gnd.Axes(out=gnd.zeros((), "bool")))
    assert gnd.ptp(gnd.from_numpy(np.array([True, False])), gnd.Axes(out=gnd.zeros((), "int8"))).numpy() == 1


# ---- norms ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [2, 1, np.inf, -np.inf, 0, 3, 0.5, -1, -2, 1.5, np.nan])
def test_norms(order):
    for dtype in PLAIN:
        for shape in ((), (1,), (50,), (3, 4), (4, 3, 5), (0, 3), (0,)):
            x = sample(dtype, shape)
            if dtype in ("bool", "uint8") and order < 0:
                x = np.ones_like(x)
            for axes in [None] + all_axes(len(shape)):
                for keepdims in (False, True):
                    context = f"{order} {dtype}{shape} {axes}"
                    given = gnd.Axes(*(axes or ()), none=axes == (), keepdims=keepdims)
                    wide = x.astype("complex128" if dtype in dtypes.COMPLEX else "float64")
                    try:
                        want = quiet(np.linalg.vector_norm, wide, axis=axes, keepdims=keepdims, ord=order)
                        dtype_of = quiet(np.linalg.vector_norm, x, axis=axes, ord=order).dtype
                    except ValueError:
                        with pytest.raises(gnd.Error):
                            gnd.vector_norm(gnd.from_numpy(x), float(order), given)
                        continue
                    got = gnd.vector_norm(gnd.from_numpy(x), float(order), given)
                    assert got.dtype == dtypes.name_of(dtype_of), context
                    assert got.shape == want.shape, context
                    np.testing.assert_allclose(got.numpy(), want, err_msg=context, equal_nan=True,
                                               rtol=2e-3 if dtype == "float16" else 3e-6)


def test_norms_of_special_values():
    for values in ([np.nan, 1], [np.inf, 1], [-np.inf, np.nan], [0.0, -0.0], [np.inf, 0]):
        x = np.array(values)
        for order in (2, 1, np.inf, -np.inf, 0, 3, -1):
            want = quiet(np.linalg.vector_norm, x, ord=order)
            got = gnd.vector_norm(gnd.from_numpy(x), float(order), None).numpy()
            assert np.array_equal(got, want, equal_nan=True), (values, order, got, want)


# ---- products -------------------------------------------------------------------------------------------


def test_products_of_every_pair_of_dtypes():
    for first, second in itertools.product(PLAIN, PLAIN):
        x, y = sample(first, (3, 40)), sample(second, (3, 40))
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        for got, want in ((gnd.vdot(a, b), np.vdot(x, y)), (gnd.vecdot(a, b, -1), np.vecdot(x, y)),
                          (gnd.vecdot(a, b, 0), np.vecdot(x, y, axis=0))):
            want = np.asarray(want)
            assert got.dtype == dtypes.name_of(want.dtype), (first, second)
            if want.dtype.kind in "biu":
                assert np.array_equal(got.numpy(), want), (first, second)
            else:
                scale = quiet(lambda: np.sum(np.abs(dtypes.widen(x)).astype(float)
                                             * np.abs(dtypes.widen(y)).astype(float)))
                digits = 1e-3 if want.dtype == np.float16 else 1e-6
                assert np.all(np.abs(got.numpy().astype(np.clongdouble) - want) <= digits * scale + 1e-6)


def test_products_that_do_not_fit():
    one = lambda *shape, dtype="float32": gnd.ones(shape, dtype)
    for call, code in (
            (lambda: gnd.vdot(one(3), one(4)), gnd.ERROR_SHAPE),
            (lambda: gnd.vecdot(one(3), one(1), -1), gnd.ERROR_SHAPE),
            (lambda: gnd.vecdot(one(2, 3), one(4, 3), -1), gnd.ERROR_SHAPE),
            (lambda: gnd.vecdot(one(2, 3), one(3), 1), gnd.ERROR_AXIS),
            (lambda: gnd.vecdot(one(), one(), -1), gnd.ERROR_AXIS)):
        with pytest.raises(gnd.Error) as caught:
            call()
        assert caught.value.code == code, caught.value
    assert gnd.vdot(gnd.zeros((0, 3), "float32"), gnd.zeros((3, 0), "float64")).numpy() == 0
    assert gnd.vecdot(gnd.zeros((2, 0), "int8"), gnd.zeros((0,), "int8"), -1).shape == (2,)


def test_vdot_of_views():
    x, y = sample("complex64", (6, 8)), sample("complex128", (8, 6))
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    for p, q, u, v in ((a, gnd.transpose(b), x, y.T), (a, b, x, y), (a["::-1, ::2"], b["::2, ::-1"],
                       x[::-1, ::2], y[::2, ::-1]), (gnd.transpose(a), gnd.reshape(b, (48,)), x.T, y.ravel())):
        np.testing.assert_allclose(gnd.vdot(p, q).numpy(), np.vdot(u, v), rtol=1e-6)


# ---- gnd_reduce -----------------------------------------------------------------------------------------

FOLDABLE = [row for row in headers.read_operators() if row.inputs == "TT" and len(row.outputs) == 1
            and row.name not in ("isclose",) and hasattr(np, row.name)]


@pytest.mark.parametrize("row", FOLDABLE, ids=lambda row: row.name)
def test_reduce_refuses_what_numpy_refuses(row):
    """Dtypes, axes, empties, where and initial, by dtype: who is refused and what dtype the others give."""
    ufunc = getattr(np, row.name)
    for dtype in PLAIN:
        for shape, axis in (((3, 2), 0), ((3, 2), None), ((0, 2), 0), ((2, 0), 0), ((), None), ((3, 2), ()),
                            ((1, 1), None)):
            x = np.ones(shape, dtype)
            for options in ({}, {"where": np.ones(shape, bool)}, {"initial": np.ones((), dtype)},
                            {"initial": np.ones((), dtype), "where": np.zeros(shape, bool)},
                            {"dtype": "bool"}, {"dtype": "float64"}, {"dtype": "int16"}):
                given = gnd.Axes(*(() if axis is None else axis if axis == () else (axis,)), none=axis == (),
                                 **{k: gnd.from_numpy(v) if k != "dtype" else v
                                    for k, v in options.items()})
                context = f"{row.name} of {dtype}{shape} over {axis} with {options}"
                try:
                    want = quiet(ufunc.reduce, x, axis=axis, **options)
                except (TypeError, ValueError):
                    with pytest.raises(gnd.Error):
                        got = gnd.reduce(row.name, gnd.from_numpy(x), given)
                        pytest.fail(f"{context}: NumPy refuses, gnd gave {got.numpy()!r}")
                    continue
                try:
                    got = gnd.reduce(row.name, gnd.from_numpy(x), given)
                except gnd.Error as error:
                    pytest.fail(f"{context}: {error}")
                assert got.dtype == dtypes.name_of(want.dtype), context
                assert np.allclose(got.numpy(), want, rtol=1e-3, equal_nan=True), (
                    f"{context}: {got.numpy()}, not {want}")


def one_by_one(ufunc, x, axis, loop, where=None, initial=None):
    """numpy.<ufunc>.reduce along one axis, one step after the other (its own vector loops are not always
    right, and round halves at other positions)."""
    where = np.broadcast_to(True if where is None else where, x.shape)
    lines, masks = np.moveaxis(x, axis, -1), np.moveaxis(where, axis, -1)
    result = np.zeros(lines.shape[:-1], loop)
    for index in np.ndindex(result.shape):
        chosen = lines[index][masks[index]].astype(loop)
        start = ufunc.identity if initial is None else initial
        value = None if start is None else np.asarray(start).astype(loop)
        for element in chosen:
            value = element if value is None else quiet(ufunc, value, element).astype(loop)
        result[index] = value
    return result


def some_numbers(dtype, shape, name):
    if dtype == "bool":
        return g.integers(0, 2, shape).astype(bool)
    if dtype in dtypes.INTEGERS:
        return g.integers(1 if name in ("power", "float_power", "lcm") else 0, 5, shape).astype(dtype)
    x = g.uniform(0.5, 1.5, shape)
    return dtypes.cast(x + 0.2j * g.normal(size=shape) if dtype in dtypes.COMPLEX else x, dtype)


@pytest.mark.parametrize("row", FOLDABLE, ids=lambda row: row.name)
def test_reduce_with_options(row):
    """where, initial, dtype, out and layouts of every operator, in the order of the elements."""
    ufunc = getattr(np, row.name)
    for dtype, asked in itertools.product(PLAIN, (None, "float64", "int32", "bool")):
        try:
            with np.errstate(all="ignore"):
                loop = ufunc.reduce(np.ones((1, 1), dtype), axis=0, dtype=asked).dtype
        except TypeError:
            continue
        if asked is not None and (dtype in INEXACT or loop == bool):
            continue
        x = some_numbers(dtype, (4, 6, 5), row.name)
        for _ in range(6):
            permuted, axis = g.permutation(3).tolist(), int(g.integers(3))
            step = g.choice([":", "::-1", "::2"])
            masked, started = g.random(2) < 0.5
            a = gnd.permute(gnd.from_numpy(x), tuple(permuted))[f"{step}, :, {step}"]
            y = eval(f"np.transpose(x, permuted)[{step}, :, {step}]")
            options, ours = {}, {}
            if started or masked and ufunc.identity is None:
                options["initial"] = some_numbers(dtype, (), row.name)
                ours["initial"] = gnd.from_numpy(np.asarray(options["initial"]))
            if masked:
                options["where"] = g.random(y.shape[1:]) < 0.7
                ours["where"] = gnd.from_numpy(options["where"])
            context = f"{row.name} of {dtype}{y.shape} {y.strides} over {axis}, {asked}, {options}"
            want = one_by_one(ufunc, y, axis, loop, **options)
            got = gnd.reduce(row.name, a, gnd.Axes(axis, dtype=asked, **ours))
            assert got.dtype == dtypes.name_of(loop), context
            digits = 3e-3 if loop == np.float16 else 2e-5
            with np.errstate(all="ignore"):
                same = np.isclose(got.numpy(), want, rtol=digits, atol=digits / 10, equal_nan=True)
            assert same.all(), f"{context}: {got.numpy()[~same][:3]}, not {want[~same][:3]}"
            out = gnd.zeros(want.shape, "float64" if loop.kind != "c" else "complex128")
            if asked is None and loop.kind in "fc":
                gnd.reduce(row.name, a, gnd.Axes(axis, dtype=dtypes.name_of(loop), out=out, **ours))
                np.testing.assert_allclose(out.numpy(), want, rtol=digits, atol=digits / 10)


# ---- copies -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape, axes", [((70, 1, 80), (1,)), ((1, 66, 1, 90), (0, 2)), ((40, 1, 12, 1, 11), (3, 1)),
                                         ((5000, 1), (1,)), ((1, 5000), (0,)), ((80, 1, 70, 2), (1,))])
def test_nothing_to_add_up(shape, axes):
    """Over axes of size 1 a large result is a copy: strides of what is kept, in any layout."""
    for dtype, name, keepdims in itertools.product(("float32", "int64"), ("sum", "prod", "min", "max"), (False, True)):
        base = sample(dtype, tuple(s + 3 for s in shape))
        inside = ", ".join(["1:-2"] * len(shape))
        for text in (inside, ", ".join(["-3::-1" if s > 1 else "1:2" for s in shape])):
            for order in (tuple(range(len(shape))), tuple(range(len(shape)))[::-1]):
                a = gnd.permute(gnd.from_numpy(base)[text], gnd.Axes(*order))
                x = eval(f"base[{text}]").transpose(order)
                over = tuple(order.index(axis) for axis in axes)
                want = getattr(np, name)(x, axis=over, keepdims=keepdims)
                got = getattr(gnd, name)(a, gnd.Axes(*over, keepdims=keepdims))
                assert got.shape == want.shape and got.dtype == want.dtype.name
                assert (got.numpy() == want).all(), f"{name} {dtype} {shape} {text} {order} {keepdims}"
