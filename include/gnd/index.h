/*
 * gnd/index.h: elements picked by integer arrays and masks, and assignment to them.
 */
#ifndef GND_INDEX_H
#define GND_INDEX_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
