/*
 * scatter_cuda.c: ufunc.at on CUDA. Updates are sorted by their target element (a stable radix sort over as
 * many bits as needed; few of them by the kernel that finds the elements). The updates of each element are then
 * applied one after the other, by one thread for each column: no atomics, and the same bits on every run.
 */
#include "reduce/cuda/operator_cuda.h"
#include "index/cuda/scatter_launch.h"
#include "index/cuda/scatter_params.h"
#include "kernels/cuda/sort_cuda.h"

const void *gndi_cuda_keys_kernel(void); /* scatter_kernels.cu */
const void *gndi_cuda_few_updates_kernel(void);

enum { LOG_TILE = 7, TILE_LANES = 3, WARP = 5, NARROW = 16 };

/* ---- keys ----------------------------------------------------------------------------------- */

static gnd_status make_keys(const gndi_cuda_run *run, const gndi_scatter_plan *plan, const gndi_sorted_updates *to,
                            void *keys, void *positions, const void *elements) {
    gndi_key_params p;
    memset(&p, 0, sizeof p);
    p.updates = plan->updates, p.targets = plan->targets;
    p.keys = keys, p.key_bytes = to->key_bytes;
    if (positions) p.positions = positions, p.position_bytes = to->value_bytes;
    p.elements = elements;
    p.axes = plan->indices;
    p.fault = gndi_fault_record(run->stream->device);
    for (int i = 0; i < plan->indices; i++) {
        const struct gndi_scatter_index *from = &plan->index[i];
        p.axis[i] = (gndi_key_axis){
            .data = from->data, .step = from->step, .size = from->size, .dtype = from->dtype, .axis = from->axis};
    }
    if (p.updates <= GNDI_KEY_FEW)
        return gndi_cuda_run_launch(run, gndi_cuda_few_updates_kernel(), 1, GNDI_KEY_FEW, 0, &p);
    const int64_t a_block = GNDI_KEY_THREADS * GNDI_KEY_EACH;
    return gndi_cuda_run_launch(run, gndi_cuda_keys_kernel(), (p.updates + a_block - 1) / a_block, GNDI_KEY_THREADS, 0,
                                &p);
}

/* ---- sorting -------------------------------------------------------------------------------- */

static int bits_of(uint64_t n) {
    return n ? 64 - __builtin_clzll(n) : 1;
}

static gnd_status sort(gndi_cuda_run *run, const gndi_scatter_plan *plan, const gndi_sorted_updates *to,
                       const void *keys, const void *values) {
    const int bits = bits_of((uint64_t)plan->targets);
    const int value_bytes = to->values ? to->value_bytes : 0;
    void *work = NULL;
    size_t bytes = 0;
    gndi_cuda_radix_sort *const sorts = to->key_bytes == 4 ? gndi_cuda_radix_sort_words : gndi_cuda_radix_sort_longs;
    int error = sorts(work, &bytes, keys, to->keys, values, to->values, value_bytes, plan->updates, 0, bits,
                      run->stream->native);
    if (error) return gndi_cuda_check(error, run->fn, "preparing to sort indices");
    work = gndi_cuda_take(run, bytes ? (int64_t)bytes : 1);
    if (run->measures) return GND_OK;
    error = sorts(work, &bytes, keys, to->keys, values, to->values, value_bytes, plan->updates, 0, bits,
                  run->stream->native);
    if (error) cudaGetLastError();
    return gndi_cuda_check(error, run->fn, "sorting indices");
}

/* What goes along with the keys: nothing if every update takes the same value, the elements of `value`
   if they are dense words and there is one column, else the number of each update. */
static void choose_values(const gndi_scatter_plan *plan, gndi_sorted_updates *to) {
    const int64_t size = gndi_dtype_sizes[plan->value.dtype];
    to->key_bytes = plan->targets < UINT32_MAX ? 4 : 8;
    to->elements = false, to->value_bytes = 0;
    if (!plan->value.data) return;
    to->elements = plan->columns == 1 && plan->value.step == size && (size == 4 || size == 8);
    to->value_bytes = to->elements ? (int)size : plan->updates <= UINT32_MAX ? 4 : 8;
}

gnd_status gndi_cuda_sort_updates(gndi_cuda_run *run, const gndi_scatter_plan *plan, gndi_sorted_updates *to) {
    const int64_t n = plan->updates;
    const void *values = NULL;
    void *positions = NULL;
    choose_values(plan, to);
    to->keys = gndi_cuda_take(run, n * to->key_bytes);
    to->values = to->value_bytes ? gndi_cuda_take(run, n * to->value_bytes) : NULL;
    if (n <= GNDI_KEY_FEW)
        return make_keys(run, plan, to, to->keys, to->values, to->elements ? plan->value.data : NULL);
    const size_t used = run->used;
    void *keys = gndi_cuda_take(run, n * to->key_bytes);
    if (to->elements)
        values = plan->value.data;
    else if (to->value_bytes)
        values = positions = gndi_cuda_take(run, n * to->value_bytes);
    gnd_status status = make_keys(run, plan, to, keys, positions, NULL);
    if (!status) status = sort(run, plan, to, keys, values);
    run->used = used;
    return status;
}

/* ---- the folds ------------------------------------------------------------------------------ */

static void describe(gndi_fold_params *p, const gndi_scatter_plan *plan, const gndi_sorted_updates *from) {
    const gndi_op_info *info = &gndi_ops[plan->op];
    p->start = GNDI_FOLD_ELEMENT;
    p->in_dtype = plan->value.dtype, p->out_dtype = plan->target.dtype;
    p->rounds = true, p->swapped = plan->swapped;
    p->recasts = plan->target.dtype != gndi_letter_dtype(info->in[0], plan->loop) ||
                 plan->target.dtype != gndi_letter_dtype(info->out[0], plan->loop);
    p->columns = plan->columns, p->columns_first = true;
    p->length = plan->updates, p->targets = plan->targets;
    p->in = plan->value.data, p->in_step = plan->value.step;
    memcpy(p->value, &plan->value.number, sizeof p->value);
    p->out = plan->target.data;
    p->keys = from->keys, p->key_bytes = (uint8_t)from->key_bytes;
    if (from->elements)
        p->in = from->values;
    else if (from->values)
        p->positions = from->values, p->position_bytes = (uint8_t)from->value_bytes;
    p->column_ndim = plan->ndim, p->inner_ndim = plan->indices;
    gndi_fold_copy(p->shape, plan->ndim, plan->shape);
    gndi_fold_copy(p->in_stride, plan->ndim, plan->value.stride);
    gndi_fold_copy(p->out_stride, plan->ndim, plan->target.stride);
    for (int i = 0; i < plan->indices; i++) {
        p->shape[plan->ndim + i] = plan->index[i].size;
        p->in_stride[plan->ndim + i] = plan->index[i].stride;
    }
}

/* A unit for each target, if there are few, else one for each update. */
static gnd_status fold(gnd_stream *s, const gndi_fold_kernel *k, const gndi_scatter_plan *plan,
                       const gndi_sorted_updates *from, const char *fn) {
    gndi_buffer *tiles = NULL;
    gndi_fold_params p;
    gnd_status status = GND_OK;
    gndi_fold_clear(&p, s);
    describe(&p, plan, from);
    if (k->associative && !p.recasts) {
        p.log_tile = LOG_TILE;
        p.log_lanes = plan->columns < NARROW ? TILE_LANES : 0;
        status = gndi_fold_tiles(s, k, &p, &tiles, fn);
        p.log_lanes = 0;
        /* Long runs are a warp's work. */
        if (tiles && plan->columns < NARROW && plan->updates / plan->targets >> LOG_TILE > 0) p.log_lanes = WARP;
    }
    const bool few = plan->targets <= plan->updates / 2;
    p.mode = few ? GNDI_FOLD_INDICES : GNDI_FOLD_HEADS;
    p.items = few ? plan->targets : plan->updates;
    if (!status) status = gndi_fold_launch(s, k, &p, fn);
    if (tiles) gndi_buffer_release(tiles);
    return status;
}

static gnd_status scatter(gndi_cuda_run *run, const void *given) {
    const gndi_scatter_plan *plan = given;
    gndi_sorted_updates order;
    const gnd_status status = gndi_cuda_sort_updates(run, plan, &order);
    if (status || run->measures) return status;
    return fold(run->stream, gndi_fold_get(plan->op, plan->loop), plan, &order, run->fn);
}

gnd_status gndi_cuda_scatter(gnd_stream *s, const gndi_scatter_plan *plan, const char *fn) {
    if (!gndi_fold_get(plan->op, plan->loop)->kernel)
        return gndi_raise(GND_ERROR_DTYPE, fn, "\"%s\" has no kernel for %s", gndi_ops[plan->op].name,
                          gnd_dtype_name(plan->loop));
    return gndi_cuda_carry_out(s, fn, scatter, plan);
}
