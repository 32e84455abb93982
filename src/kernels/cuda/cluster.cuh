// cluster.cuh: blocks that run at once on neighbouring multiprocessors and write each other's shared memory (compute
// capability 9.0 and later; elsewhere such kernels do nothing, and are not launched).
#ifndef GNDI_CLUSTER_CUH
#define GNDI_CLUSTER_CUH

#include "kernels/scalar/scalar_types.h"

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#    define GNDI_CLUSTER(blocks) __cluster_dims__(blocks, 1, 1)
#else
#    define GNDI_CLUSTER(blocks)
#endif

namespace gnd {

// All threads of a cluster arrive, and wait for the others: stores to shared memory before are seen behind.
GNDI_FN void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
#endif
}
GNDI_FN void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
#endif
}

// Stores x in shared memory of block number `rank` of the cluster, where `to` is in this block's.
GNDI_FN void cluster_store(float *to, int rank, float x) {
#if __CUDA_ARCH__ >= 900
    asm volatile("{\n\t.reg .u32 at;\n\tmapa.shared::cluster.u32 at, %0, %1;\n\tst.shared::cluster.f32 [at], %2;\n\t}"
                 :
                 : "r"((uint32_t)__cvta_generic_to_shared(to)), "r"(rank), "f"(x)
                 : "memory");
#endif
}

} // namespace gnd

#endif
