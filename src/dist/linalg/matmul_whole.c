/*
 * matmul_whole.c: products of factors that are split along the inner axis, for which a rank brings all that it needs in
 * one exchange. A product of BLAS holds all of a GPU until it ends, and what is queued meanwhile waits; so everything
 * is on its way before the first product, and blocks of whole rows are sent as they lie. Beside the exchange a rank
 * multiplies what it has of both factors, for some rows of its block: as many as hide the exchange. The rest of these
 * rows is added when everything is there, and all other rows are one product.
 */
#include "dist/linalg/matmul.h"

typedef struct whole {
    const gndi_product *p;
    gnd_array *part[2]; /* what this rank needs of the factors */
    gnd_array *product;
    int64_t start, length, first; /* this rank's rows: where they begin, how many, and of how many it begins early */
    gndi_early early;
} whole;

static bool is_half(gnd_dtype t) {
    return t == GND_FLOAT16 || t == GND_BFLOAT16;
}

/* ---- whether ----------------------------------------------------------------------------------------------------- */

bool gndi_product_fits(const gndi_product *p, double bytes) {
    double own = (double)gndi_shape_count(p->shape) * (double)gnd_dtype_size(p->dtype);
    for (int j = 0; j < 2; j++)
        own += (double)gndi_shape_count(p->factor[j].x->shape) * (double)gnd_dtype_size(p->factor[j].x->dtype);
    return bytes <= 2 * own / gnd_mesh_size(p->mesh);
}

bool gndi_factor_splits_inner(const gndi_product *p, const gndi_factor *f) {
    return f->moves && (gndi_factor_split(p, f, 0) == p->inner || gndi_factor_split(p, f, 1) == p->inner);
}

/* The bytes of a rank's block of what a factor has to bring, about. */
static double bytes_needed(const gndi_factor *f) {
    double bytes = f->moves ? (double)gndi_shape_count(f->x->shape) * (double)gnd_dtype_size(f->x->dtype) : 0;
    for (int k = 0; k < 2; k++)
        if (gndi_is_split(f->need, k)) bytes /= f->x->mesh->grid[k];
    return bytes;
}

/* Pairs of numbers that a GPU multiplies in the time in which a byte comes from another one: in 2.6 ns an H200 gets
   1000 bytes, and multiplies a million pairs of halves, or 70,000 of float32. */
static double pairs_per_byte(gnd_dtype t) {
    return is_half(t) ? 900 : gnd_dtype_kind(t) == 'c' ? 18 : 70;
}

/* Halves come in panels instead where the product of what a rank has, a part of the inner axis, is too short to hide
   the exchange. */
bool gndi_product_is_whole(const gndi_product *p) {
    const gndi_factor *a = &p->factor[0], *b = &p->factor[1];
    if (p->work[0] == p->inner || p->work[1] == p->inner ||
        (!gndi_factor_splits_inner(p, a) && !gndi_factor_splits_inner(p, b)))
        return false;
    const double bytes = bytes_needed(a) + bytes_needed(b), ranks = gnd_mesh_size(p->mesh);
    if (!is_half(p->dtype)) return gndi_product_fits(p, bytes);
    const double pairs = (double)gndi_shape_count(p->shape) * (double)p->length[p->inner];
    return bytes * pairs_per_byte(p->dtype) * ranks * ranks <= pairs;
}

/* ---- what is begun early ----------------------------------------------------------------------------------------- */

/* Bytes of a factor that come to this rank. */
static double arriving(const gndi_product *p, const gndi_factor *f) {
    const int ndim = f->x->shape.ndim, rank = gnd_mesh_rank(p->mesh);
    gndi_box have, need, meet;
    gndi_box_of(f->x, rank, &have);
    gndi_box_of(f->need, rank, &need);
    double all = 1, here = gndi_box_meet(ndim, &have, &need, &meet) ? 1 : 0;
    for (int i = 0; i < ndim; i++) all *= (double)need.count[i], here *= (double)meet.count[i];
    return f->moves ? (all - here) * (double)gnd_dtype_size(f->x->dtype) : 0;
}

/* Whether ranks that compute the same copy of a block have other parts of the factors. Their sums begin at the same, so
   that the bits are the same. */
static bool copies_differ(const gndi_product *p) {
    for (int k = 0; k < 2; k++)
        for (int j = 0; j < 2; j++)
            if (p->work[k] < 0 && gndi_is_split(p->factor[j].x, k)) return true;
    return false;
}

/* As many rows as hide the exchange, in sixteenths of this rank's: of products of 16384 x 16384 halves on two H200s 4
   for one factor that comes, and 6 for parts of both. */
static void choose_first(whole *w, const gnd_dist *description) {
    const gndi_product *p = w->p;
    const double bytes = arriving(p, &p->factor[0]) + arriving(p, &p->factor[1]);
    const int axis = p->axis[p->rows];
    gndi_box mine;
    gndi_early *e = &w->early;
    if (axis < 0 || bytes < GNDI_ALL_ADD_BYTES || copies_differ(p)) return;
    gndi_product_own_inner(p, &e->from, &e->till);
    gndi_box_of(description, gnd_mesh_rank(p->mesh), &mine);
    w->start = mine.start[axis], w->length = mine.count[axis];
    if (!gndi_product_has(p, p->rows, w->start, w->start + w->length, e)) return;
    double pairs = (double)(e->till - e->from);
    for (int i = 0; i < p->shape.ndim; i++) pairs *= (double)mine.count[i];
    const double parts = 16 * bytes * pairs_per_byte(p->dtype) / pairs;
    const int sixteenths = parts < 15 ? (int)parts + 1 : 16;
    w->first = (w->length * sixteenths + 15) / 16;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Lists what moves of a factor, and returns where it comes to; of one that stays, what is needed of it. */
static gnd_array *list_factor(const gndi_factor *f, int *sends, int *receives) {
    const int rank = gnd_mesh_rank(f->x->mesh);
    gndi_box have, need;
    if (!f->moves) return gndi_dist_block_here(f->x, f->x->local, f->need);
    gndi_box_of(f->x, rank, &have);
    gndi_box_of(f->need, rank, &need);
    gnd_array *part = gnd_empty(gndi_dist_local_shape(f->need), f->x->dtype);
    gndi_step_pieces(&(gndi_step){.x = f->x,
                                  .to = f->need,
                                  .from = f->x->local,
                                  .into = part,
                                  .from_start = have.start,
                                  .to_start = need.start,
                                  .axis = -1},
                     sends, receives);
    return part;
}

/* Brings everything. The transport's kernel needs room on the GPU, so the next product is not to begin before it: it
   waits for what that kernel waits for, where copies go beside the call. An event of an earlier exchange is over. */
static bool bring(whole *w) {
    gndi_link *link = w->p->mesh->link;
    int sends = 0, receives = 0;
    gnd_status status = GND_OK;
    GND_STREAM(link->beside) {
        GND_SCOPE {
            for (int j = 0; j < 2; j++) w->part[j] = gnd_keep(list_factor(&w->p->factor[j], &sends, &receives));
            status = gndi_mesh_exchange(w->p->mesh, w->p->fn, sends, link->pieces[0], receives, link->pieces[1]);
        }
    }
    if (status == GND_OK && link->fork) status = gnd_stream_wait_event(NULL, link->fork);
    return status == GND_OK && w->part[0] && w->part[1];
}

/* ---- multiplying ------------------------------------------------------------------------------------------------- */

static bool multiply(whole *w) {
    const gndi_product *p = w->p;
    const int c = p->axis[p->rows], a = p->factor[0].axis[p->rows];
    if (w->first == 0) return gndi_product_into(p, w->product, w->part[0], w->part[1], false);
    gnd_array *to = gndi_product_range(w->product, c, 0, w->first);
    if (!to || !gndi_product_early(p, p->rows, w->start, w->start + w->first, to, &w->early)) return false;
    const gnd_array *rows = gndi_product_range(w->part[0], a, 0, w->first);
    if (!gndi_product_rest(p, &w->early, to, rows, w->part[1])) return false;
    if (w->first == w->length) return true;
    rows = gndi_product_range(w->part[0], a, w->first, w->length);
    return gndi_product_into(p, gndi_product_range(w->product, c, w->first, w->length), rows, w->part[1], false);
}

gnd_array *gndi_product_whole(const gndi_product *p, const gnd_dist *description) {
    whole w = {.p = p};
    choose_first(&w, description);
    w.product = gnd_empty(gndi_dist_local_shape(description), p->sum);
    bool good = bring(&w) && w.product;
    GND_SCOPE {
        good = good && multiply(&w);
        gnd_release(w.early.sum);
    }
    gnd_release(w.part[0]), gnd_release(w.part[1]);
    return good ? w.product : NULL;
}
