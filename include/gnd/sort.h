/*
 * gnd/sort.h: sorting, selection, and searches in sorted arrays.
 *
 *     gnd_sort(x, GND_AXES(-1), GND_ASCENDING)       each row for itself
 *     gnd_argsort(x, GND_ALL, GND_DESCENDING)        all elements, the largest first: their indices
 *     gnd_topk(&best, &where, x, 10, GND_AXES(1), GND_DESCENDING)
 *     gnd_lexsort(GND_ARGS(first, last), GND_ALL)    by last name, then by first name
 *     gnd_partition(x, GND_KTH(100), GND_AXES(-1))   the 100 smallest in front
 *
 * The order is NumPy's, for every dtype: false before true, numbers ascending, complex numbers by their real,
 * then their imaginary part. NaN comes last, whatever its sign. (Complex numbers: those without NaN first,
 * then those with a NaN imaginary part, a NaN real part, two NaN; each group by its other part.) -0.0 and 0.0
 * are equal. GND_DESCENDING is the exact reverse, NaN first. Sorts are stable in both directions: equal
 * elements keep their order, zeros their signs. Only values that are NaN of different sign or payload may be
 * reordered among themselves.
 *
 * Rules for all functions that sort or select:
 *
 * - One axis, or GND_ALL for the elements of x in C order (NumPy's axis=None): the result then has one
 *   dimension, and a 0-d array counts as one element. Naming an axis of a 0-d array is an error, except for
 *   indices along axis 0 or -1, as in NumPy.
 * - Indices are int64: the position of each element along the axis (with GND_ALL: in C order).
 * - `out` of gnd_axes receives the result, or the values where there are two, and is returned (a new
 *   reference). It must have the result's shape; its dtype may be any (cast as C does); it may overlap x, as
 *   if x had been copied; if it is x itself, x is sorted in place. `keepdims`, `where`, `initial` and `dtype`
 *   are refused.
 * - A new result has x's memory order (NumPy's K order).
 * - Temporary memory: a sort takes at most 2.5 times the size of the elements. (For indices on a CPU, and for
 *   gnd_lexsort: of the elements, or the largest key, and the indices together.) gnd_topk and partitions take
 *   at most 4 times the size of the elements and their indices. In addition: a few MB for each CPU thread; on
 *   a GPU, for each row longer than a block can hold (1024 to 16384 elements, by dtype), up to 40 KB
 *   (gnd_topk and partitions: 200 KB), but at most 256 MB for all rows; and an array of the result's size for
 *   an `out` of another dtype, or one that overlaps x and is not x. If memory runs out, GND_ERROR_MEMORY says
 *   how much was requested; x and `out` are unchanged.
 * - On a GPU, indices are limited to rows of fewer than 2^32 elements; longer ones are GND_ERROR_UNAVAILABLE.
 *   Values alone can be sorted at any length.
 *
 * None of them waits for the device.
 *
 * Errors: an axis out of range or more than one, an `out` of another shape or read-only, arrays on different
 * devices, and what each function's comment names.
 */
#ifndef GND_SORT_H
#define GND_SORT_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- order ---------------------------------------------------------------------------------- */

/** Which way to sort. */
typedef enum gnd_direction {
    GND_ASCENDING = 0, /**< the smallest first, NaN last */
    GND_DESCENDING,    /**< the largest first, NaN before all */
} gnd_direction;

/** The elements in order (numpy.sort). */
GND_API gnd_array *gnd_sort(const gnd_array *x, gnd_axes axes, gnd_direction direction);

/** The indices that sort x (numpy.argsort, kind="stable"). */
GND_API gnd_array *gnd_argsort(const gnd_array *x, gnd_axes axes, gnd_direction direction);

/**
 * Both at once (torch.sort): *values and *indices are new arrays, gnd_sort's and gnd_argsort's
 * results; NULL pointers after an error.
 */
GND_API gnd_status gnd_sort_with_indices(gnd_array **values, gnd_array **indices, const gnd_array *x, gnd_axes axes,
                                         gnd_direction direction);

/**
 * Sorts x in place (numpy.ndarray.sort); it may be a view of any strides. One axis; GND_ALL only if x has one
 * dimension. Takes no `out`. GND_ERROR_INVALID if x is read-only.
 */
GND_API gnd_status gnd_sort_inplace(gnd_array *x, gnd_axes axes, gnd_direction direction);

/**
 * Sorts along the last axis and gives complex numbers for any dtype of x (numpy.sort_complex): int8, int16
 * and their unsigned kinds become complex64, other real dtypes complex128.
 */
GND_API gnd_array *gnd_sort_complex(const gnd_array *x);

/**
 * The indices that sort by several keys (numpy.lexsort). The LAST key is the primary one; earlier keys break
 * ties. Keys, written GND_ARGS(...), are arrays of one shape and any dtypes. They are sorted along one axis,
 * which must be named if they have more than one; 0-d keys give the index 0. Takes `out`. GND_ERROR_INVALID
 * without a key or for a number as a key, GND_ERROR_SHAPE if shapes differ.
 */
GND_API gnd_array *gnd_lexsort(int count, const gnd_arg *keys, gnd_axes axes);

/**
 * Merges two sorted vectors into one: what gnd_sort gives of both together, but in one pass. Of equal elements a's come
 * first. The result has the dtype to which both promote. If an input is not sorted in `direction`, the result holds the
 * same elements in an unspecified order. GND_ERROR_SHAPE unless both have one dimension. Does not wait.
 */
GND_API gnd_array *gnd_merge(const gnd_array *a, const gnd_array *b, gnd_direction direction);

/** The same, and the index of each element in a followed by b: int64. Both results are NULL after an error. */
GND_API gnd_status gnd_merge_with_indices(gnd_array **values, gnd_array **indices, const gnd_array *a,
                                          const gnd_array *b, gnd_direction direction);

/* ---- selection ------------------------------------------------------------------------------ */

/**
 * The first k elements of gnd_sort and of gnd_argsort: with GND_DESCENDING the k largest, the
 * largest first (torch.topk; NaN counts as the largest), with GND_ASCENDING the k smallest. Either
 * pointer may be NULL. Both are sorted and stable: of equal elements those that stand first are taken.
 * `out`, if given, receives the values, or the indices if those alone are wanted. GND_ERROR_VALUE if k
 * is negative or larger than the axis.
 */
GND_API gnd_status gnd_topk(gnd_array **values, gnd_array **indices, const gnd_array *x, int64_t k, gnd_axes axes,
                            gnd_direction direction);

/**
 * Rearranges the elements so that each of the `count` indices kth[i], written GND_KTH(...), has the element
 * that sorting would put there, with nothing larger before and nothing smaller after it (numpy.partition).
 * The order between those indices is unspecified and differs between devices. Negative indices count from the
 * end. GND_ERROR_VALUE for an index outside the axis (of an array that has elements).
 */
GND_API gnd_array *gnd_partition(const gnd_array *x, int count, const int64_t *kth, gnd_axes axes);

/** The indices in x of the elements of such a partition (numpy.argpartition). */
GND_API gnd_array *gnd_argpartition(const gnd_array *x, int count, const int64_t *kth, gnd_axes axes);

/* ---- searches ------------------------------------------------------------------------------- */

/** The side of equal elements on which a value is inserted. */
typedef enum gnd_side {
    GND_LEFT = 0, /**< before them: the number of elements that are less */
    GND_RIGHT,    /**< after them: the number of elements that are less or equal */
} gnd_side;

/**
 * The indices at which values would be inserted in `sorted` to keep it sorted (numpy.searchsorted): int64, of
 * the shape of `values`, in C order. `sorted` is 1-d and in gnd_sort's order, NaN last; otherwise the results
 * are meaningless. `sorter` (or GND_NONE) holds the indices that sort it, as gnd_argsort gives them.
 *
 * The two are compared in the dtype that they promote to; an array of another one is converted first. C
 * numbers are not weak here, as in NumPy: a double makes float32 elements float64, so that its position is
 * exact. GND_ERROR_SHAPE unless `sorted` is 1-d and the sorter has its shape, GND_ERROR_DTYPE for a sorter
 * that is not of integers. An index in the sorter outside [0, size) is GND_ERROR_INDEX at the next wait. Does
 * not wait.
 */
GND_API gnd_array *gnd_searchsorted(const gnd_array *sorted, gnd_arg values, gnd_side side, gnd_arg sorter);

/**
 * The number of the bin that each element of x belongs to (numpy.digitize): int64, of x's shape. With bins
 * that increase it is i where bins[i - 1] <= x < bins[i], or bins[i - 1] < x <= bins[i] if `right`; with bins
 * that decrease, where bins[i - 1] > x >= bins[i], or bins[i - 1] >= x > bins[i] if `right`. Elements outside
 * give 0 or the number of bins. Dtypes as gnd_searchsorted, real ones only. Bins that neither increase nor
 * decrease are GND_ERROR_VALUE at the next wait. Does not wait.
 */
GND_API gnd_array *gnd_digitize(gnd_arg x, const gnd_array *bins, bool right);

GND_END

/** Indices for gnd_partition: GND_KTH(0, -1) is `2, (const int64_t[]){0, -1}`. */
#ifndef __cplusplus
#    define GND_KTH(...) GND_COUNT_(__VA_ARGS__), ((const int64_t[]){__VA_ARGS__})
#else
template <class... N> inline int gnd_count_of_(N...) {
    return static_cast<int>(sizeof...(N));
}
/* The list lives to the end of the full expression. */
struct gnd_kth_list_ {
    int64_t kth[32];
    const int64_t *begin() const { return kth; }
};
#    define GND_KTH(...) gnd_count_of_(__VA_ARGS__), gnd_kth_list_{{__VA_ARGS__}}.begin()
#endif

#define gnd_searchsorted(sorted, values, side, ...)                                                                    \
    (gnd_searchsorted)(sorted, GND_ARG(values), side, GND_ARG(__VA_ARGS__))
#define gnd_digitize(x, bins, ...) (gnd_digitize)(GND_ARG(x), bins, __VA_ARGS__)

#endif
