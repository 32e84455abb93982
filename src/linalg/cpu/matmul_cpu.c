/*
 * matmul_cpu.c: products of matrices on the CPU. OpenBLAS multiplies floating-point and complex ones;
 * integers, bool and small matrices go through gnd's own loops, whose blocks and products are divided
 * among gnd's threads.
 */
#include "linalg/cpu/matmul_cpu.h"
#include "kernels/cpu/isa.h"
#include "linalg/cpu/openblas_threads.h"
#include "runtime/hooks.h"
#include <limits.h>
#include <stdlib.h>

GNDI_CPU_TABLE(gndi_cpu_products, gndi_cpu_products_get, products)

enum {
    LONGEST = 1 << 30,     /* BLAS takes int: longer axes are cut */
    TASK = 1 << 15,        /* multiplications that are worth a thread */
    FEW = 64,              /* multiplications in a product that costs less than a call of OpenBLAS */
    HALVES = 32 * 32 * 32, /* multiplications of 16-bit numbers in gnd's own loops */
    LARGE = 1 << 21,       /* multiplications that all threads can share */
    THIN = 64,             /* the edges of a small factor */
    STRIP = 1 << 19,       /* multiplications in one call with a small factor */
    ROOM = 4096,           /* bytes of a vector on the stack */
    PAGE = 4096,
    COLUMN_MAJOR = 102, /* the values of cblas.h */
    AS_IS = 111,
    TRANSPOSED = 112,
    TRANSPOSED_CONJUGATE = 113,
    CONJUGATE = 114,
};

typedef gndi_matmul_operand operand;

gndi_cpu_matmul_data gndi_cpu_matmul_at(const gndi_matmul_plan *plan, int64_t index) {
    gndi_cpu_matmul_data x = {plan->a.data, plan->b.data, plan->c.data};
    for (int i = plan->ndim - 1; i >= 0; i--) {
        const int64_t at = i ? index % plan->shape[i] : index;
        if (i) index /= plan->shape[i];
        x.a += at * plan->a.step[i], x.b += at * plan->b.step[i], x.c += at * plan->c.step[i];
    }
    return x;
}

/* ---- OpenBLAS ------------------------------------------------------------------------------- */

/* A matrix as cblas describes it: the flag, and the leading dimension. */
typedef struct layout {
    int flag;
    int64_t ld;
} layout;

static layout layout_of(const operand *x, int64_t item) {
    if (x->row == item) return (layout){x->conjugate ? CONJUGATE : AS_IS, x->column / item};
    return (layout){x->conjugate ? TRANSPOSED_CONJUGATE : TRANSPOSED, x->row / item};
}

/* One call of a routine in any of its four types. */
typedef struct blas_call {
    const gndi_openblas *blas;
    int dtype;
    const double *alpha, *beta;
} blas_call;

static void gemm(const blas_call *f, layout la, layout lb, int m, int n, int k, const void *a, const void *b, void *c,
                 int ldc) {
    const float alpha[2] = {(float)f->alpha[0], (float)f->alpha[1]};
    const float beta[2] = {(float)f->beta[0], (float)f->beta[1]};
    const int lda = (int)la.ld, ldb = (int)lb.ld;
    switch (f->dtype) {
    case GND_FLOAT32:
        f->blas->cblas_sgemm(COLUMN_MAJOR, la.flag, lb.flag, m, n, k, alpha[0], a, lda, b, ldb, beta[0], c, ldc);
        break;
    case GND_FLOAT64:
        f->blas->cblas_dgemm(COLUMN_MAJOR, la.flag, lb.flag, m, n, k, f->alpha[0], a, lda, b, ldb, f->beta[0], c, ldc);
        break;
    case GND_COMPLEX64:
        f->blas->cblas_cgemm(COLUMN_MAJOR, la.flag, lb.flag, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
        break;
    default: f->blas->cblas_zgemm(COLUMN_MAJOR, la.flag, lb.flag, m, n, k, f->alpha, a, lda, b, ldb, f->beta, c, ldc);
    }
}

/* y = alpha op(a) x + beta y, where a has `rows` x `columns` in memory. */
static void gemv(const blas_call *f, layout la, int rows, int columns, const void *a, const void *x, int x_step,
                 void *y, int y_step) {
    const float alpha[2] = {(float)f->alpha[0], (float)f->alpha[1]};
    const float beta[2] = {(float)f->beta[0], (float)f->beta[1]};
    const int lda = (int)la.ld;
    switch (f->dtype) {
    case GND_FLOAT32:
        f->blas->cblas_sgemv(COLUMN_MAJOR, la.flag, rows, columns, alpha[0], a, lda, x, x_step, beta[0], y, y_step);
        break;
    case GND_FLOAT64:
        f->blas->cblas_dgemv(COLUMN_MAJOR, la.flag, rows, columns, f->alpha[0], a, lda, x, x_step, f->beta[0], y,
                             y_step);
        break;
    case GND_COMPLEX64:
        f->blas->cblas_cgemv(COLUMN_MAJOR, la.flag, rows, columns, alpha, a, lda, x, x_step, beta, y, y_step);
        break;
    default:
        f->blas->cblas_zgemv(COLUMN_MAJOR, la.flag, rows, columns, f->alpha, a, lda, x, x_step, f->beta, y, y_step);
    }
}

static layout flipped(layout l) {
    const bool conjugate = l.flag == CONJUGATE || l.flag == TRANSPOSED_CONJUGATE;
    const bool transposed = l.flag == TRANSPOSED || l.flag == TRANSPOSED_CONJUGATE;
    l.flag = transposed ? (conjugate ? CONJUGATE : AS_IS) : (conjugate ? TRANSPOSED_CONJUGATE : TRANSPOSED);
    return l;
}

/* OpenBLAS 0.3.21 reads complex vectors one element too far, by their step. Whether there may be no memory: the element
   is on another page than the last one. */
static bool is_page_end(const char *x, int64_t step, int64_t n, size_t item) {
    const uintptr_t last = (uintptr_t)x + (uintptr_t)((n - 1) * step * (int64_t)item);
    const uintptr_t behind = last + (uintptr_t)(step * (int64_t)item);
    return last / PAGE != behind / PAGE || last / PAGE != (behind + item - 1) / PAGE;
}

/* A dense copy of a vector, with a zero behind it: in `room`, or to be freed; NULL: there is no memory. */
static char *dense_vector(const char *x, int64_t step, int64_t n, size_t item, char *room) {
    const size_t bytes = (size_t)(n + 1) * item;
    char *dense = bytes <= ROOM ? room : malloc(bytes);
    if (!dense) return NULL;
    for (int64_t i = 0; i < n; i++) memcpy(dense + (size_t)i * item, x + i * step * (int64_t)item, item);
    memset(dense + (size_t)n * item, 0, item);
    return dense;
}

/* A matrix times a column. With beta == 0 some implementations of gemv multiply y by zero instead of overwriting it,
   so that a NaN stays: y is cleared first. */
static void times_vector(const blas_call *f, layout la, int rows, int columns, const void *a, const char *x,
                         int64_t x_step, char *y, int64_t y_step, int64_t length) {
    const size_t item = gndi_dtype_sizes[f->dtype];
    const bool transposed = la.flag == TRANSPOSED || la.flag == TRANSPOSED_CONJUGATE;
    const bool fresh = f->beta[0] == 0 && f->beta[1] == 0;
    if (fresh && y_step == 1)
        memset(y, 0, (size_t)length * item);
    else if (fresh)
        for (int64_t i = 0; i < length; i++) memset(y + (size_t)(i * y_step) * item, 0, item);
    const bool copied = gndi_dtype_is_complex(f->dtype) && !transposed && is_page_end(x, x_step, columns, item);
    _Alignas(64) char room[ROOM];
    char *const dense = copied ? dense_vector(x, x_step, columns, item, room) : NULL;
    gemv(f, la, transposed ? columns : rows, transposed ? rows : columns, a, dense ? dense : x, dense ? 1 : (int)x_step,
         y, (int)y_step);
    if (dense != room) free(dense);
}

/* A part of a product, of sizes that fit. */
static void multiply_part(const blas_call *f, const gndi_matmul_plan *p, const char *a, const char *b, char *c, int m,
                          int n, int k) {
    const int64_t item = gndi_dtype_sizes[p->dtype];
    layout la = layout_of(&p->a, item), lb = layout_of(&p->b, item);
    if (la.ld > INT_MAX) la.ld = m > k ? m : k; /* one row or column: any will do */
    if (lb.ld > INT_MAX) lb.ld = n > k ? n : k;
    const int64_t ldc = n > 1 || p->c.column / item <= INT_MAX ? p->c.column / item : m;
    const int64_t x_step = p->b.row / item, z_step = p->a.column / item;
    if (n == 1 && m > 1 && !p->b.conjugate && x_step <= INT_MAX)
        times_vector(f, la, m, k, a, b, x_step, c, 1, m);
    else if (m == 1 && n > 1 && !p->a.conjugate && z_step <= INT_MAX)
        times_vector(f, flipped(lb), n, k, b, a, z_step, c, ldc, n);
    else
        gemm(f, la, lb, m, n, k, a, b, c, (int)ldc);
}

/* How far along an axis one call goes: matrices whose leading dimension does not fit an int are multiplied line by
   line. */
static int64_t reach(int64_t size, bool line_by_line) {
    return line_by_line ? 1 : size < LONGEST ? size : LONGEST;
}

void gndi_cpu_gemm(const gndi_openblas *blas, const gndi_matmul_plan *p, const gndi_cpu_matmul_data *x,
                   const double *beta) {
    static const double one[2] = {1, 0};
    const int64_t item = gndi_dtype_sizes[p->dtype], far = INT_MAX * item;
    const int64_t wide = reach(p->n, p->c.column > far || p->b.column > far);
    const int64_t high = reach(p->m, p->a.row > far);
    const int64_t deep = reach(p->k, p->a.column > far || p->b.row > far);
    for (int64_t j = 0; j < p->n; j += wide)
        for (int64_t i = 0; i < p->m; i += high)
            for (int64_t l = 0; l < p->k; l += deep) {
                const blas_call f = {blas, p->dtype, p->alpha, l ? one : beta};
                multiply_part(&f, p, x->a + i * p->a.row + l * p->a.column, x->b + l * p->b.row + j * p->b.column,
                              x->c + i * p->c.row + j * p->c.column, (int)(p->m - i < high ? p->m - i : high),
                              (int)(p->n - j < wide ? p->n - j : wide), (int)(p->k - l < deep ? p->k - l : deep));
            }
}

/* ---- the batch ------------------------------------------------------------------------------ */

typedef struct batch {
    const gndi_matmul_plan *plan;
    const gndi_openblas *blas;
    gndi_cpu_multiply multiply; /* our own loop */
    int64_t edge;               /* of the blocks that it computes */
    int64_t down, across;       /* blocks of one product */
} batch;

static void products_by_blas(void *context, int64_t begin, int64_t end) {
    const batch *x = context;
    for (int64_t i = begin; i < end; i++) {
        const gndi_cpu_matmul_data data = gndi_cpu_matmul_at(x->plan, i);
        gndi_cpu_gemm(x->blas, x->plan, &data, x->plan->beta);
    }
}

/* The columns of a strip: a product with a small factor a is computed in strips of columns. OpenBLAS gains nothing
   from wider ones, and has kernels without packing for less than a million multiplications. */
static int64_t strip_of(const gndi_matmul_plan *p) {
    return p->m <= THIN && p->k <= THIN ? STRIP / (p->m * p->k) + 1 : p->n;
}

static void strips_on_a_thread(void *context, int64_t begin, int64_t end) {
    const batch *x = context;
    const gndi_matmul_plan *p = x->plan;
    gndi_openblas_alone_here(x->blas);
    gndi_matmul_plan part = *p;
    for (int64_t i = begin; i < end; i++) {
        const int64_t strip = strip_of(p), j = i * strip;
        const gndi_cpu_matmul_data data = {p->a.data, p->b.data + j * p->b.column, p->c.data + j * p->c.column};
        part.n = p->n - j < strip ? p->n - j : strip;
        gndi_cpu_gemm(x->blas, &part, &data, p->beta);
    }
}

static void products_on_a_thread(void *context, int64_t begin, int64_t end) {
    gndi_openblas_alone_here(((const batch *)context)->blas);
    products_by_blas(context, begin, end);
}

static void products_by_blocks(void *context, int64_t begin, int64_t end) {
    const batch *x = context;
    const gndi_matmul_plan *p = x->plan;
    const int64_t blocks = x->down * x->across;
    gndi_cpu_product part = {
        .k = p->k,
        .a_row = p->a.row,
        .a_column = p->a.column,
        .conjugate_a = p->a.conjugate,
        .b_row = p->b.row,
        .b_column = p->b.column,
        .conjugate_b = p->b.conjugate,
        .c_row = p->c.row,
        .c_column = p->c.column,
        .alpha = p->alpha,
        .beta = p->beta,
    };
    for (int64_t block = begin; block < end; block++) {
        const int64_t tile = blocks == 1 ? 0 : block % blocks;
        const gndi_cpu_matmul_data data = gndi_cpu_matmul_at(p, blocks == 1 ? block : block / blocks);
        const int64_t i = tile % x->down * x->edge, j = tile / x->down * x->edge;
        part.a = data.a + i * p->a.row, part.b = data.b + j * p->b.column;
        part.c = data.c + i * p->c.row + j * p->c.column;
        part.m = p->m - i < x->edge ? p->m - i : x->edge;
        part.n = p->n - j < x->edge ? p->n - j : x->edge;
        x->multiply(&part);
    }
}

/* Chooses blocks as large as possible that still leave work for all threads. */
static void multiply_by_blocks(batch *x, int64_t count) {
    const gndi_matmul_plan *p = x->plan;
    const int64_t enough = gndi_thread_count() == 1 ? 1 : 4 * gndi_thread_count();
    for (x->edge = GNDI_MATMUL_EDGE;; x->edge /= 2) {
        x->down = (p->m + x->edge - 1) / x->edge, x->across = (p->n + x->edge - 1) / x->edge;
        if (count * x->down * x->across >= enough || x->edge <= GNDI_MATMUL_EDGE / 4) break;
    }
    const int64_t m = p->m < x->edge ? p->m : x->edge, n = p->n < x->edge ? p->n : x->edge;
    gndi_parallel_for(count * x->down * x->across, TASK / (m * n * p->k) + 1, products_by_blocks, x);
}

/* Whether gnd's own loops are faster than OpenBLAS. A call of it costs as much as 30 to 60 scalar
   multiplications (complex: more, but so do those), a product of 16-bit numbers much more, since they
   are converted block by block: measured on a Zen 4, with OpenBLAS's kernels for AVX2 and for AVX-512. */
static bool is_small(const gndi_matmul_plan *p) {
    const bool half = p->dtype < GND_FLOAT32;
    if (p->m > HALVES || p->n > HALVES || p->k > GNDI_MATMUL_INNER) return false;
    return p->m * p->n * p->k <= (half ? HALVES : FEW);
}

/* Whether all threads of OpenBLAS can work on one product. */
static bool is_large(const gndi_matmul_plan *p) {
    return (double)p->m * (double)p->n * (double)p->k > LARGE;
}

gnd_status gndi_cpu_matmul(gnd_stream *s, const gndi_matmul_plan *plan, const char *fn) {
    batch x = {.plan = plan, .multiply = gndi_cpu_products_get()->multiply[plan->dtype]};
    int64_t count = 1;
    for (int i = 0; i < plan->ndim; i++) count *= plan->shape[i];
    if (plan->dtype < GND_FLOAT16 || is_small(plan)) {
        multiply_by_blocks(&x, count);
        return GND_OK;
    }
    x.blas = gndi_openblas_get(fn);
    if (!x.blas) return GND_ERROR_UNAVAILABLE;
    if (plan->dtype < GND_FLOAT32) return gndi_cpu_matmul_half(s, plan, count, x.blas, fn);
    const int64_t strips = count > 1 ? 1 : (plan->n - 1) / strip_of(plan) + 1;
    if (strips > 1) {
        gndi_openblas_alone(x.blas);
        gndi_parallel_for(strips, 1, strips_on_a_thread, &x);
        gndi_openblas_together(x.blas);
    } else if (count > 1 && (count >= gndi_thread_count() || !is_large(plan))) {
        const double work = (double)plan->m * (double)plan->n * (double)plan->k;
        gndi_openblas_alone(x.blas);
        gndi_parallel_for(count, work < TASK ? TASK / (int64_t)work + 1 : 1, products_on_a_thread, &x);
        gndi_openblas_together(x.blas);
    } else {
        products_by_blas(&x, 0, count);
    }
    return GND_OK;
}
