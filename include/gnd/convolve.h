/*
 * gnd/convolve.h: convolution and correlation in several dimensions, sliding medians.
 */
#ifndef GND_CONVOLVE_H
#define GND_CONVOLVE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

GND_END

#endif
