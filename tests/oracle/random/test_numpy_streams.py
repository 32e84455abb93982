"""Generators of NumPy's kinds draw what numpy.random.Generator draws, bit for bit."""

import contextlib

import numpy as np
import pytest

import gnd

KINDS = {"PCG64": np.random.PCG64, "PCG64DXSM": np.random.PCG64DXSM, "MT19937": np.random.MT19937,
         "SFC64": np.random.SFC64, "PHILOX": np.random.Philox}
SEEDS = (0, 42, 2**32 - 1, 2**40 + 5, 2**64 - 1)
INTEGERS = ("bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


@contextlib.contextmanager
def refusal(code, words):
    with pytest.raises(gnd.Error, match=words) as caught:
        yield
    assert caught.value.code == code


def pair(kind, seed):
    return gnd.random_new_numpy(getattr(gnd, f"NUMPY_{kind}"), seed), np.random.Generator(KINDS[kind](seed))


def same(got, want):
    assert got.numpy().dtype == want.dtype
    np.testing.assert_array_equal(got.numpy(), want)


def intervals(g, dtype):
    """First and last number."""
    if dtype == "bool":
        return [(0, 1), (0, 0), (1, 1)]
    least, most = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
    ends = [sorted(int(v) for v in g.integers(least, most, 2, dtype, endpoint=True)) for _ in range(4)]
    return [(least, most), (0, 0), (least, most - 1), (1, 100), *ends,
            *((0, 2**k - d) for k in (31, 32, 33, 63) for d in (0, 1, 2) if 2**k - d <= most)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", KINDS)
def test_draws_in_turn(kind, seed):
    """Halves of words that one draw leaves are the next one's."""
    a, b = pair(kind, seed)
    order = np.random.default_rng(seed)
    for _ in range(40):
        n = int(order.integers(0, 40))
        match int(order.integers(0, 5)):
            case 0:
                same(gnd.random_random(a, (n,), gnd.FLOAT64), b.random(n))
            case 1:
                same(gnd.random_random(a, (n, 3), gnd.FLOAT32), b.random((n, 3), dtype="float32"))
            case 2:
                low, high = sorted(order.normal(size=2) * 10)
                same(gnd.random_uniform(a, float(low), float(high), (n,), gnd.FLOAT64), b.uniform(low, high, n))
            case 3:
                dtype = str(order.choice(INTEGERS))
                for low, high in intervals(order, dtype):
                    same(gnd.random_integers(a, low, high, (n,), getattr(gnd, dtype.upper()), True),
                         b.integers(low, high, n, dtype, endpoint=True))
            case 4:
                assert gnd.random_bytes(a, n).numpy().tobytes() == b.bytes(n)


@pytest.mark.parametrize("kind", KINDS)
def test_long_draws(kind):
    """Parts of them are computed by several threads."""
    a, b = pair(kind, 7)
    for n in (100_001, 300_000):
        same(gnd.random_random(a, (n,), gnd.FLOAT64), b.random(n))
    same(gnd.random_integers(a, 0, 10, (1000,), gnd.INT64, False), b.integers(0, 10, 1000))


@pytest.mark.parametrize("kind", KINDS)
def test_children_and_seeds(kind):
    a, b = pair(kind, 2**33 + 1)
    for child in b.spawn(3):
        c = gnd.random_spawn(a)
        same(gnd.random_random(c, (5,), gnd.FLOAT64), child.random(5))
        gnd.random_release(c)
    gnd.random_seed(a, 9)
    same(gnd.random_random(a, (5,), gnd.FLOAT64), np.random.Generator(KINDS[kind](9)).random(5))


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "PHILOX"])
def test_advance(kind):
    for count in (0, 1, 5, 2**40):
        a, b = pair(kind, 3)
        same(gnd.random_integers(a, 0, 9, (3,), gnd.INT32, False), b.integers(0, 9, 3, "int32"))
        gnd.random_advance(a, count)
        b.bit_generator.advance(count)
        same(gnd.random_integers(a, 0, 9, (5,), gnd.INT32, False), b.integers(0, 9, 5, "int32"))
        same(gnd.random_random(a, (5,), gnd.FLOAT64), b.random(5))


def test_what_it_lacks_is_refused():
    a, b = pair("SFC64", 1)
    with refusal(gnd.ERROR_INVALID, "SFC64 cannot skip numbers"):
        gnd.random_advance(a, 1)
    with refusal(gnd.ERROR_INVALID, "a generator of NumPy's draws uniform numbers, integers and bytes"):
        gnd.random_normal(a, 0, 1, (3,), gnd.FLOAT64)
    with refusal(gnd.ERROR_INVALID, "NumPy's generators take numbers as parameters, not arrays"):
        gnd.random_uniform(a, gnd.from_numpy(np.zeros(3)), 1, (3,), gnd.FLOAT64)
    with refusal(gnd.ERROR_INVALID, "a generator of NumPy's has no streams"):
        gnd.random_jump(a, 1)
    with refusal(gnd.ERROR_INVALID, "a generator of NumPy's has no random order"):
        gnd.random_permutation(a, 5, 0)
    with refusal(gnd.ERROR_INVALID, "a generator of NumPy's has no state to save"):
        gnd.random_save(a)
    with refusal(gnd.ERROR_INVALID, "NumPy has no kind of generator number 9"):
        gnd.random_new_numpy(9, 0)
    with refusal(gnd.ERROR_INVALID, "make one with gnd_random_new_numpy"):
        gnd.random_new(gnd.NUMPY, 0)
    same(gnd.random_random(a, (5,), gnd.FLOAT64), b.random(5))
