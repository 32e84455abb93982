"""Systems, inverses, factors and determinants against NumPy and SciPy: by backward error where rounding
differs, of random and ill-conditioned matrices, batched, strided, transposed and broadcast; what is
singular or not positive definite, and what is refused."""

import ctypes
import re

import numpy as np
import pytest
import scipy.linalg

import dtypes
import gnd
from check import assert_same, refused
from test_faults import run_with_failures
from values import apply_numpy, generator, layouts

DTYPES = ["float32", "float64", "complex64", "complex128"]
SIZES = [1, 2, 3, 8, 33, 130]
EPS = {"float32": 2.0**-24, "complex64": 2.0**-24, "float64": 2.0**-53, "complex128": 2.0**-53}
REAL = {"float32": "float32", "complex64": "float32", "float64": "float64", "complex128": "float64"}
BATCHES = [(), (3,), (2, 3)]
# Layouts in which no two rows are the same.
OWN = [name for name in ("contiguous", "negative", "offset", "strided", "strided backwards", "transposed",
                         "rotated", "transposed strided", "one column")]


# ---- matrices ------------------------------------------------------------------------------------------


def normal(shape, dtype, g):
    x = g.normal(size=shape)
    return (x + 1j * g.normal(size=shape) if dtype in dtypes.COMPLEX else x).astype(dtype)


def laid_out(shape, dtype, g):
    """The same random matrices on both sides, in a random layout."""
    recipes = [recipe for recipe in layouts(shape) if recipe.name in OWN]
    recipe = recipes[g.integers(len(recipes))]
    base = normal(recipe.base, dtype, g)
    return gnd.view(base, recipe.steps), apply_numpy(base, recipe.steps)


def squares(dtype, g):
    """Batches of square matrices of every size, on both sides."""
    for n in SIZES:
        for batch in BATCHES:
            yield n, batch, *laid_out(batch + (n, n), dtype, g)


def both(x):
    return gnd.from_numpy(x), x


def column_major(x):
    """The same values, each matrix with dense columns."""
    return gnd.swapaxes(gnd.from_numpy(np.swapaxes(x, -1, -2)), -1, -2)


def hermitian(x):
    return np.conj(np.swapaxes(x, -1, -2))


def positive(shape, dtype, g):
    x = normal(shape, dtype, g).astype(np.result_type(dtype, "float64"))
    n = shape[-1]
    return (x @ hermitian(x) / n + np.eye(n)).astype(dtype)


def ill_conditioned(dtype, g):
    """Matrices on which a solver without pivots or with bad ones fails."""
    grade = 10.0 ** np.linspace(0, 4 if "32" in REAL[dtype] else 10, 40)
    x = normal((40, 40), dtype, g)
    almost = normal((20, 20), dtype, g)
    almost[:, 3] = almost[:, 7] * (1 + 100 * EPS[dtype])
    return {"hilbert": scipy.linalg.hilbert(9).astype(dtype),
            "graded rows": (grade[:, None] * x).astype(dtype),
            "graded columns": (x / grade).astype(dtype),
            "a small pivot": np.array([[1e-20, 1], [1, 1]], dtype),
            "almost singular": almost,
            "powers": np.vander(np.linspace(0.1, 1, 12)).astype(dtype)}


def wide(x):
    return x.astype("complex128")


def largest_row(x):
    """The largest sum of a row: the norm that goes with infinity."""
    return abs(wide(x)).sum(-1).max(-1) if x.size else np.zeros(x.shape[:-2])


def check_residual(left, right, size, dtype, context, factor=10):
    """left == right but for rounding errors of numbers as large as `size`."""
    n = max(left.shape[-2:] if left.ndim > 1 else left.shape)
    error = largest_row(wide(left) - wide(right))
    assert np.isfinite(error).all(), f"{context}: not finite"
    bound = factor * n * EPS[dtype] * size
    assert (error <= bound).all(), f"{context}: off by {np.max(error / bound)} of what is allowed"


def check_solution(x, a, b, dtype, context, vector=False):
    """x is the exact solution of a system near to this one. b has columns, x has none if it is a vector."""
    assert x.dtype == dtype, f"{context}: {x.dtype}"
    got = x.numpy()
    got = got[..., None] if vector else got
    assert got.shape == np.broadcast_shapes(a.shape[:-2], b.shape[:-2]) + b.shape[-2:], f"{context}: {got.shape}"
    check_residual(wide(a) @ wide(got), np.broadcast_to(b, got.shape), largest_row(a) * largest_row(got) +
                   largest_row(b), dtype, context)


def results(count, call, *operands):
    """What a function gives through its first `count` arguments."""
    room = gnd.outputs(count)
    call(*[ctypes.addressof(room) + 8 * k for k in range(count)], *operands)
    return gnd.take(room)


def row_major(array):
    return array.strides[-1] <= array.strides[-2] or array.shape[-2] == 1


# ---- solve ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve(dtype):
    g = generator("solve", dtype)
    for n in SIZES:
        for batch in BATCHES:
            for columns in (1, 3, 40):
                a, x = laid_out(batch + (n, n), dtype, g)
                b, y = laid_out(batch + (n, columns), dtype, g)
                context = f"{dtype} {batch} {n} {columns} strides {x.strides} {y.strides}"
                check_solution(gnd.solve(a, b), x, y, dtype, context)
                assert (a.numpy() == x).all() and (b.numpy() == y).all(), context
            b, y = laid_out((n,), dtype, g)
            check_solution(gnd.solve(a, b), x, y[:, None], dtype, f"{dtype} {batch} {n} vector", True)


PAIRS = [((3,), (1,)), ((1,), (4,)), ((), (2, 3)), ((2, 1), (3,)), ((1, 3), (4, 1)), ((4, 1, 3), (2, 1)),
         ((3,), ()), ((2, 3), (3,)), ((3,), (2, 3)), ((1, 1), (2, 2)), ((0,), (1,)), ((1,), (0,)), ((), (0, 2))]


@pytest.mark.parametrize("first,second", PAIRS)
def test_batches_broadcast(first, second):
    g = generator("broadcast", first, second)
    for n, columns in [(4, 2), (1, 1), (5, 1)]:
        for order in "CF":
            x, y = normal(first + (n, n), "float64", g), normal(second + (n, columns), "float64", g)
            spd, lower = positive(first + (n, n), "float64", g), np.tril(x) + 3 * np.eye(n)
            make = gnd.from_numpy if order == "C" else column_major
            options = gnd.STRUCTS["gnd_triangular_options"]()
            options.lower = True
            lu, pivots = results(2, gnd.lu_factor, make(x))
            factor = gnd.cho_factor(make(spd), True)
            b = gnd.from_numpy(y)
            check_solution(gnd.solve(make(x), b), x, y, "float64", f"solve {order}")
            check_solution(gnd.lu_solve(lu, pivots, b, gnd.TRANS_NONE), x, y, "float64", f"lu {order}")
            check_solution(gnd.cho_solve(factor, b, True), spd, y, "float64", f"cho {order}")
            check_solution(gnd.solve_triangular(make(lower), b, options), lower, y, "float64", f"triangular {order}")


def test_matrices_broadcast_as_views():
    """Axes of stride 0 are matrices that need to be factored once."""
    g = generator("views")
    x, y = normal((3, 1, 6, 6), "float64", g), normal((3, 4, 6, 2), "float64", g)
    spread = np.broadcast_to(x, (3, 4, 6, 6))
    a, b = gnd.broadcast_to(gnd.from_numpy(x), (3, 4, 6, 6)), gnd.from_numpy(y)
    check_solution(gnd.solve(a, b), spread, y, "float64", "solve")
    check_residual(gnd.inv(a).numpy() @ spread, np.broadcast_to(np.eye(6), spread.shape),
                   largest_row(np.linalg.inv(spread)) * largest_row(spread), "float64", "inv")
    np.testing.assert_allclose(gnd.det(a).numpy(), np.linalg.det(spread), 1e-12)
    lu, pivots = results(2, gnd.lu_factor, gnd.from_numpy(x))
    lu = gnd.broadcast_to(lu, (3, 4, 6, 6))
    pivots = gnd.broadcast_to(pivots, (3, 4, 6))
    check_solution(gnd.lu_solve(lu, pivots, b, gnd.TRANS_NONE), spread, y, "float64", "lu_solve")


@pytest.mark.parametrize("dtype", DTYPES)
def test_ill_conditioned(dtype):
    g = generator("ill", dtype)
    for name, x in ill_conditioned(dtype, g).items():
        n = len(x)
        y = normal((n, 3), dtype, g)
        for make in (gnd.from_numpy, column_major):
            context = f"{dtype} {name} {make.__name__}"
            check_solution(gnd.solve(make(x), gnd.from_numpy(y)), x, y, dtype, context)
            lu, pivots = results(2, gnd.lu_factor, make(x))
            check_solution(gnd.lu_solve(lu, pivots, gnd.from_numpy(y), gnd.TRANS_NONE), x, y, dtype, context)
            inverse = wide(gnd.inv(make(x)).numpy())  # of one side at least
            left, right = inverse @ x, wide(x) @ inverse
            best = left if abs(left - np.eye(n)).max() < abs(right - np.eye(n)).max() else right
            check_residual(best, np.eye(n), largest_row(x) * largest_row(inverse), dtype, context)


def test_dtypes_promote():
    g = generator("promote")
    for first in ["bool", "int8", "uint64", "float32", "complex64"]:
        for second in ["int32", "float32", "float64", "complex64"]:
            x = np.array([[1, 1], [0, 1]]).astype(first)
            y = g.integers(-5, 5, (2, 3)).astype(second)
            want = np.linalg.solve(x, y)
            got = gnd.solve(gnd.from_numpy(x), gnd.from_numpy(y))
            assert got.dtype == want.dtype and (got.numpy() == want).all(), f"{first} {second}"
    for dtype in ["bool", "int16", "uint8", "int64"]:
        x = np.array([[1, 0], [1, 1]]).astype(dtype)
        a = gnd.from_numpy(x)
        assert_same(gnd.inv(a), np.linalg.inv(x), dtype, strides=False)
        assert_same(gnd.det(a), np.linalg.det(x), dtype)
        assert_same(gnd.cholesky(gnd.from_numpy(np.eye(2).astype(dtype)), False), np.eye(2), dtype, strides=False)
        assert gnd.cho_factor(gnd.from_numpy(np.eye(2).astype(dtype)), True).dtype == "float64"
        assert [r.dtype for r in results(2, gnd.slogdet, a)] == ["float64", "float64"]
        assert [r.dtype for r in results(2, gnd.lu_factor, a)] == ["float64", "int32"]
        assert [r.dtype for r in results(3, gnd.lu, a)] == ["float64"] * 3


def test_empty():
    for shape in [(0, 0), (3, 0, 0), (0, 2, 2), (0, 0, 0)]:
        x = np.zeros(shape)
        a = gnd.from_numpy(x)
        assert_same(gnd.inv(a), np.linalg.inv(x), f"inv {shape}")
        assert_same(gnd.cholesky(a, True), np.linalg.cholesky(x), f"cholesky {shape}")
        assert gnd.cho_factor(a, True).shape == shape
        assert_same(gnd.det(a), np.asarray(np.linalg.det(x)), f"det {shape}")
        for got, want in zip(results(2, gnd.slogdet, a), np.linalg.slogdet(x)):
            assert_same(got, np.asarray(want), f"slogdet {shape}")
        complex_sign, logarithm = results(2, gnd.slogdet, gnd.from_numpy(x.astype("complex64")))
        assert complex_sign.dtype == "complex64" and logarithm.dtype == "float32"
        for columns in [(), (0,), (2,)]:
            y = np.zeros(shape[:-2] + shape[-1:] + columns) if columns else np.zeros(shape[-1])
            assert_same(gnd.solve(a, gnd.from_numpy(y)), np.linalg.solve(x, y), f"{shape} {columns}", strides=False)
    for shape in [(0, 3), (3, 0), (0, 3, 3), (2, 0, 3), (2, 3, 0), (0, 0)]:
        a = gnd.zeros(shape, "float64")
        m, n, k = shape[-2], shape[-1], min(shape[-2:])
        p, lower, upper = results(3, gnd.lu, a)
        assert (p.numpy() == np.broadcast_to(np.eye(m), shape[:-2] + (m, m))).all() and p.shape == shape[:-2] + (m, m)
        assert lower.shape == shape[:-2] + (m, k) and upper.shape == shape[:-2] + (k, n)
        p, lower, upper = results(3, gnd.lu_indices, a)
        assert (p.numpy() == np.broadcast_to(np.arange(m), shape[:-2] + (m,))).all()
        lower, upper = results(2, gnd.lu_permuted, a)
        assert lower.shape == shape[:-2] + (m, k) and upper.shape == shape[:-2] + (k, n)
        lu, pivots = results(2, gnd.lu_factor, a)
        assert lu.shape == shape and pivots.shape == shape[:-2] + (k,)
    none = gnd.zeros((3, 0), "float64")
    options = gnd.STRUCTS["gnd_triangular_options"]()
    eye = gnd.eye(3, 3, 0, "float64")
    assert gnd.solve_triangular(eye, none, options).shape == (3, 0)
    assert gnd.cho_solve(eye, none, True).shape == (3, 0)
    assert gnd.lu_solve(eye, gnd.zeros(3, "int32"), none, 0).shape == (3, 0)


# ---- inverses and determinants ---------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_inv(dtype):
    g = generator("inv", dtype)
    for n, batch, a, x in squares(dtype, g):
        got = gnd.inv(a)
        inverse, context = got.numpy(), f"{dtype} {batch} {n} strides {x.strides}"
        assert got.dtype == dtype and got.shape == x.shape, context
        unit = np.broadcast_to(np.eye(n), x.shape)
        size = largest_row(inverse) * largest_row(x)
        # Each column solves a system; their errors may be as large as the largest of them.
        check_residual(wide(x) @ wide(inverse), unit, n**0.5 * size, dtype, context)
    for n in SIZES:
        x = normal((2, n, n), dtype, g)
        assert row_major(gnd.inv(gnd.from_numpy(x))), "row-major stays so"
        assert n == 1 or not row_major(gnd.inv(column_major(x))), "column-major stays so"


@pytest.mark.parametrize("dtype", DTYPES)
def test_det(dtype):
    g = generator("det", dtype)
    for n, batch, a, x in squares(dtype, g):
        sign, logarithm = [r.numpy() for r in results(2, gnd.slogdet, a)]
        with np.errstate(all="ignore"):
            want_sign, want = np.linalg.slogdet(wide(x))
        tolerance = 100 * n * EPS[dtype] * np.linalg.cond(wide(x))
        assert sign.dtype == dtype and logarithm.dtype == REAL[dtype]
        assert sign.shape == batch and logarithm.shape == batch
        assert (abs(logarithm - want) <= tolerance + 4 * EPS[dtype] * abs(want)).all(), f"{dtype} {batch} {n}"
        assert (abs(sign - want_sign) <= tolerance).all(), f"{dtype} {batch} {n}"
        if dtype not in dtypes.COMPLEX:
            assert (abs(sign) == 1).all()
        got = gnd.det(a)
        assert got.dtype == dtype and got.shape == batch
        if n <= 33:
            with np.errstate(all="ignore"):
                value = (sign * np.exp(logarithm)).astype(dtype)
            assert (abs(got.numpy() - value) <= 40 * EPS[dtype] * abs(value)).all()
            assert (abs(got.numpy() - np.linalg.det(wide(x))) <= (tolerance + 100 * EPS[dtype] * (1 + abs(want))) *
                    abs(value)).all()


def test_det_of_special_matrices():
    permuted = np.eye(5)[[1, 2, 3, 4, 0]]
    for x in [np.eye(3), permuted, permuted[[1, 0, 2, 3, 4]], np.diag([1.0, -2, 3]), np.ones((2, 2)),
              np.zeros((3, 3)), np.array([[0.0]]), np.array([[-2.5]]), np.full((2, 2), np.nan),
              1e200 * np.eye(4), 1e-200 * np.eye(4), -np.eye(3), 1j * np.eye(3), np.ones((2, 2), complex),
              np.array([[0, 1j], [1j, 0]])]:
        with np.errstate(all="ignore"):
            want_sign, want = np.linalg.slogdet(x)
            determinant = np.linalg.det(x)
        for make in (gnd.from_numpy, column_major):
            sign, logarithm = [r.numpy() for r in results(2, gnd.slogdet, make(x))]
            np.testing.assert_allclose(logarithm, want, 1e-14, err_msg=str(x))
            if not np.isnan(x).any():  # its sign means nothing
                np.testing.assert_allclose(sign, want_sign, 1e-14, 1e-14, err_msg=str(x))
            np.testing.assert_allclose(gnd.det(make(x)).numpy(), determinant, 1e-13, 1e-300, err_msg=str(x))
    # One result alone.
    a = gnd.from_numpy(np.diag([2.0, -3]))
    room = gnd.outputs(1)
    gnd.slogdet(None, ctypes.addressof(room), a)
    np.testing.assert_allclose(gnd.take(room)[0].numpy(), np.log(6.0))
    gnd.slogdet(ctypes.addressof(room), None, a)
    assert gnd.take(room)[0].numpy() == -1


# ---- LU ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_lu(dtype):
    g = generator("lu", dtype)
    for m, n in [(1, 1), (2, 2), (3, 5), (5, 3), (1, 4), (4, 1), (33, 33), (60, 130), (130, 60)]:
        k = min(m, n)
        for batch in BATCHES:
            a, x = laid_out(batch + (m, n), dtype, g)
            context = f"{dtype} {batch} {m} {n} strides {x.strides}"
            p, lower, upper = results(3, gnd.lu, a)
            indices, lower_too, upper_too = results(3, gnd.lu_indices, a)
            permuted, upper_again = results(2, gnd.lu_permuted, a)
            assert p.dtype == REAL[dtype] and lower.dtype == upper.dtype == dtype and indices.dtype == "int64"
            assert p.shape == batch + (m, m) and lower.shape == batch + (m, k) and upper.shape == batch + (k, n)
            at, p, lower, upper = indices.numpy(), p.numpy(), lower.numpy(), upper.numpy()
            size = largest_row(lower) * largest_row(upper)
            check_residual(p @ wide(lower) @ wide(upper), x, size, dtype, context)
            assert (np.tril(lower) == lower).all() and (np.triu(upper) == upper).all(), context
            assert (np.diagonal(lower, 0, -2, -1) == 1).all() and (abs(lower) <= 1 + 3 * EPS[dtype] + (
                0.5 if dtype in dtypes.COMPLEX else 0)).all(), context
            assert (lower_too.numpy() == lower).all() and (upper_too.numpy() == upper).all(), context
            assert (upper_again.numpy() == upper).all(), context
            rows = np.take_along_axis(lower, at[..., None], -2)
            assert (permuted.numpy() == rows).all() and (p @ lower == rows).all(), context
            want = scipy.linalg.lu(x, p_indices=True)[0]
            if dtype not in dtypes.COMPLEX:  # which of two complex pivots is larger is a matter of norms
                assert (at == want).all(), context


@pytest.mark.parametrize("dtype", DTYPES)
def test_lu_factor_and_solve(dtype):
    g = generator("lu_factor", dtype)
    for n, batch, a, x in squares(dtype, g):
        lu, pivots = results(2, gnd.lu_factor, a)
        assert lu.dtype == dtype and pivots.dtype == "int32" and pivots.shape == batch + (n,)
        if batch == () and dtype not in dtypes.COMPLEX:
            want = scipy.linalg.lu_factor(x)
            assert (pivots.numpy() == want[1]).all()
        factors = lu.numpy()
        size = largest_row(np.tril(factors)) * largest_row(np.triu(factors)) + largest_row(x)
        check_residual(np.tril(wide(factors), -1) @ np.triu(wide(factors)) + np.triu(wide(factors)),
                       exchanged(x, pivots.numpy()), size, dtype, f"lu_factor {dtype} {batch} {n}")
        b, y = laid_out(batch + (n, 2), dtype, g)
        for trans, of in [(gnd.TRANS_NONE, x), (gnd.TRANS_T, np.swapaxes(x, -1, -2)), (gnd.TRANS_H, hermitian(x))]:
            context = f"{dtype} {batch} {n} {trans}"
            check_solution(gnd.lu_solve(lu, pivots, b, trans), of, y, dtype, context)
            # Row-major factors, pivots of another dtype and layout.
            other = gnd.lu_solve(gnd.from_numpy(factors), gnd.from_numpy(pivots.numpy()[..., ::-1].astype(
                "uint16"))["..., ::-1"], b, trans)
            check_solution(other, of, y, dtype, context)
    wide_matrix = normal((4, 7), dtype, g)
    lu, pivots = results(2, gnd.lu_factor, gnd.from_numpy(wide_matrix))
    assert lu.shape == (4, 7) and pivots.shape == (4,)
    check_residual((np.tril(lu.numpy()[:, :4], -1) + np.eye(4)) @ np.triu(lu.numpy()),
                   exchanged(wide_matrix, pivots.numpy()), largest_row(wide_matrix) * 4, dtype, "4 x 7")


def exchanged(x, pivots):
    """x with its rows exchanged as the pivots say."""
    result = np.array(x)
    for index in np.ndindex(x.shape[:-2]):
        for i, pivot in enumerate(pivots[index]):
            result[index][[i, pivot]] = result[index][[pivot, i]]
    return result


def test_lu_of_singular_matrices():
    for x in [np.zeros((3, 3)), np.ones((3, 3)), np.diag([1.0, 0, 2])]:
        p, lower, upper = results(3, gnd.lu, gnd.from_numpy(x))
        np.testing.assert_allclose(p.numpy() @ lower.numpy() @ upper.numpy(), x)
        for got, want in zip(results(2, gnd.lu_factor, gnd.from_numpy(x)), quiet_lu_factor(x)):
            np.testing.assert_allclose(got.numpy(), want)
    gnd.sync()
    refused(lambda: gnd.lu_solve(gnd.eye(2, 2, 0, "float64"), gnd.zeros(2, "float64"), gnd.zeros(2, "float64"), 0),
            gnd.ERROR_DTYPE, "pivots must be integers", "float64")
    # Pivots out of range touch no other memory.
    for bad in ([-5, 100], [2**31 - 1, -2**31]):
        got = gnd.lu_solve(gnd.eye(2, 2, 0, "float64"), gnd.from_numpy(np.int32(bad)), gnd.from_numpy(np.arange(2.0)),
                           0)
        assert sorted(got.numpy()) == [0, 1]
    got = gnd.lu_solve(gnd.eye(2, 2, 0, "float64"), gnd.from_numpy(np.uint64([2**64 - 1, 1])), gnd.zeros(2, "int8"), 0)
    assert (got.numpy() == 0).all()


def quiet_lu_factor(x):
    import warnings
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return scipy.linalg.lu_factor(x)


# ---- triangles -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_solve_triangular(dtype):
    g = generator("triangular", dtype)
    options = gnd.STRUCTS["gnd_triangular_options"]()
    for n in SIZES:
        for batch in BATCHES:
            for lower in (False, True):
                for unit in (False, True):
                    recipes = [recipe for recipe in layouts(batch + (n, n)) if recipe.name in OWN]
                    recipe = recipes[g.integers(len(recipes))]
                    full = normal(recipe.base, dtype, g) / n
                    a, x = gnd.view(full, recipe.steps), np.array(apply_numpy(full, recipe.steps))
                    part = np.tril(x) if lower else np.triu(x)
                    diagonal = np.eye(n) if unit else 3 * np.eye(n) * (1 + 1j if dtype in dtypes.COMPLEX else 1)
                    part = (part - part * np.eye(n) + diagonal).astype(dtype)
                    # What must not be read is NaN.
                    hidden = np.where(np.tril(np.ones((n, n))) if lower else np.triu(np.ones((n, n))), part, np.nan)
                    if unit:
                        hidden = np.where(np.eye(n), np.nan, hidden)
                    hidden = hidden.astype(dtype)
                    b, y = laid_out(batch + (n, 3), dtype, g)
                    options.lower, options.unit_diagonal = lower, unit
                    for trans, of in [(0, part), (1, np.swapaxes(part, -1, -2)), (2, hermitian(part))]:
                        options.trans = trans
                        for make in (gnd.from_numpy, column_major):
                            got = gnd.solve_triangular(make(hidden), b, options)
                            check_solution(got, of, y, dtype, f"{dtype} {batch} {n} {lower} {unit} {trans}")
    # Strided triangles, and SciPy's own answer.
    x, y = normal((12, 12), dtype, g) + 4 * np.eye(12, dtype=dtype), normal((6, 2), dtype, g)
    for text in ["::2, ::2", "6:, :6", "::-2, ::-2", "3:9, 6:"]:
        for array, values in [(gnd.from_numpy(x)[text], eval(f"x[{text}]", {"x": x}))]:
            options.lower, options.unit_diagonal, options.trans = True, True, 1
            want = scipy.linalg.solve_triangular(values, y, trans=1, lower=True, unit_diagonal=True)
            got = gnd.solve_triangular(array, gnd.from_numpy(y), options).numpy()
            assert (abs(got - want) <= 1e4 * EPS[dtype] * abs(want).max()).all(), text


# ---- Cholesky --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_cholesky(dtype):
    g = generator("cholesky", dtype)
    for n in SIZES:
        for batch in BATCHES:
            x = positive(batch + (n, n), dtype, g)
            b, y = laid_out(batch + (n, 3), dtype, g)
            for upper in (False, True):
                hides = np.tril(np.ones((n, n)), -1) if upper else np.triu(np.ones((n, n)), 1)
                hidden = np.where(hides, np.nan, x).astype(dtype)
                if dtype in dtypes.COMPLEX:  # the imaginary part of the diagonal is not read
                    hidden = hidden + (5j * np.eye(n)).astype(dtype)
                for make in (gnd.from_numpy, column_major):
                    context = f"{dtype} {batch} {n} {upper} {make.__name__}"
                    got = gnd.cholesky(make(hidden), upper)
                    factor = got.numpy()
                    assert got.dtype == dtype and got.shape == x.shape
                    assert n == 1 or row_major(got) == (upper if n > 32 else make is gnd.from_numpy), context
                    assert ((np.triu(factor) if upper else np.tril(factor)) == factor).all(), context
                    product = hermitian(wide(factor)) @ factor if upper else wide(factor) @ hermitian(factor)
                    check_residual(product, x, largest_row(x), dtype, context)
                    # The same with the other triangle kept; and systems.
                    kept = gnd.cho_factor(make(x), not upper)
                    values = kept.numpy()
                    assert (np.where(hides, x, 0) == np.where(hides, values, 0)).all(), context
                    check_residual(np.where(hides, 0, values), factor, largest_row(x), dtype, context, 100)
                    check_solution(gnd.cho_solve(kept, b, not upper), x, y, dtype, context)
                    unread = np.where(hides, np.nan, values).astype(dtype)
                    check_solution(gnd.cho_solve(make(unread), b, not upper), x, y, dtype, context)
            vector = gnd.cho_solve(kept, gnd.from_numpy(normal((n,), dtype, g)), False)
            assert vector.shape == batch + (n,)
    spread = gnd.from_numpy(positive((8, 8), dtype, g))
    for text in ["::2, ::2", "::-1, ::-1", "2:5, 2:5"]:
        part = eval(f"x[{text}]", {"x": spread.numpy()})
        want = np.linalg.cholesky(part)
        assert (abs(gnd.cholesky(spread[text], False).numpy() - want) <= 100 * EPS[dtype]).all(), text


# ---- tensors -------------------------------------------------------------------------------------------


def test_tensorsolve():
    g = generator("tensorsolve")
    for shape, b_shape, axes in [((2, 3, 6), (2, 3), None), ((2, 6, 3), (2, 3), (1,)), ((6, 2, 3), (6,), None),
                                 ((2, 3, 2, 3), (2, 3), None), ((3, 2, 3, 2), (2, 2), (0, 2)), ((1, 1), (1, 1), None),
                                 ((1, 1), (1,), None), ((6, 2, 3), (3, 2), (-3,)), ((), (), None),
                                 ((4, 2, 8), (8,), (2, 0)),
                                 ((2, 3, 6), (3, 2), ())]:
        x, y = normal(shape, "float64", g), normal(b_shape, "float64", g)
        try:
            # NumPy takes no negative axes here.
            want = np.linalg.tensorsolve(x, y, axes and tuple(k % x.ndim for k in axes))
        except (np.linalg.LinAlgError, ValueError):
            refused(lambda: gnd.tensorsolve(gnd.from_numpy(x), gnd.from_numpy(y), axes), gnd.ERROR_SHAPE)
            continue
        got = gnd.tensorsolve(gnd.from_numpy(x), gnd.from_numpy(y), axes)
        assert got.shape == want.shape, f"{shape} {b_shape} {axes}"
        np.testing.assert_allclose(got.numpy(), want, 1e-9)
    x = gnd.from_numpy(normal((6, 2, 3), "float32", g))["::-1"]
    assert gnd.tensorsolve(x, gnd.ones((6,), "complex64"), None).dtype == "complex64"
    refused(lambda: gnd.tensorsolve(gnd.ones((2, 3, 5), "int8"), gnd.ones((2, 3), "int8"), None), gnd.ERROR_SHAPE,
            "(2, 3, 5)", "(2, 3)")
    refused(lambda: gnd.tensorsolve(gnd.ones((2, 2), "int8"), gnd.ones(2, "int8"), (5,)), gnd.ERROR_AXIS, "axis 5")
    refused(lambda: gnd.tensorsolve(gnd.ones((2, 2), "int8"), gnd.ones(2, "int8"), (0, 0)), gnd.ERROR_AXIS, "twice")
    refused(lambda: gnd.tensorsolve(gnd.ones((2, 2), "int8"), gnd.ones(2, "int8"), (0, 1, 0)), gnd.ERROR_INVALID,
            "3 axes")
    refused(lambda: gnd.tensorsolve(gnd.ones((2, 2), "int8"), gnd.ones(2, "int8"), gnd.Axes(0, keepdims=True)),
            gnd.ERROR_INVALID, "no options")
    refused(lambda: gnd.tensorsolve(gnd.ones((2, 2), "int8"), None, None), gnd.ERROR_INVALID, "'b' is NULL")


def test_tensorinv():
    g = generator("tensorinv")
    for shape, ind in [((4, 6, 8, 3), 2), ((6, 2, 3), 1), ((2, 3, 6), 2), ((4, 4), 1), ((1, 1), 5), ((1,), 1)]:
        x = normal(shape, "float64", g)
        got = gnd.tensorinv(gnd.from_numpy(x), ind)
        want = np.linalg.tensorinv(x, ind)
        assert got.shape == want.shape, f"{shape} {ind}"
        np.testing.assert_allclose(got.numpy(), want, 1e-8, 1e-10)
    for ind in (0, -1):
        refused(lambda: gnd.tensorinv(gnd.ones((2, 2), "int8"), ind), gnd.ERROR_VALUE, "at least 1", str(ind))
    refused(lambda: gnd.tensorinv(gnd.ones((2, 3), "int8"), 1), gnd.ERROR_SHAPE, "(2, 3)")


# ---- failures --------------------------------------------------------------------------------------------


def singular_batch():
    x = np.broadcast_to(np.eye(3), (5, 3, 3)) + 0.1
    x = np.array(x)
    x[2] = [[1, 2, 3], [4, 5, 6], [5, 7, 9]]
    x[2] = np.diag([1.0, 0, 2])
    x[4] = 0
    return x


def refused_matrix(call, is_bad, words, of_first):
    """The call fails with these words. Where a batch has several bad matrices any of them may be the one that is
    named; `of_first` is what is said of the first."""
    with pytest.raises(gnd.Error) as error:
        call()
    message = error.value.message
    named = re.search(r"matrix (\d+) of (\d+)", message)
    assert error.value.code == gnd.ERROR_VALUE, error.value
    if named:
        assert int(named[2]) == is_bad.size and is_bad.flat[int(named[1])], message
    first = not named or not is_bad.flat[: int(named[1])].any()
    for word in words + (of_first if first else ()):
        assert word in message, message


def check_fault(call, is_bad, *words, of_first=()):
    """The call succeeds, the next wait fails with these words, and the bad matrices' results are NaN."""
    got = call()
    refused_matrix(gnd.sync, is_bad, words, of_first)
    values = got.numpy()
    assert np.isnan(values[is_bad]).all(), values
    assert not np.isnan(values[~is_bad]).any(), values
    before = gnd.linalg_strict(True)
    try:
        assert not before
        refused_matrix(call, is_bad, words, of_first)
        gnd.sync()
    finally:
        assert gnd.linalg_strict(False)


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular(dtype):
    x = singular_batch().astype(dtype)
    bad = np.array([False, False, True, False, True])
    b = gnd.ones((3, 2), dtype)
    for make in (gnd.from_numpy, column_major):
        named = {"of_first": ("matrix 2 of 5", "pivot 2 is zero")}
        check_fault(lambda: gnd.solve(make(x), b), bad, "gnd_solve", " of 5", "singular", **named)
        check_fault(lambda: gnd.inv(make(x)), bad, "gnd_inv", " of 5", "singular", **named)
        check_fault(lambda: gnd.solve_triangular(make(x), b, gnd.STRUCTS["gnd_triangular_options"]()), bad,
                    "gnd_solve_triangular", " of 5", **named)
        check_fault(lambda: gnd.solve(make(x[4]), gnd.ones(3, dtype)), np.array([True] * 3), "gnd_solve",
                    "a matrix", "singular", "pivot 1 is zero")
        assert (gnd.det(make(x)).numpy() == 0).tolist() == bad.tolist()
    check_fault(lambda: gnd.tensorinv(gnd.from_numpy(x[2]), 1), np.array([True] * 3), "gnd_tensorinv", "singular")
    check_fault(lambda: gnd.tensorsolve(gnd.from_numpy(x[2]), gnd.ones(3, dtype), None), np.array([True] * 3),
                "gnd_tensorsolve", "singular")
    # The number is that of the matrix in a, whatever the batch of b.
    check_fault(lambda: gnd.solve(gnd.from_numpy(x[:, None]), gnd.ones((1, 4, 3, 1), dtype)), bad, " of 5")
    gnd.det(gnd.from_numpy(x))
    gnd.sync()


@pytest.mark.parametrize("dtype", DTYPES)
def test_not_positive_definite(dtype):
    x = np.array(np.broadcast_to(np.eye(4) * 2, (3, 2, 4, 4))).astype(dtype)
    x[1, 1, 2, 2] = -1
    x[2, 0, 0, 0] = 0
    bad = np.zeros((3, 2), bool)
    bad[1, 1] = bad[2, 0] = True
    for make in (gnd.from_numpy, column_major):
        for upper in (False, True):
            check_fault(lambda: gnd.cholesky(make(x), upper), bad, "gnd_cholesky", " of 6", "not positive definite",
                        of_first=("matrix 3 of 6", "minor of order 3"))
            check_fault(lambda: gnd.cho_factor(make(x), upper), bad, "gnd_cho_factor", " of 6")


def test_nan_goes_through():
    x, y = np.eye(3), np.ones(3)
    y[1] = np.nan
    got = gnd.solve(gnd.from_numpy(x), gnd.from_numpy(y)).numpy()
    assert np.isnan(got[1])
    x = np.full((3, 3), np.nan)
    assert np.isnan(gnd.inv(gnd.from_numpy(x)).numpy()).any()
    assert np.isnan(gnd.solve(gnd.from_numpy(x), gnd.ones(3, "float64")).numpy()).any()
    gnd.sync()


def test_refuses():
    m, wide_matrix, line = gnd.ones((2, 2), "float64"), gnd.ones((2, 3), "float64"), gnd.ones(2, "float64")
    options = gnd.STRUCTS["gnd_triangular_options"]()
    pivots = gnd.zeros(2, "int32")
    one = {"inv": lambda a: gnd.inv(a), "det": lambda a: gnd.det(a), "cholesky": lambda a: gnd.cholesky(a, False),
           "cho_factor": lambda a: gnd.cho_factor(a, False), "slogdet": lambda a: results(2, gnd.slogdet, a),
           "solve": lambda a: gnd.solve(a, line), "cho_solve": lambda a: gnd.cho_solve(a, line, True),
           "solve_triangular": lambda a: gnd.solve_triangular(a, line, options),
           "lu_solve": lambda a: gnd.lu_solve(a, pivots, line, 0)}
    some = {"lu": lambda a: results(3, gnd.lu, a), "lu_factor": lambda a: results(2, gnd.lu_factor, a),
            "lu_indices": lambda a: results(3, gnd.lu_indices, a),
            "lu_permuted": lambda a: results(2, gnd.lu_permuted, a)}
    for name, call in {**one, **some}.items():
        refused(lambda: call(None), gnd.ERROR_INVALID, f"gnd_{name}:", "is NULL")
        refused(lambda: call(line), gnd.ERROR_SHAPE, f"gnd_{name}:", "(2,)")
        for half in ("float16", "bfloat16"):
            refused(lambda: call(gnd.ones((2, 2), half)), gnd.ERROR_DTYPE, f"gnd_{name}:", half, "float32")
    for name, call in one.items():
        refused(lambda: call(wide_matrix), gnd.ERROR_SHAPE, f"gnd_{name}:", "square", "(2, 3)")
    systems = {name: call for name, call in {
        "solve": lambda b: gnd.solve(m, b), "cho_solve": lambda b: gnd.cho_solve(m, b, True),
        "solve_triangular": lambda b: gnd.solve_triangular(m, b, options),
        "lu_solve": lambda b: gnd.lu_solve(m, pivots, b, 0)}.items()}
    for name, call in systems.items():
        refused(lambda: call(None), gnd.ERROR_INVALID, f"gnd_{name}:", "'b' is NULL")
        refused(lambda: call(gnd.ones(3, "int8")), gnd.ERROR_SHAPE, f"gnd_{name}:", "(2, 2)", "(3,)")
        refused(lambda: call(gnd.ones((3, 2), "int8")), gnd.ERROR_SHAPE, f"gnd_{name}:", "(3, 2)")
        refused(lambda: call(gnd.ones((), "int8")), gnd.ERROR_SHAPE, f"gnd_{name}:", "at least 1 dimension")
        refused(lambda: call(gnd.ones((2, 2), "float16")), gnd.ERROR_DTYPE, "float16")
    refused(lambda: gnd.solve(gnd.ones((3, 2, 2), "int8"), gnd.ones((4, 2, 1), "int8")), gnd.ERROR_SHAPE, "broadcast",
            "(3, 2, 2)", "(4, 2, 1)")
    refused(lambda: gnd.lu_solve(m, None, line, 0), gnd.ERROR_INVALID, "'pivots' is NULL")
    refused(lambda: gnd.lu_solve(m, gnd.zeros(3, "int32"), line, 0), gnd.ERROR_SHAPE, "(2, 2)", "(3,)")
    refused(lambda: gnd.lu_solve(m, gnd.zeros((1, 2), "int32"), line, 0), gnd.ERROR_SHAPE, "(1, 2)")
    refused(lambda: gnd.lu_solve(m, pivots, line, 3), gnd.ERROR_INVALID, "transpose number 3")
    options.trans = 7
    refused(lambda: gnd.solve_triangular(m, line, options), gnd.ERROR_INVALID, "transpose number 7")
    room = gnd.outputs(3)
    for k in range(3):
        room[k] = m.pointer
    places = [ctypes.addressof(room) + 8 * k for k in range(3)]
    refused(lambda: gnd.lu(*places, line), gnd.ERROR_SHAPE)
    assert list(room) == [None] * 3, "results of a failed call are NULL"


def test_out_of_memory():
    g = generator("memory")
    x = positive((3, 6, 6), "float64", g)
    a, b, turned = gnd.from_numpy(x), gnd.from_numpy(normal((2, 1, 6, 2), "float32", g)), column_major(x)
    options = gnd.STRUCTS["gnd_triangular_options"]()
    lu, pivots = results(2, gnd.lu_factor, a)
    calls = [lambda: gnd.solve(a, b), lambda: gnd.inv(a), lambda: gnd.inv(turned), lambda: gnd.det(a),
             lambda: results(2, gnd.slogdet, a), lambda: results(3, gnd.lu, a), lambda: gnd.cholesky(a, True),
             lambda: results(3, gnd.lu_indices, a), lambda: results(2, gnd.lu_permuted, a),
             lambda: results(2, gnd.lu_factor, a), lambda: gnd.lu_solve(lu, pivots, b, 1),
             lambda: gnd.cho_solve(a, b, True), lambda: gnd.solve_triangular(a, b, options),
             lambda: gnd.tensorinv(a["0"], 1), lambda: gnd.tensorsolve(a["0"], b["0, 0, :, 0"], (0,))]
    for call in calls:
        call()  # the libraries take what memory they keep
    for call in calls:
        result, failures = run_with_failures(call)
        assert failures > 0 and result is not None


# ---- sizes at which the way changes --------------------------------------------------------------------------


@pytest.mark.parametrize("batch,n", [((), 700), ((2,), 300), ((5,), 260), ((40,), 96), ((500,), 17), ((3000,), 4)])
def test_large(batch, n):
    g = generator("large", batch, n)
    x, y = normal(batch + (n, n), "float64", g), normal(batch + (n, 5), "float64", g)
    a, b = both(x)[0], both(y)[0]
    check_solution(gnd.solve(a, b), x, y, "float64", "solve")
    inverse = gnd.inv(a).numpy()
    check_residual(x @ inverse, np.broadcast_to(np.eye(n), x.shape), n**0.5 * largest_row(x) * largest_row(inverse),
                   "float64", "inv")
    np.testing.assert_allclose(results(2, gnd.slogdet, a)[1].numpy(), np.linalg.slogdet(x)[1], 1e-9, 1e-9)
    spd = positive(batch + (n, n), "float64", g)
    factor = gnd.cholesky(gnd.from_numpy(spd), False).numpy()
    check_residual(factor @ hermitian(factor), spd, largest_row(spd), "float64", "cholesky")


@pytest.mark.parametrize("dtype", DTYPES)
def test_steps(dtype):
    """Factors that are made in steps of 32, 16 or 8 columns, of several matrices and of one."""
    g = generator("steps", dtype)
    for batch, m, n in [((3,), 64, 64), ((12,), 100, 100), ((), 290, 290), ((), 530, 530), ((2,), 600, 70),
                        ((2,), 90, 210), ((4,), 1100, 40), ((4,), 600, 40)]:
        a, x = laid_out(batch + (m, n), dtype, g)
        context = f"{dtype} {batch} {m} {n} strides {x.strides}"
        lu, pivots = results(2, gnd.lu_factor, a)
        factors, at, k = lu.numpy(), pivots.numpy(), min(m, n)
        assert ((at >= np.arange(k)) & (at < m)).all(), context
        lower = np.tril(wide(factors[..., :k]), -1) + np.eye(m, k)
        upper = np.triu(wide(factors[..., :k, :]))
        check_residual(lower @ upper, exchanged(x, at), largest_row(lower) * largest_row(upper), dtype, context)
        if m != n:
            continue
        for columns in (1, 3, 77):
            b, y = laid_out(batch + (n, columns), dtype, g)
            check_solution(gnd.solve(a, b), x, y, dtype, f"solve {context} {columns}")
            for trans, of in [(gnd.TRANS_NONE, x), (gnd.TRANS_T, np.swapaxes(x, -1, -2)), (gnd.TRANS_H, hermitian(x))]:
                check_solution(gnd.lu_solve(lu, pivots, b, trans), of, y, dtype, f"{context} {columns} {trans}")
        inverse = gnd.inv(a).numpy()
        check_residual(wide(x) @ inverse, np.broadcast_to(np.eye(n), x.shape),
                       n**0.5 * largest_row(x) * largest_row(inverse), dtype, f"inv {context}")
        sign, size = (r.numpy() for r in results(2, gnd.slogdet, a))
        want = np.linalg.slogdet(x.astype("complex128" if dtype in dtypes.COMPLEX else "float64"))
        np.testing.assert_allclose(size, want[1], 3e-3 if "32" in REAL[dtype] else 1e-9)
        np.testing.assert_allclose(sign, want[0], 0, 3e-2 if "32" in REAL[dtype] else 1e-8)


@pytest.mark.parametrize("dtype", DTYPES)
def test_steps_of_failures(dtype):
    """Some matrices of a batch fail, or are not finite: the others don't know of it."""
    g = generator("failures", dtype)
    for n in (40, 100):
        x = normal((5, n, n), dtype, g)
        x[1][:, 7] = 0
        x[3][:, n - 1] = 0
        bad, b = np.array([False, True, False, True, False]), gnd.from_numpy(normal((n, 2), dtype, g))
        for make in (gnd.from_numpy, column_major):
            check_fault(lambda: gnd.solve(make(x), b), bad, "gnd_solve", " of 5", "singular")
            check_fault(lambda: gnd.inv(make(x)), bad, "gnd_inv", " of 5", "singular")
            assert (gnd.det(make(x)).numpy() == 0).tolist() == bad.tolist()
        refused_matrix(lambda: (gnd.inv(column_major(x[1])), gnd.sync()), np.array([True]), ("pivot 8 is zero",), ())
        x[1], x[3] = normal((2, n, n), dtype, g)
        x[3, n // 2, 0] = np.nan
        for got in (gnd.solve(gnd.from_numpy(x), b).numpy(), gnd.inv(gnd.from_numpy(x)).numpy()):
            assert np.isnan(got[3]).any() and np.isfinite(got[[0, 1, 2, 4]]).all()
        # Equal candidates: the first of them is the pivot.
        x = g.integers(-1, 2, (3, n, n)).astype(dtype)
        for matrix, got in zip(x, results(2, gnd.lu_factor, gnd.from_numpy(x))[1].numpy()):
            assert (got[:3] == quiet_lu_factor(matrix)[1][:3]).all()
        gnd.sync()


def test_results_that_nobody_wants():
    m = gnd.ones((2, 2), "float64")
    refused(lambda: gnd.lu(None, None, None, m), gnd.ERROR_INVALID, "gnd_lu:", "p, l and u are NULL")
    refused(lambda: gnd.lu_indices(None, None, None, m), gnd.ERROR_INVALID, "gnd_lu_indices:", "p, l and u are NULL")
    refused(lambda: gnd.lu_permuted(None, None, m), gnd.ERROR_INVALID, "gnd_lu_permuted:", "(l and u are NULL")
    refused(lambda: gnd.lu_factor(None, None, m), gnd.ERROR_INVALID, "gnd_lu_factor:", "lu and pivots are NULL")
    refused(lambda: gnd.slogdet(None, None, m), gnd.ERROR_INVALID, "gnd_slogdet:", "sign and logabsdet are NULL")


def test_earlier_failures_are_not_a_strict_call_s():
    bad, good, b = gnd.zeros((3, 2, 2), "float64"), gnd.from_numpy(np.eye(2)), gnd.ones(2, "float64")
    for call, name in ((lambda a: gnd.solve(a, b), "gnd_solve"), (gnd.inv, "gnd_inv")):
        call(bad)
        gnd.linalg_strict(True)
        try:
            refused(lambda: gnd.solve(good, b), gnd.ERROR_VALUE, f"{name}: matrix ", " of 3",
                    "(found when a later call waited)" if name == "gnd_solve" else "(found when gnd_solve waited)")
            assert (gnd.solve(good, b).numpy() == 1).all()
            refused(lambda: call(bad), gnd.ERROR_VALUE, f"{name}: matrix ", " of 3")
            assert (gnd.solve(good, b).numpy() == 1).all()
        finally:
            gnd.linalg_strict(False)
    gnd.solve(bad, b)
    refused(gnd.sync, gnd.ERROR_VALUE, "gnd_solve: matrix ", " of 3 is singular", "(found when gnd_sync waited)")


@pytest.mark.parametrize("dtype", DTYPES)
def test_singular_matrix_without_right_sides(dtype):
    """There is nothing to solve, but the matrix is singular all the same."""
    for n in (2, 40):
        for a, b in (((n, n), (n, 0)), ((3, n, n), (n, 0)), ((n, n), (3, n, 0))):
            x = np.broadcast_to(np.eye(n), a).astype(dtype)
            assert_same(gnd.solve(gnd.from_numpy(x), gnd.zeros(b, dtype)), np.linalg.solve(x, np.zeros(b, dtype)),
                        strides=False)
            x[..., 1, :] = 0
            with pytest.raises(np.linalg.LinAlgError):
                np.linalg.solve(x, np.zeros(b))
            gnd.sync()
            refused(lambda: (gnd.solve(gnd.from_numpy(x), gnd.zeros(b, dtype)), gnd.sync()), gnd.ERROR_VALUE,
                    "gnd_solve",
                    "singular")
    for a, b in (((0, 2, 2), (2, 0)), ((2, 2), (0, 2, 2)), ((0, 0), (0, 3))):  # no matrix that is looked at
        got = gnd.solve(gnd.zeros(a, dtype), gnd.zeros(b, dtype))
        assert_same(got, np.linalg.solve(np.zeros(a, dtype), np.zeros(b, dtype)), strides=False)
        gnd.sync()
