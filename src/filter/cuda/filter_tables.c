/*
 * filter_tables.c: the powers of a filter's matrix, in long double, and a cache of those that are on devices. Plain C;
 * it stands here because only GPUs need it.
 */
#include "filter/cuda/filter_tables.h"
#include <math.h>

enum { MOST = GNDI_FILTER_MOST, CACHED = 16, MOST_POWERS = 33 };

typedef long double real;
typedef struct matrix {
    int n;
    real at[MOST][MOST];
} matrix;

/* ---- powers --------------------------------------------------------------------------------- */

static matrix identity(int n) {
    matrix m = {.n = n};
    for (int i = 0; i < n; i++) m.at[i][i] = 1;
    return m;
}

static matrix product(const matrix *a, const matrix *b) {
    matrix m = {.n = a->n};
    for (int r = 0; r < a->n; r++)
        for (int c = 0; c < a->n; c++) {
            real s = 0;
            for (int k = 0; k < a->n; k++) s += a->at[r][k] * b->at[k][c];
            m.at[r][c] = fabsl(s) < 1e-250L ? 0 : s;
        }
    return m;
}

static matrix squared(const matrix *a, int times) {
    matrix m = *a;
    for (int i = 0; i < times; i++) m = product(&m, &m);
    return m;
}

/* One sample through the filter: z' from z, as in the kernels; the output. */
static real step(const gndi_filter_part *part, real *z, real v) {
    const double *c = part->numbers;
    const int n = part->states;
    for (int s = 0; s < part->sections; s++, c += 5) {
        const real out = c[0] * v + z[2 * s];
        z[2 * s] = z[2 * s + 1] + c[1] * v - c[3] * out;
        z[2 * s + 1] = c[2] * v - c[4] * out;
        v = out;
    }
    if (part->sections) return v;
    const real out = c[0] * v + z[0];
    for (int i = 1; i <= n; i++) z[i - 1] = (i < n ? z[i] : 0) + c[i] * v - c[n + i] * out;
    return out;
}

/* ---- coordinates ---------------------------------------------------------------------------- */

/* What the outputs of the next 2^17 samples add up to, squared: P = sum of (C A^k)^T (C A^k), by doubling. False if it
   overflows. */
static bool energies(const matrix *a, const real *output, matrix *p) {
    const int n = a->n;
    matrix m = *a;
    p->n = n;
    for (int r = 0; r < n; r++)
        for (int c = 0; c < n; c++) p->at[r][c] = output[r] * output[c];
    for (int i = 0; i < 17; i++) {
        const matrix pm = product(p, &m);
        for (int r = 0; r < n; r++)
            for (int c = 0; c < n; c++) {
                for (int k = 0; k < n; k++) p->at[r][c] += m.at[k][r] * pm.at[k][c];
                if (!(fabsl(p->at[r][c]) < 1e200L)) return false;
            }
        m = product(&m, &m);
    }
    return true;
}

/* A lower triangular T with T^T T = P, of the matrix scaled to a diagonal of ones; states that the output does not
   show are kept apart by a small ridge. */
static void factor(const matrix *p, matrix *t) {
    const int n = p->n;
    real scale[MOST];
    *t = (matrix){.n = n};
    for (int i = 0; i < n; i++) scale[i] = p->at[i][i] > 0 ? sqrtl(p->at[i][i]) : 1;
    for (int c = n - 1; c >= 0; c--) { /* row c of T; from the last one up */
        real left = 1;
        for (int k = c + 1; k < n; k++) left -= t->at[k][c] * t->at[k][c];
        t->at[c][c] = sqrtl(fmaxl(left, 1e-15L));
        for (int r = c - 1; r >= 0; r--) {
            real s = p->at[r][c] / (scale[r] * scale[c]);
            for (int k = c + 1; k < n; k++) s -= t->at[k][c] * t->at[k][r];
            t->at[c][r] = s / t->at[c][c];
        }
    }
    for (int r = 0; r < n; r++)
        for (int c = 0; c <= r; c++) t->at[r][c] *= scale[c];
}

static matrix inverse_of_lower(const matrix *t) {
    matrix m = {.n = t->n};
    for (int c = 0; c < t->n; c++)
        for (int r = c; r < t->n; r++) {
            real s = r == c;
            for (int k = c; k < r; k++) s -= t->at[r][k] * m.at[k][c];
            m.at[r][c] = s / t->at[r][r];
        }
    return m;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* to[r][c][power] of powers of `a` from 0 on, if there is a `to`; the largest magnitude. */
static double write_powers(const matrix *a, int count, double *to) {
    matrix m = identity(a->n);
    double largest = 0;
    for (int power = 0; power < count; power++) {
        for (int r = 0; r < a->n; r++)
            for (int c = 0; c < a->n; c++) {
                const double v = (double)m.at[r][c];
                if (to) to[(r * a->n + c) * count + power] = v;
                if (!(fabs(v) <= largest)) largest = isnan(v) ? INFINITY : fabs(v);
            }
        m = product(&m, a);
    }
    return largest;
}

static void write_matrix(const matrix *a, double *to) {
    for (int r = 0; r < a->n; r++)
        for (int c = 0; c < a->n; c++) to[r * a->n + c] = (double)a->at[r][c];
}

/* The powers 1, 2, 4, 8 and 16 of `a`; its power 32. */
static matrix write_steps(const matrix *a, double *to) {
    matrix m = *a;
    for (int l = 0; l < 5; l++) {
        write_matrix(&m, to + l * a->n * a->n);
        m = product(&m, &m);
    }
    return m;
}

static void write_inputs(const gndi_filter_part *part, const matrix *forth, double *to) {
    real z[MOST] = {0};
    for (int j = GNDI_FILTER_RUN - 1; j >= 0; j--) { /* the last sample was met by one step only */
        step(part, z, j == GNDI_FILTER_RUN - 1 ? 1 : 0);
        for (int r = 0; r < part->states; r++) {
            real s = 0;
            for (int c = 0; c <= r; c++) s += forth->at[r][c] * z[c];
            to[j * part->states + r] = (double)s;
        }
    }
}

void gndi_filter_tables(const gndi_filter_part *part, double *tables, gndi_filter_sizes *sizes) {
    const int n = part->states;
    matrix a = {.n = n}, energy, forth = identity(n);
    real output[MOST];
    for (int c = 0; c < n; c++) {
        real z[MOST] = {0};
        z[c] = 1;
        output[c] = step(part, z, 0);
        for (int r = 0; r < n; r++) a.at[r][c] = z[r];
    }
    if (energies(&a, output, &energy)) factor(&energy, &forth);
    const matrix back = inverse_of_lower(&forth), turned = product(&a, &back);
    a = product(&forth, &turned);
    write_matrix(&forth, tables + GNDI_FILTER_FORTH(n));
    write_matrix(&back, tables + GNDI_FILTER_BACK(n));
    write_inputs(part, &forth, tables + GNDI_FILTER_INPUTS(n));
    const matrix of_run = squared(&a, 5); /* RUN = 2^5 */
    double *steps = tables + GNDI_FILTER_STEPS(n);
    const matrix of_warp = write_steps(&of_run, steps); /* A^(32 RUN) */
    const matrix of_tile = squared(&of_warp, 2);        /* four warps */
    const matrix of_group = write_steps(&of_tile, steps + 5 * n * n);
    write_steps(&of_group, steps + 10 * n * n);
    matrix of_warps = identity(n);
    for (int w = 0; w < GNDI_FILTER_WARPS; w++) {
        write_matrix(&of_warps, steps + (5 * GNDI_FILTER_SCANS + w) * n * n);
        of_warps = product(&of_warps, &of_warp);
    }
    sizes->tile = write_powers(&of_run, 32, tables + GNDI_FILTER_LANE(n));
    sizes->group = write_powers(&of_tile, MOST_POWERS, NULL);
    sizes->groups = write_powers(&of_group, MOST_POWERS, NULL);
}

/* ---- the cache ------------------------------------------------------------------------------ */

typedef struct entry {
    gndi_filter_part part;
    gndi_filter_sizes sizes;
    gndi_buffer *buffer; /* NULL: free */
    uint64_t used;
} entry;

static entry cache[CACHED];
static gndi_lock cache_lock;
static uint64_t uses;

static bool same_part(const gndi_filter_part *a, const gndi_filter_part *b) {
    return a->sections == b->sections && a->states == b->states && !memcmp(a->numbers, b->numbers, sizeof a->numbers);
}

/* Takes a reference to the tables that are there; NULL: they are not. */
static gndi_buffer *find(const gndi_device *d, const gndi_filter_part *part, gndi_filter_sizes *sizes) {
    for (int i = 0; i < CACHED; i++) {
        entry *e = &cache[i];
        if (!e->buffer || e->buffer->device != d || !same_part(&e->part, part)) continue;
        e->used = ++uses, *sizes = e->sizes;
        gndi_buffer_retain(e->buffer);
        return e->buffer;
    }
    return NULL;
}

/* In the place of those that were not used for longest. */
static void keep(const gndi_filter_part *part, const gndi_filter_sizes *sizes, gndi_buffer *buffer) {
    entry *oldest = &cache[0];
    for (int i = 1; i < CACHED && oldest->buffer; i++)
        if (!cache[i].buffer || cache[i].used < oldest->used) oldest = &cache[i];
    if (oldest->buffer) gndi_buffer_release(oldest->buffer);
    gndi_buffer_retain(buffer);
    *oldest = (entry){.part = *part, .sizes = *sizes, .buffer = buffer, .used = ++uses};
}

gndi_buffer *gndi_filter_tables_on(gnd_stream *s, const gndi_filter_part *part, gndi_filter_sizes *sizes,
                                   const char *fn) {
    gndi_lock_take(&cache_lock);
    gndi_buffer *buffer = find(s->device, part, sizes);
    gndi_lock_give(&cache_lock);
    if (buffer) {
        if (!gndi_order_read(s, buffer, fn)) return buffer;
        gndi_buffer_release(buffer);
        return NULL;
    }
    const size_t bytes = (size_t)GNDI_FILTER_TABLES(part->states) * sizeof(double);
    double *tables = gndi_malloc(fn, bytes);
    if (tables) buffer = gndi_buffer_new(fn, s, bytes);
    if (buffer) gndi_filter_tables(part, tables, sizes);
    bool done = buffer && !gndi_order_write(s, buffer, fn) &&
                !s->device->backend->copy_in(s, buffer->base, tables, bytes, false, fn);
    gndi_free(tables);
    if (done && !buffer->in_capture) {
        gndi_lock_take(&cache_lock);
        keep(part, sizes, buffer);
        gndi_lock_give(&cache_lock);
    }
    if (buffer && !done) gndi_buffer_release(buffer), buffer = NULL;
    return buffer;
}
