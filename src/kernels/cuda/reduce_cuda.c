/*
 * reduce_cuda.c: carries out a reduction on a GPU: looks at how many outputs there are, how long
 * each is and which axis is contiguous, and picks one of the kernels: the dense ones of
 * reduce_kernels.cuh for elements of the loop's own dtype, else a mixed one (reduce_mixed.cuh),
 * which casts, maps and masks. What these do not cast is copied to the loop's dtype first.
 */
#include "kernels/cuda/operator_cuda.h"
#include "kernels/cuda/operator_extremes.h"
#include "kernels/cuda/reduce_layout.h"
#include "kernels/plan.h"
#include "runtime/runtime_cuda.h"

enum {
    SHORT_ROW = 64, /* elements */
    SHORT_ROW_BYTES = 512,
    SHORT_ROWS_BYTES = 16384, /* in all, at least */
    FLAT_COLUMNS = 512,
    FLAT_ELEMENTS = 8192, /* least in a group */
    SCATTERED_LOADS = 40, /* of a thread, before more threads share a run (96 us, 106 with 8 (m)) */
    LONE_BYTES = 1 << 24, /* least of a run that has a kernel of its own */
};

static bool is_integer(int dtype) {
    return dtype == GND_BOOL || gndi_dtype_is_int(dtype);
}
static bool is_half(int dtype) {
    return dtype == GND_FLOAT16 || dtype == GND_BFLOAT16;
}
static bool is_complex(int dtype) {
    return dtype == GND_COMPLEX64 || dtype == GND_COMPLEX128;
}

/* ---- dense kernels --------------------------------------------------------------------------- */

/* Whether lifting an element of the input's dtype is all the casting that the loop needs. Sums and
   products modulo 2^64 are right modulo any smaller power of two. */
static bool casts_nothing(const gndi_reduce_plan *plan) {
    const int in = plan->in.dtype, loop = (int)plan->loop;
    switch (plan->reducer) {
    case GNDI_REDUCE_SUM:
    case GNDI_REDUCE_PRODUCT:
        return in == loop || (is_integer(in) && is_integer(loop) && loop != GND_BOOL) ||
               (is_half(in) && loop == GND_FLOAT32);
    case GNDI_REDUCE_ANY:
    case GNDI_REDUCE_ALL:
    case GNDI_REDUCE_COUNT: return true;
    default: return in == loop;
    }
}

/* The dense kernels for a plan; NULL if it needs a mixed one. */
static const gndi_reduce_kernels *dense_kernels(const gndi_reduce_plan *plan) {
    static const gndi_reduce_kernels *const tables[GNDI_REDUCERS] = {
        [GNDI_REDUCE_SUM] = gndi_reduce_sum_kernels,
        [GNDI_REDUCE_PRODUCT] = gndi_reduce_product_kernels,
        [GNDI_REDUCE_MINIMUM] = gndi_reduce_minimum_kernels,
        [GNDI_REDUCE_MAXIMUM] = gndi_reduce_maximum_kernels,
        [GNDI_REDUCE_ANY] = gndi_reduce_count_kernels,
        [GNDI_REDUCE_ALL] = gndi_reduce_count_kernels,
        [GNDI_REDUCE_COUNT] = gndi_reduce_count_kernels,
        [GNDI_REDUCE_VARIANCE] = gndi_reduce_variance_kernels,
        [GNDI_REDUCE_ARGMIN] = gndi_reduce_place_kernels,
        [GNDI_REDUCE_ARGMAX] = gndi_reduce_place_kernels,
    };
    const gndi_reduce_kernels *table = tables[plan->reducer];
    const bool squares = plan->reducer == GNDI_REDUCE_SUM && plan->map == GNDI_MAP_SQUARE;
    if (squares) table = gndi_reduce_squares_kernels;
    if (plan->reducer == GNDI_REDUCE_OPERATOR && plan->length)
        table = plan->op == GNDI_OP_fmin   ? gndi_reduce_fmin_kernels
                : plan->op == GNDI_OP_fmax ? gndi_reduce_fmax_kernels
                                           : NULL;
    if (!table || plan->masked || (plan->map != GNDI_MAP_NONE && !squares) || !casts_nothing(plan))
        return NULL;
    if (plan->kept_ndim > GNDI_REDUCE_AXES || plan->reduced_ndim > GNDI_REDUCE_AXES + 1)
        return NULL;
    return table[plan->in.dtype].rows ? &table[plan->in.dtype] : NULL;
}

/* The bits that the input's address and strides have set: what they are aligned to. */
static uintptr_t alignment_bits(const gndi_reduce_plan *plan,
                                const struct gndi_reduce_operand *operand, bool skip_kept,
                                bool skip_run) {
    uintptr_t bits = (uintptr_t)operand->data;
    for (int a = 0; a < plan->kept_ndim - skip_kept; a++)
        bits |= (uintptr_t)operand->kept_stride[a];
    for (int a = 0; a < plan->reduced_ndim - skip_run; a++)
        bits |= (uintptr_t)operand->reduced_stride[a];
    return bits;
}

/* Outputs that follow each other can be stored as vectors, if their dtype is the natural one. */
static bool stores_vectors(const gndi_reduce_plan *plan, int out_size) {
    if (plan->out.kept_stride[plan->kept_ndim - 1] != out_size) return false;
    if (plan->reducer >= GNDI_REDUCE_ANY && plan->reducer != GNDI_REDUCE_OPERATOR) {
        if (plan->reducer != GNDI_REDUCE_COUNT || plan->has_start) return false;
    } else if (is_integer(plan->in.dtype) && plan->reducer <= GNDI_REDUCE_PRODUCT) {
        if (plan->out.dtype != GND_INT64 && plan->out.dtype != GND_UINT64) return false;
    } else if (plan->out.dtype != plan->in.dtype) {
        return false;
    }
    uintptr_t bits = (uintptr_t)plan->out.data;
    for (int a = 0; a < plan->kept_ndim - 1; a++) bits |= (uintptr_t)plan->out.kept_stride[a];
    return bits % 16 == 0;
}

static int greatest_common_divisor(int a, int b) {
    return b ? greatest_common_divisor(b, a % b) : a;
}

static bool choose_flat(gndi_reduce_launch *l, const gndi_reduce_plan *plan,
                        const gndi_reduce_kernels *k, int size, bool in_packs) {
    gndi_reduce_params *p = &l->mixed.base;
    if (plan->reduced_ndim != 1) return false;
    const int64_t columns = plan->kept_shape[plan->kept_ndim - 1];
    const int vector = k->flat_vector, bytes = vector * size;
    const int most = k->flat_threads < FLAT_COLUMNS ? k->flat_threads : FLAT_COLUMNS;
    if (columns > most || p->run_step != columns * size) return false;
    uintptr_t group_bits = (uintptr_t)p->in;
    for (int a = 0; a < plan->kept_ndim - 1; a++) group_bits |= (uintptr_t)plan->in.kept_stride[a];
    if (group_bits % (uintptr_t)bytes || columns * p->length < FLAT_ELEMENTS) return false;
    if (columns / greatest_common_divisor((int)columns, vector) > most) return false;
    /* Threads of the columns' kernel that would have nothing to do. */
    const int64_t width = 32 * vector;
    const bool wasteful =
        plan->outputs == columns && gndi_quotient_up(columns, width) * width * 10 > columns * 11;
    if (in_packs && !wasteful && columns * size >= 256) return false;
    l->kernel = k->flat, l->resident = k->flat_resident;
    gndi_reduce_lay_out_flat(l, (int)columns, vector, size, k->flat_threads);
    return true;
}

/* Behind the input's last element. */
static const char *in_end(const gndi_reduce_plan *plan, int size) {
    const char *end = plan->in.data + size;
    for (int a = 0; a < plan->kept_ndim; a++)
        end += (plan->kept_shape[a] - 1) * plan->in.kept_stride[a];
    for (int a = 0; a < plan->reduced_ndim; a++)
        end += (plan->reduced_shape[a] - 1) * plan->in.reduced_stride[a];
    return end;
}

/* Packs of outputs, the first and the last of an axis perhaps not whole. */
static void choose_columns(gndi_reduce_launch *l, const gndi_reduce_plan *plan,
                           const gndi_reduce_kernels *k, int size) {
    gndi_reduce_params *p = &l->mixed.base;
    const int vector = k->column_vector, bytes = vector * size, last = plan->kept_ndim - 1;
    p->before = (int32_t)((uintptr_t)p->in % (uintptr_t)bytes) / size;
    p->columns = plan->kept_shape[last];
    p->column_out = plan->out.kept_stride[last];
    const int64_t packs = gndi_quotient_up(p->columns + p->before, vector);
    p->in -= p->before * size, p->out -= p->before * p->column_out;
    p->edges = p->before || p->columns % vector;
    p->in_end = in_end(plan, size);
    p->dense_out = !p->before && p->columns % vector == 0 && stores_vectors(plan, k->out_size);
    p->kept_shape[last] = packs;
    p->kept_in[last] = bytes, p->kept_out[last] = vector * p->column_out;
    p->outputs = p->outputs / p->columns * packs;
    if (k->thin && p->dense_out && plan->kept_ndim == 1 && plan->reduced_ndim == 1 &&
        p->length <= 3) {
        l->kernel = k->thin;
        p->members = 1;
        p->groups = (int32_t)gndi_quotient_up(p->outputs, 8 / p->length * GNDI_REDUCE_THREADS);
        return;
    }
    l->kernel = k->columns, l->resident = k->columns_resident;
    gndi_reduce_lay_out_columns(l, vector, k->columns_flight, size);
}

/* Whether the input is one stream of rows of a few elements each. */
static bool has_short_rows(const gndi_reduce_launch *l, const gndi_reduce_plan *plan, int size) {
    const gndi_reduce_params *p = &l->mixed.base;
    const int64_t row = p->run * size;
    return plan->kept_ndim == 1 && plan->reduced_ndim == 1 && p->length && p->run_step == size &&
           p->run <= SHORT_ROW && row <= SHORT_ROW_BYTES && plan->in.kept_stride[0] == row &&
           (uintptr_t)p->in % 16 == 0 && p->outputs * row >= SHORT_ROWS_BYTES;
}

static bool choose_dense(gndi_reduce_launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_params *p = &l->mixed.base;
    const gndi_reduce_kernels *k = dense_kernels(plan);
    if (!k) return false;
    const int size = gndi_dtype_sizes[plan->in.dtype], kept = plan->kept_ndim;
    const bool run_dense = plan->reduced_ndim && p->run_step == size && p->length;
    const bool kept_dense = kept && plan->in.kept_stride[kept - 1] == size && p->length;
    const uintptr_t bits = alignment_bits(plan, &plan->in, false, false);
    l->accumulator = k->accumulator;

    if (run_dense && bits % (uintptr_t)size == 0) {
        if (has_short_rows(l, plan, size)) {
            l->kernel = k->short_rows;
            gndi_reduce_lay_out_short_rows(l, size, true);
        } else if (k->lone && p->outputs == 1 && p->pieces == 1 && p->run * size >= LONE_BYTES) {
            l->kernel = k->lone, l->threads = GNDI_REDUCE_LONE_THREADS, l->line = 1;
            p->groups = 1, p->members = l->processors * GNDI_REDUCE_LONE_RESIDENT;
        } else {
            const bool many = p->pieces > 1;
            l->resident = many ? GNDI_REDUCE_RESIDENT : k->rows_resident;
            gndi_reduce_lay_out_rows(l, 16 / size, many ? GNDI_REDUCE_FLIGHT : k->flight, size);
            l->kernel = many                                ? k->many_rows
                        : p->pieces == 1 && p->members == 1 ? k->whole_rows
                                                            : k->rows;
        }
        return true;
    }
    if (kept_dense) {
        uintptr_t outer = 0;
        for (int a = 0; a < kept - 1; a++) outer |= (uintptr_t)plan->in.kept_stride[a];
        for (int a = 0; a < plan->reduced_ndim; a++) outer |= (uintptr_t)plan->in.reduced_stride[a];
        const uintptr_t bytes = (uintptr_t)(k->column_vector * size);
        const bool in_packs = outer % bytes == 0 && (uintptr_t)p->in % (uintptr_t)size == 0;
        if (choose_flat(l, plan, k, size, in_packs)) return true;
        if (in_packs && plan->kept_shape[kept - 1] >= 2 * k->column_vector) {
            choose_columns(l, plan, k, size);
            return true;
        }
    }
    l->kernel = k->scattered, l->resident = 4;
    const bool inner =
        !kept || (plan->reduced_ndim && p->run_step < plan->in.kept_stride[kept - 1]);
    l->least_packs = (int)gndi_larger(l->least_packs, SCATTERED_LOADS);
    if (inner)
        gndi_reduce_lay_out_rows(l, 1, 8, size);
    else
        gndi_reduce_lay_out_columns(l, 1, 8, size);
    return true;
}

/* Whether the second operand lies in memory as the first one does. */
static bool lie_alike(const gndi_reduce_plan *plan) {
    const struct gndi_reduce_operand *x = &plan->in, *y = &plan->second;
    const size_t kept = (size_t)plan->kept_ndim, reduced = (size_t)plan->reduced_ndim;
    return x->dtype == y->dtype &&
           memcmp(x->kept_stride, y->kept_stride, kept * sizeof(int64_t)) == 0 &&
           memcmp(x->reduced_stride, y->reduced_stride, reduced * sizeof(int64_t)) == 0;
}

/* Sums of products of two operands that lie alike, in whole vectors. */
static bool choose_products(gndi_reduce_launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_params *p = &l->mixed.base;
    const gndi_reduce_kernels *k = &gndi_reduce_dot_kernels[plan->in.dtype];
    const int size = gndi_dtype_sizes[plan->in.dtype], kept = plan->kept_ndim;
    if (plan->reducer != GNDI_REDUCE_SUM || plan->map < GNDI_MAP_TIMES || !k->rows ||
        plan->masked || !plan->length || !casts_nothing(plan) || !lie_alike(plan) ||
        kept > GNDI_REDUCE_AXES || plan->reduced_ndim > GNDI_REDUCE_AXES + 1)
        return false;
    p->second = (intptr_t)plan->second.data - (intptr_t)plan->in.data;
    p->conjugate = plan->map == GNDI_MAP_CONJUGATE;
    l->accumulator = k->accumulator;
    if (plan->reduced_ndim && p->run_step == size) {
        const uintptr_t bits = alignment_bits(plan, &plan->in, false, true) |
                               alignment_bits(plan, &plan->second, false, true);
        if (bits % 16 || has_short_rows(l, plan, size)) return false;
        l->kernel = k->rows, l->resident = k->rows_resident;
        gndi_reduce_lay_out_rows(l, 16 / size, k->flight, size);
        return true;
    }
    if (kept && plan->in.kept_stride[kept - 1] == size) {
        const int vector = k->column_vector;
        const int64_t columns = plan->kept_shape[kept - 1];
        const uintptr_t bits = alignment_bits(plan, &plan->in, true, false) |
                               alignment_bits(plan, &plan->second, true, false);
        if (bits % (uintptr_t)(vector * size) || columns % vector || columns < 2 * vector)
            return false;
        l->most_lanes = 8;
        choose_columns(l, plan, k, size);
        return true;
    }
    return false;
}

/* ---- mixed kernels --------------------------------------------------------------------------- */

static int class_of(const gndi_reduce_plan *plan) {
    const int loop = (int)plan->loop;
    const bool ordered = plan->reducer == GNDI_REDUCE_MINIMUM ||
                         plan->reducer == GNDI_REDUCE_MAXIMUM ||
                         plan->reducer == GNDI_REDUCE_RANGE || plan->reducer >= GNDI_REDUCE_ARGMIN;
    const bool real = plan->map >= GNDI_MAP_ABSOLUTE && plan->map <= GNDI_MAP_POWER;
    switch (loop) {
    case GND_FLOAT16:
    case GND_BFLOAT16:
    case GND_FLOAT32: return GNDI_CLASS_FLOAT32;
    case GND_FLOAT64: return GNDI_CLASS_FLOAT64;
    case GND_COMPLEX64: return real ? GNDI_CLASS_REAL_OF_COMPLEX64 : GNDI_CLASS_COMPLEX64;
    case GND_COMPLEX128: return real ? GNDI_CLASS_REAL_OF_COMPLEX128 : GNDI_CLASS_COMPLEX128;
    default:
        return ordered && gnd_dtype_kind((gnd_dtype)loop) == 'i' ? GNDI_CLASS_INT64
                                                                 : GNDI_CLASS_UINT64;
    }
}

static const gndi_reduce_mixed_kernel *mixed_kernel(const gndi_reduce_plan *plan) {
    const int class = class_of(plan);
    switch (plan->reducer) {
    case GNDI_REDUCE_SUM:
        return plan->map >= GNDI_MAP_TIMES ? &gndi_reduce_mixed_dots[class]
                                           : &gndi_reduce_mixed_sums[class];
    case GNDI_REDUCE_PRODUCT: return &gndi_reduce_mixed_products[class];
    case GNDI_REDUCE_MINIMUM:
    case GNDI_REDUCE_MAXIMUM:
    case GNDI_REDUCE_RANGE: return &gndi_reduce_mixed_extents[class];
    case GNDI_REDUCE_MEAN: return &gndi_reduce_mixed_means[class];
    case GNDI_REDUCE_VARIANCE: return &gndi_reduce_mixed_variances[class];
    case GNDI_REDUCE_ARGMIN:
    case GNDI_REDUCE_ARGMAX: return &gndi_reduce_mixed_places[class];
    default: return &gndi_reduce_mixed_counts[GNDI_CLASS_UINT64];
    }
}

/* As what dtype a mixed kernel reads the input; GND_DTYPE_NONE if it must be cast first. */
static gnd_dtype readable_as(const gndi_reduce_plan *plan, int in) {
    const int loop = (int)plan->loop;
    if (plan->reducer >= GNDI_REDUCE_ANY && plan->reducer <= GNDI_REDUCE_COUNT) {
        /* Integers of one size are zero alike. */
        static const uint8_t unsigned_of[] = {
            [1] = GND_UINT8, [2] = GND_UINT8, [4] = GND_UINT16, [6] = GND_UINT32, [8] = GND_UINT64};
        return (gnd_dtype)(in <= GND_INT64 && unsigned_of[in] ? unsigned_of[in] : in);
    }
    if (!(mixed_kernel(plan)->sources >> in & 1)) return GND_DTYPE_NONE;
    if (in == loop) return (gnd_dtype)in;
    if (is_half(loop)) return GND_DTYPE_NONE; /* what is cast is rounded */
    /* Where integers are ordered, the loop must hold them as they are. */
    if (is_integer(loop) && plan->reducer != GNDI_REDUCE_SUM &&
        plan->reducer != GNDI_REDUCE_PRODUCT && plan->reducer != GNDI_REDUCE_MEAN &&
        !gnd_can_cast((gnd_dtype)in, (gnd_dtype)loop, GND_SAFE))
        return GND_DTYPE_NONE;
    if (plan->reducer == GNDI_REDUCE_MEAN && is_integer(loop) &&
        !gnd_can_cast((gnd_dtype)in, (gnd_dtype)loop, GND_SAFE))
        return GND_DTYPE_NONE;
    return (gnd_dtype)in;
}

/* Whether `vector` neighbours of the run can be loaded as one. */
static bool runs_in_packs(const gndi_reduce_plan *plan, const struct gndi_reduce_operand *operand,
                          int vector) {
    const int size = gndi_dtype_sizes[operand->dtype];
    const int64_t bytes = gndi_smaller((int64_t)vector * size, 16);
    return plan->reduced_ndim && operand->reduced_stride[plan->reduced_ndim - 1] == size &&
           alignment_bits(plan, operand, false, true) % (uintptr_t)bytes == 0;
}

static void choose_mixed(gndi_reduce_launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_mixed *g = &l->mixed;
    gndi_reduce_params *p = &g->base;
    const int kept = plan->kept_ndim, outer = p->outer_ndim, reduced = plan->reduced_ndim;
    const size_t kept_bytes = (size_t)kept * sizeof(int64_t),
                 outer_bytes = (size_t)outer * sizeof(int64_t);
    const gndi_reduce_mixed_kernel *k = mixed_kernel(plan);
    l->kernel = k->kernel, l->accumulator = k->accumulator, l->resident = k->resident;
    g->in_dtype = (uint8_t)readable_as(plan, plan->in.dtype);
    g->loop = (uint8_t)plan->loop, g->map = (uint8_t)plan->map, g->power = plan->power;
    g->second = plan->map >= GNDI_MAP_TIMES ? plan->second.data : NULL;
    g->second_dtype = plan->second.dtype;
    g->mask = plan->masked ? plan->mask.data : NULL;
    g->second_step = reduced && g->second ? plan->second.reduced_stride[outer] : 0;
    g->mask_step = reduced && g->mask ? plan->mask.reduced_stride[outer] : 0;
    const bool places = plan->reducer >= GNDI_REDUCE_ARGMIN;
    g->boolean = plan->loop == GND_BOOL;
    memcpy(g->kept_shape, plan->kept_shape, kept_bytes);
    memcpy(g->kept_in, plan->in.kept_stride, kept_bytes);
    memcpy(g->kept_out, plan->out.kept_stride, kept_bytes);
    memcpy(g->outer_shape, plan->reduced_shape, outer_bytes);
    memcpy(g->outer_in, plan->in.reduced_stride, outer_bytes);
    if (g->second) {
        memcpy(g->kept_second, plan->second.kept_stride, kept_bytes);
        memcpy(g->outer_second, plan->second.reduced_stride, outer_bytes);
    }
    if (g->mask) {
        memcpy(g->kept_mask, plan->mask.kept_stride, kept_bytes);
        memcpy(g->outer_mask, plan->mask.reduced_stride, outer_bytes);
    }
    if (places) memcpy(g->outer_index, plan->index_stride, outer_bytes);

    const int size = gndi_dtype_sizes[plan->in.dtype];
    if (has_short_rows(l, plan, size)) {
        l->kernel = k->short_rows;
        g->vectors = g->second_vectors = g->mask_vectors = 0;
        gndi_reduce_lay_out_short_rows(l, size, false);
        return;
    }
    const int pack = is_complex((int)plan->loop) ? 2 : 4;
    const int flight = size * pack * 4 <= 64 ? 4 : 64 / (size * pack);
    const bool inner =
        !kept || (reduced && p->run_step < plan->in.kept_stride[kept - 1]) || p->outputs == 1;
    g->vectors = inner && runs_in_packs(plan, &plan->in, pack);
    g->second_vectors = g->vectors && g->second && runs_in_packs(plan, &plan->second, pack);
    g->mask_vectors = g->vectors && g->mask && runs_in_packs(plan, &plan->mask, pack);
    if (inner)
        gndi_reduce_lay_out_rows(l, g->vectors ? pack : 1, g->vectors ? flight : flight * pack,
                                 size);
    else
        gndi_reduce_lay_out_columns(l, 1, flight * pack, size);
    if (p->part % pack) p->part = (p->part + pack - 1) / pack * pack;
}

/* ---- what is cast beforehand ----------------------------------------------------------------- */

/* Copies an operand to the loop's dtype: `copied` replaces it, over the same axes; where it is
   broadcast, it stays so. */
static gnd_status copy_operand(gnd_stream *s, const gndi_reduce_plan *plan,
                               struct gndi_reduce_operand *copied, gndi_buffer **buffer,
                               const char *fn) {
    const struct gndi_reduce_operand in = *copied;
    const int64_t itemsize = gndi_dtype_sizes[plan->loop];
    gndi_ew_plan copy = {.op = GNDI_OP_copy, .loop = plan->loop, .nin = 1, .nout = 1, .size = 1};
    int64_t shape[2 * GND_MAX_DIMS], step[2 * GND_MAX_DIMS], *place[2 * GND_MAX_DIMS];
    int count = 0;
    for (int a = 0; a < plan->kept_ndim + plan->reduced_ndim; a++) {
        const bool kept = a < plan->kept_ndim;
        const int k = kept ? a : a - plan->kept_ndim;
        int64_t *to = kept ? &copied->kept_stride[k] : &copied->reduced_stride[k];
        if (*to == 0) continue;
        shape[count] = kept ? plan->kept_shape[k] : plan->reduced_shape[k];
        step[count] = *to, place[count++] = to;
    }
    /* In the order of the input's own strides, so that both are read and written alike. */
    for (int i = 1; i < count; i++)
        for (int j = i; j > 0; j--) {
            const int64_t size = shape[j], stride = step[j];
            int64_t *const to = place[j];
            if ((step[j - 1] < 0 ? -step[j - 1] : step[j - 1]) >= (stride < 0 ? -stride : stride))
                break;
            shape[j] = shape[j - 1], step[j] = step[j - 1], place[j] = place[j - 1];
            shape[j - 1] = size, step[j - 1] = stride, place[j - 1] = to;
        }
    for (int i = count - 1; i >= 0; i--) {
        *place[i] = copy.size * itemsize;
        copy.size *= shape[i];
    }
    /* Neighbours that both cross as one are merged. */
    for (int i = 0; i < count; i++) {
        const int n = copy.ndim;
        if (n && copy.stride[1][n - 1] == step[i] * shape[i]) {
            copy.shape[n - 1] *= shape[i];
            copy.stride[0][n - 1] = *place[i], copy.stride[1][n - 1] = step[i];
        } else {
            copy.shape[n] = shape[i];
            copy.stride[0][n] = *place[i], copy.stride[1][n] = step[i];
            copy.ndim++;
        }
    }
    *buffer = gndi_buffer_new(fn, s, (size_t)(copy.size * itemsize));
    if (!*buffer) return GND_ERROR_MEMORY;
    copied->data = (*buffer)->base, copied->dtype = (uint8_t)plan->loop;
    copy.operand[0].data = copied->data, copy.operand[0].dtype = copied->dtype;
    copy.operand[1].data = in.data, copy.operand[1].dtype = in.dtype;
    copy.uniform = in.dtype == plan->loop;
    copy.contiguous = copy.ndim == 0 || (copy.ndim == 1 && copy.stride[0][0] == itemsize &&
                                         copy.stride[1][0] == gndi_dtype_sizes[in.dtype]);
    return gndi_cuda_elementwise(s, &copy, fn);
}

/* ---- launching ------------------------------------------------------------------------------- */

/* What does not depend on the kernel. */
static void describe(gndi_reduce_launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_params *p = &l->mixed.base;
    const int reduced = plan->reduced_ndim, outer = reduced ? reduced - 1 : 0;
    memset(p, 0, sizeof *p);
    l->line = 0, l->threads = GNDI_REDUCE_THREADS;
    /* What is costly to join is joined by fewer threads; two operands are twice as much to read. */
    l->least_packs = plan->map >= GNDI_MAP_TIMES                                                ? 64
                     : plan->reducer >= GNDI_REDUCE_MEAN && plan->reducer <= GNDI_REDUCE_ARGMAX ? 32
                                                                                                : 8;
    l->most_lanes = plan->map >= GNDI_MAP_TIMES ? 1 : 8;
    p->in = plan->in.data, p->out = plan->out.data;
    p->outputs = plan->outputs, p->length = plan->length;
    p->run = reduced ? plan->reduced_shape[outer] : plan->length;
    p->run_step = reduced ? plan->in.reduced_stride[outer] : 0;
    p->pieces = p->length ? p->length / p->run : 1;
    p->kept_ndim = plan->kept_ndim, p->outer_ndim = outer;
    for (int a = 0; a < plan->kept_ndim && a < GNDI_REDUCE_AXES; a++) {
        p->kept_shape[a] = plan->kept_shape[a];
        p->kept_in[a] = plan->in.kept_stride[a];
        p->kept_out[a] = plan->out.kept_stride[a];
    }
    for (int a = 0; a < outer && a < GNDI_REDUCE_AXES; a++) {
        p->outer_shape[a] = plan->reduced_shape[a];
        p->outer_in[a] = plan->in.reduced_stride[a];
    }
    if (plan->reducer == GNDI_REDUCE_ARGMIN || plan->reducer == GNDI_REDUCE_ARGMAX) {
        p->reversed = plan->reducer == GNDI_REDUCE_ARGMIN;
        p->index_base = plan->index_base;
        p->index_step = reduced ? plan->index_stride[outer] : 0;
        for (int a = 0; a < outer && a < GNDI_REDUCE_AXES; a++)
            p->outer_index[a] = plan->index_stride[a];
    }
    p->finish = (uint8_t)plan->finish;
    p->divisor = plan->divisor, p->ddof = plan->ddof, p->power = plan->power;
    p->skip_nan = plan->map == GNDI_MAP_SKIP_NAN;
    p->has_start = plan->has_start, p->start_data = plan->start_data;
    memcpy(p->start, &plan->start, sizeof p->start);
    p->start_dtype = (uint8_t)plan->loop, p->out_dtype = plan->out.dtype;
    p->signed_sum = gnd_dtype_kind(plan->loop) == 'i';
    switch (plan->reducer) {
    case GNDI_REDUCE_ANY: p->store_as = GNDI_STORE_ANY; break;
    case GNDI_REDUCE_ALL: p->store_as = GNDI_STORE_ALL; break;
    case GNDI_REDUCE_MAXIMUM: p->store_as = GNDI_STORE_LARGEST; break;
    case GNDI_REDUCE_RANGE: p->store_as = GNDI_STORE_RANGE; break;
    default: p->store_as = 0; break;
    }
}

/* The stream's own tickets: work in one stream does not overlap. */
static unsigned *tickets_of(const gnd_stream *s) {
    static unsigned *_Atomic base[GNDI_MAX_GPUS];
    const int device = s->device->id.index;
    unsigned *tickets = atomic_load_explicit(&base[device], memory_order_relaxed);
    if (gndi_unlikely(!tickets)) {
        tickets = gndi_reduce_tickets();
        atomic_store_explicit(&base[device], tickets, memory_order_relaxed);
    }
    return tickets ? tickets + (size_t)s->slot * GNDI_REDUCE_TICKETS : NULL;
}

static gnd_status launch(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn) {
    gndi_reduce_launch l;
    gndi_reduce_params *p = &l.mixed.base;
    gndi_buffer *workspace = NULL;
    l.processors = s->device->processors;
    describe(&l, plan);
    if (p->skip_nan && plan->reducer >= GNDI_REDUCE_ARGMIN) p->fault = &s->device->fault->code;
    if (!choose_dense(&l, plan) && !choose_products(&l, plan)) choose_mixed(&l, plan);
    const unsigned blocks = (unsigned)p->groups * (unsigned)p->members;
    if (p->members > 1) {
        p->tickets = tickets_of(s);
        if (!p->tickets)
            return gndi_cuda_check((int)cudaGetLastError(), fn, "finding the reductions' tickets");
        workspace = gndi_buffer_new(fn, s, (size_t)blocks * (size_t)l.line * (size_t)l.accumulator);
        if (!workspace) return GND_ERROR_MEMORY;
        p->partials = workspace->base;
    }
    const gnd_status status =
        gndi_cuda_launch(s, l.kernel, blocks, (int)l.threads, 0, &l.mixed, fn);
    if (workspace) gndi_buffer_release(workspace);
    return status;
}

/* Plans that are written in another way for the kernels. */
static gnd_status reduce_cast(gnd_stream *s, const gndi_reduce_plan *given, const char *fn) {
    gndi_reduce_plan plan = *given;
    gndi_buffer *copies[2] = {NULL, NULL};
    gnd_status status = GND_OK;
    const bool two = plan.map >= GNDI_MAP_TIMES;
    /* All elements take part: divide the sum by their number. */
    if (plan.reducer == GNDI_REDUCE_MEAN && plan.map == GNDI_MAP_NONE && !plan.masked) {
        plan.reducer = GNDI_REDUCE_SUM, plan.finish = GNDI_FINISH_DIVIDE;
        plan.divisor = (double)plan.length;
        if (plan.loop == GND_BOOL) plan.loop = GND_INT64;
    }
    if (plan.length == 0) plan.in.dtype = plan.second.dtype = (uint8_t)plan.loop;
    const bool cast = !dense_kernels(&plan) && (!readable_as(&plan, plan.in.dtype) ||
                                                (two && plan.in.dtype != plan.second.dtype));
    if (cast && plan.length) {
        if (plan.in.dtype != plan.loop) status = copy_operand(s, &plan, &plan.in, &copies[0], fn);
        if (!status && two && plan.second.dtype != plan.loop)
            status = copy_operand(s, &plan, &plan.second, &copies[1], fn);
    }
    if (!status) status = launch(s, &plan, fn);
    for (int i = 0; i < 2; i++)
        if (copies[i]) gndi_buffer_release(copies[i]);
    return status;
}

gnd_status gndi_cuda_reduce(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn) {
    if (plan->reducer == GNDI_REDUCE_OPERATOR && !dense_kernels(plan))
        return gndi_cuda_reduce_operator(s, plan, fn);
    return reduce_cast(s, plan, fn);
}
