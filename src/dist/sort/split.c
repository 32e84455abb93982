/*
 * split.c: where the sorted runs of several ranks are cut, so that each rank gets as many elements as it is to
 * have, exactly, whatever the elements are.
 *
 * For each cut, each rank's run has a window in which it is. All ranks gather some elements of each window and sort
 * them: which of the elements are certainly before the cut, or behind it, follows from the numbers of elements between
 * them, and windows become shorter by a factor of about a hundred. Equal elements count in the order of ranks and
 * places, so the cuts are unique; keys are compared by gnd_argsort alone, so every dtype and order is taken.
 */
#include "dist/sort/sort.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct window {
    int64_t low, high; /* the cut is in here, both ends included */
} window;

/* On the host: of `cuts` cuts, `samples` elements of a window at most. */
typedef struct workspace {
    int64_t cuts, samples;
    window *windows, *next; /* (cuts, ranks) */
    int64_t *index, *order; /* (cuts, samples), (cuts, ranks * samples) */
    int64_t *passed;        /* of each rank: samples before the present one */
} workspace;

/* ---- windows ------------------------------------------------------------------------------------------------ */

static int64_t sampled(const workspace *w, window v) {
    return v.high - v.low < w->samples ? v.high - v.low : w->samples;
}

/* The place of sample j of a window, which is all of it where it is short. */
static int64_t place(const workspace *w, window v, int64_t j) {
    return v.low + (2 * j + 1) * (v.high - v.low) / (2 * sampled(w, v));
}

/* How many elements of this window's run are before its next sample at most, when `passed` were seen. */
static int64_t at_most(const workspace *w, window v, int64_t passed) {
    return passed < sampled(w, v) ? place(w, v, passed) : v.high;
}

/* Makes the windows of one cut shorter, by its samples in order: of rank order[i] / samples. */
static void narrow(const workspace *w, int ranks, int64_t target, const window *old, window *new,
                   const int64_t *order) {
    int64_t least = 0, most = 0; /* elements before the present one */
    memset(w->passed, 0, (size_t)ranks * sizeof *w->passed);
    memcpy(new, old, (size_t)ranks * sizeof *new);
    for (int r = 0; r < ranks; r++) least += old[r].low, most += at_most(w, old[r], 0);
    for (int64_t i = 0; i < ranks * w->samples; i++) {
        const int64_t r = order[i] / w->samples, n = w->passed[r];
        if (order[i] % w->samples >= sampled(w, old[r])) continue; /* fills the row */
        const int64_t here = place(w, old[r], n), before = n ? place(w, old[r], n - 1) + 1 : old[r].low;
        if (most < target)
            new[r].low = here + 1;
        else if (least - before + here >= target && here < new[r].high)
            new[r].high = here;
        w->passed[r]++;
        least += here + 1 - before, most += at_most(w, old[r], n + 1) - here;
    }
}

/* The elements of this rank's run at the samples' places, as (cuts, samples); rows are filled up with any. */
static gnd_array *samples_of(const workspace *w, const gndi_group *g, const gnd_array *run) {
    for (int64_t p = 0; p < w->cuts; p++) {
        const window v = w->windows[p * g->size + g->here];
        for (int64_t j = 0; j < w->samples; j++) w->index[p * w->samples + j] = j < sampled(w, v) ? place(w, v, j) : 0;
    }
    const gnd_shape shape = GND_SHAPE(w->cuts, w->samples);
    if (gnd_size(run) == 0) return gnd_zeros(shape, gnd_dtype_of(run));
    return gnd_take(run, gnd_from_host(w->index, shape, GND_INT64), GND_AXES(0), GND_RAISE);
}

/* One round for all cuts; false on an error of this rank, which has taken part. */
static bool narrow_all(const gndi_cutting *c, const char *fn, const gnd_array *run, gnd_dtype dtype) {
    const gndi_group *g = &c->group;
    workspace *w = c->workspace;
    bool good = false;
    GND_SCOPE {
        const gnd_shape shape = GND_SHAPE(w->cuts, w->samples);
        const gnd_array *own = run ? samples_of(w, g, run) : NULL;
        const gnd_array *all = gndi_group_gather(g, fn, own, shape, dtype);
        const int64_t length = g->size * w->samples;
        if (all) {
            all = gnd_reshape(gnd_permute(all, GND_AXES(1, 0, 2)), GND_SHAPE(w->cuts, length));
            all = gnd_argsort(all, GND_AXES(1), c->direction);
            good = all && gnd_to_host(all, w->order, (size_t)(w->cuts * length) * sizeof *w->order) == GND_OK;
        }
    }
    for (int64_t p = 0; good && p < w->cuts; p++)
        narrow(w, g->size, c->target[p + 1], w->windows + p * g->size, w->next + p * g->size,
               w->order + p * g->size * w->samples);
    if (good) memcpy(w->windows, w->next, (size_t)(w->cuts * g->size) * sizeof *w->next);
    return good;
}

/* ---- cuts --------------------------------------------------------------------------------------------------- */

bool gndi_cutting_prepare(gndi_cutting *c, const char *fn) {
    const int64_t ranks = c->group.size, cuts = ranks - 1, samples = 512 + 32 * ranks;
    const int64_t windows = 2 * cuts * ranks, numbers = cuts * samples * (1 + ranks) + ranks + ranks * (ranks + 1);
    workspace *w =
        gndi_dist_calloc(fn, sizeof *w + (size_t)windows * sizeof *w->windows + (size_t)numbers * sizeof *w->index);
    c->workspace = w;
    if (!w) return false;
    *w = (workspace){.cuts = cuts, .samples = samples, .windows = (window *)(w + 1)};
    w->next = w->windows + cuts * ranks;
    w->index = (int64_t *)(w->next + cuts * ranks);
    w->order = w->index + cuts * samples;
    w->passed = w->order + cuts * ranks * samples;
    c->at = w->passed + ranks;
    return true;
}

void gndi_cutting_release(gndi_cutting *c) {
    free(c->workspace);
    c->workspace = NULL, c->at = NULL;
}

bool gndi_cutting_find(gndi_cutting *c, const char *fn, bool good, const gnd_array *run, gnd_dtype dtype) {
    const int ranks = c->group.size;
    workspace *w = c->workspace;
    const int64_t cuts = w ? w->cuts : 0;
    int64_t open;
    good = good && run && w;
    for (int64_t p = 0; p < cuts; p++)
        for (int r = 0; r < ranks; r++) w->windows[p * ranks + r] = (window){0, c->start[r + 1] - c->start[r]};
    for (;;) {
        open = 0;
        for (int64_t i = 0; i < cuts * ranks; i++) open += w->windows[i].high - w->windows[i].low;
        if (!gndi_mesh_all_good(c->group.mesh, fn, good, open, &open)) return false;
        if (open == 0) break; /* of all groups */
        good = narrow_all(c, fn, run, dtype);
    }
    for (int r = 0; r < ranks; r++) {
        int64_t *at = c->at + r * (ranks + 1);
        at[0] = 0, at[ranks] = c->start[r + 1] - c->start[r];
        for (int64_t p = 0; p < w->cuts; p++) at[p + 1] = w->windows[p * ranks + r].low;
    }
    return true;
}

bool gndi_cutting_exchange(const gndi_cutting *c, const char *fn, int count, gnd_array *const *array,
                           const gnd_dtype *dtype, gnd_array **part) {
    int64_t total = 0;
    for (int r = 0; r < c->group.size; r++) total += gndi_cutting_count(c, r, c->group.here);
    for (int i = 0; i < count; i++) part[i] = gnd_empty(GND_SHAPE(total), dtype[i]);
    return gndi_cutting_move(c, fn, count, array, dtype, part, false);
}

static gndi_piece piece(int rank, const gnd_array *a, int64_t start, int64_t count, gnd_dtype dtype) {
    return gndi_piece_at(rank, a ? gnd_slice(a, "%lld:%lld", (long long)start, (long long)(start + count)) : NULL,
                         count * (int64_t)gnd_dtype_size(dtype));
}

bool gndi_cutting_move(const gndi_cutting *c, const char *fn, int count, gnd_array *const *run, const gnd_dtype *dtype,
                       gnd_array *const *part, bool back) {
    const gndi_group *g = &c->group;
    gndi_piece *of_run = g->mesh->link->pieces[back], *of_part = g->mesh->link->pieces[!back];
    const int64_t *at = c->at + g->here * (g->size + 1);
    int n = 0;
    for (int i = 0; i < count; i++) {
        int64_t done = 0;
        for (int p = 0; p < g->size; p++, n++) {
            const int rank = gndi_beside(g->mesh, g->k, p);
            const int64_t in = gndi_cutting_count(c, p, g->here);
            of_run[n] = piece(rank, run[i], at[p], at[p + 1] - at[p], dtype[i]);
            of_part[n] = piece(rank, part[i], done, in, dtype[i]);
            done += in;
        }
    }
    return gndi_mesh_exchange(g->mesh, fn, n, g->mesh->link->pieces[0], n, g->mesh->link->pieces[1]) == GND_OK;
}

/* ---- equal elements together -------------------------------------------------------------------------------- */

/* The first element behind each cut: of all ranks' elements there, the least. *have: whether there is one. */
static gnd_array *first_behind(const gndi_cutting *c, const char *fn, const gnd_array *run, gnd_dtype dtype,
                               bool *have) {
    const gndi_group *g = &c->group;
    workspace *w = c->workspace;
    const int64_t *start = c->start, cuts = w->cuts;
    const gnd_array *own = NULL;
    for (int64_t p = 0; p < cuts; p++) {
        const int64_t i = c->at[g->here * (g->size + 1) + p + 1];
        w->index[p] = i < start[g->here + 1] - start[g->here] ? i : 0;
    }
    if (start[g->here + 1] == start[g->here])
        own = gnd_zeros(GND_SHAPE(cuts), dtype);
    else
        own = gnd_take(run, gnd_from_host(w->index, GND_SHAPE(cuts), GND_INT64), GND_AXES(0), GND_RAISE);
    const gnd_array *all = gndi_group_gather(g, fn, own, GND_SHAPE(cuts), dtype);
    const gnd_array *order = all ? gnd_argsort(all, GND_AXES(0), c->direction) : NULL; /* (ranks, cuts) */
    if (!order || gnd_to_host(order, w->order, (size_t)(g->size * cuts) * sizeof *w->order) != GND_OK) return NULL;
    for (int64_t p = 0; p < cuts; p++) {
        for (int i = 0; i < g->size && !have[p]; i++) {
            const int64_t r = w->order[i * cuts + p];
            have[p] = c->at[r * (g->size + 1) + p + 1] < start[r + 1] - start[r];
            w->index[p] = have[p] ? r * cuts + p : 0;
        }
    }
    return gnd_take(all, gnd_from_host(w->index, GND_SHAPE(cuts), GND_INT64), GND_ALL, GND_RAISE);
}

bool gndi_cutting_before_equal(gndi_cutting *c, const char *fn, const gnd_array *run, gnd_dtype dtype) {
    const gndi_group *g = &c->group;
    workspace *w = c->workspace;
    const int64_t cuts = w->cuts, length = c->start[g->here + 1] - c->start[g->here];
    bool *have = (bool *)w->windows; /* not needed any more */
    int64_t *own = w->passed;        /* the status, and this rank's cuts */
    memset(have, 0, (size_t)cuts * sizeof *have);
    const gnd_array *first = first_behind(c, fn, run, dtype, have);
    if (first && gnd_dtype_kind(dtype) == 'c') { /* the least of all NaN, which are one value */
        const gnd_array *least = gnd_astype(gnd_full(GND_SCALAR, CMPLX(-INFINITY, NAN), GND_COMPLEX128), dtype);
        first = gnd_where(gnd_isnan(first), least, first);
    }
    const gnd_array *at = first ? gnd_searchsorted(run, first, GND_LEFT, GND_NONE) : NULL;
    const bool good = at && gnd_to_host(at, own + 1, (size_t)cuts * sizeof *own) == GND_OK;
    own[0] = good ? GND_OK : (int64_t)gndi_dist_status(fn);
    for (int64_t p = 0; p < cuts; p++)
        if (!have[p]) own[p + 1] = length;
    const int64_t *all = gndi_mesh_gather(g->mesh, fn, own, (size_t)g->size * sizeof *own);
    if (!all) return false;
    bool well = true;
    for (int r = 0; r < gnd_mesh_size(g->mesh); r++) well = well && all[r * g->size] == GND_OK;
    if (!well) return gndi_mesh_agree_on(g->mesh, fn, good ? NULL : gnd_error()), false;
    for (int p = 0; p < g->size; p++)
        memcpy(c->at + p * (g->size + 1) + 1, all + gndi_beside(g->mesh, g->k, p) * g->size + 1,
               (size_t)cuts * sizeof *own);
    return true;
}
