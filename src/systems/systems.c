/*
 * systems.c: linear systems as objects, in one of three forms, and between the forms
 * (scipy.signal.lti, dlti, TransferFunction, ZerosPolesGain, StateSpace).
 */
#include "systems/systems.h"
#include "elementwise/elementwise.h"
#include <math.h>
#include <string.h>

bool gndi_system_given(gndi_scratch *s, const gnd_system *system, const char *name) {
    if (s->failed) return false;
    if (system) return true;
    gndi_raise_null(s->fn, name);
    return s->failed = true, false;
}

void gndi_results_begin(int count, gnd_array **results[]) {
    for (int i = 0; i < count; i++)
        if (results[i]) *results[i] = NULL;
}

gnd_status gndi_results_end(gndi_scratch *s, int count, gnd_array **results[]) {
    const gnd_status status = gndi_scratch_end(s);
    for (int i = 0; status && i < count; i++) {
        if (!results[i]) continue;
        gnd_release(*results[i]);
        *results[i] = NULL;
    }
    return status;
}

static bool time_fits(gndi_scratch *s, double dt) {
    if (s->failed) return false;
    if (dt >= 0 && isfinite(dt)) return true;
    return gndi_scratch_fail(s, GND_ERROR_VALUE, "dt must be 0, of a continuous system, or positive, not %g", dt);
}

/* ---- objects -------------------------------------------------------------------------------- */

/* Copies numbers to the block at *at, which moves on. */
static void *moved(char **at, const void *from, int64_t count, size_t size) {
    void *to = *at;
    if (count) memcpy(to, from, (size_t)count * size);
    *at += (size_t)count * size;
    return to;
}

static void copy_all(const gnd_system *x, gnd_system *to, char *at) {
    const gndi_matrices *m = &x->m;
    const size_t c = sizeof(gndi_complex), d = sizeof(double);
    to->num = moved(&at, x->num, x->rows * x->nb, c);
    to->den = moved(&at, x->den, x->na, c);
    to->z = moved(&at, x->z, x->nz, c);
    to->p = moved(&at, x->p, x->np, c);
    to->m.a = moved(&at, m->a, m->states * m->states, d);
    to->m.b = moved(&at, m->b, m->states * m->inputs, d);
    to->m.c = moved(&at, m->c, m->outputs * m->states, d);
    to->m.d = moved(&at, m->d, m->outputs * m->inputs, d);
}

gnd_system *gndi_system_new(gndi_scratch *s, const gnd_system *x) {
    const size_t head = (sizeof(*x) + 15) / 16 * 16;
    gnd_system *made = NULL;
    if (!s->failed) {
        const gndi_matrices *m = &x->m;
        const int64_t complex_numbers = x->rows * x->nb + x->na + x->nz + x->np;
        const int64_t doubles = (m->states + m->outputs) * (m->states + m->inputs);
        made = gndi_calloc(s->fn,
                           head + (size_t)complex_numbers * sizeof(gndi_complex) + (size_t)doubles * sizeof(double));
        s->failed = !made;
    }
    if (made) {
        *made = *x;
        copy_all(x, made, (char *)made + head);
    }
    gndi_scratch_end(s);
    return made;
}

void gnd_system_release(gnd_system *system) {
    gndi_free(system);
}

gnd_system_info gnd_system_info_of(const gnd_system *system) {
    gnd_system_info info = {0};
    if (!system) return gndi_raise_null("gnd_system_info_of", "system"), info;
    info.form = system->form, info.dt = system->dt;
    info.inputs = info.outputs = 1;
    switch (system->form) {
    case GND_TRANSFER_FUNCTION: info.outputs = system->rows, info.states = gndi_max(system->na - 1, 1); break;
    case GND_ZEROS_POLES_GAIN: info.states = gndi_max(system->np, 1); break;
    case GND_STATE_SPACE:
        info.states = system->m.states, info.inputs = system->m.inputs, info.outputs = system->m.outputs;
    }
    return info;
}

/* ---- from arrays ---------------------------------------------------------------------------- */

gnd_system *gnd_system_from_tf(const gnd_array *num, const gnd_array *den, double dt) {
    gndi_scratch s = {.fn = "gnd_system_from_tf"};
    gnd_system system = {.form = GND_TRANSFER_FUNCTION, .dt = dt};
    gndi_numbers b, a;
    if (time_fits(&s, dt) && gndi_ba_read(&s, num, den, &b, &a, &system.rows)) {
        system.nb = b.n / system.rows, system.na = a.n;
        system.num = b.at, system.den = a.at;
        gndi_normalize_ba(&s, system.rows, &system.nb, system.num, &system.na, system.den);
    }
    return gndi_system_new(&s, &system);
}

gnd_system *gnd_system_from_zpk(const gnd_array *z, const gnd_array *p, double k, double dt) {
    gndi_scratch s = {.fn = "gnd_system_from_zpk"};
    gnd_system system = {.form = GND_ZEROS_POLES_GAIN, .dt = dt, .k = k};
    gndi_zpk *f = time_fits(&s, dt) ? gndi_zpk_read(&s, z, p, k) : NULL;
    if (f) system.nz = f->nz, system.np = f->np, system.z = f->z, system.p = f->p;
    s.failed |= !f;
    return gndi_system_new(&s, &system);
}

/* A matrix of scipy.signal.abcd_normalize on the host: of one dimension a row; none, or one without elements: zeros of
   the size that the others have. */
typedef struct part {
    int64_t rows, columns;
    gndi_numbers numbers;
} part;

static bool read_part(gndi_scratch *s, const gnd_array *array, const char *name, part *out) {
    *out = (part){.numbers = {.real = true}};
    if (!array) return !s->failed;
    if (!gndi_numbers_read_any(s, array, name, &out->numbers)) return false;
    if (array->ndim > 2)
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "%s must be a matrix, and is %s", name, gndi_text_array(array));
    out->rows = array->ndim == 2 ? array->shape[0] : 1;
    out->columns = array->ndim ? array->shape[array->ndim - 1] : 1;
    return true;
}

static bool fit_part(gndi_scratch *s, part *p, const char *name, int64_t rows, int64_t columns) {
    if (s->failed) return false;
    if (p->numbers.n == 0) {
        p->rows = rows, p->columns = columns;
        p->numbers.n = rows * columns;
        p->numbers.at = gndi_scratch_complex(s, p->numbers.n);
        return !s->failed;
    }
    if (p->rows == rows && p->columns == columns) return true;
    return gndi_scratch_fail(s, GND_ERROR_SHAPE, "%s is %lld x %lld, and must be %lld x %lld by the other matrices",
                             name, (long long)p->rows, (long long)p->columns, (long long)rows, (long long)columns);
}

/* The first one that is not 0. */
static int64_t first_of(int64_t a, int64_t b, int64_t c) {
    return a ? a : b ? b : c;
}

/* All four; `gain`: d may stand alone, for a system without states. */
static bool read_parts(gndi_scratch *s, const gnd_array *a, const gnd_array *b, const gnd_array *c, const gnd_array *d,
                       bool gain, part m[4]) {
    if (s->failed) return false;
    if (!a && !b && !c && !(gain && d))
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "without a, b and c the number of states is undefined");
    if (!b && !d) return gndi_scratch_fail(s, GND_ERROR_INVALID, "without b and d the number of inputs is undefined");
    if (!c && !d) return gndi_scratch_fail(s, GND_ERROR_INVALID, "without c and d the number of outputs is undefined");
    if (!read_part(s, a, "a", m) || !read_part(s, b, "b", m + 1) || !read_part(s, c, "c", m + 2) ||
        !read_part(s, d, "d", m + 3))
        return false;
    const int64_t states = first_of(m[0].rows, m[1].rows, m[2].columns);
    const int64_t inputs = first_of(m[1].columns, m[3].columns, 0), outputs = first_of(m[2].rows, m[3].rows, 0);
    return fit_part(s, m, "a", states, states) && fit_part(s, m + 1, "b", states, inputs) &&
           fit_part(s, m + 2, "c", outputs, states) && fit_part(s, m + 3, "d", outputs, inputs);
}

gnd_status gnd_abcd_normalize(gnd_state_space *system, const gnd_array *a, const gnd_array *b, const gnd_array *c,
                              const gnd_array *d) {
    gndi_scratch s = {.fn = "gnd_abcd_normalize"};
    part m[4];
    if (!system) return gndi_raise_null(s.fn, "system");
    memset(system, 0, sizeof(*system));
    if (read_parts(&s, a, b, c, d, false, m)) {
        bool real = true;
        for (int i = 0; i < 4; i++) real &= m[i].numbers.real;
        gnd_array **out[] = {&system->a, &system->b, &system->c, &system->d};
        for (int i = 0; i < 4; i++) {
            const gnd_shape shape = {.ndim = 2, .dim = {m[i].rows, m[i].columns}};
            double *reals = real ? gndi_scratch_doubles(&s, m[i].numbers.n) : NULL;
            for (int64_t k = 0; reals && k < m[i].numbers.n; k++) reals[k] = creal(m[i].numbers.at[k]);
            *out[i] = reals ? gndi_array_shaped(&s, &shape, reals, GND_FLOAT64)
                            : gndi_array_shaped(&s, &shape, m[i].numbers.at, GND_COMPLEX128);
        }
    }
    const gnd_status status = gndi_scratch_end(&s);
    if (status) gnd_state_space_release(system);
    return status;
}

gnd_system *gnd_system_from_ss(const gnd_array *a, const gnd_array *b, const gnd_array *c, const gnd_array *d,
                               double dt) {
    gndi_scratch s = {.fn = "gnd_system_from_ss"};
    gnd_system system = {.form = GND_STATE_SPACE, .dt = dt};
    part m[4];
    if (time_fits(&s, dt) && read_parts(&s, a, b, c, d, true, m)) {
        gndi_matrices_make(&s, m[0].rows, m[3].columns, m[3].rows, &system.m);
        double *const to[] = {system.m.a, system.m.b, system.m.c, system.m.d};
        for (int i = 0; i < 4 && !s.failed; i++) {
            if (!m[i].numbers.real)
                gndi_scratch_fail(&s, GND_ERROR_DTYPE, "the matrices of a system must be real, and %c is complex",
                                  "abcd"[i]);
            for (int64_t k = 0; !s.failed && k < m[i].numbers.n; k++) to[i][k] = creal(m[i].numbers.at[k]);
        }
    }
    return gndi_system_new(&s, &system);
}

bool gndi_matrices_make(gndi_scratch *s, int64_t states, int64_t inputs, int64_t outputs, gndi_matrices *m) {
    *m = (gndi_matrices){states,
                         inputs,
                         outputs,
                         gndi_scratch_doubles(s, states * states),
                         gndi_scratch_doubles(s, states * inputs),
                         gndi_scratch_doubles(s, outputs * states),
                         gndi_scratch_doubles(s, outputs * inputs)};
    return !s->failed;
}

/* ---- other forms ---------------------------------------------------------------------------- */

gndi_zpk *gndi_system_roots(gndi_scratch *s, const gnd_system *x) {
    gndi_zpk *f = gndi_scratch_get(s, 1, sizeof(*f));
    if (!f) return NULL;
    f->nz = x->nz, f->np = x->np, f->k = x->k;
    memcpy(f->z, x->z, (size_t)x->nz * sizeof(*f->z));
    memcpy(f->p, x->p, (size_t)x->np * sizeof(*f->p));
    return f;
}

/* Coefficients in scratch memory, not normalized. */
static bool to_coefficients(gndi_scratch *s, const gnd_system *x, int64_t input, gnd_system *out) {
    if (x->form == GND_STATE_SPACE) {
        const gndi_matrices *m = &x->m;
        out->rows = m->outputs, out->nb = out->na = m->states + 1;
        out->num = gndi_scratch_complex(s, out->rows * out->nb), out->den = gndi_scratch_complex(s, out->na);
        return !s->failed && gndi_input_check(s, m, input) && gndi_matrices_to_ba(s, m, input, out->num, out->den);
    }
    out->rows = x->form == GND_ZEROS_POLES_GAIN ? 1 : x->rows;
    out->nb = x->form == GND_ZEROS_POLES_GAIN ? x->nz + 1 : x->nb;
    out->na = x->form == GND_ZEROS_POLES_GAIN ? x->np + 1 : x->na;
    out->num = gndi_scratch_complex(s, out->rows * out->nb), out->den = gndi_scratch_complex(s, out->na);
    if (s->failed) return false;
    if (x->form == GND_TRANSFER_FUNCTION) {
        memcpy(out->num, x->num, (size_t)(x->rows * x->nb) * sizeof(*x->num));
        memcpy(out->den, x->den, (size_t)x->na * sizeof(*x->den));
        return true;
    }
    const gndi_zpk *f = gndi_system_roots(s, x);
    if (!f) return false;
    if (!(gndi_poly_conjugate(s, f->nz, f->z) && gndi_poly_conjugate(s, f->np, f->p)))
        return !s->failed &&
               gndi_scratch_fail(s, GND_ERROR_VALUE, "zeros and poles that are not real must come in conjugate pairs");
    gndi_zpk_to_ba(f, out->num, out->den);
    return true;
}

static bool to_roots(gndi_scratch *s, const gnd_system *x, int64_t input, gnd_system *out) {
    gnd_system ba = {0};
    gndi_zpk *f = gndi_scratch_get(s, 1, sizeof(*f));
    if (!f || !to_coefficients(s, x, input, &ba)) return false;
    if (ba.rows != 1)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the system must have one output, not %lld", (long long)ba.rows);
    if (!gndi_zpk_from_ba(s, ba.nb, ba.num, ba.na, ba.den, f)) return false;
    out->nz = f->nz, out->np = f->np, out->z = f->z, out->p = f->p, out->k = f->k;
    return true;
}

bool gndi_system_as(gndi_scratch *s, const gnd_system *x, gnd_system_form form, int64_t input, gnd_system *out) {
    if (!gndi_system_given(s, x, "system")) return false;
    *out = *x;
    if (form == x->form) return true;
    *out = (gnd_system){.form = form, .dt = x->dt};
    gnd_system ba = {0};
    switch (form) {
    case GND_TRANSFER_FUNCTION:
        return to_coefficients(s, x, input, out) &&
               gndi_normalize_ba(s, out->rows, &out->nb, out->num, &out->na, out->den);
    case GND_ZEROS_POLES_GAIN: return to_roots(s, x, input, out);
    case GND_STATE_SPACE:
        return to_coefficients(s, x, input, &ba) &&
               gndi_matrices_of_ba(s, ba.rows, ba.nb, ba.num, ba.na, ba.den, &out->m);
    }
    return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no form %d of a system", (int)form);
}

bool gndi_system_of_time(gndi_scratch *s, const gnd_system *x, bool discrete, gnd_system_form form, gnd_system *out) {
    if (!gndi_system_given(s, x, "system")) return false;
    if (discrete && x->dt == 0) return gndi_scratch_fail(s, GND_ERROR_INVALID, "the system must be discrete (dt > 0)");
    if (!discrete && x->dt != 0)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "the system must be continuous, and has dt %g", x->dt);
    return gndi_system_as(s, x, form, 0, out);
}

gnd_system *gnd_system_as(const gnd_system *system, gnd_system_form form, int input) {
    gndi_scratch s = {.fn = "gnd_system_as"};
    gnd_system out = {0};
    gndi_system_as(&s, system, form, input, &out);
    return gndi_system_new(&s, &out);
}

gnd_status gnd_system_tf(gnd_filter_design *f, const gnd_system *system) {
    gndi_scratch s = {.fn = "gnd_system_tf"};
    gnd_system x;
    if (gndi_design_begin(&s, f) && gndi_system_as(&s, system, GND_TRANSFER_FUNCTION, 0, &x)) {
        f->b = gndi_array_of_rows(&s, x.rows, x.nb, x.num, true);
        f->a = gndi_array_of_numbers(&s, x.na, x.den, true);
    }
    return gndi_design_end(&s, f);
}

gnd_status gnd_system_zpk(gnd_filter_design *f, const gnd_system *system) {
    gndi_scratch s = {.fn = "gnd_system_zpk"};
    gnd_system x;
    if (gndi_design_begin(&s, f) && gndi_system_as(&s, system, GND_ZEROS_POLES_GAIN, 0, &x)) {
        f->z = gndi_array_of_complex(&s, x.nz, x.z);
        f->p = gndi_array_of_complex(&s, x.np, x.p);
        f->k = x.k;
    }
    return gndi_design_end(&s, f);
}

gnd_status gnd_system_ss(gnd_state_space *out, const gnd_system *system) {
    gndi_scratch s = {.fn = "gnd_system_ss"};
    gnd_system x;
    if (!out) return gndi_raise_null(s.fn, "out");
    memset(out, 0, sizeof(*out));
    if (gndi_system_as(&s, system, GND_STATE_SPACE, 0, &x)) gndi_matrices_give(&s, &x.m, out);
    const gnd_status status = gndi_scratch_end(&s);
    if (status) gnd_state_space_release(out);
    return status;
}
