/*
 * matmul_early.c: a panel of a product in two parts: that of the inner axis which a rank has from the beginning is
 * multiplied while blocks are on their way, and the rest when all of the panel is there. Of halves both are in float32,
 * and their sum is rounded once.
 */
#include "dist/linalg/matmul.h"
#include <string.h>

gnd_array *gndi_product_range(const gnd_array *a, int axis, int64_t from, int64_t till) {
    gnd_index item[GND_MAX_DIMS];
    if (!a) return NULL;
    for (int i = 0; i <= axis; i++) item[i] = i == axis ? gnd_index_range(from, till, 1) : gnd_index_all();
    return gnd_slice_ix(a, axis + 1, item);
}

static bool is_half(gnd_dtype t) {
    return t == GND_FLOAT16 || t == GND_BFLOAT16;
}

static gnd_array *multiply(const gnd_array *a, const gnd_array *b) {
    return gnd_matmul_with(a, b, (gnd_product_options){.dtype = GND_FLOAT32});
}

void gndi_product_own_inner(const gndi_product *p, int64_t *from, int64_t *till) {
    *from = 0, *till = p->length[p->inner];
    for (int j = 0; j < 2; j++) {
        const gndi_factor *f = &p->factor[j];
        const int axis = f->axis[p->inner];
        gndi_box have;
        gndi_box_of(f->x, gnd_mesh_rank(p->mesh), &have);
        const int64_t end = have.start[axis] + have.count[axis];
        if (have.start[axis] > *from) *from = have.start[axis];
        if (end < *till) *till = end;
    }
}

/* What a factor's part is for a range of one axis of the space and one of the inner axis; whether this rank has it. */
static bool own_box(const gndi_product *p, int j, int along, int64_t from, int64_t till, const gndi_early *e,
                    gndi_box *want) {
    const gndi_factor *f = &p->factor[j];
    const int ndim = f->x->shape.ndim, rank = gnd_mesh_rank(p->mesh);
    gndi_box have, meet;
    gndi_box_of(f->x, rank, &have);
    gndi_box_of(f->need, rank, want);
    const int axis = f->axis[along], inner = f->axis[p->inner];
    if (axis >= 0) want->start[axis] = from, want->count[axis] = till - from;
    want->start[inner] = e->from, want->count[inner] = e->till - e->from;
    return gndi_box_meet(ndim, &have, want, &meet) &&
           memcmp(meet.count, want->count, (size_t)ndim * sizeof *want->count) == 0;
}

bool gndi_product_has(const gndi_product *p, int along, int64_t from, int64_t till, const gndi_early *e) {
    gndi_box box;
    if (e->from >= e->till || from >= till) return false;
    return own_box(p, 0, along, from, till, e, &box) && own_box(p, 1, along, from, till, e, &box);
}

static gnd_array *own_part(const gndi_product *p, int j, int along, int64_t from, int64_t till, const gndi_early *e) {
    const gnd_dist *x = p->factor[j].x;
    gndi_box have, want;
    own_box(p, j, along, from, till, e, &want);
    gndi_box_of(x, gnd_mesh_rank(p->mesh), &have);
    return gndi_box_view(x->local, x->shape.ndim, &want, have.start);
}

bool gndi_product_early(const gndi_product *p, int along, int64_t from, int64_t till, gnd_array *to, gndi_early *e) {
    e->sum = NULL;
    gndi_product_own_inner(p, &e->from, &e->till);
    if (!gndi_product_has(p, along, from, till, e)) return true;
    GND_SCOPE {
        const gnd_array *a = own_part(p, 0, along, from, till, e), *b = own_part(p, 1, along, from, till, e);
        if (!a || !b) continue;
        if (is_half(p->dtype))
            e->sum = gnd_keep(multiply(a, b));
        else if (gndi_product_into(p, to, a, b, false))
            e->sum = gnd_retain(to);
    }
    return e->sum != NULL;
}

/* Adds the product of a range of the inner axis, of halves the last one into `to`. */
static bool add_range(const gndi_product *p, gnd_array *sum, gnd_array *to, const gnd_array *a, const gnd_array *b) {
    if (!is_half(p->dtype)) return gndi_product_into(p, to, a, b, true);
    const gnd_array *part = a && b ? multiply(a, b) : NULL;
    return part && gnd_add_into(to, sum, part) == GND_OK;
}

bool gndi_product_rest(const gndi_product *p, const gndi_early *e, gnd_array *to, const gnd_array *a,
                       const gnd_array *b) {
    const int inner[2] = {p->factor[0].axis[p->inner], p->factor[1].axis[p->inner]};
    const int64_t from[2] = {0, e->till}, till[2] = {e->from, p->length[p->inner]};
    if (!to || !a || !b) return false;
    const int last = till[1] > from[1] ? 1 : till[0] > from[0] ? 0 : -1;
    if (last < 0) return gnd_copyto(to, e->sum) == GND_OK;
    for (int i = 0; i <= last; i++) {
        if (from[i] == till[i]) continue;
        if (!add_range(p, e->sum, i == last ? to : e->sum, gndi_product_range(a, inner[0], from[i], till[i]),
                       gndi_product_range(b, inner[1], from[i], till[i])))
            return false;
    }
    return true;
}
