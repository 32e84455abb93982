/*
 * catalogue.c: the tables of workloads as one list, and the inputs that several of them use.
 */
#include "catalogue.h"

#include <math.h>

const workload *catalogue_at(int i) {
    const workload *const tables[] = {workloads_elements, workloads_order, workloads_algebra};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        for (const workload *w = tables[t]; w->name; w++)
            if (i-- == 0) return w;
    return NULL;
}

gnd_array *uniform(gnd_shape shape, gnd_dtype dtype) {
    return gnd_random_random(gnd_random_default(), shape, dtype);
}

int64_t side_of(int64_t n) {
    int64_t side = (int64_t)(sqrt((double)n) + 0.5);
    return side > 1 ? side : 1;
}

void no_input(operands *o, int64_t n) {
    o->n = n;
}

void one_line(operands *o, int64_t n) {
    o->in[0] = uniform(GND_SHAPE(n), GND_FLOAT32);
    o->count = 1;
}

void two_lines(operands *o, int64_t n) {
    one_line(o, n);
    o->in[1] = uniform(GND_SHAPE(n), GND_FLOAT32);
    o->count = 2;
}

void one_square(operands *o, int64_t n) {
    const int64_t side = side_of(n);
    o->in[0] = uniform(GND_SHAPE(side, side), GND_FLOAT32);
    o->count = 1;
}
