/*
 * catalogue.h: the workloads that gnd-bench knows. A workload is a name, "category.what", a sentence,
 * a function that makes its inputs for about n elements, and one that computes a result from them.
 */
#ifndef GND_BENCH_CATALOGUE_H
#define GND_BENCH_CATALOGUE_H

#include <gnd.h>

/* The inputs of a workload, on one device. What it makes itself, of n elements, needs none. */
typedef struct operands {
    gnd_array *in[3];
    int count;
    int64_t n;
} operands;

typedef enum workload_flags {
    IN_MEMORY = 0, /* bound by memory: its share of a copy's bandwidth says something */
    IN_PLACE = 1,  /* the result is an input that was written to */
    COMPUTES = 2,  /* bound by arithmetic */
} workload_flags;

typedef struct workload {
    const char *name;
    const char *text; /* what it computes */
    void (*prepare)(operands *o, int64_t n);
    gnd_array *(*run)(const operands *o); /* in the scope of its call */
    unsigned flags;
    double (*operations)(double n); /* floating-point operations for n elements; NULL: not counted */
} workload;

/* The tables, in catalogue_*.c; each ends with a NULL name. */
extern const workload workloads_elements[], workloads_order[], workloads_algebra[];

/* All of them in order: workload `i`, NULL behind the last. */
const workload *catalogue_at(int i);

/* Uniform float numbers in [0, 1), the same on every run and device. */
gnd_array *uniform(gnd_shape shape, gnd_dtype dtype);
/* The side of a square of about n elements, at least 1. */
int64_t side_of(int64_t n);
/* Inputs that several tables use: one and two lines of n float32, and a square of about n. */
void one_line(operands *o, int64_t n);
void two_lines(operands *o, int64_t n);
void one_square(operands *o, int64_t n);
void no_input(operands *o, int64_t n);

#endif
