"""Simulation of linear systems against SciPy."""

import ctypes

import numpy as np
import pytest
from scipy import signal

import gnd
from designs import near, refusal
from linear import System, array, maybe, options_with, results_of
from test_systems import A, B, C, D, MIMO, SS, TF, ZPK, scipy_of

SINGLE = [*TF[:4], *ZPK[:3], *SS]


def lsim(system, u, t, **options):
    return results_of(2, "gnd_lsim", system, maybe(u), array(t), options_with("gnd_lsim_options", **options))


@pytest.mark.parametrize("hold", [False, True])
@pytest.mark.parametrize("parts", SINGLE)
def test_lsim(parts, hold):
    system, want = System(*parts), scipy_of(parts).to_ss()
    g = np.random.default_rng(len(parts))
    for t, u in [(np.linspace(0, 5, 101), g.normal(size=101)), (np.arange(20) * 0.1 + 0.3, g.normal(size=(20, 1))),
                 (np.linspace(0, 4, 9), np.zeros(9)), (np.linspace(0, 4, 9), None), (np.array([0.0]), np.array([2.0])),
                 (np.array([1.5]), None), (np.array([0.0, 0.25]), np.array([1, 2]))]:
        for x0 in [None, np.arange(1.0, len(want.A) + 1)]:
            _, y, x = signal.lsim(want, u, t, X0=x0, interp=not hold)
            got = lsim(system, u, t, x0=x0, hold=hold)
            near(got[0], np.asarray(y, float), 1e-9)
            near(got[1], np.asarray(x, float), 1e-9)


def test_lsim_of_several_inputs():
    t = np.linspace(0, 6, 200)
    u = np.random.default_rng(0).normal(size=(200, 2))
    for hold in (False, True):
        _, y, x = signal.lsim(MIMO, u, t, X0=[1.0, 2, 3], interp=not hold)
        got = lsim(System(*MIMO), u[::1, :].astype("float64"), t, x0=[1.0, 2, 3], hold=hold)
        near(got[0], y, 1e-10)
        near(got[1], x, 1e-10)
    backwards = gnd.slice(array(u[::-1].copy()), "::-1")
    room = results_of(2, "gnd_lsim", System(*MIMO), backwards, array(t), None)
    near(room[0], signal.lsim(MIMO, u, t)[1], 1e-10)


def test_lsim_refuses():
    system, t = System(*MIMO), np.linspace(0, 1, 5)
    for u, times, x0, code in [(np.ones((5, 1)), t, None, gnd.ERROR_SHAPE), (np.ones(5), t, None, gnd.ERROR_SHAPE),
                               (np.ones((4, 2)), t, None, gnd.ERROR_SHAPE), (None, t ** 2, None, gnd.ERROR_VALUE),
                               (None, t - 0.5, None, gnd.ERROR_VALUE), (None, [], None, gnd.ERROR_VALUE),
                               (None, t[None], None, gnd.ERROR_SHAPE), (None, t, [1.0, 2], gnd.ERROR_SHAPE),
                               (np.ones((5, 2)) * 1j, t, None, gnd.ERROR_DTYPE),
                               (np.ones((5, 2, 1)), t, None, gnd.ERROR_SHAPE),
                               (None, [0.0, 1, np.nan], None, gnd.ERROR_VALUE)]:
        with refusal(code):
            lsim(system, u, times, x0=x0)
    with refusal(gnd.ERROR_INVALID):
        lsim(System(*MIMO, dt=1.0), None, t)
    with refusal(gnd.ERROR_INVALID):
        gnd.lsim(None, None, None, None, array(t), None)


@pytest.mark.parametrize("parts", SINGLE)
def test_impulse_and_step(parts):
    system, want = System(*parts), scipy_of(parts)
    states = len(want.to_ss().A)
    for t, n, x0 in [(None, None, None), (None, 17, None), (np.linspace(0, 3, 50), None, None),
                     (None, None, 0.5 if states == 1 else None), (np.linspace(1, 2, 6), None, None)]:
        options = options_with("gnd_times_options", t=t, n=n, x0=None if x0 is None else [x0])
        for name in ("impulse", "step"):
            times, y = getattr(signal, name)(want, X0=None if x0 is None else [x0], T=t, N=n)
            got = results_of(2, "gnd_" + name, system, options)
            near(got[0], times, 1e-9)
            near(got[1], np.asarray(y, float), 1e-9)
    near(results_of(2, "gnd_step", system, None)[1], signal.step(want)[1], 1e-9)


def test_impulse_and_step_of_several_outputs():
    one_input = (A, B[:, :1], C, D[:, :1])
    for name in ("impulse", "step"):
        want = getattr(signal, name)(one_input, T=np.linspace(0, 2, 30))
        near(results_of(2, "gnd_" + name, System(*one_input),
                        options_with("gnd_times_options", t=np.linspace(0, 2, 30)))[1], want[1], 1e-10)
        for bad, options, code in [(System(*MIMO), {}, gnd.ERROR_VALUE), (System(*one_input, dt=1.0), {},
                                                                          gnd.ERROR_INVALID),
                                   (System(*one_input), {"n": -1}, gnd.ERROR_VALUE),
                                   (System(*one_input), {"t": [0.0, 1, 3]}, gnd.ERROR_VALUE),
                                   (System(None, None, None, [[1.0]]), {}, gnd.ERROR_VALUE)]:
            with refusal(code):
                results_of(2, "gnd_" + name, bad, options_with("gnd_times_options", **options))
    start = lsim(System(*one_input), None, np.linspace(0, 2, 30), x0=B[:, 0] + [1, 2, 3])[0]  # what x0 means
    near(results_of(2, "gnd_impulse", System(*one_input),
                    options_with("gnd_times_options", t=np.linspace(0, 2, 30), x0=[1.0, 2, 3]))[1], start, 1e-12)


DISCRETE = [([1.0, 0.5], [1.0, -0.9, 0.4], 0.5), ([], [0.5, 0.2 + 0.1j, 0.2 - 0.1j], 2.0, 0.1),
            (A / 20, B, C, D, 0.25), (A / 20, B[:, :1], C[:1], D[:1, :1], 1.0)]


def discrete_of(given):
    parts, dt = given[:-1], given[-1]
    return System(*parts, dt=dt), signal.dlti(*[np.asarray(p) if not np.isscalar(p) else p for p in parts], dt=dt), dt


@pytest.mark.parametrize("given", DISCRETE)
def test_dlsim(given):
    system, want, dt = discrete_of(given)
    want = want.to_ss()
    inputs, states = want.B.shape[1], len(want.A)
    g = np.random.default_rng(3)
    u = g.normal(size=(40, inputs))
    for t, x0 in [(None, None), (None, np.ones(states)), (np.arange(40) * dt, None), (np.arange(40) * dt * 1.7, None),
                  (np.sort(g.uniform(0, 30, 40)) * dt, np.ones(states)), (np.arange(40) * dt / 3, None)]:
        times, y, x = signal.dlsim(want, u, t=t, x0=x0)
        got = results_of(3, "gnd_dlsim", system, array(u), options_with("gnd_steps_options", t=t, x0=x0))
        near(got[0], times, 1e-12)
        near(got[1], y, 1e-8)
        near(got[2], x, 1e-8)
    if inputs == 1:
        got = results_of(3, "gnd_dlsim", system, array(u[:, 0]), None)
        near(got[1], signal.dlsim(want, u[:, 0])[1], 1e-10)
        assert got[1].shape == (40, 1)


@pytest.mark.parametrize("given", DISCRETE)
def test_dimpulse_and_dstep(given):
    system, want, dt = discrete_of(given)
    for t, n, x0 in [(None, None, None), (None, 13, None), (np.arange(9) * dt * 1.5, None, None),
                     (None, 7, np.ones(len(want.to_ss().A)))]:
        for name in ("dimpulse", "dstep"):
            times, y = getattr(signal, name)(want, x0=x0, t=t, n=n)
            got = results_of(2, "gnd_" + name, system, options_with("gnd_steps_options", t=t, n=n, x0=x0))
            near(got[0], times, 1e-12)
            near(got[1], np.array(y), 1e-9)


def test_dlsim_refuses():
    system = System(*MIMO, dt=0.5)
    for u, options, code in [(np.ones((5, 1)), {}, gnd.ERROR_SHAPE), (np.ones((0, 2)), {}, gnd.ERROR_VALUE),
                             (np.ones((5, 2)), {"t": [0.0, 1]}, gnd.ERROR_SHAPE),
                             (np.ones((2, 2)), {"t": [1.0, 1]}, gnd.ERROR_VALUE),
                             (np.ones((2, 2)), {"t": [-2.0, -1]}, gnd.ERROR_VALUE),
                             (np.ones((2, 2)), {"t": [0.0, np.nan]}, gnd.ERROR_VALUE),
                             (np.ones((2, 2)), {"x0": [1.0, 2]}, gnd.ERROR_SHAPE)]:
        with refusal(code):
            results_of(3, "gnd_dlsim", system, array(u), options_with("gnd_steps_options", **options))
    for name in ("gnd_dimpulse", "gnd_dstep"):
        for bad, options, code in [(System(*MIMO), {}, gnd.ERROR_INVALID), (system, {"n": -3}, gnd.ERROR_VALUE),
                                   (system, {"t": []}, gnd.ERROR_VALUE)]:
            with refusal(code):
                results_of(2, name, bad, options_with("gnd_steps_options", **options))


def test_results_that_are_not_wanted():
    """The same outputs without the states, which are then not kept."""
    u, t = array(np.random.default_rng(2).normal(size=(50, 2))), np.linspace(0, 5, 50)
    for dt, name, arguments in [(0.0, "gnd_lsim", (u, array(t), None)), (0.5, "gnd_dlsim", (u, None))]:
        system = System(*MIMO, dt=dt)
        want = results_of(3 if dt else 2, name, system, *arguments)
        room = gnd.outputs(1)
        y = ctypes.addressof(room)
        gnd.function(name)(*([None, y, None] if dt else [y, None]), system.pointer, *arguments)
        assert np.array_equal(gnd.take(room)[0].numpy(), want[1 if dt else 0])


def test_long_simulation():
    n = 200_000
    u = np.random.default_rng(5).normal(size=n)
    b, a = signal.butter(4, 0.1)
    got = results_of(3, "gnd_dlsim", System(b, a, dt=1.0), array(u), None)
    near(got[1][:, 0], signal.lfilter(b, a, u), 1e-9)
