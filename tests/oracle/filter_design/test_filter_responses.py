"""Frequency responses, group delays, residues and unique roots against SciPy."""

import numpy as np
import pytest
from scipy import signal

import gnd
from designs import filter_of, near, refusal, same_sets, struct


def array(values):
    return gnd.from_numpy(np.asarray(values))


def pairs_of(name, *arguments):
    """The two arrays that a function gives through pointers."""
    room = gnd.outputs(2)
    gnd.function(name)(gnd.ctypes.addressof(room), gnd.ctypes.addressof(room) + 8, *arguments)
    return [x.numpy() for x in gnd.take(room)]


def check(got, want, tolerance=1e-9):
    near(got[0], want[0], 1e-13)
    near(got[1], want[1], tolerance)
    assert got[0].dtype == np.float64


B, A = signal.ellip(5, 0.5, 40, 0.3)
GRIDS = [{}, {"worN": 100}, {"worN": 101, "whole": True}, {"fs": 50.0}, {"worN": np.array([0.1, 3.0, 7.5]), "fs": 20.0},
         {"worN": 1}]


def options_of(keep, worN=None, whole=False, fs=None, include_nyquist=False):
    fields = {"whole": whole, "fs": fs or 0.0, "include_nyquist": include_nyquist}
    if isinstance(worN, np.ndarray):
        keep.append(array(worN))
        fields["w"] = keep[-1].pointer
    elif worN:
        fields["n"] = worN
    return struct("gnd_response_options", **fields)


def test_freqz():
    g = np.random.default_rng(0)
    for b, a in [(B, A), ([1.0, 2.0, 1.0], [1.0]), (g.normal(size=300), [2.0]), ([1.0, 1j], [1.0, 0.3j]),
                 ([3.0], [1.0]), (g.normal(size=100) * 1j, [1.0])]:
        for grid in GRIDS + [{"worN": 64, "include_nyquist": True}, {"worN": 512, "include_nyquist": True}]:
            keep = []
            want = signal.freqz(b, a, **grid)
            check(pairs_of("gnd_freqz", array(b), array(a), options_of(keep, **grid)), want, 1e-10)
    got, want = pairs_of("gnd_freqz", array([1.0, 2]), None, None), signal.freqz([1.0, 2])
    check(got, want)
    with refusal(gnd.ERROR_VALUE):
        pairs_of("gnd_freqz", array([1.0]), None, options_of([], fs=-1.0))
    with refusal(gnd.ERROR_VALUE):
        pairs_of("gnd_freqz", array([1.0]), None, options_of([], worN=-1))
    with refusal(gnd.ERROR_SHAPE):
        pairs_of("gnd_freqz", array(np.ones((2, 2))), None, None)


def test_sections_and_roots():
    z, p, k = signal.tf2zpk(B, A)
    sos = signal.tf2sos(B, A)
    for grid in GRIDS:
        keep = []
        options = options_of(keep, **grid)
        check(pairs_of("gnd_freqz_zpk", array(z), array(p), k, options), signal.freqz_zpk(z, p, k, **grid))
        check(pairs_of("gnd_freqz_sos", array(sos), options), signal.freqz_sos(sos, **grid))
        check(pairs_of("gnd_sosfreqz", array(sos), options), signal.sosfreqz(sos, **grid))
    for wrong in (np.zeros((0, 6)), np.full((1, 6), 2.0)):
        with refusal(gnd.ERROR_VALUE):
            pairs_of("gnd_freqz_sos", array(wrong), None)


def test_analog():
    for b, a in [signal.butter(3, 20.0, analog=True), ([1.0, 0.0], [1.0, 3.0, 2.0]), ([2.0], [1.0]),
                 ([1.0, 3.0], [1.0, 0, 0, 1])]:
        z, p, k = signal.tf2zpk(b, a)
        for grid in [{}, {"worN": 10}, {"worN": np.array([0.1, 5.0])}]:
            keep = []
            options = options_of(keep, **grid)
            check(pairs_of("gnd_freqs", array(b), array(a), options), signal.freqs(b, a, **grid))
            check(pairs_of("gnd_freqs_zpk", array(z), array(p), float(k), options), signal.freqs_zpk(z, p, k, **grid))
    with refusal(gnd.ERROR_INVALID):
        pairs_of("gnd_freqs", array([1.0]), array([1.0]), options_of([], fs=2.0))


def test_group_delay():
    with np.testing.suppress_warnings() as quiet:
        quiet.filter(UserWarning)
        for b, a in [(B, A), (signal.firwin(31, 0.4), [1.0]), ([1.0, 0.5], [2.0, 0.1, 0.3]), ([1.0, 1j], [1.0, 0.2])]:
            for grid in GRIDS:
                keep = []
                want = signal.group_delay((b, a), **{"w" if key == "worN" else key: v for key, v in grid.items()})
                got = pairs_of("gnd_group_delay", array(b), array(a), options_of(keep, **grid))
                near(got[0], want[0], 1e-13)
                loud = np.abs(signal.freqz(b, a, np.asarray(want[0]), fs=grid.get("fs", 2 * np.pi))[1]) > 1e-4
                near(got[1][loud], want[1][loud], 1e-7)
    keep = []
    got = pairs_of("gnd_group_delay", array([1.0, -1.0]), None, options_of(keep, worN=np.array([0.0, 0.5])))
    assert got[1][0] == 0 and np.isclose(got[1][1], 0.5)  # singular at 0


# ---- partial fractions --------------------------------------------------------------------------------

TYPES = {"min": gnd.ROOTS_MIN, "max": gnd.ROOTS_MAX, "avg": gnd.ROOTS_AVERAGE}


def test_unique_roots():
    for p in ([1.0, 1.0001, 2.0, 5.0, 2.0005], [1 + 1j, 1 - 1j, 1 + 1.0001j], [], [3.0]):
        for name, code in TYPES.items():
            for tol in (1e-3, 1e-5):
                roots, times = pairs_of("gnd_unique_roots", array(p), tol, code)
                if len(p):
                    want = signal.unique_roots(p, tol, name)
                    near(roots, want[0], 1e-14)
                    assert (times == want[1]).all() and times.dtype == np.int64
                else:
                    assert roots.shape == times.shape == (0,)
    with refusal(gnd.ERROR_VALUE):
        pairs_of("gnd_unique_roots", array([1.0]), -1.0, 0)


def residues(name, b, a, tol=0.0, kind="avg"):
    room = gnd.outputs(3)
    first = gnd.ctypes.addressof(room)
    gnd.function(name)(first, first + 8, first + 16, array(b), array(a), tol, TYPES[kind])
    return [x.numpy() for x in gnd.take(room)]


CASES = [([5.0, 3, -2, 7], [-4.0, 0, 8, 3]), ([-4.0, 8], [1.0, 6, 8]), ([1.0], [1.0, 3, 3, 1.0 + 1e-9]),
         ([4.0, 1], [1.0, -1, -2]), ([1.0, 2], [2.0]), ([0.0], [1.0, 2, 5]), ([2.0, 1, 3, 4], [1.0, 4, 8, 8, 4, 0.5]),
         ([1.0, 0, 2], [1.0, -2, 2, -2, 1]), ([1j, 2], [1.0, 2j, 3]), ([0, 0, 3.0], [0, 1.0, 5])]


def simple(poles):
    """Rounding moves multiple roots by much more than others."""
    return all(abs(x - y) > 0.05 for i, x in enumerate(poles) for y in poles[:i])


@pytest.mark.parametrize("name", ["gnd_residue", "gnd_residuez"])
def test_residues(name):
    for b, a in CASES:
        for kind in TYPES:
            try:
                r, p, k = getattr(signal, name[4:])(b, a, 1e-3, kind)
            except ValueError:
                with refusal(gnd.ERROR_VALUE):
                    residues(name, b, a, 1e-3, kind)
                continue
            got = residues(name, b, a, 1e-3, kind)
            near(got[2], k, 1e-9)
            same_sets(got[1], p, 1e-4)
            # the sum of fractions is the function again
            for s in (0.37 + 0.2j, 1.9 - 0.4j):
                near(value(name, *got, s), value(name, r, p, k, s), 1e-9 if simple(p) else 2e-3)
            if simple(p) and len(p):
                key = lambda pole: (round(abs(pole), 6), round(pole.imag, 6))  # noqa: E731
                near([x for _, x in sorted(zip(got[1], got[0]), key=lambda y: key(y[0]))],
                     [x for _, x in sorted(zip(p, r), key=lambda y: key(y[0]))], 1e-8)
    with refusal(gnd.ERROR_VALUE):
        residues(name, [1.0], [0.0])


def value(name, r, p, k, s):
    """The partial fractions at s, the poles next to each other being of rising powers."""
    s = 1 / s if name.endswith("z") else s
    total, power = 0, 1
    for i, (x, pole) in enumerate(zip(r, p)):
        power = power + 1 if i and abs(pole - p[i - 1]) < 1e-3 else 1
        total += x / ((1 - pole * s) if name.endswith("z") else (s - pole)) ** power
    return total + (np.polyval(k[::-1], s) if name.endswith("z") else np.polyval(k, s)) if len(k) else total


@pytest.mark.parametrize("name", ["gnd_invres", "gnd_invresz"])
def test_sums_of_fractions(name):
    for r, p, k in [([1.0, 2], [0.5, 0.2], [3.0]), ([1.0, 2, 3], [0.5, 0.5, 0.2], []),
                    ([1.0, 2], [0.5, 0.5], [0, 1.0, 2]), ([1 + 1j, 1 - 1j], [0.3 + 0.5j, 0.3 - 0.5j], []),
                    ([2.0], [0.1], [1.0, 2, 3]),
                    ([1.0, 2, 3, 4], [0.9, 0.5, 0.5, 0.5], [1.0])]:
        want = getattr(signal, name[4:])(r, p, k)
        got = filter_of(name, array(r), array(p), array(np.asarray(k, float)), 0.0, gnd.ROOTS_AVERAGE)
        near(got["b"], want[0], 1e-12)
        near(got["a"], want[1], 1e-12)
    got = filter_of(name, array([1.0]), array([0.5]), None, 0.0, gnd.ROOTS_AVERAGE)
    near(got["a"], [1, -0.5])
    with refusal(gnd.ERROR_VALUE):
        filter_of(name, array([1.0]), array(np.zeros(0)), None, 0.0, gnd.ROOTS_AVERAGE)


def test_findfreqs():
    for num, den in [([1.0], [1.0, 8, 25]), ([1.0, 9], [1.0, 8, 25]), ([5.0, 25], [1.0]),
                     ([1.0, 5, 0], [1.0, 3, 2, 0])]:
        for n in (1, 2, 9, 200):
            near(gnd.findfreqs(array(num), array(den), n, False), signal.findfreqs(num, den, n), 1e-12)
    for z, p in [([], [-1.0, -2 + 3j, -2 - 3j]), ([1j, -1j], [-1.0, -100]), ([-5.0], [])]:
        near(gnd.findfreqs(array(z), array(p), 9, True), signal.findfreqs(z, p, 9, kind="zp"), 1e-12)
    with refusal(gnd.ERROR_VALUE):
        gnd.findfreqs(array([1.0]), array([1.0, 2]), 0, False)
    with refusal(gnd.ERROR_SHAPE):
        gnd.findfreqs(array([[1.0]]), array([1.0, 2]), 9, False)
