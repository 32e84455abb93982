/*
 * stage.c: partial results of the ranks along an axis of the mesh. The transport combines them where the bits of
 * the result cannot depend on how it does that. Else they are brought together, all of a call in one exchange, and
 * combined by gnd in the order of the blocks.
 */
#include "dist/reduce/reduce.h"
#include <stdlib.h>

/* Longer partial results go in as many parts as there are ranks, each combined by one of them. */
enum { ALL_COMBINE_BYTES = 256 << 10 };

/* Partial results along one axis of the mesh. Axis 1 comes first: after it, ranks along it have the same. */
typedef struct stage {
    int k;        /* the axis of the mesh */
    int blocks;   /* that have elements */
    int64_t n;    /* partial results */
    bool here;    /* this rank has some */
    bool large;   /* each rank combines a part of them, */
    int64_t *cut; /* which one */
} stage;

int64_t gndi_reducing_length(const gndi_reducing *r, int rank, int k) {
    const gnd_dist *x = r->x;
    gndi_box box;
    int64_t n = 1;
    gndi_box_of(x, rank, &box);
    if (k == 0 && x->axis[1] >= 0) box.count[x->axis[1]] = x->shape.dim[x->axis[1]];
    for (int i = 0; i < x->shape.ndim; i++) n *= r->reduced[i] ? box.count[i] : 1;
    return n;
}

static stage stage_of(const gndi_reducing *r, int k, int64_t n) {
    const gnd_mesh *mesh = r->x->mesh;
    const int places = mesh->grid[k];
    stage s = {.k = k, .n = n, .cut = mesh->link->numbers};
    for (int p = 0; p < places; p++) {
        const bool some = gndi_reducing_length(r, gndi_beside(mesh, k, p), k) > 0;
        s.blocks += some;
        if (p == mesh->place[k]) s.here = some;
    }
    s.large = n * (int64_t)gnd_dtype_size(r->dtype[0]) > ALL_COMBINE_BYTES;
    for (int p = 0; p <= places; p++) s.cut[p] = gndi_even_cut(n, places, p);
    return s;
}

/* ---- by the transport ------------------------------------------------------------------------------------------ */

static bool by_transport(const gndi_reducing *r, const stage *s, gnd_combine *how) {
    const gnd_mesh *mesh = r->x->mesh;
    bool all = mesh->link->transport.all_reduce && mesh->grid[s->k] == gnd_mesh_size(mesh);
    for (int j = 0; j < r->parts; j++) all = all && gndi_reducing_anyhow(r, j, s->blocks, mesh->grid[s->k], &how[j]);
    return all;
}

/* As the transport takes elements: bool as bytes, complex numbers as two each. */
static gnd_dtype plain(gnd_dtype t) {
    return t == GND_BOOL ? GND_UINT8 : t == GND_COMPLEX64 ? GND_FLOAT32 : t == GND_COMPLEX128 ? GND_FLOAT64 : t;
}

static bool all_reduce(const gndi_reducing *r, const stage *s, const gnd_combine *how, gnd_array **part,
                       const char *fn) {
    gndi_combined combined[GNDI_PARTIALS];
    gnd_array *all[GNDI_PARTIALS];
    for (int j = 0; j < r->parts; j++) {
        const gnd_dtype t = r->dtype[j];
        const int64_t one = how[j] == GND_COMBINE_PROD || how[j] == GND_COMBINE_MIN; /* "all" of nothing is true */
        const gnd_array *own = s->here ? part[j] : gnd_full(GND_SHAPE(s->n), one, t);
        all[j] = gnd_empty(GND_SHAPE(s->n), t);
        combined[j] = (gndi_combined){own, all[j], s->n * (gnd_dtype_kind(t) == 'c' ? 2 : 1), plain(t), how[j]};
    }
    const bool good = gndi_mesh_all_reduce(r->x->mesh, fn, r->parts, combined) == GND_OK;
    for (int j = 0; j < r->parts; j++) part[j] = good ? all[j] : NULL;
    return good;
}

/* ---- by gnd ---------------------------------------------------------------------------------------------------- */

/* A range of the partial results of a rank. */
static gndi_piece piece(const gndi_reducing *r, int j, int rank, const gnd_array *flat, int64_t start, int64_t stop) {
    const gnd_index range = gnd_index_range(start, stop, 1);
    const gnd_array *part = flat ? gnd_slice_ix(flat, 1, &range) : NULL;
    return gndi_piece_at(rank, part, (stop - start) * (int64_t)gnd_dtype_size(r->dtype[j]));
}

/* Of all ranks, as (blocks, n); in a large stage that part of each which is this rank's to combine. */
static bool collect(const gndi_reducing *r, const stage *s, gnd_array **part, const char *fn) {
    gnd_mesh *mesh = r->x->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const int here = mesh->place[s->k];
    const int64_t n = s->large ? s->cut[here + 1] - s->cut[here] : s->n;
    int sends = 0, receives = 0;
    for (int j = 0; j < r->parts; j++) {
        gnd_array *all = gnd_empty(GND_SHAPE(s->blocks, n), r->dtype[j]);
        for (int p = 0, row = 0; p < mesh->grid[s->k]; p++) {
            const int rank = gndi_beside(mesh, s->k, p);
            if (s->here)
                send[sends++] = piece(r, j, rank, part[j], s->large ? s->cut[p] : 0, s->large ? s->cut[p + 1] : s->n);
            if (!gndi_reducing_length(r, rank, s->k)) continue;
            receive[receives++] = gndi_piece_at(rank, gndi_row(all, row++), n * (int64_t)gnd_dtype_size(r->dtype[j]));
        }
        part[j] = all;
    }
    return gndi_mesh_exchange(mesh, fn, sends, send, receives, receive) == GND_OK;
}

/* What ranks have combined, to all of them. */
static bool spread(const gndi_reducing *r, const stage *s, gnd_array **part, const char *fn) {
    gnd_mesh *mesh = r->x->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const int here = mesh->place[s->k], places = mesh->grid[s->k];
    int count = 0;
    for (int j = 0; j < r->parts; j++) {
        gnd_array *whole = gnd_empty(GND_SHAPE(s->n), r->dtype[j]);
        for (int p = 0; p < places; p++, count++) {
            const int rank = gndi_beside(mesh, s->k, p);
            send[count] = piece(r, j, rank, part[j], 0, s->cut[here + 1] - s->cut[here]);
            receive[count] = piece(r, j, rank, whole, s->cut[p], s->cut[p + 1]);
        }
        part[j] = whole;
    }
    return gndi_mesh_exchange(mesh, fn, count, send, count, receive) == GND_OK;
}

/* Whether moments, which are few, go in one message as they are: the same on all ranks. */
static bool go_together(const gndi_reducing *r, const stage *s) {
    const gnd_mesh *mesh = r->x->mesh;
    const gndi_link *link = mesh->link;
    const int64_t most = (int64_t)link->small / (int64_t)sizeof(double);
    const char *variant = getenv("XD_MOMENTS"); /* 0: not, to be compared */
    if (variant && *variant == '0') return false;
    return r->how->kind == GNDI_VARIANCE && link->from && mesh->grid[s->k] == gnd_mesh_size(mesh) &&
           s->blocks == mesh->grid[s->k] && s->n > 0 && s->n <= most / r->parts;
}

/* Moments of all ranks, as collect() brings them. */
static bool collect_together(gndi_reducing *r, const stage *s, gnd_array **part, const char *fn) {
    const gnd_array *own = part[0] ? r->together : NULL;
    const int64_t bytes = s->n * r->parts * (int64_t)sizeof(double);
    gnd_array *all = gnd_empty(GND_SHAPE(s->blocks, s->n, r->parts), GND_FLOAT64);
    bool good = gndi_mesh_gather_few(r->x->mesh, fn, own, all, bytes) == GND_OK;
    for (int j = 0; j < r->parts && good; j++) good = (part[j] = gnd_slice(all, ":, :, %d", j)) != NULL;
    return good;
}

bool gndi_reducing_stage(gndi_reducing *r, int k, int64_t n, gnd_array **part, bool last, const char *fn) {
    const stage s = stage_of(r, k, n);
    gnd_combine how[GNDI_PARTIALS];
    if (by_transport(r, &s, how)) return all_reduce(r, &s, how, part, fn);
    bool good = go_together(r, &s) ? collect_together(r, &s, part, fn) : collect(r, &s, part, fn);
    if (good && s.blocks) good = gndi_reducing_combine(r, part, s.blocks, last && !s.large);
    for (int j = 0; j < r->parts && (!good || !s.blocks); j++) part[j] = NULL;
    if (s.large && s.blocks) good = spread(r, &s, part, fn) && good;
    return good;
}
