/*
 * matrices.c: small dense matrices on the host.
 */
#include "systems/matrices.h"
#include <float.h>
#include <math.h>
#include <string.h>

void gndi_host_product(int64_t rows, int64_t inner, int64_t columns, const gndi_complex *a, const gndi_complex *b,
                       gndi_complex *out) {
    for (int64_t i = 0; i < rows * columns; i++) out[i] = 0;
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < inner; k++)
            for (int64_t j = 0; j < columns; j++) out[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

void gndi_host_transpose(int64_t rows, int64_t columns, const gndi_complex *a, bool conjugate, gndi_complex *out) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++)
            out[j * rows + i] = conjugate ? conj(a[i * columns + j]) : a[i * columns + j];
}

/* ---- equations ------------------------------------------------------------------------------ */

static void exchange(int64_t n, gndi_complex *a, gndi_complex *b) {
    for (int64_t j = 0; j < n; j++) {
        const gndi_complex x = a[j];
        a[j] = b[j], b[j] = x;
    }
}

/* Elimination below the diagonal; the multipliers are not kept. False: a pivot is 0. */
static bool eliminate(int64_t n, gndi_complex *a, int64_t columns, gndi_complex *b) {
    for (int64_t k = 0; k < n; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < n; i++)
            if (cabs(a[i * n + k]) > cabs(a[pivot * n + k])) pivot = i;
        if (!(cabs(a[pivot * n + k]) > 0)) return false;
        if (pivot != k) {
            exchange(n, a + k * n, a + pivot * n);
            exchange(columns, b + k * columns, b + pivot * columns);
        }
        for (int64_t i = k + 1; i < n; i++) {
            const gndi_complex f = a[i * n + k] / a[k * n + k];
            if (f == 0) continue;
            for (int64_t j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            for (int64_t j = 0; j < columns; j++) b[i * columns + j] -= f * b[k * columns + j];
        }
    }
    return true;
}

bool gndi_host_solve(int64_t n, gndi_complex *a, int64_t columns, gndi_complex *b) {
    if (!eliminate(n, a, columns, b)) return false;
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = 0; j < columns; j++) {
            gndi_complex x = b[i * columns + j];
            for (int64_t k = i + 1; k < n; k++) x -= a[i * n + k] * b[k * columns + j];
            b[i * columns + j] = x / a[i * n + i];
        }
    }
    return true;
}

double gndi_host_abs_determinant(int64_t n, gndi_complex *a) {
    double product = 1;
    if (!eliminate(n, a, 0, NULL)) return 0;
    for (int64_t i = 0; i < n; i++) product *= cabs(a[i * n + i]);
    return product;
}

/* ---- exponential ---------------------------------------------------------------------------- */

/* The largest sum along a column. */
static double norm_1(int64_t n, const gndi_complex *a) {
    double most = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += cabs(a[i * n + j]);
        most = sum > most || isnan(sum) ? sum : most;
    }
    return most;
}

/* out = c6 a6 + c4 a4 + c2 a2 + c0. */
static void combine(int64_t n, gndi_complex *const power[3], const double c[4], gndi_complex *out) {
    for (int64_t i = 0; i < n * n; i++) out[i] = c[0] * power[2][i] + c[1] * power[1][i] + c[2] * power[0][i];
    for (int64_t i = 0; i < n; i++) out[i * n + i] += c[3];
}

bool gndi_host_exponential(gndi_scratch *s, int64_t n, gndi_complex *a) {
    static const double odd_high[4] = {1, 16380, 40840800, 0};
    static const double odd[4] = {33522128640, 10559470521600, 1187353796428800, 32382376266240000};
    static const double even_high[4] = {182, 960960, 1323241920, 0};
    static const double even[4] = {670442572800, 129060195264000, 7771770303897600, 64764752532480000};
    gndi_complex *work = gndi_scratch_complex(s, 7 * n * n);
    if (!work) return false;
    gndi_complex *power[3] = {work, work + n * n, work + 2 * n * n};
    gndi_complex *u = work + 3 * n * n, *v = u + n * n, *t = v + n * n, *w = t + n * n;
    const double norm = norm_1(n, a);
    if (!isfinite(norm)) return gndi_scratch_fail(s, GND_ERROR_VALUE, "the matrix must be finite");
    int squarings = 0;
    if (norm > 5.371920351148152) frexp(norm / 5.371920351148152, &squarings);
    for (int64_t i = 0; i < n * n; i++) a[i] *= ldexp(1, -squarings);
    gndi_host_product(n, n, n, a, a, power[0]);
    gndi_host_product(n, n, n, power[0], power[0], power[1]);
    gndi_host_product(n, n, n, power[1], power[0], power[2]);
    for (int part = 0; part < 2; part++) { /* u, odd, and v, even */
        combine(n, power, part ? even_high : odd_high, t);
        gndi_host_product(n, n, n, power[2], t, w);
        combine(n, power, part ? even : odd, t);
        for (int64_t i = 0; i < n * n; i++) w[i] += t[i];
        if (part)
            memcpy(v, w, (size_t)(n * n) * sizeof(*v));
        else
            gndi_host_product(n, n, n, a, w, u);
    }
    for (int64_t i = 0; i < n * n; i++) t[i] = v[i] - u[i], a[i] = v[i] + u[i];
    if (!gndi_host_solve(n, t, n, a))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the exponential does not fit float64");
    for (int i = 0; i < squarings; i++) {
        gndi_host_product(n, n, n, a, a, t);
        memcpy(a, t, (size_t)(n * n) * sizeof(*a));
    }
    return true;
}

/* ---- orthogonal factors --------------------------------------------------------------------- */

/* The reflection 1 - tau v v^H whose conjugate maps column k of a below row k to its first axis; v[k] is 1. */
static gndi_complex reflection(int64_t rows, int64_t columns, gndi_complex *a, int64_t k, gndi_complex *v) {
    const gndi_complex first = a[k * columns + k];
    double below = 0;
    for (int64_t i = k + 1; i < rows; i++) below = hypot(below, cabs(a[i * columns + k]));
    if (below == 0 && cimag(first) == 0) return 0;
    const double size = -copysign(hypot(cabs(first), below), creal(first));
    v[k] = 1;
    for (int64_t i = k + 1; i < rows; i++) v[i] = a[i * columns + k] / (first - size);
    return CMPLX((size - creal(first)) / size, -cimag(first) / size);
}

void gndi_host_qr(int64_t rows, int64_t columns, gndi_complex *a, gndi_complex *q, gndi_complex *work) {
    for (int64_t i = 0; i < rows * rows; i++) q[i] = i % (rows + 1) == 0;
    for (int64_t k = 0; k < gndi_min(rows, columns); k++) {
        const gndi_complex tau = reflection(rows, columns, a, k, work);
        if (tau == 0) continue;
        for (int64_t j = k; j < columns; j++) {
            gndi_complex t = 0;
            for (int64_t i = k; i < rows; i++) t += conj(work[i]) * a[i * columns + j];
            for (int64_t i = k; i < rows; i++) a[i * columns + j] -= conj(tau) * t * work[i];
        }
        for (int64_t i = k + 1; i < rows; i++) a[i * columns + k] = 0;
        for (int64_t i = 0; i < rows; i++) {
            gndi_complex t = 0;
            for (int64_t j = k; j < rows; j++) t += q[i * rows + j] * work[j];
            for (int64_t j = k; j < rows; j++) q[i * rows + j] -= tau * t * conj(work[j]);
        }
    }
}

/* Rotates columns i and j of m (rows x columns) by [c, -conj(s); s, c]. */
static void rotate(int64_t rows, int64_t columns, gndi_complex *m, int64_t i, int64_t j, double c, gndi_complex s) {
    for (int64_t k = 0; k < rows; k++) {
        gndi_complex *row = m + k * columns;
        const gndi_complex x = row[i], y = row[j];
        row[i] = c * x + s * y;
        row[j] = c * y - conj(s) * x;
    }
}

/* Makes columns i and j orthogonal; false: they are. */
static bool orthogonalize(int64_t rows, int64_t columns, gndi_complex *a, gndi_complex *v, int64_t i, int64_t j) {
    double xx = 0, yy = 0;
    gndi_complex xy = 0;
    for (int64_t k = 0; k < rows; k++) {
        const gndi_complex x = a[k * columns + i], y = a[k * columns + j];
        xx += creal(x * conj(x)), yy += creal(y * conj(y)), xy += conj(x) * y;
    }
    const double size = cabs(xy);
    if (size <= DBL_EPSILON * sqrt(xx) * sqrt(yy)) return false;
    const double zeta = (yy - xx) / (2 * size), t = copysign(1, zeta) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t);
    const gndi_complex s = -c * t * conj(xy) / size;
    rotate(rows, columns, a, i, j, c, s);
    rotate(columns, columns, v, i, j, c, s);
    return true;
}

void gndi_host_svd(int64_t rows, int64_t columns, gndi_complex *a, double *values, gndi_complex *v) {
    enum { SWEEPS = 60 };
    for (int64_t i = 0; i < columns * columns; i++) v[i] = i % (columns + 1) == 0;
    bool again = true;
    for (int sweep = 0; again && sweep < SWEEPS; sweep++) {
        again = false;
        for (int64_t i = 0; i < columns; i++)
            for (int64_t j = i + 1; j < columns; j++) again |= orthogonalize(rows, columns, a, v, i, j);
    }
    for (int64_t j = 0; j < columns; j++) {
        values[j] = 0;
        for (int64_t k = 0; k < rows; k++) values[j] = hypot(values[j], cabs(a[k * columns + j]));
        for (int64_t k = 0; values[j] > 0 && k < rows; k++) a[k * columns + j] /= values[j];
    }
    for (int64_t i = 0; i < columns; i++) { /* the largest first: a rotation by a quarter, the sign on both sides */
        int64_t most = i;
        for (int64_t j = i + 1; j < columns; j++)
            if (values[j] > values[most]) most = j;
        if (most == i) continue;
        const double x = values[i];
        values[i] = values[most], values[most] = x;
        rotate(rows, columns, a, i, most, 0, 1);
        rotate(columns, columns, v, i, most, 0, 1);
    }
}
