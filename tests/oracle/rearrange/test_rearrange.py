"""Repeating, turning, inserting, deleting, triangles, grids and windows against NumPy: random shapes, layouts
and dtypes, empty arrays, views that share memory where NumPy's do, and what is refused there is refused here."""

import ctypes
import itertools

import numpy as np
import pytest

import dtypes
import gnd
from check import assert_same, refused, same_memory
from test_faults import check_with_failures
from values import generator, listed, numbers, operand, taken

FLAT = gnd.FLAT
SHAPES = [(), (1,), (7,), (0,), (3, 4), (1, 5), (4, 0), (2, 3, 4), (2, 1, 3, 2)]


# ---- repeating ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_tile_repeat_resize(dtype):
    g = generator("tile", dtype)
    for shape in SHAPES:
        for reps in [(), (0,), (1,), (2,), (2, 3), (3, 1, 2), (1, 1, 1), (2, 1, 2, 1, 2)]:
            a, x = operand(shape, dtype, g)
            assert_same(gnd.tile(a, reps), np.tile(x, reps), f"tile {shape} {reps}", strides=False)
        for times in (0, 1, 2, 5):
            a, x = operand(shape, dtype, g)
            for axis in [None, *range(-len(shape), len(shape))]:
                assert_same(gnd.repeat(a, times, FLAT if axis is None else axis),
                            np.repeat(x, times, axis), f"repeat {shape} {times} {axis}", strides=False)
        for new in [(), (0,), (1,), (5,), (3, 7), (2, 2, 2), (100,)]:
            a, x = operand(shape, dtype, g)
            assert_same(gnd.resize(a, new), np.resize(x, new), f"resize {shape} {new}", strides=False)


def test_repeating_refuses():
    a = gnd.zeros((2, 3), "int8")
    refused(lambda: gnd.tile(a, (2, -1)), gnd.ERROR_VALUE, "negative")
    refused(lambda: gnd.tile(a, (2**40, 2**40)), gnd.ERROR_MEMORY)
    refused(lambda: gnd.repeat(a, -1, 0), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.repeat(a, 2, 2), gnd.ERROR_AXIS, "axis 2")
    refused(lambda: gnd.repeat(a, 2**62, 1), gnd.ERROR_MEMORY)
    refused(lambda: gnd.resize(a, (-1, 2)), gnd.ERROR_SHAPE, "negative")


# ---- rolling and turning ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128", "bfloat16"])
def test_roll(dtype):
    g = generator("roll", dtype)
    for shape in SHAPES:
        for shift in (0, 1, -1, 2, -5, 12345, -(2**62), 2**63 - 1):
            a, x = operand(shape, dtype, g)
            assert_same(gnd.roll(a, shift, None), np.roll(x, shift), f"{shape} {shift}", strides=False)
            for axis in range(-len(shape), len(shape)):
                assert_same(gnd.roll(a, shift, axis), np.roll(x, shift, axis), f"{shape} {shift} {axis}")
        axes = [int(n) for n in g.integers(-len(shape), len(shape), 4)] if shape else []
        shifts = [int(n) for n in g.integers(-9, 9, len(axes))]
        a, x = operand(shape, dtype, g)
        if axes:
            context = f"{shape} {shifts} {axes}"
            assert_same(gnd.roll_each(a, numbers(shifts), tuple(axes)), np.roll(x, shifts, axes), context)
            assert_same(gnd.roll(a, 3, tuple(axes)), np.roll(x, 3, axes), context)
        assert_same(gnd.roll(a, 1, ()), x, "no axes", strides=False)
    refused(lambda: gnd.roll(gnd.zeros(3, "int8"), 1, 1), gnd.ERROR_AXIS, "axis 1")
    refused(lambda: gnd.roll_each(gnd.zeros(3, "int8"), None, 0), gnd.ERROR_INVALID, "shifts")


def test_turns():
    g = generator("turns")
    for shape in SHAPES:
        a, x = operand(shape, "int32", g)
        for k in (0, 1, 2, 3, 4, -1, -2, 7):
            for axes in itertools.permutations(range(-len(shape), len(shape)), 2):
                if (axes[0] - axes[1]) % len(shape) == 0:
                    refused(lambda: gnd.rot90(a, k, axes), gnd.ERROR_AXIS, "both axes")
                    continue
                same_memory(a, x, gnd.rot90(a, k, axes), np.rot90(x, k, axes), f"{shape} {k} {axes}")
            if len(shape) > 1:
                same_memory(a, x, gnd.rot90(a, k, None), np.rot90(x, k), f"{shape} {k}")
        for name, least in (("fliplr", 2), ("flipud", 1)):
            if len(shape) >= least:
                same_memory(a, x, gnd.function("gnd_" + name)(a), getattr(np, name)(x), name)
            else:
                refused(lambda: gnd.function("gnd_" + name)(a), gnd.ERROR_SHAPE)
        for name in ("atleast_1d", "atleast_2d", "atleast_3d"):
            got, want = gnd.function("gnd_" + name)(a), getattr(np, name)(x)
            assert_same(got, want, f"{name} {shape}")
            assert not want.size or gnd.shares_buffer(a, got)
    refused(lambda: gnd.rot90(gnd.zeros((2, 2), "int8"), 1, (0, 1, 0)), gnd.ERROR_INVALID, "two axes")


# ---- inserting and deleting ---------------------------------------------------------------------------------


def at(given):
    index = gnd.STRUCTS["gnd_index"]()
    if isinstance(given, slice):
        index.kind = gnd.INDEX_RANGE
        for name in ("start", "stop", "step"):
            value = getattr(given, name)
            setattr(index, name, -(2**63) if value is None else value)
    else:
        index.kind, index.start = gnd.INDEX_AT, given
    return index


RANGES = [slice(None), slice(1, 3), slice(None, None, 2), slice(None, None, -1), slice(5, 1, -2),
          slice(1, None, 3), slice(2, 2), slice(-2, None), slice(None, None, 4), slice(3, 4)]


def test_insert():
    g = generator("insert")
    for shape in SHAPES:
        for axis in [None, *range(-len(shape), len(shape))]:
            a, x = operand(shape, "int32", g)
            line = x.ravel() if axis is None else x
            size = line.shape[axis or 0]
            for where in [*range(-size - 1, size + 2), *RANGES]:
                rest = [n for k, n in enumerate(line.shape) if k != (axis or 0) % line.ndim]
                count = len(range(*where.indices(size))) if isinstance(where, slice) else 2
                shapes = [(), (1,), tuple(rest), (count,) + tuple(rest), tuple(line.shape)]
                full = list(line.shape)
                full[axis or 0] = count
                shapes.append(tuple(full))
                for v in shapes:
                    b, y = operand(v, "float32", g)
                    y = y.copy()
                    y[...] = np.arange(y.size).reshape(v)
                    b = gnd.from_numpy(y)
                    context = f"{shape} axis {axis} at {where} values {v}"
                    mine = lambda: gnd.insert(a, at(where), b, FLAT if axis is None else axis)
                    try:
                        want = np.insert(x, where, y, axis)
                    except (ValueError, IndexError):
                        with pytest.raises(gnd.Error):
                            mine()
                        continue
                    assert_same(mine(), want, context, strides=False)
            want = np.insert(x, slice(1, 1), 5, axis)
            assert_same(gnd.insert(a, at(slice(1, 1)), 5, FLAT if axis is None else axis), want)
    a = gnd.zeros((3, 2), "uint8")
    assert_same(gnd.insert(a, at(1), 7, 0), np.insert(np.zeros((3, 2), "uint8"), 1, 7, 0))
    refused(lambda: gnd.insert(a, at(4), 7, 0), gnd.ERROR_INDEX, "index 4", "axis 0", "size 3")
    refused(lambda: gnd.insert(a, at(1), 300, 0), gnd.ERROR_VALUE, "300")
    refused(lambda: gnd.insert(a, at(1), 1j, 0), gnd.ERROR_DTYPE, "complex")
    refused(lambda: gnd.insert(a, at(1), None, 0), gnd.ERROR_INVALID)
    refused(lambda: gnd.insert(a, at(slice(None, None, 0)), 1, 0), gnd.ERROR_INVALID, "step")
    refused(lambda: gnd.insert(a, at(1), gnd.zeros((1, 3, 2), "int8"), 0), gnd.ERROR_SHAPE)
    nothing = at(1)
    nothing.kind = gnd.INDEX_ELLIPSIS
    refused(lambda: gnd.insert(a, nothing, 1, 0), gnd.ERROR_INVALID, "gnd_index_at")


def test_delete():
    g = generator("delete")
    for shape in SHAPES:
        for axis in [None, *range(-len(shape), len(shape))]:
            dtype = dtypes.NAMES[g.integers(len(dtypes.NAMES))]
            a, x = operand(shape, dtype, g)
            line = x.ravel() if axis is None else x
            size = line.shape[axis or 0]
            for where in [*range(-size - 1, size + 2), *RANGES]:
                mine = lambda: gnd.delete(a, at(where), FLAT if axis is None else axis)
                try:
                    want = np.delete(x, where, axis)
                except IndexError:
                    refused(mine, gnd.ERROR_INDEX, "out of bounds")
                    continue
                assert_same(mine(), want, f"{shape} {where} {axis}", strides=False)
    big = gnd.zeros((1,) * 63 + (7,), "int8")
    assert gnd.delete(big, at(slice(None, None, 3)), -1).shape == (1,) * 63 + (4,)


def test_trim_zeros():
    g = generator("trim")
    for shape in SHAPES + [(40,), (5, 6)]:
        for share in (0, 0.1, 0.5, 1):
            for dtype in ("bool", "int32", "float64", "complex64", "float16"):
                x = np.where(g.random(shape) < share, 1, 0).astype(dtype)
                a = gnd.from_numpy(x)
                for ends in (None, "f", "b", "fb", "bf"):
                    for axis in [None, *range(len(shape))]:
                        want = np.trim_zeros(x, ends or "fb", axis)
                        assert_same(gnd.trim_zeros(a, ends, axis), want, f"{shape} {ends} {axis}",
                                    strides=False)
    view = gnd.trim_zeros(gnd.from_numpy(np.float32([0, -0.0, np.nan, 0])), None, None)
    assert view.shape == (1,) and gnd.is_view(view)
    refused(lambda: gnd.trim_zeros(gnd.zeros(3, "int8"), "x", None), gnd.ERROR_INVALID, '"x"')
    refused(lambda: gnd.trim_zeros(gnd.zeros(3, "int8"), None, 1), gnd.ERROR_AXIS, "axis 1")


# ---- counts and indices in arrays -----------------------------------------------------------------------------


def test_repeat_each():
    g = generator("repeat each")
    for shape in SHAPES:
        for axis in [None, *range(-len(shape), len(shape))]:
            for dtype in ("int64", "uint8", "int32", "bool"):
                a, x = operand(shape, "int16", g)
                rows = x.size if axis is None else x.shape[axis]
                for n in (rows, 1):
                    y = g.integers(0, 4, n).astype(dtype)
                    counts = gnd.from_numpy(np.repeat(y, 2))["::2"]
                    got = gnd.repeat_each(a, counts, FLAT if axis is None else axis)
                    want = np.repeat(x, y, axis) if rows or n == rows else x.ravel() if axis is None else x
                    assert_same(got, want, f"{shape} {axis} {y}", strides=False)
    a = gnd.from_numpy(np.arange(3))
    counts = lambda *n, dtype="int64": gnd.from_numpy(np.array(n, dtype))
    assert_same(gnd.repeat_each(a, gnd.from_numpy(np.array(2)), 0), np.repeat(np.arange(3), 2))
    refused(lambda: gnd.repeat_each(a, counts(1, 2), 0), gnd.ERROR_SHAPE, "(2,)", "3")
    refused(lambda: gnd.repeat_each(a, counts(1, -2, 3), 0), gnd.ERROR_VALUE, "-2")
    refused(lambda: gnd.repeat_each(a, counts(1, 2, 3, dtype="float32"), 0), gnd.ERROR_DTYPE, "float32")
    refused(lambda: gnd.repeat_each(a, counts(1, 2, 3, dtype="uint64"), 0), gnd.ERROR_DTYPE, "uint64")
    refused(lambda: gnd.repeat_each(a, counts(2**62, 2**62, 1), 0), gnd.ERROR_MEMORY)
    refused(lambda: gnd.repeat_each(a, None, 0), gnd.ERROR_INVALID, "counts")
    refused(lambda: gnd.repeat_each(None, a, 0), gnd.ERROR_INVALID, "NULL")


def test_insert_at():
    g = generator("insert at")
    for shape in SHAPES:
        for axis in [None, *range(-len(shape), len(shape))]:
            a, x = operand(shape, "int32", g)
            line = x.ravel() if axis is None else x
            size = line.shape[axis or 0]
            rest = [n for k, n in enumerate(line.shape) if k != (axis or 0) % line.ndim]
            for count in (0, 1, 2, 5, 9):
                y = g.integers(-size, size + 1, count)
                wheres = [y] + ([np.array(y[0])] if count == 1 else [])
                if axis is not None and size == count:
                    wheres.append(g.random(size) < 0.6)
                full = list(line.shape)
                full[axis or 0] = count
                for where, v in itertools.product(wheres, [(), tuple(full), (1,) * len(full), tuple(rest)]):
                    z = g.integers(0, 99, v).astype("float32")
                    context = f"{shape} axis {axis} at {where} values {v}"
                    b = gnd.from_numpy(z)
                    mine = lambda: gnd.insert_at(a, gnd.from_numpy(where), b, FLAT if axis is None else axis)
                    try:
                        want = np.insert(x, where, z, axis)
                    except ValueError:
                        with pytest.raises(gnd.Error):
                            mine()
                        continue
                    assert_same(mine(), want, context, strides=False)
    a = gnd.from_numpy(np.arange(6, dtype="uint8"))
    indices = gnd.from_numpy(np.array([5, 1, 1, -1]))
    assert_same(gnd.insert_at(a, indices, 7, 0), np.insert(np.arange(6, dtype="uint8"), [5, 1, 1, -1], 7))
    assert_same(gnd.insert_at(a, gnd.zeros(0, "int64"), 7, 0), np.arange(6, dtype="uint8"))
    for bad, code, word in [(np.array([1, 7]), gnd.ERROR_INDEX, "index 7"),
                            (np.array([1, -7]), gnd.ERROR_INDEX, "index -7"),
                            (np.array([[1]]), gnd.ERROR_SHAPE, "(1, 1)"),
                            (np.array([1.0]), gnd.ERROR_DTYPE, "float64")]:
        refused(lambda: gnd.insert_at(a, gnd.from_numpy(bad), 7, 0), code, word, "gnd_insert_at")
    refused(lambda: gnd.insert_at(a, indices, 300, 0), gnd.ERROR_VALUE, "300")
    refused(lambda: gnd.insert_at(a, indices, gnd.zeros(3, "int8"), 0), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: gnd.insert_at(a, None, 1, 0), gnd.ERROR_INVALID, "indices")


def test_delete_at():
    g = generator("delete at")
    for shape in SHAPES:
        for axis in [None, *range(-len(shape), len(shape))]:
            a, x = operand(shape, dtypes.NAMES[g.integers(len(dtypes.NAMES))], g)
            size = x.size if axis is None else x.shape[axis]
            wheres = [g.random(size) < 0.5]
            if size:
                wheres += [g.integers(-size, size, s) for s in (1, 2, 7, (2, 3), ())]
            wheres.append(np.zeros(0, int))
            for where in wheres:
                got = gnd.delete_at(a, gnd.from_numpy(where), FLAT if axis is None else axis)
                want = np.delete(x, where.ravel() if where.dtype != bool else where, axis)
                assert_same(got, want, f"{shape} {axis} {where}", strides=False)
    a = gnd.from_numpy(np.arange(6))
    for bad, code, word in [(np.array([1, 6]), gnd.ERROR_INDEX, "index 6"),
                            (np.array([-7, 6]), gnd.ERROR_INDEX, "index -7"),
                            (np.array([True]), gnd.ERROR_SHAPE, "size 6"),
                            (np.array([1.0]), gnd.ERROR_DTYPE, "float64")]:
        refused(lambda: gnd.delete_at(a, gnd.from_numpy(bad), 0), code, word, "gnd_delete_at")


def test_ix():
    g = generator("ix")
    x, y, z = np.array([4, 0, 2]), g.random(6) < 0.5, np.zeros(0, "int32")
    for lists in ([], [x], [x, y], [y, x, z]):
        arrays = [gnd.from_numpy(v) for v in lists]
        got = taken(len(lists), lambda room: gnd.ix(len(lists), listed(arrays), room))
        for p, q in zip(got, np.ix_(*lists)):
            assert_same(p, q, strides=False)
    room = gnd.outputs(1)
    refused(lambda: gnd.ix(1, listed([gnd.zeros((2, 2), "int8")]), room), gnd.ERROR_SHAPE, "(2, 2)")
    refused(lambda: gnd.ix(1, (ctypes.c_void_p * 1)(), room), gnd.ERROR_INVALID, "arrays")
    room = (ctypes.c_void_p * 2)(1, 1)
    refused(lambda: gnd.ix(2, None, room), gnd.ERROR_INVALID, "arrays")
    assert list(room) == [None, None]
    refused(lambda: gnd.ix(65, room, room), gnd.ERROR_INVALID, "65")


# ---- triangles and diagonals --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_triangles(dtype):
    g = generator("tri", dtype)
    for n, m in [(0, 0), (1, 1), (3, 3), (4, 2), (2, 5), (0, 3), (3, 0)]:
        for k in (-4, -1, 0, 1, 3, 100, -(2**63), 2**63 - 1):
            j = max(-1000, min(1000, k))
            if dtype != "bfloat16":
                assert_same(gnd.tri(n, m, k, dtype), np.tri(n, m, j, dtype), f"tri {n} {m} {k}")
            for batch in [(), (2,), (2, 0), (2, 3)]:
                a, x = operand(batch + (n, m), dtype, g)
                assert_same(gnd.tril(a, k), np.tril(x, j), f"tril {x.shape} {k}", strides=False)
                assert_same(gnd.triu(a, k), np.triu(x, j), f"triu {x.shape} {k}", strides=False)
    for n in (0, 1, 4):
        a, x = operand((n,), dtype, g)
        for k in (-2, 0, 1):
            assert_same(gnd.tril(a, k), np.tril(x, k), strides=False)
            assert_same(gnd.triu(a, k), np.triu(x, k), strides=False)
            assert_same(gnd.diag(a, k), np.diag(x, k), strides=False)
    for shape in SHAPES:
        for k in (-3, 0, 1):
            a, x = operand(shape, dtype, g)
            assert_same(gnd.diagflat(a, k), np.diagflat(x, k), f"diagflat {shape} {k}", strides=False)
            if len(shape) == 2:
                same_memory(a, x, gnd.diag(a, k), np.diag(x, k), f"diag {shape} {k}")


def test_triangles_refuse():
    refused(lambda: gnd.tril(gnd.zeros((), "int8"), 0), gnd.ERROR_SHAPE, "0-d")
    refused(lambda: gnd.diag(gnd.zeros((1, 2, 3), "int8"), 0), gnd.ERROR_SHAPE, "(1, 2, 3)")
    refused(lambda: gnd.diag(gnd.zeros(3, "int8"), 2**62), gnd.ERROR_MEMORY)
    refused(lambda: gnd.diag(gnd.zeros(3, "int8"), -(2**63)), gnd.ERROR_MEMORY)
    refused(lambda: gnd.tri(-2, 3, 0, None), gnd.ERROR_SHAPE, "negative")
    refused(lambda: gnd.vander(gnd.zeros((2, 2), "int8"), 3, False), gnd.ERROR_SHAPE, "(2, 2)")
    assert_same(gnd.tri(3, -1, 0, None), np.tri(3))


def test_triangles_and_powers_of_bfloat16():
    assert_same(gnd.tri(3, 4, 1, "bfloat16"), dtypes.cast(np.tri(3, 4, 1), "bfloat16"))
    x = np.arange(4.0)
    got = gnd.vander(gnd.from_numpy(dtypes.cast(x, "bfloat16")), 3, False)
    assert_same(got, dtypes.cast(np.vander(x, 3), dtypes.promote("bfloat16", "int64")), strides=False)


def test_vander():
    for dtype in dtypes.NAMES:
        if dtype == "bfloat16":
            continue
        x = (np.arange(5) % 3).astype(dtype)
        for layout in ("", "::-1", "::2"):
            a, y = gnd.from_numpy(x)[layout], eval(f"x[{layout}]", {"x": x}) if layout else x
            for n in (-1, 0, 1, 2, 6):
                for increasing in (False, True):
                    want = np.vander(y, None if n == -1 else n, increasing)
                    assert_same(gnd.vander(a, n, increasing), want, f"{dtype} {n}", strides=False)


# ---- grids --------------------------------------------------------------------------------------------------


def test_meshgrid():
    g = generator("meshgrid")
    options = gnd.STRUCTS["gnd_grid_options"]
    for shapes in [[], [(3,)], [(3,), (2,)], [(3,), (), (2,)], [(3,), (0,)], [(2,), (3,), (4,), (1,)], [(2, 2), (3,)]]:
        for ij, sparse, view in itertools.product((False, True), repeat=3):
            pairs = [operand(s, "float32", g) for s in shapes]
            o = options()
            o.ij, o.sparse, o.view = ij, sparse, view
            want = np.meshgrid(*[x for _, x in pairs], copy=not view, sparse=sparse,
                               indexing="ij" if ij else "xy")
            got = taken(len(pairs), lambda room: gnd.meshgrid(
                len(pairs), listed([a for a, _ in pairs]), o, room))
            assert len(got) == len(want)
            for p, q in zip(got, want):
                assert_same(p, q, f"{shapes} {ij} {sparse} {view}", strides=False)
                if not view:
                    gnd.fill(p, 0)
    o = options()
    room = gnd.outputs(2)
    refused(lambda: gnd.meshgrid(65, room, o, room), gnd.ERROR_INVALID, "65")
    refused(lambda: gnd.meshgrid(2, (ctypes.c_void_p * 2)(), o, room), gnd.ERROR_INVALID, "arrays")


def test_indices():
    for shape in SHAPES:
        for dtype in ("int64", "int32", "float32", None):
            want = np.indices(shape, dtype or int)
            assert_same(gnd.function("gnd_indices")(shape, dtype), want, f"{shape}")
            want = np.indices(shape, dtype or int, sparse=True)
            got = taken(len(want), lambda room: gnd.indices_sparse(shape, dtype, room))
            for p, q in zip(got, want):
                assert_same(p, q, f"{shape} sparse", strides=False)
    room = gnd.outputs(2)
    for call in (lambda: gnd.indices_sparse((2, -1), None, room), lambda: gnd.indices_sparse((2, 3), 99, room),
                 lambda: gnd.meshgrid(2, None, gnd.STRUCTS["gnd_grid_options"](), room)):
        room[0], room[1] = 1, 2
        with pytest.raises(gnd.Error):
            call()
        assert room[0] is None and room[1] is None
    refused(lambda: gnd.function("gnd_indices")((2, -1), None), gnd.ERROR_SHAPE, "(2, -1)")
    refused(lambda: gnd.function("gnd_indices")((1,) * 64, None), gnd.ERROR_SHAPE, "64")
    refused(lambda: gnd.function("gnd_indices")((2,), 99), gnd.ERROR_DTYPE, "99")


# ---- windows ------------------------------------------------------------------------------------------------


def test_sliding_windows():
    g = generator("windows")
    for shape in SHAPES:
        a, x = operand(shape, "int32", g)
        for axes in [None, *[c for n in (1, 2) for c in itertools.product(range(-len(shape), len(shape)), repeat=n)]]:
            for size in (0, 1, 2, 3):
                window = (size,) * (len(shape) if axes is None else len(axes))
                mine = lambda: gnd.sliding_window_view(a, window, axes, False)
                try:
                    want = np.lib.stride_tricks.sliding_window_view(x, window, axes)
                except ValueError:
                    refused(mine, gnd.ERROR_SHAPE, "window")
                    continue
                got = mine()
                assert_same(got, want, f"{shape} {window} {axes}")
                assert gnd.is_readonly(got)
    line = gnd.zeros(5, "int8")
    windows = gnd.sliding_window_view(line, (2,), None, True)
    gnd.fill(windows["1"], 3)
    assert line.numpy().tolist() == [0, 3, 3, 0, 0]
    refused(lambda: gnd.fill(gnd.sliding_window_view(line, (2,), None, False), 1), gnd.ERROR_INVALID,
            "read-only")
    refused(lambda: gnd.sliding_window_view(line, (2, 2), None, False), gnd.ERROR_INVALID, "2 sizes")
    refused(lambda: gnd.sliding_window_view(gnd.zeros((1,) * 40, "int8"), (1,) * 40, None, False),
            gnd.ERROR_SHAPE, "80 dimensions")


def test_as_strided_is_checked():
    x = np.arange(24, dtype="int32")
    a = gnd.from_numpy(x)
    strided = np.lib.stride_tricks.as_strided
    for shape, strides in [((4, 6), (24, 4)), ((3, 5), (4, 8)), ((24,), (4,)), ((), ()), ((5, 0), (400, 4)),
                           ((2, 2, 2), (0, 4, 40)), ((1, 24), (4000, 4))]:
        got = gnd.as_strided(a, shape, numbers(strides))
        assert_same(got, strided(x, shape, strides), f"{shape} {strides}", strides=False)
    back = gnd.as_strided(a["20:"], (5, 4), numbers((-16, 4)))
    assert_same(back, strided(x[20:], (5, 4), (-16, 4)))
    assert not gnd.is_readonly(gnd.as_strided(a, (4, 6), numbers((24, 4))))
    assert not gnd.is_readonly(gnd.as_strided(a, (4, 3), numbers((4, 16))))
    assert gnd.is_readonly(gnd.as_strided(a, (4, 4), numbers((4, 4))))
    assert gnd.is_readonly(gnd.as_strided(a, (4, 4), numbers((0, 4))))
    for shape, strides in [((25,), (4,)), ((2,), (-4,)), ((3, 2), (44, 8)), ((2**62,), (4,)),
                           ((2, 2), (2**60, 2**60)), ((4,), (3,)), ((-1,), (4,)),
                           # below address 0, where addresses would wrap round
                           ((2, 2), (-2**50, -4)), ((2, 2), (-2**50, 4)), ((2,), (-2**55,)), ((2,) * 8, (-2**55,) * 8),
                           ((2, 2), (2**50, -2**50)), ((2,), (-2**63,)), ((2,), (2**63 - 4,))]:
        refused(lambda: gnd.as_strided(a, shape, numbers(strides)), gnd.ERROR_SHAPE, "gnd_as_strided")
    refused(lambda: gnd.as_strided(gnd.zeros(0, "int8"), (1,), numbers((1,))), gnd.ERROR_SHAPE)
    refused(lambda: gnd.as_strided(a, (2,), None), gnd.ERROR_INVALID, "strides")


# ---- the rest -----------------------------------------------------------------------------------------------


def test_null_arrays_are_refused():
    one, o = at(0), gnd.STRUCTS["gnd_grid_options"]()
    room = gnd.outputs(1)
    for call in [lambda: gnd.tile(None, (1,)),
                 lambda: gnd.repeat(None, 1, 0), lambda: gnd.resize(None, (1,)),
                 lambda: gnd.roll(None, 1, None), lambda: gnd.rot90(None, 1, None),
                 lambda: gnd.fliplr(None), lambda: gnd.flipud(None), lambda: gnd.insert(None, one, 1, 0),
                 lambda: gnd.delete(None, one, 0), lambda: gnd.trim_zeros(None, None, None),
                 lambda: gnd.atleast_1d(None), lambda: gnd.atleast_2d(None),
                 lambda: gnd.atleast_3d(None), lambda: gnd.tril(None, 0), lambda: gnd.triu(None, 0),
                 lambda: gnd.diag(None, 0), lambda: gnd.diagflat(None, 0),
                 lambda: gnd.vander(None, 1, False),
                 lambda: gnd.meshgrid(1, None, o, room),
                 lambda: gnd.sliding_window_view(None, (1,), None, False),
                 lambda: gnd.as_strided(None, (1,), numbers((1,)))]:
        refused(call, gnd.ERROR_INVALID, "NULL")


FAILING = {
    "tile": lambda a, v: gnd.tile(v, (2, 2)),
    "repeat": lambda a, v: gnd.repeat(v, 2, FLAT),
    "resize": lambda a, v: gnd.resize(v, (5, 7)),
    "roll": lambda a, v: gnd.roll(v, 2, None),
    "roll axes": lambda a, v: gnd.roll(v, 1, (0, 1)),
    "insert": lambda a, v: gnd.insert(v, at(slice(None, None, 2)), a["0, :2"], 1),
    "delete": lambda a, v: gnd.delete(v, at(slice(None, None, 2)), 1),
    "trim_zeros": lambda a, v: gnd.trim_zeros(a, None, None),
    "repeat_each": lambda a, v: gnd.repeat_each(v, gnd.astype(a["0"], "int64"), 1),
    "insert_at": lambda a, v: gnd.insert_at(v, gnd.astype(a["0"], "int64"), a["0"], 1),
    "delete_at": lambda a, v: gnd.delete_at(v, gnd.astype(a["0, 1:3"], "int64"), 1),
    "ix": lambda a, v: taken(1, lambda room: gnd.ix(1, listed([gnd.astype(a["0"], "bool")]), room)),
    "tri": lambda a, v: gnd.tri(3, 4, 0, None),
    "triu": lambda a, v: gnd.triu(v, 0),
    "diagflat": lambda a, v: gnd.diagflat(v, 1),
    "vander": lambda a, v: gnd.vander(a["0"], 3, False),
    "meshgrid": lambda a, v: taken(2, lambda room: gnd.meshgrid(
        2, listed([a["0"], v["0"]]), gnd.STRUCTS["gnd_grid_options"](), room)),
    "indices": lambda a, v: gnd.function("gnd_indices")((2, 3), None),
    "indices_sparse": lambda a, v: taken(2, lambda room: gnd.indices_sparse((2, 3), None, room)),
}


@pytest.mark.parametrize("name", FAILING)
def test_out_of_memory_at_every_allocation(name):
    check_with_failures(FAILING[name], name)
