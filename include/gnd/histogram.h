/*
 * gnd/histogram.h: elements counted by value or by bin.
 */
#ifndef GND_HISTOGRAM_H
#define GND_HISTOGRAM_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
