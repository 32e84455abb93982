/*
 * fetch.c: take along a split axis, where indices are marked: rows of the own block are taken while numbers and indices
 * of others travel, and what travels goes in parts, so that a part's rows come back while those of the next are taken.
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
enum { MOST_PARTS = 2, SMALL = 1 << 15, PIECE = 1 << 18, SHARES = 8 };

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
    int parts;
    int64_t row;                       /* bytes */
    gnd_array *back[GNDI_ROUTE_MARKS]; /* rows for this rank's indices */
    /* Each one's indices into this block, and their rows. By part, since streams wait for each other's whole arrays. */
    gnd_array *in[MOST_PARTS][GNDI_ROUTE_MARKS], *served[MOST_PARTS][GNDI_ROUTE_MARKS];
} fetch;

/* ---- parts ---------------------------------------------------------------------------------------------------- */

/* Where part k of n begins: at lines of memory, where transfers are fast. */
static int64_t cut(const fetch *f, int64_t n, int k) {
    enum { LINE = 128 };
    return k == f->parts ? n : n * k / f->parts / LINE * LINE;
}

static int64_t length_of(const fetch *f, int64_t n, int k) {
    return cut(f, n, k + 1) - cut(f, n, k);
}

static gnd_array *slice_of(const gnd_array *a, int64_t from, int64_t till) {
    return a ? gnd_slice(a, "%lld:%lld", (long long)from, (long long)till) : NULL;
}

static bool is_other(const fetch *f, int p) {
    return p != f->r->group.here;
}
static int64_t asks(const fetch *f, int p) {
    return gndi_route_count(f->r, f->r->group.here, p);
}
static int64_t is_asked(const fetch *f, int p) {
    return gndi_route_count(f->r, p, f->r->group.here);
}

/* What transfers bring. All memory comes before anything is sent; NULL where there is none, or nothing to hold. */
static bool allocate_there(fetch *f) {
    bool good = true;
    for (int p = 0; p < f->r->group.size; p++) {
        if (!is_other(f, p)) continue;
        if (asks(f, p) > 0) {
            f->back[p] = gndi_route_rows(asks(f, p), f->rest, f->dtype);
            good = good && f->back[p];
        }
        for (int k = 0; k < f->parts; k++) {
            const int64_t n = length_of(f, is_asked(f, p), k);
            if (n == 0) continue;
            f->in[k][p] = gndi_route_rows(n, GND_SCALAR, f->travels);
            good = good && f->in[k][p];
        }
    }
    return good;
}

static bool allocate(fetch *f) {
    bool good = true;
    GND_STREAM(f->r->group.mesh->link->beside) {
        good = allocate_there(f);
    }
    for (int p = 0; p < f->r->group.size; p++)
        for (int k = 0; k < f->parts && is_other(f, p); k++) {
            const int64_t n = length_of(f, is_asked(f, p), k);
            if (n == 0) continue;
            f->served[k][p] = gndi_route_rows(n, f->rest, f->dtype);
            good = good && f->served[k][p];
        }
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
        const int64_t from = cut(f, asks(f, p), k), till = cut(f, asks(f, p), k + 1);
        const gndi_piece mine = {rank, slice_of(rows ? f->back[p] : f->r->out[p], from, till), (till - from) * bytes};
        const gndi_piece theirs = {rank, (rows ? f->served : f->in)[k][p], length_of(f, is_asked(f, p), k) * bytes};
        send[n] = rows ? theirs : mine, receive[n++] = rows ? mine : theirs;
    }
    GND_STREAM(g->mesh->link->beside) {
        status = gndi_mesh_exchange(g->mesh, f->fn, n, send, n, receive);
    }
    return status == GND_OK;
}

/* ---- work ----------------------------------------------------------------------------------------------------- */

static bool take_into(const gnd_array *x, const gnd_array *indices, gnd_array *out) {
    gnd_axes first = GND_AXES(0);
    first.out = out;
    return x && indices && out && gnd_take(x, indices, first, GND_CLIP);
}

/* The rows that others ask for, from element `from` up to `till` of each. What a failed rank asks for may be anything. */
static bool serve(const fetch *f, int k, int64_t from, int64_t till) {
    bool good = true;
    for (int p = 0; p < f->r->group.size && good; p++) {
        const int64_t n = is_other(f, p) ? length_of(f, is_asked(f, p), k) : 0, end = till < n ? till : n;
        if (from < end)
            good = take_into(f->x, slice_of(f->in[k][p], from, end), slice_of(f->served[k][p], from, end));
    }
    return good;
}

/* Rows of this rank's own indices, up to this share of them. Others' name the first row or the last one, until theirs
   come. */
static bool take_own(gndi_routing *r, const gnd_array *x, int64_t shares) {
    const int64_t all = gnd_size(r->near), till = shares >= SHARES ? all : all * shares / SHARES;
    const int64_t piece = all / SHARES > PIECE ? all / SHARES : PIECE;
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
    r->late = !take_own(r, x, FIRST_SHARE);
}

static bool put_back(const fetch *f) {
    bool good = true;
    for (int p = 0; p < f->r->group.size && good; p++)
        if (is_other(f, p) && asks(f, p) > 0)
            good = f->back[p] && gnd_set(f->r->y, GND_INDICES(f->r->mark[p]), f->back[p]) == GND_OK;
    return good;
}

/* All ranks of the mesh send in as many parts. */
static int parts_of(const gndi_routing *r) {
    if (share("XD_GATHER_PARTS", MOST_PARTS) == 1) return 1;
    return r->most > 0 && r->row > 0 && r->most >= gndi_route_part_bytes / r->row ? MOST_PARTS : 1;
}

gnd_array *gndi_route_fetch(gndi_routing *r, const char *fn, const gnd_array *x, gnd_shape rest, gnd_dtype dtype) {
    fetch f = {.r = r, .fn = fn, .x = x, .rest = rest, .dtype = dtype, .travels = gnd_dtype_of(r->near)};
    f.row = gndi_shape_count(rest) * (int64_t)gnd_dtype_size(dtype);
    f.parts = parts_of(r);
    bool good = allocate(&f) && x && r->y;
    good = exchange(&f, 0, false) && good;
    good = good && take_own(r, x, NEXT_SHARE);
    for (int k = 0; k < f.parts; k++) {
        good = good && serve(&f, k, 0, SMALL) && serve(&f, k, SMALL, INT64_MAX);
        if (k + 1 < f.parts) good = exchange(&f, k + 1, false) && good;
        good = exchange(&f, k, true) && good;
    }
    good = good && take_own(r, x, SHARES);
    return good && put_back(&f) ? r->y : NULL;
}
