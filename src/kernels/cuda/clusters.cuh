// clusters.cuh: blocks of a cluster, which write to each other's shared memory, since compute capability 9.0. On
// older ones the functions do nothing.
#ifndef GNDI_CLUSTERS_CUH
#define GNDI_CLUSTERS_CUH

#include "kernels/scalar/scalar_types.h"

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
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(rank));
    return there;
}
GNDI_FN void store_in_block(unsigned there, double x) {
    asm volatile("st.shared::cluster.f64 [%0], %1;" ::"r"(there), "d"(x) : "memory");
}
GNDI_FN void store_in_block(unsigned there, float x) {
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(x) : "memory");
}
// All threads of the cluster arrive, and then wait: what each did before it arrived has been done.
GNDI_FN void arrive_in_cluster() {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}
GNDI_FN void wait_for_cluster() {
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}
#else
GNDI_FN int rank_in_cluster() {
    return 0;
}
GNDI_FN unsigned place_in_block(const void *, int) {
    return 0;
}
template <class R> GNDI_FN void store_in_block(unsigned, R) {}
GNDI_FN void arrive_in_cluster() {}
GNDI_FN void wait_for_cluster() {}
#endif

} // namespace gnd

#endif
