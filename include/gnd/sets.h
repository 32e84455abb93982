/*
 * gnd/sets.h: arrays as sets of values.
 *
 *     gnd_unique(x, GND_ALL, NULL)                              the distinct values, ascending
 *     gnd_unique(x, GND_AXES(0), NULL)                          the distinct rows
 *     gnd_array *counts;
 *     gnd_unique(x, GND_ALL, &(gnd_unique_options){.counts = &counts})     and how often each stands
 *     gnd_isin(x, wanted, false, GND_ISIN_AUTO)                 a mask of x: which elements are wanted
 *
 * The size of a set depends on the data, so all functions except gnd_isin wait for the device. Values are
 * ordered as by gnd_sort (gnd/sort.h): NaN last, -0.0 and 0.0 equal. Of equal elements, the first one in x is
 * returned. Arrays of any shape are taken as their elements in C order. Results lie in C order; indices and
 * counts are int64.
 *
 * Errors: a NULL array, arrays on different devices, and what each function's comment names.
 */
#ifndef GND_SETS_H
#define GND_SETS_H

#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- unique --------------------------------------------------------------------------------- */

/** Options of gnd_unique: additional results, and which elements are equal. All zero: NumPy's defaults. */
typedef struct gnd_unique_options {
    gnd_array **index;   /**< receives the index in x of the first occurrence of each value */
    gnd_array **inverse; /**< receives, for each element of x, the index of its value in the result */
    gnd_array **counts;  /**< receives the number of occurrences of each value */
    bool distinct_nan;   /**< no NaN equals another one (numpy's equal_nan=False) */
    bool unsorted;       /**< the values may come in any order (numpy's sorted=False) */
    void *reserved[4];
} gnd_unique_options;

/**
 * The distinct values of x, ascending, in one dimension (numpy.unique). The pointers in `options` receive
 * new arrays, NULL after an error; `options` may be NULL. All NaN are one value, the last one (complex
 * numbers: all with a NaN in either part); with `distinct_nan` each is a value of its own. `unsorted` permits
 * any order; at present the result is sorted anyway.
 *
 * With GND_ALL indices count in C order of x, and the inverse has x's shape: x = values[inverse]. With one
 * axis, the slices of x along it are compared as a whole, in C order of their elements (a NaN makes a slice
 * differ from any other, as in NumPy). The result has x's shape except along the axis; index, inverse and
 * counts are 1-d. The axis of a 1-d x is the same as GND_ALL. Takes no option of gnd_axes.
 *
 * x is sorted, or, if it holds integers that span few values, counted. Several axes, an axis out of range or
 * an option of gnd_axes are errors.
 */
GND_API gnd_array *gnd_unique(const gnd_array *x, gnd_axes axes, const gnd_unique_options *options);

/* The array API's four, which NumPy has too: of all elements, and no NaN equals another one. */

/** The distinct values (numpy.unique_values). */
GND_API gnd_array *gnd_unique_values(const gnd_array *x);
/** The distinct values, and how often each occurs in x (numpy.unique_counts). */
GND_API gnd_array *gnd_unique_counts(const gnd_array *x, gnd_array **counts);
/** The distinct values, and the index of each element's value (numpy.unique_inverse). */
GND_API gnd_array *gnd_unique_inverse(const gnd_array *x, gnd_array **inverse);
/** The distinct values, and all additional results of gnd_unique (numpy.unique_all). */
GND_API gnd_array *gnd_unique_all(const gnd_array *x, gnd_array **index, gnd_array **inverse, gnd_array **counts);

/* ---- two sets ------------------------------------------------------------------------------- */

/*
 * a and b are promoted together, and the result has that dtype (gnd_setdiff1d: a's dtype). Results are 1-d.
 * `assume_unique` says that neither array holds a value twice, which saves a step; if that is wrong, the
 * results are those of NumPy's formulas. A NaN is never in both sets.
 */

/** The values that are in both, ascending (numpy.intersect1d). */
GND_API gnd_array *gnd_intersect1d(const gnd_array *a, const gnd_array *b, bool assume_unique);
/**
 * The same, and the index of the first occurrence of each value in a and in b, in C order (numpy.intersect1d
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

/* ---- isin ----------------------------------------------------------------------------------- */

/** The algorithm of gnd_isin. */
typedef enum gnd_isin_kind {
    GND_ISIN_AUTO = 0, /**< looks elements up in a hash table of the test values */
    GND_ISIN_SORT,     /**< sorts the test values and searches them for each element */
    GND_ISIN_TABLE,    /**< a table over the range of the test values: integers and bool only */
} gnd_isin_kind;

/**
 * Whether each element of x is one of the test values (numpy.isin), or, with `invert`, is not: a bool array
 * of x's shape in C order. NaN is never in the test values. Both are promoted together, but int64 and uint64
 * are compared exactly. NumPy's assume_unique would save nothing here.
 *
 * The hash table of GND_ISIN_AUTO has up to four slots of 4 or 8 bytes for each test value (more if it is
 * small); complex128 is sorted and searched instead. If x has many elements of one or two bytes, every
 * possible element is looked up once and the elements are then looked up in those answers, whatever the kind;
 * nothing waits.
 *
 * Only GND_ISIN_TABLE waits for the device: it needs the minimum and maximum of the test values (unless they
 * have 8 bits). While it is built, the table takes nine bytes for each value between them; GND_ERROR_VALUE if
 * those are more than 2^40. GND_ERROR_DTYPE if either array is not of integers or bool.
 */
GND_API gnd_array *gnd_isin(const gnd_array *x, const gnd_array *test, bool invert, gnd_isin_kind kind);

GND_END

#endif
