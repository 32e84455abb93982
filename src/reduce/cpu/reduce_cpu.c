/*
 * reduce_cpu.c: carries out a reduction on the CPU. Outputs are taken in tiles along the fastest
 * kept axis; if there are few tiles, the reduced axes are cut into blocks too, and their results
 * joined as a tree. Tiles and blocks depend on the geometry alone, never on the number of threads,
 * so the bits don't either. What reducers do with the elements is in the files that reduce_cpu.h
 * names.
 */
#include "reduce/cpu/reduce_cpu.h"
#include "reduce/cpu/operator_cpu.h"
#include "reduce/cpu/products_cpu.h"
#include <math.h>

enum {
    LEVEL_BYTES = 16384,
    RUNS_BESIDE = LEVEL_BYTES / REDUCE_ACC_BYTES, /* outputs */
};

typedef char accumulators[REDUCE_ROW_TILE * REDUCE_ACC_BYTES] __attribute__((aligned(64)));

/* ---- positions --------------------------------------------------------------------------------- */

/* The offset of the index-th element of some axes. */
static int64_t offset_of(int64_t index, int ndim, const int64_t *shape, const int64_t *stride) {
    int64_t offset = 0;
    for (int i = ndim - 1; i >= 0; i--) {
        offset += (i ? index % shape[i] : index) * stride[i];
        if (i) index /= shape[i];
    }
    return offset;
}

/* Tile number `tile`: which outputs, and where its first one lies in the operands. */
typedef struct indexed {
    int64_t tile;
    int64_t first, count; /* along the fastest kept axis */
    int64_t in, second, mask, out;
} position;

static position position_of(const reduce_job *j, int64_t tile) {
    const gndi_reduce_plan *plan = j->plan;
    const int last = plan->kept_ndim - 1;
    position p = {.tile = tile, .first = tile % j->tiles_across * j->tile};
    const int64_t row = tile / j->tiles_across;
    p.count = j->width - p.first < j->tile ? j->width - p.first : j->tile;
    if (last < 0) return p;
    p.in = offset_of(row, last, plan->kept_shape, plan->in.kept_stride);
    p.out = offset_of(row, last, plan->kept_shape, plan->out.kept_stride);
    p.in += p.first * plan->in.kept_stride[last], p.out += p.first * plan->out.kept_stride[last];
    if (plan->masked)
        p.mask =
            offset_of(row, last, plan->kept_shape, plan->mask.kept_stride) + p.first * plan->mask.kept_stride[last];
    if (plan->second.data)
        p.second =
            offset_of(row, last, plan->kept_shape, plan->second.kept_stride) + p.first * plan->second.kept_stride[last];
    return p;
}

/* Tiles of jobs that are cut into blocks have one each. */
static uint64_t bit_of(int64_t tile) {
    return tile < REDUCE_TASKS ? UINT64_C(1) << tile : 0;
}

/* ---- the walk through a block --------------------------------------------------------------- */

/* Where a run of the fastest reduced axis begins, and its position along the axes before that. */
typedef struct walk {
    int64_t digit[GND_MAX_DIMS];
    int64_t in, second, mask, index;
} walk;

static void step_axis(const gndi_reduce_plan *plan, walk *w, int axis, int64_t by) {
    w->in += by * plan->in.reduced_stride[axis];
    if (plan->second.data) w->second += by * plan->second.reduced_stride[axis];
    if (plan->masked) w->mask += by * plan->mask.reduced_stride[axis];
    if (plan->reducer == GNDI_REDUCE_ARGMIN || plan->reducer == GNDI_REDUCE_ARGMAX)
        w->index += by * plan->index_stride[axis];
}

static void walk_to(const reduce_job *j, walk *w, int64_t run) {
    const gndi_reduce_plan *plan = j->plan;
    for (int i = j->outer_ndim - 1; i >= 0; i--) {
        w->digit[i] = i ? run % plan->reduced_shape[i] : run;
        if (i) run /= plan->reduced_shape[i];
        step_axis(plan, w, i, w->digit[i]);
    }
}

static void walk_on(const reduce_job *j, walk *w) {
    const gndi_reduce_plan *plan = j->plan;
    for (int i = j->outer_ndim - 1; i >= 0; i--) {
        step_axis(plan, w, i, 1);
        if (++w->digit[i] < plan->reduced_shape[i]) return;
        step_axis(plan, w, i, -w->digit[i]);
        w->digit[i] = 0;
    }
}

bool gndi_reduce_cascades(const reduce_job *j) {
    return j->method == &gndi_reduce_folds && j->component[0].fold == GNDI_CPU_SUM && j->work >= GND_FLOAT16;
}

void gndi_reduce_cascade_begin(const reduce_job *j, reduce_cascade *c, int64_t n) {
    c->pieces = 0;
    for (int level = 0; level < c->levels; level++) j->method->clear(j, c->part + level * c->level_bytes, n);
}

void gndi_reduce_cascade_on(const reduce_job *j, reduce_cascade *c, int64_t n) {
    int64_t full = REDUCE_EACH;
    c->pieces++;
    for (int level = 0; level + 1 < c->levels && c->pieces % full == 0; level++) {
        char *part = c->part + level * c->level_bytes;
        j->method->join(j, part + c->level_bytes, part, n);
        j->method->clear(j, part, n);
        full *= REDUCE_EACH;
    }
}

void gndi_reduce_cascade_end(const reduce_job *j, const reduce_cascade *c, int64_t n, char *acc) {
    for (int level = 0; level < c->levels; level++) j->method->join(j, acc, c->part + level * c->level_bytes, n);
}

/* Elements begin .. end of the reduced axes, in their order, into the accumulators of a tile. */
static void reduce_range(const reduce_job *j, const position *p, int64_t begin, int64_t end, char *acc) {
    const gndi_reduce_plan *plan = j->plan;
    const bool indices = j->method == &gndi_reduce_indices;
    const bool in_parts = j->outer_ndim > 0 && j->acc_bytes <= LEVEL_BYTES && gndi_reduce_cascades(j);
    char part[REDUCE_LEVELS][LEVEL_BYTES] __attribute__((aligned(64)));
    reduce_cascade parts = {.levels = REDUCE_LEVELS, .level_bytes = LEVEL_BYTES, .part = part[0]};
    if (in_parts) gndi_reduce_cascade_begin(j, &parts, p->count);
    walk w = {.in = p->in, .second = p->second, .mask = p->mask};
    if (indices) w.index = plan->index_base;
    walk_to(j, &w, begin / j->run);
    for (int64_t inside = begin % j->run; begin < end; inside = 0, walk_on(j, &w)) {
        const int64_t n = j->run - inside < end - begin ? j->run - inside : end - begin;
        reduce_piece piece = {.in = plan->in.data + w.in, .rows = n, .columns = p->count, .index = w.index};
        piece.tile = bit_of(p->tile);
        if (plan->second.data) piece.second = plan->second.data + w.second;
        if (plan->masked) piece.mask = plan->mask.data + w.mask;
        if (!j->by_rows) piece.rows = p->count, piece.columns = n;
        if (inside) {
            const bool rows = j->by_rows;
            piece.in += inside * (rows ? j->in.row : j->in.column);
            if (piece.second) piece.second += inside * (rows ? j->second.row : j->second.column);
            if (piece.mask) piece.mask += inside * (rows ? j->mask.row : j->mask.column);
            if (indices) piece.index += inside * (rows ? j->index.row : j->index.column);
        }
        j->method->take(j, &piece, in_parts ? parts.part : acc);
        if (in_parts) gndi_reduce_cascade_on(j, &parts, p->count);
        begin += n;
    }
    if (in_parts) gndi_reduce_cascade_end(j, &parts, p->count, acc);
}

/* ---- the work ------------------------------------------------------------------------------- */

static void store(const reduce_job *j, const position *p, char *acc) {
    const gndi_reduce_plan *plan = j->plan;
    const int64_t step = plan->kept_ndim ? plan->out.kept_stride[plan->kept_ndim - 1] : 0;
    j->method->store(j, acc, p->count, plan->out.data + p->out, step);
}

/* any, all: whether one block has settled all outputs of a tile, which are true of any and false of all. */
static bool is_settled(const reduce_job *j, int64_t tile) {
    return j->partials && gndi_reduce_is_settled(j, bit_of(tile));
}

static void reduce_tasks(void *context, int64_t begin, int64_t end) {
    const reduce_job *j = context;
    accumulators acc;
    for (int64_t task = begin; task < end; task++) {
        const int64_t block = task % j->blocks;
        if (is_settled(j, task / j->blocks)) continue;
        const position p = position_of(j, task / j->blocks);
        const int64_t from = block * j->block;
        const int64_t to = from + j->block < j->plan->length ? from + j->block : j->plan->length;
        char *into = j->partials ? j->partials + task * j->acc_bytes : acc;
        j->method->clear(j, into, p.count);
        reduce_range(j, &p, from, to, into);
        if (!j->partials) store(j, &p, into);
    }
}

/* Joins the blocks' results, two neighbours at a time. */
static void join_blocks(void *context, int64_t begin, int64_t end) {
    const reduce_job *j = context;
    for (int64_t tile = begin; tile < end; tile++) {
        const bool settled = is_settled(j, tile);
        const position p = position_of(j, tile);
        char *first = j->partials + tile * j->blocks * j->acc_bytes;
        for (int64_t i = 0; i < p.count && settled; i++) ((uint64_t *)(void *)first)[i] = j->reducer == GNDI_REDUCE_ANY;
        for (int64_t apart = 1; apart < j->blocks && !settled; apart *= 2)
            for (int64_t b = 0; b + apart < j->blocks; b += 2 * apart)
                j->method->join(j, first + b * j->acc_bytes, first + (b + apart) * j->acc_bytes, p.count);
        store(j, &p, first);
    }
}

/* ---- what is to be done --------------------------------------------------------------------- */

static reduce_steps steps_of(const reduce_job *j, const int64_t *kept, const int64_t *reduced, int64_t none) {
    const gndi_reduce_plan *plan = j->plan;
    const int64_t k = plan->kept_ndim ? kept[plan->kept_ndim - 1] : none;
    const int64_t r = plan->reduced_ndim ? reduced[plan->reduced_ndim - 1] : none;
    return j->by_rows ? (reduce_steps){r, k} : (reduce_steps){k, r};
}

/* Whether most runs may be settled by their first elements. */
static bool stops_early(const reduce_job *j) {
    return j->reducer == GNDI_REDUCE_ANY || j->reducer == GNDI_REDUCE_ALL ||
           (j->method == &gndi_reduce_indices && j->plan->in.dtype == GND_BOOL);
}

/* Outputs in a tile. Runs are best read to their ends: tiles are small before runs are cut. But where
   an output has several runs, those of its neighbours are read between them, many at a time: else each
   would be a new position in memory. Rows are best read as wide as the accumulators stay in the caches. */
static int64_t tile_of(const reduce_job *j) {
    int64_t most = REDUCE_RUN_TILE;
    if (j->by_rows) {
        most = j->method == &gndi_reduce_variances ? REDUCE_ROW_TILE / 4 : REDUCE_ROW_TILE;
    } else if (j->plan->length > REDUCE_TASK_ELEMENTS / REDUCE_RUN_TILE) {
        most = REDUCE_TASK_ELEMENTS / j->plan->length;
        const int64_t beside = j->outer_ndim ? REDUCE_TASK_ELEMENTS / j->run : 1;
        if (most < beside) most = beside < RUNS_BESIDE ? beside : RUNS_BESIDE;
        if (stops_early(j) && most < j->width / REDUCE_TASKS) most = j->width / REDUCE_TASKS;
        if (most > REDUCE_RUN_TILE) most = REDUCE_RUN_TILE;
        if (most < 1) most = 1;
    }
    const int64_t across = (j->width + most - 1) / most;
    const int64_t tile = ((j->width + across - 1) / across + 63) / 64 * 64;
    if (!j->by_rows) return most < j->width ? most : j->width;
    return tile < j->width ? tile : j->width;
}

static void describe_geometry(reduce_job *j) {
    const gndi_reduce_plan *plan = j->plan;
    const int kept = plan->kept_ndim, reduced = plan->reduced_ndim;
    const int in_size = gndi_dtype_sizes[plan->in.dtype];
    j->by_rows = kept && (!reduced || plan->in.kept_stride[kept - 1] < plan->in.reduced_stride[reduced - 1]);
    j->in = steps_of(j, plan->in.kept_stride, plan->in.reduced_stride, in_size);
    if (plan->second.data) j->second = steps_of(j, plan->second.kept_stride, plan->second.reduced_stride, 0);
    if (plan->masked) j->mask = steps_of(j, plan->mask.kept_stride, plan->mask.reduced_stride, 0);
    if (j->method == &gndi_reduce_indices) {
        const int64_t step = reduced ? plan->index_stride[reduced - 1] : 0;
        j->index = j->by_rows ? (reduce_steps){step, 0} : (reduce_steps){0, step};
    }
    j->outer_ndim = reduced ? reduced - 1 : 0;
    j->run = reduced ? plan->reduced_shape[reduced - 1] : 1;
    j->width = kept ? plan->kept_shape[kept - 1] : 1;
    j->tile = tile_of(j);
    j->tiles_across = (j->width + j->tile - 1) / j->tile;
    j->tiles = plan->outputs / j->width * j->tiles_across;
    /* Fewer tiles than tasks: cut the reduced axes too. */
    int64_t blocks = j->tiles < REDUCE_TASKS ? REDUCE_TASKS / j->tiles : 1;
    const int64_t most = plan->length * j->tile / REDUCE_TASK_ELEMENTS;
    if (blocks > most) blocks = most > 1 ? most : 1;
    j->block = (plan->length + blocks - 1) / blocks;
    if (blocks > 1 && !j->by_rows) j->block = (j->block + 63) / 64 * 64; /* as well aligned as the first one */
    if (j->block == 0) j->block = 1;
    j->blocks = plan->length ? (plan->length + j->block - 1) / j->block : 1;
    j->acc_bytes = (j->tile * REDUCE_ACC_BYTES + 63) / 64 * 64;
    if (j->method == &gndi_reduce_variances) j->acc_bytes *= 2;
}

/* Integers add up alike modulo any power of two, and the accumulators of halves are floats. */
static bool casts_nothing(const gndi_reduce_plan *plan) {
    const int in = plan->in.dtype, loop = (int)plan->loop;
    const bool in_integer = in == GND_BOOL || gndi_dtype_is_int(in);
    const bool adds = plan->reducer == GNDI_REDUCE_SUM || plan->reducer == GNDI_REDUCE_MEAN;
    if (in == loop) return true;
    if (plan->map != GNDI_MAP_NONE) return false;
    if (!adds && plan->reducer != GNDI_REDUCE_PRODUCT) return false;
    if (in_integer && gndi_dtype_is_int(loop)) {
        const bool divided = plan->reducer == GNDI_REDUCE_MEAN || plan->finish == GNDI_FINISH_DIVIDE;
        return !divided || gndi_dtype_sizes[loop] == 8;
    }
    return (in == GND_FLOAT16 || in == GND_BFLOAT16) && loop == GND_FLOAT32;
}

static bool is_count(gndi_reducer reducer) {
    return reducer == GNDI_REDUCE_ANY || reducer == GNDI_REDUCE_ALL || reducer == GNDI_REDUCE_COUNT;
}

static gnd_dtype real_of(gnd_dtype dtype) {
    return dtype == GND_COMPLEX64 ? GND_FLOAT32 : dtype == GND_COMPLEX128 ? GND_FLOAT64 : dtype;
}

static void describe_dtypes(reduce_job *j) {
    const gndi_reduce_plan *plan = j->plan;
    const gndi_reduce_map map = plan->map;
    const bool tests_itself = is_count(plan->reducer) && map <= GNDI_MAP_SKIP_NAN;
    j->loop = tests_itself || casts_nothing(plan) ? (gnd_dtype)plan->in.dtype : plan->loop;
    const bool half = j->loop == GND_FLOAT16 || j->loop == GND_BFLOAT16;
    const bool as_float = half && !tests_itself && (map != GNDI_MAP_NONE || plan->reducer == GNDI_REDUCE_VARIANCE);
    j->wide = as_float ? GND_FLOAT32 : j->loop;
    const bool real = map == GNDI_MAP_ABSOLUTE || map == GNDI_MAP_SQUARE || map == GNDI_MAP_POWER;
    j->work = real ? real_of(j->wide) : j->wide;
    j->size = gndi_dtype_sizes[j->work];
    j->direct = (gnd_dtype)plan->in.dtype == j->work && map == GNDI_MAP_NONE && !plan->masked;
    int largest = gndi_dtype_sizes[plan->in.dtype];
    const gnd_dtype others[] = {j->loop, j->wide, (gnd_dtype)plan->second.dtype};
    for (int i = 0; i < (plan->second.data ? 3 : 2); i++)
        if (gndi_dtype_sizes[others[i]] > largest) largest = gndi_dtype_sizes[others[i]];
    j->most = REDUCE_BUFFER_BYTES / largest;
}

static void add_component(reduce_job *j, int fold, bool of_taken) {
    reduce_component *c = &j->component[j->components];
    c->fold = fold, c->of_taken = of_taken;
    c->loops = &gndi_cpu_reductions_get()->fold[fold][of_taken ? GND_UINT8 : j->work];
    c->offset = j->components++ ? j->tile * 16 : 0;
}

static void describe_folds(reduce_job *j) {
    static const uint8_t folds[GNDI_REDUCERS] = {
        [GNDI_REDUCE_SUM] = GNDI_CPU_SUM,         [GNDI_REDUCE_PRODUCT] = GNDI_CPU_PRODUCT,
        [GNDI_REDUCE_MINIMUM] = GNDI_CPU_MINIMUM, [GNDI_REDUCE_MAXIMUM] = GNDI_CPU_MAXIMUM,
        [GNDI_REDUCE_ANY] = GNDI_CPU_COUNT,       [GNDI_REDUCE_ALL] = GNDI_CPU_COUNT,
        [GNDI_REDUCE_COUNT] = GNDI_CPU_COUNT,     [GNDI_REDUCE_MEAN] = GNDI_CPU_SUM,
        [GNDI_REDUCE_RANGE] = GNDI_CPU_MAXIMUM,
    };
    const gndi_reduce_plan *plan = j->plan;
    const bool some = plan->masked || plan->map == GNDI_MAP_SKIP_NAN;
    /* Numbers that are not NaN count, zeros too. */
    const bool counts_taken = plan->reducer == GNDI_REDUCE_COUNT && plan->map == GNDI_MAP_SKIP_NAN;
    add_component(j, folds[j->reducer], counts_taken);
    if (plan->reducer == GNDI_REDUCE_MEAN && some) add_component(j, GNDI_CPU_COUNT, true);
    if (plan->reducer == GNDI_REDUCE_RANGE) add_component(j, GNDI_CPU_MINIMUM, false);
    memcpy(j->neutral, j->component[0].loops->neutral, sizeof j->neutral);
    /* What is left out of `all` counts as true: one that is not zero in any dtype. */
    if (j->reducer == GNDI_REDUCE_ALL) memset(j->neutral, 1, sizeof j->neutral);
    j->neutralises = some && !counts_taken;
}

/* NaN stand for the worst value, as where NumPy replaces them. */
static void describe_indices(reduce_job *j) {
    const double worst = j->reducer == GNDI_REDUCE_ARGMAX ? -(double)INFINITY : (double)INFINITY;
    const float narrow = (float)worst;
    if (real_of(j->work) == GND_FLOAT32)
        memcpy(j->neutral, &narrow, sizeof narrow);
    else
        memcpy(j->neutral, &worst, sizeof worst);
    j->neutralises = j->plan->map == GNDI_MAP_SKIP_NAN;
}

void gndi_reduce_describe(reduce_job *j, gnd_stream *s, const gndi_reduce_plan *plan) {
    memset(j, 0, sizeof *j);
    j->plan = plan, j->stream = s, j->kernels = gndi_cpu_kernels_get();
    j->reducer = plan->reducer;
    /* In bool, + and max are "or", * and min are "and". */
    if (plan->loop == GND_BOOL && (j->reducer == GNDI_REDUCE_SUM || j->reducer == GNDI_REDUCE_MAXIMUM))
        j->reducer = GNDI_REDUCE_ANY;
    if (plan->loop == GND_BOOL && (j->reducer == GNDI_REDUCE_PRODUCT || j->reducer == GNDI_REDUCE_MINIMUM))
        j->reducer = GNDI_REDUCE_ALL;
    j->method = j->reducer == GNDI_REDUCE_VARIANCE                                     ? &gndi_reduce_variances
                : j->reducer == GNDI_REDUCE_ARGMIN || j->reducer == GNDI_REDUCE_ARGMAX ? &gndi_reduce_indices
                                                                                       : &gndi_reduce_folds;
    describe_dtypes(j);
    describe_geometry(j);
    if (j->method == &gndi_reduce_folds)
        describe_folds(j);
    else if (j->method == &gndi_reduce_indices)
        describe_indices(j);
    else
        j->neutralises = true;
}

/* A line of bool in many blocks: whether its first elements have the index, which is stored then. */
static bool finish_early(const reduce_job *j) {
    enum { FIRST = 4096 };
    const bool line = j->tiles == 1 && j->width == 1 && j->outer_ndim == 0 && j->index.column > 0;
    if (j->blocks < 2 || !line || j->plan->in.dtype != GND_BOOL || j->method != &gndi_reduce_indices) return false;
    accumulators acc;
    const position p = position_of(j, 0);
    j->method->clear(j, acc, 1);
    reduce_range(j, &p, 0, j->block < FIRST ? j->block : FIRST, acc);
    if (!gndi_reduce_indices_settled(j, acc)) return false;
    store(j, &p, acc);
    return true;
}

gnd_status gndi_cpu_reduce(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn) {
    reduce_job j;
    if (plan->reducer == GNDI_REDUCE_OPERATOR) return gndi_cpu_reduce_operator(s, plan, fn);
    if (gndi_cpu_products_in_order(plan)) return GND_OK;
    gndi_reduce_describe(&j, s, plan);
    if (finish_early(&j)) return GND_OK;
    if (j.blocks > 1) {
        j.partials = gndi_malloc(fn, (size_t)(j.tiles * j.blocks * j.acc_bytes));
        if (!j.partials) return GND_ERROR_MEMORY;
    }
    const int64_t work = j.tile * j.block + 1;
    gndi_parallel_for(j.tiles * j.blocks, (REDUCE_TASK_ELEMENTS + work - 1) / work, reduce_tasks, &j);
    if (j.partials) {
        gndi_parallel_for(j.tiles, 64, join_blocks, &j);
        gndi_free(j.partials);
    }
    gndi_cpu_mend_products(plan);
    return GND_OK;
}
