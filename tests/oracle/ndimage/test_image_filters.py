"""Filters of pictures and fields against scipy.ndimage's: dimensions 1 to 4, dtypes, modes, origins, axes, outputs,
widths around the sizes of tiles, strides, and what is refused."""

import ctypes
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import dtypes
import gnd
from check import refused
from images import MODES, close, numbers, options
from values import generator

REAL = [d for d in dtypes.NAMES if d not in dtypes.COMPLEX]
SHAPES = [(1,), (5,), (300,), (1, 1), (7, 3), (65, 70), (130, 33), (4, 150), (3, 66, 65), (9, 5, 4), (2, 3, 9, 8)]
HELD = ["uint8", "int16", "int32", "float32", "float64"]


def picture(g, shape, dtype):
    """Values of a dtype, in strides."""
    step = [1, 2, -1][g.integers(3)]
    base = g.normal(0, 40, [2 * n if step == 2 else n for n in shape])
    if dtype == "bool":
        base = base > 0
    elif np.dtype(dtype).kind == "u":
        base = np.abs(base)
    elif dtype.startswith("complex"):
        base = base + 1j * g.normal(0, 40, base.shape)
    base = base.astype(dtype)
    index = (slice(None, None, step),) * len(shape)
    return gnd.from_numpy(base)[", ".join([f"::{step}"] * len(shape))], base[index]


def each_mode(g, ndim):
    """A mode of all axes, or one of each."""
    modes = list(MODES)
    return modes[g.integers(len(modes))] if g.random() < 0.7 else [modes[g.integers(len(modes))] for _ in range(ndim)]


# ---- linear filters -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", HELD)
def test_correlate1d(shape, dtype):
    g = generator("correlate1d", shape, dtype)
    for size in (1, 2, 3, 5, 8, 9, 16, 17, 40, 101, 151, 300):
        a, x = picture(g, shape, dtype)
        w, axis = g.normal(size=size), int(g.integers(-x.ndim, x.ndim))
        mode, cval = list(MODES)[g.integers(len(MODES))], float(g.integers(-3, 4))
        origin = int(g.integers(-(size // 2), (size - 1) // 2 + 1))
        context = f"{shape} {dtype} {size} {axis} {mode} {cval} {origin}"
        o = options(mode, cval, origin, output="float64")
        close(gnd.correlate1d(a, gnd.from_numpy(w), axis, o),
              ndimage.correlate1d(x, w, axis, "float64", mode, cval, origin), context)
        if size % 2 == 0:
            origin = min(origin, size // 2 - 1)
        o = options(mode, cval, origin)
        close(gnd.convolve1d(a, gnd.from_numpy(w), axis, o),
              ndimage.convolve1d(x.astype("float64"), w, axis, None, mode, cval, origin).astype(dtype)
              if dtype in ("float32", "float64") else ndimage.convolve1d(x, w, axis, None, mode, cval, origin),
              context, ulps=512, slack=1 if dtype != "uint8" else 255)


@pytest.mark.parametrize("dtype", REAL)
def test_dtypes(dtype):
    g = generator("dtypes", dtype)
    if dtype == "bfloat16":
        return
    for shape in [(40,), (9, 14), (3, 4, 5)]:
        a, x = picture(g, shape, dtype)
        wide = x.astype("float32") if dtype == "float16" else x
        for output in ("float32", "float64"):
            close(gnd.gaussian_filter(a, 1.5, options(output=output)),
                  ndimage.gaussian_filter(wide, 1.5, output=output), f"{dtype} to {output}")
        if dtype == "float16":
            close(gnd.uniform_filter(a, numbers(3), None), ndimage.uniform_filter(wide, 3).astype("float16"), dtype)
            continue
        close(gnd.uniform_filter(a, numbers(3), None), ndimage.uniform_filter(x, 3), f"uniform {dtype}", slack=1)
        close(gnd.maximum_filter(a, numbers(4), None, None), ndimage.maximum_filter(x, 4), f"maximum {dtype}")
        close(gnd.median_filter(a, numbers(3), None, None), ndimage.median_filter(x, 3), f"median {dtype}")


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(dtype):
    g = generator("complex", dtype)
    for shape in [(40,), (9, 14), (3, 4, 5)]:
        a, x = picture(g, shape, dtype)
        w = g.normal(size=(3,) * x.ndim)
        close(gnd.gaussian_filter(a, 1.5, options("constant", 3)),
              ndimage.gaussian_filter(x, 1.5, mode="constant", cval=3), "gaussian")
        close(gnd.sobel(a, 0, None), ndimage.sobel(x, 0), "sobel")
        close(gnd.uniform_filter(a, numbers(3), None), ndimage.uniform_filter(x, 3), "uniform")
        close(gnd.laplace(a, None), ndimage.laplace(x), "laplace")
        close(gnd.image_convolve(a, gnd.from_numpy(w), options("wrap")), ndimage.convolve(x, w, mode="wrap"),
              "convolve")


def test_bfloat16():
    x = dtypes.to_bfloat16(generator("bfloat16").normal(size=(20, 30)))
    a = gnd.from_numpy(x)
    got = gnd.gaussian_filter(a, 1.0, None)
    assert got.dtype == "bfloat16"
    close(got, ndimage.gaussian_filter(dtypes.wide(x), 1.0), "bfloat16", ulps=2)


@pytest.mark.parametrize("shape", SHAPES)
def test_correlate(shape):
    g = generator("correlate", shape)
    for dtype in HELD:
        a, x = picture(g, shape, dtype)
        w = g.normal(size=[int(g.integers(1, 6)) for _ in shape])
        mode, cval = list(MODES)[g.integers(len(MODES))], float(g.integers(-3, 4))
        origin = [int(g.integers(-(n // 2), (n - 1) // 2 + 1)) for n in w.shape]
        back = [-o - (n % 2 == 0) for o, n in zip(origin, w.shape)]
        context = f"{shape} {dtype} {w.shape} {mode} {cval} {origin}"
        close(gnd.image_correlate(a, gnd.from_numpy(w), options(mode, cval, origin, output="float64")),
              ndimage.correlate(x, w, "float64", mode, cval, origin), context)
        close(gnd.image_convolve(a, gnd.from_numpy(w), options(mode, cval, back, output="float64")),
              ndimage.convolve(x, w, "float64", mode, cval, back), context)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gaussian(shape, dtype):
    g = generator("gaussian", shape, dtype)
    for sigma in (0.3, 1, 3, 12.5):
        for order in (0, 1, 2, 3):
            a, x = picture(g, shape, dtype)
            wide = x.astype("float64")
            mode, cval = each_mode(g, x.ndim), float(g.integers(0, 3))
            context = f"{shape} {dtype} {sigma} {order} {mode} {cval}"
            o = options(mode, cval, order=order)
            # Derivatives of narrow Gaussians have large weights, whose products cancel.
            impulse = np.eye(1, 201, 100)[0]
            weights = np.abs(ndimage.gaussian_filter1d(impulse, sigma, order=order)).sum()
            close(gnd.gaussian_filter(a, float(sigma), o),
                  ndimage.gaussian_filter(wide, sigma, order, mode=mode, cval=cval), context,
                  scale=40 * max(1, weights)**x.ndim)
        one = mode if isinstance(mode, str) else mode[0]
        close(gnd.gaussian_filter1d(a, float(sigma), 0, options(one, cval, order=1, truncate=2.5)),
              ndimage.gaussian_filter1d(wide, sigma, 0, 1, mode=one, cval=cval, truncate=2.5), context, scale=40)
        close(gnd.gaussian_filter(a, float(sigma), options(radius=4)), ndimage.gaussian_filter(wide, sigma, radius=4),
              context)
    sigmas = [float(s) for s in g.uniform(0.5, 2, len(shape))]
    close(gnd.gaussian_filter(a, 0.0, options(sigmas=sigmas)), ndimage.gaussian_filter(wide, sigmas), f"{sigmas}")
    close(gnd.gaussian_filter(a, 0.0, None), x, "no sigma")


# Pictures whose rows begin at multiples of 16 bytes have kernels of their own on a GPU: for windows of the usual odd
# sizes, sums of two filters, and Laplacians. Strips and segments end within each of these shapes.
ROWS_OF_PACKS = [(1, 4), (5, 620), (70, 64), (301, 1204), (3, 65, 520), (40, 12, 36)]


@pytest.mark.parametrize("shape", ROWS_OF_PACKS)
def test_rows_of_packs(shape):
    g = generator("rows of packs", shape)
    for radius in (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20):
        x = g.normal(0, 40, shape).astype("float32")
        a, wide = gnd.from_numpy(x), x.astype("float64")
        axes = (len(shape) - 2, len(shape) - 1)
        mode, cval = each_mode(g, 2), float(g.integers(0, 3))
        context = f"{shape} {radius} {mode} {cval}"
        o = options(mode, cval, radius=radius, axes=axes)
        scipy = {"mode": mode, "cval": cval, "axes": axes}
        sigma = radius / 3.5
        close(gnd.gaussian_filter(a, sigma, o), ndimage.gaussian_filter(wide, sigma, radius=radius, **scipy), context,
              scale=40)
        size, origin = 2 * radius + 1, int(g.integers(-radius, radius + 1))
        close(gnd.uniform_filter(a, numbers(size), options(mode, cval, origin, axes=axes)),
              ndimage.uniform_filter(wide, size, origin=origin, **scipy), f"{context} mean at {origin}", scale=40)
        for name in ("maximum_filter", "minimum_filter"):
            got = getattr(gnd, name)(a, numbers(size), None, options(mode, cval, origin, axes=axes)).numpy()
            want = getattr(ndimage, name)(x, size, origin=origin, **scipy)
            assert (got == want).all(), f"{context} {name} at {origin}"
        close(gnd.laplace(a, options(mode, cval, axes=axes)), ndimage.laplace(wide, **scipy), f"{context} laplace",
              scale=40)
        one = mode if isinstance(mode, str) else mode[0]
        scipy["mode"] = one
        close(gnd.gaussian_laplace(a, radius / 4, options(one, cval, axes=axes)),
              ndimage.gaussian_laplace(wide, radius / 4, **scipy), f"{context} second derivatives",
              scale=40 * max(1, (4 / radius)**2))
        for sigmas in ([radius / 4, 0.0], [0.0, radius / 4]):
            close(gnd.gaussian_laplace(a, 0.0, options(one, cval, axes=axes, sigmas=sigmas)),
                  ndimage.gaussian_laplace(wide, sigmas, **scipy), f"{context} {sigmas}",
                  scale=40 * max(1, (4 / radius)**2))


@pytest.mark.parametrize("shape", [(90, 128), (200, 1200)])
def test_infinities_stay_in_their_windows(shape):
    g = generator("infinities", shape)
    for radius in (1, 4, 12):
        x = g.normal(size=shape).astype("float32")
        x[g.integers(shape[0], size=3), g.integers(shape[1], size=3)] = [np.nan, np.inf, -np.inf]
        a = gnd.from_numpy(x)
        for got, want in [(gnd.gaussian_filter(a, 2.0, options(radius=radius)),
                           ndimage.gaussian_filter(x.astype("float64"), 2, radius=radius)),
                          (gnd.laplace(a, None), ndimage.laplace(x.astype("float64")))]:
            got = got.numpy()
            assert (np.isnan(got) == np.isnan(want)).all() and (np.isinf(got) == np.isinf(want)).all(), radius
            held = np.isfinite(want)
            assert np.abs(got[held] - want[held]).max() < 1e-5


@pytest.mark.parametrize("dtype", ["uint8", "int32"])
def test_integers_are_cut(dtype):
    g = generator("cut", dtype)
    a, x = picture(g, (50, 60), dtype)
    close(gnd.gaussian_filter(a, 2.0, None), ndimage.gaussian_filter(x, 2.0), dtype, slack=1)
    close(gnd.uniform_filter(a, numbers((3, 5)), None), ndimage.uniform_filter(x, (3, 5)), dtype)
    close(gnd.sobel(a, 1, None), ndimage.sobel(x, 1), dtype)
    close(gnd.prewitt(a, 0, None), ndimage.prewitt(x, 0), dtype)
    close(gnd.laplace(a, None), ndimage.laplace(x), dtype)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_derivatives(shape, dtype):
    g = generator("derivatives", shape, dtype)
    for _ in range(4):
        a, x = picture(g, shape, dtype)
        wide = x.astype("float64")
        mode, cval = each_mode(g, x.ndim), float(g.integers(0, 3))
        context = f"{shape} {dtype} {mode} {cval}"
        o = options(mode, cval)
        for axis in range(-x.ndim, x.ndim):
            close(gnd.sobel(a, axis, o), ndimage.sobel(wide, axis, mode=mode, cval=cval), context, scale=40)
            close(gnd.prewitt(a, axis, o), ndimage.prewitt(wide, axis, mode=mode, cval=cval), context, scale=40)
        close(gnd.laplace(a, o), ndimage.laplace(wide, mode=mode, cval=cval), context, scale=40)
        if isinstance(mode, str):
            close(gnd.gaussian_laplace(a, 1.3, o), ndimage.gaussian_laplace(wide, 1.3, mode=mode, cval=cval), context,
                  scale=40)
            close(gnd.gaussian_gradient_magnitude(a, 1.3, o),
                  ndimage.gaussian_gradient_magnitude(wide, 1.3, mode=mode, cval=cval), context, scale=40)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_uniform(shape, dtype):
    g = generator("uniform", shape, dtype)
    for size in (1, 2, 3, 7, 8, 9, 31, 64, 150, 400):
        a, x = picture(g, shape, dtype)
        wide = x.astype("float64")
        mode, cval = each_mode(g, x.ndim), float(g.integers(0, 3))
        origin = int(g.integers(-(size // 2), (size - 1) // 2 + 1))
        ulps = 64 if size < 100 else 256  # SciPy's own sums of 400 elements are as far from the exact ones
        context = f"{shape} {dtype} {size} {mode} {cval} {origin}"
        close(gnd.uniform_filter(a, numbers(size), options(mode, cval, origin)),
              ndimage.uniform_filter(wide, size, mode=mode, cval=cval, origin=origin), context, ulps)
        one = mode if isinstance(mode, str) else mode[0]
        axis = int(g.integers(x.ndim))
        close(gnd.uniform_filter1d(a, size, axis, options(one, cval, origin)),
              ndimage.uniform_filter1d(wide, size, axis, mode=one, cval=cval, origin=origin), context, ulps)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "uint16", "int16"])
def test_means_of_small_integers(dtype):
    """The whole part of each mean, also of sums that are whole multiples of the size, or one less."""
    g = generator("means", dtype)
    info = np.iinfo(dtype)
    for size in (2, 3, 7, 9, 25, 31, 100, 127, 128, 200):
        sums = np.zeros((4, 3 * size), dtype)
        sums[0, ::size], sums[1], sums[2] = info.max, info.max, info.min
        sums[3, ::size] = min(size - 1, info.max)
        for x in (g.integers(info.min, info.max, (150, 300), dtype, endpoint=True), sums):
            for mode, cval in (("reflect", 0), ("constant", 1.0), ("constant", 0.5)):
                close(gnd.uniform_filter1d(gnd.from_numpy(x), size, -1, options(mode, cval)),
                      ndimage.uniform_filter1d(x, size, -1, mode=mode, cval=cval), f"{size} {mode} {cval}")
                close(gnd.uniform_filter(gnd.from_numpy(x), numbers(size), options(mode, cval)),
                      ndimage.uniform_filter(x, size, mode=mode, cval=cval), f"{size} {mode} {cval}")


def test_axes():
    g = generator("axes")
    a, x = picture(g, (6, 20, 30), "float64")
    for axes in [(0,), (1,), (2,), (0, 1), (2, 1), (-1, 0), (1, 2), (0, 1, 2)]:
        o = options(axes=axes)
        close(gnd.gaussian_filter(a, 1.2, o), ndimage.gaussian_filter(x, 1.2, axes=axes), f"{axes}")
        close(gnd.uniform_filter(a, numbers(4), o), ndimage.uniform_filter(x, 4, axes=axes), f"{axes}")
        close(gnd.maximum_filter(a, numbers(4), None, o), ndimage.maximum_filter(x, 4, axes=axes), f"{axes}")
        close(gnd.median_filter(a, numbers(3), None, o), ndimage.median_filter(x, 3, axes=axes), f"{axes}")
        w = g.normal(size=(3,) * len(axes))
        close(gnd.image_correlate(a, gnd.from_numpy(w), o), ndimage.correlate(x, w, axes=axes), f"{axes}")
        footprint = g.random((3,) * len(axes)) < 0.6
        footprint.flat[0] = True
        close(gnd.minimum_filter(a, numbers(None), gnd.from_numpy(footprint), o),
              ndimage.minimum_filter(x, footprint=footprint, axes=axes), f"{axes}")


@pytest.mark.parametrize("shape", [(1100, 4200), (1090, 4199), (2, 700, 2100)])
def test_many_tiles(shape):
    """Pictures of so many tiles that a GPU's block goes through several."""
    x = generator("many tiles", shape).normal(0, 40, shape).astype("float32")
    a = gnd.from_numpy(x)
    for mode in ("constant", "mirror"):
        o, axes = options(mode, 2.5, axes=(-2, -1)), (-2, -1)
        close(gnd.gaussian_filter(a, 3.0, o), ndimage.gaussian_filter(x, 3, mode=mode, cval=2.5, axes=axes), "gaussian",
              scale=40)
        close(gnd.uniform_filter(a, numbers(9), o), ndimage.uniform_filter(x, 9, mode=mode, cval=2.5, axes=axes),
              "uniform", scale=40)
        close(gnd.maximum_filter(a, numbers(15), None, o),
              ndimage.maximum_filter(x, 15, mode=mode, cval=2.5, axes=axes), "maximum", ulps=0)


# ---- extremes and ranks -------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", HELD)
def test_extremes(shape, dtype):
    g = generator("extremes", shape, dtype)
    for size in (1, 2, 3, 7, 8, 9, 15, 40, 150, 300):
        a, x = picture(g, shape, dtype)
        mode, cval = each_mode(g, x.ndim), float(g.integers(0, 3))
        origin = int(g.integers(-(size // 2), (size - 1) // 2 + 1))
        context = f"{shape} {dtype} {size} {mode} {cval} {origin}"
        o = options(mode, cval, origin)
        close(gnd.maximum_filter(a, numbers(size), None, o),
              ndimage.maximum_filter(x, size, mode=mode, cval=cval, origin=origin), context, ulps=0)
        close(gnd.minimum_filter(a, numbers(size), None, o),
              ndimage.minimum_filter(x, size, mode=mode, cval=cval, origin=origin), context, ulps=0)
        one = mode if isinstance(mode, str) else mode[0]
        axis = int(g.integers(x.ndim))
        o = options(one, cval, origin)
        close(gnd.maximum_filter1d(a, size, axis, o),
              ndimage.maximum_filter1d(x, size, axis, mode=one, cval=cval, origin=origin), context, ulps=0)
        close(gnd.minimum_filter1d(a, size, axis, o),
              ndimage.minimum_filter1d(x, size, axis, mode=one, cval=cval, origin=origin), context, ulps=0)


@pytest.mark.parametrize("shape", [s for s in SHAPES if len(s) > 1])
@pytest.mark.parametrize("dtype", HELD + ["bool"])
def test_footprints(shape, dtype):
    g = generator("footprints", shape, dtype)
    for _ in range(4):
        a, x = picture(g, shape, dtype)
        footprint = g.random([int(g.integers(1, 6)) for _ in shape]) < 0.5
        footprint.flat[-1] = True
        mode, cval = list(MODES)[g.integers(len(MODES))], float(g.integers(0, 2))
        origin = [int(g.integers(-(n // 2), (n - 1) // 2 + 1)) for n in footprint.shape]
        context = f"{shape} {dtype} {footprint.tolist()} {mode} {cval} {origin}"
        o, f = options(mode, cval, origin), gnd.from_numpy(footprint)
        close(gnd.maximum_filter(a, numbers(None), f, o),
              ndimage.maximum_filter(x, footprint=footprint, mode=mode, cval=cval, origin=origin), context, ulps=0)
        close(gnd.minimum_filter(a, numbers(None), f, o),
              ndimage.minimum_filter(x, footprint=footprint, mode=mode, cval=cval, origin=origin), context, ulps=0)
        for rank in (-2, 0, 1, footprint.sum() // 3):
            if not -footprint.sum() <= rank < footprint.sum():
                continue
            close(gnd.rank_filter(a, int(rank), numbers(None), f, o),
                  ndimage.rank_filter(x, rank, footprint=footprint, mode=mode, cval=cval, origin=origin), context,
                  ulps=0)


@pytest.mark.parametrize("shape", [s for s in SHAPES if len(s) > 1])
@pytest.mark.parametrize("dtype", HELD + ["int64", "bool"])
def test_ranks(shape, dtype):
    g = generator("ranks", shape, dtype)
    for size in (1, 2, 3, 4, 5, 9):
        if size > 5 and len(shape) > 2:
            continue
        a, x = picture(g, shape, dtype)
        mode, cval = list(MODES)[g.integers(len(MODES))], float(g.integers(0, 2))
        origin = int(g.integers(-(size // 2), (size - 1) // 2 + 1))
        context = f"{shape} {dtype} {size} {mode} {cval} {origin}"
        o = options(mode, cval, origin)
        close(gnd.median_filter(a, numbers(size), None, o),
              ndimage.median_filter(x, size, mode=mode, cval=cval, origin=origin), context, ulps=0)
        for percentile in (0, 20, -30, 50.5, 100):
            close(gnd.percentile_filter(a, float(percentile), numbers(size), None, o),
                  ndimage.percentile_filter(x, percentile, size, mode=mode, cval=cval, origin=origin), context, ulps=0)


@pytest.mark.parametrize("dtype", HELD + ["uint64"])
def test_ranks_over_tiles(dtype):
    """Small windows, which a GPU finds by networks with the border applied, in pictures of several tiles."""
    g = generator("rank tiles", dtype)
    for shape, size in itertools.product([(70, 300), (3, 40, 131), (35, 4)], [3, 5, (1, 3), (1, 5), (1, 7), (1, 9)]):
        a, x = picture(g, shape, dtype)
        size = (1,) * (len(shape) - 2) + tuple(int(n) for n in np.broadcast_to(size, 2))
        mode, cval, widest = list(MODES)[g.integers(len(MODES))], float(g.integers(0, 3)), int(np.max(size))
        origin = [int(g.integers(-(n // 2), (n - 1) // 2 + 1)) for n in size]
        o, context = options(mode, cval, origin), f"{shape} {size} {mode} {cval} {origin}"
        close(gnd.median_filter(a, numbers(size), None, o),
              ndimage.median_filter(x, size, mode=mode, cval=cval, origin=origin), context, ulps=0)
        for rank in (1, widest // 2 + 1):
            close(gnd.rank_filter(a, rank, numbers(size), None, o),
                  ndimage.rank_filter(x, rank, size, mode=mode, cval=cval, origin=origin), context, ulps=0)


def test_large_medians():
    g = generator("large medians")
    for shape, size in [((90, 80), 51), ((60, 200), (31, 8)), ((20, 30), 77)]:
        for dtype in ("uint8", "int8", "uint16"):
            x = g.integers(0, 100, shape).astype(dtype)
            close(gnd.median_filter(gnd.from_numpy(x), numbers(size), None, None), ndimage.median_filter(x, size),
                  f"{shape} {size} {dtype}")


def test_ranks_of_lines():
    g = generator("lines")
    x = g.integers(0, 100, 500)
    for size in (2, 3, 9, 40, 101):
        close(gnd.median_filter(gnd.from_numpy(x), numbers(size), None, None), ndimage.median_filter(x, size),
              f"{size}")


# ---- functions of one's own ---------------------------------------------------------------------------

FUNCTION = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
DERIVATIVE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


def test_generic_filter():
    g = generator("generic")
    spread = FUNCTION(lambda a, _: gnd.borrowed(a, lambda w: gnd.given_away(gnd.std(w, -1, 0.0))))
    for shape in [(30,), (9, 14), (4, 5, 6)]:
        for dtype in ("float32", "float64", "int32"):
            a, x = picture(g, shape, dtype)
            wide = x.astype("float64")
            for size in (2, 3, 5):
                want = ndimage.generic_filter(wide, np.std, size, mode="nearest")
                close(gnd.generic_filter(a, spread, None, numbers(size), None, options("nearest", output="float64")),
                      want, f"{shape} {dtype} {size}", ulps=64 * 2**29 if dtype == "float32" else 64)
            footprint = g.random((3,) * x.ndim) < 0.7
            footprint.flat[0] = True
            close(gnd.generic_filter(a, spread, None, numbers(None), gnd.from_numpy(footprint),
                                     options("constant", 2.0, output="float64")),
                  ndimage.generic_filter(wide, np.std, footprint=footprint, mode="constant", cval=2.0), f"{shape}",
                  ulps=64 * 2**29 if dtype == "float32" else 64)


def test_generic_filter1d():
    g = generator("generic1d")

    def differences(w):
        return gnd.given_away(gnd.subtract(w["..., 3:"], w["..., :-3"]))

    call = FUNCTION(lambda a, _: gnd.borrowed(a, differences))

    def reference(line, out):
        out[:] = line[3:] - line[:-3]

    for shape in [(30,), (9, 14), (4, 5, 6)]:
        a, x = picture(g, shape, "float64")
        for axis in range(x.ndim):
            close(gnd.generic_filter1d(a, call, None, 4, axis, options("mirror")),
                  ndimage.generic_filter1d(x, reference, 4, axis, mode="mirror"), f"{shape} {axis}")


def test_generic_derivatives():
    a, x = picture(generator("generic derivatives"), (12, 15), "float64")
    second = DERIVATIVE(lambda a, axis, o, _: gnd.borrowed(
        a, lambda v: gnd.given_away(gnd.correlate1d(v, gnd.from_numpy(np.array([1.0, -2, 1])), axis, o))))
    first = DERIVATIVE(lambda a, axis, o, _: gnd.borrowed(a, lambda v: gnd.given_away(gnd.sobel(v, axis, o))))
    close(gnd.generic_laplace(a, second, None, options("wrap")), ndimage.laplace(x, mode="wrap"), "laplace")
    close(gnd.generic_gradient_magnitude(a, first, None, options("nearest")),
          ndimage.generic_gradient_magnitude(x, ndimage.sobel, mode="nearest"), "magnitude")


# ---- nothing, and errors ------------------------------------------------------------------------------


def test_of_nothing():
    for shape in [(0,), (0, 4), (3, 0, 2)]:
        a = gnd.zeros(shape, "float32")
        for got in (gnd.gaussian_filter(a, 2.0, None), gnd.uniform_filter(a, numbers(3), None),
                    gnd.maximum_filter(a, numbers(3), None, None), gnd.median_filter(a, numbers(3), None, None),
                    gnd.laplace(a, None), gnd.sobel(a, 0, None),
                    gnd.image_correlate(a, gnd.ones((3,) * len(shape), "float32"), None)):
            assert got.shape == shape and got.dtype == "float32"


def test_of_a_number():
    a = gnd.from_numpy(np.array(3.5))
    for got in (gnd.gaussian_filter(a, 2.0, None), gnd.uniform_filter(a, numbers(3), None),
                gnd.maximum_filter(a, numbers(3), None, None), gnd.median_filter(a, numbers(3), None, None)):
        assert got.shape == () and got.numpy() == 3.5


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_property(data):
    ndim = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.integers(1, [300, 90, 20, 8][ndim - 1])) for _ in range(ndim))
    g = generator("property", shape, data.draw(st.integers(0, 1000)))
    a, x = picture(g, shape, "float64")
    size = [int(g.integers(1, 9)) for _ in shape]
    origin = [int(g.integers(-(n // 2), (n - 1) // 2 + 1)) for n in size]
    mode, cval = each_mode(g, ndim), float(g.integers(-2, 3))
    o = options(mode, cval, origin)
    close(gnd.uniform_filter(a, numbers(size), o),
          ndimage.uniform_filter(x, size, mode=mode, cval=cval, origin=origin), f"{shape} {size} {mode} {origin}")
    close(gnd.minimum_filter(a, numbers(size), None, o),
          ndimage.minimum_filter(x, size, mode=mode, cval=cval, origin=origin), f"{shape} {size} {mode} {origin}")


def test_refused():
    a, w = gnd.zeros((4, 5), "float32"), gnd.ones((3,), "float64")
    c = gnd.zeros((4, 5), "complex64")
    refused(lambda: gnd.gaussian_filter(None, 1.0, None), gnd.ERROR_INVALID, "'input' is NULL")
    refused(lambda: gnd.gaussian_filter(a, -1.0, None), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.gaussian_filter(a, 1.0, options(order=-2)), gnd.ERROR_VALUE, "-2")
    refused(lambda: gnd.gaussian_filter(a, 1.0, options(radius=-2)), gnd.ERROR_VALUE, "-2")
    refused(lambda: gnd.gaussian_filter(a, 1.0, options(order=(1, 1, 1))), gnd.ERROR_SHAPE, "3 numbers")
    refused(lambda: gnd.gaussian_filter1d(a, 0.0, 0, None), gnd.ERROR_VALUE, "positive")
    refused(lambda: gnd.gaussian_filter(a, 1.0, options(output="complex64")), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.gaussian_filter(a, 1.0, options(axes=(0, 0))), gnd.ERROR_AXIS, "")
    refused(lambda: gnd.gaussian_filter(a, 1.0, options(axes=(2,))), gnd.ERROR_AXIS, "")
    refused(lambda: gnd.correlate1d(a, w, 2, None), gnd.ERROR_AXIS, "")
    refused(lambda: gnd.correlate1d(a, None, 0, None), gnd.ERROR_INVALID, "weights")
    refused(lambda: gnd.correlate1d(a, w, 0, options(origin=2)), gnd.ERROR_VALUE, "origin of 2")
    refused(lambda: gnd.correlate1d(a, gnd.zeros((0,), "float64"), 0, None), gnd.ERROR_SHAPE, "(0,)")
    refused(lambda: gnd.correlate1d(a, gnd.zeros((3,), "complex64"), 0, None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.convolve1d(a, a, 0, None), gnd.ERROR_SHAPE, "(4, 5)")
    refused(lambda: gnd.image_correlate(a, w, None), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: gnd.image_convolve(a, gnd.ones((3, 3), "float32"), options(["wrap", "mirror"])), gnd.ERROR_INVALID,
            "other modes")
    refused(lambda: gnd.uniform_filter(a, numbers(0), None), gnd.ERROR_VALUE, "0 elements")
    refused(lambda: gnd.uniform_filter(a, numbers((1, 2, 3)), None), gnd.ERROR_SHAPE, "3 numbers")
    refused(lambda: gnd.maximum_filter(c, numbers(3), None, None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.maximum_filter(a, numbers(3), gnd.zeros((3, 3), "bool"), None), gnd.ERROR_VALUE, "no elements")
    refused(lambda: gnd.maximum_filter(a, numbers(3), gnd.ones((3,), "bool"), None), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: gnd.rank_filter(a, 9, numbers(3), None, None), gnd.ERROR_VALUE, "rank 9")
    refused(lambda: gnd.rank_filter(gnd.zeros((3,), "float16"), 1, numbers(3), None, None), gnd.ERROR_DTYPE, "float16")
    refused(lambda: gnd.percentile_filter(a, 101.0, numbers(3), None, None), gnd.ERROR_VALUE, "101")
    refused(lambda: gnd.generic_filter(a, None, None, numbers(3), None, None), gnd.ERROR_INVALID, "function")
    bad = FUNCTION(lambda a, _: gnd.given_away(gnd.zeros((2,), "float32")))
    refused(lambda: gnd.generic_filter(a, bad, None, numbers(3), None, None), gnd.ERROR_SHAPE, "(2,)")
    bad_line = gnd.STRUCTS["gnd_image_options"]()
    bad_line.mode = 99
    refused(lambda: gnd.laplace(a, bad_line), gnd.ERROR_INVALID, "mode number 99")
