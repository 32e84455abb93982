/*
 * random_table.c: the table of distributions (random.def) as data.
 */
#include "random/random_plan.h"

const gndi_distribution_info gndi_distributions[GNDI_RANDOM_COUNT] = {
#define DISTRIBUTION(family, name, result, front, count, parameters, words32, words64, requirement)                    \
    {#name, #result[0], parameters, words32, words64, requirement},
#include "random/random.def"
#undef DISTRIBUTION
};
