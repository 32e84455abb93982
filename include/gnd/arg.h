/*
 * gnd/arg.h: an argument that is an array or a C number.
 *
 * Every elementwise operator takes either on either side: gnd_add(x, 2), gnd_subtract(1.0, x). One
 * exported function takes `gnd_arg` by value; a macro of the same name builds it with GND_ARG, by
 * C11 _Generic (overloads in C++). Function pointers and bindings use the function itself, by
 * writing its name in parentheses: (gnd_add)(gnd_arg_array(x), gnd_arg_int(2)).
 *
 * A complex number is a C one, or gnd_arg_parts(re, im), which needs no <complex.h>.
 *
 * C numbers are weak, as Python's are in NumPy 2 (NEP 50): an integer keeps the dtype of the array
 * beside it, a double makes integers float64 but keeps float16 and float32, a complex number makes
 * float32 complex64. A number that does not fit the dtype is an error (uint8 + 300), as in NumPy.
 */
#ifndef GND_ARG_H
#define GND_ARG_H

#include <gnd/base.h>
#ifdef __cplusplus
#    include <complex>
#    include <cstddef>
#endif

GND_BEGIN

typedef enum gnd_arg_kind {
    GND_ARG_NONE = 0, /**< nothing: only where a function says so (clip without a bound) */
    GND_ARG_ARRAY,
    GND_ARG_BOOL,
    GND_ARG_INT,
    GND_ARG_UINT, /**< an unsigned number, kept exact above 2^63 */
    GND_ARG_REAL,
    GND_ARG_COMPLEX,
} gnd_arg_kind;

/** An array or a number. Borrowed: it holds no reference to the array. */
typedef struct gnd_arg {
    union {
        const gnd_array *array;
        int64_t i; /**< GND_ARG_BOOL and GND_ARG_INT */
        uint64_t u;
        double re; /**< GND_ARG_REAL and GND_ARG_COMPLEX */
    };
    double im;
    gnd_arg_kind kind;
} gnd_arg;

/** No argument; GND_NONE for short. */
static inline gnd_arg gnd_arg_none(void) {
    gnd_arg a;
    a.u = 0, a.im = 0, a.kind = GND_ARG_NONE;
    return a;
}
/** An array. NULL is passed on, and makes the result NULL. */
static inline gnd_arg gnd_arg_array(const gnd_array *x) {
    gnd_arg a;
    a.array = x, a.im = 0, a.kind = GND_ARG_ARRAY;
    return a;
}
/** A truth value: it takes any dtype beside it. */
static inline gnd_arg gnd_arg_bool(bool v) {
    gnd_arg a;
    a.i = v, a.im = 0, a.kind = GND_ARG_BOOL;
    return a;
}
/** A whole number: it takes any dtype beside it but bool (int64 then). */
static inline gnd_arg gnd_arg_int(long long v) {
    gnd_arg a;
    a.i = v, a.im = 0, a.kind = GND_ARG_INT;
    return a;
}
/** The same for unsigned numbers; uint64 beside bool if above 2^63 - 1. */
static inline gnd_arg gnd_arg_uint(unsigned long long v) {
    gnd_arg a;
    a.u = v, a.im = 0, a.kind = GND_ARG_UINT;
    return a;
}
/** A real number: it makes bool and integers float64. */
static inline gnd_arg gnd_arg_real(double v) {
    gnd_arg a;
    a.re = v, a.im = 0, a.kind = GND_ARG_REAL;
    return a;
}
/** A complex number from its parts: it makes real dtypes complex. */
static inline gnd_arg gnd_arg_parts(double re, double im) {
    gnd_arg a;
    a.re = re, a.im = im, a.kind = GND_ARG_COMPLEX;
    return a;
}

GND_END

#ifndef __cplusplus
/** A C complex number. */
static inline gnd_arg gnd_arg_complex(double _Complex v) {
    union {
        double _Complex value;
        double part[2];
    } number = {v};
    return gnd_arg_parts(number.part[0], number.part[1]);
}
/** The argument itself. */
static inline gnd_arg gnd_arg_self(gnd_arg v) {
    return v;
}
/** An argument from an array or a number of any C type. No `default:` on purpose: a bare NULL or a
    pointer to something else is a compile error. */
/* clang-format off */
# define GND_ARG(x) GND_ONCE_(x, GND_ARG_OF_)
# define GND_ARG_OF_(x)                                                                            \
     _Generic((x),                                                                                 \
         gnd_array *: gnd_arg_array,                                                               \
         const gnd_array *: gnd_arg_array,                                                         \
         gnd_arg: gnd_arg_self,                                                                    \
         _Bool: gnd_arg_bool,                                                                      \
         char: gnd_arg_int,                                                                        \
         signed char: gnd_arg_int,                                                                 \
         unsigned char: gnd_arg_int,                                                               \
         short: gnd_arg_int,                                                                       \
         unsigned short: gnd_arg_int,                                                              \
         int: gnd_arg_int,                                                                         \
         unsigned int: gnd_arg_uint,                                                               \
         long: gnd_arg_int,                                                                        \
         unsigned long: gnd_arg_uint,                                                              \
         long long: gnd_arg_int,                                                                   \
         unsigned long long: gnd_arg_uint,                                                         \
         float: gnd_arg_real,                                                                      \
         double: gnd_arg_real,                                                                     \
         float _Complex: gnd_arg_complex,                                                          \
         double _Complex: gnd_arg_complex)(x)
/* clang-format on */
#else
/* clang-format off */
inline gnd_arg gnd_arg_of_(const gnd_array *x) { return gnd_arg_array(x); }
inline gnd_arg gnd_arg_of_(gnd_array *x) { return gnd_arg_array(x); }
inline gnd_arg gnd_arg_of_(gnd_arg v) { return v; }
inline gnd_arg gnd_arg_of_(bool v) { return gnd_arg_bool(v); }
inline gnd_arg gnd_arg_of_(char v) { return gnd_arg_int(v); }
inline gnd_arg gnd_arg_of_(signed char v) { return gnd_arg_int(v); }
inline gnd_arg gnd_arg_of_(unsigned char v) { return gnd_arg_int(v); }
inline gnd_arg gnd_arg_of_(short v) { return gnd_arg_int(v); }
inline gnd_arg gnd_arg_of_(unsigned short v) { return gnd_arg_int(v); }
inline gnd_arg gnd_arg_of_(int v) { return gnd_arg_int(v); }
inline gnd_arg gnd_arg_of_(unsigned int v) { return gnd_arg_uint(v); }
inline gnd_arg gnd_arg_of_(long v) { return gnd_arg_int(v); }
inline gnd_arg gnd_arg_of_(unsigned long v) { return gnd_arg_uint(v); }
inline gnd_arg gnd_arg_of_(long long v) { return gnd_arg_int(v); }
inline gnd_arg gnd_arg_of_(unsigned long long v) { return gnd_arg_uint(v); }
inline gnd_arg gnd_arg_of_(float v) { return gnd_arg_real(v); }
inline gnd_arg gnd_arg_of_(double v) { return gnd_arg_real(v); }
inline gnd_arg gnd_arg_of_(std::complex<float> v) { return gnd_arg_parts(v.real(), v.imag()); }
inline gnd_arg gnd_arg_of_(std::complex<double> v) { return gnd_arg_parts(v.real(), v.imag()); }
inline gnd_arg gnd_arg_of_(std::nullptr_t) = delete;
template <class T> gnd_arg gnd_arg_of_(T *) = delete; // which would become a bool
/* clang-format on */
#    define GND_ARG(x) gnd_arg_of_(x)
#endif

/** No argument, where a function lets one be left out: gnd_clip(x, GND_NONE, 1). */
#define GND_NONE gnd_arg_none()

/* GND_ARGS(a, b, c) is `3, (gnd_arg[]){...}`: the count and the list, up to eight arguments. */
#define GND_ARGS1_(a) GND_ARG(a)
#define GND_ARGS2_(a, b) GND_ARG(a), GND_ARG(b)
#define GND_ARGS3_(a, b, c) GND_ARG(a), GND_ARG(b), GND_ARG(c)
#define GND_ARGS4_(a, b, c, d) GND_ARGS2_(a, b), GND_ARGS2_(c, d)
#define GND_ARGS5_(a, b, c, d, e) GND_ARGS2_(a, b), GND_ARGS3_(c, d, e)
#define GND_ARGS6_(a, b, c, d, e, f) GND_ARGS3_(a, b, c), GND_ARGS3_(d, e, f)
#define GND_ARGS7_(a, b, c, d, e, f, g) GND_ARGS4_(a, b, c, d), GND_ARGS3_(e, f, g)
#define GND_ARGS8_(a, b, c, d, e, f, g, h) GND_ARGS4_(a, b, c, d), GND_ARGS4_(e, f, g, h)
#define GND_ARGS_PICK_(a, b, c, d, e, f, g, h, n, ...) n
#define GND_ARGS_COUNT_(...) GND_ARGS_PICK_(__VA_ARGS__, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define GND_ARGS_MAP_(...)                                                                                             \
    GND_ARGS_PICK_(__VA_ARGS__, GND_ARGS8_, GND_ARGS7_, GND_ARGS6_, GND_ARGS5_, GND_ARGS4_, GND_ARGS3_, GND_ARGS2_,    \
                   GND_ARGS1_, 0)                                                                                      \
    (__VA_ARGS__)
#ifndef __cplusplus
#    define GND_ARGS(...)                                                                                              \
        GND_ARGS_COUNT_(__VA_ARGS__), (const gnd_arg[]) {                                                              \
            GND_ARGS_MAP_(__VA_ARGS__)                                                                                 \
        }
#else
/* The list lives to the end of the full expression, as the array of C does to the end of
   its block. */
struct gnd_args_list_ {
    gnd_arg list[8];
    const gnd_arg *begin() const { return list; }
};
#    define GND_ARGS(...) GND_ARGS_COUNT_(__VA_ARGS__), gnd_args_list_{{GND_ARGS_MAP_(__VA_ARGS__)}}.begin()
#endif

#endif
