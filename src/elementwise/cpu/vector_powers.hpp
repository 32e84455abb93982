/*
 * vector_powers.hpp: loops of powers: exponents that repeat, simple ones, complex numbers, integers. Included by
 * vector_loops.hpp.
 */
#ifndef GNDI_VECTOR_POWERS_HPP
#define GNDI_VECTOR_POWERS_HPP

namespace {

using namespace gnd;

/* Powers of a block. float32 calls libm's vector function, in whole vectors. */
template <class T> GNDI_FN void power_block(const T *x, const T *y, T *out, int64_t n) {
    [[maybe_unused]] char *const operand[] = {(char *)out, (char *)x, (char *)y};
#ifdef GNDI_WITH_VECTORS
    if constexpr (is_same<T, double>) {
        binary<v::power, double, true>(operand, n, nullptr);
        return;
    }
#endif
#ifdef GNDI_WITH_SINGLES
    if constexpr (is_same<T, float>) {
        singles::binary<singles::power>(operand, n, nullptr);
        return;
    }
#endif
    if constexpr (is_same<T, float>) {
        float a[BLOCK], b[BLOCK];
        const int64_t whole = (n + 31) & ~(int64_t)31;
        memcpy(a, x, (size_t)n * sizeof *a), memcpy(b, y, (size_t)n * sizeof *b);
        for (int64_t i = n; i < whole; i++) a[i] = b[i] = 1;
#pragma GCC ivdep
        for (int64_t i = 0; i < whole; i++) a[i] = m::pow(a[i], b[i]);
        memcpy(out, a, (size_t)n * sizeof *a);
    } else {
        for (int64_t i = 0; i < n; i++) out[i] = m::pow(x[i], y[i]);
    }
}
template <class T> GNDI_FN void power_by(const T *x, T e, T *out, int64_t n) {
    if (e == 2)
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = x[i] * x[i];
    else if (e == 1)
        memmove(out, x, (size_t)n * sizeof *x);
    else if (e == -1)
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = 1 / x[i];
    else if (e == 3)
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = ops::cube(x[i]);
    else
#pragma GCC ivdep
        for (int64_t i = 0; i < n; i++) out[i] = ops::root(x[i]);
}
/* Powers of which a few have simple exponents: those one by one. */
template <class T> GNDI_FN void power_some(const T *x, const T *y, const T *general, T *out, int64_t n) {
    uint8_t simple[BLOCK];
    int count = 0;
    for (int64_t j = 0; j < n; j++) simple[j] = ops::is_simple_exponent(y[j]);
    for (int64_t j = 0; j < n; j++) count += simple[j];
    if (count > n / 8) {
        for (int64_t j = 0; j < n; j++) out[j] = ops::power_or(x[j], y[j], general[j]);
        return;
    }
    for (int64_t j = 0; j < n; j++)
        out[j] = __builtin_expect(simple[j], 0) ? ops::power_or(x[j], y[j], x[j]) : general[j];
}
/* Whether x to the power y is x, without computing it. */
template <class T> GNDI_FN bool is_settled(T x, T y) {
    return (x == 1) | ((x == limits<T>::infinity()) & (y > 0));
}
/* Whether most powers are so: a few of them tell whether to count. */
template <class T> GNDI_FN bool are_settled(const T *x, const T *y, int64_t n) {
    int some = 0, all = 0;
    for (int64_t j = 0; j < n; j += 31) some += is_settled(x[j], y[j]);
    if (some == 0) return false;
    for (int64_t j = 0; j < n; j++) all += is_settled(x[j], y[j]);
    return all > n / 2;
}
/* Where those are many: the others are brought together. */
template <class T> GNDI_FN void power_of_others(const T *x, const T *y, T *out, int64_t n) {
    T a[BLOCK], b[BLOCK], general[BLOCK];
    int index[BLOCK], count = 0;
    for (int64_t j = 0; j < n; j++) {
        if (is_settled(x[j], y[j]))
            out[j] = x[j];
        else
            a[count] = x[j], b[count] = y[j], index[count++] = (int)j;
    }
    power_block(a, b, general, count);
    power_some(a, b, general, general, count);
    for (int k = 0; k < count; k++) out[index[k]] = general[k];
}
template <class T> int power_real(char *const *operand, int64_t n, const double *) {
    for (int64_t i = 0; i < n; i += BLOCK) {
        T *out = (T *)operand[0] + i;
        const T *x = (const T *)operand[1] + i, *y = (const T *)operand[2] + i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        const T first = y[0];
        bits_t<T> fraction = 0, low = ~(bits_t<T>)0;
        for (int64_t j = 0; j < m; j++) { /* simple exponents have a bit of a fraction at most */
            bits_t<T> bits;
            memcpy(&bits, y + j, sizeof bits);
            bits &= ((bits_t<T>)1 << (limits<T>::digits - 2)) - 1;
            low = bits < low ? bits : low, fraction |= bits;
        }
        int other = fraction != 0, simple = 0, rest = low != 0;
        if (low == 0)
            for (int64_t j = 0; j < m; j++) {
                const int is_simple = ops::is_simple_exponent(y[j]);
                other |= y[j] != first, simple |= is_simple, rest |= !is_simple & (y[j] != 0);
            }
        if (other && !rest) { /* as those that were bool */
#pragma GCC ivdep
            for (int64_t j = 0; j < m; j++) out[j] = y[j] == 0 ? (T)1 : ops::power_or(x[j], y[j], x[j]);
        } else if (other && are_settled(x, y, m)) { /* as where powers are raised again */
            power_of_others(x, y, out, m);
        } else if (!simple) {
            power_block(x, y, out, m);
        } else if (!other) {
            power_by(x, first, out, m);
        } else {
            T general[BLOCK];
            power_block(x, y, general, m);
            power_some(x, y, general, out, m);
        }
    }
    return 0;
}

/* Complex powers of a block. */
template <class R> GNDI_FN void power_complex_block(char *const *operand, int64_t n, const double *params) {
#ifdef GNDI_WITH_VECTORS
    v::complex_binary<v::complex_power<R>, R>(operand, n, params);
#else
    plain[GNDI_OP_power][dtype_of<complex<R>>](operand, n, params);
#endif
}
/* Where all exponents of a block are 1, 2 or 3, complex powers are copies or products. */
template <class R> int power_complex(char *const *operand, int64_t n, const double *params) {
    typedef complex<R> T;
    for (int64_t i = 0; i < n; i += BLOCK) {
        T *out = (T *)operand[0] + i;
        const T *x = (const T *)operand[1] + i, *y = (const T *)operand[2] + i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        const T e = y[0];
        int other = (e.im != 0) | ((e.re != 1) & (e.re != 2) & (e.re != 3));
        for (int64_t j = 0; j < m; j++) other |= (y[j].re != e.re) | (y[j].im != 0);
        if (other) {
            char *part[] = {(char *)out, (char *)x, (char *)y};
            power_complex_block<R>(part, m, params);
            continue;
        }
        /* Real and imaginary parts apart: of complex products g++ 12 makes fused ones, -ffp-contract=off or not. */
        R re[BLOCK], im[BLOCK];
        for (int64_t j = 0; j < m; j++) re[j] = x[j].re, im[j] = x[j].im;
        for (int64_t j = 0; j < m; j++) {
            const R a = re[j], b = im[j], a2 = a * a - b * b, b2 = a * b + b * a;
            const R real = e.re == 1 ? a : e.re == 2 ? a2 : a * a2 - b * b2;
            const R imaginary = e.re == 1 ? b : e.re == 2 ? b2 : a * b2 + b * a2;
            const bool nothing = (a == 0) & (b == 0);
            re[j] = nothing ? 0 : real, im[j] = nothing ? 0 : imaginary;
        }
        for (int64_t j = 0; j < m; j++) out[j] = {re[j], im[j]};
    }
    return 0;
}

/* Whether all of some exponents are 2; the first one tells it mostly. */
template <class T> GNDI_FN bool are_squares(const T *y, int64_t n) {
    bits_t<T> others = (bits_t<T>)y[0] ^ 2;
    if (!others)
        for (int64_t j = 1; j < n; j++) others |= (bits_t<T>)y[j] ^ 2;
    return !others;
}

/* By squaring, a bit of all exponents of a block at a time. */
template <class T> int power_integers(char *const *operand, int64_t n, const double *) {
    typedef wrap_t<T> wide;
    int fault = 0;
    for (int64_t i = 0; i < n; i += BLOCK) {
        T *out = (T *)operand[0] + i;
        const T *x = (const T *)operand[1] + i, *y = (const T *)operand[2] + i;
        const int64_t m = n - i < BLOCK ? n - i : BLOCK;
        if (are_squares(y, m)) {
            for (int64_t j = 0; j < m; j++) out[j] = (T)((wide)x[j] * (wide)x[j]);
            continue;
        }
        bits_t<T> left[BLOCK], any = 0;
        wide result[BLOCK], base[BLOCK];
        int below = 0;
        for (int64_t j = 0; j < m; j++) {
            below |= ops::power_faults(x[j], y[j]);
            left[j] = is_negative(y[j]) ? 0 : (bits_t<T>)y[j];
            any |= left[j];
            result[j] = 1, base[j] = (wide)x[j];
        }
        for (; any; any >>= 1) {
            for (int64_t j = 0; j < m; j++) {
                result[j] *= left[j] & 1 ? base[j] : 1;
                left[j] >>= 1;
            }
            if (any > 1)
                for (int64_t j = 0; j < m; j++) base[j] *= base[j];
        }
        for (int64_t j = 0; j < m; j++) out[j] = (T)result[j];
        fault |= below;
    }
    return fault;
}

} // namespace

#endif
