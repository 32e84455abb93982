/*
 * spectrum.c: Fourier transforms of one line on the host: radix 2 in place, and Bluestein's convolution for
 * lengths that are no power of 2 (L. Bluestein, IEEE Trans. Audio Electroacoust. 18, 1970).
 */
#include "windows/spectrum.h"
#include <math.h>

/* exp(-2 pi i k / n) for k < n / 2, each from its own angle. */
static gndi_complex *twiddles(gndi_scratch *s, int64_t n) {
    gndi_complex *table = gndi_scratch_complex(s, n / 2 + 1);
    for (int64_t k = 0; table && k < n / 2; k++) {
        const double angle = -2 * GNDI_PI * (double)k / (double)n;
        table[k] = CMPLX(cos(angle), sin(angle));
    }
    return table;
}

/* Forward, n a power of 2. */
static void radix2(int64_t n, gndi_complex *x, const gndi_complex *table) {
    for (int64_t i = 1, j = 0; i < n; i++) {
        int64_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            const gndi_complex t = x[i];
            x[i] = x[j], x[j] = t;
        }
    }
    for (int64_t half = 1; half < n; half *= 2)
        for (int64_t start = 0; start < n; start += 2 * half)
            for (int64_t k = 0; k < half; k++) {
                const gndi_complex a = x[start + k], b = x[start + k + half] * table[k * (n / (2 * half))];
                x[start + k] = a + b;
                x[start + k + half] = a - b;
            }
}

static bool bluestein(gndi_scratch *s, int64_t n, gndi_complex *x) {
    int64_t m = 1;
    while (m < 2 * n - 1) m *= 2;
    gndi_complex *chirp = gndi_scratch_complex(s, n);
    gndi_complex *a = gndi_scratch_complex(s, m), *b = gndi_scratch_complex(s, m), *table = twiddles(s, m);
    if (s->failed) return false;
    for (int64_t k = 0; k < n; k++) {
        const int64_t square = (int64_t)((unsigned __int128)k * (uint64_t)k % (uint64_t)(2 * n));
        const double angle = -GNDI_PI * (double)square / (double)n;
        chirp[k] = CMPLX(cos(angle), sin(angle));
        a[k] = x[k] * chirp[k];
        b[k] = conj(chirp[k]);
        if (k) b[m - k] = b[k];
    }
    radix2(m, a, table);
    radix2(m, b, table);
    for (int64_t k = 0; k < m; k++) a[k] = conj(a[k] * b[k]);
    radix2(m, a, table);
    for (int64_t k = 0; k < n; k++) x[k] = conj(a[k]) / (double)m * chirp[k];
    return true;
}

bool gndi_host_fft(gndi_scratch *s, int64_t n, gndi_complex *values, bool inverse) {
    if (s->failed) return false;
    if (inverse)
        for (int64_t k = 0; k < n; k++) values[k] = conj(values[k]);
    if (n & (n - 1)) {
        if (!bluestein(s, n, values)) return false;
    } else {
        const gndi_complex *table = twiddles(s, n);
        if (!table) return false;
        radix2(n, values, table);
    }
    if (inverse)
        for (int64_t k = 0; k < n; k++) values[k] = conj(values[k]) / (double)n;
    return true;
}
