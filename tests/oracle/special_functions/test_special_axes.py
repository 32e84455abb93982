"""softmax and logsumexp over axes, Jacobi's elliptic functions and spherical harmonics, against SciPy's."""

import ctypes

import numpy as np
import pytest
import scipy.special

import dtypes
import fused
import gnd
from check import refused
from values import generator

AXES = [None, 0, -1, (0, 2)]
INF, NAN = np.inf, np.nan
ROWS = [np.array([1.0, 2.0, 3.0]), np.array([1e3, 1e3 + 1, -1e3]), np.array([0.0, -50.0]), np.array([-INF, -INF]),
        np.array([INF, 1.0]), np.array([-INF, 2.0]), np.array([NAN, 1.0]), np.array([5.0]), np.array([7.0, 7.0, 7.0])]


def some(dtype, shape=(4, 5, 6)):
    x = generator("softmax", dtype).normal(size=shape) * 5
    return np.round(x).astype(dtype) if dtypes.DTYPES[dtype].kind in "iub" else x.astype(dtype)


def tolerance(dtype):
    return {"float16": 4e-3, "float32": 3e-6}.get(dtype, 1e-13)


# ---- softmax --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", [gnd.softmax, gnd.log_softmax], ids=["softmax", "log_softmax"])
@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int32"])
def test_softmax(call, axis, dtype):
    x, name = some(dtype), "softmax" if call is gnd.softmax else "log_softmax"
    want = getattr(scipy.special, name)(x.astype("float64"), axis=axis)
    got = call(gnd.from_numpy(x), gnd.Axes(*np.atleast_1d(axis)) if axis is not None else None)
    assert got.dtype == (dtype if dtype != "int32" else "float64")
    np.testing.assert_allclose(got.numpy(), want, rtol=tolerance(dtype) * (4 if name == "log_softmax" else 1),
                               atol=2e-3 if dtype == "float16" else 1e-7)


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_softmax_of_infinities(row):
    for name in ("softmax", "log_softmax"):
        with np.errstate(all="ignore"):
            want = getattr(scipy.special, name)(row)
        np.testing.assert_allclose(getattr(gnd, name)(gnd.from_numpy(row), None).numpy(), want, rtol=1e-14)


def test_softmax_of_strides_and_in_a_block():
    x = some("float32", (300, 700))
    view = gnd.from_numpy(x)["::-2, ::3"]
    want = scipy.special.softmax(x[::-2, ::3], axis=1)
    np.testing.assert_allclose(gnd.softmax(view, gnd.Axes(1)).numpy(), want, 3e-6)
    got = fused.fused(lambda: gnd.add(gnd.softmax(gnd.from_numpy(x), gnd.Axes(-1)), 1))
    np.testing.assert_allclose(got.numpy(), scipy.special.softmax(x, axis=-1) + 1, 3e-6)


def test_softmax_refuses():
    x = gnd.ones((2, 3), "float32")
    for name in ("softmax", "log_softmax"):
        call = getattr(gnd, name)
        refused(lambda: call(gnd.ones((2,), "complex64"), None), gnd.ERROR_DTYPE)
        refused(lambda: call(x, gnd.Axes(2)), gnd.ERROR_AXIS)
        refused(lambda: call(x, gnd.Axes(0, keepdims=True)), gnd.ERROR_INVALID, "keepdims")
        refused(lambda: call(gnd.zeros((0, 3), "float32"), gnd.Axes(0)), gnd.ERROR_VALUE)


# ---- logsumexp ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int32"])
def test_logsumexp(axis, keepdims, dtype):
    x = some(dtype)
    axes = gnd.Axes(*(np.atleast_1d(axis) if axis is not None else ()), keepdims=keepdims)
    want = scipy.special.logsumexp(x.astype("float64"), axis=axis, keepdims=keepdims)
    got = gnd.logsumexp(gnd.from_numpy(x), None, axes)
    assert got.dtype == ("float32" if dtype == "float32" else "float64") and got.shape == want.shape
    np.testing.assert_allclose(got.numpy(), want, rtol=tolerance(dtype))
    b = generator("factors").normal(size=(5, 1)).astype(dtype)
    want, sign = scipy.special.logsumexp(x.astype("float64"), b=b.astype("float64"), axis=axis, keepdims=keepdims,
                                         return_sign=True)
    room = gnd.outputs(2)
    first = ctypes.addressof(room)
    gnd.logsumexp_sign(first, first + ctypes.sizeof(ctypes.c_void_p), gnd.from_numpy(x), gnd.from_numpy(b), axes)
    value, signs = [a.numpy() for a in gnd.take(room)]
    assert value.shape == want.shape and np.array_equal(signs, sign)
    np.testing.assert_allclose(value, want, rtol=30 * tolerance(dtype), atol=30 * tolerance(dtype))


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_logsumexp_of_infinities(row):
    with np.errstate(all="ignore"):
        want = scipy.special.logsumexp(row)
        with_factors = scipy.special.logsumexp(row, b=np.full(row.shape, -2.0))
    assert np.allclose(gnd.logsumexp(gnd.from_numpy(row), None, None).numpy(), want, rtol=1e-15, atol=0, equal_nan=True)
    got = gnd.logsumexp(gnd.from_numpy(row), gnd.full(row.shape, -2.0, "float64"), None).numpy()
    assert np.isnan(got) and np.isnan(with_factors) or got == with_factors


def test_logsumexp_at_the_edges():
    small = gnd.from_numpy(np.array([0.0, -50.0]))
    assert gnd.logsumexp(small, None, None).numpy() == np.log1p(np.exp(-50.0))
    zeros = gnd.from_numpy(np.array([0.0, 1.0]))
    assert gnd.logsumexp(gnd.from_numpy(np.array([INF, 2.0])), zeros, None).numpy() == 2
    empty = gnd.logsumexp(gnd.zeros((0, 2), "float32"), None, gnd.Axes(0)).numpy()
    assert empty.shape == (2,) and (empty == -INF).all()
    refused(lambda: gnd.logsumexp(gnd.ones((2,), "complex64"), None, None), gnd.ERROR_DTYPE)
    refused(lambda: gnd.logsumexp(gnd.ones((2,), "float32"), gnd.ones((3,), "float32"), None), gnd.ERROR_SHAPE)
    refused(lambda: gnd.logsumexp(small, None, gnd.Axes(0, dtype="float32")), gnd.ERROR_INVALID, "dtype")


# ---- Jacobi's functions, spherical harmonics ------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_ellipj(dtype):
    g = generator("ellipj")
    u = np.concatenate([g.uniform(-20, 20, 200), [0.0, 1.0, 5.0, INF, NAN, 2.0, 1e-3, 0.5]]).astype(dtype)
    m = np.concatenate([g.uniform(0, 1, 200), [0.5, 0.0, 1.0, 0.5, 0.5, 1.5, 1e-12, -0.1]]).astype(dtype)
    room = gnd.outputs(4)
    first, step = ctypes.addressof(room), ctypes.sizeof(ctypes.c_void_p)
    gnd.ellipj(*(first + i * step for i in range(4)), gnd.from_numpy(u), gnd.from_numpy(m))
    with np.errstate(all="ignore"):
        want = scipy.special.ellipj(u.astype("float64"), m.astype("float64"))
    for got, right in zip(gnd.take(room), want):
        assert got.dtype == dtype
        np.testing.assert_allclose(got.numpy(), right, rtol=2e-6 if dtype == "float32" else 1e-11, atol=1e-7
                                   if dtype == "float32" else 2e-13)
    alone = gnd.outputs(1)
    gnd.ellipj(ctypes.addressof(alone), None, None, None, 0.5, gnd.from_numpy(m[:3]))
    np.testing.assert_allclose(gnd.take(alone)[0].numpy(), scipy.special.ellipj(0.5, m[:3].astype("float64"))[0], 1e-6)


def test_spherical_harmonics():
    g = generator("sph_harm")
    n = g.integers(0, 30, 300)
    m = np.array([g.integers(-k, k, endpoint=True) for k in n])
    theta, phi = g.uniform(0, np.pi, 300), g.uniform(0, 2 * np.pi, 300)
    want = scipy.special.sph_harm_y(n, m, theta, phi)
    operands = [gnd.from_numpy(a) for a in (n, m, theta, phi)]
    np.testing.assert_allclose(gnd.sph_harm_y(*operands).numpy(), want, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(gnd.sph_harm(*(operands[i] for i in (1, 0, 3, 2))).numpy(), want, rtol=1e-11, atol=1e-14)
    single = gnd.sph_harm_y(3, -2, gnd.from_numpy(theta.astype("float32")), 0.25)
    assert single.dtype == "complex64"
    np.testing.assert_allclose(single.numpy(), scipy.special.sph_harm_y(3, -2, theta, 0.25), rtol=1e-4, atol=1e-6)
    assert np.isnan(gnd.sph_harm_y(-1, 0, 0.5, 0.5).numpy()) and gnd.sph_harm_y(1, 2, 0.5, 0.5).numpy() == 0
