// sums.cuh: sums of products as the kernels of sliding sums compute them: whole numbers modulo 2^32 or 2^64, or
// floating numbers. Elements are loaded from and stored to any dtype of that type.
#ifndef GNDI_SUMS_CUH
#define GNDI_SUMS_CUH

#include "kernels/cuda/products.cuh"
#include "signal/cuda/correlate_params.h"

namespace gnd {

template <class A> GNDI_FN void add_sum(A &sum, A more, bool is_bool) {
    if constexpr (is_complex<A>)
        sum.re += more.re, sum.im += more.im;
    else if (is_bool)
        sum = (sum != 0) | (more != 0);
    else
        sum += more;
}
template <class A> GNDI_FN bool is_finite(A k) {
    if constexpr (is_complex<A>)
        return k.re - k.re == 0 && k.im - k.im == 0;
    else
        return k - k == 0;
}

// Whole numbers are right modulo the size that they are cut to in the end, whatever their sign.
template <class A> GNDI_FN A load(const char *p, int dtype) {
    if constexpr (is_same<A, uint32_t>) {
        if (dtype <= 3) return *(const uint8_t *)p;
        return dtype <= 5 ? *(const uint16_t *)p : *(const uint32_t *)p;
    } else if constexpr (is_same<A, float>) {
        if (dtype == dtype_of<float>) return *(const float *)p;
        if (dtype == dtype_of<float16>) return to_float(*(const float16 *)p);
        return to_float(*(const bfloat16 *)p);
    } else {
        return *(const A *)p;
    }
}
template <class A> GNDI_FN void store(char *p, A sum, int dtype) {
    if constexpr (is_same<A, uint32_t>) {
        if (dtype == 1)
            *(uint8_t *)p = sum != 0;
        else if (dtype <= 3)
            *(uint8_t *)p = (uint8_t)sum;
        else if (dtype <= 5)
            *(uint16_t *)p = (uint16_t)sum;
        else
            *(uint32_t *)p = sum;
    } else if constexpr (is_same<A, float>) {
        if (dtype == dtype_of<float>)
            *(float *)p = sum;
        else if (dtype == dtype_of<float16>)
            *(float16 *)p = to_float16(sum);
        else
            *(bfloat16 *)p = to_bfloat16(sum);
    } else {
        *(A *)p = sum;
    }
}

// Four neighbours in shared memory.
template <class A> struct __align__(16) four {
    A at[4];
};
template <class A> GNDI_FN void load_four(const A *from, A *to) {
    const four<A> x = *reinterpret_cast<const four<A> *>(from);
#pragma unroll
    for (int c = 0; c < 4; c++) to[c] = x.at[c];
}

// The kernel that find(A{}) gives for the type A of sums (GNDI_SUMS_...).
template <class F> static inline const void *with_sums(int type, F find) {
    switch (type) {
    case GNDI_SUMS_UINT32: return find(uint32_t{});
    case GNDI_SUMS_UINT64: return find(uint64_t{});
    case GNDI_SUMS_FLOAT: return find(float{});
    case GNDI_SUMS_DOUBLE: return find(double{});
    case GNDI_SUMS_COMPLEX_FLOAT: return find(complex<float>{});
    default: return find(complex<double>{});
    }
}

} // namespace gnd

#endif
