/*
 * special_math.h: the elementary functions as the special functions use them: calls instead of code in place, which
 * would make the kernels of a GPU several times as long (gnd::s::exp and so on, on float and double).
 */
#ifndef GNDI_SPECIAL_MATH_H
#define GNDI_SPECIAL_MATH_H

#include "scalar_math.h"

namespace gnd {
namespace s {

#define GNDI_CALLED_1(name)                                                                                            \
    GNDI_FN_HEAVY float name(float x) {                                                                                \
        return m::name(x);                                                                                             \
    }                                                                                                                  \
    GNDI_FN_HEAVY double name(double x) {                                                                              \
        return m::name(x);                                                                                             \
    }
#define GNDI_CALLED_2(name)                                                                                            \
    GNDI_FN_HEAVY float name(float x, float y) {                                                                       \
        return m::name(x, y);                                                                                          \
    }                                                                                                                  \
    GNDI_FN_HEAVY double name(double x, double y) {                                                                    \
        return m::name(x, y);                                                                                          \
    }
GNDI_CALLED_1(exp)
GNDI_CALLED_1(expm1)
GNDI_CALLED_1(log)
GNDI_CALLED_1(log1p)
GNDI_CALLED_1(sin)
GNDI_CALLED_1(cos)
GNDI_CALLED_1(tan)
GNDI_CALLED_1(atan)
GNDI_CALLED_1(tanh)
GNDI_CALLED_1(lgamma)
GNDI_CALLED_1(tgamma)
GNDI_CALLED_2(pow)
GNDI_CALLED_2(fmod)
#undef GNDI_CALLED_1
#undef GNDI_CALLED_2

} // namespace s
} // namespace gnd

#endif
