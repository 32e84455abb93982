/*
 * wiener.c: the Wiener filter. A GPU has kernels for lines and matrices with small windows; else it is made of other
 * functions, the sums of a window taken along one axis after the other.
 */
#include "convolve/order.h"
#include "convolve/wiener_plan.h"
#include "elementwise/create.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"

static const char fn[] = "gnd_wiener";

/* ---- by a backend's kernels --------------------------------------------------------------------- */

/* The plan, if there are kernels for it; without addresses. */
static bool make_plan(const gnd_array *x, const int64_t *window, gnd_arg noise, gndi_wiener_plan *plan) {
    *plan = (gndi_wiener_plan){
        .dtype = x->dtype, .noise_is_mean = noise.kind == GND_ARG_NONE, .shape = {1, 1}, .window = {1, 1}};
    if (!plan->noise_is_mean) plan->noise = gndi_arg_parts(noise).re;
    if (!x->buffer->device->backend->wiener || x->ndim < 1 || x->ndim > 2) return false;
    if (x->dtype != GND_FLOAT32 && x->dtype != GND_FLOAT64) return false;
    for (int a = 0, to = 2 - x->ndim; a < x->ndim; a++, to++) {
        plan->shape[to] = x->shape[a], plan->window[to] = window[a];
        if (window[a] > GNDI_WIENER_WIDEST) return false;
    }
    return plan->shape[0] > 1 || plan->window[0] == 1; /* a line's tiles have one row */
}

static gnd_status submit(gndi_wiener_plan *plan, const gnd_array *x, const gnd_array *out) {
    gnd_stream *s = gndi_work_begin(fn, 1, &x, 1, &out);
    if (!s) return gndi_ew_pending();
    plan->x = gndi_data(x), plan->out = (double *)(void *)gndi_data(out);
    for (int a = 0, to = 2 - x->ndim; a < x->ndim; a++, to++) plan->x_stride[to] = x->strides[a];
    return gndi_work_end(s, s->device->backend->wiener(s, plan, fn), fn);
}

static gnd_array *run_plan(gndi_temporaries *s, gndi_wiener_plan *plan, const gnd_array *x) {
    gnd_array *out = gndi_temporaries_keep(s, gndi_new_on_device_of(fn, x, x->ndim, x->shape, GND_FLOAT64));
    if (out) s->failed = submit(plan, x, out) != GND_OK;
    return out;
}

/* ---- by other functions --------------------------------------------------------------------------- */

/* The sums of `size` elements around each one along an axis, those beyond the ends zeros. In a window of even size one
   element more lies in front. */
static gnd_array *sums_along(const gnd_array *x, int axis, int64_t size) {
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gnd_pad_widths widths = {.count = x->ndim};
    widths.width[axis][0] = size / 2, widths.width[axis][1] = (size - 1) / 2;
    const gnd_array *padded = gndi_temporaries_keep(&s, gnd_pad(x, widths, NULL));
    const gnd_shape window = {.ndim = 1, .dim = {size}};
    const gnd_array *windows =
        padded ? gndi_temporaries_keep(&s, gnd_sliding_window_view(padded, window, GND_AXES(axis), false)) : NULL;
    return gndi_temporaries_end(&s, windows ? gndi_temporaries_keep(&s, gnd_sum(windows, GND_AXES(-1))) : NULL);
}

/* The means of windows, in float64. */
static gnd_array *means(gndi_temporaries *s, const gnd_array *x, const int64_t *window) {
    if (s->failed) return NULL;
    gnd_array *sums = gndi_copy_as(fn, x, GND_FLOAT64, 'K');
    double elements = 1;
    for (int a = 0; a < x->ndim && sums; a++) {
        if (window[a] == 1) continue;
        elements *= (double)window[a];
        gnd_array *next = sums_along(sums, a, window[a]);
        gnd_release(sums);
        sums = next;
    }
    sums = gndi_temporaries_keep(s, sums);
    return sums ? gndi_step_in_place(s, GNDI_OP_divide, sums, gnd_arg_real(elements)) : NULL;
}

/* m + (x - m) (1 - noise / v); m where v is below the noise. */
static gnd_array *combine(gndi_temporaries *s, const gnd_array *x, const gnd_array *m, const gnd_array *v,
                          gnd_arg noise) {
    gnd_array *part = gndi_step(s, GNDI_OP_divide, noise, gnd_arg_array(v));
    gnd_array *kept = s->failed ? NULL : gndi_step(s, GNDI_OP_subtract, gnd_arg_real(1), gnd_arg_array(part));
    gnd_array *out = s->failed ? NULL : gndi_step(s, GNDI_OP_subtract, gnd_arg_array(x), gnd_arg_array(m));
    if (!s->failed) out = gndi_step_in_place(s, GNDI_OP_multiply, out, gnd_arg_array(kept));
    if (!s->failed) out = gndi_step_in_place(s, GNDI_OP_add, out, gnd_arg_array(m));
    const gnd_array *flat = s->failed ? NULL : gndi_step(s, GNDI_OP_less, gnd_arg_array(v), noise);
    if (s->failed) return NULL;
    GNDI_PARTS_OF(fn);
    return gndi_temporaries_keep(s, gnd_where(gnd_arg_array(flat), gnd_arg_array(m), gnd_arg_array(out)));
}

static gnd_array *filter(gndi_temporaries *s, const gnd_array *x, const int64_t *window, gnd_arg noise) {
    GNDI_PARTS_OF(fn);
    const bool is_bool = x->dtype == GND_BOOL;
    gnd_array *m = means(s, x, window);
    const gnd_array *squares = s->failed ? NULL
                               : is_bool ? x
                                         : gndi_step(s, GNDI_OP_multiply, gnd_arg_array(x), gnd_arg_array(x));
    gnd_array *v = means(s, squares, window);
    gnd_array *power = s->failed ? NULL : gndi_step(s, GNDI_OP_multiply, gnd_arg_array(m), gnd_arg_array(m));
    if (!s->failed) v = gndi_step_in_place(s, GNDI_OP_subtract, v, gnd_arg_array(power));
    if (!s->failed && noise.kind == GND_ARG_NONE) {
        gnd_array *mean = gndi_temporaries_keep(s, gnd_mean(v, GND_ALL));
        if (mean) noise = gnd_arg_array(mean);
    }
    if (!s->failed && is_bool) x = gndi_temporaries_keep(s, gndi_copy_as(fn, x, GND_FLOAT64, 'K'));
    return s->failed ? NULL : combine(s, x, m, v, noise);
}

/* ---- the function ----------------------------------------------------------------------------- */

gnd_array *gnd_wiener(const gnd_array *im, gnd_shape mysize, gnd_arg noise) {
    int64_t window[GND_MAX_DIMS];
    if (gndi_missing(im)) return gndi_raise_null(fn, "im"), NULL;
    if (noise.kind == GND_ARG_ARRAY && gndi_missing(noise.array)) return gndi_raise_null(fn, "noise"), NULL;
    if (gndi_dtype_is_complex(im->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "im must be real; its dtype is %s", gnd_dtype_name((gnd_dtype)im->dtype));
    if (noise.kind != GND_ARG_NONE && (noise.kind < GND_ARG_BOOL || noise.kind > GND_ARG_REAL))
        return gndi_fail(GND_ERROR_INVALID, fn, "the noise must be a real number, or GND_NONE");
    if (!gndi_order_window(fn, mysize, im->ndim, false, window)) return NULL;
    gndi_temporaries s = {.fn = fn};
    if (im->size == 0) return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, gndi_new_like(fn, im, GND_FLOAT64)));
    gndi_wiener_plan plan;
    const bool has_kernels = make_plan(im, window, noise, &plan);
    return gndi_temporaries_end(&s, has_kernels ? run_plan(&s, &plan, im) : filter(&s, im, window, noise));
}
