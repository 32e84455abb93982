/*
 * reduce_cpu.c: carries out a reduction on the CPU. Outputs are taken in tiles along the fastest
 * kept axis; if there are few tiles, the reduced axes are cut into blocks too, and their results
 * joined as a tree. Tiles and blocks depend on the geometry alone, never on the number of threads,
 * so the bits don't either. What is not contiguous elements of the right dtype is brought into that
 * form through a small buffer, elements that a mask leaves out being replaced by neutral ones.
 */
#include "kernels/cpu/cpu_kernels.h"
#include "kernels/reduce_plan.h"
#include "runtime/backend_kernels.h"

enum {
    RUN_TILE = 256,        /* outputs, where runs are reduced */
    ROW_TILE = 2048,       /* outputs, where rows are added to each other */
    NARROW = 64,           /* outputs: dense rows shorter than this are added several at a time */
    ROWS_APART = 64,       /* rows that are added before the sum goes to the total */
    BUFFER = 1024,         /* elements on their way through the buffer */
    TASKS = 64,            /* to cut the work into, if it is large enough */
    TASK_ELEMENTS = 65536, /* least in a block */
    STOP_EVERY = 8192,     /* elements, after which any and all look whether they are done */
    ACC_BYTES = 16,
};

/* Everything the pieces of one reduction need to know. */
typedef struct job {
    const gndi_reduce_plan *plan;
    const gndi_cpu_reduction *loops;
    bool direct;     /* nothing to cast or mask */
    bool by_rows;    /* outputs are nearer to each other than the elements of a run */
    gnd_dtype dtype; /* of the elements that the loops take */
    int in_size, size;
    int64_t step; /* between outputs of a tile */
    int64_t run, run_step;
    int outer_ndim;                    /* reduced axes before the run */
    int64_t tile, tiles_across, tiles; /* outputs a tile, tiles along the fastest kept axis, all */
    int64_t width;                     /* of that axis */
    int64_t block, blocks;             /* elements of an output's reduced axes in a block */
    char *partials;                    /* [tile][block][output] */
} job;

typedef char accumulators[ROW_TILE * ACC_BYTES] __attribute__((aligned(64)));

/* ---- places --------------------------------------------------------------------------------- */

/* The offsets of the index-th element of some axes in two operands. */
static void offsets_of(int64_t index, int ndim, const int64_t *shape, const int64_t *a,
                       const int64_t *b, int64_t *to_a, int64_t *to_b) {
    *to_a = *to_b = 0;
    for (int i = ndim - 1; i >= 0; i--) {
        const int64_t digit = i ? index % shape[i] : index;
        index = i ? index / shape[i] : 0;
        *to_a += digit * a[i];
        *to_b += digit * b[i];
    }
}

/* Tile number `tile`: which outputs, and where its first one lies in an operand. */
typedef struct place {
    int64_t first, count; /* along the fastest kept axis */
    int64_t in, out, mask;
} place;

static place place_of(const job *j, int64_t tile) {
    const gndi_reduce_plan *plan = j->plan;
    const int outer = plan->kept_ndim ? plan->kept_ndim - 1 : 0;
    place p;
    p.first = tile % j->tiles_across * j->tile;
    p.count = j->width - p.first < j->tile ? j->width - p.first : j->tile;
    offsets_of(tile / j->tiles_across, outer, plan->kept_shape, plan->in.kept_stride,
               plan->out.kept_stride, &p.in, &p.out);
    int64_t unused;
    offsets_of(tile / j->tiles_across, outer, plan->kept_shape, plan->mask.kept_stride,
               plan->mask.kept_stride, &p.mask, &unused);
    if (plan->kept_ndim) {
        p.in += p.first * plan->in.kept_stride[outer];
        p.out += p.first * plan->out.kept_stride[outer];
        p.mask += p.first * plan->mask.kept_stride[outer];
    }
    return p;
}

/* ---- one segment of the reduced axes -------------------------------------------------------- */

/* n elements (at most BUFFER) at any step, cast and masked, in `buffer`. */
static void fetch(const job *j, const char *in, int64_t step, const char *mask, int64_t mask_step,
                  int64_t n, char *buffer) {
    const gndi_cpu_kernels *kernels = gndi_cpu_kernels_get();
    char raw[BUFFER * 16] __attribute__((aligned(64)));
    const char *dense = in;
    const bool casts = j->plan->in.dtype != j->dtype;
    if (step != j->in_size) {
        char *to = casts ? raw : buffer;
        kernels->gather[__builtin_ctz((unsigned)j->in_size)](in, step, to, n);
        dense = to;
    }
    if (casts)
        kernels->cast[j->plan->in.dtype][j->dtype](dense, buffer, n);
    else if (dense != buffer)
        memcpy(buffer, dense, (size_t)(n * j->size));
    if (!mask) return;
    const bool all = j->plan->reducer == GNDI_REDUCE_ALL;
    char neutral[16] = {0};
    memcpy(neutral, j->loops->neutral, sizeof neutral);
    /* What is left out of `all` counts as true: one that is not zero in any dtype. */
    if (all) memset(neutral, 1, sizeof neutral);
    for (int64_t i = 0; i < n; i++)
        if (!mask[i * mask_step]) memcpy(buffer + i * j->size, neutral, (size_t)j->size);
}

/* Narrow dense rows: as many at a time as make a wide one, whose parts are joined in the end. */
static void add_narrow_rows(const job *j, const char *in, int64_t rows, int64_t n, char *acc) {
    accumulators wide;
    const int64_t at_once = ROW_TILE / 4 / n, whole = rows / at_once;
    j->loops->clear(wide, at_once * n);
    j->loops->rows(in, j->run_step * at_once, whole, at_once * n, wide);
    for (int64_t k = at_once / 2, left = at_once; left > 1; left -= k, k = left / 2)
        j->loops->join(wide, wide + (left - k) * n * j->loops->size, k * n);
    j->loops->join(acc, wide, n);
    j->loops->rows(in + whole * at_once * j->run_step, j->run_step, rows - whole * at_once, n, acc);
}

static void add_rows(const job *j, const char *in, const char *mask, int64_t rows, int64_t n,
                     int64_t mask_run, int64_t mask_step, char *acc) {
    accumulators part;
    char buffer[BUFFER * 16] __attribute__((aligned(64)));
    if (j->direct && j->step == j->in_size && n < NARROW && j->run_step == n * j->in_size &&
        rows > ROWS_APART) {
        /* In pieces, for the same reason as below. */
        const int64_t piece = (int64_t)ROWS_APART * (ROW_TILE / 4 / n);
        for (; rows > 0; rows -= piece, in += piece * j->run_step)
            add_narrow_rows(j, in, rows < piece ? rows : piece, n, acc);
        return;
    }
    for (int64_t row = 0; row < rows; row += ROWS_APART) {
        const int64_t some = rows - row < ROWS_APART ? rows - row : ROWS_APART;
        const char *from = in + row * j->run_step;
        j->loops->clear(part, n);
        if (j->direct && j->step == j->in_size) {
            j->loops->rows(from, j->run_step, some, n, part);
        } else {
            for (int64_t i = 0; i < some; i++)
                for (int64_t k = 0; k < n; k += BUFFER) {
                    const int64_t m = n - k < BUFFER ? n - k : BUFFER;
                    const char *masked = mask ? mask + (row + i) * mask_run + k * mask_step : NULL;
                    fetch(j, from + i * j->run_step + k * j->step, j->step, masked, mask_step, m,
                          buffer);
                    j->loops->rows(buffer, 0, 1, m, part + k * j->loops->size);
                }
        }
        j->loops->join(acc, part, n);
    }
}

static void add_runs(const job *j, const char *in, const char *mask, int64_t length, int64_t n,
                     int64_t mask_run, int64_t mask_step, char *acc) {
    char buffer[BUFFER * 16] __attribute__((aligned(64)));
    if (j->direct && j->run_step == j->in_size) {
        /* A lone output that is known already needs no more of its elements. */
        const bool may_stop =
            n == 1 && (j->plan->reducer == GNDI_REDUCE_ANY || j->plan->reducer == GNDI_REDUCE_ALL);
        const int64_t piece = may_stop ? STOP_EVERY : length;
        for (int64_t k = 0; k < length; k += piece) {
            const int64_t m = length - k < piece ? length - k : piece;
            const uint64_t before = may_stop ? *(const uint64_t *)acc : 0;
            j->loops->runs(in + k * j->run_step, j->step, m, n, acc);
            if (!may_stop) continue;
            const uint64_t found = *(const uint64_t *)acc - before;
            if (j->plan->reducer == GNDI_REDUCE_ANY ? found != 0 : found != (uint64_t)m) return;
        }
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < length; k += BUFFER) {
            const int64_t m = length - k < BUFFER ? length - k : BUFFER;
            const char *masked = mask ? mask + i * mask_step + k * mask_run : NULL;
            fetch(j, in + i * j->step + k * j->run_step, j->run_step, masked, mask_run, m, buffer);
            j->loops->runs(buffer, 0, m, 1, acc + i * j->loops->size);
        }
}

/* Elements begin .. end of the reduced axes, in their order, into the accumulators of a tile. */
static void reduce_range(const job *j, const place *p, int64_t begin, int64_t end, char *acc) {
    const gndi_reduce_plan *plan = j->plan;
    const int outer = j->outer_ndim, kept = plan->kept_ndim;
    const int64_t mask_run = plan->reduced_ndim ? plan->mask.reduced_stride[outer] : 0;
    const int64_t mask_step = kept ? plan->mask.kept_stride[kept - 1] : 0;
    while (begin < end) {
        int64_t in, mask;
        const int64_t inside = begin % j->run;
        const int64_t n = j->run - inside < end - begin ? j->run - inside : end - begin;
        offsets_of(begin / j->run, outer, plan->reduced_shape, plan->in.reduced_stride,
                   plan->mask.reduced_stride, &in, &mask);
        const char *from = plan->in.data + p->in + in + inside * j->run_step;
        const char *masked =
            plan->masked ? plan->mask.data + p->mask + mask + inside * mask_run : NULL;
        if (j->by_rows)
            add_rows(j, from, masked, n, p->count, mask_run, mask_step, acc);
        else
            add_runs(j, from, masked, n, p->count, mask_run, mask_step, acc);
        begin += n;
    }
}

/* ---- results -------------------------------------------------------------------------------- */

static void store_count(const job *j, const uint64_t *acc, int64_t n, char *out, int64_t step) {
    const gndi_reduce_plan *plan = j->plan;
    const char *from = plan->start_data ? plan->start_data : (const char *)&plan->start;
    for (int64_t i = 0; i < n; i++, out += step) {
        if (plan->reducer == GNDI_REDUCE_COUNT)
            *(uint64_t *)out = acc[i];
        else if (plan->reducer == GNDI_REDUCE_ANY)
            *(bool *)out = acc[i] != 0 || (plan->has_start && *from);
        else
            *(bool *)out = acc[i] == (uint64_t)plan->length && (!plan->has_start || *from);
    }
}

static void store_floats(const job *j, const float *acc, int64_t n, char *out, int64_t step) {
    const float divisor = j->plan->divisor != 0 ? (float)j->plan->divisor : 1;
    for (int64_t i = 0; i < n; i++, out += step) {
        const float x = acc[i] / divisor;
        if (j->plan->out.dtype == GND_FLOAT32)
            *(float *)out = x;
        else if (j->plan->out.dtype == GND_FLOAT16)
            *(uint16_t *)out = gnd_float_to_float16(x);
        else
            *(uint16_t *)out = gnd_float_to_bfloat16(x);
    }
}

/* 64-bit accumulators of integers: cut to the output's size, or divided. */
static void store_integers(const job *j, const uint64_t *acc, int64_t n, char *out, int64_t step) {
    const bool is_signed = gnd_dtype_kind(j->plan->loop) == 'i';
    const bool divided = j->plan->out.dtype == GND_FLOAT64;
    const size_t bytes = gndi_dtype_sizes[j->plan->out.dtype];
    for (int64_t i = 0; i < n; i++, out += step) {
        const double x = is_signed ? (double)(int64_t)acc[i] : (double)acc[i];
        if (divided)
            *(double *)out = x / j->plan->divisor;
        else
            memcpy(out, &acc[i], bytes); /* little-endian: the lowest bytes */
    }
}

static void store_doubles(const job *j, const char *acc, int64_t n, char *out, int64_t step) {
    const double divisor = j->plan->divisor != 0 ? j->plan->divisor : 1;
    const int dtype = j->plan->out.dtype;
    for (int64_t i = 0; i < n; i++, out += step) {
        if (dtype == GND_FLOAT64) {
            *(double *)out = ((const double *)acc)[i] / divisor;
        } else if (dtype == GND_COMPLEX64) {
            const float *x = (const float *)acc + 2 * i;
            ((float *)out)[0] = x[0] / (float)divisor, ((float *)out)[1] = x[1] / (float)divisor;
        } else {
            const double *x = (const double *)acc + 2 * i;
            ((double *)out)[0] = x[0] / divisor, ((double *)out)[1] = x[1] / divisor;
        }
    }
}

static void store(const job *j, const place *p, char *acc) {
    const gndi_reduce_plan *plan = j->plan;
    const int loop = plan->loop, size = j->loops->size;
    const int64_t step = plan->kept_ndim ? plan->out.kept_stride[plan->kept_ndim - 1] : 0;
    char *out = plan->out.data + p->out;
    if (plan->reducer >= GNDI_REDUCE_ANY) {
        store_count(j, (const uint64_t *)acc, p->count, out, step);
        return;
    }
    if (plan->has_start) {
        const char *from = plan->start_data ? plan->start_data : (const char *)&plan->start;
        for (int64_t i = 0; i < p->count; i++) {
            const gndi_cpu_reductions *table = &gndi_cpu_kernels_get()->reduce;
            (*table)[plan->reducer][loop].runs(from, 0, 1, 1, acc + i * size);
        }
    }
    if (gndi_dtype_is_int(loop) && plan->reducer >= GNDI_REDUCE_MINIMUM) {
        for (int64_t i = 0; i < p->count; i++) memcpy(out + i * step, acc + i * size, (size_t)size);
    } else if (gndi_dtype_is_int(loop)) {
        store_integers(j, (const uint64_t *)acc, p->count, out, step);
    } else if (loop <= GND_FLOAT32) {
        store_floats(j, (const float *)acc, p->count, out, step);
    } else {
        store_doubles(j, acc, p->count, out, step);
    }
}

/* ---- the work ------------------------------------------------------------------------------- */

static void reduce_tasks(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    accumulators acc;
    for (int64_t task = begin; task < end; task++) {
        const int64_t tile = task / j->blocks, block = task % j->blocks;
        const place p = place_of(j, tile);
        const int64_t from = block * j->block;
        const int64_t to = from + j->block < j->plan->length ? from + j->block : j->plan->length;
        char *into = j->partials ? j->partials + task * j->tile * j->loops->size : acc;
        j->loops->clear(into, p.count);
        reduce_range(j, &p, from, to, into);
        if (!j->partials) store(j, &p, into);
    }
}

/* Joins the blocks' results, two neighbours at a time. */
static void join_blocks(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const int64_t bytes = j->tile * j->loops->size;
    for (int64_t tile = begin; tile < end; tile++) {
        const place p = place_of(j, tile);
        char *first = j->partials + tile * j->blocks * bytes;
        for (int64_t apart = 1; apart < j->blocks; apart *= 2)
            for (int64_t b = 0; b + apart < j->blocks; b += 2 * apart)
                j->loops->join(first + b * bytes, first + (b + apart) * bytes, p.count);
        store(j, &p, first);
    }
}

/* Integers add up alike modulo any power of two, and the accumulators of halves are floats. */
static bool casts_nothing(const gndi_reduce_plan *plan) {
    const int in = plan->in.dtype, loop = (int)plan->loop;
    const bool in_integer = in == GND_BOOL || gndi_dtype_is_int(in);
    if (plan->reducer >= GNDI_REDUCE_ANY || in == loop) return true;
    if (plan->reducer > GNDI_REDUCE_PRODUCT) return false;
    return (in_integer && gndi_dtype_is_int(loop)) ||
           ((in == GND_FLOAT16 || in == GND_BFLOAT16) && loop == GND_FLOAT32);
}

static void describe(job *j, const gndi_reduce_plan *plan) {
    static const uint8_t loops[GNDI_REDUCERS] = {
        [GNDI_REDUCE_SUM] = GNDI_CPU_SUM,         [GNDI_REDUCE_PRODUCT] = GNDI_CPU_PRODUCT,
        [GNDI_REDUCE_MINIMUM] = GNDI_CPU_MINIMUM, [GNDI_REDUCE_MAXIMUM] = GNDI_CPU_MAXIMUM,
        [GNDI_REDUCE_ANY] = GNDI_CPU_COUNT,       [GNDI_REDUCE_ALL] = GNDI_CPU_COUNT,
        [GNDI_REDUCE_COUNT] = GNDI_CPU_COUNT,
    };
    const bool casts = !casts_nothing(plan);
    const int kept = plan->kept_ndim, reduced = plan->reduced_ndim;
    j->plan = plan;
    j->dtype = casts ? plan->loop : (gnd_dtype)plan->in.dtype;
    j->loops = &gndi_cpu_kernels_get()->reduce[loops[plan->reducer]][j->dtype];
    j->direct = !casts && !plan->masked;
    j->in_size = gndi_dtype_sizes[plan->in.dtype], j->size = gndi_dtype_sizes[j->dtype];
    j->step = kept ? plan->in.kept_stride[kept - 1] : 0;
    j->outer_ndim = reduced ? reduced - 1 : 0;
    j->run = reduced ? plan->reduced_shape[reduced - 1] : 1;
    j->run_step = reduced ? plan->in.reduced_stride[reduced - 1] : j->in_size;
    j->width = kept ? plan->kept_shape[kept - 1] : 1;
    j->by_rows = kept && (!reduced || j->step < j->run_step);
    j->tile = j->by_rows ? ROW_TILE : RUN_TILE;
    if (j->tile > j->width) j->tile = j->width;
    j->tiles_across = (j->width + j->tile - 1) / j->tile;
    j->tiles = plan->outputs / j->width * j->tiles_across;
    /* Fewer tiles than tasks: cut the reduced axes too. */
    int64_t blocks = j->tiles < TASKS ? TASKS / j->tiles : 1;
    const int64_t most = plan->length * j->tile / TASK_ELEMENTS;
    if (blocks > most) blocks = most > 1 ? most : 1;
    j->block = (plan->length + blocks - 1) / blocks;
    if (j->block == 0) j->block = 1;
    j->blocks = plan->length ? (plan->length + j->block - 1) / j->block : 1;
}

gnd_status gndi_cpu_reduce(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn) {
    job j;
    (void)s;
    describe(&j, plan);
    j.partials = NULL;
    if (j.blocks > 1) {
        j.partials = gndi_malloc(fn, (size_t)(j.tiles * j.blocks * j.tile * j.loops->size));
        if (!j.partials) return GND_ERROR_MEMORY;
    }
    const int64_t work = j.tile * j.block + 1;
    gndi_parallel_for(j.tiles * j.blocks, (TASK_ELEMENTS + work - 1) / work, reduce_tasks, &j);
    if (j.partials) {
        gndi_parallel_for(j.tiles, 64, join_blocks, &j);
        gndi_free(j.partials);
    }
    return GND_OK;
}
