"""merge against NumPy's stable sort of both lines together: every dtype, both directions, lengths around tiles,
strides, NaN and zeros of both signs, promotion, refusals and out of memory."""

import ctypes

import numpy as np
import pytest

import dtypes
import gnd
from test_faults import run_with_failures
from test_sort import DOWN, UP, assert_bits, assert_values, generator, order_of, sample

LENGTHS = [(0, 0), (0, 5), (7, 0), (1, 1), (3, 200), (255, 258), (1024, 1025), (5000, 3), (4096, 4096), (9001, 12345)]


def in_order(x, down):
    return x[order_of(x, -1, down)]


def with_indices(a, b, direction):
    room = gnd.outputs(2)
    gnd.merge_with_indices(ctypes.addressof(room), ctypes.addressof(room) + 8, a, b, direction)
    return gnd.take(room)


def check(x, y, down, context, arrays=None):
    """Sorted lines x and y. Of equal elements x's come first, in their order: that is the stable order going up; going
    down gnd's sorts keep equal elements in their order too."""
    both = np.concatenate([x, y])
    direction = DOWN if down else UP
    a, b = arrays or (gnd.from_numpy(x), gnd.from_numpy(y))
    order = gnd.argsort(gnd.from_numpy(both), -1, direction).numpy() if len(both) else np.zeros(0, np.int64)
    if not down:
        assert np.array_equal(order, order_of(both))
    assert_values(gnd.merge(a, b, direction), both[order], context)
    got = with_indices(a, b, direction)
    assert_bits(got[1], order, context)
    assert_bits(got[0], both[order], context)


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_merge(name):
    for n, m in LENGTHS:
        for kind in ("mixed", "few", "special", "equal"):
            for down in (False, True):
                g = generator(name, n, m, kind, down)
                x, y = (in_order(sample(name, (size,), g, kind), down) for size in (n, m))
                check(x, y, down, (name, n, m, kind, down))


@pytest.mark.parametrize("name", ["bool", "int16", "float32", "complex128"])
def test_merge_of_views(name):
    """Lines that are not dense, one behind the other in memory, and reversed."""
    g = generator(name)
    x, y = (in_order(sample(name, (size,), g, "mixed"), False) for size in (700, 900))
    wide = np.repeat(x, 3)
    a = gnd.slice(gnd.from_numpy(wide), "::3")
    b = gnd.flip(gnd.from_numpy(y[::-1].copy()), -1)
    check(x, y, False, name, (a, b))
    line = gnd.from_numpy(np.concatenate([x, y]))
    check(x, y, False, name, (gnd.slice(line, ":700"), gnd.slice(line, "700:")))


def test_merge_promotes():
    x, y = np.array([-3, 1, 2], np.int8), np.array([0.5, 1, np.nan], np.float32)
    got = gnd.merge(gnd.from_numpy(x), gnd.from_numpy(y), UP)
    assert got.dtype == "float32"
    assert np.array_equal(got.numpy(), [-3, 0.5, 1, 1, 2, np.nan], equal_nan=True)


def test_lines_that_are_not_in_order_touch_no_other_memory():
    g = generator("unordered")
    x, y = g.normal(size=9000).astype("float32"), g.normal(size=7000).astype("float32")
    got, indices = with_indices(gnd.from_numpy(x), gnd.from_numpy(y), UP)
    assert np.isin(got.numpy(), np.concatenate([x, y])).all()
    assert indices.numpy().min() >= 0 and indices.numpy().max() < 16000


def test_merge_refuses():
    a, square = gnd.from_numpy(np.arange(3)), gnd.from_numpy(np.ones((2, 2)))
    wrong = [(lambda: gnd.merge(a, square, UP), gnd.ERROR_SHAPE), (lambda: gnd.merge(a, a, 7), gnd.ERROR_INVALID),
             (lambda: with_indices(square, a, UP), gnd.ERROR_SHAPE)]
    for call, code in wrong:
        with pytest.raises(gnd.Error) as error:
            call()
        assert error.value.code == code


def test_merge_without_memory():
    a, b = gnd.from_numpy(np.arange(5000, dtype="int16")), gnd.from_numpy(np.arange(4000.0))
    for call in (lambda: gnd.merge(a, b, UP), lambda: with_indices(a, b, UP)):
        call()
        result, failures = run_with_failures(call)
        assert failures
        del result
