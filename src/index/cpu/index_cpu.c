/*
 * index_cpu.c: the CPU's elements by index. Points are processed a chunk at a time: first their offsets are
 * computed from the index arrays, run by run along the last axis; then an element or a contiguous row is moved
 * for each. Threads share the points. Where assignments to duplicates must keep their order, each thread
 * instead walks all points and makes the assignments that fall into its part of the memory.
 */
#include "kernels/cpu/indices.h"
#include "index/index_plan.h"
#include "runtime/hooks.h"

enum {
    CHUNK = 1024,           /* points that are located at a time */
    GRAIN = 1 << 15,        /* bytes that are worth a thread */
    PARALLEL_SET = 1 << 16, /* points that are worth several threads going through all of them */
};
/* The offset of a point with an index out of range: no element's, whatever else is added to it. */
#define IS_OUTSIDE(offset) ((offset) < INT64_MIN / 4)

typedef struct walk {
    const gndi_index_plan *plan;
    gnd_stream *stream;
    int ndim;         /* axes whose points are located one by one */
    int64_t points;   /* on them */
    int64_t elements; /* of each, along the axis after them, if that has no indices */
    int64_t array_step, value_step;
    int64_t bytes; /* of the elements, where they are neighbours in both; else 0 */
    const char *number;
    int64_t parts, low, span; /* of the memory, for sets whose duplicates are in order; 1: none */
} walk;

/* A point, and what belongs to it. */
typedef struct cursor {
    int64_t coordinate[GND_MAX_DIMS];
    int64_t array, value, index[GNDI_INDEX_LISTS]; /* bytes from the operands' first elements */
} cursor;

/* ---- where points are ----------------------------------------------------------------------- */

static void go_to(const walk *w, int64_t point, cursor *at) {
    const gndi_index_plan *p = w->plan;
    memset(at, 0, sizeof *at);
    for (int a = w->ndim - 1; a >= 0; a--) {
        const int64_t digit = point % p->shape[a];
        point /= p->shape[a];
        at->coordinate[a] = digit;
        at->array += digit * p->array.stride[a], at->value += digit * p->value.stride[a];
        for (int k = 0; k < p->indices; k++) at->index[k] += digit * p->index[k].stride[a];
    }
}

/* n steps along axis a. */
static void step_along(const walk *w, cursor *at, int a, int64_t n) {
    const gndi_index_plan *p = w->plan;
    at->coordinate[a] += n;
    at->array += n * p->array.stride[a], at->value += n * p->value.stride[a];
    for (int k = 0; k < p->indices; k++) at->index[k] += n * p->index[k].stride[a];
}

/* n points on along the last axis, and over its end. */
static void advance(const walk *w, cursor *at, int64_t n) {
    const int64_t *shape = w->plan->shape;
    int a = w->ndim - 1;
    if (a < 0) return;
    step_along(w, at, a, n);
    for (; a > 0 && at->coordinate[a] == shape[a]; a--) {
        step_along(w, at, a, -shape[a]);
        step_along(w, at, a - 1, 1);
    }
}

/* An index as it counts: 0 .. size - 1, or -1. */
static inline int64_t settle(int64_t index, int64_t size, gndi_index_mode mode) {
    if (mode <= GNDI_INDEX_STRICT) {
        if (index < 0 && mode == GNDI_INDEX_RAISE) index += size;
        return (uint64_t)index < (uint64_t)size ? index : -1;
    }
    if (mode == GNDI_INDEX_CLIP) return index < 0 ? 0 : index < size ? index : size - 1;
    index %= size;
    return index < 0 ? index + size : index;
}

/* Adds what one index array says to n points' offsets; `dtype` and `raises` are constants where it
   matters. Returns whether all are in range. */
static inline __attribute__((always_inline)) bool add_index(const walk *w, const struct gndi_index_list *list,
                                                            const char *data, int64_t stride, int64_t n, int64_t *from,
                                                            int dtype, gndi_index_mode mode) {
    const int64_t size = list->size, step = list->step;
    bool inside = true;
    for (int64_t i = 0; i < n; i++, data += stride) {
        const int64_t index = gndi_read_index(data, dtype);
        int64_t digit = settle(index, size, mode);
        if (gndi_unlikely(digit < 0)) {
            gndi_report_index(w->stream, index, list->axis, size);
            from[i] = GNDI_INDEX_OUTSIDE, inside = false;
            continue;
        }
        if (list->modulo) digit = digit / list->divide % list->modulo;
        from[i] += digit * step;
    }
    return inside;
}

static bool add_indices(const walk *w, const cursor *at, int64_t n, int64_t *from) {
    const gndi_index_plan *p = w->plan;
    bool inside = true;
    for (int k = 0; k < p->indices; k++) {
        const struct gndi_index_list *list = &p->index[k];
        const char *data = list->data + at->index[k];
        const int64_t stride = w->ndim > 0 ? list->stride[w->ndim - 1] : 0;
        if (p->mode == GNDI_INDEX_RAISE && list->dtype == GND_INT64)
            inside &= add_index(w, list, data, stride, n, from, GND_INT64, GNDI_INDEX_RAISE);
        else if (p->mode == GNDI_INDEX_RAISE && list->dtype == GND_INT32)
            inside &= add_index(w, list, data, stride, n, from, GND_INT32, GNDI_INDEX_RAISE);
        else
            inside &= add_index(w, list, data, stride, n, from, list->dtype, p->mode);
    }
    return inside;
}

/* Offsets of the next n points in the array and in value. Returns whether all are in range. */
static bool locate(const walk *w, cursor *at, int64_t n, int64_t *from, int64_t *to) {
    const gndi_index_plan *p = w->plan;
    const int last = w->ndim - 1;
    bool inside = true;
    for (int64_t done = 0; done < n;) {
        int64_t run = last < 0 ? 1 : p->shape[last] - at->coordinate[last];
        if (run > n - done) run = n - done;
        const int64_t array_step = last < 0 ? 0 : p->array.stride[last];
        const int64_t value_step = last < 0 ? 0 : p->value.stride[last];
        for (int64_t i = 0; i < run; i++) {
            from[done + i] = at->array + i * array_step;
            to[done + i] = at->value + i * value_step;
        }
        inside &= add_indices(w, at, run, from + done);
        advance(w, at, run);
        done += run;
    }
    return inside;
}

/* ---- moving --------------------------------------------------------------------------------- */

#define EACH_SIZE(CASE) CASE(1) CASE(2) CASE(4) CASE(8) CASE(12) CASE(16) CASE(24) CASE(32) CASE(48) CASE(64)

/* Neighbouring bytes from each element to value, or back. */
static void move_bytes(char *array, const int64_t *from, char *value, const int64_t *to, int64_t n, size_t bytes,
                       bool set) {
    switch (bytes) {
#define CASE(size)                                                                                                     \
    case size:                                                                                                         \
        if (set)                                                                                                       \
            for (int64_t i = 0; i < n; i++) memcpy(array + from[i], value + to[i], size);                              \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++) memcpy(value + to[i], array + from[i], size);                              \
        break;
        EACH_SIZE(CASE)
#undef CASE
    default:
        for (int64_t i = 0; i < n; i++)
            if (set)
                memcpy(array + from[i], value + to[i], bytes);
            else
                memcpy(value + to[i], array + from[i], bytes);
    }
}

/* The elements of each point, which are no neighbours. */
static void move_strided(const walk *w, const int64_t *from, char *value, const int64_t *to, int64_t n) {
    const size_t size = w->plan->itemsize;
    for (int64_t i = 0; i < n; i++) {
        char *element = w->plan->array.data + from[i], *other = value + to[i];
        for (int64_t e = 0; e < w->elements; e++) {
            if (w->plan->set)
                memcpy(element, other, size);
            else
                memcpy(other, element, size);
            element += w->array_step, other += w->value_step;
        }
    }
}

/* Points out of range: get gives zero there, or the number that stands for them among offsets. */
static void clear_outside(const walk *w, const int64_t *from, const int64_t *to, int64_t n) {
    for (int64_t i = 0; w->plan->offsets && i < n; i++)
        if (IS_OUTSIDE(from[i])) memcpy(w->plan->value.data + to[i], &w->plan->number, 8);
    for (int64_t i = 0; !w->plan->offsets && i < n; i++)
        for (int64_t e = 0; IS_OUTSIDE(from[i]) && e < w->elements; e++)
            memset(w->plan->value.data + to[i] + e * w->value_step, 0, w->plan->itemsize);
}

/* Leaves the points that are in range and, of several parts, fall into this one: without a branch, which
   nobody could foresee. */
static int64_t choose(const walk *w, int64_t part, int64_t *from, int64_t *to, int64_t n) {
    const bool shared = w->parts > 1;
    const int64_t each = shared ? w->span / w->parts + 1 : INT64_MAX;
    const int64_t low = shared ? w->low + part * each : INT64_MIN / 4;
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        const int64_t offset = from[i];
        from[kept] = offset, to[kept] = to[i];
        kept += (uint64_t)offset - (uint64_t)low < (uint64_t)each;
    }
    return kept;
}

static void store_offsets(const walk *w, const int64_t *from, const int64_t *to, int64_t n) {
    for (int64_t i = 0; i < n; i++) *(int64_t *)(w->plan->value.data + to[i]) = from[i];
}

static void run(const walk *w, int64_t part, int64_t begin, int64_t end) {
    int64_t from[CHUNK], to[CHUNK];
    char *value = w->number ? (char *)(uintptr_t)w->number : w->plan->value.data;
    cursor at;
    go_to(w, begin, &at);
    while (begin < end) {
        int64_t n = end - begin < CHUNK ? end - begin : CHUNK;
        const bool inside = locate(w, &at, n, from, to);
        begin += n;
        if (!inside && !w->plan->set) clear_outside(w, from, to, n);
        if (!inside || w->parts > 1) n = choose(w, part, from, to, n);
        if (w->plan->offsets)
            store_offsets(w, from, to, n);
        else if (w->bytes)
            move_bytes(w->plan->array.data, from, value, to, n, (size_t)w->bytes, w->plan->set);
        else
            move_strided(w, from, value, to, n);
    }
}

/* ---- the usual case: one array of indices, elements straight from element to element ------------ */

/* n points along the last axis; `size`, `set` and `dtype` are constants. */
static inline __attribute__((always_inline)) void move_run(const walk *w, const cursor *at, int64_t n, size_t size,
                                                           bool set, int dtype) {
    const gndi_index_plan *p = w->plan;
    const struct gndi_index_list *list = &p->index[0];
    const int last = w->ndim - 1;
    const char *data = list->data + at->index[0];
    char *array = p->array.data + at->array;
    char *value = w->number ? (char *)(uintptr_t)w->number : p->value.data + at->value;
    const int64_t stride = list->stride[last], axis = list->size, step = list->step;
    const int64_t array_step = p->array.stride[last];
    const int64_t value_step = w->number ? 0 : p->value.stride[last];
    for (int64_t i = 0; i < n; i++, data += stride, array += array_step, value += value_step) {
        const int64_t index = gndi_read_index(data, dtype);
        const int64_t digit = index < 0 ? index + axis : index;
        if (gndi_unlikely((uint64_t)digit >= (uint64_t)axis)) {
            gndi_report_index(w->stream, index, list->axis, axis);
            if (!set) memset(value, 0, size);
        } else if (set) {
            memcpy(array + digit * step, value, size);
        } else {
            memcpy(value, array + digit * step, size);
        }
    }
}

static inline __attribute__((always_inline)) void move_run_of(const walk *w, const cursor *at, int64_t n, bool set,
                                                              int dtype) {
    switch (w->bytes) {
#define CASE(size)                                                                                                     \
    case size: move_run(w, at, n, size, set, dtype); break;
        EACH_SIZE(CASE)
#undef CASE
    }
}

/* Whether a walk is of that kind. */
static bool is_direct(const walk *w) {
    const gndi_index_plan *p = w->plan;
    bool fits = false;
    switch (w->bytes) {
#define CASE(size)                                                                                                     \
    case size: fits = true; break;
        EACH_SIZE(CASE)
#undef CASE
    }
    return fits && p->indices == 1 && w->ndim > 0 && p->mode == GNDI_INDEX_RAISE && !p->offsets &&
           !p->index[0].modulo && (p->index[0].dtype == GND_INT64 || p->index[0].dtype == GND_INT32);
}

static void run_direct(void *context, int64_t begin, int64_t end) {
    const walk *w = context;
    const gndi_index_plan *p = w->plan;
    const bool wide = p->index[0].dtype == GND_INT64;
    cursor at;
    go_to(w, begin, &at);
    while (begin < end) {
        int64_t n = p->shape[w->ndim - 1] - at.coordinate[w->ndim - 1];
        if (n > end - begin) n = end - begin;
        if (p->set && wide)
            move_run_of(w, &at, n, true, GND_INT64);
        else if (p->set)
            move_run_of(w, &at, n, true, GND_INT32);
        else if (wide)
            move_run_of(w, &at, n, false, GND_INT64);
        else
            move_run_of(w, &at, n, false, GND_INT32);
        advance(w, &at, n);
        begin += n;
    }
}

/* ---- sharing out ---------------------------------------------------------------------------- */

static void run_points(void *context, int64_t begin, int64_t end) {
    run(context, 0, begin, end);
}
static void run_parts(void *context, int64_t begin, int64_t end) {
    const walk *w = context;
    for (int64_t part = begin; part < end; part++) run(w, part, 0, w->points);
}

/* ---- the backend's function ----------------------------------------------------------------- */

/* The last axis apart, if no index changes along it. */
static void split_axes(walk *w) {
    const gndi_index_plan *p = w->plan;
    const int last = p->ndim - 1;
    bool apart = last >= 0;
    for (int k = 0; apart && k < p->indices; k++) apart = p->index[k].stride[last] == 0;
    apart = apart && (p->array.stride[last] != 0 || !p->set) && !p->offsets;
    w->ndim = apart ? last : p->ndim;
    w->elements = apart ? p->shape[last] : 1;
    w->array_step = apart ? p->array.stride[last] : 0;
    w->value_step = apart && p->value.data ? p->value.stride[last] : 0;
    w->points = p->points / w->elements;
    const bool dense = w->array_step == p->itemsize && w->value_step == p->itemsize;
    w->bytes = dense || w->elements == 1 ? w->elements * p->itemsize : 0;
    w->number = p->value.data ? NULL : (const char *)&p->number;
}

/* Whether one element may be given several values. */
static bool order_matters(const gndi_index_plan *p) {
    bool matters = false;
    for (int a = 0; a < p->ndim && !p->distinct; a++)
        matters |= p->set && p->value.data && p->array.stride[a] == 0 && p->value.stride[a] != 0;
    return matters;
}

/* The range of offsets that elements can have. */
static void measure(walk *w) {
    const gndi_index_plan *p = w->plan;
    int64_t high = 0;
    w->low = 0;
    for (int i = 0; i < w->ndim + p->indices; i++) {
        const struct gndi_index_list *list = i < w->ndim ? NULL : &p->index[i - w->ndim];
        const int64_t most = !list ? (p->shape[i] - 1) * p->array.stride[i]
                                   : ((list->modulo ? list->modulo : list->size) - 1) * list->step;
        *(most < 0 ? &w->low : &high) += most;
    }
    w->span = high - w->low;
}

gnd_status gndi_cpu_index(gnd_stream *s, const gndi_index_plan *plan, const char *fn) {
    walk w = {.plan = plan, .stream = s, .parts = 1};
    (void)fn;
    split_axes(&w);
    const int64_t grain = GRAIN / (w.elements * plan->itemsize);
    void (*const body)(void *, int64_t, int64_t) = is_direct(&w) ? run_direct : run_points;
    if (!order_matters(plan)) {
        gndi_parallel_for(w.points, grain < 1 ? 1 : grain, body, &w);
    } else if (gndi_thread_count() == 1 || w.points < PARALLEL_SET || body == run_direct) {
        /* Single elements, too, are assigned before several threads have gone through all points. */
        body(&w, 0, w.points);
    } else {
        measure(&w);
        w.parts = gndi_thread_count();
        gndi_parallel_for(w.parts, 1, run_parts, &w);
    }
    return GND_OK;
}
