// relay.cuh: what blocks that all run at once tell each other through memory: words that are complete in themselves,
// and counters, behind which lies what was written or read before they were counted up.
#ifndef GNDI_RELAY_CUH
#define GNDI_RELAY_CUH

#include "kernels/scalar/scalar_types.h"

namespace gnd {

// Acquire and release at a scope exist since compute capability 7.0.
GNDI_FN void post_word(uint64_t *to, uint64_t word) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(to), "l"(word) : "memory");
}
GNDI_FN uint64_t look_at_word(const uint64_t *from) {
    uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(from) : "memory");
    return word;
}
// By one thread, for those that it waited for at a barrier.
GNDI_FN void count_up(uint32_t *counter) {
    asm volatile("fence.acq_rel.gpu;\n"
                 "red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(counter)
                 : "memory");
}
// Waits until a counter, which never decreases, is at least `least`.
GNDI_FN void await_count(const uint32_t *counter, uint32_t least) {
    uint32_t now;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(counter) : "memory");
    while (now < least);
}

} // namespace gnd

#endif
