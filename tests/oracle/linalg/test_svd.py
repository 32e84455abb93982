"""Singular values of batches, in sizes that reach each of the ways to compute them on a GPU (a matrix a
warp or a block, slices of columns, the library's routines), of matrices that are hard for an iteration, all
kinds in one batch; tall and wide, with and without vectors, full and reduced; what is not finite beside what is."""

import numpy as np
import pytest

import gnd
from check import refused
from test_decompose import check_orthonormal, check_svd
from test_solve import DTYPES, REAL, column_major, normal, results
from values import generator


def hard_matrices(n, dtype, g):
    """n x n matrices, one of each kind."""
    half = REAL[dtype] == "float32"
    q, p = (np.linalg.qr(normal((n, n), "complex128" if dtype[0] == "c" else "float64", g))[0] for _ in range(2))
    x = normal((n, n), dtype, g)
    low_rank = normal((n, 2), dtype, g) @ normal((2, n), dtype, g)
    copies = x.copy()
    copies[:, n // 2:] = copies[:, :n - n // 2]
    holes = x.copy()
    holes[:, ::3] = 0
    grade = 10.0 ** -np.linspace(0, 30 if half else 140, n)
    kinds = {
        "random": x,
        "zero": np.zeros((n, n)),
        "one element": np.eye(1, n * n, n // 2).reshape(n, n) * 5,
        "identity": np.eye(n),
        "orthogonal": q,
        "two values": (q * np.where(np.arange(n) < n // 2, 3.0, 2.0)) @ p.conj().T,
        "graded": (q * 10.0 ** -np.linspace(0, 5 if half else 12, n)) @ p.conj().T,
        "one small": (q * np.where(np.arange(n) < n - 1, 1.0, 1e-20)) @ p.conj().T,
        "graded rows": x * grade[:, None],
        "graded columns": x * grade,
        "graded rows up": x * grade[::-1, None],
        "graded columns up": x * grade[::-1],
        "graded both ways": x * grade ** 0.5 * grade[::-1, None] ** 0.5,
        "rank 2": low_rank,
        "columns twice": copies,
        "columns of zeros": holes,
        "ones": np.ones((n, n)),
        "jordan": np.eye(n) + np.eye(n, k=1),
        "nilpotent": np.eye(n, k=1),
        "large": x * (1e30 if half else 1e150),
        "small": x * (1e-30 if half else 1e-150),
        "triangle": np.triu(x),
    }
    return list(kinds), np.stack([kind.astype(dtype) for kind in kinds.values()])


@pytest.mark.parametrize("n", [1, 2, 3, 8, 17, 33, 101])
@pytest.mark.parametrize("dtype", DTYPES)
def test_hard_matrices(dtype, n):
    names, x = hard_matrices(n, dtype, generator("hard", dtype, n))
    for make in (gnd.from_numpy, column_major)[n > 33:]:
        check_svd(make(x), x, dtype, f"{dtype} {n} of {names}")


@pytest.mark.parametrize("n", [150, 170])
@pytest.mark.parametrize("dtype", DTYPES)
def test_many_sweeps(dtype, n):
    """The kinds that rotations take longest for, in one block and in slices."""
    names, x = hard_matrices(n, dtype, generator("sweeps", dtype, n))
    kinds = ["two values", "graded", "graded rows", "graded columns up", "graded both ways", "rank 2", "columns twice"]
    x = x[[names.index(kind) for kind in kinds]]
    check_svd(column_major(x), x, dtype, f"{dtype} {n} of {kinds}")


@pytest.mark.parametrize("batch,m,n",
                         [((50,), 12, 12), ((3, 4), 40, 40), ((5,), 128, 128), ((4,), 90, 60), ((6,), 60, 90),
                                       ((3,), 500, 70), ((2,), 180, 180), ((2,), 260, 200), ((2,), 250, 250)])
@pytest.mark.parametrize("dtype", DTYPES)
def test_many(dtype, batch, m, n):
    x = normal(batch + (m, n), dtype, generator("many", dtype, batch, m, n))
    check_svd(gnd.from_numpy(x), x, dtype, f"{dtype} {x.shape}")


@pytest.mark.parametrize("dtype", ["float32", "complex128"])
def test_larger(dtype):
    """Slices of a few matrices; not of full rank, so that there are vectors to be made up."""
    g = generator("larger", dtype)
    x = normal((2, 400, 390), dtype, g)
    x[1, :, 5:] = 0
    check_svd(gnd.from_numpy(x), x, dtype, f"{dtype} {x.shape}")


@pytest.mark.gpu_only
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_beyond_the_kernels(dtype):
    """More columns than gnd's own kernels take, of full rank and far from it, square, wide and somewhat tall."""
    g = generator("beyond", dtype)
    low_rank = normal((1030, 2), dtype, g) @ normal((2, 1030), dtype, g)
    for x in (normal((1100, 1030), dtype, g), normal((1030, 1100), dtype, g), low_rank.astype(dtype)):
        check_svd(gnd.from_numpy(x), x, dtype, f"{dtype} {x.shape}")


@pytest.mark.parametrize("n", [20, 100, 190])
def test_the_rest_of_a_batch(n):
    """What is not finite neither stops nor changes the others."""
    g = generator("rest", n)
    x = normal((5, n, n), "float32", g)
    bad = np.array([False, True, False, False, True])
    want = [y.numpy() for y in results(3, gnd.svd, gnd.from_numpy(x), False)]
    x[1, 0, n - 1], x[4, n - 1, 0] = np.nan, np.inf
    got = results(3, gnd.svd, gnd.from_numpy(x), False)
    refused(lambda: gnd.sync(), gnd.ERROR_VALUE, "gnd_svd", " of 5", "converge")
    for y, z in zip(got, want):
        assert np.isnan(y.numpy()[bad]).all() and (y.numpy()[~bad] == z[~bad]).all()


@pytest.mark.parametrize("n", [5, 40, 180])
@pytest.mark.parametrize("dtype", DTYPES)
def test_scale(dtype, n):
    """As far as numbers go: squares of them are no numbers any more."""
    x = normal((2, n, n), dtype, generator("scale", dtype, n))
    u, s, vh = (y.numpy() for y in results(3, gnd.svd, gnd.from_numpy(x), False))
    # Up to the largest number, and to the smallest that is held with all digits.
    up, down = (118, -125) if REAL[dtype] == "float32" else (1014, -1021)
    for exponent, digits in [(up, 0), (down + 20, 0), (down - 3, 12)]:
        by = np.asarray(2.0 ** exponent, REAL[dtype])
        a = gnd.from_numpy(x * by)
        far = [y.numpy() for y in results(3, gnd.svd, a, False)]
        check_orthonormal(far[0], dtype, f"u of 2^{exponent}")
        check_orthonormal(np.swapaxes(far[2], -1, -2), dtype, f"vh of 2^{exponent}")
        tolerance = (1e-5 if REAL[dtype] == "float32" else 1e-13) * 2.0 ** digits * n * s.max()
        for values in (far[1], gnd.svdvals(a).numpy()):
            assert abs(values.astype("float64") / float(by) - s).max() <= tolerance, f"{exponent}"


@pytest.mark.parametrize("dtype", ["float16", "float32", "int32", "bool", "complex64"])
def test_pinv_of_no_elements(dtype):
    """NumPy gives matrices without elements back as they are, transposed."""
    for shape in ((0, 3), (3, 0), (2, 0, 3), (0, 0), (0, 4, 0)):
        x = np.zeros(shape, dtype)
        got, want = gnd.pinv(gnd.from_numpy(x), None), np.linalg.pinv(x)
        assert (got.dtype, got.shape, got.strides) == (want.dtype.name, want.shape, want.strides)
    batch = gnd.pinv(gnd.zeros((0, 2, 3), "int32"), None)  # no matrices, but such as have elements
    assert (batch.dtype, batch.shape) == ("float64", (0, 3, 2))


@pytest.mark.parametrize("dtype", DTYPES)
def test_standard_tolerances(dtype):
    """The array API standard's default of both: max(m, n) eps, which NumPy's pinv has with rtol=None."""
    g = generator("standard tolerances", dtype)
    options = gnd.STRUCTS["gnd_rank_options"]()
    options.standard = True
    eps = np.finfo(dtype).eps
    for m, n in ((4, 4), (6, 3), (3, 9)):
        k = min(m, n)
        q = np.linalg.qr(normal((m, k), dtype, g))[0]
        p = np.linalg.qr(normal((n, k), dtype, g))[0]
        for small in (0.2, 30):  # of the tolerance
            s = np.linspace(1, 2, k)
            s[-1] = small * max(m, n) * eps * s.max()
            x = (q * s.astype(REAL[dtype]) @ p.conj().T).astype(dtype)
            want = np.linalg.pinv(x, rtol=None)
            got = gnd.pinv(gnd.from_numpy(x), options).numpy()
            assert np.abs(got - want).max() <= 0.2 * np.abs(want).max(), (m, n, small)
            assert (np.abs(got).max() > 1e3) == (small > 1), (m, n, small)
            assert gnd.matrix_rank(gnd.from_numpy(x), None).numpy() == np.linalg.matrix_rank(x) == k - (small < 1)
    whole = gnd.pinv(gnd.from_numpy(np.diag([1, 2, 0])), options).numpy()
    assert np.allclose(whole, np.diag([1, 0.5, 0]))


@pytest.mark.parametrize("shape, dtype", [((1024, 512), "complex64"), ((512, 512), "complex128")])
def test_memory_behind(shape, dtype):
    """Behind 4 MiB there may be no memory, and OpenBLAS 0.3.21 reads complex vectors one element too far."""
    g = generator("behind", dtype)
    x, a = normal(shape, dtype, g), normal((shape[0], 33), dtype, g)
    values = gnd.svdvals(gnd.from_numpy(x)).numpy().astype(float)
    assert np.isclose(np.sqrt((values**2).sum()), np.linalg.norm(x), rtol=1e-5)
    column = gnd.matmul(gnd.slice(gnd.from_numpy(x), ":, -1"), gnd.from_numpy(a)).numpy()
    assert np.allclose(column, x[:, -1] @ a, rtol=1e-3, atol=1e-2)
