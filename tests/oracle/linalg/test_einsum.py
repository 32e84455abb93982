"""Sums of products in Einstein's notation against NumPy's einsum: the grammar, views, every dtype, random
expressions of one to five operands in any layout, results into arrays of any kind, paths, and what is refused.

Integers and bool must be exact; floating results may be off by a few roundings of the sum of the products'
magnitudes, since the sums are rearranged; the half dtypes are rounded once."""

import ctypes
import string
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dtypes
import gnd
from check import assert_same, refused, same_memory
from dtypes import ROUNDING, SUMS, is_exact, wide
from test_faults import run_with_failures
from test_matmul_into import CASTINGS, product_options
from values import finite_operand, finite_values, generator, layouts, listed

# Subscripts, and the shapes of the operands.
CASES = [
    ("ii", (5, 5)), ("ii->i", (5, 5)), ("ij->i", (5, 6)), ("...j->...", (3, 5, 6)), ("ji", (2, 3)),
    ("ij->ji", (2, 3)), ("i,i", 7, 7), ("ij,j", (5, 6), 6), ("...j,j", (5, 6), 6), ("..., ...", (), (2, 3)),
    (",ij", (), (2, 3)), ("i,j", 2, 5), ("ijk,jil->kl", (3, 4, 5), (4, 3, 2)), ("k...,jk", (3, 4), (2, 3)),
    ("ki,...k->i...", (3, 4), (2, 3)), ("", ()), ("->", ()), (",", (), ()), ("i->", 4), ("ij->", (3, 4)),
    ("ba", (2, 3)), ("bA", (2, 3)), ("b,A,a", 2, 3, 4), ("iij->j", (3, 3, 4)), ("ijij->ji", (3, 4, 3, 4)),
    ("iii->i", (4, 4, 4)), ("iii", (4, 4, 4)), ("...ii->...", (2, 3, 4, 4)), ("i...i", (3, 4, 3)),
    ("a...b,...bc->...ac", (2, 3, 4, 5), (3, 4, 5, 6)), ("...ab,...bc", (5, 2, 3), (1, 3, 4)),
    ("...ab,...bc", (2, 3), (7, 5, 3, 4)), ("ab...,b...->a...", (2, 3, 4, 5), (3, 1, 5)),
    ("ij,ij->ij", (3, 4), (3, 4)), ("ij,ij->", (3, 4), (3, 4)), ("ij,ij->j", (3, 4), (3, 4)),
    ("bij,bjk->bik", (4, 5, 6), (4, 6, 7)), ("bij,bjk->ikb", (4, 5, 6), (4, 6, 7)),
    ("ijb,kjb->bik", (5, 6, 4), (7, 6, 4)), ("bij,bj->bi", (4, 5, 6), (4, 6)), ("bj,bij->ib", (4, 6), (4, 5, 6)),
    ("ij,kj->ik", (40, 50), (60, 50)), ("ji,jk->ki", (50, 40), (50, 60)), ("ij,j->i", (200, 300), 300),
    ("i,ij->j", 200, (200, 300)), ("abcd,cdef->abef", (3, 4, 5, 6), (5, 6, 7, 2)),
    ("abcd,dcef->abef", (3, 4, 5, 6), (6, 5, 7, 2)), ("acbd,decf->aebf", (3, 4, 5, 6), (6, 2, 4, 7)),
    ("nchw,oc->nohw", (3, 5, 40, 6), (7, 5)), ("ikj,kl->ijl", (3, 5, 40), (5, 33)),
    ("lk,ikj->lij", (33, 5), (3, 5, 40)), ("ikj,mkn->imjn", (3, 5, 40), (2, 5, 36)),
    ("aij,ajk->ik", (3, 4, 5), (3, 5, 6)), ("i,i->i", 5, 5), ("ij,jk->ijk", (2, 3), (3, 4)),
    ("ij,jk->jki", (2, 3), (3, 4)), ("ij,j->", (4, 5), 5), ("ij,kl->ik", (4, 5), (6, 3)), ("ij,k->", (2, 3), 4),
    ("ij,jk", (2, 1), (3, 4)), ("ij,jk->ijk", (2, 1), (3, 4)), ("i,i", 1, 3), ("ij,ij", (1, 3), (4, 1)),
    ("ij,jk->ik", (1, 3), (3, 1)), ("ij,jk->ik", (1, 1), (1, 1)), ("ij,jk->jik", (3, 1), (1, 4)),
    ("ij,jk", (0, 3), (3, 4)), ("ij,jk", (2, 0), (0, 3)), ("ij,jk->", (0, 3), (3, 0)), ("i,i", 0, 1), ("i->", 0),
    ("ii->i", (0, 0)), ("ij->ji", (0, 3)), ("i,i->", 0, 0), ("i,j,k->", 0, 2, 3),
    ("ij,jk,kl->il", (3, 4), (4, 5), (5, 6)), ("ij,jk,ki->", (3, 4), (4, 5), (5, 3)),
    ("i,j,k", 3, 4, 5), ("i,i,i->i", 5, 5, 5), ("i,i,i->", 5, 5, 5), ("ij,ik,il->jkl", (6, 2), (6, 3), (6, 4)),
    ("ab,bc,cd,de,ea->", (3, 4), (4, 5), (5, 6), (6, 7), (7, 3)), ("i,,j,", 3, (), 4, ()),
    ("ea,fb,abcd,gc,hd->efgh", (4, 4), (4, 4), (4, 4, 4, 4), (4, 4), (4, 4)), ("i,j,k->", 3, 4, 5),
    ("...a,...b,...c->...", (2, 3), (2, 4), 5), ("aab,bcc,dbd->b", (3, 3, 4), (4, 5, 5), (2, 4, 2)),
    ("ijk,ijk,ijk,ijk->k", *4 * [(3, 4, 5)]), (" i j , j k - > i k".replace("- >", "->"), (2, 3), (3, 4)),
    ("i...->i...", 3), ("ij->i...j", (2, 3)), ("i,j->...ij", 3, 4),
    ("ij->i", (2, 1)), ("i->", 1), ("ij->j", (1, 3)), ("ii", (1, 1)), ("...i->...", (3, 1)),
]


# ---- operands and comparison ------------------------------------------------------------------------------


def operands(shapes, kinds, g, plain=False):
    """As many on both sides; a size alone is the shape of a vector. Four in ten of bool are true, or few products
    of many operands would be."""
    pairs = [finite_operand((shape,) if isinstance(shape, int) else shape, dtype, g,
                            "contiguous" if plain else None, 0.4)
             for shape, dtype in zip(shapes, kinds)]
    return [a for a, _ in pairs], [x for _, x in pairs]


def einsum(subscripts, arrays):
    return gnd.einsum(subscripts, len(arrays), listed(arrays))


def result_type(names):
    """Of all together, which is not always what promoting one after the other gives. bfloat16 is as float16,
    and beside it float32."""
    stand_in = "float32" if "float16" in names else "float16"
    result = np.result_type(*[stand_in if name == "bfloat16" else name for name in names]).name
    return "bfloat16" if result == "float16" and "bfloat16" in names else result


def is_close(got, subscripts, xs, dtype, context):
    """Whether a NumPy array is the sum of products, up to what any order of the operations may be off."""
    want = np.einsum(subscripts, *map(wide, xs))
    size = np.einsum(subscripts, *[abs(wide(x)) for x in xs])
    count = max(np.prod([x.size for x in xs], dtype=float), 1) ** (1 / len(xs))
    sums = ROUNDING[SUMS.get(dtype, dtype)]
    error = np.asarray(abs(wide(got) - want))
    if dtype == "float16":
        error[abs(want) > 65400] = 0
    limit = 4 * sums * (len(xs) + count ** 0.5) * size
    if dtype in SUMS:  # and one rounding at the end
        limit = limit + ROUNDING[dtype] * 1.01 * abs(want) + 2.0**-25 * (dtype == "float16")
    assert (error <= limit).all(), f"{context}: off by {error.max()}, of {size.max()}"


def check(got, subscripts, xs, context=""):
    context = f"{context} {subscripts} of {[(x.shape, x.strides, dtypes.name_of(x.dtype)) for x in xs]}"
    dtype = result_type([dtypes.name_of(x.dtype) for x in xs])
    assert got.dtype == dtype, f"{context}: {got.dtype}, not {dtype}"
    if is_exact(dtype):
        assert_same(got, np.einsum(subscripts, *xs), context, strides=False)
        return
    shape = np.einsum(subscripts, *map(wide, xs)).shape
    assert got.shape == shape, f"{context}: {got.shape}, not {shape}"
    is_close(got.numpy(), subscripts, xs, dtype, context)


# ---- values -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].replace(" ", "") + str(case[1:]))
def test_cases(case):
    subscripts, *shapes = case
    g = generator("cases", case)
    for dtype in ("float64", "float32", "int32", "complex64", "bool"):
        for plain in (True, False, False):
            arrays, xs = operands(shapes, [dtype] * len(shapes), g, plain)
            check(einsum(subscripts, arrays), subscripts, xs)


@pytest.mark.parametrize("dtype", dtypes.NAMES)
def test_every_dtype(dtype):
    g = generator("dtype", dtype)
    for subscripts, *shapes in CASES:
        arrays, xs = operands(shapes, [dtype] * len(shapes), g)
        check(einsum(subscripts, arrays), subscripts, xs)


def test_dtypes_promote():
    g = generator("promote")
    few = [("i,i->i", 5, 5), ("ij,jk->ik", (4, 5), (5, 6)), ("ij,ij->i", (4, 5), (4, 5)), ("ij,j->i", (4, 5), 5),
           ("ij,k->jk", (4, 5), 6), ("ij,jk,kl->il", (3, 4), (4, 5), (5, 6)), ("i,j,k->k", 3, 4, 5)]
    for first, second in [("int8", "uint8"), ("int8", "float32"), ("int64", "float32"), ("float16", "int16"),
                          ("bool", "int8"), ("bool", "float16"), ("float64", "complex64"), ("complex64", "int8"),
                          ("bfloat16", "float16"), ("bfloat16", "float64"), ("float16", "int8"), ("int8", "uint64")]:
        for subscripts, *shapes in few:
            for kinds in ([first, second, second], [second, first, first], [first, first, second]):
                arrays, xs = operands(shapes, kinds, g)
                check(einsum(subscripts, arrays), subscripts, xs)


def test_sums_of_one_integer_operand_do_not_widen():
    x = np.full((3, 300), 100, "int8")
    check(einsum("ij->i", [gnd.from_numpy(x)]), "ij->i", [x])
    check(einsum("ij,k->i", [gnd.from_numpy(x), gnd.from_numpy(x[0].astype("int16"))]), "ij,k->i",
          [x, x[0].astype("int16")])


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_rounded_once(dtype):
    """What lies between steps may be too large for the dtype, or too small to be added."""
    x = dtypes.cast(np.full((300, 2), 300.0), dtype)
    y = dtypes.cast(np.full((300, 3), 300.0), dtype)
    z = dtypes.cast(np.full((3, 4), 2.0**-20), dtype)
    xs = [x, y, z]
    arrays = [gnd.from_numpy(v) for v in xs]
    for subscripts in ("ij,ik,kl->jl", "ij,ik,kl->", "ij,ik,kl->l"):
        check(einsum(subscripts, arrays), subscripts, xs)
    ones = dtypes.cast(np.ones(5000), dtype)
    check(einsum("i,j->j", [gnd.from_numpy(ones), gnd.from_numpy(ones[:3])]), "i,j->j", [ones, ones[:3]])


def test_infinite_and_missing_values():
    x = np.array([[1, np.inf, 2], [np.nan, 3, 4], [5, 6, -np.inf]])
    y = np.arange(9.0).reshape(3, 3)
    a, b = gnd.from_numpy(x), gnd.from_numpy(y)
    with np.errstate(invalid="ignore"):
        for subscripts in ("ij,jk->ik", "ij,ij->i", "ij,ij->ij", "ij,jk->", "ij,j->i"):
            second, z = (b, y) if subscripts != "ij,j->i" else (b["0"], y[0])
            assert_same(einsum(subscripts, [a, second]), np.einsum(subscripts, x, z), subscripts, strides=False)


def test_large_products_of_matrices():
    g = generator("large")
    for dtype in ("float32", "float64", "complex128", "float16"):
        for subscripts, *shapes in [("ij,jk->ik", (300, 200), (200, 250)), ("ij,kj->ki", (300, 200), (250, 200)),
                                    ("abij,abjk->abik", (3, 4, 70, 60), (3, 4, 60, 50)),
                                    ("nchw,oc->nohw", (4, 32, 30, 30), (48, 32)),
                                    ("bthd,bshd->bhts", (2, 65, 4, 32), (2, 70, 4, 32)),
                                    ("bhts,bshd->bthd", (2, 4, 65, 70), (2, 70, 4, 32)),
                                    ("pqrs,pi,qj->ijrs", (20, 21, 22, 23), (20, 8), (21, 9))]:
            arrays, xs = operands(shapes, [dtype] * len(shapes), g, plain=True)
            check(einsum(subscripts, arrays), subscripts, xs)


# ---- random expressions -----------------------------------------------------------------------------------


@st.composite
def expressions(draw):
    """Subscripts and shapes that fit."""
    g = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(1, 5))
    letters = list(g.choice(list(string.ascii_letters), draw(st.integers(1, 6)), replace=False))
    sizes = {c: int(g.choice([0, 1, 2, 3, 4, 5], p=[0.02, 0.1, 0.3, 0.28, 0.2, 0.1])) for c in letters}
    broadcast = tuple(int(n) for n in g.integers(1, 4, draw(st.integers(0, 3))))
    terms, shapes, used = [], [], []
    hidden = 0
    for _ in range(count):
        chosen = list(g.choice(letters, g.integers(0, min(len(letters), 4) + 1), replace=False))
        shape = [1 if g.random() < 0.1 else sizes[c] for c in chosen]
        if chosen and g.random() < 0.25:  # a diagonal
            at = g.integers(len(chosen))
            chosen.append(chosen[at])
            shape.append(shape[at])
        if broadcast and g.random() < 0.6:
            own = [1 if g.random() < 0.2 else n for n in broadcast[g.integers(len(broadcast) + 1):]]
            hidden = max(hidden, len(own))
            at = int(g.integers(len(chosen) + 1))
            term = "".join(chosen[:at]) + "..." + "".join(chosen[at:])
            shape[at:at] = own
        else:
            term = "".join(chosen)
        used += chosen
        terms.append(term)
        shapes.append(tuple(shape))
    subscripts = g.choice([",", " , "]).join(terms)
    if g.random() < 0.7:
        seen = sorted(set(used))
        kept = list(g.permutation(seen)[:g.integers(len(seen) + 1)]) if seen else []
        if hidden or g.random() < 0.2:
            kept.insert(int(g.integers(len(kept) + 1)), "...")
        subscripts += "->" + "".join(kept)
    return subscripts, shapes, int(g.integers(2**32))


@given(expressions(), st.sampled_from(dtypes.NAMES))
def test_random_expressions(expression, dtype):
    subscripts, shapes, seed = expression
    g = np.random.default_rng(seed)
    arrays, xs = operands(shapes, [dtype] * len(shapes), g)
    check(einsum(subscripts, arrays), subscripts, xs)


@given(expressions(), st.lists(st.sampled_from(dtypes.NAMES), min_size=5, max_size=5))
def test_random_expressions_of_several_dtypes(expression, kinds):
    subscripts, shapes, seed = expression
    g = np.random.default_rng(seed)
    pairs = []
    for shape, dtype in zip(shapes, kinds):
        x = finite_values("int8" if dtype != "bool" else dtype, shape, g)
        x = dtypes.cast(x // 8, dtype) if dtype != "bool" else x
        pairs.append((gnd.from_numpy(x), x))
    check(einsum(subscripts, [a for a, _ in pairs]), subscripts, [x for _, x in pairs])


@given(expressions(), st.sampled_from(["float32", "int16", "complex128", "bfloat16"]))
def test_random_expressions_into(expression, dtype):
    subscripts, shapes, seed = expression
    g = np.random.default_rng(seed)
    arrays, xs = operands(shapes, [dtype] * len(shapes), g)
    shape = np.einsum(subscripts, *map(wide, xs)).shape
    every = [one for one in layouts(shape) if not one.name.startswith("broadcast")]
    layout = every[g.integers(len(every))]
    out = gnd.view(finite_values(dtype, layout.base, g), layout.steps)
    gnd.einsum_into(out, subscripts, len(arrays), listed(arrays))
    check(out, subscripts, xs, f"into {layout.name}")


@pytest.mark.parametrize("dtype", ["float64", "float16", "int64", "bool"])
def test_as_many_axes_as_there_are(dtype):
    """64 axes of one operand; 64 different ones, of which 52 have letters."""
    g = generator("many", dtype)
    letters = string.ascii_letters[:52]
    shape = tuple(2 if k % 5 == 0 else 1 for k in range(52))
    arrays, xs = operands([shape], [dtype], g, plain=True)
    check(einsum(letters + "->" + letters[::-1], arrays), letters + "->" + letters[::-1], xs)
    shapes = [(1,) * 25 + (3,), (3,) + (1,) * 24 + (2,)]
    first, second = string.ascii_lowercase, "z" + string.ascii_uppercase[:25]
    arrays, xs = operands(shapes, [dtype] * 2, g, plain=True)
    check(einsum(f"{first},{second}->aY", arrays), f"{first},{second}->aY", xs)
    check(einsum(f"{first},{second}->", arrays), f"{first},{second}->", xs)
    shape = tuple(2 if k % 9 == 0 else 1 for k in range(64))
    arrays, xs = operands([shape], [dtype], g, plain=True)
    check(einsum("...ab->ba...", arrays), "...ab->ba...", xs)
    check(einsum("aa...->a...", [arrays[0][f"0:1"]]), "aa...->a...", [xs[0][:1]])
    every = string.ascii_letters
    check(einsum(f"{every}...->...{every[::-1]}", arrays), f"{every}...->...{every[::-1]}", xs)
    deep = (2,) + (1,) * 62 + (2,)
    arrays, xs = operands([deep, deep], [dtype] * 2, g, plain=True)
    check(einsum("...a,...b->...ba", [arrays[0][", ".join(["0"] + [":"] * 63)], arrays[1]["0"]]),
          "...a,...b->...ba", [xs[0][0], xs[1][0]])
    thirteen = [(2,) * 13, (2,) * 13]
    arrays, xs = operands(thirteen, [dtype] * 2, g, plain=True)
    one, two = "abcdefghijklm", "mlkjihgnopqrs"
    check(einsum(f"{one},{two}", arrays), f"{one},{two}", xs)


# ---- views ------------------------------------------------------------------------------------------------


def test_views_of_one_operand():
    g = generator("views")
    for subscripts, *shapes in CASES:
        if len(shapes) > 1:
            continue
        arrays, xs = operands(shapes, ["float32"], g)
        want = np.einsum(subscripts, xs[0])
        got = einsum(subscripts, arrays)
        if np.shares_memory(want, xs[0]):
            same_memory(arrays[0], xs[0], got, want, subscripts)
        elif xs[0].size:
            assert gnd.shares_buffer(arrays[0], got) == (xs[0].ndim == 0), subscripts


def test_views_can_be_written_if_the_operand_can():
    a = gnd.zeros((3, 3), "float64")
    gnd.fill(einsum("ii->i", [a]), 1)
    assert_same(a, np.eye(3))
    gnd.fill(einsum("...->...", [a]), 2)
    assert_same(a, np.full((3, 3), 2.0))
    fixed = gnd.broadcast_to(gnd.zeros(3, "float64"), (3, 3))
    refused(lambda: gnd.fill(einsum("ii->i", [fixed]), 1), gnd.ERROR_INVALID, "read-only")


def test_new_memory_is_no_view():
    g = generator("new")
    for subscripts, *shapes in CASES:
        arrays, xs = operands(shapes, ["float32"] * len(shapes), g)
        result = einsum(subscripts, arrays)
        shared = any(gnd.shares_buffer(a, result) for a in arrays)
        assert gnd.is_view(result) == shared, subscripts


def test_operands_are_left_alone():
    g = generator("alone")
    for subscripts, *shapes in CASES:
        arrays, xs = operands(shapes, ["float32"] * len(shapes), g)
        result = einsum(subscripts, arrays)
        for a, x in zip(arrays, xs):
            assert_same(a, x, subscripts)
            if len(shapes) > 1:
                assert not gnd.shares_buffer(a, result), subscripts


# ---- into -------------------------------------------------------------------------------------------------


def test_into_every_kind_of_out():
    """Computed in the dtype of all operands and out, as NumPy with casting="same_kind"."""
    g = generator("into")
    few = [("ij->ji", (3, 4)), ("ij->i", (3, 4)), ("ij->", (3, 4)), ("i,i->i", 5, 5), ("ij,jk->ki", (4, 5), (5, 6)),
           ("bij,bjk->bik", (2, 4, 5), (2, 5, 6)), ("ij,ij->", (4, 5), (4, 5)), ("ij,jk->", (4, 5), (5, 6)),
           ("ij,j->i", (4, 5), 5), ("ij,jk,kl->li", (3, 4), (4, 5), (5, 6)), ("i,j->ij", 0, 3),
           ("ij,jk", (2, 0), (0, 3))]
    for own, other in [("float32", "float64"), ("float64", "float32"), ("int8", "int64"), ("int64", "int8"),
                       ("int32", "float64"), ("float16", "float32"), ("float32", "float16"), ("bool", "int16"),
                       ("complex64", "complex128"), ("complex128", "complex64"), ("int16", "complex64"),
                       ("uint8", "int16"), ("bfloat16", "float32"), ("float64", "bfloat16")]:
        for subscripts, *shapes in few:
            arrays, xs = operands(shapes, [own] * len(shapes), g)
            common = dtypes.promote(own, other)
            ys = [dtypes.cast(x, common) for x in xs]
            want = np.einsum(subscripts, *map(dtypes.widen, ys))
            every = [one for one in layouts(want.shape) if not one.name.startswith("broadcast")]
            layout = every[g.integers(len(every))]
            out = gnd.view(finite_values(other, layout.base, g), layout.steps)
            gnd.einsum_into(out, subscripts, len(arrays), listed(arrays))
            context = f"{subscripts} {own} into {other} {layout.name}"
            assert out.dtype == other
            if is_exact(common):
                assert_same(out, dtypes.cast(want, other), context, strides=False)
            else:
                worst = max(own, other, common, key=lambda n: ROUNDING.get(n, 0))
                is_close(out.numpy(), subscripts, ys, worst if worst in SUMS else "float32", context)


def test_into_what_it_is_computed_from():
    x = generator("overlap").integers(-9, 9, (4, 4)).astype("float64")
    y = x + 1
    for subscripts, count in [("ij->ji", 1), ("ij,jk->ik", 2), ("ij,ij->ji", 2), ("ij,jk,kl->li", 3), ("ij,kj->ij", 2)]:
        a, b = gnd.from_numpy(x), gnd.from_numpy(y)
        gnd.einsum_into(a, subscripts, count, listed([a, b, a][:count]))
        assert_same(a, np.einsum(subscripts, *[x, y, x][:count]), subscripts, strides=False)
        assert_same(b, y)
    a = gnd.from_numpy(x)
    gnd.einsum_into(a["0"], "ij,ij->j", 2, listed([a, a]))
    assert_same(a["0"], (x * x).sum(0))
    assert_same(a["1:"], x[1:])
    a = gnd.from_numpy(x)
    gnd.einsum_into(a[":, 0"], "ij->i", 1, listed([a]))
    assert_same(a[":, 0"], x.sum(1), strides=False)


def test_into_refuses():
    x, y = gnd.ones((2, 3), "float64"), gnd.ones((3, 4), "float64")
    pair = listed([x, y])
    refused(lambda: gnd.einsum_into(None, "ij,jk", 2, pair), gnd.ERROR_INVALID, "'out' is NULL")
    for shape in [(4, 2), (2,), (), (2, 4, 1), (1, 4)]:
        out = gnd.zeros(shape, "float64")
        refused(lambda: gnd.einsum_into(out, "ij,jk", 2, pair), gnd.ERROR_SHAPE, str(shape), "(2, 4)")
    for dtype in ("int64", "bool", "uint8"):
        out = gnd.full((2, 4), 1, dtype)
        refused(lambda: gnd.einsum_into(out, "ij,jk", 2, pair), gnd.ERROR_DTYPE, "float64", dtype)
        assert_same(out, np.ones((2, 4), dtype))
    out = gnd.zeros((2, 4), "float64")
    z = gnd.ones((3, 4), "complex64")
    refused(lambda: gnd.einsum_into(out, "ij,jk", 2, listed([x, z])), gnd.ERROR_DTYPE, "complex128")
    fixed = gnd.broadcast_to(gnd.zeros((), "float64"), (2, 4))
    refused(lambda: gnd.einsum_into(fixed, "ij,jk", 2, pair), gnd.ERROR_INVALID, "read-only")


# ---- what is refused --------------------------------------------------------------------------------------


REFUSED = [  # subscripts, shapes, code, words
    ("", [(3,)], "SHAPE", ["operand 0 has 0 letters", "(3,)"]), ("ii", [(1, 3)], "SHAPE", ["sizes 1 and 3"]),
    ("ii->i", [(2, 3)], "SHAPE", ["'i'", "sizes 2 and 3", "(2, 3)"]),
    ("...i->i", [(2, 3)], "INVALID", ["1 axes of '...'"]), ("...,...->", [(2,), (2,)], "INVALID", ["'...'"]),
    ("ij,jk- >ik", [(2, 3), (3, 4)], "INVALID", ["'-' at character 5"]),
    ("ij,jk->ik->", [(2, 3), (3, 4)], "INVALID", ["'-' at character 9"]),
    ("ij,jk-ik", [(2, 3), (3, 4)], "INVALID", ["'-' at character 5"]), ("ij>j", [(2, 3)], "INVALID", ["'>'"]),
    ("i.j", [(2, 3)], "INVALID", ["'.' at character 1"]), ("i..j", [(2, 3)], "INVALID", ["ellipsis"]),
    ("i....j", [(2, 3)], "INVALID", ["'.' at character 4"]), (". ..ij", [(2, 3)], "INVALID", ["'.'"]),
    ("...i...", [(2, 3)], "INVALID", ["operand 0 has more than one ellipsis"]),
    ("ij,jk", [(2, 3)], "INVALID", ["for 2 operands", "there is 1"]),
    ("ij", [(2, 3), (2, 3)], "INVALID", ["for 1 operands", "there are 2"]),
    ("ij->i", [(2, 3), (2, 3)], "INVALID", ["for 1 operands"]), ("i1", [(2, 3)], "INVALID", ["'1' at character 1"]),
    ("i_", [(2, 3)], "INVALID", ["'_'"]), ("i\u00e9", [(2, 3)], "INVALID", ["byte 195"]),
    ("i\tj", [(2, 3)], "INVALID", ["byte 9"]), ("ij->ii", [(2, 3)], "INVALID", ["'i' more than once"]),
    ("ij->k", [(2, 3)], "INVALID", ["'k'", "no operand"]), ("ij->i,j", [(2, 3)], "INVALID", ["comma"]),
    ("ij->i...j...", [(2, 3)], "INVALID", ["the result has more than one ellipsis"]),
    ("i->i.", [(3,)], "INVALID", ["'.' at character 4"]), ("i", [(2, 3)], "SHAPE", ["1 letters", "(2, 3)", "..."]),
    ("ijk", [(2, 3)], "SHAPE", ["3 letters", "(2, 3)"]), ("ijk...", [(2, 3)], "SHAPE", ["3 letters"]),
    ("...ij,...jk", [(5, 2, 3), (4, 3, 4)], "SHAPE", ["do not broadcast", "size 4", "5"]),
    ("ij,jk", [(2, 5), (3, 4)], "SHAPE", ["'j' has size 3 in operand 1 of shape (3, 4)", "5 before"]),
    ("i,i", [(0,), (3,)], "SHAPE", ["size 3", "0 before"]), ("...->...a", [(2,)], "INVALID", ["'a'"]),
    ("a...->b...", [(2,)], "INVALID", ["'b'"]),
]


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: repr(case[0]))
def test_refuses_what_numpy_refuses(case):
    subscripts, shapes, code, words = case
    with pytest.raises((ValueError, TypeError)):
        np.einsum(subscripts, *[np.zeros(shape) for shape in shapes])
    arrays = [gnd.zeros(shape, "float64") for shape in shapes]
    for call in (lambda: einsum(subscripts, arrays), lambda: path(subscripts, arrays),
                 lambda: gnd.einsum_into(gnd.zeros((), "float64"), subscripts, len(arrays), listed(arrays))):
        refused(call, getattr(gnd, "ERROR_" + code), "subscripts '", *words)


def test_refuses_arguments():
    x = gnd.zeros((2, 3), "float64")
    refused(lambda: gnd.einsum(None, 1, listed([x])), gnd.ERROR_INVALID, "'subscripts' is NULL")
    refused(lambda: gnd.einsum("ij", 0, listed([])), gnd.ERROR_INVALID, "at least one")
    refused(lambda: gnd.einsum("ij", -1, listed([])), gnd.ERROR_INVALID, "at least one")
    refused(lambda: gnd.einsum("ij", 1, None), gnd.ERROR_INVALID, "'arrays' is NULL")
    refused(lambda: gnd.einsum("ij,jk", 2, gnd.outputs(2)), gnd.ERROR_INVALID, "'arrays[0]' is NULL")
    one_two = gnd.zeros((1,) * 52, "float64")
    refused(lambda: einsum("abcdefghijklmnopqrstuvwxyz...,ABCDEFGHIJKLMNOPQRSTU...->...", [one_two, one_two]),
            gnd.ERROR_INVALID, "47 letters and 31 axes", "64")
    refused(lambda: einsum("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZa...", [one_two]), gnd.ERROR_SHAPE,
            "53 letters")
    refused(lambda: einsum("a" * 66 + "...", [one_two]), gnd.ERROR_INVALID, "more than 64 letters")
    half = gnd.zeros((1,) * 40, "float64")
    refused(lambda: einsum("...,abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN->...abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMN",
                           [half, half]),
            gnd.ERROR_INVALID, "40 letters and 40 axes", "64")
    refused(lambda: einsum("...,a", [x, gnd.zeros((2, 3), "float64")]), gnd.ERROR_SHAPE, "operand 1 has 1 letters")


# ---- paths ------------------------------------------------------------------------------------------------


def path(subscripts, arrays, method=None, memory_limit=0.0):
    """A plan as Python has it; its C form is freed."""
    options = gnd.STRUCTS["gnd_einsum_options"]()
    options.method, options.memory_limit = method or 0, memory_limit
    pointer = gnd.einsum_path(subscripts, len(arrays), listed(arrays), None if method is None and not memory_limit
                              else options)
    plan = ctypes.cast(pointer, ctypes.POINTER(gnd.STRUCTS["gnd_einsum_plan"]))[0]
    step = ctypes.POINTER(gnd.STRUCTS["gnd_einsum_step"])
    result = {name: getattr(plan, name) for name, _ in plan._fields_ if name != "steps"}
    result["subscripts"], result["text"] = plan.subscripts.decode(), plan.text.decode()
    result["steps"] = []
    for s in ctypes.cast(plan.steps, step)[:plan.count]:
        indices = tuple(ctypes.cast(s.operands, ctypes.POINTER(ctypes.c_int))[:s.count])
        result["steps"].append((indices, s.subscripts.decode(), s.remaining.decode(), s.scaling, s.flops, s.size))
    gnd.einsum_plan_free(pointer)
    return result


def same_path(plan, want, text):
    """A path of NumPy's, and the table that it prints."""
    assert [step[0] for step in plan["steps"]] == [tuple(sorted(step)) for step in want[1:]], text
    assert plan["text"] == text
    rows = text.split("\n")[-plan["count"]:]
    for step, row in zip(plan["steps"], rows):
        assert row.split() == [str(step[3]), step[1], step[2]], text
    assert plan["flops"] == 1 + sum(step[4] for step in plan["steps"])
    assert plan["largest"] == max(step[5] for step in plan["steps"])
    assert plan["scaling"] == max(step[3] for step in plan["steps"])
    assert plan["speedup"] == plan["naive_flops"] / plan["flops"]
    assert f"Naive scaling:  {plan['naive_scaling']}\n" in text and f"contraction:  {plan['subscripts']}\n" in text


def random_network(g, count):
    """Operands that share letters, as networks of tensors do."""
    letters = list(string.ascii_letters[:count + g.integers(3, 7)])
    sizes = {c: int(g.integers(1, 8)) for c in letters}
    terms = ["".join(g.choice(letters, g.integers(1, 5), replace=False)) for _ in range(count)]
    used = sorted(set("".join(terms)))
    out = "".join(g.permutation(used)[:g.integers(0, 4)])
    shapes = [tuple(sizes[c] for c in term) for term in terms]
    return ",".join(terms) + g.choice(["", "->" + out, "->" + out]), shapes


METHODS = {"greedy": "EINSUM_GREEDY", "optimal": "EINSUM_OPTIMAL", False: "EINSUM_AT_ONCE"}


@pytest.mark.parametrize("optimize", METHODS)
def test_paths_are_numpys(optimize):
    g = generator("paths", str(optimize))
    method = getattr(gnd, METHODS[optimize])
    for _ in range(300):
        count = int(g.integers(1, 6 if optimize == "optimal" else 9))
        subscripts, shapes = random_network(g, count)
        xs = [np.broadcast_to(np.float32(0), shape) for shape in shapes]
        arrays = [gnd.broadcast_to(gnd.zeros((), "float32"), shape) for shape in shapes]
        want, text = np.einsum_path(subscripts, *xs, optimize=optimize)
        same_path(path(subscripts, arrays, method), want, text)
        if optimize == "greedy":
            same_path(path(subscripts, arrays), want, text)
        if optimize:
            limit = int(g.choice([1, 5, 20, 100, 1000]))
            want, text = np.einsum_path(subscripts, *xs, optimize=(optimize, limit))
            same_path(path(subscripts, arrays, method, limit), want, text)


def test_paths_of_many_operands():
    g = generator("network")
    for count in (12, 20, 40):
        terms = [string.ascii_letters[k] + string.ascii_letters[k + 1] for k in range(count)]
        sizes = g.integers(2, 20, count + 1)
        subscripts = ",".join(terms) + f"->{terms[0][0]}{terms[-1][1]}"
        shapes = [(int(sizes[k]), int(sizes[k + 1])) for k in range(count)]
        arrays, xs = operands(shapes, ["float64"] * count, g)
        want, text = np.einsum_path(subscripts, *xs)
        plan = path(subscripts, arrays)
        assert [step[0] for step in plan["steps"]] == want[1:]
        without_speedup = [line for line in text.split("\n") if "speedup" not in line]  # above 2^53
        assert [line for line in plan["text"].split("\n") if "speedup" not in line] == without_speedup
        got = einsum(subscripts, arrays)
        want = np.linalg.multi_dot(xs)
        assert np.allclose(got.numpy(), want, rtol=1e-9, atol=1e-9 * abs(want).max())


def test_a_path_with_a_speedup_of_hundreds_of_digits():
    letters = string.ascii_letters[:20]
    long = gnd.broadcast_to(gnd.zeros((), "int8"), (1 << 40,))
    plan = path(",".join(letters) + "->", [long] * 20)
    _, subscripts, remaining, scaling, *_ = plan["steps"][-1]
    assert f"   Theoretical speedup:  {plan['speedup']:.3f}\n" in plan["text"] and plan["speedup"] > 1e200
    assert plan["text"].endswith(f"\n{scaling:4d}    {subscripts:>24} {remaining:>40}")


def test_optimal_paths_of_eight_operands():
    """More than NumPy's own search has memory for; the chain of matrices has a known answer."""
    g = generator("chain")
    for _ in range(5):
        sizes = [int(n) for n in g.integers(2, 30, 9)]
        subscripts = ",".join("abcdefghi"[k:k + 2] for k in range(8)) + "->ai"
        arrays = [gnd.zeros((sizes[k], sizes[k + 1]), "bool") for k in range(8)]
        cost = np.zeros((8, 8))
        for length in range(1, 8):
            for i in range(8 - length):
                cost[i, i + length] = min(cost[i, k] + cost[k + 1, i + length] +
                                          2 * sizes[i] * sizes[k + 1] * sizes[i + length + 1]
                                          for k in range(i, i + length))
        assert path(subscripts, arrays, gnd.EINSUM_OPTIMAL)["flops"] == cost[0, 7] + 1


def test_paths_of_ellipses():
    """NumPy gives the axes of an ellipsis letters in no certain order: the costs must agree."""
    for subscripts, *shapes in [("...ij,...jk,...kl", (5, 2, 3), (3, 4), (6, 5, 4, 7)),
                                ("z...,zy...,...y->...", (3, 4), (3, 2, 4), (4, 2)), ("...,...", (2, 3), (3,))]:
        xs = [np.zeros(shape) for shape in shapes]
        want, text = np.einsum_path(subscripts, *xs)
        plan = path(subscripts, [gnd.from_numpy(x) for x in xs])
        assert [step[0] for step in plan["steps"]] == want[1:]
        assert plan["text"].split("\n")[1:7] == text.split("\n")[1:7]
    plan = path("...z,...", [gnd.zeros((2, 3, 4), "int8"), gnd.zeros((3,), "int8")])
    assert plan["subscripts"] == "xyz,y->xyz"


def test_a_path_in_full():
    a, b, c = (gnd.zeros(shape, "float64") for shape in [(2, 2), (2, 5), (5, 2)])
    plan = path("ij,jk,kl->il", [a, b, c])
    assert plan["steps"] == [((1, 2), "kl,jk->jl", "ij,jl->il", 3, 40.0, 4.0),
                             ((0, 1), "jl,ij->il", "il->il", 3, 16.0, 4.0)]
    assert (plan["naive_scaling"], plan["scaling"], plan["naive_flops"], plan["flops"]) == (4, 3, 120.0, 57.0)
    assert plan["largest"] == 4 and plan["subscripts"] == "ij,jk,kl->il" and plan["count"] == 2


def test_paths_refuse():
    x = gnd.zeros((2, 3), "float64")
    refused(lambda: path("ij", [x], method=7), gnd.ERROR_INVALID, "method number 7", "GREEDY (0)",
            "OPTIMAL (1)", "AT_ONCE (2)")
    refused(lambda: path("ij", [x], memory_limit=-1.0), gnd.ERROR_INVALID, "-1")
    refused(lambda: path("ij", [x], memory_limit=float("nan")), gnd.ERROR_INVALID, "nan")
    gnd.einsum_plan_free(None)


# ---- memory -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("subscripts", ["ii->i", "ij->", "ij,jk->ik", "ij,ij->i", "i...,jk->kj...", "ij,jk,kl->li",
                                        "ijk,kj->i", "iij,kj->ik"])
def test_out_of_memory(subscripts):
    g = generator("memory")
    terms = subscripts.split("->")[0].split(",")
    shapes = [tuple(3 for _ in term.replace("...", "x")) for term in terms]
    arrays, xs = operands(shapes, ["float32"] * len(shapes), g, plain=True)
    result, failures = run_with_failures(lambda: einsum(subscripts, arrays))
    check(result, subscripts, xs)
    assert failures > 0
    before = np.full(np.einsum(subscripts, *xs).shape, 77, "float32")
    out = gnd.from_numpy(before)

    def into():
        try:
            gnd.einsum_into(out, subscripts, len(arrays), listed(arrays))
        except gnd.Error:
            assert_same(out, before, subscripts)
            raise

    _, failures = run_with_failures(into)
    check(out, subscripts, xs)
    assert failures > 0
    for method in (gnd.EINSUM_GREEDY, gnd.EINSUM_OPTIMAL):
        plan, failures = run_with_failures(lambda: path(subscripts, arrays, method))
        assert failures > 0 and plan["text"]


# ---- dtype, casting, lists of numbers ---------------------------------------------------------------------


def with_numbers(subscripts):
    """The lists of numbers that say the same, and that of the result (None: none)."""
    def numbers_of(term):
        return [-1 if c == "." else (ord(c) - 65 if c < "a" else ord(c) - 71) for c in term.replace("...", ".")]

    text = subscripts.replace(" ", "")
    operands, arrow, result = text.partition("->")
    return [numbers_of(term) for term in operands.split(",")], numbers_of(result) if arrow else None


def call_lists(arrays, lists, result, options=None):
    many = (gnd.STRUCTS["gnd_axes"] * len(lists))(*[gnd.axes(list(one)) for one in lists])
    last = None if result is None else gnd.axes(list(result))
    return gnd.einsum_lists(len(arrays), listed(arrays), many, last, options or product_options())


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_lists_of_numbers(case):
    subscripts, *shapes = case
    g = generator("lists", subscripts)
    pairs = [finite_operand(shape if isinstance(shape, tuple) else (shape,), "int64", g) for shape in shapes]
    lists, result = with_numbers(subscripts)
    given = [part for (_, x), one in zip(pairs, lists) for part in (x, [Ellipsis if n < 0 else n for n in one])]
    given += [] if result is None else [[Ellipsis if n < 0 else n for n in result]]
    want = np.asarray(np.einsum(*given))
    assert_same(call_lists([a for a, _ in pairs], lists, result), want, subscripts, strides=False)


@pytest.mark.parametrize("casting", CASTINGS)
@pytest.mark.parametrize("subscripts, shapes",
                         [("ij,jk->ik", [(3, 4), (4, 2)]), ("ii", [(4, 4)]), ("i,i,i->", [3, 3, 3]),
                                                ("ij,ij->ij", [(2, 3), (2, 3)]), ("ij->ji", [(2, 3)])])
def test_dtype_and_casting(subscripts, shapes, casting):
    """What is cast to what, and by which rule, against numpy.einsum."""
    g = generator("einsum casts", subscripts, casting)
    for kinds in (["float64"] * 3, ["int8", "float32", "int16"], ["complex64", "int64", "float64"], ["bool"] * 3):
        arrays = [(g.integers(0, 2, shape) if kind == "bool" else g.integers(0, 6, shape)).astype(kind)
                  for shape, kind in zip(shapes, kinds)]
        for dtype in (None, "int32", "float32", "float64", "complex64"):
            for out_dtype in (None, "float32", "complex128", "int64"):
                shape = np.einsum(subscripts, *arrays).shape
                target = np.zeros(shape, out_dtype) if out_dtype else None
                out = gnd.zeros(shape, out_dtype) if out_dtype else None
                options = product_options(dtype, casting, out)
                call = lambda: gnd.einsum_with(subscripts, len(arrays), listed([gnd.from_numpy(x) for x in arrays]),
                                               options)
                context = f"{subscripts} {kinds[:len(shapes)]} in {dtype} to {out_dtype} {casting}"
                try:
                    with np.errstate(all="ignore"), warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        want = np.asarray(np.einsum(subscripts, *arrays, dtype=dtype, casting=casting, out=target))
                except TypeError as error:
                    # NumPy reads `out`, too, and wants it to be cast to the dtype.
                    of_out = dtype and f"operand {len(arrays)} dtype" in str(error)
                    if of_out and np.can_cast(dtype, out_dtype, casting):
                        continue
                    refused(call, gnd.ERROR_DTYPE, f'"{casting}"')
                    assert out is None or not out.numpy().any()
                    continue
                got = call()
                assert got.dtype == want.dtype.name, context
                np.testing.assert_allclose(got.numpy(), want, rtol=1e-6, err_msg=context)
                assert out is None or got.address == out.address


def test_operands_are_cast_before_they_are_multiplied():
    """2^24 + 1 is no float32, and 300 no int8: the products are those of what the casts leave."""
    x, y = np.array([2.0**24 + 1, 3.0]), np.array([2.0**24 + 1, 5.0])
    options = product_options("float32", "same_kind")
    for subscripts in ("i,i->", "i,i->i", "i,j->ij"):
        got = gnd.einsum_with(subscripts, 2, listed([gnd.from_numpy(x), gnd.from_numpy(y)]), options)
        assert_same(got, np.asarray(np.einsum(subscripts, x.astype("f4"), y.astype("f4"))), subscripts, strides=False)
    whole = np.array([300, 2])
    got = gnd.einsum_with("i->", 1, listed([gnd.from_numpy(whole)]), product_options("int8", "unsafe"))
    assert_same(got, np.asarray(np.einsum("i->", whole, dtype="int8", casting="unsafe")))


def test_refusals_of_lists():
    a = gnd.ones((2, 3), "float32")
    refused(lambda: call_lists([a], [[0, 52]], None), gnd.ERROR_INVALID, "52")
    refused(lambda: call_lists([a], [[0, -2]], None), gnd.ERROR_INVALID, "-2")
    refused(lambda: call_lists([a], [[0]], None), gnd.ERROR_SHAPE)
    refused(lambda: call_lists([a], [[0, 1]], [2]), gnd.ERROR_INVALID)
    refused(lambda: call_lists([], [], None), gnd.ERROR_INVALID, "0 operands")
    refused(lambda: gnd.einsum_lists(1, listed([a]), None, None, product_options()), gnd.ERROR_INVALID, "lists")
    refused(lambda: call_lists([a], [gnd.Axes(0, 1, keepdims=True).axis], None, product_options(axes=((0,), (0,), ()))),
            gnd.ERROR_INVALID, "axes")
    refused(lambda: gnd.einsum_with("ij", 1, listed([a]), product_options(dtype=77)), gnd.ERROR_DTYPE, "77")
