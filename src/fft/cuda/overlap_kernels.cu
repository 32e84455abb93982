// overlap_kernels.cu: convolutions by Fourier transforms of tiles that overlap (overlap-save), in the registers and the
// shared memory of blocks. The kernel's spectrum is made by the same kernels first, with its elements where the threads
// that multiply by them want them.
//
// lines_kernel    Loads a tile, transforms it, multiplies, transforms back and stores the results.
// rows_kernel     Transforms the rows of strips of a matrix, or transforms them back and stores the results.
// columns_kernel  Transforms tiles of columns, multiplies and transforms back.
#include "fft/cuda/overlap.cuh"
#include "fft/overlap_tiles.h"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

extern __shared__ __align__(16) double shared[];

constexpr int EACH = GNDI_OVERLAP_EACH;

// ---- lines ----------------------------------------------------------------------------------------

template <class R> using line_fft = tile_fft<R, GNDI_OVERLAP_LINE(sizeof(R)), 1>;

// The tiles of a unit of work: one complex one, or two real ones behind each other.
struct line_tiles {
    int64_t line, tile;
};
GNDI_FN line_tiles tiles_of(const gndi_overlap_lines_params &p, uint32_t unit) {
    const uint32_t line = unit / p.each, tile = unit - line * p.each;
    return {line, p.is_complex ? tile : 2 * (int64_t)tile};
}

template <class R> GNDI_FN void load_tiles(number<R> *v, const gndi_overlap_lines_params &p, line_tiles w, int t) {
    constexpr int N = GNDI_OVERLAP_LINE(sizeof(R)), STEP = N / EACH;
    const int64_t begin = p.shift + w.tile * p.step, next = begin + p.step, line = w.line * p.x_line;
    const span in = span_within(begin, p.n, N);
    const R *x = static_cast<const R *>(p.x);
    if (p.is_complex)
        load_one<STEP>(v, static_cast<const number<R> *>(p.x) + line + begin, in, t);
    else
        load_two<STEP>(v, x + line + begin, in, x + line + next, span_within(next, p.n, N), t);
}

template <class R>
GNDI_FN void store_tiles(const number<R> *v, const gndi_overlap_lines_params &p, line_tiles w, int t) {
    constexpr int STEP = GNDI_OVERLAP_LINE(sizeof(R)) / EACH;
    const int64_t begin = w.tile * p.step, next = begin + p.step, to = w.line * p.out_line - p.at;
    const span in = span_from(p.at, p.step, p.count - begin);
    R *out = static_cast<R *>(p.out);
    if (p.is_complex)
        store_one<STEP>(v, static_cast<number<R> *>(p.out) + to + begin, in, t);
    else
        store_two<STEP>(v, out + to + begin, in, out + to + next, span_from(p.at, p.step, p.count - next), t);
}

template <class R> __global__ void __launch_bounds__(line_fft<R>::THREADS, GNDI_OVERLAP_LINE_BLOCKS)
    lines_kernel(const __grid_constant__ gndi_overlap_lines_params p) {
    using fft = line_fft<R>;
    number<R> *const tile = reinterpret_cast<number<R> *>(shared), *const roots = tile + fft::SIZE;
    const int t = (int)threadIdx.x;
    fft::fill_roots(roots, t, fft::THREADS);
    __syncthreads();
    start_early();
    for (uint32_t unit = blockIdx.x; unit < p.units; unit += gridDim.x) {
        number<R> v[EACH];
        const line_tiles w = tiles_of(p, unit);
        load_tiles(v, p, w, t);
        fft::forward(v, tile, roots, t);
        number<R> *const spectrum = static_cast<number<R> *>(p.spectra) + w.line * p.spectra_line + t;
        if (!p.out) {
#pragma unroll
            for (int e = 0; e < EACH; e++) spectrum[e * fft::THREADS] = scaled(v[e], p.scale);
            __syncthreads(); // the next tile's first elements are written where others read these
            continue;
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) v[e] = v[e] * spectrum[e * fft::THREADS];
        fft::back(v, tile, roots, t);
        store_tiles(v, p, w, t);
    }
}

// ---- rows of matrices -----------------------------------------------------------------------------

constexpr int SIDE = GNDI_OVERLAP_SIDE, WARP = 32, ROW_THREADS = GNDI_OVERLAP_ROWS * WARP;
template <class R> using row_fft = tile_fft<R, SIDE, 1>;

// A row of a strip.
struct strip_row {
    int64_t matrix, tile, row;
};
GNDI_FN strip_row row_of(const gndi_overlap_matrix_params &p, uint32_t number, uint32_t rows) {
    const uint32_t local = number / rows, strip = p.first + local, matrix = strip / p.across;
    return {matrix, strip - matrix * p.across, number - local * rows};
}

template <class R> GNDI_FN void load_row(number<R> *v, const gndi_overlap_matrix_params &p, strip_row w, int t) {
    const int64_t row = p.shift[0] + w.row, other = row + p.apart, begin = p.shift[1] + w.tile * p.step[1];
    const int64_t matrix = w.matrix * p.x_matrix + begin;
    const span none = {0, 0}, in = span_within(begin, p.n[1], SIDE);
    const span in_row = row >= 0 && row < p.n[0] ? in : none, in_other = other >= 0 && other < p.n[0] ? in : none;
    const R *x = static_cast<const R *>(p.x) + matrix;
    if (p.is_complex)
        load_one<WARP>(v, static_cast<const number<R> *>(p.x) + matrix + row * p.x_row, in_row, t);
    else
        load_two<WARP>(v, x + row * p.x_row, in_row, x + other * p.x_row, in_other, t);
}

template <class R> GNDI_FN void store_row(const number<R> *v, const gndi_overlap_matrix_params &p, strip_row w, int t) {
    const int64_t row = w.row, other = row + p.apart, begin = w.tile * p.step[1];
    const int64_t matrix = w.matrix * p.out_matrix + begin - p.at[1];
    const span none = {0, 0}, in = span_from(p.at[1], p.step[1], p.count[1] - begin);
    R *out = static_cast<R *>(p.out) + matrix;
    if (p.is_complex)
        store_one<WARP>(v, static_cast<number<R> *>(p.out) + matrix + row * p.out_row, in, t);
    else
        store_two<WARP>(v, out + row * p.out_row, in, out + other * p.out_row, other < p.count[0] ? in : none, t);
}

template <class R, bool is_back> __global__ void __launch_bounds__(ROW_THREADS, 4)
    rows_kernel(const __grid_constant__ gndi_overlap_matrix_params p) {
    using fft = row_fft<R>;
    const int t = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    number<R> *const roots = reinterpret_cast<number<R> *>(shared), *const tile = roots + fft::ROOTS + warp * fft::SIZE;
    fft::fill_roots(roots, (int)threadIdx.x, ROW_THREADS);
    __syncthreads();
    start_early();
    const uint32_t rows = is_back ? p.results : p.rows, number_of_row = blockIdx.x * GNDI_OVERLAP_ROWS + warp;
    if (number_of_row >= p.strips * rows) return;
    number<R> v[EACH];
    number<R> *const strip =
        static_cast<number<R> *>(is_back ? p.behind : p.before) + (int64_t)number_of_row * SIDE + t;
    const strip_row w = row_of(p, number_of_row, rows);
    if constexpr (is_back) {
#pragma unroll
        for (int e = 0; e < EACH; e++) v[e] = strip[e * WARP];
        fft::back(v, tile, roots, t);
        store_row(v, p, w, t);
    } else {
        load_row(v, p, w, t);
        fft::forward(v, tile, roots, t);
#pragma unroll
        for (int e = 0; e < EACH; e++) strip[e * WARP] = v[e];
    }
}

// ---- columns of matrices --------------------------------------------------------------------------

constexpr int COLUMNS = GNDI_OVERLAP_COLUMNS, COLUMN_THREADS = COLUMNS * SIDE / EACH;
template <class R> using column_fft = tile_fft<R, SIDE, COLUMNS>;

template <class R> __global__ void __launch_bounds__(COLUMN_THREADS, GNDI_OVERLAP_COLUMN_BLOCKS)
    columns_kernel(const __grid_constant__ gndi_overlap_matrix_params p) {
    using fft = column_fft<R>;
    constexpr int SLABS = SIDE / COLUMNS;
    number<R> *const roots = reinterpret_cast<number<R> *>(shared);
    number<R> *const tile = roots + fft::ROOTS + (int)threadIdx.x % COLUMNS;
    const int t = (int)threadIdx.x / COLUMNS;
    fft::fill_roots(roots, (int)threadIdx.x, COLUMN_THREADS);
    __syncthreads();
    start_early();
    // From the last strip on: those that were written last are still in the L2 cache.
    const uint32_t block = gridDim.x - 1 - blockIdx.x, strip = block / SLABS / p.down, down = block / SLABS % p.down;
    const int column = (int)(block % SLABS) * COLUMNS + (int)threadIdx.x % COLUMNS;
    const int64_t begin = down * p.step[0], rows = (int64_t)strip * p.rows, results = (int64_t)strip * p.results;
    number<R> v[EACH];
    const span in = span_from(0, p.at[0] + p.step[0], p.rows - begin);
    const number<R> *const x = static_cast<const number<R> *>(p.before) + (rows + begin + t) * SIDE + column;
#pragma unroll
    for (int e = 0; e < EACH; e++) v[e] = in.has(t + e * fft::THREADS) ? x[e * fft::THREADS * SIDE] : number<R>{0, 0};
    fft::forward(v, tile, roots, t);
    number<R> *const spectrum = static_cast<number<R> *>(p.spectrum) + t * SIDE + column;
    if (p.makes_spectrum) {
#pragma unroll
        for (int e = 0; e < EACH; e++) spectrum[e * fft::THREADS * SIDE] = scaled(v[e], p.scale);
        return;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) v[e] = v[e] * spectrum[e * fft::THREADS * SIDE];
    fft::back(v, tile, roots, t);
    const span out = span_from(p.at[0], p.step[0], p.results - begin);
    number<R> *const to = static_cast<number<R> *>(p.behind) + (results + begin - p.at[0] + t) * SIDE + column;
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (out.has(t + e * fft::THREADS)) to[e * fft::THREADS * SIDE] = v[e];
}

} // namespace gnd

extern "C" const void *gndi_cuda_convolve_tiles_kernel(bool wide, int which) {
    using namespace gnd;
    switch (which) {
    case GNDI_OVERLAP_ROWS_FORWARD: return reinterpret_cast<const void *>(&rows_kernel<float, false>);
    case GNDI_OVERLAP_ROWS_BACK: return reinterpret_cast<const void *>(&rows_kernel<float, true>);
    case GNDI_OVERLAP_DOWN: return reinterpret_cast<const void *>(&columns_kernel<float>);
    default:
        return wide ? reinterpret_cast<const void *>(&lines_kernel<double>)
                    : reinterpret_cast<const void *>(&lines_kernel<float>);
    }
}
