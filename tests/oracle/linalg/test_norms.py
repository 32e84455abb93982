"""Norms, condition numbers, ranks and traces against NumPy: every order and pair of axes, dtypes, layouts,
empty arrays, singular matrices, and what is refused."""

import itertools

import numpy as np
import pytest

import dtypes
import gnd
from check import assert_same, refused
from test_faults import run_with_failures
from test_solve import DTYPES, EPS, REAL, laid_out, normal
from values import apply_numpy, generator, layouts

MATRIX_ORDERS = [None, "fro", "nuc", "inf", "-inf", "1", "-1", "2", "-2"]
VECTOR_ORDERS = [None, "inf", "-inf", "0", "1", "-1", "2", "-2", "3", "0.5", "2.5"]
WIDER = {"float16": 2.0**-10, "bfloat16": 2.0**-7}


def numpy_order(order):
    return order if order in (None, "fro", "nuc") else float(order)


def check_number(got, want, context, near, dtype=None, size=0.0):
    """`size`: of the numbers whose rounding errors `near` times it are."""
    want = np.asarray(want)
    assert got.dtype == (dtype or want.dtype.name), f"{context}: {got.dtype}, not {want.dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    np.testing.assert_allclose(dtypes.widen(got.numpy()).astype("float64"), want.astype("float64"), near, near * size,
                               err_msg=context)


# ---- norms ---------------------------------------------------------------------------------------------------


def axes_of(axis, keepdims):
    if axis is None:
        return gnd.Axes(keepdims=keepdims)
    return gnd.Axes(*(axis if isinstance(axis, tuple) else (axis,)), keepdims=keepdims)


def check_norm(a, x, order, axis, keepdims, context):
    """gnd gives NumPy's number, or refuses what NumPy refuses."""
    near = 100 * EPS.get(REAL.get(x.dtype.name), 2.0**-53) * max(x.size, 1)
    with np.errstate(all="ignore"):
        try:
            want = np.linalg.norm(x, numpy_order(order), axis, keepdims)
        except ValueError:
            with pytest.raises(gnd.Error):
                gnd.norm(a, order, axes_of(axis, keepdims))
            return
    size = abs(x).sum() if order in ("2", "-2", "nuc") else 0  # singular values may vanish
    check_number(gnd.norm(a, order, axes_of(axis, keepdims)), want, context, near, size=size)


@pytest.mark.parametrize("dtype", DTYPES + ["int16", "bool"])
def test_norm(dtype):
    g = generator("norm", dtype)
    for shape in [(1,), (7,), (1, 1), (4, 5), (5, 4), (3, 4, 5), (2, 1, 3, 4)]:
        a, x = laid_out(shape, "complex128" if dtype in dtypes.COMPLEX else "float64", g)
        x = x * 3
        if dtype in ("int16", "bool"):
            x = np.round(x)
        x = x.astype(dtype)
        a = gnd.from_numpy(x)
        places = [None] + list(range(-len(shape), len(shape))) + list(itertools.permutations(range(len(shape)), 2))
        for axis in places + [(-1, 0), (0, -2)] * (len(shape) > 2):
            for order in sorted(set(MATRIX_ORDERS + VECTOR_ORDERS), key=str):
                for keepdims in (False, True):
                    check_norm(a, x, order, axis, keepdims, f"{dtype} {shape} {order} {axis} {keepdims}")


def test_norm_of_every_layout():
    g = generator("norm layouts")
    for layout in layouts((3, 4, 5)):
        base = normal(layout.base, "complex128", g)
        a, x = gnd.view(base, layout.steps), apply_numpy(base, layout.steps)
        for axis in [0, 1, 2, (0, 1), (2, 0), (1, 2)]:
            for order in [None, "1", "-inf", "2"] + ["nuc", "-2"] * isinstance(axis, tuple):
                check_norm(a, x, order, axis, False, f"{layout} {axis} {order}")


@pytest.mark.parametrize("shape", [(0,), (0, 0), (0, 3), (3, 0), (2, 0, 3), (0, 2, 3)])
def test_norm_of_nothing(shape):
    x = np.zeros(shape)
    a = gnd.from_numpy(x)
    for axis in [None] + list(range(len(shape))) + list(itertools.permutations(range(len(shape)), 2)):
        for order in sorted(set(MATRIX_ORDERS + ["0", "3"]), key=str):
            check_norm(a, x, order, axis, False, f"{shape} {axis} {order}")


def test_norms_of_halves():
    """Reductions take float16 and bfloat16; singular values do not."""
    x = (generator("half").normal(size=(4, 5)) * 2)
    for dtype, near in WIDER.items():
        y = dtypes.cast(x, dtype)
        a = gnd.from_numpy(y)
        for order, axis in [(None, None), ("1", 0), ("inf", 1), ("fro", (0, 1)), ("-1", (0, 1)), ("inf", (1, 0))]:
            want = np.linalg.norm(dtypes.widen(y), numpy_order(order), axis)
            check_number(gnd.norm(a, order, axes_of(axis, False)), want, f"{dtype} {order}", 4 * near, dtype)
        refused(lambda: gnd.norm(a, "2", None), gnd.ERROR_DTYPE, "gnd_norm", dtype)


def test_matrix_norm():
    g = generator("matrix_norm")
    for dtype in DTYPES:
        for shape in [(4, 4), (2, 3, 5), (2, 2, 5, 3)]:
            a, x = laid_out(shape, dtype, g)
            for order in MATRIX_ORDERS + ["1.0", "f"]:
                for keepdims in (False, True):
                    want = np.linalg.matrix_norm(x, ord=numpy_order("fro" if order == "f" else order),
                                                 keepdims=keepdims)
                    if order is None:
                        want = np.linalg.matrix_norm(x, keepdims=keepdims)
                    check_number(gnd.matrix_norm(a, order, keepdims), want, f"{dtype} {shape} {order}",
                                 1000 * EPS[dtype])
    refused(lambda: gnd.matrix_norm(gnd.ones(3, "float32"), None, False), gnd.ERROR_SHAPE, "gnd_matrix_norm", "(3,)")
    refused(lambda: gnd.matrix_norm(gnd.ones((3, 3), "float32"), "3", False), gnd.ERROR_INVALID, "order 3")
    refused(lambda: gnd.matrix_norm(None, "1", False), gnd.ERROR_INVALID, "'x' is NULL")


def test_norm_of_nan():
    x = np.ones((3, 4))
    x[1, 2] = np.nan
    a = gnd.from_numpy(x)
    for order in [None, "1", "-1", "inf", "-inf", "fro"]:
        assert np.isnan(gnd.norm(a, order, None).numpy())
    got = gnd.norm(a, "2", None)
    refused(lambda: got.numpy(), gnd.ERROR_VALUE, "gnd_norm", "converge")
    assert np.isnan(got.numpy())


def test_norm_refuses():
    x = gnd.ones((2, 3), "float64")
    refused(lambda: gnd.norm(None, None, None), gnd.ERROR_INVALID, "'x' is NULL")
    for order in ("frob", "", "2x", "nan", "1,0", " 2", "2 ", "0x2", "-0x1p1", "+-2", ".", "e3", "1e", "1e+", "1.2.3",
                  "infinit", "- inf"):
        refused(lambda: gnd.norm(x, order, None), gnd.ERROR_INVALID, "gnd_norm", f'"{order}"')
    for order in ("0", "3", "0.5"):
        refused(lambda: gnd.norm(x, order, None), gnd.ERROR_INVALID, "matrices", order)
    for order in ("fro", "nuc"):
        refused(lambda: gnd.norm(x, order, 0), gnd.ERROR_INVALID, "vectors", order)
    refused(lambda: gnd.norm(gnd.ones((2, 2, 2), "int8"), "2", None), gnd.ERROR_INVALID, "there are 3")
    refused(lambda: gnd.norm(gnd.ones((), "int8"), "2", None), gnd.ERROR_INVALID, "there are 0")
    refused(lambda: gnd.norm(x, None, ()), gnd.ERROR_INVALID, "there are 0")
    refused(lambda: gnd.norm(x, None, 2), gnd.ERROR_AXIS, "axis 2")
    refused(lambda: gnd.norm(x, None, (0, 0)), gnd.ERROR_AXIS, "twice")
    refused(lambda: gnd.norm(x, None, gnd.Axes(0, dtype="float32")), gnd.ERROR_INVALID, "keepdims")
    refused(lambda: gnd.norm(x, None, gnd.Axes(0, out=x)), gnd.ERROR_INVALID, "keepdims")
    assert gnd.norm(gnd.full((), -3.0, "float64"), None, None).numpy() == 3


# ---- condition numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_cond(dtype):
    g = generator("cond", dtype)
    for shape in [(1, 1), (5, 5), (2, 4, 4), (2, 2, 3, 3), (0, 3, 3)]:
        a, x = laid_out(shape, dtype, g)
        for order in MATRIX_ORDERS:
            with np.errstate(all="ignore"):
                want = np.linalg.cond(x, numpy_order(order))
            near = 1e3 * EPS[dtype] * np.linalg.cond(x).max(initial=1)
            check_number(gnd.cond(a, order), np.asarray(want).astype(REAL[dtype]), f"{dtype} {shape} {order}", near)
    for shape in [(3, 5), (5, 3), (2, 3, 4)]:
        a, x = laid_out(shape, dtype, g)
        for order in (None, "2", "-2"):
            check_number(gnd.cond(a, order), np.linalg.cond(x, numpy_order(order)), f"{shape} {order}",
                         1e4 * EPS[dtype])


def test_cond_of_singular_matrices():
    """Infinite, and nothing to report."""
    x = np.stack([np.eye(2), np.diag([1.0, 0]), np.zeros((2, 2)), np.ones((2, 2)), 2 * np.eye(2)])
    a = gnd.from_numpy(x)
    for order in ("fro", "1", "-1", "inf", "-inf"):
        want = np.linalg.cond(x, numpy_order(order))
        assert np.isinf(want[1:4]).all()
        assert np.allclose(gnd.cond(a, order).numpy(), want), order
    for order in (None, "2", "-2", "nuc"):
        got = gnd.cond(a["1:3"], order).numpy()
        assert np.array_equal(got, [np.inf, np.inf] if order == "nuc" else np.linalg.cond(x[1:3], numpy_order(order)))
    gnd.sync()


def test_cond_of_nan():
    x = np.stack([np.eye(2), np.array([[1, np.nan], [0, 1]])])
    for order in ("fro", "1", "-1", "inf", "-inf"):
        got, want = gnd.cond(gnd.from_numpy(x), order).numpy(), np.linalg.cond(x, numpy_order(order))
        assert np.array_equal(got, want, equal_nan=True), f"{order} {got}"
    got = gnd.cond(gnd.from_numpy(x), None)
    refused(lambda: gnd.sync(), gnd.ERROR_VALUE, "gnd_cond", "matrix 1 of 2")
    assert np.array_equal(got.numpy(), [1, np.nan], equal_nan=True)


def test_cond_refuses():
    refused(lambda: gnd.cond(None, None), gnd.ERROR_INVALID, "'x' is NULL")
    refused(lambda: gnd.cond(gnd.ones(3, "float64"), None), gnd.ERROR_SHAPE, "(3,)")
    for order in ("1", "fro", "nuc", "-inf"):
        refused(lambda: gnd.cond(gnd.ones((2, 3), "float64"), order), gnd.ERROR_SHAPE, "square", "(2, 3)")
    for shape in [(0, 0), (2, 0), (4, 0, 3)]:
        for order in (None, "-2"):
            refused(lambda: gnd.cond(gnd.zeros(shape, "float64"), order), gnd.ERROR_VALUE, "empty")
    refused(lambda: gnd.cond(gnd.ones((2, 2), "float64"), "3"), gnd.ERROR_INVALID, "order 3")
    refused(lambda: gnd.cond(gnd.ones((2, 2), "float64"), "two"), gnd.ERROR_INVALID, '"two"')
    refused(lambda: gnd.cond(gnd.ones((2, 2), "float16"), None), gnd.ERROR_DTYPE, "float16")


# ---- ranks ---------------------------------------------------------------------------------------------------


def rank_options(rtol=None, tol=None, hermitian=False):
    options = gnd.STRUCTS["gnd_rank_options"]()
    options.rtol, options.tol, options.hermitian = gnd.arg(rtol), gnd.arg(tol), hermitian
    options.arrays = rtol, tol  # kept alive
    return options


@pytest.mark.parametrize("dtype", DTYPES + ["int8", "bool"])
def test_matrix_rank(dtype):
    g = generator("rank", dtype)
    kind = "float64" if dtype in ("int8", "bool") else dtype
    for m, n in [(1, 1), (6, 4), (4, 6), (9, 9)]:
        ranks = range(min(m, n) + 1)
        x = np.stack([normal((m, r), kind, g) @ normal((r, n), kind, g) for r in ranks])
        x = np.round(x * 2).astype(dtype) if kind != dtype else x
        a = gnd.from_numpy(x)
        assert_same(gnd.matrix_rank(a, None), np.asarray(np.linalg.matrix_rank(x)), f"{dtype} {m} {n}")
        if kind == dtype:
            assert gnd.matrix_rank(a, None).numpy().tolist() == list(ranks)
        for rtol in (0.5, 0, 1, 1e-3):
            if rtol or dtype in ("float64", "complex128"):
                want = np.asarray(np.linalg.matrix_rank(x[1:], rtol=rtol or 1e-14))
                assert_same(gnd.matrix_rank(a["1:"], rank_options(rtol or 1e-14)), want, f"{dtype} rtol {rtol}")
            want = np.asarray(np.linalg.matrix_rank(x, tol=rtol + 0.1))
            assert_same(gnd.matrix_rank(a, rank_options(tol=rtol + 0.1)), want, f"{dtype} tol {rtol}")
        each = np.linspace(0.01, 0.9, len(x))
        assert_same(gnd.matrix_rank(a, rank_options(gnd.from_numpy(each))),
                    np.asarray(np.linalg.matrix_rank(x, rtol=each)), "an array of rtol")
        assert_same(gnd.matrix_rank(a, rank_options(tol=gnd.from_numpy(each))),
                    np.asarray(np.linalg.matrix_rank(x, tol=each)), "an array of tol")
    x = normal((3, 5, 2), kind, g)
    x = (x @ np.conj(np.swapaxes(x, -1, -2))).astype(kind)
    assert_same(gnd.matrix_rank(gnd.from_numpy(x), rank_options(hermitian=True)),
                np.asarray(np.linalg.matrix_rank(x, hermitian=True)), "hermitian")


def test_tolerances_are_compared_as_numpy_does():
    """A number against float32 values: 0.1 is less than what float32 makes of it."""
    x = np.diag(np.float32([0.1, 0.3, 1]))
    for tol in (0.1, 0.3, 1):
        assert gnd.matrix_rank(gnd.from_numpy(x), rank_options(tol=tol)).numpy() == np.linalg.matrix_rank(x, tol=tol)


def test_rank_of_less_than_matrices():
    for dtype in ("float64", "float16", "int8", "complex64", "bool"):
        for x in [np.zeros(()), np.ones(()), np.zeros(4), np.eye(4)[2], np.zeros(0)]:
            x = x.astype(dtype)
            assert_same(gnd.matrix_rank(gnd.from_numpy(x), None), np.int64(np.linalg.matrix_rank(x)), f"{dtype} {x}")
    assert gnd.matrix_rank(gnd.from_numpy(np.array([np.nan])), None).numpy() == 1
    for shape in [(0, 3), (3, 0), (2, 0, 3), (0, 2, 3)]:
        assert_same(gnd.matrix_rank(gnd.zeros(shape, "float32"), None),
                    np.asarray(np.linalg.matrix_rank(np.zeros(shape))))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("hermitian", [False, True])
def test_matrices_with_nan_have_rank_0(dtype, hermitian):
    x = np.stack([np.eye(3), np.eye(3), np.diag([1, 0, 2])]).astype(dtype)
    x[1, 0, 0] = np.nan
    got = gnd.matrix_rank(gnd.from_numpy(x), rank_options(hermitian=hermitian))
    refused(gnd.sync, gnd.ERROR_VALUE, "gnd_matrix_rank: ", "matrix 1 of 3")
    assert got.numpy().tolist() == [3, 0, 2]


def test_rank_refuses():
    x = gnd.ones((2, 3), "float64")
    refused(lambda: gnd.matrix_rank(None, None), gnd.ERROR_INVALID, "'a' is NULL")
    refused(lambda: gnd.matrix_rank(x, rank_options(1, 1)), gnd.ERROR_INVALID, "rtol or tol")
    refused(lambda: gnd.matrix_rank(x, rank_options(hermitian=True)), gnd.ERROR_SHAPE, "square")
    refused(lambda: gnd.matrix_rank(x, rank_options(1j)), gnd.ERROR_DTYPE, "rtol must be real")
    refused(lambda: gnd.matrix_rank(x, rank_options(tol=gnd.ones(2, "complex64"))), gnd.ERROR_DTYPE, "tol must be real")
    refused(lambda: gnd.matrix_rank(gnd.ones((3, 2, 2), "float64"), rank_options(gnd.ones(2, "float64"))),
            gnd.ERROR_SHAPE, "gnd_matrix_rank")
    refused(lambda: gnd.matrix_rank(gnd.ones((2, 2), "float16"), None), gnd.ERROR_DTYPE, "float16")


# ---- traces --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int8", "uint32", "bool", "float16"])
def test_trace(dtype):
    g = generator("trace", dtype)
    for shape in [(3, 3), (2, 5), (5, 2), (3, 4, 5), (0, 3), (2, 0, 3), (1, 1)]:
        x = dtypes.cast(g.integers(0, 5, shape), dtype)
        a = gnd.from_numpy(x)
        for axis1, axis2 in itertools.permutations(range(-1, len(shape) - 1), 2):
            for offset in (-7, -2, -1, 0, 1, 3, 9):
                want = np.asarray(np.trace(x, offset, axis1, axis2))
                assert_same(gnd.trace(a, offset, axis1, axis2), want, f"{shape} {offset} {axis1} {axis2}",
                            strides=False)


def test_trace_refuses():
    x = gnd.ones((2, 3), "float64")
    refused(lambda: gnd.trace(None, 0, 0, 1), gnd.ERROR_INVALID, "gnd_trace", "'a' is NULL")
    refused(lambda: gnd.trace(gnd.ones(3, "int8"), 0, 0, 1), gnd.ERROR_SHAPE, "gnd_trace", "(3,)")
    refused(lambda: gnd.trace(x, 0, 0, 2), gnd.ERROR_AXIS, "gnd_trace", "axis 2")
    refused(lambda: gnd.trace(x, 0, 1, -1), gnd.ERROR_AXIS, "gnd_trace", "two axes")


def test_out_of_memory():
    g = generator("memory")
    a = gnd.from_numpy(normal((3, 4, 4), "complex64", g))
    each = gnd.ones(3, "float32")
    gnd.svdvals(a)  # the library is loaded
    calls = [lambda order=order: gnd.norm(a, order, gnd.Axes(1, 0, keepdims=True)) for order in MATRIX_ORDERS]
    calls += [lambda order=order: gnd.cond(a, order) for order in MATRIX_ORDERS]
    calls += [lambda: gnd.matrix_rank(a, None), lambda: gnd.matrix_rank(a, rank_options(0.1, hermitian=True)),
              lambda: gnd.matrix_rank(a, rank_options(tol=each)), lambda: gnd.matrix_rank(each, None),
              lambda: gnd.trace(a, 1, 0, 2), lambda: gnd.matrix_norm(a, "nuc", True)]
    for call in calls:
        result, failures = run_with_failures(call)
        assert failures > 0 and result is not None
