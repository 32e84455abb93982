// bits_kernels.cu: bits and bytes. Where elements are dense bytes, sixteen of them, or eight lines side
// by side, are loaded and stored as words; elsewhere a thread makes or reads a byte at a time.
#include "rearrange/cuda/bits_params.h"

namespace gnd {

static __device__ __forceinline__ bool truth(const char *element, int itemsize) {
    switch (itemsize) {
    case 1: return *(const uint8_t *)element != 0;
    case 2: return *(const uint16_t *)element != 0;
    case 4: return *(const uint32_t *)element != 0;
    default: return *(const uint64_t *)element != 0;
    }
}

// The highest bit of each of four bytes that is not 0, as bits 0 to 3, the first byte the lowest.
static __device__ __forceinline__ uint32_t nonzero_bytes(uint32_t word) {
    const uint32_t high = __vcmpne4(word, 0) & 0x08040201u;
    return (high | high >> 8 | high >> 16 | high >> 24) & 15u;
}

// The bits 0 to 3 as four bytes.
static __device__ __forceinline__ uint32_t bytes_of(uint32_t bits) {
    return (bits & 1u) | (bits & 2u) << 7 | (bits & 4u) << 14 | (bits & 8u) << 21;
}

// Bits from the first to the last element are from the lowest up; a byte may want them reversed.
static __device__ __forceinline__ uint32_t ordered(const gndi_bits_params &p, uint32_t bits) {
    return p.little ? bits : __brev(bits) >> 24;
}

static __device__ __forceinline__ void position(const gndi_bits_params &p, int64_t k, int64_t &line, int64_t &b) {
    if (p.lines == 1)
        line = 0, b = k;
    else if (p.lines_first)
        b = k / p.lines, line = k - b * p.lines;
    else
        line = k / p.each, b = k - line * p.each;
}

static __device__ __forceinline__ void one(const gndi_bits_params &p, int64_t k) {
    int64_t line, b;
    position(p, k, line, b);
    char *element = p.element, *byte = p.byte;
    for (int axis = p.ndim - 1; axis >= 0; axis--) {
        const int64_t next = line / p.shape[axis], at = line - next * p.shape[axis];
        element += at * p.element_stride[axis], byte += at * p.byte_stride[axis];
        line = next;
    }
    element += 8 * b * p.element_step, byte += b * p.byte_step;
    const int64_t left = p.elements - 8 * b;
    const int n = left < 8 ? (int)left : 8;
    uint32_t bits = 0;
    if (p.unpack) {
        if (b < p.bytes) bits = ordered(p, *(const uint8_t *)byte);
        if (p.words && n == 8) {
            *(uint2 *)element = make_uint2(bytes_of(bits), bytes_of(bits >> 4));
            return;
        }
        for (int i = 0; i < n; i++) element[i * p.element_step] = (char)(bits >> i & 1u);
        return;
    }
    if (p.words && n == 8) {
        const uint2 word = *(const uint2 *)element;
        bits = nonzero_bytes(word.x) | nonzero_bytes(word.y) << 4;
    } else if (n == 8) {
#pragma unroll
        for (int i = 0; i < 8; i++) bits |= (uint32_t)truth(element + i * p.element_step, p.itemsize) << i;
    } else {
        for (int i = 0; i < n; i++) bits |= (uint32_t)truth(element + i * p.element_step, p.itemsize) << i;
    }
    *byte = (char)ordered(p, bits);
}

__global__ void __launch_bounds__(GNDI_BITS_THREADS) any_kernel(const __grid_constant__ gndi_bits_params p) {
    const int64_t block = (int64_t)blockIdx.x * (GNDI_BITS_THREADS * GNDI_BITS_EACH);
#pragma unroll
    for (int i = 0; i < GNDI_BITS_EACH; i++) {
        const int64_t k = block + i * GNDI_BITS_THREADS + threadIdx.x;
        if (k < p.work) one(p, k);
    }
}

// ---- one dense line ---------------------------------------------------------------------------

static __device__ __forceinline__ uint32_t ordered_two(const gndi_bits_params &p, uint32_t bits) {
    return p.little ? bits : __byte_perm(__brev(bits), 0, 0x4423);
}

// Work: pairs of bytes, all there and aligned.
template <bool unpack> __global__ void __launch_bounds__(GNDI_BITS_THREADS)
    line_kernel(const __grid_constant__ gndi_bits_params p) {
    const int64_t first = (int64_t)blockIdx.x * (GNDI_BITS_THREADS * GNDI_BITS_EACH) + threadIdx.x;
    uint4 *elements = reinterpret_cast<uint4 *>(p.element);
    uint16_t *bytes = reinterpret_cast<uint16_t *>(p.byte);
    uint4 x[GNDI_BITS_EACH];
    uint32_t bits[GNDI_BITS_EACH];
#pragma unroll
    for (int i = 0; i < GNDI_BITS_EACH; i++) {
        const int64_t k = first + i * GNDI_BITS_THREADS;
        if (k >= p.work) continue;
        if (unpack)
            bits[i] = bytes[k];
        else
            x[i] = elements[k];
    }
#pragma unroll
    for (int i = 0; i < GNDI_BITS_EACH; i++) {
        const int64_t k = first + i * GNDI_BITS_THREADS;
        if (k >= p.work) continue;
        if (unpack) {
            const uint32_t b = ordered_two(p, bits[i]);
            elements[k] = make_uint4(bytes_of(b), bytes_of(b >> 4), bytes_of(b >> 8), bytes_of(b >> 12));
        } else {
            const uint32_t b = nonzero_bytes(x[i].x) | nonzero_bytes(x[i].y) << 4 | nonzero_bytes(x[i].z) << 8 |
                               nonzero_bytes(x[i].w) << 12;
            bytes[k] = (uint16_t)ordered_two(p, b);
        }
    }
}

// ---- lines side by side -----------------------------------------------------------------------

// Eight neighbouring lines: a word of their elements at a position, and one of their bytes.
__global__ void __launch_bounds__(GNDI_BITS_THREADS) across_kernel(const __grid_constant__ gndi_bits_params p) {
    const int64_t k = (int64_t)blockIdx.x * GNDI_BITS_THREADS + threadIdx.x;
    if (k >= p.work) return;
    const int64_t b = k / p.lines;
    int64_t line = k - b * p.lines;
    char *element = p.element, *byte = p.byte;
    for (int axis = p.ndim - 1; axis >= 0; axis--) {
        const int64_t next = line / p.shape[axis], at = line - next * p.shape[axis];
        element += at * p.element_stride[axis], byte += at * p.byte_stride[axis];
        line = next;
    }
    element += 8 * b * p.element_step, byte += b * p.byte_step;
    const int64_t left = p.elements - 8 * b;
    const int n = left < 8 ? (int)left : 8;
    uint2 bytes = make_uint2(0, 0);
    if (p.unpack) {
        if (b < p.bytes) bytes = *(const uint2 *)byte;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const int shift = p.little ? i : 7 - i;
            if (i < n)
                *(uint2 *)(element + i * p.element_step) =
                    make_uint2(bytes.x >> shift & 0x01010101u, bytes.y >> shift & 0x01010101u);
        }
        return;
    }
    uint2 x[8];
#pragma unroll
    for (int i = 0; i < 8; i++) x[i] = i < n ? *(const uint2 *)(element + i * p.element_step) : make_uint2(0, 0);
#pragma unroll
    for (int i = 0; i < 8; i++) {
        const int shift = p.little ? i : 7 - i;
        bytes.x |= (__vcmpne4(x[i].x, 0) & 0x01010101u) << shift;
        bytes.y |= (__vcmpne4(x[i].y, 0) & 0x01010101u) << shift;
    }
    *(uint2 *)byte = bytes;
}

} // namespace gnd

// For blocks of GNDI_BITS_THREADS threads, of GNDI_BITS_EACH pieces of work each, or (ACROSS) one.
extern "C" const void *gndi_cuda_bits_kernel(int how, int unpack) {
    if (how == GNDI_BITS_ACROSS) return reinterpret_cast<const void *>(&gnd::across_kernel);
    if (how == GNDI_BITS_ANY) return reinterpret_cast<const void *>(&gnd::any_kernel);
    return unpack ? reinterpret_cast<const void *>(&gnd::line_kernel<true>)
                  : reinterpret_cast<const void *>(&gnd::line_kernel<false>);
}
