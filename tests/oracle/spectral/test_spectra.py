"""Periodograms, Welch's means, cross spectra, coherence and spectrograms against SciPy's: every option, axes, dtypes,
lengths of transforms with and without kernels of their own, and what is refused."""

import ctypes
import warnings

import numpy as np
import pytest
import scipy.signal as ss

import dtypes
import gnd
from check import refused
from conftest import on_gpu
from test_faults import run_with_failures
from test_resample import REAL, values
from test_spectral import WORK, near, room_at
from test_windows import window as named
from values import generator

TRENDS = ["constant", "linear", False]
MODES = ["psd", "complex", "magnitude", "angle", "phase"]


def options(**changes):
    """A gnd_spectra_options from SciPy's keywords, `hop` for noverlap; it holds what it points at."""
    nperseg = changes.get("nperseg") or 0
    window = changes.get("window")
    made = gnd.STRUCTS["gnd_spectra_options"](
        fs=changes.get("fs", 0), nperseg=nperseg, hop=changes.get("hop", 0), nfft=changes.get("nfft") or 0,
        detrend=TRENDS.index(changes.get("detrend", "constant")),
        scaling=["density", "spectrum"].index(changes.get("scaling", "density")),
        average=["mean", "median"].index(changes.get("average", "mean")),
        two_sided=not changes.get("return_onesided", True))
    if isinstance(window, np.ndarray):
        made.held = gnd.from_numpy(window)
        made.taper = made.held.pointer
    elif window is not None:
        made.held = named(window)
        made.window = ctypes.addressof(made.held)
    return made


def scipy(function, *signals, **changes):
    hop = changes.pop("hop", 0)
    window = changes.get("window")
    n = len(window) if isinstance(window, np.ndarray) else changes.get("nperseg") or 256
    if hop:
        changes["noverlap"] = n - hop
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(ss, function)(*signals, **changes)


def ours(function, *signals, axis=-1, mode=None, **changes):
    """The result, frequencies, and times of a spectrogram."""
    made = options(**changes)
    room = gnd.outputs(2)
    places = [room_at(room, k) for k in range(2 if function == "spectrogram" else 1)]
    extra = [MODES.index(mode or "psd")] if function == "spectrogram" else []
    got = getattr(gnd, function)(*map(gnd.from_numpy, signals), axis, made, *extra, *places)
    return [got, *gnd.take(room)[:len(places)]]


def wide(x):
    return x.astype("complex128" if np.iscomplexobj(x) else "float64")


def compare(function, *signals, dtype=None, **changes):
    want = scipy(function, *map(wide, signals), **changes)
    got = ours(function, *signals, **changes)
    context = f"{function} {[(s.dtype, s.shape) for s in signals]} {changes}"
    near(got[0], want[-1], context, dtype)
    for made, wanted in zip(got[1:], want[:-1]):
        near(made, wanted, context + ": frequencies or times")


CASES = [{"nperseg": 16}, {"nperseg": 16, "hop": 4}, {"nperseg": 15, "hop": 7}, {"nperseg": 16, "hop": 16},
         {"nperseg": 8, "hop": 11}, {"nperseg": 64, "hop": 20}, {"nperseg": 128}, {"nperseg": 100, "nfft": 256},
         {"nperseg": 200, "hop": 50}, {}, {"nperseg": 256, "nfft": 512, "fs": 250.0}, {"nperseg": 600, "nfft": 1024},
         {"nperseg": 31, "nfft": 31}, {"nperseg": 97, "nfft": 211}, {"nperseg": 48, "nfft": 63, "hop": 13}]


@pytest.mark.parametrize("dtype", WORK)
@pytest.mark.parametrize("changes", CASES)
def test_welch(dtype, changes):
    g = generator("welch", dtype, str(changes))
    for n in (650, 2000):
        x = values(g, (2, n), dtype) + np.asarray(3, REAL.get(dtype, dtype))
        for trend in TRENDS:
            given = {**changes, "detrend": trend, "scaling": ["density", "spectrum"][g.integers(2)],
                     "average": ["mean", "median"][g.integers(2)]}
            if g.integers(2):
                given["window"] = ["hann", "boxcar", ("kaiser", 5.0)][g.integers(3)]
            given["return_onesided"] = bool(g.integers(2)) and not np.iscomplexobj(x)
            compare("welch", x, **given, dtype=REAL.get(dtype, dtype))


@pytest.mark.parametrize("size", [32, 64, 128, 256, 512, 1024, 2048, 4096, 8192])
@pytest.mark.parametrize("dtype", WORK)
def test_every_length(dtype, size):
    g = generator("lengths", dtype, size)
    x = values(g, (3, 9 * size + 5), dtype)
    y = values(g, (3, 9 * size + 5), dtype)
    onesided = not np.iscomplexobj(x)
    given = {"nperseg": size, "return_onesided": onesided, "fs": 8.0}
    compare("welch", x, **given, dtype=REAL.get(dtype, dtype))
    compare("csd", x, y, **given, dtype=WORK[dtype])
    for mode in ("psd", "complex", "magnitude"):
        kind = WORK[dtype] if mode == "complex" else REAL.get(dtype, dtype)
        compare("spectrogram", x, **given, mode=mode, dtype=kind)


def test_many_frames_of_many_channels():
    g = generator("many frames")
    x = values(g, (70, 20_000), "float32")
    compare("welch", x, dtype="float32")
    compare("welch", x[:, :3000], nperseg=100, dtype="float32")
    line = values(g, (1_000_000,), "float32")
    compare("welch", line, dtype="float32")
    compare("welch", line, nperseg=1000, dtype="float32")
    compare("csd", line, line[::-1].copy(), nperseg=128, dtype="complex64")


@pytest.mark.parametrize("size", [256, 512, 1024, 2048])
def test_csd_of_half_overlapping_frames(size):
    """Two signals whose frames share halves: even and odd numbers of frames, lines that are broadcast, a signal that
    ends before the other's last frame, and one that is much quieter."""
    g = generator("halves", size)
    for count in (1, 2, 3, 16, 17, 200):
        n = (count + 1) * size // 2 + int(g.integers(size // 2))
        x, y = values(g, (3, n + 1), "float32") + np.float32(2), values(g, (3, n + 1), "float32") - np.float32(1)
        for trend in ("constant", False):
            given = {"nperseg": size, "detrend": trend, "dtype": "complex64"}
            compare("csd", x[:, :n], y[:, 1:], **given)
            compare("csd", x[:, 1:], y[1, :n], **given)
            compare("csd", x, y[:, : n - size // 2 - 1], **given)
        quiet = y * np.float32(1e-5)
        want = scipy("csd", wide(x), wide(quiet), nperseg=size)[1]
        near(ours("csd", x, quiet, nperseg=size)[0].numpy() * 1e5, want * 1e5, "quiet", "complex64")
    line = values(g, (1_000_003,), "float32")
    compare("csd", line, line[::-1].copy(), nperseg=size, dtype="complex64")


@pytest.mark.parametrize("dtype", WORK)
@pytest.mark.parametrize("mode", MODES)
def test_spectrogram(dtype, mode):
    g = generator("spectrogram", dtype, mode)
    for changes in CASES:
        x = values(g, (2, 700), dtype)
        given = {**changes, "detrend": TRENDS[g.integers(3)], "scaling": ["density", "spectrum"][g.integers(2)]}
        given["return_onesided"] = bool(g.integers(2)) and not np.iscomplexobj(x)
        want = scipy("spectrogram", wide(x), **given, mode=mode)
        got = ours("spectrogram", x, **given, mode=mode)
        kind = WORK[dtype] if mode == "complex" else REAL.get(dtype, dtype)
        for made, wanted in zip(got[1:], want[:-1]):
            near(made, wanted, "frequencies and times")
        if mode in ("angle", "phase"):  # of small numbers they are anything, and signs of zeros differ
            assert got[0].shape == want[2].shape and dtypes.name_of(got[0].dtype) == kind
            size = np.abs(scipy("spectrogram", wide(x), **given, mode="complex")[2])
            turned = np.exp(1j * (got[0].numpy().astype("float64") - want[2])) - 1
            bound = (2e-7 if kind == "float32" else 3e-15) * (20 + np.abs(want[2]).max())  # as exact as the angles are
            assert (np.abs(turned) * size).max() < bound * size.max(), f"{given}"
            if mode == "phase":
                assert (np.abs(np.diff(got[0].numpy(), axis=-2)) <= np.pi + 1e-5).all()
        else:
            near(got[0], want[2], f"{mode} {given}", kind)


@pytest.mark.parametrize("dtype", WORK)
def test_csd_and_coherence(dtype):
    g = generator("csd", dtype)
    for changes in CASES:
        onesided = not np.iscomplexobj(values(g, (1,), dtype))
        given = {**changes, "detrend": TRENDS[g.integers(3)], "scaling": ["density", "spectrum"][g.integers(2)],
                 "average": ["mean", "median"][g.integers(2)], "return_onesided": onesided and bool(g.integers(2))}
        x, y = values(g, (2, 900), dtype), values(g, (2, 900), dtype)
        compare("csd", x, y, **given, dtype=WORK[dtype])
        compare("csd", x[:, :800], y, **given, dtype=WORK[dtype])
        want = scipy("csd", wide(x), wide(y[:1, :700]).repeat(2, 0), **given)[1]  # SciPy refuses to do both
        near(ours("csd", x, y[:1, :700], **given)[0], want, f"{given}", WORK[dtype])
        compare("csd", x, y[0], **given, dtype=WORK[dtype])
        compare("csd", x[:1], y[:, None], **given, dtype=WORK[dtype])
        if "nfft" not in given and onesided:
            compare("coherence", x, x + y, **changes, dtype=REAL.get(dtype, dtype))


def test_signals_of_two_dtypes():
    g = generator("two dtypes")
    x, y = values(g, (500,), "float32"), values(g, (500,), "complex128")
    compare("csd", y, x, nperseg=64, return_onesided=False, dtype="complex128")
    compare("csd", x, y, nperseg=64, return_onesided=False, dtype="complex128")
    both = gnd.from_numpy(x)
    same = gnd.csd(both, both, -1, options(nperseg=64), None)
    near(same, scipy("csd", x, x, nperseg=64)[1].real, "the same signal", "float32")


def test_loud_and_quiet_signals():
    """Products keep their digits where one signal is much smaller than the other."""
    g = generator("loud")
    x, y = values(g, (4000,), "float32"), values(g, (4000,), "float32") * np.float32(1e-5)
    want = scipy("csd", wide(x), wide(y), nperseg=128)[1]
    near(ours("csd", x, y, nperseg=128)[0].numpy() * 1e5, want * 1e5, "quiet", "complex64")
    tone = (np.sin(np.arange(8000) * 0.3) + 1e-4 * np.sin(np.arange(8000) * 1.7)).astype("float32")
    window = ("chebwin", 180)
    want = scipy("welch", wide(tone), window=window, nperseg=512, scaling="spectrum")[1]
    got = ours("welch", tone, window=window, nperseg=512, scaling="spectrum")[0].numpy()
    peak = round(1.7 / (2 * np.pi) * 512)
    assert np.abs(got[peak] / want[peak] - 1) < 0.01


@pytest.mark.parametrize("dtype", WORK)
def test_periodogram(dtype):
    g = generator("periodogram", dtype)
    for n in (1, 2, 3, 50, 64, 128, 1000, 4096, 10_007, 50_000):
        x = values(g, (2, n), dtype) + np.asarray(2, REAL.get(dtype, dtype))
        for given in ({}, {"nfft": n}, {"nfft": 2 * n + 1}, {"nfft": max(1, n // 2)},
                      {"scaling": "spectrum", "fs": 8.0}, {"window": "hann"}, {"detrend": "linear"},
                      {"detrend": False}, {"window": g.random(n) + 0.1}):
            if n < 3 and given.get("detrend") == "linear":
                continue
            if np.iscomplexobj(x):
                given = {**given, "return_onesided": False}
            want = scipy("periodogram", wide(x), **given)
            got = ours("periodogram", x, **{key: v for key, v in given.items()})
            scale = np.abs(want[1]).max(initial=0.1)
            assert got[0].shape == want[1].shape and dtypes.name_of(got[0].dtype) == REAL.get(dtype, dtype)
            bound = 3e-6 if REAL.get(dtype, dtype) == "float32" else 1e-12
            assert np.abs(got[0].numpy() - want[1]).max() <= bound * scale, f"{n} {given}"
            near(got[1], want[0], "frequencies")


@pytest.mark.parametrize("n", [1 << 15, 1 << 16])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_long_frames(dtype, n):
    g = generator("long frames", dtype, n)
    bound = 3e-6 if dtype == "float32" else 1e-12
    wider = values(g, (5, n + 1), dtype) + np.asarray(2, dtype)
    for x in (wider[:, :n].copy(), wider[:, 1:], wider[3, 1:], wider[::-2, :n]):
        for given in ({}, {"window": "hann", "scaling": "spectrum", "fs": 8.0}, {"detrend": False},
                      {"detrend": "linear"}, {"window": g.random(n) + 0.1}, {"return_onesided": False}):
            want = scipy("periodogram", wide(x), **given)[1]
            got = ours("periodogram", x, **given)[0].numpy()
            assert got.shape == want.shape and got.dtype == dtype
            assert np.abs(got - want).max() <= bound * np.abs(want).max(), f"{x.shape} {x.strides} {given}"
    line = values(g, (3 * n + 77,), dtype)
    for given in ({"hop": n // 2}, {"hop": 1001}, {"hop": 2 * n // 3 + 1, "detrend": False}):
        want = scipy("spectrogram", wide(line), nperseg=n, **given)[2]
        got = ours("spectrogram", line, nperseg=n, **given)[0].numpy()
        assert got.shape == want.shape and np.abs(got - want).max() <= bound * np.abs(want).max(), f"{given}"


@pytest.mark.parametrize("n", [1 << 15, 1 << 16])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("given", [{}, {"window": "flattop", "scaling": "spectrum"}, {"detrend": False}])
def test_many_long_frames(dtype, n, given):
    """More of them than a GPU has at once, several times; their means differ, and each run gives the same bits."""
    x = values(generator("many long frames", dtype, n), ((150 << 16) // n, n + 3), dtype)[:, 3:]
    x += np.arange(len(x), dtype=dtype)[:, None] % 7
    want = scipy("periodogram", wide(x), **given)[1]
    got = ours("periodogram", x, **given)[0].numpy()
    bound = 3e-6 if dtype == "float32" else 1e-11  # the rounding of a mean is in the bins beside 0
    assert (np.abs(got - want).max(-1) <= bound * np.abs(want).max(-1)).all()
    for _ in range(3):
        assert np.array_equal(ours("periodogram", x, **given)[0].numpy(), got)


@pytest.mark.parametrize("n", [1 << 15, 1 << 16])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_long_frames_with_large_means(dtype, n):
    """A constant far above what varies; few frames at first, as many as make a group's ring go round later."""
    g = generator("long frames with large means", dtype, n)
    for rows in (1, 2, 7, 33):
        x = g.integers(-9, 10, (rows, n)).astype(dtype) + np.asarray(4096, dtype)
        for given in ({}, {"window": "hann"}):
            want = scipy("periodogram", wide(x), **given)[1]
            got = ours("periodogram", x, **given)[0].numpy()
            bound = 3e-6 if dtype == "float32" else 1e-11
            assert np.abs(got - want).max() <= bound * np.abs(want).max(), f"{rows} {given}"


def long_line(n):
    """Lines that a GPU transforms in two launches; a CPU takes all lengths alike, so it gets shorter ones."""
    return n if on_gpu() else n // 16


@pytest.mark.parametrize("n, lines", [(1 << 23, 2), (1 << 24, 1)])
@pytest.mark.parametrize("given", [{}, {"detrend": False, "scaling": "spectrum", "fs": 8.0}])
def test_line_powers(n, lines, given):
    """Whole lines, which a GPU transforms in two launches; of constants far above what varies, too."""
    n = long_line(n)
    x = generator("line powers", n).integers(-9, 10, (lines, n)).astype("float32")
    x += np.array([[4096], [-3]], "float32")[:lines]
    want = scipy("periodogram", wide(x), **given)[1]
    got = ours("periodogram", x, **given)[0].numpy()
    assert got.shape == want.shape and got.dtype == "float32"
    assert (np.abs(got - want).max(-1) <= 1.5e-6 * np.abs(want).max(-1)).all()
    assert np.array_equal(ours("periodogram", x, **given)[0].numpy(), got)


@pytest.mark.parametrize("detrend, scaling", [("constant", "density"), (False, "spectrum")])
def test_line_powers_of_ends(detrend, scaling):
    """Tones at the last bin, beside it and in the middle, and noise, whose last bin is one of many, on a constant."""
    n = long_line(1 << 23)
    i = np.arange(n)
    noise = generator("line powers of ends").standard_normal(n)
    cases = [np.cos(2 * np.pi * (i * k % n) / n) for k in (n // 2, n // 2 - 1, n // 4)]
    given = {"detrend": detrend, "scaling": scaling}
    for number, case in enumerate([*cases, noise]):
        for level in (0, 3e5):
            x = (case + level).astype("float32")
            want = scipy("periodogram", wide(x), **given)[1]
            got = ours("periodogram", x, **given)[0].numpy()
            off = np.abs(got - want)
            assert off.max() <= 1.5e-6 * want.max(), f"{number} {level} {off.argmax()}"
    x = np.zeros(n, "float32")
    assert not ours("periodogram", x, **given)[0].numpy().any()
    if detrend:
        assert not ours("periodogram", x + np.float32(7.3), **given)[0].numpy().any()


def test_line_powers_of_other_lines():
    """An impulse, numbers that are not finite, and lines that begin anywhere or have a gap between samples."""
    n = long_line(1 << 23)
    x = np.zeros(n, "float32")
    x[12345] = 3
    want = scipy("periodogram", wide(x))[1]
    got = ours("periodogram", x)[0].numpy()
    assert np.abs(got - want).max() <= 3e-6 * want.max()
    for value in (np.inf, np.nan):
        x[12345] = value
        assert np.isnan(ours("periodogram", x)[0].numpy()).all(), value
    y = generator("other lines").standard_normal(2 * n).astype("float32")
    for line in (y[1:n + 1], y[::2]):
        want = scipy("periodogram", wide(line))[1]
        assert np.abs(ours("periodogram", line)[0].numpy() - want).max() <= 3e-6 * want.max()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_long_frames_that_overlap(dtype):
    """Lines of many frames, which begin at any sample."""
    n = 1 << 15
    x = values(generator("long frames that overlap", dtype), (3, 9 * n + 5), dtype)[::-1, 1:]
    for given in ({"noverlap": n // 2}, {"noverlap": n - 12345}, {"noverlap": 0, "window": "hann", "detrend": False}):
        want = scipy("spectrogram", wide(x), nperseg=n, **given)[2]
        hop = {"hop": n - given["noverlap"], **{key: given[key] for key in given if key != "noverlap"}}
        got = ours("spectrogram", x, nperseg=n, **hop)[0].numpy()
        assert got.shape == want.shape
        assert np.abs(got - want).max() <= (3e-6 if dtype == "float32" else 1e-12) * np.abs(want).max(), f"{given}"


def test_axes_and_strides():
    g = generator("spectra axes")
    x = values(g, (70, 3, 90), "float64")
    for axis in (0, 2, -3, -1):
        for function in ("welch", "spectrogram", "periodogram"):
            given = {} if function == "periodogram" else {"nperseg": 32}
            compare(function, x, axis=axis, **given)
            compare(function, x[::-1, :, ::-1], axis=axis, **given)
        compare("csd", x, x[::-1].copy(), axis=axis, nperseg=32)
        compare("coherence", x, x[::-1] + x * 0.2, axis=axis, nperseg=32)


def test_other_dtypes():
    g = generator("spectra dtypes")
    for dtype in ("bool", "int8", "uint16", "int32", "uint64", "float16"):
        x = values(g, (300,), dtype)
        want = scipy("welch", x, nperseg=64)[1]
        near(ours("welch", x, nperseg=64)[0], scipy("welch", wide(x), nperseg=64)[1], dtype, want.dtype)
        near(ours("spectrogram", x, nperseg=50)[0], scipy("spectrogram", wide(x), nperseg=50)[2], dtype, want.dtype)


def test_without_elements():
    for function in ("welch", "periodogram", "spectrogram"):
        for shape in ((0,), (3, 0), (0, 20)):
            if function == "spectrogram" and shape[-1] == 0:
                refused(lambda: ours(function, np.zeros(shape, "float32")), gnd.ERROR_VALUE, "0")
                continue
            want = scipy(function, np.zeros(shape))
            for made, wanted in zip(ours(function, np.zeros(shape, "float32")), (want[-1], *want[:-1])):
                assert made.shape == wanted.shape and dtypes.name_of(made.dtype) == wanted.dtype
    want = scipy("csd", np.zeros((3, 0)), np.zeros((1, 5)))
    for made in ours("csd", np.zeros((3, 0), "float32"), np.zeros((1, 5), "float32")):
        assert made.shape == want[1].shape


def test_nan():
    x = np.ones(1000, "float32")
    x[500] = np.nan
    assert np.isnan(ours("welch", x, nperseg=64)[0].numpy()).all()
    got = ours("spectrogram", x, nperseg=10, hop=10)[0].numpy()
    assert np.isnan(got[:, 50]).all() and np.isfinite(np.delete(got, 50, 1)).all()


def test_overlaps():
    tried = 0
    for name, n in (("hann", 120), ("boxcar", 100), ("bartlett", 21), (("tukey", 0.25), 64), ("flattop", 90)):
        window = ss.get_window(name, n)
        for noverlap in (0, 1, n // 2, 2 * n // 3, 3 * n // 4, n - 1):
            a = gnd.from_numpy(window)
            assert gnd.check_COLA(a, noverlap, 1e-10) == ss.check_COLA(window, n, noverlap), f"{name} {noverlap}"
            assert gnd.check_NOLA(a, noverlap, 1e-10) == ss.check_NOLA(window, n, noverlap), f"{name} {noverlap}"
            tried += ss.check_COLA(window, n, noverlap)
    assert tried > 5
    assert not gnd.check_COLA(gnd.from_numpy(np.array([1, np.nan, 1, 1])), 2, 1e-10)
    refused(lambda: gnd.check_COLA(gnd.zeros((2, 2), "float32"), 0, 1e-10), gnd.ERROR_SHAPE, "(2, 2)")
    refused(lambda: gnd.check_NOLA(gnd.zeros(4, "complex64"), 0, 1e-10), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.check_NOLA(gnd.zeros(4, "float32"), 4, 1e-10), gnd.ERROR_VALUE, "noverlap is 4")
    refused(lambda: gnd.check_COLA(None, 4, 1e-10), gnd.ERROR_INVALID, "'window' is NULL")


def test_refused():
    x = np.zeros((2, 20), "float32")

    def welch(axis=-1, **changes):
        return ours("welch", x, axis=axis, **changes)

    refused(lambda: gnd.welch(None, -1, None, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.periodogram(None, -1, None, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.csd(gnd.from_numpy(x), None, -1, None, None), gnd.ERROR_INVALID, "'y' is NULL")
    refused(lambda: welch(axis=2), gnd.ERROR_AXIS, "2")
    refused(lambda: welch(nperseg=-3), gnd.ERROR_VALUE, "nperseg is -3")
    refused(lambda: welch(nperseg=8, hop=-1), gnd.ERROR_VALUE, "-1")
    refused(lambda: welch(nperseg=8, nfft=7), gnd.ERROR_VALUE, "nfft is 7", "8")
    refused(lambda: welch(fs=-1.0), gnd.ERROR_VALUE, "-1")
    refused(lambda: welch(window="broken"), gnd.ERROR_VALUE, "broken")
    refused(lambda: welch(window=np.ones(21)), gnd.ERROR_SHAPE, "21 elements", "20 samples")
    refused(lambda: welch(window=np.ones(8), nperseg=9), gnd.ERROR_SHAPE, "8 elements", "9")
    refused(lambda: welch(window=np.ones(8, "complex64")), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: welch(window=np.ones((2, 2))), gnd.ERROR_SHAPE, "(2, 2)")
    refused(lambda: ours("periodogram", x, window=np.ones(8)), gnd.ERROR_SHAPE, "8 elements", "20")
    refused(lambda: ours("csd", x, np.zeros((3, 20), "float32")), gnd.ERROR_SHAPE, "(2, 20)", "(3, 20)")
    refused(lambda: ours("coherence", x, x[:, :10]), gnd.ERROR_SHAPE, "20 samples", "10")
    both = options(window="hann")
    both.taper = gnd.zeros(4, "float32").pointer
    refused(lambda: gnd.welch(gnd.from_numpy(x), -1, both, None), gnd.ERROR_INVALID, "one of them")
    for field, text in (("detrend", "detrending"), ("average", "average"), ("scaling", "scaling")):
        wrong = options()
        setattr(wrong, field, 9)
        refused(lambda: gnd.welch(gnd.from_numpy(x), -1, wrong, None), gnd.ERROR_INVALID, text, "9")
    refused(lambda: gnd.spectrogram(gnd.from_numpy(x), -1, None, 9, None, None), gnd.ERROR_INVALID, "mode", "9")


def test_failed_allocations_leave_nothing_behind():
    x = gnd.from_numpy(np.ones((2, 90), "float32"))
    given = options(nperseg=16, average="median")
    run_with_failures(lambda: gnd.welch(x, -1, given, None))
    run_with_failures(lambda: gnd.welch(x, 0, None, None))
    run_with_failures(lambda: gnd.csd(x, gnd.from_numpy(np.ones(90, "float32")), -1, given, None))
    run_with_failures(lambda: gnd.coherence(x, x, -1, None, None))
    run_with_failures(lambda: gnd.spectrogram(x, -1, None, 4, None, None))
    run_with_failures(lambda: gnd.check_COLA(gnd.from_numpy(np.ones(4)), 2, 1e-10))
