"""Savitzky-Golay filters, mirrored recursive filters, FIR filters by their own names and polynomial division, against
scipy.signal."""

import ctypes

import numpy as np
import pytest
import scipy.signal as ss

import dtypes
import gnd
from check import refused
from test_faults import run_with_failures
from test_filter import near, signal, wide
from values import generator

KEPT = []  # structs whose addresses calls are given
MODES = {"interp": gnd.SAVGOL_INTERP, "mirror": gnd.SAVGOL_MIRROR, "constant": gnd.SAVGOL_CONSTANT,
         "nearest": gnd.SAVGOL_NEAREST, "wrap": gnd.SAVGOL_WRAP}


def options(pos=None, **values):
    result = gnd.STRUCTS["gnd_savgol_options"]()
    for name, value in values.items():
        setattr(result, name, value)
    result.pos = gnd.arg(pos)
    KEPT.append(result)
    return ctypes.addressof(result)


def test_savgol_coeffs():
    for length, order in [(1, 0), (5, 2), (6, 3), (11, 3), (31, 5), (100, 4), (7, 6)]:
        for deriv in (0, 1, 2, 4):
            for delta in (1.0, 0.25):
                for pos in (None, 0, length - 1, length / 3):
                    for use in ("conv", "dot"):
                        want = ss.savgol_coeffs(length, order, deriv, delta, pos, use)
                        got = gnd.savgol_coeffs(length, order, options(pos, deriv=deriv, delta=delta, dot=use == "dot"))
                        near(got, want, f"{length} {order} {deriv} {delta} {pos} {use}", 1e4 if length > 30 else 100)
    taps = gnd.savgol_coeffs(31, 8, options(dot=True)).numpy()  # where SciPy's matrix is ill-conditioned
    x = (np.arange(31) - 15) / 15
    assert np.abs(x[None] ** np.arange(9)[:, None] @ taps - np.eye(9)[0]).max() < 1e-14


@pytest.mark.parametrize("mode", MODES)
def test_savgol_filter(mode):
    g = generator("savgol", mode)
    for length, order, deriv in [(1, 0, 0), (5, 2, 0), (11, 3, 0), (6, 2, 0), (9, 4, 1), (21, 3, 2), (3, 1, 2)]:
        for shape, axis in [((30,), 0), ((3, 21), -1), ((50, 4), 0), ((2, 5000, 3), 1), ((25, 0), 0)]:
            for dtype in ("float64", "float32", "int16"):
                x = signal(shape, dtype, g)
                if x.size == 0 and mode == "interp":
                    continue
                want = ss.savgol_filter(wide(x), length, order, deriv, 0.5, axis, mode, 2.5)
                got = gnd.savgol_filter(gnd.from_numpy(x), length, order, axis,
                                        options(deriv=deriv, delta=0.5, mode=MODES[mode], cval=2.5))
                assert got.dtype == ("float32" if dtype == "float32" else "float64")
                near(got, want, f"{mode} {length} {order} {deriv} {shape} {dtype}", 10)
    base = g.normal(size=(40, 30))
    near(gnd.savgol_filter(gnd.from_numpy(base)["::-2, ::3"], 5, 2, 0, options(mode=MODES[mode])),
         ss.savgol_filter(base[::-2, ::3], 5, 2, axis=0, mode=mode), "view")
    near(gnd.savgol_filter(gnd.from_numpy(base), 5, 2, 0, None), ss.savgol_filter(base, 5, 2, axis=0), "defaults")
    if mode != "interp":
        near(gnd.savgol_filter(gnd.from_numpy(base[0, :4]), 15, 2, 0, options(mode=MODES[mode])),
             ss.savgol_filter(base[0, :4], 15, 2, mode=mode), "a window that is longer than the signal")


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int16"])
def test_symiirorder1(dtype):
    g = generator("symiir1", dtype)
    for shape in [(100,), (3, 200), (1, 6000)]:
        x = signal(shape, dtype, g)
        for c0, z1, precision in [(1.0, 0.5, -1.0), (0.7, -0.3, 1e-4), (2.0, 0.01, 0.0)]:
            near(gnd.symiirorder1(gnd.from_numpy(x), c0, z1, precision),
                 ss.symiirorder1(x, c0, z1, precision).astype(wide(x).dtype), f"{shape} {z1}", 10)
    x = signal((2, 3, 80), dtype, g)
    want = [[ss.symiirorder1(line, 1.0, 0.5) for line in rows] for rows in x]
    near(gnd.symiirorder1(gnd.from_numpy(x), 1.0, 0.5, 0.0), np.array(want).astype(wide(x).dtype), "three axes", 10)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_symiirorder2(dtype):
    g = generator("symiir2", dtype)
    for shape in [(100,), (3, 200), (1, 6000)]:
        x = signal(shape, dtype, g)
        for r, omega in [(0.5, 0.3), (0.6, 2.0), (0.4, 0.0), (0.1, 1.0)]:
            near(gnd.symiirorder2(gnd.from_numpy(x), r, omega, -1.0),
                 ss.symiirorder2(x, r, omega).astype("float64"), f"{shape} {r} {omega}", 20)


def test_fir_names():
    g = generator("firfilter")
    b, x, zi = ss.firwin(9, 0.3), g.normal(size=(4, 90)), g.normal(size=(4, 8))
    arrays = [gnd.from_numpy(v) for v in (b, x, zi)]
    room = gnd.outputs(1)
    want, want_zf = ss.lfilter(b, 1.0, x, zi=zi)
    near(gnd.firfilter(arrays[0], arrays[1], -1, arrays[2], room), want, "firfilter")
    near(gnd.take(room)[0], want_zf, "zf")
    near(gnd.firfilter(arrays[0], arrays[1], 0, None, None), ss.lfilter(b, 1.0, x, 0), "firfilter")
    near(gnd.firfilter_zi(arrays[0]), ss.lfilter_zi(b, 1.0), "firfilter_zi")
    near(gnd.firfilter2(arrays[0], arrays[1], -1, None), ss.filtfilt(b, 1.0, x), "firfilter2")


def test_deconvolve():
    g = generator("deconvolve")
    for n, m in [(9, 4), (4, 4), (3, 5), (50, 1), (200, 3)]:
        for dtype in ("float64", "complex128", "int32", "float32"):
            x, d = signal((n,), dtype, g), signal((m,), dtype, g)
            d[0] = 3
            d[1:] = d[1:] * 0.2
            room = gnd.outputs(2)
            gnd.deconvolve(room, ctypes.addressof(room) + 8, gnd.from_numpy(x), gnd.from_numpy(d))
            quotient, rest = gnd.take(room)
            want, want_rest = ss.deconvolve(wide(x), wide(d))
            near(quotient, np.asarray(want), f"{n} {m} {dtype}", 10)
            assert rest.shape == want_rest.shape and np.abs(rest.numpy() - want_rest).max() < 1e-9
            gnd.deconvolve(None, None, gnd.from_numpy(x), gnd.from_numpy(d))


def test_refused():
    x, short = gnd.zeros((2, 9), "float64"), gnd.zeros(2, "float64")
    refused(lambda: gnd.savgol_coeffs(3, 3, None), gnd.ERROR_VALUE, "polyorder is 3")
    refused(lambda: gnd.savgol_coeffs(3, 1, options(pos=3.0)), gnd.ERROR_VALUE, "pos is 3")
    refused(lambda: gnd.savgol_coeffs(3, 1, options(deriv=-1)), gnd.ERROR_VALUE, "deriv is -1")
    refused(lambda: gnd.savgol_filter(x, 11, 2, 1, None), gnd.ERROR_VALUE, "window_length is 11", "9")
    refused(lambda: gnd.savgol_filter(x, 5, 2, 1, options(mode=7)), gnd.ERROR_INVALID, "mode number 7")
    refused(lambda: gnd.savgol_filter(gnd.zeros(9, "complex64"), 5, 2, 0, None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.symiirorder1(x, 1.0, -1.0, 0.0), gnd.ERROR_VALUE, "|z1| is 1")
    refused(lambda: gnd.symiirorder1(x, 1.0, 0.9, 0.0), gnd.ERROR_VALUE, "did not converge")
    refused(lambda: gnd.symiirorder2(x, 1.0, 0.5, 0.0), gnd.ERROR_VALUE, "r is 1")
    refused(lambda: gnd.symiirorder2(short, 0.5, 0.5, 0.0), gnd.ERROR_SHAPE, "at least 3")
    refused(lambda: gnd.symiirorder2(gnd.zeros(9, "complex64"), 0.5, 0.5, 0.0), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.deconvolve(None, None, short, gnd.zeros(2, "float64")), gnd.ERROR_VALUE, "a[0] is 0")
    refused(lambda: gnd.deconvolve(None, None, x, short), gnd.ERROR_SHAPE, "signal must be 1-dimensional")


def test_out_of_memory_at_every_allocation():
    x = gnd.from_numpy(generator("smooth memory").normal(size=(3, 80)))
    for call in [lambda: gnd.savgol_filter(x, 5, 2, 1, None), lambda: gnd.savgol_coeffs(5, 2, None),
                 lambda: gnd.savgol_filter(x, 5, 2, 0, options(mode=gnd.SAVGOL_WRAP)),
                 lambda: gnd.symiirorder1(x, 1.0, 0.3, 1e-3), lambda: gnd.symiirorder2(x, 0.3, 0.3, 1e-3)]:
        call()  # numbers that the host makes are kept for the next one
        result, failures = run_with_failures(call)
        assert failures > 0
        near(result, call().numpy(), "again")
