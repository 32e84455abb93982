/*
 * random.c: random numbers, which depend on their position in the whole array alone, and random orders.
 */
#include "dist/align.h"
#include <string.h>
#undef gnd_random_permutation

enum { MOST_PARAMETERS = 8 };

/* For GND_MESH_CHECK: tells states of generators apart. */
static unsigned long long state_of(gnd_random *g) {
    gnd_array *saved = gnd_random_save(g);
    const unsigned char *bytes = saved ? gnd_data(saved) : NULL;
    unsigned long long hash = 14695981039346656037u; /* FNV-1a */
    for (int64_t i = 0; bytes && i < gnd_nbytes(saved); i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

static bool enter(gnd_random *g, const gnd_dist *x, const char *fn, const char *name) {
    char text[160];
    const unsigned long long state = x->mesh->link->check ? state_of(g) : 0;
    return gndi_mesh_enter(x->mesh, fn, "%s %016llx %s", name, state, gndi_text_dist(x, text, sizeof text));
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

/* Draws nothing, but checks the parameters and advances the generator: for a rank that has no block. */
static gnd_status pass_over(gnd_random *g, const gnd_dist *x, const char *distribution, int count,
                            const gnd_arg *parameters) {
    const int64_t start[GND_MAX_DIMS] = {0};
    gnd_shape none = {.ndim = x->shape.ndim}; /* lengths of 0; of a 0-d array the one element */
    gnd_arg list[MOST_PARAMETERS];
    for (int i = 0; i < count; i++) {
        const bool array = parameters[i].kind == GND_ARG_ARRAY;
        list[i] = array ? gnd_arg_array(gnd_zeros(none, gnd_dtype_of(parameters[i].array))) : parameters[i];
    }
    return gnd_random_fill_part(g, gnd_empty(none, x->dtype), x->shape, start, distribution, count, list);
}

gnd_status gnd_dist_random_fill(gnd_random *g, gnd_dist *x, const char *distribution, int count,
                                const gnd_dist_arg *parameters) {
    static const char fn[] = "gnd_dist_random_fill";
    if (!g || gndi_dist_missing(x, fn)) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    if (!distribution || count < 0 || count > MOST_PARAMETERS || (count && !parameters))
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "no distribution, or %d parameters, of 0 to %d", count,
                               MOST_PARAMETERS);
    gnd_dist_arg operands[MOST_PARAMETERS + 1] = {gnd_dist_arg_dist(x)};
    for (int i = 0; i < count; i++) operands[i + 1] = parameters[i];
    gndi_common c;
    if (!gndi_align(&c, fn, count + 1, operands, x) || !enter(g, x, fn, distribution)) return gndi_dist_status(fn);
    gnd_arg list[MOST_PARAMETERS];
    for (int i = 0; i < count; i++) list[i] = gndi_aligned(&c, fn, operands[i + 1]);
    gndi_box box;
    gndi_box_of(x, gnd_mesh_rank(x->mesh), &box);
    gnd_status status = GND_ERROR_MEMORY;
    if (!c.failed) status = gnd_random_fill_part(g, x->local, x->shape, box.start, distribution, count, list);
    if (status != GND_ERROR_MEMORY) return status; /* done, or refused by all ranks alike */
    const gnd_status passed = pass_over(g, x, distribution, count, list);
    if (passed != GND_OK && passed != GND_ERROR_MEMORY) return passed;
    return gndi_dist_fail(x, fn, c.failed);
}

/* ---- orders -------------------------------------------------------------------------------------------------- */

/* What a rank sends to and receives from those beside it: indices within blocks, for each place. */
typedef struct shuffle {
    const gnd_dist *x;
    int k;                /* the axis of the mesh */
    gnd_array *order;     /* of all parts */
    gnd_array *come;      /* what is received, from one place after the other */
    gnd_array *positions; /* in the block, of each part of it */
} shuffle;

static gnd_array *ordered(const shuffle *s, int place) {
    const int64_t *cut = s->x->cuts[s->k] + place;
    return gnd_slice(s->order, "%lld:%lld", (long long)cut[0], (long long)cut[1]);
}

/* Where the order's part of one place has indices in another's block. */
static gnd_array *found(const shuffle *s, const gnd_array *order, int place) {
    const int64_t *cut = s->x->cuts[s->k] + place;
    return gnd_flatnonzero(gnd_logical_and(gnd_greater_equal(order, cut[0]), gnd_less(order, cut[1])));
}

/* Everything that may fail before anything moves. */
static bool prepare(shuffle *s, int *receives, int *sends) {
    const gnd_dist *x = s->x;
    gnd_mesh *mesh = x->mesh;
    const int places = mesh->grid[s->k], here = mesh->place[s->k];
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const gnd_axes first = GND_AXES(0);
    int64_t row = 0;
    s->come = gnd_empty(gndi_dist_local_shape(x), x->dtype);
    s->positions = gnd_empty(GND_SHAPE(gndi_dist_local_shape(x).dim[0]), GND_INT64);
    for (int p = 0; p < places; p++) {
        const int rank = gndi_beside(mesh, s->k, p);
        const gnd_array *wanted = ordered(s, p), *theirs = found(s, wanted, here);
        const gnd_array *own = gnd_subtract(gnd_take(wanted, theirs, first, GND_RAISE), x->cuts[s->k][here]);
        const gnd_array *parts = x->local && own ? gnd_take(x->local, own, first, GND_RAISE) : NULL;
        const gnd_array *mine = found(s, ordered(s, here), p);
        const int64_t till = row + (mine ? gnd_size(mine) : 0);
        gnd_array *rows = s->come ? gnd_slice(s->come, "%lld:%lld", (long long)row, (long long)till) : NULL;
        gnd_array *to = gnd_arange(row, till, 1, GND_INT64);
        if (!parts || !mine || !rows || gnd_put(s->positions, mine, gnd_arg_array(to), GND_RAISE)) return false;
        send[(*sends)++] = gndi_piece_of(rank, parts);
        receive[(*receives)++] = gndi_piece_of(rank, rows);
        row = till;
    }
    return true;
}

gnd_dist *gnd_dist_permutation(gnd_random *g, const gnd_dist *x) {
    static const char fn[] = "gnd_dist_permutation";
    if (!g || gndi_dist_missing(x, fn)) return gndi_dist_status(fn), NULL;
    GNDI_CALL(fn);
    gnd_mesh *mesh = x->mesh;
    if (x->shape.ndim == 0) return gndi_dist_raise(GND_ERROR_SHAPE, fn, "a 0-d array has nothing to permute"), NULL;
    if (!enter(g, x, fn, "")) return NULL;
    shuffle s = {.x = x, .k = gndi_split_of(x, 0)};
    const gnd_array *saved = gnd_random_save(g);
    s.order = saved ? gnd_random_permutation(g, gnd_arg_int(x->shape.dim[0]), 0) : NULL;
    int sends = 0, receives = 0;
    const bool ready = s.order && (s.k < 0 || prepare(&s, &receives, &sends));
    const gnd_error_record *failure = ready ? NULL : gndi_dist_failure(x);
    if (!ready && !failure) gndi_dist_status(fn), failure = gnd_error();
    if (gndi_mesh_agree_on(mesh, fn, failure) != GND_OK) {
        if (saved) gnd_random_restore(g, saved);
        return NULL;
    }
    gnd_array *local = NULL;
    gnd_dist *y = gndi_dist_new(mesh, fn, x->shape, x->dtype, gndi_layout_of(x));
    if (!y) return NULL;
    const gnd_axes first = GND_AXES(0);
    if (s.k < 0)
        local = x->local ? gnd_take(x->local, s.order, first, GND_RAISE) : NULL;
    else if (gndi_mesh_exchange(mesh, fn, sends, mesh->link->pieces[0], receives, mesh->link->pieces[1]) == GND_OK)
        local = gnd_take(s.come, s.positions, first, GND_RAISE);
    return s.k < 0 && !x->local ? gndi_dist_failed_like(y, x) : gndi_dist_done(y, fn, local);
}
