"""Analytic signals, envelopes, resampling by Fourier transforms and shifts of frequency against SciPy."""

import ctypes
import functools
from fractions import Fraction

import numpy as np
import pytest
import scipy.signal as ss
from hypothesis import given, settings
from hypothesis import strategies as st

import dtypes
import gnd
from check import refused
from conftest import on_gpu
from designs import window as window_struct
from test_resample import FLOATING, close, options, strided, values
from values import generator

NARROW = ("float16", "bfloat16", "float32", "complex64")


def real_result(dtype):
    return "float32" if dtype in NARROW else "float64"


def complex_result(dtype):
    return "complex64" if dtype in NARROW else "complex128"


def size_of(x):
    return 10 * np.abs(dtypes.wide(x)).max(initial=1)


# ---- hilbert ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [d for d in dtypes.NAMES if d not in dtypes.COMPLEX])
def test_hilbert(dtype):
    g = generator("hilbert", dtype)
    for shape in [(1,), (2,), (3,), (16,), (17,), (3, 10), (4, 5, 6)]:
        for axis in range(-len(shape), len(shape)):
            for n in (-1, 1, 8, 21):
                a, x = strided(g, shape, dtype)
                want = ss.hilbert(dtypes.wide(x), None if n < 0 else n, axis)
                close(gnd.hilbert(a, n, axis), want, complex_result(dtype), size_of(x), f"{dtype} {shape} {axis} {n}")


@pytest.mark.parametrize("shape, axis", [((1 << 21,), 0), ((2, 1 << 22), -1), ((1 << 23, 1), 0), ((1 << 24,), 0),
                                         ((1 << 25,), 0), ((1 << 21, 2), 0)])
def test_hilbert_of_long_lines(shape, axis):
    """Lengths that kernels transform as rows and columns; a mean and the highest frequency, which have no imaginary
    part; views and lines that are cut. A CPU transforms all lengths alike: those beyond 2^22 are a sixteenth there."""
    if not on_gpu() and max(shape) >= 1 << 22:
        shape = tuple(max(n // 16, 1) if n > 2 else n for n in shape)
    g = generator("long hilbert", shape)
    n = shape[axis]
    x = (g.normal(size=shape) + 0.5).astype("float32")
    np.moveaxis(x, axis, -1)[..., ::2] += np.float32(0.25)
    want = ss.hilbert(x, None, axis)
    a = gnd.from_numpy(x)
    close(gnd.hilbert(a, -1, axis), want, "complex64", size_of(x), "whole")
    first, again = (gnd.hilbert(a, n, axis).numpy() for _ in range(2))
    assert first.tobytes() == again.tobytes()
    if n > 1 << 22:
        return
    back = gnd.flip(gnd.from_numpy(np.flip(x, axis).copy()), (axis,))
    close(gnd.hilbert(back, -1, axis), want, "complex64", size_of(x), "backwards")
    apart = gnd.from_numpy(np.concatenate([np.zeros(1, "float32"), x.ravel()]))["1:"]
    close(gnd.hilbert(gnd.reshape(apart, shape), -1, axis), want, "complex64", size_of(x), "apart")
    close(gnd.hilbert(a, n - 2, axis), ss.hilbert(x, n - 2, axis), "complex64", size_of(x), "cut")


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "float16"])
def test_hilbert2(dtype):
    g = generator("hilbert2", dtype)
    for shape, axes in [((4, 5), None), ((5, 4), (0, 1)), ((1, 1), None), ((1, 7), (1, 0)), ((8, 2), (-1, 0)),
                        ((3, 6, 9), None), ((3, 6, 9), (0, 2)), ((3, 6, 9), (1, 0))]:
        for n in (None, (4, 4), (7, 3), (1, 2), (12, 13)):
            a, x = strided(g, shape, dtype)
            want = ss.hilbert2(dtypes.wide(x), n, axes or (-2, -1))
            got = gnd.hilbert2(a, n or (), axes)
            close(got, want, complex_result(dtype), size_of(x), f"{dtype} {shape} {axes} {n}")


def test_hilbert_refuses():
    x, c = gnd.zeros(5, "float32"), gnd.zeros((5, 5), "complex64")
    refused(lambda: gnd.hilbert(c, -1, 0), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.hilbert2(c, (), None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.hilbert(x, 0, 0), gnd.ERROR_VALUE, "0 elements")
    refused(lambda: gnd.hilbert(gnd.zeros(0, "float32"), -1, 0), gnd.ERROR_VALUE, "0 elements")
    refused(lambda: gnd.hilbert(x, -1, 1), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.hilbert(None, -1, 1), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.hilbert2(x, (), None), gnd.ERROR_SHAPE, "2 dimensions")
    y = gnd.zeros((3, 3), "float32")
    refused(lambda: gnd.hilbert2(y, (), (0,)), gnd.ERROR_INVALID, "1 axes")
    refused(lambda: gnd.hilbert2(y, (), (0, -2)), gnd.ERROR_AXIS, "twice")
    refused(lambda: gnd.hilbert2(y, (3,), None), gnd.ERROR_SHAPE, "1 lengths")
    refused(lambda: gnd.hilbert2(y, (3, 0), None), gnd.ERROR_VALUE, "0 elements")


# ---- resample ---------------------------------------------------------------------------------------------


def resample_options(window=None, frequency=False, t=None, new_t=None):
    return options("gnd_resample_options", window=window.pointer if window else None,
                   domain=gnd.RESAMPLE_FREQUENCY if frequency else gnd.RESAMPLE_TIME, t=t.pointer if t else None,
                   new_t=ctypes.addressof(new_t) if new_t is not None else None)


def check_resample(g, dtype, shape, num, axis, windowed=False, frequency=False):
    a, x = strided(g, shape, dtype)
    w, window = strided(g, (shape[axis],), real_result(dtype)) if windowed else (None, None)
    got = gnd.resample(a, num, axis, resample_options(w, frequency))
    wide_window = None if window is None else dtypes.wide(window)
    want = ss.resample(dtypes.wide(x), num, axis=axis, window=wide_window, domain="freq" if frequency else "time")
    result = complex_result(dtype) if frequency or dtype in dtypes.COMPLEX else real_result(dtype)
    scale = size_of(x) * (np.abs(window).max() + 1 if windowed else 1)
    close(got, want, result, scale, f"{dtype} {shape} {num} {axis} {windowed} {frequency}")


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_resample_dtypes(dtype):
    g = generator("resample", dtype)
    for n, num in [(1, 1), (1, 4), (2, 1), (2, 3), (8, 8), (8, 5), (8, 6), (9, 6), (9, 7), (6, 8), (6, 9), (7, 8),
                   (7, 20), (100, 33)]:
        for windowed in (False, True):
            check_resample(g, dtype, (n,), num, 0, windowed)
            check_resample(g, dtype, (2, n, 3), num, 1, windowed)
            if dtype in FLOATING:
                check_resample(g, dtype, (2, n), num, -1, windowed, True)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 60), st.integers(1, 60), st.sampled_from(FLOATING), st.booleans(), st.booleans(),
       st.integers(0, 2**31))
def test_resample_of_anything(n, num, dtype, windowed, frequency, seed):
    check_resample(np.random.default_rng(seed), dtype, (3, n), num, 1, windowed, frequency)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_resample_under_a_named_window(dtype):
    g = generator("resample named", dtype)
    for n, num in [(1, 3), (8, 5), (9, 7), (9, 20), (100, 33)]:
        for window in ("hann", ("kaiser", 0.5), ("gaussian", 20.0)):
            a, x = strided(g, (2, n), dtype)
            for frequency in (False, True) if dtype in FLOATING else (False,):
                how = options("gnd_resample_options", named=window_struct(window),
                              domain=gnd.RESAMPLE_FREQUENCY if frequency else gnd.RESAMPLE_TIME)
                want = ss.resample(dtypes.wide(x), num, axis=1, window=window, domain="freq" if frequency else "time")
                result = complex_result(dtype) if frequency or dtype in dtypes.COMPLEX else real_result(dtype)
                context = f"{dtype} {n} {num} {window} {frequency}"
                close(gnd.resample(a, num, 1, how), want, result, 2 * size_of(x), context)
    ones = gnd.ones(8, "float64")
    both = options("gnd_resample_options", named=window_struct("hann"), window=ones.pointer)
    refused(lambda: gnd.resample(ones, 4, 0, both), gnd.ERROR_INVALID, "two windows")
    wrong = options("gnd_resample_options", named=window_struct("nowindow"))
    refused(lambda: gnd.resample(ones, 4, 0, wrong), gnd.ERROR_VALUE, "gnd_resample: ")


def check_lines(x, num, axis, context):
    """x, twice; a view backwards; and lines that do not begin at a multiple of 16 bytes."""
    want = ss.resample(x.astype("float64"), num, axis=axis)
    a, size = gnd.from_numpy(x), size_of(x)
    first, again = gnd.resample(a, num, axis, None), gnd.resample(a, num, axis, None)
    close(first, want, "float32", size, context)
    assert first.numpy().tobytes() == again.numpy().tobytes(), context
    back = gnd.flip(gnd.from_numpy(np.flip(x, axis).copy()), (axis,))
    close(gnd.resample(back, num, axis, None), want, "float32", size, f"{context}, backwards")
    apart = gnd.reshape(gnd.from_numpy(np.concatenate([np.zeros(1, "float32"), x.ravel()]))["1:"], x.shape)
    close(gnd.resample(apart, num, axis, None), want, "float32", size, f"{context}, apart")


@pytest.mark.parametrize("shape, num, axis", [
    ((100000,), 80000, 0), ((80000,), 100000, -1), ((72000,), 72000, 0), ((2, 500000), 24000, -1),
    ((3, 24000), 500000, 1), ((36000, 1), 72000, 0), ((1 << 16,), 1 << 15, 0), ((5, 1 << 15), 1 << 16, -1),
    ((2, 1 << 17, 1), 3 << 15, 1), ((1000000,), 8000000, 0), ((2, 4000000), 3200000, -1), ((1024000,), 1000000, 0),
    ((3 << 18,), 5 << 16, 0), ((1000000,), 16000, 0), ((2, 1 << 20), 9 << 16, 1), ((1 << 20,), 1 << 19, 0),
    ((6000000,), 5000000, 0), ((66000,), 33000, 0), ((100000, 2), 80000, 0), ((1, 100000), 99999, -1),
    ((70001,), 80000, 0)])
def test_resample_of_long_lines(shape, num, axis):
    """Lengths with a factor in common, which kernels transform as rows and columns, and others: fewer samples and more,
    one line and several; a mean, and frequencies near half of either length."""
    g = generator("long resample", shape, num)
    n = shape[axis]
    x = (g.normal(size=shape) + 0.5).astype("float32")
    along = np.moveaxis(x, axis, -1)
    along[..., ::2] += np.float32(0.25)
    along += np.cos(np.pi * min(n, num) / n * np.arange(n)).astype("float32")
    check_lines(x, num, axis, f"{shape} {num} {axis}")


def test_resample_of_lines_of_ten_million():
    """1e7 samples to 8e6 have a kernel of their own: two lines with a mean, and with the frequency that is half of the
    shorter length's, and those beside it."""
    g = generator("resample of ten million")
    n, num = 10000000, 8000000
    x = (g.normal(size=(2, n)) + 0.5).astype("float32")
    x += np.cos(np.pi * (num + np.arange(-2, 4, 2)[:, None]) / n * np.arange(n)).sum(0).astype("float32")
    a, want = gnd.from_numpy(x), ss.resample(x.astype("float64"), num, axis=1)
    first, again = gnd.resample(a, num, 1, None), gnd.resample(a, num, -1, None)
    close(first, want, "float32", n, "1e7 to 8e6")
    assert first.numpy().tobytes() == again.numpy().tobytes()


def test_resample_of_long_lines_that_are_not_finite():
    """Of a line that is not finite nothing is; the lines beside it are."""
    g = generator("long resample, not finite")
    x = g.normal(size=(3, 100000)).astype("float32")
    x[1, 777] = np.inf
    got = gnd.resample(gnd.from_numpy(x), 80000, -1, None).numpy()
    assert not np.isfinite(got[1]).any()
    for i in (0, 2):
        assert np.allclose(got[i], ss.resample(x[i].astype("float64"), 80000), atol=1e-5)


def test_resample_of_long_lines_keeps_what_is_below_both_halves():
    t = np.arange(1000000) / 1000000
    x = (1 + np.sin(2 * np.pi * 1234 * t) + np.cos(2 * np.pi * 399000 * t)).astype("float32")
    u = np.arange(800000) / 800000
    want = 1 + np.sin(2 * np.pi * 1234 * u) + np.cos(2 * np.pi * 399000 * u)
    assert np.abs(gnd.resample(gnd.from_numpy(x), 800000, 0, None).numpy() - want).max() < 1e-5


def test_resample_times():
    x, t = np.arange(20.0), 3 + 0.5 * np.arange(20)
    new_t = gnd.outputs(1)
    given_t = gnd.from_numpy(t)
    got = gnd.resample(gnd.from_numpy(x), 13, 0, resample_options(t=given_t, new_t=new_t))
    want, want_t = ss.resample(x, 13, t)
    assert np.allclose(got.numpy(), want) and np.allclose(gnd.take(new_t)[0].numpy(), want_t)


def test_resample_refuses():
    x = gnd.zeros(5, "float32")
    w = gnd.zeros(4, "float32")
    refused(lambda: gnd.resample(x, 5, 0, resample_options(w)), gnd.ERROR_SHAPE, "window", "(4,)")
    c = gnd.zeros(5, "complex64")
    refused(lambda: gnd.resample(x, 5, 0, resample_options(c)), gnd.ERROR_DTYPE, "window")
    refused(lambda: gnd.resample(x, 0, 0, None), gnd.ERROR_VALUE, "0 samples")
    refused(lambda: gnd.resample(gnd.zeros(0, "float32"), 3, 0, None), gnd.ERROR_VALUE, "of 0")
    refused(lambda: gnd.resample(x, 3, 1, None), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.resample(x, 3, 0, resample_options(t=x)), gnd.ERROR_INVALID, "new_t")
    one, room = gnd.zeros(1, "float32"), gnd.outputs(1)
    refused(lambda: gnd.resample(x, 3, 0, resample_options(t=one, new_t=room)), gnd.ERROR_SHAPE, "t must")
    bad = resample_options()
    bad.domain = 2
    refused(lambda: gnd.resample(x, 3, 0, bad), gnd.ERROR_INVALID, "domain number 2")
    refused(lambda: gnd.resample(None, 3, 0, None), gnd.ERROR_INVALID, "'x' is NULL")


# ---- envelope ---------------------------------------------------------------------------------------------


def envelope_options(band=None, n_out=0, squared=False, residual="lowpass"):
    low, high = band or (0, 0)
    return options("gnd_envelope_options", band=band is not None, low=low, high=high, n_out=n_out, squared=squared,
                   residual_kind=gnd.ENVELOPE_ALL if residual == "all" else gnd.ENVELOPE_LOWPASS)


def check_envelope(g, dtype, shape, axis, band=None, n_out=0, squared=False, residual="lowpass"):
    a, x = strided(g, shape, dtype)
    room = gnd.outputs(1)
    context = f"{dtype} {shape} {axis} {band} {n_out} {squared} {residual}"
    given = envelope_options(band, n_out, squared, residual or "lowpass")
    got = gnd.envelope(a, axis, given, room if residual else None)
    want = ss.envelope(dtypes.wide(x), band or (1, None), n_out=n_out or None, squared=squared, residual=residual,
                       axis=axis)
    scale = size_of(x) ** (2 if squared else 1) * max(1, n_out / shape[axis])
    close(got, want[0] if residual else want, real_result(dtype), scale, context)
    if residual:
        kind = complex_result(dtype) if dtype in dtypes.COMPLEX else real_result(dtype)
        close(gnd.take(room)[0], want[1], kind, scale, context + " residual")


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_envelope_dtypes(dtype):
    g = generator("envelope", dtype)
    for shape, axis in [((10,), 0), ((11,), 0), ((2, 12, 3), 1), ((3, 9), -1)]:
        for residual in ("lowpass", "all", None):
            check_envelope(g, dtype, shape, axis, None, 0, False, residual)
            check_envelope(g, dtype, shape, axis, None, 7, True, residual)


@settings(max_examples=200, deadline=None)
@given(st.integers(2, 25), st.integers(0, 40), st.sampled_from(FLOATING), st.booleans(),
       st.sampled_from(["lowpass", "all", None]), st.integers(0, 2**31))
def test_envelope_of_any_band(n, n_out, dtype, squared, residual, seed):
    g = np.random.default_rng(seed)
    ends = sorted(g.choice(np.arange(-(n // 2), (n + 1) // 2 + 1), 2, replace=False).tolist())
    if ends[1] == 0:  # SciPy's band is empty then: Z[-3:0]
        return
    # SciPy's residual is empty where the band begins at 0: Z[0:] = 0
    check_envelope(g, dtype, (n,), 0, tuple(ends), n_out, squared, residual if ends[0] else None)


def test_envelope_beside_a_band_that_begins_at_0():
    x = values(generator("band from 0"), (12,), "complex128")
    for residual, kept in [("lowpass", slice(6, 12)), ("all", slice(3, 12))]:
        spectrum, room = np.fft.fft(x), gnd.outputs(1)
        want = np.zeros(12, "complex128")
        want[kept] = spectrum[kept]
        gnd.envelope(gnd.from_numpy(x), 0, envelope_options((0, 3), residual=residual), room)
        assert np.allclose(gnd.take(room)[0].numpy(), np.fft.ifft(want)), residual


def test_envelope_of_negative_frequencies():
    """A band that ends at 0, of which SciPy takes nothing."""
    g = generator("negative band")
    x = values(g, (12,), "complex128")
    spectrum = np.fft.fft(x)
    spectrum[:9] = 0
    got = gnd.envelope(gnd.from_numpy(x), 0, envelope_options((-3, 0)), None)
    assert np.allclose(got.numpy(), np.abs(np.fft.ifft(spectrum)))


def test_envelope_refuses():
    x = gnd.zeros(10, "float32")
    for band in [(-6, 2), (3, 3), (4, 2), (0, 6)]:
        refused(lambda: gnd.envelope(x, 0, envelope_options(band), None), gnd.ERROR_VALUE, f"{band[0]} to {band[1]}")
    refused(lambda: gnd.envelope(x, 0, envelope_options(n_out=-1), None), gnd.ERROR_VALUE, "-1 samples")
    refused(lambda: gnd.envelope(gnd.zeros(0, "float32"), 0, None, None), gnd.ERROR_VALUE, "of 0")
    refused(lambda: gnd.envelope(x, 1, None, None), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.envelope(None, 1, None, None), gnd.ERROR_INVALID, "'x' is NULL")
    bad = envelope_options()
    bad.residual_kind = 2
    refused(lambda: gnd.envelope(x, 0, bad, None), gnd.ERROR_INVALID, "residual number 2")


# ---- freq_shift -------------------------------------------------------------------------------------------


@functools.cache
def exact_wave(n, freq, fs):
    """exp(-2 pi i k freq / fs) for k < n, whose phase is reduced exactly."""
    step = Fraction(freq) / Fraction(fs)
    return np.exp(-2j * np.pi * np.array([float(step * k - round(step * k)) for k in range(n)]))


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_freq_shift(dtype):
    g = generator("shift", dtype)
    for shape in [(1,), (1000,), (3, 700), (2, 30, 4), (3, 4500)]:
        for axis in range(-len(shape), len(shape)):
            for freq, fs in [(0, 1), (0.1, 1), (-440.5, 44100), (3e9, 7)]:
                a, x = strided(g, shape, dtype)
                along = [-1 if k == axis % len(shape) else 1 for k in range(len(shape))]
                wave = exact_wave(shape[axis], freq, fs).reshape(along)
                close(gnd.freq_shift(a, freq, fs, axis), dtypes.wide(x) * wave, complex_result(dtype), size_of(x),
                      f"{dtype} {shape} {axis} {freq} {fs}")


def test_freq_shift_keeps_its_phase():
    """10^6 elements on, and with a frequency that no float is: the exact phase, by whole numbers."""
    got = gnd.freq_shift(gnd.from_numpy(np.ones(1000001)), 0.1, 3.7, 0).numpy()
    for n in (1, 999, 123456, 1000000):
        turns = Fraction(0.1) * n / Fraction(3.7)
        turns = float(turns - round(turns))
        assert abs(got[n] - np.exp(-2j * np.pi * turns)) < 3e-16 * 4


def test_freq_shift_of_floats_keeps_its_phase():
    """2 * 10^6 elements on, every one as near as a float32 of its exact phase is."""
    n = 2000003
    got = gnd.freq_shift(gnd.from_numpy(np.ones((2, n), "float32")), 0.1, 3.7, 1).numpy()
    whole, step = 2**80, int(Fraction(0.1) / Fraction(3.7) * 2**80)  # 2^-80 of a turn for each element, at most
    for k in (0, 255, 256, 2047, 2048, 123457, n - 1, *range(1000000, 1002100)):
        turns = k * step % whole / whole
        assert np.abs(got[:, k] - np.exp(-2j * np.pi * turns)).max() < 4e-7, k


def test_freq_shift_of_nothing_and_refused():
    assert gnd.freq_shift(gnd.zeros((2, 0), "float32"), 1, 2, 0).shape == (2, 0)
    x = gnd.zeros(5, "float32")
    refused(lambda: gnd.freq_shift(x, 1, 0, 0), gnd.ERROR_VALUE, "fs")
    refused(lambda: gnd.freq_shift(x, np.nan, 1, 0), gnd.ERROR_VALUE, "nan")
    refused(lambda: gnd.freq_shift(x, 1, 1, 1), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.freq_shift(None, 1, 1, 1), gnd.ERROR_INVALID, "'x' is NULL")
