"""Watersheds from markers against scipy.ndimage's: dimensions 1 to 4, both dtypes of the input, structures of any kind,
markers above and below 0, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import gnd
from check import refused
from values import generator


def array(x):
    return None if x is None else gnd.from_numpy(np.asarray(x))


def check(x, markers, structure=None):
    got = gnd.watershed_ift(array(x), array(markers), array(structure))
    want = ndimage.watershed_ift(x, markers, structure)
    assert got.dtype == want.dtype and got.shape == want.shape
    assert (got.numpy() == want).all(), f"{x.tolist()} {markers.tolist()} {structure}: {got.numpy()}, not {want}"


def markers_of(g, shape, share, low, dtype="int32"):
    return (g.integers(low, 6, shape) * (g.random(shape) < share)).astype(dtype)


@pytest.mark.parametrize("shape", [(1,), (50,), (1, 7), (20, 31), (6, 7, 8), (3, 4, 3, 5)])
def test_watersheds(shape):
    g = generator("watershed", shape)
    for dtype, most in (("uint8", 4), ("uint8", 256), ("uint16", 60_000)):
        x = g.integers(0, most, shape).astype(dtype)
        smooth = ndimage.gaussian_filter(x.astype("float64"), 2).astype(dtype)
        for low in (1, 0, -4):
            for share in (0.02, 0.3, 1.0):
                for picture in (x, smooth):
                    check(picture, markers_of(g, shape, share, low))
                    s = g.random((3,) * len(shape)) < 0.5
                    check(picture, markers_of(g, shape, share, low), s)
                    check(picture, markers_of(g, shape, share, low), np.ones((3,) * len(shape)))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
def test_dtypes_of_markers(dtype):
    g = generator("watershed markers", dtype)
    x = g.integers(0, 9, (30, 40)).astype("uint8")
    check(x, markers_of(g, x.shape, 0.05, -3, dtype))
    check(x[::-1, ::2], markers_of(g, (30, 40), 0.05, -3, dtype)[::-1, ::2])


def test_of_discs():
    """As it is used: the distance from the background, turned over, from its own largest values."""
    rows, columns = np.mgrid[:60, :80]
    discs = ((rows - 30)**2 + (columns - 28)**2 < 300) | ((rows - 30)**2 + (columns - 52)**2 < 300)
    depth = ndimage.distance_transform_edt(discs)
    markers = ndimage.label(depth > 0.8 * depth.max())[0].astype("int16")
    markers[~discs] = -1
    check((255 - 10 * depth).astype("uint8"), markers)


def test_of_nothing():
    got = gnd.watershed_ift(gnd.zeros((0, 3), "uint8"), gnd.zeros((0, 3), "int16"), None)
    assert got.shape == (0, 3) and got.dtype == "int16"


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_property(data):
    ndim = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.integers(1, [60, 20, 8][ndim - 1])) for _ in range(ndim))
    g = generator("watershed property", shape, data.draw(st.integers(0, 1000)))
    x = g.integers(0, 1 + g.integers(1, 200), shape).astype("uint8")
    check(x, markers_of(g, shape, g.random(), -int(g.integers(0, 5))),
          None if g.random() < 0.5 else g.random((3,) * ndim) < 0.6)


def test_refused():
    x, markers = gnd.zeros((4, 5), "uint8"), gnd.zeros((4, 5), "int16")
    refused(lambda: gnd.watershed_ift(None, markers, None), gnd.ERROR_INVALID, "'input' is NULL")
    refused(lambda: gnd.watershed_ift(x, None, None), gnd.ERROR_INVALID, "'markers' is NULL")
    refused(lambda: gnd.watershed_ift(markers, markers, None), gnd.ERROR_DTYPE, "not int16")
    refused(lambda: gnd.watershed_ift(x, x, None), gnd.ERROR_DTYPE, "not uint8")
    refused(lambda: gnd.watershed_ift(x, gnd.zeros((4, 4), "int16"), None), gnd.ERROR_SHAPE, "(4, 4)")
    refused(lambda: gnd.watershed_ift(x, markers, gnd.zeros((3,), "bool")), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: gnd.watershed_ift(x, markers, gnd.zeros((3, 5), "bool")), gnd.ERROR_SHAPE, "(3, 5)")
