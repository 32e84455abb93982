/*
 * state_space.c: linear systems of coefficients, and back (scipy.signal.tf2ss, ss2tf, zpk2ss, ss2zpk).
 */
#include "filter_design/design.h"
#include <math.h>
#include <string.h>

void gnd_state_space_release(gnd_state_space *system) {
    if (!system) return;
    gnd_array *parts[] = {system->a, system->b, system->c, system->d};
    for (int i = 0; i < 4; i++) gnd_release(parts[i]);
    memset(system, 0, sizeof(*system));
}

static bool begin(gndi_scratch *s, gnd_state_space *system) {
    if (system) return memset(system, 0, sizeof(*system)), true;
    gndi_raise_null(s->fn, "system");
    return s->failed = true, false;
}

static gnd_status end(gndi_scratch *s, gnd_state_space *system) {
    const gnd_status status = gndi_scratch_end(s);
    if (status && system) gnd_state_space_release(system);
    return status;
}

/* ---- from coefficients ---------------------------------------------------------------------- */

bool gndi_matrices_of_ba(gndi_scratch *s, int64_t rows, int64_t n, gndi_complex *num, int64_t m, gndi_complex *den,
                         gndi_matrices *out) {
    if (!gndi_normalize_ba(s, rows, &n, num, &m, den)) return false;
    if (n > m)
        return gndi_scratch_fail(s, GND_ERROR_VALUE,
                                 "the numerator must not be longer than the denominator: %lld and %lld", (long long)n,
                                 (long long)m);
    const int64_t order = gndi_max(m - 1, 1); /* a constant has a state that does nothing */
    double *a = gndi_scratch_doubles(s, order * order), *b = gndi_scratch_doubles(s, order);
    double *c = gndi_scratch_doubles(s, rows * order), *d = gndi_scratch_doubles(s, rows);
    if (s->failed) return false;
    for (int64_t j = 0; j < m - 1; j++) a[j] = -creal(den[j + 1]);
    for (int64_t i = 1; i < m - 1; i++) a[i * order + i - 1] = 1;
    b[0] = m > 1;
    for (int64_t row = 0; row < rows; row++) {
        const gndi_complex *top = num + row * n;
        d[row] = n == m ? creal(top[0]) : 0;
        for (int64_t j = 1; j < m; j++)
            c[row * order + j - 1] = (j >= m - n ? creal(top[j - (m - n)]) : 0) - d[row] * creal(den[j]);
    }
    *out = (gndi_matrices){order, 1, rows, a, b, c, d};
    return true;
}

bool gndi_matrices_of_zpk(gndi_scratch *s, const gndi_zpk *f, gndi_matrices *out) {
    if (!(gndi_poly_conjugate(s, f->nz, f->z) && gndi_poly_conjugate(s, f->np, f->p)))
        return !s->failed &&
               gndi_scratch_fail(s, GND_ERROR_VALUE, "zeros and poles that are not real must come in conjugate pairs");
    gndi_complex *b = gndi_scratch_complex(s, f->nz + 1), *a = gndi_scratch_complex(s, f->np + 1);
    if (s->failed) return false;
    gndi_zpk_to_ba(f, b, a);
    return gndi_matrices_of_ba(s, 1, f->nz + 1, b, f->np + 1, a, out);
}

void gndi_matrices_give(gndi_scratch *s, const gndi_matrices *m, gnd_state_space *out) {
    out->a = gndi_matrix_of_doubles(s, m->states, m->states, m->a);
    out->b = gndi_matrix_of_doubles(s, m->states, m->inputs, m->b);
    out->c = gndi_matrix_of_doubles(s, m->outputs, m->states, m->c);
    out->d = gndi_matrix_of_doubles(s, m->outputs, m->inputs, m->d);
}

bool gndi_ba_read(gndi_scratch *s, const gnd_array *num, const gnd_array *den, gndi_numbers *b, gndi_numbers *a,
                  int64_t *rows) {
    if (!gndi_numbers_read_any(s, num, "num", b) || !gndi_numbers_read(s, den, "den", a)) return false;
    *rows = num->ndim == 2 ? num->shape[0] : 1;
    if (num->ndim > 2)
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "num must have up to two dimensions, not %d", num->ndim);
    if (!b->real || !a->real) return gndi_scratch_fail(s, GND_ERROR_DTYPE, "the coefficients must be real");
    if (b->n == 0 || a->n == 0) return gndi_scratch_fail(s, GND_ERROR_VALUE, "a filter has at least one coefficient");
    return true;
}

gnd_status gnd_tf2ss(gnd_state_space *system, const gnd_array *num, const gnd_array *den) {
    gndi_scratch s = {.fn = "gnd_tf2ss"};
    gndi_numbers b, a;
    gndi_matrices m;
    int64_t rows;
    if (begin(&s, system) && gndi_ba_read(&s, num, den, &b, &a, &rows) &&
        gndi_matrices_of_ba(&s, rows, b.n / rows, b.at, a.n, a.at, &m))
        gndi_matrices_give(&s, &m, system);
    return end(&s, system);
}

gnd_status gnd_zpk2ss(gnd_state_space *system, const gnd_array *z, const gnd_array *p, double k) {
    gndi_scratch s = {.fn = "gnd_zpk2ss"};
    gndi_matrices m;
    const gndi_zpk *f = begin(&s, system) ? gndi_zpk_read(&s, z, p, k) : NULL;
    if (f && gndi_matrices_of_zpk(&s, f, &m)) gndi_matrices_give(&s, &m, system);
    return end(&s, system);
}

/* ---- back ----------------------------------------------------------------------------------- */

static bool read_matrix(gndi_scratch *s, const gnd_array *m, const char *name, double **out) {
    int64_t n;
    if (!gndi_doubles_read_any(s, m, name, &n, out)) return false;
    if (m->ndim == 2) return true;
    return gndi_scratch_fail(s, GND_ERROR_SHAPE, "%s must be a matrix, and is %s", name, gndi_text_array(m));
}

static bool read_system(gndi_scratch *s, const gnd_state_space *g, int input, gndi_matrices *m) {
    if (s->failed) return false;
    if (!g) return gndi_raise_null(s->fn, "system"), s->failed = true, false;
    if (!read_matrix(s, g->a, "system.a", &m->a) || !read_matrix(s, g->b, "system.b", &m->b) ||
        !read_matrix(s, g->c, "system.c", &m->c) || !read_matrix(s, g->d, "system.d", &m->d))
        return false;
    m->states = g->a->shape[0], m->inputs = g->d->shape[1], m->outputs = g->d->shape[0];
    if (g->a->shape[1] != m->states || g->b->shape[0] != m->states || g->b->shape[1] != m->inputs ||
        g->c->shape[0] != m->outputs || g->c->shape[1] != m->states)
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "the shapes of the system's matrices do not fit: %s, %s, %s, %s",
                                 gndi_text_array(g->a), gndi_text_array(g->b), gndi_text_array(g->c),
                                 gndi_text_array(g->d));
    return gndi_input_check(s, m, input);
}

bool gndi_input_check(gndi_scratch *s, const gndi_matrices *m, int64_t input) {
    if (input >= 0 && input < m->inputs) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "the system has inputs 0 to %lld, and not %lld",
                             (long long)m->inputs - 1, (long long)input);
}

bool gndi_matrices_to_ba(gndi_scratch *s, const gndi_matrices *m, int64_t input, gndi_complex *b, gndi_complex *a) {
    const int64_t n = m->states;
    gndi_complex *whole = gndi_scratch_complex(s, n * n);
    if (!whole) return false;
    for (int64_t i = 0; i < n * n; i++) whole[i] = m->a[i];
    if (!gndi_poly_of_matrix(s, n, whole, true, a)) return false;
    for (int64_t row = 0; row < m->outputs; row++) {
        gndi_complex *out = b + row * (n + 1);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++)
                whole[i * n + j] = m->a[i * n + j] - m->b[i * m->inputs + input] * m->c[row * n + j];
        if (!gndi_poly_of_matrix(s, n, whole, true, out)) return false;
        for (int64_t i = 0; i <= n; i++) out[i] += (m->d[row * m->inputs + input] - 1) * a[i];
    }
    return true;
}

gnd_status gnd_ss2tf(gnd_filter_design *f, const gnd_state_space *system, int input) {
    gndi_scratch s = {.fn = "gnd_ss2tf"};
    gndi_matrices m;
    if (gndi_design_begin(&s, f) && read_system(&s, system, input, &m)) {
        const int64_t n = m.states + 1;
        gndi_complex *b = gndi_scratch_complex(&s, m.outputs * n), *a = gndi_scratch_complex(&s, n);
        double *reals = gndi_scratch_doubles(&s, m.outputs * n);
        if (!s.failed && gndi_matrices_to_ba(&s, &m, input, b, a)) {
            for (int64_t i = 0; i < m.outputs * n; i++) reals[i] = creal(b[i]);
            f->b = gndi_matrix_of_doubles(&s, m.outputs, n, reals);
            f->a = gndi_array_of_numbers(&s, n, a, true);
        }
    }
    return gndi_design_end(&s, f);
}

bool gndi_matrices_to_zpk(gndi_scratch *s, const gndi_matrices *m, int64_t input, gndi_zpk *out) {
    if (m->outputs != 1)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the system must have one output, not %lld",
                                 (long long)m->outputs);
    const int64_t n = m->states + 1;
    gndi_complex *b = gndi_scratch_complex(s, n), *a = gndi_scratch_complex(s, n);
    return !s->failed && gndi_matrices_to_ba(s, m, input, b, a) && gndi_zpk_from_ba(s, n, b, n, a, out);
}

gnd_status gnd_ss2zpk(gnd_filter_design *f, const gnd_state_space *system, int input) {
    gndi_scratch s = {.fn = "gnd_ss2zpk"};
    gndi_matrices m;
    if (gndi_design_begin(&s, f) && read_system(&s, system, input, &m)) {
        gndi_zpk *zpk = gndi_scratch_get(&s, 1, sizeof(*zpk));
        if (zpk && gndi_matrices_to_zpk(&s, &m, input, zpk)) gndi_design_zpk(&s, zpk, f);
    }
    return gndi_design_end(&s, f);
}
