"""The rows of cpu_ndimage.py that take shapes and dtypes: measurements over labels, distances, watersheds, Fourier and
spline filters, filters of functions, grey and binary morphology; each gives a name, gnd's call and SciPy's."""

import ctypes
import os
import pathlib
import subprocess
import tempfile

import numpy as np
from scipy import LowLevelCallable, ndimage
from scipy.ndimage import _ctest

import gnd
from images import numbers, options

SHAPES = [(100, 100), (1000, 1000), (64, 64, 64)]
DTYPES = ("uint8", "int32", "float32", "float64")
METRICS = {"euclidean": gnd.DISTANCE_EUCLIDEAN, "taxicab": gnd.DISTANCE_TAXICAB,
           "chessboard": gnd.DISTANCE_CHESSBOARD}
WINDOW, LINE = "int (double *, npy_intp, double *, void *)", "int (double *, npy_intp, double *, npy_intp, void *)"
ELEMENTS = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


def results(name, count, *args, skipped=()):
    """A function that writes its results where pointers say; those `skipped` are not wanted."""
    held = gnd.outputs(count)
    pointers = [None if k in skipped else ctypes.addressof(held) + 8 * k for k in range(count)]
    gnd.function("gnd_" + name)(*pointers, *args)
    return gnd.take(held)


def doubles(value, count):
    return (ctypes.c_double * count)(*[value] * count)


def blobs(g, shape):
    """A picture of connected regions, about half of it."""
    smooth = ndimage.uniform_filter(g.random(shape), 7)
    return smooth > np.median(smooth)


# ---- measurements ---------------------------------------------------------------------------------------


def over_labels(x, labels, count, what):
    a, held, index = gnd.from_numpy(x), gnd.from_numpy(labels), np.arange(1, count + 1)
    of = gnd.from_numpy(index)
    names = {"sum_labels": "sum_labels", "mean_labels": "mean", "variance_labels": "variance",
             "standard_deviation_labels": "standard_deviation", "minimum_labels": "minimum",
             "maximum_labels": "maximum", "minimum_position": "minimum_position",
             "maximum_position": "maximum_position", "center_of_mass": "center_of_mass", "median_labels": "median"}
    for ours, theirs in names.items():
        call, other = getattr(gnd, ours), getattr(ndimage, theirs)
        yield f"{theirs} {what}", lambda c=call: c(a, held, of), lambda c=other: c(x, labels, index)
    yield f"extrema {what}", lambda: results("extrema", 4, a, held, of), lambda: ndimage.extrema(x, labels, index)
    yield f"histogram 32 {what}", lambda: gnd.histogram_labels(a, 0.0, 255.0, 32, held, of), \
        lambda: ndimage.histogram(x, 0, 255, 32, labels, index)
    dot = ctypes.cast(gnd.lib.gnd_vdot, ELEMENTS)
    yield f"labeled_comprehension {what}", \
        lambda: gnd.labeled_comprehension(a, held, of, dot, None, "float64", 0.0), \
        lambda: ndimage.labeled_comprehension(x, labels, index, np.vdot, float, 0, True)


def of_all(x):
    """Without labels, and of all labels above 0."""
    a, labels = gnd.from_numpy(x), (x > 100).astype("int32")
    held = gnd.from_numpy(labels)
    for ours, theirs in (("sum_labels", "sum_labels"), ("mean_labels", "mean"), ("variance_labels", "variance"),
                         ("maximum_labels", "maximum"), ("minimum_position", "minimum_position"),
                         ("center_of_mass", "center_of_mass"), ("median_labels", "median")):
        call, other = getattr(gnd, ours), getattr(ndimage, theirs)
        yield f"{theirs} of all", lambda c=call: c(a, None, None), lambda c=other: c(x)
        yield f"{theirs} above 0", lambda c=call: c(a, held, None), lambda c=other: c(x, labels)
    yield "extrema of all", lambda: results("extrema", 4, a, None, None), lambda: ndimage.extrema(x)
    yield "histogram 32 of all", lambda: gnd.histogram_labels(a, 0.0, 255.0, 32, None, None), \
        lambda: ndimage.histogram(x, 0, 255, 32)


def labels_alone(labels, what):
    """find_objects and value_indices."""
    a = gnd.from_numpy(labels)
    yield f"find_objects {what}", lambda: gnd.find_objects(a, 0), lambda: ndimage.find_objects(labels)
    yield f"value_indices {what}", lambda: results("value_indices", 3, a, None), lambda: ndimage.value_indices(labels)


def components(x):
    """x: truths, in the dtype of the table's column."""
    a, box = gnd.from_numpy(x), np.ones((3,) * x.ndim, bool)
    held = gnd.from_numpy(box)
    yield "label", lambda: gnd.label(a, None, None), lambda: ndimage.label(x)
    yield "label box", lambda: gnd.label(a, held, None), lambda: ndimage.label(x, box)


def watersheds(g, shape):
    x = ndimage.uniform_filter(g.random(shape) * 255, 5).astype("uint8")
    markers = np.zeros(shape, "int32")
    markers.flat[g.choice(markers.size, 50, False)] = np.arange(1, 51)
    for dtype in ("uint8", "uint16"):
        y = x.astype(dtype)
        a, m = gnd.from_numpy(y), gnd.from_numpy(markers)
        yield f"watershed_ift {dtype}", lambda a=a: gnd.watershed_ift(a, m, None), \
            lambda y=y: ndimage.watershed_ift(y, markers)


# ---- distances ------------------------------------------------------------------------------------------


def distances(x, what):
    """x: truths, or numbers."""
    a = gnd.from_numpy(x)
    yield f"distance_transform_edt {what}", lambda: results("distance_transform_edt", 2, a, None, skipped=(1,)), \
        lambda: ndimage.distance_transform_edt(x)
    yield f"distance_transform_edt indices {what}", lambda: results("distance_transform_edt", 2, a, None), \
        lambda: ndimage.distance_transform_edt(x, return_indices=True)
    spacing = doubles(1.5, x.ndim)
    yield f"distance_transform_edt sampling {what}", \
        lambda: results("distance_transform_edt", 2, a, spacing, skipped=(1,)), \
        lambda: ndimage.distance_transform_edt(x, 1.5)
    diagonals = np.zeros((3,) * x.ndim, bool)
    diagonals[(0,) * x.ndim] = diagonals[(2,) * x.ndim] = diagonals[(1,) * (x.ndim - 1) + (0,)] = True
    held = gnd.from_numpy(diagonals)
    for name in ("taxicab", "chessboard"):
        for indices in (False, True):
            yield f"distance_transform_cdt {name}{' indices' if indices else ''} {what}", \
                lambda m=METRICS[name], s=() if indices else (1,): results("distance_transform_cdt", 2, a, m, None,
                                                                           skipped=s), \
                lambda m=name, i=indices: ndimage.distance_transform_cdt(x, m, return_indices=i)
    for indices in (False, True):
        yield f"distance_transform_cdt structure{' indices' if indices else ''} {what}", \
            lambda s=() if indices else (1,): results("distance_transform_cdt", 2, a, METRICS["taxicab"], held,
                                                      skipped=s), \
            lambda i=indices: ndimage.distance_transform_cdt(x, diagonals, return_indices=i)


def brute_force(g):
    for shape in ((30, 30), (60, 60)):
        x = g.random(shape) < 0.8
        a = gnd.from_numpy(x)
        for name, metric in METRICS.items():
            yield f"distance_transform_bf {name} {shape}", \
                lambda a=a, m=metric: results("distance_transform_bf", 2, a, m, None, skipped=(1,)), \
                lambda x=x, m=name: ndimage.distance_transform_bf(x, m)


# ---- filters --------------------------------------------------------------------------------------------


def fourier_filters(x):
    a = gnd.from_numpy(x)
    for f in ("gaussian", "uniform", "ellipsoid", "shift"):
        yield f"fourier_{f}", \
            lambda c=getattr(gnd, f"fourier_{f}"): c(a, doubles(3.0, x.ndim), -1, -1), \
            lambda c=getattr(ndimage, f"fourier_{f}"): c(x, 3.0)


def functions():
    """cpu_filters.c, compiled."""
    here, library = pathlib.Path(__file__).resolve().parent, pathlib.Path(gnd.LIBRARY).resolve()
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "cpu_filters.so")
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", f"-I{here.parent / 'include'}", "-o", made,
                        str(here / "cpu_filters.c"), str(library), f"-Wl,-rpath,{library.parent}"], check=True)
        return ctypes.CDLL(made)


def function_filters(x):
    """Sums weighted by functions in C."""
    a, weights = gnd.from_numpy(x), np.arange(9) / 36
    held = gnd.from_numpy(weights)
    size = (1,) * (x.ndim - 2) + (3, 3)
    theirs = LowLevelCallable(_ctest.filter2d(weights), signature=WINDOW)
    c, o = functions(), options(output="float64")
    weighted, thirds = (ctypes.cast(f, ctypes.c_void_p).value
                        for f in (c.cpu_filters_weighted, c.cpu_filters_mean_of_three))
    yield "generic_filter 3x3", lambda: gnd.generic_filter(a, weighted, held.pointer, numbers(size), None, o), \
        lambda: ndimage.generic_filter(x, theirs, size, output="float64")
    line = LowLevelCallable(_ctest.filter1d(3), signature=LINE)
    yield "generic_filter1d 3", lambda: gnd.generic_filter1d(a, thirds, None, 3, -1, o), \
        lambda: ndimage.generic_filter1d(x, line, 3, output="float64")


def second_derivatives(x):
    a = gnd.from_numpy(x)
    yield "generic_laplace", lambda: gnd.laplace(a, None), lambda: ndimage.generic_laplace(
        x, lambda y, axis, output, mode, cval: ndimage.correlate1d(y, [1, -2, 1], axis, output, mode, cval))


def grey_morphology(x):
    a, n = gnd.from_numpy(x), numbers
    cross = ndimage.generate_binary_structure(x.ndim, 1)
    held, values = gnd.from_numpy(cross), cross.astype("int32")
    heights = gnd.from_numpy(values)
    for f in ("grey_erosion", "grey_dilation", "grey_opening", "grey_closing", "morphological_gradient",
              "morphological_laplace", "white_tophat", "black_tophat"):
        ours, theirs = getattr(gnd, f), getattr(ndimage, f)
        yield f"{f} 3", lambda c=ours: c(a, n(3), None, None, None), lambda c=theirs: c(x, (3,) * x.ndim)
        yield f"{f} cross", lambda c=ours: c(a, n(None), held, None, None), lambda c=theirs: c(x, footprint=cross)
    yield "grey_erosion heights", lambda: gnd.grey_erosion(a, n(None), None, heights, None), \
        lambda: ndimage.grey_erosion(x, structure=values)


def binary_morphology(x):
    a = gnd.from_numpy(x)
    for f in ("erosion", "dilation", "opening", "closing"):
        ours, theirs = getattr(gnd, f"binary_{f}"), getattr(ndimage, f"binary_{f}")
        for times in (1, 3):
            yield f"binary_{f} {times}", lambda c=ours, t=times: c(a, None, t, None, None), \
                lambda c=theirs, t=times: c(x, iterations=t)
    seed = np.zeros(x.shape, bool)
    seed[0] = True
    first = gnd.from_numpy(seed)
    yield "binary_propagation", lambda: gnd.binary_propagation(first, None, a, None), \
        lambda: ndimage.binary_propagation(seed, mask=x)
    yield "binary_fill_holes", lambda: gnd.binary_fill_holes(a, None, None), lambda: ndimage.binary_fill_holes(x)
    yield "binary_hit_or_miss", lambda: gnd.binary_hit_or_miss(a, None, None, gnd.shape(()), None), \
        lambda: ndimage.binary_hit_or_miss(x)


def spline_filters(x):
    from cpu_ndimage import spline_options
    a, name = gnd.from_numpy(x), "float64" if x.dtype.kind in "iu" else x.dtype.name
    for order in (2, 3, 5):
        yield f"spline_filter {order}", lambda o=order: gnd.image_spline_filter(a, o, spline_options("mirror", name)), \
            lambda o=order: ndimage.spline_filter(x, o, output=name)
    for axis in range(x.ndim):
        yield f"spline_filter1d 3 axis {axis}", \
            lambda d=axis: gnd.spline_filter1d(a, 3, d, spline_options("mirror", name)), \
            lambda d=axis: ndimage.spline_filter1d(x, 3, d, output=name)


# ---- all of them ----------------------------------------------------------------------------------------


def rows_of(g, shape, dtype):
    x = (g.random(shape) * 255).astype(dtype)
    truths = blobs(g, shape)
    regions, count = ndimage.label(truths)
    yield from over_labels(x, g.integers(0, 200, shape).astype("int32"), 199, "noise of 200")
    yield from over_labels(x, regions, count, "regions")
    yield from of_all(x)
    yield from components((truths * x).astype(dtype))
    if dtype in ("uint8", "int32"):
        yield from labels_alone(g.integers(0, 200, shape).astype(dtype), "noise of 200")
        yield from labels_alone((regions % 256).astype(dtype), "regions")
    yield from distances((truths * (x > 0)).astype(dtype), "regions")
    yield from distances((x > 20).astype(dtype), "noise")
    yield from spline_filters(x)
    yield from function_filters(x)
    yield from second_derivatives(x)
    yield from grey_morphology(x)
    yield from binary_morphology(truths.astype(dtype))
    if dtype in ("float32", "float64"):
        yield from fourier_filters(x.astype("complex64" if dtype == "float32" else "complex128"))


def cases():
    g = np.random.default_rng(1)
    for shape in SHAPES:
        for dtype in DTYPES:
            for name, mine, theirs in rows_of(g, shape, dtype):
                yield f"{name} {'x'.join(map(str, shape))} {dtype}", mine, theirs
        for name, mine, theirs in watersheds(g, shape):
            yield f"{name} {'x'.join(map(str, shape))}", mine, theirs
    yield from brute_force(g)
