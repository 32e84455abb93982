/*
 * index_route.c: indices on their way to the ranks that have their elements, and rows on the same way and back. Indices
 * are sorted by rank, stably, so that what goes to one rank is a slice, and updates keep their order.
 */
#include "dist/index.h"
#include <stdlib.h>
#include <string.h>

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

/* How many indices go from rank r to rank p, and how many of those before p, or of those of ranks before r. */
static int64_t count_of(const gndi_routing *r, int from, int to) {
    return r->count[from * r->group.size + to];
}

static int64_t before_rank(const gndi_routing *r, int from, int to) {
    int64_t n = 0;
    for (int p = 0; p < to; p++) n += count_of(r, from, p);
    return n;
}

static int64_t from_before(const gndi_routing *r, int from, int to) {
    int64_t n = 0;
    for (int q = 0; q < from; q++) n += count_of(r, q, to);
    return n;
}

static bool out_of_range(const gndi_routing *r, const char *fn, const gnd_array *indices, bool negative) {
    const gnd_array *ends = negative ? gnd_min(indices, GND_ALL) : gnd_max(indices, GND_ALL);
    const int64_t length = r->cuts[r->group.size], value = ends ? gnd_item_int(ends) : 0;
    if (ends)
        gndi_dist_raise(GND_ERROR_INDEX, fn, "index %lld is out of bounds for axis %d of size %lld",
                        (long long)(negative ? value - length : value), r->axis, (long long)length);
    return false;
}

/* Sorts indices by rank, and counts them in numbers[0 .. size). *sorted: as they go. */
static bool sort_by_rank(gndi_routing *r, const char *fn, const gnd_array *indices, int64_t *number,
                         gnd_array **sorted) {
    const int ranks = r->group.size;
    int64_t *ends = number + ranks;
    const gnd_dtype small = ranks + 2 < 256 ? GND_UINT8 : GND_INT32;
    const gnd_array *cuts = gnd_from_host(r->cuts, GND_SHAPE(ranks + 1), GND_INT64);
    const gnd_array *rank = gnd_astype(gnd_searchsorted(cuts, indices, GND_RIGHT, GND_NONE), small);
    gnd_array *ranked = NULL;
    if (!rank || gnd_sort_with_indices(&ranked, &r->order, rank, GND_AXES(0), GND_ASCENDING) != GND_OK) return false;
    const gnd_array *last = gnd_searchsorted(ranked, gnd_arange(0, ranks + 2, 1, small), GND_RIGHT, GND_NONE);
    if (!last || gnd_to_host(last, ends, (size_t)(ranks + 2) * sizeof *ends) != GND_OK) return false;
    for (int p = 0; p < ranks; p++) number[p] = ends[p + 1] - ends[p];
    if (ends[0] > 0 || ends[ranks + 1] > ends[ranks]) return out_of_range(r, fn, indices, ends[0] > 0);
    if (r->cuts[ranks] <= INT32_MAX) indices = gnd_astype(indices, GND_INT32); /* half of the bytes */
    return (*sorted = gnd_take(indices, r->order, GND_AXES(0), GND_RAISE)) != NULL;
}

/* Slices of `out`, rows by the rank that they go to, and of `in`, by the rank that they are from; `back`: the other
   way. In copies everybody sends all that it has, and there is only a way back. */
static bool exchange(const gndi_routing *r, const char *fn, const gnd_array *out, const gnd_array *in, gnd_shape rest,
                     gnd_dtype dtype, bool back) {
    const gndi_group *g = &r->group;
    gndi_piece *piece[2] = {g->mesh->link->pieces[back], g->mesh->link->pieces[!back]};
    const int64_t row = gndi_shape_count(rest) * (int64_t)gnd_dtype_size(dtype);
    int64_t start[2] = {0, 0};
    for (int p = 0; p < g->size; p++) {
        const int rank = gndi_beside(g->mesh, g->k, p);
        const gnd_array *array[2] = {out, in};
        const int64_t count[2] = {count_of(r, g->here, p), count_of(r, r->copies ? g->here : p, g->here)};
        for (int i = 0; i < 2; i++) {
            const long long first = (long long)start[i], next = (long long)(start[i] + count[i]);
            piece[i][p] =
                (gndi_piece){rank, array[i] ? gnd_slice(array[i], "%lld:%lld", first, next) : NULL, count[i] * row};
            if (i == 0 || !r->copies) start[i] += count[i];
        }
    }
    return gndi_mesh_exchange(g->mesh, fn, g->size, g->mesh->link->pieces[0], g->size, g->mesh->link->pieces[1]) ==
           GND_OK;
}

static gnd_array *empty_rows(int64_t rows, gnd_shape rest, gnd_dtype dtype) {
    gnd_shape shape = {.ndim = rest.ndim + 1, .dim = {rows}};
    memcpy(shape.dim + 1, rest.dim, (size_t)rest.ndim * sizeof *rest.dim);
    return gnd_empty(shape, dtype);
}

/* The same of rows that are in the order of ranks already. */
static gnd_array *send(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest, gnd_dtype dtype) {
    const gndi_group *g = &r->group;
    if (r->copies) {
        const int64_t start = before_rank(r, g->here, g->here), stop = start + count_of(r, g->here, g->here);
        return rows ? gnd_slice(rows, "%lld:%lld", (long long)start, (long long)stop) : NULL;
    }
    gnd_array *in = empty_rows(from_before(r, g->size, g->here), rest, dtype);
    return exchange(r, fn, rows, in, rest, dtype, false) ? in : NULL;
}

gnd_array *gndi_route_there(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest,
                            gnd_dtype dtype) {
    const gnd_array *sorted = rows ? gnd_take(rows, r->order, GND_AXES(0), GND_RAISE) : NULL;
    return send(r, fn, sorted, rest, dtype);
}

gnd_array *gndi_route_back(const gndi_routing *r, const char *fn, const gnd_array *rows, gnd_shape rest,
                           gnd_dtype dtype) {
    const gndi_group *g = &r->group;
    const int64_t sent = before_rank(r, g->here, g->size);
    gnd_array *out = empty_rows(sent, rest, dtype), *y = empty_rows(sent, rest, dtype);
    if (!exchange(r, fn, out, rows, rest, dtype, true) || !y) return NULL;
    return gnd_set(y, GND_INDICES(r->order), out) == GND_OK ? y : NULL;
}

bool gndi_route(gndi_routing *r, const char *fn, bool good, const gnd_array *indices) {
    const gndi_group *g = &r->group;
    const int ranks = g->size;
    int64_t *own = g->mesh->link->numbers;
    gnd_array *sorted = NULL;
    memset(own, 0, (size_t)(ranks + 1) * sizeof *own);
    r->count = gndi_dist_calloc(fn, (size_t)ranks * (size_t)ranks * sizeof *r->count);
    good = good && indices && r->count && sort_by_rank(r, fn, indices, own + 1, &sorted);
    own[0] = good ? GND_OK : (int64_t)gndi_dist_status(fn);
    const int64_t *all = gndi_mesh_gather(g->mesh, fn, own, (size_t)(ranks + 1) * sizeof *own);
    if (!all) return false;
    bool well = true;
    for (int rank = 0; rank < gnd_mesh_size(g->mesh); rank++) well = well && all[rank * (ranks + 1)] == GND_OK;
    for (int p = 0; well && p < ranks; p++)
        memcpy(r->count + p * ranks, all + gndi_beside(g->mesh, g->k, p) * (ranks + 1) + 1,
               (size_t)ranks * sizeof *r->count);
    if (!well) return gndi_mesh_agree_on(g->mesh, fn, good ? NULL : gnd_error()), false;
    const gnd_array *asked = send(r, fn, sorted, GND_SCALAR, gnd_dtype_of(sorted));
    r->asked = asked ? gnd_subtract(asked, r->cuts[g->here]) : NULL;
    return true;
}

void gndi_route_release(gndi_routing *r) {
    free(r->count);
    r->count = NULL;
}
