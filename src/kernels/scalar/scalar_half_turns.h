/*
 * scalar_half_turns.h: sines and cosines of angles in half turns, pi x: whole turns are taken off exactly.
 */
#ifndef GNDI_SCALAR_HALF_TURNS_H
#define GNDI_SCALAR_HALF_TURNS_H

#include "kernels/scalar/scalar_math.h"

namespace gnd {
namespace m {

#if GNDI_ON_DEVICE
GNDI_FN void sincos_pi(double x, double *s, double *c) {
    ::sincospi(x, s, c);
}
GNDI_FN double sin_pi(double x) {
    return ::sinpi(x);
}
GNDI_FN double cos_pi(double x) {
    return ::cospi(x);
}
#else
GNDI_FN double half_turns(double x) {
    return 3.14159265358979323846 * (x - 2 * rint(x / 2));
}
GNDI_FN void sincos_pi(double x, double *s, double *c) {
    sincos(half_turns(x), s, c);
}
GNDI_FN double sin_pi(double x) {
    return sin(half_turns(x));
}
GNDI_FN double cos_pi(double x) {
    return cos(half_turns(x));
}
#endif

} // namespace m
} // namespace gnd

#endif
