/*
 * gnd/dist/random.h: random numbers on a mesh: the same for any number of ranks, and in any layout.
 *
 *     gnd_random *g = gnd_random_new(GND_PHILOX, 42); // on each rank
 *     gnd_dist *x = gnd_dist_empty(mesh, GND_SHAPE(1000000, 64), GND_FLOAT32, GND_SPLIT(0));
 *     gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(0, 1));
 *
 * Every rank has a generator of its own, made alike: of one kind and seed, and drawn from alike. gnd_random_default()
 * is not, until all ranks seed it. GND_MESH_CHECK=1 compares the generators' states.
 */
#ifndef GND_DIST_RANDOM_H
#define GND_DIST_RANDOM_H

#include <gnd/dist/arg.h>
#include <gnd/random.h>

GND_BEGIN

/**
 * Fills x with what gnd_random_fill() would draw into one array of its shape and dtype: the same numbers, by the same
 * names of distributions. Each rank draws its block (gnd_random_fill_part), and its generator advances by the whole.
 * Parameters are numbers, arrays that all ranks have alike, or split arrays that are broadcast to x; they move only if
 * their cuts are others than x's. Without any: 0, NULL. For Philox and Sobol generators, GND_ERROR_INVALID for others.
 * If this rank alone has no memory, x has failed here, and the generator has advanced all the same.
 */
GND_API gnd_status gnd_dist_random_fill(gnd_random *g, gnd_dist *x, const char *distribution, int count,
                                        const gnd_dist_arg *parameters);

/**
 * The parts of x along its first axis in a random order, as gnd_random_permutation(): in x's layout. Every rank makes
 * the whole order, 8 bytes for each part; parts move at most once. Collective; waits if the first axis is split. If a
 * rank has no memory for the order, all of them fail, and no generator has advanced. GND_ERROR_SHAPE for 0-d arrays.
 */
GND_API gnd_dist *gnd_dist_permutation(gnd_random *g, const gnd_dist *x);

GND_END

#endif
