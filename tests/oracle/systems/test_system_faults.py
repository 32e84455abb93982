"""Linear systems when memory runs out: each allocation that fails is an error, and nothing leaks."""

import numpy as np

import gnd
from linear import System, array, options_with, results_of, state_space
from test_faults import run_with_failures
from test_system_responses import TITS, TITS_B, Placed
from test_systems import MIMO, TF, ZPK


def test_memory_runs_out():
    tf, mimo = System(*TF[1]), System(*MIMO)
    sampled = System(*TF[1], dt=0.5)
    t, u = array(np.linspace(0, 1, 9)), array(np.ones(9))
    arrays = [array(x) for x in MIMO]
    zpk = [array(np.array(x, complex)) for x in ZPK[0][:2]]
    calls = [lambda: System(*TF[1]), lambda: System(*ZPK[0]), lambda: System(*MIMO), lambda: tf.ss(), lambda: tf.zpk(),
             lambda: mimo.call("gnd_system_as", gnd.TRANSFER_FUNCTION, 1).tf(),
             lambda: System(pointer=gnd.system_from_zpk(*zpk, 2.0, 0.0)),
             lambda: state_space("gnd_abcd_normalize", *arrays), lambda: mimo.call("gnd_system_add", mimo.pointer),
             lambda: mimo.call("gnd_system_multiply", mimo.pointer),
             *[lambda method=method: tf.call("gnd_cont2discrete", 0.1, method, 0.5) for method in range(7)],
             lambda: results_of(2, "gnd_lsim", tf, u, t, None), lambda: results_of(2, "gnd_step", tf, None),
             lambda: results_of(2, "gnd_impulse", tf, None), lambda: results_of(3, "gnd_dlsim", sampled, u, None),
             lambda: results_of(2, "gnd_dstep", sampled, options_with("gnd_steps_options", n=5)),
             lambda: results_of(2, "gnd_freqresp", tf, options_with("gnd_response_options", n=5)),
             lambda: results_of(3, "gnd_bode", tf, None), lambda: results_of(3, "gnd_dbode", sampled, None),
             lambda: Placed(TITS, TITS_B, [-1.0, -2, -3, -4]), lambda: Placed(TITS, TITS_B, [-1 + 1j, -1 - 1j, -3, -4]),
             lambda: Placed(MIMO[0][:2, :2], MIMO[1][:2], [-1.0, -2])]
    for i, call in enumerate(calls):
        _, failures = run_with_failures(call)
        assert failures > 0, i
