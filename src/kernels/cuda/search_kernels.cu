/*
 * search_kernels.cu: searches in a sorted line. A search goes by powers of two: from the largest down,
 * a step is taken if the element at its end still counts. So all searches share the ends of their first
 * steps, which each block keeps in shared memory; a thread searches several values side by side.
 */
#include "kernels/cuda/search_params.h"
#include "kernels/search_ops.h"

namespace gnd {

enum {
    THREADS = GNDI_SEARCH_THREADS,
    EACH = GNDI_SEARCH_EACH,
    LEVELS = GNDI_SEARCH_LEVELS,
};

static __device__ __noinline__ void report(gndi_fold_fault *fault, int code, int64_t value,
                                           int64_t size) {
    if (atomicCAS(&fault->code, 0, code) == 0)
        fault->value = value, fault->axis = 0, fault->size = size;
}

/* The line, turned round if it goes down. */
template <class S> struct line_of {
    const gndi_search_params &p;
    const char *first;
    int64_t step;

    __device__ compute_t<S> operator()(int64_t i) const {
        if (p.plan.sorter) {
            const int64_t n = p.plan.length;
            int64_t at = whole_number(p.plan.sorter + i * p.plan.sorter_step, p.plan.sorter_dtype);
            if (at < 0 || at >= n) {
                report(p.fault, GNDI_SEARCH_FAULT_INDEX, at, n);
                at = at < 0 ? 0 : n - 1;
            }
            i = at;
        }
        return to_compute(*reinterpret_cast<const S *>(first + i * step));
    }
};

/* Whether a search for b that has met a goes on behind it: stands_before, with what b is asked once. */
template <class T> struct wanted {
    T value;
    bool right, nan;

    __device__ bool takes(T a) const {
        if constexpr (is_complex<T>)
            return counts(a, value, right);
        else
            return (a < value) | (right & (a == value)) | (nan & (right | (a == a)));
    }
};

/* The elements at the ends of the first steps: table[m] is element m * 2^log_stride - 1. */
template <class T, class Line>
static __device__ int fill_table(const gndi_search_params &p, const Line &line, T *table) {
    const int log_stride = p.log_top >= LEVELS ? p.log_top - LEVELS + 1 : 0;
    for (int m = 1 + (int)threadIdx.x; m < 1 << LEVELS; m += THREADS) {
        const int64_t end = (int64_t)m << log_stride;
        if (end <= p.plan.length) table[m] = line(end - 1);
    }
    __syncthreads();
    return log_stride;
}

/* The places of the values in the line. */
template <int Count, class T, class Line>
static __device__ __forceinline__ void find(const gndi_search_params &p, const Line &line,
                                            const T *table, int log_stride, const wanted<T> *values,
                                            int64_t *places) {
    const int64_t n = p.plan.length;
    const int ends = (int)(n >> log_stride); /* how many entries of the table there are */
    int entry[Count];
#pragma unroll
    for (int k = 0; k < Count; k++) entry[k] = 0;
    for (int step = n > 0 ? 1 << (p.log_top - log_stride) : 0; step; step >>= 1) {
#pragma unroll
        for (int k = 0; k < Count; k++) {
            const int next = entry[k] + step;
            if (next <= ends && values[k].takes(table[next])) entry[k] = next;
        }
    }
#pragma unroll
    for (int k = 0; k < Count; k++) places[k] = (int64_t)entry[k] << log_stride;
    for (int64_t step = (int64_t)1 << log_stride >> 1; step; step >>= 1) {
        bool inside[Count];
        T met[Count];
#pragma unroll
        for (int k = 0; k < Count; k++) {
            inside[k] = places[k] + step <= n;
            if (inside[k]) met[k] = line(places[k] + step - 1);
        }
#pragma unroll
        for (int k = 0; k < Count; k++)
            if (inside[k] && values[k].takes(met[k])) places[k] += step;
    }
}

template <class S>
static __device__ __forceinline__ void store(const gndi_search_params &p, const line_of<S> &line,
                                             bool down, int64_t i,
                                             const wanted<compute_t<S>> &value, int64_t place) {
    if (p.plan.found)
        reinterpret_cast<bool *>(p.plan.out)[i] =
            place < p.plan.length && same_number(line(place), value.value);
    else
        reinterpret_cast<int64_t *>(p.plan.out)[i] = down ? p.plan.length - place : place;
}

/* Looks at a share of the line's neighbours. */
template <class T, class Line>
static __device__ void check_order(const gndi_search_params &p, const Line &line) {
    bool broken = false;
    const int64_t all = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < p.plan.length - 1; i += all)
        broken |= breaks_order<T>(line(i), line(i + 1));
    if (broken) report(p.fault, GNDI_SEARCH_FAULT_BINS, 0, 0);
}

template <class S> __global__ void __launch_bounds__(THREADS)
    search_kernel(const __grid_constant__ gndi_search_params p) {
    typedef compute_t<S> T;
    __shared__ T table[1 << LEVELS];
    const int64_t n = p.plan.length;
    line_of<S> line = {p, p.plan.sorted, p.plan.step};
    bool down = false;
    if (p.plan.either) {
        down = n > 0 && breaks_order<T>(line(0), line(n - 1));
        if (down) line.first += (n - 1) * line.step, line.step = -line.step;
        check_order<T>(p, line);
    }
    const int log_stride = fill_table(p, line, table);
    const int64_t all = (int64_t)gridDim.x * (THREADS * EACH);
    for (int64_t i = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x; i < p.plan.points;
         i += all) {
        wanted<T> values[EACH];
        int64_t places[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t at = i + k * THREADS < p.plan.points ? i + k * THREADS : i;
            const T value =
                to_compute(*reinterpret_cast<const S *>(p.plan.value + at * p.plan.value_step));
            values[k] = {value, p.plan.right, !same_number(value, value)};
        }
        find<EACH>(p, line, table, log_stride, values, places);
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (i + k * THREADS < p.plan.points)
                store(p, line, down, i + k * THREADS, values[k], places[k]);
    }
}

__global__ void __launch_bounds__(THREADS)
    curve_kernel(const __grid_constant__ gndi_search_params p) {
    __shared__ double table[1 << LEVELS];
    const line_of<double> line = {p, p.plan.sorted, p.plan.step};
    const int log_stride = fill_table(p, line, table);
    const int64_t all = (int64_t)gridDim.x * (THREADS * EACH);
    const int parts = p.curve.is_complex ? 2 : 1;
    for (int64_t i = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x; i < p.plan.points;
         i += all) {
        wanted<double> values[EACH];
        int64_t places[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t at = i + k * THREADS < p.plan.points ? i + k * THREADS : i;
            const double value = real_number(p.plan.value + at * p.plan.value_step, p.plan.dtype);
            values[k] = {value, true, value != value};
        }
        find<EACH>(p, line, table, log_stride, values, places);
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t at = i + k * THREADS;
            for (int part = 0; part < parts && at < p.plan.points; part++)
                reinterpret_cast<double *>(p.plan.out)[at * parts + part] =
                    curve_part(p.curve, line, p.plan.length, places[k], values[k].value, part);
        }
    }
}

template <class S> static const void *kernel() {
    return reinterpret_cast<const void *>(&search_kernel<S>);
}

} // namespace gnd

extern "C" const void *gndi_cuda_search_kernel(int dtype) {
    switch (dtype) {
    case GND_BOOL:
    case GND_UINT8: return gnd::kernel<uint8_t>();
    case GND_INT8: return gnd::kernel<int8_t>();
    case GND_INT16: return gnd::kernel<int16_t>();
    case GND_UINT16: return gnd::kernel<uint16_t>();
    case GND_INT32: return gnd::kernel<int32_t>();
    case GND_UINT32: return gnd::kernel<uint32_t>();
    case GND_INT64: return gnd::kernel<int64_t>();
    case GND_UINT64: return gnd::kernel<uint64_t>();
    case GND_FLOAT16: return gnd::kernel<gnd::float16>();
    case GND_BFLOAT16: return gnd::kernel<gnd::bfloat16>();
    case GND_FLOAT32: return gnd::kernel<float>();
    case GND_FLOAT64: return gnd::kernel<double>();
    case GND_COMPLEX64: return gnd::kernel<gnd::complex<float>>();
    default: return gnd::kernel<gnd::complex<double>>();
    }
}
extern "C" const void *gndi_cuda_curve_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::curve_kernel);
}
