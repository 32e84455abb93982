"""The operators' method at, of every operator of the table that has it, in every dtype, against NumPy's ufunc.at, or,
where NumPy has no such ufunc or no bfloat16, against its function applied one step after the other."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import reference
from check import assert_same
from test_elementwise import ROWS
from test_ufunc import EPSILON, assert_near, generator, layouts, numpy_ufunc, quiet, sample, step

INDEXED = [name for name, row in ROWS.items()
           if len(row.inputs) <= 2 and len(row.outputs) == 1 and "PARAMS" not in row.flags]


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
    a = gnd.from_numpy(np.arange(6000, dtype=np.float32).reshape(2000, 3))
    rows = gnd.from_numpy(np.arange(2000) % 7)
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
