/*
 * sort_rows_cuda.c: sorts, partitions and picks the first of rows on a GPU: chooses between blocks
 * that sort rows whole, radix passes, and selection.
 */
#include "kernels/cuda/copy_launch.h"
#include "kernels/cuda/sort_launch.h"
#include "runtime/runtime_cuda.h"
#include <stdlib.h>

/* ---- what the launchers share --------------------------------------------------------------- */

int gndi_sort_class(uint8_t dtype) {
    const int size = gndi_dtype_sizes[dtype];
    if (dtype == GND_COMPLEX128) return GNDI_SORT_C16;
    if (dtype == GND_COMPLEX64) return GNDI_SORT_C8;
    return size == 1   ? GNDI_SORT_1
           : size == 2 ? GNDI_SORT_2
           : size == 4 ? GNDI_SORT_4
                       : GNDI_SORT_8;
}

static uint64_t infinity_bits(uint8_t dtype) {
    switch (dtype) {
    case GND_FLOAT16: return 0x7c00;
    case GND_BFLOAT16: return 0x7f80;
    case GND_FLOAT32:
    case GND_COMPLEX64: return 0x7f800000;
    default: return UINT64_C(0x7ff0000000000000);
    }
}

gndi_sort_rule gndi_sort_rule_of(uint8_t dtype, bool descending) {
    const int bytes = gndi_dtype_sizes[dtype] >> gndi_dtype_is_complex(dtype);
    const uint64_t all = ~UINT64_C(0) >> (64 - 8 * bytes), top = all ^ all >> 1;
    gndi_sort_rule r = {.top = top, .last = all, .flip = descending ? ~UINT64_C(0) : 0};
    if (gndi_dtype_is_float(dtype) || gndi_dtype_is_complex(dtype)) {
        const uint64_t infinity = infinity_bits(dtype);
        r.negative = all, r.positive = top;
        r.shift = ~(infinity | top) & all; /* what -infinity would be, had it no shift */
        r.last = ((infinity | top) - r.shift) & all;
        r.zero = (top - r.shift) & all, r.negative_zero = r.zero - 1;
    } else if (gndi_dtype_is_int(dtype) && (dtype - GND_INT8) % 2 == 0) {
        r.negative = r.positive = top;
    }
    return r;
}

int64_t gndi_sort_shared_room(gnd_stream *s) {
    enum { OWN = 1024 };
    int bytes = 0;
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, s->device->id.index);
    return bytes - OWN;
}

bool gndi_sort_lies_across(const gndi_sort_plan *plan, const struct gndi_sort_operand *operand) {
    return plan->ndim > 0 && llabs(operand->stride[plan->ndim - 1]) < llabs(operand->step);
}

/* ---- rows of elements that are far apart ----------------------------------------------------- */

enum {
    SECTOR = 32,
    WORTH_A_COPY = 1 << 16, /* elements */
    MOST_COPIED = 1 << 25,  /* at once */
};

/* Whether a kernel would touch a sector of memory for each element. */
static bool far_apart(gnd_stream *s, const gndi_sort_plan *plan,
                      const struct gndi_sort_operand *operand, int64_t size) {
    const int64_t rows = gndi_sort_block_rows(s, plan);
    return operand->data && gndi_sort_lies_across(plan, operand) && rows * size < SECTOR &&
           plan->rows * plan->length >= WORTH_A_COPY;
}

/* Copies rows of `length` between an operand and dense memory. */
static gnd_status copy_rows(gnd_stream *s, const gndi_sort_plan *plan, int64_t length,
                            uint8_t dtype, const struct gndi_sort_operand *to,
                            const struct gndi_sort_operand *from, const char *fn) {
    gndi_cuda_copy copy = gndi_cuda_copy_new(to->data, dtype, from->data, dtype);
    gndi_cuda_copy_axis(&copy, length, to->step, from->step);
    for (int i = 0; i < plan->ndim; i++)
        gndi_cuda_copy_axis(&copy, plan->shape[i], to->stride[i], from->stride[i]);
    return gndi_cuda_copy_run(s, &copy, fn);
}

static struct gndi_sort_operand dense_rows(const gndi_sort_plan *plan, char *data, int64_t length,
                                           int64_t size) {
    struct gndi_sort_operand operand = {.data = data, .step = size};
    int64_t stride = length * size;
    for (int i = plan->ndim - 1; i >= 0; i--) operand.stride[i] = stride, stride *= plan->shape[i];
    return operand;
}

/* ---- the choice ------------------------------------------------------------------------------ */

static gnd_status sort_whole(gnd_stream *s, const gndi_sort_plan *plan, bool gathers,
                             const char *fn) {
    return gndi_sort_block_rows(s, plan) ? gndi_sort_in_blocks(s, plan, gathers, fn)
                                         : gndi_sort_by_radix(s, plan, gathers, fn);
}

/* The first few of long rows: picked, then sorted by themselves. */
static gnd_status pick_first(gnd_stream *s, const gndi_sort_plan *plan, const char *fn) {
    const int64_t size = gndi_dtype_sizes[plan->dtype], n = plan->rows * plan->keep;
    gndi_sort_plan picked = *plan, sorted = *plan;
    gndi_buffer *values = gndi_buffer_new(fn, s, (size_t)(n * size));
    gndi_buffer *places = NULL;
    gnd_status status = values ? GND_OK : GND_ERROR_MEMORY;
    if (!status && plan->places.data && !(places = gndi_buffer_new(fn, s, (size_t)n * 8)))
        status = GND_ERROR_MEMORY;
    if (!status) {
        picked.out = dense_rows(plan, values->base, plan->keep, size);
        if (places) picked.places = dense_rows(plan, places->base, plan->keep, 8);
        status = gndi_sort_split_rows(s, &picked, plan->keep - 1, fn);
    }
    if (!status) {
        sorted.in = picked.out, sorted.length = plan->keep;
        if (places) sorted.start = picked.places;
        status = sort_whole(s, &sorted, false, fn);
    }
    if (values) gndi_buffer_release(values);
    if (places) gndi_buffer_release(places);
    return status;
}

static gnd_status partition(gnd_stream *s, const gndi_sort_plan *plan, const char *fn) {
    if (plan->in.data != plan->out.data) return gndi_sort_split_rows(s, plan, plan->kth[0], fn);
    const int64_t size = gndi_dtype_sizes[plan->dtype];
    gndi_sort_plan apart = *plan;
    gndi_buffer *values = gndi_buffer_new(fn, s, (size_t)(plan->rows * plan->length * size));
    if (!values) return GND_ERROR_MEMORY;
    apart.out = dense_rows(plan, values->base, plan->length, size);
    gnd_status status = gndi_sort_split_rows(s, &apart, plan->kth[0], fn);
    if (!status) status = copy_rows(s, plan, plan->length, plan->dtype, &plan->out, &apart.out, fn);
    gndi_buffer_release(values);
    return status;
}

/* Rows by several places are sorted whole: that, too, is a partition. */
static gnd_status carry_out(gnd_stream *s, const gndi_sort_plan *plan, const char *fn) {
    if (!gndi_sort_block_rows(s, plan) && plan->length <= GNDI_SORT_MOST_SPLIT) {
        if (plan->partial && plan->kths == 1) return partition(s, plan, fn);
        if (plan->keep < plan->length) return pick_first(s, plan, fn);
    }
    return sort_whole(s, plan, true, fn);
}

/* Rows through dense memory: the copies coalesce, and cost less than the sort. */
static gnd_status sort_copied(gnd_stream *s, const gndi_sort_plan *plan, char *values, char *places,
                              const char *fn) {
    const int64_t size = gndi_dtype_sizes[plan->dtype];
    const struct gndi_sort_operand value_rows = dense_rows(plan, values, plan->length, size);
    const struct gndi_sort_operand place_rows = dense_rows(plan, places, plan->length, 8);
    gndi_sort_plan dense = *plan;
    gnd_status status = copy_rows(s, plan, plan->length, plan->dtype, &value_rows, &plan->in, fn);
    if (status) return status;
    dense.ndim = plan->ndim > 0, dense.shape[0] = plan->rows; /* the rows are one axis now */
    dense.in = value_rows, dense.in.stride[0] = plan->length * size;
    if (plan->out.data) dense.out = dense.in;
    if (places) dense.places = place_rows, dense.places.stride[0] = plan->length * 8;
    if (plan->length > GNDI_SORT_MOST_SPLIT) dense.keep = plan->length;
    status = carry_out(s, &dense, fn);
    if (!status && plan->out.data)
        status = copy_rows(s, plan, plan->keep, plan->dtype, &plan->out, &value_rows, fn);
    if (!status && places)
        status = copy_rows(s, plan, plan->keep, GND_INT64, &plan->places, &place_rows, fn);
    return status;
}

static void advance(struct gndi_sort_operand *operand, int64_t steps) {
    if (operand->data) operand->data += steps * operand->stride[0];
}

/* So many rows at once that little memory is needed for them. */
static gnd_status sort_copy(gnd_stream *s, const gndi_sort_plan *plan, const char *fn) {
    const int64_t size = gndi_dtype_sizes[plan->dtype];
    const int64_t all = plan->ndim ? plan->shape[0] : 1;
    const int64_t one = plan->rows / all * plan->length; /* elements */
    const int64_t chunk = one >= MOST_COPIED        ? 1
                          : all < MOST_COPIED / one ? all
                                                    : MOST_COPIED / one;
    gndi_sort_plan part = *plan;
    gndi_buffer *values = gndi_buffer_new(fn, s, (size_t)(chunk * one * size));
    gndi_buffer *places = NULL;
    gnd_status status = values ? GND_OK : GND_ERROR_MEMORY;
    if (!status && plan->places.data &&
        !(places = gndi_buffer_new(fn, s, (size_t)(chunk * one) * 8)))
        status = GND_ERROR_MEMORY;
    for (int64_t first = 0; !status && first < all; first += chunk) {
        const int64_t count = all - first < chunk ? all - first : chunk;
        part.shape[0] = count, part.rows = plan->rows / all * count;
        status = sort_copied(s, &part, values->base, places ? places->base : NULL, fn);
        advance(&part.in, count), advance(&part.out, count), advance(&part.places, count);
    }
    if (values) gndi_buffer_release(values);
    if (places) gndi_buffer_release(places);
    return status;
}

gnd_status gndi_cuda_sort(gnd_stream *s, const gndi_sort_plan *plan, const char *fn) {
    const int64_t size = gndi_dtype_sizes[plan->dtype];
    const bool is_far = far_apart(s, plan, &plan->in, size) ||
                        far_apart(s, plan, &plan->out, size) ||
                        far_apart(s, plan, &plan->places, 8);
    const bool is_long = plan->keep < plan->length && plan->length > GNDI_SORT_MOST_SPLIT;
    if ((is_far && !plan->start.data) || is_long) return sort_copy(s, plan, fn);
    return carry_out(s, plan, fn);
}
