/*
 * matmul_blas_cuda.c: products of matrices by cuBLAS: which routine, and how a plan's strides become
 * its arguments.
 *
 * Products with a vector use gemv, which reads the matrix at memory bandwidth. The strided batched routines take
 * one axis of the batch; further axes are looped over if they are short, else a kernel writes tables of the
 * addresses of all matrices. BLAS conjugates only what it also transposes: other factors are conjugated in a copy.
 */
#include "linalg/cuda/blas_cuda.h"
#include "elementwise/cuda/copy_launch.h"
#include "linalg/cuda/matmul_launch.h"

/* Of cublas_api.h and library_types.h. */
enum { OP_N = 0, OP_T = 1, OP_C = 2 };
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32F_FAST_TF32 = 77, GEMM_DEFAULT = -1 };
enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5, R_16BF = 14 };

enum {
    LOOPED = 4, /* calls at most for the axes that are looped over. Not measured yet */
    /* Matrices of one call: a grid has 65535 blocks along its third axis, which cuBLAS did not always mind. */
    AT_ONCE = 1 << 15,
};

/* A matrix in BLAS's terms. */
typedef struct factor {
    char *data;
    int op;
    int64_t ld;
} factor;

/* A scalar as cuBLAS reads it, in the type that is computed in. */
typedef union scalar {
    float single[2];
    double twice[2];
} scalar;

typedef struct product {
    gndi_cuda_handles *h;
    gndi_matmul_plan plan; /* its factors as BLAS can describe them */
    int64_t item, c_item;  /* bytes of an element of the factors, and of c */
    scalar alpha, beta;
    gndi_buffer *copy[2]; /* of conjugated factors; NULL: none */
} product;

/* ---- BLAS's arguments ----------------------------------------------------------------------- */

static scalar scalar_of(int dtype, const double value[2]) {
    scalar x;
    if (dtype == GND_FLOAT64 || dtype == GND_COMPLEX128)
        x.twice[0] = value[0], x.twice[1] = value[1];
    else
        x.single[0] = (float)value[0], x.single[1] = (float)value[1];
    return x;
}

static int data_type(int dtype) {
    switch (dtype) {
    case GND_FLOAT16: return R_16F;
    case GND_BFLOAT16: return R_16BF;
    case GND_FLOAT32: return R_32F;
    case GND_FLOAT64: return R_64F;
    case GND_COMPLEX64: return C_32F;
    default: return C_64F;
    }
}

static int compute_type(const gndi_matmul_plan *plan) {
    if (plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128) return COMPUTE_64F;
    return plan->factors == GND_FLOAT32 && plan->tf32 ? COMPUTE_32F_FAST_TF32 : COMPUTE_32F;
}

static int64_t at_least_one(int64_t n) {
    return n > 1 ? n : 1;
}

/* Describes the matrix x of rows by columns; false if BLAS cannot conjugate it without a copy. The stride
   of an axis of one element is ignored. */
static bool describe(const gndi_matmul_operand *x, int64_t rows, int64_t columns, int64_t item, factor *f) {
    f->data = x->data;
    bool plain;
    if (rows == 1)
        plain = columns > 1 && x->column != item;
    else
        plain = x->row == item;
    if (plain) {
        f->op = OP_N;
        f->ld = columns > 1 ? x->column / item : at_least_one(rows);
        return !x->conjugate;
    }
    f->op = x->conjugate ? OP_C : OP_T;
    f->ld = rows > 1 ? x->row / item : at_least_one(columns);
    return true;
}

static gndi_matmul_operand transposed(gndi_matmul_operand x) {
    const int64_t row = x.row;
    x.row = x.column, x.column = row;
    return x;
}

/* ---- conjugated copies ---------------------------------------------------------------------- */

/* Replaces a factor by a conjugated copy: column-major, and without the repeated matrices of a batch. */
static gnd_status conjugate(gnd_stream *s, product *p, int which, const char *fn) {
    gndi_matmul_operand *x = which ? &p->plan.b : &p->plan.a;
    const int64_t rows = which ? p->plan.k : p->plan.m, columns = which ? p->plan.n : p->plan.k;
    int64_t bytes = rows * columns * p->item, step[GND_MAX_DIMS];
    for (int axis = p->plan.ndim - 1; axis >= 0; axis--) {
        step[axis] = x->step[axis] ? bytes : 0;
        if (x->step[axis]) bytes *= p->plan.shape[axis];
    }
    gndi_buffer *buffer = p->copy[which] = gndi_buffer_new(fn, s, (size_t)bytes);
    if (!buffer) return GND_ERROR_MEMORY;
    gndi_cuda_copy copy = gndi_cuda_copy_new(buffer->base, p->plan.dtype, x->data, p->plan.dtype);
    copy.plan.op = GNDI_OP_conjugate;
    gndi_cuda_copy_axis(&copy, rows, p->item, x->row);
    gndi_cuda_copy_axis(&copy, columns, rows * p->item, x->column);
    for (int axis = 0; axis < p->plan.ndim; axis++)
        if (step[axis]) gndi_cuda_copy_axis(&copy, p->plan.shape[axis], step[axis], x->step[axis]);
    *x = (gndi_matmul_operand){.data = buffer->base, .row = p->item, .column = rows * p->item};
    memcpy(x->step, step, (size_t)p->plan.ndim * sizeof *step);
    return gndi_cuda_copy_run(s, &copy, fn);
}

/* ---- vectors -------------------------------------------------------------------------------- */

typedef int gemv_routine(void *handle, int op, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,
                         const void *x, int64_t x_step, const void *beta, void *y, int64_t y_step);
typedef int gemv_batched_routine(void *handle, int op, int64_t m, int64_t n, const void *alpha, const void *a,
                                 int64_t lda, long long a_batch_stride, const void *x, int64_t x_step,
                                 long long x_batch_stride, const void *beta, void *y, int64_t y_step,
                                 long long y_batch_stride, int64_t batch);

/* NULL: float16 and bfloat16 have only a batched routine. */
static gemv_routine *gemv_of(const gndi_cublas *blas, int dtype) {
    switch (dtype) {
    case GND_FLOAT32: return blas->cublasSgemv_v2_64;
    case GND_FLOAT64: return blas->cublasDgemv_v2_64;
    case GND_COMPLEX64: return blas->cublasCgemv_v2_64;
    default: return NULL;
    }
}
static gemv_batched_routine *gemv_batched_of(const gndi_cublas *blas, int dtype) {
    switch (dtype) {
    case GND_FLOAT16: return blas->cublasHSHgemvStridedBatched_64;
    case GND_BFLOAT16: return blas->cublasTSTgemvStridedBatched_64;
    case GND_FLOAT32: return blas->cublasSgemvStridedBatched_64;
    case GND_FLOAT64: return blas->cublasDgemvStridedBatched_64;
    default: return blas->cublasCgemvStridedBatched_64;
    }
}

/* y = alpha M x + beta y, over `axis` of the batch (-1: none): of a and the column b, or, as one row of c
   is the column of c^T = b^T a^T, of b^T and the row a. */
static gnd_status multiply_vector(const product *p, int axis, const char *fn) {
    const gndi_matmul_plan *plan = &p->plan;
    const bool column = plan->n == 1;
    const gndi_matmul_operand matrix = column ? plan->a : transposed(plan->b);
    const gndi_matmul_operand *x = column ? &plan->b : &plan->a;
    const int64_t rows = column ? plan->m : plan->n, item = p->item;
    const int64_t x_stride = column ? x->row : x->column;
    const int64_t y_stride = column ? plan->c.row : plan->c.column;
    const int64_t x_step = plan->k > 1 ? x_stride / item : 1, y_step = rows > 1 ? y_stride / item : 1;
    factor f;
    describe(&matrix, rows, plan->k, item, &f);
    const int64_t m = f.op == OP_N ? rows : plan->k, n = f.op == OP_N ? plan->k : rows;
    void *handle = p->h->blas_handle;
    gemv_routine *one = gemv_of(p->h->blas, plan->dtype);
    if (axis < 0 && one)
        return gndi_cuda_blas_check(
            one(handle, f.op, m, n, &p->alpha, f.data, f.ld, x->data, x_step, &p->beta, plan->c.data, y_step), fn,
            "cublas gemv");
    gemv_batched_routine *many = gemv_batched_of(p->h->blas, plan->dtype);
    const int64_t batch = axis < 0 ? 1 : plan->shape[axis];
    const int64_t a_batch_stride = axis < 0 ? 0 : matrix.step[axis] / item;
    const int64_t x_batch_stride = axis < 0 ? 0 : x->step[axis] / item;
    const int64_t y_batch_stride = axis < 0 ? 0 : plan->c.step[axis] / item;
    return gndi_cuda_blas_check(many(handle, f.op, m, n, &p->alpha, f.data, f.ld, a_batch_stride, x->data, x_step,
                                     x_batch_stride, &p->beta, plan->c.data, y_step, y_batch_stride, batch),
                                fn, "cublas gemvStridedBatched");
}

/* ---- matrices ------------------------------------------------------------------------------- */

typedef struct gemm_arguments {
    factor a, b;
    int64_t ldc;
    int data, result, compute; /* types: of the factors, of c, and of the sums */
} gemm_arguments;

static gemm_arguments arguments_of(const product *p) {
    const gndi_matmul_plan *plan = &p->plan;
    gemm_arguments g = {
        .data = data_type(plan->factors), .result = data_type(plan->dtype), .compute = compute_type(plan)};
    describe(&plan->a, plan->m, plan->k, p->item, &g.a);
    describe(&plan->b, plan->k, plan->n, p->item, &g.b);
    g.ldc = plan->n > 1 ? plan->c.column / p->c_item : at_least_one(plan->m);
    return g;
}

/* Over `axis` of the batch, -1: one product. */
static gnd_status multiply(const product *p, int axis, const char *fn) {
    const gndi_matmul_plan *plan = &p->plan;
    const gndi_cublas *blas = p->h->blas;
    const gemm_arguments g = arguments_of(p);
    if (axis < 0)
        return gndi_cuda_blas_check(blas->cublasGemmEx_64(p->h->blas_handle, g.a.op, g.b.op, plan->m, plan->n, plan->k,
                                                          &p->alpha, g.a.data, g.data, g.a.ld, g.b.data, g.data, g.b.ld,
                                                          &p->beta, plan->c.data, g.result, g.ldc, g.compute,
                                                          GEMM_DEFAULT),
                                    fn, "cublasGemmEx");
    return gndi_cuda_blas_check(blas->cublasGemmStridedBatchedEx_64(
                                    p->h->blas_handle, g.a.op, g.b.op, plan->m, plan->n, plan->k, &p->alpha, g.a.data,
                                    g.data, g.a.ld, plan->a.step[axis] / p->item, g.b.data, g.data, g.b.ld,
                                    plan->b.step[axis] / p->item, &p->beta, plan->c.data, g.result, g.ldc,
                                    plan->c.step[axis] / p->c_item, plan->shape[axis], g.compute, GEMM_DEFAULT),
                                fn, "cublasGemmStridedBatchedEx");
}

/* Multiplies all matrices of the batch by tables of their addresses. */
static gnd_status multiply_by_address(gnd_stream *s, const product *p, const char *fn) {
    const gndi_matmul_plan *plan = &p->plan;
    const int64_t batch = gndi_matmul_batch(plan);
    gndi_buffer *buffer = gndi_buffer_new(fn, s, (size_t)batch * 3 * sizeof(void *));
    if (!buffer) return GND_ERROR_MEMORY;
    void **tables = buffer->base;
    gnd_status status = gndi_cuda_matmul_pointers(s, plan, tables, fn);
    const gemm_arguments g = arguments_of(p);
    for (int64_t from = 0; from < batch && !status; from += AT_ONCE) {
        const int64_t count = batch - from < AT_ONCE ? batch - from : AT_ONCE;
        void **at = tables + from;
        status = gndi_cuda_blas_check(
            p->h->blas->cublasGemmBatchedEx_64(p->h->blas_handle, g.a.op, g.b.op, plan->m, plan->n, plan->k, &p->alpha,
                                               at, g.data, g.a.ld, at + batch, g.data, g.b.ld, &p->beta, at + 2 * batch,
                                               g.result, g.ldc, count, g.compute, GEMM_DEFAULT),
            fn, "cublasGemmBatchedEx");
    }
    gndi_buffer_release(buffer);
    return status;
}

/* ---- batches -------------------------------------------------------------------------------- */

static bool is_whole(int64_t step, int64_t item) {
    return step >= 0 && step % item == 0;
}

/* The longest axis along which all strides are nonnegative multiples of the item's size, as the strided routines
   need; -1: none. */
static int strided_axis(const product *p) {
    const gndi_matmul_plan *plan = &p->plan;
    int best = -1;
    for (int axis = 0; axis < plan->ndim; axis++)
        if (is_whole(plan->a.step[axis], p->item) && is_whole(plan->b.step[axis], p->item) &&
            is_whole(plan->c.step[axis], p->c_item) && (best < 0 || plan->shape[axis] > plan->shape[best]))
            best = axis;
    return best;
}

static void move(gndi_matmul_plan *plan, int axis, int64_t index) {
    plan->a.data += index * plan->a.step[axis];
    plan->b.data += index * plan->b.step[axis];
    plan->c.data += index * plan->c.step[axis];
}

static gnd_status multiply_along(const product *p, int axis, bool vector, const char *fn) {
    if (axis < 0) return vector ? multiply_vector(p, axis, fn) : multiply(p, axis, fn);
    const int64_t size = p->plan.shape[axis];
    product part = *p;
    gnd_status status = GND_OK;
    for (int64_t from = 0; from < size && !status; from += AT_ONCE) {
        part.plan.shape[axis] = size - from < AT_ONCE ? size - from : AT_ONCE;
        status = vector ? multiply_vector(&part, axis, fn) : multiply(&part, axis, fn);
        move(&part.plan, axis, AT_ONCE);
    }
    return status;
}

/* One call for all of `axis`, in a loop over the other axes. */
static gnd_status loop(const product *p, int axis, int64_t calls, bool vector, const char *fn) {
    gnd_status status = GND_OK;
    for (int64_t call = 0; call < calls && !status; call++) {
        product part = *p;
        int64_t rest = call;
        for (int other = p->plan.ndim - 1; other >= 0; other--) {
            if (other == axis) continue;
            move(&part.plan, other, rest % p->plan.shape[other]);
            rest /= p->plan.shape[other];
        }
        status = multiply_along(&part, axis, vector, fn);
    }
    return status;
}

/* Whether a factor needs no copy. gemv takes b transposed where c is a row, and never conjugates its
   vector. */
static bool needs_no_copy(const product *p, int which, bool vector) {
    const gndi_matmul_plan *plan = &p->plan;
    factor f;
    if (!which) {
        if (vector && plan->n != 1) return !plan->a.conjugate;
        return describe(&plan->a, plan->m, plan->k, p->item, &f);
    }
    if (!vector) return describe(&plan->b, plan->k, plan->n, p->item, &f);
    if (plan->n == 1) return !plan->b.conjugate;
    const gndi_matmul_operand b = transposed(plan->b);
    return describe(&b, plan->n, plan->k, p->item, &f);
}

static int64_t calls_of(const gndi_matmul_plan *plan, int axis) {
    return gndi_matmul_batch(plan) / (axis < 0 ? 1 : plan->shape[axis]);
}

/* Not for complex128, which matmul_cuda.c keeps from cuBLAS here, nor for factors of another dtype than c. */
static bool uses_gemv(const product *p) {
    const gndi_matmul_plan *plan = &p->plan;
    return plan->factors == plan->dtype && (plan->m == 1 || plan->n == 1) && calls_of(plan, strided_axis(p)) <= LOOPED;
}

static gnd_status run(gnd_stream *s, product *p, const char *fn) {
    gndi_matmul_plan *plan = &p->plan;
    const bool vector = uses_gemv(p);
    for (int which = 0; which < 2; which++) {
        const gnd_status status = needs_no_copy(p, which, vector) ? GND_OK : conjugate(s, p, which, fn);
        if (status) return status;
    }
    if (plan->ndim == 0) return vector ? multiply_vector(p, -1, fn) : multiply(p, -1, fn);
    const int axis = strided_axis(p);
    const int64_t calls = calls_of(plan, axis);
    return calls <= LOOPED ? loop(p, axis, calls, vector, fn) : multiply_by_address(s, p, fn);
}

gnd_status gndi_cuda_matmul_blas(gnd_stream *s, const gndi_matmul_plan *plan, const char *fn) {
    product p = {.plan = *plan,
                 .item = gndi_dtype_sizes[plan->factors],
                 .c_item = gndi_dtype_sizes[plan->dtype],
                 .alpha = scalar_of(plan->dtype, plan->alpha),
                 .beta = scalar_of(plan->dtype, plan->beta)};
    const bool is_complex = plan->dtype >= GND_COMPLEX64;
    p.plan.a.conjugate &= is_complex, p.plan.b.conjugate &= is_complex;
    gnd_status status = gndi_cuda_handles_take(s, GNDI_HANDLES_BLAS, &p.h, fn);
    if (status) return status;
    const bool half = plan->factors == GND_FLOAT16 || plan->factors == GND_BFLOAT16;
    status = gndi_cuda_blas_sums_whole(p.h, half, fn);
    if (!status) status = run(s, &p, fn);
    gndi_cuda_handles_return(p.h);
    for (int which = 0; which < 2; which++)
        if (p.copy[which]) gndi_buffer_release(p.copy[which]);
    return status;
}
