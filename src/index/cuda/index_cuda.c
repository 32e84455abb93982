/*
 * index_cuda.c: elements by index on CUDA: splits work that is too large for one launch, moves contiguous rows
 * in the widest possible words, and writes the plan as a parameter block.
 *
 * If an element may be assigned several values, the last one in C order must win, whatever order threads run
 * in. In a launch before the assignment, every point claims its target element, and the highest point number is
 * kept: in a table, or, if there are many more elements than points, in a hash table. Many points over more
 * memory than the cache holds are sorted by their targets instead: that costs less than random accesses, and
 * leaves one point for each target, in order.
 */
#include "index/cuda/index_params.h"
#include "index/cuda/scatter_launch.h"
#include "index/index_plan.h"
#include "runtime/cuda/runtime_cuda.h"
#include <stddef.h>

/* index_kernels.cu: for elements of `size` bytes, one axis or any number */
const void *gndi_cuda_index_get_kernel(int size, bool one);
const void *gndi_cuda_index_rows_kernel(int size);
const void *gndi_cuda_index_set_kernel(int size, bool one);
const void *gndi_cuda_index_offsets_kernel(bool one);
const void *gndi_cuda_index_set_last_kernel(int size, bool one);
const void *gndi_cuda_claim_kernel(void);
const void *gndi_cuda_last_kernel(int size);

enum {
    BLOCKS_EACH = 8,         /* a processor's, before its threads get several points each */
    STREAMED = 24 << 20,     /* bytes that are written past the caches */
    TABLE_SMALL = 1 << 22,   /* elements that always get a table */
    TABLE_PER_POINT = 16,    /* elements for each point that are worth a table */
    SORT_POINTS = 1 << 19,   /* points that are worth sorting, */
    SORT_ELEMENTS = 1 << 23, /* if they have more elements than the cache holds claims */
};
static const int64_t largest = INT64_C(1) << 30; /* points of a launch */

/* ---- pieces --------------------------------------------------------------------------------- */

static gnd_status launch_plan(gndi_cuda_run *run, const gndi_index_plan *plan);

static void skip_along(gndi_index_plan *plan, int axis, int64_t n) {
    plan->array.data += n * plan->array.stride[axis];
    if (plan->value.data) plan->value.data += n * plan->value.stride[axis];
    for (int k = 0; k < plan->indices; k++) plan->index[k].data += n * plan->index[k].stride[axis];
}

static void resize_axis(gndi_index_plan *plan, int axis, int64_t size) {
    plan->points = plan->points / plan->shape[axis] * size;
    plan->shape[axis] = size;
}

/* The axis along which the plan is halved. Halves of a set follow each other, and must not change the
   order in which an element gets its values: so the first axis along which elements may be named again, if
   there is one, else the longest. */
static int axis_to_cut(const gndi_index_plan *plan) {
    int best = 0;
    for (int a = 0; a < plan->ndim; a++) {
        if (plan->set && plan->array.stride[a] == 0 && plan->shape[a] > 1) return a;
        if (plan->shape[a] > plan->shape[best]) best = a;
    }
    return best;
}

static gnd_status halve(gndi_cuda_run *run, const gndi_index_plan *plan) {
    gndi_index_plan part = *plan;
    const int axis = axis_to_cut(plan);
    const int64_t half = plan->shape[axis] / 2;
    resize_axis(&part, axis, half);
    gnd_status status = launch_plan(run, &part);
    if (status) return status;
    part = *plan;
    skip_along(&part, axis, half);
    resize_axis(&part, axis, plan->shape[axis] - half);
    return launch_plan(run, &part);
}

static void drop_axis(gndi_index_plan *plan, int axis) {
    const size_t after = (size_t)(plan->ndim - axis - 1) * sizeof *plan->shape;
    memmove(plan->shape + axis, plan->shape + axis + 1, after);
    memmove(plan->array.stride + axis, plan->array.stride + axis + 1, after);
    memmove(plan->value.stride + axis, plan->value.stride + axis + 1, after);
    for (int k = 0; k < plan->indices; k++)
        memmove(plan->index[k].stride + axis, plan->index[k].stride + axis + 1, after);
    plan->ndim--;
}

/* A launch for every element of the first axis: so many axes and lists at once that no parameter
   block holds their strides. */
static gnd_status peel(gndi_cuda_run *run, const gndi_index_plan *plan) {
    gnd_status status = GND_OK;
    const int64_t parts = run->measures ? 1 : plan->shape[0]; /* all need the same memory */
    for (int64_t i = 0; i < parts && !status; i++) {
        gndi_index_plan part = *plan;
        skip_along(&part, 0, i);
        resize_axis(&part, 0, 1);
        drop_axis(&part, 0);
        status = launch_plan(run, &part);
    }
    return status;
}

/* ---- words ---------------------------------------------------------------------------------- */

/* Whether every element is at a multiple of `word` bytes, the last axis aside. */
static bool aligned(const gndi_index_plan *plan, int64_t word) {
    uint64_t bits = (uint64_t)(uintptr_t)plan->array.data | (uint64_t)(uintptr_t)plan->value.data;
    for (int a = 0; a < plan->ndim - 1; a++) bits |= (uint64_t)plan->array.stride[a] | (uint64_t)plan->value.stride[a];
    for (int k = 0; k < plan->indices; k++) bits |= (uint64_t)plan->index[k].step;
    return (bits & (uint64_t)(word - 1)) == 0;
}

/* Rows of neighbours, which no index takes apart, as rows of wider words. */
static void widen(gndi_index_plan *plan) {
    const int last = plan->ndim - 1;
    const int64_t size = plan->itemsize;
    if (last < 0 || !plan->value.data || plan->offsets || plan->array.stride[last] != size ||
        plan->value.stride[last] != size)
        return;
    for (int k = 0; k < plan->indices; k++)
        if (plan->index[k].stride[last] != 0) return;
    const int64_t bytes = plan->shape[last] * size;
    int64_t word = 16;
    while (word > size && (bytes % word != 0 || !aligned(plan, word))) word /= 2;
    if (word == size) return;
    plan->itemsize = (uint8_t)word;
    plan->array.stride[last] = plan->value.stride[last] = word;
    resize_axis(plan, last, bytes / word);
    if (bytes == word) drop_axis(plan, last);
}

/* ---- parameters ----------------------------------------------------------------------------- */

static gndi_index_divisor divide_by(int64_t size) {
    gndi_index_divisor d = {.size = (uint32_t)size};
    while ((UINT64_C(1) << d.shift) < (uint64_t)size) d.shift++;
    /* Granlund and Montgomery, "Division by invariant integers using multiplication", 1994. */
    d.magic = (uint32_t)((UINT64_C(1) << 32) * ((UINT64_C(1) << d.shift) - (uint64_t)size) / (uint64_t)size + 1);
    return d;
}

/* Every plan has an axis, and a row of strides for a list, even if it has none. */
static bool strides_fit(const gndi_index_plan *plan) {
    return plan->ndim <= GNDI_INDEX_AXES &&
           plan->ndim * (GNDI_INDEX_OF_LISTS + plan->indices + 3) <= GNDI_INDEX_STRIDES;
}

static void fill_row(gndi_index_params *p, int row, const int64_t *stride) {
    memcpy(p->stride + row * p->ndim, stride, (size_t)p->ndim * sizeof *stride);
}

static void describe(gndi_index_params *p, const gnd_stream *s, const gndi_index_plan *plan) {
    memset(p, 0, sizeof *p);
    p->points = (uint32_t)plan->points, p->mode = (int32_t)plan->mode;
    p->ndim = plan->ndim, p->lists = plan->indices;
    p->array = plan->array.data, p->value = plan->value.data;
    if (plan->offsets) p->array = NULL;
    memcpy(p->number, &plan->number, sizeof p->number);
    p->fault = gndi_fault_record(s->device);
    p->streams = !plan->set && plan->points * plan->itemsize > STREAMED;
    if (p->ndim == 0) {
        p->ndim = 1, p->divisor[0] = divide_by(1);
    } else {
        for (int a = 0; a < p->ndim; a++) p->divisor[a] = divide_by(plan->shape[a]);
        fill_row(p, GNDI_INDEX_OF_ARRAY, plan->array.stride);
        if (plan->value.data) fill_row(p, GNDI_INDEX_OF_VALUE, plan->value.stride);
    }
    for (int k = 0; k < plan->indices; k++) {
        const struct gndi_index_list *from = &plan->index[k];
        p->list[k] = (gndi_index_source){.data = from->data,
                                         .size = from->size,
                                         .divide = from->divide,
                                         .modulo = from->modulo,
                                         .step = from->step,
                                         .dtype = from->dtype,
                                         .axis = from->axis};
        if (plan->ndim > 0) fill_row(p, GNDI_INDEX_OF_LISTS + k, from->stride);
    }
}

static gnd_status launch(const gndi_cuda_run *run, const void *kernel, gndi_index_params *p, int64_t each) {
    const int64_t all = ((int64_t)p->points + GNDI_INDEX_THREADS - 1) / GNDI_INDEX_THREADS;
    const int64_t few = (int64_t)run->stream->device->processors * BLOCKS_EACH;
    int64_t blocks = (all + each - 1) / each;
    if (blocks < few) blocks = all < few ? all : few;
    p->step = (uint32_t)(blocks * GNDI_INDEX_THREADS);
    return gndi_cuda_run_launch(run, kernel, blocks, GNDI_INDEX_THREADS, 0, p);
}

static int64_t points_each(const gndi_index_plan *plan) {
    return plan->ndim <= 1 && plan->itemsize <= 8 ? GNDI_INDEX_EACH : GNDI_INDEX_EACH_WIDE;
}

/* ---- whole rows ----------------------------------------------------------------------------- */

static bool takes_rows(const gndi_index_plan *plan) {
    const int64_t word = plan->itemsize;
    return !plan->set && !plan->offsets && plan->ndim == 2 && plan->indices == 1 && plan->index[0].stride[1] == 0 &&
           plan->array.stride[1] == word && plan->value.stride[1] == word && plan->shape[1] >= GNDI_INDEX_ROW_LEAST;
}

static gnd_status launch_rows(const gndi_cuda_run *run, const gndi_index_plan *plan, gndi_index_params *p) {
    const int64_t a_block = GNDI_INDEX_ROW_THREADS * gndi_min(GNDI_INDEX_ROW_BYTES / plan->itemsize, GNDI_INDEX_EACH);
    const int64_t parts = (plan->shape[1] + a_block - 1) / a_block;
    p->step = (uint32_t)parts;
    return gndi_cuda_run_launch(run, gndi_cuda_index_rows_kernel(plan->itemsize), plan->shape[0] * parts,
                                GNDI_INDEX_ROW_THREADS, 0, p);
}

/* ---- elements that are named again ------------------------------------------------------------ */

/* Whether one element may be given several values. */
static bool order_matters(const gndi_index_plan *plan) {
    if (plan->distinct) return false;
    for (int a = 0; a < plan->ndim; a++)
        if (plan->set && plan->value.data && plan->array.stride[a] == 0 && plan->value.stride[a] != 0 &&
            plan->shape[a] > 1)
            return true;
    return false;
}

/* Numbers the elements and the turns: how both change along the plan's axes and with each index. Axes
   without indices, where elements lie side by side, are claimed as one. Returns how many elements
   there are. */
static int64_t number_elements(const gndi_index_plan *plan, gndi_index_params *p) {
    int64_t *key = p->stride + (GNDI_INDEX_OF_LISTS + p->lists) * p->ndim, *turn = key + p->ndim;
    int64_t elements = 1, turns = 1;
    for (int a = plan->ndim - 1; a >= 0; a--) {
        bool indexed = plan->array.stride[a] == 0;
        for (int k = 0; k < plan->indices; k++) indexed |= plan->index[k].stride[a] != 0;
        key[a] = turn[a] = 0;
        if (plan->array.stride[a] == 0)
            turn[a] = turns, turns *= plan->shape[a];
        else if (indexed)
            key[a] = elements, elements *= plan->shape[a];
    }
    for (int k = 0; k < plan->indices; k++) {
        /* Indices into several axes seen as one are in the plan once for each of those. */
        const struct gndi_index_list *list = &plan->index[k];
        if (list->modulo && list->divide != 1) continue;
        p->list[k].key_step = elements;
        elements *= list->size;
    }
    return elements;
}

/* The plan's points as far as they claim elements: without the axes that are claimed as one. */
static void claims_of(gndi_index_plan *plan) {
    for (int a = plan->ndim - 1; a >= 0; a--) {
        bool indexed = plan->array.stride[a] == 0;
        for (int k = 0; k < plan->indices; k++) indexed |= plan->index[k].stride[a] != 0;
        if (indexed) continue;
        resize_axis(plan, a, 1);
        drop_axis(plan, a);
    }
}

/* Memory for the claims, cleared: turns, and keys after them if there are too many elements. */
static gnd_status new_claims(gndi_cuda_run *run, gndi_index_params *p, int64_t points, int64_t elements) {
    const bool table = elements <= TABLE_SMALL || elements / TABLE_PER_POINT <= points;
    size_t bytes = (size_t)elements * sizeof *p->turns;
    p->slots = 0;
    if (!table) {
        for (p->slots = 1; p->slots < 2 * (uint64_t)points;) p->slots *= 2;
        bytes = (size_t)p->slots * (sizeof *p->turns + sizeof *p->keys);
    }
    void *memory = gndi_cuda_take(run, (int64_t)bytes);
    p->keys = table ? NULL : memory;
    p->turns = table ? memory : (void *)(p->keys + p->slots);
    return gndi_cuda_run_clear(run, memory, bytes);
}

static gnd_status set_last(gndi_cuda_run *run, const gndi_index_plan *plan, gndi_index_params *p) {
    const size_t used = run->used;
    gndi_index_plan claims = *plan;
    gndi_index_params q;
    claims_of(&claims);
    describe(&q, run->stream, &claims);
    const int64_t elements = number_elements(&claims, &q);
    gnd_status status = new_claims(run, &q, claims.points, elements);
    number_elements(plan, p);
    p->turns = q.turns, p->keys = q.keys, p->slots = q.slots;
    if (!status) status = launch(run, gndi_cuda_claim_kernel(), &q, 1);
    if (!status)
        status = launch(run, gndi_cuda_index_set_last_kernel(plan->itemsize, plan->ndim <= 1), p, points_each(plan));
    run->used = used;
    return status;
}

/* ---- many points, and elements far apart ------------------------------------------------------- */

static int64_t elements_of(const gndi_index_plan *plan) {
    int64_t elements = 1;
    for (int k = 0; k < plan->indices; k++)
        if (__builtin_mul_overflow(elements, plan->index[k].size, &elements)) return INT64_MAX;
    return elements;
}

/* Whether the plan is what sorting does: one axis of points, each of one element, by indices alone. */
static bool sorts(const gndi_index_plan *plan) {
    if (plan->ndim != 1 || plan->indices == 0 || plan->mode != GNDI_INDEX_RAISE) return false;
    for (int k = 0; k < plan->indices; k++)
        if (plan->index[k].modulo) return false;
    const int64_t elements = elements_of(plan);
    return plan->points >= SORT_POINTS && elements >= SORT_ELEMENTS && elements < INT64_MAX;
}

static gnd_status store_last(const gndi_cuda_run *run, const gndi_scatter_plan *plan, const gndi_sorted_updates *order,
                             int itemsize) {
    gndi_last_params p = {.updates = plan->updates, .elements = plan->targets};
    p.keys = order->keys, p.key_bytes = order->key_bytes;
    p.position_bytes = order->value_bytes;
    *(order->elements ? &p.values : &p.positions) = order->values;
    p.value = plan->value.data, p.value_step = plan->value.step;
    p.array = plan->target.data, p.axes = plan->indices;
    for (int k = 0; k < plan->indices; k++) p.size[k] = plan->index[k].size, p.step[k] = plan->index[k].stride;
    const int64_t a_block = GNDI_INDEX_THREADS * GNDI_LAST_EACH;
    return gndi_cuda_run_launch(run, gndi_cuda_last_kernel(itemsize), (p.updates + a_block - 1) / a_block,
                                GNDI_INDEX_THREADS, 0, &p);
}

static gnd_status set_sorted(gndi_cuda_run *run, const gndi_index_plan *plan) {
    static const gnd_dtype words[] = {
        [1] = GND_UINT8, [2] = GND_UINT16, [4] = GND_UINT32, [8] = GND_UINT64, [16] = GND_COMPLEX128};
    gndi_scatter_plan updates;
    gndi_sorted_updates order;
    memset(&updates, 0, sizeof updates);
    updates.updates = plan->points, updates.targets = elements_of(plan), updates.columns = 1;
    updates.indices = plan->indices;
    for (int k = 0; k < plan->indices; k++) {
        const struct gndi_index_list *from = &plan->index[k];
        updates.index[k] = (struct gndi_scatter_index){.data = from->data,
                                                       .dtype = from->dtype,
                                                       .axis = from->axis,
                                                       .step = from->stride[0],
                                                       .size = from->size,
                                                       .stride = from->step};
    }
    updates.target.data = plan->array.data;
    updates.value.data = plan->value.data, updates.value.step = plan->value.stride[0];
    updates.value.dtype = (uint8_t)words[plan->itemsize];
    const size_t used = run->used;
    gnd_status status = gndi_cuda_sort_updates(run, &updates, &order);
    if (!status) status = store_last(run, &updates, &order, plan->itemsize);
    run->used = used;
    return status;
}

/* ---- the backend's function ----------------------------------------------------------------- */

static gnd_status launch_plan(gndi_cuda_run *run, const gndi_index_plan *plan) {
    gndi_index_params p;
    if (!strides_fit(plan)) return peel(run, plan);
    if (plan->points > largest) return halve(run, plan);
    describe(&p, run->stream, plan);
    if (order_matters(plan)) return sorts(plan) ? set_sorted(run, plan) : set_last(run, plan, &p);
    if (takes_rows(plan)) return launch_rows(run, plan, &p);
    const bool one = plan->ndim <= 1;
    const void *kernel = plan->offsets ? gndi_cuda_index_offsets_kernel(one)
                         : plan->set   ? gndi_cuda_index_set_kernel(plan->itemsize, one)
                                       : gndi_cuda_index_get_kernel(plan->itemsize, one);
    return launch(run, kernel, &p, points_each(plan));
}
static gnd_status carry_out(gndi_cuda_run *run, const void *plan) {
    return launch_plan(run, plan);
}

gnd_status gndi_cuda_index(gnd_stream *s, const gndi_index_plan *plan, const char *fn) {
    gndi_index_plan wide = *plan;
    if (plan->offsets) wide.itemsize = sizeof(int64_t);
    widen(&wide);
    if (order_matters(&wide)) return gndi_cuda_carry_out(s, fn, carry_out, &wide);
    return launch_plan(&(gndi_cuda_run){.stream = s, .fn = fn}, &wide); /* needs no memory */
}
