/*
 * lapack_qr_cuda.c: QR of one or many matrices of middle size, in steps of a few columns. A step's reflectors
 * are applied together, as I - V T V^H, by two products for all matrices (cublasGemmStridedBatchedEx); a
 * kernel, a block a matrix, makes V and Y = V T from the panel that it factors, or from reflectors.
 */
#include "linalg/cuda/lapack_qr_cuda.h"
#include "linalg/cuda/lapack_qr_params.h"

/* How a job's matrices are divided into steps. */
typedef struct qr {
    gndi_solver_job *j;
    int width;                  /* columns of a step */
    int all;                    /* reflectors */
    gndi_lapack_matrix v, y, w; /* of a step: rows x width, rows x width, width x columns */
} qr;

/* ---- the width of a step -------------------------------------------------------------------------- */

static int rows_of(const qr *x, int64_t rows) {
    return gndi_panel_rows(x->width * x->j->bytes, rows, GNDI_QR_MANY_ROWS);
}

static size_t bytes_of(const qr *x, int64_t rows) {
    return GNDI_QR_BYTES(x->width, rows, x->j->bytes);
}

static bool fits(const qr *x, int64_t rows, size_t capacity) {
    const int each = rows_of(x, rows), threads = gndi_panel_threads(rows, each);
    return threads <= GNDI_QR_THREADS && bytes_of(x, threads * each) <= capacity;
}

/* The widest step whose panels fit; false: none does. */
static bool describe(qr *x, gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    *x = (qr){.j = j, .all = (int)plan->k};
    if (plan->op == GNDI_LAPACK_QR) x->all = (int)(plan->m < plan->n ? plan->m : plan->n);
    const size_t capacity = (size_t)j->s->device->shared_bytes;
    for (x->width = GNDI_QR_WIDEST; x->width >= 8; x->width /= 2)
        if (x->width * j->bytes <= 256 && fits(x, plan->m, capacity)) return true;
    return false;
}

bool gndi_cuda_qr_takes(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    qr x;
    if (plan->op != GNDI_LAPACK_QR && plan->batch == 1 && plan->m >= GNDI_QR_ALONE) return false;
    return plan->m <= GNDI_QR_MOST && plan->n <= INT32_MAX && plan->a.step % j->bytes == 0 &&
           plan->b.step % j->bytes == 0 && describe(&x, j) && plan->batch * x.width >= GNDI_QR_WORTH;
}

/* ---- steps -------------------------------------------------------------------------------------------- */

static gnd_status make_workspace(qr *x, int64_t columns) {
    gndi_solver_job *j = x->j;
    const int64_t batch = j->plan->batch, m = j->plan->m;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_BLAS);
    if (status) return status;
    char *v = gndi_solver_workspace(j, batch * m * x->width, 2 * j->bytes);
    char *w = v ? gndi_solver_workspace(j, batch * x->width * columns, j->bytes) : NULL;
    if (!w) return GND_ERROR_MEMORY;
    const int64_t each = m * x->width * j->bytes;
    x->v = (gndi_lapack_matrix){v, m, each};
    x->y = (gndi_lapack_matrix){v + batch * each, m, each};
    x->w = (gndi_lapack_matrix){w, x->width, x->width * columns * j->bytes};
    return GND_OK;
}

static int width_at(const qr *x, int k) {
    return x->all - k < x->width ? x->all - k : x->width;
}

static gndi_qr_params params_of(const qr *x, int k) {
    const gndi_lapack_plan *plan = x->j->plan;
    return (gndi_qr_params){.a = gndi_kernel_matrices(&plan->a),
                            .v = gndi_kernel_matrices(&x->v),
                            .y = gndi_kernel_matrices(&x->y),
                            .tau = plan->tau,
                            .taus = x->all,
                            .m = (int)plan->m,
                            .k = k,
                            .width = width_at(x, k)};
}

static gnd_status launch(const qr *x, int which, int each, int threads, size_t shared, gndi_qr_params *p) {
    const gndi_solver_job *j = x->j;
    const void *kernel =
        (j->type < 2 ? gndi_cuda_lapack_qr_real : gndi_cuda_lapack_qr_complex)(j->type % 2, which, x->width, each);
    return gndi_cuda_launch(j->s, kernel, j->plan->batch, threads, shared, p, j->fn);
}

/* V and Y of the step at column k of a. */
static gnd_status reflectors(const qr *x, gndi_qr_params *p) {
    const int rows = p->m - p->k;
    int threads = gndi_panel_threads(rows, 1);
    if (threads > GNDI_QR_THREADS) threads = GNDI_QR_THREADS;
    return launch(x, GNDI_QR_BLOCK, 0, threads, bytes_of(x, rows), p);
}

/* c -= after (before^H c), from row k and `column` on: the step's reflectors applied. */
static gnd_status apply(const qr *x, const gndi_lapack_matrix *before, const gndi_lapack_matrix *after,
                        const gndi_lapack_matrix *c, int k, int64_t column, int64_t columns) {
    gndi_solver_job *j = x->j;
    const int64_t rows = j->plan->m - k, width = width_at(x, k);
    const gndi_matrix_part from = {c, k, column}, w = {&x->w, 0, 0};
    gnd_status status = gndi_solver_product(j, gndi_solver_conjugated(j), (gndi_matrix_part){before, 0, 0}, from, w,
                                            width, columns, rows, 1, 0);
    return status ? status
                  : gndi_solver_product(j, GNDI_PLAIN, (gndi_matrix_part){after, 0, 0}, w, from, rows, columns, width,
                                        -1, 1);
}

/* ---- factors, Q, and products with it --------------------------------------------------------------- */

gnd_status gndi_cuda_qr_factor(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    qr x;
    describe(&x, j);
    gnd_status status = make_workspace(&x, plan->n);
    for (int k = 0; k < x.all && !status; k += x.width) {
        gndi_qr_params p = params_of(&x, k);
        const int rows = p.m - k, each = rows_of(&x, rows);
        const int threads = gndi_panel_threads(rows, each), next = k + p.width;
        p.writes = next < plan->n;
        status = launch(&x, GNDI_QR_FACTOR, each, threads, bytes_of(&x, threads * each), &p);
        if (!status && p.writes) status = apply(&x, &x.y, &x.v, &plan->a, k, next, plan->n - next);
    }
    return status;
}

/* From the last step to the first: the columns to the right of a step's hold Q of the later steps. */
gnd_status gndi_cuda_qr_q(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    qr x;
    describe(&x, j);
    gnd_status status = make_workspace(&x, plan->n);
    const int last = (x.all - 1) / x.width * x.width;
    for (int k = last; k >= 0 && !status; k -= x.width) {
        gndi_qr_params p = params_of(&x, k);
        p.becomes = k == last ? (int)plan->n - k : p.width;
        status = reflectors(&x, &p);
        if (!status) status = apply(&x, &x.v, &x.y, &plan->a, k, k, plan->n - k);
    }
    return status;
}

gnd_status gndi_cuda_qr_apply(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const bool transposed = plan->transpose != GNDI_LAPACK_PLAIN; /* Q^H: the first step first */
    qr x;
    describe(&x, j);
    gnd_status status = make_workspace(&x, plan->columns);
    const int last = (x.all - 1) / x.width;
    for (int step = 0; step <= last && !status; step++) {
        gndi_qr_params p = params_of(&x, (transposed ? step : last - step) * x.width);
        status = reflectors(&x, &p);
        if (!status)
            status = apply(&x, transposed ? &x.y : &x.v, transposed ? &x.v : &x.y, &plan->b, p.k, 0, plan->columns);
    }
    return status;
}
