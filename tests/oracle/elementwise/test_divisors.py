"""gnd_gcd and gnd_lcm of integers of all magnitudes: as NumPy's, also where a multiple wraps around."""

import numpy as np
import pytest

import gnd
from check import assert_same

INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
SIZES = [1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 1000]


def numbers(dtype, n, seed):
    """Of as many bits as there are or fewer, and what is special: 0, 1, powers of two, the least and the largest."""
    g = np.random.default_rng([n, seed])
    bits = 8 * np.dtype(dtype).itemsize
    x = g.integers(0, 2**64, n, dtype=np.uint64) >> g.integers(64 - bits, 64, n, dtype=np.uint64)
    x = x.astype(dtype)
    limits = np.iinfo(dtype)
    rare = np.array([0, 0, 1, limits.min, limits.max, limits.max // 2 + 1], dtype)
    chosen = g.random(n) < 0.25
    return np.where(chosen, g.choice(rare, n), x)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_pairs(dtype, n):
    for seed in range(0, 20, 2):
        x, y = numbers(dtype, n, seed), numbers(dtype, n, seed + 1)
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        for name in ("gcd", "lcm"):
            assert_same(gnd.apply(name, 2, gnd.args([a, b]), None), getattr(np, name)(x, y), (name, seed))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_numbers_far_apart(dtype):
    """Small ones beside large ones, of either order, with common factors."""
    x, y = numbers(dtype, 4000, 1), (np.arange(4000) % 127).astype(dtype)
    with np.errstate(over="ignore"):
        pairs = [(x, y), (y, x), (x, (x // 3).astype(dtype)), ((y * 64).astype(dtype), x)]
    for k, (u, v) in enumerate(pairs):
        a, b = gnd.from_numpy(u), gnd.from_numpy(v)
        for name in ("gcd", "lcm"):
            assert_same(gnd.apply(name, 2, gnd.args([a, b]), None), getattr(np, name)(u, v), (name, k))


@pytest.mark.parametrize("name", ["gcd", "lcm"])
@pytest.mark.parametrize("dtype", ["int32", "int64", "uint64"])
def test_running(dtype, name):
    """Rows of accumulators, of which some come to 1 and some wrap around."""
    x = np.random.default_rng(5).integers(1, 100, (60, 37)).astype(dtype)
    x[:, ::5] *= 6
    a, f = gnd.from_numpy(x), getattr(np, name)
    for axis in (0, 1):
        assert_same(gnd.reduce(name, a, axis), f.accumulate(x, axis=axis).take(-1, axis), axis)
        assert_same(gnd.accumulate(name, a, axis), f.accumulate(x, axis=axis), axis)
