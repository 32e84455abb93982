/*
 * gnd/view.h: views of an array: slices, reshapes, transposes, broadcasts and reinterpretations.
 *
 * Unless a comment says otherwise, functions return views: new headers over the same memory. Writing through
 * a view writes the array. They cost no launch, move no data, never wait, and work the same on every device.
 * A view keeps the memory alive after the array is released.
 *
 * A NULL array gives NULL and keeps the pending error. Bad axes, indices and shapes are errors
 * (GND_ERROR_INDEX, GND_ERROR_INVALID, GND_ERROR_SHAPE) whose messages say what is allowed.
 */
#ifndef GND_VIEW_H
#define GND_VIEW_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- slices --------------------------------------------------------------------------------- */

/**
 * The part of `a` that NumPy's a[...] would give, written in NumPy's basic index syntax:
 *
 *     gnd_slice(a, "2:-1, ::2")      gnd_slice(a, "%d, ..., None, ::-1", row)
 *
 * Items are separated by commas: an integer drops its axis, start:stop:step keeps part of it (any
 * of the three may be left out or be None), `...` (or Ellipsis) stands for the axes that are not
 * mentioned, None (or newaxis) inserts an axis of size 1. Any number may be a printf conversion of
 * an integer, %d %i %u with the length modifiers hh h l ll j z t (so PRId64 works), with a sign in
 * front if you like. An empty string gives all of `a`.
 *
 * A view of `a`. Bounds are clipped as in Python; an integer out of range is GND_ERROR_INDEX, and a
 * string that cannot be read GND_ERROR_INVALID with the position where reading stopped.
 */
GND_API gnd_array *gnd_slice(const gnd_array *a, const char *items, ...) GND_PRINTF(2, 3);

/** What one item of an index means. */
typedef enum gnd_index_kind {
    GND_INDEX_AT = 0,   /**< the element `start`; the axis goes */
    GND_INDEX_RANGE,    /**< start:stop:step */
    GND_INDEX_NEW_AXIS, /**< a new axis of size 1 */
    GND_INDEX_ELLIPSIS, /**< all axes that no other item mentions */
    GND_INDEX_ARRAY,    /**< `array`: integers, or a bool mask (gnd/index.h) */
    GND_INDEX_TEXT,     /**< the items that `text` holds, in NumPy's slice syntax */
} gnd_index_kind;

/** A bound or a step that is left out: gnd_index_range(GND_OPEN, 5, GND_OPEN) is `:5`. */
#define GND_OPEN INT64_MIN

/** One item of an index. Build it with the functions below. Borrowed: it holds no reference to the
    array, and no copy of the text. */
typedef struct gnd_index {
    gnd_index_kind kind;
    int64_t start, stop, step; /**< AT (start alone) and RANGE */
    const gnd_array *array;    /**< ARRAY */
    const char *text;          /**< TEXT */
} gnd_index;

/** start:stop:step, any of them GND_OPEN. */
static inline gnd_index gnd_index_range(int64_t start, int64_t stop, int64_t step) {
    gnd_index x;
    x.kind = GND_INDEX_RANGE, x.start = start, x.stop = stop, x.step = step;
    x.array = NULL, x.text = NULL;
    return x;
}
/** The element `i` of its axis, from the end if negative. */
static inline gnd_index gnd_index_at(int64_t i) {
    gnd_index x = gnd_index_range(i, GND_OPEN, GND_OPEN);
    x.kind = GND_INDEX_AT;
    return x;
}
/** All of an axis, `:`. */
static inline gnd_index gnd_index_all(void) {
    return gnd_index_range(GND_OPEN, GND_OPEN, GND_OPEN);
}
/** A new axis of size 1, `None`. */
static inline gnd_index gnd_index_new_axis(void) {
    gnd_index x = gnd_index_all();
    x.kind = GND_INDEX_NEW_AXIS;
    return x;
}
/** Every axis not mentioned otherwise, `...`. */
static inline gnd_index gnd_index_ellipsis(void) {
    gnd_index x = gnd_index_all();
    x.kind = GND_INDEX_ELLIPSIS;
    return x;
}
/** The elements that an array of integers, or a bool mask, names. */
static inline gnd_index gnd_index_array(const gnd_array *array) {
    gnd_index x = gnd_index_all();
    x.kind = GND_INDEX_ARRAY, x.array = array;
    return x;
}
/** The items of a string in gnd_slice's syntax, without conversions: "1:-1, ..., None". */
static inline gnd_index gnd_index_text(const char *text) {
    gnd_index x = gnd_index_all();
    x.kind = GND_INDEX_TEXT, x.text = text;
    return x;
}
/** gnd_index_at of an unsigned number; above 2^63 - 1 no axis has such an element. */
static inline gnd_index gnd_index_at_unsigned(unsigned long long i) {
    return gnd_index_at(i > INT64_MAX ? INT64_MAX : (int64_t)i);
}
/** The item itself. */
static inline gnd_index gnd_index_self(gnd_index item) {
    return item;
}

/**
 * gnd_slice for indices that a program computes: `count` items, for instance gnd_slice_ix(a,
 * GND_INDICES(gnd_index_at(0), gnd_index_range(1, GND_OPEN, 2))). Arrays are refused, since their result
 * would not be a view; use gnd_get (gnd/index.h).
 */
GND_API gnd_array *gnd_slice_ix(const gnd_array *a, int count, const gnd_index *items);

GND_END

/*
 * GND_INDICES(rows, "1:3", -1, mask) is the count and the list of up to eight items, as gnd_slice_ix
 * and gnd_get take them: arrays, C integers, strings in slice syntax (which may hold several items),
 * and gnd_index. Anything else is a compile error; so is a C bool, since a[true] is no a[1].
 */
#ifndef __cplusplus
/* clang-format off */
# define GND_INDEX(x) GND_ONCE_(x, GND_INDEX_OF_)
# define GND_INDEX_OF_(x)                                                                          \
     _Generic((x),                                                                                 \
         gnd_array *: gnd_index_array,                                                             \
         const gnd_array *: gnd_index_array,                                                       \
         char *: gnd_index_text,                                                                   \
         const char *: gnd_index_text,                                                             \
         gnd_index: gnd_index_self,                                                                \
         char: gnd_index_at,                                                                       \
         signed char: gnd_index_at,                                                                \
         unsigned char: gnd_index_at,                                                              \
         short: gnd_index_at,                                                                      \
         unsigned short: gnd_index_at,                                                             \
         int: gnd_index_at,                                                                        \
         unsigned int: gnd_index_at,                                                               \
         long: gnd_index_at,                                                                       \
         unsigned long: gnd_index_at_unsigned,                                                     \
         long long: gnd_index_at,                                                                  \
         unsigned long long: gnd_index_at_unsigned)(x)
/* clang-format on */
#else
/* clang-format off */
inline gnd_index gnd_index_of_(const gnd_array *x) { return gnd_index_array(x); }
inline gnd_index gnd_index_of_(const char *x) { return gnd_index_text(x); }
inline gnd_index gnd_index_of_(gnd_index x) { return x; }
inline gnd_index gnd_index_of_(int x) { return gnd_index_at(x); }
inline gnd_index gnd_index_of_(unsigned int x) { return gnd_index_at(x); }
inline gnd_index gnd_index_of_(long x) { return gnd_index_at(x); }
inline gnd_index gnd_index_of_(unsigned long x) { return gnd_index_at_unsigned(x); }
inline gnd_index gnd_index_of_(long long x) { return gnd_index_at(x); }
inline gnd_index gnd_index_of_(unsigned long long x) { return gnd_index_at_unsigned(x); }
inline gnd_index gnd_index_of_(bool) = delete;
inline gnd_index gnd_index_of_(std::nullptr_t) = delete;
/* clang-format on */
#    define GND_INDEX(x) gnd_index_of_(x)
#endif
#define GND_INDICES1_(a) GND_INDEX(a)
#define GND_INDICES2_(a, b) GND_INDEX(a), GND_INDEX(b)
#define GND_INDICES3_(a, b, c) GND_INDEX(a), GND_INDEX(b), GND_INDEX(c)
#define GND_INDICES4_(a, b, c, d) GND_INDICES2_(a, b), GND_INDICES2_(c, d)
#define GND_INDICES5_(a, b, c, d, e) GND_INDICES2_(a, b), GND_INDICES3_(c, d, e)
#define GND_INDICES6_(a, b, c, d, e, f) GND_INDICES3_(a, b, c), GND_INDICES3_(d, e, f)
#define GND_INDICES7_(a, b, c, d, e, f, g) GND_INDICES4_(a, b, c, d), GND_INDICES3_(e, f, g)
#define GND_INDICES8_(a, b, c, d, e, f, g, h) GND_INDICES4_(a, b, c, d), GND_INDICES4_(e, f, g, h)
#define GND_INDICES_MAP_(...)                                                                                          \
    GND_ARGS_PICK_(__VA_ARGS__, GND_INDICES8_, GND_INDICES7_, GND_INDICES6_, GND_INDICES5_, GND_INDICES4_,             \
                   GND_INDICES3_, GND_INDICES2_, GND_INDICES1_, 0)                                                     \
    (__VA_ARGS__)
#ifndef __cplusplus
#    define GND_INDICES(...)                                                                                           \
        GND_ARGS_COUNT_(__VA_ARGS__), (const gnd_index[]) {                                                            \
            GND_INDICES_MAP_(__VA_ARGS__)                                                                              \
        }
#else
/* The list lives to the end of the full expression, as in GND_ARGS. */
struct gnd_indices_list_ {
    gnd_index list[8];
    const gnd_index *begin() const { return list; }
};
#    define GND_INDICES(...) GND_ARGS_COUNT_(__VA_ARGS__), gnd_indices_list_{{GND_INDICES_MAP_(__VA_ARGS__)}}.begin()
#endif

GND_BEGIN

/* ---- shape ---------------------------------------------------------------------------------- */

/**
 * `a` in another shape of the same size, elements in row-major order (numpy.reshape). One size may
 * be -1: it is found from the others. A view wherever strides can express it, else a C-order copy.
 */
GND_API gnd_array *gnd_reshape(const gnd_array *a, gnd_shape shape);
/**
 * gnd_reshape with elements read and written in order 'C' (last axis fastest), 'F' (first axis fastest) or
 * 'A' ('F' if `a` is Fortran contiguous and not C contiguous, else 'C').
 */
GND_API gnd_array *gnd_reshape_order(const gnd_array *a, gnd_shape shape, char order);
/** All elements in one dimension, row-major and contiguous: a view if `a` is that already, else a
    copy (numpy.ravel). */
GND_API gnd_array *gnd_ravel(const gnd_array *a);
/** gnd_ravel in order 'C', 'F', 'A' (see gnd_reshape_order), or 'K', in memory order. */
GND_API gnd_array *gnd_ravel_order(const gnd_array *a, char order);
/** All elements in one dimension, row-major, always a copy (numpy.ndarray.flatten). */
GND_API gnd_array *gnd_flatten(const gnd_array *a);

/** Without the axes of size 1 named by `axes`; GND_ALL: without any (numpy.squeeze). A view. */
GND_API gnd_array *gnd_squeeze(const gnd_array *a, gnd_axes axes);
/** With new axes of size 1 at these positions of the result (numpy.expand_dims). A view. */
GND_API gnd_array *gnd_expand_dims(const gnd_array *a, gnd_axes axes);

/* ---- axes ----------------------------------------------------------------------------------- */

/** The axes in reverse order (numpy.transpose without axes, a.T). A view. */
GND_API gnd_array *gnd_transpose(const gnd_array *a);
/**
 * The axes in a given order: axis k of the result is axis axes[k] of `a`. Every axis must be named
 * once; GND_ALL reverses them (numpy.transpose with axes, numpy.permute_dims). A view.
 */
GND_API gnd_array *gnd_permute(const gnd_array *a, gnd_axes axes);
/** numpy.permute_dims. */
#define gnd_permute_dims gnd_permute
/** The last two axes exchanged (numpy.matrix_transpose); at least two dimensions. A view. */
GND_API gnd_array *gnd_matrix_transpose(const gnd_array *a);
/** Two axes exchanged (numpy.swapaxes). A view. */
GND_API gnd_array *gnd_swapaxes(const gnd_array *a, int axis1, int axis2);
/**
 * The axes `source` moved to the positions `destination`, the others in their order
 * (numpy.moveaxis): gnd_moveaxis(a, GND_AXES(0), GND_AXES(-1)). A view.
 */
GND_API gnd_array *gnd_moveaxis(const gnd_array *a, gnd_axes source, gnd_axes destination);
/**
 * The axis moved back until it stands before axis `start` (numpy.rollaxis, whose default is start 0): start
 * may be one more than the last axis. Prefer gnd_moveaxis. A view.
 */
GND_API gnd_array *gnd_rollaxis(const gnd_array *a, int axis, int start);
/** The elements in reverse order along these axes, GND_ALL: along each (numpy.flip). A view. */
GND_API gnd_array *gnd_flip(const gnd_array *a, gnd_axes axes);

/**
 * The diagonals of the planes of two axes, as the last axis of the result: the elements whose
 * index along axis2 is that along axis1 plus `offset` (numpy.diagonal; main diagonal of a matrix:
 * offset 0, axes 0 and 1). A view; unlike NumPy's, it can be written.
 */
GND_API gnd_array *gnd_diagonal(const gnd_array *a, int64_t offset, int axis1, int axis2);

/* ---- broadcasting --------------------------------------------------------------------------- */

/** `a` as if repeated to a larger shape (numpy.broadcast_to). A view that cannot be written. */
GND_API gnd_array *gnd_broadcast_to(const gnd_array *a, gnd_shape shape);
/**
 * The arrays broadcast against each other (numpy.broadcast_arrays): out[i] becomes a view of in[i]
 * in the common shape, which can be written only if it is in[i]'s own. If the call fails, every
 * out[i] is NULL.
 */
GND_API gnd_status gnd_broadcast_arrays(int count, gnd_array_list in, gnd_array *out[]);

/**
 * The shape that `count` shapes broadcast to (numpy.broadcast_shapes); that of a 0-d array for none. An
 * error gives the shape of a 0-d array, too: GND_ERROR_SHAPE for shapes that do not fit each other, for
 * negative sizes and too many dimensions.
 */
GND_API gnd_shape gnd_broadcast_shapes(int count, const gnd_shape *shapes);

/* ---- other readings of the same memory ------------------------------------------------------ */

/** The real parts (numpy.real). A view; of a real array, a view of all of it. */
GND_API gnd_array *gnd_real(const gnd_array *a);
/** The imaginary parts (numpy.imag). A view; of a real array, new zeros of its shape and dtype. */
GND_API gnd_array *gnd_imag(const gnd_array *a);
/**
 * The same bytes read as another dtype (numpy.ndarray.view). If the item sizes differ, the last
 * axis must be contiguous and its bytes a whole number of new items; its size changes to match,
 * and 0-d arrays are refused. Elements must lie on multiples of the new item size, as everywhere
 * in gnd. Reading other bytes than 0 and 1 as bool gives undefined values.
 */
GND_API gnd_array *gnd_view(const gnd_array *a, gnd_dtype dtype);

GND_END

#define gnd_broadcast_arrays(...) GND_WITH_LIST_(gnd_broadcast_arrays)(__VA_ARGS__)

#endif
