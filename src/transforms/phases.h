/*
 * phases.h: sines and cosines of phases that are products, counted in quarters of a turn, so that whole turns fall away
 * without a remainder's error. For both backends; loops over them vectorize.
 */
#ifndef GNDI_PHASES_H
#define GNDI_PHASES_H

#include "kernels/scalar/scalar_math.h"

namespace gnd {
namespace phases {

constexpr double QUARTERS_OF_RADIAN = 0.63661977236758134308; /* 2 / pi */

/* sin and cos of d quarters, |d| <= 1/2: Taylor series, of which what is left out is below half a rounding. */
GNDI_FN void eighth(double d, double *sine, double *cosine) {
    const double z = d * d;
    double s = (double)-6.688035109811468e-10;
    s = s * z + (double)5.692172921967927e-08;
    s = s * z + (double)-3.598843235212085e-06;
    s = s * z + (double)0.00016044118478735983;
    s = s * z + (double)-0.004681754135318688;
    s = s * z + (double)0.07969262624616705;
    s = s * z + (double)-0.6459640975062463;
    s = s * z + (double)1.5707963267948966;
    double c = (double)6.565963114979473e-11;
    c = c * z + (double)-6.386603083791852e-09;
    c = c * z + (double)4.710874778818172e-07;
    c = c * z + (double)-2.5202042373060607e-05;
    c = c * z + (double)0.0009192602748394266;
    c = c * z + (double)-0.02086348076335296;
    c = c * z + (double)0.25366950790104803;
    c = c * z + (double)-1.2337005501361697;
    c = c * z + (double)1.0;
    *sine = s * d, *cosine = c;
}
GNDI_FN void eighth(float d, float *sine, float *cosine) {
    const float z = d * d;
    float s = (float)0.00016044118478735983;
    s = s * z + (float)-0.004681754135318688;
    s = s * z + (float)0.07969262624616705;
    s = s * z + (float)-0.6459640975062463;
    s = s * z + (float)1.5707963267948966;
    float c = (float)-2.5202042373060607e-05;
    c = c * z + (float)0.0009192602748394266;
    c = c * z + (float)-0.02086348076335296;
    c = c * z + (float)0.25366950790104803;
    c = c * z + (float)-1.2337005501361697;
    c = c * z + (float)1.0;
    *sine = s * d, *cosine = c;
}

/* sin and cos of quarters * t quarters of a turn; meaningless, but finite, beyond 2^51 of them. */
template <class T> GNDI_FN void sincos_of(double quarters, double t, T *sine, T *cosine) {
    constexpr double whole = 6755399441055744.0; /* 1.5 * 2^52: what is added to it is rounded to a whole number */
    const double product = quarters * t, shifted = product + whole, nearest = shifted - whole;
#if GNDI_ON_DEVICE
    const double rest = ::fma(quarters, t, -nearest);
#else
    const double rest = product - nearest;
#endif
    const uint32_t quarter = (uint32_t)to_bits(shifted);
    T s, c;
    eighth((T)rest, &s, &c);
    const T a = quarter & 1 ? c : s, b = quarter & 1 ? s : c;
    *sine = quarter & 2 ? -a : a;
    *cosine = (quarter + 1) & 2 ? -b : b;
}

} // namespace phases
} // namespace gnd

#endif
