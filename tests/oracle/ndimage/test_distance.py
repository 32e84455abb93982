"""Distances to the nearest zero against scipy.ndimage's: dimensions 1 to 4, dtypes, spacings, metrics, structures,
lines longer and shorter than words, warps and blocks, few zeros and many, none, and what is refused."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage

import dtypes
import gnd
from check import refused
from conftest import on_gpu
from test_resample import strided
from values import generator

METRICS = {"euclidean": gnd.DISTANCE_EUCLIDEAN, "taxicab": gnd.DISTANCE_TAXICAB,
           "chessboard": gnd.DISTANCE_CHESSBOARD}
SHAPES = [(1,), (7,), (33,), (129,), (5000,), (1, 1), (3, 50), (50, 3), (40, 41), (130, 260), (5, 700), (700, 5),
          (6, 7, 8), (17, 3, 40), (2, 40, 33), (3, 4, 5, 6)]


def doubles(values):
    return None if values is None else (ctypes.c_double * len(values))(*values)


def wanted(name, *args, distances=True, indices=True):
    """Distances and indices, or one of them alone."""
    room = gnd.outputs(2)
    at = [ctypes.addressof(room) + 8 * k if keep else None for k, keep in enumerate((distances, indices))]
    gnd.function(name)(*at, *args)
    return gnd.take(room)


def edt(a, sampling=None, **what):
    return wanted("gnd_distance_transform_edt", a, doubles(sampling), **what)


def cdt(a, metric, structure=None, **what):
    return wanted("gnd_distance_transform_cdt", a, METRICS[metric],
                  None if structure is None else gnd.from_numpy(structure), **what)


def bf(a, metric="euclidean", sampling=None, **what):
    return wanted("gnd_distance_transform_bf", a, METRICS[metric], doubles(sampling), **what)


def same(got, want, context):
    want = np.asarray(want)
    value = got.numpy()
    assert got.dtype == want.dtype and value.shape == want.shape, f"{context}: {got.dtype} {got.shape}"
    near = np.allclose(value, want, 4e-16, 0) if got.dtype == "float64" else (value == want).all()
    assert near, f"{context}: {value}, not {want}"


def is_nearest(indices, x, distances, metric, sampling, context):
    """Whether what indices lead to is zero, and as far away as the distances say."""
    at = indices.numpy()
    assert indices.dtype == "int32" and at.shape == (x.ndim,) + x.shape, context
    assert not x[tuple(at)].any(), f"{context}: not zero"
    apart = np.abs(at - np.indices(x.shape)) * np.reshape(np.ones(x.ndim) if sampling is None else sampling,
                                                          (-1,) + (1,) * x.ndim)
    far = {"euclidean": lambda: np.sqrt((apart.astype(float)**2).sum(axis=0)), "taxicab": lambda: apart.sum(axis=0),
           "chessboard": lambda: apart.max(axis=0)}[metric]()
    assert np.allclose(far, distances, 1e-14), context


def check_all(a, x, context):
    """All three, of one array."""
    distances, indices = edt(a)
    want = ndimage.distance_transform_edt(x, return_indices=True)
    same(distances, want[0], f"edt {context}")
    same(indices, want[1], f"edt {context}")
    for metric in METRICS:
        if x.size < 3000:
            want = ndimage.distance_transform_bf(x, metric, return_indices=True)
            got = bf(a, metric)
            same(got[0], want[0], f"bf {metric} {context}")
            if metric == "chessboard" and not x.all():
                is_nearest(got[1], x, want[0], metric, None, f"bf {metric} {context}")
            else:
                same(got[1], want[1], f"bf {metric} {context}")
        if metric == "euclidean":
            continue
        distances, indices = cdt(a, metric)
        want, at = ndimage.distance_transform_cdt(x, metric, return_indices=True)
        same(distances, want, f"cdt {metric} {context}")
        same(cdt(a, metric, indices=False)[0], want, f"cdt {metric} {context} alone")
        if x.all() or not on_gpu():
            same(indices, at, f"cdt {metric} {context}")
        else:
            is_nearest(indices, x, want, metric, None, f"cdt {metric} {context}")


@pytest.mark.parametrize("shape", SHAPES)
def test_distances(shape):
    g = generator("distances", shape)
    for share in (0.0, 0.3, 0.9, 0.995, 1.0):
        x = g.random(shape) < share
        check_all(gnd.from_numpy(x), x, f"{shape} {share}")
    x = np.ones(shape, bool)
    x.flat[g.integers(x.size)] = False
    check_all(gnd.from_numpy(x), x, f"{shape} a zero")


def test_of_lines_longer_than_blocks():
    """More rows than a block takes of the first axis, and lines that do not fit into a block's memory."""
    g = generator("long")
    for shape in [(10_000, 3), (3, 14_000), (2, 9_000, 2), (9_000,)]:
        for zeros in (0, 1, 40):
            x = np.ones(shape, bool)
            x.flat[g.integers(0, x.size, zeros)] = False
            want = ndimage.distance_transform_edt(x, return_indices=True)
            for got, w in zip(edt(gnd.from_numpy(x)), want):
                same(got, w, f"{shape} {zeros}")
            sampling = [1.5, 0.25, 3.0][:x.ndim]
            got, indices = edt(gnd.from_numpy(x), sampling)
            same(got, ndimage.distance_transform_edt(x, sampling), f"{shape} {zeros} {sampling}")


def test_shapes_of_a_picture():
    """Discs, rings and lines, near and far from zeros."""
    rows, columns = np.mgrid[:300, :333]
    disc = (rows - 150)**2 + (columns - 100)**2 < 90**2
    for x in (disc, ~disc, disc ^ ((rows - 150)**2 + (columns - 100)**2 < 60**2), rows != 299, columns != 0,
              rows != columns, (rows + columns) % 100 != 0, (rows % 64 != 0) | (columns % 50 != 7)):
        a = gnd.from_numpy(x)
        for got, want in zip(edt(a), ndimage.distance_transform_edt(x, return_indices=True)):
            same(got, want, "edt")
        for metric in ("taxicab", "chessboard"):
            same(cdt(a, metric)[0], ndimage.distance_transform_cdt(x, metric), metric)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_what_is_not_zero(dtype):
    g = generator("distances of dtypes", dtype)
    for shape in [(40,), (12, 35), (4, 5, 6)]:
        a, x = strided(g, shape, dtype)
        keep = g.random(shape) < 0.8
        a = gnd.astype(gnd.multiply(a, gnd.from_numpy(keep)), dtype)
        x = dtypes.wide(a.numpy()) != 0 if dtype not in dtypes.COMPLEX else a.numpy() != 0
        check_all(a, x, f"{dtype} {shape}")
        check_all(gnd.transpose(a), x.T, f"{dtype} {shape} transposed")


@pytest.mark.parametrize("shape", [(30,), (20, 45), (6, 7, 9), (3, 4, 5, 4)])
def test_spacings(shape):
    g = generator("spacings", shape)
    for share in (0.5, 0.95, 1.0):
        x = g.random(shape) < share
        a = gnd.from_numpy(x)
        for sampling in ([2.0] * x.ndim, list(g.uniform(0.1, 5, x.ndim))):
            distances, indices = edt(a, sampling)
            want = ndimage.distance_transform_edt(x, sampling)
            same(distances, want, f"{shape} {share} {sampling}")
            if not x.all():
                is_nearest(indices, x, want, "euclidean", sampling, f"{shape} {share} {sampling}")
            for metric in METRICS:
                got, indices = bf(a, metric, sampling)
                want = ndimage.distance_transform_bf(x, metric, sampling)
                same(got, want, f"bf {metric} {shape} {share} {sampling}")


def test_one_of_both():
    x = generator("one").random((30, 40)) < 0.7
    a = gnd.from_numpy(x)
    both, one, other = edt(a), edt(a, indices=False), edt(a, distances=False)
    assert one[1] is None and other[0] is None
    assert (one[0].numpy() == both[0].numpy()).all() and (other[1].numpy() == both[1].numpy()).all()
    both, one, other = bf(a), bf(a, indices=False), bf(a, distances=False)
    assert (one[0].numpy() == both[0].numpy()).all() and (other[1].numpy() == both[1].numpy()).all()
    structure = np.eye(3, dtype=bool)
    for given in (None, structure):
        both = cdt(a, "taxicab", given)
        one, other = cdt(a, "taxicab", given, indices=False), cdt(a, "taxicab", given, distances=False)
        assert (one[0].numpy() == both[0].numpy()).all() and (other[1].numpy() == both[1].numpy()).all()


def test_structures():
    """Those of a metric, and others, which go by SciPy's passes, to the index."""
    g = generator("structures of chamfers")
    for shape in [(40,), (1, 30), (25, 31), (6, 7, 8), (3, 4, 3, 5)]:
        x = g.random(shape) < 0.9
        a = gnd.from_numpy(x)
        for connectivity in range(1, x.ndim + 1):
            s = ndimage.generate_binary_structure(x.ndim, connectivity)
            same(cdt(a, "taxicab", s)[0], ndimage.distance_transform_cdt(x, s), f"{shape} {connectivity}")
        for _ in range(4):
            s = (g.random((3,) * x.ndim) < 0.5).astype("int64")
            for got, want in zip(cdt(a, "chessboard", s),
                                 ndimage.distance_transform_cdt(x, s.astype(bool), return_indices=True)):
                first = s.ravel()[:s.size // 2]
                away = np.abs(np.indices(s.shape) - 1).sum(axis=0).ravel()[:s.size // 2]
                if first.all() or ((away == 1) == first).all():
                    continue
                same(got, want, f"{shape} {s.tolist()}")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_property(data):
    ndim = data.draw(st.integers(1, 4))
    shape = tuple(data.draw(st.integers(1, [300, 70, 12, 6][ndim - 1])) for _ in range(ndim))
    g = generator("distance property", shape, data.draw(st.integers(0, 1000)))
    x = g.random(shape) < 1 - g.random()**3
    a = gnd.from_numpy(x)
    for got, want in zip(edt(a), ndimage.distance_transform_edt(x, return_indices=True)):
        same(got, want, f"{shape}")
    sampling = list(g.uniform(0.2, 3, ndim))
    same(edt(a, sampling)[0], ndimage.distance_transform_edt(x, sampling), f"{shape} {sampling}")
    for metric in ("taxicab", "chessboard"):
        same(cdt(a, metric)[0], ndimage.distance_transform_cdt(x, metric), f"{shape} {metric}")


def test_of_nothing():
    for shape in [(0,), (0, 3), (4, 0, 2)]:
        a = gnd.zeros(shape, "bool")
        for call, dtype in ((edt, "float64"), (bf, "float64"), (lambda b: cdt(b, "taxicab"), "int32")):
            distances, indices = call(a)
            assert distances.shape == shape and distances.dtype == dtype
            assert indices.shape == (len(shape),) + shape and indices.dtype == "int32"
    for value in (0.0, 2.0):
        for got, want in zip(edt(gnd.from_numpy(np.array(value))),
                             ndimage.distance_transform_edt(value, return_indices=True)):
            same(got, want, f"a number {value}")


def test_refused():
    a = gnd.zeros((4, 5), "bool")
    for call in (edt, bf, lambda b, **what: cdt(b, "taxicab", **what)):
        refused(lambda c=call: c(None), gnd.ERROR_INVALID, "'input' is NULL")
        refused(lambda c=call: c(a, distances=False, indices=False), gnd.ERROR_INVALID, "no place to write to")
    refused(lambda: edt(a, [1.0, float("inf")]), gnd.ERROR_VALUE, "axis 1 is inf")
    refused(lambda: bf(a, "euclidean", [float("nan"), 1.0]), gnd.ERROR_VALUE, "axis 0 is")
    refused(lambda: wanted("gnd_distance_transform_bf", a, 7, None), gnd.ERROR_INVALID, "metric number 7")
    refused(lambda: cdt(a, "euclidean"), gnd.ERROR_VALUE, "metric number 0")
    refused(lambda: cdt(gnd.zeros((), "bool"), "taxicab"), gnd.ERROR_SHAPE, "no dimensions")
    refused(lambda: bf(gnd.zeros((), "bool")), gnd.ERROR_SHAPE, "no dimensions")
    refused(lambda: cdt(a, "taxicab", np.ones((3,))), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: cdt(a, "taxicab", np.ones((3, 5))), gnd.ERROR_SHAPE, "(3, 5)")
