/*
 * unwrap.c: gnd_unwrap: reduces differences to one period and adds the cumulative sum of the corrections.
 */
#include "elementwise/temporaries.h"
#include "scan/scan.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_unwrap

/* The period, and what follows from it in the dtype of the computation. */
typedef struct period {
    gnd_arg whole, high, low, jump;
    bool ambiguous; /* a difference of half a period could go either way */
} period;

static gnd_arg negated(gnd_arg a) {
    return a.kind == GND_ARG_REAL ? gnd_arg_real(-a.re) : gnd_arg_int(-a.i);
}

/* A real or an integer number; false and an error if it is neither. */
static bool read_number(const char *fn, gnd_arg *a, const char *name) {
    if (a->kind == GND_ARG_BOOL) a->kind = GND_ARG_INT;
    if (a->kind == GND_ARG_UINT && a->u <= INT64_MAX) a->kind = GND_ARG_INT;
    if (a->kind == GND_ARG_REAL || a->kind == GND_ARG_INT) return true;
    gndi_raise(GND_ERROR_INVALID, fn, "%s must be a real number", name);
    return false;
}

static bool find_period(const char *fn, gnd_arg whole, gnd_arg jump, bool integers, period *p) {
    if (whole.kind == GND_ARG_NONE) whole = gnd_arg_real(6.283185307179586);
    if (!read_number(fn, &whole, "the period")) return false;
    if (jump.kind != GND_ARG_NONE && !read_number(fn, &jump, "the discontinuity")) return false;
    const double value = whole.kind == GND_ARG_REAL ? whole.re : (double)whole.i;
    p->whole = whole;
    p->jump = jump.kind == GND_ARG_NONE ? gnd_arg_real(value / 2) : jump;
    if (integers) {
        const int64_t half = whole.i / 2 - (whole.i % 2 < 0);
        p->high = gnd_arg_int(half), p->ambiguous = whole.i % 2 == 0;
    } else {
        p->high = gnd_arg_real(value / 2), p->ambiguous = true;
    }
    p->low = negated(p->high);
    return true;
}

/* What has to be added to each difference to bring it into (low, high]; 0 where it is no jump. */
static gnd_array *corrections(gndi_temporaries *s, const gnd_array *difference, const period *p) {
    const gnd_arg dd = gnd_arg_array(difference);
    gnd_array *within = gndi_step(s, GNDI_OP_subtract, dd, p->low);
    within = gndi_step_in_place(s, GNDI_OP_remainder, within, p->whole);
    within = gndi_step_in_place(s, GNDI_OP_add, within, p->low);
    if (p->ambiguous) { /* half a period up stays up */
        gnd_array *low = gndi_step(s, GNDI_OP_equal, gnd_arg_array(within), p->low);
        gnd_array *up = gndi_step(s, GNDI_OP_greater, dd, gnd_arg_int(0));
        gndi_step_into(s, GNDI_OP_logical_and, up, gnd_arg_array(low), gnd_arg_array(up), NULL);
        gndi_step_into(s, GNDI_OP_copy, within, p->high, gnd_arg_none(), up);
    }
    gnd_array *correction = gndi_step_in_place(s, GNDI_OP_subtract, within, dd);
    gnd_array *size = gndi_step(s, GNDI_OP_absolute, dd, gnd_arg_none());
    gnd_array *small = gndi_step(s, GNDI_OP_less, gnd_arg_array(size), p->jump);
    gndi_step_into(s, GNDI_OP_copy, correction, gnd_arg_int(0), gnd_arg_none(), small);
    return correction;
}

static gnd_array *unwrapped(gndi_temporaries *s, const gnd_array *p, int axis, gnd_dtype dtype, const period *of) {
    gnd_array *result = gndi_temporaries_keep(s, gndi_copy_as(s->fn, p, dtype, 'K'));
    const int64_t length = p->shape[axis];
    if (s->failed || length < 2 || p->size == 0) return result;
    const gnd_array *upper = gndi_step_part(s, p, axis, 1, length - 1, 1);
    const gnd_array *lower = gndi_step_part(s, p, axis, 0, length - 1, 1);
    const gnd_array *difference = gndi_step(s, p->dtype == GND_BOOL ? GNDI_OP_not_equal : GNDI_OP_subtract,
                                            gnd_arg_array(upper), gnd_arg_array(lower));
    const gnd_array *correction = s->failed ? NULL : corrections(s, difference, of);
    const gnd_array *sums = correction ? gndi_temporaries_keep(s, gnd_cumsum(correction, GND_AXES(axis))) : NULL;
    gnd_array *rest = s->failed ? NULL : gndi_step_part(s, result, axis, 1, length - 1, 1);
    if (rest) gndi_step_into(s, GNDI_OP_add, rest, gnd_arg_array(upper), gnd_arg_array(sums), NULL);
    return result;
}

gnd_array *gnd_unwrap(const gnd_array *p, gnd_arg discontinuity, int axis, gnd_arg whole) {
    GNDI_PARTS_OF("gnd_unwrap");
    gndi_temporaries s = {.fn = "gnd_unwrap"};
    period of;
    if (gndi_missing(p)) return gndi_raise_null(s.fn, "p"), NULL;
    if (p->ndim == 0) return gndi_fail(GND_ERROR_INVALID, s.fn, "p is 0-d; it must have at least one dimension");
    if (gndi_dtype_is_complex(p->dtype))
        return gndi_fail(GND_ERROR_DTYPE, s.fn,
                         "is not defined for complex numbers; gnd_angle gives "
                         "their phases");
    if (!gndi_normalize_axis(s.fn, axis, p->ndim, &axis)) return NULL;
    const gnd_arg number = whole.kind == GND_ARG_NONE ? gnd_arg_real(1) : whole;
    const gnd_dtype dtype = gndi_promote_weak((gnd_dtype)p->dtype, number);
    if (!find_period(s.fn, whole, discontinuity, gndi_dtype_is_int(dtype), &of)) return NULL;
    return gndi_temporaries_end(&s, unwrapped(&s, p, axis, dtype, &of));
}
