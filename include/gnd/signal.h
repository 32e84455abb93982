/*
 * gnd/signal.h: one-dimensional convolution, interpolation and phases.
 */
#ifndef GND_SIGNAL_H
#define GND_SIGNAL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
