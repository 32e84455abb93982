/*
 * decibel.c: powers and amplitudes as decibels, and back.
 */
#include "audio/audio.h"
#include "fft/fft.h"
#include <math.h>

gnd_array *gndi_decibels(gndi_temporaries *s, const gnd_array *x, double multiplier, const gnd_db_options *o) {
    const double least = o->amin == 0 ? 1e-10 : o->amin, ref = o->ref == 0 ? 1 : o->ref;
    const double offset = multiplier * log10(fmax(ref, least));
    gnd_array *y = gndi_step(s, GNDI_OP_maximum, gnd_arg_array(x), gnd_arg_real(least));
    if (y) gndi_step_into(s, GNDI_OP_log10, y, gnd_arg_array(y), gnd_arg_none(), NULL);
    if (!s->failed) gndi_step_in_place(s, GNDI_OP_multiply, y, gnd_arg_real(multiplier));
    if (!s->failed && offset != 0) gndi_step_in_place(s, GNDI_OP_subtract, y, gnd_arg_real(offset));
    if (s->failed || o->top_db == 0 || y->size == 0) return s->failed ? NULL : y;
    gnd_axes last = {.count = y->ndim < 3 ? y->ndim : 3, .axis = {-1, -2, -3}, .keepdims = true};
    gnd_array *top = y->ndim ? gndi_temporaries_keep(s, gnd_max(y, last)) : y;
    if (top) top = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(top), gnd_arg_real(o->top_db));
    return top ? gndi_step_in_place(s, GNDI_OP_maximum, y, gnd_arg_array(top)) : NULL;
}

static gnd_array *to_db(const char *fn, const gnd_array *x, double multiplier, const gnd_db_options *options) {
    static const gnd_db_options defaults;
    const gnd_db_options *o = options ? options : &defaults;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "x has dtype %s; it must be real", gnd_dtype_name((gnd_dtype)x->dtype));
    if (!(o->ref >= 0) || !(o->amin >= 0) || !(o->top_db >= 0))
        return gndi_fail(GND_ERROR_VALUE, fn, "ref is %g, amin %g and top_db %g; none may be negative", o->ref, o->amin,
                         o->top_db);
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = gndi_fft_real_of(x->dtype);
    if ((gnd_dtype)x->dtype != dtype) x = gndi_temporaries_keep(&s, gndi_copy_as(fn, x, dtype, 'K'));
    return gndi_temporaries_end(&s, x ? gndi_decibels(&s, x, multiplier, o) : NULL);
}

gnd_array *gnd_power_to_db(const gnd_array *x, const gnd_db_options *options) {
    return to_db("gnd_power_to_db", x, 10, options);
}

gnd_array *gnd_amplitude_to_db(const gnd_array *x, const gnd_db_options *options) {
    return to_db("gnd_amplitude_to_db", x, 20, options);
}

/* ref 10^(x / divisor). */
static gnd_array *from_db(const char *fn, const gnd_array *x, double ref, double divisor) {
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "x has dtype %s; it must be real", gnd_dtype_name((gnd_dtype)x->dtype));
    gndi_temporaries s = {.fn = fn};
    const gnd_dtype dtype = gndi_fft_real_of(x->dtype);
    if ((gnd_dtype)x->dtype != dtype) x = gndi_temporaries_keep(&s, gndi_copy_as(fn, x, dtype, 'K'));
    gnd_array *y = x ? gndi_step(&s, GNDI_OP_divide, gnd_arg_array(x), gnd_arg_real(divisor)) : NULL;
    gnd_array *power = y ? gndi_step(&s, GNDI_OP_power, gnd_arg_real(10), gnd_arg_array(y)) : NULL;
    return gndi_temporaries_end(&s, power ? gndi_step_in_place(&s, GNDI_OP_multiply, power, gnd_arg_real(ref)) : NULL);
}

gnd_array *gnd_db_to_power(const gnd_array *x, double ref) {
    return from_db("gnd_db_to_power", x, ref, 10);
}

gnd_array *gnd_db_to_amplitude(const gnd_array *x, double ref) {
    return from_db("gnd_db_to_amplitude", x, ref, 20);
}
