/*
 * gnd/median.h: filters by order, not by sums: sliding medians and other ranks; the Wiener filter.
 *
 * SciPy's functions. A window is centred on each element, and elements beyond the array are zeros. Windows are lists
 * of a size for each axis; one size alone, GND_SHAPE(5), is that of all axes, and GND_SCALAR is SciPy's default, 3.
 */
#ifndef GND_MEDIAN_H
#define GND_MEDIAN_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * The median of a window around each element (scipy.signal.medfilt), in the array's shape and dtype; a 0-d array
 * becomes 1-d. Window sizes are odd. NaN is larger than all numbers, as in gnd_sort, where SciPy leaves it open. All
 * integers are exact, where SciPy's become float64 in several dimensions.
 *
 * Errors: bool, 16-bit floats and complex numbers, as in SciPy (GND_ERROR_DTYPE); a list of other than one size or
 * one for each axis (GND_ERROR_SHAPE); a size that is even or below 1, or a window of 2^31 elements (GND_ERROR_VALUE).
 * Windows of 3, 5, 7 and 9 elements along the last axis, and of 3 x 3 and 5 x 5 along the last two, take networks of
 * comparisons; others are searched by bits on a GPU. Does not wait.
 */
GND_API gnd_array *gnd_medfilt(const gnd_array *volume, gnd_shape kernel_size);

/** gnd_medfilt of a matrix (scipy.signal.medfilt2d); GND_ERROR_SHAPE for anything else. Does not wait. */
GND_API gnd_array *gnd_medfilt2d(const gnd_array *input, gnd_shape kernel_size);

/**
 * The element of a rank, 0 being the smallest, among those of a window around each element where `domain` is not zero
 * (scipy.signal.order_filter). A negative rank counts from the largest, -1. The domain has as many axes as `a`, each
 * of an odd size. Otherwise as gnd_medfilt. Along one axis SciPy 1.17 takes a domain with zeros as if it had none; here
 * its zeros are left out in any number of dimensions.
 *
 * Errors: those of gnd_medfilt; GND_ERROR_VALUE for an even size of the domain or a rank that it does not have. Waits
 * for the domain, whose elements are counted.
 */
GND_API gnd_array *gnd_order_filter(const gnd_array *a, const gnd_array *domain, int64_t rank);

/**
 * The Wiener filter (scipy.signal.wiener): with the mean m and the variance v of a window of `mysize` around each
 * element x, m + (x - m) (1 - noise / v), and m where v is below the noise (Lim, Two-Dimensional Signal and Image
 * Processing, 1990, p. 548). `noise` is a number; GND_NONE: the mean of v. In a window of even size the middle is the
 * element behind it.
 *
 * The result is float64, as SciPy's is; squares are taken in the dtype of `im`, so that those of small integers wrap
 * around. Errors: complex numbers, or a noise that is none (GND_ERROR_DTYPE, GND_ERROR_INVALID); window sizes as in
 * gnd_medfilt, which may be even. Does not wait.
 */
GND_API gnd_array *gnd_wiener(const gnd_array *im, gnd_shape mysize, gnd_arg noise);

GND_END

#endif
