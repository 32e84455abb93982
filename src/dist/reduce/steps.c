/*
 * steps.c: what each reduction computes: the partial results of a block, the combination of several, and the
 * result. All of it by gnd's functions, in the order of the blocks.
 */
#include "dist/reduce/reduce.h"
#include <math.h>
#include <string.h>

static const gndi_reduction reductions[] = {
    {"sum", GNDI_FOLD, gnd_sum, NULL},
    {"prod", GNDI_FOLD, gnd_prod, NULL},
    {"min", GNDI_FOLD, gnd_min, NULL},
    {"max", GNDI_FOLD, gnd_max, NULL},
    {"any", GNDI_FOLD, gnd_any, NULL},
    {"all", GNDI_FOLD, gnd_all, NULL},
    {"count_nonzero", GNDI_COUNT, gnd_count_nonzero, NULL},
    {"mean", GNDI_MEAN, gnd_sum, NULL},
    {"var", GNDI_VARIANCE, NULL, NULL},
    {"std", GNDI_VARIANCE, NULL, NULL},
    {"argmin", GNDI_ARG, gnd_argmin, gnd_min},
    {"argmax", GNDI_ARG, gnd_argmax, gnd_max},
    {"norm", GNDI_NORM, NULL, NULL},
    {"logsumexp", GNDI_LOGSUM, NULL, NULL},
};

const gndi_reduction *gndi_reduction_named(const char *name) {
    for (size_t i = 0; name && i < sizeof reductions / sizeof *reductions; i++)
        if (strcmp(reductions[i].name, name) == 0) return &reductions[i];
    return NULL;
}

/* ---- dtypes -------------------------------------------------------------------------------------------------- */

static gnd_dtype real_of(gnd_dtype t) {
    return t == GND_COMPLEX64 ? GND_FLOAT32 : t == GND_COMPLEX128 ? GND_FLOAT64 : t;
}

static gnd_dtype wide_of(gnd_dtype t) {
    return t == GND_FLOAT16 || t == GND_BFLOAT16 ? GND_FLOAT32 : t;
}

static gnd_dtype inexact_of(gnd_dtype t) {
    const char kind = gnd_dtype_kind(t);
    return kind == 'f' || kind == 'c' ? t : GND_FLOAT64;
}

/* sum and prod: whole numbers in 64 bits; the others in their own dtype. */
static gnd_dtype fold_type(const gndi_reduction *how, gnd_dtype t) {
    const char kind = gnd_dtype_kind(t);
    if (how->fold == gnd_any || how->fold == gnd_all) return GND_BOOL;
    if (how->fold != gnd_sum && how->fold != gnd_prod) return t;
    return kind == 'b' || kind == 'i' ? GND_INT64 : kind == 'u' ? GND_UINT64 : t;
}

static bool refuse(const char *fn, const gndi_reducing *r, const char *what) {
    gndi_dist_raise(GND_ERROR_DTYPE, fn, "%s of %s takes no %s", r->how->name, gnd_dtype_name(r->x->dtype), what);
    return false;
}

bool gndi_reducing_types(gndi_reducing *r, const char *fn, gnd_dtype asked, bool masked, bool initial) {
    const gndi_reduction_kind kind = r->how->kind;
    const gnd_dtype t = r->x->dtype;
    const bool sums = r->how->fold == gnd_sum || r->how->fold == gnd_prod;
    const bool extreme = r->how->fold == gnd_min || r->how->fold == gnd_max;
    if (asked && gnd_dtype_kind(t) == 'c' && gnd_dtype_kind(asked) != 'c') return refuse(fn, r, "real dtype");
    if (asked && !(sums || kind == GNDI_VARIANCE)) return refuse(fn, r, "dtype");
    if (asked && kind != GNDI_FOLD && inexact_of(asked) != asked) return refuse(fn, r, "whole dtype");
    if (initial && kind != GNDI_FOLD) return refuse(fn, r, "initial");
    if (masked && kind >= GNDI_ARG) return refuse(fn, r, "where");
    if (masked && kind == GNDI_COUNT) return refuse(fn, r, "where");
    if (masked && extreme && !initial) return refuse(fn, r, "where without an initial value");
    gnd_dtype *p = r->dtype;
    switch (kind) {
    case GNDI_FOLD:
        r->result = asked ? asked : fold_type(r->how, t);
        r->parts = 1, p[0] = sums ? wide_of(r->result) : r->result;
        break;
    case GNDI_COUNT: r->parts = 1, p[0] = r->result = GND_INT64; break;
    case GNDI_MEAN:
        r->result = asked ? asked : inexact_of(t);
        r->parts = masked ? 2 : 1, p[0] = wide_of(r->result), p[1] = GND_INT64;
        break;
    case GNDI_VARIANCE:
        r->computed = wide_of(asked ? asked : inexact_of(t));
        r->result = real_of(asked ? asked : inexact_of(t));
        r->parts = gnd_dtype_kind(r->computed) == 'c' ? 4 : 3;
        for (int i = 0; i < r->parts; i++) p[i] = GND_FLOAT64;
        break;
    case GNDI_LOGSUM:
        if (gnd_dtype_kind(t) == 'c') return refuse(fn, r, "complex numbers");
        r->result = inexact_of(t);
        r->parts = 1, p[0] = wide_of(r->result) == GND_FLOAT32 ? GND_COMPLEX64 : GND_COMPLEX128;
        if (strcmp(r->how->name, "logsumexp") != 0) r->result = p[0];
        break;
    case GNDI_ARG: r->parts = 2, p[0] = r->result = GND_INT64, p[1] = t; break;
    case GNDI_NORM:
        r->result = real_of(inexact_of(t));
        r->parts = 1, p[0] = wide_of(r->result);
        break;
    }
    if (kind != GNDI_VARIANCE) r->computed = p[0];
    return true;
}

/* ---- the partial results of a block -------------------------------------------------------------------------- */

/* From an index among the reduced axes of the block to one among those of the whole array. */
static gnd_array *global_index(const gndi_reducing *r, gnd_array *index) {
    gndi_box box;
    gndi_box_of(r->x, gnd_mesh_rank(r->x->mesh), &box);
    gnd_array *rest = index, *sum = NULL;
    int64_t stride = 1;
    for (int i = r->x->shape.ndim - 1; i >= 0; i--) {
        if (!r->reduced[i]) continue;
        gnd_array *at = gnd_add(gnd_remainder(rest, box.count[i]), box.start[i]);
        rest = gnd_floor_divide(rest, box.count[i]);
        sum = sum ? gnd_add(sum, gnd_multiply(at, stride)) : at;
        stride *= r->x->shape.dim[i];
    }
    return sum ? sum : index;
}

/* How many elements of the block take part in each result. */
static gnd_array *counts(const gndi_reducing *r, gnd_axes axes) {
    axes.where = NULL, axes.dtype = GND_DTYPE_NONE;
    return gnd_count_nonzero(gnd_broadcast_to(r->where, gnd_shape_of(r->x->local)), axes);
}

/* Number, mean (of complex numbers two of them) and sum of squares, of which variances are combined. */
static void moments(gndi_reducing *r, const gnd_array *x, gnd_axes axes, gnd_array **part) {
    axes.keepdims = false; /* an array of the most axes there are has room for those of the moments then */
    gnd_array *all = gnd_moments(x, axes);
    r->together = all;
    GND_FUSE {
        for (int i = 0; i < r->parts; i++) {
            gnd_array *column = all ? gnd_slice(all, "..., %d", i) : NULL;
            part[i] = gnd_keep(column && gnd_size(column) > 1 ? gnd_copy(column) : column);
        }
    }
}

/* Of float16 in float32, so that the result alone is rounded. */
static gnd_array *norm_of(const gndi_reducing *r, const gnd_array *x, gnd_axes axes) {
    gnd_array *norm = NULL;
    if (wide_of(gnd_dtype_of(x)) == gnd_dtype_of(x)) return gnd_vector_norm(x, r->order, axes);
    GND_FUSE {
        norm = gnd_keep(gnd_vector_norm(gnd_astype(x, r->dtype[0]), r->order, axes));
    }
    return norm;
}

gnd_array *gndi_reducing_itself(const gndi_reducing *r) {
    const gnd_array *x = r->x->local;
    const bool extreme = r->how->fold == gnd_min || r->how->fold == gnd_max;
    const bool folds = extreme || r->how->fold == gnd_sum || r->how->fold == gnd_prod;
    const bool alike = gnd_dtype_of(x) == r->dtype[0] && r->dtype[0] != GND_BOOL;
    if (r->how->kind != GNDI_FOLD || !folds || !alike || r->where) return NULL;
    return gndi_reducing_length(r, gnd_mesh_rank(r->x->mesh), 1) == 1 ? (gnd_array *)x : NULL;
}

bool gndi_reducing_block(gndi_reducing *r, gnd_array **part) {
    const gnd_array *x = r->x->local;
    gnd_axes axes = r->axes;
    axes.keepdims = true, axes.where = r->where, axes.initial = NULL, axes.dtype = r->computed;
    switch (r->how->kind) {
    case GNDI_FOLD:
        if (r->how->fold != gnd_sum && r->how->fold != gnd_prod) axes.dtype = GND_DTYPE_NONE;
        if ((r->where || r->number == 0) && (r->how->fold == gnd_min || r->how->fold == gnd_max))
            axes.initial = r->axes.initial;
        part[0] = r->how->fold(x, axes);
        break;
    case GNDI_COUNT: axes.dtype = GND_DTYPE_NONE, part[0] = gnd_count_nonzero(x, axes); break;
    case GNDI_MEAN:
        part[0] = gnd_sum(x, axes);
        if (r->where) part[1] = counts(r, axes);
        break;
    case GNDI_VARIANCE: moments(r, x, axes, part); break;
    case GNDI_LOGSUM: return gndi_logsum_block(r, part);
    case GNDI_ARG:
        axes.dtype = GND_DTYPE_NONE;
        part[0] = global_index(r, r->how->fold(x, axes));
        part[1] = r->how->value(x, axes);
        break;
    case GNDI_NORM: axes.dtype = GND_DTYPE_NONE, part[0] = norm_of(r, x, axes); break;
    }
    for (int i = 0; i < r->parts; i++) {
        if (part[i] && gnd_dtype_of(part[i]) != r->dtype[i]) part[i] = gnd_astype(part[i], r->dtype[i]);
        if (!part[i]) return false;
    }
    return true;
}

/* ---- several partial results ----------------------------------------------------------------------------------- */

/* Sums of the order of the blocks are the same however they are added; those of one or two blocks also of numbers that
   round, since a + b is b + a. Only the sum of -0 in two blocks that are their own partial results is -0 there, and 0
   by gnd. Float16 is added in float32 (gndi_reducing_types). NCCL's extremes lose NaN, and complex products need both
   their parts. */
bool gndi_reducing_anyhow(const gndi_reducing *r, int j, int blocks, int places, gnd_combine *how) {
    const gnd_dtype t = r->dtype[j];
    const char kind = gnd_dtype_kind(t);
    const size_t bytes = gnd_dtype_size(t);
    const bool whole = kind == 'b' || ((kind == 'i' || kind == 'u') && bytes != 2);
    const bool few = blocks <= 2 && bytes >= 4 && (kind == 'f' || kind == 'c');
    if (r->how->kind > GNDI_MEAN) return false;
    *how = GND_COMBINE_SUM;
    if (r->how->kind != GNDI_FOLD || r->how->fold == gnd_sum) return (whole && kind != 'b') || few;
    if (r->how->fold == gnd_prod) return *how = GND_COMBINE_PROD, (whole && kind != 'b') || (few && kind == 'f');
    const bool least = r->how->fold == gnd_min || r->how->fold == gnd_all;
    *how = least ? GND_COMBINE_MIN : GND_COMBINE_MAX;
    return whole && (kind == 'b' || blocks == places); /* of nothing, bool has an extreme */
}

/* Block b's of partial results, each as (blocks, n). */
static gnd_array *row(gnd_array *const *part, int i, int b) {
    return gndi_row(part[i], b);
}

/* Chan, Golub and LeVeque: the squares of the means' distances from the common mean, each times its number, add to the
   sums of squares. */
static void add_moments(const gndi_reducing *r, gnd_array **part, int blocks) {
    const int last = r->parts - 1;
    gnd_array *number = row(part, 0, 0), *squares = row(part, last, 0);
    for (int b = 1; b < blocks; b++) number = gnd_add(number, row(part, 0, b));
    for (int b = 1; b < blocks; b++) squares = gnd_add(squares, row(part, last, b));
    for (int i = 1; i < last; i++) {
        gnd_array *sum = gnd_multiply(row(part, i, 0), row(part, 0, 0));
        for (int b = 1; b < blocks; b++) sum = gnd_add(sum, gnd_multiply(row(part, i, b), row(part, 0, b)));
        gnd_array *mean = gnd_divide(sum, gnd_maximum(number, 1));
        for (int b = 0; b < blocks; b++) {
            const gnd_array *distance = gnd_square(gnd_subtract(row(part, i, b), mean));
            squares = gnd_add(squares, gnd_multiply(distance, row(part, 0, b)));
        }
        part[i] = mean;
    }
    part[0] = number, part[last] = squares;
}

/* Of the moments. */
static gnd_array *variance(const gndi_reducing *r, gnd_array *const *part) {
    gnd_array *y = gnd_divide(part[r->parts - 1], gnd_maximum(gnd_subtract(part[0], r->ddof), 0));
    if (strcmp(r->how->name, "std") == 0) y = gnd_sqrt(y);
    return y && gnd_dtype_of(y) != r->result ? gnd_astype(y, r->result) : y;
}

/* In one launch with the result, if nothing is to come. */
static bool combine_variances(gndi_reducing *r, gnd_array **part, int blocks, bool last) {
    bool good = true;
    GND_FUSE {
        if (blocks > 1)
            add_moments(r, part, blocks);
        else
            for (int i = 0; i < r->parts; i++) part[i] = row(part, i, 0);
        if (last) part[0] = variance(r, part), r->finished = true;
        for (int i = 0; i < (last ? 1 : r->parts); i++) good = gnd_keep(part[i]) && good;
    }
    return good;
}

/* The first index of those whose value is the best, or NaN if there is one. */
static bool combine_indices(const gndi_reducing *r, gnd_array **part) {
    const gnd_axes rows = GND_AXES(0);
    const gnd_array *best = r->how->value(part[1], rows);
    const gnd_array *is_nan = gnd_logical_and(gnd_not_equal(part[1], part[1]), gnd_not_equal(best, best));
    const gnd_array *found = gnd_logical_or(gnd_equal(part[1], best), is_nan);
    part[0] = gnd_min(gnd_where(found, part[0], INT64_MAX), rows);
    part[1] = (gnd_array *)best;
    return part[0] && part[1];
}

bool gndi_reducing_combine(gndi_reducing *r, gnd_array **part, int blocks, bool last) {
    gnd_axes rows = GND_AXES(0);
    switch (r->how->kind) {
    case GNDI_VARIANCE: return combine_variances(r, part, blocks, last);
    case GNDI_LOGSUM: return gndi_logsum_combine(r, part);
    case GNDI_ARG: return combine_indices(r, part);
    case GNDI_NORM:
        part[0] = r->order == 0 ? gnd_sum(part[0], rows) : gnd_vector_norm(part[0], r->order, rows);
        return part[0] != NULL;
    case GNDI_FOLD:
        if (r->how->fold == gnd_sum || r->how->fold == gnd_prod) rows.dtype = r->dtype[0];
        part[0] = r->how->fold(part[0], rows);
        return part[0] != NULL;
    case GNDI_COUNT:
    case GNDI_MEAN: break;
    }
    for (int i = 0; i < r->parts; i++)
        if (!(part[i] = gnd_sum(part[i], rows))) return false;
    return true;
}

/* ---- the result ---------------------------------------------------------------------------------------------- */

gnd_array *gndi_reducing_finish(const gndi_reducing *r, gnd_array *const *part, const gnd_array *initial) {
    gnd_array *y = part[0];
    gnd_dist_arg number = gnd_dist_arg_real((double)r->number);
    if (r->how->kind == GNDI_MEAN) {
        if (r->where) number.arg = gnd_arg_array(gnd_astype(part[1], real_of(r->dtype[0])));
        y = (gnd_divide)(gnd_arg_array(part[0]), number.arg);
    } else if (r->how->kind == GNDI_VARIANCE) {
        if (r->finished) return y;
        GND_FUSE {
            y = gnd_keep(variance(r, part));
        }
    } else if (r->how->kind == GNDI_LOGSUM) {
        y = gndi_logsum_finish(r, part[0]);
    } else if (initial) {
        gnd_axes first = GND_AXES(0);
        first.initial = initial;
        if (r->how->fold == gnd_sum || r->how->fold == gnd_prod) first.dtype = r->dtype[0];
        y = r->how->fold(gnd_expand_dims(y, GND_AXES(0)), first);
    }
    return y && gnd_dtype_of(y) != r->result ? gnd_astype(y, r->result) : y;
}
