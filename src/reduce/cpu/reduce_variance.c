/*
 * reduce_variance.c: variances, one pass over the memory: each batch of elements that fits the
 * caches gives a number, a mean and a sum of squared deviations (M2), which are merged as Chan,
 * Golub and LeVeque do ("Algorithms for computing the sample variance", 1983). The accumulators of
 * a tile are three rows of float64: numbers, means, M2. The two parts of complex numbers are
 * columns of their own, whose M2 are added in the end.
 */
#include "reduce/cpu/reduce_cpu.h"
#include <math.h>

enum {
    BATCH_ROWS = 32,
    BATCH_COLUMNS = GNDI_CPU_VARIANCE_COLUMNS,
};

typedef struct columns {
    double *number, *mean, *m2;
} columns;

static int parts_of(const reduce_job *j) {
    return gndi_dtype_is_complex((int)j->work) ? 2 : 1;
}

static columns columns_of(const reduce_job *j, char *acc, int64_t output) {
    const int64_t n = j->tile * parts_of(j);
    double *first = (double *)(void *)acc + output * parts_of(j);
    return (columns){first, first + n, first + 2 * n};
}

static const gndi_cpu_variance *loops_of(const reduce_job *j) {
    const bool wide = j->work == GND_FLOAT64 || j->work == GND_COMPLEX128;
    return &gndi_cpu_reductions_get()->variance[wide];
}

static void clear(const reduce_job *j, char *acc, int64_t n) {
    (void)n;
    memset(acc, 0, (size_t)j->acc_bytes);
}

static void join(const reduce_job *j, char *acc, const char *with, int64_t n) {
    columns to = columns_of(j, acc, 0);
    char *from_bytes = (char *)(uintptr_t)with;
    const columns from = columns_of(j, from_bytes, 0);
    loops_of(j)->merge(from.number, from.mean, from.m2, n * parts_of(j), to.number, to.mean, to.m2);
}

/* Which parts of complex numbers take part: both or none. */
static const uint8_t *both_parts(const reduce_job *j, const uint8_t *taken, int64_t n, uint8_t *to) {
    if (!taken || parts_of(j) == 1) return taken;
    for (int64_t i = 0; i < n; i++) to[2 * i] = to[2 * i + 1] = taken[i];
    return to;
}

/* Rows of a block, of whatever width, into the columns from `output` on. */
static void take_rows(const reduce_job *j, const reduce_block *b, int64_t rows, int64_t n, int64_t output, char *acc) {
    const int parts = parts_of(j), size = j->size / parts;
    uint8_t doubled[REDUCE_BUFFER_BYTES];
    const uint8_t *taken = both_parts(j, b->taken, rows * n, doubled);
    const columns to = columns_of(j, acc, output);
    for (int64_t c = 0; c < n * parts; c += BATCH_COLUMNS) {
        const int64_t m = n * parts - c < BATCH_COLUMNS ? n * parts - c : BATCH_COLUMNS;
        for (int64_t row = 0; row < rows; row += BATCH_ROWS) {
            const int64_t some = rows - row < BATCH_ROWS ? rows - row : BATCH_ROWS;
            loops_of(j)->rows(b->values + row * b->pitch + c * size, b->pitch,
                              taken ? taken + row * n * parts + c : NULL, n * parts, some, m, to.number + c,
                              to.mean + c, to.m2 + c);
        }
    }
}

static void by_rows(const reduce_job *j, const reduce_piece *p, char *acc) {
    if (gndi_reduce_in_place(j)) {
        const reduce_block block = {.values = p->in, .pitch = j->in.row};
        take_rows(j, &block, p->rows, p->columns, 0, acc);
        return;
    }
    reduce_buffers buffers;
    int64_t width = j->most / BATCH_ROWS;
    if (width > p->columns) width = p->columns;
    const int64_t height = j->most / width;
    for (int64_t column = 0; column < p->columns; column += width)
        for (int64_t row = 0; row < p->rows; row += height) {
            const int64_t rows = p->rows - row < height ? p->rows - row : height;
            const int64_t n = p->columns - column < width ? p->columns - column : width;
            const reduce_block block = gndi_reduce_fetch(j, p, row, column, rows, n, &buffers);
            take_rows(j, &block, rows, n, column, acc);
        }
}

/* n dense elements into one output. */
static void take_run(const reduce_job *j, const char *x, const uint8_t *taken, int64_t n, int64_t output, char *acc,
                     reduce_buffers *buffers) {
    const columns to = columns_of(j, acc, output);
    if (parts_of(j) == 1) {
        loops_of(j)->run(x, taken, n, to.number, to.mean, to.m2);
        return;
    }
    const int size = j->size / 2, log2_size = __builtin_ctz((unsigned)size);
    for (int64_t k = 0; k < n; k += j->most) {
        const int64_t m = n - k < j->most ? n - k : j->most;
        for (int part = 0; part < 2; part++) {
            j->kernels->gather[log2_size](x + k * j->size + part * size, j->size, buffers->y[0], m);
            loops_of(j)->run(buffers->y[0], taken ? taken + k : NULL, m, to.number + part, to.mean + part,
                             to.m2 + part);
        }
    }
}

static void by_runs(const reduce_job *j, const reduce_piece *p, char *acc) {
    reduce_buffers buffers;
    const int64_t n = p->columns;
    if (gndi_reduce_in_place(j)) {
        for (int64_t row = 0; row < p->rows; row++) take_run(j, p->in + row * j->in.row, NULL, n, row, acc, &buffers);
        return;
    }
    const int64_t at_once = n < j->most ? j->most / n : 1, width = n < j->most ? n : j->most;
    for (int64_t row = 0; row < p->rows; row += at_once) {
        const int64_t rows = p->rows - row < at_once ? p->rows - row : at_once;
        for (int64_t k = 0; k < n; k += width) {
            const int64_t m = n - k < width ? n - k : width;
            const reduce_block block = gndi_reduce_fetch(j, p, row, k, rows, m, &buffers);
            for (int64_t i = 0; i < rows; i++)
                take_run(j, block.values + i * block.pitch, block.taken ? block.taken + i * m : NULL, m, row + i, acc,
                         &buffers);
        }
    }
}

static void take(const reduce_job *j, const reduce_piece *p, char *acc) {
    if (j->by_rows)
        by_rows(j, p, acc);
    else
        by_runs(j, p, acc);
}

static void store_moments(const reduce_job *j, char *acc, int64_t n, char *out, int64_t step) {
    const int parts = parts_of(j);
    const columns from = columns_of(j, acc, 0);
    for (int64_t i = 0; i < n; i++) {
        double *to = (double *)(void *)(out + i * step);
        *to++ = from.number[parts * i];
        for (int k = 0; k < parts; k++) *to++ = from.mean[parts * i + k];
        *to = from.m2[parts * i] + (parts == 2 ? from.m2[2 * i + 1] : 0);
    }
}

static void store(const reduce_job *j, char *acc, int64_t n, char *out, int64_t step) {
    const gndi_reduce_plan *plan = j->plan;
    if (plan->finish == GNDI_FINISH_MOMENTS) {
        store_moments(j, acc, n, out, step);
        return;
    }
    const int parts = parts_of(j);
    const columns from = columns_of(j, acc, 0);
    for (int64_t i = 0; i < n; i++) {
        double m2 = from.m2[parts * i];
        if (parts == 2) m2 += from.m2[2 * i + 1];
        const double freedom = from.number[parts * i] - plan->ddof;
        double result = m2 / (freedom < 0 ? 0 : freedom);
        /* Where NaN are skipped, too few numbers give NaN, never infinity. */
        if (plan->map == GNDI_MAP_SKIP_NAN && freedom <= 0) result = (double)NAN;
        if (plan->finish == GNDI_FINISH_SQRT) result = sqrt(result);
        gndi_reduce_store_real(plan->out.dtype, result, out + i * step);
    }
}

const reduce_method gndi_reduce_variances = {clear, take, join, store};
