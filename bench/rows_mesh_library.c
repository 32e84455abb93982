/*
 * rows_mesh_library.c: products, transforms, orders, random numbers, scans, counts and systems over many ranks.
 */
#include "mesh.h"

/* ---- products: layouts of the left and the right side, S0 or S1 (split along that axis) or R (copies) ----------- */

static void sides(mesh_operands *o, gnd_dtype dtype, gnd_layout left, gnd_layout right) {
    const int64_t n = mesh_size(o->n);
    o->x = mesh_random(o->mesh, GND_SHAPE(o->times * n, n), dtype, left);
    o->y = mesh_random(o->mesh, GND_SHAPE(n, n), dtype, right);
}
static void product(mesh_operands *o) {
    gnd_dist_matmul(o->x, o->y, GND_SPLIT(0));
}
#define SIDES(name, dtype)                                                                                             \
    static void name##_S0xR(mesh_operands *o) {                                                                        \
        sides(o, dtype, GND_SPLIT(0), GND_COPIES);                                                                     \
    }                                                                                                                  \
    static void name##_S0xS0(mesh_operands *o) {                                                                       \
        sides(o, dtype, GND_SPLIT(0), GND_SPLIT(0));                                                                   \
    }                                                                                                                  \
    static void name##_S1xS0(mesh_operands *o) {                                                                       \
        sides(o, dtype, GND_SPLIT(1), GND_SPLIT(0));                                                                   \
    }
SIDES(f32, GND_FLOAT32)
SIDES(bf16, GND_BFLOAT16)
SIDES(f64, GND_FLOAT64)

/* ---- transforms ------------------------------------------------------------------------------------------------ */

static void square(mesh_operands *o) {
    const int64_t n = mesh_size(o->n);
    o->x = mesh_random(o->mesh, GND_SHAPE(o->times * n, n), GND_COMPLEX64, GND_SPLIT(0));
}
static void cube(mesh_operands *o) {
    const int64_t n = mesh_size(o->n);
    o->x = mesh_random(o->mesh, GND_SHAPE(o->times * n, n, n), GND_COMPLEX64, GND_SPLIT(0));
}
static void fft(mesh_operands *o) {
    gnd_dist_fftn(o->x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(1));
}
static void fft_back(mesh_operands *o) {
    gnd_dist_fftn(o->x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(0));
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void line(mesh_operands *o) {
    o->x = mesh_random(o->mesh, GND_SHAPE(o->times * mesh_size(o->n)), GND_FLOAT32, GND_SPLIT(0));
}
/* Whole numbers from 0 to `below` - 1. */
static gnd_dist *integers(mesh_operands *o, int64_t length, int64_t below) {
    gnd_dist *x = gnd_dist_empty(o->mesh, GND_SHAPE(length), GND_INT64, GND_SPLIT(0));
    gnd_random *g = gnd_random_new(GND_PHILOX, 11);
    gnd_dist_random_fill(g, x, "integers", GND_DIST_ARGS(0, below));
    gnd_random_release(g);
    return x;
}
static void line_and_places(mesh_operands *o) {
    line(o);
    o->y = integers(o, o->times * mesh_size(10000000), gnd_dist_size(o->x));
}
static void counters(mesh_operands *o) {
    o->x = integers(o, o->times * mesh_size(o->n), 1000);
}
static void generator(mesh_operands *o) {
    line(o);
    o->g = gnd_random_new(GND_PHILOX, 5);
}

static void normal(mesh_operands *o) {
    gnd_dist_random_fill(o->g, o->x, "standard_normal", 0, NULL);
}
static void sort(mesh_operands *o) {
    gnd_dist_sort(o->x, 0, GND_ASCENDING);
}
static void cumsum(mesh_operands *o) {
    gnd_dist_cumsum(o->x, GND_AXES(0));
}
static void histogram(mesh_operands *o) {
    const gnd_dist_histogram_options options = {.range = (double[]){0, 1}};
    gnd_dist_histogram(o->x, 256, &options, NULL);
}
static void bincount(mesh_operands *o) {
    gnd_dist_bincount(o->x, NULL, 1000);
}
static void gather(mesh_operands *o) {
    gnd_dist_take(o->x, o->y, 0, GND_RAISE);
}
static void scatter_add(mesh_operands *o) {
    gnd_dist_at("add", o->x, o->y, 0, 1);
}

/* ---- systems ---------------------------------------------------------------------------------------------------- */

/* A symmetric matrix whose diagonal is larger than the rest of its rows. */
static void definite(mesh_operands *o, gnd_dtype dtype) {
    const int64_t n = mesh_size(o->n);
    o->x = gnd_dist_full(o->mesh, GND_SHAPE(n, n), 0.5, dtype, GND_SPLIT(0));
    GND_SCOPE {
        int64_t start[2], count[2];
        gnd_dist_part(o->x, gnd_mesh_rank(o->mesh), start, count);
        const gnd_array *own =
            gnd_slice(gnd_dist_local(o->x), ":, %lld:%lld", (long long)start[0], (long long)(start[0] + count[0]));
        gnd_fill(gnd_diagonal(own, 0, 0, 1), n);
    }
}
static void definite_f32(mesh_operands *o) {
    definite(o, GND_FLOAT32);
}
static void definite_f64(mesh_operands *o) {
    definite(o, GND_FLOAT64);
}
static void cholesky(mesh_operands *o) {
    gnd_dist_cholesky(o->x, GND_SPLIT(0));
}

/* Poisson's equation, 4 u - the four neighbours = b: 50 steps of conjugate gradients. */
static void poisson(mesh_operands *o) {
    const int64_t n = mesh_size(o->n);
    o->x = mesh_random(o->mesh, GND_SHAPE(o->times * n, n), GND_FLOAT32, GND_SPLIT(0));
}
static gnd_dist *neighbours(void *context, const gnd_dist *u) {
    const int64_t one[] = {1, 1};
    const gnd_array *wide = gnd_dist_halo(u, one, one, GND_HALO_ZERO), *here = gnd_dist_local(u);
    const gnd_array *left = gnd_slice(wide, "1:-1, :-2"), *right = gnd_slice(wide, "1:-1, 2:");
    const gnd_array *above = gnd_slice(wide, ":-2, 1:-1"), *below = gnd_slice(wide, "2:, 1:-1");
    gnd_array *made = NULL;
    (void)context;
    GND_FUSE {
        gnd_array *four = gnd_add(gnd_add(left, right), gnd_add(above, below));
        made = gnd_keep(gnd_subtract(gnd_multiply(here, 4), four));
    }
    return gnd_dist_like(u, made, GND_FLOAT32);
}
static void gradients(mesh_operands *o) {
    const gnd_dist_cg_options options = {.rtol = -1, .iterations = 50, .check = 50};
    gnd_dist_cg(neighbours, NULL, o->x, &options, NULL);
}

const mesh_row mesh_rows_library[] = {
    {"mm.f32_S0xR", f32_S0xR, product, 16384, false},
    {"mm.f32_S0xS0", f32_S0xS0, product, 16384, false},
    {"mm.f32_S1xS0", f32_S1xS0, product, 16384, false},
    {"mm.bf16_S0xR", bf16_S0xR, product, 16384, false},
    {"mm.bf16_S0xS0", bf16_S0xS0, product, 16384, false},
    {"mm.bf16_S1xS0", bf16_S1xS0, product, 16384, false},
    {"mm.f64_S0xR", f64_S0xR, product, 16384, false},
    {"mm.f64_S0xS0", f64_S0xS0, product, 16384, false},
    {"mm.f64_S1xS0", f64_S1xS0, product, 16384, false},
    {"fft.c64_2d_16384", square, fft, 16384, false},
    {"fft.c64_2d_16384_back", square, fft_back, 16384, false},
    {"fft.c64_3d_512", cube, fft, 512, false},
    {"sort.f32_4e8", line, sort, 400000000, false},
    {"ix.gather_1e7_of_4e8", line_and_places, gather, 400000000, false},
    {"ix.scatteradd_1e7_of_4e8", line_and_places, scatter_add, 400000000, false},
    {"rng.normal_f32_4e8", generator, normal, 400000000, false},
    {"scan.cumsum_f32_4e8", line, cumsum, 400000000, false},
    {"hist.histogram256_4e8", line, histogram, 400000000, false},
    {"hist.bincount1000_4e8", counters, bincount, 400000000, false},
    {"la.cholesky_f32_32768", definite_f32, cholesky, 32768, true},
    {"la.cholesky_f64_32768", definite_f64, cholesky, 32768, true},
    {"la.cg_poisson_1e8_50", poisson, gradients, 10000, false},
    {NULL, NULL, NULL, 0, true},
};
