/*
 * residues.c: partial fractions of rational functions, and sums of them (scipy.signal.unique_roots, residue, residuez,
 * invres, invresz; residues of poles of higher order by repeated synthetic division).
 */
#include "filter_design/design.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- roots that are the same ---------------------------------------------------------------- */

/* The least or greatest by real part, then imaginary part, or the mean. */
static gndi_complex reduce(int64_t n, const gndi_complex *x, gnd_root_type type) {
    gndi_complex value = x[0];
    if (type == GND_ROOTS_AVERAGE) {
        for (int64_t i = 1; i < n; i++) value += x[i];
        return value / (double)n;
    }
    for (int64_t i = 1; i < n; i++) {
        const double re = creal(x[i]) - creal(value), im = cimag(x[i]) - cimag(value);
        const bool less = re < 0 || (re == 0 && im < 0), more = re > 0 || (re == 0 && im > 0);
        if (type == GND_ROOTS_MIN ? less : more) value = x[i];
    }
    return value;
}

static bool check_roots(gndi_scratch *s, double *tol, gnd_root_type type) {
    if (s->failed) return false;
    if (*tol == 0) *tol = 1e-3;
    if ((unsigned)type > GND_ROOTS_AVERAGE)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no type of roots number %d", (int)type);
    return *tol > 0 || gndi_scratch_fail(s, GND_ERROR_VALUE, "the tolerance must be positive, not %g", *tol);
}

/* Different roots and how often each occurs; returns how many. -1: no memory. */
static int64_t unique(gndi_scratch *s, int64_t n, const gndi_complex *p, double tol, gnd_root_type type,
                      gndi_complex *roots, int64_t *times) {
    bool *used = gndi_scratch_get(s, n, sizeof(bool));
    gndi_complex *group = gndi_scratch_complex(s, n);
    int64_t count = 0;
    if (s->failed) return -1;
    for (int64_t i = 0; i < n; i++) {
        if (used[i]) continue;
        int64_t size = 0;
        for (int64_t j = 0; j < n; j++)
            if (!used[j] && (j == i || cabs(p[i] - p[j]) <= tol)) {
                used[j] = true;
                group[size++] = p[j];
            }
        roots[count] = reduce(size, group, type);
        times[count++] = size;
    }
    return count;
}

gnd_status gnd_unique_roots(gnd_array **roots, gnd_array **multiplicity, const gnd_array *p, double tol,
                            gnd_root_type type) {
    gndi_scratch s = {.fn = "gnd_unique_roots"};
    gndi_numbers given;
    gnd_array *made[2] = {NULL, NULL};
    if (roots) *roots = NULL;
    if (multiplicity) *multiplicity = NULL;
    if (check_roots(&s, &tol, type) && gndi_numbers_read(&s, p, "p", &given)) {
        gndi_complex *different = gndi_scratch_complex(&s, given.n);
        int64_t *times = gndi_scratch_get(&s, given.n, sizeof(int64_t));
        const int64_t n = s.failed ? -1 : unique(&s, given.n, given.at, tol, type, different, times);
        if (n >= 0 && roots) made[0] = gndi_array_of_numbers(&s, n, different, given.real);
        if (n >= 0 && multiplicity) made[1] = gndi_array_of_int64(&s, n, times);
    }
    if (s.failed) gnd_release(made[0]), gnd_release(made[1]);
    if (!s.failed && roots) *roots = made[0];
    if (!s.failed && multiplicity) *multiplicity = made[1];
    return gndi_scratch_end(&s);
}

/* ---- residues ------------------------------------------------------------------------------- */

typedef struct poly {
    int64_t n;
    gndi_complex *c; /* the highest power first */
} poly;

/* u = quotient v + remainder, both scratch; leading remainders up to 1e-8 are dropped, as numpy.polydiv does. */
static bool divide(gndi_scratch *s, poly u, poly v, poly *quotient, poly *remainder) {
    const int64_t steps = gndi_max(u.n - v.n + 1, 0);
    *quotient = (poly){steps, gndi_scratch_complex(s, steps)};
    *remainder = (poly){u.n, gndi_scratch_complex(s, u.n)};
    if (s->failed) return false;
    memcpy(remainder->c, u.c, (size_t)u.n * sizeof(*u.c));
    for (int64_t k = 0; k < steps; k++) {
        quotient->c[k] = remainder->c[k] / v.c[0];
        for (int64_t j = 0; j < v.n; j++) remainder->c[k + j] -= quotient->c[k] * v.c[j];
    }
    while (remainder->n > 1 && cabs(remainder->c[0]) <= 1e-8) remainder->n--, remainder->c++;
    return true;
}

/* p over x - root in place; returns the remainder, p(root). One coefficient is left at least. */
static gndi_complex divide_by_root(poly *p, gndi_complex root) {
    for (int64_t i = 1; i < p->n; i++) p->c[i] += root * p->c[i - 1];
    const gndi_complex rest = p->c[p->n - 1];
    if (p->n > 1)
        p->n--;
    else
        p->c[0] = 0;
    return rest;
}

/* to -= factor * by, aligned at the constant; `to` has room for by's length. */
static void subtract(poly *to, gndi_complex factor, poly by) {
    if (by.n > to->n) {
        memmove(to->c + (by.n - to->n), to->c, (size_t)to->n * sizeof(*to->c));
        memset(to->c, 0, (size_t)(by.n - to->n) * sizeof(*to->c));
        to->n = by.n;
    }
    for (int64_t i = 0; i < by.n; i++) to->c[to->n - by.n + i] -= factor * by.c[i];
}

/* The product of (x - poles[j])^times[j] over all j but `without`. */
static poly product_without(int64_t count, const gndi_complex *poles, const int64_t *times, int64_t without,
                            gndi_complex *storage) {
    poly p = {1, storage};
    storage[0] = 1;
    for (int64_t j = 0; j < count; j++)
        for (int64_t k = 0; j != without && k < times[j]; k++, p.n++) {
            storage[p.n] = -poles[j] * storage[p.n - 1];
            for (int64_t i = p.n - 1; i > 0; i--) storage[i] -= poles[j] * storage[i - 1];
        }
    return p;
}

/* Residues of numerator / prod (x - poles)^times, of rising powers for each pole. */
static bool residues_of(gndi_scratch *s, int64_t count, const gndi_complex *poles, const int64_t *times, poly numerator,
                        int64_t degree, gndi_complex *out) {
    gndi_complex *storage = gndi_scratch_complex(s, degree + 1),
                 *work = gndi_scratch_complex(s, numerator.n + degree + 1);
    if (s->failed) return false;
    for (int64_t j = 0; j < count; j++) {
        poly factor = product_without(count, poles, times, j, storage);
        if (times[j] == 1) {
            *out++ =
                gndi_poly_value(numerator.n, numerator.c, poles[j]) / gndi_poly_value(factor.n, factor.c, poles[j]);
            continue;
        }
        poly rest = {numerator.n, work};
        memcpy(work, numerator.c, (size_t)numerator.n * sizeof(*work));
        const gndi_complex below = divide_by_root(&factor, poles[j]);
        for (int64_t k = times[j] - 1; k >= 0; k--) { /* the highest power comes first */
            const gndi_complex r = divide_by_root(&rest, poles[j]) / below;
            subtract(&rest, r, factor);
            out[k] = r;
        }
        out += times[j];
    }
    return true;
}

typedef struct root {
    gndi_complex at;
    int64_t times, index;
} root;

static int by_size(const void *a, const void *b) {
    const root *x = a, *y = b;
    const double u = cabs(x->at), v = cabs(y->at);
    if (u != v) return u < v ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Sorts roots by their absolute value, stably. */
static bool sort_roots(gndi_scratch *s, int64_t n, gndi_complex *roots, int64_t *times) {
    root *list = gndi_scratch_get(s, n, sizeof(root));
    if (!list) return false;
    for (int64_t i = 0; i < n; i++) list[i] = (root){roots[i], times[i], i};
    qsort(list, (size_t)n, sizeof(*list), by_size);
    for (int64_t i = 0; i < n; i++) roots[i] = list[i].at, times[i] = list[i].times;
    return true;
}

static void reverse(poly p) {
    for (int64_t i = 0, j = p.n - 1; i < j; i++, j--) {
        const gndi_complex t = p.c[i];
        p.c[i] = p.c[j], p.c[j] = t;
    }
}

/* In the polynomials' own order: highest power first, or lowest if `inverse`. */
static bool expand(gndi_scratch *s, poly b, poly a, double tol, gnd_root_type type, bool inverse, poly *r, poly *p,
                   poly *k) {
    while (b.n > 0 && b.c[inverse ? b.n - 1 : 0] == 0) b.n--, b.c += !inverse;
    while (a.n > 0 && a.c[inverse ? a.n - 1 : 0] == 0) a.n--, a.c += !inverse;
    if (a.n == 0 || a.c[0] == 0)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the denominator must begin with a number that is not zero");
    const int64_t degree = a.n - 1;
    gndi_complex *poles = gndi_scratch_complex(s, degree), *different = gndi_scratch_complex(s, degree);
    int64_t *times = gndi_scratch_get(s, degree, sizeof(int64_t));
    *r = (poly){degree, gndi_scratch_complex(s, degree)}, *p = (poly){degree, gndi_scratch_complex(s, degree)};
    *k = (poly){0, NULL};
    bool real = true;
    for (int64_t i = 0; i < a.n; i++) real &= cimag(a.c[i]) == 0;
    if (s->failed || gndi_poly_roots(s, a.n, a.c, real, poles) < 0) return false;
    if (b.n == 0) tol = -1; /* nothing is grouped: the poles alone */
    int64_t count = unique(s, degree, poles, tol, type, different, times);
    if (count < 0 || !sort_roots(s, count, different, times)) return false;
    for (int64_t j = 0, i = 0; j < count; j++)
        for (int64_t e = 0; e < times[j]; e++) p->c[i++] = different[j];
    if (b.n == 0) return true;
    if (inverse) reverse(b), reverse(a);
    if (b.n >= a.n) {
        poly rest;
        if (!divide(s, b, a, k, &rest)) return false;
        b = rest;
    }
    for (int64_t j = 0; inverse && j < count; j++) different[j] = 1 / different[j];
    if (!residues_of(s, count, different, times, b, degree, r->c)) return false;
    for (int64_t j = 0, i = 0; j < count; j++) {
        gndi_complex power = 1;
        for (int64_t e = 0; e < times[j]; e++, i++) {
            power *= inverse ? -p->c[i] : 1;
            r->c[i] *= power / a.c[0];
        }
    }
    if (inverse) reverse(*k);
    return true;
}

static gnd_status residue_front(const char *fn, gnd_array **r, gnd_array **p, gnd_array **k, const gnd_array *b,
                                const gnd_array *a, double tol, gnd_root_type type, bool inverse) {
    gndi_scratch s = {.fn = fn};
    gndi_numbers num, den;
    gnd_array **out[3] = {r, p, k}, *made[3] = {NULL, NULL, NULL};
    for (int i = 0; i < 3; i++)
        if (out[i]) *out[i] = NULL;
    if (check_roots(&s, &tol, type) && gndi_numbers_read(&s, b, "b", &num) && gndi_numbers_read(&s, a, "a", &den)) {
        poly parts[3];
        if (expand(&s, (poly){num.n, num.at}, (poly){den.n, den.at}, tol, type, inverse, parts, parts + 1, parts + 2))
            for (int i = 0; i < 3; i++)
                if (out[i]) made[i] = gndi_array_of_numbers(&s, parts[i].n, parts[i].c, i == 2 && num.real && den.real);
    }
    for (int i = 0; i < 3; i++) {
        if (s.failed)
            gnd_release(made[i]);
        else if (out[i])
            *out[i] = made[i];
    }
    return gndi_scratch_end(&s);
}

gnd_status gnd_residue(gnd_array **r, gnd_array **p, gnd_array **k, const gnd_array *b, const gnd_array *a, double tol,
                       gnd_root_type type) {
    return residue_front("gnd_residue", r, p, k, b, a, tol, type, false);
}

gnd_status gnd_residuez(gnd_array **r, gnd_array **p, gnd_array **k, const gnd_array *b, const gnd_array *a, double tol,
                        gnd_root_type type) {
    return residue_front("gnd_residuez", r, p, k, b, a, tol, type, true);
}

/* ---- back ----------------------------------------------------------------------------------- */

/* num over den = the sum of r[i] / (x - p[i])^e and k; poles next to each other within tol are one. */
static bool combine(gndi_scratch *s, gndi_numbers r, gndi_numbers p, poly k, double tol, bool inverse, poly *num,
                    poly *den) {
    while (k.n > 0 && k.c[inverse ? k.n - 1 : 0] == 0) k.n--, k.c += !inverse;
    if (inverse) reverse(k);
    if (p.n < 1 || r.n > p.n)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "there must be a pole for each residue, not %lld for %lld",
                                 (long long)p.n, (long long)r.n);
    gndi_complex *poles = gndi_scratch_complex(s, p.n), *whole = gndi_scratch_complex(s, p.n + 1);
    gndi_complex *factor = gndi_scratch_complex(s, p.n + 1), *sum = gndi_scratch_complex(s, p.n + k.n + 1);
    int64_t *power = gndi_scratch_get(s, p.n, sizeof(int64_t));
    if (s->failed) return false;
    for (int64_t i = 0; i < p.n; i++) {
        const bool same = i > 0 && cabs(p.at[i] - poles[i - 1]) <= tol;
        poles[i] = same ? poles[i - 1] : p.at[i];
        power[i] = same ? power[i - 1] + 1 : 1;
    }
    gndi_poly_from_roots(p.n, poles, whole);
    *den = (poly){p.n + 1, whole};
    *num = (poly){1, sum};
    if (k.n > 0) {
        poly d = {p.n + 1, factor};
        memcpy(factor, whole, (size_t)d.n * sizeof(*factor));
        if (inverse) reverse(d);
        while (d.n > 1 && d.c[0] == 0) d.n--, d.c++;
        gndi_poly_product(k.n, k.c, d.n, d.c, sum);
        num->n = k.n + d.n - 1;
    }
    for (int64_t i = 0; i < r.n; i++) {
        poly f = {1, factor}; /* all poles, without the last `power` of this one's */
        int64_t start = i - power[i] + 1;
        factor[0] = 1;
        for (int64_t j = 0; j < p.n; j++) {
            if (j >= start && j <= i) continue;
            factor[f.n] = -poles[j] * factor[f.n - 1];
            for (int64_t e = f.n - 1; e > 0; e--) factor[e] -= poles[j] * factor[e - 1];
            f.n++;
        }
        if (inverse) reverse(f);
        subtract(num, -r.at[i], f);
    }
    if (inverse) reverse(*num);
    return true;
}

static gnd_status combine_front(const char *fn, gnd_filter_design *f, const gnd_array *r, const gnd_array *p,
                                const gnd_array *k, double tol, gnd_root_type type, bool inverse) {
    gndi_scratch s = {.fn = fn};
    gndi_numbers residues, poles, direct = {.real = true};
    if (gndi_design_begin(&s, f) && check_roots(&s, &tol, type) && gndi_numbers_read(&s, r, "r", &residues) &&
        gndi_numbers_read(&s, p, "p", &poles) && (!k || gndi_numbers_read(&s, k, "k", &direct))) {
        poly num = {0}, den = {0};
        if (combine(&s, residues, poles, (poly){direct.n, direct.at}, tol, inverse, &num, &den)) {
            f->b = gndi_array_of_numbers(&s, num.n, num.c, residues.real && poles.real && direct.real);
            f->a = gndi_array_of_numbers(&s, den.n, den.c, poles.real);
        }
    }
    return gndi_design_end(&s, f);
}

gnd_status gnd_invres(gnd_filter_design *f, const gnd_array *r, const gnd_array *p, const gnd_array *k, double tol,
                      gnd_root_type type) {
    return combine_front("gnd_invres", f, r, p, k, tol, type, false);
}

gnd_status gnd_invresz(gnd_filter_design *f, const gnd_array *r, const gnd_array *p, const gnd_array *k, double tol,
                       gnd_root_type type) {
    return combine_front("gnd_invresz", f, r, p, k, tol, type, true);
}
