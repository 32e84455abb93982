/*
 * scalar_types.h: the element types of the kernels in C++: float16 and bfloat16 storage, complex numbers,
 * pairs, and the traits that connect them to dtype numbers and signature letters.
 *
 * It and the other scalar_*.h compile unchanged under nvcc (device code), NVRTC (no standard header
 * exists there) and g++ -std=c++17 (host, with -ffp-contract=off). nvcc's -fmad may stay on: where
 * a product followed by a sum is meant as two roundings, as in NumPy, m::mul and m::add say so.
 */
#ifndef GNDI_SCALAR_TYPES_H
#define GNDI_SCALAR_TYPES_H

#if !defined(__CUDACC_RTC__)
#    include <stdint.h>
#    include <string.h>
#endif

/* GNDI_FN: a function small enough to be inlined everywhere (GNDI_FN_MEMBER: of an object).
   GNDI_FN_HEAVY: a long one (complex
   transcendentals, gamma, Faddeeva), which kernels call, so that they stay small and compile
   quickly. */
#if defined(__CUDACC__)
#    define GNDI_ON_DEVICE 1
#    define GNDI_FN static __device__ __forceinline__
#    define GNDI_FN_MEMBER __device__ __forceinline__
#    define GNDI_FN_HEAVY static __device__ __noinline__
#    define GNDI_TABLE static __device__ const
#else
#    define GNDI_ON_DEVICE 0
#    define GNDI_FN static inline __attribute__((always_inline, unused))
#    define GNDI_FN_MEMBER inline __attribute__((always_inline))
#    define GNDI_FN_HEAVY static __attribute__((unused))
#    define GNDI_TABLE static const
#endif

namespace gnd {

#if defined(__CUDACC_RTC__)
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
#else
using ::int16_t;
using ::int32_t;
using ::int64_t;
using ::int8_t;
using ::uint16_t;
using ::uint32_t;
using ::uint64_t;
#endif

/* ---- storage types -------------------------------------------------------------------------- */

/* 16 bits in memory; every computation is in float. */
struct float16 {
    uint16_t bits;
};
struct bfloat16 {
    uint16_t bits;
};

template <class T> struct complex { T re, im; };

/* The result of an operator with two outputs. */
template <class A, class B> struct pair {
    A first;
    B second;
};

/* ---- small traits, there being no <type_traits> under NVRTC --------------------------------- */

template <class A, class B> struct same { static constexpr bool value = false; };
template <class A> struct same<A, A> { static constexpr bool value = true; };
template <class A, class B> constexpr bool is_same = same<A, B>::value;

template <bool Which, class A, class B> struct choose { typedef A type; };
template <class A, class B> struct choose<false, A, B> { typedef B type; };
template <bool Which, class A, class B> using choose_t = typename choose<Which, A, B>::type;

/* `type` is S; `kind` is NumPy's letter: b bool, i signed, u unsigned, f floating, c complex.
   `compute` is what the operators take and return for S, `real` the real type that belongs to S,
   `bits` the unsigned integer of the same size. The number is gnd_dtype's. */
template <class S> struct storage;
template <int Number> struct storage_number;

#define GNDI_STORAGE(S, number, letter, Compute, Real, Bits)                                                           \
    template <> struct storage<S> {                                                                                    \
        static constexpr int dtype = number;                                                                           \
        static constexpr char kind = letter;                                                                           \
        typedef S type;                                                                                                \
        typedef Compute compute;                                                                                       \
        typedef Real real;                                                                                             \
        typedef Bits bits;                                                                                             \
    };                                                                                                                 \
    template <> struct storage_number<number> { typedef S type; }
GNDI_STORAGE(bool, 1, 'b', bool, bool, uint8_t);
GNDI_STORAGE(int8_t, 2, 'i', int8_t, int8_t, uint8_t);
GNDI_STORAGE(uint8_t, 3, 'u', uint8_t, uint8_t, uint8_t);
GNDI_STORAGE(int16_t, 4, 'i', int16_t, int16_t, uint16_t);
GNDI_STORAGE(uint16_t, 5, 'u', uint16_t, uint16_t, uint16_t);
GNDI_STORAGE(int32_t, 6, 'i', int32_t, int32_t, uint32_t);
GNDI_STORAGE(uint32_t, 7, 'u', uint32_t, uint32_t, uint32_t);
GNDI_STORAGE(int64_t, 8, 'i', int64_t, int64_t, uint64_t);
GNDI_STORAGE(uint64_t, 9, 'u', uint64_t, uint64_t, uint64_t);
GNDI_STORAGE(float16, 10, 'f', float, float16, uint16_t);
GNDI_STORAGE(bfloat16, 11, 'f', float, bfloat16, uint16_t);
GNDI_STORAGE(float, 12, 'f', float, float, uint32_t);
GNDI_STORAGE(double, 13, 'f', double, double, uint64_t);
GNDI_STORAGE(complex<float>, 14, 'c', complex<float>, float, uint64_t);
GNDI_STORAGE(complex<double>, 15, 'c', complex<double>, double, void);
#undef GNDI_STORAGE

/* The storage type of a dtype number, and the other way round. */
template <int Number> using storage_of = typename storage_number<Number>::type;
template <class S> constexpr int dtype_of = storage<S>::dtype;
/* The compute type of storage type S: float for float16 and bfloat16, else S. */
template <class S> using compute_t = typename storage<S>::compute;
/* The real type that belongs to S: float for complex<float>, else S. */
template <class S> using real_t = typename storage<S>::real;
/* The unsigned integer of S's size. */
template <class S> using bits_t = typename storage<S>::bits;

template <class T> constexpr bool is_bool = storage<T>::kind == 'b';
template <class T> constexpr bool is_signed_int = storage<T>::kind == 'i';
template <class T> constexpr bool is_int = storage<T>::kind == 'i' || storage<T>::kind == 'u';
template <class T> constexpr bool is_float = storage<T>::kind == 'f';
template <class T> constexpr bool is_complex = storage<T>::kind == 'c';
template <class T> constexpr bool is_half = is_same<T, float16> || is_same<T, bfloat16>;

/* ---- bits of a floating number -------------------------------------------------------------- */

#if GNDI_ON_DEVICE
GNDI_FN uint32_t to_bits(float x) {
    return (uint32_t)__float_as_int(x);
}
GNDI_FN uint64_t to_bits(double x) {
    return (uint64_t)__double_as_longlong(x);
}
GNDI_FN float from_bits(uint32_t u) {
    return __int_as_float((int)u);
}
GNDI_FN double from_bits(uint64_t u) {
    return __longlong_as_double((long long)u);
}
#else
GNDI_FN uint32_t to_bits(float x) {
    uint32_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
GNDI_FN uint64_t to_bits(double x) {
    uint64_t u;
    memcpy(&u, &x, sizeof u);
    return u;
}
GNDI_FN float from_bits(uint32_t u) {
    float x;
    memcpy(&x, &u, sizeof x);
    return x;
}
GNDI_FN double from_bits(uint64_t u) {
    double x;
    memcpy(&x, &u, sizeof x);
    return x;
}
#endif

/* Limits of the compute types. */
template <class T> struct limits;
template <> struct limits<float> {
    static constexpr int digits = 24, min_exponent = -126, max_exponent = 127;
    GNDI_FN float infinity() { return from_bits((uint32_t)0x7f800000u); }
    GNDI_FN float nan() { return from_bits((uint32_t)0x7fc00000u); }
    GNDI_FN float max() { return 3.40282346638528859812e+38f; }
    GNDI_FN float min_normal() { return 1.17549435082228750797e-38f; }
    GNDI_FN float epsilon() { return 1.1920928955078125e-07f; }
};
template <> struct limits<double> {
    static constexpr int digits = 53, min_exponent = -1022, max_exponent = 1023;
    GNDI_FN double infinity() { return from_bits((uint64_t)0x7ff0000000000000ull); }
    GNDI_FN double nan() { return from_bits((uint64_t)0x7ff8000000000000ull); }
    GNDI_FN double max() { return 1.79769313486231570815e+308; }
    GNDI_FN double min_normal() { return 2.22507385850720138309e-308; }
    GNDI_FN double epsilon() { return 2.220446049250313e-16; }
};
/* The lowest value of an integer type. */
template <class T> GNDI_FN T lowest_int() {
    return is_signed_int<T> ? (T)((bits_t<T>)1 << (sizeof(T) * 8 - 1)) : (T)0;
}

} // namespace gnd

#endif
