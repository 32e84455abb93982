/*
 * matmul_cuda.c: products of matrices on CUDA, in one of four ways. gnd's own kernels multiply small matrices,
 * one or many, and a few larger ones that take less time than a call of cuBLAS; cuBLAS multiplies the others;
 * gnd's tiled kernel multiplies integers and bool.
 */
#include "linalg/cuda/matmul_launch.h"
#include "linalg/cuda/matmul_params.h"
#include "runtime/cuda/runtime_cuda.h"

/* matmul_kernels.cu */
const void *gndi_cuda_product_bytes(int dtype, int which);
const void *gndi_cuda_product_integers(int size, int which);
const void *gndi_cuda_product_inexact(int dtype, int which);
const void *gndi_cuda_pointers_kernel(void);

enum {
    /* Products are small up to so many rows, columns and elements along k (at most 64, for the kernel's
       divisions). Not measured yet. */
    SMALL = 16,
    /* Little products: elements along k, and blocks of a multiprocessor. A call of cuBLAS takes the host 9 us, a launch
       less than 3. */
    LITTLE_DEPTH = 128,
    LITTLE_BLOCKS = 2,
    MOST_BLOCKS = 1 << 30, /* of a grid; the kernels loop over what exceeds it */
    SHARE = 256,           /* least elements along k of a share, where k is split */
    BLOCKS_EACH = 2,       /* of a multiprocessor; with fewer, k is split */
};

/* Bytes of the type that a dtype's products are summed in. */
static int64_t sum_bytes(int dtype) {
    return gndi_dtype_sizes[dtype] < 4 ? 4 : gndi_dtype_sizes[dtype];
}

static gndi_matmul_factor operand_of(const gndi_matmul_operand *x, int ndim) {
    gndi_matmul_factor o = {.data = x->data, .row = x->row, .column = x->column};
    for (int axis = 0; axis < ndim; axis++) o.step[axis] = x->step[axis];
    return o;
}

static gndi_matmul_factor transposed(gndi_matmul_factor o) {
    const int64_t row = o.row;
    o.row = o.column, o.column = row;
    return o;
}

/* Along which axis neighbouring threads load: the one with the smaller stride. */
static void set_directions(gndi_matmul_params *p) {
    p->a_along_k = gndi_magnitude(p->a.column) < gndi_magnitude(p->a.row);
    p->b_along_k = gndi_magnitude(p->b.row) < gndi_magnitude(p->b.column);
}

static gndi_matmul_params describe(const gndi_matmul_plan *plan) {
    gndi_matmul_params p = {.m = plan->m,
                            .n = plan->n,
                            .k = plan->k,
                            .batch = gndi_matmul_batch(plan),
                            .alpha = {plan->alpha[0], plan->alpha[1]},
                            .beta = {plan->beta[0], plan->beta[1]},
                            .conjugate_a = plan->a.conjugate,
                            .conjugate_b = plan->b.conjugate,
                            .reads_c = plan->beta[0] != 0 || plan->beta[1] != 0,
                            .ndim = plan->ndim};
    for (int axis = 0; axis < plan->ndim; axis++) p.shape[axis] = plan->shape[axis];
    p.a = operand_of(&plan->a, plan->ndim);
    p.b = operand_of(&plan->b, plan->ndim);
    p.c = operand_of(&plan->c, plan->ndim);
    set_directions(&p);
    return p;
}

/* c^T = b^T a^T. */
static void transpose(gndi_matmul_params *p) {
    const gndi_matmul_factor a = transposed(p->a);
    const int64_t m = p->m;
    const uint8_t conjugate = p->conjugate_a;
    p->a = transposed(p->b), p->b = a, p->c = transposed(p->c);
    p->m = p->n, p->n = m;
    p->conjugate_a = p->conjugate_b, p->conjugate_b = conjugate;
    set_directions(p);
}

/* ---- the kernels ---------------------------------------------------------------------------- */

static const void *product_kernel(int dtype, int which) {
    if (dtype > GND_UINT64) return gndi_cuda_product_inexact(dtype, which);
    const int size = gndi_dtype_sizes[dtype];
    return size == 1 ? gndi_cuda_product_bytes(dtype, which) : gndi_cuda_product_integers(size, which);
}

static gnd_status launch(gnd_stream *s, int dtype, int which, int64_t blocks, int threads, size_t shared_bytes,
                         gndi_matmul_params *p, const char *fn) {
    return gndi_cuda_launch(s, product_kernel(dtype, which), gndi_min(blocks, MOST_BLOCKS), threads, shared_bytes, p,
                            fn);
}

/* Adds up the shares of k; without any, c = beta c. */
static gnd_status join(gnd_stream *s, int dtype, gndi_matmul_params *p, const char *fn) {
    return launch(s, dtype, GNDI_PRODUCT_JOIN, gndi_ceil_div(p->m * p->n * p->batch, GNDI_JOIN_EACH), GNDI_JOIN_EACH, 0,
                  p, fn);
}

static gndi_matmul_divisor divisor(int64_t size) {
    return (gndi_matmul_divisor){.magic = (UINT64_C(1) << 32) / (uint64_t)size + 1, .size = (uint32_t)size};
}

static gnd_status small(gnd_stream *s, int dtype, gndi_matmul_params *p, const char *fn) {
    const int64_t bytes = (p->m + p->n) * p->k * sum_bytes(dtype) + 3 * (int64_t)sizeof(int64_t);
    int64_t group = gndi_ceil_div(GNDI_SMALL_OUTPUTS, p->m * p->n);
    group = gndi_min(group, GNDI_SMALL_MATRICES);
    group = gndi_min(group, GNDI_SMALL_MEMORY / bytes);
    group = gndi_min(group, gndi_ceil_div(p->batch, s->device->processors)); /* work for all of them */
    p->group = (uint32_t)group;
    p->mn = divisor(p->m * p->n), p->mk = divisor(p->m * p->k), p->kn = divisor(p->k * p->n);
    p->by_m = divisor(p->m);
    p->a_inner = divisor(p->a_along_k ? p->k : p->m);
    p->b_inner = divisor(p->b_along_k ? p->k : p->n);
    return launch(s, dtype, GNDI_PRODUCT_SMALL, gndi_ceil_div(p->batch, group), GNDI_SMALL_THREADS,
                  (size_t)(group * bytes), p, fn);
}

static int64_t little_blocks(const gndi_matmul_plan *plan) {
    return gndi_ceil_div(plan->m, GNDI_LITTLE_SIDE) * gndi_ceil_div(plan->n, GNDI_LITTLE_SIDE);
}

static bool is_little(const gnd_stream *s, const gndi_matmul_plan *plan) {
    const int64_t most = LITTLE_BLOCKS * (int64_t)s->device->processors;
    return plan->k <= LITTLE_DEPTH && plan->m <= most && plan->n <= most && gndi_matmul_batch(plan) <= most &&
           little_blocks(plan) * gndi_matmul_batch(plan) <= most;
}

/* cuBLAS 13.0 passes products of complex128 with one row or column through its zgemv to cublasLt, which now and then
   dereferences a null pointer there (cublasLtZZZMatmul). */
static bool avoids_blas(const gndi_matmul_plan *plan) {
    return plan->dtype == GND_COMPLEX128 && (plan->m == 1 || plan->n == 1);
}

static gnd_status little(gnd_stream *s, int dtype, gndi_matmul_params *p, const char *fn) {
    p->tiles_m = gndi_ceil_div(p->m, GNDI_LITTLE_SIDE), p->tiles_n = gndi_ceil_div(p->n, GNDI_LITTLE_SIDE);
    return launch(s, dtype, GNDI_PRODUCT_LITTLE, p->tiles_m * p->tiles_n * p->batch,
                  GNDI_LITTLE_SIDE * GNDI_LITTLE_SIDE, 0, p, fn);
}

static gnd_status tiles(gnd_stream *s, int dtype, gndi_matmul_params *p, const char *fn) {
    /* A c of few columns leaves whole warps idle, one of few rows half of all warps; else neighbouring threads
       store to neighbouring rows. */
    if (p->m <= 4 ? p->m < p->n : p->n > 4 && gndi_magnitude(p->c.column) < gndi_magnitude(p->c.row)) transpose(p);
    p->tiles_m = gndi_ceil_div(p->m, GNDI_TILE_SIDE), p->tiles_n = gndi_ceil_div(p->n, GNDI_TILE_SIDE);
    const int64_t blocks = p->tiles_m * p->tiles_n * p->batch;
    const int64_t depth = GNDI_TILE_DEPTH(sum_bytes(dtype));
    int64_t shares = gndi_min(BLOCKS_EACH * s->device->processors / blocks, p->k / SHARE);
    if (shares < 1) shares = 1;
    p->share = gndi_ceil_div(gndi_ceil_div(p->k, shares), depth) * depth;
    p->shares = gndi_ceil_div(p->k, p->share);
    gndi_buffer *parts = NULL;
    if (p->shares > 1) {
        const int64_t sums = p->shares * p->m * p->n * p->batch;
        parts = gndi_buffer_new(fn, s, (size_t)(sums * sum_bytes(dtype)));
        if (!parts) return GND_ERROR_MEMORY;
        p->parts = parts->base;
    }
    gnd_status status = launch(s, dtype, GNDI_PRODUCT_TILES, blocks * p->shares, GNDI_TILE_THREADS, 0, p, fn);
    if (!status && parts) status = join(s, dtype, p, fn);
    if (parts) gndi_buffer_release(parts);
    return status;
}

gnd_status gndi_cuda_matmul_pointers(gnd_stream *s, const gndi_matmul_plan *plan, void **tables, const char *fn) {
    gndi_matmul_pointers_params p = {.pointers = (char **)tables,
                                     .batch = gndi_matmul_batch(plan),
                                     .ndim = plan->ndim,
                                     .a = operand_of(&plan->a, plan->ndim),
                                     .b = operand_of(&plan->b, plan->ndim),
                                     .c = operand_of(&plan->c, plan->ndim)};
    for (int axis = 0; axis < plan->ndim; axis++) p.shape[axis] = plan->shape[axis];
    return gndi_cuda_launch(s, gndi_cuda_pointers_kernel(),
                            gndi_min(gndi_ceil_div(p.batch, GNDI_JOIN_EACH), MOST_BLOCKS), GNDI_JOIN_EACH, 0, &p, fn);
}

/* ---- the choice ----------------------------------------------------------------------------- */

gnd_status gndi_cuda_matmul(gnd_stream *s, const gndi_matmul_plan *plan, const char *fn) {
    if (plan->m == 0 || plan->n == 0 || gndi_matmul_batch(plan) == 0) return GND_OK;
    const bool floating = plan->dtype >= GND_FLOAT16;
    if (plan->factors != plan->dtype) return gndi_cuda_matmul_blas(s, plan, fn); /* k is never 0 then */
    const bool is_small = plan->m <= SMALL && plan->n <= SMALL && plan->k <= SMALL;
    const bool few = (!plan->tf32 && is_little(s, plan)) || avoids_blas(plan);
    if (floating && plan->k > 0 && !is_small && !few) return gndi_cuda_matmul_blas(s, plan, fn);
    gndi_matmul_params p = describe(plan);
    if (plan->k == 0) return join(s, plan->dtype, &p, fn);
    if (is_small) return small(s, plan->dtype, &p, fn);
    return few ? little(s, plan->dtype, &p, fn) : tiles(s, plan->dtype, &p, fn);
}
