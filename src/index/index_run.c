/*
 * index_run.c: plans for the `index` hook: brings operands into the form that index_plan.h requires (one dtype,
 * no overlap of what is written and read), merges axes, and submits.
 */
#include "core/axes.h"
#include "core/loose.h"
#include "index/index.h"
#include "elementwise/elementwise.h"
#include "rearrange/rearrange.h"

/* ---- checks --------------------------------------------------------------------------------- */

gnd_status gndi_check_empty_axes(const gndi_indexing *ix) {
    for (int i = 0; i < ix->fancy; i++)
        if (ix->shape[ix->first + i] == 0) return GND_OK;
    for (int k = 0; k < ix->count; k++)
        if (ix->index[k].size == 0)
            return gndi_raise(GND_ERROR_INDEX, ix->fn, "an array of shape %s has nothing to index on axis %d",
                              gndi_text_shape(ix->view->ndim, ix->view->shape), ix->index[k].axis);
    return GND_OK;
}

/* Without the leading axes of size 1 that the shape does not have. */
static gnd_array *trimmed(gndi_indexing *ix, const gnd_array *x) {
    int extra = x->ndim - ix->ndim;
    for (int i = 0; i < extra; i++)
        if (x->shape[i] != 1) extra = i;
    if (extra < 0) extra = 0;
    return gndi_indexing_keep(ix, gndi_array_view(ix->fn, x, x->ndim - extra, x->shape + extra, x->strides + extra,
                                                  gndi_data(x), (gnd_dtype)x->dtype));
}

gnd_array *gndi_indexing_spread(gndi_indexing *ix, const gnd_array *x, bool trims, const char *what) {
    int64_t strides[GND_MAX_DIMS];
    const gnd_array *given = x;
    if (trims) x = trimmed(ix, x);
    if (!x) return NULL;
    bool fits = x->ndim <= ix->ndim;
    for (int i = 0; fits && i < x->ndim; i++)
        fits = x->shape[i] == 1 || x->shape[i] == ix->shape[ix->ndim - x->ndim + i];
    if (!fits)
        return gndi_fail(GND_ERROR_SHAPE, ix->fn,
                         "shape mismatch: %s of shape %s does not broadcast to the indexed shape %s", what,
                         gndi_text_shape(given->ndim, given->shape), gndi_text_shape(ix->ndim, ix->shape));
    gndi_broadcast_strides(x, ix->ndim, ix->shape, strides);
    return gndi_indexing_keep(
        ix, gndi_array_view(ix->fn, x, ix->ndim, ix->shape, strides, gndi_data(x), (gnd_dtype)x->dtype));
}

/* ---- the plan ------------------------------------------------------------------------------- */

static void plan_indices(const gndi_indexing *ix, gndi_index_plan *plan) {
    int64_t stride[GND_MAX_DIMS];
    for (int k = 0; k < ix->count; k++) {
        const struct gndi_indexed_axis *from = &ix->index[k];
        struct gndi_index_list *to = &plan->index[k];
        to->data = gndi_data(from->array), to->dtype = from->array->dtype;
        to->size = from->size, to->divide = from->divide, to->modulo = from->modulo;
        to->step = from->step, to->axis = from->axis;
        memset(to->stride, 0, (size_t)ix->ndim * sizeof *to->stride);
        gndi_broadcast_strides(from->array, ix->fancy, ix->shape + ix->first, stride);
        memcpy(to->stride + ix->first, stride, (size_t)ix->fancy * sizeof *stride);
    }
}

/* The axes of the walk: a get's in the order of what it writes, the others as they are. */
static void make_plan(const gndi_indexing *ix, const int64_t *value, bool set, gndi_index_plan *plan) {
    int64_t *stride[2 + GNDI_INDEX_LISTS];
    gndi_walk w = {.ndim = ix->ndim, .operands = 2 + ix->count, .leaders = 1, .shape = plan->shape, .stride = stride};
    const size_t bytes = (size_t)ix->ndim * sizeof *value;
    plan->set = set, plan->offsets = ix->offsets, plan->mode = ix->mode;
    plan->distinct = ix->distinct;
    plan->itemsize = ix->offsets ? 8 : (uint8_t)gndi_itemsize(ix->view);
    plan->indices = ix->count;
    plan->array.data = gndi_data(ix->view);
    plan_indices(ix, plan);
    memcpy(plan->shape, ix->shape, bytes);
    memcpy(stride[0] = plan->value.stride, value, bytes);
    memcpy(stride[1] = plan->array.stride, ix->stride, bytes);
    for (int k = 0; k < ix->count; k++) stride[2 + k] = plan->index[k].stride;
    gndi_walk_drop_single(&w);
    plan->ndim = (set ? gndi_walk_merge : gndi_walk_collapse)(&w, 0, w.ndim);
    plan->points = gndi_walk_size(&w);
}

/* ---- many index arrays ---------------------------------------------------------------------- */

/* Those whose steps have one sign, as far as a plan takes them, become one index array: of the offsets in
   bytes that they add up to. */
static gnd_status join_indices(gndi_indexing *ix, bool backwards) {
    gndi_indexing part;
    int64_t most = 0;
    int kept = 0;
    gndi_indexing_clear(&part, ix->fn);
    part.view = ix->view, part.mode = ix->mode, part.offsets = true, part.outside = GNDI_INDEX_OUTSIDE;
    part.ndim = part.fancy = ix->fancy;
    for (int i = 0; i < ix->fancy; i++) part.shape[i] = ix->shape[ix->first + i], part.stride[i] = 0;
    for (int k = 0; k < ix->count; k++) {
        struct gndi_indexed_axis x = ix->index[k];
        if ((x.step < 0) != backwards || part.count == GNDI_INDEX_LISTS) {
            ix->index[kept++] = x;
            continue;
        }
        x.step = gndi_magnitude(x.step);
        most += ((x.modulo ? x.modulo : x.size) - 1) * x.step;
        part.index[part.count++] = x;
    }
    gnd_array *sums = gndi_indexing_keep(ix, gndi_new_on_device_of(ix->fn, ix->view, part.ndim, part.shape, GND_INT64));
    if (!sums || gndi_indexing_get_into(&part, sums)) return gndi_ew_pending();
    ix->index[kept++] = (struct gndi_indexed_axis){
        .array = sums, .size = most + 1, .divide = 1, .step = backwards ? -1 : 1, .axis = part.index[0].axis};
    ix->count = kept;
    return GND_OK;
}

/* Until there are no more of them than a plan takes. */
static gnd_status join_many_indices(gndi_indexing *ix) {
    gnd_status status = GND_OK;
    while (ix->count > GNDI_INDEX_LISTS && !status) {
        int backwards = 0;
        for (int k = 0; k < ix->count; k++) backwards += ix->index[k].step < 0;
        status = join_indices(ix, backwards > ix->count / 2);
    }
    return status;
}

/* ---- submission ----------------------------------------------------------------------------- */

static gnd_status submit(const gndi_indexing *ix, const gndi_index_plan *plan, const gnd_array *written,
                         const gnd_array *read) {
    const gnd_array *reads[GND_MAX_DIMS + 1];
    for (int k = 0; k < ix->count; k++) reads[k] = ix->index[k].array;
    reads[ix->count] = read;
    gnd_stream *s = gndi_work_begin(ix->fn, ix->count + 1, reads, 1, &written);
    return s ? gndi_work_end(s, s->device->backend->index(s, plan, ix->fn), ix->fn) : gndi_ew_pending();
}

static bool has_points(const gndi_indexing *ix) {
    for (int i = 0; i < ix->ndim; i++)
        if (ix->shape[i] == 0) return false;
    return true;
}

gnd_status gndi_indexing_get_into(gndi_indexing *ix, gnd_array *out) {
    gndi_index_plan plan;
    gnd_status status = gndi_check_empty_axes(ix);
    if (status || !has_points(ix)) return status;
    status = join_many_indices(ix);
    if (status) return status;
    make_plan(ix, out->strides, false, &plan);
    plan.number = (gndi_scalar){.i64 = ix->outside};
    plan.value.data = gndi_data(out);
    if (!ix->offsets) gndi_pass_loose(out->buffer, ix->view);
    return submit(ix, &plan, out, ix->view);
}

gnd_array *gndi_indexing_get(gndi_indexing *ix) {
    gnd_array *out = gndi_new_on_device_of(ix->fn, ix->view, ix->ndim, ix->shape, (gnd_dtype)ix->view->dtype);
    if (!out || !gndi_indexing_get_into(ix, out)) return out;
    gnd_release(out);
    return NULL;
}

/* Index arrays that share memory with what is written: copies of them. */
static gnd_status part_indices(gndi_indexing *ix) {
    for (int k = 0; k < ix->count; k++) {
        const gnd_array *x = ix->index[k].array;
        if (!gndi_may_overlap(x, ix->view)) continue;
        x = gndi_indexing_keep(ix, gndi_copy_as(ix->fn, x, (gnd_dtype)x->dtype, 'C'));
        if (!x) return gndi_ew_pending();
        ix->index[k].array = x;
    }
    return GND_OK;
}

/* The value as the plan takes it: of the array's dtype, and apart from it. */
static gnd_array *prepare_value(gndi_indexing *ix, const gnd_array *value) {
    if (gndi_check_together(ix->fn, ix->view, "a", value, "the value")) return NULL;
    gnd_array *x = gndi_indexing_spread(ix, value, true, "the value");
    if (!x || !has_points(ix)) return x;
    if (value->dtype == ix->view->dtype && !gndi_is_loose(value) && !gndi_may_overlap(value, ix->view)) return x;
    value = gndi_indexing_keep(ix, gndi_copy_as(ix->fn, value, (gnd_dtype)ix->view->dtype, 'C'));
    return value ? gndi_indexing_spread(ix, value, true, "the value") : NULL;
}

static gnd_status number_of(const gndi_indexing *ix, gnd_arg value, gndi_scalar *number) {
    const gnd_dtype dtype = (gnd_dtype)ix->view->dtype;
    if (value.kind == GND_ARG_COMPLEX && dtype < GND_COMPLEX64)
        return gndi_raise(GND_ERROR_DTYPE, ix->fn, "a complex number does not go into an array of %s",
                          gnd_dtype_name(dtype));
    return gndi_scalar_from_arg(ix->fn, value, dtype, number) ? GND_OK : gndi_ew_pending();
}

gnd_status gndi_indexing_set(gndi_indexing *ix, gnd_arg value) {
    static const int64_t nowhere[GND_MAX_DIMS];
    gndi_index_plan plan;
    const gnd_array *x = NULL;
    gnd_status status = gndi_check_value(ix->fn, value);
    if (status) return status;
    memset(&plan.number, 0, sizeof plan.number);
    if (value.kind == GND_ARG_ARRAY) {
        x = prepare_value(ix, value.array);
        if (!x) return gndi_ew_pending();
    } else {
        status = number_of(ix, value, &plan.number);
    }
    if (!status) status = gndi_check_empty_axes(ix);
    if (status || !has_points(ix)) return status;
    status = join_many_indices(ix);
    if (!status) status = part_indices(ix);
    if (status) return status;
    make_plan(ix, x ? x->strides : nowhere, true, &plan);
    plan.value.data = x ? gndi_data(x) : NULL;
    return submit(ix, &plan, ix->view, x);
}
