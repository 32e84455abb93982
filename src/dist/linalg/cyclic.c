/*
 * cyclic.c: dealing out a matrix in blocks, and back. Rows come to whole rounds of the grid first; then the matrix is
 * one of six axes (round, row of the grid, row, round, column of the grid, column), of which the grid's are split.
 */
#include "dist/linalg/cyclic.h"

gnd_mesh *gndi_cyclic_grid(gnd_mesh *mesh) {
    return mesh->square ? mesh->square : mesh;
}

static gnd_mesh *row_of(const gnd_dist *x) {
    return x->mesh->row ? x->mesh->row : x->mesh;
}

/* Rows in whole rounds: what of the matrix a rank has then. */
static gnd_dist *in_rounds(const gndi_cyclic *c, gnd_mesh *row, int64_t rows, gnd_dtype dtype, const char *fn) {
    const int ranks = gnd_mesh_size(row);
    const gndi_layout layout = {{0, -1}, {row->link->numbers, NULL}};
    for (int r = 0; r <= ranks; r++) {
        const int64_t cut = gndi_even_cut(c->rounds[0], ranks, r) * c->grid->grid[0] * c->block;
        row->link->numbers[r] = cut < rows ? cut : rows;
    }
    return gndi_dist_new(row, fn, (gnd_shape){.ndim = 2, .dim = {rows, c->n}}, dtype, layout);
}

static gnd_shape six_axes(const gndi_cyclic *c) {
    return (gnd_shape){.ndim = 6,
                       .dim = {c->rounds[0], c->grid->grid[0], c->block, c->rounds[1], c->grid->grid[1], c->block}};
}

/* The two descriptions of the array of six axes: split by rounds, and by the grid. False if the mesh is given up. */
static bool descriptions(const gndi_cyclic *c, gnd_mesh *row, gnd_dtype dtype, gnd_dist **rounds, gnd_dist **dealt,
                         const char *fn) {
    *rounds = gndi_dist_new(row, fn, six_axes(c), dtype, (gndi_layout){{0, -1}, {NULL, NULL}});
    *dealt = gndi_dist_new(c->grid, fn, six_axes(c), dtype, (gndi_layout){{1, 4}, {NULL, NULL}});
    return *rounds && *dealt;
}

/* The rank's matrix by columns, as a part of the array of six axes. */
static gnd_array *as_dealt(const gndi_cyclic *c) {
    const gnd_shape by_columns = {.ndim = 6, .dim = {c->rounds[1], 1, c->block, c->rounds[0], 1, c->block}};
    return c->store ? gnd_permute(gnd_reshape(c->store, by_columns), GND_AXES(3, 4, 5, 0, 1, 2)) : NULL;
}

/* The rows of this rank, with room for whole rounds in both directions; *view is the matrix in it. */
static gnd_array *rows_with_room(const gndi_cyclic *c, const gnd_dist *rows, const gnd_dist *rounds, gnd_array **view) {
    const gnd_shape six = gndi_dist_local_shape(rounds), here = gndi_dist_local_shape(rows);
    gnd_array *a =
        gnd_empty(GND_SHAPE(six.dim[0] * six.dim[1] * six.dim[2], six.dim[3] * six.dim[4] * six.dim[5]), rows->dtype);
    *view = a ? gnd_slice(a, ":%lld, :%lld", (long long)here.dim[0], (long long)c->n) : NULL;
    return a;
}

/* Whether an array's blocks are whole rounds already, on all ranks. */
static bool is_in_rounds(const gndi_cyclic *c, const gnd_dist *x, const gnd_dist *rows) {
    const int64_t *length = x->shape.dim;
    return length[0] == c->rounds[0] * c->grid->grid[0] * c->block &&
           length[1] == c->rounds[1] * c->grid->grid[1] * c->block && gndi_dist_stays(x, rows) &&
           gndi_dist_stays(rows, x);
}

/* Into whole rounds, as an array of six axes. */
static gnd_array *to_rounds(const gndi_cyclic *c, const gnd_dist *x, const gnd_dist *rows, const gnd_dist *rounds,
                            const char *fn) {
    gnd_array *view, *a;
    if (is_in_rounds(c, x, rows)) {
        a = gndi_dist_block_here(x, x->local, rows);
    } else {
        a = rows_with_room(c, rows, rounds, &view);
        if (gndi_dist_move_block(x, x->local, rows, view, fn) != GND_OK || !x->local) a = NULL;
    }
    return a ? gnd_reshape(a, gndi_dist_local_shape(rounds)) : NULL;
}

gndi_cyclic gndi_cyclic_from(const gnd_dist *x, int64_t block, const char *fn) {
    gndi_cyclic c = {.grid = gndi_cyclic_grid(x->mesh), .m = x->shape.dim[0], .n = x->shape.dim[1], .block = block};
    for (int k = 0; k < 2; k++) {
        const int64_t round = c.grid->grid[k] * block;
        c.rounds[k] = (x->shape.dim[k] + round - 1) / round;
    }
    gnd_mesh *row = row_of(x);
    gnd_dist *rounds, *dealt, *rows = in_rounds(&c, row, c.m, x->dtype, fn);
    if (rows && descriptions(&c, row, x->dtype, &rounds, &dealt, fn)) {
        c.store = gnd_empty(GND_SHAPE(c.rounds[1], block, c.rounds[0], block), x->dtype);
        gnd_status status = GND_OK;
        GND_SCOPE {
            const gnd_array *six = to_rounds(&c, x, rows, rounds, fn);
            gnd_array *to = as_dealt(&c);
            status = gndi_dist_move_block(rounds, six, dealt, to, fn);
            if (!six || !to) status = GND_ERROR_MEMORY;
        }
        if (status != GND_OK) gnd_release(c.store), c.store = NULL;
        gnd_dist_release(rounds), gnd_dist_release(dealt);
    }
    gnd_dist_release(rows);
    return c;
}

gnd_array *gndi_cyclic_to(const gndi_cyclic *c, const gnd_dist *to, const char *fn) {
    gnd_mesh *row = row_of(to);
    gnd_dist *rounds, *dealt, *rows = in_rounds(c, row, to->shape.dim[0], to->dtype, fn);
    gnd_array *local = gnd_empty(gndi_dist_local_shape(to), to->dtype);
    bool good = false;
    if (rows && descriptions(c, row, to->dtype, &rounds, &dealt, fn)) {
        GND_SCOPE {
            const bool there = is_in_rounds(c, to, rows);
            gnd_array *view = NULL, *a = there ? local : rows_with_room(c, rows, rounds, &view);
            const gnd_array *from = as_dealt(c);
            gnd_array *six = a ? gnd_reshape(a, gndi_dist_local_shape(rounds)) : NULL;
            good = gndi_dist_move_block(dealt, from, rounds, six, fn) == GND_OK && from && six;
            if (!there) good = gndi_dist_move_block(rows, good ? view : NULL, to, local, fn) == GND_OK && good && view;
        }
        gnd_dist_release(rounds), gnd_dist_release(dealt);
    }
    gnd_dist_release(rows);
    return good ? local : NULL;
}
