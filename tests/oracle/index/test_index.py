"""a[items] and assignment to it with every kind of item, take, put, their forms along an axis, and
updates at indices, against NumPy: its documented cases, all dtypes, random tuples of items, errors."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
from check import assert_same
from test_faults import run_with_failures
from values import random_values

gnd_take = gnd.function("gnd_take")  # gnd.take is the binding's own
MODES = {"raise": gnd.RAISE, "wrap": gnd.WRAP, "clip": gnd.CLIP}


def pack(items):
    """NumPy's items as the binding takes them."""
    items = items if isinstance(items, tuple) else (items,)
    return [gnd.from_numpy(x) if isinstance(x, np.ndarray) else x for x in items]


def get(a, items):
    items = pack(items)
    return gnd.get(a, len(items), items)


def put_into(a, items, value):
    items = pack(items)
    gnd.set(a, len(items), items, gnd.from_numpy(value) if isinstance(value, np.ndarray) else value)


def check_get(x, items, a=None):
    got, want = get(gnd.from_numpy(x) if a is None else a, items), x[items]
    assert_same(got, np.asarray(want), f"{x.shape}[{items}]", strides=False)


def check_set(x, items, value):
    got, want = gnd.from_numpy(x), x.copy()
    want[items] = value
    put_into(got, items, value)
    assert_same(got, want, f"{x.shape}[{items}] = {value!r}")


def one_whole_mask(x, items):
    """Where NumPy takes no value of several dimensions, though it would broadcast."""
    masks = [i for i in items if isinstance(i, np.ndarray)]
    return len(masks) == 1 and masks[0].dtype == bool and masks[0].ndim == x.ndim


# ---- NumPy's documented cases -------------------------------------------------------------------------

X1 = np.arange(10, 1, -1)
Y = np.arange(35).reshape(5, 7)
X34 = np.arange(12).reshape(4, 3)
X3 = np.arange(30).reshape(2, 3, 5)
N = np.newaxis

# From the user guide ("Indexing on ndarrays"), the reference ("Indexing routines") and NEP 21.
DOCUMENTED = [
    (X1, (np.array([3, 3, 1, 8]),)),
    (X1, (np.array([3, 3, -3, 8]),)),
    (X1, (np.array([[1, 1], [2, 3]]),)),
    (np.array([[1, 2], [3, 4], [5, 6]]), (np.array([1, -1]),)),
    (Y, (np.array([0, 2, 4]), np.array([0, 1, 2]))),
    (Y, (np.array([0, 2, 4]), 1)),
    (Y, (np.array([0, 2, 4]),)),
    (np.array([[1, 2], [3, 4], [5, 6]]), (np.array([0, 1, 2]), np.array([0, 1, 0]))),
    (X34, (np.array([[0, 0], [3, 3]]), np.array([[0, 2], [0, 2]]))),
    (X34, (np.array([0, 3])[:, N], np.array([0, 2]))),
    (X34, (np.array([0, 3]), np.array([0, 2]))),
    (X34, (slice(1, 2), slice(1, 3))),
    (X34, (slice(1, 2), np.array([1, 2]))),
    (Y, (np.array([0, 2, 4]), slice(1, 3))),
    (Y, (slice(None), np.array([1, 2]))),
    (Y, (Y > 20,)),
    (Y, ((Y > 20)[:, 5],)),
    (X3, (np.array([[True, True, False], [False, True, True]]),)),
    (X3, (np.array([True, False]), np.array([0, 2]))),
    (X3, (np.array([1, 0]), np.array([True, False, True]))),
    (X34, (np.array([False, True, False, True])[:, N] * np.ones(3, bool),)),
    (X34, (np.array([False, True, False, True]), np.array([0, 2]))),
    (X34, (np.ix_(np.array([False, True, False, True]), [0, 2]))),
    (X34, (slice(None), N, slice(None), slice(None))[:3]),
    (X34, (Ellipsis, np.array([0, 1]))),
    (X34, (N, np.array([0, 1]), N)),
    # A single array among three axes, and two that are neighbours or not.
    (X3, (Ellipsis, np.array([[0, 1], [1, 2]]), slice(None))),
    (X3, (np.array([0, 1]), slice(None), np.array([0, 1]))),
    (X3, (slice(None), np.array([0, 1]), np.array([0, 1]))),
    (X3, (0, slice(None), np.array([0, 1]))),
    (X3, (slice(None), 0, np.array([0, 1]))),
    (X3, (np.array([0, 1]), Ellipsis, np.array([0, 1]))),
    (X3, (np.array([0, 1]), N, np.array([0, 1]))),
    (X3, (0, N, np.array([0, 1]))),
    (X3, (Ellipsis, N, np.array([0, 1, 4]))),
    # No dimensions: integers as arrays, and truth itself.
    (X3, (np.array(1),)),
    (X3, (np.array(1), slice(None), np.array(2))),
    (X3, (np.array(True),)),
    (X3, (np.array(False),)),
    (X3, (np.array(True), 1)),
    (X3, (slice(None), np.array(True), 1)),
    (X3, (1, slice(None), np.array(True))),
    (X3, (np.array(True), np.array([0, 1]))),
    (X3, (np.array(False), np.array([0, 1])[:1])),
    (np.array(5), (np.array(True),)),
    (np.array(5), (Ellipsis, np.array(False))),
    # Nothing.
    (X34, (np.array([], int),)),
    (X34, (np.zeros((0, 2), int), np.array([1, 2]))),
    (X34, (np.zeros(4, bool),)),
    (np.zeros((0, 3)), (np.array([], int),)),
    (np.zeros((0, 3)), (slice(None), np.array([1, 1]))),
    (np.zeros((3, 0)), (np.array([2, 0, -1]),)),
    (np.zeros((3, 0)), (np.array([True, False, True]),)),
]


@pytest.mark.parametrize("x, items", DOCUMENTED)
def test_documented(x, items):
    check_get(x, items)
    shape = x[items].shape
    check_set(x, items, 77)
    if np.unique(np.arange(x.size).reshape(x.shape)[items]).size == x[items].size:
        check_set(x, items, -np.arange(1, x[items].size + 1).reshape(shape).astype(x.dtype))
    if shape and shape[-1] > 0:
        check_set(x, items, np.arange(shape[-1]).astype("float32"))
        if not one_whole_mask(x, items):
            check_set(x, items, np.arange(shape[-1]).reshape((1,) * (len(shape) + 2) + (-1,)))


def test_strings_and_integers():
    x = np.arange(60).reshape(3, 4, 5)
    a, rows = gnd.from_numpy(x), np.array([0, 2])
    i = gnd.from_numpy(rows)
    assert_same(gnd.get(a, 2, [i, "1:3, ::-1"]), x[rows, 1:3, ::-1], strides=False)
    assert_same(gnd.get(a, 2, ["..., None", i]), x[..., N, rows], strides=False)
    assert_same(gnd.get(a, 3, ["1", "", i]), x[1, rows], strides=False)
    assert_same(gnd.get(a, 1, ["1:, 2"]), x[1:, 2])
    assert_same(gnd.slice_ix(a, 2, ["1:", -1]), x[1:, -1])
    assert gnd.get(a, 2, [1, "2"]).address == a["1, 2"].address
    gnd.set(a, 1, ["1:, 2"], 9)
    x[1:, 2] = 9
    assert_same(a, x)
    gnd.set(a, 0, [], 3)
    assert_same(a, np.full_like(x, 3))


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_dtypes(dtype):
    g = np.random.default_rng(1)
    x = random_values(dtype, (7, 6), g)
    i, j = np.array([6, 0, -1, 3, 3]), np.array([0, -6, 5, 2, 1])
    for items in ((i,), (i, j), (slice(None), j), (slice(1, None, 2), j), (i, slice(None, None, -2))):
        check_get(x, items)
    check_set(x, (i[:4], j[:4]), random_values(dtype, (4,), g))
    check_set(x, (i[:4],), random_values(dtype, (4, 6), g))
    check_set(x, (slice(None), j[:4]), random_values(dtype, (7, 4), g))
    rows = np.array([1, 0, 1, 1])  # the last value holds
    check_set(x, (rows,), random_values(dtype, (4, 6), g))
    for other in ("float64", "int8", "complex64"):
        if dtype in dtypes.COMPLEX or other not in dtypes.COMPLEX:
            value = np.array([1, 2, 3, 4]).astype(other)
            got, want = gnd.from_numpy(x), x.copy()
            want[i[:4], j[:4]] = dtypes.cast(value, dtype)
            put_into(got, (i[:4], j[:4]), value)
            assert_same(got, want, other)
    for index in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"):
        k = np.array([5, 0, 3]).astype(index)
        check_get(x, (k,))
        check_get(x, (slice(None), k))
        if not index.startswith("u"):
            check_get(x, (-k,))


def layouts_of(x):
    """(NumPy array, gnd array) of one shape each."""
    a = gnd.from_numpy(x)
    yield x, a
    yield x.T, gnd.transpose(a)
    yield x[::-1, ::2], a["::-1, ::2"]
    yield x[1:, 3:-1], a["1:, 3:-1"]
    yield np.broadcast_to(x[:1], x.shape), gnd.broadcast_to(a[":1"], x.shape)


def test_layouts():
    """Arrays, indices and values of any strides; rows that words of every size fit or don't."""
    g = np.random.default_rng(2)
    for width in (1, 2, 3, 4, 6, 8, 16, 20):
        for dtype in ("uint8", "int16", "float32", "complex128"):
            x = random_values(dtype, (9, width + 4), g)
            for y, b in layouts_of(x):
                i = g.integers(-len(y), len(y), (4, 6))
                j = g.integers(-y.shape[1], y.shape[1], (4, 6))
                for index in (i, i.T, i[::2, ::-1], np.broadcast_to(i[0], (3, 6))):
                    check_get(y, (index,), b)
                for items in ((i, j), (i.T, j.T), (slice(None), j), (i[0], j[:, :1])):
                    check_get(y, items, b)
    x = np.zeros((6, 8))
    for order in range(3):
        got, want = gnd.from_numpy(x), x.copy()
        view, seen = [(gnd.transpose(got), want.T), (got["::-1, 1::2"], want[::-1, 1::2]),
                      (got["2:, 3:"], want[2:, 3:])][order]
        rows = g.permutation(len(seen))[:3]
        value = g.random((seen.shape[1], 3)).T
        seen[rows] = value
        gnd.set(view, 1, [gnd.from_numpy(rows)], gnd.transpose(gnd.from_numpy(value.T.copy())))
        assert_same(got, want)


def test_set_last_holds():
    """Places that are named many times get the value that comes last in C order."""
    g = np.random.default_rng(3)
    for size, n in ((5, 1000), (1000, 100000), (300000, 1000), (7, 7)):
        x = np.zeros(size, "int32")
        check_set(x, (g.integers(-size, size, n),), np.arange(n, dtype="int32"))
    # shared out by places between threads of a CPU: not one straight array, and rows of many bytes
    x = np.zeros((40, 30), "int32")
    many = 70000
    check_set(x, (g.integers(-40, 40, many, "int16"), g.integers(-30, 30, many)), np.arange(many, dtype="int32"))
    check_set(x[::-1], (g.integers(-40, 40, many, "int16"),), np.arange(30 * many, dtype="int32").reshape(many, 30))
    x = np.zeros((50, 7), "float32")
    check_set(x, (g.integers(0, 50, 4000),), g.random((4000, 7)).astype("float32"))
    check_set(x, (g.integers(0, 50, 4000), g.integers(0, 7, 4000)), g.random(4000).astype("float32"))
    got, want = gnd.from_numpy(x), x.copy()
    index = g.integers(0, 50, (4000, 1))
    for k in range(7):
        want[index[:, 0], k] = np.arange(4000)
    np.testing.assert_array_equal(np.unique(index).size, 50)
    gnd.put_along_axis(got, gnd.from_numpy(np.broadcast_to(index, (4000, 7))),
                       gnd.from_numpy(np.arange(4000.0)[:, N]), 0)
    assert_same(got, want)
    got, want = gnd.zeros((9,), "int64"), np.zeros(9, "int64")
    index = g.integers(0, 9, 1000)
    np.put(want, index, np.arange(17))
    gnd.put(got, gnd.from_numpy(index), gnd.from_numpy(np.arange(17)), gnd.RAISE)
    assert_same(got, want)


def test_shared_memory():
    """Indices and values that share memory with the array count as they were."""
    x = np.arange(12)
    got, want = gnd.from_numpy(x), x.copy()
    want[x[::-1]] = want.copy()
    gnd.set(got, 1, [got["::-1"]], got)
    assert_same(got, want)
    got, want = gnd.from_numpy(x), x.copy()
    want[np.array([3, 4, 5])] = x[2:5]
    gnd.set(got, 1, [gnd.from_numpy(np.array([3, 4, 5]))], got["2:5"])
    assert_same(got, want)
    got, want = gnd.from_numpy(x), x.copy()
    np.put(want, x[:8][::-1], x[:3].copy())
    gnd.put(got, got[":8"]["::-1"], got[":3"], gnd.RAISE)
    assert_same(got, want)
    got = gnd.from_numpy(x)
    gnd_take(got, got["::-1"], gnd.Axes(out=got), gnd.RAISE).release()
    assert_same(got, x[::-1].copy())


# ---- random tuples ------------------------------------------------------------------------------------


@st.composite
def cases(draw):
    g = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = tuple(draw(st.integers(0, 5)) for _ in range(draw(st.integers(0, 5))))
    common = tuple(draw(st.integers(0, 3)) for _ in range(draw(st.integers(0, 2))))
    items, axis, ellipsis = [], 0, False
    for _ in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["integer", "array", "array", "array", "range", "mask", "truth", "new",
                                     "ellipsis"]))
        size = shape[axis] if axis < len(shape) else draw(st.integers(1, 3))
        slack = draw(st.integers(0, 20)) == 0  # now and then something is out of range
        if kind == "integer":
            items.append(int(g.integers(-size - slack, max(size + slack, -size + 1))))
            axis += 1
        elif kind == "array":
            own = tuple(n if draw(st.integers(0, 4)) else 1 for n in common)
            own = own[draw(st.integers(0, len(own))):] if draw(st.booleans()) else own
            if draw(st.integers(0, 30)) == 0:
                own += (2,)
            items.append(np.asarray(g.integers(-size, max(size, -size + 1), own)).astype(
                draw(st.sampled_from(["int64", "int32", "int8"]))))
            axis += 1
        elif kind == "range":
            items.append(slice(*(draw(st.one_of(st.none(), st.integers(-4, 4))) for _ in range(2)),
                               draw(st.sampled_from([None, 1, 2, -1, -3]))))
            axis += 1
        elif kind == "mask":
            n = draw(st.integers(1, 3))
            own = tuple(shape[axis:axis + n]) if draw(st.integers(0, 15)) else (2,) * n
            items.append(np.asarray(g.random(own) < 0.4))
            axis += n
        elif kind == "truth":
            if draw(st.integers(0, 3)) == 0:
                items.append(np.array(draw(st.booleans())))
        elif kind == "new":
            items.append(None)
        elif not ellipsis or draw(st.integers(0, 10)) == 0:
            ellipsis = True
            items.append(Ellipsis)
            axis = max(axis, len(shape) - draw(st.integers(0, 2)))
    return g, shape, tuple(items)


def outcome(call):
    """What a call gives, or the class of its error."""
    try:
        return call(), None
    except (IndexError, ValueError) as error:
        return None, error


# NumPy's error classes and the codes that stand for them; a mask or indices of another shape are
# IndexErrors there, and a matter of shapes here.
CODES = {IndexError: (gnd.ERROR_INDEX, gnd.ERROR_SHAPE), ValueError: (gnd.ERROR_SHAPE, gnd.ERROR_VALUE)}


def expect_error(call, error, context):
    with pytest.raises(gnd.Error) as caught:
        call()
    assert caught.value.code in CODES[type(error)], f"{context}: {caught.value}, not {error!r}"


@given(case=cases())
def test_random_get(case):
    g, shape, items = case
    x = g.integers(0, 1000, shape).astype("int32")
    a = gnd.from_numpy(x)
    if len(shape) > 1 and g.random() < 0.5:
        x, a = x.swapaxes(0, -1), gnd.swapaxes(a, 0, -1)
        if x.shape != shape:
            x, a = x.swapaxes(0, -1), gnd.swapaxes(a, 0, -1)
    want, error = outcome(lambda: np.asarray(x[items]))
    if error is not None:
        expect_error(lambda: get(a, items).numpy(), error, f"{shape}[{items}]")
    else:
        assert_same(get(a, items), want, f"{shape}[{items}]", strides=False)


@given(case=cases(), data=st.data())
def test_random_set(case, data):
    g, shape, items = case
    x = g.integers(0, 1000, shape).astype("float64")
    chosen, error = outcome(lambda: np.arange(x.size).reshape(shape)[items])
    if error is None and np.unique(chosen).size == np.size(chosen):
        value_shape = tuple(n if g.random() < 0.8 else 1 for n in np.shape(chosen))
        value_shape = value_shape[data.draw(st.integers(0, len(value_shape))):]
        if data.draw(st.integers(0, 5)) == 0 and not one_whole_mask(x, items):
            value_shape = (1,) * data.draw(st.integers(0, 2)) + value_shape
        if data.draw(st.integers(0, 10)) == 0:
            value_shape += (data.draw(st.integers(0, 3)),)
        if np.ndim(chosen) == 0:  # NumPy then takes a number alone, gnd whatever has one element
            value_shape = ()
        value = g.integers(0, 1000, value_shape).astype(data.draw(st.sampled_from(["float64", "int16"])))
        value = np.asarray(value)
    else:  # places that are named again: NumPy leaves the order open, and walks as memory lies
        value = 7.0
    want = x.copy()

    def assign():
        want[items] = value

    _, error = outcome(assign)
    got = gnd.from_numpy(x)
    context = f"{shape}[{items}] = {value!r}"

    def call():
        put_into(got, items, value)
        got.numpy()

    if error is not None:
        expect_error(call, error, context)
    else:
        call()
        assert_same(got, want, context)


# ---- take, put and their forms along an axis ----------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_take(mode):
    g = np.random.default_rng(4)
    x = random_values("float32", (4, 6, 5), g)
    a = gnd.from_numpy(x)
    far = 50 if mode != "raise" else 0
    for y, b in ((x, a), (x.transpose(2, 0, 1), gnd.permute(a, (2, 0, 1))),
                 (x[::-1, 1::2, 2:4], a["::-1, 1::2, 2:4"]), (x[0, 0, 0], a["0, 0, 0"])):
        y = np.asarray(y)
        for axis in [None, *range(-y.ndim, y.ndim)]:
            size = y.size if axis is None else y.shape[axis]
            for index_shape in ((), (0,), (7,), (2, 3), (3, 0)):
                index = np.asarray(g.integers(-size - far, size + far, index_shape))
                want = np.asarray(np.take(y, index, axis=axis, mode=mode))
                got = gnd_take(b, gnd.from_numpy(index), axis, MODES[mode])
                context = f"take {y.shape} by {index_shape} along {axis}, {mode}"
                assert_same(got, want, context, strides=False)
                out = gnd.zeros(want.shape, "float64")
                back = gnd_take(b, gnd.from_numpy(index), gnd.Axes(*(() if axis is None else (axis,)),
                                                                   out=out), MODES[mode])
                assert back.address == out.address
                assert_same(out, want.astype("float64"), context, strides=False)
    out = gnd.zeros((5, 4), "float32")
    index = np.array([3, 0, 2, 2])
    gnd_take(a["0"], gnd.from_numpy(index), gnd.Axes(0, out=gnd.transpose(out)), gnd.RAISE).release()
    assert_same(gnd.transpose(out), x[0][index].T.copy().T, strides=False)
    assert gnd_take(gnd.zeros((0, 3), None), gnd.zeros((0, 2), "int8"), 0, gnd.RAISE).shape == (0, 2, 3)
    assert gnd_take(gnd.zeros((3, 0), None), gnd.from_numpy(np.array([1])), 0, gnd.RAISE).shape == (1, 0)


@pytest.mark.parametrize("name", ["uint8", "int16", "float32", "complex128"])
def test_take_of_long_rows(name):
    """Whole rows, which a GPU copies block by block; rows that are not there are zeros until the error comes."""
    g = np.random.default_rng(5)
    x = random_values(name, (37, 5003), g)
    a = gnd.from_numpy(x)
    index = g.integers(-37, 37, 50)
    for part, b in ((x, a), (x[:, 1:4098], a[":, 1:4098"]), (x[:, :4096], a[":, :4096"]), (x[::-2], a["::-2"])):
        rows = index % part.shape[0]
        for kind in ("int64", "int8"):
            got = gnd_take(b, gnd.from_numpy(rows.astype(kind)), 0, gnd.RAISE)
            assert_same(got, part[rows], f"{name} {part.shape} by {kind}")
        assert_same(gnd_take(b, gnd.from_numpy(index), 0, gnd.WRAP), np.take(part, index, 0, mode="wrap"), name)
    expect_error(lambda: gnd_take(a, gnd.from_numpy(np.array([3, 37, 5])), 0, gnd.RAISE).numpy(), IndexError(), name)


def test_take_along_axis():
    g = np.random.default_rng(5)
    x = random_values("int16", (4, 6, 5), g)
    a = gnd.from_numpy(x)
    for y, b in ((x, a), (x.transpose(1, 2, 0), gnd.permute(a, (1, 2, 0))), (x[:, ::-1, :1], a[":, ::-1, :1"])):
        for axis in range(-y.ndim, y.ndim):
            for length in (0, 1, 9):
                shape = list(y.shape)
                shape[axis] = length
                for ones in (0, 1, 2):
                    if ones != axis % 3:
                        shape[ones] = 1 if g.random() < 0.4 else shape[ones]
                index = g.integers(-y.shape[axis], y.shape[axis], shape)
                got = gnd.take_along_axis(b, gnd.from_numpy(index), axis)
                assert_same(got, np.take_along_axis(y, index, axis), f"{y.shape} {shape} {axis}", strides=False)
        index = g.integers(-y.size, y.size, 11)
        assert_same(gnd.take_along_axis(b, gnd.from_numpy(index), None),
                    np.take_along_axis(y, index, None))
    order = gnd.argsort(a, 1, gnd.ASCENDING)
    assert_same(gnd.take_along_axis(a, order, 1), np.sort(x, 1), strides=False)


def test_put():
    g = np.random.default_rng(6)
    for shape in ((12,), (3, 4), (2, 3, 2), ()):
        for dtype in ("int32", "float64", "uint8", "bfloat16"):
            for mode in MODES:
                x = random_values(dtype, shape, g)
                size = x.size
                far = 50 if mode != "raise" else 0
                for n in (0, 1, 5, 23):
                    index = g.integers(-size - far, size + far, n)
                    for count in (0, 1, 2, 5, 40):
                        values = random_values(dtype, (count,), g)
                        got, want = gnd.from_numpy(x), x.copy()
                        np.put(want, index, values, mode=mode)
                        gnd.put(got, gnd.from_numpy(index), gnd.from_numpy(values), MODES[mode])
                        assert_same(got, want, f"{shape} {dtype} {mode} {n} {count}")
    got, want = gnd.zeros((4, 6), "int32"), np.zeros((4, 6), "int32")
    index, values = np.array([[0, 5, 23], [-1, 7, 9]]), np.array([[1.5, 2], [3, 4]])
    flipped = want[::-1, 1::2].T.copy()
    np.put(flipped, index[:, :2] % 12, values)
    want[::-1, 1::2] = flipped.T
    gnd.put(gnd.transpose(got["::-1, 1::2"]), gnd.from_numpy(index[:, :2] % 12), gnd.from_numpy(values),
            gnd.RAISE)
    assert_same(got, want)
    gnd.put(got, gnd.from_numpy(index), 8, gnd.RAISE)
    np.put(want, index, 8)
    assert_same(got, want)


def test_put_along_axis():
    g = np.random.default_rng(7)
    for axis in (0, 1, -1):
        x = g.random((4, 6))
        index = np.argsort(g.random((4, 6)), axis=axis)
        index = index[:3] if axis == 0 else index[:, :3]
        for values in (g.random(index.shape), g.random(index.shape[1:]), np.float32(2.5), g.random((1, 1))):
            got, want = gnd.from_numpy(x), x.copy()
            np.put_along_axis(want, index, values, axis)
            value = gnd.from_numpy(values) if isinstance(values, np.ndarray) else float(values)
            gnd.put_along_axis(got, gnd.from_numpy(index), value, axis)
            assert_same(got, want, f"axis {axis}")
    got, want = gnd.from_numpy(x), x.copy()
    np.put_along_axis(want.reshape(-1), np.array([3, -1, 7]), np.array([1.0, 2, 3]), 0)
    gnd.put_along_axis(got, gnd.from_numpy(np.array([3, -1, 7])), gnd.from_numpy(np.array([1, 2, 3])), None)
    assert_same(got, want)
    largest = gnd.argmax(got, gnd.Axes(1, keepdims=True))
    np.put_along_axis(want, np.argmax(want, 1, keepdims=True), 0, 1)
    gnd.put_along_axis(got, largest, 0, 1)
    assert_same(got, want)


# ---- updates ------------------------------------------------------------------------------------------

UPDATES = {"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum}


@pytest.mark.parametrize("name", UPDATES)
def test_scatter(name):
    g = np.random.default_rng(8)
    function = gnd.function("gnd_scatter_" + name)
    for dtype in ("int32", "float64", "bool", "uint8"):
        for items in ((np.array([1, 1, 0, -1]),), (slice(None), np.array([2, 2, 0])),
                      (np.array([1, 1]), slice(1, None), np.array([[0], [2], [0]])),
                      (1, slice(None, None, -1), np.array([3, 3])), (Ellipsis, np.array([1, 1])),
                      (np.array([True, False, True]),), (g.random((3, 4)) < 0.5, np.array(1)),
                      (slice(1), 2), (np.array([], int),)):
            x = random_values(dtype, (3, 4, 5), g, 0)
            shape = x[items].shape
            for b in (random_values(dtype, shape, g, 0), random_values(dtype, shape[-1:], g, 0), 1):
                got, want = gnd.from_numpy(x), x.copy()
                with np.errstate(all="ignore"):
                    UPDATES[name].at(want, items, b)
                packed = pack(items)
                function(got, len(packed), packed, gnd.from_numpy(b) if isinstance(b, np.ndarray) else b)
                assert_same(got, want, f"{name} {dtype} {items}")


def test_at_masks():
    x = np.arange(12.0).reshape(3, 4)
    got, want = gnd.from_numpy(x), x.copy()
    mask = x % 3 == 0
    np.add.at(want, mask, np.array([1.0, 2, 3, 4]))
    gnd.at("add", got, 1, [gnd.from_numpy(mask)], gnd.from_numpy(np.array([1.0, 2, 3, 4])))
    assert_same(got, want)
    np.negative.at(want, (np.array([True, False, True]), 1))
    gnd.at("negative", got, 2, [gnd.from_numpy(np.array([True, False, True])), 1], None)
    assert_same(got, want)


# ---- errors -------------------------------------------------------------------------------------------


def along(a, i, axis=1):
    return gnd.take_along_axis(a, i, axis)


@pytest.mark.parametrize("call, code, text", [
    (lambda a, i: get(a, (0, 0, 0)), "INDEX", "2 dimensions, shape (4, 3), but 3"),
    (lambda a, i: get(a, (np.array([0]),) * 3), "INDEX", "2 dimensions, shape (4, 3), but 3"),
    (lambda a, i: get(a, (np.zeros((4, 3, 1), bool),)), "INDEX", "but 3 were indexed"),
    (lambda a, i: get(a, (4, np.array([0]))), "INDEX", "index 4 is out of bounds for axis 0 of size 4"),
    (lambda a, i: get(a, (np.array([0]), -4)), "INDEX", "index -4 is out of bounds for axis 1 of size 3"),
    (lambda a, i: get(a, (Ellipsis, np.array([0]), Ellipsis)), "INDEX", "single ellipsis"),
    (lambda a, i: get(a, (np.array([0.5]),)), "DTYPE", "float64"),
    (lambda a, i: get(a, (np.array([0, 1]), np.array([0, 1, 2]))), "SHAPE", "(3,) does not fit (2,)"),
    (lambda a, i: get(a, (np.array([True, False]),)), "SHAPE", "axis 0 has size 4, the mask's 2"),
    (lambda a, i: get(a, (slice(None), np.ones(4, bool))), "SHAPE", "axis 1 has size 3, the mask's 4"),
    (lambda a, i: gnd.get(a, 2, [i, "1:%d"]), "INVALID", "no arguments for conversions"),
    (lambda a, i: gnd.get(a, 2, [i, "fish"]), "INVALID", "fish"),
    (lambda a, i: gnd.get(a, -1, [i]), "INVALID", "-1 items"),
    (lambda a, i: gnd.get(None, 1, [i]), "INVALID", "a"),
    (lambda a, i: gnd.get(a, 1, None), "INVALID", "items"),
    (lambda a, i: gnd.get(gnd.zeros((0, 2), None), 1, [i]), "INDEX", "shape (0, 2) has nothing to index on axis 0"),
    (lambda a, i: gnd.slice_ix(a, 1, [i]), "INVALID", "gnd_get"),
    (lambda a, i: gnd.set(a, 1, [i], gnd.zeros((2, 3), None)), "SHAPE",
     "(2, 3) does not broadcast to the indexed shape (3, 3)"),
    (lambda a, i: gnd.set(a, 1, [i], gnd.zeros((4,), None)), "SHAPE", "(4,)"),
    (lambda a, i: gnd.set(a, 1, [i], 1j), "DTYPE", "complex"),
    (lambda a, i: gnd.set(a, 1, [i], None), "INVALID", "value"),
    (lambda a, i: gnd.set(gnd.zeros((4,), "int8"), 1, [i], 300), "VALUE", "300"),
    (lambda a, i: gnd.set(gnd.broadcast_to(a, (2, 4, 3)), 1, [i], 1), "INVALID", "read-only"),
    (lambda a, i: gnd.set(a, 1, [1], gnd.zeros((2,), None)), "SHAPE", "(2,)"),
    (lambda a, i: gnd_take(a, gnd.zeros((2,), None), 0, 0), "DTYPE", "float64"),
    (lambda a, i: gnd_take(a, i, 2, 0), "AXIS", "axis 2"),
    (lambda a, i: gnd_take(a, i, (0, 1), 0), "INVALID", "one axis; 2"),
    (lambda a, i: gnd_take(a, i, 0, 7), "INVALID", "7 is no mode"),
    (lambda a, i: gnd_take(a, i, gnd.Axes(0, keepdims=True), 0), "INVALID", "out"),
    (lambda a, i: gnd_take(a, i, gnd.Axes(0, out=gnd.zeros((3,), None)), 0), "SHAPE", "(3, 3)"),
    (lambda a, i: gnd_take(a, i, gnd.Axes(0, out=gnd.zeros((3, 3), "int8")), 0), "DTYPE", "int8"),
    (lambda a, i: gnd_take(gnd.zeros((0, 2), None), i, None, 0), "INDEX", "nothing to index"),
    (lambda a, i: gnd_take(gnd.zeros((0, 2), None), i, None, gnd.CLIP), "INDEX", "nothing to index"),
    (lambda a, i: along(a, i), "SHAPE", "(3,)"),
    (lambda a, i: along(a, gnd.zeros((2, 3), "int64")), "SHAPE", "(2, 3)"),
    (lambda a, i: along(a, gnd.zeros((4, 1), "bool")), "DTYPE", "bool"),
    (lambda a, i: along(a, gnd.zeros((4, 1), "int8"), None), "SHAPE", "one dimension"),
    (lambda a, i: along(gnd.zeros((), None), gnd.zeros((), "int8"), 0), "AXIS", "0-d"),
    (lambda a, i: gnd.put(gnd.zeros((0,), None), i, 1, 0), "INDEX", "nothing to index"),
    (lambda a, i: gnd.put(a, i, None, 0), "INVALID", "value"),
    (lambda a, i: gnd.put(gnd.broadcast_to(a, (2, 4, 3)), i, 1, 0), "INVALID", "read-only"),
    (lambda a, i: gnd.put_along_axis(a, gnd.zeros((4, 2), "int8"), gnd.zeros((3,), None), 1), "SHAPE", "(4, 2)"),
    (lambda a, i: gnd.scatter_add(a, 1, [i], gnd.zeros((1, 3, 3), None)), "SHAPE", "(1, 3, 3)"),
    (lambda a, i: gnd.scatter_maximum(a, 1, [i], None), "INVALID", "GND_NONE"),
    (lambda a, i: gnd.scatter_multiply(a, 1, ["7"], 1), "INDEX", "7"),
    (lambda a, i: gnd.scatter_minimum(a, 2, [i, gnd.zeros((2,), "int8")], 1), "SHAPE", "(2,)"),
])
def test_refuses(call, code, text):
    a, i = gnd.zeros((4, 3), "float32"), gnd.from_numpy(np.array([0, 1, 1]))
    with pytest.raises(gnd.Error) as caught:
        call(a, i)
    assert caught.value.code == getattr(gnd, "ERROR_" + code), caught.value
    assert text in caught.value.message, caught.value
    assert_same(a, np.zeros((4, 3), "float32"))


HOSTILE = [4, -5, 2**31, -2**31 - 1, 2**62, 2**63 - 1, -2**63, 2**63, 2**64 - 1]


@pytest.mark.parametrize("bad", HOSTILE)
def test_out_of_range(bad):
    """Reported at the next wait, with index and axis; all else is done."""
    x = np.arange(20.0).reshape(5, 4)
    index = np.array([0, bad, 3], np.uint64 if bad >= 2**63 else np.int64)
    i = gnd.from_numpy(index)
    told = min(bad, 2**63 - 1)

    def check(array, axis, size):
        with pytest.raises(gnd.Error) as caught:
            array.numpy()
        assert caught.value.code == gnd.ERROR_INDEX
        assert f"index {told} is " in caught.value.message, caught.value
        assert f"axis {axis} of size {size}" in caught.value.message, caught.value

    a = gnd.from_numpy(x)
    if not -5 <= bad < 5:
        got = gnd.get(a, 1, [i])
        check(got, 0, 5)
        assert_same(got, np.where([[1], [0], [1]], x[[0, 0, 3]], 0), strides=False)
    got = gnd.get(a, 2, [":", i])
    check(got, 1, 4)
    assert_same(got, np.where([1, 0, 1], x[:, [0, 0, 3]], 0), strides=False)
    got = gnd.get(a, 2, [gnd.from_numpy(np.array([0, 1, 2])), i])
    check(got, 1, 4)
    got = along(a, gnd.reshape(i, (1, 3)))
    check(got, 1, 4)
    gnd.set(a, 2, [":", i], 7)
    check(a, 1, 4)
    want = x.copy()
    want[:, [0, 3]] = 7
    assert_same(a, want)
    gnd.set(a, 2, [":", i], gnd.from_numpy(np.array([1.0, 2, 3])))
    check(a, 1, 4)
    want[:, [0, 3]] = [1, 3]
    assert_same(a, want)
    gnd.put_along_axis(a, gnd.reshape(i, (1, 3)), -1, 1)
    check(a, 1, 4)
    gnd.scatter_add(a, 2, [":", i], 1)
    check(a, 1, 4)
    if abs(bad) > 20:
        got = gnd_take(gnd.transpose(a), i, None, gnd.RAISE)
        check(got, 0, 20)
        gnd.put(gnd.transpose(a), i, gnd.from_numpy(np.array([5.0])), gnd.RAISE)
        check(a, 0, 20)
    if bad < 2**63:
        b = gnd.from_numpy(x)
        assert_same(gnd_take(b, i, 0, gnd.WRAP), x[[int(k) % 5 for k in index]], strides=False)
        assert_same(gnd_take(b, i, 0, gnd.CLIP), np.take(x, index, 0, mode="clip"), strides=False)


def test_faults():
    """Out of memory at every allocation."""
    x = np.arange(24.0).reshape(4, 6)
    a, i = gnd.from_numpy(x), gnd.from_numpy(np.array([0, 3, 1]))
    j, m = gnd.from_numpy(np.array([[5], [0]])), gnd.from_numpy(np.array([True, False, True, True]))
    out = gnd.zeros((3, 6), "complex64")
    calls = [
        lambda: gnd.get(a, 2, [i, j]),
        lambda: gnd.get(a, 2, [m, gnd.from_numpy(np.array([1, 2, 3]))]),
        lambda: gnd.get(a, 2, [":", i]),
        lambda: gnd_take(a, i, gnd.Axes(0, out=out), gnd.RAISE),
        lambda: along(a, gnd.from_numpy(np.array([[1]]))),
    ]
    for call in calls:
        run_with_failures(call)
    writes = [
        lambda b, i: gnd.set(b, 1, [i], gnd.from_numpy(np.arange(6, dtype="int8"))),
        lambda b, i: gnd.set(b, 2, [m, "1:"], b["0, 1:"]),
        lambda b, i: gnd.set(b, 2, [i, gnd.astype(b["0, :3"], "int64")], 5),
        lambda b, i: gnd.put(gnd.transpose(b), i, b["0, :2"], gnd.RAISE),
        lambda b, i: gnd.put_along_axis(b, gnd.from_numpy(np.array([[1]])), 3, 1),
        lambda b, i: gnd.scatter_add(b, 2, [":", i], b["0, :3"]),
        lambda b, i: gnd.at("add", b, 1, [m], 1),
    ]
    for write in writes:
        want = gnd.from_numpy(x)
        write(want, i)

        def call():
            b = gnd.from_numpy(x)
            write(b, i)
            return b

        result, failures = run_with_failures(call)
        assert failures > 0
        assert_same(result, want.numpy())
