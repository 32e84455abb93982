"""Sets: unique with all it can give, along axes too, and the functions of two sets, against NumPy. NumPy has
no bfloat16: its values are held against those of float32, to which every bfloat16 is exact."""

import ctypes
import itertools

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import dtypes
import gnd
import values
from check import assert_same
from test_compare import generator, raises
from test_faults import run_with_failures

REAL_BITS = {"float16": "uint16", "bfloat16": "uint16", "float32": "uint32", "float64": "uint64"}


def options(room, distinct_nan=False, wishes="index inverse counts", unsorted=False):
    """A gnd_unique_options whose results come to `room`, by name."""
    result = gnd.STRUCTS["gnd_unique_options"]()
    for k, name in enumerate(("index", "inverse", "counts")):
        if name in wishes:
            setattr(result, name, ctypes.addressof(room) + 8 * k)
    result.distinct_nan, result.unsorted = distinct_nan, unsorted
    return result


def unique(a, axis=None, distinct_nan=False, wishes="index inverse counts"):
    room = gnd.outputs(3)
    result = gnd.unique(a, gnd.Axes() if axis is None else gnd.Axes(axis),
                        options(room, distinct_nan, wishes))
    extra = gnd.take(room)
    for k, name in enumerate(("index", "inverse", "counts")):
        assert (extra[k] is not None) == (name in wishes)
    return [result] + [x for x in extra if x is not None]


def numpy_unique(x, axis=None, distinct_nan=False):
    """All four results; of bfloat16 by way of float32."""
    wide = dtypes.from_bfloat16(x) if dtypes.is_bfloat16(x) else x
    found, *rest = np.unique(wide, True, True, True, axis=axis, equal_nan=not distinct_nan)
    if dtypes.is_bfloat16(x):
        found = dtypes.to_bfloat16(found)
    return [found] + rest


def few_values(name, shape, g):
    """Values that stand there several times, special ones among them."""
    pool = np.concatenate([values.random_values(name, (12,), g, 0), values.specials(name)])
    if name in dtypes.COMPLEX or name in dtypes.FLOATS:
        zeros = dtypes.cast(np.array([0.0, -0.0, np.nan, np.nan]), name)
        pool = np.concatenate([pool[g.integers(0, len(pool), 12)], zeros])
    return pool[g.integers(0, len(pool), shape)]


def check_all(x, a, axis=None, context=""):
    """Every combination of what can be asked for."""
    for distinct_nan in (False, True):
        want = numpy_unique(x, axis, distinct_nan)
        context_here = f"{context} {dtypes.name_of(x.dtype)}{x.shape} axis {axis} {distinct_nan}"
        for wishes in ("", "index", "inverse", "counts", "index counts", "index inverse counts"):
            got = unique(a, axis, distinct_nan, wishes)
            wanted = want[:1] + [w for w, name in zip(want[1:], ("index", "inverse", "counts"))
                                 if name in wishes]
            for g, w, name in zip(got, wanted, ["values"] + wishes.split(), strict=True):
                assert_same(g, w, f"{context_here} [{wishes}] {name}", strides=axis is None)


# ---- unique ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_unique(name):
    g = generator("unique", name)
    for shape in ((0,), (1,), (2,), (7,), (60,), (), (3, 5), (2, 0), (4, 3, 2)):
        x = few_values(name, shape, g)
        check_all(x, gnd.from_numpy(x))
    base = few_values(name, (6, 8), g)
    a = gnd.from_numpy(base)
    for x, b in ((base.T, gnd.transpose(a)), (base[::-1, 1::2], a["::-1, 1::2"]),
                 (np.broadcast_to(base[:1], (3, 8)), gnd.broadcast_to(a[":1"], (3, 8))),
                 (base[:, 3], a[":, 3"]), (base[2, ::-3], a["2, ::-3"])):
        check_all(x, b, context="layout")


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_unique_of_many(name):
    """Long enough for every path; small numbers, so that integers are counted instead of sorted."""
    g = generator("many", name)
    for low, high in ((0, 9), (-40, 90), (100, 120)):
        if name == "bool" or name.startswith("uint"):
            low = max(low, 0)
        x = dtypes.cast(g.integers(low, high, (70, 50)), name)
        check_all(x, gnd.from_numpy(x))
        check_all(x[::-2, 3:].T, gnd.transpose(gnd.from_numpy(x)["::-2, 3:"]))
    x = values.random_values(name, (5000,), g)
    check_all(x, gnd.from_numpy(x))


@pytest.mark.parametrize("name", dtypes.INTEGERS)
def test_unique_at_the_ends_of_a_dtype(name):
    info = np.iinfo(name)
    g = generator("ends", name)
    for base in (info.min, info.max - 60, (info.min + info.max) // 2):
        x = (g.integers(0, 60, 3000).astype(object) + base).astype(name)
        check_all(x, gnd.from_numpy(x))
    x = g.choice(np.array([info.min, info.max, 0, 1], name), 3000)
    check_all(x, gnd.from_numpy(x))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_unique_random(data):
    name = data.draw(st.sampled_from(dtypes.NAMES))
    g = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    n, most = data.draw(st.integers(0, 3000)), data.draw(st.sampled_from([1, 2, 10, 1000]))
    pool = values.random_values(name, (most,), g)
    x = pool[g.integers(0, most, n)]
    check_all(x, gnd.from_numpy(x))


def test_first_zero_stands_for_both():
    for name in dtypes.FLOATS:
        for zeros in ([0.0, -0.0], [-0.0, 0.0]):
            x = dtypes.cast(np.array([3.0] + zeros + [-1.0] + zeros[::-1] * 3), name)
            for wishes in ("", "counts", "index", "index inverse counts"):
                got = unique(gnd.from_numpy(x), wishes=wishes)[0].numpy()
                assert np.array_equal(np.signbit(dtypes.widen(got)), [True, np.signbit(zeros[0]), False])


def test_first_nan_stands_for_all():
    payloads = np.array([0x7FC00005, 0x7FC00001, 0xFFC00003], np.uint32).view(np.float32)
    x = np.concatenate([[1.0], payloads, [0.5]]).astype(np.float32)
    x[1:4] = payloads
    got = unique(gnd.from_numpy(x), wishes="index")
    assert np.array_equal(got[1].numpy(), [4, 0, 1])
    assert got[0].numpy().view(np.uint32)[-1] == 0x7FC00005


def test_array_api_functions():
    for x in (np.array([[3.0, np.nan, 1], [np.nan, 3, 0]]), np.arange(4000) % 7, np.array(True)):
        a = gnd.from_numpy(x)
        want = np.unique_all(x)
        assert_same(gnd.unique_values(a), np.sort(np.unique_values(x)))
        room = gnd.outputs(1)
        for call, wanted in ((gnd.unique_counts, np.unique_counts(x)),
                             (gnd.unique_inverse, np.unique_inverse(x))):
            got = [call(a, ctypes.addressof(room))] + gnd.take(room)
            for g, w in zip(got, wanted, strict=True):
                assert_same(g, w)
        room = gnd.outputs(3)
        pointers = [ctypes.addressof(room) + 8 * k for k in range(3)]
        got = [gnd.unique_all(a, *pointers)] + gnd.take(room)
        for g, w in zip(got, want, strict=True):
            assert_same(g, w)
        assert_same(gnd.unique_all(a, None, None, None), want.values)


def test_no_options():
    x = np.array([3, 1, 3, 2])
    assert_same(gnd.unique(gnd.from_numpy(x), None, None), np.unique(x))
    room = gnd.outputs(3)
    got = gnd.unique(gnd.from_numpy(x), None, options(room, unsorted=True, wishes=""))
    assert_same(got, np.unique(x))


# ---- along an axis --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_rows(name):
    g = generator("rows", name)
    for shape in ((6, 2), (30, 3), (1, 4), (4, 1), (5, 2, 3), (2, 3, 2, 2), (0, 3), (3, 0), (0, 0),
                  (2, 0, 3)):
        pool = few_values(name, (3,), g)
        x = pool[g.integers(0, 3, shape)]
        if name in dtypes.FLOATS + dtypes.COMPLEX and 0 not in shape:
            x.flat[0] = pool[0]
        for axis in range(-len(shape), len(shape)):
            check_rows(x, gnd.from_numpy(x), axis)
    base = few_values(name, (8, 10), g)[:, :4]
    base[3] = base[1]
    wide = np.concatenate([base, base[:, ::-1]], axis=1)
    a = gnd.from_numpy(wide)
    check_rows(wide[:, 1::2], a[":, 1::2"], 0)
    check_rows(wide[::-1].T, gnd.transpose(a["::-1"]), 1)


def check_rows(x, a, axis):
    """NumPy sorts parts with NaN by the bytes' order of its own: what is equal is compared, in an order."""
    wide = dtypes.widen(x)
    if not np.isnan(wide).any():
        check_all(x, a, axis)
        return
    got = [r.numpy() for r in unique(a, axis)]
    found, index, inverse, counts = got
    want = numpy_unique(x, axis)
    assert len(index) == len(want[1]) and counts.sum() == x.shape[axis]
    assert sorted(index) == sorted(want[1])
    parts = np.moveaxis(x, axis, 0)
    again = np.moveaxis(found, axis, 0)
    assert np.array_equal(again[inverse].view(np.uint8), np.ascontiguousarray(parts).view(np.uint8)) or (
        np.array_equal(dtypes.widen(again[inverse]), np.moveaxis(wide, axis, 0), equal_nan=True))


def test_rows_in_order_with_nan():
    nan = np.nan
    x = np.array([[1, nan, 2], [nan, 0, 0], [1, nan, 1], [1, 5, 9], [nan, 0, 0], [1, nan, 1]])
    got = [r.numpy() for r in unique(gnd.from_numpy(x), 0)]
    assert np.array_equal(got[1], [3, 2, 5, 0, 1, 4])
    assert np.array_equal(got[0], x[got[1]], equal_nan=True)
    assert np.array_equal(got[3], [1] * 6)


@pytest.mark.parametrize("columns", [5, 16, 17, 40, 300])
def test_many_columns(columns):
    """First columns that decide, that do not, and that never do."""
    g = generator("columns", columns)
    for shared in (0, 3, 4, columns // 2, columns - 1):
        x = g.integers(0, 3, (60, columns)).astype(np.int16)
        x[:, :shared] = 7
        x[30:] = x[g.integers(0, 30, 30)]
        check_all(x, gnd.from_numpy(x), 0)
        check_all(np.ascontiguousarray(x.T), gnd.from_numpy(x.T), 1)
    y = x.astype(np.float32)
    y[x == 1] = np.nan
    got = unique(gnd.from_numpy(y), 0)
    assert sorted(got[1].numpy()) == sorted(np.unique(y, axis=0, return_index=True)[1])


def test_rows_of_many():
    g = generator("many rows")
    x = (g.random((4000, 4)) * 4).astype(np.int32)
    check_all(x, gnd.from_numpy(x), 0)
    check_all(x, gnd.from_numpy(x), 1)


# ---- two sets -------------------------------------------------------------------------------------------------


def pairs():
    """Dtypes that meet, and arrays that have values in common."""
    mixed = [("int8", "uint8"), ("int32", "float32"), ("uint16", "int64"), ("float16", "float32"),
             ("complex64", "float64"), ("bool", "int16"), ("int64", "complex64"), ("float32", "bool")]
    for first, second in [(n, n) for n in dtypes.NAMES if n != "bfloat16"] + mixed:
        g = generator("pairs", first, second)
        pool = few_values(first, (12,), g)
        for shapes in (((9,), (14,)), ((3, 4), (2, 2)), ((0,), (5,)), ((5,), (0,)), ((), (4,)),
                       ((0,), (0,)), ((40,), (1,))):
            x = pool[g.integers(0, 12, shapes[0])]
            with np.errstate(invalid="ignore"):
                y = dtypes.cast(np.nan_to_num(pool.real, posinf=9, neginf=-9), second)
                y = np.where(g.random(12) < 0.5, y, few_values(second, (12,), g))
                y = y[g.integers(0, 12, shapes[1])].astype(second)
            if x.dtype.kind == "c" and y.dtype.kind == "f":
                y = np.nan_to_num(y)  # a NaN of another form
            yield one_zero(x), one_zero(y)


def one_zero(x):
    """Without -0.0, and with one NaN: which of equal ones NumPy's formulas give is left to an unstable sort."""
    if x.dtype.kind not in "fc":
        return x
    nan = complex(np.nan, np.nan) if x.dtype.kind == "c" else np.nan
    return np.where(np.isnan(x), x.dtype.type(nan), x + x.dtype.type(0))


def test_two_sets():
    for x, y in pairs():
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        context = f"{x.dtype}{x.shape} {y.dtype}{y.shape}"
        for unique_already in (False, True):
            if unique_already:  # of sets that are none NumPy's result depends on its sort
                x, y = np.unique(x), np.unique(y)
                g = generator("shuffle", context)
                x, y = g.permutation(x), g.permutation(y)
                a, b = gnd.from_numpy(x), gnd.from_numpy(y)
            assert_same(gnd.intersect1d(a, b, unique_already),
                        np.intersect1d(x, y, unique_already), f"intersect1d {context}")
            assert_same(gnd.setxor1d(a, b, unique_already),
                        np.setxor1d(x, y, unique_already), f"setxor1d {context}")
            assert_same(gnd.setdiff1d(a, b, unique_already),
                        np.setdiff1d(x, y, unique_already), f"setdiff1d {context}")
            room = gnd.outputs(2)
            got = [gnd.intersect1d_with_indices(a, b, unique_already, ctypes.addressof(room),
                                          ctypes.addressof(room) + 8)] + gnd.take(room)
            for g, w in zip(got, np.intersect1d(x, y, unique_already, True), strict=True):
                assert_same(g, w, f"intersect1d {context}")
        assert_same(gnd.union1d(a, b), np.union1d(x, y), f"union1d {context}")


def test_two_sets_of_bfloat16():
    x = np.array([1, 2, 2, 5, -3, 0.5], np.float32)
    y = np.array([2, 5, 7, 0.5], np.float32)
    a, b = (gnd.from_numpy(dtypes.to_bfloat16(v)) for v in (x, y))
    for name, call in (("intersect1d", gnd.intersect1d), ("setxor1d", gnd.setxor1d),
                       ("setdiff1d", gnd.setdiff1d)):
        assert_same(call(a, b, False), dtypes.to_bfloat16(getattr(np, name)(x, y)), name)
    assert_same(gnd.union1d(a, b), dtypes.to_bfloat16(np.union1d(x, y)))
    assert_same(gnd.isin(a, b, False, gnd.ISIN_AUTO), np.isin(x, y))


def test_sets_of_views():
    base = generator("views").integers(0, 30, (20, 20)).astype(np.int32)
    a = gnd.from_numpy(base)
    x, y = base[::2, ::-3].T, base[5, 3:]
    b, c = gnd.transpose(a["::2, ::-3"]), a["5, 3:"]
    assert_same(gnd.intersect1d(b, c, False), np.intersect1d(x, y))
    assert_same(gnd.union1d(b, c), np.union1d(x, y))
    assert_same(gnd.setdiff1d(b, c, True), np.setdiff1d(x, y, True))
    assert_same(gnd.isin(b, c, False, gnd.ISIN_AUTO), np.isin(x, y))


# ---- membership -----------------------------------------------------------------------------------------------

KINDS = ("ISIN_AUTO", "ISIN_SORT", "ISIN_TABLE")


def truly_in(x, test):
    """Element by element, exactly."""
    wide_integers = {"int64", "uint64"} == {x.dtype.name, test.dtype.name}
    if wide_integers:
        known = set(test.ravel().tolist())
        return np.array([v in known for v in x.ravel().tolist()], bool).reshape(x.shape)
    return np.isin(x, test)


def test_isin():
    integers = set(dtypes.INTEGERS) | {"bool"}
    for x, y in pairs():
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        for kind, invert in itertools.product(KINDS, (False, True)):
            if kind == "ISIN_TABLE":
                if not {x.dtype.name, y.dtype.name} <= integers:
                    raises(gnd.ERROR_DTYPE, "a table is for integers", gnd.isin, a, b, invert,
                           gnd.ISIN_TABLE)
                    continue
                if y.size and int(y.max()) - int(y.min()) > 10**6:
                    continue
            got = gnd.isin(a, b, invert, getattr(gnd, kind))
            assert_same(got, truly_in(x, y) ^ invert, f"{kind} {x.dtype}{x.shape} {y.dtype}{y.shape}")


@pytest.mark.parametrize("first", list(dtypes.INTEGERS) + ["bool"])
def test_isin_of_many(first):
    g = generator("isin", first)
    for second in list(dtypes.INTEGERS) + ["bool"]:
        for base in (0, "low", "high"):
            def draw(name, size, spread):
                if name == "bool":
                    return g.random(size) < 0.5
                info = np.iinfo(name)
                start = {0: 0, "low": info.min, "high": info.max - spread}[base]
                return (g.integers(0, min(spread, 120), size).astype(object) + start).astype(name)
            x, y = draw(first, (30, 20), 127), draw(second, (40,), 100)
            want = truly_in(x, y) if "bool" not in (first, second) else np.isin(
                x.astype(np.int64) if first == "bool" else x,
                y.astype(np.int64) if second == "bool" else y)
            for kind in KINDS:
                extreme = second in ("int64", "uint64") and base != 0
                if kind == "ISIN_TABLE" and extreme:
                    continue
                got = gnd.isin(gnd.from_numpy(x), gnd.from_numpy(y), False, getattr(gnd, kind))
                assert_same(got, want, f"{kind} {first} {second} {base}")


def test_isin_wide_integers_exactly():
    x = np.array([-1, 2**62, 2**53 + 1, 5, -2**63], np.int64)
    y = np.array([2**64 - 1, 2**62, 2**53, 5, 2**63], np.uint64)
    for u, v in ((x, y), (y, x)):
        got = gnd.isin(gnd.from_numpy(u), gnd.from_numpy(v), False, gnd.ISIN_AUTO)
        assert_same(got, truly_in(u, v))
    raises(gnd.ERROR_VALUE, "too many for a table", gnd.isin, gnd.from_numpy(x), gnd.from_numpy(x),
           False, gnd.ISIN_TABLE)
    near = np.array([2**63 - 1, 2**63 - 3])
    for kind in ("ISIN_AUTO", "ISIN_SORT"):
        assert_same(gnd.isin(gnd.from_numpy(near), gnd.from_numpy(near[:1]), False,
                             getattr(gnd, kind)), np.isin(near, near[:1]))


def test_isin_long():
    g = generator("long")
    for dtype in (np.int32, np.int64, np.float32, np.uint8):
        x, y = g.integers(0, 200, 30000).astype(dtype), g.integers(0, 120, 60).astype(dtype)
        for invert in (False, True):
            assert_same(gnd.isin(gnd.from_numpy(x), gnd.from_numpy(y), invert, gnd.ISIN_AUTO),
                        np.isin(x, y, invert=invert))


@pytest.mark.parametrize("name", ["int8", "uint8", "int16", "uint16", "float16", "bfloat16"])
def test_isin_by_bits(name):
    g = generator("bits", name)
    x = values.random_values(name, (550, 500), g)
    y = np.concatenate([x.ravel()[:40], values.random_values(name, (40,), g)])
    wide = dtypes.widen(x), dtypes.widen(y)
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    for invert in (False, True):
        want = np.isin(*wide, invert=invert)
        assert_same(gnd.isin(a, b, invert, gnd.ISIN_AUTO), want)
        assert_same(gnd.isin(gnd.transpose(a), b, invert, gnd.ISIN_SORT), np.ascontiguousarray(want.T))
    if name in dtypes.INTEGERS:
        assert_same(gnd.isin(a["::-1"], b, False, gnd.ISIN_TABLE), np.isin(x[::-1], y))
        other = np.array([3.5, 7.0, -2.0, np.nan])
        assert_same(gnd.isin(a, gnd.from_numpy(other), False, gnd.ISIN_AUTO), np.isin(x, other))
    assert_same(gnd.isin(a, b["0:0"], True, gnd.ISIN_AUTO), np.ones(x.shape, bool))


# ---- errors ---------------------------------------------------------------------------------------------------


def test_refused():
    a, none = gnd.ones((2, 3), "float32"), gnd.Array(None)
    raises(gnd.ERROR_INVALID, "'x' is NULL", gnd.unique, none, None, None)
    raises(gnd.ERROR_AXIS, "axis 2", gnd.unique, a, 2, None)
    raises(gnd.ERROR_INVALID, "2 were given", gnd.unique, a, gnd.Axes(0, 1), None)
    raises(gnd.ERROR_INVALID, "0 were given", gnd.unique, a, (), None)
    raises(gnd.ERROR_INVALID, "keepdims", gnd.unique, a, gnd.Axes(0, keepdims=True), None)
    raises(gnd.ERROR_INVALID, "out", gnd.unique, a, gnd.Axes(out=a), None)
    raises(gnd.ERROR_AXIS, "axis 0", gnd.unique, gnd.from_numpy(np.float32(1)), 0, None)
    room = gnd.outputs(3)
    room[0] = room[1] = room[2] = 1
    raises(gnd.ERROR_AXIS, "axis 5", gnd.unique, a, 5, options(room))
    assert not any(room)
    for call in (gnd.unique_values, lambda x: gnd.unique_counts(x, None),
                 lambda x: gnd.unique_inverse(x, None), lambda x: gnd.unique_all(x, None, None, None)):
        raises(gnd.ERROR_INVALID, "'x' is NULL", call, none)
    for call in (lambda x, y: gnd.intersect1d(x, y, False), gnd.union1d,
                 lambda x, y: gnd.setdiff1d(x, y, True), lambda x, y: gnd.setxor1d(x, y, False)):
        raises(gnd.ERROR_INVALID, "'a' is NULL", call, none, a)
        raises(gnd.ERROR_INVALID, "'b' is NULL", call, a, none)
    raises(gnd.ERROR_INVALID, "'a_indices' is NULL", gnd.intersect1d_with_indices, a, a, False, None, None)
    raises(gnd.ERROR_INVALID, "'x' is NULL", gnd.isin, none, a, False, gnd.ISIN_AUTO)
    raises(gnd.ERROR_INVALID, "'test' is NULL", gnd.isin, a, none, False, gnd.ISIN_AUTO)
    raises(gnd.ERROR_INVALID, "no kind number 7", gnd.isin, a, a, False, 7)


def test_sets_read_only():
    x = generator("read only").integers(0, 5, (3, 4)).astype(np.int32)
    a, before = gnd.from_numpy(x), x.copy()
    for wishes in ("", "index inverse counts"):
        unique(a, wishes=wishes)
        unique(a, 0, wishes=wishes)
    gnd.intersect1d(a, a, False), gnd.union1d(a, a), gnd.setxor1d(a, a, False)
    gnd.setdiff1d(a, a, True), gnd.isin(a, a, False, gnd.ISIN_AUTO)
    assert np.array_equal(a.numpy(), before)


@pytest.mark.parametrize("name", ["float32", "int32"])
def test_sets_without_memory(name):
    g = generator("memory", name)
    x = g.integers(0, 100, (50, 40)).astype(name)
    a, b = gnd.from_numpy(x), gnd.from_numpy(x[:20, ::-1].copy() + 7)
    room = gnd.outputs(3)

    def indices():
        result = gnd.intersect1d_with_indices(a, b, False, ctypes.addressof(room), ctypes.addressof(room) + 8)
        gnd.take(room)
        return result
    calls = [lambda: unique(a)[0], lambda: unique(a, wishes="")[0], lambda: unique(a, 0)[0],
             lambda: unique(a, wishes="inverse counts")[0], lambda: unique(a, 1, wishes="counts")[0],
             lambda: gnd.intersect1d(a, b, False), indices, lambda: gnd.union1d(a, b),
             lambda: gnd.setdiff1d(a, b, False), lambda: gnd.setxor1d(a, b, False),
             lambda: gnd.isin(a, b, True, gnd.ISIN_AUTO), lambda: gnd.isin(a, b, True, gnd.ISIN_SORT)]
    if name == "int32":
        calls.append(lambda: gnd.isin(a, b, True, gnd.ISIN_TABLE))
    for k, call in enumerate(calls):
        good, failures = run_with_failures(call)
        assert failures >= 3, k
