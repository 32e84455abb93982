/*
 * rows_mesh.c: work over many ranks, by the names of one GPU's rows where they are the same.
 */
#include "mesh.h"

/* ---- operators and reductions -------------------------------------------------------------------------------- */

static void add(mesh_operands *o) {
    gnd_dist_add(o->x, o->y);
}
static void sum(mesh_operands *o) {
    gnd_dist_sum(o->x, GND_ALL, GND_COPIES);
}
static void sum_axis0(mesh_operands *o) {
    gnd_dist_sum(o->x, GND_AXES(0), GND_COPIES);
}
static void sum_axis1(mesh_operands *o) {
    gnd_dist_sum(o->x, GND_AXES(1), GND_SPLIT(0));
}
static void mean_and_variance(mesh_operands *o) {
    gnd_dist_mean(o->x, GND_ALL, GND_COPIES), gnd_dist_var(o->x, GND_ALL, GND_COPIES);
}

/* Each rank has a part of every row. */
static void softmax(mesh_operands *o) {
    gnd_dist_softmax(o->x, GND_AXES(1));
}

/* ---- a stencil of five points, 100 steps ---------------------------------------------------------------------- */

/* A field, a and b, has a row of zeros at either end; x becomes a split array of every rank's first and last
   row. */
static void field(mesh_operands *o) {
    GND_SCOPE {
        gnd_dist *whole = o->x;
        const gnd_array *inner = gnd_dist_local(whole);
        const int64_t n = gnd_dim(inner, 1);
        o->a = gnd_keep(gnd_zeros(GND_SHAPE(gnd_dim(inner, 0) + 2, n), GND_FLOAT32));
        gnd_copyto(gnd_slice(o->a, "1:-1, 1:-1"), gnd_slice(inner, ":, 1:-1"));
        o->b = gnd_keep(gnd_copy(o->a));
        o->x =
            gnd_dist_keep(gnd_dist_empty(o->mesh, GND_SHAPE(2 * gnd_mesh_size(o->mesh), n), GND_FLOAT32, GND_SPLIT(0)));
        gnd_dist_release(whole);
    }
    o->stream = gnd_stream_new_high_priority();
}

/* to[low:high] from the rows around it. */
static void relax(gnd_array *to, const gnd_array *from, int64_t low, int64_t high) {
    const gnd_array *up = gnd_slice(from, "%lld:%lld", (long long)low - 1, (long long)high - 1);
    const gnd_array *down = gnd_slice(from, "%lld:%lld", (long long)low + 1, (long long)high + 1);
    const gnd_array *here = gnd_slice(from, "%lld:%lld", (long long)low, (long long)high);
    gnd_array *out = gnd_slice(to, "%lld:%lld, 1:-1", (long long)low, (long long)high);
    GND_FUSE {
        gnd_array *across = gnd_add(gnd_slice(here, ":, 2:"), gnd_slice(here, ":, :-2"));
        gnd_array *all = gnd_add(gnd_add(across, gnd_slice(up, ":, 1:-1")), gnd_slice(down, ":, 1:-1"));
        gnd_copyto(out, gnd_multiply(all, 0.25));
    }
}

/* Row i of `to` from three rows. */
static void relax_row(gnd_array *to, int64_t i, const gnd_array *up, const gnd_array *here, const gnd_array *down) {
    gnd_array *out = gnd_slice(to, "%lld, 1:-1", (long long)i);
    GND_FUSE {
        gnd_array *across = gnd_add(gnd_slice(here, "2:"), gnd_slice(here, ":-2"));
        gnd_array *all = gnd_add(gnd_add(across, gnd_slice(up, "1:-1")), gnd_slice(down, "1:-1"));
        gnd_copyto(out, gnd_multiply(all, 0.25));
    }
}
static gnd_array *row(const gnd_array *rows, int64_t i) {
    return gnd_slice(rows, "%lld", (long long)i);
}

/* `around` has the first and the last row, with a neighbour's row at either end. */
static void relax_rims(gnd_array *to, const gnd_array *from, const gnd_array *around) {
    const int64_t last = gnd_dim(from, 0) - 2;
    relax_row(to, 1, row(around, 0), row(around, 1), row(from, 2));
    relax_row(to, last, row(from, last - 1), row(around, 2), row(around, 3));
}

/* The rows of the neighbours travel on a stream of their own while the inner rows are computed. */
static void step(mesh_operands *o, gnd_array *to, gnd_array *from) {
    const int64_t last = gnd_dim(from, 0) - 2;
    gnd_array *around = NULL;
    if (gnd_mesh_size(o->mesh) == 1) {
        relax(to, from, 1, last + 1);
        return;
    }
    GND_STREAM(o->stream) {
        gnd_array *rims = gnd_slice(from, "1:%lld:%lld", (long long)last + 1, (long long)(last > 1 ? last - 1 : 1));
        around =
            gnd_dist_halo(gnd_dist_like(o->x, rims, GND_FLOAT32), (int64_t[]){1, 0}, (int64_t[]){1, 0}, GND_HALO_ZERO);
    }
    relax(to, from, 2, last);
    relax_rims(to, from, around);
}
static void hundred_steps(mesh_operands *o) {
    for (int k = 0; k < 100; k++) {
        GND_SCOPE {
            step(o, k % 2 ? o->a : o->b, k % 2 ? o->b : o->a);
        }
    }
}

const mesh_row mesh_rows[] = {
    {"ew.add_f32_2e8", NULL, add, "float32[*2e8]/0 float32[*2e8]/0"},
    {"red.sum_f32_2e8", NULL, sum, "float32[*2e8]/0"},
    {"red.sum_f32_1e9", NULL, sum, "float32[*1e9]/0"},
    {"red.sum_axis0_20000x10000", NULL, sum_axis0, "float32[*20000,10000]/0"},
    {"red.sum_axis1_20000x10000", NULL, sum_axis1, "float32[*20000,10000]/0"},
    {"red.meanvar_f32_4e8", NULL, mean_and_variance, "float32[*4e8]/0"},
    {"red.softmax_4096x1e5_across", NULL, softmax, "float32[4096,*1e5]/1"},
    {"stencil.5pt_32768_100", field, hundred_steps, "float32[*32768,32768]/0"},
    {NULL, NULL, NULL, NULL},
};
