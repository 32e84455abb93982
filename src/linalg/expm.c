/*
 * expm.c: exponentials of matrices, by Pade's approximants with scaling and squaring:
 * e^A = r(A / 2^s)^(2^s), r(x) = (v(x) + u(x)) / (v(x) - u(x)) with u odd and v even.
 *
 * Al-Mohy and Higham (2009): s follows from the least of max(d4, d6), max(d6, d8) and max(d8, d10), where
 * dk = |A^k|^(1/k) may be far below |A|, and is raised where a bound of the backward error from the powers of
 * |A| asks for it. Nothing is scaled where |A| itself is small enough. The degree is 7 (all that float32
 * needs) or 13, one for the whole batch; each matrix has its own s. Where the norm alone gives few squarings,
 * it decides.
 *
 * Everything is computed on the transposed matrices in C order, which LAPACK reads as A in column-major order:
 * the pivots of an upper triangular A are then on its diagonal, not far from it. The result is the exponential
 * of the transpose, transposed back. "Norm" is the largest sum along a row of A.
 */
#include "linalg/decompose.h"
#include "elementwise/item.h"
#include <math.h>

typedef struct expm {
    gndi_temporaries *s;
    gnd_dtype dtype;
    int64_t count, n;
    int degree;
    gnd_array *power[7]; /* 1, 2, 4 and 6: (count, n, n), in C order */
    gnd_array *term;     /* scratch */
    int *squarings;      /* of each matrix; NULL: none */
    gnd_array *measured; /* norms as doubles: (so many, count) */
    int measures;        /* how many there are already */
} expm;

enum {
    LOW = 7,
    HIGH = 13,
    SMALL = 64,
    FEW_SQUARINGS = 4,     /* cost less than finding out whether fewer would do */
    MOST_SQUARINGS = 1100, /* 2^1100 is beyond every norm */
    MOST_MEASURES = 4 + 2 * HIGH + 1
};

/* Up to which norm an approximant is as exact as the dtype (Higham 2005; Al-Mohy and Higham 2009). */
static double theta(gnd_dtype dtype, int degree) {
    if (gndi_real_dtype(dtype) == GND_FLOAT32) return degree == LOW ? 3.925724783138660 : 0;
    return degree == LOW ? 0.9504178996162932 : 4.25;
}

static int highest_degree(gnd_dtype dtype) {
    return gndi_real_dtype(dtype) == GND_FLOAT32 ? LOW : HIGH;
}

/* ---- arrays --------------------------------------------------------------------------------- */

static gnd_array *new_c(expm *e, int ndim, const int64_t *shape, gnd_dtype dtype) {
    if (e->s->failed) return NULL;
    gnd_stream *stream = gndi_stream_on(e->power[1]->buffer->device, e->s->fn);
    return gndi_temporaries_keep(e->s,
                                 stream ? gndi_array_new_on(e->s->fn, stream, ndim, shape, dtype, GNDI_ORDER_C) : NULL);
}

static gnd_array *product(expm *e, const gnd_array *a, const gnd_array *b) {
    gnd_array *c = new_c(e, 3, (int64_t[]){e->count, e->n, e->n}, e->dtype);
    if (c && gndi_matmul_into(e->s->fn, c, a, b, gnd_arg_int(1), gnd_arg_int(0))) e->s->failed = true;
    return e->s->failed ? NULL : c;
}

/* An array of one number for each matrix, copied from the host. */
static gnd_array *uploaded(expm *e, const void *numbers, gnd_dtype dtype) {
    const char *fn = e->s->fn;
    gnd_array *a = new_c(e, 1, &e->count, dtype);
    if (!a) return NULL;
    gnd_stream *s = gndi_ew_stream(a, fn);
    if (s && !gndi_order_write(s, a->buffer, fn) &&
        !s->device->backend->copy_in(s, gndi_data(a), numbers, (size_t)(a->size * gndi_itemsize(a)), false, fn)) {
        gndi_submitted(s);
        return a;
    }
    e->s->failed = true;
    return NULL;
}

/* Subtracts from the exponents left[] as much as a number of the real dtype can express, and stores these powers
   of two in `factors`. False if nothing was left. */
static bool next_factors(const expm *e, int64_t *left, char *factors) {
    const bool narrow = gndi_real_dtype(e->dtype) == GND_FLOAT32;
    const int most = narrow ? 120 : 1000;
    bool any = false;
    for (int64_t i = 0; i < e->count; i++) {
        const int64_t now = left[i] < -most ? -most : left[i] > most ? most : left[i];
        const double factor = ldexp(1, (int)now);
        if (narrow)
            ((float *)(void *)factors)[i] = (float)factor;
        else
            ((double *)(void *)factors)[i] = factor;
        left[i] -= now;
        any |= now != 0;
    }
    return any;
}

/* x times 2^(times by) for each matrix, in place and without a rounding error; complex numbers as the real
   ones they consist of. */
static void scale(expm *e, gnd_array *x, const int *by, int times) {
    if (e->s->failed) return;
    int64_t *left = gndi_malloc(e->s->fn, (size_t)e->count * 2 * sizeof *left);
    char *factors = (char *)(left + e->count);
    gndi_temporaries part = {.fn = e->s->fn, .failed = !left};
    for (int64_t i = 0; left && i < e->count; i++) left[i] = (int64_t)by[i] * times;
    const gnd_dtype real = gndi_real_dtype(e->dtype);
    const int64_t shape[2] = {e->count, e->n * e->n * (real == e->dtype ? 1 : 2)};
    gnd_array *flat =
        left ? gndi_temporaries_keep(&part, gndi_array_view(part.fn, x, 2, shape, NULL, gndi_data(x), real)) : NULL;
    while (!part.failed && !e->s->failed && next_factors(e, left, factors)) {
        gnd_array *line = uploaded(e, factors, real);
        part.failed = !line;
        gnd_array *column = gndi_with_last_axis(&part, line);
        gndi_step_into(&part, GNDI_OP_multiply, flat, gnd_arg_array(flat), gnd_arg_array(column), NULL);
    }
    gndi_free(left);
    gndi_temporaries_end_part(e->s, &part);
}

/* ---- norms on the host ---------------------------------------------------------------------- */

/* Stores one number for each matrix, in any shape, as the next row that read_measures() reads. */
static void measure(expm *e, gndi_temporaries *part, const gnd_array *numbers) {
    gnd_array *row = gndi_step_part(part, e->measured, 0, e->measures++, 1, 1);
    if (part->failed || e->s->failed) return;
    const int64_t shape[2] = {1, e->count};
    gnd_array *flat = gndi_temporaries_keep(part, gndi_reshaped(part->fn, numbers, 2, shape));
    gndi_step_into(part, GNDI_OP_copy, row, gnd_arg_array(flat), gnd_arg_none(), NULL);
}

/* The norm of each matrix: its largest sum along a column. */
static void measure_norms(expm *e, const gnd_array *x) {
    gndi_temporaries part = {.fn = e->s->fn, .failed = e->s->failed};
    gnd_array *sums = gndi_norm_along(&part, x, 1, -2, false);
    measure(e, &part, gndi_norm_along(&part, sums, INFINITY, -1, false));
    gndi_temporaries_end_part(e->s, &part);
}

static void begin_measures(expm *e, int most) {
    e->measured = new_c(e, 2, (int64_t[]){most, e->count}, GND_FLOAT64);
    e->measures = 0;
}

/* Waits. */
static void read_measures(expm *e, double *out) {
    if (!e->s->failed && gndi_read(e->s->fn, e->measured, out)) e->s->failed = true;
}

/* |c| of the first term of the backward error's series: 1 / (C(2m, m) (2m + 1)!). */
static double log2_coefficient(int m) {
    return -(lgamma(2 * m + 1) - 2 * lgamma(m + 1) + lgamma(2 * m + 2)) / log(2);
}

/* ---- scaling -------------------------------------------------------------------------------- */

/* The last step's row times a matrix each, and divided by its largest element, which is measured. */
static void advance(expm *e, const gnd_array *row, gnd_array *next, const gnd_array *matrices) {
    gndi_temporaries part = {.fn = e->s->fn, .failed = e->s->failed};
    if (!part.failed && gndi_matmul_into(part.fn, next, row, matrices, gnd_arg_int(1), gnd_arg_int(0)))
        part.failed = true;
    gnd_array *largest = gndi_norm_along(&part, next, INFINITY, -1, true);
    measure(e, &part, largest);
    gndi_step_into(&part, GNDI_OP_divide, next, gnd_arg_array(next), gnd_arg_array(largest), NULL);
    gndi_temporaries_end_part(e->s, &part);
}

/* How many steps lead to |A|^(2 degree + 1), one or four powers at a time. */
static int steps_of_bound(const expm *e, bool by_four) {
    const int powers = 2 * e->degree + 1;
    return by_four ? powers / 4 + powers % 4 : powers;
}

/* The norm of |A|^(2 degree + 1) as a product of numbers, none of which is too large: a row of ones is
   multiplied by |A| again and again. `by_four`: of small matrices, where a product costs no more than a
   row's, by |A|^4. */
static void measure_bound(expm *e, bool by_four) {
    gnd_array *one = gndi_step(e->s, GNDI_OP_absolute, gnd_arg_array(e->power[1]), gnd_arg_none());
    const int64_t shape[3] = {e->count, 1, e->n};
    const gnd_dtype real = gndi_real_dtype(e->dtype);
    gnd_array *rows[2] = {new_c(e, 3, shape, real), new_c(e, 3, shape, real)};
    gndi_step_into(e->s, GNDI_OP_copy, rows[0], gnd_arg_int(1), gnd_arg_none(), NULL);
    gnd_array *four = NULL;
    if (by_four && !e->s->failed) {
        gnd_array *two = gndi_temporaries_keep(e->s, gndi_matmul(e->s->fn, one, one, false));
        if (two) four = gndi_temporaries_keep(e->s, gndi_matmul(e->s->fn, two, two, false));
    }
    const int steps = steps_of_bound(e, by_four), long_steps = (2 * e->degree + 1) / 4;
    for (int k = 0; k < steps && !e->s->failed; k++)
        advance(e, rows[k % 2], rows[1 - k % 2], by_four && k < long_steps ? four : one);
}

/* max(|A^k|^(1/k), |A^(k + 2)|^(1/(k + 2))) of the norms of these powers; infinite if one is not finite. */
static double root(double of_k, double of_next, int k) {
    if (!isfinite(of_k) || !isfinite(of_next)) return INFINITY;
    return fmax(pow(of_k, 1.0 / k), pow(of_next, 1.0 / (k + 2)));
}

static int at_least(double squarings) {
    if (!(squarings > 0)) return 0; /* NaN, too */
    return squarings < MOST_SQUARINGS ? (int)ceil(squarings) : MOST_SQUARINGS;
}

/* How many squarings matrix i needs, by what was measured of B = A / 2^exponent. */
static int squarings_of(const expm *e, const double *measured, double of_a, int64_t i, int exponent) {
    if (!isfinite(of_a) || of_a == 0) return 0;
    const double *m = measured + i;
    const int64_t c = e->count;
    const double d = fmin(fmin(root(m[0], m[c], 4), root(m[c], m[2 * c], 6)), root(m[2 * c], m[3 * c], 8));
    const int by_norm = at_least(log2(of_a / theta(e->dtype, e->degree)));
    const int s = at_least(exponent + log2(d / theta(e->dtype, e->degree)));
    double of_bound = 0; /* log2 of the norm of |B|^(2 degree + 1) */
    for (int k = 4; k < e->measures; k++) {
        if (m[k * c] == 0) return s < by_norm ? s : by_norm;
        of_bound += log2(m[k * c]);
    }
    /* |A / 2^s|^(2 degree + 1) / |A / 2^s|, and what is too much of it. */
    const double above = of_bound - (log2(of_a) - exponent) + 2 * e->degree * (double)(exponent - s);
    const double unit = gndi_epsilon(e->dtype) / 2;
    const int more = at_least((above + log2_coefficient(e->degree) - log2(unit)) / (2 * e->degree));
    return s + more < by_norm ? s + more : by_norm;
}

static void multiply_powers(expm *e) {
    e->power[2] = product(e, e->power[1], e->power[1]);
    e->power[4] = product(e, e->power[2], e->power[2]);
    e->power[6] = product(e, e->power[4], e->power[2]);
}

/* Computes the powers and measures what squarings_of() asks for. `largest` bounds the norms. */
static void measure_powers(expm *e, double largest, double *measured) {
    const bool narrow = gndi_real_dtype(e->dtype) == GND_FLOAT32;
    const bool by_four = e->n <= SMALL && largest < ldexp(1, narrow ? 30 : 250);
    multiply_powers(e);
    begin_measures(e, 4 + steps_of_bound(e, by_four));
    gnd_array *higher = product(e, e->power[4], e->power[4]);
    measure_norms(e, e->power[4]);
    measure_norms(e, e->power[6]);
    measure_norms(e, higher);
    if (!e->s->failed && gndi_matmul_into(e->s->fn, higher, e->power[4], e->power[6], gnd_arg_int(1), gnd_arg_int(0)))
        e->s->failed = true;
    measure_norms(e, higher);
    measure_bound(e, by_four);
    read_measures(e, measured);
}

/* Where powers are too large to be expressed: scales these matrices, only as far as even A^10 needs it,
   since small elements may be lost. `shift` says by which powers of two. False if there are none. */
static bool scale_overflowing(expm *e, const double *of_a, const double *measured, int *shift) {
    const int most = gndi_real_dtype(e->dtype) == GND_FLOAT32 ? 12 : 100;
    bool any = false;
    for (int64_t i = 0; i < e->count; i++) {
        int exponent = 0;
        shift[i] = 0;
        if (!isfinite(of_a[i]) || (isfinite(measured[i]) && isfinite(measured[e->count + i]))) continue;
        frexp(of_a[i], &exponent);
        shift[i] = most - exponent;
        any = true;
    }
    if (any) scale(e, e->power[1], shift, 1);
    return any;
}

/* Finds the squarings from the powers of A, and scales them accordingly. `shift` has space for a number
   for each matrix. */
static void scale_powers(expm *e, const double *of_a, double largest, double *measured, int *shift) {
    measure_powers(e, largest, measured);
    if (e->s->failed) return;
    if (scale_overflowing(e, of_a, measured, shift)) measure_powers(e, largest, measured);
    if (e->s->failed) return;
    for (int64_t i = 0; i < e->count; i++) {
        const int exponent = -shift[i];
        e->squarings[i] = squarings_of(e, measured, of_a[i], i, exponent);
        shift[i] = exponent - e->squarings[i];
    }
    for (int k = 1; k <= 6; k += k == 1 ? 1 : 2) scale(e, e->power[k], shift, k);
}

/* Scales by the norms alone, if that makes few squarings (Higham 2005). */
static bool scale_by_norms(expm *e, const double *of_a, double largest, int *shift) {
    if (at_least(log2(largest / theta(e->dtype, e->degree))) > FEW_SQUARINGS) return false;
    for (int64_t i = 0; i < e->count; i++) {
        const bool plain = !isfinite(of_a[i]) || of_a[i] == 0;
        e->squarings[i] = plain ? 0 : at_least(log2(of_a[i] / theta(e->dtype, e->degree)));
        shift[i] = -e->squarings[i];
    }
    scale(e, e->power[1], shift, 1);
    multiply_powers(e);
    return true;
}

/* Chooses the degree, computes the powers it takes, and scales where norms are large. For each matrix, `numbers`
   has space for 1 + MOST_MEASURES numbers, and `integers` for two. */
static void find_powers(expm *e, double *numbers, int *integers) {
    double largest = 0;
    begin_measures(e, 1);
    measure_norms(e, e->power[1]);
    read_measures(e, numbers);
    if (e->s->failed) return;
    for (int64_t i = 0; i < e->count; i++)
        if (isfinite(numbers[i]) && numbers[i] > largest) largest = numbers[i];
    e->degree = largest <= theta(e->dtype, LOW) ? LOW : highest_degree(e->dtype);
    if (largest <= theta(e->dtype, e->degree)) {
        multiply_powers(e);
        return;
    }
    e->squarings = integers;
    if (scale_by_norms(e, numbers, largest, integers + e->count)) return;
    scale_powers(e, numbers, largest, numbers + e->count, integers + e->count);
}

/* ---- the approximant ------------------------------------------------------------------------ */

static const double low[] = {17297280, 8648640, 1995840, 277200, 25200, 1512, 56, 1};
static const double high[] = {64764752532480000.,
                              32382376266240000.,
                              7771770303897600.,
                              1187353796428800.,
                              129060195264000.,
                              10559470521600.,
                              670442572800.,
                              33522128640.,
                              1323241920.,
                              40840800.,
                              960960.,
                              16380.,
                              182.,
                              1.};

/* c2 A^2 + c4 A^4 + c6 A^6, and c0 on the diagonal. */
static gnd_array *sum_of_powers(expm *e, double c0, double c2, double c4, double c6) {
    const double c[7] = {[2] = c2, [4] = c4, [6] = c6};
    gnd_array *sum = gndi_step(e->s, GNDI_OP_multiply, gnd_arg_array(e->power[6]), gnd_arg_real(c6));
    for (int k = 4; k >= 2; k -= 2) {
        gndi_step_into(e->s, GNDI_OP_multiply, e->term, gnd_arg_array(e->power[k]), gnd_arg_real(c[k]), NULL);
        gndi_step_into(e->s, GNDI_OP_add, sum, gnd_arg_array(sum), gnd_arg_array(e->term), NULL);
    }
    if (c0 == 0 || e->s->failed) return sum;
    gnd_array *diagonal = gndi_temporaries_keep(e->s, gndi_diagonal(e->s->fn, sum, 0, -2, -1));
    gndi_step_into(e->s, GNDI_OP_add, diagonal, gnd_arg_array(diagonal), gnd_arg_real(c0), NULL);
    return sum;
}

/* The sum of every second term, from coefficient `first` on: degree 7 needs no power above 6, degree 13 adds A^6
   times the higher ones. */
static gnd_array *half(expm *e, int first) {
    const double *all = e->degree == LOW ? low : high;
    double b[HIGH + 1] = {0}; /* by the first, so that they are not above 1 */
    for (int k = first; k <= e->degree; k++) b[k - first] = all[k] / all[0];
    gnd_array *sum = sum_of_powers(e, b[0], b[2], b[4], b[6]);
    if (e->degree == LOW) return sum;
    gnd_array *above = sum_of_powers(e, 0, b[8], b[10], b[12]);
    if (!e->s->failed && gndi_matmul_into(e->s->fn, sum, e->power[6], above, gnd_arg_int(1), gnd_arg_int(1)))
        e->s->failed = true;
    return sum;
}

static gnd_array *approximant(expm *e) {
    e->term = new_c(e, 3, (int64_t[]){e->count, e->n, e->n}, e->dtype);
    gnd_array *odd = half(e, 1), *v = half(e, 0);
    gnd_array *u = e->s->failed ? NULL : product(e, e->power[1], odd);
    gnd_array *below = gndi_step(e->s, GNDI_OP_subtract, gnd_arg_array(v), gnd_arg_array(u));
    gnd_array *above = gndi_step(e->s, GNDI_OP_add, gnd_arg_array(v), gnd_arg_array(u));
    if (e->s->failed) return NULL;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_SOLVE, below);
    plan.quiet = true; /* only what is not finite could be singular, and it gives NaN anyway */
    plan.b = gndi_lapack_matrices(above);
    plan.columns = e->n;
    gndi_lapack_submit(e->s, &plan, 0, NULL, 2, (gnd_array *[]){below, above});
    return above;
}

/* ---- squaring ------------------------------------------------------------------------------- */

/* to[first : first + count] = from[first : first + count]. */
static void copy_matrices(expm *e, gnd_array *to, const gnd_array *from, int64_t first, int64_t count) {
    if (e->s->failed || count == 0) return;
    gndi_temporaries part = {.fn = e->s->fn};
    gnd_array *target = gndi_step_part(&part, to, 0, first, count, 1);
    gnd_array *source = gndi_step_part(&part, from, 0, first, count, 1);
    if (!part.failed && gndi_copy_into(part.fn, target, source)) part.failed = true;
    gndi_temporaries_end_part(e->s, &part);
}

/* Squares the first counts[t] matrices in step t = 0, 1, ... until there are none; those that are not squared
   again go to `result`. */
static void square_prefixes(expm *e, const gnd_array *x, const int64_t *counts, gnd_array *result) {
    gnd_array *current = e->s->failed ? NULL : gndi_array_alias(e->s->fn, x);
    int64_t have = e->count;
    for (int t = 0; current && have > 0; t++) {
        gndi_temporaries part = {.fn = e->s->fn};
        const int64_t next = counts[t];
        copy_matrices(e, result, current, next, have - next);
        gnd_array *prefix = gndi_step_part(&part, current, 0, 0, next, 1);
        gnd_array *squared = NULL;
        if (next > 0 && prefix && !e->s->failed) squared = gndi_matmul(part.fn, prefix, prefix, false);
        gndi_temporaries_end_part(e->s, &part);
        gnd_release(current);
        current = squared, have = next;
    }
    if (have > 0) e->s->failed = true;
    gnd_release(current);
}

/* The matrices in another order. */
static gnd_array *reordered(expm *e, const gnd_array *x, const int64_t *order) {
    gnd_array *indices = uploaded(e, order, GND_INT64);
    if (e->s->failed) return NULL;
    return gndi_temporaries_keep(e->s, gnd_take(x, indices, GND_AXES(0), GND_RAISE));
}

/* Squares each matrix as often as it needs. A counting sort puts those that need more squarings first: `counts` has
   space for one more than the most squarings. */
static gnd_array *squared(expm *e, gnd_array *x, int most, int64_t *counts, int64_t *order, int64_t *back) {
    for (int t = 0; t <= most; t++) counts[t] = 0;
    for (int64_t i = 0; i < e->count; i++)
        for (int t = 0; t < e->squarings[i]; t++) counts[t]++;
    const bool sorted = counts[most - 1] == e->count; /* all need the same */
    if (!sorted) {
        int64_t next = 0;
        for (int t = most; t >= 0; t--)
            for (int64_t i = 0; i < e->count; i++)
                if (e->squarings[i] == t) back[i] = next, order[next++] = i;
        x = reordered(e, x, order);
    }
    gnd_array *result = new_c(e, 3, (int64_t[]){e->count, e->n, e->n}, e->dtype);
    if (e->s->failed) return NULL;
    square_prefixes(e, x, counts, result);
    return sorted ? result : reordered(e, result, back);
}

static gnd_array *square_all(expm *e, gnd_array *x) {
    int most = 0;
    if (e->s->failed || !e->squarings) return x;
    for (int64_t i = 0; i < e->count; i++)
        if (e->squarings[i] > most) most = e->squarings[i];
    if (most == 0) return x;
    int64_t *workspace = gndi_malloc(e->s->fn, (size_t)(most + 1 + 2 * e->count) * sizeof *workspace);
    if (!workspace) return e->s->failed = true, NULL;
    gnd_array *result = squared(e, x, most, workspace, workspace + most + 1, workspace + most + 1 + e->count);
    gndi_free(workspace);
    return result;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* 1 x 1 matrices: the exponentials of their elements. */
static gnd_array *of_numbers(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    gnd_array *copy = gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
    if (copy && copy->size) gndi_step_into(s, GNDI_OP_exp, copy, gnd_arg_array(copy), gnd_arg_none(), NULL);
    return copy;
}

static gnd_array *of_matrices(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    const int64_t n = a->shape[a->ndim - 1];
    expm e = {.s = s, .dtype = dtype, .count = gndi_matrix_count(a), .n = n};
    gnd_array *transposed = gndi_matrices_transposed(s, a);
    if (s->failed) return NULL;
    gnd_array *copy = gndi_temporaries_keep(s, gndi_copy_as(s->fn, transposed, dtype, 'C'));
    if (!copy) return NULL;
    e.power[1] = gndi_temporaries_keep(s, gndi_reshaped(s->fn, copy, 3, (const int64_t[]){e.count, n, n}));
    const size_t each = (1 + MOST_MEASURES) * sizeof(double) + 2 * sizeof(int);
    double *workspace = s->failed ? NULL : gndi_malloc(s->fn, (size_t)e.count * each);
    if (!workspace) return s->failed = true, NULL;
    find_powers(&e, workspace, (int *)(void *)(workspace + (1 + MOST_MEASURES) * e.count));
    gnd_array *result = s->failed ? NULL : square_all(&e, approximant(&e));
    gndi_free(workspace);
    if (s->failed) return NULL;
    result = gndi_temporaries_keep(s, gndi_reshaped(s->fn, result, a->ndim, a->shape));
    return result ? gndi_matrices_transposed(s, result) : NULL;
}

gnd_array *gnd_expm(const gnd_array *a) {
    GNDI_PARTS_OF("gnd_expm");
    gndi_temporaries s = {.fn = "gnd_expm"};
    if (!gndi_check_square(s.fn, a, "a")) return NULL;
    const gnd_dtype dtype = gndi_lapack_dtype(s.fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return NULL;
    if (a->size == 0 || a->shape[a->ndim - 1] == 1) return gndi_temporaries_end(&s, of_numbers(&s, a, dtype));
    return gndi_temporaries_end(&s, of_matrices(&s, a, dtype));
}
