/*
 * gnd/dist/scan.h: running sums and other scans of split arrays, along any axis.
 *
 *     gnd_dist_cumsum(x, GND_AXES(0))
 *     gnd_dist_scan("cumsum", x, GND_ALL)     of all elements in C order, to one dimension
 *     gnd_dist_accumulate("logaddexp", x, GND_AXES(0))
 *
 * The result has x's layout, and the dtype of gnd's scan. Takes one axis, or GND_ALL, and `dtype` of gnd_axes; `out`
 * and `initial`, which are arrays of one rank, are GND_ERROR_INVALID. Along an axis that is not split nothing moves.
 * Along a split one each rank reduces its block, sends that to the ranks after it, combines what it receives in the
 * order of the blocks, and scans its block from there on: for one layout the bits are the same on every run. (Products
 * of complex numbers, and blocks of several lines that do not lie side by side, are scanned first, and their results
 * combined with what comes before.) Integers, extremes and bool are the same for any number of ranks; floating-point
 * sums differ in rounding, and products of complex numbers with infinities in where they are NaN. Does not wait on a
 * GPU.
 */
#ifndef GND_DIST_SCAN_H
#define GND_DIST_SCAN_H

#include <gnd/dist/array.h>
#include <gnd/scan.h>

GND_BEGIN

/**
 * A scan by name: cumsum cumprod nancumsum nancumprod cummax cummin, as gnd's function of that name. For GND_ALL x must
 * be in copies, or split along its first axis (axes of length 1 before it do not count): else GND_ERROR_SHAPE.
 * Collective along a split axis.
 */
GND_API gnd_dist *gnd_dist_scan(const char *name, const gnd_dist *x, gnd_axes axes);

/**
 * The running results of a binary operator along an axis (GND_ALL: axis 0), as gnd_accumulate(). With an operator that
 * is not associative, such as "subtract", ranks along a split axis work one after the other. Collective along a split
 * axis.
 */
GND_API gnd_dist *gnd_dist_accumulate(const char *name, const gnd_dist *x, gnd_axes axes);

GND_END

#define gnd_dist_cumsum(x, axes) gnd_dist_scan("cumsum", x, axes)
#define gnd_dist_cumprod(x, axes) gnd_dist_scan("cumprod", x, axes)
#define gnd_dist_nancumsum(x, axes) gnd_dist_scan("nancumsum", x, axes)
#define gnd_dist_nancumprod(x, axes) gnd_dist_scan("nancumprod", x, axes)
#define gnd_dist_cummax(x, axes) gnd_dist_scan("cummax", x, axes)
#define gnd_dist_cummin(x, axes) gnd_dist_scan("cummin", x, axes)

#endif
