/*
 * user_host.h: CUDA's functions of numbers, atomic functions and vector types for users' kernels on
 * the CPU, so that the same text compiles there. Included by generated text only.
 */
#ifndef GNDI_USER_HOST_H
#define GNDI_USER_HOST_H

#include "user_types.h"
#include <exception>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define __device__
#define __host__
#define __global__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define GNDI_HOST_FN static inline __attribute__((unused))

/* ---- exceptions ------------------------------------------------------------------------------ */

/* In a handler: what was thrown, in words, for the error that the call becomes. */
static void gnd_note_thrown(char *thrown) {
    enum { BYTES = 256 }; /* GNDI_KERNEL_THROWN */
    try {
        throw;
    } catch (const std::exception &e) {
        snprintf(thrown, BYTES, "%s", e.what());
    } catch (const char *words) {
        snprintf(thrown, BYTES, "%s", words);
    } catch (...) {
        snprintf(thrown, BYTES, "an object that is no std::exception");
    }
}
/* What the library calls: `loop`, and 1 if it threw. */
#define GNDI_HOST_ENTRY(entry, loop)                                                                                   \
    extern "C" int entry(const gnd::int64_t *w, gnd::int64_t from, gnd::int64_t to, char *thrown) {                    \
        try {                                                                                                          \
            loop(w, from, to);                                                                                         \
            return 0;                                                                                                  \
        } catch (...) {                                                                                                \
            gnd_note_thrown(thrown);                                                                                   \
            return 1;                                                                                                  \
        }                                                                                                              \
    }

/* ---- functions of numbers -------------------------------------------------------------------- */

template <class A, class B> GNDI_HOST_FN auto min(A a, B b) -> decltype(true ? a : b) {
    typedef decltype(true ? a : b) C;
    if constexpr (gnd::is_float<C>)
        return (C)::fmin((C)a, (C)b);
    else
        return (C)b < (C)a ? (C)b : (C)a;
}
template <class A, class B> GNDI_HOST_FN auto max(A a, B b) -> decltype(true ? a : b) {
    typedef decltype(true ? a : b) C;
    if constexpr (gnd::is_float<C>)
        return (C)::fmax((C)a, (C)b);
    else
        return (C)a < (C)b ? (C)b : (C)a;
}

/* The sine of pi x + a number of quarter turns, from the nearest one: exact where it is 0 or 1. */
GNDI_HOST_FN double gnd_sine_of_turn(double x, int quarters) {
    if (!(::fabs(x) < HUGE_VAL)) return NAN;
    const double nearest = ::rint(2 * x), rest = M_PI * (x - nearest / 2);
    quarters += (int)::fmod(nearest, 4);
    const double y = quarters & 1 ? ::cos(rest) : ::sin(rest);
    return quarters & 2 ? 0 - y : y;
}

/* Both precisions of a function of one number: the name, the name for float, what it is of x. */
#define GNDI_HOST_1(name, expression)                                                                                  \
    GNDI_HOST_FN double name(double x) {                                                                               \
        return expression;                                                                                             \
    }                                                                                                                  \
    GNDI_HOST_FN float name(float x) {                                                                                 \
        return (float)(expression);                                                                                    \
    }                                                                                                                  \
    GNDI_HOST_FN float name##f(float x) {                                                                              \
        return (float)(expression);                                                                                    \
    }
GNDI_HOST_1(rsqrt, 1 / ::sqrt(x))
GNDI_HOST_1(rcbrt, 1 / ::cbrt(x))
GNDI_HOST_1(sinpi, gnd_sine_of_turn((double)x, 0))
GNDI_HOST_1(cospi, gnd_sine_of_turn((double)x, 1))
GNDI_HOST_1(erfinv, gnd::ops::erfinv(x))
GNDI_HOST_1(normcdf, ::erfc((double)x * -M_SQRT1_2) / 2)
#undef GNDI_HOST_1
GNDI_HOST_FN float exp10(float x) {
    return ::exp10f(x);
}

/* glibc declares functions of some of these names for itself. */
#define __expf ::expf
#define __logf ::logf
#define __log2f ::log2f
#define __log10f ::log10f
#define __sinf ::sinf
#define __cosf ::cosf
#define __tanf ::tanf
#define __powf ::powf
#define __sincosf ::sincosf
#define __fsqrt_rn ::sqrtf
#define __dsqrt_rn ::sqrt
GNDI_HOST_FN float __frcp_rn(float x) {
    return 1 / x;
}
GNDI_HOST_FN float __saturatef(float x) {
    return !(x > 0) ? 0 : x > 1 ? 1 : x;
}
GNDI_HOST_FN float __fdividef(float x, float y) {
    return x / y;
}
GNDI_HOST_FN void sincospi(double x, double *s, double *c) {
    *s = sinpi(x), *c = cospi(x);
}

#define GNDI_HOST_ROUNDED(letter, T, fused)                                                                            \
    GNDI_HOST_FN T __##letter##add_rn(T a, T b) {                                                                      \
        return gnd::m::add(a, b);                                                                                      \
    }                                                                                                                  \
    GNDI_HOST_FN T __##letter##sub_rn(T a, T b) {                                                                      \
        return gnd::m::sub(a, b);                                                                                      \
    }                                                                                                                  \
    GNDI_HOST_FN T __##letter##mul_rn(T a, T b) {                                                                      \
        return gnd::m::mul(a, b);                                                                                      \
    }                                                                                                                  \
    GNDI_HOST_FN T __##letter##div_rn(T a, T b) {                                                                      \
        return a / b;                                                                                                  \
    }                                                                                                                  \
    GNDI_HOST_FN T fused(T a, T b, T c) {                                                                              \
        return ::fma(a, b, c);                                                                                         \
    }
GNDI_HOST_ROUNDED(f, float, __fmaf_rn)
GNDI_HOST_ROUNDED(d, double, __fma_rn)
#undef GNDI_HOST_ROUNDED

/* ---- integers and bits ----------------------------------------------------------------------- */

GNDI_HOST_FN int __popc(unsigned x) {
    return __builtin_popcount(x);
}
GNDI_HOST_FN int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
GNDI_HOST_FN int __clz(int x) {
    return x ? __builtin_clz((unsigned)x) : 32;
}
GNDI_HOST_FN int __clzll(long long x) {
    return x ? __builtin_clzll((unsigned long long)x) : 64;
}
GNDI_HOST_FN int __ffs(int x) {
    return __builtin_ffs(x);
}
GNDI_HOST_FN int __ffsll(long long x) {
    return __builtin_ffsll(x);
}
GNDI_HOST_FN unsigned __brev(unsigned x) {
    unsigned y = 0;
    for (int k = 0; k < 32; k++) y |= (x >> k & 1u) << (31 - k);
    return y;
}
GNDI_HOST_FN int __mulhi(int a, int b) {
    return (int)((long long)a * b >> 32);
}
GNDI_HOST_FN unsigned __umulhi(unsigned a, unsigned b) {
    return (unsigned)((unsigned long long)a * b >> 32);
}
GNDI_HOST_FN unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
GNDI_HOST_FN int __float_as_int(float x) {
    return (int)gnd::to_bits(x);
}
GNDI_HOST_FN unsigned __float_as_uint(float x) {
    return gnd::to_bits(x);
}
GNDI_HOST_FN float __int_as_float(int x) {
    return gnd::from_bits((uint32_t)x);
}
GNDI_HOST_FN float __uint_as_float(unsigned x) {
    return gnd::from_bits((uint32_t)x);
}
GNDI_HOST_FN long long __double_as_longlong(double x) {
    return (long long)gnd::to_bits(x);
}
GNDI_HOST_FN double __longlong_as_double(long long x) {
    return gnd::from_bits((uint64_t)x);
}
template <class T> GNDI_HOST_FN T __ldg(const T *p) {
    return *p;
}

/* ---- atomic functions ------------------------------------------------------------------------ */

/* The second argument converts to the first one's type, as with CUDA's overloads. */
template <class T> struct gnd_plain { typedef T type; };
/* *p = change(*p), once; what was there before. */
template <class T, class Change> GNDI_HOST_FN T gnd_atomic(T *p, Change change) {
    T old, next;
    __atomic_load(p, &old, __ATOMIC_RELAXED);
    do next = change(old);
    while (!__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}
#define GNDI_HOST_ATOMIC(name, expression)                                                                             \
    template <class T> GNDI_HOST_FN T name(T *p, typename gnd_plain<T>::type v) {                                      \
        return gnd_atomic(p, [v](T old) -> T { return (T)(expression); });                                             \
    }
GNDI_HOST_ATOMIC(atomicAdd, old + v)
GNDI_HOST_ATOMIC(atomicSub, old - v)
GNDI_HOST_ATOMIC(atomicExch, (void(old), v))
GNDI_HOST_ATOMIC(atomicMin, v < old ? v : old)
GNDI_HOST_ATOMIC(atomicMax, old < v ? v : old)
GNDI_HOST_ATOMIC(atomicAnd, old &v)
GNDI_HOST_ATOMIC(atomicOr, old | v)
GNDI_HOST_ATOMIC(atomicXor, old ^ v)
GNDI_HOST_ATOMIC(atomicInc, old >= v ? 0 : old + 1)
GNDI_HOST_ATOMIC(atomicDec, old == 0 || old > v ? v : old - 1)
#undef GNDI_HOST_ATOMIC
template <class T> GNDI_HOST_FN T atomicCAS(T *p, typename gnd_plain<T>::type expected, typename gnd_plain<T>::type v) {
    __atomic_compare_exchange(p, &expected, &v, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return expected;
}
GNDI_HOST_FN void __threadfence(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
GNDI_HOST_FN void __threadfence_block(void) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* ---- vector types ---------------------------------------------------------------------------- */

#define GNDI_HOST_VECTORS(T, name, two, four)                                                                          \
    struct name##1 {                                                                                                   \
        T x;                                                                                                           \
    };                                                                                                                 \
    struct __align__(two) name##2 {                                                                                    \
        T x, y;                                                                                                        \
    };                                                                                                                 \
    struct name##3 {                                                                                                   \
        T x, y, z;                                                                                                     \
    };                                                                                                                 \
    struct __align__(four) name##4 {                                                                                   \
        T x, y, z, w;                                                                                                  \
    };                                                                                                                 \
    GNDI_HOST_FN name##1 make_##name##1(T x) {                                                                         \
        return name##1 {x};                                                                                            \
    }                                                                                                                  \
    GNDI_HOST_FN name##2 make_##name##2(T x, T y) {                                                                    \
        return name##2 {x, y};                                                                                         \
    }                                                                                                                  \
    GNDI_HOST_FN name##3 make_##name##3(T x, T y, T z) {                                                               \
        return name##3 {x, y, z};                                                                                      \
    }                                                                                                                  \
    GNDI_HOST_FN name##4 make_##name##4(T x, T y, T z, T w) {                                                          \
        return name##4 {x, y, z, w};                                                                                   \
    }
GNDI_HOST_VECTORS(signed char, char, 2, 4)
GNDI_HOST_VECTORS(unsigned char, uchar, 2, 4)
GNDI_HOST_VECTORS(short, short, 4, 8)
GNDI_HOST_VECTORS(unsigned short, ushort, 4, 8)
GNDI_HOST_VECTORS(int, int, 8, 16)
GNDI_HOST_VECTORS(unsigned, uint, 8, 16)
GNDI_HOST_VECTORS(long, long, 16, 16)
GNDI_HOST_VECTORS(unsigned long, ulong, 16, 16)
GNDI_HOST_VECTORS(long long, longlong, 16, 16)
GNDI_HOST_VECTORS(unsigned long long, ulonglong, 16, 16)
GNDI_HOST_VECTORS(float, float, 8, 16)
GNDI_HOST_VECTORS(double, double, 16, 16)
#undef GNDI_HOST_VECTORS

#endif
