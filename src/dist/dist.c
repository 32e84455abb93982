/*
 * dist.c: the split array: its memory, what it is, and scopes.
 */
#include "dist/dist.h"
#include <stdlib.h>
#include <string.h>

static void release_owned(gnd_owned *owned) {
    gnd_dist_release((gnd_dist *)owned);
}

size_t gndi_dist_bytes(const gnd_mesh *mesh) {
    return sizeof(gnd_dist) + (size_t)(mesh->grid[0] + mesh->grid[1] + 2) * sizeof(int64_t);
}

/* A rank that cannot describe an array can take part in nothing: so each mesh has a description in reserve. */
static gnd_dist *allocate(gnd_mesh *mesh, const char *fn) {
    gnd_dist *x = gndi_dist_try_calloc(gndi_dist_bytes(mesh));
    if (!mesh->reserve) mesh->reserve = x ? gndi_dist_try_calloc(gndi_dist_bytes(mesh)) : NULL;
    if (x) return x;
    x = mesh->reserve;
    mesh->reserve = NULL;
    if (x) return x;
    const gnd_transport *t = &mesh->link->transport;
    mesh->link->dead = true;
    if (t->abort) t->abort(t->context);
    gndi_dist_raise(GND_ERROR_MEMORY, fn, "no memory on the host to describe an array: the mesh is given up");
    return NULL;
}

gnd_dist *gndi_dist_new(gnd_mesh *mesh, const char *fn, gnd_shape shape, gnd_dtype dtype, gndi_layout layout) {
    gnd_dist *x = allocate(mesh, fn);
    if (!x) return NULL;
    memset(x, 0, sizeof *x);
    x->owned.release = release_owned;
    gndi_mesh_retain(mesh);
    x->mesh = mesh, x->shape = shape, x->dtype = dtype;
    x->cuts[0] = x->cut_values, x->cuts[1] = x->cut_values + mesh->grid[0] + 1;
    for (int k = 0; k < 2; k++) {
        x->axis[k] = layout.axis[k];
        if (layout.axis[k] < 0) continue;
        for (int i = 0; i <= mesh->grid[k]; i++)
            x->cuts[k][i] =
                layout.cuts[k] ? layout.cuts[k][i] : gndi_even_cut(shape.dim[layout.axis[k]], mesh->grid[k], i);
    }
    return x;
}

/* Into the scope around the one that the public function has opened. */
static gnd_dist *give(gnd_dist *x) {
    gnd_scope_own(&x->owned);
    gnd_scope_keep(&x->owned);
    return x;
}

gnd_dist *gndi_dist_done(gnd_dist *x, const char *fn, gnd_array *local) {
    if (local) {
        const gnd_shape want = gndi_dist_local_shape(x), have = gnd_shape_of(local);
        bool fits = have.ndim == want.ndim && gnd_dtype_of(local) == x->dtype;
        for (int i = 0; fits && i < want.ndim; i++) fits = have.dim[i] == want.dim[i];
        if (!fits) {
            gndi_dist_raise(GND_ERROR_SHAPE, fn, "a block has another shape or dtype than its array");
            local = NULL;
        }
    }
    x->local = local ? gnd_retain(local) : NULL;
    if (!x->local) {
        gndi_dist_status(fn); /* raises, if nothing has */
        x->failure = *gnd_error();
    }
    return give(x);
}

gnd_dist *gndi_dist_failed_like(gnd_dist *x, const gnd_dist *from) {
    x->failure = from->failure;
    return give(x);
}

gnd_status gndi_dist_fail(gnd_dist *x, const char *fn, const gnd_dist *from) {
    if (!x->local) return GND_OK; /* it has failed before */
    if (!from) gndi_dist_status(fn);
    x->failure = from ? from->failure : *gnd_error();
    gnd_release(x->local);
    x->local = NULL;
    return x->failure.code;
}

gnd_shape gndi_dist_local_shape(const gnd_dist *x) {
    gndi_box box;
    gnd_shape shape = {.ndim = x->shape.ndim};
    gndi_box_of(x, gnd_mesh_rank(x->mesh), &box);
    memcpy(shape.dim, box.count, (size_t)shape.ndim * sizeof *shape.dim);
    return shape;
}

gnd_array *gndi_box_view(const gnd_array *a, int ndim, const gndi_box *box, const int64_t *origin) {
    gnd_index item[GND_MAX_DIMS];
    if (!a) return NULL;
    for (int i = 0; i < ndim; i++) {
        const int64_t start = box->start[i] - (origin ? origin[i] : 0);
        item[i] = gnd_index_range(start, start + box->count[i], 1);
    }
    return gnd_slice_ix(a, ndim, item);
}

bool gndi_dist_missing(const gnd_dist *x, const char *fn) {
    if (x) return false;
    gndi_dist_status(fn);
    return true;
}

/* ---- what an array is -------------------------------------------------------------------------------------- */

gnd_array *gnd_dist_local(const gnd_dist *x) {
    static const char fn[] = "gnd_dist_local";
    if (gndi_dist_missing(x, fn)) return NULL;
    if (x->local) return gnd_slice(x->local, "...");
    gnd_raise(x->failure.code, fn, x->failure.message);
    return NULL;
}

gnd_shape gnd_dist_shape_of(const gnd_dist *x) {
    static const gnd_shape none;
    return gndi_dist_missing(x, "gnd_dist_shape_of") ? none : x->shape;
}

int64_t gnd_dist_size(const gnd_dist *x) {
    return gndi_dist_missing(x, "gnd_dist_size") ? 0 : gndi_shape_count(x->shape);
}

gnd_dtype gnd_dist_dtype_of(const gnd_dist *x) {
    return gndi_dist_missing(x, "gnd_dist_dtype_of") ? GND_DTYPE_NONE : x->dtype;
}

gnd_mesh *gnd_dist_mesh_of(const gnd_dist *x) {
    return gndi_dist_missing(x, "gnd_dist_mesh_of") ? NULL : x->mesh;
}

gnd_layout gnd_dist_layout_of(const gnd_dist *x) {
    gnd_layout layout = GND_COPIES;
    if (gndi_dist_missing(x, "gnd_dist_layout_of")) return layout;
    for (int k = 0; k < 2; k++) {
        if (x->axis[k] < 0) continue;
        layout.axis[k] = x->axis[k], layout.count[k] = x->mesh->grid[k] + 1, layout.cuts[k] = x->cuts[k];
    }
    return layout;
}

gnd_status gnd_dist_part(const gnd_dist *x, int rank, int64_t *start, int64_t *count) {
    static const char fn[] = "gnd_dist_part";
    gndi_box box;
    if (!x || !start || !count) return gndi_dist_status(fn);
    if (rank < 0 || rank >= gnd_mesh_size(x->mesh))
        return gndi_dist_raise(GND_ERROR_INDEX, fn, "rank %d is none of %d ranks", rank, gnd_mesh_size(x->mesh));
    gndi_box_of(x, rank, &box);
    memcpy(start, box.start, (size_t)x->shape.ndim * sizeof *start);
    memcpy(count, box.count, (size_t)x->shape.ndim * sizeof *count);
    return GND_OK;
}

bool gnd_dist_same_layout(const gnd_dist *a, const gnd_dist *b) {
    if (gndi_dist_missing(a, "gnd_dist_same_layout") || gndi_dist_missing(b, "gnd_dist_same_layout")) return false;
    if (a->shape.ndim != b->shape.ndim || a->mesh->grid[0] != b->mesh->grid[0] || a->mesh->grid[1] != b->mesh->grid[1])
        return false;
    for (int i = 0; i < a->shape.ndim; i++)
        if (a->shape.dim[i] != b->shape.dim[i]) return false;
    for (int k = 0; k < 2; k++) {
        const bool split = gndi_is_split(a, k);
        if (split != gndi_is_split(b, k) || (split && a->axis[k] != b->axis[k])) return false;
        if (split && memcmp(a->cuts[k], b->cuts[k], (size_t)(a->mesh->grid[k] + 1) * sizeof *a->cuts[k]) != 0)
            return false;
    }
    return true;
}

/* ---- scopes -------------------------------------------------------------------------------------------------- */

gnd_dist *gnd_dist_keep(gnd_dist *x) {
    if (x) gnd_scope_keep(&x->owned);
    return x;
}

gnd_dist *gnd_dist_assign(gnd_dist **slot, gnd_dist *value) {
    if (!slot) return gndi_dist_status("gnd_dist_assign"), NULL;
    gnd_dist *old = *slot;
    if (old == value) return value;
    *slot = value;
    gnd_scope innermost, *here = gnd_scope_open(&innermost)->parent;
    gnd_scope_close(&innermost);
    /* One that belongs to another scope than the innermost outlives it anyway. */
    if (value && here && value->owned.scope == here)
        gnd_scope_move(&value->owned, old ? old->owned.scope : here->parent);
    gnd_dist_release(old);
    return value;
}

void gnd_dist_release(gnd_dist *x) {
    if (!x) return;
    gnd_scope_move(&x->owned, NULL);
    gnd_release(x->local);
    gnd_mesh_release(x->mesh);
    free(x);
}
