"""B-splines against SciPy's: values, coefficients of signals and images, smoothing, splines at points."""

import numpy as np
import pytest
from scipy import signal
from scipy.signal import _spline_filters as scipy_splines

import dtypes
import gnd
from check import refused
from test_faults import run_with_failures
from test_resample import strided
from values import generator

REAL = [d for d in dtypes.NAMES if d not in dtypes.COMPLEX]
NARROW = ("float16", "bfloat16", "float32")


def near(got, want, dtype, tolerance, context):
    assert got.dtype == dtype and got.shape == want.shape, f"{context}: {got.dtype} {got.shape}, not {want.shape}"
    x = dtypes.wide(got.numpy())
    finite = np.isfinite(want)
    assert np.array_equal(finite, np.isfinite(x)), context
    scale = max(1e-300, np.abs(want[finite]).max(initial=0))
    worst = np.abs(x[finite] - want[finite]).max(initial=0) / scale
    assert worst <= tolerance, f"{context}: {worst}"


# ---- values ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
def test_basis(dtype):
    g = generator("basis", dtype)
    for shape in [(), (0,), (1,), (200,), (3, 40)]:
        a, x = strided(g, shape, dtype)
        x = dtypes.wide(x).astype("float64")
        result = "float32" if dtype in NARROW else "float64"
        tolerance = 1e-7 if result == "float32" else 1e-15
        for n in (0, 1, 3, 20):
            near(gnd.gauss_spline(a, n), np.asarray(signal.gauss_spline(x, n)), result, tolerance, f"{shape} {n}")
        near(gnd.cubic(a), np.asarray(scipy_splines._cubic(x)), result, tolerance, f"cubic {shape}")
        near(gnd.quadratic(a), np.asarray(scipy_splines._quadratic(x)), result, tolerance, f"quadratic {shape}")


def test_basis_at_its_knots():
    x = np.array([-np.inf, -2.5, -2, -1.5, -1, -0.5, -0.0, 0.5, 1, 1.5, 2, 1e300, np.inf, np.nan])
    a = gnd.from_numpy(x)
    near(gnd.cubic(a), scipy_splines._cubic(x), "float64", 1e-15, "cubic")
    near(gnd.quadratic(a), scipy_splines._quadratic(x), "float64", 1e-15, "quadratic")
    near(gnd.gauss_spline(a, 3), signal.gauss_spline(x, 3), "float64", 1e-15, "gauss_spline")


# ---- signals --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_signals(dtype):
    g = generator("cspline1d", dtype)
    result = "complex128" if dtype in dtypes.COMPLEX else "float64"
    for n in (1, 2, 3, 4, 31, 32, 33, 35, 36, 71, 200, 4096, 4097, 4480, 4481, 9001):
        a, x = strided(g, (n,), dtype)
        x = dtypes.wide(x)
        near(gnd.cspline1d(a, 0.0), signal.cspline1d(x), result, 1e-14, f"cubic {n}")
        near(gnd.qspline1d(a, 0.0), signal.qspline1d(x), result, 1e-14, f"quadratic {n}")
        if n >= 3:
            for lamb in (0.1, 1.0, 5.0, 300.0):
                near(gnd.cspline1d(a, lamb), signal.cspline1d(x, lamb), result, 1e-12, f"smooth {n} {lamb}")


def test_a_smoothing_that_reaches_far():
    """Beyond the halo of the one launch: two recursive filters."""
    g = generator("cspline1d far")
    for n in (500, 600, 3000):
        x = g.normal(size=n).cumsum()
        for lamb in (1e5, 1e8):
            near(gnd.cspline1d(gnd.from_numpy(x), lamb), signal.cspline1d(x, lamb), "float64", 1e-6, f"{n} {lamb}")


# ---- images ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_images(dtype):
    g = generator("cspline2d", dtype)
    for shape in [(30, 40), (129, 67), (300, 33), (40, 5000), (1200, 36), (36, 71), (421, 40)]:
        a, x = strided(g, shape, dtype)
        x = dtypes.wide(x)
        result = {"complex64": "complex64", "complex128": "complex128"}.get(dtype, "float64")
        result = "float32" if dtype in NARROW else result
        single = result in ("float32", "complex64")
        tolerance = 4e-6 if single else 1e-13
        x = x.astype(result)  # SciPy's precision depends on it
        for precision in (-1.0, 1e-4, 0.0):
            for name in ("cspline2d", "qspline2d"):
                want = getattr(signal, name)(x, 0.0, precision)
                near(getattr(gnd, name)(a, 0.0, precision), want, result, tolerance, f"{name} {shape} {precision}")
        if dtype in dtypes.COMPLEX:
            continue
        for lamb in (0.2, 5.0):
            want = signal.cspline2d(x, lamb)
            near(gnd.cspline2d(a, lamb, -1.0), want, result, 2e-5 if single else 1e-12, f"{lamb} {shape}")


def test_spline_filter():
    g = generator("spline_filter")
    for dtype in ("float32", "float64", "complex64", "complex128"):
        for shape in [(40, 50), (129, 67)]:
            a, x = strided(g, shape, dtype)
            for lmbda in (0.0, 5.0, 0.5):
                if dtype in dtypes.COMPLEX and lmbda > 0:
                    continue
                want = signal.spline_filter(x, lmbda)
                near(gnd.spline_filter(a, lmbda), want, dtype, 1e-12 if dtype == "float64" else 1e-5,
                     f"{dtype} {shape} {lmbda}")


# ---- at points ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", REAL)
def test_at_points(dtype):
    g = generator("spline eval", dtype)
    for n in (2, 3, 7, 300):
        for cj_dtype in ("float32", "float64", "complex64", "complex128", "int32", "float16"):
            _, cj = strided(g, (n,), cj_dtype)
            for shape in [(), (0,), (50,), (4, 9)]:
                a, x = strided(g, shape, dtype)
                x = dtypes.wide(x).astype("float64")
                for dx, x0 in [(1.0, 0), (0.25, -3)]:
                    for name in ("cspline1d_eval", "qspline1d_eval"):
                        cubic = name[0] == "c"
                        if cj_dtype == "int32" if cubic else cj_dtype.startswith("c"):
                            continue
                        wide = dtypes.wide(cj)
                        good = np.isfinite(x)
                        want = np.full(x.shape, np.nan, wide.dtype)
                        want[good] = getattr(signal, name)(wide, x[good], dx, x0)
                        floating = dtype in ("float16", "bfloat16", "float32", "float64")
                        result = cj_dtype if cubic else dtype if floating else "float64"
                        tolerance = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 4e-7, "complex64": 4e-7}
                        near(getattr(gnd, name)(gnd.from_numpy(cj), a, dx, float(x0)), want, result,
                             tolerance.get(result, 1e-9), f"{name} {n} {cj_dtype} {shape} {dx}")


def test_points_that_are_not_finite_and_a_single_coefficient():
    cj, x = gnd.from_numpy(np.array([2.0, 1.0, 4.0])), gnd.from_numpy(np.array([np.nan, np.inf, -np.inf, 0.5]))
    for f in (gnd.cspline1d_eval, gnd.qspline1d_eval):
        assert np.array_equal(np.isnan(f(cj, x, 1.0, 0.0).numpy()), [True, True, True, False])
    one = gnd.from_numpy(np.array([6.0]))  # mirrored at both ends: 6 everywhere, times the weights that sum up to 1
    zero = gnd.from_numpy(np.zeros(1))
    assert np.allclose(gnd.cspline1d_eval(one, zero, 1.0, 0.0).numpy(), 6)


def test_a_spline_goes_through_its_samples():
    g = generator("spline through")
    x = g.normal(size=500)
    knots = gnd.from_numpy(np.arange(500.0))
    a = gnd.from_numpy(x)
    near(gnd.cspline1d_eval(gnd.cspline1d(a, 0.0), knots, 1.0, 0.0), x, "float64", 1e-14, "cubic")
    near(gnd.qspline1d_eval(gnd.qspline1d(a, 0.0), knots, 1.0, 0.0), x, "float64", 1e-14, "quadratic")


# ---- refused --------------------------------------------------------------------------------------------------


def test_refused():
    x, z = gnd.zeros(9, "float64"), gnd.zeros(9, "complex64")
    image = gnd.zeros((5, 9), "float64")
    refused(lambda: gnd.gauss_spline(x, -1), gnd.ERROR_VALUE, "order n is -1")
    refused(lambda: gnd.gauss_spline(z, 3), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.cubic(z), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.quadratic(z), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.cspline1d(image, 0.0), gnd.ERROR_SHAPE, "(5, 9)")
    refused(lambda: gnd.cspline1d(gnd.zeros(0, "float64"), 0.0), gnd.ERROR_SHAPE, "at least 1")
    refused(lambda: gnd.cspline1d(gnd.zeros(2, "float64"), 1.0), gnd.ERROR_SHAPE, "at least 3")
    refused(lambda: gnd.cspline1d(x, 0.001), gnd.ERROR_VALUE, "lamb is 0.001")
    refused(lambda: gnd.cspline1d(x, 0.01), gnd.ERROR_VALUE, "lamb is 0.01", "-8.39")
    refused(lambda: gnd.qspline1d(x, 1.0), gnd.ERROR_VALUE, "lamb is 1")
    refused(lambda: gnd.cspline2d(image, 0.0, -1.0), gnd.ERROR_VALUE, "9 samples")
    refused(lambda: gnd.cspline2d(x, 0.0, -1.0), gnd.ERROR_SHAPE, "two dimensions")
    refused(lambda: gnd.cspline2d(gnd.zeros((0, 9), "float64"), 0.0, -1.0), gnd.ERROR_SHAPE, "an element")
    refused(lambda: gnd.cspline2d(gnd.zeros((90, 90), "complex64"), 1.0, -1.0), gnd.ERROR_DTYPE, "complex64")
    refused(lambda: gnd.qspline2d(image, 0.5, -1.0), gnd.ERROR_VALUE, "lamb is 0.5")
    refused(lambda: gnd.spline_filter(gnd.zeros((90, 90), "int32"), 5.0), gnd.ERROR_DTYPE, "int32")
    refused(lambda: gnd.cspline1d_eval(gnd.zeros(0, "float64"), x, 1.0, 0.0), gnd.ERROR_SHAPE, "cj")
    refused(lambda: gnd.cspline1d_eval(gnd.zeros(4, "int32"), x, 1.0, 0.0), gnd.ERROR_DTYPE, "int32")
    refused(lambda: gnd.cspline1d_eval(x, z, 1.0, 0.0), gnd.ERROR_DTYPE, "newx")
    refused(lambda: gnd.qspline1d_eval(z, x, 1.0, 0.0), gnd.ERROR_DTYPE, "complex64")


def test_out_of_memory_at_every_allocation():
    g = generator("splines memory")
    x, image = gnd.from_numpy(g.normal(size=800)), gnd.from_numpy(g.normal(size=(40, 50)).astype("float32"))
    for call in [lambda: gnd.cspline1d(x, 0.0), lambda: gnd.cspline1d(x, 1e6), lambda: gnd.cspline2d(image, 5.0, -1.0),
                 lambda: gnd.spline_filter(image, 5.0), lambda: gnd.cspline1d_eval(x, image, 1.0, 0.0),
                 lambda: gnd.cubic(image)]:
        want = call().numpy()  # what libraries keep, a workspace of cuBLAS, is no leak
        result, failures = run_with_failures(call)
        assert failures > 0
        near(result, want, str(want.dtype), 1e-6, "again")
