// sample_kernels.cu: splines at coordinates: a thread for each output, which reads through the cache.
//
// plane_kernel   Two dimensions of at most 2^24 elements each: indices of 32 bits, and nothing but registers. Of an
//                affine map a warp makes 8 x 4 outputs, whose coefficients lie in fewer lines than those of 32 x 1 when
//                the map turns. Near the ends, where coefficients repeat, the general function is called.
// sample_kernel  Any number of dimensions.
//
// Coordinates are double. A GPU converts between double and integers an eighth as often as it adds, so whole parts are
// found by adding a large number, whose last bits are then the integer.
#include "ndimage/cuda/ndimage_params.h"
#include "ndimage/sample_ops.h"

namespace gnd {
namespace sample {

enum { THREADS = 256, ACROSS = GNDI_CUDA_SAMPLE_ACROSS, DOWN = GNDI_CUDA_SAMPLE_DOWN };
static_assert(ACROSS * DOWN == THREADS && ACROSS % 8 == 0 && DOWN % 4 == 0, "tiles of whole warps");

constexpr double MIDDLE = 6755399441055744.0; // 2^52 + 2^51: the last 32 bits of MIDDLE + i are i, |i| < 2^31

GNDI_FN double of_integer(int32_t i) { // i >= 0
    return m::sub(__hiloint2double(__double2hiint(MIDDLE), i), MIDDLE);
}

// The largest whole number <= x, as both types; |x| < 2^30.
GNDI_FN int32_t floor_of(double x, double *whole) {
    const double shifted = m::add(x, MIDDLE);
    int32_t i = __double2loint(shifted);
    *whole = m::sub(shifted, MIDDLE); // rounded to the nearest
    if (*whole > x) i -= 1, *whole -= 1;
    return i;
}

GNDI_FN int32_t floor_of(float x, float *whole) {
    *whole = m::floor(x);
    return (int32_t)*whole;
}

// The coefficients along an axis that a coordinate needs: the first, and their weights. C: what coordinates are; a
// float is taken apart without rounding, so that float and double give the same. False: they are not all within the
// array.
template <class T, int order, class C> GNDI_FN bool place(C x, int32_t n, int32_t *first, T *weight) {
    if (!(x >= 0 && x <= (C)(n - 1))) return false;
    C middle;
    *first = floor_of(order % 2 == 1 ? x : m::add(x, (C)0.5), &middle) - order / 2;
    weights((T)(x - middle), order, weight);
    return *first >= 0 && *first + order < n;
}

template <class T, int order>
__device__ __noinline__ void put_at_the_ends(const plan_t &p, int64_t o, double c0, double c1) {
    const double c[2] = {c0, c1};
    const T *x = static_cast<const T *>(p.x);
    T *out = static_cast<T *>(p.out) + o;
    for (int64_t k = 0; k < p.outer; k++, x += p.x_shape[0] * p.x_shape[1], out += p.count)
        *out = rounded(p, at_two<T, order>(p, x, c));
}

// Output o, at (c0, c1), of all results.
template <class T, int order, class C> GNDI_FN void put_plane(const plan_t &p, int64_t o, C c0, C c1) {
    const int32_t rows = (int32_t)p.x_shape[0], columns = (int32_t)p.x_shape[1];
    int32_t row, column;
    T down[order + 1], along[order + 1];
    if (!place<T, order>(p.pad ? c0 + (C)p.pad : c0, rows, &row, down) ||
        !place<T, order>(p.pad ? c1 + (C)p.pad : c1, columns, &column, along))
        return put_at_the_ends<T, order>(p, o, c0, c1);
    const T *x = static_cast<const T *>(p.x) + (int64_t)row * columns + column;
    T *out = static_cast<T *>(p.out) + o;
    for (int64_t k = 0; k < p.outer; k++, x += (int64_t)rows * columns, out += p.count) {
        const T *at = x;
        T sum = 0;
#pragma unroll
        for (int r = 0; r <= order; r++, at += columns) {
            T part = 0;
#pragma unroll
            for (int t = 0; t <= order; t++) part += along[t] * at[t];
            sum += down[r] * part;
        }
        *out = rounded(p, sum);
    }
}

// Orders 0 and 1 wait for memory: more warps at a time.
template <class T, int order> __global__ void __launch_bounds__(THREADS, order <= 1 ? 6 : 2)
    plane_kernel(const __grid_constant__ plan_t p) {
    const int thread = (int)threadIdx.x;
    if (p.coordinates) {
        const int64_t o = (int64_t)blockIdx.x * THREADS + thread;
        if (o >= p.count) return;
        if (p.coordinates_dtype == GND_FLOAT32) {
            const float *at = static_cast<const float *>(p.coordinates) + o;
            if (p.pad == 0)
                put_plane<T, order>(p, o, at[0], at[p.count]);
            else
                put_plane<T, order>(p, o, (double)at[0], (double)at[p.count]);
        } else {
            const double *at = static_cast<const double *>(p.coordinates) + o;
            put_plane<T, order>(p, o, at[0], at[p.count]);
        }
        return;
    }
    const int32_t columns = (int32_t)p.out_shape[1], tiles = (columns + ACROSS - 1) / ACROSS;
    const int32_t across = (int32_t)(blockIdx.x % (uint32_t)tiles), down = (int32_t)(blockIdx.x / (uint32_t)tiles);
    const int warp = thread / 32, lane = thread % 32;
    const int32_t column = across * ACROSS + warp % (ACROSS / 8) * 8 + lane % 8;
    const int32_t row = down * DOWN + warp / (ACROSS / 8) * 4 + lane / 8;
    if (column >= columns || row >= (int32_t)p.out_shape[0]) return;
    const double i = m::add(of_integer(row), p.ahead[0]), j = m::add(of_integer(column), p.ahead[1]);
    double c[2];
    for (int a = 0; a < 2; a++)
        c[a] = m::add(m::add(m::mul(p.matrix[a][0], i), m::mul(p.matrix[a][1], j)), p.offset[a]);
    put_plane<T, order>(p, (int64_t)row * columns + column, c[0], c[1]);
}

template <class T, int order> __global__ void __launch_bounds__(THREADS)
    sample_kernel(const __grid_constant__ plan_t p) {
    const int64_t o = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (o < p.count) put<T, order, false>(p, o);
}

template <class T, bool plane, int order> static const void *kernel_of() {
    return plane ? (const void *)plane_kernel<T, order> : (const void *)sample_kernel<T, order>;
}

template <class T, bool plane> static const void *of_order(int order) {
    switch (order) {
    case 0: return kernel_of<T, plane, 0>();
    case 1: return kernel_of<T, plane, 1>();
    case 2: return kernel_of<T, plane, 2>();
    case 3: return kernel_of<T, plane, 3>();
    case 4: return kernel_of<T, plane, 4>();
    default: return kernel_of<T, plane, 5>();
    }
}

} // namespace sample
} // namespace gnd

#define SAMPLE(part, T)                                                                                                \
    extern "C" const void *gndi_cuda_sample_##part(int order, bool plane) {                                            \
        return plane ? gnd::sample::of_order<T, true>(order) : gnd::sample::of_order<T, false>(order);                 \
    }
#ifdef GNDI_PART_floats
SAMPLE(floats, float)
#endif
#ifdef GNDI_PART_doubles
SAMPLE(doubles, double)
#endif
