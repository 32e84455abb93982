/*
 * random_samplers.h: all samplers, for what is made for every row of random.def.
 */
#ifndef GNDI_RANDOM_SAMPLERS_H
#define GNDI_RANDOM_SAMPLERS_H

#include "kernels/random_basic.h"

#endif
