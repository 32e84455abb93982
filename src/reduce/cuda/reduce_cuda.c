/*
 * reduce_cuda.c: carries out a reduction on a GPU: by one of the dense kernels for elements of the
 * loop's own dtype (reduce_dense_cuda.c), else by a mixed one (reduce_mixed.cuh), which casts, maps
 * and masks. What these do not cast is copied to the loop's dtype first.
 */
#include "core/axes.h"
#include "reduce/cuda/operator_cuda.h"
#include "reduce/cuda/reduce_layout.h"
#include "reduce/cuda/reduce_tables.h"
#include "elementwise/plan.h"
#include "runtime/cuda/runtime_cuda.h"

static bool is_complex(int dtype) {
    return dtype == GND_COMPLEX64 || dtype == GND_COMPLEX128;
}

/* ---- mixed kernels --------------------------------------------------------------------------- */

static int class_of(const gndi_reduce_plan *plan) {
    const int loop = (int)plan->loop;
    const bool ordered = plan->reducer == GNDI_REDUCE_MINIMUM || plan->reducer == GNDI_REDUCE_MAXIMUM ||
                         plan->reducer == GNDI_REDUCE_RANGE || plan->reducer >= GNDI_REDUCE_ARGMIN;
    const bool real = plan->map >= GNDI_MAP_ABSOLUTE && plan->map <= GNDI_MAP_POWER;
    switch (loop) {
    case GND_FLOAT16:
    case GND_BFLOAT16:
    case GND_FLOAT32: return GNDI_CLASS_FLOAT32;
    case GND_FLOAT64: return GNDI_CLASS_FLOAT64;
    case GND_COMPLEX64: return real ? GNDI_CLASS_REAL_OF_COMPLEX64 : GNDI_CLASS_COMPLEX64;
    case GND_COMPLEX128: return real ? GNDI_CLASS_REAL_OF_COMPLEX128 : GNDI_CLASS_COMPLEX128;
    default: return ordered && gnd_dtype_kind((gnd_dtype)loop) == 'i' ? GNDI_CLASS_INT64 : GNDI_CLASS_UINT64;
    }
}

/* Of an array's three parts. */
#define OF_PARTS(others, doubles, complex)                                                                             \
    (class == GNDI_CLASS_FLOAT64    ? &(doubles)[class]                                                                \
     : class < GNDI_CLASS_COMPLEX64 ? &(others)[class]                                                                 \
                                    : &(complex)[class])
static const gndi_reduce_mixed_kernel *mixed_kernel(const gndi_reduce_plan *plan) {
    const int class = class_of(plan);
    switch (plan->reducer) {
    case GNDI_REDUCE_SUM:
        if (plan->map >= GNDI_MAP_TIMES) return &gndi_reduce_mixed_dots[class];
        return OF_PARTS(gndi_reduce_mixed_sums_real, gndi_reduce_mixed_sums_doubles, gndi_reduce_mixed_sums_complex);
    case GNDI_REDUCE_PRODUCT: return &gndi_reduce_mixed_products[class];
    case GNDI_REDUCE_MINIMUM:
    case GNDI_REDUCE_MAXIMUM:
    case GNDI_REDUCE_RANGE:
        return OF_PARTS(gndi_reduce_mixed_extents_real, gndi_reduce_mixed_extents_doubles,
                        gndi_reduce_mixed_extents_complex);
    case GNDI_REDUCE_MEAN:
        return OF_PARTS(gndi_reduce_mixed_means, gndi_reduce_mixed_means_doubles, gndi_reduce_mixed_means_complex);
    case GNDI_REDUCE_VARIANCE:
        return OF_PARTS(gndi_reduce_mixed_variances, gndi_reduce_mixed_variances_doubles,
                        gndi_reduce_mixed_variances_complex);
    case GNDI_REDUCE_ARGMIN:
    case GNDI_REDUCE_ARGMAX:
        return OF_PARTS(gndi_reduce_mixed_indices, gndi_reduce_mixed_indices_doubles,
                        gndi_reduce_mixed_indices_complex);
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
    if (gndi_dtype_is_half(loop)) return GND_DTYPE_NONE; /* what is cast is rounded */
    /* Where integers are ordered, the loop must hold them as they are. */
    if (gndi_is_whole(loop) && plan->reducer != GNDI_REDUCE_SUM && plan->reducer != GNDI_REDUCE_PRODUCT &&
        plan->reducer != GNDI_REDUCE_MEAN && !gnd_can_cast((gnd_dtype)in, (gnd_dtype)loop, GND_SAFE))
        return GND_DTYPE_NONE;
    if (plan->reducer == GNDI_REDUCE_MEAN && gndi_is_whole(loop) &&
        !gnd_can_cast((gnd_dtype)in, (gnd_dtype)loop, GND_SAFE))
        return GND_DTYPE_NONE;
    return (gnd_dtype)in;
}

/* Whether `vector` neighbours of the run can be loaded as one. */
static bool runs_in_packs(const gndi_reduce_plan *plan, const struct gndi_reduce_operand *operand, int vector) {
    const int size = gndi_dtype_sizes[operand->dtype];
    const int64_t bytes = gndi_min((int64_t)vector * size, 16);
    return plan->reduced_ndim && operand->reduced_stride[plan->reduced_ndim - 1] == size &&
           gndi_reduce_alignment(plan, operand, false, true) % (uintptr_t)bytes == 0;
}

static void choose_mixed(gndi_reduce_launch *l, const gndi_reduce_plan *plan) {
    gndi_reduce_mixed *g = &l->mixed;
    gndi_reduce_params *p = &g->base;
    const int kept = plan->kept_ndim, outer = p->outer_ndim, reduced = plan->reduced_ndim;
    const size_t kept_bytes = (size_t)kept * sizeof(int64_t), outer_bytes = (size_t)outer * sizeof(int64_t);
    const gndi_reduce_mixed_kernel *k = mixed_kernel(plan);
    l->kernel = k->kernel, l->accumulator = k->accumulator, l->resident = k->resident;
    g->in_dtype = (uint8_t)readable_as(plan, plan->in.dtype);
    g->loop = (uint8_t)plan->loop, g->map = (uint8_t)plan->map, g->power = plan->power;
    g->second = plan->map >= GNDI_MAP_TIMES ? plan->second.data : NULL;
    g->mask = plan->masked ? plan->mask.data : NULL;
    g->second_step = reduced && g->second ? plan->second.reduced_stride[outer] : 0;
    g->mask_step = reduced && g->mask ? plan->mask.reduced_stride[outer] : 0;
    const bool indexed = plan->reducer >= GNDI_REDUCE_ARGMIN;
    g->boolean = plan->loop == GND_BOOL;
    memcpy(g->shape, plan->kept_shape, kept_bytes);
    memcpy(g->in_stride, plan->in.kept_stride, kept_bytes);
    memcpy(g->result_stride, plan->out.kept_stride, kept_bytes);
    memcpy(g->shape + kept, plan->reduced_shape, outer_bytes);
    memcpy(g->in_stride + kept, plan->in.reduced_stride, outer_bytes);
    if (g->second) {
        memcpy(g->second_stride, plan->second.kept_stride, kept_bytes);
        memcpy(g->second_stride + kept, plan->second.reduced_stride, outer_bytes);
    }
    if (g->mask) {
        memcpy(g->mask_stride, plan->mask.kept_stride, kept_bytes);
        memcpy(g->mask_stride + kept, plan->mask.reduced_stride, outer_bytes);
    }
    if (indexed) memcpy(g->result_stride + kept, plan->index_stride, outer_bytes);

    const int size = gndi_dtype_sizes[plan->in.dtype];
    if (gndi_reduce_has_short_rows(l, plan, size)) {
        l->kernel = k->short_rows;
        g->vectors = g->second_vectors = g->mask_vectors = 0;
        gndi_reduce_lay_out_short_rows(l, size, false);
        return;
    }
    const int pack = is_complex((int)plan->loop) ? 2 : 4;
    const int flight = size * pack * 4 <= 64 ? 4 : 64 / (size * pack);
    const bool inner = !kept || (reduced && p->run_step < plan->in.kept_stride[kept - 1]) || p->outputs == 1;
    g->vectors = inner && runs_in_packs(plan, &plan->in, pack);
    g->second_vectors = g->vectors && g->second && runs_in_packs(plan, &plan->second, pack);
    g->mask_vectors = g->vectors && g->mask && runs_in_packs(plan, &plan->mask, pack);
    if (inner)
        gndi_reduce_lay_out_rows(l, g->vectors ? pack : 1, g->vectors ? flight : flight * pack, size);
    else
        gndi_reduce_lay_out_columns(l, 1, flight * pack, size);
    if (p->part % pack) p->part = (p->part + pack - 1) / pack * pack;
}

/* ---- what is cast beforehand ----------------------------------------------------------------- */

/* Copies an operand to the loop's dtype: `copied` replaces it, over the same axes; where it is
   broadcast, it stays so. */
static gnd_status copy_operand(gnd_stream *s, const gndi_reduce_plan *plan, struct gndi_reduce_operand *copied,
                               gndi_buffer **buffer, const char *fn) {
    const struct gndi_reduce_operand in = *copied;
    const int64_t itemsize = gndi_dtype_sizes[plan->loop];
    gndi_ew_plan copy = {.op = GNDI_OP_copy, .loop = plan->loop, .nin = 1, .nout = 1, .size = 1};
    int64_t number[GND_MAX_DIMS], *stride_of[GND_MAX_DIMS];
    int64_t *const to_sort[] = {copy.stride[1], number}, *const stride[] = {copy.stride[0], copy.stride[1]};
    gndi_walk w = {.operands = 2, .leaders = 1, .shape = copy.shape, .stride = to_sort};
    for (int a = 0; a < plan->kept_ndim + plan->reduced_ndim; a++) {
        const bool kept = a < plan->kept_ndim;
        const int k = kept ? a : a - plan->kept_ndim;
        int64_t *to = kept ? &copied->kept_stride[k] : &copied->reduced_stride[k];
        if (*to == 0) continue;
        stride_of[w.ndim] = to;
        gndi_walk_add(&w, kept ? plan->kept_shape[k] : plan->reduced_shape[k], (int64_t[]){*to, w.ndim});
    }
    /* In the order of the input's own strides, so that both are read and written alike. */
    gndi_walk_sort(&w, 0, w.ndim);
    for (int i = w.ndim - 1; i >= 0; i--) {
        copy.stride[0][i] = *stride_of[number[i]] = copy.size * itemsize;
        copy.size *= copy.shape[i];
    }
    w.stride = stride;
    copy.ndim = gndi_walk_merge(&w, 0, w.ndim);
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
        for (int a = 0; a < outer && a < GNDI_REDUCE_AXES; a++) p->outer_index[a] = plan->index_stride[a];
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

gnd_status gndi_reduce_find_tickets(const gnd_stream *s, unsigned **tickets, const char *fn) {
    static unsigned *_Atomic base[GNDI_MAX_GPUS];
    const int device = s->device->id.index;
    unsigned *all = atomic_load_explicit(&base[device], memory_order_relaxed);
    if (gndi_unlikely(!all)) {
        all = gndi_reduce_tickets();
        if (!all) return gndi_cuda_check((int)cudaGetLastError(), fn, "finding the reductions' tickets");
        atomic_store_explicit(&base[device], all, memory_order_relaxed);
    }
    *tickets = all + (size_t)s->slot * GNDI_REDUCE_TICKETS;
    return GND_OK;
}

static gnd_status launch(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn) {
    gndi_reduce_launch l;
    gndi_reduce_params *p = &l.mixed.base;
    gndi_buffer *workspace = NULL;
    l.processors = s->device->processors;
    describe(&l, plan);
    if (p->skip_nan && plan->reducer >= GNDI_REDUCE_ARGMIN) p->fault = &gndi_fault_record(s->device)->code;
    if (!gndi_reduce_choose_dense(&l, plan) && !gndi_reduce_choose_products(&l, plan)) choose_mixed(&l, plan);
    const unsigned blocks = (unsigned)p->groups * (unsigned)p->members;
    if (p->members > 1) {
        const gnd_status status = gndi_reduce_find_tickets(s, &p->tickets, fn);
        if (status) return status;
        workspace = gndi_buffer_new(fn, s, (size_t)blocks * (size_t)l.line * (size_t)l.accumulator);
        if (!workspace) return GND_ERROR_MEMORY;
        p->partials = workspace->base;
    }
    const gnd_status status = gndi_cuda_launch(s, l.kernel, blocks, (int)l.threads, 0, &l.mixed, fn);
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
    const bool cast = !gndi_reduce_dense_kernels(&plan) &&
                      (!readable_as(&plan, plan.in.dtype) || (two && plan.in.dtype != plan.second.dtype));
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
    if (plan->reducer == GNDI_REDUCE_OPERATOR && !gndi_reduce_dense_kernels(plan))
        return gndi_cuda_reduce_operator(s, plan, fn);
    const bool complex_product = plan->reducer == GNDI_REDUCE_PRODUCT && gndi_dtype_is_complex((int)plan->loop);
    if (complex_product && gndi_cuda_few_products(plan)) return gndi_cuda_products_in_order(s, plan, false, fn);
    const gnd_status status = reduce_cast(s, plan, fn);
    return status || !complex_product ? status : gndi_cuda_products_in_order(s, plan, true, fn);
}
