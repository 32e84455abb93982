/*
 * convolve_loops.hpp: sliding sums of products in vectors. A block of sums stays in registers while all taps go by.
 * Taps are added in their order, whatever the size of the registers, so that all instruction sets give the same bits.
 * A complex tap is two real ones: elements times its real part and times its imaginary part are added up apart.
 */
#include "convolve/cpu/convolve_loops.h"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

template <class T> struct sliding {
#ifdef __AVX512F__
    static constexpr int bytes = 64;
#elif defined __AVX__
    static constexpr int bytes = 32;
#else
    static constexpr int bytes = 16; /* more would not leave eight sums in registers */
#endif
    static constexpr int lanes = bytes / (int)sizeof(T);
    typedef T V __attribute__((vector_size(bytes)));
    typedef T Unaligned __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
    typedef const Unaligned *From;
    static constexpr int64_t block = 8 * lanes;
    static_assert(8 * bytes <= GNDI_CONVOLVE_BLOCK, "rows end so far behind what is used");

    /* Eight vectors of sums. */
    GNDI_FN void real_block(const gndi_cpu_convolve_run *r, int64_t at, T *out) {
        V s0 = {}, s1 = {}, s2 = {}, s3 = {}, s4 = {}, s5 = {}, s6 = {}, s7 = {};
        const T *k = (const T *)r->tap;
        for (int64_t row = 0; row < r->rows; row++) {
            const T *x = (const T *)r->row[row] + at;
            for (int64_t j = 0; j < r->taps; j++, k++, x++) {
                const V tap = *k - V{};
                s0 += *(From)x * tap;
                s1 += *(From)(x + lanes) * tap;
                s2 += *(From)(x + 2 * lanes) * tap;
                s3 += *(From)(x + 3 * lanes) * tap;
                s4 += *(From)(x + 4 * lanes) * tap;
                s5 += *(From)(x + 5 * lanes) * tap;
                s6 += *(From)(x + 6 * lanes) * tap;
                s7 += *(From)(x + 7 * lanes) * tap;
            }
        }
        const V sums[8] = {s0, s1, s2, s3, s4, s5, s6, s7};
        __builtin_memcpy(out, sums, sizeof sums);
    }
    static void real(const gndi_cpu_convolve_run *r) {
        for (int64_t at = 0; at < r->n; at += block) real_block(r, at, (T *)r->out + at);
    }

    /* Four vectors of pairs times the taps' real parts, and four times their imaginary ones. */
    GNDI_FN void complex_block(const gndi_cpu_convolve_run *r, int64_t at, T *out) {
        V a0 = {}, a1 = {}, a2 = {}, a3 = {}, b0 = {}, b1 = {}, b2 = {}, b3 = {};
        const T *k = (const T *)r->tap;
        for (int64_t row = 0; row < r->rows; row++) {
            const T *x = (const T *)r->row[row] + at;
            for (int64_t j = 0; j < r->taps; j++, k += 2, x += 2) {
                const V re = k[0] - V{}, im = k[1] - V{};
                const V x0 = *(From)x, x1 = *(From)(x + lanes);
                const V x2 = *(From)(x + 2 * lanes), x3 = *(From)(x + 3 * lanes);
                a0 += x0 * re, a1 += x1 * re, a2 += x2 * re, a3 += x3 * re;
                b0 += x0 * im, b1 += x1 * im, b2 += x2 * im, b3 += x3 * im;
            }
        }
        const V a[4] = {a0, a1, a2, a3}, b[4] = {b0, b1, b2, b3};
        T by_re[4 * lanes], by_im[4 * lanes];
        __builtin_memcpy(by_re, a, sizeof a);
        __builtin_memcpy(by_im, b, sizeof b);
        for (int i = 0; i < 4 * lanes; i += 2) {
            out[i] = by_re[i] - by_im[i + 1];
            out[i + 1] = by_re[i + 1] + by_im[i];
        }
    }
    static void complex_pairs(const gndi_cpu_convolve_run *r) {
        for (int64_t at = 0; at < 2 * r->n; at += 4 * lanes) complex_block(r, at, (T *)r->out + at);
    }
};

/* ---- elements -------------------------------------------------------------------------------- */

template <class A, class S> GNDI_FN void load_run(const char *from, int64_t step, A *to, int64_t n) {
    for (int64_t i = 0; i < n; i++, from += step) to[i] = cast<A>(*(const S *)from);
}
template <class A, class S> GNDI_FN void store_run(const A *from, char *to, int64_t step, int64_t n) {
    for (int64_t i = 0; i < n; i++, to += step) *(S *)to = cast<S>(from[i]);
}

/* The dtypes of each type of sums. */
#define GNDI_CONVOLVE_CASES(A, CASE)                                                                                   \
    if constexpr (is_same<A, uint32_t>) switch (dtype) {                                                               \
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) default : CASE_LAST(7)                                     \
        }                                                                                                              \
    else if constexpr (is_same<A, uint64_t>)                                                                           \
        switch (dtype) { CASE(8) default : CASE_LAST(9) }                                                              \
    else if constexpr (is_same<A, float>)                                                                              \
        switch (dtype) { CASE(10) CASE(11) default : CASE_LAST(12) }                                                   \
    else                                                                                                               \
        RUN(dtype_of<A>)

template <class A> static void load_elements(const char *from, int64_t step, int dtype, void *to, int64_t n) {
    (void)dtype;
#define RUN(number) load_run<A, storage_of<number>>(from, step, (A *)to, n);
#define CASE(number)                                                                                                   \
    case number:                                                                                                       \
        RUN(number) break;
#define CASE_LAST(number) RUN(number)
    GNDI_CONVOLVE_CASES(A, CASE)
#undef RUN
}
template <class A> static void store_elements(const void *from, char *to, int64_t step, int dtype, int64_t n) {
    (void)dtype;
#define RUN(number) store_run<A, storage_of<number>>((const A *)from, to, step, n);
    GNDI_CONVOLVE_CASES(A, CASE)
#undef RUN
#undef CASE
#undef CASE_LAST
}

template <class A> static void fill_elements(const double *parts, uint64_t integer, void *to, int64_t n) {
    A value{};
    if constexpr (is_complex<A>)
        value.re = (real_t<A>)parts[0], value.im = (real_t<A>)parts[1];
    else if constexpr (is_same<A, uint32_t> || is_same<A, uint64_t>)
        value = (A)integer;
    else
        value = (A)parts[0];
    (void)parts, (void)integer;
    for (int64_t i = 0; i < n; i++) ((A *)to)[i] = value;
}

template <class A> static void multiply_add(const void *a, const void *b, void *to, int64_t n) {
    const A *x = (const A *)a, *k = (const A *)b;
    A *sum = (A *)to;
    for (int64_t i = 0; i < n; i++) {
        if constexpr (is_complex<A>) {
            sum[i].re += x[i].re * k[i].re - x[i].im * k[i].im;
            sum[i].im += x[i].re * k[i].im + x[i].im * k[i].re;
        } else {
            sum[i] += x[i] * k[i];
        }
    }
}

template <class A> static gndi_cpu_convolve_type convolve_type() {
    if constexpr (is_complex<A>)
        return {(int)sizeof(A),   sliding<real_t<A>>::complex_pairs,
                load_elements<A>, store_elements<A>,
                multiply_add<A>,  fill_elements<A>};
    else
        return {(int)sizeof(A),    sliding<A>::real, load_elements<A>,
                store_elements<A>, multiply_add<A>,  fill_elements<A>};
}

} // namespace gnd
