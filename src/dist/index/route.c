/*
 * route.c: indices on their way to the ranks that have their elements, and rows on the same way and back. A few
 * ranks mark which indices are whose; of many, indices are sorted by rank. Both keep the order of what goes to one
 * rank, so that updates keep theirs.
 */
#include "dist/index/index.h"
#include <stdlib.h>
#include <string.h>

int gndi_route_marks = GNDI_ROUTE_MARKS;

gnd_array *gndi_plain_indices(const gnd_array *indices, int64_t length, gnd_index_mode mode) {
    if (!indices) return NULL;
    const gnd_array *a = gnd_ravel(indices);
    if (gnd_dtype_of(a) == GND_UINT64) a = gnd_minimum(a, (unsigned long long)INT64_MAX);
    if (gnd_dtype_of(a) != GND_INT64) a = gnd_astype(a, GND_INT64);
    if (gnd_size(a) == 0) return (gnd_array *)a;
    if (mode == GND_WRAP) return gnd_remainder(a, length);
    if (mode == GND_CLIP) return gnd_clip(a, 0, length - 1);
    return gnd_dtype_kind(gnd_dtype_of(indices)) == 'u' ? (gnd_array *)a
                                                        : gnd_where(gnd_less(a, 0), gnd_add(a, length), a);
}

/* How many indices go from rank r to ranks before p, or to rank r from ranks before p. */
static int64_t before_rank(const gndi_routing *r, int from, int to) {
    int64_t n = 0;
    for (int p = 0; p < to; p++) n += gndi_route_count(r, from, p);
    return n;
}

static int64_t from_before(const gndi_routing *r, int from, int to) {
    int64_t n = 0;
    for (int q = 0; q < from; q++) n += gndi_route_count(r, q, to);
    return n;
}

/* ---- whose is which ----------------------------------------------------------------------------------------- */

/* Of plain indices; if any is negative, that one. */
static bool out_of_range(const gndi_routing *r, const char *fn, const gnd_array *indices) {
    const gnd_array *least = indices ? gnd_min(indices, GND_ALL) : NULL,
                    *most = least ? gnd_max(indices, GND_ALL) : NULL;
    const int64_t length = r->cuts[r->group.size], low = most ? gnd_item_int(least) : 0;
    if (most)
        gndi_dist_raise(GND_ERROR_INDEX, fn, "index %lld is out of bounds for axis %d of size %lld",
                        (long long)(low < 0 ? low - length : gnd_item_int(most)), r->axis, (long long)length);
    return false;
}

/* What travels: half of the bytes where that is enough. */
static gnd_dtype travelling(const gndi_routing *r) {
    return r->cuts[r->group.size] <= INT32_MAX ? GND_INT32 : GND_INT64;
}

/* Rows that belong to rank p's indices, of which there are n; NULL without any. */
static gnd_array *pack(const gndi_routing *r, const gnd_array *rows, int p, int64_t n) {
    gnd_array *count;
    if (!rows || n == 0) return NULL;
    if (gnd_ndim(rows) == 1) return gnd_extract_bounded(r->mark[p], rows, n, &count);
    return gnd_compress(r->mark[p], rows, GND_AXES(0));
}

static bool is_packed(const gndi_routing *r, int p) {
    return r->copies ? p == r->group.here : !r->takes || p != r->group.here;
}

/* Marks indices in one pass. */
static bool mark(gndi_routing *r, const gnd_array *line) {
    GND_FUSE {
        const gnd_array *a = gndi_plain_indices(line, r->cuts[r->group.size], r->mode);
        if (!a) break;
        r->near = gnd_keep(gnd_astype(gnd_subtract(a, r->cuts[r->group.here]), travelling(r)));
        for (int p = 0; p < r->group.size; p++)
            r->mark[p] = gnd_keep(gnd_logical_and(gnd_greater_equal(a, r->cuts[p]), gnd_less(a, r->cuts[p + 1])));
    }
    return r->near != NULL;
}

/* Marks indices, counts them in number[0 .. size), and packs those that go. */
static bool mark_by_rank(gndi_routing *r, const char *fn, const gnd_array *indices, int64_t *number) {
    const int ranks = r->group.size;
    const gnd_array *line = gnd_ravel(indices);
    gnd_array *counts = gnd_empty(GND_SHAPE(ranks), GND_INT64);
    bool good = line && counts && mark(r, line);
    for (int p = 0; p < ranks && good; p++) {
        gnd_axes into = GND_ALL;
        into.out = gnd_slice(counts, "%d", p);
        good = r->mark[p] && into.out && gnd_count_nonzero(r->mark[p], into);
    }
    if (!good || gnd_to_host(counts, number, (size_t)ranks * sizeof *number) != GND_OK) return false;
    int64_t found = 0;
    for (int p = 0; p < ranks; p++) found += number[p];
    if (found != gnd_size(line)) return out_of_range(r, fn, gndi_plain_indices(line, r->cuts[ranks], r->mode));
    for (int p = 0; p < ranks && good; p++)
        if (is_packed(r, p) && number[p] > 0) good = (r->out[p] = pack(r, r->near, p, number[p])) != NULL;
    return good;
}

/* Sorts indices by rank, and counts them likewise. */
static bool sort_by_rank(gndi_routing *r, const char *fn, const gnd_array *indices, int64_t *number) {
    const int ranks = r->group.size;
    int64_t *ends = number + ranks;
    const gnd_dtype small = ranks + 2 < 256 ? GND_UINT8 : GND_INT32;
    const gnd_array *plain = gndi_plain_indices(indices, r->cuts[ranks], r->mode);
    const gnd_array *cuts = plain ? gnd_from_host(r->cuts, GND_SHAPE(ranks + 1), GND_INT64) : NULL;
    const gnd_array *rank = cuts ? gnd_astype(gnd_searchsorted(cuts, plain, GND_RIGHT, GND_NONE), small) : NULL;
    gnd_array *ranked = NULL;
    if (!rank || gnd_sort_with_indices(&ranked, &r->order, rank, GND_AXES(0), GND_ASCENDING) != GND_OK) return false;
    const gnd_array *last = gnd_searchsorted(ranked, gnd_arange(0, ranks + 2, 1, small), GND_RIGHT, GND_NONE);
    if (!last || gnd_to_host(last, ends, (size_t)(ranks + 2) * sizeof *ends) != GND_OK) return false;
    for (int p = 0; p < ranks; p++) number[p] = ends[p + 1] - ends[p];
    if (ends[0] > 0 || ends[ranks + 1] > ends[ranks]) return out_of_range(r, fn, plain);
    return (r->sorted = gnd_take(gnd_astype(plain, travelling(r)), r->order, GND_AXES(0), GND_RAISE)) != NULL;
}

bool gndi_route(gndi_routing *r, const char *fn, bool good, const gnd_array *indices) {
    const gndi_group *g = &r->group;
    const int ranks = g->size;
    int64_t *own = g->mesh->link->numbers;
    memset(own, 0, (size_t)(ranks + 1) * sizeof *own);
    r->count = gndi_dist_calloc(fn, (size_t)ranks * (size_t)ranks * sizeof *r->count);
    good = good && indices && r->count;
    if (good) good = (ranks <= gndi_route_marks ? mark_by_rank : sort_by_rank)(r, fn, indices, own + 1);
    own[0] = good ? GND_OK : (int64_t)gndi_dist_status(fn);
    const int64_t *all = NULL;
    GND_STREAM(g->mesh->link->beside) { /* while indices are packed */
        all = gndi_mesh_gather(g->mesh, fn, own, (size_t)(ranks + 1) * sizeof *own);
    }
    if (!all) return false;
    bool well = true;
    r->most = 0;
    for (int rank = 0; rank < gnd_mesh_size(g->mesh); rank++) {
        const int64_t *number = all + rank * (ranks + 1);
        well = well && number[0] == GND_OK;
        for (int p = 0; p < ranks; p++)
            if (p != gndi_place(g->mesh, rank, g->k) && number[1 + p] > r->most) r->most = number[1 + p];
    }
    for (int p = 0; well && p < ranks; p++)
        memcpy(r->count + p * ranks, all + gndi_beside(g->mesh, g->k, p) * (ranks + 1) + 1,
               (size_t)ranks * sizeof *r->count);
    if (!well) gndi_mesh_agree_on(g->mesh, fn, good ? NULL : gnd_error());
    return well;
}

void gndi_route_release(gndi_routing *r) {
    free(r->count);
    r->count = NULL;
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

gnd_array *gndi_route_rows(int64_t rows, gnd_shape rest, gnd_dtype dtype) {
    gnd_shape shape = {.ndim = rest.ndim + 1, .dim = {rows}};
    memcpy(shape.dim + 1, rest.dim, (size_t)rest.ndim * sizeof *rest.dim);
    return gnd_empty(shape, dtype);
}

static gnd_array *slice_of(const gnd_array *rows, int64_t start, int64_t count) {
    return rows ? gnd_slice(rows, "%lld:%lld", (long long)start, (long long)(start + count)) : NULL;
}

/* Pieces that go to the ranks and come from them, as the caller has put them into the mesh's lists. */
static bool exchange(const gndi_routing *r, const char *fn) {
    const gndi_group *g = &r->group;
    gndi_link *link = g->mesh->link;
    return gndi_mesh_exchange(g->mesh, fn, g->size, link->pieces[0], g->size, link->pieces[1]) == GND_OK;
}

/* ---- there -------------------------------------------------------------------------------------------------- */

/* Rows that are sorted by rank. */
static gnd_array *sorted_there(const gndi_routing *r, const char *fn, const gnd_array *sorted, gnd_shape rest,
                               gnd_dtype dtype) {
    const gndi_group *g = &r->group;
    const int64_t bytes = gndi_shape_count(rest) * (int64_t)gnd_dtype_size(dtype);
    if (r->copies) return slice_of(sorted, before_rank(r, g->here, g->here), gndi_route_count(r, g->here, g->here));
    gnd_array *in = gndi_route_rows(from_before(r, g->size, g->here), rest, dtype);
    for (int p = 0; p < g->size; p++) {
        const int rank = gndi_beside(g->mesh, g->k, p);
        const int64_t goes = gndi_route_count(r, g->here, p), comes = gndi_route_count(r, p, g->here);
        g->mesh->link->pieces[0][p] =
            gndi_piece_at(rank, slice_of(sorted, before_rank(r, g->here, p), goes), goes * bytes);
        g->mesh->link->pieces[1][p] =
            gndi_piece_at(rank, slice_of(in, from_before(r, p, g->here), comes), comes * bytes);
    }
    return exchange(r, fn) ? in : NULL;
}

/* Rows that are marked; NULL: the indices. They arrive in arrays of their own, at addresses that are fast to write to.
   Indices, which are counted in the sender's block, are counted in this rank's when they go where they belong. */
static gnd_array *marked_there(const gndi_routing *r, const char *fn, bool indices, const gnd_array *rows,
                               gnd_shape rest, gnd_dtype dtype) {
    const gndi_group *g = &r->group;
    const int64_t bytes = gndi_shape_count(rest) * (int64_t)gnd_dtype_size(dtype);
    gnd_array *in[GNDI_ROUTE_MARKS], *all = gndi_route_rows(from_before(r, g->size, g->here), rest, dtype);
    bool good = all && (indices || rows);
    for (int p = 0; p < g->size; p++) {
        const int rank = gndi_beside(g->mesh, g->k, p);
        const bool own = p == g->here;
        const int64_t comes = gndi_route_count(r, p, g->here), goes = gndi_route_count(r, g->here, p);
        gnd_array *out = indices ? r->out[p] : is_packed(r, p) ? pack(r, rows, p, goes) : NULL;
        in[p] = own ? out : comes > 0 && !r->copies ? gndi_route_rows(comes, rest, dtype) : NULL;
        g->mesh->link->pieces[0][p] = gndi_piece_at(rank, out, own ? 0 : goes * bytes);
        g->mesh->link->pieces[1][p] = gndi_piece_at(rank, in[p], own ? 0 : comes * bytes);
    }
    if (r->copies) return gndi_route_count(r, g->here, g->here) > 0 ? in[g->here] : good ? all : NULL;
    good = exchange(r, fn) && good;
    for (int p = 0; p < g->size && good; p++) {
        const int64_t n = gndi_route_count(r, p, g->here);
        gnd_array *part = n > 0 ? slice_of(all, from_before(r, p, g->here), n) : NULL;
        if (n == 0) continue;
        good = part && in[p] &&
               (indices ? gnd_add_into(part, in[p], r->cuts[p] - r->cuts[g->here]) : gnd_copyto(part, in[p])) == GND_OK;
    }
    return good ? all : NULL;
}

gnd_array *gndi_route_asked(const gndi_routing *r, const char *fn) {
    if (r->near) return marked_there(r, fn, true, NULL, GND_SCALAR, travelling(r));
    const gnd_array *asked = sorted_there(r, fn, r->sorted, GND_SCALAR, travelling(r));
    return asked ? gnd_subtract(asked, r->cuts[r->group.here]) : NULL;
}

gnd_array *gndi_route_there(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest,
                            gnd_dtype dtype) {
    if (r->near) return marked_there(r, fn, false, rows, rest, dtype);
    return sorted_there(r, fn, rows ? gnd_take(rows, r->order, GND_AXES(0), GND_RAISE) : NULL, rest, dtype);
}

/* ---- and back ----------------------------------------------------------------------------------------------- */

/* In copies everybody sends all that it has. */
gnd_array *gndi_route_back(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest,
                           gnd_dtype dtype) {
    const gndi_group *g = &r->group;
    gndi_piece *out = g->mesh->link->pieces[0], *in = g->mesh->link->pieces[1];
    const int64_t bytes = gndi_shape_count(rest) * (int64_t)gnd_dtype_size(dtype);
    const int64_t sent = before_rank(r, g->here, g->size);
    gnd_array *all = r->near ? NULL : gndi_route_rows(sent, rest, dtype), *y = gndi_route_rows(sent, rest, dtype);
    gnd_array *part[GNDI_ROUTE_MARKS];
    int64_t start = 0;
    for (int p = 0; p < g->size; p++) {
        const int rank = gndi_beside(g->mesh, g->k, p);
        const int64_t back = gndi_route_count(r, r->copies ? g->here : p, g->here), n = gndi_route_count(r, g->here, p);
        out[p] = gndi_piece_at(rank, slice_of(rows, start, back), back * bytes);
        in[p] = gndi_piece_at(rank,
                              r->near ? n > 0 ? gndi_route_rows(n, rest, dtype) : NULL
                                      : slice_of(all, before_rank(r, g->here, p), n),
                              n * bytes);
        if (r->near) part[p] = (gnd_array *)in[p].array;
        if (!r->copies) start += back;
    }
    bool good = exchange(r, fn) && y;
    if (!r->near) return good && gnd_set(y, GND_INDICES(r->order), all) == GND_OK ? y : NULL;
    for (int p = 0; p < g->size && good; p++)
        if (gndi_route_count(r, g->here, p) > 0)
            good = part[p] && gnd_set(y, GND_INDICES(r->mark[p]), part[p]) == GND_OK;
    return good ? y : NULL;
}

gnd_array *gndi_route_take(const gndi_routing *r, const char *fn, const gnd_array *x, gnd_shape rest, gnd_dtype dtype) {
    if (r->near && !r->copies) return gndi_route_fetch(r, fn, x, rest, dtype);
    const gnd_array *asked = gndi_route_asked(r, fn);
    const gnd_array *rows = asked && x ? gnd_take(x, asked, GND_AXES(0), GND_CLIP) : NULL; /* of a failed rank, maybe */
    return gndi_route_back(r, fn, rows, rest, dtype);
}
