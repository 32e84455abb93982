/*
 * gnd/print.h: arrays as text, in NumPy 2's layout: the shortest digits that identify each number, aligned
 * columns, and only the corners of a large array.
 *
 * Each function here waits for the array's value, and moves only the elements it shows to the host. bfloat16
 * is printed by the rules of float16.
 */
#ifndef GND_PRINT_H
#define GND_PRINT_H

#include <gnd/base.h>
#include <stdio.h>

GND_BEGIN

/** How many digits of a fraction are shown; as NumPy's `floatmode`. */
typedef enum gnd_floatmode {
    GND_FLOATMODE_MAXPREC = 0,  /**< as many as the number needs, at most `precision` */
    GND_FLOATMODE_UNIQUE,       /**< as many as the number needs */
    GND_FLOATMODE_FIXED,        /**< exactly `precision` */
    GND_FLOATMODE_MAXPREC_EQUAL /**< as many as the longest number needs, at most `precision` */
} gnd_floatmode;

/**
 * How arrays are printed; as numpy.set_printoptions. Zero means zero here, not "default": start
 * from gnd_get_printoptions() and change what you want changed.
 */
typedef struct gnd_print_options {
    int precision;           /**< digits after the point: 8 */
    int edgeitems;           /**< items shown at each end of an axis of a large array: 3 */
    int64_t threshold;       /**< larger arrays (in elements) show only their corners: 1000 */
    int linewidth;           /**< lines are broken to stay within this many characters: 75 */
    bool suppress;           /**< never write 1e-12 for small numbers, but 0. : false */
    char sign;               /**< before positive numbers: '-' nothing, '+' a plus, ' ' a space */
    gnd_floatmode floatmode; /**< GND_FLOATMODE_MAXPREC */
    char nanstr[16];         /**< not a number: "nan" */
    char infstr[16];         /**< infinity: "inf" */
    void *reserved[4];
} gnd_print_options;

/** The calling thread's print options; NumPy's defaults until it sets others. */
GND_API gnd_print_options gnd_get_printoptions(void);
/**
 * Sets the calling thread's print options; NULL restores the defaults. A negative number, an
 * unknown sign or floatmode, or a precision over 1100 is GND_ERROR_INVALID, and changes nothing.
 */
GND_API gnd_status gnd_set_printoptions(const gnd_print_options *options);

/** Prints the array and a newline to stdout, as Python's print(a). NULL prints nothing and keeps
    the pending error. GND_ERROR_IO if writing fails. */
GND_API gnd_status gnd_print(const gnd_array *a);
/** The same to any stream. */
GND_API gnd_status gnd_fprint(FILE *stream, const gnd_array *a);

/** What Python's str(a) gives. Free it with gnd_string_free(). NULL and an error if it fails. */
GND_API char *gnd_to_string(const gnd_array *a);
/** What Python's repr(a) gives, dtype included: "array([1., 2.], dtype=float32)". */
GND_API char *gnd_to_repr(const gnd_array *a);
/**
 * What numpy.array2string(a) gives: as gnd_to_string but that a 0-d array is treated like the
 * others, with options of this call (NULL: the thread's), a text between elements (NULL: " "), and
 * lines after the first indented by the length of `prefix` (NULL: "").
 */
GND_API char *gnd_array2string(const gnd_array *a, const gnd_print_options *options, const char *separator,
                               const char *prefix);
/** Frees a string that one of these functions returned. NULL is ignored. */
GND_API void gnd_string_free(char *string);

GND_END

#endif
