/*
 * slide.c: sliding sums in several dimensions, from checked arguments to the backend's hook.
 */
#include "convolve/convolve.h"
#include "array/view.h"
#include "elementwise/create.h"
#include "elementwise/truths.h"
#include "runtime/runtime.h"
#include <math.h>

/* One operand in a dtype. */
static const gnd_array *operand(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    if (s->failed || ((gnd_dtype)a->dtype == dtype && !gndi_is_loose(a))) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'K'));
}

bool gndi_sliding_operands(gndi_temporaries *s, const gnd_array **x, const gnd_array **k) {
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)(*x)->dtype, (gnd_dtype)(*k)->dtype);
    *x = operand(s, *x, dtype);
    *k = operand(s, *k, dtype);
    return !s->failed;
}

const gnd_array *gndi_conjugate_of(gndi_temporaries *s, const gnd_array *x) {
    if (s->failed || !gndi_dtype_is_complex(x->dtype)) return x;
    return gndi_step(s, GNDI_OP_conjugate, gnd_arg_array(x), GND_NONE);
}

gnd_array *gndi_reversed(gndi_temporaries *s, const gnd_array *x) {
    if (s->failed) return NULL;
    GNDI_PARTS_OF(s->fn);
    return gndi_temporaries_keep(s, gnd_flip(x, GND_ALL));
}

bool gndi_valid_swaps(const char *fn, const gnd_array *x, const gnd_array *k, bool *swaps) {
    bool x_holds = true, k_holds = true;
    for (int a = 0; a < x->ndim; a++) {
        x_holds = x_holds && x->shape[a] >= k->shape[a];
        k_holds = k_holds && k->shape[a] >= x->shape[a];
    }
    *swaps = !x_holds;
    if (x_holds || k_holds) return true;
    gndi_raise(GND_ERROR_SHAPE, fn,
               "in GND_VALID one array must be at least as large as the other along all axes; their shapes are %s "
               "and %s",
               gndi_text_shape(x->ndim, x->shape), gndi_text_shape(k->ndim, k->shape));
    return false;
}

/* ---- the plan --------------------------------------------------------------------------------- */

/* The border's constant in the plan's dtype. */
static bool set_fill(gndi_convolve_plan *plan, gnd_arg fill, const char *fn) {
    if (fill.kind == GND_ARG_NONE) return true;
    if (fill.kind < GND_ARG_BOOL || fill.kind > GND_ARG_COMPLEX) {
        gndi_raise(GND_ERROR_INVALID, fn, "the fill value must be a number, or GND_NONE");
        return false;
    }
    const gndi_parts parts = gndi_arg_parts(fill);
    if (fill.kind == GND_ARG_COMPLEX && !gndi_dtype_is_complex(plan->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "the fill value is complex, but the result's dtype is %s",
                   gnd_dtype_name((gnd_dtype)plan->dtype));
        return false;
    }
    plan->fill[0] = parts.re, plan->fill[1] = parts.im;
    if (plan->dtype == GND_BOOL) {
        plan->fill_integer = parts.re != 0;
    } else if (gndi_dtype_is_int(plan->dtype) && fill.kind == GND_ARG_REAL) {
        if (!(fabs(parts.re) < 0x1p63)) {
            gndi_raise(GND_ERROR_VALUE, fn, "the fill value is %g, but the result's dtype is %s", parts.re,
                       gnd_dtype_name((gnd_dtype)plan->dtype));
            return false;
        }
        plan->fill_integer = (uint64_t)(int64_t)parts.re; /* cut to the whole part */
    } else if (gndi_dtype_is_int(plan->dtype)) {
        plan->fill_integer = gndi_arg_integer(fill);
    }
    return true;
}

static void fill_plan(gndi_convolve_plan *plan, const gndi_sliding *r, const gnd_array *out) {
    plan->x = gndi_data(r->x), plan->taps = gndi_data(r->k), plan->out = gndi_data(out);
    for (int a = 0; a < plan->ndim; a++) {
        plan->x_shape[a] = r->x->shape[a], plan->x_stride[a] = r->x->strides[a];
        plan->taps_shape[a] = r->k->shape[a], plan->taps_stride[a] = r->k->strides[a];
        plan->out_shape[a] = r->count[a], plan->out_stride[a] = out->strides[a];
        plan->first[a] = r->first[a];
        if (!r->backwards) continue;
        plan->taps += (r->k->shape[a] - 1) * r->k->strides[a];
        plan->taps_stride[a] = -r->k->strides[a];
    }
}

static gnd_status submit(const char *fn, gndi_convolve_plan *plan, const gndi_sliding *r, gnd_array *out) {
    gnd_stream *s = gndi_work_begin(fn, 2, (const gnd_array *[]){r->x, r->k}, 1, (const gnd_array *[]){out});
    if (!s) return gndi_ew_pending();
    fill_plan(plan, r, out);
    return gndi_work_end(s, s->device->backend->convolve(s, plan, fn), fn);
}

gnd_array *gndi_slide(gndi_temporaries *s, const gndi_sliding *r) {
    if (s->failed) return NULL;
    gndi_convolve_plan plan = {.dtype = r->x->dtype, .border = (uint8_t)r->border, .ndim = r->x->ndim};
    gnd_stream *stream = set_fill(&plan, r->fill, s->fn) ? gndi_stream_on(r->x->buffer->device, s->fn) : NULL;
    if (!stream) return gndi_temporaries_keep(s, NULL);
    gnd_array *out = gndi_temporaries_keep(
        s, gndi_array_new_on(s->fn, stream, plan.ndim, r->count, (gnd_dtype)plan.dtype, GNDI_ORDER_C));
    if (!out || out->size == 0) return out;
    if (r->x->size == 0 || r->k->size == 0)
        s->failed = gndi_assign(s->fn, out, gnd_arg_int(0)) != GND_OK;
    else
        s->failed = submit(s->fn, &plan, r, out) != GND_OK;
    return out;
}
