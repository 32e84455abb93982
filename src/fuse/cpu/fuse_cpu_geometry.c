/*
 * fuse_cpu_geometry.c: how the index space of a fused program is divided into tiles and groups of rows, and
 * the offsets of buffers in a worker's memory. All of it depends on the program and its strides alone, never
 * on the number of threads.
 */
#include "elementwise/cpu/elementwise.h"
#include "fuse/cpu/fuse_cpu.h"

enum {
    MAP_BYTES = 8192,        /* of all buffers of a tile: short tiles let several streams advance together */
    ROW_TILE_BYTES = 40960,  /* the same where values are kept, or strides are large */
    ROW_BYTES = 384 << 10,   /* of one kept value of a group: they stay in the second-level cache */
    CACHED_BYTES = 16 << 20, /* of one value of all elements: a few of them fit the last cache */
    LEAST_TOGETHER = 16,     /* adjacent rows, so that whole cache lines are read */
};

/* ---- layouts -------------------------------------------------------------------------------- */

static bool is_element_load(const gndi_fuse_plan *plan, const gndi_fuse_code *c) {
    return c->kind == GNDI_FUSE_LOAD && (plan->shape_of == GNDI_FUSE_MAP || !c->row);
}

/* The axis along which a load is best read, if that is not the fastest one; else -1. */
static int other_axis(const gndi_fuse_plan *plan, int operand) {
    const int64_t *stride = plan->stride[operand];
    int64_t least = gndi_magnitude(stride[plan->ndim - 1]);
    int best = -1;
    if (least <= gndi_dtype_sizes[plan->operand[operand].dtype]) return -1;
    for (int axis = 0; axis < plan->ndim - 1; axis++) {
        const int64_t step = gndi_magnitude(stride[axis]);
        if (step == 0 || step >= least || plan->shape[axis] < FUSE_LEAST_TRANSPOSED) continue;
        least = step, best = axis;
    }
    return best;
}

static fuse_layout layout_of_map(const gndi_fuse_plan *plan, int *axis) {
    *axis = -1;
    if (plan->ndim < 2 || plan->shape[plan->ndim - 1] < FUSE_LEAST_TRANSPOSED) return FUSE_LINEAR;
    for (int i = 0; i < plan->count && *axis < 0; i++)
        if (is_element_load(plan, &plan->code[i])) *axis = other_axis(plan, plan->code[i].at);
    return *axis < 0 ? FUSE_LINEAR : FUSE_BLOCKS;
}

/* Counts the loads that are contiguous along the kept axis, and those along the reduced one. */
static void count_loads(const gndi_fuse_plan *plan, int *along_kept, int *along_reduced) {
    *along_kept = *along_reduced = 0;
    for (int i = 0; i < plan->count; i++) {
        if (!is_element_load(plan, &plan->code[i])) continue;
        const int64_t *stride = plan->stride[plan->code[i].at];
        const int64_t kept = gndi_magnitude(stride[plan->kept - 1]);
        const int64_t reduced = gndi_magnitude(stride[plan->ndim - 1]);
        if (kept == 0 || reduced == 0) continue;
        *along_kept += kept<reduced, *along_reduced += kept> reduced;
    }
}

/* `mixed`: some loads are contiguous along the other axis. */
static fuse_layout layout_of(const gndi_fuse_plan *plan, int *axis, bool *mixed) {
    int along_kept, along_reduced;
    *mixed = false;
    if (plan->shape_of == GNDI_FUSE_MAP) return layout_of_map(plan, axis);
    if (plan->kept == 0 || plan->kept == plan->ndim) return FUSE_LINEAR;
    count_loads(plan, &along_kept, &along_reduced);
    if (along_kept > along_reduced) {
        *mixed = along_reduced > 0;
        return FUSE_COLUMNS;
    }
    *mixed = along_kept > 0 && plan->shape[plan->kept - 1] >= FUSE_LEAST_TRANSPOSED &&
             plan->shape[plan->ndim - 1] >= FUSE_LEAST_TRANSPOSED;
    return *mixed ? FUSE_BLOCKS : FUSE_LINEAR;
}

/* Bytes of the widest value. */
static int widest(const gndi_fuse_plan *plan) {
    int most = 1;
    for (int i = 0; i < plan->count; i++)
        if (gndi_dtype_sizes[plan->code[i].dtype] > most) most = gndi_dtype_sizes[plan->code[i].dtype];
    return most;
}

/* The rows of a transposed block: as many as a cache line has elements. */
static int64_t rows_of_blocks(const gndi_fuse_plan *plan) {
    const int64_t rows = 64 / widest(plan);
    return rows < 8 ? 8 : rows > 32 ? 32 : rows;
}

/* Whether the ordinary loops are faster: for a single operator, and for rows and columns whose values stay in the
   caches between operators. Tiles are used anyway if their executor is requested. */
static bool is_faster_unfused(const gndi_fuse_plan *plan) {
    int operators = 0, axis;
    bool mixed;
    if (plan->executor != GND_FUSE_AUTO) return false;
    for (int i = 0; i < plan->count; i++) {
        const uint8_t kind = plan->code[i].kind;
        if (kind == GNDI_FUSE_RANGE || kind == GNDI_FUSE_UNIFORM) return false;
        operators += kind == GNDI_FUSE_OP || kind == GNDI_FUSE_REDUCE;
        if (operators <= 1 && kind == GNDI_FUSE_CAST)
            operators += !gndi_fuse_is_load_cast(plan, i) && !gndi_fuse_is_store_cast(plan, i);
    }
    if (operators <= 1) return true;
    if (plan->shape_of == GNDI_FUSE_MAP || plan->size * widest(plan) > CACHED_BYTES) return false;
    return plan->shape_of == GNDI_FUSE_ROWS || layout_of(plan, &axis, &mixed) != FUSE_LINEAR;
}

const char *gndi_cpu_fuse_executor(gnd_stream *s, const gndi_fuse_plan *plan) {
    (void)s;
    const gndi_cpu_kernels *kernels = gndi_cpu_kernels_get();
    int axis;
    bool mixed;
    for (int i = 0; i < plan->count; i++)
        if (plan->code[i].kind == GNDI_FUSE_OP && !kernels->op[plan->code[i].op][plan->code[i].loop]) return NULL;
    if (is_faster_unfused(plan)) return GNDI_FUSE_FALLBACK_NAME;
    if (plan->shape_of != GNDI_FUSE_ROWS) return "tiles";
    int64_t together = 1;
    if (layout_of(plan, &axis, &mixed) != FUSE_LINEAR) {
        together = plan->shape[plan->kept - 1];
        if (together > LEAST_TOGETHER) together = LEAST_TOGETHER;
    }
    return plan->length <= ROW_BYTES / widest(plan) / together ? "tiles" : NULL;
}

static void describe_operands(fuse_job *job) {
    const gndi_fuse_plan *plan = job->plan;
    const int last = plan->ndim - 1;
    for (int k = 0; k < plan->operands; k++) {
        fuse_operand *o = &job->operand[k];
        o->itemsize = gndi_dtype_sizes[plan->operand[k].dtype];
        o->size_log2 = (uint8_t)__builtin_ctz(o->itemsize);
        o->flat = true, o->periodic = last > 0 && job->run < FUSE_LONG;
        int64_t step = o->itemsize;
        for (int axis = last; axis >= 0; axis--) {
            if (plan->stride[k][axis] != step) o->flat = false;
            if (axis < last && plan->stride[k][axis] != 0) o->periodic = false;
            step *= plan->shape[axis];
        }
    }
}

void gndi_fuse_describe(fuse_job *job, const gndi_fuse_plan *plan) {
    job->plan = plan, job->kernels = gndi_cpu_kernels_get();
    job->map = plan->shape_of == GNDI_FUSE_MAP;
    job->layout = layout_of(plan, &job->axis_a, &job->mixed);
    job->axis_b = plan->ndim - 1;
    if (job->layout == FUSE_COLUMNS)
        job->axis_a = plan->ndim - 1, job->axis_b = plan->kept - 1;
    else if (job->layout == FUSE_BLOCKS && !job->map)
        job->axis_a = plan->kept - 1;
    job->run = plan->ndim ? plan->shape[plan->ndim - 1] : 1;
    describe_operands(job);
    int64_t bytes = 0;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind == GNDI_FUSE_STORE && (job->map || !c->row)) bytes += plan->size * gndi_dtype_sizes[c->dtype];
    }
    job->streams = bytes >= EW_LARGE;
}

/* ---- sizes ---------------------------------------------------------------------------------- */

/* How many elements of a tile fit its buffers. */
static int64_t tile_of(const fuse_job *job) {
    const bool quick = job->layout == FUSE_LINEAR && job->plan->shape_of != GNDI_FUSE_ROWS;
    int64_t bytes = 0;
    for (int i = 0; i < job->slots; i++) bytes += 1 << job->slot[i].size_log2;
    for (int v = 0; v < job->values; v++)
        if (job->value[v].home == FUSE_PINNED) bytes += 1 << job->value[v].size_log2;
    if (!bytes) bytes = 1;
    const int64_t tile = (quick ? MAP_BYTES : ROW_TILE_BYTES) / bytes / 64 * 64;
    return tile < FUSE_LEAST_TILE ? FUSE_LEAST_TILE : tile > FUSE_MOST_TILE ? FUSE_MOST_TILE : tile;
}

/* The size of equal pieces of n elements, of at most `most` each. */
static int64_t even_pieces(int64_t n, int64_t most, int64_t multiple) {
    const int64_t pieces = (n + most - 1) / most;
    const int64_t piece = ((n + pieces - 1) / pieces + multiple - 1) / multiple * multiple;
    return piece < n ? piece : n;
}

static bool has_variance(const gndi_fuse_plan *plan) {
    for (int k = 0; k < plan->reductions; k++)
        if (plan->reduction[k].reducer == GNDI_REDUCE_VARIANCE) return true;
    return false;
}

/* The adjacent rows of a group. */
static int64_t rows_together(const fuse_job *job, int64_t tile) {
    const gndi_fuse_plan *plan = job->plan;
    const int64_t blocks = rows_of_blocks(plan);
    int64_t rows = tile;
    if (job->layout == FUSE_BLOCKS)
        rows = blocks;
    else if (job->mixed)
        rows = tile / blocks;
    else if (has_variance(plan)) /* its loop takes several elements of a row at once */
        rows = FUSE_LEAST_TILE / 2;
    if (plan->shape_of == GNDI_FUSE_ROWS && plan->length) {
        const int64_t most = ROW_BYTES / widest(plan) / plan->length;
        if (rows > most) rows = most > LEAST_TOGETHER ? most : LEAST_TOGETHER;
    }
    return even_pieces(plan->shape[plan->kept - 1], rows, job->layout == FUSE_BLOCKS ? 1 : 16);
}

static void size_tiles(fuse_job *job) {
    int64_t tile = tile_of(job);
    if (job->layout == FUSE_LINEAR) {
        if (job->run >= FUSE_LONG && job->run < 8 * tile) tile = even_pieces(job->run, tile, 64);
    } else if (job->map) {
        job->tile_a = rows_of_blocks(job->plan), job->tile_b = tile / job->tile_a;
        tile = job->tile_a * job->tile_b;
    } else {
        job->group = rows_together(job, tile);
        job->cut = tile / job->group;
        if (job->cut < 1) job->cut = 1;
        tile = job->group * job->cut;
    }
    job->tile = tile;
}

/* Chooses groups of rows, and the blocks that rows are divided into if there are few rows. */
static void size_groups(fuse_job *job) {
    const gndi_fuse_plan *plan = job->plan;
    job->blocks = 1, job->block = plan->length;
    if (job->map) {
        job->group = 1;
        return;
    }
    if (job->layout != FUSE_LINEAR) {
        const int64_t width = plan->shape[plan->kept - 1];
        job->across = (width + job->group - 1) / job->group;
        job->groups = plan->rows / width * job->across;
    } else {
        job->group = 1, job->cut = job->tile;
        if (plan->length <= job->tile) job->group = plan->length ? job->tile / plan->length : job->tile;
        if (job->group > plan->rows) job->group = plan->rows;
        job->groups = (plan->rows + job->group - 1) / job->group;
    }
    if (job->phases == 1 && job->groups < REDUCE_TASKS && plan->length > job->cut) {
        int64_t blocks = REDUCE_TASKS / job->groups;
        const int64_t most = plan->length * job->group / REDUCE_TASK_ELEMENTS;
        if (blocks > most) blocks = most > 1 ? most : 1;
        job->block = ((plan->length + blocks - 1) / blocks + job->cut - 1) / job->cut * job->cut;
        job->blocks = (plan->length + job->block - 1) / job->block;
    }
    job->levels = 0;
    for (int64_t pieces = (job->block + job->cut - 1) / job->cut; pieces > 1 && job->levels < REDUCE_LEVELS;
         pieces = (pieces + REDUCE_EACH - 1) / REDUCE_EACH)
        job->levels++;
    if (job->levels == 1) job->levels = 0; /* so few are joined as they are computed */
}

static int64_t reserve(fuse_job *job, int64_t bytes) {
    const int64_t offset = job->memory;
    job->memory += (bytes + 63) / 64 * 64;
    return offset;
}

/* Sets all offsets in a worker's memory. */
static void lay_out_buffers(fuse_job *job) {
    const gndi_fuse_plan *plan = job->plan;
    job->memory = 0;
    reserve(job, sizeof(fuse_worker));
    job->at_offset = reserve(job, job->values * (int64_t)sizeof(char *));
    job->filled_offset = reserve(job, job->values * (int64_t)sizeof(fuse_filled));
    job->jobs_offset = reserve(job, plan->reductions * (int64_t)sizeof(reduce_job));
    for (int i = 0; i < job->slots; i++) job->slot[i].offset = reserve(job, job->tile << job->slot[i].size_log2);
    for (int v = 0; v < job->values; v++) {
        fuse_value *value = &job->value[v];
        const int log2 = value->size_log2;
        const int64_t most = job->tile > job->group ? job->tile : job->group;
        if (value->home == FUSE_SLOT)
            value->offset = job->slot[value->slot].offset;
        else if (value->home == FUSE_PINNED)
            value->offset = reserve(job, (most + 2 * FUSE_LONG) << log2);
        else if (value->home == FUSE_KEPT)
            value->offset = reserve(job, (job->group * plan->length) << log2);
        else if (value->home == FUSE_ROW)
            value->offset = reserve(job, job->group << log2);
    }
}

void gndi_fuse_measure(fuse_job *job) {
    size_tiles(job);
    size_groups(job);
    lay_out_buffers(job);
}
