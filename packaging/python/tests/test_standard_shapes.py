"""The array API standard's manipulation, statistics, searching, sorting, sets, indexing and utilities: the properties
that data-apis/array-api-tests checks, against NumPy."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from standard import (ALL, FLOATS, INTEGERS, NUMERIC, REAL, SIGNED, UNSIGNED, arrays, axes, elements, pairs, quick,
                      same, shapes, tolerance)

import gnd

pytestmark = pytest.mark.filterwarnings("ignore")  # NumPy's


def some(data, ndim, label="axis"):
    return data.draw(st.integers(-ndim, ndim - 1), label=label)


# ---- manipulation -----------------------------------------------------------------------------------------


@quick
@given(st.data())
def test_concat_and_stack(data):
    kinds = data.draw(pairs(), label="dtypes")
    shape = data.draw(shapes(), label="shape")
    many = data.draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=4), label="dtypes of all")
    flat = [data.draw(arrays(dtype, shapes(max_dims=2, max_side=3))) for dtype in many]
    same(gnd.concat([gnd.asarray(x) for x in flat], axis=None), np.concatenate(flat, axis=None))
    equal = [data.draw(arrays(dtype, shape)) for dtype in many]
    for axis in range(-len(shape) - 1, len(shape) + 1):
        same(gnd.stack([gnd.asarray(x) for x in equal], axis=axis), np.stack(equal, axis=axis))
    for axis in range(-len(shape), len(shape)):
        sizes = [data.draw(st.integers(0, 3)) for _ in many]
        parts = [data.draw(arrays(dtype, tuple(n if k == axis % len(shape) else side for k, side in enumerate(shape))))
                 for dtype, n in zip(many, sizes)]
        mine = tuple(gnd.asarray(x) for x in parts)
        same(gnd.concat(mine, axis=axis), np.concatenate(parts, axis=axis))
        if axis == 0:
            same(gnd.concat(mine), np.concatenate(parts))


@quick
@given(arrays(), st.integers(-10, 10))
def test_expand_dims(x, axis):
    mine = gnd.asarray(x)
    if -x.ndim - 1 <= axis <= x.ndim:
        same(gnd.expand_dims(mine, axis=axis), np.expand_dims(x, axis))
    else:
        with pytest.raises(IndexError):
            gnd.expand_dims(mine, axis=axis)
    same(gnd.expand_dims(mine), x[None])


@quick
@given(st.data())
def test_squeeze(data):
    shape = data.draw(st.lists(st.sampled_from([1, 1, 2, 0]), min_size=1, max_size=5).map(tuple))
    x = np.zeros(shape, data.draw(st.sampled_from(ALL)))
    axis = data.draw(axes(x.ndim, none=False), label="axis")
    if all(shape[a] == 1 for a in ([axis] if isinstance(axis, int) else axis)):
        same(gnd.squeeze(gnd.asarray(x), axis), np.squeeze(x, axis))
        same(gnd.squeeze(gnd.asarray(x), axis=axis), np.squeeze(x, axis))
    else:
        with pytest.raises(ValueError):
            gnd.squeeze(gnd.asarray(x), axis)
    with pytest.raises(IndexError):
        gnd.squeeze(gnd.asarray(x), x.ndim)


@quick
@given(st.data())
def test_orders_of_axes(data):
    x = data.draw(arrays(shape=shapes(min_dims=1, max_dims=4, max_side=3)), label="x")
    mine, order = gnd.asarray(x), tuple(data.draw(st.permutations(range(x.ndim)), label="axes"))
    same(gnd.permute_dims(mine, order), np.transpose(x, order))
    same(gnd.permute_dims(mine, tuple(a - x.ndim for a in order)), np.transpose(x, order))
    count = data.draw(st.integers(0, x.ndim), label="count")
    source, target = order[:count], tuple(data.draw(st.permutations(range(x.ndim)))[:count])
    same(gnd.moveaxis(mine, source, target), np.moveaxis(x, source, target))
    source, target = some(data, x.ndim), some(data, x.ndim)
    same(gnd.moveaxis(mine, source, target), np.moveaxis(x, source, target))
    if x.ndim > 1:
        same(gnd.matrix_transpose(mine), np.matrix_transpose(x))
        with pytest.raises(ValueError):
            gnd.permute_dims(mine, order[1:])
        with pytest.raises(ValueError):
            gnd.permute_dims(mine, (0,) * x.ndim)


@quick
@given(st.data())
def test_flip_and_roll(data):
    x = data.draw(arrays(), label="x")
    mine = gnd.asarray(x)
    same(gnd.flip(mine), np.flip(x))
    axis = data.draw(axes(x.ndim), label="axis")
    if axis is not None or x.ndim:
        same(gnd.flip(mine, axis=axis), np.flip(x, axis=axis))
    shift = st.integers(-1000, 1000)
    one = data.draw(shift, label="shift")
    same(gnd.roll(mine, one), np.roll(x, one))
    if axis not in (None, ()):
        count = 1 if isinstance(axis, int) else len(axis)
        many = tuple(data.draw(st.lists(shift, min_size=count, max_size=count), label="shifts"))
        same(gnd.roll(mine, one, axis=axis), np.roll(x, one, axis=axis))
        same(gnd.roll(mine, shift=one if isinstance(axis, int) else many, axis=axis),
             np.roll(x, one if isinstance(axis, int) else many, axis=axis))


@quick
@given(st.data())
def test_repeat_and_tile(data):
    x = data.draw(arrays(), label="x")
    mine = gnd.asarray(x)
    axis = data.draw(st.none() | (st.integers(-x.ndim, x.ndim - 1) if x.ndim else st.nothing()), label="axis")
    size = x.size if axis is None else x.shape[axis]
    count = st.integers(0, 4)
    whole = data.draw(count, label="repeats")
    same(gnd.repeat(mine, whole, axis=axis), np.repeat(x, whole, axis=axis))
    for length in (1, size):
        each = data.draw(nps.arrays(st.sampled_from(SIGNED), length, elements=count), label="repeats")
        same(gnd.repeat(mine, gnd.asarray(each), axis=axis), np.repeat(x, each, axis=axis))
    times = tuple(data.draw(st.lists(count, max_size=x.ndim + 2), label="repetitions"))
    same(gnd.tile(mine, times), np.tile(x, times))


@quick
@given(st.data())
def test_reshape_and_unstack(data):
    x = data.draw(arrays(shape=shapes(max_dims=4, max_side=4)), label="x")
    mine = gnd.asarray(x)
    shape = tuple(data.draw(st.permutations(x.shape)))
    for target in {shape, (*shape, 1), (x.size,), (-1,) if x.size else (0,), (1, x.size)}:
        for copy in (None, True, False):
            made = gnd.reshape(mine, target, copy=copy)
            same(made, np.reshape(x, target))
            if x.size:
                assert gnd.shares_memory(mine, made) is not (copy is True)
    with pytest.raises(ValueError):
        gnd.reshape(mine, (x.size + 1,))
    for axis in range(-x.ndim, x.ndim):
        made = gnd.unstack(mine, axis=axis)
        assert type(made) is tuple and len(made) == x.shape[axis]
        for got, want in zip(made, np.moveaxis(x, axis, 0)):
            same(got, want)
    if x.ndim:
        assert len(gnd.unstack(mine)) == x.shape[0]


def test_reshape_that_needs_a_copy():
    x = gnd.reshape(gnd.arange(6), (2, 3)).T
    assert gnd.reshape(x, (6,)).tolist() == [0, 3, 1, 4, 2, 5]
    with pytest.raises(ValueError):
        gnd.reshape(x, (6,), copy=False)
    with pytest.raises(ValueError):
        gnd.asarray([1.0], copy=False)
    with pytest.raises(ValueError):
        gnd.asarray(gnd.ones(2), dtype="int8", copy=False)


# ---- statistics -------------------------------------------------------------------------------------------


def default_sum(dtype):
    return "int64" if dtype in SIGNED else "uint64" if dtype in UNSIGNED else dtype


@pytest.mark.parametrize("name", ["sum", "prod", "max", "min", "mean", "var", "std", "count_nonzero", "all", "any"])
@quick
@given(st.data())
def test_reductions(name, data):
    kinds = {"mean": FLOATS, "var": FLOATS, "std": FLOATS, "max": REAL, "min": REAL}.get(
        name, ALL if name in ("all", "any", "count_nonzero") else NUMERIC)
    x = data.draw(arrays(kinds, shapes(min_side=0 if name in ("sum", "prod", "any", "all", "count_nonzero") else 1),
                         wide=False), label="x")
    axis, keepdims = data.draw(axes(x.ndim), label="axis"), data.draw(st.booleans(), label="keepdims")
    want = np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims))
    got = getattr(gnd, name)(gnd.asarray(x), axis=axis, keepdims=keepdims)
    rtol = None if want.dtype.kind in "biu" or name in ("max", "min") else tolerance(want.dtype)
    same(got, want, rtol)
    if name in ("sum", "prod"):
        assert got.dtype == default_sum(x.dtype.name)
    if axis is None and not keepdims:
        same(getattr(gnd, name)(gnd.asarray(x)), want, rtol)


@quick
@given(st.data())
def test_sums_in_another_dtype(data):
    first, second = data.draw(pairs(NUMERIC), label="dtypes")
    x = data.draw(arrays(first, wide=False), label="x")
    axis = data.draw(axes(x.ndim), label="axis")
    for name in ("sum", "prod"):
        want = np.asarray(getattr(np, name)(x, axis=axis, dtype=second))
        same(getattr(gnd, name)(gnd.asarray(x), axis=axis, dtype=getattr(gnd, second)), want,
             tolerance(want.dtype) if want.dtype.kind in "fc" else None)


@quick
@given(st.data())
def test_corrections(data):
    x = data.draw(arrays(FLOATS, shapes(min_side=1), wide=False).filter(lambda x: x.size > 1), label="x")
    axis = data.draw(axes(x.ndim, none=False).filter(lambda a: np.sum(np.ones_like(x), axis=a).max() > 2) | st.none())
    correction = data.draw(st.sampled_from([0, 1, 0.0, 1.0, 0.5, 1.5]), label="correction")
    for name in ("std", "var"):
        same(getattr(gnd, name)(gnd.asarray(x), axis=axis, correction=correction),
             getattr(np, name)(x, axis=axis, correction=correction), tolerance(x.dtype) * 10)


@quick
@given(st.data())
def test_cumulative(data):
    first, second = data.draw(pairs(NUMERIC), label="dtypes")
    x = data.draw(arrays(first, shapes(min_dims=1), wide=False), label="x")
    axis = some(data, x.ndim)
    initial, dtype = data.draw(st.booleans(), label="include_initial"), data.draw(st.none() | st.just(second))
    for name in ("cumulative_sum", "cumulative_prod"):
        want = getattr(np, name)(x, axis=axis, dtype=dtype, include_initial=initial)
        rtol = tolerance(want.dtype) if want.dtype.kind in "fc" else None
        got = getattr(gnd, name)(gnd.asarray(x), axis=axis, dtype=dtype, include_initial=initial)
        same(got, want, rtol)
        assert got.dtype == (dtype or default_sum(first))
        if x.ndim == 1:
            same(getattr(gnd, name)(gnd.asarray(x)), getattr(np, name)(x), rtol)
        else:
            with pytest.raises(ValueError):
                getattr(gnd, name)(gnd.asarray(x))


# ---- searching, sorting, indexing -------------------------------------------------------------------------


@quick
@given(st.data())
def test_extremes(data):
    x = data.draw(arrays(REAL, shapes(min_dims=1, min_side=1)), label="x")
    axis = data.draw(st.none() | st.integers(-x.ndim, x.ndim - 1), label="axis")
    for name in ("argmax", "argmin"):
        for keepdims in (False, True):
            same(getattr(gnd, name)(gnd.asarray(x), axis=axis, keepdims=keepdims),
                 np.asarray(getattr(np, name)(x, axis=axis, keepdims=keepdims)))


@quick
@given(arrays())
def test_nonzero(x):
    if x.ndim == 0:
        with pytest.raises(ValueError):
            gnd.nonzero(gnd.asarray(x))
        return
    made = gnd.nonzero(gnd.asarray(x))
    assert type(made) is tuple and len(made) == x.ndim
    for got, want in zip(made, np.nonzero(x)):
        same(got, want)


@quick
@given(nps.mutually_broadcastable_shapes(num_shapes=3, min_side=0, max_side=3, max_dims=3), st.data())
def test_where(drawn, data):
    first, second = data.draw(pairs(), label="dtypes")
    which = data.draw(nps.arrays(bool, drawn.input_shapes[0]), label="condition")
    x, y = data.draw(arrays(first, drawn.input_shapes[1])), data.draw(arrays(second, drawn.input_shapes[2]))
    same(gnd.where(gnd.asarray(which), gnd.asarray(x), gnd.asarray(y)), np.where(which, x, y))
    number = data.draw(elements(first)).item()
    same(gnd.where(gnd.asarray(which), gnd.asarray(x), number), np.where(which, x, np.array(number, first)))
    same(gnd.where(gnd.asarray(which), number, gnd.asarray(x)), np.where(which, np.array(number, first), x))


@quick
@given(st.data())
def test_searchsorted(data):
    dtype = data.draw(st.sampled_from(REAL), label="dtype")
    x = data.draw(arrays(dtype, shapes(min_dims=1, max_dims=1, max_side=9), allow_nan=False), label="x1")
    y = data.draw(arrays(dtype, shapes(max_side=3), allow_nan=False), label="x2")
    order = np.argsort(x)
    for side in ("left", "right"):
        want = np.asarray(np.searchsorted(x[order], y, side=side))
        same(gnd.searchsorted(gnd.asarray(x[order]), gnd.asarray(y), side=side), want)
        same(gnd.searchsorted(gnd.asarray(x), gnd.asarray(y), side=side, sorter=gnd.asarray(order)), want)
        same(gnd.searchsorted(gnd.asarray(x), gnd.asarray(y), side=side, sorter=gnd.argsort(gnd.asarray(x))), want)


@quick
@given(st.data())
def test_sort_and_argsort(data):
    """Equal elements keep their order, in descending order too: as Python's sorted() has it with reverse."""
    dtype = data.draw(st.sampled_from(REAL), label="dtype")
    few = st.integers(0, 3) | elements(dtype, allow_nan=False)
    x = data.draw(nps.arrays(dtype, shapes(min_dims=1, min_side=0, max_side=8, max_dims=3), elements=few), label="x")
    x = x + np.array(0, dtype)  # no -0: the standard does not say where it stands
    axis = some(data, x.ndim)
    for descending in (False, True):
        order = np.apply_along_axis(lambda line: sorted(range(len(line)), key=line.__getitem__, reverse=descending),
                                    axis, x) if x.size else np.zeros(x.shape)
        order = order.astype("int64").reshape(x.shape)
        for stable in (True, False):
            got = gnd.argsort(gnd.asarray(x), axis=axis, descending=descending, stable=stable)
            same(got, order)
            same(gnd.sort(gnd.asarray(x), axis=axis, descending=descending, stable=stable),
                 np.take_along_axis(x, order, axis))
    same(gnd.sort(gnd.asarray(x)), np.sort(x, kind="stable"))
    same(gnd.argsort(gnd.asarray(x)), np.argsort(x, kind="stable"))


@quick
@given(st.data())
def test_take(data):
    x = data.draw(arrays(shape=shapes(min_dims=1, min_side=1)), label="x")
    axis = some(data, x.ndim)
    which = st.integers(-x.shape[axis], x.shape[axis] - 1)
    for dtype in ("int64", data.draw(st.sampled_from(SIGNED))):
        index = data.draw(nps.arrays(dtype, st.integers(0, 5), elements=which), label="indices")
        same(gnd.take(gnd.asarray(x), gnd.asarray(index), axis=axis), np.take(x, index, axis=axis))
        if x.ndim == 1:
            same(gnd.take(gnd.asarray(x), gnd.asarray(index)), np.take(x, index))
        shape = list(x.shape)
        shape[axis] = data.draw(st.integers(0, 6))
        along = data.draw(nps.arrays(dtype, tuple(shape), elements=which), label="indices along")
        same(gnd.take_along_axis(gnd.asarray(x), gnd.asarray(along), axis=axis), np.take_along_axis(x, along, axis))
        broadcast = along[tuple(slice(0, 1) if k != axis % x.ndim else slice(None) for k in range(x.ndim))]
        same(gnd.take_along_axis(gnd.asarray(x), gnd.asarray(broadcast), axis=axis),
             np.take_along_axis(x, broadcast, axis))
        if axis in (-1, x.ndim - 1):
            same(gnd.take_along_axis(gnd.asarray(x), gnd.asarray(along)), np.take_along_axis(x, along, -1))


# ---- sets, utilities --------------------------------------------------------------------------------------


@quick
@given(st.data())
def test_sets(data):
    """NaNs are distinct; each value's first index; inverse indices of x's shape."""
    dtype = data.draw(st.sampled_from(ALL), label="dtype")
    few = st.sampled_from([0, 1]) if dtype == "bool" else st.integers(0, 3) | elements(dtype, wide=False)
    if dtype in FLOATS:
        few |= st.just(math.nan)
    x = data.draw(nps.arrays(dtype, shapes(min_side=0, max_dims=3), elements=few), label="x") + np.array(0, dtype)
    made = gnd.unique_all(gnd.asarray(x))
    assert type(made) is not tuple and made._fields == ("values", "indices", "inverse_indices", "counts")
    values, index, inverse, counts = np.unique(x, return_index=True, return_inverse=True, return_counts=True,
                                               equal_nan=False)
    same(made.values, values)
    same(made.indices, index)
    same(made.counts, counts)
    same(made.inverse_indices, np.asarray(inverse).reshape(x.shape))
    pair = gnd.unique_counts(gnd.asarray(x))
    assert pair._fields == ("values", "counts")
    same(pair.values, values)
    same(pair.counts, counts)
    pair = gnd.unique_inverse(gnd.asarray(x))
    assert pair._fields == ("values", "inverse_indices")
    same(pair.values, values)
    same(pair.inverse_indices, np.asarray(inverse).reshape(x.shape))
    same(gnd.unique_values(gnd.asarray(x)), values)


@quick
@given(st.data())
def test_diff(data):
    dtype = data.draw(st.sampled_from(NUMERIC), label="dtype")
    x = data.draw(arrays(dtype, shapes(min_dims=1, min_side=1), wide=False), label="x")
    axis, n = some(data, x.ndim), data.draw(st.integers(0, 3), label="n")
    same(gnd.diff(gnd.asarray(x), axis=axis, n=n), np.diff(x, axis=axis, n=n))
    ends = []
    for _ in range(2):
        shape = list(x.shape)
        shape[axis] = data.draw(st.integers(1, 3))
        ends.append(data.draw(arrays(dtype, tuple(shape), wide=False)))
    mine = [gnd.asarray(e) for e in ends]
    same(gnd.diff(gnd.asarray(x), axis=axis, n=n, prepend=mine[0], append=mine[1]),
         np.diff(x, axis=axis, n=n, prepend=ends[0], append=ends[1]))
    same(gnd.diff(gnd.asarray(x)), np.diff(x))


@pytest.mark.parametrize("name", "sum max argmax sort flip all cumulative_sum unstack moveaxis".split())
def test_axes_that_are_not_there(name):
    x = gnd.ones((2, 3), dtype="int64")
    for axis in (2, -3):
        with pytest.raises((ValueError, IndexError)):
            getattr(gnd, name)(x, axis, 0) if name == "moveaxis" else getattr(gnd, name)(x, axis=axis)
    if name in ("sum", "max", "all", "flip"):
        with pytest.raises(ValueError):
            getattr(gnd, name)(x, axis=(0, 0))


def test_integers_wrap_in_sums():
    for dtype in INTEGERS:
        x = np.full(5, np.iinfo(dtype).max, dtype)
        same(gnd.sum(gnd.asarray(x)), np.asarray(np.sum(x)))
        same(gnd.sum(gnd.asarray(x), dtype=dtype), np.asarray(np.sum(x, dtype=dtype)))
        same(gnd.prod(gnd.asarray(x), dtype=dtype), np.asarray(np.prod(x, dtype=dtype)))
