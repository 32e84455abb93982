"""Distributions with their parameters, and what SciPy says of each: the cases of test_random_distributions.py."""

import numpy as np
from scipy import special, stats


class Zipf:
    """scipy.stats.zipf, whose distribution function sums up all that is below."""

    def __init__(self, a):
        self.a = a

    def cdf(self, k):
        return 1 - special.zeta(self.a, np.asarray(k, float) + 1) / special.zeta(self.a)

    def stats(self, moments):
        return stats.zipf(self.a).stats(moments)


class ZipfNearOne:
    """Chances proportional to 1 / k, as far as int64 goes. (NumPy's zipf has too few small numbers there.)"""

    def cdf(self, k):
        harmonic = special.digamma(np.asarray(k, float) + 1) + np.euler_gamma
        return harmonic / (special.digamma(2.0**63) + np.euler_gamma)

    def stats(self, moments):
        return np.full(4, np.inf)


class Rounded:
    """The nearest whole number, for counts that SciPy needs long for."""

    def __init__(self, dist):
        self.dist, self.stats = dist, dist.stats

    def cdf(self, k):
        return self.dist.cdf(np.floor(k) + 0.5)


def location_scale():
    for loc, scale in [(0, 1), (3, 2), (-5, 0.1)]:
        yield "laplace", (loc, scale), stats.laplace(loc, scale)
        yield "logistic", (loc, scale), stats.logistic(loc, scale)
        yield "gumbel", (loc, scale), stats.gumbel_r(loc, scale)
        yield "lognormal", (loc, scale), stats.lognorm(scale, scale=np.exp(loc))


def by_formula():
    for a in (0.1, 0.5, 1, 2.5, 30, 1e4):
        yield "pareto", (a,), stats.lomax(a)
        yield "power", (a,), stats.powerlaw(a)
        yield "weibull", (a,), stats.weibull_min(a)
    yield "power", (1e-3,), stats.powerlaw(1e-3)
    for scale in (1, 0.01, 500.0):
        yield "rayleigh", (scale,), stats.rayleigh(scale=scale)
    yield "standard_cauchy", (), stats.cauchy()
    for left, mode, right in [(0, 1, 2), (-1, -1, 5), (-3, 2, 2), (10, 10.5, 12)]:
        base = right - left
        yield "triangular", (left, mode, right), stats.triang((mode - left) / base, left, base)


def gamma_relatives():
    for k in (1e-4, 0.01, 0.3, 0.9, 1, 1.0001, 2, 10, 300, 1e5, 1e8):
        yield "standard_gamma", (k,), stats.gamma(k)
    yield "gamma", (2.5, 3.0), stats.gamma(2.5, scale=3)
    yield "gamma", (0.2, 0.5), stats.gamma(0.2, scale=0.5)
    for df in (0.01, 0.5, 1, 2, 3, 17, 1000):
        yield "chisquare", (df,), stats.chi2(df)
    for df in (0.1, 0.5, 1, 2, 3, 17, 1000):
        yield "standard_t", (df,), stats.t(df)
    for a, b in [(1e-3, 1e-3), (1e-3, 5), (0.1, 0.2), (0.5, 0.5), (0.5, 2), (1, 1), (1, 3), (2, 2),
                 (5, 1), (30, 70), (1e4, 2e4), (1e6, 3)]:
        yield "beta", (a, b), stats.beta(a, b)
    for n, d in [(1, 1), (0.5, 3), (2, 2), (3, 0.7), (10, 20), (100, 1000), (0.1, 0.1)]:
        yield "f", (n, d), stats.f(n, d)
    for mean, scale in [(1, 1), (0.1, 5), (10, 1), (1e4, 1), (1, 1e4), (3, 0.01), (1e-3, 1e-3)]:
        yield "wald", (mean, scale), stats.invgauss(mean / scale, scale=scale)
    for kappa in (0, 1e-20, 1e-12):
        yield "vonmises", (0, kappa), stats.uniform(-np.pi, 2 * np.pi)
    for kappa in (1e-6, 1e-3, 0.1, 1, 4, 30, 1e3):
        yield "vonmises", (0, kappa), stats.vonmises(kappa)
    for kappa in (1e6, 1e8, 1e10):
        yield "vonmises", (0, kappa), stats.norm(0, kappa**-0.5)


def noncentral():
    for df, nonc in [(1, 1), (0.5, 2), (0.5, 100), (0.2, 10), (1.5, 0.3), (3, 20), (1000, 50)]:
        yield "noncentral_chisquare", (df, nonc), stats.ncx2(df, nonc)
    for df in (0.5, 20):
        yield "noncentral_chisquare", (df, 0), stats.chi2(df)
    for n, d, nonc in [(3, 5, 2), (1, 8, 0.5), (0.7, 12, 3), (20, 30, 10)]:
        yield "noncentral_f", (n, d, nonc), stats.ncf(n, d, nonc)


def counts():
    for lam in (1e-8, 1e-3, 0.1, 1, 5, 9.99, 20, 29.99, 30, 30.01, 50, 100, 1000, 1e5, 1e8, 1e12, 1e15):
        yield "poisson", (lam,), stats.poisson(lam)
    for n, p in [(1, 0.5), (5, 0.01), (10, 0.3), (10, 0.7), (20, 0.5), (30, 0.5), (100, 0.299),
                 (100, 0.301), (100, 0.9), (1000, 0.2), (10**6, 1e-6), (10**6, 0.5), (10**9, 0.3),
                 (10**12, 0.7), (10**15, 1e-15), (10**15, 1e-14), (10**15, 1e-13)]:
        yield "binomial", (n, p), stats.binom(n, p)
    for n, p in [(10**15, 0.5), (2**53, 0.25)]:
        yield "binomial", (n, p), Rounded(stats.norm(n * p, np.sqrt(n * p * (1 - p))))
    for n, p in [(1, 0.5), (0.5, 0.5), (3, 0.01), (10, 0.9), (100, 0.5), (1000, 1e-3), (0.01, 0.1)]:
        yield "negative_binomial", (n, p), stats.nbinom(n, p)


def other_counts():
    for p in (1e-6, 0.01, 0.2, 0.33, 0.34, 0.5, 0.9, 0.999):
        yield "geometric", (p,), stats.geom(p)
    for good, bad, n in [(5, 5, 3), (5, 5, 5), (5, 5, 8), (10, 20, 10), (10, 20, 11), (10, 20, 15),
                         (10, 20, 22), (20, 10, 15), (100, 50, 60), (1000, 1000, 500),
                         (50, 10**6, 10**5), (10**6, 50, 10**5), (10**6, 50, 10**6),
                         (10**8, 2 * 10**8, 10**6), (3, 10**9 - 1, 10**8)]:
        yield "hypergeometric", (good, bad, n), stats.hypergeom(good + bad, good, n)
    half = 999999999
    yield "hypergeometric", (half, half, half), Rounded(stats.norm(half / 2, np.sqrt(half / 8)))
    for p in (1e-6, 0.01, 0.3, 0.7, 0.99, 0.99999):
        yield "logseries", (p,), stats.logser(p)
    for a in (1.5, 2, 2.5, 4, 10, 30):
        yield "zipf", (a,), Zipf(a)
    for a in (1 + 1e-10, 1 + 1e-7):
        yield "zipf", (a,), ZipfNearOne()


CONTINUOUS = [*location_scale(), *by_formula(), *gamma_relatives(), *noncentral()]
DISCRETE = [*counts(), *other_counts()]

# Intervals that results are in, of the parameters; None: no bound.
INTERVALS = {
    "lognormal": lambda *p: (0, None), "pareto": lambda *p: (0, None), "power": lambda *p: (0, 1),
    "rayleigh": lambda *p: (0, None), "weibull": lambda *p: (0, None),
    "triangular": lambda left, mode, right: (left, right), "standard_gamma": lambda *p: (0, None),
    "gamma": lambda *p: (0, None), "chisquare": lambda *p: (0, None), "beta": lambda *p: (0, 1),
    "f": lambda *p: (0, None), "wald": lambda *p: (0, None),
    "vonmises": lambda *p: (-np.pi, np.pi), "noncentral_chisquare": lambda *p: (0, None),
    "noncentral_f": lambda *p: (0, None), "poisson": lambda *p: (0, 2**63 - 1),
    "binomial": lambda n, p: (0, n), "negative_binomial": lambda *p: (0, 2**63 - 1),
    "geometric": lambda *p: (1, 2**63 - 1), "logseries": lambda *p: (1, 2**63 - 1),
    "zipf": lambda *p: (1, 2**63 - 1),
    "hypergeometric": lambda good, bad, n: (max(0, n - bad), min(good, n)),
}

# Parameters that leave one value, or one that needs no luck: what NumPy gives is given.
CERTAIN = [
    ("laplace", (3, 0)), ("logistic", (3, 0)), ("gumbel", (-2.5, 0)), ("lognormal", (0, 0)),
    ("lognormal", (np.nan, 1)), ("laplace", (np.nan, 1)), ("laplace", (0, np.nan)),
    ("gumbel", (0, np.nan)), ("logistic", (0, np.nan)), ("rayleigh", (0,)), ("rayleigh", (np.nan,)),
    ("weibull", (0,)), ("weibull", (np.inf,)), ("weibull", (np.nan,)), ("power", (np.inf,)),
    ("power", (np.nan,)), ("pareto", (np.inf,)), ("pareto", (np.nan,)),
    ("triangular", (np.nan, 1, 1)), ("triangular", (0, np.nan, 1)), ("triangular", (0, 1, np.nan)),
    ("standard_gamma", (0,)), ("standard_gamma", (np.nan,)), ("standard_gamma", (np.inf,)),
    ("gamma", (0, 1)), ("gamma", (1, 0)), ("gamma", (np.nan, 1)), ("gamma", (1, np.nan)),
    ("chisquare", (np.nan,)), ("noncentral_chisquare", (1, np.nan)),
    ("noncentral_chisquare", (0.5, np.nan)), ("noncentral_chisquare", (np.nan, 1)),
    ("noncentral_f", (3, 5, np.nan)), ("noncentral_f", (3, np.nan, 1)), ("beta", (np.nan, 1)),
    ("beta", (1, np.nan)), ("f", (np.nan, 1)), ("f", (1, np.nan)), ("standard_t", (np.nan,)),
    ("wald", (np.nan, 1)), ("wald", (1, np.nan)), ("wald", (1, np.inf)),
    ("vonmises", (0, np.nan)), ("vonmises", (np.nan, 1)), ("vonmises", (0, np.inf)),
    ("vonmises", (np.inf, 1)), ("poisson", (0,)), ("poisson", (-0.0,)), ("binomial", (0, 0.5)),
    ("binomial", (10, 0)), ("binomial", (10, -0.0)), ("binomial", (10, 1)), ("binomial", (0, 0)),
    ("binomial", (2**62 + 1, 1)), ("binomial", (2**63 - 1, 1)), ("negative_binomial", (1, 1)),
    ("negative_binomial", (np.inf, 1)), ("geometric", (1,)), ("geometric", (1e-300,)),
    ("hypergeometric", (0, 5, 3)), ("hypergeometric", (5, 0, 3)), ("hypergeometric", (5, 4, 9)),
    ("hypergeometric", (5, 4, 0)), ("hypergeometric", (0, 0, 0)), ("hypergeometric", (0, 30, 12)),
    ("hypergeometric", (30, 0, 12)), ("hypergeometric", (30, 30, 60)), ("logseries", (0,)),
    ("logseries", (-0.0,)), ("zipf", (np.inf,)), ("zipf", (1e4,)),
]

# Parameters that NumPy refuses.
REFUSED = [
    ("laplace", (0, -1)), ("laplace", (0, -0.0)), ("logistic", (0, -1)), ("gumbel", (0, -1)),
    ("lognormal", (0, -1)), ("lognormal", (0, -np.inf)), ("rayleigh", (-1,)), ("rayleigh", (-0.0,)),
    ("weibull", (-1,)), ("weibull", (-0.0,)), ("power", (0,)), ("power", (-1,)), ("pareto", (0,)),
    ("pareto", (-2,)), ("triangular", (0, 0, 0)), ("triangular", (1, 0, 2)),
    ("triangular", (0, 3, 2)), ("standard_gamma", (-1,)), ("standard_gamma", (-0.0,)),
    ("gamma", (-1, 1)), ("gamma", (1, -1)), ("chisquare", (0,)), ("chisquare", (-1,)),
    ("noncentral_chisquare", (0, 1)), ("noncentral_chisquare", (1, -1)),
    ("noncentral_chisquare", (1, -0.0)), ("noncentral_f", (0, 1, 1)), ("noncentral_f", (1, 0, 1)),
    ("noncentral_f", (1, 1, -1)), ("beta", (0, 1)), ("beta", (1, 0)), ("beta", (-1, 1)),
    ("f", (0, 1)), ("f", (1, -1)), ("standard_t", (0,)), ("standard_t", (-1,)), ("wald", (0, 1)),
    ("wald", (1, 0)), ("wald", (1, -2)), ("vonmises", (0, -1)), ("vonmises", (0, -0.0)),
    ("poisson", (-1,)), ("poisson", (np.nan,)), ("poisson", (1e19,)), ("poisson", (np.inf,)),
    ("binomial", (-1, 0.5)), ("binomial", (10, -0.1)), ("binomial", (10, 1.1)),
    ("binomial", (10, np.nan)), ("negative_binomial", (0, 0.5)), ("negative_binomial", (-1, 0.5)),
    ("negative_binomial", (1, 0)), ("negative_binomial", (1, 1.5)),
    ("negative_binomial", (1e300, 0.5)), ("negative_binomial", (np.nan, 0.5)),
    ("negative_binomial", (1, np.nan)), ("negative_binomial", (np.inf, 0.5)),
    ("negative_binomial", (1, 1e-300)), ("geometric", (0,)), ("geometric", (-1,)),
    ("geometric", (1.5,)), ("geometric", (np.nan,)), ("hypergeometric", (-1, 3, 0)),
    ("hypergeometric", (3, -1, 0)), ("hypergeometric", (3, 4, -1)), ("hypergeometric", (3, 4, 8)),
    ("hypergeometric", (10**9, 3, 3)), ("hypergeometric", (3, 10**9, 3)), ("logseries", (1,)),
    ("logseries", (-0.1,)), ("logseries", (np.nan,)), ("zipf", (1,)), ("zipf", (0.5,)),
    ("zipf", (np.nan,)),
]
