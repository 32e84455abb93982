"""Functions of complex numbers: each part's error in units of its own last place, and special values among ordinary
numbers. What C's annex G says of infinities, NaN and zeros is in test_elementwise.py, over all operators."""

import numpy as np
import pytest

import gnd
from conftest import on_gpu

FUNCTIONS = ["sqrt", "rsqrt", "exp", "log", "log2", "log10", "sin", "cos", "tan", "sinh", "cosh", "tanh", "arcsin",
             "arccos", "arctan", "arcsinh", "arccosh", "arctanh", "power"]
TRUE = {"rsqrt": lambda z: 1 / np.sqrt(z)}


def numbers(dtype, n, g):
    """Numbers of all sizes, near the unit circle, near the branch points and on the axes."""
    def part():
        sign = g.choice([-1.0, 1.0], n)
        kinds = [g.uniform(-8, 8, n), sign * np.exp(g.uniform(-40, 20, n)), 1 + sign * np.exp(g.uniform(-16, 0, n)),
                 g.choice([0.0, -0.0, 1, -1, 0.5, 2, -2], n), g.uniform(-80, 80, n)]
        return np.choose(g.integers(0, len(kinds), n), kinds)
    z = np.empty(n, dtype)
    z.real, z.imag = part(), part()
    angle, gap = g.uniform(0, 7, n // 8), g.choice([-1, 1], n // 8) * np.exp(g.uniform(-17, -3, n // 8))
    z[:n // 8] = (1 + gap) * np.exp(1j * angle)
    return z


def operands(name, dtype, n, g):
    """Its arguments. Exponents are so small that a phase has all of its digits."""
    first = numbers(dtype, n, g)
    if name != "power":
        return [first]
    first = first[(np.abs(first) > 1e-3) & (np.abs(first) < 1e3)]
    second = (g.uniform(-1, 1, first.size) + 1j * g.uniform(-1, 1, first.size)).astype(dtype)
    return [first, second]


def call(name, arrays):
    return getattr(gnd, name)(*[gnd.from_numpy(x) for x in arrays]).numpy()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.skipif(on_gpu(), reason="its complex functions keep the larger part's digits")
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_parts(name, dtype):
    """Within 7 units, where libm's own err by 5.7; powers by what a product and an exponential lose."""
    given = operands(name, dtype, 40_000, np.random.default_rng(11))
    real = given[0].real.dtype
    true = TRUE.get(name, getattr(np, name, None))(*[x.astype(np.clongdouble) for x in given])
    got = call(name, given)
    for part, exact in ((got.real, true.real), (got.imag, true.imag)):
        size, info = np.abs(exact), np.finfo(real)
        usual = (size > info.tiny) & (size < info.max / 4)
        if name == "power":  # whose parts may cancel
            size = np.abs(true)
        unit = np.spacing(np.where(usual, size, 1).astype(real)).astype(np.longdouble)
        error = np.where(usual, np.abs(part - exact) / unit, 0)
        worst = int(error.argmax())
        assert error[worst] < (20 if name == "power" else 7), (error[worst], [x[worst] for x in given], got[worst])
    exact = np.isfinite(true.real.astype(real)) & np.isfinite(true.imag.astype(real))
    assert np.isfinite(got[exact]).all()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("name", [*FUNCTIONS, "erf", "erfc"])
def test_special_among_ordinary(name, dtype):
    """Each number has the result that it has alone, wherever it stands, whatever stands beside it."""
    g, info = np.random.default_rng(12), np.finfo(dtype)
    special = [0, -0.0, 1, -1, 1j, np.inf, -np.inf, np.nan, complex(1, np.nan), complex(np.inf, 1), complex(2, -0.0),
               complex(-2, -0.0), 1e5, 1e5j, float(info.max), float(info.tiny) / 8, complex(90, 1), complex(0.5, 800)]
    for n in (1, 3, 4, 7, 8, 9, 16, 37):
        given = [x[:n].copy() for x in operands(name, dtype, 500, g)]
        chosen = g.permutation(n)[:max(1, n // 3)]
        given[0][chosen] = g.choice(np.array(special, dtype), chosen.size)
        whole = call(name, given)
        alone = np.concatenate([call(name, [x[i:i + 1].copy() for x in given]) for i in range(n)])
        assert whole.tobytes() == alone.tobytes() or np.array_equal(whole, alone, equal_nan=True), (given, whole, alone)
