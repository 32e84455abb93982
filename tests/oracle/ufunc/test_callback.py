"""C functions applied along an axis and over axes, against NumPy's with Python functions: here the C functions
are Python's, by ctypes."""

import ctypes
import gc
import itertools

import numpy as np
import pytest

import dtypes
import gnd
import values
from check import assert_same
from test_compare import generator, raises
from test_faults import run_with_failures

LINE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
AXIS = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)


def live_arrays():
    gc.collect()  # what exceptions keep
    return gnd.live_arrays()


def raw(name):
    """The C function itself, which records errors and leaves them pending."""
    gnd.function(name)
    return getattr(gnd.lib, name)


def given_away(array):
    """The pointer, whose reference goes to the caller's scope: made inside the call, it is there already."""
    pointer, array.pointer = array.pointer, None
    return pointer


def borrowed(pointer):
    """An Array that releases nothing."""
    return gnd.Array(pointer)


def line_function(f):
    def call(line, context):
        x = borrowed(line)
        try:
            result = f(x)
            return None if result is None else (line if result is x else given_away(result))
        finally:
            x.pointer = None
    return LINE(call)


def axis_function(f):
    def call(x, axis, context):
        x = borrowed(x)
        try:
            return given_away(f(x, axis))
        finally:
            x.pointer = None
    return AXIS(call)


def along(f, x, axis):
    callback = line_function(f)
    return gnd.apply_along_axis(ctypes.cast(callback, ctypes.c_void_p).value, None, x, axis)


def over(f, x, axes):
    callback = axis_function(f)
    return gnd.apply_over_axes(ctypes.cast(callback, ctypes.c_void_p).value, None, x, axes)


# A function of a line in both languages.
LINES = {
    "itself": (lambda x: x, lambda x: x),
    "middle": (lambda x: x["1:-1"], lambda x: x[1:-1]),
    "back": (lambda x: x["::-1"], lambda x: x[::-1]),
    "sum": (lambda x: gnd.sum(x, None), lambda x: x.sum()),
    "running": (lambda x: gnd.cumsum(x, 0), lambda x: np.cumsum(x)),
    "square": (lambda x: gnd.multiply(gnd.expand_dims(x, 1), x), lambda x: x[:, None] * x),
    "nothing": (lambda x: x["0:0"], lambda x: x[:0]),
    "table": (lambda x: gnd.broadcast_to(x[":1"], (2, 3, 1)),
              lambda x: np.broadcast_to(x[:1], (2, 3, 1))),
}


@pytest.mark.parametrize("name", LINES)
def test_along(name):
    ours, numpys = LINES[name]
    g = generator("along", name)
    for shape in ((4,), (3, 4), (2, 3, 4), (3, 1, 2, 2)):
        base = g.integers(-9, 9, shape).astype(np.int16)
        for axis in range(-len(shape), len(shape)):
            if name in ("table",) and base.shape[axis] == 0:
                continue
            want = np.apply_along_axis(numpys, axis, base)
            got = along(ours, gnd.from_numpy(base), axis)
            assert_same(got, want, f"{name} {shape} {axis}")


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_along_every_dtype_and_layout(dtype):
    g = generator("layout", dtype)
    base = values.random_values(dtype, (4, 6, 5), g)
    for x, a in ((base, gnd.from_numpy(base)), (base.T, gnd.transpose(gnd.from_numpy(base))),
                 (base[::-2, 1::2], gnd.from_numpy(base)["::-2, 1::2"]),
                 (np.broadcast_to(base[:1], base.shape),
                  gnd.broadcast_to(gnd.from_numpy(base)[":1"], base.shape))):
        for axis in range(3):
            want = np.apply_along_axis(lambda line: line[::-1], axis, x)
            assert_same(along(lambda line: line["::-1"], a, axis), want, f"{dtype} {axis}")


def test_along_empty():
    base = np.zeros((3, 0, 2), np.float32)
    a = gnd.from_numpy(base)
    want = np.apply_along_axis(lambda x: x.sum(), 1, base)
    assert_same(along(lambda x: gnd.sum(x, None), a, 1), want)
    assert_same(along(lambda x: x, a, 1), np.apply_along_axis(lambda x: x, 1, base), strides=False)
    for axis in (0, 2):
        raises(gnd.ERROR_SHAPE, "no line along axis", along, lambda x: x, a, axis)


def test_later_results_are_cast_and_broadcast():
    def one(x, y):
        calls = itertools.count()
        return lambda line: (x, y)[next(calls) % 2]
    base = np.arange(8.0).reshape(4, 2)
    for first, second in ((np.arange(3, dtype=np.int8), np.array([2.75])),
                          (np.arange(3.0), np.array(7)),
                          (np.arange(6).reshape(2, 3), np.arange(3.0)),
                          (np.arange(3.0), np.arange(3).reshape(1, 1, 3)),
                          (np.float32(2), np.array([[-3.5]]))):
        kept = [gnd.from_numpy(first), gnd.from_numpy(second)]
        def ours(line, calls=itertools.count()):
            return gnd.function("gnd_retain")(kept[next(calls) % 2])
        want = np.apply_along_axis(one(np.asarray(first), second), 1, base)
        before = live_arrays()
        got = along(lambda line: ours(line), gnd.from_numpy(base), 1)
        assert_same(got, want)
        for pointer in [a.pointer for a in kept]:  # what the calls retained and nobody gave back
            for _ in range(2):
                raw("gnd_release")(ctypes.c_void_p(pointer))
        got.release()
        assert live_arrays() == before


def test_lines_come_in_order_and_can_be_written():
    base = np.arange(24).reshape(2, 3, 4)
    a = gnd.from_numpy(base)
    seen = []

    def note(line):
        seen.append(line.numpy())
        gnd.multiply_into(line, line, 2)
        return line[":0"]
    result = along(note, a, 1)
    assert result.shape == (2, 0, 4)
    want = []
    np.apply_along_axis(lambda line: want.append(line.copy()) or line[:0], 1, base)
    assert all(np.array_equal(x, y) for x, y in zip(seen, want, strict=True))
    assert np.array_equal(a.numpy(), base * 2)


def test_along_frees_what_calls_make():
    a = gnd.ones((6, 5), "float32")
    before = live_arrays()
    live = []

    def busy(line):
        live.append(live_arrays())
        for _ in range(10):
            given_away(gnd.add(line, 1))  # left to the scope
        return gnd.sum(line, None)
    result = along(busy, a, 1)
    assert result.shape == (6,) and live_arrays() == before + 1
    assert len(set(live[1:])) == 1


def test_failing_calls():
    a = gnd.ones((3, 4), "float32")
    before = live_arrays()
    raises(gnd.ERROR_INVALID, "returned NULL", along, lambda x: None, a, 0)

    def fails(line):
        raw("gnd_reshape")(line.pointer, gnd.shape((5,)))
        return None
    raises(gnd.ERROR_SHAPE, "gnd_reshape", along, fails, a, 0)

    def fails_and_returns(line):
        fails(line)
        return line
    raises(gnd.ERROR_SHAPE, "gnd_reshape", along, fails_and_returns, a, 0)
    lengths = iter((2, 3))
    raises(gnd.ERROR_SHAPE, "(3,), which does not broadcast to that of its first result, (2,)", along,
           lambda x: x[f":{next(lengths)}"], a, 0)
    deep = lambda x: gnd.broadcast_to(x, (1,) * 61 + (3,))
    assert along(deep, gnd.ones((3, 1), "int8"), 0).ndim == 63
    raises(gnd.ERROR_SHAPE, "65 dimensions", along, deep, gnd.ones((3, 1, 1, 1), "int8"), 0)
    raises(gnd.ERROR_AXIS, "axis 2", along, lambda x: x, a, 2)
    raises(gnd.ERROR_INVALID, "function is NULL", gnd.apply_along_axis, None, None, a, 0)
    raises(gnd.ERROR_INVALID, "'x' is NULL", along, lambda x: x, gnd.Array(None), 0)
    raises(gnd.ERROR_AXIS, "0-d", along, lambda x: x, gnd.from_numpy(np.float32(1)), 0)
    assert live_arrays() == before


# ---- over axes ------------------------------------------------------------------------------------------------


def test_over():
    base = generator("over").integers(-9, 9, (3, 4, 5)).astype(np.int32)
    a = gnd.from_numpy(base)
    for axes in ((0,), (1,), (-1,), (0, 2), (2, 0), (-1, 1, 0), (1, 1)):
        for keep in (False, True):
            want = np.apply_over_axes(lambda x, axis: np.sum(x, axis, keepdims=keep), base, axes)
            got = over(lambda x, axis: gnd.sum(x, gnd.Axes(axis, keepdims=keep)), a, axes)
            assert_same(got, want, f"{axes} {keep}")
        want = np.apply_over_axes(lambda x, axis: np.cumsum(x, axis), base, axes)
        assert_same(over(lambda x, axis: gnd.cumsum(x, axis), a, axes), want, strides=False)
    want = np.apply_over_axes(np.sum, base, (0, 1, 2))
    assert_same(over(lambda x, axis: gnd.sum(x, axis), a, None), want)


def test_over_no_axis():
    a = gnd.ones((2, 3), "float32")
    assert_same(over(lambda x, axis: x, a, ()), np.ones((2, 3), np.float32))
    zero = gnd.from_numpy(np.float32(2))
    assert_same(over(lambda x, axis: x, zero, None), np.float32(2))


def test_over_frees_and_fails():
    a = gnd.ones((2, 3, 4), "float32")
    before = live_arrays()

    def busy(x, axis):
        for _ in range(10):
            given_away(gnd.add(x, 1))
        return gnd.sum(x, axis)
    result = over(busy, a, (0, 1))
    assert live_arrays() == before + 1
    result.release()
    raises(gnd.ERROR_SHAPE, "must keep the number of dimensions, or drop one", over,
           lambda x, axis: gnd.sum(x, None), a, (0,))
    raises(gnd.ERROR_SHAPE, "made shape (1, 2, 3, 4)", over,
           lambda x, axis: gnd.expand_dims(x, 0), a, (0,))
    raises(gnd.ERROR_AXIS, "axis 3", over, lambda x, axis: gnd.sum(x, axis), a, (0, 3))
    raises(gnd.ERROR_INVALID, "no option", over, lambda x, axis: gnd.sum(x, axis), a,
           gnd.Axes(0, keepdims=True))
    raises(gnd.ERROR_INVALID, "function is NULL", gnd.apply_over_axes, None, None, a, 0)
    raises(gnd.ERROR_INVALID, "'x' is NULL", over, lambda x, axis: x, gnd.Array(None), 0)
    assert live_arrays() == before


def test_callbacks_without_memory():
    """The functions are the library's own, so that they fail as it does."""
    x = gnd.ones((3, 40), "float32")
    total = LINE(lambda line, context: raw("gnd_sum")(line, gnd.axes(None)))
    totals = AXIS(lambda x, axis, context: raw("gnd_sum")(x, gnd.axes(axis)))
    pointers = [ctypes.cast(f, ctypes.c_void_p).value for f in (total, totals)]
    good, failures = run_with_failures(lambda: gnd.apply_along_axis(pointers[0], None, x, 1))
    assert failures >= 3 and np.array_equal(good.numpy(), np.full(3, 40))
    good, failures = run_with_failures(
        lambda: gnd.apply_over_axes(pointers[1], None, x, gnd.Axes(0, 1)))
    assert failures >= 3 and np.array_equal(good.numpy(), [[120]])


# ---- of indices -------------------------------------------------------------------------------------------------


INDICES = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p)


def from_function(f, shape, dtype):
    def call(count, indices, context):
        arrays = [borrowed(indices[k]) for k in range(count)]
        try:
            result = f(*arrays)
            for k, x in enumerate(arrays):
                if result is x:
                    return indices[k]
            return None if result is None else given_away(result)
        finally:
            for x in arrays:
                x.pointer = None
    return gnd.fromfunction(ctypes.cast(INDICES(call), ctypes.c_void_p).value, None, shape, dtype)


@pytest.mark.parametrize("dtype", [None] + [n for n in dtypes.NAMES if n not in ("bool", "bfloat16")])
def test_fromfunction(dtype):
    functions = {
        1: (lambda i: gnd.multiply(i, 2), lambda i: i * 2),
        2: (lambda i, j: gnd.add(gnd.multiply(i, 3), j), lambda i, j: i * 3 + j),
        3: (lambda i, j, k: gnd.subtract(gnd.add(i, j), k), lambda i, j, k: i + j - k),
    }
    for shape in ((5,), (0,), (3, 4), (2, 0), (2, 3, 4)):
        mine, theirs = functions[len(shape)]
        with np.errstate(all="ignore"):
            want = np.fromfunction(theirs, shape, dtype=dtype or float)
        assert_same(from_function(mine, shape, dtype), want, f"{shape} {dtype}")
    # An argument itself, another shape, something else, no axes.
    assert_same(from_function(lambda i, j: j, (3, 4), "int32"), np.indices((3, 4), "int32")[1])
    assert_same(from_function(lambda i, j: gnd.max(j, None), (3, 4), "int32"), np.array(3, "int32"))
    own = gnd.from_numpy(np.arange(3))
    assert_same(from_function(lambda i: gnd.copy(own), (2,), dtype), np.arange(3))
    assert_same(from_function(lambda: gnd.ones((), "int8"), (), dtype), np.array(1, "int8"))


def test_fromfunction_refuses():
    before = live_arrays()
    raises(gnd.ERROR_INVALID, "function is NULL", gnd.fromfunction, None, None, (2,), None)
    raises(gnd.ERROR_INVALID, "returned NULL", from_function, lambda i: None, (2,), None)
    raises(gnd.ERROR_SHAPE, "negative", from_function, lambda i: i, (-2,), None)
    raises(gnd.ERROR_DTYPE, "99", from_function, lambda i: i, (2,), 99)
    assert live_arrays() == before
