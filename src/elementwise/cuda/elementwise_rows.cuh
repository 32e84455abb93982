/*
 * elementwise_rows.cuh: the general kernel: any strides, broadcasting, a mask. A thread has one
 * position in all axes but the last of the parameter block, and along that one several units, all in
 * flight together: finding the position costs the same for one unit as for eight. Units are U vectors
 * of V elements along axis 0, where every operand is dense or stands still, or U * V elements.
 *
 * With Mixed, operands are cast from and to dtypes that only the launch knows: switches that all
 * threads take the same way. With Deep, the axes lie in device memory, and there may be any
 * number.
 */
#ifndef GNDI_ELEMENTWISE_ROWS_CUH
#define GNDI_ELEMENTWISE_ROWS_CUH

#include "elementwise/cuda/elementwise_operator.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

template <class O> struct rows_shape {
    static constexpr bool copies = O::op == GNDI_OP_copy;
    static constexpr int width = O::long_body ? 1 : largest(1, smallest(8, 16 / O::widest));
    static constexpr int unroll = O::cheap ? GNDI_TUNE_ROWS : 1;
    /* Every element is a cast for each dtype; only where casts are common may it be several. */
    static constexpr bool common = copies || O::in_family("arith");
    static constexpr int mixed_width = smallest(common ? 4 : 2, width);
    static constexpr int mixed_unroll =
        common ? largest(smallest(GNDI_TUNE_MIXED / mixed_width, 4), 1) * (copies ? 2 : 1) : 1;
};

/* ---- where units lie ------------------------------------------------------------------------ */

/* A thread's units along the last axis: first, first + step, ..., below size. */
struct unit_range {
    uint32_t first, step, size;
    __device__ __forceinline__ bool has(int i) const { return first + i * step < size; }
};

/* Finds the thread's position: offset[] in bytes for each operand. False if it has none. */
template <bool Deep>
GNDI_FN bool find_offsets(const gndi_rows_params &p, unit_range &units, int64_t (&offset)[GNDI_CUDA_OPERANDS]) {
    const gndi_rows_axis *const axes = Deep ? p.deep : p.axis;
    uint32_t rest = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < GNDI_CUDA_OPERANDS; k++) offset[k] = 0;
    if (p.axes == 1) { /* a block's units lie together */
        rest = blockIdx.x * (blockDim.x * p.units) + threadIdx.x;
    } else {
        if (rest >= p.threads) return false;
#pragma unroll 1
        for (uint32_t i = 0; i + 1 < p.axes; i++) {
            const uint32_t quotient = divide_by(axes[i].divisor, rest);
            const int64_t coordinate = rest - quotient * axes[i].divisor.size;
            rest = quotient;
#pragma unroll
            for (int k = 0; k < GNDI_CUDA_OPERANDS; k++) offset[k] += coordinate * axes[i].stride[k];
        }
        rest *= p.scale;
    }
    units = {rest, p.step, p.size};
#pragma unroll
    for (int k = 0; k < GNDI_CUDA_OPERANDS; k++) offset[k] += (int64_t)rest * axes[p.axes - 1].stride[k];
    return rest < p.size;
}

/* ---- units in memory ------------------------------------------------------------------------ */

/* step: bytes from one unit to the next. */
template <class S, int V, int U>
GNDI_FN void load_units(const char *at, int64_t step, int access, const unit_range &units, S (&x)[U][V]) {
    if (V > 1 && access == GNDI_ROWS_VECTOR) {
#pragma unroll
        for (int u = 0; u < U; u++)
            if (units.has(u)) load_vector(at + u * step, x[u]);
    } else if (V > 1 && access == GNDI_ROWS_SAME) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            S same = S();
            if (units.has(u)) same = *reinterpret_cast<const S *>(at + u * step);
#pragma unroll
            for (int v = 0; v < V; v++) x[u][v] = same;
        }
    } else {
#pragma unroll
        for (int i = 0; i < U * V; i++)
            if (units.has(i)) x[i / V][i % V] = *reinterpret_cast<const S *>(at + i * step);
    }
}
template <class S, int V, int U> GNDI_FN void store_units(char *at, int64_t step, int access, const unit_range &units,
                                                          const bool (&keep)[U][V], const S (&x)[U][V]) {
    if (V > 1 && access == GNDI_ROWS_VECTOR) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (!units.has(u)) break;
            bool all = true;
#pragma unroll
            for (int v = 0; v < V; v++) all &= keep[u][v];
            if (all) {
                store_vector(at + u * step, x[u]);
            } else {
#pragma unroll
                for (int v = 0; v < V; v++)
                    if (keep[u][v]) reinterpret_cast<S *>(at + u * step)[v] = x[u][v];
            }
        }
    } else {
#pragma unroll
        for (int i = 0; i < U * V; i++)
            if (units.has(i) && keep[i / V][i % V]) *reinterpret_cast<S *>(at + i * step) = x[i / V][i % V];
    }
}

/* ---- elements whose dtype only the launch knows --------------------------------------------- */

/* An element's bits, in the low bytes. */
template <int Words> struct raw_bits { uint32_t word[Words]; };

template <class S, int Words> GNDI_FN S from_raw(const raw_bits<Words> &raw) {
    S x = S();
    if constexpr (sizeof(S) <= sizeof raw) memcpy(&x, &raw, sizeof x);
    return x;
}
template <int Words, class S> GNDI_FN raw_bits<Words> to_raw(const S &x) {
    raw_bits<Words> raw = {};
    if constexpr (sizeof(S) <= sizeof raw) memcpy(&raw, &x, sizeof x);
    return raw;
}

#define GNDI_EACH_DTYPE(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define GNDI_EACH_SIZE(X) X(0, uint8_t) X(1, uint16_t) X(2, uint32_t) X(3, uint2) X(4, uint4)

/* The bits are loaded by size, whatever they mean, so that no operand's cast holds up the next
   operand's loads. */
template <int Words, int V, int U> GNDI_FN void load_raw(const gndi_rows_params &p, int k, const char *at,
                                                         const unit_range &units, raw_bits<Words> (&raw)[U][V]) {
    switch (p.log_size[k]) {
#define GNDI_CASE(log, W)                                                                                              \
case log:                                                                                                              \
    if constexpr (sizeof(W) <= 4 * Words) {                                                                            \
        W x[U][V];                                                                                                     \
        load_units(at, p.offset[k], p.access[k], units, x);                                                            \
        _Pragma("unroll") for (int i = 0; i < U * V; i++) raw[i / V][i % V] = to_raw<Words>(x[i / V][i % V]);          \
    }                                                                                                                  \
    break;
        GNDI_EACH_SIZE(GNDI_CASE)
#undef GNDI_CASE
    }
}
template <int Words, int V, int U> GNDI_FN void store_raw(const gndi_rows_params &p, int k, char *at,
                                                          const unit_range &units, const bool (&keep)[U][V],
                                                          const raw_bits<Words> (&raw)[U][V]) {
    switch (p.log_size[k]) {
#define GNDI_CASE(log, W)                                                                                              \
case log:                                                                                                              \
    if constexpr (sizeof(W) <= 4 * Words) {                                                                            \
        W x[U][V];                                                                                                     \
        _Pragma("unroll") for (int i = 0; i < U * V; i++) x[i / V][i % V] = from_raw<W>(raw[i / V][i % V]);            \
        store_units(at, p.offset[k], p.access[k], units, keep, x);                                                     \
    }                                                                                                                  \
    break;
        GNDI_EACH_SIZE(GNDI_CASE)
#undef GNDI_CASE
    }
}

/* ---- operands ------------------------------------------------------------------------------- */

/* Words enough for whatever the mixed kernel casts to or from S. */
template <class O, class S> constexpr int words_of =
    O::op == GNDI_OP_copy || is_complex<S> || is_same<S, absent> ? 4 : 2;

/* Input I of the operator, in flight: as it is in memory. */
template <class O, int I, bool Mixed, class S, int V, int U> struct input_units {
    typedef raw_bits<words_of<O, S>> raw_type;
    raw_type raw[U][V];
    __device__ __forceinline__ void load(const gndi_rows_params &p, const int64_t (&offset)[GNDI_CUDA_OPERANDS],
                                         const unit_range &units, S (&x)[U][V]) {
        constexpr int k = O::nout + I;
        if (p.access[k] == GNDI_ROWS_IMMEDIATE) {
            const S same = value_as<S>(p.value[I]);
#pragma unroll
            for (int i = 0; i < U * V; i++) x[i / V][i % V] = same;
        } else if constexpr (Mixed) {
            load_raw(p, k, p.data[k] + offset[k], units, raw);
        } else {
            load_units(p.data[k] + offset[k], p.offset[k], p.access[k], units, x);
        }
    }
    __device__ __forceinline__ void convert(const gndi_rows_params &p, S (&x)[U][V]) {
        constexpr int k = O::nout + I;
        if (!Mixed || p.access[k] == GNDI_ROWS_IMMEDIATE) return;
        switch (p.dtype[k]) {
#define GNDI_CASE(number)                                                                                              \
case number:                                                                                                           \
    if constexpr (gndi_cuda_loads(O::op, number, dtype_of<S>))                                                         \
        _Pragma("unroll") for (int i = 0; i < U * V; i++) x[i / V][i % V] =                                            \
            cast<S>(from_raw<storage_of<number>>(raw[i / V][i % V]));                                                  \
    break;
            GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
        }
    }
};
template <class O, int I, bool Mixed, int V, int U> struct input_units<O, I, Mixed, absent, V, U> {
    __device__ __forceinline__ void load(const gndi_rows_params &, const int64_t (&)[GNDI_CUDA_OPERANDS],
                                         const unit_range &, absent (&)[U][V]) {}
    __device__ __forceinline__ void convert(const gndi_rows_params &, absent (&)[U][V]) {}
};

/* Output k. */
template <class O, bool Mixed, class S, int V, int U>
GNDI_FN void store_output(const gndi_rows_params &p, int k, const int64_t (&offset)[GNDI_CUDA_OPERANDS],
                          const unit_range &units, const bool (&keep)[U][V], const S (&x)[U][V]) {
    char *at = p.data[k] + offset[k];
    if constexpr (!Mixed || O::op == GNDI_OP_copy) { /* `copy` computes in the dtype it stores */
        store_units(at, p.offset[k], p.access[k], units, keep, x);
    } else {
        raw_bits<words_of<O, S>> raw[U][V];
        switch (p.dtype[k]) {
#define GNDI_CASE(number)                                                                                              \
case number:                                                                                                           \
    if constexpr (gndi_cuda_stores(O::op, dtype_of<S>, number))                                                        \
        _Pragma("unroll") for (int i = 0; i < U * V; i++) raw[i / V][i % V] =                                          \
            to_raw<words_of<O, S>>(cast<storage_of<number>>(x[i / V][i % V]));                                         \
    break;
            GNDI_EACH_DTYPE(GNDI_CASE)
#undef GNDI_CASE
        }
        store_raw(p, k, at, units, keep, raw);
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

template <class O, int V, int U, bool Mixed, bool Deep> __global__ void __launch_bounds__(GNDI_CUDA_ROWS_THREADS)
    rows_kernel(const __grid_constant__ gndi_rows_params p) {
    start_early();
    constexpr int mask = GNDI_CUDA_OPERANDS - 1;
    typedef typename O::template in<0> A;
    typedef typename O::template in<1> B;
    typedef typename O::template in<2> C;
    unit_range units;
    int64_t offset[GNDI_CUDA_OPERANDS];
    if (!find_offsets<Deep>(p, units, offset)) return;

    A a[U][V];
    B b[U][V];
    C c[U][V];
    input_units<O, 0, Mixed, A, V, U> from_a;
    input_units<O, 1, Mixed, B, V, U> from_b;
    input_units<O, 2, Mixed, C, V, U> from_c;
    bool keep[U][V];
    from_a.load(p, offset, units, a);
    from_b.load(p, offset, units, b);
    from_c.load(p, offset, units, c);
#pragma unroll
    for (int i = 0; i < U * V; i++) keep[i / V][i % V] = true;
    if (p.data[mask]) load_units(p.data[mask] + offset[mask], p.offset[mask], p.access[mask], units, keep);
    from_a.convert(p, a);
    from_b.convert(p, b);
    from_c.convert(p, c);

    typename O::template out<0> first[U][V];
    typename O::template out<1> second[U][V];
    bool fault = false;
#pragma unroll
    for (int u = 0; u < U; u++)
#pragma unroll
        for (int v = 0; v < V; v++) {
            O::apply(a[u][v], b[u][v], c[u][v], p.params, first[u][v], second[u][v]);
            if constexpr (O::checked)
                fault |= units.has(p.units == U ? u : u * V + v) && keep[u][v] && O::faults(a[u][v], b[u][v], c[u][v]);
        }
    store_output<O, Mixed>(p, 0, offset, units, keep, first);
    if constexpr (O::nout == 2) store_output<O, Mixed>(p, 1, offset, units, keep, second);
    if constexpr (O::checked)
        if (fault) *p.fault = O::op + 1;
}

} // namespace gnd

#endif
