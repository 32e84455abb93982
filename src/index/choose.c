/*
 * choose.c: at each point one of several values: choose, select, piecewise.
 *
 * choose is the `index` hook on an array with the choices along a first axis: the choices themselves,
 * if they lie in memory at equal distances, else a copy of them side by side.
 */
#include "elementwise/truths.h"
#include "index/index.h"
#include "array/call_result.h"
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "rearrange/rearrange.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_select

/* ---- several values ------------------------------------------------------------------------- */

/* Checks values and broadcasts them to the shape so far. */
static gnd_status broadcast_values(const char *fn, int count, const gnd_arg *values, const char *what,
                                   const gnd_array *beside, int *ndim, int64_t *shape) {
    for (int k = 0; k < count; k++) {
        const gnd_array *x = values[k].array;
        if (values[k].kind == GND_ARG_NONE || (unsigned)values[k].kind > GND_ARG_COMPLEX)
            return gndi_raise(GND_ERROR_INVALID, fn, "%s %d is neither an array nor a number", what, k);
        if (values[k].kind != GND_ARG_ARRAY) continue;
        if (gndi_missing(x)) return gndi_raise_null(fn, what);
        if (beside && gndi_check_together(fn, beside, "the first array", x, what)) return GND_ERROR_DEVICE;
        if (!gndi_broadcast(ndim, shape, x->ndim, x->shape))
            return gndi_raise(GND_ERROR_SHAPE, fn, "%s %d of shape %s does not broadcast with shape %s", what, k,
                              gndi_text_shape(x->ndim, x->shape), gndi_text_shape(*ndim, shape));
    }
    return GND_OK;
}

/* ---- choose --------------------------------------------------------------------------------- */

typedef struct request {
    const char *fn;
    gnd_dtype dtype;
    int ndim; /* of the choices together */
    int64_t shape[GND_MAX_DIMS];
    gndi_indexing ix;
} request;

/* Whether all choices are arrays of the dtype with the same strides, at equal distances: then choice
   0 is what is indexed, and *step the distance. */
static bool lie_evenly(const request *c, int count, const gnd_arg *choices, int64_t *step) {
    int64_t first[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int k = 0; k < count; k++) {
        const gnd_array *x = choices[k].array;
        if (choices[k].kind != GND_ARG_ARRAY || x->dtype != c->dtype || gndi_is_loose(x)) return false;
        gndi_broadcast_strides(x, c->ndim, c->shape, k ? strides : first);
        if (k && memcmp(first, strides, sizeof *first * (size_t)c->ndim) != 0) return false;
        if (k == 1) *step = gndi_data(x) - gndi_data(choices[0].array);
        if (k > 1 && gndi_data(x) - gndi_data(choices[k - 1].array) != *step) return false;
    }
    return true;
}

/* The choices copied side by side, along a new first axis. */
static gnd_array *lay_out(const request *c, const gnd_array *beside, int count, const gnd_arg *choices) {
    int64_t shape[GND_MAX_DIMS + 1];
    if (c->ndim + 1 > GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, c->fn, "choices of %d dimensions leave no room for one more", c->ndim);
    shape[0] = count;
    memcpy(shape + 1, c->shape, sizeof *shape * (size_t)c->ndim);
    gnd_array *all = gndi_new_on_device_of(c->fn, beside, c->ndim + 1, shape, c->dtype);
    gnd_status status = all ? GND_OK : GND_ERROR_MEMORY;
    for (int k = 0; k < count && !status; k++) {
        gnd_array *one = gndi_array_view(c->fn, all, c->ndim, shape + 1, all->strides + 1,
                                         gndi_data(all) + k * all->strides[0], c->dtype);
        status = one ? gndi_assign_where(c->fn, one, choices[k], NULL) : GND_ERROR_MEMORY;
        gnd_release(one);
    }
    if (!status) return all;
    gnd_release(all);
    return NULL;
}

/* Describes what is indexed: the choices, seen under the result's shape. */
static gnd_status describe(request *c, const gnd_array *a, int count, const gnd_arg *choices) {
    gndi_indexing *ix = &c->ix;
    int64_t step = 0;
    const bool even = lie_evenly(c, count, choices, &step);
    gnd_array *all = even ? gndi_array_alias(c->fn, choices[0].array) : lay_out(c, a, count, choices);
    ix->view = gndi_indexing_keep(ix, all);
    if (!all) return gndi_ew_pending();
    const int own = even ? 0 : 1; /* axes that are not the result's */
    for (int i = 0; i < ix->ndim; i++) {
        const int k = i - (ix->ndim - (all->ndim - own)) + own;
        ix->stride[i] = k >= own && all->shape[k] != 1 ? all->strides[k] : 0;
    }
    ix->first = 0, ix->fancy = ix->ndim, ix->count = 1;
    ix->index[0] =
        (struct gndi_indexed_axis){.array = a, .size = count, .divide = 1, .step = even ? step : all->strides[0]};
    if (!even) return GND_OK;
    gnd_stream *s = gndi_ew_stream(a, c->fn);
    gnd_status status = s ? GND_OK : gndi_ew_pending();
    for (int k = 1; k < count && !status; k++) status = gndi_order_read(s, choices[k].array->buffer, c->fn);
    return status;
}

static gnd_status check_choice(request *c, const gnd_array *a, int count, const gnd_arg *choices, gnd_index_mode mode) {
    gndi_indexing *ix = &c->ix;
    if (gndi_missing(a)) return gndi_raise_null(c->fn, "a");
    if (a->dtype != GND_BOOL && !gndi_dtype_is_int(a->dtype))
        return gndi_raise(GND_ERROR_DTYPE, c->fn, "a has dtype %s; it must be integers or bool",
                          gnd_dtype_name((gnd_dtype)a->dtype));
    if (count < 1 || !choices) return gndi_raise(GND_ERROR_INVALID, c->fn, "there are no choices (count %d)", count);
    gnd_status status = gndi_check_mode(c->fn, mode, GNDI_INDEX_STRICT, &ix->mode);
    if (status) return status;
    c->ndim = 0;
    status = broadcast_values(c->fn, count, choices, "choice", a, &c->ndim, c->shape);
    if (status) return status;
    c->dtype = gnd_result_type_n(count, choices);
    ix->ndim = c->ndim;
    memcpy(ix->shape, c->shape, sizeof c->shape);
    if (gndi_broadcast(&ix->ndim, ix->shape, a->ndim, a->shape)) return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, c->fn, "a of shape %s does not broadcast with the choices of shape %s",
                      gndi_text_shape(a->ndim, a->shape), gndi_text_shape(c->ndim, c->shape));
}

/* `out` (NULL: none) is checked before anything is submitted, which may report an index. */
static gnd_array *choose(const char *fn, const gnd_array *out, const gnd_array *a, int count, const gnd_arg *choices,
                         gnd_index_mode mode) {
    request c;
    c.fn = fn;
    gndi_indexing_clear(&c.ix, fn);
    gnd_status status = check_choice(&c, a, count, choices, mode);
    if (!status && out && !gndi_check_out(fn, a, out, c.ix.ndim, c.ix.shape)) status = gndi_ew_pending();
    if (!status && a->dtype == GND_BOOL) {
        a = gndi_indexing_keep(&c.ix, gndi_truths_as_bytes(fn, a));
        if (!a) status = gndi_ew_pending();
    }
    if (!status) status = describe(&c, a, count, choices);
    gnd_array *result = status ? NULL : gndi_indexing_get(&c.ix);
    gndi_indexing_end(&c.ix);
    return result;
}

gnd_array *gnd_choose(const gnd_array *a, int count, const gnd_arg *choices, gnd_index_mode mode) {
    return choose("gnd_choose", NULL, a, count, choices, mode);
}

gnd_status gnd_choose_into(gnd_array *out, const gnd_array *a, int count, const gnd_arg *choices, gnd_index_mode mode) {
    static const char fn[] = "gnd_choose_into";
    if (gndi_missing(out)) return gndi_raise_null(fn, "out");
    gnd_array *result = choose(fn, out, a, count, choices, mode);
    const gnd_status status = result ? gndi_copy_into(fn, out, result) : gndi_ew_pending();
    gnd_release(result);
    return status;
}

/* ---- select --------------------------------------------------------------------------------- */

static gnd_status check_conditions(const char *fn, int count, const gnd_arg *condition) {
    if (count < 1 || !condition) return gndi_raise(GND_ERROR_INVALID, fn, "there are no conditions (count %d)", count);
    for (int k = 0; k < count; k++) {
        if (condition[k].kind != GND_ARG_ARRAY) return gndi_raise(GND_ERROR_INVALID, fn, "condition %d is no array", k);
        if (gndi_missing(condition[k].array)) return gndi_raise_null(fn, "a condition");
        if (condition[k].array->dtype != GND_BOOL)
            return gndi_raise(GND_ERROR_DTYPE, fn, "condition %d has dtype %s; it must be bool", k,
                              gnd_dtype_name((gnd_dtype)condition[k].array->dtype));
    }
    return GND_OK;
}

gnd_array *gnd_select(int conditions, const gnd_arg *condition, int choices, const gnd_arg *choice, gnd_arg otherwise) {
    static const char fn[] = "gnd_select";
    int ndim = 0;
    int64_t shape[GND_MAX_DIMS];
    if (otherwise.kind == GND_ARG_NONE) otherwise = gnd_arg_int(0);
    if (check_conditions(fn, conditions, condition)) return NULL;
    if (choices != conditions || !choice)
        return gndi_fail(GND_ERROR_INVALID, fn, "%d conditions and %d choices; they must be as many", conditions,
                         choices);
    const gnd_array *beside = condition[0].array;
    if (broadcast_values(fn, conditions, condition, "condition", beside, &ndim, shape) ||
        broadcast_values(fn, choices, choice, "choice", beside, &ndim, shape) ||
        broadcast_values(fn, 1, &otherwise, "the default", beside, &ndim, shape))
        return NULL;
    gnd_arg *values = gndi_malloc(fn, sizeof *values * (size_t)(choices + 1));
    if (!values) return NULL;
    memcpy(values, choice, sizeof *values * (size_t)choices);
    values[choices] = otherwise;
    const gnd_dtype dtype = gnd_result_type_n(choices + 1, values);
    gndi_free(values);
    gnd_array *result = gndi_new_on_device_of(fn, beside, ndim, shape, dtype);
    gnd_status status = result ? gndi_assign_where(fn, result, otherwise, NULL) : GND_ERROR_MEMORY;
    for (int k = choices - 1; k >= 0 && !status; k--)
        status = gndi_assign_where(fn, result, choice[k], condition[k].array);
    if (!status) return result;
    gnd_release(result);
    return NULL;
}

/* ---- piecewise ------------------------------------------------------------------------------ */

/* The condition in x's shape. */
static gnd_array *condition_like(const char *fn, const gnd_array *x, const gnd_array *condition, int number) {
    int ndim = x->ndim;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    memcpy(shape, x->shape, sizeof *shape * (size_t)ndim);
    if (gndi_check_together(fn, x, "x", condition, "a condition")) return NULL;
    if (condition->ndim > x->ndim || !gndi_broadcast(&ndim, shape, condition->ndim, condition->shape) ||
        memcmp(shape, x->shape, sizeof *shape * (size_t)ndim) != 0)
        return gndi_fail(GND_ERROR_SHAPE, fn, "condition %d of shape %s does not broadcast to x of shape %s", number,
                         gndi_text_shape(condition->ndim, condition->shape), gndi_text_shape(x->ndim, x->shape));
    gndi_broadcast_strides(condition, ndim, shape, strides);
    return gndi_array_view(fn, condition, ndim, shape, strides, gndi_data(condition), GND_BOOL);
}

/* result = piece where the condition is true. */
static gnd_status apply_piece(const char *fn, gnd_array *result, const gnd_array *x, const gnd_array *condition,
                              const gnd_piece *piece) {
    if (!piece->function) return gndi_assign_where(fn, result, piece->value, condition);
    gnd_scope scope; /* owns what the function is given and what it makes */
    gnd_scope_open(&scope);
    const bool pending = gnd_error() != NULL;
    gnd_array *part = gndi_mask_get(fn, x, condition), *values = NULL;
    gnd_status status = part ? GND_OK : gndi_ew_pending();
    if (part && part->size > 0) {
        values = gndi_call_result(fn, piece->function(part, piece->context), pending);
        if (!values) status = gndi_ew_pending();
    }
    if (values && values->size != part->size && values->size != 1)
        status = gndi_raise(GND_ERROR_SHAPE, fn, "a function gave back %lld elements for %lld", (long long)values->size,
                            (long long)part->size);
    else if (values)
        status = gndi_mask_set(fn, result, condition, gnd_arg_array(values));
    gnd_scope_close(&scope);
    gnd_release(values);
    return status;
}

/* Where no condition is true. */
static gnd_array *none_of(const char *fn, const gnd_array *x, int count, gnd_array *const *mask) {
    gnd_array *none = gndi_new_on_device_of(fn, x, x->ndim, x->shape, GND_BOOL);
    gnd_status status = none ? gndi_assign_where(fn, none, gnd_arg_bool(true), NULL) : GND_ERROR_MEMORY;
    for (int k = 0; k < count && !status; k++) status = gndi_assign_where(fn, none, gnd_arg_bool(false), mask[k]);
    if (!status) return none;
    gnd_release(none);
    return NULL;
}

static gnd_status check_pieces(const char *fn, const gnd_array *x, int conditions, const gnd_arg *condition, int pieces,
                               const gnd_piece *piece) {
    gnd_status status = check_conditions(fn, conditions, condition);
    if (status) return status;
    if ((pieces != conditions && pieces != conditions + 1) || !piece)
        return gndi_raise(GND_ERROR_INVALID, fn, "with %d conditions there must be %d or %d pieces, not %d", conditions,
                          conditions, conditions + 1, pieces);
    for (int k = 0; k < pieces && !status; k++) {
        int ndim = x->ndim;
        int64_t shape[GND_MAX_DIMS];
        if (piece[k].function) continue;
        memcpy(shape, x->shape, sizeof *shape * (size_t)ndim);
        status = broadcast_values(fn, 1, &piece[k].value, "a piece's value", x, &ndim, shape);
        if (!status && (ndim != x->ndim || memcmp(shape, x->shape, sizeof *shape * (size_t)ndim)))
            status = gndi_raise(GND_ERROR_SHAPE, fn, "the value of piece %d does not broadcast to x of shape %s", k,
                                gndi_text_shape(x->ndim, x->shape));
    }
    return status;
}

gnd_array *gnd_piecewise(const gnd_array *x, int conditions, const gnd_arg *condition, int pieces,
                         const gnd_piece *piece) {
    static const char fn[] = "gnd_piecewise";
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (check_pieces(fn, x, conditions, condition, pieces, piece)) return NULL;
    gnd_array **mask = gndi_calloc(fn, sizeof *mask * (size_t)(conditions + 1));
    gnd_status status = mask ? GND_OK : GND_ERROR_MEMORY;
    for (int k = 0; k < conditions && !status; k++) {
        mask[k] = condition_like(fn, x, condition[k].array, k);
        if (!mask[k]) status = gndi_ew_pending();
    }
    if (!status && pieces > conditions) {
        mask[conditions] = none_of(fn, x, conditions, mask);
        if (!mask[conditions]) status = gndi_ew_pending();
    }
    gnd_array *result = status ? NULL : gndi_zero(fn, gndi_new_like(fn, x, GND_DTYPE_NONE));
    if (!status && !result) status = gndi_ew_pending();
    for (int k = 0; k < pieces && !status; k++) status = apply_piece(fn, result, x, mask[k], &piece[k]);
    for (int k = 0; mask && k <= conditions; k++) gnd_release(mask[k]);
    gndi_free(mask);
    if (!status) return result;
    gnd_release(result);
    return NULL;
}
