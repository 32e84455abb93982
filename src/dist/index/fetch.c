/*
 * fetch.c: take along a split axis, where indices are marked: rows of the own block are taken while numbers and indices
 * travel; then come those that others ask for.
 *
 * Streams wait for all that another one has been given when they first need it. So calls are in the order in which work
 * may run: what a stream is given after a call may run beside it. An array that is made counts as work of its stream:
 * what a transfer brings is made on the stream of transfers, which else would wait for own rows. And a GPU begins what
 * its processors have room for: a kernel that fills it, queued before a transfer is ready, keeps the transfer waiting.
 * Hence own rows in pieces, and a small one first, which begins when the numbers do.
 */
#include "dist/index/index.h"

enum { SMALL = 1 << 15, PIECE = 1 << 18, PIECES = 8 };

typedef struct fetch {
    const gndi_routing *r;
    const char *fn;
    const gnd_array *x; /* this rank's block; NULL: it failed */
    gnd_shape rest;
    gnd_dtype dtype, travels;
    /* Rows for this rank's indices; each one's indices into this block, and their rows. */
    gnd_array *back[GNDI_ROUTE_MARKS], *in[GNDI_ROUTE_MARKS], *served[GNDI_ROUTE_MARKS];
} fetch;

/* Of another rank: how many indices it gets from this one, or sends. */
static int64_t asks(const fetch *f, int p) {
    return p != f->r->group.here ? gndi_route_count(f->r, f->r->group.here, p) : 0;
}
static int64_t is_asked(const fetch *f, int p) {
    return p != f->r->group.here ? gndi_route_count(f->r, p, f->r->group.here) : 0;
}

/* NULL if there is nothing to hold. */
static bool make(gnd_array **out, int64_t n, gnd_shape rest, gnd_dtype dtype) {
    *out = n > 0 ? gndi_route_rows(n, rest, dtype) : NULL;
    return n == 0 || *out;
}

/* All memory, before anything is sent. */
static bool allocate(fetch *f) {
    const int ranks = f->r->group.size;
    bool good = true;
    GND_STREAM(f->r->group.mesh->link->beside) { /* what transfers bring */
        for (int p = 0; p < ranks; p++) {
            good = make(&f->back[p], asks(f, p), f->rest, f->dtype) && good;
            good = make(&f->in[p], is_asked(f, p), GND_SCALAR, f->travels) && good;
        }
    }
    for (int p = 0; p < ranks; p++) good = make(&f->served[p], is_asked(f, p), f->rest, f->dtype) && good;
    return good;
}

/* Indices, or the rows for them, beside other work. */
static bool exchange(const fetch *f, bool rows) {
    const gndi_group *g = &f->r->group;
    gndi_piece *send = g->mesh->link->pieces[0], *receive = g->mesh->link->pieces[1];
    const int64_t row = gndi_shape_count(f->rest) * (int64_t)gnd_dtype_size(f->dtype);
    const int64_t bytes = rows ? row : (int64_t)gnd_dtype_size(f->travels);
    gnd_status status = GND_OK;
    int n = 0;
    for (int p = 0; p < g->size; p++) {
        if (p == g->here) continue;
        const int rank = gndi_beside(g->mesh, g->k, p);
        const gndi_piece mine = gndi_piece_at(rank, rows ? f->back[p] : f->r->out[p], asks(f, p) * bytes);
        const gndi_piece theirs = gndi_piece_at(rank, rows ? f->served[p] : f->in[p], is_asked(f, p) * bytes);
        send[n] = rows ? theirs : mine, receive[n++] = rows ? mine : theirs;
    }
    GND_STREAM(g->mesh->link->beside) {
        status = gndi_mesh_exchange(g->mesh, f->fn, n, send, n, receive);
    }
    return status == GND_OK;
}

static bool take_into(const gnd_array *x, const gnd_array *indices, gnd_array *out) {
    gnd_axes first = GND_AXES(0);
    first.out = out;
    return x && indices && out && gnd_take(x, indices, first, GND_CLIP);
}

static gnd_array *slice_of(const gnd_array *a, int64_t from, int64_t till) {
    return gnd_slice(a, "%lld:%lld", (long long)from, (long long)till);
}

/* Others' indices name the first row or the last one, until theirs come. */
void gndi_route_own(gndi_routing *r, const gnd_array *x, gnd_shape rest, gnd_dtype dtype) {
    if (!r->near || !x) return;
    const int64_t all = gnd_size(r->near), piece = all / PIECES > PIECE ? all / PIECES : PIECE;
    const bool none = r->cuts[r->group.here] == r->cuts[r->group.here + 1];
    r->y = gndi_route_rows(all, rest, dtype);
    bool good = r->y != NULL;
    for (int64_t from = 0, till = SMALL; good && !none && from < all; from = till, till += piece) {
        if (till > all) till = all;
        good = take_into(x, slice_of(r->near, from, till), slice_of(r->y, from, till));
    }
    r->late = !good;
}

/* The rows that others ask for. What a failed rank asks for may be anything. */
static bool serve(const fetch *f) {
    bool good = true;
    for (int p = 0; p < f->r->group.size && good; p++)
        good = is_asked(f, p) == 0 || take_into(f->x, f->in[p], f->served[p]);
    return good;
}

/* Rows that have come to their places, among own ones. */
static bool put_back(const fetch *f) {
    bool good = true;
    for (int p = 0; p < f->r->group.size && good; p++)
        if (asks(f, p) > 0) good = f->back[p] && gnd_set(f->r->y, GND_INDICES(f->r->mark[p]), f->back[p]) == GND_OK;
    return good;
}

gnd_array *gndi_route_fetch(gndi_routing *r, const char *fn, const gnd_array *x, gnd_shape rest, gnd_dtype dtype) {
    fetch f = {.r = r, .fn = fn, .x = x, .rest = rest, .dtype = dtype, .travels = gnd_dtype_of(r->near)};
    bool good = allocate(&f) && x && r->y;
    good = exchange(&f, false) && good;
    good = good && serve(&f);
    good = exchange(&f, true) && good;
    return good && put_back(&f) ? r->y : NULL;
}
