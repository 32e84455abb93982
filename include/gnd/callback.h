/*
 * gnd/callback.h: a C function applied along an axis or over axes.
 */
#ifndef GND_CALLBACK_H
#define GND_CALLBACK_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

GND_END

#endif
