/*
 * halo.c: blocks with the elements around them. One axis after the other, so that corners come along with the second.
 */
#include "dist/dist.h"

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

/* Elements `from` to `till` along an axis as a piece. `shape`: of the array, whether it is there or not. */
static gndi_piece piece(int rank, const gnd_array *a, gnd_shape shape, gnd_dtype dtype, int axis, int64_t from,
                        int64_t till) {
    gndi_box box;
    int64_t bytes = (int64_t)gnd_dtype_size(dtype);
    for (int i = 0; i < shape.ndim; i++) {
        box.start[i] = i == axis ? from : 0, box.count[i] = i == axis ? till - from : shape.dim[i];
        bytes *= box.count[i];
    }
    return gndi_piece_at(rank, gndi_box_view(a, shape.ndim, &box, NULL), bytes);
}

/* `a`, a block of this shape, with a halo along one axis; *shape is that of the result then. NULL on an error of this
   rank, which has taken part. Of a periodic array there are three images. */
static gnd_array *extend(const gnd_dist *x, const gnd_array *a, gnd_shape *shape, int axis, int64_t before,
                         int64_t after, gnd_halo_mode mode, const char *fn) {
    gnd_mesh *mesh = x->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const int k = gndi_split_of(x, axis), here = k < 0 ? 0 : mesh->place[k], images = mode == GND_HALO_WRAP ? 1 : 0;
    const int64_t length = x->shape.dim[axis], whole[2] = {0, length}, *cut = k < 0 ? whole : x->cuts[k];
    const int64_t low = cut[here] - before, high = cut[here + 1] + after;
    const gnd_shape old = *shape;
    shape->dim[axis] = high - low;
    gnd_array *to = !images && (low < 0 || high > length) ? gnd_zeros(*shape, x->dtype) : gnd_empty(*shape, x->dtype);
    int sends = 0, receives = 0;
    for (int p = 0; p < (k < 0 ? 1 : mesh->grid[k]); p++) {
        const int rank = k < 0 ? gnd_mesh_rank(mesh) : gndi_beside(mesh, k, p);
        for (int image = -images; image <= images; image++) {
            const int64_t shift = image * length;
            int64_t from = larger(low, cut[p] + shift), till = smaller(high, cut[p + 1] + shift);
            if (from < till) receive[receives++] = piece(rank, to, *shape, x->dtype, axis, from - low, till - low);
            from = larger(cut[p] - before, cut[here] + shift),
            till = smaller(cut[p + 1] + after, cut[here + 1] + shift);
            const int64_t start = cut[here] + shift;
            if (from < till) send[sends++] = piece(rank, a, old, x->dtype, axis, from - start, till - start);
        }
    }
    return gndi_mesh_exchange(mesh, fn, sends, send, receives, receive) == GND_OK ? to : NULL;
}

gnd_array *gnd_dist_halo(const gnd_dist *x, const int64_t *before, const int64_t *after, gnd_halo_mode mode) {
    static const char fn[] = "gnd_dist_halo";
    char text[160];
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    if (mode != GND_HALO_ZERO && mode != GND_HALO_WRAP)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "there is no mode %d", (int)mode), NULL;
    for (int i = 0; i < x->shape.ndim; i++) {
        const int64_t b = before ? before[i] : 0, a = after ? after[i] : 0, length = x->shape.dim[i];
        if (b < 0 || a < 0 || (mode == GND_HALO_WRAP && (b > length || a > length)))
            return gndi_dist_raise(GND_ERROR_VALUE, fn, "a halo of %lld and %lld around axis %d of %lld elements",
                                   (long long)b, (long long)a, i, (long long)length),
                   NULL;
    }
    if (!gndi_mesh_enter(x->mesh, fn, "%s %d", gndi_text_dist(x, text, sizeof text), (int)mode)) return NULL;
    gnd_shape shape = gndi_dist_local_shape(x);
    gnd_array *a = x->local ? gnd_slice(x->local, "...") : NULL;
    for (int i = 0; i < shape.ndim; i++) {
        const int64_t b = before ? before[i] : 0, c = after ? after[i] : 0;
        if (b || c) a = extend(x, a, &shape, i, b, c, mode, fn);
    }
    if (a) return gnd_keep(a);
    if (!x->local) gnd_raise(x->failure.code, fn, x->failure.message);
    return NULL;
}
