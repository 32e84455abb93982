"""median, quantile and percentile and their nan- forms: every method, dtypes of x and q, axes, layouts,
NaN and infinities, empty arrays, options and bad input, against NumPy."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import reference
import values
from test_faults import run_with_failures

METHODS = ("linear", "inverted_cdf", "averaged_inverted_cdf", "closest_observation",
           "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased", "normal_unbiased", "lower",
           "higher", "midpoint", "nearest")
DISCRETE = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
CODES = {name: getattr(gnd, "QUANTILE_" + name.upper()) for name in METHODS}
REAL = [n for n in dtypes.NAMES if n not in dtypes.COMPLEX]
QUANTILES = ("quantile", "nanquantile", "percentile", "nanpercentile")


def all_axes(n):
    yield None
    for k in range(n + 1):
        yield from itertools.combinations(range(n), k)


def sample(dtype, shape, g, special=0.0):
    """Values with ties; where NumPy's own differences of integers do not wrap around."""
    if dtype == "bool":
        return g.integers(0, 2, shape).astype(bool)
    if dtype in dtypes.INTEGERS:
        x = values.random_values(dtype, shape, g)
        if dtype == "int64":
            x = x // 4
        return x
    x = g.normal(size=shape)
    x = np.where(g.random(shape) < 0.3, np.round(x), x)
    x = np.array(dtypes.cast(x, dtype))
    if special:
        extra = dtypes.cast(np.array([np.nan, np.nan, np.inf, -np.inf, 0.0, -0.0]), dtype)
        where = g.random(shape) < special
        x[where] = g.choice(extra, int(where.sum()))
    return x


# ---- the reference ------------------------------------------------------------------------------------


def of_slices(function, x, axes, result_dtype):
    """A nan- function slice by slice: NumPy's own on what is not NaN."""
    axes = tuple(range(x.ndim)) if axes is None else axes
    kept = [k for k in range(x.ndim) if k not in axes]
    rows = x.transpose(kept + list(axes)).reshape([x.shape[k] for k in kept] + [-1])
    results = np.empty(rows.shape[:-1], object)
    for index in np.ndindex(rows.shape[:-1]):
        row = rows[index]
        row = row[~np.isnan(row)]
        results[index] = function(row) if row.size else None
    return results, kept


def reference_of(name, x, q, axes, method, keepdims):
    """NumPy's result. bfloat16 goes by float32; signed integers by a dtype their differences fit in."""
    wide, wide_q = dtypes.widen(x), dtypes.widen(q) if isinstance(q, np.ndarray) else q
    plain = name.removeprefix("nan")
    median = plain == "median"

    def call(row, axis=None, keep=False):
        if median:
            return np.asarray(np.median(row, axis=axis, keepdims=keep))
        function = getattr(np, plain)
        result = np.asarray(function(row, wide_q, axis=axis, method=method, keepdims=keep))
        dtype = np.asarray(function(np.zeros(3, row.dtype), wide_q, method=method)).dtype
        if row.dtype.name in ("int8", "int16", "int32") and dtype.kind == "f":
            result = np.asarray(function(row.astype(dtype), wide_q, axis=axis, method=method,
                                         keepdims=keep))
        return result.astype(dtype)  # a lone NaN has x's dtype in NumPy

    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        if name == plain or wide.dtype.kind != "f" or wide.size == 0:
            if name != plain and wide.size == 0:
                want = np.asarray(np.nanmean(wide, axis=axes, keepdims=keepdims))
                if not median:
                    want = np.broadcast_to(want, np.shape(q) + want.shape)
            else:
                want = call(wide, axes, keepdims)
        else:
            q_shape = () if median else np.shape(q)
            probe = call(np.zeros(3, wide.dtype)).dtype
            parts, kept = of_slices(call, wide, axes, probe)
            want = np.full(q_shape + parts.shape, np.nan, probe)
            for index in np.ndindex(parts.shape):
                if parts[index] is not None:
                    want[(...,) + index] = parts[index]
            if keepdims:
                axes_gone = range(wide.ndim) if axes is None else axes
                want = want.reshape(q_shape + tuple(1 if k in axes_gone else n
                                                    for k, n in enumerate(wide.shape)))
    if dtypes.is_bfloat16(x):
        q_name = dtypes.name_of(q.dtype) if isinstance(q, np.ndarray) else None
        if q_name is None or method in DISCRETE or q_name == "bfloat16" or median or \
                (want.dtype == np.float32 and q_name not in ("float16", "float32")):
            want = dtypes.to_bfloat16(want)
    elif isinstance(q, np.ndarray) and dtypes.is_bfloat16(q) and not median and method not in DISCRETE:
        target = dtypes.promote(dtypes.name_of(x.dtype), "bfloat16")
        if target == "bfloat16":
            want = dtypes.to_bfloat16(want)
        else:
            assert want.dtype.name == target
    return want


def call_gnd(name, a, q, axes, method="linear"):
    if name.endswith("median"):
        return getattr(gnd, name)(a, axes)
    q = gnd.from_numpy(q) if isinstance(q, np.ndarray) else q
    return getattr(gnd, name)(a, q, axes, CODES[method])


def check(name, a, x, q=0.5, axes=None, method="linear", keepdims=False):
    context = f"{name}({dtypes.name_of(x.dtype)}{x.shape} strides {x.strides}, q={q!r}, axes={axes}, " \
              f"{method}, keepdims={keepdims})"
    given = gnd.Axes(*(axes or ()), none=axes == (), keepdims=keepdims)
    try:
        # of nothing NumPy gives NaN before it looks at the dtype
        if x.dtype == bool and x.size == 0 and name in ("nanquantile", "nanpercentile") and method not in DISCRETE:
            raise TypeError("gnd refuses bool where it is between two elements, also of nothing")
        want = reference_of(name, x, q, axes, method, keepdims)
    except (IndexError, TypeError):
        with pytest.raises(gnd.Error) as caught:
            call_gnd(name, a, q, given, method)
        assert caught.value.code in (gnd.ERROR_VALUE, gnd.ERROR_DTYPE), f"{context}: {caught.value}"
        return
    except (OverflowError, ValueError):  # NumPy's own trouble with small integers for q, and with nothing
        if x.dtype != bool:
            call_gnd(name, a, q, given, method)
        return
    got = call_gnd(name, a, q, given, method)
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: dtype {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    actual = got.numpy()
    good = np.asarray(reference.same_values(actual, want, unsigned_zero=True))
    if not good.all():
        index = tuple(np.argwhere(~good)[0])
        raise AssertionError(f"{context}: {(~good).sum()} of {good.size} differ, at {index}: "
                             f"{dtypes.widen(actual)[index]!r}, not {dtypes.widen(want)[index]!r}")


# ---- values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians(name, dtype):
    g = np.random.default_rng(1)
    for shape in ((), (1,), (2,), (9,), (10,), (3, 4), (4, 1, 5), (2, 3, 4), (70, 33), (3, 1000)):
        for special in (0, 0.1, 0.6):
            x = sample(dtype, shape, g, special)
            a = gnd.from_numpy(x)
            for axes in all_axes(len(shape)):
                check(name, a, x, axes=axes)
    check(name, a, x, axes=(1,), keepdims=True)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("method", METHODS)
def test_methods(method, dtype):
    """Numbers for q that fall on elements and between them, in each size of slice."""
    g = np.random.default_rng(2)
    for shape in ((1,), (2,), (3,), (5,), (4, 6), (7, 40), (2, 300)):
        for special in (0, 0.2):
            x = sample(dtype, shape, g, special)
            a = gnd.from_numpy(x)
            axes = (len(shape) - 1,)
            more = (True,) if method == "linear" else ()
            for q in (0.0, 1.0, 0.5, 0.25, 1 / 3, 0.1, 0.9, float(g.random()), 0, 1) + more:
                check("quantile", a, x, q, axes, method)
                check("nanquantile", a, x, q, axes, method)
            for q in (0, 100, 50, 25.0, 33.3, 99.999):
                check("percentile", a, x, q, axes, method)
                check("nanpercentile", a, x, q, axes, method)


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("method", METHODS)
def test_dtypes_of_q(method, dtype):
    g = np.random.default_rng(3)
    x = sample(dtype, (5, 37), g)
    a = gnd.from_numpy(x)
    for q_dtype in ("float16", "bfloat16", "float32", "float64"):
        q = dtypes.cast(g.random((2, 3)), q_dtype)
        check("quantile", a, x, q[0], (1,), method)
        check("quantile", a, x, q, (0,), method)
        check("nanquantile", a, x, q[1, 0:1].reshape(()), (1,), method)
        percent = dtypes.cast(g.random(4) * 100, q_dtype)
        check("percentile", a, x, percent, (1,), method)
        check("nanpercentile", a, x, percent, None, method)
    for q_dtype in ("int8", "uint8", "int32", "int64"):
        q = np.array([0, 1, 1, 0]).astype(q_dtype)
        check("quantile", a, x, q, (1,), method)
        check("percentile", a, x, q, (1,), method)


@pytest.mark.parametrize("q_dtype", ["float16", "float32"])
@pytest.mark.parametrize("method", METHODS)
def test_places_have_the_precision_of_q(q_dtype, method):
    """NumPy computes places in q's dtype, which shows in long slices."""
    x = np.random.default_rng(4).permutation(40000).astype(np.float32)
    a = gnd.from_numpy(x)
    q = np.random.default_rng(5).random(20).astype(q_dtype)
    check("quantile", a, x, q, None, method)
    check("quantile", a, x, q[:3], None, method)


def test_any_shape_of_q():
    """q of more than two dimensions, which NumPy refuses, is taken as q.ravel() would be."""
    g = np.random.default_rng(6)
    x, q = g.normal(size=(3, 4, 5)), g.random((2, 3, 2))
    got = gnd.quantile(gnd.from_numpy(x), gnd.from_numpy(q), (0, 2), gnd.QUANTILE_LINEAR).numpy()
    assert np.array_equal(got, np.quantile(x, q.ravel(), axis=(0, 2)).reshape(2, 3, 2, 4))
    strided = gnd.slice_text(gnd.from_numpy(np.repeat(q[0], 2, axis=0)), "::-2")
    got = gnd.quantile(gnd.from_numpy(x), strided, 1, gnd.QUANTILE_LINEAR).numpy()
    assert np.array_equal(got, np.quantile(x, q[0][::-1], axis=1))
    for shape in ((0,), (0, 3), (2, 0)):
        got = gnd.quantile(gnd.from_numpy(x), gnd.zeros(shape, "float64"), 1, gnd.QUANTILE_LINEAR)
        assert got.shape == shape + (3, 5)


def test_infinities():
    """NumPy's interpolation makes NaN of a difference of infinities."""
    inf, nan = np.inf, np.nan
    for row in ([1, 2, inf], [-inf, 2, inf], [-inf, -inf, 3, inf], [inf], [inf, inf], [-inf, inf],
                [nan, inf, inf], [nan], [nan, nan], [1, nan]):
        for dtype in ("float16", "float32", "float64"):
            x = np.array(row, dtype)
            a = gnd.from_numpy(x)
            check("median", a, x)
            check("nanmedian", a, x)
            for method, q in itertools.product(METHODS, (0.0, 0.3, 0.5, 0.8, 1.0, 1)):
                check("quantile", a, x, q, method=method)
                check("nanquantile", a, x, q, method=method)


def test_differences_of_integers_do_not_wrap():
    for dtype in ("int8", "int16", "int32", "int64"):
        info = np.iinfo(dtype)
        a = gnd.from_numpy(np.array([info.min, info.max], dtype))
        got = float(gnd.quantile(a, 0.25, None, gnd.QUANTILE_LINEAR).numpy())
        assert got == info.min + (float(info.max) - info.min) * 0.25
        assert float(gnd.median(a, None).numpy()) == (float(info.min) + float(info.max)) / 2


# ---- sizes and layouts --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
def test_lengths(dtype):
    """Every way a backend may select: rows of a few elements to one of hundreds of thousands."""
    g = np.random.default_rng(7)
    for length in (1, 2, 7, 8, 9, 16, 17, 31, 32, 33, 64, 65, 255, 256, 257, 1023, 1024, 1025, 4096, 4097,
                   10007, 300_001):
        for rows in (1, 3) if length > 300 else (1, 5, 300):
            x = sample(dtype, (rows, length), g)
            a = gnd.from_numpy(x)
            check("median", a, x, axes=(1,))
            method = "lower" if dtype == "bool" else "linear"
            for q in (0.0, 0.001, 0.37, 1.0):
                check("nanquantile", a, x, q, (1,), method)


@pytest.mark.parametrize("kind", ["uniform", "normal", "constant", "two values", "few values", "sorted",
                                  "reversed", "nearly constant", "exponents", "mostly nan", "one nan",
                                  "blocks"])
def test_distributions(kind):
    """Long rows of values that crowd together."""
    g = np.random.default_rng(8)
    for n in (5000, 100_003, 700_000):
        x = {
            "uniform": lambda: g.random(n),
            "normal": lambda: g.normal(size=n),
            "constant": lambda: np.full(n, 3.25),
            "two values": lambda: np.where(np.arange(n) < n // 2, 1.0, 2.0),
            "few values": lambda: g.integers(0, 5, n) * 1.0,
            "sorted": lambda: np.sort(g.random(n)),
            "reversed": lambda: np.arange(n)[::-1] * 1.0,
            "nearly constant": lambda: np.where(np.arange(n) % 1000 == 7, g.normal(size=n), 1.0),
            "exponents": lambda: 10.0 ** g.uniform(-30, 30, n),
            "mostly nan": lambda: np.where(g.random(n) < 0.999, np.nan, g.normal(size=n)),
            "one nan": lambda: np.where(np.arange(n) == n // 3, np.nan, g.normal(size=n)),
            "blocks": lambda: np.repeat(g.normal(size=n // 1000 + 1), 1000)[:n],
        }[kind]()
        for dtype in ("float32", "float64", "float16", "int32"):
            if dtype == "int32" and "nan" in kind:
                continue
            with np.errstate(all="ignore"):
                y = x.astype(dtype)
            a = gnd.from_numpy(y)
            for name in ("median", "nanmedian"):
                check(name, a, y)
            for q in (0.0, 0.01, 0.5, 0.75, 1.0):
                check("quantile", a, y, q)
                check("nanquantile", a, y, q, method="higher")


def test_layouts():
    for dtype in ("float32", "int16", "float64", "bool"):
        g = np.random.default_rng(9)
        method = "nearest" if dtype == "bool" else "hazen"
        for shape in ((7,), (3, 4), (2, 3, 4), (33, 65), (5, 6, 70), (40, 50)):
            for layout in values.layouts(shape):
                base = sample(dtype, layout.base, g, 0.02)
                x, a = values.apply_numpy(base, layout.steps), gnd.view(base, layout.steps)
                n = len(shape)
                for axes in {None, (0,), (n - 1,), tuple(range(n))[1:] or (0,), tuple({0, n - 1})}:
                    check("median", a, x, axes=axes)
                    check("nanquantile", a, x, np.array([0.3, 0.9]), axes, method)


@pytest.mark.parametrize("many", [7, 12, 40, 101, 300])
def test_many_quantiles(many):
    g = np.random.default_rng(10)
    q = g.random(many)
    for shape, axes in (((11,), None), ((40, 9), (1,)), ((30, 200), (1,)), ((4, 1500), (1,)),
                        ((2, 9000), (1,)), ((100, 3), (0,))):
        for special in (0, 0.001):
            x = sample("float32", shape, g, special)
            a = gnd.from_numpy(x)
            for method in ("linear", "inverted_cdf", "weibull"):
                check("quantile", a, x, q, axes, method)
                check("nanquantile", a, x, q, axes, method)


def test_results_keep_the_order_of_memory():
    x = np.asfortranarray(np.random.default_rng(11).normal(size=(40, 50, 3)))
    a = gnd.permute(gnd.from_numpy(np.ascontiguousarray(x.T)), (2, 1, 0))
    got = gnd.median(a, 2)
    assert got.strides == (8, 320)
    assert np.array_equal(got.numpy(), np.median(x, axis=2))


@given(data=st.data())
def test_random(data):
    name = data.draw(st.sampled_from(QUANTILES + ("median", "nanmedian")))
    dtype = data.draw(st.sampled_from(REAL))
    shape = tuple(data.draw(st.lists(st.sampled_from([0, 1, 2, 3, 5, 8, 33]), max_size=4)))
    if np.prod(shape, dtype=int) > 20000:
        return
    g = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    layout = data.draw(st.sampled_from(values.layouts(shape)))
    base = sample(dtype, layout.base, g, data.draw(st.sampled_from([0, 0.05, 0.5])))
    n = len(shape)
    axes = data.draw(st.one_of(st.none(), st.lists(st.integers(0, n - 1), unique=True,
                                                   max_size=n).map(tuple) if n else st.none()))
    q = data.draw(st.sampled_from([0.0, 1.0, 0.5, 0.123, None]))
    if q is None:
        q = g.random(data.draw(st.sampled_from([(), (1,), (4,), (2, 2)])))
        q = np.asarray(q).astype(data.draw(st.sampled_from(["float16", "float32", "float64"])))
    if name.endswith("percentile"):
        q = np.asarray(q * q.dtype.type(100)) if isinstance(q, np.ndarray) else q * 100
    check(name, gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps), q, axes,
          data.draw(st.sampled_from(METHODS)), data.draw(st.booleans()))


# ---- nothing, options, errors -------------------------------------------------------------------------


def test_of_nothing():
    for dtype in ("float32", "int32", "bool", "float16"):
        for shape in ((0,), (0, 3), (3, 0), (0, 0), (2, 0, 3)):
            x = np.zeros(shape, dtype)
            a = gnd.from_numpy(x)
            for axes in all_axes(len(shape)):
                for keepdims in (False, True):
                    check("median", a, x, axes=axes, keepdims=keepdims)
                    check("nanmedian", a, x, axes=axes, keepdims=keepdims)
                    for method in ("linear", "lower"):
                        if dtype == "bool" and method == "linear":
                            continue
                        length = np.prod([shape[k] for k in (range(len(shape)) if axes is None else axes)])
                        if length:
                            check("quantile", a, x, 0.5, axes, method, keepdims)
                        else:
                            with pytest.raises(gnd.Error) as caught:
                                call_gnd("quantile", a, 0.5, gnd.Axes(*(axes or ()), none=axes == ()),
                                         method)
                            assert caught.value.code == gnd.ERROR_VALUE
                        check("nanquantile", a, x, 0.5, axes, method, keepdims)


@pytest.mark.parametrize("name", QUANTILES + ("median", "nanmedian"))
def test_out(name):
    g = np.random.default_rng(12)
    x = g.normal(size=(6, 7)).astype(np.float32)
    want = reference_of(name, x, 0.5, (0,), "linear", False)
    if "percentile" in name:
        want = reference_of(name, x, 50.0, (0,), "linear", False)
    q = 50.0 if "percentile" in name else 0.5
    a = gnd.from_numpy(x)
    out = gnd.zeros((7,), "float32")
    back = call_gnd(name, a, q, gnd.Axes(0, out=out))
    assert back.address == out.address and np.array_equal(out.numpy(), want)
    wide = gnd.zeros((14,), "float32")
    view = gnd.slice_text(wide, "::-2")
    call_gnd(name, a, q, gnd.Axes(0, out=view)).release()
    assert np.array_equal(view.numpy(), want) and not wide.numpy()[::2].any()
    own = gnd.from_numpy(x)
    call_gnd(name, own, q, gnd.Axes(0, out=gnd.slice_text(own, "2"))).release()
    assert np.array_equal(gnd.slice_text(own, "2").numpy(), want)
    double = gnd.zeros((7, 1), "float64")
    call_gnd(name, gnd.permute(a, (1, 0)), q, gnd.Axes(1, out=double, keepdims=True)).release()
    assert np.array_equal(double.numpy()[:, 0], want.astype(np.float64))
    with pytest.raises(gnd.Error) as caught:
        call_gnd(name, a, q, gnd.Axes(0, out=gnd.zeros((6,), "float32")))
    assert caught.value.code == gnd.ERROR_SHAPE and "(6,)" in caught.value.message
    with pytest.raises(gnd.Error):
        call_gnd(name, a, q, gnd.Axes(0, out=gnd.broadcast_to(gnd.zeros((1,), "float32"), (7,))))
    whole = gnd.zeros((7,), "int32")
    if name in ("quantile", "percentile"):
        with pytest.raises(gnd.Error) as caught:
            call_gnd(name, a, q, gnd.Axes(0, out=whole))
        assert caught.value.code == gnd.ERROR_DTYPE and not whole.numpy().any()
    else:
        call_gnd(name, a, q, gnd.Axes(0, out=whole)).release()
        assert np.array_equal(whole.numpy(), want.astype(np.int32))


def test_bad_input():
    a = gnd.ones((3, 4), "float32")
    with pytest.raises(gnd.Error) as caught:
        gnd.quantile(a, 1.5, None, 0)
    assert caught.value.code == gnd.ERROR_VALUE and "1.5" in caught.value.message
    for q in (-0.001, float("nan"), float("inf"), 2, -1):
        for name in ("quantile", "nanquantile"):
            with pytest.raises(gnd.Error) as caught:
                getattr(gnd, name)(a, q, None, 0)
            assert caught.value.code == gnd.ERROR_VALUE and f"gnd_{name}" in caught.value.message
    for q in (-1, 100.5, float("nan")):
        with pytest.raises(gnd.Error) as caught:
            gnd.percentile(a, q, None, 0)
        assert caught.value.code == gnd.ERROR_VALUE
    for method in (13, -1, 99):
        with pytest.raises(gnd.Error) as caught:
            gnd.quantile(a, 0.5, None, method)
        assert caught.value.code == gnd.ERROR_INVALID
    for q, code in ((None, gnd.ERROR_INVALID), (1j, gnd.ERROR_DTYPE),
                    (gnd.ones((2,), "complex64"), gnd.ERROR_DTYPE)):
        with pytest.raises(gnd.Error) as caught:
            gnd.quantile(a, q, None, 0)
        assert caught.value.code == code
    for name in QUANTILES + ("median", "nanmedian"):
        for axes in ((2,), (-3,), (0, 0), (0, -2)):
            with pytest.raises(gnd.Error) as caught:
                call_gnd(name, a, 0.5, axes)
            assert f"gnd_{name}" in caught.value.message
        for options in ({"dtype": "float64"}, {"where": gnd.ones((3, 4), "bool")},
                        {"initial": gnd.ones((), "float32")}):
            with pytest.raises(gnd.Error) as caught:
                call_gnd(name, a, 0.5, gnd.Axes(0, **options))
            assert next(iter(options)) in caught.value.message
        with pytest.raises(gnd.Error):
            call_gnd(name, gnd.Array(None), 0.5, None)
        if name in QUANTILES:
            with pytest.raises(gnd.Error) as caught:
                call_gnd(name, gnd.ones((3,), "complex64"), 0.5, None)
            assert caught.value.code == gnd.ERROR_DTYPE and "complex64" in caught.value.message
    with pytest.raises(gnd.Error) as caught:
        gnd.quantile(gnd.ones((3,), "bool"), 0.5, None, gnd.QUANTILE_LINEAR)
    assert caught.value.code == gnd.ERROR_DTYPE


@pytest.mark.parametrize("name", QUANTILES)
def test_quantiles_in_an_array_are_checked_at_the_next_wait(name):
    top = 100 if "percentile" in name else 1
    for bad in (-0.1, top + 0.5, np.nan):
        for n in (9, 3000, 400_000):
            x = gnd.from_numpy(np.arange(n, dtype=np.float32))
            result = call_gnd(name, x, np.array([0.5, bad]), None)
            with pytest.raises(gnd.Error) as caught:
                result.numpy()
            assert caught.value.code == gnd.ERROR_VALUE and "quantile" in caught.value.message
            result.numpy()  # told once


def test_numpys_own_nan_functions():
    """nanquantile and nanmedian themselves, where they are quick enough."""
    g = np.random.default_rng(13)
    x = g.normal(size=(20, 30))
    x[g.random(x.shape) < 0.3] = np.nan
    x[4] = np.nan
    a = gnd.from_numpy(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for axis in (0, 1):
            assert np.array_equal(gnd.nanmedian(a, axis).numpy(), np.nanmedian(x, axis=axis), True)
            for method in METHODS:
                got = gnd.nanpercentile(a, gnd.from_numpy(np.array([5.0, 50.0, 77.7])), axis, CODES[method])
                want = np.nanpercentile(x, [5.0, 50.0, 77.7], axis=axis, method=method)
                assert np.array_equal(got.numpy(), want, True)

def test_no_memory():
    """Every allocation fails once: an error, nothing left behind, and the right answer in the end."""
    x = np.random.default_rng(14).normal(size=(40, 300)).astype(np.float32)
    a, q = gnd.from_numpy(x), np.array([0.25, 0.5])
    for call, want in (
            (lambda: gnd.median(a, 0), np.median(x, axis=0)),
            (lambda: call_gnd("quantile", a, q, gnd.Axes(1)), np.quantile(x, q, axis=1)),
            (lambda: gnd.nanmedian(gnd.slice_text(a, "::2, ::-2"), None), np.median(x[::2, ::-2]))):
        result, failures = run_with_failures(call)
        assert failures and np.array_equal(result.numpy(), want)


# ---- complex medians ----------------------------------------------------------------------------------


def complex_sample(dtype, shape, g, nan):
    x = (np.round(g.normal(size=shape), 1) + 1j * np.round(g.normal(size=shape), 1)).astype(dtype)
    for value in (complex(np.nan, 1), complex(2, np.nan), complex(np.nan, np.nan)):
        x[g.random(shape) < nan] = value
    return x


def nan_median(x, axes):
    """Row by row, on what is not NaN: numpy.nanmedian of short rows goes through masked arrays."""
    axes = tuple(range(x.ndim)) if axes is None else axes
    kept = [k for k in range(x.ndim) if k not in axes]
    rows = x.transpose(kept + list(axes)).reshape([x.shape[k] for k in kept] + [-1])
    result = np.full(rows.shape[:-1], np.nan, x.dtype)
    for index in np.ndindex(result.shape):
        row = rows[index][~np.isnan(rows[index])]
        if row.size:
            result[index] = np.median(row)
    return result


@pytest.mark.parametrize("dtype", dtypes.COMPLEX)
def test_complex_medians(dtype):
    g = np.random.default_rng(31)
    tolerance = {"rtol": 1e-6 if dtype == "complex64" else 1e-15, "equal_nan": True}
    for shape in ((1,), (2,), (7,), (40,), (3, 4), (4, 1, 5), (2, 3, 4), (5, 1500), (3000, 3)):
        for nan in (0, 0.02, 0.3):
            x = complex_sample(dtype, shape, g, nan)
            order = g.permutation(len(shape))
            a = gnd.permute(gnd.from_numpy(np.ascontiguousarray(x.transpose(order))),
                            np.argsort(order).tolist())
            for axes in all_axes(len(shape)):
                if axes == ():
                    continue
                got = call_gnd("median", a, 0.5, axes).numpy()
                want = np.median(x, axes)
                assert got.dtype == want.dtype and got.shape == want.shape
                assert np.allclose(got.real, want.real, **tolerance), f"{shape} {axes} {nan}"
                assert np.allclose(got.imag, want.imag, **tolerance), f"{shape} {axes} {nan}"
                got, want = call_gnd("nanmedian", a, 0.5, axes).numpy(), nan_median(x, axes)
                assert np.allclose(got, want, **tolerance), f"nan {shape} {axes} {nan}"
    x = complex_sample(dtype, (4, 6), g, 0)
    a = gnd.from_numpy(x)
    out = gnd.zeros((4, 1), "complex128")
    assert gnd.median(a, gnd.Axes(1, keepdims=True, out=out)).numpy().shape == (4, 1)
    assert np.allclose(out.numpy(), np.median(x, 1, keepdims=True))
    with pytest.raises(gnd.Error) as caught:
        gnd.median(a, gnd.Axes(1, out=gnd.zeros((4,), "float64")))
    assert caught.value.code == gnd.ERROR_DTYPE
    for shape, axes in (((0,), None), ((3, 0), 1), ((0, 3), 1)):
        empty = gnd.zeros(shape, dtype)
        for name in ("median", "nanmedian"):
            got = call_gnd(name, empty, 0.5, axes).numpy()
            assert got.dtype == dtype and np.isnan(got).all()
    run_with_failures(lambda: gnd.median(a, gnd.Axes(0)))
    run_with_failures(lambda: gnd.nanmedian(a, gnd.Axes(0)))
    assert (a.numpy() == x).all()
