/*
 * elementwise_rows.cuh: the general kernel: any strides, broadcasting, a mask. With V > 1 a
 * thread's unit is a vector along axis 0, where every operand is either dense or stands still; with
 * V == 1 it is an element. Neighbouring threads take neighbouring units, and a thread has U in
 * flight.
 *
 * With Mixed, operands are cast from and to dtypes that only the launch knows: a switch, the same
 * way for all threads. With Deep, the axes lie in device memory, and there may be any number.
 */
#ifndef GNDI_ELEMENTWISE_ROWS_CUH
#define GNDI_ELEMENTWISE_ROWS_CUH

#include "kernels/cuda/elementwise_operator.cuh"

namespace gnd {

template <class O> struct rows_shape {
    static constexpr bool copies = O::op == GNDI_OP_copy;
    static constexpr int width = largest(1, smallest(4, 16 / O::widest));
    static constexpr int unroll = O::long_body ? 1 : GNDI_TUNE_ROWS * (O::widest <= 2 ? 2 : 1);
    static constexpr int strided_unroll = O::cheap ? GNDI_TUNE_STRIDED : O::long_body ? 1 : 2;
    static constexpr int mixed_unroll = O::cheap ? GNDI_TUNE_MIXED : 1;
};

/* ---- where units lie
 * ---------------------------------------------------------------------------------- */

/* One axis further: takes its coordinate out of rest[] and adds what that is worth in bytes. */
template <int N, int U> GNDI_FN void step_axis(const gndi_rows_axis &axis, bool last, bool masked,
                                               uint32_t (&rest)[U], int64_t (&offset)[N][U],
                                               int64_t (&mask_offset)[U]) {
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint32_t quotient = last ? 0 : divide_by(axis.divisor, rest[u]);
        const int64_t coordinate = rest[u] - quotient * axis.divisor.size;
        rest[u] = quotient;
#pragma unroll
        for (int k = 0; k < N; k++) offset[k][u] += coordinate * axis.stride[k];
        if (masked) mask_offset[u] += coordinate * axis.stride[GNDI_CUDA_OPERANDS - 1];
    }
}
template <bool Deep, int N, int U>
GNDI_FN void find_units(const gndi_rows_params &p, uint32_t (&rest)[U], int64_t (&offset)[N][U],
                        int64_t (&mask_offset)[U]) {
#pragma unroll
    for (int u = 0; u < U; u++) {
        mask_offset[u] = 0;
#pragma unroll
        for (int k = 0; k < N; k++) offset[k][u] = 0;
    }
    const bool masked = p.data[GNDI_CUDA_OPERANDS - 1] != nullptr;
#pragma unroll 1
    for (uint32_t i = 0; i < p.axes; i++)
        step_axis(Deep ? p.deep[i] : p.axis[i], i + 1 == p.axes, masked, rest, offset, mask_offset);
}

/* ---- loads and stores
 * ------------------------------------------------------------------------------------- */

template <class To, class From, int V, int U> GNDI_FN void
load_cast(const char *data, const int64_t (&offset)[U], bool replicated, To (&x)[U][V]) {
    From raw[U][V];
    if (V == 1 || replicated) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            const From same = *reinterpret_cast<const From *>(data + offset[u]);
#pragma unroll
            for (int v = 0; v < V; v++) raw[u][v] = same;
        }
    } else {
#pragma unroll
        for (int u = 0; u < U; u++) load_vector(data + offset[u], raw[u]);
    }
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
        for (int v = 0; v < V; v++) x[u][v] = cast<To>(raw[u][v]);
}

#define GNDI_EACH_DTYPE(X)                                                                         \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)

/* Input I of the operator. */
template <class O, int I, bool Mixed, class To, int V, int U, int N>
GNDI_FN void load_input(const gndi_rows_params &p, const int64_t (&offset)[N][U], To (&x)[U][V]) {
    if constexpr (I < O::nin) {
        constexpr int k = O::nout + I;
        const char *data = p.data[k];
        const bool replicated = p.replicated >> k & 1;
        if (p.immediate >> I & 1) {
            const To same = value_as<To>(p.value[I]);
#pragma unroll
            for (int u = 0; u < U; u++)
#pragma unroll
                for (int v = 0; v < V; v++) x[u][v] = same;
        } else if (!Mixed || p.dtype[k] == dtype_of<To>) {
            load_cast<To, To>(data, offset[k], replicated, x);
        } else {
            switch (p.dtype[k]) {
#define GNDI_CASE(number)                                                                          \
case number:                                                                                       \
    if constexpr (number != dtype_of<To> && gndi_cuda_loads(O::op, number, dtype_of<To>))          \
        load_cast<To, storage_of<number>>(data, offset[k], replicated, x);                         \
    break;
                GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
            }
        }
    }
}

template <class To, class From, int V>
GNDI_FN void store_cast(char *at, const From (&x)[V], const bool (&keep)[V], bool all) {
    To raw[V];
#pragma unroll
    for (int v = 0; v < V; v++) raw[v] = cast<To>(x[v]);
    if (all) {
        store_vector(at, raw);
    } else if (V > 1) {
#pragma unroll
        for (int v = 0; v < V; v++)
            if (keep[v]) reinterpret_cast<To *>(at)[v] = raw[v];
    }
}
/* One vector of output k. */
template <class O, bool Mixed, class From, int V>
GNDI_FN void store_output(const gndi_rows_params &p, int k, int64_t offset, const From (&x)[V],
                          const bool (&keep)[V], bool all) {
    char *at = p.data[k] + offset;
    if (!Mixed || p.dtype[k] == dtype_of<From>) {
        store_cast<From>(at, x, keep, all);
    } else {
        switch (p.dtype[k]) {
#define GNDI_CASE(number)                                                                          \
case number:                                                                                       \
    if constexpr (number != dtype_of<From> && gndi_cuda_stores(O::op, dtype_of<From>, number))     \
        store_cast<storage_of<number>>(at, x, keep, all);                                          \
    break;
            GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
        }
    }
}

/* ---- the kernel
 * --------------------------------------------------------------------------------------------- */

template <class O, int V, int U, bool Mixed, bool Deep>
__global__ void __launch_bounds__(GNDI_CUDA_THREADS)
    rows_kernel(const __grid_constant__ gndi_rows_params p) {
    constexpr int operands = O::nin + O::nout;
    const uint32_t start = blockIdx.x * (uint32_t)(GNDI_CUDA_THREADS * U) + threadIdx.x;
    if (start >= p.count) return;

    uint32_t rest[U];
    int64_t offset[operands][U], mask_offset[U];
    /* Past the end the last unit is read again, so that no load hangs on a condition. */
#pragma unroll
    for (int u = 0; u < U; u++) rest[u] = min(start + u * GNDI_CUDA_THREADS, p.count - 1);
    find_units<Deep>(p, rest, offset, mask_offset);

    typename O::template in<0> a[U][V];
    typename O::template in<1> b[U][V];
    typename O::template in<2> c[U][V];
    load_input<O, 0, Mixed>(p, offset, a);
    load_input<O, 1, Mixed>(p, offset, b);
    load_input<O, 2, Mixed>(p, offset, c);
    bool keep[U][V];
    const char *mask = p.data[GNDI_CUDA_OPERANDS - 1];
    if (mask) {
        load_cast<bool, bool>(mask, mask_offset, p.replicated >> (GNDI_CUDA_OPERANDS - 1) & 1,
                              keep);
    } else {
#pragma unroll
        for (int u = 0; u < U; u++)
#pragma unroll
            for (int v = 0; v < V; v++) keep[u][v] = true;
    }

    bool fault = false;
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (u > 0 && start + u * GNDI_CUDA_THREADS >= p.count) break;
        typename O::template out<0> first[V];
        typename O::template out<1> second[V];
        bool all = true;
#pragma unroll
        for (int v = 0; v < V; v++) {
            O::apply(a[u][v], b[u][v], c[u][v], p.params, first[v], second[v]);
            if constexpr (O::checked) fault |= keep[u][v] && O::faults(a[u][v], b[u][v], c[u][v]);
            all &= keep[u][v];
        }
        store_output<O, Mixed>(p, 0, offset[0][u], first, keep[u], all);
        if constexpr (O::nout == 2)
            store_output<O, Mixed>(p, 1, offset[1][u], second, keep[u], all);
    }
    if constexpr (O::checked)
        if (fault) *p.fault = O::op + 1;
}

} // namespace gnd

#endif
