// sort_bins_cuda.cu: which radix passes a row needs, and where each digit's elements begin.
#include "kernels/cuda/sort_params.h"

namespace gnd {

enum { DIGITS = GNDI_SORT_DIGITS };

/* What each of a row's passes reads and writes. The last one writes out, the one before it
   scratch[0], so that scratch[1] may be memory of the operands. */
static __device__ void assign_roles(const gndi_sort_radix &p, uint32_t trivial, uint8_t *role) {
    uint32_t needed = ((1u << p.passes) - 1) & ~trivial;
    if (!needed) needed = 1;
    if (p.in_place && (needed & (needed - 1)) == 0) needed |= needed == 1 ? 2 : 1;
    if (p.even && __popc(needed) % 2) needed |= ~needed & (needed + 1);
    const int count = __popc(needed);
    int from = GNDI_SORT_OPERAND;
    for (int pass = 0, i = 0; pass < p.passes; pass++) {
        if (!(needed >> pass & 1)) {
            role[pass] = GNDI_SORT_SKIPPED;
            continue;
        }
        int to = GNDI_SORT_OPERAND;
        if (i < count - 1) to = (count - i) % 2 ? GNDI_SORT_SECOND : GNDI_SORT_FIRST;
        role[pass] = (uint8_t)(from + 4 * to);
        from = to;
        i++;
    }
}

/* A block a row. */
static __global__ void __launch_bounds__(GNDI_SORT_DIGITS)
    radix_bins(const __grid_constant__ gndi_sort_radix p) {
    __shared__ unsigned long long total[DIGITS / 32];
    __shared__ uint32_t trivial;
    const int64_t row = blockIdx.x;
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned long long *bins = p.bins + row * p.passes * DIGITS;
    if (t == 0) trivial = 0;
    __syncthreads();
    for (int pass = 0; pass < p.passes; pass++) {
        const unsigned long long own = bins[pass * DIGITS + t];
        unsigned long long up_to = own;
        if ((int64_t)own == p.plan.length) atomicOr(&trivial, 1u << pass);
        for (unsigned d = 1; d < 32; d *= 2) {
            const unsigned long long before = __shfl_up_sync(~0u, up_to, d);
            if (lane >= d) up_to += before;
        }
        if (lane == 31) total[warp] = up_to;
        __syncthreads();
        for (unsigned w = 0; w < warp; w++) up_to += total[w];
        bins[pass * DIGITS + t] = up_to - own;
        __syncthreads();
    }
    if (t == 0) assign_roles(p, trivial, p.role + row * GNDI_SORT_MOST_PASSES);
}

} // namespace gnd

/* For a block of GNDI_SORT_DIGITS threads a row. */
extern "C" const void *gndi_sort_bins_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::radix_bins);
}
