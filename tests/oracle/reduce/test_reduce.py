"""sum, prod, min, max, mean, any and all: axes, keepdims, dtype, where, initial, out, in every dtype and
layout, against NumPy."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import reference
import values
from check import assert_same

REDUCTIONS = ("sum", "prod", "min", "max", "mean", "any", "all")
SHAPES = [(), (1,), (0,), (9,), (3, 4), (0, 3), (3, 0), (2, 3, 4), (4, 1, 5), (70, 33), (2, 3, 1, 4)]


def all_axes(n):
    yield None
    for k in range(n + 1):
        yield from itertools.combinations(range(n), k)


def numpy_reduce(name, x, dtype=None, **options):
    """NumPy's result; bfloat16 goes by float32, rounded at the end, as gnd documents it."""
    if dtypes.is_bfloat16(x):
        wide = dtypes.from_bfloat16(x)
        out = np.asarray(getattr(np, name)(wide, **options))
        return out if out.dtype == bool else dtypes.to_bfloat16(out)
    if dtype is not None:
        options["dtype"] = dtype
    return np.asarray(getattr(np, name)(x, **options))


def true_value(name, x, dtype, options):
    """The reduction in a wider type, for the error of sums, products and means."""
    wide = dtypes.widen(x)
    if dtype is not None:
        wide = wide.astype(dtype)
    wide = wide.astype(np.clongdouble if wide.dtype.kind == "c" else np.longdouble)
    with np.errstate(all="ignore"):
        true = np.asarray(getattr(np, name)(wide, **options))
        scale_of = {"sum": np.sum, "mean": np.mean}.get(name)
        scale = np.asarray(scale_of(np.abs(wide), **options)) if scale_of else np.abs(true)
    return true, scale


def check_reduction(name, a, x, axes=None, dtype=None, got=None, **options):
    context = f"{name}({dtypes.name_of(x.dtype)}{x.shape} strides {x.strides}, axes={axes}, " \
              f"dtype={dtype}, {describe(options)})"
    numpy_options = dict(options, axis=axes)
    try:
        with np.errstate(all="ignore"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = numpy_reduce(name, x, dtype, **numpy_options)
    except ValueError:  # min and max of nothing
        want = None
    if got is None:
        given_axes = () if axes is None else axes
        initial, where = options.get("initial"), options.get("where")
        gnd_axes = gnd.Axes(
            *((given_axes,) if isinstance(given_axes, int) else given_axes),
            none=axes == (), keepdims=options.get("keepdims", False), dtype=dtype,
            where=None if where is None or where is True else gnd.from_numpy(where),
            initial=None if initial is None else gnd.from_numpy(initial))
        if want is None:
            with pytest.raises(gnd.Error) as caught:
                getattr(gnd, name)(a, gnd_axes)
            assert caught.value.code in (gnd.ERROR_VALUE, gnd.ERROR_SHAPE), caught.value
            return
        got = getattr(gnd, name)(a, gnd_axes)
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: dtype {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    actual = got.numpy()
    inexact = got.dtype in dtypes.FLOATS + dtypes.COMPLEX
    if name in ("min", "max", "any", "all") or not inexact:
        good = reference.same_values(actual, want)
        if name in ("min", "max") and inexact:  # which of 0.0 and -0.0 is not said
            with np.errstate(all="ignore"):
                good = good | (dtypes.widen(actual) == dtypes.widen(want))
    else:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            numpy_options.pop("initial", None)
            true, scale = true_value(name, x, dtype, numpy_options)
            if options.get("initial") is not None:
                start = dtypes.widen(np.asarray(options["initial"]))
                true = true * start if name == "prod" else true + start
                scale = np.abs(true) if name == "prod" else scale + np.abs(start)
        good = near(actual, want, true, scale, got.dtype, x.size // max(want.size, 1), name)
    if not np.all(good):
        index = tuple(np.argwhere(~good)[0])
        raise AssertionError(f"{context}: {(~good).sum()} of {good.size} differ, at {index}: "
                             f"{dtypes.widen(actual)[index]!r}, not {dtypes.widen(want)[index]!r}")


def near(actual, want, true, scale, dtype, length, name):
    """Within the error of pairwise summation, in the accumulator's type, and of the result's rounding."""
    real = {"complex64": "float32", "complex128": "float64"}.get(dtype, dtype)
    accumulator = "float32" if real in ("float16", "bfloat16") else real
    steps = 8 + 2 * np.log2(max(length, 2)) if name != "prod" else 4 + 2 * length
    with np.errstate(all="ignore"):
        tolerance = (steps * reference.EPSILON[accumulator] * np.asarray(scale, np.longdouble)
                     + reference.EPSILON[real] * np.abs(true) + 2 * reference.SMALLEST[real])
        got = dtypes.widen(actual)
        wide = dtypes.widen(want)
        finite = np.isfinite(true) & (np.asarray(scale) < reference.LARGEST[accumulator] / 4) & (
            np.abs(true) < reference.LARGEST[real] / 2)
        same = reference.same_values(actual, want)
        unsure = ~np.isfinite(np.asarray(true)) | ~finite
        if got.dtype.kind == "c":
            classes = np.isfinite(got) == np.isfinite(wide)
        else:
            classes = (np.isnan(got) & np.isnan(wide)) | (got == wide) | (
                np.isfinite(np.asarray(true)) & (np.asarray(scale) > reference.LARGEST[accumulator] / 4))
        return np.where(unsure, same | classes, np.abs(got - true) <= tolerance)


def describe(options):
    return ", ".join(f"{k} of shape {v.shape}" if k == "where" else f"{k}={v}" for k, v in options.items())


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_axes(name, dtype):
    g = np.random.default_rng(1)
    for shape in SHAPES:
        x = sample(name, dtype, shape, g)
        a = gnd.from_numpy(x)
        for axes in all_axes(len(shape)):
            for keepdims in (False, True):
                check_reduction(name, a, x, axes, keepdims=keepdims)


def sample(name, dtype, shape, g, special=0.0):
    """Values whose sums and products say something."""
    if dtype in dtypes.FLOATS + dtypes.COMPLEX:
        x = g.normal(size=shape)
        if name == "prod":
            x = np.sign(x) * g.uniform(0.8, 1.2, shape)
        if dtype in dtypes.COMPLEX:
            x = x + 1j * g.normal(size=shape) * (0.1 if name == "prod" else 1)
        x = dtypes.cast(x, dtype)
        if special:
            extra = dtypes.cast(np.array([np.nan, np.inf, -np.inf, 0.0, -0.0]), dtype)
            where = g.random(shape) < special
            x = np.array(x)
            x[where] = g.choice(extra, int(where.sum()))
        return x
    if name in ("any", "all"):
        x = np.full(shape, name == "all").astype(dtype)
        flat = x.reshape(-1)
        if flat.size:
            flat[g.integers(flat.size)] ^= x.dtype.type(1)
        return x
    return values.random_values(dtype, shape, g)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "bfloat16", "float32", "float64",
                                   "complex64", "complex128"])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_special_values(name, dtype):
    """NaN, infinities and zeros of both signs, alone and among others."""
    g = np.random.default_rng(2)
    for shape in ((40,), (6, 7), (3, 4, 5)):
        for share in (0.05, 0.5):
            x = sample(name, dtype, shape, g, share)
            a = gnd.from_numpy(x)
            for axes in all_axes(len(shape)):
                check_reduction(name, a, x, axes)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_layouts(name):
    for dtype in ("float32", "int16", "complex64", "bool"):
        g = np.random.default_rng(3)
        for shape in ((7,), (3, 4), (2, 3, 4), (33, 65), (5, 6, 70)):
            for layout in values.layouts(shape):
                base = sample(name, dtype, layout.base, g)
                x, a = values.apply_numpy(base, layout.steps), gnd.view(base, layout.steps)
                for axes in (None, (0,), (len(shape) - 1,), (0, len(shape) - 1)[:len(shape)],
                             tuple(range(len(shape)))[1:] or (0,)):
                    check_reduction(name, a, x, tuple(dict.fromkeys(axes)) if axes else axes)


@pytest.mark.parametrize("shape, axes", [
    ((100003,), None), ((100003,), (0,)), ((317, 331), (0,)), ((317, 331), (1,)), ((317, 331), None),
    ((3, 40001), (1,)), ((40001, 3), (0,)), ((40001, 3), (1,)), ((50, 60, 70), (0, 2)),
    ((50, 60, 70), (1,)), ((2, 100, 3, 101), (1, 3)), ((1, 65537), (0,)), ((65537, 1), (0,))])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_sizes(name, shape, axes):
    """Long and short segments, many and few, each axis the contiguous one."""
    g = np.random.default_rng(4)
    for dtype in ("float32", "int8", "float64", "bfloat16", "float16", "complex64"):
        if name == "prod" and dtype in ("float16", "bfloat16", "float32", "complex64"):
            continue
        x = sample(name, dtype, shape, g)
        check_reduction(name, gnd.from_numpy(x), x, axes)


@pytest.mark.parametrize("dtype", [n for n in dtypes.NAMES if n != "bfloat16"])
@pytest.mark.parametrize("name", ["sum", "prod", "mean"])
def test_dtype_option(name, dtype):
    g = np.random.default_rng(5)
    for source in ("bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"):
        x = dtypes.cast(g.uniform(0, 2, (4, 5)), source)
        try:
            with np.errstate(all="ignore"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    want = getattr(np, name)(x, axis=1, dtype=dtype)
        except TypeError:
            with pytest.raises(gnd.Error):
                getattr(gnd, name)(gnd.from_numpy(x), gnd.Axes(1, dtype=dtype))
            continue
        got = getattr(gnd, name)(gnd.from_numpy(x), gnd.Axes(1, dtype=dtype))
        assert got.dtype == want.dtype.name, f"{name} of {source} as {dtype}"
        tolerance = 1e-2 if dtype == "float16" else 1e-5
        assert np.allclose(got.numpy(), want, rtol=tolerance), f"{name} of {source} as {dtype}"


@pytest.mark.parametrize("name", REDUCTIONS)
def test_where_and_initial(name):
    g = np.random.default_rng(6)
    for dtype in ("float32", "int32", "float64", "bool", "complex64", "bfloat16"):
        for shape in ((12,), (4, 5), (3, 40, 50)):
            x = sample(name, dtype, shape, g)
            a = gnd.from_numpy(x)
            mask = g.random(shape) < 0.6
            starts = [None] if name in ("any", "all", "mean") else [
                dtypes.cast(np.array(s), dtype) for s in (1, 0, 3)]
            for axes in all_axes(min(len(shape), 2)):
                for start in starts:
                    options = {} if start is None else {
                        "initial": start if dtype != "bfloat16" else start}
                    for w in (mask, mask[..., :1], mask[0]):
                        if dtype == "bfloat16" and start is not None:
                            continue
                        check_reduction(name, a, x, axes, where=w, **options)
                    if start is not None and dtype != "bfloat16":
                        check_reduction(name, a, x, axes, initial=start)


def test_min_max_need_initial_under_where():
    a = gnd.ones((3,), "float32")
    mask = gnd.ones((3,), "bool")
    for name in ("min", "max"):
        with pytest.raises(gnd.Error):
            getattr(gnd, name)(a, gnd.Axes(where=mask))


@pytest.mark.parametrize("name", REDUCTIONS)
def test_out(name):
    g = np.random.default_rng(7)
    x = sample(name, "float32", (6, 7), g)
    a = gnd.from_numpy(x)
    dtype = "bool" if name in ("any", "all") else "float32"
    out = gnd.zeros((7,), dtype)
    back = getattr(gnd, name)(a, gnd.Axes(0, out=out))
    assert back.address == out.address
    check_reduction(name, a, x, (0,), got=out)
    wide = gnd.zeros((14,), dtype)
    view = gnd.slice_text(wide, "::-2")
    getattr(gnd, name)(a, gnd.Axes(0, out=view)).release()
    check_reduction(name, a, x, (0,), got=view)
    assert not wide.numpy()[::2].any()
    # Into a row of the array itself: as if the input had been copied first.
    if dtype == "float32":
        own = gnd.from_numpy(x)
        getattr(gnd, name)(own, gnd.Axes(0, out=gnd.slice_text(own, "2"))).release()
        check_reduction(name, a, x, (0,), got=gnd.slice_text(own, "2"))
    with pytest.raises(gnd.Error) as caught:
        getattr(gnd, name)(a, gnd.Axes(0, out=gnd.zeros((6,), dtype)))
    assert caught.value.code == gnd.ERROR_SHAPE
    with pytest.raises(gnd.Error):
        getattr(gnd, name)(a, gnd.Axes(0, out=gnd.broadcast_to(gnd.zeros((1,), dtype), (7,))))


def test_bad_axes():
    a = gnd.ones((3, 4), "float32")
    for name in REDUCTIONS:
        for axes in ((2,), (-3,), (0, 0), (0, -2), (0, 1, 0)):
            with pytest.raises(gnd.Error) as caught:
                getattr(gnd, name)(a, axes)
            assert caught.value.code == gnd.ERROR_AXIS
            assert f"gnd_{name}" in caught.value.message
        with pytest.raises(gnd.Error):
            getattr(gnd, name)(gnd.Array(None), None)
        with pytest.raises(gnd.Error):
            getattr(gnd, name)(a, gnd.Axes(where=gnd.ones((2,), "bool"), initial=gnd.ones((), "float32")))
        with pytest.raises(gnd.Error):
            getattr(gnd, name)(a, gnd.Axes(where=gnd.ones((3, 4), "int8"), initial=gnd.ones((), "float32")))


@given(data=st.data())
def test_random_reductions(data):
    name = data.draw(st.sampled_from(REDUCTIONS))
    dtype = data.draw(st.sampled_from(dtypes.NAMES))
    shape = tuple(data.draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 33]), max_size=5)))
    if np.prod(shape, dtype=int) > 20000:
        return
    g = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    layout = data.draw(st.sampled_from(values.layouts(shape)))
    base = sample(name, dtype, layout.base, g)
    n = len(shape)
    axes = data.draw(st.one_of(st.none(), st.lists(st.integers(-n, n - 1), unique_by=lambda k: k % max(n, 1),
                                                   max_size=n).map(tuple) if n else st.none()))
    check_reduction(name, gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps), axes,
                    keepdims=data.draw(st.booleans()))


def test_the_same_bits_every_time():
    x = np.random.default_rng(8).normal(size=1_000_003).astype(np.float32)
    a = gnd.from_numpy(x)
    first = gnd.sum(a, None).numpy()
    for _ in range(5):
        assert gnd.sum(a, None).numpy() == first


def test_sums_are_accurate():
    """float32 sums of many values are within a few units, whatever the order."""
    x = np.full(2_000_000, 0.1, np.float32)
    true = float(np.float32(0.1)) * x.size
    assert abs(float(gnd.sum(gnd.from_numpy(x), None).numpy()) - true) <= 1e-6 * true
    half = np.full(70_000, 1, np.float16)  # overflows float16 on the way to the mean
    assert gnd.mean(gnd.from_numpy(half), None).numpy() == 1


def test_other_names():
    x = np.random.default_rng(9).normal(size=(4, 6))
    a = gnd.from_numpy(x)
    assert_same(gnd.amin(a, 0), x.min(0))
    assert_same(gnd.amax(a, 1), x.max(1))
    for operator, name in (("add", "sum"), ("multiply", "prod"), ("minimum", "min"), ("maximum", "max"),
                           ("logical_or", "any"), ("logical_and", "all")):
        for axes in (None, 0, (0, 1)):
            assert_same(gnd.reduce(operator, a, axes), getattr(gnd, name)(a, axes).numpy())
    for bad in ("sum", "sqrt", "divmod", ""):
        with pytest.raises(gnd.Error) as caught:
            gnd.reduce(bad, a, None)
        assert caught.value.code == gnd.ERROR_INVALID


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_count_nonzero(dtype):
    g = np.random.default_rng(10)
    for shape in ((), (0,), (50,), (6, 7), (3, 4, 5)):
        x = dtypes.cast(np.where(g.random(shape) < 0.5, 0, 1), dtype)
        a, wide = gnd.from_numpy(x), dtypes.widen(x)
        for axes in all_axes(len(shape)):
            if axes == ():
                continue
            for keepdims in (False, True):
                want = np.asarray(np.count_nonzero(wide, axis=axes, keepdims=keepdims), np.int64)
                given_axes = gnd.Axes(*(axes or ()), keepdims=keepdims)
                assert_same(gnd.count_nonzero(a, given_axes), want, f"{dtype} {shape} {axes}", strides=False)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "float16"])
def test_one_long_run(dtype):
    """All elements of arrays that have a kernel of their own on a GPU, from any address."""
    n = 2**24 + 2**22 + 12345
    kind = np.dtype(dtype).kind
    if kind in "iu":
        fills = [np.full(n, np.iinfo(dtype).min, dtype), np.full(n, np.iinfo(dtype).max, dtype)]
    else:
        fills = [np.zeros(n, dtype), np.ones(n, dtype)]
    mixed = values.generator("long run", dtype).integers(-3, 100, n).astype(dtype)
    for x in [*fills, mixed]:
        a = gnd.from_numpy(x)
        for begin in (0, 7):
            y, b = x[begin:], a[f"{begin}:"]
            for _ in range(2):
                assert gnd.any(b, None).numpy() == y.any() and gnd.all(b, None).numpy() == y.all()
                assert gnd.count_nonzero(b, None).numpy() == np.count_nonzero(y)
                if kind in "biu":
                    assert gnd.sum(b, None).numpy() == y.sum()
                    assert np.isclose(gnd.mean(b, None).numpy(), y.mean(), rtol=1e-12)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int64", "float16", "float32", "float64",
                                   "complex64", "complex128"])
def test_any_and_all_of_a_long_run(dtype):
    """One element alone decides, wherever it stands; -0.0 is false, a lone highest bit true."""
    size = 40007
    zero, one = (-0.0, np.nan) if dtype in dtypes.FLOATS + dtypes.COMPLEX else (0, 1)
    one = {"int8": -128, "uint8": 128}.get(dtype, one)
    for place in (None, 0, 1, 1023, 1024, 8191, 8192, 16384, size - 1):
        x = np.full(size, zero).astype(dtype)
        y = np.full(size, one).astype(dtype)
        if place is not None:
            x[place], y[place] = one, zero
        for begin in (0, 1):
            a, b = gnd.from_numpy(x), gnd.from_numpy(y)
            assert gnd.any(a[f"{begin}:"], None).numpy() == x[begin:].any(), (place, begin)
            assert gnd.all(b[f"{begin}:"], None).numpy() == y[begin:].all(), (place, begin)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
@pytest.mark.parametrize("name", ["sum", "mean"])
def test_every_other_element(name, dtype):
    """Up to the last byte of the array."""
    for n in (*range(1, 40), 64, 65, 1000, 5001):
        x = np.random.default_rng(n).normal(size=(3, 2 * n - 1)).astype(dtype)
        a = gnd.from_numpy(x)
        check_reduction(name, a[":, ::2"], x[:, ::2], axes=1)
        check_reduction(name, a["2, ::2"], x[2, ::2])
        check_reduction(name, a["2, ::-2"], x[2, ::-2])


@pytest.mark.parametrize("name", REDUCTIONS)
def test_runs_between_those_of_other_outputs(name):
    for shape in ((9, 700, 30), (40, 3, 300), (300, 70, 2), (3, 40, 70000)):
        if name != "sum" and shape[2] > 1000:
            continue
        x = np.random.default_rng(len(name)).normal(1, 0.1, shape).astype("float32")
        check_reduction(name, gnd.from_numpy(x), x, axes=(0, 2))


@pytest.mark.parametrize("name", ["min", "max"])
def test_extremes_of_nothing(name):
    """Refused whenever the reduced axes are empty, even if the result is empty as well."""
    for shape in ((0,), (0, 0), (0, 3), (3, 0), (3, 0, 0), (0, 0, 3)):
        x = np.zeros(shape, np.float32)
        for axes in all_axes(len(shape)):
            check_reduction(name, gnd.from_numpy(x), x, axes)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_indices_in_a_long_run(dtype):
    """Of ties the first, of NaN the first, wherever the run begins, and backwards: a GPU has a kernel for 16 MiB and
    more."""
    n = (18 << 20) // np.dtype(dtype).itemsize + 37
    g = np.random.default_rng(10)
    x = g.integers(-3, 4, n).astype(dtype)
    for at in (n - 1, n - 40, 3 * n // 4, 12345, 1):
        x[at], x[at // 2] = 9, -9
        a = gnd.from_numpy(x)
        for part, view in (("", x), ("1:", x[1:]), ("7:-5", x[7:-5]), ("::-1", x[::-1]), ("3::-1", x[3::-1])):
            b = gnd.slice(a, part) if part else a
            assert int(gnd.argmax(b, None).numpy()) == view.argmax(), f"argmax {at} {part}"
            assert int(gnd.argmin(b, None).numpy()) == view.argmin(), f"argmin {at} {part}"
    if np.dtype(dtype).kind == "f":
        for at in (n - 2, n // 2, 5, 0):
            x[at] = np.nan
            a = gnd.from_numpy(x)
            assert int(gnd.argmax(a, None).numpy()) == at == int(gnd.argmin(a, None).numpy())
            assert int(gnd.argmax(gnd.slice(a, "::-1"), None).numpy()) == x[::-1].argmax()


@pytest.mark.parametrize("name", ["nanmin", "nanmax"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_extremes_of_numbers_in_runs(name, dtype):
    """Runs of every length around vectors, with NaN anywhere, nothing but NaN, and infinities."""
    ufunc = np.fmin if name == "nanmin" else np.fmax
    g = np.random.default_rng(5)
    for n in (*range(1, 70), 127, 128, 129, 1000, 2047, 5000):
        x = g.normal(size=(7, n)).astype(dtype)
        x[1, g.random(n) < 0.5] = np.nan
        x[2] = np.nan
        x[3, 0], x[4, -1], x[5, n // 2] = np.nan, np.inf, -np.inf
        x[6] = np.where(g.random(n) < 0.5, np.nan, -np.inf if name == "nanmax" else np.inf)
        got = getattr(gnd, name)(gnd.from_numpy(x), gnd.Axes(1))
        assert_same(got, ufunc.reduce(x, axis=1))
        for row in x:
            assert_same(getattr(gnd, name)(gnd.from_numpy(row), None), np.asarray(ufunc.reduce(row)))


@pytest.mark.parametrize("n", [1, 63, 64, 65, 511, 512, 513, 1024, 5000, 300000])
def test_indices_and_truth_of_bool(n):
    """The first true and the first false, wherever it stands; any other byte than 0 is true."""
    for rest in (False, True):
        for at in sorted({0, 1, n // 2, n - 2, n - 1} & set(range(n))) + [None]:
            x = np.full((3, n), rest)
            if at is not None:
                x[1, at] = not rest
                x[2, at:] = not rest
            a = gnd.from_numpy(x)
            for name in ("argmax", "argmin", "any", "all", "max", "min", "count_nonzero", "nanargmax"):
                theirs, ours = getattr(np, name), getattr(gnd, name)
                assert_same(ours(a, gnd.Axes(1)), np.asarray(theirs(x, axis=1)))
                assert_same(ours(a, None), np.asarray(theirs(x)))
                for k in range(3):
                    assert_same(ours(a[f"{k}, ::-1"], None), np.asarray(theirs(x[k, ::-1])))
            y = x[::-1]
            assert_same(gnd.vdot(gnd.from_numpy(x[1]), gnd.from_numpy(y[0].copy())), np.vdot(x[1], y[0]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_indices_of_numbers(dtype):
    """nanargmin and nanargmax, where there are NaN and where there are none, along either axis and backwards."""
    g = np.random.default_rng(8)
    for shape in ((1, 40000), (5, 3000), (300, 70), (3, 17)):
        for share in (0, 0.0005, 0.5):
            x = g.integers(-99, 99, shape).astype(dtype)
            x[g.random(shape) < share] = np.nan
            x[:, 0] = x[0, :] = 0
            for part, view in (("", x), ("::-1, ::-1", x[::-1, ::-1])):
                a = gnd.slice_text(gnd.from_numpy(x), part) if part else gnd.from_numpy(x)
                for axis in (None, 0, 1):
                    for name in ("nanargmin", "nanargmax"):
                        assert_same(getattr(gnd, name)(a, axis), np.asarray(getattr(np, name)(view, axis=axis)))
    for bad in (np.full((3, 50), np.nan), np.where(np.arange(150).reshape(3, 50) // 50 == 1, np.nan, 1.0)):
        gnd.nanargmax(gnd.from_numpy(bad.astype(dtype)), 1)
        with pytest.raises(gnd.Error):
            gnd.sync()
