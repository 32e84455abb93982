// histogram_edges_kernels.cu: the extent of elements, bins between edges of any kind, numbers of bins.
#include "histogram/cuda/histogram_count.cuh"

namespace gnd {

/* ---- extents -------------------------------------------------------------------------------- */

template <class X> __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    extent_kernel(const __grid_constant__ gndi_histogram_params p) {
    typedef measure_t<X> T;
    reader<X> elements(p.plan);
    const T some = (T)to_compute(*reinterpret_cast<const X *>(p.plan.x)); /* there is one */
    extent<T> e = {some, some, some != some};
    elements.each([&](X x) {
        const T value = (T)to_compute(x);
        e.join(value, value, value != value);
    });
    join_block(e);
    if (threadIdx.x == 0) {
        gndi_histogram_extent &mine = p.extents[blockIdx.x];
        if constexpr (is_float<X>) {
            const double nan = limits<double>::nan();
            mine.least = pack_number(e.nan ? nan : (double)e.least);
            mine.greatest = pack_number(e.nan ? nan : (double)e.greatest);
        } else if (p.plan.kind == GNDI_HISTOGRAM_EVEN) {
            mine.least = pack_number((double)e.least);
            mine.greatest = pack_number((double)e.greatest);
        } else {
            mine.least = (int64_t)e.least, mine.greatest = (int64_t)e.greatest;
        }
    }
    if (p.plan.kind != GNDI_HISTOGRAM_EVEN || !p.plan.out) return;
    count_t *counts = reinterpret_cast<count_t *>(p.plan.out);
    const int64_t all = (int64_t)gridDim.x * HISTOGRAM_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * HISTOGRAM_THREADS + threadIdx.x; i < p.plan.bins; i += all) counts[i] = 0;
}

template <class T> __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    join_kernel(const __grid_constant__ gndi_histogram_params p) {
    const extent<T> e = join_extents<T>(p);
    int64_t *out = reinterpret_cast<int64_t *>(p.plan.out);
    if (threadIdx.x == 0) out[0] = (int64_t)e.least, out[1] = (int64_t)e.greatest;
}

/* ---- numbers -------------------------------------------------------------------------------- */

static __device__ void store_number(const gndi_histogram_plan &p, int64_t i, int64_t number) {
    if (p.number_dtype == GND_INT32) {
        int32_t *at = reinterpret_cast<int32_t *>(p.numbers) + i;
        if (p.folds && number >= 0) number = *at < 0 ? -1 : *at * p.bins + number;
        *at = (int32_t)number;
    } else {
        int64_t *at = reinterpret_cast<int64_t *>(p.numbers) + i;
        if (p.folds && number >= 0) number = *at < 0 ? -1 : *at * p.bins + number;
        *at = number;
    }
}

template <class C> static __device__ C between_number(const char *at, int dtype) {
    if constexpr (is_same<C, double>)
        return real_number(at, dtype);
    else if (is_same<C, uint64_t> && dtype == GND_UINT64)
        return (C) * reinterpret_cast<const uint64_t *>(at);
    else
        return (C)whole_number(at, dtype);
}

/* Counts, numbers or both, between edges in C. */
template <class C> __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    between_kernel(const __grid_constant__ gndi_histogram_params p) {
    extern __shared__ uint32_t workspace[];
    __shared__ C kept[GNDI_HISTOGRAM_EDGES_SHARED];
    const int64_t bins = p.plan.bins;
    const int64_t thread = (int64_t)blockIdx.x * HISTOGRAM_THREADS + threadIdx.x;
    const int64_t all = (int64_t)gridDim.x * HISTOGRAM_THREADS;
    const C *edges = reinterpret_cast<const C *>(p.plan.edges);
    bool broken = false;
    for (int64_t i = thread; i < bins; i += all) broken |= edges[i] > edges[i + 1];
    if (broken) report_histogram(p.fault, GNDI_FAULT_BINS, 0, 0);
    if (bins < GNDI_HISTOGRAM_EDGES_SHARED) {
        for (int i = (int)threadIdx.x; i <= (int)bins; i += HISTOGRAM_THREADS) kept[i] = edges[i];
        edges = kept;
        __syncthreads();
    }
    tables<false> t;
    if (p.plan.out) t = open_tables<false>(p, workspace);
    for (int64_t i = thread; i < p.plan.points; i += all) {
        const C x = between_number<C>(p.plan.x + i * p.plan.x_step, p.plan.x_dtype);
        const int64_t bin = bin_between(edges, bins, x);
        if (p.plan.numbers) store_number(p.plan, i, bin);
        if (p.plan.out && bin >= 0) t.add(bin);
    }
    if (p.plan.out) close_tables(p, t);
}

/* Numbers of bins of one width, compared in double: the edges are what they are in their dtype. The
   range is known, or another kernel has measured. */
__global__ void __launch_bounds__(HISTOGRAM_THREADS)
    even_number_kernel(const __grid_constant__ gndi_histogram_params p) {
    __shared__ double ends[2];
    if (p.plan.range.from_data) {
        const extent<double> e = join_extents<double>(p);
        if (threadIdx.x == 0) {
            ends[0] = e.nan ? limits<double>::nan() : e.least, ends[1] = e.greatest;
            spread_range(p.plan.range.step_dtype, ends, ends + 1);
        }
    } else if (threadIdx.x == 0) {
        ends[0] = p.plan.range.first, ends[1] = p.plan.range.last;
    }
    __syncthreads();
    const even_bins<double> b = make_bins<double>(p.plan.range, p.plan.bins, ends[0], ends[1]);
    const int64_t all = (int64_t)gridDim.x * HISTOGRAM_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * HISTOGRAM_THREADS + threadIdx.x; i < p.plan.points; i += all)
        store_number(p.plan, i, bin_of(b, real_number(p.plan.x + i * p.plan.x_step, p.plan.x_dtype)));
}

__global__ void __launch_bounds__(HISTOGRAM_THREADS)
    integer_number_kernel(const __grid_constant__ gndi_histogram_params p) {
    const int64_t all = (int64_t)gridDim.x * HISTOGRAM_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * HISTOGRAM_THREADS + threadIdx.x; i < p.plan.points; i += all) {
        const int64_t x = between_number<int64_t>(p.plan.x + i * p.plan.x_step, p.plan.x_dtype);
        const uint64_t position = (uint64_t)x - (uint64_t)p.plan.origin;
        const bool inside = position < (uint64_t)p.plan.bins;
        if (!inside && !p.plan.quiet) report_histogram(p.fault, GNDI_FAULT_INDEX, x, p.plan.bins);
        store_number(p.plan, i, inside ? (int64_t)position : -1);
    }
}

template <class X> static const void *measures() {
    return reinterpret_cast<const void *>(&extent_kernel<X>);
}
template <class C> static const void *between() {
    return reinterpret_cast<const void *>(&between_kernel<C>);
}

} // namespace gnd

extern "C" const void *gndi_cuda_histogram_extent_kernel(int dtype) {
    switch (dtype) {
    case GND_INT8: return gnd::measures<int8_t>();
    case GND_UINT8: return gnd::measures<uint8_t>();
    case GND_INT16: return gnd::measures<int16_t>();
    case GND_UINT16: return gnd::measures<uint16_t>();
    case GND_INT32: return gnd::measures<int32_t>();
    case GND_UINT32: return gnd::measures<uint32_t>();
    case GND_INT64: return gnd::measures<int64_t>();
    case GND_UINT64: return gnd::measures<uint64_t>();
    case GND_FLOAT16: return gnd::measures<gnd::float16>();
    case GND_BFLOAT16: return gnd::measures<gnd::bfloat16>();
    case GND_FLOAT32: return gnd::measures<float>();
    default: return gnd::measures<double>();
    }
}
extern "C" const void *gndi_cuda_histogram_join_kernel(int dtype) {
    return dtype == GND_UINT64 ? reinterpret_cast<const void *>(&gnd::join_kernel<uint64_t>)
                               : reinterpret_cast<const void *>(&gnd::join_kernel<int64_t>);
}
extern "C" const void *gndi_cuda_histogram_between_kernel(int edges_dtype) {
    return edges_dtype == GND_FLOAT64 ? gnd::between<double>()
           : edges_dtype == GND_INT64 ? gnd::between<int64_t>()
                                      : gnd::between<uint64_t>();
}
extern "C" const void *gndi_cuda_histogram_number_kernel(int kind) {
    return kind == GNDI_HISTOGRAM_EVEN ? reinterpret_cast<const void *>(&gnd::even_number_kernel)
                                       : reinterpret_cast<const void *>(&gnd::integer_number_kernel);
}
