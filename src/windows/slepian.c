/*
 * slepian.c: discrete prolate spheroidal sequences (D. Slepian, Bell Syst. Tech. J. 57, 1978) on the host.
 *
 * They are the eigenvectors of a symmetric tridiagonal matrix (Percival and Walden, Spectral Analysis for Physical
 * Applications, 1993, 8.3) whose largest eigenvalues are near (m^2 - 1) / 4 and differ by a few units. So the matrix is
 * taken from that number: what is left are differences between neighbours with weights e_i = i (m - i) / 2, and a
 * potential 2 sin^2(pi w) s^2 at distance s from the centre, and its smallest eigenvalues keep all their digits.
 * For a value x in place of the eigenvalue, neighbours follow from each other from the edge inwards, as
 *
 *     flux += (potential_i - x) v_i,    v_(i + 1) = v_i + flux / e_(i + 1),
 *
 * and the changes of sign count the eigenvalues below x. Sequences are even or odd about the centre in turn, so half
 * the points do.
 */
#include "windows/spectrum.h"
#include "windows/windows.h"
#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SHIFTS = 8,  /* values of x in one pass */
    CHECKED = 16 /* steps between looks at overflow: each multiplies by m at most */
};

/* Sequences of one parity. */
typedef struct problem {
    int64_t m, h;         /* points, and those before the boundary at the centre */
    double bend;          /* 2 sin^2(pi w) */
    double weight, extra; /* the boundary: weight * flux + (potential - x + extra) v is 0 */
} problem;

static problem problem_of(int64_t m, double nw, bool odd) {
    const double sine = sin(GNDI_PI * nw / (double)m);
    problem p = {.m = m, .h = (m + !odd) / 2, .bend = 2 * sine * sine, .weight = 1};
    const double next = (double)p.h * (double)(m - p.h) / 2;
    if (odd)
        p.extra = m % 2 ? next : 2 * next;
    else if (m % 2)
        p.weight = 2;
    return p;
}

static double potential(const problem *p, int64_t i) {
    const double s = (double)i - (double)(p->m - 1) / 2;
    return p->bend * s * s;
}
static double edge(const problem *p, int64_t i) {
    return (double)i * (double)(p->m - i) / 2;
}

/* How many eigenvalues are below each of the shifts. */
static void count_below(const problem *p, const double *x, int64_t *count) {
    double v[SHIFTS], flux[SHIFTS] = {0};
    int64_t changes[SHIFTS] = {0};
    for (int k = 0; k < SHIFTS; k++) v[k] = 1;
    for (int64_t i = 0; i + 1 < p->h; i++) {
        const double here = potential(p, i), inverse = 1 / edge(p, i + 1);
        for (int k = 0; k < SHIFTS; k++) {
            flux[k] += (here - x[k]) * v[k];
            const double next = v[k] + flux[k] * inverse;
            changes[k] += (next < 0) != (v[k] < 0);
            v[k] = next;
        }
        for (int k = 0; i % CHECKED == 0 && k < SHIFTS; k++)
            if (fabs(v[k]) > 1e100) v[k] *= 1e-100, flux[k] *= 1e-100;
    }
    for (int k = 0; k < SHIFTS; k++) {
        const double last = p->weight * flux[k] + (potential(p, p->h - 1) - x[k] + p->extra) * v[k];
        count[k] = changes[k] + ((last < 0) != (v[k] < 0));
    }
}

/* Eigenvalue number j, from 0. */
static double eigenvalue(const problem *p, int64_t j) {
    double low = 0, high = 1, x[SHIFTS];
    int64_t count[SHIFTS];
    for (bool found = false; !found && high < DBL_MAX / 1e9;) {
        for (int k = 0; k < SHIFTS; k++) x[k] = high * (double)(1 << 2 * k);
        count_below(p, x, count);
        for (int k = 0; k < SHIFTS && !found; k++) {
            high = x[k];
            found = count[k] > j;
            if (!found) low = high;
        }
        if (!found) high *= 4;
    }
    for (int pass = 0; pass < 400 && high - low > DBL_EPSILON * high; pass++) {
        const double step = (high - low) / (SHIFTS + 1), from = low;
        for (int k = 0; k < SHIFTS; k++) x[k] = from + step * (k + 1);
        count_below(p, x, count);
        for (int k = SHIFTS - 1; k >= 0; k--)
            if (count[k] > j) high = x[k];
        for (int k = 0; k < SHIFTS; k++)
            if (count[k] <= j && x[k] < high) low = x[k];
        if (low <= from && step < DBL_MIN) break;
    }
    return low + (high - low) / 2;
}

/* Its sequence, of length 1, on all m points. */
static void eigenvector(const problem *p, double x, bool odd, double *v) {
    double flux = 0;
    v[0] = 1;
    for (int64_t i = 0; i + 1 < p->h; i++) {
        flux += (potential(p, i) - x) * v[i];
        v[i + 1] = v[i] + flux / edge(p, i + 1);
        if (fabs(v[i + 1]) < 1e150) continue;
        for (int64_t k = 0; k <= i + 1; k++) v[k] *= 1e-150;
        flux *= 1e-150;
    }
    double squares = 0;
    if (odd && p->m % 2) v[p->h] = 0;
    for (int64_t i = 0; i < p->h; i++) v[p->m - 1 - i] = odd ? -v[i] : v[i];
    for (int64_t i = 0; i < p->m; i++) squares += v[i] * v[i];
    for (int64_t i = 0; i < p->m; i++) v[i] /= sqrt(squares);
}

/* Even sequences have a positive sum, odd ones begin with a positive lobe. */
static void choose_sign(int64_t m, bool odd, double *v) {
    const double threshold = fmax(1e-7, 1 / (double)m);
    double decides = 0;
    for (int64_t i = 0; i < m && !(odd && decides != 0); i++)
        if (!odd || v[i] * v[i] > threshold) decides += v[i];
    for (int64_t i = 0; decides < 0 && i < m; i++) v[i] = -v[i];
}

bool gndi_slepian(gndi_scratch *s, int64_t m, double nw, int64_t count, double *tapers) {
    if (s->failed) return false;
    for (int64_t k = 0; k < count; k++) {
        const bool odd = k % 2 != 0;
        const problem p = problem_of(m, nw, odd);
        eigenvector(&p, eigenvalue(&p, k / 2), odd, tapers + k * m);
        choose_sign(m, odd, tapers + k * m);
    }
    return true;
}

/* ---- scales and ratios ---------------------------------------------------------------------- */

/* m over the sum of the interpolation of w at its centre, half way between two points. */
static bool subsampled(gndi_scratch *s, int64_t m, const double *w, double *factor) {
    gndi_complex *x = gndi_scratch_complex(s, m);
    if (!x) return false;
    for (int64_t i = 0; i < m; i++) x[i] = w[i];
    if (!gndi_host_fft(s, m, x, false)) return false;
    double sum = creal(x[0]);
    for (int64_t k = 1; k <= m / 2; k++) {
        const double angle = GNDI_PI * (1 - 1 / (double)m) * (double)k;
        sum += 2 * creal(x[k] * CMPLX(cos(angle), sin(angle)));
    }
    *factor = (double)m / sum;
    return true;
}

bool gndi_slepian_scale(gndi_scratch *s, int64_t m, double nw, int64_t count, bool subsample, double *tapers) {
    double largest = tapers[0], size = (double)m, factor = 1;
    for (int64_t i = 0; i < count * m; i++) largest = fmax(largest, tapers[i]);
    for (int64_t i = 0; i < count * m; i++) tapers[i] /= largest;
    if (m % 2) return true;
    if (!subsample)
        factor = size * size / (size * size + nw);
    else if (!subsampled(s, m, tapers, &factor))
        return false;
    for (int64_t i = 0; i < count * m; i++) tapers[i] *= factor;
    return true;
}

/* The part of a sequence's energy within the band: its autocorrelation with the band's. */
static bool concentration(gndi_scratch *s, int64_t m, double nw, const double *taper, int64_t length, gndi_complex *x,
                          double *ratio) {
    const double w = nw / (double)m;
    for (int64_t i = 0; i < length; i++) x[i] = i < m ? taper[i] : 0;
    if (!gndi_host_fft(s, length, x, false)) return false;
    for (int64_t i = 0; i < length; i++) x[i] = creal(x[i]) * creal(x[i]) + cimag(x[i]) * cimag(x[i]);
    if (!gndi_host_fft(s, length, x, true)) return false;
    *ratio = 2 * w * creal(x[0]);
    for (int64_t i = 1; i < m; i++)
        *ratio += 2 * sin(2 * GNDI_PI * w * (double)i) / (GNDI_PI * (double)i) * creal(x[i]);
    return true;
}

static bool concentrations(gndi_scratch *s, int64_t m, double nw, int64_t count, const double *tapers, double *ratios) {
    int64_t length = 2;
    while (length < 2 * m) length *= 2;
    gndi_complex *x = gndi_scratch_complex(s, length);
    for (int64_t k = 0; k < count && !s->failed; k++) concentration(s, m, nw, tapers + k * m, length, x, ratios + k);
    return !s->failed;
}

/* ---- gnd_dpss ------------------------------------------------------------------------------- */

static bool check(gndi_scratch *s, int64_t m, double nw, int64_t kmax, gnd_dpss_norm norm) {
    if ((unsigned)norm > GND_DPSS_SUBSAMPLE)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no norm number %d", (int)norm);
    if (m <= 1) return true;
    if (kmax < 0 || kmax > m)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "kmax must be between 0 and %lld, the number of points, not %lld",
                                 (long long)m, (long long)kmax);
    if (nw > 0 && nw < (double)m / 2) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "nw must be between 0 and %g, half the number of points, not %g",
                             (double)m / 2, nw);
}

/* A vector, or a matrix of `rows` rows; of one number, a scalar. */
static gnd_array *array_of(gndi_scratch *s, bool single, int64_t rows, int64_t n, int64_t stride, double *values) {
    for (int64_t k = 1; k < rows; k++) memmove(values + k * n, values + k * stride, (size_t)n * sizeof *values);
    return single ? gndi_array_of_doubles(s, n, values) : gndi_matrix_of_doubles(s, rows, n, values);
}

static gnd_array *make(gndi_scratch *s, int64_t n, double nw, int64_t kmax, gnd_dpss_norm norm, bool sym,
                       gnd_array **ratios) {
    const int64_t m = sym || n <= 1 ? n : n + 1, count = kmax && n > 1 ? kmax : 1;
    double *tapers = gndi_scratch_doubles(s, count * m), *part = gndi_scratch_doubles(s, count);
    if (s->failed) return NULL;
    if (n <= 1) {
        if (n == 1) tapers[0] = 1;
        part[0] = 1;
    } else {
        if (norm == GND_DPSS_DEFAULT) norm = kmax ? GND_DPSS_L2 : GND_DPSS_APPROXIMATE;
        if (!gndi_slepian(s, m, nw, count, tapers)) return NULL;
        if (ratios && !concentrations(s, m, nw, count, tapers, part)) return NULL;
        if (norm != GND_DPSS_L2 && !gndi_slepian_scale(s, m, nw, count, norm == GND_DPSS_SUBSAMPLE, tapers))
            return NULL;
    }
    gnd_array *made = array_of(s, kmax == 0 || n <= 1, count, n, m, tapers);
    if (made && ratios) *ratios = gndi_array_of_doubles(s, count, part);
    return made;
}

gnd_array *gnd_dpss(int64_t m, double nw, int64_t kmax, gnd_dpss_norm norm, bool sym, gnd_array **ratios,
                    gnd_dtype dtype) {
    gndi_scratch s = {.fn = "gnd_dpss"};
    gnd_array *result = NULL;
    if (ratios) *ratios = NULL;
    if (gndi_window_check(&s, m, &dtype) && check(&s, m, nw, kmax, norm)) {
        gnd_array *part = NULL;
        result = gndi_window_cast(&s, make(&s, m, nw, kmax, norm, sym, ratios ? &part : NULL), dtype);
        if (ratios && result) *ratios = part;
        if (!result) gnd_release(part);
    }
    gndi_scratch_end(&s);
    return result;
}
