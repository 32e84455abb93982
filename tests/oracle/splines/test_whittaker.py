"""Whittaker-Henderson smoothing: against values that SciPy 1.18.1 gave, and the definition in dense matrices."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import dtypes
import gnd
from check import refused
from test_faults import run_with_failures
from test_resample import strided
from values import generator

REAL = [d for d in dtypes.NAMES if d not in dtypes.COMPLEX]
STORED = {  # name: (lamb, indices, the smoothed samples there)
    "3 2.0 2 -": (2.0, [0, 1, 2],
        [-0.299089181649, 0.1438476940931, 0.5863291606596]),
    "5 10.0 2 weights": (10.0, [0, 1, 2, 4],
        [-0.1101729352413, 0.164485856736, 0.4201619422375, 0.8482120879308]),
    "40 1600.0 2 -": (1600.0, [0, 1, 13, 20, 39],
        [0.5771555277734, 0.574962584909, 0.3178968192269, 0.1055606219215, 2.184792913141]),
    "40 1600.0 2 weights": (1600.0, [0, 1, 13, 20, 39],
        [0.6251542092272, 0.6321274370276, 0.3564986142659, -0.009482523174676, 2.360134205621]),
    "200 1000000.0 3 -": (1000000.0, [0, 1, 66, 100, 199],
        [0.6944818821306, 0.6420295863717, 4.381110491345, 9.999963696489, 40.54338328874]),
    "200 1000000.0 3 weights": (1000000.0, [0, 1, 66, 100, 199],
        [0.8306027407592, 0.7633501324514, 4.377096322078, 10.00896030716, 40.7239501777]),
    "30 5.0 1 weights": (5.0, [0, 1, 10, 15, 29],
        [0.1988083091362, 0.2985699709634, 0.8922725506898, 0.3655936938585, 0.2948469607253]),
    "25 1000000.0 2 -": (1000000.0, [0, 1, 8, 12, 24],
        [0.8699851005068, 0.8261881517897, 0.5194607946651, 0.3439029501746, -0.1838425410598]),
    "25 1e+18 2 weights": (1e+18, [0, 1, 8, 12, 24],
        [0.9644629459364, 0.9126052143922, 0.5496010935825, 0.3421701674056, -0.2801226111253]),
    "12 0.5 6 -": (0.5, [0, 1, 4, 6, 11],
        [-0.3129667215847, 0.2064238011445, 0.6268926851773, 0.9202057274709, 0.9007608655651]),
    "60 reml 1 -": (0.32945101852180664, [0, 1, 20, 30, 59],
        [-0.189737103545, 0.1449496640047, -0.4705076972886, 0.536683991439, 2.942930551751]),
    "60 reml 2 -": (8.39746334127316, [0, 1, 20, 30, 59],
        [-0.1258869861738, 0.1188198473225, -0.3407573902959, 0.6717962021815, 2.846842338532]),
    "60 reml 2 weights": (14.061166920586095, [0, 1, 20, 30, 59],
        [-0.03316591919774, 0.1915988045404, -0.3584210394673, 0.7210311005988, 2.930547697346]),
    "200 reml 3 -": (163.28408292193046, [0, 1, 66, 100, 199],
        [-0.1935618104176, 0.09762705295551, 4.950046556883, 10.87471408515, 40.61346727992]),
    "200 reml 2 weights": (16.281292379694015, [0, 1, 66, 100, 199],
        [-0.0227464148835, 0.1950285649549, 4.94093224974, 10.85287139344, 40.70838277594]),
    "30 reml 1 weights": (0.6502949053280189, [0, 1, 10, 15, 29],
        [-0.116189207769, 0.1664683845404, 0.8257981588603, 0.2793277690299, 0.4756939203407]),
}


def smooth(x, lamb=np.nan, order=2, weights=None):
    """The smoothed array and the lamb of each line."""
    room = (gnd.ctypes.c_void_p * 1)()
    x, weights = (gnd.from_numpy(a) if isinstance(a, np.ndarray) else a for a in (x, weights))
    y = gnd.whittaker_henderson(x, lamb, order, weights, room)
    return y.numpy(), gnd.Array(room[0]).numpy()


def curve(n):
    """A wave with noise that is the same everywhere."""
    t = np.arange(n)
    return np.sin(t / 5.0) + 0.001 * t * t + 0.3 * (t * 7919 % 101 / 50 - 1)


def some_weights(n, zero=True):
    w = 1.0 + np.arange(n) % 3
    if zero:
        w[n // 3] = 0
    return w


def dense(y, lamb, order, w):
    d = np.diff(np.eye(len(y)), n=order, axis=0)
    return np.linalg.solve(np.diag(w) + lamb * d.T @ d, w * y)


def dense_criterion(log_lamb, y, order, w):
    """The restricted likelihood from determinants of dense matrices."""
    n, lamb = len(y), np.exp(log_lamb)
    d = np.diff(np.eye(n), n=order, axis=0)
    x = dense(y, lamb, order, w)
    rest = np.sum(w * (y - x) ** 2) + lamb * np.sum((d @ x) ** 2)
    determinant = np.linalg.slogdet(np.diag(w) + lamb * d.T @ d)[1]
    return ((n - order) * (np.log(rest) - log_lamb) + determinant) / 2


@pytest.mark.parametrize("name", STORED)
def test_stored(name):
    """`name`: samples, lamb ("reml": chosen), order, whether there are weights."""
    n, lamb, order, weighted = name.split()
    n = int(n)
    used, indices, values = STORED[name]
    y, w = curve(n), some_weights(n, lamb != "reml") if weighted == "weights" else None
    x, chosen = smooth(y, np.nan if lamb == "reml" else float(lamb), int(order), w)
    assert chosen.shape == () and np.isclose(chosen, used, rtol=2e-4 if lamb == "reml" else 1e-15)
    np.testing.assert_allclose(x[indices], values, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("dtype", REAL)
def test_lines(dtype):
    """Every dtype, strided arrays of lines, weights for each and for all."""
    g = generator("whittaker", dtype)
    for shape, order in [((7,), 2), ((3,), 2), ((4, 30), 1), ((2, 3, 41), 3), ((70, 12), 2), ((2, 9), 5), ((0, 9), 2)]:
        a, x = strided(g, shape, dtype)
        x = dtypes.wide(x).astype("float64")
        for weights in (None, g.uniform(0.5, 2, shape), g.uniform(0.5, 2, shape[-1])):
            w = np.broadcast_to(1.0 if weights is None else weights, shape)
            for lamb in (0.3, 40.0):
                got, used = smooth(a, lamb, order, weights)
                assert got.dtype == "float64" and used.shape == shape[:-1] and np.all(used == lamb)
                want = np.empty(shape)
                for line in np.ndindex(shape[:-1]):
                    want[line] = dense(x[line], lamb, order, w[line])
                scale = np.abs(x).max(initial=1e-30)
                np.testing.assert_allclose(got / scale, want / scale, rtol=1e-7, atol=1e-9)


def test_the_chosen_lamb_is_the_likeliest():
    g = generator("whittaker reml")
    lines = np.cumsum(g.normal(size=(6, 60)), axis=1) + g.normal(size=(6, 60))
    w = some_weights(60, zero=False)
    for order in (1, 2, 3):
        for weights in (None, w):
            got, used = smooth(lines, np.nan, order, weights)
            for y, x, lamb in zip(lines, got, used):
                each = np.ones(60) if weights is None else weights
                best = minimize_scalar(dense_criterion, bounds=(-12, 20), args=(y, order, each), method="bounded",
                                       options={"xatol": 1e-9})
                value = dense_criterion(np.log(lamb), y, order, each)
                assert value <= best.fun + 1e-6 * abs(best.fun), (order, lamb, np.exp(best.x))
                np.testing.assert_allclose(x, dense(y, lamb, order, each), rtol=1e-6, atol=1e-6)


def test_limits():
    """A lamb of 0 changes nothing; one without a bound gives polynomials; weights of 0 fill in."""
    y, t = curve(50), np.arange(50)
    for dtype in ("float32", "int64", "bool"):
        x = (y * 100).astype(dtype)
        got, used = smooth(x, 0.0, 2)
        assert got.dtype == dtype and np.array_equal(got, x) and used == 0
    for order in (1, 2, 4):
        for lamb in (1e20, 1e300, np.inf):
            got, _ = smooth(y, lamb, order)
            np.testing.assert_allclose(got, np.polynomial.Polynomial.fit(t, y, order - 1)(t), rtol=1e-9, atol=1e-9)
    holes = y.copy()
    holes[[0, 20, 21, 49]] = np.nan, np.inf, -np.inf, np.nan
    w = np.isfinite(holes).astype(float)
    filled, _ = smooth(holes, 5.0, 2, w)
    np.testing.assert_allclose(filled, dense(np.nan_to_num(holes, posinf=0, neginf=0), 5.0, 2, w), rtol=1e-8)
    zeroed, _ = smooth(holes, 0.0, 2, w)
    assert np.array_equal(zeroed, np.where(w > 0, y, 0))


def test_what_is_not_finite():
    """Where SciPy raises, the line is NaN, and only that one."""
    lines = np.tile(curve(20), (3, 1))
    lines[1, 4] = np.nan
    for weights in (None, np.ones((3, 20))):
        got, used = smooth(lines, 3.0, 2, weights)
        assert np.isnan(got).all(axis=1).tolist() == [False, True, False] and np.isnan(used[1])
    w = np.ones((3, 20))
    w[0, 3] = np.inf
    got, _ = smooth(lines, 3.0, 2, w)
    assert np.isnan(got).all(axis=1).tolist() == [True, True, False]


def test_refusals():
    x = gnd.from_numpy(curve(9))
    for code, call in (
        (gnd.ERROR_VALUE, lambda: gnd.whittaker_henderson(x, -1.0, 2, None, None)),
        (gnd.ERROR_VALUE, lambda: gnd.whittaker_henderson(x, 1.0, 0, None, None)),
        (gnd.ERROR_VALUE, lambda: gnd.whittaker_henderson(x, 1.0, 26, None, None)),
        (gnd.ERROR_SHAPE, lambda: gnd.whittaker_henderson(x, 1.0, 9, None, None)),
        (gnd.ERROR_SHAPE, lambda: gnd.whittaker_henderson(gnd.from_numpy(np.float64(1)), 1.0, 1, None, None)),
        (gnd.ERROR_SHAPE, lambda: gnd.whittaker_henderson(x, 1.0, 2, gnd.from_numpy(np.ones(8)), None)),
        (gnd.ERROR_SHAPE, lambda: gnd.whittaker_henderson(x, 1.0, 2, gnd.from_numpy(np.ones((1, 9))), None)),
        (gnd.ERROR_DTYPE, lambda: gnd.whittaker_henderson(gnd.from_numpy(np.ones(9, "complex64")), 1.0, 2, None, None)),
        (gnd.ERROR_DTYPE, lambda: gnd.whittaker_henderson(x, 1.0, 2, gnd.from_numpy(np.ones(9, "complex64")), None)),
    ):
        refused(call, code, "gnd_whittaker_henderson")


def test_out_of_memory_at_every_allocation():
    x = gnd.from_numpy(curve(40).astype("float32"))
    w = gnd.from_numpy(np.ones(40, "float32"))
    _, failures = run_with_failures(lambda: gnd.whittaker_henderson(x, np.nan, 2, w, None))
    assert failures >= 3
