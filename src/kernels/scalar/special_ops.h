/*
 * special_ops.h: the special functions of special.def on one element: gnd::functor of each, as scalar_ops.h has those
 * of ops.def. Only what needs them includes this header, since it takes long to compile. The functions compute in
 * float64; those of special_simple.h in the loop's own dtype.
 *
 * Errors are stated above the functions in units in the last place (ulp) of float64, as the tests measured them
 * against mpmath. Rounded to float32 they are at most 0.501 ulp, if not stated otherwise.
 */
#ifndef GNDI_SPECIAL_OPS_H
#define GNDI_SPECIAL_OPS_H

#include "scalar_ops.h"
#include "special_bessel.h"        /* family bessel */
#include "special_distributions.h" /* family incomplete */
#include "special_elliptic.h"      /* family elliptic */
#include "special_error.h"         /* family error */
#include "special_gamma.h"         /* family gamma */
#include "special_incomplete.h"    /* family incomplete */
#include "special_integrals.h"     /* family integrals */
#include "special_legendre.h"      /* families legendre, complex */
#include "special_simple.h"        /* family simple */

namespace gnd {

#define OP(family, name, signature, loops, identity, flags) GNDI_OP_TRAITS(name, signature, flags)
#include "kernels/ops/special.def"
#undef OP
#define OP(family, name, signature, loops, identity, flags)                                                            \
    template <class S> struct functor<op_##name, S> : functor_types<op_##name, S> {                                    \
        template <class... A> GNDI_FN auto apply(A... a) { return ops::name(a...); }                                   \
        template <class... A> GNDI_FN bool faults(A...) { return false; }                                              \
    };
#include "kernels/ops/special.def"
#undef OP

} // namespace gnd

#endif
