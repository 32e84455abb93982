/*
 * cg.c: conjugate gradients over many ranks: Poisson's equation on a square, without a matrix.
 *
 *     cg [SIDE [STEPS]]
 *
 * 4 u - the four neighbours = 1 with u = 0 around the square: SIDE * SIDE unknowns, 10^8 with 10000. Each rank has some
 * rows. A function applies the matrix to a vector, for which it receives the adjacent rows from the neighbours. The
 * numbers that a step needs from all ranks stay on the GPU. The residual is checked, which waits, every fifty steps.
 */
#include "ranks.h"
#include <time.h>

/* 4 u - the four neighbours. Outside of the square are zeros. */
static gnd_dist *apply(void *context, const gnd_dist *u) {
    const int64_t one[] = {1, 1};
    const gnd_array *wide = gnd_dist_halo(u, one, one, GND_HALO_ZERO), *here = gnd_slice(wide, "1:-1, 1:-1");
    const gnd_array *left = gnd_slice(wide, "1:-1, :-2"), *right = gnd_slice(wide, "1:-1, 2:");
    const gnd_array *above = gnd_slice(wide, ":-2, 1:-1"), *below = gnd_slice(wide, "2:, 1:-1");
    gnd_array *made = NULL;
    (void)context;
    GND_FUSE {
        gnd_array *four = gnd_add(gnd_add(left, right), gnd_add(above, below));
        made = gnd_keep(gnd_subtract(gnd_multiply(here, 4), four));
    }
    return gnd_dist_like(u, made, GND_FLOAT64);
}

static int program(gnd_mesh *mesh, int argc, char **argv) {
    const int64_t side = argc > 1 ? atoll(argv[1]) : 256, most = argc > 2 ? atoll(argv[2]) : 2000;
    bool good = false;
    GND_SCOPE {
        const gnd_dist *b = gnd_dist_full(mesh, GND_SHAPE(side, side), 1, GND_FLOAT64, GND_SPLIT(0));
        const gnd_dist_cg_options options = {.rtol = 1e-8, .iterations = most, .check = 50};
        gnd_dist_cg_result done = {0};
        struct timespec start, end;
        gnd_mesh_barrier(mesh);
        timespec_get(&start, TIME_UTC);
        const gnd_dist *x = gnd_dist_cg(apply, NULL, b, &options, &done);
        gnd_mesh_barrier(mesh);
        timespec_get(&end, TIME_UTC);
        const double took = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        const gnd_dist *rest = gnd_dist_subtract(b, apply(NULL, x));
        const gnd_dist_reduce_options order = {.order = 2};
        const double norm = gnd_dist_item_double(gnd_dist_reduce("norm", rest, GND_ALL, GND_COPIES, &order));
        const double residual = norm / (double)side;
        good = residual < (done.converged ? 2e-8 : 1);
        if (gnd_mesh_rank(mesh) == 0 && !gnd_error())
            printf("%lld unknowns on %d ranks: %lld steps of %.3f ms, the residual is %.1e of the right side%s\n",
                   (long long)(side * side), gnd_mesh_size(mesh), (long long)done.iterations,
                   1e3 * took / (double)(done.iterations > 0 ? done.iterations : 1), residual, good ? "" : ": wrong");
    }
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    return run_on_ranks(argc, argv, program);
}
