/*
 * rows_fuse.c: the same expressions operator by operator (`_plain`), in a GND_FUSE block by the interpreter
 * (`_fused`, or no ending), and where a compiled program is asked for (`_compiled`: its compilation is
 * warm-up, as the peers' is). That is a compiled one on a GPU for maps and for rows (softmax, layernorm); sqdiff_sum
 * is the interpreter's there all the same, and a CPU knows one way only.
 * `bytes` counts each input read once and each output written once; of `_plain`, what the operators move.
 */
#include "bench.h"
#include "workloads_fuse.h"

#define N bench_size(BENCH_N)
#define SIDE bench_size(4096)

/* ---- operands ------------------------------------------------------------------------------- */

static void two(operands *o, int64_t n) {
    o->x = bench_random(GND_SHAPE(n), GND_FLOAT32);
    o->y = bench_random(GND_SHAPE(n), GND_FLOAT32);
}
static void matrix(operands *o) {
    o->x = bench_random(GND_SHAPE(SIDE, SIDE), GND_FLOAT32);
}

/* Those of a row, and who carries its program out. */
#define PREPARE(name, executor, ...)                                                                                   \
    static void name(operands *o) {                                                                                    \
        gnd_fuse_use(executor);                                                                                        \
        __VA_ARGS__;                                                                                                   \
    }

PREPARE(few, GND_FUSE_INTERPRET, two(o, 10000))
PREPARE(few_compiled, GND_FUSE_COMPILE, two(o, 10000))
PREPARE(many, GND_FUSE_INTERPRET, two(o, N))
PREPARE(many_compiled, GND_FUSE_COMPILE, two(o, N))
PREPARE(rows, GND_FUSE_INTERPRET, matrix(o))
PREPARE(rows_compiled, GND_FUSE_COMPILE, matrix(o))

/* ---- workloads ------------------------------------------------------------------------------ */

/* The functions that are timed: one without a block, and one with it. */
#define RUN(workload)                                                                                                  \
    static void workload##_plain(operands *o) {                                                                        \
        GND_SCOPE                                                                                                      \
            workload(o->x, o->y);                                                                                      \
    }                                                                                                                  \
    static void workload##_fused(operands *o) {                                                                        \
        gnd_array *result = NULL;                                                                                      \
        GND_FUSE result = gnd_keep(workload(o->x, o->y));                                                              \
        gnd_release(result);                                                                                           \
    }

RUN(sqdiff)
RUN(gaussian)
RUN(hidden)
RUN(sqdiff_sum)
RUN(softmax)
RUN(layernorm)

#define MATRIX_BYTES (8.0 * 4096 * 4096)

const bench_row bench_rows_fuse[] = {
    {"fuse.sqdiff_10k_plain", few, sqdiff_plain, 0},
    {"fuse.sqdiff_10k_fused", few, sqdiff_fused, 0},
    {"fuse.sqdiff_10k_compiled", few_compiled, sqdiff_fused, 0},
    {"fuse.sqdiff_1e8_plain", many, sqdiff_plain, 20e8},
    {"fuse.sqdiff_1e8_fused", many, sqdiff_fused, 12e8},
    {"fuse.sqdiff_1e8_compiled", many_compiled, sqdiff_fused, 12e8},
    {"fuse.gaussian_1e8_plain", many, gaussian_plain, 48e8},
    {"fuse.gaussian_1e8_fused", many, gaussian_fused, 8e8},
    {"fuse.gaussian_1e8_compiled", many_compiled, gaussian_fused, 8e8},
    {"fuse.hidden_1e8_plain", many, hidden_plain, 28e8},
    {"fuse.hidden_1e8_fused", many, hidden_fused, 12e8},
    {"fuse.hidden_1e8_compiled", many_compiled, hidden_fused, 12e8},
    {"fuse.sqdiff_sum_1e8", many, sqdiff_sum_fused, 8e8},
    {"fuse.sqdiff_sum_1e8_compiled", many_compiled, sqdiff_sum_fused, 8e8},
    {"fuse.sqdiff_sum_1e8_plain", many, sqdiff_sum_plain, 24e8},
    {"fuse.softmax_4096", rows, softmax_fused, MATRIX_BYTES},
    {"fuse.softmax_4096_compiled", rows_compiled, softmax_fused, MATRIX_BYTES},
    {"fuse.softmax_4096_plain", rows, softmax_plain, 0},
    {"fuse.layernorm_4096", rows, layernorm_fused, MATRIX_BYTES},
    {"fuse.layernorm_4096_compiled", rows_compiled, layernorm_fused, MATRIX_BYTES},
    {"fuse.layernorm_4096_plain", rows, layernorm_plain, 0},
    {NULL, NULL, NULL, 0},
};
