/*
 * gnd/random.h: random numbers: generators, and the draws that everything else is made of.
 *
 *     gnd_random *g = gnd_random_new(GND_PHILOX, 42);
 *     gnd_array *x = gnd_random_normal(g, 0, 1, GND_SHAPE(1000, 1000), GND_FLOAT32);
 *     gnd_array *y = gnd_random_integers(gnd_random_default(), 1, 7, GND_SHAPE(100), GND_INT64);
 *
 * The names are those of numpy.random.Generator; the numbers are not NumPy's. What a generator gives
 * depends on its kind, its seed and how much was drawn from it, and on nothing else: not on the
 * device, the number of threads, or the launch. The GPU gives the CPU's words; uniform numbers,
 * integers, bytes and permutations agree to the bit, others to rounding. Draws may be cut: two draws
 * of n and m numbers of one distribution and dtype are one of n + m.
 *
 * Parameters are numbers or arrays, which broadcast together and to the shape; a shape of
 * GND_PARAMETERS_SHAPE is the one they broadcast to. The dtype of floating draws is GND_FLOAT64
 * (GND_DTYPE_NONE) or GND_FLOAT32. A parameter that a distribution does not take is GND_ERROR_VALUE;
 * in an array it is found on the device, and reported at the next wait, while its element is NaN, or 0 in
 * an integer draw. Results are in C order, on the generator's device. Unless its comment says so, nothing
 * here waits.
 *
 * A generator may be used by several threads; each draw gets its own part of the sequence. The work goes
 * to the calling thread's current stream if that is on the generator's device. Draws can be captured
 * into a CUDA graph, and each replay goes on with the numbers that follow, if the generator was made
 * before the capture began (gnd_random_default: drawn from on this device).
 */
#ifndef GND_RANDOM_H
#define GND_RANDOM_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/** A source of random numbers: opaque. */
typedef struct gnd_random gnd_random;

/** The kinds of generators. */
typedef enum gnd_random_kind {
    GND_PHILOX = 0, /**< Philox4x32-10, counter-based: the default */
    GND_XORWOW,     /**< Marsaglia's xorwow, 65536 sequences of it side by side */
    GND_MRG32K3A,   /**< L'Ecuyer's combined multiple recursive generator, 65536 sequences */
    GND_SOBOL,      /**< a scrambled Sobol sequence: quasi-random (gnd_random_new_sobol) */
} gnd_random_kind;

GND_END

/** The shape that the parameters broadcast to, where a draw asks for a shape. */
#ifndef __cplusplus
#    define GND_PARAMETERS_SHAPE ((gnd_shape){.ndim = -1})
#else
inline gnd_shape gnd_parameters_shape_() {
    gnd_shape shape{};
    shape.ndim = -1;
    return shape;
}
#    define GND_PARAMETERS_SHAPE gnd_parameters_shape_()
#endif

#endif
