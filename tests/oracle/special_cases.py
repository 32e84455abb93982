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


def log(low, high):
    """Sizes whose logarithms are spread evenly."""
    return lambda g, n: np.exp(g.uniform(np.log(low), np.log(high), n))


def both(low, high):
    return lambda g, n: np.where(g.random(n) < 0.5, -1, 1) * np.exp(g.uniform(np.log(low), np.log(high), n))


def uniform(low, high):
    return lambda g, n: g.uniform(low, high, n)


def whole(low, high):
    return lambda g, n: g.integers(low, high, n, endpoint=True).astype("float64")


def case(name, arguments, true, ulp, points=(), scale=None, scipy_function=None, rtol=1e-11, edges=EDGES,
         digits=60):
    """`digits`: those that mpmath computes with; `edges`: values at which gnd must do what SciPy does, for each argument alike, or a list for each."""
    arguments = arguments if isinstance(arguments, tuple) else (arguments,)
    points = [p if isinstance(p, tuple) else (p,) for p in points]
    edges = edges if isinstance(edges, tuple) else (edges,) * len(arguments)
    return Case(name, arguments, points, true, ulp, scale, scipy_function or getattr(scipy.special, name, None), rtol,
                edges, digits)


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
    return d * d * (mp.sqrt(1 + (r / d)**2) - 1)


def _kl(x, y):
    return x * mp.log(x / y) - x + y


SIMPLE = [
    case("expit", uniform(-50, 50), lambda x: 1 / (1 + mp.exp(-x)), 3, [-745.0, -708.5, 800.0, 1e-300]),
    case("log_expit", uniform(-50, 50), lambda x: -mp.log(1 + mp.exp(-x)), 3, [-1e300, 36.0, 700.0, 1e-20]),
    case("logit", uniform(0, 1), lambda x: mp.log(x / (1 - x)), 4, [1e-310, 0.4999999, 0.5000001, 1 - 2**-53, 0.3]),
    case("xlogy", (both(1e-5, 1e5), log(1e-300, 1e300)), lambda x, y: x * mp.log(y), 2, [(1e-310, 3.0), (3.0, 5e-324)]),
    case("xlog1py", (both(1e-5, 1e5), log(1e-300, 1e300)), lambda x, y: x * _log1p(y), 2, [(2.0, -1e-20)]),
    case("entr", log(1e-300, 1e300), lambda x: -x * mp.log(x), 2, [5e-324, 1 + 2**-52]),
    case("rel_entr", (log(1e-3, 1e3), log(1e-3, 1e3)), lambda x, y: x * mp.log(x / y), 4,
         [(1.0, 1 + 2**-52), (1e-300, 1e300), (1e300, 1e-300), (0.7, 0.70001), (5e-324, 1.0)]),
    case("kl_div", (log(1e-3, 1e3), log(1e-3, 1e3)), _kl, 16, [(1.0, 1.0001), (0.7, 0.70001), (1e-300, 1.0)], rtol=1e-7),
    case("huber", (log(1e-3, 1e3), both(1e-3, 1e3)), lambda d, r: r * r / 2 if abs(r) <= d else d * (abs(r) - d / 2), 2),
    case("pseudo_huber", (log(1e-3, 1e3), both(1e-3, 1e3)), _pseudo_huber, 4,
         [(1.0, 1e-12), (1e150, 1.0), (1.0, 1e300)], rtol=1e-4),
    case("exp10", uniform(-300, 300), lambda x: mpf(10)**x, 2, [308.2, -320.0]),
    case("exprel", uniform(-50, 50), lambda x: mp.expm1(x) / x, 3, [1e-17, 1e-8, 709.9, 715.0, -1e300]),
    case("cosm1", both(1e-10, 1e3), lambda x: -2 * mp.sin(x / 2)**2, 4, [1e-160, 2 * np.pi]),
    case("boxcox", (log(1e-5, 1e5), both(1e-3, 10)), lambda x, y: _boxcox(mp.log(x), y), 6,
         scale=_power_of(np.log), points=
         [(2.0, 1e-15), (1e300, 1.02), (1e-300, -1.02), (1 + 2**-52, 0.5), (3.0, 0.0)]),
    case("boxcox1p", (log(1e-5, 1e5), both(1e-3, 10)), lambda x, y: _boxcox(_log1p(x), y), 6,
         scale=_power_of(np.log1p), points=
         [(1e-20, 2.0), (1e-300, 3.0), (3.0, 0.0)]),
    case("inv_boxcox", (uniform(0, 3), log(1e-3, 3)), lambda x, y: mp.exp(_log1p(x * y) / y if y else x), 12,
         [(1.0, 1e-12), (-0.5, 0.3), (2.0, 0.0)]),
    case("inv_boxcox1p", (uniform(0, 3), log(1e-3, 3)), lambda x, y: mp.expm1(_log1p(x * y) / y if y else x), 12,
         [(1e-20, 1.0), (2.0, 0.0), (1e-300, 2.0)]),
    case("radian", (uniform(0, 360), uniform(0, 60), uniform(0, 60)),
         lambda d, m, s: mp.pi / 180 * (d + m / 60 + s / 3600), 4),
    case("cosdg", uniform(-1000, 1000), _degrees(mp.cos), 2, [90.000001, 60.0, 3.6e10 + 45], edges=EDGES + [90.0, 270.0]),
    case("sindg", uniform(-1000, 1000), _degrees(mp.sin), 2, [180.000001, 30.0, 1e-300], edges=EDGES + [180.0, -180.0]),
    case("tandg", uniform(-1000, 1000), _degrees(mp.tan), 4, [89.999999, 44.0], edges=EDGES + [90.0, -90.0, 45.0, 135.0]),
    case("cotdg", uniform(-1000, 1000), _degrees(mp.cot), 4, [0.0001, 179.9, 90.001], edges=EDGES + [90.0, 180.0, 135.0]),
]

CASES = {c.name: c for c in [c._replace(digits=700) for c in SIMPLE]}


def true_values(c, arguments):
    """The function of arrays of arguments in mpmath, rounded to float64 (numbers that overflow to infinity)."""
    values = []
    for point in zip(*arguments):
        with mp.workdps(c.digits):
            value = c.true(*(mpf(float(x)) for x in point))
        values.append(float(value.real if isinstance(value, mpmath.mpc) else value))
    return np.array(values)


def errors(got, want, scale=None):
    """In units in the last place of want, or of scale where that is larger; 0 where both are the same infinity."""
    got, want = np.asarray(got, "float64"), np.asarray(want, "float64")
    size = np.abs(want) if scale is None else np.maximum(np.abs(want), np.abs(scale))
    with np.errstate(invalid="ignore", over="ignore"):
        unit = np.spacing(np.where(np.isfinite(size), size, np.finfo("float64").max))
        return np.where((got == want) | np.isnan(got) & np.isnan(want), 0, np.abs(got - want) / unit)
