"""What each row of special.def must give: arguments, the function in mpmath, and how close float64 comes.

A Case has for each argument where random numbers come from, hard points beside them, the true function (None: SciPy's
alone), the greatest error in units in the last place of float64, and what those units are of: the value, or the larger
of it and `scale(*args)`, where a function has zeros that no method reaches with all digits.
"""

from collections import namedtuple

import mpmath
from mpmath import mp, mpf
import numpy as np
import scipy.special

Case = namedtuple("Case", "name arguments points true ulp scale scipy rtol edges digits")
INF, NAN = np.inf, np.nan
EDGES = [-INF, -2.5, -2.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.0, 3.5, INF, NAN]
FINITE = [x for x in EDGES if np.abs(x) != INF]


def log(low, high):
    """Sizes whose logarithms are spread evenly."""
    return lambda g, n: np.exp(g.uniform(np.log(low), np.log(high), n))


def both(low, high):
    return lambda g, n: np.where(g.random(n) < 0.5, -1, 1) * np.exp(g.uniform(np.log(low), np.log(high), n))


def uniform(low, high):
    return lambda g, n: g.uniform(low, high, n)


def whole(low, high):
    return lambda g, n: g.integers(low, high, n, endpoint=True).astype("float64")


def case(name, arguments, true, ulp, points=(), scale=None, scipy_function=None, rtol=1e-11, edges=EDGES, digits=60):
    """`digits`: those that mpmath computes with; `edges`: values at which gnd must do what SciPy does, for each
    argument alike, or a list for each."""
    arguments = arguments if isinstance(arguments, tuple) else (arguments,)
    points = [p if isinstance(p, tuple) else (p,) for p in points]
    edges = edges if isinstance(edges, tuple) else (edges,) * len(arguments)
    return Case(
        name,
        arguments,
        points,
        true,
        ulp,
        scale,
        scipy_function or getattr(scipy.special, name, None),
        rtol,
        edges,
        digits,
    )


def _log1p(x):
    return mp.log(1 + x)


def _boxcox(log_x, y):
    return log_x if y == 0 else mp.expm1(y * log_x) / y


def _power_of(logarithm):
    """A power's error grows with its exponent."""
    return lambda x, y: np.exp(y * logarithm(x)) * (1 + abs(y * logarithm(x))) / max(abs(y), 1e-300) if y else 0


def _degrees(function):
    return lambda x: function(mp.pi * x / 180)


def _pseudo_huber(d, r):
    return d * d * (mp.sqrt(1 + (r / d) ** 2) - 1)


def _kl(x, y):
    return x * mp.log(x / y) - x + y


SIMPLE = [
    case("expit", uniform(-50, 50), lambda x: 1 / (1 + mp.exp(-x)), 3, [-745.0, -708.5, 800.0, 1e-300]),
    case("log_expit", uniform(-50, 50), lambda x: -mp.log(1 + mp.exp(-x)), 3, [-1e300, 36.0, 700.0, 1e-20]),
    case("logit", uniform(0, 1), lambda x: mp.log(x / (1 - x)), 4, [1e-310, 0.4999999, 0.5000001, 1 - 2**-53, 0.3]),
    case("xlogy", (both(1e-5, 1e5), log(1e-300, 1e300)), lambda x, y: x * mp.log(y), 2, [(1e-310, 3.0), (3.0,
         5e-324)]),
    case("xlog1py", (both(1e-5, 1e5), log(1e-300, 1e300)), lambda x, y: x * _log1p(y), 2, [(2.0, -1e-20)]),
    case("entr", log(1e-300, 1e300), lambda x: -x * mp.log(x), 2, [5e-324, 1 + 2**-52]),
    case("rel_entr", (log(1e-3, 1e3), log(1e-3, 1e3)), lambda x, y: x * mp.log(x / y), 4, [(1.0, 1 + 2**-52), (1e-300,
         1e300), (1e300, 1e-300), (0.7, 0.70001), (5e-324, 1.0)]),
    case("kl_div", (log(1e-3, 1e3), log(1e-3, 1e3)), _kl, 16, [(1.0, 1.0001), (0.7, 0.70001), (1e-300, 1.0)],
         rtol=1e-7),
    case("huber", (log(1e-3, 1e3), both(1e-3, 1e3)), lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2),
         2),
    case("pseudo_huber", (log(1e-3, 1e3), both(1e-3, 1e3)), _pseudo_huber, 4, [(1.0, 1e-12), (1e150, 1.0), (1.0,
         1e300)], rtol=1e-4),
    case("exp10", uniform(-300, 300), lambda x: mpf(10) ** x, 2, [308.2, -320.0]),
    case("exprel", uniform(-50, 50), lambda x: mp.expm1(x) / x, 3, [1e-17, 1e-8, 709.9, 715.0, -1e300]),
    case("cosm1", both(1e-10, 1e3), lambda x: -2 * mp.sin(x / 2) ** 2, 4, [1e-160, 2 * np.pi]),
    case("boxcox", (log(1e-5, 1e5), both(1e-3, 10)), lambda x, y: _boxcox(mp.log(x), y), 6, scale=_power_of(np.log),
         points=[(2.0, 1e-15), (1e300, 1.02), (1e-300, -1.02), (1 + 2**-52, 0.5), (3.0, 0.0)]),
    case("boxcox1p", (log(1e-5, 1e5), both(1e-3, 10)), lambda x, y: _boxcox(_log1p(x), y), 6,
         scale=_power_of(np.log1p), points=[(1e-20, 2.0), (1e-300, 3.0), (3.0, 0.0)]),
    case("inv_boxcox", (uniform(0, 3), log(1e-3, 3)), lambda x, y: mp.exp(_log1p(x * y) / y if y else x), 12, [(1.0,
         1e-12), (-0.5, 0.3), (2.0, 0.0)]),
    case("inv_boxcox1p", (uniform(0, 3), log(1e-3, 3)), lambda x, y: mp.expm1(_log1p(x * y) / y if y else x), 12,
         [(1e-20, 1.0), (2.0, 0.0), (1e-300, 2.0)]),
    case("radian", (uniform(0, 360), uniform(0, 60), uniform(0, 60)), lambda d, m, s: mp.pi / 180 * (d + m / 60 + s /
         3600), 4),
    case("cosdg", uniform(-1000, 1000), _degrees(mp.cos), 2, [90.000001, 60.0, 3.6e10 + 45], edges=EDGES + [90.0,
         270.0]),
    case("sindg", uniform(-1000, 1000), _degrees(mp.sin), 2, [180.000001, 30.0, 1e-300], edges=EDGES + [180.0,
         -180.0]),
    case("tandg", uniform(-1000, 1000), _degrees(mp.tan), 4, [89.999999, 44.0], edges=EDGES + [90.0, -90.0, 45.0,
         135.0]),
    case("cotdg", uniform(-1000, 1000), _degrees(mp.cot), 4, [0.0001, 179.9, 90.001], edges=EDGES + [90.0, 180.0,
         135.0]),
]


def _zeta(x, q):
    return mp.zeta(x, q)


def _multigamma(a, d):
    return d * (d - 1) / 4 * mp.log(mp.pi) + sum(mp.loggamma(a - mpf(j) / 2) for j in range(int(d)))


def _exponent(function):
    """The size of a logarithm, which the function's error grows with."""
    return lambda *x: abs(float(function(*x))) * max(1, abs(np.log(max(abs(float(function(*x))), 1e-308))))


def _log_sizes(a, b):
    return abs(scipy.special.gammaln(a)) + abs(scipy.special.gammaln(b)) + abs(scipy.special.gammaln(a + b))


def _digamma_scale(x):
    if x > 0 or -0.6 < x < -0.4:
        return 0
    return abs(np.pi / np.tan(np.pi * x)) + abs(scipy.special.digamma(1 - x))


GAMMA = [
    case("gammasgn", both(0.1, 1e3), lambda x: mp.sign(mp.gamma(x)), 0),
    case("rgamma", uniform(-150, 175), mp.rgamma, 16, [171.7, 173.2, 177.5, -170.3, -177.9, 1e-310, -5.5, 1.5]),
    case("digamma", uniform(-10, 30), mp.digamma, 8, [1.4616, -0.504, 1e-300, 1e300, 1e10, 0.3, 2.0, 9.999, -0.45],
         scale=_digamma_scale, rtol=1e-10),
    case("polygamma", (whole(0, 8), log(1e-3, 1e3)), lambda n, x: mp.polygamma(int(n), x), 16, [(1.0, 1e-100), (2.0,
         1e10), (30.0, 5.0), (0.0, 3.5)], edges=([0.0, 1.0, 2.0, 5.0], EDGES)),
    case("zeta", (log(1.001, 60), log(1e-2, 1e3)), _zeta, 12, [(2.0, 1e12), (1 + 1e-10, 1.0), (3.0, 0.5), (200.0,
         1.5)], edges=([-1.0, 0.5, 1.0, 1.5, 2.0, 4.0, 30.0, NAN], [-2.5, -2.0, -0.5, 0.0, 0.5, 1.0, 2.0, 30.0, 1e9,
         NAN])),
    case("zetac", uniform(-20, 30), lambda x: mp.zeta(x) - 1, 16, [1 + 1e-10, 1 - 1e-10, 100.0, 0.001, -0.001, 0.5],
         scale=lambda x: 1 if x < 1.5 else 0, rtol=1e-10),
    case("beta", (log(1e-3, 100), log(1e-3, 100)), mp.beta, 16, [(1e-200, 3.0), (300.0, 2.5), (1e5, 20.0), (-2.5,
         1.5), (-3.0, 2.0), (1e-3, 1e10)], scale=_exponent(scipy.special.beta), rtol=1e-11, edges=[-2.5, -2.0, -1.0,
         0.5, 1.0, 2.0, 3.5, NAN]),
    case("betaln", (log(1e-3, 1e6), log(1e-3, 1e6)), lambda a, b: mp.log(abs(mp.beta(a, b))), 16, [(1e-200, 3.0),
         (1e15, 1e15), (-2.5, 1.5), (1e10, 0.5)], scale=_log_sizes, rtol=1e-10, edges=[-2.5, -2.0, -1.0, 0.5, 1.0,
         2.0, 3.5, NAN]),
    case("poch", (both(1e-2, 50), uniform(-10, 10)), lambda a, m: mp.rf(a, m), 256, [(1e5, 0.5), (1e10, 2.5), (5.0,
         3.0)], rtol=1e-11, edges=[-2.5, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.5, NAN]),
    case("binom", (uniform(0, 50), uniform(0, 50)), mp.binomial, 64, [(50.0, 25.0), (100.0, 50.0), (10.5, 3.0), (1e12,
         2.5), (3.5, -1.5), (3.5, 1e9 + 0.5), (1e5, 99998.0)], scale=lambda n, k: abs(scipy.special.binom(n, k)) * (1
         + abs(np.log(abs(scipy.special.binom(n, k)) + 1e-300))), rtol=1e-11, edges=[-2.5, -2.0, -1.0, 0.5, 1.0, 2.0,
         3.5, 30.0, NAN]),
    case("multigammaln", (uniform(5, 50), whole(1, 6)), _multigamma, 4, [(0.6, 2.0), (1e5, 8.0)], scale=lambda a, d: d
         * abs(scipy.special.gammaln(a)) + 10, scipy_function=np.vectorize(lambda a, d: scipy.special.multigammaln(a,
         int(d))), edges=([3.5, 7.0], [1.0, 2.0, 3.0])),
]

ERROR = [
    case("erfcx", uniform(-20, 30), lambda x: mp.exp(x * x) * mp.erfc(x) if x < 1e6 else 1 / x / mp.sqrt(mp.pi), 8,
         [-26.6, 1e8, 1e200, 25.5, 24.5, 0.3, 1e-20]),
    case("erfcinv", uniform(0, 2), lambda x: mp.erfinv(1 - x), 10, [1e-300, 1e-20, 1e-5, 1.999, 0.9999999],
         rtol=1e-12),
    case("ndtr", uniform(-30, 10), mp.ncdf, 6, [-37.5, -38.4, 8.2, 1e-20, -0.7]),
    case("log_ndtr", uniform(-40, 10), lambda x: mp.log(mp.ncdf(x)), 6, [-1e10, -1e150, 30.0, 8.3, -1.0, -0.9]),
    case("ndtri", uniform(0, 1), lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), 10, [1e-300, 1e-20, 1e-5, 0.999,
         0.4999999, 0.075, 0.925], rtol=1e-12),
]


def _envelope(n, x):
    return np.sqrt(2 / (np.pi * abs(x))) if x else 1


def _oscillates(order, x):
    return 0 if abs(x) < 7.5 and order != "y" else np.sqrt(2 / (np.pi * abs(x))) if abs(x) > 0.5 else 0


def _spherical(n, x, derivative):
    def y(k):
        return mp.sqrt(mp.pi / (2 * x)) * mp.bessely(k + mpf(1) / 2, x)

    if not derivative:
        return y(n)
    return -y(1) if n == 0 else y(n - 1) - (n + 1) / x * y(n)


BESSEL = [
    case("j0", both(1e-3, 1e4), lambda x: mp.besselj(0, x), 8, [2.404825557695773, 5.520078110286311, 1e15, 8.0, 8.1,
         1e-200], scale=lambda x: _oscillates("j", x), rtol=1e-9, edges=FINITE),
    case("j1", both(1e-3, 1e4), lambda x: mp.besselj(1, x), 8, [3.8317059702075125, 7.015586669815619, 1e15, 1e-300],
         scale=lambda x: _oscillates("j", x), rtol=1e-9, edges=FINITE),
    case("y0", log(1e-3, 1e4), lambda x: mp.bessely(0, x), 10, [0.8935769662791675, 1e-300, 1e15, 8.0], scale=lambda
         x: _oscillates("y", x), rtol=1e-9, edges=FINITE),
    case("y1", log(1e-3, 1e4), lambda x: mp.bessely(1, x), 10, [2.197141326031017, 1e-300, 1e15], scale=lambda x:
         _oscillates("y", x), rtol=1e-9, edges=FINITE),
    case("yn", (whole(-6, 40), log(0.1, 1e3)), lambda n, x: mp.bessely(int(n), x), 64, [(2.0, 1e-100), (200.0,
         100.0)], scale=_envelope, rtol=1e-9, edges=([-3.0, -2.0, 0.0, 1.0, 2.0, 5.0], [0.5, 1.0, 2.0, 30.0, NAN])),
    case("i0e", both(1e-3, 1e4), lambda x: mp.besseli(0, x) * mp.exp(-abs(x)), 6, [1e-300, 1e300, 8.0, 700.0]),
    case("i1", both(1e-3, 700), lambda x: mp.besseli(1, x), 10, [1e-300, 713.0, 8.0], edges=FINITE),
    case("i1e", both(1e-3, 1e4), lambda x: mp.besseli(1, x) * mp.exp(-abs(x)), 6, [1e-300, 8.0]),
    case("k0", log(1e-3, 700), lambda x: mp.besselk(0, x), 6, [1e-300, 1.0, 2.0, 740.0]),
    case("k0e", log(1e-3, 1e4), lambda x: mp.besselk(0, x) * mp.exp(x), 6, [1e-300, 1.0, 2.0]),
    case("k1", log(1e-3, 700), lambda x: mp.besselk(1, x), 6, [1e-300, 1.0, 2.0, 740.0]),
    case("k1e", log(1e-3, 1e4), lambda x: mp.besselk(1, x) * mp.exp(x), 6, [1e-300, 1.0, 2.0]),
    case("spherical_yn", (whole(0, 20), log(0.1, 1e3), whole(0, 1)), _spherical, 64, [(0.0, 1e-100, 0.0), (1.0, 2.0,
         1.0)], scale=lambda n, x, d: 1 / x if x else 0, scipy_function=np.vectorize(lambda n, x, d:
         scipy.special.spherical_yn(int(n), x, bool(d))), rtol=1e-9, edges=([0.0, 1.0, 4.0], [-2.5, -1.0, 0.5, 2.0,
         30.0, INF, NAN], [0.0, 1.0])),
]


def _lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def _upper(a, x):
    return mp.gammainc(a, x, regularized=True)


def _betainc(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def _betaincc(a, b, x):
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


def _larger(function, sizes=lambda *x: 0):
    """Errors grow with the logarithm of the value, and with `sizes` of the arguments."""

    def scale(*x):
        value = abs(float(function(*map(mpf, map(float, x)))))
        return value * (1 + abs(np.log(max(value, 1e-300))) / 4 + sizes(*x))

    return scale


def _sqrt_of(*arguments):
    return lambda *x: np.sqrt(max(x[i] for i in arguments))


PLUS = [-1.0, 0.0, 0.5, 1.0, 2.0, 30.0, INF, NAN]
UNIT = [-0.5, 0.0, 0.3, 0.9, 1.0, 1.5, NAN]
COUNTS = [-1.0, 0.0, 1.0, 2.0, 5.0, NAN]
INCOMPLETE = [
    case("gammainc", (log(1e-2, 300), log(1e-2, 300)), _lower, 16, [(1e-10, 0.5), (5.0, 1e-30), (1e4, 1.01e4), (1e6,
         1e6), (200.0, 100.0), (20.0, 25.9), (20.0, 26.1)], scale=_larger(_lower), rtol=1e-10, edges=PLUS),
    case("gammaincc", (log(1e-2, 300), log(1e-2, 300)), _upper, 16, [(1e-10, 0.5), (1e-200, 1e-3), (0.5, 700.0), (1e4,
         1.01e4), (1e6, 1e6), (200.0, 400.0), (0.4, 1e-10), (3.0, 1.0)], scale=_larger(_upper), rtol=1e-10,
         edges=PLUS),
    case("gammaincinv", (log(0.1, 300), uniform(0, 1)), None, 0, rtol=1e-11, edges=([-1.0, 0.0, 0.5, 2.0, 30.0, NAN],
         UNIT)),
    case("gammainccinv", (log(0.1, 300), uniform(0, 1)), None, 0, rtol=1e-11, edges=([-1.0, 0.0, 0.5, 2.0, 30.0, NAN],
         UNIT)),
    case("betainc", (log(0.1, 100), log(0.1, 100), uniform(0, 1)), _betainc, 24, [(1e-5, 2.0, 0.3), (2.0, 3.0,
         1e-100), (1e3, 2e3, 0.34), (300.0, 300.0, 0.5), (0.5, 0.5, 1 - 2**-53), (5.0, 1e3, 1e-3)],
         scale=_larger(_betainc, lambda a, b, x: np.sqrt(max(a, b))), rtol=1e-10, edges=(PLUS, PLUS, UNIT)),
    case("betaincinv", (log(0.2, 100), log(0.2, 100), uniform(0, 1)), None, 0, rtol=1e-10, edges=([-1.0, 0.0, 0.5,
         2.0, 30.0, NAN], [-1.0, 0.0, 0.5, 2.0, 30.0, NAN], UNIT)),
    case("bdtr", (whole(0, 20), whole(20, 60), uniform(0, 1)), lambda k, n, p: _betaincc(mp.floor(k) + 1, n -
         mp.floor(k), p) if n > k else 1, 64, [(100.0, 1000.0, 0.1), (2.7, 9.0, 0.3)], scale=_larger(lambda k, n, p:
         _betaincc(mp.floor(k) + 1, n - mp.floor(k), p) if n > k else 1, lambda k, n, p: np.sqrt(n)), rtol=1e-10,
         edges=([*COUNTS, 2.5], COUNTS, UNIT)),
    case("bdtrc", (whole(0, 20), whole(21, 60), uniform(0, 1)), lambda k, n, p: _betainc(k + 1, n - k, p), 64,
         [(100.0, 1000.0, 0.1), (3.0, 10.0, 1e-5)], scale=_larger(lambda k, n, p: _betainc(k + 1, n - k, p), lambda k,
         n, p: np.sqrt(n)), rtol=1e-10, edges=([*COUNTS, 2.5], COUNTS, UNIT)),
    case("bdtri", (whole(0, 20), whole(21, 60), uniform(0, 1)), None, 0, rtol=1e-10, edges=(COUNTS, COUNTS, UNIT)),
    case("nbdtr", (whole(0, 20), whole(1, 60), uniform(0, 1)), lambda k, n, p: _betainc(n, k + 1, p), 64,
         scale=_larger(lambda k, n, p: _betainc(n, k + 1, p), lambda k, n, p: np.sqrt(n)), rtol=1e-10, edges=(COUNTS,
         COUNTS, UNIT)),
    case("nbdtrc", (whole(0, 20), whole(1, 60), uniform(0, 1)), lambda k, n, p: _betaincc(n, k + 1, p), 64,
         scale=_larger(lambda k, n, p: _betaincc(n, k + 1, p), lambda k, n, p: np.sqrt(n)), rtol=1e-10, edges=(COUNTS,
         COUNTS, UNIT)),
    case("nbdtri", (whole(0, 20), whole(1, 60), uniform(0, 1)), None, 0, rtol=1e-10, edges=(COUNTS, COUNTS[1:-1],
         UNIT)),
    case("pdtr", (whole(0, 60), log(0.1, 100)), lambda k, m: _upper(k + 1, m), 24, [(2.0, 0.0)], scale=_larger(lambda
         k, m: _upper(k + 1, m)), rtol=1e-10, edges=([*COUNTS, 2.5], PLUS)),
    case("pdtrc", (whole(0, 60), log(0.1, 100)), lambda k, m: _lower(k + 1, m), 24, [(2.0, 1e-50)],
         scale=_larger(lambda k, m: _lower(k + 1, m)), rtol=1e-10, edges=([*COUNTS, 2.5], PLUS)),
    case("pdtri", (whole(0, 60), uniform(0, 1)), None, 0, rtol=1e-11, edges=(COUNTS, UNIT)),
    case("chdtr", (log(0.1, 100), log(0.1, 100)), lambda v, x: _lower(v / 2, x / 2), 24, scale=_larger(lambda v, x:
         _lower(v / 2, x / 2)), rtol=1e-10, edges=PLUS),
    case("chdtrc", (log(0.1, 100), log(0.1, 100)), lambda v, x: _upper(v / 2, x / 2), 24, scale=_larger(lambda v, x:
         _upper(v / 2, x / 2)), rtol=1e-10, edges=PLUS),
    case("chdtri", (log(0.1, 100), uniform(0, 1)), None, 0, rtol=1e-11, edges=([-1.0, 0.5, 2.0, 30.0, NAN], UNIT)),
    case("gdtr", (log(0.1, 10), log(0.1, 50), log(0.1, 10)), lambda a, b, x: _lower(b, a * x), 48,
         scale=_larger(lambda a, b, x: _lower(b, a * x)), rtol=1e-10, edges=([0.5, 2.0, NAN], PLUS, PLUS)),
    case("gdtrc", (log(0.1, 10), log(0.1, 50), log(0.1, 10)), lambda a, b, x: _upper(b, a * x), 64,
         scale=_larger(lambda a, b, x: _upper(b, a * x), lambda a, b, x: a * x), rtol=1e-10, edges=([0.5, 2.0, NAN],
         PLUS, PLUS)),
    case("fdtr", (log(0.2, 100), log(0.2, 100), log(0.1, 10)), lambda a, b, x: _betainc(a / 2, b / 2, a * x / (b + a *
         x)), 48, scale=_larger(lambda a, b, x: _betainc(a / 2, b / 2, a * x / (b + a * x)), lambda a, b, x:
         np.sqrt(max(a, b))), rtol=1e-10, edges=([-1.0, 0.0, 2.0, 30.0, NAN], [-1.0, 0.0, 0.5, 30.0, NAN], PLUS)),
    case("fdtrc", (log(0.2, 100), log(0.2, 100), log(0.1, 10)), lambda a, b, x: _betaincc(a / 2, b / 2, a * x / (b + a
         * x)), 48, scale=_larger(lambda a, b, x: _betaincc(a / 2, b / 2, a * x / (b + a * x)), lambda a, b, x:
         np.sqrt(max(a, b))), rtol=1e-10, edges=([-1.0, 0.0, 2.0, 30.0, NAN], [-1.0, 0.0, 0.5, 30.0, NAN], PLUS)),
    case("fdtri", (log(0.2, 100), log(0.5, 100), uniform(0, 1)), None, 0, rtol=1e-9, edges=([-1.0, 0.0, 2.0, 30.0,
         NAN], [-1.0, 0.0, 0.5, 30.0, NAN], UNIT[:4])),
]


def _turned(function):
    """Elementwise, for functions that take numbers alone."""
    return np.vectorize(function, otypes=["float64"])


def _lpmv(m, v, x):
    m = int(m)
    value = mp.legenp(v, abs(m), x)
    return value if m >= 0 else value * mp.gamma(v + m + 1) / mp.gamma(v - m + 1) * (-1) ** m


def _ellipkm1(p):
    with mp.workdps(400):
        return mp.ellipk(1 - p)


ELLIPTIC = [
    case("ellipk", uniform(-10, 1), mp.ellipk, 6, [1 - 2**-53, -1e300, 1e-300, 0.5]),
    case("ellipkm1", log(1e-300, 1e3), _ellipkm1, 6, [5e-324, 1.0, 1e300]),
    case("ellipkinc", (uniform(-10, 10), uniform(-10, 1)), mp.ellipf, 12, [(1.5707963, 0.99999), (1e-10, 0.5), (0.3,
         -1e10), (1.5, 1.0), (100.0, 0.7)], scale=lambda p, m: abs(p), rtol=1e-11, edges=([-INF, -2.0, -0.5, 0.0, 1.0,
         3.5, INF, NAN], [-2.0, 0.0, 0.5, 1.0, 2.0, NAN])),
    case("ellipeinc", (uniform(-10, 10), uniform(-10, 1)), mp.ellipe, 12, [(1.5707963, 0.99999), (1e-10, 0.5), (0.3,
         -1e10), (1.5, 1.0), (100.0, 0.7)], scale=lambda p, m: abs(p), rtol=1e-11, edges=([-INF, -2.0, -0.5, 0.0, 1.0,
         3.5, INF, NAN], [-2.0, 0.0, 0.5, 1.0, 2.0, NAN])),
]

INTEGRALS = [
    case("exp1", log(1e-3, 600), mp.e1, 10, [1e-300, 1.0, 1.0000001, 735.0]),
    case("expi", both(1e-3, 600), mp.ei, 10, [0.3725074107813666, 0.37, 1e-300, 39.9, 40.0, 710.0, 0.6, -1e-300]),
    case("expn", (whole(0, 60), log(1e-2, 100)), lambda n, x: mp.expint(int(n), x), 12, [(3.0, 0.0), (1.0, 1e-300),
         (10.0, 1.0)], edges=([-1.0, 0.0, 1.0, 2.0, 3.0, 60.0], EDGES)),
    case("sici", both(1e-3, 1e4), (mp.si, lambda x: mp.ci(abs(x))), 24, [2.0, 2.0000001, 1e15, 0.6165, 1e-300, 1e200],
         scale=lambda x: 1 / max(abs(x), 0.5), rtol=1e-10),
    case("shichi", both(1e-3, 600), (mp.shi, lambda x: mp.chi(abs(x))), 12, [22.0, 0.5238, 1e-300, 711.0, 30.0],
         scale=lambda x: 1 if abs(x) < 1 else 0, rtol=1e-10),
]

LEGENDRE = [
    case("lpmv", (whole(-3, 5), uniform(0, 12), uniform(-0.99, 0.99)), _lpmv, 4096, [(0.0, 20.0, 0.3), (2.0, 7.0,
         -0.9)], scale=lambda m, v, x: abs(scipy.special.poch(v - m + 1, m)) * 10 / max(abs(scipy.special.poch(v + m +
         1, -2 * m)) if m < 0 else 1, 1e-30), rtol=1e-7, edges=([-1.0, 0.0, 1.0, 2.0, 2.5], [-3.0, 0.0, 1.0, 2.0, 5.0,
         0.5], [-1.0, -0.9, 0.0, 0.5, 1.0])),
    case("wright_bessel", (uniform(0, 3), uniform(0, 3), log(1e-2, 1e3)), None, 0, rtol=1e-10, edges=([-1.0, 0.0, 0.5,
         2.0, NAN], [-1.0, 0.0, 1.0, 2.5, NAN], [-1.0, 0.0, 0.5, 20.0, 1e3, INF, NAN])),
]


FAMILIES = (
    [c._replace(digits=700) for c in SIMPLE]
    + [c._replace(digits=150) for c in GAMMA]
    + BESSEL
    + INCOMPLETE
    + ELLIPTIC
    + INTEGRALS
    + LEGENDRE
    + [c._replace(digits=700) for c in ERROR]
)
CASES = {c.name: c for c in FAMILIES}


def true_values(c, arguments, function):
    """A function of arrays of arguments in mpmath, rounded to float64 (numbers that overflow to infinity)."""
    values = []
    for point in zip(*arguments):
        with mp.workdps(c.digits):
            value = function(*(mpf(float(x)) for x in point))
        values.append(float(value.real if isinstance(value, mpmath.mpc) else value))
    return np.array(values)


def errors(got, want, scale=None):
    """In units in the last place of want, or of scale where that is larger; 0 where both are the same infinity."""
    got, want = np.asarray(got, "float64"), np.asarray(want, "float64")
    size = np.abs(want) if scale is None else np.maximum(np.abs(want), np.abs(scale))
    with np.errstate(invalid="ignore", over="ignore"):
        unit = np.spacing(np.where(np.isfinite(size), size, np.finfo("float64").max))
        return np.where((got == want) | np.isnan(got) & np.isnan(want), 0, np.abs(got - want) / unit)
