"""Least squares and pseudo-inverses against NumPy: solutions, residuals, ranks and singular values of
matrices of every shape and rank, batches, vectors, tolerances, both methods, and what is refused."""

import ctypes

import numpy as np
import pytest

import gnd
from check import refused
from test_faults import run_with_failures
from test_norms import rank_options
from test_solve import (BATCHES, DTYPES, EPS, REAL, check_residual, hermitian, laid_out, largest_row, normal, results,
                        wide)
from values import generator

SHAPES = [(1, 1), (4, 4), (7, 3), (3, 7), (1, 5), (5, 1), (40, 12), (12, 40), (200, 30)]


def lstsq_options(method=0, rcond=0.0):
    options = gnd.STRUCTS["gnd_lstsq_options"]()
    options.method, options.rcond = method, rcond
    return options


def of_rank(shape, rank, dtype, g):
    m, n = shape[-2:]
    return (normal(shape[:-1] + (rank,), dtype, g) @ normal(shape[:-2] + (rank, n), dtype, g) if rank < min(m, n) else
            normal(shape, dtype, g))


# ---- least squares ---------------------------------------------------------------------------------------------


def check_lstsq(a, x, b, y, dtype, context, options=None, rcond=None):
    """Against NumPy, which takes no batch, and computes float32 in float64."""
    got = results(4, gnd.lstsq, a, b, options)
    assert [r.dtype for r in got] == [dtype, REAL[dtype], "int32", REAL[dtype]], context
    solution, residuals, rank, s = (r.numpy() for r in got)
    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x = np.broadcast_to(x, batch + x.shape[-2:])
    y = y if y.ndim == 1 else np.broadcast_to(y, batch + y.shape[-2:])
    m, n = x.shape[-2:]
    rcond = 2 * EPS[dtype] * max(m, n) if rcond is None else rcond
    for index in np.ndindex(batch):
        one, right = x[index], y if y.ndim == 1 else y[index]
        want = np.linalg.lstsq(one, right, rcond)
        assert rank[index] == want[2], f"{context}: rank {rank[index]}, not {want[2]}"
        largest = max(want[3], default=0)
        assert np.allclose(s[index], want[3], 0, 100 * max(m, n) * EPS[dtype] * max(largest, 1e-30)), context
        cond = largest / want[3][rank[index] - 1] if rank[index] else 1
        near = 100 * max(m, n) * EPS[dtype] * cond
        size = np.sqrt((abs(wide(want[0])) ** 2).sum()) + np.sqrt((abs(wide(right)) ** 2).sum()) / (largest or 1)
        assert solution[index].shape == want[0].shape, f"{context}: {solution[index].shape}"
        assert abs(wide(solution[index]) - want[0]).max(initial=0) <= near * size * cond, f"{context}: x"
        left = wide(right) - wide(one) @ wide(want[0])
        squares = (abs(left) ** 2).sum(0) * np.ones(1 if right.ndim == 1 else right.shape[-1])
        assert residuals[index].shape == (squares.shape if m > n else (0,)), f"{context}: {residuals.shape}"
        if m > n:
            error = abs(residuals[index] - squares)
            assert (error <= near * ((abs(wide(right)) ** 2).sum() + 1e-30)).all(), f"{context}: residuals {error}"
            if rank[index] == n and want[1].size:
                assert np.allclose(residuals[index], want[1], 100 * near, near * (abs(wide(right)) ** 2).sum())


@pytest.mark.parametrize("dtype", DTYPES)
def test_lstsq(dtype):
    g = generator("lstsq", dtype)
    for shape in SHAPES:
        for batch in BATCHES:
            a, x = laid_out(batch + shape, dtype, g)
            for columns in (None, 1, 3):
                own = () if columns is None else batch
                b, y = laid_out(own + shape[:1] + (() if columns is None else (columns,)), dtype, g)
                check_lstsq(a, x, b, y, dtype, f"{dtype} {batch} {shape} {columns}")
            assert (a.numpy() == x).all() and (b.numpy() == y).all(), "the input is changed"


@pytest.mark.parametrize("dtype", DTYPES)
def test_rank_deficient(dtype):
    g = generator("deficient", dtype)
    for shape in [(6, 4), (4, 6), (5, 5), (30, 8), (9, 1)]:
        for rank in range(min(shape)):
            x = of_rank(shape, rank, dtype, g)
            y = normal(shape[:1] + (2,), dtype, g)
            check_lstsq(gnd.from_numpy(x), x, gnd.from_numpy(y), y, dtype, f"{dtype} {shape} rank {rank}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_very_tall(dtype):
    """Matrices whose triangle is found block by block."""
    g = generator("tall", dtype)
    by_qr = lstsq_options(gnd.LSTSQ_QR)
    for shape, columns in [((4096, 5), 3), ((4097, 1), None), ((9000, 50), 1), ((6001, 120), 9)]:
        a, x = laid_out(shape, dtype, g)
        b, y = laid_out(shape[:1] + (() if columns is None else (columns,)), dtype, g)
        check_lstsq(a, x, b, y, dtype, f"{dtype} {shape} {columns}")
        room = gnd.outputs(2)
        gnd.lstsq(ctypes.addressof(room), ctypes.addressof(room) + 8, None, None, a, b, by_qr)
        got, want = gnd.take(room), np.linalg.lstsq(x, y, None)
        near = 1000 * shape[1] * EPS[dtype]
        assert np.allclose(wide(got[0].numpy()), want[0], near, near), f"{dtype} {shape} by QR"
        assert np.allclose(got[1].numpy(), want[1], near,
                           near * (abs(wide(y)) ** 2).sum()), f"{dtype} {shape} residuals"
    x, y = of_rank((5000, 8), 5, dtype, g), normal((5000, 2), dtype, g)
    check_lstsq(gnd.from_numpy(x), x, gnd.from_numpy(y), y, dtype, f"{dtype} of rank 5")
    check_lstsq(gnd.from_numpy(x[None, None]), x[None, None], gnd.from_numpy(y[None, None]), y[None, None], dtype,
                "a batch of one")


def test_batches_broadcast():
    g = generator("broadcast")
    for first, second in [((3,), (1,)), ((), (2, 3)), ((2, 1), (3,)), ((3,), ()), ((0,), (1,))]:
        for m, n in [(5, 2), (2, 5)]:
            x, y = normal(first + (m, n), "float64", g), normal(second + (m, 2), "float64", g)
            check_lstsq(gnd.from_numpy(x), x, gnd.from_numpy(y), y, "float64", f"{first} {second}")
    refused(lambda: results(4, gnd.lstsq, gnd.ones((2, 3, 3), "int8"), gnd.ones((3, 3, 1), "int8"), None),
            gnd.ERROR_SHAPE,
            "(2, 3, 3)", "(3, 3, 1)", "broadcast")


@pytest.mark.parametrize("m,n,k", [(3, 0, None), (0, 3, None), (0, 0, None), (3, 2, 0), (2, 3, 0), (0, 3, 2), (3, 0, 2),
                                   (0, 0, 2)])
def test_lstsq_of_nothing(m, n, k):
    x, y = np.ones((m, n)), np.ones((m,) if k is None else (m, k))
    got, want = results(4, gnd.lstsq, gnd.from_numpy(x), gnd.from_numpy(y), None), np.linalg.lstsq(x, y)
    for name, a, b in zip(("x", "residuals", "rank", "s"), got, want):
        if name != "residuals" or m <= n or np.shape(b) == a.shape:
            assert a.shape == np.shape(b), f"{name}: {a.shape}, not {np.shape(b)}"
            assert np.allclose(a.numpy(), b), f"{name}: {a.numpy()}"
    for options in (lstsq_options(gnd.LSTSQ_QR),) * (m >= n):
        room = gnd.outputs(2)
        gnd.lstsq(ctypes.addressof(room), ctypes.addressof(room) + 8, None, None, gnd.from_numpy(x), gnd.from_numpy(y),
                  options)
        x1, _ = gnd.take(room)
        assert x1.shape == want[0].shape


def test_tolerances():
    """rcond, as LAPACK takes it: outside of (0, 1) it is the epsilon."""
    q = np.linalg.qr(generator("tolerance").normal(size=(6, 6)))[0]
    for shape in [(6, 4), (4, 6), (5, 5)]:
        k = min(shape)
        x = (q[:shape[0], :k] * 10.0 ** -np.arange(0, 4 * k, 4)) @ q[:k, :shape[1]]
        y = np.arange(shape[0] * 2.0).reshape(-1, 2)
        for rcond in (1e-2, 1e-6, 1e-10, -1.0, 3.0):
            got = results(4, gnd.lstsq, gnd.from_numpy(x), gnd.from_numpy(y), lstsq_options(0, rcond))
            want = np.linalg.lstsq(x, y, rcond)
            assert got[2].numpy() == want[2], f"{shape} {rcond}"
            if rcond > 0 and rcond < 1:
                np.testing.assert_allclose(got[0].numpy(), want[0], 1e-5, 1e-8 * abs(want[0]).max())
    refused(lambda: results(4, gnd.lstsq, gnd.ones((2, 2), "int8"), gnd.ones(2, "int8"), lstsq_options(0, np.nan)),
            gnd.ERROR_VALUE, "rcond")


@pytest.mark.parametrize("dtype", DTYPES)
def test_by_qr(dtype):
    g = generator("by qr", dtype)
    for m, n in [(1, 1), (4, 4), (9, 3), (200, 30)]:
        for batch in BATCHES:
            a, x = laid_out(batch + (m, n), dtype, g)
            for columns in (None, 1, 3):
                b, y = laid_out((m,) if columns is None else batch + (m, columns), dtype, g)
                room = gnd.outputs(2)
                place = ctypes.addressof(room)
                gnd.lstsq(place, place + 8, None, None, a, b, lstsq_options(gnd.LSTSQ_QR))
                got = gnd.take(room)
                want = results(4, gnd.lstsq, a, b, None)
                for k in (0, 1):
                    assert got[k].dtype == want[k].dtype and got[k].shape == want[k].shape
                    p, q = got[k].numpy(), want[k].numpy()
                    near = 1e3 * m * EPS[dtype] * np.linalg.cond(wide(x)).max() ** 2
                    assert np.allclose(p, q, near, near * abs(q).max(initial=0)), f"{dtype} {m} {n} {columns}"
                gnd.lstsq(place, None, None, None, a, b, lstsq_options(gnd.LSTSQ_QR))
                gnd.lstsq(None, place + 8, None, None, a, b, lstsq_options(gnd.LSTSQ_QR))
                assert all((p.numpy() == q.numpy()).all() for p, q in zip(gnd.take(room), got))


def test_by_qr_of_a_singular_matrix():
    x = np.stack([np.eye(3)[:, :2], np.zeros((3, 2)), np.eye(3)[:, :2]])
    room = gnd.outputs(1)
    gnd.lstsq(ctypes.addressof(room), None, None, None, gnd.from_numpy(x), gnd.ones(3, "float64"),
              lstsq_options(gnd.LSTSQ_QR))
    got = gnd.take(room)[0]
    refused(lambda: gnd.sync(), gnd.ERROR_VALUE, "gnd_lstsq", "matrix 1 of 3", "singular")
    assert np.array_equal(got.numpy(), [[1, 1], [np.nan, np.nan], [1, 1]], equal_nan=True)


def test_any_of_the_four():
    g = generator("any")
    for m, n in [(6, 3), (3, 6)]:
        a, b = gnd.from_numpy(normal((m, n), "float64", g)), gnd.from_numpy(normal((m, 2), "float64", g))
        every = [r.numpy() for r in results(4, gnd.lstsq, a, b, None)]
        for wanted in range(1, 16):
            room = gnd.outputs(4)
            gnd.lstsq(*[ctypes.addressof(room) + 8 * k if wanted >> k & 1 else None for k in range(4)], a, b, None)
            for k, r in enumerate(gnd.take(room)):
                assert (r is not None) == bool(wanted >> k & 1)
                if r is not None:
                    np.testing.assert_allclose(r.numpy(), every[k], 1e-10, 1e-12)


def test_mixed_dtypes():
    g = generator("mixed")
    for first, second, want in [("float32", "float64", "float64"), ("int8", "float32", "float64"),
                                ("complex64", "float64", "complex128"), ("float32", "complex64", "complex64")]:
        x = (normal((5, 3), "complex128", g) * 3).real.astype(first)
        y = normal((5,), "complex128", g).real.astype(second)
        check_lstsq(gnd.from_numpy(x), x, gnd.from_numpy(y), y, want, f"{first} {second}")


def test_lstsq_of_nan():
    x = np.ones((4, 2))
    x[2, 1] = np.nan
    got = results(4, gnd.lstsq, gnd.from_numpy(x), gnd.ones(4, "float64"), None)
    refused(lambda: gnd.sync(), gnd.ERROR_VALUE, "gnd_lstsq", "converge")
    assert np.isnan(got[0].numpy()).all() and np.isnan(got[3].numpy()).all()


def test_lstsq_refuses():
    a, b = gnd.ones((3, 2), "float64"), gnd.ones(3, "float64")
    call = lambda x, y, options=None: results(4, gnd.lstsq, x, y, options)  # noqa: E731
    refused(lambda: call(None, b), gnd.ERROR_INVALID, "'a' is NULL")
    refused(lambda: call(a, None), gnd.ERROR_INVALID, "'b' is NULL")
    refused(lambda: call(b, b), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: call(a, gnd.ones((), "int8")), gnd.ERROR_SHAPE, "0-d")
    refused(lambda: call(a, gnd.ones(2, "int8")), gnd.ERROR_SHAPE, "3 rows", "(2,)")
    refused(lambda: call(a, gnd.ones((2, 3), "int8")), gnd.ERROR_SHAPE, "3 rows", "(2, 3)")
    refused(lambda: call(a, gnd.ones(3, "float16")), gnd.ERROR_DTYPE, "float16")
    refused(lambda: call(a, b, lstsq_options(2)), gnd.ERROR_INVALID, "method number 2")
    refused(lambda: call(a, b, lstsq_options(gnd.LSTSQ_QR)), gnd.ERROR_INVALID, "rank and s must be NULL")
    refused(lambda: gnd.lstsq(None, None, None, None, a, b, None), gnd.ERROR_INVALID, "no place to write")
    room = gnd.outputs(1)
    refused(lambda: gnd.lstsq(ctypes.addressof(room), None, None, None, gnd.ones((2, 3), "int8"), gnd.ones(2, "int8"),
                              lstsq_options(gnd.LSTSQ_QR)), gnd.ERROR_SHAPE, "as many rows as columns", "(2, 3)")


# ---- pseudo-inverses ---------------------------------------------------------------------------------------------


def check_pinv(p, x, dtype, context, factor=50):
    """The four equations that define it (Moore, Penrose)."""
    assert p.dtype == dtype and p.shape == x.shape[:-2] + (x.shape[-1], x.shape[-2]), context
    p, x = wide(p.numpy()), wide(x)
    size, size_p = largest_row(x), largest_row(p)
    n = max(x.shape[-2:])
    for name, left, right, bound in [("x p x", x @ p @ x, x, n * size ** 2 * size_p),
                                     ("p x p", p @ x @ p, p, n * size_p ** 2 * size),
                                     ("x p", hermitian(x @ p), x @ p, n * size * size_p),
                                     ("p x", hermitian(p @ x), p @ x, n * size * size_p)]:
        check_residual(left, right, bound, dtype, f"{context}: {name}", factor)


@pytest.mark.parametrize("dtype", DTYPES)
def test_pinv(dtype):
    g = generator("pinv", dtype)
    cut = 1e-4 if REAL[dtype] == "float32" else 1e-12
    for shape in [(1, 1), (5, 3), (3, 5), (6, 6), (40, 20), (20, 40)]:
        for batch in BATCHES:
            a, x = laid_out(batch + shape, dtype, g)
            check_pinv(gnd.pinv(a, None), x, dtype, f"{dtype} {batch} {shape}")
            y = of_rank(batch + shape, 2, dtype, g)
            got = gnd.pinv(gnd.from_numpy(y), rank_options(cut))
            check_pinv(got, y, dtype, f"{dtype} {batch} {shape} rank 2")
            want = np.linalg.pinv(y, rtol=cut)
            assert np.allclose(got.numpy(), want, cut * 10, cut * 10 * abs(want).max())
    for n in (1, 4, 9):
        z = normal((3, n, 2), dtype, g)
        z = (z @ hermitian(z)).astype(dtype)
        z[1] *= -1
        got = gnd.pinv(gnd.from_numpy(z), rank_options(cut, hermitian=True))
        check_pinv(got, z, dtype, f"{dtype} hermitian {n}")
        want = np.linalg.pinv(z, rtol=cut, hermitian=True)
        assert np.allclose(got.numpy(), want, cut * 10, cut * 10 * abs(want).max())


def test_a_tolerance_for_each():
    x = np.stack([np.diag([1.0, 0.1, 0.01])] * 3)
    for rtol in (np.array([0.5, 0.05, 0.005]), np.array([0.05]), np.array(0.05)):
        got = gnd.pinv(gnd.from_numpy(x), rank_options(gnd.from_numpy(rtol))).numpy()
        assert np.allclose(got, np.linalg.pinv(x, rtol))
    refused(lambda: gnd.pinv(gnd.from_numpy(x), rank_options(gnd.ones(2, "float64"))), gnd.ERROR_SHAPE, "rtol", "(2,)",
            "(3, 3, 3)")
    refused(lambda: gnd.pinv(gnd.from_numpy(x[0]), rank_options(gnd.ones(3, "float64"))), gnd.ERROR_SHAPE, "rtol")


def test_pinv_of_nothing_and_nan():
    for shape in [(0, 3), (3, 0), (2, 0, 3), (0, 2, 3), (0, 0)]:
        assert gnd.pinv(gnd.zeros(shape, "float32"), None).shape == shape[:-2] + (shape[-1], shape[-2])
    assert (gnd.pinv(gnd.zeros((3, 2), "float64"), None).numpy() == 0).all()
    x = np.ones((3, 2))
    x[0, 1] = np.nan
    got = gnd.pinv(gnd.from_numpy(x), None)
    refused(lambda: gnd.sync(), gnd.ERROR_VALUE, "gnd_pinv", "converge")
    assert np.isnan(got.numpy()).all()


def test_pinv_refuses():
    refused(lambda: gnd.pinv(None, None), gnd.ERROR_INVALID, "'a' is NULL")
    refused(lambda: gnd.pinv(gnd.ones(3, "float64"), None), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: gnd.pinv(gnd.ones((2, 2), "bfloat16"), None), gnd.ERROR_DTYPE, "bfloat16")
    refused(lambda: gnd.pinv(gnd.ones((2, 3), "float64"), rank_options(hermitian=True)), gnd.ERROR_SHAPE, "square")
    refused(lambda: gnd.pinv(gnd.ones((2, 3), "float64"), rank_options(tol=1)), gnd.ERROR_INVALID, "rtol, and not tol")
    refused(lambda: gnd.pinv(gnd.ones((2, 3), "float64"), rank_options(2j)), gnd.ERROR_DTYPE, "rtol must be real")


def test_out_of_memory():
    g = generator("memory")
    tall, flat = gnd.from_numpy(normal((2, 5, 3), "complex64", g)), gnd.from_numpy(normal((2, 3, 5), "float64", g))
    b, c = gnd.from_numpy(normal((2, 5, 1), "float32", g)), gnd.from_numpy(normal((3,), "float32", g))
    def by_qr():
        room = gnd.outputs(2)
        try:
            gnd.lstsq(ctypes.addressof(room), ctypes.addressof(room) + 8, None, None, tall, b,
                      lstsq_options(gnd.LSTSQ_QR))
        finally:
            got = gnd.take(room)
        return got

    gnd.svdvals(tall), by_qr()  # the libraries are loaded, and have their workspaces
    calls = [lambda: results(4, gnd.lstsq, tall, b, None), lambda: results(4, gnd.lstsq, flat, c, None), by_qr,
             lambda: gnd.pinv(tall, None), lambda: gnd.pinv(flat, rank_options(0.1)),
             lambda: gnd.pinv(flat["..., :3"], rank_options(gnd.ones(2, "float32"), hermitian=True))]
    for call in calls:
        result, failures = run_with_failures(call)
        assert failures > 0 and result is not None
