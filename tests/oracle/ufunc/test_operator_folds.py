"""Folds with an operator where the CPU has a way of its own: many lines side by side, sums in place of subtractions and
shifts, maxima in place of fmax, bool whose outputs are known early, powers that are settled. NumPy's accumulate
is what they are compared with, since NumPy 2.4 reduces power and arctan2 wrongly on CPUs with AVX-512."""

import itertools

import numpy as np
import pytest

import dtypes
import gnd
from check import assert_same
from test_ufunc import FOLDED, assert_near, generator, layouts, numpy_ufunc, quiet, refused_fold, sample

CHOSEN = ("bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64", "complex64", "complex128")


def last_of(name, x, axis):
    return np.take(quiet(numpy_ufunc(name).accumulate, x, axis=axis), -1, axis=axis)


@pytest.mark.parametrize("name", [n for n in FOLDED if numpy_ufunc(n)])
def test_many_lines(name):
    """More lines than go side by side, of lengths around a vector's."""
    g = generator("many lines", name)
    growth = 1000 if "power" in name else 1  # a power of x has the error of x times the exponent
    for dtype in CHOSEN:
        if refused_fold(name, dtype) is not None:
            continue
        base = sample(name, dtype, (75, 39), g)
        for x, a in layouts(base):
            for axis in (0, 1):
                assert_near(gnd.reduce(name, a, axis), last_of(name, x, axis), name,
                            f"{name} {dtype} {x.shape} axis {axis}", 75 * growth, True, 75)


@pytest.mark.parametrize("name", ["left_shift", "right_shift", "subtract", "bitwise_and", "bitwise_or", "bitwise_xor"])
@pytest.mark.parametrize("dtype", dtypes.INTEGERS)
def test_integers_of_all_values(name, dtype):
    """Shifts by little, by too much and by negative numbers; everything else wraps around."""
    g = generator("integers", name, dtype)
    bits = np.iinfo(dtype).bits
    shares = (0.002, 0.05, 0.7) if "shift" in name else (1,)  # of counts that are not 0
    for share, shape in itertools.product(shares, ((5,), (40,), (3000,), (30, 50), (9, 2500))):
        x = g.integers(0, 256, (*shape, bits // 8), np.uint8).view(dtype)[..., 0]
        if "shift" in name:
            few = np.where(g.random(shape) < share, g.integers(1, 3, shape), 0).astype(dtype)
            few[g.random(shape) < share / 25] = np.array(limit(dtype, g)).astype(dtype)
            few[(slice(None),) * (few.ndim - 1) + (0,)] = x[..., 0]
            x = few
        for values, a in layouts(x):
            for axis in range(x.ndim):
                assert_same(gnd.reduce(name, a, axis), last_of(name, values, axis), (name, shape, axis))
                assert_same(gnd.accumulate(name, a, axis),
                            numpy_ufunc(name).accumulate(values, axis=axis), (name, shape, axis))


@pytest.mark.parametrize("dtype", dtypes.INTEGERS)
def test_greatest_common_divisors(dtype):
    """Lines that come to 1 at once, late or never, and zeros."""
    g = generator("gcd", dtype)
    signed = dtype.startswith("int")
    for factor, late in ((1, False), (6, False), (6, True)):
        for shape in ((9,), (40,), (3000,), (30, 50), (9, 2500)):
            x = (g.integers(-20 if signed else 0, 20, shape) * factor).astype(dtype)
            x[g.random(shape) < 0.3] = 0
            if late:
                x[..., -1] = 7
            for values, a in layouts(x):
                for axis in range(x.ndim):
                    assert_same(gnd.reduce("gcd", a, axis), last_of("gcd", values, axis), (shape, axis))
                    assert_same(gnd.accumulate("gcd", a, axis), np.gcd.accumulate(values, axis=axis), (shape, axis))


def limit(dtype, g):
    info = np.iinfo(dtype)
    return (info.max, info.min, info.bits - 1, info.bits)[g.integers(4)]


@pytest.mark.parametrize("name", ["fmin", "fmax"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_extremes_beside_nan(name, dtype):
    """NaN nowhere, in some columns, and everywhere in one."""
    g = generator("beside nan", name, dtype)
    for share in (0, 0.001, 0.5):
        x = g.standard_normal((300, 33)).astype(dtype)
        x[g.random(x.shape) < share] = np.nan
        if share:
            x[:, 5] = np.nan
        for values, a in layouts(x):
            for axis in (0, 1):
                assert_same(gnd.reduce(name, a, axis), quiet(numpy_ufunc(name).reduce, values, axis=axis), share)


@pytest.mark.parametrize("row", [0, 1, 7, 8, 9, 23, 24, 100, 198, 199])
def test_bool_known_early(row):
    """The element that decides lies early, late, or everywhere but in one column."""
    for rest in (False, True):
        x = np.full((200, 130), rest)
        x[row] = ~x[row]
        x[:, 77] = rest
        some = x.copy()
        some[row, 77] = not rest
        for values in (x, some):
            a, ones = gnd.from_numpy(values), gnd.ones(values.shape, "bool")
            assert_same(gnd.any(a, 0), values.any(0), row)
            assert_same(gnd.all(a, 0), values.all(0), row)
            assert_same(gnd.max(a, 0), values.max(0), row)
            assert_same(gnd.vecdot(a, ones, 0), values.any(0), row)
            assert_same(gnd.argmax(gnd.transpose(a), 1), values.T.argmax(1), row)
            assert_same(gnd.argmin(gnd.transpose(a), 1), values.T.argmin(1), row)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_that_are_settled(dtype):
    """Most numbers are 0, 1 or infinite; exponents are simple, infinite, NaN and others."""
    g = generator("settled", dtype)
    for n in (7, 256, 700):
        x = g.choice([0.0, 1.0, np.inf, -0.0, -np.inf, 2.5, 0.3], n, p=[.2, .3, .3, .05, .05, .05, .05]).astype(dtype)
        y = g.choice([0.0, 1.0, 2.0, 3.0, -1.0, 0.5, -3.0, 7.0, np.inf, -np.inf, np.nan, 1.7], n).astype(dtype)
        want = quiet(np.power, x.astype("float64"), y.astype("float64"))
        got = gnd.power(gnd.from_numpy(x), gnd.from_numpy(y)).numpy()
        np.testing.assert_allclose(got, want.astype(dtype), rtol=4 * np.finfo(dtype).eps)
        np.testing.assert_array_equal(np.signbit(got)[~np.isnan(want)], np.signbit(want)[~np.isnan(want)])
        lines = np.abs(x[:n // 7 * 7].reshape(7, -1))
        settled = np.stack([g.choice(y, 90) for _ in range(8)])
        settled[:, 0] = [0.0, -0.0, np.nan, 1.0, np.inf, -np.inf, 0.5, -2.0]
        for values in (lines, settled):
            for axis in (0, 1):
                want = quiet(np.power.accumulate, values, axis=axis)
                for got, wanted in ((gnd.accumulate("power", gnd.from_numpy(values), axis).numpy(), want),
                                    (gnd.reduce("power", gnd.from_numpy(values), axis).numpy(), want.take(-1, axis))):
                    np.testing.assert_allclose(got, wanted, rtol=1e-3)
                    numbers = ~np.isnan(wanted)
                    np.testing.assert_array_equal(np.signbit(got)[numbers], np.signbit(wanted)[numbers])
