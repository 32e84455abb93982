/*
 * random.h: what the files of src/random share: generators, and the one function that draws from all
 * distributions.
 *
 *     random.c          generators: seeds, streams, children; the threads' default ones
 *     random_state.c    states: saved, restored, and advanced by draws
 *     random_skip.c     the initial states of XORWOW and MRG32k3a
 *     random_sobol.c    direction numbers, scrambled
 *     random_draw.c     a row of random.def applied to parameters: checks, broadcasting, plan
 *     random_basic.c    uniform, integers, normal, exponential, bytes
 *     random_fill.c     draws by name, into given arrays
 *     random_part.c     parts of such draws
 *     random_curand.c   cuRAND's generators
 *     random_order.c    permutations
 *     random_choice.c   choices with and without replacement
 */
#ifndef GNDI_RANDOM_H
#define GNDI_RANDOM_H

#include "random/curand_plan.h"
#include "random/random_begin_plan.h"
#include "random/random_plan.h"
#include "runtime/runtime.h"
#include <gnd/random.h>

/*
 * A generator. Normally the host knows its position, and passes it to each launch. Once a draw has been
 * captured into a CUDA graph, the host does not know how often the graph has run: from then on the cell, in
 * the device's memory, advances, and `offset`, the part of the position that the host knew by then, stays
 * constant, in the graphs too.
 */
struct gnd_random {
    gndi_lock lock;
    gndi_device *device;     /* NULL: the default generator, which has not been used yet */
    bool follows;            /* the default generator: draws on the current device */
    bool captured;           /* the cell advances */
    gndi_random_state state; /* until captured: what the host knows */
    uint64_t written;        /* the position when the cell was last written */
    uint64_t offset;         /* of a captured one: what is added to the cell's position */
    gndi_buffer *cell;       /* a gndi_random_state, on devices whose work can be captured; else NULL */
    gndi_buffer *states;     /* XORWOW, MRG32k3a */
    gndi_buffer *sobol;      /* direction numbers */
    int64_t dimensions;      /* of a Sobol sequence */
    bool scrambled;
    uint64_t children;                   /* spawned so far */
    gndi_curand_generator *curand;       /* one of cuRAND's, whose draws the cell orders; else NULL */
    struct gndi_numpy_stream *numpy;     /* one of NumPy's; else NULL */
    const struct gndi_random_part *part; /* of a copy that random_part.c draws with; else NULL */
};

/* A part of a draw: merged axes, as a plan has them. */
typedef struct gndi_random_part {
    int axes;
    int64_t count[GNDI_RANDOM_AXES], step[GNDI_RANDOM_AXES];
} gndi_random_part;

/*
 * A new array of a distribution's numbers. `parameters` are as many as the row has; `dtype` is the
 * result's: for F rows GND_FLOAT32 or GND_FLOAT64 (GND_DTYPE_NONE: float64); for I rows it is ignored, and
 * the result is int64. `shape` may be GND_PARAMETERS_SHAPE.
 */
gnd_array *gndi_random_draw(const char *fn, gndi_distribution distribution, gnd_random *g, const gnd_arg *parameters,
                            const gnd_shape *shape, gnd_dtype dtype);
/* The same for a D row, whose elements own `words` words. */
gnd_array *gndi_random_draw_words(const char *fn, gndi_distribution distribution, gnd_random *g,
                                  const gnd_arg *parameters, const gnd_shape *shape, gnd_dtype dtype, int words);

/*
 * The same for a V or M row, whose elements are rows: `rows` is the parameter with a lower case letter, called
 * `name` in messages, whose rows are along its last axis; the result has that axis, too. `number`: the
 * parameter before it, if there is one. NULL arguments are errors.
 */
gnd_array *gndi_random_draw_rows(const char *fn, gndi_distribution distribution, gnd_random *g, gnd_arg number,
                                 const gnd_array *rows, const char *name, const gnd_shape *shape, gnd_dtype dtype);

/* The same into `out`, which is dense, in C order, of a dtype of the row, and does not overlap the parameters. */
gnd_status gndi_random_draw_into(const char *fn, gndi_distribution distribution, gnd_random *g,
                                 const gnd_arg *parameters, gnd_array *out, int words);
/* A new array for a draw of numbers, not written yet; the request is checked. */
gnd_array *gndi_random_result(const char *fn, gndi_distribution distribution, gnd_random *g, const gnd_shape *shape,
                              gnd_dtype dtype);
/* gnd_random_integers without endpoint into such an array. */
gnd_status gndi_random_integers_into(const char *fn, gnd_random *g, gnd_arg low, gnd_arg high, gnd_array *out);
/* How many words an element of them owns. */
int gndi_random_integers_words(gnd_arg low, gnd_arg high, gnd_dtype dtype, bool endpoint);

/* ---- draws by name (random_fill.c) ---------------------------------------------------------- */

/* A draw into an array by the name of its distribution. */
typedef struct gndi_random_filling {
    const char *fn;
    int distribution;
    gnd_dtype dtype; /* of the numbers */
    int count;
    const gnd_arg *parameters;
} gndi_random_filling;
/* Checks the request, all but the parameters' values and shapes. */
gnd_status gndi_random_filling_of(gndi_random_filling *f, const char *fn, gnd_random *g, const gnd_array *out,
                                  const char *name, int count, const gnd_arg *parameters);
/* Draws into `out`, directly if it can take the numbers. */
gnd_status gndi_random_fill_into(const gndi_random_filling *f, gnd_random *g, gnd_array *out);

/* `rows` rows of the indices 0 .. length - 1, each in its own random order, as an int64 matrix
   (random_order.c). */
gnd_array *gndi_random_order(const char *fn, gnd_random *g, int64_t rows, int64_t length);

/* ---- states (random_state.c) ---------------------------------------------------------------- */

/* The stream that a generator draws on from this thread. */
gnd_stream *gndi_random_stream(gnd_random *g, const char *fn);
/* Runs a plan whose engine is not set yet, for `result`, and advances the generator. */
gnd_status gndi_random_submit(const char *fn, gnd_random *g, gnd_stream *s, gndi_random_plan *plan, gnd_array *result);
/* The same; *cell gets a copy of a captured generator's cell as it was before, and NULL for others. */
gnd_status gndi_random_submit_keeping(const char *fn, gnd_random *g, gnd_stream *s, gndi_random_plan *plan,
                                      gnd_array *result, gndi_buffer **cell);
/* Sets a generator to a state: `states` are the saved ones of XORWOW and MRG32k3a, NULL: computed from `state`.
   Holds no lock. */
gnd_status gndi_random_set_state(const char *fn, gnd_random *g, const gndi_random_state *state, const uint32_t *states);
/* The direction numbers of a key, in the device's memory (random.c). */
gnd_status gndi_random_set_sobol(const char *fn, gnd_random *g, uint64_t key);
/* The generator's state. Waits if only the device knows it. */
gnd_status gndi_random_look(const char *fn, gnd_random *g, gndi_random_state *state);

/* ---- cuRAND (random_curand.c) --------------------------------------------------------------- */

/* A generator (random.c), and its part for cuRAND, which is also there after an error. */
gnd_random *gndi_random_new_with_curand(const char *fn, gndi_device *device, gnd_curand_kind kind, uint64_t seed,
                                        const gnd_curand_options *options);
gnd_status gndi_random_make_curand(const char *fn, gnd_random *g, gnd_curand_kind kind, uint64_t seed,
                                   const gnd_curand_options *options);
void gndi_random_drop_curand(gnd_random *g);
gnd_status gndi_random_seed_curand(gnd_random *g, uint64_t seed);
/* A plan's numbers, whose axes are not planned, to a new array. */
gnd_status gndi_random_draw_curand(const char *fn, gnd_random *g, gnd_stream *stream, const gndi_random_plan *of,
                                   gnd_array *result);

/* ---- NumPy (random_numpy.c) ----------------------------------------------------------------- */

/* child: of the seed sequence, from 0 on; -1: none. */
gnd_random *gndi_random_new_with_numpy(const char *fn, gndi_device *device, gnd_numpy_kind kind, uint64_t seed,
                                       int64_t child);
gnd_status gndi_random_make_numpy(const char *fn, gnd_random *g, gnd_numpy_kind kind, uint64_t seed, int64_t child);
gnd_status gndi_random_advance_numpy(const char *fn, gnd_random *g, uint64_t count);
gnd_status gndi_random_draw_numpy(const char *fn, gnd_random *g, gnd_stream *stream, const gndi_random_plan *of,
                                  gnd_array *result);

/* Raises for a generator of cuRAND's or NumPy's: it has no such thing. GND_OK for others. */
gnd_status gndi_random_is_own(const char *fn, const gnd_random *g, const char *what);

/* ---- initial states ------------------------------------------------------------------------- */

/* Fills in all but where the states of a kind, key and stream are to be. */
void gndi_random_begin(const gndi_random_state *state, gndi_random_begin_plan *plan);

enum { GNDI_SOBOL_MOST = 1024 }; /* dimensions */
/* Direction numbers and shift of each dimension, GNDI_SOBOL_BITS + 1 numbers. */
void gndi_random_sobol_numbers(uint64_t *numbers, int64_t dimensions, bool scramble, uint64_t key);

/* Philox on the host: the first two words of a block as one number. */
uint64_t gndi_philox_number(uint64_t key, uint64_t block, uint32_t attempt, uint32_t stream);

#endif
