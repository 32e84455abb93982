/*
 * tall.c: the triangular factor of very tall matrices. Blocks of rows are factored as a batch, their triangles are
 * stacked and factored in turn, until one is left: TSQR of Demmel, Grigori, Hoemmen and Langou,
 * "Communication-optimal parallel and sequential QR and LU factorizations" (2012). Q is never made.
 */
#include "linalg/decompose.h"

enum {
    BLOCK_ROWS = 512,
    LAST_ROWS = 2 * BLOCK_ROWS, /* at most, of the last block */
    LEAST_ROWS = 8 * BLOCK_ROWS,
    MOST_COLUMNS = BLOCK_ROWS / 4,
};

bool gndi_is_very_tall(const gnd_array *a, int64_t columns) {
    return gndi_matrix_count(a) == 1 && a->shape[a->ndim - 2] >= LEAST_ROWS && columns <= MOST_COLUMNS;
}

/* A view of a matrix's rows from row `first` on, as `count` blocks of `rows` rows. */
static gnd_array *as_blocks(gndi_temporaries *s, const gnd_array *x, int64_t first, int64_t count, int64_t rows) {
    const int row = x->ndim - 2;
    if (s->failed) return NULL;
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, x, 3, (int64_t[]){count, rows, x->shape[row + 1]},
                           (int64_t[]){rows * x->strides[row], x->strides[row], x->strides[row + 1]},
                           gndi_data(x) + first * x->strides[row], (gnd_dtype)x->dtype));
}

/* Copies a matrix into the blocks' columns from column `at` on. */
static void fill(gndi_temporaries *s, const gnd_array *blocks, const gnd_array *x, int64_t at) {
    const int64_t rows = blocks->shape[1], m = x->shape[x->ndim - 2], whole = m / rows;
    gnd_array *to = gndi_step_part(s, blocks, 2, at, x->shape[x->ndim - 1], 1);
    for (int rest = 0; rest < 2 && !s->failed; rest++) {
        const int64_t count = rest ? m % rows > 0 : whole, each = rest ? m % rows : rows;
        if (count == 0) continue;
        const gnd_array *from = as_blocks(s, x, rest ? whole * rows : 0, count, each);
        gnd_array *part = gndi_step_part(s, to, 0, rest ? whole : 0, count, 1);
        if (!s->failed) part = gndi_step_part(s, part, 1, 0, each, 1);
        if (!s->failed && gndi_copy_into(s->fn, part, from)) s->failed = true;
    }
}

/* Factors [x[0] x[1]] in blocks of `rows` rows, the last one padded with zeros; returns the triangles. */
static gnd_array *factor(gndi_temporaries *s, const gnd_array *const *x, int count, int64_t rows, gnd_dtype dtype) {
    const int64_t m = x[0]->shape[x[0]->ndim - 2], blocks = (m + rows - 1) / rows;
    int64_t columns = 0;
    for (int i = 0; i < count; i++) columns += x[i]->shape[x[i]->ndim - 1];
    gnd_array *own = gndi_matrices_new(s, x[0], 3, (int64_t[]){blocks, rows, columns}, dtype);
    if (own && m % rows) {
        gnd_array *last = gndi_step_part(s, own, 0, blocks - 1, 1, 1);
        gndi_step_into(s, GNDI_OP_copy, last, gnd_arg_bool(false), gnd_arg_none(), NULL);
    }
    for (int i = 0, at = 0; i < count && !s->failed; i++) {
        fill(s, own, x[i], at);
        at += (int)x[i]->shape[x[i]->ndim - 1];
    }
    gndi_qr_factor(s, own);
    gnd_array *top = s->failed ? NULL : gndi_rows(s, own, columns);
    gnd_array *r = s->failed ? NULL : gndi_matrices_copy(s, top, dtype);
    gndi_clear_below(s, r);
    return s->failed ? NULL : r;
}

gnd_array *gndi_triangle_of(gndi_temporaries *s, const gnd_array *a, const gnd_array *b, gnd_dtype dtype) {
    const gnd_array *x[2] = {a, b};
    int count = b ? 2 : 1;
    gnd_array *r = NULL;
    for (bool last = false; !last && !s->failed; count = 1) {
        gndi_temporaries level = {.fn = s->fn};
        const int64_t m = x[0]->shape[x[0]->ndim - 2];
        last = m <= LAST_ROWS;
        r = factor(&level, x, count, last ? m : BLOCK_ROWS, dtype);
        /* Stacks the triangles into one matrix. */
        if (r && !last) r = gndi_temporaries_keep(&level, gndi_copy_as(s->fn, r, dtype, 'C'));
        if (r && !last) r = as_blocks(&level, r, 0, 1, r->shape[0] * r->shape[1]);
        gndi_temporaries_give(&level, r, &r);
        gndi_temporaries_end_part(s, &level);
        x[0] = gndi_temporaries_keep(s, r);
    }
    return s->failed ? NULL : r;
}
