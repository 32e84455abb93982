/*
 * reduce_dense_cuda.c: picks the dense kernel of a reduction (reduce_kernels.cuh, reduce_products.cuh)
 * by how many outputs there are, how long each is and which axis is contiguous.
 */
#include "reduce/cuda/reduce_layout.h"
#include "reduce/cuda/reduce_tables.h"
#include "runtime/runtime.h"

enum {
    SHORT_ROW = 64, /* elements */
    SHORT_ROW_BYTES = 512,
    SHORT_ROWS_BYTES = 16384, /* in all, at least */
    FLAT_COLUMNS = 512,
    FLAT_ELEMENTS = 8192,       /* least in a group */
    SCATTERED_LOADS = 40,       /* of a thread, before more threads share a run (96 us, 106 with 8 (m)) */
    SINGLE_RUN_BYTES = 1 << 24, /* least of a run that has a kernel of its own */
};
/* Bytes: vectors of such a run are counted in 32 bits. */
static const int64_t SINGLE_RUN_MOST = INT64_C(1) << 35;

/* Whether lifting an element of the input's dtype is all the casting that the loop needs. Sums and
   products modulo 2^64 are right modulo any smaller power of two. */
static bool casts_nothing(const gndi_reduce_plan *plan) {
    const int in = plan->in.dtype, loop = (int)plan->loop;
    switch (plan->reducer) {
    case GNDI_REDUCE_SUM:
    case GNDI_REDUCE_PRODUCT:
        return in == loop || (gndi_is_whole(in) && gndi_is_whole(loop) && loop != GND_BOOL) ||
               (gndi_dtype_is_half(in) && loop == GND_FLOAT32);
    case GNDI_REDUCE_ANY:
    case GNDI_REDUCE_ALL:
    case GNDI_REDUCE_COUNT: return true;
    default: return in == loop;
    }
}

/* The array that has the dense kernels of a reducer and an input's dtype; NULL if it has none. */
static const gndi_reduce_kernels *dense_table(int reducer, int dtype) {
    enum { PARTS = 7 }; /* two dtypes each, bool with the integers of 8 bits */
    static const gndi_reduce_kernels *const in_parts[GNDI_REDUCERS][PARTS] = {
        [GNDI_REDUCE_SUM] = {GNDI_REDUCE_EACH_PART(gndi_reduce_sum_kernels)},
        [GNDI_REDUCE_PRODUCT] = {GNDI_REDUCE_EACH_PART(gndi_reduce_product_kernels)},
        [GNDI_REDUCE_MINIMUM] = {GNDI_REDUCE_EACH_PART(gndi_reduce_minimum_kernels)},
        [GNDI_REDUCE_MAXIMUM] = {GNDI_REDUCE_EACH_PART(gndi_reduce_maximum_kernels)},
        [GNDI_REDUCE_ANY] = {GNDI_REDUCE_EACH_PART(gndi_reduce_count_kernels)},
        [GNDI_REDUCE_ALL] = {GNDI_REDUCE_EACH_PART(gndi_reduce_count_kernels)},
        [GNDI_REDUCE_COUNT] = {GNDI_REDUCE_EACH_PART(gndi_reduce_count_kernels)},
    };
    static const gndi_reduce_kernels *const whole[GNDI_REDUCERS] = {
        [GNDI_REDUCE_VARIANCE] = gndi_reduce_variance_kernels,
        [GNDI_REDUCE_ARGMIN] = gndi_reduce_index_kernels,
        [GNDI_REDUCE_ARGMAX] = gndi_reduce_index_kernels,
    };
    static const gndi_reduce_kernels *const doubles[GNDI_REDUCERS] = {
        [GNDI_REDUCE_SUM] = gndi_reduce_sum_kernels_doubles,
        [GNDI_REDUCE_PRODUCT] = gndi_reduce_product_kernels_doubles,
        [GNDI_REDUCE_MINIMUM] = gndi_reduce_minimum_kernels_doubles,
        [GNDI_REDUCE_MAXIMUM] = gndi_reduce_maximum_kernels_doubles,
        [GNDI_REDUCE_ANY] = gndi_reduce_count_kernels_doubles,
        [GNDI_REDUCE_ALL] = gndi_reduce_count_kernels_doubles,
        [GNDI_REDUCE_COUNT] = gndi_reduce_count_kernels_doubles,
    };
    if (dtype == GND_FLOAT64 && doubles[reducer]) return doubles[reducer];
    const gndi_reduce_kernels *part = in_parts[reducer][dtype < GND_INT16 ? 0 : dtype / 2 - 1];
    return part ? part : whole[reducer];
}

/* Those of fmin and fmax, of real floating numbers; NULL for other operators. */
static const gndi_reduce_kernels *extremes_table(gndi_op op, int dtype) {
    const bool halves = gndi_dtype_is_half(dtype), doubles = dtype == GND_FLOAT64;
    if (op == GNDI_OP_fmin)
        return doubles  ? gndi_reduce_fmin_kernels_doubles
               : halves ? gndi_reduce_fmin_kernels_halves
                        : gndi_reduce_fmin_kernels_floats;
    if (op == GNDI_OP_fmax)
        return doubles  ? gndi_reduce_fmax_kernels_doubles
               : halves ? gndi_reduce_fmax_kernels_halves
                        : gndi_reduce_fmax_kernels_floats;
    return NULL;
}

/* The dense kernels for a plan; NULL if it needs a mixed one. */
const gndi_reduce_kernels *gndi_reduce_dense_kernels(const gndi_reduce_plan *plan) {
    const gndi_reduce_kernels *table = dense_table(plan->reducer, plan->in.dtype);
    const bool squares = plan->reducer == GNDI_REDUCE_SUM && plan->map == GNDI_MAP_SQUARE;
    if (squares) table = gndi_reduce_squares_kernels;
    if (plan->reducer == GNDI_REDUCE_OPERATOR && plan->length) table = extremes_table(plan->op, plan->in.dtype);
    if (!table || plan->masked || (plan->map != GNDI_MAP_NONE && !squares) || !casts_nothing(plan)) return NULL;
    if (plan->kept_ndim > GNDI_REDUCE_AXES || plan->reduced_ndim > GNDI_REDUCE_AXES + 1) return NULL;
    return table[plan->in.dtype].rows ? &table[plan->in.dtype] : NULL;
}

uintptr_t gndi_reduce_alignment(const gndi_reduce_plan *plan, const struct gndi_reduce_operand *operand, bool skip_kept,
                                bool skip_run) {
    uintptr_t bits = (uintptr_t)operand->data;
    for (int a = 0; a < plan->kept_ndim - skip_kept; a++) bits |= (uintptr_t)operand->kept_stride[a];
    for (int a = 0; a < plan->reduced_ndim - skip_run; a++) bits |= (uintptr_t)operand->reduced_stride[a];
    return bits;
}

/* Outputs that follow each other can be stored as vectors, if their dtype is the natural one. */
static bool stores_vectors(const gndi_reduce_plan *plan, int out_size) {
    if (plan->out.kept_stride[plan->kept_ndim - 1] != out_size) return false;
    if (plan->reducer >= GNDI_REDUCE_ANY && plan->reducer != GNDI_REDUCE_OPERATOR) {
        if (plan->reducer != GNDI_REDUCE_COUNT || plan->has_start) return false;
    } else if (gndi_is_whole(plan->in.dtype) && plan->reducer <= GNDI_REDUCE_PRODUCT) {
        if (plan->out.dtype != GND_INT64 && plan->out.dtype != GND_UINT64) return false;
    } else if (plan->out.dtype != plan->in.dtype) {
        return false;
    }
    uintptr_t bits = (uintptr_t)plan->out.data;
    for (int a = 0; a < plan->kept_ndim - 1; a++) bits |= (uintptr_t)plan->out.kept_stride[a];
    return bits % 16 == 0;
}

static bool choose_flat(gndi_reduce_launch *l, const gndi_reduce_plan *plan, const gndi_reduce_kernels *k, int size,
                        bool in_packs) {
    gndi_reduce_params *p = &l->mixed.base;
    if (plan->reduced_ndim != 1) return false;
    const int64_t columns = plan->kept_shape[plan->kept_ndim - 1];
    const int vector = k->flat_vector, bytes = vector * size;
    const int most = k->flat_threads < FLAT_COLUMNS ? k->flat_threads : FLAT_COLUMNS;
    if (columns > most || p->run_step != columns * size) return false;
    uintptr_t group_bits = (uintptr_t)p->in;
    for (int a = 0; a < plan->kept_ndim - 1; a++) group_bits |= (uintptr_t)plan->in.kept_stride[a];
    if (group_bits % (uintptr_t)bytes || columns * p->length < FLAT_ELEMENTS) return false;
    if (columns / gndi_common_divisor((int)columns, vector) > most) return false;
    /* Threads of the columns' kernel that would have nothing to do. */
    const int64_t width = 32 * vector;
    const bool wasteful = plan->outputs == columns && gndi_ceil_div(columns, width) * width * 10 > columns * 11;
    if (in_packs && !wasteful && columns * size >= 256) return false;
    l->kernel = k->flat, l->resident = k->flat_resident;
    gndi_reduce_lay_out_flat(l, (int)columns, vector, size, k->flat_threads);
    return true;
}

/* Behind the input's last element. */
static const char *in_end(const gndi_reduce_plan *plan, int size) {
    const char *end = plan->in.data + size;
    for (int a = 0; a < plan->kept_ndim; a++) end += (plan->kept_shape[a] - 1) * plan->in.kept_stride[a];
    for (int a = 0; a < plan->reduced_ndim; a++) end += (plan->reduced_shape[a] - 1) * plan->in.reduced_stride[a];
    return end;
}

/* Packs of outputs, the first and the last of an axis perhaps not whole. */
static void choose_columns(gndi_reduce_launch *l, const gndi_reduce_plan *plan, const gndi_reduce_kernels *k,
                           int size) {
    gndi_reduce_params *p = &l->mixed.base;
    const int vector = k->column_vector, bytes = vector * size, last = plan->kept_ndim - 1;
    p->before = (int32_t)((uintptr_t)p->in % (uintptr_t)bytes) / size;
    p->columns = plan->kept_shape[last];
    p->column_out = plan->out.kept_stride[last];
    const int64_t packs = gndi_ceil_div(p->columns + p->before, vector);
    p->in -= p->before * size, p->out -= p->before * p->column_out;
    p->edges = p->before || p->columns % vector;
    p->in_end = in_end(plan, size);
    p->dense_out = !p->before && p->columns % vector == 0 && stores_vectors(plan, k->out_size);
    p->kept_shape[last] = packs;
    p->kept_in[last] = bytes, p->kept_out[last] = vector * p->column_out;
    p->outputs = p->outputs / p->columns * packs;
    if (k->few_rows && p->dense_out && plan->kept_ndim == 1 && plan->reduced_ndim == 1 && p->length <= 3) {
        l->kernel = k->few_rows;
        p->members = 1;
        p->groups = (int32_t)gndi_ceil_div(p->outputs, 8 / p->length * GNDI_REDUCE_THREADS);
        return;
    }
    l->kernel = k->columns, l->resident = k->columns_resident;
    gndi_reduce_lay_out_columns(l, vector, k->columns_flight, size);
}

/* Whether the input is one stream of rows of a few elements each. */
bool gndi_reduce_has_short_rows(const gndi_reduce_launch *l, const gndi_reduce_plan *plan, int size) {
    const gndi_reduce_params *p = &l->mixed.base;
    const int64_t row = p->run * size;
    return plan->kept_ndim == 1 && plan->reduced_ndim == 1 && p->length && p->run_step == size && p->run <= SHORT_ROW &&
           row <= SHORT_ROW_BYTES && plan->in.kept_stride[0] == row && (uintptr_t)p->in % 16 == 0 &&
           p->outputs * row >= SHORT_ROWS_BYTES;
}

bool gndi_reduce_choose_dense(gndi_reduce_launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_params *p = &l->mixed.base;
    const gndi_reduce_kernels *k = gndi_reduce_dense_kernels(plan);
    if (!k) return false;
    const int size = gndi_dtype_sizes[plan->in.dtype], kept = plan->kept_ndim;
    const bool run_dense = plan->reduced_ndim && p->run_step == size && p->length;
    const bool kept_dense = kept && plan->in.kept_stride[kept - 1] == size && p->length;
    const uintptr_t bits = gndi_reduce_alignment(plan, &plan->in, false, false);
    l->accumulator = k->accumulator;

    if (run_dense && bits % (uintptr_t)size == 0) {
        if (gndi_reduce_has_short_rows(l, plan, size)) {
            l->kernel = k->short_rows;
            gndi_reduce_lay_out_short_rows(l, size, true);
        } else if (k->single_run && p->outputs == 1 && p->pieces == 1 && p->run * size >= SINGLE_RUN_BYTES &&
                   p->run * size < SINGLE_RUN_MOST) {
            l->kernel = k->single_run, l->threads = GNDI_REDUCE_SINGLE_RUN_THREADS, l->line = 1;
            p->groups = 1, p->members = l->processors * GNDI_REDUCE_SINGLE_RUN_RESIDENT;
        } else {
            const bool many = p->pieces > 1;
            l->resident = many ? GNDI_REDUCE_RESIDENT : k->rows_resident;
            gndi_reduce_lay_out_rows(l, 16 / size, many ? GNDI_REDUCE_FLIGHT : k->flight, size);
            l->kernel = many ? k->many_rows : p->pieces == 1 && p->members == 1 ? k->whole_rows : k->rows;
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
    const bool inner = !kept || (plan->reduced_ndim && p->run_step < plan->in.kept_stride[kept - 1]);
    l->least_packs = (int)gndi_max(l->least_packs, SCATTERED_LOADS);
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
    return x->dtype == y->dtype && memcmp(x->kept_stride, y->kept_stride, kept * sizeof(int64_t)) == 0 &&
           memcmp(x->reduced_stride, y->reduced_stride, reduced * sizeof(int64_t)) == 0;
}

/* Sums of products of two operands that lie alike, in whole vectors. */
bool gndi_reduce_choose_products(gndi_reduce_launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_params *p = &l->mixed.base;
    const gndi_reduce_kernels *k = &gndi_reduce_dot_kernels[plan->in.dtype];
    const int size = gndi_dtype_sizes[plan->in.dtype], kept = plan->kept_ndim;
    if (plan->reducer != GNDI_REDUCE_SUM || plan->map < GNDI_MAP_TIMES || !k->rows || plan->masked || !plan->length ||
        !casts_nothing(plan) || !lie_alike(plan) || kept > GNDI_REDUCE_AXES ||
        plan->reduced_ndim > GNDI_REDUCE_AXES + 1)
        return false;
    p->second = (intptr_t)plan->second.data - (intptr_t)plan->in.data;
    p->conjugate = plan->map == GNDI_MAP_CONJUGATE;
    l->accumulator = k->accumulator;
    if (plan->reduced_ndim && p->run_step == size) {
        const uintptr_t bits = gndi_reduce_alignment(plan, &plan->in, false, true) |
                               gndi_reduce_alignment(plan, &plan->second, false, true);
        if (bits % 16 || gndi_reduce_has_short_rows(l, plan, size)) return false;
        l->kernel = k->rows, l->resident = k->rows_resident;
        gndi_reduce_lay_out_rows(l, 16 / size, k->flight, size);
        return true;
    }
    if (kept && plan->in.kept_stride[kept - 1] == size) {
        const int vector = k->column_vector;
        const int64_t columns = plan->kept_shape[kept - 1];
        const uintptr_t bits = gndi_reduce_alignment(plan, &plan->in, true, false) |
                               gndi_reduce_alignment(plan, &plan->second, true, false);
        if (bits % (uintptr_t)(vector * size) || columns % vector || columns < 2 * vector) return false;
        l->most_lanes = 8;
        choose_columns(l, plan, k, size);
        return true;
    }
    return false;
}
