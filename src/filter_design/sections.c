/*
 * sections.c: second-order sections of a filter (scipy.signal.zpk2sos): the poles nearest to the unit circle are paired
 * first, with the zeros nearest to them, and make the last sections.
 */
#include "filter_design/zpk.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers in the upper half-plane that stand for pairs, and real ones. */
typedef struct list {
    int n;
    gndi_complex at[GNDI_ZPK_MOST + 2];
} list;

static bool is_real(gndi_complex z) {
    return cimag(z) == 0;
}

static int count_real(const list *l) {
    int count = 0;
    for (int i = 0; i < l->n; i++) count += is_real(l->at[i]);
    return count;
}

static gndi_complex take(list *l, int index) {
    const gndi_complex value = l->at[index];
    l->n--;
    memmove(l->at + index, l->at + index + 1, (size_t)(l->n - index) * sizeof(value));
    return value;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static int by_real(const void *a, const void *b) {
    const gndi_complex x = *(const gndi_complex *)a, y = *(const gndi_complex *)b;
    if (creal(x) != creal(y)) return creal(x) < creal(y) ? -1 : 1;
    return (fabs(cimag(x)) > fabs(cimag(y))) - (fabs(cimag(x)) < fabs(cimag(y)));
}

static int by_imaginary(const void *a, const void *b) {
    const double x = fabs(cimag(*(const gndi_complex *)a)), y = fabs(cimag(*(const gndi_complex *)b));
    return (x > y) - (x < y);
}

/* Within a run of nearly the same real part: by the imaginary one. */
static void sort_runs(int n, gndi_complex *up, gndi_complex *down, double tolerance) {
    for (int i = 0; i < n;) {
        int end = i + 1;
        while (end < n && creal(up[end]) - creal(up[end - 1]) <= tolerance * cabs(up[end - 1])) end++;
        qsort(up + i, (size_t)(end - i), sizeof(*up), by_imaginary);
        qsort(down + i, (size_t)(end - i), sizeof(*down), by_imaginary);
        i = end;
    }
}

/* One of each conjugate pair, then the real numbers, in order. */
static bool pair_up(gndi_scratch *s, int n, gndi_complex *z, list *out, const char *what) {
    const double tolerance = 100 * DBL_EPSILON;
    gndi_complex *up = gndi_scratch_complex(s, n), *down = gndi_scratch_complex(s, n);
    double *reals = gndi_scratch_doubles(s, n);
    int ups = 0, downs = 0, real = 0;
    if (s->failed) return false;
    qsort(z, (size_t)n, sizeof(*z), by_real);
    for (int i = 0; i < n; i++) {
        if (fabs(cimag(z[i])) <= tolerance * cabs(z[i]))
            reals[real++] = creal(z[i]);
        else if (cimag(z[i]) > 0)
            up[ups++] = z[i];
        else
            down[downs++] = z[i];
    }
    bool matched = ups == downs;
    if (matched) sort_runs(ups, up, down, tolerance);
    for (int i = 0; matched && i < ups; i++) {
        matched = cabs(up[i] - conj(down[i])) <= tolerance * cabs(down[i]);
        out->at[i] = (up[i] + conj(down[i])) / 2;
    }
    if (!matched)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "%s that are not real must come in conjugate pairs", what);
    for (int i = 0; i < real; i++) out->at[ups + i] = reals[i];
    out->n = ups + real;
    return true;
}

/* ---- sections ------------------------------------------------------------------------------- */

/* The pole, or the real one, that is nearest to the unit circle, or analog to the imaginary axis. */
static int worst(const list *p, bool analog, bool real) {
    int index = -1;
    double least = INFINITY;
    for (int i = 0; i < p->n; i++) {
        const double distance = analog ? fabs(creal(p->at[i])) : fabs(1 - cabs(p->at[i]));
        if ((real && !is_real(p->at[i])) || (index >= 0 && !(distance < least))) continue;
        index = i;
        least = distance;
    }
    return index;
}

enum { ANY, REAL, COMPLEX };

static int nearest(const list *z, gndi_complex to, int kind) {
    int index = -1;
    double least = INFINITY;
    for (int i = 0; i < z->n; i++) {
        if (kind != ANY && is_real(z->at[i]) != (kind == REAL)) continue;
        const double distance = cabs(z->at[i] - to);
        if (index < 0 || distance < least) index = i, least = distance;
    }
    return index;
}

static void write_quadratic(double *out, int n, const gndi_complex *roots) {
    gndi_complex c[3];
    gndi_poly_from_roots(n, roots, c);
    for (int i = 0; i < 3; i++) out[i] = i < 2 - n ? 0 : creal(c[i - (2 - n)]);
}

static int add(gndi_complex *to, int n, gndi_complex value) {
    to[n] = value;
    return n + 1;
}

/* One section: takes poles and zeros off the lists. */
static void section(list *z, list *p, bool minimal, bool analog, double *sos) {
    gndi_complex zeros[2], poles[2];
    int nz = 0, np = 0;
    const gndi_complex p1 = take(p, worst(p, analog, false));
    np = add(poles, np, p1);
    if (is_real(p1) && count_real(p) == 0) { /* the last real pole: a section of order 1 */
        const int near = nearest(z, p1, REAL);
        if (near >= 0) nz = add(zeros, nz, take(z, near));
        if (!minimal) {
            nz = add(zeros, nz, 0);
            np = add(poles, np, 0);
        }
    } else if (p->n + 1 == z->n && !is_real(p1) && count_real(p) == 1 && count_real(z) == 1) {
        /* the last real zero is left for the last real pole */
        const gndi_complex z1 = take(z, nearest(z, p1, COMPLEX));
        nz = add(zeros, nz, z1);
        nz = add(zeros, nz, conj(z1));
        np = add(poles, np, conj(p1));
    } else {
        np = add(poles, np, is_real(p1) ? take(p, worst(p, analog, true)) : conj(p1));
        if (z->n > 0) {
            const gndi_complex z1 = take(z, nearest(z, p1, ANY));
            nz = add(zeros, nz, z1);
            const int second = is_real(z1) ? nearest(z, p1, REAL) : -1;
            if (!is_real(z1))
                nz = add(zeros, nz, conj(z1));
            else if (second >= 0)
                nz = add(zeros, nz, take(z, second));
        }
    }
    write_quadratic(sos, nz, zeros);
    write_quadratic(sos + 3, np, poles);
}

int gndi_zpk_sections(const gndi_zpk *f, gnd_sos_pairing pairing) {
    if (f->nz == 0 && f->np == 0) return 1;
    return ((pairing == GND_PAIR_MINIMAL || f->np > f->nz ? f->np : f->nz) + 1) / 2;
}

static bool check(gndi_scratch *s, const gndi_zpk *f, gnd_sos_pairing pairing, bool analog) {
    if ((unsigned)pairing > GND_PAIR_MINIMAL)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no pairing number %d", (int)pairing);
    if (analog && pairing != GND_PAIR_MINIMAL)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "sections of an analog filter need the pairing minimal");
    if (pairing == GND_PAIR_MINIMAL && f->np < f->nz)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the pairing minimal needs as many poles as zeros, not %d and %d",
                                 f->np, f->nz);
    return true;
}

bool gndi_zpk_to_sos(gndi_scratch *s, const gndi_zpk *f, gnd_sos_pairing pairing, bool analog, double *sos) {
    const int count = gndi_zpk_sections(f, pairing);
    if (s->failed || !check(s, f, pairing, analog)) return false;
    memset(sos, 0, (size_t)count * 6 * sizeof(double));
    if (f->nz == 0 && f->np == 0) {
        sos[analog ? 2 : 0] = f->k;
        sos[analog ? 5 : 3] = 1;
        return true;
    }
    list *z = gndi_scratch_get(s, 1, sizeof(list)), *p = gndi_scratch_get(s, 1, sizeof(list));
    gndi_complex *zeros = gndi_scratch_complex(s, 2 * count), *poles = gndi_scratch_complex(s, 2 * count);
    if (s->failed) return false;
    memcpy(zeros, f->z, (size_t)f->nz * sizeof(*zeros));
    memcpy(poles, f->p, (size_t)f->np * sizeof(*poles));
    int nz = f->nz, np = f->np;
    if (pairing != GND_PAIR_MINIMAL) { /* zeros at 0 fill up */
        nz = np = f->nz > f->np ? f->nz : f->np;
        if (np % 2 && pairing == GND_PAIR_NEAREST) nz = np = np + 1;
    }
    if (!pair_up(s, nz, zeros, z, "zeros") || !pair_up(s, np, poles, p, "poles")) return false;
    for (int i = count - 1; i >= 0; i--) {
        if (p->n == 0) return gndi_scratch_fail(s, GND_ERROR_VALUE, "the poles do not make pairs");
        section(z, p, pairing == GND_PAIR_MINIMAL, analog, sos + 6 * i);
    }
    if (z->n > 0 || p->n > 0) return gndi_scratch_fail(s, GND_ERROR_VALUE, "the zeros do not make pairs");
    for (int i = 0; i < 3; i++) sos[i] *= f->k;
    return true;
}
