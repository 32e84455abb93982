/*
 * ufunc_at.c: operators applied at indices, duplicates one after the other: gnd_at, and the scatter functions,
 * which are gnd_at with a fixed operator and any items. Checks operands, brings them into the form that
 * scatter_plan.h requires (one stride from update to update), and submits.
 */
#include "core/axes.h"
#include "index/index.h"
#include "array/view.h"
#include "index/scatter_plan.h"
#include "elementwise/elementwise.h"
#include "statistics/statistics.h"
#include "elementwise/truths.h"
#include "kernels/ops/fold_loop.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_at
#undef gnd_scatter_add
#undef gnd_scatter_multiply
#undef gnd_scatter_minimum
#undef gnd_scatter_maximum

/* What is being put together. */
typedef struct request {
    const char *fn;
    gndi_op op;
    gndi_ew_types types;
    gnd_array *a;
    gnd_arg b;
    gndi_indexing ix;
    int order[GND_MAX_DIMS];                 /* ix's axes, those of the index arrays first */
    int64_t shape[GND_MAX_DIMS];             /* in that order */
    const gnd_array *read[GND_MAX_DIMS + 1]; /* arrays the kernels read */
    int reads;
    gndi_scatter_plan plan;
} request;

/* ---- checks --------------------------------------------------------------------------------- */

static gnd_status check_operator(request *r, const char *name) {
    r->op = gndi_ufunc_find(r->fn, name);
    if (r->op == GNDI_OP_COUNT) return gndi_ew_pending();
    const gndi_op_info *info = &gndi_ops[r->op];
    if (info->nout != 1)
        return gndi_raise(GND_ERROR_INVALID, r->fn, "\"%s\" has two results; gnd_at takes operators with one", name);
    if (gndi_op_is_special(r->op))
        return gndi_raise(GND_ERROR_INVALID, r->fn, "\"%s\" is a special function, which gnd_at does not take", name);
    if (info->nin > 2 || (info->flags & PARAMS))
        return gndi_raise(GND_ERROR_INVALID, r->fn,
                          "\"%s\" takes %s; only operators of one or two arguments can be used", name,
                          info->nin > 2 ? "three arguments" : "parameters");
    const bool given = r->b.kind != GND_ARG_NONE;
    if (given != (info->nin == 2))
        return gndi_raise(GND_ERROR_INVALID, r->fn, "\"%s\" takes %s", name,
                          given ? "one argument; b must be GND_NONE" : "two arguments; b must not be GND_NONE");
    return GND_OK;
}

static gnd_status check(request *r, const char *name) {
    gnd_status status = check_operator(r, name);
    if (status) return status;
    status = gndi_check_target(r->fn, r->a);
    if (status) return status;
    if (r->b.kind == GND_ARG_ARRAY && gndi_missing(r->b.array)) return gndi_raise_null(r->fn, "b");
    if ((unsigned)r->b.kind > GND_ARG_COMPLEX)
        return gndi_raise(GND_ERROR_INVALID, r->fn, "b has no valid kind (%d)", (int)r->b.kind);
    if (r->b.kind != GND_ARG_ARRAY) return GND_OK;
    return gndi_check_together(r->fn, r->a, "a", r->b.array, "b");
}

static gnd_status resolve(request *r) {
    gndi_ew_request types = {
        .op = r->op,
        .fn = r->fn,
        .args = {gnd_arg_array(r->a), r->b},
        .casting = GND_UNSAFE,
    };
    return gndi_ew_resolve(&types, &r->types);
}

/* The axes of the indexed shape in the order of the plan. */
static void order_axes(request *r) {
    const gndi_indexing *ix = &r->ix;
    int count = 0;
    for (int i = 0; i < ix->fancy; i++) r->order[count++] = ix->first + i;
    for (int i = 0; i < ix->ndim; i++)
        if (i < ix->first || i >= ix->first + ix->fancy) r->order[count++] = i;
    for (int i = 0; i < ix->ndim; i++) r->shape[i] = ix->shape[r->order[i]];
}

/* ---- operands ------------------------------------------------------------------------------- */

/* x, copied if it may share memory with a or has another dtype than `dtype` (GND_DTYPE_NONE: any). */
static const gnd_array *set_apart(request *r, const gnd_array *x, gnd_dtype dtype) {
    if (!dtype) dtype = (gnd_dtype)x->dtype;
    if (x->dtype == dtype && !gndi_is_loose(x) && !gndi_may_overlap(x, r->a)) return x;
    return gndi_indexing_keep(&r->ix, gndi_copy_as(r->fn, x, dtype, 'C'));
}

/* An operand whose first axes, as many as the index arrays have, are crossed in one step. */
static const gnd_array *in_steps(request *r, const gnd_array *x, int64_t *step) {
    *step = 0;
    if (x && !gndi_axes_step(x, NULL, r->ix.fancy, step, NULL)) {
        x = gndi_indexing_keep(&r->ix, gndi_copy_as(r->fn, x, (gnd_dtype)x->dtype, 'C'));
        if (x) gndi_axes_step(x, NULL, r->ix.fancy, step, NULL);
    }
    if (x) r->read[r->reads++] = x;
    return x;
}

static const gnd_array *spread_index(request *r, const gnd_array *x) {
    int64_t strides[GND_MAX_DIMS];
    x = set_apart(r, x, GND_DTYPE_NONE);
    if (!x) return NULL;
    gndi_broadcast_strides(x, r->ix.fancy, r->shape, strides);
    return gndi_indexing_keep(
        &r->ix, gndi_array_view(r->fn, x, r->ix.fancy, r->shape, strides, gndi_data(x), (gnd_dtype)x->dtype));
}

static gnd_status plan_indices(request *r) {
    gndi_scatter_plan *plan = &r->plan;
    plan->targets = 1, plan->updates = 1, plan->indices = r->ix.count;
    for (int i = 0; i < r->ix.fancy; i++) plan->updates *= r->shape[i];
    for (int k = 0; k < r->ix.count; k++) {
        const struct gndi_indexed_axis *from = &r->ix.index[k];
        struct gndi_scatter_index *index = &plan->index[k];
        index->size = from->size, index->stride = from->step, index->axis = from->axis;
        plan->targets *= index->size;
        const gnd_array *x = in_steps(r, spread_index(r, from->array), &index->step);
        if (!x) return gndi_ew_pending();
        index->data = gndi_data(x), index->dtype = x->dtype;
    }
    return GND_OK;
}

/* The dtype that b goes into the kernels with. The exact comparisons of int64 with uint64 may have
   swapped their operands; both have 64 bits. */
static gnd_dtype value_dtype(const request *r) {
    return r->types.swapped ? r->types.in[0] : r->types.in[1];
}

/* b under the indexed shape, in the plan's order of axes. */
static const gnd_array *spread_value(request *r, const gnd_array *b) {
    b = set_apart(r, b, value_dtype(r));
    gnd_array *x = b ? gndi_indexing_spread(&r->ix, b, false, "b") : NULL;
    return x ? gndi_indexing_keep(&r->ix, gndi_permuted(r->fn, x, r->order)) : NULL;
}

static gnd_status plan_value(request *r, const gnd_array **view) {
    gndi_scatter_plan *plan = &r->plan;
    memset(&plan->value, 0, sizeof plan->value);
    *view = NULL;
    if (r->b.kind == GND_ARG_NONE) return GND_OK;
    plan->value.dtype = (uint8_t)value_dtype(r);
    if (r->b.kind != GND_ARG_ARRAY) {
        const gnd_arg number = r->types.args[r->types.swapped ? 0 : 1];
        if (gndi_scalar_from_arg(r->fn, number, value_dtype(r), &plan->value.number)) return GND_OK;
        return gndi_ew_pending();
    }
    *view = in_steps(r, spread_value(r, r->b.array), &plan->value.step);
    if (!*view) return gndi_ew_pending();
    plan->value.data = gndi_data((*view));
    return GND_OK;
}

/* The axes that no array indexes, sorted by a's stride and merged. */
static void plan_columns(request *r, const gnd_array *value) {
    gndi_scatter_plan *plan = &r->plan;
    int64_t *const stride[] = {plan->target.stride, plan->value.stride};
    gndi_walk w = {.operands = 2, .leaders = 1, .shape = plan->shape, .stride = stride};
    for (int i = r->ix.fancy; i < r->ix.ndim; i++)
        gndi_walk_add(&w, r->shape[i], (int64_t[]){r->ix.stride[r->order[i]], value ? value->strides[i] : 0});
    plan->ndim = gndi_walk_collapse(&w, 0, w.ndim);
    plan->columns = gndi_walk_size(&w);
    plan->target.data = gndi_data(r->ix.view), plan->target.dtype = r->a->dtype;
}

/* ---- submission ----------------------------------------------------------------------------- */

static gnd_status submit(request *r) {
    gnd_stream *s = gndi_work_begin(r->fn, r->reads, r->read, 1, (const gnd_array *[]){r->a});
    return s ? gndi_work_end(s, s->device->backend->scatter(s, &r->plan, r->fn), r->fn) : gndi_ew_pending();
}

static gnd_status carry_out(request *r) {
    const gnd_array *value = NULL;
    if (r->b.kind == GND_ARG_ARRAY && !gndi_indexing_spread(&r->ix, r->b.array, false, "b")) return gndi_ew_pending();
    gnd_status status = gndi_check_empty_axes(&r->ix);
    for (int i = 0; i < r->ix.ndim; i++)
        if (status || r->shape[i] == 0) return status;
    status = plan_indices(r);
    if (!status) status = plan_value(r, &value);
    if (status) return status;
    r->plan.op = r->types.op, r->plan.loop = r->types.loop, r->plan.swapped = r->types.swapped;
    plan_columns(r, value);
    return submit(r);
}

/* The operator, at what expanded items name. */
static gnd_status apply(request *r, int count, const gnd_index *items) {
    gnd_status status = gndi_indexing_begin(&r->ix, r->fn, r->a, count, items);
    if (!status) {
        order_axes(r);
        status = resolve(r);
    }
    if (!status) status = carry_out(r);
    gndi_indexing_end(&r->ix);
    return status;
}

/* To loose bool memory: to its truths, and from there what has changed. */
static gnd_status apply_loose(request *r, int count, const gnd_index *items) {
    gnd_array *a = r->a, *truths = gndi_truths_of(r->fn, a), *differ = NULL;
    gnd_status status = truths ? GND_OK : gndi_ew_pending();
    r->a = truths;
    if (!status) status = apply(r, count, items);
    if (!status && !gndi_apply(r->fn, GNDI_OP_not_equal, gnd_arg_array(a), gnd_arg_array(truths), &differ))
        status = gndi_ew_pending();
    if (!status) status = gndi_assign_where(r->fn, a, gnd_arg_array(truths), differ);
    gnd_release(truths);
    gnd_release(differ);
    return status;
}

static gnd_status apply_at(request *r, const char *name, int count, const gnd_index *items) {
    r->reads = 0;
    const gnd_status status = check(r, name);
    if (status) return status;
    return gndi_is_loose(r->a) ? apply_loose(r, count, items) : apply(r, count, items);
}

/* ---- the public functions ------------------------------------------------------------------- */

gnd_status gnd_at(const char *name, gnd_array *a, int count, const gnd_arg *indices, gnd_arg b) {
    gnd_index items[GNDI_MAX_ITEMS];
    request r;
    r.fn = "gnd_at", r.a = a, r.b = b;
    if (count < 0 || count > GNDI_MAX_ITEMS || (count > 0 && !indices))
        return gndi_raise(GND_ERROR_INVALID, r.fn, "was given no list of indices, but count %d", count);
    for (int i = 0; i < count; i++) {
        const gnd_arg *from = &indices[i];
        if (from->kind == GND_ARG_ARRAY)
            items[i] = gnd_index_array(from->array);
        else if (from->kind == GND_ARG_INT)
            items[i] = gnd_index_at(from->i);
        else if (from->kind == GND_ARG_UINT)
            items[i] = gnd_index_at_unsigned(from->u);
        else
            return gndi_raise(GND_ERROR_INVALID, r.fn, "index %d is neither an array nor an integer", i + 1);
    }
    return apply_at(&r, name, count, items);
}

static gnd_status scatter(const char *fn, const char *name, gnd_array *a, int count, const gnd_index *items,
                          gnd_arg values) {
    gnd_index all[GNDI_MAX_ITEMS];
    int arrays;
    request r;
    r.fn = fn, r.a = a, r.b = values;
    if (values.kind == GND_ARG_NONE) return gndi_raise(GND_ERROR_INVALID, fn, "the values are GND_NONE");
    const int made = gndi_expand_items(fn, count, items, all, &arrays);
    return made < 0 ? gndi_ew_pending() : apply_at(&r, name, made, all);
}

gnd_status gnd_scatter_add(gnd_array *a, int count, const gnd_index *items, gnd_arg values) {
    return scatter("gnd_scatter_add", "add", a, count, items, values);
}
gnd_status gnd_scatter_multiply(gnd_array *a, int count, const gnd_index *items, gnd_arg values) {
    return scatter("gnd_scatter_multiply", "multiply", a, count, items, values);
}
gnd_status gnd_scatter_minimum(gnd_array *a, int count, const gnd_index *items, gnd_arg values) {
    return scatter("gnd_scatter_minimum", "minimum", a, count, items, values);
}
gnd_status gnd_scatter_maximum(gnd_array *a, int count, const gnd_index *items, gnd_arg values) {
    return scatter("gnd_scatter_maximum", "maximum", a, count, items, values);
}
