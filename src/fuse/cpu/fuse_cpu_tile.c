/*
 * fuse_cpu_tile.c: operands into and out of tiles. Dense elements are used in place; others are gathered,
 * repeated, transposed or scattered, a block of rows and columns at a time. A tile of neighbours in C order
 * is divided into such blocks: the rest of a run, adjacent whole runs, and so on.
 */
#include "elementwise/cpu/elementwise.h"
#include "fuse/cpu/fuse_cpu.h"

/* ---- blocks --------------------------------------------------------------------------------- */

/* rows x columns elements of an operand, from `offset` on. */
typedef struct block {
    int64_t offset, rows, columns, row_step, column_step;
} block;

/* Merges rows that are contiguous with each other into one row. */
static void join_rows(block *b) {
    if (b->columns == 1)
        b->columns = b->rows, b->column_step = b->row_step, b->rows = 1;
    else if (b->row_step == b->columns * b->column_step)
        b->columns *= b->rows, b->rows = 1;
}

/* Repeats a row of `bytes` by doubling what has been written. */
static void repeat_row(char *to, int64_t bytes, int64_t rows) {
    for (int64_t done = 1; done < rows;) {
        const int64_t more = done < rows - done ? done : rows - done;
        memcpy(to + done * bytes, to, (size_t)(more * bytes));
        done += more;
    }
}

static void load_block(const fuse_job *job, int operand, block b, char *to) {
    const gndi_cpu_kernels *kernels = job->kernels;
    const int log2 = job->operand[operand].size_log2;
    const int64_t size = job->operand[operand].itemsize;
    const char *from = job->plan->operand[operand].data + b.offset;
    join_rows(&b);
    if (b.rows > 1 && b.column_step == 0) {
        ew_repeat_each(log2, from, b.row_step, b.columns, to, b.rows);
        return;
    }
    if (b.rows >= FUSE_LEAST_TRANSPOSED && b.row_step != 0 &&
        gndi_magnitude(b.row_step) < gndi_magnitude(b.column_step)) {
        kernels->transpose[log2](from, b.row_step, b.column_step, to, b.columns * size, b.rows, b.columns, false);
        return;
    }
    const int64_t rows = b.row_step ? b.rows : 1;
    for (int64_t r = 0; r < rows; r++) {
        char *row = to + r * b.columns * size;
        if (b.column_step == 0)
            kernels->repeat[log2](from, row, b.columns);
        else
            kernels->gather[log2](from + r * b.row_step, b.column_step, row, b.columns);
    }
    if (rows < b.rows) repeat_row(to, b.columns * size, b.rows);
}

static void store_block(const fuse_job *job, int operand, block b, const char *from) {
    const gndi_cpu_kernels *kernels = job->kernels;
    const int log2 = job->operand[operand].size_log2;
    const int64_t size = job->operand[operand].itemsize;
    char *to = job->plan->operand[operand].data + b.offset;
    join_rows(&b);
    if (b.rows >= FUSE_LEAST_TRANSPOSED && b.row_step == size && b.column_step != size) {
        kernels->transpose[log2](from, size, b.columns * size, to, b.column_step, b.columns, b.rows, false);
        return;
    }
    for (int64_t r = 0; r < b.rows; r++, from += b.columns * size) {
        if (job->streams && b.column_step == size)
            kernels->stream(from, to + r * b.row_step, b.columns * size);
        else
            kernels->scatter[log2](from, to + r * b.row_step, b.column_step, b.columns);
    }
}

static void index_block(block b, int64_t *to) {
    for (int64_t r = 0; r < b.rows; r++, to += b.columns) {
        const int64_t first = b.offset + r * b.row_step, step = b.column_step;
        for (int64_t i = 0; i < b.columns; i++) to[i] = first + i * step;
    }
}

/* ---- tiles ---------------------------------------------------------------------------------- */

void gndi_fuse_seek(const fuse_job *job, int ndim, int64_t first, fuse_tile *t) {
    const gndi_fuse_plan *plan = job->plan;
    int64_t digit[GND_MAX_DIMS], rest = first;
    t->ndim = ndim, t->block = false, t->first = first;
    for (int axis = ndim - 1; axis > 0; axis--) {
        const int64_t over = rest / plan->shape[axis];
        digit[axis] = rest - over * plan->shape[axis];
        rest = over;
    }
    if (ndim) digit[0] = rest;
    t->inside = ndim ? digit[ndim - 1] : 0;
    for (int k = 0; k < plan->operands; k++) {
        int64_t offset = 0;
        for (int axis = 0; axis < ndim; axis++) offset += digit[axis] * plan->stride[k][axis];
        t->offset[k] = offset;
    }
}

/* A tile that is one block for every operand. */
static block whole(const fuse_job *job, const fuse_tile *t, int operand) {
    const int64_t *stride = job->plan->stride[operand];
    if (t->block) return (block){t->offset[operand], t->rows, t->columns, stride[job->axis_a], stride[job->axis_b]};
    return (block){t->offset[operand], 1, t->n, 0, t->ndim ? stride[t->ndim - 1] : 0};
}

/* Whether a tile is within a run of the fastest axis, or is a block. */
static bool is_simple(const fuse_job *job, const fuse_tile *t) {
    return t->block || t->n == 1 || t->inside + t->n <= job->plan->shape[t->ndim - 1];
}

/* Iterates over a linear tile of several runs, block by block. */
typedef struct walk {
    const fuse_tile *tile;
    const int64_t *shape, *stride;
    int64_t index[GND_MAX_DIMS], left;
    block block;
} walk;

static walk begin_walk(const fuse_job *job, const fuse_tile *t, int operand) {
    walk w = {.tile = t, .shape = job->plan->shape, .stride = job->plan->stride[operand]};
    int64_t rest = t->first;
    for (int axis = t->ndim - 1; axis >= 0; axis--) w.index[axis] = rest % w.shape[axis], rest /= w.shape[axis];
    w.left = t->n, w.block.offset = t->offset[operand];
    return w;
}

/* The next block's extent; false at the end. */
static bool next_block(walk *w) {
    const int last = w->tile->ndim - 1;
    const int64_t run = w->shape[last];
    if (w->left == 0) return false;
    block *b = &w->block;
    b->rows = 1, b->columns = run - w->index[last], b->column_step = w->stride[last];
    b->row_step = last ? w->stride[last - 1] : 0;
    if (b->columns > w->left) b->columns = w->left;
    if (last && b->columns == run) {
        b->rows = w->shape[last - 1] - w->index[last - 1];
        if (b->rows > w->left / run) b->rows = w->left / run;
    }
    return true;
}

static void pass_block(walk *w) {
    const block *b = &w->block;
    int axis = w->tile->ndim - 1;
    const int64_t run = w->shape[axis];
    w->left -= b->rows * b->columns;
    int64_t offset = b->offset;
    if (axis && w->index[axis] + b->columns == run) {
        offset += b->rows * w->stride[axis - 1] - w->index[axis] * w->stride[axis];
        w->index[axis] = 0, w->index[axis - 1] += b->rows;
        for (axis--; axis > 0 && w->index[axis] == w->shape[axis]; axis--) {
            offset += w->stride[axis - 1] - w->shape[axis] * w->stride[axis];
            w->index[axis] = 0, w->index[axis - 1]++;
        }
    } else {
        offset += b->columns * w->stride[axis], w->index[axis] += b->columns;
    }
    w->block.offset = offset;
}

static void load_tile(const fuse_job *job, const fuse_tile *t, int operand, char *to) {
    if (is_simple(job, t)) {
        load_block(job, operand, whole(job, t, operand), to);
        return;
    }
    for (walk w = begin_walk(job, t, operand); next_block(&w); pass_block(&w)) {
        load_block(job, operand, w.block, to);
        to += w.block.rows * w.block.columns * job->operand[operand].itemsize;
    }
}

char *gndi_fuse_in_place(const fuse_job *job, const fuse_tile *t, int operand) {
    const fuse_operand *o = &job->operand[operand];
    bool dense;
    if (is_simple(job, t)) {
        block b = whole(job, t, operand);
        if (b.rows > 1) join_rows(&b);
        dense = b.rows == 1 && (b.columns == 1 || b.column_step == o->itemsize);
    } else {
        dense = o->flat && t->ndim == job->plan->ndim;
    }
    return dense ? job->plan->operand[operand].data + t->offset[operand] : NULL;
}

/* ---- loads and stores ----------------------------------------------------------------------- */

/* An operand that is the same in every run: fills the buffer with a tile plus one run, so that a tile can begin
   anywhere within a run. */
static char *load_periodic(fuse_worker *w, const fuse_tile *t, int operand, int value, char *buffer) {
    const fuse_job *job = w->job;
    const int64_t size = job->operand[operand].itemsize, run = job->run;
    if (!w->filled[value].n) {
        const block b = {0, (job->tile + run - 1) / run + 1, run, 0, job->plan->stride[operand][job->plan->ndim - 1]};
        load_block(job, operand, b, buffer);
        w->filled[value].n = 1;
    }
    return buffer + t->inside * size;
}

char *gndi_fuse_load(fuse_worker *w, const fuse_tile *t, const fuse_step *step, char *buffer) {
    const fuse_job *job = w->job;
    const int operand = step->at;
    const fuse_value *v = &job->value[step->to];
    if (!v->copied) {
        char *in_place = gndi_fuse_in_place(job, t, operand);
        if (in_place) return in_place;
    }
    if (v->home != FUSE_PINNED) {
        load_tile(job, t, operand, buffer);
        return buffer;
    }
    if (job->operand[operand].periodic && !t->block) return load_periodic(w, t, operand, step->to, buffer);
    /* Repeated elements: the last tile may already have filled the buffer. */
    const char *from = job->plan->operand[operand].data + t->offset[operand];
    const bool simple = is_simple(job, t);
    const int64_t columns = t->block ? t->columns : 0;
    fuse_filled *filled = &w->filled[step->to];
    if (simple && filled->from == from && filled->n >= t->n && filled->columns == columns) return buffer;
    load_tile(job, t, operand, buffer);
    filled->from = simple ? from : NULL, filled->n = t->n, filled->columns = columns;
    return buffer;
}

void gndi_fuse_store(const fuse_job *job, const fuse_tile *t, int operand, const char *from) {
    const int64_t size = job->operand[operand].itemsize;
    char *in_place = gndi_fuse_in_place(job, t, operand);
    if (in_place == from) return; /* it was computed there */
    if (in_place && job->streams) {
        job->kernels->stream(from, in_place, t->n * size);
    } else if (in_place) {
        memcpy(in_place, from, (size_t)(t->n * size));
    } else if (is_simple(job, t)) {
        store_block(job, operand, whole(job, t, operand), from);
    } else {
        for (walk w = begin_walk(job, t, operand); next_block(&w); pass_block(&w)) {
            store_block(job, operand, w.block, from);
            from += w.block.rows * w.block.columns * size;
        }
    }
}

void gndi_fuse_index(const fuse_job *job, const fuse_tile *t, int operand, int64_t *to) {
    if (is_simple(job, t)) {
        index_block(whole(job, t, operand), to);
        return;
    }
    for (walk w = begin_walk(job, t, operand); next_block(&w); pass_block(&w)) {
        index_block(w.block, to);
        to += w.block.rows * w.block.columns;
    }
}

void gndi_fuse_spread(fuse_worker *w, const fuse_tile *t, const fuse_step *step) {
    const fuse_job *job = w->job;
    const int value = step->in[0], log2 = job->value[value].size_log2;
    const char *from = w->at[value];
    char *to = fuse_home_of(w, step->to);
    const int64_t size = (int64_t)1 << log2;
    const bool by_columns = job->layout == FUSE_COLUMNS;
    if (by_columns && t->rows == 1) {
        w->at[step->to] = (char *)(uintptr_t)from;
        return;
    }
    w->at[step->to] = to;
    const int64_t columns = by_columns || t->rows > 1 ? t->columns : 0;
    fuse_filled *filled = &w->filled[step->to];
    if (filled->group == w->group_number && filled->n >= t->n && filled->columns == columns) return;
    if (by_columns) {
        memcpy(to, from, (size_t)(t->columns * size));
        repeat_row(to, t->columns * size, t->rows);
    } else if (t->rows == 1) {
        job->kernels->repeat[log2](from, to, t->n);
    } else {
        ew_repeat_each(log2, from, size, t->columns, to, t->rows);
    }
    filled->group = w->group_number, filled->n = t->n, filled->columns = columns;
}
