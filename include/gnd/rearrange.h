/*
 * gnd/rearrange.h: joining, splitting, repeating, padding and rearranging arrays.
 *
 * Shapes, dtypes and errors are NumPy's. Where NumPy gives a view, so does gnd; everything else is a new
 * array, written once: joins, pads and rolls copy each input directly to its destination. Only
 * gnd_trim_zeros, gnd_repeat_each, gnd_insert_at, gnd_delete_at, and gnd_ix of masks wait for the device.
 *
 * An `axis` counts from the end if negative; where a function allows it, GND_FLAT (NumPy's None) takes the
 * elements of the arrays in C order, in one dimension. New arrays are in C order; but joins along axes,
 * gnd_roll along axes, gnd_tril and gnd_triu keep another order of axes in memory that all inputs agree on,
 * and gnd_pad, gnd_insert and gnd_delete keep Fortran order. All arrays of a call must be on one device
 * (GND_ERROR_DEVICE). A refused call writes nothing; if results go to a list `out`, a failed call sets all
 * entries to NULL, if their number is known.
 */
#ifndef GND_REARRANGE_H
#define GND_REARRANGE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>
#include <gnd/view.h>
#ifdef __cplusplus
#    include <initializer_list>
#endif

GND_BEGIN

/** As an axis: all elements in C order, in one dimension. */
enum { GND_FLAT = -2147483647 - 1 };

/* ---- joining -------------------------------------------------------------------------------- */

/** Options of a join; all zero: NumPy's defaults. */
typedef struct gnd_join_options {
    gnd_array *out;      /**< write here, an array or view of the result's shape; a new reference to
                              it is returned */
    gnd_dtype dtype;     /**< of a new result; GND_DTYPE_NONE: what the arrays promote to */
    gnd_casting casting; /**< how the arrays may be cast to it, or to out's */
} gnd_join_options;

/**
 * Joins `count` arrays along an existing axis (numpy.concatenate):
 *
 *     gnd_concatenate(GND_ARRAYS(a, b, c), 0)
 *
 * Their shapes must be the same except along that axis; with GND_FLAT they may have any shape. The dtype is what
 * theirs promote to together. GND_ERROR_SHAPE for shapes that do not fit and for 0-d arrays,
 * GND_ERROR_INVALID for no arrays at all, GND_ERROR_AXIS for a bad axis.
 */
GND_API gnd_array *gnd_concatenate(int count, gnd_array_list arrays, int axis);
/** The same with an output, a dtype or a casting rule. The arrays may share memory with `out`.
    Both `out` and a dtype are GND_ERROR_INVALID, a cast that is not allowed GND_ERROR_DTYPE. */
GND_API gnd_array *gnd_concatenate_with(int count, gnd_array_list arrays, int axis, gnd_join_options options);
/** Joins arrays of one shape along a new axis, axis `axis` of the result (numpy.stack). */
GND_API gnd_array *gnd_stack(int count, gnd_array_list arrays, int axis);
/** The same with an output, a dtype or a casting rule. */
GND_API gnd_array *gnd_stack_with(int count, gnd_array_list arrays, int axis, gnd_join_options options);
/** Joined along axis 0, 0-d and 1-d arrays as rows (numpy.vstack). */
GND_API gnd_array *gnd_vstack(int count, gnd_array_list arrays);
/** Joined along axis 1; 0-d and 1-d arrays along axis 0 (numpy.hstack). */
GND_API gnd_array *gnd_hstack(int count, gnd_array_list arrays);
/** Joined along axis 2, arrays of fewer dimensions as by gnd_atleast_3d (numpy.dstack). */
GND_API gnd_array *gnd_dstack(int count, gnd_array_list arrays);
/** Joined along axis 1, 0-d and 1-d arrays as columns (numpy.column_stack). */
GND_API gnd_array *gnd_column_stack(int count, gnd_array_list arrays);

/**
 * A matrix of blocks (numpy.block of rows of arrays): the blocks of a row are joined along the last
 * axis, the rows along the last but one. `blocks` has rows * columns arrays, row by row:
 *
 *     gnd_block(2, 2, (const gnd_array *[]){a, b, c, d})
 *
 * Arrays of fewer dimensions than the one with most (2 at least) get leading axes of size 1.
 */
GND_API gnd_array *gnd_block(int rows, int columns, gnd_array_list blocks);

/** A list of blocks to any depth: an array, or (array NULL) `count` parts that are lists again. */
typedef struct gnd_blocks {
    const gnd_array *array;
    int count;
    const struct gnd_blocks *parts;
} gnd_blocks;
/**
 * numpy.block of nested lists: the innermost are joined along the last axis, those around them along
 * the last but one, and so on. Every array must be at the same depth, and no list empty; lists
 * beside each other may differ in length.
 */
GND_API gnd_array *gnd_block_nested(const gnd_blocks *blocks);

/**
 * Appends `values`, an array or a number, to `a` along an axis (numpy.append); GND_FLAT: both flattened.
 * Unlike in NumPy, a C number is weak, as everywhere in gnd: it takes a's dtype where it can.
 */
GND_API gnd_array *gnd_append(const gnd_array *a, gnd_arg values, int axis);

/* ---- splitting ------------------------------------------------------------------------------ */

/**
 * Where an axis is cut: into `sections` parts, written GND_SECTIONS(3), or, if that is 0, before
 * each of `count` indices, written GND_CUTS(2, 5) (three parts: [0, 2), [2, 5), [5, end)). Indices are
 * read as bounds of a slice: they may be negative, or behind the end.
 */
typedef struct gnd_cuts {
    int64_t sections;
    int64_t count;
    const int64_t *indices;
} gnd_cuts;

/** Into n parts. */
static inline gnd_cuts gnd_sections(int64_t n) {
    gnd_cuts cuts;
    cuts.sections = n, cuts.count = 0, cuts.indices = NULL;
    return cuts;
}
/** Before each of `count` indices, which must stay as they are during the call. */
static inline gnd_cuts gnd_cuts_at(int64_t count, const int64_t *indices) {
    gnd_cuts cuts;
    cuts.sections = 0, cuts.count = count, cuts.indices = indices;
    return cuts;
}
#define GND_SECTIONS(n) gnd_sections(n)

/**
 * The parts of `a` between cuts along an axis (numpy.split): views, to out[0], out[1], ... `out` has
 * `sections` entries, or one more than there are indices. GND_ERROR_SHAPE if the axis does not divide into
 * equal sections.
 */
GND_API gnd_status gnd_split(const gnd_array *a, gnd_cuts cuts, int axis, gnd_array *out[]);
/** The same, but sections may be unequal: the first ones are longer by one (numpy.array_split). */
GND_API gnd_status gnd_array_split(const gnd_array *a, gnd_cuts cuts, int axis, gnd_array *out[]);
/** gnd_split along axis 1, of a 1-d array along axis 0 (numpy.hsplit). */
GND_API gnd_status gnd_hsplit(const gnd_array *a, gnd_cuts cuts, gnd_array *out[]);
/** gnd_split along axis 0 of an array with at least two (numpy.vsplit). */
GND_API gnd_status gnd_vsplit(const gnd_array *a, gnd_cuts cuts, gnd_array *out[]);
/** gnd_split along axis 2 of an array with at least three (numpy.dsplit). */
GND_API gnd_status gnd_dsplit(const gnd_array *a, gnd_cuts cuts, gnd_array *out[]);
/**
 * Every a[i] along an axis, without that axis (numpy.unstack): views, in out[0] and so on, as many as the
 * axis is long.
 */
GND_API gnd_status gnd_unstack(const gnd_array *a, int axis, gnd_array *out[]);

/* ---- repeating ------------------------------------------------------------------------------ */

/**
 * `a` repeated like tiles, repeats.dim[k] times along axis k (numpy.tile). The shorter of a's shape
 * and `repeats` gets leading ones: gnd_tile(row, GND_SHAPE(3, 1)) is three rows.
 */
GND_API gnd_array *gnd_tile(const gnd_array *a, gnd_shape repeats);
/**
 * Each element, or row of an axis, `times` times in a row (numpy.repeat with a number).
 */
GND_API gnd_array *gnd_repeat(const gnd_array *a, int64_t times, int axis);
/**
 * Row k of an axis counts[k] times (numpy.repeat with an array). `counts` is a vector of integers (not
 * uint64) or bool as long as the axis, or of one element for all. Waits for the counts, since the shape
 * depends on them. GND_ERROR_VALUE for a negative count, GND_ERROR_SHAPE for another number of them.
 */
GND_API gnd_array *gnd_repeat_each(const gnd_array *a, const gnd_array *counts, int axis);
/** Repeats a's elements in C order until the new shape is full (numpy.resize); zeros if there are none. */
GND_API gnd_array *gnd_resize(const gnd_array *a, gnd_shape shape);

/* ---- padding -------------------------------------------------------------------------------- */

/** How a border is filled. */
typedef enum gnd_pad_mode {
    GND_PAD_CONSTANT = 0, /**< a number or an array */
    GND_PAD_EDGE,         /**< the elements at the edge */
    GND_PAD_LINEAR_RAMP,  /**< from the edge evenly to an end value */
    GND_PAD_MAXIMUM,      /**< the maximum of what is next to that side, of all along the axis */
    GND_PAD_MEAN,         /**< the mean of it; for integers rounded to even */
    GND_PAD_MEDIAN,       /**< the median of it */
    GND_PAD_MINIMUM,      /**< the minimum of it */
    GND_PAD_REFLECT,      /**< mirrored at the edge, without repeating it */
    GND_PAD_SYMMETRIC,    /**< mirrored, repeating the edge */
    GND_PAD_WRAP,         /**< from the other side */
    GND_PAD_EMPTY,        /**< whatever the memory holds */
} gnd_pad_mode;

/** How much goes before and behind each axis, written GND_PAD_WIDTHS({1, 2}, {0, 3}); the same width
    everywhere is GND_PAD_WIDTH(16). */
typedef struct gnd_pad_widths {
    int count;                      /**< how many pairs are given; 1: the same for each axis */
    int64_t width[GND_MAX_DIMS][2]; /**< before and behind */
} gnd_pad_widths;

/** The same width before and behind each axis. */
static inline gnd_pad_widths gnd_pad_width(int64_t before, int64_t behind) {
    gnd_pad_widths w;
    w.count = 1, w.width[0][0] = before, w.width[0][1] = behind;
    return w;
}
static inline gnd_pad_widths gnd_pad_width_around_(int64_t n) {
    return gnd_pad_width(n, n);
}
#define GND_PAD_WIDTH(n) gnd_pad_width_around_(n)

/**
 * Fills in the border of one line: `line` is a 1-d view of the result that may be written, `width` the
 * elements before and behind those of the array, `axis` the axis that it lies along. Anything but GND_OK, or
 * an error that it leaves pending, ends the call.
 */
typedef gnd_status gnd_pad_function(gnd_array *line, const int64_t width[2], int axis, void *context);

/** How to pad; all zero: with zeros. */
typedef struct gnd_pad_options {
    gnd_pad_mode mode;
    bool odd; /**< GND_PAD_REFLECT, GND_PAD_SYMMETRIC: twice the edge less what is mirrored */
    /** GND_PAD_CONSTANT, GND_PAD_LINEAR_RAMP: how many pairs of `value` are given. 0: zeros; 1: the
        same pair for each axis; else a pair an axis. */
    int values;
    /** The constants, or the values at the ends, before and behind an axis: numbers, or 0-d
        arrays. GND_NONE: 0. */
    gnd_arg value[GND_MAX_DIMS][2];
    /** The statistics: how many pairs of `length` are given, as with `values`. 0: all of an axis. */
    int lengths;
    /** How many elements next to each side count; at most all of them do. -1: all. */
    int64_t length[GND_MAX_DIMS][2];
    /** If not NULL, fills the border, zeros before, instead of a mode, which then must be 0: called for
        every line of the whole result, axis after axis, lines in C order, with the context. */
    gnd_pad_function *function;
    void *context;
} gnd_pad_options;

/**
 * `a` with a border (numpy.pad). NULL as options: zeros.
 *
 *     gnd_pad(image, GND_PAD_WIDTH(16), &(gnd_pad_options){.mode = GND_PAD_REFLECT})
 *
 * The dtype stays a's: constants, ramps and statistics are cast to it. Axes are padded one after the other;
 * corners derive from the axes padded before. If a border is wider than the array, mirrors and repetitions
 * continue. Each piece of the border is one copy, plus one for the interior.
 *
 * GND_ERROR_VALUE for negative widths and lengths, an empty axis that only a constant could extend, an
 * integer that the dtype cannot hold, and the maximum or minimum of nothing; GND_ERROR_INVALID for pairs that
 * are neither one nor one an axis.
 */
GND_API gnd_array *gnd_pad(const gnd_array *a, gnd_pad_widths widths, const gnd_pad_options *options);

/* ---- rolling and flipping ------------------------------------------------------------------- */

/**
 * Shifts the elements by `shift` along each of these axes, cyclically (numpy.roll). GND_ALL: as if `a` were
 * flattened and reshaped back.
 */
GND_API gnd_array *gnd_roll(const gnd_array *a, int64_t shift, gnd_axes axes);
/** The same with a shift for each axis of the list; shifts of an axis that is named again add up. */
GND_API gnd_array *gnd_roll_each(const gnd_array *a, const int64_t *shifts, gnd_axes axes);
/**
 * Rotates by k times 90 degrees, from the first towards the second axis (numpy.rot90); GND_ALL: axes 0 and 1.
 * A view.
 */
GND_API gnd_array *gnd_rot90(const gnd_array *a, int64_t k, gnd_axes axes);
/** Columns in reverse order, axis 1 (numpy.fliplr). A view. */
GND_API gnd_array *gnd_fliplr(const gnd_array *a);
/** Rows in reverse order, axis 0 (numpy.flipud). A view. */
GND_API gnd_array *gnd_flipud(const gnd_array *a);

/* ---- inserting and deleting ----------------------------------------------------------------- */

/**
 * Inserts values before an index, or before each index of a range, along an axis (numpy.insert): `at` is
 * gnd_index_at(i) or gnd_index_range(start, stop, step).
 *
 *     gnd_insert(a, gnd_index_at(2), 7, 0)                         gnd_insert(a, at, rows, 0)
 *
 * At one index, the array `values` is a block whose axis 0 is moved to `axis`, as in NumPy; at a range of
 * several, values broadcast to that many indices. They are cast to a's dtype as by gnd_astype().
 * GND_ERROR_INDEX for an index outside -n to n.
 */
GND_API gnd_array *gnd_insert(const gnd_array *a, gnd_index at, gnd_arg values, int axis);
/**
 * The same before each index of an array (numpy.insert): integers of at most one dimension, or a mask as a
 * vector, which stands for the indices of its true elements. Values broadcast to that many indices along the
 * axis; for equal indices, the first one's value comes first. A single index takes a block of values, as
 * above if the array is 0-d, else without moving its axes. Waits, to check the indices and to count a mask.
 */
GND_API gnd_array *gnd_insert_at(const gnd_array *a, const gnd_array *indices, gnd_arg values, int axis);
/** Deletes one index, or a range of them, along an axis (numpy.delete). */
GND_API gnd_array *gnd_delete(const gnd_array *a, gnd_index at, int axis);
/**
 * Deletes the indices in an integer array of any shape, duplicates allowed, or where a mask as long as the
 * axis is true. Waits, since the shape depends on them.
 */
GND_API gnd_array *gnd_delete_at(const gnd_array *a, const gnd_array *indices, int axis);
/**
 * Trims zeros before the first and after the last nonzero element along these axes (numpy.trim_zeros).
 * `ends`: "f", "b" or "fb" for front, back or both; NULL: both. A view. Waits for the device, since the shape
 * depends on the elements.
 */
GND_API gnd_array *gnd_trim_zeros(const gnd_array *a, const char *ends, gnd_axes axes);

/* ---- more dimensions ------------------------------------------------------------------------ */

/** `a`, a 0-d array as 1-d (numpy.atleast_1d). A view. */
GND_API gnd_array *gnd_atleast_1d(const gnd_array *a);
/** `a`, arrays of fewer dimensions as a row (numpy.atleast_2d). A view. */
GND_API gnd_array *gnd_atleast_2d(const gnd_array *a);
/** `a`, arrays of fewer dimensions with n elements as (1, n, 1), matrices with a last axis of size 1
    (numpy.atleast_3d). A view. */
GND_API gnd_array *gnd_atleast_3d(const gnd_array *a);

/* ---- triangles and diagonals ---------------------------------------------------------------- */

/** An n x m matrix of ones at and below diagonal k and zeros above it (numpy.tri); m = -1: square,
    GND_DTYPE_NONE: float64. */
GND_API gnd_array *gnd_tri(int64_t n, int64_t m, int64_t k, gnd_dtype dtype);
/** The elements at and below diagonal k of the last two axes, zeros above (numpy.tril). A 1-d array
    is repeated as the rows of a square matrix; a 0-d one is GND_ERROR_SHAPE. One launch. */
GND_API gnd_array *gnd_tril(const gnd_array *a, int64_t k);
/** The elements at and above diagonal k, zeros below (numpy.triu). */
GND_API gnd_array *gnd_triu(const gnd_array *a, int64_t k);
/** A square matrix of zeros with the 1-d `a` on diagonal k; or of a matrix its diagonal k, a view
    (numpy.diag). */
GND_API gnd_array *gnd_diag(const gnd_array *a, int64_t k);
/** A square matrix of zeros with a's elements, in C order, on diagonal k (numpy.diagflat). */
GND_API gnd_array *gnd_diagflat(const gnd_array *a, int64_t k);
/**
 * The powers of the 1-d x as columns (numpy.vander): n of them (-1: as many as elements), from the
 * highest down to 0, or from 0 up if `increasing`. Of the dtype of x promoted with int64.
 */
GND_API gnd_array *gnd_vander(const gnd_array *x, int64_t n, bool increasing);

/* ---- grids ---------------------------------------------------------------------------------- */

/** How coordinates become grids; all zero is NumPy's default. */
typedef struct gnd_grid_options {
    bool ij;     /**< array k runs along axis k; else the first two are exchanged ("xy") */
    bool sparse; /**< axes along which an array does not change keep size 1 */
    bool view;   /**< views of the arrays instead of copies; read-only where they are repeated */
} gnd_grid_options;

/** The coordinates of a grid from the elements of `count` arrays, to out[0] and so on
    (numpy.meshgrid). */
GND_API gnd_status gnd_meshgrid(int count, gnd_array_list arrays, gnd_grid_options options, gnd_array *out[]);
/** The indices of an array of this shape (numpy.indices): result[k] holds each element's index along
    axis k. GND_DTYPE_NONE: int64. */
GND_API gnd_array *gnd_indices(gnd_shape shape, gnd_dtype dtype);
/** The same as one array an axis, with size 1 along the others (numpy.indices, sparse), to out[0]
    and so on. */
GND_API gnd_status gnd_indices_sparse(gnd_shape shape, gnd_dtype dtype, gnd_array *out[]);

/**
 * Turns vectors of indices into an open grid (numpy.ix_): out[k] lies along axis k of `count`, so that
 * gnd_get() combines all of them. A bool vector stands for the indices of its true elements, and waits; the
 * others are views. GND_ERROR_SHAPE for anything but vectors.
 */
GND_API gnd_status gnd_ix(int count, gnd_array_list arrays, gnd_array *out[]);

/* ---- windows -------------------------------------------------------------------------------- */

/**
 * Every window of a shape that fits in `a`, as further axes behind its own
 * (numpy.lib.stride_tricks.sliding_window_view): a view, each axis of `a` that is named, GND_ALL: each,
 * shorter by the window less one. An axis may be named twice. The view is read-only unless `writeable`, since
 * the windows overlap: if several values are written to one element, it is unspecified which one stays.
 */
GND_API gnd_array *gnd_sliding_window_view(const gnd_array *a, gnd_shape window, gnd_axes axes, bool writeable);
/**
 * a's memory from its first element on, with another shape and strides in bytes
 * (numpy.lib.stride_tricks.as_strided). Unlike in NumPy the strides are checked: if they lead outside the
 * memory of `a` (or of the array that it is a view of), or are not multiples of the element size, that is
 * GND_ERROR_SHAPE. The view is read-only if an element may have several indices.
 */
GND_API gnd_array *gnd_as_strided(const gnd_array *a, gnd_shape shape, const int64_t *strides);

GND_END

#ifndef __cplusplus
/** The count and the list of arrays, up to 64: GND_ARRAYS(a, b, c). */
#    define GND_ARRAYS(...)                                                                                            \
        GND_COUNT_ONCE_(__VA_ARGS__), (const gnd_array * [GND_COUNT_ONCE_(__VA_ARGS__)]) {                             \
            __VA_ARGS__                                                                                                \
        }
/** The widths of a border, a pair for each axis: GND_PAD_WIDTHS({1, 2}, {0, 3}). */
#    define GND_PAD_WIDTHS(...)                                                                                        \
        ((gnd_pad_widths){(int)(sizeof((int64_t[][2]){__VA_ARGS__}) / (2 * sizeof(int64_t))), {__VA_ARGS__}})
/** The indices at which an axis is cut: GND_CUTS(2, 5). */
#    define GND_CUTS(...)                                                                                              \
        gnd_cuts_at((int64_t)(sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t)), (const int64_t[]){__VA_ARGS__})
#else
template <class... A> inline gnd_list_<const gnd_array *, sizeof...(A)> gnd_make_arrays_(A... a) {
    return {{a...}};
}
struct gnd_width_pair_ {
    int64_t before, behind;
};
inline gnd_pad_widths gnd_make_widths_(std::initializer_list<gnd_width_pair_> pairs) {
    gnd_pad_widths w{};
    for (const gnd_width_pair_ &pair : pairs) {
        if (w.count >= GND_MAX_DIMS) break;
        w.width[w.count][0] = pair.before, w.width[w.count++][1] = pair.behind;
    }
    return w;
}
#    define GND_PAD_WIDTHS(...) gnd_make_widths_({__VA_ARGS__})
#    define GND_ARRAYS(...) GND_COUNT_ONCE_(__VA_ARGS__), gnd_make_arrays_(__VA_ARGS__).begin()
#    define GND_CUTS(...) gnd_cuts_at(GND_COUNT_ONCE_(__VA_ARGS__), gnd_make_integers_(__VA_ARGS__).begin())
#endif

/** numpy.concat is numpy.concatenate. */
#define gnd_concat gnd_concatenate

#define gnd_append(a, values, axis) (gnd_append)(a, GND_ARG(values), axis)
#define gnd_insert(a, at, values, axis) (gnd_insert)(a, at, GND_ARG(values), axis)
#define gnd_insert_at(a, indices, values, axis) (gnd_insert_at)(a, indices, GND_ARG(values), axis)

#define gnd_concatenate(...) GND_WITH_LIST_(gnd_concatenate)(__VA_ARGS__)
#define gnd_concatenate_with(...) GND_WITH_LIST_(gnd_concatenate_with)(__VA_ARGS__)
#define gnd_stack(...) GND_WITH_LIST_(gnd_stack)(__VA_ARGS__)
#define gnd_stack_with(...) GND_WITH_LIST_(gnd_stack_with)(__VA_ARGS__)
#define gnd_vstack(...) GND_WITH_LIST_(gnd_vstack)(__VA_ARGS__)
#define gnd_hstack(...) GND_WITH_LIST_(gnd_hstack)(__VA_ARGS__)
#define gnd_dstack(...) GND_WITH_LIST_(gnd_dstack)(__VA_ARGS__)
#define gnd_column_stack(...) GND_WITH_LIST_(gnd_column_stack)(__VA_ARGS__)
#define gnd_block(...) GND_WITH_LIST_(gnd_block)(__VA_ARGS__)
#define gnd_meshgrid(...) GND_WITH_LIST_(gnd_meshgrid)(__VA_ARGS__)
#define gnd_ix(...) GND_WITH_LIST_(gnd_ix)(__VA_ARGS__)

#endif
