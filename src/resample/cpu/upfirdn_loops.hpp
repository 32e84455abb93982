/*
 * upfirdn_loops.hpp: polyphase filters in vectors: each output is the sum of products of neighbouring elements with
 * the taps of its phase. Sums are added up in the same order for registers of any size, so that all instruction
 * sets give the same bits.
 */
#include "resample/cpu/upfirdn_loops.h"
#include "kernels/scalar/scalar_types.h"

namespace gnd {

template <class T> struct polyphase {
    static constexpr int lanes = 32 / (int)sizeof(T);
    typedef T V __attribute__((vector_size(32)));
    typedef T Unaligned __attribute__((vector_size(32), aligned(sizeof(T)), may_alias));
    typedef const Unaligned *From;

    /* n products, in two vectors of sums. Left in `each`: sums of the lanes; the rest goes to lane i mod 2. */
    GNDI_FN void products(const T *x, const T *k, int64_t n, T (&each)[lanes]) {
        V s0 = {}, s1 = {};
        int64_t i = 0;
        for (; i + 2 * lanes <= n; i += 2 * lanes) {
            s0 += *(From)(x + i) * *(From)(k + i);
            s1 += *(From)(x + i + lanes) * *(From)(k + i + lanes);
        }
        if (i + lanes <= n) {
            s0 += *(From)(x + i) * *(From)(k + i);
            i += lanes;
        }
        s0 += s1;
        __builtin_memcpy(each, &s0, sizeof each);
        for (int lane = 0; i < n; i++, lane++) each[lane] += x[i] * k[i];
    }

    /* Of every second lane, from `lane` on. */
    GNDI_FN T half_sum(const T (&each)[lanes], int lane) {
        if constexpr (lanes == 8)
            return (each[lane] + each[lane + 4]) + (each[lane + 2] + each[lane + 6]);
        else
            return each[lane] + each[lane + 2];
    }

    GNDI_FN void one(const T *x, const T *k, int64_t n, T *out) {
        T each[lanes];
        products(x, k, n, each);
        *out = half_sum(each, 0) + half_sum(each, 1);
    }
    GNDI_FN void one_complex(const T *x, const T *k, int64_t n, T *out) {
        T each[lanes];
        products(x, k, 2 * n, each);
        out[0] = half_sum(each, 0), out[1] = half_sum(each, 1);
    }
    GNDI_FN void one_both_complex(const T *x, const T *k, int64_t n, T *out) {
        T re[2] = {0, 0}, im[2] = {0, 0};
        for (int64_t i = 0; i < n; i++, x += 2, k += 2) {
            re[i & 1] += x[0] * k[0] - x[1] * k[1];
            im[i & 1] += x[0] * k[1] + x[1] * k[0];
        }
        out[0] = re[0] + re[1], out[1] = im[0] + im[1];
    }

    /* All outputs of a run; elements are `width` numbers, and so are taps. */
    template <int width, void (*compute)(const T *, const T *, int64_t, T *)>
    static void outputs(const gndi_cpu_upfirdn_run *r) {
        const int64_t up = r->up, step = r->down / up, rest = r->down % up;
        const int64_t s = r->first * r->down + r->offset, row = r->phase_taps * width;
        int64_t base = s / up, phase = s % up;
        const T *x = (const T *)r->x - (r->x_first + r->phase_taps - 1) * width;
        T *out = (T *)r->out;
        for (int64_t i = 0; i < r->count; i++, out += width) {
            compute(x + base * width, (const T *)r->table + phase * row, r->phase_taps, out);
            base += step, phase += rest;
            if (phase >= up) phase -= up, base++;
        }
    }
};

template <class T> static void fill_upfirdn(gndi_cpu_upfirdn_loop *to) {
    typedef polyphase<T> P;
    to[GNDI_UPFIRDN_REAL] = P::template outputs<1, P::one>;
    to[GNDI_UPFIRDN_COMPLEX] = P::template outputs<2, P::one_complex>;
    to[GNDI_UPFIRDN_BOTH_COMPLEX] = P::template outputs<2, P::one_both_complex>;
}

} // namespace gnd
