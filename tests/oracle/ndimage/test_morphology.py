"""Erosions, dilations and what is made of them against scipy.ndimage's: truths and grey values, dimensions 0 to 4,
structures of any kind, iterations, masks, borders, origins, axes, and what is refused."""

import numpy as np
import pytest
from scipy import ndimage

import gnd
from check import refused
from images import MODES, close, numbers, options
from test_image_filters import picture
from values import generator

SHAPES = [(1,), (40,), (1, 1), (9, 14), (60, 70), (5, 6, 7), (3, 4, 5, 6)]
TRUTHS = {"binary_erosion": gnd.binary_erosion, "binary_dilation": gnd.binary_dilation,
          "binary_opening": gnd.binary_opening, "binary_closing": gnd.binary_closing}
GREY = {"grey_erosion": gnd.grey_erosion, "grey_dilation": gnd.grey_dilation, "grey_opening": gnd.grey_opening,
        "grey_closing": gnd.grey_closing, "morphological_gradient": gnd.morphological_gradient,
        "morphological_laplace": gnd.morphological_laplace, "white_tophat": gnd.white_tophat,
        "black_tophat": gnd.black_tophat}


def given(x):
    return None if x is None else gnd.from_numpy(x)


def same(got, want, context):
    value, want = got.numpy(), np.asarray(want)
    assert got.dtype == "bool" and value.shape == want.shape and (value == want).all(), \
        f"{context}: {value.astype(int)}, not {want.astype(int)}"


# ---- structures ---------------------------------------------------------------------------------------


def test_structures():
    for rank in range(5):
        for connectivity in range(-1, 6):
            want = ndimage.generate_binary_structure(rank, connectivity)
            same(gnd.generate_binary_structure(rank, connectivity), want, f"{rank} {connectivity}")
            for iterations in (0, 1, 2, 3):
                if rank:
                    same(gnd.iterate_structure(gnd.from_numpy(want), iterations),
                         ndimage.iterate_structure(want, iterations), f"{rank} {connectivity} {iterations}")
    g = generator("structures")
    for shape in [(4,), (2, 3), (5, 4), (1, 3, 2)]:
        s = g.random(shape) < 0.6
        for iterations in (2, 3, 4):
            same(gnd.iterate_structure(gnd.from_numpy(s), iterations), ndimage.iterate_structure(s, iterations),
                 f"{s} {iterations}")


# ---- truths -------------------------------------------------------------------------------------------


def structure_of(g, ndim, centre=False):
    if g.random() < 0.3:
        return None
    s = g.random([int(g.integers(1, 5)) for _ in range(ndim)]) < 0.6
    if centre:
        s[tuple(n // 2 for n in s.shape)] = True
    return s


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", list(TRUTHS))
def test_truths(shape, name):
    g = generator(name, shape)
    for dtype in ("bool", "uint8", "float32"):
        for iterations in (1, 1, 2, 5):
            x = g.random(shape) < 0.6
            a = gnd.astype(gnd.from_numpy(x), dtype)
            s, border = structure_of(g, x.ndim), int(g.integers(2))
            mask = g.random(shape) < 0.7 if g.random() < 0.5 else None
            lengths = s.shape if s is not None else (3,) * x.ndim
            origin = [int(g.integers(-(n // 2), (n - 1) // 2 + 1)) for n in lengths]
            if iterations > 1 or "open" in name or "clos" in name:
                origin = [0] * x.ndim
            if name != "binary_erosion":
                origin = [min(o, n // 2 - (n % 2 == 0)) for o, n in zip(origin, lengths)]
            context = f"{name} {shape} {dtype} {iterations} {None if s is None else s.tolist()} {border} {origin}"
            same(TRUTHS[name](a, given(s), iterations, given(mask), options(cval=float(border), origin=origin)),
                 getattr(ndimage, name)(x, s, iterations, mask=mask, border_value=border, origin=origin,
                                        brute_force=True), context)


@pytest.mark.parametrize("shape", [(48,), (1, 16), (37, 64), (5, 9, 32), (3, 4, 5, 16), (20, 40)])
def test_truths_of_wide_structures(shape):
    """Rows of 16 bytes and more, which a GPU reads 16 at a time, and structures that reach as far, and farther."""
    g = generator("wide structures", shape)
    for width in (1, 2, 3, 9, 16, 17, 31, 32, 33, 40):
        for name in ("binary_erosion", "binary_dilation"):
            x = g.random(shape) < (0.9 if name == "binary_erosion" else 0.1)
            lengths = [int(g.integers(1, 4)) for _ in shape[:-1]] + [width]
            s = g.random(lengths) < g.choice([0.2, 1.0])
            mask = g.random(shape) < 0.7 if g.random() < 0.5 else None
            origin = [0] * (x.ndim - 1) + [int(g.integers(-((width - 1) // 2), (width - 1) // 2 + 1))]
            border = int(g.integers(2))
            for a in (gnd.from_numpy(x), gnd.reshape(gnd.slice(gnd.from_numpy(np.r_[False, x.ravel()]), "1:"), shape)):
                same(TRUTHS[name](a, given(s), 1, given(mask), options(cval=float(border), origin=origin)),
                     getattr(ndimage, name)(x, s, 1, mask=mask, border_value=border, origin=origin, brute_force=True),
                     f"{name} {shape} {width} {s.tolist()} {border} {origin}")


@pytest.mark.parametrize("shape", SHAPES)
def test_until_nothing_changes(shape):
    """By brute force: the lists of changes of SciPy 1.17 write outside of an array that is shorter than a structure."""
    g = generator("until", shape)
    for _ in range(4):
        x, mask = g.random(shape) < 0.1, g.random(shape) < 0.7
        a, s = gnd.from_numpy(x), structure_of(g, x.ndim, True)
        border = int(g.integers(2))
        context = f"{shape} {None if s is None else s.tolist()} {border}"
        same(gnd.binary_propagation(a, given(s), given(mask), options(cval=float(border))),
             ndimage.binary_dilation(x, s, -1, mask, border_value=border, brute_force=True), context)
        same(gnd.binary_erosion(gnd.logical_not(a), given(s), 0, None, None),
             ndimage.binary_erosion(~x, s, 0, brute_force=True), context)


@pytest.mark.parametrize("shape", SHAPES + [(100, 130)])
def test_propagation(shape):
    """Neighbours in both directions, whose components are found, and others."""
    g = generator("propagation", shape)
    ndim = len(shape)
    line = np.zeros((3,) * ndim, bool)
    line[(1,) * (ndim - 1)] = True
    oblique = line.copy()
    oblique[(0,) * ndim] = True
    structures = [ndimage.generate_binary_structure(ndim, k) for k in range(1, ndim + 1)] + [line, oblique]
    for s in structures:
        for border in (0, 1):
            for mask in (g.random(shape) < 0.6, None):
                x = g.random(shape) < 0.01
                same(gnd.binary_propagation(gnd.from_numpy(x), given(s), given(mask), options(cval=float(border))),
                     ndimage.binary_propagation(x, s, mask, border_value=border), f"{shape} {s.tolist()} {border}")


@pytest.mark.parametrize("shape", SHAPES + [(100, 130)])
def test_fill_holes(shape):
    g = generator("holes", shape)
    for share in (0.3, 0.55, 0.7, 0.9):
        x = g.random(shape) < share
        same(gnd.binary_fill_holes(gnd.from_numpy(x), None, None), ndimage.binary_fill_holes(x), f"{shape} {share}")
        s = ndimage.generate_binary_structure(x.ndim, x.ndim)
        same(gnd.binary_fill_holes(gnd.from_numpy(x), gnd.from_numpy(s), None), ndimage.binary_fill_holes(x, s),
             f"{shape} {share}, all neighbours")
        if x.ndim > 1:
            same(gnd.binary_fill_holes(gnd.from_numpy(x), None, options(axes=(0, 1))),
                 ndimage.binary_fill_holes(x, axes=(0, 1)), f"{shape} {share}, two axes")


@pytest.mark.parametrize("shape", SHAPES)
def test_hit_or_miss(shape):
    g = generator("hit or miss", shape)
    for _ in range(4):
        x = g.random(shape) < 0.5
        s1 = structure_of(g, x.ndim)
        s2 = structure_of(g, x.ndim)
        context = f"{shape} {s1} {s2}"
        same(gnd.binary_hit_or_miss(gnd.from_numpy(x), given(s1), given(s2), numbers(None), None),
             ndimage.binary_hit_or_miss(x, s1, s2), context)
        if s2 is not None:
            origin = [int(g.integers(-(n // 2), (n - 1) // 2 + 1)) for n in s2.shape]
            same(gnd.binary_hit_or_miss(gnd.from_numpy(x), given(s1), given(s2), numbers(origin), None),
                 ndimage.binary_hit_or_miss(x, s1, s2, origin2=origin), f"{context} {origin}")


def test_a_number():
    for x in (True, False):
        a = gnd.from_numpy(np.array(x))
        for name in ("binary_erosion", "binary_dilation"):
            got = getattr(gnd, name)(a, None, 1, None, None)
            same(got, getattr(ndimage, name)(np.array(x)), name)


# ---- grey values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", list(GREY))
def test_grey(shape, name):
    g = generator(name, shape)
    for dtype in ("uint8", "int32", "float32", "float64"):
        for _ in range(2):
            a, x = picture(g, shape, dtype)
            mode, cval = list(MODES)[g.integers(len(MODES))], float(g.integers(0, 3))
            size = [int(g.integers(1, 6)) for _ in shape]
            footprint = g.random(size) < 0.6
            footprint.flat[0] = True
            values = g.integers(-3, 4, size).astype(["int64", "float64"][g.integers(2)])
            context = f"{name} {shape} {dtype} {size} {mode} {cval}"
            o, f = options(mode, cval), GREY[name]
            reference = getattr(ndimage, name)
            close(f(a, numbers(size), None, None, o), reference(x, size, mode=mode, cval=cval), context, ulps=8)
            close(f(a, numbers(None), given(footprint), None, o),
                  reference(x, footprint=footprint, mode=mode, cval=cval), context, ulps=8)
            if dtype == "uint8":
                continue  # a sum beyond the dtype has no value in C
            wide = x.astype("float64") if dtype == "float32" else x
            close(f(a, numbers(None), None, given(values), o),
                  reference(wide, structure=values, mode=mode, cval=cval), context, ulps=32, scale=40)
            close(f(a, numbers(None), given(footprint), given(values), o),
                  reference(wide, footprint=footprint, structure=values, mode=mode, cval=cval), context, ulps=32,
                  scale=40)


@pytest.mark.parametrize("name", ["grey_erosion", "grey_dilation"])
def test_grey_origins_and_axes(name):
    g = generator("origins", name)
    for shape in [(30,), (9, 14), (5, 6, 7)]:
        for _ in range(6):
            a, x = picture(g, shape, "float64")
            axes = tuple(int(k) for k in g.permutation(x.ndim)[:g.integers(1, x.ndim + 1)])
            size = [int(g.integers(1, 6)) for _ in axes]
            origin = [int(g.integers(-((n - 1) // 2), (n - 1) // 2 + 1)) for n in size]
            close(getattr(gnd, name)(a, numbers(size), None, None, options(origin=origin, axes=axes)),
                  getattr(ndimage, name)(x, size, origin=origin, axes=axes), f"{shape} {axes} {size} {origin}", ulps=0)
            order = tuple(sorted(axes))
            footprint = np.ones(size, bool)
            footprint.flat[-1] = len(footprint.flat) == 1
            close(getattr(gnd, name)(a, numbers(None), given(footprint), None, options(origin=origin, axes=order)),
                  getattr(ndimage, name)(x, footprint=footprint, origin=origin, axes=order),
                  f"{shape} {order} {size} {origin}", ulps=0)


def test_grey_truths():
    x = generator("grey truths").random((20, 30)) < 0.5
    a = gnd.from_numpy(x)
    for name in ("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "white_tophat", "black_tophat"):
        same(getattr(gnd, name)(a, numbers(3), None, None, None), getattr(ndimage, name)(x, 3), name)
    same(gnd.morphological_gradient(a, numbers(3), None, None, None),
         ndimage.grey_dilation(x, 3) != ndimage.grey_erosion(x, 3), "gradient")


def test_of_nothing():
    for shape in [(0,), (0, 4), (3, 0, 2)]:
        a = gnd.zeros(shape, "bool")
        for got in (gnd.binary_erosion(a, None, 1, None, None), gnd.binary_fill_holes(a, None, None),
                    gnd.binary_propagation(a, None, None, None), gnd.grey_opening(a, numbers(3), None, None, None)):
            assert got.shape == shape and got.dtype == "bool"


def test_refused():
    a = gnd.zeros((4, 5), "bool")
    refused(lambda: gnd.binary_erosion(None, None, 1, None, None), gnd.ERROR_INVALID, "'input' is NULL")
    refused(lambda: gnd.binary_erosion(gnd.zeros((3,), "complex64"), None, 1, None, None), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.binary_erosion(a, gnd.ones((3,), "bool"), 1, None, None), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: gnd.binary_erosion(a, None, 1, gnd.ones((4, 4), "bool"), None), gnd.ERROR_SHAPE, "(4, 4)")
    refused(lambda: gnd.binary_erosion(a, None, 1, None, options(origin=2)), gnd.ERROR_VALUE, "origin of 2")
    refused(lambda: gnd.generate_binary_structure(-1, 1), gnd.ERROR_VALUE, "-1")
    refused(lambda: gnd.generate_binary_structure(17, 1), gnd.ERROR_VALUE, "17")
    refused(lambda: gnd.iterate_structure(None, 2), gnd.ERROR_INVALID, "structure")
    refused(lambda: gnd.grey_erosion(a, numbers(3), gnd.ones((3, 3), "bool"), gnd.ones((3, 4), "int8"), None),
            gnd.ERROR_SHAPE, "footprint")
    refused(lambda: gnd.grey_erosion(a, numbers(0), None, None, None), gnd.ERROR_VALUE, "0 elements")
    refused(lambda: gnd.morphological_laplace(a, numbers(3), None, None, None), gnd.ERROR_DTYPE, "bool")
