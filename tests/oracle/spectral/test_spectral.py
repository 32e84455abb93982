"""Short-time Fourier transforms and their inverses against SciPy's: every option, axes, strides, dtypes, and what is
refused."""

import ctypes
import warnings

import numpy as np
import pytest
import scipy.signal as ss

import dtypes
import gnd
from check import refused
from test_faults import run_with_failures
from test_resample import REAL, values
from values import generator

BOUNDARIES = ["zeros", "even", "odd", "constant", None]
TRENDS = [False, "constant", "linear"]
WORK = {"float32": "complex64", "complex64": "complex64", "float64": "complex128", "complex128": "complex128"}


def options(**changes):
    """A gnd_stft_options from SciPy's keywords."""
    made = {"fs": changes.get("fs", 0), "hop": changes.get("hop", 0), "nfft": changes.get("nfft") or 0,
            "detrend": TRENDS.index(changes.get("detrend", False)),
            "boundary": BOUNDARIES.index(changes.get("boundary", "zeros")),
            "scaling": ["spectrum", "psd"].index(changes.get("scaling", "spectrum")),
            "two_sided": changes.get("two_sided", False), "unpadded": not changes.get("padded", True)}
    return gnd.STRUCTS["gnd_stft_options"](**made)


def scipy_stft(x, window, axis=-1, **changes):
    hop = changes.pop("hop", 0)
    two_sided = changes.pop("two_sided", False)
    n = len(window)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ss.stft(x, window=window, nperseg=n, noverlap=n - hop if hop else None, axis=axis,
                       return_onesided=not two_sided, **changes)


def scipy_istft(z, window, time_axis=-1, freq_axis=-2, **changes):
    hop = changes.pop("hop", 0)
    two_sided = changes.pop("two_sided", False)
    boundary = changes.pop("boundary", "zeros") is not None
    n = len(window)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ss.istft(z, window=window, nperseg=n, noverlap=n - hop if hop else None, time_axis=time_axis,
                        freq_axis=freq_axis, input_onesided=not two_sided, boundary=boundary, **changes)[1]


def near(got, want, context, dtype=None):
    got = got.numpy() if isinstance(got, gnd.Array) else got
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    assert got.dtype == (dtype or want.dtype), f"{context}: {got.dtype}, not {want.dtype}"
    bound = 3e-6 if got.dtype in ("complex64", "float32") else 1e-13
    scale = np.abs(want).max(initial=0.1)  # of signals about 1
    assert np.abs(got - want).max(initial=0) <= bound * scale, f"{context}: {np.abs(got - want).max() / scale}"


def stft(x, window, axis=-1, **changes):
    return gnd.stft(x, gnd.from_numpy(window), axis, options(**changes), None, None)


def istft(z, window, time_axis=-1, freq_axis=-2, **changes):
    return gnd.istft(z, gnd.from_numpy(window), time_axis, freq_axis, options(**changes))


CASES = [(16, {}), (16, {"hop": 4}), (15, {"hop": 7}), (16, {"hop": 16}), (8, {"hop": 11}), (1, {}), (2, {}), (3, {}),
         (16, {"nfft": 40}), (16, {"nfft": 21}), (37, {"hop": 1}), (256, {"hop": 100}), (31, {"nfft": 31}),
         (16, {"fs": 250.0, "scaling": "psd"}), (17, {"fs": 0.5}), (600, {"hop": 150, "nfft": 2100})]


@pytest.mark.parametrize("dtype", WORK)
@pytest.mark.parametrize("size,changes", CASES)
def test_stft(dtype, size, changes):
    g = generator("stft", dtype, size, str(changes))
    window = g.random(size) + 0.1
    for n in (size, size + 1, 3 * size + 5, 700 + size):
        x = values(g, (2, n), dtype)
        for boundary in BOUNDARIES:
            for trend in TRENDS if n < 700 else [False]:
                given = {**changes, "boundary": boundary, "detrend": trend, "padded": bool(g.integers(2)),
                         "two_sided": bool(g.integers(2))}
                if trend == "linear" and size < 3:
                    continue
                want = scipy_stft(x.astype("complex128" if np.iscomplexobj(x) else "float64"), window, **given)[2]
                got = stft(gnd.from_numpy(x), window, **given)
                near(got, want, f"{dtype} {n} {size} {given}", WORK[dtype])


def test_stft_of_other_dtypes():
    g = generator("stft dtypes")
    window = np.hanning(32)
    for dtype in ("bool", "int8", "uint16", "int32", "uint64", "float16"):
        x = values(g, (200,), dtype)
        want = scipy_stft(x, window)[2]
        near(stft(gnd.from_numpy(x), window), want, dtype)


def test_axes_strides_and_times():
    g = generator("stft axes")
    window = g.random(12).astype("float32")
    x = values(g, (40, 3, 50), "float64")
    for axis in (0, 2, -3, -1):
        f, t, want = scipy_stft(x, window, axis, fs=100.0, hop=5)
        room = gnd.outputs(2)
        got = gnd.stft(gnd.from_numpy(x), gnd.from_numpy(window), axis, options(fs=100.0, hop=5),
                       *[room_at(room, k) for k in range(2)])
        near(got, want, f"axis {axis}")
        for made, wanted in zip(gnd.take(room), (f, t)):
            near(made, wanted, "frequencies and times")


def room_at(room, k):
    return ctypes.addressof(room) + k * ctypes.sizeof(ctypes.c_void_p)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("size,changes", [case for case in CASES if case[0] > 1])
def test_istft(dtype, size, changes):
    g = generator("istft", dtype, size, str(changes))
    window = g.random(size) + 0.1
    nfft = changes.get("nfft") or size
    for frames in (1, 2, 9, 60):
        for boundary in ("zeros", None):
            for two_sided in (False, True):
                bins = nfft if two_sided else nfft // 2 + 1
                z = values(g, (2, bins, frames), dtype)
                given = {**changes, "boundary": boundary, "two_sided": two_sided}
                want = scipy_istft(z.astype("complex128"), window, **given)
                near(istft(gnd.from_numpy(z), window, **given), want, f"{dtype} {frames} {given}",
                     dtype if two_sided else REAL[dtype])


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_istft_of_many_frames(dtype):
    g = generator("many frames back", dtype)
    for size, frames, lines, changes in ((256, 8000, 1, {}), (256, 2000, 5, {}), (64, 20_000, 1, {"hop": 16}),
                                         (50, 6000, 3, {"hop": 20, "nfft": 64}), (32, 20_000, 1, {"hop": 31}),
                                         (300, 4000, 1, {"hop": 110, "nfft": 1024})):
        window = g.random(size) + 0.1
        z = values(g, (lines, changes.get("nfft", size) // 2 + 1, frames), dtype)
        for boundary in ("zeros", None):
            want = scipy_istft(z.astype("complex128"), window, **changes, boundary=boundary)
            for a in (gnd.from_numpy(z), gnd.swapaxes(gnd.from_numpy(np.swapaxes(z, 1, 2).copy()), 1, 2)):
                near(istft(a, window, **changes, boundary=boundary), want, f"{dtype} {size} {changes}", REAL[dtype])


def test_there_and_back():
    g = generator("back")
    x = values(g, (3, 1000), "float32")
    for size, hop in ((64, 16), (100, 50), (128, 96)):
        window = np.hanning(size + 2)[1:-1]
        for given in ({"hop": hop}, {"hop": hop, "scaling": "psd", "fs": 44100.0}, {"hop": hop, "nfft": 300}):
            z = stft(gnd.from_numpy(x), window, **given)
            back = istft(z, window, **given).numpy()[:, :1000]
            assert np.abs(back - x).max() < 1e-5, f"{size} {given}"


def test_istft_axes_and_lengths():
    g = generator("istft axes")
    window = g.random(10)
    z = values(g, (6, 7, 2, 3), "complex128")
    for time_axis, freq_axis in ((1, 0), (0, 1), (-3, -4), (2, 1), (1, 3)):
        if z.shape[freq_axis] not in (6, 7):
            continue
        given = {"nfft": 12} if z.shape[freq_axis] == 7 else {}
        want = scipy_istft(z, window, time_axis, freq_axis, **given)
        got = istft(gnd.from_numpy(z), window, time_axis, freq_axis, **given)
        near(got, want, f"{time_axis} {freq_axis}")
    for nfft in (10, 11, 14, 30):  # fewer bins, or more, than z has
        near(istft(gnd.from_numpy(z), window, 1, 0, nfft=nfft), scipy_istft(z, window, 1, 0, nfft=nfft), f"{nfft}")
    odd = g.random(11)
    near(istft(gnd.from_numpy(z), odd, 1, 0), scipy_istft(z, odd, 1, 0), "an odd window")
    real = values(g, (6, 4), "float32")
    near(istft(gnd.from_numpy(real), window), scipy_istft(real, window), "of real numbers")
    holes = np.zeros(10)
    holes[3:5] = 1
    near(istft(gnd.from_numpy(z), holes, 1, 0), scipy_istft(z, holes, 1, 0), "sums of squares of 0")


def test_nan_stays_in_its_frames():
    x = np.ones(100, "float32")
    x[50] = np.nan
    got = stft(gnd.from_numpy(x), np.ones(10), hop=10, boundary=None).numpy()
    assert np.isnan(got[:, 5]).all() and np.isfinite(np.delete(got, 5, 1)).all()


def test_empty_channels():
    window = np.ones(8)
    got = stft(gnd.zeros((0, 20), "float32"), window)
    assert got.shape == (0, 5, 6) and dtypes.name_of(got.dtype) == "complex64"
    assert istft(got, window).shape == (0, 20)


def test_refused():
    x, window = gnd.zeros((2, 20), "float32"), gnd.zeros(8, "float32")
    z = gnd.zeros((5, 6), "complex64")

    def forward(a=x, w=window, axis=-1, **changes):
        return gnd.stft(a, w, axis, options(**changes), None, None)

    def back(a=z, w=window, axes=(-1, -2), **changes):
        return gnd.istft(a, w, *axes, options(**changes))

    refused(lambda: forward(None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: forward(w=None), gnd.ERROR_INVALID, "'window' is NULL")
    refused(lambda: forward(w=gnd.zeros((2, 2), "float32")), gnd.ERROR_SHAPE, "(2, 2)")
    refused(lambda: forward(w=gnd.zeros(0, "float32")), gnd.ERROR_SHAPE, "(0,)")
    refused(lambda: forward(w=gnd.zeros(8, "complex64")), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: forward(w=gnd.zeros(21, "float32")), gnd.ERROR_SHAPE, "21 elements", "20 samples")
    refused(lambda: forward(axis=2), gnd.ERROR_AXIS, "2")
    refused(lambda: forward(hop=-1), gnd.ERROR_VALUE, "-1")
    refused(lambda: forward(nfft=7), gnd.ERROR_VALUE, "nfft is 7", "8")
    refused(lambda: forward(fs=-2.0), gnd.ERROR_VALUE, "-2")
    refused(lambda: forward(fs=np.nan), gnd.ERROR_VALUE, "nan")
    refused(lambda: back(None), gnd.ERROR_INVALID, "'z' is NULL")
    refused(lambda: back(axes=(0, 0)), gnd.ERROR_AXIS, "axis 0")
    refused(lambda: back(axes=(0, 2)), gnd.ERROR_AXIS, "2")
    refused(lambda: back(nfft=6), gnd.ERROR_VALUE, "nfft is 6")
    refused(lambda: back(gnd.zeros((5, 0), "complex64")), gnd.ERROR_SHAPE, "(5, 0)")
    refused(lambda: back(w=gnd.zeros(12, "float32")), gnd.ERROR_VALUE, "nfft is 8", "12")
    for field, text in (("detrend", "detrending"), ("boundary", "boundary"), ("scaling", "scaling")):
        wrong = options()
        setattr(wrong, field, 9)
        refused(lambda: gnd.stft(x, window, -1, wrong, None, None), gnd.ERROR_INVALID, text, "9")


def test_failed_allocations_leave_nothing_behind():
    x, window = gnd.from_numpy(np.ones((2, 90), "float32")), gnd.from_numpy(np.hanning(16))
    run_with_failures(lambda: gnd.stft(x, window, -1, None, None, None))
    z = gnd.stft(x, window, -1, None, None, None)
    run_with_failures(lambda: gnd.istft(z, window, -1, -2, None))
