/*
 * random_loops.h: the inner loops of random numbers as the driver (random_cpu.c) sees them.
 *
 * Each row of random.def has loops for any generator and any parameters (random_family.cpp.in, one
 * instruction set for all CPUs). The commonest draws, of Philox and with numbers for parameters, are
 * also vectorised (random_vectors.hpp): words first, then what is made of them.
 */
#ifndef GNDI_CPU_RANDOM_LOOPS_H
#define GNDI_CPU_RANDOM_LOOPS_H

#include "kernels/random_plan.h"

/* Words of Philox that are computed at a time: whole blocks, a multiple of every vector's width. */
enum { GNDI_RANDOM_CHUNK = 2048 };

/* A draw as one thread carries it out. `refused`: the number of an element whose parameters the
   distribution does not take, or -1. */
typedef struct gndi_cpu_random {
    const gndi_random_plan *plan;
    void (*philox)(uint64_t key, uint64_t block, uint32_t stream, uint32_t *words);
    int64_t refused;
} gndi_cpu_random;

/* Elements begin .. end - 1 by Philox or Sobol; lanes begin .. end - 1 of the others. */
typedef void (*gndi_cpu_draw)(gndi_cpu_random *job, int64_t begin, int64_t end);

typedef struct gndi_cpu_sampler {
    gndi_cpu_draw philox, sobol, lanes;
    bool (*valid)(const gndi_random_value *values);
} gndi_cpu_sampler;

/* Results of float, and of all other types: by their size for D rows (log2). */
enum { GNDI_RANDOM_FLOAT, GNDI_RANDOM_WIDE, GNDI_RANDOM_RESULTS = 4 };

/* Vectorised: n elements (a multiple of 32) from words that lie one after the other, all parameters
   numbers. */
typedef void (*gndi_cpu_transform)(const uint32_t *words, int64_t n,
                                   const gndi_random_value *values, void *out);
/* Keys begin .. end - 1 of a gndi_random_ties (random_ties.cpp), for gndi_parallel_for. */
#ifdef __cplusplus
extern "C"
#endif
    void
    gndi_cpu_break_ties(void *context, int64_t begin, int64_t end);

enum { GNDI_RANDOM_TRANSFORMS = GNDI_RANDOM_exponential + 1 };

typedef struct gndi_cpu_random_vectors {
    /* GNDI_RANDOM_CHUNK words of attempt 0, from a block on. */
    void (*philox)(uint64_t key, uint64_t block, uint32_t stream, uint32_t *words);
    gndi_cpu_transform transform[GNDI_RANDOM_TRANSFORMS][2]; /* NULL: none; of float, of double */
} gndi_cpu_random_vectors;

#endif
