"""Orders, special filters, transformations, conversions and least-squares designs against SciPy."""

import ctypes

import numpy as np
import pytest
from scipy import signal

import gnd
from designs import doubles, filter_of, near, options_of, refusal, same_sets, struct



def array(values):
    return gnd.from_numpy(np.asarray(values))


# ---- orders -------------------------------------------------------------------------------------------

ORDERS = {"gnd_buttord": "buttord", "gnd_cheb1ord": "cheb1ord", "gnd_cheb2ord": "cheb2ord", "gnd_ellipord": "ellipord"}
EDGES = [(0.2, 0.3), (0.5, 0.35), ([0.3, 0.6], [0.2, 0.7]), ([0.2, 0.7], [0.35, 0.5])]


def order_of(name, wp, ws, gpass, gstop, analog=False, fs=0.0):
    order, wn = ctypes.c_int(), (ctypes.c_double * 2)()
    count, low = doubles(wp)
    gnd.function(name)(ctypes.addressof(order), ctypes.addressof(wn), count, low, doubles(ws)[1], gpass, gstop, analog,
                       fs)
    return order.value, np.array(wn[:count])


@pytest.mark.parametrize("name", ORDERS)
def test_orders(name):
    for wp, ws in EDGES:
        for gpass, gstop in [(1.0, 40.0), (0.1, 60.0), (3.0, 20.0)]:
            for analog, fs in [(False, None), (True, None), (False, 40.0)]:
                scale = fs / 2 if fs else 1
                p, s = np.asarray(wp) * scale, np.asarray(ws) * scale
                order, wn = getattr(signal, ORDERS[name])(p, s, gpass, gstop, analog=analog, fs=fs)
                got, mine = order_of(name, p, s, gpass, gstop, analog, fs or 0.0)
                assert got == order, (name, wp, ws, gpass, gstop, analog)
                near(mine, np.atleast_1d(wn), 1e-7)


def test_iirdesign():
    families = {"butter": gnd.BUTTERWORTH, "cheby1": gnd.CHEBYSHEV1, "cheby2": gnd.CHEBYSHEV2, "ellip": gnd.ELLIPTIC}
    for wp, ws in EDGES:
        for family, code in families.items():
            want = signal.iirdesign(wp, ws, 1.0, 30.0, ftype=family, output="zpk")
            count, low = doubles(wp)
            got = filter_of("gnd_iirdesign", count, low, doubles(ws)[1], 1.0, 30.0, code, options_of(output="zpk"))
            same_sets(got["z"], want[0], 1e-6)
            same_sets(got["p"], want[1], 1e-6)
            assert np.isclose(got["k"], want[2], rtol=1e-6)
    with refusal(gnd.ERROR_INVALID):
        filter_of("gnd_iirdesign", *doubles(0.2), doubles(0.3)[1], 1.0, 30.0, gnd.BESSEL, None)
    for wp, ws, gpass, gstop in [(0.2, 0.2, 1.0, 30.0), (0.2, 1.3, 1.0, 30.0), (0.2, 0.3, -1.0, 30.0),
                                 (0.2, 0.3, 40.0, 30.0), ([0.2, 0.4], [0.3, 0.5], 1.0, 30.0)]:
        with refusal(gnd.ERROR_VALUE):
            order_of("gnd_ellipord", wp, ws, gpass, gstop)


# ---- one frequency ------------------------------------------------------------------------------------


def test_notch_peak_comb():
    for w0, q, fs in [(0.3, 30.0, 2.0), (60.0, 5.0, 300.0)]:
        for name in ("gnd_iirnotch", "gnd_iirpeak"):
            got, want = filter_of(name, w0, q, fs), getattr(signal, name[4:])(w0, q, fs)
            near(got["b"], want[0], 1e-13)
            near(got["a"], want[1], 1e-13)
    for kind in ("notch", "peak"):
        for pass_zero in (False, True):
            got = filter_of("gnd_iircomb", 20.0, 30.0, kind == "peak", 200.0, pass_zero)
            want = signal.iircomb(20.0, 30.0, ftype=kind, fs=200.0, pass_zero=pass_zero)
            near(got["b"], want[0], 1e-13)
            near(got["a"], want[1], 1e-13)
    for arguments in [(-0.1, 3.0, 0.0), (1.1, 3.0, 0.0), (0.5, -1.0, 0.0)]:
        with refusal(gnd.ERROR_VALUE):
            filter_of("gnd_iirnotch", *arguments)
    with refusal(gnd.ERROR_VALUE):
        filter_of("gnd_iircomb", 21.0, 30.0, False, 200.0, False)


def test_gammatone():
    for freq, fs in [(440.0, 16000.0), (1000.0, 8000.0)]:
        got, want = filter_of("gnd_gammatone", freq, False, 0, 0, fs), signal.gammatone(freq, "iir", fs=fs)
        near(got["b"], want[0], 1e-9)
        near(got["a"], want[1], 1e-12)
        for order, taps in [(None, None), (2, 50), (24, 400)]:
            got = filter_of("gnd_gammatone", freq, True, order or 0, taps or 0, fs)
            want = signal.gammatone(freq, "fir", order=order, numtaps=taps, fs=fs)
            near(got["b"], want[0], 1e-11)
            near(got["a"], want[1])
    with refusal(gnd.ERROR_VALUE):
        filter_of("gnd_gammatone", 9000.0, False, 0, 0, 16000.0)


# ---- transformations and conversions ------------------------------------------------------------------


def test_transforms():
    for b, a in [([1.0], [1.0, 1.4, 1.0]), ([1.0, 2.0], [1.0, 3.0, 2.0, 0.5]), ([0.3, 0, 1.0], [2.0, 1.4, 1.0]),
                 ([1.0, 2.0, 3.0], [2.0, 1.0]), ([2.0], [4.0])]:
        for name, arguments in [("gnd_lp2lp", (2.5,)), ("gnd_lp2hp", (2.5,)), ("gnd_lp2bp", (2.5, 0.7)),
                                ("gnd_lp2bs", (2.5, 0.7)), ("gnd_bilinear", (3.0,))]:
            want = getattr(signal, name[4:])(b, a, *arguments)
            got = filter_of(name, array(b), array(a), *arguments)
            near(got["b"], want[0], 1e-12)
            near(got["a"], want[1], 1e-12)
    got = filter_of("gnd_bilinear", array([0.0, 1.0, 2]), array([0.0, 0, 1, 3]), 0.0)
    want = signal.bilinear([1.0, 2], [1, 3])
    near(got["b"], want[0], 1e-13)
    near(got["a"], want[1], 1e-13)
    with refusal(gnd.ERROR_DTYPE):
        filter_of("gnd_lp2lp", array([1j]), array([1.0]), 1.0)
    with refusal(gnd.ERROR_VALUE):
        filter_of("gnd_lp2bp", array([1.0]), array([1.0, 2]), 1.0, 0.0)


def test_transforms_of_roots():
    for z, p, k in [([], [-1.0, -0.5 + 1j, -0.5 - 1j], 2.0), ([1j, -1j], [-1.0, -0.3 + 0.2j, -0.3 - 0.2j], -0.5)]:
        z, p = np.asarray(z, complex), np.asarray(p, complex)
        for name, arguments in [("gnd_lp2lp_zpk", (2.5,)), ("gnd_lp2hp_zpk", (2.5,)), ("gnd_lp2bp_zpk", (2.5, 0.7)),
                                ("gnd_lp2bs_zpk", (2.5, 0.7)), ("gnd_bilinear_zpk", (3.0,))]:
            want = getattr(signal, name[4:])(z, p, k, *arguments)
            got = filter_of(name, array(z), array(p), k, *arguments)
            same_sets(got["z"], want[0], 1e-13)
            same_sets(got["p"], want[1], 1e-13)
            assert np.isclose(got["k"], want[2], rtol=1e-13)
    with refusal(gnd.ERROR_VALUE):
        filter_of("gnd_lp2lp_zpk", array([1.0, 2.0]), array([1.0]), 1.0, 1.0)
    with refusal(gnd.ERROR_VALUE):
        filter_of("gnd_bilinear_zpk", array([1.0]), array([1.0]), 1.0, -1.0)


def test_normalize():
    for b, a in [([1.0, 2], [2.0, 4]), ([0.0, 0, 3], [0.0, 2, 1]), ([1e-16, 2.0], [4.0]), ([1, 2], [2, 3]),
                 ([[0, 0, 1.0], [0, 2.0, 3]], [2.0, 1]), ([1j, 2], [2.0, 1]), ([0.0, 0.0], [1.0])]:
        with np.testing.suppress_warnings() as quiet:
            quiet.filter(signal.BadCoefficients)
            want = signal.normalize(b, a)
        got = filter_of("gnd_normalize", array(b), array(a))
        near(got["b"], want[0], 1e-15)
        near(got["a"], want[1], 1e-15)
    with refusal(gnd.ERROR_VALUE):
        filter_of("gnd_normalize", array([1.0]), array([0.0, 0.0]))


def test_conversions():
    for order in range(1, 9):
        z, p, k = signal.ellip(order, 0.5, 50, 0.35, output="zpk")
        b, a = signal.zpk2tf(z, p, k)
        got = filter_of("gnd_tf2zpk", array(b), array(a))
        want = signal.tf2zpk(b, a)
        same_sets(got["z"], want[0], 1e-6)
        same_sets(got["p"], want[1], 1e-9)
        assert np.isclose(got["k"], want[2], rtol=1e-12)
        got = filter_of("gnd_zpk2tf", array(z), array(p), k)
        near(got["b"], b, 1e-13)
        near(got["a"], a, 1e-13)
        assert got["b"].dtype == got["a"].dtype == np.float64
        sos = signal.zpk2sos(z, p, k)
        got = filter_of("gnd_sos2tf", array(sos))
        want = signal.sos2tf(sos)
        near(got["b"], want[0], 1e-13)
        near(got["a"], want[1], 1e-13)
        got = filter_of("gnd_sos2zpk", array(sos))
        want = signal.sos2zpk(sos)
        same_sets(got["z"], want[0], 1e-10)
        same_sets(got["p"], want[1], 1e-10)
        for pairing, code in [("nearest", gnd.PAIR_NEAREST), ("minimal", gnd.PAIR_MINIMAL)]:
            mine = gnd.tf2sos(array(b), array(a), code, False).numpy()
            near(np.prod([np.polyval(row[:3], 0.3) / np.polyval(row[3:], 0.3) for row in mine]),
                 np.polyval(b, 0.3) / np.polyval(a, 0.3) * 0.3 ** (order % 2 and pairing == "minimal" and 0), 1e-8)
            assert mine.shape == signal.tf2sos(b, a, pairing).shape
    got = filter_of("gnd_zpk2tf", array([1j]), array([0.5, 0.2]), 2.0)
    near(got["b"], [2, -2j])
    for call, arguments, code in [("gnd_sos2tf", (array(np.ones((2, 5))),), gnd.ERROR_SHAPE),
                                  ("gnd_tf2zpk", (array([1j]), array([1.0])), gnd.ERROR_DTYPE),
                                  ("gnd_tf2zpk", (array([1.0]), array([0.0])), gnd.ERROR_VALUE)]:
        with refusal(code):
            filter_of(call, *arguments)


def system_of(name, *arguments):
    system = gnd.STRUCTS["gnd_state_space"]()
    gnd.function(name)(system, *arguments)
    parts = [gnd.Array(getattr(system, key)) for key in "abcd"]
    result = [part.numpy() for part in parts]
    for key in "abcd":
        setattr(system, key, None)
    gnd.state_space_release(system)
    return result


def test_state_space():
    for b, a in [([1.0, 2, 3], [2.0, 1, 4, 1]), ([1.0, 2, 3], [1.0, 5, 6]), ([3.0], [2.0, 1]), ([4.0], [2.0]),
                 ([[1.0, 2, 3], [0, 1, 5]], [1.0, 4, 2])]:
        want = signal.tf2ss(b, a)
        got = system_of("gnd_tf2ss", array(b), array(a))
        for x, y in zip(got, want):
            near(x, np.reshape(y, x.shape), 1e-13)
        parts = [array(x) for x in got]
        system = gnd.STRUCTS["gnd_state_space"](*[x.pointer for x in parts])
        back, want = filter_of("gnd_ss2tf", system, 0), signal.ss2tf(*got)
        near(back["b"], want[0], 1e-11)
        near(back["a"], want[1], 1e-12)
        if np.ndim(b) == 1 and len(a) > 1:
            back, want = filter_of("gnd_ss2zpk", system, 0), signal.tf2zpk(b, a)
            same_sets(back["z"], want[0], 1e-9)
            same_sets(back["p"], want[1], 1e-9)
    z, p, k = signal.butter(4, 0.3, output="zpk")
    for x, y in zip(system_of("gnd_zpk2ss", array(z), array(p), k), signal.zpk2ss(z, p, k)):
        near(x, y, 1e-12)
    g = np.random.default_rng(3)
    full = [g.normal(size=s) for s in [(5, 5), (5, 2), (3, 5), (3, 2)]]
    parts = [array(x) for x in full]
    system = gnd.STRUCTS["gnd_state_space"](*[x.pointer for x in parts])
    back, want = filter_of("gnd_ss2tf", system, 1), signal.ss2tf(*full, input=1)
    near(back["b"], want[0], 1e-11)
    near(back["a"], want[1], 1e-11)
    with refusal(gnd.ERROR_VALUE):
        filter_of("gnd_ss2tf", system, 2)
    with refusal(gnd.ERROR_VALUE):
        system_of("gnd_tf2ss", array([1.0, 2, 3]), array([1.0, 2]))


# ---- fitted FIR filters -------------------------------------------------------------------------------


def test_firls():
    for n in (1, 3, 21, 73):
        for bands, desired, weight, fs in [([0, 0.3, 0.4, 1], [1, 1, 0, 0], None, None),
                                           ([0, 0.2, 0.3, 0.6, 0.7, 1], [0, 0, 1, 2, 0, 0], [1, 5, 2], None),
                                           ([0, 2, 3, 5], [1, 1, 0, 0], [1, 10], 10.0), ([0, 1], [0, 1], None, None)]:
            count, edges = doubles(bands)
            want = signal.firls(n, bands, desired, weight=weight, fs=fs)
            got = gnd.firls(n, count, edges, doubles(desired)[1], doubles(weight)[1] if weight else None, fs or 0.0)
            near(got, want, 1e-8)
    for n, bands in [(4, [0, 1]), (0, [0, 1]), (5, [0.5, 0.2]), (5, [0, 2])]:
        with refusal(gnd.ERROR_VALUE):
            gnd.firls(n, *doubles(bands), doubles([1, 1])[1], None, 0.0)
    with refusal(gnd.ERROR_INVALID):
        gnd.firls(5, *doubles([0, 0.5, 1]), doubles([1, 1, 1])[1], None, 0.0)


def test_remez():
    types = {"bandpass": gnd.REMEZ_BANDPASS, "differentiator": gnd.REMEZ_DIFFERENTIATOR, "hilbert": gnd.REMEZ_HILBERT}
    for n, bands, desired, weight, kind, fs in [
            (21, [0, 0.1, 0.2, 0.5], [1, 0], None, "bandpass", 1.0),
            (40, [0, 0.1, 0.15, 0.5], [1, 0], None, "bandpass", 1.0),
            (55, [0, 0.1, 0.2, 0.35, 0.425, 0.5], [0, 1, 0], [10, 1, 10], "bandpass", 1.0),
            (101, [0, 2000, 2500, 8000], [1, 0], [1, 20], "bandpass", 16000.0),
            (31, [0.05, 0.45], [1], None, "hilbert", 1.0), (30, [0.05, 0.5], [1], None, "hilbert", 1.0),
            (32, [0, 0.5], [1], None, "differentiator", 1.0), (31, [0, 0.4], [1], None, "differentiator", 1.0),
            (5, [0, 0.2, 0.3, 0.5], [1, 0], None, "bandpass", 1.0)]:
        want = signal.remez(n, bands, desired, weight=weight, type=kind, fs=fs)
        fields = {"type": types[kind], "fs": fs}
        held = doubles(weight)[1] if weight else None
        if weight:
            fields["weight"] = ctypes.addressof(held)
        got = gnd.remez(n, *doubles(bands), doubles(desired)[1], struct("gnd_remez_options", **fields))
        near(got, want, 1e-6)
    for n, bands in [(2, [0, 0.1, 0.2, 0.5]), (21, [0, 0.3, 0.2, 0.5]), (21, [0, 0.1, 0.2, 0.7])]:
        with refusal(gnd.ERROR_VALUE):
            gnd.remez(n, *doubles(bands), doubles([1, 0])[1], None)


def test_minimum_phase():
    for taps in (signal.firwin(31, 0.3), signal.firwin(40, 0.4), signal.firwin(151, [0.2, 0.5], pass_zero=False)):
        for half in (True, False):
            # A filter of even length has a zero at a point of even transforms: the logarithm of rounding errors. What
            # is left of these depends on the transforms of SciPy's version.
            for n_fft in (None, 1000, 1025) if len(taps) % 2 else (1025,):
                want = signal.minimum_phase(taps, "homomorphic", n_fft, half=half)
                options = struct("gnd_minimum_phase_options", whole=not half, n_fft=n_fft or 0)
                near(gnd.minimum_phase(array(taps), options), want, 2e-5 if half else 1e-4)
    taps = signal.remez(51, [0, 0.1, 0.15, 0.5], [1, 0])
    want = signal.minimum_phase(taps, "hilbert")
    # At the least amplitude the method takes the logarithm of a rounding error, of SciPy's another than of gnd's.
    near(gnd.minimum_phase(array(taps), struct("gnd_minimum_phase_options", hilbert=True)), want, 2e-3)
    with refusal(gnd.ERROR_VALUE):
        gnd.minimum_phase(array([1.0, 2.0]), None)
    with refusal(gnd.ERROR_INVALID):
        gnd.minimum_phase(array(taps), struct("gnd_minimum_phase_options", hilbert=True, whole=True))
    with refusal(gnd.ERROR_DTYPE):
        gnd.minimum_phase(array([1j, 1, 2]), None)
