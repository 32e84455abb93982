// filtfilt_kernels.cu: every few results of filtering forward and backward, from one reading of the signal: the
// response is a sum over pairs of poles (gndi_filter_pairs), which run both ways at the same time.
//
// Each thread sums up its run of samples in both directions, from zeros, and its results with that. Scans over the
// warps give the state at both of its ends, which it adds to the results. No tile waits for another: its first and its
// last warp have samples of its neighbours, so many that what comes before them is not noticed.
#include "filter/cuda/filtfilt_params.h"
#include "filter/cuda/filter_step.cuh"
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {
namespace filtfilt {

enum { MOST_WARPS = GNDI_FILTFILT_THREADS / 32, RESULTS = GNDI_FILTFILT_RESULTS, PAIRS = GNDI_FILTFILT_PAIRS };
enum { N = GNDI_FILTFILT_STATES };

// Sample i of the signal, which is extended oddly; before that by a constant, behind it by zeros.
template <class T> GNDI_FN T sample(const gndi_filtfilt_params &p, const char *x, int64_t i) {
    const auto at = [&](int64_t k) { return *reinterpret_cast<const T *>(x + k * p.at.x_step); };
    const int64_t last = p.at.length - 1;
    if (i >= 0 && i <= last) return at(i);
    if (i > last + p.edge) return 0;
    const int64_t end = i < 0 ? 0 : last, k = i < -(int64_t)p.edge ? -(int64_t)p.edge : i;
    const T edge = at(end);
    return k == end ? edge : (edge + edge) - at(2 * end - k);
}

// One sample through all pairs.
GNDI_FN void step(const gndi_filtfilt_params &p, double (&s)[N], double v) {
#pragma unroll
    for (int i = 0; i < PAIRS; i++) {
        const double w = fma(-p.a1[i], s[2 * i], fma(-p.a2[i], s[2 * i + 1], v));
        s[2 * i + 1] = s[2 * i], s[2 * i] = w;
    }
}

// sum += what rows of pairs make of a state.
GNDI_FN void add_product(double &sum, const double (&rows)[PAIRS][2], const double (&s)[N]) {
#pragma unroll
    for (int i = 0; i < PAIRS; i++) sum = fma(rows[i][0], s[2 * i], fma(rows[i][1], s[2 * i + 1], sum));
}
GNDI_FN void add_result(const gndi_filtfilt_params &p, double &sum, const double (&s)[N]) {
#pragma unroll
    for (int i = 0; i < PAIRS; i++) sum = fma(p.c0[i], s[2 * i], fma(p.c1[i], s[2 * i + 1], sum));
}

// What runs of the warp add up to, up to each lane's; backward: from the last lane on.
template <bool back> GNDI_FN void scan(const gndi_filtfilt_params &p, int lane, double (&s)[N]) {
#pragma unroll 1
    for (int l = 0; l < 5; l++) {
        double other[N];
#pragma unroll
        for (int r = 0; r < N; r++)
            other[r] = back ? __shfl_down_sync(~0u, s[r], 1 << l) : __shfl_up_sync(~0u, s[r], 1 << l);
        if ((back ? 31 - lane : lane) < 1 << l) continue;
#pragma unroll
        for (int i = 0; i < PAIRS; i++) {
            const double *m = p.steps[l][i];
            s[2 * i] = fma(m[0], other[2 * i], fma(m[1], other[2 * i + 1], s[2 * i]));
            s[2 * i + 1] = fma(m[2], other[2 * i], fma(m[3], other[2 * i + 1], s[2 * i + 1]));
        }
    }
}

// Samples are moved and read PACK at a time: one, or 16 bytes of them.
template <class T, int PACK> struct tile {
    struct alignas(PACK * sizeof(T)) pack {
        T v[PACK];
    };
    struct memory {
        double powers[PAIRS][4][32];   // what so many runs make of a state
        double ends[2][MOST_WARPS][N]; // what each warp adds, both ways
    };

    const gndi_filtfilt_params &p;
    memory &m;
    T *samples;
    int thread, lane, warp, threads, every, run, pitch; // pitch: of runs in shared memory, an odd number of packs
    const char *x;
    char *y;
    int64_t first; // sample of the tile

    // Thread's part of the powers: they are made while samples are on their way.
    __device__ __forceinline__ void write_powers(int i) const {
        double a[4] = {1, 0, 0, 1};
#pragma unroll 1
        for (int l = 0; l < 5; l++) {
            const double *b = p.steps[l][i];
            if (!(lane >> l & 1)) continue;
            const double c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
                                 a[2] * b[1] + a[3] * b[3]};
#pragma unroll
            for (int k = 0; k < 4; k++) a[k] = c[k];
        }
#pragma unroll
        for (int k = 0; k < 4; k++) m.powers[i][k][lane] = a[k];
    }

    __device__ __forceinline__ void load() {
        const int packs = run / PACK, rows_on = threads / packs, packs_on = threads % packs;
        int row = thread / packs, column = thread % packs;
        int64_t i = first + thread * PACK;
#pragma unroll 4
        for (int k = 0; k < packs; k++, i += threads * PACK) {
            T *to = samples + row * pitch + column * PACK;
            if (i >= 0 && i + PACK <= p.at.length) {
                copy_element(reinterpret_cast<pack *>(to), x + i * p.at.x_step);
            } else {
#pragma unroll 1
                for (int j = 0; j < PACK; j++) to[j] = sample<T>(p, x, i + j);
            }
            row += rows_on, column += packs_on;
            if (column >= packs) column -= packs, row++;
        }
        if (warp < PAIRS) write_powers(warp);
        wait_for_copies();
        __syncthreads();
    }

    // The run both ways, from zeros, and its results with that.
    __device__ __forceinline__ void sum_up(double (&out)[RESULTS], double (&f)[N], double (&g)[N]) const {
        const pack *own = reinterpret_cast<const pack *>(samples + thread * pitch);
        const int packs = every / PACK; // of a result, whose sample is the first of them
#pragma unroll
        for (int r = 0; r < N; r++) f[r] = g[r] = 0;
#pragma unroll
        for (int k = 0; k < RESULTS; k++) {
#pragma unroll(PACK == 1 ? 8 : 2)
            for (int c = 0; c < packs; c++) {
                const pack vs = *own++;
#pragma unroll
                for (int j = 0; j < PACK; j++) {
                    const double v = (double)vs.v[j];
                    step(p, f, v);
                    if (j > 0 || c > 0) continue;
                    out[k] = p.direct * v;
                    add_result(p, out[k], f);
                }
            }
        }
#pragma unroll
        for (int k = RESULTS - 1; k >= 0; k--) {
#pragma unroll(PACK == 1 ? 8 : 2)
            for (int c = packs - 1; c >= 0; c--) {
                const pack vs = *--own;
#pragma unroll
                for (int j = PACK - 1; j >= 0; j--) {
                    step(p, g, (double)vs.v[j]);
                    if (j == 0 && c == 0) add_result(p, out[k], g);
                }
            }
        }
    }

    // The sums of the runs before (behind) this one; s: of this one alone. All threads.
    template <bool back> __device__ __forceinline__ void find_start(double (&s)[N]) const {
        scan<back>(p, lane, s);
        const int outermost = back ? 0 : 31, from = warp + (back ? 1 : -1);
#pragma unroll
        for (int r = 0; r < N; r++) {
            if (lane == outermost) m.ends[back][warp][r] = s[r];
            s[r] = back ? __shfl_down_sync(~0u, s[r], 1) : __shfl_up_sync(~0u, s[r], 1);
            if (lane == 31 - outermost) s[r] = 0;
        }
        __syncthreads();
        if (from < 0 || from >= threads / 32) return;
        const double *end = m.ends[back][from];
        const int distance = back ? 31 - lane : lane;
#pragma unroll
        for (int r = 0; r < N; r++) {
            const double(*rows)[32] = &m.powers[r / 2][r % 2 * 2];
            s[r] = fma(rows[0][distance], end[r & ~1], fma(rows[1][distance], end[r | 1], s[r]));
        }
    }

    // The run with the last sample of the extension: what comes back from there. f: the state before the run.
    __device__ __forceinline__ void turn(int count, const double (&f)[N], double (&out)[RESULTS],
                                         double (&g)[N]) const {
        const T *own = samples + thread * pitch;
        double s[N], b[N];
#pragma unroll
        for (int r = 0; r < N; r++) s[r] = f[r];
#pragma unroll 1
        for (int j = 0; j < count; j++) step(p, s, (double)own[j]);
#pragma unroll
        for (int r = 0; r < N; r++) {
            b[r] = p.back[r][N] * (double)own[count - 1];
#pragma unroll
            for (int c = 0; c < N; c++) b[r] = fma(p.back[r][c], s[c], b[r]);
        }
#pragma unroll 1
        for (int j = count - 1; j >= 0; j--) {
            step(p, b, 0);
            double add = 0;
            if (j % every == 0) add_result(p, add, b);
#pragma unroll
            for (int k = 0; k < RESULTS; k++)
                if (k * every == j) out[k] += add;
        }
#pragma unroll
        for (int r = 0; r < N; r++) g[r] += b[r];
    }

    // Results are stored by neighbouring threads side by side.
    __device__ __forceinline__ void store(int64_t number, const double (&out)[RESULTS]) const {
#pragma unroll
        for (int k = 0; k < RESULTS; k++) samples[thread * (RESULTS + 1) + k] = (T)out[k];
        __syncthreads();
        const int results = (threads - 64) * RESULTS;
        const int64_t from = number * results;
        for (int e = thread; e < results && from + e < p.results; e += threads)
            *reinterpret_cast<T *>(y + (from + e) * p.at.y_step) =
                samples[(32 + e / RESULTS) * (RESULTS + 1) + e % RESULTS];
    }
};

template <class T, int PACK> __global__ void __launch_bounds__(GNDI_FILTFILT_THREADS, 2)
    filtfilt_kernel(const __grid_constant__ gndi_filtfilt_params p) {
    extern __shared__ __align__(16) char dynamic[];
    __shared__ typename tile<T, PACK>::memory m;
    const int thread = (int)threadIdx.x, threads = (int)blockDim.x, every = (int)p.at.y_every, run = RESULTS * every;
    // The last tile of a line takes longest, and begins first.
    const uint32_t line = blockIdx.x / p.tiles, number = p.tiles - 1 - (blockIdx.x - line * p.tiles);
    tile<T, PACK> t = {p, m, reinterpret_cast<T *>(dynamic), thread, thread & 31, thread >> 5, threads, every, run};
    t.pitch = (run / PACK | 1) * PACK;
    find_line<T>(p.at, line, t.x, t.y);
    start_early();
    t.first = ((int64_t)number * (threads - 64) - 32) * run;
    t.load();
    double out[RESULTS], f[N], g[N];
    t.sum_up(out, f, g);
    t.template find_start<false>(f);
    const int64_t count = p.at.length + p.edge - (t.first + (int64_t)thread * run); // samples up to the last one
    if (count > 0 && count <= run) t.turn((int)count, f, out, g);
    __syncwarp();
    t.template find_start<true>(g);
    double zeros = 0;
#pragma unroll
    for (int r = 0; r < N; r++) zeros += 0 * f[r] + 0 * g[r];
#pragma unroll
    for (int k = 0; k < RESULTS; k++) {
        add_product(out[k], p.before[k], f);
        add_product(out[k], p.behind[k], g);
    }
    const bool spoilt = __syncthreads_or(!(zeros == 0)); // all have read their samples
    if (thread == 0) p.spoilt[blockIdx.x] = spoilt;
    t.store(number, out);
}

// A block for each line.
template <class T> __global__ void __launch_bounds__(GNDI_FILTFILT_THREADS)
    spoil_kernel(const __grid_constant__ gndi_filtfilt_params p) {
    start_early();
    const uint8_t *spoilt = p.spoilt + (int64_t)blockIdx.x * p.tiles;
    bool any = false;
    for (uint32_t i = threadIdx.x; i < p.tiles; i += blockDim.x) any = any || spoilt[i];
    if (!__syncthreads_or(any)) return;
    const char *x;
    char *y;
    find_line<T>(p.at, blockIdx.x, x, y);
    for (int64_t i = threadIdx.x; i < p.results; i += blockDim.x)
        *reinterpret_cast<T *>(y + i * p.at.y_step) = (T)__longlong_as_double(0x7ff8000000000000);
}

} // namespace filtfilt
} // namespace gnd

template <class T> static const void *filtfilt_kernel_of(bool packs) {
    return packs ? reinterpret_cast<const void *>(&gnd::filtfilt::filtfilt_kernel<T, 16 / (int)sizeof(T)>)
                 : reinterpret_cast<const void *>(&gnd::filtfilt::filtfilt_kernel<T, 1>);
}
// `packs`: of 16 bytes.
extern "C" const void *gndi_cuda_filtfilt_kernel(bool wide, bool packs) {
    return wide ? filtfilt_kernel_of<double>(packs) : filtfilt_kernel_of<float>(packs);
}
extern "C" const void *gndi_cuda_spoil_kernel(bool wide) {
    return wide ? reinterpret_cast<const void *>(&gnd::filtfilt::spoil_kernel<double>)
                : reinterpret_cast<const void *>(&gnd::filtfilt::spoil_kernel<float>);
}
