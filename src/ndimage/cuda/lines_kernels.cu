// lines_kernels.cu: separable filters along one or two axes.
//
// tile_kernel  A block has a tile of 64 rows in shared memory, with what the windows reach beyond it, and goes down the
//              columns, then along the rows; what is between takes the place of what was read. A thread has packs of
//              16 bytes. Down the columns it makes 8 outputs below each other of each of a pack's columns, along the
//              rows a pack of outputs of two rows, so that neighbouring threads meet neither in a bank nor in memory.
//              Extremes and sums of windows share the elements that all of a thread's outputs have.
// long_kernel  Windows that do not fit, along one axis: a thread makes 32 outputs, and reads through the cache.
#include "ndimage/cuda/lines.cuh"

namespace gnd {
namespace lines {

typedef gndi_cuda_lines_params params_t;
enum { THREADS = GNDI_CUDA_LINES_THREADS, ROWS = GNDI_LINES_ROWS, RUN = GNDI_LINES_RUN, LONG = GNDI_CUDA_LINES_LONG };
static_assert(sizeof(params_t) <= 4000, "what every GPU takes as parameters");

GNDI_FN double tap(const gndi_lines_axis &a, int64_t t) {
    return a.taps ? a.taps[t] : a.few[t];
}

// ---- down the columns ---------------------------------------------------------------------------

// The next COUNT elements of the windows of RUN outputs below each other, which begin at x.
template <int kind, int COUNT, class T> GNDI_FN void add_down(const T *x, int pitch, const T *taps, pack<T> *out) {
    T weight[COUNT];
    if (kind == GNDI_LINES_CORRELATE) {
#pragma unroll
        for (int k = 0; k < COUNT; k++) weight[k] = taps[k];
    }
#pragma unroll
    for (int row = 0; row < COUNT + RUN - 1; row++, x += pitch) {
        const pack<T> element = get(x);
#pragma unroll
        for (int r = 0; r < RUN; r++) {
            const int k = row - r;
            if (k < 0 || k >= COUNT) continue;
            if (kind == GNDI_LINES_CORRELATE) {
#pragma unroll
                for (int c = 0; c < PACK<T>; c++) out[r].v[c] += weight[k] * element.v[c];
            } else if (k == 0) {
                out[r] = element;
            } else {
                join_to<kind>(out[r], element);
            }
        }
    }
}

// The last elements, fewer than RUN.
template <int kind, class T> GNDI_FN void add_rest_down(int count, const T *x, int pitch, const T *taps, pack<T> *out) {
    switch (count) {
    case 1: return add_down<kind, 1>(x, pitch, taps, out);
    case 2: return add_down<kind, 2>(x, pitch, taps, out);
    case 3: return add_down<kind, 3>(x, pitch, taps, out);
    case 4: return add_down<kind, 4>(x, pitch, taps, out);
    case 5: return add_down<kind, 5>(x, pitch, taps, out);
    case 6: return add_down<kind, 6>(x, pitch, taps, out);
    case 7: return add_down<kind, 7>(x, pitch, taps, out);
    }
}

// Sums and extremes of size >= RUN: what all outputs have is joined once.
template <int kind, class T> GNDI_FN void share_down(const T *x, int pitch, int size, pack<T> *out) {
#pragma unroll
    for (int r = 0; r < RUN; r++) out[r] = get(x + r * pitch);
    pack<T> middle = out[RUN - 1], behind;
#pragma unroll
    for (int r = RUN - 3; r >= 0; r--) join_to<kind>(out[r], out[r + 1]);
    x += RUN * pitch;
#pragma unroll 4
    for (int k = RUN; k < size; k++, x += pitch) join_to<kind>(middle, get(x));
    out[RUN - 1] = middle;
#pragma unroll
    for (int r = 0; r < RUN - 1; r++) join_to<kind>(out[r], middle);
#pragma unroll
    for (int r = 1; r < RUN; r++, x += pitch) {
        if (r == 1)
            behind = get(x);
        else
            join_to<kind>(behind, get(x));
        join_to<kind>(out[r], behind);
    }
}

template <int kind, class T> GNDI_FN void go_down(const T *x, int pitch, int size, const T *taps, pack<T> *out) {
    if (kind != GNDI_LINES_CORRELATE && size >= RUN) return share_down<kind>(x, pitch, size, out);
    if (kind == GNDI_LINES_CORRELATE) {
#pragma unroll
        for (int r = 0; r < RUN; r++) out[r] = pack<T>{};
#pragma unroll 1
        for (; size >= RUN; size -= RUN, taps += RUN, x += RUN * pitch) add_down<kind, RUN>(x, pitch, taps, out);
    }
    add_rest_down<kind>(size, x, pitch, taps, out);
}

// ---- tiles --------------------------------------------------------------------------------------

// A tile, and where it lies.
template <class T> struct tile {
    const T *taps[2];
    T *x;                // what is read, then what is between the axes, from the first window's column on
    T *out;              // the first output in memory
    int64_t outer, i, j; // the matrix; row and column of the first element that is read
    int down, along;     // sizes of the windows
    int rows, columns;   // outputs that there are
    bool inside;         // all that is read is within the array
};

template <class T> GNDI_FN tile<T> find_tile(const params_t &p, T *shared) {
    constexpr int V = PACK<T>;
    const gndi_lines_axis &down = p.plan.axis[0], &along = p.plan.axis[1];
    tile<T> t;
    const uint32_t segments = (uint32_t)p.segments, bands = (uint32_t)p.bands, line = blockIdx.x / segments;
    const int64_t column = (int64_t)(blockIdx.x - line * segments) * p.tile.width;
    t.outer = line / bands;
    const int64_t row = (int64_t)(line - (uint32_t)t.outer * bands) * ROWS;
    t.down = (int)down.size, t.along = (int)along.size;
    t.taps[0] = shared;
    t.taps[1] = t.taps[0] + (t.down + V - 1) / V * V;
    t.x = shared + p.tile.weights;
    t.i = row + (t.down > 0 ? down.first : 0), t.j = column + (t.along > 0 ? along.first : 0) - p.tile.before;
    t.inside = t.i >= 0 && t.i + p.tile.height <= p.plan.rows && t.j >= 0 && t.j + p.tile.wide <= p.plan.columns;
    t.out = static_cast<T *>(p.plan.out) + (t.outer * p.plan.rows + row) * p.plan.columns + column;
    t.rows = p.plan.rows - row < ROWS ? (int)(p.plan.rows - row) : (int)ROWS;
    t.columns = p.plan.columns - column < p.tile.width ? (int)(p.plan.columns - column) : p.tile.width;
    return t;
}

// Copies a tile that lies inside, in packs.
template <class T> GNDI_FN void load_packs(const params_t &p, const tile<T> &t) {
    constexpr int V = PACK<T>;
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    const T *x = static_cast<const T *>(p.plan.x) + (t.outer * p.plan.rows + t.i + warp) * p.plan.columns + t.j;
    const int64_t step = warps * p.plan.columns;
    T *to = t.x + warp * p.tile.pitch;
#pragma unroll 2
    for (int r = warp; r < p.tile.height; r += warps, x += step, to += warps * p.tile.pitch)
        for (int c = lane * V; c < p.tile.wide; c += 32 * V) copy_element(reinterpret_cast<pack<T> *>(to + c), x + c);
}

// The same one by one, with what is beyond the ends of both axes. A column beyond the array has an index, or the
// constant. skipped: columns ahead of the first window, which are left out.
template <class T> GNDI_FN void load_elements(const params_t &p, const tile<T> &t, int skipped) {
    const gndi_lines_axis &down = p.plan.axis[0], &along = p.plan.axis[1];
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, warps = (int)blockDim.x / 32;
    const T *x = static_cast<const T *>(p.plan.x) + t.outer * p.plan.rows * p.plan.columns;
    for (int r = warp; r < p.tile.height; r += warps) {
        int64_t i = t.i + r;
        if (t.down > 0)
            i = gndi_border_index(i, p.plan.rows, (gndi_border)down.border);
        else if (i >= p.plan.rows)
            break; // there are no more rows
        const T *from = x + i * p.plan.columns;
        T *to = t.x + r * p.tile.pitch - skipped;
        for (int c = skipped + lane; c < p.tile.wide; c += 32) {
            int64_t j = t.j + c;
            if (t.along > 0)
                j = gndi_border_index(j, p.plan.columns, (gndi_border)along.border);
            else if (j >= p.plan.columns)
                break;
            if (i < 0 || j < 0)
                to[c] = (T)p.plan.fill;
            else
                copy_element(to + c, from + j);
        }
    }
}

template <class T> GNDI_FN void begin_tile(const params_t &p, const tile<T> &t) {
    const int skipped = t.down > 0 ? 0 : p.tile.before;
    if (t.inside && p.packs && skipped == 0)
        load_packs(p, t);
    else
        load_elements(p, t, skipped);
}

// Stores, or adds to, a pack of outputs from column c of a row.
template <class T> GNDI_FN void store(const params_t &p, const tile<T> &t, int row, int c, pack<T> &v) {
    T *out = t.out + (int64_t)row * p.plan.columns + c;
    if (p.packs && c + PACK<T> <= t.columns) {
        if (p.plan.adds) join_to<GNDI_LINES_SUM>(v, get(out));
        put_pack(out, v);
        return;
    }
#pragma unroll
    for (int k = 0; k < PACK<T>; k++)
        if (c + k < t.columns) out[k] = p.plan.adds ? out[k] + v.v[k] : v.v[k];
}

// Down the columns: a thread's part of the tile, to where it was, moved by `before` columns, or to memory. A column
// beyond a constant border stays the constant: it is no part of the array.
template <int kind, class T> GNDI_FN void filter_down(const params_t &p, const tile<T> &t) {
    constexpr int V = PACK<T>;
    const int packs = p.tile.wide / V, run = (int)threadIdx.x / packs, c = ((int)threadIdx.x - run * packs) * V;
    const int row = run * RUN, before = p.tile.before;
    const bool works = row<ROWS, constant = t.along> 0 && p.plan.axis[1].border == GNDI_BORDER_CONSTANT;
    pack<T> out[RUN];
    if (works) go_down<kind>(t.x + row * p.tile.pitch + c, p.tile.pitch, t.down, t.taps[0], out);
    __syncthreads();
    if (!works) return;
    if (t.along == 0) {
        const T size = (T)t.down, part = 1 / size;
#pragma unroll
        for (int r = 0; r < RUN; r++) {
            finish<kind>(out[r], size, part);
            if (row + r < t.rows) store(p, t, row + r, c, out[r]);
        }
        return;
    }
    if (constant && !t.inside) {
        const T fill = kind == GNDI_LINES_SUM ? (T)p.plan.fill * (T)t.down : (T)p.plan.fill; // sums are divided later
#pragma unroll
        for (int k = 0; k < V; k++)
            if (t.j + c + k < 0 || t.j + c + k >= p.plan.columns)
#pragma unroll
                for (int r = 0; r < RUN; r++) out[r].v[k] = fill;
    }
    T *to = t.x + row * p.tile.pitch + c - before;
#pragma unroll
    for (int r = 0; r < RUN; r++, to += p.tile.pitch) {
        if (before == 0) {
            put_pack(to, out[r]);
        } else {
#pragma unroll
            for (int k = 0; k < V; k++)
                if (c + k >= before) to[k] = out[r].v[k];
        }
    }
}

template <int kind, class T> GNDI_FN void filter_along(const params_t &p, const tile<T> &t) {
    constexpr int V = PACK<T>;
    const int lanes = p.tile.width / V, c = (int)threadIdx.x % lanes * V, step = (int)blockDim.x / lanes * TWO;
    const T size = (T)t.along * (T)(t.down > 0 ? t.down : 1), part = 1 / size;
#pragma unroll 1
    for (int row = (int)threadIdx.x / lanes * TWO; row < t.rows; row += step) {
        pack<T> out[TWO];
        go_along<kind>(t.x + row * p.tile.pitch + c, p.tile.pitch, t.along, t.taps[1], out);
#pragma unroll
        for (int q = 0; q < TWO; q++) {
            finish<kind>(out[q], size, part);
            if (row + q < t.rows) store(p, t, row + q, c, out[q]);
        }
    }
}

template <int kind, class T> __global__ void __launch_bounds__(GNDI_LINES_THREADS, GNDI_CUDA_LINES_BLOCKS)
    tile_kernel(const __grid_constant__ params_t p) {
    extern __shared__ __align__(16) char memory[];
    T *shared = reinterpret_cast<T *>(memory);
    const tile<T> t = find_tile(p, shared);
    begin_tile(p, t);
    if constexpr (kind == GNDI_LINES_CORRELATE) {
        for (int k = (int)threadIdx.x; k < t.down; k += (int)blockDim.x) shared[k] = (T)tap(p.plan.axis[0], k);
        for (int k = (int)threadIdx.x; k < t.along; k += (int)blockDim.x)
            shared[t.taps[1] - shared + k] = (T)tap(p.plan.axis[1], k);
    }
    wait_for_copies();
    __syncthreads();
    if (t.down > 0) {
        filter_down<kind>(p, t);
        __syncthreads();
    }
    if (t.along > 0) filter_along<kind>(p, t);
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

template <int kind, class T> static const void *kernel_of(bool tiles) {
    return tiles ? (const void *)tile_kernel<kind, T> : (const void *)long_kernel<kind, T>;
}
template <class T> static const void *kernel_of(int kind, bool tiles) {
    switch (kind) {
    case GNDI_LINES_CORRELATE: return kernel_of<GNDI_LINES_CORRELATE, T>(tiles);
    case GNDI_LINES_SUM: return kernel_of<GNDI_LINES_SUM, T>(tiles);
    case GNDI_LINES_MAXIMUM: return kernel_of<GNDI_LINES_MAXIMUM, T>(tiles);
    default: return kernel_of<GNDI_LINES_MINIMUM, T>(tiles);
    }
}

} // namespace lines
} // namespace gnd

#ifdef GNDI_PART_floats
extern "C" const void *gndi_cuda_lines_floats(int kind, bool tiles) {
    return gnd::lines::kernel_of<float>(kind, tiles);
}
#endif
#ifdef GNDI_PART_doubles
extern "C" const void *gndi_cuda_lines_doubles(int kind, bool tiles) {
    return gnd::lines::kernel_of<double>(kind, tiles);
}
#endif
