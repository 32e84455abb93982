/*
 * gnd/assign.h: copies, casts, and assignment into arrays and views. Nothing here waits for the
 * device.
 */
#ifndef GND_ASSIGN_H
#define GND_ASSIGN_H

#include <gnd/arg.h>
#include <gnd/base.h>
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
GND_API gnd_status gnd_copyto_where(gnd_array *out, gnd_arg value, const gnd_array *where,
                                    gnd_casting casting);

GND_END

#define gnd_fill(out, ...) (gnd_fill)(out, GND_ARG(__VA_ARGS__))
#define gnd_copyto(out, ...) (gnd_copyto)(out, GND_ARG(__VA_ARGS__))
#define gnd_copyto_where(out, value, where, ...)                                                   \
    (gnd_copyto_where)(out, GND_ARG(value), where, __VA_ARGS__)

#endif
