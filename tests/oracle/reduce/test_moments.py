"""gnd_moments: number, mean and squared deviations in one pass, beside NumPy, and joined to the moments of all."""

import numpy as np
import pytest

import dtypes
import gnd
from check import refused

g = np.random.default_rng(3)
DTYPES = ["bool", "int8", "uint16", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
SHAPES = [((), None), ((7,), None), ((7,), 0), ((6, 5), 0), ((6, 5), 1), ((6, 5), None), ((4, 3, 5), (0, 2)),
          ((4, 3, 5), 1), ((40000,), 0), ((3, 30000), 1), ((30000, 3), 0), ((0, 3), 0), ((3, 0), 0), ((100, 900), 0)]


def values(shape, dtype):
    x = np.asarray(g.normal(3, 2, shape))
    if dtype == "bool":
        return x > 3
    if dtype.startswith("complex"):
        return (x + 1j * g.normal(-1, 3, shape)).astype(dtype)
    return dtypes.cast(x + (100 if dtype in ("int64", "float64") else 4), dtype)


def axes_of(axis, **options):
    axes = gnd.axes(axis)
    for name, value in options.items():
        setattr(axes, name, value)
    return axes


def expected(x, axis, where=True, keepdims=False):
    x = np.asarray(x)
    wide = dtypes.cast(x, "float64") if x.dtype.kind not in "c" else x.astype("complex128")
    where = np.broadcast_to(where, wide.shape)
    with np.errstate(all="ignore"):
        number = np.sum(where, axis, keepdims=True)
        mean = np.where(number > 0, np.sum(np.where(where, wide, 0), axis, keepdims=True) / np.maximum(number, 1), 0)
        m2 = np.sum(np.where(where, abs(wide - mean)**2, 0), axis, keepdims=keepdims)
    if not keepdims:
        number, mean = (np.sum(a, axis) if a.size else a.reshape(m2.shape) for a in (number, mean))
    parts = [mean.real, mean.imag] if wide.dtype.kind == "c" else [mean]
    return np.stack([number.astype("float64"), *parts, m2], -1)


def close(got, want, dtype):
    assert got.dtype == "float64" and got.shape == want.shape
    limit = 2e-4 if dtype in ("float16", "bfloat16", "float32", "complex64") else 1e-11
    np.testing.assert_array_equal(got[..., 0], want[..., 0])
    np.testing.assert_allclose(got, want, rtol=limit, atol=limit)


@pytest.mark.parametrize("shape,axis", SHAPES, ids=str)
@pytest.mark.parametrize("dtype", DTYPES)
def test_moments(dtype, shape, axis):
    x = values(shape, dtype)
    for keepdims in (False, True):
        got = gnd.moments(gnd.from_numpy(x), axes_of(axis, keepdims=keepdims)).numpy()
        close(got, expected(x, axis, keepdims=keepdims), dtype)
    if len(shape) == 2 and x.size:
        mask = g.random(shape) < 0.4
        mask[:, 0] = False
        where = gnd.from_numpy(mask)
        got = gnd.moments(gnd.from_numpy(x), axes_of(axis, where=where.pointer)).numpy()
        close(got, expected(x, axis, mask), dtype)
        view = gnd.from_numpy(x)["::-1, ::2"]
        close(gnd.moments(view, axes_of(axis)).numpy(), expected(x[::-1, ::2], axis), dtype)


@pytest.mark.parametrize("dtype", ["int16", "float32", "float64", "complex64"])
def test_variances_follow(dtype):
    """The variance is what gnd_var gives, and parts join to the whole."""
    x = values((7, 5000), dtype) if dtype != "int16" else g.integers(-9, 9, (7, 5000)).astype(dtype)
    whole = gnd.moments(gnd.from_numpy(x), gnd.axes(None)).numpy()
    var = gnd.var(gnd.from_numpy(x), gnd.axes(None), 1.0).numpy()
    np.testing.assert_allclose(whole[-1] / (whole[0] - 1), var, rtol=1e-6 if dtype[-2:] in ("32", "64") else 1e-12)
    rows = gnd.moments(gnd.from_numpy(x), gnd.axes(1)).numpy()
    number = rows[:, 0].sum()
    mean = (rows[:, :1] * rows[:, 1:-1]).sum(0) / number
    m2 = rows[:, -1].sum() + (rows[:, 0] * ((rows[:, 1:-1] - mean)**2).sum(1)).sum()
    np.testing.assert_allclose([number, *mean, m2], whole, rtol=1e-5)


def test_dtypes():
    x = values((50, 3), "float32")
    got = gnd.moments(gnd.from_numpy(x), axes_of(0, dtype=gnd.FLOAT64)).numpy()
    np.testing.assert_allclose(got, expected(x, 0), rtol=1e-13)
    got = gnd.moments(gnd.from_numpy(x), axes_of(0, dtype=gnd.COMPLEX128)).numpy()
    assert got.shape[-1] in (3, 4)
    far = 1e8 + np.arange(4.0)
    np.testing.assert_allclose(gnd.moments(gnd.from_numpy(far), gnd.axes(0)).numpy(), [4, 1e8 + 1.5, 5], rtol=1e-15)
    nan = gnd.moments(gnd.from_numpy(np.array([1, np.nan])), gnd.axes(0)).numpy()
    assert nan[0] == 2 and np.isnan(nan[1:]).all()


def test_what_is_refused():
    x = gnd.zeros((3, 4), None)
    refused(lambda: gnd.moments(None, gnd.axes(None)), gnd.ERROR_INVALID, "NULL")
    refused(lambda: gnd.moments(x, gnd.axes(2)), gnd.ERROR_AXIS, "gnd_moments")
    out, start = gnd.zeros((4, 3), None), gnd.zeros((), None)
    refused(lambda: gnd.moments(x, axes_of(0, out=out.pointer)), gnd.ERROR_INVALID, "out")
    refused(lambda: gnd.moments(x, axes_of(0, dtype=gnd.INT64)), gnd.ERROR_DTYPE, "int64")
    refused(lambda: gnd.moments(x, axes_of(0, initial=start.pointer)), gnd.ERROR_INVALID, "initial")
    refused(lambda: gnd.moments(gnd.zeros((1,) * 64, None), axes_of(None, keepdims=True)), gnd.ERROR_SHAPE, "64")
