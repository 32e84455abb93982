"""Choosing among values, and indices to compute with, against NumPy."""

import ctypes
import zlib

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
from check import assert_same, refused
from test_faults import run_with_failures
from values import random_values

MODES = {"raise": gnd.RAISE, "wrap": gnd.WRAP, "clip": gnd.CLIP}


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def to_gnd(value):
    return gnd.from_numpy(value) if isinstance(value, np.ndarray) else value


def listed(name, count, *arguments):
    """The result of a function that fills a list of arrays, its last parameter."""
    room = gnd.outputs(max(count, 1))
    gnd.function(name)(*arguments, ctypes.addressof(room))
    return gnd.take(room)[:count]


def same(got, want, context=""):
    assert_same(got, np.ascontiguousarray(want).reshape(np.shape(want)), context)


# ---- choose -------------------------------------------------------------------------------------------


def choose(a, choices, mode="raise"):
    return gnd.choose(to_gnd(a), len(choices), [to_gnd(c) for c in choices], MODES[mode])


@given(data=st.data())
def test_choose(data):
    g = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=4)))

    def part():
        kept = data.draw(st.integers(0, len(shape)))
        return tuple(1 if g.random() < 0.3 else s for s in shape[len(shape) - kept:])

    count = data.draw(st.integers(1, 5))
    names = data.draw(st.lists(st.sampled_from(["float32", "int16", "uint8", "complex64", "bool"]),
                               min_size=1, max_size=2))
    choices = [random_values(g.choice(names), part(), g, 0) for _ in range(count)]
    mode = data.draw(st.sampled_from(list(MODES)))
    low, high = (0, count) if mode == "raise" else (-7, 12)
    a = g.integers(low, high, part()).astype(data.draw(st.sampled_from(["int64", "int8", "int32"])))
    same(choose(a, choices, mode), np.choose(a, choices, mode=mode), f"{mode} {a.shape}")


def test_choose_where_the_choices_lie():
    """Rows of a matrix, two arrays, views backwards: read in place; others copied."""
    g = generator("rows")
    rows, a = g.normal(size=(6, 50)), g.integers(0, 6, 50)
    grows = gnd.from_numpy(rows)
    views = [grows[f"{k}"] for k in range(6)]
    same(gnd.choose(gnd.from_numpy(a), 6, views, gnd.RAISE), np.choose(a, rows))
    same(gnd.choose(gnd.from_numpy(a), 6, views[::-1], gnd.RAISE), np.choose(a, rows[::-1]))
    back = [v["::-1"] for v in views]
    same(gnd.choose(gnd.from_numpy(a), 6, back, gnd.RAISE), np.choose(a, rows[:, ::-1]))
    mixed = [views[0], views[3], views[1]]
    same(gnd.choose(gnd.from_numpy(a % 3), 3, mixed, gnd.RAISE), np.choose(a % 3, rows[[0, 3, 1]]))


def test_choose_numbers():
    a = np.array([0, 2, 1, 1])
    x = np.array([1, 2, 3, 4], np.float32)
    same(choose(a, [x, -1, 2.5]), np.array([1, 2.5, -1, -1], np.float32))
    same(choose(a, [7, 8, 9]), np.array([7, 9, 8, 8]))
    same(choose(a > 0, [0, x]), np.array([0, 2, 3, 4], np.float32))
    same(choose(np.array(1), [7, 8.5]), np.array(8.5))
    out = gnd.zeros((4,), "int16")
    gnd.choose_into(out, gnd.from_numpy(a), 3, [gnd.from_numpy(x), -1, 2.5], gnd.RAISE)
    same(out, np.array([1, 2, -1, -1], np.int16))
    b = gnd.from_numpy(a)
    gnd.choose_into(b, b, 3, [b, gnd.flip(b, None), 5], gnd.RAISE)
    same(b, np.array([0, 5, 2, 0]))


@pytest.mark.parametrize("bad", [-1, 3, 2**40])
def test_choose_reports(bad):
    a = gnd.from_numpy(np.array([0, bad, 2]))
    result = gnd.choose(a, 3, [1, 2, 3], gnd.RAISE)
    with pytest.raises(gnd.Error) as caught:
        result.numpy()
    assert caught.value.code == gnd.ERROR_INDEX and f"index {bad} is " in caught.value.message
    same(result, np.array([1, 0, 3]))


# ---- select, piecewise --------------------------------------------------------------------------------


@given(data=st.data())
def test_select(data):
    g = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    shape = tuple(data.draw(st.lists(st.integers(0, 4), max_size=3)))

    def part():
        kept = data.draw(st.integers(0, len(shape)))
        return tuple(1 if g.random() < 0.3 else s for s in shape[len(shape) - kept:])

    count = data.draw(st.integers(1, 4))
    conditions = [g.random(part()) < 0.4 for _ in range(count)]
    names = ["float32", "int16", "uint8", "complex64"]
    choices = [random_values(g.choice(names), part(), g, 0) for _ in range(count)]
    default = data.draw(st.sampled_from([None, 3, 2.5, "array"]))
    if default == "array":
        default = random_values("float64", part(), g, 0)
    want = np.select(conditions, choices, 0 if default is None else default)
    got = gnd.select(count, [gnd.from_numpy(c) for c in conditions], count,
                     [gnd.from_numpy(c) for c in choices], to_gnd(default))
    same(got, want)


def test_select_numbers():
    x = np.arange(6, dtype=np.int8)
    c = [gnd.from_numpy(x < 2), gnd.from_numpy(x > 3)]
    same(gnd.select(2, c, 2, [7, 8], gnd.from_numpy(x)), np.select([x < 2, x > 3], [7, 8], x))
    same(gnd.select(2, c, 2, [7, 8.5], None), np.select([x < 2, x > 3], [7, 8.5]))


FUNCTION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def piecewise(x, conditions, pieces):
    """Pieces are numbers, arrays, or Python functions of an Array."""
    records = (gnd.STRUCTS["gnd_piece"] * max(len(pieces), 1))()
    kept = []
    for record, piece in zip(records, pieces):
        if not callable(piece):
            kept.append(to_gnd(piece))
            record.value = gnd.arg(kept[-1])
            continue

        def call(pointer, context, piece=piece):
            part = gnd.Array(pointer)
            try:
                result = piece(part)
                pointer, result.pointer = result.pointer, None
                return pointer
            finally:
                part.pointer = None

        kept.append(FUNCTION(call))
        record.function = ctypes.cast(kept[-1], ctypes.c_void_p).value
    return gnd.piecewise(to_gnd(x), len(conditions), [to_gnd(c) for c in conditions], len(pieces),
                         ctypes.addressof(records))


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_piecewise(dtype):
    x = np.arange(-6, 6).reshape(3, 4).astype(dtype)
    low, high = x < -2, x > 2
    same(piecewise(x, [low, high], [-1, 1]), np.piecewise(x, [low, high], [-1, 1]))
    same(piecewise(x, [low, high], [-1.5, 1, 7.25]), np.piecewise(x, [low, high], [-1.5, 1, 7.25]))
    same(piecewise(x, [low, x < 0], [4, lambda v: gnd.multiply(v, v)]),
         np.piecewise(x, [low, x < 0], [4, lambda v: v * v]))
    same(piecewise(x, [high], [lambda v: gnd.zeros((1,), "int8"), lambda v: gnd.negative(v)]),
         np.piecewise(x, [high], [lambda v: 0, lambda v: -v]))
    same(piecewise(x, [x > 100], [lambda v: 1 / 0, 3]), np.full_like(x, 3))
    # Its argument, a view of it, and an array that somebody else goes on owning.
    same(piecewise(x, [low], [lambda v: v, lambda v: v["::-1"]]),
         np.piecewise(x, [low], [lambda v: v, lambda v: v[::-1]]))
    mine = gnd.zeros((1,), dtype)
    same(piecewise(x, [low, high], [lambda v: lent(mine), lambda v: lent(mine)]), np.piecewise(x, [low, high], [0, 0]))
    assert mine.shape == (1,) and not mine.numpy().any()
    same(piecewise(x, [low], [np.arange(4), x * 2]), np.where(low, np.arange(4), x * 2).astype(dtype))
    flags = np.array([True, False, True, False])
    same(piecewise(x, [flags], [9]), np.where(flags, 9, 0).astype(dtype) + 0 * x)
    assert gnd.function("gnd_piecewise").__doc__


# ---- raveled and unraveled ----------------------------------------------------------------------------


@given(data=st.data())
def test_ravel_and_unravel(data):
    g = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=1, max_size=5)))
    order = data.draw(st.sampled_from("CF"))
    code = order.encode()
    where = tuple(data.draw(st.lists(st.integers(0, 4), max_size=3)))
    name = data.draw(st.sampled_from(["int64", "int32", "uint16", "int8"]))
    size = min(int(np.prod(shape)), np.iinfo(name).max)
    numbers = g.integers(0, size, where).astype(name)
    got = listed("gnd_unravel_index", len(shape), to_gnd(np.asarray(numbers)), shape, code)
    for a, want in zip(got, np.unravel_index(numbers, shape, order)):
        same(a, np.asarray(want, np.int64))
    mode = data.draw(st.sampled_from(list(MODES)))
    indices = []
    for k, s in enumerate(shape):
        low, high = (0, s) if mode == "raise" else (-3 * s, 3 * s)
        part = where[k % (len(where) + 1):]
        indices.append(g.integers(low, high, part).astype(g.choice(["int64", "int32", "int8"])))
    want = np.ravel_multi_index(tuple(indices), shape, mode=mode, order=order)
    got = gnd.ravel_multi_index(len(shape), [to_gnd(np.asarray(i)) for i in indices], shape,
                                MODES[mode], code)
    same(got, np.asarray(want))


def test_ravel_numbers_and_nothing():
    got = gnd.ravel_multi_index(2, [3, gnd.from_numpy(np.array([4, 5]))], (7, 6), gnd.RAISE, b"C")
    same(got, np.array([22, 23]))
    same(gnd.ravel_multi_index(2, [3, 4], (7, 6), gnd.RAISE, b"F"), np.array(31))
    same(gnd.ravel_multi_index(0, [], (), gnd.RAISE, b"C"), np.array(0))
    assert listed("gnd_unravel_index", 0, gnd.from_numpy(np.array(0)), (), b"C") == []
    for a in listed("gnd_unravel_index", 2, gnd.zeros((0,), "int64"), (0, 3), b"C"):
        same(a, np.zeros(0, np.int64))
    same(gnd.ravel_multi_index(2, [gnd.zeros((0,), "int64")] * 2, (0, 3), gnd.RAISE, b"C"),
         np.zeros(0, np.int64))


@pytest.mark.parametrize("order", ["C", "F"])
def test_ravel_with_modes(order):
    g = generator("modes", order)
    kinds = list(MODES)
    for round_ in range(80):
        shape = tuple(int(s) for s in g.choice([1, 2, 7, 100, 300, 70000], g.integers(1, 5)))
        where = [(), (4,), (3, 4), (1, 4), (0,)][g.integers(5)]
        modes = [str(m) for m in g.choice(kinds, len(shape))]
        indices = []
        for s, mode in zip(shape, modes):
            dtype = str(g.choice(["int8", "uint8", "int16", "uint32", "int64"]))
            info = np.iinfo(dtype)
            low, high = (0, min(s - 1, info.max)) if mode == "raise" else (max(info.min, -3 * s), min(info.max, 3 * s))
            indices.append(g.integers(low, high, where, endpoint=True).astype(dtype))
        want = np.ravel_multi_index(tuple(i.astype("int64") for i in indices), shape, mode=tuple(modes), order=order)
        got = gnd.ravel_multi_index_each(len(shape), [to_gnd(np.asarray(i)) for i in indices], shape,
                                         (ctypes.c_int * len(shape))(*[MODES[m] for m in modes]), order.encode())
        same(got, np.asarray(want))


def test_ravel_with_modes_of_numbers_and_faults():
    modes = (ctypes.c_int * 2)(gnd.CLIP, gnd.WRAP)
    same(gnd.ravel_multi_index_each(2, [9, -1], (7, 6), modes, b"C"), np.array(41))
    big = gnd.from_numpy(np.array([2**64 - 1, 8], np.uint64))
    same(gnd.ravel_multi_index_each(2, [0, big], (7, 6), modes, b"C"), np.array([(2**64 - 1) % 6, 2]))
    same(gnd.ravel_multi_index_each(0, [], (), None, b"C"), np.array(0))
    modes = (ctypes.c_int * 2)(gnd.CLIP, gnd.RAISE)
    result = gnd.ravel_multi_index_each(2, [9, gnd.from_numpy(np.array([5, 6]))], (7, 6), modes, b"C")
    with pytest.raises(gnd.Error) as caught:
        result.numpy()
    assert "axis 1 of size 6" in caught.value.message
    for bad, text in (((ctypes.c_int * 2)(0, 3), "3 is no mode"), (None, "modes")):
        with pytest.raises(gnd.Error) as caught:
            gnd.ravel_multi_index_each(2, [1, 1], (7, 6), bad, b"C")
        assert caught.value.code == gnd.ERROR_INVALID and text in caught.value.message
        assert "gnd_ravel_multi_index_each" in caught.value.message


def test_unravel_large_numbers():
    shape = (2**20, 2**21, 2**20)
    numbers = np.array([0, 2**61 - 1, 2**40 + 12345, 2**60 + 2**31])
    for a, want in zip(listed("gnd_unravel_index", 3, to_gnd(numbers), shape, b"C"),
                       np.unravel_index(numbers, shape)):
        same(a, want)


def test_ravel_reports():
    for bad in (-1, 42, 2**50):
        first, second = listed("gnd_unravel_index", 2, gnd.from_numpy(np.array([3, bad, 41])), (7, 6), b"C")
        with pytest.raises(gnd.Error) as caught:
            first.numpy()
        assert caught.value.code == gnd.ERROR_INDEX and f"index {bad} is " in caught.value.message
        assert "size 42" in caught.value.message
        same(first, np.array([0, 0, 6])), same(second, np.array([3, 0, 5]))
    result = gnd.ravel_multi_index(2, [1, gnd.from_numpy(np.array([5, -1, 6]))], (7, 6), gnd.RAISE, b"C")
    with pytest.raises(gnd.Error) as caught:
        result.numpy()
    assert "axis 1 of size 6" in caught.value.message
    same(result, np.array([11, 0, 0]))


# ---- diagonals and triangles --------------------------------------------------------------------------


def test_diagonal_indices():
    for n in (0, 1, 5):
        for ndim in (1, 2, 4):
            for got, want in zip(listed("gnd_diag_indices", ndim, n, ndim), np.diag_indices(n, ndim)):
                same(got, want)
    for got, want in zip(listed("gnd_diag_indices_from", 3, gnd.zeros((4, 4, 4), None)),
                         np.diag_indices(4, 3)):
        same(got, want)


@pytest.mark.parametrize("n, m", [(0, 0), (1, 1), (4, 4), (3, 7), (7, 3), (5, 0), (0, 4), (40, 33), (-3, -3)])
def test_triangles(n, m):
    for k in (-50, -7, -3, -1, 0, 1, 2, 6, 50):
        for name in ("gnd_tril_indices", "gnd_triu_indices"):
            want = getattr(np, name.removeprefix("gnd_"))(n, k, m)
            for a, b in zip(listed(name, 2, n, k, m), want):
                same(a, b, f"{name} {n} {k} {m}")
            if n >= 0:
                from_matrix = {"gnd_tril_indices": "gnd_tril_indices_from",
                               "gnd_triu_indices": "gnd_triu_indices_from"}[name]
                for a, b in zip(listed(from_matrix, 2, gnd.zeros((n, m), None), k), want):
                    same(a, b, f"{name}_from {n} {k} {m}")
    for a, b in zip(listed("gnd_tril_indices", 2, 5, 1, -1), np.tril_indices(5, 1)):
        same(a, b)


def lent(array):
    """The same pointer, which stays the array's."""
    other = gnd.Array(array.pointer)
    return other


def test_mask_indices_of_a_function_that_gives_back_its_argument():
    live = gnd.function("gnd_live_arrays")
    before = live()
    same_one = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(lambda ones, k: ones)
    function = ctypes.cast(same_one, ctypes.c_void_p)
    for got, want in zip(listed("gnd_mask_indices", 2, 3, function, 0), np.mask_indices(3, lambda ones, k: ones)):
        same(got, want)
    del got
    assert live() == before
    gone = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)(lambda ones, k: released())
    refused(lambda: listed("gnd_mask_indices", 2, 3, ctypes.cast(gone, ctypes.c_void_p), 0), gnd.ERROR_INVALID,
            "what the function returned", "released or not an array")


def released():
    array = gnd.zeros((3, 3), None)
    pointer = array.pointer
    array.release()
    return pointer


def test_mask_indices():
    triu = ctypes.cast(gnd.lib.gnd_triu, ctypes.c_void_p)
    for got, want in zip(listed("gnd_mask_indices", 2, 4, triu, 1), np.mask_indices(4, np.triu, 1)):
        same(got, want)


FILLED = [((3, 3), False), ((5, 5), True), ((7, 3), False), ((7, 3), True), ((8, 3), True), ((9, 3), True),
          ((3, 7), True), ((3, 7), False), ((4, 4, 4), False), ((2, 2, 2, 2), True), ((7, 1), True),
          ((1, 7), True), ((0, 3), False), ((3, 0), True), ((100, 6), True)]


@pytest.mark.parametrize("shape, wrap", FILLED)
def test_fill_diagonal(shape, wrap):
    g = generator(shape)
    base = random_values("float32", shape, g)
    for value in (4, -2.5, np.array([1.5]), np.arange(2), np.arange(3) + 0.5, np.arange(12).reshape(3, 4),
                  np.arange(1000.0), np.zeros(0)):
        for layout in ("plain", "flipped", "strided", "transposed"):
            want, got = base.copy(), gnd.from_numpy(base)
            if layout == "flipped":
                want, got = want[::-1], got["::-1"]
            elif layout == "strided":
                want = np.repeat(base, 2, axis=1)[:, ::2]
                got = gnd.from_numpy(np.repeat(base, 2, axis=1))[":, ::2"]
            elif layout == "transposed":
                want, got = base.T.copy().T, gnd.transpose(gnd.from_numpy(base.T))
            np.fill_diagonal(want, value, wrap)
            gnd.fill_diagonal(got, to_gnd(value), wrap)
            assert_same(got, want, f"{shape} {wrap} {layout} {value}", strides=False)


def test_fill_diagonal_with_itself():
    base = np.arange(28.0).reshape(7, 4)
    want, got = base.copy(), gnd.from_numpy(base)
    np.fill_diagonal(want, base[::-1], True)
    gnd.fill_diagonal(got, got["::-1"], True)
    same(got, want)


# ---- refusals and memory ------------------------------------------------------------------------------

COND = np.array([True, False])


@pytest.mark.parametrize("call, code, text", [
    (lambda x: gnd.choose(gnd.zeros((2,), "float32"), 1, [x], gnd.RAISE), "DTYPE", "float32"),
    (lambda x: gnd.choose(x, 0, [], gnd.RAISE), "INVALID", "no choices"),
    (lambda x: gnd.choose(x, 1, [x], 7), "INVALID", "7 is no mode"),
    (lambda x: gnd.choose(x, 2, [x, gnd.zeros((3,), None)], gnd.RAISE), "SHAPE", "choice 1"),
    (lambda x: gnd.choose(x, 1, [gnd.zeros((3,), None)], gnd.RAISE), "SHAPE", "(3,)"),
    (lambda x: gnd.choose(x, 2, [x, None], gnd.RAISE), "INVALID", "choice 1"),
    (lambda x: gnd.choose(None, 1, [1], gnd.RAISE), "INVALID", "a"),
    (lambda x: gnd.choose(x, 2, [gnd.zeros((2,), "int8"), 300], gnd.RAISE), "VALUE", "300"),
    (lambda x: gnd.choose_into(gnd.zeros((3,), None), x, 2, [1, 2], gnd.RAISE), "SHAPE", "(3,)"),
    (lambda x: gnd.select(0, [], 0, [], 1), "INVALID", "no conditions"),
    (lambda x: gnd.select(1, [x], 1, [1], 1), "DTYPE", "bool"),
    (lambda x: gnd.select(1, [gnd.from_numpy(COND)], 2, [1, 2], 1), "INVALID", "as many"),
    (lambda x: gnd.select(1, [gnd.from_numpy(COND)], 1, [gnd.zeros((3,), None)], 1), "SHAPE", "choice 0"),
    (lambda x: piecewise(x, [gnd.from_numpy(COND)], [1, 2, 3]), "INVALID", "1 or 2 pieces, not 3"),
    (lambda x: piecewise(x, [gnd.zeros((3,), "bool")], [1]), "SHAPE", "condition 0"),
    (lambda x: piecewise(x, [gnd.from_numpy(COND)], [np.zeros(3)]), "SHAPE", "value"),
    (lambda x: piecewise(x, [gnd.from_numpy(COND)], [1j]), "DTYPE", "complex"),
    (lambda x: piecewise(x, [gnd.from_numpy(~COND)], [lambda v: gnd.zeros((3,), None)]), "SHAPE",
     "3 elements for 1"),
    (lambda x: listed("gnd_unravel_index", 2, x, (0, 3), b"C"), "SHAPE", "no elements"),
    (lambda x: listed("gnd_unravel_index", 2, x, (2, 3), b"K"), "INVALID", "'K'"),
    (lambda x: listed("gnd_unravel_index", 2, gnd.zeros((2,), "float32"), (2, 3), b"C"), "DTYPE", "float32"),
    (lambda x: gnd.ravel_multi_index(1, [x], (2, 3), gnd.RAISE, b"C"), "INVALID", "1 indices"),
    (lambda x: gnd.ravel_multi_index(2, [x, 0.5], (2, 3), gnd.RAISE, b"C"), "INVALID", "neither"),
    (lambda x: gnd.ravel_multi_index(2, [x, x], (2, 0), gnd.CLIP, b"C"), "SHAPE", "no elements"),
    (lambda x: gnd.ravel_multi_index(2, [x, x], (2**40, 2**30), gnd.CLIP, b"C"), "SHAPE", "counted"),
    (lambda x: gnd.ravel_multi_index(2, [x, gnd.zeros((3,), "int8")], (2, 3), gnd.RAISE, b"C"), "SHAPE",
     "(3,)"),
    (lambda x: listed("gnd_diag_indices", 2, 3, 99), "SHAPE", "99"),
    (lambda x: listed("gnd_diag_indices_from", 2, x), "SHAPE", "at least 2"),
    (lambda x: listed("gnd_diag_indices_from", 2, gnd.zeros((2, 3), None)), "SHAPE", "one size"),
    (lambda x: listed("gnd_tril_indices_from", 2, x, 0), "SHAPE", "2 dimensions"),
    (lambda x: listed("gnd_triu_indices_from", 2, x, 0), "SHAPE", "2 dimensions"),
    (lambda x: listed("gnd_mask_indices", 2, 3, None, 0), "INVALID", "no function"),
    (lambda x: gnd.fill_diagonal(x, 1, False), "SHAPE", "at least 2"),
    (lambda x: gnd.fill_diagonal(gnd.zeros((2, 2, 3), None), 1, False), "SHAPE", "one size"),
    (lambda x: gnd.fill_diagonal(gnd.broadcast_to(x, (2, 2)), 1, False), "INVALID", "read-only"),
    (lambda x: gnd.fill_diagonal(gnd.zeros((2, 2), None), None, False), "INVALID", "neither"),
    (lambda x: gnd.fill_diagonal(gnd.zeros((2, 2), None), 1j, False), "DTYPE", "complex"),
    (lambda x: gnd.fill_diagonal(gnd.zeros((2, 2), "uint8"), 300, False), "VALUE", "300"),
])
def test_refusals(call, code, text):
    with pytest.raises(gnd.Error) as caught:
        call(gnd.from_numpy(np.array([0, 1])))
    assert caught.value.code == getattr(gnd, "ERROR_" + code), caught.value
    assert text in caught.value.message, caught.value


def test_no_memory():
    """Each allocation may fail: nothing leaks."""
    g = generator("memory")
    x = gnd.from_numpy(g.integers(0, 3, 4000))
    y = gnd.from_numpy(g.normal(size=4000))
    positive = gnd.greater(y, 0)
    calls = {
        "choose": lambda: gnd.choose(x, 3, [y, x, 2.5], gnd.RAISE),
        "choose in place": lambda: gnd.choose(positive, 2, [y, y], gnd.RAISE),
        "select": lambda: gnd.select(1, [positive], 1, [x], y),
        "piecewise": lambda: piecewise(y, [positive], [x, 2]),
        "ravel_multi_index_each": lambda: gnd.ravel_multi_index_each(
            2, [x, x], (3, 3), (ctypes.c_int * 2)(gnd.WRAP, gnd.CLIP), b"C"),
        "unravel_index": lambda: listed("gnd_unravel_index", 2, x, (2, 2), b"F"),
        "ravel_multi_index": lambda: gnd.ravel_multi_index(2, [x, 1], (3, 2), gnd.RAISE, b"F"),
        "diag_indices": lambda: listed("gnd_diag_indices", 3, 1000, 3),
        "tril_indices": lambda: listed("gnd_tril_indices", 2, 50, 0, 60),
        "triu_indices": lambda: listed("gnd_triu_indices", 2, 50, 0, 60),
    }
    for name, call in calls.items():
        call()
        result, failures = run_with_failures(call)
        assert failures, name
        del result
    matrix = gnd.zeros((60, 20), None)
    run_with_failures(lambda: gnd.fill_diagonal(matrix, x, True))
    assert dtypes.name_of(x.numpy().dtype) == "int64"


# ---- bool as indices ------------------------------------------------------------------------------------


def test_bool_counts_as_0_and_1():
    """Where NumPy casts indices safely to intp, which bool can be."""
    bits, line = np.array([[True, False, True], [False, False, True]]), np.arange(10, 15)
    for shape, given in (((3,), (bits,)), ((2, 4), (bits, np.full(3, 3))), ((2, 2), (True, bits)), ((2, 2), (True, 1)),
                         ((3,), (np.zeros(0, bool),)), ((2,), (bits[:, ::2],))):
        for mode, code in MODES.items():
            got = gnd.ravel_multi_index(len(given), [to_gnd(x) for x in given], shape, code, b"C")
            same(got, np.ravel_multi_index(given, shape, mode=mode), (shape, mode))
    for x in (bits, np.array(True), np.zeros(0, bool)):
        for got, want in zip(listed("gnd_unravel_index", 2, gnd.from_numpy(x), (2, 2), b"C"),
                             np.unravel_index(x, (2, 2))):
            same(got, want)
        same(gnd.function("gnd_take")(gnd.from_numpy(line), gnd.from_numpy(x), None, gnd.RAISE), np.take(line, x))
        same(gnd.function("gnd_take")(gnd.from_numpy(line), gnd.from_numpy(x), 0, gnd.RAISE), np.take(line, x, 0))
    for values in (7, gnd.from_numpy(np.array([7, 8]))):
        a, y = gnd.from_numpy(line), line.copy()
        gnd.put(a, gnd.from_numpy(bits[0]), values, gnd.RAISE)
        np.put(y, bits[0], values if isinstance(values, int) else values.numpy())
        same(a, y)
    with pytest.raises(gnd.Error) as error:
        gnd.take_along_axis(gnd.from_numpy(line), gnd.from_numpy(bits[0]), 0)
    assert error.value.code == gnd.ERROR_DTYPE
