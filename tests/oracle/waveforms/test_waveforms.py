"""Waveforms against SciPy's: every option, dtypes, strided times, special values, and what is refused."""

import ctypes

import numpy as np
import pytest
from scipy import signal

import dtypes
import gnd
from check import refused
from designs import doubles
from test_resample import options, strided
from values import generator

REAL = [d for d in dtypes.NAMES if d not in dtypes.COMPLEX]
NARROW = ("float16", "bfloat16", "float32")


def close(got, want, dtype, context, phase=0.0):
    """`phase`: the largest one in radians, whose rounding is in the result."""
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    x, want = got.numpy(), np.asarray(want)
    scale = np.abs(want[np.isfinite(want)]).max(initial=0)
    rounding = 1.2e-7 * np.abs(want) if dtype in ("float32", "complex64") else 0
    allowed = (2e-15 + 5e-16 * phase) * max(scale, 1) + rounding
    bad = ~(np.abs(x - want) <= allowed) & ~(np.isnan(want) & np.isnan(x))
    assert not bad.any(), f"{context}: {x[bad][:4]}, not {want[bad][:4]} at {np.flatnonzero(bad.ravel())[:4]}"


def times(g, dtype, shape):
    """Times as an Array, and as float64."""
    a, x = strided(g, shape, dtype)
    return a, dtypes.wide(x).astype("float64")


def result(dtype):
    return "float32" if dtype in NARROW else "float64"


# ---- chirps -----------------------------------------------------------------------------------------------

METHODS = {"linear": gnd.CHIRP_LINEAR, "quadratic": gnd.CHIRP_QUADRATIC, "logarithmic": gnd.CHIRP_LOGARITHMIC,
           "hyperbolic": gnd.CHIRP_HYPERBOLIC}


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("method", METHODS)
def test_chirp(method, dtype):
    g = generator("chirp", method, dtype)
    for f0, t1, f1 in [(6.0, 10.0, 1.0), (1.0, 7.5, 20.0), (3.0, 2.0, 3.0), (0.25, 1.5, -0.25), (-2.0, 4.0, -5.0),
                       (0.0, 3.0, 2.0)]:
        if (method == "logarithmic" and f0 * f1 <= 0) or (method == "hyperbolic" and f0 * f1 == 0):
            continue
        for shape in [(), (0,), (1,), (50,), (3, 0), (7, 9), (2, 3, 4)]:
            t, x = times(g, dtype, shape)
            if method == "logarithmic":
                t, x = gnd.clip(t, -3, 3) if dtype != "bool" else t, np.clip(x, -3, 3)
            for phi in (0.0, 30.0, -400.0):
                with np.errstate(all="ignore"):
                    want = signal.chirp(x, f0, t1, f1, method, phi)
                    phase = np.abs(signal._waveforms._chirp_phase(x, f0, t1, f1, method)).max(initial=0)
                phase = 4 * min(phase, 1e9) + 10
                if not np.isfinite(phase):
                    phase = 1e9
                context = f"{method} {dtype} {shape} {f0} {t1} {f1} {phi}"
                close(gnd.chirp(t, f0, t1, f1, options("gnd_chirp_options", method=METHODS[method], phi=phi)), want,
                      result(dtype), context, phase)


def test_chirp_options():
    x = np.linspace(0, 12, 1001)
    t = gnd.from_numpy(x)
    for method in METHODS:
        for end in (False, True):
            for phi in (0.0, 45.0):
                made = options("gnd_chirp_options", method=METHODS[method], phi=phi, end_vertex=end)
                want = signal.chirp(x, 6.0, 10.0, 1.5, method, phi, not end)
                close(gnd.chirp(t, 6.0, 10.0, 1.5, made), want, "float64", f"{method} {end} {phi}", 2000)
                made.complex_result = True
                want = signal.chirp(x, 6.0, 10.0, 1.5, method, phi, not end, complex=True)
                close(gnd.chirp(t, 6.0, 10.0, 1.5, made), want, "complex128", f"complex {method} {end} {phi}", 2000)
                close(gnd.chirp(gnd.astype(t, "float32"), 6.0, 10.0, 1.5, made),
                      signal.chirp(x.astype("f").astype("d"), 6.0, 10.0, 1.5, method, phi, not end, complex=True),
                      "complex64", f"complex64 {method} {end} {phi}", 2000)


def test_chirp_keeps_its_phase():
    """In float32 a time's phase is that of the time, not one rounded to float32."""
    x = np.arange(100000, dtype="float32") / 8
    got = gnd.chirp(gnd.from_numpy(x), 1000.125, 1e4, 2000.25, None).numpy()
    assert np.abs(got - signal.chirp(x.astype("d"), 1000.125, 1e4, 2000.25)).max() < 1e-6


def test_chirp_refuses():
    t = gnd.from_numpy(np.arange(4.0))
    for method, f0, f1 in [("logarithmic", 0.0, 1.0), ("logarithmic", 1.0, -1.0), ("hyperbolic", 0.0, 1.0),
                           ("hyperbolic", 1.0, 0.0)]:
        with pytest.raises(ValueError):
            signal.chirp(np.arange(4.0), f0, 1.0, f1, method)
        refused(lambda m=method, a=f0, b=f1: gnd.chirp(t, a, 1.0, b, options("gnd_chirp_options", method=METHODS[m])),
                gnd.ERROR_VALUE, f"a {method} chirp")
    refused(lambda: gnd.chirp(t, 1, 1, 2, options("gnd_chirp_options", method=4)), gnd.ERROR_INVALID, "number 4")
    refused(lambda: gnd.chirp(None, 1, 1, 2, None), gnd.ERROR_INVALID, "'t' is NULL")
    refused(lambda: gnd.chirp(gnd.zeros((2,), "complex64"), 1, 1, 2, None), gnd.ERROR_DTYPE, "complex64")


@pytest.mark.parametrize("dtype", ["float64", "float32", "int16"])
def test_sweep_poly(dtype):
    g = generator("sweep_poly", dtype)
    for poly in ([2.0], [0.025, -0.36, 1.25, 2.0], [0.0, 1.0], list(g.standard_normal(20) / 1e3)):
        for shape in [(), (0,), (40,), (3, 5)]:
            t, x = times(g, dtype, shape)
            t, x = gnd.clip(t, -3, 3), np.clip(x, -3, 3)
            for phi in (0.0, 20.0):
                phase = 2 * np.pi * np.abs(np.polyval(np.polyint(np.abs(poly)), np.abs(x))).max(initial=0)
                close(gnd.sweep_poly(t, *doubles(poly), phi), signal.sweep_poly(x, np.poly1d(poly), phi),
                      result(dtype), f"{poly} {shape} {phi}", 4 * phase + 10)  # SciPy rounds at each power
    refused(lambda: gnd.sweep_poly(t, 0, None, 0), gnd.ERROR_VALUE, "0 coefficients")
    refused(lambda: gnd.sweep_poly(t, *doubles(np.ones(64)), 0), gnd.ERROR_VALUE, "64 coefficients")
    refused(lambda: gnd.sweep_poly(t, 2, None, 0), gnd.ERROR_INVALID, "'poly' is NULL")


# ---- pulses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int8"])
def test_gausspulse(dtype):
    g = generator("gausspulse", dtype)
    for fc, bw, bwr in [(5.0, 0.5, -6.0), (0.0, 0.1, -3.0), (0.25, 1.5, -20.0)]:
        for shape in [(), (0,), (60,), (4, 6)]:
            t, x = times(g, dtype, shape)
            want = signal.gausspulse(x, fc, bw, bwr, retquad=True, retenv=True)
            parts = [ctypes.c_void_p(), ctypes.c_void_p()]
            got = gnd.gausspulse(t, fc, bw, bwr, *[ctypes.addressof(p) for p in parts])
            phase = 2 * np.pi * fc * np.abs(x).max(initial=0)
            for name, a, b in zip("IQe", [got, *[gnd.Array(p.value) for p in parts]], want):
                close(a, b, result(dtype), f"{name} {fc} {bw} {bwr} {shape}", phase)
            close(gnd.gausspulse(t, fc, bw, bwr, None, None), want[0], result(dtype), "alone", phase)
            got = gnd.gausspulse(t, fc, bw, bwr, None, ctypes.addressof(parts[1]))
            close(got, want[0], result(dtype), "two", phase)
            gnd.Array(parts[1].value)
    for fc, bw, bwr, text in [(-1, 0.5, -6, "fc"), (1, 0, -6, "bw"), (1, 0.5, 0, "bwr")]:
        with pytest.raises(ValueError):
            signal.gausspulse(np.zeros(2), fc, bw, bwr)
        refused(lambda a=fc, b=bw, c=bwr: gnd.gausspulse(gnd.zeros((2,), None), a, b, c, None, None), gnd.ERROR_VALUE,
                text)


def test_gausspulse_cutoff():
    value = ctypes.c_double()
    for fc, bw, bwr, tpr in [(1000, 0.5, -6, -60), (3, 0.2, -10, -20)]:
        gnd.gausspulse_cutoff(ctypes.addressof(value), fc, bw, bwr, tpr)
        want = signal.gausspulse("cutoff", fc, bw, bwr, tpr)
        assert abs(value.value - want) < 1e-15 * want * 4
    refused(lambda: gnd.gausspulse_cutoff(ctypes.addressof(value), 1, 0.5, -6, 0), gnd.ERROR_VALUE, "tpr")
    refused(lambda: gnd.gausspulse_cutoff(ctypes.addressof(value), 1, 0.5, 1, -3), gnd.ERROR_VALUE, "bwr")
    refused(lambda: gnd.gausspulse_cutoff(None, 1, 0.5, -6, -3), gnd.ERROR_INVALID, "'cutoff' is NULL")


# ---- periodic waves ---------------------------------------------------------------------------------------

PERIODIC = {"sawtooth": (gnd.sawtooth, signal.sawtooth), "square_wave": (gnd.square_wave, signal.square)}


@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("name", PERIODIC)
def test_periodic(name, dtype):
    mine, scipys = PERIODIC[name]
    g = generator(name, dtype)
    for shape in [(), (0,), (1,), (60,), (5, 7)]:
        t, x = times(g, dtype, shape)
        close(mine(t, None), scipys(x), result(dtype), f"{dtype} {shape}")
        for width in (0, 0.25, 0.5, 1, 1.5, -0.1):
            close(mine(t, width), scipys(x, width), result(dtype), f"{dtype} {shape} {width}")


@pytest.mark.parametrize("name", PERIODIC)
def test_periodic_with_an_array_of_widths(name):
    mine, scipys = PERIODIC[name]
    g = generator(name, "widths")
    for first, second in [((5, 7), (7,)), ((5, 1), (7,)), ((), (4,)), ((6,), ()), ((0, 3), (3,))]:
        for a, b in [("float64", "float64"), ("float32", "float32"), ("float32", "float64"), ("int32", "float32")]:
            t, x = times(g, a, first)
            w = np.where(g.random(second) < 0.1, np.nan, g.random(second) * 1.4 - 0.2).astype(b)
            dtype = "float32" if a == b == "float32" else "float64"
            slope = 1 / np.abs(1 - w.astype("d")[w < 1]).min(initial=1)  # rounding is larger by so much
            close(mine(t, gnd.from_numpy(w)), scipys(x, w.astype("d")), dtype, f"{first} {second} {a} {b}", 9 * slope)


@pytest.mark.parametrize("name", PERIODIC)
def test_periodic_at_special_times(name):
    mine, scipys = PERIODIC[name]
    x = np.array([0.0, -0.0, np.pi, -np.pi, 2 * np.pi, -2 * np.pi, 4 * np.pi, -1e-300, 1e-300, 1e300, np.nan, np.inf,
                  -np.inf])
    for width in (None, 0.3, 0.5, 0, 1, 2.0):
        with np.errstate(all="ignore"):
            want = scipys(x) if width is None else scipys(x, width)
        if width == 2.0:
            want = np.full(x.shape, np.nan)  # SciPy before 1.18 has -1 where t is not finite
        close(mine(gnd.from_numpy(x), width), want, "float64", f"{name} {width}")


def test_periodic_refuses():
    t = gnd.from_numpy(np.arange(6.0))
    for name, (mine, _) in PERIODIC.items():
        refused(lambda f=mine: f(None, 1.0), gnd.ERROR_INVALID, "'t' is NULL")
        refused(lambda f=mine: f(t, 1j), gnd.ERROR_DTYPE, "complex")
        refused(lambda f=mine: f(t, gnd.zeros((6,), "complex64")), gnd.ERROR_DTYPE, "complex64")
        refused(lambda f=mine: f(t, gnd.zeros((4,), None)), gnd.ERROR_SHAPE, "")
        refused(lambda f=mine: f(gnd.zeros((6,), "complex64"), 1.0), gnd.ERROR_DTYPE, "complex64")


# ---- impulses ---------------------------------------------------------------------------------------------


def indices(*values):
    return len(values), (ctypes.c_int64 * max(len(values), 1))(*values)


def test_unit_impulse():
    for shape in [(1,), (7,), (8,), (3, 4), (2, 3, 5)]:
        for dtype in dtypes.NAMES:
            plain = dtypes.DTYPES[dtype] if dtype != "bfloat16" else np.dtype("float32")
            got = gnd.unit_impulse(shape, 0, None, dtype)
            assert got.dtype == dtype
            assert (dtypes.wide(got.numpy()) == signal.unit_impulse(shape, dtype=plain)).all()
        assert (gnd.unit_impulse(shape, -1, None, None).numpy() == signal.unit_impulse(shape, "mid")).all()
        for each in (0, -1):
            assert (gnd.unit_impulse(shape, *indices(each), None).numpy() == signal.unit_impulse(shape, each)).all()
        last = tuple(n - 1 for n in shape)
        assert (gnd.unit_impulse(shape, *indices(*last), None).numpy() == signal.unit_impulse(shape, last)).all()
    assert gnd.unit_impulse((), 0, None, None).numpy() == 1
    refused(lambda: gnd.unit_impulse((3, 4), *indices(1, 4), None), gnd.ERROR_INDEX,
            "index 4 is out of bounds for axis 1")
    refused(lambda: gnd.unit_impulse((3, 4), *indices(-4), None), gnd.ERROR_INDEX, "-4")
    refused(lambda: gnd.unit_impulse((0,), 0, None, None), gnd.ERROR_INDEX, "size 0")
    refused(lambda: gnd.unit_impulse((3, 4, 5), *indices(1, 2), None), gnd.ERROR_INVALID, "2 indices")
    refused(lambda: gnd.unit_impulse((3, 4), 2, None, None), gnd.ERROR_INVALID, "'index' is NULL")


# ---- maximum length sequences -----------------------------------------------------------------------------


def max_len_seq(nbits, state=None, length=None, taps=None):
    start = None if state is None else (ctypes.c_int8 * nbits)(*[int(bool(x)) for x in state])
    count, given = indices(*taps) if taps is not None else (0, None)
    final = ctypes.c_void_p()
    made = gnd.max_len_seq(nbits, start, -1 if length is None else length, count, given, ctypes.addressof(final))
    return made, gnd.Array(final.value)


def same_sequence(nbits, **arguments):
    want = signal.max_len_seq(nbits, **arguments)
    for got, other in zip(max_len_seq(nbits, **arguments), want):
        assert got.dtype == "int8" and got.shape == other.shape, f"{nbits} {arguments}"
        assert (got.numpy() == other).all(), f"{nbits} {arguments}"


def test_max_len_seq():
    g = generator("max_len_seq")
    for nbits in range(2, 15):
        same_sequence(nbits)
    for nbits in range(2, 33):
        for length in (0, 1, nbits - 1, nbits, nbits + 1, 1000, 5003):
            state = g.integers(0, 2, nbits)
            state[g.integers(nbits)] = 1
            same_sequence(nbits, state=state, length=length)


def test_max_len_seq_with_taps():
    g = generator("max_len_seq taps")
    for nbits in (1, 2, 3, 7, 40, 100):
        for _ in range(12):
            taps = list(g.integers(0, nbits + 1, g.integers(1, 6)))
            same_sequence(nbits, taps=[int(t) for t in taps], length=777)
    same_sequence(5, taps=[0], length=20)
    same_sequence(5, taps=[0, 5], length=20)
    same_sequence(5, taps=[3, 3, 3])


def test_max_len_seq_goes_on_from_its_state():
    whole = max_len_seq(16, length=3000)[0].numpy()
    first, state = max_len_seq(16, length=1234)
    assert (np.concatenate([first.numpy(), max_len_seq(16, state.numpy(), 1766)[0].numpy()]) == whole).all()


def test_max_len_seq_refuses():
    for nbits in (1, 33):
        refused(lambda n=nbits: max_len_seq(n), gnd.ERROR_VALUE, "between 2 and 32")
    refused(lambda: max_len_seq(0), gnd.ERROR_VALUE, "nbits")
    refused(lambda: max_len_seq(4, [0, 0, 0, 0]), gnd.ERROR_VALUE, "all zeros")
    refused(lambda: max_len_seq(4, length=-2), gnd.ERROR_VALUE, "-2")
    refused(lambda: max_len_seq(4, taps=[5]), gnd.ERROR_VALUE, "unlike 5")
    refused(lambda: max_len_seq(4, taps=[-1]), gnd.ERROR_VALUE, "unlike -1")
    refused(lambda: max_len_seq(4, taps=[]), gnd.ERROR_VALUE, "0 taps")
    refused(lambda: max_len_seq(70, taps=[1]), gnd.ERROR_VALUE, "whole period")
