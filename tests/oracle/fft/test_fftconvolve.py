"""Convolutions by Fourier transforms against SciPy: shapes of 1 to 4 dimensions, axes, modes, dtypes and layouts, short
kernels whose signals are cut into blocks, tiles of a GPU's blocks, broadcasting, and what is refused."""

import numpy as np
import pytest
import scipy.signal

import dtypes
import gnd
from check import assert_same, refused
from test_faults import run_with_failures
from values import finite_operand, finite_values, generator

MODES = {"full": gnd.FULL, "same": gnd.SAME, "valid": gnd.VALID}
CALLS = {"fftconvolve": lambda *a: gnd.fftconvolve(*a), "oaconvolve": lambda *a: gnd.oaconvolve(*a)}
NEAR = {"float32": 2e-6, "complex64": 2e-6, "float64": 1e-14, "complex128": 1e-14}


def wide(x):
    return dtypes.widen(x).astype("complex128" if np.iscomplexobj(x) else "float64")


def dtype_of(x, y):
    both = [dtypes.name_of(x.dtype), dtypes.name_of(y.dtype)]
    real = "32" if all(d in ("float16", "bfloat16", "float32", "complex64") for d in both) else "64"
    return {"32": "complex64", "64": "complex128"}[real] if any("complex" in d for d in both) else "float" + real


def check(name, a, b, x, y, mode, axes, context):
    want = scipy.signal.fftconvolve(wide(x), wide(y), mode, axes)
    got = CALLS[name](a, b, MODES[mode], axes)
    context = f"{name} {context} {x.shape} {y.shape} {mode} {axes}"
    assert got.dtype == dtype_of(x, y), f"{context}: {got.dtype}"
    assert got.shape == want.shape, f"{context}: {got.shape}, not {want.shape}"
    size = np.sqrt((abs(wide(x)) ** 2).sum() * (abs(wide(y)) ** 2).sum())
    error = abs(wide(got.numpy()) - want).max(initial=0)
    assert error <= NEAR[got.dtype] * size * 8, f"{context}: off by {error}, of {size}"


def fits(x, y, mode, axes):
    """Whether one lies within the other, for mode "valid"."""
    along = [i for i in range(x.ndim) if (axes is None or i in [k % x.ndim for k in axes]) and 1 not in (
        x.shape[i], y.shape[i])]
    return mode != "valid" or all(x.shape[i] >= y.shape[i] for i in along) or all(
        x.shape[i] <= y.shape[i] for i in along)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_any_shapes(dtype):
    g = generator("shapes", dtype)
    for k in range(120):
        ndim = int(g.integers(1, 5))
        x_shape, y_shape = (tuple(int(n) for n in g.integers(1, 8, ndim)) for _ in range(2))
        other = dtype if g.integers(2) else str(g.choice(dtypes.NAMES))
        axes = None if g.integers(2) else tuple(int(i) for i in g.permutation(ndim)[:g.integers(1, ndim + 1)])
        if axes is not None:
            y_shape = tuple(n if i in axes else (m, 1)[g.integers(2)]
                            for i, (n, m) in enumerate(zip(y_shape, x_shape)))
        a, x = finite_operand(x_shape, dtype, g)
        b, y = finite_operand(y_shape, other, g)
        mode = list(MODES)[k % 3]
        if fits(x, y, mode, axes):
            for name in CALLS:
                check(name, a, b, x, y, mode, axes, f"{dtype} {other} {x.strides} {y.strides}")


@pytest.mark.parametrize("shape,kernel", [((5000,), (17,)), ((17,), (5000,)), ((100000,), (3,)), ((4097,), (1000,)),
                                          ((300, 500), (5, 7)), ((40, 600), (39, 4)), ((5, 7), (300, 200)),
                                          ((60, 70, 80), (3, 4, 5)), ((3, 2000), (3, 9)), ((300, 9), (4, 200)),
                                          ((3, 900, 5), (1, 31, 5)), ((1, 900), (6, 31))])
def test_blocks(shape, kernel):
    g = generator("blocks", shape, kernel)
    for dtype in ("float32", "float64", "complex64"):
        x, y = finite_values(dtype, shape, g), finite_values("float32", kernel, g)
        for mode in MODES:
            if fits(x, y, mode, None):
                for name in CALLS:
                    check(name, gnd.from_numpy(x), gnd.from_numpy(y), x, y, mode, None, dtype)


@pytest.mark.parametrize("m", [2, 3, 10, 31])
def test_lengths_around_blocks(m):
    """Every remainder of the last block."""
    g = generator("remainders", m)
    y = finite_values("float64", (m,), g)
    for n in list(range(m, m + 40)) + list(range(500, 560)):
        x = finite_values("float64", (n,), g)
        for mode in MODES:
            check("oaconvolve", gnd.from_numpy(x), gnd.from_numpy(y), x, y, mode, None, "")


# A GPU's blocks transform tiles of 4096 floats or 2048 doubles of a line, in pairs if real, and 512 x 512 of a matrix:
# lengths around whole tiles and pairs, long kernels, and kernels that are too long for a tile.
@pytest.mark.parametrize("dtype", ["float32", "complex64", "float64", "complex128"])
def test_tiles_of_lines(dtype):
    g = generator("tiles", dtype)
    tile = 4096 if dtype in ("float32", "complex64") else 2048
    for m in (2, 65, tile // 4, 3 * tile // 4, 3 * tile // 4 + 1):
        step = tile - m + 1
        y = finite_values(dtype, (m,), g)
        for n in sorted({max(m, k * step + d) for k in (1, 2, 3) for d in (1 - m, -1, 0, 1)}):
            x = finite_values(dtype, (n,), g)
            for mode in MODES:
                check("fftconvolve", gnd.from_numpy(x), gnd.from_numpy(y), x, y, mode, None, "")


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_tiles_of_matrices(dtype):
    g = generator("matrices", dtype)
    for shape, kernel in [((449, 513), (64, 64)), ((898, 449), (64, 64)), ((899, 600), (64, 2)),
                          ((513, 1000), (256, 256)), ((600, 520), (257, 3)), ((400, 1030), (2, 200)),
                          ((3, 700), (300, 20)), ((150, 160), (150, 4))]:
        x, y = finite_values(dtype, shape, g), finite_values(dtype, kernel, g)
        for mode in MODES:
            if fits(x, y, mode, None):
                check("oaconvolve", gnd.from_numpy(x), gnd.from_numpy(y), x, y, mode, None, "")


@pytest.mark.parametrize("dtype", ["float32", "complex64", "float64"])
def test_tiles_of_many(dtype):
    """Many lines and matrices, with a kernel for all or for each; operands that are copied first, or broadcast."""
    g = generator("many", dtype)
    for shape, kernel, axes in [((7, 5000), (1, 77), 1), ((7, 5000), (7, 77), 1), ((1, 3000), (5, 100), 1),
                                ((2, 3, 4500), (1, 3, 30), 2), ((2, 3, 4500), (2, 1, 30), 2), ((3000, 4), (40, 1), 0),
                                ((3, 300, 500), (1, 20, 33), (1, 2)), ((3, 300, 500), (3, 20, 33), (1, 2)),
                                ((300, 3, 500), (20, 1, 33), (0, 2)), ((2, 2, 300, 300), (1, 1, 5, 5), (2, 3))]:
        x, y = finite_values(dtype, shape, g), finite_values(dtype, kernel, g)
        twice = gnd.slice(gnd.from_numpy(np.repeat(x, 2, -1)), "..., ::2")
        back = gnd.slice(gnd.from_numpy(np.ascontiguousarray(x[::-1])), "::-1")
        mode = str(g.choice(list(MODES)))
        for a in (gnd.from_numpy(x), twice, back):
            check("fftconvolve", a, gnd.from_numpy(y), x, y, mode, axes, "")
        turned = gnd.transpose(gnd.from_numpy(np.ascontiguousarray(x.T)))
        check("fftconvolve", turned, gnd.from_numpy(y), x, y, mode, axes, "transposed")
        wide_kernel = y.astype("float32" if dtype == "complex64" else y.dtype)
        check("fftconvolve", gnd.from_numpy(x), gnd.from_numpy(wide_kernel), x, wide_kernel, mode, axes, "real kernel")


def test_lines_do_not_meet():
    """An infinite or large element of one line is not seen in another one."""
    g = generator("apart")
    x, y = finite_values("float32", (4, 5000), g), finite_values("float32", (1, 300), g)
    want = gnd.fftconvolve(gnd.from_numpy(x), gnd.from_numpy(y), gnd.FULL, 1).numpy()
    loud = x.copy()
    loud[1, 4000], loud[2] = np.inf, loud[2] * np.float32(1e30)
    got = gnd.fftconvolve(gnd.from_numpy(loud), gnd.from_numpy(y), gnd.FULL, 1).numpy()
    assert np.array_equal(got[[0, 3]], want[[0, 3]]) and not np.isfinite(got[1]).all()


def test_like_sums_of_products():
    g = generator("integers")
    x, y = g.integers(-50, 50, 3000), g.integers(-50, 50, 40)
    for mode in MODES:
        for name in CALLS:
            got = CALLS[name](gnd.from_numpy(x), gnd.from_numpy(y), MODES[mode], None)
            assert (np.round(got.numpy()) == np.convolve(x, y, mode)).all()


def test_nothing_to_transform():
    assert_same(gnd.fftconvolve(gnd.full((), 3, "int8"), gnd.full((), 4, "int8"), gnd.FULL, None), np.float64(12))
    x, y = finite_values("float32", (1, 4), generator("product")), np.float32([[2.0], [3.0]])
    for name in CALLS:
        assert_same(CALLS[name](gnd.from_numpy(x), gnd.from_numpy(y), gnd.FULL, None), x * y)


def test_refused():
    x = gnd.zeros((3, 4), "float32")
    for name, call in CALLS.items():
        refused(lambda: call(x, gnd.zeros(3, "float32"), gnd.FULL, None), gnd.ERROR_SHAPE, "(3, 4)", "(3,)",
                "gnd_" + name)
        refused(lambda: call(x, gnd.zeros((0, 4), "float32"), gnd.FULL, None), gnd.ERROR_VALUE, "empty", "(0, 4)")
        refused(lambda: call(x, gnd.zeros((2, 5), "int8"), gnd.VALID, None), gnd.ERROR_SHAPE, "GND_VALID", "(2, 5)")
        refused(lambda: call(x, gnd.zeros((2, 5), "int8"), gnd.FULL, 0), gnd.ERROR_SHAPE, "axis 1")
        refused(lambda: call(x, x, 7, None), gnd.ERROR_INVALID, "mode number 7")
        refused(lambda: call(x, x, gnd.FULL, ()), gnd.ERROR_INVALID, "at least one")
        refused(lambda: call(x, x, gnd.FULL, (0, 0)), gnd.ERROR_AXIS, "twice")
        refused(lambda: call(x, x, gnd.FULL, 2), gnd.ERROR_AXIS, "axis 2")
        refused(lambda: call(None, x, gnd.FULL, None), gnd.ERROR_INVALID, "NULL")
        refused(lambda: call(x, None, gnd.FULL, None), gnd.ERROR_INVALID, "NULL")


def test_out_of_memory_at_every_allocation():
    g = generator("memory")
    a, b = gnd.from_numpy(finite_values("float32", (9, 300), g)), gnd.from_numpy(finite_values("int8", (3, 5), g))
    for make in (lambda: gnd.fftconvolve(a, b, gnd.SAME, None), lambda: gnd.oaconvolve(b, a, gnd.FULL, None)):
        result, failures = run_with_failures(make)
        assert failures > 0
        assert_same(result, make().numpy(), strides=False)
