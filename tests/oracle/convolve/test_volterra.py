"""Filters of the second and the third order (cuSignal's convolve1d2o and convolve1d3o, which SciPy has not) against
their sums written out in NumPy."""

import itertools

import numpy as np
import pytest

import dtypes
import gnd
from check import refused
from test_faults import run_with_failures
from test_resample import values
from values import generator

SHAPES = [(40, (3, 5)), (40, (5, 3)), (1, (1, 1)), (17, (17, 17)), (3000, (16, 16)), (1500, (4, 1)), (90, (1, 9)),
          (40, (3, 4, 5)), (40, (5, 1, 2)), (9, (9, 9, 9)), (2100, (4, 8, 6)), (1, (1, 1, 1)), (700, (2, 33, 3))]


def reference(x, h):
    """sum of x[i + A - 1 - a] x[i + B - 1 - b] ... h[a, b, ...], one product after the other."""
    count = len(x) - max(h.shape) + 1
    out = np.zeros(count, x.dtype)
    with np.errstate(all="ignore"):
        for index in itertools.product(*map(range, h.shape)):
            product = np.full(count, h[index])
            for size, k in zip(h.shape, index):
                product = product * x[size - 1 - k:size - 1 - k + count]
            out += product
    return out


def call(x, h):
    return gnd.function(f"gnd_convolve1d{h.ndim}o")(gnd.from_numpy(x), gnd.from_numpy(h))


@pytest.mark.parametrize("n,shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_floating(n, shape, dtype):
    g = generator("volterra", n, shape, dtype)
    x, h = values(g, (n,), dtype), values(g, shape, dtype)
    wide = "complex128" if dtype in dtypes.COMPLEX else "float64"
    want, got = reference(x.astype(wide), h.astype(wide)), call(x, h).numpy()
    assert got.shape == want.shape and got.dtype == dtype
    size = reference(np.abs(x).astype("float64"), np.abs(h).astype("float64"))
    assert (np.abs(got - want) <= size * (4e-6 if dtype in ("float32", "complex64") else 1e-14)).all()


@pytest.mark.parametrize("n,shape", SHAPES)
def test_integers_wrap_around(n, shape):
    g = generator("volterra", n, shape)
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        info = np.iinfo(dtype)
        x = g.integers(info.min, info.max, n, dtype, endpoint=True)
        h = g.integers(info.min, info.max, shape, dtype, endpoint=True)
        got = call(x, h).numpy()
        assert got.dtype == dtype and (got == reference(x, h)).all(), dtype


def test_other_dtypes_and_views():
    g = generator("volterra dtypes")
    x, h = g.random(80) < 0.4, g.random((3, 4)) < 0.5
    want = np.array([any(h[a, b] & x[i + 2 - a] & x[i + 3 - b] for a in range(3) for b in range(4))
                     for i in range(77)])
    got = call(x, h).numpy()
    assert got.dtype == bool and (got == want).all()
    x, h = values(g, (90,), "float32"), values(g, (4, 6), "float64")
    assert call(x, h).numpy().dtype == np.float64
    x16, h16 = x.astype("float16"), h.astype("float16")
    want = reference(x16.astype("float64"), h16.astype("float64"))
    got = call(x16, h16).numpy()
    assert got.dtype == np.float16 and np.abs(got - want).max() < 4e-3 * np.abs(want).max()
    for order, shape in ((2, (6, 8)), (3, (4, 6, 8))):
        h = values(g, shape, "float64")
        line, taps = gnd.from_numpy(x.astype("float64"))["::-2"], gnd.from_numpy(h)["..., ::-1, ::2"]
        got = gnd.function(f"gnd_convolve1d{order}o")(line, gnd.swapaxes(taps, -1, -2)).numpy()
        want = reference(x[::-2].astype("float64"), np.swapaxes(h[..., ::-1, ::2], -1, -2))
        assert np.allclose(got, want, rtol=1e-12, atol=1e-12)


def test_long_rows():
    """Longer than what a GPU keeps of the taps, and of the elements."""
    g = generator("volterra long")
    for n, shape in ((6000, (3, 5000)), (31000, (2, 30000)), (400, (300, 300)), (150, (40, 40, 40))):
        x, h = values(g, (n,), "float64"), values(g, shape, "float64")
        count = n - max(shape) + 1
        windows = [np.lib.stride_tricks.sliding_window_view(x, size)[:count, ::-1] for size in shape]
        names = "abc"[:len(shape)]
        want = np.einsum(",".join("i" + c for c in names) + "," + names + "->i", *windows, h, optimize=True)
        got = call(x, h).numpy()
        assert np.abs(got - want).max() <= 1e-11 * np.abs(want).max(), shape


def test_a_product_that_is_not_there_is_no_nan():
    x = np.ones(50, "float32")
    x[30] = np.inf
    got = call(x, np.ones((3, 5), "float32")).numpy()
    assert np.isinf(got[26:31]).all() and (got[:26] == 15).all() and (got[31:] == 15).all()


def test_refused():
    x = gnd.zeros(20, "float32")

    def two(a, h):
        return gnd.convolve1d2o(a, h)

    refused(lambda: two(x, gnd.zeros(3, "float32")), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: two(gnd.zeros((2, 9), "float32"), gnd.zeros((2, 2), "float32")), gnd.ERROR_SHAPE, "(2, 9)")
    refused(lambda: gnd.convolve1d3o(x, gnd.zeros((2, 2), "float32")), gnd.ERROR_SHAPE, "(2, 2)")
    refused(lambda: two(x, gnd.zeros((2, 21), "float32")), gnd.ERROR_SHAPE, "20 elements", "21")
    refused(lambda: two(x, gnd.zeros((0, 2), "float32")), gnd.ERROR_VALUE, "(0, 2)")
    refused(lambda: two(None, x), gnd.ERROR_INVALID, "NULL")
    refused(lambda: gnd.convolve1d3o(x, None), gnd.ERROR_INVALID, "NULL")


def test_no_memory():
    for shape in ((3, 4), (2, 3, 4)):
        run_with_failures(lambda: call(np.ones(60, "float32"), np.ones(shape, "int16")))
