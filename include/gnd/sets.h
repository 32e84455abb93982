/*
 * gnd/sets.h: arrays as sets of values.
 *
 *     gnd_unique(x, GND_ALL, NULL)                              the different values, ascending
 *     gnd_unique(x, GND_AXES(0), NULL)                          the different rows
 *     gnd_array *counts;
 *     gnd_unique(x, GND_ALL, &(gnd_unique_options){.counts = &counts})     and how often each stands
 *     gnd_isin(x, wanted, false, GND_ISIN_AUTO)                 a mask of x: which elements are wanted
 *
 * How many values a set has depends on the data: all but gnd_isin wait for the device before they
 * return. Values are ordered as by gnd_sort (gnd/sort.h): NaN last, -0.0 and 0.0 equal, and of equal
 * elements the first one in x stands for all. Arrays of any shape are taken as their elements in C
 * order. Results lie in C order; indices and counts are int64.
 *
 * Errors: a NULL array, arrays on different devices, and what each function's comment names.
 */
#ifndef GND_SETS_H
#define GND_SETS_H

#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- unique --------------------------------------------------------------------------------- */

/** What gnd_unique gives beside the values, and what counts as equal. All zero: NumPy's defaults. */
typedef struct gnd_unique_options {
    gnd_array **index;   /**< gets where in x each value stands first */
    gnd_array **inverse; /**< gets, for each element of x, the number of its value in the result */
    gnd_array **counts;  /**< gets how many elements have each value */
    bool distinct_nan;   /**< no NaN equals another one (numpy's equal_nan=False) */
    bool unsorted;       /**< the values may come in any order (numpy's sorted=False) */
    void *reserved[4];
} gnd_unique_options;

/**
 * The different values of x, ascending, in one dimension (numpy.unique). What `options` point at gets
 * new arrays, NULL after an error; `options` may be NULL. All NaN are one value, the last one, of
 * complex numbers all that are NaN in any part; with `distinct_nan` each is a value of its own.
 * `unsorted` is a permission, not a wish: the result is the same at present.
 *
 * With GND_ALL indices count in C order of x, and the inverse has x's shape:
 * x = values[inverse]. With one axis, parts of x along it are compared as wholes (their elements in C
 * order, the first difference decides; a NaN makes a part differ from any other, as in NumPy), and
 * the result has x's shape but along the axis; index, inverse and counts are 1-d. The axis of a 1-d x
 * is the same as GND_ALL. Takes no option of gnd_axes.
 *
 * x is sorted, or, if it holds integers that span few values, counted. Several axes, an axis out of
 * range or an option of gnd_axes are errors.
 */
GND_API gnd_array *gnd_unique(const gnd_array *x, gnd_axes axes, const gnd_unique_options *options);

/* The array API's four, which NumPy has too: of all elements, and no NaN equals another one. */

/** The different values (numpy.unique_values). */
GND_API gnd_array *gnd_unique_values(const gnd_array *x);
/** The different values, and how often each stands in x (numpy.unique_counts). */
GND_API gnd_array *gnd_unique_counts(const gnd_array *x, gnd_array **counts);
/** The different values, and the number of each element's value (numpy.unique_inverse). */
GND_API gnd_array *gnd_unique_inverse(const gnd_array *x, gnd_array **inverse);
/** The different values, and all that gnd_unique knows of them (numpy.unique_all). */
GND_API gnd_array *gnd_unique_all(const gnd_array *x, gnd_array **index, gnd_array **inverse, gnd_array **counts);

/* ---- two sets ------------------------------------------------------------------------------- */

/*
 * The elements of a and b are promoted together, and the result has that dtype, but gnd_setdiff1d's,
 * which has a's. Results are 1-d. `assume_unique` says that neither array holds a value twice, and
 * saves finding that out; if it is not so, the results are those of NumPy's formulas. NaN is in no two
 * sets at once.
 */

/** The values that are in both, ascending (numpy.intersect1d). */
GND_API gnd_array *gnd_intersect1d(const gnd_array *a, const gnd_array *b, bool assume_unique);
/**
 * The same, and where each value stands first in a and in b, counted in C order (numpy.intersect1d
 * with return_indices). After an error both are NULL.
 */
GND_API gnd_array *gnd_intersect1d_with_indices(const gnd_array *a, const gnd_array *b, bool assume_unique,
                                                gnd_array **a_indices, gnd_array **b_indices);
/** The values that are in either, ascending (numpy.union1d). */
GND_API gnd_array *gnd_union1d(const gnd_array *a, const gnd_array *b);
/** The values of a that are not in b, ascending; with `assume_unique` in a's order
    (numpy.setdiff1d). */
GND_API gnd_array *gnd_setdiff1d(const gnd_array *a, const gnd_array *b, bool assume_unique);
/** The values that are in one of the two only, ascending (numpy.setxor1d). */
GND_API gnd_array *gnd_setxor1d(const gnd_array *a, const gnd_array *b, bool assume_unique);

/* ---- membership ----------------------------------------------------------------------------- */

/** How gnd_isin finds out. */
typedef enum gnd_isin_kind {
    GND_ISIN_AUTO = 0, /**< looks each element up in a set of the test values, made by hashing */
    GND_ISIN_SORT,     /**< sorts the test values and searches each element among them */
    GND_ISIN_TABLE,    /**< a table of all values that they span: integers and bool only */
} gnd_isin_kind;

/**
 * Whether each element of x is one of the test values (numpy.isin), or, with `invert`, is not: a bool
 * array of x's shape in C order. NaN is never in. Both are promoted together, but int64 and uint64 are
 * compared exactly. numpy's assume_unique is not here, since it would save nothing.
 *
 * The set of GND_ISIN_AUTO has up to four slots of 4 or 8 bytes for each test value (more if it is
 * small); complex128 is sorted and searched instead. If x has many elements of one or two bytes,
 * then, whatever kind is asked for, all bits that an element can have are looked up so, once, and the
 * elements in the answers; nothing is waited for.
 *
 * Does not wait for the device, but with GND_ISIN_TABLE, which has to know the smallest and the largest
 * of the test values (unless they have 8 bits). A table takes nine bytes for each value between them
 * while it is made: GND_ERROR_VALUE if those are more than 2^40. GND_ERROR_DTYPE for a table of other
 * than integers or bool, on either side.
 */
GND_API gnd_array *gnd_isin(const gnd_array *x, const gnd_array *test, bool invert, gnd_isin_kind kind);

GND_END

#endif
