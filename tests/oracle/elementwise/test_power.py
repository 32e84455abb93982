"""gnd_power with the exponents that have an operator of their own: as np.power, to the last bit."""

import numpy as np
import pytest

import dtypes
import gnd
from check import assert_same
from fused import fused
from values import specials

FLOATS = ["float32", "float64"]
NUMBERS = {2: np.square, 0.5: np.sqrt, -1: np.reciprocal, 1: np.positive, 0: np.ones_like}


def numbers(dtype, n=3001):
    """Of all magnitudes, and what is special."""
    g = np.random.default_rng(n)
    bits = g.integers(0, 2**(8 * np.dtype(dtype).itemsize), n, dtype=f"u{np.dtype(dtype).itemsize}",)
    x = np.concatenate([bits.view(dtype), g.normal(size=n).astype(dtype), specials(dtype)])
    return np.where(np.isnan(x), np.dtype(dtype).type(np.nan), x)  # no signalling ones


def same_bits(got, want):
    """All bits, but those of NaNs."""
    got, want = got.numpy(), np.asarray(want)
    assert got.dtype == want.dtype and got.shape == want.shape
    number = ~(np.isnan(got) & np.isnan(want))
    assert got[number].tobytes() == want[number].tobytes()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exponent", list(NUMBERS))
@pytest.mark.parametrize("dtype", FLOATS)
def test_numbers(dtype, exponent):
    x = numbers(dtype)
    want = np.power(x, exponent)
    same_bits(gnd.from_numpy(NUMBERS[exponent](x)), want)  # what NumPy has it from
    a = gnd.from_numpy(x)
    for e in (exponent, float(exponent)):
        same_bits(gnd.power(a, e), want)
        same_bits(gnd.apply("power", 2, gnd.args([a, e]), None), want)
    same_bits(fused(lambda: gnd.multiply(gnd.power(gnd.multiply(a, 1), exponent), 1)), want)
    out = gnd.from_numpy(np.zeros_like(x))
    gnd.power_into(out, a, exponent)
    same_bits(out, want)
    same_bits(gnd.power(gnd.slice_text(a, "::-2"), exponent), want[::-2])


def root(x):
    return np.where(x == 0, x.dtype.type(0), np.where(x == -np.inf, x.dtype.type(np.inf), np.sqrt(x)))


ELEMENTS = {**NUMBERS, 0.5: root}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("mixed", [False, True])
@pytest.mark.parametrize("dtype", FLOATS)
def test_arrays_of_exponents(dtype, mixed):
    """One by one, beside exponents that have no such operator, in any position of a vector."""
    x = numbers(dtype)
    a = gnd.from_numpy(x)
    for e, function in ELEMENTS.items():
        exponents = np.full(x.shape, e, dtype)
        if mixed:
            exponents[np.arange(x.size) % 3 == 1] = 1.7
        want, at = function(x), exponents == e
        for got in (gnd.power(a, gnd.from_numpy(exponents)),
                    fused(lambda: gnd.power(gnd.multiply(a, 1), gnd.from_numpy(exponents)))):
            same_bits(gnd.from_numpy(got.numpy()[at]), want[at])


def cubes(x):
    """x^3 with one rounding, by longer numbers."""
    if x.dtype == np.float32:
        wide = x.astype(np.longdouble)
        return (wide * wide * wide).astype(np.float32)
    from fractions import Fraction
    return np.array([float(Fraction(float(v))**3) for v in x])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dtype", FLOATS)
def test_cube(dtype):
    g = np.random.default_rng(3)
    x = (g.normal(size=4000) * np.exp2(g.uniform(-100, 100, 4000))).astype(dtype)
    x = x[np.isfinite(x) & (np.abs(x) < 1e12)]
    want = cubes(x)
    got = gnd.power(gnd.from_numpy(x), 3).numpy()
    assert (got != want).mean() < 1e-3  # where the long double of a baseline build lies just between two
    assert np.all(np.abs(got - want) <= np.spacing(np.abs(want)))
    same_bits(fused(lambda: gnd.power(gnd.from_numpy(x), 3)), got)
    special = specials(dtype)
    edge = special[~np.isfinite(special) | (np.abs(special) > 1e200) | (special == 0)]
    same_bits(gnd.power(gnd.from_numpy(edge), 3), np.power(edge, 3))
    # The square is finite, and its rounding error times x is not.
    limit = float(np.finfo(dtype).max)
    over = np.array([limit**e * (1 + d) for e in (0.34, 0.4, 0.45, 0.49) for d in (0, 0.1, 0.3, 0.7)], dtype)
    with np.errstate(over="ignore"):
        for x in (over, -over):
            same_bits(gnd.power(gnd.from_numpy(x), 3), np.power(x, 3))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 0.5, -1])
def test_float16(exponent):
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    x = np.where(np.isnan(x), np.float16(np.nan), x)
    got, want = gnd.power(gnd.from_numpy(x), exponent), np.power(x, exponent)
    same_bits(got, want)
    same_bits(gnd.power(gnd.from_numpy(x), gnd.from_numpy(np.full(x.shape, exponent, np.float16))), want)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("exponent", [0, 1, 2, 3])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(dtype, exponent):
    x = specials(dtype)
    x = x[np.isfinite(x)]
    for e in (exponent, float(exponent), complex(exponent)):
        got, want = gnd.power(gnd.from_numpy(x), e).numpy(), np.power(x, dtypes.cast(np.array(e), dtype))
        same_bits(gnd.from_numpy(np.ascontiguousarray(got.real)), want.real)
        same_bits(gnd.from_numpy(np.ascontiguousarray(got.imag)), want.imag)


@pytest.mark.parametrize("dtype", dtypes.INTEGERS)
def test_integers(dtype):
    x = specials(dtype)
    for exponent in (0, 1, 2, 3, 4, 7):
        with np.errstate(all="ignore"):
            want = np.power(x, exponent)
        assert_same(gnd.power(gnd.from_numpy(x), exponent), want)
        assert_same(gnd.power(gnd.from_numpy(x), gnd.from_numpy(np.full(x.shape, exponent, dtype))), want)


def test_at_and_methods():
    """What takes the operator by its name keeps it binary."""
    x = np.array([1.0, 2, 3, 4])
    a = gnd.from_numpy(x)
    gnd.at("power", a, 1, [gnd.from_numpy(np.array([1, 3]))], 2)
    x[[1, 3]] **= 2
    assert_same(a, x)
    want = np.power.outer(x, np.array([2.0, 0.5]))
    got = gnd.outer("power", a, gnd.from_numpy(np.array([2.0, 0.5])))
    assert_same(got, want)
