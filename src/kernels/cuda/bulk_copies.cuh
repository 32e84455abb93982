/*
 * bulk_copies.cuh: bulk copies between global and shared memory, which one thread issues and the hardware
 * performs, from compute capability 9.0 on; and barriers for some of a block's threads. Addresses and sizes
 * are multiples of 16 bytes. Without hardware support (has_bulk_copies) the functions do nothing.
 */
#ifndef GNDI_BULK_COPIES_CUH
#define GNDI_BULK_COPIES_CUH

#include <stdint.h>

namespace gnd {

/* ---- barriers for some of a block's threads: 1 to 15; __syncthreads has 0 --------------------- */

/* Waits at barrier `id` until `threads` threads, a multiple of 32, have arrived. */
static __device__ __forceinline__ void sync_some(int id, int threads) {
    asm volatile("bar.sync %0, %1;" : : "r"(id), "r"(threads) : "memory");
}
/* Arrives without waiting. */
static __device__ __forceinline__ void pass_some(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" : : "r"(id), "r"(threads) : "memory");
}

/* ---- copies ----------------------------------------------------------------------------------- */

/* A barrier in shared memory at which threads wait for a load, one load at a time. */
struct bulk_arrival {
    unsigned long long state;
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
constexpr bool has_bulk_copies = true;

static __device__ __forceinline__ uint32_t shared_address(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
/* Initializes an arrival; other threads may use it after a barrier. */
static __device__ __forceinline__ void bulk_init(bulk_arrival *a) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(shared_address(a)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}
/* Loads; threads that wait at `a` also see this thread's earlier stores to shared memory. */
static __device__ __forceinline__ void bulk_load(void *to, const void *from, int bytes, bulk_arrival *a) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                 :
                 : "r"(shared_address(a)), "r"(bytes)
                 : "memory");
    if (bytes)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%0], [%1], %2, [%3];"
                     :
                     : "r"(shared_address(to)), "l"(from), "r"(bytes), "r"(shared_address(a))
                     : "memory");
}
/* Waits for a load; parity: whether an odd number of loads at `a` preceded it. */
static __device__ __forceinline__ void bulk_wait(bulk_arrival *a, int parity) {
    uint32_t there;
    do
        asm volatile("{\n"
                     ".reg .pred there;\n"
                     "mbarrier.try_wait.parity.shared::cta.b64 there, [%1], %2;\n"
                     "selp.u32 %0, 1, 0, there;\n"
                     "}"
                     : "=r"(there)
                     : "r"(shared_address(a)), "r"(parity)
                     : "memory");
    while (!there);
}
/* Makes a thread's writes to shared memory visible to bulk stores that are issued after a barrier. */
static __device__ __forceinline__ void bulk_fence() {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}
static __device__ __forceinline__ void bulk_store(void *to, const void *from, int bytes) {
    if (bytes)
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                     :
                     : "l"(to), "r"(shared_address(from)), "r"(bytes)
                     : "memory");
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
}
/* Waits until this thread's stores, or all but the last one, have read shared memory. */
static __device__ __forceinline__ void bulk_wait_read(bool but_last) {
    if (but_last)
        asm volatile("cp.async.bulk.wait_group.read 1;" : : : "memory");
    else
        asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
}
#else
constexpr bool has_bulk_copies = false;
static __device__ __forceinline__ void bulk_init(bulk_arrival *) {}
static __device__ __forceinline__ void bulk_load(void *, const void *, int, bulk_arrival *) {}
static __device__ __forceinline__ void bulk_wait(bulk_arrival *, int) {}
static __device__ __forceinline__ void bulk_fence() {}
static __device__ __forceinline__ void bulk_store(void *, const void *, int) {}
static __device__ __forceinline__ void bulk_wait_read(bool) {}
#endif

} // namespace gnd

#endif
