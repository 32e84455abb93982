/*
 * elementwise_dense.cuh: the kernel for contiguous operands that need no cast: one flat index, 16
 * bytes an access for the widest operand (4, 8 or less for narrower ones beside it), several
 * accesses of each operand in flight before the first is used.
 */
#ifndef GNDI_ELEMENTWISE_DENSE_CUH
#define GNDI_ELEMENTWISE_DENSE_CUH

#include "elementwise/cuda/elementwise_operator.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

template <class O> struct dense_shape {
    static constexpr int width = largest(1, 16 / O::widest);
    /* Bools of wider elements are little to write: two vectors keep memory as busy (10^8 floats
       compared with a number: 118 us instead of 123). */
    static constexpr bool narrow = O::nout == 1 && 4 * sizeof(typename O::template out<0>) <= O::widest;
    static constexpr int unroll = O::long_body ? 1 : narrow ? 2 : GNDI_TUNE_DENSE;
};

/* Where vectors at[] of one input are; NULL: it is an immediate. Bits of all that loading them needs. */
template <class S, int V, int U> GNDI_FN uint64_t find_dense(const void *data, const gndi_cuda_value &value,
                                                             const uint32_t (&at)[U], const char *(&from)[U]) {
    uint64_t needed = value.word[0];
#pragma unroll
    for (int u = 0; u < U; u++) {
        from[u] = data ? static_cast<const char *>(data) + (uint64_t)at[u] * (V * sizeof(S)) : nullptr;
        needed |= reinterpret_cast<uint64_t>(from[u]);
    }
    return needed;
}

/* Vectors of one input, or its immediate. */
template <class S, int V, int U>
GNDI_FN void load_dense(const char *const (&from)[U], const gndi_cuda_value &value, S (&x)[U][V]) {
    if (from[0]) {
#pragma unroll
        for (int u = 0; u < U; u++) load_vector(from[u], x[u]);
    } else {
        const S same = value_as<S>(value);
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int v = 0; v < V; v++) x[u][v] = same;
    }
}
template <int V, int U> GNDI_FN void load_dense(const char *const (&)[U], const gndi_cuda_value &, absent (&)[U][V]) {}

template <class S> GNDI_FN void load_element(const void *data, const gndi_cuda_value &value, uint32_t at, S &x) {
    x = data ? static_cast<const S *>(data)[at] : value_as<S>(value);
}
GNDI_FN void load_element(const void *, const gndi_cuda_value &, uint32_t, absent &) {}

template <class O, int V, int U> __global__ void __launch_bounds__(GNDI_CUDA_DENSE_THREADS)
    dense_kernel(const __grid_constant__ gndi_dense_params p) {
    let_next_start();
    const uint32_t vectors = p.n / V;
    const uint32_t start = blockIdx.x * (uint32_t)(GNDI_CUDA_DENSE_THREADS * U) + threadIdx.x;
    /* Past the end the last vector is read again, so that no load hangs on a condition. */
    uint32_t at[U];
#pragma unroll
    for (int u = 0; u < U; u++) at[u] = min(start + u * GNDI_CUDA_DENSE_THREADS, vectors - 1);
    const char *from[GNDI_CUDA_IN][U];
    char *const to = static_cast<char *>(p.out[0]) + (uint64_t)at[0] * (V * sizeof(typename O::template out<0>));
    uint64_t needed = reinterpret_cast<uint64_t>(to);
    needed |= find_dense<typename O::template in<0>, V>(p.in[0], p.value[0], at, from[0]);
    if constexpr (O::nin > 1) needed |= find_dense<typename O::template in<1>, V>(p.in[1], p.value[1], at, from[1]);
    if constexpr (O::nin > 2) needed |= find_dense<typename O::template in<2>, V>(p.in[2], p.value[2], at, from[2]);
    wait_with(needed);
    bool fault = false;
    if (start < vectors) {
        typename O::template in<0> a[U][V];
        typename O::template in<1> b[U][V];
        typename O::template in<2> c[U][V];
        load_dense(from[0], p.value[0], a);
        load_dense(from[1], p.value[1], b);
        load_dense(from[2], p.value[2], c);
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool inside = u == 0 || start + u * GNDI_CUDA_DENSE_THREADS < vectors;
            typename O::template out<0> first[V];
            typename O::template out<1> second[V];
#pragma unroll
            for (int v = 0; v < V; v++) {
                O::apply(a[u][v], b[u][v], c[u][v], p.params, first[v], second[v]);
                if constexpr (O::checked) fault |= inside && O::faults(a[u][v], b[u][v], c[u][v]);
            }
            if (!inside) continue;
            store_vector(u == 0 ? to : static_cast<char *>(p.out[0]) + (uint64_t)at[u] * sizeof first, first);
            if constexpr (O::nout == 2)
                store_vector(static_cast<char *>(p.out[1]) + (uint64_t)at[u] * sizeof second, second);
        }
    }
    if constexpr (V > 1) {
        const uint32_t i = vectors * V + start; /* the first threads take what no vector holds */
        if (start < p.n % V) {
            typename O::template in<0> a;
            typename O::template in<1> b;
            typename O::template in<2> c;
            load_element(p.in[0], p.value[0], i, a);
            load_element(p.in[1], p.value[1], i, b);
            load_element(p.in[2], p.value[2], i, c);
            typename O::template out<0> first;
            typename O::template out<1> second;
            O::apply(a, b, c, p.params, first, second);
            static_cast<typename O::template out<0> *>(p.out[0])[i] = first;
            if constexpr (O::nout == 2) static_cast<typename O::template out<1> *>(p.out[1])[i] = second;
            if constexpr (O::checked) fault |= O::faults(a, b, c);
        }
    }
    if constexpr (O::checked)
        if (fault) *p.fault = O::op + 1;
}

} // namespace gnd

#endif
