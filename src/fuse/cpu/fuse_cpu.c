/*
 * fuse_cpu.c: fused programs on the CPU: groups of rows, tiles of elements, and the threads that run
 * them.
 */
#include "fuse/cpu/fuse_cpu.h"

enum {
    GRAIN = 131072, /* steps times elements */
    BAND = 1024,    /* columns of blocks that are visited row by row */
};

/* ---- a tile at a time ----------------------------------------------------------------------- */

static void run_tile(fuse_worker *w, int phase, fuse_tile *t) {
    const fuse_job *job = w->job;
    for (int k = 0; k < job->kept_count; k++) {
        const int v = job->kept[k];
        w->at[v] = fuse_home_of(w, v) + (t->position << job->value[v].size_log2);
    }
    gndi_fuse_run(w, &job->elements[phase], t);
}

/* Runs elements begin .. end of the space, in C order; `position` is that of `begin`. */
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

/* Runs whole short rows. */
static void run_rows(fuse_worker *w, int phase, int64_t first, int64_t rows) {
    const int64_t length = w->job->plan->length;
    fuse_tile t = {.rows = rows, .columns = length, .n = rows * length};
    if (t.n == 0) return;
    gndi_fuse_seek(w->job, w->job->plan->ndim, first * length, &t);
    run_tile(w, phase, &t);
}

/* Runs elements begin .. end of each of `rows` adjacent rows, from row `first` on: along the columns of
   tiles, or along their rows. */
static void run_together(fuse_worker *w, int phase, int64_t first, int64_t rows, int64_t begin, int64_t end) {
    const fuse_job *job = w->job;
    const gndi_fuse_plan *plan = job->plan;
    const int last = plan->ndim - 1;
    const bool columns = job->layout == FUSE_COLUMNS;
    fuse_tile t, start;
    int64_t cut;
    gndi_fuse_seek(job, plan->kept, first, &start);
    t.ndim = plan->ndim, t.block = true;
    for (; begin < end; begin += cut) {
        int64_t rest = begin;
        memcpy(t.offset, start.offset, (size_t)plan->operands * sizeof *t.offset);
        cut = job->cut < end - begin ? job->cut : end - begin;
        for (int axis = last; axis >= plan->kept; axis--) {
            const int64_t digit = axis > plan->kept ? rest % plan->shape[axis] : rest;
            if (axis > plan->kept) rest /= plan->shape[axis];
            if (axis == last && cut > plan->shape[last] - digit) cut = plan->shape[last] - digit;
            for (int k = 0; k < plan->operands; k++) t.offset[k] += digit * plan->stride[k][axis];
        }
        t.rows = columns ? cut : rows, t.columns = columns ? rows : cut;
        t.n = cut * rows, t.position = begin * rows;
        run_tile(w, phase, &t);
    }
}

/* ---- a group at a time ---------------------------------------------------------------------- */

typedef struct group {
    int64_t first, rows;
} group;

static group group_of(const fuse_job *job, int64_t number) {
    group g;
    if (job->layout != FUSE_LINEAR) {
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
    if (job->layout != FUSE_LINEAR)
        run_together(w, phase, g.first, g.rows, begin, end);
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

/* Takes a free worker: there are as many as threads. */
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
            for (int k = 0; k < plan->operands; k++) t.offset[k] += t.columns * plan->stride[k][last];
        }
    }
    leave_worker(w);
}

static void run_groups(void *context, int64_t begin, int64_t end) {
    fuse_worker *w = take_worker(context);
    for (int64_t number = begin; number < end; number++) run_group(w, number);
    leave_worker(w);
}

/* Runs a block of each row of a group. */
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
    const int64_t items = plan->size / (rows * columns) * divide_up(rows, job->tile_a) * divide_up(columns, BAND);
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

/* ---- the hooks ------------------------------------------------------------------------------ */

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
        w->at = (char **)(void *)((char *)w + job->at_offset);
        w->filled = (fuse_filled *)(void *)((char *)w + job->filled_offset);
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
    gndi_fuse_describe(job, plan);
    if (gndi_fuse_build(job, fn)) {
        gndi_fuse_measure(job);
        done = gndi_fuse_reductions(job, s, fn) && find_memory(job, fn);
    }
    if (done) run_job(job);
    gndi_free(job->partials), gndi_free(job->allocated);
    gndi_free(job->reduction), gndi_free(job->steps), gndi_free(job->value), gndi_free(job);
    return done ? GND_OK : GND_ERROR_MEMORY;
}
