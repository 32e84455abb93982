/*
 * curand_plan.h: draws of cuRAND's generators, as the front (random_curand.c) passes them to the GPU's backend.
 */
#ifndef GNDI_CURAND_PLAN_H
#define GNDI_CURAND_PLAN_H

#include <gnd/dtype.h>
#include <stdint.h>

/* A generator: what it is made of, and cuRAND's handle from the first draw on. Numbers are cuRAND's. */
typedef struct gndi_curand_generator {
    int kind, ordering;  /* ordering 0: the default */
    unsigned dimensions; /* 0: it is pseudo-random */
    uint64_t seed, offset;
    void *handle;
} gndi_curand_generator;

/* What a call generates; the first one destroys the handle. */
typedef enum gndi_curand_call {
    GNDI_CURAND_DESTROY,
    GNDI_CURAND_WORDS, /* uint32, or uint64 */
    GNDI_CURAND_UNIFORM,
    GNDI_CURAND_NORMAL, /* of a mean a and a deviation b */
    GNDI_CURAND_LOG_NORMAL,
    GNDI_CURAND_POISSON, /* of the mean a, as uint32 */
} gndi_curand_call;

typedef struct gndi_curand_plan gndi_curand_plan;
struct gndi_curand_plan {
    gndi_curand_generator *generator;
    gndi_curand_call call;
    gnd_dtype dtype; /* of the numbers */
    double a, b;
    int64_t count;
    char *out;
};

#endif
