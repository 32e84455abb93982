"""Products of complex numbers with infinities, NaN and zeros: prod, nanprod, cumprod, nancumprod, multiply's
methods and fused products against NumPy, which multiplies in the order of the elements. In that order it is
decided which part of a product is infinite and which is NaN."""

import warnings

import numpy as np
import pytest

import gnd
from conftest import on_gpu
from fused import fused

COMPLEX = ["complex64", "complex128"]
LENGTHS = [0, 1, 2, 3, 7, 8, 9, 33, 64, 65, 130, 1000]
IN_ORDER = 1024  # elements of a line: beyond them a product that is not finite is nan + nan j
INF, NAN = np.inf, np.nan
SPECIAL = [complex(INF, 0), complex(0, -INF), complex(-INF, INF), complex(INF, NAN), complex(NAN, 0),
           complex(NAN, NAN), complex(-0.0, 0), complex(0, -0.0), 0, 1, complex(1, -0.0), -1, 1j,
           complex(INF, 1), complex(1, -INF)]


def quiet(function, *arguments, **options):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


def numbers(shape, dtype, seed, share=0.0, last=3):
    """Numbers of magnitude 1, among them special ones: some anywhere, and some among the `last` of an axis."""
    g = np.random.default_rng(seed)
    x = np.exp(1j * g.uniform(0, 6.28, shape))
    x = np.where(g.random(shape) < 0.3, g.choice([1, -1, 1j], shape), x)
    special = g.random(shape) < share
    for axis, n in enumerate(shape):
        behind = np.arange(n).reshape([-1 if a == axis else 1 for a in range(len(shape))]) >= n - last
        special |= behind & (g.random(shape) < 0.15)
    x[special] = g.choice(np.array(SPECIAL), int(special.sum()))
    return x.astype(dtype)


def assert_product(got, want):
    """The same parts infinite and NaN; the others equal but for rounding."""
    actual, want = got.numpy(), np.asarray(want)
    assert actual.dtype == want.dtype and actual.shape == want.shape
    a, b = actual.reshape(-1).view(actual.real.dtype), want.reshape(-1).view(actual.real.dtype)
    good = (a == b) | (np.isnan(a) & np.isnan(b))
    number = np.isfinite(a) & np.isfinite(b)
    error = 300 * np.finfo(a.dtype).eps  # elements have magnitude 1
    good[number] = np.abs(a[number] - b[number]) <= error * np.maximum(1, np.abs(b[number]))
    if not good.all():
        at = int(np.argmin(good)) // 2
        raise AssertionError(f"{(~good).sum()} parts differ, first {actual.reshape(-1)[at]}, not "
                             f"{want.reshape(-1)[at]}")


# ---- reductions -----------------------------------------------------------------------------------------

REDUCTIONS = {"prod": (gnd.prod, np.prod), "nanprod": (gnd.nanprod, np.nanprod),
              "reduce": (lambda a, axes: gnd.reduce("multiply", a, axes), np.multiply.reduce)}
SHAPES = [(3, 5), (40, 9), (9, 40), (300, 3), (3, 300), (1000, 2), (2, 1000), (33, 31), (7, 1), (5000, 1), (1, 5000),
          (6000, 2), (2, 6000), (900, 70), (70, 900), (0, 3), (3, 0)]


def layouts(x):
    """The same numbers as gnd has them, in several layouts, and as NumPy has them."""
    a = gnd.from_numpy(x)
    yield a, x
    yield gnd.transpose(a), x.T
    yield gnd.slice_text(a, "::-1, ::2"), x[::-1, ::2]


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("n", LENGTHS)
def test_lines(n, dtype, name):
    ours, numpys = REDUCTIONS[name]
    for seed in range(30):
        x = numbers((n,), dtype, seed, share=0.05 if seed % 4 == 3 else 0)
        a = gnd.from_numpy(x)
        assert_product(ours(a, gnd.Axes(0)), quiet(numpys, x))
        assert_product(ours(gnd.slice_text(a, "::-2"), gnd.Axes(0)), quiet(numpys, x[::-2]))


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", SHAPES)
def test_axes(shape, dtype, name):
    ours, numpys = REDUCTIONS[name]
    for a, x in layouts(numbers(shape, dtype, sum(shape))):
        for axis in (0, 1):
            if x.shape[axis] <= IN_ORDER:
                assert_product(ours(a, gnd.Axes(axis)), quiet(numpys, x, axis=axis))
        if x.size <= IN_ORDER:
            assert_product(ours(a, gnd.Axes()), quiet(numpys, x, axis=None))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("width", [9, 15, 16, 31, 33, 63, 64, 65, 71, 96, 100, 129, 200, 515])
@pytest.mark.skipif(on_gpu(), reason="on a GPU finite products are folded as trees")
def test_columns_in_order(width, dtype):
    """Products along axes before the last one, to the bit: each factor after the one before."""
    x = np.exp(1j * np.random.default_rng(width).uniform(0, 6.28, (5, 40, width))).astype(dtype)
    for step in (1, -1):
        a, y = gnd.slice_text(gnd.from_numpy(x), f"::{step}, ::{step}"), x[::step, ::step]
        for axes, rows in (((0,), y), ((1,), y.swapaxes(0, 1)), ((0, 1), y.reshape(200, width))):
            re, im = rows[0].real, rows[0].imag
            for row in rows[1:]:
                re, im = re * row.real - im * row.imag, re * row.imag + im * row.real
            got = gnd.prod(a, gnd.Axes(*axes)).numpy()
            assert np.array_equal(got.real, re) and np.array_equal(got.imag, im), (step, axes)


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_several_axes(dtype, name):
    ours, numpys = REDUCTIONS[name]
    x = numbers((5, 7, 6, 3), dtype, 1, last=2)
    for axes in ((0, 1), (1, 3), (0, 2, 3), (2, 1), (3, 0)):
        assert_product(ours(gnd.from_numpy(x), gnd.Axes(*axes)), quiet(numpys, x, axis=axes))


@pytest.mark.parametrize("name", REDUCTIONS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", [(6, 7), (50, 40), (3, 1000), (1000, 3), (1, 9)])
def test_options(shape, dtype, name):
    """where, initial and dtype."""
    ours, numpys = REDUCTIONS[name]
    g = np.random.default_rng(sum(shape))
    x, where = numbers(shape, dtype, sum(shape)), g.random(shape) < 0.7
    for axis in (0, 1):
        for start in [None] + SPECIAL:
            more = {} if start is None else {"initial": np.array(start, dtype)}
            given = {k: gnd.from_numpy(v) for k, v in more.items()}
            assert_product(ours(gnd.from_numpy(x), gnd.Axes(axis, **given)), quiet(numpys, x, axis=axis, **more))
            assert_product(ours(gnd.from_numpy(x), gnd.Axes(axis, where=gnd.from_numpy(where), **given)),
                           quiet(numpys, x, axis=axis, where=where, **more))
    for source in ("complex64", "float32", "float64", "float16"):
        y = quiet(lambda: (x if source == "complex64" else x.real).astype(source))
        for axis in (0, 1):
            assert_product(ours(gnd.from_numpy(y), gnd.Axes(axis, dtype="complex128")),
                           quiet(numpys, y, axis=axis, dtype="complex128"))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("n", [1025, 5000, 300_000])
def test_long_lines(n, dtype):
    """Not finite where NumPy's is not, then nan + nan j; finite else."""
    for seed, at in enumerate([0, 1, n // 2, n - 200, n - 5]):
        x = np.exp(1j * np.random.default_rng(seed).uniform(0, 6.28, (n, 2))).astype(dtype)
        for value in (INF, complex(NAN, 1), complex(1, -INF), complex(INF, INF)):
            x[at, 0] = value
            for a, axis in ((x, 0), (np.ascontiguousarray(x.T), 1)):
                got = gnd.prod(gnd.from_numpy(a), gnd.Axes(axis)).numpy()
                assert np.isnan(got[0].real) and np.isnan(got[0].imag)
                assert np.isclose(got[1], np.prod(x[:, 1]), rtol=1e-2 if dtype == "complex64" else 1e-8)


@pytest.mark.parametrize("name", ["prod", "nanprod"])
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", [(1, 3), (9, 8), (300, 40), (40, 300), (1000, 3)])
def test_fused(shape, dtype, name):
    ours, numpys = REDUCTIONS[name]
    x = numbers(shape, dtype, sum(shape))
    a = gnd.from_numpy(x)
    for axis in (0, 1):
        got = fused(lambda: ours(gnd.conjugate(a), gnd.Axes(axis)))
        assert_product(got, quiet(numpys, np.conj(x), axis=axis))
        got = fused(lambda: gnd.negative(ours(gnd.conjugate(a), gnd.Axes(axis))))
        assert_product(got, -quiet(numpys, np.conj(x), axis=axis))


# ---- scans ----------------------------------------------------------------------------------------------


def running(x, axis):
    return np.multiply.accumulate(x, axis)


SCANS = {"cumprod": (gnd.cumprod, np.cumprod), "nancumprod": (gnd.nancumprod, np.nancumprod),
         "accumulate": (lambda a, axes: gnd.accumulate("multiply", a, axes), running)}


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("n", LENGTHS[1:] + [5000, 70_000])
def test_running_lines(n, dtype, name):
    ours, numpys = SCANS[name]
    for seed in range(20 if n <= 1000 else 6):
        x = numbers((n,), dtype, seed, share=0.02 if seed % 4 == 3 else 0, last=3 + seed % 3 * (n // 4))
        a = gnd.from_numpy(x)
        assert_running(ours(a, gnd.Axes(0)), quiet(numpys, x, axis=0))
        assert_running(ours(gnd.slice_text(a, "::-2"), gnd.Axes(0)), quiet(numpys, x[::-2], axis=0))


def assert_running(got, want):
    """Rounding errors grow along a line."""
    assert got.dtype == want.dtype.name and got.shape == want.shape
    a, b = (np.ascontiguousarray(y).reshape(-1).view(want.real.dtype) for y in (got.numpy(), want))
    number = np.isfinite(a) & np.isfinite(b)
    good = (a == b) | (np.isnan(a) & np.isnan(b))
    good[number] = np.abs(a[number] - b[number]) <= (1e-2 if want.dtype == np.complex64 else 1e-9)
    assert good.all(), f"{(~good).sum()} of {good.size} parts differ, first part {np.argmin(good)} is " \
        f"{a[np.argmin(good)]}, not {b[np.argmin(good)]}"


@pytest.mark.parametrize("name", SCANS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if 0 not in shape] + [(40_000, 3), (3, 40_000)])
def test_running_axes(shape, dtype, name):
    ours, numpys = SCANS[name]
    for a, x in layouts(numbers(shape, dtype, sum(shape), last=4)):
        for axis in (0, 1):
            want = quiet(numpys, x, axis=axis)
            assert_running(ours(a, gnd.Axes(axis)), want)
            out = gnd.copy(a)
            ours(out, gnd.Axes(axis, out=out))
            assert_running(out, want)


# ---- reduceat -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", [(200, 3), (3, 200), (9, 300), (3000, 40), (3000, 2)])
def test_segments(shape, dtype):
    g = np.random.default_rng(sum(shape))
    for axis in (0, 1):
        n = shape[axis]
        x = numbers(shape, dtype, sum(shape), share=0.02)
        for count in (1, n // 3 + 1, 20):
            starts = np.sort(g.integers(0, n, count))
            ends = np.append(starts[1:], n)
            if (ends - starts).max() > IN_ORDER:
                starts = np.arange(0, n, IN_ORDER)
            got = gnd.reduceat("multiply", gnd.from_numpy(x), gnd.from_numpy(starts), gnd.Axes(axis))
            assert_product(got, quiet(np.multiply.reduceat, x, starts, axis=axis))
