"""Joining, putting together in blocks and splitting against NumPy: random shapes, layouts and dtypes, empty
arrays, outputs, views that share memory where NumPy's do, and what is refused there is refused here."""

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


# ---- joining ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_concatenate_joins_along_every_axis(dtype):
    g = generator("concatenate", dtype)
    for shape in [s for s in SHAPES if s]:
        for axis in range(-len(shape), len(shape)):
            sizes = [int(n) for n in g.integers(0, 4, g.integers(1, 5))]
            pairs = [operand(shape[:axis % len(shape)] + (n,) + shape[axis % len(shape) + 1:], dtype, g)
                     for n in sizes]
            got = gnd.concatenate(len(pairs), listed([a for a, _ in pairs]), axis)
            want = np.concatenate([x for _, x in pairs], axis)
            assert_same(got, want, f"{shape} axis {axis} sizes {sizes}", strides=False)
    pairs = [operand(shape, dtype, g) for shape in SHAPES]
    assert_same(gnd.concatenate(len(pairs), listed([a for a, _ in pairs]), FLAT),
                np.concatenate([x for _, x in pairs], None), "flat")


def test_concatenate_promotes_all_dtypes_together():
    g = generator("promote")
    plain = [name for name in dtypes.NAMES if name != "bfloat16"]
    for kinds in itertools.product(plain, repeat=3):
        if g.random() > 0.2:
            continue
        pairs = [operand((2, 3), kind, g) for kind in kinds]
        with np.errstate(all="ignore"):
            want = np.concatenate([x for _, x in pairs], 1)
        got = gnd.concatenate(3, listed([a for a, _ in pairs]), 1)
        assert_same(got, want, str(kinds), strides=False)
    for other in dtypes.NAMES:
        pairs = [operand((2, 3), kind, g) for kind in ("bfloat16", other)]
        got = gnd.concatenate(2, listed([a for a, _ in pairs]), 0)
        common = dtypes.promote("bfloat16", other)
        assert_same(got, np.concatenate([dtypes.cast(x, common) for _, x in pairs]), other, strides=False)


def test_concatenate_keeps_the_order_in_memory():
    g = generator("order")
    x, y = np.asfortranarray(g.random((3, 4))), np.asfortranarray(g.random((2, 4)))
    a, b = gnd.asfortran(gnd.from_numpy(x)), gnd.asfortran(gnd.from_numpy(y))
    assert_same(gnd.concatenate(2, listed([a, b]), 0), np.concatenate([x, y], 0))
    assert_same(gnd.concatenate(2, listed([a, gnd.from_numpy(y)]), 0),
                np.concatenate([x, np.ascontiguousarray(y)], 0))


def join_options(out=None, dtype=None, casting=0):
    options = gnd.STRUCTS["gnd_join_options"]()
    options.out, options.kept = out.pointer if out is not None else None, out
    options.dtype, options.casting = gnd.dtype_code(dtype), casting
    return options


def test_joins_into_an_output_with_a_dtype_and_a_casting_rule():
    g = generator("into")
    (a, x), (b, y) = operand((2, 3), "float32", g), operand((2, 2), "int16", g)
    arrays = listed([a, b])
    for dtype in ("float64", "float16", "complex64"):
        want = np.concatenate([x, y], 1, dtype=dtype, casting="unsafe")
        got = gnd.concatenate_with(2, arrays, 1, join_options(dtype=dtype, casting=gnd.UNSAFE))
        assert_same(got, want, dtype)
        whole = gnd.zeros((4, 10), dtype)
        out = whole["1:3, ::2"]
        result = gnd.concatenate_with(2, arrays, 1, join_options(out=out, casting=gnd.UNSAFE))
        assert_same(result, want, dtype, strides=False)
        assert_same(out, want, dtype, strides=False)
        assert (whole.numpy()[0] == 0).all() and (whole.numpy()[:, 1::2] == 0).all()
    refused(lambda: gnd.concatenate_with(2, arrays, 1, join_options(dtype="int64")), gnd.ERROR_DTYPE,
            "array 0 is float32", "int64")
    refused(lambda: gnd.concatenate_with(2, arrays, 1, join_options(casting=gnd.NO_CASTING)),
            gnd.ERROR_DTYPE, "array 1")
    out = gnd.zeros((2, 5), "float32")
    refused(lambda: gnd.concatenate_with(2, arrays, 1, join_options(out=out, dtype="float32")),
            gnd.ERROR_INVALID, "out and dtype")
    refused(lambda: gnd.concatenate_with(2, arrays, 1, join_options(out=gnd.zeros((2, 4), "float32"))),
            gnd.ERROR_SHAPE, "(2, 4)", "(2, 5)")
    refused(lambda: gnd.concatenate_with(2, arrays, 1, join_options(
        out=gnd.broadcast_to(gnd.zeros((1, 5), "float32"), (2, 5)))), gnd.ERROR_INVALID, "read-only")
    stacked = gnd.stack_with(2, listed([a, a]), 0, join_options(dtype="float16", casting=gnd.UNSAFE))
    assert_same(stacked, np.stack([x, x], dtype="float16", casting="unsafe"), strides=False)
    flat = gnd.zeros(20, "float32")
    gnd.concatenate_with(2, arrays, FLAT, join_options(out=flat["::-2"], casting=gnd.UNSAFE))
    assert_same(flat["::-2"], np.concatenate([x, y], None), strides=False)


def test_joins_of_an_output_with_parts_of_itself():
    x = np.arange(12.0)
    whole = gnd.from_numpy(x)
    gnd.concatenate_with(2, listed([whole["6:"], whole[":6"]]), 0, join_options(out=whole))
    assert_same(whole, np.concatenate([x[6:], x[:6]]))
    gnd.concatenate_with(3, listed([whole["::-3"], whole["1::3"], whole["2::3"]]), 0,
                         join_options(out=whole))
    y = np.concatenate([x[6:], x[:6]])
    assert_same(whole, np.concatenate([y[::-3], y[1::3], y[2::3]]))


STACKS = {"gnd_stack": np.stack, "gnd_vstack": np.vstack, "gnd_hstack": np.hstack,
          "gnd_dstack": np.dstack, "gnd_column_stack": np.column_stack}


@pytest.mark.parametrize("name", STACKS)
def test_stacks(name):
    g = generator(name)
    for shape in SHAPES:
        dtype = dtypes.NAMES[g.integers(len(dtypes.NAMES))]
        pairs = [operand(shape, dtype, g) for _ in range(g.integers(1, 4))]
        arrays = listed([a for a, _ in pairs])
        axes = range(-len(shape) - 1, len(shape) + 1) if name == "gnd_stack" else [None]
        for axis in axes:
            extra = () if axis is None else (axis,)
            want = STACKS[name]([x for _, x in pairs], *extra)
            got = gnd.function(name)(len(pairs), arrays, *extra)
            assert_same(got, want, f"{name} {shape} {axis}", strides=False)
    mixed = [operand(s, "int32", g) for s in [(), (1,), (1, 1), (1, 1, 1)]]
    for k in range(1, 4):
        some = mixed[:k] if name != "gnd_stack" else mixed[:1]
        try:
            want = STACKS[name]([x for _, x in some])
        except ValueError:
            with pytest.raises(gnd.Error):
                gnd.function(name)(len(some), listed([a for a, _ in some]))
            continue
        extra = (0,) if name == "gnd_stack" else ()
        assert_same(gnd.function(name)(len(some), listed([a for a, _ in some]), *extra), want,
                    f"{name} {k}", strides=False)


@pytest.mark.parametrize("name", ["gnd_concatenate", *STACKS])
def test_joins_lie_in_memory_as_the_arrays_do(name):
    """Axes of the result in NumPy's order, whatever order those of the arrays have."""
    g = generator("order", name)
    for _ in range(60):
        ndim = int(g.integers(2, 5))
        shape = [int(g.choice([1, 2, 3])) for _ in range(ndim)]
        orders = [g.permutation(ndim) for _ in range(g.integers(1, 3))]
        arrays, values = [], []
        for _ in range(g.integers(1, 5)):
            order = orders[g.integers(len(orders))]
            x = g.random([shape[k] for k in order]).transpose(np.argsort(order))
            a = gnd.permute(gnd.from_numpy(np.ascontiguousarray(x.transpose(order))), np.argsort(order).tolist())
            arrays.append(a), values.append(x)
        axis = int(g.integers(-ndim, ndim))
        extra = (axis,) if name in ("gnd_concatenate", "gnd_stack") else ()
        want = STACKS.get(name, np.concatenate)(values, *extra)
        assert_same(gnd.function(name)(len(arrays), listed(arrays), *extra), want, f"{shape} {extra}")


def test_joins_refuse():
    a, b, point = gnd.zeros((2, 3), "int8"), gnd.zeros((3, 2), "int8"), gnd.zeros((), "int8")
    refused(lambda: gnd.concatenate(0, listed([]), 0), gnd.ERROR_INVALID, "at least one")
    refused(lambda: gnd.concatenate(2, listed([a, b]), 0), gnd.ERROR_SHAPE, "(2, 3)", "(3, 2)",
            "gnd_concatenate")
    refused(lambda: gnd.concatenate(1, listed([point]), 0), gnd.ERROR_SHAPE, "0-d")
    refused(lambda: gnd.concatenate(1, listed([a]), 2), gnd.ERROR_AXIS, "axis 2")
    refused(lambda: gnd.stack(2, listed([a, b]), 0), gnd.ERROR_SHAPE, "same shape")
    refused(lambda: gnd.stack(1, listed([a]), -4), gnd.ERROR_AXIS, "axis -4")
    refused(lambda: gnd.stack(1, listed([gnd.zeros((1,) * 64, "int8")]), 0), gnd.ERROR_SHAPE, "64")
    refused(lambda: gnd.vstack(2, listed([a, gnd.zeros(2, "int8")])), gnd.ERROR_SHAPE, "(2,)")
    refused(lambda: gnd.concatenate(2, (ctypes.c_void_p * 2)(a.pointer, None), 0), gnd.ERROR_INVALID,
            "arrays")
    refused(lambda: gnd.concatenate(1, None, 0), gnd.ERROR_INVALID, "arrays")


def test_append():
    g = generator("append")
    for shape in [s for s in SHAPES if s]:
        for axis in [None, *range(-len(shape), len(shape))]:
            (a, x), (b, y) = operand(shape, "float32", g), operand(shape, "int8", g)
            got = gnd.append(a, b, FLAT if axis is None else axis)
            assert_same(got, np.append(x, y, axis), f"{shape} {axis}", strides=False)
    a, x = operand((2, 3), "uint8", g)
    assert_same(gnd.append(a, 7, FLAT), np.append(x, np.uint8(7)))
    assert_same(gnd.append(a, 0.5, FLAT), np.append(x, 0.5))
    assert_same(gnd.append(gnd.zeros(0, "float32"), 0.5, 0), np.float32([0.5]))
    refused(lambda: gnd.append(a, 300, FLAT), gnd.ERROR_VALUE, "300")
    refused(lambda: gnd.append(a, 3, 0), gnd.ERROR_SHAPE, "(2, 3)")
    refused(lambda: gnd.append(a, None, 0), gnd.ERROR_INVALID, "GND_NONE")


# ---- blocks -------------------------------------------------------------------------------------------------


def nested(lists, keep):
    """gnd_blocks of nested lists of Arrays; what it points to goes to `keep`."""
    blocks = gnd.STRUCTS["gnd_blocks"]
    result = blocks()
    if isinstance(lists, gnd.Array):
        result.array = lists.pointer
        return result
    parts = (blocks * max(len(lists), 1))(*[nested(x, keep) for x in lists])
    keep.append(parts)
    result.count, result.parts = len(lists), ctypes.addressof(parts)
    return result


def mapped(function, lists):
    return [mapped(function, x) for x in lists] if isinstance(lists, list) else function(lists)


def test_block():
    g = generator("block")
    p = [[operand((2, 3), "int32", g), operand((2, 1), "float32", g)],
         [operand((4, 3), "int32", g), operand((4, 1), "int8", g)]]
    flat = [a for row in p for a, _ in row]
    assert_same(gnd.block(2, 2, listed(flat)), np.block([[x for _, x in row] for row in p]))
    lines = [operand((3,), "int32", g) for _ in range(2)]
    assert_same(gnd.block(2, 1, listed([a for a, _ in lines])), np.block([[x] for _, x in lines]))
    cases = [
        lines[0], [lines[0], lines[1]], [[lines[0], lines[1]], [operand((6,), "int8", g)]],
        [[[operand((2, 3), "int8", g)]], [[operand((2, 2), "int8", g), operand((2, 1), "int8", g)]]],
        [[operand((), "int8", g), operand((), "int8", g)]],
        [operand((2, 3, 4), "float64", g), operand((2, 3, 1), "float64", g)],
        [[operand((2, 3, 4), "float64", g)], [operand((2, 1, 4), "float64", g)]],
    ]
    for case in cases:
        keep = []
        struct = nested(mapped(lambda x: x[0], case), keep)
        got = gnd.block_nested(struct)
        assert_same(got, np.block(mapped(lambda x: x[1], case)), strides=False)
    a = lines[0][0]
    for bad, code in [([], gnd.ERROR_INVALID), ([[a], []], gnd.ERROR_INVALID), ([[a], a], gnd.ERROR_INVALID),
                      ([[a, a], [a]], gnd.ERROR_SHAPE)]:
        keep = []
        struct = nested(bad, keep)
        refused(lambda: gnd.block_nested(struct), code)
    refused(lambda: gnd.block(0, 2, listed([a])), gnd.ERROR_INVALID, "0 rows")
    refused(lambda: gnd.block(1, 2, (ctypes.c_void_p * 2)(a.pointer, None)), gnd.ERROR_INVALID)


# ---- splitting ----------------------------------------------------------------------------------------------


def cuts(given):
    """gnd_cuts of a number of sections or a list of indices, and the number of parts."""
    result = gnd.STRUCTS["gnd_cuts"]()
    if isinstance(given, int):
        result.sections = given
        return result, max(given, 1)
    indices = numbers(given)
    result.count, result.indices = len(given), ctypes.addressof(indices)
    result.kept = indices
    return result, len(given) + 1


@pytest.mark.parametrize("name", ["gnd_split", "gnd_array_split", "gnd_hsplit", "gnd_vsplit", "gnd_dsplit"])
def test_splits(name):
    g = generator(name)
    for shape in SHAPES + [(6,), (6, 6), (3, 6, 6)]:
        a, x = operand(shape, "int16", g)
        for given in (1, 2, 3, 5, [2], [1, 3], [0, 2, 2, 9], [-1], [-2, -4, 3], []):
            struct, count = cuts(given)
            for axis in range(-len(shape), len(shape)) if name in ("gnd_split", "gnd_array_split") else [None]:
                extra = () if axis is None else (axis,)
                call = getattr(np, name.removeprefix("gnd_"))
                room = gnd.outputs(count)
                try:
                    want = call(x, given, *extra)
                except (ValueError, IndexError):
                    with pytest.raises(gnd.Error):
                        gnd.function(name)(a, struct, *extra, room)
                    assert gnd.take(room) == [None] * count
                    continue
                gnd.function(name)(a, struct, *extra, room)
                got = gnd.take(room)
                assert len(want) == count
                for p, q in zip(got, want):
                    same_memory(a, x, p, q, f"{name} {shape} {given} {axis}")


def test_splits_refuse():
    a = gnd.zeros((4, 3), "int8")
    room = gnd.outputs(3)
    refused(lambda: gnd.split(a, cuts(3)[0], 0, room), gnd.ERROR_SHAPE, "(4, 3)", "gnd_array_split")
    refused(lambda: gnd.split(a, cuts(-1)[0], 0, room), gnd.ERROR_INVALID)
    refused(lambda: gnd.split(a, gnd.STRUCTS["gnd_cuts"](), 0, room), gnd.ERROR_INVALID, "sections")
    refused(lambda: gnd.split(a, cuts(2)[0], 5, room), gnd.ERROR_AXIS, "axis 5")
    refused(lambda: gnd.dsplit(a, cuts(1)[0], room), gnd.ERROR_SHAPE, "3 dimensions")
    refused(lambda: gnd.split(None, cuts(2)[0], 0, room), gnd.ERROR_INVALID, "a")
    refused(lambda: gnd.split(a, cuts(2)[0], 0, None), gnd.ERROR_INVALID, "out")
    refused(lambda: gnd.unstack(gnd.zeros((), "int8"), 0, room), gnd.ERROR_AXIS)


def test_unstack():
    g = generator("unstack")
    for shape in [s for s in SHAPES if s]:
        a, x = operand(shape, "int16", g)
        for axis in range(-len(shape), len(shape)):
            want = [np.moveaxis(x, axis, 0)[i, ...] for i in range(shape[axis])]
            got = taken(len(want), lambda room: gnd.unstack(a, axis, room))
            for p, q in zip(got, want):
                same_memory(a, x, p, q, f"{shape} {axis}")


# ---- the rest -----------------------------------------------------------------------------------------------


def test_null_arrays_are_refused():
    room = gnd.outputs(1)
    for call in [lambda: gnd.append(None, 1, 0), lambda: gnd.unstack(None, 0, room),
                 lambda: gnd.block_nested(None)]:
        refused(call, gnd.ERROR_INVALID, "NULL")


FAILING = {
    "concatenate": lambda a, v: gnd.concatenate(2, listed([a, v]), 0),
    "concatenate into itself": lambda a, v: gnd.concatenate_with(
        2, listed([a["::-1"], v]), FLAT, join_options(out=gnd.zeros(24, "float64"))),
    "stack": lambda a, v: gnd.stack(2, listed([a, v]), 1),
    "block": lambda a, v: gnd.block(1, 2, listed([a, v])),
    "append": lambda a, v: gnd.append(a, 3, FLAT),
    "split": lambda a, v: taken(2, lambda room: gnd.split(a, cuts(2)[0], 1, room)),
    "unstack": lambda a, v: taken(3, lambda room: gnd.unstack(a, 0, room)),
}


@pytest.mark.parametrize("name", FAILING)
def test_out_of_memory_at_every_allocation(name):
    check_with_failures(FAILING[name], name)
