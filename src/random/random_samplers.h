/*
 * random_samplers.h: all samplers, for code that is made from every row of random.def.
 */
#ifndef GNDI_RANDOM_SAMPLERS_H
#define GNDI_RANDOM_SAMPLERS_H

#include "random/random_count.h"
#include "random/random_discrete.h"
#include "random/random_multivariate.h"
#include "random/random_simple.h"

#endif
