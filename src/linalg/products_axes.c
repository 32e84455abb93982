/*
 * products_axes.c: products over given axes. tensordot is one product of matrices, once the axes to be
 * summed over are adjacent; kron and cross are elementwise products of views.
 */
#include "linalg/products.h"
#include "reduce/reduce.h"

/* ---- tensordot ------------------------------------------------------------------------------ */

/* Axes `of[0][i]` of a go with axes `of[1][i]` of b. */
typedef struct pairing {
    const gnd_array *array[2];
    int count;
    int of[2][GND_MAX_DIMS];
} pairing;

static bool check_pairs(const char *fn, const pairing *p) {
    for (int i = 0; i < p->count; i++) {
        const int64_t of_a = p->array[0]->shape[p->of[0][i]], of_b = p->array[1]->shape[p->of[1][i]];
        if (of_a == of_b) continue;
        gndi_raise(GND_ERROR_SHAPE, fn, "axis %d of a has size %lld, axis %d of b %lld; a has shape %s, b %s",
                   p->of[0][i], (long long)of_a, p->of[1][i], (long long)of_b,
                   gndi_text_shape(p->array[0]->ndim, p->array[0]->shape),
                   gndi_text_shape(p->array[1]->ndim, p->array[1]->shape));
        return false;
    }
    const int left = p->array[0]->ndim + p->array[1]->ndim - 2 * p->count;
    if (left <= GND_MAX_DIMS) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "the result would have %d axes; there can be %d", left, GND_MAX_DIMS);
    return false;
}

/* Sorts the pairs by the memory order of the larger array's axes, in which they most likely merge into one axis of a
   matrix. */
static void sort_pairs(pairing *p) {
    const int by = p->array[1]->size > p->array[0]->size;
    const int64_t *strides = p->array[by]->strides;
    for (int i = 1; i < p->count; i++)
        for (int j = i; j > 0; j--) {
            if (gndi_magnitude(strides[p->of[by][j - 1]]) >= gndi_magnitude(strides[p->of[by][j]])) break;
            for (int o = 0; o < 2; o++) {
                const int axis = p->of[o][j];
                p->of[o][j] = p->of[o][j - 1], p->of[o][j - 1] = axis;
            }
        }
}

/* The array with its summed axes behind the others, or before them, as a view. Appends the sizes of the
   others to `shape`, and computes their product. */
static gnd_array *summed_together(gndi_temporaries *s, const pairing *p, int which, int *ndim, int64_t *shape,
                                  int64_t *others) {
    const gnd_array *a = p->array[which];
    int order[GND_MAX_DIMS], n = 0;
    uint64_t summed = 0;
    *others = 1;
    for (int i = 0; i < p->count; i++) summed |= UINT64_C(1) << p->of[which][i];
    for (int i = 0; which && i < p->count; i++) order[n++] = p->of[which][i];
    for (int i = 0; i < a->ndim; i++) {
        if (summed >> i & 1) continue;
        order[n++] = i, shape[(*ndim)++] = a->shape[i], *others *= a->shape[i];
    }
    for (int i = 0; !which && i < p->count; i++) order[n++] = p->of[which][i];
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_permuted(s->fn, a, order));
}

static gnd_array *tensordot(const char *fn, pairing *p) {
    if (!check_pairs(fn, p)) return NULL;
    sort_pairs(p);
    gndi_temporaries s = {.fn = fn};
    int ndim = 0;
    int64_t shape[GND_MAX_DIMS], m, n, k = 1;
    for (int i = 0; i < p->count; i++) k *= p->array[0]->shape[p->of[0][i]];
    gnd_array *a = summed_together(&s, p, 0, &ndim, shape, &m);
    gnd_array *b = summed_together(&s, p, 1, &ndim, shape, &n);
    const gnd_axes all = GND_ALL;
    gnd_array *result = NULL;
    if (ndim == 0 && b) /* no axes remain: any strides will do */
        return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, gndi_sum_of_products(fn, a, b, false, &all)));
    if (b) a = gndi_temporaries_keep(&s, gndi_reshaped(fn, a, 2, (const int64_t[]){m, k}));
    if (!s.failed) b = gndi_temporaries_keep(&s, gndi_reshaped(fn, b, 2, (const int64_t[]){k, n}));
    if (!s.failed) result = gndi_temporaries_keep(&s, gndi_matmul(fn, a, b, false));
    if (result) result = gndi_temporaries_keep(&s, gndi_reshaped(fn, result, ndim, shape));
    return gndi_temporaries_end(&s, gndi_sole_view(result));
}

gnd_array *gnd_tensordot(const gnd_array *a, const gnd_array *b, int count) {
    static const char fn[] = "gnd_tensordot";
    if (!gndi_check_pair(fn, a, b)) return NULL;
    if (count < 0 || count > a->ndim || count > b->ndim)
        return gndi_fail(GND_ERROR_INVALID, fn, "%d axes cannot be summed over: a has %d, b has %d", count, a->ndim,
                         b->ndim);
    pairing p = {.array = {a, b}, .count = count};
    for (int i = 0; i < count; i++) p.of[0][i] = a->ndim - count + i, p.of[1][i] = i;
    return tensordot(fn, &p);
}

/* The axes of a list, in the given order. -1 and an error if they are not valid. */
static int list_axes(const char *fn, const gnd_axes *axes, const char *name, int ndim, int *list) {
    uint64_t mask;
    if (axes->keepdims || axes->dtype || axes->where || axes->initial || axes->out) {
        gndi_raise(GND_ERROR_INVALID, fn, "takes no options in the axes of %s", name);
        return -1;
    }
    if (!gndi_normalize_axes(fn, axes, ndim, &mask)) return -1;
    if (axes->count < 0) return 0;
    const int count = axes->count ? axes->count : ndim;
    for (int i = 0; i < count; i++) {
        const int axis = axes->count ? axes->axis[i] : i;
        list[i] = axis < 0 ? axis + ndim : axis;
    }
    return count;
}

gnd_array *gnd_tensordot_axes(const gnd_array *a, const gnd_array *b, gnd_axes of_a, gnd_axes of_b) {
    static const char fn[] = "gnd_tensordot_axes";
    if (!gndi_check_pair(fn, a, b)) return NULL;
    pairing p = {.array = {a, b}};
    p.count = list_axes(fn, &of_a, "a", a->ndim, p.of[0]);
    const int count = p.count < 0 ? -1 : list_axes(fn, &of_b, "b", b->ndim, p.of[1]);
    if (count < 0) return NULL;
    if (count != p.count) return gndi_fail(GND_ERROR_SHAPE, fn, "%d axes of a cannot go with %d of b", p.count, count);
    return tensordot(fn, &p);
}

/* ---- kron ----------------------------------------------------------------------------------- */

/* Each axis of the result is an axis of a times one of b, which are adjacent axes in the product. */
gnd_array *gnd_kron(const gnd_array *a, const gnd_array *b) {
    static const char fn[] = "gnd_kron";
    const gnd_array *const pair[2] = {a, b};
    if (!gndi_check_pair(fn, a, b)) return NULL;
    const int ndim = a->ndim > b->ndim ? a->ndim : b->ndim;
    int64_t shape[GND_MAX_DIMS], view[2][2 * GND_MAX_DIMS], strides[2][2 * GND_MAX_DIMS];
    int n = 0;
    for (int i = 0; i < ndim; i++) {
        int64_t size[2];
        for (int o = 0; o < 2; o++) {
            const int axis = i - (ndim - pair[o]->ndim);
            size[o] = axis < 0 ? 1 : pair[o]->shape[axis];
            view[o][n + o] = size[o], view[o][n + 1 - o] = 1;
            strides[o][n + o] = axis < 0 ? 0 : pair[o]->strides[axis], strides[o][n + 1 - o] = 0;
        }
        if (__builtin_mul_overflow(size[0], size[1], &shape[i]))
            return gndi_fail(GND_ERROR_SHAPE, fn, "axis %d of the result would be too long", i);
        if (size[0] != 1 && size[1] != 1) {
            n += 2;
        } else { /* one axis does for both */
            const int o = size[0] == 1;
            view[o][n] = size[o], view[!o][n] = 1;
            strides[o][n] = strides[o][n + o], strides[!o][n] = 0;
            n++;
        }
    }
    if (n > GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn, "a of shape %s and b of shape %s have more than %d axes together",
                         gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape), GND_MAX_DIMS);
    gndi_temporaries s = {.fn = fn};
    gnd_array *seen[2] = {NULL}, *product = NULL;
    for (int o = 0; o < 2 && !s.failed; o++)
        seen[o] = gndi_temporaries_keep(
            &s, gndi_array_view(fn, pair[o], n, view[o], strides[o], gndi_data(pair[o]), (gnd_dtype)pair[o]->dtype));
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    const gndi_ew_request request = {
        .op = GNDI_OP_multiply, .fn = fn, .args = {gnd_arg_array(seen[0]), gnd_arg_array(seen[1])}, .order = 'C'};
    if (gndi_elementwise(&request, &product)) product = NULL;
    gnd_array *result = gndi_temporaries_keep(&s, product);
    if (result) result = gndi_temporaries_keep(&s, gndi_reshaped(fn, result, ndim, shape));
    return gndi_temporaries_end(&s, gndi_sole_view(result));
}

/* ---- cross ---------------------------------------------------------------------------------- */

/* The components of vectors, as views without their axis; NULL: a third component that is 0. */
typedef struct vectors {
    gnd_array *part[3];
} vectors;

static bool take_parts(gndi_temporaries *s, const gnd_array *a, int axis, vectors *v) {
    for (int i = 0; i < 3; i++) v->part[i] = i < a->shape[axis] ? gndi_step_at(s, a, axis, i) : NULL;
    return !s->failed;
}

/* out = a[i] b[j] - a[j] b[i], where a missing component is 0. */
static void cross_part(gndi_temporaries *s, gnd_array *out, const vectors *a, const vectors *b, int i, int j) {
    gnd_array *plus[2] = {a->part[i], b->part[j]}, *minus[2] = {a->part[j], b->part[i]};
    const bool has_plus = plus[0] && plus[1], has_minus = minus[0] && minus[1];
    gndi_temporaries own = {.fn = s->fn, .failed = s->failed};
    gnd_array *taken = NULL;
    if (has_minus) taken = gndi_step(&own, GNDI_OP_multiply, gnd_arg_array(minus[0]), gnd_arg_array(minus[1]));
    if (has_plus) gndi_step_into(&own, GNDI_OP_multiply, out, gnd_arg_array(plus[0]), gnd_arg_array(plus[1]), NULL);
    if (has_minus && has_plus)
        gndi_step_into(&own, GNDI_OP_subtract, out, gnd_arg_array(out), gnd_arg_array(taken), NULL);
    else if (has_minus)
        gndi_step_into(&own, GNDI_OP_negative, out, gnd_arg_array(taken), gnd_arg_none(), NULL);
    gndi_temporaries_end_part(s, &own);
}

static bool check_vectors(const char *fn, const gnd_array *a, const char *name, int axis, int *axis_of) {
    if (a->ndim == 0) {
        gndi_raise(GND_ERROR_SHAPE, fn, "%s is 0-d; it has no vectors", name);
        return false;
    }
    if (!gndi_normalize_axis(fn, axis, a->ndim, axis_of)) return false;
    if (a->shape[*axis_of] == 2 || a->shape[*axis_of] == 3) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "the vectors in %s must have 2 or 3 elements; its shape is %s, their axis %d", name,
               gndi_text_shape(a->ndim, a->shape), *axis_of);
    return false;
}

/* The broadcast shape of both arrays without the vectors' axes. */
static bool cross_shape(const char *fn, const gnd_array *const pair[2], const int axis_of[2], int *ndim,
                        int64_t *shape) {
    *ndim = 0;
    for (int o = 0; o < 2; o++) {
        int64_t rest[GND_MAX_DIMS];
        int n = 0;
        for (int i = 0; i < pair[o]->ndim; i++)
            if (i != axis_of[o]) rest[n++] = pair[o]->shape[i];
        if (gndi_broadcast(ndim, shape, n, rest)) continue;
        gndi_raise(GND_ERROR_SHAPE, fn, "the axes other than the vectors' do not broadcast: a has shape %s, b %s",
                   gndi_text_shape(pair[0]->ndim, pair[0]->shape), gndi_text_shape(pair[1]->ndim, pair[1]->shape));
        return false;
    }
    return true;
}

/* The result, vectors last. */
static gnd_array *cross_of(gndi_temporaries *s, const gnd_array *const pair[2], const int axis_of[2], int ndim,
                           const int64_t *shape, bool whole, gnd_dtype dtype) {
    const gnd_array *cast[2];
    vectors v[2];
    for (int o = 0; o < 2 && !s->failed; o++) {
        cast[o] = pair[o];
        if ((gnd_dtype)pair[o]->dtype != dtype)
            cast[o] = gndi_temporaries_keep(s, gndi_copy_as(s->fn, pair[o], dtype, 'K'));
        if (!s->failed) take_parts(s, cast[o], axis_of[o], &v[o]);
    }
    gnd_stream *stream = s->failed ? NULL : gndi_stream_on(pair[0]->buffer->device, s->fn);
    gnd_array *out =
        gndi_temporaries_keep(s, stream ? gndi_array_new_on(s->fn, stream, ndim, shape, dtype, GNDI_ORDER_C) : NULL);
    if (!out) return NULL;
    if (!whole) {
        cross_part(s, out, &v[0], &v[1], 0, 1);
        return out;
    }
    for (int i = 0; i < 3; i++) {
        gnd_array *part = gndi_step_at(s, out, ndim - 1, i);
        if (part) cross_part(s, part, &v[0], &v[1], (i + 1) % 3, (i + 2) % 3);
    }
    return out;
}

static gnd_array *cross(const char *fn, const gnd_array *a, const gnd_array *b, int axis_a, int axis_b, int axis_c) {
    const gnd_array *const pair[2] = {a, b};
    int axis_of[2], ndim, to = 0, order[GND_MAX_DIMS];
    int64_t shape[GND_MAX_DIMS];
    if (!gndi_check_pair(fn, a, b)) return NULL;
    if (!check_vectors(fn, a, "a", axis_a, &axis_of[0]) || !check_vectors(fn, b, "b", axis_b, &axis_of[1]) ||
        !cross_shape(fn, pair, axis_of, &ndim, shape))
        return NULL;
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)a->dtype, (gnd_dtype)b->dtype);
    if (dtype == GND_BOOL) return gndi_fail(GND_ERROR_DTYPE, fn, "bool has no difference, which this takes");
    const bool whole = a->shape[axis_of[0]] == 3 || b->shape[axis_of[1]] == 3;
    if (whole) shape[ndim++] = 3;
    if (whole && !gndi_normalize_axis(fn, axis_c, ndim, &to)) return NULL;
    gndi_temporaries s = {.fn = fn};
    gnd_array *out = cross_of(&s, pair, axis_of, ndim, shape, whole, dtype);
    if (out && whole && to != ndim - 1) {
        for (int i = 0; i < ndim; i++) order[i] = i < to ? i : i == to ? ndim - 1 : i - 1;
        out = gndi_sole_view(gndi_temporaries_keep(&s, gndi_permuted(fn, out, order)));
    }
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_cross(const gnd_array *a, const gnd_array *b, int axis) {
    return cross("gnd_cross", a, b, axis, axis, axis);
}

gnd_array *gnd_cross_axes(const gnd_array *a, const gnd_array *b, int axis_a, int axis_b, int axis_c) {
    return cross("gnd_cross_axes", a, b, axis_a, axis_b, axis_c);
}
