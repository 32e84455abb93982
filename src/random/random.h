/*
 * random.h: what the files of src/random share: generators, and the one draw that all public functions
 * are.
 *
 *     random.c         generators: seeds, streams, states
 *     random_draw.c    a row of random.def applied to parameters: checks, broadcasting, plan, submission
 *     random_order.c   permutation, shuffle, choice
 */
#ifndef GNDI_RANDOM_H
#define GNDI_RANDOM_H

#include "core/core.h"
#include "kernels/random_plan.h"
#include <gnd/random.h>

/*
 * A new array of a distribution's numbers. `parameters` are as many as the row has; `dtype` is the
 * result's, for F rows GND_FLOAT32 or GND_FLOAT64 (GND_DTYPE_NONE: float64), for I rows it is int64
 * whatever is asked. `shape` may be GND_PARAMETERS_SHAPE. The names of the parameters in messages are
 * those in `names`, as many.
 */
gnd_array *gndi_random_draw(const char *fn, gndi_distribution distribution, gnd_random *g,
                            const gnd_arg *parameters, const gnd_shape *shape, gnd_dtype dtype);

#endif
