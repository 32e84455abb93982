"""How accurate reductions and scans are, beside NumPy's own: float32 sums as good as pairwise ones,
float16 and bfloat16 accumulated in float32, variances that lose nothing to a large mean."""

from fractions import Fraction

import numpy as np
import pytest

import dtypes
import gnd
import reference
import values
from conftest import on_gpu

HALF_UNIT = {name: epsilon / 2 for name, epsilon in reference.EPSILON.items()}
LENGTHS = [1000, 4097, 65537, 700_001]


def pairwise_bound(x, accumulator):
    """The greatest error of NumPy's pairwise sum of x: blocks of 128 in 8 running sums (16 additions and
    3 that join them), then halves. N. J. Higham, Accuracy and Stability of Numerical Algorithms, 4.2."""
    steps = 19 + max(0, np.ceil(np.log2(max(x.size, 1) / 128)))
    return steps * HALF_UNIT[accumulator] * float(np.abs(x.astype(np.longdouble)).sum())


def samples(n, g):
    yield "uniform", g.random(n)
    yield "normal", g.normal(size=n)
    yield "of one size", np.full(n, 0.1)
    yield "of many magnitudes", np.exp(g.normal(scale=6, size=n)) * g.choice([-1, 1], n)
    yield "one large, then small", np.concatenate([[1e6], np.full(n - 1, 1e-3)])
    yield "cancelling", np.concatenate([g.random(n // 2), -g.random(n - n // 2)])


@pytest.mark.parametrize("n", LENGTHS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sum(dtype, n):
    """No error above the bound of NumPy's, as one line, as rows and as columns."""
    g = np.random.default_rng(n)
    for name, numbers in samples(n, g):
        x = numbers.astype(dtype)
        true = x.astype(np.longdouble).sum()
        got = gnd.sum(gnd.from_numpy(x), None).numpy()
        assert abs(got - true) <= pairwise_bound(x, dtype) + HALF_UNIT[dtype] * abs(true), name
        matrix = np.ascontiguousarray(x[:n // 10 * 10].reshape(10, -1))
        true = matrix.astype(np.longdouble).sum(1)
        bound = np.array([pairwise_bound(row, dtype) for row in matrix])
        for a, axis in ((matrix, 1), (np.ascontiguousarray(matrix.T), 0)):
            got = gnd.sum(gnd.from_numpy(a), axis).numpy()
            assert (np.abs(got - true) <= bound + HALF_UNIT[dtype] * np.abs(true)).all(), name


@pytest.mark.parametrize("shape", [(2, 64, 64), (300, 400), (3, 30_000), (30_000, 3), (20, 30, 40, 5), (90_000,)])
def test_sum_of_views(shape):
    """Of any strides, axes that do not merge and broadcast ones: the bound of a contiguous sum."""
    g = np.random.default_rng(len(shape))
    for layout in values.layouts(shape):
        base = g.random(layout.base).astype(np.float32)
        x, a = values.apply_numpy(base, layout.steps), gnd.view(base, layout.steps)
        for axis in (None, *range(len(shape))):
            wide = x.astype(np.float64)
            true = wide.sum(axis)
            length = x.size if axis is None else x.shape[axis]
            steps = 19 + max(0, np.ceil(np.log2(length / 128)))
            for name in ("sum", "mean"):
                got = getattr(gnd, name)(a, axis).numpy()
                want = true if name == "sum" else true / length
                wrong = np.abs(got - want) > (steps + 1) * HALF_UNIT["float32"] * want
                assert not wrong.any(), f"{name} of {layout.name} over {axis}: off by " \
                    f"{(np.abs(got / want - 1).max() / reference.EPSILON['float32']):.1f} units"


def test_sum_is_no_worse_than_numpys():
    """The root mean square of the error over many arrays, against NumPy's own on the same arrays."""
    g = np.random.default_rng(0)
    for n in (5000, 100_003):
        ours, theirs = [], []
        for _ in range(60):
            x = g.random(n).astype(np.float32)
            true = x.astype(np.float64).sum()
            ours.append(float(gnd.sum(gnd.from_numpy(x), None).numpy()) - true)
            theirs.append(float(x.sum()) - true)
        ours, theirs = np.sqrt(np.mean(np.square(ours))), np.sqrt(np.mean(np.square(theirs)))
        assert ours <= 1.3 * theirs, f"{n} elements: {ours} against NumPy's {theirs}"


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_narrow_sums(dtype):
    """Accumulated in float32 and rounded once: sums far beyond where adding 1 changes nothing."""
    g = np.random.default_rng(1)
    for n in (3000, 20_000, 50_000):
        x = dtypes.cast(g.uniform(0.5, 1.5, n), dtype)
        wide = dtypes.widen(x).astype(np.float64)
        a = gnd.from_numpy(x)
        unit = reference.EPSILON[dtype]
        for name, true in (("sum", wide.sum()), ("mean", wide.mean()), ("var", wide.var()),
                           ("std", wide.std()), ("norm", np.sqrt((wide**2).sum()))):
            if name == "norm":
                got = gnd.vector_norm(a, 2.0, None)
            else:
                got = getattr(gnd, name)(a, None, *((0,) if name in ("var", "std") else ()))
            got = float(dtypes.widen(got.numpy()))
            assert abs(got - true) <= 0.51 * unit * 2 * abs(true), f"{name} of {n}: {got}, not {true}"
        running = dtypes.widen(gnd.cumsum(a, None).numpy())
        true = wide.cumsum()
        assert (np.abs(running - true) <= 0.51 * unit * 2 * true).all()


@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize("dtype, mean, noise", [("float64", 1e8, 1), ("float32", 1e4, 1), ("float64", 1e12, 1e-2),
                                                ("float32", 1e6, 1e2), ("complex64", 1e4, 1)])
def test_variance_with_a_large_mean(dtype, mean, noise, axis):
    """The textbook formula, and a sum of squares in float32, would be off by more than the result."""
    g = np.random.default_rng(2)
    for shape in ((1000, 7), (333, 1009)):
        x = mean + noise * g.normal(size=shape)
        if dtype.startswith("complex"):
            x = x + 1j * (mean + noise * g.normal(size=shape))
        x = x.astype(dtype)
        wide = x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble)
        true = wide.var(axis)
        got = gnd.var(gnd.from_numpy(x), axis, 0).numpy()
        epsilon = np.finfo(x.dtype).eps
        # Welford: a few units times (mean / deviation), far from the (mean / deviation)^2 of the textbook.
        bound = 20 * epsilon * (1 + np.sqrt(np.abs(wide.mean(axis))**2 / true)) * true
        assert (np.abs(got - true) <= bound).all(), f"{np.abs(got / true - 1).max()}"


def test_variance_of_equal_numbers():
    """Exactly 0 where the mean is exact; not above a unit of the mean, squared, elsewhere."""
    for value in (0.0, 1.0, 3.0, 1e10, 0.1, 12345.678):
        for dtype in ("float32", "float64"):
            x = np.full(10_007, value, dtype)
            got = float(gnd.var(gnd.from_numpy(x), None, 0).numpy())
            assert 0 <= got <= (4 * float(np.finfo(dtype).eps) * value)**2, f"{value} {dtype}: {got}"
    assert float(gnd.var(gnd.from_numpy(np.full(4096, 7, np.int32)), None, 0).numpy()) == 0


def test_variance_is_never_negative():
    """Of numbers so small that their squares vanish, or so near each other that nothing is left."""
    g = np.random.default_rng(6)
    for dtype in ("float32", "float64"):
        tiny = np.finfo(dtype).tiny
        for n in (2, 3, 4, 37, 300):
            for size in (tiny / 4, tiny, np.sqrt(tiny) / 100, np.sqrt(tiny) / 3, np.sqrt(tiny), 1, 1e15):
                near = np.full((n, 5), size, dtype)
                above = np.nextafter(near, np.array(np.inf, dtype))
                near = np.where(g.random(near.shape) < 0.3, above, near)
                for x in (g.random((n, 5)).astype(dtype) * np.array(size, dtype), near,
                          np.eye(n, 5).astype(dtype) * np.array(size, dtype)):
                    for axis in (None, 0, 1):
                        var = gnd.var(gnd.from_numpy(x), axis, 0).numpy()
                        std = gnd.std(gnd.from_numpy(x), axis, 0).numpy()
                        assert (var >= 0).all() and (std >= 0).all(), f"{dtype} {n} {size} {axis}: {var} {std}"


def test_variance_of_integers():
    """Whole numbers are converted exactly, and their variance is as good as float64 allows."""
    g = np.random.default_rng(3)
    for dtype in ("int8", "uint16", "int32", "uint32", "int64"):
        info = np.iinfo(dtype)
        x = g.integers(info.min // 2, info.max // 2, 5003, dtype=dtype)
        n = x.size
        total, squares = sum(map(int, x)), sum(int(v)**2 for v in x)
        true = float(Fraction(squares, n) - Fraction(total, n)**2)
        assert abs(float(gnd.var(gnd.from_numpy(x), None, 0).numpy()) / true - 1) < 1e-13, dtype


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "cumsum", "cummax"])
def test_signs_of_zero(name):
    """-0.0 alone stays what it is in NumPy; sums start from 0 or from the first element as NumPy's do."""
    for zeros in ([-0.0], [-0.0, -0.0], [0.0, -0.0], [-0.0] * 100):
        for dtype in ("float32", "float64", "float16"):
            x = np.array(zeros, dtype)
            want = {"cumsum": np.cumsum, "cummax": np.maximum.accumulate}.get(name) or getattr(np, name)
            if name in ("max", "min", "cummax") and len(set(np.signbit(x))) > 1:
                continue  # which of the two is not said
            got = getattr(gnd, name)(gnd.from_numpy(x), 0).numpy()
            expected = want(x, axis=0)
            assert np.array_equal(np.signbit(got), np.signbit(expected)), f"{name} of {zeros} in {dtype}"


def test_scan_accuracy():
    """Running sums are at every place about as good as one by one, and better on long lines."""
    g = np.random.default_rng(4)
    for n in (1000, 100_003, 1_000_003):
        x = g.random(n).astype(np.float32)
        true = x.astype(np.float64).cumsum()
        got = gnd.cumsum(gnd.from_numpy(x), None).numpy()
        ours = np.abs(got - true) / true
        theirs = np.abs(np.cumsum(x) - true) / true
        assert ours.max() <= 2 * theirs.max() + 2e-7, f"{n}: {ours.max()} against {theirs.max()}"


def test_dot_accuracy():
    """Fused products are no worse than a float32 product and a pairwise sum."""
    g = np.random.default_rng(5)
    for n in (1000, 1_000_003):
        x, y = (g.normal(size=n).astype(np.float32) for _ in range(2))
        true = (x.astype(np.float64) * y).sum()
        size = np.abs(x.astype(np.float64) * y).sum()
        got = float(gnd.vdot(gnd.from_numpy(x), gnd.from_numpy(y)).numpy())
        steps = 20 + np.ceil(np.log2(n / 128))
        assert abs(got - true) <= steps * HALF_UNIT["float32"] * size
        norm = float(gnd.vector_norm(gnd.from_numpy(x), 2.0, None).numpy())
        assert abs(norm / np.sqrt((x.astype(np.float64)**2).sum()) - 1) <= steps * HALF_UNIT["float32"]


# ---- functions of float64 -----------------------------------------------------------------------------

# The largest error against the long double's function, in units in the last place. (Today's libm: cosh, log10, sinh and
# tanh err by up to 2.1.)
FUNCTIONS = {
    "exp": ("real", 1), "exp2": ("real", 1), "expm1": ("real", 1), "sinh": ("real", 1.7), "cosh": ("real", 1.7),
    "tanh": ("real", 2.2), "log": ("positive", 1), "log2": ("positive", 1), "log10": ("positive", 1.7),
    "log1p": ("above", 1), "sin": ("angle", 1), "cos": ("angle", 1), "tan": ("angle", 1), "arcsin": ("unit", 1),
    "arccos": ("unit", 1), "arctan": ("wide", 1),
}
PAIRS = {"power": ("positive", "exponent", 1), "arctan2": ("wide", "wide", 1), "hypot": ("wide", "wide", 1),
         "fmod": ("wide", "wide", 0), "remainder": ("wide", "wide", 0.5), "floor_divide": ("wide", "wide", 0.5)}


def arguments(kind, n, g):
    sign = g.choice([-1.0, 1.0], n)
    small = sign * np.exp2(g.uniform(-60, 0, n))
    wide = sign * np.exp2(g.uniform(-400, 400, n))
    return {"real": np.concatenate([small, g.uniform(-1, 1, n), g.uniform(-40, 40, n), g.uniform(-708, 708, n)]),
            "positive": np.concatenate([np.abs(wide), 1 + small / 2, g.uniform(0, 2, n), g.uniform(0, 1000, n)]),
            "above": np.concatenate([small[small > -0.9], np.abs(wide), g.uniform(-1, 1, n), g.uniform(0, 100, n)]),
            "angle": np.concatenate([small, g.uniform(-4, 4, n), g.uniform(-1e4, 1e4, n), g.uniform(-1e7, 1e7, n)]),
            "unit": np.concatenate([small, g.uniform(-1, 1, n), 1 - np.abs(small) / 2, g.uniform(0.4, 0.6, n)]),
            "wide": np.concatenate([wide, small, g.uniform(-4, 4, n), g.uniform(-100, 100, n)]),
            "exponent": np.concatenate([small, g.uniform(-3, 3, n), g.uniform(-30, 30, n), g.uniform(-90, 90, n)]),
            }[kind]


def units(got, true):
    """The error in units in the last place of the result; what is not finite must be the same."""
    want = true.astype(np.float64)
    finite = np.isfinite(want)
    assert np.array_equal(got[~finite], want[~finite], equal_nan=True)
    error = np.abs(got[finite].astype(np.longdouble) - true[finite])
    return float(np.max(error / np.spacing(np.abs(want[finite]))))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(FUNCTIONS))
def test_function(name):
    kind, most = FUNCTIONS[name]
    most = most + 2 if on_gpu() else most  # what CUDA promises of its functions
    x = arguments(kind, 20_000, np.random.default_rng(1))
    true = getattr(np, name)(x.astype(np.longdouble))
    assert units(getattr(gnd, name)(gnd.from_numpy(x)).numpy(), true) < most
    special = np.concatenate([values.specials("float64"), [-1.0, 1e300, 745.0, -746.0, 1e22, 2.0**19]])
    got, want = getattr(gnd, name)(gnd.from_numpy(special)).numpy(), getattr(np, name)(special.astype(np.longdouble))
    want = want.astype(np.float64)
    same = (got == want) & (np.signbit(got) == np.signbit(want)) | (np.isnan(got) & np.isnan(want))
    near = np.abs(got - want) <= 2 * np.spacing(np.abs(want))
    assert np.all(same | near & (want != 0)), special[~(same | near & (want != 0))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["exp", "exp2", "expm1", "sinh", "cosh"])
def test_too_large_and_too_small(name):
    """Where results leave the numbers, at either end: below the normal numbers, 0, and infinity."""
    edges = np.array([708, 709.78, 710.47, 745.13, 745.14, 1022, 1024, 1074, 1075, 1075.5, 1076, 1e4, 1e300])
    edges = np.concatenate([edges, np.nextafter(edges, 0)])
    x = np.concatenate([np.linspace(-1100, 1100, 50_001), edges, -edges])
    true = getattr(np, name)(x.astype(np.longdouble))
    got = getattr(gnd, name)(gnd.from_numpy(x)).numpy()
    assert units(got, true) < FUNCTIONS[name][1] + (2 if on_gpu() else 0.6)  # one rounding more below the normal ones


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(PAIRS))
def test_function_of_two(name):
    first, second, most = PAIRS[name]
    most = most + 2 if on_gpu() else most
    g = np.random.default_rng(2)
    x, y = arguments(first, 20_000, g), g.permutation(arguments(second, 20_000, g))
    if name in ("fmod", "remainder", "floor_divide"):  # of doubles; the long double's quotients are others
        got, want = getattr(gnd, name)(gnd.from_numpy(x), gnd.from_numpy(y)).numpy(), getattr(np, name)(x, y)
        assert np.array_equal(got, want, equal_nan=True)
        return
    true = getattr(np, name)(x.astype(np.longdouble), y.astype(np.longdouble))
    fits = np.abs(true) < 1e300
    fits &= np.abs(true) > 1e-300
    got = getattr(gnd, name)(gnd.from_numpy(x), gnd.from_numpy(y)).numpy()
    assert units(got[fits], true[fits]) < most
    special = values.specials("float64")
    a, b = (v.ravel() for v in np.meshgrid(special, special))
    got, want = getattr(gnd, name)(gnd.from_numpy(a), gnd.from_numpy(b)).numpy(), getattr(np, name)(a, b)
    off = ~((np.abs(got - want) <= 2 * np.spacing(np.abs(want))) | (got == want) | (np.isnan(got) & np.isnan(want)))
    if name == "power":
        off &= ~((b == 0.5) & (np.isinf(a) | (a == 0)))
    assert not off.any(), (a[off][:5], b[off][:5], got[off][:5], want[off][:5])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name,most", [("erf", 1.5), ("erfc", 5)])
def test_error_function(name, most):
    g = np.random.default_rng(5)
    x = np.concatenate([arguments("unit", 20_000, g), g.uniform(-7, 26, 20_000), [1, -1, np.nextafter(1, 0), 0, -0.0]])
    got = getattr(gnd, name)(gnd.from_numpy(x)).numpy()
    assert units(got, reference.function_of(name)(x.astype(np.longdouble))) < most + (2 if on_gpu() else 0)
    assert name == "erfc" or np.array_equal(np.signbit(got), np.signbit(x))


SINGLE = {"exp": "real", "exp2": "real", "log": "positive", "log2": "positive", "log10": "positive", "sin": "angle",
          "cos": "angle"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(SINGLE))
def test_function_of_float32(name):
    """Within 4 units in the last place wherever the argument lies, subnormal results and arguments among them."""
    x = arguments(SINGLE[name], 20_000, np.random.default_rng(4)).astype(np.float32)
    x = np.concatenate([x, x[:1000] * np.float32(1e-39), np.linspace(-150, 130, 10_000, dtype=np.float32)])
    true = getattr(np, name)(x.astype(np.longdouble))
    got, want = getattr(gnd, name)(gnd.from_numpy(x)).numpy(), true.astype(np.float32)
    finite = np.isfinite(want)
    assert np.array_equal(got[~finite], want[~finite], equal_nan=True)
    error = np.abs(got[finite].astype(np.longdouble) - true[finite]) / np.spacing(np.abs(want[finite]))
    assert error.max() < 4, f"{error.max()} at {x[finite][error.argmax()]}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_an_elements_place_changes_nothing(dtype):
    """Results at the end of an array are those of its middle."""
    x = np.random.default_rng(3).uniform(0.1, 0.9, 67).astype(dtype)
    for name in (*FUNCTIONS, "sinc", "gamma", "i0", "round"):
        more = (1,) if name == "round" else ()
        whole = getattr(gnd, name)(gnd.from_numpy(x), *more).numpy()
        for n in (1, 2, 3, 5, 8, 9, 31):
            assert np.array_equal(getattr(gnd, name)(gnd.from_numpy(x[-n:].copy()), *more).numpy(), whole[-n:]), name
