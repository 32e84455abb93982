/*
 * place_poles.c: feedback that gives a linear system its poles (scipy.signal.place_poles).
 *
 * An eigenvector of a - b K for the pole p is any vector of the kernel of u1^T (a - p), where the columns of u1
 * complete those of b to a basis. One is chosen from each kernel so that they are as independent as possible: the
 * methods change one, or a pair, at a time, and |det(X)| of the matrix X of them grows. K follows from X.
 * The vectors of a pair of poles are kept as the real and the imaginary part of the first.
 */
#include "systems/systems.h"
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct placing {
    gndi_scratch *s;
    int64_t n, inputs, rank; /* rank: of b, and the dimension of the kernels */
    const gndi_complex *a, *b;
    gndi_complex *poles;
    gndi_complex **kernel; /* of each pole: n x rank, of a pair the same */
    gndi_complex *x;       /* n x n, the chosen vectors as columns, real */
    gndi_complex *q, *r, *work;
} placing;

static bool is_real(gndi_complex z) {
    return cimag(z) == 0;
}

static bool near(double a, double b) { /* numpy.allclose */
    return fabs(a - b) <= 1e-8 + 1e-5 * fabs(b);
}

static bool near_zero(int64_t n, const gndi_complex *x) {
    for (int64_t i = 0; i < n; i++)
        if (!(cabs(x[i]) <= 1e-8)) return false;
    return true;
}

static double norm(int64_t n, const gndi_complex *x) {
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum = hypot(sum, cabs(x[i]));
    return sum;
}

/* ---- poles ---------------------------------------------------------------------------------- */

static int by_parts(const void *a, const void *b) {
    const gndi_complex x = *(const gndi_complex *)a, y = *(const gndi_complex *)b;
    if (creal(x) != creal(y)) return creal(x) < creal(y) ? -1 : 1;
    return (cimag(x) > cimag(y)) - (cimag(x) < cimag(y));
}

/* Real poles first, then pairs, the negative imaginary part in front. False: one has no conjugate. */
static bool order_poles(int64_t n, gndi_complex *poles, gndi_complex *work) {
    int64_t count = 0;
    qsort(poles, (size_t)n, sizeof(*poles), by_parts);
    for (int64_t i = 0; i < n; i++)
        if (is_real(poles[i])) work[count++] = poles[i];
    for (int64_t i = 0; i < n; i++) {
        bool paired = false;
        for (int64_t j = 0; j < n; j++) paired |= poles[j] == conj(poles[i]);
        if (cimag(poles[i]) < 0 && paired && count + 2 <= n) {
            work[count++] = poles[i];
            work[count++] = conj(poles[i]);
        }
    }
    memcpy(poles, work, (size_t)n * sizeof(*poles));
    return count == n;
}

static bool check_poles(placing *p, int64_t count, const gnd_place_options *o) {
    gndi_scratch *s = p->s;
    if (count != p->n)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "there must be %lld poles, one for each state, and not %lld",
                                 (long long)p->n, (long long)count);
    if (!order_poles(p->n, p->poles, p->work))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "poles that are not real must come with their conjugates");
    for (int64_t i = 0; i < p->n; i++) {
        int64_t same = 0;
        for (int64_t j = 0; j < p->n; j++) same += p->poles[j] == p->poles[i];
        if (same > p->rank)
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "a pole occurs %lld times, and the rank of b is %lld",
                                     (long long)same, (long long)p->rank);
        if (o->method == GND_PLACE_KNV0 && !is_real(p->poles[i]))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "GND_PLACE_KNV0 places real poles only");
    }
    return true;
}

/* ---- one vector, or a pair, at a time ------------------------------------------------------- */

/* q: a basis whose last vectors are orthogonal to all columns of x but i and j. */
static void others(placing *p, int64_t i, int64_t j) {
    const int64_t n = p->n, columns = n - (i == j ? 1 : 2);
    for (int64_t row = 0, k = 0; row < n; row++)
        for (int64_t c = 0; c < n; c++)
            if (c != i && c != j) p->r[k++] = p->x[row * n + c];
    gndi_host_qr(n, columns, p->r, p->q, p->work);
}

static gndi_complex *column(placing *p, const gndi_complex *m, int64_t columns, int64_t j, gndi_complex *out) {
    for (int64_t i = 0; i < p->n; i++) out[i] = m[i * columns + j];
    return out;
}

static void set_column(placing *p, int64_t j, const gndi_complex *v, double scale, bool imaginary) {
    for (int64_t i = 0; i < p->n; i++) p->x[i * p->n + j] = scale * (imaginary ? cimag(v[i]) : creal(v[i]));
}

/* out (n) = m m^H v, for m (n x columns). */
static void project(placing *p, int64_t rows, int64_t columns, const gndi_complex *m, const gndi_complex *v,
                    gndi_complex *out) {
    (void)p;
    for (int64_t i = 0; i < rows; i++) out[i] = 0;
    for (int64_t c = 0; c < columns; c++) {
        gndi_complex t = 0;
        for (int64_t i = 0; i < rows; i++) t += conj(m[i * columns + c]) * v[i];
        for (int64_t i = 0; i < rows; i++) out[i] += t * m[i * columns + c];
    }
}

/* The vector j becomes what the others leave free. */
static void update_one(placing *p, int64_t j, gndi_complex *work) {
    const int64_t n = p->n;
    gndi_complex *y = work + n;
    others(p, j, j);
    project(p, n, p->rank, p->kernel[j], column(p, p->q, n, n - 1, work), y);
    if (!near_zero(n, y)) set_column(p, j, y, 1 / norm(n, y), false);
}

/* m (rank x rank) = ki^H (u v^H - v' u'^H) kj. */
static void between(placing *p, const gndi_complex *ki, const gndi_complex *kj, const gndi_complex *u,
                    const gndi_complex *v, const gndi_complex *w, const gndi_complex *z, gndi_complex *m) {
    const int64_t n = p->n, r = p->rank;
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < r; j++) {
            gndi_complex iu = 0, iw = 0, vj = 0, zj = 0;
            for (int64_t k = 0; k < n; k++) {
                iu += conj(ki[k * r + i]) * u[k], iw += conj(ki[k * r + i]) * w[k];
                vj += conj(v[k]) * kj[k * r + j], zj += conj(z[k]) * kj[k * r + j];
            }
            m[i * r + j] = iu * vj - iw * zj;
        }
}

/* out (n rows of `width`, from column `at` on) = kernel m, of `count` columns of m (rank x rank). */
static void from_kernel(placing *p, const gndi_complex *kernel, const gndi_complex *m, int64_t count,
                        gndi_complex *out) {
    const int64_t r = p->rank;
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t c = 0; c < count; c++) {
            gndi_complex t = 0;
            for (int64_t k = 0; k < r; k++) t += kernel[i * r + k] * m[k * r + c];
            out[i * count + c] = t;
        }
}

/* work: 2 rank^2 + 8 n, and the values rank. */
static void update_real(placing *p, int64_t i, int64_t j, gndi_complex *work, double *values) {
    const int64_t n = p->n, r = p->rank;
    gndi_complex *m = work, *v = m + r * r, *u = v + r * r, *w = u + n, *both = w + n, *old = both + 4 * n;
    gndi_complex *made = u; /* 2 n: u and w are done with by then */
    others(p, i, j);
    column(p, p->q, n, n - 2, u), column(p, p->q, n, n - 1, w);
    between(p, p->kernel[i], p->kernel[j], u, w, w, u, m);
    gndi_host_svd(r, r, m, values, v);
    const int64_t count = near(values[0], values[1]) ? 2 : 1;
    from_kernel(p, p->kernel[i], m, count, both);
    from_kernel(p, p->kernel[j], v, count, both + n * count);
    column(p, p->x, n, i, old), column(p, p->x, n, j, old + n);
    project(p, 2 * n, count, both, old, made);
    const bool none = near_zero(2 * n, made);
    for (int64_t k = 0; none && k < 2 * n; k++) made[k] = both[k * count];
    const double scale = none ? 1 : sqrt(2) / norm(2 * n, made);
    set_column(p, i, made, scale, false);
    set_column(p, j, made + n, scale, false);
}

static void update_pair(placing *p, int64_t i, int64_t j, gndi_complex *work, double *values) {
    const int64_t n = p->n, r = p->rank;
    gndi_complex *m = work, *v = m + r * r, *u = v + r * r, *w = u + n, *both = w + n, *old = both + 4 * n;
    others(p, i, j);
    for (int64_t k = 0; k < n; k++) {
        u[k] = sqrt(2) * (p->q[k * n + n - 2] + I * p->q[k * n + n - 1]);
        w[k] = conj(u[k]);
        old[k] = p->x[k * n + i] + I * p->x[k * n + j];
    }
    between(p, p->kernel[i], p->kernel[i], u, u, w, w, m);
    gndi_host_svd(r, r, m, values, v); /* m is Hermitian: eigenvectors, from the largest value down */
    const int64_t count = near(values[0], values[1]) ? 2 : 1;
    from_kernel(p, p->kernel[i], m, count, both);
    project(p, n, count, both, old, u);
    const bool none = near_zero(n, u);
    for (int64_t k = 0; none && k < n; k++) u[k] = both[k * count];
    const double scale = none ? 1 : 1 / norm(n, u);
    set_column(p, i, u, scale, false);
    set_column(p, j, u, scale, true);
}

/* ---- the order of the updates --------------------------------------------------------------- */

/* Which vectors are changed together in an iteration, in Tits and Yang's order as SciPy has it; of one real pole the
   vector alone. */
typedef struct pairs {
    int64_t count, most;
    int64_t (*at)[2];
} pairs;

static void add_pair(pairs *p, int64_t i, int64_t j) {
    if (p->count < p->most) p->at[p->count][0] = i - 1, p->at[p->count][1] = j - 1;
    p->count++;
}

/* What ends each part of the order: the lone real pole, and the pairs. */
static void add_rest(pairs *p, int64_t reals, int64_t n, bool lone) {
    if (lone && reals == 1) add_pair(p, 1, 1);
    for (int64_t i = reals + 1; i <= n; i += 2) add_pair(p, i, i + 1);
}

static void order_updates(pairs *p, int64_t reals, int64_t n) {
    const int64_t half = reals / 2, up = half + reals % 2;
    p->count = 0;
    if (reals > 0) add_pair(p, reals, 1);
    for (int64_t i = 1; i < up; i++) add_pair(p, 2 * i, 2 * i + 1);
    add_rest(p, reals, n, false);
    for (int64_t i = 1; i <= half; i++) add_pair(p, 2 * i - 1, 2 * i);
    add_rest(p, reals, n, true);
    for (int64_t j = 2; j < up; j++)
        for (int64_t i = 1; i <= half; i++) add_pair(p, i, i + j);
    add_rest(p, reals, n, true);
    for (int64_t j = 2; j < up; j++)
        for (int64_t i = half + 1; i <= reals; i++) add_pair(p, i, i + j > reals ? i + j - reals : i + j);
    add_rest(p, reals, n, true);
    for (int64_t i = 1; i <= half; i++) add_pair(p, i, i + half);
    add_rest(p, reals, n, true);
}

static bool make_pairs(placing *p, pairs *order) {
    int64_t reals = 0;
    for (int64_t i = 0; i < p->n; i++) reals += is_real(p->poles[i]);
    *order = (pairs){0};
    order_updates(order, reals, p->n);
    order->most = order->count;
    order->at = gndi_scratch_get(p->s, order->most, sizeof(*order->at));
    if (order->at) order_updates(order, reals, p->n);
    return !p->s->failed;
}

static double determinant(placing *p) {
    memcpy(p->r, p->x, (size_t)(p->n * p->n) * sizeof(*p->x));
    return gndi_host_abs_determinant(p->n, p->r);
}

static void iterate(placing *p, const gnd_place_options *o, gnd_placed_poles *out) {
    const double rtol = o->rtol != 0 ? o->rtol : 1e-3, least = sqrt(DBL_EPSILON);
    const int most = o->maxiter ? o->maxiter : 30;
    gndi_complex *work = gndi_scratch_complex(p->s, 2 * p->rank * p->rank + 8 * p->n);
    double *values = gndi_scratch_doubles(p->s, p->rank);
    pairs order = {0};
    if (p->s->failed || (o->method == GND_PLACE_YT && !make_pairs(p, &order))) return;
    out->converged = false;
    while (out->iterations < most && !out->converged) {
        const double before = determinant(p);
        for (int64_t j = 0; o->method == GND_PLACE_KNV0 && j < p->n; j++) update_one(p, j, work);
        for (int64_t k = 0; k < order.count; k++) {
            const int64_t i = order.at[k][0], j = order.at[k][1];
            if (i == j)
                update_one(p, i, work);
            else if (is_real(p->poles[i]))
                update_real(p, i, j, work, values);
            else
                update_pair(p, i, j, work, values);
        }
        const double now = fmax(least, determinant(p));
        out->rtol = fabs((now - before) / now);
        out->converged = out->rtol < rtol && now > least;
        out->iterations++;
    }
    out->converged |= rtol < 0;
}

/* ---- the whole ------------------------------------------------------------------------------ */

/* The kernels, and a vector of each: the sum of its basis. u: n x n, the basis of b. */
static bool make_kernels(placing *p, const gndi_complex *u) {
    const int64_t n = p->n, rank = p->rank, rest = n - rank;
    p->kernel = gndi_scratch_get(p->s, n, sizeof(*p->kernel));
    gndi_complex *space = gndi_scratch_complex(p->s, n * rest), *q = gndi_scratch_complex(p->s, n * n);
    gndi_complex *sum = gndi_scratch_complex(p->s, n);
    for (int64_t j = 0; j < n && !p->s->failed; j++) {
        if (j > 0 && !is_real(p->poles[j]) && p->poles[j] == conj(p->poles[j - 1]) && cimag(p->poles[j]) > 0) {
            p->kernel[j] = p->kernel[j - 1];
            continue;
        }
        for (int64_t i = 0; i < n; i++) /* (u1^T (a - pole))^T */
            for (int64_t k = 0; k < rest; k++) {
                gndi_complex t = -p->poles[j] * u[i * n + rank + k];
                for (int64_t l = 0; l < n; l++) t += u[l * n + rank + k] * p->a[l * n + i];
                space[i * rest + k] = t;
            }
        gndi_host_qr(n, rest, space, q, p->work);
        gndi_complex *kernel = p->kernel[j] = gndi_scratch_complex(p->s, n * rank);
        if (!kernel) return false;
        for (int64_t i = 0; i < n; i++) {
            sum[i] = 0;
            for (int64_t k = 0; k < rank; k++) sum[i] += kernel[i * rank + k] = q[i * n + rest + k];
        }
        const double scale = 1 / norm(n, sum);
        set_column(p, j, sum, scale, false);
        if (!is_real(p->poles[j])) set_column(p, j + 1, sum, scale, true);
    }
    return !p->s->failed;
}

/* X with pairs as conjugates, and K: z K = u0^T (X diag(poles) X^-1 - a). z: the first `rank` rows of r of b. */
static bool gain_of_vectors(placing *p, const gndi_complex *u, gndi_complex *z, gndi_complex *gain) {
    const int64_t n = p->n, r = p->rank;
    gndi_complex *xt = gndi_scratch_complex(p->s, n * n), *m = gndi_scratch_complex(p->s, n * n);
    if (p->s->failed) return false;
    for (int64_t j = 0; j + 1 < n; j++) {
        if (is_real(p->poles[j])) continue;
        for (int64_t i = 0; i < n; i++) {
            const gndi_complex re = p->x[i * n + j], im = p->x[i * n + j + 1];
            p->x[i * n + j] = re - I * im, p->x[i * n + j + 1] = re + I * im;
        }
        j++;
    }
    gndi_host_transpose(n, n, p->x, false, xt);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) m[i * n + j] = p->poles[i] * xt[i * n + j];
    if (r != p->inputs || !gndi_host_solve(n, xt, n, m)) return false;
    for (int64_t i = 0; i < r; i++)
        for (int64_t j = 0; j < n; j++) {
            gndi_complex t = 0;
            for (int64_t k = 0; k < n; k++) t += u[k * n + i] * (m[j * n + k] - p->a[k * n + j]);
            gain[i * n + j] = t;
        }
    return gndi_host_solve(r, z, n, gain);
}

/* K of b with as many independent columns as there are states: the least solution of b K = diag - a. */
static bool gain_of_whole(placing *p, gndi_complex *gain) {
    const int64_t n = p->n, m = p->inputs;
    gndi_complex *bt = gndi_scratch_complex(p->s, m * n), *v = gndi_scratch_complex(p->s, n * n);
    gndi_complex *wanted = gndi_scratch_complex(p->s, n * n);
    double *values = gndi_scratch_doubles(p->s, n);
    if (p->s->failed) return false;
    for (int64_t i = 0; i < n * n; i++) wanted[i] = -p->a[i], p->x[i] = i % (n + 1) == 0;
    for (int64_t i = 0; i < n; i++) {
        wanted[i * n + i] += creal(p->poles[i]);
        if (is_real(p->poles[i])) continue;
        wanted[i * n + i + 1] -= cimag(p->poles[i]);
        wanted[(i + 1) * n + i + 1] += creal(p->poles[i]);
        wanted[(i + 1) * n + i] += cimag(p->poles[i]);
        i++;
    }
    gndi_host_transpose(n, m, p->b, false, bt);
    gndi_host_svd(m, n, bt, values, v); /* b^T = u s v^T, so K = u s^-1 v^T wanted */
    for (int64_t i = 0; i < m * n; i++) gain[i] = 0;
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0; j < n; j++) {
            gndi_complex t = 0;
            for (int64_t l = 0; l < n; l++) t += v[l * n + k] * wanted[l * n + j];
            for (int64_t i = 0; i < m; i++) gain[i * n + j] += bt[i * n + k] * (t / values[k]);
        }
    return true;
}

static int64_t rank_of(gndi_scratch *s, int64_t rows, int64_t columns, const gndi_complex *b) {
    const bool wide = columns > rows;
    const int64_t m = wide ? columns : rows, n = wide ? rows : columns;
    gndi_complex *a = gndi_scratch_complex(s, m * n), *v = gndi_scratch_complex(s, n * n);
    double *values = gndi_scratch_doubles(s, n);
    int64_t rank = 0;
    if (s->failed) return 0;
    if (wide)
        gndi_host_transpose(rows, columns, b, false, a);
    else
        memcpy(a, b, (size_t)(m * n) * sizeof(*a));
    gndi_host_svd(m, n, a, values, v);
    for (int64_t i = 0; i < n; i++) rank += values[i] > values[0] * (double)m * DBL_EPSILON;
    return rank;
}

/* The gain (inputs x n); out gets what the iterations tell. */
static bool place(placing *p, const gnd_place_options *o, gnd_placed_poles *out, gndi_complex *gain) {
    const int64_t n = p->n, m = p->inputs;
    out->converged = true;
    if (p->rank == n) {
        out->rtol = NAN, out->iterations = -1;
        if (!gain_of_whole(p, gain)) return false;
    } else {
        gndi_complex *u = gndi_scratch_complex(p->s, n * n), *z = gndi_scratch_complex(p->s, n * m);
        if (p->s->failed) return false;
        memcpy(z, p->b, (size_t)(n * m) * sizeof(*z));
        gndi_host_qr(n, m, z, u, p->work);
        if (!make_kernels(p, u)) return false;
        if (p->rank > 1) iterate(p, o, out);
        if (p->s->failed) return false;
        if (!gain_of_vectors(p, u, z, gain))
            return !p->s->failed && gndi_scratch_fail(p->s, GND_ERROR_VALUE,
                                                      "these poles cannot be placed: are all states controllable, and "
                                                      "the columns of b independent?");
    }
    for (int64_t i = 0; i < m * n; i++) gain[i] = -creal(gain[i]);
    return true;
}

static void give(placing *p, const gndi_complex *gain, gnd_placed_poles *out) {
    const int64_t n = p->n, m = p->inputs;
    double *reals = gndi_scratch_doubles(p->s, m * n);
    gndi_complex *closed = gndi_scratch_complex(p->s, n * n), *values = gndi_scratch_complex(p->s, n);
    if (p->s->failed) return;
    gndi_host_product(n, m, n, p->b, gain, closed);
    for (int64_t i = 0; i < n * n; i++) closed[i] = p->a[i] - closed[i];
    for (int64_t i = 0; i < m * n; i++) reals[i] = creal(gain[i]);
    if (!gndi_eigenvalues(p->s, n, closed, true, values)) return;
    order_poles(n, values, p->work);
    out->gain_matrix = gndi_matrix_of_doubles(p->s, m, n, reals);
    out->computed_poles = gndi_array_of_complex(p->s, n, values);
    out->requested_poles = gndi_array_of_complex(p->s, n, p->poles);
    out->x = gndi_matrix_of_complex(p->s, n, n, p->x);
}

static bool read_real(gndi_scratch *s, const gnd_array *array, const char *name, gndi_numbers *m) {
    if (!gndi_numbers_read_any(s, array, name, m)) return false;
    if (array->ndim != 2)
        return gndi_scratch_fail(s, GND_ERROR_SHAPE, "%s must be a matrix, and is %s", name, gndi_text_array(array));
    if (!m->real)
        return gndi_scratch_fail(s, GND_ERROR_DTYPE, "%s must be real, and is %s", name, gndi_text_array(array));
    for (int64_t i = 0; i < m->n; i++)
        if (!isfinite(creal(m->at[i]))) return gndi_scratch_fail(s, GND_ERROR_VALUE, "%s must be finite", name);
    return true;
}

static bool read_all(placing *p, const gnd_array *a, const gnd_array *b, const gnd_array *poles,
                     const gnd_place_options *o) {
    gndi_numbers am, bm, values;
    if (!read_real(p->s, a, "a", &am) || !read_real(p->s, b, "b", &bm) ||
        !gndi_numbers_read(p->s, poles, "poles", &values))
        return false;
    if (a->shape[0] != a->shape[1] || b->shape[0] != a->shape[0] || bm.n == 0)
        return gndi_scratch_fail(p->s, GND_ERROR_SHAPE, "a must be n x n and b n x inputs, and they are %s and %s",
                                 gndi_text_array(a), gndi_text_array(b));
    if (o->method != GND_PLACE_YT && o->method != GND_PLACE_KNV0)
        return gndi_scratch_fail(p->s, GND_ERROR_INVALID, "there is no method %d", (int)o->method);
    if (o->maxiter < 0) return gndi_scratch_fail(p->s, GND_ERROR_VALUE, "maxiter must not be %d", o->maxiter);
    if (!(o->rtol <= 1)) return gndi_scratch_fail(p->s, GND_ERROR_VALUE, "rtol must be up to 1, not %g", o->rtol);
    const int64_t n = p->n = a->shape[0];
    p->inputs = b->shape[1], p->a = am.at, p->b = bm.at, p->poles = values.at;
    p->x = gndi_scratch_complex(p->s, n * n), p->q = gndi_scratch_complex(p->s, n * n);
    p->r = gndi_scratch_complex(p->s, n * n), p->work = gndi_scratch_complex(p->s, n);
    p->rank = rank_of(p->s, n, p->inputs, p->b);
    return !p->s->failed && check_poles(p, values.n, o);
}

gnd_status gnd_place_poles(gnd_placed_poles *placed, const gnd_array *a, const gnd_array *b, const gnd_array *poles,
                           const gnd_place_options *options) {
    static const gnd_place_options standard;
    const gnd_place_options *o = options ? options : &standard;
    gndi_scratch s = {.fn = "gnd_place_poles"};
    placing p = {.s = &s};
    if (!placed) return gndi_raise_null(s.fn, "placed");
    memset(placed, 0, sizeof(*placed));
    if (read_all(&p, a, b, poles, o)) {
        gndi_complex *gain = gndi_scratch_complex(&s, p.inputs * p.n);
        if (gain && place(&p, o, placed, gain)) give(&p, gain, placed);
    }
    const gnd_status status = gndi_scratch_end(&s);
    if (status) gnd_placed_poles_release(placed);
    return status;
}

void gnd_placed_poles_release(gnd_placed_poles *placed) {
    if (!placed) return;
    gnd_array *parts[] = {placed->gain_matrix, placed->computed_poles, placed->requested_poles, placed->x};
    for (int i = 0; i < 4; i++) gnd_release(parts[i]);
    memset(placed, 0, sizeof(*placed));
}
