/*
 * repeat_insert.c: the functions of gnd/rearrange.h that take arrays of indices, counts or masks: where
 * everything goes is computed on the device by sorting and searching, then moved by one get or set.
 */
#include "elementwise/item.h"
#include "rearrange/rearrange.h"
#include "sets/sets.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_insert_at
#undef gnd_ix

static bool check_device(gndi_temporaries *s, const gnd_array *a, const gnd_array *other, const char *name) {
    return !gndi_check_together(s->fn, a, "a", other, name);
}

/* `a` with its axis from the front, or flat; NULL and an error if that does not go. */
static const gnd_array *along(gndi_temporaries *s, const gnd_array *a, const gnd_array *other, const char *name,
                              int *axis) {
    if (gndi_missing(a) || gndi_missing(other)) {
        gndi_raise_null(s->fn, gndi_missing(a) ? "a" : name);
    } else if (!check_device(s, a, other, name)) {
    } else if (*axis == GND_FLAT) {
        *axis = 0;
        return gndi_temporaries_keep(s, gndi_flat(s->fn, a));
    } else if (gndi_normalize_axis(s->fn, *axis, a->ndim, axis)) {
        return a;
    }
    s->failed = true;
    return NULL;
}

/* Integers as int64, with the smallest and the largest of them (0 if there are none): waits. */
static const gnd_array *read_integers(gndi_temporaries *s, const gnd_array *x, const char *name, int64_t *least,
                                      int64_t *most) {
    gndi_scalar value[2] = {{0}};
    *least = *most = 0;
    if (s->failed) return NULL;
    if (!gndi_dtype_is_int(x->dtype) && x->dtype != GND_BOOL && x->size > 0) {
        gndi_raise(GND_ERROR_DTYPE, s->fn, "%s must be integers, not %s", name, gnd_dtype_name((gnd_dtype)x->dtype));
        s->failed = true;
        return NULL;
    }
    x = gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, GND_INT64, 'C'));
    if (!x || x->size == 0) return x;
    const gnd_array *low = gndi_temporaries_keep(s, gnd_min(x, GND_ALL));
    const gnd_array *high = gndi_temporaries_keep(s, gnd_max(x, GND_ALL));
    if (!s->failed) s->failed = gndi_item(s->fn, low, &value[0]) || gndi_item(s->fn, high, &value[1]);
    *least = value[0].i64, *most = value[1].i64;
    return x;
}

/* ---- repeat --------------------------------------------------------------------------------- */

/* Counts for each of `rows`; raises if their number or their sign is wrong. */
static const gnd_array *check_counts(gndi_temporaries *s, const gnd_array *counts, int64_t rows) {
    int64_t least, most;
    if (counts->ndim > 1 || (counts->size != 1 && counts->size != rows)) {
        gndi_raise(GND_ERROR_SHAPE, s->fn,
                   "counts have shape %s; a vector of %lld, as long as the axis, would be right",
                   gndi_text_shape(counts->ndim, counts->shape), (long long)rows);
        s->failed = true;
    } else if (counts->dtype == GND_UINT64) {
        gndi_raise(GND_ERROR_DTYPE, s->fn, "counts are uint64, which does not fit int64 safely");
        s->failed = true;
    }
    counts = read_integers(s, counts, "counts", &least, &most);
    if (!s->failed && least < 0) {
        gndi_raise(GND_ERROR_VALUE, s->fn, "counts must not be negative; the smallest is %lld", (long long)least);
        s->failed = true;
    }
    if (!s->failed && most > 0 && rows > INT64_MAX / most) {
        gndi_raise(GND_ERROR_MEMORY, s->fn, "the repeated axis does not fit 64 bits");
        s->failed = true;
    }
    return s->failed ? NULL : counts;
}

gnd_array *gnd_repeat_each(const gnd_array *a, const gnd_array *counts, int axis) {
    GNDI_PARTS_OF("gnd_repeat_each");
    gndi_temporaries s = {.fn = "gnd_repeat_each"};
    gndi_scalar total = {0};
    const gnd_array *line = along(&s, a, counts, "counts", &axis);
    if (line) counts = check_counts(&s, counts, line->shape[axis]);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    const int64_t rows = line->shape[axis];
    if (counts->size == 1) {
        s.failed = gndi_item(s.fn, counts, &total) != GND_OK;
        gnd_array *result = s.failed ? NULL : gnd_repeat(line, total.i64, axis);
        gndi_temporaries_end(&s, NULL);
        return result;
    }
    /* The first position behind each row; row k is at the positions that have k rows' ends before them. */
    const gnd_array *ends = gndi_temporaries_keep(&s, gnd_cumsum(counts, GND_ALL));
    if (ends && rows > 0) {
        const gnd_array *last = gndi_step_element(&s, ends, rows - 1);
        s.failed = s.failed || gndi_item(s.fn, last, &total) != GND_OK;
    }
    const gnd_array *targets = s.failed ? NULL : gndi_sets_numbers(&s, line, total.i64, GND_INT64);
    const gnd_array *from =
        targets ? gndi_temporaries_keep(&s, (gnd_searchsorted)(ends, gnd_arg_array(targets), GND_RIGHT, gnd_arg_none()))
                : NULL;
    if (from && total.i64 == 0) from = targets; /* nothing to take, also where there is nothing */
    return gndi_temporaries_end(&s, from ? gndi_temporaries_keep(&s, gnd_take(line, from, GND_AXES(axis), GND_CLIP))
                                         : NULL);
}

/* ---- insert --------------------------------------------------------------------------------- */

/* new[..., targets, ...] = value along the axis. */
static void set_along(gndi_temporaries *s, gnd_array *to, int axis, const gnd_array *targets, gnd_arg value) {
    gnd_index items[GND_MAX_DIMS];
    for (int i = 0; i < axis; i++) items[i] = gnd_index_all();
    items[axis] = gnd_index_array(targets);
    if (!s->failed && (gnd_set)(to, axis + 1, items, value)) s->failed = true;
}

/* Where the inserted elements go, in the order of their indices, and where those of `a` go. */
static void find_targets(gndi_temporaries *s, const gnd_array *a, const gnd_array *indices, int64_t size,
                         const gnd_array **inserted, const gnd_array **kept) {
    const gnd_arg none = gnd_arg_none();
    const gnd_array *negative = gndi_step(s, GNDI_OP_less, gnd_arg_array(indices), gnd_arg_int(0));
    gnd_array *front = gndi_step(s, GNDI_OP_copy, gnd_arg_array(indices), none);
    gndi_step_into(s, GNDI_OP_add, front, gnd_arg_array(indices), gnd_arg_int(size), negative);
    const gnd_array *order =
        s->failed ? NULL : gndi_temporaries_keep(s, gnd_argsort(front, GND_AXES(0), GND_ASCENDING));
    const gnd_array *sorted =
        s->failed ? NULL : gndi_temporaries_keep(s, gnd_take(front, order, GND_AXES(0), GND_CLIP));
    const gnd_array *rank = gndi_sets_numbers(s, a, indices->size, GND_INT64);
    gnd_array *targets = gndi_step(s, GNDI_OP_add, gnd_arg_array(sorted), gnd_arg_array(rank));
    gnd_array *by_index = s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_like(s->fn, targets, 0));
    if (by_index) set_along(s, by_index, 0, order, gnd_arg_array(targets));
    const gnd_array *own = gndi_sets_numbers(s, a, size, GND_INT64);
    const gnd_array *before =
        s->failed ? NULL
                  : gndi_temporaries_keep(s, (gnd_searchsorted)(sorted, gnd_arg_array(own), GND_RIGHT, gnd_arg_none()));
    *kept = gndi_step(s, GNDI_OP_add, gnd_arg_array(own), gnd_arg_array(before));
    *inserted = by_index;
}

static gnd_array *insert_several(gndi_temporaries *s, const gnd_array *a, const gnd_array *indices, gnd_arg values,
                                 int axis) {
    int64_t shape[GND_MAX_DIMS];
    const gnd_array *inserted, *kept;
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    shape[axis] += indices->size;
    if (!gndi_insert_check(s, a, values, axis, indices->size)) return NULL;
    find_targets(s, a, indices, a->shape[axis], &inserted, &kept);
    gnd_array *result = s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_in_its_order(s->fn, a, shape));
    if (!result) return NULL;
    set_along(s, result, axis, inserted, values);
    set_along(s, result, axis, kept, gnd_arg_array(a));
    return result;
}

/* The indices as int64, checked against 0 .. size: waits. Of a mask, the indices of its true elements. */
static const gnd_array *check_indices(gndi_temporaries *s, const gnd_array *indices, int axis, int64_t size) {
    int64_t least, most;
    if (indices->ndim > 1) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "indices must be of at most 1 dimension; the shape is %s",
                   gndi_text_shape(indices->ndim, indices->shape));
        s->failed = true;
        return NULL;
    }
    if (indices->dtype == GND_BOOL && indices->ndim == 1) indices = gndi_temporaries_keep(s, gnd_flatnonzero(indices));
    if (!indices) return NULL;
    const gnd_array *checked = read_integers(s, indices, "indices", &least, &most);
    if (!s->failed && checked->size && (least < -size || most > size)) {
        gndi_raise(GND_ERROR_INDEX, s->fn, "index %lld is out of bounds for axis %d of size %lld",
                   (long long)(least < -size ? least : most), axis, (long long)size);
        s->failed = true;
    }
    return s->failed ? NULL : checked;
}

gnd_array *gnd_insert_at(const gnd_array *a, const gnd_array *indices, gnd_arg values, int axis) {
    GNDI_PARTS_OF("gnd_insert_at");
    gndi_temporaries s = {.fn = "gnd_insert_at"};
    const gnd_array *line = along(&s, a, indices, "indices", &axis);
    const gnd_array *at = line ? check_indices(&s, indices, axis, line->shape[axis]) : NULL;
    gnd_array *result = NULL;
    if (at && at->size == 1) { /* a block of values */
        gndi_scalar index = {0};
        s.failed = gndi_item(s.fn, at, &index) != GND_OK;
        if (!s.failed) result = gndi_insert_block(s.fn, line, index.i64, values, axis, at->ndim == 0);
        gndi_temporaries_keep(&s, result);
    } else if (at && at->size == 0) {
        if (gndi_insert_check(&s, line, values, axis, 0))
            result = gndi_temporaries_keep(&s, gndi_copy_as(s.fn, line, (gnd_dtype)line->dtype, 'A'));
    } else if (at) {
        result = insert_several(&s, line, at, values, axis);
    }
    return gndi_temporaries_end(&s, result);
}

/* ---- delete --------------------------------------------------------------------------------- */

/* A mask of what stays; waits where an index may be out of range. */
static const gnd_array *what_stays(gndi_temporaries *s, const gnd_array *a, const gnd_array *indices, int axis) {
    const int64_t size = a->shape[axis];
    int64_t least, most;
    if (indices->dtype == GND_BOOL) {
        if (indices->ndim == 1 && indices->size == size)
            return gndi_step(s, GNDI_OP_logical_not, gnd_arg_array(indices), gnd_arg_none());
        gndi_raise(GND_ERROR_SHAPE, s->fn,
                   "a mask of shape %s for axis %d of size %lld; a vector of that size would be right",
                   gndi_text_shape(indices->ndim, indices->shape), axis, (long long)size);
        s->failed = true;
        return NULL;
    }
    const gnd_array *checked = read_integers(s, indices, "indices", &least, &most);
    if (!s->failed && checked->size && (least < -size || most >= size)) {
        gndi_raise(GND_ERROR_INDEX, s->fn, "index %lld is out of bounds for axis %d of size %lld",
                   (long long)(least < -size ? least : most), axis, (long long)size);
        s->failed = true;
    }
    if (s->failed) return NULL;
    gnd_array *stays = gndi_temporaries_keep(
        s, gndi_filled(s->fn, gndi_new_on_device_of(s->fn, a, 1, &size, GND_BOOL), gnd_arg_bool(true)));
    if (stays && checked->size && (gnd_put)(stays, checked, gnd_arg_bool(false), GND_RAISE)) s->failed = true;
    return stays;
}

gnd_array *gnd_delete_at(const gnd_array *a, const gnd_array *indices, int axis) {
    GNDI_PARTS_OF("gnd_delete_at");
    gndi_temporaries s = {.fn = "gnd_delete_at"};
    const gnd_array *line = along(&s, a, indices, "indices", &axis);
    const gnd_array *stays = line ? what_stays(&s, line, indices, axis) : NULL;
    gnd_array *result = NULL;
    if (stays && !s.failed) result = gndi_temporaries_keep(&s, gnd_compress(stays, line, GND_AXES(axis)));
    return gndi_temporaries_end(&s, result);
}

/* ---- ix_ ------------------------------------------------------------------------------------ */

gnd_status gnd_ix(int count, const gnd_array *const arrays[], gnd_array *out[]) {
    static const char fn[] = "gnd_ix";
    GNDI_PARTS_OF(fn);
    if (count < 0 || count > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_INVALID, fn, "%d arrays; a grid has 0 to %d axes", count, GND_MAX_DIMS);
    if (count > 0 && !out) return gndi_raise_null(fn, "out");
    if (count > 0 && !arrays) return gndi_drop_list(gndi_raise_null(fn, "arrays"), 0, count, out);
    for (int k = 0; k < count; k++) {
        gndi_temporaries s = {.fn = fn};
        const gnd_array *line = arrays[k];
        if (gndi_missing(line))
            s.failed = gndi_raise_null(fn, "arrays") != GND_OK;
        else if (line->ndim != 1)
            s.failed = gndi_raise(GND_ERROR_SHAPE, fn, "array %d must be 1-dimensional; its shape is %s", k,
                                  gndi_text_shape(line->ndim, line->shape)) != GND_OK;
        else if (line->dtype == GND_BOOL)
            line = gndi_temporaries_keep(&s, gnd_flatnonzero(line));
        out[k] = gndi_temporaries_end(&s, s.failed ? NULL : gndi_step_along(&s, line, k, count));
        if (!out[k]) return gndi_drop_list(gndi_ew_pending(), k, count, out);
    }
    return GND_OK;
}
