/*
 * catalogue_order.c: workloads that move elements about: sorting, searching, indexing, counting.
 * Arrays are float32 where nothing else is said; indices are int64.
 */
#include "catalogue.h"

/* ---- inputs ----------------------------------------------------------------------------------- */

/* n whole numbers below `high`. */
static gnd_array *whole_numbers(int64_t n, int64_t high, gnd_dtype dtype) {
    return gnd_random_integers(gnd_random_default(), 0, high, GND_SHAPE(n), dtype, false);
}

static void numbers_below_1000(operands *o, int64_t n) {
    o->in[0] = whole_numbers(n, 1000, GND_INT32);
    o->count = 1;
}

static void line_and_indices(operands *o, int64_t n) {
    one_line(o, n);
    o->in[1] = whole_numbers(n, n, GND_INT64);
    o->count = 2;
}

static void line_values_and_order(operands *o, int64_t n) {
    two_lines(o, n);
    o->in[2] = gnd_random_permutation(gnd_random_default(), n, 0);
    o->count = 3;
}

/* A sorted table of a tenth as many, and what is looked up there. */
static void table_and_keys(operands *o, int64_t n) {
    gnd_array *table = uniform(GND_SHAPE(n < 10 ? 1 : n / 10), GND_FLOAT32);
    o->in[0] = gnd_sort(table, GND_ALL, GND_ASCENDING);
    o->in[1] = uniform(GND_SHAPE(n), GND_FLOAT32);
    o->count = 2;
}

/* ---- workloads -------------------------------------------------------------------------------- */

#define RUN(name, expression)                                                                                          \
    static gnd_array *name(const operands *o) {                                                                        \
        return expression;                                                                                             \
    }

RUN(sort, gnd_sort(o->in[0], GND_ALL, GND_ASCENDING))
RUN(argsort, gnd_argsort(o->in[0], GND_ALL, GND_ASCENDING))
RUN(sort_rows, gnd_sort(o->in[0], GND_AXES(1), GND_ASCENDING))
RUN(partition, gnd_partition(o->in[0], GND_KTH(gnd_size(o->in[0]) / 2), GND_ALL))
RUN(unique, gnd_unique(o->in[0], GND_ALL, NULL))
RUN(take, gnd_get(o->in[0], GND_INDICES(o->in[1])))
RUN(lookup, gnd_searchsorted(o->in[0], o->in[1], GND_LEFT, GND_NONE))
RUN(roll, gnd_roll(o->in[0], 12345, GND_ALL))

static gnd_array *mask(const operands *o) {
    gnd_array *above = gnd_greater(o->in[0], 0.5);
    return gnd_get(o->in[0], GND_INDICES(above));
}

static gnd_array *put(const operands *o) {
    return gnd_set(o->in[0], GND_INDICES(o->in[2]), o->in[1]) ? NULL : o->in[0];
}

static gnd_array *histogram(const operands *o) {
    gnd_array *edges;
    return gnd_histogram(o->in[0], 100, NULL, &edges);
}

const workload workloads_order[] = {
    {"sort.sort", "the values of a line in order", one_line, sort, IN_MEMORY, NULL},
    {"sort.argsort", "the indices that sort a line", one_line, argsort, IN_MEMORY, NULL},
    {"sort.rows", "each row of a square matrix in order", one_square, sort_rows, IN_MEMORY, NULL},
    {"sort.partition", "a line split at its middle value", one_line, partition, IN_MEMORY, NULL},
    {"sort.unique", "the different ones of int32 below 1000", numbers_below_1000, unique, IN_MEMORY, NULL},
    {"index.mask", "x[x > 0.5]", one_line, mask, IN_MEMORY, NULL},
    {"index.take", "x[i], i at random", line_and_indices, take, IN_MEMORY, NULL},
    {"index.put", "x[i] = y, i a permutation", line_values_and_order, put, IN_PLACE, NULL},
    {"index.roll", "x moved round by 12345", one_line, roll, IN_MEMORY, NULL},
    {"index.histogram", "counts in 100 bins", one_line, histogram, IN_MEMORY, NULL},
    {"index.searchsorted", "where x belongs in a sorted table", table_and_keys, lookup, IN_MEMORY, NULL},
    {NULL, NULL, NULL, NULL, 0, NULL},
};
