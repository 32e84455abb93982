"""searchsorted and digitize against NumPy: every dtype and pair of dtypes, both sides, sorters, any
layout, NaN, complex order, lines in either order, faults at the next wait, and out of memory."""

import zlib

import numpy as np
import pytest

import dtypes
import gnd
import values
from test_faults import run_with_failures

SIDES = {"left": gnd.LEFT, "right": gnd.RIGHT}


def generator(*seed):
    return np.random.default_rng(zlib.crc32(repr(seed).encode()))


def in_order(a):
    """Sorted as NumPy sorts; bfloat16 by its float32 values."""
    if dtypes.is_bfloat16(a):
        return a[np.argsort(dtypes.from_bfloat16(a), kind="stable")]
    return np.sort(a)


def check(line, wanted, context, line_array=None, wanted_array=None, sorter=None):
    line_array = gnd.from_numpy(line) if line_array is None else line_array
    wanted_array = gnd.from_numpy(wanted) if wanted_array is None else wanted_array
    for side, code in SIDES.items():
        got = gnd.searchsorted(line_array, wanted_array, code,
                               None if sorter is None else gnd.from_numpy(sorter))
        positions = None if sorter is None else sorter.astype(np.int64)
        want = np.searchsorted(dtypes.widen(line), dtypes.widen(wanted), side, positions)
        assert got.dtype == "int64" and got.shape == np.shape(wanted), context
        assert np.array_equal(got.numpy(), want), (context, side)


@pytest.mark.parametrize("name", dtypes.NAMES)
def test_searchsorted(name):
    """Lengths around powers of two, where the steps of a search change; duplicates, NaN, infinity."""
    for length in (0, 1, 2, 3, 7, 8, 9, 31, 63, 64, 65, 511, 512, 513, 1023, 1024, 1025, 5000):
        g = generator(name, length)
        line = in_order(values.random_values(name, (length,), g, 0.3))
        near = g.choice(line, 70) if length else line
        wanted = np.concatenate([near, values.random_values(name, (60,), g, 0.3), values.specials(name)])
        check(line, wanted, (name, length))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", dtypes.NAMES)
def test_searchsorted_promotes(name):
    """Compared in what the two promote to; C numbers are as strong as arrays of theirs."""
    g = generator(name, "promotes")
    for other in dtypes.NAMES:
        line = values.random_values(name, (40,), g)
        wanted = np.concatenate([dtypes.cast(dtypes.widen(g.choice(line, 20)), other),
                                 values.random_values(other, (30,), g)]) if other != "bool" else (
            g.random(9) < 0.5)
        common = gnd.promote_types(name, other)
        widest = dtypes.cast(dtypes.widen(line), common)
        line = line[np.argsort(dtypes.widen(widest), kind="stable")]
        for side, code in SIDES.items():
            got = gnd.searchsorted(gnd.from_numpy(line), gnd.from_numpy(wanted), code, None).numpy()
            want = np.searchsorted(dtypes.widen(dtypes.cast(dtypes.widen(line), common)),
                                   dtypes.widen(dtypes.cast(dtypes.widen(wanted), common)), side)
            assert np.array_equal(got, want), (name, other, side)
    line = np.sort(g.normal(size=9).astype(np.float32))
    for number in (float(line[3]), 0.1, 3, -1, True, np.inf, np.nan, 2 - 1j):
        for side, code in SIDES.items():
            got = gnd.searchsorted(gnd.from_numpy(line), number, code, None)
            assert got.shape == () and got.numpy() == np.searchsorted(line, number, side), number
    tenth = np.array([0.1], np.float32)
    assert gnd.searchsorted(gnd.from_numpy(tenth), 0.1, gnd.RIGHT, None).numpy() == 0


def test_searchsorted_layouts():
    g = generator("layouts")
    base = np.sort(g.normal(size=300)).astype(np.float32)
    a = gnd.from_numpy(base)
    wanted = g.normal(size=(12, 10)).astype(np.float32)
    for shape in ((), (5,), (12, 10), (3, 4, 5), (0,), (2, 0)):
        for layout in values.layouts(shape):
            v = values.random_values("float32", layout.base, g)
            view = values.apply_numpy(v, layout.steps)
            check(base, view, layout, wanted_array=gnd.view(v, layout.steps))
    for text in ("::2", "5::7", "10:200"):
        check(eval(f"base[{text}]"), wanted, text, a[text])
    check(base, wanted, "backwards twice", gnd.from_numpy(base[::-1])["::-1"])
    ones = np.broadcast_to(np.float32(1), (40,))
    check(ones, wanted, "broadcast", gnd.broadcast_to(gnd.from_numpy(np.float32(1)), (40,)))


@pytest.mark.parametrize("name", ["int8", "uint16", "int32", "uint64", "int64"])
def test_sorter(name):
    g = generator(name, "sorter")
    for dtype in ("float64", "int16", "complex64", "float16"):
        line = values.random_values(dtype, (90,), g, 0.2)
        order = np.argsort(line, kind="stable").astype(name)
        check(line, values.random_values(dtype, (200,), g, 0.2), (name, dtype), sorter=order)
    spread = np.zeros((90, 3), name)
    spread[:, 1] = order
    got = gnd.searchsorted(gnd.from_numpy(line), gnd.from_numpy(line), 0, gnd.from_numpy(spread)[":, 1"])
    assert np.array_equal(got.numpy(), np.searchsorted(line, line, sorter=spread[:, 1].astype(np.int64)))


@pytest.mark.parametrize("bad", [3, -1, 10**12])
def test_sorter_out_of_range(bad):
    line = gnd.from_numpy(np.arange(3.0))
    got = gnd.searchsorted(line, 1.5, gnd.LEFT, gnd.from_numpy(np.array([0, bad, bad])))
    with pytest.raises(gnd.Error) as caught:
        got.numpy()
    assert caught.value.code == gnd.ERROR_INDEX and f"index {bad} is" in caught.value.message


@pytest.mark.parametrize("name", dtypes.NAMES[:13])
def test_digitize(name):
    for trial in range(12):
        g = generator(name, trial)
        bins = in_order(values.random_values(name, (int(g.integers(0, 40)),), g, 0.1))
        if trial % 3 == 1:
            bins = bins[::-1]
        if trial % 3 == 2:
            bins = np.full(5, 1).astype(name) if name != "bfloat16" else dtypes.to_bfloat16(np.ones(5))
        if name in dtypes.FLOATS:
            bins = bins[~np.isnan(dtypes.widen(bins))]
        x = np.concatenate([bins, values.random_values(name, (50,), g, 0.3)]) if len(bins) else (
            values.random_values(name, (50,), g, 0.3))
        for right in (False, True):
            got = gnd.digitize(gnd.from_numpy(x), gnd.from_numpy(bins), right).numpy()
            want = np.digitize(dtypes.widen(x), dtypes.widen(bins), right)
            assert np.array_equal(got, want), (name, trial, right)
    assert gnd.digitize(2.5, gnd.from_numpy(np.array([1, 2, 3])), False).numpy() == 2


def test_digitize_faults():
    x = gnd.from_numpy(np.arange(4.0))
    for bins in ([1, 3, 2], [3, 1, 2, 0], [1, 1, 0, 1, 0]):
        got = gnd.digitize(x, gnd.from_numpy(np.array(bins)), False)
        with pytest.raises(gnd.Error, match="do not increase monotonically") as caught:
            got.numpy()
        assert caught.value.code == gnd.ERROR_VALUE
    assert np.array_equal(gnd.digitize(x, gnd.from_numpy(np.array([2.0])), False).numpy(), [0, 0, 1, 1])


def test_refused():
    line, matrix = gnd.from_numpy(np.arange(3.0)), gnd.from_numpy(np.zeros((2, 2)))
    whole = gnd.from_numpy(np.arange(3))
    wrong = [
        (lambda: gnd.searchsorted(matrix, 1, 0, None), gnd.ERROR_SHAPE, r"\(2, 2\).*one dimension"),
        (lambda: gnd.searchsorted(line, None, 0, None), gnd.ERROR_INVALID, "values"),
        (lambda: gnd.searchsorted(line, 1, 2, None), gnd.ERROR_INVALID, "side number 2"),
        (lambda: gnd.searchsorted(line, 1, 0, line), gnd.ERROR_DTYPE, "float64.*integers"),
        (lambda: gnd.searchsorted(line, 1, 0, whole[":2"]), gnd.ERROR_SHAPE, r"\(2,\).*\(3,\)"),
        (lambda: gnd.searchsorted(line, 1, 0, 3), gnd.ERROR_INVALID, "sorter"),
        (lambda: gnd.searchsorted(None, 1, 0, None), gnd.ERROR_INVALID, "sorted"),
        (lambda: gnd.digitize(1, matrix, False), gnd.ERROR_SHAPE, "bins"),
        (lambda: gnd.digitize(1j, line, False), gnd.ERROR_DTYPE, "complex128"),
        (lambda: gnd.digitize(1, gnd.from_numpy(np.zeros(2, "complex64")), False), gnd.ERROR_DTYPE,
         "complex64"),
        (lambda: gnd.digitize(None, line, False), gnd.ERROR_INVALID, "x must be"),
    ]
    for call, code, sentence in wrong:
        with pytest.raises(gnd.Error, match=sentence) as caught:
            call()
        assert caught.value.code == code


def test_many_values():
    """Enough for several threads or blocks, sorted and not."""
    g = generator("many")
    line = np.sort(g.integers(0, 10**6, 10**5)).astype(np.int32)
    for wanted in (g.integers(-5, 10**6 + 5, 300001).astype(np.int32), line):
        check(line, wanted, "many")


def test_no_memory():
    line, x = gnd.from_numpy(np.arange(3000.0)), gnd.from_numpy(np.arange(4000, dtype="int32"))["::2"]
    order = gnd.from_numpy(np.arange(6000) // 2)["::2"]
    for call in (lambda: gnd.searchsorted(line, x, 0, order), lambda: gnd.searchsorted(line, 2, 1, None),
                 lambda: gnd.digitize(x, line, True)):
        call()
        result, failures = run_with_failures(call)
        assert failures
        del result


@pytest.mark.parametrize("bins", [[np.nan, 3, 2, 1], [np.nan, np.nan, 2, 1], [np.nan, np.inf, 1], [np.nan, 2, 2],
                                  [np.nan, 1], [np.nan, np.nan], [np.nan], [1, 2, np.nan], [1, 1, 2, np.nan, np.nan],
                                  [3, 3], [np.inf, 1, -np.inf]])
def test_digitize_with_nan_among_the_bins(bins):
    """NaN come last in order, so in descending bins first."""
    x = np.array([0.5, 1, 1.5, 2, 2.5, 3, 3.5, np.nan, np.inf, -np.inf])
    for name in ("float32", "float64"):
        line = np.array(bins, name)
        ordered = line[::-1] if np.isnan(line[:1]).any() else line
        for right in (False, True):
            got = gnd.digitize(gnd.from_numpy(x), gnd.from_numpy(line), right).numpy()
            if np.array_equal(np.sort(ordered), ordered, equal_nan=True):
                assert np.array_equal(got, np.digitize(x, line, right)), (name, right)


@pytest.mark.parametrize("bins", [[3, 2, np.nan], [3, np.nan, 1], [2, 1, np.nan, np.nan], [np.nan, 1, 2],
                                  [1, np.nan, 2], [1, 2, np.nan, 1], [np.nan, np.nan, 1, 2], [2, np.nan, 3]])
def test_which_bins_with_nan_digitize_takes(bins):
    """NumPy's rule, by which a NaN breaks no order; what it gives of these is of no use."""
    call = lambda: gnd.digitize(gnd.from_numpy(np.ones(2)), gnd.from_numpy(np.array(bins)), False).numpy()
    try:
        np.digitize(np.ones(2), bins)
    except ValueError:
        with pytest.raises(gnd.Error) as error:
            call()
        assert error.value.code == gnd.ERROR_VALUE and "monotonically" in error.value.message
    else:
        call()
