/*
 * fetch.c: take along a split axis, where indices are marked: rows of the own block are taken while numbers and indices
 * of others travel, and what travels goes in parts, by where indices stand: a part's rows come back, and are put in
 * their places, while those of the next are taken.
 *
 * Streams wait for all that another one has been given when they first need it. So calls are in the order in which work
 * may run: what a stream is given after a call may run beside it. An array that is made counts as work of its stream:
 * what a transfer brings is made on the stream of transfers, which else would wait for own rows. And a GPU begins what
 * its processors have room for: a kernel that fills it, queued before a transfer is ready, keeps the transfer waiting.
 * Hence the small pieces of work that come first where both begin at once, and own rows in pieces.
 */
#include "dist/index/index.h"
#include <stdlib.h>
#include <string.h>

int64_t gndi_route_part_bytes = 4 << 20;
enum { PARTS = GNDI_ROUTE_PARTS, SMALL = 1 << 15, PIECE = 1 << 18, SHARES = 8 };

/* Own rows in eighths: until numbers are known; while the first indices travel. The others are taken while the last
   rows come back. */
static int64_t share(const char *name, int otherwise) {
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}
#define FIRST_SHARE share("XD_GATHER_FIRST", 5)
#define NEXT_SHARE share("XD_GATHER_NEXT", 6)

typedef struct fetch {
    const gndi_routing *r;
    const char *fn;
    const gnd_array *x; /* this rank's block; NULL: it failed */
    gnd_shape rest;
    gnd_dtype dtype, travels;
    int64_t row; /* bytes */
    /* Rows for this rank's indices; each one's indices into this block, and their rows. By part, since streams wait for
       each other's whole arrays. */
    gnd_array *back[PARTS][GNDI_ROUTE_MARKS], *in[PARTS][GNDI_ROUTE_MARKS], *served[PARTS][GNDI_ROUTE_MARKS];
} fetch;

static gnd_array *slice_of(const gnd_array *a, int64_t from, int64_t till) {
    return a ? gnd_slice(a, "%lld:%lld", (long long)from, (long long)till) : NULL;
}

static bool is_other(const fetch *f, int p) {
    return p != f->r->group.here;
}
/* Of part k. */
static int64_t asks(const fetch *f, int k, int p) {
    return is_other(f, p) ? gndi_route_part(f->r, k, f->r->group.here, p) : 0;
}
static int64_t is_asked(const fetch *f, int k, int p) {
    return is_other(f, p) ? gndi_route_part(f->r, k, p, f->r->group.here) : 0;
}

/* NULL if there is nothing to hold. */
static bool make(gnd_array **out, int64_t n, gnd_shape rest, gnd_dtype dtype) {
    *out = n > 0 ? gndi_route_rows(n, rest, dtype) : NULL;
    return n == 0 || *out;
}

/* All memory, before anything is sent. */
static bool allocate(fetch *f) {
    const int ranks = f->r->group.size, parts = f->r->parts;
    bool good = true;
    GND_STREAM(f->r->group.mesh->link->beside) { /* what transfers bring */
        for (int p = 0; p < ranks * parts; p++) {
            const int k = p / ranks, q = p % ranks;
            good = make(&f->back[k][q], asks(f, k, q), f->rest, f->dtype) && good;
            good = make(&f->in[k][q], is_asked(f, k, q), GND_SCALAR, f->travels) && good;
        }
    }
    for (int k = 0; k < parts; k++)
        for (int p = 0; p < ranks; p++) good = make(&f->served[k][p], is_asked(f, k, p), f->rest, f->dtype) && good;
    return good;
}

/* ---- what travels --------------------------------------------------------------------------------------------- */

/* Part k of the indices, or of the rows for them, beside other work. */
static bool exchange(const fetch *f, int k, bool rows) {
    const gndi_group *g = &f->r->group;
    gndi_piece *send = g->mesh->link->pieces[0], *receive = g->mesh->link->pieces[1];
    const int64_t bytes = rows ? f->row : (int64_t)gnd_dtype_size(f->travels);
    gnd_status status = GND_OK;
    int n = 0;
    for (int p = 0; p < g->size; p++) {
        if (!is_other(f, p)) continue;
        const int rank = gndi_beside(g->mesh, g->k, p);
        const gndi_piece mine = gndi_piece_at(rank, rows ? f->back[k][p] : f->r->out[k][p], asks(f, k, p) * bytes);
        const gndi_piece theirs = gndi_piece_at(rank, (rows ? f->served : f->in)[k][p], is_asked(f, k, p) * bytes);
        send[n] = rows ? theirs : mine, receive[n++] = rows ? mine : theirs;
    }
    GND_STREAM(g->mesh->link->beside) {
        status = gndi_mesh_exchange(g->mesh, f->fn, n, send, n, receive);
    }
    return status == GND_OK;
}

/* The stream of transfers waits for rows that have been served: not for what comes after them, so that transfers of
   them may be called later. */
static bool wait_for_served(const fetch *f, int k) {
    gnd_stream *beside = f->r->group.mesh->link->beside;
    bool good = true;
    for (int p = 0; p < f->r->group.size && beside; p++) {
        const gnd_array *served = f->served[k][p];
        if (served) good = gnd_foreign_begin(beside, 1, &served, 0, NULL) == GND_OK && good;
        if (served) good = gnd_foreign_end(beside) == GND_OK && good;
    }
    return good;
}

/* ---- work ----------------------------------------------------------------------------------------------------- */

static bool take_into(const gnd_array *x, const gnd_array *indices, gnd_array *out) {
    gnd_axes first = GND_AXES(0);
    first.out = out;
    return x && indices && out && gnd_take(x, indices, first, GND_CLIP);
}

/* The rows that others ask for, from element `from` up to `till` of each. What a failed rank asks for may be
   anything. */
static bool serve(const fetch *f, int k, int64_t from, int64_t till) {
    bool good = true;
    for (int p = 0; p < f->r->group.size && good; p++) {
        const int64_t n = is_asked(f, k, p), end = till < n ? till : n;
        if (from >= end) continue;
        good = take_into(f->x, slice_of(f->in[k][p], from, end), slice_of(f->served[k][p], from, end));
    }
    return good;
}

/* Rows of this rank's own indices, up to index `till`. Others' name the first row or the last one, until theirs
   come. */
static bool take_own(gndi_routing *r, const gnd_array *x, int64_t till) {
    const int64_t all = gnd_size(r->near), piece = all / SHARES > PIECE ? all / SHARES : PIECE;
    bool good = r->y != NULL;
    if (good && r->cuts[r->group.here] == r->cuts[r->group.here + 1]) return true;
    for (int64_t next = r->taken + SMALL; good && r->taken < till; next += piece) {
        if (next > till) next = till;
        good = take_into(x, slice_of(r->near, r->taken, next), slice_of(r->y, r->taken, next));
        r->taken = next;
    }
    return good;
}

void gndi_route_own(gndi_routing *r, const gnd_array *x, gnd_shape rest, gnd_dtype dtype) {
    if (!r->near || !x) return;
    r->y = gndi_route_rows(gnd_size(r->near), rest, dtype);
    r->late = !take_own(r, x, gnd_size(r->near) * FIRST_SHARE / SHARES);
}

/* Rows of part k to their places, where own ones have been taken. */
static bool put_back(const fetch *f, int k) {
    bool good = true;
    for (int p = 0; p < f->r->group.size && good; p++) {
        if (asks(f, k, p) == 0) continue;
        gnd_array *y = gndi_route_slice(f->r, f->r->y, k), *mark = gndi_route_slice(f->r, f->r->mark[p], k);
        good = y && mark && f->back[k][p] && gnd_set(y, GND_INDICES(mark), f->back[k][p]) == GND_OK;
    }
    return good;
}

gnd_array *gndi_route_fetch(gndi_routing *r, const char *fn, const gnd_array *x, gnd_shape rest, gnd_dtype dtype) {
    fetch f = {.r = r, .fn = fn, .x = x, .rest = rest, .dtype = dtype, .travels = gnd_dtype_of(r->near)};
    const int64_t all = gnd_size(r->near);
    const int last = r->parts - 1;
    f.row = gndi_shape_count(rest) * (int64_t)gnd_dtype_size(dtype);
    bool good = allocate(&f) && x && r->y;
    good = exchange(&f, 0, false) && good;
    good = good && take_own(r, x, all * NEXT_SHARE / SHARES) && take_own(r, x, last ? r->cut[last] : 0);
    for (int k = 0; k <= last; k++) {
        good = good && serve(&f, k, 0, SMALL) && serve(&f, k, SMALL, INT64_MAX);
        if (k < last) good = exchange(&f, k + 1, false) && good;
        good = good && wait_for_served(&f, k);
        if (k == last) good = good && take_own(r, x, all); /* and rows that have come, without a wait for the last */
        good = good && (k == 0 || put_back(&f, k - 1));
        good = exchange(&f, k, true) && good;
    }
    return good && put_back(&f, last) ? r->y : NULL;
}
