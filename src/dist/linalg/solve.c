/*
 * solve.c: systems with a split matrix. The matrix is dealt out in blocks, a library works on them, and the result
 * comes to where it is asked for. A mesh of one rank calls gnd.
 */
#include "dist/linalg/solve.h"
#include "dist/align.h"

typedef struct request {
    const char *fn;
    gndi_solver how;
    const gnd_dist *a, *b;
    gnd_dtype dtype;
    gnd_shape shape; /* of the result */
    gndi_layout layout;
} request;

/* Rounds enough for an even load, blocks long enough for products to be fast. */
static int64_t block_length(const gnd_dist *a) {
    const gnd_mesh *grid = gndi_cyclic_grid(a->mesh);
    const int64_t most = gnd_current_device().kind == GND_GPU ? 512 : 64;
    const int64_t ranks = grid->grid[0] > grid->grid[1] ? grid->grid[0] : grid->grid[1];
    const int64_t length = a->shape.dim[1] / (4 * ranks);
    return length < 1 ? 1 : length > most ? most : length;
}

/* ---- checks: alike on all ranks ---------------------------------------------------------------------------------- */

static bool check_dtype(request *r, const gnd_dist *x) {
    const char kind = gnd_dtype_kind(x->dtype);
    if (x->dtype == GND_FLOAT16 || x->dtype == GND_BFLOAT16)
        return gndi_dist_raise(GND_ERROR_DTYPE, r->fn, "%s is not solved in", gnd_dtype_name(x->dtype)), false;
    const gnd_dtype own = kind == 'f' || kind == 'c' ? x->dtype : GND_FLOAT64;
    r->dtype = r->dtype == GND_DTYPE_NONE ? own : gnd_promote_types(r->dtype, own);
    return true;
}

static bool check(request *r, gnd_layout result) {
    const gnd_dist *a = r->a, *b = r->b;
    if (a->shape.ndim != 2)
        return gndi_dist_raise(GND_ERROR_SHAPE, r->fn, "a has %d axes: split matrices are solved one by one",
                               a->shape.ndim),
               false;
    const int64_t m = a->shape.dim[0], n = a->shape.dim[1];
    if (m > INT32_MAX || n > INT32_MAX || (b && b->shape.ndim == 2 && b->shape.dim[1] > INT32_MAX))
        return gndi_dist_raise(GND_ERROR_SHAPE, r->fn, "a matrix has more than 2^31 - 1 rows or columns"), false;
    if (r->how == GNDI_QR ? m < n : m != n)
        return gndi_dist_raise(GND_ERROR_SHAPE, r->fn, "a is %lld x %lld: it must %s", (long long)m, (long long)n,
                               r->how == GNDI_QR ? "not be wider than high" : "be square"),
               false;
    if (!check_dtype(r, a) || (b && !check_dtype(r, b))) return false;
    r->shape = b ? b->shape : a->shape;
    if (b && !gndi_same_mesh(a->mesh, b->mesh))
        return gndi_dist_raise(GND_ERROR_INVALID, r->fn, "the operands are on different meshes"), false;
    if (b && (b->shape.ndim < 1 || b->shape.ndim > 2 || b->shape.dim[0] != m))
        return gndi_dist_raise(GND_ERROR_SHAPE, r->fn, "b is no vector or matrix of %lld rows", (long long)m), false;
    if (b) r->shape.dim[0] = n;
    return gndi_layout_resolve(a->mesh, r->fn, r->shape, result, &r->layout);
}

/* ---- one rank ---------------------------------------------------------------------------------------------------- */

static gnd_array *alone(const request *r, const gnd_array *a, const gnd_array *b) {
    gnd_array *x = NULL;
    const bool before = gnd_linalg_strict(true);
    if (r->how == GNDI_LU) x = gnd_solve(a, b);
    if (r->how == GNDI_CHOLESKY) x = gnd_cholesky(a, false);
    if (r->how == GNDI_CHOLESKY && b && x) x = gnd_cho_solve(x, b, true);
    if (r->how == GNDI_QR) gnd_lstsq(&x, NULL, NULL, NULL, a, b, &(gnd_lstsq_options){.method = GND_LSTSQ_QR});
    gnd_linalg_strict(before);
    return x;
}

/* ---- several ----------------------------------------------------------------------------------------------------- */

static bool on_gpu(const request *r) {
    return r->a->mesh->link->transport.memory == GND_GPU;
}

/* What LAPACK says of a matrix, as an error of all ranks; else whether all of them have been solving. */
static bool judge(const request *r, gnd_status status, int info) {
    if (status == GND_OK && info > 0)
        gndi_dist_raise(GND_ERROR_VALUE, r->fn,
                        r->how == GNDI_CHOLESKY
                            ? "a matrix is not positive definite: its leading minor of order %d is not"
                            : "a matrix is singular: pivot %d is zero",
                        info);
    return gndi_mesh_agree_on(r->a->mesh, r->fn, status || info > 0 ? gnd_error() : NULL) == GND_OK;
}

/* A matrix of the dtype that is computed in; a vector as one of one column. */
static const gnd_dist *matrix_of(const request *r, const gnd_dist *x) {
    const gnd_dist *y = x->dtype == r->dtype ? x : gnd_dist_astype(x, r->dtype);
    return y && x->shape.ndim == 1 ? gnd_dist_reshape(y, GND_SHAPE(x->shape.dim[0], 1)) : y;
}

static gnd_array *lower(const gnd_dist *y, const gnd_array *local) {
    gndi_box box;
    gndi_box_of(y, gnd_mesh_rank(y->mesh), &box);
    return gnd_tril(local, box.start[0] - box.start[1]);
}

/* What describes the result as a matrix: a vector is one of one column. */
static gnd_dist *column_of(const request *r, const gnd_dist *y) {
    const gnd_shape shape = GND_SHAPE(r->shape.dim[0], r->shape.ndim == 2 ? r->shape.dim[1] : 1);
    return gndi_dist_new(y->mesh, r->fn, shape, r->dtype, gndi_layout_of(y));
}

/* The result's block from what was solved. */
static gnd_array *block_of(const request *r, const gnd_dist *y, const gndi_cyclic *a, const gndi_cyclic *b) {
    if (!r->b) {
        const gnd_array *local = gndi_cyclic_to(a, y, r->fn);
        return local ? lower(y, local) : NULL;
    }
    gnd_dist *column = column_of(r, y);
    gnd_array *local = column ? gndi_cyclic_to(b, column, r->fn) : NULL;
    gnd_dist_release(column);
    return local ? gnd_reshape(local, gndi_dist_local_shape(y)) : NULL;
}

/* Whether gnd's own functions do it. ScaLAPACK, for many ranks, shares out more of the work and of the memory. */
static bool is_own(const request *r) {
    const bool own = r->how == GNDI_QR || (r->how == GNDI_CHOLESKY && !r->b);
    return own && (on_gpu(r) || !r->a->mesh->link->transport.native);
}

/* Every rank's error is all ranks'. One of a matrix comes last: a rank that has failed sends others anything. */
static bool by_own(const request *r, const gnd_dist *y, gnd_array **local) {
    gnd_mesh *mesh = r->a->mesh;
    const gnd_dist *x = matrix_of(r, r->a), *z = r->b ? matrix_of(r, r->b) : NULL;
    gnd_dist *column = column_of(r, y);
    if (!x || (r->b && !z) || !column) return gnd_dist_release(column), false;
    gnd_array *own = z ? gndi_lstsq_rows(x, z, column, r->fn) : gndi_cholesky_blocks(x, column, r->fn);
    if (own) own = gnd_reshape(own, gndi_dist_local_shape(y));
    gnd_dist_release(column);
    gnd_sync();
    const gnd_error_record *failure = gndi_dist_failure(x);
    if (!failure && z) failure = gndi_dist_failure(z);
    if (!failure && !own) gndi_dist_status(r->fn);
    if (!failure) failure = gnd_error();
    const bool of_matrix = failure && failure->code == GND_ERROR_VALUE;
    if (gndi_mesh_agree_on(mesh, r->fn, of_matrix ? NULL : failure) != GND_OK) return false;
    *local = own;
    return gndi_mesh_agree_on(mesh, r->fn, failure) == GND_OK;
}

/* Every rank's error is all ranks' before the library is called, which waits for them all. False: all have one. */
static bool together(const request *r, const gnd_dist *y, gnd_array **local) {
    gnd_mesh *mesh = r->a->mesh;
    if (is_own(r)) return by_own(r, y, local);
    const gnd_status ready = on_gpu(r) ? gndi_cusolvermp_ready(mesh, r->fn) : gndi_scalapack_ready(mesh, r->fn);
    if (gndi_mesh_agree_on(mesh, r->fn, ready ? gnd_error() : NULL) != GND_OK) return false;
    const gnd_dist *x = matrix_of(r, r->a), *z = r->b ? matrix_of(r, r->b) : NULL;
    if (!x || (r->b && !z)) return false;
    const int64_t block = block_length(r->a);
    gndi_cyclic a = gndi_cyclic_from(x, block, r->fn), b = {0};
    if (z) b = gndi_cyclic_from(z, block, r->fn);
    const gnd_error_record *failure = gndi_dist_failure(x);
    if (!failure && z) failure = gndi_dist_failure(z);
    if (!failure && (!a.store || (z && !b.store))) gndi_dist_status(r->fn), failure = gnd_error();
    if (gndi_mesh_agree_on(mesh, r->fn, failure) != GND_OK) return false;
    int info = 0;
    const gnd_status status =
        (on_gpu(r) ? gndi_cusolvermp_solve : gndi_scalapack_solve)(r->how, &a, z ? &b : NULL, &info, r->fn);
    if (!judge(r, status, info)) return false;
    *local = block_of(r, y, &a, &b);
    gnd_release(a.store), gnd_release(b.store);
    return true;
}

static gnd_dist *solve(const char *fn, gndi_solver how, const gnd_dist *a, const gnd_dist *b, gnd_layout result) {
    request r = {.fn = fn, .how = how, .a = a, .b = b};
    char text[160];
    if (!check(&r, result) || !gndi_mesh_enter(a->mesh, fn, "%s", gndi_text_dist(a, text, sizeof text))) return NULL;
    gnd_dist *y = gndi_dist_new(a->mesh, fn, r.shape, r.dtype, r.layout);
    if (!y) return NULL;
    const gnd_dist *failed = !a->local ? a : b && !b->local ? b : NULL;
    gnd_array *local = NULL;
    if (gnd_mesh_size(a->mesh) > 1) {
        if (gndi_shape_count(r.shape) == 0 || a->shape.dim[1] == 0)
            local = gnd_zeros(gndi_dist_local_shape(y), r.dtype);
        else if (!together(&r, y, &local))
            return gnd_dist_release(y), NULL;
    } else if (!failed) {
        const gnd_array *z = b ? gnd_astype(b->local, r.dtype) : NULL;
        local = alone(&r, gnd_astype(a->local, r.dtype), z);
        if (!local) return gnd_dist_release(y), NULL;
    }
    return failed ? gndi_dist_failed_like(y, failed) : gndi_dist_done(y, fn, local);
}

gnd_dist *gnd_dist_solve(const gnd_dist *a, const gnd_dist *b, gnd_layout result) {
    static const char fn[] = "gnd_dist_solve";
    if (gndi_dist_missing(a, fn) || gndi_dist_missing(b, fn)) return NULL;
    GNDI_CALL(fn);
    return solve(fn, GNDI_LU, a, b, result);
}

gnd_dist *gnd_dist_cholesky_solve(const gnd_dist *a, const gnd_dist *b, gnd_layout result) {
    static const char fn[] = "gnd_dist_cholesky_solve";
    if (gndi_dist_missing(a, fn) || gndi_dist_missing(b, fn)) return NULL;
    GNDI_CALL(fn);
    return solve(fn, GNDI_CHOLESKY, a, b, result);
}

gnd_dist *gnd_dist_cholesky(const gnd_dist *a, gnd_layout result) {
    static const char fn[] = "gnd_dist_cholesky";
    if (gndi_dist_missing(a, fn)) return NULL;
    GNDI_CALL(fn);
    return solve(fn, GNDI_CHOLESKY, a, NULL, result);
}

gnd_dist *gnd_dist_lstsq(const gnd_dist *a, const gnd_dist *b, gnd_layout result) {
    static const char fn[] = "gnd_dist_lstsq";
    if (gndi_dist_missing(a, fn) || gndi_dist_missing(b, fn)) return NULL;
    GNDI_CALL(fn);
    return solve(fn, GNDI_QR, a, b, result);
}
