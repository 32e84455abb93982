"""Convolution and correlation in several dimensions against SciPy: modes, borders, methods, dtypes, strides."""

import itertools

import numpy as np
import pytest
import scipy.signal as ss

import fused
import gnd

MODES = {"full": gnd.FULL, "same": gnd.SAME, "valid": gnd.VALID}
BOUNDARIES = {"fill": gnd.BOUNDARY_FILL, "wrap": gnd.BOUNDARY_WRAP, "symm": gnd.BOUNDARY_SYMM}
METHODS = {"direct": gnd.CONVOLVE_DIRECT, "fft": gnd.CONVOLVE_FFT, "auto": gnd.CONVOLVE_AUTO}
g = np.random.default_rng(0)


def values(shape, dtype):
    x = g.integers(-9, 10, shape) if np.dtype(dtype).kind in "iu" else g.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        x = x + 1j * g.standard_normal(shape)
    return np.asarray(x).astype(dtype)


def near(got, want, context):
    got = got.numpy()
    assert got.shape == want.shape and got.dtype == want.dtype, (context, got.shape, want.shape, got.dtype, want.dtype)
    if want.dtype.kind in "biu":
        assert np.array_equal(got, want), context
    elif want.size:
        bound = np.abs(want).max() * (2e-6 if want.dtype in (np.float32, np.complex64) else 1e-13)
        assert np.abs(got - want).max() <= bound + 1e-30, (context, np.abs(got - want).max(), bound)


def options(boundary, fill=None):
    chosen = gnd.STRUCTS["gnd_convolve2d_options"]()
    chosen.boundary = BOUNDARIES[boundary]
    if fill is not None:
        chosen.fill = gnd.arg(fill)
    return chosen


TWO = {"convolve2d": (gnd.function("gnd_convolve2d"), ss.convolve2d),
       "correlate2d": (gnd.function("gnd_correlate2d"), ss.correlate2d)}
SHAPES = [((7, 9), (3, 3)), ((5, 6), (2, 4)), ((1, 1), (1, 1)), ((40, 150), (9, 6)), ((3, 4), (5, 7)),
          ((130, 3), (1, 2)), ((70, 140), (12, 17)), ((4, 4), (4, 4)), ((1, 300), (1, 5))]


@pytest.mark.parametrize("name, mode, boundary", list(itertools.product(TWO, MODES, BOUNDARIES)))
def test_matrices(name, mode, boundary):
    ours, scipys = TWO[name]
    for shape, taps in SHAPES:
        if mode == "valid" and not (np.all(np.less_equal(taps, shape)) or np.all(np.less_equal(shape, taps))):
            continue
        for dtype in ("float64", "float32", "complex128", "complex64", "int32", "int64", "uint8", "int16"):
            x, k = values(shape, dtype), values(taps, dtype)
            near(ours(gnd.from_numpy(x), gnd.from_numpy(k), MODES[mode], options(boundary)),
                 scipys(x, k, mode, boundary), (name, mode, boundary, shape, taps, dtype))


@pytest.mark.parametrize("name", TWO)
def test_fill_mixed_dtypes_and_views(name):
    ours, scipys = TWO[name]
    x, k = values((9, 12), "float32"), values((4, 3), "float32")
    near(ours(gnd.from_numpy(x), gnd.from_numpy(k), gnd.SAME, options("fill", 2.5)), scipys(x, k, "same", "fill", 2.5),
         "fill")
    i, j = values((5, 5), "int32"), values((3, 3), "int32")
    near(ours(gnd.from_numpy(i), gnd.from_numpy(j), gnd.FULL, options("fill", 3)), scipys(i, j, "full", "fill", 3),
         "whole")
    near(ours(gnd.from_numpy(i.astype("int16")), gnd.from_numpy(k), gnd.FULL, None),
         scipys(i.astype("int16"), k, "full"), "mixed")
    near(ours(gnd.from_numpy(x), gnd.from_numpy(k.astype("complex64") * 1j), gnd.SAME, None),
         scipys(x, k.astype("complex64") * 1j, "same"), "complex taps")
    for view in ("::-1, ::2", "1:, ::-3", "::2, 3:"):
        cut = eval(f"np.s_[{view}]")  # noqa: S307
        turned = gnd.slice(gnd.from_numpy(k), "::-1, ::-1")
        near(ours(gnd.slice(gnd.from_numpy(x), view), turned, gnd.FULL, options("symm")),
             scipys(x[cut], k[::-1, ::-1], "full", "symm"), view)
    near(ours(gnd.transpose(gnd.from_numpy(x)), gnd.from_numpy(k), gnd.SAME, None), scipys(x.T, k, "same"),
         "transposed")


def test_infinite_elements_meet_taps_alone():
    x = np.ones((20, 140))
    x[10, 70] = np.inf
    k = np.ones((3, 5))
    got = gnd.function("gnd_convolve2d")(gnd.from_numpy(x), gnd.from_numpy(k), gnd.SAME, None).numpy()
    assert np.array_equal(got, ss.convolve2d(x, k, "same"))
    k[1, 2] = np.inf
    with np.errstate(invalid="ignore"):
        want = ss.convolve2d(np.ones((4, 6)), k, "full")  # zeros beyond the edge meet the infinite tap
    got = gnd.function("gnd_convolve2d")(gnd.from_numpy(np.ones((4, 6))), gnd.from_numpy(k), gnd.FULL, None).numpy()
    inside = np.s_[1:-1, 2:-2]  # beyond the edge SciPy leaves products with zeros out
    assert np.array_equal(got[inside], want[inside])


def test_half_and_bool():
    x, k = values((6, 7), "float16"), values((3, 2), "float16")
    want = ss.convolve2d(x.astype("float32"), k.astype("float32"), "same").astype("float16")
    got = gnd.function("gnd_convolve2d")(gnd.from_numpy(x), gnd.from_numpy(k), gnd.SAME, None).numpy()
    assert got.dtype == np.float16 and np.allclose(got, want, atol=4e-3)
    p, q = g.random((6, 7)) < 0.3, g.random((3, 2)) < 0.5
    got = gnd.function("gnd_convolve2d")(gnd.from_numpy(p), gnd.from_numpy(q), gnd.FULL, None).numpy()
    assert np.array_equal(got, ss.convolve2d(p.astype(int), q.astype(int)) > 0)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int32", "int64", "int16"])
def test_long_lines(dtype):
    """Several thousand outputs, which are computed from x and stored without copies where no border is near."""
    ours = gnd.function("gnd_convolve_nd")
    for shape, taps in [((9000,), (5,)), ((4200,), (700,)), ((3, 5000), (1, 4)), ((5000, 3), (1, 2)), ((4096,), (1,))]:
        x, k = values(shape, dtype), values(taps, dtype)
        for mode in MODES:
            near(ours(gnd.from_numpy(x), gnd.from_numpy(k), MODES[mode], gnd.CONVOLVE_DIRECT),
                 ss.convolve(x, k, mode, "direct"), (mode, shape, taps, dtype))
        every = gnd.slice(gnd.from_numpy(np.repeat(x, 2, -1)), "..., ::2")
        near(ours(every, gnd.from_numpy(k), gnd.SAME, gnd.CONVOLVE_DIRECT), ss.convolve(x, k, "same", "direct"), "step")


def test_large_taps():
    x, k = values((150, 170), "float64"), values((120, 130), "float64")
    near(gnd.function("gnd_convolve2d")(gnd.from_numpy(x), gnd.from_numpy(k), gnd.FULL, None), ss.fftconvolve(x, k),
         "large")


ND = {"convolve": (gnd.function("gnd_convolve_nd"), ss.convolve),
      "correlate": (gnd.function("gnd_correlate_nd"), ss.correlate)}


@pytest.mark.parametrize("name, mode, method", list(itertools.product(ND, MODES, METHODS)))
def test_any_dimensions(name, mode, method):
    ours, scipys = ND[name]
    for shape, taps in [((9,), (4,)), ((4,), (9,)), ((6, 5), (3, 2)), ((5, 6, 4), (2, 3, 3)),
                        ((3, 4, 2, 5), (2, 2, 2, 3)), ((200,), (31,)), ((2, 3), (3, 5)), ((1,), (1,))]:
        if mode == "valid" and not (np.all(np.less_equal(taps, shape)) or np.all(np.less_equal(shape, taps))):
            continue
        for dtype in ("float64", "float32", "complex128", "int64", "uint8"):
            x, k = values(shape, dtype), values(taps, dtype)
            how = "direct" if dtype == "uint8" else method  # SciPy's rounding of integers that wrap is its own
            got = ours(gnd.from_numpy(x), gnd.from_numpy(k), MODES[mode], METHODS[how])
            want = scipys(x, k, mode, how)
            if dtype == "float32":
                want = scipys(x.astype(float), k.astype(float), mode, "direct").astype(dtype)
            near(got, want, (name, mode, how, shape, taps, dtype))


def test_methods_and_lags():
    choose = gnd.function("gnd_choose_conv_method")
    small, large = gnd.from_numpy(values((8, 8), "float64")), gnd.zeros((512, 512), "float64")
    assert choose(small, small, gnd.FULL) == gnd.CONVOLVE_DIRECT
    assert choose(large, large, gnd.FULL) == gnd.CONVOLVE_FFT
    whole = gnd.zeros((512, 512), "int64")
    assert choose(whole, whole, gnd.FULL) == gnd.CONVOLVE_DIRECT
    for dtype in ("float32", "float64", "complex64", "complex128"):
        for shape, few, many in [((1 << 20,), (3,), (1 << 19,)), ((1024, 1024), (3, 3), (512, 512))]:
            x = gnd.zeros(shape, dtype)
            assert choose(x, gnd.zeros(few, dtype), gnd.SAME) == gnd.CONVOLVE_DIRECT, (dtype, few)
            assert choose(x, gnd.zeros(many, dtype), gnd.SAME) == gnd.CONVOLVE_FFT, (dtype, many)
    for n, m, mode in itertools.product((1, 2, 5, 8), (1, 3, 4, 8), MODES):
        want = ss.correlation_lags(n, m, mode).astype("int64")
        near(gnd.function("gnd_correlation_lags")(n, m, MODES[mode]), want, (n, m, mode))


def test_zero_dimensions_and_empty():
    nd = ND["convolve"][0]
    assert nd(gnd.from_numpy(np.float64(3)), gnd.from_numpy(np.float64(2)), gnd.FULL, gnd.CONVOLVE_AUTO).numpy() == 6
    got = TWO["convolve2d"][0](gnd.zeros((3, 2), "float32"), gnd.zeros((0, 1), "float32"), gnd.FULL, None)
    near(got, ss.convolve2d(np.zeros((3, 2), "float32"), np.zeros((0, 1), "float32")), "empty")


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "int16"])
def test_separable(dtype):
    x = values((30, 41), dtype)
    row, column = np.array([1.0, 3, 2, 0.5, -1]), np.array([0.25, 0.5, -0.1])
    want = ss.sepfir2d(x.astype("complex128" if dtype == "complex64" else "float64"), row, column)
    got = gnd.function("gnd_sepfir2d")(gnd.from_numpy(x), gnd.from_numpy(row), gnd.from_numpy(column)).numpy()
    assert np.abs(got - want).max() <= np.abs(want).max() * 1e-5


@pytest.mark.parametrize("call, words", [
    (lambda x, y: TWO["convolve2d"][0](x, gnd.zeros((3,), "float64"), gnd.FULL, None), "two dimensions"),
    (lambda x, y: TWO["convolve2d"][0](x, gnd.zeros((2, 9), "float64"), gnd.VALID, None), r"\(4, 5\) and \(2, 9\)"),
    (lambda x, y: TWO["convolve2d"][0](x, y, 7, None), "no mode number 7"),
    (lambda x, y: TWO["convolve2d"][0](x, y, gnd.FULL, options("fill", 1j)), "fill value is complex"),
    (lambda x, y: TWO["convolve2d"][0](gnd.ones((2, 2), "int32"), gnd.ones((2, 2), "int32"), gnd.FULL,
                                       options("fill", float("nan"))), "fill value is nan"),
    (lambda x, y: ND["convolve"][0](x, gnd.zeros((3,), "float64"), gnd.FULL, gnd.CONVOLVE_AUTO), "as many dimensions"),
    (lambda x, y: ND["correlate"][0](x, y, gnd.FULL, 9), "no method number 9"),
    (lambda x, y: gnd.function("gnd_correlation_lags")(0, 3, gnd.FULL), "at least 1"),
    (lambda x, y: gnd.function("gnd_sepfir2d")(x, gnd.zeros((2,), "float64"), gnd.zeros((3,), "float64")),
     "odd number"),
])
def test_refused(call, words):
    with pytest.raises(gnd.Error, match=words):
        call(gnd.from_numpy(values((4, 5), "float64")), gnd.from_numpy(values((2, 2), "float64")))


def test_operands_that_a_block_has_not_computed_yet():
    x, k = values((240, 230), "float64"), values((3, 4), "float64")
    with fused.Block() as block:
        pending = gnd.add(gnd.multiply(gnd.from_numpy(x), 2), 1)
        made = block.keep(TWO["convolve2d"][0](pending, gnd.add(gnd.from_numpy(k), 1), gnd.SAME, None))
    near(made, ss.convolve2d(2 * x + 1, k + 1, "same"), "pending")


def test_no_memory():
    """Each allocation fails once: an error and no result, and the next call works."""
    fail_at = gnd.lib.gndi_fail_alloc_at
    x, k = gnd.from_numpy(values((40, 30), "float32")), gnd.from_numpy(values((3, 3), "float32"))
    want = TWO["convolve2d"][0](x, k, gnd.FULL, None).numpy()
    for number in range(1, 8):
        fail_at(number)
        try:
            got = TWO["convolve2d"][0](x, k, gnd.FULL, None)
        except gnd.Error as error:
            assert error.message.startswith("gnd_convolve2d: "), error
        else:
            fail_at(0)
            assert np.array_equal(got.numpy(), want)
        fail_at(0)
