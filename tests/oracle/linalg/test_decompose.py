"""Orthogonal factors, singular values and eigenvalues against NumPy: by reconstruction and orthogonality,
which signs and phases do not touch, and by their values; of random, ill-conditioned, rank-deficient and
defective matrices, batched, strided, transposed and empty; what does not converge, and what is refused."""

import ctypes

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

import dtypes
import gnd
from check import refused
from test_faults import run_with_failures
from test_solve import (BATCHES, DTYPES, EPS, REAL, check_residual, column_major, hermitian, ill_conditioned,
                        laid_out, largest_row, normal, results, wide)
from values import apply_numpy, generator, layouts

SHAPES = [(1, 1), (1, 4), (4, 1), (2, 2), (3, 5), (5, 3), (8, 8), (33, 20), (20, 33), (65, 64), (100, 7), (7, 100)]
EMPTY = [(0, 0), (3, 0), (0, 3), (2, 0, 3), (2, 3, 0), (0, 3, 3), (0, 2, 3), (0, 3, 2), (2, 0, 0), (0, 0, 0)]
INTEGERS = ["bool", "int8", "uint16", "int64"]


# ---- what holds for factors ------------------------------------------------------------------------------


def check_dtypes(context, dtype, *arrays):
    for a in arrays:
        assert a.dtype == dtype, f"{context}: {a.dtype}, not {dtype}"


def check_orthonormal(q, dtype, context, factor=10):
    """The columns of each matrix have length 1 and are orthogonal."""
    one = np.broadcast_to(np.eye(q.shape[-1]), q.shape[:-2] + (q.shape[-1],) * 2)
    check_residual(hermitian(wide(q)) @ wide(q), one, np.full(q.shape[:-2], max(q.shape[-2:])), dtype,
                   f"{context}: not orthonormal", factor)


def check_near(got, want, size, dtype, context, factor=20):
    """Numbers up to rounding errors of numbers as large as `size`, one for each line."""
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    error = abs(wide(got) - wide(want))
    bound = factor * max(got.shape[-1:] + (3,)) * EPS[dtype] * np.asarray(size)[..., None]
    assert (error <= bound).all(), f"{context}: off by {np.max(error / bound)} of what is allowed"


def size_of(x):
    return np.sqrt((abs(wide(x)) ** 2).sum((-2, -1)))


def special_matrices(dtype, g):
    """Matrices that are hard to decompose."""
    low_rank = normal((12, 3), dtype, g) @ normal((3, 9), dtype, g)
    repeated = np.eye(6) * 2
    repeated[:2, :2] = 3 * np.eye(2)
    q = np.linalg.qr(normal((30, 30), "float64", g))[0]
    graded = (q * 10.0 ** -np.arange(30.0)) @ q.T
    return {**ill_conditioned(dtype, g), "low rank": low_rank, "low rank turned": low_rank.T,
            "zero": np.zeros((5, 4), dtype),
            "identity": np.eye(7, dtype=dtype), "repeated": repeated.astype(dtype), "graded": graded.astype(dtype),
            "ones": np.ones((6, 8), dtype), "one element": np.diag([0, 0, 5, 0]).astype(dtype),
            "jordan": (np.eye(8) + np.eye(8, k=1)).astype(dtype), "nilpotent": np.eye(6, k=1, dtype=dtype),
            "large": (normal((6, 5), dtype, g) * 1e30).astype(dtype),
            "small": (normal((5, 6), dtype, g) * 1e-30).astype(dtype)}


def every_case(dtype, g, shapes=SHAPES, batches=BATCHES):
    for shape in shapes:
        for batch in batches:
            a, x = laid_out(batch + shape, dtype, g)
            yield a, x, f"{dtype} {x.shape} strides {x.strides}"


def check_every(check, dtype, g):
    """check(a, x, dtype, context) of every case and of the special matrices; none is changed."""
    for a, x, context in every_case(dtype, g):
        check(a, x, dtype, context)
        assert (a.numpy() == x).all(), f"{context}: the input is changed"
    for name, x in special_matrices(dtype, g).items():
        check(gnd.from_numpy(x), x, dtype, f"{dtype} {name}")
        check(column_major(x), x, dtype, f"{dtype} {name}, column-major")


def check_of_nothing(arrays, want, context):
    """The results of an empty matrix, which are empty or a unit matrix, against NumPy's."""
    for a, b in zip(arrays, want, strict=True):
        assert a.shape == b.shape and (a.numpy() == b).all(), f"{context}: {a.shape}, not {b.shape}"


# ---- qr ----------------------------------------------------------------------------------------------------


def check_qr(a, x, dtype, context, reflectors=True):
    m, n = x.shape[-2:]
    k = min(m, n)
    for mode, columns in [(gnd.QR_REDUCED, k), (gnd.QR_COMPLETE, m)]:
        arrays = results(2, gnd.qr, a, mode)
        check_dtypes(context, dtype, *arrays)
        q, r = (y.numpy() for y in arrays)
        assert q.shape == x.shape[:-1] + (columns,), f"{context}: {q.shape}"
        assert r.shape == x.shape[:-2] + (columns, n), f"{context}: {r.shape}"
        assert (np.tril(r, -1) == 0).all(), f"{context}: below the diagonal"
        check_orthonormal(q, dtype, context)
        check_residual(wide(q) @ wide(r), x, largest_row(x) * m ** 0.5, dtype, context)
        room = gnd.outputs(1)
        gnd.qr(None, ctypes.addressof(room), a, mode)
        assert (gnd.take(room)[0].numpy() == r).all(), f"{context}: r alone"
        gnd.qr(ctypes.addressof(room), None, a, mode)
        assert (gnd.take(room)[0].numpy() == q).all(), f"{context}: q alone"
    none, only = results(2, gnd.qr, a, gnd.QR_R)
    assert none is None and only.shape == x.shape[:-2] + (k, n), f"{context}: {only.shape}"
    assert (only.numpy() == r[..., :k, :]).all(), f"{context}: mode r"
    h, tau = results(2, gnd.qr, a, gnd.QR_RAW)
    check_dtypes(context, dtype, h, tau)
    h, tau = h.numpy(), tau.numpy()
    assert h.shape == x.shape[:-2] + (n, m) and tau.shape == x.shape[:-2] + (k,), f"{context}: raw"
    if not reflectors:
        return
    q = np.broadcast_to(np.eye(m, dtype="complex128"), x.shape[:-2] + (m, m))
    for i in range(k):
        v = np.swapaxes(h, -1, -2)[..., i:i + 1] * (np.arange(m) > i)[:, None] + (np.arange(m) == i)[:, None]
        q = q - (q @ v) @ (tau[..., i, None, None] * hermitian(v))
    check_residual(q @ np.triu(np.swapaxes(h, -1, -2)), x, largest_row(x) * m ** 0.5, dtype, f"{context}: reflectors")


@pytest.mark.parametrize("dtype", DTYPES)
def test_qr(dtype):
    check_every(check_qr, dtype, generator("qr", dtype))


@pytest.mark.parametrize("dtype", DTYPES)
def test_qr_in_steps(dtype):
    """Factors that are made in steps of 32, 16 or 8 columns, of several matrices and of one."""
    g = generator("qr in steps", dtype)
    for shape in [(3, 200, 200), (2, 170, 290), (2, 300, 165), (530, 180), (4, 1100, 70), (4, 600, 70)]:
        a, x = laid_out(shape, dtype, g)
        check_qr(a, x, dtype, f"{dtype} {x.shape} strides {x.strides}", reflectors=shape[-2:] == (170, 290))
    x = normal((5, 180, 170), dtype, g)
    x[0], x[1][:, 40], x[2] = 0, 0, np.triu(x[2])
    x[3] *= 1e-12 if "32" in x.real.dtype.name else 1e-100
    x[4] *= 1e12 if "32" in x.real.dtype.name else 1e100
    for matrix in x:  # each is as large as it is
        check_qr(gnd.from_numpy(matrix[None]), matrix[None], dtype, f"{dtype} hard", reflectors=False)
    q, r = (y.numpy() for y in results(2, gnd.qr, gnd.from_numpy(x), gnd.QR_REDUCED))
    check_orthonormal(q, dtype, f"{dtype} hard together")
    x[2, 60, 100] = np.nan
    q, r = (y.numpy() for y in results(2, gnd.qr, gnd.from_numpy(x), gnd.QR_REDUCED))
    assert np.isnan(r[2]).any() and np.isfinite(q[[0, 1, 3, 4]]).all() and np.isfinite(r[[0, 1, 3, 4]]).all()


@pytest.mark.parametrize("shape", EMPTY)
def test_qr_of_nothing(shape):
    x = np.zeros(shape)
    for mode, name in [(gnd.QR_REDUCED, "reduced"), (gnd.QR_COMPLETE, "complete"), (gnd.QR_RAW, "raw")]:
        check_of_nothing(results(2, gnd.qr, gnd.from_numpy(x), mode), np.linalg.qr(x, name), f"{name} {shape}")
    none, r = results(2, gnd.qr, gnd.from_numpy(x), gnd.QR_R)
    assert none is None and r.shape == np.linalg.qr(x, "r").shape


# ---- svd ---------------------------------------------------------------------------------------------------


def check_svd(a, x, dtype, context):
    m, n = x.shape[-2:]
    k = min(m, n)
    want = np.linalg.svd(wide(x) if x.dtype.kind == "c" else x.astype("float64"), compute_uv=False)
    for full in (False, True):
        arrays = results(3, gnd.svd, a, full)
        check_dtypes(context, dtype, arrays[0], arrays[2])
        check_dtypes(context, REAL[dtype], arrays[1])
        u, s, vh = (y.numpy() for y in arrays)
        assert u.shape == x.shape[:-1] + (m if full else k,) and vh.shape == x.shape[:-2] + (n if full else k, n), (
            f"{context}: {u.shape} {vh.shape}")
        check_orthonormal(u, dtype, f"{context}: u")
        check_orthonormal(np.swapaxes(vh, -1, -2), dtype, f"{context}: vh")
        check_near(s, want, size_of(x), dtype, context)
        assert (s >= 0).all() and (np.diff(s, axis=-1) <= 0).all(), f"{context}: order {s}"
        check_residual((wide(u[..., :k]) * s[..., None, :]) @ vh[..., :k, :], x, k ** 0.5 * size_of(x), dtype,
                       context, 30)
    values = gnd.svdvals(a)
    check_dtypes(context, REAL[dtype], values)
    check_near(values.numpy(), want, size_of(x), dtype, f"{context}: values alone")


@pytest.mark.parametrize("dtype", DTYPES)
def test_svd(dtype):
    check_every(check_svd, dtype, generator("svd", dtype))


@pytest.mark.parametrize("shape", EMPTY)
def test_svd_of_nothing(shape):
    x = np.zeros(shape)
    for full in (False, True):
        check_of_nothing(results(3, gnd.svd, gnd.from_numpy(x), full), np.linalg.svd(x, full), f"{full} {shape}")
    assert gnd.svdvals(gnd.from_numpy(x)).shape == np.linalg.svdvals(x).shape


def test_any_of_the_three():
    x = normal((3, 6, 4), "complex64", generator("any"))
    a = gnd.from_numpy(x)
    every = [y.numpy() for y in results(3, gnd.svd, a, True)]
    for wanted in [(0,), (1,), (2,), (0, 1), (1, 2), (0, 2)]:
        room = gnd.outputs(3)
        gnd.svd(*[ctypes.addressof(room) + 8 * k if k in wanted else None for k in range(3)], a, True)
        for k, y in enumerate(gnd.take(room)):
            assert (y is not None) == (k in wanted)
            if y is not None:
                np.testing.assert_allclose(y.numpy(), every[k], 1e-4, 1e-5)


def test_memory_order():
    """A wide matrix gives row-major views, a tall one column-major arrays; r and q are column-major."""
    g = generator("order")
    for shape, row_major in [((2, 9, 5), False), ((2, 5, 9), True)]:
        u, _, vh = results(3, gnd.svd, gnd.from_numpy(g.normal(size=shape)), False)
        for y in (u, vh):
            assert (y.strides[-1] == 8) == row_major and (y.strides[-2] == 8) == (not row_major)
    for y in results(2, gnd.qr, gnd.from_numpy(g.normal(size=(2, 9, 5))), gnd.QR_REDUCED):
        assert y.strides[-2] == 8
    assert results(2, gnd.eigh, gnd.ones((3, 3), "float64"), False)[1].strides[-2] == 8


# ---- eigenvalues -------------------------------------------------------------------------------------------


def check_eigh(a, x, dtype, upper, context):
    """x: the hermitian matrix that a's triangle says."""
    w, v = results(2, gnd.eigh, a, upper)
    check_dtypes(context, REAL[dtype], w)
    check_dtypes(context, dtype, v)
    w, v = w.numpy(), v.numpy()
    check_orthonormal(v, dtype, context)
    check_near(w, np.linalg.eigvalsh(wide(x)), size_of(x), dtype, context)
    assert (np.diff(w, axis=-1) >= 0).all(), f"{context}: order {w}"
    check_residual(wide(x) @ wide(v), wide(v) * w[..., None, :], x.shape[-1] ** 0.5 * size_of(x), dtype, context)
    values = gnd.eigvalsh(a, upper)
    check_dtypes(context, REAL[dtype], values)
    check_near(values.numpy(), w, size_of(x), dtype, f"{context}: values alone")


def from_triangle(x, upper):
    """The hermitian matrix of one triangle, whose diagonal counts as real."""
    part = np.triu(x, 1) if upper else np.tril(x, -1)
    diagonal = np.real(np.diagonal(x, axis1=-2, axis2=-1))
    return part + hermitian(part) + diagonal[..., None] * np.eye(x.shape[-1])


@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh(dtype):
    g = generator("eigh", dtype)
    # The matrices are not hermitian: only one triangle is read.
    for a, x, context in every_case(dtype, g, [(n, n) for n in (1, 2, 3, 8, 31, 33, 90)]):
        for upper in (False, True):
            check_eigh(a, from_triangle(x, upper), dtype, upper, f"{context} {upper}")
        assert (a.numpy() == x).all(), f"{context}: the input is changed"
    for name, x in special_matrices(dtype, g).items():
        if x.shape[0] == x.shape[1]:
            y = from_triangle(x, False).astype(dtype)
            for make in (gnd.from_numpy, column_major):
                check_eigh(make(y), y, dtype, False, f"{dtype} {name}")


@pytest.mark.parametrize("n", [2, 7, 16, 33, 64])
@pytest.mark.parametrize("dtype", DTYPES)
def test_eigh_hard(dtype, n):
    """Eigenvalues of two signs, equal or close ones, few that are not zero, sizes of all kinds, in one batch."""
    g = generator("eigh hard", dtype, n)
    half, far = REAL[dtype] == "float32", np.arange(n)
    q = np.linalg.qr(normal((n, n), "complex128" if dtype[0] == "c" else "float64", g))[0]
    x = from_triangle(normal((n, n), dtype, g), False)
    spectra = [np.where(far % 2, 1.0, -1.0), 1 + 1e-6 * far, -(10.0 ** -far), np.where(far < n - 2, 0.0, 1.0)]
    kinds = [(q * values) @ hermitian(q) for values in spectra]
    kinds += [x, 0 * x, np.eye(n), -np.eye(n), np.ones((n, n)), x * (1e35 if half else 1e150),
              x * (1e-32 if half else 1e-150),
              np.diag(abs(far - n // 2)) + np.eye(n, k=1) + np.eye(n, k=-1), np.outer(10.0 ** -far, 10.0 ** -far) * x]
    x = np.stack([from_triangle(kind, False).astype(dtype) for kind in kinds])
    for make in (gnd.from_numpy, column_major):
        check_eigh(make(x), x, dtype, False, f"{dtype} {n}")


def test_the_other_triangle_is_not_read():
    x = normal((4, 4), "complex128", generator("triangle"))
    for upper in (False, True):
        y = x.copy()
        y[np.tril_indices(4, -1) if upper else np.triu_indices(4, 1)] = np.nan
        for make in (gnd.from_numpy, column_major):
            check_eigh(make(y), from_triangle(x, upper), "complex128", upper, "half NaN")


def matched(got, want):
    """The largest distance of two lists of complex numbers, one to one, where the sum of distances is smallest."""
    distance = abs(got[:, None] - want[None, :])
    return distance[linear_sum_assignment(distance)].max(initial=0)


def check_eig(a, x, dtype, context, spread=None):
    """`spread`: how far apart two ways of rounding may find a value, in sizes of x: for defective matrices, a
    root of the rounding error."""
    spread = spread or (1e-3 if REAL[dtype] == "float32" else 1e-9)
    complex_dtype = "complex64" if REAL[dtype] == "float32" else "complex128"
    w, v = results(2, gnd.eig, a)
    check_dtypes(context, complex_dtype, w, v)
    w, v = w.numpy(), v.numpy()
    assert w.shape == x.shape[:-1] and v.shape == x.shape, f"{context}: {w.shape} {v.shape}"
    length = np.sqrt((abs(wide(v)) ** 2).sum(-2))
    assert abs(length - 1).max(initial=0) <= 20 * x.shape[-1] * EPS[dtype], f"{context}: lengths {length}"
    check_residual(wide(x) @ wide(v), wide(v) * wide(w)[..., None, :], x.shape[-1] ** 0.5 * size_of(x), dtype, context,
                   100)
    values = gnd.eigvals(a)
    check_dtypes(context, complex_dtype, values)
    want, size = np.linalg.eigvals(wide(x)), size_of(x)
    for index in np.ndindex(w.shape[:-1]):
        for got in (w, values.numpy()):
            assert matched(got[index], want[index]) <= spread * size[index], f"{context}: {got[index]} {want[index]}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_eig(dtype):
    g = generator("eig", dtype)
    for a, x, context in every_case(dtype, g, [(n, n) for n in (1, 2, 3, 8, 33, 70)]):
        check_eig(a, x, dtype, context)
        assert (a.numpy() == x).all(), f"{context}: the input is changed"
    for name, x in special_matrices(dtype, g).items():
        if x.shape[0] == x.shape[1]:
            for make in (gnd.from_numpy, column_major):
                check_eig(make(x), x, dtype, f"{dtype} {name}", 0.5 if name in ("jordan", "nilpotent") else 0.02)


@pytest.mark.parametrize("dtype", DTYPES)
def test_known_eigenvalues(dtype):
    turn = np.array([[0, -1], [1, 0]], dtype)
    for x, want in [(turn, [1j, -1j]), (np.diag([3, 1, 2]).astype(dtype), [1, 2, 3]),
                    (np.array([[2, 1], [0, 2]], dtype), [2, 2]),
                    (np.roll(np.eye(4), 1, 0).astype(dtype), [1, 1j, -1, -1j])]:
        got = gnd.eigvals(gnd.from_numpy(x)).numpy()
        assert matched(got, np.array(want)) < 1e-5, got
        w, v = (y.numpy() for y in results(2, gnd.eig, gnd.from_numpy(x)))
        assert matched(w, np.array(want)) < 1e-5
        np.testing.assert_allclose(x @ v, v * w, atol=1e-6)


@pytest.mark.parametrize("shape", [(0, 0), (2, 0, 0), (0, 3, 3)])
def test_eigenvalues_of_nothing(shape):
    x = np.zeros(shape)
    a = gnd.from_numpy(x)
    for got, want in [(results(2, gnd.eigh, a, False), np.linalg.eigh(x)), (results(2, gnd.eig, a), np.linalg.eig(x))]:
        assert [y.shape for y in got] == [y.shape for y in want]
    assert gnd.eigvalsh(a, True).shape == gnd.eigvals(a).shape == shape[:-1]


# ---- dtypes, layouts, sizes --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype):
    g = generator("integers", dtype)
    x = g.integers(0, 2 if dtype == "bool" else 9, (2, 5, 5)).astype(dtype)
    a, y = gnd.from_numpy(x), x.astype("float64")
    q, r = results(2, gnd.qr, a, gnd.QR_REDUCED)
    check_dtypes("qr", "float64", q, r)
    np.testing.assert_allclose(q.numpy() @ r.numpy(), y, 1e-12, 1e-12)
    u, s, vh = results(3, gnd.svd, a, False)
    check_dtypes("svd", "float64", u, s, vh)
    np.testing.assert_allclose((u.numpy() * s.numpy()[..., None, :]) @ vh.numpy(), y, 1e-12, 1e-12)
    check_eigh(a, from_triangle(y, False), "float64", False, dtype)
    check_eig(a, y, "float64", dtype)


def test_every_layout():
    g = generator("layouts")
    for shape in [(3, 4, 4), (4, 5), (5, 4), (2, 1, 3)]:
        for layout in layouts(shape):
            base = normal(layout.base, "complex128", g)
            a, x = gnd.view(base, layout.steps), apply_numpy(base, layout.steps)
            check_qr(a, x, "complex128", f"{layout}")
            check_svd(a, x, "complex128", f"{layout}")
            if shape[-1] == shape[-2]:
                check_eigh(a, from_triangle(x, True), "complex128", True, f"{layout}")
                check_eig(a, x, "complex128", f"{layout}", 0.1)


@pytest.mark.parametrize("batch,m,n",
                         [((), 300, 300), ((), 2000, 40), ((), 40, 2000), ((5,), 130, 120), ((400,), 17, 17),
                                       ((3000,), 4, 3)])
def test_large(batch, m, n):
    g = generator("large", batch, m, n)
    x = normal(batch + (m, n), "float64", g)
    a, context = gnd.from_numpy(x), f"{batch} {m} {n}"
    q, r = (y.numpy() for y in results(2, gnd.qr, a, gnd.QR_REDUCED))
    check_orthonormal(q, "float64", context)
    check_residual(q @ r, x, largest_row(x) * m ** 0.5, "float64", context)
    u, s, vh = (y.numpy() for y in results(3, gnd.svd, a, False))
    check_near(s, np.linalg.svdvals(x), size_of(x), "float64", context)
    check_residual((u * s[..., None, :]) @ vh, x, size_of(x) * min(m, n) ** 0.5, "float64", context, 30)
    if m == n:
        check_eigh(a, from_triangle(x, False), "float64", False, context)
        check_eig(a, x, "float64", context, 1e-8)


# ---- what does not converge ----------------------------------------------------------------------------------


def check_failure(call, count, bad, name):
    """The next wait says which matrix of the batch has no values; its results are NaN, the others' are not."""
    got = results(count, call) if count else [call()]
    refused(lambda: gnd.sync(), gnd.ERROR_VALUE, name, "matrix 1 of 3", "converge")
    for y in got:
        values = y.numpy()
        assert np.isnan(values[bad]).all() and not np.isnan(values[~bad]).any(), f"{name}: {values}"
    assert not gnd.linalg_strict(True)
    try:
        refused(lambda: results(count, call) if count else call(), gnd.ERROR_VALUE, name, "matrix 1 of 3")
        gnd.sync()
    finally:
        gnd.linalg_strict(False)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("dtype", DTYPES)
def test_not_finite(dtype, value):
    g = generator("nan", dtype)
    for n in (1, 2, 5, 40):
        for place in [(0, 0), (n - 1, 0), (n - 1, n // 2)]:
            x = normal((3, n, n), dtype, g)
            x[(1,) + place] = value
            bad = np.array([False, True, False])
            a = gnd.from_numpy(x)
            check_failure(lambda u, s, v: gnd.svd(u, s, v, a, True), 3, bad, "gnd_svd")
            check_failure(lambda: gnd.svdvals(a), 0, bad, "gnd_svdvals")
            check_failure(lambda w, v: gnd.eigh(w, v, a, False), 2, bad, "gnd_eigh")
            check_failure(lambda: gnd.eigvalsh(a, False), 0, bad, "gnd_eigvalsh")
            check_failure(lambda w, v: gnd.eig(w, v, a), 2, bad, "gnd_eig")
            check_failure(lambda: gnd.eigvals(a), 0, bad, "gnd_eigvals")
            results(2, gnd.qr, a, gnd.QR_REDUCED)  # no iteration, nothing to report
    gnd.sync()


# ---- what is refused -----------------------------------------------------------------------------------------


def test_refuses():
    m, line, tall = gnd.ones((2, 2), "float64"), gnd.ones(2, "float64"), gnd.ones((3, 2), "float64")
    calls = {"qr": lambda a: results(2, gnd.qr, a, 0), "svd": lambda a: results(3, gnd.svd, a, True),
             "svdvals": gnd.svdvals, "eigh": lambda a: results(2, gnd.eigh, a, False),
             "eigvalsh": lambda a: gnd.eigvalsh(a, False), "eig": lambda a: results(2, gnd.eig, a),
             "eigvals": gnd.eigvals}
    for name, call in calls.items():
        refused(lambda: call(None), gnd.ERROR_INVALID, f"gnd_{name}:", "'a' is NULL")
        refused(lambda: call(line), gnd.ERROR_SHAPE, f"gnd_{name}:", "(2,)")
        for half in ("float16", "bfloat16"):
            refused(lambda: call(gnd.ones((2, 2), half)), gnd.ERROR_DTYPE, f"gnd_{name}:", half, "float32")
        if name.startswith("eig"):
            refused(lambda: call(tall), gnd.ERROR_SHAPE, f"gnd_{name}:", "square", "(3, 2)")
    refused(lambda: gnd.qr(None, None, m, 0), gnd.ERROR_INVALID, "q and r are NULL")
    refused(lambda: gnd.svd(None, None, None, m, True), gnd.ERROR_INVALID, "u, s and vh are NULL")
    refused(lambda: gnd.eigh(None, None, m, True), gnd.ERROR_INVALID, "w and v are NULL")
    refused(lambda: gnd.eig(None, None, m), gnd.ERROR_INVALID, "w and v are NULL")
    refused(lambda: results(2, gnd.qr, m, 4), gnd.ERROR_INVALID, "mode number 4")
    refused(lambda: gnd.qr(ctypes.addressof(gnd.outputs(1)), None, m, gnd.QR_R), gnd.ERROR_INVALID, "GND_QR_R")
    for count, call in [(2, gnd.qr), (2, gnd.eigh), (3, gnd.svd)]:
        room = gnd.outputs(count)
        for k in range(count):
            room[k] = m.pointer
        refused(lambda: call(*[ctypes.addressof(room) + 8 * k for k in range(count)], line, 0), gnd.ERROR_SHAPE)
        assert list(room) == [None] * count, "results of a failed call are NULL"


def test_out_of_memory():
    g = generator("memory")
    a, tall = gnd.from_numpy(normal((3, 6, 6), "complex64", g)), gnd.from_numpy(normal((2, 7, 3), "float64", g))
    gnd.svdvals(a)  # the library is loaded
    calls = [lambda: gnd.svdvals(a), lambda: gnd.eigvals(tall["..., :3, :"]), lambda: gnd.eigvalsh(a, True),
             lambda: results(2, gnd.eigh, a, False), lambda: results(2, gnd.eig, tall["..., :3, :"])]
    for b in (a, tall, gnd.swapaxes(tall, -1, -2)):
        calls += [lambda b=b, mode=mode: results(2, gnd.qr, b, mode) for mode in range(4)]
        calls += [lambda b=b, full=full: results(3, gnd.svd, b, full) for full in (False, True)]
    for call in calls:
        result, failures = run_with_failures(call)
        assert failures > 0 and result is not None
