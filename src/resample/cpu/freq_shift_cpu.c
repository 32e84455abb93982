/*
 * freq_shift_cpu.c: lines times a complex oscillation on the CPU, shared among the threads by stretches of elements:
 * the oscillation of a stretch is computed once for all lines.
 */
#include "resample/freq_shift_plan.h"
#include "runtime/hooks.h"

enum { STRETCH = 512 };

#define DEFINE_MULTIPLY(T)                                                                                             \
    static void multiply_##T(const T *x, bool pairs, T *out, const double(*wave)[2], int64_t n) {                      \
        for (int64_t i = 0; i < n; i++, out += 2) {                                                                    \
            const double re = wave[i][0], im = wave[i][1];                                                             \
            const double x_re = (double)x[pairs ? 2 * i : i], x_im = pairs ? (double)x[2 * i + 1] : 0;                 \
            out[0] = (T)(pairs ? x_re * re - x_im * im : x_re * re);                                                   \
            out[1] = (T)(pairs ? x_re * im + x_im * re : x_re * im);                                                   \
        }                                                                                                              \
    }
DEFINE_MULTIPLY(float)
DEFINE_MULTIPLY(double)
#undef DEFINE_MULTIPLY

static void shift_stretches(void *context, int64_t begin, int64_t end) {
    static const double TURN = 6.283185307179586476925;
    const gndi_freq_shift_plan *p = context;
    const bool pairs = gndi_dtype_is_complex(p->dtype), wide = p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128;
    const int64_t element = gndi_dtype_sizes[p->dtype], real = wide ? 8 : 4;
    double wave[STRETCH][2];
    for (int64_t stretch = begin; stretch < end; stretch++) {
        const int64_t at = stretch * STRETCH, n = gndi_min(STRETCH, p->n - at);
        for (int64_t i = 0; i < n; i++) {
            const double phase = -TURN * gndi_shift_turns(at + i, p->freq, p->fs);
            wave[i][0] = cos(phase), wave[i][1] = sin(phase);
        }
        for (int64_t line = 0; line < p->grid.lines; line++) {
            const char *x = p->x + gndi_line_of_x(&p->grid, line) + at * element;
            char *out = p->out + gndi_line_of_out(&p->grid, line) + at * 2 * real;
            if (wide)
                multiply_double((const double *)(const void *)x, pairs, (double *)(void *)out, wave, n);
            else
                multiply_float((const float *)(const void *)x, pairs, (float *)(void *)out, wave, n);
        }
    }
}

gnd_status gndi_cpu_freq_shift(gnd_stream *s, const gndi_freq_shift_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(gndi_ceil_div(p->n, STRETCH), 4, shift_stretches, (void *)(uintptr_t)p);
    return GND_OK;
}
