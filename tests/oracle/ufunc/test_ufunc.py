"""The operators' methods reduce, accumulate, reduceat and outer (at: test_ufunc_at.py) of every operator of the table
that has them, in every dtype, against NumPy's ufunc methods, or, where NumPy has no such ufunc or no bfloat16,
against its function applied one step after the other. A new row in ops.def is tested without a line here.
"""

import ctypes
import itertools
import zlib

import numpy as np
import pytest

import dtypes
import gnd
import reference
from check import assert_same
from test_elementwise import ROWS
from test_faults import run_with_failures

PAIRED = [name for name, row in ROWS.items() if len(row.inputs) == 2 and "PARAMS" not in row.flags]
FOLDED = [name for name in PAIRED if ROWS[name].inputs == "TT" and len(ROWS[name].outputs) == 1]
REGROUPED = [name for name in FOLDED if "ASSOCIATIVE" in ROWS[name].flags]

# Machine precision, and the relative error that a few steps of inexact functions may have.
EPSILON = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52,
           "complex64": 2.0**-22, "complex128": 2.0**-51}


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def sample(name, dtype, shape, g):
    """Values on which many steps of an operator stay within its domain."""
    if dtype == "bool":
        return g.random(shape) < 0.6
    if dtype in dtypes.INTEGERS:
        low = 1 if name in ("power", "lcm", "left_shift", "right_shift") else 0
        if dtype.startswith("int") and not low:
            low = -9
        high = 5 if low == 1 else 10
        return g.integers(low, high, shape).astype(dtype)
    spread = (0.8, 1.25) if "power" in name or name in ("multiply", "divide") else (-3, 3)
    values = g.uniform(*spread, shape)
    if dtype in dtypes.COMPLEX:
        values = values + 1j * g.uniform(-0.5, 0.5, shape)
    return dtypes.cast(values, dtype)


def numpy_ufunc(name):
    function = getattr(np, name, None)
    return function if isinstance(function, np.ufunc) else None


def quiet(function, *arguments, **options):
    with np.errstate(all="ignore"):
        return function(*arguments, **options)


def step(name, x, y=None):
    """One application to arrays, of the dtype that the operator gives."""
    operands = [x] if y is None else [x, y]
    return reference.expect(ROWS[name], operands)[0].values


def assert_near(got, want, name, context, steps=1, regrouped=False, magnitude=None, known=True):
    """Same dtype and shape; the same values, but for the error of `steps` inexact steps."""
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: dtype {got.dtype}"
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    actual = got.numpy()
    inexact = got.dtype in EPSILON
    # In a reduction NumPy's float16 sometimes carries float32, depending on the layout.
    free = ("add", "multiply") + (("subtract", "divide") if got.dtype == "float16" else ())
    exact = not inexact or (reference._is_exact(name, got.dtype, ()) and
                            not (regrouped and name in free))
    if exact:
        good = np.asarray(reference.same_values(actual, want, True))
    else:
        a, w = dtypes.widen(actual), dtypes.widen(want)
        size = np.abs(w) if magnitude is None else np.maximum(magnitude, np.abs(w))
        with np.errstate(all="ignore"):
            good = (np.abs(a - w) <= 16 * steps * EPSILON[got.dtype] * (size + 1e-3)) | (a == w) | (
                np.isnan(a) & np.isnan(w))
    good = good | ~np.asarray(known)
    if not good.all():
        index = tuple(np.argwhere(~good)[0])
        raise AssertionError(f"{context}: {(~good).sum()} of {good.size} differ, first at {index}: "
                             f"{dtypes.widen(actual)[index]!r}, not {dtypes.widen(want)[index]!r}")


def layouts(base):
    """The same values in several layouts: (NumPy array, gnd array)."""
    a = gnd.from_numpy(base)
    yield base, a
    if base.ndim == 2:
        yield base.T, gnd.transpose(a)
        yield base[::-1, 1::2], a["::-1, 1::2"]
        yield np.broadcast_to(base[:1], base.shape), gnd.broadcast_to(a[":1"], base.shape)
    elif base.ndim == 1:
        yield base[::-1], a["::-1"]
        yield base[1::3], a["1::3"]


# ---- segments -----------------------------------------------------------------------------------------------


def fold_ordered(name, x, axis):
    """All of x along an axis, one step after the other; of bfloat16 in float32 if it may be regrouped."""
    parts = np.moveaxis(x, axis, 0)
    wide = dtypes.is_bfloat16(x) and name in REGROUPED
    if wide:
        parts = dtypes.from_bfloat16(parts)
    acc = parts[:1]
    for k in range(1, len(parts)):
        acc = step(name, acc, parts[k:k + 1])
    return (dtypes.to_bfloat16(acc) if wide and acc.dtype == np.float32 else acc)[0]


def reduceat_of(name, x, indices, axis, dtype=None):
    ufunc = numpy_ufunc(name)
    if ufunc is not None and not dtypes.is_bfloat16(x) and name not in ("power", "arctan2"):
        return quiet(ufunc.reduceat, x, indices, axis=axis, dtype=dtype)
    if dtypes.is_bfloat16(x) and ROWS[name].outputs == "T":
        loop = quiet(reference.expect, ROWS[name], [x[:0], x[:0]])[0].dtype
        if loop != "bfloat16":  # float_power
            return reduceat_of(name, dtypes.cast(x, loop), indices, axis)
    if ROWS[name].outputs == "B":  # by truth; NumPy's own method says what is refused
        truth = np.asarray(dtypes.widen(x))
        return quiet(ufunc.reduceat, truth, indices, axis=axis)
    if not x.shape[axis]:
        return x[:0]
    ends = list(indices[1:]) + [x.shape[axis]]
    segments = []
    for begin, end in zip(indices, ends):
        part = np.take(x, range(begin, end) if begin < end else [begin], axis=axis)
        if dtypes.is_bfloat16(x):
            segments.append(fold_ordered(name, part, axis))
        else:  # NumPy 2.4 reduces power and arctan2 wrongly on CPUs with AVX-512, and accumulates well
            segments.append(np.take(quiet(ufunc.accumulate, part, axis=axis), -1, axis=axis))
    return np.stack(segments, axis=axis)


def refused_fold(name, dtype):
    """The error that NumPy has for folding this dtype, if any."""
    ufunc = numpy_ufunc(name)
    plain = "float16" if dtype == "bfloat16" else dtype
    try:
        quiet(ufunc.reduceat, np.ones(2, plain), [0])
    except TypeError as error:
        return error
    return None


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", FOLDED)
def test_reduceat(name, dtype):
    g = generator("reduceat", name, dtype)
    indices = np.array([0, 3, 3, 1, 5, 2])
    where = gnd.from_numpy(indices)
    if refused_fold(name, dtype) is not None:
        with pytest.raises(gnd.Error) as caught:
            gnd.reduceat(name, gnd.ones((8,), dtype), where, None)
        assert caught.value.code == gnd.ERROR_DTYPE, caught.value
        return
    for base in (sample(name, dtype, (11,), g), sample(name, dtype, (12, 14), g)):
        for x, a in layouts(base):
            for axis in range(x.ndim):
                own = indices % x.shape[axis]
                want = reduceat_of(name, x, own, axis)
                got = gnd.reduceat(name, a, gnd.from_numpy(own), gnd.Axes(axis))
                assert_near(got, want, name, f"{name} {dtype}{x.shape} axis {axis}", 12, True, 30)


@pytest.mark.parametrize("name", FOLDED)
def test_reduceat_long(name):
    """Segments of every length, long enough for tiles within tiles."""
    g = generator("long", name)
    for dtype in ("float32", "int32", "float16"):
        if refused_fold(name, dtype) is not None:
            continue
        if name == "arctan2":  # wrong in NumPy, see above
            continue
        if name == "power":  # whose steps soon overflow
            x = np.ones(70000, dtype)
        else:
            x = sample(name, dtype, (70000,), g)
        if dtype == "float16" and name in ("add", "multiply"):
            continue  # NumPy's own rounds each step
        indices = np.array([0, 1, 17, 40, 500, 3000, 2, 69999, 100, 69998])
        ordered = name in ("add", "hypot", "logaddexp", "logaddexp2")
        want = quiet(numpy_ufunc(name).reduceat, x.astype("float64") if ordered and dtype != "int32"
                     else x, indices)
        want = want.astype(quiet(numpy_ufunc(name).reduceat, x[:2], [0]).dtype)
        got = gnd.reduceat(name, gnd.from_numpy(x), gnd.from_numpy(indices), None)
        assert_near(got, want, name, f"{name} {dtype}", 400, True, 300)
        wide = np.repeat(x[:9000, None], 3, axis=1)
        indices = indices[:5]
        want = quiet(numpy_ufunc(name).reduceat, wide.astype("float64") if ordered and
                     dtype != "int32" else wide, indices)
        want = want.astype(quiet(numpy_ufunc(name).reduceat, x[:2], [0]).dtype)
        for a in (gnd.from_numpy(wide), gnd.transpose(gnd.from_numpy(wide.T.copy()))):
            got = gnd.reduceat(name, a, gnd.from_numpy(indices), gnd.Axes(0))
            assert_near(got, want, name, f"{name} {dtype} columns", 400, True, 300)


@pytest.mark.parametrize("shape", [(7, 5, 9), (7, 9, 5), (6, 2, 3, 11), (5, 1, 40), (5, 40, 1), (6, 300), (4, 8, 8, 2),
                                   (3, 0, 4)])
def test_reduceat_of_many_axes(shape):
    """Columns of several axes of different sizes, in rows that lie together and that do not; exact."""
    g = generator("axes", shape)
    base = g.integers(-1000, 1000, tuple(2 * s for s in shape))
    plain = ", ".join(f":{s}" for s in shape)
    for text in (plain, ", ".join(["::2"] * len(shape)), ", ".join(["::-2"] * len(shape))):
        for order in itertools.permutations(range(len(shape))):
            x = eval(f"base[{text}]", {"base": base}).transpose(order)
            a = gnd.permute(gnd.from_numpy(base)[text], gnd.Axes(*order))
            for axis in range(x.ndim):
                if x.shape[axis] == 0:
                    continue
                indices = g.integers(0, x.shape[axis], 4)
                for name in ("add", "subtract", "maximum"):
                    want = getattr(np, name).reduceat(x, indices, axis)
                    got = gnd.reduceat(name, a, gnd.from_numpy(indices), gnd.Axes(axis))
                    assert_same(got, want, f"{name} {text} {order} {axis}", strides=False)


def test_reduceat_options():
    x = np.arange(24, dtype=np.int8).reshape(4, 6)
    a, i = gnd.from_numpy(x), np.array([0, 2, 1])
    where = gnd.from_numpy(i)
    assert_same(gnd.reduceat("add", a, where, None), np.add.reduceat(x, i))
    assert_same(gnd.reduceat("add", a, where, gnd.Axes(-1)), np.add.reduceat(x, i, axis=-1))
    for dtype in ("int8", "float32", "complex128", "bool"):
        assert_same(gnd.reduceat("add", a, where, gnd.Axes(1, dtype=dtype)),
                    np.add.reduceat(x, i, axis=1, dtype=dtype), dtype)
    for dtype in ("int8", "int16", "float16", "float64", "bool"):
        for name in ("add", "maximum", "divide", "logical_and"):
            for values in (x, x * 0.25):
                if name == "divide" and dtype == "float16":
                    continue  # NumPy carries float32
                want = np.zeros((4, 3), dtype)
                quiet(getattr(np, name).reduceat, values, i, axis=1, out=want)
                out = gnd.zeros((4, 3), dtype)
                back = gnd.reduceat(name, gnd.from_numpy(values), where, gnd.Axes(1, out=out))
                assert back.address == out.address
                assert_same(out, want, f"{name} {values.dtype} out {dtype}")
    for name in ("less", "greater_equal", "equal", "not_equal"):  # of bool, cast into out
        flags = x % 3 == 0
        for dtype in ("bool", "int8", "int32", "float16", "float32", "complex64"):
            for method, shape in (("reduceat", (4, 3)), ("accumulate", (4, 6)), ("reduce", (4,))):
                more = (i,) if method == "reduceat" else ()
                want = np.zeros(shape, dtype)
                getattr(getattr(np, name), method)(flags, *more, axis=1, out=want)
                out = gnd.zeros(shape, dtype)
                options = gnd.Axes(1, out=out)
                getattr(gnd, method)(name, gnd.from_numpy(flags), *((where,) if more else ()), options)
                assert_same(out, want, f"{name}.{method} out {dtype}")
        with pytest.raises(gnd.Error, match="gives bool"):
            gnd.accumulate(name, a, gnd.Axes(1, out=gnd.zeros((4, 6), "bool")))
    for dtype in ("int8", "uint8", "int16", "uint16", "int32", "uint32", "bool"):
        k = np.array([1, 0, 1]).astype(dtype)
        assert_same(gnd.reduceat("add", a, gnd.from_numpy(k), None), np.add.reduceat(x, k), dtype)
    # out and indices that share memory with x
    y = np.arange(12.0)
    b = gnd.from_numpy(y)
    gnd.reduceat("add", b, where, gnd.Axes(0, out=b["1:4"])).release()
    want = y.copy()
    want[1:4] = np.add.reduceat(y, i)
    assert_same(b, want)
    n = gnd.from_numpy(np.array([2, 0, 1]))
    assert_same(gnd.reduceat("add", n, n, None), np.add.reduceat([2, 0, 1], [2, 0, 1]))
    # nothing
    assert_same(gnd.reduceat("add", a, gnd.zeros((0,), "int64"), None), np.add.reduceat(x, [], axis=0))
    assert gnd.reduceat("add", gnd.zeros((3, 0), "float32"), where, None).shape == (3, 0)


@pytest.mark.parametrize("call, code, text", [
    (lambda a, i: gnd.reduceat("sqrt", a, i, None), "INVALID", "two arguments"),
    (lambda a, i: gnd.reduceat("divmod", a, i, None), "INVALID", "two results"),
    (lambda a, i: gnd.reduceat("ldexp", a, i, None), "INVALID", "different dtypes"),
    (lambda a, i: gnd.reduceat("isclose", a, i, None), "INVALID", "parameters"),
    (lambda a, i: gnd.reduceat("frobnicate", a, i, None), "INVALID", "frobnicate"),
    (lambda a, i: gnd.reduceat("add", a, i, (0, 1)), "INVALID", "one axis, not 2"),
    (lambda a, i: gnd.reduceat("add", a, i, ()), "INVALID", "one axis, not 0"),
    (lambda a, i: gnd.reduceat("add", a, i, 2), "AXIS", "axis 2"),
    (lambda a, i: gnd.reduceat("add", a, i, gnd.Axes(0, keepdims=True)), "INVALID", "keepdims"),
    (lambda a, i: gnd.reduceat("add", gnd.zeros((), None), i, None), "INVALID", "0-d"),
    (lambda a, i: gnd.reduceat("add", a, gnd.zeros((1, 1), "int64"), None), "SHAPE", "(1, 1)"),
    (lambda a, i: gnd.reduceat("add", a, gnd.zeros((1,), "float32"), None), "DTYPE", "float32"),
    (lambda a, i: gnd.reduceat("add", a, gnd.zeros((1,), "uint64"), None), "DTYPE", "uint64"),
    (lambda a, i: gnd.reduceat("add", gnd.zeros((0, 2), None), i, None), "INDEX", "(0, 2)"),
    (lambda a, i: gnd.reduceat("add", a, i, gnd.Axes(0, out=gnd.zeros((3, 4), None))), "SHAPE", "(3, 4)"),
    (lambda a, i: gnd.reduceat("gcd", a, i, None), "DTYPE", "float32"),
    (lambda a, i: gnd.reduceat("less", a, i, None), "DTYPE", "float32"),
    (lambda a, i: gnd.reduceat("divide", a, i, gnd.Axes(0, dtype="int32")), "DTYPE", "int32"),
])
def test_reduceat_refuses(call, code, text):
    a, i = gnd.zeros((4, 3), "float32"), gnd.from_numpy(np.array([0, 2]))
    with pytest.raises(gnd.Error) as caught:
        call(a, i)
    assert caught.value.code == getattr(gnd, "ERROR_" + code), caught.value
    assert text in caught.value.message, caught.value
    assert "gnd_reduceat" in caught.value.message


@pytest.mark.parametrize("bad", [6, -1, 2**40])
def test_reduceat_out_of_range(bad):
    """Reported at the next wait; the other segments are right."""
    x = np.arange(6.0)
    got = gnd.reduceat("add", gnd.from_numpy(x), gnd.from_numpy(np.array([0, 2, bad, 4])), None)
    with pytest.raises(gnd.Error) as caught:
        got.numpy()
    assert caught.value.code == gnd.ERROR_INDEX
    assert str(bad) in caught.value.message and "size 6" in caught.value.message
    values = got.numpy()
    assert values[0] == 1 and values[3] == 9


# ---- outer --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PAIRED)
def test_outer(name):
    row = ROWS[name]
    g = generator("outer", name)
    for dtype in ("float32", "int16", "bfloat16", "complex64", "bool"):
        other = {"I": "int64"}.get(row.inputs[1], dtype)
        x, y = sample(name, dtype, (3, 2), g), sample(name, other, (4,), g)
        spread = x.reshape(3, 2, 1), np.broadcast_to(y, (3, 2, 4))
        operands = [np.broadcast_to(spread[0], (3, 2, 4)), spread[1]]
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        try:
            expected = reference.expect(row, operands)
        except TypeError:
            with pytest.raises(gnd.Error) as caught:
                call_outer(name, a, b)
            assert caught.value.code == gnd.ERROR_DTYPE
            continue
        for got, e in zip(call_outer(name, a, b), expected):
            assert got.shape == (3, 2, 4) and got.dtype == e.dtype
            assert np.asarray(reference.close_values(got.numpy(), e)).all(), f"{name} {dtype}"


def call_outer(name, a, b):
    if len(ROWS[name].outputs) == 1:
        return [gnd.outer(name, a, b)]
    found = [ctypes.c_void_p(), ctypes.c_void_p()]
    gnd.outer_two(ctypes.addressof(found[0]), ctypes.addressof(found[1]), name, a, b)
    return [gnd.Array(f.value) for f in found]


def test_outer_of_numbers_and_scalars():
    x = np.arange(6.0).reshape(2, 3)
    a, zero = gnd.from_numpy(x), gnd.from_numpy(np.array(3.0))
    assert_same(gnd.outer("add", a, 2), np.add.outer(x, 2))
    assert_same(gnd.outer("subtract", 2.5, a), np.subtract.outer(2.5, x))
    assert_same(gnd.outer("divide", a, zero), np.divide.outer(x, 3.0))
    assert_same(gnd.outer("subtract", zero, a), np.subtract.outer(3.0, x))
    assert_same(gnd.outer("add", 1, 2), np.add.outer(1, 2))
    assert_same(gnd.outer("multiply", gnd.transpose(a), a["::-1"]), np.multiply.outer(x.T, x[::-1]),
                strides=False)
    assert gnd.outer("add", gnd.zeros((0, 2), None), a).shape == (0, 2, 2, 3)
    deep = gnd.ones((1,) * 40, None)
    for call, code, text in [
            (lambda: gnd.outer("add", deep, deep), "SHAPE", "80 dimensions"),
            (lambda: gnd.outer("sqrt", a, a), "INVALID", "sqrt"),
            (lambda: gnd.outer("divmod", a, a), "INVALID", "gnd_outer_two"),
            (lambda: gnd.outer("isclose", a, a), "INVALID", "isclose"),
            (lambda: gnd.outer("add", a, None), "INVALID", "argument 2")]:
        with pytest.raises(gnd.Error) as caught:
            call()
        assert caught.value.code == getattr(gnd, "ERROR_" + code) and text in caught.value.message


# ---- out of memory ------------------------------------------------------------------------------------------


def test_no_memory():
    """Each allocation may fail: nothing is written, nothing leaks."""
    x = np.arange(6000, dtype=np.float32).reshape(2000, 3)
    a, i = gnd.from_numpy(x), gnd.from_numpy(np.array([0, 1000, 3]))
    out, deep = gnd.zeros((3, 3), "float64"), gnd.ones((3,) * 2 + (1001,) + (1,) * 7, None)
    calls = {
        "reduceat": lambda: gnd.reduceat("add", a, i, None),
        "reduceat of ten axes": lambda: gnd.reduceat("add", deep, i, gnd.Axes(2)),
        "reduceat, cast": lambda: gnd.reduceat("add", a, i, gnd.Axes(0, out=out)),
        "outer": lambda: gnd.outer("add", a["0"], a["1"]),
    }
    for name, call in calls.items():
        call()
        result, failures = run_with_failures(call)
        assert failures, name
        del result
