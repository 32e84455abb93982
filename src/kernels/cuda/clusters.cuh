// clusters.cuh: blocks of a cluster, which write to each other's shared memory, since compute capability 9.0. On
// older ones the functions do nothing.
#ifndef GNDI_CLUSTERS_CUH
#define GNDI_CLUSTERS_CUH

#include "fft/cuda/fft_registers.cuh"
#include "kernels/cuda/bulk_copies.cuh"

namespace gnd {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
GNDI_FN int rank_in_cluster() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return (int)rank;
}
// Where block `rank` has what this block has at p.
GNDI_FN unsigned place_in_block(const void *p, int rank) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(p)), "r"(rank));
    return there;
}
// All threads of the cluster, once: barriers for arrivals have been initialized.
GNDI_FN void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;\n"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// An arrival that takes place when `threads` threads have arrived, and all bytes that one of these expects.
GNDI_FN void arrival_init(bulk_arrival *a, int threads) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(a)), "r"(threads) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
GNDI_FN void expect_bytes(bulk_arrival *a, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(a)), "r"(bytes)
                 : "memory");
}
// Tells that shared memory has been read. No fence of what was written, which would wait for stores to memory.
GNDI_FN void arrive_in_block(unsigned arrival) {
    asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(arrival) : "memory");
}
// Stores whose bytes arrive at an arrival of the block that they go to.
GNDI_FN void send_to_block(unsigned there, double x, unsigned arrival) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f64 [%0], %1, [%2];" ::"r"(there), "d"(x),
                 "r"(arrival)
                 : "memory");
}
GNDI_FN void send_to_block(unsigned there, float x, unsigned arrival) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f32 [%0], %1, [%2];" ::"r"(there), "f"(x),
                 "r"(arrival)
                 : "memory");
}
GNDI_FN void send_to_block(unsigned there, number<double> z, unsigned arrival) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f64 [%0], {%1, %2}, [%3];" ::"r"(there),
                 "d"(z.re), "d"(z.im), "r"(arrival)
                 : "memory");
}
GNDI_FN void send_to_block(unsigned there, number<float> z, unsigned arrival) {
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(there),
                 "f"(z.re), "f"(z.im), "r"(arrival)
                 : "memory");
}
#else
GNDI_FN int rank_in_cluster() {
    return 0;
}
GNDI_FN unsigned place_in_block(const void *, int) {
    return 0;
}
GNDI_FN void wait_for_cluster() {}
GNDI_FN void arrival_init(bulk_arrival *, int) {}
GNDI_FN void expect_bytes(bulk_arrival *, int) {}
GNDI_FN void arrive_in_block(unsigned) {}
template <class T> GNDI_FN void send_to_block(unsigned, T, unsigned) {}
#endif

} // namespace gnd

#endif
