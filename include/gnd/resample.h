/*
 * gnd/resample.h: changes of the sampling rate, channels, analytic signals, trends.
 */
#ifndef GND_RESAMPLE_H
#define GND_RESAMPLE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

GND_END

#endif
