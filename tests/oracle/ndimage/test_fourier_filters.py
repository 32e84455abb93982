"""Filters of Fourier transforms against scipy.ndimage's: dimensions 1 to 3, dtypes, real transforms."""

import ctypes

import numpy as np
import pytest
from scipy import ndimage

import gnd
from check import refused
from images import close
from test_image_filters import picture
from values import generator

FILTERS = {"fourier_gaussian": gnd.fourier_gaussian, "fourier_uniform": gnd.fourier_uniform,
           "fourier_ellipsoid": gnd.fourier_ellipsoid, "fourier_shift": gnd.fourier_shift}


def doubles(values):
    return (ctypes.c_double * len(values))(*values)


@pytest.mark.parametrize("name", list(FILTERS))
@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32", "float64", "int32"])
def test_fourier_filters(name, dtype):
    g = generator(name, dtype)
    for shape in [(1,), (9,), (40,), (6, 7), (1, 5), (5, 4, 8), (2, 1, 3)]:
        for real in (False, True):
            a, x = picture(g, shape, dtype)
            by = [float(b) for b in g.uniform(0.2, 4, len(shape))]
            axis = int(g.integers(-x.ndim, x.ndim))
            n = 2 * (x.shape[axis] - 1) if real and x.shape[axis] > 1 else -1
            got = FILTERS[name](a, doubles(by), n, axis)
            want = getattr(ndimage, name)(x, by, n, axis)
            assert got.dtype == want.dtype, f"{name} {dtype}: {got.dtype}"
            close(got, want, f"{name} {shape} {dtype} {by} {n} {axis}", ulps=256)


def test_of_nothing():
    for call in FILTERS.values():
        assert call(gnd.zeros((0, 3), "complex64"), doubles([1.0, 1.0]), -1, -1).shape == (0, 3)


def test_refused():
    a = gnd.zeros((4, 5), "complex64")
    refused(lambda: gnd.fourier_gaussian(None, doubles([1.0]), -1, -1), gnd.ERROR_INVALID, "'input' is NULL")
    refused(lambda: gnd.fourier_gaussian(a, None, -1, -1), gnd.ERROR_INVALID, "sigma")
    refused(lambda: gnd.fourier_uniform(a, doubles([1.0, 1.0]), 0, -1), gnd.ERROR_VALUE, "n is 0")
    refused(lambda: gnd.fourier_ellipsoid(gnd.zeros((2,) * 4, "float32"), doubles([1.0] * 4), -1, 0), gnd.ERROR_SHAPE,
            "up to 3 dimensions")
    refused(lambda: gnd.fourier_shift(a, doubles([1.0, 1.0]), -1, 2), gnd.ERROR_AXIS, "")
