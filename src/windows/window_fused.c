/*
 * window_fused.c: windows inside GND_FUSE: the formulas of windows.def in operators on a range, which are recorded and
 * become part of the launches that use them. In float64, and cast at the end.
 */
#include "windows/windows.h"
#include "elementwise/record.h"
#include <gnd.h>

/* The sum over k of a_k cos(k t), t of distance d in the period, by Clenshaw's recurrence. */
static gnd_array *cosines(const struct gndi_window_plan *p, const gnd_array *d) {
    const gnd_array *c = gnd_cos(gnd_multiply(d, 2 * GNDI_PI / p->by)), *twice = gnd_add(c, c);
    const gnd_array *next = NULL, *after = NULL; /* of k + 1 and k + 2 */
    for (int k = p->count - 1; k > 0; k--) {
        gnd_array *b = next ? gnd_fma(twice, next, p->a[k]) : gnd_full_like(c, p->a[k], GND_FLOAT64);
        if (after) b = gnd_subtract(b, after);
        after = next, next = b;
    }
    gnd_array *sum = gnd_fma(c, next, p->a[0]);
    return after ? gnd_subtract(sum, after) : sum;
}

static gnd_array *parzen(const gnd_array *r, double last, double size) {
    const gnd_array *x = gnd_multiply(r, 2 / size), *rest = gnd_subtract(1, x), *x2 = gnd_square(x);
    const gnd_array *inner = gnd_fma(gnd_multiply(x2, 6), gnd_subtract(x, 1), 1);
    return gnd_where(gnd_less_equal(r, last / 4), inner, gnd_multiply(gnd_multiply(gnd_square(rest), rest), 2));
}

static gnd_array *bohman(const gnd_array *x) {
    const gnd_array *t = gnd_multiply(x, GNDI_PI);
    return gnd_fma(gnd_subtract(1, x), gnd_cos(t), gnd_multiply(gnd_sin(t), 1 / GNDI_PI));
}

/* r: the distance of each point from the centre. NULL, and nothing raised: no such row. */
static gnd_array *formula(const struct gndi_window_plan *p, const gnd_array *r) {
    const double size = (double)p->m, last = size - 1, a = p->a[0], b = p->a[1];
    switch (p->row) {
    case GNDI_WINDOW_general_cosine: return cosines(p, r);
    case GNDI_WINDOW_triang: return gnd_subtract(1, gnd_multiply(r, 2 / (size + (double)(p->m % 2))));
    case GNDI_WINDOW_bartlett: return gnd_subtract(1, gnd_multiply(r, 2 / last));
    case GNDI_WINDOW_parzen: return parzen(r, last, size);
    case GNDI_WINDOW_bohman: return bohman(gnd_multiply(r, 2 / last));
    case GNDI_WINDOW_barthann:
        return gnd_fma(gnd_cos(gnd_multiply(r, 2 * GNDI_PI / last)), 0.38,
                       gnd_subtract(0.62, gnd_multiply(r, 0.48 / last)));
    case GNDI_WINDOW_cosine: return gnd_cos(gnd_multiply(r, GNDI_PI / size));
    case GNDI_WINDOW_lanczos: return gnd_sinc(gnd_multiply(r, 2 / last));
    case GNDI_WINDOW_gaussian: return gnd_exp(gnd_multiply(gnd_square(r), -1 / (2 * a * a)));
    case GNDI_WINDOW_general_gaussian:
        return gnd_exp(gnd_multiply(gnd_power(gnd_abs(gnd_divide(r, p->by)), 2 * a), -0.5));
    case GNDI_WINDOW_exponential: return gnd_exp(gnd_divide(r, -p->by));
    case GNDI_WINDOW_tukey: {
        const gnd_array *x = gnd_minimum(gnd_multiply(gnd_subtract(last / 2, r), 2 / a / last), 1);
        return gnd_fma(gnd_cos(gnd_multiply(gnd_subtract(x, 1), GNDI_PI)), 0.5, 0.5);
    }
    case GNDI_WINDOW_kaiser: {
        const gnd_array *x = gnd_square(gnd_multiply(r, 2 / last));
        return gnd_divide(gnd_i0(gnd_multiply(gnd_sqrt(gnd_subtract(1, x)), a)), b);
    }
    default: return NULL;
    }
}

static bool is_fused(const struct gndi_window_plan *p) {
    enum { MOST_COSINES = 16 }; /* a program has room for other operators */
    if (!gndi_is_recorded(p->n, 0, NULL) || p->many) return false;
    if (p->row == GNDI_WINDOW_general_cosine) return p->count > 1 && p->count <= MOST_COSINES;
    return p->row != GNDI_WINDOW_boxcar && !gndi_window_composed(p->row);
}

gnd_array *gndi_window_fused(gndi_scratch *s, const struct gndi_window_plan *p, gnd_dtype dtype) {
    gnd_array *result = NULL;
    if (s->failed || !is_fused(p)) return NULL;
    GNDI_PARTS_OF(s->fn);
    GND_SCOPE {
        const gnd_array *at = gnd_arange(0, (double)p->n, 1, GND_FLOAT64);
        const gnd_array *window = formula(p, gnd_abs(gnd_subtract(at, p->centre)));
        result = gnd_keep(gnd_astype(window, dtype));
    }
    s->failed |= !result;
    return result;
}
