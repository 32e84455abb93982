"""Views and changes of shape: shape, strides, sharing of memory and values equal NumPy's; and what is
refused there is refused here, as the same kind of error."""

import ctypes
import itertools

import numpy as np
import pytest
from hypothesis import given, strategies as st

import dtypes
import gnd
import values
from check import assert_same


def pair(shape, dtype="int32"):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    return gnd.from_numpy(x), x


def laid_out(shape, dtype="int16"):
    """(gnd view, NumPy view) of this shape in every layout."""
    for layout in values.layouts(shape):
        base = np.arange(np.prod(layout.base, dtype=int)).reshape(layout.base).astype(dtype)
        yield layout, gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)


def check_view(a, x, got, want, context):
    """`got` of `a` against `want` of `x`: layout too, and whether memory is shared."""
    assert_same(got, want, context)
    if want.size and not (want.ndim == 0 and not np.shares_memory(x, want)):  # NumPy made a scalar
        assert gnd.shares_buffer(a, got) == np.shares_memory(x, want), f"{context}: shares memory"
        if gnd.shares_buffer(a, got):
            base = x.__array_interface__["data"][0]
            offset = want.__array_interface__["data"][0] - base
            assert got.address - a.address == offset, f"{context}: starts elsewhere"


def both(a, x, mine, theirs, context):
    """The same operation on both sides: equal results, or refused by both."""
    try:
        want = theirs(x)
    except (ValueError, IndexError, TypeError):
        with pytest.raises(gnd.Error):
            mine(a)
        return None
    got = mine(a)
    check_view(a, x, got, want, context)
    return got


# ---- slices -------------------------------------------------------------------------------------------------

bound = st.one_of(st.none(), st.integers(-9, 9), st.sampled_from([-1000, 1000]))


@st.composite
def items(draw):
    kind = draw(st.integers(0, 9))
    if kind < 3:
        return str(draw(st.integers(-7, 7)))
    if kind < 7:
        parts = [draw(bound), draw(bound)]
        if draw(st.booleans()):
            parts.append(draw(st.one_of(st.none(), st.integers(-4, 4))))
        return ":".join("" if p is None else str(p) for p in parts)
    return draw(st.sampled_from([":", "...", "None", "::", "::-1"]))


@given(shape=st.lists(st.sampled_from([0, 1, 2, 3, 6, 7]), max_size=4),
       texts=st.lists(items(), max_size=6), spaces=st.sampled_from(["", " ", "  "]))
def test_random_slices(shape, texts, spaces):
    a, x = pair(tuple(shape))
    text = ("," + spaces).join(texts)
    both(a, x, lambda a: gnd.slice(a, text),
         lambda x: np.asarray(eval(f"x[{text}]")) if text else x[...], f"{shape}[{text}]")


@given(shape=st.lists(st.sampled_from([0, 1, 3, 6]), max_size=4), data=st.data())
def test_random_index_items(shape, data):
    """The same through structs."""
    a, x = pair(tuple(shape))
    count = data.draw(st.integers(0, 5))
    index, numpy_index = (gnd.STRUCTS["gnd_index"] * max(count, 1))(), []
    open_ = -(2**63)
    for k in range(count):
        kind = data.draw(st.integers(0, 3))
        index[k].kind = kind
        if kind == gnd.INDEX_AT:
            index[k].start = data.draw(st.integers(-5, 5))
            numpy_index.append(index[k].start)
        elif kind == gnd.INDEX_RANGE:
            given_ = [data.draw(bound), data.draw(bound),
                      data.draw(st.one_of(st.none(), st.integers(-3, 3)))]
            index[k].start, index[k].stop, index[k].step = (
                open_ if g is None else g for g in given_)
            numpy_index.append(slice(*given_))
        else:
            numpy_index.append(None if kind == gnd.INDEX_NEW_AXIS else Ellipsis)
    both(a, x, lambda a: gnd.slice_ix(a, count, index),
         lambda x: np.asarray(x[tuple(numpy_index)]), f"{shape}[{numpy_index}]")


@pytest.mark.parametrize("text", [
    "1 2", "1:2:3:4", "abc", "1,,2", "(1)", "1.5", ":::", "0x1", "--1", "1;", "..", "....", "None:",
    "%", "%f", "%s", "1e3", "99999999999999999999", "'", "[0]", "None None", "\x00"[:0] + ",", "::0",
    "True", "..., ...", "- 1:", ": :: :"])
def test_bad_slices(text):
    a, x = pair((4, 5))
    try:
        want = np.asarray(eval(f"x[{text}]")) if "%" not in text else None
    except Exception:
        want = None
    if text in ("- 1:", "(1)", "0x1", "--1", "[0]") and want is not None:
        return  # Python expressions, and no part of the slice syntax
    if want is not None and text != "True":
        check_view(a, x, gnd.slice(a, text), want, text)
        return
    with pytest.raises(gnd.Error) as caught:
        gnd.slice(a, text)
    assert caught.value.code in (gnd.ERROR_INVALID, gnd.ERROR_INDEX)


def test_slice_arguments():
    """%-conversions, each length modifier with its own type."""
    a, x = pair((20, 30))
    for conversion, ctype in (("%d", ctypes.c_int), ("%i", ctypes.c_int), ("%u", ctypes.c_uint),
                              ("%ld", ctypes.c_long), ("%lld", ctypes.c_longlong),
                              ("%zu", ctypes.c_size_t), ("%jd", ctypes.c_int64),
                              ("%td", ctypes.c_ssize_t), ("%hd", ctypes.c_int),
                              ("%hhd", ctypes.c_int)):
        text = f"{conversion}:{conversion}, -{conversion}"
        got = gnd.slice(a, text, ctype(3), ctype(17), ctype(4))
        check_view(a, x, got, x[3:17, -4], text)
    got = gnd.slice(a, "%lld:%lld", ctypes.c_longlong(-(2**62)), ctypes.c_longlong(2**62))
    check_view(a, x, got, x, "clipped")
    check_view(a, x, gnd.slice(a, "::%d", ctypes.c_int(-2)), x[::-2], "step")


def test_index_errors_name_the_axis():
    a, _ = pair((4, 5))
    with pytest.raises(gnd.Error) as caught:
        gnd.slice(a, ":, 5")
    assert caught.value.code == gnd.ERROR_INDEX
    for text in ("5", "1"):
        assert text in caught.value.message
    with pytest.raises(gnd.Error) as caught:
        gnd.slice(a, "0, 0, 0")
    assert caught.value.code == gnd.ERROR_INDEX


# ---- shape --------------------------------------------------------------------------------------------------


def factorizations(size, generator):
    """A few shapes of this size, some with a -1."""
    for _ in range(6):
        left, shape = size, []
        while left > 1 and len(shape) < 4:
            divisors = [d for d in range(1, left + 1) if left % d == 0]
            shape.append(int(generator.choice(divisors)))
            left //= shape[-1]
        shape.append(left)
        generator.shuffle(shape)
        if generator.random() < 0.4:
            shape[generator.integers(len(shape))] = -1
        yield tuple(shape)


@pytest.mark.parametrize("order", ["C", "F", "A"])
@pytest.mark.parametrize("shape", [(), (1,), (6,), (4, 6), (2, 3, 4), (1, 6, 1), (2, 1, 3, 4)])
def test_reshape(shape, order):
    g = np.random.default_rng(1)
    for layout, a, x in laid_out(shape):
        for new in factorizations(x.size, g):
            context = f"{layout.name} {shape} to {new} {order}"
            both(a, x, lambda a: gnd.reshape_order(a, new, order.encode()),
                 lambda x: x.reshape(new, order=order), context)
            if order == "C":
                both(a, x, lambda a: gnd.reshape(a, new), lambda x: x.reshape(new), context)


@pytest.mark.parametrize("old, new", [((0,), (0, 5)), ((0, 3), (3, 0)), ((0,), (-1, 3)), ((0,), (-1, 0)),
                                      ((4,), (3,)), ((4,), (-1, 3)), ((4,), (-1, -1)), 
                                      ((), (1, 1)), ((1,), ()), ((4,), ()), ((2, 2), (4, 0)),
                                      ((6,), (2**40, 2**40))])
def test_reshape_edges(old, new):
    a, x = pair(old)
    both(a, x, lambda a: gnd.reshape(a, new), lambda x: x.reshape(new), f"{old} to {new}")


@pytest.mark.parametrize("shape", [(), (5,), (0, 3), (3, 4), (2, 3, 4), (1, 5, 1)])
def test_ravel_and_flatten(shape):
    for layout, a, x in laid_out(shape):
        both(a, x, gnd.ravel, lambda x: x.ravel(), f"ravel {layout.name}")
        assert_same(gnd.flatten(a), x.flatten())
        assert not gnd.shares_buffer(a, gnd.flatten(a))
        for order in "CFAK":
            both(a, x, lambda a: gnd.ravel_order(a, order.encode()), lambda x: x.ravel(order),
                 f"ravel {order} {layout.name}")


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 3, 1), (2, 1, 3, 1), (0, 1)])
def test_squeeze_and_expand(shape):
    n = len(shape)
    for layout, a, x in laid_out(shape):
        both(a, x, lambda a: gnd.squeeze(a, None), np.squeeze, "squeeze")
        for axes in [(), *itertools.combinations(range(-n - 1, n + 1), 1),
                     *itertools.combinations(range(-n, n), 2)]:
            if shape == () and axes in [(0,), (-1,)]:  # test_squeeze_of_0_d
                continue
            both(a, x, lambda a: gnd.squeeze(a, axes), lambda x: np.squeeze(x, axes),
                 f"squeeze {shape} {axes} {layout.name}")
        for axes in [*itertools.combinations(range(-n - 2, n + 2), 1),
                     *itertools.combinations(range(-n - 1, n + 2), 2)]:
            both(a, x, lambda a: gnd.expand_dims(a, axes), lambda x: np.expand_dims(x, axes),
                 f"expand_dims {shape} {axes} {layout.name}")


def test_transposing():
    for shape in ((), (3,), (3, 4), (2, 3, 4), (2, 0, 3), (2, 3, 4, 5)):
        n = len(shape)
        a, x = pair(shape)
        both(a, x, gnd.transpose, np.transpose, "transpose")
        both(a, x, lambda a: gnd.permute(a, None), np.transpose, "permute all")
        both(a, x, gnd.matrix_transpose, np.matrix_transpose, "matrix_transpose")
        for axes in itertools.permutations(range(n)):
            both(a, x, lambda a: gnd.permute(a, axes), lambda x: x.transpose(axes), f"{axes}")
            negative = [k - n for k in axes]
            both(a, x, lambda a: gnd.permute(a, negative), lambda x: x.transpose(negative), f"{axes}")
        for i, j in itertools.product(range(-n - 1, n + 1), repeat=2):
            both(a, x, lambda a: gnd.swapaxes(a, i, j), lambda x: np.swapaxes(x, i, j), f"swap {i} {j}")
            both(a, x, lambda a: gnd.moveaxis(a, i, j), lambda x: np.moveaxis(x, i, j), f"move {i} {j}")
        for source in itertools.permutations(range(n), min(n, 2)):
            for target in itertools.permutations(range(-n, 0), min(n, 2)):
                both(a, x, lambda a: gnd.moveaxis(a, source, target),
                     lambda x: np.moveaxis(x, source, target), f"move {source} {target}")


@pytest.mark.parametrize("axes", [(0, 0), (0,), (0, 1, 2), (0, 2), (-3, 0), (1, -1)])
def test_bad_permutations(axes):
    a, x = pair((3, 4))
    both(a, x, lambda a: gnd.permute(a, axes), lambda x: x.transpose(axes), str(axes))


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (0, 2), (2, 3, 4)])
def test_flip(shape):
    n = len(shape)
    for layout, a, x in laid_out(shape):
        both(a, x, lambda a: gnd.flip(a, None), np.flip, "flip")
        for axes in itertools.chain([()], itertools.combinations(range(-n - 1, n + 1), 1),
                                    itertools.combinations(range(-n, n), 2)):
            both(a, x, lambda a: gnd.flip(a, axes), lambda x: np.flip(x, axes), f"flip {axes}")


@pytest.mark.parametrize("shape", [(3,), (4, 4), (3, 5), (0, 4), (2, 3, 4)])
def test_diagonal(shape):
    n = len(shape)
    for layout, a, x in laid_out(shape):
        for offset in (0, 1, -1, 2, -3, 7, -7):
            for i, j in itertools.product(range(-n, n + 1), repeat=2):
                both(a, x, lambda a: gnd.diagonal(a, offset, i, j),
                     lambda x: x.diagonal(offset, i, j), f"{layout.name} {offset} {i} {j}")


def test_diagonal_can_be_written():
    a, x = pair((4, 5))
    gnd.fill(gnd.diagonal(a, 1, 0, 1), -9)
    x[np.arange(4), np.arange(1, 5)] = -9
    assert_same(a, x)


# ---- broadcasting -------------------------------------------------------------------------------------------


def test_broadcast_to():
    for shape, new in itertools.product([(), (1,), (3,), (1, 3), (2, 1), (2, 3), (0,), (1, 0)], [
            (), (3,), (2, 3), (4, 2, 3), (0,), (2, 0), (1, 3), (2, 2, 3, 1), (5, 1)]):
        a, x = pair(shape)
        got = both(a, x, lambda a: gnd.broadcast_to(a, new), lambda x: np.broadcast_to(x, new),
                   f"{shape} to {new}")
        if got is not None:
            assert gnd.is_readonly(got)


def test_broadcast_arrays():
    for shapes in ([(3,), (2, 1)], [(), (4,)], [(2, 3)], [(1, 5), (3, 1), (2, 1, 1)], [(0,), (1,)],
                   [(3,), (4,)], [(2, 3), (3, 2)]):
        pairs = [pair(s) for s in shapes]
        inputs = (ctypes.c_void_p * len(shapes))(*[a.pointer for a, _ in pairs])
        outputs = (ctypes.c_void_p * len(shapes))()
        try:
            want = np.broadcast_arrays(*[x for _, x in pairs])
        except ValueError:
            with pytest.raises(gnd.Error) as caught:
                gnd.broadcast_arrays(len(shapes), inputs, outputs)
            assert caught.value.code == gnd.ERROR_SHAPE
            assert not any(outputs)
            continue
        gnd.broadcast_arrays(len(shapes), inputs, outputs)
        for (a, x), pointer, w in zip(pairs, outputs, want):
            got = gnd.Array(pointer)
            check_view(a, x, got, w, str(shapes))
            assert gnd.is_readonly(got) == (w.shape != x.shape)


# ---- other readings -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", "int8", "bool", "bfloat16"])
def test_real_and_imag(dtype):
    for shape in ((), (0,), (7,), (3, 4)):
        for layout in values.layouts(shape):
            base = values.random_values(dtype, layout.base, np.random.default_rng(0))
            a, x = gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)
            real = gnd.real(a)
            want = x if dtype == "bfloat16" else x.real
            assert_same(real, want)
            if x.size:
                assert gnd.shares_buffer(a, real)
            if dtype in dtypes.COMPLEX:
                assert_same(gnd.imag(a), x.imag)
                if x.size:
                    assert gnd.imag(a).address - a.address == base.itemsize // 2
            else:
                assert_same(gnd.imag(a), np.zeros(shape, base.dtype), strides=False)


def test_imaginary_part_can_be_written():
    x = np.array([1 + 2j, 3 - 4j])
    a = gnd.from_numpy(x)
    gnd.fill(gnd.imag(a), 0)
    gnd.multiply_into(gnd.real(a), gnd.real(a), 10)
    assert_same(a, x.real * 10 + 0j)


@pytest.mark.parametrize("new", [n for n in dtypes.NAMES if n != "bool"])
@pytest.mark.parametrize("old", dtypes.NAMES)
def test_view_as_dtype(old, new):
    for shape in ((), (4,), (3, 4), (3, 1), (0,), (2, 3, 8)):
        for layout in values.layouts(shape):
            base = (np.arange(np.prod(layout.base, dtype=int) * dtypes.DTYPES[old].itemsize) % 2
                    ).astype(np.uint8).view(dtypes.DTYPES[old]).reshape(layout.base)
            a, x = gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)
            sizes = dtypes.DTYPES[old].itemsize, dtypes.DTYPES[new].itemsize
            try:
                want = x.view(dtypes.DTYPES[new])
            except ValueError:
                with pytest.raises(gnd.Error):
                    gnd.function("gnd_view")(a, new)
                continue
            steps = [s for s, n in zip(want.strides, want.shape) if n > 1]
            start = want.__array_interface__["data"][0] - base.__array_interface__["data"][0]
            if sizes[1] > sizes[0] and any(s % sizes[1] for s in steps + [start if x.size else 0]):
                continue  # gnd keeps elements on multiples of their size
            check_view(a, x, gnd.function("gnd_view")(a, new), want, f"{old} {new} {layout.name}")


# ---- errors -------------------------------------------------------------------------------------------------


def test_too_many_dimensions():
    a, x = pair((1,) * 64)
    for call in (lambda: gnd.expand_dims(a, 0), lambda: gnd.slice(a, "None"),
                 lambda: gnd.reshape(a, gnd.shape((1,) * 65)),
                 lambda: gnd.broadcast_to(a, gnd.shape((1,) * 65))):
        with pytest.raises(gnd.Error):
            call()
    check_view(a, x, gnd.slice(a, "0, ..., None"), x[0, ..., None], "64 dimensions")


def test_null_arrays():
    nothing = gnd.Array(None)
    for call in (lambda: gnd.slice(nothing, ":"), lambda: gnd.reshape(nothing, (1,)),
                 lambda: gnd.transpose(nothing), lambda: gnd.flip(nothing, None),
                 lambda: gnd.real(nothing), lambda: gnd.broadcast_to(nothing, (2,)),
                 lambda: gnd.ravel(nothing), lambda: gnd.squeeze(nothing, None)):
        with pytest.raises(gnd.Error) as caught:
            call()
        assert caught.value.code == gnd.ERROR_INVALID


# ---- rollaxis, broadcast_shapes, byte_bounds --------------------------------------------------------------------


def test_rollaxis():
    for shape in ((4,), (2, 3), (2, 3, 4, 5)):
        for layout, a, x in laid_out(shape):
            n = len(shape)
            for axis, start in itertools.product(range(-n - 2, n + 2), range(-n - 2, n + 3)):
                both(a, x, lambda a: gnd.rollaxis(a, axis, start), lambda x: np.rollaxis(x, axis, start),
                     f"{layout.name} {axis} {start}")
    with pytest.raises(gnd.Error) as caught:
        gnd.rollaxis(gnd.zeros((2, 3), None), 0, 4)
    assert caught.value.code == gnd.ERROR_INVALID and "start 4" in caught.value.message


def broadcast_shapes(*shapes):
    list_ = (gnd.STRUCTS["gnd_shape"] * max(len(shapes), 1))(*[gnd.shape(s) for s in shapes])
    result = gnd.broadcast_shapes(len(shapes), list_)
    return tuple(result.dim[:result.ndim])


@given(st.lists(st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4), max_size=4))
def test_broadcast_shapes(shapes):
    try:
        want = np.broadcast_shapes(*map(tuple, shapes))
    except ValueError:
        with pytest.raises(gnd.Error) as caught:
            broadcast_shapes(*shapes)
        assert caught.value.code == gnd.ERROR_SHAPE
        return
    assert broadcast_shapes(*shapes) == want


def test_broadcast_shapes_refuses():
    for shapes, text in (([(2,), (3,)], "number 1, (3,)"), ([(-1, 2)], "negative")):
        with pytest.raises(gnd.Error) as caught:
            broadcast_shapes(*shapes)
        assert caught.value.code == gnd.ERROR_SHAPE and text in caught.value.message
    many = gnd.STRUCTS["gnd_shape"]()
    for many.ndim in (-1, 1000):
        with pytest.raises(gnd.Error) as caught:
            gnd.broadcast_shapes(1, many)
        assert caught.value.code == gnd.ERROR_SHAPE
    for count, list_ in ((-1, many), (2, None)):
        with pytest.raises(gnd.Error) as caught:
            gnd.broadcast_shapes(count, list_)
        assert caught.value.code == gnd.ERROR_INVALID


@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (2, 3, 4), (3, 0)])
def test_byte_bounds(shape):
    for layout, a, x in laid_out(shape):
        low, high = ctypes.c_void_p(1), ctypes.c_void_p(1)
        gnd.byte_bounds(a, ctypes.byref(low), ctypes.byref(high))
        if x.size == 0:
            assert low.value is None and high.value is None
            continue
        want_low, want_high = np.lib.array_utils.byte_bounds(x)
        data = x.__array_interface__["data"][0]
        assert (low.value - a.address, high.value - a.address) == (want_low - data, want_high - data), layout.name
    with pytest.raises(gnd.Error):
        gnd.byte_bounds(None, ctypes.byref(low), ctypes.byref(high))
    assert low.value is None and high.value is None
    with pytest.raises(gnd.Error):
        gnd.byte_bounds(a, None, ctypes.byref(high))


def test_ravel_in_memory_order_of_broadcast_arrays():
    """Order K of NumPy's iterator: axes with stride 0 keep out of the comparison."""
    g = values.generator("ravel K")
    assert_same(gnd.ravel_order(gnd.broadcast_to(gnd.permute(gnd.from_numpy(np.arange(6).reshape(2, 1, 3)),
                                                             (2, 1, 0)), (3, 5, 2)), b"K"),
                np.broadcast_to(np.arange(6).reshape(2, 1, 3).T, (3, 5, 2)).ravel("K"))
    for _ in range(1000):
        ndim = g.integers(1, 5)
        base = np.arange(np.prod(sizes := g.choice([1, 1, 2, 3], ndim))).reshape(sizes)
        axes, text = tuple(int(k) for k in g.permutation(ndim)), ", ".join(g.choice([":", "::-1", "::2"], ndim))
        x = eval(f"base.transpose(axes)[{text}]")
        shape = tuple(int(n) for n in g.integers(1, 3, g.integers(0, 2)))
        shape += tuple(int(g.integers(1, 4)) if n == 1 else n for n in x.shape)
        a = gnd.broadcast_to(gnd.permute(gnd.from_numpy(base), axes)[text], shape)
        assert_same(gnd.ravel_order(a, b"K"), np.broadcast_to(x, shape).ravel("K"),
                    f"{base.shape} {axes} {text} {shape}")


def test_squeeze_of_0_d():
    a, x = gnd.from_numpy(np.array(3.0)), np.array(3.0)
    for axis in (0, -1):
        same = gnd.squeeze(a, axis)
        check_view(a, x, same, x.squeeze(axis), axis)
    for axes in (1, -2, (0, -1)):
        with pytest.raises(gnd.Error) as error:
            gnd.squeeze(a, axes)
        assert error.value.code == gnd.ERROR_AXIS


SHAPES_OF_NOTHING = [(0,), (0, 3), (3, 0), (2, 0, 3), (0, 0), (5, 0, 2), (0, 1)]


@pytest.mark.parametrize("shape", SHAPES_OF_NOTHING)
def test_strides_of_empty_arrays_in_another_shape(shape):
    x, a = np.zeros(shape), gnd.zeros(shape, "float64")
    assert a.strides == x.strides
    for other in SHAPES_OF_NOTHING:
        assert gnd.reshape(a, other).strides == x.reshape(other).strides, other
        for order in "CFA":
            got = gnd.reshape_order(a, other, order.encode())
            assert got.strides == x.reshape(other, order=order).strides, (other, order)
    assert gnd.flatten(a).strides == x.flatten().strides
    if len(shape) > 1:
        assert gnd.ravel(a).strides == x.ravel().strides
