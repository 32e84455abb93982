/*
 * polynomial.h: what the public functions of polynomials share.
 */
#ifndef GNDI_POLYNOMIAL_H
#define GNDI_POLYNOMIAL_H

#include "elementwise/temporaries.h"
#include "polynomial/roots.h"
#include <gnd/polynomial.h>

/* Coefficients as a line: one dimension, or none for a constant. NULL, and failed: neither. */
gnd_array *gndi_poly_line(gndi_temporaries *t, const gnd_array *a, const char *name);

#endif
