/*
 * ufunc_at.c: gnd_at: checks the indices and what goes with them, brings them into the form that
 * scatter_plan.h asks for (one stride from update to update), and submits.
 */
#include "kernels/scatter_plan.h"
#include "math/elementwise.h"
#include "math/ufunc.h"
#include <stdlib.h>

static const char fn[] = "gnd_at";

/* What is being put together. */
typedef struct request {
    gndi_op op;
    gndi_ew_types types;
    gnd_array *a;
    int count;
    const gnd_arg *indices;
    gnd_arg b;
    int index_ndim; /* of the indices, broadcast */
    int64_t index_shape[GND_MAX_DIMS];
    int ndim; /* of what is indexed: those axes, then a's others */
    int64_t shape[GND_MAX_DIMS];
    gnd_stream *stream;
    const gnd_array *read[GND_MAX_DIMS + 1]; /* arrays the kernels read */
    gnd_array *temporary[3 * (GND_MAX_DIMS + 1)];
    int reads, temporaries;
    gndi_scatter_plan plan;
} request;

static gnd_array *keep(request *r, gnd_array *x) {
    if (x) r->temporary[r->temporaries++] = x;
    return x;
}

/* ---- checks --------------------------------------------------------------------------------- */

static gnd_status check_operator(request *r, const char *name) {
    r->op = gndi_ufunc_find(fn, name);
    if (r->op == GNDI_OP_COUNT) return gndi_ew_pending();
    const gndi_op_info *info = &gndi_ops[r->op];
    if (info->nout != 1)
        return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" has two results; an element has one place",
                          name);
    if (info->nin > 2 || (info->flags & PARAMS))
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "\"%s\" takes %s; only operators of one or two arguments can be used",
                          name, info->nin > 2 ? "three arguments" : "parameters");
    const bool given = r->b.kind != GND_ARG_NONE;
    if (given != (info->nin == 2))
        return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" takes %s", name,
                          given ? "one argument; b must be GND_NONE"
                                : "two arguments; b must not be GND_NONE");
    return GND_OK;
}

static gnd_status check_device(const request *r, const gnd_array *x, const char *what) {
    if (x->buffer->device == r->a->buffer->device) return GND_OK;
    return gndi_raise(GND_ERROR_DEVICE, fn, "a is %s, but %s is %s; gnd_to_device moves arrays",
                      gndi_text_array(r->a), what, gndi_text_array(x));
}

/* A C integer as an index: in range, or an error at once. */
static gnd_status check_number(const request *r, int i) {
    const gnd_arg index = r->indices[i];
    const int64_t size = r->a->shape[i];
    if (index.kind == GND_ARG_INT && index.i >= -size && index.i < size) return GND_OK;
    if (index.kind == GND_ARG_INT || index.kind == GND_ARG_UINT)
        return gndi_raise(GND_ERROR_INDEX, fn,
                          "index %lld is out of bounds for axis %d with size %lld",
                          (long long)index.i, i, (long long)size);
    return gndi_raise(GND_ERROR_INVALID, fn, "index %d is neither an array nor an integer", i + 1);
}

static gnd_status check_indices(request *r) {
    if (r->count < 0 || (r->count > 0 && !r->indices))
        return gndi_raise(GND_ERROR_INVALID, fn, "was given no list of indices, but count %d",
                          r->count);
    if (r->count > r->a->ndim)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "too many indices: a is %d-dimensional, but %d were given", r->a->ndim,
                          r->count);
    r->index_ndim = 0;
    for (int i = 0; i < r->count; i++) {
        const gnd_array *x = r->indices[i].array;
        gnd_status status = GND_OK;
        if (r->indices[i].kind != GND_ARG_ARRAY) {
            status = check_number(r, i);
            if (status) return status;
            continue;
        }
        if (!x) return gndi_raise_null(fn, "an index");
        if (!gndi_dtype_is_int(x->dtype))
            return gndi_raise(GND_ERROR_DTYPE, fn, "index %d has dtype %s; it must be integers%s",
                              i + 1, gnd_dtype_name((gnd_dtype)x->dtype),
                              x->dtype == GND_BOOL ? " (under a mask, use gnd_apply with where)"
                                                   : "");
        status = check_device(r, x, "an index");
        if (status) return status;
        if (!gndi_broadcast(&r->index_ndim, r->index_shape, x->ndim, x->shape))
            return gndi_raise(
                GND_ERROR_SHAPE, fn, "the indices do not broadcast together: %s does not fit %s",
                gndi_text_shape(x->ndim, x->shape), gndi_text_shape(r->index_ndim, r->index_shape));
    }
    return GND_OK;
}

static gnd_status check_shape(request *r) {
    const gnd_array *a = r->a, *b = r->b.array;
    r->ndim = r->index_ndim + a->ndim - r->count;
    if (r->ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "the indexed array would have %d dimensions; at most %d are possible",
                          r->ndim, GND_MAX_DIMS);
    for (int i = 0; i < r->index_ndim; i++) r->shape[i] = r->index_shape[i];
    for (int i = r->index_ndim; i < r->ndim; i++)
        r->shape[i] = a->shape[r->count + i - r->index_ndim];
    if (r->b.kind != GND_ARG_ARRAY) return GND_OK;
    bool fits = b->ndim <= r->ndim;
    for (int i = 0; fits && i < b->ndim; i++)
        fits = b->shape[i] == 1 || b->shape[i] == r->shape[r->ndim - b->ndim + i];
    if (fits) return check_device(r, b, "b");
    return gndi_raise(GND_ERROR_SHAPE, fn,
                      "b of shape %s does not broadcast to a[indices] of shape %s",
                      gndi_text_shape(b->ndim, b->shape), gndi_text_shape(r->ndim, r->shape));
}

static gnd_status check(request *r, const char *name) {
    gnd_status status = check_operator(r, name);
    if (status) return status;
    if (!r->a) return gndi_raise_null(fn, "a");
    if (r->a->flags & GNDI_READONLY)
        return gndi_raise(GND_ERROR_INVALID, fn, "a is read-only (a broadcast view)");
    if (r->b.kind == GND_ARG_ARRAY && !r->b.array) return gndi_raise_null(fn, "b");
    if ((unsigned)r->b.kind > GND_ARG_COMPLEX)
        return gndi_raise(GND_ERROR_INVALID, fn, "b has no valid kind (%d)", (int)r->b.kind);
    status = check_indices(r);
    if (!status) status = check_shape(r);
    if (status) return status;
    gndi_ew_request types = {
        .op = r->op,
        .fn = fn,
        .args = {gnd_arg_array(r->a), r->b},
        .casting = GND_UNSAFE,
    };
    return gndi_ew_resolve(&types, &r->types);
}

/* ---- operands ------------------------------------------------------------------------------- */

/* x seen under a shape that it broadcasts to. */
static gnd_array *broadcast_view(request *r, const gnd_array *x, int ndim, const int64_t *shape) {
    int64_t strides[GND_MAX_DIMS];
    gndi_broadcast_strides(x, ndim, shape, strides);
    return keep(r, gndi_array_view(fn, x, ndim, shape, strides, x->data, (gnd_dtype)x->dtype));
}

/* The step from element to element over the first `ndim` axes in C order, if there is one. */
static bool one_step(const gnd_array *x, int ndim, int64_t *step) {
    int64_t inner = 0, size = 1;
    bool found = false;
    for (int i = ndim - 1; i >= 0; i--) {
        if (x->shape[i] == 1) continue;
        if (found && x->strides[i] != inner * size) return false;
        if (!found) inner = x->strides[i], found = true;
        size *= x->shape[i];
    }
    *step = inner;
    return true;
}

/* An operand under `shape`, whose first axes (as many as the indices have) are crossed in one step,
   which lies apart from a, and has `dtype` (GND_DTYPE_NONE: any). */
static const gnd_array *operand(request *r, const gnd_array *x, int ndim, const int64_t *shape,
                                gnd_dtype dtype, int64_t *step) {
    if (!dtype) dtype = (gnd_dtype)x->dtype;
    const bool copies = x->dtype != dtype || gndi_may_overlap(x, r->a);
    if (copies) x = keep(r, gndi_copy_as(fn, x, dtype, 'C'));
    if (x) x = broadcast_view(r, x, ndim, shape);
    if (x && !one_step(x, r->index_ndim, step)) {
        x = keep(r, gndi_copy_as(fn, x, dtype, 'C'));
        if (x) one_step(x, r->index_ndim, step);
    }
    if (x) r->read[r->reads++] = x;
    return x;
}

static gnd_status plan_indices(request *r) {
    gndi_scatter_plan *plan = &r->plan;
    plan->places = 1, plan->updates = 1, plan->indices = r->count;
    for (int i = 0; i < r->index_ndim; i++) plan->updates *= r->index_shape[i];
    for (int i = 0; i < r->count; i++) {
        struct gndi_scatter_index *index = &plan->index[i];
        memset(index, 0, sizeof *index);
        index->size = r->a->shape[i], index->stride = r->a->strides[i];
        plan->places *= index->size;
        if (r->indices[i].kind != GND_ARG_ARRAY) {
            index->number = r->indices[i].i;
            continue;
        }
        const gnd_array *x = operand(r, r->indices[i].array, r->index_ndim, r->index_shape,
                                     GND_DTYPE_NONE, &index->step);
        if (!x) return gndi_ew_pending();
        index->data = x->data, index->dtype = x->dtype;
    }
    return GND_OK;
}

/* The dtype that b goes into the kernels with. The exact comparisons of int64 with uint64 may have
   been turned round; both have 64 bits. */
static gnd_dtype value_dtype(const request *r) {
    return r->types.swapped ? r->types.in[0] : r->types.in[1];
}

static gnd_status plan_value(request *r, const gnd_array **view) {
    gndi_scatter_plan *plan = &r->plan;
    memset(&plan->value, 0, sizeof plan->value);
    *view = NULL;
    if (r->b.kind == GND_ARG_NONE) return GND_OK;
    plan->value.dtype = (uint8_t)value_dtype(r);
    if (r->b.kind != GND_ARG_ARRAY) {
        const gnd_arg number = r->types.args[r->types.swapped ? 0 : 1];
        if (gndi_scalar_from_arg(fn, number, value_dtype(r), &plan->value.number)) return GND_OK;
        return gndi_ew_pending();
    }
    *view = operand(r, r->b.array, r->ndim, r->shape, value_dtype(r), &plan->value.step);
    if (!*view) return gndi_ew_pending();
    plan->value.data = (*view)->data;
    return GND_OK;
}

/* a's axes that are not indexed, sorted and merged. */
static void plan_columns(request *r, const gnd_array *value) {
    gndi_scatter_plan *plan = &r->plan;
    const gnd_array *a = r->a;
    int order[GND_MAX_DIMS], count = 0;
    for (int i = r->count; i < a->ndim; i++) {
        if (a->shape[i] == 1) continue;
        int k = count++;
        for (; k > 0 && llabs(a->strides[order[k - 1]]) < llabs(a->strides[i]); k--)
            order[k] = order[k - 1];
        order[k] = i;
    }
    plan->ndim = 0, plan->columns = 1;
    for (int k = 0; k < count; k++) {
        const int i = order[k], last = plan->ndim - 1;
        const int64_t size = a->shape[i];
        const int64_t step = value ? value->strides[r->index_ndim + i - r->count] : 0;
        plan->columns *= size;
        const bool one = last >= 0 && plan->target.stride[last] == a->strides[i] * size &&
                         plan->value.stride[last] == step * size;
        const int at = one ? last : plan->ndim++;
        plan->shape[at] = one ? plan->shape[at] * size : size;
        plan->target.stride[at] = a->strides[i], plan->value.stride[at] = step;
    }
    plan->target.data = a->data, plan->target.dtype = a->dtype;
}

/* ---- submission ----------------------------------------------------------------------------- */

static gnd_status submit(request *r) {
    gnd_stream *s = r->stream;
    gnd_status status = GND_OK;
    for (int i = 0; i < r->reads && !status; i++)
        status = gndi_order_read(s, r->read[i]->buffer, fn);
    if (!status) status = gndi_order_write(s, r->a->buffer, fn);
    if (!status) status = s->device->backend->scatter(s, &r->plan, fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}

/* Indices into an axis of size 0 are all out of range, but a has no element that could be changed:
   the first of them is reported by the host, without waiting. */
static gnd_status refuse_empty_axis(const request *r) {
    for (int i = 0; i < r->count; i++)
        if (r->a->shape[i] == 0)
            return gndi_raise(
                GND_ERROR_INDEX, fn,
                "a has shape %s: on axis %d, which has size 0, there is nothing to index",
                gndi_text_shape(r->a->ndim, r->a->shape), i);
    return GND_OK;
}

static gnd_status carry_out(request *r) {
    const gnd_array *value = NULL;
    r->stream = gndi_ew_stream(r->a, fn);
    if (!r->stream) return gndi_ew_pending();
    for (int i = 0; i < r->ndim; i++)
        if (r->shape[i] == 0) return GND_OK;
    gnd_status status = refuse_empty_axis(r);
    if (!status) status = plan_indices(r);
    if (!status) status = plan_value(r, &value);
    if (status) return status;
    r->plan.op = r->types.op, r->plan.loop = r->types.loop, r->plan.swapped = r->types.swapped;
    plan_columns(r, value);
    return submit(r);
}

gnd_status(gnd_at)(const char *name, gnd_array *a, int count, const gnd_arg *indices, gnd_arg b) {
    request r;
    r.a = a, r.count = count, r.indices = indices, r.b = b;
    r.reads = r.temporaries = 0;
    gnd_status status = check(&r, name);
    if (!status) status = carry_out(&r);
    for (int i = 0; i < r.temporaries; i++) gnd_release(r.temporary[i]);
    return status;
}
