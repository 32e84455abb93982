/*
 * whittaker_ops.h: Whittaker-Henderson smoothing of one line, for both backends.
 *
 * (W + lambda D^T D) x = W y, of a banded positive definite matrix, by its factors L diag(d) L^T: a pass forward,
 * which also substitutes, and a pass backward (Whittaker 1923; Henderson 1924; Eilers 2003). REML chooses lambda: the
 * greatest profiled restricted likelihood (Biessy 2023, equation 12; Bates et al. 2015), by Brent's search (1973) over
 * log lambda.
 */
#ifndef GNDI_WHITTAKER_OPS_H
#define GNDI_WHITTAKER_OPS_H

#include "kernels/scalar/scalar_math.h"
#include "splines/whittaker_plan.h"

namespace gnd {
namespace splines {

struct whittaker {
    const gndi_whittaker_plan &p;
    const double *y, *w;
    double *x;
    double *factors; /* sample i, number k (0: d, k: L[i, i - k]) at (i (order + 1) + k) step */
    int64_t step;

    GNDI_FN_MEMBER double &factor(int64_t i, int k) const { return factors[(i * (p.order + 1) + k) * step]; }
    GNDI_FN_MEMBER double weight(int64_t i) const { return w ? w[i] : 1; }
    /* y may be NaN where its weight is 0. */
    GNDI_FN_MEMBER double sample(int64_t i) const { return y[i] - y[i] == 0 ? y[i] : 0; }

    /* Element (i, i - k) of D^T D. */
    GNDI_FN_MEMBER double penalty(int64_t i, int k) const {
        const int64_t j = i - k, last = p.n - 1 - p.order;
        if (j >= p.order && i <= last) return p.inside[k];
        double sum = 0;
        for (int64_t r = i > p.order ? i - p.order : 0; r <= j && r <= last; r++) sum += p.taps[i - r] * p.taps[j - r];
        return sum;
    }

    /* Whether all numbers are finite where they count. */
    GNDI_FN_MEMBER bool valid() const {
        for (int64_t i = 0; i < p.n; i++) {
            const double v = weight(i);
            if (v - v != 0 || (y[i] - y[i] != 0 && (!w || v != 0))) return false;
        }
        return true;
    }

    /* Whether lambda is so large that the weights are lost beside it. */
    GNDI_FN_MEMBER bool is_polynomial(double lamb) const {
        if (!w) return lamb * 2.220446049250313e-16 > 8;
        for (int64_t i = 0; i < p.n; i++)
            if (lamb * penalty(i, 0) != lamb * penalty(i, 0) + weight(i) * 8) return false;
        return true;
    }

    /* The factors and L^-1 W y, in x. False: the matrix is not positive definite in double. */
    GNDI_FN_MEMBER bool forward(double lamb, double *log_det) const {
        double sum = 0;
        for (int64_t i = 0; i < p.n; i++) {
            const int most = i < p.order ? (int)i : p.order;
            double d = lamb * penalty(i, 0) + weight(i), z = weight(i) * sample(i);
            for (int k = most; k > 0; k--) {
                double u = lamb * penalty(i, k);
                for (int m = 1; k + m <= most; m++) u -= factor(i, k + m) * factor(i - k, m) * factor(i - k - m, 0);
                const double l = u / factor(i - k, 0);
                factor(i, k) = l;
                d -= u * l;
                z -= l * x[i - k];
            }
            if (d <= 0) return false;
            factor(i, 0) = d, x[i] = z;
            sum += ::log(d);
        }
        *log_det = sum;
        return true;
    }

    GNDI_FN_MEMBER void backward() const {
        for (int64_t i = p.n - 1; i >= 0; i--) {
            double v = x[i] / factor(i, 0);
            for (int k = 1; k <= p.order && i + k < p.n; k++) v -= factor(i + k, k) * x[i + k];
            x[i] = v;
        }
    }

    /* Polynomials orthogonal under the squares of the weights, at a point, from their recurrence (Forsythe 1957). */
    struct basis {
        double a[GNDI_WHITTAKER_ORDER + 1], b[GNDI_WHITTAKER_ORDER + 1];
        GNDI_FN_MEMBER void next(int k, double t, double *now, double *before) const {
            const double v = (t - a[k]) * *now - b[k] * *before;
            *before = *now, *now = v;
        }
    };

    /* What is fitted for lambda without a bound: a polynomial of degree order - 1, by SciPy's weights. */
    GNDI_FN_MEMBER void polynomial() const {
        basis q;
        double last_norm = 0;
        const double middle = 0.5 * (double)(p.n - 1), scale = middle > 0 ? 1 / middle : 1;
        for (int64_t i = 0; i < p.n; i++) x[i] = 0;
        for (int degree = 0; degree < p.order; degree++) {
            double norm = 0, moment = 0, product = 0;
            for (int64_t i = 0; i < p.n; i++) {
                const double t = ((double)i - middle) * scale, v = at(q, degree, t), by = weight(i) * weight(i);
                norm += by * v * v, moment += by * t * v * v, product += by * v * (sample(i) - x[i]);
            }
            if (!(norm > 1e-28 * last_norm)) return;
            for (int64_t i = 0; i < p.n; i++) x[i] += product / norm * at(q, degree, ((double)i - middle) * scale);
            q.a[degree] = moment / norm, q.b[degree] = degree ? norm / last_norm : 0;
            last_norm = norm;
        }
    }
    GNDI_FN_MEMBER double at(const basis &q, int degree, double t) const {
        double now = 1, before = 0;
        for (int k = 0; k < degree; k++) q.next(k, t, &now, &before);
        return now;
    }

    /* The smoothed line in x, and the log of the determinant. */
    GNDI_FN_MEMBER double solve(double lamb) const {
        double log_det;
        if (!is_polynomial(lamb) && forward(lamb, &log_det)) return backward(), log_det;
        polynomial();
        return (double)(p.n - p.order) * ::log(lamb) + p.log_penalty;
    }

    /* The negative logarithm of the restricted likelihood, without what does not depend on lambda. */
    GNDI_FN_HEAVY double criterion(const whittaker &of, double log_lamb) {
        const double lamb = ::exp(log_lamb), log_det = of.solve(lamb), free = (double)(of.p.n - of.p.order);
        return 0.5 * (free * (1 + ::log(of.square_error(lamb) / free)) - free * log_lamb - of.p.log_penalty + log_det);
    }

    /* What x makes least. */
    GNDI_FN_MEMBER double square_error(double lamb) const {
        double rest = 0, rough = 0;
        for (int64_t i = 0; i < p.n; i++) {
            const double r = sample(i) - x[i];
            rest += weight(i) * r * r;
        }
        for (int64_t i = 0; i + p.order < p.n; i++) {
            double v = 0;
            for (int k = 0; k <= p.order; k++) v += p.taps[k] * x[i + k];
            rough += v * v;
        }
        return rest + lamb * rough;
    }

    struct point {
        double x, f;
    };
    GNDI_FN_MEMBER point try_at(double v) const { return point{v, criterion(*this, v)}; }

    /* Three points of which the middle one is the lowest, downhill from -10 and 10. */
    GNDI_FN_MEMBER void bracket(point *a, point *b, point *c) const {
        const double golden = 1.618034;
        *a = try_at(-10), *b = try_at(10);
        if (a->f < b->f) {
            const point kept = *a;
            *a = *b, *b = kept;
        }
        *c = try_at(b->x + golden * (b->x - a->x));
        for (int i = 0; i < 1000 && c->f < b->f; i++) {
            const double s = (b->x - a->x) * (b->f - c->f), t = (b->x - c->x) * (b->f - a->f), v = t - s;
            const double twice = m::abs(v) < 1e-21 ? 2e-21 : 2 * v, limit = b->x + 110 * (c->x - b->x);
            const double to = b->x - ((b->x - c->x) * t - (b->x - a->x) * s) / twice;
            point u;
            if ((to - c->x) * (b->x - to) > 0) {
                u = try_at(to);
                if (u.f < c->f) {
                    *a = *b, *b = u;
                    return;
                }
                if (u.f > b->f) {
                    *c = u;
                    return;
                }
                u = try_at(c->x + golden * (c->x - b->x));
            } else if ((to - limit) * (limit - c->x) >= 0) {
                u = try_at(limit);
            } else if ((to - limit) * (c->x - to) > 0) {
                u = try_at(to);
                if (u.f < c->f) {
                    *b = *c, *c = u;
                    u = try_at(c->x + golden * (c->x - b->x));
                }
            } else {
                u = try_at(c->x + golden * (c->x - b->x));
            }
            *a = *b, *b = *c, *c = u;
        }
    }

    /* Where the criterion is lowest. */
    GNDI_FN_MEMBER double lowest() const {
        const double tolerance = 1.48e-8, least = 1e-11, part = 0.381966;
        point first, best, last;
        bracket(&first, &best, &last);
        double a = first.x < last.x ? first.x : last.x, b = first.x < last.x ? last.x : first.x;
        double move = 0, rate = 0; /* the last move but one; the last one */
        point second = best, third = best;
        for (int i = 0; i < 500; i++) {
            const double near = tolerance * m::abs(best.x) + least, middle = 0.5 * (a + b);
            if (m::abs(best.x - middle) < 2 * near - 0.5 * (b - a)) break;
            bool parabola = false;
            if (m::abs(move) > near) {
                const double s = (best.x - second.x) * (best.f - third.f), t = (best.x - third.x) * (best.f - second.f);
                double top = (best.x - third.x) * t - (best.x - second.x) * s, below = 2 * (t - s);
                if (below > 0) top = -top;
                below = m::abs(below);
                parabola = top > below * (a - best.x) && top < below * (b - best.x) &&
                           m::abs(top) < m::abs(0.5 * below * move);
                move = rate;
                if (parabola) {
                    rate = top / below;
                    const double to = best.x + rate;
                    if (to - a < 2 * near || b - to < 2 * near) rate = middle >= best.x ? near : -near;
                }
            }
            if (!parabola) {
                move = best.x >= middle ? a - best.x : b - best.x;
                rate = part * move;
            }
            const point u = try_at(best.x + (m::abs(rate) >= near ? rate : rate >= 0 ? near : -near));
            if (u.f > best.f) {
                (u.x < best.x ? a : b) = u.x;
                if (u.f <= second.f || second.x == best.x)
                    third = second, second = u;
                else if (u.f <= third.f || third.x == best.x || third.x == second.x)
                    third = u;
            } else {
                (u.x >= best.x ? a : b) = best.x;
                third = second, second = best, best = u;
            }
        }
        return ::exp(best.x);
    }

    GNDI_FN_MEMBER void run(double *used) const {
        double lamb = p.lamb;
        const bool ok = valid();
        if (!ok) {
            for (int64_t i = 0; i < p.n; i++) x[i] = limits<double>::nan();
        } else if (lamb == 0) {
            for (int64_t i = 0; i < p.n; i++) x[i] = sample(i);
        } else {
            if (lamb != lamb) lamb = lowest();
            solve(lamb);
        }
        if (used) *used = ok ? lamb : limits<double>::nan();
    }
};

/* The lines of a slot. `step`: from one number of a slot's factors to the next. */
GNDI_FN void smooth_slot(const gndi_whittaker_plan &p, int64_t slot, double *factors, int64_t step) {
    for (int64_t line = slot; line < p.count; line += p.slots) {
        const double *w = p.weights ? p.weights + line * p.weights_step : nullptr;
        const whittaker one = {p, p.signal + line * p.n, w, p.out + line * p.n, factors, step};
        one.run(p.used ? p.used + line : nullptr);
    }
}

} // namespace splines
} // namespace gnd

#endif
