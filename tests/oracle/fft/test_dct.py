"""Cosine and sine transforms against SciPy: every type, norm and way to orthogonalize, over random shapes, lengths,
axes, layouts and dtypes; inverses; writing into arrays; and what is refused."""

import numpy as np
import pytest
import scipy.fft

import dtypes
import gnd
from check import assert_same, refused
from test_faults import run_with_failures
from test_fft import NORMS, near
from values import finite_operand, finite_values, generator

ONE = ["gnd_dct", "gnd_idct", "gnd_dst", "gnd_idst"]
MANY = ["gnd_dctn", "gnd_idctn", "gnd_dstn", "gnd_idstn"]
INTO = ["gnd_dct_into", "gnd_idct_into", "gnd_dst_into", "gnd_idst_into", "gnd_dctn_into", "gnd_idctn_into",
        "gnd_dstn_into", "gnd_idstn_into"]
WAYS = {None: gnd.ORTHOGONALIZE_BY_NORM, True: gnd.ORTHOGONALIZE_ALWAYS, False: gnd.ORTHOGONALIZE_NEVER}


def reference(name, x, type_, n, axes, norm, way):
    x = dtypes.widen(x).astype("float32") if dtypes.is_bfloat16(x) or x.dtype == np.float16 else x
    if np.iscomplexobj(x):  # SciPy forgets `orthogonalize` there
        parts = [reference(name, part, type_, n, axes, norm, way) for part in (x.real, x.imag)]
        return (parts[0] + 1j * parts[1]).astype(x.dtype)
    return getattr(scipy.fft, name.removeprefix("gnd_"))(x, type_, n, axes, norm, orthogonalize=way)


def pick(options, g):
    return list(options)[g.integers(len(options))]


@pytest.mark.parametrize("dtype", dtypes.NAMES)
@pytest.mark.parametrize("name", ONE)
def test_one_axis(name, dtype):
    g = generator("one axis", name, dtype)
    for k in range(60):
        ndim = int(g.integers(1, 4))
        shape = tuple(int(n) for n in g.integers(2, 9, ndim))
        a, x = finite_operand(shape, dtype, g)
        axis, n, type_ = int(g.integers(-ndim, ndim)), pick([None, int(g.integers(2, 20))], g), k % 4 + 1
        norm, way = pick(NORMS, g), pick(WAYS, g)
        context = f"{name} {dtype} {shape} strides {x.strides} type {type_} axis {axis} n {n} {norm} {way}"
        got = gnd.function(name)(a, type_, -1 if n is None else n, axis, NORMS[norm], WAYS[way])
        near(got, reference(name, x, type_, n, axis, norm, way), context)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6, 7, 8, 15, 16, 17, 64, 97, 100, 101, 1000, 1024, 1025, 4099])
def test_lengths(n):
    g = generator("lengths", n)
    for dtype in ("float32", "float64"):
        x = finite_values(dtype, (3, n), g)
        for name in ONE:
            for type_ in range(1, 5):
                for norm, way in (("backward", None), ("ortho", None), ("forward", True)):
                    got = gnd.function(name)(gnd.from_numpy(x), type_, -1, 1, NORMS[norm], WAYS[way])
                    near(got, reference(name, x, type_, None, 1, norm, way), f"{name} {dtype} {n} {type_} {norm}")


def test_one_element():
    x = np.array([[3.0], [-2.0]])
    for name in ONE:
        for type_ in range(1 if "dst" in name else 2, 5):
            for norm in NORMS:
                got = gnd.function(name)(gnd.from_numpy(x), type_, -1, 1, NORMS[norm], 0)
                near(got, reference(name, x, type_, None, 1, norm, None), f"{name} {type_} {norm}")


@pytest.mark.parametrize("dtype", ["int8", "float16", "float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", MANY)
def test_several_axes(name, dtype):
    g = generator("several", name, dtype)
    for k in range(40):
        ndim = int(g.integers(1, 5))
        shape = tuple(int(n) for n in g.integers(2, 7, ndim))
        a, x = finite_operand(shape, dtype, g)
        axes = tuple(int(i) for i in g.permutation(ndim)[:g.integers(1, ndim + 1)])
        sizes = pick([None, tuple(int(n) for n in g.integers(2, 9, len(axes)))], g)
        type_, norm, way = k % 4 + 1, pick(NORMS, g), pick(WAYS, g)
        context = f"{name} {dtype} {shape} strides {x.strides} type {type_} axes {axes} s {sizes} {norm} {way}"
        got = gnd.function(name)(a, type_, sizes or (), axes, NORMS[norm], WAYS[way])
        near(got, reference(name, x, type_, sizes, axes, norm, way), context)


def test_axes_that_are_not_named():
    x = finite_values("float64", (3, 4, 5), generator("unnamed"))
    a = gnd.from_numpy(x)
    for name in MANY:
        near(gnd.function(name)(a, 2, (), None, 0, 0), reference(name, x, 2, None, None, None, None), name)
        near(gnd.function(name)(a, 2, (6, -1), None, 0, 0), reference(name, x, 2, (6, 5), None, None, None), name)
        assert_same(gnd.function(name)(a, 2, (), (), 0, 0), x)
        assert_same(gnd.function(name)(gnd.from_numpy(np.float32(2)), 2, (), None, 0, 0), np.float32(2))


def test_inverses():
    x = finite_values("float64", (6, 7), generator("inverse"))
    a = gnd.from_numpy(x)
    for name in ("dct", "dst"):
        for type_ in range(1, 5):
            for norm in NORMS.values():
                for way in WAYS.values():
                    there = gnd.function(f"gnd_{name}n")(a, type_, (), None, norm, way)
                    near(gnd.function(f"gnd_i{name}n")(there, type_, (), None, norm, way), x, f"{name} {type_} {norm}")


@pytest.mark.parametrize("name", INTO)
def test_into(name):
    g = generator("into", name)
    for k in range(40):
        shape = tuple(int(n) for n in g.integers(2, 7, 3))
        dtype = pick(["int8", "float32", "float64"], g)
        out_dtype = pick(["float16", "float32", "float64", "complex64"], g)
        a, x = finite_operand(shape, dtype, g)
        out, y = finite_operand(shape, out_dtype, g)
        if 0 in y.strides:
            continue
        type_, norm = k % 4 + 1, pick(NORMS, g)
        single = name.removesuffix("_into") in ONE
        where = (-1, 1) if single else ((), (2, 0))
        gnd.function(name)(out, a, type_, *where, NORMS[norm], 0)
        want = reference(name.removesuffix("_into"), x, type_, None, where[1], norm, None)
        narrow = "32" in dtype or out_dtype != "float64"
        dtype = "float16" if out_dtype == "float16" else "float32" if narrow else "float64"
        near(out, want.astype(out_dtype), f"{name} {dtype} {out_dtype} {type_} {y.strides}", dtype)


def test_in_place_and_overlapping():
    g = generator("in place")
    for type_ in range(1, 5):
        for norm in NORMS:
            for dtype in ("float64", "complex128"):
                a, x = finite_operand((4, 5, 6), dtype, g, "transposed strided")
                x = x.copy()
                gnd.dctn_into(a, a, type_, (), (0, 2), NORMS[norm], 0)
                near(a, scipy.fft.dctn(x, type_, axes=(0, 2), norm=norm), f"{type_} {norm}")
            base = gnd.from_numpy(np.arange(30.0))
            gnd.dst_into(base["1:29"], base["0:28"], type_, -1, 0, NORMS[norm], 0)
            near(base["1:29"], scipy.fft.dst(np.arange(28.0), type_, norm=norm), f"{type_} {norm}")


def test_inputs_are_not_modified():
    x = finite_values("float64", (5, 6), generator("unmodified"))
    a = gnd.from_numpy(x)
    for name in ONE:
        for type_ in range(1, 5):
            gnd.function(name)(a, type_, -1, 1, gnd.FFT_ORTHO, 0)
            assert_same(a, x, name)


def test_empty_arrays_and_refused():
    x = gnd.zeros((3, 4), "float32")
    for name in ONE:
        call = gnd.function(name)
        assert call(gnd.zeros((0, 4), "float32"), 2, -1, 1, 0, 0).shape == (0, 4)
        refused(lambda: call(gnd.zeros((0, 4), "float32"), 2, -1, 0, 0, 0), gnd.ERROR_VALUE, "0 elements", name)
        refused(lambda: call(x, 0, -1, 0, 0, 0), gnd.ERROR_INVALID, "type 0", "1 to 4")
        refused(lambda: call(x, 5, -1, 0, 0, 0), gnd.ERROR_INVALID, "type 5")
        refused(lambda: call(x, 2, -1, 0, 4, 0), gnd.ERROR_INVALID, "norm number 4")
        refused(lambda: call(x, 2, -1, 0, 0, 3), gnd.ERROR_INVALID, "number 3")
        refused(lambda: call(x, 2, -1, 2, 0, 0), gnd.ERROR_AXIS, "axis 2")
        refused(lambda: call(None, 2, -1, 0, 0, 0), gnd.ERROR_INVALID, "'x' is NULL")
        refused(lambda: gnd.function(name + "_into")(None, x, 2, -1, 0, 0, 0), gnd.ERROR_INVALID, "'out' is NULL")
        refused(lambda: gnd.function(name + "_into")(x, x, 2, 5, 0, 0, 0), gnd.ERROR_SHAPE, "(5, 4)")
    for name in ("gnd_dct", "gnd_idct"):
        refused(lambda: gnd.function(name)(x, 1, 1, 0, 0, 0), gnd.ERROR_VALUE, "DCT-1", "axis 0")
    for name in MANY:  # no axes: a copy
        into = gnd.function(name + "_into")
        refused(lambda: into(x, gnd.zeros((3, 4), "complex64"), 2, (), (), 0, 0), gnd.ERROR_DTYPE, "complex64", name)
        refused(lambda: into(gnd.zeros((2, 3, 4), "float32"), x, 2, (), (), 0, 0), gnd.ERROR_SHAPE, "(2, 3, 4)", name)
    refused(lambda: gnd.dctn(x, 2, (), (0, -2), 0, 0), gnd.ERROR_AXIS, "named twice")
    refused(lambda: gnd.dct_into(x, gnd.zeros((3, 4), "complex64"), 2, -1, 0, 0, 0), gnd.ERROR_DTYPE, "complex64")


def test_out_of_memory_at_every_allocation():
    a = gnd.from_numpy(finite_values("float64", (4, 5), generator("memory")))
    for make in (lambda: gnd.dct(a, 3, 7, 0, gnd.FFT_ORTHO, 0), lambda: gnd.dstn(a["::-1"], 1, (), None, 0, 0)):
        result, failures = run_with_failures(make)
        assert failures > 0
        assert_same(result, make().numpy(), strides=False)
