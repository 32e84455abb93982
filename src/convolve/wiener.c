/*
 * wiener.c: the Wiener filter. The sums of a window are taken along one axis after the other.
 */
#include "convolve/order.h"
#include "elementwise/create.h"

static const char fn[] = "gnd_wiener";

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
    return gndi_temporaries_end(&s, filter(&s, im, window, noise));
}
