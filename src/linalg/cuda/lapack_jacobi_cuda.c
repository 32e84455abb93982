/*
 * lapack_jacobi_cuda.c: singular values by one-sided Jacobi: columns sorted, A P = Q R, R^H = V_R S U_R^H by
 * the kernels of lapack_jacobi_kernels.cu, U = Q U_R. Matrices that need several blocks are first multiplied
 * by the eigenvectors of R R^H. The columns are then so nearly orthogonal that one or two sweeps suffice instead
 * of ten. The rotations correct the errors of squaring, up to rounding errors of the largest value, and
 * eigenvectors that are not orthonormal are not used. Nothing waits for the GPU except the library's routine
 * for the eigenvectors.
 */
#include "linalg/cuda/lapack_jacobi_cuda.h"
#include "linalg/cuda/lapack_jacobi_plan.h"

enum { STATIC_SHARED = 1024 /* bytes: more than a kernel's static shared memory */ };

typedef struct jacobi {
    gndi_solver_job *j;
    gndi_jacobi_params p;
    gndi_jacobi_shape s;
} jacobi;

static const void *kernel_of(const gndi_solver_job *j, int which) {
    return (j->type < 2 ? gndi_cuda_lapack_jacobi_real : gndi_cuda_lapack_jacobi_complex)(j->type % 2, which);
}

static gnd_status launch(const jacobi *x, int which, int64_t blocks, int threads, size_t shared) {
    gndi_jacobi_params p = x->p;
    return gndi_cuda_launch(x->j->s, kernel_of(x->j, which), blocks, threads, shared, &p, x->j->fn);
}

static bool describe(jacobi *x, gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const size_t most = (size_t)j->s->device->shared_bytes;
    if (plan->n > INT16_MAX || most <= STATIC_SHARED) return false;
    const size_t capacity = most - STATIC_SHARED;
    *x = (jacobi){.j = j};
    x->p.n = (int)plan->n;
    x->p.batch = plan->batch;
    x->p.vectors = plan->vectors;
    if (plan->n <= GNDI_SVD_WHOLE && gndi_jacobi_whole(&x->p, &x->s, j->bytes, j->real_bytes, capacity)) return true;
    return gndi_jacobi_slices(&x->p, &x->s, j->bytes, j->real_bytes, capacity, GNDI_SVD_SLICE,
                              j->s->device->processors);
}

bool gndi_cuda_use_jacobi(gndi_solver_job *j) {
    jacobi x;
    return j->plan->n <= GNDI_SVD_MOST && describe(&x, j);
}

/* ---- sorted columns -------------------------------------------------------------------------- */

/* `sorted` = the columns of A, the largest first. */
static gnd_status sort_columns(jacobi *x, const gndi_lapack_matrix *sorted) {
    gndi_solver_job *j = x->j;
    gndi_jacobi_params *p = &x->p;
    const int64_t columns = p->batch * p->n, most = (int64_t)1 << 20;
    const int warps = GNDI_LAPACK_THREADS / 32;
    p->column_order = gndi_solver_workspace(j, columns, sizeof *p->column_order);
    if (!p->column_order) return GND_ERROR_MEMORY;
    p->parts = p->m > GNDI_SVD_LONG ? warps : 1;
    gnd_status status = launch(x, GNDI_JACOBI_SIZES, (columns * p->parts + warps - 1) / warps, GNDI_LAPACK_THREADS, 0);
    const int threads = (p->n + 31) / 32 * 32;
    if (!status)
        status = launch(x, GNDI_JACOBI_SORT, p->batch < most ? p->batch : most,
                        threads < GNDI_JACOBI_THREADS ? threads : GNDI_JACOBI_THREADS, 0);
    if (status) return status;
    gndi_order_params order = {.from = p->a,
                               .to = gndi_kernel_matrices(sorted),
                               .order = p->column_order,
                               .batch = p->batch,
                               .rows = p->m,
                               .columns = p->n,
                               .what = GNDI_ORDER_COLUMNS};
    return gndi_solver_order(j, &order);
}

/* ---- eigenvectors ------------------------------------------------------------------------------- */

/* c = 2^by op(a) b, all n x n. The handles are taken only for this call, since the hook takes them, too. */
static gnd_status multiply(const jacobi *x, int trans, gndi_lapack_matrix a, gndi_lapack_matrix b, gndi_lapack_matrix c,
                           int by) {
    gndi_solver_job *j = x->j;
    const int64_t n = x->p.n;
    gnd_status status = gndi_solver_begin(j, GNDI_HANDLES_BLAS);
    if (status) return status;
    status = gndi_solver_product(j, trans, (gndi_matrix_part){&a, 0, 0}, (gndi_matrix_part){&b, 0, 0},
                                 (gndi_matrix_part){&c, 0, 0}, n, n, n, ldexp(1, by), 0);
    gndi_cuda_handles_return(j->h);
    j->h = NULL;
    return status;
}

/* For strongly graded matrices the library's eigenvectors were not always orthonormal on a GPU, and some did not
   converge, which makes them NaN: such matrices start from the identity, as smaller ones do. */
static gnd_status check_eigenvectors(const jacobi *x, const gndi_lapack_matrix *z) {
    jacobi check = *x;
    check.p.a = gndi_kernel_matrices(z);
    return launch(&check, GNDI_JACOBI_CHECK, x->p.batch, GNDI_JACOBI_THREADS, (size_t)(x->p.n * x->j->bytes));
}

/* x = R^H Z and y = Z, where Z are the eigenvectors of R R^H. R^H has been scaled to elements of at most 1, so that no
   square overflows. */
static gnd_status rotate_to_eigenvectors(jacobi *x) {
    gndi_solver_job *j = x->j;
    gndi_jacobi_params *p = &x->p;
    const int64_t n = p->n, ld = p->ldx * (GNDI_JACOBI_LINE / j->bytes);
    const int64_t step = (int64_t)p->all * p->ldx * GNDI_JACOBI_LINE;
    char *workspace = gndi_solver_workspace(j, p->batch, n * n * j->bytes);
    if (!workspace) return GND_ERROR_MEMORY;
    const gndi_lapack_matrix r = {p->x, ld, step}, product = {p->y, ld, step}, z = {workspace, n, n * n * j->bytes};
    gnd_status status = multiply(x, gndi_solver_conjugated(j), r, r, z, 0);
    if (status) return status;
    gndi_lapack_plan part = {.op = GNDI_LAPACK_EIGH,
                             .dtype = j->plan->dtype,
                             .lower = true,
                             .vectors = true,
                             .quiet = true,
                             .m = n,
                             .n = n,
                             .batch = p->batch,
                             .a = z,
                             .w = p->w};
    status = gndi_cuda_lapack(j->s, &part, j->fn);
    if (!status) status = check_eigenvectors(x, &z);
    if (!status) status = multiply(x, GNDI_PLAIN, r, z, product, p->later);
    if (status) return status;
    p->x = product.data;
    p->y = r.data;
    gndi_block_params block = {.from = gndi_kernel_matrices(&z),
                               .to = gndi_kernel_matrices(&r),
                               .batch = p->batch,
                               .m = n,
                               .n = n,
                               .rows = n,
                               .columns = n};
    return p->vectors ? gndi_solver_block(j, &block) : GND_OK;
}

/* ---- several blocks a matrix ---------------------------------------------------------------------- */

/* Launches as many blocks as can be resident on the GPU, in teams of equal size. They wait for each other, so the
   launch must guarantee that all of them run at once. */
static gnd_status launch_teams(jacobi *x) {
    gndi_solver_job *j = x->j;
    gndi_jacobi_params *p = &x->p;
    const gndi_jacobi_shape *s = &x->s;
    const void *kernel = kernel_of(j, s->which);
    void *arguments[] = {p};
    int each = 0;
    gndi_cuda_use(kernel);
    cudaError_t error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)((size_t)j->s->device->shared_bytes - STATIC_SHARED));
    if (!error) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, s->threads, s->shared);
    const int64_t most = (int64_t)each * j->s->device->processors;
    const int64_t pairs = p->all / p->width;
    const int64_t share = most / p->batch < pairs ? most / p->batch : pairs;
    p->team = (int)(share > 1 ? share : 1);
    const int64_t teams = most / p->team < p->batch ? most / p->team : p->batch;
    const dim3 grid = {(unsigned)(teams * p->team), 1, 1}, block = {(unsigned)s->threads, 1, 1};
    if (!error) error = cudaLaunchCooperativeKernel(kernel, grid, block, arguments, s->shared, j->s->native);
    if (!error) return GND_OK;
    cudaGetLastError(); /* clears the error */
    return gndi_cuda_check((int)error, j->fn, "starting a kernel of singular values");
}

/* x, y and the notes of all matrices between launches. */
static gnd_status take_workspaces(jacobi *x) {
    gndi_jacobi_params *p = &x->p;
    const int64_t each = (int64_t)p->all * p->ldx * GNDI_JACOBI_LINE;
    const int64_t seen = GNDI_JACOBI_SWEEPS * 2 * (int64_t)sizeof(float);
    const int64_t notes = seen + (2 + p->n) * (int64_t)sizeof(int);
    p->x = gndi_solver_workspace(x->j, p->batch, each);
    p->y = p->x ? gndi_solver_workspace(x->j, p->batch, each) : NULL;
    p->seen = p->y ? gndi_solver_workspace(x->j, p->batch, notes) : NULL;
    if (!p->seen) return GND_ERROR_MEMORY;
    p->shift = (int *)(p->seen + p->batch * seen);
    p->arrived = p->shift + p->batch;
    p->order = p->arrived + p->batch;
    return GND_OK;
}

static gnd_status in_slices(jacobi *x) {
    gndi_jacobi_params *p = &x->p;
    const bool vectors = p->vectors;
    gnd_status status = take_workspaces(x);
    if (status) return status;
    const int64_t wanted = 2 * (int64_t)x->j->s->device->processors / p->batch;
    const int64_t most = p->n / 16 + 1;
    p->parts = (int)(wanted < 1 ? 1 : wanted < most ? wanted : most);
    p->later = gndi_jacobi_scale(x->j->real_bytes);
    p->vectors = true; /* y has its zeros in any case */
    status = launch(x, GNDI_JACOBI_BEGIN, p->batch * p->parts, GNDI_JACOBI_THREADS, 0);
    p->vectors = vectors;
    if (!status) status = rotate_to_eigenvectors(x);
    if (!status) status = launch_teams(x);
    if (!status) status = launch(x, GNDI_JACOBI_END, p->batch, GNDI_JACOBI_THREADS, x->s.notes);
    if (!status && vectors) status = launch(x, GNDI_JACOBI_VECTORS, p->batch * p->parts, GNDI_JACOBI_THREADS, 0);
    return status;
}

/* ---- the whole computation -------------------------------------------------------------------------- */

static gnd_status multiply_by_q(const jacobi *x, const gndi_lapack_plan *qr) {
    const gndi_lapack_plan *plan = x->j->plan;
    gndi_lapack_plan part = *qr;
    part.op = GNDI_LAPACK_QR_APPLY;
    part.transpose = GNDI_LAPACK_PLAIN;
    part.k = plan->n;
    part.b = plan->u;
    part.columns = x->p.columns;
    return gndi_cuda_lapack(x->j->s, &part, x->j->fn);
}

gnd_status gndi_cuda_lapack_jacobi(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t most = (int64_t)1 << 20; /* a block takes several of more */
    const int64_t step = plan->m * plan->n * j->bytes;
    jacobi x;
    if (!describe(&x, j)) return GND_ERROR_UNAVAILABLE; /* it was asked before */
    gndi_jacobi_params *p = &x.p;
    gndi_lapack_plan qr = *plan;
    qr.op = GNDI_LAPACK_QR;
    qr.a = (gndi_lapack_matrix){gndi_solver_workspace(j, plan->batch, step), plan->m, step};
    qr.tau = qr.a.data ? gndi_solver_workspace(j, plan->batch * plan->n, j->bytes) : NULL;
    j->info = qr.tau ? gndi_solver_workspace(j, plan->batch, sizeof *j->info) : NULL;
    if (!j->info) return GND_ERROR_MEMORY;
    p->a = gndi_kernel_matrices(&plan->a);
    p->u = gndi_kernel_matrices(&plan->u);
    p->v = gndi_kernel_matrices(&plan->v);
    p->w = plan->w;
    p->info = j->info;
    p->m = plan->m;
    p->columns = plan->full ? plan->m : plan->n;
    p->tolerance = gndi_jacobi_tolerance(p->n, j->real_bytes);
    gnd_status status = sort_columns(&x, &qr.a);
    if (!status) status = gndi_cuda_lapack(j->s, &qr, j->fn);
    if (status) return status;
    p->a = gndi_kernel_matrices(&qr.a);
    status =
        x.s.whole ? launch(&x, x.s.which, p->batch < most ? p->batch : most, x.s.threads, x.s.shared) : in_slices(&x);
    return status || !plan->vectors ? status : multiply_by_q(&x, &qr);
}
