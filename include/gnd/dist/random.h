/*
 * gnd/dist/random.h: random numbers on a mesh, the same for any number of ranks and any layout.
 *
 *     gnd_random *g = gnd_random_new(GND_PHILOX, 42); // on each rank
 *     gnd_dist *x = gnd_dist_empty(mesh, GND_SHAPE(1000000, 64), GND_FLOAT32, GND_SPLIT(0));
 *     gnd_dist_random_fill(g, x, "normal", GND_DIST_ARGS(0, 1));
 *
 * Every rank has its own generator, of the same kind and seed on all, and makes the same draws from it. The default
 * generators, gnd_random_default(), differ until all ranks seed them. GND_MESH_CHECK=1 compares the generators' states.
 */
#ifndef GND_DIST_RANDOM_H
#define GND_DIST_RANDOM_H

#include <gnd/dist/arg.h>
#include <gnd/random.h>

GND_BEGIN

/**
 * Fills x with the numbers that gnd_random_fill() would draw into one array of its shape and dtype; distributions have
 * the same names. Each rank draws its block (gnd_random_fill_part), and its generator advances by the whole draw.
 * Parameters are numbers, arrays that are the same on all ranks, or split arrays that broadcast to x; they move only if
 * their cuts differ from x's. Without parameters: 0, NULL. For Philox and Sobol generators; GND_ERROR_INVALID for
 * others. If this rank alone has no memory, x has failed here, and the generator has advanced all the same.
 */
GND_API gnd_status gnd_dist_random_fill(gnd_random *g, gnd_dist *x, const char *distribution, int count,
                                        const gnd_dist_arg *parameters);

/**
 * The slices of x along its first axis in a random order, as gnd_random_permutation(), in x's layout. Every rank draws
 * the whole permutation, 8 bytes for each slice; slices move at most once. Collective; waits if the first axis is
 * split. If a rank has no memory for the permutation, all of them fail, and no generator has advanced. GND_ERROR_SHAPE
 * for 0-d arrays.
 */
GND_API gnd_dist *gnd_dist_permutation(gnd_random *g, const gnd_dist *x);

GND_END

#endif
