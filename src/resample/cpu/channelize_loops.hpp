/*
 * channelize_loops.hpp: one frame of a polyphase channelizer: the sums of the branches side by side, then Stockham's
 * transform, whose passes go from one block of numbers to another and need no reordering.
 */
#include "resample/cpu/channelize_loops.h"
#include "kernels/scalar/scalar_types.h"

namespace gnd {

template <class T> struct channelizer {
    typedef complex<T> C;

    GNDI_FN C times(C a, C b) { return C{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
    GNDI_FN C plus(C a, C b) { return C{a.re + b.re, a.im + b.im}; }

    /* sum[i] += x[i] taps[i], for numbers first .. last - 1. */
    GNDI_FN void add_row(T *__restrict sum, const T *__restrict x, const T *__restrict taps, int64_t first,
                         int64_t last) {
        for (int64_t i = first; i < last; i++) sum[i] += x[i] * taps[i];
    }
    /* A product as it is rounded: g++ 12 fuses complex ones with AVX-512 in the vectors of a loop and not in its rest,
       and where the rest begins depends on where a signal is cut. */
    GNDI_FN T rounded(T product) {
        __asm__("" : "+x"(product));
        return product;
    }
    GNDI_FN void add_complex_row(C *__restrict sum, const C *__restrict x, const C *__restrict taps, int64_t first,
                                 int64_t last) {
        for (int64_t i = first; i < last; i++) {
            sum[i].re += rounded(x[i].re * taps[i].re) - rounded(x[i].im * taps[i].im);
            sum[i].im += rounded(x[i].re * taps[i].im) + rounded(x[i].im * taps[i].re);
        }
    }

    /* The sums of all branches, the last one first; real ones are `channels` numbers. */
    GNDI_FN void sum_branches(const gndi_cpu_channelizer *c, T *sum) {
        const int64_t n = c->channels, width = c->complex_x ? 2 : 1;
        for (int64_t i = 0; i < n * width; i++) sum[i] = 0;
        for (int64_t t = 0; t < c->branch_taps; t++) {
            /* Where the last branch's element lies in the line; branches beyond the line's ends have none. */
            const int64_t at = (c->frame + 1) * c->hop - n - t * n - c->x_first;
            const int64_t first = at < 0 ? -at : 0, last = c->length - at < n ? c->length - at : n;
            if (first >= last) continue;
            if (c->complex_taps)
                add_complex_row((C *)sum, (const C *)c->x + at, (const C *)c->taps + t * n, first, last);
            else
                add_row(sum, (const T *)c->x + at * width, (const T *)c->taps + t * n * width, first * width,
                        last * width);
        }
    }

    /* One pass of radix r, after radices whose product is `stride`. */
    GNDI_FN void pass(const C *from, C *to, const C *wave, int64_t n, int64_t stride, int r) {
        const int64_t part = n / r;
        for (int64_t turn = 0; turn < part; turn += stride)
            for (int64_t q = 0; q < stride; q++) {
                const C *x = from + turn + q;
                C *y = to + turn * r + q;
                if (r == 4) {
                    const C a = plus(x[0], x[2 * part]), d = plus(x[part], x[3 * part]);
                    const C e = C{x[0].re - x[2 * part].re, x[0].im - x[2 * part].im};
                    const C f = C{x[3 * part].im - x[part].im, x[part].re - x[3 * part].re}; /* times i */
                    y[0] = plus(a, d);
                    y[stride] = times(plus(e, f), wave[turn]);
                    y[2 * stride] = times(C{a.re - d.re, a.im - d.im}, wave[2 * turn]);
                    y[3 * stride] = times(C{e.re - f.re, e.im - f.im}, wave[3 * turn]);
                    continue;
                }
                for (int k = 0; k < r; k++) {
                    C sum = x[0];
                    for (int j = 1; j < r; j++) sum = plus(sum, times(x[j * part], wave[(int64_t)j * k % r * part]));
                    y[k * stride] = times(sum, wave[turn * k]);
                }
            }
    }

    static void frame(const gndi_cpu_channelizer *c) {
        const int64_t n = c->channels;
        C *sums = (C *)c->space, *from = sums + n, *to = from + n;
        sum_branches(c, (T *)sums);
        if (c->factors == 0 && n > 1) from = (C *)c->out;
        int64_t channel = (n - 1 - c->frame % n * (c->hop % n)) % n; /* of the last branch */
        if (channel < 0) channel += n;
        for (int64_t i = 0; i < n; i++) {
            from[channel] = c->complex_x ? sums[i] : C{((const T *)sums)[i], 0};
            channel = channel ? channel - 1 : n - 1;
        }
        if (c->factors == 0 && n > 1) return;
        int64_t stride = 1;
        for (int k = 0; k < c->factors; k++) {
            pass(from, to, (const C *)c->wave, n, stride, c->factor[k]);
            stride *= c->factor[k];
            C *const other = from;
            from = to, to = other;
        }
        for (int64_t i = 0; i < n; i++) ((C *)c->out)[i] = from[i];
    }
};

} // namespace gnd
