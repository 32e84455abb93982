/*
 * fuse_cpu.c: fused programs on the CPU: how the index space is cut into tiles, groups of rows and tasks,
 * and the threads that carry these out. All of it depends on the program and the geometry alone, never
 * on the number of threads, so the bits of sums don't either.
 *
 *     linear    tiles of neighbours in C order: within a run of the fastest axis if that is long; whole
 *               rows side by side if those are short
 *     blocks    a MAP of rows x columns, where a load is contiguous along another axis than the stores
 *     columns   a reduction along a slow axis: a tile has some of the fastest kept axis in its columns
 */
#include "kernels/cpu/fuse_cpu.h"

enum {
    TILE_BYTES = 24576,    /* of all buffers of a tile: they stay in the first-level cache */
    ROW_BYTES = 384 << 10, /* of one kept value of a group: they stay in the second-level cache */
    LEAST_COLUMNS = 16,    /* of a group, where rows are kept */
    TASKS = 64,            /* to cut reductions into, if they are large enough */
    TASK_ELEMENTS = 65536, /* least in a block */
    GRAIN = 131072,        /* steps times elements */
    LARGE = 24 << 20,      /* bytes of results from which on they are written past the caches */
    BAND = 1024,           /* columns of blocks that are visited row by row */
    LEAST = 4,             /* rows of blocks */
    LEVELS = 7,
};

/* ---- how tiles lie -------------------------------------------------------------------------- */

static bool is_element_load(const gndi_fuse_plan *plan, const gndi_fuse_code *c) {
    return c->kind == GNDI_FUSE_LOAD && (plan->shape_of == GNDI_FUSE_MAP || !c->row);
}

/* The axis that a load is best read along, if that is not the fastest one; else -1. */
static int other_axis(const gndi_fuse_plan *plan, int operand) {
    const int64_t *stride = plan->stride[operand];
    int64_t least = gndi_magnitude(stride[plan->ndim - 1]);
    int best = -1;
    if (least <= gndi_dtype_sizes[plan->operand[operand].dtype]) return -1;
    for (int axis = 0; axis < plan->ndim - 1; axis++) {
        const int64_t step = gndi_magnitude(stride[axis]);
        if (step == 0 || step >= least || plan->shape[axis] < LEAST) continue;
        least = step, best = axis;
    }
    return best;
}

/* Whether more loads lie along the kept axis than along the reduced one. */
static bool by_columns(const gndi_fuse_plan *plan) {
    int votes = 0;
    if (plan->kept == 0 || plan->kept == plan->ndim) return false;
    for (int i = 0; i < plan->count; i++) {
        if (!is_element_load(plan, &plan->code[i])) continue;
        const int64_t *stride = plan->stride[plan->code[i].at];
        const int64_t kept = gndi_magnitude(stride[plan->kept - 1]);
        const int64_t reduced = gndi_magnitude(stride[plan->ndim - 1]);
        if (kept != 0 && reduced != 0) votes += (kept < reduced) - (kept > reduced);
    }
    return votes > 0;
}

static fuse_layout layout_of(const gndi_fuse_plan *plan, int *axis) {
    *axis = -1;
    if (plan->shape_of != GNDI_FUSE_MAP) return by_columns(plan) ? FUSE_COLUMNS : FUSE_LINEAR;
    if (plan->ndim < 2 || plan->shape[plan->ndim - 1] < LEAST) return FUSE_LINEAR;
    for (int i = 0; i < plan->count && *axis < 0; i++)
        if (is_element_load(plan, &plan->code[i])) *axis = other_axis(plan, plan->code[i].at);
    return *axis < 0 ? FUSE_LINEAR : FUSE_BLOCKS;
}

/* Bytes of the widest value of an element. */
static int widest(const gndi_fuse_plan *plan) {
    int most = 1;
    for (int i = 0; i < plan->count; i++)
        if (gndi_dtype_sizes[plan->code[i].dtype] > most)
            most = gndi_dtype_sizes[plan->code[i].dtype];
    return most;
}

const char *gndi_cpu_fuse_executor(gnd_stream *s, const gndi_fuse_plan *plan) {
    (void)s;
    const gndi_cpu_kernels *kernels = gndi_cpu_kernels_get();
    int axis;
    for (int i = 0; i < plan->count; i++)
        if (plan->code[i].kind == GNDI_FUSE_OP &&
            !kernels->op[plan->code[i].op][plan->code[i].loop])
            return NULL;
    if (plan->shape_of != GNDI_FUSE_ROWS) return "tiles";
    int64_t together = 1;
    if (layout_of(plan, &axis) == FUSE_COLUMNS) {
        together = plan->shape[plan->kept - 1];
        if (together > LEAST_COLUMNS) together = LEAST_COLUMNS;
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

/* ---- sizes ---------------------------------------------------------------------------------- */

/* Bytes of an element in all tile buffers. */
static int64_t tile_bytes(const fuse_job *job) {
    int64_t bytes = 0;
    for (int i = 0; i < job->slots; i++) bytes += 1 << job->slot_log2[i];
    for (int v = 0; v < FUSE_VALUES; v++)
        if (job->value[v].home == FUSE_PINNED) bytes += 1 << job->value[v].size_log2;
    return bytes;
}

/* Of n elements, in as many equal pieces as it takes. */
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

static void size_tiles(fuse_job *job) {
    const gndi_fuse_plan *plan = job->plan;
    const int64_t bytes = tile_bytes(job);
    int64_t tile = bytes ? TILE_BYTES / bytes / 64 * 64 : FUSE_MOST_TILE;
    if (tile < FUSE_LEAST_TILE) tile = FUSE_LEAST_TILE;
    if (tile > FUSE_MOST_TILE) tile = FUSE_MOST_TILE;
    if (job->layout == FUSE_LINEAR) {
        if (job->run >= FUSE_LONG && job->run < 8 * tile) tile = even_pieces(job->run, tile, 64);
    } else if (job->layout == FUSE_BLOCKS) {
        int64_t rows = 64 / widest(plan);
        if (rows < 8) rows = 8;
        if (rows > 32) rows = 32;
        job->tile_a = rows, job->tile_b = tile / rows, tile = rows * job->tile_b;
    } else {
        const int64_t width = plan->shape[plan->kept - 1];
        int64_t columns = has_variance(plan) ? FUSE_LEAST_TILE / 2 : tile;
        if (plan->shape_of == GNDI_FUSE_ROWS && plan->length) {
            const int64_t most = ROW_BYTES / widest(plan) / plan->length;
            if (columns > most) columns = most > LEAST_COLUMNS ? most : LEAST_COLUMNS;
        }
        job->tile_b = even_pieces(width, columns, 16);
        job->tile_a = tile / job->tile_b;
        if (job->tile_a < 1) job->tile_a = 1;
        tile = job->tile_a * job->tile_b;
    }
    job->tile = tile;
}

/* Groups of rows, and the blocks that rows are cut into if there are few of them. */
static void size_groups(fuse_job *job) {
    const gndi_fuse_plan *plan = job->plan;
    job->group = 1, job->blocks = 1, job->block = plan->length;
    if (job->map) return;
    if (job->layout == FUSE_COLUMNS) {
        const int64_t width = plan->shape[plan->kept - 1];
        job->group = job->tile_b;
        job->across = (width + job->group - 1) / job->group;
        job->groups = plan->rows / width * job->across;
    } else {
        if (plan->length <= job->tile)
            job->group = plan->length ? job->tile / plan->length : job->tile;
        if (job->group > plan->rows) job->group = plan->rows;
        job->groups = (plan->rows + job->group - 1) / job->group;
    }
    const int64_t unit = job->layout == FUSE_COLUMNS ? job->tile_a : job->tile;
    if (job->phases == 1 && job->groups < TASKS && plan->length > unit) {
        int64_t blocks = TASKS / job->groups;
        const int64_t most = plan->length * job->group / TASK_ELEMENTS;
        if (blocks > most) blocks = most > 1 ? most : 1;
        job->block = ((plan->length + blocks - 1) / blocks + unit - 1) / unit * unit;
        job->blocks = (plan->length + job->block - 1) / job->block;
    }
    job->levels = 0;
    for (int64_t pieces = (job->block + unit - 1) / unit; pieces > 1 && job->levels < LEVELS;
         pieces = (pieces + REDUCE_EACH - 1) / REDUCE_EACH)
        job->levels++;
    if (job->levels == 1) job->levels = 0; /* so few are joined as they come */
}

static int64_t give_room(fuse_job *job, int64_t bytes) {
    const int64_t offset = job->memory;
    job->memory += (bytes + 63) / 64 * 64;
    return offset;
}

/* Where everything lies in a worker's memory. */
static void place_buffers(fuse_job *job) {
    const gndi_fuse_plan *plan = job->plan;
    int64_t slot[FUSE_VALUES];
    job->memory = 0;
    give_room(job, sizeof(fuse_worker));
    job->jobs_offset = give_room(job, plan->reductions * (int64_t)sizeof(reduce_job));
    for (int i = 0; i < job->slots; i++) slot[i] = give_room(job, job->tile << job->slot_log2[i]);
    for (int v = 0; v < FUSE_VALUES; v++) {
        fuse_value *value = &job->value[v];
        const int log2 = value->size_log2;
        const int64_t most = job->tile > job->group ? job->tile : job->group;
        if (value->home == FUSE_SLOT)
            value->offset = slot[value->slot];
        else if (value->home == FUSE_PINNED)
            value->offset = give_room(job, (most + 2 * FUSE_LONG) << log2);
        else if (value->home == FUSE_KEPT)
            value->offset = give_room(job, (job->group * plan->length) << log2);
        else if (value->home == FUSE_ROW)
            value->offset = give_room(job, job->group << log2);
    }
}

/* ---- a tile at a time ----------------------------------------------------------------------- */

static void run_tile(fuse_worker *w, int phase, fuse_tile *t) {
    const fuse_job *job = w->job;
    for (int k = 0; k < job->kept_count; k++) {
        const int v = job->kept[k];
        w->at[v] = fuse_home_of(w, v) + (t->position << job->value[v].size_log2);
    }
    gndi_fuse_run(w, &job->elements[phase], t);
}

/* Elements begin .. end of the space, in C order; `position` counts from `begin` on. */
static void run_linear(fuse_worker *w, int phase, int64_t begin, int64_t end, int64_t position) {
    const fuse_job *job = w->job;
    fuse_tile t = {.rows = 1, .position = position};
    for (; begin < end; begin += t.n, t.position += t.n) {
        gndi_fuse_seek(job, job->plan->ndim, begin, &t);
        t.n = end - begin < job->tile ? end - begin : job->tile;
        if (job->run >= FUSE_LONG && t.n > job->run - t.inside) t.n = job->run - t.inside;
        t.columns = t.n;
        run_tile(w, phase, &t);
    }
}

/* Whole short rows. */
static void run_rows(fuse_worker *w, int phase, int64_t first, int64_t rows) {
    const int64_t length = w->job->plan->length;
    fuse_tile t = {.rows = rows, .columns = length, .n = rows * length};
    if (t.n == 0) return;
    gndi_fuse_seek(w->job, w->job->plan->ndim, first * length, &t);
    run_tile(w, phase, &t);
}

/* Elements begin .. end of each of `columns` rows, from row `first` on. */
static void run_columns(fuse_worker *w, int phase, int64_t first, int64_t columns, int64_t begin,
                        int64_t end) {
    const fuse_job *job = w->job;
    const gndi_fuse_plan *plan = job->plan;
    const int last = plan->ndim - 1;
    fuse_tile t, start;
    gndi_fuse_seek(job, plan->kept, first, &start);
    t.ndim = plan->ndim, t.block = true, t.columns = columns;
    for (; begin < end; begin += t.rows) {
        int64_t rest = begin;
        memcpy(t.offset, start.offset, (size_t)plan->operands * sizeof *t.offset);
        t.rows = job->tile_a < end - begin ? job->tile_a : end - begin;
        for (int axis = last; axis >= plan->kept; axis--) {
            const int64_t digit = axis > plan->kept ? rest % plan->shape[axis] : rest;
            if (axis > plan->kept) rest /= plan->shape[axis];
            if (axis == last && t.rows > plan->shape[last] - digit)
                t.rows = plan->shape[last] - digit;
            for (int k = 0; k < plan->operands; k++) t.offset[k] += digit * plan->stride[k][axis];
        }
        t.n = t.rows * columns, t.position = begin * columns;
        run_tile(w, phase, &t);
    }
}

/* ---- a group at a time ---------------------------------------------------------------------- */

typedef struct group {
    int64_t first, rows;
} group;

static group group_of(const fuse_job *job, int64_t number) {
    group g;
    if (job->layout == FUSE_COLUMNS) {
        const int64_t width = job->plan->shape[job->plan->kept - 1];
        const int64_t column = number % job->across * job->group;
        g.first = number / job->across * width + column;
        g.rows = width - column < job->group ? width - column : job->group;
    } else {
        g.first = number * job->group;
        g.rows = job->plan->rows - g.first < job->group ? job->plan->rows - g.first : job->group;
    }
    return g;
}

static void run_row_steps(fuse_worker *w, const fuse_steps *steps, group g) {
    fuse_tile t = {.n = g.rows, .rows = 1, .columns = g.rows};
    if (!steps->count) return;
    gndi_fuse_seek(w->job, w->job->plan->kept, g.first, &t);
    gndi_fuse_run(w, steps, &t);
}

static void run_elements(fuse_worker *w, int phase, group g, int64_t begin, int64_t end) {
    const fuse_job *job = w->job;
    const int64_t length = job->plan->length;
    if (job->layout == FUSE_COLUMNS)
        run_columns(w, phase, g.first, g.rows, begin, end);
    else if (job->group > 1 || length <= job->tile)
        run_rows(w, phase, g.first, g.rows);
    else
        run_linear(w, phase, g.first * length + begin, g.first * length + end, begin);
}

static void run_group(fuse_worker *w, int64_t number) {
    const fuse_job *job = w->job;
    const group g = group_of(job, number);
    w->group_number++;
    for (int phase = 0; phase < job->phases; phase++) {
        run_row_steps(w, &job->rows[phase], g);
        gndi_fuse_reduce_begin(w, phase, g.rows);
        run_elements(w, phase, g, 0, job->plan->length);
        gndi_fuse_reduce_end(w, phase, g.rows);
    }
    run_row_steps(w, &job->rows[job->phases], g);
    run_row_steps(w, &job->row_stores, g);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* A worker that is free: there are as many as threads. */
static fuse_worker *take_worker(fuse_job *job) {
    for (int i = 0;; i = (i + 1) % job->workers) {
        fuse_worker *w = (fuse_worker *)(void *)(job->worker_memory + i * job->memory);
        int no = 0;
        if (!atomic_compare_exchange_strong(&w->busy, &no, 1)) continue;
        if (!w->ready) gndi_fuse_ready(w);
        return w;
    }
}

static void leave_worker(fuse_worker *w) {
    if (w->job->streams) w->job->kernels->stream_end();
    atomic_store(&w->busy, 0);
}

static void map_linear(void *context, int64_t begin, int64_t end) {
    fuse_worker *w = take_worker(context);
    run_linear(w, 0, begin, end, 0);
    leave_worker(w);
}

static void map_blocks(void *context, int64_t begin, int64_t end) {
    fuse_worker *w = take_worker(context);
    const fuse_job *job = w->job;
    const gndi_fuse_plan *plan = job->plan;
    const int last = plan->ndim - 1, axis = job->axis_a;
    const int64_t height = (plan->shape[axis] + job->tile_a - 1) / job->tile_a;
    const int64_t bands = (plan->shape[last] + BAND - 1) / BAND;
    for (int64_t item = begin; item < end; item++) {
        int64_t row = item % height * job->tile_a, rest = item / height;
        int64_t column = rest % bands * BAND, outer = rest / bands;
        fuse_tile t = {.ndim = plan->ndim, .block = true};
        t.rows = plan->shape[axis] - row < job->tile_a ? plan->shape[axis] - row : job->tile_a;
        for (int k = 0; k < plan->operands; k++)
            t.offset[k] = row * plan->stride[k][axis] + column * plan->stride[k][last];
        for (int i = last - 1; i >= 0; i--) {
            if (i == axis) continue;
            const int64_t digit = outer % plan->shape[i];
            outer /= plan->shape[i];
            for (int k = 0; k < plan->operands; k++) t.offset[k] += digit * plan->stride[k][i];
        }
        const int64_t stop = plan->shape[last] - column < BAND ? plan->shape[last] : column + BAND;
        for (; column < stop; column += t.columns) {
            t.columns = stop - column < job->tile_b ? stop - column : job->tile_b;
            t.n = t.rows * t.columns;
            run_tile(w, 0, &t);
            for (int k = 0; k < plan->operands; k++)
                t.offset[k] += t.columns * plan->stride[k][last];
        }
    }
    leave_worker(w);
}

static void run_groups(void *context, int64_t begin, int64_t end) {
    fuse_worker *w = take_worker(context);
    for (int64_t number = begin; number < end; number++) run_group(w, number);
    leave_worker(w);
}

/* A block of each row of a group. */
static void run_blocks(void *context, int64_t begin, int64_t end) {
    fuse_worker *w = take_worker(context);
    const fuse_job *job = w->job;
    for (int64_t task = begin; task < end; task++) {
        const group g = group_of(job, task / job->blocks);
        const int64_t from = task % job->blocks * job->block, length = job->plan->length;
        w->group_number++;
        run_row_steps(w, &job->rows[0], g);
        gndi_fuse_reduce_begin(w, 0, g.rows);
        run_elements(w, 0, g, from, length - from < job->block ? length : from + job->block);
        gndi_fuse_reduce_leave(w, task, g.rows);
    }
    leave_worker(w);
}

static void join_blocks(void *context, int64_t begin, int64_t end) {
    fuse_worker *w = take_worker(context);
    const fuse_job *job = w->job;
    for (int64_t number = begin; number < end; number++) {
        const group g = group_of(job, number);
        run_row_steps(w, &job->rows[0], g);
        gndi_fuse_reduce_join(w, number, g.rows);
        run_row_steps(w, &job->rows[1], g);
        run_row_steps(w, &job->row_stores, g);
    }
    leave_worker(w);
}

static int64_t divide_up(int64_t n, int64_t by) {
    return (n + by - 1) / by;
}

static void run_map(fuse_job *job) {
    const gndi_fuse_plan *plan = job->plan;
    const int64_t grain = GRAIN / (job->elements[0].count + 1);
    if (job->layout == FUSE_LINEAR) {
        gndi_parallel_for(plan->size, grain > job->tile ? grain : job->tile, map_linear, job);
        return;
    }
    const int64_t rows = plan->shape[job->axis_a], columns = plan->shape[plan->ndim - 1];
    const int64_t items =
        plan->size / (rows * columns) * divide_up(rows, job->tile_a) * divide_up(columns, BAND);
    const int64_t each = job->tile_a * (columns < BAND ? columns : BAND);
    gndi_parallel_for(items, divide_up(grain, each), map_blocks, job);
}

static void run_job(fuse_job *job) {
    const int64_t each = job->group * job->block + 1;
    if (job->map) {
        run_map(job);
    } else if (job->blocks > 1) {
        gndi_parallel_for(job->groups * job->blocks, 1, run_blocks, job);
        gndi_parallel_for(job->groups, 64, join_blocks, job);
    } else {
        gndi_parallel_for(job->groups, divide_up(GRAIN / 4, each), run_groups, job);
    }
}

/* ---- the backend's function ----------------------------------------------------------------- */

static void describe(fuse_job *job, const gndi_fuse_plan *plan) {
    job->plan = plan, job->kernels = gndi_cpu_kernels_get();
    job->map = plan->shape_of == GNDI_FUSE_MAP;
    job->layout = layout_of(plan, &job->axis_a);
    job->axis_b = job->layout == FUSE_COLUMNS ? plan->kept - 1 : plan->ndim - 1;
    if (job->layout == FUSE_COLUMNS) job->axis_a = plan->ndim - 1;
    job->run = plan->ndim ? plan->shape[plan->ndim - 1] : 1;
    describe_operands(job);
    int64_t bytes = 0;
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind == GNDI_FUSE_STORE && (job->map || !c->row))
            bytes += plan->size * gndi_dtype_sizes[c->dtype];
    }
    job->streams = bytes >= LARGE;
}

static bool find_memory(fuse_job *job, const char *fn) {
    int64_t tasks = job->groups * job->blocks;
    if (job->map) tasks = job->plan->size / FUSE_LEAST_TILE + 1;
    job->workers = gndi_thread_count();
    if (tasks < job->workers) job->workers = tasks > 1 ? (int)tasks : 1;
    job->allocated = gndi_malloc(fn, (size_t)(job->workers * job->memory + 64));
    if (!job->allocated) return false;
    job->worker_memory = (char *)(((uintptr_t)job->allocated + 63) / 64 * 64);
    for (int i = 0; i < job->workers; i++) {
        fuse_worker *w = (fuse_worker *)(void *)(job->worker_memory + i * job->memory);
        w->job = job, w->ready = false;
        w->reduce = (reduce_job *)(void *)((char *)w + job->jobs_offset);
        atomic_init(&w->busy, 0);
    }
    if (job->blocks == 1) return true;
    job->partials = gndi_malloc(fn, (size_t)(tasks * job->partial_bytes));
    return job->partials != NULL;
}

gnd_status gndi_cpu_fuse(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn) {
    if (plan->rows == 0 || (plan->size == 0 && plan->shape_of == GNDI_FUSE_MAP)) return GND_OK;
    fuse_job *job = gndi_calloc(fn, sizeof *job);
    bool done = false;
    if (!job) return GND_ERROR_MEMORY;
    describe(job, plan);
    if (gndi_fuse_build(job, fn)) {
        size_tiles(job), size_groups(job), place_buffers(job);
        done = gndi_fuse_reductions(job, s, fn) && find_memory(job, fn);
    }
    if (done) run_job(job);
    gndi_free(job->partials), gndi_free(job->allocated);
    gndi_free(job->reduction), gndi_free(job->steps), gndi_free(job);
    return done ? GND_OK : GND_ERROR_MEMORY;
}
