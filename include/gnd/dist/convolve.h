/*
 * gnd/dist/convolve.h: convolution and correlation of split arrays with a kernel that is the same on all ranks.
 *
 * Each rank receives the elements of other ranks that its part of the result needs (blocks may be shorter than the
 * kernel), and computes this part by gnd's function. Integers are exact and the same for any number of ranks;
 * floating-point sums are added in the order that gnd's function uses for a block of this size. Along axes where the
 * result is as long as x, it has x's cuts, else those of numpy.array_split. Collective; does not wait on a GPU.
 */
#ifndef GND_DIST_CONVOLVE_H
#define GND_DIST_CONVOLVE_H

#include <gnd/convolve.h>
#include <gnd/dist/array.h>

GND_BEGIN

/** The convolution of two 1-d arrays, with the modes, dtypes and errors of gnd_convolve(). */
GND_API gnd_dist *gnd_dist_convolve(const gnd_dist *x, const gnd_array *kernel, gnd_correlate_mode mode);
/** The cross-correlation of two 1-d arrays, with the conjugate of the kernel, as gnd_correlate(). */
GND_API gnd_dist *gnd_dist_correlate(const gnd_dist *x, const gnd_array *kernel, gnd_correlate_mode mode);
/**
 * The convolution of two arrays of the same number of dimensions, as gnd_convolve_nd(), split along any axes. GND_SAME
 * gives x's shape. With GND_CONVOLVE_AUTO each rank chooses the method that suits its block. In GND_VALID the kernel
 * must not be longer than x along any axis: GND_ERROR_SHAPE, also where gnd_convolve_nd() would swap the two.
 */
GND_API gnd_dist *gnd_dist_convolve_nd(const gnd_dist *x, const gnd_array *kernel, gnd_correlate_mode mode,
                                       gnd_convolve_method method);
/** The cross-correlation, as gnd_correlate_nd(); otherwise as gnd_dist_convolve_nd(). */
GND_API gnd_dist *gnd_dist_correlate_nd(const gnd_dist *x, const gnd_array *kernel, gnd_correlate_mode mode,
                                        gnd_convolve_method method);

GND_END

#endif
