"""interp against NumPy, to the bit: real and complex curves, values left and right, periods, points beside
infinities and NaN, any dtype and layout, what is refused, and out of memory."""

import numpy as np
import pytest

import dtypes
import gnd
import values
from test_faults import run_with_failures
from values import generator


def options(left=None, right=None, period=0.0):
    result = gnd.STRUCTS["gnd_interp_options"]()
    result.left, result.right, result.period = gnd.arg(left), gnd.arg(right), period
    return result


def check(x, xp, fp, left=None, right=None, period=None, array=None):
    got = gnd.interp(gnd.from_numpy(x) if array is None else array, gnd.from_numpy(xp),
                     gnd.from_numpy(fp), options(left, right, period or 0.0))
    with np.errstate(all="ignore"):
        want = np.interp(dtypes.widen(x), dtypes.widen(xp), dtypes.widen(fp), left, right, period)
    want = np.asarray(want)
    assert got.dtype == want.dtype.name and got.shape == want.shape
    same = got.numpy() == want
    same |= np.isnan(got.numpy()) & np.isnan(want)
    assert same.all(), (got.numpy()[~same][:3], want[~same][:3], x[~same][:3])


@pytest.mark.parametrize("is_complex", [False, True])
def test_interp(is_complex):
    for points in (1, 2, 3, 10, 600, 5000):
        g = generator(points, is_complex)
        xp = np.sort(g.normal(size=points))
        fp = g.normal(size=points) + (1j * g.normal(size=points) if is_complex else 0)
        x = np.concatenate([g.normal(size=700) * 2, xp, xp[:1] - 1e-9, [np.nan, np.inf, -np.inf]])
        if points == 1 and is_complex:
            x = x[~np.isnan(x)]
        check(x, xp, fp)
        check(x, xp, fp, -3.5, 7)
        if is_complex:
            check(x, xp, fp, 1 + 2j, None)
        steps = np.repeat(xp, 2)  # steps: two points at one place
        check(x, steps, np.repeat(fp, 2)[::-1].copy())


@pytest.mark.filterwarnings("ignore")
def test_interp_infinities():
    """From the other end where the formula gives NaN, and never past a point."""
    for xp, fp in (([0, 1, 2], [0, np.inf, 2]), ([0, 1, 2], [-np.inf, 3, np.inf]), ([0, 1], [np.nan, 1]),
                   ([-np.inf, 0, np.inf], [1, 2, 3]), ([0, 1, 2], [np.inf, np.inf, -np.inf]),
                   ([0, 1, 2], [0, 1e308, -1e308]), ([0, 0, 1], [1, 2, 3])):
        x = np.array([-np.inf, -1, 0, 0.25, 0.5, 1, 1.25, 1.75, 2, 3, np.inf, np.nan])
        check(x, np.array(xp, float), np.array(fp, float))
        check(x, np.array(xp, float), np.array(fp) + 1j * np.array(fp[::-1]))


@pytest.mark.parametrize("name", [n for n in dtypes.NAMES if n not in dtypes.COMPLEX])
def test_interp_dtypes(name):
    g = generator(name)
    x = values.random_values(name, (200,), g, 0.2)
    other = np.sort(g.integers(0, 100, 20)).astype("float64" if name == "bool" else "int16")
    check(x, np.unique(other), g.normal(size=len(np.unique(other))).astype(np.float32))
    xp = np.unique(dtypes.widen(values.random_values(name, (30,), g, 0)).astype(float))
    xp = dtypes.cast(xp[np.isfinite(xp)], name)
    check(g.normal(size=(3, 50)) * 20, xp, values.random_values(name, (len(xp),), g, 0))


def test_interp_period():
    g = generator("period")
    for period in (360, -7.5, 0.1):
        for n in (1, 2, 30, 500):
            xp, x = g.normal(size=n) * 300, g.normal(size=(4, 100)) * 500
            for fp in (g.normal(size=n), g.normal(size=n) * 1j):
                check(x, xp, fp, None, None, period)
                check(x, xp, fp, 2.0, 3.0, period)  # without a meaning then
    check(np.arange(0, 700, 45), np.array([190, -190, 350, -350]), np.array([5, 10, 3, 4]), period=360)
    check(np.array([0.0, 360, 10]), np.array([10.0, 0]), np.array([-0.0, 0.0]), period=360)


def test_interp_layouts():
    g = generator("layouts")
    xp, fp = np.sort(g.normal(size=40)), g.normal(size=40)
    for shape in ((), (7,), (4, 5), (2, 3, 4), (0,), (3, 0)):
        for layout in values.layouts(shape):
            x = values.random_values("float32", layout.base, g, 0)
            check(values.apply_numpy(x, layout.steps), xp, fp, array=gnd.view(x, layout.steps))
    check(g.normal(size=9), xp[::-1][::-1], fp[::-1])
    spread = gnd.from_numpy(np.stack([xp, fp], 1))
    got = gnd.interp(0.3, spread[":, 0"], spread[":, 1"], None)
    assert got.shape == () and got.numpy() == np.interp(0.3, xp, fp)
    assert gnd.interp(2, spread[":, 0"], spread[":, 1"], None).numpy() == np.interp(2, xp, fp)


def test_interp_refused():
    x, m, z = gnd.from_numpy(np.arange(3.0)), gnd.zeros((2, 2), None), gnd.zeros((3,), "complex64")
    none = gnd.zeros((0,), None)
    wrong = [
        (lambda: gnd.interp(x, x, x[":2"], None), gnd.ERROR_SHAPE, r"\(3,\).*\(2,\)"),
        (lambda: gnd.interp(x, m, m, None), gnd.ERROR_SHAPE, "one dimension"),
        (lambda: gnd.interp(x, none, none, None), gnd.ERROR_SHAPE, "no points"),
        (lambda: gnd.interp(x, z, x, None), gnd.ERROR_DTYPE, "xp has dtype complex64"),
        (lambda: gnd.interp(z, x, x, None), gnd.ERROR_DTYPE, "x has dtype complex64"),
        (lambda: gnd.interp(x, x, x, options(left=1j)), gnd.ERROR_DTYPE, "left is complex"),
        (lambda: gnd.interp(x, x, x, options(right=x)), gnd.ERROR_INVALID, "right must be a number"),
        (lambda: gnd.interp(x, x, x, options(period=np.inf)), gnd.ERROR_VALUE, "period"),
        (lambda: gnd.interp(None, x, x, None), gnd.ERROR_INVALID, "x must be"),
        (lambda: gnd.interp(x, None, x, None), gnd.ERROR_INVALID, "xp"),
    ]
    for call, code, sentence in wrong:
        with pytest.raises(gnd.Error, match=sentence) as caught:
            call()
        assert caught.value.code == code


def test_many_values():
    g = generator("many")
    xp = np.sort(g.random(20000))
    check(g.random(300001).astype(np.float32), xp, g.normal(size=20000))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("points", [1, 2, 65, 1000, 4096])
def test_many_values_for_each_point(points):
    """Points at random, crowded together, at one place, and up to infinity."""
    g = generator("buckets", points)
    even = np.sort(g.random(points))
    beyond = even.copy()
    beyond[-1] = np.inf
    fp = g.normal(size=points)
    x = np.concatenate([g.random(299000) * 1.2 - 0.1, g.choice(even, 1000), [np.nan, np.inf, -np.inf, -0.0]])
    for xp in (even, even**9, np.floor(even * 20), np.zeros(points), (even - 0.5) * 3e308, beyond):
        check(x, xp, fp)
        check(x.astype(np.float32), xp, fp, -1.5, 2.5)
    check(x[:262200] * 1e-300, even * 1e-300, fp)
    if points > 1:
        check(x, even, fp + 1j * fp[::-1], 2, 3j)
        check(x * 40, even, fp, period=0.75)


def test_many_values_of_long_curves():
    g = generator("long curves")
    for points in (12000, 15000, 20000):
        xp, x = np.sort(g.normal(size=points)), g.normal(size=64 * points).astype(np.float32)
        check(x, xp, g.normal(size=points))


def test_no_memory():
    g = generator("memory")
    x = gnd.from_numpy(g.normal(size=(60, 50)))[":, ::2"]
    xp, fp = gnd.from_numpy(np.arange(2000)), gnd.from_numpy(g.normal(size=2000).astype(np.float32))
    for call in (lambda: gnd.interp(x, xp, fp, None), lambda: gnd.interp(2, xp, fp, None),
                 lambda: gnd.interp(x, xp, fp, options(period=7.0))):
        result, failures = run_with_failures(call)
        assert failures
        assert (result.numpy() == call().numpy()).all()
