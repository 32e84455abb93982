/*
 * random_distributions.c: the functions of gnd/random.h and gnd/random_distributions.h that draw from a row of
 * random.def and do nothing else, made from the table. The others are in random_basic.c and random_multivariate.c.
 */
#include "random/random.h"
#include <gnd/random_distributions.h>

#define PARAMETERS_0
#define PARAMETERS_1 gnd_arg a,
#define PARAMETERS_2 gnd_arg a, gnd_arg b,
#define PARAMETERS_3 gnd_arg a, gnd_arg b, gnd_arg c,
#define VALUES_0
#define VALUES_1 a,
#define VALUES_2 a, b,
#define VALUES_3 a, b, c,

/* The names are in parentheses, so that the macros of the headers, which wrap the arguments, leave them alone. */
#define REAL(name, count)                                                                                              \
    gnd_array *(gnd_random_##name)(gnd_random * g, PARAMETERS_##count gnd_shape shape, gnd_dtype dtype) {              \
        const gnd_arg values[] = {VALUES_##count GND_NONE};                                                            \
        return gndi_random_draw("gnd_random_" #name, GNDI_RANDOM_##name, g, values, &shape, dtype);                    \
    }
#define COUNT(name, count)                                                                                             \
    gnd_array *(gnd_random_##name)(gnd_random * g, PARAMETERS_##count gnd_shape shape) {                               \
        const gnd_arg values[] = {VALUES_##count GND_NONE};                                                            \
        return gndi_random_draw("gnd_random_" #name, GNDI_RANDOM_##name, g, values, &shape, GND_INT64);                \
    }
#define OWN(name, count)

#define DISTRIBUTION(family, name, result, front, count, parameters, words32, words64, requirement) front(name, count)
#include "random/random.def"
#undef DISTRIBUTION
