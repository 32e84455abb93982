/*
 * transform.c: runs a transform. The input is read in place, or copied once: to cast it, to pad it with zeros, or
 * because it overlaps the output. The result is written to the output, or to a new array and then cast.
 */
#include "fft/fft.h"
#include "runtime/runtime.h"
#include <math.h>

enum { MOST_MIRRORED = 4 }; /* completed axes; of more, only the last is completed, and the others are transformed */

/* ---- factors ---------------------------------------------------------------------------------- */

static double factor_of(const gndi_fft_request *r) {
    const bool inverse = r->kind == GNDI_IFFT || r->kind == GNDI_IRFFT || r->kind == GNDI_IHFFT;
    double n = 1, factor = 1;
    for (int i = 0; i < r->axes.count; i++) n *= (double)r->axes.n[i];
    if (r->norm == GND_FFT_ORTHO) factor = 1 / sqrt(n);
    if (r->norm == (inverse ? GND_FFT_BACKWARD : GND_FFT_FORWARD)) factor = 1 / n;
    return r->factor != 0 ? factor * r->factor : factor;
}

/* ---- arrays ----------------------------------------------------------------------------------- */

/* The strides of a dense array with the memory order of `like`; the axes in `last` are behind the others. */
static void dense_strides(const gnd_array *like, const int64_t *shape, gnd_dtype dtype, const gndi_fft_axes *last,
                          int64_t *strides) {
    int order[GND_MAX_DIMS], sorted[GND_MAX_DIMS], count = 0;
    uint64_t behind = 0;
    gndi_memory_order(like, true, order);
    for (int i = 0; last && i < last->count; i++) behind |= UINT64_C(1) << last->axis[i];
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < like->ndim; k++)
            if ((int)(behind >> order[k] & 1) == pass) sorted[count++] = order[k];
    gndi_dense_strides(like->ndim, shape, dtype, sorted, strides);
}

gnd_array *gndi_fft_new(gndi_temporaries *s, const gnd_array *like, const int64_t *shape, gnd_dtype dtype,
                        const gndi_fft_axes *last) {
    int64_t strides[GND_MAX_DIMS];
    gnd_stream *stream = s->failed ? NULL : gndi_stream_on(like->buffer->device, s->fn);
    if (!stream) return s->failed = true, NULL;
    if (gndi_is_c_contiguous(like) && !last)
        return gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, like->ndim, shape, dtype, GNDI_ORDER_C));
    dense_strides(like, shape, dtype, last, strides);
    return gndi_temporaries_keep(s, gndi_new_strided_on(s->fn, stream, like->ndim, shape, strides, dtype));
}

bool gndi_fft_fits(const gnd_array *out, gnd_dtype dtype) {
    const int64_t size = gndi_dtype_sizes[dtype];
    if ((gnd_dtype)out->dtype != dtype || (uintptr_t)gndi_data(out) % (uintptr_t)size) return false;
    for (int i = 0; i < out->ndim; i++)
        if (out->shape[i] > 1 && (out->strides[i] % size || out->strides[i] == 0)) return false;
    return true;
}

/* Whether elements are at multiples of their size. */
static bool is_aligned(const gnd_array *a) {
    const int64_t size = gndi_itemsize(a);
    bool aligned = (uintptr_t)gndi_data(a) % (uintptr_t)size == 0;
    for (int i = 0; i < a->ndim; i++) aligned = aligned && (a->shape[i] <= 1 || a->strides[i] % size == 0);
    return aligned;
}

static bool same_data(const gnd_array *a, const gnd_array *b) {
    if (gndi_data(a) != gndi_data(b) || a->dtype != b->dtype || !gndi_same_shape(a, b)) return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] > 1 && a->strides[i] != b->strides[i]) return false;
    return true;
}

/* part = a * factor, in part's dtype; a is real unless the factor is 1. Real numbers are multiplied before they become
   complex: infinity times a complex factor would have an imaginary part. */
static void write_part(gndi_temporaries *s, gnd_array *part, const gnd_array *a, double factor) {
    const gnd_dtype own = (gnd_dtype)part->dtype;
    const gndi_ew_request request = {.op = factor == 1 ? GNDI_OP_copy : GNDI_OP_multiply,
                                     .fn = s->fn,
                                     .args = {gnd_arg_array(a), gnd_arg_real(factor)},
                                     .out = {part},
                                     .dtype = factor == 1 ? own : gndi_fft_real_of(own),
                                     .casting = GND_UNSAFE};
    if (!s->failed && gndi_elementwise(&request, NULL)) s->failed = true;
}

/* Writes zeros behind the first `shape` elements of each axis, one slab for each axis. Returns a view of the part
   before them. */
static gnd_array *clear_rest(gndi_temporaries *s, gnd_array *whole, const int64_t *shape) {
    gnd_array *part = whole;
    for (int i = 0; i < whole->ndim && !s->failed; i++) {
        if (shape[i] == whole->shape[i]) continue;
        gnd_array *slab = gndi_step_part(s, part, i, shape[i], whole->shape[i] - shape[i], 1);
        gndi_step_into(s, GNDI_OP_copy, slab, gnd_arg_bool(false), gnd_arg_none(), NULL);
        if (!s->failed) part = gndi_step_part(s, part, i, 0, shape[i], 1);
    }
    return part;
}

gnd_array *gndi_fft_source(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, const gndi_fft_axes *lengths,
                           const gndi_fft_axes *last, const gnd_array *avoid, double *factor, bool *spare) {
    int64_t cut[GND_MAX_DIMS], shape[GND_MAX_DIMS];
    bool longer = false;
    if (s->failed) return NULL;
    memcpy(cut, a->shape, (size_t)a->ndim * sizeof *cut);
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    for (int i = 0; i < lengths->count; i++) {
        const int axis = lengths->axis[i];
        const int64_t n = lengths->n[i];
        longer = longer || n > a->shape[axis];
        cut[axis] = n < a->shape[axis] ? n : a->shape[axis];
        shape[axis] = n;
    }
    gnd_array *view = gndi_temporaries_keep(
        s, gndi_array_view(s->fn, a, a->ndim, cut, a->strides, gndi_data(a), (gnd_dtype)a->dtype));
    if (!view) return NULL;
    const bool in_the_way =
        avoid && gndi_may_overlap(view, avoid) && !same_data(view, avoid) && gndi_overlaps(view, avoid);
    *spare = longer || in_the_way || (gnd_dtype)a->dtype != dtype || !is_aligned(view);
    if (!*spare) return view;
    const bool takes_factor = !gndi_dtype_is_complex(a->dtype);
    gnd_array *copy = gndi_fft_new(s, a, shape, dtype, last);
    gnd_array *part = copy ? clear_rest(s, copy, cut) : NULL;
    if (part) write_part(s, part, view, takes_factor ? *factor : 1);
    if (takes_factor) *factor = 1;
    return s->failed ? NULL : copy;
}

/* ---- plans ------------------------------------------------------------------------------------ */

/* The axes and batch of a plan, from the input's shape and both sides' strides. */
static void describe_axes(gndi_fft_plan *plan, int ndim, const int64_t *shape, const int64_t *in, const int64_t *out,
                          const gndi_fft_axes *axes) {
    uint64_t transformed = 0;
    plan->axes = axes->count, plan->batches = 0;
    for (int i = 0; i < axes->count; i++) {
        const int axis = axes->axis[i];
        plan->axis[i] = (gndi_fft_axis){axes->n[i], in[axis], out[axis]};
        transformed |= UINT64_C(1) << axis;
    }
    for (int i = 0; i < ndim; i++)
        if (!(transformed >> i & 1) && shape[i] != 1)
            plan->batch[plan->batches++] = (gndi_fft_axis){shape[i], in[i], out[i]};
}

void gndi_fft_describe(gndi_fft_plan *plan, const gnd_array *in, const gnd_array *out, const gndi_fft_axes *axes) {
    plan->in = gndi_data(in), plan->out = gndi_data(out);
    describe_axes(plan, in->ndim, in->shape, in->strides, out->strides, axes);
}

/* The axes, if new arrays should have them behind the others because the library would otherwise work on copies of both
   operands. Else NULL. */
static const gndi_fft_axes *gathered(const gndi_fft_request *r, gndi_fft_type type, const gndi_fft_axes *axes,
                                     const int64_t *shape) {
    const gndi_backend *backend = r->a->buffer->device->backend;
    int64_t in_shape[GND_MAX_DIMS], in[GND_MAX_DIMS], out[GND_MAX_DIMS];
    if (!backend->fft_gathers) return NULL;
    memcpy(in_shape, r->a->shape, (size_t)r->a->ndim * sizeof *in_shape);
    for (int i = 0; i < axes->count; i++) in_shape[axes->axis[i]] = axes->n[i];
    const int halved = axes->axis[axes->count - 1];
    if (type == GNDI_FFT_C2R) in_shape[halved] = axes->n[axes->count - 1] / 2 + 1;
    const gnd_dtype whole = gndi_fft_complex_of(r->a->dtype), part = gndi_fft_real_of(r->a->dtype);
    dense_strides(r->a, in_shape, type == GNDI_FFT_R2C ? part : whole, NULL, in);
    dense_strides(r->a, shape, type == GNDI_FFT_C2R ? part : whole, NULL, out);
    gndi_fft_plan plan = {.type = (uint8_t)type, .wide = gndi_fft_is_wide(r->a->dtype), .spare = true};
    describe_axes(&plan, r->a->ndim, in_shape, in, out, axes);
    return backend->fft_gathers(&plan) ? axes : NULL;
}

void gndi_fft_submit(gndi_temporaries *s, const gndi_fft_plan *plan, const gnd_array *in, const gnd_array *out) {
    if (s->failed || out->size == 0) return;
    gnd_stream *stream = gndi_ew_stream(out, s->fn);
    bool done = stream != NULL;
    done = done && (plan->spare || !gndi_order_read(stream, in->buffer, s->fn));
    done = done && (!plan->spare || !gndi_order_write(stream, in->buffer, s->fn));
    done = done && !gndi_order_write(stream, out->buffer, s->fn);
    done = done && !stream->device->backend->fft(stream, plan, s->fn);
    if (done) {
        gndi_submitted(stream);
        done = !gndi_finish(stream, s->fn);
    }
    if (!done) s->failed = true;
}

/* One plan from an array to another. */
static void run_plan(gndi_temporaries *s, const gndi_fft_request *r, gndi_fft_type type, bool inverse, bool spare,
                     double factor, const gnd_array *in, const gnd_array *out, const gndi_fft_axes *axes) {
    if (s->failed) return;
    gndi_fft_plan plan = {.type = (uint8_t)type,
                          .wide = gndi_fft_is_wide(in->dtype),
                          .inverse = inverse,
                          .spare = spare,
                          .scale = factor,
                          .pins = r->pins};
    gndi_fft_describe(&plan, in, out, axes);
    gndi_fft_submit(s, &plan, in, out);
}

/* ---- the transforms --------------------------------------------------------------------------- */

/* The array for the result: the output, if a plan can write it, else a new one. */
static gnd_array *target_for(gndi_temporaries *s, const gndi_fft_request *r, const int64_t *shape, gnd_dtype dtype,
                             const gndi_fft_axes *last) {
    if (r->out && gndi_fft_fits(r->out, dtype)) return r->out;
    return gndi_fft_new(s, r->a, shape, dtype, last);
}

static const gnd_array *to_avoid(const gndi_fft_request *r, gnd_dtype dtype) {
    return r->out && gndi_fft_fits(r->out, dtype) ? r->out : NULL;
}

static gnd_array *complex_to_complex(gndi_temporaries *s, const gndi_fft_request *r, const int64_t *shape) {
    const gnd_dtype dtype = gndi_fft_complex_of(r->a->dtype);
    double factor = factor_of(r);
    bool spare;
    const gnd_array *avoid = to_avoid(r, dtype);
    const gndi_fft_axes *last = avoid ? NULL : gathered(r, GNDI_FFT_C2C, &r->axes, shape);
    gnd_array *in = gndi_fft_source(s, r->a, dtype, &r->axes, last, avoid, &factor, &spare);
    if (s->failed) return NULL;
    /* A copy with the result's layout is transformed in place. */
    const bool in_place = spare && !avoid;
    gnd_array *out = in_place ? in : target_for(s, r, shape, dtype, last);
    run_plan(s, r, GNDI_FFT_C2C, r->kind == GNDI_IFFT, spare, factor, in, out, &r->axes);
    return out;
}

/* Real to complex; `whole`: all of the result, not its first half. */
static gnd_array *real_to_complex(gndi_temporaries *s, const gndi_fft_request *r, const int64_t *shape, bool whole) {
    const gnd_dtype real = gndi_fft_real_of(r->a->dtype), dtype = gndi_fft_complex_of(r->a->dtype);
    gndi_fft_axes axes = r->axes, others = {0};
    const int last = axes.count - 1;
    double factor = factor_of(r);
    bool spare;
    const gnd_array *avoid = to_avoid(r, dtype);
    const gndi_fft_axes *behind = avoid ? NULL : gathered(r, GNDI_FFT_R2C, &r->axes, shape);
    gnd_array *in = gndi_fft_source(s, r->a, real, &axes, behind, avoid, &factor, &spare);
    gnd_array *out = s->failed ? NULL : target_for(s, r, shape, dtype, behind);
    if (s->failed) return NULL;
    if (whole && axes.count > MOST_MIRRORED) {
        others = axes, others.count--;
        axes.axis[0] = axes.axis[last], axes.n[0] = axes.n[last], axes.count = 1;
    }
    gnd_array *half = out;
    if (whole) half = gndi_step_part(s, out, axes.axis[axes.count - 1], 0, axes.n[axes.count - 1] / 2 + 1, 1);
    run_plan(s, r, GNDI_FFT_R2C, false, spare, factor, in, half, &axes);
    if (whole) gndi_fft_complete(s, out, &axes, r->kind == GNDI_IFFT);
    if (others.count) run_plan(s, r, GNDI_FFT_C2C, r->kind == GNDI_IFFT, true, 1, out, out, &others);
    if (r->kind == GNDI_IHFFT) gndi_step_into(s, GNDI_OP_conjugate, out, gnd_arg_array(out), gnd_arg_none(), NULL);
    return out;
}

/* A conjugate of what complex_to_real reads. */
static gnd_array *conjugate_of(gndi_temporaries *s, gnd_array *in, const gndi_fft_axes *last, bool *spare) {
    gnd_array *to = *spare ? in : gndi_fft_new(s, in, in->shape, (gnd_dtype)in->dtype, last);
    gndi_step_into(s, GNDI_OP_conjugate, to, gnd_arg_array(in), gnd_arg_none(), NULL);
    *spare = true;
    return to;
}

static gnd_array *complex_to_real(gndi_temporaries *s, const gndi_fft_request *r, const int64_t *shape) {
    const gnd_dtype real = gndi_fft_real_of(r->a->dtype), dtype = gndi_fft_complex_of(r->a->dtype);
    const int last = r->axes.count - 1;
    gndi_fft_axes lengths = r->axes, others = r->axes, one = {.count = 1};
    double factor = factor_of(r);
    bool spare;
    lengths.n[last] = r->axes.n[last] / 2 + 1;
    others.count--;
    one.axis[0] = r->axes.axis[last], one.n[0] = r->axes.n[last];
    const gnd_array *avoid = to_avoid(r, real);
    const gndi_fft_axes *behind = avoid || others.count ? NULL : gathered(r, GNDI_FFT_C2R, &one, shape);
    gnd_array *in = gndi_fft_source(s, r->a, dtype, &lengths, behind, avoid, &factor, &spare);
    if (s->failed) return NULL;
    spare = spare || r->spare;
    if (r->kind == GNDI_HFFT && gndi_dtype_is_complex(r->a->dtype)) in = conjugate_of(s, in, behind, &spare);
    if (others.count && !s->failed) {
        gnd_array *between = spare ? in : gndi_fft_new(s, in, in->shape, dtype, NULL);
        if (between) run_plan(s, r, GNDI_FFT_C2C, true, spare, 1, in, between, &others);
        in = between, spare = true;
    }
    gnd_array *out = s->failed ? NULL : target_for(s, r, shape, real, behind);
    if (s->failed) return NULL;
    run_plan(s, r, GNDI_FFT_C2R, true, spare, factor, in, out, &one);
    return out;
}

/* ---- the request ------------------------------------------------------------------------------ */

static gnd_dtype result_dtype(const gndi_fft_request *r) {
    const gnd_dtype own = (gnd_dtype)r->a->dtype;
    if (!gndi_fft_is_real_result(r->kind)) return gndi_fft_complex_of(own);
    const bool half = own == GND_FLOAT16 || own == GND_BFLOAT16;
    return half && r->axes.count == 1 ? own : gndi_fft_real_of(own);
}

bool gndi_fft_check_out(const char *fn, const gnd_array *a, const gnd_array *out, const int64_t *shape,
                        gnd_dtype dtype) {
    if (!out) return true;
    if (!gndi_check_out(fn, a, out, a->ndim, shape)) return false;
    if (gnd_can_cast(dtype, (gnd_dtype)out->dtype, GND_SAME_KIND)) return true;
    gndi_raise(GND_ERROR_DTYPE, fn, "the result is %s, which cannot be written to %s", gnd_dtype_name(dtype),
               gnd_dtype_name((gnd_dtype)out->dtype));
    return false;
}

static bool check(const gndi_fft_request *r, const int64_t *shape) {
    if (gndi_fft_is_half_result(r->kind) && gndi_dtype_is_complex(r->a->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, r->fn, "the input must be real, not %s; gnd_fft and its kin take complex numbers",
                   gnd_dtype_name((gnd_dtype)r->a->dtype));
        return false;
    }
    return gndi_fft_check_out(r->fn, r->a, r->out, shape, result_dtype(r));
}

static void result_shape(const gndi_fft_request *r, int64_t *shape) {
    memcpy(shape, r->a->shape, (size_t)r->a->ndim * sizeof *shape);
    for (int i = 0; i < r->axes.count; i++) shape[r->axes.axis[i]] = r->axes.n[i];
    if (gndi_fft_is_half_result(r->kind)) {
        const int last = r->axes.count - 1;
        shape[r->axes.axis[last]] = r->axes.n[last] / 2 + 1;
    }
}

/* All axes at once, each named once. */
static gnd_status run_once(const gndi_fft_request *r, gnd_array **result) {
    int64_t shape[GND_MAX_DIMS];
    result_shape(r, shape);
    if (!check(r, shape)) return gndi_ew_pending();
    gndi_temporaries s = {.fn = r->fn};
    const bool real = !gndi_dtype_is_complex(r->a->dtype);
    gnd_array *out;
    if (gndi_fft_is_real_result(r->kind))
        out = complex_to_real(&s, r, shape);
    else if (real)
        out = real_to_complex(&s, r, shape, !gndi_fft_is_half_result(r->kind));
    else
        out = complex_to_complex(&s, r, shape);
    const gnd_dtype dtype = result_dtype(r);
    if (r->out && !s.failed && out != r->out) s.failed = gndi_copy_into(r->fn, r->out, out) != 0;
    if (!r->out && !s.failed && (gnd_dtype)out->dtype != dtype)
        out = gndi_temporaries_keep(&s, gndi_copy_as(r->fn, out, dtype, 'K'));
    if (!r->out) gndi_temporaries_give(&s, out, result);
    return gndi_temporaries_status(&s);
}

/* One axis after the other, in NumPy's order, where one is named several times. */
static gnd_status run_one_by_one(const gndi_fft_request *r, gnd_array **result) {
    const int count = r->axes.count;
    const bool real_result = gndi_fft_is_real_result(r->kind);
    const gnd_array *a = r->a;
    gnd_array *made = NULL;
    gnd_status status = GND_OK;
    for (int k = 0; k < count && !status; k++) {
        const int i = real_result ? k : count - 1 - k;
        const bool whole = i != count - 1; /* the last one named is the halved one */
        gndi_fft_request one = *r;
        gnd_array *next = NULL;
        one.a = a;
        one.kind = !whole ? r->kind : r->kind == GNDI_RFFT ? GNDI_FFT : r->kind == GNDI_IRFFT ? GNDI_IFFT : r->kind;
        one.axes = (gndi_fft_axes){.count = 1, .axis = {r->axes.axis[i]}, .n = {r->axes.n[i]}};
        one.factor = 0;
        if (k < count - 1) one.out = NULL;
        status = run_once(&one, &next);
        gnd_release(made);
        a = made = next;
    }
    if (!status && !r->out) *result = made;
    return status;
}

gnd_status gndi_fft_run(const gndi_fft_request *r, gnd_array **result) {
    if (r->axes.count == 0) { /* as NumPy, nothing is done */
        if (!gndi_fft_check_out(r->fn, r->a, r->out, r->a->shape, (gnd_dtype)r->a->dtype)) return gndi_ew_pending();
        if (r->out) return gndi_copy_into(r->fn, r->out, r->a);
        *result = gndi_array_alias(r->fn, r->a);
        return *result ? GND_OK : gndi_ew_pending();
    }
    return gndi_fft_has_repeated(&r->axes) ? run_one_by_one(r, result) : run_once(r, result);
}
