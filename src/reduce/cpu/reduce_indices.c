/*
 * reduce_indices.c: where the smallest or largest element is: of equal ones the first, the first NaN
 * before all. The accumulators of a tile are the best values so far, their indices (-1: nothing
 * yet), and, where NaN are skipped, how many elements were none.
 */
#include "kernels/cpu/indices.h"
#include "reduce/cpu/reduce_cpu.h"
#include <math.h>

/* Looked at for NaN together: runs, rows, outputs. */
enum { RUNS = 32, ROWS = 128, MOST = 512 };

static const gndi_cpu_index_reduction *loops_of(const reduce_job *j) {
    return &gndi_cpu_reductions_get()->index[j->plan->reducer == GNDI_REDUCE_ARGMAX][j->work];
}

typedef struct best_so_far {
    char *value;
    int64_t *index, *numbers;
} best_so_far;

static best_so_far best_of(const reduce_job *j, char *acc, int64_t output) {
    const int size = loops_of(j)->size;
    int64_t *index = (int64_t *)(void *)(acc + j->tile * 16) + output;
    return (best_so_far){acc + output * size, index, index + j->tile};
}

static void clear(const reduce_job *j, char *acc, int64_t n) {
    const best_so_far b = best_of(j, acc, 0);
    memset(b.value, 0, (size_t)(n * loops_of(j)->size));
    for (int64_t i = 0; i < n; i++) b.index[i] = -1, b.numbers[i] = 0;
}

static void join(const reduce_job *j, char *acc, const char *with, int64_t n) {
    char *from_bytes = (char *)(uintptr_t)with;
    const best_so_far to = best_of(j, acc, 0), from = best_of(j, from_bytes, 0);
    loops_of(j)->join(from.value, from.index, n, to.value, to.index);
    for (int64_t i = 0; i < n; i++) to.numbers[i] += from.numbers[i];
}

static void count_numbers(const reduce_block *b, int64_t rows, int64_t n, bool rows_are_outputs, int64_t *numbers) {
    const gndi_cpu_reduction *count = &gndi_cpu_reductions_get()->fold[GNDI_CPU_COUNT][GND_UINT8];
    if (!b->taken) return;
    if (rows_are_outputs)
        count->runs((const char *)b->taken, n, n, rows, numbers);
    else
        count->rows((const char *)b->taken, n, rows, n, numbers);
}

static void take_rows(const reduce_job *j, const reduce_block *b, int64_t rows, int64_t n, int64_t index,
                      int64_t output, char *acc) {
    const best_so_far to = best_of(j, acc, output);
    const gndi_cpu_index_reduction *loops = loops_of(j);
    if (!b->mask) loops->rows(b->values, b->pitch, rows, n, index, j->index.row, to.value, to.index);
    for (int64_t r = 0; b->mask && r < rows; r++)
        loops->masked(b->values + r * b->pitch, b->mask + r * n, n, index + r * j->index.row, 0, 1, to.value, to.index);
    count_numbers(b, rows, n, false, to.numbers);
}

static void take_runs(const reduce_job *j, const reduce_block *b, int64_t count, int64_t n, int64_t index,
                      int64_t output, char *acc) {
    const best_so_far to = best_of(j, acc, output);
    const gndi_cpu_index_reduction *loops = loops_of(j);
    if (!b->mask) loops->runs(b->values, b->pitch, n, count, index, j->index.column, to.value, to.index);
    for (int64_t i = 0; b->mask && i < count; i++)
        loops->masked(b->values + i * b->pitch, b->mask + i * n, n, index, j->index.column, 0,
                      to.value + i * loops->size, to.index + i);
    count_numbers(b, count, n, true, to.numbers);
}

static bool is_nan(const reduce_job *j, const char *values, int64_t i) {
    const bool pairs = gndi_dtype_is_complex((int)j->work);
    const float *narrow = (const float *)(const void *)values;
    const double *wide = (const double *)(const void *)values;
    if (j->work == GND_FLOAT32 || j->work == GND_COMPLEX64)
        return pairs ? isnan(narrow[2 * i]) || isnan(narrow[2 * i + 1]) : isnan(narrow[i]);
    return pairs ? isnan(wide[2 * i]) || isnan(wide[2 * i + 1]) : isnan(wide[i]);
}

/* Part of a piece. */
typedef struct part {
    int64_t row, column, rows, columns;
} part;

/* Part of a piece in which NaN shall be skipped, for at most MOST outputs: false, and nothing is taken, if it has one,
   which would be the best. */
static bool take_numbers(const reduce_job *j, const reduce_piece *p, part of, char *acc) {
    char value[MOST * 16] __attribute__((aligned(64)));
    int64_t at[MOST];
    const char *x = p->in + of.row * j->in.row + of.column * j->in.column;
    const int64_t index = p->index + of.row * j->index.row + of.column * j->index.column;
    const int64_t outputs = j->by_rows ? of.columns : of.rows, each = j->by_rows ? of.rows : of.columns;
    const best_so_far to = best_of(j, acc, j->by_rows ? of.column : of.row);
    for (int64_t i = 0; i < outputs; i++) at[i] = -1;
    if (j->by_rows)
        loops_of(j)->rows(x, j->in.row, of.rows, of.columns, index, j->index.row, value, at);
    else
        loops_of(j)->runs(x, j->in.row, of.columns, of.rows, index, j->index.column, value, at);
    for (int64_t i = 0; i < outputs; i++)
        if (is_nan(j, value, i)) return false;
    loops_of(j)->join(value, at, outputs, to.value, to.index);
    for (int64_t i = 0; i < outputs; i++) to.numbers[i] += each;
    return true;
}

static void take_fetched(const reduce_job *j, const reduce_piece *p, part of, char *acc) {
    reduce_buffers buffers;
    const int64_t width = of.columns < j->most ? of.columns : j->most, height = j->most / width;
    for (int64_t row = of.row; row < of.row + of.rows; row += height)
        for (int64_t column = of.column; column < of.column + of.columns; column += width) {
            const int64_t rows = of.row + of.rows - row < height ? of.row + of.rows - row : height;
            const int64_t n = of.column + of.columns - column < width ? of.column + of.columns - column : width;
            const int64_t index = p->index + row * j->index.row + column * j->index.column;
            const reduce_block block = gndi_reduce_fetch(j, p, row, column, rows, n, &buffers);
            if (j->by_rows)
                take_rows(j, &block, rows, n, index, column, acc);
            else
                take_runs(j, &block, rows, n, index, row, acc);
        }
}

/* In parts, as long as these have no NaN. */
static void take_all_but_nan(const reduce_job *j, const reduce_piece *p, char *acc) {
    const int64_t height = j->by_rows ? ROWS : RUNS, width = j->by_rows ? MOST : p->columns;
    bool numbers = true;
    for (int64_t row = 0; row < p->rows; row += height)
        for (int64_t column = 0; column < p->columns; column += width) {
            const part of = {row, column, p->rows - row < height ? p->rows - row : height,
                             p->columns - column < width ? p->columns - column : width};
            numbers = numbers && take_numbers(j, p, of, acc);
            if (!numbers) take_fetched(j, p, of, acc);
        }
}

static void take(const reduce_job *j, const reduce_piece *p, char *acc) {
    const bool dense = j->plan->in.dtype == (int)j->work && j->in.column == j->size;
    if (gndi_reduce_in_place(j)) {
        const reduce_block block = {.values = p->in, .pitch = j->in.row};
        if (j->by_rows)
            take_rows(j, &block, p->rows, p->columns, p->index, 0, acc);
        else
            take_runs(j, &block, p->rows, p->columns, p->index, 0, acc);
    } else if (j->plan->map == GNDI_MAP_SKIP_NAN && !p->mask && dense && j->work >= GND_FLOAT32) {
        take_all_but_nan(j, p, acc);
    } else {
        take_fetched(j, p, (part){0, 0, p->rows, p->columns}, acc);
    }
}

static void store(const reduce_job *j, char *acc, int64_t n, char *out, int64_t step) {
    const best_so_far from = best_of(j, acc, 0);
    const bool skips = j->plan->map == GNDI_MAP_SKIP_NAN;
    for (int64_t i = 0; i < n; i++) {
        *(int64_t *)(void *)(out + i * step) = from.index[i] < 0 ? 0 : from.index[i];
        if (skips && !from.numbers[i]) gndi_report_fault(j->stream, GNDI_FAULT_ALL_NAN, 0, 0, 0);
    }
}

bool gndi_reduce_indices_settled(const reduce_job *j, char *acc) {
    const best_so_far best = best_of(j, acc, 0);
    return *best.index >= 0 && (*best.value != 0) == (j->reducer == GNDI_REDUCE_ARGMAX);
}

const reduce_method gndi_reduce_indices = {clear, take, join, store};
