/*
 * special_family.cuh: the kernel of one family of special.def, which takes any strides and a mask. Rarely used
 * functions get little code: one kernel serves all functions of a family, by a switch that all threads take alike, and
 * functions that they share are there once. It computes in float64 and reads and writes float32 and float64; of family
 * simple there is one that computes in float32, too. A translation unit made from special_family.cu.in says which
 * family: GNDI_SPECIAL_FAMILY, a text. Its one function, GNDI_SPECIAL_KERNEL, gives the kernel of a loop.
 */
#include "elementwise/cuda/elementwise_operator.cuh"
#include "elementwise/cuda/special_params.h"
#include "kernels/scalar/special_ops.h"

namespace gnd {

constexpr bool is_family(const char *family) {
    return same_text(family, GNDI_SPECIAL_FAMILY);
}

/* ---- elements ------------------------------------------------------------------------------- */

/* C: float, double, complex<double>. */
template <class C> GNDI_FN C load_special(const char *at, int dtype) {
    if constexpr (is_complex<C>) {
        if (dtype == GND_INT64) return C{(double)*reinterpret_cast<const int64_t *>(at), 0};
        return *reinterpret_cast<const C *>(at);
    } else if constexpr (is_same<C, float>) {
        return *reinterpret_cast<const float *>(at);
    } else {
        return dtype == GND_FLOAT32 ? (double)*reinterpret_cast<const float *>(at)
                                    : *reinterpret_cast<const double *>(at);
    }
}
template <class C> GNDI_FN void store_special(char *at, int dtype, C x) {
    if constexpr (is_same<C, double>) {
        if (dtype == GND_FLOAT32) {
            *reinterpret_cast<float *>(at) = (float)x;
            return;
        }
    }
    *reinterpret_cast<C *>(at) = x;
}
template <class C> GNDI_FN C immediate_special(const double (&value)[2]) {
    if constexpr (is_complex<C>)
        return C{value[0], value[1]};
    else
        return (C)value[0];
}

/* ---- the functions -------------------------------------------------------------------------- */

template <class A, class C> GNDI_FN A argument_as(C x) {
    if constexpr (is_complex<C> && !is_complex<A>)
        return (A)x.re;
    else
        return x;
}
template <int Op, class C> GNDI_FN pair<C, C> evaluate_one(C a, C b, C c) {
    typedef functor<Op, C> F;
    if constexpr (F::nout == 2) {
        if constexpr (F::nin == 1)
            return F::apply(a);
        else
            return F::apply(a, b);
    } else if constexpr (F::nin == 1) {
        return {F::apply(a), C()};
    } else if constexpr (F::nin == 2) {
        return {F::apply(a, argument_as<typename F::template in<1>>(b)), C()};
    } else {
        return {F::apply(a, b, c), C()};
    }
}
template <class C> GNDI_FN_HEAVY pair<C, C> evaluate(int op, C a, C b, C c) {
    switch (op) {
#define OP(family, name, signature, loops, identity, flags)                                                            \
    case GNDI_OP_##name:                                                                                               \
        if constexpr (is_family(#family) && (((loops)&GNDI_BIT(GND_COMPLEX128)) != 0) == is_complex<C>)                \
            return evaluate_one<op_##name, C>(a, b, c);                                                                \
        break;
#include "kernels/ops/special.def"
#undef OP
    }
    return {C(), C()};
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* The bytes of element i's offset in operand k, for each. */
GNDI_FN void find_special(const gndi_special_params &p, uint32_t i, int64_t (&offset)[GNDI_CUDA_OPERANDS]) {
#pragma unroll
    for (int k = 0; k < GNDI_CUDA_OPERANDS; k++) offset[k] = 0;
#pragma unroll 1
    for (uint32_t axis = 0; axis < p.axes; axis++) {
        const gndi_cuda_divisor &divisor = p.axis[axis].divisor;
        const uint32_t quotient = divide_by(divisor, i);
        const int64_t coordinate = i - quotient * divisor.size;
        i = quotient;
#pragma unroll
        for (int k = 0; k < GNDI_CUDA_OPERANDS; k++) offset[k] += coordinate * p.axis[axis].stride[k];
    }
}

template <class C, int U> __global__ void __launch_bounds__(GNDI_SPECIAL_THREADS)
    special_kernel(const __grid_constant__ gndi_special_params p) {
    enum { IN = GNDI_CUDA_OUT, MASK = GNDI_CUDA_OPERANDS - 1 };
    const uint32_t first = blockIdx.x * (uint32_t)(GNDI_SPECIAL_THREADS * U) + threadIdx.x;
    C x[U][GNDI_CUDA_IN];
    bool keep[U];
    int64_t offset[U][GNDI_CUDA_OPERANDS];
#pragma unroll
    for (int u = 0; u < U; u++) {
        const uint32_t i = first + u * GNDI_SPECIAL_THREADS;
        keep[u] = i < p.n;
        if (!keep[u]) continue;
        find_special(p, i, offset[u]);
#pragma unroll
        for (int k = 0; k < GNDI_CUDA_IN; k++)
            x[u][k] = p.data[IN + k] ? load_special<C>(p.data[IN + k] + offset[u][IN + k], p.dtype[IN + k])
                                     : immediate_special<C>(p.value[k]);
        if (p.data[MASK]) keep[u] = *reinterpret_cast<const bool *>(p.data[MASK] + offset[u][MASK]);
    }
#pragma unroll
    for (int u = 0; u < U; u++) {
        if (!keep[u]) continue;
        const pair<C, C> y = evaluate<C>((int)p.op, x[u][0], x[u][1], x[u][2]);
        store_special<C>(p.data[0] + offset[u][0], p.dtype[0], y.first);
        if (p.data[1]) store_special<C>(p.data[1] + offset[u][1], p.dtype[1], y.second);
    }
}

template <bool Complex, bool Simple> static const void *find_kernel(int loop, int *units) {
    *units = Simple ? GNDI_SPECIAL_UNITS : 1;
    if constexpr (Complex)
        return reinterpret_cast<const void *>(&special_kernel<complex<double>, 1>);
    else if constexpr (!Simple)
        return reinterpret_cast<const void *>(&special_kernel<double, 1>);
    else if (loop == GND_FLOAT32)
        return reinterpret_cast<const void *>(&special_kernel<float, GNDI_SPECIAL_UNITS>);
    else
        return reinterpret_cast<const void *>(&special_kernel<double, GNDI_SPECIAL_UNITS>);
}

} // namespace gnd

extern "C" const void *GNDI_SPECIAL_KERNEL(int loop, int *units) {
    return gnd::find_kernel<gnd::is_family("complex"), gnd::is_family("simple")>(loop, units);
}
