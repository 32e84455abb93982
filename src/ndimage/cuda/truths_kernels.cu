// truths_kernels.cu: erosions and dilations of truths, a byte each, whose rows begin at multiples of 16 bytes: a thread
// for 16 outputs next to each other. Of each line of the window it reads 16 bytes, and those beside them where the line
// needs them; the line's elements are these bytes shifted, so that each byte is read once a line.
#include "kernels/cuda/early_start.cuh"
#include "ndimage/cuda/ndimage_params.h"
#include "ndimage/neighbours_ops.h"

namespace gnd {
namespace neighbours {

enum {
    THREADS = GNDI_CUDA_NEIGHBOURS_THREADS,
    NEAR = GNDI_CUDA_NEIGHBOURS_NEAR,
    PACK = GNDI_CUDA_TRUTHS_PACK,
    WORDS = PACK / 4
};

// The window's lines along the last axis: where each is from the first one, and a bit for each element that counts,
// bit PACK for what is in the output's own column.
struct lines {
    int32_t offset[NEAR];
    uint32_t elements[NEAR];
    int count;
};

static __device__ void find_lines(const plan_t &p, lines &o) {
    const int last = p.ndim - 1, width = (int)p.window[last];
    int count = 1;
    for (int a = 0; a < last; a++) count *= (int)p.window[a];
    for (int line = (int)threadIdx.x; line < count; line += THREADS) {
        int32_t rest = line, offset = 0, stride = (int32_t)p.x_shape[last];
        for (int a = last - 1; a >= 0; a--) {
            offset += rest % (int32_t)p.window[a] * stride;
            rest /= (int32_t)p.window[a];
            stride *= (int32_t)p.x_shape[a];
        }
        uint32_t elements = 0;
        for (int k = 0; k < width; k++)
            if (!p.mask || p.mask[line * width + k]) elements |= 1u << (k + (int)p.first[last] + PACK);
        o.offset[line] = offset, o.elements[line] = elements;
    }
    if (threadIdx.x == 0) o.count = count;
}

// Where the line's row begins, counted from the first row of the array; -1: it is outside. For rows near an end.
static __device__ int32_t row_outside(const plan_t &p, uint32_t row, int line) {
    int32_t at = 0, stride = 1;
    for (int a = p.ndim - 2; a >= 0; a--) {
        const int32_t n = (int32_t)p.x_shape[a], window = (int32_t)p.window[a];
        const int32_t i = (int32_t)(row % (uint32_t)n) + (int32_t)p.first[a] + line % window;
        const int64_t j = gndi_border_index(i, n, (gndi_border)p.border[a]);
        if (j < 0) return -1;
        at += (int32_t)j * stride;
        stride *= n;
        row /= (uint32_t)n, line /= window;
    }
    return at;
}

template <int kind> static __device__ uint32_t join(uint32_t a, uint32_t b) {
    return kind == GNDI_NEIGHBOURS_MAXIMUM ? a | b : a & b;
}

// Joins a line's elements to `best`. part: 16 bytes before the outputs' columns, these, and 16 after.
template <int kind>
static __device__ void join_line(uint32_t best[WORDS], const uint32_t part[3 * WORDS], uint32_t elements) {
#pragma unroll
    for (int word = 0; word < 2 * WORDS; word++) {
        if (!(elements >> 4 * word & 15)) continue;
#pragma unroll
        for (int byte = 0; byte < 4; byte++) {
            if (!(elements >> (4 * word + byte) & 1)) continue;
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                const uint32_t low = part[word + k], high = part[word + k + 1];
                best[k] = join<kind>(best[k], byte == 0 ? low : __funnelshift_r(low, high, 8 * byte));
            }
        }
    }
}

static __device__ void load_pack(uint32_t to[WORDS], const uint8_t *from, bool outside, uint32_t fill) {
    const uint4 pack = outside ? make_uint4(fill, fill, fill, fill) : *reinterpret_cast<const uint4 *>(from);
    to[0] = pack.x, to[1] = pack.y, to[2] = pack.z, to[3] = pack.w;
}

template <int kind> static __global__ void __launch_bounds__(THREADS) truths_kernel(const __grid_constant__ plan_t p) {
    __shared__ lines o;
    start_early();
    find_lines(p, o);
    __syncthreads();
    const uint8_t *x = static_cast<const uint8_t *>(p.x);
    uint8_t *out = static_cast<uint8_t *>(p.out);
    const int last = p.ndim - 1;
    const uint32_t columns = (uint32_t)p.x_shape[last], packs = columns / PACK;
    const uint32_t fill = (uint32_t)(p.fill & 1) * 0x01010101;
    uint32_t rows = 1;
    for (int a = 0; a < last; a++) rows *= (uint32_t)p.x_shape[a];
    for (uint32_t unit = blockIdx.x * THREADS + threadIdx.x; unit < rows * packs; unit += gridDim.x * THREADS) {
        const uint32_t row = unit / packs, column = (unit - row * packs) * PACK;
        uint32_t rest = row;
        int32_t first = 0, stride = (int32_t)columns; /* the first line's row */
        bool inside = true;
        for (int a = last - 1; a >= 0; a--) {
            const uint32_t n = (uint32_t)p.x_shape[a], before = rest / n;
            const int32_t i = (int32_t)(rest - before * n) + (int32_t)p.first[a];
            inside = inside && i >= 0 && i + (int32_t)p.window[a] <= (int32_t)n;
            first += i * stride;
            stride *= (int32_t)n;
            rest = before;
        }
        uint32_t best[WORDS], part[3 * WORDS] = {0};
#pragma unroll
        for (int k = 0; k < WORDS; k++) best[k] = kind == GNDI_NEIGHBOURS_MAXIMUM ? 0 : 0x01010101;
        for (int line = 0; line < o.count; line++) {
            const uint32_t elements = o.elements[line];
            if (!elements) continue;
            int32_t at = first + o.offset[line];
            bool outside = false;
            if (!inside) {
                const int32_t of = row_outside(p, row, line);
                outside = of < 0, at = of * (int32_t)columns;
            }
            const uint8_t *from = x + at + column;
            load_pack(part + WORDS, from, outside, fill);
            if (elements & 0xffff) load_pack(part, from - PACK, outside || column == 0, fill);
            if (elements >> PACK > 1)
                load_pack(part + 2 * WORDS, from + PACK, outside || column + PACK == columns, fill);
            join_line<kind>(best, part, elements);
        }
        const uint32_t output = row * columns + column;
        if (p.kept) {
            uint32_t kept[WORDS], own[WORDS];
            load_pack(kept, p.kept + output, false, 0), load_pack(own, x + output, false, 0);
#pragma unroll
            for (int k = 0; k < WORDS; k++) {
                const uint32_t all = __vcmpne4(kept[k], 0);
                best[k] = (best[k] & all) | (own[k] & ~all);
            }
        }
        *reinterpret_cast<uint4 *>(out + output) = make_uint4(best[0], best[1], best[2], best[3]);
    }
}

} // namespace neighbours
} // namespace gnd

extern "C" const void *gndi_cuda_truths_kernel(int kind) {
    using namespace gnd::neighbours;
    return kind == GNDI_NEIGHBOURS_MAXIMUM ? (const void *)truths_kernel<GNDI_NEIGHBOURS_MAXIMUM>
                                           : (const void *)truths_kernel<GNDI_NEIGHBOURS_MINIMUM>;
}
