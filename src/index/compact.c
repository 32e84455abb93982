/*
 * compact.c: plans for the `compact` hook, and results whose size only the device knows (compact.h).
 */
#include "core/axes.h"
#include "core/loose.h"
#include "index/compact.h"
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "runtime/mailbox.h"

enum { KEPT_SHARE = 3 }; /* results that fill less than 1/3 of their memory move out of it */

/* ---- plans ---------------------------------------------------------------------------------- */

void gndi_packing_begin(gndi_packing *p, const char *fn, const gnd_array *mask) {
    p->fn = fn, p->mask = mask, p->x = NULL;
    p->ndim = mask->ndim, p->by_rows = p->flat = p->edges = p->equal_nan = false;
    for (int i = 0; i < p->ndim; i++) {
        p->shape[i] = mask->shape[i];
        p->mask_stride[i] = mask->strides[i], p->x_stride[i] = 0;
    }
}

static int64_t points_of(const gndi_packing *p) {
    int64_t points = 1;
    for (int i = 0; i < p->ndim; i++) points *= p->shape[i];
    return points;
}

void gndi_packing_plan(const gndi_packing *p, gndi_compact_plan *plan, gndi_compact_kind kind) {
    memset(plan, 0, sizeof *plan);
    plan->kind = kind, plan->points = points_of(p);
    plan->mask.data = gndi_data(p->mask), plan->mask_dtype = gndi_is_loose(p->mask) ? GND_UINT8 : p->mask->dtype;
    plan->edges = p->edges, plan->equal_nan = p->equal_nan;
    if (p->x) plan->x.data = gndi_data(p->x), plan->itemsize = (uint8_t)gndi_itemsize(p->x);
    int64_t *const stride[] = {plan->mask.stride, plan->x.stride};
    gndi_walk w = {.operands = p->x ? 2 : 1, .shape = plan->shape, .stride = stride};
    for (int i = 0; i < p->ndim; i++) gndi_walk_add(&w, p->shape[i], (int64_t[]){p->mask_stride[i], p->x_stride[i]});
    plan->ndim = gndi_walk_merge(&w, 0, w.ndim);
    plan->capacity = -1, plan->expected = -1, plan->wrap = 1;
    if (kind != GNDI_COMPACT_INDICES) return;
    plan->index_ndim = p->flat ? 1 : p->ndim;
    memcpy(plan->index_shape, p->shape, sizeof p->shape);
    if (p->flat) plan->index_shape[0] = plan->points;
}

gnd_status gndi_packing_submit(const gndi_packing *p, const gndi_compact_plan *plan, gndi_buffer *out,
                               gndi_buffer *count) {
    const bool puts = plan->kind == GNDI_COMPACT_PUT || plan->kind == GNDI_COMPACT_PUT_AT;
    gndi_buffer *x = p->x ? p->x->buffer : NULL;
    gnd_stream *s = gndi_work_begin_buffers(p->fn, 2, (gndi_buffer *[]){p->mask->buffer, puts ? out : x}, 2,
                                            (gndi_buffer *[]){puts ? x : out, count});
    return s ? gndi_work_end(s, s->device->backend->compact(s, plan, p->fn), p->fn) : gndi_ew_pending();
}

/* ---- results -------------------------------------------------------------------------------- */

static int64_t width_of(const gndi_packing *p) {
    return p->x || p->flat ? 1 : p->ndim;
}
static gnd_dtype dtype_of(const gndi_packing *p) {
    return p->x ? (gnd_dtype)p->x->dtype : GND_INT64;
}

/* The shape and strides of `count` results of `capacity`. */
static int layout(const gndi_packing *p, int64_t count, int64_t capacity, int64_t *shape, int64_t *strides) {
    const int64_t size = gndi_dtype_sizes[dtype_of(p)], width = width_of(p);
    if (p->x) {
        shape[0] = count, strides[0] = size;
        return 1;
    }
    shape[0] = p->by_rows ? count : width, shape[1] = p->by_rows ? width : count;
    strides[0] = size * (p->by_rows ? width : capacity), strides[1] = size;
    return 2;
}

/* Memory for `capacity` results; `fn` NULL: says nothing if there is none. */
static gndi_buffer *make_buffer(const gndi_packing *p, const char *fn, int64_t capacity) {
    int64_t bytes;
    gnd_stream *s = gndi_ew_stream(p->mask, fn);
    if (!s) return NULL;
    if (__builtin_mul_overflow(capacity, width_of(p) * gndi_dtype_sizes[dtype_of(p)], &bytes)) {
        gndi_raise(GND_ERROR_MEMORY, fn, "no memory holds %lld results", (long long)capacity);
        return NULL;
    }
    return gndi_buffer_new(fn, s, (size_t)bytes);
}

/* The first `count` of the results in `buffer`. Holds the memory, but takes nothing over. */
static gnd_array *first_of(const gndi_packing *p, gndi_buffer *buffer, int64_t count, int64_t capacity) {
    int64_t shape[2], strides[2];
    const int ndim = layout(p, count, capacity, shape, strides);
    gndi_buffer_retain(buffer);
    return gndi_array_over(p->fn, buffer, ndim, shape, strides, buffer->base, dtype_of(p));
}

/* Writes results into `buffer`, and how many there are to `count`, if it is given: memory of `counted`, or of the
   host if that is NULL. */
static gnd_status fill(const gndi_packing *p, gndi_buffer *buffer, int64_t capacity, bool pads, int64_t *count,
                       gndi_buffer *counted) {
    gndi_compact_plan plan;
    const int64_t size = gndi_dtype_sizes[dtype_of(p)];
    gndi_packing_plan(p, &plan, p->x ? GNDI_COMPACT_TAKE : GNDI_COMPACT_INDICES);
    if (p->x) gndi_pass_loose(buffer, p->x);
    plan.out = buffer->base, plan.capacity = capacity, plan.pads = pads;
    plan.step = p->by_rows ? size * width_of(p) : size;
    plan.axis_step = p->by_rows ? size : size * capacity;
    plan.count = count;
    return gndi_packing_submit(p, &plan, buffer, counted);
}

/* Waits for a count that was submitted, if it was; -1 if something failed. */
static int64_t receive(const gndi_packing *p, gndi_mail *mail, gnd_status submitted) {
    int64_t count = -1;
    if (submitted) {
        gndi_mail_drop(mail);
        return -1;
    }
    return gndi_mail_wait(mail, &count, p->fn) ? -1 : count;
}

int64_t gndi_packing_count(const gndi_packing *p) {
    gndi_compact_plan plan;
    gndi_packing only = *p;
    gndi_mail mail;
    only.x = NULL;
    if (points_of(p) == 0) return 0;
    gnd_stream *s = gndi_ew_stream(p->mask, p->fn);
    if (!s || gndi_mail_open(&mail, s, p->fn)) return -1;
    gndi_packing_plan(&only, &plan, GNDI_COMPACT_COUNT);
    plan.count = gndi_mail_word(&mail);
    return receive(p, &mail, gndi_packing_submit(&only, &plan, NULL, NULL));
}

gnd_array *gndi_packing_exact(const gndi_packing *p, int64_t count) {
    gndi_buffer *buffer = make_buffer(p, p->fn, count);
    gnd_array *result = buffer ? first_of(p, buffer, count, count) : NULL;
    if (result && result->size > 0 && fill(p, buffer, count, false, NULL, NULL)) {
        gnd_release(result);
        result = NULL;
    }
    gndi_buffer_release(buffer);
    return result;
}

/* The result in memory for as many as there could be. */
static gnd_array *run_at_once(const gndi_packing *p, int64_t most, gnd_stream *s, gndi_buffer *buffer) {
    gndi_mail mail;
    if (gndi_mail_open(&mail, s, p->fn)) return NULL;
    const gnd_status status = fill(p, buffer, most, false, gndi_mail_word(&mail), NULL);
    const int64_t count = receive(p, &mail, status);
    gnd_array *result = count < 0 ? NULL : first_of(p, buffer, count, most);
    if (!result || count >= most / KEPT_SHARE) return result;
    gnd_array *small = gndi_copy_as(p->fn, result, dtype_of(p), 'C');
    gnd_release(result);
    return small;
}

gnd_array *gndi_packing_run(const gndi_packing *p) {
    return gndi_packing_run_most(p, points_of(p));
}

gnd_array *gndi_packing_run_most(const gndi_packing *p, int64_t most) {
    gnd_stream *s = gndi_ew_stream(p->mask, p->fn);
    if (!s) return NULL;
    gndi_buffer *buffer = NULL;
    if (!s->device->backend->synchronous && points_of(p) > 0 && width_of(p) > 0) buffer = make_buffer(p, NULL, most);
    if (buffer) {
        gnd_array *result = run_at_once(p, most, s, buffer);
        gndi_buffer_release(buffer);
        return result;
    }
    const int64_t count = gndi_packing_count(p);
    return count < 0 ? NULL : gndi_packing_exact(p, count);
}

gnd_array *gndi_packing_bounded(const gndi_packing *p, int64_t capacity, gnd_array **count) {
    gndi_buffer *buffer = make_buffer(p, p->fn, capacity);
    gnd_array *result = buffer ? first_of(p, buffer, capacity, capacity) : NULL;
    gnd_stream *s = result ? gndi_ew_stream(p->mask, p->fn) : NULL;
    *count = s ? gndi_array_new_on(p->fn, s, 0, NULL, GND_INT64, GNDI_ORDER_C) : NULL;
    if (*count && points_of(p) == 0) {
        result = gndi_zero(p->fn, result);
        *count = gndi_zero(p->fn, *count);
    } else if (*count && fill(p, buffer, capacity, true, (int64_t *)(void *)gndi_data(*count), (*count)->buffer)) {
        gnd_release(*count);
        *count = NULL;
    }
    gndi_buffer_release(buffer);
    if (result && *count) return result;
    gnd_release(result);
    gnd_release(*count);
    *count = NULL;
    return NULL;
}

gnd_status gndi_indices_split(const char *fn, gnd_array *indices, gnd_array **out) {
    const int axes = indices ? (int)indices->shape[0] : 0;
    gnd_status status = indices ? GND_OK : gndi_ew_pending();
    for (int k = 0; k < axes; k++) out[k] = NULL;
    for (int k = 0; k < axes && !status; k++) {
        out[k] = gndi_array_view(fn, indices, 1, indices->shape + 1, indices->strides + 1,
                                 gndi_data(indices) + k * indices->strides[0], GND_INT64);
        if (!out[k]) status = gndi_ew_pending();
    }
    if (axes == 1 && !status) gndi_sole_view(out[0]);
    for (int k = 0; k < axes && status; k++) gnd_release(out[k]), out[k] = NULL;
    gnd_release(indices);
    return status;
}
