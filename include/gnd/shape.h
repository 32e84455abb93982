/*
 * gnd/shape.h: lists of sizes and of axes, written in the call: GND_SHAPE(4096, 4096),
 * GND_AXES(0, -1), GND_ALL. They are plain structs, passed by value, and need no release.
 */
#ifndef GND_SHAPE_H
#define GND_SHAPE_H

#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/** The sizes of an array's dimensions, outermost first. */
typedef struct gnd_shape {
    int ndim;
    int64_t dim[GND_MAX_DIMS];
} gnd_shape;

/**
 * Which axes a reduction or view function works along, and for reductions the options that go with
 * them. All zero (GND_ALL) means every axis and no option; negative axes count from the end. An axis
 * that an array does not have, or one that is given twice, is GND_ERROR_AXIS wherever axes are given.
 */
typedef struct gnd_axes {
    int count; /**< how many of `axis` are set; 0: all axes; -1 (GND_NO_AXES): none */
    int axis[GND_MAX_DIMS];
    bool keepdims;            /**< keep each reduced axis with size 1 */
    gnd_dtype dtype;          /**< compute and return in this dtype; 0: NumPy's choice */
    const gnd_array *where;   /**< bool, broadcasts to the input: take part only where true */
    const gnd_array *initial; /**< 0-d array: the value the reduction starts from; scans take others, too */
    gnd_array *out;           /**< write the result here; a new reference to it is returned */
    void *reserved[4];
} gnd_axes;

GND_END

#ifndef __cplusplus
/* How many numbers a list has. */
#    define GND_COUNT_(...) ((int)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)))
/** A shape: GND_SHAPE(3, 4) has three rows of four. GND_SCALAR is the shape of a 0-d array. */
#    define GND_SHAPE(...) ((gnd_shape){.ndim = GND_COUNT_(__VA_ARGS__), .dim = {__VA_ARGS__}})
#    define GND_SCALAR ((gnd_shape){.ndim = 0})
/** Axes: GND_AXES(0, 2). GND_ALL is every axis, GND_NO_AXES none of them (NumPy's `axis=()`). */
#    define GND_AXES(...) ((gnd_axes){.count = GND_COUNT_(__VA_ARGS__), .axis = {__VA_ARGS__}})
#    define GND_ALL ((gnd_axes){.count = 0})
#    define GND_NO_AXES ((gnd_axes){.count = -1})
/** The same axes, kept with size 1 so that the result broadcasts against the input. */
#    define GND_AXES_KEEP(...) ((gnd_axes){.count = GND_COUNT_(__VA_ARGS__), .axis = {__VA_ARGS__}, .keepdims = true})
#    define GND_ALL_KEEP ((gnd_axes){.count = 0, .keepdims = true})
#else
/* C++ has no designated initialisers before C++20: the same names as small functions. */
template <class... N> inline gnd_shape gnd_make_shape_(N... n) {
    return gnd_shape{static_cast<int>(sizeof...(n)), {static_cast<int64_t>(n)...}};
}
template <class... N> inline gnd_axes gnd_make_axes_(bool keep, N... n) {
    gnd_axes a{};
    a.count = static_cast<int>(sizeof...(n));
    a.keepdims = keep;
    int k = 0;
    ((a.axis[k++] = static_cast<int>(n)), ...);
    return a;
}
/* A list that lives to the end of the full expression. */
template <class T, int n> struct gnd_list_ {
    T list[n];
    const T *begin() const { return list; }
};
template <class... N> inline gnd_list_<int64_t, sizeof...(N)> gnd_make_integers_(N... n) {
    return {{static_cast<int64_t>(n)...}};
}
inline gnd_axes gnd_count_axes_(int count, bool keep) {
    gnd_axes a{};
    a.count = count;
    a.keepdims = keep;
    return a;
}
#    define GND_SHAPE(...) gnd_make_shape_(__VA_ARGS__)
#    define GND_SCALAR gnd_make_shape_()
#    define GND_AXES(...) gnd_make_axes_(false, __VA_ARGS__)
#    define GND_AXES_KEEP(...) gnd_make_axes_(true, __VA_ARGS__)
#    define GND_ALL gnd_count_axes_(0, false)
#    define GND_ALL_KEEP gnd_count_axes_(0, true)
#    define GND_NO_AXES gnd_count_axes_(-1, false)
#endif

#endif
