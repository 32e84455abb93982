/*
 * convolve_cpu.c: sliding sums in several dimensions on the CPU. Threads share stretches of columns of blocks of
 * output rows. The rows of elements that an output row needs are kept with their borders, converted once, and reused
 * by the output rows below it.
 */
#include "convolve/convolve_plan.h"
#include "convolve/cpu/convolve_loops.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_convolve_loops, gndi_cpu_convolve_loops_get, convolve_loops)

enum { COLUMNS = 4096, ROWS = 64, PRODUCTS = 1 << 16 };

typedef struct work {
    const gndi_convolve_plan *plan;
    const gndi_cpu_convolve_type *type;
    char *taps;                 /* dense, as what sums are computed in */
    int64_t tap_rows;           /* of all axes but the last */
    int64_t rows;               /* outputs along the axis before the last; 1 if there is none */
    int64_t outer;              /* outputs along the axes before that */
    int64_t pieces, row_blocks; /* of the last axis; of `rows` */
    int64_t row_bytes;          /* of a row that is kept */
    atomic_bool failed;         /* there was no memory */
} work;

/* What a thread works with. */
typedef struct workspace {
    char *rows, *out;
    const void **row; /* tap_rows of them */
} workspace;

/* ---- rows of elements ------------------------------------------------------------------------- */

/* Elements column .. column + n - 1 of the row at index[] (all axes but the last), with their borders. */
static void load_row(const work *w, const int64_t *index, int64_t column, int64_t n, char *to) {
    const gndi_convolve_plan *p = w->plan;
    const int last = p->ndim - 1, bytes = w->type->bytes;
    const int64_t length = p->x_shape[last], step = p->x_stride[last];
    const char *from = p->x;
    bool constant = false;
    for (int a = 0; a < last; a++) {
        const int64_t at = gndi_border_index(index[a], p->x_shape[a], (gndi_border)p->border);
        constant = constant || at < 0;
        from += at * p->x_stride[a];
    }
    int64_t i = 0;
    while (i < n) {
        const int64_t at = constant ? -1 : gndi_border_index(column + i, length, (gndi_border)p->border);
        const bool inside = !constant && column + i >= 0 && column + i < length;
        const int64_t count = inside ? gndi_min(n, length - column) - i : constant ? n - i : 1;
        if (at < 0)
            w->type->fill(p->fill, p->fill_integer, to + i * bytes, count);
        else
            w->type->load(from + at * step, step, p->dtype, to + i * bytes, count);
        i += count;
    }
}

/* The row for tap row t of output row `row`: its slot, which is that of the element row alone. */
static char *slot(const work *w, const workspace *s, int64_t t, int64_t row) {
    const gndi_convolve_plan *p = w->plan;
    const int64_t high = p->ndim > 1 ? p->taps_shape[p->ndim - 2] : 1;
    return s->rows + (t / high * high + (row + t % high) % high) * w->row_bytes;
}

/* index[] of tap row t, counted from the first element that output `outer`, row 0 meets. */
static void find_index(const work *w, int64_t outer, int64_t row, int64_t t, int64_t *index) {
    const gndi_convolve_plan *p = w->plan;
    for (int a = p->ndim - 2; a >= 0; a--) {
        const int64_t at = t % p->taps_shape[a];
        t /= p->taps_shape[a];
        if (a == p->ndim - 2) {
            index[a] = row + p->first[a] + at;
        } else {
            index[a] = outer % p->out_shape[a] + p->first[a] + at;
            outer /= p->out_shape[a];
        }
    }
}

/* ---- outputs ---------------------------------------------------------------------------------- */

static char *output(const gndi_convolve_plan *p, int64_t outer, int64_t row, int64_t column) {
    const int last = p->ndim - 1;
    char *to = p->out + column * p->out_stride[last];
    if (last > 0) to += row * p->out_stride[last - 1];
    for (int a = last - 2; a >= 0; a--) {
        to += outer % p->out_shape[a] * p->out_stride[a];
        outer /= p->out_shape[a];
    }
    return to;
}

/* Elements from..., if they are as sums are computed and none is a border's; NULL if they must be converted. More are
   read than are used. Of several tap rows, those of the output row above are at hand converted. */
static const char *whole_row(const work *w, const int64_t *index, int64_t from, int64_t length) {
    const gndi_convolve_plan *p = w->plan;
    const int last = p->ndim - 1, bytes = w->type->bytes;
    const bool same = gndi_dtype_sizes[p->dtype] == bytes && p->x_stride[last] == bytes;
    if (!same || w->tap_rows > 1 || from < 0 || from + length + GNDI_CONVOLVE_BLOCK / bytes > p->x_shape[last])
        return NULL;
    const char *x = p->x;
    for (int a = 0; a < last; a++) {
        const int64_t at = gndi_border_index(index[a], p->x_shape[a], (gndi_border)p->border);
        if (at < 0) return NULL;
        x += at * p->x_stride[a];
    }
    return x + from * bytes;
}

/* n outputs of the rows that `run` has, as many as possible straight to where they belong. */
static void run_row(const work *w, const workspace *s, gndi_cpu_convolve_run run, char *to) {
    const gndi_convolve_plan *p = w->plan;
    const int bytes = w->type->bytes;
    const int64_t step = p->out_stride[p->ndim - 1], n = run.n;
    if (step == bytes && gndi_dtype_sizes[p->dtype] == bytes) {
        run.n -= n % (GNDI_CONVOLVE_BLOCK / bytes), run.out = to;
        w->type->run(&run);
        for (int64_t t = 0; t < run.rows; t++) s->row[t] = (const char *)s->row[t] + run.n * bytes;
        to += run.n * bytes, run.n = n - run.n, run.out = s->out;
    }
    if (run.n == 0) return;
    w->type->run(&run);
    w->type->store(s->out, to, step, p->dtype, run.n);
}

/* Some columns of a block of output rows. */
static void run_unit(const work *w, const workspace *s, int64_t unit) {
    const gndi_convolve_plan *p = w->plan;
    const int last = p->ndim - 1;
    const int64_t high = last > 0 ? p->taps_shape[last - 1] : 1;
    const int64_t column = unit % w->pieces * COLUMNS, n = gndi_min(COLUMNS, p->out_shape[last] - column);
    const int64_t first = unit / w->pieces % w->row_blocks * ROWS, end = gndi_min(first + ROWS, w->rows);
    const int64_t outer = unit / w->pieces / w->row_blocks;
    const int64_t from = column + p->first[last], length = n + p->taps_shape[last] - 1;
    const gndi_cpu_convolve_run run = {
        .row = s->row, .tap = w->taps, .rows = w->tap_rows, .taps = p->taps_shape[last], .n = n, .out = s->out};
    for (int64_t row = first; row < end; row++) {
        for (int64_t t = 0; t < w->tap_rows; t++) {
            int64_t index[GND_MAX_DIMS];
            char *at = slot(w, s, t, row);
            s->row[t] = at;
            if (row > first && t % high < high - 1) continue; /* an output row above had it */
            find_index(w, outer, row, t, index);
            const char *whole = whole_row(w, index, from, length);
            if (whole)
                s->row[t] = whole;
            else
                load_row(w, index, from, length, at);
        }
        run_row(w, s, run, output(p, outer, row, column));
    }
}

static void run_units(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const size_t rows = (size_t)(w->tap_rows * w->row_bytes), pointers = (size_t)w->tap_rows * sizeof(void *);
    char *memory = gndi_malloc(NULL, rows + (size_t)w->row_bytes + pointers);
    if (!memory) {
        atomic_store(&w->failed, true);
        return;
    }
    memset(memory, 0, rows + (size_t)w->row_bytes); /* what lies beyond a row is computed with, too */
    const workspace s = {.rows = memory, .out = memory + rows, .row = (const void **)(memory + rows + w->row_bytes)};
    for (int64_t unit = begin; unit < end; unit++) run_unit(w, &s, unit);
    gndi_free(memory);
}

/* ---- the backend's function ------------------------------------------------------------------- */

int gndi_cpu_convolve_type_of(int dtype) {
    switch (dtype) {
    case GND_INT64:
    case GND_UINT64: return GNDI_CONVOLVE_UINT64;
    case GND_FLOAT16:
    case GND_BFLOAT16:
    case GND_FLOAT32: return GNDI_CONVOLVE_FLOAT;
    case GND_FLOAT64: return GNDI_CONVOLVE_DOUBLE;
    case GND_COMPLEX64: return GNDI_CONVOLVE_COMPLEX_FLOAT;
    case GND_COMPLEX128: return GNDI_CONVOLVE_COMPLEX_DOUBLE;
    default: return GNDI_CONVOLVE_UINT32;
    }
}

/* The taps, row by row. */
static void fill_taps(const work *w) {
    const gndi_convolve_plan *p = w->plan;
    const int last = p->ndim - 1;
    const int64_t n = p->taps_shape[last];
    for (int64_t t = 0; t < w->tap_rows; t++) {
        const char *from = p->taps;
        int64_t rest = t;
        for (int a = last - 1; a >= 0; a--) {
            from += rest % p->taps_shape[a] * p->taps_stride[a];
            rest /= p->taps_shape[a];
        }
        w->type->load(from, p->taps_stride[last], p->dtype, w->taps + t * n * w->type->bytes, n);
    }
}

gnd_status gndi_cpu_convolve(gnd_stream *s, const gndi_convolve_plan *p, const char *fn) {
    const int last = p->ndim - 1;
    const gndi_cpu_convolve_type *type = &gndi_cpu_convolve_loops_get()->of[gndi_cpu_convolve_type_of(p->dtype)];
    work w = {.plan = p, .type = type, .tap_rows = 1, .rows = 1, .outer = 1};
    for (int a = 0; a < last; a++) w.tap_rows *= p->taps_shape[a];
    for (int a = 0; a < last - 1; a++) w.outer *= p->out_shape[a];
    if (last > 0) w.rows = p->out_shape[last - 1];
    w.pieces = gndi_ceil_div(p->out_shape[last], COLUMNS);
    w.row_blocks = gndi_ceil_div(w.rows, ROWS);
    const int64_t most = gndi_min(COLUMNS, p->out_shape[last]), taps = p->taps_shape[last];
    w.row_bytes = gndi_ceil_div((most + taps) * type->bytes + 2 * GNDI_CONVOLVE_BLOCK, 64) * 64;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(w.tap_rows * taps * type->bytes));
    if (!memory) return GND_ERROR_MEMORY;
    w.taps = memory->base;
    fill_taps(&w);
    const int64_t unit = most * gndi_min(ROWS, w.rows) * taps * w.tap_rows;
    gndi_parallel_for(w.outer * w.row_blocks * w.pieces, PRODUCTS / unit + 1, run_units, &w);
    gndi_buffer_release(memory);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for rows of elements");
}
