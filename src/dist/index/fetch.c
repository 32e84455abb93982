/*
 * fetch.c: take along a split axis, where indices are marked: rows of the own block are taken while numbers and indices
 * travel; then come those that others ask for.
 *
 * Over a transport that queues its work, indices leave as soon as they are packed, in messages whose length all ranks
 * know without any numbers: nothing waits for the host. What has no room there goes when the numbers are known. Others'
 * rows are taken on the stream of transfers, whose kernels come before own rows that have not begun.
 *
 * Streams wait for all that another one has been given when they first need it. So calls are in the order in which work
 * may run: what a stream is given after a call may run beside it. An array that is made counts as work of its stream:
 * what a transfer brings, and rows for others, are made on the stream of transfers, which else would wait for own rows.
 * And a GPU begins what its processors have room for: a kernel that fills it, queued before a transfer is ready, keeps
 * the transfer waiting. Hence own rows in pieces, and a small one first, which begins when the numbers do.
 */
#include "dist/index/index.h"
#include <stdlib.h>

enum { SMALL = 1 << 15, PIECE = 1 << 18, PIECES = 8 };

typedef struct fetch {
    const gndi_routing *r;
    const char *fn;
    const gnd_array *x; /* this rank's block; NULL: it failed */
    gnd_shape rest;
    gnd_dtype dtype, travels;
    /* Rows for this rank's indices; each one's indices into this block, and their rows; indices that did not go
       early, of this rank and for it. */
    gnd_array *back[GNDI_ROUTE_MARKS], *in[GNDI_ROUTE_MARKS], *served[GNDI_ROUTE_MARKS], *late[GNDI_ROUTE_MARKS];
} fetch;

/* XD_GATHER, to be compared: 0 nothing goes early; 1 others' rows are taken on the stream of own ones; 2 all of it. */
static int variant(void) {
    const char *text = getenv("XD_GATHER");
    return text && *text ? atoi(text) : 2;
}

/* Where transfers of a take are queued. Numbers, for which the host waits, have another one. */
static gnd_stream *stream_of(const gndi_routing *r) {
    return gndi_link_stream(r->group.mesh->link, r->early ? 1 : 0);
}

/* Of another rank: how many indices it gets from this one, or sends; and how many of them later, if not all went
   early. */
static int64_t asks(const fetch *f, int p) {
    return p != f->r->group.here ? gndi_route_count(f->r, f->r->group.here, p) : 0;
}
static int64_t is_asked(const fetch *f, int p) {
    return p != f->r->group.here ? gndi_route_count(f->r, p, f->r->group.here) : 0;
}
static int64_t rest_of(const gndi_routing *r, int sender, int64_t n) {
    const int64_t room = r->early ? gndi_route_room(r, sender) : 0;
    return n > room ? n - room : 0;
}

/* Whether others' rows are taken on that stream. */
static bool serves_there(const gndi_routing *r) {
    return r->early && variant() > 1;
}

/* NULL if there is nothing to hold. */
static bool make(gnd_array **out, int64_t n, gnd_shape rest, gnd_dtype dtype) {
    *out = n > 0 ? gndi_route_rows(n, rest, dtype) : NULL;
    return n == 0 || *out;
}

/* All memory, before anything is sent. What a transfer brings, and `served` where its kernels are queued there. */
static bool allocate(fetch *f) {
    const gndi_routing *r = f->r;
    const int ranks = r->group.size;
    const bool there = serves_there(r);
    bool good = true;
    for (int p = 0; p < ranks; p++) f->late[p] = asks(f, p) > 0 ? r->out[p] : NULL;
    for (int p = 0; p < ranks && r->more; p++)
        if (rest_of(r, r->group.here, asks(f, p)) > 0) good = (f->late[p] = gndi_route_later(r, p)) && good;
    GND_STREAM(stream_of(r)) {
        for (int p = 0; p < ranks; p++) {
            good = make(&f->back[p], asks(f, p), f->rest, f->dtype) && good;
            good = make(&f->in[p], rest_of(r, p, is_asked(f, p)), GND_SCALAR, f->travels) && good;
            if (there) good = make(&f->served[p], is_asked(f, p), f->rest, f->dtype) && good;
        }
    }
    for (int p = 0; p < ranks && !there; p++) good = make(&f->served[p], is_asked(f, p), f->rest, f->dtype) && good;
    return good;
}

/* Pieces for the other ranks and from them, beside other work. */
static bool exchange(const gndi_routing *r, const char *fn, const gndi_piece *mine, const gndi_piece *theirs) {
    const gndi_group *g = &r->group;
    gndi_piece *send = g->mesh->link->pieces[0], *receive = g->mesh->link->pieces[1];
    gnd_status status = GND_OK;
    int n = 0;
    for (int p = 0; p < g->size; p++) {
        if (p == g->here) continue;
        send[n] = mine[p], receive[n] = theirs[p];
        send[n].rank = receive[n].rank = gndi_beside(g->mesh, g->k, p);
        n++;
    }
    GND_STREAM(stream_of(r)) {
        status = gndi_mesh_exchange(g->mesh, fn, n, send, n, receive);
    }
    return status == GND_OK;
}

/* Indices, all of them or what is left of them. */
static bool send_indices(const fetch *f) {
    const int64_t bytes = (int64_t)gnd_dtype_size(f->travels);
    gndi_piece mine[GNDI_ROUTE_MARKS] = {{0}}, theirs[GNDI_ROUTE_MARKS] = {{0}};
    for (int p = 0; p < f->r->group.size; p++) {
        mine[p] = gndi_piece_at(0, f->late[p], rest_of(f->r, f->r->group.here, asks(f, p)) * bytes);
        theirs[p] = gndi_piece_at(0, f->in[p], rest_of(f->r, p, is_asked(f, p)) * bytes);
    }
    return exchange(f->r, f->fn, mine, theirs);
}

/* The rows for them. */
static bool send_rows(const fetch *f) {
    const int64_t bytes = gndi_shape_count(f->rest) * (int64_t)gnd_dtype_size(f->dtype);
    gndi_piece mine[GNDI_ROUTE_MARKS] = {{0}}, theirs[GNDI_ROUTE_MARKS] = {{0}};
    for (int p = 0; p < f->r->group.size; p++) {
        mine[p] = gndi_piece_at(0, f->served[p], is_asked(f, p) * bytes);
        theirs[p] = gndi_piece_at(0, f->back[p], asks(f, p) * bytes);
    }
    return exchange(f->r, f->fn, mine, theirs);
}

static bool take_into(const gnd_array *x, const gnd_array *indices, gnd_array *out) {
    gnd_axes first = GND_AXES(0);
    first.out = out;
    return x && indices && out && gnd_take(x, indices, first, GND_CLIP);
}

static gnd_array *slice_of(const gnd_array *a, int64_t from, int64_t till) {
    return gnd_slice(a, "%lld:%lld", (long long)from, (long long)till);
}

void gndi_route_early(gndi_routing *r, const char *fn, const gnd_array *x) {
    if (!r->early) return;
    const int64_t bytes = (int64_t)gnd_dtype_size(gndi_route_travels(r));
    gndi_piece mine[GNDI_ROUTE_MARKS] = {{0}}, theirs[GNDI_ROUTE_MARKS] = {{0}};
    bool good = true;
    GND_STREAM(stream_of(r)) {
        for (int p = 0; p < r->group.size; p++) {
            const bool own = p == r->group.here;
            const int64_t comes = own ? 0 : gndi_route_room(r, p), goes = own ? 0 : gndi_route_room(r, r->group.here);
            good = make(&r->in[p], comes, GND_SCALAR, gndi_route_travels(r)) && good;
            mine[p] = gndi_piece_at(0, r->out[p], goes * bytes);
            theirs[p] = gndi_piece_at(0, r->in[p], comes * bytes);
        }
        /* What others ask for is read here: behind the work on x so far, not behind own rows. */
        if (x) {
            good = gnd_foreign_begin(NULL, 1, &x, 0, NULL) == GND_OK && good;
            good = gnd_foreign_end(NULL) == GND_OK && good;
        }
    }
    good = exchange(r, fn, mine, theirs) && good;
    r->late = r->late || !good;
}

/* Others' indices name the first row or the last one, until theirs come. */
void gndi_route_own(gndi_routing *r, const gnd_array *x, gnd_shape rest, gnd_dtype dtype) {
    if (!r->near || !x) return;
    const char *text = getenv("XD_PIECES"); /* of own rows, to be compared */
    const int64_t pieces = text && atoi(text) > 0 ? atoi(text) : PIECES;
    const int64_t all = gnd_size(r->near), piece = all / pieces > PIECE ? all / pieces : PIECE;
    const bool none = r->cuts[r->group.here] == r->cuts[r->group.here + 1];
    r->y = gndi_route_rows(all, rest, dtype);
    bool good = r->y != NULL;
    for (int64_t from = 0, till = SMALL; good && !none && from < all; from = till, till += piece) {
        if (till > all) till = all;
        good = take_into(x, slice_of(r->near, from, till), slice_of(r->y, from, till));
    }
    r->late = r->late || !good;
}

/* The rows that rank p asks for. What a failed rank asks for may be anything. */
static bool serve_rank(const fetch *f, int p) {
    const int64_t n = is_asked(f, p), rest = rest_of(f->r, p, n), early = n - rest;
    if (early > 0 && !take_into(f->x, slice_of(f->r->in[p], 0, early), slice_of(f->served[p], 0, early))) return false;
    return rest == 0 || take_into(f->x, f->in[p], early > 0 ? slice_of(f->served[p], early, n) : f->served[p]);
}

static bool serve(const fetch *f) {
    bool good = true;
    GND_STREAM(serves_there(f->r) ? stream_of(f->r) : NULL) {
        for (int p = 0; p < f->r->group.size && good; p++) good = serve_rank(f, p);
    }
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
    fetch f = {.r = r, .fn = fn, .x = x, .rest = rest, .dtype = dtype, .travels = gndi_route_travels(r)};
    bool good = allocate(&f) && x && r->y;
    if (!r->early || r->more) good = send_indices(&f) && good;
    good = good && serve(&f);
    good = send_rows(&f) && good;
    return good && put_back(&f) ? r->y : NULL;
}
