/*
 * heat.c: the heat equation on a square, over many ranks: u + r (the four neighbours - 4 u), again and again.
 *
 *     heat [SIDE [STEPS]]
 *
 * Each rank has some rows of the square, and one row of each neighbour above and below them. In each step these rows
 * are sent on a stream of their own, while the rows that do not need them are computed; then the first and the last row
 * follow. gnd orders the two streams by the arrays that they use.
 *
 * The heat begins as sin(pi x) sin(pi y), which a step multiplies by a constant: so the program knows the result.
 */
#include "ranks.h"
#include <math.h>
#include <time.h>

static const double rate = 0.2, pi = 3.14159265358979323846;

typedef struct square {
    gnd_mesh *mesh;
    gnd_array *now, *next; /* rows + 2, side + 2: a row of each neighbour's, and the sides, which stay 0 */
    gnd_dist *rims;        /* everyone's first and last row: (2 ranks, side + 2), split along axis 0 */
    gnd_stream *travel;
} square;

/* sin(pi k / (side + 1)) for k = start, ..., start + count - 1. */
static gnd_array *wave(int64_t side, int64_t start, int64_t count) {
    const gnd_array *k = gnd_arange(start, start + count, 1, GND_FLOAT64);
    return gnd_astype(gnd_sin(gnd_multiply(k, pi / (double)(side + 1))), GND_FLOAT32);
}

static void begin(square *s, gnd_mesh *mesh, int64_t side) {
    s->mesh = mesh, s->travel = gnd_stream_new();
    GND_SCOPE {
        int64_t start, rows;
        gnd_dist_part(gnd_dist_empty(mesh, GND_SHAPE(side), GND_INT8, GND_SPLIT(0)), gnd_mesh_rank(mesh), &start,
                      &rows);
        gnd_array *down = gnd_reshape(wave(side, start, rows + 2), GND_SHAPE(-1, 1));
        s->now = gnd_keep(gnd_multiply(down, wave(side, 0, side + 2)));
        s->next = gnd_keep(gnd_copy(s->now));
        const gnd_shape shape = GND_SHAPE(2 * gnd_mesh_size(mesh), side + 2);
        s->rims = gnd_dist_keep(gnd_dist_empty(mesh, shape, GND_FLOAT32, GND_SPLIT(0)));
    }
}

/* The rows `low` to `high` - 1 of the next step, in one launch. */
static void advance(square *s, int64_t low, int64_t high) {
    const gnd_array *around = gnd_slice(s->now, "%lld:%lld", (long long)low - 1, (long long)high + 1);
    gnd_array *out = gnd_slice(s->next, "%lld:%lld, 1:-1", (long long)low, (long long)high);
    const gnd_array *here = gnd_slice(around, "1:-1, 1:-1");
    const gnd_array *left = gnd_slice(around, "1:-1, :-2"), *right = gnd_slice(around, "1:-1, 2:");
    const gnd_array *above = gnd_slice(around, ":-2, 1:-1"), *below = gnd_slice(around, "2:, 1:-1");
    GND_FUSE {
        gnd_array *four = gnd_add(gnd_add(left, right), gnd_add(above, below));
        gnd_copyto(out, gnd_add(here, gnd_multiply(gnd_subtract(four, gnd_multiply(here, 4)), rate)));
    }
}

static void step(square *s) {
    const int64_t last = gnd_dim(s->now, 0) - 2, one[] = {1, 0};
    gnd_array *all = NULL; /* the row above, the first, the last, the row below */
    GND_STREAM(s->travel) {
        gnd_array *own = gnd_slice(s->now, "1:%lld:%lld", (long long)last + 1, (long long)last - 1);
        all = gnd_dist_halo(gnd_dist_like(s->rims, own, GND_FLOAT32), one, one, GND_HALO_ZERO);
    }
    advance(s, 2, last);
    gnd_copyto(gnd_slice(s->now, "::%lld", (long long)last + 1), gnd_slice(all, "::3"));
    advance(s, 1, 2), advance(s, last, last + 1);
    gnd_array *done = s->next;
    s->next = s->now, s->now = done;
}

/* The sum over all ranks. */
static double heat(const square *s) {
    gnd_array *inner = gnd_slice(s->now, "1:-1, 1:-1");
    const gnd_dist *whole = gnd_dist_from_local(s->mesh, inner, GND_SPLIT(0));
    gnd_axes all = GND_ALL;
    all.dtype = GND_FLOAT64;
    return gnd_dist_item_double(gnd_dist_sum(whole, all, GND_COPIES));
}

static double seconds(void) {
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int program(gnd_mesh *mesh, int argc, char **argv) {
    const int64_t side = argc > 1 ? atoll(argv[1]) : 1024;
    const int steps = argc > 2 ? atoi(argv[2]) : 100;
    square s = {0};
    double before = 0, after = 0, took = 0;
    if (side < 2 * gnd_mesh_size(mesh)) {
        fprintf(stderr, "heat: each rank needs two rows: %lld are too few\n", (long long)side);
        return 1;
    }
    begin(&s, mesh, side);
    GND_SCOPE {
        before = heat(&s);
        gnd_mesh_barrier(mesh);
        const double start = seconds();
        for (int k = 0; k < steps; k++) {
            GND_SCOPE {
                step(&s);
            }
        }
        gnd_mesh_barrier(mesh);
        took = seconds() - start;
        after = heat(&s);
    }
    const double factor = pow(1 - 4 * rate * (1 - cos(pi / (double)(side + 1))), steps);
    const bool good = fabs(after - factor * before) <= 1e-4 * before;
    if (gnd_mesh_rank(mesh) == 0 && !gnd_error())
        printf("%lld x %lld points, %d steps on %d ranks: %.3f ms a step, %.6f of the heat is left, by the formula "
               "%.6f%s\n",
               (long long)side, (long long)side, steps, gnd_mesh_size(mesh), 1e3 * took / steps, after / before, factor,
               good ? "" : ": wrong");
    gnd_release(s.now), gnd_release(s.next), gnd_dist_release(s.rims), gnd_stream_release(s.travel);
    return good ? 0 : 1;
}

int main(int argc, char **argv) {
    return run_on_ranks(argc, argv, program);
}
