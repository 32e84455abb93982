// order_counts.cu: the element of a rank in large windows of bytes, by a histogram that slides.
//
// A warp has a strip of 32 columns, a thread one of them, from its first row to its last. A thread counts the bytes of
// its window in shared memory, 2 bytes a count, neighbouring threads beside each other: two at most meet in a bank. It
// goes on to the next row by counting one row of the window more and one less, and moves to the element of the rank
// from the one before (Huang, Yang and Tang, A fast two-dimensional median filtering algorithm, 1979). So an output
// costs 2 w counts of a window of w columns, and those of the first window, shared by the strip's rows.
#include "convolve/cuda/order_params.h"
#include "convolve/order_select.h"

namespace gnd {
namespace {

enum { LANES = 32, BYTES = 256 };
typedef gndi_order_counts_params params_t;

// A thread's window: how often it has each byte, and how many lie below `key`.
struct counted {
    uint16_t (*counts)[LANES];
    int lane, key, below;

    template <int sign> __device__ __forceinline__ void count(int byte, int times = 1) {
        counts[byte][lane] = (uint16_t)(counts[byte][lane] + sign * times);
        if (byte < key) below += sign * times;
    }
    // To the element of the rank.
    __device__ __forceinline__ void move(int rank) {
        while (below > rank) below -= counts[--key][lane];
        for (int n = counts[key][lane]; below + n <= rank; n = counts[key][lane]) below += n, key++;
    }
};

// Counts the window's row i, which may lie beyond the matrix, as zeros.
template <int sign>
GNDI_FN void count_row(const params_t &p, counted &w, const char *x, int64_t i, int64_t first, int flip) {
    if (i < 0 || i >= p.rows) return w.count<sign>(flip, p.window_columns);
    const uint8_t *row = reinterpret_cast<const uint8_t *>(x + i * p.x_stride[1] + first * p.x_stride[2]);
    const int64_t step = p.x_stride[2];
    if (first >= 0 && first + p.window_columns <= p.columns) {
        int j = 0;
        for (; j + 4 <= p.window_columns; j += 4, row += 4 * step) {
            const int a = row[0], b = row[step], c = row[2 * step], d = row[3 * step];
            w.count<sign>(a ^ flip), w.count<sign>(b ^ flip), w.count<sign>(c ^ flip), w.count<sign>(d ^ flip);
        }
        for (; j < p.window_columns; j++, row += step) w.count<sign>(*row ^ flip);
    } else {
        for (int j = 0; j < p.window_columns; j++, row += step)
            w.count<sign>((first + j >= 0 && first + j < p.columns ? *row : 0) ^ flip);
    }
}

__global__ void __launch_bounds__(LANES) counts_kernel(const __grid_constant__ params_t p) {
    __shared__ uint16_t counts[BYTES][LANES];
    counted w = {counts, (int)threadIdx.x, 0, 0};
    for (int k = 0; k < BYTES; k++) counts[k][w.lane] = 0;
    int64_t block = blockIdx.x;
    const int64_t column = block % p.segments * LANES + w.lane;
    block /= p.segments;
    const int64_t begin = block % p.bands * p.height, matrix = block / p.bands;
    if (column >= p.columns) return;
    const int64_t end = begin + p.height < p.rows ? begin + p.height : p.rows;
    const char *x = p.x + matrix * p.x_stride[0];
    char *out = p.out + matrix * p.out_stride[0] + column * p.out_stride[2];
    const int kind = order_kind_of(p.dtype), flip = order_key((uint8_t)0, kind);
    const int64_t first = column - p.window_columns / 2, above = p.window_rows / 2;
    for (int64_t i = begin - above; i < begin - above + p.window_rows; i++) count_row<1>(p, w, x, i, first, flip);
    for (int64_t row = begin; row < end; row++) {
        if (row > begin) {
            count_row<-1>(p, w, x, row - 1 - above, first, flip);
            count_row<1>(p, w, x, row - 1 - above + p.window_rows, first, flip);
        }
        w.move(p.rank);
        *reinterpret_cast<uint8_t *>(out + row * p.out_stride[1]) = order_bits((uint8_t)w.key, kind);
    }
}

} // namespace
} // namespace gnd

extern "C" const void *gndi_cuda_order_counts(void) {
    return (const void *)gnd::counts_kernel;
}
