/*
 * demodulate.c: frequency demodulation: differences of phases, less whole turns. The phase itself, which grows and
 * loses its last digits, is never made.
 */
#include "radar/radar.h"

gnd_array *gnd_fm_demod(const gnd_array *x, int axis) {
    static const char fn[] = "gnd_fm_demod";
    static const double TURN = 6.283185307179586476925;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "x has dtype %s; it must be complex",
                         gnd_dtype_name((gnd_dtype)x->dtype));
    if (!gndi_normalize_axis(fn, axis, x->ndim, &axis)) return NULL;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    const int64_t n = x->shape[axis], count = n > 0 ? n - 1 : 0;
    const gnd_array *phase = gndi_temporaries_keep(&s, (gnd_angle)(gnd_arg_array(x), false));
    const gnd_array *later = phase ? gndi_step_part(&s, phase, axis, n > 0, count, 1) : NULL;
    const gnd_array *earlier = later ? gndi_step_part(&s, phase, axis, 0, count, 1) : NULL;
    gnd_array *y = earlier ? gndi_step(&s, GNDI_OP_subtract, gnd_arg_array(later), gnd_arg_array(earlier)) : NULL;
    gnd_array *turns = y ? gndi_step(&s, GNDI_OP_multiply, gnd_arg_array(y), gnd_arg_real(1 / TURN)) : NULL;
    if (turns) turns = gndi_step(&s, GNDI_OP_rint, gnd_arg_array(turns), gnd_arg_none());
    if (turns) turns = gndi_step_in_place(&s, GNDI_OP_multiply, turns, gnd_arg_real(TURN));
    if (turns) y = gndi_step_in_place(&s, GNDI_OP_subtract, y, gnd_arg_array(turns));
    return gndi_temporaries_end(&s, y);
}
