"""Scans that go on from given values (`initial` of gnd_axes), against NumPy's of values and elements together."""

import numpy as np
import pytest

import dtypes
import gnd
import reference
import values
from test_scan import BINARY, SCANS, assert_scan, operands, quiet, sample

LONG = [(300007,), (2, 50003), (50003, 5), (5000, 130), (3, 9000, 40), (70, 3), (4001, 2, 3), (900, 17)]
SHORT = [(1,), (9,), (0,), (3, 4), (0, 3), (3, 0), (2, 3, 4), (4, 1, 5), (33, 70)]


def along(shape, axis, n):
    return tuple(n if k == axis else size for k, size in enumerate(shape))


def after(function, start):
    """The function of x with `start` in front, without the first result."""
    def call(x, axis, **options):
        first = np.abs(start) if x.dtype.kind == "f" and np.all(x >= 0) else start
        first = np.broadcast_to(first, along(x.shape, axis, 1)).astype(x.dtype)
        every = function(np.concatenate([first, x], axis), axis=axis, **options)
        return np.take(every, np.arange(1, x.shape[axis] + 1), axis)
    return call


def starts(shape, axis, name, dtype, g):
    """One for each line, one for all, and one for each index of the last other axis."""
    whole = np.abs(sample(name, dtype, along(shape, axis, 1), g)).astype(dtype)
    yield whole
    yield np.asarray(sample("cummax", "float32", (), g)).astype(dtype if dtype not in dtypes.COMPLEX else "float32")
    yield whole[(slice(0, 1),) * (len(shape) - 1)]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", SCANS)
def test_starts(name, dtype):
    g = np.random.default_rng(20)
    for shape in SHORT:
        x = sample(name, dtype, shape, g)
        a = gnd.from_numpy(x)
        for axis in range(len(shape)):
            for start in starts(shape, axis, name, dtype, g):
                start = np.where(np.isnan(start), 1, start).astype(start.dtype)
                if start.size == 0 and shape[axis] == 0:
                    continue
                got = getattr(gnd, name)(a, gnd.Axes(axis, initial=gnd.from_numpy(start)))
                assert_scan(got, x, after(SCANS[name], start), axis)


@pytest.mark.parametrize("shape", LONG)
@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "bfloat16", "float32", "float64", "complex128"])
def test_long_lines(shape, dtype):
    """Lines that are cut into blocks, scanned as rows, and scanned one by one."""
    g = np.random.default_rng(21)
    x = sample("cumsum", dtype, shape, g)
    a = gnd.from_numpy(x)
    for axis in range(len(shape)):
        start = sample("cumsum", dtype, along(shape, axis, 1), g)
        start = np.abs(start).astype(start.dtype) if dtype != "bfloat16" else start
        b = gnd.from_numpy(start)
        for name in ("cumsum", "cummin"):
            axes = gnd.Axes(axis, initial=b)
            got = getattr(gnd, name)(a, axes)
            assert_scan(got, x, after(SCANS[name], dtypes.widen(start)), axis)
            again = getattr(gnd, name)(a, axes)
            assert reference.same_values(again.numpy(), got.numpy()).all(), "other bits"


@pytest.mark.parametrize("steps", [[("permute", (2, 0, 1))], [("slice", "::-1, ::-1, ::-1")], [("slice", "::2, :, 5:")],
                                   [("permute", (1, 2, 0))]])
def test_layouts(steps):
    """Of x, of the starts and of the result."""
    g = np.random.default_rng(22)
    base = g.integers(-9, 9, (6, 30, 40)).astype("int32")
    x, a = values.apply_numpy(base, steps), gnd.view(base, steps)
    for axis in range(3):
        whole = g.integers(-99, 99, (2,) + along(x.shape, axis, 1)[::-1])
        start, b = whole[1].T, gnd.transpose(gnd.from_numpy(whole)["1"])
        want = np.cumsum(x, axis) + start
        assert np.array_equal(gnd.cumsum(a, gnd.Axes(axis, initial=b)).numpy(), want)
        for dtype in ("int64", "float64", "int32"):
            out = gnd.from_numpy(np.zeros(x.shape[::-1], dtype))
            gnd.cumsum(a, gnd.Axes(axis, initial=b, out=gnd.transpose(out)))
            assert np.array_equal(out.numpy().T, want)


def test_starts_that_are_written():
    """The starts are a part of the result's memory, and x is all of it."""
    x = np.arange(40.0).reshape(8, 5)
    for axis, text in ((0, "3:4"), (1, ":, 2:3")):
        a = gnd.from_numpy(x)
        start = x[3:4] if axis == 0 else x[:, 2:3]
        gnd.cumsum(a, gnd.Axes(axis, initial=a[text], out=a))
        assert np.array_equal(a.numpy(), np.cumsum(x, axis) + start)


def test_all_elements():
    x = np.arange(24, dtype="int16").reshape(2, 3, 4)
    for start in (np.asarray(7), np.asarray([7.9])):
        got = gnd.cumsum(gnd.view(x, [("permute", (2, 0, 1))]), gnd.Axes(initial=gnd.from_numpy(start)))
        assert np.array_equal(got.numpy(), 7 + np.cumsum(x.transpose(2, 0, 1)))
    got = gnd.cumprod(gnd.from_numpy(np.float32(3)), gnd.Axes(0, initial=gnd.from_numpy(np.float32(2))))
    assert got.shape == (1,) and got.numpy() == [6]


@pytest.mark.parametrize("row", [row for row in BINARY if "ASSOCIATIVE" in row.flags], ids=lambda row: row.name)
def test_accumulate(row):
    g = np.random.default_rng(23)
    for dtype in ("bool", "uint8", "int64", "float16", "float32", "float64", "complex64"):
        for shape, axis in (((40,), 0), ((3, 50), 1), ((50, 20), 0), ((5000, 3), 0)):
            make = sample if row.name == "multiply" else operands
            x = make(row.name, dtype, along(shape, axis, shape[axis] + 1), g)
            whole = gnd.from_numpy(x)
            try:
                want = gnd.accumulate(row.name, whole, axis).numpy()
            except gnd.Error as error:
                assert error.code == gnd.ERROR_DTYPE
                continue
            first, rest = (":1", "1:") if axis == 0 else (":, :1", ":, 1:")
            got = gnd.accumulate(row.name, whole[rest], gnd.Axes(axis, initial=whole[first])).numpy()
            want = np.take(want, np.arange(1, shape[axis] + 1), axis)
            tolerance = 2e-2 if dtype == "float16" else 2e-3
            with np.errstate(all="ignore"):
                close = np.isclose(dtypes.widen(got), dtypes.widen(want), tolerance, tolerance, equal_nan=True)
            assert np.all(close), (row.name, dtype, shape)


def test_nan_and_infinity():
    nan, inf = np.nan, np.inf
    x = np.array([[1, nan, 2], [inf, 1, -inf], [-0.0, -0.0, 0.0], [5, 6, 7]])
    for dtype in ("float32", "float64"):
        a = gnd.from_numpy(x.astype(dtype))
        for start in (nan, inf, -inf, -0.0):
            axes = gnd.Axes(1, initial=gnd.from_numpy(np.asarray(start)))
            for name in ("cumsum", "cummax", "cummin"):
                want = quiet(after(SCANS[name], np.asarray(start)), x.astype(dtype), 1)
                got = getattr(gnd, name)(a, axes).numpy()
                assert np.all(reference.same_values(got, want) | (got == want)), (name, start)


def test_refuses():
    x = gnd.from_numpy(np.arange(6.0).reshape(2, 3))

    def start(*shape):
        return gnd.from_numpy(np.ones(shape))
    for call in (gnd.cumsum, gnd.cummax, lambda x, axes: gnd.accumulate("add", x, axes)):
        for axis, b in ((0, start(2, 3)), (1, start(3)), (0, start(1, 2)), (0, start(1, 1, 3)), (1, start(0, 1))):
            with pytest.raises(gnd.Error, match="initial of shape") as caught:
                call(x, gnd.Axes(axis, initial=b))
            assert caught.value.code == gnd.ERROR_SHAPE
    with pytest.raises(gnd.Error, match="initial of shape"):
        gnd.cumsum(x, gnd.Axes(initial=start(2)))
    with pytest.raises(gnd.Error, match="not associative") as caught:
        gnd.accumulate("subtract", x, gnd.Axes(0, initial=start()))
    assert caught.value.code == gnd.ERROR_INVALID
    for call in (gnd.cumulative_sum, gnd.cumulative_prod):
        with pytest.raises(gnd.Error, match="initial") as caught:
            call(x, gnd.Axes(0, initial=start()), False)
        assert caught.value.code == gnd.ERROR_INVALID
