"""bool memory that holds other bytes than 0 and 1, as a view of int8 may: what is not 0 is true, everywhere. Each
call on such memory gives what it gives on the same truths as 0 and 1."""

import ctypes

import numpy as np
import pytest

import gnd
import headers
from check import call_operator
from fused import Block
from test_faults import run_with_failures
from values import generator, layouts, listed

BYTES = np.array([0, 0, 1, 2, 3, 4, 64, 127, 128, 200, 254, 255], "uint8")
LAYOUTS = ("contiguous", "strided backwards", "transposed")
ROWS = {row.name: row for row in headers.read_operators()}
EXECUTORS = [gnd.FUSE_INTERPRET, gnd.FUSE_COMPILE, gnd.FUSE_OFF]


def loose(given):
    """The bytes as bool memory."""
    return gnd.function("gnd_view")(gnd.from_numpy(given.astype("uint8")), "bool")


def pair(shape, g):
    """The same truths twice: as any bytes, and as 0 and 1."""
    given = g.choice(BYTES, shape)
    return loose(given), gnd.from_numpy(given != 0)


def pairs(shape, g):
    """In some layouts."""
    for layout in [one for one in layouts(shape) if one.name in LAYOUTS]:
        given = g.choice(BYTES, layout.base)
        a, b = loose(given), gnd.from_numpy(given != 0)
        for kind, argument in layout.steps:
            step = {"slice": gnd.slice_text, "permute": gnd.permute, "broadcast": gnd.broadcast_to}[kind]
            a, b = step(a, argument), step(b, argument)
        yield layout.name, a, b


def values_of(x):
    """What is true. (NumPy compares bytes.)"""
    x = x.numpy()
    return x.view("uint8") != 0 if x.dtype == bool else x


def same(got, want, context):
    got, want = got if isinstance(got, list) else [got], want if isinstance(want, list) else [want]
    for one, other in zip(got, want):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), context
        if one.dtype in ("float32", "float64"):  # added up in another order, as the truths may lie in another
            np.testing.assert_allclose(one.numpy(), other.numpy(), rtol=1e-6, atol=1e-7, err_msg=str(context))
        else:
            np.testing.assert_array_equal(values_of(one), values_of(other), err_msg=str(context))


def takes_bool(row):
    try:
        call_operator(row, [gnd.ones((1,), "bool")] * len(row.inputs))
        return True
    except gnd.Error:
        return False


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if takes_bool(row)])
def test_operators(name):
    g = generator("operators", name)
    row, count = ROWS[name], len(ROWS[name].inputs)
    for shape in ((), (37,), (40, 33)):
        for (context, *first), second, third in zip(pairs(shape, g), pairs(shape, g), pairs(shape, g)):
            operands = [first, second[1:], third[1:]][:count]
            same(call_operator(row, [a for a, _ in operands]), call_operator(row, [b for _, b in operands]),
                 (name, shape, context))
    if count == 2:
        a, b = pair((70,), g)
        for number in (True, 3, 2.5):
            try:
                want = call_operator(row, [b, number])
            except gnd.Error:
                continue
            same(call_operator(row, [a, number]), want, (name, number))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "float16", "bfloat16", "float32", "complex128"])
def test_casts(dtype):
    g = generator("casts", dtype)
    for shape in ((1000,), (33, 40)):
        for context, a, b in pairs(shape, g):
            same(gnd.astype(a, dtype), gnd.astype(b, dtype), context)


REDUCTIONS = {
    **{name: (lambda x, axes, call=name: gnd.function("gnd_" + call)(x, axes))
       for name in ("sum", "prod", "mean", "max", "min", "any", "all", "argmax", "argmin", "count_nonzero", "nansum",
                    "nanprod", "nanmean", "nanmax", "nanmin", "median")},
    "std": lambda x, axes: gnd.std(x, axes, 0.0),
    "var": lambda x, axes: gnd.var(x, axes, 0.0),
    **{"reduce " + name: (lambda x, axes, name=name: gnd.reduce(name, x, axes))
       for name in ("add", "multiply", "logical_and", "logical_or", "logical_xor", "bitwise_xor", "maximum",
                    "minimum")},
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions(name):
    g = generator("reductions", name)
    for shape in ((5,), (65, 70), (2, 3000)):
        for context, a, b in pairs(shape, g):
            for axes in (*range(len(shape)), *([None] if not name.startswith("reduce") else [])):
                if name.startswith("arg") and axes is None and len(shape) > 1:
                    continue
                same(REDUCTIONS[name](a, axes), REDUCTIONS[name](b, axes), (name, shape, context, axes))


def test_masks_of_reductions():
    g = generator("where of reductions")
    for shape in ((4097,), (65, 70)):
        x = gnd.from_numpy(g.normal(size=shape).astype("float32"))
        for context, a, b in pairs(shape, g):
            for name in ("sum", "mean", "any", "count_nonzero", "prod", "std", "max"):
                extra = (0.0,) if name == "std" else ()
                initial = gnd.from_numpy(np.float32(-9)) if name == "max" else None
                call = lambda mask: gnd.function("gnd_" + name)(x, gnd.Axes(-1, where=mask, initial=initial), *extra)
                try:
                    want = call(b)
                except gnd.Error:
                    continue
                same(call(a), want, (name, shape, context))


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "accumulate logical_and", "accumulate logical_xor",
                                  "accumulate maximum", "accumulate add", "accumulate multiply"])
def test_scans(name):
    g = generator("scans", name)
    call = ((lambda x, axis: gnd.accumulate(name.split()[1], x, axis)) if " " in name
            else lambda x, axis: gnd.function("gnd_" + name)(x, axis))
    for shape in ((7,), (40, 70)):
        for context, a, b in pairs(shape, g):
            for axis in range(len(shape)):
                same(call(a, axis), call(b, axis), (name, shape, context, axis))


def test_order():
    """Sorted, by rank, in sets: all that is true is equal."""
    g = generator("order")
    for shape in ((9,), (40, 70)):
        for context, a, b in pairs(shape, g):
            for name, call in {
                    "sort": lambda x: gnd.sort(x, -1, gnd.ASCENDING),
                    "descending": lambda x: gnd.sort(x, 0, gnd.DESCENDING),
                    "argsort": lambda x: gnd.argsort(x, -1, gnd.ASCENDING),
                    "unique": lambda x: gnd.unique_values(x),
                    "searchsorted": lambda x: gnd.searchsorted(gnd.from_numpy(np.array([False, True])), x, gnd.LEFT,
                                                               None),
                    "in searchsorted": lambda x: gnd.searchsorted(gnd.sort(gnd.ravel(x), -1, gnd.ASCENDING), True,
                                                                  gnd.LEFT, None),
                    "isin": lambda x: gnd.isin(x, gnd.from_numpy(np.array([True])), False, gnd.ISIN_AUTO),
                    "in isin": lambda x: gnd.isin(gnd.from_numpy(np.array([True, False])), x, False, gnd.ISIN_AUTO),
                    "bincount": lambda x: gnd.bincount(gnd.ravel(x), None, 0),
                    "histogram": lambda x: gnd.histogram(x, 4, None, None),
                    "lexsort": lambda x: gnd.lexsort(1, [x], -1),
                    "quantile": lambda x: gnd.quantile(x, 0.25, -1, gnd.QUANTILE_LOWER),
                    "packbits": lambda x: gnd.packbits(x, -1, gnd.BIG),
            }.items():
                same(call(a), call(b), (name, shape, context))


def test_masks():
    g = generator("masks")
    for shape in ((9,), (40, 70)):
        x = g.integers(0, 100, shape).astype("int16")
        for context, a, b in pairs(shape, g):
            def listed_indices(mask):
                room = gnd.outputs(len(shape))
                gnd.nonzero(mask, ctypes.addressof(room))
                return gnd.take(room)

            def changed(call):
                target = gnd.from_numpy(x)
                call(target)
                return target

            y = gnd.from_numpy(x)
            for name, call in {
                    "nonzero": listed_indices,
                    "get": lambda m: gnd.get(y, 1, [m]),
                    "extract": lambda m: gnd.extract(m, y),
                    "set": lambda m: changed(lambda t: gnd.set(t, 1, [m], 7)),
                    "add at": lambda m: changed(lambda t: gnd.at("add", t, 1, gnd.args([m]), 7)),
                    "place": lambda m: changed(lambda t: gnd.place(t, m, 9)),
                    "putmask": lambda m: changed(lambda t: gnd.putmask(t, m, 9)),
                    "copyto_where": lambda m: changed(lambda t: gnd.copyto_where(t, 9, m, gnd.SAME_KIND)),
                    "where": lambda m: gnd.where(m, y, 5),
                    "take": lambda m: gnd.function("gnd_take")(y, m, None, gnd.RAISE),
            }.items():
                same(call(a), call(b), (name, shape, context))


MOVED = {
    "copy": gnd.copy,
    "take": lambda x: gnd.function("gnd_take")(x, gnd.from_numpy(np.array([1, 0, -1])), 0, gnd.RAISE),
    "get": lambda x: gnd.get(x, 1, [gnd.from_numpy(np.array([2, 0, 2]))]),
    "get by a mask": lambda x: gnd.get(x, 1, [gnd.from_numpy(np.arange(x.shape[0]) % 3 == 0)]),
    "get by itself": lambda x: gnd.get(x, 1, [x]),
    "compress": lambda x: gnd.compress(gnd.from_numpy(np.arange(x.shape[0]) % 2 == 1), x, 0),
    "take_along_axis": lambda x: gnd.take_along_axis(x, gnd.from_numpy(np.zeros(x.shape, "int64")), 0),
    "concatenate": lambda x: gnd.concatenate(2, listed([x, x]), 0),
    "stack": lambda x: gnd.stack(2, listed([x, x]), 1),
    "tile": lambda x: gnd.tile(x, (2, 1)),
    "repeat": lambda x: gnd.repeat(x, 3, 0),
    "roll": lambda x: gnd.roll(x, 2, None),
    "flip": lambda x: gnd.flip(x, None),
    "ravel": gnd.ravel,
    "choose": lambda x: gnd.choose(x, 2, [gnd.flip(x, None), x], gnd.RAISE),
    "where": lambda x: gnd.where(x, gnd.flip(x, None), x),
    "partition": lambda x: gnd.partition(x, 1, (ctypes.c_int64 * 1)(0), 0),
    "unique": lambda x: gnd.unique_values(x),
}


@pytest.mark.parametrize("name", MOVED)
def test_moved(name):
    """Elements that are only moved are true afterwards, to whatever reads them."""
    g = generator("moved", name)
    for shape in ((9,), (40, 70)):
        for context, a, b in pairs(shape, g):
            if name in ("get", "take") and min(shape) < 3:
                continue
            got, want = MOVED[name](a), MOVED[name](b)
            same(got, want, (name, shape, context))
            same(gnd.sum(got, None), gnd.sum(want, None), (name, shape, context))
            same(gnd.astype(got, "int8"), gnd.astype(want, "int8"), (name, shape, context))


def test_assigned():
    """As values that are assigned to memory that is not marked."""
    g = generator("assigned")
    place = gnd.from_numpy(np.array([4, 2, 7, 0]))
    for context, a, b in pairs((4,), g):
        def changed(call, x):
            target = gnd.zeros((9,), "bool")
            call(target, x)
            return target

        mask = gnd.from_numpy(np.arange(9) % 2 == 1)
        for name, call in {
                "set": lambda t, x: gnd.set(t, 1, [place], x),
                "put": lambda t, x: gnd.put(t, place, x, gnd.RAISE),
                "set under a mask": lambda t, x: gnd.set(t, 1, [mask], x),
                "place": lambda t, x: gnd.place(t, mask, x),
                "putmask": lambda t, x: gnd.putmask(t, mask, x),
                "put_along_axis": lambda t, x: gnd.put_along_axis(t, place, x, 0),
                "copyto": lambda t, x: gnd.copyto(t[":4"], x),
                "at": lambda t, x: gnd.at("logical_or", t, 1, gnd.args([place]), x),
                "at, maximum": lambda t, x: gnd.at("maximum", t, 1, gnd.args([place]), x),
        }.items():
            got, want = changed(call, a), changed(call, b)
            same(gnd.sum(got, None), gnd.sum(want, None), (name, context))
            same(gnd.astype(got, "int8"), gnd.astype(want, "int8"), (name, context))


def test_at_such_memory():
    """What is not named stays as it is, byte for byte."""
    place = gnd.from_numpy(np.array([0, 1, 2, 2]))
    for name in ("logical_xor", "logical_and", "maximum", "minimum", "logical_not"):
        given = np.array([3, 0, 0x80, 0xff, 2], "uint8")
        a, b = loose(given), gnd.from_numpy(given != 0)
        value = None if name == "logical_not" else gnd.from_numpy(np.array([True, False, True, True]))
        for x in (a, b):
            gnd.at(name, x, 1, gnd.args([place]), value)
        same(a, b, name)
        assert (a.numpy().view("uint8")[3:] == given[3:]).all()


@pytest.mark.parametrize("name", ["add", "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "multiply"])
def test_segments(name):
    g = generator("segments", name)
    for context, a, b in pairs((40, 70), g):
        for axis in (0, 1):
            where = gnd.from_numpy(np.array([0, 3, 3, 17, 30]))
            same(gnd.reduceat(name, a, where, axis), gnd.reduceat(name, b, where, axis), (context, axis))


def test_compared():
    g = generator("compared")
    for context, a, b in pairs((40, 70), g):
        assert gnd.array_equal(a, b, False) and gnd.array_equiv(a, b) and gnd.allclose(a, b, 0.0, 0.0, False), context


def test_foreign_memory():
    """Memory of somebody else's may hold any bytes."""
    given = np.array([0, 2, 255, 1, 128, 0], "uint8")
    a = gnd.wrap(given.ctypes.data, given.shape, None, "bool", gnd.STRUCTS["gnd_device"](gnd.CPU, 0), None, None)
    assert gnd.sum(a, None).numpy() == 4
    assert gnd.sum(gnd.logical_not(a), None).numpy() == 2
    given[:] = 4
    assert gnd.sum(a, None).numpy() == 6


def test_kernels_of_users():
    g = generator("kernels")
    kernel = gnd.kernel_elementwise("bool m, T x", "T y", "y = x * (T)(m + (m == true))", "truths", None)
    for context, a, b in pairs((40, 70), g):
        x = gnd.from_numpy(g.integers(0, 9, (40, 70)))
        same(gnd.kernel_call(kernel, 2, [a, x]), gnd.kernel_call(kernel, 2, [b, x]), context)
    gnd.kernel_release(kernel)


def test_siblings():
    """A view that was made before the memory was seen as another dtype."""
    a = gnd.zeros((6,), "bool")
    before = a["1:5"]
    gnd.copyto(gnd.function("gnd_view")(a, "uint8"), 2)
    assert gnd.sum(before, None).numpy() == 4 and not gnd.logical_not(before).numpy().any()


def test_products():
    g = generator("products")
    for m, k, n in ((3, 4, 5), (40, 70, 33), (1, 300, 1), (130, 257, 64)):
        for (context, a, b), (_, c, d) in zip(pairs((m, k), g), pairs((k, n), g)):
            same(gnd.matmul(a, c), gnd.matmul(b, d), (m, k, n, context))
            same(gnd.tensordot(a, c, 1), gnd.tensordot(b, d, 1), context)
            x = gnd.from_numpy(g.normal(size=(k, n)))
            same(gnd.matmul(a, x), gnd.matmul(b, x), context)
    for n in (5, 300, 70000):
        (a, b), (c, d) = pair(n, g), pair(n, g)
        same(gnd.dot(a, c), gnd.dot(b, d), n)
        same(gnd.einsum("i,i->", 2, listed([a, c])), gnd.einsum("i,i->", 2, listed([b, d])), n)
        if n < 1000:
            same(gnd.convolve(a, c, gnd.FULL), gnd.convolve(b, d, gnd.FULL), n)
            same(gnd.correlate(a, c, gnd.SAME), gnd.correlate(b, d, gnd.SAME), n)


def test_numbers():
    """Read on the host."""
    for byte in BYTES:
        a = loose(np.full((), byte))
        assert gnd.item_bool(a) is bool(byte) and gnd.item_int(a) == bool(byte) and gnd.item_double(a) == bool(byte)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_in_fused_blocks(executor):
    g = generator("fused")
    for shape in ((70,), (60, 40)):
        x = gnd.from_numpy(g.normal(size=shape).astype("float32"))
        for context, a, b in pairs(shape, g):
            def block(mask):
                with Block(executor) as inside:
                    chosen = gnd.where(mask, gnd.multiply(x, 2), gnd.add(x, mask))
                    return inside.keep([chosen, gnd.logical_not(mask), gnd.add(gnd.astype(mask, "float32"), x),
                                        gnd.logical_xor(mask, gnd.greater(x, 0)), gnd.add(mask, 3), gnd.sum(mask, None),
                                        gnd.any(mask, -1), gnd.sum(chosen, -1)])

            for got, want in zip(block(a), block(b)):
                np.testing.assert_allclose(values_of(got), values_of(want), rtol=1e-5, atol=1e-4,
                                           err_msg=str((shape, context)))


def test_memory_that_was_bool_before():
    """Writing through a view of int8, before other views are made and after."""
    x = np.array([True, False, True, True, False])
    a = gnd.from_numpy(x)
    number = gnd.function("gnd_view")(a, "int8")
    gnd.copyto(number, gnd.from_numpy(np.array([2, 0, 1, -1, 4], "int8")))
    assert gnd.sum(a, None).numpy() == 4 and gnd.sum(a["1:"], None).numpy() == 3
    assert (values_of(gnd.logical_not(a)) == [False, True, False, False, False]).all()
    assert (number.numpy() == [2, 0, 1, -1, 4]).all()


def test_writing_to_such_memory():
    """What is computed in it is 0 and 1."""
    for name in ("logical_not_into", "logical_and_into"):
        given = np.array([0, 2, 255, 1], "uint8")
        a = loose(given)
        extra = (loose(given[::-1]),) if "and" in name else ()
        gnd.function("gnd_" + name)(a, a, *extra)
        want = (given == 0) if not extra else (given != 0) & (given[::-1] != 0)
        assert (a.numpy().view("uint8") == want.astype("uint8")).all()


def test_no_memory_for_the_truths():
    a = loose(np.arange(60) % 5)
    place = gnd.from_numpy(np.arange(5))
    for call in (lambda: gnd.sum(a, None), lambda: gnd.logical_not(a), lambda: gnd.sort(a, -1, gnd.ASCENDING),
                 lambda: gnd.cumsum(a, 0), lambda: gnd.unique_values(a), lambda: gnd.matmul(a, a),
                 lambda: gnd.where(a, 1, 2), lambda: gnd.choose(a, 2, [5, 6], gnd.RAISE), lambda: gnd.get(a, 1, [a]),
                 lambda: gnd.at("logical_xor", a, 1, gnd.args([place]), True), lambda: gnd.bincount(a, None, 0),
                 lambda: gnd.reduceat("add", a, place, 0)):
        run_with_failures(call)
