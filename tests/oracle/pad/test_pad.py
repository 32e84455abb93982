"""Padding in every mode against NumPy: widths for each axis, wider than the array too, statistics of parts,
end values, odd mirrors, every dtype and layout."""

import ctypes

import numpy as np
import pytest

import dtypes
import gnd
import values
from check import assert_same
from test_faults import run_with_failures
from values import generator

MODES = {"constant": gnd.PAD_CONSTANT, "edge": gnd.PAD_EDGE, "linear_ramp": gnd.PAD_LINEAR_RAMP,
         "maximum": gnd.PAD_MAXIMUM, "mean": gnd.PAD_MEAN, "median": gnd.PAD_MEDIAN,
         "minimum": gnd.PAD_MINIMUM, "reflect": gnd.PAD_REFLECT, "symmetric": gnd.PAD_SYMMETRIC,
         "wrap": gnd.PAD_WRAP, "empty": gnd.PAD_EMPTY}
SHAPES = [(), (1,), (2,), (5,), (3, 4), (1, 3), (2, 3, 2)]
DTYPES = [name for name in dtypes.NAMES if name != "bfloat16"]


def operand(shape, dtype, g, tame=False):
    """The same array on both sides, in a random layout."""
    layout = values.layouts(shape)[g.integers(len(values.layouts(shape)))]
    if tame or dtype in dtypes.COMPLEX:
        base = g.integers(0, 2 if dtype == "bool" else 50, layout.base).astype(dtype)
        if dtype in dtypes.COMPLEX:
            base = base + (1j * g.integers(-9, 9, layout.base)).astype(dtype)
    else:
        base = values.random_values(dtype, layout.base, g)
    return gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)


def widths(pairs):
    result = gnd.STRUCTS["gnd_pad_widths"]()
    result.count = len(pairs)
    for k, pair in enumerate(pairs):
        result.width[k][0], result.width[k][1] = pair
    return result


def options(mode, odd=False, value=(), length=()):
    """gnd_pad_options; `value` and `length` are lists of pairs."""
    result = gnd.STRUCTS["gnd_pad_options"]()
    result.mode, result.odd = MODES.get(mode, mode), odd
    result.values, result.lengths = len(value), len(length)
    for k, pair in enumerate(value):
        for side in range(2):
            result.value[k][side] = gnd.arg(pair[side])
    for k, pair in enumerate(length):
        for side in range(2):
            result.length[k][side] = -1 if pair[side] is None else pair[side]
    result.kept = value
    return result


def pad(a, pairs, *arguments, **named):
    return gnd.pad(a, widths(pairs), options(*arguments, **named))


def some_widths(shape, g, most):
    pairs = [(int(g.integers(0, most)), int(g.integers(0, most))) for _ in shape]
    return pairs or [(0, 0)]


def check(a, x, pairs, mode, context, near=None, odd=False, **named):
    """gnd's result against numpy.pad's."""
    keywords = {"constant": "constant_values", "linear_ramp": "end_values"}
    extra = {}
    if named.get("value"):
        extra[keywords[mode]] = named["value"] if x.ndim else named["value"][0]
    if named.get("length"):
        extra["stat_length"] = named["length"]
    if odd:
        extra["reflect_type"] = "odd"
    with np.errstate(all="ignore"):
        want = np.pad(x, pairs if x.ndim else [], mode, **extra) if x.ndim else x.copy()
    got = pad(a, pairs, mode, odd=odd, **named)
    if near is None:
        assert_same(got, want, context)
        return
    assert got.dtype == want.dtype.name and got.shape == want.shape, context
    assert np.allclose(got.numpy(), want, rtol=near, atol=near, equal_nan=True), context


@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "symmetric", "wrap"])
def test_modes_that_move_elements(mode):
    for dtype in DTYPES:
        g = generator(mode, dtype)
        for shape in SHAPES:
            for most in (2, 4, 15):
                a, x = operand(shape, dtype, g)
                pairs = some_widths(shape, g, most)
                check(a, x, pairs, mode, f"{mode} {dtype} {shape} {pairs}")
    g = generator(mode, "bfloat16")
    a, x = operand((3, 4), "bfloat16", g)
    assert_same(pad(a, [(2, 1)], mode), np.pad(x, [(2, 1)] * 2, mode))


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
def test_odd_mirrors(mode):
    for dtype in DTYPES:
        if dtype == "bool":
            continue
        g = generator(mode, dtype, "odd")
        for shape in SHAPES:
            a, x = operand(shape, dtype, g, tame=True)
            pairs = some_widths(shape, g, 9)
            check(a, x, pairs, mode, f"{mode} {dtype} {shape} {pairs}", odd=True)


def test_constants():
    g = generator("constants")
    for dtype in DTYPES:
        for shape in SHAPES[1:]:
            a, x = operand(shape, dtype, g)
            pairs = some_widths(shape, g, 4)
            value = [(int(g.integers(0, 2)), int(g.integers(0, 2))) for _ in shape]
            check(a, x, pairs, "constant", f"{dtype} {shape}", value=value)
    a, x = operand((2, 3), "float32", g)
    point = gnd.from_numpy(np.float64(2.5))
    got = pad(a, [(1, 2)], "constant", value=[(point, None)])
    assert_same(got, np.pad(x, [(1, 2)] * 2, constant_values=[(2.5, 0)] * 2))
    assert_same(gnd.pad(a, widths([(1, 1)]), None), np.pad(x, 1))
    b, y = operand((2, 0), "int8", g)
    assert_same(pad(b, [(1, 1), (2, 0)], "constant", value=[(3, 3)]),
                np.pad(y, [(1, 1), (2, 0)], constant_values=3))
    for shape in SHAPES:
        c, z = operand(shape, "int8", g)
        got = pad(c, [(1, 2)], "empty")
        assert got.shape == tuple(n + 3 for n in shape)
        inside = tuple(slice(1, n + 1) for n in shape)
        assert (got.numpy()[inside] == z).all()


def test_ramps():
    for dtype in DTYPES:
        if dtype == "bool":
            continue
        g = generator("ramp", dtype)
        near = {"float16": 1e-2, "float32": 1e-5, "complex64": 1e-5}.get(dtype, 1e-12)
        for shape in SHAPES[1:]:
            for value in ([], [(3, 7)] * len(shape), [(0, 20)] * len(shape)):
                a, x = operand(shape, dtype, g, tame=True)
                pairs = some_widths(shape, g, 6)
                check(a, x, pairs, "linear_ramp", f"{dtype} {shape} {pairs} {value}",
                      near=None if dtype in dtypes.INTEGERS else near, value=value)


@pytest.mark.parametrize("mode", ["maximum", "minimum", "mean", "median"])
def test_statistics(mode):
    for dtype in DTYPES:
        g = generator(mode, dtype)
        near = {"float16": 1e-2, "float32": 1e-5, "complex64": 1e-5}.get(dtype, 1e-12)
        exact = dtype in dtypes.INTEGERS or dtype == "bool" or mode in ("maximum", "minimum")
        for shape in SHAPES[1:]:
            for length in ([], [(1, 2)] * len(shape), [(2, 100)] * len(shape), [(None, 1)] * len(shape)):
                a, x = operand(shape, dtype, g, tame=True)
                pairs = some_widths(shape, g, 5)
                theirs = [tuple(n if n is not None else 1000 for n in p) for p in length]
                context = f"{mode} {dtype} {shape} {pairs} {length}"
                with np.errstate(all="ignore"):
                    want = np.pad(x, pairs, mode, **({"stat_length": theirs} if theirs else {}))
                got = pad(a, pairs, mode, length=length)
                if exact:
                    assert_same(got, want, context)
                else:
                    assert got.dtype == dtype and got.shape == want.shape, context
                    assert np.allclose(got.numpy(), want, rtol=near, atol=near), context


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "empty"])
def test_pads_of_bfloat16(mode):
    """NumPy has no such dtype: small whole numbers, whose sums and means it holds."""
    x = np.arange(12.0).reshape(3, 4)
    a = gnd.from_numpy(dtypes.cast(x, "bfloat16"))
    for pairs in ([(2, 3), (1, 4)], [(0, 7), (9, 0)]):
        want = dtypes.cast(np.pad(x, pairs, mode), "bfloat16")
        if mode == "linear_ramp":  # the edges that are padded themselves are rounded before
            near = np.abs(dtypes.widen(pad(a, pairs, mode).numpy()) - np.pad(x, pairs, mode))
            assert near.max() <= 2.0**-4  # half a last place of 8 to 16, twice
        else:
            assert_same(pad(a, pairs, mode), want, f"{mode} {pairs}")


def refused(call, code, *words):
    with pytest.raises(gnd.Error) as error:
        call()
    assert error.value.code == code, error.value
    for word in words + ("gnd_pad",):
        assert word in error.value.message, error.value.message


def test_pad_refuses():
    a = gnd.zeros((2, 3), "int8")
    refused(lambda: pad(a, [(1, -1)], "edge"), gnd.ERROR_VALUE, "negative", "-1")
    refused(lambda: pad(a, [(1, 1)] * 3, "edge"), gnd.ERROR_INVALID, "3 pairs of widths", "2 axes")
    refused(lambda: pad(a, [(1, 1)], 99), gnd.ERROR_INVALID, "99")
    refused(lambda: pad(a, [(2**62, 2**62)], "edge"), gnd.ERROR_MEMORY)
    refused(lambda: pad(a, [(1, 1)], "constant", value=[(300, 0)]), gnd.ERROR_VALUE, "300")
    refused(lambda: pad(a, [(1, 1)], "constant", value=[(1j, 0)]), gnd.ERROR_DTYPE, "complex")
    refused(lambda: pad(a, [(1, 1)], "constant", value=[(a, a)]), gnd.ERROR_SHAPE, "(2, 3)")
    refused(lambda: pad(a, [(1, 1)], "constant", value=[(0, 0)] * 3), gnd.ERROR_INVALID, "values")
    refused(lambda: pad(a, [(1, 1)], "maximum", length=[(0, 1)]), gnd.ERROR_VALUE, "maximum")
    refused(lambda: pad(a, [(1, 1)], "mean", length=[(-2, 1)]), gnd.ERROR_VALUE, "-2")
    for mode in MODES:
        empty = gnd.zeros((2, 0), "int8")
        if mode in ("constant", "empty"):
            continue
        refused(lambda: pad(empty, [(0, 0), (1, 0)], mode), gnd.ERROR_VALUE, "axis 1", "(2, 0)")
        assert pad(empty, [(1, 2), (0, 0)], mode).shape == (5, 0)
    refused(lambda: gnd.pad(None, widths([(1, 1)]), None), gnd.ERROR_INVALID)


@pytest.mark.parametrize("mode", MODES)
def test_out_of_memory_at_every_allocation(mode):
    x = np.arange(12.0).reshape(3, 4)
    a = gnd.from_numpy(x)
    result, failures = run_with_failures(lambda: pad(a, [(2, 3), (4, 1)], mode, odd=mode == "reflect"))
    assert failures > 0
    if mode != "empty":
        extra = {"reflect_type": "odd"} if mode == "reflect" else {}
        assert_same(result, np.pad(x, [(2, 3), (4, 1)], mode, **extra))


# ---- functions --------------------------------------------------------------------------------------------------


FUNCTION = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int64), ctypes.c_int,
                            ctypes.c_void_p)


def pad_with(a, pairs, f, mode="constant"):
    """gnd_pad with a Python function of (line, width, axis)."""
    def call(line, width, axis, context):
        line = gnd.Array(line)
        try:
            return f(line, (width[0], width[1]), axis) or 0
        finally:
            line.pointer = None  # it is borrowed
    callback = FUNCTION(call)
    given = options(mode)
    given.function = ctypes.cast(callback, ctypes.c_void_p)
    return gnd.pad(a, widths(pairs), given)


@pytest.mark.parametrize("dtype", ["int16", "float64", "complex64"])
def test_pad_by_a_function(dtype):
    """The border counts the lines, so that their order is seen; and the corners what came before."""
    g = generator("pad function", dtype)
    for shape in SHAPES + [(0,), (2, 0), (0, 3)]:
        for pairs in ([(1, 2)], [(0, 0)], [(3, 0)], [(int(p), int(q)) for p, q in g.integers(0, 4, (len(shape), 2))]):
            if not shape and len(pairs) != 1:
                continue
            a, x = operand(shape, dtype, g, tame=True)
            seen = []

            def theirs(line, width, axis, kwargs):
                seen.append((axis, tuple(width)))
                line[:width[0]] += len(seen) % 50
                if width[1]:
                    line[-width[1]:] += axis + 1

            want = np.pad(x, pairs if len(pairs) > 1 else pairs[0], theirs) if shape else x
            expected, seen = seen, []

            def mine(line, width, axis):
                seen.append((axis, width))
                before = gnd.slice_text(line, f":{width[0]}")
                gnd.add_into(before, before, len(seen) % 50)
                if width[1]:
                    behind = gnd.slice_text(line, f"-{width[1]}:")
                    gnd.add_into(behind, behind, axis + 1)

            assert_same(pad_with(a, pairs, mine), want, f"{shape} {pairs}", strides=False)
            assert seen == [(axis, tuple(int(w) for w in width)) for axis, width in expected]


def test_pad_by_a_function_that_fails():
    a = gnd.from_numpy(np.ones((2, 3)))
    for f, code, text in ((lambda *_: gnd.ERROR_VALUE, gnd.ERROR_VALUE, "status"),
                          (lambda line, *_: gnd.lib.gnd_slice(ctypes.c_void_p(line.pointer), b"9, 9") and 0,
                           gnd.ERROR_INDEX, "")):
        with pytest.raises(gnd.Error) as caught:
            pad_with(a, [(1, 1)], f)
        assert caught.value.code == code and text in caught.value.message, caught.value
    with pytest.raises(gnd.Error) as caught:
        pad_with(a, [(1, 1)], lambda *_: 0, "edge")
    assert caught.value.code == gnd.ERROR_INVALID and "function" in caught.value.message
