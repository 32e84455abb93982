/*
 * catalogue_elements.c: workloads that go over elements once: elementwise operators, the same fused,
 * reductions, running sums, random numbers. Arrays are float32 where nothing else is said.
 */
#include "catalogue.h"
#include "workloads_fuse.h"

/* ---- inputs ----------------------------------------------------------------------------------- */

static void row_and_column(operands *o, int64_t n) {
    const int64_t side = side_of(n);
    o->in[0] = uniform(GND_SHAPE(side, 1), GND_FLOAT32);
    o->in[1] = uniform(GND_SHAPE(1, side), GND_FLOAT32);
    o->count = 2;
}

static void complex_lines(operands *o, int64_t n) {
    for (o->count = 0; o->count < 2; o->count++) {
        gnd_array *parts = uniform(GND_SHAPE(n), GND_FLOAT32);
        o->in[o->count] = gnd_astype(parts, GND_COMPLEX64);
    }
}

/* Rows of 1000, or one shorter row. */
static void rows_of_1000(operands *o, int64_t n) {
    const int64_t length = n < 1000 ? n : 1000;
    o->in[0] = uniform(GND_SHAPE(n / length, length), GND_FLOAT32);
    o->count = 1;
}

/* ---- expressions that are both fused and not -------------------------------------------------- */

static gnd_array *squared_difference(const operands *o) {
    return sqdiff(o->in[0], o->in[1]);
}
static gnd_array *gaussian_of(const operands *o) {
    return gaussian(o->in[0], NULL);
}
static gnd_array *softmax_of(const operands *o) {
    return softmax(o->in[0], NULL);
}

/* Of n random points in a square, how many are in the circle. */
static gnd_array *points_in_circle(const operands *o) {
    gnd_random *g = gnd_random_default();
    gnd_array *x = gnd_random_random(g, GND_SHAPE(o->n), GND_FLOAT32);
    gnd_array *y = gnd_random_random(g, GND_SHAPE(o->n), GND_FLOAT32);
    gnd_array *r = gnd_add(gnd_square(x), gnd_square(y));
    return gnd_mean(gnd_less_equal(r, 1), GND_ALL);
}

static gnd_array *fused(gnd_array *(*run)(const operands *), const operands *o) {
    gnd_array *result = NULL;
    GND_FUSE result = gnd_keep(run(o));
    return result;
}

/* ---- workloads -------------------------------------------------------------------------------- */

#define RUN(name, expression)                                                                                          \
    static gnd_array *name(const operands *o) {                                                                        \
        return expression;                                                                                             \
    }

RUN(add, gnd_add(o->in[0], o->in[1]))
RUN(exponential, gnd_exp(o->in[0]))
RUN(select, gnd_where(gnd_greater(o->in[0], 0.5), o->in[0], o->in[1]))
RUN(plus_transposed, gnd_add(o->in[0], gnd_transpose(o->in[0])))
RUN(multiply, gnd_multiply(o->in[0], o->in[1]))
RUN(to_float64, gnd_astype(o->in[0], GND_FLOAT64))
RUN(fused_difference, fused(squared_difference, o))
RUN(fused_gaussian, fused(gaussian_of, o))
RUN(fused_softmax, fused(softmax_of, o))
RUN(fused_pi, fused(points_in_circle, o))
RUN(sum, gnd_sum(o->in[0], GND_ALL))
RUN(sum_columns, gnd_sum(o->in[0], GND_AXES(0)))
RUN(sum_rows, gnd_sum(o->in[0], GND_AXES(1)))
RUN(variance, gnd_var(o->in[0], GND_ALL, 0))
RUN(index_of_max, gnd_argmax(o->in[0], GND_ALL))
RUN(dot, gnd_vdot(o->in[0], o->in[1]))
RUN(median, gnd_median(o->in[0], GND_ALL))
RUN(cumsum, gnd_cumsum(o->in[0], GND_ALL))
RUN(cumsum_columns, gnd_cumsum(o->in[0], GND_AXES(0)))
RUN(cummax, gnd_cummax(o->in[0], GND_ALL))
RUN(draw_uniform, gnd_random_random(gnd_random_default(), GND_SHAPE(o->n), GND_FLOAT32))
RUN(draw_normal, gnd_random_standard_normal(gnd_random_default(), GND_SHAPE(o->n), GND_FLOAT32))
RUN(draw_integers, gnd_random_integers(gnd_random_default(), 0, 100, GND_SHAPE(o->n), GND_INT64, false))
RUN(permutation, gnd_random_permutation(gnd_random_default(), o->n, 0))

const workload workloads_elements[] = {
    {"elementwise.add", "x + y", two_lines, add, IN_MEMORY, NULL},
    {"elementwise.exp", "exp(x)", one_line, exponential, IN_MEMORY, NULL},
    {"elementwise.where", "x where x > 0.5, else y", two_lines, select, IN_MEMORY, NULL},
    {"elementwise.transposed", "a + a.T of a square matrix", one_square, plus_transposed, IN_MEMORY, NULL},
    {"elementwise.outer", "a column plus a row", row_and_column, add, IN_MEMORY, NULL},
    {"elementwise.complex", "x y, complex64", complex_lines, multiply, IN_MEMORY, NULL},
    {"elementwise.cast", "float32 to float64", one_line, to_float64, IN_MEMORY, NULL},
    {"elementwise.difference", "(x - y)^2, an operator after the other", two_lines, squared_difference, IN_MEMORY,
     NULL},
    {"elementwise.gaussian", "the normal density, an operator after the other", one_line, gaussian_of, IN_MEMORY, NULL},
    {"fused.difference", "(x - y)^2 in one launch", two_lines, fused_difference, IN_MEMORY, NULL},
    {"fused.gaussian", "the normal density in one launch", one_line, fused_gaussian, IN_MEMORY, NULL},
    {"fused.softmax", "softmax of rows of 1000", rows_of_1000, fused_softmax, IN_MEMORY, NULL},
    {"fused.pi", "pi from random points", no_input, fused_pi, COMPUTES, NULL},
    {"reduce.sum", "the sum of all", one_line, sum, IN_MEMORY, NULL},
    {"reduce.columns", "the sum of each column of a square matrix", one_square, sum_columns, IN_MEMORY, NULL},
    {"reduce.rows", "the sum of each row of a square matrix", one_square, sum_rows, IN_MEMORY, NULL},
    {"reduce.var", "the variance of all", one_line, variance, IN_MEMORY, NULL},
    {"reduce.argmax", "the index of the largest", one_line, index_of_max, IN_MEMORY, NULL},
    {"reduce.dot", "the dot product of two vectors", two_lines, dot, IN_MEMORY, NULL},
    {"reduce.median", "the median of all", one_line, median, IN_MEMORY, NULL},
    {"scan.cumsum", "running sums of one line", one_line, cumsum, IN_MEMORY, NULL},
    {"scan.columns", "running sums down a square matrix", one_square, cumsum_columns, IN_MEMORY, NULL},
    {"scan.cummax", "running maxima of one line", one_line, cummax, IN_MEMORY, NULL},
    {"random.uniform", "uniform numbers", no_input, draw_uniform, IN_MEMORY, NULL},
    {"random.normal", "normal numbers", no_input, draw_normal, IN_MEMORY, NULL},
    {"random.integers", "int64 below 100", no_input, draw_integers, IN_MEMORY, NULL},
    {"random.permutation", "a permutation, int64", no_input, permutation, IN_MEMORY, NULL},
    {NULL, NULL, NULL, NULL, 0, NULL},
};
