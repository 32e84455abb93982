// async_copy.cuh: copies of elements from memory to shared memory that need no registers, so that many are on their way
// at once; and what is brought to the L2 cache ahead.
#ifndef GNDI_ASYNC_COPY_CUH
#define GNDI_ASYNC_COPY_CUH

#include "kernels/scalar/scalar_types.h"

namespace gnd {

// Begins a copy of an element of 4, 8 or 16 bytes; wait_for_copies ends all of a thread's.
template <class A> GNDI_FN void copy_element(A *to, const void *from) {
    static_assert(sizeof(A) == 4 || sizeof(A) == 8 || sizeof(A) == 16, "what the instruction copies");
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from),
                 "n"(sizeof(A)));
#else
    *to = *reinterpret_cast<const A *>(from);
#endif
}
// The same of 8 or 16 bytes; zeros where there is nothing to copy: from an address that is not read, then.
template <class A> GNDI_FN void copy_or_zero(A *to, const void *from, bool there) {
    static_assert(sizeof(A) == 8 || sizeof(A) == 16, "what the instruction copies");
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "l"(from), "n"(sizeof(A)), "r"(there ? (int)sizeof(A) : 0)
                 : "memory");
#else
    *to = there ? *reinterpret_cast<const A *>(from) : A{};
#endif
}
GNDI_FN void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Copies begun since the last call are a group; wait_for_earlier_copies ends all of a thread's but those of the last.
GNDI_FN void commit_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
GNDI_FN void wait_for_earlier_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
}
// The same for the last `groups`.
template <int groups> GNDI_FN void wait_for_copies_before() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#endif
}

// Copies of 16 bytes that leave the L1 cache alone, as those of what other blocks have just written have to.
GNDI_FN void copy_from_l2(void *to, const void *from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(to)), "l"(from));
#endif
}
// The same of what is read once: it leaves the L2 cache before all else. The policy is of_what_is_read_once's.
template <int bytes> GNDI_FN void copy_once(void *to, const void *from, uint64_t policy) {
#if __CUDA_ARCH__ >= 800
    const unsigned there = (unsigned)__cvta_generic_to_shared(to);
    if constexpr (bytes == 16)
        asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(there), "l"(from),
                     "l"(policy));
    else
        asm volatile("cp.async.ca.shared.global.L2::cache_hint [%0], [%1], %2, %3;" ::"r"(there), "l"(from), "n"(bytes),
                     "l"(policy));
#endif
}
GNDI_FN uint64_t of_what_is_read_once() {
    uint64_t policy = 0;
#if __CUDA_ARCH__ >= 800
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
    return policy;
}

// Begins to bring the cache line of an address in memory to the L2 cache.
GNDI_FN void fetch_line(const void *from) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
}

} // namespace gnd

#endif
