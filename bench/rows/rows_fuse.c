/*
 * rows_fuse.c: the same expressions operator by operator (`_plain`), in a GND_FUSE block by the interpreter
 * (`_fused`, or no ending), and where a compiled program is asked for (`_compiled`: its compilation is
 * warm-up, as the peers' is). That is a compiled one on a GPU for maps and for rows (softmax, layernorm); sqdiff_sum
 * is the interpreter's there all the same, and a CPU knows one way only.
 * `bytes` counts each input read once and each output written once; of `_plain`, what the operators move.
 */
#include "bench.h"
#include "workloads_fuse.h"

/* Which executor runs a row's program. */
static void interpreted(operands *o) {
    (void)o;
    gnd_fuse_use(GND_FUSE_INTERPRET);
}
static void compiled(operands *o) {
    (void)o;
    gnd_fuse_use(GND_FUSE_COMPILE);
}

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
    {"fuse.sqdiff_10k_plain", interpreted, sqdiff_plain, 0, "float32[1e4] float32[1e4]"},
    {"fuse.sqdiff_10k_fused", interpreted, sqdiff_fused, 0, "float32[1e4] float32[1e4]"},
    {"fuse.sqdiff_10k_compiled", compiled, sqdiff_fused, 0, "float32[1e4] float32[1e4]"},
    {"fuse.sqdiff_1e8_plain", interpreted, sqdiff_plain, 20e8, "float32[1e8] float32[1e8]"},
    {"fuse.sqdiff_1e8_fused", interpreted, sqdiff_fused, 12e8, "float32[1e8] float32[1e8]"},
    {"fuse.sqdiff_1e8_compiled", compiled, sqdiff_fused, 12e8, "float32[1e8] float32[1e8]"},
    {"fuse.gaussian_1e8_plain", interpreted, gaussian_plain, 48e8, "float32[1e8] float32[1e8]"},
    {"fuse.gaussian_1e8_fused", interpreted, gaussian_fused, 8e8, "float32[1e8] float32[1e8]"},
    {"fuse.gaussian_1e8_compiled", compiled, gaussian_fused, 8e8, "float32[1e8] float32[1e8]"},
    {"fuse.hidden_1e8_plain", interpreted, hidden_plain, 28e8, "float32[1e8] float32[1e8]"},
    {"fuse.hidden_1e8_fused", interpreted, hidden_fused, 12e8, "float32[1e8] float32[1e8]"},
    {"fuse.hidden_1e8_compiled", compiled, hidden_fused, 12e8, "float32[1e8] float32[1e8]"},
    {"fuse.sqdiff_sum_1e8", interpreted, sqdiff_sum_fused, 8e8, "float32[1e8] float32[1e8]"},
    {"fuse.sqdiff_sum_1e8_compiled", compiled, sqdiff_sum_fused, 8e8, "float32[1e8] float32[1e8]"},
    {"fuse.sqdiff_sum_1e8_plain", interpreted, sqdiff_sum_plain, 24e8, "float32[1e8] float32[1e8]"},
    {"fuse.softmax_4096", interpreted, softmax_fused, MATRIX_BYTES, "float32[4096,4096]"},
    {"fuse.softmax_4096_compiled", compiled, softmax_fused, MATRIX_BYTES, "float32[4096,4096]"},
    {"fuse.softmax_4096_plain", interpreted, softmax_plain, 0, "float32[4096,4096]"},
    {"fuse.layernorm_4096", interpreted, layernorm_fused, MATRIX_BYTES, "float32[4096,4096]"},
    {"fuse.layernorm_4096_compiled", compiled, layernorm_fused, MATRIX_BYTES, "float32[4096,4096]"},
    {"fuse.layernorm_4096_plain", interpreted, layernorm_plain, 0, "float32[4096,4096]"},
    {0},
};
