/*
 * gnd/dist/halo.h: blocks with the elements around them, for stencils and convolutions.
 */
#ifndef GND_DIST_HALO_H
#define GND_DIST_HALO_H

#include <gnd/dist/array.h>

GND_BEGIN

/** The elements outside of the array. */
typedef enum gnd_halo_mode {
    GND_HALO_ZERO = 0, /**< zeros */
    GND_HALO_WRAP,     /**< the other end: the array is periodic */
} gnd_halo_mode;

/**
 * This rank's block of x with before[i] elements before it and after[i] after it along each axis i, corners included,
 * as an array of this rank alone. An element of x at index k is at k - start + before, where start is that of
 * gnd_dist_part(). Blocks may be shorter than the halo. The lists have one number for each axis; NULL: zeros.
 * Collective; does not wait on a GPU. GND_ERROR_VALUE for negative numbers, or with GND_HALO_WRAP for numbers larger
 * than the axis. NULL if x has failed here.
 */
GND_API gnd_array *gnd_dist_halo(const gnd_dist *x, const int64_t *before, const int64_t *after, gnd_halo_mode mode);

GND_END

#endif
