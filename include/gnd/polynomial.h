/*
 * gnd/polynomial.h: polynomials by their coefficients.
 */
#ifndef GND_POLYNOMIAL_H
#define GND_POLYNOMIAL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

GND_END

#endif
