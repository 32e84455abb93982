"""Responses of linear systems to frequencies, and placed poles, against SciPy."""

import warnings

import numpy as np
import pytest
from scipy import signal

import gnd
from designs import near, refusal, same_sets
from linear import System, array, options_with, results_of
from test_simulation import DISCRETE, SINGLE, discrete_of
from test_systems import MIMO, TF, scipy_of


def given(**fields):
    return options_with("gnd_response_options", **fields)


@pytest.mark.parametrize("parts", SINGLE)
def test_freqresp_and_bode(parts):
    system, want = System(*parts), scipy_of(parts)
    w = np.geomspace(0.01, 100, 56)
    near(results_of(2, "gnd_freqresp", system, given(w=w))[1], signal.freqresp(want, w)[1], 1e-9)
    for n in (None, 31):
        got, theirs = results_of(2, "gnd_freqresp", system, given(n=n)), signal.freqresp(want, n=n or 10000)
        near(got[0], theirs[0], 1e-9)
        near(got[1], theirs[1], 1e-7)
    for theirs, options in [(signal.bode(want, w), given(w=w)), (signal.bode(want), None)]:
        got = results_of(3, "gnd_bode", system, options)
        near(got[0], theirs[0], 1e-12)
        near(10 ** (got[1] / 20), 10 ** (theirs[1] / 20), 1e-9)  # where it is 0 there are no decibels
        near(got[2], theirs[2], 1e-8)


@pytest.mark.parametrize("given_", [d for d in DISCRETE if np.ndim(d[1]) < 2 or np.shape(d[1])[1] == 1])
def test_dfreqresp_and_dbode(given_):
    system, want, _ = discrete_of(given_)
    w = np.linspace(0.1, 3, 41)
    for options, arguments in [({"w": w}, {"w": w}), ({}, {}), ({"n": 20}, {"n": 20}),
                               ({"n": 20, "whole": True}, {"n": 20, "whole": True})]:
        got = results_of(2, "gnd_dfreqresp", system, given(**options))
        for mine, theirs in zip(got, signal.dfreqresp(want, **arguments)):
            near(mine, theirs, 1e-8)
    for options, arguments in [({"w": w}, {"w": w}), ({}, {}), ({"n": 20}, {"n": 20})]:
        got = results_of(3, "gnd_dbode", system, given(**options))
        for mine, theirs in zip(got, signal.dbode(want, **arguments)):
            near(mine, theirs, 1e-8)


def test_phases_that_wrap():
    parts = ([1.0], np.poly([-1.0, -2, -3, -4, -5, -6, -7]))
    w = np.geomspace(0.01, 1000, 300)
    near(results_of(3, "gnd_bode", System(*parts), given(w=w))[2], signal.bode(parts, w)[2], 1e-8)


def test_responses_refuse():
    for name, dt in [("gnd_freqresp", 0.0), ("gnd_bode", 0.0), ("gnd_dfreqresp", 0.5), ("gnd_dbode", 0.5)]:
        count = 3 if "bode" in name else 2
        for system, options, code in [(System(*MIMO, dt=dt), {}, gnd.ERROR_VALUE),
                                      (System(*TF[4], dt=dt), {}, gnd.ERROR_VALUE),
                                      (System(*TF[0], dt=0.5 - dt), {}, gnd.ERROR_INVALID),
                                      (System(*TF[0], dt=dt), {"fs": 2.0}, gnd.ERROR_INVALID),
                                      (System(*TF[0], dt=dt), {"n": -1}, gnd.ERROR_VALUE)]:
            with refusal(code):
                results_of(count, name, system, given(**options))


# ---- poles ------------------------------------------------------------------------------------------


class Placed:
    def __init__(self, a, b, poles, **options):
        out = gnd.STRUCTS["gnd_placed_poles"]()
        gnd.place_poles(out, array(a), array(b), array(poles), options_with("gnd_place_options", **options))
        self.gain, self.computed, self.requested, self.x = [
            gnd.Array(getattr(out, key)).numpy() for key in ("gain_matrix", "computed_poles", "requested_poles", "x")]
        for key in ("gain_matrix", "computed_poles", "requested_poles", "x"):
            setattr(out, key, None)  # the Arrays above owned them
        self.rtol, self.iterations, self.converged = out.rtol, out.iterations, out.converged
        gnd.placed_poles_release(out)
        assert out.iterations == 0


TITS = np.array([[1.380, -0.2077, 6.715, -5.676], [-0.5814, -4.290, 0, 0.6750], [1.067, 4.273, -6.654, 5.893],
                 [0.0480, 4.273, 1.343, -2.104]])
TITS_B = np.array([[0, 5.679], [1.136, 1.136], [0, 0], [-3.146, 0]])


def same_placing(a, b, poles, tolerance=1e-7, **options):
    keywords = dict(options)
    keywords["method"] = {gnd.PLACE_YT: "YT", gnd.PLACE_KNV0: "KNV0"}[options.get("method", gnd.PLACE_YT)]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", UserWarning)
        want = signal.place_poles(np.asarray(a), np.asarray(b), np.asarray(poles), **keywords)
    got = Placed(a, b, poles, **options)
    near(got.gain, want.gain_matrix, tolerance)
    near(got.requested, np.asarray(want.requested_poles, complex), 1e-15)
    near(got.computed, np.asarray(want.computed_poles, complex), tolerance)
    signs = np.sum(got.x.conj() * want.X, axis=0)  # that of a vector depends on rounding errors
    near(got.x * (signs / np.abs(signs)), np.asarray(want.X, complex), tolerance)
    assert got.converged == (len(warned) == 0)
    if np.isnan(want.rtol):
        assert np.isnan(got.rtol) and got.iterations == -1
    else:
        assert got.iterations == want.nb_iter and np.isclose(got.rtol, want.rtol, rtol=1e-3, atol=1e-9)
    return got


@pytest.mark.parametrize("poles", [[-0.2, -0.5, -5.0566, -8.6659], [-0.5 + 1j, -0.5 - 1j, -5.0566, -8.6659],
                                   [-0.5 + 1j, -0.5 - 1j, -3 + 2j, -3 - 2j], [-8.6, -1.0, -1.0, -2.0]])
def test_place_poles(poles):
    got = same_placing(TITS, TITS_B, poles)
    same_sets(got.computed, np.array(poles), 1e-6)
    same_placing(TITS, TITS_B, poles, maxiter=100, rtol=1e-6, tolerance=1e-6)
    same_placing(TITS, TITS_B, poles, maxiter=1)
    if np.isrealobj(poles) and len(set(poles)) == 4:  # of equal ones rounding errors decide
        same_placing(TITS, TITS_B, poles, method=gnd.PLACE_KNV0)
        same_placing(TITS, TITS_B, poles, method=gnd.PLACE_KNV0, maxiter=2, rtol=1e-12)


def test_place_poles_of_other_sizes():
    g = np.random.default_rng(7)
    for n, inputs, poles in [(1, 1, [-2.0]), (3, 1, [-1.0, -2, -3]), (3, 1, [-1.0, -2 + 1j, -2 - 1j]),
                             (2, 2, [-1.0 + 2j, -1.0 - 2j]), (2, 3, [-1.0, -2.0]), (3, 3, [-1.0, -1.0, -1.0]),
                             (5, 2, [-1.0, -2, -3, -4 + 1j, -4 - 1j]), (5, 3, [-1.0, -2, -3, -4, -5]),
                             (5, 2, [-1.0, -2 + 1j, -2 - 1j, -4 + 1j, -4 - 1j]), (3, 2, [-1.0, -2 + 1j, -2 - 1j]),
                             (6, 2, [-1.0, -2, -3, -4, -5, -6]), (6, 3, [-1, -2, -3, -4, -5 + 1j, -5 - 1j])]:
        a, b = g.normal(size=(n, n)), g.normal(size=(n, inputs))
        got = same_placing(a, b, poles, tolerance=1e-5)
        same_sets(np.linalg.eigvals(a - b @ got.gain), np.array(poles), 1e-5)


def test_place_poles_refuses():
    eye = np.eye(3)
    for a, b, poles, options, code in [(TITS, TITS_B, [-1.0, -2, -3], {}, gnd.ERROR_VALUE),
                                       (TITS, TITS_B, [-1.0, -2, -3, -4, -5], {}, gnd.ERROR_VALUE),
                                       (TITS, TITS_B, [-1.0, -1, -1, -2], {}, gnd.ERROR_VALUE),
                                       (TITS, TITS_B, [-1.0, -2, -3, 1j], {}, gnd.ERROR_VALUE),
                                       (TITS, TITS_B, [-1.0, -2, 1j, -1j], {"method": gnd.PLACE_KNV0}, gnd.ERROR_VALUE),
                                       (TITS, TITS_B, [-1.0, -2, -3, -4], {"method": 2}, gnd.ERROR_INVALID),
                                       (TITS, TITS_B, [-1.0, -2, -3, -4], {"maxiter": -1}, gnd.ERROR_VALUE),
                                       (TITS, TITS_B, [-1.0, -2, -3, -4], {"rtol": 2.0}, gnd.ERROR_VALUE),
                                       (TITS, TITS_B, [[-1.0, -2, -3, -4]], {}, gnd.ERROR_SHAPE),
                                       (TITS[:3], TITS_B, [-1.0, -2, -3], {}, gnd.ERROR_SHAPE),
                                       (TITS * np.nan, TITS_B, [-1.0, -2, -3, -4], {}, gnd.ERROR_VALUE),
                                       (TITS * 1j, TITS_B, [-1.0, -2, -3, -4], {}, gnd.ERROR_DTYPE),
                                       (eye, eye[:, :1], [-1.0, -2, -3], {}, gnd.ERROR_VALUE)]:
        with refusal(code):
            Placed(a, b, poles, **options)
