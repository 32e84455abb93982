/*
 * reduce_steps.c: what each reduction computes: the partial results of a block, the combination of several, and the
 * result. All of it by gnd's functions, in the order of the blocks.
 */
#include "dist/reduce.h"
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
        r->result = real_of(asked ? asked : inexact_of(t));
        r->parts = masked ? 3 : 2, p[0] = wide_of(asked ? asked : inexact_of(t)), p[1] = real_of(p[0]),
        p[2] = GND_INT64;
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
        r->parts = 1, p[0] = r->result;
        break;
    }
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

/* Mean, variance and, with a mask, number: of real numbers in one pass. */
static void variance_of_block(const gndi_reducing *r, const gnd_array *x, gnd_axes axes, gnd_array **part) {
    if (gnd_dtype_kind(r->dtype[0]) != 'c' && gnd_ndim(x) < GND_MAX_DIMS) {
        const gnd_array *moments = gnd_moments(x, axes), *number = gnd_slice(moments, "..., 0");
        part[0] = gnd_slice(moments, "..., 1");
        part[1] = gnd_divide(gnd_slice(moments, "..., 2"), gnd_maximum(number, 1));
        if (r->where) part[2] = gnd_astype(number, GND_INT64);
        return;
    }
    part[0] = gnd_mean(x, axes);
    part[1] = gnd_var(x, axes, 0);
    if (!r->where) return;
    part[2] = counts(r, axes); /* of nothing: NaN, which must not spread */
    part[0] = gnd_where(part[2], part[0], 0), part[1] = gnd_where(part[2], part[1], 0);
}

bool gndi_reducing_block(const gndi_reducing *r, gnd_array **part) {
    const gnd_array *x = r->x->local;
    gnd_axes axes = r->axes;
    axes.keepdims = true, axes.where = r->where, axes.initial = NULL, axes.dtype = r->dtype[0];
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
    case GNDI_VARIANCE: variance_of_block(r, x, axes, part); break;
    case GNDI_LOGSUM: return gndi_logsum_block(r, part);
    case GNDI_ARG:
        axes.dtype = GND_DTYPE_NONE;
        part[0] = global_index(r, r->how->fold(x, axes));
        part[1] = r->how->value(x, axes);
        break;
    case GNDI_NORM: axes.dtype = GND_DTYPE_NONE, part[0] = gnd_vector_norm(x, r->order, axes); break;
    }
    for (int i = 0; i < r->parts; i++) {
        if (part[i] && gnd_dtype_of(part[i]) != r->dtype[i]) part[i] = gnd_astype(part[i], r->dtype[i]);
        if (!part[i]) return false;
    }
    return true;
}

/* ---- several partial results ----------------------------------------------------------------------------------- */

/* Chan: the means' distances from the common mean add to the variances. */
static bool combine_variances(const gndi_reducing *r, gnd_array **part, int blocks, const int64_t *length) {
    const gnd_axes rows = GND_AXES(0);
    const gnd_array *mean = part[0], *variance = part[1];
    const gnd_array *n = r->where ? gnd_astype(part[2], r->dtype[1])
                                  : gnd_astype(gnd_from_host(length, GND_SHAPE(blocks, 1), GND_INT64), r->dtype[1]);
    const gnd_array *all = gnd_sum(n, rows), *divisor = gnd_maximum(all, 1);
    part[0] = gnd_divide(gnd_sum(gnd_multiply(mean, n), rows), divisor);
    const gnd_array *squares = gnd_square(gnd_absolute(gnd_subtract(mean, part[0])));
    part[1] = gnd_divide(gnd_sum(gnd_multiply(gnd_add(variance, squares), n), rows), divisor);
    if (r->where) part[2] = gnd_sum(part[2], rows);
    return part[0] && part[1] && (!r->where || part[2]);
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

bool gndi_reducing_combine(const gndi_reducing *r, gnd_array **part, int blocks, const int64_t *length) {
    gnd_axes rows = GND_AXES(0);
    switch (r->how->kind) {
    case GNDI_VARIANCE: return combine_variances(r, part, blocks, length);
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
        if (r->where) number.arg = gnd_arg_array(gnd_astype(part[2], r->dtype[1]));
        const gnd_array *divisor =
            (gnd_subtract)(number.arg, gnd_arg_array(gnd_full(GND_SCALAR, r->ddof, r->dtype[1])));
        const gnd_array *squares = (gnd_multiply)(gnd_arg_array(part[1]), number.arg);
        y = gnd_divide(squares, gnd_maximum(divisor, 0));
        if (strcmp(r->how->name, "std") == 0) y = gnd_sqrt(y);
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
