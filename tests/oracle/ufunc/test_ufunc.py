"""The operators' methods: reduce, accumulate, reduceat, outer and at of every operator of the table that
has them, in every dtype, against NumPy's ufunc methods, or, where NumPy has no such ufunc or no bfloat16,
against its function applied one step after the other. A new row in ops.def is tested without a line here.
"""

import ctypes
import itertools
import zlib

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import reference
from check import assert_same
from test_elementwise import ROWS
from test_faults import run_with_failures

INDEXED = [name for name, row in ROWS.items()
           if len(row.inputs) <= 2 and len(row.outputs) == 1 and "PARAMS" not in row.flags]
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


# ---- at -----------------------------------------------------------------------------------------------------


def call_at(name, a, indices, b=None):
    indices = indices if isinstance(indices, tuple) else (indices,)
    packed = (gnd.STRUCTS["gnd_arg"] * max(len(indices), 1))(*[gnd.arg(i) for i in indices])
    gnd.at(name, a, len(indices), packed, b)


def at_by_steps(name, a, indices, b=None):
    """What ufunc.at does, one update after the other, in the loop for a and b; a is changed. Returns which
    places have a certain value: not those where an integer was made of what it cannot hold, or of what is
    a whole number but for its last digits."""
    known = np.ones(a.shape, bool)
    whole = dtypes.name_of(a.dtype) in dtypes.INTEGERS
    places = list(np.ndindex(indices[0].shape))
    for place in places:
        where = tuple(int(i[place]) for i in indices)
        part = a[where].reshape(-1) if a[where].ndim else a[where].reshape(1)
        operands = [part]
        if b is not None:
            operands.append(b[place].reshape(-1) if b[place].ndim else b[place].reshape(1))
        result = quiet(step, name, *operands)
        if whole and result.dtype.kind in "fc":
            info = np.iinfo(a.dtype)
            with np.errstate(all="ignore"):
                fits = (result.real > float(info.min) - 1) & (result.real < float(info.max))
                if not reference._is_exact(name, result.dtype.name, ()):
                    near = np.abs(result.real - np.rint(result.real))
                    fits &= near > 64 * np.finfo(result.dtype).eps * np.abs(result.real)
            known[where] &= fits.reshape(known[where].shape)
        a[where] = quiet(dtypes.cast, result, dtypes.name_of(a.dtype)).reshape(a[where].shape)
    return known


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", INDEXED)
def test_at(name, dtype):
    """Duplicates, negative indices, broadcast values, rows and single elements."""
    row = ROWS[name]
    g = generator("at", name, dtype)
    other = {"I": "int64"}.get(row.inputs[-1], dtype)
    binary = len(row.inputs) == 2
    a = sample(name, dtype, (5, 3), g)
    if dtype in EPSILON and dtype not in dtypes.COMPLEX and not binary:
        a = dtypes.cast(np.abs(dtypes.widen(a)) / 3, dtype)
    index = np.array([1, 4, 1, -1, 0, 1, -5, 2])
    b = sample(name, other, (8, 3), g) if binary else None
    try:
        reference.expect(row, [a[:0], b[:0]] if binary else [a[:0]])
    except TypeError:
        with pytest.raises(gnd.Error) as caught:
            call_at(name, gnd.from_numpy(a), gnd.from_numpy(index), gnd.from_numpy(b) if binary else None)
        assert caught.value.code == gnd.ERROR_DTYPE, caught.value
        return
    for values in ([b, b[:1], b[0], b[:, :1]] if binary else [None]):
        want = a.copy()
        full = None if values is None else np.broadcast_to(values, (8, 3))
        known = at_by_steps(name, want, (index,), full)
        ufunc = numpy_ufunc(name)
        if ufunc is not None and "bfloat16" not in (dtype, other) and reference._is_exact(name, dtype, ()):
            numpys = a.copy()
            quiet(ufunc.at, numpys, index, *([] if values is None else [values]))
            assert np.asarray(reference.same_values(numpys, want, True))[known].all(), "the steps are wrong"
        got = gnd.from_numpy(a)
        call_at(name, got, gnd.from_numpy(index), None if values is None else gnd.from_numpy(values))
        assert_near(got, want, name, f"{name} {dtype} {None if values is None else values.shape}", 64,
                    known=known)
    # single elements, through a view
    rows, columns = np.array([0, 1, 0, 2, 0, -1]), np.array([1, 0, 1, 1, 0, -1])
    want, base = a.copy()[:, ::2], gnd.from_numpy(a)
    values = None if b is None else b[:6, 0]
    known = np.ones(a.shape, bool)
    known[:, ::2] = at_by_steps(name, want, (rows, columns), values)
    call_at(name, base[":, ::2"], (gnd.from_numpy(rows), gnd.from_numpy(columns)),
            None if b is None else gnd.from_numpy(values))
    after = a.copy()
    after[:, ::2] = want
    assert_near(base, after, name, f"{name} {dtype} pairs", 64, known=known)


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "divide", "maximum", "less", "power",
                                  "logical_or", "fmin", "hypot"])
def test_at_mixed_dtypes(name):
    """Each step in the dtype of a and b together, its result cast to a's, whatever is lost."""
    g = generator("mixed", name)
    index = np.array([0, 2, 0, 1, 2, 0])
    for first in dtypes.NAMES:
        for second in dtypes.NAMES:
            if "bfloat16" in (first, second):
                continue
            a, b = np.abs(sample(name, first, (3,), g)).astype(first), sample(name, second, (6,), g)
            if name == "divide" and b.dtype.kind in "biu":
                b = np.maximum(b, 1).astype(second)
            if name in ("power", "hypot") and (first in dtypes.COMPLEX or first in dtypes.INTEGERS):
                continue  # digits that one library has and another has not
            want = a.copy()
            try:
                with np.errstate(all="ignore"):
                    import warnings
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        getattr(np, name).at(want, index, b)
            except TypeError:
                with pytest.raises(gnd.Error):
                    call_at(name, gnd.from_numpy(a), gnd.from_numpy(index), gnd.from_numpy(b))
                continue
            except ValueError:  # an integer to a negative power
                continue
            got = gnd.from_numpy(a)
            call_at(name, got, gnd.from_numpy(index), gnd.from_numpy(b))
            assert_near(got, want, name, f"{name} {first} {second}", 64, regrouped=first in EPSILON)


@pytest.mark.parametrize("name", ["equal", "less", "less_equal", "greater", "greater_equal", "not_equal"])
def test_at_compares_exactly(name):
    big = np.array([2**63 - 1, 5, 0, 2**62 + 1], np.int64)
    large = np.array([2**63, 5, 2**63 - 1, 2**62 + 1], np.uint64)
    for a, b in ((big, large), (large, big), (large, -big), (-big, large)):
        want, got, index = a.copy(), gnd.from_numpy(a), np.array([0, 1, 2, 3])
        getattr(np, name).at(want, index, b)
        call_at(name, got, gnd.from_numpy(index), gnd.from_numpy(b))
        assert_same(got, want, f"{name} {a.dtype}")


def test_at_numbers_and_shapes():
    x = np.arange(24.0).reshape(2, 3, 4)
    cases = [
        ((1,), 1.5), ((-1, 2), 2), ((0, 1, 3), 0.5), ((), 3.0),
        ((np.array([[0], [1]]), np.array([0, 2, 0])), np.arange(24.0).reshape(2, 3, 4)),
        ((1, np.array([0, 2, 0])), np.arange(12.0).reshape(3, 4)),
        ((np.array([0, 0, 1]), 1, np.array([3, 3, -4])), np.array([1.0, 2, 3])),
        ((np.array([], np.int64),), 1.0),
        ((np.array(1), np.array(2)), np.arange(4.0)),
        ((np.array([[0, 1], [1, 1]]).T,), np.arange(4.0)),
    ]
    for indices, b in cases:
        want, got = x.copy(), gnd.from_numpy(x)
        np.add.at(want, indices, b)
        packed = tuple(gnd.from_numpy(i) if isinstance(i, np.ndarray) else i for i in indices)
        call_at("add", got, packed, gnd.from_numpy(b) if isinstance(b, np.ndarray) else b)
        assert_same(got, want, repr(indices))
    # other layouts of a, and other dtypes of indices
    for dtype in dtypes.INTEGERS:
        index = np.array([0, 1, 1, 0, 1]).astype(dtype)
        want, got = x.copy(), gnd.from_numpy(x)
        np.subtract.at(want.transpose(2, 0, 1)[::-1], index, 1.25)
        call_at("subtract", gnd.permute(got, (2, 0, 1))["::-1"], gnd.from_numpy(index), 1.25)
        assert_same(got, want, dtype)
    scalar = gnd.from_numpy(np.array(2.0))
    call_at("multiply", scalar, (), 4)
    assert_same(scalar, np.array(8.0))


def test_at_overlap():
    """Indices and values may be a itself, or part of it."""
    x = np.array([3, 1, 2, 0, 1])
    got, want = gnd.from_numpy(x), x.copy()
    np.add.at(want, x.copy(), x.copy())
    call_at("add", got, got, got)
    assert_same(got, want)
    y = np.arange(20.0).reshape(4, 5)
    got, want = gnd.from_numpy(y), y.copy()
    np.add.at(want, np.array([1, 1, 3]), y[:3].copy())
    call_at("add", got, gnd.from_numpy(np.array([1, 1, 3])), got[":3"])
    assert_same(got, want)


@pytest.mark.parametrize("dtype", ["float32", "int32", "float64", "uint8", "int64", "float16"])
@pytest.mark.parametrize("places", [1, 7, 1000, 200000])
def test_at_many(dtype, places):
    """Many updates of few places, and of many."""
    g = generator("many", dtype, places)
    n = 100000
    index = g.integers(-places, places, n)
    b = g.integers(0, 5, n).astype(dtype)
    for name in ("add", "maximum", "subtract"):
        a = np.ones(places, dtype)
        want, got = a.copy(), gnd.from_numpy(a)
        getattr(np, name).at(want, index, b)
        call_at(name, got, gnd.from_numpy(index), gnd.from_numpy(b))
        if dtype == "float16" and name == "add" and places < 1000:
            continue  # long runs are added in float32
        assert_same(got, want, name)
        got = gnd.from_numpy(a)  # not one straight array of int64: shared out by places on a CPU
        call_at(name, got, gnd.from_numpy(index.astype("int32")), gnd.from_numpy(b))
        assert_same(got, want, f"{name}, int32")
    # real numbers: few updates a place are NumPy's to the last bit; many are more accurate
    if dtype == "float32":
        b = g.random(n).astype(dtype)
        want, got = np.zeros(places, dtype), gnd.zeros((places,), dtype)
        np.add.at(want, index, b)
        call_at("add", got, gnd.from_numpy(index), gnd.from_numpy(b))
        if places >= 1000:
            true = np.zeros(places)
            np.add.at(true, index, b.astype("float64"))
            assert np.allclose(got.numpy(), true, rtol=1e-5)
        if places == 200000:
            assert_same(got, want)
        again = gnd.zeros((places,), dtype)
        call_at("add", again, gnd.from_numpy(index), gnd.from_numpy(b))
        assert_same(again, got.numpy())
        count = gnd.zeros((places,), "int64")
        call_at("add", count, gnd.from_numpy(index), 1)
        assert_same(count, np.bincount(index % places, minlength=places))


@pytest.mark.parametrize("n", [0, 1, 2, 33, 255, 256, 257])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "float16"])
def test_at_few(dtype, n):
    """Few updates, which a GPU sorts in one block: those of a place are made in their order."""
    g = generator("few", dtype, n)
    for shape in [(1,), (5,), (1000,), (7, 3)]:
        index = tuple(g.integers(-s, s, n) for s in shape)
        given = tuple(gnd.from_numpy(i) for i in index)
        b = g.integers(-3, 4, n).astype(dtype)
        for name in ("add", "subtract", "multiply"):
            want = np.ones(shape, dtype)
            got = gnd.from_numpy(want)
            getattr(np, name).at(want, index, b)
            call_at(name, got, given if len(given) > 1 else given[0], gnd.from_numpy(b))
            if dtype != "float16" or shape != (1,):  # long runs are added in float32
                assert_same(got, want, f"{name} {shape}")
        want, got = np.zeros(shape, "int64"), gnd.zeros(shape, "int64")
        np.add.at(want, index, 1)
        call_at("add", got, given if len(given) > 1 else given[0], 1)
        assert_same(got, want, f"counts {shape}")


def test_at_rows():
    """Many updates of whole rows."""
    g = generator("rows")
    index = g.integers(0, 50, 2000)
    for columns in (1, 3, 64, 100):
        for name in ("add", "subtract", "minimum"):
            b = g.integers(-5, 5, (2000, columns)).astype("float32")
            want, got = np.zeros((50, columns), "float32"), gnd.zeros((50, columns), "float32")
            getattr(np, name).at(want, index, b)
            call_at(name, got, gnd.from_numpy(index), gnd.from_numpy(b))
            assert_same(got, want, f"{name} {columns}")
            got = gnd.transpose(gnd.zeros((columns, 50), "float32"))
            call_at(name, got, gnd.from_numpy(index), gnd.transpose(gnd.from_numpy(b.T.copy())))
            assert_same(got, want, f"{name} {columns}, transposed", strides=False)


def test_at_out_of_range():
    """The updates that are in range are made; the next wait says which is not."""
    for bad in (3, -4, 10**12):
        a = gnd.zeros((3, 2), "float64")
        call_at("add", a, gnd.from_numpy(np.array([0, bad, 0, 2])), gnd.from_numpy(np.ones((4, 2))))
        with pytest.raises(gnd.Error) as caught:
            a.numpy()
        assert caught.value.code == gnd.ERROR_INDEX
        assert f"index {bad} is " in caught.value.message and "axis 0 of size 3" in caught.value.message
        assert_same(a, np.array([[2.0, 2], [0, 0], [1, 1]]))
    a = gnd.zeros((3, 2), "float64")
    call_at("add", a, (gnd.from_numpy(np.array([0, 1])), gnd.from_numpy(np.array([1, -3]))), 1)
    with pytest.raises(gnd.Error) as caught:
        a.numpy()
    assert "axis 1 of size 2" in caught.value.message
    huge = gnd.from_numpy(np.array([2**63 + 1], np.uint64))
    call_at("add", a, huge, 1)
    with pytest.raises(gnd.Error) as caught:
        a.numpy()
    assert caught.value.code == gnd.ERROR_INDEX
    call_at("power", b := gnd.from_numpy(np.array([2, 3])), gnd.from_numpy(np.array([0, 1])),
            gnd.from_numpy(np.array([-1, 2])))
    with pytest.raises(gnd.Error) as caught:
        b.numpy()
    assert caught.value.code == gnd.ERROR_VALUE


INDEX = np.array([0, 1, 1])


@pytest.mark.parametrize("call, code, text", [
    (lambda a, i: call_at("frobnicate", a, i, 1), "INVALID", "frobnicate"),
    (lambda a, i: call_at("divmod", a, i, 1), "INVALID", "two results"),
    (lambda a, i: call_at("where", a, i, 1), "INVALID", "three arguments"),
    (lambda a, i: call_at("isclose", a, i, 1), "INVALID", "parameters"),
    (lambda a, i: call_at("negative", a, i, 1), "INVALID", "GND_NONE"),
    (lambda a, i: call_at("add", a, i), "INVALID", "two arguments"),
    (lambda a, i: call_at("add", a, (i, i, i), 1), "INDEX", "2 dimensions, shape (4, 3), but 3"),
    (lambda a, i: call_at("add", a, 4, 1), "INDEX", "index 4 is out of bounds for axis 0 of size 4"),
    (lambda a, i: call_at("add", a, (0, -4), 1), "INDEX", "axis 1 of size 3"),
    (lambda a, i: call_at("add", a, 0.5, 1), "INVALID", "neither"),
    (lambda a, i: call_at("add", a, gnd.zeros((3,), "float32"), 1), "DTYPE", "float32"),
    (lambda a, i: call_at("add", a, gnd.zeros((3,), "bool"), 1), "SHAPE", "mask of shape (3,)"),
    (lambda a, i: call_at("add", a, (i, gnd.zeros((2,), "int64")), 1), "SHAPE", "(2,)"),
    (lambda a, i: call_at("add", a, i, gnd.zeros((2,), None)), "SHAPE", "(3, 3)"),
    (lambda a, i: call_at("add", a, i, gnd.zeros((1, 3, 3), None)), "SHAPE", "(1, 3, 3)"),
    (lambda a, i: call_at("add", gnd.broadcast_to(a, (2, 4, 3)), i, 1), "INVALID", "read-only"),
    (lambda a, i: call_at("gcd", a, i, 1), "DTYPE", "float32"),
    (lambda a, i: call_at("add", gnd.zeros((0, 2), None), i, 1), "INDEX", "(0, 2)"),
])
def test_at_refuses(call, code, text):
    a, i = gnd.zeros((4, 3), "float32"), gnd.from_numpy(INDEX)
    with pytest.raises(gnd.Error) as caught:
        call(a, i)
    assert caught.value.code == getattr(gnd, "ERROR_" + code), caught.value
    assert text in caught.value.message and "gnd_at" in caught.value.message, caught.value
    assert_same(a, np.zeros((4, 3), "float32"))


@given(data=st.data())
def test_at_random(data):
    """Random shapes and indices; the steps are NumPy's."""
    name = data.draw(st.sampled_from(["add", "subtract", "maximum", "bitwise_xor", "divide"]))
    dtype = data.draw(st.sampled_from(["int32", "float64", "float32", "uint8", "int64"]))
    if name == "bitwise_xor" and dtype.startswith("float"):
        dtype = "int16"
    g = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    shape = tuple(data.draw(st.integers(1, 5)) for _ in range(data.draw(st.integers(1, 4))))
    count = data.draw(st.integers(1, len(shape)))
    index_shape = tuple(data.draw(st.integers(0, 6)) for _ in range(data.draw(st.integers(0, 2))))
    order = g.permutation(len(shape))
    base = sample(name, dtype, tuple(np.array(shape)[order]), g)
    want = base.copy()
    view = want.transpose(np.argsort(order))
    indices = tuple(g.integers(-s, s, index_shape) for s in view.shape[:count])
    b = sample(name, dtype, index_shape + view.shape[count:], g)
    if data.draw(st.booleans()) and b.ndim:
        b = b[..., :1]
    got = gnd.from_numpy(base)
    with np.errstate(all="ignore"):
        getattr(np, name).at(view, indices, b)
    call_at(name, gnd.permute(got, tuple(int(k) for k in np.argsort(order))),
            tuple(gnd.from_numpy(np.asarray(i)) for i in indices), gnd.from_numpy(b))
    assert_same(got, want, f"{name} {dtype} {view.shape} {index_shape}")


# ---- out of memory ------------------------------------------------------------------------------------------


def test_no_memory():
    """Each allocation may fail: nothing is written, nothing leaks."""
    x = np.arange(6000, dtype=np.float32).reshape(2000, 3)
    a, i = gnd.from_numpy(x), gnd.from_numpy(np.array([0, 1000, 3]))
    rows = gnd.from_numpy(np.arange(2000) % 7)
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
    for target, values in ((a, gnd.transpose(gnd.ones((3, 2000), "int16"))), (a, a)):
        before = target.numpy()
        for n in range(1, 60):
            gnd.memory_trim(gnd.current_device())
            gnd.lib.gndi_fail_alloc_at(n)
            try:
                call_at("add", target, rows, values)
            except gnd.Error as error:
                gnd.lib.gndi_fail_alloc_at(0)
                assert error.code == gnd.ERROR_MEMORY
                assert np.array_equal(target.numpy(), before), f"allocation {n}"
            else:
                gnd.lib.gndi_fail_alloc_at(0)
                break
        assert n > 1
