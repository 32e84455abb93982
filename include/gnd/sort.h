/*
 * gnd/sort.h: sorting, selection, and searches in sorted arrays.
 *
 *     gnd_sort(x, GND_AXES(-1), GND_ASCENDING)       each row for itself
 *     gnd_argsort(x, GND_ALL, GND_DESCENDING)        all elements, the largest first: their indices
 *     gnd_topk(&best, &where, x, 10, GND_AXES(1), GND_DESCENDING)
 *     gnd_lexsort(GND_ARGS(first, last), GND_ALL)    by last name, then by first name
 *     gnd_partition(x, GND_KTH(100), GND_AXES(-1))   the 100 smallest in front
 *
 * The order is NumPy's, for every dtype: false before true, numbers ascending, complex ones by their
 * real, then their imaginary part; NaN last, of either sign (complex numbers: those without a NaN,
 * then those with a NaN imaginary part, a NaN real part, two NaN, each kind by what is not NaN).
 * -0.0 and 0.0 are equal. GND_DESCENDING is the exact reverse, NaN first. Sorts are stable in either
 * direction: equal elements keep their order, zeros their signs; only NaN of different sign or payload
 * may change their order among themselves where values are asked for.
 *
 * They hold for all functions that order:
 *
 * - One axis, or GND_ALL for the elements of x in C order (NumPy's axis=None): the result then has
 *   one dimension, and a 0-d array counts as one element. A named axis of a 0-d array is an error, but
 *   for indices along axis 0 or -1, as in NumPy.
 * - Indices are int64: the position of each element along the axis (with GND_ALL: in C order).
 * - `out` of gnd_axes receives the result, or the values where there are two, and is returned (a new
 *   reference). It must have the result's shape; its dtype may be any (cast as C does); it may overlap
 *   x as if x had been copied, and if it is x itself x is sorted in place. `keepdims`, `where`,
 *   `initial` and `dtype` have no meaning here and are refused.
 * - A new result lies in memory as x does (NumPy's K order).
 * - Temporary memory of a sort is at most 2.5 times that of the elements (where indices are wanted on a
 *   CPU, and of gnd_lexsort: of the elements, or the largest key's, and of the indices, together); of
 *   gnd_topk and partitions at most 4 times that of the elements and of an index for each. What comes
 *   to that: a few MB for each thread of a CPU; on a GPU, for each row that is longer than a block can
 *   hold (1024 to 16384 elements, by dtype), up to 40 KB, in gnd_topk and partitions 200 KB, of many
 *   rows never more than 256 MB together; and an array of the result's size for an `out` of another
 *   dtype, or that overlaps x and is not x. If there is not so much, GND_ERROR_MEMORY says what was
 *   asked for; x is as it was, and so is `out`.
 * - On a GPU indices are found in rows of fewer than 2^32 elements; longer ones are
 *   GND_ERROR_UNAVAILABLE. Values alone are put in order at any length.
 *
 * None of them waits for the device.
 *
 * Errors: an axis out of range or more than one, an `out` of another shape or read-only, arrays on
 * different devices, and what each function's comment names.
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
 * Sorts x where it is (numpy.ndarray.sort), a view of any strides too. One axis; GND_ALL only if x
 * has one dimension. Takes no `out`. GND_ERROR_INVALID if x is read-only.
 */
GND_API gnd_status gnd_sort_inplace(gnd_array *x, gnd_axes axes, gnd_direction direction);

/**
 * Complex numbers in order along the last axis, whatever the dtype of x (numpy.sort_complex): int8,
 * int16 and their unsigned kinds become complex64, other real dtypes complex128.
 */
GND_API gnd_array *gnd_sort_complex(const gnd_array *x);

/**
 * The indices that put several keys in order, the LAST of them the one that counts most, each earlier
 * one where those behind it are equal (numpy.lexsort). Keys, written GND_ARGS(...), are arrays of one
 * shape and any dtypes; the indices go along one axis, which must be named if they have more than one.
 * Keys of no dimension have one index, 0. Takes `out`. GND_ERROR_INVALID without a key or for one that
 * is a number, GND_ERROR_SHAPE if their shapes differ.
 */
GND_API gnd_array *gnd_lexsort(int count, const gnd_arg *keys, gnd_axes axes);

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
 * The elements rearranged so that at each of `count` indices kth[i], written GND_KTH(...), stands what
 * would be there if all were sorted, with nothing larger before and nothing smaller behind it
 * (numpy.partition). The order between those indices is not said, and differs between devices.
 * Negative indices count from the end. GND_ERROR_VALUE for an index outside the axis (of an array that
 * has elements).
 */
GND_API gnd_array *gnd_partition(const gnd_array *x, int count, const int64_t *kth, gnd_axes axes);

/** Where the elements of such an arrangement stand in x (numpy.argpartition). */
GND_API gnd_array *gnd_argpartition(const gnd_array *x, int count, const int64_t *kth, gnd_axes axes);

/* ---- searches --------------------------------------------------------------------------------- */

/** On which side of elements that are equal to it a value belongs. */
typedef enum gnd_side {
    GND_LEFT = 0, /**< before them: how many elements are less */
    GND_RIGHT,    /**< behind them: how many are less or equal */
} gnd_side;

/**
 * Where values belong in `sorted`, so that it stays in order (numpy.searchsorted): int64, of the shape
 * of `values`, in C order. `sorted` has one dimension and is in the order that gnd_sort makes, NaN
 * last; if it is not, the results mean nothing. `sorter` (or GND_NONE) holds the integer positions that
 * put it in order, as gnd_argsort gives them.
 *
 * The two are compared in the dtype that they promote to; an array of another one is converted first.
 * A C number is no weak one here, as in NumPy: a double makes float32 elements float64, so that it is
 * found where it really belongs. GND_ERROR_SHAPE unless `sorted` has one dimension and the sorter its
 * shape, GND_ERROR_DTYPE for a sorter of no integers. A position of the sorter outside [0, size) is
 * GND_ERROR_INDEX at the next wait. Does not wait.
 */
GND_API gnd_array *gnd_searchsorted(const gnd_array *sorted, gnd_arg values, gnd_side side, gnd_arg sorter);

/**
 * The number of the bin that each element of x belongs to (numpy.digitize): int64, of x's shape. With
 * bins that increase it is i where bins[i - 1] <= x < bins[i], or bins[i - 1] < x <= bins[i] if
 * `right`; with bins that decrease, where bins[i - 1] > x >= bins[i], or bins[i - 1] >= x > bins[i] if
 * `right`. 0 and the number of bins stand for what lies outside. Dtypes as gnd_searchsorted, real
 * ones only. Bins that do neither are GND_ERROR_VALUE at the next wait. Does not wait.
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
