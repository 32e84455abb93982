#!/usr/bin/env python3
"""Times filters, interpolation, morphology and measurements of pictures on the CPU beside scipy.ndimage, both on one
thread of one process, by turns.

    taskset -c 1 cpu_ndimage.py [--side 1024] [--dtypes float32,float64,uint8] [--rounds 5] [--only TEXT] [--behind 0]
                                [--measures]

GND_LIBRARY names the library, else the newest build of this tree; GND_CPU_ISA an instruction set. Each time is the
least of some rounds (more of calls that take less than a millisecond), in which gnd and SciPy alternate: milliseconds
of the processor's time for a call. What a row calls once is called without the checks that the tests' Python makes of
each call; ctypes remains. The last column is SciPy's over gnd's; --behind 1 prints only rows below 1.
--measures: the rows of cpu_measures.py in place of those of pictures.
"""

import argparse
import ctypes
import os
import pathlib
import re
import sys

for variable in ("GND_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["GND_DEVICE"] = "cpu"
ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "oracle"), str(ROOT / "tests" / "oracle" / "ndimage")]

import numpy as np  # noqa: E402
from scipy import ndimage  # noqa: E402

import gnd  # noqa: E402
import cpu_measures  # noqa: E402
from cpu_signal import clock  # noqa: E402
from images import MODES, numbers, options  # noqa: E402


calls = []  # the C function, its arguments and the row's, of each call of gnd
make = gnd._make


def noted(function):
    """gnd._make: a Python call of a C function, which notes what it calls."""
    call, kinds = make(function), [p.type for p in function.parameters]
    raw, gives_array = getattr(gnd.lib, function.name), function.result == "gnd_array *"

    def noting(*arguments):
        plain = gives_array and "..." not in kinds
        calls.append((raw, [gnd._convert(k, v) for k, v in zip(kinds, arguments)], arguments) if plain else None)
        return call(*arguments)

    return noting


gnd._make = noted
gnd._calls.clear()


def bare(call):
    """A row's call, or, if that is one of gnd that gives an array, the C function with the same arguments."""
    calls.clear()
    call()
    if len(calls) != 1 or calls[0] is None:
        return call
    raw, converted, kept = calls[0]
    release = gnd.lib.gnd_release

    def alone():
        release(raw(*converted))

    alone.kept = kept
    return alone


def doubles(*values):
    return (ctypes.c_double * len(values))(*values)


def spline_options(mode="constant", output=None):
    o = gnd.STRUCTS["gnd_interpolation_options"]()
    o.mode = MODES[mode]
    if output:
        o.output = gnd.dtype_code(output)
    return o


def linear(x, a, w, name):
    n = numbers
    few, row = gnd.from_numpy(w[0, :5]), gnd.from_numpy(w[0])
    yield f"correlate1d 5 {name}", lambda: gnd.correlate1d(a, few, -1, None), lambda: ndimage.correlate1d(x, w[0, :5])
    yield f"correlate1d 15 down {name}", lambda: gnd.correlate1d(a, row, 0, None), \
        lambda: ndimage.correlate1d(x, w[0], 0)
    for k in (3, 7, 15):
        yield f"convolve {k}x{k} {name}", \
            lambda taps=gnd.from_numpy(w[:k, :k]): gnd.image_convolve(a, taps, None), \
            lambda k=k: ndimage.convolve(x, w[:k, :k])
    for sigma in (1, 3, 10):
        yield f"gaussian_filter {sigma} {name}", lambda s=sigma: gnd.gaussian_filter(a, float(s), None), \
            lambda s=sigma: ndimage.gaussian_filter(x, s)
    yield f"gaussian_laplace 2 {name}", lambda: gnd.gaussian_laplace(a, 2.0, None), \
        lambda: ndimage.gaussian_laplace(x, 2)
    yield f"gaussian_gradient_magnitude 2 {name}", lambda: gnd.gaussian_gradient_magnitude(a, 2.0, None), \
        lambda: ndimage.gaussian_gradient_magnitude(x, 2)
    for f in ("laplace",):
        yield f"{f} {name}", lambda f=f: getattr(gnd, f)(a, None), lambda f=f: getattr(ndimage, f)(x)
    for f in ("sobel", "prewitt"):
        yield f"{f} {name}", lambda f=f: getattr(gnd, f)(a, -1, None), lambda f=f: getattr(ndimage, f)(x)
    for k in (3, 9, 51):
        yield f"uniform_filter {k} {name}", lambda k=k: gnd.uniform_filter(a, n(k), None), \
            lambda k=k: ndimage.uniform_filter(x, k)
    for axis in (0, 1):
        yield f"uniform_filter1d 9 axis {axis} {name}", lambda d=axis: gnd.uniform_filter1d(a, 9, d, None), \
            lambda d=axis: ndimage.uniform_filter1d(x, 9, d)


def windows(x, a, name):
    n = numbers
    ring = np.hypot(*np.mgrid[-3:4, -3:4]) <= 3.2
    held = gnd.from_numpy(ring)
    for k in (3, 15, 51):
        yield f"maximum_filter {k} {name}", lambda k=k: gnd.maximum_filter(a, n(k), None, None), \
            lambda k=k: ndimage.maximum_filter(x, k)
    yield f"minimum_filter disc {name}", lambda: gnd.minimum_filter(a, n(None), held, None), \
        lambda: ndimage.minimum_filter(x, footprint=ring)
    for k in (3, 5, 9, 25):
        yield f"median_filter {k} {name}", lambda k=k: gnd.median_filter(a, n(k), None, None), \
            lambda k=k: ndimage.median_filter(x, k)
    yield f"median_filter disc {name}", lambda: gnd.median_filter(a, n(None), held, None), \
        lambda: ndimage.median_filter(x, footprint=ring)
    yield f"percentile_filter 20 5 {name}", lambda: gnd.percentile_filter(a, 20.0, n(5), None, None), \
        lambda: ndimage.percentile_filter(x, 20, 5)
    yield f"rank_filter 2 5 {name}", lambda: gnd.rank_filter(a, 2, n(5), None, None), \
        lambda: ndimage.rank_filter(x, 2, 5)
    for f in ("grey_erosion", "grey_opening", "morphological_gradient", "morphological_laplace", "white_tophat"):
        yield f"{f} 5 {name}", lambda f=f: getattr(gnd, f)(a, n(5), None, None, None), \
            lambda f=f: getattr(ndimage, f)(x, (5, 5))
    yield f"grey_dilation disc {name}", lambda: gnd.grey_dilation(a, n(None), held, None, None), \
        lambda: ndimage.grey_dilation(x, footprint=ring)


def interpolation(x, a, g, name):
    n = x.shape[0]
    at = np.indices(x.shape) + g.random((2, *x.shape))
    held, matrix = gnd.from_numpy(at), np.array([[0.9, 0.1], [-0.1, 0.9]])
    for order in range(6):
        yield f"map_coordinates {order} {name}", lambda o=order: gnd.map_coordinates(a, held, o, None), \
            lambda o=order: ndimage.map_coordinates(x, at, order=o)
    for order in (0, 1, 3, 5):
        yield f"rotate 30 order {order} {name}", lambda o=order: gnd.rotate(a, 30.0, 1, 0, False, o, None), \
            lambda o=order: ndimage.rotate(x, 30, reshape=False, order=o)
        yield f"zoom 2 order {order} {name}", lambda o=order: gnd.zoom(a, doubles(2, 2), o, None), \
            lambda o=order: ndimage.zoom(x, 2, order=o)
        yield f"shift order {order} {name}", lambda o=order: gnd.shift(a, doubles(2.5, -3.5), o, None), \
            lambda o=order: ndimage.shift(x, (2.5, -3.5), order=o)
        yield f"affine_transform order {order} {name}", \
            lambda o=order: gnd.affine_transform(a, doubles(*matrix.ravel()), doubles(5, 7), o, None), \
            lambda o=order: ndimage.affine_transform(x, matrix, (5, 7), order=o)
    yield f"shift wrap order 1 {name}", lambda: gnd.shift(a, doubles(n / 2.5, -3.5), 1, spline_options("wrap")), \
        lambda: ndimage.shift(x, (n / 2.5, -3.5), order=1, mode="wrap")
    for order in (2, 3, 5):
        yield f"spline_filter {order} {name}", \
            lambda o=order: gnd.image_spline_filter(a, o, spline_options("mirror", x.dtype.name)), \
            lambda o=order: ndimage.spline_filter(x, o, output=x.dtype.name)
    for axis in (0, 1):
        yield f"spline_filter1d 3 axis {axis} {name}", \
            lambda d=axis: gnd.spline_filter1d(a, 3, d, spline_options("mirror", x.dtype.name)), \
            lambda d=axis: ndimage.spline_filter1d(x, 3, d, output=x.dtype.name)


def morphology(x):
    """Of truths: more than half are true."""
    a, box, ones = gnd.from_numpy(x), np.ones((5, 5), bool), np.ones((3, 3), bool)
    held = gnd.from_numpy(box)
    for f in ("erosion", "dilation", "opening", "closing"):
        theirs, ours = getattr(ndimage, f"binary_{f}"), getattr(gnd, f"binary_{f}")
        yield f"binary_{f}", lambda c=ours: c(a, None, 1, None, None), lambda c=theirs: c(x)
        yield f"binary_{f} 5x5", lambda c=ours: c(a, held, 1, None, None), lambda c=theirs: c(x, box)
        yield f"binary_{f} 10 times", lambda c=ours: c(a, None, 10, None, None), lambda c=theirs: c(x, iterations=10)
    seed = np.zeros_like(x)
    seed[0] = seed[-1] = True
    first = gnd.from_numpy(seed & x)
    yield "binary_propagation", lambda: gnd.binary_propagation(first, None, a, None), \
        lambda: ndimage.binary_propagation(seed & x, mask=x)
    yield "binary_fill_holes", lambda: gnd.binary_fill_holes(a, None, None), lambda: ndimage.binary_fill_holes(x)
    yield "binary_hit_or_miss", lambda: gnd.binary_hit_or_miss(a, None, None, gnd.shape(()), None), \
        lambda: ndimage.binary_hit_or_miss(x)
    yield "label", lambda: gnd.label(a, None, None), lambda: ndimage.label(x)
    eight = gnd.from_numpy(ones)
    yield "label 8 neighbours", lambda: gnd.label(a, eight, None), lambda: ndimage.label(x, ones)


def measurements(x, a, g):
    labels = g.integers(0, 200, x.shape).astype("int32")
    index = np.arange(200)
    held, of = gnd.from_numpy(labels), gnd.from_numpy(index)
    for ours, theirs in (("sum_labels", "sum_labels"), ("mean_labels", "mean"), ("center_of_mass", "center_of_mass")):
        yield f"{theirs} of 200", lambda c=getattr(gnd, ours): c(a, held, of), \
            lambda c=getattr(ndimage, theirs): c(x, labels, index)


def fourier(x):
    a = gnd.from_numpy(x)
    for f in ("gaussian", "uniform", "shift"):
        yield f"fourier_{f}", lambda c=getattr(gnd, f"fourier_{f}"): c(a, doubles(3, 3), -1, -1), \
            lambda c=getattr(ndimage, f"fourier_{f}"): c(x, 3)


def cases(side, dtypes):
    """The name, gnd's call and SciPy's."""
    g = np.random.default_rng(0)
    w, x = g.random((15, 15)), g.random((side, side)) * 255
    for dtype in dtypes:
        y = x.astype(dtype)
        a = gnd.from_numpy(y)
        yield from linear(y, a, w, dtype)
        yield from windows(y, a, dtype)
        yield from interpolation(y, a, g, dtype)
    cube = g.random((side // 8,) * 3).astype("float32")
    b = gnd.from_numpy(cube)
    yield "gaussian_filter 2 volume", lambda: gnd.gaussian_filter(b, 2.0, None), \
        lambda: ndimage.gaussian_filter(cube, 2)
    yield "zoom 1.5 order 1 volume", lambda: gnd.zoom(b, doubles(1.5, 1.5, 1.5), 1, None), \
        lambda: ndimage.zoom(cube, 1.5, order=1)
    yield "zoom 1.5 order 3 volume", lambda: gnd.zoom(b, doubles(1.5, 1.5, 1.5), 3, None), \
        lambda: ndimage.zoom(cube, 1.5, order=3)
    yield "median_filter 3 volume", lambda: gnd.median_filter(b, numbers(3), None, None), \
        lambda: ndimage.median_filter(cube, 3)
    yield from morphology(x < 0.6 * 255)
    yield from measurements(x, gnd.from_numpy(x), g)
    yield from fourier(x.astype("complex64"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--side", type=int, default=1024)
    parser.add_argument("--dtypes", default="float32,float64,uint8")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--behind", type=float, default=0)
    parser.add_argument("--measures", action="store_true")
    given = parser.parse_args()
    rows = cpu_measures.cases() if given.measures else cases(given.side, given.dtypes.split(","))
    print("| row | gnd, ms | SciPy, ms | SciPy / gnd |\n|---|---:|---:|---:|")
    for name, mine, theirs in rows:
        if not re.search(given.only, name):
            continue
        mine = bare(mine)
        mine(), theirs()
        rounds = given.rounds * (10 if min(clock(mine), clock(theirs)) < 1e-3 else 1)
        times = [(clock(mine), clock(theirs)) for _ in range(rounds)]
        a, b = (1e3 * min(column) for column in zip(*times))
        if not given.behind or b / a < given.behind:
            print(f"| {name} | {a:.3g} | {b:.3g} | {b / a:.2f} |", flush=True)


if __name__ == "__main__":
    main()
