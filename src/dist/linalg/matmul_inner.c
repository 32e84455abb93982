/*
 * matmul_inner.c: products whose inner axis is divided: partial products, strip by strip. One strip is exchanged and
 * added up on a stream of its own while the next is multiplied.
 */
#include "dist/linalg/matmul.h"

enum { STRIPS = 4 };

static gnd_array *along(const gnd_array *a, int axis, int64_t from, int64_t till) {
    gnd_index item[GND_MAX_DIMS];
    if (!a) return NULL;
    for (int i = 0; i <= axis; i++) item[i] = i == axis ? gnd_index_range(from, till, 1) : gnd_index_all();
    return gnd_slice_ix(a, axis + 1, item);
}

/* A product without strips: what moves comes in panels first. */
static gnd_array *at_once(const gndi_product *p, gnd_dist **c, int k, int axis) {
    const gnd_array *part = gndi_product_blocks(p, *c);
    return gndi_partial_sum(c, k, axis, part, p->fn);
}

/* One strip of the partial product, and its sum into the strip of `total`. */
static bool strip(const gndi_product *p, const gnd_array *const *block, const gnd_dist *c, const gnd_dist *sum, int k,
                  int cut, int64_t from, int64_t till, gnd_array *total) {
    const int axis = p->axis[cut], j = cut == p->rows ? 0 : 1;
    const gnd_array *factor[2] = {block[0], block[1]};
    gnd_shape shape = gndi_dist_local_shape(c);
    shape.dim[axis] = till - from;
    factor[j] = along(block[j], p->factor[j].axis[cut], from, till);
    gnd_array *part = gnd_empty(shape, p->sum);
    if (!gndi_product_into(p, part, factor[0], factor[1], false)) part = NULL;
    gnd_array *added = NULL;
    GND_STREAM(p->mesh->link->beside) {
        gnd_array *into = along(total, axis, from, till);
        added = gndi_partial_strip(c, sum, k, axis, from, till, into ? part : NULL, into, p->fn);
    }
    return added != NULL;
}

gnd_array *gndi_product_summed(const gndi_product *p, gnd_dist **c, int k, int axis) {
    int cut = p->axis[p->columns] != axis ? p->columns : p->rows;
    if (p->axis[cut] < 0) cut = p->rows;
    if (axis < 0 || p->axis[cut] < 0 || p->axis[cut] == axis || p->factor[0].moves || p->factor[1].moves)
        return at_once(p, c, k, axis);
    gndi_layout layout = gndi_layout_of(*c);
    layout.axis[k] = axis, layout.cuts[k] = NULL;
    gnd_dist *sum = gndi_dist_new(p->mesh, p->fn, p->shape, p->sum, layout);
    if (!sum) return NULL;
    const gndi_factor *a = &p->factor[0], *b = &p->factor[1];
    const gnd_array *block[2] = {gndi_dist_block_here(a->x, a->x->local, a->need),
                                 gndi_dist_block_here(b->x, b->x->local, b->need)};
    gnd_array *total = gnd_empty(gndi_dist_local_shape(sum), p->sum);
    const int64_t length = gndi_dist_local_shape(*c).dim[p->axis[cut]];
    bool good = total != NULL;
    for (int i = 0; i < STRIPS; i++) {
        GND_SCOPE {
            good = strip(p, block, *c, sum, k, cut, gndi_even_cut(length, STRIPS, i),
                         gndi_even_cut(length, STRIPS, i + 1), total) &&
                   good;
        }
    }
    gnd_dist_release(*c);
    *c = sum;
    return good ? total : NULL;
}
