// histogram_kernels.cu: counts in bins of one width and of integers, in vectors of elements.
#include "histogram/cuda/histogram_count.cuh"

namespace gnd {

/* What elements of storage type X are compared with even edges in. */
template <class X> using even_t = choose_t<is_float<X> && sizeof(X) <= 4, float, double>;

/* The bins, from the plan's range or that of the data, in shared memory. Reports a range that is not
   finite. */
template <class C> static __device__ const even_bins<C> &share_bins(const gndi_histogram_params &p) {
    const gndi_histogram_range &range = p.plan.range;
    __shared__ even_bins<C> bins;
    const bool measured = range.from_data && p.plan.points > 0;
    extent<double> e = {0, 1, false};
    if (measured) e = join_extents<double>(p);
    if (threadIdx.x == 0) {
        double first = range.from_data ? e.least : range.first;
        double last = range.from_data ? e.greatest : range.last;
        if (e.nan) first = last = limits<double>::nan();
        if (measured && !spread_range(range.step_dtype, &first, &last) && blockIdx.x == 0)
            report_histogram(p.fault, GNDI_FAULT_RANGE, 0, 0);
        bins = make_bins<C>(range, p.plan.bins, first, last);
    }
    __syncthreads();
    return bins;
}

/* The blocks together store the edges, and look whether they increase. */
template <class C>
static __device__ __noinline__ void store_edges(const gndi_histogram_params &p, const even_bins<C> &b) {
    const gndi_histogram_range &range = p.plan.range;
    const int64_t all = (int64_t)gridDim.x * HISTOGRAM_THREADS;
    const int64_t thread = (int64_t)blockIdx.x * HISTOGRAM_THREADS + threadIdx.x;
    for (int64_t i = thread; i <= p.plan.bins; i += all) {
        const double edge = edge_of(b, i);
        if (range.edges) store_real(range.edges, range.dtype, i, edge);
        if (i < p.plan.bins && edge >= edge_of(b, i + 1))
            report_histogram(p.fault, GNDI_FAULT_TOO_MANY, 0, p.plan.bins + 1);
    }
}

template <class C> static __device__ __noinline__ int settle_far(const even_bins<C> &b, C x) {
    const bool inside = (x >= b.low) & (x <= b.high);
    return settle(b, x, (int)position_of(b, x, inside));
}
template <class C> static __device__ __noinline__ C edge_far(const even_bins<C> &b, int i) {
    return least_from<C>(edge_of(b, i));
}

/* The nearest whole number to f, and how far it is: adding 1.5 * 2^23 (2^52) leaves it in the last
   bits. One that does not fit them is far from [0, 2^21). */
[[maybe_unused]] static __device__ __forceinline__ int nearest(float f, float *rest) {
    const float up = f + 12582912.0f;
    *rest = f - (up - 12582912.0f);
    return __float_as_int(up) - 0x4b400000;
}
[[maybe_unused]] static __device__ __forceinline__ int nearest(double f, double *rest) {
    const double up = f + 6755399441055744.0;
    *rest = f - (up - 6755399441055744.0);
    return __double2hiint(up) == 0x43380000 ? __double2loint(up) : -1;
}

/* The bin of an element beside edge k, which it may be on either side of. */
template <class C> static __device__ __forceinline__ int beside(const even_bins<C> &b, const C *edges, C x, int k) {
    if (!(x >= b.low && x <= b.high)) return -1;
    if (b.limit < 0 || b.bins > GNDI_HISTOGRAM_MOST_QUICK) return settle_far(b, x);
    if (k <= 0 || k >= b.bins) return k <= 0 ? 0 : b.bins - 1;
    const C edge = edges ? edges[k] : edge_far(b, k);
    return x >= edge ? k : k - 1;
}

/* Bytes have their bins looked up; others are computed, and compared with an edge where that is
   close. */
template <class X, bool Copies> __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    even_kernel(const __grid_constant__ gndi_histogram_params p) {
    typedef even_t<X> C;
    extern __shared__ __align__(8) uint32_t workspace[]; /* edges may be behind the tables */
    reader<X> elements(p.plan);
    const even_bins<C> &b = share_bins<C>(p);
    const auto t = open_tables<Copies>(p, workspace);
    if (blockIdx.x * (int64_t)HISTOGRAM_THREADS <= p.plan.bins) store_edges(p, b);
    if (!p.plan.out) return;
    if constexpr (sizeof(X) == 1) {
        __shared__ int bin_of_byte[256];
        if (threadIdx.x < 256) bin_of_byte[threadIdx.x] = settle_far(b, (C)(X)threadIdx.x);
        __syncthreads();
        elements.each([&](X x) {
            const int bin = bin_of_byte[(uint8_t)x];
            if (bin >= 0) t.add(bin);
        });
    } else {
        C *edges = nullptr;
        if (p.edges_in_shared) {
            edges = reinterpret_cast<C *>(workspace + ((((uint32_t)p.plan.bins << p.log_copies) + 1) & ~(uint32_t)1));
            for (int k = (int)threadIdx.x; k <= b.bins; k += HISTOGRAM_THREADS) edges[k] = edge_far(b, k);
            __syncthreads();
        }
        const C low = b.low, scale = b.scale;
        const C limit = b.bins > GNDI_HISTOGRAM_MOST_QUICK ? (C)-1 : b.limit;
        const uint32_t bins = (uint32_t)b.bins;
        elements.each([&](X element) {
            const C x = (C)to_compute(element);
            C rest;
            int bin = nearest(m::fma(x - low, scale, (C)-0.5), &rest);
            if (!((rest < 0 ? -rest : rest) < limit)) bin = beside(b, edges, x, rest > 0 ? bin + 1 : bin);
            if ((uint32_t)bin < bins) t.add(bin);
        });
    }
    close_tables(p, t);
}

template <class X, bool Copies> __global__ void __launch_bounds__(HISTOGRAM_THREADS)
    integer_kernel(const __grid_constant__ gndi_histogram_params p) {
    extern __shared__ __align__(8) uint32_t workspace[];
    const uint64_t origin = (uint64_t)p.plan.origin, bins = (uint64_t)p.plan.bins;
    reader<X> elements(p.plan);
    const auto t = open_tables<Copies>(p, workspace);
    elements.each([&](X x) {
        const uint64_t position = (uint64_t)(int64_t)x - origin;
        if (position < bins)
            t.add((int64_t)position);
        else if (!p.plan.quiet)
            report_histogram(p.fault, GNDI_FAULT_INDEX, (int64_t)x, (int64_t)bins);
    });
    close_tables(p, t);
}

template <class X> static const void *even(bool copies) {
    return copies ? reinterpret_cast<const void *>(&even_kernel<X, true>)
                  : reinterpret_cast<const void *>(&even_kernel<X, false>);
}
template <class X> static const void *integer(bool copies) {
    return copies ? reinterpret_cast<const void *>(&integer_kernel<X, true>)
                  : reinterpret_cast<const void *>(&integer_kernel<X, false>);
}

} // namespace gnd

/* ---- the parts that this is compiled in: two dtypes each ------------------------------------- */

#ifdef GNDI_PART_bytes
extern "C" const void *gndi_cuda_histogram_even_bytes(int dtype, bool copies) {
    return dtype == GND_INT8 ? gnd::even<int8_t>(copies) : gnd::even<uint8_t>(copies);
}
extern "C" const void *gndi_cuda_histogram_integer_bytes(int dtype, bool copies) {
    return dtype == GND_INT8 ? gnd::integer<int8_t>(copies) : gnd::integer<uint8_t>(copies);
}
#endif

#ifdef GNDI_PART_shorts
extern "C" const void *gndi_cuda_histogram_even_shorts(int dtype, bool copies) {
    return dtype == GND_INT16 ? gnd::even<int16_t>(copies) : gnd::even<uint16_t>(copies);
}
extern "C" const void *gndi_cuda_histogram_integer_shorts(int dtype, bool copies) {
    return dtype == GND_INT16 ? gnd::integer<int16_t>(copies) : gnd::integer<uint16_t>(copies);
}
#endif

#ifdef GNDI_PART_words
extern "C" const void *gndi_cuda_histogram_even_words(int dtype, bool copies) {
    return dtype == GND_INT32 ? gnd::even<int32_t>(copies) : gnd::even<uint32_t>(copies);
}
extern "C" const void *gndi_cuda_histogram_integer_words(int dtype, bool copies) {
    return dtype == GND_INT32 ? gnd::integer<int32_t>(copies) : gnd::integer<uint32_t>(copies);
}
#endif

#ifdef GNDI_PART_longs
extern "C" const void *gndi_cuda_histogram_even_longs(int dtype, bool copies) {
    return dtype == GND_INT64 ? gnd::even<int64_t>(copies) : gnd::even<uint64_t>(copies);
}
extern "C" const void *gndi_cuda_histogram_integer_longs(int dtype, bool copies) {
    return dtype == GND_INT64 ? gnd::integer<int64_t>(copies) : gnd::integer<uint64_t>(copies);
}
#endif

#ifdef GNDI_PART_halves
extern "C" const void *gndi_cuda_histogram_even_halves(int dtype, bool copies) {
    return dtype == GND_FLOAT16 ? gnd::even<gnd::float16>(copies) : gnd::even<gnd::bfloat16>(copies);
}
#endif

#ifdef GNDI_PART_floats
extern "C" const void *gndi_cuda_histogram_even_floats(int, bool copies) {
    return gnd::even<float>(copies);
}
#endif

#ifdef GNDI_PART_doubles
extern "C" const void *gndi_cuda_histogram_even_doubles(int, bool copies) {
    return gnd::even<double>(copies);
}
#endif
