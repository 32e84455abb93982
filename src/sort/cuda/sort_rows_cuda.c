/*
 * sort_rows_cuda.c: sorts, partitions and picks the first of rows on a GPU: chooses between blocks
 * that sort rows whole, radix passes, and selection.
 */
#include "elementwise/cuda/copy_launch.h"
#include "sort/cuda/sort_launch.h"
#include "runtime/cuda/runtime_cuda.h"
#include <stdlib.h>

/* ---- what the launchers share --------------------------------------------------------------- */

int gndi_sort_class(uint8_t dtype) {
    const int size = gndi_dtype_sizes[dtype];
    if (dtype == GND_COMPLEX128) return GNDI_SORT_C16;
    if (dtype == GND_COMPLEX64) return GNDI_SORT_C8;
    return size == 1 ? GNDI_SORT_1 : size == 2 ? GNDI_SORT_2 : size == 4 ? GNDI_SORT_4 : GNDI_SORT_8;
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

int64_t gndi_sort_shared_bytes(gnd_stream *s) {
    enum { OWN = 1024 };
    return s->device->shared_bytes - OWN;
}

bool gndi_sort_lies_across(const gndi_sort_plan *plan, const struct gndi_sort_operand *operand) {
    return plan->ndim > 0 && llabs(operand->stride[plan->ndim - 1]) < llabs(operand->step);
}

/* ---- rows of elements that are far apart ----------------------------------------------------- */

enum {
    SECTOR = 32,
    WORTH_A_COPY = 1 << 16, /* elements */
    MOST_COPIED = 1 << 25,  /* at once */
    LEAST_COPIED = 1 << 20,
    COPIES = 4, /* at least, if there are indices, which take more memory than most elements */
};

/* Whether a kernel would touch a sector of memory for each element. */
static bool far_apart(gnd_stream *s, const gndi_sort_plan *plan, const struct gndi_sort_operand *operand,
                      int64_t size) {
    const int64_t rows = gndi_sort_block_rows(s, plan);
    return operand->data && gndi_sort_lies_across(plan, operand) && rows * size < SECTOR &&
           plan->rows * plan->length >= WORTH_A_COPY;
}

/* Copies rows of `length` between an operand and dense memory. */
static gnd_status copy_rows(const gndi_cuda_run *run, const gndi_sort_plan *plan, int64_t length, uint8_t dtype,
                            const struct gndi_sort_operand *to, const struct gndi_sort_operand *from) {
    if (run->measures) return GND_OK;
    gndi_cuda_copy copy = gndi_cuda_copy_new(to->data, dtype, from->data, dtype);
    gndi_cuda_copy_axis(&copy, length, to->step, from->step);
    for (int i = 0; i < plan->ndim; i++) gndi_cuda_copy_axis(&copy, plan->shape[i], to->stride[i], from->stride[i]);
    return gndi_cuda_copy_run(run->stream, &copy, run->fn);
}

static struct gndi_sort_operand dense_rows(const gndi_sort_plan *plan, void *data, int64_t length, int64_t size) {
    struct gndi_sort_operand operand = {.data = data, .step = size};
    int64_t stride = length * size;
    for (int i = plan->ndim - 1; i >= 0; i--) operand.stride[i] = stride, stride *= plan->shape[i];
    return operand;
}

/* Memory for such rows. */
static struct gndi_sort_operand new_rows(gndi_cuda_run *run, const gndi_sort_plan *plan, int64_t length, int64_t size) {
    return dense_rows(plan, gndi_cuda_take(run, plan->rows * length * size), length, size);
}

/* ---- the choice ------------------------------------------------------------------------------ */

static gnd_status sort_whole(gndi_cuda_run *run, const gndi_sort_plan *plan, bool gathers) {
    return gndi_sort_block_rows(run->stream, plan) ? gndi_sort_in_blocks(run, plan, gathers)
                                                   : gndi_sort_by_radix(run, plan, gathers);
}

/* The first of long rows: `count` of each are picked, then sorted by themselves. */
static gnd_status pick_first(gndi_cuda_run *run, const gndi_sort_plan *plan, int64_t parts) {
    const int64_t count = (parts ? parts : 1) * plan->keep;
    gndi_sort_plan picked = *plan, sorted = *plan;
    picked.out = new_rows(run, plan, count, gndi_dtype_sizes[plan->dtype]);
    if (plan->indices.data) picked.indices = new_rows(run, plan, count, 8);
    const gnd_status status =
        parts ? gndi_sort_first_rows(run, &picked, parts) : gndi_sort_split_rows(run, &picked, plan->keep - 1);
    if (status) return status;
    sorted.in = picked.out, sorted.length = count;
    if (plan->indices.data) sorted.start = picked.indices;
    return sort_whole(run, &sorted, false);
}

/* A few of each row, by one pass over it. */
static gnd_status take_few(gndi_cuda_run *run, const gndi_sort_plan *plan) {
    const int64_t parts = gndi_sort_first_parts(run->stream, plan);
    return parts > 1 ? pick_first(run, plan, parts) : gndi_sort_first_rows(run, plan, 1);
}

static gnd_status partition(gndi_cuda_run *run, const gndi_sort_plan *plan) {
    if (plan->in.data != plan->out.data) return gndi_sort_split_rows(run, plan, plan->kth[0]);
    gndi_sort_plan apart = *plan;
    apart.out = new_rows(run, plan, plan->length, gndi_dtype_sizes[plan->dtype]);
    const gnd_status status = gndi_sort_split_rows(run, &apart, plan->kth[0]);
    return status ? status : copy_rows(run, plan, plan->length, plan->dtype, &plan->out, &apart.out);
}

/* Rows by several indices are sorted whole: that, too, is a partition. */
static gnd_status carry_out(gndi_cuda_run *run, const gndi_sort_plan *plan) {
    const size_t used = run->used;
    const bool splits = !gndi_sort_block_rows(run->stream, plan) && plan->length <= GNDI_SORT_MOST_SPLIT;
    const gnd_status status = gndi_sort_first_takes(plan)                  ? take_few(run, plan)
                              : splits && plan->partial && plan->kths == 1 ? partition(run, plan)
                              : splits && plan->keep < plan->length        ? pick_first(run, plan, 0)
                                                                           : sort_whole(run, plan, true);
    run->used = used;
    return status;
}

/* Rows through dense memory: the copies coalesce, and cost less than the sort. */
static gnd_status sort_copied(gndi_cuda_run *run, const gndi_sort_plan *plan, void *values, void *indices) {
    const int64_t size = gndi_dtype_sizes[plan->dtype];
    const struct gndi_sort_operand value_rows = dense_rows(plan, values, plan->length, size);
    const struct gndi_sort_operand index_rows = dense_rows(plan, indices, plan->length, 8);
    gndi_sort_plan dense = *plan;
    gnd_status status = copy_rows(run, plan, plan->length, plan->dtype, &value_rows, &plan->in);
    if (status) return status;
    dense.ndim = plan->ndim > 0, dense.shape[0] = plan->rows; /* the rows are one axis now */
    dense.in = value_rows, dense.in.stride[0] = plan->length * size;
    if (plan->out.data) dense.out = dense.in;
    if (indices) dense.indices = index_rows, dense.indices.stride[0] = plan->length * 8;
    if (plan->length > GNDI_SORT_MOST_SPLIT) dense.keep = plan->length;
    status = carry_out(run, &dense);
    if (!status && plan->out.data) status = copy_rows(run, plan, plan->keep, plan->dtype, &plan->out, &value_rows);
    if (!status && indices) status = copy_rows(run, plan, plan->keep, GND_INT64, &plan->indices, &index_rows);
    return status;
}

static void advance(struct gndi_sort_operand *operand, int64_t steps) {
    if (operand->data) operand->data += steps * operand->stride[0];
}

/* So many rows at once that little memory is needed for them: the first so many need the most. */
static gnd_status sort_copy(gndi_cuda_run *run, const gndi_sort_plan *plan) {
    const int64_t size = gndi_dtype_sizes[plan->dtype];
    const int64_t all = plan->ndim ? plan->shape[0] : 1;
    const int64_t one = plan->rows / all * plan->length; /* elements */
    int64_t most = MOST_COPIED;
    if (plan->indices.data && most > all * one / COPIES) most = all * one / COPIES;
    if (most < LEAST_COPIED) most = LEAST_COPIED;
    const int64_t chunk = one >= most ? 1 : all < most / one ? all : most / one;
    gndi_sort_plan part = *plan;
    void *values = gndi_cuda_take(run, chunk * one * size);
    void *indices = plan->indices.data ? gndi_cuda_take(run, chunk * one * 8) : NULL;
    gnd_status status = GND_OK;
    for (int64_t first = 0; !status && first < (run->measures ? 1 : all); first += chunk) {
        const int64_t count = all - first < chunk ? all - first : chunk;
        part.shape[0] = count, part.rows = plan->rows / all * count;
        status = sort_copied(run, &part, values, indices);
        advance(&part.in, count), advance(&part.out, count), advance(&part.indices, count);
    }
    return status;
}

static gnd_status sort(gndi_cuda_run *run, const void *given) {
    const gndi_sort_plan *plan = given;
    const int64_t size = gndi_dtype_sizes[plan->dtype];
    const bool is_far = far_apart(run->stream, plan, &plan->in, size) ||
                        far_apart(run->stream, plan, &plan->out, size) ||
                        far_apart(run->stream, plan, &plan->indices, 8);
    const bool is_long = plan->keep < plan->length && plan->length > GNDI_SORT_MOST_SPLIT;
    return (is_far && !plan->start.data) || is_long ? sort_copy(run, plan) : carry_out(run, plan);
}

gnd_status gndi_cuda_sort(gnd_stream *s, const gndi_sort_plan *plan, const char *fn) {
    return gndi_cuda_carry_out(s, fn, sort, plan);
}
