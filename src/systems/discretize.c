/*
 * discretize.c: continuous systems as discrete ones (scipy.signal.cont2discrete), and systems beside and behind each
 * other.
 */
#include "systems/systems.h"
#include <math.h>

/* ---- with exponentials ---------------------------------------------------------------------- */

/* Copies a block of doubles, times a factor, into a complex matrix with `width` columns. */
static void put_block(const double *block, int64_t rows, int64_t columns, double factor, gndi_complex *to,
                      int64_t width) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) to[i * width + j] = factor * block[i * columns + j];
}

bool gndi_hold_matrices(gndi_scratch *s, const gndi_matrices *m, double dt, int order, double *ad, double *b0,
                        double *b1) {
    const int64_t n = m->states, k = m->inputs, size = n + (order + 1) * k;
    gndi_complex *e = gndi_scratch_complex(s, size * size);
    if (!e) return false;
    put_block(m->a, n, n, dt, e, size);
    put_block(m->b, n, k, dt, e + n, size);
    for (int64_t i = 0; order && i < k; i++) e[(n + i) * size + n + k + i] = 1;
    if (!gndi_host_exponential(s, size, e)) return false;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) ad[i * n + j] = creal(e[i * size + j]);
        for (int64_t j = 0; j < k; j++) {
            b0[i * k + j] = creal(e[i * size + n + j]);
            if (order) b1[i * k + j] = creal(e[i * size + n + k + j]);
        }
    }
    return true;
}

/* to (rows x columns) += a (rows x inner) b, in doubles. */
static void add_product(int64_t rows, int64_t inner, int64_t columns, const double *a, const double *b, double *to) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < inner; k++)
            for (int64_t j = 0; j < columns; j++) to[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

static bool first_order_hold(gndi_scratch *s, const gndi_matrices *m, double dt, gndi_matrices *out) {
    double *ramp = gndi_scratch_doubles(s, m->states * m->inputs);
    if (s->failed || !gndi_hold_matrices(s, m, dt, 1, out->a, out->b, ramp)) return false;
    for (int64_t i = 0; i < m->states * m->inputs; i++) out->b[i] -= ramp[i];
    add_product(m->states, m->states, m->inputs, out->a, ramp, out->b);
    add_product(m->outputs, m->states, m->inputs, m->c, ramp, out->d);
    return true;
}

static bool impulses(gndi_scratch *s, const gndi_matrices *m, double dt, gndi_matrices *out) {
    double *input = gndi_scratch_doubles(s, m->states * m->inputs);
    if (s->failed) return false;
    for (int64_t i = 0; i < m->outputs * m->inputs; i++)
        if (!(fabs(m->d[i]) <= 1e-8))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "an impulse response can be sampled only where d is 0");
    if (!gndi_hold_matrices(s, m, dt, 0, out->a, out->b, NULL)) return false;
    for (int64_t i = 0; i < m->states * m->inputs; i++) input[i] = m->b[i] * dt, out->b[i] = 0;
    for (int64_t i = 0; i < m->outputs * m->inputs; i++) out->d[i] = 0;
    add_product(m->states, m->states, m->inputs, out->a, input, out->b);
    add_product(m->outputs, m->states, m->inputs, m->c, input, out->d);
    return true;
}

/* ---- with quotients ------------------------------------------------------------------------- */

static bool quotients(gndi_scratch *s, const gndi_matrices *m, double dt, double alpha, gndi_matrices *out) {
    const int64_t n = m->states, k = m->inputs, width = n + k;
    if (!(alpha >= 0 && alpha <= 1))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "alpha must be between 0 and 1, and is %g", alpha);
    gndi_complex *i_ma = gndi_scratch_complex(s, n * n), *turned = gndi_scratch_complex(s, n * n);
    gndi_complex *right = gndi_scratch_complex(s, n * width), *c = gndi_scratch_complex(s, n * m->outputs);
    if (s->failed) return false;
    for (int64_t i = 0; i < n * n; i++) i_ma[i] = (double)(i % (n + 1) == 0) - alpha * dt * m->a[i];
    gndi_host_transpose(n, n, i_ma, false, turned);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) right[i * width + j] = (double)(i == j) + (1 - alpha) * dt * m->a[i * n + j];
        for (int64_t j = 0; j < k; j++) right[i * width + n + j] = dt * m->b[i * k + j];
        for (int64_t j = 0; j < m->outputs; j++) c[i * m->outputs + j] = m->c[j * n + i];
    }
    if (!gndi_host_solve(n, i_ma, width, right) || !gndi_host_solve(n, turned, m->outputs, c))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "1 - alpha dt a is singular, with alpha %g and dt %g", alpha, dt);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) out->a[i * n + j] = creal(right[i * width + j]);
        for (int64_t j = 0; j < k; j++) out->b[i * k + j] = creal(right[i * width + n + j]);
        for (int64_t j = 0; j < m->outputs; j++) out->c[j * n + i] = creal(c[i * m->outputs + j]);
    }
    for (int64_t i = 0; i < m->outputs; i++)
        for (int64_t j = 0; j < k; j++)
            for (int64_t l = 0; l < n; l++) out->d[i * k + j] += alpha * m->c[i * n + l] * out->b[l * k + j];
    return true;
}

/* ---- the function --------------------------------------------------------------------------- */

static bool discretize(gndi_scratch *s, const gndi_matrices *m, double dt, gnd_discretization method, double alpha,
                       gndi_matrices *out) {
    if (!gndi_matrices_make(s, m->states, m->inputs, m->outputs, out)) return false;
    for (int64_t i = 0; i < m->outputs * m->states; i++) out->c[i] = m->c[i];
    for (int64_t i = 0; i < m->outputs * m->inputs; i++) out->d[i] = m->d[i];
    switch (method) {
    case GND_DISCRETE_ZOH: return gndi_hold_matrices(s, m, dt, 0, out->a, out->b, NULL);
    case GND_DISCRETE_FOH: return first_order_hold(s, m, dt, out);
    case GND_DISCRETE_BILINEAR: return quotients(s, m, dt, 0.5, out);
    case GND_DISCRETE_EULER: return quotients(s, m, dt, 0, out);
    case GND_DISCRETE_BACKWARD_DIFF: return quotients(s, m, dt, 1, out);
    case GND_DISCRETE_IMPULSE: return impulses(s, m, dt, out);
    case GND_DISCRETE_GBT: return quotients(s, m, dt, alpha, out);
    }
    return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no method %d", (int)method);
}

gnd_system *gnd_cont2discrete(const gnd_system *system, double dt, gnd_discretization method, double alpha) {
    gndi_scratch s = {.fn = "gnd_cont2discrete"};
    gnd_system x, made = {.form = GND_STATE_SPACE, .dt = dt}, out = {0};
    if (gndi_system_of_time(&s, system, false, GND_STATE_SPACE, &x)) {
        if (!(dt > 0 && isfinite(dt)))
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "the sampling time must be positive, not %g", dt);
        if (!s.failed && discretize(&s, &x.m, dt, method, alpha, &made.m))
            gndi_system_as(&s, &made, system->form, 0, &out);
    }
    return gndi_system_new(&s, &out);
}

/* ---- two systems ---------------------------------------------------------------------------- */

static bool two(gndi_scratch *s, const gnd_system *x, const gnd_system *y, bool row, gnd_system *a, gnd_system *b) {
    if (!gndi_system_given(s, x, "x") || !gndi_system_given(s, y, "y")) return false;
    if (x->dt != y->dt)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "the systems must have the same dt, not %g and %g", x->dt,
                                 y->dt);
    if (!gndi_system_as(s, x, GND_STATE_SPACE, 0, a) || !gndi_system_as(s, y, GND_STATE_SPACE, 0, b)) return false;
    const gndi_matrices *m = &a->m, *o = &b->m;
    if (row ? m->inputs == o->outputs : m->inputs == o->inputs && m->outputs == o->outputs) return true;
    return gndi_scratch_fail(s, GND_ERROR_SHAPE,
                             "the systems do not fit: %lld inputs and %lld outputs, and %lld and %lld",
                             (long long)m->inputs, (long long)m->outputs, (long long)o->inputs, (long long)o->outputs);
}

static void put(const double *from, int64_t rows, int64_t columns, double sign, double *to, int64_t width) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < columns; j++) to[i * width + j] = sign * from[i * columns + j];
}

static gnd_system *beside(const char *fn, const gnd_system *x, const gnd_system *y, double sign) {
    gndi_scratch s = {.fn = fn};
    gnd_system a, b, out = {.form = GND_STATE_SPACE};
    if (two(&s, x, y, false, &a, &b)) {
        const gndi_matrices *m = &a.m, *o = &b.m;
        const int64_t n = m->states + o->states;
        out.dt = x->dt;
        if (gndi_matrices_make(&s, n, m->inputs, m->outputs, &out.m)) {
            put(m->a, m->states, m->states, 1, out.m.a, n);
            put(o->a, o->states, o->states, 1, out.m.a + m->states * (n + 1), n);
            put(m->b, m->states, m->inputs, 1, out.m.b, m->inputs);
            put(o->b, o->states, m->inputs, 1, out.m.b + m->states * m->inputs, m->inputs);
            put(m->c, m->outputs, m->states, 1, out.m.c, n);
            put(o->c, m->outputs, o->states, sign, out.m.c + m->states, n);
            for (int64_t i = 0; i < m->outputs * m->inputs; i++) out.m.d[i] = m->d[i] + sign * o->d[i];
        }
    }
    return gndi_system_new(&s, &out);
}

gnd_system *gnd_system_add(const gnd_system *x, const gnd_system *y) {
    return beside("gnd_system_add", x, y, 1);
}

gnd_system *gnd_system_subtract(const gnd_system *x, const gnd_system *y) {
    return beside("gnd_system_subtract", x, y, -1);
}

gnd_system *gnd_system_multiply(const gnd_system *x, const gnd_system *y) {
    gndi_scratch s = {.fn = "gnd_system_multiply"};
    gnd_system a, b, out = {.form = GND_STATE_SPACE};
    if (two(&s, x, y, true, &a, &b)) {
        const gndi_matrices *m = &a.m, *o = &b.m;
        const int64_t n = m->states + o->states;
        double *bc = gndi_scratch_doubles(&s, m->states * o->states);
        double *dc = gndi_scratch_doubles(&s, m->outputs * o->states);
        out.dt = x->dt;
        if (gndi_matrices_make(&s, n, o->inputs, m->outputs, &out.m)) {
            add_product(m->states, m->inputs, o->states, m->b, o->c, bc);
            add_product(m->outputs, m->inputs, o->states, m->d, o->c, dc);
            add_product(m->states, m->inputs, o->inputs, m->b, o->d, out.m.b);
            add_product(m->outputs, m->inputs, o->inputs, m->d, o->d, out.m.d);
            put(m->a, m->states, m->states, 1, out.m.a, n);
            put(bc, m->states, o->states, 1, out.m.a + m->states, n);
            put(o->a, o->states, o->states, 1, out.m.a + m->states * (n + 1), n);
            put(o->b, o->states, o->inputs, 1, out.m.b + m->states * o->inputs, o->inputs);
            put(m->c, m->outputs, m->states, 1, out.m.c, n);
            put(dc, m->outputs, o->states, 1, out.m.c + m->states, n);
        }
    }
    return gndi_system_new(&s, &out);
}
