/*
 * mel_cpu.c: bands of spectra on the CPU, whose rows are shared among the threads: the powers of a row's bins, and then
 * the sums of its bands.
 */
#include "audio/mel_plan.h"
#include "runtime/hooks.h"
#include <math.h>

enum { BLOCK = 256 /* bins whose powers are computed at once */ };

/* Powers of bins begin .. end - 1 to p. */
#define DEFINE_ROW(T, square_root, raise)                                                                              \
    static void powers_##T(const T *z, int64_t n, double power, T *p) {                                                \
        for (int64_t k = 0; k < n; k++) p[k] = z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1];                      \
        if (power == 1)                                                                                                \
            for (int64_t k = 0; k < n; k++) p[k] = square_root(p[k]);                                                  \
        else if (power != 2)                                                                                           \
            for (int64_t k = 0; k < n; k++) p[k] = raise(p[k], (T)(0.5 * power));                                      \
    }                                                                                                                  \
    static void row_##T(const gndi_mel_rows_plan *q, const T *z, T *out) {                                             \
        const T *rise = q->m.rise, *fall = q->m.fall;                                                                  \
        const int32_t *start = q->m.start;                                                                             \
        T p[BLOCK];                                                                                                    \
        for (int64_t m = 0; m < q->m.bands; m++) out[m] = 0;                                                           \
        for (int64_t i = 0; i <= q->m.bands; i++)                                                                      \
            for (int64_t k = start[i]; k < start[i + 1]; k += BLOCK) {                                                 \
                const int64_t n = gndi_min(BLOCK, start[i + 1] - k);                                                   \
                T up = 0, down = 0;                                                                                    \
                powers_##T(z + 2 * k, n, q->power, p);                                                                 \
                for (int64_t j = 0; j < n; j++) up += rise[k + j] * p[j], down += fall[k + j] * p[j];                  \
                if (i < q->m.bands) out[i] += up;                                                                      \
                if (i > 0) out[i - 1] += down;                                                                         \
            }                                                                                                          \
    }
DEFINE_ROW(float, sqrtf, powf)
DEFINE_ROW(double, sqrt, pow)
#undef DEFINE_ROW

static void run_rows(void *context, int64_t begin, int64_t end) {
    const gndi_mel_rows_plan *q = context;
    const int64_t item = q->wide ? 8 : 4;
    for (int64_t row = begin; row < end; row++) {
        const char *z = q->z + row * q->bins * 2 * item;
        char *out = q->out + (row / q->group * q->out_line + row % q->group * q->m.bands) * item;
        if (q->wide)
            row_double(q, (const double *)(const void *)z, (double *)(void *)out);
        else
            row_float(q, (const float *)(const void *)z, (float *)(void *)out);
    }
}

gnd_status gndi_cpu_mel_rows(gnd_stream *s, const gndi_mel_rows_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->rows, 4096 / p->bins + 1, run_rows, (void *)(uintptr_t)p);
    return GND_OK;
}
