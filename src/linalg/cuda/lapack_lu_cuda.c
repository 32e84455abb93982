/*
 * lapack_lu_cuda.c: LU of one or many matrices of middle size, in steps of a few columns, and what follows
 * from it. A step is three launches for all matrices: the panel, the rows to its right, and the product that
 * is subtracted from the remaining matrix. Row exchanges of columns to the left are delayed until the end.
 * Systems with few right sides are one launch; with many, triangles are halved until they are small, and the
 * rest are products by cuBLAS (cublasGemmStridedBatchedEx).
 */
#include "linalg/cuda/lapack_lu_cuda.h"
#include "linalg/cuda/lapack_lu_params.h"

/* How a job's matrices are divided into steps. */
typedef struct lu {
    gndi_solver_job *j;
    int width; /* columns of a step */
    int rows;  /* of a thread, where a panel needs several */
    int steps; /* how many */
    int all;   /* columns of L: min(m, n) */
    int32_t *pivots, *moves;
} lu;

static gnd_status launch(const lu *x, int which, int rows, int64_t blocks, int threads, size_t shared, void *params) {
    gndi_solver_job *j = x->j;
    const void *kernel =
        (j->type < 2 ? gndi_cuda_lapack_lu_real : gndi_cuda_lapack_lu_complex)(j->type % 2, which, x->width, rows);
    return gndi_cuda_launch(j->s, kernel, blocks, threads, shared, params, j->fn);
}

/* ---- the width of a step -------------------------------------------------------------------------- */

static int rows_of(const lu *x, int64_t rows) {
    return gndi_panel_rows(x->width * x->j->bytes, rows, GNDI_LU_MANY_ROWS);
}

static bool fits(const lu *x, int64_t rows, size_t capacity) {
    const int each = rows_of(x, rows), threads = gndi_panel_threads(rows, each);
    return threads <= GNDI_LU_THREADS && GNDI_LU_PANEL_BYTES(x->width, threads * each, x->j->bytes) <= capacity;
}

/* The widest step whose panels fit; false: none does. */
static bool describe(lu *x, gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    *x = (lu){.j = j, .all = (int)(plan->m < plan->n ? plan->m : plan->n)};
    const size_t capacity = (size_t)j->s->device->shared_bytes;
    for (x->width = GNDI_LU_WIDEST; x->width >= 8; x->width /= 2) {
        if (x->width * j->bytes > 256 || !fits(x, plan->m, capacity)) continue;
        x->steps = (x->all + x->width - 1) / x->width;
        return true;
    }
    return false;
}

bool gndi_cuda_lu_takes(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    lu x;
    return plan->m <= GNDI_LU_MOST && plan->n <= GNDI_LU_MOST && plan->a.step % j->bytes == 0 &&
           plan->b.step % j->bytes == 0 && describe(&x, j) && plan->batch * x.width >= GNDI_LU_WORTH;
}

/* ---- factors ------------------------------------------------------------------------------------------ */

static int32_t *moves_of(const lu *x, int step) {
    return x->moves + (int64_t)step * x->j->plan->batch * 2 * x->width;
}

static gnd_status panel(const lu *x, int k) {
    const gndi_lapack_plan *plan = x->j->plan;
    gndi_lu_panel_params p = {.a = gndi_kernel_matrices(&plan->a),
                              .pivots = x->pivots,
                              .moves = moves_of(x, k / x->width),
                              .info = x->j->info,
                              .m = (int)plan->m,
                              .k = k,
                              .width = x->all - k < x->width ? x->all - k : x->width,
                              .all = x->all};
    const int rows = p.m - k, each = rows_of(x, rows), threads = gndi_panel_threads(rows, each);
    return launch(x, GNDI_LU_PANEL, each, plan->batch, threads,
                  GNDI_LU_PANEL_BYTES(x->width, threads * each, x->j->bytes), &p);
}

static gnd_status block_row(const lu *x, gndi_lu_block_params *p, int width) {
    lu of = *x;
    of.width = width;
    p->a = gndi_kernel_matrices(&x->j->plan->a);
    p->tiles = (p->columns + GNDI_LU_TILE - 1) / GNDI_LU_TILE;
    return launch(&of, GNDI_LU_BLOCK_ROW, 0, p->tiles * x->j->plan->batch, GNDI_LU_TILE,
                  (size_t)(width * width + GNDI_LU_TILE * (width + 1)) * (size_t)x->j->bytes, p);
}

/* Updates the remaining matrix. If there is one, the step has the full width. */
static gnd_status update(const lu *x, int k) {
    const gndi_solver_job *j = x->j;
    const gndi_lapack_plan *plan = j->plan;
    gndi_lu_update_params p = {.a = gndi_kernel_matrices(&plan->a),
                               .k = k,
                               .rows = (int)plan->m - k - x->width,
                               .columns = (int)plan->n - k - x->width};
    const int bytes = (int)j->bytes, rows = 32 * GNDI_LU_UPDATE_ROWS(bytes);
    const int columns = GNDI_LU_UPDATED / 32 * GNDI_LU_UPDATE_COLUMNS(bytes);
    p.tiles_down = (unsigned)(p.rows + rows - 1) / (unsigned)rows;
    p.tiles = p.tiles_down * ((unsigned)(p.columns + columns - 1) / (unsigned)columns);
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_lu_update_kernel(j->type, x->width), p.tiles * plan->batch,
                            GNDI_LU_UPDATED, (size_t)(x->width * (rows + columns) * bytes), &p, j->fn);
}

static gnd_status step(const lu *x, int k) {
    const gndi_lapack_plan *plan = x->j->plan;
    gnd_status status = panel(x, k);
    const int width = x->all - k < x->width ? x->all - k : x->width, next = k + width;
    if (status || next == plan->n) return status;
    gndi_lu_block_params p = {.x = gndi_kernel_matrices(&plan->a),
                              .moves = moves_of(x, k / x->width),
                              .first = next,
                              .columns = plan->n - next,
                              .k = k,
                              .width = width,
                              .unit = true};
    status = block_row(x, &p, x->width);
    return status || next == plan->m ? status : update(x, k);
}

/* ---- the order of rows -------------------------------------------------------------------------------- */

/* Orders the rows of `matrices`, by the steps' moves, or by pivots if only these are known. */
static gnd_status arrange(const lu *x, int what, const gndi_lapack_matrix *matrices, int rows, int64_t columns) {
    const gndi_solver_job *j = x->j;
    gndi_lu_order_params p = {.x = gndi_kernel_matrices(matrices),
                              .moves = x->moves,
                              .pivots = x->pivots,
                              .batch = j->plan->batch,
                              .columns = columns,
                              .rows = rows,
                              .all = x->all,
                              .width = x->width,
                              .steps = x->steps,
                              .what = (uint8_t)what};
    p.parts = what == GNDI_LU_LEFT ? x->steps - 1 : (columns + GNDI_LU_COLUMNS - 1) / GNDI_LU_COLUMNS;
    const size_t order = ((size_t)rows * sizeof(int) + 15) / 16 * 16;
    const size_t column = (size_t)rows * (size_t)j->bytes;
    const size_t capacity = (size_t)j->s->device->shared_bytes;
    p.columns_at_once = GNDI_LU_ORDERED / 32;
    while (p.columns_at_once > 1 && order + (size_t)p.columns_at_once * column > capacity) p.columns_at_once--;
    const size_t shared = what == GNDI_LU_UNIT ? order : order + (size_t)p.columns_at_once * column;
    return p.parts ? launch(x, GNDI_LU_ORDER, 0, p.parts * p.batch, GNDI_LU_ORDERED, shared, &p) : GND_OK;
}

/* All of the factorization except the delayed exchanges in columns of L. */
static gnd_status factor(lu *x, int32_t *pivots) {
    gndi_solver_job *j = x->j;
    const int64_t batch = j->plan->batch;
    x->pivots = pivots ? pivots : gndi_solver_workspace(j, batch * x->all, sizeof *x->pivots);
    x->moves = x->pivots ? gndi_solver_workspace(j, batch * x->steps * 2 * x->width, sizeof *x->moves) : NULL;
    gnd_status status = x->moves ? GND_OK : GND_ERROR_MEMORY;
    for (int k = 0; k < x->all && !status; k += x->width) status = step(x, k);
    return status;
}

static gnd_status finish(const lu *x) {
    return arrange(x, GNDI_LU_LEFT, &x->j->plan->a, (int)x->j->plan->m, (int64_t)(x->steps - 1) * x->width);
}

/* ---- triangles ------------------------------------------------------------------------------------------ */

typedef struct triangle {
    bool upper, unit; /* as stored in a */
    int trans;
} triangle;

/* Rows k to k + n of b become T^-1 b; the rows solved before have already been eliminated from them. */
static gnd_status substitute(const lu *x, const triangle *t, int64_t k, int64_t n) {
    const gndi_lapack_plan *plan = x->j->plan;
    const bool transposed = t->trans != GNDI_PLAIN, backward = t->upper != transposed;
    if (n <= GNDI_LU_LEAF) {
        gndi_lu_block_params p = {.x = gndi_kernel_matrices(&plan->b),
                                  .columns = plan->columns,
                                  .k = (int)k,
                                  .width = (int)n,
                                  .backward = backward,
                                  .unit = t->unit,
                                  .transposed = transposed,
                                  .conjugated = t->trans == GNDI_CONJUGATED};
        return block_row(x, &p, GNDI_LU_LEAF);
    }
    int64_t half = GNDI_LU_LEAF;
    while (2 * half < n) half *= 2;
    const int64_t first = backward ? k + half : k, second = backward ? k : k + half;
    const int64_t known = backward ? n - half : half;
    gnd_status status = substitute(x, t, first, known);
    if (status) return status;
    const gndi_matrix_part a = {&plan->a, transposed ? first : second, transposed ? second : first};
    status = gndi_solver_product(x->j, t->trans, a, (gndi_matrix_part){&plan->b, first, 0},
                                 (gndi_matrix_part){&plan->b, second, 0}, n - known, plan->columns, known, -1, 1);
    return status ? status : substitute(x, t, second, n - known);
}

/* b = op(A)^-1 b, each column by a block. */
static gnd_status solve_vectors(const lu *x, int trans) {
    const gndi_lapack_plan *plan = x->j->plan;
    gndi_lu_vector_params p = {.a = gndi_kernel_matrices(&plan->a),
                               .x = gndi_kernel_matrices(&plan->b),
                               .moves = x->moves,
                               .pivots = x->pivots,
                               .batch = plan->batch,
                               .columns = plan->columns,
                               .n = (int)plan->n,
                               .width = x->width,
                               .steps = x->steps,
                               .transposed = trans != GNDI_PLAIN,
                               .conjugated = trans == GNDI_CONJUGATED};
    const int64_t rows = (plan->n + 31) / 32 * 32;
    const int threads = rows < GNDI_LU_VECTORED ? (int)rows : GNDI_LU_VECTORED;
    return launch(x, GNDI_LU_VECTOR, 0, plan->batch * plan->columns, threads,
                  (size_t)plan->n * ((size_t)x->j->bytes + sizeof(int)), &p);
}

static gnd_status solve_columns(const lu *x, int trans) {
    const gndi_lapack_plan *plan = x->j->plan;
    const bool transposed = trans != GNDI_PLAIN, inverse = plan->op == GNDI_LAPACK_INVERSE;
    const triangle lower = {false, true, trans}, upper = {true, false, trans};
    gnd_status status = GND_OK;
    if (!transposed) status = arrange(x, inverse ? GNDI_LU_UNIT : GNDI_LU_TAKE, &plan->b, (int)plan->n, plan->columns);
    if (!status) status = substitute(x, transposed ? &upper : &lower, 0, plan->n);
    if (!status) status = substitute(x, transposed ? &lower : &upper, 0, plan->n);
    if (!status && transposed) status = arrange(x, GNDI_LU_PUT, &plan->b, (int)plan->n, plan->columns);
    return status;
}

static bool by_vectors(const gndi_lapack_plan *plan) {
    return plan->op != GNDI_LAPACK_INVERSE && (plan->columns == 1 || plan->columns * plan->batch <= GNDI_LU_VECTORS);
}

static gnd_status solve(const lu *x, int trans) {
    return by_vectors(x->j->plan) ? solve_vectors(x, trans) : solve_columns(x, trans);
}

/* ---- the interface -------------------------------------------------------------------------------------- */

int gndi_cuda_lu_handles(const gndi_lapack_plan *plan) {
    const bool factors_alone = plan->op == GNDI_LAPACK_LU || plan->op == GNDI_LAPACK_DETERMINANT;
    return factors_alone || by_vectors(plan) ? 0 : GNDI_HANDLES_BLAS;
}

gnd_status gndi_cuda_lu_factor(gndi_solver_job *j, int32_t *pivots, bool whole) {
    lu x;
    describe(&x, j);
    const gnd_status status = factor(&x, pivots);
    return status || !whole ? status : finish(&x);
}

gnd_status gndi_cuda_lu_systems(gndi_solver_job *j, int trans) {
    lu x;
    describe(&x, j);
    gnd_status status = factor(&x, NULL);
    if (!status) status = finish(&x);
    return status ? status : solve(&x, trans);
}

gnd_status gndi_cuda_lu_solve(gndi_solver_job *j, int trans) {
    lu x;
    describe(&x, j);
    x.pivots = j->plan->pivots;
    return solve(&x, trans);
}
