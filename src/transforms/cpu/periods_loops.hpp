/*
 * periods_loops.hpp: sums of sines and cosines on the CPU. Frequencies stand side by side in a vector, which goes over
 * the samples in blocks, so that sums of float32 are short; events stand side by side, too.
 */
#include "transforms/cpu/periods_loops.h"
#include "transforms/lomb_scargle_ops.h"
#include "transforms/vector_strength_ops.h"

namespace gnd {
namespace periods {

constexpr int LANES = GNDI_PERIODS_LANES, BLOCK = 128;
constexpr int64_t PART = GNDI_EVENTS_PART;

// ---- Lomb-Scargle -----------------------------------------------------------------------------

// Adds samples begin .. end - 1 to the sums of LANES frequencies.
template <class T, bool plain> static void add_samples(const lomb_plan &p, const double *quarters, int64_t begin,
                                                       int64_t end, double (&sums)[SUMS][LANES]) {
    const T *x = static_cast<const T *>(p.x), *y = static_cast<const T *>(p.y);
    const T *weights = static_cast<const T *>(p.weights);
    T part[SUMS][LANES] = {};
    for (int64_t j = begin; j < end; j++) {
        const double t = (double)x[j];
        const T w = weights ? weights[j] : T(1), wy = w * y[j];
        T s[LANES], c[LANES];
        for (int k = 0; k < LANES; k++) phases::sincos_of(quarters[k], t, &s[k], &c[k]);
        for (int k = 0; k < LANES; k++) {
            const T wc = plain ? c[k] : w * c[k];
            part[CC][k] += wc * c[k], part[CS][k] += wc * s[k];
            part[YC][k] += wy * c[k], part[YS][k] += wy * s[k];
            if (!plain) part[C][k] += wc, part[S][k] += w * s[k];
        }
    }
    for (int q = 0; q < (plain ? C : SUMS); q++)
        for (int k = 0; k < LANES; k++) sums[q][k] += (double)part[q][k];
}

template <class T> static void group_power(const lomb_plan &p, const totals &of, int64_t first) {
    const int count = p.count - first < LANES ? (int)(p.count - first) : LANES;
    const bool plain = !p.weights && !p.floating_mean;
    double quarters[LANES], sums[SUMS][LANES] = {}, own[SUMS];
    for (int k = 0; k < LANES; k++)
        quarters[k] = (double)static_cast<const T *>(p.freqs)[first + (k < count ? k : 0)] * phases::QUARTERS_OF_RADIAN;
    for (int64_t j = 0; j < p.samples; j += BLOCK) {
        const int64_t end = j + BLOCK < p.samples ? j + BLOCK : p.samples;
        if (plain)
            add_samples<T, true>(p, quarters, j, end, sums);
        else
            add_samples<T, false>(p, quarters, j, end, sums);
    }
    for (int k = 0; k < count; k++) {
        for (int q = 0; q < SUMS; q++) own[q] = sums[q][k];
        put_power<T>(p, first + k, own, of);
    }
}

static void power(const lomb_plan *p, const double *all, int64_t begin, int64_t end) {
    const totals of = {all[0], all[1], all[2]};
    for (int64_t group = begin; group < end; group++)
        if (p->dtype == GND_FLOAT32)
            group_power<float>(*p, of, group * LANES);
        else
            group_power<double>(*p, of, group * LANES);
}

template <class T> static bool totals_of(const lomb_plan &p, double *to) {
    const T *y = static_cast<const T *>(p.y), *weights = static_cast<const T *>(p.weights);
    bool good = true;
    to[0] = to[1] = to[2] = 0;
    for (int64_t j = 0; j < p.samples; j++) {
        const double w = weights ? (double)weights[j] : 1, v = (double)y[j];
        good &= w >= 0;
        to[0] += w, to[1] += w * v, to[2] += w * v * v;
    }
    return good && to[0] > 0;
}
static bool all_totals(const lomb_plan *p, double *to) {
    return p->dtype == GND_FLOAT32 ? totals_of<float>(*p, to) : totals_of<double>(*p, to);
}

// ---- vector strength --------------------------------------------------------------------------

template <class E, class T> static void events_part(const vector_plan &p, int64_t period, int64_t part, double *sums) {
    const int64_t begin = part * PART, left = p.events_count - begin;
    const int64_t n = left < PART ? left : PART;
    const E *events = static_cast<const E *>(p.events) + begin;
    const double quarters = 4 / period_at<T>(p, period);
    double cosines[LANES] = {}, sines[LANES] = {};
    T s[LANES], c[LANES];
    for (int64_t i = 0; i < n; i += LANES) {
        const int count = n - i < LANES ? (int)(n - i) : LANES;
        if (count == LANES)
            for (int k = 0; k < LANES; k++) phases::sincos_of(quarters, (double)events[i + k], &s[k], &c[k]);
        else
            for (int k = 0; k < count; k++) phases::sincos_of(quarters, (double)events[i + k], &s[k], &c[k]);
        for (int k = 0; k < count; k++) cosines[k] += (double)c[k], sines[k] += (double)s[k];
    }
    sums[0] = sums[1] = 0;
    for (int k = 0; k < LANES; k++) sums[0] += cosines[k], sums[1] += sines[k];
}

static void events(const vector_plan *p, int64_t period, int64_t part, double *sums) {
    if (p->dtype == GND_FLOAT32)
        events_part<float, float>(*p, period, part, sums);
    else if (p->events_dtype == GND_FLOAT32)
        events_part<float, double>(*p, period, part, sums);
    else
        events_part<double, double>(*p, period, part, sums);
}

static void strength(const vector_plan *p, int64_t period, const double *sums) {
    if (p->dtype == GND_FLOAT32)
        put_strength<float>(*p, period, sums[0], sums[1]);
    else
        put_strength<double>(*p, period, sums[0], sums[1]);
}

static void fill_periods(gndi_cpu_periods *to) {
    to->power = power, to->totals = all_totals;
    to->events = events, to->strength = strength;
}

} // namespace periods
} // namespace gnd
