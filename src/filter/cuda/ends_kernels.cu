// ends_kernels.cu: the states before and behind a signal that is filtered forward and backward, from its extensions
// (gndi_filter_ends_plan). A warp for each line. Its lanes are the sections of a cascade, each a sample behind the one
// before it, or the states of b / a; so one kernel does for every number of them.
#include "filter/cuda/ends_params.h"
#include "filter/cuda/filter_step.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {
namespace ends {

enum { WARP = 32 };

// The filter, and what a lane has of its coefficients and states.
struct part {
    int lane, sections, order;
    double c[5]; // of a section: b0 b1 b2 a1 a2; of state i of b / a: b[0], b[i + 1], a[i + 1]
    double z[2];

    __device__ __forceinline__ part(const gndi_ends_params &p, int own)
        : lane(own), sections(p.sections), order(p.order), c{}, z{} {
        for (int i = 0; i < 5 && lane < sections; i++) c[i] = p.numbers[5 * lane + i];
        if (sections) return;
        c[0] = p.numbers[0];
        if (lane < order) c[1] = p.numbers[lane + 1], c[2] = p.numbers[order + 1 + lane];
    }
    // States of the lane: where they are among the line's, and how many.
    __device__ __forceinline__ int first() const { return sections ? 2 * lane : lane; }
    __device__ __forceinline__ int count() const { return sections ? (lane < sections ? 2 : 0) : lane < order; }

    __device__ __forceinline__ void begin(const gndi_ends_params &p, double sample) {
        for (int i = 0; i < count(); i++) z[i] = p.settled[first() + i] * sample;
    }
    __device__ __forceinline__ void load(const double *state, int apart) {
        for (int i = 0; i < count(); i++) z[i] = state[(first() + i) * apart];
    }
    __device__ __forceinline__ void store(double *state, int apart) const {
        for (int i = 0; i < count(); i++) state[(first() + i) * apart] = z[i];
    }

    // Filters v[from], v[from + step], ... in place, or leaves them as they are.
    template <class T> __device__ void run(T *v, int n, int from, int step, bool in_place) {
        double out = 0;
        for (int i = 0; sections && i < n + sections - 1; i++) {
            const double before = __shfl_up_sync(0xffffffffu, out, 1);
            const int k = i - lane;
            if (lane >= sections || k < 0 || k >= n) continue;
            const double in = lane == 0 ? (double)v[from + k * step] : before;
            out = fma(c[0], in, z[0]);
            z[0] = fma(-c[3], out, fma(c[1], in, z[1]));
            z[1] = fma(-c[4], out, c[2] * in);
            if (in_place && lane == sections - 1) v[from + k * step] = (T)out;
        }
        for (int k = 0; !sections && k < n; k++) {
            const double in = (double)v[from + k * step], up = __shfl_down_sync(0xffffffffu, z[0], 1);
            out = fma(c[0], in, __shfl_sync(0xffffffffu, z[0], 0));
            z[0] = fma(-c[2], out, lane == order - 1 ? c[1] * in : fma(c[1], in, up));
            __syncwarp();
            if (in_place && lane == 0) v[from + k * step] = (T)out;
        }
        __syncwarp();
    }
};

// Sample k of an extension, 1 being the signal's neighbour.
template <class T> GNDI_FN T extended(const gndi_ends_params &p, const char *x, int k) {
    const int64_t end = p.back ? p.at.length - 1 : 0, mirror = p.back ? end - k : k;
    const T edge = *reinterpret_cast<const T *>(x + end * p.at.x_step);
    if (p.is_constant) return edge;
    const T other = *reinterpret_cast<const T *>(x + mirror * p.at.x_step);
    return p.is_even ? other : (edge + edge) - other;
}

template <class T> __global__ void __launch_bounds__(GNDI_ENDS_LINES *WARP)
    ends_kernel(const __grid_constant__ gndi_ends_params p) {
    __shared__ T samples[GNDI_ENDS_LINES][GNDI_ENDS_EDGE];
    start_early();
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    const int64_t line = (int64_t)blockIdx.x * GNDI_ENDS_LINES + warp;
    if (line >= p.at.lines) return;
    const char *x;
    char *y;
    find_line<T>(p.at, line, x, y);
    T *v = samples[warp]; // from the signal outwards
    for (int k = lane; k < p.edge; k += WARP) v[k] = extended<T>(p, x, k + 1);
    __syncwarp();
    double *state = p.state + state_of(p.at, line, p.state_line);
    part f(p, lane);
    const char *outermost = p.back ? y + (p.at.length - 1) * p.at.y_step : x;
    if (p.back && p.edge) {
        f.load(state, p.at.parts);
        f.run(v, p.edge, 0, 1, true);
    }
    f.begin(p, (double)(p.edge ? v[p.edge - 1] : *reinterpret_cast<const T *>(outermost)));
    f.run(v, p.edge, p.edge - 1, -1, false);
    f.store(state, p.at.parts);
}

} // namespace ends
} // namespace gnd

extern "C" const void *gndi_cuda_ends_kernel(bool wide) {
    return wide ? reinterpret_cast<const void *>(&gnd::ends::ends_kernel<double>)
                : reinterpret_cast<const void *>(&gnd::ends::ends_kernel<float>);
}
