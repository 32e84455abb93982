"""Exceptions that users' kernels throw on the CPU are errors of the call; accumulators that cannot be copied byte by
byte are refused when a reduction is compiled."""

import numpy as np
import pytest

import gnd
import kernels
from conftest import on_gpu
from test_kernel import elementwise, kernel, options
from test_module import Module

cpu_only = pytest.mark.skipif(on_gpu(), reason="NVRTC refuses `throw`")
LONG = 300_000


def thrown(words, call, function, kernel_name):
    """The call's error, and that the library goes on."""
    with pytest.raises(gnd.Error) as caught:
        call()
    assert caught.value.code == gnd.ERROR_VALUE and caught.value.function == function
    assert caught.value.message == f"{function}: {kernel_name} threw an exception: {words}"
    assert (gnd.add(gnd.ones((LONG,), "float32"), 1).numpy() == 2).all()


@cpu_only
@pytest.mark.parametrize("what, words", [
    ('std::runtime_error("too large: " + std::to_string((int)x))', "too large: 7"),
    ("std::bad_alloc()", "std::bad_alloc"),
    ('"plain words"', "plain words"), ("5", "an object that is no std::exception"),
    ('std::runtime_error(std::string(1000, \'x\'))', "x" * 255)])
@pytest.mark.parametrize("size", [3, LONG])
@pytest.mark.parametrize("dense", [True, False])
def test_elements_that_throw(what, words, size, dense):
    k = elementwise("float32 x", "float32 y", f"if (x == 7) throw {what}; y = x;", "careful",
                    preamble="#include <stdexcept>\n#include <string>\n#include <new>")
    x = np.zeros(size, np.float32)
    x[size - 2] = 7
    a = gnd.from_numpy(x) if dense else gnd.slice(gnd.from_numpy(np.repeat(x, 2)), "::2")
    thrown(words, lambda: k(a), "gnd_kernel_call", "careful")
    assert (k(gnd.zeros((size,), "float32")) == 0).all()


@cpu_only
@pytest.mark.parametrize("part", ["map", "reduce", "post", "identity"])
@pytest.mark.parametrize("shape", [(LONG,), (100, 300), (300, 100)])
def test_reductions_that_throw(part, shape):
    parts = {"map": "x", "reduce": "a + b", "post": "y = a", "identity": "0"}
    parts[part] = "y = fail(a)" if part == "post" else f"fail({parts[part]})"
    k = kernel("gnd_kernel_reduction", "float64 x", "float64 y", parts["map"], parts["reduce"], parts["post"],
               parts["identity"], "sums", options(preamble="#include <stdexcept>\n"
                                                  'static double fail(double) { throw std::range_error("no"); }'))
    for axes in (None, 0, -1):
        thrown("no", lambda: k.reduce(axes, gnd.zeros(shape, "float64")), "gnd_kernel_reduce", "sums")


@cpu_only
def test_functions_and_cores_that_throw():
    f = kernel("gnd_vectorize", "float64(float64 x)", 'if (x < 0) throw "negative"; return x;', "root", None)
    thrown("negative", lambda: f(gnd.from_numpy(np.array([1.0, -1]))), "gnd_kernel_call", "root")
    assert f(4.0) == 4
    core = kernel("gnd_guvectorize", "(n)->()", "float64 x", "float64 y", 'if (n == 3) throw "three"; y = x[0];',
                  "core", None)
    thrown("three", lambda: core(gnd.ones((5, 3), "float64")), "gnd_kernel_call", "core")


MODULE = """
#include <stdexcept>
__global__ void alone(int *x) { if (x[0] == 1 && threadIdx.x == 3) throw std::logic_error("one"); }
"""
WITH_BARRIERS = """
#include <stdexcept>
__global__ void together(int *x) {
    __shared__ int sum;
    if (threadIdx.x == 0) sum = x[0];
    __syncthreads();
    if (sum == 1 && threadIdx.x == 5 && blockIdx.x == gridDim.x - 1) throw std::logic_error("one, together");
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0) x[1] = sum;
}
"""


@cpu_only
@pytest.mark.parametrize("source, name, words",
                         [(MODULE, "alone", "one"), (WITH_BARRIERS, "together", "one, together")])
def test_functions_of_modules_that_throw(source, name, words):
    f, x = Module(source)[name], gnd.from_numpy(np.array([1, 7], np.int32))
    for grid in (1, 300):
        thrown(words, lambda: f(grid, 64, x), "gnd_launch", name)
    x = gnd.from_numpy(np.array([2, 7], np.int32))
    f(300, 64, x)
    assert x.numpy().tolist() == ([2, 7] if name == "alone" else [2, 2])


# ---- accumulators ------------------------------------------------------------------------------------

COPIED = ("struct v { double x; v(double y = 0) : x(y) {} v(const v &o) : x(o.x) {} "
          "v &operator=(const v &o) { x = o.x; return *this; } };")
DESTROYED = "struct v { double x; v(double y = 0) : x(y) {} ~v() { x = 0; } };"
PLAIN = "struct v { double x; GNDI_USER_FN v(double y = 0) : x(y) {} };"
JOINED = "static GNDI_USER_FN v join(const v &a, const v &b) { return v(a.x + b.x); }"


def sum_with(preamble, accumulator="v"):
    return kernel("gnd_kernel_reduction", "float64 x", "float64 y", f"{accumulator}(x)", "join(a, b)", "y = a.x", None,
                  "own",
                  options(preamble=preamble, accumulator=accumulator))


@pytest.mark.parametrize("kind", [COPIED, DESTROYED])
@pytest.mark.parametrize("size", [3, LONG])
def test_accumulators_that_are_no_bytes_are_refused(kind, size):
    if on_gpu():
        kind = kind.replace("v(", "__device__ v(").replace("~__device__ v", "__device__ ~v")
        kind = kind.replace("v &operator", "__device__ v &operator")
    k = sum_with(kind + JOINED.replace("static GNDI_USER_FN", "static __device__"))
    with pytest.raises(gnd.Error, match="cannot be copied byte by byte") as caught:
        k.reduce(None, gnd.ones((size,), "float64"))
    assert caught.value.code == gnd.ERROR_VALUE and "own" in caught.value.message


@cpu_only
def test_strings_are_refused():
    k = kernel("gnd_kernel_reduction", "float64 x", "int64 y", "std::string(1, 'a')", "a + b", "y = a.size()", None,
               "words",
               options(preamble="#include <string>", accumulator="std::string"))
    for size in (3, LONG):
        with pytest.raises(gnd.Error, match="no std::string"):
            k.reduce(None, gnd.ones((size,), "float64"))


def test_accumulators_of_bytes_are_taken():
    with kernels.compiled_for_gpus():
        k = sum_with(PLAIN + JOINED)
        for size in (3, LONG):
            assert k.reduce(None, gnd.ones((size,), "float64")) == size
        for dtype in ("float16", "complex64", "complex128", "bool", "int8"):
            plain = kernel("gnd_kernel_reduction", f"{dtype} x", f"{dtype} y", "x", "a + b", None, None, "plain",
                           options(accumulator=dtype))
            assert plain.reduce(None, gnd.ones((1,), dtype)) == 1
