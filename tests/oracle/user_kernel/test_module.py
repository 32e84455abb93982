"""Modules of CUDA C++ (gnd/module.h): launches with a grid and a block, templates, constant memory, shared memory
and barriers, arguments that do not fit, and texts that are wrong."""

import ctypes
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import gnd
import kernels

rng = np.random.default_rng(11)


@pytest.fixture(scope="module", autouse=True)
def texts_for_gpus():
    with kernels.compiled_for_gpus():
        yield


class Module:
    def __init__(self, source, **given):
        options = gnd.STRUCTS["gnd_module_options"]()
        for name, value in given.items():
            setattr(options, name, value.encode() if isinstance(value, str) else value)
        self.pointer = gnd.module_new(source, options)

    def __del__(self):
        if hasattr(self, "pointer"):
            gnd.module_release(self.pointer)

    def __getitem__(self, name):
        return Function(gnd.module_function(self.pointer, name))


class Function:
    def __init__(self, pointer):
        self.pointer = pointer

    def __del__(self):
        gnd.kernel_release(self.pointer)

    def __call__(self, grid, block, *args, shared=0):
        gnd.launch(self.pointer, dim3(grid), dim3(block), shared, len(args), list(args))


def dim3(sizes):
    result = gnd.STRUCTS["gnd_dim3"]()
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    for name, size in zip("xyz", sizes):
        setattr(result, name, size)
    return result


SCALE = """
template <class T> __global__ void scale(const T *x, T *y, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
namespace my {
__constant__ float weights[4];
__device__ int calls = 5;
__global__ void weigh(const float *x, float *y, long long n) {
    for (long long i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * weights[i % 4];
    if (threadIdx.x == 0) atomicAdd(&calls, 1);
}
}
extern "C" __global__ void plain(unsigned char *x) { x[threadIdx.x] = (unsigned char)threadIdx.x; }
"""


@pytest.fixture(scope="module")
def scale():
    return Module(SCALE, names="scale<float>", name="scaling")


def test_templates_and_numbers(scale):
    x = rng.random(1000).astype(np.float32)
    y = gnd.zeros((1000,), "float32")
    scale["scale<float>"](4, 256, gnd.from_numpy(x), y, 2.5, 1000)
    np.testing.assert_array_equal(y.numpy(), x * np.float32(2.5))
    k = rng.integers(0, 100, 70).astype(np.int64)
    z = gnd.zeros((70,), "int64")
    scale["scale<long long>"](1, 128, gnd.from_numpy(k), z, 3, 70)  # compiled when it is asked for
    np.testing.assert_array_equal(z.numpy(), 3 * k)
    b = gnd.zeros((40,), "uint8")
    scale["plain"](1, 40, b)
    np.testing.assert_array_equal(b.numpy(), np.arange(40))


def test_variables(scale):
    weights = np.array([1, 2, 3, 4], np.float32)
    gnd.module_set(scale.pointer, "my::weights", weights, weights.nbytes)
    x, y = gnd.ones((10,), "float32"), gnd.zeros((10,), "float32")
    scale["my::weigh"](1, 4, x, y, 10)
    np.testing.assert_array_equal(y.numpy(), np.resize(weights, 10))
    calls = np.zeros(1, np.int32)
    gnd.module_get(scale.pointer, "my::calls", calls, 4)
    assert calls[0] == 6
    with pytest.raises(gnd.Error, match="16 bytes; 20 are more"):
        gnd.module_set(scale.pointer, "my::weights", np.zeros(5, np.float32), 20)
    with pytest.raises(gnd.Error, match='no variable "nothing"'):
        gnd.module_set(scale.pointer, "nothing", weights, 4)


def test_constants_reach_instances_that_come_later():
    m = Module("__constant__ double shift; template <int N> __global__ void add(double *x)"
               "{ x[threadIdx.x] += N * shift; } __global__ void none() {}")
    shift = np.array([2.5])
    gnd.module_set(m.pointer, "shift", shift, 8)
    x = gnd.zeros((3,), "float64")
    m["add<2>"](1, 3, x)
    np.testing.assert_array_equal(x.numpy(), [5, 5, 5])
    gnd.module_set(m.pointer, "shift", np.array([2], np.int8), 1)  # the rest of it stays
    later = gnd.zeros((3,), "float64")
    m["add<3>"](1, 3, later)
    m["add<2>"](1, 3, x)
    np.testing.assert_array_equal(later.numpy() / 3, np.frombuffer(b"\2" + shift.tobytes()[1:]).repeat(3))
    np.testing.assert_array_equal(x.numpy() - 5, later.numpy() / 3 * 2)
    x = gnd.full((3,), 5, "float64")
    again = Module("__constant__ double shift; template <int N> __global__ void add(double *x)"
                   "{ x[threadIdx.x] += N * shift; } __global__ void none() {}")
    again["add<2>"](1, 3, x)  # an equal module has variables of its own
    np.testing.assert_array_equal(x.numpy(), [5, 5, 5])


def test_nested_namespaces_and_defaults_that_name_others():
    m = Module("namespace a { namespace { __global__ void g(int *x) { x[0] = 1; } }"
               "namespace b::c { __constant__ int two = 2; __global__ void h(int *x) { x[1] = two; } } }"
               "template <typename T, int N = 2, class U = T> __global__ void times(T *x, const U u) { x[2] = N * u; }")
    x = gnd.zeros((3,), "int32")
    m["a::g"](1, 1, x)
    m["a::b::c::h"](1, 1, x)
    m["times<int>"](1, 1, x, 3)
    assert x.numpy().tolist() == [1, 2, 6]


def test_several_variables_in_a_declaration():
    m = Module("__constant__ float a = (1, 2), b[2] = {3, 4}; __device__ struct pair { int x, y; } p = {5, 6}, *q;"
               "__global__ void f(float *x) { x[0] = a + b[1] + p.y; }")
    gnd.module_set(m.pointer, "b", np.array([1, 20], np.float32), 8)
    gnd.module_set(m.pointer, "p", np.array([0, 300], np.int32), 8)
    x = gnd.zeros((1,), "float32")
    m["f"](1, 1, x)
    assert x.numpy()[0] == 322
    gnd.module_get(m.pointer, "q", np.ones(1, np.int64), 8)
    with pytest.raises(gnd.Error, match="no variable"):
        gnd.module_get(m.pointer, "x", np.ones(1, np.int64), 4)


ALIGNED = """
extern __shared__ __align__(16) double outside[];
extern "C" __global__ void aligned(double *out) {
    extern __shared__ __align__(8) double inside[];
    inside[threadIdx.x] = threadIdx.x + 1;
    __syncthreads();
    out[threadIdx.x] = inside[blockDim.x - 1 - threadIdx.x] + sizeof(outside[0]);
}
"""


def test_alignment_of_dynamic_shared_memory():
    x = gnd.zeros((4,), "float64")
    Module(ALIGNED)["aligned"](1, 4, x, shared=32)
    assert x.numpy().tolist() == [12, 11, 10, 9]


SHARED = """
// sums of blocks, a transposition by tiles, a warp's sum, and a scan with a barrier in a loop
extern "C" __global__ void block_sum(const float *x, float *out, int n) {
    extern __shared__ float part[];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    part[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
}
template <int N> __global__ void turn(gnd::array<const double> x, gnd::array<double> y) {
    __shared__ double tile[N][N + 1];
    int row = blockIdx.y * N + threadIdx.y, column = blockIdx.x * N + threadIdx.x;
    if (row < x.shape(0) && column < x.shape(1)) tile[threadIdx.y][threadIdx.x] = x(row, column);
    __syncthreads();
    row = blockIdx.x * N + threadIdx.y, column = blockIdx.y * N + threadIdx.x;
    if (row < y.shape(0) && column < y.shape(1)) y(row, column) = tile[threadIdx.x][threadIdx.y];
}
__global__ void warp_sum(const int *x, int *out) {
    int v = x[blockIdx.x * blockDim.x + threadIdx.x];
    for (int by = 16; by > 0; by /= 2) v += __shfl_down_sync(0xffffffffu, v, by);
    unsigned odd = __ballot_sync(0xffffffffu, x[blockIdx.x * blockDim.x + threadIdx.x] & 1);
    if (threadIdx.x % 32 == 0) {
        out[2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32)] = v;
        out[2 * (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) + 1] = __popc(odd);
    }
}
"""


@pytest.fixture(scope="module")
def shared():
    return Module(SHARED, names="turn<8>, turn<16>", name="shared")


def test_shared_memory_and_barriers(shared):
    x = rng.random(1000).astype(np.float32)
    out = gnd.zeros((8,), "float32")
    shared["block_sum"](8, 128, gnd.from_numpy(x), out, 1000, shared=512)
    np.testing.assert_allclose(out.numpy(), np.resize(np.append(x, np.zeros(24)), (8, 128)).sum(1), rtol=1e-5)
    m = rng.random((37, 21))
    for n in (8, 16):
        y = gnd.zeros((21, 37), "float64")
        shared[f"turn<{n}>"]((3, 5), (n, n), gnd.from_numpy(m), y)
        wide = -(-21 // n), -(-37 // n)
        shared[f"turn<{n}>"](wide, (n, n), gnd.from_numpy(m)["::1, ::1"], y)
        np.testing.assert_array_equal(y.numpy(), m.T)
    reverse = gnd.zeros((21, 37), "float64")
    shared["turn<16>"]((2, 3), (16, 16), gnd.from_numpy(m[::-1].copy())["::-1"], reverse)
    np.testing.assert_array_equal(reverse.numpy(), m.T)


def test_words_between_the_threads_of_a_warp(shared):
    k = rng.integers(0, 1000, 256).astype(np.int32)
    out = gnd.zeros((16,), "int32")
    shared["warp_sum"](2, 128, gnd.from_numpy(k), out)
    got = out.numpy().reshape(8, 2)
    np.testing.assert_array_equal(got[:, 0], k.reshape(8, 32).sum(1))
    np.testing.assert_array_equal(got[:, 1], (k.reshape(8, 32) & 1).sum(1))


def test_arguments_are_checked(scale, shared):
    f = scale["scale<float>"]
    x, y = gnd.zeros((10,), "float32"), gnd.zeros((10,), "float32")
    for args, message in [
        ((x, y, 1.0), "takes 4 arguments; 3"),
        ((x, y, 1.0, 2.5), r'parameter 4 is "int n", and a number with a fraction'),
        ((x, y, 1.0, 2**40), "1099511627776"),
        ((x, y, 1j, 10), "a complex number"),
        ((x, y, x, 10), 'parameter 3 is "T factor", and float32'),
        ((3, y, 1.0, 10), 'parameter 1 is "const T \\*x", and a number'),
        ((gnd.zeros((10,), "float64"), y, 1.0, 10), "float64"),
        ((x, gnd.zeros((10, 2), "float32")[":, 0"], 1.0, 10), "not C-contiguous"),
        ((x, gnd.broadcast_to(y, (3, 10)), 1.0, 10), "not C-contiguous|read-only"),
        ((x, None, 1.0, 10), "a number"),
    ]:
        with pytest.raises(gnd.Error, match=message):
            f(1, 32, *args)
    for grid, block, given, message in [
        (0, 32, 0, "a grid of"), (1, 0, 0, "blocks of"), (1, 2048, 0, "blocks of"), (1, (32, 64), 0, "blocks of"),
        (1, (1, 1, 128), 0, "blocks of"), ((1, 70000), 32, 0, "a grid of"), (1, 32, 300 << 10, "shared memory"),
    ]:
        with pytest.raises(gnd.Error, match=message):
            f(grid, block, x, y, 1.0, 10, shared=given)
    with pytest.raises(gnd.Error, match="gnd_launch takes it"):
        gnd.kernel_call(f.pointer, 1, [x])
    k = gnd.kernel_elementwise("T x", "T y", "y = x", None, None)
    with pytest.raises(gnd.Error, match="no function of a module"):
        gnd.launch(k, dim3(1), dim3(1), 0, 1, [x])
    gnd.kernel_release(k)


@pytest.mark.parametrize("name, message", [
    ("missing", "no __global__ function \"missing\"; there are: scale, my::weigh, plain"),
    ("scale", "is a template"), ("scale<float, int>", "gives 2 arguments"), ("scale<>", "gives 0 arguments"),
    ("plain<float>", "is no template"), ("scale<struct nothing *>", "by value that gnd does not know"),
])
def test_names_that_are_wrong(scale, name, message):
    with pytest.raises(gnd.Error, match=message):
        scale[name]


@pytest.mark.parametrize("source, given, message", [
    ("int f() { return 1; }", {}, "has no __global__ function"),
    ("", {}, "has no __global__ function"),
    ("\n\n__global__ void f(int *x) { x[0] = nothing; }", {}, r"(?s)does not compile.*odule\D+3\D.*nothing"),
    ("__global__ void f(int *x) { x[0] = 1;", {}, "does not compile"),
    ("__global__ void f(int *x) {}", {"flags": "-O3"}, '"-O3" is not'),
    ("__global__ void f(int *x) {}", {"flags": "-D"}, "is not"),
    ("__global__ void f(int *x) {}", {"names": "g<int>"}, 'no __global__ function "g<int>"'),
    ("__global__ void f(int *x) {}", {"names": "f<int>,"}, "name 2 is missing"),
    ("__global__ void f(int *x) {}", {"name": "no name"}, "no C"),
])
def test_modules_that_are_wrong(source, given, message):
    with pytest.raises(gnd.Error, match=message):
        Module(source, **given)


def test_parameters_of_many_kinds():
    m = Module("""
        struct point { float x, y; };
        __global__ void f(float4 *a, const float2 *z, void *any, const unsigned char *__restrict__ bytes, bool flag,
                          gnd::float16 half, unsigned long long big, const double (&r)[2]) {}
        __global__ void g(point p) {}
        __global__ void h(float4 *a, const float2 *z, void *any, const unsigned char *__restrict__ bytes,
                          bool flag, gnd::float16 half, unsigned long long big, gnd::complex<float> c,
                          const point *points = nullptr) {
            a[0].w = flag + gnd::to_float(half) + (float)(big >> 60) + bytes[0] + z[1].y + c.im;
            ((int *)any)[0] = SIZE;
            a[0].x = points[0].y;
        }
        __global__ void k(int **p) {}
        """, flags="-DSIZE=42")
    for name, message in (("f", "parameter 8 of f"), ("g", 'parameter 1 of g, "point p", is of a type by value'),
                          ("k", "pointer to pointers")):
        with pytest.raises(gnd.Error, match=message):
            m[name]
    a, some = gnd.zeros((4,), "float32"), gnd.zeros((1,), "int32")
    z = gnd.from_numpy(np.array([0, 2j], np.complex64))
    m["h"](1, 1, a, z, some, gnd.ones((1,), "uint8"), True, 0.5, 2**61, 8j, gnd.from_numpy(np.array([3., 7.], "f4")))
    np.testing.assert_array_equal(a.numpy(), [7, 0, 0, 1 + 0.5 + 2 + 1 + 2 + 8])
    assert some.numpy()[0] == 42


def test_comments_and_separated_digits():
    m = Module("""
        #define TWICE(x) \\
            (2 * (x)
        __global__ void f(const float *x, // what is read
                          float *y /* and written */, int n, void (*g)(int)) {}
        __global__ void scaled(const float *x,  // what is read
                               float *y,        /* and *written* */
                               int n /* , int m */) { y[0] = TWICE(x[0] * n) + 1'000'000); }
        """)
    with pytest.raises(gnd.Error, match='parameter 4 of f, "void .*functions'):
        m["f"]
    y = gnd.zeros((1,), "float32")
    m["scaled"](1, 1, gnd.ones((1,), "float32"), y, 3)
    assert y.numpy()[0] == 1000006
    with pytest.raises(gnd.Error, match=r'parameter 2 is "float \*y", and int32'):
        m["scaled"](1, 1, gnd.ones((1,), "float32"), gnd.zeros((1,), "int32"), 3)


def test_threads_that_wait_for_ever():
    if gnd.device_count(1):
        pytest.skip("a GPU lets such threads pass")
    m = Module("__global__ void f(int *x) { if (threadIdx.x % 2) __syncthreads(); else __syncwarp(); }")
    with pytest.raises(gnd.Error, match="wait for each other"):
        m["f"](1, 64, gnd.zeros((1,), "int32"))
    assert ctypes.sizeof(gnd.STRUCTS["gnd_dim3"]) == 12


# ---- a kernel that faults -------------------------------------------------------------------------------------

FAULTS = """
import gnd
module = gnd.module_new("__global__ void runs_away(double *x) { x[1ll << 44] = 1; }", None)
kernel = gnd.module_function(module, "runs_away")
one = gnd.STRUCTS["gnd_dim3"](1, 1, 1)
x = gnd.zeros((4,), "float64")
try:
    gnd.launch(kernel, one, one, 0, 1, [x])
    x.numpy()
    print("nothing happened")
except gnd.Error as error:
    print(error)
try:
    gnd.add(x, 1).numpy()
    print("nothing happened")
except gnd.Error as error:
    print(error)
"""


@pytest.mark.gpu_only
def test_a_kernel_that_faults_is_named():
    """In a process of its own, whose device takes no more work then."""
    run = subprocess.run([sys.executable, "-c", FAULTS], capture_output=True, text=True, timeout=120,
                         cwd=Path(gnd.__file__).parent)
    lines = run.stdout.splitlines()
    assert run.returncode == 0 and len(lines) == 2, run.stderr
    for line in lines:
        assert "takes no more work" in line and "runs_away" in line
