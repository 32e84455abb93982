/*
 * gnd/module.h: modules of plain CUDA C++, whose functions are launched with a grid and a block. The same
 * source also runs on the CPU, compiled by the system's C++ compiler, block by block on all threads.
 *
 *     gnd_module *module = gnd_module_new(
 *         "template <class T> __global__ void scale(const T *x, T *y, T factor, int n) {\n"
 *         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
 *         "    if (i < n) y[i] = factor * x[i];\n"
 *         "}\n", &(gnd_module_options){.names = "scale<float>"});
 *     gnd_kernel *scale = gnd_module_function(module, "scale<float>");
 *     gnd_launch(scale, GND_DIM3((n + 255) / 256), GND_DIM3(256), 0, GND_ARGS(x, y, 2.5, n));
 *     gnd_kernel_release(scale);
 *     gnd_module_release(module);
 *
 * gnd checks arguments against the parameters of the __global__ function:
 * - A pointer to a type that is a dtype (float, int, unsigned char, long long, int64_t, half, gnd::float16,
 *   complex<float>, float2 for complex64 ...) takes a C-contiguous array of that dtype; to float4 and its
 *   like, of the dtype of its parts; to any other type, or void, any C-contiguous array. `const` ones are
 *   read, others written (and the array must be writable).
 * - gnd::array<T> (by value) takes an array with any strides; gnd::array<const T> one that is only read. Its
 *   elements are x[k] in C order and x(i, j), with x.size(), x.ndim(), x.shape(axis), x.stride(axis) in
 *   bytes, x.data().
 * - A number of any real or complex type takes a C number that the type can hold (no fraction for integers).
 *   Other types by value are refused when the function is looked up.
 *
 * All arrays must be on one device; streams are kept in order, as everywhere.
 *
 * On the CPU there are threadIdx, blockIdx, blockDim, gridDim and warpSize (32); __shared__ memory, static
 * and dynamic; __syncthreads() and its _count, _and, _or; __syncwarp(), __shfl_sync() and its relatives,
 * __ballot_sync(), __any_sync(), __all_sync(); the atomic functions; __threadfence(); vector types (float4
 * ...); C's numeric functions; CUDA's min, max, rsqrt, rcbrt, exp10, sinpi, cospi, sincospi, erfinv, normcdf;
 * bit functions (__popc, __clz, __ffs, __brev, __mulhi, __float_as_int ...); fast intrinsics (__expf, __sinf,
 * __fdividef ...); and those that round to nearest (__fadd_rn, __fmaf_rn ...). Not available: textures,
 * cooperative groups, launches from kernels, inline PTX. __CUDA_ARCH__ is defined on a GPU only. As in CUDA
 * all threads of a block must reach the same __syncthreads(), or have ended.
 *
 * An exception thrown by a function on the CPU makes gnd_launch() fail, as in gnd/kernel.h.
 *
 * Compiling takes place in gnd_module_new(), for the current device, and at the first launch on another one;
 * see gnd/kernel.h for what it needs, where it is kept, and its errors. Lines in messages are those of the
 * source.
 */
#ifndef GND_MODULE_H
#define GND_MODULE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/kernel.h>

GND_BEGIN

/** A module. Released with gnd_module_release(). */
typedef struct gnd_module gnd_module;

/** Options of a module. Zero is always the default. */
typedef struct gnd_module_options {
    const char *name;  /**< what messages call it; NULL: "module" */
    const char *names; /**< templates to instantiate: "scale<float>, tile<double, 16>" */
    const char *flags; /**< for the compiler: "-Dname=value -Uname -Idirectory" */
    bool contract;     /**< a product followed by a sum may round once (FMA) */
    void *reserved[4];
} gnd_module_options;

/**
 * A module of `source`, CUDA C++ (C++17), which may use what gnd/kernel.h says of gnd's own types
 * and functions. NULL and an error: a source that does not compile (GND_ERROR_VALUE), or that has
 * no __global__ function, an option that is not allowed, no compiler (GND_ERROR_UNAVAILABLE).
 */
GND_API gnd_module *gnd_module_new(const char *source, const gnd_module_options *options);

/** Releases a module; its functions stay valid until they are released. NULL is ignored. */
GND_API void gnd_module_release(gnd_module *module);

/**
 * A __global__ function by its name as C++ writes it: "scale", "my::scale", or an instance of a
 * template, "scale<float>". Instances that are not in the module's `names` are compiled now, with
 * variables (__device__) of their own; those in __constant__ memory are kept the same by
 * gnd_module_set(). An error: no such function, arguments of a template that are missing or too
 * many, a parameter of a type that cannot be given.
 */
GND_API gnd_kernel *gnd_module_function(gnd_module *module, const char *name);

/**
 * Copies `bytes` from host memory to the module's variable `name`, in __constant__ or __device__ memory, on
 * the current device. The copy is queued on the current stream; launches on other streams do not wait for it.
 * The host memory may be reused immediately. Errors: no such variable, or more bytes than it has.
 */
GND_API gnd_status gnd_module_set(gnd_module *module, const char *name, const void *from, size_t bytes);
/** Copies the variable's first `bytes` to host memory. Waits for the current stream. */
GND_API gnd_status gnd_module_get(gnd_module *module, const char *name, void *to, size_t bytes);

/**
 * Sizes of a grid or of a block: GND_DIM3(x), GND_DIM3(x, y), GND_DIM3(x, y, z). A y or z of 0
 * counts as 1.
 */
typedef struct gnd_dim3 {
    unsigned x, y, z;
} gnd_dim3;

/**
 * Launches a function of a module: `grid` blocks of `block` threads, with `shared` bytes of dynamic
 * shared memory, on the current stream, on the device of the arrays (else the current one).
 *
 * The arguments, arrays and C numbers, must fit the function's parameters (see above):
 * GND_ERROR_DTYPE, GND_ERROR_SHAPE for an array that is not contiguous, GND_ERROR_VALUE for a number
 * out of range. Sizes that no GPU has, or more threads than the kernel can have, are
 * GND_ERROR_INVALID; more shared memory than this GPU has is GND_ERROR_DEVICE. Does not wait.
 */
GND_API gnd_status gnd_launch(gnd_kernel *function, gnd_dim3 grid, gnd_dim3 block, size_t shared, int count,
                              const gnd_arg *args);

GND_END

#ifndef __cplusplus
static inline gnd_dim3 gnd_make_dim3_(const unsigned *sizes) {
    gnd_dim3 d;
    d.x = sizes[0], d.y = sizes[1], d.z = sizes[2];
    return d;
}
#    define GND_DIM3(...) gnd_make_dim3_((const unsigned[3]){__VA_ARGS__})
#else
template <class... N> inline gnd_dim3 gnd_make_dim3_(N... n) {
    return gnd_dim3{static_cast<unsigned>(n)...};
}
#    define GND_DIM3(...) gnd_make_dim3_(__VA_ARGS__)
#endif

#endif
