/*
 * gnd/sets.h: arrays as sets of values.
 */
#ifndef GND_SETS_H
#define GND_SETS_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
