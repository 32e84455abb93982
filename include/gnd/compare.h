/*
 * gnd/compare.h: whether whole arrays are equal, and whether they share memory.
 */
#ifndef GND_COMPARE_H
#define GND_COMPARE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
