/*
 * gnd/random.h: random generators and basic draws. Further distributions are in gnd/random_distributions.h.
 *
 *     gnd_random *g = gnd_random_new(GND_PHILOX, 42);
 *     gnd_array *x = gnd_random_normal(g, 0, 1, GND_SHAPE(1000, 1000), GND_FLOAT32);
 *     gnd_array *y = gnd_random_integers(gnd_random_default(), 1, 7, GND_SHAPE(100), GND_INT64, false);
 *
 * The names are those of numpy.random.Generator; the numbers are not NumPy's. A generator's output depends
 * only on its kind, its seed and what was drawn from it before: not on the device, the number of threads, or
 * the launch. The GPU produces the same random words as the CPU; uniform numbers, integers, bytes and
 * permutations agree to the bit, others up to rounding. Draws may be split: two draws of n and m numbers with
 * the same distribution, dtype and parameters give the same numbers as one draw of n + m.
 *
 * Parameters are numbers or arrays, which broadcast together and to the shape; the shape GND_PARAMETERS_SHAPE
 * is the one they broadcast to. The dtype of floating draws is GND_FLOAT64 (GND_DTYPE_NONE) or GND_FLOAT32. A
 * parameter that a distribution does not take is GND_ERROR_VALUE; in an array it is found on the device and
 * reported at the next wait, and the affected element is NaN, or 0 in a draw of integers. Arrays must be on
 * the generator's device, and so are results, in C order. Unless its comment says so, nothing here waits.
 *
 * A generator may be used by several threads; each draw gets its own part of the sequence. The work goes to
 * the calling thread's current stream if that is on the generator's device, else to the device's default
 * stream. Draws can be captured into a CUDA graph, and each replay goes on with the numbers that follow; the
 * generator must have been made before the capture began, or, if it is gnd_random_default, drawn from on that
 * device; and it must live as long as the graph. Results that are made inside a capture belong to the graph:
 * gnd_random_fill draws into arrays that were there before.
 */
#ifndef GND_RANDOM_H
#define GND_RANDOM_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- generators ----------------------------------------------------------------------------- */

/** A source of random numbers: opaque. */
typedef struct gnd_random gnd_random;

/** The kinds of generators. */
typedef enum gnd_random_kind {
    GND_PHILOX = 0, /**< Philox4x32-10, counter-based: the one to take */
    GND_XORWOW,     /**< Marsaglia's xorwow: 65536 parts of its sequence side by side */
    GND_MRG32K3A,   /**< L'Ecuyer's combined multiple recursive generator, likewise */
    GND_SOBOL,      /**< a Sobol sequence: quasi-random, made by gnd_random_new_sobol */
    GND_CURAND,     /**< a generator of cuRAND's, with its sequences: made by gnd_random_new_curand */
    GND_NUMPY,      /**< a bit generator of NumPy's, with its sequences: made by gnd_random_new_numpy */
} gnd_random_kind;

/**
 * A new generator on the calling thread's current device. Release it with gnd_random_release; it belongs
 * to no scope.
 *
 * Philox (Salmon and others, Parallel random numbers: as easy as 1, 2, 3, SC11) is a function of a key,
 * the seed, and a counter: word i of the sequence is word i % 4 of the block whose counter is
 * (i / 4, 0, stream), 64, 32 and 32 bits. An element owns 1, 2 or 4 words, which begin at a multiple of as
 * many; what needs more takes the same words of the counters (i / 4, 1, stream), (i / 4, 2, stream) ...
 * XORWOW (Marsaglia, Xorshift RNGs, 2003) and MRG32k3a (L'Ecuyer, Operations Research 47, 1999) keep 65536
 * states, each 2^67 or 2^76 steps behind the one before; element i takes its words from state
 * i % 65536. MRG32k3a's words are below 2^32 - 209: the last of n whole numbers lacks n times 5e-8 of its
 * probability, and of all 2^32 the last 209 do not occur. GND_ERROR_INVALID for GND_SOBOL, which
 * needs to know more.
 */
GND_API gnd_random *gnd_random_new(gnd_random_kind kind, uint64_t seed);

/**
 * A Sobol sequence in `dimensions` dimensions, 1 to 1024: a draw of shape (n, dimensions) has a point in
 * each row, and the next draw goes on from there. The direction numbers are Joe and Kuo's
 * (new-joe-kuo-6, SIAM J. Sci. Comput. 30, 2008). `scramble`: by a random linear matrix for each dimension
 * and a digital shift (Matousek, J. Complexity 14, 1998), which the seed determines; else the sequence
 * itself, from its first point 0 on. Its coordinates have 64 bits; every distribution that needs
 * one uniform number an element is a quantile of it (random, uniform, integers, normal, exponential
 * and more), so that a quasi-random sequence stays one. Distributions that need more of them take
 * further words from Philox under the same seed.
 */
GND_API gnd_random *gnd_random_new_sobol(int64_t dimensions, bool scramble, uint64_t seed);

/** cuRAND's generators. */
typedef enum gnd_curand_kind {
    GND_CURAND_XORWOW = 0,
    GND_CURAND_MRG32K3A,
    GND_CURAND_MTGP32,
    GND_CURAND_MT19937,
    GND_CURAND_PHILOX,
    GND_CURAND_SOBOL32,
    GND_CURAND_SCRAMBLED_SOBOL32,
    GND_CURAND_SOBOL64,
    GND_CURAND_SCRAMBLED_SOBOL64,
} gnd_curand_kind;

/** In what order cuRAND's pseudo-random generators put their numbers (curandOrdering). */
typedef enum gnd_curand_ordering {
    GND_CURAND_DEFAULT_ORDER = 0,
    GND_CURAND_BEST_ORDER,
    GND_CURAND_SEEDED_ORDER,
    GND_CURAND_LEGACY_ORDER,
    GND_CURAND_DYNAMIC_ORDER,
} gnd_curand_ordering;

/** Options of gnd_random_new_curand; all zero: cuRAND's defaults. */
typedef struct gnd_curand_options {
    uint64_t offset;              /**< numbers that are skipped (curandSetGeneratorOffset) */
    gnd_curand_ordering ordering; /**< of pseudo-random numbers */
    int dimensions;               /**< of quasi-random numbers; 0: 1 */
} gnd_curand_options;

/**
 * A generator of cuRAND's host interface on the calling thread's current GPU, for programs that must repeat what their
 * cuRAND code, or CuPy's RandomState, drew. Its draws are one call of cuRAND's each, of as many numbers as the result
 * has, in C order; parameters are numbers, not arrays:
 *
 *     gnd_random_uniform          curandGenerateUniform, in (0, 1], times high - low, plus low
 *     gnd_random_random           the same modulo 1, in [0, 1), as CuPy's random_sample
 *     gnd_random_normal, gnd_random_standard_normal, gnd_random_lognormal
 *                                 curandGenerateNormal, curandGenerateLogNormal; of an odd number of pseudo-random
 *                                 numbers one more is drawn, and dropped
 *     gnd_random_poisson          curandGeneratePoisson, as int64
 *     gnd_random_integers         from 0 to 2^32 - 1: curandGenerate; to 2^64 - 1: curandGenerateLongLong, of the
 *                                 64-bit Sobol sequences
 *
 * All other draws, children, saved states and jumps are GND_ERROR_INVALID, other bounds of integers GND_ERROR_VALUE.
 * A quasi-random draw of d dimensions has all of the first dimension's numbers first: shape (d, n). The seed does not
 * matter to Sobol sequences. Draws cannot be captured into a CUDA graph. GND_ERROR_DEVICE on the CPU, GND_ERROR_VALUE
 * for options that do not fit the kind. The first draw loads cuRAND, and waits while it makes its state: then there are
 * GND_ERROR_UNAVAILABLE without it, and what it refuses of offset and ordering.
 */
GND_API gnd_random *gnd_random_new_curand(gnd_curand_kind kind, uint64_t seed, const gnd_curand_options *options);

/** NumPy's bit generators. */
typedef enum gnd_numpy_kind {
    GND_NUMPY_PCG64 = 0, /**< that of numpy.random.default_rng */
    GND_NUMPY_PCG64DXSM,
    GND_NUMPY_MT19937,
    GND_NUMPY_SFC64,
    GND_NUMPY_PHILOX,
} gnd_numpy_kind;

/**
 * A generator whose draws are those of numpy.random.Generator(KIND(seed)), bit for bit, for programs that must repeat
 * what a NumPy program drew:
 *
 *     gnd_random_random           Generator.random, float64 and float32
 *     gnd_random_uniform          Generator.uniform; in float32, which NumPy lacks, low + (high - low) random
 *     gnd_random_integers         Generator.integers, of all its dtypes
 *     gnd_random_bytes            Generator.bytes
 *
 * Parameters are numbers, not arrays. gnd_random_spawn makes the children of Generator.spawn, gnd_random_advance is
 * the bit generator's advance (PCG64, PCG64DXSM, Philox). All other draws, permutations, streams and saved states are
 * GND_ERROR_INVALID. The numbers are computed on the host and copied to a GPU, so draws cannot be captured into a
 * graph. All host threads draw float64 together where the generator can skip ahead.
 */
GND_API gnd_random *gnd_random_new_numpy(gnd_numpy_kind kind, uint64_t seed);

/** Releases a generator. NULL is ignored, and so is a thread's default generator. Does not wait. */
GND_API void gnd_random_release(gnd_random *g);

/**
 * The calling thread's own Philox generator (borrowed), seeded from the system until gnd_random_seed. It
 * draws on the thread's current device, whichever that is, until it is captured into a CUDA graph; then
 * it stays on that device. It ends with the thread.
 */
GND_API gnd_random *gnd_random_default(void);

/** A seed from the system's source of entropy. */
GND_API uint64_t gnd_random_entropy(void);

/** Starts a generator anew, as if just made with this seed. */
GND_API gnd_status gnd_random_seed(gnd_random *g, uint64_t seed);

/**
 * Skips ahead by `streams` independent sequences, to the beginning of that one. For one seed, Philox has 2^32
 * sequences of 2^64 words each; those of XORWOW are 2^83 words apart, those of MRG32k3a 2^92. Sobol sequences
 * have only one: GND_ERROR_INVALID.
 */
GND_API gnd_status gnd_random_jump(gnd_random *g, uint32_t streams);

/**
 * Skips ahead as if that much had been drawn: 32-bit words for Philox (a float32 takes one, a float64 two;
 * elements that own four words take whole blocks), points for a Sobol sequence. GND_ERROR_INVALID for the
 * other kinds.
 */
GND_API gnd_status gnd_random_advance(gnd_random *g, uint64_t count);

/**
 * A new generator of the same kind and on the same device, independent of this one and of all others
 * that are spawned from it (numpy.random.Generator.spawn): the seed of child number i is made of the
 * parent's seed and stream and of i by Philox.
 */
GND_API gnd_random *gnd_random_spawn(gnd_random *g);

/**
 * The state of a generator, as a 1-d uint64 array on the CPU, which can be saved to a file. Waits if part of
 * the state is on a GPU: of XORWOW and MRG32k3a, and of a generator that was captured into a graph.
 */
GND_API gnd_array *gnd_random_save(gnd_random *g);

/**
 * Restores a saved state of a generator of the same kind (and number of dimensions). Waits if `state` is on a
 * GPU.
 */
GND_API gnd_status gnd_random_restore(gnd_random *g, const gnd_array *state);

/** A generator's kind; GND_PHILOX if NULL. */
GND_API gnd_random_kind gnd_random_kind_of(const gnd_random *g);

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

GND_BEGIN

/* ---- draws ---------------------------------------------------------------------------------- */

/** Uniform numbers of [0, 1): multiples of 2^-24 (float32) or 2^-53 (numpy.random.Generator.random). */
GND_API gnd_array *gnd_random_random(gnd_random *g, gnd_shape shape, gnd_dtype dtype);

/**
 * low + (high - low) u with u as of gnd_random_random: in [low, high), the number below high where
 * rounding would give high itself; low if both are equal. high - low must be finite and at least 0.
 */
GND_API gnd_array *gnd_random_uniform(gnd_random *g, gnd_arg low, gnd_arg high, gnd_shape shape, gnd_dtype dtype);

/**
 * Whole numbers from low to high, high left out unless `endpoint`, all equally likely (no bias, by
 * Lemire's method, ACM TOMACS 29, 2019; gnd_random_new says what MRG32k3a adds). high may be GND_NONE:
 * [0, low). Any integer dtype or bool; GND_DTYPE_NONE is int64. low and high must lie in its range (high
 * may be one more unless `endpoint`), low below high, or equal with `endpoint`, unless the shape has no
 * elements. An element owns one
 * word; two in a 64-bit dtype if a bound is an array, or there are more than 2^32 numbers: there arrays and
 * numbers as bounds give different draws.
 */
GND_API gnd_array *gnd_random_integers(gnd_random *g, gnd_arg low, gnd_arg high, gnd_shape shape, gnd_dtype dtype,
                                       bool endpoint);

/** Normal numbers of mean 0 and standard deviation 1, as quantiles of a uniform number of 32 bits
    (float32: Giles, Approximating the erfinv function, 2011) or 64 (float64: Wichura, AS 241, 1988). */
GND_API gnd_array *gnd_random_standard_normal(gnd_random *g, gnd_shape shape, gnd_dtype dtype);

/** loc + scale z with normal z. scale must not be negative, nor -0.0. */
GND_API gnd_array *gnd_random_normal(gnd_random *g, gnd_arg loc, gnd_arg scale, gnd_shape shape, gnd_dtype dtype);

/** Exponential numbers of mean 1, -log(1 - u). */
GND_API gnd_array *gnd_random_standard_exponential(gnd_random *g, gnd_shape shape, gnd_dtype dtype);

/** The same of mean `scale`, which must not be negative, nor -0.0. */
GND_API gnd_array *gnd_random_exponential(gnd_random *g, gnd_arg scale, gnd_shape shape, gnd_dtype dtype);

/**
 * n random bytes, a uint8 array. They come from whole 4-byte words, and the rest of the last word is dropped:
 * draws may be split where n is a multiple of 4.
 */
GND_API gnd_array *gnd_random_bytes(gnd_random *g, int64_t n);

/**
 * Draws into an existing array or view: gnd_random_fill(g, out, "normal", GND_ARGS(0, 1)), and
 * gnd_random_fill(g, out, "random", 0, NULL). `distribution` is one of those of one number an element, by the
 * name of its function; its parameters are those of the function, without shape and dtype ("integers": low
 * and high), and broadcast to out's shape. The numbers are those of the function with that shape. A dense
 * `out` in C order of a dtype that the function gives (float32, float64; int64; for "integers" any integer or
 * bool) is written directly, with no memory taken on the device, as is best under capture into a CUDA graph;
 * any other is written through a new array, if that casts to it ("same_kind"): float16, bfloat16 and
 * complex64 take float32 numbers.
 */
GND_API gnd_status gnd_random_fill(gnd_random *g, gnd_array *out, const char *distribution, int count,
                                   const gnd_arg *parameters);

/**
 * A part of a larger draw: `out` becomes the box that begins at index start[0], start[1], ... of what gnd_random_fill
 * would draw into an array of this shape, bit for bit. The generator advances by the whole draw, so that programs that
 * share it stay in step. Parameters that are arrays belong to the part: they broadcast to out's shape.
 *
 * Where the box is contiguous in the whole, only its own numbers are computed. Otherwise, with numbers as parameters,
 * what lies between its rows is drawn too and dropped, unless a launch for each row takes less time; with arrays as
 * parameters, one launch draws all rows. Errors are those of gnd_random_fill, and GND_ERROR_SHAPE if the box is not
 * within the shape; GND_ERROR_INVALID for generators other than Philox and Sobol, under capture, and for a box with
 * arrays as parameters and more than four axes that do not merge.
 */
GND_API gnd_status gnd_random_fill_part(gnd_random *g, gnd_array *out, gnd_shape shape, const int64_t *start,
                                        const char *distribution, int count, const gnd_arg *parameters);

/* ---- orders and choices --------------------------------------------------------------------- */

/**
 * The numbers 0 .. x - 1 in a random order (int64), all orders equally likely; or, if x is an array, its
 * parts along an axis (numpy's default is 0), in a new array. Sorts random keys.
 */
GND_API gnd_array *gnd_random_permutation(gnd_random *g, gnd_arg x, int axis);

/** Puts the parts of x along an axis (numpy's default is 0) in a random order, in x itself. */
GND_API gnd_status gnd_random_shuffle(gnd_random *g, gnd_array *x, int axis);

/**
 * x with each line along an axis in a random order of its own; GND_ALL: all elements. Takes `out` of
 * gnd_axes, which may be x itself, and of the axes one.
 */
GND_API gnd_array *gnd_random_permuted(gnd_random *g, const gnd_array *x, gnd_axes axes);

/** Options of gnd_random_choice; NULL or all zero: NumPy's defaults. */
typedef struct gnd_choice_options {
    bool without_replacement;
    const gnd_array *p; /**< the probability of each element; they add up to 1; NULL: uniform */
    int axis;           /**< of an array with several: along which one is chosen */
} gnd_choice_options;

/**
 * Random elements of a (numpy.random.Generator.choice): of an array along options->axis, which the axes of
 * `shape` replace, or of the numbers 0 .. a - 1 (int64). Without replacement, the order is random too. With
 * probabilities p: by binary search in their running sum, as in NumPy; without replacement, by the smallest
 * of exponential numbers over p (Efraimidis and Spirakis, Information Processing Letters 97, 2006), which is
 * equivalent to choosing one after the other. Without replacement, time and memory are proportional to the
 * size of the population, not of the sample.
 *
 * Errors: nothing to choose from, more to choose than there are, p of another length. Negative probabilities,
 * probabilities that do not add up to 1, or too few nonzero ones are found on the device and reported at the
 * next wait. The sum may be off by the root of the epsilon of p's dtype: 1.5e-8 of float64 and integers,
 * 3.5e-4 of float32, 0.03 of float16, 0.09 of bfloat16.
 */
GND_API gnd_array *gnd_random_choice(gnd_random *g, gnd_arg a, gnd_shape shape, const gnd_choice_options *options);

GND_END

#define gnd_random_uniform(g, low, high, ...) (gnd_random_uniform)(g, GND_ARG(low), GND_ARG(high), __VA_ARGS__)
#define gnd_random_integers(g, low, high, ...) (gnd_random_integers)(g, GND_ARG(low), GND_ARG(high), __VA_ARGS__)
#define gnd_random_normal(g, loc, scale, ...) (gnd_random_normal)(g, GND_ARG(loc), GND_ARG(scale), __VA_ARGS__)
#define gnd_random_permutation(g, x, ...) (gnd_random_permutation)(g, GND_ARG(x), __VA_ARGS__)
#define gnd_random_choice(g, a, ...) (gnd_random_choice)(g, GND_ARG(a), __VA_ARGS__)
#define gnd_random_exponential(g, scale, ...) (gnd_random_exponential)(g, GND_ARG(scale), __VA_ARGS__)

#endif
