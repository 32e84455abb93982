"""Splines at coordinates against scipy.ndimage's: orders, modes, dimensions 1 to 4, dtypes, lines shorter than the
reach of a filter, coordinates far beyond the ends, and what is refused."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import gnd
from check import refused
from conftest import on_gpu
from images import MODES, close, numbers
from test_image_filters import picture
from values import generator

SHAPES = [(1,), (2,), (9,), (300,), (1, 7), (12, 9), (70, 80), (4, 5, 6), (3, 2, 4, 5)]
FLOATS = ["float32", "float64"]


def options(mode=None, cval=0.0, output=None, filtered=False, grid_mode=False, output_shape=None):
    o = gnd.STRUCTS["gnd_interpolation_options"]()
    o.mode = MODES[mode] if mode else 0
    o.cval, o.filtered, o.grid_mode = cval, filtered, grid_mode
    if output:
        o.output = gnd.dtype_code(output)
    if output_shape:
        o.output_shape = numbers(output_shape)
    return o


def doubles(values):
    return (ctypes.c_double * len(values))(*values)


class exact:
    """scipy.ndimage with exact coefficients at reflecting ends. SciPy's sum over such a line reads its first element
    after it has changed it (_init_causal_reflect), which shows in lines of less than 20 elements."""

    @staticmethod
    def spline_filter1d(x, order=3, axis=-1, mode="mirror"):
        if mode not in ("reflect", "grid-mirror", "nearest") or order < 2 or x.shape[axis] == 1:
            return ndimage.spline_filter1d(x, order, axis, mode=mode)
        width = [(0, 0)] * x.ndim
        width[axis] = (100, 100)
        y = ndimage.spline_filter1d(np.pad(x, width, "symmetric"), order, axis)
        return np.moveaxis(np.moveaxis(y, axis, 0)[100:-100], 0, axis)

    @staticmethod
    def spline_filter(x, order=3, mode="mirror"):
        for axis in range(x.ndim):
            x = exact.spline_filter1d(x, order, axis, mode)
        return x

    def __getattr__(self, name):
        def call(x, *arguments, order=3, mode="constant", prefilter=True, **options):
            if prefilter and order > 1 and mode in ("reflect", "grid-mirror"):
                if name == "zoom" and np.all(np.array(arguments[0]) == 1):
                    return x
                for axis in arguments[1] if name == "rotate" else range(x.ndim):
                    x = exact.spline_filter1d(x, order, axis, mode)
                prefilter = False
            return getattr(ndimage, name)(x, *arguments, order=order, mode=mode, prefilter=prefilter, **options)
        return call


exactly = exact()


# ---- coefficients -------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_map_coordinates_anywhere_in_a_large_plane(mode):
    """Planes that a GPU's cache does not hold, which are read band by band; points at random and beyond both ends;
    such points among neighbours."""
    g = generator("anywhere", mode)
    shape, count = ((3600, 2600), 2_400_001) if on_gpu() else ((36, 26), 4001)
    x = g.standard_normal(shape).astype("float32")
    a = gnd.from_numpy(x)
    c = np.stack([g.uniform(-3, n + 2, count) for n in shape]).astype("float32")
    c[:, ::7] = np.round(c[:, ::7])
    c[0, ::11], c[1, ::13] = shape[0] - 1, shape[1] - 1
    for mixed in (False, True):
        if mixed:
            rows = np.linspace(0, shape[0] - 1, count)
            c[0] = np.where(g.uniform(size=count) < 0.1, c[0], rows + g.uniform(-1, 1, count))
        close(gnd.map_coordinates(a, gnd.from_numpy(c), 1, options(mode, 2.5)),
              exactly.map_coordinates(x, c, order=1, mode=mode, cval=2.5), f"{mixed} {mode}", ulps=1024)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", range(6))
def test_spline_filter(shape, order):
    g = generator("spline_filter", shape, order)
    for dtype in FLOATS + ["uint8", "complex128"]:
        for mode in MODES:
            a, x = picture(g, shape, dtype)
            axis = int(g.integers(-x.ndim, x.ndim))
            context = f"{shape} {order} {dtype} {mode} {axis}"
            close(gnd.spline_filter1d(a, order, axis, options(mode)),
                  exact.spline_filter1d(x, order, axis, mode=mode), context, ulps=256)
            if order >= 2:
                close(gnd.image_spline_filter(a, order, options(mode)), exact.spline_filter(x, order, mode=mode),
                      context, ulps=1024)
    a, x = picture(g, shape, "float32")
    close(gnd.spline_filter1d(a, order, 0, options(output="float32")), exact.spline_filter1d(x, order, 0), f"{shape}")


@pytest.mark.parametrize("mode", MODES)
def test_last_sample_alone(mode):
    """Lines whose last sample is in a tile or a run of a GPU of its own."""
    g = generator("last sample", mode)
    for shape in ((141, 40), (421, 40), (3, 71), (2, 4481)):
        x = g.normal(size=shape)
        for axis in range(2):
            for order in (2, 3, 5):
                close(gnd.spline_filter1d(gnd.from_numpy(x), order, axis, options(mode)),
                      exact.spline_filter1d(x, order, axis, mode=mode), f"{shape} {axis} {order} {mode}", ulps=256)


# ---- coordinates --------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
def test_map_coordinates_of_many_points(mode):
    """Several blocks of points of float32 on planes, on elements, between them, at both ends, and beyond."""
    g = generator("many points", mode)
    many = 1_700_000 + list(MODES).index(mode)  # a GPU's blocks have several parts each
    for shape, count in (((40, 50), 5003), ((2, 2), 1024), ((2, 7), 1025), ((1, 9), 3000), ((300, 211), 40000),
                         ((300, 211), many)):
        x = g.standard_normal(shape).astype("float32")
        c = np.stack([g.uniform(-1.5, n + 0.5, count) if k % 2 else g.uniform(0, n - 1, count)
                      for k, n in enumerate(shape)]).astype("float32")
        c[:, ::7] = np.round(c[:, ::7])
        c[0, ::11] = shape[0] - 1
        c[1, ::13] = shape[1] - 1
        close(gnd.map_coordinates(gnd.from_numpy(x), gnd.from_numpy(c), 1, options(mode, 2.5)),
              exactly.map_coordinates(x, c, order=1, mode=mode, cval=2.5), f"{shape} {count} {mode}", ulps=1024)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("order", range(6))
def test_map_coordinates(shape, order):
    g = generator("map_coordinates", shape, order)
    for mode in MODES:
        for dtype in FLOATS:
            a, x = picture(g, shape, dtype)
            far = 3 * max(shape)
            c = np.concatenate([g.uniform(-0.5, 1.5, (len(shape), 60)) * np.array(shape)[:, None],
                                g.uniform(-far, far, (len(shape), 20)),
                                g.integers(-2, max(shape) + 2, (len(shape), 20)).astype(float)], 1)
            if order % 2 == 0:
                c = np.where(np.abs(c % 1 - 0.5) < 1e-9, c + 0.1, c)
            cval = float(g.integers(-3, 3))
            context = f"{shape} {order} {mode} {dtype}"
            close(gnd.map_coordinates(a, gnd.from_numpy(c), order, options(mode, cval)),
                  exactly.map_coordinates(x.astype("float64"), c, order=order, mode=mode, cval=cval), context,
                  ulps=1024, scale=40)
            close(gnd.map_coordinates(a, gnd.from_numpy(c.reshape(len(shape), 10, -1)), order,
                                      options(mode, cval, filtered=True)),
                  exactly.map_coordinates(x.astype("float64"), c.reshape(len(shape), 10, -1), order=order, mode=mode,
                                          cval=cval, prefilter=False), context, ulps=256, scale=40)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float32", "complex64",
                                   "complex128"])
def test_dtypes(dtype):
    g = generator("interpolated dtypes", dtype)
    for order in (0, 1, 3):
        a, x = picture(g, (20, 30), dtype)
        if dtype == "bool":
            a, x = gnd.astype(a, "uint8"), x.astype("uint8")
        c = g.uniform(-1, 30, (2, 200))
        close(gnd.map_coordinates(a, gnd.from_numpy(c), order, options("mirror")),
              exactly.map_coordinates(x, c, order=order, mode="mirror"), f"{dtype} {order}", ulps=1024)
        close(gnd.map_coordinates(a, gnd.from_numpy(c.astype("float32")), order, options("nearest")),
              exactly.map_coordinates(x, c.astype("float32"), order=order, mode="nearest"), f"{dtype} {order}",
              ulps=1024)
    if dtype.startswith("complex"):
        return
    close(gnd.map_coordinates(a, gnd.from_numpy(c), 1, options(output="float64")),
          exactly.map_coordinates(x, c, order=1, output="float64"), dtype)


def test_coordinates_that_are_none():
    x = np.arange(12.0).reshape(3, 4)
    c = np.array([[np.nan, np.inf, -np.inf, 1.0], [1.0, 1.0, 1.0, 2.0]])
    for mode in ("constant", "grid-constant"):
        got = gnd.map_coordinates(gnd.from_numpy(x), gnd.from_numpy(c), 1, options(mode, 7.0)).numpy()
        assert (got == [7, 7, 7, 6]).all(), mode


# ---- affine transforms --------------------------------------------------------------------------------


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", list(MODES))
def test_affine(order, mode):
    g = generator("affine", order, mode)
    for shape, out in [((40,), (30,)), ((20, 30), (25, 22)), ((20, 30), (9,)), ((8, 9, 7), (6, 7, 9)), ((30,), (4, 5))]:
        for dtype in FLOATS:
            a, x = picture(g, shape, dtype)
            matrix, offset = g.normal(size=(len(shape), len(out))), g.normal(size=len(shape)) * 5
            close(gnd.affine_transform(a, doubles(matrix.ravel()), doubles(offset), order,
                                       options(mode, 1.5, output_shape=out)),
                  exactly.affine_transform(x.astype("float64"), matrix, offset, out, order=order, mode=mode, cval=1.5)
                  if len(shape) == len(out) else reference(x, matrix, offset, out, order, mode),
                  f"{shape} {out} {order} {mode}", ulps=1024, scale=40)


def reference(x, matrix, offset, out, order, mode):
    index = np.indices(out).reshape(len(out), -1)
    c = (matrix @ index + offset[:, None]).reshape((x.ndim,) + out)
    return exactly.map_coordinates(x.astype("float64"), c, order=order, mode=mode, cval=1.5)


@pytest.mark.parametrize("order", range(6))
@pytest.mark.parametrize("mode", list(MODES))
def test_shift_and_zoom(order, mode):
    g = generator("shift", order, mode)
    for shape in [(1,), (40,), (5, 9), (70, 66), (5, 6, 7), (2, 3, 4, 3)]:
        for dtype in FLOATS:
            a, x = picture(g, shape, dtype)
            wide = x.astype("float64")
            by = [float(b) for b in g.uniform(-4, 4, len(shape))]
            context = f"{shape} {order} {mode} {by}"
            close(gnd.shift(a, doubles(by), order, options(mode, 2.0)),
                  exactly.shift(wide, by, order=order, mode=mode, cval=2.0), context, ulps=1024, scale=40)
            whole = [float(b) for b in g.integers(-3, 4, len(shape))]
            close(gnd.shift(a, doubles(whole), order, options(mode, 2.0)),
                  exactly.shift(wide, whole, order=order, mode=mode, cval=2.0), context, ulps=1024, scale=40)
            factor = [float(f) for f in g.choice([0.5, 0.7, 1, 1.6, 2, 2.3], len(shape))]
            if order % 2 == 0:
                factor = [f + 0.0123 for f in factor]  # no ties
            close(gnd.zoom(a, doubles(factor), order, options(mode, 2.0)),
                  exactly.zoom(wide, factor, order=order, mode=mode, cval=2.0), f"{context} {factor}", ulps=1024,
                  scale=40)
            close(gnd.zoom(a, doubles(factor), order, options(mode, 2.0, grid_mode=True)),
                  exactly.zoom(wide, factor, order=order, mode=mode, cval=2.0, grid_mode=True), f"{context} {factor}",
                  ulps=1024, scale=40)
    close(gnd.zoom(a, doubles([1.0] * a.ndim), order, options(mode)), exactly.zoom(wide, 1, order=order, mode=mode),
          "the same", ulps=64)


@pytest.mark.parametrize("order", range(6))
def test_rotate(order):
    g = generator("rotate", order)
    for shape, axes in [((20, 31), (0, 1)), ((20, 31), (1, 0)), ((5, 12, 9), (0, 2)), ((5, 12, 9), (-1, -2)),
                        ((3, 4, 5, 6), (0, 3)), ((70, 75), (0, 1))]:
        for angle in (0, 30, 90, -90, 180, 270, 45, 123.4, 720.5, -17):
            for reshape in (True, False):
                mode = list(MODES)[g.integers(len(MODES))]
                a, x = picture(g, shape, FLOATS[g.integers(2)])
                if order % 2 == 0 and angle % 45 == 0:
                    continue  # ties
                got = gnd.rotate(a, float(angle), axes[0], axes[1], reshape, order, options(mode, 1.0))
                want = exactly.rotate(x.astype("float64"), angle, axes, reshape, order=order, mode=mode, cval=1.0)
                context = f"{shape} {axes} {angle} {reshape} {mode}"
                if order % 2 == 0:  # the middle may be a tie
                    far = ~np.isclose(got.numpy(), want, rtol=1e-3, atol=1e-2)
                    assert got.shape == want.shape and far.sum() <= got.size // 15 + 2, context
                    continue
                close(got, want, context, ulps=2048, scale=40)


@pytest.mark.parametrize("order", range(1, 6))
@pytest.mark.parametrize("mode", list(MODES))
def test_planes_of_several_tiles(order, mode):
    """Coefficients along both axes at once, which a GPU filters by tiles."""
    g = generator("planes", order, mode)
    for shape, dtype in [((150, 301), "float32"), ((2, 66, 264), "float32"), ((130, 97), "float64")]:
        x = g.normal(0, 40, shape).astype(dtype)
        a, wide = gnd.from_numpy(x), x.astype("float64")
        if order >= 2:
            o = options(mode, output=dtype)
            close(gnd.image_spline_filter(a, order, o), exact.spline_filter(wide, order, mode=mode), "coefficients",
                  ulps=1024, scale=40)
        by = [0.0] * (len(shape) - 2) + [10.3, -77.7]
        close(gnd.shift(a, doubles(by), order, options(mode, 2.0)),
              exactly.shift(wide, by, order=order, mode=mode, cval=2.0), f"{shape} shift", ulps=1024, scale=40)
        close(gnd.rotate(a, 33.3, -2, -1, True, order, options(mode, 2.0)),
              exactly.rotate(wide, 33.3, (-2, -1), True, order=order, mode=mode, cval=2.0), f"{shape} rotate",
              ulps=2048, scale=40)


LARGE = [(1, m) for m in MODES] + [(k, m) for k in (2, 3) for m in ("constant", "mirror")]


@pytest.mark.parametrize("order, mode", LARGE)
def test_large_planes(order, mode):
    """Maps that turn, shrink and enlarge, for which a GPU copies boxes of coefficients to shared memory."""
    g, out = generator("large planes", order, mode), (1500, 1601)
    x = g.normal(0, 40, (1300, 1399)).astype("float32")
    a, wide = gnd.from_numpy(x), x.astype("float64")
    for factor in (0.9, 1.21):
        matrix, offset = np.array([[0.8125, 0.25], [-0.3125, 0.9375]]) * factor, np.array([-5.25, 400.75])
        close(gnd.affine_transform(a, doubles(matrix.ravel()), doubles(offset), order,
                                   options(mode, 1.5, output_shape=out)),
              exactly.affine_transform(wide, matrix, offset, out, order=order, mode=mode, cval=1.5), f"{factor}",
              ulps=2048, scale=40)


def test_large_planes_in_narrow_columns():
    """Boxes of many short rows, of which a GPU's shared memory may hold fewer than their elements' size says."""
    x = generator("narrow").normal(0, 40, (19600, 8))
    for down in (11.0, 12.75):
        matrix, offset = np.array([[down, 0.25], [1e-3, 0.0]]), np.array([-5.25, 1.5])
        close(gnd.affine_transform(gnd.from_numpy(x), doubles(matrix.ravel()), doubles(offset), 1,
                                   options("constant", 1.5, output_shape=(1500, 1601))),
              ndimage.affine_transform(x, matrix, offset, (1500, 1601), order=1, cval=1.5), f"{down}", ulps=2048,
              scale=40)


def test_large_planes_turned():
    """Right angles, where coordinates are whole and some are the last element's; several planes; what is not finite
    where all weights are more than zero; integers."""
    g = generator("large planes turned")
    x = g.normal(0, 40, (1500, 1536)).astype("float32")
    a, wide = gnd.from_numpy(x), x.astype("float64")
    for angle in (90, 180, -90, 30, 211.5):
        for reshape in (False, True):
            close(gnd.rotate(a, float(angle), 0, 1, reshape, 1, options("constant", 3.0)),
                  ndimage.rotate(wide, angle, reshape=reshape, order=1, cval=3.0), f"{angle} {reshape}", ulps=2048,
                  scale=40)
    planes = g.normal(0, 40, (3, 1471, 1480)).astype("float32")
    close(gnd.rotate(gnd.from_numpy(planes), 17.0, 1, 2, False, 1, options("constant", 1.0)),
          ndimage.rotate(planes.astype("float64"), 17, (1, 2), False, order=1, cval=1.0), "planes", ulps=2048, scale=40)
    close(gnd.rotate(gnd.from_numpy(planes), 180.0, 1, 2, True, 1, options("constant", 1.0)),
          ndimage.rotate(planes.astype("float64"), 180, (1, 2), order=1, cval=1.0), "half a turn", ulps=2048, scale=40)
    counts = g.integers(0, 200, (1500, 1536)).astype("uint8")
    close(gnd.rotate(gnd.from_numpy(counts), 17.0, 0, 1, False, 1, options("constant", 1.0)),
          ndimage.rotate(counts, 17, reshape=False, order=1, cval=1.0), "uint8", slack=1)
    x[700:704, 700] = [np.inf, -np.inf, np.nan, 3.0e38]
    matrix, offset = np.array([[0.8125, 0.25], [-0.3125, 0.9375]]), np.array([-5.25, 400.75])
    got = gnd.affine_transform(gnd.from_numpy(x), doubles(matrix.ravel()), doubles(offset), 1, options("constant", 1.5))
    want = ndimage.affine_transform(x.astype("float64"), matrix, offset, order=1, cval=1.5)
    with np.errstate(invalid="ignore"):
        assert (np.isnan(got.numpy()) == np.isnan(want)).all() and (np.isinf(got.numpy()) == np.isinf(want)).all()


@pytest.mark.parametrize("mode", MODES)
def test_large_planes_straight(mode):
    """Shifts, zooms and mirrored axes, whose rows and columns a GPU places once; sizes that fill no block."""
    g = generator("straight", mode)
    for shape, dtype in [((301, 517), "float32"), ((64, 256), "float32"), ((3, 70, 130), "float32"),
                         ((1, 40), "float32"), ((200, 333), "float64"), ((90, 301), "uint8")]:
        x = g.normal(100, 40, shape).clip(0, 255).astype(dtype)
        a, wide = gnd.from_numpy(x), x.astype("float64") if dtype != "uint8" else x
        slack, ahead = 1 if dtype == "uint8" else 0, len(shape) - 2
        for by in ([10.3, -77.7], [-3.0, 5.0], [0.0, 0.5]):
            close(gnd.shift(a, doubles([0.0] * ahead + by), 1, options(mode, 2.0)),
                  ndimage.shift(wide, [0.0] * ahead + by, order=1, mode=mode, cval=2.0), f"{shape} {dtype} {by}",
                  ulps=1024, scale=40, slack=slack)
        if ahead:
            continue
        for factor in ([2.0, 2.0], [0.7, 3.1], [1.0, 1.6]):
            for grid in (False, True):
                close(gnd.zoom(a, doubles(factor), 1, options(mode, 2.0, grid_mode=grid)),
                      ndimage.zoom(wide, factor, order=1, mode=mode, cval=2.0, grid_mode=grid),
                      f"{shape} {dtype} {factor} {grid}", ulps=1024, scale=40, slack=slack)
        matrix, offset = np.array([[-1.0, 0.0], [0.0, 0.5]]), np.array([shape[0] - 1.0, -2.0])
        close(gnd.affine_transform(a, doubles(matrix.ravel()), doubles(offset), 1, options(mode, 2.0)),
              ndimage.affine_transform(wide, matrix, offset, order=1, mode=mode, cval=2.0), f"{shape} mirrored",
              ulps=1024, scale=40, slack=slack)


def test_straight_of_what_is_not_finite():
    """A weight of 0 makes a NaN of an infinity, as SciPy's does."""
    x = np.arange(48.0).reshape(6, 8).astype("float32")
    x[2, 3], x[4, 5] = np.inf, np.nan
    for by in ([0.5, 0.25], [1.0, -2.0], [0.0, 0.5]):
        got = gnd.shift(gnd.from_numpy(x), doubles(by), 1, None).numpy()
        np.testing.assert_allclose(got, ndimage.shift(x.astype("float64"), by, order=1), rtol=1e-6)


@pytest.mark.parametrize("order", [0, 1])
def test_many_coordinates(order):
    """Several points a thread of a GPU, some of them beyond the ends, and a last block that is not full."""
    g = generator("many coordinates", order)
    x = g.normal(0, 40, (150, 201)).astype("float32")
    for count in (1, 255, 1025, 5000):
        for dtype in FLOATS:
            c = (g.uniform(-0.1, 1.1, (2, count)) * np.array(x.shape)[:, None]).astype(dtype)
            for mode in ("constant", "mirror", "nearest"):
                close(gnd.map_coordinates(gnd.from_numpy(x), gnd.from_numpy(c), order, options(mode, 2.0)),
                      ndimage.map_coordinates(x.astype("float64"), c, order=order, mode=mode, cval=2.0),
                      f"{count} {dtype} {mode}", ulps=1024, scale=40)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", range(6))
def test_shift_past_the_end(order, mode):
    """Along the last axis, where a whole line is read at once, and along the first."""
    for shape in [(40,), (5, 9), (70, 66), (4, 5, 6)]:
        a, x = picture(generator("past the end", order, mode), shape, "float64")
        for by in ([0.25] * (len(shape) - 1) + [200.3], [-200.3] + [0.25] * (len(shape) - 1)):
            close(gnd.shift(a, doubles(by), order, options(mode, 2.0)),
                  exactly.shift(x, by, order=order, mode=mode, cval=2.0), f"{shape} {by}", ulps=1024, scale=40)


MAPPING = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def test_geometric_transform():
    a, x = picture(generator("geometric"), (20, 30), "float64")
    halved = MAPPING(lambda i, _: gnd.borrowed(i, lambda v: gnd.given_away(gnd.add(gnd.multiply(v, 0.5), 0.3))))
    for order in (0, 1, 3):
        close(gnd.geometric_transform(a, halved, None, order, options("reflect", output_shape=(25, 44))),
              exactly.geometric_transform(x, lambda o: (o[0] * 0.5 + 0.3, o[1] * 0.5 + 0.3), (25, 44), order=order,
                                          mode="reflect"), f"{order}", ulps=1024)
        close(gnd.geometric_transform(a, halved, None, order, None),
              exactly.geometric_transform(x, lambda o: (o[0] * 0.5 + 0.3, o[1] * 0.5 + 0.3), order=order), f"{order}",
              ulps=1024)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_property(data):
    ndim = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(1, [200, 70, 20][ndim - 1])) for _ in range(ndim))
    order, mode = data.draw(st.integers(0, 5)), data.draw(st.sampled_from(list(MODES)))
    g = generator("property", shape, order, mode)
    a, x = picture(g, shape, "float64")
    c = g.uniform(-1, 2, (ndim, 50)) * np.array(shape)[:, None]
    close(gnd.map_coordinates(a, gnd.from_numpy(c), order, options(mode, 2.0)),
          exactly.map_coordinates(x, c, order=order, mode=mode, cval=2.0), f"{shape} {order} {mode}", ulps=2048,
          scale=40)


def test_of_nothing():
    a = gnd.zeros((0, 4), "float32")
    assert gnd.shift(a, doubles([1.0, 1.0]), 3, None).shape == (0, 4)
    assert gnd.zoom(a, doubles([2.0, 2.0]), 3, None).shape == (0, 8)
    assert gnd.map_coordinates(gnd.ones((3,), "float32"), gnd.zeros((1, 0), "float32"), 1, None).shape == (0,)
    got = gnd.map_coordinates(a, gnd.zeros((2, 3), "float32"), 1, options(cval=2.0))
    assert (got.numpy() == [2, 2, 2]).all()
    assert gnd.image_spline_filter(a, 3, None).shape == (0, 4)


def test_refused():
    a, one = gnd.ones((4, 5), "float32"), doubles([1.0, 1.0])
    c = gnd.zeros((2, 3), "float64")
    refused(lambda: gnd.map_coordinates(None, c, 1, None), gnd.ERROR_INVALID, "'input' is NULL")
    refused(lambda: gnd.map_coordinates(a, None, 1, None), gnd.ERROR_INVALID, "coordinates")
    refused(lambda: gnd.map_coordinates(a, c, 6, None), gnd.ERROR_VALUE, "order 6")
    refused(lambda: gnd.map_coordinates(a, gnd.zeros((3, 3), "float64"), 1, None), gnd.ERROR_SHAPE, "(3, 3)")
    refused(lambda: gnd.map_coordinates(a, gnd.zeros((2,), "float64"), 1, None), gnd.ERROR_SHAPE, "(2,)")
    refused(lambda: gnd.map_coordinates(a, gnd.zeros((2, 3), "complex64"), 1, None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.map_coordinates(gnd.ones((), "float32"), c, 1, None), gnd.ERROR_SHAPE, "1 to 8")
    refused(lambda: gnd.shift(a, None, 1, None), gnd.ERROR_INVALID, "shift")
    refused(lambda: gnd.shift(a, one, -1, None), gnd.ERROR_VALUE, "order -1")
    refused(lambda: gnd.zoom(a, None, 1, None), gnd.ERROR_INVALID, "factor")
    refused(lambda: gnd.zoom(a, doubles([-1.0, 1.0]), 1, None), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.affine_transform(a, None, None, 1, None), gnd.ERROR_INVALID, "matrix")
    refused(lambda: gnd.affine_transform(a, doubles([0.0] * 18), None, 1, options(output_shape=(1,) * 9)),
            gnd.ERROR_SHAPE, "9")
    refused(lambda: gnd.rotate(a, 30.0, 0, 0, True, 1, None), gnd.ERROR_AXIS, "twice")
    refused(lambda: gnd.rotate(a, 30.0, 0, 2, True, 1, None), gnd.ERROR_AXIS, "")
    refused(lambda: gnd.rotate(a, np.inf, 0, 1, True, 1, None), gnd.ERROR_VALUE, "inf")
    refused(lambda: gnd.geometric_transform(a, None, None, 1, None), gnd.ERROR_INVALID, "mapping")
    refused(lambda: gnd.image_spline_filter(a, 1, None), gnd.ERROR_VALUE, "order 1")
    refused(lambda: gnd.spline_filter1d(a, 3, 2, None), gnd.ERROR_AXIS, "")
