/*
 * gnd/dist/arg.h: an argument that is a split array, an array that is the same on all ranks, or a C number.
 */
#ifndef GND_DIST_ARG_H
#define GND_DIST_ARG_H

#include <gnd/arg.h>
#include <gnd/dist/array.h>

GND_BEGIN

/** A split array, or what gnd_arg holds. Borrowed. */
typedef struct gnd_dist_arg {
    const gnd_dist *dist; /**< if is_dist */
    gnd_arg arg;          /**< else: a number, or an array that is the same on all ranks */
    bool is_dist;
} gnd_dist_arg;

/** A split array. */
static inline gnd_dist_arg gnd_dist_arg_dist(const gnd_dist *x) {
    gnd_dist_arg a;
    a.dist = x, a.arg = gnd_arg_none(), a.is_dist = true;
    return a;
}
/** What gnd_arg holds. */
static inline gnd_dist_arg gnd_dist_arg_arg(gnd_arg x) {
    gnd_dist_arg a;
    a.dist = NULL, a.arg = x, a.is_dist = false;
    return a;
}
/** An array that is the same on all ranks. */
static inline gnd_dist_arg gnd_dist_arg_array(const gnd_array *x) {
    return gnd_dist_arg_arg(gnd_arg_array(x));
}
/** A truth value. */
static inline gnd_dist_arg gnd_dist_arg_bool(bool v) {
    return gnd_dist_arg_arg(gnd_arg_bool(v));
}
/** A whole number. */
static inline gnd_dist_arg gnd_dist_arg_int(long long v) {
    return gnd_dist_arg_arg(gnd_arg_int(v));
}
/** An unsigned number. */
static inline gnd_dist_arg gnd_dist_arg_uint(unsigned long long v) {
    return gnd_dist_arg_arg(gnd_arg_uint(v));
}
/** A real number. */
static inline gnd_dist_arg gnd_dist_arg_real(double v) {
    return gnd_dist_arg_arg(gnd_arg_real(v));
}

GND_END

#ifndef __cplusplus
/** A C complex number. */
static inline gnd_dist_arg gnd_dist_arg_complex(double _Complex v) {
    return gnd_dist_arg_arg(gnd_arg_complex(v));
}
/** The argument itself. */
static inline gnd_dist_arg gnd_dist_arg_self(gnd_dist_arg v) {
    return v;
}
/** An argument from a split array, an array, or a number of any C type. */
/* clang-format off */
# define GND_DIST_ARG(x) GND_ONCE_(x, GND_DIST_ARG_OF_)
# define GND_DIST_ARG_OF_(x)                                                                       \
     _Generic((x),                                                                                 \
         gnd_dist *: gnd_dist_arg_dist,                                                            \
         const gnd_dist *: gnd_dist_arg_dist,                                                      \
         gnd_array *: gnd_dist_arg_array,                                                          \
         const gnd_array *: gnd_dist_arg_array,                                                    \
         gnd_dist_arg: gnd_dist_arg_self,                                                          \
         gnd_arg: gnd_dist_arg_arg,                                                                \
         _Bool: gnd_dist_arg_bool,                                                                 \
         char: gnd_dist_arg_int,                                                                   \
         signed char: gnd_dist_arg_int,                                                            \
         unsigned char: gnd_dist_arg_int,                                                          \
         short: gnd_dist_arg_int,                                                                  \
         unsigned short: gnd_dist_arg_int,                                                         \
         int: gnd_dist_arg_int,                                                                    \
         unsigned int: gnd_dist_arg_uint,                                                          \
         long: gnd_dist_arg_int,                                                                   \
         unsigned long: gnd_dist_arg_uint,                                                         \
         long long: gnd_dist_arg_int,                                                              \
         unsigned long long: gnd_dist_arg_uint,                                                    \
         float: gnd_dist_arg_real,                                                                 \
         double: gnd_dist_arg_real,                                                                \
         float _Complex: gnd_dist_arg_complex,                                                     \
         double _Complex: gnd_dist_arg_complex)(x)
/* clang-format on */
#else
inline gnd_dist_arg gnd_dist_arg_of_(const gnd_dist *x) {
    return gnd_dist_arg_dist(x);
}
inline gnd_dist_arg gnd_dist_arg_of_(gnd_dist *x) {
    return gnd_dist_arg_dist(x);
}
inline gnd_dist_arg gnd_dist_arg_of_(gnd_dist_arg x) {
    return x;
}
template <class T> gnd_dist_arg gnd_dist_arg_of_(T x) {
    return gnd_dist_arg_arg(gnd_arg_of_(x));
}
#    define GND_DIST_ARG(x) gnd_dist_arg_of_(x)
#endif

/* GND_DIST_ARGS(a, b, c) is the count and the list, up to eight arguments. */
#define GND_DIST_ARGS1_(a) GND_DIST_ARG(a)
#define GND_DIST_ARGS2_(a, b) GND_DIST_ARG(a), GND_DIST_ARG(b)
#define GND_DIST_ARGS3_(a, b, c) GND_DIST_ARG(a), GND_DIST_ARG(b), GND_DIST_ARG(c)
#define GND_DIST_ARGS4_(a, b, c, d) GND_DIST_ARGS2_(a, b), GND_DIST_ARGS2_(c, d)
#define GND_DIST_ARGS5_(a, b, c, d, e) GND_DIST_ARGS2_(a, b), GND_DIST_ARGS3_(c, d, e)
#define GND_DIST_ARGS6_(a, b, c, d, e, f) GND_DIST_ARGS3_(a, b, c), GND_DIST_ARGS3_(d, e, f)
#define GND_DIST_ARGS7_(a, b, c, d, e, f, g) GND_DIST_ARGS4_(a, b, c, d), GND_DIST_ARGS3_(e, f, g)
#define GND_DIST_ARGS8_(a, b, c, d, e, f, g, h) GND_DIST_ARGS4_(a, b, c, d), GND_DIST_ARGS4_(e, f, g, h)
#define GND_DIST_ARGS_MAP_(...)                                                                                        \
    GND_ARGS_PICK_(__VA_ARGS__, GND_DIST_ARGS8_, GND_DIST_ARGS7_, GND_DIST_ARGS6_, GND_DIST_ARGS5_, GND_DIST_ARGS4_,   \
                   GND_DIST_ARGS3_, GND_DIST_ARGS2_, GND_DIST_ARGS1_, 0)                                               \
    (__VA_ARGS__)
#ifndef __cplusplus
#    define GND_DIST_ARGS(...)                                                                                         \
        GND_ARGS_COUNT_(__VA_ARGS__), (const gnd_dist_arg[]) {                                                         \
            GND_DIST_ARGS_MAP_(__VA_ARGS__)                                                                            \
        }
#else
/* The list lives to the end of the full expression. */
struct gnd_dist_args_list_ {
    gnd_dist_arg list[8];
    const gnd_dist_arg *begin() const { return list; }
};
#    define GND_DIST_ARGS(...)                                                                                         \
        GND_ARGS_COUNT_(__VA_ARGS__), gnd_dist_args_list_{{GND_DIST_ARGS_MAP_(__VA_ARGS__)}}.begin()
#endif

#endif
