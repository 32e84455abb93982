"""Wavelets and the continuous wavelet transform against their definitions in SciPy 1.14, the last that had them."""

import numpy as np
import pytest
from scipy.signal import convolve

import dtypes
import gnd
from check import refused
from designs import doubles
from test_resample import strided
from values import generator

LENGTHS = (0, 1, 2, 3, 10, 101, 1000)
PAIR = [("complex64", 6e-8), ("complex128", 2e-15)]


def morlet(m, w=5.0, s=1.0, complete=True):
    x = np.linspace(-s * 2 * np.pi, s * 2 * np.pi, m)
    output = np.exp(1j * w * x)
    if complete:
        output -= np.exp(-0.5 * (w**2))
    return output * np.exp(-0.5 * (x**2)) * np.pi ** (-0.25)


def morlet2(m, s, w=5):
    x = (np.arange(0, m) - (m - 1.0) / 2) / s
    return np.sqrt(1 / s) * np.exp(1j * w * x) * np.exp(-0.5 * x**2) * np.pi ** (-0.25)


def ricker(points, a):
    vec = np.arange(0, points) - (points - 1.0) / 2
    xsq, wsq = vec**2, a**2
    return 2 / (np.sqrt(3 * a) * np.pi**0.25) * (1 - xsq / wsq) * np.exp(-xsq / (2 * wsq))


def qmf(hk):
    return hk[::-1] * np.array([{0: 1, 1: -1}[k % 2] for k in range(len(hk))])


def cwt(data, wavelet, widths, **parameters):
    output = np.empty((len(widths), len(data)), complex if wavelet is morlet2 else data.dtype)
    for index, width in enumerate(widths):
        n = np.min([10 * width, len(data)])
        output[index] = convolve(data, np.conj(wavelet(n, width, **parameters)[::-1]), mode="same", method="direct")
    return output


def near(got, want, dtype, tolerance, context):
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    assert np.abs(got.numpy() - want).max(initial=0) <= tolerance * max(1, np.abs(want).max(initial=0)), context


def test_morlet():
    for m in LENGTHS:
        for dtype, tolerance in PAIR:
            for w in (5.0, 0.5, 0.0, -3.0):
                for s in (1.0, 0.3, 4.0):
                    for complete in (True, False):
                        near(gnd.morlet(m, w, s, complete, dtype), morlet(m, w, s, complete), dtype, 5 * tolerance,
                             f"{m} {w} {s} {complete}")
    assert gnd.morlet(3, 5.0, 1.0, True, None).dtype == "complex128"


def test_morlet2():
    for m in LENGTHS:
        for dtype, tolerance in PAIR:
            for s in (1.0, 0.3, 40.0):
                for w in (5.0, 0.0, -2.5):
                    near(gnd.morlet2(m, s, w, dtype), morlet2(m, s, w), dtype, tolerance * 20, f"{m} {s} {w}")
    assert gnd.morlet2(3, 5.0, 1.0, None).dtype == "complex128"


def test_ricker():
    for m in LENGTHS:
        for dtype, tolerance in [("float32", 6e-8), ("float64", 1e-15)]:
            for a in (0.5, 4.0, 100.0):
                near(gnd.ricker(m, a, dtype), ricker(m, a), dtype, 2 * tolerance, f"{m} {a}")
    assert gnd.ricker(3, 5.0, None).dtype == "float64"


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_qmf(dtype):
    g = generator("qmf", dtype)
    for n in (0, 1, 2, 7, 8):
        a, x = strided(g, (n,), dtype)
        floating = dtype in dtypes.COMPLEX or dtype.startswith(("float", "bfloat"))
        want = qmf(dtypes.wide(x) if floating or dtype == "uint64" else x.astype("int64"))
        got = gnd.qmf(a)
        assert got.dtype == (dtype if floating else "float64" if dtype == "uint64" else "int64")
        mine = dtypes.wide(got.numpy()) if floating else got.numpy()
        assert np.array_equal(mine, want, equal_nan=True), f"{dtype} {n}"


def test_wavelets_refuse():
    refused(lambda: gnd.morlet(-1, 5, 1, True, None), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.morlet2(3, 5, 1, "float64"), gnd.ERROR_DTYPE, "complex64 or complex128, not float64")
    refused(lambda: gnd.ricker(3, 5, "complex64"), gnd.ERROR_DTYPE, "float32 or float64, not complex64")
    refused(lambda: gnd.qmf(None), gnd.ERROR_INVALID, "'hk' is NULL")
    refused(lambda: gnd.qmf(gnd.zeros((2, 2), None)), gnd.ERROR_SHAPE, "one dimension")


# ---- the transform ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16", "complex128", "complex64", "float16"])
def test_cwt(dtype):
    g = generator("cwt", dtype)
    single = dtype in ("float32", "complex64", "float16")
    for n in (1, 2, 5, 64, 333):
        for widths in ([1], [1, 2, 3], [0.05, 2.5, 7.75], list(range(1, 31)), [400.0, 3]):
            a, x = strided(g, (n,), dtype)
            if dtype == "float16":
                a, x = gnd.clip(a, -100, 100), np.clip(dtypes.wide(x), -100, 100)
            x = dtypes.wide(x).astype("complex128" if "complex" in dtype else "float64")
            for kind, wavelet, parameters in [(gnd.WAVELET_RICKER, ricker, {}), (gnd.WAVELET_MORLET2, morlet2, {}),
                                              (gnd.WAVELET_MORLET2, morlet2, {"w": 3.0})]:
                want = cwt(x, wavelet, widths, **parameters)
                names = ("complex128", "complex64") if np.iscomplexobj(want) else ("float64", "float32")
                name = names[single]
                size = np.abs(x).max() * np.sqrt(n) / max(1, np.abs(want).max())
                near(gnd.cwt(a, kind, *doubles(widths), parameters.get("w", 0.0)), want, name,
                     (2e-6 if single else 1e-14) * max(1, size), f"{dtype} {n} {widths} {wavelet.__name__}")


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex64", "complex128"])
def test_cwt_of_long_signals(dtype):
    """Several tiles of a GPU's transforms, an odd number of wavelets, and wavelets too long for tiles."""
    g = generator("long cwt", dtype)
    for n, widths in ((4097, [3, 30.5, 60]), (9001, [1]), (5000, [2, 102.4]), (6000, [150, 210]), (5000, [480, 1])):
        a, x = strided(g, (n,), dtype)
        x = dtypes.wide(x)
        for kind, wavelet in ((gnd.WAVELET_RICKER, ricker), (gnd.WAVELET_MORLET2, morlet2)):
            want = cwt(x.astype("complex128") if "complex" in dtype else x, wavelet, widths)
            single = dtype in ("float32", "complex64")
            name = (("complex128", "complex64") if np.iscomplexobj(want) else ("float64", "float32"))[single]
            size = np.abs(x).max() * np.sqrt(n) / max(1, np.abs(want).max())
            near(gnd.cwt(a, kind, *doubles(widths), 0.0), want, name, (2e-6 if single else 1e-14) * max(1, size),
                 f"{dtype} {n} {widths} {wavelet.__name__}")


def test_cwt_refuses():
    x = gnd.from_numpy(np.arange(8.0))
    refused(lambda: gnd.cwt(None, 0, *doubles([1]), 0), gnd.ERROR_INVALID, "'data' is NULL")
    refused(lambda: gnd.cwt(x, 0, 1, None, 0), gnd.ERROR_INVALID, "'widths' is NULL")
    refused(lambda: gnd.cwt(x, 2, *doubles([1]), 0), gnd.ERROR_INVALID, "wavelet number 2")
    refused(lambda: gnd.cwt(x, 0, 0, doubles([1])[1], 0), gnd.ERROR_VALUE, "0 widths")
    refused(lambda: gnd.cwt(x, 0, *doubles([1, 0]), 0), gnd.ERROR_VALUE, "unlike 0")
    refused(lambda: gnd.cwt(x, 0, *doubles([np.nan]), 0), gnd.ERROR_VALUE, "nan")
    refused(lambda: gnd.cwt(gnd.zeros((2, 2), None), 0, *doubles([1]), 0), gnd.ERROR_SHAPE, "one dimension")
    refused(lambda: gnd.cwt(gnd.zeros((0,), None), 0, *doubles([1]), 0), gnd.ERROR_SHAPE, "an element")
