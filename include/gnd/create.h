/*
 * gnd/create.h: new arrays: empty, filled, ranges and identities.
 *
 * Arrays are made on the calling thread's current device (the _like forms: on their argument's device) and
 * belong to the current scope. Nothing here waits for the device.
 *
 * GND_DTYPE_NONE as a dtype means NumPy's default: float64, or what the arguments of gnd_full, gnd_arange and
 * the like promote to, or for the _like forms the dtype of the argument.
 *
 * Errors: GND_ERROR_SHAPE for a negative size or too many dimensions, GND_ERROR_DTYPE for a number that is no
 * dtype, GND_ERROR_MEMORY if there is no memory or the size does not fit any.
 */
#ifndef GND_CREATE_H
#define GND_CREATE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- one value everywhere ------------------------------------------------------------------- */

/** A new array whose elements are whatever the memory holds (numpy.empty). C order. No launch. */
GND_API gnd_array *gnd_empty(gnd_shape shape, gnd_dtype dtype);
/** A new array of zeros (numpy.zeros). C order. */
GND_API gnd_array *gnd_zeros(gnd_shape shape, gnd_dtype dtype);
/** A new array of ones (numpy.ones). C order. */
GND_API gnd_array *gnd_ones(gnd_shape shape, gnd_dtype dtype);
/**
 * A new array filled with a number, or with an array that broadcasts to the shape (numpy.full). C
 * order. Without a dtype, the value's own: gnd_full(GND_SHAPE(3), 2.5, GND_DTYPE_NONE) is float64.
 * The value is cast as by NumPy's casting="unsafe"; an integer that does not fit an integer dtype
 * is GND_ERROR_VALUE.
 */
GND_API gnd_array *gnd_full(gnd_shape shape, gnd_arg value, gnd_dtype dtype);
#define gnd_full(shape, value, ...) (gnd_full)((shape), GND_ARG(value), __VA_ARGS__)

/** A new array with the shape of `a` and, as far as it has one, its order of axes in memory
    (numpy.empty_like, order K); the elements are whatever the memory holds. */
GND_API gnd_array *gnd_empty_like(const gnd_array *a, gnd_dtype dtype);
/** The same, zeros (numpy.zeros_like). */
GND_API gnd_array *gnd_zeros_like(const gnd_array *a, gnd_dtype dtype);
/** The same, ones (numpy.ones_like). */
GND_API gnd_array *gnd_ones_like(const gnd_array *a, gnd_dtype dtype);
/** The same, filled as by gnd_full (numpy.full_like). */
GND_API gnd_array *gnd_full_like(const gnd_array *a, gnd_arg value, gnd_dtype dtype);
#define gnd_full_like(a, value, ...) (gnd_full_like)((a), GND_ARG(value), __VA_ARGS__)

/* ---- ranges --------------------------------------------------------------------------------- */

/**
 * start, start + step, ... up to but not including stop (numpy.arange). The arguments are numbers;
 * start and step may be GND_NONE, 0 and 1: gnd_arange(GND_NONE, 10, GND_NONE, GND_DTYPE_NONE).
 *
 * The length is ceil((stop - start) / step); 0 if that is negative. Without a dtype, what the three
 * numbers promote to: int64, float64 or complex128 (complex: the smaller of the lengths of both
 * parts). As in NumPy, element i is first + i * (second - first) with first and second already cast
 * to the dtype, so a fractional step in an integer dtype is cut off before it is multiplied. Dtypes
 * up to float32 (and complex64) round each operation to float32, the others to float64.
 * GND_ERROR_VALUE if step is 0 or the length is no number, GND_ERROR_INVALID if an argument is an
 * array.
 */
GND_API gnd_array *gnd_arange(gnd_arg start, gnd_arg stop, gnd_arg step, gnd_dtype dtype);
#define gnd_arange(start, stop, step, ...) (gnd_arange)(GND_ARG(start), GND_ARG(stop), GND_ARG(step), __VA_ARGS__)

/**
 * `num` evenly spaced values from start to stop (numpy.linspace). If `endpoint`, stop is the last value; else
 * it is left out. Without a dtype float64 or complex128; values for an integer dtype are computed in float64
 * and rounded down. If start or stop is an array, both are broadcast, and the values run along a new first
 * axis; the dtype is then what they promote to, at least inexact. GND_ERROR_VALUE if `num` is negative.
 */
GND_API gnd_array *gnd_linspace(gnd_arg start, gnd_arg stop, int64_t num, bool endpoint, gnd_dtype dtype);
#define gnd_linspace(start, stop, num, endpoint, ...)                                                                  \
    (gnd_linspace)(GND_ARG(start), GND_ARG(stop), (num), (endpoint), __VA_ARGS__)

/**
 * base to the power of evenly spaced exponents, gnd_linspace(start, stop, num, endpoint)
 * (numpy.logspace). `base` may be an array that broadcasts against start and stop.
 */
GND_API gnd_array *gnd_logspace(gnd_arg start, gnd_arg stop, int64_t num, bool endpoint, gnd_arg base, gnd_dtype dtype);
#define gnd_logspace(start, stop, num, endpoint, base, ...)                                                            \
    (gnd_logspace)(GND_ARG(start), GND_ARG(stop), (num), (endpoint), GND_ARG(base), __VA_ARGS__)

/**
 * `num` values from start to stop, each a constant factor times the one before (numpy.geomspace).
 * Both may be negative or complex (the factor then turns along a logarithmic spiral); real numbers
 * of opposite sign give NaN between them, as in NumPy. If start or stop is an array, both are
 * broadcast as by gnd_linspace. GND_ERROR_VALUE if a number is 0; zeros inside arrays give NaN.
 */
GND_API gnd_array *gnd_geomspace(gnd_arg start, gnd_arg stop, int64_t num, bool endpoint, gnd_dtype dtype);
#define gnd_geomspace(start, stop, num, endpoint, ...)                                                                 \
    (gnd_geomspace)(GND_ARG(start), GND_ARG(stop), (num), (endpoint), __VA_ARGS__)

/* ---- identities ----------------------------------------------------------------------------- */

/**
 * An n x m matrix of zeros with ones on diagonal k: the main one if 0, above it if positive
 * (numpy.eye). m may be -1 for a square matrix.
 */
GND_API gnd_array *gnd_eye(int64_t n, int64_t m, int64_t k, gnd_dtype dtype);
/** The n x n identity matrix (numpy.identity). */
GND_API gnd_array *gnd_identity(int64_t n, gnd_dtype dtype);

GND_END

#endif
