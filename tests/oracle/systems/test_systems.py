"""Linear systems: their forms, sums and products, and discretization against SciPy."""

import warnings

import numpy as np
import pytest
from scipy import signal

import gnd
from designs import near, refusal, same_sets
from linear import System, array, maybe, state_space

A = np.array([[0.0, 1, 0], [0, 0, 1], [-6, -11, -6]])
B = np.array([[0.0, 1], [1, 0], [0.5, -1]])
C = np.array([[1.0, 0, 2], [0, 1, 0]])
D = np.array([[0.0, 1], [0.25, 0]])
TF = [([1.0], [1.0, 3, 2]), ([2.0, 1], [2.0, 3, 4, 1]), ([0.0, 0, 4, 1, 2], [0.0, 2, 3, 4]), ([3.0], [4.0]),
      ([[1.0, 2], [0, 3]], [1.0, 2, 5]), ([1, 2], [1, 2, 10])]
ZPK = [([], [-1.0, -2 + 1j, -2 - 1j], 2.5), ([-0.5], [-1.0, -3], -1.0), ([1j, -1j], [-1.0, -1, -0.5], 1.0),
       ([], [], 3.0)]
SS = [(A, B[:, :1], C[:1], D[:1, :1]), (A[:1, :1] - 1, [[2.0]], [[1.0]], [[0.5]])]
MIMO = (A, B, C, D)
METHODS = [("zoh", gnd.DISCRETE_ZOH, None), ("foh", gnd.DISCRETE_FOH, None), ("bilinear", gnd.DISCRETE_BILINEAR, None),
           ("tustin", gnd.DISCRETE_BILINEAR, None), ("euler", gnd.DISCRETE_EULER, None),
           ("backward_diff", gnd.DISCRETE_BACKWARD_DIFF, None), ("gbt", gnd.DISCRETE_GBT, 0.3),
           ("gbt", gnd.DISCRETE_GBT, 0.0), ("gbt", gnd.DISCRETE_GBT, 1.0)]


def scipy_of(parts, dt=0.0):
    parts = [np.array(p, complex if len(parts) == 3 else float) if not np.isscalar(p) else p for p in parts]
    return signal.dlti(*parts, dt=dt) if dt else signal.lti(*parts)


def same_tf(got, want, tolerance=1e-9):
    near(got[0], np.squeeze(want.num) if np.ndim(want.num) == 2 and len(want.num) == 1 else want.num, tolerance)
    near(got[1], want.den, tolerance)


def same_zpk(got, want, tolerance=1e-7):
    same_sets(got[0], want.zeros, tolerance)
    same_sets(got[1], want.poles, tolerance)
    assert np.isclose(got[2], want.gain, rtol=1e-9)


def same_ss(got, want, tolerance=1e-12):
    for mine, theirs in zip(got, (want.A, want.B, want.C, want.D)):
        near(mine, np.asarray(theirs, float), tolerance)


@pytest.mark.parametrize("dt", [0.0, 0.25])
@pytest.mark.parametrize("parts", TF + ZPK + SS)
def test_forms(parts, dt):
    mine, want = System(*parts, dt=dt), scipy_of(parts, dt)
    rows = np.ndim(parts[0]) == 2 and len(parts) == 2
    same_ss(mine.ss(), want.to_ss())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", signal.BadCoefficients)
        same_tf(mine.tf(), want.to_tf())
        if not rows:
            same_zpk(mine.zpk(), want.to_zpk())
    form, time, inputs, outputs, states = mine.info()
    ss = want.to_ss()
    assert (time, inputs, outputs, states) == (dt, ss.B.shape[1], ss.C.shape[0], len(ss.A))
    assert form == {2: gnd.TRANSFER_FUNCTION, 3: gnd.ZEROS_POLES_GAIN, 4: gnd.STATE_SPACE}[len(parts)]
    for other in (gnd.TRANSFER_FUNCTION, gnd.STATE_SPACE) if rows else range(3):
        made = mine.call("gnd_system_as", other, 0)
        assert made.info()[:2] == (other, dt)
        at = np.array([0.3j, 1j, 0.7 + 0.2j, 2.5])
        for row, theirs in zip(np.atleast_2d(made.tf()[0]), np.atleast_2d(want.to_tf().num)):
            near(np.polyval(row, at) / np.polyval(made.tf()[1], at), np.polyval(theirs, at) /
                 np.polyval(want.to_tf().den, at), 1e-9)


def test_forms_of_several_inputs():
    mine = System(*MIMO)
    same_ss(mine.ss(), signal.StateSpace(*MIMO))
    assert mine.info() == (gnd.STATE_SPACE, 0.0, 2, 2, 3)
    for k in range(2):
        made = mine.call("gnd_system_as", gnd.TRANSFER_FUNCTION, k)
        num, den = signal.ss2tf(*MIMO, input=k)
        num, den = signal.normalize(num, den)
        near(made.tf()[0], num, 1e-12)
        near(made.tf()[1], den, 1e-12)
    with refusal(gnd.ERROR_VALUE):
        mine.call("gnd_system_as", gnd.TRANSFER_FUNCTION, 2)
    with refusal(gnd.ERROR_VALUE):
        mine.zpk()
    with refusal(gnd.ERROR_INVALID):
        mine.call("gnd_system_as", 3, 0)


def test_what_no_system_is():
    for parts, dt, code in [(([1.0, 2, 3], [1.0, 2]), 0.0, None), (([1.0], [0.0]), 0.0, gnd.ERROR_VALUE),
                            (([1.0], []), 0.0, gnd.ERROR_VALUE), (([1j], [1.0]), 0.0, gnd.ERROR_DTYPE),
                            (([1.0], [[1.0]]), 0.0, gnd.ERROR_SHAPE), (([1.0], [1.0, 2]), -1.0, gnd.ERROR_VALUE),
                            (([1.0], [1.0, 2]), np.inf, gnd.ERROR_VALUE), ((A * 1j, B, C, D), 0.0, gnd.ERROR_DTYPE),
                            (([], [1j], 1.0), np.nan, gnd.ERROR_VALUE), ((A[:2], B, C, D), 0.0, gnd.ERROR_SHAPE)]:
        if code is None:  # an improper transfer function is one, but no state space
            system = System(*parts, dt=dt)
            near(system.tf()[0], [1.0, 2, 3])
            with refusal(gnd.ERROR_VALUE):
                system.ss()
            continue
        with refusal(code):
            System(*parts, dt=dt)
    lone = System([], [1j], 1.0)
    assert lone.zpk()[1] == 1j
    with refusal(gnd.ERROR_VALUE):
        lone.tf()
    for name, arguments in [("gnd_system_as", (0, 0)), ("gnd_cont2discrete", (0.1, 0, 0.0))]:
        with refusal(gnd.ERROR_INVALID):
            gnd.function(name)(None, *arguments)
    with refusal(gnd.ERROR_INVALID):
        gnd.system_info_of(None)


def test_abcd_normalize():
    for parts in [MIMO, (None, B, C, None), (A, None, None, D), (None, B, None, D), (A, None, C, D), (A, B, C, None),
                  (None, None, C, D), (2, 3, 4, 5), (A, [1.0, 2], C, None), (None, [1.0, 2], [[3.0]], None),
                  (A + 1j, B, C, D), (A, B, None, D), (np.zeros((0, 0)), np.zeros((0, 2)), np.zeros((2, 0)), D),
                  (A.astype("float32"), B, C, D)]:
        try:
            want = signal.abcd_normalize(*parts)
        except ValueError:
            with refusal(gnd.ERROR_SHAPE):
                state_space("gnd_abcd_normalize", *[maybe(p) for p in parts])
            continue
        one_dtype = "complex128" if any(np.iscomplexobj(p) for p in want) else "float64"  # as SciPy 1.18 has it
        for mine, theirs in zip(state_space("gnd_abcd_normalize", *[maybe(p) for p in parts]), want):
            assert mine.dtype == one_dtype
            near(mine, theirs, 1e-15)
    for parts in [(None, None, None, D), (A, None, C, None), (A, B, None, None)]:
        with pytest.raises(ValueError):
            signal.abcd_normalize(*parts)
        with refusal(gnd.ERROR_INVALID):
            state_space("gnd_abcd_normalize", *[maybe(p) for p in parts])
    with refusal(gnd.ERROR_SHAPE):
        state_space("gnd_abcd_normalize", array(np.zeros((2, 2, 2))), array(B), array(C), array(D))


@pytest.mark.parametrize("dt", [0.0, 0.5])
def test_sums_and_products(dt):
    keywords = {"dt": dt} if dt else {}
    x, y = (A, B, C, D), (A[:2, :2] + 1, B[:2], C[:, :2], D + 2)
    mine, other = System(*x, dt=dt), System(*y, dt=dt)
    sx, sy = signal.StateSpace(*x, **keywords), signal.StateSpace(*y, **keywords)
    same_ss(mine.call("gnd_system_add", other.pointer).ss(), sx + sy)
    same_ss(mine.call("gnd_system_subtract", other.pointer).ss(), sx - sy)
    same_ss(mine.call("gnd_system_multiply", other.pointer).ss(), sx * sy)
    gain = System(None, None, None, D, dt=dt)
    assert gain.info() == (gnd.STATE_SPACE, dt, 2, 2, 0)
    same_ss(mine.call("gnd_system_multiply", gain.pointer).ss(), sx * D)
    same_ss(gain.call("gnd_system_multiply", mine.pointer).ss(), D * sx)
    same_ss(mine.call("gnd_system_add", gain.pointer).ss(), sx + D)
    for wrong, code in [(System(*SS[0], dt=dt), gnd.ERROR_SHAPE), (System(*x, dt=dt + 1), gnd.ERROR_INVALID)]:
        for name in ("gnd_system_add", "gnd_system_multiply"):
            with refusal(code):
                mine.call(name, wrong.pointer)


@pytest.mark.parametrize("method, code, alpha", METHODS)
@pytest.mark.parametrize("dt", [0.01, 0.5, 3.0])
def test_cont2discrete(method, code, alpha, dt):
    for parts in [*TF[:2], TF[4], *ZPK[:3], *SS, MIMO]:
        want = scipy_of(parts).to_discrete(dt, method, alpha)
        got = System(*parts).call("gnd_cont2discrete", dt, code, alpha or 0.0)
        assert got.info()[:2] == ({2: 0, 3: 1, 4: 2}[len(parts)], dt)
        if len(parts) == 2:
            same_tf(got.tf(), want, 1e-9)
        elif len(parts) == 3:
            same_sets(got.zpk()[1], want.poles, 1e-5)
            assert np.isclose(got.zpk()[2], want.gain, rtol=1e-9)
        else:
            same_ss(got.ss(), want, 1e-12)


def test_cont2discrete_of_impulses():
    for parts in [*TF[:2], SS[0][:3] + ([[0.0]],), (A, B, C, D * 0)]:
        want = signal.cont2discrete(signal.tf2ss(*parts) if len(parts) == 2 else parts, 0.2, "impulse")
        got = System(*parts).call("gnd_cont2discrete", 0.2, gnd.DISCRETE_IMPULSE, 0.0)
        if len(parts) == 4:
            for mine, theirs in zip(got.ss(), want):
                near(mine, theirs, 1e-12)
        else:
            num, den = signal.normalize(*signal.ss2tf(*want[:4]))
            near(got.tf()[0], num, 1e-10)
            near(got.tf()[1], den, 1e-10)
    for parts, dt, code, alpha, error in [(MIMO, 0.1, gnd.DISCRETE_IMPULSE, 0.0, gnd.ERROR_VALUE),
                                          (MIMO, 0.1, gnd.DISCRETE_GBT, 1.1, gnd.ERROR_VALUE),
                                          (MIMO, 0.1, gnd.DISCRETE_GBT, -0.1, gnd.ERROR_VALUE),
                                          (MIMO, 0.0, gnd.DISCRETE_ZOH, 0.0, gnd.ERROR_VALUE),
                                          (MIMO, 0.1, 9, 0.0, gnd.ERROR_INVALID),
                                          (([1.0], [1.0, -1]), 1.0, gnd.DISCRETE_BACKWARD_DIFF, 0.0, gnd.ERROR_VALUE)]:
        with refusal(error):
            System(*parts).call("gnd_cont2discrete", dt, code, alpha)
    with refusal(gnd.ERROR_INVALID):
        System(*MIMO, dt=0.1).call("gnd_cont2discrete", 0.1, gnd.DISCRETE_ZOH, 0.0)


def test_exponentials_of_large_steps():
    """Stiff and large systems: the exponential is scaled and squared."""
    g = np.random.default_rng(1)
    for a in [np.diag([-1.0, -1000, -1e5]), g.normal(size=(12, 12)) * 8, np.array([[0.0, 1e6], [0, 0]])]:
        n = len(a)
        b, c, d = np.ones((n, 1)), np.ones((1, n)), np.zeros((1, 1))
        want = signal.cont2discrete((a, b, c, d), 0.1)
        got = System(a, b, c, d).call("gnd_cont2discrete", 0.1, gnd.DISCRETE_ZOH, 0.0).ss()
        near(got[0], want[0], 1e-10)
        near(got[1], want[1], 1e-9)
    with refusal(gnd.ERROR_VALUE):
        System([[np.inf]], [[1.0]], [[1.0]], [[0.0]]).call("gnd_cont2discrete", 0.1, gnd.DISCRETE_ZOH, 0.0)
