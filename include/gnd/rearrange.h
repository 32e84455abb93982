/*
 * gnd/rearrange.h: joining, splitting, repeating, padding and rearranging arrays.
 */
#ifndef GND_REARRANGE_H
#define GND_REARRANGE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
