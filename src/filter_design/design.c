/*
 * design.c: filters of zpk.h from arrays and as arrays.
 */
#include "filter_design/design.h"
#include <string.h>

void gnd_filter_design_release(gnd_filter_design *f) {
    if (!f) return;
    gnd_array *parts[] = {f->b, f->a, f->z, f->p, f->sos};
    for (int i = 0; i < 5; i++) gnd_release(parts[i]);
    memset(f, 0, sizeof(*f));
}

bool gndi_design_begin(gndi_scratch *s, gnd_filter_design *out) {
    if (out) return memset(out, 0, sizeof(*out)), true;
    gndi_raise_null(s->fn, "f");
    s->failed = true;
    return false;
}

gnd_status gndi_design_end(gndi_scratch *s, gnd_filter_design *out) {
    const gnd_status status = gndi_scratch_end(s);
    if (status && out) gnd_filter_design_release(out);
    return status;
}

gndi_zpk *gndi_zpk_read(gndi_scratch *s, const gnd_array *z, const gnd_array *p, double k) {
    gndi_numbers zeros, poles;
    if (!gndi_numbers_read(s, z, "z", &zeros) || !gndi_numbers_read(s, p, "p", &poles)) return NULL;
    if (zeros.n > GNDI_ZPK_MOST || poles.n > GNDI_ZPK_MOST) {
        gndi_scratch_fail(s, GND_ERROR_VALUE, "there may be up to %d zeros and poles, not %lld and %lld",
                          (int)GNDI_ZPK_MOST, (long long)zeros.n, (long long)poles.n);
        return NULL;
    }
    gndi_zpk *f = gndi_scratch_get(s, 1, sizeof(*f));
    if (!f) return NULL;
    f->nz = (int)zeros.n, f->np = (int)poles.n, f->k = k;
    memcpy(f->z, zeros.at, (size_t)f->nz * sizeof(*f->z));
    memcpy(f->p, poles.at, (size_t)f->np * sizeof(*f->p));
    return f;
}

gnd_array *gndi_array_of_rows(gndi_scratch *s, int64_t rows, int64_t n, const gndi_complex *values, bool real) {
    if (rows == 1) return gndi_array_of_numbers(s, n, values, real);
    if (!real) return gndi_matrix_of_complex(s, rows, n, values);
    double *reals = gndi_scratch_doubles(s, rows * n);
    for (int64_t i = 0; reals && i < rows * n; i++) reals[i] = creal(values[i]);
    return gndi_matrix_of_doubles(s, rows, n, reals);
}

void gndi_design_zpk(gndi_scratch *s, const gndi_zpk *f, gnd_filter_design *out) {
    out->z = gndi_array_of_complex(s, f->nz, f->z);
    out->p = gndi_array_of_complex(s, f->np, f->p);
    out->k = f->k;
}

void gndi_design_ba(gndi_scratch *s, const gndi_zpk *f, bool real, gnd_filter_design *out) {
    gndi_complex *b = gndi_scratch_complex(s, f->nz + 1), *a = gndi_scratch_complex(s, f->np + 1);
    if (s->failed) return;
    gndi_zpk_to_ba(f, b, a);
    const bool real_b = real || gndi_poly_conjugate(s, f->nz, f->z);
    const bool real_a = real || gndi_poly_conjugate(s, f->np, f->p);
    out->b = gndi_array_of_numbers(s, f->nz + 1, b, real_b);
    out->a = gndi_array_of_numbers(s, f->np + 1, a, real_a);
}

gnd_array *gndi_design_sos(gndi_scratch *s, const gndi_zpk *f, gnd_sos_pairing pairing, bool analog) {
    if (s->failed) return NULL;
    const int count = gndi_zpk_sections(f, pairing);
    double *sos = gndi_scratch_doubles(s, 6 * (int64_t)count);
    if (!sos || !gndi_zpk_to_sos(s, f, pairing, analog, sos)) return NULL;
    return gndi_matrix_of_doubles(s, count, 6, sos);
}
