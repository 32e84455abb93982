/*
 * vector_strength_ops.h: the period of a result, and the result from the sums. For both backends.
 */
#ifndef GNDI_VECTOR_STRENGTH_OPS_H
#define GNDI_VECTOR_STRENGTH_OPS_H

#include "transforms/periods_plan.h"
#include "transforms/phases.h"

namespace gnd {
namespace periods {

typedef gndi_vector_strength_plan vector_plan;

template <class T> GNDI_FN double period_at(const vector_plan &p, int64_t i) {
    return p.periods ? (double)static_cast<const T *>(p.periods)[i] : p.period;
}

/* Stores result i from the sums of cosines and sines. */
template <class T> GNDI_FN void put_strength(const vector_plan &p, int64_t i, double cosines, double sines) {
    const double re = cosines / (double)p.events_count, im = sines / (double)p.events_count;
    static_cast<T *>(p.strength)[i] = (T)m::hypot(re, im);
    if (p.phase) static_cast<T *>(p.phase)[i] = (T)m::atan2(im, re);
}

} // namespace periods
} // namespace gnd

#endif
