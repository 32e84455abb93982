/*
 * range.c: arange, linspace, logspace and geomspace. Ranges of numbers are one launch of the
 * backend's `sequence`; ranges between arrays are composed of elementwise operators.
 *
 * The arithmetic is NumPy's, step by step, so that values agree to the last bit: arange forms its
 * first two elements in the result's dtype and multiplies their difference, linspace multiplies
 * (stop - start) / intervals in float64.
 */
#include "elementwise/sequence_plan.h"
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "elementwise/record.h"
#include <math.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_arange
#undef gnd_linspace
#undef gnd_logspace
#undef gnd_geomspace

/* ---- numbers -------------------------------------------------------------------------------- */

typedef gndi_parts parts;

static bool is_whole(gnd_arg a) {
    return a.kind == GND_ARG_BOOL || a.kind == GND_ARG_INT || a.kind == GND_ARG_UINT;
}
static __int128 whole_of(gnd_arg a) {
    return a.kind == GND_ARG_UINT ? (__int128)a.u : (__int128)a.i;
}

static gnd_arg number_of(parts p, bool is_complex) {
    return is_complex ? gnd_arg_parts(p.re, p.im) : gnd_arg_real(p.re);
}

/* The quotient of complex numbers by Smith's method, which does not overflow on the way. */
static parts divide(parts a, parts b) {
    if (b.im == 0) return (parts){a.re / b.re, a.im / b.re};
    if (fabs(b.re) >= fabs(b.im)) {
        double ratio = b.im / b.re, scale = b.re + b.im * ratio;
        return (parts){(a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale};
    }
    double ratio = b.re / b.im, scale = b.im + b.re * ratio;
    return (parts){(a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale};
}

/* ---- the sequence itself -------------------------------------------------------------------- */

/* What the backend is asked for: first + i * step for i < n; `last`, if it is given, ends it. */
typedef struct sequence {
    int64_t n;
    gnd_arg first, step, last;
} sequence;

gnd_status gndi_sequence(const char *fn, const gnd_array *a, const gndi_sequence_plan *plan) {
    if (plan->n == 0) return GND_OK;
    gnd_stream *s = gndi_work_begin(fn, 0, NULL, 1, &a);
    return s ? gndi_work_end(s, s->device->backend->sequence(s, plan, fn), fn) : gndi_ew_pending();
}

static gnd_array *new_sequence(const char *fn, const sequence *q, gnd_dtype dtype) {
    gnd_stream *s = gndi_stream_current(fn);
    bool has_last = q->last.kind != GND_ARG_NONE;
    if (gndi_recorder_now() && s && q->n > 0 && !has_last) {
        const gndi_record_source source = {.kind = GNDI_SOURCE_RANGE,
                                           .fn = fn,
                                           .dtype = dtype,
                                           .device = s->device,
                                           .ndim = 1,
                                           .shape = &q->n,
                                           .first = q->first,
                                           .step = q->step};
        gnd_array *result = NULL;
        if (gndi_tls.recorder->source(gndi_tls.recorder, &source, &result) != GNDI_RUN_IT) return result;
    }
    gnd_array *a = gndi_array_new(fn, 1, &q->n, dtype, GNDI_ORDER_C);
    if (!a) return NULL;
    const gndi_sequence_plan plan = {
        .out = gndi_data(a), .dtype = dtype, .n = q->n, .first = q->first, .step = q->step, .last = q->last};
    if (!gndi_sequence(fn, a, &plan)) return a;
    gnd_release(a);
    return NULL;
}

/* ---- arange --------------------------------------------------------------------------------- */

/* ceil(length) as a size; false and an error if it is none. */
static bool to_length(const char *fn, double length, int64_t *n) {
    length = ceil(length);
    if (isnan(length))
        return gndi_raise(GND_ERROR_VALUE, fn, "(stop - start) / step is not a number: no length follows"), false;
    if (length >= 0x1p63)
        return gndi_raise(GND_ERROR_VALUE, fn, "the range would have %g elements, more than any memory", length), false;
    *n = length > 0 ? (int64_t)length : 0;
    return true;
}

/* How many values there are from start to before stop. */
static bool range_length(const char *fn, gnd_arg start, gnd_arg stop, gnd_arg step, int64_t *n) {
    parts by = gndi_arg_parts(step), from = gndi_arg_parts(start), to = gndi_arg_parts(stop);
    if (by.re == 0 && by.im == 0) return gndi_raise(GND_ERROR_VALUE, fn, "step is 0: the range would never end"), false;
    if (is_whole(start) && is_whole(stop) && is_whole(step)) {
        __int128 span = whole_of(stop) - whole_of(start), stride = whole_of(step);
        if (stride < 0) span = -span, stride = -stride;
        __int128 length = span > 0 ? (span - 1) / stride + 1 : 0;
        if (length > INT64_MAX) return to_length(fn, (double)length, n);
        *n = (int64_t)length;
        return true;
    }
    parts span = {to.re - from.re, to.im - from.im};
    if (is_whole(start) && is_whole(stop)) span.re = (double)(whole_of(stop) - whole_of(start));
    parts length = divide(span, by);
    if (start.kind == GND_ARG_COMPLEX || stop.kind == GND_ARG_COMPLEX || step.kind == GND_ARG_COMPLEX) {
        int64_t other = 0;
        if (!to_length(fn, length.re, n) || !to_length(fn, length.im, &other)) return false;
        if (other < *n) *n = other;
        return true;
    }
    if (length.re == 0 && span.re != 0) { /* the quotient underflowed: the step is beyond stop */
        *n = signbit(length.re) ? 0 : 1;
        return true;
    }
    return to_length(fn, length.re, n);
}

/* start + step, exact between integers. False where the sum fits no C integer. */
static bool second_value(gnd_arg start, gnd_arg step, gnd_arg *second) {
    if (is_whole(start) && is_whole(step)) {
        __int128 sum = whole_of(start) + whole_of(step);
        if (sum > (__int128)UINT64_MAX || sum < INT64_MIN) return false;
        *second = sum > INT64_MAX ? gnd_arg_uint((uint64_t)sum) : gnd_arg_int((int64_t)sum);
        return true;
    }
    parts a = gndi_arg_parts(start), b = gndi_arg_parts(step);
    *second =
        number_of((parts){a.re + b.re, a.im + b.im}, start.kind == GND_ARG_COMPLEX || step.kind == GND_ARG_COMPLEX);
    return true;
}

/* A bound as the first element, or the second: in an integer dtype a real number is cut off to a
   whole one, and refused like one if it does not fit. */
static bool bound_element(const char *fn, gnd_arg bound, gnd_dtype dtype, gndi_scalar *out) {
    if (bound.kind == GND_ARG_REAL && gndi_dtype_is_int((int)dtype)) {
        double whole = trunc(bound.re);
        if (!(whole >= -0x1p63 && whole < 0x1p64)) {
            gndi_raise(GND_ERROR_VALUE, fn, "%g is out of bounds for %s", bound.re, gnd_dtype_name(dtype));
            return false;
        }
        bound = whole < 0x1p63 ? gnd_arg_int((int64_t)whole) : gnd_arg_uint((uint64_t)whole);
    }
    return gndi_scalar_from_arg(fn, bound, dtype, out);
}

/* An element as a number again, exactly. */
static gnd_arg number_from(const gndi_scalar *v, gnd_dtype dtype) {
    switch (dtype) {
    case GND_INT8: return gnd_arg_int(v->i8);
    case GND_UINT8: return gnd_arg_int(v->u8);
    case GND_INT16: return gnd_arg_int(v->i16);
    case GND_UINT16: return gnd_arg_int(v->u16);
    case GND_INT32: return gnd_arg_int(v->i32);
    case GND_UINT32: return gnd_arg_int(v->u32);
    case GND_INT64: return gnd_arg_int(v->i64);
    case GND_UINT64: return gnd_arg_uint(v->u64);
    case GND_FLOAT16: return gnd_arg_real(gnd_float16_to_float(v->u16));
    case GND_BFLOAT16: return gnd_arg_real(gnd_bfloat16_to_float(v->u16));
    case GND_FLOAT32: return gnd_arg_real(v->f32);
    case GND_FLOAT64: return gnd_arg_real(v->f64);
    case GND_COMPLEX64: return gnd_arg_parts(v->c64[0], v->c64[1]);
    case GND_COMPLEX128: return gnd_arg_parts(v->c128[0], v->c128[1]);
    default: return gnd_arg_bool(v->b);
    }
}

/* second - first, in the arithmetic of the dtype: integers wrap, floats round to float32 or 64. */
static gnd_arg difference(gnd_arg second, gnd_arg first, gnd_dtype dtype) {
    if (is_whole(first)) {
        uint64_t wrapped = (second.kind == GND_ARG_UINT ? second.u : (uint64_t)second.i) -
                           (first.kind == GND_ARG_UINT ? first.u : (uint64_t)first.i);
        return gnd_arg_int((int64_t)wrapped);
    }
    parts a = gndi_arg_parts(second), b = gndi_arg_parts(first), d = {a.re - b.re, a.im - b.im};
    if (dtype != GND_FLOAT64 && dtype != GND_COMPLEX128) d = (parts){(float)d.re, (float)d.im};
    return number_of(d, gndi_dtype_is_complex((int)dtype));
}

/* A range of bools has at most the two elements start and start + step. */
static gnd_array *bool_range(const char *fn, int64_t n, const gndi_scalar *first, const gndi_scalar *second) {
    if (n > 2) return gndi_fail(GND_ERROR_DTYPE, fn, "a range of bool has at most 2 elements, not %lld", (long long)n);
    gnd_shape shape = {.ndim = 1, .dim = {n}};
    bool values[2] = {first->b, second->b};
    return gnd_from_host(values, shape, GND_BOOL);
}

/* The range's dtype: given, or what the numbers promote to (a range of bools counts in int64). */
static bool range_dtype(const char *fn, const gnd_arg *bounds, gnd_dtype *dtype) {
    bool given = *dtype != GND_DTYPE_NONE, is_complex = false;
    for (int k = 0; k < 3; k++) {
        if (bounds[k].kind <= GND_ARG_ARRAY || bounds[k].kind > GND_ARG_COMPLEX)
            return gndi_raise(GND_ERROR_INVALID, fn, "%s must be a number, not %s",
                              k == 0   ? "start"
                              : k == 1 ? "stop"
                                       : "step",
                              bounds[k].kind == GND_ARG_ARRAY ? "an array (gnd_item_double gives its value)"
                                                              : "left out"),
                   false;
        is_complex |= bounds[k].kind == GND_ARG_COMPLEX;
    }
    if (!given) *dtype = gnd_result_type_n(3, bounds);
    if (!given && *dtype == GND_BOOL) *dtype = GND_INT64;
    if (given && is_complex && gndi_dtype_valid((int)*dtype) && !gndi_dtype_is_complex((int)*dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "a range of complex numbers cannot have dtype %s",
                          gnd_dtype_name(*dtype)),
               false;
    return true;
}

/* Writes one element of a new range; releases the range and returns NULL if that fails. */
static gnd_array *put_element(const char *fn, gnd_array *range, int64_t i, parts value) {
    if (!range) return NULL;
    gnd_dtype dtype = (gnd_dtype)range->dtype;
    gnd_array *element = gndi_array_view(fn, range, 0, NULL, NULL, gndi_data(range) + i * gndi_itemsize(range), dtype);
    element = gndi_filled(fn, element, number_of(value, gndi_dtype_is_complex((int)dtype)));
    if (!element) {
        gnd_release(range);
        return NULL;
    }
    gnd_release(element);
    return range;
}

static bool same_double(double a, double b) {
    return a == b && signbit(a) == signbit(b);
}

/* NumPy stores the first two values as they are. first + 0 * step would turn -0.0 into 0.0, and
   first + step may round to another number than the second. */
static gnd_array *put_first_two(const char *fn, gnd_array *range, const sequence *q, gnd_arg second) {
    parts first = gndi_arg_parts(q->first), step = gndi_arg_parts(q->step), next = gndi_arg_parts(second);
    if (!range || gndi_dtype_is_int(range->dtype)) return range;
    parts at0 = {first.re + 0 * step.re, first.im + 0 * step.im};
    parts at1 = {first.re + step.re, first.im + step.im};
    if (range->dtype != GND_FLOAT64 && range->dtype != GND_COMPLEX128) at1 = (parts){(float)at1.re, (float)at1.im};
    if (!same_double(at0.re, first.re) || !same_double(at0.im, first.im)) range = put_element(fn, range, 0, first);
    if (q->n > 1 && (!same_double(at1.re, next.re) || !same_double(at1.im, next.im)))
        range = put_element(fn, range, 1, next);
    return range;
}

/* Whether first + i * step, in float64 and rounded once, could differ from NumPy's, which for
   dtypes up to float32 rounds the product and the sum to float32. Not if all numbers on the way are
   whole and small, nor if there is nothing to add. */
static bool rounds_in_float32(const sequence *q, gnd_dtype dtype) {
    if (gndi_dtype_is_int((int)dtype) || dtype == GND_FLOAT64 || dtype == GND_COMPLEX128) return false;
    parts first = gndi_arg_parts(q->first), step = gndi_arg_parts(q->step);
    double n = (double)q->n, reach = fmax(fabs(first.re) + n * fabs(step.re), fabs(first.im) + n * fabs(step.im));
    bool whole = trunc(first.re) == first.re && trunc(first.im) == first.im && trunc(step.re) == step.re &&
                 trunc(step.im) == step.im;
    bool only_product = first.re == 0 && first.im == 0 && n <= 0x1p24;
    return !only_product && !(whole && reach <= 0x1p24);
}

static gnd_array *float32_range(const char *fn, const sequence *q, gnd_dtype dtype) {
    gnd_array *result = NULL;
    GND_SCOPE {
        sequence index = {q->n, gnd_arg_int(0), gnd_arg_int(1), GND_NONE};
        gnd_dtype wide = gndi_dtype_is_complex((int)dtype) ? GND_COMPLEX64 : GND_FLOAT32;
        gnd_array *y = gnd_add(gnd_multiply(new_sequence(fn, &index, wide), q->step), q->first);
        if (dtype != wide) y = gnd_astype(y, dtype);
        result = gnd_keep(y);
    }
    return result;
}

gnd_array *gnd_arange(gnd_arg start, gnd_arg stop, gnd_arg step, gnd_dtype dtype) {
    static const char fn[] = "gnd_arange";
    GNDI_PARTS_OF(fn);
    if (start.kind == GND_ARG_NONE) start = gnd_arg_int(0);
    if (step.kind == GND_ARG_NONE) step = gnd_arg_int(1);
    gnd_arg bounds[3] = {start, stop, step}, second;
    gndi_scalar first_value, next_value;
    sequence q = {.last = GND_NONE};
    if (!range_dtype(fn, bounds, &dtype) || !range_length(fn, start, stop, step, &q.n)) return NULL;
    if (q.n == 0) return gndi_array_new(fn, 1, &q.n, dtype, GNDI_ORDER_C);
    if (!bound_element(fn, start, dtype, &first_value)) return NULL;
    next_value = first_value;
    if (q.n > 1) {
        if (!second_value(start, step, &second))
            return gndi_fail(GND_ERROR_VALUE, fn, "start + step does not fit 64 bits");
        if (!bound_element(fn, second, dtype, &next_value)) return NULL;
    }
    if (dtype == GND_BOOL) return bool_range(fn, q.n, &first_value, &next_value);
    q.first = number_from(&first_value, dtype);
    second = number_from(&next_value, dtype);
    q.step = difference(second, q.first, dtype);
    bool rounds = rounds_in_float32(&q, dtype);
    return put_first_two(fn, rounds ? float32_range(fn, &q, dtype) : new_sequence(fn, &q, dtype), &q, second);
}

/* ---- linspace ------------------------------------------------------------------------------- */

/* The result's shape must be one: start, stop and base broadcast, with `num` in front. */
static bool check_space_shape(const char *fn, int count, const gnd_arg ends[], int64_t num) {
    int ndim = 0;
    int64_t shape[GND_MAX_DIMS + 1], size;
    for (int k = 0; k < count; k++) {
        const gnd_array *a = ends[k].kind == GND_ARG_ARRAY ? ends[k].array : NULL;
        if (a && !gndi_broadcast(&ndim, shape, a->ndim, a->shape))
            return gndi_raise(GND_ERROR_SHAPE, fn, "shapes %s and %s do not broadcast together",
                              gndi_text_shape(ndim, shape), gndi_text_shape(a->ndim, a->shape)),
                   false;
    }
    if (ndim == GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, fn, "the result would have %d dimensions; an array has at most %d", ndim + 1,
                          GND_MAX_DIMS),
               false;
    shape[ndim] = num;
    if (!gndi_shape_size(ndim + 1, shape, &size) || size > INT64_MAX / 16)
        return gndi_raise(GND_ERROR_MEMORY, fn, "%lld values are more than any memory holds", (long long)num), false;
    return true;
}

/* Checks what the three spaces have in common: `ends` are start and stop, and for logspace the
   base. False and an error if something is wrong. */
static bool check_space(const char *fn, int count, const gnd_arg ends[], int64_t num, gnd_dtype dtype) {
    static const char *const names[] = {"start", "stop", "base"};
    for (int k = 0; k < count; k++) {
        if (ends[k].kind <= GND_ARG_NONE || ends[k].kind > GND_ARG_COMPLEX)
            return gndi_raise(GND_ERROR_INVALID, fn, "%s is left out; give a number or an array", names[k]), false;
        if (ends[k].kind == GND_ARG_ARRAY && gndi_missing(ends[k].array)) return gndi_raise_null(fn, names[k]), false;
    }
    if (num < 0)
        return gndi_raise(GND_ERROR_VALUE, fn, "the number of values is %lld; it cannot be negative", (long long)num),
               false;
    if (dtype != GND_DTYPE_NONE && !gndi_dtype_valid((int)dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "%d is no dtype", (int)dtype), false;
    return check_space_shape(fn, count, ends, num);
}

/* The dtype values are computed in: what start and stop promote to with a float. A number counts as
   a float64 beside numbers, and is weak beside arrays. */
static gnd_dtype space_dtype(gnd_arg start, gnd_arg stop) {
    gnd_arg all[3] = {start, stop, gnd_arg_real(1)};
    return gnd_result_type_n(3, all);
}

static bool refuse_complex_to_real(const char *fn, gnd_dtype computed, gnd_dtype dtype) {
    if (!gndi_dtype_is_complex((int)computed) || dtype == GND_DTYPE_NONE || gndi_dtype_is_complex((int)dtype))
        return false;
    gndi_raise(GND_ERROR_DTYPE, fn, "complex values do not go into dtype %s", gnd_dtype_name(dtype));
    return true;
}

static gnd_array *linspace_numbers(const char *fn, gnd_arg start, gnd_arg stop, int64_t num, bool endpoint,
                                   gnd_dtype computed, gnd_dtype dtype) {
    bool is_complex = gndi_dtype_is_complex((int)computed);
    parts from = gndi_arg_parts(start), to = gndi_arg_parts(stop), delta = {to.re - from.re, to.im - from.im};
    double intervals = (double)(endpoint ? num - 1 : num);
    parts step = delta;
    if (intervals > 0 && !is_complex) step.re = delta.re / intervals;
    if (intervals > 0 && is_complex) { /* complex division takes the reciprocal first */
        double scale = 1 / intervals;
        step = (parts){delta.re * scale, delta.im * scale};
    }
    sequence q = {num, number_of(from, is_complex), number_of(step, is_complex), GND_NONE};
    if (endpoint && num > 1) q.last = number_of(to, is_complex);
    bool rounds_down = gndi_dtype_is_int((int)dtype), is_direct = !rounds_down && dtype != GND_BOOL;
    bool underflows = step.re == 0 && step.im == 0 && (delta.re != 0 || delta.im != 0);
    if (is_direct && !underflows) return new_sequence(fn, &q, dtype);
    gnd_array *result = NULL;
    GND_SCOPE {
        gnd_array *y;
        if (underflows) { /* the difference is subnormal: divide later, as NumPy does */
            q.first = gnd_arg_int(0), q.step = gnd_arg_int(1), q.last = GND_NONE;
            y = gnd_divide(new_sequence(fn, &q, computed), intervals);
            y = gnd_add(gnd_multiply(y, number_of(delta, is_complex)), number_of(from, is_complex));
            if (endpoint && num > 1) gnd_fill(gnd_slice(y, "-1"), number_of(to, is_complex));
        } else {
            y = new_sequence(fn, &q, computed);
        }
        if (rounds_down && !gndi_dtype_is_complex((int)computed)) y = gnd_floor(y);
        result = gnd_keep(gnd_astype(y, dtype));
    }
    return result;
}

/* A number or array as an array of a dtype, so that nothing promotes any more. */
static gnd_array *array_of(gnd_arg value, gnd_dtype dtype) {
    if (value.kind == GND_ARG_ARRAY) return gnd_astype(value.array, dtype);
    return gnd_full(GND_SCALAR, value, dtype);
}

/* start + i * step along a new first axis, in the dtype of the arrays; inside a scope. */
static gnd_array *linspace_arrays(const gnd_array *start, const gnd_array *stop, int64_t num, bool endpoint) {
    double intervals = (double)(endpoint ? num - 1 : num);
    gnd_array *delta = gnd_subtract(stop, start);
    gnd_array *step = intervals > 0 ? gnd_divide(delta, intervals) : delta;
    if (!step) return NULL;
    gnd_shape column = {.ndim = 1 + step->ndim, .dim = {num}};
    for (int k = 1; k < column.ndim; k++) column.dim[k] = 1;
    gnd_array *index = gnd_arange(gnd_arg_int(0), gnd_arg_int(num), gnd_arg_int(1), (gnd_dtype)step->dtype);
    index = gnd_reshape(index, column);
    gnd_array *y = gnd_add(gnd_multiply(index, step), start);
    if (y && endpoint && num > 1 && gnd_copyto(gnd_slice(y, "-1"), stop) != GND_OK) return NULL;
    return y;
}

gnd_array *gnd_linspace(gnd_arg start, gnd_arg stop, int64_t num, bool endpoint, gnd_dtype dtype) {
    static const char fn[] = "gnd_linspace";
    GNDI_PARTS_OF(fn);
    if (!check_space(fn, 2, (const gnd_arg[]){start, stop}, num, dtype)) return NULL;
    gnd_dtype computed = space_dtype(start, stop);
    if (computed == GND_DTYPE_NONE || refuse_complex_to_real(fn, computed, dtype)) return NULL;
    if (start.kind != GND_ARG_ARRAY && stop.kind != GND_ARG_ARRAY)
        return linspace_numbers(fn, start, stop, num, endpoint, computed, dtype ? dtype : computed);
    gnd_array *result = NULL;
    GND_SCOPE {
        gnd_array *y = linspace_arrays(array_of(start, computed), array_of(stop, computed), num, endpoint);
        if (gndi_dtype_is_int((int)dtype)) y = gnd_floor(y);
        if (y && dtype != GND_DTYPE_NONE && dtype != (gnd_dtype)y->dtype) y = gnd_astype(y, dtype);
        result = gnd_keep(y);
    }
    return result;
}

/* ---- logspace and geomspace ----------------------------------------------------------------- */

/* `value` with leading axes of size 1, up to `ndim` axes; numbers stay as they are. */
static gnd_arg with_ndim(gnd_arg value, int ndim) {
    if (value.kind != GND_ARG_ARRAY || value.array->ndim >= ndim) return value;
    gnd_axes front = {.count = ndim - value.array->ndim};
    for (int k = 0; k < front.count; k++) front.axis[k] = k;
    return gnd_arg_array(gnd_expand_dims(value.array, front));
}

gnd_array *gnd_logspace(gnd_arg start, gnd_arg stop, int64_t num, bool endpoint, gnd_arg base, gnd_dtype dtype) {
    static const char fn[] = "gnd_logspace";
    GNDI_PARTS_OF(fn);
    if (!check_space(fn, 3, (const gnd_arg[]){start, stop, base}, num, dtype)) return NULL;
    gnd_array *result = NULL;
    GND_SCOPE {
        if (base.kind == GND_ARG_ARRAY && base.array->ndim > 0) {
            /* All three broadcast together, behind the new first axis. A number becomes an array so
               that the result gets its axes even where only the base has any. */
            int ndim = base.array->ndim;
            if (start.kind == GND_ARG_ARRAY && start.array->ndim > ndim) ndim = start.array->ndim;
            if (stop.kind == GND_ARG_ARRAY && stop.array->ndim > ndim) ndim = stop.array->ndim;
            if (start.kind != GND_ARG_ARRAY) start = gnd_arg_array(array_of(start, GND_DTYPE_NONE));
            if (start.array) start = with_ndim(start, ndim);
            stop = with_ndim(stop, ndim), base = with_ndim(base, ndim);
            base = gnd_arg_array(gnd_expand_dims(base.array, GND_AXES(0)));
        }
        gnd_array *y = gnd_power(base, (gnd_linspace)(start, stop, num, endpoint, GND_DTYPE_NONE));
        if (y && dtype != GND_DTYPE_NONE && dtype != (gnd_dtype)y->dtype)
            y = refuse_complex_to_real(fn, (gnd_dtype)y->dtype, dtype) ? NULL : gnd_astype(y, dtype);
        result = gnd_keep(y);
    }
    return result;
}

/* The values between `start` and `stop`, arrays of one inexact dtype; inside a scope. */
static gnd_array *geomspace_arrays(const gnd_array *start, const gnd_array *stop, int64_t num, bool endpoint) {
    /* Turned so that start is real and positive: negative and complex ranges need no branch cut,
       and keep parts that should be 0 at 0. */
    gnd_array *sign = gnd_sign(start);
    gnd_array *from = gnd_divide(start, sign), *to = gnd_divide(stop, sign);
    gnd_array *y = gnd_power(10.0, linspace_arrays(gnd_log10(from), gnd_log10(to), num, endpoint));
    if (!y) return NULL;
    /* 10 to the power of a logarithm need not be the number again: the ends are put in place. */
    if (num > 0 && gnd_copyto(gnd_slice(y, "0"), from) != GND_OK) return NULL;
    if (num > 1 && endpoint && gnd_copyto(gnd_slice(y, "-1"), to) != GND_OK) return NULL;
    return gnd_multiply(y, sign);
}

gnd_array *gnd_geomspace(gnd_arg start, gnd_arg stop, int64_t num, bool endpoint, gnd_dtype dtype) {
    static const char fn[] = "gnd_geomspace";
    GNDI_PARTS_OF(fn);
    const gnd_arg ends[2] = {start, stop};
    if (!check_space(fn, 2, ends, num, dtype)) return NULL;
    for (int k = 0; k < 2; k++) {
        parts value = gndi_arg_parts(ends[k]);
        if (ends[k].kind != GND_ARG_ARRAY && value.re == 0 && value.im == 0)
            return gndi_fail(GND_ERROR_VALUE, fn, "%s is 0, which no factor reaches", k == 0 ? "start" : "stop");
    }
    gnd_dtype computed = space_dtype(start, stop);
    if (computed == GND_DTYPE_NONE || refuse_complex_to_real(fn, computed, dtype)) return NULL;
    gnd_dtype wanted = dtype == GND_DTYPE_NONE ? computed : dtype;
    computed = gnd_promote_types(computed, wanted);
    gnd_array *result = NULL;
    GND_SCOPE {
        gnd_array *y = geomspace_arrays(array_of(start, computed), array_of(stop, computed), num, endpoint);
        if (y && wanted != computed) y = gnd_astype(y, wanted);
        result = gnd_keep(y);
    }
    return result;
}
