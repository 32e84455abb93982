/*
 * search_kernels.cu: searches in a sorted line. A search goes by powers of two: from the largest down,
 * a step is taken if the element at its end still counts. So all searches share the ends of their first
 * steps, which each block keeps in shared memory; a thread searches several values side by side.
 */
#include "kernels/cuda/report_fault.cuh"
#include "sort/cuda/search_params.h"
#include "sort/search_ops.h"

namespace gnd {

enum { EACH = GNDI_SEARCH_EACH };

static __device__ __noinline__ void report(gndi_fault *fault, int code, int64_t value, int64_t size) {
    report_fault(fault, code, value, 0, size);
}

/* The line, reversed if it descends. */
template <class S> struct line_of {
    const gndi_search_params &p;
    const char *first;
    int64_t step;

    __device__ compute_t<S> operator()(int64_t i) const {
        if (p.plan.sorter) {
            const int64_t n = p.plan.length;
            int64_t at = whole_number(p.plan.sorter + i * p.plan.sorter_step, p.plan.sorter_dtype);
            if (at < 0 || at >= n) {
                report(p.fault, GNDI_FAULT_INDEX, at, n);
                at = at < 0 ? 0 : n - 1;
            }
            i = at;
        }
        return to_compute(*reinterpret_cast<const S *>(first + i * step));
    }
};

/* Whether a search for b that has met a goes on behind it: stands_before, but that what b is is asked
   once. `Plain`: b is no NaN. */
template <class T> struct wanted {
    T value;
    bool right, nan;

    template <bool Plain> __device__ __forceinline__ bool takes(T a) const {
        if constexpr (is_complex<T>)
            return counts(a, value, right);
        else if constexpr (Plain)
            return (a < value) | (right & (a == value));
        else
            return (a < value) | (right & (a == value)) | (nan & (right | (a == a)));
    }
};

/* The elements at the ends of the first steps: table[m] is element m * 2^log_stride - 1. */
static __device__ __forceinline__ int log_stride_of(const gndi_search_params &p) {
    return p.log_top >= p.levels ? p.log_top - p.levels + 1 : 0;
}
template <class T, class Line>
static __device__ void fill_table(const gndi_search_params &p, const Line &line, T *table) {
    const int log_stride = log_stride_of(p);
    for (int m = 1 + (int)threadIdx.x; m < 1 << p.levels; m += (int)blockDim.x) {
        const int64_t end = (int64_t)m << log_stride;
        if (end > p.plan.length) break;
        table[m] = p.table ? reinterpret_cast<const T *>(p.table)[m] : line(end - 1);
    }
    __syncthreads();
}

/* The indices of the values in the line. */
template <bool Plain, class T, class Line> static __device__ __forceinline__ void
find(const gndi_search_params &p, const Line &line, const T *table, const wanted<T> *values, int64_t *indices) {
    const int64_t n = p.plan.length;
    const int log_stride = log_stride_of(p);
    const int ends = (int)(n >> log_stride); /* how many entries of the table there are */
    int entry[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) entry[k] = 0;
    for (int step = n > 0 ? 1 << (p.log_top - log_stride) : 0; step; step >>= 1) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int next = entry[k] + step;
            if (next <= ends && values[k].template takes<Plain>(table[next])) entry[k] = next;
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) indices[k] = (int64_t)entry[k] << log_stride;
    for (int64_t step = (int64_t)1 << log_stride >> 1; step; step >>= 1) {
        bool inside[EACH];
        T met[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            inside[k] = indices[k] + step <= n;
            if (inside[k]) met[k] = line(indices[k] + step - 1);
        }
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (inside[k] && values[k].template takes<Plain>(met[k])) indices[k] += step;
    }
}
template <class T, class Line> static __device__ __forceinline__ void
find_any(const gndi_search_params &p, const Line &line, const T *table, const wanted<T> *values, int64_t *indices) {
    bool nan = false;
#pragma unroll
    for (int k = 0; k < EACH; k++) nan |= values[k].nan;
    if (nan && !is_complex<T>)
        find<false>(p, line, table, values, indices);
    else
        find<true>(p, line, table, values, indices);
}

template <class S> static __device__ __forceinline__ void store(const gndi_search_params &p, const line_of<S> &line,
                                                                const compute_t<S> *table, bool down, int64_t i,
                                                                const wanted<compute_t<S>> &value, int64_t index) {
    if (p.plan.found) {
        bool found = false;
        if (index < p.plan.length) {
            const bool in_table = log_stride_of(p) == 0;
            found = same_number(in_table ? table[index + 1] : line(index), value.value);
        }
        reinterpret_cast<bool *>(p.plan.out)[i] = found;
    } else {
        reinterpret_cast<int64_t *>(p.plan.out)[i] = down ? p.plan.length - index : index;
    }
}

/* Looks at a share of the line's neighbours. */
template <class T, class Line> static __device__ void check_order(const gndi_search_params &p, const Line &line) {
    bool broken = false;
    const int64_t all = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < p.plan.length - 1; i += all)
        broken |= breaks_order<T>(line(i), line(i + 1));
    if (broken) report(p.fault, GNDI_FAULT_BINS, 0, 0);
}

/* The line, reversed if it may descend and does. */
template <class S> static __device__ line_of<S> upward(const gndi_search_params &p, bool *down) {
    typedef compute_t<S> T;
    const int64_t n = p.plan.length;
    line_of<S> line = {p, p.plan.sorted, p.plan.step};
    *down = p.plan.either && goes_down<T>(line, n);
    if (*down) line.first += (n - 1) * line.step, line.step = -line.step;
    return line;
}

template <class S> __global__ void __launch_bounds__(GNDI_SEARCH_THREADS)
    search_kernel(const __grid_constant__ gndi_search_params p) {
    typedef compute_t<S> T;
    extern __shared__ __align__(16) char workspace[];
    T *table = reinterpret_cast<T *>(workspace);
    bool down;
    const line_of<S> line = upward<S>(p, &down);
    if (p.plan.either) check_order<T>(p, line);
    fill_table(p, line, table);
    const int64_t apart = blockDim.x, all = (int64_t)gridDim.x * (apart * EACH);
    for (int64_t i = blockIdx.x * (apart * EACH) + threadIdx.x; i < p.plan.points; i += all) {
        wanted<T> values[EACH];
        int64_t indices[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t at = i + k * apart < p.plan.points ? i + k * apart : i;
            const T value = to_compute(*reinterpret_cast<const S *>(p.plan.value + at * p.plan.value_step));
            values[k] = {value, p.plan.right, !same_number(value, value)};
        }
        find_any(p, line, table, values, indices);
#pragma unroll
        for (int k = 0; k < EACH; k++)
            if (i + k * apart < p.plan.points) store(p, line, table, down, i + k * apart, values[k], indices[k]);
    }
}

template <class S> __global__ void __launch_bounds__(GNDI_SEARCH_THREADS)
    gather_kernel(const __grid_constant__ gndi_search_params p) {
    bool down;
    const line_of<S> line = upward<S>(p, &down);
    const int m = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int64_t end = (int64_t)m << log_stride_of(p);
    if (m > 0 && m < 1 << p.levels && end <= p.plan.length)
        reinterpret_cast<compute_t<S> *>(p.table)[m] = line(end - 1);
}

/* The line, where the table holds all of it. */
struct whole_table {
    const double *table;

    __device__ double operator()(int64_t i) const { return table[i + 1]; }
};

template <class Points> static __device__ void interpolate(const gndi_search_params &p, const line_of<double> &line,
                                                           const double *table, const Points &points) {
    const int64_t apart = blockDim.x, all = (int64_t)gridDim.x * (apart * EACH);
    const int parts = p.interp.is_complex ? 2 : 1;
    for (int64_t i = blockIdx.x * (apart * EACH) + threadIdx.x; i < p.plan.points; i += all) {
        wanted<double> values[EACH];
        int64_t indices[EACH];
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t at = i + k * apart < p.plan.points ? i + k * apart : i;
            const double value = real_number(p.plan.value + at * p.plan.value_step, p.plan.dtype);
            values[k] = {value, true, value != value};
        }
        find_any(p, line, table, values, indices);
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int64_t at = i + k * apart;
            for (int part = 0; part < parts && at < p.plan.points; part++)
                reinterpret_cast<double *>(p.plan.out)[at * parts + part] =
                    interp_part(p.interp, points, p.plan.length, indices[k], values[k].value, part);
        }
    }
}

__global__ void __launch_bounds__(GNDI_SEARCH_THREADS) interp_kernel(const __grid_constant__ gndi_search_params p) {
    extern __shared__ __align__(16) char workspace[];
    double *table = reinterpret_cast<double *>(workspace);
    const line_of<double> line = {p, p.plan.sorted, p.plan.step};
    fill_table(p, line, table);
    if (log_stride_of(p) == 0)
        interpolate(p, line, table, whole_table{table});
    else
        interpolate(p, line, table, line);
}

template <class S> struct kernels {
    static const void *search() { return reinterpret_cast<const void *>(&search_kernel<S>); }
    static const void *gather() { return reinterpret_cast<const void *>(&gather_kernel<S>); }
};

/* Of both kernels for elements of a dtype: the one that `pick` names. */
template <class Pick> static const void *choose_kernel(int dtype, Pick pick) {
    switch (dtype) {
    case GND_BOOL:
    case GND_UINT8: return pick(kernels<uint8_t>());
    case GND_INT8: return pick(kernels<int8_t>());
    case GND_INT16: return pick(kernels<int16_t>());
    case GND_UINT16: return pick(kernels<uint16_t>());
    case GND_INT32: return pick(kernels<int32_t>());
    case GND_UINT32: return pick(kernels<uint32_t>());
    case GND_INT64: return pick(kernels<int64_t>());
    case GND_UINT64: return pick(kernels<uint64_t>());
    case GND_FLOAT16: return pick(kernels<float16>());
    case GND_BFLOAT16: return pick(kernels<bfloat16>());
    case GND_FLOAT32: return pick(kernels<float>());
    case GND_FLOAT64: return pick(kernels<double>());
    case GND_COMPLEX64: return pick(kernels<complex<float>>());
    default: return pick(kernels<complex<double>>());
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_search_kernel(int dtype) {
    return gnd::choose_kernel(dtype, [](auto k) { return k.search(); });
}
extern "C" const void *gndi_cuda_search_gather_kernel(int dtype) {
    return gnd::choose_kernel(dtype, [](auto k) { return k.gather(); });
}
extern "C" const void *gndi_cuda_interp_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::interp_kernel);
}
