/*
 * scalar_complex_own.h: elementary functions of complex numbers for the device, which has no C library.
 * Special values and branch cuts as in C99's annex G.
 *
 *   sqrt, tanh     W. Kahan, "Branch cuts for complex elementary functions", 1987
 *   asin, acos     T. E. Hull, T. F. Fairgrieve, P. T. P. Tang, "Implementing the complex arcsine
 *                  and arccosine functions using exception handling", ACM TOMS 23 (1997)
 *
 * sin, tan, asinh and atan are the hyperbolic (or circular) function with real and imaginary parts
 * swapped before and after: sin z = -i sinh iz.
 */
#ifndef GNDI_SCALAR_COMPLEX_OWN_H
#define GNDI_SCALAR_COMPLEX_OWN_H

#include "scalar_arith.h"

namespace gnd {
namespace own {

template <class R> GNDI_FN complex<R> swapped(complex<R> z) {
    return {z.im, z.re};
}
template <class R> GNDI_FN complex<R> both_nan() {
    return {limits<R>::nan(), limits<R>::nan()};
}
template <class R> constexpr R pi = (R)3.14159265358979323846;
template <class R> constexpr R ln2 = (R)0.693147180559945309417;

/* Where the functions change their method: e^x near overflow, x^2 near over- and underflow. */
template <class R> struct range;
template <> struct range<float> {
    static constexpr float exp_max = 88.0f, tanh_one = 11.0f;
    static constexpr float root_max = 0x1p61f, root_min = 0x1p-60f;
    static constexpr float scale_up = 0x1p48f, root_scale_up = 0x1p24f;
    static constexpr int scale_bits = 48;
};
template <> struct range<double> {
    static constexpr double exp_max = 709.0, tanh_one = 22.0;
    static constexpr double root_max = 0x1p508, root_min = 0x1p-508;
    static constexpr double scale_up = 0x1p108, root_scale_up = 0x1p54;
    static constexpr int scale_bits = 108;
};

/* An infinite number on the unit box: infinite parts become 1, the others 0. */
template <class R> GNDI_FN complex<R> boxed(complex<R> z) {
    return {m::copysign((R)(m::isinf(z.re) ? 1 : 0), z.re), m::copysign((R)(m::isinf(z.im) ? 1 : 0), z.im)};
}
template <class R> GNDI_FN complex<R> without_nan(complex<R> z) {
    return {m::isnan(z.re) ? m::copysign((R)0, z.re) : z.re, m::isnan(z.im) ? m::copysign((R)0, z.im) : z.im};
}
/* The product as C99's annex G wants it: infinite if a factor is, rather than NaN. */
template <class R> GNDI_FN complex<R> multiply(complex<R> a, complex<R> b) {
    const complex<R> product = ops::multiply(a, b);
    if (!(m::isnan(product.re) && m::isnan(product.im))) return product;
    const bool a_infinite = m::isinf(a.re) || m::isinf(a.im);
    const bool b_infinite = m::isinf(b.re) || m::isinf(b.im);
    const bool overflow =
        m::isinf(a.re * b.re) || m::isinf(a.im * b.im) || m::isinf(a.re * b.im) || m::isinf(a.im * b.re);
    if (!a_infinite && !b_infinite && !overflow) return product;
    a = a_infinite ? boxed(a) : a;
    b = b_infinite ? boxed(b) : b;
    const complex<R> direction = ops::multiply(without_nan(a), without_nan(b));
    return {limits<R>::infinity() * direction.re, limits<R>::infinity() * direction.im};
}

/* ---- square root ---------------------------------------------------------------------------- */

template <class R> GNDI_FN complex<R> sqrt(complex<R> z) {
    R x = z.re, y = z.im, back = 1;
    if (x == 0 && y == 0) return {(R)0, y};
    if (m::isinf(y)) return {limits<R>::infinity(), y};
    if (m::isnan(x)) return both_nan<R>();
    if (m::isinf(x)) {
        if (x > 0) return {x, m::isnan(y) ? y : m::copysign((R)0, y)};
        return {m::isnan(y) ? y : (R)0, m::copysign(x, y)};
    }
    if (m::abs(x) > limits<R>::max() / 4 || m::abs(y) > limits<R>::max() / 4) {
        x /= 4, y /= 4, back = 2;
    } else if (m::abs(x) < limits<R>::min_normal() * 4 && m::abs(y) < limits<R>::min_normal() * 4) {
        x *= range<R>::scale_up, y *= range<R>::scale_up, back = 1 / range<R>::root_scale_up;
    }
    const R root = m::sqrt((m::abs(x) + m::hypot(x, y)) / 2);
    const R other = y / (2 * root);
    if (x >= 0) return {root * back, other * back};
    return {m::abs(other) * back, m::copysign(root, y) * back};
}

/* ---- exponential and logarithm -------------------------------------------------------------- */

template <class R> GNDI_FN complex<R> exp(complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == 0) return {m::exp(x), y};
    if (!m::isfinite(y)) {
        if (m::isinf(x)) return x > 0 ? complex<R>{x, limits<R>::nan()} : complex<R>{(R)0, m::copysign((R)0, y)};
        return both_nan<R>();
    }
    R sine, cosine;
    m::sincos(y, &sine, &cosine);
    if (x > range<R>::exp_max) { /* e^x overflows before its product with a small cosine does */
        const R half = m::exp(x / 2);
        return {half * cosine * half, half * sine * half};
    }
    const R size = m::exp(x);
    return {size * cosine, size * sine};
}

/* log |z| for 1/2 < |z|^2 < 3: log1p(x^2 + y^2 - 1) / 2, the argument in doubled precision. */
template <class R> GNDI_FN R log_near_one(R large, R small) {
    const R p = m::mul(large, large), p_error = m::fma(large, large, -p);
    const R q = m::mul(small, small), q_error = m::fma(small, small, -q);
    const R head = m::sub(p, (R)1), head_minus = m::sub(head, p); /* Knuth's two-sum, twice */
    const R head_error = m::add(m::sub(p, m::sub(head, head_minus)), m::sub((R)-1, head_minus));
    const R sum = m::add(head, q), sum_minus = m::sub(sum, head);
    const R sum_error = m::add(m::sub(head, m::sub(sum, sum_minus)), m::sub(q, sum_minus));
    return m::log1p(m::add(sum, m::add(m::add(head_error, sum_error), m::add(p_error, q_error)))) / 2;
}
template <class R> GNDI_FN complex<R> log(complex<R> z) {
    const R angle = m::atan2(z.im, z.re), x = m::abs(z.re), y = m::abs(z.im);
    const R large = x > y ? x : y, small = x > y ? y : x;
    if (large > (R)0.5 && large < (R)1.5 && large * large + small * small > (R)0.5 && large * large + small * small < 3)
        return {log_near_one(large, small), angle};
    if (large > limits<R>::max() / 2) return {m::log(m::hypot(x / 2, y / 2)) + ln2<R>, angle};
    if (large < limits<R>::min_normal() * 2 && large > 0) {
        const R up = range<R>::scale_up;
        return {m::log(m::hypot(x * up, y * up)) - range<R>::scale_bits * ln2<R>, angle};
    }
    return {m::log(m::hypot(x, y)), angle};
}

/* ---- hyperbolic and circular ---------------------------------------------------------------- */

template <class R> GNDI_FN complex<R> sinh(complex<R> z) {
    const R x = z.re, y = z.im;
    if (y == 0) return {m::sinh(x), y};
    if (!m::isfinite(y)) return {x == 0 ? x : m::isinf(x) ? m::abs(x) : limits<R>::nan(), limits<R>::nan()};
    R sine, cosine;
    m::sincos(y, &sine, &cosine);
    if (m::abs(x) > range<R>::exp_max) {
        const R half = m::exp(m::abs(x) / 2), signed_half = m::copysign(half, x) / 2;
        return {signed_half * cosine * half, half / 2 * sine * half};
    }
    return {m::sinh(x) * cosine, m::cosh(x) * sine};
}
template <class R> GNDI_FN complex<R> cosh(complex<R> z) {
    const R x = z.re, y = z.im;
    const R zero = m::copysign((R)0, x) * m::copysign((R)1, y);
    if (y == 0) return {m::cosh(x), zero};
    if (!m::isfinite(y)) {
        if (x == 0) return {limits<R>::nan(), zero};
        return {m::isinf(x) ? m::abs(x) : limits<R>::nan(), limits<R>::nan()};
    }
    R sine, cosine;
    m::sincos(y, &sine, &cosine);
    if (m::abs(x) > range<R>::exp_max) {
        const R half = m::exp(m::abs(x) / 2), signed_half = m::copysign(half, x) / 2;
        return {half / 2 * cosine * half, signed_half * sine * half};
    }
    return {m::cosh(x) * cosine, m::sinh(x) * sine};
}
template <class R> GNDI_FN complex<R> tanh(complex<R> z) {
    const R x = z.re, y = z.im;
    if (m::isnan(x)) return {x, y == 0 ? y : x};
    if (!m::isfinite(y)) {
        if (m::isinf(x)) return {m::copysign((R)1, x), m::copysign((R)0, y)};
        return {x == 0 ? x : limits<R>::nan(), limits<R>::nan()};
    }
    if (m::abs(x) > range<R>::tanh_one) {
        R sine, cosine;
        m::sincos(y, &sine, &cosine);
        return {m::copysign((R)1, x), 4 * sine * cosine * m::exp(-2 * m::abs(x))};
    }
    const R t = m::tan(y), beta = 1 + t * t, s = m::sinh(x), rho = m::sqrt(1 + s * s);
    if (m::isinf(t)) return {rho / s, 1 / t};
    const R d = 1 + beta * s * s;
    return {beta * rho * s / d, t / d};
}
template <class R> GNDI_FN complex<R> sin(complex<R> z) {
    return swapped(own::sinh(swapped(z)));
}
template <class R> GNDI_FN complex<R> cos(complex<R> z) {
    return own::cosh(complex<R>{-z.im, z.re});
}
template <class R> GNDI_FN complex<R> tan(complex<R> z) {
    return swapped(own::tanh(swapped(z)));
}

/* ---- inverse sine and cosine ---------------------------------------------------------------- */

/* The common part of asin and acos, for x, y >= 0: r and s are the distances to -1 and 1, a their mean. */
template <class R> struct hull {
    R x, y, r, s, a, b;
    bool ordinary; /* no square overflows or underflows */
};
template <class R> GNDI_FN hull<R> hull_of(R x, R y) {
    hull<R> h;
    h.x = x, h.y = y;
    h.ordinary = x < range<R>::root_max && x > range<R>::root_min && y < range<R>::root_max && y > range<R>::root_min;
    h.r = m::hypot(x + 1, y), h.s = m::hypot(x - 1, y);
    h.a = (h.r + h.s) / 2, h.b = x / h.a;
    return h;
}
/* (a + x) (a - x) / 2 over 2, the two differences free of cancellation. */
template <class R> GNDI_FN R hull_root(const hull<R> &h) {
    if (h.x <= 1) return m::sqrt((h.a + h.x) * (h.y * h.y / (h.r + h.x + 1) + (h.s + (1 - h.x))) / 2);
    return h.y * m::sqrt(((h.a + h.x) / (h.r + h.x + 1) + (h.a + h.x) / (h.s + (h.x - 1))) / 2);
}
/* The imaginary part of both, without its sign. */
template <class R> GNDI_FN R hull_imaginary(const hull<R> &h) {
    const R x = h.x, y = h.y, epsilon = limits<R>::epsilon();
    if (h.ordinary) {
        if (h.a > 10) return m::log(h.a + m::sqrt(h.a * h.a - 1));
        const R first = y * y / (h.r + x + 1);
        const R a_minus_1 = (first + (x < 1 ? y * y / (h.s + (1 - x)) : h.s + (x - 1))) / 2;
        return m::log1p(a_minus_1 + m::sqrt(a_minus_1 * (h.a + 1)));
    }
    if (x != 1 && y <= epsilon * m::abs(x - 1)) {
        if (x < 1) return y / m::sqrt((1 - x) * (1 + x));
        if (x < range<R>::root_max) return m::log1p(x - 1 + m::sqrt((x - 1) * (x + 1)));
        return ln2<R> + m::log(x);
    }
    if (y < range<R>::root_min) return m::sqrt(y);
    if (epsilon * y - 1 >= x) return ln2<R> + m::log(y);
    if (x > 1) return ln2<R> + m::log(y) + m::log1p((x / y) * (x / y)) / 2;
    return m::log1p(2 * y * (y + m::sqrt(1 + y * y))) / 2;
}
template <class R> GNDI_FN R hull_asin(const hull<R> &h) {
    const R x = h.x, y = h.y, epsilon = limits<R>::epsilon();
    if (h.ordinary) return h.b <= (R)0.6417 ? m::asin(h.b) : m::atan(x / hull_root(h));
    if (x != 1 && y <= epsilon * m::abs(x - 1)) return x < 1 ? m::asin(x) : pi<R> / 2;
    if (y < range<R>::root_min) return pi<R> / 2 - m::sqrt(y);
    if (epsilon * y - 1 >= x) return x / y;
    if (x > 1) return m::atan(x / y);
    return x / m::sqrt(1 + y * y);
}
template <class R> GNDI_FN R hull_acos(const hull<R> &h, bool negative) {
    const R x = h.x, y = h.y, epsilon = limits<R>::epsilon();
    R angle = pi<R> / 2;
    if (h.ordinary)
        angle = h.b <= (R)0.6417 ? m::acos(h.b) : m::atan(hull_root(h) / x);
    else if (x != 1 && y <= epsilon * m::abs(x - 1)) {
        if (x < 1)
            angle = m::acos(x);
        else
            angle = x < range<R>::root_max ? y / m::sqrt((x - 1) * (x + 1)) : y / x;
    } else if (y < range<R>::root_min)
        angle = m::sqrt(y);
    else if (epsilon * y - 1 >= x)
        angle = pi<R> / 2;
    else if (x > 1)
        angle = m::atan(y / x);
    else
        angle = pi<R> / 2 - x / m::sqrt(1 + y * y);
    return negative ? pi<R> - angle : angle;
}

template <class R> GNDI_FN complex<R> asin(complex<R> z) {
    const R x = m::abs(z.re), y = m::abs(z.im), inf = limits<R>::infinity();
    R re, im;
    if (m::isnan(x) || m::isnan(y)) {
        if (x == 0) return {z.re, y};
        if (m::isinf(x) || m::isinf(y)) return {limits<R>::nan(), m::isinf(y) ? z.im : inf};
        return both_nan<R>();
    } else if (m::isinf(x) || m::isinf(y)) {
        re = m::isinf(x) ? (m::isinf(y) ? pi<R> / 4 : pi<R> / 2) : (R)0;
        im = inf;
    } else {
        const hull<R> h = hull_of(x, y);
        re = hull_asin(h);
        im = hull_imaginary(h);
    }
    return {m::copysign(re, z.re), m::copysign(im, z.im)};
}
template <class R> GNDI_FN complex<R> acos(complex<R> z) {
    const R x = m::abs(z.re), y = m::abs(z.im), inf = limits<R>::infinity();
    R re, im;
    if (m::isnan(x) || m::isnan(y)) {
        if (x == 0) return {pi<R> / 2, y};
        if (m::isinf(x)) return {limits<R>::nan(), m::signbit(z.im) ? inf : -inf};
        if (m::isinf(y)) return {limits<R>::nan(), -z.im};
        return both_nan<R>();
    } else if (m::isinf(x) || m::isinf(y)) {
        re = m::isinf(x) ? (m::isinf(y) ? pi<R> / 4 : (R)0) : pi<R> / 2;
        re = m::signbit(z.re) ? pi<R> - re : re;
        im = inf;
    } else {
        const hull<R> h = hull_of(x, y);
        re = hull_acos(h, m::signbit(z.re));
        im = hull_imaginary(h);
    }
    return {re, m::signbit(z.im) ? im : -im};
}
template <class R> GNDI_FN complex<R> asinh(complex<R> z) {
    return swapped(own::asin(swapped(z)));
}
template <class R> GNDI_FN complex<R> acosh(complex<R> z) {
    const complex<R> w = own::acos(z);
    if (m::isnan(w.re) && m::isnan(w.im)) return w;
    if (m::isnan(w.re)) return {m::abs(w.im), w.re};
    if (m::isnan(w.im)) return {w.im, w.re};
    return {m::abs(w.im), m::copysign(w.re, z.im)};
}

/* ---- inverse hyperbolic tangent ------------------------------------------------------------- */

template <class R> GNDI_FN complex<R> atanh(complex<R> z) {
    const R x = m::abs(z.re), y = m::abs(z.im);
    R re, im;
    if (m::isnan(x) || m::isnan(y)) {
        if (m::isinf(y)) return {m::copysign((R)0, z.re), m::copysign(pi<R> / 2, z.im)};
        if (x == 0 || m::isinf(x)) return {m::copysign((R)0, z.re), limits<R>::nan()};
        return both_nan<R>();
    }
    if (y == 0 && x <= 1) return {m::atanh(z.re), z.im};
    if (m::isinf(x) || m::isinf(y)) {
        re = 0;
        im = pi<R> / 2;
    } else if (x > 4 / limits<R>::epsilon() || y > 4 / limits<R>::epsilon()) {
        /* re 1/z; x^2 + y^2 could overflow */
        const R ratio = x >= y ? y / x : x / y;
        re = (x >= y ? 1 / x : ratio / y) / (1 + ratio * ratio);
        im = pi<R> / 2;
    } else if (x == 1 && y < range<R>::root_min) {
        re = (ln2<R> - m::log(y)) / 2;
        im = pi<R> / 4;
    } else {
        const R gap = 1 - x;
        re = m::log1p(4 * x / (gap * gap + y * y)) / 4;
        im = m::atan2(2 * y, gap * (1 + x) - y * y) / 2;
    }
    return {m::copysign(re, z.re), m::copysign(im, z.im)};
}
template <class R> GNDI_FN complex<R> atan(complex<R> z) {
    return swapped(own::atanh(swapped(z)));
}

} // namespace own
} // namespace gnd

#endif
