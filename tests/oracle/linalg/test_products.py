"""Products of vectors and matrices against NumPy: every dtype, layouts that BLAS takes and that it does not,
batches that broadcast, empty arrays and sums of nothing, results into arrays of any kind, and what is refused.

Integers and bool must be exact; floating results may be off by a few roundings of the sum of the products'
magnitudes, which is what any order of the additions gives."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dtypes
import gnd
from check import assert_same, refused
from dtypes import ROUNDING, SUMS, is_exact, wide
from test_faults import run_with_failures
from values import finite_values, generator, layouts, listed
from values import finite_operand as operand


# ---- operands and comparison ------------------------------------------------------------------------------


def check(got, function, x, y, context="", dtype=None):
    """got against function(x, y), a sum of products."""
    dtype = dtype or dtypes.promote(dtypes.name_of(x.dtype), dtypes.name_of(y.dtype))
    assert got.dtype == dtype, f"{context}: {got.dtype}, not {dtype}"
    if is_exact(dtype):
        assert_same(got, np.asarray(function(x, y)).astype(dtype), context, strides=False)
        return
    want = np.asarray(function(wide(x), wide(y)))
    size = np.asarray(function(abs(wide(x)), abs(wide(y))))
    assert got.shape == want.shape, f"{context}: shape {got.shape}, not {want.shape}"
    length = x.shape[-1] if x.ndim else 1
    bound = ROUNDING[dtype] * abs(want) * 2 + 4 * (8 + length**0.5) * ROUNDING[SUMS.get(dtype, dtype)] * size
    error = abs(wide(got.numpy()) - want)
    assert (error <= bound).all(), f"{context}: off by {(error - bound).max()}"


def context_of(name, x, y):
    return f"{name}({dtypes.name_of(x.dtype)}{x.shape} {x.strides}, {dtypes.name_of(y.dtype)}{y.shape} {y.strides})"


def combined(x, y, start, alpha, beta, dtype):
    """alpha x y + beta start, and what errors are measured by."""
    if is_exact(dtype):
        if dtype == "bool":
            return ((x @ y) & bool(alpha)) | (start & bool(beta)), None
        with np.errstate(all="ignore"):
            return (x @ y) * np.array(alpha).astype(dtype) + start * np.array(beta).astype(dtype), None
    size = abs(alpha) * (abs(wide(x)) @ abs(wide(y)))
    with np.errstate(all="ignore"):
        old = beta * wide(start) if beta != 0 else 0
        return alpha * (wide(x) @ wide(y)) + old, size + abs(old)


def check_into(out, want, size, dtype, context, length):
    got = out.numpy()
    if size is None:
        assert (got == want).all(), context
        return
    bound = 2 * ROUNDING[dtype] * abs(want) + 4 * (8 + length**0.5) * ROUNDING[SUMS.get(dtype, dtype)] * size
    assert (abs(wide(got) - want) <= bound).all(), context


# Pairs of shapes for matmul: vectors, matrices, batches; sizes of one, sizes around those of blocks.
SHAPES = [((3,), (3,)), ((1,), (1,)), ((7,), (7, 5)), ((4, 7), (7,)), ((1, 1), (1, 1)), ((1, 5), (5, 1)),
          ((5, 1), (1, 5)), ((1, 6), (6, 4)), ((6, 4), (4, 1)), ((2, 4), (4, 5)), ((17, 9), (9, 33)),
          ((40, 30), (30, 50)), ((3, 2, 4), (4, 5)), ((2, 4), (3, 4, 5)), ((3, 2, 4), (3, 4, 5)),
          ((5, 1, 2, 4), (3, 4, 5)), ((2, 1, 1, 4), (1, 3, 4, 1)), ((3, 2, 4), (4,)), ((4,), (3, 4, 2)),
          ((6, 20, 24), (6, 24, 20)), ((3, 1, 5), (3, 5, 1)), ((2, 3, 1, 4), (4, 5)), ((1, 4), (3, 4, 6)),
          ((2, 2, 130), (130, 3)), ((0, 4), (4, 5)), ((3, 0), (0, 5)), ((0,), (0,)), ((2, 0, 3), (3, 4)),
          ((2, 3, 0), (0, 4)), ((0, 3), (3,)), ((3, 0), (0,)), ((0, 2, 3), (1, 3, 4)), ((4, 0, 0), (4, 0, 0))]


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_matmul(dtype):
    g = generator("matmul", dtype)
    for of_a, of_b in SHAPES:
        for _ in range(4):
            (a, x), (b, y) = operand(of_a, dtype, g), operand(of_b, dtype, g)
            check(gnd.matmul(a, b), np.matmul, x, y, context_of("matmul", x, y))


@pytest.mark.parametrize("dtype", ["float32", "complex128", "int32", "float16", "bool"])
def test_matmul_of_every_pair_of_layouts(dtype):
    g = generator("layouts", dtype)
    for of_a, of_b in [((6, 7), (7, 8)), ((2, 3, 4), (2, 4, 5)), ((20, 24), (24, 22))]:
        for one, other in itertools.product(layouts(of_a), layouts(of_b)):
            (a, x), (b, y) = operand(of_a, dtype, g, one.name), operand(of_b, dtype, g, other.name)
            check(gnd.matmul(a, b), np.matmul, x, y, f"{dtype} {one.name}, {other.name}")


def test_matmul_promotes():
    g = generator("promotes")
    for first, second in itertools.product(dtypes.NAMES, dtypes.NAMES):
        (a, x), (b, y) = operand((3, 5), first, g, "transposed"), operand((5, 4), second, g, "contiguous")
        common = dtypes.promote(first, second)
        x_cast, y_cast = (x, y) if not is_exact(common) else (x.astype(common), y.astype(common))
        check(gnd.matmul(a, b), np.matmul, x_cast, y_cast, f"{first} {second}", common)


@st.composite
def matmul_shapes(draw):
    m, n, k = (draw(st.integers(0, 20)) for _ in range(3))
    batch = draw(st.lists(st.integers(0, 3), max_size=3))
    of_a = [1 if draw(st.booleans()) else size for size in batch][draw(st.integers(0, len(batch))):]
    of_b = [1 if draw(st.booleans()) else size for size in batch][draw(st.integers(0, len(batch))):]
    of_a = of_a + [m, k] if draw(st.integers(0, 4)) or of_a else [k]
    of_b = of_b + [k, n] if draw(st.integers(0, 4)) or of_b else [k]
    return tuple(of_a), tuple(of_b)


@settings(max_examples=300, deadline=None)
@given(matmul_shapes(), st.sampled_from(dtypes.NAMES), st.integers(0, 2**32))
def test_matmul_random(shapes, dtype, seed):
    g = np.random.default_rng(seed)
    (a, x), (b, y) = (operand(shape, dtype, g) for shape in shapes)
    check(gnd.matmul(a, b), np.matmul, x, y, context_of("matmul", x, y))


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_matmul_large(dtype):
    """Of several blocks in each direction, with ends that fill none."""
    g = generator("large", dtype)
    for m, n, k in [(200, 150, 300), (130, 257, 70), (33, 500, 129), (300, 2, 700), (1, 700, 300), (1100, 1, 40)]:
        for layout in ("contiguous", "transposed", "strided"):
            (a, x), (b, y) = operand((m, k), dtype, g, layout), operand((k, n), dtype, g, layout)
            check(gnd.matmul(a, b), np.matmul, x, y, f"{dtype} {m} {n} {k} {layout}")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_matmul_with_a_small_factor(dtype):
    """Long rows or columns of results, computed in strips."""
    g = generator("thin", dtype)
    for of_a, of_b in [((400, 20, 24), (24, 20)), ((20, 24), (24, 7001)), ((9001, 24), (24, 20)),
                       ((64, 64), (64, 300))]:
        for layout in ("contiguous", "transposed", "offset"):
            (a, x), (b, y) = operand(of_a, dtype, g, layout), operand(of_b, dtype, g, layout)
            check(gnd.matmul(a, b), np.matmul, x, y, f"{dtype} {of_a} {of_b} {layout}")
            start = finite_values(dtype, np.matmul(x[..., :1, :], y).shape[:-2] + (of_a[-2], of_b[-1]), g)
            out = gnd.from_numpy(start)
            gnd.matmul_into(out, a, b, 2.0, 0.5)
            want, size = combined(x, y, start, 2.0, 0.5, dtype)
            check_into(out, want, size, dtype, f"{dtype} {of_a} {of_b} {layout}", of_a[-1])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_matmul_of_halves_in_blocks(dtype):
    g = generator("halves", dtype)
    (a, x), (b, y) = operand((1030, 1100), dtype, g, "contiguous"), operand((1100, 1050), dtype, g, "transposed")
    check(gnd.matmul(a, b), np.matmul, x, y, dtype)
    start = finite_values(dtype, (1030, 1050), g)
    out = gnd.from_numpy(start)
    gnd.matmul_into(out, a, b, 0.5, -2.0)
    want = 0.5 * wide(x) @ wide(y) - 2 * wide(start)
    assert (abs(wide(out.numpy()) - want) <= 4 * ROUNDING[dtype] * (abs(want) + 1)).all()


def test_halves_are_rounded_once():
    for dtype in ("float16", "bfloat16"):
        for n in (5, 300):
            x = dtypes.cast(np.ones((n, n)), dtype)
            x[0, 0] = dtypes.cast(np.array(2048.0 if dtype == "float16" else 256.0), dtype)
            got = dtypes.widen(gnd.matmul(gnd.from_numpy(x),
                                          gnd.from_numpy(dtypes.cast(np.ones((n, 1)), dtype))).numpy())
            want = dtypes.widen(dtypes.cast(dtypes.widen(x).astype("float64").sum(1), dtype))
            assert (got[:, 0] == want).all(), (dtype, n)


def test_batches_that_are_one_product():
    """Rows and columns of a batch that become those of one matrix, and those that cannot."""
    g = generator("fold")
    for dtype in ("float64", "complex64", "int16"):
        base = finite_values(dtype, (4, 5, 6), g)
        a = gnd.from_numpy(base)
        other = finite_values(dtype, (6, 3), g)
        b = gnd.from_numpy(other)
        for text in (":", "::2", ":, :3", "::-1", ":, ::2", ":, :1", "::2, :1", ":, ::-1"):
            x = eval(f"base[{text}]", {"base": base})
            check(gnd.matmul(a[text], b), np.matmul, x, other, f"{dtype} {text}")
        for axes in itertools.permutations(range(3)):
            x = base.transpose(axes)
            other = finite_values(dtype, (x.shape[2], 3), g)
            check(gnd.matmul(gnd.permute(a, axes), gnd.from_numpy(other)), np.matmul, x, other, f"{dtype} {axes}")
            other = finite_values(dtype, (3, x.shape[1]), g)
            check(gnd.matmul(gnd.from_numpy(other), gnd.permute(a, axes)), np.matmul, other, x, f"{dtype} {axes}")
        other = finite_values(dtype, (5, 6), g)  # one matrix, repeated behind its own axes
        many = np.broadcast_to(other[:, :, None], (5, 6, 4)).transpose(2, 0, 1)
        b = gnd.permute(gnd.broadcast_to(gnd.from_numpy(other)["..., None"], (5, 6, 4)), (2, 0, 1))
        check(gnd.matmul(b, gnd.swapaxes(a, 1, 2)), np.matmul, many, base.swapaxes(1, 2), dtype)
        check(gnd.matmul(gnd.swapaxes(a, 1, 2), b), np.matmul, base.swapaxes(1, 2), many, dtype)


def test_windows_that_overlap():
    for dtype in ("float32", "int64"):
        x = np.arange(30).astype(dtype)
        w = np.lib.stride_tricks.sliding_window_view(x, 7)
        a = gnd.sliding_window_view(gnd.from_numpy(x), 7, None, False)
        y = finite_values(dtype, (7, 3), generator("windows"))
        check(gnd.matmul(a, gnd.from_numpy(y)), np.matmul, w, y)
        check(gnd.matmul(a["..., None, :"], gnd.from_numpy(y)), np.matmul, w[:, None], y)


def test_special_values():
    """NaN and infinity reach the columns that they are in, zero times them included, and no others."""
    for dtype in ("float16", "float32", "float64", "complex64"):
        for n in (3, 40, 300):
            x, y = np.eye(n, dtype=dtype), np.ones((n, n), dtype)
            y[1, 2], y[0, 0] = np.nan, np.inf
            x[2, 2] = 0
            with np.errstate(all="ignore"):
                want = x @ y
            got = gnd.matmul(gnd.from_numpy(x), gnd.from_numpy(y)).numpy()
            if dtype == "complex64":  # which part of inf * (1 + 0j) is NaN is BLAS's business
                finite = np.isfinite(want)
                assert finite.any() and (np.isfinite(got) == finite).all() and (got[finite] == want[finite]).all()
                continue
            assert ((got == want) | (np.isnan(got) & np.isnan(want))).all()


# ---- dot and its kin --------------------------------------------------------------------------------------

DOTS = [((), ()), ((), (3, 2)), ((4,), ()), ((5,), (5,)), ((0,), (0,)), ((3, 4), (4,)), ((4,), (4, 5)),
        ((3, 4), (4, 5)),
        ((2, 3, 4), (4,)), ((4,), (2, 4, 5)), ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (6, 4, 5)),
        ((2, 1, 3, 4), (5, 4, 2)), ((2, 3, 4), (2, 3, 4, 1)), ((3, 0), (2, 0, 4)), ((0, 3), (2, 3, 4)),
        ((1, 1, 1), (1, 1, 1)),
        ((1000,), (1000,)), ((2, 2, 20, 24), (3, 24, 20))]


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_dot(dtype):
    g = generator("dot", dtype)
    for of_a, of_b in DOTS:
        for _ in range(3):
            (a, x), (b, y) = operand(of_a, dtype, g), operand(of_b, dtype, g)
            if dtype == "bfloat16" and not (of_a and of_b):
                continue  # elementwise, which has its own tests
            check(gnd.dot(a, b), np.dot, x, y, context_of("dot", x, y))
            if len(of_b) > 1 and of_a:
                turned, z = gnd.swapaxes(b, -1, -2), np.swapaxes(y, -1, -2)
                check(gnd.inner(a, turned), np.inner, x, z, context_of("inner", x, z))
            else:
                check(gnd.inner(a, b), np.inner, x, y, context_of("inner", x, y))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "float32", "complex128"])
def test_dot_into(dtype):
    g = generator("dot_into", dtype)
    for of_a, of_b in DOTS:
        (a, x), (b, y) = operand(of_a, dtype, g), operand(of_b, dtype, g)
        shape = np.dot(np.ones(of_a), np.ones(of_b)).shape
        for turned in (False, True):
            out = gnd.zeros(shape[::-1], dtype) if turned else gnd.zeros(shape, dtype)
            out = gnd.transpose(out) if turned else out
            gnd.dot_into(out, a, b)
            check(out, np.dot, x, y, context_of("dot_into", x, y))
    x = finite_values(dtype, (4, 4), g)
    a = gnd.from_numpy(x)
    gnd.dot_into(a, a, a)
    check(a, np.dot, x, x, "dot(a, a, out=a)")


def test_dots_are_the_same_every_time():
    g = generator("again")
    x, y = gnd.from_numpy(g.normal(size=300001)), gnd.from_numpy(g.normal(size=300001))
    first = gnd.dot(x, y).numpy()
    assert all(gnd.dot(x, y).numpy() == first for _ in range(5))
    assert gnd.matmul(x, y).numpy() == first


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_long_complex_dots(dtype):
    """Whole blocks of vectors and ends that fill none, with a conjugate and without."""
    g = generator("complex dots", dtype)
    x, y = finite_values(dtype, (70000,), g), finite_values(dtype, (70000,), g)
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    for first, n in [(0, 1), (1, 2), (0, 7), (3, 8), (5, 33), (0, 1024), (1, 1027), (2, 4099), (7, 65543), (0, 70000)]:
        part, p, q = f"{first}:{first + n}", x[first:first + n], y[first:first + n]
        check(gnd.dot(a[part], b[part]), np.dot, p, q, f"dot {n}")
        check(gnd.vdot(a[part], b[part]), lambda u, v: np.vdot(u, v), p, q, f"vdot {n}")
    ends = np.zeros(40, dtype)
    ends[3], ends[39] = np.inf, np.nan
    assert np.isnan(gnd.dot(gnd.from_numpy(ends), gnd.ones(40, dtype)).numpy())


def test_dot_refuses():
    a, b = gnd.zeros((2, 3), "float32"), gnd.zeros((2, 4), "float32")
    for name in ("dot", "inner"):
        call = gnd.function("gnd_" + name)
        refused(lambda: call(a, b), gnd.ERROR_SHAPE, f"gnd_{name}", "(2, 3)", "(2, 4)")
        refused(lambda: call(None, b), gnd.ERROR_INVALID, "'a' is NULL")
        refused(lambda: call(a, None), gnd.ERROR_INVALID, "'b' is NULL")
    many = gnd.zeros((1,) * 34, "int8")
    refused(lambda: gnd.dot(many, many), gnd.ERROR_SHAPE, "66 axes")
    good = gnd.zeros((3, 5), "float32")
    refused(lambda: gnd.dot_into(gnd.zeros((2, 5), "float64"), a, good), gnd.ERROR_DTYPE, "float64", "float32")
    refused(lambda: gnd.dot_into(gnd.zeros((5, 2), "float32"), a, good), gnd.ERROR_SHAPE, "(5, 2)", "(2, 5)")
    refused(lambda: gnd.dot_into(None, a, good), gnd.ERROR_INVALID, "'out' is NULL")


def test_matmul_refuses():
    m = gnd.zeros((2, 3), "float32")
    refused(lambda: gnd.matmul(m, m), gnd.ERROR_SHAPE, "(2, 3)", "columns", "rows")
    refused(lambda: gnd.matmul(m, gnd.zeros((), "float32")), gnd.ERROR_SHAPE, "0-d")
    refused(lambda: gnd.matmul(gnd.zeros((2, 4, 3), "int8"), gnd.zeros((3, 3, 1), "int8")), gnd.ERROR_SHAPE,
            "broadcast")
    refused(lambda: gnd.matmul(None, m), gnd.ERROR_INVALID, "'a' is NULL")


# ---- vectors ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_matvec_and_vecmat(dtype):
    g = generator("matvec", dtype)
    for of_a, of_x in [((3, 4), (4,)), ((3, 4), (5, 4)), ((5, 3, 4), (4,)), ((5, 3, 4), (5, 4)), ((2, 1, 3, 4), (5, 4)),
                       ((3, 0), (0,)), ((0, 3), (2, 3)), ((1, 1), (1,)), ((40, 50), (50,)), ((40, 50), (6, 50)),
                       ((6, 40, 50), (6, 50))]:
        for _ in range(3):
            (a, x), (v, y) = operand(of_a, dtype, g), operand(of_x, dtype, g)
            check(gnd.matvec(a, v), lambda p, q: np.matmul(p, q[..., None])[..., 0], x, y, context_of("matvec", x, y))
            t, z = gnd.swapaxes(a, -1, -2), np.swapaxes(x, -1, -2)
            check(gnd.vecmat(v, t), lambda p, q: np.matmul(conjugate(p)[..., None, :], q)[..., 0, :], y, z,
                  context_of("vecmat", y, z))


def conjugate(x):
    return x.conj() if x.dtype.kind == "c" else x


def test_matvec_is_numpys():
    x, v = np.arange(24).reshape(2, 3, 4) * (1 + 2j), np.arange(8).reshape(2, 4) * (2 - 1j)
    assert (gnd.matvec(gnd.from_numpy(x), gnd.from_numpy(v)).numpy() == np.matvec(x, v)).all()
    z = np.swapaxes(x, 1, 2)
    assert (gnd.vecmat(gnd.from_numpy(v), gnd.from_numpy(z)).numpy() == np.vecmat(v, z)).all()
    m, s = gnd.zeros((2, 3), "int8"), gnd.zeros((), "int8")
    refused(lambda: gnd.matvec(gnd.zeros(3, "int8"), m), gnd.ERROR_SHAPE, "gnd_matvec", "at least 2")
    refused(lambda: gnd.matvec(m, s), gnd.ERROR_SHAPE, "x must have at least 1")
    refused(lambda: gnd.vecmat(s, m), gnd.ERROR_SHAPE, "gnd_vecmat")
    refused(lambda: gnd.vecmat(gnd.zeros(3, "int8"), m), gnd.ERROR_SHAPE, "as a has rows", "x has shape (3,), a (2, 3)")
    v, stack = gnd.zeros((5, 3), "int8"), gnd.zeros((4, 3, 3), "int8")
    refused(lambda: gnd.matvec(gnd.swapaxes(m, 0, 1), v), gnd.ERROR_SHAPE, "as a has columns",
            "x has shape (5, 3), a (3, 2)")
    refused(lambda: gnd.matvec(stack, v), gnd.ERROR_SHAPE, "do not broadcast", "x has shape (5, 3), a (4, 3, 3)")
    refused(lambda: gnd.vecmat(v, stack), gnd.ERROR_SHAPE, "do not broadcast", "x has shape (5, 3), a (4, 3, 3)")
    refused(lambda: gnd.matvec(m, None), gnd.ERROR_INVALID, "'x' is NULL")


@pytest.mark.parametrize("dtype", [d for d in dtypes.NAMES if d != "bfloat16"])
def test_outer_and_kron(dtype):
    g = generator("outer", dtype)
    for of_a, of_b in [((3,), (4,)), ((2, 3), (4,)), ((), (3,)), ((0,), (2,)), ((2, 2), (2, 3)), ((2, 1, 3), (4, 1)),
                       ((), ()),
                       ((2,), (3, 1, 2)), ((0, 2), (3, 2))]:
        (a, x), (b, y) = operand(of_a, dtype, g), operand(of_b, dtype, g)
        with np.errstate(all="ignore"):
            check(gnd.linalg_outer(a, b), np.outer, x, y, context_of("outer", x, y))
            check(gnd.kron(a, b), np.kron, x, y, context_of("kron", x, y))


def test_outer_and_kron_promote_and_refuse():
    x, y = np.arange(3, dtype="int8"), np.arange(1, 3, dtype="uint8")
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    assert_same(gnd.linalg_outer(a, b), np.outer(x, y))
    assert_same(gnd.kron(a, b), np.kron(x, y))
    assert gnd.kron(gnd.zeros(2, "bfloat16"), b).dtype == "bfloat16"
    x, y = np.ones((1,) * 20, "int8"), np.arange(1024).reshape((1, 2) * 10)
    assert_same(gnd.kron(gnd.from_numpy(x), gnd.from_numpy(y)), np.kron(x, y))
    many = gnd.broadcast_to(gnd.zeros((), "bool"), (2,) * 33)
    refused(lambda: gnd.kron(many, many), gnd.ERROR_SHAPE, "axes")
    for name in ("kron", "linalg_outer"):
        refused(lambda: gnd.function("gnd_" + name)(a, None), gnd.ERROR_INVALID, "'b' is NULL")


# ---- any axes ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_tensordot(dtype):
    g = generator("tensordot", dtype)
    for of_a, of_b, axes in [((3, 4), (4, 5), 1), ((3, 4, 5), (4, 5, 2), 2), ((2, 3), (4,), 0), ((), (), 0),
                             ((), (2, 3), 0),
                             ((3, 4), (3, 4), 2), ((3, 4, 5), (4, 3, 2), ([1, 0], [0, 1])),
                             ((3, 4, 5), (5, 3), ([0, -1], [1, 0])),
                             ((2, 3, 4), (4, 6, 3), ([2], [0])), ((2, 3, 4, 2), (2, 3, 2), ([0, 1, 3], [2, 1, 0])),
                             ((3, 4), (5, 6), ([], [])), ((3, 0), (0, 2), 1), ((0, 3), (3, 2), 1), ((4,), (4,), 1),
                             ((20, 6, 5), (6, 5, 24), 2)]:
        for _ in range(3):
            (a, x), (b, y) = operand(of_a, dtype, g), operand(of_b, dtype, g)
            def summed(p, q):
                return np.tensordot(p, q, axes)
            if isinstance(axes, int):
                got = gnd.tensordot(a, b, axes)
            else:
                got = gnd.tensordot_axes(a, b, tuple(axes[0]), tuple(axes[1]))
            if dtype == "bool":  # NumPy's own, by matmul, where it has no axes left to sum
                check(got, lambda p, q: np.asarray(np.tensordot(p.astype(int), q.astype(int), axes) > 0), x, y)
            else:
                check(got, summed, x, y, f"{context_of('tensordot', x, y)} {axes}")


def test_tensordot_over_all_axes():
    g = generator("all")
    (a, x), (b, y) = operand((3, 4, 5), "float64", g, "transposed"), operand((3, 4, 5), "float64", g, "negative")
    check(gnd.tensordot_axes(a, b, None, None), lambda p, q: np.tensordot(p, q, 3), x, y)
    (b, y) = operand((5, 3, 4), "complex64", g)
    check(gnd.tensordot_axes(a, b, (2, 0, 1), None), lambda p, q: np.tensordot(p, q, ([2, 0, 1], [0, 1, 2])), x, y)


def test_tensordot_refuses():
    a, b = gnd.zeros((3, 4), "int8"), gnd.zeros((4, 3), "int8")
    refused(lambda: gnd.tensordot(a, b, 3), gnd.ERROR_INVALID, "3 axes")
    refused(lambda: gnd.tensordot(a, b, -1), gnd.ERROR_INVALID, "-1 axes")
    refused(lambda: gnd.tensordot(a, b, 2), gnd.ERROR_SHAPE, "axis 0 of a has size 3", "4")
    refused(lambda: gnd.tensordot_axes(a, b, (0,), (0,)), gnd.ERROR_SHAPE, "(3, 4)")
    refused(lambda: gnd.tensordot_axes(a, b, (0, 1), (0,)), gnd.ERROR_SHAPE, "2 axes of a", "1 of b")
    refused(lambda: gnd.tensordot_axes(a, b, (0, 0), (1, 1)), gnd.ERROR_AXIS, "twice")
    refused(lambda: gnd.tensordot_axes(a, b, (2,), (1,)), gnd.ERROR_AXIS, "2")
    refused(lambda: gnd.tensordot_axes(a, b, gnd.Axes(0, keepdims=True), (1,)), gnd.ERROR_INVALID, "options")
    refused(lambda: gnd.tensordot(None, b, 1), gnd.ERROR_INVALID, "'a' is NULL")
    many = gnd.zeros((1,) * 33, "int8")
    refused(lambda: gnd.tensordot(many, many, 0), gnd.ERROR_SHAPE, "66 axes")


def cross_of(x, y, axisa, axisb, axisc):
    """numpy.cross, also of vectors of two components, which NumPy took until 2.5."""
    def padded(v, axis):
        v = np.moveaxis(v, axis, -1)
        return v if v.shape[-1] == 3 else np.concatenate([v, np.zeros_like(v[..., :1])], -1)

    want = np.cross(padded(x, axisa), padded(y, axisb))
    flat = x.shape[axisa] == y.shape[axisb] == 2
    return want[..., 2] if flat else np.moveaxis(want, -1, axisc)


@pytest.mark.parametrize("dtype", [d for d in dtypes.NAMES if d not in ("bool", "bfloat16")])
def test_cross(dtype):
    g = generator("cross", dtype)
    for of_a, of_b, axes in [((3,), (3,), (-1, -1, -1)), ((2,), (3,), (0, 0, 0)), ((3,), (2,), (0, 0, 0)),
                             ((2,), (2,), (0, 0, 0)),
                             ((4, 3), (3,), (1, 0, 0)), ((4, 3), (4, 3), (1, 1, 1)), ((3, 4), (4, 3), (0, 1, 0)),
                             ((4, 2), (5, 1, 2), (-1, -1, -1)), ((2, 5, 4), (5, 4, 3), (0, 2, 1)),
                             ((0, 3), (1, 3), (1, 1, -1)),
                             ((3, 5), (5, 3), (0, -1, -2))]:
        (a, x), (b, y) = operand(of_a, dtype, g), operand(of_b, dtype, g)
        with np.errstate(all="ignore"):
            want = cross_of(x, y, *axes)
        got = gnd.cross_axes(a, b, *axes)
        if is_exact(dtype):
            assert_same(got, np.asarray(want), f"cross {x.shape} {y.shape}", strides=False)
        else:
            assert got.dtype == dtype and got.shape == want.shape
            assert np.allclose(got.numpy(), want, rtol=16 * ROUNDING[dtype], atol=64 * ROUNDING[dtype])
        if len(set(axes)) == 1:
            assert (gnd.cross(a, b, axes[0]).numpy() == got.numpy()).all()


def test_cross_promotes_and_refuses():
    x, y = np.arange(3, dtype="int8"), np.arange(3, dtype="uint8") + np.uint8(250)
    assert_same(gnd.cross(gnd.from_numpy(x), gnd.from_numpy(y), -1), np.cross(x, y))
    x, y = np.float32([1, 2, 3]), np.array([1j, 2, 3])
    assert_same(gnd.cross(gnd.from_numpy(x), gnd.from_numpy(y), 0), np.cross(x, y))
    v, w = gnd.zeros(3, "float32"), gnd.zeros((2, 4), "float32")
    flags = gnd.zeros(3, "bool")
    refused(lambda: gnd.cross(flags, flags, 0), gnd.ERROR_DTYPE, "bool")
    refused(lambda: gnd.cross(v, w, -1), gnd.ERROR_SHAPE, "2 or 3", "(2, 4)")
    refused(lambda: gnd.cross(gnd.zeros((), "float32"), v, -1), gnd.ERROR_SHAPE, "0-d")
    refused(lambda: gnd.cross(v, v, 1), gnd.ERROR_AXIS, "1")
    refused(lambda: gnd.cross_axes(v, v, 0, 0, 2), gnd.ERROR_AXIS, "2")
    refused(lambda: gnd.cross(gnd.zeros((2, 3), "int8"), gnd.zeros((3, 3), "int8"), 1), gnd.ERROR_SHAPE, "broadcast")
    refused(lambda: gnd.cross_axes(None, v, 0, 0, 0), gnd.ERROR_INVALID, "'a' is NULL")


# ---- several products -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64", "complex128"])
def test_matrix_power(dtype):
    g = generator("power", dtype)
    for shape in [(3, 3), (1, 1), (2, 4, 4), (0, 0), (2, 0, 0), (0, 2, 2), (20, 20)]:
        for n in (0, 1, 2, 3, 5, 12):
            (a, x) = operand(shape, dtype, g)
            got = gnd.matrix_power(a, n)
            want = np.linalg.matrix_power(x if is_exact(dtype) else wide(x), n)
            assert got.dtype == dtype and got.shape == want.shape
            if is_exact(dtype):
                assert (got.numpy() == want).all(), (shape, n)
            else:
                size = np.linalg.matrix_power(abs(wide(x)), n)
                assert (abs(wide(got.numpy()) - want) <= 100 * (n + 1) * ROUNDING[dtype] * size).all(), (shape, n)


def test_negative_matrix_powers():
    g = generator("inverse")
    for dtype, result in [("float64", "float64"), ("float32", "float32"), ("complex64", "complex64"),
                          ("int32", "float64")]:
        x = np.array([[4, 1, 0], [1, 5, 2], [0, 2, 6]]).astype(dtype) + (dtypes.cast(g.normal(size=(3, 3)) * 0.1, dtype)
                                                                         if dtype != "int32" else 0)
        for n in (-1, -2, -5):
            got = gnd.matrix_power(gnd.from_numpy(x), n)
            assert got.dtype == result
            near = 1e-4 if "32" in result or "64" in dtype[7:] else 1e-10
            assert np.allclose(got.numpy(), np.linalg.matrix_power(x, n), rtol=near)


def test_negative_powers_of_singular_matrices():
    x = np.stack([np.eye(3), np.ones((3, 3)), np.eye(3) * 2])
    for n in (-1, -3):
        got = gnd.matrix_power(gnd.from_numpy(x), n)
        refused(gnd.sync, gnd.ERROR_VALUE, "gnd_matrix_power: ", "matrix 1 of 3", "singular")
        assert np.isnan(got.numpy()).all((1, 2)).tolist() == [False, True, False]


def test_matrix_power_refuses():
    refused(lambda: gnd.matrix_power(gnd.zeros((2, 3), "float32"), 2), gnd.ERROR_SHAPE, "gnd_matrix_power", "(2, 3)")
    refused(lambda: gnd.matrix_power(gnd.zeros(3, "float32"), 2), gnd.ERROR_SHAPE, "(3,)")
    refused(lambda: gnd.matrix_power(None, 2), gnd.ERROR_INVALID, "'a' is NULL")


def test_multi_dot():
    g = generator("chain")
    chains = [[(3, 4), (4, 5)], [(3, 4), (4, 5), (5, 2)], [(10, 100), (100, 5), (5, 50)], [(4,), (4, 3), (3, 2)],
              [(2, 3), (3, 4), (4,)],
              [(3,), (3, 4), (4, 5), (5,)], [(30, 35), (35, 15), (15, 5), (5, 10), (10, 20), (20, 25)],
              [(2, 0), (0, 3), (3, 2)],
              [(1, 7)] + [(7, 7)] * 9 + [(7, 1)]]
    for chain in chains:
        for dtype in ("float64", "complex64", "int64"):
            pairs = [operand(shape, dtype, g) for shape in chain]
            got = gnd.multi_dot(len(chain), listed([a for a, _ in pairs]))
            arrays = [x for _, x in pairs]
            want = np.linalg.multi_dot(arrays if dtype == "int64" else [wide(x) for x in arrays])
            assert got.dtype == dtype and got.shape == np.shape(want)
            if dtype == "int64":
                assert (got.numpy() == want).all(), chain
            else:
                size = np.linalg.multi_dot([abs(wide(x)) for x in arrays])
                assert (abs(wide(got.numpy()) - want) <= 100 * ROUNDING[dtype] * size).all(), chain


def test_multi_dot_refuses():
    m, t, v = gnd.zeros((2, 3), "int8"), gnd.zeros((3, 2), "int8"), gnd.zeros(3, "int8")
    refused(lambda: gnd.multi_dot(1, listed([m])), gnd.ERROR_INVALID, "at least two")
    refused(lambda: gnd.multi_dot(3, None), gnd.ERROR_INVALID, "'arrays' is NULL")
    refused(lambda: gnd.multi_dot(3, gnd.outputs(3)), gnd.ERROR_INVALID, "'arrays[0]' is NULL")
    refused(lambda: gnd.multi_dot(3, listed([m, v, m])), gnd.ERROR_SHAPE, "array 1", "(3,)")
    refused(lambda: gnd.multi_dot(3, listed([m, t, t])), gnd.ERROR_SHAPE, "array 1, of shape (3, 2)", "array 2")
    refused(lambda: gnd.multi_dot(3, listed([gnd.zeros((1, 2, 2), "int8"), t, m])), gnd.ERROR_SHAPE, "array 0",
            "1- or 2-dimensional")


# ---- memory -----------------------------------------------------------------------------------------------


def test_out_of_memory():
    g = generator("memory")
    (a, _), (b, _) = operand((3, 4, 5), "float32", g, "negative"), operand((5, 6), "float64", g, "strided")
    cube = gnd.from_numpy(finite_values("float64", (2, 5, 6), g))
    square, half = a["..., :4"], gnd.from_numpy(finite_values("float16", (40, 40), g))
    chain = listed([a["0"], b, gnd.transpose(b)])
    for call in (lambda: gnd.matmul(a, b), lambda: gnd.dot(a, cube), lambda: gnd.inner(a, a), lambda: gnd.kron(a, b),
                 lambda: gnd.linalg_outer(a, b), lambda: gnd.tensordot_axes(a, b, (2,), (0,)),
                 lambda: gnd.matvec(a, a[":, 0"]), lambda: gnd.vecmat(a[":, 0"], gnd.swapaxes(a, 1, 2)),
                 lambda: gnd.cross(a["..., :3"], a["..., :3"], -1), lambda: gnd.matrix_power(square, 5),
                 lambda: gnd.multi_dot(3, chain), lambda: gnd.matmul(half, half)):
        _, failures = run_with_failures(call)
        assert failures


@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_out_of_memory_writes_nothing(dtype):
    g = generator("memory into")
    (a, _), (b, _) = operand((3, 4, 5), dtype, g, "negative"), operand((5, 6), dtype, g, "strided")
    start = finite_values(dtype, (3, 4, 6), g)

    def into():
        out = gnd.from_numpy(start)
        try:
            gnd.matmul_into(out["::-1, ::-1, ::-1"], a, b, 2, 1)
        except gnd.Error:
            assert (out.numpy() == start).all()
            raise
        return out

    _, failures = run_with_failures(into)
    assert failures


# ---- precision --------------------------------------------------------------------------------------------


def test_tf32_only_where_it_is_allowed():
    """Factors of 10 bits give errors that float32 does not; the setting says what held before."""
    g = generator(32)
    a, b = (gnd.from_numpy(g.random((200, 200)).astype("float32")) for _ in range(2))
    exact = a.numpy().astype("float64") @ b.numpy().astype("float64")
    assert not gnd.allow_tf32(True)
    try:
        rounded = gnd.matmul(a, b).numpy()
    finally:
        assert gnd.allow_tf32(False)
    assert abs(rounded - exact).max() <= 2.0**-10 * exact.max()
    assert abs(gnd.matmul(a, b).numpy() - exact).max() <= 2.0**-20 * exact.max()
