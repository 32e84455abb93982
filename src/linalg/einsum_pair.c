/*
 * einsum_pair.c: the contraction of two operands. Labels of both operands are the batch if the result has them, else
 * the inner ones, which are summed; labels of one operand alone are rows or columns:
 *
 *     no inner labels                          an elementwise product
 *     no rows, no columns                      a sum of products in one launch
 *     a batch of matrices times vectors        the same: it reads the matrices once, in any strides
 *     else                                     a product of matrices
 *
 * For the last, the axes of a group (rows, columns, inner) become one axis. The strides often allow
 * that without a copy; if not, some rows or columns move to the batch, or the operand is copied.
 */
#include "linalg/einsum.h"
#include "reduce/reduce.h"

/* The least rows (columns) that a product of matrices keeps when others move to the batch: below it, copying the
   operand once costs less than that many small products. */
enum { WORTH_A_BATCH = 32 };

typedef gndi_einsum_operand operand;

typedef struct pair {
    gndi_temporaries *s;
    const operand *a, *b;
    const int64_t *size;
    gnd_dtype dtype;
    const gndi_einsum_target *target;
    gndi_term *term; /* of the result */
    gndi_labels batch, inner, rows, columns;
} pair;

/* ---- views ---------------------------------------------------------------------------------- */

gnd_array *gndi_einsum_view(gndi_temporaries *s, const gnd_array *a, const gndi_term *from, const gndi_term *to,
                            const int64_t *size) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    const gndi_labels has = gndi_term_set(from);
    if (s->failed) return NULL;
    for (int i = 0; i < to->ndim; i++) {
        const int label = to->label[i];
        const bool own = has & gndi_label_bit(label);
        const int axis = own ? gndi_term_axis(from, label) : 0;
        shape[i] = own ? a->shape[axis] : size ? size[label] : 1;
        strides[i] = own ? a->strides[axis] : 0;
    }
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, a, to->ndim, shape, strides, gndi_data(a), (gnd_dtype)a->dtype));
}

/* Appends to `to` the labels of `term` that are in `set`, in the order of `term`. Raises if they are
   too many for an array. */
static bool append(const pair *p, gndi_term *to, const gndi_term *term, gndi_labels set) {
    for (int i = 0; i < term->ndim; i++) {
        if (!(set >> term->label[i] & 1)) continue;
        if (to->ndim == GND_MAX_DIMS) {
            gndi_raise(GND_ERROR_SHAPE, p->s->fn, "the product of two operands would have more than %d dimensions",
                       GND_MAX_DIMS);
            p->s->failed = true;
            return false;
        }
        to->label[to->ndim++] = term->label[i];
    }
    return true;
}

/* Appends the result's labels in `set`: in the order of the final result if this is the last step, else in a's
   order, then in b's. */
static bool append_result(const pair *p, gndi_term *to, gndi_labels set) {
    if (p->target->term) return append(p, to, p->target->term, set);
    const gndi_labels of_a = gndi_term_set(&p->a->term);
    return append(p, to, &p->a->term, set & of_a) && append(p, to, &p->b->term, set & ~of_a);
}

/* `out` with its axes in the order of p->term; NULL if there is none. */
static gnd_array *out_view(const pair *p) {
    if (!p->target->out) return NULL;
    return gndi_einsum_view(p->s, p->target->out, p->target->term, p->term, NULL);
}

/* ---- without a matrix ----------------------------------------------------------------------- */

static gnd_array *multiply(pair *p) {
    gndi_temporaries *s = p->s;
    gnd_array *result = NULL;
    if (!append_result(p, p->term, p->batch | p->rows | p->columns)) return NULL;
    gnd_array *a = gndi_einsum_view(s, p->a->array, &p->a->term, p->term, NULL);
    gnd_array *b = gndi_einsum_view(s, p->b->array, &p->b->term, p->term, NULL);
    gnd_array *out = out_view(p);
    if (s->failed) return NULL;
    const gndi_ew_request request = {
        .op = GNDI_OP_multiply,
        .fn = s->fn,
        .args = {gnd_arg_array(a), gnd_arg_array(b)},
        .out = {out},
        .dtype = p->dtype,
        .casting = GND_UNSAFE,
    };
    if (gndi_elementwise(&request, &result)) s->failed = true;
    return s->failed || out ? NULL : gndi_temporaries_keep(s, result);
}

/* Sums of products: `x` has all labels, `y` those that are summed and perhaps others. */
static gnd_array *sum_products(pair *p, const operand *x, const operand *y) {
    gndi_temporaries *s = p->s;
    gndi_reduce_request r;
    gndi_term all = {0};
    append(p, p->term, &x->term, ~p->inner);
    append(p, &all, p->term, ~UINT64_C(0));
    append(p, &all, &x->term, p->inner);
    gnd_axes axes = {.count = all.ndim - p->term->ndim, .dtype = p->dtype, .out = out_view(p)};
    for (int i = 0; i < axes.count; i++) axes.axis[i] = p->term->ndim + i;
    gnd_array *from = gndi_einsum_view(s, x->array, &x->term, &all, NULL);
    gnd_array *second = gndi_einsum_view(s, y->array, &y->term, &all, p->size);
    if (s->failed) return NULL;
    gndi_reduce_begin(&r, s->fn, from, &axes, GNDI_REDUCE_SUM, GNDI_OP_add, GNDI_RULE_PRODUCT, GNDI_TAKES_DTYPE);
    r.second = second, r.map = GNDI_MAP_TIMES;
    gnd_array *result = gndi_temporaries_keep(s, gndi_reduce(&r));
    return axes.out ? NULL : result;
}

/* ---- groups of axes ------------------------------------------------------------------------- */

/* Labels that one axis of a matrix stands for, the slowest first. */
typedef gndi_term group;

static int64_t stride_of(const operand *x, int label) {
    return x->array->strides[gndi_term_axis(&x->term, label)];
}

/* Labels from the longest stride to the shortest. */
static group by_stride(const operand *x, gndi_labels set) {
    group g = {0};
    int label;
    GNDI_EACH_LABEL(label, set) {
        int at = g.ndim++;
        for (; at > 0; at--) {
            const int before = g.label[at - 1];
            if (gndi_magnitude(stride_of(x, before)) >= gndi_magnitude(stride_of(x, label))) break;
            g.label[at] = g.label[at - 1];
        }
        g.label[at] = (uint8_t)label;
    }
    return g;
}

/* Whether label number i and the one before it merge into one axis of x. */
static bool joins(const pair *p, const operand *x, const group *g, int i) {
    const int inner = g->label[i];
    return stride_of(x, g->label[i - 1]) == stride_of(x, inner) * p->size[inner];
}

static bool is_one_axis(const pair *p, const operand *x, const group *g) {
    for (int i = 1; i < g->ndim; i++)
        if (!joins(p, x, g, i)) return false;
    return true;
}

static int64_t group_size(const pair *p, const group *g) {
    int64_t product = 1;
    for (int i = 0; i < g->ndim; i++) product *= p->size[g->label[i]];
    return product;
}

/* The stride of a group that is one axis. */
static int64_t group_stride(const operand *x, const group *g) {
    return g->ndim ? stride_of(x, g->label[g->ndim - 1]) : 0;
}

/* ---- products of matrices ------------------------------------------------------------------- */

/* An operand as matrices: its own axis (rows of a, columns of b), and the labels moved to the batch. */
typedef struct side {
    operand x;
    group own, rest;
} side;

typedef struct product {
    pair *p;
    group batch, inner;
    side a, b;
} product;

/* The inner labels in an order in which they are one axis of both operands; failing that, in the order of the larger
   operand. */
static group inner_group(const pair *p) {
    const group of_a = by_stride(p->a, p->inner), of_b = by_stride(p->b, p->inner);
    if (is_one_axis(p, p->a, &of_a) && is_one_axis(p, p->b, &of_a)) return of_a;
    if (is_one_axis(p, p->a, &of_b) && is_one_axis(p, p->b, &of_b)) return of_b;
    return p->a->array->size >= p->b->array->size ? of_a : of_b;
}

/* Whether BLAS takes matrices with these axes, each longer than 1, without a copy. */
static bool blas_describes(const pair *p, const operand *x, const group *own, const group *inner) {
    return gndi_blas_describes(group_size(p, own), group_size(p, inner), group_stride(x, own), group_stride(x, inner),
                               gndi_dtype_sizes[p->dtype]);
}

/* The largest part of `all` that is one axis; the other labels go to `rest`. Unless the part is all of them, BLAS must
   be able to take that axis and the inner one without a copy. Empty if there is no such part. */
static group largest_axis(const product *m, const operand *x, const group *all, group *rest) {
    const pair *p = m->p;
    group best = {0};
    int best_from = 0;
    int64_t best_size = 0;
    for (int from = 0, to; from < all->ndim; from = to) {
        group part = {0};
        for (to = from; to == from || (to < all->ndim && joins(p, x, all, to)); to++)
            part.label[part.ndim++] = all->label[to];
        const bool any = part.ndim == all->ndim || p->dtype < GND_FLOAT16;
        if (group_size(p, &part) <= best_size) continue;
        if (!any && !blas_describes(p, x, &part, &m->inner)) continue;
        best = part, best_from = from, best_size = group_size(p, &part);
    }
    rest->ndim = 0;
    for (int i = 0; i < all->ndim; i++)
        if (i < best_from || i >= best_from + best.ndim) rest->label[rest->ndim++] = all->label[i];
    return best;
}

/* Finds a side's axes in the operand itself; false if the operand should be copied. */
static bool use_in_place(const product *m, const operand *x, gndi_labels own, side *to) {
    const group all = by_stride(x, own);
    if ((gnd_dtype)x->array->dtype != m->p->dtype || !is_one_axis(m->p, x, &m->inner)) return false;
    to->x = *x;
    to->own = largest_axis(m, x, &all, &to->rest);
    return to->rest.ndim == 0 || group_size(m->p, &to->own) >= WORTH_A_BATCH;
}

/* The same for a copy, in the order batch, own axis, inner axis. */
static void copy_side(product *m, const operand *x, gndi_labels own, side *to) {
    const pair *p = m->p;
    gndi_term order = {0};
    to->own = by_stride(x, own), to->rest.ndim = 0;
    append(p, &order, &m->batch, ~UINT64_C(0));
    append(p, &order, &to->own, ~UINT64_C(0));
    append(p, &order, &m->inner, ~UINT64_C(0));
    gnd_array *view = gndi_einsum_view(p->s, x->array, &x->term, &order, NULL);
    if (p->s->failed) return;
    to->x.array = gndi_temporaries_keep(p->s, gndi_copy_as(p->s->fn, view, p->dtype, 'C'));
    to->x.made = NULL, to->x.term = order;
}

/* Axes of a side's matrices, in the order batch, rest of a, rest of b, and its two own axes. */
typedef struct axes_list {
    int ndim;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
} axes_list;

static void add_axis(axes_list *list, int64_t size, int64_t stride) {
    list->shape[list->ndim] = size, list->strides[list->ndim++] = stride;
}

/* An axis for each label; of size 1 if x does not have them. */
static void add_labels(axes_list *list, const pair *p, const operand *x, const group *g, bool has) {
    for (int i = 0; i < g->ndim; i++)
        add_axis(list, has ? p->size[g->label[i]] : 1, has ? stride_of(x, g->label[i]) : 0);
}

static gnd_array *matrices(const product *m, const side *x, bool is_a) {
    const pair *p = m->p;
    axes_list list = {0};
    if (p->s->failed) return NULL;
    add_labels(&list, p, &x->x, &m->batch, true);
    add_labels(&list, p, &x->x, &m->a.rest, is_a);
    add_labels(&list, p, &x->x, &m->b.rest, !is_a);
    const int64_t own = group_size(p, &x->own), inner = group_size(p, &m->inner);
    const int64_t own_stride = group_stride(&x->x, &x->own);
    const int64_t inner_stride = group_stride(&x->x, &m->inner);
    if (is_a) add_axis(&list, own, own_stride);
    add_axis(&list, inner, inner_stride);
    if (!is_a) add_axis(&list, own, own_stride);
    const gnd_array *array = x->x.array;
    return gndi_temporaries_keep(p->s, gndi_array_view(p->s->fn, array, list.ndim, list.shape, list.strides,
                                                       gndi_data(array), (gnd_dtype)array->dtype));
}

/* `out`, in the order of p->term, as the matrices of the result; NULL if its strides, or its dtype,
   do not allow that. */
static gnd_array *out_matrices(const product *m, const gnd_array *out) {
    const pair *p = m->p;
    const operand x = {.array = out, .term = *p->term};
    axes_list list = {0};
    if (p->s->failed || (gnd_dtype)out->dtype != p->dtype) return NULL;
    if (!is_one_axis(p, &x, &m->a.own) || !is_one_axis(p, &x, &m->b.own)) return NULL;
    add_labels(&list, p, &x, &m->batch, true);
    add_labels(&list, p, &x, &m->a.rest, true);
    add_labels(&list, p, &x, &m->b.rest, true);
    add_axis(&list, group_size(p, &m->a.own), group_stride(&x, &m->a.own));
    add_axis(&list, group_size(p, &m->b.own), group_stride(&x, &m->b.own));
    return gndi_temporaries_keep(
        p->s, gndi_array_view(p->s->fn, out, list.ndim, list.shape, list.strides, gndi_data(out), p->dtype));
}

/* A result, matrices in C order, with an axis for each label. */
static gnd_array *split_axes(const product *m, gnd_array *c) {
    const pair *p = m->p;
    int64_t shape[GND_MAX_DIMS];
    if (p->s->failed) return NULL;
    for (int i = 0; i < p->term->ndim; i++) shape[i] = p->size[p->term->label[i]];
    return gndi_temporaries_keep(
        p->s, gndi_array_view(p->s->fn, c, p->term->ndim, shape, NULL, gndi_data(c), (gnd_dtype)c->dtype));
}

static gnd_array *run_product(product *m) {
    const pair *p = m->p;
    gndi_temporaries *s = p->s;
    const group *const order[] = {&m->batch, &m->a.rest, &m->b.rest, &m->a.own, &m->b.own};
    for (int i = 0; i < 5; i++)
        if (!append(p, p->term, order[i], ~UINT64_C(0))) return NULL;
    gnd_array *a = matrices(m, &m->a, true), *b = matrices(m, &m->b, false);
    gnd_array *out = out_view(p), *direct = out ? out_matrices(m, out) : NULL;
    if (s->failed) return NULL;
    if (direct) {
        const gnd_arg one = gnd_arg_int(1), none = gnd_arg_int(0);
        s->failed = gndi_matmul_into(s->fn, direct, a, b, one, none) != GND_OK;
        return NULL;
    }
    gnd_array *result = split_axes(m, gndi_temporaries_keep(s, gndi_matmul(s->fn, a, b, false)));
    if (!out || s->failed) return result;
    s->failed = gndi_copy_into(s->fn, out, result) != GND_OK;
    return NULL;
}

static gnd_array *multiply_matrices(pair *p) {
    product m = {.p = p, .inner = inner_group(p)};
    if (!append_result(p, &m.batch, p->batch)) return NULL;
    bool a_lies = use_in_place(&m, p->a, p->rows, &m.a), b_lies = use_in_place(&m, p->b, p->columns, &m.b);
    if (m.batch.ndim + m.a.rest.ndim + m.b.rest.ndim + 2 > GND_MAX_DIMS) {
        a_lies &= m.a.rest.ndim == 0;
        b_lies &= m.b.rest.ndim == 0;
    }
    if (!a_lies) copy_side(&m, p->a, p->rows, &m.a);
    if (!b_lies) copy_side(&m, p->b, p->columns, &m.b);
    return run_product(&m);
}

/* ---- the choice ----------------------------------------------------------------------------- */

/* Whether BLAS is better for a matrix and its vector than a reduction that multiplies while reading: BLAS must take
   them without a copy, and is not used for a batch with dense rows, since it would be called for each matrix. */
static bool suits_gemv(const pair *p, const operand *x, gndi_labels own) {
    const group inner = by_stride(x, p->inner), rows = by_stride(x, own);
    const bool dense = group_stride(x, &inner) == gndi_itemsize(x->array);
    const operand *vector = x == p->a ? p->b : p->a;
    return p->dtype >= GND_FLOAT16 && !(p->batch && dense) && (gnd_dtype)x->array->dtype == p->dtype &&
           (gnd_dtype)vector->array->dtype == p->dtype && is_one_axis(p, x, &inner) && is_one_axis(p, vector, &inner) &&
           is_one_axis(p, x, &rows) && blas_describes(p, x, &rows, &inner);
}

/* Whether the last axis of the requested result is one of a's rows: a product has the columns last. */
static bool rows_come_last(const pair *p) {
    const gndi_term *term = p->target->term;
    for (int i = term ? term->ndim : 0; i-- > 0;) {
        const gndi_labels bit = gndi_label_bit(term->label[i]);
        if ((p->rows | p->columns | p->batch) & bit) return p->rows & bit;
    }
    return false;
}

static void exchange(pair *p) {
    const operand *a = p->a;
    const gndi_labels rows = p->rows;
    p->a = p->b, p->b = a;
    p->rows = p->columns, p->columns = rows;
}

gnd_array *gndi_einsum_pair(gndi_temporaries *s, const gndi_einsum_operand *a, const gndi_einsum_operand *b,
                            gndi_labels keep, const int64_t *size, gnd_dtype dtype, const gndi_einsum_target *target,
                            gndi_term *term) {
    const gndi_labels of_a = gndi_term_set(&a->term), of_b = gndi_term_set(&b->term);
    pair p = {s, a, b, size, dtype, target, term, of_a & of_b & keep, of_a & of_b & ~keep, of_a & ~of_b, of_b & ~of_a};
    term->ndim = 0;
    if (p.inner == 0) return multiply(&p);
    if (rows_come_last(&p)) exchange(&p);
    if (p.columns == 0 && !(p.rows && suits_gemv(&p, p.a, p.rows))) return sum_products(&p, p.a, p.b);
    if (p.rows == 0 && !suits_gemv(&p, p.b, p.columns)) return sum_products(&p, p.b, p.a);
    return multiply_matrices(&p);
}
