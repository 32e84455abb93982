/*
 * lapack_cpu_factor.c: factors of matrices, and systems, on the CPU: one body for each operation, which
 * calls LAPACK for one matrix of the batch.
 */
#include "linalg/cpu/lapack_cpu.h"
#include <math.h>

enum {
    MOST_COLUMNS = 1 << 30, /* right sides in one call: LAPACK counts in 32 bits */
    INVERSE_BLOCK = 64,     /* columns that getri takes at a time */
};

static const char transposes[] = {'N', 'T', 'C'};

/* ---- LU ------------------------------------------------------------------------------------- */

/* a = its factors. LAPACK's info: the first pivot that is zero. */
static int factor(const gndi_lapack_job *job, int64_t i, int *pivots) {
    const gndi_lapack_plan *p = job->plan;
    const int m = (int)p->m, n = (int)p->n, lda = gndi_lapack_ld(&p->a);
    int info = 0;
    GNDI_LAPACK_OF(job->blas, job->type, getrf)
    (&m, &n, gndi_lapack_at(&p->a, i), &lda, pivots, &info);
    return info;
}

/* b = op(A)^-1 b, of factors. */
static void solve(const gndi_lapack_job *job, int64_t i, const int *pivots) {
    const gndi_lapack_plan *p = job->plan;
    const int n = (int)p->n, lda = gndi_lapack_ld(&p->a), ldb = gndi_lapack_ld(&p->b);
    char *b = gndi_lapack_at(&p->b, i);
    for (int64_t k = 0; k < p->columns; k += MOST_COLUMNS) {
        const int columns = (int)(p->columns - k < MOST_COLUMNS ? p->columns - k : MOST_COLUMNS);
        int info = 0;
        GNDI_LAPACK_OF(job->blas, job->type, getrs)
        (&transposes[p->transpose], &n, &columns, gndi_lapack_at(&p->a, i), &lda, pivots,
         b + k * p->b.ld * gndi_dtype_sizes[p->dtype], &ldb, &info, 1);
    }
}

static int *own_pivots(const gndi_lapack_plan *p, int64_t i) {
    return p->pivots + i * (p->m < p->n ? p->m : p->n);
}

static int lu(const gndi_lapack_job *job, int64_t i, char *work) {
    (void)work;
    factor(job, i, own_pivots(job->plan, i));
    return 0;
}

static int lu_solve(const gndi_lapack_job *job, int64_t i, char *work) {
    (void)work;
    solve(job, i, own_pivots(job->plan, i));
    return 0;
}

static int factor_and_solve(const gndi_lapack_job *job, int64_t i, char *work) {
    int *pivots = (int *)(void *)work;
    const int info = factor(job, i, pivots);
    if (info == 0) solve(job, i, pivots);
    return info;
}

static void spoil_solution(const gndi_lapack_job *job, int64_t i) {
    const gndi_lapack_plan *p = job->plan;
    gndi_lapack_spoil(&p->b, i, p->n, p->columns, p->dtype);
}

static int permutation(const gndi_lapack_job *job, int64_t i, char *work) {
    const gndi_lapack_plan *p = job->plan;
    const int *pivots = own_pivots(p, i);
    int64_t *to = p->permutation + i * p->m;
    (void)work;
    for (int64_t k = 0; k < p->m; k++) to[k] = k;
    for (int64_t k = (p->m < p->n ? p->m : p->n) - 1; k >= 0; k--) {
        const int64_t before = to[k];
        to[k] = to[pivots[k] - 1], to[pivots[k] - 1] = before;
    }
    return 0;
}

/* ---- inverses ------------------------------------------------------------------------------- */

static void spoil_inverse(const gndi_lapack_job *job, int64_t i) {
    const gndi_lapack_plan *p = job->plan;
    gndi_lapack_spoil(&p->b, i, p->n, p->n, p->dtype);
}

/* The inverse, into b. (getrs with the identity as right sides takes 1.6 to 2 times as long: 12.3 us and 5.8 after
   getrf for 32 x 32 doubles, 10.0 ms and 6.2 for 512 x 512.) */
static int inverse(const gndi_lapack_job *job, int64_t i, char *work) {
    const gndi_lapack_plan *p = job->plan;
    const int64_t item = gndi_dtype_sizes[p->dtype];
    const int n = (int)p->n, ldb = gndi_lapack_ld(&p->b), lwork = n * INVERSE_BLOCK;
    const char *a = gndi_lapack_at(&p->a, i);
    char *b = gndi_lapack_at(&p->b, i);
    int *pivots = (int *)(void *)(work + lwork * item);
    int info = 0;
    for (int64_t k = 0; k < p->n; k++) memcpy(b + k * p->b.ld * item, a + k * p->a.ld * item, (size_t)(p->n * item));
    GNDI_LAPACK_OF(job->blas, job->type, getrf)(&n, &n, b, &ldb, pivots, &info);
    if (info == 0) GNDI_LAPACK_OF(job->blas, job->type, getri)(&n, b, &ldb, pivots, work, &lwork, &info);
    return info;
}

/* ---- determinants --------------------------------------------------------------------------- */

typedef struct determinant {
    double re, im;    /* of absolute value 1, or 0 */
    double logarithm; /* of the absolute value */
} determinant;

static void load_number(const char *from, int type, double *re, double *im) {
    *im = 0;
    switch (type) {
    case GNDI_LAPACK_S: *re = *(const float *)(const void *)from; break;
    case GNDI_LAPACK_D: *re = *(const double *)(const void *)from; break;
    case GNDI_LAPACK_C:
        *re = ((const float *)(const void *)from)[0];
        *im = ((const float *)(const void *)from)[1];
        break;
    default: *re = ((const double *)(const void *)from)[0]; *im = ((const double *)(const void *)from)[1];
    }
}

static void set_number(char *to, int type, double value) {
    const bool narrow = type == GNDI_LAPACK_S || type == GNDI_LAPACK_C;
    if (narrow)
        *(float *)(void *)to = (float)value;
    else
        *(double *)(void *)to = value;
}

/* Multiplies a determinant by a factor. */
static void multiply(determinant *d, int type, double re, double im) {
    if (type == GNDI_LAPACK_S || type == GNDI_LAPACK_D) {
        if (re < 0) d->re = -d->re;
        d->logarithm += log(fabs(re));
        return;
    }
    const double length = hypot(re, im), x = re / length, y = im / length;
    const double real = d->re * x - d->im * y;
    d->im = d->re * y + d->im * x, d->re = real;
    d->logarithm += log(length);
}

/* The product of the pivots; each row that was exchanged flips the sign. */
static int find_determinant(const gndi_lapack_job *job, int64_t i, char *work) {
    const gndi_lapack_plan *p = job->plan;
    const int type = job->type;
    const int64_t item = gndi_dtype_sizes[p->dtype];
    const int64_t real = type == GNDI_LAPACK_S || type == GNDI_LAPACK_C ? 4 : 8;
    int *pivots = (int *)(void *)work;
    determinant d = {.re = 1};
    if (factor(job, i, pivots) > 0) {
        d.re = 0, d.logarithm = -INFINITY;
    } else {
        const char *pivot = gndi_lapack_at(&p->a, i);
        for (int64_t k = 0; k < p->n; k++, pivot += (p->a.ld + 1) * item) {
            double re, im;
            load_number(pivot, type, &re, &im);
            if (pivots[k] != k + 1) d.re = -d.re, d.im = -d.im;
            multiply(&d, type, re, im);
        }
    }
    set_number(p->w + i * real, type, d.logarithm);
    set_number(p->sign + i * item, type, d.re);
    if (item > real) set_number(p->sign + i * item + real, type, d.im);
    return 0;
}

/* ---- Cholesky ------------------------------------------------------------------------------- */

/* Zeros in the triangle that is not the factor. */
static void clear_triangle(const gndi_lapack_plan *p, char *a) {
    const size_t item = gndi_dtype_sizes[p->dtype];
    for (int64_t k = 0; k < p->n; k++, a += p->a.ld * (int64_t)item)
        if (p->lower)
            memset(a, 0, (size_t)k * item);
        else
            memset(a + (size_t)(k + 1) * item, 0, (size_t)(p->n - k - 1) * item);
}

static int cholesky(const gndi_lapack_job *job, int64_t i, char *work) {
    const gndi_lapack_plan *p = job->plan;
    const int n = (int)p->n, lda = gndi_lapack_ld(&p->a);
    char *a = gndi_lapack_at(&p->a, i);
    int info = 0;
    (void)work;
    GNDI_LAPACK_OF(job->blas, job->type, potrf)(p->lower ? "L" : "U", &n, a, &lda, &info, 1);
    if (info == 0 && p->clears) clear_triangle(p, a);
    return info;
}

static void spoil_factor(const gndi_lapack_job *job, int64_t i) {
    const gndi_lapack_plan *p = job->plan;
    gndi_lapack_spoil(&p->a, i, p->n, p->n, p->dtype);
}

static int cholesky_solve(const gndi_lapack_job *job, int64_t i, char *work) {
    const gndi_lapack_plan *p = job->plan;
    const int n = (int)p->n, lda = gndi_lapack_ld(&p->a), ldb = gndi_lapack_ld(&p->b);
    char *b = gndi_lapack_at(&p->b, i);
    (void)work;
    for (int64_t k = 0; k < p->columns; k += MOST_COLUMNS) {
        const int columns = (int)(p->columns - k < MOST_COLUMNS ? p->columns - k : MOST_COLUMNS);
        int info = 0;
        GNDI_LAPACK_OF(job->blas, job->type, potrs)
        (p->lower ? "L" : "U", &n, &columns, gndi_lapack_at(&p->a, i), &lda,
         b + k * p->b.ld * gndi_dtype_sizes[p->dtype], &ldb, &info, 1);
    }
    return 0;
}

/* ---- triangles ------------------------------------------------------------------------------ */

static int triangular_solve(const gndi_lapack_job *job, int64_t i, char *work) {
    const gndi_lapack_plan *p = job->plan;
    const int n = (int)p->n, lda = gndi_lapack_ld(&p->a), ldb = gndi_lapack_ld(&p->b);
    char *b = gndi_lapack_at(&p->b, i);
    int info = 0;
    (void)work;
    for (int64_t k = 0; k < p->columns && !info; k += MOST_COLUMNS) {
        const int columns = (int)(p->columns - k < MOST_COLUMNS ? p->columns - k : MOST_COLUMNS);
        GNDI_LAPACK_OF(job->blas, job->type, trtrs)
        (p->lower ? "L" : "U", &transposes[p->transpose], p->unit ? "U" : "N", &n, &columns, gndi_lapack_at(&p->a, i),
         &lda, b + k * p->b.ld * gndi_dtype_sizes[p->dtype], &ldb, &info, 1, 1, 1);
    }
    return info;
}

/* ---- the operations ------------------------------------------------------------------------- */

gnd_status gndi_cpu_lapack_factor(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn) {
    const double n = (double)plan->n, k = (double)plan->columns;
    const double systems = 2 * n * n * k, cubes = n * n * n;
    gndi_lapack_job job = {.plan = plan, .type = gndi_lapack_type(plan->dtype)};
    job.blas = gndi_openblas_get(fn);
    if (!job.blas) return GND_ERROR_UNAVAILABLE;
    job.fault = GNDI_FAULT_SINGULAR;
    switch (plan->op) {
    case GNDI_LAPACK_LU: job.body = lu, job.flops = n * n * (double)plan->m; break;
    case GNDI_LAPACK_LU_SOLVE: job.body = lu_solve, job.flops = systems; break;
    case GNDI_LAPACK_SOLVE: job.body = factor_and_solve, job.spoil = spoil_solution, job.flops = cubes + systems; break;
    case GNDI_LAPACK_INVERSE:
        job.body = inverse, job.spoil = spoil_inverse, job.flops = 3 * cubes;
        job.work_bytes = (size_t)plan->n * INVERSE_BLOCK * gndi_dtype_sizes[plan->dtype];
        break;
    case GNDI_LAPACK_DETERMINANT: job.body = find_determinant, job.flops = cubes; break;
    case GNDI_LAPACK_PERMUTATION: job.body = permutation, job.flops = (double)plan->m; break;
    case GNDI_LAPACK_CHOLESKY:
        job.body = cholesky, job.spoil = spoil_factor, job.flops = cubes / 2;
        job.fault = GNDI_FAULT_NOT_POSITIVE;
        break;
    case GNDI_LAPACK_CHOLESKY_SOLVE: job.body = cholesky_solve, job.flops = systems; break;
    default: job.body = triangular_solve, job.spoil = spoil_solution, job.flops = systems / 2; break;
    }
    /* Space for pivots that are not a result. */
    job.work_bytes += (size_t)plan->n * sizeof(int);
    return gndi_lapack_run(s, &job, fn);
}
