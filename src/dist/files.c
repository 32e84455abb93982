/*
 * files.c: .npy files in parallel. The first rank makes the file, all write their blocks into it, and when all agree
 * that they have, the first rank gives it its name.
 */
#include "dist/align.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    SHORT_ROW = 4096, /* bytes below which blocks are exchanged first */
    MOST_PATH = 4096, /* bytes, as PATH_MAX of Linux */
};

/* ---- layouts --------------------------------------------------------------------------------------------------- */

/* The layout that ranks read or write in: x's own, or if its blocks' rows are short in the file, one that is split
   along the slowest axis (of length above 1) alone. */
static gndi_layout on_disk(const gnd_mesh *mesh, gnd_shape shape, gnd_dtype dtype, const gndi_layout *layout,
                           bool fortran) {
    int64_t row = (int64_t)gnd_dtype_size(dtype);
    int slowest = -1, inner = -1; /* of the split axes, the fastest */
    for (int i = 0; i < shape.ndim; i++) {
        const int axis = fortran ? shape.ndim - 1 - i : i;
        if (slowest < 0 && shape.dim[axis] > 1) slowest = axis;
        for (int k = 0; k < 2; k++)
            if (layout->axis[k] == axis && mesh->grid[k] > 1) inner = axis;
    }
    if (inner < 0 || inner == slowest || gndi_shape_count(shape) == 0) return *layout;
    for (int i = 0; i < shape.ndim; i++)
        if (fortran ? i < inner : i > inner) row *= shape.dim[i];
    for (int k = 0; k < 2; k++)
        if (layout->axis[k] == inner) row *= shape.dim[inner] / mesh->grid[k];
    if (row >= SHORT_ROW) return *layout;
    const bool along = mesh->grid[0] > 1; /* a grid of one row has its ranks along axis 1 */
    return along ? (gndi_layout){{slowest, -1}, {NULL, NULL}} : (gndi_layout){{-1, slowest}, {NULL, NULL}};
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* What the first rank reads, told to all. */
typedef struct found {
    int32_t code, dtype, ndim, fortran;
    int64_t dim[GND_MAX_DIMS];
} found;
_Static_assert(sizeof(found) <= sizeof(gnd_error_record), "a mesh gathers so much at once");

/* What the header says, on all ranks. */
static bool look(gnd_mesh *mesh, const char *fn, const char *path, gnd_npy_info *info) {
    found own = {0};
    gnd_npy_info here;
    const int rank = gnd_mesh_rank(mesh);
    if (rank == 0) {
        if (gnd_npy_info_of(path, &here) != GND_OK) {
            own.code = (int32_t)gndi_dist_status(fn);
        } else {
            own.dtype = (int32_t)here.dtype, own.ndim = here.shape.ndim, own.fortran = here.fortran_order;
            memcpy(own.dim, here.shape.dim, sizeof own.dim);
        }
    }
    const found *all = gndi_mesh_gather(mesh, fn, &own, sizeof own);
    if (!all) return false;
    const found told = all[0];
    if (told.code) return gndi_mesh_agree_on(mesh, fn, rank == 0 ? gnd_error() : NULL), false;
    *info = (gnd_npy_info){.shape = {.ndim = told.ndim}, .dtype = (gnd_dtype)told.dtype, .fortran_order = told.fortran};
    memcpy(info->shape.dim, told.dim, sizeof told.dim);
    return true;
}

gnd_dist *gnd_dist_load(gnd_mesh *mesh, const char *path, gnd_layout layout) {
    static const char fn[] = "gnd_dist_load";
    gnd_npy_info info;
    gndi_layout wanted;
    if (!mesh || !path) return gndi_dist_status(fn), NULL;
    GNDI_CALL(fn);
    if (!gndi_mesh_enter(mesh, fn, "%.60s to %d %d", path, layout.axis[0], layout.axis[1])) return NULL;
    if (!look(mesh, fn, path, &info) || !gndi_layout_resolve(mesh, fn, info.shape, layout, &wanted)) return NULL;
    gnd_dist *x = gndi_dist_new(mesh, fn, info.shape, info.dtype,
                                on_disk(mesh, info.shape, info.dtype, &wanted, info.fortran_order));
    if (!x) return NULL;
    gndi_box box;
    gndi_box_of(x, gnd_mesh_rank(mesh), &box);
    gnd_array *local = gnd_load_part(path, box.start, gndi_dist_local_shape(x));
    gndi_dist_done(x, fn, local);
    const gnd_status status = gndi_mesh_agree_on(mesh, fn, gndi_dist_failure(x));
    gnd_dist *y = status ? NULL : gndi_dist_to(x, wanted, fn);
    gnd_dist_release(x);
    return y;
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* Of several copies of a block, the first one is written. */
static bool writes(const gnd_dist *x) {
    for (int k = 0; k < 2; k++)
        if (x->axis[k] < 0 && x->mesh->place[k] != 0) return false;
    return true;
}

static gnd_status write_all(const gnd_dist *x, const char *path, const char *part, const char *fn) {
    gnd_mesh *mesh = x->mesh;
    const bool first = gnd_mesh_rank(mesh) == 0;
    const gndi_layout own = gndi_layout_of(x), layout = on_disk(mesh, x->shape, x->dtype, &own, false);
    if (first) gnd_npy_create(part, x->shape, x->dtype, false);
    gnd_dist *y = gndi_dist_to(x, layout, fn); /* on a rank that has failed, too */
    if (!y) return gndi_dist_status(fn);
    const gnd_error_record *failure = gndi_dist_failure(y);
    gnd_status status = gndi_mesh_agree_on(mesh, fn, failure ? failure : gnd_error());
    if (!status) {
        gndi_box box;
        gndi_box_of(y, gnd_mesh_rank(mesh), &box);
        if (writes(y)) gnd_save_part(part, box.start, y->local);
        status = gndi_mesh_agree_on(mesh, fn, gnd_error());
    }
    gnd_dist_release(y);
    if (!status && first && rename(part, path) != 0)
        gndi_dist_raise(GND_ERROR_IO, fn, "cannot replace \"%.200s\": %s", path, strerror(errno));
    if (status && first) remove(part);
    return status ? status : gndi_mesh_agree_on(mesh, fn, gnd_error());
}

gnd_status gnd_dist_save(const char *path, const gnd_dist *x) {
    static const char fn[] = "gnd_dist_save";
    char part[MOST_PATH], text[160];
    if (!path || gndi_dist_missing(x, fn)) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    if (snprintf(part, sizeof part, "%s.part", path) >= (int)sizeof part)
        return gndi_dist_raise(GND_ERROR_IO, fn, "the path has more than %d characters", MOST_PATH - 6);
    if (!gndi_mesh_enter(x->mesh, fn, "%.60s %s", path, gndi_text_dist(x, text, sizeof text)))
        return gndi_dist_status(fn);
    return write_all(x, path, part, fn);
}
