/*
 * sets.c: intersection, union and differences of two sets, by NumPy's formulas: both are put behind
 * each other and sorted, and neighbours are compared. The difference is a mask by isin.
 */
#include "index/index.h"
#include "sets/sets.h"

/* ---- operands ------------------------------------------------------------------------------- */

/* The values of x, and where they stand if asked for; x itself if it is known to be a set. */
static const gnd_array *set_of(gndi_temporaries *s, const gnd_array *x, bool is_set, gnd_array **indices) {
    if (indices) *indices = NULL;
    if (is_set || s->failed) return x;
    gndi_unique u = {.fn = s->fn, .x = x, .equal_nan = true};
    if (indices) u.wishes = GNDI_UNIQUE_INDEX;
    if (!gndi_unique_flat(&u)) {
        s->failed = true;
        return NULL;
    }
    if (indices) *indices = gndi_temporaries_keep(s, u.index);
    return gndi_temporaries_keep(s, u.values);
}

/* a's elements, then b's, promoted together. */
static gnd_array *both(gndi_temporaries *s, const gnd_array *a, const gnd_array *b) {
    if (s->failed) return NULL;
    const gnd_dtype dtypes[2] = {(gnd_dtype)a->dtype, (gnd_dtype)b->dtype};
    const gnd_dtype dtype = gndi_promote_list(2, dtypes);
    const int64_t size = a->size + b->size;
    gnd_array *all = gndi_sets_new(s, a, 1, &size, dtype);
    char *data = s->failed ? NULL : gndi_data(all);
    for (int i = 0; i < 2 && !s->failed; i++) {
        const gnd_array *from = i ? b : a;
        if (from->size == 0) continue;
        gnd_array *part =
            gndi_temporaries_keep(s, gndi_array_view(s->fn, all, from->ndim, from->shape, NULL, data, dtype));
        if (!s->failed && gndi_copy_into(s->fn, part, from)) s->failed = true;
        data += from->size * gndi_dtype_sizes[dtype];
    }
    return all;
}

/* Which elements, but the last, (do not) equal the next one. */
static gnd_array *compare_next(gndi_temporaries *s, gndi_op op, const gnd_array *sorted) {
    if (s->failed) return NULL;
    const int64_t n = sorted->size > 0 ? sorted->size - 1 : 0;
    gnd_array *later = gndi_step_part(s, sorted, 0, sorted->size - n, n, 1);
    gnd_array *earlier = gndi_step_part(s, sorted, 0, 0, n, 1);
    return gndi_step(s, op, gnd_arg_array(later), gnd_arg_array(earlier));
}

/* ---- intersection --------------------------------------------------------------------------- */

/* Where the common values stand, given where they stand among the sorted elements of both. */
static void find_indices(gndi_temporaries *s, const gnd_array *begins, const gnd_array *order,
                         gnd_array *const index[2], int64_t a_size, gnd_array *indices[2]) {
    gnd_array *next = gndi_step(s, GNDI_OP_add, gnd_arg_array(begins), gnd_arg_int(1));
    for (int i = 0; i < 2; i++) {
        indices[i] = gndi_sets_take(s, order, i ? next : begins);
        if (i) indices[i] = gndi_step_in_place(s, GNDI_OP_subtract, indices[i], gnd_arg_int(a_size));
        if (index[i]) indices[i] = gndi_sets_take(s, index[i], indices[i]);
    }
}

static gnd_array *intersect(const char *fn, const gnd_array *a, const gnd_array *b, bool are_sets,
                            gnd_array **indices) {
    gndi_temporaries s = {.fn = fn};
    gnd_array *index[2] = {NULL, NULL}, *order = NULL, *begins = NULL, *result = NULL;
    if (!gndi_check_pair(fn, a, b)) return NULL;
    a = set_of(&s, a, are_sets, indices ? &index[0] : NULL);
    b = set_of(&s, b, are_sets, indices ? &index[1] : NULL);
    const gnd_array *all = both(&s, a, b);
    const gnd_array *sorted = s.failed ? NULL : gndi_sets_sorted(&s, all, indices ? &order : NULL, 0);
    gnd_array *same = compare_next(&s, GNDI_OP_equal, sorted);
    if (!s.failed && gndi_nonzero(fn, same, &begins)) begins = NULL;
    gndi_temporaries_keep(&s, begins);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    result = gndi_sets_take(&s, sorted, begins);
    if (indices) {
        find_indices(&s, begins, order, index, a->size, indices);
        for (int i = 0; i < 2; i++) indices[i] = s.failed ? NULL : gndi_sets_give(&s, indices[i]);
    }
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_intersect1d(const gnd_array *a, const gnd_array *b, bool assume_unique) {
    return intersect("gnd_intersect1d", a, b, assume_unique, NULL);
}

gnd_array *gnd_intersect1d_with_indices(const gnd_array *a, const gnd_array *b, bool assume_unique,
                                        gnd_array **a_indices, gnd_array **b_indices) {
    static const char fn[] = "gnd_intersect1d_with_indices";
    gnd_array *indices[2] = {NULL, NULL};
    if (a_indices) *a_indices = NULL;
    if (b_indices) *b_indices = NULL;
    if (!a_indices || !b_indices) return gndi_raise_null(fn, a_indices ? "b_indices" : "a_indices"), NULL;
    gnd_array *result = intersect(fn, a, b, assume_unique, indices);
    *a_indices = indices[0], *b_indices = indices[1];
    return result;
}

/* ---- union and differences ------------------------------------------------------------------ */

gnd_array *gnd_union1d(const gnd_array *a, const gnd_array *b) {
    gndi_temporaries s = {.fn = "gnd_union1d"};
    if (!gndi_check_pair(s.fn, a, b)) return NULL;
    gndi_unique u = {.fn = s.fn, .x = both(&s, a, b), .equal_nan = true};
    if (!s.failed && !gndi_unique_flat(&u)) s.failed = true;
    gndi_temporaries_end(&s, NULL);
    return u.values;
}

gnd_array *gnd_setdiff1d(const gnd_array *a, const gnd_array *b, bool assume_unique) {
    gndi_temporaries s = {.fn = "gnd_setdiff1d"};
    bool copied;
    gnd_array *result = NULL;
    if (!gndi_check_pair(s.fn, a, b)) return NULL;
    a = set_of(&s, a, assume_unique, NULL);
    if (!s.failed) a = gndi_sets_flat(&s, a, &copied);
    if (!s.failed) {
        gnd_array *outside = gndi_temporaries_keep(&s, gndi_isin(s.fn, a, b, true, GND_ISIN_AUTO));
        if (!s.failed) result = gndi_temporaries_keep(&s, gndi_mask_get(s.fn, a, outside));
    }
    return gndi_temporaries_end(&s, result);
}

/* Which sorted elements differ from both their neighbours. */
static gnd_array *alone(gndi_temporaries *s, const gnd_array *sorted) {
    const int64_t n = s->failed ? 0 : sorted->size, edges = n + 1;
    if (s->failed) return NULL;
    gnd_array *differ = gndi_sets_new(s, sorted, 1, &edges, GND_BOOL);
    gnd_array *ends = gndi_step_part(s, differ, 0, 0, 2, n);
    gndi_step_into(s, GNDI_OP_copy, ends, gnd_arg_bool(true), gnd_arg_none(), NULL);
    if (n > 1) {
        gnd_array *inside = gndi_step_part(s, differ, 0, 1, n - 1, 1);
        gnd_array *later = gndi_step_part(s, sorted, 0, 1, n - 1, 1);
        gnd_array *earlier = gndi_step_part(s, sorted, 0, 0, n - 1, 1);
        gndi_sets_differ(s, inside, later, earlier, false);
    }
    gnd_array *before = gndi_step_part(s, differ, 0, 0, n, 1);
    gnd_array *behind = gndi_step_part(s, differ, 0, 1, n, 1);
    return gndi_step(s, GNDI_OP_logical_and, gnd_arg_array(before), gnd_arg_array(behind));
}

gnd_array *gnd_setxor1d(const gnd_array *a, const gnd_array *b, bool assume_unique) {
    gndi_temporaries s = {.fn = "gnd_setxor1d"};
    if (!gndi_check_pair(s.fn, a, b)) return NULL;
    a = set_of(&s, a, assume_unique, NULL);
    b = set_of(&s, b, assume_unique, NULL);
    gnd_array *result = both(&s, a, b);
    if (!s.failed && result->size > 0) {
        const gnd_array *sorted = gndi_sets_sorted(&s, result, NULL, 0);
        const gnd_array *mask = alone(&s, sorted);
        result = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_mask_get(s.fn, sorted, mask));
    }
    return gndi_temporaries_end(&s, result);
}
