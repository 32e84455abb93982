/*
 * conversions.c: the forms of a filter's coefficients, from each to the others (scipy.signal).
 */
#include "filter_design/design.h"
#include <string.h>

/* ---- coefficients --------------------------------------------------------------------------- */

/* Drops leading zeros, and divides by a[0]. b has `rows` rows of n; they are packed anew. */
bool gndi_normalize_ba(gndi_scratch *s, int64_t rows, int64_t *n, gndi_complex *b, int64_t *m, gndi_complex *a) {
    if (s->failed) return false;
    int64_t zeros = 0, small = 0;
    while (zeros < *m && a[zeros] == 0) zeros++;
    if (zeros == *m)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the denominator must have a coefficient that is not zero");
    *m -= zeros;
    memmove(a, a + zeros, (size_t)*m * sizeof(*a));
    const gndi_complex first = a[0];
    for (int64_t i = 0; i < *m; i++) a[i] /= first;
    for (int64_t i = 0; i < rows * *n; i++) b[i] /= first;
    for (bool leading = true; leading && small < *n - 1; small += leading)
        for (int64_t row = 0; row < rows; row++) leading &= cabs(b[row * *n + small]) <= 1e-14;
    for (int64_t row = 0; small && row < rows; row++)
        memmove(b + row * (*n - small), b + row * *n + small, (size_t)(*n - small) * sizeof(*b));
    *n -= small;
    return true;
}

gnd_status gnd_normalize(gnd_filter_design *f, const gnd_array *b, const gnd_array *a) {
    gndi_scratch s = {.fn = "gnd_normalize"};
    gndi_numbers num, den;
    if (gndi_design_begin(&s, f) && gndi_numbers_read_any(&s, b, "b", &num) && gndi_numbers_read(&s, a, "a", &den)) {
        if (b->ndim > 2) gndi_scratch_fail(&s, GND_ERROR_SHAPE, "b must have up to two dimensions, not %d", b->ndim);
        const int64_t rows = b->ndim == 2 ? b->shape[0] : 1;
        int64_t n = rows ? num.n / rows : 0;
        const bool real = num.real && den.real;
        if (gndi_normalize_ba(&s, rows, &n, num.at, &den.n, den.at)) {
            f->a = gndi_array_of_numbers(&s, den.n, den.at, den.real);
            f->b = gndi_array_of_rows(&s, rows, n, num.at, real);
        }
    }
    return gndi_design_end(&s, f);
}

/* ---- zeros, poles and gain ------------------------------------------------------------------ */

bool gndi_zpk_from_ba(gndi_scratch *s, int64_t nb, const gndi_complex *b, int64_t na, const gndi_complex *a,
                      gndi_zpk *f) {
    if (s->failed) return false;
    if (nb < 1 || na < 1 || nb > GNDI_ZPK_MOST + 1 || na > GNDI_ZPK_MOST + 1)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "there may be 1 to %d coefficients, not %lld and %lld",
                                 GNDI_ZPK_MOST + 1, (long long)nb, (long long)na);
    gndi_complex *num = gndi_scratch_complex(s, nb), *den = gndi_scratch_complex(s, na);
    if (s->failed) return false;
    memcpy(num, b, (size_t)nb * sizeof(*b));
    memcpy(den, a, (size_t)na * sizeof(*a));
    if (!gndi_normalize_ba(s, 1, &nb, num, &na, den)) return false;
    f->k = creal(num[0]);
    for (int64_t i = nb - 1; i >= 0; i--) num[i] /= num[0];
    f->nz = f->k != 0 ? (int)gndi_poly_roots(s, nb, num, true, f->z) : 0;
    f->np = (int)gndi_poly_roots(s, na, den, true, f->p);
    return !s->failed;
}

/* Real coefficients as zeros, poles and gain; NULL: raised. */
static gndi_zpk *read_ba(gndi_scratch *s, const gnd_array *b, const gnd_array *a) {
    gndi_numbers num, den;
    if (!gndi_numbers_read(s, b, "b", &num) || !gndi_numbers_read(s, a, "a", &den)) return NULL;
    if (!num.real || !den.real) {
        gndi_scratch_fail(s, GND_ERROR_DTYPE, "the coefficients must be real, not %s and %s", gndi_text_array(b),
                          gndi_text_array(a));
        return NULL;
    }
    gndi_zpk *f = gndi_scratch_get(s, 1, sizeof(*f));
    return f && gndi_zpk_from_ba(s, num.n, num.at, den.n, den.at, f) ? f : NULL;
}

gnd_status gnd_tf2zpk(gnd_filter_design *f, const gnd_array *b, const gnd_array *a) {
    gndi_scratch s = {.fn = "gnd_tf2zpk"};
    const gndi_zpk *zpk = gndi_design_begin(&s, f) ? read_ba(&s, b, a) : NULL;
    if (zpk) gndi_design_zpk(&s, zpk, f);
    return gndi_design_end(&s, f);
}

gnd_status gnd_zpk2tf(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k) {
    gndi_scratch s = {.fn = "gnd_zpk2tf"};
    const gndi_zpk *zpk = gndi_design_begin(&s, f) ? gndi_zpk_read(&s, z, p, k) : NULL;
    if (zpk) gndi_design_ba(&s, zpk, false, f);
    return gndi_design_end(&s, f);
}

/* ---- second-order sections ------------------------------------------------------------------ */

gnd_array *gnd_zpk2sos(const gnd_array *z, const gnd_array *p, double k, gnd_sos_pairing pairing, bool analog) {
    gndi_scratch s = {.fn = "gnd_zpk2sos"};
    const gndi_zpk *f = gndi_zpk_read(&s, z, p, k);
    gnd_array *sos = f ? gndi_design_sos(&s, f, pairing, analog) : NULL;
    gndi_scratch_end(&s);
    return sos;
}

gnd_array *gnd_tf2sos(const gnd_array *b, const gnd_array *a, gnd_sos_pairing pairing, bool analog) {
    gndi_scratch s = {.fn = "gnd_tf2sos"};
    const gndi_zpk *f = read_ba(&s, b, a);
    gnd_array *sos = f ? gndi_design_sos(&s, f, pairing, analog) : NULL;
    gndi_scratch_end(&s);
    return sos;
}

bool gndi_sos_read(gndi_scratch *s, const gnd_array *sos, gndi_numbers *numbers) {
    if (!gndi_numbers_read_any(s, sos, "sos", numbers)) return false;
    if (sos->ndim != 2 || sos->shape[1] != 6)
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "sos must be n x 6, and is %s", gndi_text_array(sos));
    if (!numbers->real)
        return gndi_scratch_fail(s, GND_ERROR_DTYPE, "sos must be real, and is %s", gndi_text_array(sos));
    return true;
}

gnd_status gnd_sos2tf(gnd_filter_design *f, const gnd_array *sos) {
    gndi_scratch s = {.fn = "gnd_sos2tf"};
    gndi_numbers rows;
    if (gndi_design_begin(&s, f) && gndi_sos_read(&s, sos, &rows)) {
        const int64_t n = rows.n / 6;
        for (int part = 0; part < 2; part++) {
            gndi_complex *c = gndi_scratch_complex(&s, 2 * n + 1), *next = gndi_scratch_complex(&s, 2 * n + 1);
            if (s.failed) break;
            int64_t length = 1;
            c[0] = 1;
            for (int64_t i = 0; i < n; i++) { /* without a section's leading zeros, as numpy.polymul has it */
                const gndi_complex *row = rows.at + 6 * i + 3 * part;
                int64_t from = 0, start = 0;
                while (from < 2 && row[from] == 0) from++;
                while (start < length - 1 && c[start] == 0) start++;
                gndi_poly_product(length - start, c + start, 3 - from, row + from, next);
                length += 2 - from - start;
                gndi_complex *swap = c;
                c = next, next = swap;
            }
            *(part ? &f->a : &f->b) = gndi_array_of_numbers(&s, length, c, true);
        }
    }
    return gndi_design_end(&s, f);
}

gnd_status gnd_sos2zpk(gnd_filter_design *f, const gnd_array *sos) {
    gndi_scratch s = {.fn = "gnd_sos2zpk"};
    gndi_numbers rows;
    if (gndi_design_begin(&s, f) && gndi_sos_read(&s, sos, &rows)) {
        const int64_t n = rows.n / 6;
        gndi_complex *z = gndi_scratch_complex(&s, 2 * n), *p = gndi_scratch_complex(&s, 2 * n);
        gndi_zpk *one = gndi_scratch_get(&s, 1, sizeof(*one));
        double k = 1;
        for (int64_t i = 0; i < n && !s.failed; i++) {
            if (!gndi_zpk_from_ba(&s, 3, rows.at + 6 * i, 3, rows.at + 6 * i + 3, one)) break;
            memcpy(z + 2 * i, one->z, (size_t)one->nz * sizeof(*z));
            memcpy(p + 2 * i, one->p, (size_t)one->np * sizeof(*p));
            k *= one->k;
        }
        f->z = gndi_array_of_complex(&s, 2 * n, z);
        f->p = gndi_array_of_complex(&s, 2 * n, p);
        f->k = k;
    }
    return gndi_design_end(&s, f);
}
