/*
 * wave_formulas.h: a waveform at one time, in double, from the formulas of waves.def. For both backends.
 */
#ifndef GNDI_WAVE_FORMULAS_H
#define GNDI_WAVE_FORMULAS_H

#include "kernels/scalar/scalar_half_turns.h"
#include "waveforms/wave_plan.h"

namespace gnd {
namespace waves {

typedef gndi_wave_plan plan_t;

constexpr double PI = 3.14159265358979323846, TWO_PI = 2 * PI;
constexpr double QUARTER = 0.75112554446494248286; /* pi^(-1/4) */

/* envelope * exp(2 pi i turns), with `less` subtracted from the cosine. */
struct wave {
    double envelope, turns, less;
};

GNDI_FN double cube(double x) {
    return x * x * x;
}

GNDI_FN double polynomial(const plan_t &p, double t) {
    double sum = 0;
    for (int k = 0; k < p.count; k++) sum = sum * t + p.a[k];
    return sum;
}

/* Where t is in its period of 2 pi, as numpy.mod has it. */
GNDI_FN double in_period(double t) {
    const double rest = m::fmod(t, TWO_PI);
    return rest < 0 ? rest + TWO_PI : rest;
}

/* Both with SciPy's values for NaN and infinite t: comparisons with NaN are false. */
GNDI_FN double sawtooth(double t, double width) {
    const double at = in_period(t), w = width + (t - t);
    if (width > 1 || width < 0) return from_bits((uint64_t)0x7ff8000000000000);
    return at < w * TWO_PI ? at / (PI * w) - 1 : (PI * (w + 1) - at) / (PI * (1 - w));
}
GNDI_FN double square_wave(double t, double duty) {
    const double w = duty + (t - t);
    if (duty > 1 || duty < 0) return from_bits((uint64_t)0x7ff8000000000000);
    return in_period(t) < w * TWO_PI ? 1 : -1;
}

/* Turns a product has beyond whole ones. */
GNDI_FN double turns_of(double a, double b) {
    const double product = a * b;
    return (product - m::rint(product)) + m::fma(a, b, -product);
}
/* exp of two polynomials of a whole number k, a magnitude and turns; with a period a[5], a whole number as a[4] is,
   those of k^2 count in it. What is left of k^2 is exact, up to 2^53. */
GNDI_FN wave chirp_z(const plan_t &p, double k) {
    const double square = k * k, magnitude = p.a[0] + p.a[1] * k + p.a[2] * square;
    const double rest = p.a[5] > 0 ? m::fma(-m::rint(square / p.a[5]), p.a[5], square) : 0;
    const double turns = p.a[5] > 0 ? p.a[4] * rest / p.a[5] : turns_of(p.a[4], square);
    return wave{magnitude == 0 ? 1 : m::exp(magnitude), turns + turns_of(p.a[3], k), 0};
}

GNDI_FN wave gausspulse(double t, double frequency, double a) {
    return wave{m::exp(-a * t * t), frequency * t, 0};
}

GNDI_FN double ricker(double t, double a) {
    const double scale = 2 * QUARTER / m::sqrt(3 * a), x = t * t / (a * a);
    return scale * (1 - x) * m::exp(-0.5 * x);
}
/* B-splines about 0, and the Gaussian with a variance of theirs. The exponent is a product with a reciprocal and a step
   of Newton's: exp would magnify its error. */
GNDI_FN double gauss_spline(double t, double twice_variance, double reciprocal, double height) {
    const double square = t * t, quotient = square * reciprocal, rest = m::fma(-quotient, twice_variance, square);
    return m::exp(rest == rest ? -(quotient + rest * reciprocal) : -quotient) * height;
}
GNDI_FN double cubic_spline(double t) {
    const double a = t < 0 ? -t : t, b = 2 - a;
    if (a < 1) return 2.0 / 3 - a * a * b / 2;
    return a >= 2 ? 0 : b * b * b / 6;
}
GNDI_FN double quadratic_spline(double t) {
    const double a = t < 0 ? -t : t, b = 1.5 - a;
    if (a < 0.5) return 0.75 - a * a;
    return a >= 1.5 ? 0 : b * b / 2;
}

GNDI_FN wave morlet(double x, double w, double less) {
    return wave{QUARTER * m::exp(-0.5 * x * x), w * x / TWO_PI, less};
}
GNDI_FN wave morlet2(double t, double s, double w) {
    const double x = t / s;
    return wave{QUARTER * m::sqrt(1 / s) * m::exp(-0.5 * x * x), w * x / TWO_PI, 0};
}

/* The time of a column in a row of wavelets. Each has min(10 width, limit) points, rounded up, begins with the last of
   them, and lies so that its middle, (points - 1) / 2, is that of the columns. False: none of its points. */
GNDI_FN bool time_in_row(const plan_t &p, int64_t row, int64_t column, double *width, double *t) {
    *width = static_cast<const double *>(p.w)[row];
    const double length = 10 * *width < p.limit ? 10 * *width : p.limit;
    const int64_t points = (int64_t)m::ceil(length), i = column - ((p.columns - 1) / 2 - (points - 1) / 2);
    *t = (double)(points - 1 - i) - (length - 1) / 2;
    return i >= 0 && i < points;
}
GNDI_FN wave ricker_of_row(const plan_t &p, int64_t row, int64_t column) {
    double width, t;
    if (!time_in_row(p, row, column, &width, &t)) return wave{0, 0, 0};
    return wave{ricker(t, width), 0, 0};
}
/* The conjugate. */
GNDI_FN wave morlet2_of_row(const plan_t &p, int64_t row, int64_t column) {
    double width, t;
    if (!time_in_row(p, row, column, &width, &t)) return wave{0, 0, 0};
    return morlet2(t, width, -p.a[0]);
}

/* Turns beyond whole ones are what counts. */
GNDI_FN double angle_of(double turns) {
    return TWO_PI * (turns - m::rint(turns));
}

template <int Row> GNDI_FN wave value(const plan_t &p, double t, double w, int64_t row, int64_t column) {
    (void)t, (void)w, (void)row, (void)column;
#define PHASE(name, formula)                                                                                           \
    if constexpr (Row == GNDI_WAVE_##name) return wave{1, formula, 0};
#define VALUE(name, formula)                                                                                           \
    if constexpr (Row == GNDI_WAVE_##name) return wave{formula, 0, 0};
#define WAVE(name, formula)                                                                                            \
    if constexpr (Row == GNDI_WAVE_##name) return formula;
#include "waveforms/waves.def"
#undef PHASE
#undef VALUE
#undef WAVE
}

template <int Row> constexpr bool is_value =
#define PHASE(name, formula)
#define VALUE(name, formula) Row == GNDI_WAVE_##name ||
#define WAVE(name, formula)
#include "waveforms/waves.def"
#undef PHASE
#undef VALUE
#undef WAVE
    Row == GNDI_WAVE_ricker_rows;

/* What element i is computed of. */
struct given {
    double t, w;
    int64_t row, column;
};
template <int Row, class T> GNDI_FN given given_at(const plan_t &p, int64_t i) {
    constexpr bool rows = Row == GNDI_WAVE_ricker_rows || Row == GNDI_WAVE_morlet2_rows;
    given g;
    g.row = rows ? i / p.columns : 0, g.column = i - g.row * p.columns;
    g.t = p.t ? (double)static_cast<const T *>(p.t)[i] : p.first + (double)g.column * p.step;
    g.w = p.w && !rows ? (double)static_cast<const T *>(p.w)[i] : p.a[0];
    return g;
}
/* Stores what is wanted of element i, of whose turns c and s are the cosine and the sine. */
template <class T> GNDI_FN void store(const plan_t &p, int64_t i, const wave &x, double c, double s) {
    T *out = static_cast<T *>(p.out);
    out[p.pairs ? 2 * i : i] = (T)(x.envelope * (c - x.less));
    if (p.pairs) out[2 * i + 1] = (T)(x.envelope * s);
    if (p.sine) static_cast<T *>(p.sine)[i] = (T)(x.envelope * s);
    if (p.envelope) static_cast<T *>(p.envelope)[i] = (T)x.envelope;
}
/* Computes element i and stores what is wanted of it. */
template <int Row, class T> GNDI_FN void put(const plan_t &p, int64_t i, const given &g) {
    const wave x = value<Row>(p, g.t, g.w, g.row, g.column);
    if constexpr (is_value<Row>) {
        static_cast<T *>(p.out)[i] = (T)x.envelope;
    } else {
        double s = 0, c;
        if (p.pairs || p.sine)
            m::sincos_pi(2 * (x.turns + p.phase), &s, &c);
        else
            c = m::cos_pi(2 * (x.turns + p.phase));
        store<T>(p, i, x, c, s);
    }
}

} // namespace waves
} // namespace gnd

#endif
