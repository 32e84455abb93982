"""Filter design and polynomials when memory runs out: each allocation that fails is an error, and nothing leaks."""

import numpy as np
from scipy import signal

import gnd
from designs import doubles, filter_of, options_of
from test_faults import run_with_failures

B, A = signal.butter(3, 0.3)
Z, POLES, K = signal.butter(3, 0.3, output="zpk")


def array(values):
    return gnd.from_numpy(np.asarray(values))


def given(count, name, *arguments):
    room = gnd.outputs(count)
    first = gnd.ctypes.addressof(room)
    gnd.function(name)(*[first + 8 * i for i in range(count)], *arguments)
    return gnd.take(room)


def system_of(*arguments):
    system = gnd.STRUCTS["gnd_state_space"]()
    gnd.tf2ss(system, *arguments)
    return [gnd.Array(getattr(system, key)) for key in "abcd"]


def test_memory_runs_out():
    b, a, z, p = array(B), array(A), array(Z.astype(complex)), array(POLES)
    x = array(np.linspace(-1, 1, 30))
    calls = [lambda: gnd.firwin(31, *doubles(0.3), None),
             lambda: gnd.firwin2(31, *doubles([0, 1]), doubles([1, 0])[1], None),
             lambda: gnd.firls(31, *doubles([0, 0.3, 0.4, 1]), doubles([1, 1, 0, 0])[1], None, 0.0),
             lambda: gnd.remez(31, *doubles([0, 0.1, 0.2, 0.5]), doubles([1, 0])[1], None),
             lambda: gnd.minimum_phase(array(signal.firwin(31, 0.3)), None),
             lambda: filter_of("gnd_butter", 5, *doubles(0.3), options_of()),
             lambda: filter_of("gnd_butter", 5, *doubles(0.3), options_of(output="zpk")),
             lambda: filter_of("gnd_butter", 5, *doubles(0.3), options_of(output="sos")),
             lambda: gnd.zpk2sos(z, p, K, gnd.PAIR_NEAREST, False), lambda: gnd.tf2sos(b, a, gnd.PAIR_NEAREST, False),
             lambda: filter_of("gnd_tf2zpk", b, a), lambda: filter_of("gnd_lp2bp", b, a, 1.0, 2.0),
             lambda: filter_of("gnd_iircomb", 20.0, 3.0, False, 200.0, False), lambda: system_of(b, a),
             lambda: given(2, "gnd_freqz", b, a, None), lambda: given(2, "gnd_group_delay", b, a, None),
             lambda: given(3, "gnd_residue", b, a, 0.0, 0), lambda: given(2, "gnd_unique_roots", p, 0.0, 0),
             lambda: filter_of("gnd_invres", p, p, None, 0.0, 0), lambda: gnd.roots(b), lambda: gnd.poly(p),
             lambda: gnd.polyval(b, x), lambda: gnd.polyvalfromroots(x, b), lambda: gnd.polyvander(x, 3),
             lambda: gnd.polyadd(b, x), lambda: gnd.polymul(b, a), lambda: given(2, "gnd_polydiv", b, a),
             lambda: gnd.polyder(b, 2), lambda: gnd.polyint(b, 2, None), lambda: gnd.polyint(b, 2, x),
             lambda: gnd.polyfit(x, x, 2, None), lambda: gnd.polycompanion(b)]
    for i, call in enumerate(calls):
        _, failures = run_with_failures(call)
        assert failures > 0, i
