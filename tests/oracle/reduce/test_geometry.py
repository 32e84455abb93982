"""Reductions and scans of every geometry a selector may have a path for: few and many results of long
and short runs, odd sizes, starts that are not aligned, the run or the results contiguous or neither,
elements of 1 to 16 bytes. The values are small whole numbers, so that every sum is exact whatever the
order: an element that is missed, or counted twice, shows."""

import numpy as np
import pytest

import dtypes
import gnd

# (results, length of each): powers of two and their neighbours, and what splits over several blocks.
GEOMETRIES = [
    (1, 1), (1, 31), (1, 1025), (1, 262147), (1, 1500001), (2, 300007), (3, 100003), (7, 65537),
    (17, 20011), (33, 8193), (129, 2049), (515, 1023), (1001, 513), (2050, 255), (4099, 67),
    (8191, 33), (16387, 32), (20011, 17), (40009, 10), (65537, 7), (100003, 3), (200003, 2), (300007, 1)]
DTYPES = ["int8", "bool", "float16", "bfloat16", "float32", "int64", "complex64", "complex128"]


def flat_view(values, offset):
    """The values in a gnd array that starts `offset` elements into its buffer."""
    padding = np.zeros(offset, values.dtype)
    base = gnd.from_numpy(np.concatenate([padding, values.reshape(-1)]))
    return gnd.reshape(gnd.slice(base, f"{offset}:"), values.shape)


def padded(values, axis):
    """The values as a slice of a wider array, so that lines start at addresses of every alignment."""
    widths = [(0, 0)] * values.ndim
    widths[axis] = (1, 2)
    base = np.pad(dtypes.widen(values), widths) if not dtypes.is_bfloat16(values) else dtypes.cast(
        np.pad(dtypes.widen(values), widths), "bfloat16")
    text = ", ".join("1:-2" if k == axis else ":" for k in range(values.ndim))
    return gnd.slice(gnd.from_numpy(base), text)


def spread(values):
    """The values as every other element of a larger array, backwards: nothing is contiguous."""
    shape = tuple(2 * s for s in values.shape)
    base = np.zeros(shape, values.dtype)
    base[tuple(slice(None, None, -2) for _ in shape)] = values
    return gnd.slice(gnd.from_numpy(base), ", ".join(["::-2"] * values.ndim))


def as_rows(values):
    return flat_view(values, 0), values, 1


def as_rows_unaligned(values):
    return flat_view(values, 1), values, 1


def as_padded_rows(values):
    return padded(values, 1), values, 1


def as_columns(values):
    return flat_view(values.T.copy(), 0), values.T, 0


def as_columns_unaligned(values):
    return padded(flat_like(values.T), 1), values.T, 0


def flat_like(values):
    return np.ascontiguousarray(values)


def as_spread(values):
    return spread(values), values, 1


def as_spread_columns(values):
    return spread(flat_like(values.T)), values.T, 0


LAYOUTS = {f.__name__.removeprefix("as_"): f for f in (
    as_rows, as_rows_unaligned, as_padded_rows, as_columns, as_columns_unaligned, as_spread,
    as_spread_columns)}


def small_numbers(shape, dtype, g):
    numbers = g.integers(-3, 4, shape, "int8")
    if dtype in dtypes.COMPLEX:
        return (numbers + 1j * g.integers(-3, 4, shape, "int8")).astype(dtype)
    return dtypes.cast(numbers, dtype)


def exact(values):
    """The values in a dtype in which NumPy's sums of them are exact."""
    values = dtypes.widen(values)
    return values.astype({"c": np.complex128, "f": np.float64}.get(values.dtype.kind, np.int64))


def result(name, array, *arguments):
    return getattr(gnd, name)(array, *arguments).numpy()


def close(got, want, context):
    """Equal but for a few roundings in float32 or wider, or of the result's dtype."""
    name = dtypes.name_of(got.dtype)
    epsilon = {"float16": 1e-3, "bfloat16": 8e-3, "float32": 5e-6, "complex64": 5e-6}.get(name, 1e-12)
    got = dtypes.widen(got)
    good = np.abs(got - want) <= epsilon * np.maximum(np.abs(want), 1e-3)
    assert good.all(), f"{context}: {(~good).sum()} of {good.size} differ, the first at " \
                       f"{np.argwhere(~good)[0]}: {got[~good][0]!r}, not {want[~good][0]!r}"


def same(got, want, context):
    """Equal after the exact result is rounded once to the result's dtype."""
    rounded = dtypes.cast(want, dtypes.name_of(got.dtype))
    good = dtypes.widen(got) == dtypes.widen(rounded)
    assert good.all(), f"{context}: {(~good).sum()} of {good.size} differ, the first at " \
                       f"{np.argwhere(~good)[0]}: {dtypes.widen(got)[~good][0]!r}, not " \
                       f"{dtypes.widen(rounded)[~good][0]!r}"


def check_sum(a, x, axis, context):
    same(result("sum", a, axis), exact(x).sum(axis), context)


def check_max(a, x, axis, context):
    same(result("max", a, axis), dtypes.widen(x).max(axis), context)


def check_argmax(a, x, axis, context):
    same(result("argmax", a, axis), dtypes.widen(x).argmax(axis), context)
    same(result("argmin", a, axis), dtypes.widen(x).argmin(axis), context)


def check_any(a, x, axis, context):
    same(result("any", a, axis), dtypes.widen(x).any(axis), context)
    same(result("all", a, axis), dtypes.widen(x).all(axis), context)


def check_count_nonzero(a, x, axis, context):
    same(result("count_nonzero", a, axis), np.count_nonzero(dtypes.widen(x), axis), context)


def check_mean(a, x, axis, context):
    close(result("mean", a, axis), exact(x).mean(axis), context)


def check_var(a, x, axis, context):
    """From exact sums: NumPy's own variance over the first axis adds up one by one."""
    values = exact(x)
    want = (np.abs(values)**2).mean(axis) - np.abs(values.mean(axis))**2
    close(result("var", a, axis, 0), want, context)


def check_ptp(a, x, axis, context):
    if dtypes.name_of(x.dtype) != "bool":
        same(result("ptp", a, axis), np.ptp(dtypes.widen(x), axis), context)


def check_where(a, x, axis, context):
    """A mask, as the input lies and broadcast along the results."""
    mask = np.random.default_rng(1).random(x.shape) < 0.5
    for m in (mask, np.take(mask, [0], 1 - axis)):
        got = gnd.sum(a, gnd.Axes(axis, where=gnd.from_numpy(m))).numpy()
        same(got, exact(x).sum(axis, where=m), context)


def check_cumsum(a, x, axis, context):
    same(result("cumsum", a, axis), exact(x).cumsum(axis), context)


def check_cummax(a, x, axis, context):
    same(result("cummax", a, axis), np.maximum.accumulate(dtypes.widen(x), axis), context)


CHECKS = {name.removeprefix("check_"): f for name, f in list(globals().items())
          if name.startswith("check_")}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CHECKS)
def test_geometry(name, layout):
    g = np.random.default_rng(0)
    for index, shape in enumerate(GEOMETRIES):
        for number, dtype in enumerate(DTYPES):
            # Every dtype meets small arrays, large ones a third of the dtypes, in turn.
            if shape[0] * shape[1] > 150_000 and (index + number) % 3:
                continue
            values = small_numbers(shape, dtype, g)
            a, x, axis = LAYOUTS[layout](values)
            CHECKS[name](a, x, axis, f"{name} of {shape[0]} x {shape[1]} {dtype}, {layout}")


# Several axes: outer and inner ones reduced and the middle kept, and the other way round.
DEEP = [((5, 1003, 129), (0, 2)), ((5, 1003, 129), (1,)), ((130, 3, 1025), (0, 2)), ((33, 65, 17, 9), (1, 3)),
        ((33, 65, 17, 9), (0, 2)), ((2, 3, 5, 7, 1100), (0, 2, 4)), ((2, 3, 5, 7, 1100), (1, 3)),
        ((70001, 2, 3), (0,)), ((70001, 2, 3), (0, 2)), ((3, 2, 70001), (2, 0)), ((1, 99999, 1), (1,)),
        ((257, 129, 2), (2,)), ((257, 129, 2), (0, 1)), ((4, 100, 4, 100), (0, 1, 3))]


@pytest.mark.parametrize("name", ["sum", "max", "var", "argmax", "any", "mean"])
def test_several_axes(name):
    g = np.random.default_rng(2)
    for number, (shape, axes) in enumerate(DEEP):
        for k in range(2):
            dtype = DTYPES[(2 * number + k + 3) % len(DTYPES)]
            if name == "argmax" and len(axes) > 1:
                axes = axes[:1]
            x = small_numbers(shape, dtype, g)
            for a, view in ((gnd.from_numpy(x), x), (flat_view(x, 1), x),
                            (gnd.permute(gnd.from_numpy(x), tuple(range(len(shape)))[::-1]), x.T)):
                given = axes if view is x else tuple(len(shape) - 1 - k for k in axes)
                context = f"{name} of {dtype}{view.shape} over {given}"
                CHECKS[name](a, view, given if len(given) > 1 else given[0], context)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_first_best_complex_number(dtype):
    """Of equal ones the first, beside those that share one part; NaN in either part before all."""
    g = np.random.default_rng(11)
    for n in (1, 2, 7, 8, 9, 33, 64, 65, 200, 3000):
        x = (g.integers(-2, 3, (6, n)) + 1j * g.integers(-2, 3, (6, n))).astype(dtype)
        x[1, n // 2] = complex(0, np.nan)
        x[2, n // 3] = complex(np.nan, 1)
        x[3] = -0.0
        a = gnd.from_numpy(x)
        for view, a in ((x, a), (x[:, ::-1], gnd.flip(a, 1)), (x[::-1], gnd.flip(a, 0)), (x.T, gnd.transpose(a))):
            for name in ("argmin", "argmax"):
                for axis in (0, 1, None):
                    want = getattr(np, name)(view, axis=axis)
                    assert np.array_equal(getattr(gnd, name)(a, axis).numpy(), want), (name, n, axis)
