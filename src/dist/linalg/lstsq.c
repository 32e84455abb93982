/*
 * lstsq.c: least squares of a split matrix by gnd's own functions: a tree of QR factorizations with one level (Demmel
 * et al., "Communication-optimal parallel and sequential QR and LU factorizations", 2012). Each rank factors its rows
 * of [a b]; the first rows of the triangles have the same least squares solution, which every rank computes.
 */
#include "dist/linalg/solve.h"

/* This rank's rows of a, with those of b beside them. Collective. */
static gnd_array *rows_of(const gnd_dist *a, const gnd_dist *b, gnd_mesh *row, const char *fn) {
    const int64_t m = a->shape.dim[0], n = a->shape.dim[1], k = b->shape.dim[1];
    gnd_dist *left = gndi_dist_new(row, fn, a->shape, a->dtype, (gndi_layout){{0, -1}, {NULL, NULL}});
    gnd_dist *right = gndi_dist_new(row, fn, b->shape, b->dtype, (gndi_layout){{0, -1}, {NULL, NULL}});
    gnd_array *both = NULL;
    if (left && right) {
        const int place = gnd_mesh_rank(row), ranks = gnd_mesh_size(row);
        const int64_t height = gndi_even_cut(m, ranks, place + 1) - gndi_even_cut(m, ranks, place);
        both = gnd_empty(GND_SHAPE(height, n + k), a->dtype);
        gnd_array *of_a = gnd_slice(both, ":, :%lld", (long long)n), *of_b = gnd_slice(both, ":, %lld:", (long long)n);
        const gnd_status first = gndi_dist_move_block(a, a->local, left, of_a, fn);
        const gnd_status second = gndi_dist_move_block(b, b->local, right, of_b, fn);
        if (first || second || !a->local || !b->local || !of_a || !of_b) both = NULL;
    }
    gnd_dist_release(left), gnd_dist_release(right);
    return both;
}

/* The first n rows of the triangle of `both`, or its rows if there are no more, with zeros below. */
static gnd_array *triangle_of(const gnd_array *both, int64_t n, int64_t k, gnd_dtype dtype) {
    gnd_array *r = NULL, *to = gnd_zeros(GND_SHAPE(n, n + k), dtype);
    if (!both || !to) return NULL;
    if (gnd_dim(both, 0) > n) {
        if (gnd_qr(NULL, &r, both, GND_QR_R) != GND_OK) return NULL;
    } else {
        r = (gnd_array *)both;
    }
    r = gnd_slice(r, ":%lld", (long long)n);
    const gnd_status status = r ? gnd_copyto(gnd_slice(to, ":%lld", (long long)gnd_dim(r, 0)), r) : gnd_error()->code;
    return status == GND_OK ? to : NULL;
}

gnd_array *gndi_lstsq_rows(const gnd_dist *a, const gnd_dist *b, const gnd_dist *y, const char *fn) {
    gnd_mesh *row = a->mesh->row ? a->mesh->row : a->mesh;
    const int64_t n = a->shape.dim[1], k = b->shape.dim[1];
    const gnd_array *own = triangle_of(rows_of(a, b, row, fn), n, k, a->dtype);
    gnd_array *all = gndi_mesh_all_gather(row, fn, own, GND_SHAPE(n, n + k), a->dtype), *x = NULL;
    all = gnd_reshape(all, GND_SHAPE(n * gnd_mesh_size(row), n + k));
    if (!all) return NULL;
    const gnd_array *left = gnd_slice(all, ":, :%lld", (long long)n), *right = gnd_slice(all, ":, %lld:", (long long)n);
    const bool strict = gnd_linalg_strict(true);
    gnd_lstsq(&x, NULL, NULL, NULL, left, right, &(gnd_lstsq_options){.method = GND_LSTSQ_QR});
    gnd_linalg_strict(strict);
    gndi_box box;
    gndi_box_of(y, gnd_mesh_rank(y->mesh), &box);
    return gnd_copy(gndi_box_view(x, 2, &box, NULL));
}
