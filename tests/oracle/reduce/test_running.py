"""Reductions and scans in which each step waits for the one before: the shortcuts of their steps (integer
division, powers, 16-bit neighbours and rounding), dot products of bool and products of complex numbers."""

import numpy as np
import pytest

import dtypes
import gnd

INTEGERS = dtypes.INTEGERS
SHAPES = [(700,), (40, 90), (90, 40)]


def both(name, x, axis):
    """reduce and accumulate of an operator, gnd's beside NumPy's."""
    ufunc, a = getattr(np, name), gnd.from_numpy(x)
    with np.errstate(all="ignore"):
        running = ufunc.accumulate(x, axis)
        yield gnd.accumulate(name, a, axis).numpy(), running
        exact = x.dtype != np.float16
        yield gnd.reduce(name, a, axis).numpy(), ufunc.reduce(x, axis) if exact else running.take(-1, axis)


def agree(name, x):
    """float16 is rounded at each step of both; NumPy's reduce of it is not, but its accumulate."""
    for axis in range(x.ndim):
        for view in (x, x[..., ::-1], x.repeat(2, -1)[..., ::2]):
            for got, want in both(name, view, axis):
                assert got.dtype == want.dtype
                assert np.array_equal(got, want, equal_nan=want.dtype.kind == "f"), (name, x.dtype, x.shape, axis)


@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod", "subtract"])
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_one_after_the_other(name, dtype):
    info, g = np.iinfo(dtype), np.random.default_rng(3)
    bounds = np.array([info.min, info.min + 1, info.max, info.max - 1, 0, 1, 2, 3, 7], dtype)
    if info.min < 0:
        bounds = np.append(bounds, np.array([-1, -2, -3, -7], dtype))
    for shape in SHAPES:
        agree(name, g.choice(bounds, shape))
        agree(name, g.integers(info.min, info.max, shape, dtype, endpoint=True))
    for first in bounds:  # two elements: every pair of bounds
        agree(name, np.stack([np.full(len(bounds), first), bounds]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_powers_one_after_the_other(dtype):
    g = np.random.default_rng(4)
    first = np.array([0, 1, 2, 3, 5, np.iinfo(dtype).max, np.iinfo(dtype).min, np.iinfo(dtype).max - 1], dtype)
    for high in (2, 4, 100):
        x = np.vstack([first, g.integers(0, high, (60, len(first)), dtype)])
        for y, axis in ((x, 0), (x.T.copy(), 1), *((x[:, i].copy(), 0) for i in range(len(first)))):
            for got, want in both("power", y, axis):
                assert np.array_equal(got, want), (high, axis)


@pytest.mark.parametrize("name", ["power", "float_power"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_powers_beside_one(name, dtype):
    """Where running powers come to: each step is as accurate as powers elsewhere, and as the operator alone by the
    exponents that have operators of their own."""
    g, limits = np.random.default_rng(6), np.finfo(dtype)
    start = np.concatenate([1 + limits.eps * np.arange(-1, 7), 1 - limits.epsneg * np.arange(1, 12)]).astype(dtype)
    simple = np.array([2, 3, 0.5, 1, -1], dtype)
    others = np.concatenate([g.uniform(-8.5, 8.5, 40), [1.5, -0.5, 7.5, 0, -0.0, np.inf, -np.inf, np.nan]])
    for exponents, exact in ((simple, True), (others.astype(dtype), False)):
        a, b = (x.ravel() for x in np.meshgrid(start, exponents))
        alone = getattr(gnd, name)(gnd.from_numpy(a), gnd.from_numpy(b)).numpy()
        for x, axis in ((np.stack([a, b], 1), 1), (np.stack([a, b]), 0)):
            got = [gnd.accumulate(name, gnd.from_numpy(x), axis).numpy().take(1, axis),
                   gnd.reduce(name, gnd.from_numpy(x), axis).numpy()]
            with np.errstate(all="ignore"):
                want = np.power(a.astype(np.longdouble), b.astype(np.longdouble))
            for values in got:
                if exact:
                    assert np.array_equal(values, alone), (name, dtype)
                finite = np.isfinite(want) & (want != 0)
                assert np.array_equal(values[~finite], want[~finite].astype(values.dtype), equal_nan=True)
                error = np.abs(values[finite] - want[finite]) / np.spacing(np.abs(values[finite]))
                assert error.max() <= 4, (name, dtype, axis, error.max())


SIXTEEN = np.array([0, 0x8000, 1, 0x8001, 2, 0x3ff, 0x400, 0x401, 0x8400, 0x3c00, 0xbc00, 0x7bff, 0xfbff, 0x7bfe,
                    0x7c00,
                    0xfc00, 0x7e00, 0x3555, 0x1400], np.uint16).view(np.float16)


def test_neighbours_of_float16():
    pairs = np.stack(np.meshgrid(SIXTEEN, SIXTEEN)).reshape(2, -1)
    rows = [gnd.from_numpy(row) for row in pairs]
    want = gnd.nextafter(rows[0], rows[1]).numpy()  # by the loop over dense elements
    for got in (gnd.reduce("nextafter", gnd.from_numpy(pairs.T.copy()), 1).numpy(),
                gnd.accumulate("nextafter", gnd.from_numpy(pairs.T.copy()), 1).numpy()[:, 1]):
        assert np.array_equal(got.view(np.uint16), want.view(np.uint16))
    agree("nextafter", pairs)
    g = np.random.default_rng(5)
    for shape in SHAPES:
        agree("nextafter", g.choice(SIXTEEN[:14], shape))


@pytest.mark.parametrize("name", ["subtract", "divide", "fmod", "floor_divide"])
def test_float16_is_rounded_at_each_step(name):
    g = np.random.default_rng(6)
    for scale in (1e-7, 1e-3, 1, 300, 6e4):
        for shape in SHAPES:
            agree(name, np.clip(g.standard_normal(shape) * scale, -65000, 65000).astype(np.float16))
            agree(name, (g.random(shape) + 0.9).astype(np.float16))
    large = (g.random((40, 90)) * -90).astype(np.float16)  # past the largest number in small steps
    large[0] = large[:, 0] = 64000
    agree(name, large)
    agree(name, -large)
    pairs = np.stack(np.meshgrid(SIXTEEN, SIXTEEN)).reshape(2, -1)
    agree(name, pairs)


@pytest.mark.parametrize("name", ["maximum", "minimum", "fmax", "fmin"])
def test_extremes_of_bool(name):
    g = np.random.default_rng(8)
    for shape in SHAPES:
        for often in (0.02, 0.5, 0.98):
            agree(name, g.random(shape) < often)


def test_dot_products_of_bool():
    for n in (1, 7, 63, 64, 65, 1000, 300000):
        for at in (0, n // 2, n - 1, None):
            x, y = np.zeros(n, np.uint8), np.zeros(n, np.uint8)
            x[::2], y[1::2] = 1, 1
            if at is not None:
                x[at], y[at] = 2, 4  # any byte but 0 is true
            x, y = x.view(bool), y.view(bool)
            a, b = gnd.from_numpy(x), gnd.from_numpy(y)
            assert bool(gnd.vdot(a, b).numpy()) == (at is not None)
            rows = gnd.from_numpy(np.stack([x, x[::-1], ~(x | True)]))
            want = [at is not None, bool((x[::-1].view(np.uint8).astype(bool) & y.view(np.uint8).astype(bool)).any()),
                    False]
            assert gnd.vecdot(rows, b, -1).numpy().tolist() == want
            columns = [gnd.from_numpy(np.repeat(each[:, None], 9, 1)) for each in (x, y)]
            assert gnd.vecdot(*columns, 0).numpy().tolist() == [at is not None] * 9


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_products_of_complex_numbers(dtype):
    g = np.random.default_rng(7)
    for shape in [(n,) for n in (1, 2, 3, 7, 8, 9, 31, 257)] + [(5, 3), (70, 33), (33, 70)]:
        x = np.exp(1j * g.random(shape) * 6).astype(dtype) * (1 + g.random(shape) / 50).astype(dtype)
        for axis in range(len(shape)):
            slack = 40 * shape[axis] * np.finfo(dtype).eps
            got, want = gnd.prod(gnd.from_numpy(x), axis).numpy(), np.prod(x.astype("complex128"), axis)
            assert np.allclose(got, want, rtol=slack, atol=0), (dtype, shape, axis)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_dots_of_every_length(dtype):
    """Exactly: of small integers. Lengths around vectors, chains and blocks of them."""
    g = np.random.default_rng(9)
    lengths = [*range(150), *(k + d for k in (256, 512, 1024, 2048, 4096, 8192, 65536) for d in (-1, 0, 1, 13))]
    x, y = (g.integers(-8, 9, 70000).astype(dtype) for _ in range(2))
    if np.dtype(dtype).kind == "c":
        x, y = x + 1j * g.integers(-8, 9, len(x)).astype(x.real.dtype), y - 1j * g.integers(-8, 9, len(y))
    x, y = x.astype(dtype), y.astype(dtype)
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    for n in lengths:
        assert gnd.vdot(a[f"3:{n + 3}"], b[f":{n}"]).numpy() == np.vdot(x[3:n + 3].astype("c16"), y[:n].astype("c16"))
    for n in lengths[1:90:7]:
        rows = [np.resize(each, (37, n)) for each in (x, y)]
        got = gnd.vecdot(*map(gnd.from_numpy, rows), 1).numpy()
        assert np.array_equal(got, np.vecdot(*(each.astype("c16") for each in rows), axis=1))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int32", "float16", "float64", "complex128"])
def test_any_all_and_indices_of_long_rows(dtype):
    """Rows that one element settles, anywhere: in the first bytes, in the middle, as the last one, nowhere."""
    length = 9000
    for others, one in ((0, 3), (3, 0)):
        x = np.full((150, length), others).astype(dtype)
        for row in range(149):
            x[row, (row * 61 + row // 2) % length] = np.asarray(one).astype(dtype)
        x[5, -1] = x[7, 0] = np.asarray(one).astype(dtype)
        for view in (x, x[:, ::-1], x[:, :1500], x[::3, 1:700]):
            a = gnd.from_numpy(view)
            for name in ("any", "all", "argmin", "argmax"):
                assert np.array_equal(getattr(gnd, name)(a, 1).numpy(), getattr(np, name)(view, 1)), (name, view.shape)
