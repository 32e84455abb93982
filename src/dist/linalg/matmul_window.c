/*
 * matmul_window.c: products of factors that are split along the inner axis, where each rank writes what others need of
 * its blocks into their memory (window.h). GPUs' copy engines do that, while products have all multiprocessors. So
 * panels of columns of b come, and of rows of a, if that moves too: a narrow one first, since its way is not hidden,
 * and each next one behind products of what there is. A product has all of the inner axis, so that nothing is added.
 */
#include "dist/linalg/matmul.h"
#include "dist/window.h"

enum { PARTS = 32, MOST_STEPS = 4 };

/* What a rank has after each step, in 32nds of its rows of a and of its columns of b. */
typedef struct plan {
    int steps;
    struct {
        int a, b;
    } step[MOST_STEPS];
} plan;

typedef struct windowed {
    const gndi_product *p;
    const plan *plan;
    gnd_array *product, *part[2]; /* part: what this rank needs of the factors */
    gnd_status status;            /* of what this rank sends */
} windowed;

/* Widths that fill whole waves of an H200's 132 multiprocessors with tiles of products of 8192 x 16384: 128 tiles of
   128 x 256 are a 32nd of it, and there are 32 waves in all. Halves of 16384 columns take 0.7 ms to come, and their
   product 5.9: it takes 6.0 to 6.3 if one factor moves, 6.2 to 6.5 if both do, and with NCCL's exchange in place
   of copies 6.44 and 6.82 (two H200s). */
static const plan only_a = {2, {{4, PARTS}, {PARTS, PARTS}}};
static const plan only_b = {2, {{PARTS, 4}, {PARTS, PARTS}}};
static const plan both = {4, {{8, 8}, {16, 8}, {PARTS, 8}, {PARTS, PARTS}}};

static const plan *plan_of(const gndi_product *p) {
    const bool a = p->factor[0].moves, b = p->factor[1].moves;
    return a && b ? &both : b ? &only_b : &only_a;
}

/* ---- where things are -------------------------------------------------------------------------------------------- */

static uint64_t box_bytes(const gndi_factor *f, const gndi_box *box) {
    return (uint64_t)(box->count[0] * box->count[1]) * gnd_dtype_size(f->x->dtype);
}

static int64_t bytes_of(const gndi_factor *f, int rank) {
    gndi_box need;
    if (!f->moves) return 0;
    gndi_box_of(f->need, rank, &need);
    return (int64_t)(box_bytes(f, &need) + 255) / 256 * 256;
}

static int64_t most_bytes(const gndi_product *p) {
    int64_t most = 0;
    for (int r = 0; r < gnd_mesh_size(p->mesh); r++) {
        const int64_t bytes = bytes_of(&p->factor[0], r) + bytes_of(&p->factor[1], r);
        if (bytes > most) most = bytes;
    }
    return most;
}

/* Where a rank has what it needs of a factor. */
static gnd_array *part_in(const gndi_product *p, const gnd_array *window, int j, int rank) {
    const gndi_factor *f = &p->factor[j];
    gndi_box need;
    gndi_box_of(f->need, rank, &need);
    const int64_t from = j ? bytes_of(&p->factor[0], rank) : 0;
    const int64_t bytes = (int64_t)box_bytes(f, &need);
    if (bytes == 0) return gnd_empty(GND_SHAPE(need.count[0], need.count[1]), f->x->dtype);
    const gnd_array *all = gndi_product_range(window, 0, from, from + bytes);
    const gnd_array *flat = all ? gnd_view(all, f->x->dtype) : NULL;
    return flat ? gnd_reshape(flat, GND_SHAPE(need.count[0], need.count[1])) : NULL;
}

/* Rows, or columns, of a range of 32nds; false if there are none. */
static bool range_of(int64_t count, int from, int till, int64_t *begin, int64_t *end) {
    *begin = count * from / PARTS, *end = count * till / PARTS;
    return *begin < *end;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Writes what a rank needs of this one's block of a factor, of a range of its rows or columns. */
static gnd_status push(const windowed *w, int j, int to, int from, int till) {
    const gndi_product *p = w->p;
    const gndi_factor *f = &p->factor[j];
    const int rank = gnd_mesh_rank(p->mesh);
    gnd_status status = GND_OK;
    gndi_box have, need, range, meet;
    if (!gndi_sends_to(f->x, rank, to)) return GND_OK;
    gndi_box_of(f->x, rank, &have), gndi_box_of(f->need, to, &need);
    range = need;
    int64_t begin, end;
    if (!range_of(need.count[j], from, till, &begin, &end)) return GND_OK;
    range.start[j] += begin, range.count[j] = end - begin;
    if (!gndi_box_meet(2, &have, &range, &meet)) return GND_OK;
    if (to != rank) p->mesh->link->stats.bytes_sent += box_bytes(f, &meet);
    GND_SCOPE {
        gnd_array *there = gndi_box_view(part_in(p, p->mesh->link->windows[to], j, to), 2, &meet, need.start);
        const gnd_array *here = gndi_box_view(f->x->local, 2, &meet, have.start);
        status = there && here ? gnd_transfer(there, here) : GND_ERROR_MEMORY;
    }
    return status;
}

static void push_factor(windowed *w, int j, int to, int from, int till) {
    const bool dead = w->p->mesh->link->dead; /* others may have given up their memory */
    if (w->p->factor[j].moves && from < till && !w->status && !dead) w->status = push(w, j, to, from, till);
}

/* What comes in a step, to the others first; and then all ranks tell each other. */
static bool bring(windowed *w, int i) {
    gnd_mesh *mesh = w->p->mesh;
    gndi_link *link = mesh->link;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    const int from[2] = {i ? w->plan->step[i - 1].a : 0, i ? w->plan->step[i - 1].b : 0};
    const int till[2] = {w->plan->step[i].a, w->plan->step[i].b};
    GND_STREAM(link->copies) {
        for (int k = 1; k < size; k++)
            for (int j = 0; j < 2; j++) push_factor(w, j, (rank + k) % size, from[j], till[j]);
    }
    /* Own parts at once, while no product has begun: in halves, which are not contiguous and go by kernels. The copy
       engines would take a contiguous block, after what goes to the others. */
    GND_STREAM(gndi_link_stream(link, 1)) {
        for (int j = 0; j < 2 && i == 0; j++)
            push_factor(w, j, rank, 0, PARTS / 2), push_factor(w, j, rank, PARTS / 2, PARTS);
        if (link->window_own && gnd_event_record(link->window_own, NULL) != GND_OK) w->status = GND_ERROR_DEVICE;
    }
    return gndi_window_barrier(mesh, w->p->fn, link->copies) == GND_OK;
}

/* The stream's next work comes behind an event, of transports that queue. */
static bool waits_for(gnd_event *event) {
    return !event || gnd_stream_wait_event(NULL, event) == GND_OK;
}

/* ---- multiplying ------------------------------------------------------------------------------------------------- */

static bool multiply_range(windowed *w, const int rows[2], const int columns[2]) {
    const gndi_product *p = w->p;
    int64_t row[2], column[2];
    bool good = true;
    if (!range_of(gnd_dim(w->part[0], 0), rows[0], rows[1], &row[0], &row[1]) ||
        !range_of(gnd_dim(w->product, 1), columns[0], columns[1], &column[0], &column[1]))
        return true;
    GND_SCOPE {
        const gnd_array *a = gndi_product_range(w->part[0], 0, row[0], row[1]);
        const gnd_array *b = gndi_product_range(w->part[1], 1, column[0], column[1]);
        gnd_array *to = gndi_product_range(w->product, 0, row[0], row[1]);
        to = gndi_product_range(to, 1, column[0], column[1]);
        good = gndi_product_into(p, to, a, b, false);
    }
    return good;
}

/* What a step adds to what there was: rows of the columns that were there, and columns of all rows. */
static bool multiply_step(windowed *w, int i) {
    const int a = w->plan->step[i].a, b = w->plan->step[i].b;
    const int old_a = i ? w->plan->step[i - 1].a : 0, old_b = i ? w->plan->step[i - 1].b : 0;
    return multiply_range(w, (int[2]){old_a, a}, (int[2]){0, old_b}) &&
           multiply_range(w, (int[2]){0, a}, (int[2]){old_b, b});
}

/* The streams of copies are behind what has been queued for the factors so far, and not behind what comes now; and
   behind the last product's end on all ranks. */
static void order_copies(const gndi_product *p) {
    gndi_link *link = p->mesh->link;
    gnd_stream *streams[] = {link->copies, gndi_link_stream(link, 1)};
    const gnd_array *list[2];
    int count = 0;
    for (int j = 0; j < 2; j++) {
        const gnd_array *local = p->factor[j].moves ? p->factor[j].x->local : NULL;
        if (local && gnd_device_equal(gnd_device_of(local), gnd_device_of(link->window))) list[count++] = local;
    }
    for (int k = 0; k < 2 && link->copies; k++) {
        GND_STREAM(streams[k]) {
            waits_for(link->join);
            gnd_foreign_begin(NULL, count, list, 0, NULL);
            gnd_foreign_end(NULL);
        }
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool gndi_product_by_window(const gndi_product *p) {
    const gndi_factor *a = &p->factor[0], *b = &p->factor[1];
    if (p->work[0] == p->inner || p->work[1] == p->inner) return false;
    if (a->x->shape.ndim != 2 || b->x->shape.ndim != 2 ||
        (!gndi_factor_splits_inner(p, a) && !gndi_factor_splits_inner(p, b)))
        return false;
    const int64_t bytes = most_bytes(p);
    return gndi_window_pays(p->mesh, bytes) && gndi_window_for(p->mesh, p->fn, bytes);
}

static gnd_array *multiply(const gndi_product *p, const gnd_dist *description) {
    gndi_link *link = p->mesh->link;
    const int rank = gnd_mesh_rank(p->mesh);
    windowed w = {.p = p, .plan = plan_of(p)};
    w.product = gnd_empty(gndi_dist_local_shape(description), p->sum);
    for (int j = 0; j < 2; j++)
        w.part[j] = p->factor[j].moves ? part_in(p, link->window_read, j, rank)
                                       : gndi_dist_block_here(p->factor[j].x, p->factor[j].x->local, p->factor[j].need);
    bool good = w.product && w.part[0] && w.part[1];
    order_copies(p);
    for (int i = 0; i < w.plan->steps; i++) {
        bool here = bring(&w, i);
        here = waits_for(link->window_own) && waits_for(link->join) && here;
        good = good && here && multiply_step(&w, i);
    }
    /* Nobody writes what another rank still reads. */
    const gnd_status read = gndi_window_barrier(p->mesh, p->fn, NULL);
    gnd_stream *writers[] = {link->copies, gndi_link_stream(link, 1)};
    for (int k = 0; k < 2; k++) {
        GND_STREAM(writers[k]) {
            good = waits_for(link->join) && good;
        }
    }
    return good && !w.status && !read ? w.product : NULL;
}

/* Not as a part of a fused program, whose operations are all on one stream. */
gnd_array *gndi_product_windowed(const gndi_product *p, const gnd_dist *description) {
    const gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_OFF);
    gnd_array *product = multiply(p, description);
    gnd_fuse_use(before);
    return product;
}
