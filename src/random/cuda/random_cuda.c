/*
 * random_cuda.c: random numbers on CUDA: which kernel, how many threads, and the state in device memory (cell) of a
 * generator that was captured into a graph.
 */
#include "random/cuda/random_params.h"
#include "random/cuda/random_parts.h"
#include "runtime/cuda/runtime_cuda.h"

#define PART(fill) void fill(gndi_cuda_random_kernels *table);
GNDI_RANDOM_PARTS
#undef PART
const void *gndi_cuda_random_cell_kernel(void);
const void *gndi_cuda_random_begin_kernel(void);
const void *gndi_cuda_random_ties_kernel(void);

enum {
    THREADS = GNDI_RANDOM_THREADS,
    WAVES = 16, /* thread blocks of a multiprocessor before a thread gets more than it must */
};

static gndi_cuda_random_kernels kernels[GNDI_RANDOM_COUNT];
static gndi_once filled;

static void fill(void) {
#define PART(fill) fill(kernels);
    GNDI_RANDOM_PARTS
#undef PART
}

static int variant_of(const gndi_random_plan *plan) {
    if (gndi_distributions[plan->distribution].result != 'D') return plan->dtype != GND_FLOAT32;
    const int log_size = __builtin_ctz((unsigned)gndi_dtype_sizes[plan->dtype]);
    return 2 * log_size + (plan->words == 2);
}

/* The thread blocks of a draw from Philox with numbers as parameters. A thread does `each` blocks of words: several in
   large draws, the least in small ones, so that there are many threads. There are as many blocks of words as vectors of
   results if these begin with a block; else, or if only the device knows the position, a few more. */
static int64_t blocks_of_numbers(const gndi_random_plan *plan, int processors, int *each) {
    const uint64_t first = gndi_aligned_position(plan->engine.state.position, plan->words);
    int64_t vectors = gndi_ceil_div(plan->size, 4 / plan->words);
    if (plan->engine.cell || first & 3) vectors = gndi_ceil_div(vectors, GNDI_RANDOM_VECTORS) * 32;
    const int64_t share = vectors / ((int64_t)processors * THREADS * WAVES);
    *each = share < 4 ? 2 : share < GNDI_RANDOM_EACH ? (int)share / 2 * 2 : GNDI_RANDOM_EACH;
    return gndi_ceil_div(vectors, (int64_t)THREADS * *each);
}

static gnd_status advance(gnd_stream *s, const gndi_random_plan *plan, const char *fn) {
    const gndi_random_state *state = &plan->engine.state;
    gndi_random_cell_params p = {.cell = plan->engine.cell,
                                 .offset = state->position,
                                 .words = state->kind == GNDI_PHILOX ? plan->words : 1,
                                 .size = (uint64_t)plan->size};
    return gndi_cuda_launch(s, gndi_cuda_random_cell_kernel(), 1, 1, 0, &p, fn);
}

gnd_status gndi_cuda_random(gnd_stream *s, const gndi_random_plan *plan, const char *fn) {
    gndi_once_do(&filled, fill);
    const void *const *variant = kernels[plan->distribution][variant_of(plan)];
    gndi_random_params p = {.plan = *plan, .fault = gndi_fault_record(s->device)};
    gnd_status status;
    if (plan->engine.state.kind != GNDI_PHILOX)
        status = gndi_cuda_launch(s, variant[GNDI_RANDOM_OTHERS], GNDI_RANDOM_STATES / THREADS, THREADS, 0, &p, fn);
    else if (plan->uniform)
        status = gndi_cuda_launch(s, variant[GNDI_RANDOM_NUMBERS],
                                  blocks_of_numbers(plan, s->device->processors, &p.each), THREADS, 0, &p, fn);
    else
        status =
            gndi_cuda_launch(s, variant[GNDI_RANDOM_ARRAYS], gndi_ceil_div(plan->size, THREADS), THREADS, 0, &p, fn);
    return status || !plan->engine.cell ? status : advance(s, plan, fn);
}

gnd_status gndi_cuda_random_set(gnd_stream *s, const gndi_random_cell *plan, const char *fn) {
    gndi_random_cell_params p = {.cell = plan->cell, .state = plan->state};
    return gndi_cuda_launch(s, gndi_cuda_random_cell_kernel(), 1, 1, 0, &p, fn);
}

gnd_status gndi_cuda_random_begin(gnd_stream *s, const gndi_random_begin_plan *plan, const char *fn) {
    gndi_random_begin_plan p = *plan;
    return gndi_cuda_launch(s, gndi_cuda_random_begin_kernel(), GNDI_RANDOM_STATES / THREADS, THREADS, 0, &p, fn);
}

gnd_status gndi_cuda_random_ties(gnd_stream *s, const gndi_random_ties *ties, const char *fn) {
    gndi_random_ties p = *ties;
    return gndi_cuda_launch(s, gndi_cuda_random_ties_kernel(), gndi_ceil_div(p.rows * p.length, THREADS), THREADS, 0,
                            &p, fn);
}
