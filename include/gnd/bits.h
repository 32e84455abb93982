/*
 * gnd/bits.h: bits packed into bytes.
 */
#ifndef GND_BITS_H
#define GND_BITS_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
