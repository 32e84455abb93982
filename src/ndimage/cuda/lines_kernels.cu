// lines_kernels.cu: separable filters along one or two axes.
//
// tile_kernel  A block has a tile of 64 rows in shared memory, and what the windows reach beyond it. Down the columns,
//              neighbouring threads have neighbouring columns, along the rows neighbouring rows, at odd pitches: no
//              two of a warp meet in a bank. A thread makes 8 outputs next to each other, so that of n weights it reads
//              n + 7 elements; extremes and sums share the n - 7 elements that all 8 have.
// long_kernel  Windows that do not fit, along one axis: a thread makes 32 outputs, and reads through the cache.
#include "ndimage/cuda/ndimage_params.h"
#include "kernels/scalar/scalar_types.h"

namespace gnd {
namespace lines {

typedef gndi_cuda_lines_params params_t;
enum { THREADS = GNDI_CUDA_LINES_THREADS, ROWS = GNDI_LINES_ROWS, RUN = GNDI_LINES_RUN, LONG = GNDI_CUDA_LINES_LONG };
static_assert(sizeof(params_t) <= 4000, "what every GPU takes as parameters");

template <class T> constexpr int WIDTH = sizeof(T) == 4 ? 64 : 32;

template <int kind, class T> GNDI_FN T join(T a, T b) {
    if (kind == GNDI_LINES_SUM) return a + b;
    if (kind == GNDI_LINES_MAXIMUM) return b > a ? b : a;
    return b < a ? b : a;
}
GNDI_FN double tap(const gndi_lines_axis &a, int64_t t) {
    return a.taps ? a.taps[t] : a.few[t];
}

// ---- runs of outputs ----------------------------------------------------------------------------

// out[r] = of x[(r + t) * step], 0 <= t < size: an element serves all outputs that have it.
template <int kind, class T> GNDI_FN void slide(const T *x, int step, int size, const T *taps, T *out) {
    T w[2 * RUN];
#pragma unroll
    for (int k = 0; k < RUN; k++) w[k] = x[k * step];
#pragma unroll
    for (int r = 0; r < RUN; r++) out[r] = kind == GNDI_LINES_CORRELATE ? (T)0 : w[r];
    for (int first = 0; first < size; first += RUN) {
        // Beyond the last element that any output has nothing is read.
#pragma unroll
        for (int k = 0; k < RUN; k++)
            if (first + RUN + k < size + RUN - 1) w[RUN + k] = x[(first + RUN + k) * step];
#pragma unroll
        for (int k = 0; k < RUN; k++) {
            if (first + k >= size) break;
            if (kind == GNDI_LINES_CORRELATE) {
                const T weight = taps[first + k];
#pragma unroll
                for (int r = 0; r < RUN; r++) out[r] += weight * w[k + r];
            } else if (first + k > 0) {
#pragma unroll
                for (int r = 0; r < RUN; r++) out[r] = join<kind>(out[r], w[k + r]);
            }
        }
#pragma unroll
        for (int k = 0; k < RUN; k++) w[k] = w[RUN + k];
    }
}

// The same of size >= RUN for sums and extremes: what all outputs have is joined once.
template <int kind, class T> GNDI_FN void share(const T *x, int step, int size, T *out) {
    T middle = x[(RUN - 1) * step];
    for (int k = RUN; k < size; k++) middle = join<kind>(middle, x[k * step]);
    T before = x[(RUN - 2) * step], behind = x[size * step];
    out[RUN - 1] = middle;
#pragma unroll
    for (int r = RUN - 2; r >= 0; r--) {
        out[r] = join<kind>(middle, before);
        if (r > 0) before = join<kind>(before, x[(r - 1) * step]);
    }
#pragma unroll
    for (int r = 1; r < RUN; r++) {
        out[r] = join<kind>(out[r], behind);
        if (r + 1 < RUN) behind = join<kind>(behind, x[(size + r) * step]);
    }
}

template <int kind, class T> GNDI_FN void run(const T *x, int step, int size, const T *taps, T *out) {
    if (kind == GNDI_LINES_CORRELATE || size < RUN)
        slide<kind>(x, step, size, taps, out);
    else
        share<kind>(x, step, size, out);
    if (kind == GNDI_LINES_SUM) {
#pragma unroll
        for (int r = 0; r < RUN; r++) out[r] /= (T)size;
    }
}

// ---- tiles --------------------------------------------------------------------------------------

// A tile, and where it lies.
template <class T> struct tile {
    T *read, *between; // with the window's rows; the tile's rows alone, with the window's columns
    T *taps[2];
    int64_t outer, row, column;
    int down, along, wide; // sizes of the windows; columns with those of the window
};

template <class T> GNDI_FN tile<T> find_tile(const params_t &p, T *shared) {
    tile<T> t;
    int64_t block = blockIdx.x;
    t.column = block % p.segments * WIDTH<T>;
    block /= p.segments;
    t.row = block % p.bands * ROWS;
    t.outer = block / p.bands;
    t.down = (int)p.plan.axis[0].size, t.along = (int)p.plan.axis[1].size;
    t.wide = WIDTH<T> + (t.along > 0 ? t.along - 1 : 0);
    t.read = shared;
    t.between = t.read + p.height * p.pitch;
    t.taps[0] = t.between + ROWS * p.pitch;
    t.taps[1] = t.taps[0] + t.down;
    return t;
}

// Elements, with what is beyond the ends of both axes. A column beyond the array has an index, or the constant.
template <class T> GNDI_FN void load(const params_t &p, const tile<T> &t, T *to) {
    const gndi_lines_axis &down = p.plan.axis[0], &along = p.plan.axis[1];
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const T *x = static_cast<const T *>(p.plan.x) + t.outer * p.plan.rows * p.plan.columns;
    for (int r = warp; r < p.height; r += THREADS / 32) {
        int64_t i = t.row + r;
        if (t.down > 0)
            i = gndi_border_index(i + down.first, p.plan.rows, (gndi_border)down.border);
        else if (i >= p.plan.rows)
            break; // there are no more rows
        const T *from = x + i * p.plan.columns;
        for (int c = lane; c < t.wide; c += 32) {
            int64_t j = t.column + c;
            if (t.along > 0)
                j = gndi_border_index(j + along.first, p.plan.columns, (gndi_border)along.border);
            else if (j >= p.plan.columns)
                break;
            to[r * p.pitch + c] = i < 0 || j < 0 ? (T)p.plan.fill : from[j];
        }
    }
}

// Down the columns. A column beyond a constant border stays the constant: it is no part of the array.
template <int kind, class T> GNDI_FN void go_down(const params_t &p, const tile<T> &t) {
    const gndi_lines_axis &along = p.plan.axis[1];
    for (int unit = (int)threadIdx.x; unit < t.wide * (ROWS / RUN); unit += THREADS) {
        const int column = unit % t.wide, first = unit / t.wide * RUN;
        const int64_t j = t.column + column + (t.along > 0 ? along.first : 0);
        T out[RUN];
        if (t.along > 0 && along.border == GNDI_BORDER_CONSTANT && (j < 0 || j >= p.plan.columns)) {
#pragma unroll
            for (int r = 0; r < RUN; r++) out[r] = (T)p.plan.fill;
        } else {
            run<kind>(t.read + first * p.pitch + column, p.pitch, t.down, t.taps[0], out);
        }
#pragma unroll
        for (int r = 0; r < RUN; r++) t.between[(first + r) * p.pitch + column] = out[r];
    }
}

// Along the rows, from what is between the axes to where the elements were read.
template <int kind, class T> GNDI_FN void go_along(const params_t &p, const tile<T> &t) {
    for (int unit = (int)threadIdx.x; unit < ROWS * (WIDTH<T> / RUN); unit += THREADS) {
        const int row = unit % ROWS, first = unit / ROWS * RUN;
        T out[RUN];
        run<kind>(t.between + row * p.pitch + first, 1, t.along, t.taps[1], out);
#pragma unroll
        for (int r = 0; r < RUN; r++) t.read[row * p.pitch + first + r] = out[r];
    }
}

template <class T> GNDI_FN void store(const params_t &p, const tile<T> &t, const T *from) {
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    T *out = static_cast<T *>(p.plan.out) + t.outer * p.plan.rows * p.plan.columns;
    for (int r = warp; r < ROWS && t.row + r < p.plan.rows; r += THREADS / 32) {
        T *to = out + (t.row + r) * p.plan.columns + t.column;
        for (int c = lane; c < WIDTH<T> && t.column + c < p.plan.columns; c += 32) {
            const T v = from[r * p.pitch + c];
            to[c] = p.plan.adds ? to[c] + v : v;
        }
    }
}

template <int kind, class T> __global__ void __launch_bounds__(THREADS)
    tile_kernel(const __grid_constant__ params_t p) {
    extern __shared__ __align__(16) char shared[];
    const tile<T> t = find_tile(p, reinterpret_cast<T *>(shared));
    if (kind == GNDI_LINES_CORRELATE)
        for (int k = (int)threadIdx.x; k < t.down + t.along; k += THREADS)
            t.taps[0][k] = (T)(k < t.down ? tap(p.plan.axis[0], k) : tap(p.plan.axis[1], k - t.down));
    load(p, t, t.down > 0 ? t.read : t.between);
    __syncthreads();
    if (t.down > 0) {
        go_down<kind>(p, t);
        __syncthreads();
    }
    if (t.along > 0) {
        go_along<kind>(p, t);
        __syncthreads();
    }
    store(p, t, t.along > 0 ? t.read : t.between);
}

// ---- long windows -------------------------------------------------------------------------------

template <class T> struct line {
    const T *x;
    int64_t n, step;
    const gndi_lines_axis &axis;
    T fill;

    __device__ __forceinline__ T operator()(int64_t i) const {
        const int64_t j = gndi_border_index(i + axis.first, n, (gndi_border)axis.border);
        return j < 0 ? fill : x[j * step];
    }
};

template <class T> GNDI_FN void put(const params_t &p, T *out, T v) {
    *out = p.plan.adds ? *out + v : v;
}

template <int kind, class T> __global__ void __launch_bounds__(THREADS)
    long_kernel(const __grid_constant__ params_t p) {
    const gndi_lines_axis &axis = p.plan.axis[p.plan.axis[0].size > 0 ? 0 : 1];
    const int64_t unit = (int64_t)blockIdx.x * THREADS + threadIdx.x, inner = p.segments;
    const int64_t column = unit % inner, first = unit / inner % p.bands * LONG, outer = unit / inner / p.bands;
    const int64_t n = p.plan.axis[0].size > 0 ? p.plan.rows : p.plan.columns;
    if (outer * n * inner >= p.plan.outer * p.plan.rows * p.plan.columns) return;
    const int64_t at = outer * n * inner + column, size = axis.size;
    const line<T> x = {static_cast<const T *>(p.plan.x) + at, n, inner, axis, (T)p.plan.fill};
    T *out = static_cast<T *>(p.plan.out) + at;
    const int count = n - first < LONG ? (int)(n - first) : LONG;
    if (kind == GNDI_LINES_CORRELATE) {
        for (int r = 0; r < count; r++) {
            T sum = 0;
            for (int64_t k = 0; k < size; k++) sum += (T)tap(axis, k) * x(first + r + k);
            put(p, out + (first + r) * inner, sum);
        }
    } else if (kind == GNDI_LINES_SUM) {
        double sum = 0;
        for (int64_t k = 0; k < size; k++) sum += (double)x(first + k);
        for (int r = 0; r < count; r++) {
            put(p, out + (first + r) * inner, (T)(sum / (double)size));
            if (r + 1 < count) sum += (double)x(first + r + size) - (double)x(first + r);
        }
    } else { // the outputs' common part, and what is before and behind it
        T before[LONG];
        T best = x(first + LONG - 1);
        for (int64_t k = LONG; k < size; k++) best = join<kind>(best, x(first + k));
        before[LONG - 1] = best;
        for (int r = LONG - 2; r >= 0; r--) before[r] = join<kind>(before[r + 1], x(first + r));
        for (int r = 0; r < count; r++) {
            if (r > 0) best = r == 1 ? x(first + size) : join<kind>(best, x(first + size + r - 1));
            put(p, out + (first + r) * inner, r == 0 ? before[0] : join<kind>(before[r], best));
        }
    }
}

template <int kind> static const void *kernel_of(int dtype, bool tiles) {
    if (dtype == GND_FLOAT32)
        return tiles ? (const void *)tile_kernel<kind, float> : (const void *)long_kernel<kind, float>;
    return tiles ? (const void *)tile_kernel<kind, double> : (const void *)long_kernel<kind, double>;
}

} // namespace lines
} // namespace gnd

extern "C" const void *gndi_cuda_lines_kernel(int kind, int dtype, bool tiles) {
    using namespace gnd::lines;
    switch (kind) {
    case GNDI_LINES_CORRELATE: return kernel_of<GNDI_LINES_CORRELATE>(dtype, tiles);
    case GNDI_LINES_SUM: return kernel_of<GNDI_LINES_SUM>(dtype, tiles);
    case GNDI_LINES_MAXIMUM: return kernel_of<GNDI_LINES_MAXIMUM>(dtype, tiles);
    default: return kernel_of<GNDI_LINES_MINIMUM>(dtype, tiles);
    }
}
