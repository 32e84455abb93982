/*
 * matmul_plan.c: from the arrays of a product to the plan of the `matmul` hook.
 *
 * BLAS wants one stride of each matrix to be the item's size, and the other to span a whole row or
 * column; strides of axes of size 1 are free. Such matrices are passed on without a copy. If c is row-major, its
 * transpose is computed, the product of b's transpose and a's. Axes of the batch become rows of a, or columns
 * of b, where the other operand has one matrix for all of them, and are merged where possible.
 */
#include "core/axes.h"
#include "linalg/products.h"
#include "elementwise/truths.h"

/* ---- layouts -------------------------------------------------------------------------------- */

/* A matrix in a plan. */
typedef gndi_matmul_operand operand;

static bool uses_blas(gnd_dtype dtype) {
    return dtype >= GND_FLOAT16;
}

/* Sets the free strides of axes of size 1 to values that BLAS can describe: the longer axis becomes dense if
   possible. */
static inline void settle(operand *x, int64_t rows, int64_t columns, int64_t item) {
    if (columns <= 1 && (rows <= 1 || x->row == item))
        x->row = item, x->column = rows > 1 ? rows * item : item;
    else if (columns <= 1)
        x->column = item;
    else if (rows <= 1 && x->column == item)
        x->row = columns * item;
    else if (rows <= 1)
        x->row = item;
}

/* a's last two axes, or the one of a vector, as a matrix. */
typedef struct matrix {
    int64_t rows, columns, row, column;
} matrix;

static inline matrix matrix_of(const gnd_array *a, bool vector, bool is_row) {
    const int last = a->ndim - 1;
    if (!vector) return (matrix){a->shape[last - 1], a->shape[last], a->strides[last - 1], a->strides[last]};
    return is_row ? (matrix){1, a->shape[0], 0, a->strides[0]} : (matrix){a->shape[0], 1, a->strides[0], 0};
}

/* ---- copies --------------------------------------------------------------------------------- */

/* `a` with axes of size 1 where its batch repeats a matrix (stride 0); a view, or NULL. */
static gnd_array *without_repeats(const char *fn, const gnd_array *a) {
    int64_t shape[GND_MAX_DIMS];
    for (int i = 0; i < a->ndim; i++) shape[i] = i < a->ndim - 2 && a->strides[i] == 0 ? 1 : a->shape[i];
    return gndi_array_view(fn, a, a->ndim, shape, a->strides, gndi_data(a), (gnd_dtype)a->dtype);
}

/* A dense copy in another dtype; matrices keep their order. NULL on failure. */
static gnd_array *dense_copy(const char *fn, const gnd_array *a, gnd_dtype dtype) {
    gnd_array *once = without_repeats(fn, a);
    if (!once) return NULL;
    const int last = a->ndim - 1;
    const bool columns = last > 0 && gndi_magnitude(a->strides[last]) > gndi_magnitude(a->strides[last - 1]);
    gnd_stream *stream = gndi_stream_on(a->buffer->device, fn);
    gnd_array *copy = NULL;
    if (stream)
        copy =
            gndi_array_new_on(fn, stream, once->ndim, once->shape, dtype, columns ? GNDI_ORDER_MATRICES : GNDI_ORDER_C);
    if (copy && gndi_copy_into(fn, copy, once)) {
        gnd_release(copy);
        copy = NULL;
    }
    gnd_release(once);
    return copy;
}

/* Whether the backends take an operand without a copy. */
static inline bool needs_no_copy(const gndi_product *p, const gnd_array *a, const matrix *x) {
    if ((gnd_dtype)a->dtype != p->factors || gndi_is_loose(a)) return false;
    return !uses_blas(p->dtype) || gndi_blas_describes(x->rows, x->columns, x->row, x->column, gndi_itemsize(a));
}

/* ---- axes ----------------------------------------------------------------------------------- */

static void load(const gndi_product *p, const gnd_array *a, bool vector, bool is_row, operand *to) {
    const matrix x = matrix_of(a, vector, is_row);
    to->data = gndi_data(a), to->row = x.row, to->column = x.column, to->conjugate = false;
    const int own = vector ? 0 : a->ndim - 2, missing = p->batch - own;
    for (int i = 0; i < p->batch; i++) {
        const int axis = i - missing;
        to->step[i] = axis < 0 || a->shape[axis] == 1 ? 0 : a->strides[axis];
    }
}

static void load_result(const gndi_product *p, const gnd_array *out, operand *to) {
    int axis = p->batch;
    to->data = gndi_data(out), to->conjugate = false;
    to->row = p->a_vector ? 0 : out->strides[axis++];
    to->column = p->b_vector ? 0 : out->strides[axis];
    for (int i = 0; i < p->batch; i++) to->step[i] = out->strides[i];
}

/* Drops axes of size 1, and merges those that are contiguous in all operands. */
static void merge(gndi_matmul_plan *plan, const gndi_product *p) {
    int64_t *const step[] = {plan->a.step, plan->b.step, plan->c.step};
    gndi_walk w = {.operands = 3, .shape = plan->shape, .stride = step};
    for (int i = 0; i < p->batch; i++) gndi_walk_add(&w, p->shape[i], (int64_t[]){step[0][i], step[1][i], step[2][i]});
    plan->ndim = gndi_walk_merge(&w, 0, w.ndim);
}

/* Makes the batch's last axis part of the rows of a and c, if b has one matrix for all of it. (For
   columns the caller passes everything transposed.) */
static bool fold(operand *a, const operand *b, operand *c, int last, int64_t count, int64_t *m, int64_t n, int64_t k,
                 bool blas, const int64_t item[2]) {
    if (b->step[last] != 0) return false;
    const int64_t a_row = *m == 1 ? a->step[last] : a->row;
    const int64_t c_row = *m == 1 ? c->step[last] : c->row;
    if (a->step[last] != *m * a_row || c->step[last] != *m * c_row || a_row == 0) return false;
    const int64_t rows = *m * count;
    if (blas && !(gndi_blas_describes(rows, k, a_row, a->column, item[0]) &&
                  gndi_blas_describes(rows, n, c_row, c->column, item[1])))
        return false;
    a->row = a_row, c->row = c_row, *m = rows;
    return true;
}

static void transpose(operand *x) {
    const int64_t row = x->row;
    x->row = x->column, x->column = row;
}

/* c, a and b become the transposes of c, b and a. */
static void exchange(gndi_matmul_plan *plan) {
    const operand a = plan->a;
    const int64_t m = plan->m;
    plan->a = plan->b, plan->b = a;
    plan->m = plan->n, plan->n = m;
    transpose(&plan->a), transpose(&plan->b), transpose(&plan->c);
}

/* item: bytes of an element of the factors and of c. */
static void fold_batch(gndi_matmul_plan *plan, bool blas, const int64_t item[2]) {
    operand *a = &plan->a, *b = &plan->b, *c = &plan->c;
    while (plan->ndim) {
        const int last = plan->ndim - 1;
        const int64_t count = plan->shape[last];
        bool folded = fold(a, b, c, last, count, &plan->m, plan->n, plan->k, blas, item);
        if (!folded) {
            transpose(a), transpose(b), transpose(c);
            folded = fold(b, a, c, last, count, &plan->n, plan->m, plan->k, blas, item);
            transpose(a), transpose(b), transpose(c);
        }
        if (!folded) return;
        plan->ndim--;
    }
}

static void make_plan(const gndi_product *p, const gnd_array *a, const gnd_array *b, const gnd_array *out,
                      gndi_matmul_plan *plan) {
    const int64_t item = gndi_itemsize(out), of_factors = gndi_dtype_sizes[p->factors];
    const bool blas = uses_blas(p->dtype);
    plan->dtype = (uint8_t)p->dtype, plan->factors = (uint8_t)p->factors, plan->tf32 = gndi_tls.tf32;
    plan->m = p->m, plan->n = p->n, plan->k = p->k;
    load(p, a, p->a_vector, true, &plan->a);
    load(p, b, p->b_vector, false, &plan->b);
    load_result(p, out, &plan->c);
    plan->a.conjugate = p->conjugate && gndi_dtype_is_complex(p->dtype);
    merge(plan, p);
    fold_batch(plan, blas, (int64_t[]){of_factors, item});
    const operand *c = &plan->c;
    const bool as_columns = gndi_column_major(plan->m, plan->n, c->row, c->column, item);
    const bool as_rows = gndi_column_major(plan->n, plan->m, c->column, c->row, item);
    if (blas ? as_rows && (plan->m <= 1 || !as_columns)
             : gndi_magnitude(c->column) < gndi_magnitude(c->row) && plan->n > 1)
        exchange(plan);
    if (!blas) return;
    settle(&plan->a, plan->m, plan->k, of_factors);
    settle(&plan->b, plan->k, plan->n, of_factors);
    plan->c.row = item;
    if (plan->n <= 1) plan->c.column = plan->m * item;
}

/* ---- submission ----------------------------------------------------------------------------- */

static gnd_status submit(const char *fn, const gndi_matmul_plan *plan, const gnd_array *a, const gnd_array *b,
                         gnd_array *out) {
    gnd_stream *s = gndi_work_begin(fn, 2, (const gnd_array *[]){a, b}, 1, (const gnd_array *[]){out});
    return s ? gndi_work_end(s, s->device->backend->matmul(s, plan, fn), fn) : gndi_ew_pending();
}

bool gndi_product_takes(const gndi_product *p, const gnd_array *out) {
    if ((gnd_dtype)out->dtype != p->dtype) return false;
    if (!uses_blas(p->dtype)) return true;
    int axis = p->batch;
    const int64_t row = p->a_vector ? 0 : out->strides[axis++];
    const int64_t column = p->b_vector ? 0 : out->strides[axis];
    return gndi_blas_describes(p->m, p->n, row, column, gndi_itemsize(out));
}

gnd_status gndi_product_run(const gndi_product *p, gnd_array *out, gndi_parts alpha, gndi_parts beta) {
    const matrix ma = matrix_of(p->a, p->a_vector, true), mb = matrix_of(p->b, p->b_vector, false);
    gnd_array *copy_a = NULL, *copy_b = NULL;
    if (!needs_no_copy(p, p->a, &ma) && !(copy_a = dense_copy(p->fn, p->a, p->factors))) return gndi_ew_pending();
    gnd_status status = GND_OK;
    if (!needs_no_copy(p, p->b, &mb) && !(copy_b = dense_copy(p->fn, p->b, p->factors))) status = gndi_ew_pending();
    if (!status) {
        const gnd_array *a = copy_a ? copy_a : p->a, *b = copy_b ? copy_b : p->b;
        gndi_matmul_plan plan;
        plan.alpha[0] = alpha.re, plan.alpha[1] = alpha.im;
        plan.beta[0] = beta.re, plan.beta[1] = beta.im;
        make_plan(p, a, b, out, &plan);
        status = submit(p->fn, &plan, a, b, out);
    }
    if (copy_a) gnd_release(copy_a);
    if (copy_b) gnd_release(copy_b);
    return status;
}
