"""The distributions of gnd/random_distributions.h against SciPy's distribution functions and moments, and
against what NumPy does with parameters at the edge. Seeds are fixed: what passes, passes always."""

import zlib

import numpy as np
import pytest
from scipy import stats

import check
import dtypes
import gnd
from random_cases import CERTAIN, CONTINUOUS, DISCRETE, INTERVALS, REFUSED

g = np.random.default_rng(0)

NAMES = sorted({name for name, _, _ in CONTINUOUS + DISCRETE})
WHOLE = {name for name, _, _ in DISCRETE}
# Which parameters are whole numbers.
INTEGERS = {"binomial": (0,), "hypergeometric": (0, 1, 2)}
SAMPLE = 20000
LEAST = 1e-4  # the p-value below which a test fails


class Generator:
    """A generator that is given back when it dies."""

    def __init__(self, *seed, kind=gnd.PHILOX):
        number = zlib.crc32(repr(seed).encode())
        self.pointer = gnd.random_new(kind, number)

    def __del__(self):
        gnd.random_release(self.pointer)

    def __call__(self, name, parameters, shape=None, dtype=None):
        """A draw; parameters are numbers or NumPy arrays or Arrays."""
        given = [gnd.from_numpy(p) if isinstance(p, np.ndarray) else p for p in parameters]
        call = getattr(gnd, "random_" + name)
        if shape is None:
            shape = gnd.shape(())
            shape.ndim = -1
        return call(self.pointer, *given, shape, *(() if name in WHOLE else (dtype,)))


def label(case):
    return "-".join([case[0], *(f"{p:g}" for p in case[1])])


def seed_of(case, *more):
    return (case[0], *map(float, case[1]), *more)


# ---- distributions ----------------------------------------------------------------------------------------


def distance(x, cdf, discrete):
    """The Kolmogorov-Smirnov statistic of a sample that may have ties, of values rounded to their dtype; for
    discrete ones the p-value is too large, never too small."""
    values, count = np.unique(x, return_counts=True)
    above = np.cumsum(count) / x.size
    below = above - count / x.size
    if discrete:
        # 2^53 and more: what is drawn is rounded.
        gap = np.maximum(1, np.spacing(values.astype(float)))
        low, high = cdf(values - gap), cdf(values.astype(float))
    else:
        low = cdf(np.nextafter(values, -np.inf, dtype=values.dtype).astype(float))
        high = cdf(np.nextafter(values, np.inf, dtype=values.dtype).astype(float))
    return max(np.max(above - high), np.max(low - below), 0)


def moments(dist):
    """Mean, variance, skewness and excess. SciPy integrates von Mises's by inverting the distribution function at each
    point, which takes seconds: here the density is summed."""
    if getattr(getattr(dist, "dist", None), "name", "") != "vonmises":
        return dist.stats(moments="mvsk")
    x = np.linspace(-np.pi, np.pi, 100_001)
    p = dist.pdf(x) / dist.pdf(x).sum()
    variance = (p * x**2).sum()
    return 0.0, variance, 0.0, (p * x**4).sum() / variance**2 - 3


def check_sample(x, dist, discrete, context):
    """Kolmogorov-Smirnov and, where there are such, mean and variance."""
    assert not np.isnan(x.astype(float)).any(), context
    if not discrete:
        tiny = np.finfo(x.dtype).tiny  # subnormal numbers are neither gnd's nor SciPy's strength
        x = np.where(np.abs(x) < tiny, x.dtype.type(0), x)
        span = np.finfo(x.dtype).max
        cdf = lambda v: dist.cdf(np.where(np.abs(v) < 2 * tiny, np.sign(v) * tiny,
                                          np.clip(v, -span, span)))
    else:
        cdf = dist.cdf
    p = stats.kstwo.sf(distance(x, cdf, discrete), x.size)
    assert p > LEAST, f"{context}: p-value {p} of Kolmogorov-Smirnov"
    mean, variance, skew, excess = (float(np.nan_to_num(m, nan=np.inf))
                                    for m in moments(dist))
    x = x.astype(float)
    if np.isfinite(variance) and variance > 0 and abs(skew) < 20:
        z = (x.mean() - mean) / np.sqrt(variance / x.size)
        # What the mean is rounded to counts, too.
        assert abs(z) < 5 + 1e-7 * abs(mean) / np.sqrt(variance / x.size), f"{context}: mean, z = {z}"
        if np.isfinite(excess) and -1.99 < excess < 100:
            z = (x.var() / variance - 1) / np.sqrt((excess + 2) / x.size)
            assert abs(z) < 5, f"{context}: variance, z = {z}"


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CONTINUOUS, ids=label)
def test_continuous(case, dtype):
    name, parameters, dist = case
    x = Generator(seed_of(case, dtype))(name, parameters, (SAMPLE,), dtype)
    assert x.dtype == dtype and x.shape == (SAMPLE,)
    check_sample(x.numpy(), dist, False, label(case))


@pytest.mark.parametrize("case", DISCRETE, ids=label)
def test_discrete(case):
    name, parameters, dist = case
    x = Generator(seed_of(case))(name, parameters, (SAMPLE,))
    assert x.dtype == "int64" and x.shape == (SAMPLE,)
    x = x.numpy()
    check_sample(x, dist, True, label(case))
    # Chi-square over groups of counts of at least 20 expected each.
    values = np.unique(x)
    if values.size > 2000:
        values = values[np.linspace(0, values.size - 1, 60).astype(int)]
    bound = dist.cdf(values.astype(float)) * SAMPLE
    edges, last = [], 0.0
    for value, expected in zip(values, bound):
        if expected - last >= 20 and SAMPLE - expected >= 20:
            edges.append(value)
            last = expected
    if not edges:
        return
    expected = np.diff(np.concatenate([[0], dist.cdf(np.array(edges, float)), [1]])) * SAMPLE
    counted = np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1)
    p = stats.chi2.sf(((counted - expected)**2 / expected).sum(), len(edges))
    assert p > LEAST, f"{label(case)}: p-value {p} of chi-square"


@pytest.mark.parametrize("kind", ["XORWOW", "MRG32K3A"])
@pytest.mark.parametrize("case", [c for c in CONTINUOUS + DISCRETE if label(c) in {
    "laplace-0-1", "standard_gamma-0.3", "beta-0.5-2", "vonmises-0-4", "poisson-5", "poisson-100",
    "binomial-1000-0.2", "hypergeometric-100-50-60", "zipf-2", "logseries-0.7"}], ids=label)
def test_other_generators(case, kind):
    name, parameters, dist = case
    x = Generator(seed_of(case), kind=getattr(gnd, kind))(name, parameters, (SAMPLE,), "float64")
    check_sample(x.numpy(), dist, name in WHOLE, label(case))


@pytest.mark.parametrize("case", [("poisson", (9.2e18,)), ("binomial", (2**63 - 1, 0.5)),
                                  ("binomial", (2**62, 0.9)), ("negative_binomial", (1e15, 1e-3)),
                                  ("geometric", (1e-17,)), ("logseries", (1 - 2**-53,)),
                                  ("gamma", (1e30, 1)), ("standard_t", (np.inf,)),
                                  ("vonmises", (100, 0)), ("vonmises", (1e20, 3)),
                                  ("beta", (1e-310, 1e-310)), ("f", (1e-5, 1e-5)),
                                  ("f", (1e-310, 1e-310)), ("f", (1e-300, 1e300)), ("f", (1e300, 1e-300)),
                                  ("noncentral_f", (1e-300, 1e300, 1)), ("noncentral_f", (1e-300, 2, 1e-8)),
                                  ("noncentral_f", (1e300, 1e-300, 1)), ("noncentral_f", (1e-310, 1e-310, 1)),
                                  ("noncentral_f", (0.5, 3, np.inf)),
                                  ("noncentral_chisquare", (0.5, np.inf)),
                                  ("noncentral_chisquare", (3, np.inf))], ids=label)
def test_extreme_parameters(case):
    """In the interval, a number, and distributed as NumPy's."""
    name, parameters = case
    x = Generator(case)(name, parameters, (SAMPLE,), "float64").numpy()
    assert not np.isnan(x.astype(float)).any()
    low, high = INTERVALS.get(name, lambda *p: (None, None))(*parameters)
    assert (low is None or x.min() >= low) and (high is None or x.max() <= high)
    if np.inf in parameters and name != "standard_t":
        assert (x == np.inf).all()
    elif name not in ("f", "noncentral_f", "standard_t") and parameters != (1e20, 3):  # where NumPy's are NaN
        want = getattr(np.random.default_rng(1), name)(*parameters, SAMPLE)
        assert stats.ks_2samp(x.astype(float), want.astype(float)).pvalue > LEAST


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", sorted(INTERVALS))
def test_interval(name, dtype):
    """Nothing is outside, whatever rounding does, and nothing is NaN."""
    cases = [c[1] for c in CONTINUOUS + DISCRETE if c[0] == name]
    cases += {"vonmises": [(3.14159, 5), (-np.pi, 0.1), (np.pi, 30), (100.0, 2), (1e30, 0.5)],
              "triangular": [(1, 1 + 1e-6, 1 + 2e-6), (-1e30, 0, 1e30), (1 / 3, 1 / 3, 0.7),
                             (0, 1e-40, 1e-40)] if dtype == "float64" else [(1 / 3, 1 / 3, 0.7)],
              "wald": [(1e15, 1e-15), (1e-15, 1e15)], "power": [(1e-30,)], "pareto": [(1e-30,)],
              "weibull": [(1e-30,), (1e30,)]}.get(name, [])
    for parameters in cases:
        low, high = INTERVALS[name](*parameters)
        x = Generator(name, parameters)(name, parameters, (100000,), dtype).numpy()
        if dtype == "float32" and name == "triangular":
            low, high = np.float32(low), np.float32(high)
        assert not np.isnan(x.astype(float)).any(), parameters
        assert x.min() >= low, f"{parameters}: {x.min()!r} below {low!r}"
        if high is not None:
            limit = x.max() if name in WHOLE else float(x.max())
            assert limit <= high, f"{parameters}: {x.max()!r} above {high!r}"


ONE_NUMBER = ["laplace", "logistic", "gumbel", "lognormal", "pareto", "power", "rayleigh", "weibull",
              "standard_cauchy", "triangular", "geometric"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ONE_NUMBER)
def test_one_number_an_element(name, dtype):
    """They rise with the uniform number of the same words, and so keep a quasi-random sequence one."""
    name, parameters, dist = next(c for c in CONTINUOUS + DISCRETE if c[0] == name
                                  and c[1] not in [(a,) for a in (0.1, 0.5, 1, 1e-6)])
    dtype = "float64" if name in WHOLE else dtype
    uniform = Generator(7)("random", (), (SAMPLE,), dtype).numpy()
    x = Generator(7)(name, parameters, (SAMPLE,), dtype).numpy()
    order = np.argsort(uniform, kind="stable")
    steps = np.diff(x[order].astype(float))
    # Neighbours that are nearly the same may change places by rounding.
    assert (steps >= -100 * np.finfo(dtype).eps * np.abs(x[order][1:])).all()
    sobol = gnd.random_new_sobol(1, True, 5)
    try:
        call = getattr(gnd, "random_" + name)
        x = call(sobol, *parameters, (4096, 1), *(() if name in WHOLE else (dtype,))).numpy()
    finally:
        gnd.random_release(sobol)
    assert distance(x.ravel(), dist.cdf, name in WHOLE) < 8 / 4096


def assert_agree(got, want):
    """The same, whichever kernel made them. On a GPU another kernel may round a product and sum once or twice."""
    if gnd.current_device().kind != gnd.GPU or want.dtype.kind == "i":
        np.testing.assert_array_equal(got, want)
        return
    rtol = 1e-3 if want.dtype == np.float32 else 1e-10
    np.testing.assert_allclose(got, want, rtol=rtol, atol=rtol / 100 * np.median(np.abs(want)))


# ---- parameters -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CERTAIN, ids=label)
def test_certain(case):
    name, parameters = case
    with np.errstate(all="ignore"):
        want = getattr(np.random.default_rng(1), name)(*parameters, 7)
    for dtype in ["float64"] if name in WHOLE else ["float32", "float64"]:
        got = Generator(case)(name, parameters, (7,), dtype).numpy()
        np.testing.assert_array_equal(got, want.astype(got.dtype))
        arrays = [array_of(name, k, p) for k, p in enumerate(parameters)]
        got = Generator(case)(name, arrays, (7,), dtype).numpy()
        np.testing.assert_array_equal(got, want.astype(got.dtype))


def array_of(name, k, value, shape=()):
    """A parameter as an array of a dtype that it is taken in."""
    return np.full(shape, value, np.int64 if k in INTEGERS.get(name, ()) else np.float64)


@pytest.mark.parametrize("case", REFUSED, ids=label)
def test_refused(case):
    """At once as numbers; as arrays at the next wait, where only the element concerned is NaN or 0."""
    name, parameters = case
    with pytest.raises(ValueError):
        getattr(np.random.default_rng(1), name)(*parameters)
    generator = Generator(case)
    check.refused(lambda: generator(name, parameters, (3,)), gnd.ERROR_VALUE, "gnd_random_" + name)
    good = next(c[1] for c in CONTINUOUS + DISCRETE if c[0] == name)
    arrays = []
    for k, (value, fine) in enumerate(zip(parameters, good)):
        arrays.append(array_of(name, k, fine, (5,)))
        arrays[-1][3] = value
    x = generator(name, arrays)
    check.refused(lambda: x.numpy(), gnd.ERROR_VALUE, "gnd_random_" + name)
    x = x.numpy()
    if name in WHOLE:
        assert x[3] == 0
    else:
        assert np.isnan(x[3]) and not np.isnan(np.delete(x, 3)).any()


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_as_numbers(name):
    """An element depends on its number and parameters alone: arrays of any layout and dtype that hold a
    number give what the number gives; a draw may be cut in two."""
    parameters = next(c[1] for c in reversed(CONTINUOUS + DISCRETE) if c[0] == name)
    for dtype in ["float64"] if name in WHOLE else ["float32", "float64"]:
        want = Generator(name)(name, parameters, (6, 10), dtype).numpy()
        generator = Generator(name)
        first = generator(name, parameters, (23,), dtype).numpy()
        second = generator(name, parameters, (37,), dtype).numpy()
        np.testing.assert_array_equal(np.concatenate([first, second]), want.ravel())
        for shape in [(6, 10), (1, 10), (6, 1), (10,), ()]:
            arrays = [array_of(name, k, p, shape) for k, p in enumerate(parameters)]
            got = Generator(name)(name, arrays, (6, 10), dtype)
            assert_agree(got.numpy(), want)
        for k, p in enumerate(parameters):
            some = list(parameters)
            some[k] = array_of(name, k, p, (10,))
            got = Generator(name)(name, some, (6, 10), dtype)
            assert_agree(got.numpy(), want)


LAYOUTS = [lambda x: x, lambda x: x[::-1], lambda x: x.T.copy().T, lambda x: x[:, ::-1],
           lambda x: np.repeat(np.repeat(x, 2, 0), 3, 1)[::2, 1::3]]


@pytest.mark.parametrize("name", [n for n in NAMES if n != "standard_cauchy"])
def test_parameters_of_any_layout(name):
    """Each element has its own parameters, wherever they lie."""
    cases = [c[1] for c in CONTINUOUS + DISCRETE if c[0] == name]
    shape = (5, 7)
    picked = g.integers(0, len(cases), shape)
    values = [np.array([[cases[i][k] for i in row] for row in picked],
                       np.int64 if k in INTEGERS.get(name, ()) else np.float64)
              for k in range(len(cases[0]))]
    want = Generator(name)(name, values, shape, "float64").numpy()
    one = Generator(name)
    for i, at in enumerate(picked.ravel()):
        alone = one(name, cases[at], (1,), "float64").numpy()[0]
        assert_agree(alone, want.ravel()[i])
    for _ in range(3):
        views = []
        for x in values:
            layout = LAYOUTS[g.integers(len(LAYOUTS))]
            base = np.empty((10, 21), x.dtype)
            rows, columns = g.permutation(2)
            if rows:
                base[1::2, ::3] = x
                views.append(gnd.slice_text(gnd.from_numpy(base), "1::2, ::3"))
            elif columns:
                views.append(gnd.slice_text(gnd.from_numpy(x[::-1, ::-1].copy()), "::-1, ::-1"))
            else:
                views.append(gnd.from_numpy(layout(x)))
        np.testing.assert_array_equal(Generator(name)(name, views, shape, "float64").numpy(), want)
        transposed = [gnd.permute(gnd.from_numpy(x.T.copy()), gnd.axes((1, 0))) for x in values]
        np.testing.assert_array_equal(Generator(name)(name, transposed, None, "float64").numpy(), want)


def test_parameters_of_any_dtype():
    want = Generator(1)("gamma", (np.array([1.0, 2.0, 3.0]), 2), (4, 3)).numpy()
    for dtype in ("int8", "uint8", "int64", "float16", "bfloat16", "float32", "float64"):
        k = np.array([1.0, 2.0, 3.0])
        k = gnd.from_numpy(dtypes.to_bfloat16(k) if dtype == "bfloat16" else k.astype(dtype))
        np.testing.assert_array_equal(Generator(1)("gamma", (k, 2), (4, 3)).numpy(), want)
    want = Generator(1)("binomial", (np.array([1, 20, 100]), 0.5), (4, 3)).numpy()
    for dtype in ("int8", "uint8", "int32", "uint32", "int64", "uint64"):
        n = gnd.from_numpy(np.array([1, 20, 100]).astype(dtype))
        np.testing.assert_array_equal(Generator(1)("binomial", (n, 0.5), (4, 3)).numpy(), want)
    ones = Generator(2)("gamma", (1, 1), (5,)).numpy()
    assert_agree(Generator(2)("gamma", (True, np.array(True)), (5,)).numpy(), ones)


def test_dtypes_that_are_refused():
    generator = Generator(1)
    for name, parameters in [("gamma", (1j, 1)), ("gamma", (np.array([1j]), 1)), ("poisson", (1j,)),
                             ("binomial", (np.array([3.0]), 0.5)),
                             ("hypergeometric", (3, np.array([3.0]), 2))]:
        with pytest.raises(TypeError):
            getattr(np.random.default_rng(1), name)(*parameters)
        check.refused(lambda: generator(name, parameters, (1,)), gnd.ERROR_DTYPE, "gnd_random_" + name)
    for dtype in ("int32", "float16", "complex64"):
        check.refused(lambda: generator("gamma", (1, 1), (3,), dtype), gnd.ERROR_DTYPE, dtype)


def test_shapes():
    generator = Generator(1)
    assert generator("gamma", (2, 1)).shape == ()
    assert generator("poisson", (np.ones((3, 1)),)).shape == (3, 1)
    assert generator("gamma", (np.ones((3, 1)), np.ones(4))).shape == (3, 4)
    assert generator("gamma", (np.ones((3, 1)), np.ones(4)), (2, 3, 4)).shape == (2, 3, 4)
    assert generator("gamma", (np.ones((3, 0)), 1)).shape == (3, 0)
    assert generator("zipf", (2,), (0, 5)).shape == (0, 5)
    assert generator("triangular", (np.zeros((2, 1, 1)), np.ones((3, 1)), np.full(4, 2.0)),
                     (5, 2, 3, 4)).shape == (5, 2, 3, 4)
    for parameters, shape in [((np.ones(3), np.ones(4)), None), ((np.ones(2), 1), (3,)),
                              ((np.ones(2), 1), (2, 3)), ((np.ones(2), 1), (1,))]:
        with pytest.raises(ValueError):
            np.random.default_rng(1).gamma(*parameters, shape)
        check.refused(lambda: generator("gamma", parameters, shape), gnd.ERROR_SHAPE,
                      "gnd_random_gamma")
    check.refused(lambda: gnd.random_gamma(None, 1, 1, (3,), None), gnd.ERROR_INVALID)
