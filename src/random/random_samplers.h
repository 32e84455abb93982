/*
 * random_samplers.h: all samplers, for what is made for every row of random.def.
 */
#ifndef GNDI_RANDOM_SAMPLERS_H
#define GNDI_RANDOM_SAMPLERS_H

#include "kernels/random_count.h"
#include "kernels/random_discrete.h"
#include "kernels/random_multivariate.h"
#include "kernels/random_simple.h"

#endif
