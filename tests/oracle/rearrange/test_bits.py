"""Bits packed into bytes and back, against NumPy: every integer dtype, axis, order and layout, lines of any
length, and counts."""

import zlib

import numpy as np
import pytest

import dtypes
import gnd
import values
from check import assert_same, refused
from test_faults import run_with_failures

SHAPES = [(), (1,), (7,), (8,), (9,), (64,), (1000,), (0,), (3, 17), (17, 3), (0, 3), (2, 9, 5), (16, 33)]
ORDERS = {"big": gnd.BIG, "little": gnd.LITTLE}
ALL = -(2**63)  # GND_OPEN


def operand(shape, dtype, g):
    """The same array on both sides, in a random layout, half of it zeros."""
    layout = values.layouts(shape)[g.integers(len(values.layouts(shape)))]
    base = values.random_values(dtype, layout.base, g)
    base = np.where(g.random(layout.base) < 0.5, base, 0).astype(dtype)
    return gnd.view(base, layout.steps), values.apply_numpy(base, layout.steps)


@pytest.mark.parametrize("dtype", ["bool", *dtypes.INTEGERS])
def test_packbits(dtype):
    g = np.random.default_rng(zlib.crc32(dtype.encode()))
    for shape in SHAPES:
        for axis in [None, *range(-len(shape), len(shape))]:
            for order, code in ORDERS.items():
                a, x = operand(shape, dtype, g)
                got = gnd.packbits(a, gnd.FLAT if axis is None else axis, code)
                want = np.packbits(x, axis, order)
                assert_same(got, want, f"{dtype} {shape} {x.strides} {axis} {order}", strides=False)


def test_unpackbits():
    g = np.random.default_rng(5)
    for shape in SHAPES:
        for axis in [None, *range(-len(shape), len(shape))]:
            for order, code in ORDERS.items():
                for count in (None, 0, 1, 7, 8, 20, 1000, -1, -8):
                    a, x = operand(shape, "uint8", g)
                    mine = lambda: gnd.unpackbits(a, gnd.FLAT if axis is None else axis,
                                                  ALL if count is None else count, code)
                    context = f"{shape} {x.strides} {axis} {order} {count}"
                    if x.size == 0 and count and count > 0:  # NumPy leaves these as they were
                        assert (mine().numpy() == 0).all(), context
                        continue
                    try:
                        want = np.unpackbits(x, axis, count, order)
                    except ValueError:
                        with pytest.raises(gnd.Error):
                            mine()
                        continue
                    assert_same(mine(), want, context, strides=False)


def test_dense_lines():
    """Whole words, of one line and of lines side by side."""
    g = np.random.default_rng(7)
    for shape in [(16,), (4096,), (5000 * 16,), (10, 64), (64, 8), (33, 16), (7, 13, 24), (100, 1000)]:
        x = np.where(g.random(shape) < 0.5, g.integers(0, 256, shape), 0).astype("uint8")
        a = gnd.from_numpy(x)
        for axis in [None, *range(len(shape))]:
            for order, code in ORDERS.items():
                at = gnd.FLAT if axis is None else axis
                context = f"{shape} {axis} {order}"
                assert_same(gnd.packbits(a, at, code), np.packbits(x, axis, order), context)
                assert_same(gnd.unpackbits(a, at, ALL, code), np.unpackbits(x, axis, None, order), context)
                count = 8 * (x.size if axis is None else shape[axis]) - 3
                assert_same(gnd.unpackbits(a, at, count, code), np.unpackbits(x, axis, count, order), context)


def test_there_and_back():
    g = np.random.default_rng(6)
    x = g.random((300, 1001)) < 0.5
    a = gnd.from_numpy(x)
    for axis in (0, 1):
        back = gnd.unpackbits(gnd.packbits(a, axis, gnd.BIG), axis, x.shape[axis], gnd.BIG)
        assert_same(back, x.astype("uint8"))


def test_bits_refuse():
    a, f = gnd.zeros((2, 3), "uint8"), gnd.zeros((2, 3), "float32")
    refused(lambda: gnd.packbits(f, 0, gnd.BIG), gnd.ERROR_DTYPE, "float32", "gnd_packbits")
    refused(lambda: gnd.unpackbits(gnd.zeros(3, "int8"), 0, ALL, gnd.BIG), gnd.ERROR_DTYPE, "int8")
    refused(lambda: gnd.unpackbits(a, 1, -25, gnd.BIG), gnd.ERROR_VALUE, "-25", "24")
    refused(lambda: gnd.packbits(a, 2, gnd.BIG), gnd.ERROR_AXIS, "axis 2")
    refused(lambda: gnd.packbits(a, 0, 2), gnd.ERROR_INVALID, "order")
    refused(lambda: gnd.packbits(None, 0, gnd.BIG), gnd.ERROR_INVALID, "NULL")
    refused(lambda: gnd.unpackbits(None, 0, ALL, gnd.BIG), gnd.ERROR_INVALID, "NULL")


def test_out_of_memory_at_every_allocation():
    a = gnd.from_numpy(np.arange(24, dtype="uint8").reshape(3, 8))["::-1, ::2"]
    for call in (lambda: gnd.packbits(a, gnd.FLAT, gnd.BIG), lambda: gnd.packbits(a, 0, gnd.BIG),
                 lambda: gnd.unpackbits(a, gnd.FLAT, ALL, gnd.BIG)):
        result, failures = run_with_failures(call)
        assert failures > 0
        assert_same(result, call().numpy())
