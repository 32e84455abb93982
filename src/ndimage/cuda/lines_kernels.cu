// lines_kernels.cu: separable filters along one or two axes.
//
// tile_kernel  A block has a tile of 64 rows in shared memory, and what the windows reach beyond it. Down the columns,
//              neighbouring threads have neighbouring columns, along the rows neighbouring rows, at odd pitches: no
//              two of a warp meet in a bank. A thread makes 8 outputs next to each other, so that of n weights it reads
//              n + 7 elements; extremes and sums share the n - 7 elements that all 8 have. A tile that lies within the
//              array, with what its windows reach, is copied without a look at the border.
// long_kernel  Windows that do not fit, along one axis: a thread makes 32 outputs, and reads through the cache.
#include "ndimage/cuda/ndimage_params.h"
#include "kernels/cuda/async_copy.cuh"
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

template <class T> struct alignas(16) pack { T v[16 / sizeof(T)]; };

// out[r] += of the RUN weights at taps, and w[r], w[r + 1], ...
template <class T> GNDI_FN void add_products(const T *taps, const T *w, T *out) {
    constexpr int V = 16 / sizeof(T);
    pack<T> weights[RUN / V];
#pragma unroll
    for (int k = 0; k < RUN / V; k++) weights[k] = reinterpret_cast<const pack<T> *>(taps)[k];
#pragma unroll
    for (int k = 0; k < RUN; k++)
#pragma unroll
        for (int r = 0; r < RUN; r++) out[r] += weights[k / V].v[k % V] * w[k + r];
}

// The last COUNT < RUN elements of windows, from number `first` on; w has the RUN elements from it on.
template <int kind, int COUNT, class T>
GNDI_FN void rest(const T *x, int step, int first, const T *taps, T *w, T *out) {
#pragma unroll
    for (int k = 0; k < COUNT - 1; k++) w[RUN + k] = x[(first + RUN + k) * step];
#pragma unroll
    for (int k = 0; k < COUNT; k++)
#pragma unroll
        for (int r = 0; r < RUN; r++) {
            if (kind == GNDI_LINES_CORRELATE)
                out[r] += taps[first + k] * w[k + r];
            else if (k > 0)
                out[r] = join<kind>(out[r], w[k + r]);
        }
}

// out[r] = of x[(r + t) * step], 0 <= t < size: an element serves all outputs that have it.
template <int kind, class T> GNDI_FN void slide(const T *x, int step, int size, const T *taps, T *out) {
    T w[2 * RUN];
#pragma unroll
    for (int k = 0; k < RUN; k++) w[k] = x[k * step];
#pragma unroll
    for (int r = 0; r < RUN; r++) out[r] = kind == GNDI_LINES_CORRELATE ? (T)0 : w[r];
    int first = 0;
    if (kind == GNDI_LINES_CORRELATE) {
#pragma unroll 2
        for (; first + RUN <= size; first += RUN) {
#pragma unroll
            for (int k = 0; k < RUN; k++) // beyond the last element that any output has nothing is read
                if (k < RUN - 1 || first + RUN < size) w[RUN + k] = x[(first + RUN + k) * step];
            add_products(taps + first, w, out);
#pragma unroll
            for (int k = 0; k < RUN; k++) w[k] = w[RUN + k];
        }
    }
    switch (size - first) { // of sizes below RUN all
    case 1: return rest<kind, 1>(x, step, first, taps, w, out);
    case 2: return rest<kind, 2>(x, step, first, taps, w, out);
    case 3: return rest<kind, 3>(x, step, first, taps, w, out);
    case 4: return rest<kind, 4>(x, step, first, taps, w, out);
    case 5: return rest<kind, 5>(x, step, first, taps, w, out);
    case 6: return rest<kind, 6>(x, step, first, taps, w, out);
    case 7: return rest<kind, 7>(x, step, first, taps, w, out);
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
    T *taps[2];
    T *read, *between; // with the window's rows; the tile's rows alone, with the window's columns
    int64_t outer, row, column;
    int down, along, wide; // sizes of the windows; columns with those of the window
    bool inside;           // all that is read is within the array
};

// What the tile gives along the rows is put where it was read, at this pitch.
template <class T> constexpr int RESULT = WIDTH<T> + 1;

template <class T> GNDI_FN tile<T> find_tile(const params_t &p, T *shared) {
    constexpr int V = 16 / sizeof(T);
    const gndi_lines_axis &down = p.plan.axis[0], &along = p.plan.axis[1];
    tile<T> t;
    const uint32_t segments = (uint32_t)p.segments, bands = (uint32_t)p.bands, line = blockIdx.x / segments;
    t.column = (int64_t)(blockIdx.x - line * segments) * WIDTH<T>;
    t.outer = line / bands;
    t.row = (int64_t)(line % bands) * ROWS;
    t.down = (int)down.size, t.along = (int)along.size;
    t.wide = WIDTH<T> + (t.along > 0 ? t.along - 1 : 0);
    t.taps[0] = shared;
    t.taps[1] = t.taps[0] + (t.down + V - 1) / V * V;
    t.read = t.taps[1] + (t.along + V - 1) / V * V;
    t.between = t.read + p.height * p.pitch_read;
    const int64_t row = t.row + (t.down > 0 ? down.first : 0), column = t.column + (t.along > 0 ? along.first : 0);
    t.inside = row >= 0 && row + p.height <= p.plan.rows && column >= 0 && column + t.wide <= p.plan.columns;
    return t;
}

// Copies of a tile that lies inside. Rows are copied 16 bytes at a time where they may be, from before their first
// element: t.read is moved to it.
template <class T> GNDI_FN void load_inside(const params_t &p, tile<T> &t) {
    constexpr int V = 16 / sizeof(T);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int64_t row = t.row + (t.down > 0 ? p.plan.axis[0].first : 0);
    const int64_t column = t.column + (t.along > 0 ? p.plan.axis[1].first : 0);
    const T *x = static_cast<const T *>(p.plan.x) + (t.outer * p.plan.rows + row + warp) * p.plan.columns + column;
    const int64_t step = THREADS / 32 * p.plan.columns;
    if (t.down > 0 && p.packs) {
        const int before = (int)(column % V), packs = (before + t.wide + V - 1) / V;
        T *to = t.read + warp * p.pitch_read + lane * V;
        x += lane * V - before;
        for (int r = warp; r < p.height; r += THREADS / 32, to += THREADS / 32 * p.pitch_read, x += step)
            for (int c = lane; c < packs; c += 32)
                copy_element(reinterpret_cast<pack<T> *>(to + (c - lane) * V), x + (c - lane) * V);
        t.read += before;
    } else {
        const int pitch = t.down > 0 ? p.pitch_read : p.pitch;
        T *to = (t.down > 0 ? t.read : t.between) + warp * pitch + lane;
        x += lane;
        for (int r = warp; r < p.height; r += THREADS / 32, to += THREADS / 32 * pitch, x += step)
            for (int c = lane; c < t.wide; c += 32) copy_element(to + (c - lane), x + (c - lane));
    }
    wait_for_copies();
}

// Elements, with what is beyond the ends of both axes. A column beyond the array has an index, or the constant.
template <class T> GNDI_FN void load_border(const params_t &p, const tile<T> &t) {
    const gndi_lines_axis &down = p.plan.axis[0], &along = p.plan.axis[1];
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int pitch = t.down > 0 ? p.pitch_read : p.pitch;
    T *to = t.down > 0 ? t.read : t.between;
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
            to[r * pitch + c] = i < 0 || j < 0 ? (T)p.plan.fill : from[j];
        }
    }
}

// Down the columns. A column beyond a constant border stays the constant: it is no part of the array.
template <int kind, class T> GNDI_FN void go_down(const params_t &p, const tile<T> &t) {
    const gndi_lines_axis &along = p.plan.axis[1];
    const bool constant = !t.inside && t.along > 0 && along.border == GNDI_BORDER_CONSTANT;
    for (int unit = (int)threadIdx.x; unit < t.wide * (ROWS / RUN); unit += THREADS) {
        const int column = unit % t.wide, first = unit / t.wide * RUN;
        T out[RUN];
        const int64_t j = t.column + column + along.first;
        if (constant && (j < 0 || j >= p.plan.columns)) {
#pragma unroll
            for (int r = 0; r < RUN; r++) out[r] = (T)p.plan.fill;
        } else {
            run<kind>(t.read + first * p.pitch_read + column, p.pitch_read, t.down, t.taps[0], out);
        }
#pragma unroll
        for (int r = 0; r < RUN; r++) t.between[(first + r) * p.pitch + column] = out[r];
    }
}

// Along the rows, from what is between the axes to `results`.
template <int kind, class T> GNDI_FN void go_along(const params_t &p, const tile<T> &t, T *results) {
    for (int unit = (int)threadIdx.x; unit < ROWS * (WIDTH<T> / RUN); unit += THREADS) {
        const int row = unit % ROWS, first = unit / ROWS * RUN;
        T out[RUN];
        run<kind>(t.between + row * p.pitch + first, 1, t.along, t.taps[1], out);
#pragma unroll
        for (int r = 0; r < RUN; r++) results[row * RESULT<T> + first + r] = out[r];
    }
}

template <class T> GNDI_FN void store(const params_t &p, const tile<T> &t, const T *from, int pitch) {
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
    const int rows = p.plan.rows - t.row < ROWS ? (int)(p.plan.rows - t.row) : ROWS;
    const int columns = p.plan.columns - t.column < WIDTH<T> ? (int)(p.plan.columns - t.column) : WIDTH<T>;
    const int64_t step = THREADS / 32 * p.plan.columns;
    T *out = static_cast<T *>(p.plan.out) + (t.outer * p.plan.rows + t.row + warp) * p.plan.columns + t.column + lane;
    from += warp * pitch + lane;
    if (rows == ROWS && columns == WIDTH<T> && !p.plan.adds) {
#pragma unroll
        for (int r = 0; r < ROWS * 32 / THREADS; r++, out += step)
#pragma unroll
            for (int c = 0; c < WIDTH<T>; c += 32) out[c] = from[r * (THREADS / 32) * pitch + c];
        return;
    }
    for (int r = warp; r < rows; r += THREADS / 32, out += step, from += THREADS / 32 * pitch)
        for (int c = 0; c < columns - lane; c += 32) out[c] = p.plan.adds ? out[c] + from[c] : from[c];
}

template <int kind, class T> __global__ void __launch_bounds__(THREADS)
    tile_kernel(const __grid_constant__ params_t p) {
    extern __shared__ __align__(16) char shared[];
    tile<T> t = find_tile(p, reinterpret_cast<T *>(shared));
    T *results = t.read;
    if (kind == GNDI_LINES_CORRELATE)
        for (int k = (int)threadIdx.x; k < t.down + t.along; k += THREADS) {
            if (k < t.down)
                t.taps[0][k] = (T)tap(p.plan.axis[0], k);
            else
                t.taps[1][k - t.down] = (T)tap(p.plan.axis[1], k - t.down);
        }
    if (t.inside)
        load_inside(p, t);
    else
        load_border(p, t);
    __syncthreads();
    if (t.down > 0) {
        go_down<kind>(p, t);
        __syncthreads();
    }
    if (t.along > 0) {
        go_along<kind>(p, t, results);
        __syncthreads();
    }
    if (t.along > 0)
        store(p, t, results, RESULT<T>);
    else
        store(p, t, t.between, p.pitch);
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
