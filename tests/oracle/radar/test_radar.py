"""Radar functions against NumPy, written from their definitions: every option, dtypes, strides, and what is refused."""

import ctypes
import math

import numpy as np
import pytest

import dtypes
import gnd
from check import refused
from test_resample import options, strided, values
from values import generator

COMPLEX = {name: "complex64" if name in ("float16", "bfloat16", "float32", "complex64") else "complex128"
           for name in dtypes.NAMES}
REAL = {"complex64": "float32", "complex128": "float64"}
FLOATING = ("float32", "float64", "complex64", "complex128")


def near(got, want, dtype, context, bound=1):
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    allowed = bound * (4e-6 if dtype in ("float32", "complex64") else 1e-13) * np.abs(want).max(initial=1e-3)
    error = np.abs(got.numpy() - want).max(initial=0)
    assert error <= allowed, f"{context}: off by {error}, more than {allowed}"


def wide(x):
    """In complex128 or float64."""
    x = dtypes.wide(x)
    return x.astype("complex128" if np.iscomplexobj(x) else "float64")


# ---- pulses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_pulse_compression(dtype):
    g = generator("pulse_compression", dtype)
    for shape, taps in (((6, 50), 9), ((1, 16), 16), ((40,), 7), ((2, 3, 30), 12), ((0, 8), 3), ((3, 4), 9)):
        for normalize in (False, True):
            for windowed in (False, True):
                for nfft in (0, shape[-1] + 13, 5):
                    x, x_values = strided(g, shape, dtype)
                    p, p_values = strided(g, (taps,), dtype)
                    w = g.random(taps) + 0.5
                    template = wide(p_values) * (w if windowed else 1)
                    norm = np.linalg.norm(template)
                    if normalize and norm == 0:
                        continue
                    template = template / norm if normalize else template
                    n = nfft or shape[-1]
                    want = np.fft.ifft(np.fft.fft(wide(x_values), n) * np.fft.fft(template, n).conj(), n)
                    kept = gnd.from_numpy(w)
                    o = options("gnd_pulse_options", normalize=normalize, nfft=nfft,
                                window=kept.pointer if windowed else None)
                    got = gnd.pulse_compression(x, p, o)
                    near(got, want, COMPLEX[dtype], (shape, taps, normalize, windowed, nfft))


def test_pulses_of_many_slices():
    """More rows, and columns, than a slice has."""
    g = generator("slices")
    x, p, w = values(g, (70, 3000), "complex64"), values(g, (100,), "complex64"), g.random(70) + 0.5
    want = np.fft.ifft(np.fft.fft(wide(x)) * np.fft.fft(wide(p), 3000).conj())
    near(gnd.pulse_compression(gnd.from_numpy(x), gnd.from_numpy(p), None), want, "complex64", "compression")
    want = np.fft.fft(wide(x) * w[:, None], axis=0)
    near(gnd.pulse_doppler(gnd.from_numpy(x), gnd.from_numpy(w), 0), want, "complex64", "doppler")


@pytest.mark.parametrize("bits", [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 19])
def test_pulse_compression_of_every_length(bits):
    """Transforms of all lengths that a GPU has kernels for: whole lines, cut ones and, of short ones, padded ones."""
    g = generator("compression", bits)
    n = 1 << bits
    for shape in ((2, n), (3, 2, n + 5), (1, n - 7)):
        x, p = values(g, shape, "complex64"), values(g, (min(n, 50),), "complex64")
        want = np.fft.ifft(np.fft.fft(wide(x), n) * np.fft.fft(wide(p), n).conj(), n)
        got = gnd.pulse_compression(gnd.from_numpy(x), gnd.from_numpy(p), options("gnd_pulse_options", nfft=n))
        near(got, want, "complex64", (bits, shape))


@pytest.mark.parametrize("dtype, n, taps", [
    ("complex64", 65536, 4096), ("complex64", 8200, 7), ("complex64", 30000, 8192), ("complex64", 30001, 8193),
    ("complex64", 12289, 4096), ("complex64", 12290, 4096), ("complex64", 8192, 8192),
    ("complex128", 9000, 1000), ("complex128", 2100, 1), ("complex128", 3097, 1000), ("complex128", 3098, 1000),
    ("complex128", 6001, 2048), ("complex128", 6001, 2049), ("complex128", 2048, 3000),
    ("complex64", 16385, 4096), ("complex64", 16386, 4096), ("complex128", 3090, 1000), ("complex128", 7200, 1000),
    ("complex128", 7225, 1000), ("complex128", 7226, 1000)]) # tiles of two lines, and lines just beyond
def test_pulse_compression_by_tiles(dtype, n, taps):
    """Lines that a GPU compresses in overlapping tiles, and lines and pulses just beyond: whole, cut and padded ones,
    windows and norms, lines of an array in another order, and enough tiles that each block has several."""
    g = generator("tiles", dtype, n, taps)
    p = values(g, (taps,), dtype)
    spectrum = np.fft.fft(wide(p), n).conj()
    for shape in ((150, n), (2, 3, n + 3), (5, n - 9)):
        x = values(g, shape, dtype)
        want = np.fft.ifft(np.fft.fft(wide(x), n) * spectrum, n)
        got = gnd.pulse_compression(gnd.from_numpy(x), gnd.from_numpy(p), options("gnd_pulse_options", nfft=n))
        near(got, want, dtype, shape)
    w, x = g.random(taps) + 0.5, values(g, (n, 3), dtype)
    template = wide(p) * w
    want = np.fft.ifft(np.fft.fft(wide(x).T) * np.fft.fft(template / np.linalg.norm(template), n).conj())
    kept = gnd.from_numpy(w)
    o = options("gnd_pulse_options", normalize=True, window=kept.pointer)
    near(gnd.pulse_compression(gnd.transpose(gnd.from_numpy(x)), gnd.from_numpy(p), o), want, dtype, "columns")


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_pulse_doppler(dtype):
    g = generator("pulse_doppler", dtype)
    for shape in ((8, 20), (1, 1), (64, 33), (2, 12, 5), (5, 0), (3, 0, 4)):
        for windowed in (False, True):
            for nfft in (0, 20, 6):
                x, x_values = strided(g, shape, dtype)
                pulses, n = shape[-2], nfft or shape[-2]
                if n == 0:
                    continue
                w = g.random(pulses) + 0.5
                product = wide(x_values) * (w[:, None] if windowed else 1)
                want = np.fft.fft(product, n, axis=-2) if pulses else np.zeros((3, n, 4), "complex128")
                got = gnd.pulse_doppler(x, gnd.from_numpy(w) if windowed else None, nfft)
                near(got, want, COMPLEX[dtype], (shape, windowed, nfft))


@pytest.mark.parametrize("bits", [5, 6, 7, 8, 9, 10, 11, 12, 13])
def test_pulse_doppler_with_window(bits):
    """Columns that a GPU multiplies as it loads them: several matrices, cut and padded columns, rows that are apart."""
    g = generator("doppler window", bits)
    n = 1 << bits
    for shape in ((n, 70), (2, 3, n, 65), (n + 3, 64), (n - 3, 81)):
        x, w = values(g, shape, "complex64"), g.random(shape[-2]).astype("float32") - 0.4
        kept = gnd.from_numpy(np.repeat(w, 2))
        want = np.fft.fft(wide(x) * w[:, None], n, axis=-2)
        for window in (gnd.from_numpy(w), gnd.slice(kept, "::2"), gnd.from_numpy(w + 1j * w)):
            factor = 1 + 1j if window.dtype.startswith("complex") else 1
            near(gnd.pulse_doppler(gnd.from_numpy(x), window, n), want * factor, "complex64", shape)
    x, w = values(g, (n, 150), "complex64"), g.random(n).astype("float32")
    want = np.fft.fft(wide(x)[:, 7:] * w[:, None], axis=0)
    near(gnd.pulse_doppler(gnd.slice(gnd.from_numpy(x), ":, 7:"), gnd.from_numpy(w), 0), want, "complex64", "a part")


@pytest.mark.parametrize("pulses, samples", [(512, 17003), (256, 33001)])
def test_pulse_doppler_of_many_samples(pulses, samples):
    """More than an L2 cache holds, and columns that do not fill the last block."""
    x = values(generator("many samples"), (pulses, samples), "complex64")
    near(gnd.pulse_doppler(gnd.from_numpy(x), None, 0), np.fft.fft(x, axis=0), "complex64", (pulses, samples))
    w = np.hanning(pulses).astype("float32")
    want = np.fft.fft(x * w[:, None], axis=0)
    near(gnd.pulse_doppler(gnd.from_numpy(x), gnd.from_numpy(w), 0), want, "complex64", (pulses, samples, "window"))


def test_pulses_refuse():
    x, p = gnd.from_numpy(np.ones((4, 8))), gnd.from_numpy(np.ones(3))
    long = gnd.from_numpy(np.ones(9))
    refused(lambda: gnd.pulse_compression(x, x, None), gnd.ERROR_SHAPE, "gnd_pulse_compression", "(4, 8)")
    refused(lambda: gnd.pulse_compression(x, gnd.from_numpy(np.ones(0)), None), gnd.ERROR_SHAPE, "(0,)")
    refused(lambda: gnd.pulse_compression(gnd.from_numpy(np.array(1.0)), p, None), gnd.ERROR_SHAPE, "0-d")
    refused(lambda: gnd.pulse_compression(x, p, options("gnd_pulse_options", window=long.pointer)), gnd.ERROR_SHAPE,
            "(9,)", "3")
    refused(lambda: gnd.pulse_compression(x, p, options("gnd_pulse_options", nfft=-2)), gnd.ERROR_VALUE, "-2")
    refused(lambda: gnd.pulse_compression(None, p, None), gnd.ERROR_INVALID, "x")
    refused(lambda: gnd.pulse_doppler(p, None, 0), gnd.ERROR_SHAPE, "gnd_pulse_doppler", "1-d")
    refused(lambda: gnd.pulse_doppler(x, p, 0), gnd.ERROR_SHAPE, "(3,)", "4")
    refused(lambda: gnd.pulse_doppler(x, None, -1), gnd.ERROR_VALUE, "-1")


# ---- ambiguity functions ----------------------------------------------------------------------------------


def delays_of(nx, ny):
    n = 1
    while n < nx + ny - 1:
        n *= 2
    return np.arange(nx + ny - 1) - (ny - 1), n


def column(x, y, turns):
    """The sums at all delays, of a frequency in turns a sample, from the definition."""
    nx, ny = len(x), len(y)
    wave = y * np.exp(2j * np.pi * turns * np.arange(ny))
    delays, _ = delays_of(nx, ny)
    total = np.zeros(len(delays), "complex128")
    for at, delay in enumerate(delays):
        first, last = max(0, -delay), min(ny, nx - delay)
        if first < last:
            total[at] = (wave[first:last] * x[first + delay:last + delay].conj()).sum()
    return np.abs(total)


def surface(x, y):
    x, y = x / np.linalg.norm(x), y / np.linalg.norm(y)
    _, n = delays_of(len(x), len(y))
    return np.stack([column(x, y, (k - n // 2) / n) for k in range(n)], axis=1)


def ambgfun(x, y=None, fs=1.0, cut=gnd.AMBGFUN_2D, value=0.0):
    return gnd.ambgfun(x, y, fs, cut, value)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_ambgfun(dtype):
    g = generator("ambgfun", dtype)
    for nx, ny in ((1, 1), (2, 2), (5, 5), (33, 33), (40, 40), (3, 8), (20, 45), (45, 20), (1, 70)):
        a, x = strided(g, (nx,), dtype)
        b, y = strided(g, (ny,), dtype)
        x, y = wide(x), wide(y)
        if not x.any() or not y.any():
            continue
        real = REAL[COMPLEX[dtype]]
        near(ambgfun(a, b), surface(x, y), real, (nx, ny))
        near(ambgfun(a), surface(x, x), real, nx)


@pytest.mark.parametrize("bits", [6, 7, 8, 9, 10, 11, 12, 13])
def test_ambgfun_of_every_length(bits):
    """Transforms of all lengths that a GPU does itself, and of one more: some rows and columns."""
    g = generator("ambgfun", bits)
    n = 1 << bits
    for nx, ny in ((n // 2, n // 2), (n // 4 + 3, n // 2 - 5)):
        x, y = values(g, (nx,), "complex64"), values(g, (ny,), "complex64")
        for other in ([y, None] if nx == ny else [y]):
            second = x if other is None else other
            got = ambgfun(gnd.from_numpy(x), None if other is None else gnd.from_numpy(other)).numpy()
            assert got.shape == (nx + ny - 1, n) and got.dtype == "float32"
            norms = np.linalg.norm(wide(x)) * np.linalg.norm(wide(second))
            for row in (0, 1, ny // 3, ny - 1, ny, nx + ny - 2):
                delay = row - (ny - 1)
                c = np.arange(max(0, -delay), min(ny, nx - delay))
                line = np.zeros(n, "complex128")
                line[c] = wide(second)[c] * wide(x)[c + delay].conj()
                want = np.abs(np.fft.fftshift(np.fft.ifft(line) * n)) / norms
                assert np.abs(got[row] - want).max() <= 2e-6, (bits, nx, ny, row)


@pytest.mark.parametrize("dtype", FLOATING)
def test_ambgfun_cuts(dtype):
    g = generator("cuts", dtype)
    real = REAL[COMPLEX[dtype]]
    for nx, ny, fs in ((1, 1, 1.0), (7, 7, 50.0), (20, 20, 1e6), (9, 31, 0.25), (31, 9, 3.0)):
        x, y = values(g, (nx,), dtype), values(g, (ny,), dtype)
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        whole = surface(wide(x), wide(y))
        delays, n = delays_of(nx, ny)
        for row in {0, len(delays) // 3, ny - 1, len(delays) - 1}:
            near(ambgfun(a, b, fs, gnd.AMBGFUN_DELAY, delays[row] / fs), whole[row], real, (nx, ny, row), 3)
        for k in {0, n // 3, n // 2, n - 1}:
            near(ambgfun(a, b, fs, gnd.AMBGFUN_DOPPLER, (k - n // 2) * fs / n), whole[:, k], real, (nx, ny, k), 3)
        # Between the columns, and between the samples: x moved by its spectrum.
        one, two = wide(x) / np.linalg.norm(wide(x)), wide(y) / np.linalg.norm(wide(y))
        near(ambgfun(a, b, fs, gnd.AMBGFUN_DOPPLER, 0.1234 * fs), column(one, two, 0.1234), real, (nx, ny), 3)
        part = 0.37
        moved = np.fft.ifft(np.fft.fft(one, n) * np.exp(2j * np.pi * np.fft.fftfreq(n) * part))
        want = np.abs(np.fft.fftshift(np.fft.ifft(np.pad(two, (0, n - ny)) * moved.conj()) * n))
        near(ambgfun(a, b, fs, gnd.AMBGFUN_DELAY, part / fs), want, real, (nx, ny), 3)


def test_ambgfun_known():
    """A rectangle's is a triangle of delays, and a sinc of frequencies; fixed numbers."""
    got = ambgfun(gnd.from_numpy(np.ones(4, "float32")), None).numpy()
    assert got.shape == (7, 8)
    assert np.allclose(got[:, 4], [0.25, 0.5, 0.75, 1, 0.75, 0.5, 0.25], atol=1e-6)
    assert np.allclose(got[3], [0, 0.27059805, 0, 0.65328148, 1, 0.65328148, 0, 0.27059805], atol=1e-6)
    zeros = ambgfun(gnd.from_numpy(np.zeros(40, "complex64"))).numpy()
    assert np.isnan(zeros[39]).any() and zeros.shape == (79, 128)


def test_ambgfun_refuses():
    x = gnd.from_numpy(np.ones(4))
    refused(lambda: ambgfun(gnd.from_numpy(np.ones((2, 2)))), gnd.ERROR_SHAPE, "gnd_ambgfun", "(2, 2)")
    refused(lambda: ambgfun(x, gnd.from_numpy(np.ones(0))), gnd.ERROR_SHAPE, "(0,)")
    refused(lambda: ambgfun(x, x, 0.0), gnd.ERROR_VALUE, "fs is 0")
    refused(lambda: ambgfun(x, x, 1.0, gnd.AMBGFUN_DELAY, math.inf), gnd.ERROR_VALUE, "inf")
    refused(lambda: ambgfun(x, x, 1.0, 3), gnd.ERROR_INVALID, "3")
    refused(lambda: ambgfun(None), gnd.ERROR_INVALID, "x")


# ---- beamformers ------------------------------------------------------------------------------------------


def mvdr(c, v):
    solved = np.linalg.solve(c, v[..., None])[..., 0]
    return solved / (v.conj() * solved).sum(-1, keepdims=True)


def covariance(x):
    x = x - x.mean(-1, keepdims=True)
    return x @ x.conj().swapaxes(-1, -2) / (x.shape[-1] - 1)


@pytest.mark.parametrize("dtype", FLOATING + ("float16", "int32"))
def test_mvdr(dtype):
    g = generator("mvdr", dtype)
    result = dtype if dtype in FLOATING else {"float16": "float32", "int32": "float64"}[dtype]
    for sensors, samples in ((1, 5), (2, 30), (7, 100), (8, 57), (9, 56), (33, 300), (64, 2000), (70, 1500)):
        a, x = strided(g, (sensors, samples), dtype)
        b, v = strided(g, (sensors,), dtype)
        if not v.any():
            continue
        near(gnd.mvdr(a, b, False), mvdr(covariance(wide(x)), wide(v)), result, (sensors, samples), 100)


def test_mvdr_of_large_means():
    """Signals far from zero keep their digits."""
    g = generator("means")
    x = (values(g, (16, 4000), "complex64") + np.arange(16)[:, None] * 100).astype("complex64")
    v = values(g, (16,), "complex64")
    got = gnd.mvdr(gnd.from_numpy(x), gnd.from_numpy(v), False)
    near(got, mvdr(covariance(wide(x)), wide(v)), "complex64", "means", 400)


def test_mvdr_of_many():
    g = generator("many")
    x, v = values(g, (3, 2, 5, 40), "complex128"), values(g, (2, 5), "complex128")
    c = covariance(x)
    for steering in (v, v[0]):
        want = mvdr(c, np.broadcast_to(steering, (3, 2, 5)))
        a = gnd.from_numpy(np.ascontiguousarray(steering))
        near(gnd.mvdr(gnd.from_numpy(x), a, False), want, "complex128", steering.shape, 100)
        near(gnd.mvdr(gnd.from_numpy(c), a, True), want, "complex128", steering.shape, 100)
    near(gnd.mvdr(gnd.from_numpy(c[0, 0]), gnd.from_numpy(v), True), mvdr(c[0, 0], v), "complex128", "one", 100)
    got = gnd.mvdr(gnd.from_numpy(c), gnd.from_numpy(v.astype("complex64")), True)
    assert got.dtype == "complex128"


@pytest.mark.parametrize("dtype", ("complex64", "complex128"))
def test_mvdr_of_any_matrices(dtype):
    """Matrices that are Hermitian but for rounding, or not, or not definite, beside each other; of all sizes."""
    g = generator("matrices", dtype)
    eps = np.finfo(dtype).eps
    for n in (1, 2, 5, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64):
        x = values(g, (10, n, 4 * n), dtype)
        c = (x @ x.conj().swapaxes(-1, -2) + np.eye(n)) * (1 + 0.5 * eps * g.standard_normal((10, n, n)))
        c[1] *= 1e-9
        c[2] *= 1e9
        scale = np.logspace(-2, 2, n)
        c[3] *= np.outer(scale, scale)  # sensors of different gains
        c[4] = values(g, (n, n), dtype) + 2 * np.eye(n)
        c[5] = -c[5]
        c[6] = x[6, :, :n] + x[6, :, :n].conj().T + np.diag(np.where(np.arange(n) % 2, 9, -9))
        c[7] *= 1e-30 if dtype == "complex64" else 1e-200
        c[8] += 1e-3 * np.abs(c[8]).max() * values(g, (n, n), dtype)
        c, v = c.astype(dtype), values(g, (10, n), dtype)
        even = wide(c) / np.abs(wide(c)).max((-1, -2), keepdims=True)
        want = mvdr(even, wide(v))
        got = gnd.mvdr(gnd.from_numpy(c), gnd.from_numpy(v), True).numpy()
        for k in range(10):
            condition = np.linalg.cond(even[k] / np.outer(scale, scale) if k == 3 else even[k])
            error = np.linalg.norm(got[k] - want[k]) / np.linalg.norm(want[k])
            assert error < 4 * n * condition * eps, (n, k, error, condition)


def test_mvdr_refuses():
    x, v = gnd.from_numpy(np.ones((3, 9))), gnd.from_numpy(np.ones(3))
    refused(lambda: gnd.mvdr(v, v, False), gnd.ERROR_SHAPE, "gnd_mvdr", "1-d")
    refused(lambda: gnd.mvdr(gnd.from_numpy(np.ones((9, 3))), v, False), gnd.ERROR_SHAPE, "(9, 3)", "samples")
    refused(lambda: gnd.mvdr(x, gnd.from_numpy(np.ones(4)), False), gnd.ERROR_SHAPE, "3 sensors", "4")
    refused(lambda: gnd.mvdr(x, v, True), gnd.ERROR_SHAPE, "(3, 9)", "square")
    refused(lambda: gnd.mvdr(x, None, True), gnd.ERROR_INVALID, "sv")


# ---- detection --------------------------------------------------------------------------------------------


def cfar(x, guard, reference, pfa):
    """Thresholds, a cell at a time."""
    threshold = np.zeros(x.shape)
    guard, reference = np.array(guard), np.array(reference)
    outer = guard + reference
    for at in np.ndindex(x.shape):
        low, high = np.array(at) - outer, np.array(at) + outer
        if (low < 0).any() or (high >= x.shape).any():
            continue
        box = x[tuple(slice(a, b + 1) for a, b in zip(low, high))]
        is_reference = np.ones(box.shape, bool)
        is_reference[tuple(slice(r, r + 2 * k + 1) for r, k in zip(reference, guard))] = False
        n = is_reference.sum()
        threshold[at] = n * (pfa ** (-1 / n) - 1) * box[is_reference].mean()
    return threshold


@pytest.mark.parametrize("dtype", [d for d in dtypes.NAMES if d not in dtypes.COMPLEX])
def test_ca_cfar(dtype):
    g = generator("cfar", dtype)
    for shape, guard, reference, pfa in (((30,), (1,), (4,), 1e-3), ((9,), (0,), (4,), 0.1),
                                         ((12, 17), (1, 2), (3, 2), 0.3),
                                         ((7, 9), (0, 1), (2, 3), 1.0), ((5, 6, 7), (1, 0, 1), (1, 2, 1), 0.05),
                                         ((10, 4), (2, 0), (1, 0), 1e-6),
                                         ((3,) * 8, (0,) * 8, (1,) + (0,) * 6 + (1,), 0.1)):
        x, x_values = strided(g, shape, dtype)
        x_values = wide(x_values)
        found = gnd.outputs(1)
        got = gnd.ca_cfar(x, guard, reference, pfa, found)
        want = cfar(x_values, guard, reference, pfa)
        real = REAL[COMPLEX[dtype]]
        near(got, want, real, (shape, guard, reference))
        (detections,) = gnd.take(found)
        assert detections.dtype == "bool" and (detections.numpy() == (x_values > got.numpy())).all()
        near(gnd.ca_cfar(x, guard, reference, pfa, None), want, real, shape)


def test_ca_cfar_beside_a_strong_target():
    """A target of 10^9 is no reference cell of its own, and takes no digits of the others' sums."""
    x = np.ones((30, 30), "float32")
    x[15, 15] = 1e9
    found = gnd.outputs(1)
    got = gnd.ca_cfar(gnd.from_numpy(x), (1, 1), (3, 3), 1e-3, found).numpy()
    assert abs(got[15, 15] / got[4, 4] - 1) < 1e-6
    assert gnd.take(found)[0].numpy()[15, 15]


def test_cfar_alpha():
    alpha = ctypes.c_double()
    for pfa, n in ((1e-3, 16), (1e-6, 1), (0.5, 100), (1.0, 3)):
        gnd.cfar_alpha(ctypes.byref(alpha), pfa, n)
        assert alpha.value == pytest.approx(n * (pfa ** (-1 / n) - 1), rel=1e-14)
    refused(lambda: gnd.cfar_alpha(ctypes.byref(alpha), 0.0, 4), gnd.ERROR_VALUE, "gnd_cfar_alpha", "0")
    refused(lambda: gnd.cfar_alpha(ctypes.byref(alpha), 0.1, 0), gnd.ERROR_VALUE, "0 cells")
    refused(lambda: gnd.cfar_alpha(None, 0.1, 2), gnd.ERROR_INVALID, "alpha")


def test_ca_cfar_refuses():
    x = gnd.from_numpy(np.ones((8, 9)))
    refused(lambda: gnd.ca_cfar(x, (1,), (1,), 0.1, None), gnd.ERROR_SHAPE, "gnd_ca_cfar", "2-d")
    many = gnd.from_numpy(np.ones((3,) * 9))
    refused(lambda: gnd.ca_cfar(many, (0,) * 9, (1,) * 9, 0.1, None), gnd.ERROR_SHAPE, "9-d", "8")
    refused(lambda: gnd.ca_cfar(x, (1, 1), (3, 3), 0.1, None), gnd.ERROR_SHAPE, "axis 0", "8")
    refused(lambda: gnd.ca_cfar(x, (1 << 62, 1), (1 << 62, 1), 0.1, None), gnd.ERROR_SHAPE, "axis 0")
    refused(lambda: gnd.ca_cfar(x, (1, -1), (1, 1), 0.1, None), gnd.ERROR_VALUE, "axis 1", "negative")
    refused(lambda: gnd.ca_cfar(x, (1, 1), (0, 0), 0.1, None), gnd.ERROR_VALUE, "0 reference cells")
    refused(lambda: gnd.ca_cfar(x, (1, 1), (1, 1), 1.5, None), gnd.ERROR_VALUE, "1.5")
    refused(lambda: gnd.ca_cfar(gnd.from_numpy(np.ones(9, "complex64")), (1,), (1,), 0.1, None), gnd.ERROR_DTYPE,
            "complex64")


# ---- demodulation -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.COMPLEX)
def test_fm_demod(dtype):
    g = generator("fm", dtype)
    for shape, axis in (((50,), -1), ((6, 20), 0), ((6, 20), 1), ((2, 3, 8), -2), ((1, 4), 0), ((0,), 0), ((4, 0), 1)):
        a, x = strided(g, shape, dtype)
        want = np.diff(np.unwrap(np.angle(wide(x)), axis=axis), axis=axis)
        near(gnd.fm_demod(a, axis), want, REAL[dtype], (shape, axis))


def test_fm_demod_of_a_long_signal():
    """Phases of 10^5 turns have no digits of a difference left in float32."""
    n = 200_000
    frequency = 0.3 + 0.1 * np.sin(2 * np.pi * np.arange(n) / 1000)
    x = np.exp(2j * np.pi * np.cumsum(frequency)).astype("complex64")
    got = gnd.fm_demod(gnd.from_numpy(x), -1).numpy()
    assert np.abs(got / (2 * np.pi) - frequency[1:]).max() < 1e-6


def test_fm_demod_refuses():
    refused(lambda: gnd.fm_demod(gnd.from_numpy(np.ones(4)), -1), gnd.ERROR_DTYPE, "gnd_fm_demod", "float64")
    refused(lambda: gnd.fm_demod(gnd.from_numpy(np.ones(4, "complex64")), 1), gnd.ERROR_AXIS, "1")
