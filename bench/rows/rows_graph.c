/*
 * rows_graph.c: recorded work launched again: 20 small operators, a step of conjugate gradients, and a step of the
 * network of examples/23_digits.c; each also call by call (`_calls`). `bare.graph.small_20` is a CUDA graph of 20
 * kernels that do nothing.
 */
#include "bench.h"
#ifdef GNDB_WITH_CUDA
#    include "bare_cuda.h"
#endif

static void end_graph(void *graph) {
    gnd_graph_release(graph);
}

/* Runs the work once, so that libraries have their handles, and records it. The graph keeps the arrays' memory. */
static void record(operands *o, void (*work)(operands *o)) {
    gnd_graph *g = gnd_graph_new();
    work(o);
    GND_GRAPH(g) work(o);
    o->stream = g, o->end = end_graph;
}
static void launch(operands *o) {
    gnd_graph_launch(o->stream);
}

/* ---- small operators ------------------------------------------------------------------------- */

/* As many operators, and a factor. */
static void small_calls(operands *o) {
    for (double i = 0; i < o->p[0]; i += 2) {
        gnd_add_into(o->z, o->x, o->y);
        gnd_multiply_into(o->x, o->z, o->p[1]);
    }
}
static void small(operands *o) {
    record(o, small_calls);
}

/* ---- conjugate gradients ---------------------------------------------------------------------- */

/* The solution, the residual, the direction and the residual's square, by their places in `many`. */
enum { SOLUTION, RESIDUAL, DIRECTION, SQUARE, CG_ARRAYS };

typedef struct many {
    gnd_array *a[16];
    int count;
    gnd_graph *graph;
} many;

static many arrays; /* of the row that is being timed */

static void end_many(void *graph) {
    for (int i = 0; i < arrays.count; i++) gnd_release(arrays.a[i]);
    arrays.count = 0;
    gnd_graph_release(graph);
}

static void cg_calls(operands *o) {
    gnd_array **a = arrays.a;
    GND_SCOPE {
        gnd_array *image = gnd_matmul(o->x, a[DIRECTION]);
        gnd_array *length = gnd_divide(a[SQUARE], gnd_dot(a[DIRECTION], image));
        gnd_add_into(a[SOLUTION], a[SOLUTION], gnd_multiply(length, a[DIRECTION]));
        gnd_subtract_into(a[RESIDUAL], a[RESIDUAL], gnd_multiply(length, image));
        gnd_array *square = gnd_dot(a[RESIDUAL], a[RESIDUAL]);
        gnd_array *share = gnd_divide(square, a[SQUARE]);
        gnd_add_into(a[DIRECTION], a[RESIDUAL], gnd_multiply(share, a[DIRECTION]));
        gnd_copyto(a[SQUARE], square);
    }
}
/* A matrix that is symmetric and positive: its residual never becomes 0 in the few steps that are exact. */
static void cg_arrays(operands *o) {
    const int64_t n = gnd_dim(o->x, 0);
    GND_SCOPE {
        gnd_array *even = gnd_add(o->x, gnd_transpose(o->x));
        bench_replace(&o->x, gnd_keep(gnd_add(even, gnd_multiply(gnd_eye(n, n, 0, GND_FLOAT32), (double)(2 * n)))));
        arrays.a[SOLUTION] = gnd_keep(gnd_zeros(GND_SHAPE(n), GND_FLOAT32));
        arrays.a[RESIDUAL] = gnd_keep(gnd_copy(o->y));
        arrays.a[DIRECTION] = gnd_keep(gnd_copy(o->y));
        arrays.a[SQUARE] = gnd_keep(gnd_ones(GND_SCALAR, GND_FLOAT32));
    }
    arrays.count = CG_ARRAYS;
    o->end = end_many;
}
static void cg(operands *o) {
    cg_arrays(o);
    record(o, cg_calls);
    o->end = end_many;
}

/* ---- the network ---------------------------------------------------------------------------- */

/* The rate, the momentum, and the scale of the weights. */
enum { RATE, MOMENTUM, SCALE };

/* One layer's weights and bias, and the steps that they took last, begin at `at`. */
static void descend(const operands *o, int at, const gnd_array *in, const gnd_array *d) {
    const double rate = o->p[RATE], momentum = o->p[MOMENTUM];
    gnd_array **l = arrays.a + at;
    gnd_array *gradient = gnd_matmul(gnd_transpose(in), d);
    GND_FUSE {
        gnd_array *bias_gradient = gnd_sum(d, GND_AXES(0));
        gnd_subtract_into(l[2], gnd_multiply(l[2], momentum), gnd_multiply(gradient, rate));
        gnd_subtract_into(l[3], gnd_multiply(l[3], momentum), gnd_multiply(bias_gradient, rate));
        gnd_add_into(l[0], l[0], l[2]);
        gnd_add_into(l[1], l[1], l[3]);
    }
}
static gnd_array *layer(int at, const gnd_array *x) {
    return gnd_add(gnd_matmul(x, arrays.a[at]), arrays.a[at + 1]);
}
static void mlp_calls(operands *o) {
    GND_SCOPE {
        gnd_array *hidden = NULL, *error = NULL, *back = NULL;
        GND_FUSE hidden = gnd_keep(gnd_maximum(layer(0, o->x), 0));
        GND_FUSE {
            gnd_array *scores = layer(4, hidden);
            gnd_array *powers = gnd_exp(gnd_subtract(scores, gnd_max(scores, GND_AXES_KEEP(1))));
            gnd_array *chances = gnd_divide(powers, gnd_sum(powers, GND_AXES_KEEP(1)));
            error = gnd_keep(gnd_divide(gnd_subtract(chances, o->y), (double)gnd_dim(o->x, 0)));
        }
        gnd_array *through = gnd_matmul(error, gnd_transpose(arrays.a[4]));
        GND_FUSE back = gnd_keep(gnd_where(gnd_greater(hidden, 0), through, 0));
        descend(o, 4, hidden, error);
        descend(o, 0, o->x, back);
    }
}
static void mlp_arrays(operands *o) {
    const gnd_array *const weights[2] = {o->z, o->out};
    for (int i = 0; i < 2; i++) {
        gnd_array **l = arrays.a + 4 * i;
        l[0] = gnd_multiply(weights[i], o->p[SCALE]);
        l[1] = gnd_zeros(GND_SHAPE(gnd_dim(l[0], 1)), GND_FLOAT32);
        l[2] = gnd_zeros_like(l[0], GND_DTYPE_NONE);
        l[3] = gnd_zeros_like(l[1], GND_DTYPE_NONE);
    }
    arrays.count = 8;
    o->end = end_many;
}
static void mlp(operands *o) {
    mlp_arrays(o);
    record(o, mlp_calls);
    o->end = end_many;
}

/* ---- CUDA alone ----------------------------------------------------------------------------- */

static void bare_20(operands *o) {
    (void)o;
#ifdef GNDB_WITH_CUDA
    gndb_null_graph((int)o->p[0], gnd_stream_native(NULL));
#endif
}

#define SMALL "float32[1000] float32[1000] float32[1000] =20 =0.5"
#define NETWORK "float32[32,64] float32[32,10] float32[64,96] float32[96,10] =0.05 =0.9 =0.1"

const bench_row bench_rows_graph[] = {
    {"graph.small_20", small, launch, 0, SMALL},
    {"graph.small_20_calls", NULL, small_calls, 0, SMALL},
    {"bare.graph.small_20", NULL, bare_20, 0, "=20"},
    {"graph.cg_1024", cg, launch, 0, "float32[1024,1024] float32[1024]"},
    {"graph.cg_1024_calls", cg_arrays, cg_calls, 0, "float32[1024,1024] float32[1024]"},
    {"graph.mlp_digits", mlp, launch, 0, NETWORK},
    {"graph.mlp_digits_calls", mlp_arrays, mlp_calls, 0, NETWORK},
    {0},
};
