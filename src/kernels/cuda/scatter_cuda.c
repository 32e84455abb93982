/*
 * scatter_cuda.c: ufunc.at on CUDA. Updates are sorted by the place that they name, equal ones in
 * their order (a stable radix sort over as many bits as there are places), and each place's are then
 * applied one after the other by one thread a column: no atomics, and the same bits on every run.
 */
#include "kernels/cuda/operator_cuda.h"
#include "kernels/cuda/scatter_launch.h"
#include "kernels/cuda/scatter_params.h"
#include "kernels/cuda/sort_cuda.h"

const void *gndi_cuda_keys_kernel(void); /* scatter_kernels.cu */

enum { LOG_TILE = 7, TILE_LANES = 3, WARP = 5, NARROW = 16 };

static void drop(gndi_buffer *b) {
    if (b) gndi_buffer_release(b);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static gnd_status make_keys(gnd_stream *s, const gndi_scatter_plan *plan,
                            const gndi_sorted_updates *to, gndi_buffer *keys,
                            gndi_buffer *positions, const char *fn) {
    gndi_key_params p;
    memset(&p, 0, sizeof p);
    p.updates = plan->updates, p.places = plan->places;
    p.keys = keys->base, p.key_bytes = to->key_bytes;
    if (positions) p.positions = positions->base, p.position_bytes = to->value_bytes;
    p.axes = plan->indices;
    p.fault = s->device->fault;
    for (int i = 0; i < plan->indices; i++) {
        const struct gndi_scatter_index *from = &plan->index[i];
        p.axis[i] = (gndi_key_axis){.data = from->data,
                                    .step = from->step,
                                    .size = from->size,
                                    .dtype = from->dtype,
                                    .axis = from->axis};
    }
    const int64_t a_block = GNDI_KEY_THREADS * GNDI_KEY_EACH;
    void *argument = &p;
    const cudaError_t error = cudaLaunchKernel(
        gndi_cuda_keys_kernel(), (dim3){(unsigned)((p.updates + a_block - 1) / a_block), 1, 1},
        (dim3){GNDI_KEY_THREADS, 1, 1}, &argument, 0, (cudaStream_t)s->native);
    if (error) cudaGetLastError();
    return gndi_cuda_check((int)error, fn, "turning indices into keys");
}

/* ---- sorting -------------------------------------------------------------------------------- */

static int bits_of(uint64_t n) {
    return n ? 64 - __builtin_clzll(n) : 1;
}

static gnd_status sort(gnd_stream *s, const gndi_scatter_plan *plan, const gndi_sorted_updates *to,
                       const void *keys, const void *values, const char *fn) {
    const int bits = bits_of((uint64_t)plan->places);
    size_t bytes = 0;
    void *values_out = to->values ? to->values->base : NULL;
    const int value_bytes = to->values ? to->value_bytes : 0;
    int error = gndi_cuda_radix_sort(NULL, &bytes, keys, to->keys->base, to->key_bytes, values,
                                     values_out, value_bytes, plan->updates, 0, bits, s->native);
    if (error) return gndi_cuda_check(error, fn, "preparing to sort indices");
    gndi_buffer *work = gndi_buffer_new(fn, s, bytes ? bytes : 1);
    if (!work) return GND_ERROR_MEMORY;
    error = gndi_cuda_radix_sort(work->base, &bytes, keys, to->keys->base, to->key_bytes, values,
                                 values_out, value_bytes, plan->updates, 0, bits, s->native);
    gndi_buffer_release(work);
    if (error) cudaGetLastError();
    return gndi_cuda_check(error, fn, "sorting indices");
}

/* What goes along with the keys: nothing if every update takes the same value, the elements of `value`
   if they are dense words and there is one column, else the number of each update. */
static void choose_values(const gndi_scatter_plan *plan, gndi_sorted_updates *to) {
    const int64_t size = gndi_dtype_sizes[plan->value.dtype];
    to->key_bytes = plan->places < UINT32_MAX ? 4 : 8;
    to->elements = false, to->value_bytes = 0;
    if (!plan->value.data) return;
    to->elements = plan->columns == 1 && plan->value.step == size && (size == 4 || size == 8);
    to->value_bytes = to->elements ? (int)size : plan->updates <= UINT32_MAX ? 4 : 8;
}

gnd_status gndi_cuda_sort_updates(gnd_stream *s, const gndi_scatter_plan *plan,
                                  gndi_sorted_updates *to, const char *fn) {
    const size_t n = (size_t)plan->updates;
    gndi_buffer *keys, *positions = NULL;
    gnd_status status = GND_ERROR_MEMORY;
    choose_values(plan, to);
    to->values = NULL;
    keys = gndi_buffer_new(fn, s, n * (size_t)to->key_bytes);
    to->keys = keys ? gndi_buffer_new(fn, s, n * (size_t)to->key_bytes) : NULL;
    bool ready = to->keys != NULL;
    if (ready && to->value_bytes)
        ready = (to->values = gndi_buffer_new(fn, s, n * (size_t)to->value_bytes)) != NULL;
    if (ready && to->value_bytes && !to->elements)
        ready = (positions = gndi_buffer_new(fn, s, n * (size_t)to->value_bytes)) != NULL;
    if (ready) status = make_keys(s, plan, to, keys, positions, fn);
    if (!status)
        status = sort(s, plan, to, keys->base,
                      to->elements ? plan->value.data
                      : positions  ? positions->base
                                   : NULL,
                      fn);
    drop(keys);
    drop(positions);
    return status;
}

/* ---- the folds ------------------------------------------------------------------------------ */

static void describe(gndi_fold_params *p, const gndi_scatter_plan *plan,
                     const gndi_sorted_updates *from) {
    const gndi_op_info *info = &gndi_ops[plan->op];
    int64_t shape[GND_MAX_DIMS], stride[GND_MAX_DIMS];
    p->start = GNDI_FOLD_PLACE;
    p->in_dtype = plan->value.dtype, p->out_dtype = plan->target.dtype;
    p->rounds = true, p->swapped = plan->swapped;
    p->recasts = plan->target.dtype != gndi_letter_dtype(info->in[0], plan->loop) ||
                 plan->target.dtype != gndi_letter_dtype(info->out[0], plan->loop);
    p->columns = plan->columns, p->columns_first = true;
    p->length = plan->updates, p->places = plan->places;
    p->in = plan->value.data, p->in_step = plan->value.step;
    memcpy(p->value, &plan->value.number, sizeof p->value);
    p->out = plan->target.data;
    p->keys = from->keys->base, p->key_bytes = (uint8_t)from->key_bytes;
    if (from->elements)
        p->in = from->values->base;
    else if (from->values)
        p->positions = from->values->base, p->position_bytes = (uint8_t)from->value_bytes;
    gndi_fold_copy_axes(&p->column, plan->ndim, plan->shape);
    gndi_fold_copy_strides(p->column_in, plan->ndim, plan->value.stride);
    gndi_fold_copy_strides(p->column_out, plan->ndim, plan->target.stride);
    for (int i = 0; i < plan->indices; i++)
        shape[i] = plan->index[i].size, stride[i] = plan->index[i].stride;
    gndi_fold_copy_axes(&p->inner, plan->indices, shape);
    gndi_fold_copy_strides(p->inner_stride, plan->indices, stride);
}

/* A unit for each place, if there are few, else one for each update. */
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
        if (tiles && plan->columns < NARROW && plan->updates / plan->places >> LOG_TILE > 0)
            p.log_lanes = WARP;
    }
    const bool few = plan->places <= plan->updates / 2;
    p.mode = few ? GNDI_FOLD_PLACES : GNDI_FOLD_HEADS;
    p.items = few ? plan->places : plan->updates;
    if (!status) status = gndi_fold_launch(s, k, &p, fn);
    drop(tiles);
    return status;
}

gnd_status gndi_cuda_scatter_op(gnd_stream *s, const gndi_scatter_plan *plan, const char *fn) {
    const gndi_fold_kernel *k = gndi_fold_get(plan->op, plan->loop);
    gndi_sorted_updates order;
    if (!k->kernel)
        return gndi_raise(GND_ERROR_DTYPE, fn, "\"%s\" has no kernel for %s",
                          gndi_ops[plan->op].name, gnd_dtype_name(plan->loop));
    gnd_status status = gndi_cuda_sort_updates(s, plan, &order, fn);
    if (!status) status = fold(s, k, plan, &order, fn);
    drop(order.keys);
    drop(order.values);
    return status;
}
