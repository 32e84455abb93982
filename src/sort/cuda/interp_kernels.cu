// interp_kernels.cu: interpolation (numpy.interp) between points that fit into shared memory, at many values. The
// range of the points is divided into buckets of one width, about as many as there are points. A table has the
// number of points before each bucket, so that a value is searched among the few points of its own bucket.
// 10^7 values in 10^4 points: 106 us; a search over all points takes 340 (m).
#include "sort/cuda/search_params.h"
#include "sort/search_ops.h"

namespace gnd {

enum { VALUES = GNDI_INTERP_EACH };

// The bucket of a value: never one before that of a smaller value, whatever is rounded.
struct bucket_map {
    double first, scale;
    int last;

    __device__ bucket_map(const double *x, int64_t n, int buckets) : first(x[0]), scale(0), last(0) {
        const double width = x[n - 1] - first, per_unit = (double)buckets / width;
        if (!(width > 0 && per_unit > 0 && per_unit < 1e300)) return; // all in one bucket
        scale = per_unit, last = buckets - 1;
    }
    __device__ __forceinline__ int operator()(double x) const {
        const double at = (x - first) * scale;
        return !(at > 0) ? 0 : at < (double)last ? (int)at : last;
    }
    __device__ __forceinline__ int of_point(double x) const { return x != x ? last : (*this)(x); }
};

// start[b]: points in buckets before b; the last one is `buckets`. Points that are their bucket's last say where
// the next one starts; what no point says is the largest of those before.
static __device__ void find_starts(const double *x, int n, const bucket_map &map, int buckets, uint16_t *start) {
    constexpr int V = GNDI_INTERP_VECTOR;
    __shared__ int largest[GNDI_SEARCH_THREADS / 32];
    const int threads = (int)blockDim.x, t = (int)threadIdx.x, lane = t % 32, warp = t / 32;
    for (int b = t * V; b <= buckets; b += threads * V) *reinterpret_cast<uint4 *>(start + b) = make_uint4(0, 0, 0, 0);
    __syncthreads();
    for (int i = t; i < n; i += threads) {
        const int b = map.of_point(x[i]);
        if (i == n - 1 || map.of_point(x[i + 1]) > b) start[b + 1] = (uint16_t)(i + 1);
    }
    __syncthreads();
    int before = 0; // of all that earlier rounds saw
    for (int first = 0; first <= buckets; first += threads * V) {
        const int b = first + t * V;
        uint16_t part[V] = {};
        if (b <= buckets) memcpy(part, start + b, sizeof part);
#pragma unroll
        for (int k = 1; k < V; k++) part[k] = part[k] > part[k - 1] ? part[k] : part[k - 1];
        int most = part[V - 1];
        for (int d = 1; d < 32; d *= 2) {
            const int other = __shfl_up_sync(0xffffffffu, most, d);
            if (lane >= d && other > most) most = other;
        }
        if (lane == 31) largest[warp] = most;
        int old = __shfl_up_sync(0xffffffffu, most, 1);
        if (lane == 0 || old < before) old = before;
        __syncthreads();
        for (int w = 0; w < threads / 32; w++) {
            if (w < warp && largest[w] > old) old = largest[w];
            if (largest[w] > before) before = largest[w];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < V; k++) part[k] = part[k] > old ? part[k] : (uint16_t)old;
        if (b <= buckets) memcpy(start + b, part, sizeof part);
    }
    __syncthreads();
}

// HEIGHTS: those of real points are in shared memory, too.
template <bool HEIGHTS> __global__ void __launch_bounds__(GNDI_SEARCH_THREADS)
    interp_buckets_kernel(const __grid_constant__ gndi_search_params p) {
    extern __shared__ __align__(16) char workspace[];
    const int n = (int)p.plan.length, t = (int)threadIdx.x;
    const int64_t threads = blockDim.x, all = (int64_t)gridDim.x * (threads * VALUES);
    uint16_t *start = reinterpret_cast<uint16_t *>(workspace);
    double *x = reinterpret_cast<double *>(workspace + GNDI_INTERP_STARTS(p.buckets)), *y = x + n;
    for (int i = t; i < n; i += (int)threads) {
        x[i] = *reinterpret_cast<const double *>(p.plan.sorted + i * p.plan.step);
        if (HEIGHTS) y[i] = reinterpret_cast<const double *>(p.interp.heights)[i];
    }
    __syncthreads();
    const bucket_map map(x, n, p.buckets);
    find_starts(x, n, map, p.buckets, start);

    gndi_search_interp interp = p.interp;
    if (HEIGHTS) interp.heights = reinterpret_cast<const char *>(y);
    const int parts = !HEIGHTS && interp.is_complex ? 2 : 1;
    const auto line = [&](int64_t i) { return x[i]; };
    for (int64_t i = blockIdx.x * (threads * VALUES) + t; i < p.plan.points; i += all) {
        double value[VALUES];
        // How many points are known not to be above a value; and how many behind them are left to look at.
        int index[VALUES], left[VALUES];
#pragma unroll
        for (int k = 0; k < VALUES; k++) {
            const int64_t at = i + k * threads < p.plan.points ? i + k * threads : i;
            value[k] = real_number(p.plan.value + at * p.plan.value_step, p.plan.dtype);
        }
#pragma unroll
        for (int k = 0; k < VALUES; k++) {
            const int b = map(value[k]);
            index[k] = start[b], left[k] = start[b + 1] - index[k];
        }
        for (bool more = true; more;) {
            more = false;
#pragma unroll
            for (int k = 0; k < VALUES; k++) {
                if (left[k] <= 0) continue;
                const int half = left[k] / 2;
                const bool takes = x[index[k] + half] <= value[k];
                if (takes) index[k] += half + 1;
                left[k] = takes ? left[k] - half - 1 : half;
                more |= left[k] > 0;
            }
        }
#pragma unroll
        for (int k = 0; k < VALUES; k++) {
            const int64_t at = i + k * threads;
            for (int part = 0; part < parts && at < p.plan.points; part++)
                reinterpret_cast<double *>(p.plan.out)[at * parts + part] =
                    interp_part(interp, line, n, index[k], value[k], part);
        }
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_interp_buckets_kernel(bool heights) {
    return heights ? reinterpret_cast<const void *>(&gnd::interp_buckets_kernel<true>)
                   : reinterpret_cast<const void *>(&gnd::interp_buckets_kernel<false>);
}
