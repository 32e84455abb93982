"""The short-time Fourier transform as an object, and dual windows, against scipy.signal.ShortTimeFFT: every mode,
scaling, phase shift, padding, property and way to make one."""

import ctypes

import numpy as np
import pytest
import scipy.signal as ss

import gnd
from check import refused
from test_faults import run_with_failures
from test_resample import REAL, values
from test_spectral import WORK, near
from test_windows import window as named
from values import generator

MODES = ["onesided", "onesided2X", "twosided", "centered"]
SCALINGS = [None, "magnitude", "psd", "unitary"]
PADDINGS = ["zeros", "edge", "even", "odd"]
TRENDS = [None, "constant", "linear"]
END = -2**63


def options(**changes):
    """A gnd_sft_options from SciPy's keywords."""
    shift = changes.get("phase_shift", 0)
    made = gnd.STRUCTS["gnd_sft_options"](
        fs=changes.get("fs", 1.0), fft_mode=MODES.index(changes.get("fft_mode", "onesided")),
        mfft=changes.get("mfft") or 0, scale_to=SCALINGS.index(changes.get("scale_to")), phase_shift=shift or 0,
        no_phase_shift=shift is None)
    if changes.get("dual_win") is not None:
        made.held = gnd.from_numpy(changes["dual_win"])
        made.dual_win = made.held.pointer
    return made


def slices(**changes):
    some = "p0" in changes
    return gnd.STRUCTS["gnd_sft_slices"](
        some=some, p0=changes.get("p0", 0), p1=changes.get("p1", 0), k_offset=changes.get("k_offset", 0),
        padding=PADDINGS.index(changes.get("padding", "zeros")), detrend=TRENDS.index(changes.get("detr")))


def both(win, hop, **changes):
    """Ours and SciPy's."""
    fs = changes.pop("fs", 1.0)
    return gnd.sft_new(gnd.from_numpy(win), hop, options(fs=fs, **changes)), ss.ShortTimeFFT(win, hop, fs, **changes)


def info(ours):
    made = gnd.STRUCTS["gnd_sft_info"]()
    gnd.sft_get_info(ours, ctypes.addressof(made))
    return made


CASES = [(16, 4, {}), (15, 7, {}), (16, 16, {"fs": 50.0}), (64, 20, {"mfft": 128}), (32, 8, {"mfft": 45}),
         (128, 100, {}), (9, 1, {}), (256, 64, {"phase_shift": None}), (32, 5, {"phase_shift": 7}),
         (30, 9, {"phase_shift": -3, "mfft": 64}), (31, 40, {})]


@pytest.mark.parametrize("dtype", WORK)
@pytest.mark.parametrize("size,hop,changes", CASES)
def test_transforms(dtype, size, hop, changes):
    g = generator("sft", dtype, size, hop, str(changes))
    for mode in MODES:
        scaling = SCALINGS[1 + g.integers(2)] if mode == "onesided2X" else SCALINGS[g.integers(3)]
        x = values(g, (2, 400), dtype)
        if np.iscomplexobj(x) and mode.startswith("one"):
            continue
        win = g.random(size) + 0.1
        if not mode.startswith("one") and g.integers(2):
            win = win + 1j * g.random(size)
        ours, theirs = both(win, hop, fft_mode=mode, scale_to=scaling, **changes)
        context = f"{dtype} {size} {hop} {changes} {mode} {scaling} {win.dtype}"
        wide = x.astype("complex128" if np.iscomplexobj(x) else "float64")
        want = theirs.stft(wide)
        got = gnd.sft_stft(ours, gnd.from_numpy(x), -1, None)
        near(got, want, context, WORK[dtype])
        near(gnd.sft_spectrogram(ours, gnd.from_numpy(x), None, -1, None), theirs.spectrogram(wide), context,
             REAL.get(dtype, dtype))
        if theirs.invertible:
            near(gnd.sft_istft(ours, got, 0, 400, -2, -1), theirs.istft(want, 0, 400), context + " back",
                 REAL.get(dtype, dtype) if mode.startswith("one") else WORK[dtype])
        gnd.sft_release(ours)


@pytest.mark.parametrize("padding", PADDINGS)
def test_slices(padding):
    g = generator("sft slices", padding)
    x = values(g, (3, 90, 2), "float64")
    ours, theirs = both(np.hanning(20)[1:-1], 5, fft_mode="centered")  # with mfft SciPy takes no three axes
    for given in ({}, {"p0": -1, "p1": 4}, {"p0": 3, "p1": 12}, {"k_offset": 3}, {"k_offset": -4, "p0": 0, "p1": 9},
                  {"p0": 15, "p1": 19}):
        for trend in TRENDS:
            given = {**given, "padding": padding}
            want = theirs.stft_detrend(x, trend, axis=1, **given)
            got = gnd.sft_stft(ours, gnd.from_numpy(x), 1, slices(detr=trend, **given))
            near(got, want, f"{given} {trend}")
        times = {key: v for key, v in given.items() if key != "padding"}
        near(gnd.sft_t(ours, 90, slices(**given)), theirs.t(90, **times), "times")
    y = values(g, (90, 2), "float64")
    near(gnd.sft_spectrogram(ours, gnd.from_numpy(x), gnd.from_numpy(x[::-1].copy()), 1, slices(padding=padding)),
         theirs.spectrogram(x, x[::-1], axis=1, padding=padding), "two signals")
    near(gnd.sft_spectrogram(ours, gnd.from_numpy(y), gnd.from_numpy(y[:, :1].copy()), 0, slices(padding=padding)),
         theirs.spectrogram(y, y[:, :1], axis=0, padding=padding), "two signals that broadcast")
    gnd.sft_release(ours)


def test_back_along_axes():
    g = generator("sft back")
    ours, theirs = both(g.random(16) + 0.1, 4, fs=20.0, scale_to="psd", fft_mode="onesided2X")
    for shape, axis in (((100,), 0), ((100, 3), 0), ((2, 100, 3), 1), ((2, 3, 100), 2)):
        x = values(g, shape, "float64")
        s = theirs.stft(x, axis=axis)
        for k0, k1 in ((0, None), (-2, 90), (13, 77), (0, 100)):
            want = theirs.istft(s, k0, k1, f_axis=axis, t_axis=-1)
            got = gnd.sft_istft(ours, gnd.from_numpy(s), k0, END if k1 is None else k1, axis, -1)
            near(got, want, f"{shape} {axis} {k0} {k1}")
    moved = np.moveaxis(s, -1, 0).copy()
    near(gnd.sft_istft(ours, gnd.from_numpy(moved), 0, END, 3, 0), theirs.istft(moved, f_axis=3, t_axis=0), "moved")
    gnd.sft_release(ours)


WINDOWS = [np.hanning(16), np.ones(15), np.r_[np.zeros(5), np.ones(6), np.zeros(9)], ss.get_window("hann", 32),
           np.r_[1.0, np.zeros(9)], np.ones(1), np.ones(8) * (1 + 2j), ss.get_window("hann", 25).astype("float32")]


@pytest.mark.parametrize("number", range(len(WINDOWS)))
def test_properties(number):
    win = WINDOWS[number]
    mode = "twosided" if np.iscomplexobj(win) else "onesided"
    for hop in (1, 3, 8, 20, 50):
        for scaling in (None, "psd", "magnitude"):
            ours, theirs = both(win, hop, fs=25.0, fft_mode=mode, mfft=2 * len(win), scale_to=scaling)
            got = info(ours)
            for name in ("hop", "mfft", "m_num", "m_num_mid", "f_pts", "phase_shift", "k_min", "p_min", "invertible",
                         "onesided_fft"):
                assert getattr(got, name) == getattr(theirs, name), f"{number} {hop} {name}"
            for name in ("fs", "T", "delta_t", "delta_f", "fac_magnitude", "fac_psd"):
                assert np.isclose(getattr(got, name), getattr(theirs, name), 1e-6 if number == 7 else 1e-12), name
            assert tuple(got.lower_border_end) == theirs.lower_border_end, f"{number} {hop}"
            bound = 1e-6 if number == 7 else 1e-13  # SciPy computes in the window's dtype
            assert np.allclose(gnd.sft_win(ours).numpy(), theirs.win, rtol=bound, atol=bound)
            near(gnd.sft_f(ours), theirs.f, "f")
            if theirs.invertible:
                dual = theirs.dual_win.astype(np.result_type(win, "float64"))
                assert np.allclose(gnd.sft_dual_win(ours).numpy(), dual, rtol=1e-5 if number == 7 else 1e-12)
            for n in (len(win) - len(win) // 2, 40, 41, 47, 100):
                made = gnd.STRUCTS["gnd_sft_range"]()
                gnd.sft_get_range(ours, n, ctypes.addressof(made))
                assert (made.k_max, made.p_max, made.p_num) == (theirs.k_max(n), theirs.p_max(n), theirs.p_num(n))
                assert tuple(made.upper_border_begin) == theirs.upper_border_begin(n), f"{number} {hop} {n}"
                near(gnd.sft_t(ours, n, None), theirs.t(n), "t")
                for f_first in (False, True):
                    for center in (False, True):
                        room = (ctypes.c_double * 4)()
                        if mode == "onesided":
                            gnd.sft_extent(ours, n, f_first, center, ctypes.addressof(room))
                            want = theirs.extent(n, "ft" if f_first else "tf", center)
                            assert np.allclose(list(room), want, rtol=1e-13)
            for k in (-9, -8, 0, 5, 16):
                for left in (True, False):
                    assert gnd.sft_nearest_k_p(ours, k, left) == theirs.nearest_k_p(k, left)
            gnd.sft_release(ours)


def test_ways_to_make_one():
    g = generator("sft make")
    x = values(g, (300,), "float64")
    win = g.random(20) + 0.1
    pairs = [
        (gnd.sft_from_dual(gnd.from_numpy(win), 5, options(fs=3.0, scale_to="psd")),
         ss.ShortTimeFFT.from_dual(win, 5, 3.0, scale_to="psd")),
        (gnd.sft_from_window(named(("gaussian", 5.0)), 30, 20, True, options(fs=3.0, mfft=40)),
         ss.ShortTimeFFT.from_window(("gaussian", 5.0), 3.0, 30, 20, symmetric_win=True, mfft=40)),
        (gnd.sft_from_window(named("hann"), 30, 20, False, options(fs=3.0)),
         ss.ShortTimeFFT.from_window("hann", 3.0, 30, 20)),
        (gnd.sft_new(gnd.from_numpy(win), 5, options(dual_win=win + 1)), ss.ShortTimeFFT(win, 5, 1.0, dual_win=win + 1)),
    ]
    for scaling in SCALINGS:
        pairs.append((gnd.sft_from_win_equals_dual(gnd.from_numpy(win), 6, options(scale_to=scaling, mfft=32)),
                      ss.ShortTimeFFT.from_win_equals_dual(win, 6, 1.0, scale_to=scaling, mfft=32)))
    for ours, theirs in pairs:
        assert SCALINGS[info(ours).scaling] == theirs.scaling
        near(gnd.sft_win(ours), theirs.win, "win")
        near(gnd.sft_dual_win(ours), theirs.dual_win, "dual_win")
        s = theirs.stft(x)
        near(gnd.sft_stft(ours, gnd.from_numpy(x), -1, None), s, "stft")
        near(gnd.sft_istft(ours, gnd.from_numpy(s), 0, 300, -2, -1), theirs.istft(s, 0, 300), "istft")
        gnd.sft_scale_to(ours, 1)
        theirs.scale_to("magnitude")
        gnd.sft_set(ours, options(fs=7.0, fft_mode="centered", mfft=50, phase_shift=2))
        theirs.fs, theirs.fft_mode, theirs.mfft, theirs.phase_shift = 7.0, "centered", 50, 2
        s = theirs.stft(x)
        near(gnd.sft_stft(ours, gnd.from_numpy(x), -1, None), s, "changed")
        near(gnd.sft_istft(ours, gnd.from_numpy(s), 0, 300, -2, -1), theirs.istft(s, 0, 300), "changed, back")
        near(gnd.sft_f(ours), theirs.f, "f")
        gnd.sft_release(ours)


def test_closest_dual_windows():
    g = generator("closest")
    for n, hop in ((16, 4), (15, 4), (30, 30), (24, 1), (21, 5)):
        for win in (g.random(n) + 0.1, np.hanning(n + 2)[1:-1], g.random(n) + 1j * g.random(n)):
            for desired in (None, g.random(n), g.random(n) * 1j):
                for scaled in (True, False):
                    want, alpha = ss.closest_STFT_dual_window(win, hop, desired, scaled=scaled)
                    room = (ctypes.c_double * 2)()
                    got = gnd.closest_STFT_dual_window(gnd.from_numpy(win), hop,
                                                       None if desired is None else gnd.from_numpy(desired), scaled,
                                                       ctypes.addressof(room))
                    assert np.allclose(got.numpy(), want, rtol=1e-10, atol=1e-12), f"{n} {hop} {scaled}"
                    assert np.isclose(complex(*room), alpha)
    a = gnd.from_numpy(np.ones(8))
    refused(lambda: gnd.closest_STFT_dual_window(None, 4, None, True, None), gnd.ERROR_INVALID, "'win' is NULL")
    refused(lambda: gnd.closest_STFT_dual_window(a, 9, None, True, None), gnd.ERROR_VALUE, "the hop is 9", "8")
    refused(lambda: gnd.closest_STFT_dual_window(a, 2, gnd.from_numpy(np.ones(7)), True, None), gnd.ERROR_SHAPE, "7")
    refused(lambda: gnd.closest_STFT_dual_window(gnd.from_numpy(np.arange(8)), 2, None, True, None), gnd.ERROR_DTYPE,
            "integers")
    refused(lambda: gnd.closest_STFT_dual_window(gnd.from_numpy(np.full(8, np.nan)), 2, None, True, None),
            gnd.ERROR_VALUE, "not finite")
    refused(lambda: gnd.closest_STFT_dual_window(gnd.from_numpy(np.r_[1.0, np.zeros(7)]), 2, None, True, None),
            gnd.ERROR_VALUE, "no dual window")


def test_refused():
    win, x = gnd.from_numpy(np.ones(8)), gnd.from_numpy(np.ones((2, 30)))

    def make(a=win, hop=2, **changes):
        return gnd.sft_new(a, hop, options(**changes))

    refused(lambda: make(None), gnd.ERROR_INVALID, "'win' is NULL")
    refused(lambda: make(gnd.zeros((2, 2), "float32")), gnd.ERROR_SHAPE, "(2, 2)")
    refused(lambda: make(hop=0), gnd.ERROR_VALUE, "the hop is 0")
    refused(lambda: make(mfft=7), gnd.ERROR_VALUE, "mfft is 7", "8")
    refused(lambda: make(fs=-1.0), gnd.ERROR_VALUE, "-1")
    refused(lambda: make(phase_shift=8), gnd.ERROR_VALUE, "phase shift is 8")
    refused(lambda: make(fft_mode="onesided2X"), gnd.ERROR_VALUE, "scaling")
    refused(lambda: make(scale_to="unitary"), gnd.ERROR_INVALID, "3")
    refused(lambda: make(gnd.from_numpy(np.ones(8) * 1j)), gnd.ERROR_VALUE, "complex")
    refused(lambda: make(dual_win=np.ones(7)), gnd.ERROR_SHAPE, "8 elements", "7")
    f = make()
    refused(lambda: gnd.sft_stft(None, x, -1, None), gnd.ERROR_INVALID, "'f' is NULL")
    refused(lambda: gnd.sft_stft(f, None, -1, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.sft_stft(f, x, 2, None), gnd.ERROR_AXIS, "2")
    refused(lambda: gnd.sft_stft(f, gnd.from_numpy(np.ones(3)), -1, None), gnd.ERROR_VALUE, "3 samples", "4")
    refused(lambda: gnd.sft_stft(f, gnd.from_numpy(np.ones(30) * 1j), -1, None), gnd.ERROR_VALUE, "complex")
    refused(lambda: gnd.sft_stft(f, x, -1, slices(p0=-9, p1=2)), gnd.ERROR_VALUE, "-9 to 2")
    refused(lambda: gnd.sft_spectrogram(f, x, gnd.from_numpy(np.ones(3)), -1, None), gnd.ERROR_VALUE, "3 samples")
    s = gnd.sft_stft(f, x, -1, None)
    refused(lambda: gnd.sft_istft(f, s, 0, END, -1, -1), gnd.ERROR_AXIS, "axis 2")
    refused(lambda: gnd.sft_istft(f, s, 0, END, -1, -2), gnd.ERROR_VALUE, "bins")
    refused(lambda: gnd.sft_istft(f, s, 0, 99, -2, -1), gnd.ERROR_VALUE, "0 to 99")
    refused(lambda: gnd.sft_set(f, options(mfft=3)), gnd.ERROR_VALUE, "mfft is 3")
    refused(lambda: gnd.sft_scale_to(f, 0), gnd.ERROR_INVALID, "0")
    refused(lambda: gnd.sft_t(f, 2, None), gnd.ERROR_VALUE, "2 samples")
    gnd.sft_release(f)
    f = make(hop=9)
    refused(lambda: gnd.sft_dual_win(f), gnd.ERROR_VALUE, "9")
    refused(lambda: gnd.sft_istft(f, gnd.from_numpy(np.ones((5, 6)) * 1j), 0, END, -2, -1), gnd.ERROR_VALUE, "dual")
    gnd.sft_release(f)
    refused(lambda: gnd.sft_from_dual(win, 9, None), gnd.ERROR_VALUE, "9")
    refused(lambda: gnd.sft_from_win_equals_dual(win, 9, None), gnd.ERROR_VALUE, "9")
    refused(lambda: gnd.sft_from_window(named("hann"), 8, 8, False, None), gnd.ERROR_VALUE, "the hop is 0")


def test_failed_allocations_leave_nothing_behind():
    win, x = gnd.from_numpy(np.hanning(18)[1:-1]), gnd.from_numpy(np.ones((2, 90), "float32"))
    run_with_failures(lambda: gnd.sft_release(gnd.sft_new(win, 4, None)))
    run_with_failures(lambda: gnd.sft_release(gnd.sft_from_win_equals_dual(win, 4, None)))
    f = gnd.sft_new(win, 4, None)
    s = gnd.sft_stft(f, x, -1, None)
    run_with_failures(lambda: gnd.sft_stft(f, x, -1, slices(padding="odd")))
    run_with_failures(lambda: gnd.sft_spectrogram(f, x, x, -1, None))
    run_with_failures(lambda: gnd.sft_istft(f, s, 0, END, -2, -1))
    run_with_failures(lambda: gnd.sft_set(f, options(mfft=33)))
    gnd.sft_release(f)
