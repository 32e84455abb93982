"""Sliding medians, other ranks, and the Wiener filter against SciPy."""

import itertools
import warnings

import numpy as np
import pytest
import scipy.ndimage
import scipy.signal as ss
from hypothesis import given, settings, strategies as st

import gnd

medfilt, medfilt2d = gnd.function("gnd_medfilt"), gnd.function("gnd_medfilt2d")
order_filter, wiener = gnd.function("gnd_order_filter"), gnd.function("gnd_wiener")
DTYPES = ("float32", "float64", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
g = np.random.default_rng(0)
pytestmark = pytest.mark.filterwarnings("ignore:kernel_size exceeds volume extent")


def values(shape, dtype, ties=False):
    """Random elements of the whole range of a dtype, or few different ones."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        x = g.standard_normal(shape) * 10.0 ** g.integers(-3, 4, shape)
        return (np.round(x) if ties else x).astype(dtype)
    info = np.iinfo(dtype)
    low, high = (max(info.min, -3), 4) if ties else (max(info.min, -2**52), min(info.max, 2**52))
    return g.integers(low, high, shape, endpoint=True).astype(dtype)


def same(got, want, context):
    got = got.numpy()
    assert got.shape == want.shape and got.dtype == want.dtype, (context, got.shape, want.shape, got.dtype, want.dtype)
    assert np.array_equal(got, want, equal_nan=want.dtype.kind == "f"), (context, got, want)


def by_sorting(x, domain, rank):
    """The definition: windows of zeros beyond the ends, sorted; NaN last."""
    padded = np.pad(x, [(n // 2, n // 2) for n in domain.shape])
    windows = np.lib.stride_tricks.sliding_window_view(padded, domain.shape)
    return np.sort(windows[..., domain != 0], axis=-1)[..., rank]


@pytest.mark.parametrize("dtype", DTYPES)
def test_lines(dtype):
    for n, size in itertools.product((1, 2, 7, 130, 700, 4500), (1, 3, 5, 7, 9, 11, 65)):
        if n > 1000 and size > 11:
            continue
        for ties in (False, True):
            x = values(n, dtype, ties)
            same(medfilt(gnd.from_numpy(x), (size,)), by_sorting(x, np.ones(size), size // 2), (n, size, dtype))
            if n >= size:
                same(medfilt(gnd.from_numpy(x), (size,)), ss.medfilt(x, size), (n, size, dtype, "SciPy"))


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices(dtype):
    sizes = [(3, 3), (5, 5), (1, 3), (1, 5), (1, 7), (1, 9), (3, 1), (9, 1), (3, 5), (5, 3), (7, 7), (1, 1), (13, 3)]
    for shape, size in itertools.product([(1, 1), (2, 3), (20, 140), (70, 33), (9, 257)], sizes):
        x = values(shape, dtype)
        want = ss.medfilt2d(x, size) if np.all(np.less_equal(size, shape)) else by_sorting(
            x, np.ones(size), size[0] * size[1] // 2)
        same(medfilt2d(gnd.from_numpy(x), size), want, (shape, size, dtype))
        same(medfilt(gnd.from_numpy(x), size), want, (shape, size, dtype))


def test_more_axes_and_default_sizes():
    for shape, size in [((5, 6, 7), (3, 3, 3)), ((4, 20, 150), (1, 3, 3)), ((4, 20, 30), (1, 5, 5)),
                        ((3, 4, 140), (1, 1, 5)), ((3, 9, 14), (5, 1, 3)), ((2, 3, 4, 5), (1, 3, 1, 3)),
                        ((2, 3, 8, 9), (1, 1, 3, 3)), ((3, 1, 2, 3, 4), (3, 1, 1, 1, 3))]:
        for dtype in ("float32", "float64", "int16", "uint64"):
            x = values(shape, dtype)
            same(medfilt(gnd.from_numpy(x), size), by_sorting(x, np.ones(size), np.prod(size) // 2), (shape, size))
    for shape in ((9,), (6, 7), (4, 5, 6)):
        x = values(shape, "float64")
        same(medfilt(gnd.from_numpy(x), ()), ss.medfilt(x), shape)
        same(medfilt(gnd.from_numpy(x), (5,)), ss.medfilt(x, 5), shape)
    same(medfilt2d(gnd.from_numpy(x[0]), ()), ss.medfilt2d(x[0]), "default")


def test_views():
    x = values((31, 47, 5), "float32")
    for cut in ("::-1, ::2, 0", "3:, ::-3, 2", "::2, 5:, ::-1", "1, ::-1, 3"):
        view = eval(f"np.s_[{cut}]")  # noqa: S307
        for size in (3, 5, 7):
            same(medfilt(gnd.slice(gnd.from_numpy(x), cut), (size,)),
                 by_sorting(x[view], np.ones((size,) * x[view].ndim), size**x[view].ndim // 2), (cut, size))
    same(medfilt(gnd.transpose(gnd.from_numpy(x)), (1, 5, 1)), by_sorting(x.T, np.ones((1, 5, 1)), 2), "transposed")
    row = gnd.broadcast_to(gnd.from_numpy(x[0, :, 0]), (12, 47))
    same(medfilt(row, (3,)), by_sorting(np.broadcast_to(x[0, :, 0], (12, 47)), np.ones((3, 3)), 4), "repeated")


@pytest.mark.parametrize("dtype", DTYPES)
def test_ranks_and_domains(dtype):
    for shape, size in [((40,), (5,)), ((300,), (9,)), ((12, 140), (3, 3)), ((30, 31), (5, 5)), ((20, 21), (7, 3)),
                        ((4, 5, 6), (3, 1, 3))]:
        x, count = values(shape, dtype, ties=True), int(np.prod(size))
        for domain in (np.ones(size), (g.random(size) < 0.6) * 2.5, np.eye(size[0])[:, :size[-1]] if len(size) == 2 else
                       np.ones(size, bool)):
            if domain.shape != size or not domain.any():
                continue
            count = int((domain != 0).sum())
            for rank in {0, count - 1, count // 2, -1, -count, count // 3}:
                got = order_filter(gnd.from_numpy(x), gnd.from_numpy(domain), rank)
                same(got, by_sorting(x, domain, rank), (shape, domain, rank, dtype))
                if len(shape) > 1:  # along one axis SciPy 1.17 does not heed the domain's zeros
                    same(got, ss.order_filter(x, domain, rank), (shape, domain, rank, dtype, "SciPy"))


def test_exact_integers_and_special_numbers():
    x = np.arange(2**63 - 40, 2**63, dtype="uint64").reshape(5, 8) * np.uint64(2)
    same(medfilt(gnd.from_numpy(x), (3,)), by_sorting(x, np.ones((3, 3)), 4), "uint64")
    x = g.permutation(np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, -5e-324, 1, -1] * 6))
    for dtype, size in itertools.product(("float64", "float32"), (3, 5, 7, 9, 11)):
        y = x.astype(dtype)
        same(medfilt(gnd.from_numpy(y), (size,)), by_sorting(y, np.ones(size), size // 2), (dtype, size))
        for square in (3, 5, 7):
            same(medfilt(gnd.from_numpy(y.reshape(6, 10)), (square,)),
                 by_sorting(y.reshape(6, 10), np.ones((square, square)), square**2 // 2), (dtype, square))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_windows(data):
    ndim = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.integers(1, (200, 20, 8, 5)[ndim - 1])) for _ in range(ndim))
    size = tuple(data.draw(st.sampled_from((1, 3, 5, 7) if ndim < 3 else (1, 3))) for _ in range(ndim))
    x = values(shape, data.draw(st.sampled_from(DTYPES)), data.draw(st.booleans()))
    rank = data.draw(st.integers(0, int(np.prod(size)) - 1))
    same(order_filter(gnd.from_numpy(x), gnd.from_numpy(np.ones(size)), rank), by_sorting(x, np.ones(size), rank),
         (shape, size, rank))


def test_long_windows():
    x = values(3000, "float64")
    same(medfilt(gnd.from_numpy(x), (501,)), ss.medfilt(x, 501), "long")
    y = values((60, 200), "float32")
    same(medfilt(gnd.from_numpy(y), (31,)), ss.medfilt(y, 31), "large")
    same(medfilt(gnd.from_numpy(y), (1, 101)), by_sorting(y, np.ones((1, 101)), 50), "wide")


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_windows(dtype):
    """Sorted windows in lanes, and ranks of sorted blocks: one row and several, whole and with holes, more than one
    block, and windows that are larger than the array."""
    for n, size in [(1, 65), (40, 65), (700, 101), (3000, 201), (5000, 401), (2500, 1201), (900, 1801)]:
        for ties in (False, True):
            x = values(n, dtype, ties)
            for rank in (size // 2, 1, size - 2):
                same(order_filter(gnd.from_numpy(x), gnd.from_numpy(np.ones(size)), rank),
                     by_sorting(x, np.ones(size), rank), (n, size, rank, dtype))
    for shape, size in [((5, 300), (33, 33)), ((3, 40), (1, 1301)), ((40, 3), (1301, 1)), ((3, 4, 50), (5, 11, 23))]:
        x = values(shape, dtype, True)
        for domain in (np.ones(size), g.random(size) < 0.5, g.random(size) < 0.95):
            rank = int(np.count_nonzero(domain)) // 3
            same(order_filter(gnd.from_numpy(x), gnd.from_numpy(domain), rank), by_sorting(x, domain, rank),
                 (shape, size, rank, dtype))


def test_close_keys():
    """Keys whose highest bits say nothing: most are near each other, and one is far away."""
    far = {"float64": -1e300, "float32": -1e30, "int64": -2**62, "uint64": 2**64 - 1}
    for dtype, size in itertools.product(far, (251, 1501)):
        near = g.integers(0, 5000, 4000)
        x = (1 + near * np.finfo(dtype).eps).astype(dtype) if dtype[0] == "f" else near.astype(dtype)
        x[1700] = far[dtype]
        for y in (x, np.sort(x), np.sort(x)[::-1].copy(), np.full_like(x, x[0])):
            same(medfilt(gnd.from_numpy(y), (size,)), by_sorting(y, np.ones(size), size // 2), (dtype, size))
    y = values(3000, "float64")
    y[g.integers(0, 3000, 900)] = np.nan
    y[g.integers(0, 3000, 300)] = -0.0
    same(medfilt(gnd.from_numpy(y), (301,)), by_sorting(y, np.ones(301), 150), "NaN")


def test_no_dimensions_and_no_elements():
    zero = gnd.from_numpy(np.float64(3))
    same(medfilt(zero, ()), ss.medfilt(np.float64(3)), "0-d")
    same(medfilt(zero, (1,)), np.array([3.0]), "0-d alone")
    same(order_filter(zero, gnd.from_numpy(np.float64(1)), 0), np.array(3.0), "0-d domain")
    for shape in ((0,), (3, 0), (0, 2)):
        same(medfilt(gnd.zeros(shape, "float32"), ()), np.zeros(shape, "float32"), shape)
        same(order_filter(gnd.zeros(shape, "int8"), gnd.ones((3,) * len(shape), "bool"), -1), np.zeros(shape, "int8"),
             shape)


# ---- the Wiener filter --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES + ("bool",))
def test_wiener(dtype):
    for shape, size in [((9,), ()), ((50,), (5,)), ((50,), (4,)), ((12, 17), ()), ((12, 17), (5, 3)),
                        ((12, 17), (2, 4)), ((5, 6, 7), (3,)), ((5, 6, 7), (1, 2, 5)), ((3,), (7,)), ((1,), ()),
                        ((2, 3, 2, 4), ()), ((70, 45), (5, 3)), ((2500,), (6,)), ((40, 35), (32, 33)),
                        ((1, 2500), (1, 3)), ((1, 50), (3, 3))]:
        x = g.standard_normal(shape) * 8
        x = (x > 0) if dtype == "bool" else np.abs(x).astype(dtype) if dtype[0] == "u" else x.astype(dtype)
        for noise in (None, 0.75, 0, 1e9):
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                want = ss.wiener(x, None if size == () else size[0] if len(size) == 1 else size, noise)
            got = wiener(gnd.from_numpy(x), size, noise).numpy()
            assert got.shape == want.shape and got.dtype == want.dtype, (shape, size, noise, got.dtype, want.dtype)
            good = np.isfinite(want)
            single = dtype == "float32"  # of which SciPy transforms the larger ones in float32
            assert np.allclose(got[good], want[good], rtol=1e-6 if single else 1e-9, atol=2e-6 if single else 1e-9), (
                shape, size, noise, dtype)


@pytest.mark.parametrize("dtype", ("float32", "float64"))
def test_wiener_of_many_tiles(dtype):
    """More tiles than a GPU has blocks at once, windows of each parity, and outputs at the edges of tiles."""
    for shape, size in [((1200001,), (3,)), ((1200001,), (1,)), ((1100000,), (2,)), ((2100, 611), (5, 5)),
                        ((611, 2100), (1, 4)), ((1300, 1100), (6, 1)), ((130, 140), (31, 32)), ((9000, 70), (2, 7))]:
        x = (g.standard_normal(shape) * 3 + 1).astype(dtype)
        wide = x.astype("float64")

        def means(y):
            for axis, width in enumerate(size):
                ends = [(width // 2, (width - 1) // 2) if a == axis else (0, 0) for a in range(y.ndim)]
                y = np.lib.stride_tricks.sliding_window_view(np.pad(y, ends), width, axis).sum(-1)
            return y / np.prod(size)

        m = means(wide)
        v = means((x * x).astype("float64")) - m * m
        for noise in (None, 2.5) if np.prod(size) > 1 else (2.5,):  # variances of one element are rounding errors
            level = v.mean() if noise is None else noise
            got = wiener(gnd.from_numpy(x), size, noise).numpy()
            with np.errstate(all="ignore"):
                want = np.where(v < level, m, m + (wide - m) * (1 - level / v))
            assert np.allclose(got, want, rtol=1e-9, atol=1e-9), (dtype, shape, size, noise)
            assert np.array_equal(got, wiener(gnd.from_numpy(x), size, noise).numpy()), (dtype, shape, size, noise)


def test_wiener_of_large_elements_apart():
    """A large element is in the windows around it, and leaves nothing behind in those after them."""
    x = g.standard_normal((200, 300))
    x[20, 30], x[150, 200] = 1e12, -1e12
    got, far = wiener(gnd.from_numpy(x), (5, 5), 0.5).numpy(), np.ones((200, 300), bool)
    far[18:23, 28:33] = far[148:153, 198:203] = False
    x[20, 30] = x[150, 200] = 0
    assert np.allclose(got[far], wiener(gnd.from_numpy(x), (5, 5), 0.5).numpy()[far], rtol=1e-12, atol=1e-12)


def test_wiener_of_views_halves_and_nothing():
    x = g.standard_normal((30, 40))
    got = wiener(gnd.slice(gnd.from_numpy(x), "::-2, 3::3"), (3, 5), None).numpy()
    assert np.allclose(got, ss.wiener(x[::-2, 3::3], (3, 5)), rtol=1e-10)
    assert np.allclose(wiener(gnd.transpose(gnd.from_numpy(x)), (), 0.3).numpy(), ss.wiener(x.T, None, 0.3), rtol=1e-10)
    half = x.astype("float16")
    assert np.allclose(wiener(gnd.from_numpy(half), (), 0.3).numpy(), ss.wiener(half, None, 0.3), rtol=1e-5,
                       atol=1e-5)  # SciPy transforms it in float32
    same(wiener(gnd.zeros((0, 3), "float32"), (), None), np.zeros((0, 3)), "empty")


# ---- errors -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call, words", [
    (lambda x: medfilt(x, (2,)), "axis 0 is 2; it must be odd"),
    (lambda x: medfilt(x, (3, -1)), "axis 1 is -1; it must be odd and at least 1"),
    (lambda x: medfilt(x, (3, 3, 3)), "3 sizes, but the array has 2 dimensions"),
    (lambda x: medfilt(x, (65537, 65537)), r"2\^31 elements"),
    (lambda x: medfilt(gnd.zeros((3,), "float16"), ()), "dtype is float16"),
    (lambda x: medfilt(gnd.zeros((3,), "bool"), ()), "dtype is bool"),
    (lambda x: medfilt(gnd.zeros((3,), "complex64"), ()), "dtype is complex64"),
    (lambda x: medfilt2d(gnd.zeros((3,), "float64"), ()), "two dimensions"),
    (lambda x: order_filter(x, gnd.ones((3,), "bool"), 0), "as many dimensions"),
    (lambda x: order_filter(x, gnd.ones((3, 2), "bool"), 0), "axis 1 is 2; it must be odd"),
    (lambda x: order_filter(x, gnd.ones((3, 3), "bool"), 9), "no rank 9 in a domain of 9"),
    (lambda x: order_filter(x, gnd.ones((3, 3), "bool"), -10), "no rank -10"),
    (lambda x: order_filter(x, gnd.zeros((3, 3), "bool"), 0), "domain of 0 elements"),
    (lambda x: order_filter(gnd.ones((2, 2), "bool"), x, 0), "dtype is bool"),
    (lambda x: wiener(gnd.zeros((3,), "complex64"), (), None), "must be real"),
    (lambda x: wiener(x, (), 1j), "must be a real number"),
    (lambda x: wiener(x, (0,), None), "axis 0 is 0; it must be at least 1"),
    (lambda x: wiener(x, (1, 2, 3), None), "3 sizes"),
])
def test_refused(call, words):
    with pytest.raises(gnd.Error, match=words):
        call(gnd.from_numpy(values((4, 5), "float64")))


def test_no_memory():
    """Each allocation fails once: an error and no result, and the next call works."""
    x, domain = gnd.from_numpy(values((40, 30), "float32")), gnd.from_numpy(np.eye(3))
    calls = {"gnd_medfilt": lambda: medfilt(x, ()), "gnd_order_filter": lambda: order_filter(x, domain, 1),
             "gnd_wiener": lambda: wiener(x, (), None)}
    for name, call in calls.items():
        want = call().numpy()
        for number in range(1, 40):
            gnd.lib.gndi_fail_alloc_at(number)
            try:
                got = call()
            except gnd.Error as error:
                assert error.message.startswith(name + ": "), error
            else:
                gnd.lib.gndi_fail_alloc_at(0)
                assert np.array_equal(got.numpy(), want)
            gnd.lib.gndi_fail_alloc_at(0)
