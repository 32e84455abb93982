"""Random rows: multinomial, multivariate hypergeometric, Dirichlet and multivariate normal numbers, against
SciPy's distributions of their parts and against what NumPy does at the edge. Seeds are fixed."""

import numpy as np
import pytest
from scipy import stats

import check
import gnd
from test_random_distributions import LEAST, Generator, distance

g = np.random.default_rng(0)


def of_parameters():
    shape = gnd.shape(())
    shape.ndim = -1
    return shape


def array(x):
    return gnd.from_numpy(np.asarray(x)) if isinstance(x, (list, np.ndarray)) else x


def multinomial(generator, n, pvals, shape=None):
    return gnd.random_multinomial(generator.pointer, array(n), array(pvals),
                                  of_parameters() if shape is None else shape)


def hypergeometric(generator, colors, nsample, shape=None):
    return gnd.random_multivariate_hypergeometric(
        generator.pointer, array(colors), array(nsample),
        of_parameters() if shape is None else shape)


def dirichlet(generator, alpha, shape=None, dtype=None):
    return gnd.random_dirichlet(generator.pointer, array(alpha),
                                of_parameters() if shape is None else shape, dtype)


def normal(generator, mean, cov, shape=None, dtype=None, method="BY_SVD", check=False, tolerance=0.0):
    options = gnd.STRUCTS["gnd_multivariate_normal_options"]()
    options.method, options.check, options.tolerance = getattr(gnd, method), check, tolerance
    return gnd.random_multivariate_normal(generator.pointer, array(mean), array(cov),
                                          of_parameters() if shape is None else shape, options, dtype)


def check_part(x, dist, discrete, context):
    p = stats.kstwo.sf(distance(x, dist.cdf, discrete), x.size)
    assert p > LEAST, f"{context}: p-value {p}"


# ---- multinomial ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n, pvals", [(1, [0.2, 0.3, 0.5]), (10, [0.1, 0.0, 0.6, 0.3]),
                                      (1000, [1 / 7] * 7), (10**12, [0.5, 0.25, 0.25]),
                                      (50, [1.0, 0.0]), (50, [0.0, 1.0]), (7, [1.0]),
                                      (20, [0.2, 0.2]), (20, [0.5, 0.5, 0.5])])
def test_multinomial(n, pvals):
    x = multinomial(Generator(n, pvals), n, pvals, (20000,))
    assert x.dtype == "int64" and x.shape == (20000, len(pvals))
    x = x.numpy()
    assert (x >= 0).all() and (x.sum(1) == n).all()
    chances = np.array(pvals)
    chances[-1] = max(0, 1 - chances[:-1].sum())
    for j, p in enumerate(chances):
        if 0 < p < 1:
            check_part(x[:, j], stats.binom(n, p), True, f"outcome {j}")
        else:
            assert (x[:, j] == n * p).all()
    for i in range(len(pvals)):
        for j in range(i):
            if 0 < chances[i] < 1 and 0 < chances[j] < 1:
                want = -n * chances[i] * chances[j]
                spread = n * np.sqrt(chances[i] * chances[j] * (1 - chances[i]) * (1 - chances[j]))
                assert abs(np.cov(x[:, i], x[:, j])[0, 1] - want) < 6 * spread / np.sqrt(20000)


def test_multinomial_joint():
    """All outcomes of a small one, counted."""
    x = multinomial(Generator(3), 4, [0.2, 0.3, 0.5], (40000,)).numpy()
    rows, counted = np.unique(x, axis=0, return_counts=True)
    expected = stats.multinomial(4, [0.2, 0.3, 0.5]).pmf(rows) * len(x)
    assert len(rows) == 15
    assert stats.chisquare(counted, expected / expected.sum() * len(x)).pvalue > LEAST


def test_multinomial_broadcasts():
    n = np.array([[5], [10**6], [0]])
    pvals = np.array([[0.1, 0.2, 0.7], [0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3], [0, 0, 1]])
    whole = multinomial(Generator(1), n, pvals)
    assert whole.shape == (3, 4, 3)
    assert (whole.numpy().sum(-1) == np.broadcast_to(n, (3, 4))).all()
    one = Generator(1)
    for i in range(3):
        for j in range(4):
            alone = multinomial(one, int(n[i, 0]), pvals[j], (1,)).numpy()[0]
            np.testing.assert_array_equal(whole.numpy()[i, j], alone)
    np.testing.assert_array_equal(multinomial(Generator(1), n, pvals, (3, 4)).numpy(), whole.numpy())
    # Other layouts and dtypes of the same numbers.
    base = np.zeros((6, 4), np.float32)
    base[::2, ::-1] = [[0.25, 0.25, 0.25, 0.25], [0.5, 0, 0.5, 0], [0, 0, 0.75, 0.25]]
    view = gnd.slice_text(gnd.from_numpy(base), "::2, ::-1")
    want = multinomial(Generator(2), 100, base[::2, ::-1].astype(float)).numpy()
    got = multinomial(Generator(2), 100, view).numpy()
    np.testing.assert_array_equal(got, want)
    turned = gnd.permute(gnd.from_numpy(base[::2, ::-1].T.copy()), gnd.axes((1, 0)))
    got = multinomial(Generator(2), 100, turned).numpy()
    np.testing.assert_array_equal(got, want)


def test_many_axes():
    """More than the kernels look at: of n and pvals that broadcast crosswise."""
    n = g.integers(0, 50, (2, 1, 3, 1, 2, 1))
    pvals = g.dirichlet([1, 2, 3], (1, 2, 1, 3, 1, 2))
    whole = multinomial(Generator(1), n, pvals)
    assert whole.shape == (2, 2, 3, 3, 2, 2, 3)
    shape = whole.shape[:-1]
    full = multinomial(Generator(1), np.broadcast_to(n, shape).copy(),
                       np.broadcast_to(pvals, shape + (3,)).copy()).numpy()
    np.testing.assert_array_equal(whole.numpy(), full)
    assert (full.sum(-1) == n).all()


@pytest.mark.parametrize("n, pvals", [(-1, [0.5, 0.5]), (10, [0.5, 0.6, 0.1]), (10, [-0.1, 0.5]),
                                      (10, [0.5, np.nan]), (10, [np.nan, 0.5]), (10, [1.5, 0])])
def test_multinomial_refused(n, pvals):
    with pytest.raises(ValueError):
        np.random.default_rng(1).multinomial(n, pvals)
    rows = np.array([[0.2] * len(pvals), pvals, [0.3] * len(pvals)])
    x = multinomial(Generator(1), np.array([4, n, 5]), rows)
    check.refused(lambda: x.numpy(), gnd.ERROR_VALUE, "gnd_random_multinomial")
    assert (x.numpy().sum(1) == [4, 0, 5]).all() and (x.numpy()[1] == 0).all()


# ---- multivariate hypergeometric --------------------------------------------------------------------------


@pytest.mark.parametrize("colors, nsample", [([5, 3, 2], 4), ([5, 3, 2], 10), ([5, 3, 2], 0),
                                             ([100, 0, 50, 7], 80), ([7], 3), ([0, 0], 0),
                                             ([10**8, 2 * 10**8, 3 * 10**8], 10**6),
                                             ([30] * 12, 100)])
def test_hypergeometric(colors, nsample):
    x = hypergeometric(Generator(nsample, colors), colors, nsample, (20000,))
    assert x.dtype == "int64" and x.shape == (20000, len(colors))
    x = x.numpy()
    assert (x >= 0).all() and (x <= colors).all() and (x.sum(1) == nsample).all()
    for j, color in enumerate(colors):
        if 0 < nsample < sum(colors) and 0 < color < sum(colors):
            check_part(x[:, j], stats.hypergeom(sum(colors), color, nsample), True, f"color {j}")


def test_hypergeometric_joint():
    x = hypergeometric(Generator(3), [4, 3, 5], 5, (40000,)).numpy()
    rows, counted = np.unique(x, axis=0, return_counts=True)
    expected = stats.multivariate_hypergeom([4, 3, 5], 5).pmf(rows) * len(x)
    assert abs(expected.sum() - len(x)) < 1e-6 * len(x)
    assert stats.chisquare(counted, expected / expected.sum() * len(x)).pvalue > LEAST


def test_hypergeometric_broadcasts():
    colors, n = np.array([[3, 4, 5], [10, 0, 2]], np.int32), np.array([[1], [5], [12]])
    whole = hypergeometric(Generator(1), colors, n)
    assert whole.shape == (3, 2, 3)
    one = Generator(1)
    for i in range(3):
        for j in range(2):
            alone = hypergeometric(one, colors[j].astype(np.int64), int(n[i, 0])).numpy()
            np.testing.assert_array_equal(whole.numpy()[i, j], alone)


@pytest.mark.parametrize("colors, nsample", [([1, 2], 4), ([1, -2], 0), ([5, 5], -1),
                                             ([2**40, 5], 1), ([999999999, 1], 1),
                                             ([2**62, 2**62], 1)])
def test_hypergeometric_refused(colors, nsample):
    with pytest.raises(ValueError):
        np.random.default_rng(1).multivariate_hypergeometric(colors, nsample)
    x = hypergeometric(Generator(1), np.array([[3, 2], colors]), np.array([4, nsample]))
    check.refused(lambda: x.numpy(), gnd.ERROR_VALUE, "gnd_random_multivariate_hypergeometric")
    assert (x.numpy().sum(1) == [4, 0]).all() and (x.numpy()[1] == 0).all()


def test_hypergeometric_without_colors():
    none = np.zeros((0,), int)
    assert hypergeometric(Generator(1), none, 0, (3,)).shape == (3, 0)
    for nsample in (1, -1, True):
        with pytest.raises(ValueError):
            np.random.default_rng(1).multivariate_hypergeometric(none, nsample)
        check.refused(lambda: hypergeometric(Generator(1), none, nsample, (3,)), gnd.ERROR_VALUE,
                      "gnd_random_multivariate_hypergeometric", "no colors")


# ---- Dirichlet --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("alpha", [[1.0, 1, 1], [0.5, 2, 10], [1e-3, 1e-2, 0.1], [0.01, 5], [300.0, 1e4],
                                   [0.05] * 20, [2.0, 0, 3]])
def test_dirichlet(alpha, dtype):
    x = dirichlet(Generator(alpha, dtype), alpha, (20000,), dtype)
    assert x.dtype == dtype and x.shape == (20000, len(alpha))
    x = x.numpy()
    assert (x >= 0).all() and (x <= 1).all()
    assert np.abs(x.sum(1, dtype=float) - 1).max() < 4 * len(alpha) * np.finfo(dtype).eps
    for j, a in enumerate(alpha):
        if a == 0:
            assert (x[:, j] == 0).all()
            continue
        part = x[:, j]
        tiny = np.finfo(dtype).tiny
        part = np.where(part < tiny, part.dtype.type(0), part)
        dist = stats.beta(a, sum(alpha) - a)
        check_part(part, type("", (), {"cdf": lambda self, v: dist.cdf(np.where(v < 2 * tiny, tiny, v))
                                       * (v >= 0)})(), False, f"alpha {j}")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_dirichlet_at_the_edge(dtype):
    generator = Generator(1)
    for alpha in ([0.0, 0.0], [0.0, 1.0], [1.0], [np.nan, 1.0], [np.nan, 0.0], [1.0, np.nan, 0.0],
                  [0.0, 0.0, np.nan], [0.0, np.nan, 0.0], []):
        want = np.random.default_rng(1).dirichlet(alpha, 5)
        got = dirichlet(generator, np.array(alpha, float), (5,), dtype)
        assert got.shape == want.shape
        np.testing.assert_array_equal(got.numpy(), want.astype(dtype))
    tiny = 1e-310 if dtype == "float64" else 1e-44
    x = dirichlet(generator, [tiny, 3 * tiny], (20000,), dtype).numpy()
    assert ((x == 0) | (x == 1)).all() and (x.sum(1) == 1).all()
    assert stats.binomtest(int(x[:, 1].sum()), 20000, 0.75).pvalue > LEAST
    least = np.finfo(dtype).smallest_subnormal
    x = dirichlet(generator, np.array([least, 0]), (100,), dtype).numpy()
    assert (x == [1, 0]).all()
    with pytest.raises(ValueError):
        np.random.default_rng(1).dirichlet([-1, 1])
    x = dirichlet(generator, [[1.0, 2], [-1, 1], [3, 4]], dtype=dtype)
    check.refused(lambda: x.numpy(), gnd.ERROR_VALUE, "gnd_random_dirichlet", "alpha")
    assert (np.isnan(x.numpy()) == [[False] * 2, [True] * 2, [False] * 2]).all()


def test_dirichlet_broadcasts():
    alpha = np.array([[[1, 2, 3]], [[3, 2, 1]]])
    assert dirichlet(Generator(1), alpha).shape == (2, 1, 3)
    x = dirichlet(Generator(1), alpha, (5, 2, 4))
    assert x.shape == (5, 2, 4, 3)
    one = Generator(1)
    alone = np.array([dirichlet(one, alpha[i // 4 % 2, 0].astype(float)).numpy() for i in range(40)])
    np.testing.assert_array_equal(x.numpy().reshape(40, 3), alone)


def test_rows_of_other_generators():
    for kind in (gnd.XORWOW, gnd.MRG32K3A):
        x = dirichlet(Generator(1, kind=kind), [0.5, 2.0, 3.0], (20000,)).numpy()
        check_part(x[:, 0], stats.beta(0.5, 5), False, kind)
        x = multinomial(Generator(1, kind=kind), 100, [0.25, 0.75], (20000,)).numpy()
        check_part(x[:, 0], stats.binom(100, 0.25), True, kind)


def test_refused_rows():
    generator = Generator(1)
    many = (1,) * 64
    for call, code in [(lambda: multinomial(generator, 3, np.array(0.5)), gnd.ERROR_SHAPE),
                       (lambda: multinomial(generator, 3, np.ones(0)), gnd.ERROR_SHAPE),
                       (lambda: multinomial(generator, 3, np.ones((4, 2)), (3,)), gnd.ERROR_SHAPE),
                       (lambda: multinomial(generator, np.ones(3, int), np.ones((4, 2))), gnd.ERROR_SHAPE),
                       (lambda: multinomial(generator, 3, np.ones(2), many), gnd.ERROR_SHAPE),
                       (lambda: multinomial(generator, np.ones(3), np.ones(2)), gnd.ERROR_DTYPE),
                       (lambda: multinomial(generator, 3, np.ones(2, complex)), gnd.ERROR_DTYPE),
                       (lambda: multinomial(generator, None, np.ones(2)), gnd.ERROR_INVALID),
                       (lambda: multinomial(generator, 3, None), gnd.ERROR_INVALID),
                       (lambda: hypergeometric(generator, np.ones(2), 1), gnd.ERROR_DTYPE),
                       (lambda: hypergeometric(generator, np.array(1), 1), gnd.ERROR_SHAPE),
                       (lambda: dirichlet(generator, np.array(1.0)), gnd.ERROR_SHAPE),
                       (lambda: dirichlet(generator, np.ones(2), (3,), "float16"), gnd.ERROR_DTYPE),
                       (lambda: gnd.random_dirichlet(None, array([1.0]), (3,), None),
                        gnd.ERROR_INVALID)]:
        check.refused(call, code, "gnd_random_")
    # Nothing was used up.
    np.testing.assert_array_equal(dirichlet(generator, [1.0, 2.0], (3,)).numpy(),
                                  dirichlet(Generator(1), [1.0, 2.0], (3,)).numpy())
    assert multinomial(generator, 3, np.ones((0, 2))).shape == (0, 2)
    assert multinomial(generator, 3, [0.5, 0.5], (4, 0)).shape == (4, 0, 2)
    assert hypergeometric(generator, np.ones(0, int), 0, (3,)).shape == (3, 0)


# ---- multivariate normal ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["BY_SVD", "BY_EIGH", "BY_CHOLESKY"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("k", [1, 2, 5, 40])
def test_normal(method, dtype, k):
    a = g.standard_normal((k, k))
    cov, mean = a @ a.T + 0.1 * np.eye(k), 10 * g.standard_normal(k)
    x = normal(Generator(method, dtype, k), mean, cov, (4, 5000), dtype, method, check=True)
    assert x.dtype == dtype and x.shape == (4, 5000, k)
    x = x.numpy().reshape(20000, k).astype(float)
    white = np.linalg.solve(np.linalg.cholesky(cov), (x - mean).T)
    p = stats.kstest(white.ravel(), "norm").pvalue
    assert p > LEAST
    assert np.abs(white.mean(1)).max() < 6 / np.sqrt(20000)
    assert np.abs(np.cov(white) - np.eye(k)).max() < 6 * np.sqrt(2 / 20000)


def test_normal_of_a_singular_covariance():
    for method in ("BY_SVD", "BY_EIGH"):
        x = normal(Generator(1), [1, 2, 3], [[1, 1, 0], [1, 1, 0], [0, 0, 0]], (5000,), None, method,
                   check=True).numpy()
        np.testing.assert_allclose(x[:, 1] - 2, x[:, 0] - 1, atol=1e-7)
        np.testing.assert_allclose(x[:, 2], 3, atol=1e-7)
        assert stats.kstest(x[:, 0] - 1, "norm").pvalue > LEAST
    x = normal(Generator(1), [5.0, -5.0], np.zeros((2, 2)), (3,)).numpy()
    np.testing.assert_array_equal(x, [[5, -5]] * 3)


def test_normal_shapes_and_errors():
    eye = np.eye(2)
    generator = Generator(1)
    assert normal(generator, [0, 0], eye).shape == (2,)
    assert normal(generator, [0, 0], eye, ()).shape == (2,)
    assert normal(generator, [0, 0], eye, (3, 0)).shape == (3, 0, 2)
    assert normal(generator, np.zeros(0), np.zeros((0, 0)), (3,)).shape == (3, 0)
    assert gnd.random_multivariate_normal(generator.pointer, array([0, 0]), array(eye), (3,), None,
                                          "float32").dtype == "float32"
    strided = gnd.slice_text(gnd.from_numpy(np.kron(eye, np.ones((2, 2)))), "::2, ::-2")
    x = normal(Generator(2), [1, 2], strided, (5,))
    y = normal(Generator(2), [1, 2], [[0.0, 1], [1, 0]], (5,))
    np.testing.assert_array_equal(x.numpy(), y.numpy())
    for mean, cov in [([[0, 0]], eye), ([0], eye), ([0, 0], np.ones((2, 3))), ([0, 0], [1.0, 2])]:
        with pytest.raises(ValueError):
            np.random.default_rng(1).multivariate_normal(mean, cov)
        check.refused(lambda: normal(generator, mean, cov), gnd.ERROR_SHAPE, "multivariate_normal")
    check.refused(lambda: normal(generator, np.array([0j, 0]), eye), gnd.ERROR_DTYPE)
    check.refused(lambda: normal(generator, [0, 0], eye, dtype="float16"), gnd.ERROR_DTYPE)
    check.refused(lambda: normal(generator, None, eye), gnd.ERROR_INVALID, "mean")
    check.refused(lambda: normal(generator, [0, 0], None), gnd.ERROR_INVALID, "cov")
    check.refused(lambda: normal(generator, [0, 0], eye, (1,) * 64), gnd.ERROR_SHAPE)
    for tolerance in (-1.0, np.nan):
        check.refused(lambda: normal(generator, [0, 0], eye, tolerance=tolerance), gnd.ERROR_VALUE)


NO_COVARIANCE = {"negative": [[1, 2], [2, 1]], "indefinite": [[-1.0, 0], [0, 1]],
                 "not symmetric": [[1, 0.5], [0, 1]]}


@pytest.mark.parametrize("method", ["svd", "eigh", "cholesky"])
@pytest.mark.parametrize("kind", NO_COVARIANCE)
def test_normal_of_no_covariance(method, kind):
    """As NumPy with check_valid "raise" and "ignore"; eigh and cholesky look at one triangle alone."""
    cov, name = NO_COVARIANCE[kind], "BY_" + method.upper()
    generator = np.random.default_rng(1)
    if kind == "not symmetric" and method != "svd":
        assert np.isfinite(normal(Generator(1), [0, 0], cov, (3,), None, name, True).numpy()).all()
        return
    with pytest.raises((ValueError, np.linalg.LinAlgError)):
        generator.multivariate_normal([0, 0], cov, check_valid="raise", method=method)
    check.refused(lambda: normal(Generator(1), [0, 0], cov, (3,), None, name, True), gnd.ERROR_VALUE)
    if method == "cholesky":
        x = normal(Generator(1), [0, 0], cov, (3,), None, name)
        check.refused(lambda: x.numpy(), gnd.ERROR_VALUE, "not positive definite")
    else:
        assert np.isfinite(normal(Generator(1), [0, 0], cov, (3,), None, name).numpy()).all()


def test_tolerance_of_a_covariance():
    cov = [[1, 1e-3], [0, 1]]
    check.refused(lambda: normal(Generator(1), [0, 0], cov, check=True), gnd.ERROR_VALUE)
    normal(Generator(1), [0, 0], cov, check=True, tolerance=1e-2)
