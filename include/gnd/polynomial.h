/*
 * gnd/polynomial.h: polynomials by their coefficients, the highest power first, as NumPy's older functions have them;
 * gnd_polyvander, gnd_polycompanion and gnd_polyvalfromroots are those of numpy.polynomial.polynomial.
 *
 * gnd_roots, gnd_poly, gnd_polydiv and gnd_polymul look at the coefficients on the host: they wait if these are on a
 * GPU. The others compute on the device and do not wait. Coefficients have one dimension, or none for a constant
 * (GND_ERROR_SHAPE otherwise).
 */
#ifndef GND_POLYNOMIAL_H
#define GND_POLYNOMIAL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

/** The roots, complex128 (numpy.roots, which makes real ones float64): eigenvalues of the companion matrix by a QR
    iteration. Those of real coefficients are conjugate pairs exactly. Coefficients that are not finite are
    GND_ERROR_VALUE. */
GND_API gnd_array *gnd_roots(const gnd_array *p);
/** The coefficients of the polynomial with these roots, or of the characteristic polynomial of a square matrix
    (numpy.poly): float64 if they are real or conjugate pairs exactly, else complex128. */
GND_API gnd_array *gnd_poly(const gnd_array *roots);

/**
 * The value at each x, an array or a number, by Horner's scheme (numpy.polyval). The dtype is that of x and p promoted
 * together. Two operators for each coefficient; inside GND_FUSE all of them are one launch.
 */
GND_API gnd_array *gnd_polyval(const gnd_array *p, gnd_arg x);

/** The sum (numpy.polyadd). The dtype is that of both promoted together. */
GND_API gnd_array *gnd_polyadd(const gnd_array *a, const gnd_array *b);
/** The difference (numpy.polysub). */
GND_API gnd_array *gnd_polysub(const gnd_array *a, const gnd_array *b);
/** The product, without leading zeros of a and b (numpy.polymul); gnd_convolve of them. */
GND_API gnd_array *gnd_polymul(const gnd_array *a, const gnd_array *b);
/** Quotient and remainder of u over v (numpy.polydiv). v must not begin with 0. Pointers to results may be NULL. */
GND_API gnd_status gnd_polydiv(gnd_array **quotient, gnd_array **remainder, const gnd_array *u, const gnd_array *v);
/** The m-th derivative (numpy.polyder). */
GND_API gnd_array *gnd_polyder(const gnd_array *p, int m);
/** The m-th integral; k: its m constants, or one that stands for all (NULL: 0) (numpy.polyint). */
GND_API gnd_array *gnd_polyint(const gnd_array *p, int m, const gnd_array *k);

/** Options of gnd_polyfit; NULL or all zero: NumPy's defaults. */
typedef struct gnd_polyfit_options {
    const gnd_array *w; /**< a weight of each point; NULL: 1 */
    double rcond;       /**< singular values up to rcond times the largest count as zero; 0: len(x) epsilon */
} gnd_polyfit_options;

/** The polynomial of degree `deg` with the least squares error at the points (x, y) (numpy.polyfit): real x of one
    dimension, y of one or two; gnd_lstsq of a Vandermonde matrix with columns of length 1. */
GND_API gnd_array *gnd_polyfit(const gnd_array *x, const gnd_array *y, int deg, const gnd_polyfit_options *options);

/** The powers 0 to deg of each x, along a new last axis (numpy.polynomial.polynomial.polyvander). */
GND_API gnd_array *gnd_polyvander(const gnd_array *x, int deg);
/** The companion matrix of at least two coefficients, the lowest power first
    (numpy.polynomial.polynomial.polycompanion). */
GND_API gnd_array *gnd_polycompanion(const gnd_array *c);
/** The product of x - r over all roots r, at each x (numpy.polynomial.polynomial.polyvalfromroots of 1-d roots). */
GND_API gnd_array *gnd_polyvalfromroots(gnd_arg x, const gnd_array *roots);

GND_END

#define gnd_polyval(p, x) (gnd_polyval)(p, GND_ARG(x))
#define gnd_polyvalfromroots(x, roots) (gnd_polyvalfromroots)(GND_ARG(x), roots)

#endif
