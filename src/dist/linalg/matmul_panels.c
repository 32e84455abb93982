/*
 * matmul_panels.c: the blocks of a product. What moves comes in panels along one axis of the space; while one panel is
 * multiplied, the next one is on its way on a stream of its own.
 *
 * Ranks go through the panels in the same order, but each begins at another one: at its own. Where several ranks
 * compute the same copy of the product, they begin at the same, so that the bits are the same.
 */
#include "dist/linalg/matmul.h"
#include <string.h>

typedef struct panels {
    const gndi_product *p;
    int along;     /* the axis of the space, or -1: one panel of everything */
    bool cut[2];   /* whether panels of a factor come step by step; else all of it in the first one */
    int64_t *edge; /* count + 1 */
    int count, step;
    bool first_is_last;    /* the first panel is multiplied in two parts, the second one after all others */
    gnd_array *part[2][2]; /* of each factor, of even and odd steps */
} panels;

/* ---- which panels ------------------------------------------------------------------------------------------------ */

static bool is_half(gnd_dtype t) {
    return t == GND_FLOAT16 || t == GND_BFLOAT16;
}

static bool splits_inner(const gndi_product *p, const gndi_factor *f) {
    return f->moves && (gndi_factor_split(p, f, 0) == p->inner || gndi_factor_split(p, f, 1) == p->inner);
}

/* Along the inner axis, where what moves is cut there; but products of halves, which are rounded, are not added. */
static int panel_axis(const gndi_product *p) {
    const gndi_factor *a = &p->factor[0], *b = &p->factor[1];
    if (!a->moves && !b->moves) return -1;
    if (!is_half(p->dtype) && (splits_inner(p, a) || splits_inner(p, b))) return p->inner;
    const int axis = b->moves ? p->columns : p->rows;
    return p->axis[axis] >= 0 ? axis : -1;
}

static void add_edge(panels *w, int64_t at) {
    int i = w->count;
    while (i > 0 && w->edge[i - 1] >= at) i--;
    if (i < w->count && w->edge[i] == at) return;
    memmove(w->edge + i + 1, w->edge + i, (size_t)(w->count - i) * sizeof *w->edge);
    w->edge[i] = at, w->count++;
}

/* Each panel is longer than the one before it, since its way is hidden behind that one's product. Of halves a part of
   the first one is multiplied before anything has come, and hides what comes at once. */
static void add_growing_edges(panels *w, int64_t length) {
    const gndi_product *p = w->p;
    const bool both = p->factor[0].moves && p->factor[1].moves;
    static const int sixteenths[2][3] = {{1, 3, 7}, {4, 6, 10}};
    w->first_is_last = is_half(p->dtype) && p->sum == p->dtype;
    for (int i = 0; i < 3; i++) add_edge(w, length * sixteenths[both && w->first_is_last][i] / 16);
}

/* Edges where a factor that moves is cut; else a few panels. */
static void find_panels(panels *w) {
    const gndi_product *p = w->p;
    w->along = panel_axis(p), w->edge = p->mesh->link->numbers, w->count = 0, w->step = 0;
    const int64_t length = w->along < 0 ? 1 : p->length[w->along];
    add_edge(w, 0), add_edge(w, length);
    bool given = false;
    for (int j = 0; j < 2; j++) {
        const gndi_factor *f = &p->factor[j];
        w->cut[j] = w->along >= 0 && f->moves && f->axis[w->along] >= 0;
        for (int k = 0; w->cut[j] && k < 2; k++) {
            if (gndi_factor_split(p, f, k) != w->along) continue;
            given = true;
            for (int i = 1; i < p->mesh->grid[k]; i++) add_edge(w, f->x->cuts[k][i]);
        }
    }
    if (!given && w->along >= 0) add_growing_edges(w, length);
    w->count--;
}

/* The panel that a rank begins with: where its block begins. */
static int first_panel(const panels *w, int rank) {
    const gndi_product *p = w->p;
    int first = 0;
    for (int j = 0; j < 2; j++)
        for (int k = 0; w->cut[j] && k < 2; k++) {
            const gndi_factor *f = &p->factor[j];
            if (gndi_factor_split(p, f, k) != w->along || p->work[k] < 0) continue;
            const int64_t begins = f->x->cuts[k][gndi_place(p->mesh, rank, k)];
            for (int i = 0; i < w->count && w->edge[i] < begins; i++) first++;
        }
    return first % w->count;
}

/* What a rank multiplies in this step. */
static void panel_of(const void *context, int rank, int64_t *from, int64_t *till) {
    const panels *w = context;
    const int i = (first_panel(w, rank) + w->step + w->first_is_last) % w->count;
    *from = w->edge[i], *till = w->edge[i + 1];
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* The box of a factor that this rank needs in this step; false if the rank has all of it already. */
static bool needed(const panels *w, int j, gndi_box *box) {
    const gndi_factor *f = &w->p->factor[j];
    const int rank = gnd_mesh_rank(w->p->mesh), ndim = f->x->shape.ndim;
    gndi_box have, meet;
    gndi_box_of(f->need, rank, box);
    if (w->along >= 0 && f->axis[w->along] >= 0) {
        gndi_box range = *box;
        int64_t till;
        const int axis = f->axis[w->along];
        panel_of(w, rank, &range.start[axis], &till);
        range.count[axis] = till - range.start[axis];
        gndi_box_meet(ndim, box, &range, box);
    }
    for (int i = 0; i < ndim; i++)
        if (box->count[i] == 0) return false;
    gndi_box_of(f->x, rank, &have);
    gndi_box_meet(ndim, &have, box, &meet);
    return memcmp(meet.count, box->count, (size_t)ndim * sizeof *meet.count) != 0;
}

static gnd_shape box_shape(int ndim, const gndi_box *box) {
    gnd_shape shape = {.ndim = ndim};
    memcpy(shape.dim, box->count, (size_t)ndim * sizeof *shape.dim);
    return shape;
}

/* A factor's part, where the rank has it already: a view. */
static gnd_array *part_here(const gndi_factor *f, const gndi_box *box) {
    gndi_box have;
    gndi_box_of(f->x, gnd_mesh_rank(f->x->mesh), &have);
    const gnd_shape shape = box_shape(f->x->shape.ndim, box);
    if (!f->x->local) return NULL;
    if (gndi_shape_count(shape) == 0) return gnd_empty(shape, f->x->dtype);
    return gndi_box_view(f->x->local, f->x->shape.ndim, box, have.start);
}

/* Lists what moves of a factor in this step, and returns where it comes to. */
static gnd_array *list_factor(const panels *w, int j, int *sends, int *receives) {
    const gndi_factor *f = &w->p->factor[j];
    gndi_box have, box;
    gndi_box_of(f->x, gnd_mesh_rank(f->x->mesh), &have);
    const bool comes = needed(w, j, &box);
    gnd_array *part = comes ? gnd_empty(box_shape(f->x->shape.ndim, &box), f->x->dtype) : part_here(f, &box);
    if (f->moves)
        gndi_step_pieces(&(gndi_step){.x = f->x,
                                      .to = f->need,
                                      .from = f->x->local,
                                      .into = part,
                                      .from_start = have.start,
                                      .to_start = box.start,
                                      .keeps = !comes,
                                      .axis = w->cut[j] ? f->axis[w->along] : -1,
                                      .range = panel_of,
                                      .context = w},
                         sends, receives);
    return part;
}

/* Brings the parts of both factors for a step. What is not cut comes in the first one, and stays. */
static bool fetch(panels *w, int step) {
    gnd_mesh *mesh = w->p->mesh;
    int sends = 0, receives = 0;
    gnd_status status = GND_OK;
    w->step = step;
    GND_STREAM(mesh->link->beside) {
        GND_SCOPE {
            for (int j = 0; j < 2; j++) {
                const gndi_factor *f = &w->p->factor[j];
                const bool stays = f->moves && !w->cut[j] && step > 0;
                w->part[j][step & 1] = stays ? w->part[j][~step & 1] : gnd_keep(list_factor(w, j, &sends, &receives));
            }
            if (w->p->factor[0].moves || w->p->factor[1].moves)
                status =
                    gndi_mesh_exchange(mesh, w->p->fn, sends, mesh->link->pieces[0], receives, mesh->link->pieces[1]);
        }
    }
    return status == GND_OK && w->part[0][step & 1] && w->part[1][step & 1];
}

/* The parts of a step wait for what has been queued on the stream beside so far, and not for the next step's, which is
   queued there before they are multiplied. */
static void wait_for_parts(const panels *w, int step) {
    const gndi_product *p = w->p;
    const gnd_array *list[2];
    int count = 0;
    if (!p->mesh->link->beside || !(p->factor[0].moves || p->factor[1].moves)) return;
    for (int j = 0; j < 2; j++)
        if (w->part[j][step & 1]) list[count++] = w->part[j][step & 1];
    gnd_foreign_begin(NULL, count, list, 0, NULL);
    gnd_foreign_end(NULL);
}

/* The parts of a step are not needed any more. */
static void drop(panels *w, int step) {
    for (int j = 0; j < 2; j++) {
        const bool stays = w->p->factor[j].moves && !w->cut[j] && step + 1 < w->count;
        if (!stays) gnd_release(w->part[j][step & 1]);
    }
}

/* ---- multiplying ------------------------------------------------------------------------------------------------- */

/* The part of the product that a panel fills, or adds to. */
static gnd_array *target(const panels *w, gnd_array *c, const gnd_dist *description) {
    const gndi_product *p = w->p;
    if (w->along < 0 || w->along == p->inner) return c;
    gndi_box mine, range;
    const int rank = gnd_mesh_rank(p->mesh), axis = p->axis[w->along];
    gndi_box_of(description, rank, &mine);
    range = mine;
    int64_t till;
    panel_of(w, rank, &range.start[axis], &till);
    range.count[axis] = till - range.start[axis];
    gndi_box_meet(p->shape.ndim, &mine, &range, &range);
    return gndi_box_view(c, p->shape.ndim, &range, mine.start);
}

bool gndi_product_into(const gndi_product *p, gnd_array *to, const gnd_array *a, const gnd_array *b, bool adds) {
    if (!to || !a || !b) return false;
    if (adds) return gnd_matmul_into(to, a, b, 1, 1) == GND_OK;
    return gnd_matmul_with(a, b, (gnd_product_options){.out = to, .dtype = p->sum}) != NULL;
}

static bool multiply(panels *w, int step, gnd_array *c, const gnd_dist *description, const gndi_early *early) {
    bool good = false;
    w->step = step;
    const gnd_array *a = w->part[0][step & 1], *b = w->part[1][step & 1];
    GND_SCOPE {
        gnd_array *to = target(w, c, description);
        if (early->sum && step == w->count - 1)
            good = gndi_product_rest(w->p, early, to, a, b);
        else
            good = gndi_product_into(w->p, to, a, b, step > 0 && w->along == w->p->inner);
    }
    return good;
}

/* What can be multiplied of the last panel before anything has come. */
static bool multiply_early(panels *w, const gnd_dist *description, gndi_early *early) {
    const gndi_product *p = w->p;
    const int rank = gnd_mesh_rank(p->mesh), axis = p->axis[w->along];
    int64_t from, till;
    gndi_box mine;
    w->step = w->count - 1;
    panel_of(w, rank, &from, &till);
    gndi_box_of(description, rank, &mine);
    const int64_t end = mine.start[axis] + mine.count[axis];
    return gndi_product_early(p, w->along, from > mine.start[axis] ? from : mine.start[axis], till < end ? till : end,
                              NULL, early);
}

gnd_array *gndi_product_blocks(const gndi_product *p, const gnd_dist *description) {
    if (gndi_product_by_window(p)) return gndi_product_windowed(p, description);
    if (gndi_product_is_whole(p)) return gndi_product_whole(p, description);
    panels w = {.p = p};
    find_panels(&w);
    gndi_early early = {0};
    gnd_array *c = gnd_empty(gndi_dist_local_shape(description), p->sum);
    bool good = c != NULL;
    bool here = fetch(&w, 0);
    if (w.first_is_last) good = multiply_early(&w, description, &early) && good;
    for (int step = 0; step < w.count; step++) {
        wait_for_parts(&w, step);
        const bool next = step + 1 < w.count ? fetch(&w, step + 1) : true;
        good = here && good && multiply(&w, step, c, description, &early);
        drop(&w, step);
        here = next;
    }
    gnd_release(early.sum);
    return good ? c : NULL;
}
