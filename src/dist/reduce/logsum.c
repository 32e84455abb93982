/*
 * logsum.c: the largest element and the sum of exponentials less it, of which logsumexp and softmax are made. Both are
 * one partial result, a complex number: its real part is the largest element, its imaginary part the sum. Long rows are
 * taken as many short ones, which a fused launch keeps in registers, so that elements are read once.
 *
 * logsumexp and log_softmax have the sum less 1, the power of a largest element, so that a small rest is not lost.
 * Where the largest is infinite, the sum comes out as NaN, and is mended when it is used: of none but -inf it is 0,
 * else infinite.
 */
#include "dist/reduce/reduce.h"
#include <math.h>
#include <string.h>

enum { SEGMENT = 1024, LEAST_SEGMENT = 256 }; /* elements of a row that are taken as one */

/* Largest elements and sums, for one or several of each result. */
typedef struct sums {
    gnd_array *largest, *sum;
} sums;

static bool is_named(const gndi_reducing *r, const char *name) {
    return strcmp(r->how->name, name) == 0;
}
static bool less_one(const gndi_reducing *r) {
    return !is_named(r, "softmax");
}
static gnd_dtype real_of(const gndi_reducing *r) {
    return r->dtype[0] == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
}

/* The sum, also where the largest is infinite. */
static gnd_array *mended(const gndi_reducing *r, sums s) {
    const gnd_array *above = gnd_where(gnd_equal(s.largest, INFINITY), INFINITY, s.sum);
    return gnd_where(gnd_equal(s.largest, -INFINITY), less_one(r) ? -1 : 0, above);
}
static gnd_array *number_of(const gnd_array *truths, gnd_axes axes, gnd_dtype dtype) {
    return gnd_sum(gnd_astype(truths, dtype), axes);
}

/* As complex numbers. */
static gnd_array *packed(const gndi_reducing *r, sums s) {
    gnd_array *z = s.largest && s.sum ? gnd_empty(gnd_shape_of(s.largest), r->dtype[0]) : NULL;
    const bool good = z && !gnd_copyto(gnd_real(z), s.largest) && !gnd_copyto(gnd_imag(z), s.sum);
    return good ? z : NULL;
}

/* ---- of a block ----------------------------------------------------------------------------------------------- */

/* Of x along the axes, which stay with length 1. */
static sums sums_of(const gndi_reducing *r, const gnd_array *x, gnd_axes axes) {
    const gnd_dtype t = real_of(r);
    sums s = {NULL, NULL};
    GND_FUSE {
        const gnd_array *wide = gnd_dtype_of(x) == t ? x : gnd_astype(x, t);
        if (r->where) wide = gnd_where(r->where, wide, -INFINITY);
        s.largest = gnd_keep(gnd_max(wide, axes));
        const gnd_array *power = gnd_exp(gnd_subtract(wide, s.largest));
        if (less_one(r)) {
            const gnd_array *most = gnd_equal(wide, s.largest), *number = number_of(most, axes, t);
            const gnd_array *rest = gnd_sum(gnd_where(most, 0, power), axes);
            s.sum = gnd_keep(gnd_add(rest, gnd_subtract(number, 1)));
        } else {
            s.sum = gnd_keep(gnd_sum(power, axes));
        }
    }
    return s;
}

/* Several along an axis, which stays with length 1. */
static sums sums_of_sums(const gndi_reducing *r, sums all, int axis) {
    const gnd_axes axes = GND_AXES_KEEP(axis);
    sums s = {NULL, NULL};
    if (!all.largest || !all.sum) return s;
    GND_FUSE {
        s.largest = gnd_keep(gnd_max(all.largest, axes));
        const gnd_array *sum = mended(r, all), *factor = gnd_exp(gnd_subtract(all.largest, s.largest));
        if (less_one(r)) {
            const gnd_array *most = gnd_equal(all.largest, s.largest), *number = number_of(most, axes, real_of(r));
            const gnd_array *scaled = gnd_multiply(gnd_add(sum, 1), factor);
            const gnd_array *rest = gnd_sum(gnd_where(most, sum, scaled), axes);
            s.sum = gnd_keep(gnd_add(rest, gnd_subtract(number, 1)));
        } else {
            s.sum = gnd_keep(gnd_sum(gnd_multiply(sum, factor), axes));
        }
    }
    return s;
}

/* How long the parts of a row are: equal ones of vectors if there are such. */
static int64_t segment_of(int64_t n) {
    for (int64_t step = 4; step > 0; step -= 3)
        for (int64_t length = SEGMENT / step * step; length >= LEAST_SEGMENT; length -= step)
            if (n % length == 0) return length;
    return SEGMENT;
}

/* Of rows of n elements, in memory one after the other: part by part. */
static sums sums_of_rows(const gndi_reducing *r, const gnd_array *x, int64_t n) {
    const int64_t rows = gnd_size(x) / n, length = segment_of(n), parts = n / length, rest = n % length;
    const gnd_array *row = gnd_reshape(x, GND_SHAPE(rows, n));
    const gnd_array *whole = row && rest ? gnd_slice(row, ":, :%lld", (long long)(parts * length)) : row;
    whole = whole ? gnd_reshape(whole, GND_SHAPE(rows, parts, length)) : NULL;
    sums all = {NULL, NULL};
    if (whole) all = sums_of(r, whole, GND_AXES_KEEP(2));
    if (rest && all.largest && all.sum) {
        const gnd_array *last = gnd_slice(row, ":, %lld:", (long long)(parts * length));
        if (!last) return (sums){NULL, NULL};
        const sums end = sums_of(r, gnd_expand_dims(last, GND_AXES(2)), GND_AXES_KEEP(1));
        all.largest = gnd_concatenate(GND_ARRAYS(all.largest, end.largest), 1);
        all.sum = gnd_concatenate(GND_ARRAYS(all.sum, end.sum), 1);
    }
    return sums_of_sums(r, all, 1);
}

/* How many elements of the block are a row: the reduced axes are the last ones, and without gaps. 0 if they are not. */
static int64_t row_of(const gndi_reducing *r) {
    const gnd_array *x = r->x->local;
    int64_t n = 1;
    bool rows = gnd_is_c_contiguous(x) && !r->where, kept = false;
    for (int i = gnd_ndim(x) - 1; i >= 0; i--) {
        kept = kept || (!r->reduced[i] && gnd_dim(x, i) > 1);
        if (r->reduced[i]) rows = rows && (!kept || gnd_dim(x, i) == 1), n *= gnd_dim(x, i);
    }
    return rows ? n : 0;
}

bool gndi_logsum_is_short(const gndi_reducing *r) {
    return row_of(r) <= SEGMENT;
}

bool gndi_logsum_block(const gndi_reducing *r, gnd_array **part) {
    gnd_axes axes = {.keepdims = true, .count = -1};
    gnd_shape shape = gnd_shape_of(r->x->local);
    sums s;
    for (int i = 0; i < shape.ndim; i++)
        if (r->reduced[i]) {
            axes.count = axes.count < 0 ? 0 : axes.count;
            axes.axis[axes.count++] = i, shape.dim[i] = 1;
        }
    const int64_t n = gnd_size(r->x->local) > 0 ? row_of(r) : 0;
    if (r->number == 0)
        s = (sums){gnd_full(shape, -INFINITY, real_of(r)), gnd_full(shape, less_one(r) ? -1 : 0, real_of(r))};
    else if (n > SEGMENT)
        s = sums_of_rows(r, r->x->local, n);
    else
        s = sums_of(r, r->x->local, axes);
    part[0] = packed(r, s);
    return part[0] != NULL;
}

/* ---- of several blocks, and the result ------------------------------------------------------------------------ */

bool gndi_logsum_combine(const gndi_reducing *r, gnd_array **part) {
    const gnd_array *z = part[0];
    gnd_array *one = packed(r, sums_of_sums(r, (sums){gnd_real(z), gnd_imag(z)}, 0));
    part[0] = one ? gnd_reshape(one, GND_SHAPE(gnd_size(one))) : NULL;
    return part[0] != NULL;
}

/* logsumexp's result. softmax and log_softmax: what is taken from each element, and the divisor of its power, or what
   is taken then. */
gnd_array *gndi_logsum_finish(const gndi_reducing *r, gnd_array *part) {
    const sums s = {gnd_real(part), gnd_imag(part)};
    if (!less_one(r)) return part; /* NaN where the largest is infinite */
    gnd_array *base = gnd_where(gnd_isfinite(s.largest), s.largest, 0), *more = gnd_log1p(mended(r, s));
    return is_named(r, "logsumexp") ? gnd_add(base, more) : packed(r, (sums){base, more});
}
