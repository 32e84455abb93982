/*
 * search.c: gnd_searchsorted and gnd_digitize: dtypes as NumPy promotes them, then the search hook.
 */
#include "sort/search_plan.h"
#include "elementwise/elementwise.h"
#include "statistics/statistics.h"
#include "elementwise/line.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_searchsorted
#undef gnd_digitize

/* A search that is being put together. */
typedef struct request {
    const char *fn;
    const gnd_array *sorted;
    gnd_array *values;       /* a reference */
    const gnd_array *sorter; /* NULL: none */
    bool right, either;
    gndi_line line, value, order;
} request;

static gnd_array *submit(request *r, gnd_dtype dtype, gnd_array *out) {
    const gnd_array *v = r->value.array;
    gndi_search_plan plan = {
        .dtype = (uint8_t)dtype,
        .right = r->right,
        .either = r->either,
        .length = r->sorted->size,
        .sorted = r->line.data,
        .step = r->line.step,
        .points = v->size,
        .value = r->value.data,
        .value_step = r->value.step,
        .out = gndi_data(out),
    };
    if (r->order.array) {
        plan.sorter = r->order.data, plan.sorter_step = r->order.step;
        plan.sorter_dtype = r->order.array->dtype;
    }
    gnd_stream *s = gndi_work_begin(r->fn, 3, (const gnd_array *[]){r->line.array, v, r->order.array}, 1,
                                    (const gnd_array *[]){out});
    if (s && !gndi_work_end(s, s->device->backend->search(s, &plan, r->fn), r->fn)) return out;
    gnd_release(out);
    return NULL;
}

static gnd_array *search(request *r) {
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)r->sorted->dtype, (gnd_dtype)r->values->dtype);
    gnd_stream *s = gndi_ew_stream(r->sorted, r->fn);
    gnd_array *out = NULL;
    bool ready = s && gndi_line_in_order(r->fn, r->sorted, dtype, &r->line) &&
                 gndi_line_in_order(r->fn, r->values, dtype, &r->value);
    if (ready && r->sorter) ready = gndi_line_in_order(r->fn, r->sorter, (gnd_dtype)r->sorter->dtype, &r->order);
    if (ready) out = gndi_array_new_on(r->fn, s, r->values->ndim, r->values->shape, GND_INT64, GNDI_ORDER_C);
    if (out && out->size > 0) out = submit(r, dtype, out);
    gndi_line_drop(&r->line);
    gndi_line_drop(&r->value);
    gndi_line_drop(&r->order);
    return out;
}

/* ---- checks --------------------------------------------------------------------------------- */

static bool check_line(const char *fn, const gnd_array *sorted, const char *name) {
    if (gndi_missing(sorted)) return gndi_raise_null(fn, name), false;
    if (sorted->ndim == 1) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "%s has shape %s; it must have one dimension", name,
               gndi_text_shape(sorted->ndim, sorted->shape));
    return false;
}

static bool check_values(const char *fn, gnd_arg values, const char *name) {
    if (values.kind > GND_ARG_NONE && values.kind <= GND_ARG_COMPLEX) return true;
    gndi_raise(GND_ERROR_INVALID, fn, "%s must be an array or a number", name);
    return false;
}

static bool check_sorter(request *r, gnd_arg sorter) {
    const gnd_array *x = sorter.array;
    if (sorter.kind == GND_ARG_NONE) return true;
    if (sorter.kind != GND_ARG_ARRAY) {
        gndi_raise(GND_ERROR_INVALID, r->fn, "sorter must be an array of positions, or GND_NONE");
        return false;
    }
    if (gndi_missing(x)) return gndi_raise_null(r->fn, "sorter"), false;
    r->sorter = x;
    if (!gndi_dtype_is_int(x->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, r->fn, "sorter has dtype %s; it must hold integers",
                   gnd_dtype_name((gnd_dtype)x->dtype));
        return false;
    }
    if (!gndi_same_shape(x, r->sorted)) {
        gndi_raise(GND_ERROR_SHAPE, r->fn, "sorter has shape %s, but the array %s; they must agree",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(r->sorted->ndim, r->sorted->shape));
        return false;
    }
    return !gndi_check_together(r->fn, r->sorted, "sorted", x, "sorter");
}

static bool check_real(const char *fn, const gnd_array *x, const char *name) {
    if (!gndi_dtype_is_complex(x->dtype)) return true;
    gndi_raise(GND_ERROR_DTYPE, fn, "%s has dtype %s; it must be real", name, gnd_dtype_name((gnd_dtype)x->dtype));
    return false;
}

/* ---- public functions ------------------------------------------------------------------------ */

gnd_array *gnd_searchsorted(const gnd_array *sorted, gnd_arg values, gnd_side side, gnd_arg sorter) {
    request r = {.fn = "gnd_searchsorted", .sorted = sorted, .right = side == GND_RIGHT};
    if ((unsigned)side > GND_RIGHT) return gndi_fail(GND_ERROR_INVALID, r.fn, "there is no side number %d", (int)side);
    if (!check_line(r.fn, sorted, "sorted") || !check_values(r.fn, values, "values") || !check_sorter(&r, sorter))
        return NULL;
    r.values = gndi_array_of(r.fn, "values", values, sorted);
    gnd_array *out = r.values ? search(&r) : NULL;
    gnd_release(r.values);
    return out;
}

gnd_array *gnd_digitize(gnd_arg x, const gnd_array *bins, bool right) {
    request r = {.fn = "gnd_digitize", .sorted = bins, .right = !right, .either = true};
    if (!check_line(r.fn, bins, "bins") || !check_values(r.fn, x, "x") || !check_real(r.fn, bins, "bins")) return NULL;
    r.values = gndi_array_of(r.fn, "x", x, bins);
    gnd_array *out = r.values && check_real(r.fn, r.values, "x") ? search(&r) : NULL;
    gnd_release(r.values);
    return out;
}
