/*
 * rows_mesh_library.c: products, transforms, orders, random numbers, scans, counts and systems over many ranks.
 */
#include "mesh.h"

/* ---- products ---------------------------------------------------------------------------------------------------- */

static void product(mesh_operands *o) {
    gnd_dist_matmul(o->x, o->y, GND_SPLIT(0));
}

/* ---- transforms ------------------------------------------------------------------------------------------------ */

static void fft(mesh_operands *o) {
    gnd_dist_fftn(o->x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(1));
}
static void fft_back(mesh_operands *o) {
    gnd_dist_fftn(o->x, GND_SCALAR, GND_ALL, GND_FFT_BACKWARD, GND_SPLIT(0));
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static void generator(mesh_operands *o) {
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
    gnd_dist_bincount(o->x, NULL, o->n);
}
static void gather(mesh_operands *o) {
    gnd_dist_take(o->x, o->y, 0, GND_RAISE);
}
static void scatter_add(mesh_operands *o) {
    gnd_dist_at("add", o->x, o->y, 0, 1);
}

/* ---- systems ---------------------------------------------------------------------------------------------------- */

/* A symmetric matrix whose diagonal is larger than the rest of its rows. */
static void definite(mesh_operands *o) {
    GND_SCOPE {
        int64_t start[2], count[2];
        gnd_dist_part(o->x, gnd_mesh_rank(o->mesh), start, count);
        const gnd_array *own =
            gnd_slice(gnd_dist_local(o->x), ":, %lld:%lld", (long long)start[0], (long long)(start[0] + count[0]));
        gnd_fill(gnd_diagonal(own, 0, 0, 1), gnd_dim(own, 1));
    }
}
static void cholesky(mesh_operands *o) {
    gnd_dist_cholesky(o->x, GND_SPLIT(0));
}

/* Poisson's equation, 4 u - the four neighbours = b: 50 steps of conjugate gradients. */
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

/* Layouts of the left and the right side: S0 or S1 (split along that axis) or R (copies). */
/* clang-format off */
#define PRODUCTS(name, dtype)                                                                                          \
    {"mm." name "_S0xR", NULL, product, dtype "[*16384,16384]/0 " dtype "[16384,16384]"},                              \
    {"mm." name "_S0xS0", NULL, product, dtype "[*16384,16384]/0 " dtype "[16384,16384]/0"},                           \
    {"mm." name "_S1xS0", NULL, product, dtype "[*16384,16384]/1 " dtype "[16384,16384]/0"}
/* clang-format on */

const mesh_row mesh_rows_library[] = {
    PRODUCTS("f32", "float32"),
    PRODUCTS("bf16", "bfloat16"),
    PRODUCTS("f64", "float64"),
    {"fft.c64_2d_16384", NULL, fft, "complex64[*16384,16384]/0"},
    {"fft.c64_2d_16384_back", NULL, fft_back, "complex64[*16384,16384]/0"},
    {"fft.c64_3d_512", NULL, fft, "complex64[*512,512,512]/0"},
    {"sort.f32_4e8", NULL, sort, "float32[*4e8]/0"},
    {"ix.gather_1e7_of_4e8", NULL, gather, "float32[*4e8]/0 int64[*1e7]/0<*4e8"},
    {"ix.scatteradd_1e7_of_4e8", NULL, scatter_add, "float32[*4e8]/0 int64[*1e7]/0<*4e8"},
    {"rng.normal_f32_4e8", generator, normal, "float32[*4e8]/0"},
    {"scan.cumsum_f32_4e8", NULL, cumsum, "float32[*4e8]/0"},
    {"hist.histogram256_4e8", NULL, histogram, "float32[*4e8]/0"},
    {"hist.bincount1000_4e8", NULL, bincount, "int64[*4e8]/0<1000 1000"},
    {"la.cholesky_f32_32768", definite, cholesky, "float32[32768,32768]/0=0.5"},
    {"la.cholesky_f64_32768", definite, cholesky, "float64[32768,32768]/0=0.5"},
    {"la.cg_poisson_1e8_50", NULL, gradients, "float32[*10000,10000]/0"},
    {NULL, NULL, NULL, NULL},
};
