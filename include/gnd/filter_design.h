/*
 * gnd/filter_design.h: design of digital filters on the host: coefficients, conversions, responses.
 */
#ifndef GND_FILTER_DESIGN_H
#define GND_FILTER_DESIGN_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

GND_END

#endif
