/*
 * gnd/sort.h: elements put in order, and places found in what is in order.
 */
#ifndef GND_SORT_H
#define GND_SORT_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
