"""gnd_matmul_into and gnd_matmul_with: products into arrays of any kind, multiples of them, axes, dtype and casting,
against NumPy; and what is refused."""

import ctypes
import itertools
import warnings

import numpy as np
import pytest

import dtypes
import gnd
from check import assert_same, refused
from dtypes import ROUNDING, is_exact, wide
from test_products import SHAPES, check, check_into, combined, context_of
from values import apply_numpy, finite_values, generator, layouts
from values import finite_operand as operand


# ---- into an array that there is --------------------------------------------------------------------------


def number_pairs(dtype):
    if dtype == "bool":
        return [(1, 0), (True, True), (0, 1), (False, False)]
    if dtype in dtypes.INTEGERS:
        return [(1, 0), (1, 1), (3, 2), (0, 1), (2, 0)]
    pairs = [(1, 0), (1.0, 1.0), (0.5, -2.0), (-1, 3), (0, 2.5), (2, 0)]
    return pairs + [(1j, 0), (0.5 - 1j, 2 + 1j)] if dtype in dtypes.COMPLEX else pairs


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_matmul_into(dtype):
    g = generator("into", dtype)
    for of_a, of_b in [((3, 4), (4, 5)), ((40, 30), (30, 50)), ((6, 2, 9), (9, 7)), ((2, 5, 3), (2, 3, 1)),
                       ((8, 7), (7,)),
                       ((7,), (7, 8)), ((5,), (5,)), ((1, 4), (4, 6)), ((3, 0), (0, 2)), ((0, 3), (3, 2)),
                       ((30, 200), (200, 30))]:
        for alpha, beta in number_pairs(dtype):
            (a, x), (b, y) = operand(of_a, dtype, g), operand(of_b, dtype, g)
            shape = np.matmul(np.ones(of_a), np.ones(of_b)).shape
            fitting = [one for one in layouts(shape) if "broadcast" not in one.name]
            layout = fitting[g.integers(len(fitting))]
            base = np.asarray(finite_values(dtype, layout.base, g))
            if beta == 0 and not is_exact(dtype):
                base = dtypes.cast(np.full(base.shape, np.nan), dtype)
            start = apply_numpy(base, layout.steps)
            around = gnd.from_numpy(base)
            out = around
            for kind, argument in layout.steps:
                out = out[argument] if kind == "slice" else gnd.permute(out, argument)
            gnd.matmul_into(out, a, b, alpha, beta)
            want, size = combined(x, y, start, alpha, beta, dtype)
            check_into(out, want, size, dtype, f"{context_of('into', x, y)} {layout.name} {alpha} {beta}", of_a[-1])
            # What lies around the view is as it was.
            kept = np.ones(base.shape, bool)
            apply_numpy(kept, layout.steps)[...] = False
            assert (around.numpy()[kept].tobytes() == base[kept].tobytes()), layout.name


def test_matmul_into_casts_as_numpy():
    g = generator("casts")
    for first, second in itertools.product(["bool", "int8", "uint8", "int64", "float16", "float32", "float64",
                                            "complex64",
                                            "complex128"], dtypes.NAMES):
        if "bfloat16" in (first, second):
            continue
        x, y, start = finite_values(first, (4, 3), g), finite_values(first, (3, 5), g), finite_values(second, (4, 5), g)
        out = gnd.from_numpy(start)
        if not np.can_cast(first, second, "same_kind"):
            refused(lambda: gnd.matmul_into(out, gnd.from_numpy(x), gnd.from_numpy(y), 1, 0), gnd.ERROR_DTYPE, first,
                    second)
            assert out.numpy().tobytes() == start.tobytes()
            continue
        with np.errstate(all="ignore"):
            want = np.matmul(x, y, out=start.copy(), casting="same_kind")
            more = want + start
        gnd.matmul_into(out, gnd.from_numpy(x), gnd.from_numpy(y), 1, 0)
        loose = max(ROUNDING.get(first, 0), ROUNDING.get(second, 0)) * 16
        assert np.allclose(out.numpy(), want, rtol=loose, atol=loose), (first, second)
        out = gnd.from_numpy(start)
        gnd.matmul_into(out, gnd.from_numpy(x), gnd.from_numpy(y), 1, 1)
        assert np.allclose(out.numpy(), more, rtol=loose, atol=loose * 4), (first, second)


def test_matmul_into_rounds_halves_before_a_wider_out():
    """As NumPy's loop of halves, whose results are cast: whole numbers, whose sums halves do not represent."""
    g = generator("halves into wider")
    x, y = (g.integers(0, 13, shape) for shape in ((7, 300), (300, 5)))
    for dtype, wider in itertools.product(("float16", "bfloat16"), ("float32", "float64")):
        a, b = dtypes.cast(x, dtype), dtypes.cast(y, dtype)
        for one, other in ((a, b), (a[:1], b), (a[0], b), (a, b[:, 0]), (a[0], b[:, 0])):
            exact = wide(one) @ wide(other)
            product = wide(dtypes.cast(exact, dtype))
            assert (product != exact).any()
            if dtype == "float16":
                assert (np.matmul(one, other, out=np.zeros(exact.shape, wider)) == product).all()
            start = np.ones(exact.shape, wider)
            for beta in (0, 1, -2):
                out = gnd.from_numpy(start)
                gnd.matmul_into(out, gnd.from_numpy(one), gnd.from_numpy(other), 1, beta)
                assert (out.numpy() == product + beta * start).all(), (dtype, wider, one.shape, other.shape, beta)


def test_matmul_into_numbers_of_a_higher_kind():
    x, y = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    out = gnd.from_numpy(np.ones((2, 4)))
    gnd.matmul_into(out, a, b, 0.5, 2.5)
    assert (out.numpy() == 0.5 * (x @ y) + 2.5).all()
    out = gnd.from_numpy(np.ones((2, 4), "complex128"))
    gnd.matmul_into(out, gnd.from_numpy(x.astype("float64")), gnd.from_numpy(y.astype("float64")), 2j, 1 - 1j)
    assert (out.numpy() == 2j * (x @ y) + (1 - 1j)).all()
    out = gnd.from_numpy(np.full((2, 4), 2**62 + 1, "int64"))
    big = gnd.from_numpy(np.full((2, 3), 2**31 - 1, "int32")), gnd.from_numpy(np.full((3, 4), 2**20, "int32"))
    gnd.matmul_into(out, *big, 1, 1)  # the product wraps in int32; what is added to it is exact
    product = np.full((2, 3), 2**31 - 1, "int32") @ np.full((3, 4), 2**20, "int32")
    assert (out.numpy() == product + np.int64(2**62 + 1)).all()


def test_matmul_into_scales_in_the_dtype_of_out():
    """The product wraps in its own dtype; what it is multiplied by need only fit that of out."""
    for first, second, alpha, product in [("int8", "int32", 10, 18), ("int8", "int32", 1000, 100),
                                          ("uint8", "int32", -1, 200),
                                          ("int8", "float32", 1000, -3), ("bool", "int16", -300, 1),
                                          ("uint8", "float64", -0.5, 255),
                                          ("bool", "uint8", 200, 1), ("int64", "float16", 0.5, 100000),
                                          ("int8", "complex64", 1000j, 2)]:
        x, y = np.full((2, 1), product).astype(first), np.ones((1, 3), first)
        for beta in (0, 2):
            out = gnd.from_numpy(np.full((2, 3), 7, second))
            gnd.matmul_into(out, gnd.from_numpy(x), gnd.from_numpy(y), alpha, beta)
            with np.errstate(all="ignore"):
                want = np.asarray(alpha * product + beta * 7).astype(second)
            assert (out.numpy() == want).all(), (first, second, alpha, beta)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_matmul_into_with_alpha_zero_reads_no_factor(dtype):
    g = generator("alpha zero", dtype)
    for n in (2, 3, 4, 5, 6, 40):
        for bad in (np.nan, np.inf):
            x = dtypes.cast(np.full((n, n), bad), dtype) if not is_exact(dtype) else finite_values(dtype, (n, n), g)
            a = gnd.from_numpy(x)
            start = dtypes.cast(g.integers(0, 2, (n, n)), dtype)
            for beta in (0, 1, 1.0, 3, -0.5) if not is_exact(dtype) else (0, 1):
                for turn in (False, True):
                    out = gnd.from_numpy(start if beta else dtypes.cast(np.full((n, n), bad), dtype)
                                         if not is_exact(dtype) else start)
                    gnd.matmul_into(gnd.swapaxes(out, 0, 1) if turn else out, a, a, 0, beta)
                    assert (wide(out.numpy()) == beta * wide(start)).all(), (n, bad, beta)
    a = gnd.from_numpy(np.full((3, 3), np.nan, "float32"))
    out = gnd.from_numpy(np.full((3, 3), 3, "complex128"))
    gnd.matmul_into(out, a, a, 0, 2j)
    assert (out.numpy() == 6j).all()


def test_matmul_into_overlaps():
    """As if the operands had been copied; and no copy is needed where the parts of a matrix are apart."""
    g = generator("overlap")
    for dtype in ("float32", "float64", "complex64", "int32", "bool", "float16"):
        x = finite_values(dtype, (12, 12), g)
        for out_text, a_text, b_text in [(":6, :6", ":6, :6", "6:, 6:"), (":6, :6", "6:, 6:", ":6, :6"),
                                         (":6, :6", ":6, 6:", "6:, :6"), ("::2, ::2", "1::2, ::2", "::2, 1::2"),
                                         ("3:9, 3:9", ":6, :6", "6:, 6:"), ("::-2, ::2", "::2, ::2", "6:, :6"),
                                         (":6, 2:8", "4:10, 2:8", "6:, 6:")]:
            for alpha, beta in ((1, 0), (1, 1)):
                whole = gnd.from_numpy(x)
                parts = [eval(f"x[{t}]", {"x": x}) for t in (a_text, b_text, out_text)]
                want, size = combined(parts[0], parts[1], parts[2], alpha, beta, dtype)
                out = whole[out_text]
                gnd.matmul_into(out, whole[a_text], whole[b_text], alpha, beta)
                check_into(out, want, size, dtype, f"{dtype} {out_text} {a_text} {b_text}", 6)
                kept = np.ones((12, 12), bool)
                eval(f"kept[{out_text}]", {"kept": kept})[...] = False
                assert (whole.numpy()[kept] == x[kept]).all()


def test_matmul_into_refuses():
    a, b = gnd.zeros((2, 3), "float32"), gnd.zeros((3, 4), "float32")
    out, whole = gnd.ones((2, 4), "float32"), gnd.ones((2, 4), "int8")
    into = gnd.function("gnd_matmul_into")
    refused(lambda: into(None, a, b, 1, 0), gnd.ERROR_INVALID, "'out' is NULL")
    refused(lambda: into(out, None, b, 1, 0), gnd.ERROR_INVALID, "'a' is NULL")
    refused(lambda: into(out, a, b, None, 0), gnd.ERROR_INVALID, "alpha must be a number")
    refused(lambda: into(out, a, b, 1, a), gnd.ERROR_INVALID, "beta must be a number")
    refused(lambda: into(out, a, b, 1j, 0), gnd.ERROR_DTYPE, "complex alpha",
            "float32; it takes a real number, or an out of complex numbers")
    refused(lambda: into(gnd.ones((2, 5), "float32"), a, b, 1, 0), gnd.ERROR_SHAPE, "(2, 5)", "(2, 4)")
    refused(lambda: into(whole, a, b, 1, 0), gnd.ERROR_DTYPE, "int8; out must be float32, or another")
    small = gnd.zeros((2, 3), "int8"), gnd.zeros((3, 4), "int8")
    refused(lambda: into(whole, *small, 1.5, 0), gnd.ERROR_DTYPE, "real alpha",
            "int8; it takes a whole number, or an out of floats")
    refused(lambda: into(whole, *small, 1, 300), gnd.ERROR_VALUE, "300")
    flags = gnd.zeros((2, 3), "bool"), gnd.zeros((3, 4), "bool")
    refused(lambda: into(gnd.ones((2, 4), "bool"), *flags, 2, 0), gnd.ERROR_VALUE, "0 or 1")
    refused(lambda: into(gnd.broadcast_to(gnd.zeros((4,), "float32"), (2, 4)), a, b, 1, 0), gnd.ERROR_INVALID,
            "read-only")
    assert (out.numpy() == 1).all() and (whole.numpy() == 1).all()


# ---- matmul with options ----------------------------------------------------------------------------------

CASTINGS = {"same_kind": gnd.SAME_KIND, "no": gnd.NO_CASTING, "equiv": gnd.EQUIV, "safe": gnd.SAFE,
            "unsafe": gnd.UNSAFE}


def product_options(dtype=None, casting="same_kind", out=None, axes=None):
    """A gnd_product_options, which holds what it points at."""
    options = gnd.STRUCTS["gnd_product_options"]()
    options.dtype, options.casting = gnd.dtype_code(dtype), CASTINGS[casting]
    options.out = out.pointer if out else None
    if axes:
        options.lists = (gnd.STRUCTS["gnd_axes"] * 3)(*[gnd.axes(list(one)) for one in axes])
        options.axes = ctypes.addressof(options.lists)
    return options


def test_matmul_axes():
    g = generator("matmul axes")
    for of_a, of_b in SHAPES:
        x, y = finite_values("int64", of_a, g) // 2**40, finite_values("int64", of_b, g) // 2**40
        for _ in range(6):
            own = [1 if v.ndim == 1 else 2 for v in (x, y)]
            ndim = np.matmul(x, y).ndim
            axes = [tuple(int(i) for i in g.permutation(v.ndim)[:n]) for v, n in zip((x, y), own)]
            axes.append(tuple(int(i) - ndim * int(g.integers(2)) for i in g.permutation(ndim)[:sum(own) - 2]))
            moved = [np.moveaxis(v, range(-n, 0), a) for v, n, a in zip((x, y), own, axes)]
            context = f"{moved[0].shape} {moved[1].shape} {axes}"
            got = gnd.matmul_with(gnd.from_numpy(moved[0]), gnd.from_numpy(moved[1]), product_options(axes=axes))
            assert_same(got, np.asarray(np.matmul(*moved, axes=axes)), context, strides=False)
            want = np.zeros(got.shape)
            out = gnd.zeros(got.shape, "float64")
            assert gnd.matmul_with(gnd.from_numpy(moved[0]), gnd.from_numpy(moved[1]),
                                   product_options(axes=axes, out=out)).address == out.address
            if want.ndim:
                np.matmul(*moved, axes=axes, out=want)
                assert_same(out, want, context)


@pytest.mark.parametrize("casting", CASTINGS)
def test_matmul_casts(casting):
    """Every pair of dtypes, computed in every other and written to a third: allowed where NumPy allows it."""
    kinds = ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64", "complex128"]
    g = generator("matmul casts", casting)
    for first, second in itertools.product(kinds, kinds[::2]):
        x = (g.integers(0, 2, (3, 4)) if first == "bool" else g.integers(0, 9, (3, 4))).astype(first)
        y = (g.integers(0, 2, (4, 2)) if second == "bool" else g.integers(0, 9, (4, 2))).astype(second)
        for dtype in (None, "bool", "int16", "float32", "float64", "complex64"):
            for out_dtype in (None, "int32", "float32", "complex128"):
                out = gnd.zeros((3, 2), out_dtype) if out_dtype else None
                options = product_options(dtype, casting, out)
                call = lambda: gnd.matmul_with(gnd.from_numpy(x), gnd.from_numpy(y), options)
                target = np.zeros((3, 2), out_dtype) if out_dtype else None
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        want = np.matmul(x, y, dtype=dtype, casting=casting, out=target)
                except np._core._exceptions._UFuncNoLoopError:
                    continue  # the loops of NumPy's own that "no" finds none of
                except TypeError:
                    refused(call, gnd.ERROR_DTYPE, f'"{casting}"')
                    assert out is None or not out.numpy().any()
                    continue
                assert_same(call(), want, f"{first} {second} in {dtype} to {out_dtype} {casting}", strides=False)


def test_refusals_of_matmul_with():
    a, b = gnd.ones((3, 4), "float32"), gnd.ones((4, 5), "float32")
    call = lambda x=a, y=b, **given: gnd.matmul_with(x, y, product_options(**given))
    last = (-2, -1)
    refused(lambda: call(axes=((0,), last, last)), gnd.ERROR_INVALID, "1 axes", "a")
    refused(lambda: call(axes=(last, last, ())), gnd.ERROR_INVALID, "the result")
    refused(lambda: call(axes=((0, 0), last, last)), gnd.ERROR_AXIS, "twice")
    refused(lambda: call(axes=(last, (0, 2), last)), gnd.ERROR_AXIS)
    refused(lambda: call(axes=((1, 0), last, last)), gnd.ERROR_SHAPE)
    refused(lambda: call(out=gnd.zeros((5, 3), "float32")), gnd.ERROR_SHAPE)
    refused(lambda: call(dtype=99), gnd.ERROR_DTYPE, "99")
    refused(lambda: call(gnd.ones((), "float32")), gnd.ERROR_SHAPE, "dimension")
    refused(lambda: call(None), gnd.ERROR_INVALID, "NULL")
    options = product_options()
    options.casting = 9
    refused(lambda: gnd.matmul_with(a, b, options), gnd.ERROR_INVALID, "9")


def test_matmul_with_overlapping_out():
    x = generator("matmul overlap").normal(size=(6, 6))
    a = gnd.from_numpy(x)
    got = gnd.matmul_with(a, gnd.transpose(a), product_options(out=a))
    np.testing.assert_allclose(got.numpy(), x @ x.T)
    assert got.address == a.address
