"""Changes of the sampling rate against SciPy: polyphase filters with every border, dtype, axis and stride."""

import math

import numpy as np
import pytest
import scipy.signal as ss
from hypothesis import given, settings
from hypothesis import strategies as st

import dtypes
import gnd
from check import refused
from values import generator

NEAR = {"float32": 3e-6, "float64": 1e-13, "complex64": 3e-6, "complex128": 1e-13}
MODES = {"constant": gnd.UPFIRDN_CONSTANT, "wrap": gnd.UPFIRDN_WRAP, "edge": gnd.UPFIRDN_EDGE,
         "smooth": gnd.UPFIRDN_SMOOTH, "symmetric": gnd.UPFIRDN_SYMMETRIC, "reflect": gnd.UPFIRDN_REFLECT,
         "antisymmetric": gnd.UPFIRDN_ANTISYMMETRIC, "antireflect": gnd.UPFIRDN_ANTIREFLECT,
         "line": gnd.UPFIRDN_LINE}
REAL = {"float32": "float32", "complex64": "float32", "float64": "float64", "complex128": "float64"}
FLOATING = ("float32", "float64", "complex64", "complex128")


def values(g, shape, dtype):
    """Random numbers of a dtype."""
    if dtype == "bool":
        return g.random(shape) < 0.5
    if dtype in dtypes.INTEGERS:
        return g.integers(0, 100, shape).astype(dtype)
    x = g.normal(size=shape)
    if dtype in dtypes.COMPLEX:
        x = x + 1j * g.normal(size=shape)
    return dtypes.cast(x, dtype)


def strided(g, shape, dtype):
    """An array in random strides, and its values."""
    step = [1, 2, -1][g.integers(3)]
    base = values(g, [2 * n if step == 2 else n for n in shape], dtype)
    index = (slice(None, None, step),) * len(shape)
    return gnd.from_numpy(base)[", ".join([f"::{step}"] * len(shape))], base[index]


def close(got, want, dtype, scale, context):
    """Whether results are SciPy's: dtype, shape, and values as near as sums of this size are."""
    assert got.dtype == dtype, f"{context}: {got.dtype}, not {dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    if want.size:
        error = np.abs(got.numpy().astype("complex128") - want)
        assert (error <= NEAR[dtype] * scale).all(), f"{context}: off by {error.max()} of {scale}"


def options(struct, /, **members):
    """A struct of options."""
    result = gnd.STRUCTS[struct]()
    for member, value in members.items():
        setattr(result, member, value)
    return result


def upfirdn_options(mode="constant", cval=None):
    return options("gnd_upfirdn_options", mode=MODES[mode], cval=gnd.arg(cval))


def check_upfirdn(g, x_dtype, h_dtype, shape, taps, up, down, axis, mode, cval):
    a, x = strided(g, shape, x_dtype)
    b, h = strided(g, (taps,), h_dtype)
    got = gnd.upfirdn(b, a, up, down, axis, upfirdn_options(mode, cval))
    if "bfloat16" in (x_dtype, h_dtype):
        dtype = dtypes.promote(dtypes.promote(x_dtype, h_dtype), "float32")
    else:
        dtype = np.result_type(x_dtype, h_dtype, "float32").name
    wide_x, wide_h = dtypes.wide(x), dtypes.wide(h)
    want = ss.upfirdn(wide_h, wide_x, up, down, axis, mode, cval or 0)
    reach = 1 + (taps / up / max(shape[axis], 1) if mode in ("smooth", "line", "antireflect") else 0)
    scale = np.abs(wide_h).sum() * (np.abs(wide_x).max(initial=1) + abs(cval or 0)) * reach**2
    close(got, want, dtype, scale, f"{x_dtype} {h_dtype} {shape} {taps} {up}/{down} {axis} {mode} {cval}")


def test_upfirdn_modes():
    g = generator("upfirdn modes")
    for mode in MODES:
        for n in (2, 3, 10, 300):
            for taps, up, down in [(1, 1, 1), (5, 1, 1), (61, 3, 2), (61, 2, 3), (40, 7, 1), (161, 1, 8), (20, 1, 9),
                                   (201, 10, 9), (3, 5, 4)]:
                check_upfirdn(g, "float32", "float32", (n,), taps, up, down, 0, mode, None)
                check_upfirdn(g, "complex128", "float64", (2, n), taps, up, down, 1, mode, None)


def test_upfirdn_constants():
    g = generator("upfirdn constants")
    for x_dtype, cval in [("float32", 2.5), ("float64", -3), ("complex64", 1 + 2j), ("int16", 7)]:
        check_upfirdn(g, x_dtype, "float64" if x_dtype == "float64" else "float32", (50,), 31, 3, 2, 0, "constant",
                      cval)


@pytest.mark.parametrize("x_dtype", dtypes.NAMES)
def test_upfirdn_dtypes(x_dtype):
    g = generator("upfirdn dtypes", x_dtype)
    for h_dtype in dtypes.NAMES:
        for up, down in [(3, 2), (5, 7)]:
            check_upfirdn(g, x_dtype, h_dtype, (3, 40), 25, up, down, -1, "constant", None)


def test_upfirdn_axes():
    g = generator("upfirdn axes")
    for shape in [(7,), (1, 6), (6, 1), (4, 5, 6), (2, 3, 2, 5, 3, 2), (0, 4), (3, 0)]:
        for axis in range(-len(shape), len(shape)):
            for dtype in ("float32", "complex64"):
                if shape[axis] or 0 not in shape:
                    check_upfirdn(g, dtype, "float32", shape, 9, 2, 3, axis, "constant", None)
    empty = gnd.zeros((3, 0), "float32")
    assert gnd.upfirdn(gnd.zeros(5, "float32"), empty, 2, 1, 1, None).shape == (3, 3)


def test_upfirdn_of_many_axes_that_do_not_merge():
    g = generator("upfirdn many axes")
    x = values(g, (4, 4, 4, 4, 4, 4, 9), "float32")
    index = tuple([slice(None, None, 2)] * 6 + [slice(None)])
    want = ss.upfirdn([1, 2, 3], x[index], 2, 1)
    got = gnd.upfirdn(gnd.from_numpy(np.float32([1, 2, 3])), gnd.from_numpy(x)["::2, " * 6 + ":"], 2, 1, -1, None)
    close(got, want, "float32", 6 * np.abs(x).max(), "many axes")


def test_upfirdn_of_one_element():
    """As numpy.pad continues it; SciPy divides by zero."""
    h = gnd.from_numpy(np.float64([1, 2, 3]))
    for mode in MODES:
        want = {"constant": [5, 10, 15], "antisymmetric": [5 - 10 + 15, 10 - 15 - 5, 15 - 10 + 5]}.get(mode, [30] * 3)
        if mode == "antisymmetric":  # ... -5 5 | 5 | -5 -5 5
            line = [5, -5, 5, -5, 5]
            want = [line[2 + i] + 2 * line[1 + i] + 3 * line[i] for i in range(3)]
        got = gnd.upfirdn(h, gnd.from_numpy(np.float64([5])), 1, 1, 0, upfirdn_options(mode))
        assert np.allclose(got.numpy(), want), f"{mode}: {got.numpy()}"


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 300), st.integers(1, 900), st.sampled_from(FLOATING),
       st.sampled_from(list(MODES)), st.integers(0, 2**31))
def test_upfirdn_of_anything(up, down, taps, n, dtype, mode, seed):
    if n < 2 and mode != "constant":
        n = 2
    check_upfirdn(np.random.default_rng(seed), dtype, dtype, (n,), taps, up, down, 0, mode, None)


@pytest.mark.parametrize("dtype", FLOATING)
def test_upfirdn_at_rates_of_every_kernel(dtype):
    """Small and large rates, few and many taps, long lines."""
    g = generator("upfirdn kernels", dtype)
    for taps, up, down, n in [(61, 2, 3, 30000), (3201, 160, 147, 30000), (3201, 147, 160, 30000), (161, 1, 8, 60000),
                              (64, 64, 1, 500), (5000, 1000, 999, 2000), (90, 1, 5000, 100000), (40, 20000, 1, 4),
                              (16500, 1, 50, 200), (20001, 1, 1000, 60000), (700, 33, 32, 20000), (7, 1, 1, 70000),
                              (40000, 2000, 1, 9), (1, 1, 4, 9000)]:
        check_upfirdn(g, dtype, REAL[dtype], (n,), taps, up, down, 0, "constant", None)
        if n <= 3000:
            check_upfirdn(g, dtype, dtype, (3, n), taps, up, down, 1, "symmetric", None)


def test_upfirdn_refuses():
    x, h = gnd.zeros(5, "float32"), gnd.zeros(3, "float32")
    refused(lambda: gnd.upfirdn(gnd.zeros((1, 3), "float32"), x, 1, 1, 0, None), gnd.ERROR_SHAPE, "h", "(1, 3)")
    refused(lambda: gnd.upfirdn(gnd.zeros(0, "float32"), x, 1, 1, 0, None), gnd.ERROR_SHAPE, "h")
    refused(lambda: gnd.upfirdn(h, x, 0, 1, 0, None), gnd.ERROR_VALUE, "up is 0")
    refused(lambda: gnd.upfirdn(h, x, 1, -2, 0, None), gnd.ERROR_VALUE, "down is -2")
    refused(lambda: gnd.upfirdn(h, x, 1, 1, 1, None), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.upfirdn(h, None, 1, 1, 0, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.upfirdn(None, x, 1, 1, 0, None), gnd.ERROR_INVALID, "'h' is NULL")
    refused(lambda: gnd.upfirdn(h, x, 1, 1, 0, upfirdn_options(cval=1j)), gnd.ERROR_DTYPE, "complex")
    bad = upfirdn_options()
    bad.mode = 9
    refused(lambda: gnd.upfirdn(h, x, 1, 1, 0, bad), gnd.ERROR_INVALID, "mode number 9")
    refused(lambda: gnd.upfirdn(h, gnd.zeros(0, "float32"), 1, 1, 0, upfirdn_options("edge")), gnd.ERROR_VALUE,
            "no elements")


# ---- resample_poly ----------------------------------------------------------------------------------------

PADS = dict(MODES, mean=gnd.UPFIRDN_MEAN, median=gnd.UPFIRDN_MEDIAN, minimum=gnd.UPFIRDN_MINIMUM,
            maximum=gnd.UPFIRDN_MAXIMUM)


def window_struct(name=None, *parameters):
    """A gnd_window."""
    made = options("gnd_window", name=name.encode() if name else None, count=len(parameters))
    for k, value in enumerate(parameters):
        made.params[k] = value
    return made


def poly_options(padtype="constant", cval=None, window=(), taps=None):
    return options("gnd_resample_poly_options", padtype=PADS[padtype], cval=gnd.arg(cval),
                   window=window_struct(*window), taps=None if taps is None else taps.pointer)


def check_poly(g, dtype, shape, up, down, axis, padtype="constant", cval=None, named=(), taps=None):
    a, x = strided(g, shape, dtype)
    filter_array, window = (None, named or ("kaiser", 5.0))
    if taps is not None:
        filter_array, window = strided(g, (taps,), REAL[dtype])
    got = gnd.resample_poly(a, up, down, axis, poly_options(padtype, cval, named, filter_array))
    wide_x = dtypes.wide(x)
    want = ss.resample_poly(wide_x, up, down, axis, window if taps is None else dtypes.wide(window), padtype, cval)
    if math.gcd(up, down) == max(up, down):
        result = dtype
    else:
        result = {"float16": "float32", "bfloat16": "float32"}.get(dtype, dtype if dtype in FLOATING else "float64")
    rate = max(up, down) // math.gcd(up, down)
    reach = 1 + (10 * rate / up / max(shape[axis], 1) if padtype in ("smooth", "line", "antireflect") else 0)
    scale = 10 * (np.abs(wide_x).max(initial=1) + abs(cval or 0)) * reach**2
    if taps is not None:
        scale *= np.abs(window).sum() * up
    if dtype in ("float16", "bfloat16"):
        scale *= 300 if padtype in PADS and padtype not in MODES else 1
    if result in dtypes.INTEGERS or result == "bool":
        assert got.dtype == result and (got.numpy() == x).all()
    elif result not in NEAR:
        assert got.dtype == result
    else:
        close(got, want, result, scale, f"{dtype} {shape} {up}/{down} {axis} {padtype} {cval} {named} {taps}")


def test_resample_poly_pads():
    g = generator("poly pads")
    for padtype in PADS:
        for n in (2, 7, 500):
            for up, down in [(3, 2), (2, 3), (1, 4), (6, 1), (10, 15), (17, 16)]:
                check_poly(g, "float64", (n,), up, down, 0, padtype)
                check_poly(g, "float32", (2, n, 3), up, down, 1, padtype)
    check_poly(g, "float64", (40,), 3, 2, 0, "constant", -2.5)
    check_poly(g, "complex64", (40,), 3, 2, 0, "constant", 1 - 2j)


def test_twice_the_rate_of_many():
    """Two outputs of each of many doubles: SciPy's, and with all pads in many lines the bits of each line alone."""
    g = generator("twice the rate")
    for shape in [(700000,), (3, 300002), (3, 300001), (40, 20000)]:
        check_poly(g, "float64", shape, 2, 1, len(shape) - 1, "constant", 0.5)
        check_upfirdn(g, "float64", "float64", shape, 300, 2, 1, len(shape) - 1, "symmetric", None)
    x = values(g, (50, 15002), "float64")
    for padtype in PADS:
        whole = gnd.resample_poly(gnd.from_numpy(x), 2, 1, 1, poly_options(padtype)).numpy()
        for line in (0, 17, 49):
            alone = gnd.resample_poly(gnd.from_numpy(x[line]), 2, 1, 0, poly_options(padtype)).numpy()
            assert alone.tobytes() == whole[line].tobytes(), f"{padtype}, line {line}"


def test_three_halves_of_the_rate_of_many():
    """Three outputs of two of many floats: the same; and of lines wherever they lie, and of few taps and many."""
    g = generator("three halves")
    for shape, taps, mode in [((2100000,), 61, "constant"), ((4, 520002), 62, "symmetric"), ((40, 52003), 200, "line")]:
        check_upfirdn(g, "float32", "float32", shape, taps, 3, 2, len(shape) - 1, mode, None)
    check_poly(g, "float32", (3, 700001), 3, 2, 1, "constant", 0.5)
    x = values(g, (40, 60003), "float32")
    for first, padtype in enumerate(PADS):
        x[0, 30000] = np.inf if first % 2 else 1
        part = gnd.from_numpy(x)[f":, {first % 4}:"]
        whole = gnd.resample_poly(part, 3, 2, 1, poly_options(padtype)).numpy()
        for line in (0, 17, 39):
            row = np.ascontiguousarray(x[line, first % 4:])
            alone = gnd.resample_poly(gnd.from_numpy(row), 3, 2, 0, poly_options(padtype)).numpy()
            assert alone.tobytes() == whole[line].tobytes(), f"{padtype}, line {line}"


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_resample_poly_dtypes(dtype):
    g = generator("poly dtypes", dtype)
    for up, down in [(3, 2), (5, 7), (4, 4)]:
        check_poly(g, dtype, (3, 40), up, down, -1)
        check_poly(g, dtype, (40, 3), up, down, 0)
    if dtype not in ("bool", "bfloat16"):
        check_poly(g, dtype, (3, 40), 3, 2, -1, "mean")


def test_resample_poly_filters():
    g = generator("poly filters")
    for up, down in [(3, 2), (2, 3), (1, 5), (160, 147)]:
        for window in [("kaiser", 0.5), ("kaiser", 14.0), ("hann",), ("hamming",), ("gaussian", 40.0), ("boxcar",)] * 2:
            check_poly(g, "float64", (300,), up, down, 0, named=window)
            check_poly(g, "float32", (300,), up, down, 0, named=window)
        for taps in (1, 2, 3, 20, 61, 400):
            check_poly(g, "float64", (100,), up, down, 0, taps=taps)
            check_poly(g, "complex64", (100,), up, down, 0, taps=taps, padtype="line")


def test_resample_poly_of_nothing():
    assert gnd.resample_poly(gnd.zeros((2, 0), "float32"), 2, 3, 1, None).shape == (2, 0)
    assert gnd.resample_poly(gnd.zeros((0, 5), "float32"), 2, 3, 1, None).shape == (0, 4)
    assert gnd.resample_poly(gnd.zeros((5, 0), "float32"), 2, 3, 0, poly_options("mean")).shape == (4, 0)
    check_poly(generator("one"), "float32", (1,), 7, 3, 0)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 400), st.integers(1, 400), st.integers(1, 2000), st.sampled_from(FLOATING),
       st.sampled_from(list(PADS)), st.integers(0, 2**31))
def test_resample_poly_of_anything(up, down, n, dtype, padtype, seed):
    check_poly(np.random.default_rng(seed), dtype, (max(n, 2),), up, down, 0,
               "mean" if padtype == "median" and dtype.startswith("complex") else padtype)


def test_resample_poly_refuses():
    x = gnd.zeros(5, "float32")
    refused(lambda: gnd.resample_poly(x, 0, 2, 0, None), gnd.ERROR_VALUE, "up is 0")
    refused(lambda: gnd.resample_poly(x, 1, 2, 2, None), gnd.ERROR_AXIS, "axis 2")
    refused(lambda: gnd.resample_poly(None, 1, 2, 2, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.resample_poly(x, 1, 2, 0, poly_options("edge", 1.0)), gnd.ERROR_INVALID, "cval")
    refused(lambda: gnd.resample_poly(x, 1, 2, 0, poly_options(window=("nothing",))), gnd.ERROR_VALUE, "nothing")
    square = gnd.zeros((2, 2), "float32")
    refused(lambda: gnd.resample_poly(x, 1, 2, 0, poly_options(taps=square)), gnd.ERROR_SHAPE, "taps", "(2, 2)")
    bad = poly_options()
    bad.padtype = 13
    refused(lambda: gnd.resample_poly(x, 1, 2, 0, bad), gnd.ERROR_INVALID, "mode number 13")
    refused(lambda: gnd.upfirdn(x, x, 1, 2, 0, options("gnd_upfirdn_options", mode=PADS["mean"])), gnd.ERROR_INVALID,
            "mode number 9")


# ---- detrend ----------------------------------------------------------------------------------------------


def detrend_options(linear, breaks=()):
    """The struct, and the list that it points to."""
    list_ = np.array(breaks, np.int64)
    made = options("gnd_detrend_options", type=gnd.DETREND_LINEAR if linear else gnd.DETREND_CONSTANT,
                   breakpoints=list_.ctypes.data, count=len(list_))
    return made, list_


def check_detrend(g, dtype, shape, axis, linear, breaks=()):
    a, x = strided(g, shape, dtype)
    made, _kept = detrend_options(linear, breaks)
    got = gnd.detrend(a, axis, made)
    want = ss.detrend(dtypes.wide(x), axis, "linear" if linear else "constant", list(breaks) or 0)
    if dtype in FLOATING:
        result = dtype
    else:
        result = dtype if dtype in ("float16", "bfloat16") and not linear else "float64"
    context = f"{dtype} {shape} {axis} {linear} {breaks}"
    if result in NEAR:
        close(got, want, result, np.abs(dtypes.wide(x)).max(initial=1) * 3, context)
    else:
        assert got.dtype == result and got.shape == want.shape, context
        assert np.allclose(dtypes.wide(got.numpy()), want, atol=0.03), context


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_detrend_dtypes(dtype):
    g = generator("detrend", dtype)
    for linear in (True, False):
        for shape in [(1,), (2,), (3,), (100,), (3, 50), (2, 3, 4), (40, 9), (5000,)]:
            for axis in range(-len(shape), len(shape)):
                check_detrend(g, dtype, shape, axis, linear)


def test_detrend_breaks():
    g = generator("breaks")
    for dtype in FLOATING:
        for breaks in [(0,), (100,), (30,), (60, 20), (1, 2, 3, 99), (50, 50, 50), (99, 100, 0)]:
            check_detrend(g, dtype, (100,), 0, True, breaks)
            check_detrend(g, dtype, (3, 100, 2), 1, True, breaks)
    check_detrend(g, "float64", (100,), 0, False, (50,))


def test_detrend_of_long_lines():
    g = generator("detrend long")
    for dtype in FLOATING:
        for shape in [(70000,), (3, 20000), (40, 4096), (33, 4097)]:
            check_detrend(g, dtype, shape, -1, True)
            check_detrend(g, dtype, shape, -1, False)
    x = 1e6 + np.arange(300000) * 0.25 + np.sin(np.arange(300000))
    got = gnd.detrend(gnd.from_numpy(x), 0, None).numpy()
    assert np.abs(got - ss.detrend(x)).max() < 1e-8


HELD = [(1500000,), (5, 400004), (2, 3, 250000), (300, 5000), (37, 32768), (4, 275001)]


@pytest.mark.parametrize("shape", HELD)
def test_detrend_of_many_elements(shape):
    """Megabytes, which a GPU's blocks hold between summing and subtracting if lines begin at multiples of 16 bytes."""
    g = generator("detrend held", *shape)
    for dtype in ("float32", "float64", "complex64"):
        x = values(g, shape, dtype) + np.linspace(3, 40, shape[-1], dtype=dtype)
        for linear in (True, False):
            made, _kept = detrend_options(linear)
            got = [gnd.detrend(gnd.from_numpy(x), -1, made) for _ in range(3)]
            want = ss.detrend(dtypes.wide(x), -1, "linear" if linear else "constant")
            close(got[0], want, dtype, np.abs(x).max(), f"{dtype} {shape} {linear}")
            assert all(np.array_equal(other.numpy(), got[0].numpy()) for other in got[1:]), (dtype, shape, linear)


def test_detrend_of_many_elements_in_views():
    """Lines apart from each other, one that begins within 16 bytes, and stretches between breakpoints."""
    g = generator("detrend views")
    base = values(g, (7, 400000), "float32") + np.float32(5)
    a = gnd.from_numpy(base)
    for index in ["::2", "::-3", "1:, 1:399997", "1:, 4:399996"]:
        x = eval(f"base[{index}]")
        for linear in (True, False):
            made, _kept = detrend_options(linear)
            want = ss.detrend(dtypes.wide(x), -1, "linear" if linear else "constant")
            close(gnd.detrend(a[index], -1, made), want, "float32", np.abs(x).max(), f"{index} {linear}")
    made, _kept = detrend_options(True, (200000, 200003))
    close(gnd.detrend(a, -1, made), ss.detrend(dtypes.wide(base), -1, "linear", [200000, 200003]), "float32",
          np.abs(base).max(), "breaks")


def test_detrend_of_many_elements_that_are_not_finite():
    """A line with an infinity or a NaN; the others know nothing of it."""
    x = values(generator("detrend infinite"), (5, 300000), "float32")
    x[1, 70000], x[3, 299999] = np.inf, np.nan
    made, _kept = detrend_options(False)
    got = gnd.detrend(gnd.from_numpy(x), -1, made).numpy()
    with np.errstate(invalid="ignore"):
        want = dtypes.wide(x) - dtypes.wide(x).mean(-1, keepdims=True)
    assert np.allclose(got, want, atol=3e-6, equal_nan=True)


def test_detrend_of_nothing_and_refused():
    assert gnd.detrend(gnd.zeros((3, 0), "float32"), 1, None).shape == (3, 0)
    assert gnd.detrend(gnd.zeros((0, 3), "int8"), 1, None).dtype == "float64"
    x = gnd.zeros(5, "float32")
    refused(lambda: gnd.detrend(x, 1, None), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.detrend(None, 0, None), gnd.ERROR_INVALID, "'x' is NULL")
    for bad in (6, -1):
        made, _kept = detrend_options(True, (2, bad))
        refused(lambda: gnd.detrend(x, 0, made), gnd.ERROR_VALUE, f"breakpoint {bad}")
    made, _kept = detrend_options(True)
    made.type = 2
    refused(lambda: gnd.detrend(x, 0, made), gnd.ERROR_INVALID, "type number 2")
    made, _kept = detrend_options(True)
    made.count, made.breakpoints = 3, None
    refused(lambda: gnd.detrend(x, 0, made), gnd.ERROR_INVALID, "NULL")


# ---- decimate ---------------------------------------------------------------------------------------------


def decimate_options(ftype="iir", n=0, zero_phase=True, sos=None, taps=None):
    return options("gnd_decimate_options", type=gnd.DECIMATE_FIR if ftype == "fir" else gnd.DECIMATE_IIR, n=n,
                   delayed=not zero_phase, sos=sos.pointer if sos else None, taps=taps.pointer if taps else None)


def check_decimate(g, dtype, shape, q, axis, ftype="iir", n=0, zero_phase=True):
    a, x = strided(g, shape, dtype)
    got = gnd.decimate(a, q, axis, decimate_options(ftype, n, zero_phase))
    result = dtype if dtype in FLOATING else "float64"
    same_rounding = dtypes.wide(x) if ftype == "fir" or result not in ("float32", "complex64") else x
    if result == "complex64" and ftype == "iir":
        want = sum(unit * ss.decimate(part, q, n or None, ftype, axis, zero_phase)
                   for unit, part in ((1, x.real), (1j, x.imag)))
    else:
        want = ss.decimate(same_rounding, q, n or None, ftype, axis, zero_phase)
    scale = 20 * np.abs(dtypes.wide(x)).max(initial=1) * (300 if ftype == "iir" else 1)
    close(got, want, result, scale, f"{dtype} {shape} {q} {axis} {ftype} {n} {zero_phase}")


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_decimate_dtypes(dtype):
    g = generator("decimate", dtype)
    for ftype in ("iir", "fir"):
        for zero_phase in (True, False):
            check_decimate(g, dtype, (200,), 4, 0, ftype, 0, zero_phase)
            check_decimate(g, dtype, (2, 101, 3), 2, 1, ftype, 0, zero_phase)


def test_decimate_orders():
    g = generator("decimate orders")
    for q in (2, 3, 8, 13):
        for n in (0, 1, 4, 5):
            for zero_phase in (True, False):
                check_decimate(g, "float64", (300,), q, 0, "fir", n, zero_phase)
                check_decimate(g, "float64", (3, 300), q, -1, "iir", n, zero_phase)


def test_decimate_long_lines_and_many():
    g = generator("decimate long")
    for q in (2, 8, 13):
        check_decimate(g, "float32", (70000,), q, 0)
        check_decimate(g, "float64", (3, 9001), q, 1)
        check_decimate(g, "float32", (17000, 40), q, 1)
    check_decimate(g, "complex128", (2, 5000), 3, 1)
    check_decimate(g, "float64", (600,), 2, 0, "iir", 19)  # more sections than one launch takes


def test_decimate_what_is_not_finite():
    for value in (np.nan, np.inf):
        x = np.ones((2, 50000), np.float32)
        x[1, 31000] = value
        got = gnd.decimate(gnd.from_numpy(x), 8, 1, None).numpy()
        assert np.isnan(got[1]).all() and np.abs(got[0] - 1).max() < 0.02


def test_decimate_tiles():
    """Lines that end anywhere in what a block of a GPU has, and of more channels than one."""
    g = generator("decimate tiles")
    for n in (20479, 20480, 20481, 20500, 22528, 41000, 63001):
        check_decimate(g, "float64", (n,), 8, 0)
    check_decimate(g, "float64", (100000,), 13, 0)
    check_decimate(g, "float32", (3, 50001, 2), 5, 1)
    check_decimate(g, "complex64", (40000,), 8, 0)
    for n in (2, 3, 6, 7):
        check_decimate(g, "float64", (30000,), 8, 0, "iir", n)


def test_decimate_by_a_given_filter():
    g = generator("decimate filter")
    a, x = strided(g, (300,), "float64")
    b, h = strided(g, (31,), "float64")
    for zero_phase in (True, False):
        got = gnd.decimate(a, 3, 0, decimate_options(zero_phase=zero_phase, taps=b)).numpy()
        assert np.allclose(got, ss.decimate(x, 3, ftype=ss.dlti(h, [1.0]), zero_phase=zero_phase))
        sos = ss.butter(4, 0.2, output="sos")
        given = gnd.from_numpy(sos)
        got = gnd.decimate(a, 3, 0, decimate_options(zero_phase=zero_phase, sos=given)).numpy()
        want = (ss.sosfiltfilt if zero_phase else ss.sosfilt)(sos, x)[::3]
        assert np.allclose(got, want)


def test_decimate_refuses():
    x, h = gnd.zeros(50, "float32"), gnd.zeros((1, 6), "float32")
    refused(lambda: gnd.decimate(x, 0, 0, None), gnd.ERROR_VALUE, "factor is 0")
    refused(lambda: gnd.decimate(x, 2, 1, None), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.decimate(None, 2, 0, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.decimate(x, 2, 0, decimate_options(n=-1)), gnd.ERROR_VALUE, "order is -1")
    refused(lambda: gnd.decimate(x, 2, 0, decimate_options(sos=h, taps=h)), gnd.ERROR_INVALID, "both")
    bad = decimate_options()
    bad.type = 2
    refused(lambda: gnd.decimate(x, 2, 0, bad), gnd.ERROR_INVALID, "type number 2")
