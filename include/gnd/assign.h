/*
 * gnd/assign.h: copies, casts, and assignment into arrays and views. Nothing here waits for the
 * device.
 */
#ifndef GND_ASSIGN_H
#define GND_ASSIGN_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/device.h>
#include <gnd/dtype.h>

GND_BEGIN

/**
 * A new array with x's elements cast to `dtype` (any cast is allowed, as in numpy.ndarray.astype),
 * laid out in memory as x is. Real numbers lose their fraction on the way to integers; complex ones
 * their imaginary part on the way to real dtypes; nonzero numbers and NaN become true.
 */
GND_API gnd_array *gnd_astype(const gnd_array *x, gnd_dtype dtype);
/** A new array with x's elements and layout, and memory of its own. */
GND_API gnd_array *gnd_copy(const gnd_array *x);
/** x itself (a new reference to it) if it is C-contiguous, else a C-contiguous copy. */
GND_API gnd_array *gnd_ascontiguous(const gnd_array *x);
/** x itself (a new reference to it) if it is Fortran-contiguous, else a Fortran-contiguous copy. */
GND_API gnd_array *gnd_asfortran(const gnd_array *x);

/** Whether a new array is made: `copy=` of NumPy and of the array API standard. */
typedef enum gnd_copy_mode {
    GND_COPY_IF_NEEDED = 0, /**< only if the array does not match; `copy=None` */
    GND_COPY_ALWAYS,        /**< `copy=True` */
    GND_COPY_NEVER,         /**< GND_ERROR_VALUE if a copy would be needed; `copy=False` */
} gnd_copy_mode;

/** What gnd_asarray must return; all zero: any array. */
typedef struct gnd_asarray_options {
    gnd_dtype dtype;          /**< GND_DTYPE_NONE: any */
    char order;               /**< 'C' or 'F'; 0, 'K' or 'A': any layout */
    const gnd_device *device; /**< NULL: where it is */
    gnd_copy_mode copy;
} gnd_asarray_options;

/**
 * The array with the given dtype, layout and device (numpy.asarray; with .copy = GND_COPY_ALWAYS numpy.array,
 * or the array API's astype with a device). Returns x itself (a new reference) if it already matches, else a
 * copy. The copy has x's order of axes unless another is asked for; on another device it is in C order. Any
 * cast is allowed, as in gnd_astype. NULL as options: x itself.
 *
 *     gnd_asarray(x, &(gnd_asarray_options){.dtype = GND_FLOAT32, .order = 'C'})
 *
 * Waits only for a copy to the CPU from elsewhere.
 */
GND_API gnd_array *gnd_asarray(const gnd_array *x, const gnd_asarray_options *options);
/**
 * The same, but GND_ERROR_VALUE if an element is NaN or infinite (numpy.asarray_chkfinite). Waits for the
 * check, unless the dtype has neither.
 */
GND_API gnd_array *gnd_asarray_chkfinite(const gnd_array *x, const gnd_asarray_options *options);
/**
 * The array with the required properties, one letter each (numpy.require): "C" or "F" contiguous, "W"ritable,
 * "O"wner of its memory (not a view). "A" (aligned) and "E" (not a subclass) always hold. Returns x itself (a
 * new reference) if it has the properties and the dtype (GND_DTYPE_NONE: any), else a copy. GND_ERROR_INVALID
 * for other letters, and for "C" together with "F". Does not wait.
 */
GND_API gnd_array *gnd_require(const gnd_array *x, gnd_dtype dtype, const char *requirements);

/**
 * out[...] = value: sets every element of an array or view to a C number, or to the one element of
 * an array. An integer that out's dtype can't hold, and a complex number for a real array, are
 * errors; a real number for an integer array loses its fraction.
 */
GND_API gnd_status gnd_fill(gnd_array *out, gnd_arg value);
/**
 * out[...] = value: assigns an array, which is broadcast to out's shape and cast to its dtype as by
 * gnd_astype, or a C number. The two may overlap: the result is as if `value` had been copied
 * first. Both must be on one device; a read-only `out` (a broadcast view) is refused.
 */
GND_API gnd_status gnd_copyto(gnd_array *out, gnd_arg value);
/**
 * The same, only where `where` (a bool array that broadcasts to out's shape) is true, and only by
 * casts that `casting` allows (numpy.copyto).
 */
GND_API gnd_status gnd_copyto_where(gnd_array *out, gnd_arg value, const gnd_array *where, gnd_casting casting);

GND_END

#define gnd_fill(out, ...) (gnd_fill)(out, GND_ARG(__VA_ARGS__))
#define gnd_copyto(out, ...) (gnd_copyto)(out, GND_ARG(__VA_ARGS__))
#define gnd_copyto_where(out, value, where, ...) (gnd_copyto_where)(out, GND_ARG(value), where, __VA_ARGS__)

#endif
