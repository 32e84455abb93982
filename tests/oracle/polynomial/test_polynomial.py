"""Polynomials against NumPy: roots, values, arithmetic, fits; dtypes, strides, and what is refused."""

import numpy as np
import pytest
from numpy.polynomial import polynomial as P

import dtypes
import gnd
from designs import near, refusal, same_sets
from fused import Block
from values import generator


def array(values):
    return gnd.from_numpy(np.asarray(values))


def test_roots():
    g = generator("roots")
    for degree in list(range(0, 13)) + [20]:
        for _ in range(4):
            for c in (g.normal(size=degree + 1), g.normal(size=degree + 1) + 1j * g.normal(size=degree + 1)):
                same_sets(gnd.roots(array(c)).numpy(), np.roots(c), 1e-10)
                got = gnd.roots(array(c)).numpy()
                if c.dtype == float:
                    assert sorted(got.tolist(), key=str) == sorted(got.conj().tolist(), key=str) or (
                        set(got.tolist()) == {complex(x.real, -x.imag) for x in got.tolist()})
    for c in ([0.0, 0, 1, 3, 2, 0, 0], [0.0], [], [5.0], [1, 0, -1], [1, 0, 0, 0], [1, 0, 0, 0, -1], [1, 0, 2, 0, 1]):
        got, want = gnd.roots(array(np.asarray(c, float))), np.roots(c)
        assert got.dtype == "complex128"
        same_sets(got.numpy(), want, 1e-7)
    wilkinson = np.poly(np.arange(1, 13))
    same_sets(gnd.roots(array(wilkinson)).numpy(), np.arange(1, 13), 1e-4)
    wide = np.poly([1e-6, 1e-3, 1.0, 1e3, 1e6])
    near(np.sort(gnd.roots(array(wide)).numpy().real) / [1e-6, 1e-3, 1.0, 1e3, 1e6], np.ones(5), 1e-9)
    with refusal(gnd.ERROR_VALUE):
        gnd.roots(array([1.0, np.nan, 2]))
    with refusal(gnd.ERROR_SHAPE):
        gnd.roots(array(np.ones((2, 2))))


def test_poly():
    g = generator("poly")
    for roots in ([], [1.0, 2, 3], [1, 2], [1 + 2j, 1 - 2j, 3], [1j, 2.0], g.normal(size=(4, 4)), g.normal(size=(7, 7)),
                  g.normal(size=(3, 3)) + 1j * g.normal(size=(3, 3)), np.eye(3), [[2.0]], np.zeros((2, 2))):
        got, want = gnd.poly(array(np.asarray(roots) if len(roots) else np.zeros(0))), np.atleast_1d(np.poly(roots))
        near(got, want, 1e-12)
        assert got.dtype == ("complex128" if np.iscomplexobj(want) else "float64")
    with refusal(gnd.ERROR_SHAPE):
        gnd.poly(array(np.ones((2, 3))))


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32", "float64", "complex64", "complex128"])
def test_values(dtype):
    g = generator("polyval", dtype)
    for n in (0, 1, 2, 5, 90):
        for shape in ((), (1,), (0,), (40,), (5, 7)):
            c = (g.normal(size=n) * 3).astype(dtype)
            x = g.uniform(-1, 1, shape).astype(dtype) if dtype[0] in "fc" else g.integers(-1, 2, shape).astype(dtype)
            got, want = gnd.polyval(array(c), array(x)), np.polyval(c, x)
            assert got.dtype == dtypes.name_of(np.asarray(want).dtype)
            near(got, want, 1e-5 if dtype in ("float32", "complex64") else 1e-13)
    base = np.arange(20, dtype=dtype)
    got = gnd.polyval(gnd.from_numpy(base[:6])["::-2"], gnd.from_numpy(base)["::-3"])
    near(got, np.polyval(base[:6][::-2], base[::-3]), 1e-5)


def test_values_at_numbers():
    for x in (3, 2.5, 1 + 2j, float("inf")):
        for c in (np.array([1.0, 2, 3]), np.array([1.0, 2], "float32"), np.array([4, 5])):
            with np.errstate(invalid="ignore"):
                got, want = gnd.polyval(array(c), x), np.polyval(c, x)
            assert got.dtype == dtypes.name_of(np.asarray(want).dtype) and got.shape == ()
            assert np.allclose(got.numpy(), want, equal_nan=True)
    with refusal(gnd.ERROR_SHAPE):
        gnd.polyval(array(np.ones((2, 2))), 1.0)


def test_values_in_a_block():
    """One launch: of 100,000 points, which the CPU does not compute at once."""
    c, x = np.array([3.0, -1, 0.5, 2]), np.linspace(-2, 2, 100_000)
    p, at = array(c), array(x)
    with Block() as block:
        got = block.keep(gnd.polyval(p, at))
    near(got, np.polyval(c, x), 1e-14)
    text = gnd.ctypes.create_string_buffer(10_000)
    gnd.fuse_explain_text(text, 10_000)
    assert text.value.count(b"launch ") == 1 and b"multiply" in text.value, text.value.decode()


def test_values_from_roots():
    g = generator("valfromroots")
    for roots in (g.normal(size=5), np.array([1, 2, 3]), np.zeros(0), np.array([1j, -1j])):
        for x in (g.normal(size=(3, 4)), g.normal(size=(6,)), np.array(2.0)):
            near(gnd.polyvalfromroots(array(x), array(roots)), P.polyvalfromroots(x, roots), 1e-13)
    near(gnd.polyvalfromroots(2.0, array([1.0, 3.0])), P.polyvalfromroots(2.0, [1.0, 3.0]))


def test_arithmetic():
    g = generator("polyadd")
    for first in ("int32", "float32", "float64", "complex128"):
        for second in ("int64", "float32", "complex64"):
            for n, m in [(1, 1), (3, 5), (5, 3), (4, 4), (1, 6)]:
                a, b = (g.normal(size=n) * 9).astype(first), (g.normal(size=m) * 9).astype(second)
                for name in ("polyadd", "polysub", "polymul"):
                    got, want = gnd.function("gnd_" + name)(array(a), array(b)), getattr(np, name)(a, b)
                    assert got.dtype == dtypes.name_of(want.dtype), (name, first, second)
                    near(got, want, 1e-5)
    near(gnd.polymul(array([0.0, 0, 1, 2]), array([0.0, 3, 1])), np.polymul([0, 0, 1, 2], [0, 3, 1]))
    near(gnd.polymul(array([0.0, 0]), array([0.0, 3, 1])), [0, 0])
    near(gnd.polyadd(gnd.from_numpy(np.arange(6.0))["::-2"], array([1.0])), np.polyadd(np.arange(6.0)[::-2], [1.0]))
    near(gnd.polysub(array(2.0), array([1.0, 5.0])), np.polysub(2.0, [1.0, 5.0]))
    for name in ("gnd_polyadd", "gnd_polysub", "gnd_polymul"):
        with refusal(gnd.ERROR_SHAPE):
            gnd.function(name)(array(np.ones((2, 2))), array([1.0]))
    with refusal(gnd.ERROR_VALUE):
        gnd.polymul(array(np.zeros(0)), array([1.0]))


def test_division():
    for u, v in [([3.0, 5, 2], [2.0, 1]), ([1.0, 2, 3, 4], [1.0, 1]), ([1.0], [1.0, 2]), ([4, 5, 6], [2]),
                 ([1.0, 2j], [1j]), ([1.0, 2, 1], [1.0, 1]), (np.float32([1, 2, 3]), np.float32([2, 1])),
                 ([3.0, 5], 2.0)]:
        room = gnd.outputs(2)
        first = gnd.ctypes.addressof(room)
        gnd.polydiv(first, first + 8, array(u), array(v))
        for got, want in zip(gnd.take(room), np.polydiv(u, v)):
            assert got.dtype == dtypes.name_of(want.dtype)
            near(got, want, 1e-6)
    room = gnd.outputs(1)
    gnd.polydiv(None, gnd.ctypes.addressof(room), array([1.0, 2]), array([1.0]))
    near(gnd.take(room)[0], [0.0])
    with refusal(gnd.ERROR_VALUE):
        gnd.polydiv(first, first + 8, array([1.0, 2]), array([0.0, 1.0]))


def test_derivatives_and_integrals():
    for c in ([1.0, 2, 3, 4], [3, 4, 5], [2.0], np.float32([1, 2, 3]), [1j, 2, 3]):
        for m in range(5):
            got, want = gnd.polyder(array(c), m), np.polyder(np.asarray(c), m)
            assert got.dtype == dtypes.name_of(np.asarray(want).dtype)
            near(got, want)
            for k in (None, [5.0], [1.0, 2, 3, 4, 5]):
                if m == 0 and k:
                    continue
                got = gnd.polyint(array(c), m, None if k is None else array(k))
                want = np.polyint(np.asarray(c), m, k)
                assert got.dtype == dtypes.name_of(np.asarray(want).dtype)
                near(got, want, 1e-6)
    for m in (-1, 5000):
        with refusal(gnd.ERROR_VALUE):
            gnd.polyder(array([1.0]), m)
    with refusal(gnd.ERROR_SHAPE):
        gnd.polyint(array([1.0]), 4, array([1.0, 2]))


def test_fit():
    g = generator("polyfit")
    x = g.uniform(-3, 3, 60)
    for y in (g.normal(size=60), g.normal(size=(60, 3)), g.integers(0, 9, 60),
              g.normal(size=60) + 1j * g.normal(size=60)):
        for deg in (0, 1, 3, 7):
            near(gnd.polyfit(array(x), array(y), deg, None), np.polyfit(x, y, deg), 1e-9)
            w = g.uniform(0.1, 2, 60)
            held = array(w)
            options = gnd.STRUCTS["gnd_polyfit_options"](w=held.pointer)
            near(gnd.polyfit(array(x), array(y), deg, options), np.polyfit(x, y, deg, w=w), 1e-9)
    single = x.astype("float32")
    got = gnd.polyfit(array(single), array(single ** 2), 2, None)
    assert got.dtype == dtypes.name_of(np.polyfit(single, single ** 2, 2).dtype)
    near(got, [1, 0, 0], 1e-4)
    for a, b, deg, code in [(x, x[:5], 1, gnd.ERROR_SHAPE), (x, x, -1, gnd.ERROR_VALUE),
                            (x * 1j, x, 1, gnd.ERROR_DTYPE)]:
        with refusal(code):
            gnd.polyfit(array(a), array(b), deg, None)


def test_matrices():
    g = generator("polyvander")
    for x in (g.normal(size=7), g.normal(size=(2, 3)), np.arange(4), np.float32([1, 2]), np.array(2.0), np.zeros(0),
              np.array([np.inf, 1.0])):
        for deg in (0, 1, 5):
            got = gnd.polyvander(array(x), deg).numpy()
            with np.errstate(all="ignore"):
                want = P.polyvander(x, deg)
            assert got.shape == want.shape and got.dtype == want.dtype
            assert np.allclose(got, want, equal_nan=True)
    for c in ([1.0, 2], [1.0, 2, 3, 4], [1j, 2, 3]):
        near(gnd.polycompanion(array(c)), P.polycompanion(c))
    with refusal(gnd.ERROR_VALUE):
        gnd.polycompanion(array([1.0]))
    with refusal(gnd.ERROR_VALUE):
        gnd.polyvander(array([1.0]), -1)
