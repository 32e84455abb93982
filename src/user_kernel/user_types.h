/*
 * user_types.h: what users' kernels see besides C++ itself (gnd/kernel.h): complex numbers with
 * operators, arrays with indices, and the way between them and gnd's storage types. Compiles under
 * NVRTC and as the CPU's C++; included by generated text only.
 */
#ifndef GNDI_USER_TYPES_H
#define GNDI_USER_TYPES_H

#include "kernels/scalar/scalar_ops.h"

#if GNDI_ON_DEVICE
#    define GNDI_USER_FN __device__ __forceinline__
#else
#    define GNDI_USER_FN __attribute__((always_inline)) inline
#endif

namespace gnd {
namespace user {

/* ---- complex numbers ------------------------------------------------------------------------- */

/* gnd::complex with conversions and operators. Real numbers convert to it, so 2 * z is possible. */
template <class R> struct complex : gnd::complex<R> {
    complex() = default;
    GNDI_USER_FN constexpr complex(R a) : gnd::complex<R>{a, (R)0} {}
    GNDI_USER_FN constexpr complex(R a, R b) : gnd::complex<R>{a, b} {}
    template <class Q> GNDI_USER_FN constexpr complex(gnd::complex<Q> z) : gnd::complex<R>{(R)z.re, (R)z.im} {}
    GNDI_USER_FN R real() const { return this->re; }
    GNDI_USER_FN R imag() const { return this->im; }
    GNDI_USER_FN complex operator-() const { return complex(-this->re, -this->im); }
    GNDI_USER_FN complex &operator+=(complex z) { return *this = *this + z; }
    GNDI_USER_FN complex &operator-=(complex z) { return *this = *this - z; }
    GNDI_USER_FN complex &operator*=(complex z) { return *this = *this * z; }
    GNDI_USER_FN complex &operator/=(complex z) { return *this = *this / z; }

#define GNDI_COMPLEX_OPERATOR(symbol, name)                                                                            \
    friend GNDI_USER_FN complex operator symbol(complex a, complex b) {                                                \
        return ops::name((gnd::complex<R>)a, (gnd::complex<R>)b);                                                      \
    }
    GNDI_COMPLEX_OPERATOR(+, add)
    GNDI_COMPLEX_OPERATOR(-, subtract)
    GNDI_COMPLEX_OPERATOR(*, multiply)
    GNDI_COMPLEX_OPERATOR(/, divide)
#undef GNDI_COMPLEX_OPERATOR
    friend GNDI_USER_FN bool operator==(complex a, complex b) {
        return a.re == b.re && a.im == b.im;
    }
    friend GNDI_USER_FN bool operator!=(complex a, complex b) {
        return !(a == b);
    }

    friend GNDI_USER_FN R real(complex z) {
        return z.re;
    }
    friend GNDI_USER_FN R imag(complex z) {
        return z.im;
    }
    friend GNDI_USER_FN R abs(complex z) {
        return m::hypot(z.re, z.im);
    }
    friend GNDI_USER_FN R arg(complex z) {
        return m::atan2(z.im, z.re);
    }
    friend GNDI_USER_FN R norm(complex z) {
        return z.re * z.re + z.im * z.im;
    }
    friend GNDI_USER_FN complex conj(complex z) {
        return complex(z.re, -z.im);
    }
    friend GNDI_USER_FN complex pow(complex a, complex b) {
        return c::pow((gnd::complex<R>)a, (gnd::complex<R>)b);
    }
#define GNDI_COMPLEX_FUNCTION(name)                                                                                    \
    friend GNDI_USER_FN complex name(complex z) {                                                                      \
        return c::name((gnd::complex<R>)z);                                                                            \
    }
    GNDI_COMPLEX_FUNCTION(sqrt)
    GNDI_COMPLEX_FUNCTION(exp)
    GNDI_COMPLEX_FUNCTION(exp2)
    GNDI_COMPLEX_FUNCTION(expm1)
    GNDI_COMPLEX_FUNCTION(log)
    GNDI_COMPLEX_FUNCTION(log2)
    GNDI_COMPLEX_FUNCTION(log10)
    GNDI_COMPLEX_FUNCTION(log1p)
    GNDI_COMPLEX_FUNCTION(sin)
    GNDI_COMPLEX_FUNCTION(cos)
    GNDI_COMPLEX_FUNCTION(tan)
    GNDI_COMPLEX_FUNCTION(asin)
    GNDI_COMPLEX_FUNCTION(acos)
    GNDI_COMPLEX_FUNCTION(atan)
    GNDI_COMPLEX_FUNCTION(sinh)
    GNDI_COMPLEX_FUNCTION(cosh)
    GNDI_COMPLEX_FUNCTION(tanh)
    GNDI_COMPLEX_FUNCTION(asinh)
    GNDI_COMPLEX_FUNCTION(acosh)
    GNDI_COMPLEX_FUNCTION(atanh)
#undef GNDI_COMPLEX_FUNCTION
};

/* ---- what a variable of a kernel is ---------------------------------------------------------- */

/* The type that text computes with for storage type S. */
template <class S> struct number { typedef S type; };
template <> struct number<float16> { typedef float type; };
template <> struct number<bfloat16> { typedef float type; };
template <class R> struct number<gnd::complex<R>> { typedef complex<R> type; };
template <class S> using number_t = typename number<S>::type;

/* An element of storage type From as a variable for storage type S, and the way back. */
template <class S, class From> GNDI_USER_FN number_t<S> load(const From *p) {
    return number_t<S>(load_as<S>(*p));
}
template <class To, class S> GNDI_USER_FN void store(To *p, const number_t<S> &x) {
    *p = store_as<To, S>((compute_t<S>)x);
}

/* ---- elements of arrays ---------------------------------------------------------------------- */

/* A 16-bit element that can be assigned to. */
template <class S> struct half_element {
    S *p;
    GNDI_USER_FN operator float() const { return to_compute(*p); }
    GNDI_USER_FN half_element &operator=(float x) { return *p = from_compute<S>(x), *this; }
    GNDI_USER_FN half_element &operator=(const half_element &x) { return *p = *x.p, *this; }
    GNDI_USER_FN half_element &operator+=(float x) { return *this = (float)*this + x; }
    GNDI_USER_FN half_element &operator-=(float x) { return *this = (float)*this - x; }
    GNDI_USER_FN half_element &operator*=(float x) { return *this = (float)*this * x; }
    GNDI_USER_FN half_element &operator/=(float x) { return *this = (float)*this / x; }
};

/* What x[k] is, and what x.data() points to: values of `const S`, references of S. */
template <class S> struct element {
    typedef number_t<S> &reference;
    typedef number_t<S> *pointer;
    GNDI_USER_FN static reference at(S *p) { return *(number_t<S> *)p; }
};
template <class S> struct element<const S> {
    typedef number_t<S> reference;
    typedef const number_t<S> *pointer;
    GNDI_USER_FN static reference at(const S *p) { return *(const number_t<S> *)p; }
};
#define GNDI_HALF_ELEMENT(S)                                                                                           \
    template <> struct element<S> {                                                                                    \
        typedef half_element<S> reference;                                                                             \
        typedef S *pointer;                                                                                            \
        GNDI_USER_FN static reference at(S *p) { return half_element<S>{p}; }                                          \
    };                                                                                                                 \
    template <> struct element<const S> {                                                                              \
        typedef float reference;                                                                                       \
        typedef const S *pointer;                                                                                      \
        GNDI_USER_FN static reference at(const S *p) { return to_compute(*p); }                                        \
    };
GNDI_HALF_ELEMENT(float16)
GNDI_HALF_ELEMENT(bfloat16)
#undef GNDI_HALF_ELEMENT

/* Byte offset of element k in C order. */
GNDI_USER_FN int64_t offset_of(int ndim, const int64_t *shape, const int64_t *stride, int64_t k) {
    int64_t offset = 0;
    for (int axis = ndim - 1; axis > 0; axis--) {
        const int64_t rest = k / shape[axis];
        offset += (k - rest * shape[axis]) * stride[axis];
        k = rest;
    }
    return ndim > 0 ? offset + k * stride[0] : offset;
}

/* A raw argument of N axes: sizes and strides stay where the launch has them. Dense: in C order,
   without gaps. */
template <class S, int N, bool Dense> struct view {
    typedef typename element<S>::reference reference;
    char *base;
    const int64_t *geometry; /* size, N sizes, N strides */
    GNDI_USER_FN int64_t size() const { return geometry[0]; }
    GNDI_USER_FN int ndim() const { return N; }
    GNDI_USER_FN int64_t shape(int axis) const { return geometry[1 + axis]; }
    GNDI_USER_FN int64_t stride(int axis) const { return geometry[1 + N + axis]; }
    GNDI_USER_FN typename element<S>::pointer data() const { return (typename element<S>::pointer)base; }
    GNDI_USER_FN reference operator[](int64_t k) const {
        if constexpr (Dense)
            return element<S>::at((S *)base + k);
        else
            return element<S>::at((S *)(base + offset_of(N, geometry + 1, geometry + 1 + N, k)));
    }
    template <class... K> GNDI_USER_FN reference operator()(K... k) const {
        static_assert(sizeof...(K) == N, "an array is indexed by as many indices as it has axes");
        const int64_t index[] = {(int64_t)k..., 0};
        int64_t offset = 0;
        for (int axis = 0; axis < N; axis++) offset += index[axis] * stride(axis);
        return element<S>::at((S *)(base + offset));
    }
};

/* _ind: where an element is, in a loop of N axes. */
template <int N> struct index {
    int64_t at[N > 0 ? N : 1];
    const int64_t *sizes;
    GNDI_USER_FN int64_t operator[](int axis) const { return at[axis]; }
    GNDI_USER_FN int64_t shape(int axis) const { return sizes[axis]; }
    GNDI_USER_FN int ndim() const { return N; }
};

/* ---- threads that work on one core together -------------------------------------------------- */

#if GNDI_ON_DEVICE
GNDI_USER_FN void sync_lanes() {
    __syncthreads();
}
/* One value of each thread of the block, joined pair by pair; blocks are powers of two. */
template <class V, class Join> __device__ V fold_lanes(V value, Join join) {
    __shared__ __align__(16) unsigned char workspace[1024 * sizeof(V)];
    V *values = (V *)workspace;
    __syncthreads();
    values[threadIdx.x] = value;
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) values[threadIdx.x] = join(values[threadIdx.x], values[threadIdx.x + half]);
    }
    __syncthreads();
    return values[0];
}
#else
GNDI_USER_FN void sync_lanes() {}
template <class V, class Join> GNDI_USER_FN V fold_lanes(V value, Join) {
    return value;
}
#endif

} // namespace user

/* An array as a parameter of a kernel of a module, with any strides; as the launch fills it in. */
template <class S> struct array {
    typedef typename user::element<S>::reference reference;
    char *base;
    int64_t elements, dense, axes, sizes[64], strides[64];
    GNDI_USER_FN int64_t size() const { return elements; }
    GNDI_USER_FN int ndim() const { return (int)axes; }
    GNDI_USER_FN int64_t shape(int axis) const { return sizes[axis]; }
    GNDI_USER_FN int64_t stride(int axis) const { return strides[axis]; }
    GNDI_USER_FN typename user::element<S>::pointer data() const { return (typename user::element<S>::pointer)base; }
    GNDI_USER_FN reference operator[](int64_t k) const {
        return user::element<S>::at(dense ? (S *)base + k
                                          : (S *)(base + user::offset_of((int)axes, sizes, strides, k)));
    }
    template <class... K> GNDI_USER_FN reference operator()(K... k) const {
        const int64_t index[] = {(int64_t)k..., 0};
        int64_t offset = 0;
        for (int axis = 0; axis < (int)sizeof...(K); axis++) offset += index[axis] * strides[axis];
        return user::element<S>::at((S *)(base + offset));
    }
};

} // namespace gnd

/* Names that users write. */
using gnd::bfloat16;
using gnd::float16;
using gnd::user::complex;
#if GNDI_ON_DEVICE
#    include <stdint.h>
#endif
typedef signed char int8;
typedef unsigned char uint8;
typedef short int16;
typedef unsigned short uint16;
typedef int int32;
typedef unsigned int uint32;
typedef long int64;
typedef unsigned long uint64;
typedef float float32;
typedef double float64;
typedef complex<float> complex64;
typedef complex<double> complex128;

/* What <math.h>, <float.h> and <limits.h> have beside functions; NVRTC has none of these headers. */
#if GNDI_ON_DEVICE
#    ifndef M_PI
#        define M_PI 3.14159265358979323846
#    endif
#    ifndef M_PI_2
#        define M_PI_2 1.57079632679489661923
#    endif
#    ifndef M_PI_4
#        define M_PI_4 0.78539816339744830962
#    endif
#    ifndef M_E
#        define M_E 2.7182818284590452354
#    endif
#    ifndef M_LN2
#        define M_LN2 0.69314718055994530942
#    endif
#    ifndef M_LN10
#        define M_LN10 2.30258509299404568402
#    endif
#    ifndef M_SQRT2
#        define M_SQRT2 1.41421356237309504880
#    endif
#    ifndef M_SQRT1_2
#        define M_SQRT1_2 0.70710678118654752440
#    endif
#    ifndef FLT_MAX
#        define FLT_MAX 3.40282346638528859812e+38f
#    endif
#    ifndef FLT_MIN
#        define FLT_MIN 1.17549435082228750797e-38f
#    endif
#    ifndef FLT_EPSILON
#        define FLT_EPSILON 1.1920928955078125e-07f
#    endif
#    ifndef DBL_MAX
#        define DBL_MAX 1.79769313486231570815e+308
#    endif
#    ifndef DBL_MIN
#        define DBL_MIN 2.22507385850720138309e-308
#    endif
#    ifndef DBL_EPSILON
#        define DBL_EPSILON 2.220446049250313e-16
#    endif
#    ifndef INT_MAX
#        define INT_MAX 2147483647
#    endif
#    ifndef INT_MIN
#        define INT_MIN (-INT_MAX - 1)
#    endif
#    ifndef UINT_MAX
#        define UINT_MAX 4294967295u
#    endif
#    ifndef LLONG_MAX
#        define LLONG_MAX 9223372036854775807ll
#    endif
#    ifndef LLONG_MIN
#        define LLONG_MIN (-LLONG_MAX - 1)
#    endif
#    ifndef INFINITY
#        define INFINITY __int_as_float(0x7f800000)
#    endif
#    ifndef NAN
#        define NAN __int_as_float(0x7fffffff)
#    endif
#endif

#endif
