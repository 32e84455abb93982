/*
 * sort_run.c: sorts and partitions of checked arrays: the axes of the rows are flipped to run forward,
 * sorted by the input's strides and merged, and the plan is submitted.
 */
#include "sort/sort.h"
#include "core/axes.h"
#include "elementwise/elementwise.h"
#include "elementwise/truths.h"

enum { IN, OUT, INDICES, START, OPERANDS };

/* ---- the plan ------------------------------------------------------------------------------- */

static void plan_axes(gndi_sort_plan *plan, const gnd_array *const *array, int along) {
    struct gndi_sort_operand *const operand[OPERANDS] = {&plan->in, &plan->out, &plan->indices, &plan->start};
    int64_t *const stride[] = {plan->in.stride, plan->out.stride, plan->indices.stride, plan->start.stride};
    int64_t offset[OPERANDS] = {0};
    gndi_walk w = {.operands = OPERANDS, .leaders = 1, .shape = plan->shape, .stride = stride, .offset = offset};
    gndi_walk_arrays(&w, array, along);
    gndi_walk_flip(&w);
    for (int k = 0; k < OPERANDS; k++) {
        operand[k]->data = array[k] ? gndi_data(array[k]) + offset[k] : NULL;
        operand[k]->step = array[k] ? array[k]->strides[along] : 0;
    }
    plan->ndim = gndi_walk_collapse(&w, 0, w.ndim), plan->rows = gndi_walk_size(&w);
}

/* ---- submission ----------------------------------------------------------------------------- */

static gnd_status submit(const gndi_sort_request *r) {
    const gnd_array *const array[OPERANDS] = {r->x, r->values, r->indices, r->start};
    const gnd_array *result = r->values ? r->values : r->indices;
    gndi_sort_plan plan = {
        .dtype = r->x->dtype,
        .descending = r->direction == GND_DESCENDING,
        .partial = r->kth != NULL,
        .kths = r->kths,
        .kth = r->kth,
        .worthwhile = r->worthwhile,
        .declined = r->declined,
        .length = r->x->shape[r->axis],
        .keep = result->shape[r->axis],
    };
    plan_axes(&plan, array, r->axis);
    gnd_stream *s = gndi_work_begin(r->fn, 2, (const gnd_array *[]){r->x, r->start}, 2,
                                    (const gnd_array *[]){result, r->values ? r->indices : NULL});
    return s ? gndi_work_end(s, s->device->backend->sort(s, &plan, r->fn), r->fn) : gndi_ew_pending();
}

/* Rows of one element, and a 0-d array, are in order. */
static gnd_status copy(const gndi_sort_request *r) {
    gnd_status status = GND_OK;
    if (r->values && !gndi_same_elements(r->values, r->x)) status = gndi_copy_into(r->fn, r->values, r->x);
    if (status || !r->indices) return status;
    const gndi_ew_request fill = {
        .op = GNDI_OP_copy,
        .fn = r->fn,
        .args = {gnd_arg_int(0)},
        .out = {r->indices},
        .dtype = GND_INT64,
        .casting = GND_UNSAFE,
    };
    return gndi_elementwise(&fill, NULL);
}

gnd_status gndi_sort_run(const gndi_sort_request *r) {
    const gnd_array *result = r->values ? r->values : r->indices;
    if (result->size == 0) return GND_OK;
    gndi_sort_request tight = *r;
    gnd_array *made;
    if (!(tight.x = gndi_truths(r->fn, r->x, &made))) return gndi_ew_pending();
    const bool alone = r->x->ndim == 0 || r->x->shape[r->axis] == 1;
    const gnd_status status = alone ? copy(&tight) : submit(&tight);
    gnd_release(made);
    return status;
}

/* ---- arrays --------------------------------------------------------------------------------- */

bool gndi_same_elements(const gnd_array *a, const gnd_array *b) {
    if (gndi_data(a) != gndi_data(b) || a->dtype != b->dtype || !gndi_same_shape(a, b)) return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] > 1 && a->strides[i] != b->strides[i]) return false;
    return true;
}

gnd_array *gndi_sort_flat(const char *fn, const gnd_array *x, bool *copied) {
    int64_t step = gndi_itemsize(x), size = 0;
    const gnd_dtype dtype = (gnd_dtype)x->dtype;
    bool one_step = true;
    for (int i = x->ndim - 1; i >= 0 && x->size > 0; i--) {
        if (x->shape[i] == 1) continue;
        if (size == 0) step = x->strides[i], size = 1;
        one_step &= x->strides[i] == step * size;
        size *= x->shape[i];
    }
    *copied = !one_step || gndi_is_loose(x);
    if (!*copied) return gndi_array_view(fn, x, 1, &x->size, &step, gndi_data(x), dtype);
    gnd_array *dense = gndi_copy_as(fn, x, dtype, 'C');
    if (!dense) return NULL;
    step = gndi_itemsize(x);
    gnd_array *flat = gndi_array_view(fn, dense, 1, &x->size, &step, gndi_data(dense), dtype);
    gnd_release(dense);
    return flat;
}
