/*
 * gnd/fourier_filters.h: filters of Fourier transforms (scipy.ndimage): what gnd_fftn or gnd_rfftn gave, times a
 * filter's own transform.
 *
 *     double sigma[] = {3, 3};
 *     gnd_array *smooth = gnd_real(gnd_ifftn(gnd_fourier_gaussian(gnd_fftn(image, ...), sigma, -1, -1), ...));
 *
 * Parameters are a number for each axis. n: -1, or how many elements the axis `axis` had before a real transform
 * (gnd_rfft). The result is complex64, complex128 or float32 like the input, and else float64, or of gnd_fourier_shift
 * complex128. An axis takes one launch, which reads and writes every element. Does not wait for the device but while
 * the factors of each axis are copied to it.
 */
#ifndef GND_FOURIER_FILTERS_H
#define GND_FOURIER_FILTERS_H

#include <gnd/base.h>

GND_BEGIN

/** A Gaussian of standard deviations sigma (scipy.ndimage.fourier_gaussian). */
GND_API gnd_array *gnd_fourier_gaussian(const gnd_array *input, const double *sigma, int64_t n, int axis);
/** The mean in a box of these sizes (scipy.ndimage.fourier_uniform). */
GND_API gnd_array *gnd_fourier_uniform(const gnd_array *input, const double *size, int64_t n, int axis);
/**
 * The mean in an ellipsoid of these diameters (scipy.ndimage.fourier_ellipsoid), in up to 3 dimensions. Computed in
 * double, in about 7 launches, 12 in 3 dimensions. GND_ERROR_SHAPE: more dimensions.
 */
GND_API gnd_array *gnd_fourier_ellipsoid(const gnd_array *input, const double *size, int64_t n, int axis);
/** A shift by these numbers of elements, which may be fractions (scipy.ndimage.fourier_shift). */
GND_API gnd_array *gnd_fourier_shift(const gnd_array *input, const double *shift, int64_t n, int axis);

GND_END

#endif
