// derived_kernels.cu: the Kaiser-Bessel-derived window in one launch: roots of running sums of the n + 1 values of a
// Kaiser window, where no block waits for another. What comes before a warp's points is not added up: an integral by
// C. F. Gauss's rule, and at both ends J. Gregory's corrections by differences, make it of one value a lane: for
// n > 4096 and a series that a plan holds to 2^-60 of the sum of all, and 2^-40 of itself. As Kaiser's window is
// symmetric, so are the sums: that of the first i + 1 values is the whole less that of the first n - 1 - i. So a
// quarter of the points are computed, each of which is stored in four places.
#include "kernels/cuda/early_start.cuh"
#include "windows/window_formulas.h"

namespace gnd {
namespace windows {

enum { RUN = GNDI_WINDOW_MORE, POINTS = 32 * RUN }; // of a lane, of a warp

// The lanes' part in a sum of values 0 to i - 1: the value at (share * i + from), times weight, times i if there is a
// share below 1. 20 of Gauss, 6 at the beginning and 6 at the end, where value i is not part of the sum.
struct rule_lane {
    double share, from, weight;
};
static __device__ const rule_lane rule[32] = {
    {0.0034357004074525377, 0, 0.008807003569576059},
    {0.018014036361043106, 0, 0.02030071490019347},
    {0.04388278587433705, 0, 0.031336024167054534},
    {0.0804415140888906, 0, 0.04163837078835238},
    {0.1268340467699246, 0, 0.05096505990862022},
    {0.1819731596367425, 0, 0.059097265980759206},
    {0.24456649902458646, 0, 0.06584431922458832},
    {0.3131469556422902, 0, 0.07104805465919102},
    {0.38610707442917747, 0, 0.07458649323630187},
    {0.46173673943325133, 0, 0.07637669356536292},
    {0.5382632605667487, 0, 0.07637669356536292},
    {0.6138929255708225, 0, 0.07458649323630187},
    {0.6868530443577098, 0, 0.07104805465919102},
    {0.7554335009754135, 0, 0.06584431922458832},
    {0.8180268403632576, 0, 0.059097265980759206},
    {0.8731659532300754, 0, 0.05096505990862022},
    {0.9195584859111094, 0, 0.04163837078835238},
    {0.956117214125663, 0, 0.031336024167054534},
    {0.9819859636389568, 0, 0.02030071490019347},
    {0.9965642995925474, 0, 0.008807003569576059},
    {0, 0, 41393. / 60480},
    {0, 1, -23719. / 60480},
    {0, 2, 11371. / 30240},
    {0, 3, -7381. / 30240},
    {0, 4, 5449. / 60480},
    {0, 5, -863. / 60480},
    {1, 0, 41393. / 60480 - 1},
    {1, -1, -23719. / 60480},
    {1, -2, 11371. / 30240},
    {1, -3, -7381. / 30240},
    {1, -4, 5449. / 60480},
    {1, -5, -863. / 60480},
};
enum { GAUSS = 20 };

// Puts a warp's points, which are neighbours in a lane, in order, and stores them on both sides: from `left` upwards
// and from `right` downwards. `turned`: room for them.
template <class T>
__device__ __forceinline__ void store_turned(const double (&w)[RUN], double *turned, T *left, T *right, int64_t count) {
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int k = 0; k < RUN; k++) turned[lane * (RUN + 1) + k] = w[k];
    __syncwarp();
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        const int i = k * 32 + lane;
        const T x = (T)turned[i + i / RUN];
        if (i < count) left[i] = x, right[-i] = x;
    }
    __syncwarp();
}

template <class T> __global__ void __launch_bounds__(GNDI_WINDOW_FEWER)
    derived_kernel(const __grid_constant__ gndi_window_plan p) {
    __shared__ double room[GNDI_WINDOW_FEWER * (RUN + 1)];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const int64_t first = ((int64_t)blockIdx.x * (GNDI_WINDOW_FEWER / 32) + warp) * POINTS, n = p.m / 2;
    const double begin = (double)first;
    const rule_lane mine = rule[lane];
    double at[RUN + 1], w[RUN + 1], x[RUN], y[RUN];
    let_next_start();
#pragma unroll
    for (int k = 0; k < RUN; k++) at[k] = begin + (lane * RUN + k);
    at[RUN] = mine.share * begin + mine.from;
    kaiser_series(p, at, w);

    double before = w[RUN] * (mine.weight * (lane < GAUSS ? begin : 1));
    if (first == 0) before = 0;
#pragma unroll
    for (int k = 1; k < RUN; k++) w[k] += w[k - 1];
    double run = w[RUN - 1];
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        before += __shfl_xor_sync(0xffffffffu, before, d);
        const double other = __shfl_up_sync(0xffffffffu, run, d);
        if (lane >= d) run += other;
    }
    run = __shfl_up_sync(0xffffffffu, run, 1);
    if (lane > 0) before += run;
#pragma unroll
    for (int k = 0; k < RUN; k++) {
        const double share = (before + w[k]) * p.over_sum;
        x[k] = m::sqrt(share), y[k] = m::sqrt(1 - share);
    }
    wait_with((uint64_t)p.out);
    double *turned = room + warp * 32 * (RUN + 1);
    T *out = static_cast<T *>(p.out);
    store_turned(x, turned, out + first, out + p.m - 1 - first, p.points - first);
    store_turned(y, turned, out + n + first, out + n - 1 - first, p.points - first);
}

} // namespace windows
} // namespace gnd

extern "C" const void *gndi_cuda_derived_window_kernel(int dtype) {
    return dtype == GND_FLOAT32 ? (const void *)gnd::windows::derived_kernel<float>
                                : (const void *)gnd::windows::derived_kernel<double>;
}
