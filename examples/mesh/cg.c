/*
 * cg.c: conjugate gradients over many ranks: Poisson's equation on a square, without a matrix.
 *
 *     cg [SIDE [STEPS]]
 *
 * 4 u - the four neighbours = 1 with u = 0 around the square: SIDE * SIDE unknowns, 10^8 of them with 10000. Each rank has
 * some rows. A step needs the rows beside them, once, and two dot products; their results, and what is made of them, are
 * arrays of one element that never leave the GPU: the host only queues. It looks at the residual every fifty steps.
 */
#include "ranks.h"
#include <math.h>
#include <time.h>

typedef struct poisson {
    gnd_mesh *mesh;
    gnd_dist *unknowns; /* how the unknowns lie */
    gnd_dist *parts;    /* one element of each rank, for dot products */
} poisson;

/* A x for a block of x. Its rows beside come from the neighbours; outside of the square are zeros. */
static gnd_array *apply(const poisson *s, gnd_array *x) {
    const int64_t one[] = {1, 1};
    const gnd_array *wide = gnd_dist_halo(gnd_dist_like(s->unknowns, x, GND_FLOAT64), one, one, GND_HALO_ZERO);
    const gnd_array *left = gnd_slice(wide, "1:-1, :-2"), *right = gnd_slice(wide, "1:-1, 2:");
    const gnd_array *above = gnd_slice(wide, ":-2, 1:-1"), *below = gnd_slice(wide, "2:, 1:-1");
    gnd_array *made = NULL;
    GND_FUSE {
        gnd_array *four = gnd_add(gnd_add(left, right), gnd_add(above, below));
        made = gnd_keep(gnd_subtract(gnd_multiply(x, 4), four));
    }
    return made;
}

/* The dot product over all ranks, an array of one element on each. */
static gnd_array *dot(const poisson *s, const gnd_array *x, const gnd_array *y) {
    gnd_array *own = NULL;
    GND_FUSE {
        own = gnd_keep(gnd_sum(gnd_multiply(x, y), GND_ALL));
    }
    const gnd_dist *all = gnd_dist_like(s->parts, gnd_reshape(own, GND_SHAPE(1)), GND_FLOAT64);
    return gnd_dist_local(gnd_dist_sum(all, GND_ALL, GND_COPIES));
}

/* The steps that it took until the residual is 1e-8 of what it was, `steps` at most; x begins as zeros. */
static int solve(const poisson *s, gnd_array *x, const gnd_array *b, int steps) {
    gnd_array *r = gnd_copy(b), *p = gnd_copy(b), *rr = dot(s, r, r);
    const double enough = 1e-16 * gnd_item_double(rr);
    for (int k = 0; k < steps; k++) {
        if (k % 50 == 0 && !(gnd_item_double(rr) > enough)) return k;
        GND_SCOPE {
            const gnd_array *q = apply(s, p), *alpha = gnd_divide(rr, dot(s, p, q));
            GND_FUSE {
                gnd_copyto(x, gnd_add(x, gnd_multiply(alpha, p)));
                gnd_copyto(r, gnd_subtract(r, gnd_multiply(alpha, q)));
            }
            const gnd_array *next = dot(s, r, r);
            GND_FUSE {
                gnd_copyto(p, gnd_add(r, gnd_multiply(gnd_divide(next, rr), p)));
            }
            gnd_copyto(rr, next);
        }
    }
    return steps;
}

static int program(gnd_mesh *mesh, int argc, char **argv) {
    const int64_t side = argc > 1 ? atoll(argv[1]) : 256;
    const int most = argc > 2 ? atoi(argv[2]) : 2000;
    bool good = false;
    GND_SCOPE {
        const poisson s = {mesh, gnd_dist_empty(mesh, GND_SHAPE(side, side), GND_FLOAT64, GND_SPLIT(0)),
                           gnd_dist_empty(mesh, GND_SHAPE(gnd_mesh_size(mesh)), GND_FLOAT64, GND_SPLIT(0))};
        gnd_array *b = gnd_ones_like(gnd_dist_local(s.unknowns), GND_DTYPE_NONE), *x = gnd_multiply(b, 0);
        struct timespec start, end;
        gnd_mesh_barrier(mesh);
        timespec_get(&start, TIME_UTC);
        const int steps = solve(&s, x, b, most);
        gnd_mesh_barrier(mesh);
        timespec_get(&end, TIME_UTC);
        const double took = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
        gnd_array *rest = gnd_subtract(b, apply(&s, x));
        const double residual = sqrt(gnd_item_double(dot(&s, rest, rest))) / (double)side;
        good = steps < most ? residual < 1e-7 : residual < 1;
        if (gnd_mesh_rank(mesh) == 0 && !gnd_error())
            printf("%lld unknowns on %d ranks: %d steps of %.3f ms, the residual is %.1e of the right side%s\n",
                   (long long)(side * side), gnd_mesh_size(mesh), steps, 1e3 * took / (steps > 0 ? steps : 1), residual,
                   good ? "" : ": wrong");
    }
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    return run_on_ranks(argc, argv, program);
}
