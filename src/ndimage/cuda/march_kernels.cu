// march_kernels.cu: separable filters of matrices of floats, row by row.
//
// A block has a strip of columns, 4 of each thread, and goes down a segment of its rows. Down the columns a thread has
// the sums (or extremes) of all windows that are not complete yet in registers, and adds each row to all of them. Two
// rows of these results at a time go along the strip, through shared memory with one barrier. Rows are copied ahead, so
// that reading, arithmetic and writing go on at once. What windows reach beyond a segment is read and added twice.
#include "ndimage/cuda/lines.cuh"

namespace gnd {
namespace march {

using namespace lines;
typedef gndi_cuda_march_params params_t;
typedef pack<float> four;
enum { V = 4, ROWS = GNDI_CUDA_MARCH_ROWS, AHEAD = GNDI_CUDA_MARCH_AHEAD, THREADS = GNDI_CUDA_MARCH_THREADS };
enum { WIDTH = V * THREADS, PITCH = WIDTH + V };
static_assert(sizeof(params_t) <= 4000, "what every GPU takes as parameters");

// ---- windows of elements ------------------------------------------------------------------------

template <int kind> GNDI_FN float begin_with(float x, float weight) {
    return kind == GNDI_LINES_CORRELATE ? weight * x : x;
}
template <int kind> GNDI_FN float add_to(float sum, float x, float weight) {
    return kind == GNDI_LINES_CORRELATE ? fma(weight, x, sum) : join<kind>(sum, x);
}

// SIZE consecutive elements from x[0] .. x[3] on.
template <int kind, int SIZE> GNDI_FN four window_along(const float *x, const float *weight) {
    four out = {};
#pragma unroll
    for (int k = 0; k < SIZE + V - 1; k += V) {
        const four element = get(x + k);
#pragma unroll
        for (int e = 0; e < V; e++)
#pragma unroll
            for (int c = 0; c < V; c++) {
                const int t = k + e - c;
                if (t == 0) out.v[c] = begin_with<kind>(element.v[e], weight[0]);
                if (t > 0 && t < SIZE) out.v[c] = add_to<kind>(out.v[c], element.v[e], weight[t]);
            }
    }
    return out;
}

// Weighted or plain sums, or extremes, along both axes, or down the columns, or the sum of two such filters: shape is a
// GNDI_CUDA_MARCH_...
template <int kind, int SIZE_, int shape> struct windows {
    static constexpr int SIZE = SIZE_, PARTS = shape == GNDI_CUDA_MARCH_SUM ? 2 : 1;
    static constexpr int ALONG = shape == GNDI_CUDA_MARCH_DOWN ? 1 : SIZE;
    four begun[PARTS][SIZE - 1]; // [k]: sums of k + 1 elements

    // The windows that end with x.
    GNDI_FN_MEMBER void down(const params_t &p, const four &x, four *out) {
#pragma unroll
        for (int q = 0; q < PARTS; q++)
#pragma unroll
            for (int c = 0; c < V; c++) {
                out[q].v[c] = add_to<kind>(begun[q][SIZE - 2].v[c], x.v[c], p.weight[q][0][SIZE - 1]);
#pragma unroll
                for (int k = SIZE - 2; k > 0; k--)
                    begun[q][k].v[c] = add_to<kind>(begun[q][k - 1].v[c], x.v[c], p.weight[q][0][k]);
                begun[q][0].v[c] = begin_with<kind>(x.v[c], p.weight[q][0][0]);
            }
    }

    GNDI_FN_MEMBER static void along(const params_t &p, const float *x, four *out) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            out[r] = one_row(p, x + r * PARTS * PITCH);
            if constexpr (PARTS == 2) {
                const four other = window_along<kind, SIZE>(x + (2 * r + 1) * PITCH, p.weight[1][1]);
                join_to<GNDI_LINES_SUM>(out[r], other);
            }
            end(p, out[r]);
        }
    }
    GNDI_FN_MEMBER static void end(const params_t &p, four &out) {
        finish<kind>(out, p.size, p.part);
    }

  private:
    GNDI_FN_MEMBER static four one_row(const params_t &p, const float *x) {
        if constexpr (kind != GNDI_LINES_CORRELATE && SIZE >= V) { // what all four windows have is joined once
            float e[(SIZE + 2 * V - 2) / V * V];
#pragma unroll
            for (int k = 0; k < SIZE + V - 1; k += V) {
                const four element = get(x + k);
#pragma unroll
                for (int c = 0; c < V; c++) e[k + c] = element.v[c];
            }
            float middle = e[V - 1], behind = e[SIZE];
#pragma unroll
            for (int k = V; k < SIZE; k++) middle = join<kind>(middle, e[k]);
            four out = {{e[0], e[1], e[2], middle}};
            out.v[1] = join<kind>(e[1], e[2]), out.v[0] = join<kind>(e[0], out.v[1]);
#pragma unroll
            for (int c = 0; c < V - 1; c++) out.v[c] = join<kind>(out.v[c], middle);
#pragma unroll
            for (int c = 1; c < V; c++) {
                if (c > 1) behind = join<kind>(behind, e[SIZE + c - 1]);
                out.v[c] = join<kind>(out.v[c], behind);
            }
            return out;
        } else {
            return window_along<kind, SIZE>(x, p.weight[0][1]);
        }
    }
};

// A window of 3 down the columns plus one of 3 along the rows.
struct cross {
    static constexpr int SIZE = 3, PARTS = 2, ALONG = 3;
    four before, begun;

    GNDI_FN_MEMBER void down(const params_t &p, const four &x, four *out) {
        out[1] = before;
#pragma unroll
        for (int c = 0; c < V; c++) {
            out[0].v[c] = fma(p.weight[0][0][2], x.v[c], begun.v[c]);
            begun.v[c] = fma(p.weight[0][0][1], x.v[c], p.weight[0][0][0] * before.v[c]);
        }
        before = x;
    }
    GNDI_FN_MEMBER static void end(const params_t &, four &) {}
    GNDI_FN_MEMBER static void along(const params_t &p, const float *x, four *out) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            out[r] = window_along<GNDI_LINES_CORRELATE, 3>(x + (2 * r + 1) * PITCH, p.weight[1][1]);
#pragma unroll
            for (int c = 0; c < V; c++) out[r].v[c] += x[2 * r * PITCH + c - p.first[1]];
        }
    }
};

// ---- strips -------------------------------------------------------------------------------------

// Where a block is, and a thread's columns.
struct strip {
    const float *x;          // the first column that the thread reads, in row 0 of the matrix
    float *out;              // the thread's outputs in the first row
    const int4 *index;       // of the thread's columns; -1: the constant
    const int *row;          // of each row that is read
    int thread, column, top; // the first column and row that are read
    int rows, count;         // outputs below each other; rows that are read
    bool reads, writes, inside, constant;
};

// The thread's number, which the compiler keeps: it would read the register anew, and wait, in each round.
GNDI_FN int thread_number() {
    int t;
    asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
    return t;
}

// memory: the indices of all columns and rows that the block reads.
template <class F> GNDI_FN strip find_strip(const params_t &p, int *memory) {
    strip s;
    s.thread = thread_number();
    const uint32_t strips = (uint32_t)p.strips, segments = (uint32_t)p.segments;
    const uint32_t line = blockIdx.x / strips, outer = line / segments;
    const int c = s.thread * V;
    const int left = (int)(blockIdx.x - line * strips) * p.width, top = (int)(line - outer * segments) * p.height;
    const int columns = min(p.columns - left, p.width);
    s.column = left + c + p.first[1] - p.before, s.top = top + p.first[0];
    s.rows = min(p.rows - top, p.height), s.count = s.rows + F::SIZE - 1;
    s.writes = c < columns, s.reads = c < columns + p.before + F::ALONG - 1;
    s.inside = s.column >= 0 && s.column + V <= p.columns;
    s.constant = !s.inside && p.border[1] == GNDI_BORDER_CONSTANT;
    const int64_t matrix = (int64_t)outer * p.rows * p.columns;
    s.x = p.x + matrix + s.column, s.out = p.out + matrix + (int64_t)top * p.columns + left + c;
    s.index = reinterpret_cast<const int4 *>(memory + c), s.row = memory + WIDTH;
#pragma unroll 1
    for (int k = s.thread; k < WIDTH + s.count; k += THREADS) {
        const bool along = k < WIDTH;
        const int i = along ? left + p.first[1] - p.before + k : s.top + k - WIDTH;
        memory[k] = (int)gndi_border_index(i, along ? p.columns : p.rows, (gndi_border)p.border[along]);
    }
    __syncthreads();
    return s;
}

// Begins to copy the thread's pack of a row, `row` rows below the first that is read.
GNDI_FN void copy_row(const params_t &p, const strip &s, int row, float *to) {
    int i = s.top + row;
    if (i < 0 || i >= p.rows) i = s.row[row];
    const float *from = s.x + (int64_t)i * p.columns;
    if (s.inside && i >= 0) {
        copy_element(reinterpret_cast<four *>(to), from);
        return;
    }
    const int4 index = *s.index; // at once: blocks at the ends of rows are not to be slower than others
    const int j[V] = {index.x, index.y, index.z, index.w};
#pragma unroll
    for (int c = 0; c < V; c++) {
        if (i < 0 || j[c] < 0)
            to[c] = p.fill;
        else
            copy_element(to + c, from + (j[c] - s.column));
    }
}

// A pack of what is between the axes, in a row that begins with the first window's column. A column beyond a constant
// border stays the constant: it is no part of the array.
GNDI_FN void put_between(const params_t &p, const strip &s, float *line, four v) {
    const int c = s.thread * V;
    if (s.constant) {
        const int4 index = *s.index;
        const int j[V] = {index.x, index.y, index.z, index.w};
#pragma unroll
        for (int k = 0; k < V; k++)
            if (j[k] < 0) v.v[k] = p.between;
    }
    if (p.before == 0) {
        put_pack(line + c, v);
        return;
    }
#pragma unroll
    for (int k = 0; k < V; k++)
        if (c + k >= p.before) line[c + k - p.before] = v.v[k];
}

// The thread's outputs `row` rows below the first, if there are such.
GNDI_FN void put_out(const params_t &p, const strip &s, int row, four v) {
    if (row < 0 || row >= s.rows || !s.writes) return;
    float *out = s.out + (int64_t)row * p.columns;
    if (p.adds) join_to<GNDI_LINES_SUM>(v, get(out));
    put_pack(out, v);
}

// ROWS rows of elements: down the columns, then along the rows, if these are filtered.
template <class F>
GNDI_FN void filter_rows(const params_t &p, const strip &s, F &filter, const float *x, float *line, int row) {
    four out[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        four between[F::PARTS];
        filter.down(p, get(x + r * WIDTH), between);
#pragma unroll
        for (int q = 0; q < F::PARTS; q++)
            if (F::ALONG > 1) put_between(p, s, line + (r * F::PARTS + q) * PITCH, between[q]);
        if (F::ALONG == 1) F::end(p, out[r] = between[0]);
    }
    if (F::ALONG > 1) {
        if (row + ROWS < F::SIZE) return; // no window is complete
        __syncthreads();
        if (s.writes) F::along(p, line + s.thread * V, out);
    }
#pragma unroll
    for (int r = 0; r < ROWS; r++) put_out(p, s, row + r - (F::SIZE - 1), out[r]);
}

template <class F> GNDI_FN void march(const params_t &p) {
    extern __shared__ __align__(16) float memory[];
    constexpr int LINES = ROWS * F::PARTS * PITCH;
    float *const line = memory + AHEAD * ROWS * WIDTH; // two times the rows between the axes, which take turns
    const strip s = find_strip<F>(p, reinterpret_cast<int *>(line + 2 * LINES));
    float *const queue = memory + s.thread * V; // the thread's part of rows that are on their way
    F filter = {};
    int slot = 1; // of the rows that come next; 0 at row 0
#pragma unroll 1
    for (int row = (1 - AHEAD) * ROWS; row < s.count; row += ROWS) {
        const int next = row + (AHEAD - 1) * ROWS, to = slot == 0 ? AHEAD - 1 : slot - 1;
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (s.reads && next + r < s.count) copy_row(p, s, next + r, queue + (to * ROWS + r) * WIDTH);
        commit_copies();
        if (row >= 0) {
            wait_for_copies_before<AHEAD - 1>();
            filter_rows(p, s, filter, queue + slot * ROWS * WIDTH, line + (row / ROWS & 1) * LINES, row);
        }
        slot = slot == AHEAD - 1 ? 0 : slot + 1;
    }
}

// WARPS: of a processor.
template <class F, int WARPS> __global__ void __launch_bounds__(THREADS, WARPS * 32 / THREADS)
    march_kernel(const __grid_constant__ params_t p) {
    march<F>(p);
}

// A kernel: what it filters, windows of which size, and its warps of a processor.
struct kernel_entry {
    int kind, size, shape, warps;
    void (*kernel)(params_t);
};

// Sums of windows that are not complete are what registers are for.
template <int kind, int SIZE, int shape> static constexpr kernel_entry windows_of() {
    constexpr int PARTS = shape == GNDI_CUDA_MARCH_SUM ? 2 : 1;
    constexpr int registers = (SIZE - 1) * V * PARTS + 58, most = 65536 / 32 / registers / 3 * 3;
    constexpr int WARPS = most < 12 ? 12 : most;
    return {kind, SIZE, shape, WARPS, march_kernel<windows<kind, SIZE, shape>, WARPS>};
}
static constexpr kernel_entry cross_of() {
    constexpr int WARPS = 24;
    return {GNDI_LINES_CORRELATE, cross::SIZE, GNDI_CUDA_MARCH_CROSS, WARPS, march_kernel<cross, WARPS>};
}

} // namespace march
} // namespace gnd

// The kernel of a kind, of windows of so many elements, and of a GNDI_CUDA_MARCH_...; null: there is none. warps: of a
// processor.
extern "C" const void *gndi_cuda_march_kernel(int kind, int size, int shape, int *warps) {
    using namespace gnd::march;
    enum { CORRELATE = GNDI_LINES_CORRELATE, MEAN = GNDI_LINES_SUM };
    enum { MAXIMUM = GNDI_LINES_MAXIMUM, MINIMUM = GNDI_LINES_MINIMUM };
    enum { DOWN = GNDI_CUDA_MARCH_DOWN, BOTH = GNDI_CUDA_MARCH_BOTH, SUM = GNDI_CUDA_MARCH_SUM };
    static constexpr kernel_entry entries[] = {
        windows_of<CORRELATE, 3, BOTH>(),  windows_of<CORRELATE, 5, BOTH>(),
        windows_of<CORRELATE, 7, BOTH>(),  windows_of<CORRELATE, 9, BOTH>(),
        windows_of<CORRELATE, 11, BOTH>(), windows_of<CORRELATE, 13, BOTH>(),
        windows_of<CORRELATE, 17, BOTH>(), windows_of<CORRELATE, 21, BOTH>(),
        windows_of<CORRELATE, 25, BOTH>(), windows_of<CORRELATE, 33, BOTH>(),
        windows_of<CORRELATE, 9, SUM>(),   windows_of<CORRELATE, 17, SUM>(),
        windows_of<CORRELATE, 9, DOWN>(),  windows_of<CORRELATE, 17, DOWN>(),
        windows_of<CORRELATE, 25, DOWN>(), windows_of<MEAN, 3, BOTH>(),
        windows_of<MEAN, 5, BOTH>(),       windows_of<MEAN, 7, BOTH>(),
        windows_of<MEAN, 9, BOTH>(),       windows_of<MEAN, 11, BOTH>(),
        windows_of<MEAN, 15, BOTH>(),      windows_of<MAXIMUM, 3, BOTH>(),
        windows_of<MAXIMUM, 5, BOTH>(),    windows_of<MAXIMUM, 7, BOTH>(),
        windows_of<MINIMUM, 3, BOTH>(),    windows_of<MINIMUM, 5, BOTH>(),
        windows_of<MINIMUM, 7, BOTH>(),    cross_of(),
    };
    for (const kernel_entry &e : entries)
        if (e.kind == kind && e.size == size && e.shape == shape) return *warps = e.warps, (const void *)e.kernel;
    return nullptr;
}
