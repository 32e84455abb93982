"""Lines of a batch by themselves: a NaN, an infinity or a large number in a line reaches no other line, and what lies
beside a line changes none of its result's bits. cuFFT does not hold this for real lines of odd numbers of elements,
which it transforms two at a time."""

import numpy as np
import pytest

import gnd
from values import generator

LENGTHS = [3, 15, 17, 23, 25, 27, 29, 31, 33, 37, 39, 51, 57, 63, 65, 77, 121, 255, 1000, 1001, 3001, 4097]
OTHERS = (np.nan, np.inf, 1e30)


def operands(kind, n, dtype, g):
    x = g.standard_normal((5, n // 2 + 1 if kind == "bins" else n)).astype(dtype)
    return x + 1j * g.standard_normal(x.shape).astype(dtype) if kind == "bins" else x


def hold(function, x, context):
    alone = function(gnd.from_numpy(x)).numpy()
    for other in OTHERS:
        y = x.copy()
        y[1::2] = other
        got = function(gnd.from_numpy(y)).numpy()
        assert got[::2].tobytes() == alone[::2].tobytes(), f"{context} beside {other}"


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("name", ["rfft", "ihfft", "irfft", "hfft"])
def test_real_lines(name, n):
    kind = "bins" if name in ("irfft", "hfft") else "samples"
    for dtype in ("float32", "float64"):
        x = operands(kind, n, dtype, generator("lines", name, n, dtype))
        transform = gnd.function("gnd_" + name)
        hold(lambda a: transform(a, n, 1, gnd.FFT_BACKWARD), x, f"{name} of {n} {dtype}")
        assert np.allclose(transform(gnd.from_numpy(x), n, 1, gnd.FFT_ORTHO).numpy(),
                           getattr(np.fft, name)(x, n, 1, "ortho"), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("name", ["dct", "idct", "dst", "idst"])
def test_cosines_and_sines(name, n):
    for dtype in ("float32", "float64"):
        x = operands("samples", n, dtype, generator("lines", name, n, dtype))
        transform = gnd.function("gnd_" + name)
        for kind in (2, 3):
            hold(lambda a: transform(a, kind, -1, 1, gnd.FFT_BACKWARD, 0), x, f"{name} {kind} of {n} {dtype}")


@pytest.mark.parametrize("shape", [(3, 6, 65), (3, 5, 1001), (4, 7, 77)])
def test_real_pictures(shape):
    """Pictures whose rows have odd numbers of elements, and as columns of an array."""
    x = generator("pictures", *shape).standard_normal(shape).astype("float32")
    hold(lambda a: gnd.rfft2(a, shape[1:], None, gnd.FFT_BACKWARD), x, f"rfft2 of {shape}")
    hold(lambda a: gnd.irfft2(gnd.rfft2(a, shape[1:], None, gnd.FFT_BACKWARD), shape[1:], None, gnd.FFT_BACKWARD), x,
         f"irfft2 of {shape}")
    y = np.ascontiguousarray(x.transpose(0, 2, 1))
    hold(lambda a: gnd.rfft(a, -1, 1, gnd.FFT_BACKWARD), y, f"rfft along axis 1 of {y.shape}")
    got = gnd.rfft(gnd.from_numpy(y), -1, 1, gnd.FFT_FORWARD).numpy()
    assert np.allclose(got, np.fft.rfft(y, axis=1, norm="forward"), rtol=1e-4, atol=1e-5)
