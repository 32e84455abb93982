"""Exponentials of matrices against SciPy, and against what can be said of them exactly: norms from tiny to
large, all degrees and scalings within one batch, matrices far from normal, and what is refused."""

import decimal

import numpy as np
import pytest
import scipy.linalg

import gnd
from check import refused
from test_faults import run_with_failures
from test_solve import BATCHES, DTYPES, EPS, REAL, column_major, hermitian, laid_out, normal, wide
from values import apply_numpy, generator, layouts


def exactly(x):
    """By Taylor's series in extended precision; x is scaled down first."""
    x = np.asarray(x)
    norm = abs(x).sum(-2).max(initial=0)
    halvings = max(0, int(np.ceil(np.log2(norm))) + 4) if norm else 0
    x = x.astype(np.clongdouble if x.dtype.kind == "c" else np.longdouble) / np.longdouble(2) ** halvings
    result = term = np.broadcast_to(np.eye(x.shape[-1], dtype=x.dtype), x.shape)
    for k in range(1, 30):
        term = term @ x / k
        result = result + term
    for _ in range(halvings):
        result = result @ result
    return result.astype("complex128" if x.dtype.kind == "c" else "float64")


def in_decimals(x):
    """The same with as many digits as matrices far from normal cost."""
    with decimal.localcontext() as context:
        context.prec = 120
        halvings = max(0, int(np.ceil(np.log2(abs(x).sum(-2).max())))) + 8
        x = np.vectorize(lambda value: decimal.Decimal(float(value)) / 2**halvings, otypes=[object])(x)
        result = term = np.vectorize(decimal.Decimal, otypes=[object])(np.eye(len(x)))
        for k in range(1, 40):
            term = term @ x / k
            result = result + term
        for _ in range(halvings):
            result = result @ result
    return result.astype("float64")


def check_expm(got, want, dtype, context, factor=100):
    """Against a reference in double precision, by the error in norm; factor: rounding of as many products."""
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}"
    got, want = wide(got.numpy()), wide(want)
    error = abs(got - want).sum(-2).max(-1, initial=0)
    bound = factor * want.shape[-1] * EPS[dtype] * abs(want).sum(-2).max(-1, initial=0)
    assert (error <= bound).all(), f"{context}: off by {np.max(error / bound)} of what is allowed"


@pytest.mark.parametrize("dtype", DTYPES)
def test_expm(dtype):
    g = generator("expm", dtype)
    for n in (1, 2, 3, 10, 40):
        for batch in BATCHES:
            for size in (1e-8, 0.01, 0.3, 1, 3, 12):
                a, x = laid_out(batch + (n, n), dtype, g)
                x = x * np.asarray(size / n**0.5, x.dtype)
                context = f"{dtype} {batch} {n} {size}"
                check_expm(gnd.expm(gnd.multiply(a, size / n**0.5)), exactly(x), dtype, context, 20 * max(size, 1))
                np.testing.assert_allclose(exactly(x), scipy.linalg.expm(wide(x)), 1e-7, 1e-7)


def test_every_layout():
    g = generator("layouts")
    for layout in layouts((3, 4, 4)):
        base = normal(layout.base, "complex64", g)
        a, x = gnd.view(base, layout.steps), apply_numpy(base, layout.steps)
        check_expm(gnd.expm(a), exactly(x), "complex64", f"{layout}", 1000)
        assert (a.numpy() == x).all(), "the input is changed"
    x = g.normal(size=(5, 5))
    check_expm(gnd.expm(column_major(x)), exactly(x), "float64", "column-major")


@pytest.mark.parametrize("dtype", DTYPES)
def test_scalings_within_a_batch(dtype):
    """Each matrix is squared as often as it needs: a small one beside a large one keeps its digits."""
    g = generator("scalings", dtype)
    kind = g.permutation(np.repeat([1e-30, 1e-3, 0.5, 2, 5, 20, 80, 1000], 3))
    x = normal((len(kind), 6, 6), "complex128", g)
    x = x - hermitian(x)  # exponentials of these are orthogonal or unitary: no size is too large
    x = (x if dtype in ("complex64", "complex128") else x.real) * kind[:, None, None]
    x = x.astype(dtype)
    got = gnd.expm(gnd.from_numpy(x))
    want = [exactly(y) for y in x]
    for i, size in enumerate(kind):
        check_expm(gnd.expm(gnd.from_numpy(x[i])), want[i], dtype, f"{dtype} {size}", 100 * max(size, 1))
        check_expm(got[f"{i}"], want[i], dtype, f"{dtype} {size} in the batch", 100 * max(size, 1))
    again = got.numpy()
    each = [gnd.expm(gnd.from_numpy(x[i])).numpy() for i in range(len(x))]
    far = [abs(wide(again[i]) - each[i]).max() for i in range(len(x)) if kind[i] <= 0.5]
    assert max(far) <= 50 * EPS[dtype], "the others in the batch cost digits"


@pytest.mark.parametrize("dtype", DTYPES)
def test_known_exponentials(dtype):
    check_expm(gnd.expm(gnd.zeros((2, 3, 3), dtype)), np.stack([np.eye(3)] * 2), dtype, "zero")
    for value in (-700 if REAL[dtype] == "float64" else -80, -1, 0.5, 20):
        x = np.diag(np.array([value, value / 2, 0, 1])).astype(dtype)
        want = np.diag(np.exp(np.array([value, value / 2, 0, 1])))
        got = gnd.expm(gnd.from_numpy(x)).numpy()
        assert np.allclose(got, want, 1e3 * abs(value) * EPS[dtype] + 1e-7 * (REAL[dtype] == "float32"),
                           1e-3 * EPS[dtype])
    for angle in (0.1, 1, 3, 50):
        x = (np.array([[0, -1], [1, 0]]) * angle).astype(dtype)
        turn = [[np.cos(x[1, 0].real), -np.sin(x[1, 0].real)], [np.sin(x[1, 0].real), np.cos(x[1, 0].real)]]
        check_expm(gnd.expm(gnd.from_numpy(x)), np.array(turn), dtype, f"angle {angle}", 100 * max(angle, 1))
    # Nilpotent: a polynomial, without a rounding error.
    x = np.diag(np.array([1, 2, 4]), 1).astype(dtype)
    want = np.eye(4) + x + x @ x / 2 + x @ x @ x / 6
    check_expm(gnd.expm(gnd.from_numpy(x)), want, dtype, "nilpotent")


def test_far_from_normal():
    """Matrices whose norm says much more than their powers do: scaling by the norm would cost digits."""
    for dtype, sizes in (("float32", (1e3, 1e9, 1e15, 1e25, 1e35)), ("float64", (1e3, 1e9, 1e15, 1e100, 1e200, 1e300))):
        for b in sizes:
            x = np.array([[1, b], [0, -1]], dtype)
            want = np.array([[np.e, b * np.sinh(1)], [0, 1 / np.e]])
            for upper in (True, False):
                got = gnd.expm(gnd.from_numpy(x if upper else x.T)).numpy()
                got = got if upper else got.T
                assert np.allclose(got, want, 20 * EPS[dtype], 20 * EPS[dtype]), f"{dtype} {b}: {got}, not {want}"
            x = np.array([[0, b], [0, 0]], dtype)
            assert (gnd.expm(gnd.from_numpy(x)).numpy() == np.eye(2) + x).all(), f"{dtype} {b}"
    x = np.array([[-1e3, 1e8], [0, -1.0]])
    want = np.array([[0, (np.exp(-1)) * 1e8 / 999], [0, np.exp(-1)]])
    assert np.allclose(gnd.expm(gnd.from_numpy(x)).numpy(), want, 1e-9, 1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_triangles_far_from_normal(dtype):
    """Squared as often as their norms ask for, or solved from the wrong side, these would lose digits."""
    g = generator("triangles", dtype)
    for size, factor in ((1e1, 50), (1e3, 50), (1e5, 1000)):
        x = (np.triu(g.normal(size=(9, 6, 6)), 1) * size + np.eye(6) * g.normal(size=(9, 1, 6))).astype(dtype)
        want = np.stack([in_decimals(y) for y in x])
        error = abs(gnd.expm(gnd.from_numpy(x)).numpy() - want).sum(-2).max(-1) / abs(want).sum(-2).max(-1)
        assert np.median(error) <= factor * EPS[dtype], f"{size}: {np.median(error) / EPS[dtype]} eps"


def test_powers_that_overflow():
    """Those are found out and scaled first, beside matrices that are not."""
    turn = np.array([[0, -1], [1, 0]])
    for dtype, size in (("float32", 2.0**30), ("float64", 2.0**200)):
        x = np.stack([turn * 0.5, -np.eye(2) * size, turn * 3]).astype(dtype)
        got = gnd.expm(gnd.from_numpy(x))
        for i in (0, 2):
            check_expm(got[f"{i}"], exactly(x[i]), dtype, f"{dtype} {i}")
        assert (got.numpy()[1] == 0).all()


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "bool"])
def test_integers(dtype):
    x = np.array([[0, 1], [1, 1]]).astype(dtype)
    check_expm(gnd.expm(gnd.from_numpy(x)), scipy.linalg.expm(x.astype("float64")), "float64", dtype)
    assert gnd.expm(gnd.from_numpy(x[:1, 1:])).numpy() == np.exp(1)


@pytest.mark.parametrize("dtype", DTYPES)
def test_not_finite(dtype):
    for value in (np.nan, np.inf, -np.inf):
        x = np.stack([np.eye(3) * 30] * 3).astype(dtype)
        x[1, 0, 2] = value
        got = gnd.expm(gnd.from_numpy(x)).numpy()
        assert np.isnan(got[1]).any() and np.allclose(got[[0, 2]], np.exp(30) * np.eye(3), 1e-4)
    gnd.sync()
    got = gnd.expm(gnd.from_numpy(np.array([[2000.0, 1], [1, 2000]]).astype(dtype))).numpy()
    assert not np.isfinite(got).any(), "what is too large overflows"
    gnd.sync()


@pytest.mark.parametrize("dtype", DTYPES)
def test_norms_that_are_not_finite(dtype):
    large = 1e308 if REAL[dtype] == "float64" else 2e38
    for value in (np.inf, -np.inf, large, -large):
        full = np.full((3, 3), value, dtype)
        assert np.isnan(gnd.expm(gnd.from_numpy(full)).numpy()).all()
        x = np.stack([np.eye(3) * 30, full, np.eye(3) * 80, np.eye(3) * 1e-3]).astype(dtype)
        got = gnd.expm(gnd.from_numpy(x)).numpy()
        assert np.isnan(got[1]).all(), f"{value}: {got[1]}"
        for i in (0, 2, 3):
            want = np.diag(np.exp(wide(x[i]).diagonal()))
            assert np.allclose(got[i], want, 100 * x[i, 0, 0].real * EPS[dtype] + 10 * EPS[dtype], 0), f"{value} {i}"
    gnd.sync()


def test_nothing_and_numbers():
    for shape in [(0, 0), (2, 0, 0), (0, 3, 3), (0, 1, 1)]:
        assert gnd.expm(gnd.zeros(shape, "float32")).shape == shape
    x = np.array([[[-1.0]], [[0]], [[709]], [[np.inf]], [[-np.inf]]])
    assert np.allclose(gnd.expm(gnd.from_numpy(x)).numpy(), np.exp(x))
    x = np.array([[1 + 2j]])
    assert np.allclose(gnd.expm(gnd.from_numpy(x)).numpy(), np.exp(x))


@pytest.mark.parametrize("batch,n", [((), 300), ((40,), 50), ((3000,), 4)])
def test_large(batch, n):
    x = generator("large", batch, n).normal(size=batch + (n, n)) / n**0.5 * 2
    want = scipy.linalg.expm(x) if n > 100 else exactly(x)
    check_expm(gnd.expm(gnd.from_numpy(x)), want, "float64", f"{batch} {n}")


def test_refuses():
    refused(lambda: gnd.expm(None), gnd.ERROR_INVALID, "'a' is NULL")
    refused(lambda: gnd.expm(gnd.ones(3, "float64")), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: gnd.expm(gnd.ones((3, 2), "float64")), gnd.ERROR_SHAPE, "square", "(3, 2)")
    for half in ("float16", "bfloat16"):
        refused(lambda: gnd.expm(gnd.ones((2, 2), half)), gnd.ERROR_DTYPE, half)


def test_out_of_memory():
    g = generator("memory")
    small, large = normal((3, 4, 4), "complex64", g) / 10, normal((3, 4, 4), "float64", g)
    large *= np.array([0.1, 30, 5])[:, None, None]
    gnd.expm(gnd.from_numpy(small))  # the library is loaded
    for x in (small, large, large[1], large[:, :1, :1]):
        a = gnd.from_numpy(x)
        result, failures = run_with_failures(lambda: gnd.expm(a))
        assert failures > 0 and result is not None
