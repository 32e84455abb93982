/*
 * lapack_cpu_decompose.c: orthogonal factors, singular values and eigenvalues on the CPU: one body for
 * each operation, which calls LAPACK for one matrix of the batch. LAPACK is first asked for the size of its
 * workspace; each thread has that much, followed by what the body itself needs.
 *
 * A matrix that is not finite fails without a call: no iteration would converge, and some routines would
 * run for a long time.
 */
#include "array/view.h"
#include "linalg/cpu/lapack_cpu.h"
#include <float.h>
#include <math.h>

/* Offsets and lengths of the parts of a thread's workspace: numbers of the dtype, real numbers, integers. */
typedef struct workspace {
    int work, real, whole;
    size_t real_at, whole_at, own_at; /* own: of the body, as it says */
} workspace;

/* The routine of a job's type, of the real and of the complex ones. */
#define REAL_OF(job, name) ((job)->type == GNDI_LAPACK_S ? (job)->blas->s##name##_ : (job)->blas->d##name##_)
#define COMPLEX_OF(job, name) ((job)->type == GNDI_LAPACK_C ? (job)->blas->c##name##_ : (job)->blas->z##name##_)

static bool is_complex(const gndi_lapack_job *job) {
    return job->type >= GNDI_LAPACK_C;
}

static bool is_narrow(const gndi_lapack_job *job) {
    return job->type == GNDI_LAPACK_S || job->type == GNDI_LAPACK_C;
}

static int64_t real_size(const gndi_lapack_job *job) {
    return is_narrow(job) ? 4 : 8;
}

static const workspace *workspace_of(const gndi_lapack_job *job) {
    return job->extra;
}

/* ---- what is not finite --------------------------------------------------------------------- */

static bool finite_floats(const float *x, int64_t n) {
    bool good = true;
    for (int64_t i = 0; i < n; i++) good &= fabsf(x[i]) <= FLT_MAX;
    return good;
}

static bool finite_doubles(const double *x, int64_t n) {
    bool good = true;
    for (int64_t i = 0; i < n; i++) good &= fabs(x[i]) <= DBL_MAX;
    return good;
}

static bool finite_numbers(const gndi_lapack_job *job, const char *x, int64_t n) {
    if (is_complex(job)) n *= 2;
    return is_narrow(job) ? finite_floats((const float *)(const void *)x, n)
                          : finite_doubles((const double *)(const void *)x, n);
}

static bool is_finite(const gndi_lapack_job *job, int64_t i) {
    const gndi_lapack_plan *p = job->plan;
    const int64_t item = gndi_dtype_sizes[p->dtype];
    const char *column = gndi_lapack_at(&p->a, i);
    for (int64_t k = 0; k < p->n; k++, column += p->a.ld * item)
        if (!finite_numbers(job, column, p->m)) return false;
    return true;
}

/* The same of the triangle that is read. */
static bool is_finite_triangle(const gndi_lapack_job *job, int64_t i) {
    const gndi_lapack_plan *p = job->plan;
    const int64_t item = gndi_dtype_sizes[p->dtype];
    const char *column = gndi_lapack_at(&p->a, i);
    for (int64_t k = 0; k < p->n; k++, column += p->a.ld * item) {
        const int64_t first = p->lower ? k : 0;
        if (!finite_numbers(job, column + first * item, p->lower ? p->n - k : k + 1)) return false;
    }
    return true;
}

/* ---- orthogonal factors --------------------------------------------------------------------- */

static char *own_tau(const gndi_lapack_plan *p, int64_t i) {
    return p->tau + i * p->k * gndi_dtype_sizes[p->dtype];
}

static int qr_with(const gndi_lapack_job *job, int64_t i, char *work, int size) {
    const gndi_lapack_plan *p = job->plan;
    const int m = (int)p->m, n = (int)p->n, lda = gndi_lapack_ld(&p->a);
    int info = 0;
    GNDI_LAPACK_OF(job->blas, job->type, geqrf)
    (&m, &n, gndi_lapack_at(&p->a, i), &lda, own_tau(p, i), work, &size, &info);
    return info;
}

static int q_with(const gndi_lapack_job *job, int64_t i, char *work, int size) {
    const gndi_lapack_plan *p = job->plan;
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k, lda = gndi_lapack_ld(&p->a);
    int info = 0;
    (is_complex(job) ? COMPLEX_OF(job, ungqr) : REAL_OF(job, orgqr))(&m, &n, &k, gndi_lapack_at(&p->a, i), &lda,
                                                                     own_tau(p, i), work, &size, &info);
    return info;
}

static int apply_with(const gndi_lapack_job *job, int64_t i, char *work, int size) {
    const gndi_lapack_plan *p = job->plan;
    const int m = (int)p->m, columns = (int)p->columns, k = (int)p->k;
    const int lda = gndi_lapack_ld(&p->a), ldb = gndi_lapack_ld(&p->b);
    const char *transpose = p->transpose == GNDI_LAPACK_PLAIN ? "N" : is_complex(job) ? "C" : "T";
    int info = 0;
    (is_complex(job) ? COMPLEX_OF(job, unmqr)
                     : REAL_OF(job, ormqr))("L", transpose, &m, &columns, &k, gndi_lapack_at(&p->a, i), &lda,
                                            own_tau(p, i), gndi_lapack_at(&p->b, i), &ldb, work, &size, &info, 1, 1);
    return info;
}

static int qr(const gndi_lapack_job *job, int64_t i, char *work) {
    return qr_with(job, i, work, workspace_of(job)->work);
}

static int make_q(const gndi_lapack_job *job, int64_t i, char *work) {
    return q_with(job, i, work, workspace_of(job)->work);
}

static int apply_q(const gndi_lapack_job *job, int64_t i, char *work) {
    return apply_with(job, i, work, workspace_of(job)->work);
}

/* ---- singular values ------------------------------------------------------------------------ */

/* What is computed: nothing but values, as many vectors as there are values, or all. */
static const char *vectors_of(const gndi_lapack_plan *p) {
    return !p->vectors ? "N" : p->full ? "A" : "S";
}

/* Divide and conquer. */
static int gesdd(const gndi_lapack_job *job, int64_t i, char *work, int size) {
    const gndi_lapack_plan *p = job->plan;
    const int m = (int)p->m, n = (int)p->n, lda = gndi_lapack_ld(&p->a);
    const int ldu = p->vectors ? gndi_lapack_ld(&p->u) : 1;
    const int ldv = p->vectors ? gndi_lapack_ld(&p->v) : 1;
    char *a = gndi_lapack_at(&p->a, i), *s = p->w + i * p->n * real_size(job);
    char *u = gndi_lapack_at(&p->u, i), *v = gndi_lapack_at(&p->v, i);
    int *whole = (int *)(void *)(work + workspace_of(job)->whole_at), info = 0;
    if (is_complex(job)) COMPLEX_OF(job, gesdd)
    (vectors_of(p), &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &size, work + workspace_of(job)->real_at, whole, &info,
     1);
    else REAL_OF(job, gesdd)(vectors_of(p), &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &size, whole, &info, 1);
    return info;
}

/* QR iterations, which converge where the other did not. */
static int gesvd(const gndi_lapack_job *job, int64_t i, char *work, int size) {
    const gndi_lapack_plan *p = job->plan;
    const int m = (int)p->m, n = (int)p->n, lda = gndi_lapack_ld(&p->a);
    const int ldu = p->vectors ? gndi_lapack_ld(&p->u) : 1;
    const int ldv = p->vectors ? gndi_lapack_ld(&p->v) : 1;
    const char *which = vectors_of(p);
    char *a = gndi_lapack_at(&p->a, i), *s = p->w + i * p->n * real_size(job);
    char *u = gndi_lapack_at(&p->u, i), *v = gndi_lapack_at(&p->v, i);
    int info = 0;
    if (is_complex(job)) COMPLEX_OF(job, gesvd)
    (which, which, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &size, work + workspace_of(job)->real_at, &info, 1, 1);
    else REAL_OF(job, gesvd)(which, which, &m, &n, a, &lda, s, u, &ldu, v, &ldv, work, &size, &info, 1, 1);
    return info;
}

/* Copies the matrix, with contiguous columns, for a second try; or back, for that. */
static void copy_matrix(const gndi_lapack_plan *p, int64_t i, char *copy, bool back) {
    const size_t item = gndi_dtype_sizes[p->dtype], bytes = (size_t)p->m * item;
    char *column = gndi_lapack_at(&p->a, i);
    for (int64_t k = 0; k < p->n; k++, column += (size_t)p->a.ld * item, copy += bytes)
        memcpy(back ? column : copy, back ? copy : column, bytes);
}

static int svd(const gndi_lapack_job *job, int64_t i, char *work) {
    const workspace *r = workspace_of(job);
    if (!is_finite(job, i)) return 1;
    copy_matrix(job->plan, i, work + r->own_at, false);
    if (gesdd(job, i, work, r->work) == 0) return 0;
    copy_matrix(job->plan, i, work + r->own_at, true);
    return gesvd(job, i, work, r->work);
}

static void spoil_svd(const gndi_lapack_job *job, int64_t i) {
    const gndi_lapack_plan *p = job->plan;
    gndi_lapack_spoil_numbers(p->w, i, p->n, gndi_real_dtype(p->dtype));
    if (!p->vectors) return;
    gndi_lapack_spoil(&p->u, i, p->m, p->full ? p->m : p->n, p->dtype);
    gndi_lapack_spoil(&p->v, i, p->n, p->n, p->dtype);
}

/* ---- eigenvalues of hermitian matrices ------------------------------------------------------ */

static int eigh_with(const gndi_lapack_job *job, int64_t i, char *work, const workspace *r, int size, int lrwork,
                     int liwork) {
    const gndi_lapack_plan *p = job->plan;
    const char *vectors = p->vectors ? "V" : "N", *triangle = p->lower ? "L" : "U";
    const int n = (int)p->n, lda = gndi_lapack_ld(&p->a);
    char *a = gndi_lapack_at(&p->a, i), *w = p->w + i * p->n * real_size(job);
    int *whole = (int *)(void *)(work + r->whole_at), info = 0;
    if (is_complex(job)) COMPLEX_OF(job, heevd)
    (vectors, triangle, &n, a, &lda, w, work, &size, work + r->real_at, &lrwork, whole, &liwork, &info, 1, 1);
    else REAL_OF(job, syevd)(vectors, triangle, &n, a, &lda, w, work, &size, whole, &liwork, &info, 1, 1);
    return info;
}

static int eigh(const gndi_lapack_job *job, int64_t i, char *work) {
    const workspace *r = workspace_of(job);
    if (!is_finite_triangle(job, i)) return 1;
    return eigh_with(job, i, work, r, r->work, r->real, r->whole);
}

static void spoil_eigh(const gndi_lapack_job *job, int64_t i) {
    const gndi_lapack_plan *p = job->plan;
    gndi_lapack_spoil_numbers(p->w, i, p->n, gndi_real_dtype(p->dtype));
    if (p->vectors) gndi_lapack_spoil(&p->a, i, p->n, p->n, p->dtype);
}

/* ---- eigenvalues of any matrices ------------------------------------------------------------ */

static int geev_complex(const gndi_lapack_job *job, int64_t i, char *work, int size) {
    const gndi_lapack_plan *p = job->plan;
    const int n = (int)p->n, lda = gndi_lapack_ld(&p->a), one = 1;
    const int ldv = p->vectors ? gndi_lapack_ld(&p->v) : 1;
    char *w = p->w + i * p->n * gndi_dtype_sizes[p->dtype];
    int info = 0;
    COMPLEX_OF(job, geev)
    ("N", p->vectors ? "V" : "N", &n, gndi_lapack_at(&p->a, i), &lda, w, NULL, &one, gndi_lapack_at(&p->v, i), &ldv,
     work, &size, work + workspace_of(job)->real_at, &info, 1, 1);
    return info;
}

/* The real and imaginary parts of the values, and the vectors as LAPACK packs them, go to the body's own workspace. */
static int geev_real(const gndi_lapack_job *job, int64_t i, char *work, int size) {
    const gndi_lapack_plan *p = job->plan;
    const int n = (int)p->n, lda = gndi_lapack_ld(&p->a), one = 1;
    char *re = work + workspace_of(job)->own_at, *im = re + p->n * real_size(job);
    char *packed = im + p->n * real_size(job);
    int info = 0;
    REAL_OF(job, geev)
    ("N", p->vectors ? "V" : "N", &n, gndi_lapack_at(&p->a, i), &lda, re, im, NULL, &one, packed, &n, work, &size,
     &info, 1, 1);
    return info;
}

/* Element k of an array of real numbers; and the store of two of them as a complex number. */
static double number_at(const gndi_lapack_job *job, const char *x, int64_t k) {
    return is_narrow(job) ? (double)((const float *)(const void *)x)[k] : ((const double *)(const void *)x)[k];
}

static void put_complex(const gndi_lapack_job *job, char *x, int64_t k, double re, double im) {
    if (is_narrow(job)) {
        ((float *)(void *)x)[2 * k] = (float)re, ((float *)(void *)x)[2 * k + 1] = (float)im;
    } else {
        ((double *)(void *)x)[2 * k] = re, ((double *)(void *)x)[2 * k + 1] = im;
    }
}

/* A conjugate pair of values has its vectors' real parts in one column and their imaginary parts in the
   next. */
static void unpack_eigen(const gndi_lapack_job *job, int64_t i, const char *re) {
    const gndi_lapack_plan *p = job->plan;
    const int64_t n = p->n, size = real_size(job);
    const char *im = re + n * size, *packed = im + n * size;
    char *w = p->w + i * n * 2 * size, *v = gndi_lapack_at(&p->v, i);
    for (int64_t k = 0; k < n; k++) put_complex(job, w, k, number_at(job, re, k), number_at(job, im, k));
    if (!p->vectors) return;
    for (int64_t k = 0; k < n; k++) {
        const char *column = packed + k * n * size, *next = column + n * size;
        char *to = v + k * p->v.ld * 2 * size, *to_next = to + p->v.ld * 2 * size;
        const bool pair = number_at(job, im, k) != 0 && k + 1 < n;
        for (int64_t j = 0; j < n; j++) {
            const double x = number_at(job, column, j), y = pair ? number_at(job, next, j) : 0;
            put_complex(job, to, j, x, y);
            if (pair) put_complex(job, to_next, j, x, -y);
        }
        if (pair) k++;
    }
}

static int eig(const gndi_lapack_job *job, int64_t i, char *work) {
    if (!is_finite(job, i)) return 1;
    if (is_complex(job)) return geev_complex(job, i, work, workspace_of(job)->work);
    const int info = geev_real(job, i, work, workspace_of(job)->work);
    if (info == 0) unpack_eigen(job, i, work + workspace_of(job)->own_at);
    return info;
}

static void spoil_eig(const gndi_lapack_job *job, int64_t i) {
    const gndi_lapack_plan *p = job->plan;
    const int dtype = is_narrow(job) ? GND_COMPLEX64 : GND_COMPLEX128;
    gndi_lapack_spoil_numbers(p->w, i, p->n, dtype);
    if (p->vectors) gndi_lapack_spoil(&p->v, i, p->n, p->n, dtype);
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t aligned(size_t bytes) {
    return (bytes + 63) & ~(size_t)63;
}

/* LAPACK's workspace query: called with a length of -1, a routine stores the length it wants in the first
   element. */
static int ask(const gndi_lapack_job *job, int op, char *answer, double *wanted) {
    const workspace *r = workspace_of(job);
    int info = 0;
    switch (op) {
    case GNDI_LAPACK_QR: info = qr_with(job, 0, answer, -1); break;
    case GNDI_LAPACK_QR_Q: info = q_with(job, 0, answer, -1); break;
    case GNDI_LAPACK_QR_APPLY: info = apply_with(job, 0, answer, -1); break;
    case GNDI_LAPACK_SVD: info = gesdd(job, 0, answer, -1); break;
    case GNDI_LAPACK_EIGH: info = eigh_with(job, 0, answer, r, -1, -1, -1); break;
    default: info = is_complex(job) ? geev_complex(job, 0, answer, -1) : geev_real(job, 0, answer, -1);
    }
    *wanted = number_at(job, answer, 0);
    return info;
}

/* Lays out a thread's workspace: `r` is the job's. */
static gnd_status find_workspace(gndi_lapack_job *job, workspace *r, const char *fn) {
    const gndi_lapack_plan *p = job->plan;
    const double n = (double)p->n, m = (double)p->m;
    _Alignas(64) char answer[256] = {0};
    double wanted = 0, again = 0, real = 0, whole = 0, own = 0;
    r->real_at = 64, r->whole_at = 128, r->own_at = 192;
    int info = ask(job, p->op, answer, &wanted);
    if (p->op == GNDI_LAPACK_SVD) {
        if (!info) info = gesvd(job, 0, answer, -1), again = number_at(job, answer, 0);
        if (again > wanted) wanted = again;
        whole = 8 * n;
        /* LAPACK's own bounds for gesdd; gesvd needs 5 n. */
        real = !p->vectors ? 7 * n : fmax(5 * n * n + 7 * n, 2 * m * n + 2 * n * n + n);
        own = m * n * gndi_dtype_sizes[p->dtype];
    } else if (p->op == GNDI_LAPACK_EIGH) {
        whole = (double)*(const int *)(const void *)(answer + r->whole_at);
        real = number_at(job, answer + r->real_at, 0);
    } else if (p->op == GNDI_LAPACK_EIG) {
        real = 2 * n;
        own = (p->vectors ? n * n + 2 * n : 2 * n) * (double)real_size(job);
    }
    /* A float32 answer may have been rounded down. */
    wanted = ceil(wanted * (1 + (is_narrow(job) ? FLT_EPSILON : 0)));
    if (info || !(wanted >= 1) || wanted > INT32_MAX || real > INT32_MAX || whole > INT32_MAX)
        return gndi_raise(GND_ERROR_SHAPE, fn, "LAPACK counts in 32 bits, and cannot work on matrices of %lld x %lld",
                          (long long)p->m, (long long)p->n);
    if (!is_complex(job)) real = 0;
    r->work = (int)wanted, r->real = (int)real, r->whole = (int)whole;
    r->real_at = aligned((size_t)wanted * gndi_dtype_sizes[p->dtype]);
    r->whole_at = r->real_at + aligned((size_t)real * (size_t)real_size(job));
    r->own_at = r->whole_at + aligned((size_t)whole * sizeof(int));
    job->work_bytes = r->own_at + aligned((size_t)own);
    return GND_OK;
}

/* ---- the operations ------------------------------------------------------------------------- */

gnd_status gndi_cpu_lapack_decompose(gnd_stream *s, const gndi_lapack_plan *plan, const char *fn) {
    const double m = (double)plan->m, n = (double)plan->n, k = (double)plan->k;
    workspace r = {0};
    gndi_lapack_job job = {.plan = plan, .type = gndi_lapack_type(plan->dtype), .extra = &r};
    job.blas = gndi_openblas_get(fn);
    if (!job.blas) return GND_ERROR_UNAVAILABLE;
    job.fault = GNDI_FAULT_NO_CONVERGENCE;
    switch (plan->op) {
    case GNDI_LAPACK_QR: job.body = qr, job.flops = 2 * m * n * k; break;
    case GNDI_LAPACK_QR_Q: job.body = make_q, job.flops = 2 * m * n * k; break;
    case GNDI_LAPACK_QR_APPLY: job.body = apply_q, job.flops = 4 * m * k * (double)plan->columns; break;
    case GNDI_LAPACK_SVD:
        job.body = svd, job.spoil = spoil_svd, job.flops = (plan->vectors ? 20 : 4) * m * n * n;
        break;
    case GNDI_LAPACK_EIGH:
        job.body = eigh, job.spoil = spoil_eigh, job.flops = (plan->vectors ? 9 : 2) * n * n * n;
        break;
    default: job.body = eig, job.spoil = spoil_eig, job.flops = (plan->vectors ? 25 : 10) * n * n * n; break;
    }
    gnd_status status = find_workspace(&job, &r, fn);
    return status ? status : gndi_lapack_run(s, &job, fn);
}
