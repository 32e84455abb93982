/*
 * random_loops.h: the interface of the inner loops of random numbers, for the driver (random_cpu.c).
 *
 * Each row of random.def has loops for any generator and any parameters (random_family.cpp.in, one
 * instruction set for all CPUs). The commonest draws, of Philox and with numbers for parameters, are
 * also vectorized (random_vectors.hpp): first the words, then the elements.
 */
#ifndef GNDI_CPU_RANDOM_LOOPS_H
#define GNDI_CPU_RANDOM_LOOPS_H

#include "random/random_plan.h"

/* The most words of Philox that are computed at a time; their number is a multiple of GNDI_RANDOM_STEP: whole blocks in
   whole vectors. */
enum { GNDI_RANDOM_CHUNK = 2048, GNDI_RANDOM_STEP = 64 };

/* `count` words of attempt 0, from a block on: a multiple of GNDI_RANDOM_STEP. */
typedef void (*gndi_cpu_philox)(uint64_t key, uint64_t block, uint32_t stream, uint32_t *words, int64_t count);

/* One thread's part of a draw. `refused`: the index of an element whose parameters the distribution does not take,
   or -1. */
typedef struct gndi_cpu_random_job {
    const gndi_random_plan *plan;
    gndi_cpu_philox philox;
    int64_t refused;
} gndi_cpu_random_job;

/* Elements begin .. end - 1 by Philox or Sobol; states begin .. end - 1 of the others. */
typedef void (*gndi_cpu_draw)(gndi_cpu_random_job *job, int64_t begin, int64_t end);

typedef struct gndi_cpu_sampler {
    gndi_cpu_draw philox, sobol, states;
    bool (*valid)(const gndi_random_value *values);
} gndi_cpu_sampler;

/* Results of float, and of all other types: by their size for D rows (log2). */
enum { GNDI_RANDOM_FLOAT, GNDI_RANDOM_WIDE, GNDI_RANDOM_RESULTS = 4 };

/* Vectorized: n elements (a multiple of 32) from consecutive words; all parameters are numbers. */
typedef void (*gndi_cpu_transform)(const uint32_t *words, int64_t n, const gndi_random_value *values, void *out);
/* Keys begin .. end - 1 of a gndi_random_ties (random_ties.cpp), for gndi_parallel_for. */
#ifdef __cplusplus
extern "C"
#endif
    void
    gndi_cpu_break_ties(void *context, int64_t begin, int64_t end);

enum { GNDI_RANDOM_TRANSFORMS = GNDI_RANDOM_exponential + 1 };

typedef struct gndi_cpu_random_vectors {
    gndi_cpu_philox philox;
    gndi_cpu_transform transform[GNDI_RANDOM_TRANSFORMS][2]; /* NULL: none; of float, of double */
    /* n integers in low .. low + range (range < 2^32), of 1, 2, 4 or 8 bytes; false if a word has to be rejected to
       avoid a bias: then the results are not valid. */
    bool (*integers[4])(const uint32_t *words, int64_t n, uint64_t low, uint32_t range, void *out);
} gndi_cpu_random_vectors;

/* The loops for this CPU, chosen at the first call. Thread-safe. */
#ifdef __cplusplus
extern "C"
#endif
    const gndi_cpu_random_vectors *
    gndi_cpu_random_vectors_get(void);

#endif
