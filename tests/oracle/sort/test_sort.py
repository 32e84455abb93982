"""Ordering: sort, argsort, lexsort, topk, partition and their relatives against NumPy's stable sorts, to
the bit, in every dtype, layout and length, with NaN of both signs, signed zeros and duplicates."""

import ctypes
import zlib

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import values
from check import assert_same
from test_faults import run_with_failures
from test_memory import stats

UP, DOWN = gnd.ASCENDING, gnd.DESCENDING

# Around the lengths where a backend may change its method, and one that is worth several threads.
LENGTHS = [1, 2, 3, 5, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 127, 128, 129, 200, 255, 257, 500, 511,
           513, 1000, 1025, 2047, 2049, 4097]
LONG = [20000, 70001, 300000]


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


# ---- what to sort, and what should come of it -----------------------------------------------------------


def bits_of(x):
    """The elements as bytes, so that NaN payloads and signs of zero count."""
    dense = np.ascontiguousarray(x)
    return dense.view(np.uint8).reshape(*x.shape, x.dtype.itemsize)


def with_nan_bits(x, g):
    """Some NaN get the other sign or another payload."""
    if dtypes.is_bfloat16(x):
        words, nan = x["bfloat16"], np.isnan(dtypes.widen(x))
    elif x.dtype.kind in "fc":
        part = {2: np.uint16, 4: np.uint32, 8: np.uint64}[
            x.dtype.itemsize // (2 if x.dtype.kind == "c" else 1)]
        words = x.view(part)
        nan = np.isnan(x.view(x.real.dtype) if x.dtype.kind == "c" else x)
    else:
        return x
    flips = np.zeros(words.shape, words.dtype)
    top = 8 * words.dtype.itemsize - 1
    flips |= (g.integers(0, 2, words.shape).astype(words.dtype) << words.dtype.type(top))
    flips |= g.integers(0, 8, words.shape).astype(words.dtype)
    words[nan] ^= flips[nan]
    return x


def sample(name, shape, g, kind=None):
    """Values of one of several kinds."""
    kind = g.choice(["mixed", "few", "small", "special", "ordered", "equal"]) if kind is None else kind
    size = int(np.prod(shape))
    if kind == "mixed":
        x = values.random_values(name, (size,), g)
    elif kind == "few":
        x = g.choice(values.specials(name), size)
    elif kind == "small":
        x = dtypes.cast(g.integers(0, 5, size) - (0 if name.startswith(("u", "b")) else 2), name)
    elif kind == "special":
        x = values.random_values(name, (size,), g, special_share=0.6)
    elif kind == "equal":
        x = np.repeat(values.random_values(name, (1,), g), size)
    else:
        x = values.random_values(name, (size,), g, special_share=0)
        x = x[order_of(x)]
        if g.random() < 0.5:
            x = x[::-1].copy()
        swap = g.integers(0, max(size, 1), 4)
        x[swap[:2] % max(size, 1)] = x[swap[2:] % max(size, 1)] if size else x
    return with_nan_bits(np.ascontiguousarray(x), g).reshape(shape)


def order_of(x, axis=-1, down=False):
    """Places in NumPy's stable order, or its exact reverse."""
    wide = dtypes.widen(x)
    if not down:
        return np.argsort(wide, axis=axis, kind="stable")
    back = np.argsort(np.flip(wide, axis), axis=axis, kind="stable")
    return np.flip(x.shape[axis] - 1 - back, axis)


def take(x, order, axis=-1):
    return np.take_along_axis(x, order, axis)


def alike(a, b):
    """Elementwise: neither comes before the other."""
    a, b = dtypes.widen(a), dtypes.widen(b)
    if a.dtype.kind == "c":
        return alike(a.real, b.real) & alike(a.imag, b.imag)
    if a.dtype.kind == "f":
        return (a == b) | (np.isnan(a) & np.isnan(b))
    return a == b


def assert_bits(got, want, context):
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: {got.dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    actual = got.numpy()
    same = (bits_of(actual) == bits_of(want)).all(-1)
    if not same.all():
        index = tuple(np.argwhere(~same)[0])
        raise AssertionError(f"{context}: {(~same).sum()} of {same.size} differ, first at {index}: "
                             f"{dtypes.widen(actual)[index]!r}, not {dtypes.widen(want)[index]!r}")


def assert_values(got, want, context, all_there=True):
    """Bit for bit, but that NaN may stand in any order among themselves; unless all are there, any of
    them."""
    assert got.dtype == dtypes.name_of(want.dtype), f"{context}: {got.dtype}"
    actual = got.numpy()
    assert actual.shape == want.shape, f"{context}: {actual.shape}, not {want.shape}"
    wide, other = dtypes.widen(actual), dtypes.widen(want)
    nan = np.isnan(wide) & np.isnan(other) if wide.dtype.kind in "fc" else np.zeros(wide.shape, bool)
    good = (bits_of(actual) == bits_of(want)).all(-1) | (nan & alike(wide, other))
    if not good.all():
        index = tuple(np.argwhere(~good)[0])
        raise AssertionError(f"{context}: {(~good).sum()} of {good.size} differ, first at {index}: "
                             f"{wide[index]!r}, not {other[index]!r}")
    if nan.any() and all_there:
        assert (checksums(actual[nan]) == checksums(want[nan])).all(), f"{context}: other NaN"


def checksums(x):
    """A number for each element, from its bits; in order."""
    weights = np.uint64(257) ** np.arange(x.dtype.itemsize, dtype=np.uint64)
    return np.sort(bits_of(x).astype(np.uint64) @ weights)


def both(a, axis=-1, direction=UP):
    room = gnd.outputs(2)
    gnd.sort_with_indices(ctypes.addressof(room), ctypes.addressof(room) + 8, a, axis, direction)
    return gnd.take(room)


def topk(a, k, axis=-1, direction=DOWN, wanted=(True, True)):
    room = gnd.outputs(2)
    pointers = [ctypes.addressof(room) + 8 * i if wanted[i] else None for i in range(2)]
    gnd.topk(*pointers, a, k, axis, direction)
    return gnd.take(room)


def kth_list(kth):
    return np.array(kth, np.int64).reshape(-1)


def partition(a, kth, axis=-1):
    indices = kth_list(kth)
    return gnd.partition(a, len(indices), indices, axis)


def argpartition(a, kth, axis=-1):
    indices = kth_list(kth)
    return gnd.argpartition(a, len(indices), indices, axis)


def check_all(x, a, axis, context):
    """Every kind of sort of x, of which `a` is gnd's copy."""
    for down in (False, True):
        direction = DOWN if down else UP
        order = order_of(x, axis, down)
        want = take(x, order, axis)
        assert_values(gnd.sort(a, axis, direction), want, f"sort {context} {down}")
        assert_bits(gnd.argsort(a, axis, direction), order, f"argsort {context} {down}")
        got = both(a, axis, direction)
        assert_values(got[0], want, f"values {context} {down}")
        assert_bits(got[1], order, f"indices {context} {down}")


def check_topk(x, a, k, axis, down, context):
    order = np.take(order_of(x, axis, down), range(k), axis)
    got = topk(a, k, axis, DOWN if down else UP)
    assert_bits(got[1], order, f"topk indices {context} k {k} {down}")
    assert_values(got[0], take(x, order, axis), f"topk values {context} k {k} {down}", False)
    alone = topk(a, k, axis, DOWN if down else UP, (True, False))
    assert alone[1] is None
    assert_values(alone[0], take(x, order, axis), f"topk values alone {context} k {k} {down}", False)
    alone = topk(a, k, axis, DOWN if down else UP, (False, True))
    assert_bits(alone[1], order, f"topk indices alone {context} k {k} {down}")


def is_partition(x, result, kth, axis):
    """Whether `result` has x's elements, and kth are where they belong."""
    n = x.shape[axis]
    x, result = np.moveaxis(x, axis, -1).reshape(-1, n), np.moveaxis(result, axis, -1).reshape(-1, n)
    for row, got in zip(x, result):
        # The same elements, to the bit.
        if not (checksums(row) == checksums(got)).all():
            return False
        ordered = take(row, order_of(row))
        begin = 0
        for k in sorted(k % n for k in kth) + [n]:
            part = take(got[begin:k], order_of(got[begin:k])) if k > begin else got[:0]
            if not alike(part, ordered[begin:k]).all():
                return False
            begin = k
    return True


def check_partition(x, a, kth, axis, context):
    got = partition(a, kth, axis)
    assert got.shape == x.shape and got.dtype == dtypes.name_of(x.dtype)
    assert is_partition(x, got.numpy(), kth, axis), f"partition {context} kth {kth}"
    indices = argpartition(a, kth, axis)
    assert indices.shape == x.shape and indices.dtype == "int64"
    order = indices.numpy()
    every = np.arange(x.shape[axis]).reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
    assert (np.sort(order, axis) == every).all(), f"argpartition {context} kth {kth}: no permutation"
    assert is_partition(x, take(x, order, axis), kth, axis), f"argpartition {context} kth {kth}"


# ---- lengths and dtypes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_rows_of_every_length(name):
    g = generator("lengths", name)
    for n in LENGTHS:
        rows = int(g.integers(1, 5))
        x = sample(name, (rows, n), g)
        a = gnd.from_numpy(x)
        check_all(x, a, -1, f"{name} {x.shape}")
        k = int(g.integers(0, n + 1))
        check_topk(x, a, k, -1, bool(g.integers(2)), f"{name} {x.shape}")
        check_topk(x, a, min(n, 10), -1, bool(g.integers(2)), f"{name} {x.shape}")
        kth = [int(i) for i in g.integers(-n, n, int(g.integers(1, 4)))]
        check_partition(x, a, kth, -1, f"{name} {x.shape}")


@pytest.mark.parametrize("kind", ["mixed", "few", "special", "ordered"])
@pytest.mark.parametrize("name", dtypes.NAMES)
def test_long_rows(name, kind):
    g = generator("long", name, kind)
    n = int(g.choice(LONG))
    x = sample(name, (n,), g, kind)
    a = gnd.from_numpy(x)
    check_all(x, a, -1, f"{name} {kind} {n}")
    for k in (7, 1000, n // 3):
        check_topk(x, a, k, 0, bool(g.integers(2)), f"{name} {kind} {n}")
    check_partition(x, a, [n // 2, 100, -1], 0, f"{name} {kind} {n}")


@pytest.mark.parametrize("kind", ["mixed", "few", "special", "ordered", "equal"])
@pytest.mark.parametrize("name", dtypes.NAMES)
def test_few_of_long_rows(name, kind):
    """topk of up to 32: rows of their own, rows cut into parts, rows side by side."""
    g = generator("first", name, kind)
    for rows, n in [(3, 256), (300, 257), (2500, 300), (2, 20000), (1, 70001)]:
        x = sample(name, (rows, n), g, kind)
        a = gnd.from_numpy(x)
        for k in (1, 10, 32, 33):
            check_topk(x, a, k, -1, bool(g.integers(2)), f"{name} {kind} {x.shape}")
        check_topk(x.T, gnd.transpose(a), 5, 0, bool(g.integers(2)), f"{name} {kind} columns")
        check_topk(x[:, ::-2], a[":, ::-2"], 5, 1, bool(g.integers(2)), f"{name} {kind} every other")


@pytest.mark.parametrize("name", ["float32", "int16", "float64"])
def test_many_short_rows(name):
    g = generator("many", name)
    for n in (2, 7, 30):
        x = sample(name, (5000, n), g, "mixed")
        a = gnd.from_numpy(x)
        check_all(x, a, -1, f"{name} {x.shape}")
        check_all(x.T, gnd.transpose(a), 0, f"{name} columns {x.T.shape}")
        check_topk(x, a, 2, -1, True, name)


# ---- layouts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["int8", "uint16", "float16", "float32", "int64", "complex64",
                                  "complex128"])
def test_layouts_and_axes(name):
    g = generator("layouts", name)
    for shape in [(40,), (6, 35), (4, 5, 21), (3, 1, 4, 9)]:
        for layout in values.layouts(shape):
            base = sample(name, layout.base, g)
            x, a = values.apply_numpy(base, layout.steps), gnd.view(base, layout.steps)
            axis = int(g.integers(-x.ndim, x.ndim))
            check_all(x, a, axis, f"{name} {layout.name} {shape} axis {axis}")
            check_topk(x, a, min(3, x.shape[axis]), axis, bool(g.integers(2)), layout.name)
            check_partition(x, a, [x.shape[axis] // 2], axis, f"{name} {layout.name} axis {axis}")
            assert_same(gnd.sort(a, axis, UP), np.sort(x, axis, kind="stable"), layout.name,
                        strides="broadcast" not in layout.name)
            flat = np.ravel(x)
            assert_values(gnd.sort(a, None, DOWN), take(flat, order_of(flat, 0, True)),
                        f"flat {layout.name}")
            assert_bits(gnd.argsort(a, None, UP), order_of(flat), f"flat indices {layout.name}")
            got = both(a, None, UP)
            assert_values(got[0], take(flat, order_of(flat)), f"flat values {layout.name}")
            assert_bits(got[1], order_of(flat), f"flat indices {layout.name}")
            assert_bits(a, x, "x is as it was")


@pytest.mark.parametrize("name", ["float32", "float64", "complex64", "complex128"])
def test_long_columns(name):
    """Few long rows that are not dense: several threads sort one after the other."""
    x = np.ascontiguousarray(sample(name, (2, 140000), generator("columns", name)).T)
    check_all(x, gnd.from_numpy(x), 0, f"long columns of {name}")


@given(st.data())
def test_random_views(data):
    name = data.draw(st.sampled_from(dtypes.NAMES))
    ndim = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.integers(1, 30 if i == 0 else 9)) for i in range(ndim))
    g = generator(data.draw(st.integers(0, 2**32)))
    base = sample(name, shape, g)
    order = tuple(int(i) for i in g.permutation(ndim))
    text = ", ".join(str(g.choice([":", "::-1", "::2", "1:", "::-2"])) for _ in range(ndim))
    steps = [("permute", order), ("slice", text)]
    x, a = values.apply_numpy(base, steps), gnd.view(base, steps)
    axis = data.draw(st.integers(-ndim, ndim - 1))
    check_all(x, a, axis, f"{name} {shape} {order} {text} axis {axis}")
    n = x.shape[axis]
    if n:
        check_topk(x, a, int(g.integers(0, n + 1)), axis, bool(g.integers(2)), text)
        check_partition(x, a, [int(g.integers(-n, n))], axis, text)


# ---- in place, into -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_in_place_and_into(name):
    g = generator("into", name)
    for shape, axis, view in [((50,), 0, ":"), ((3000,), -1, "::-3"), ((20, 33), 0, "::2, ::-1"),
                              ((70, 9), 1, ":, 1:"), ((5, 6, 130), 1, ":, ::-1, ::2")]:
        base = sample(name, shape, g)
        x = values.apply_numpy(base, [("slice", view)])
        for down in (False, True):
            direction = DOWN if down else UP
            want = take(x, order_of(x, axis, down), axis)
            whole = base.copy()
            values.apply_numpy(whole, [("slice", view)])[...] = want
            a = gnd.from_numpy(base)
            gnd.sort_inplace(a[view], axis, direction)
            assert_values(a, whole, f"in place {name} {shape} {view}")
            a = gnd.from_numpy(base)
            v = a[view]
            result = gnd.sort(v, gnd.Axes(axis, out=v), direction)
            assert result.address == v.address
            assert_values(a, whole, f"out is x {name} {shape} {view}")
            out = gnd.from_numpy(base)
            gnd.sort(gnd.from_numpy(x), gnd.Axes(axis, out=out[view]), direction)
            assert_values(out, whole, f"into a view {name} {shape} {view}")
    # What overlaps otherwise counts as copied.
    x = sample(name, (400,), g)
    a = gnd.from_numpy(x)
    gnd.sort(a["50:350"], gnd.Axes(0, out=a["10:310"]), UP)
    x[10:310] = take(x[50:350], order_of(x[50:350]))
    assert_values(a, x, f"overlap {name}")
    gnd.sort(a, gnd.Axes(0, out=a["::-1"]), UP)
    assert_values(a, take(x, order_of(x))[::-1].copy(), f"turned {name}")


def test_out_of_other_dtypes():
    x = np.array([[3, 1, 2], [9, 7, 8]], np.int32)
    a = gnd.from_numpy(x)
    for name in ("float32", "int8", "complex64"):
        out = gnd.zeros((2, 3), name)
        gnd.sort(a, gnd.Axes(1, out=out), UP)
        assert_bits(out, np.sort(x).astype(name), name)
        gnd.argsort(a, gnd.Axes(1, out=out), UP)
        assert_bits(out, np.argsort(x).astype(name), name)
        out = gnd.zeros((6,), name)
        gnd.sort(a, gnd.Axes(out=out), UP)
        assert_bits(out, np.sort(x, None).astype(name), name)
    # Places over the array itself.
    big = gnd.from_numpy(np.array([5, 3, 9, 1]))
    gnd.argsort(big, gnd.Axes(0, out=big), UP)
    assert big.numpy().tolist() == [3, 1, 0, 2]
    out, room = gnd.zeros((2,), "int64"), gnd.outputs(2)
    gnd.topk(ctypes.addressof(room), ctypes.addressof(room) + 8, gnd.from_numpy(x), 2,
             gnd.Axes(out=out), DOWN)
    got = gnd.take(room)
    assert got[0].address == out.address
    assert out.numpy().tolist() == [9, 8] and got[1].numpy().tolist() == [3, 5]
    kth = kth_list([1])
    out = gnd.zeros((2, 3), "int16")
    gnd.partition(a, 1, kth, gnd.Axes(1, out=out))
    assert is_partition(x.astype(np.int16), out.numpy(), [1], 1)
    gnd.argpartition(a, 1, kth, gnd.Axes(1, out=out))
    assert is_partition(x, take(x, out.numpy().astype(np.int64), 1), [1], 1)


# ---- several keys, complex ------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_lexsort(count):
    g = generator("lexsort", count)
    for shape, axis in [((60,), None), ((1,), 0), ((3000,), 0), ((7, 90), 1), ((90, 7), 0),
                        ((4, 20, 3), -2), ((200000,), None)]:
        keys = []
        for _ in range(count):
            name = str(g.choice(dtypes.NAMES))
            keys.append(sample(name, shape, g, str(g.choice(["small", "few"]))))
        arrays = [gnd.from_numpy(k) for k in keys]
        want = np.lexsort([dtypes.widen(k) for k in keys], axis=-1 if axis is None else axis)
        context = f"{[k.dtype.name for k in keys]} {shape} {axis}"
        assert_bits(gnd.lexsort(len(keys), arrays, axis), want, context)
        out = gnd.zeros(shape, "float64")
        gnd.lexsort(len(keys), arrays, gnd.Axes(*([] if axis is None else [axis]), out=out))
        assert_bits(out, want.astype(float), context)
        out = gnd.zeros(shape[::-1], "int64")
        view = gnd.transpose(out)
        gnd.lexsort(len(keys), arrays, gnd.Axes(*([] if axis is None else [axis]), out=view))
        assert_bits(view, want, context)


def test_lexsort_of_views_and_itself():
    g = generator("lexsort views")
    x, y = g.integers(0, 4, (30, 8)), g.integers(0, 4, (8, 30)).astype(np.float32)
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    want = np.lexsort([y.T[::-1], x[:, ::-1]], axis=0)
    assert_bits(gnd.lexsort(2, [gnd.transpose(b)["::-1"], a[":, ::-1"]], 0), want, "views")
    want = np.lexsort([x, x[::-1]], axis=1)
    gnd.lexsort(2, [a, a["::-1"]], gnd.Axes(1, out=a))
    assert_bits(a, want, "over a key")


def test_lexsort_of_nothing_and_of_points():
    assert gnd.lexsort(2, [gnd.zeros((0,), "int8"), gnd.zeros((0,), "float32")], None).shape == (0,)
    assert gnd.lexsort(1, [gnd.zeros((3, 0), "int8")], 0).shape == (3, 0)
    point = gnd.zeros((), "float32")
    assert_bits(gnd.lexsort(2, [point, point], None), np.array(0), "0-d")
    assert_bits(gnd.lexsort(2, [point, point], -1), np.array(0), "0-d")


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_sort_complex(name):
    g = generator("sort_complex", name)
    x = sample(name, (5, 40), g)
    for got, source in [(gnd.sort_complex(gnd.from_numpy(x)), x),
                        (gnd.sort_complex(gnd.transpose(gnd.from_numpy(x))), x.T)]:
        wide = dtypes.widen(source)
        if name == "bfloat16":
            want = np.sort(wide, kind="stable").astype(np.complex128)
        else:
            want = np.sort_complex(wide)
            assert got.dtype == want.dtype.name
        ordered = take(source, order_of(source))
        assert_same(got, dtypes.widen(ordered).astype(want.dtype), name, strides=False)
        assert got.strides == want.strides


# ---- edges and errors -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["bool", "float32", "complex128"])
def test_nothing(name):
    for shape, axis in [((0,), 0), ((3, 0), 1), ((3, 0), 0), ((0, 4), 1), ((0, 4), 0)]:
        x = np.zeros(shape, name)
        a = gnd.from_numpy(x)
        check_all(x, a, axis, f"{name} {shape}")
        assert_values(gnd.sort(a, None, UP), x.reshape(-1), f"{name} {shape}")
        assert_bits(partition(a, [7], axis), x, f"{name} {shape}")
        assert_bits(argpartition(a, [7], axis), np.zeros(shape, np.int64), f"{name} {shape}")
        gnd.sort_inplace(a, axis, DOWN)
        assert [r.shape for r in topk(a, 0, axis)] == [
            tuple(0 if i == axis else n for i, n in enumerate(shape))] * 2
    x = np.arange(6).reshape(2, 3).astype(name)
    a = gnd.from_numpy(x)
    assert [r.shape for r in topk(a, 0, 1)] == [(2, 0)] * 2
    assert_bits(partition(a, [], 1), x, "no kth")


def test_points():
    a = gnd.from_numpy(np.array(2.5))
    assert_values(gnd.sort(a, None, UP), np.array([2.5]), "flat")
    for axis in (None, 0, -1):
        assert_bits(gnd.argsort(a, axis, UP), np.array([0]), f"axis {axis}")
        assert_bits(argpartition(a, 0, axis), np.array([0]), f"axis {axis}")
    assert [r.shape for r in topk(a, 1, None)] == [(1,)] * 2


def fails(code, text, call):
    with pytest.raises(gnd.Error) as error:
        call()
    assert error.value.code == code, error.value
    assert text in str(error.value), error.value


def test_errors():
    a, x = gnd.from_numpy(np.arange(12.0).reshape(3, 4)), np.arange(12.0).reshape(3, 4)
    point = gnd.from_numpy(np.array(1.0))
    axis, invalid, value = gnd.ERROR_AXIS if hasattr(gnd, "ERROR_AXIS") else None, \
        gnd.ERROR_INVALID, gnd.ERROR_VALUE
    for call in (lambda k: gnd.sort(a, k, UP), lambda k: gnd.argsort(a, k, UP),
                 lambda k: partition(a, 0, k), lambda k: topk(a, 1, k), lambda k: both(a, k),
                 lambda k: gnd.sort_inplace(a, k, UP), lambda k: gnd.lexsort(1, [a], k)):
        with pytest.raises(gnd.Error, match="axis 2") as error:
            call(2)
        assert axis is None or error.value.code == axis
        with pytest.raises(gnd.Error, match="axis -3"):
            call(-3)
        fails(invalid, "2 were given", lambda: call((0, 1)))
        fails(invalid, "0 were given", lambda: call(()))
        for option in (dict(keepdims=True), dict(dtype="int8"), dict(where=gnd.ones((3, 4), "bool")),
                       dict(initial=point)):
            fails(invalid, f"takes no {next(iter(option))}", lambda: call(gnd.Axes(0, **option)))
    for call in (gnd.sort, gnd.sort_inplace):
        with pytest.raises(gnd.Error, match="axis -1"):
            call(point, -1, UP)
    with pytest.raises(gnd.Error, match="axis 1"):
        gnd.argsort(point, 1, UP)
    fails(invalid, "direction 7", lambda: gnd.sort(a, 0, 7))
    fails(invalid, "must be named", lambda: gnd.sort_inplace(a, None, UP))
    fails(invalid, "takes no out", lambda: gnd.sort_inplace(a, gnd.Axes(0, out=a), UP))
    read_only = gnd.broadcast_to(a, (2, 3, 4))
    fails(invalid, "read-only", lambda: gnd.sort_inplace(read_only, 1, UP))
    fails(invalid, "read-only", lambda: gnd.sort(read_only, gnd.Axes(1, out=read_only), UP))
    fails(gnd.ERROR_SHAPE, "(3, 5)", lambda: gnd.sort(a, gnd.Axes(0, out=gnd.zeros((3, 5), "int8")), UP))
    fails(gnd.ERROR_SHAPE, "(3, 4)", lambda: gnd.argsort(a, gnd.Axes(out=gnd.zeros((3, 4), "int8")), UP))
    fails(value, "kth 4", lambda: partition(a, [0, 4], 1))
    fails(value, "kth -5", lambda: argpartition(a, [-5], 1))
    fails(value, "k 5", lambda: topk(a, 5, 1))
    fails(value, "k is -1", lambda: topk(a, -1, 1))
    fails(invalid, "neither values nor indices", lambda: topk(a, 1, 1, DOWN, (False, False)))
    fails(invalid, "-2 indices", lambda: gnd.partition(a, -2, kth_list([1]), 0))
    fails(invalid, "kth", lambda: gnd.partition(a, 2, None, 0))
    fails(invalid, "no key", lambda: gnd.lexsort(0, [], 0))
    fails(invalid, "key 2 is no array", lambda: gnd.lexsort(2, [a, 3], 0))
    fails(gnd.ERROR_SHAPE, "(3, 4), key 2 (4,)",
          lambda: gnd.lexsort(2, [a, gnd.zeros((4,), "int8")], 0))
    fails(invalid, "must be named", lambda: gnd.lexsort(1, [a], None))
    for call in (lambda: gnd.sort(None, 0, UP), lambda: gnd.argsort(None, 0, UP),
                 lambda: both(None), lambda: topk(None, 1), lambda: partition(None, 0),
                 lambda: argpartition(None, 0), lambda: gnd.sort_complex(None),
                 lambda: gnd.sort_inplace(None, 0, UP), lambda: gnd.lexsort(1, [gnd.Array(None)], 0)):
        with pytest.raises(gnd.Error):
            call()
    with pytest.raises(gnd.Error, match="axis -1"):
        gnd.sort_complex(point)
    assert (a.numpy() == x).all()


def test_out_of_memory():
    g = generator("memory")
    x = g.normal(size=(40, 50)).astype(np.float32)
    a, long = gnd.from_numpy(x), gnd.from_numpy(g.normal(size=100000))
    turned = gnd.transpose(a)
    keys = [gnd.from_numpy(g.integers(0, 5, 3000)) for _ in range(3)]
    out = gnd.zeros((50, 40), "float64")
    calls = [lambda: gnd.sort(a, 0, UP), lambda: gnd.argsort(turned, 0, DOWN),
             lambda: gnd.sort(turned, None, UP), lambda: both(a, 1), lambda: gnd.sort(long, 0, UP),
             lambda: gnd.argsort(long, 0, UP), lambda: topk(a, 3, 0), lambda: partition(a, 3, 0),
             lambda: topk(long, 30, 0), lambda: partition(long, 30, 0),
             lambda: argpartition(long, list(range(100)), 0), lambda: gnd.lexsort(3, keys, None),
             lambda: gnd.sort_complex(a), lambda: gnd.sort(turned, gnd.Axes(1, out=out), UP)]
    for call in calls:
        run_with_failures(call)
    copy = gnd.from_numpy(x)
    run_with_failures(lambda: gnd.sort_inplace(copy, 0, UP))
    assert (copy.numpy() == np.sort(x, 0)).all()
    assert (a.numpy() == x).all()


def temporary_memory(call):
    """The most that a call has in use beside what it finds and what it gives."""
    before = stats().in_use
    gnd.memory_reset_peak(gnd.current_device())
    result = call()
    return stats().peak - max(stats().in_use, before), result


@pytest.mark.parametrize("name", ["int8", "float16", "int32", "float64", "complex128"])
def test_temporary_memory_is_what_the_header_says(name):
    n, few_megabytes = (1 << 20) + 3, 4 << 20
    g = generator("temporary", name)
    a = gnd.from_numpy(sample(name, (2 * n,), g))
    size = a.numpy().itemsize
    for x in (a[f":{n}"], a["::2"]):
        bound = 2.5 * size * n + few_megabytes
        assert temporary_memory(lambda: gnd.sort(x, 0, UP))[0] <= bound, f"sort {name}"
        if gnd.current_device().kind == gnd.CPU:
            bound = 2.5 * (size + 8) * n + few_megabytes
        assert temporary_memory(lambda: gnd.argsort(x, 0, UP))[0] <= bound, f"argsort {name}"
        assert temporary_memory(lambda: both(x, 0))[0] <= bound, f"both {name}"
        bound = 4 * (size + 8) * n + few_megabytes
        for k in (10, n // 2):
            assert temporary_memory(lambda: topk(x, k, 0))[0] <= bound, f"topk {name}"
            assert temporary_memory(lambda: partition(x, k, 0))[0] <= bound, f"partition {name}"
