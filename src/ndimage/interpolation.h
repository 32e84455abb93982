/*
 * interpolation.h: what interpolation and its coefficients share.
 */
#ifndef GNDI_INTERPOLATION_H
#define GNDI_INTERPOLATION_H

#include "ndimage/ndimage.h"
#include <gnd/interpolation.h>

/* The coefficients of a spline along an axis of x, float32 or float64, in `dtype`, dense; x itself of order 0 and 1. */
const gnd_array *gndi_spline_line(gndi_temporaries *s, const gnd_array *x, int order, int axis, gnd_image_mode mode,
                                  gnd_dtype dtype);
/* The same along all axes from `first` on. */
const gnd_array *gndi_spline_axes(gndi_temporaries *s, const gnd_array *x, int order, int first, gnd_image_mode mode,
                                  gnd_dtype dtype);

#endif
