/*
 * simulate.c: outputs of linear systems over time (scipy.signal.lsim, impulse, step, dlsim, dimpulse, dstep): a
 * recurrence on the host, a sample after the other.
 */
#include "systems/systems.h"
#include <math.h>
#include <string.h>

/* ---- the recurrence ------------------------------------------------------------------------- */

/* x[i + 1] = a x[i] + b0 u[i] + b1 u[i + 1], y[i] = c x[i] + d u[i], all transposed: the numbers that a state or an
   input contributes lie beside each other. b1 NULL: 0; u NULL: no input. */
typedef struct recurrence {
    int64_t states, inputs, outputs;
    const double *a, *b0, *b1, *c, *d;
} recurrence;

/* out (n) += the sum of x[k] times row k of m. */
static inline void accumulate(int64_t n, int64_t rows, const double *restrict m, const double *restrict x,
                              double *restrict out) {
    for (int64_t k = 0; k < rows; k++)
        for (int64_t j = 0; j < n; j++) out[j] += m[k * n + j] * x[k];
}

/* The states of a simulation: samples x states if they are wanted, else the last two. */
typedef struct trajectory {
    bool kept;
    double *at;
} trajectory;

static trajectory states_for(gndi_scratch *s, int64_t samples, int64_t n, bool kept) {
    return (trajectory){kept, gndi_scratch_doubles(s, (kept ? samples : 2) * n)};
}

/* From the first row of x. y: samples x outputs. */
static void run(const recurrence *r, int64_t samples, const double *u, trajectory all, double *y) {
    double *x = all.at, *next = x + r->states;
    for (int64_t i = 0; i < samples; i++, y += r->outputs) {
        accumulate(r->outputs, r->states, r->c, x, y);
        if (u) accumulate(r->outputs, r->inputs, r->d, u, y);
        if (i + 1 == samples) break;
        accumulate(r->states, r->states, r->a, x, next);
        if (u) {
            accumulate(r->states, r->inputs, r->b0, u, next);
            u += r->inputs;
            if (r->b1) accumulate(r->states, r->inputs, r->b1, u, next);
        }
        double *before = x;
        x = next;
        next = all.kept ? x + r->states : before;
        if (!all.kept) memset(next, 0, (size_t)r->states * sizeof(double));
    }
}

static const double *transposed(gndi_scratch *s, int64_t rows, int64_t columns, const double *m) {
    double *out = gndi_scratch_doubles(s, rows * columns);
    for (int64_t i = 0; out && i < rows; i++)
        for (int64_t j = 0; j < columns; j++) out[j * rows + i] = m[i * columns + j];
    return out;
}

static bool prepare(gndi_scratch *s, const gndi_matrices *m, const double *a, const double *b0, const double *b1,
                    recurrence *r) {
    const int64_t n = m->states, k = m->inputs;
    *r = (recurrence){n,
                      k,
                      m->outputs,
                      transposed(s, n, n, a),
                      transposed(s, n, k, b0),
                      b1 ? transposed(s, n, k, b1) : NULL,
                      transposed(s, m->outputs, n, m->c),
                      transposed(s, m->outputs, k, m->d)};
    return !s->failed;
}

/* ---- arguments and results ------------------------------------------------------------------ */

/* u as samples x inputs; a line, or a number, is one input. */
static bool read_input(gndi_scratch *s, const gnd_array *u, int64_t inputs, int64_t *samples, double **values) {
    int64_t n;
    if (!gndi_doubles_read_any(s, u, "u", &n, values)) return false;
    if (u->ndim > 2)
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "u must be samples x inputs, and is %s", gndi_text_array(u));
    *samples = u->ndim ? u->shape[0] : 1;
    const int64_t columns = u->ndim == 2 ? u->shape[1] : 1;
    if (columns == inputs) return true;
    return gndi_scratch_fail(s, GND_ERROR_SHAPE, "the system has %lld inputs, and u %lld", (long long)inputs,
                             (long long)columns);
}

static bool read_state(gndi_scratch *s, const gnd_array *x0, int64_t states, double *x) {
    int64_t n;
    double *values;
    if (!x0 || s->failed) return !s->failed;
    if (!gndi_doubles_read_any(s, x0, "x0", &n, &values)) return false;
    if (n != states && n != 1)
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "x0 must be %lld numbers, one for each state, and is %s",
                                 (long long)states, gndi_text_array(x0));
    for (int64_t i = 0; i < states; i++) x[i] = values[n == 1 ? 0 : i];
    return true;
}

/* An array of the given sizes, of which `drop` leaves out those that are 1. */
static gnd_array *give(gndi_scratch *s, const double *values, const int64_t *sizes, int count, bool drop) {
    gnd_shape shape = {0};
    for (int i = 0; i < count; i++)
        if (!drop || sizes[i] != 1) shape.dim[shape.ndim++] = sizes[i];
    return gndi_array_shaped(s, &shape, values, GND_FLOAT64);
}

/* n times from 0 to `last`, or up to before it. */
static double *times_to(gndi_scratch *s, int64_t n, double last, bool endpoint) {
    if (n < 1 || n > INT64_C(1) << 40) {
        gndi_scratch_fail(s, GND_ERROR_VALUE, "there must be 1 time at least, not %lld", (long long)n);
        return NULL;
    }
    double *t = gndi_scratch_doubles(s, n);
    const double step = last / (double)gndi_max(endpoint ? n - 1 : n, 1);
    for (int64_t i = 0; t && i < n; i++) t[i] = endpoint && i == n - 1 && n > 1 ? last : (double)i * step;
    return t;
}

/* ---- continuous systems --------------------------------------------------------------------- */

/* x at time t, of its value at 0. */
static bool advance(gndi_scratch *s, const gndi_matrices *m, double t, double *x) {
    const int64_t n = m->states;
    gndi_complex *e = gndi_scratch_complex(s, n * n), *from = gndi_scratch_complex(s, 2 * n);
    if (s->failed) return false;
    for (int64_t i = 0; i < n * n; i++) e[i] = m->a[i] * t;
    for (int64_t i = 0; i < n; i++) from[i] = x[i];
    if (!gndi_host_exponential(s, n, e)) return false;
    gndi_host_product(n, n, 1, e, from, from + n);
    for (int64_t i = 0; i < n; i++) x[i] = creal(from[n + i]);
    return true;
}

static bool check_times(gndi_scratch *s, int64_t n, const double *t) {
    if (s->failed) return false;
    if (n < 1) return gndi_scratch_fail(s, GND_ERROR_VALUE, "t must have 1 time at least");
    if (!(t[0] >= 0)) return gndi_scratch_fail(s, GND_ERROR_VALUE, "the first time must not be negative: %g", t[0]);
    const double dt = n > 1 ? t[1] - t[0] : 0;
    for (int64_t i = 2; i < n; i++)
        if (!(fabs(t[i] - t[i - 1] - dt) <= 1e-8 + 1e-5 * fabs(dt)))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "the times must be evenly apart: %g and %g", dt,
                                     t[i] - t[i - 1]);
    return true;
}

/* y (samples x outputs) and x (its first row the state at 0) of an input, which may be NULL. */
static bool simulate(gndi_scratch *s, const gndi_matrices *m, int64_t n, const double *t, const double *u, bool hold,
                     trajectory x, double *y) {
    const int64_t inputs = m->states * m->inputs;
    double *a = gndi_scratch_doubles(s, m->states * m->states);
    double *b0 = gndi_scratch_doubles(s, inputs), *b1 = gndi_scratch_doubles(s, inputs);
    recurrence r;
    if (s->failed || (t[0] > 0 && !advance(s, m, t[0], x.at))) return false;
    const bool linear = u && !hold;
    if (n > 1 && !gndi_hold_matrices(s, m, t[1] - t[0], linear, a, b0, b1)) return false;
    for (int64_t i = 0; linear && i < inputs; i++) b0[i] -= b1[i];
    if (!prepare(s, m, a, b0, linear ? b1 : NULL, &r)) return false;
    run(&r, n, u, x, y);
    return true;
}

static bool any(int64_t n, const double *u) {
    for (int64_t i = 0; i < n; i++)
        if (u[i] != 0) return true; /* NaN as well */
    return false;
}

gnd_status gnd_lsim(gnd_array **y, gnd_array **x, const gnd_system *system, const gnd_array *u, const gnd_array *t,
                    const gnd_lsim_options *options) {
    gndi_scratch s = {.fn = "gnd_lsim"};
    gnd_array **results[] = {y, x};
    gnd_system g;
    int64_t n = 0, samples = 0;
    double *times = NULL, *input = NULL;
    gndi_results_begin(2, results);
    if (gndi_system_of_time(&s, system, false, GND_STATE_SPACE, &g) && gndi_doubles_read(&s, t, "t", &n, &times) &&
        check_times(&s, n, times) && (!u || read_input(&s, u, g.m.inputs, &samples, &input))) {
        if (u && samples != n)
            gndi_scratch_fail(&s, GND_ERROR_SHAPE, "u must have as many samples as there are times: %lld and %lld",
                              (long long)samples, (long long)n);
        if (u && !s.failed && !any(n * g.m.inputs, input)) input = NULL;
        const trajectory all = states_for(&s, n, g.m.states, x != NULL);
        double *out = gndi_scratch_doubles(&s, n * g.m.outputs);
        if (!s.failed && read_state(&s, options ? options->x0 : NULL, g.m.states, all.at) &&
            simulate(&s, &g.m, n, times, input, options && options->hold, all, out)) {
            if (y) *y = give(&s, out, (int64_t[]){n, g.m.outputs}, 2, true);
            if (x) *x = give(&s, all.at, (int64_t[]){n, g.m.states}, 2, true);
        }
    }
    return gndi_results_end(&s, 2, results);
}

/* Seven times the slowest time constant (scipy.signal's _default_response_times). */
static bool last_time(gndi_scratch *s, const gndi_matrices *m, double *last) {
    const int64_t n = m->states;
    gndi_complex *a = gndi_scratch_complex(s, n * n), *values = gndi_scratch_complex(s, n);
    double slowest = INFINITY;
    if (s->failed) return false;
    if (n == 0) return gndi_scratch_fail(s, GND_ERROR_VALUE, "a system without states has no time constant: give t");
    for (int64_t i = 0; i < n * n; i++) a[i] = m->a[i];
    if (!gndi_eigenvalues(s, n, a, true, values)) return false;
    for (int64_t i = 0; i < n; i++) slowest = fmin(slowest, fabs(creal(values[i])));
    *last = 7 / (slowest != 0 ? slowest : 1);
    return true;
}

static bool response_times(gndi_scratch *s, const gndi_matrices *m, const gnd_times_options *o, int64_t *n,
                           double **t) {
    double last = 0;
    if (o->t) return gndi_doubles_read(s, o->t, "options->t", n, t) && check_times(s, *n, *t);
    *n = o->n ? o->n : 100;
    return last_time(s, m, &last) && (*t = times_to(s, *n, last, true));
}

/* The response to an impulse, or to a step of 1. */
static gnd_status respond(const char *fn, bool step, gnd_array **t, gnd_array **y, const gnd_system *system,
                          const gnd_times_options *options) {
    static const gnd_times_options standard;
    const gnd_times_options *o = options ? options : &standard;
    gndi_scratch s = {.fn = fn};
    gnd_array **results[] = {t, y};
    gnd_system g;
    int64_t n;
    double *times;
    gndi_results_begin(2, results);
    if (gndi_system_of_time(&s, system, false, GND_STATE_SPACE, &g)) {
        if (g.m.inputs != 1)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "the system must have one input, not %lld", (long long)g.m.inputs);
        if (!s.failed && response_times(&s, &g.m, o, &n, &times)) {
            const trajectory all = states_for(&s, n, g.m.states, false);
            double *out = gndi_scratch_doubles(&s, n * g.m.outputs);
            double *ones = step ? gndi_scratch_doubles(&s, n) : NULL;
            for (int64_t i = 0; ones && i < n; i++) ones[i] = 1;
            if (!s.failed && read_state(&s, o->x0, g.m.states, all.at)) {
                for (int64_t i = 0; !step && i < g.m.states; i++) all.at[i] += g.m.b[i];
                simulate(&s, &g.m, n, times, ones, true, all, out);
            }
            if (t) *t = gndi_array_of_doubles(&s, n, times);
            if (y) *y = give(&s, out, (int64_t[]){n, g.m.outputs}, 2, true);
        }
    }
    return gndi_results_end(&s, 2, results);
}

gnd_status gnd_impulse(gnd_array **t, gnd_array **y, const gnd_system *system, const gnd_times_options *options) {
    return respond("gnd_impulse", false, t, y, system, options);
}

gnd_status gnd_step(gnd_array **t, gnd_array **y, const gnd_system *system, const gnd_times_options *options) {
    return respond("gnd_step", true, t, y, system, options);
}

/* ---- discrete systems ----------------------------------------------------------------------- */

/* The input at times 0, .., (samples - 1) step, linear between the times t, and beyond them as in the interval next to
   them. */
static bool interpolate(gndi_scratch *s, int64_t n, const double *t, int64_t inputs, const double *u, int64_t samples,
                        const double *at, double *out) {
    if (n < 2) return gndi_scratch_fail(s, GND_ERROR_VALUE, "there must be 2 times at least, not %lld", (long long)n);
    for (int64_t i = 1; i < n; i++)
        if (!(t[i] > t[i - 1]))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "the times must increase: %g, %g", t[i - 1], t[i]);
    int64_t left = 0;
    for (int64_t i = 0; i < samples; i++) {
        while (left < n - 2 && at[i] >= t[left + 1]) left++;
        const double w = (at[i] - t[left]) / (t[left + 1] - t[left]);
        for (int64_t k = 0; k < inputs; k++)
            out[i * inputs + k] = (1 - w) * u[left * inputs + k] + w * u[(left + 1) * inputs + k];
    }
    return true;
}

/* A discrete simulation on the host. */
typedef struct steps {
    int64_t samples;
    double *t, *y; /* y: `samples` rows of outputs */
    trajectory x;
} steps;

/* The input u, n samples at times t (NULL: a step is dt), from the state x0, which may be NULL. `kept`: all states. */
static bool simulate_steps(gndi_scratch *s, const gnd_system *g, int64_t n, const double *t, const double *u,
                           const gnd_array *x0, bool kept, steps *out) {
    const gndi_matrices *m = &g->m;
    if (n < 1) return gndi_scratch_fail(s, GND_ERROR_VALUE, "there must be 1 sample at least");
    const double last = t ? t[n - 1] : (double)(n - 1) * g->dt, count = t ? floor(last / g->dt) + 1 : (double)n;
    if (!(count >= 1 && count <= 0x1p40))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the last time must not be negative, nor beyond all memory: %g",
                                 last);
    out->samples = (int64_t)count;
    out->t = times_to(s, out->samples, last, true);
    out->x = states_for(s, out->samples, m->states, kept);
    out->y = gndi_scratch_doubles(s, out->samples * m->outputs);
    double *input = t ? gndi_scratch_doubles(s, out->samples * m->inputs) : NULL;
    recurrence r;
    if (s->failed || !read_state(s, x0, m->states, out->x.at) || !prepare(s, m, m->a, m->b, NULL, &r)) return false;
    if (t && !interpolate(s, n, t, m->inputs, u, out->samples, out->t, input)) return false;
    run(&r, out->samples, t ? input : u, out->x, out->y);
    return true;
}

gnd_status gnd_dlsim(gnd_array **t, gnd_array **y, gnd_array **x, const gnd_system *system, const gnd_array *u,
                     const gnd_steps_options *options) {
    static const gnd_steps_options standard;
    const gnd_steps_options *o = options ? options : &standard;
    gndi_scratch s = {.fn = "gnd_dlsim"};
    gnd_array **results[] = {t, y, x};
    gnd_system g;
    steps done;
    int64_t n = 0, times = 0;
    double *at = NULL, *input;
    gndi_results_begin(3, results);
    if (gndi_system_of_time(&s, system, true, GND_STATE_SPACE, &g) && read_input(&s, u, g.m.inputs, &n, &input) &&
        (!o->t || gndi_doubles_read(&s, o->t, "options->t", &times, &at))) {
        if (o->t && times != n)
            gndi_scratch_fail(&s, GND_ERROR_SHAPE, "u must have as many samples as there are times: %lld and %lld",
                              (long long)n, (long long)times);
        if (!s.failed && simulate_steps(&s, &g, n, at, input, o->x0, x != NULL, &done)) {
            if (t) *t = gndi_array_of_doubles(&s, done.samples, done.t);
            if (y) *y = gndi_matrix_of_doubles(&s, done.samples, g.m.outputs, done.y);
            if (x) *x = gndi_matrix_of_doubles(&s, done.samples, g.m.states, done.x.at);
        }
    }
    return gndi_results_end(&s, 3, results);
}

/* The response at each input, in rows of `all`, to an impulse or to a step of 1, of n samples at times t. */
static bool respond_each(gndi_scratch *s, const gnd_system *g, bool step, int64_t n, const double *t,
                         const gnd_array *x0, steps *done, double **all) {
    const int64_t inputs = g->m.inputs;
    for (int64_t k = 0; k < inputs; k++) {
        double *input = gndi_scratch_doubles(s, n * inputs);
        if (!input) return false;
        for (int64_t i = 0; i < (step ? n : 1); i++) input[i * inputs + k] = 1;
        if (!simulate_steps(s, g, n, t, input, x0, false, done)) return false;
        const int64_t size = done->samples * g->m.outputs;
        if (k == 0) *all = gndi_scratch_doubles(s, inputs * size);
        if (s->failed) return false;
        memcpy(*all + k * size, done->y, (size_t)size * sizeof(double));
    }
    return inputs > 0 || gndi_scratch_fail(s, GND_ERROR_VALUE, "the system has no input");
}

static gnd_status respond_steps(const char *fn, bool step, gnd_array **t, gnd_array **y, const gnd_system *system,
                                const gnd_steps_options *options) {
    static const gnd_steps_options standard;
    const gnd_steps_options *o = options ? options : &standard;
    gndi_scratch s = {.fn = fn};
    gnd_array **results[] = {t, y};
    gnd_system g;
    steps done;
    int64_t n = o->n ? o->n : 100;
    double *at = NULL, *all = NULL;
    gndi_results_begin(2, results);
    if (gndi_system_of_time(&s, system, true, GND_STATE_SPACE, &g)) {
        if (o->t)
            gndi_doubles_read(&s, o->t, "options->t", &n, &at);
        else
            at = times_to(&s, n, (double)n * g.dt, false);
        if (!s.failed && n < 1) gndi_scratch_fail(&s, GND_ERROR_VALUE, "there must be 1 time at least");
        if (!s.failed && respond_each(&s, &g, step, n, at, o->x0, &done, &all)) {
            if (t) *t = gndi_array_of_doubles(&s, done.samples, done.t);
            if (y) *y = give(&s, all, (int64_t[]){g.m.inputs, done.samples, g.m.outputs}, 3, false);
        }
    }
    return gndi_results_end(&s, 2, results);
}

gnd_status gnd_dimpulse(gnd_array **t, gnd_array **y, const gnd_system *system, const gnd_steps_options *options) {
    return respond_steps("gnd_dimpulse", false, t, y, system, options);
}

gnd_status gnd_dstep(gnd_array **t, gnd_array **y, const gnd_system *system, const gnd_steps_options *options) {
    return respond_steps("gnd_dstep", true, t, y, system, options);
}
