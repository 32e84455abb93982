/*
 * results_cpu.c: what is written of a frame's bins on the CPU: themselves, powers, magnitudes, angles, products with
 * another signal's, or means of these.
 */
#include "spectral/cpu/stft_cpu.h"
#include <math.h>

static bool is_complex_result(const gndi_stft_plan *p) {
    return p->result == GNDI_STFT_SPECTRA || p->result == GNDI_STFT_PRODUCTS;
}

int64_t gndi_stft_result_bytes(const gndi_stft_plan *p) {
    return (p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128 ? 8 : 4) * (is_complex_result(p) ? 2 : 1);
}

#define DEFINE_RESULTS(T, root, angle)                                                                                 \
    /* n bins. */                                                                                                      \
    static void convert_##T(const gndi_stft_plan *p, const T *z, const T *y, int64_t n, T *to) {                       \
        switch (p->result) {                                                                                           \
        case GNDI_STFT_POWERS:                                                                                         \
            for (int64_t k = 0; k < n; k++) to[k] = z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1];                 \
            break;                                                                                                     \
        case GNDI_STFT_MAGNITUDES:                                                                                     \
            for (int64_t k = 0; k < n; k++) to[k] = root(z[2 * k], z[2 * k + 1]);                                      \
            break;                                                                                                     \
        case GNDI_STFT_ANGLES:                                                                                         \
            for (int64_t k = 0; k < n; k++) to[k] = angle(z[2 * k + 1], z[2 * k]);                                     \
            break;                                                                                                     \
        case GNDI_STFT_PRODUCTS:                                                                                       \
            for (int64_t k = 0; k < 2 * n; k += 2) {                                                                   \
                to[k] = z[k] * y[k] + z[k + 1] * y[k + 1];                                                             \
                to[k + 1] = z[k] * y[k + 1] - z[k + 1] * y[k];                                                         \
            }                                                                                                          \
            break;                                                                                                     \
        default: memcpy(to, z, (size_t)(2 * n) * sizeof *to); break;                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    static void scale_##T(const gndi_stft_plan *p, T *to) {                                                            \
        const int parts = is_complex_result(p) ? 2 : 1;                                                                \
        const int64_t end = parts * ((p->nfft + 1) / 2);                                                               \
        if (p->result == GNDI_STFT_ANGLES) return;                                                                     \
        if (p->scale != 1)                                                                                             \
            for (int64_t k = 0; k < parts * gndi_stft_bins(p->nfft, p->half); k++) to[k] *= (T)p->scale;               \
        if (p->half && p->inner != 1)                                                                                  \
            for (int64_t k = parts; k < end; k++) to[k] *= (T)p->inner;                                                \
    }                                                                                                                  \
    static void store_##T(const gndi_stft_plan *p, const T *z, const T *y, T *to) {                                    \
        const int64_t bins = gndi_stft_bins(p->nfft, p->half), first = gndi_stft_bin_at(0, p->nfft, p->centered);      \
        const int64_t parts = is_complex_result(p) ? 2 : 1;                                                            \
        convert_##T(p, z + 2 * first, y ? y + 2 * first : NULL, bins - first, to);                                     \
        if (first > 0) convert_##T(p, z, y, first, to + (bins - first) * parts);                                       \
        scale_##T(p, to);                                                                                              \
    }                                                                                                                  \
    static void add_##T(const gndi_stft_plan *p, const T *z, const T *y, T *sum) {                                     \
        const int64_t bins = gndi_stft_bins(p->nfft, p->half);                                                         \
        if (p->result == GNDI_STFT_POWERS) {                                                                           \
            for (int64_t k = 0; k < bins; k++) sum[k] += z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1];            \
            return;                                                                                                    \
        }                                                                                                              \
        for (int64_t k = 0; k < 2 * bins; k += 2) {                                                                    \
            sum[k] += z[k] * y[k] + z[k + 1] * y[k + 1];                                                               \
            sum[k + 1] += z[k] * y[k + 1] - z[k + 1] * y[k];                                                           \
        }                                                                                                              \
    }                                                                                                                  \
    static void mean_##T(const gndi_stft_plan *p, const T *sums, int64_t parts, T *to) {                               \
        const int64_t row = gndi_stft_bins(p->nfft, p->half) * (is_complex_result(p) ? 2 : 1);                         \
        for (int64_t k = 0; k < row; k++) {                                                                            \
            double sum = 0;                                                                                            \
            for (int64_t part = 0; part < parts; part++) sum += (double)sums[part * row + k];                          \
            to[k] = (T)(sum / (double)p->count);                                                                       \
        }                                                                                                              \
        scale_##T(p, to);                                                                                              \
    }
DEFINE_RESULTS(float, hypotf, atan2f)
DEFINE_RESULTS(double, hypot, atan2)
#undef DEFINE_RESULTS

static bool is_wide(const gndi_stft_plan *p) {
    return p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128;
}

void gndi_stft_store(const gndi_stft_plan *p, const char *z, const char *of_y, char *to) {
    const void *const from = z, *const y = of_y;
    void *const out = to;
    if (is_wide(p))
        store_double(p, from, y, out);
    else
        store_float(p, from, y, out);
}

void gndi_stft_add(const gndi_stft_plan *p, const char *z, const char *of_y, char *sum) {
    const void *const from = z, *const y = of_y;
    void *const out = sum;
    if (is_wide(p))
        add_double(p, from, y, out);
    else
        add_float(p, from, y, out);
}

void gndi_stft_mean(const gndi_stft_plan *p, const char *sums, int64_t parts, char *to) {
    const void *const from = sums;
    void *const out = to;
    if (is_wide(p))
        mean_double(p, from, parts, out);
    else
        mean_float(p, from, parts, out);
}
