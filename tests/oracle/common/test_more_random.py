"""Functions of two arrays, of order statistics, calculus and the operators' methods against NumPy over
random shapes, layouts and dtypes. What their own tests cover one option at a time meets here at random."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st

import dtypes
import gnd
import headers
import reference
import values
from check import DEFAULTS, describe
from folds import quiet

REFUSED = (ValueError, TypeError, IndexError, ZeroDivisionError)
REAL = [n for n in dtypes.NAMES if n not in dtypes.COMPLEX]
PLAIN = [n for n in dtypes.NAMES if n != "bfloat16"]  # those that NumPy has
SIZES = [0, 1, 2, 3, 5, 8, 33]


def shapes(minimum=0, maximum=4, sizes=SIZES, limit=5000):
    return st.lists(st.sampled_from(sizes), min_size=minimum, max_size=maximum).map(tuple).filter(
        lambda shape: np.prod(shape, dtype=float) <= limit)


def generator(draw):
    return np.random.default_rng(draw(st.integers(0, 2**32 - 1)))


def ordinary(dtype, shape, g):
    """Values of moderate size, with which sums and products stay within every dtype."""
    if dtype == "bool":
        return g.integers(0, 2, shape).astype(bool)
    if dtype in dtypes.INTEGERS:
        return g.integers(0 if dtype.startswith("u") else -9, 10, shape).astype(dtype)
    x = g.normal(size=shape) + 0.5
    if dtype in dtypes.COMPLEX:
        x = x + 1j * g.normal(size=shape)
    return dtypes.cast(x, dtype)


def operand(draw, dtype, shape, g, make=ordinary):
    """An array in a random layout, on both sides."""
    layout = draw(st.sampled_from(values.layouts(shape)))
    base = make(dtype, layout.base, g)
    return gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)


def compare(call, want_of, context, scale=1.0, slack=1.0):
    """What gnd gives, against what NumPy gives or refuses; within some roundings of numbers of size
    `scale`, `slack` times as many where each step amplifies those before it."""
    try:
        want = quiet(want_of)
    except REFUSED as refusal:
        with pytest.raises(gnd.Error):
            got = call()
            got = got.numpy() if isinstance(got, gnd.Array) else got
            pytest.fail(f"{context}: NumPy says {refusal!r}, gnd gave {got!r}")
        return None
    got = call()
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: dtype {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    actual = got.numpy()
    if got.dtype not in dtypes.FLOATS + dtypes.COMPLEX:
        good = actual == want
    else:
        real = {"complex64": "float32", "complex128": "float64"}.get(got.dtype, got.dtype)
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(want), scale)
            share = min(64 * reference.EPSILON[real] * slack, max(0.05, 64 * reference.EPSILON[real]))
            good = reference.same_values(actual, want, True) | (
                np.abs(actual.astype(np.clongdouble) - want) <= share * size)
            good = good | (np.isnan(actual) & np.isnan(want))
    assert np.all(good), f"{context}: got {actual[~np.asarray(good)][:3]}, not {want[~np.asarray(good)][:3]}"
    return got


# ---- products ------------------------------------------------------------------------------------------


@given(data=st.data())
def test_vecdot(data):
    draw, g = data.draw, generator(data.draw)
    first, second = draw(st.sampled_from(PLAIN)), draw(st.sampled_from(PLAIN))
    shape = draw(shapes(1, 3))
    axis = draw(st.integers(-1, 0))
    a, x = operand(draw, first, shape, g)
    other = tuple(1 if draw(st.booleans()) and k != len(shape) + axis and axis < 0 else s
                  for k, s in enumerate(shape))
    b, y = operand(draw, second, other, g)
    compare(lambda: gnd.vecdot(a, b, axis), lambda: np.vecdot(x, y, axis=axis),
            f"vecdot({describe([x, y])}, {axis})", 100)


@given(data=st.data())
def test_vdot(data):
    draw, g = data.draw, generator(data.draw)
    a, x = operand(draw, draw(st.sampled_from(PLAIN)), draw(shapes()), g)
    shape = draw(st.sampled_from([x.shape, x.shape[::-1], (x.size,)]))
    b, y = operand(draw, draw(st.sampled_from(PLAIN)), shape, g)
    compare(lambda: gnd.vdot(a, b), lambda: np.vdot(x, y), f"vdot({describe([x, y])})", 1000)


@given(data=st.data())
def test_average(data):
    draw, g = data.draw, generator(data.draw)
    shape = draw(shapes())
    a, x = operand(draw, draw(st.sampled_from(PLAIN)), shape, g)
    n = len(shape)
    axis = draw(st.one_of(st.none(), st.integers(-n, n - 1))) if n else None
    length = shape if axis is None or draw(st.booleans()) else (shape[axis],)
    w, weights = operand(draw, draw(st.sampled_from(PLAIN)), length, g,
                         lambda dtype, s, g: g.integers(1, 5, s).astype(dtype))
    keep = draw(st.booleans())
    if x.size == 0:
        return
    compare(lambda: gnd.average(a, gnd.Axes(*(() if axis is None else (axis,)), keepdims=keep), w),
            lambda: np.average(x, axis, weights, keepdims=keep),
            f"average({describe([x, weights])}, {axis})", 10)


@given(data=st.data())
def test_cov_and_corrcoef(data):
    draw, g = data.draw, generator(data.draw)
    shape = draw(st.lists(st.sampled_from([2, 3, 5, 40]), min_size=1, max_size=2).map(tuple))
    a, x = operand(draw, draw(st.sampled_from(PLAIN)), shape, g)
    options = gnd.STRUCTS["gnd_cov_options"]()
    options.columns = draw(st.booleans())
    b = y = None
    if draw(st.booleans()):
        b, y = operand(draw, draw(st.sampled_from(PLAIN)), shape, g)
    given_, rest = [x] if y is None else [x, y], {"rowvar": not options.columns}
    context = f"({describe(given_)}, rowvar={not options.columns})"
    if x.std() > 0 and draw(st.booleans()):
        for line in np.atleast_2d(x if rest["rowvar"] else x.T):
            if line.std() == 0:
                return
        if y is None:
            compare(lambda: gnd.corrcoef(a, None, options), lambda: np.corrcoef(x, y, **rest),
                    "corrcoef" + context)
            return
    options.bias = draw(st.booleans())
    compare(lambda: gnd.cov(a, b, options), lambda: np.cov(x, y, bias=options.bias, **rest),
            "cov" + context, 100)


# ---- order statistics ------------------------------------------------------------------------------------

METHODS = {name.removeprefix("GND_QUANTILE_").lower(): value for name, value in gnd.CONSTANTS.items()
           if name.startswith("GND_QUANTILE_")}


def test_all_methods_are_there():
    assert sorted(METHODS) == sorted("""inverted_cdf averaged_inverted_cdf closest_observation
        interpolated_inverted_cdf hazen weibull linear median_unbiased normal_unbiased lower higher
        midpoint nearest""".split())


@pytest.mark.parametrize("name", ["quantile", "percentile", "nanquantile", "nanpercentile", "median",
                                  "nanmedian"])
@given(data=st.data())
def test_order_statistics(name, data):
    draw, g = data.draw, generator(data.draw)
    dtype = draw(st.sampled_from([n for n in REAL if n not in ("bfloat16", "bool")]))
    shape = draw(shapes(0, 3, [1, 2, 3, 5, 8, 33, 257]))
    share = draw(st.sampled_from([0, 0.05, 0.5])) if dtype in dtypes.FLOATS else 0

    def make(dtype, shape, g):
        x = ordinary(dtype, shape, g)
        x = np.array(x)
        x[g.random(shape) < share] = np.nan if share else 0
        return x
    a, x = operand(draw, dtype, shape, g, make)
    n = len(shape)
    axis = draw(st.one_of(st.none(), st.integers(-n, n - 1), st.lists(
        st.integers(0, n - 1), unique=True, min_size=1, max_size=n).map(tuple))) if n else None
    keep = draw(st.booleans())
    axes = gnd.Axes(*(() if axis is None else axis if isinstance(axis, tuple) else (axis,)), keepdims=keep)
    context = f"{name}({describe([x])}, {axis}, keepdims={keep}"
    if "median" in name:
        compare(lambda: getattr(gnd, name)(a, axes), lambda: getattr(np, name)(x, axis, keepdims=keep),
                context + ")")
        return
    method = draw(st.sampled_from(sorted(METHODS)))
    q = draw(st.sampled_from([0.0, 0.25, 0.5, 0.37, 1.0])) * (100 if "percent" in name else 1)
    if draw(st.booleans()):
        q = np.array([[q, 0.1, 0.9], [0.0, 1.0, 0.4]])
        if name.startswith("nan") and isinstance(axis, tuple):
            q = q[0]  # NumPy turns a matrix of them round where there are several axes
    got = lambda: getattr(gnd, name)(a, gnd.from_numpy(q) if isinstance(q, np.ndarray) else q, axes,
                                     METHODS[method])

    def theirs():
        result = getattr(np, name)(x, q, axis, method=method, keepdims=keep)
        if name.startswith("nan"):  # where a line is nothing but NaN, NumPy's dtype depends on the values
            result = np.asarray(result).astype(getattr(np, name[3:])(
                np.ones(x.shape, x.dtype), q, axis, method=method).dtype)
        return result
    compare(got, theirs, f"{context}, q={q}, {method})")


# ---- calculus --------------------------------------------------------------------------------------------


@given(data=st.data())
def test_diff(data):
    draw, g = data.draw, generator(data.draw)
    a, x = operand(draw, draw(st.sampled_from(PLAIN)), draw(shapes(1)), g)
    n, axis = draw(st.integers(0, 3)), draw(st.integers(-x.ndim, x.ndim - 1))
    both = [draw(st.sampled_from([None, None, 1, "array"])) for _ in range(2)]
    ours, theirs = [], []
    for extra in both:
        if extra == "array":
            shape = list(x.shape)
            shape[axis] = draw(st.integers(0, 3))
            b, y = operand(draw, dtypes.name_of(x.dtype), tuple(shape), g)
            ours.append(b), theirs.append(y)
        else:  # a number is weak, as everywhere in gnd; NumPy makes it an int64, as an int beside bool is in gnd
            number = extra if extra is None or x.dtype == bool else np.asarray(extra, x.dtype)
            ours.append(extra), theirs.append(np._NoValue if extra is None else number)
    compare(lambda: gnd.diff(a, n, axis, *ours), lambda: np.diff(x, n, axis, *theirs),
            f"diff({describe([x])}, {n}, {axis}, {both})", 10)


@given(data=st.data())
def test_gradient(data):
    draw, g = data.draw, generator(data.draw)
    a, x = operand(draw, draw(st.sampled_from(PLAIN)), draw(shapes(1)), g)
    axis, order = draw(st.integers(-x.ndim, x.ndim - 1)), draw(st.integers(1, 2))
    kind = draw(st.sampled_from(["none", "number", "coordinates"]))
    # gnd refuses bool; NumPy does not where steps differ and the order is 2
    assume(a.dtype != "bool" or kind != "coordinates" or order == 1)
    spacing = {"none": None, "number": 0.5,
               "coordinates": np.cumsum(g.uniform(0.5, 1, x.shape[axis]))}[kind]
    ours = gnd.from_numpy(spacing) if kind == "coordinates" else spacing
    compare(lambda: gnd.gradient(a, ours, axis, order),
            lambda: np.gradient(x, *([] if spacing is None else [spacing]), axis=axis, edge_order=order),
            f"gradient({describe([x])}, {kind}, {axis}, {order})", 50)


@given(data=st.data())
def test_trapezoid(data):
    draw, g = data.draw, generator(data.draw)
    a, y = operand(draw, draw(st.sampled_from(PLAIN)), draw(shapes(1)), g)
    axis = draw(st.integers(-y.ndim, y.ndim - 1))
    kind = draw(st.sampled_from(["none", "number", "line", "array"]))
    x = {"none": None, "number": 0.5, "line": g.random(y.shape[axis]), "array": g.random(y.shape)}[kind]
    ours = gnd.from_numpy(x) if isinstance(x, np.ndarray) else x
    theirs = {"x": x} if isinstance(x, np.ndarray) else {} if x is None else {"dx": x}
    compare(lambda: gnd.trapezoid(a, ours, axis), lambda: np.trapezoid(y, axis=axis, **theirs),
            f"trapezoid({describe([y])}, {kind}, {axis})", 100)


# ---- the operators' methods ------------------------------------------------------------------------------

BINARY = [row for row in headers.read_operators()
          if row.inputs == "TT" and len(row.outputs) == 1 and row.name not in DEFAULTS]
EXACT = set("""add subtract multiply maximum minimum fmax fmin gcd lcm floor_divide remainder fmod
    logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor left_shift right_shift equal
    not_equal less less_equal greater greater_equal copysign heaviside""".split())


def ufunc_of(row):
    return getattr(np, row.name, None)


def dtypes_of(row):
    """The dtypes that NumPy's ufunc takes on both sides."""
    result = []
    for name in PLAIN:
        try:
            ufunc_of(row).resolve_dtypes((np.dtype(name), np.dtype(name), None))
        except TypeError:
            continue
        result.append(name)
    return result


def numbers_for(row):
    """Values on which repeated operators stay finite and integers are no negative exponents."""
    def make(dtype, shape, g):
        if dtype == "bool":
            return g.integers(0, 2, shape).astype(bool)
        if dtype in dtypes.INTEGERS:
            return g.integers(1, 4, shape).astype(dtype)
        x = g.uniform(0.5, 1.5, shape)
        if dtype in dtypes.COMPLEX:
            x = x + 0.2j * g.normal(size=shape)
        return dtypes.cast(x, dtype)
    return make


# Where NumPy's vector loops reduce to the first and the last element alone (NumPy 2.4 with AVX-512);
# they are right one by one.
VECTOR_LOOPS = {"power", "float_power", "arctan2"}


def slack_of(row):
    """Repeated powers and their like amplify what was rounded before."""
    return 1.0 if row.name in EXACT else 200.0


@pytest.mark.parametrize("method", ["reduce", "accumulate", "reduceat", "outer", "at"])
@pytest.mark.parametrize("row", BINARY, ids=lambda row: row.name)
def test_methods(row, method):
    """Each method of each operator in each of its dtypes, on a few shapes and layouts."""
    ufunc = ufunc_of(row)
    if not isinstance(ufunc, np.ufunc):
        pytest.skip("no ufunc of NumPy's")
    g = np.random.default_rng(0)
    make = numbers_for(row)
    for dtype in dtypes_of(row):
        for shape in ((7,), (3, 8), (2, 3, 5)):
            for layout in values.layouts(shape)[:: 3]:
                base = make(dtype, layout.base, g)
                a, x = gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)
                axis = len(shape) // 2
                context = f"{row.name}.{method}({describe([x])}, axis={axis})"
                CHECKS[method](row.name, ufunc, a, x, axis, g, make, context, slack_of(row))


def check_reduce(name, ufunc, a, x, axis, g, make, context, slack):
    def theirs():
        if name in VECTOR_LOOPS:
            return np.take(ufunc.accumulate(x, axis), -1, axis)
        return ufunc.reduce(x, axis)
    compare(lambda: gnd.reduce(name, a, axis), theirs, context, slack=slack)


def check_accumulate(name, ufunc, a, x, axis, g, make, context, slack):
    compare(lambda: gnd.accumulate(name, a, axis), lambda: ufunc.accumulate(x, axis), context, slack=slack)


def check_reduceat(name, ufunc, a, x, axis, g, make, context, slack):
    starts = g.integers(0, x.shape[axis], 6)

    def theirs():
        if name not in VECTOR_LOOPS:
            return ufunc.reduceat(x, starts, axis)
        ends = [*starts[1:], x.shape[axis]]
        parts = [np.take(x, range(start, max(end, start + 1)), axis) for start, end in zip(starts, ends)]
        return np.stack([np.take(ufunc.accumulate(part, axis), -1, axis) for part in parts], axis)
    compare(lambda: gnd.reduceat(name, a, gnd.from_numpy(starts), axis), theirs, f"{context}, {starts}",
            slack=slack)


def check_outer(name, ufunc, a, x, axis, g, make, context, slack):
    other = make(dtypes.name_of(x.dtype), (2, 3), g)
    compare(lambda: gnd.outer(name, a, gnd.from_numpy(other)), lambda: ufunc.outer(x, other), context,
            slack=slack)


def check_at(name, ufunc, a, x, axis, g, make, context, slack):
    """Duplicates, negative indices, and a b that broadcasts."""
    if name == "float_power" and x.dtype.kind in "iu":
        return  # beyond what integers hold
    where = g.integers(-x.shape[0], x.shape[0], 12)
    b = make(dtypes.name_of(x.dtype), (12,) + x.shape[1:], g)

    def theirs():
        result = x.copy()
        ufunc.at(result, where, b)
        return result

    def ours():
        result = gnd.copy(a)
        gnd.at(name, result, 1, [gnd.from_numpy(where)], gnd.from_numpy(b))
        return result
    compare(ours, theirs, f"{context}, {where}", slack=slack)


CHECKS = {name.removeprefix("check_"): f for name, f in list(globals().items())
          if name.startswith("check_")}
