/*
 * scan_run.c: carries out a checked scan. The result is computed in its own dtype, in `out` itself
 * where that can be, else in a new array that is then copied. Input that kernels do not take as it
 * lies (complex numbers for a real loop, C order of something else, another fast axis than out's)
 * is copied into the result by the elementwise engine, and scanned in place.
 */
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "scan/scan.h"
#include "elementwise/truths.h"

enum { COPY_ELEMENTS = 4096 }; /* below, one launch is worth more than good strides */

/* ---- the result ----------------------------------------------------------------------------- */

gnd_array *gndi_new_in_order(const char *fn, const gnd_array *like, const int64_t *shape, gnd_dtype dtype) {
    int64_t strides[GND_MAX_DIMS], size;
    const int64_t itemsize = gndi_dtype_sizes[dtype];
    gnd_stream *s = gndi_stream_on(like->buffer->device, fn);
    if (!s) return NULL;
    if (!gndi_shape_size(like->ndim, shape, &size) || size > INT64_MAX / itemsize)
        return gndi_fail(GND_ERROR_MEMORY, fn, "a result of shape %s is too large", gndi_text_shape(like->ndim, shape));
    if (like->ndim <= 1 || size == 0) return gndi_array_new_on(fn, s, like->ndim, shape, dtype, GNDI_ORDER_C);
    gndi_ew_space space = {.ndim = like->ndim, .count = 1};
    memcpy(space.shape, shape, (size_t)like->ndim * sizeof *shape);
    for (int i = 0; i < like->ndim; i++) space.stride[0][i] = like->shape[i] == 1 ? 0 : like->strides[i];
    gndi_ew_k_strides(&space, itemsize, strides);
    gndi_buffer *buffer = gndi_buffer_new(fn, s, (size_t)(size * itemsize));
    if (!buffer) return NULL;
    return gndi_array_over(fn, buffer, like->ndim, shape, strides, buffer->base, dtype);
}

gnd_array *gndi_scan_result(const gndi_scan_request *r, int64_t extra) {
    const gnd_array *x = r->x;
    int64_t shape[GND_MAX_DIMS];
    gnd_stream *s = gndi_stream_on(x->buffer->device, r->fn);
    if (!s) return NULL;
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    if (r->flat) shape[0] = x->size;
    shape[r->axis] += extra; /* sizes of arrays are far below the largest integer */
    return r->flat ? gndi_array_new_on(r->fn, s, 1, shape, r->loop, GNDI_ORDER_C)
                   : gndi_new_in_order(r->fn, x, shape, r->loop);
}

/* ---- the input ------------------------------------------------------------------------------ */

/* x with its NaN replaced, for loops that know no NaN. */
static gnd_array *without_nan(const gndi_scan_request *r, const gnd_array *x) {
    gnd_array *mask = NULL, *result = NULL;
    const gndi_ew_request isnan = {.op = GNDI_OP_isnan, .fn = r->fn, .args = {gnd_arg_array(x)}};
    if (gndi_elementwise(&isnan, &mask)) return NULL;
    const gndi_ew_request replace = {
        .op = GNDI_OP_where,
        .fn = r->fn,
        .args = {gnd_arg_array(mask), gnd_arg_int(r->op == GNDI_OP_multiply), gnd_arg_array(x)}};
    if (gndi_elementwise(&replace, &result)) result = NULL;
    gnd_release(mask);
    return result;
}

/* The stride with which x runs through all its elements in C order, if there is one. */
static bool single_stride(const gnd_array *x, int64_t *stride) {
    int64_t size = 0;
    *stride = gndi_itemsize(x);
    for (int i = x->ndim - 1; i >= 0; i--) {
        if (x->shape[i] == 1) continue;
        if (size == 0)
            *stride = x->strides[i], size = x->shape[i];
        else if (x->strides[i] != *stride * size)
            return false;
        else
            size *= x->shape[i];
    }
    return true;
}

/* Whether `in` is dense along another axis than `out`: then a copy comes first. */
static bool disagree(const gnd_array *in, const gnd_array *out) {
    int fastest = -1;
    if (out->size < COPY_ELEMENTS) return false;
    for (int i = 0; i < out->ndim; i++)
        if (out->shape[i] > 1 &&
            (fastest < 0 || gndi_magnitude(out->strides[i]) <= gndi_magnitude(out->strides[fastest])))
            fastest = i;
    for (int i = 0; fastest >= 0 && i < out->ndim; i++)
        if (out->shape[i] > 1 && in->strides[i] != 0 &&
            gndi_magnitude(in->strides[i]) < gndi_magnitude(in->strides[fastest]))
            return true;
    return false;
}

static bool same_elements(const gnd_array *a, const gnd_array *b) {
    if (gndi_data(a) != gndi_data(b) || a->dtype != b->dtype) return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] > 1 && a->strides[i] != b->strides[i]) return false;
    return true;
}

/* Whether `out` can be written while x, seen in out's shape, is read. */
static bool are_disjoint(const gnd_array *x, const gnd_array *out) {
    gndi_ew_space space = {.ndim = out->ndim, .count = 2};
    if (!gndi_may_overlap(x, out)) return true;
    if (x->ndim != out->ndim) return false;
    memcpy(space.shape, out->shape, (size_t)out->ndim * sizeof *out->shape);
    memcpy(space.stride[0], out->strides, (size_t)out->ndim * sizeof *out->strides);
    memcpy(space.stride[1], x->strides, (size_t)out->ndim * sizeof *x->strides);
    return same_elements(x, out) ||
           (!gndi_ew_overlaps(&space, out, 0, x, 1) && (gndi_data(x) != gndi_data(out) || x->dtype == out->dtype));
}

/* ---- the scan ------------------------------------------------------------------------------- */

/* Whether elements may be needed again when there are results: those of products of complex numbers that
   are not finite. */
static bool needs_input(const gndi_scan_request *r) {
    return r->op == GNDI_OP_multiply && gndi_dtype_is_complex(r->loop);
}

/* The starts of out's lines, as the plan has them: of the carried dtype, and, seen so, of out's shape with one element
   along the axis. In memory of their own where the results go over them. */
static gnd_array *starts_of(const gndi_scan_request *r, const gnd_array *out) {
    const gnd_dtype carried = gndi_scan_carried(r->op, r->loop);
    const gnd_array *start = r->start;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    memcpy(shape, out->shape, (size_t)out->ndim * sizeof *shape);
    shape[r->flat ? 0 : r->axis] = 1;
    gnd_array *cast = NULL;
    if (start->dtype != carried || gndi_is_loose(start) || gndi_may_overlap(start, out))
        start = cast = gndi_copy_as(r->fn, start, carried, 'K');
    if (!start) return NULL;
    gndi_broadcast_strides(start, out->ndim, shape, strides);
    gnd_array *view = gndi_array_view(r->fn, start, out->ndim, shape, strides, gndi_data(start), carried);
    gnd_release(cast);
    return view;
}

/* The starts combined with results, which may be wider than `out`. */
static gnd_status join_starts(const gndi_scan_request *r, const gnd_array *start, const gnd_array *results,
                              gnd_array *out) {
    const gndi_ew_request join = {.op = r->op,
                                  .fn = r->fn,
                                  .args = {gnd_arg_array(start), gnd_arg_array(results)},
                                  .out = {out},
                                  .dtype = (gnd_dtype)results->dtype,
                                  .casting = GND_UNSAFE};
    return gndi_elementwise(&join, NULL);
}

static gnd_status start_scan(const gndi_scan_request *r, gndi_scan_plan *plan, const gnd_array *in,
                             const gnd_array *start, gnd_array *out) {
    gnd_stream *s =
        gndi_work_begin(r->fn, start ? 2 : 1, (const gnd_array *[]){in, start}, 1, (const gnd_array *[]){out});
    return s ? gndi_work_end(s, s->device->backend->scan(s, plan, r->fn), r->fn) : gndi_ew_pending();
}

/* A scan, and the starts after it. Results that are carried in more bits than they are given in are rounded once. */
static gnd_status run_and_join(const gndi_scan_request *r, gndi_scan_plan *plan, const gnd_array *in,
                               const gnd_array *start, gnd_array *out) {
    const gnd_dtype carried = gndi_scan_carried(r->op, r->loop);
    gnd_array *wide = carried == r->loop ? gnd_retain(out) : gndi_new_in_order(r->fn, out, out->shape, carried);
    if (!wide) return gndi_ew_pending();
    plan->loop = carried;
    gndi_scan_plan_axes(plan, in, NULL, wide, r->flat ? 0 : r->axis);
    gnd_status status = start_scan(r, plan, in, NULL, wide);
    if (!status) status = join_starts(r, start, wide, out);
    gnd_release(wide);
    return status;
}

static gnd_status submit(const gndi_scan_request *r, const gnd_array *in, const gnd_array *start, gnd_array *out) {
    const gndi_backend *backend = out->buffer->device->backend;
    gndi_scan_plan plan;
    plan.op = r->op, plan.loop = r->loop;
    plan.skip_nan = r->skip_nan && !gndi_dtype_is_int(r->loop) && r->loop != GND_BOOL;
    gndi_scan_plan_axes(&plan, in, start, out, r->flat ? 0 : r->axis);
    const bool joins = start && (needs_input(r) || (backend->scan_starts && !backend->scan_starts(&plan)));
    return joins ? run_and_join(r, &plan, in, start, out) : start_scan(r, &plan, in, start, out);
}

/* Scans x, in whatever layout, into `out`, which has the loop's dtype and meets no element of x but
   in the same position. */
static gnd_status scan_into(const gndi_scan_request *r, const gnd_array *x, const gnd_array *start, gnd_array *out) {
    int64_t stride, strides[GND_MAX_DIMS];
    const bool reshaped = r->flat && x->ndim != 1, one_stride = reshaped && single_stride(x, &stride);
    const bool copied = (reshaped ? !one_stride : disagree(x, out)) ||
                        (x->dtype >= GND_COMPLEX64 && r->loop < GND_COMPLEX64) ||
                        (needs_input(r) && gndi_data(x) == gndi_data(out));
    gnd_array *view = NULL, *copy = out;
    gnd_status status = GND_OK;
    if (copied && needs_input(r)) copy = gndi_new_in_order(r->fn, out, out->shape, r->loop);
    if (!copy) return gndi_ew_pending();
    if (one_stride) {
        view = gndi_array_view(r->fn, x, 1, &x->size, &stride, gndi_data(x), (gnd_dtype)x->dtype);
        x = view;
    } else if (reshaped) { /* the copy seen in x's shape */
        gndi_c_strides(x->ndim, x->shape, copy->strides[0], strides);
        view = gndi_array_view(r->fn, copy, x->ndim, x->shape, strides, gndi_data(copy), r->loop);
    }
    if (reshaped && !view) status = gndi_ew_pending();
    if (!status && copied) {
        status = gndi_copy_into(r->fn, reshaped && !one_stride ? view : copy, x);
        x = copy;
    }
    /* One element a line is a copy. */
    const bool one = out->shape[r->flat ? 0 : r->axis] == 1 && !r->skip_nan && !start;
    if (!status && !one) status = submit(r, x, start, out);
    if (!status && one && x != out) status = gndi_copy_into(r->fn, out, x);
    gnd_release(view);
    if (copy != out) gnd_release(copy);
    return status;
}

static gnd_array *run(const gndi_scan_request *r) {
    const gnd_array *x = r->x;
    const bool real_loop = r->loop < GND_COMPLEX64;
    const bool number_loop = gndi_dtype_is_int(r->loop) || r->loop == GND_BOOL;
    /* What is returned for `out` is made before anything is written. */
    gnd_array *result = r->out ? gndi_array_alias(r->fn, r->out) : NULL, *clean = NULL, *start = NULL;
    if (r->out && !result) return NULL;
    gnd_status status = GND_OK;
    if (r->skip_nan && (number_loop || (x->dtype >= GND_COMPLEX64 && real_loop))) {
        x = clean = without_nan(r, x);
        if (!x) status = gndi_ew_pending();
    }
    const bool into = !status && r->out && r->out->dtype == r->loop && are_disjoint(x, r->out);
    gnd_array *direct = status ? NULL : into ? r->out : gndi_scan_result(r, 0);
    if (!direct) status = gndi_ew_pending();
    if (!status && r->start && direct->size > 0 && !(start = starts_of(r, direct))) status = gndi_ew_pending();
    if (!status && direct->size > 0) status = scan_into(r, x, start, direct);
    if (!status && r->out && !into) status = gndi_copy_into(r->fn, r->out, direct);
    gnd_release(clean);
    gnd_release(start);
    if (!status && !r->out) return direct;
    if (direct && !into) gnd_release(direct);
    if (!status) return result;
    gnd_release(result);
    return NULL;
}

gnd_array *gndi_scan_run(const gndi_scan_request *r) {
    if (gndi_likely(!gndi_is_loose(r->x))) return run(r);
    gndi_scan_request tight = *r;
    gnd_array *truths = gndi_truths_of(r->fn, r->x);
    tight.x = truths;
    gnd_array *result = truths ? run(&tight) : NULL;
    gnd_release(truths);
    return result;
}
