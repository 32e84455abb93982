/*
 * gnd/filter.h: recursive and FIR filters along an axis, with their state.
 */
#ifndef GND_FILTER_H
#define GND_FILTER_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

GND_END

#endif
