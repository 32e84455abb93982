/*
 * reduce_kinds.c: reducers that are folds of single elements: sums, products, extremes, counts,
 * and what is made of two folds side by side (the range; the mean of those that take part).
 */
#include "reduce/cpu/bit_folds.h"
#include "reduce/cpu/reduce_cpu.h"

enum {
    NARROW = 64, /* outputs: dense rows shorter than this are added several at a time */
    NARROW_WIDTH = 512,
    FIRST_BYTES = 256, /* of a run, after which any and all look whether they are done; what `bytes_are` takes */
    STOP_BYTES = 8192, /* and then after so many, each time */
    CHAIN = 64,        /* buffers whose results are joined before they go to the total */
    TOGETHER = 8192,   /* bytes that several folds read one after the other */
    ROWS_TOGETHER = 131072,
    FIRST_ROWS = 8, /* of bool, after which they look whether they are done; then after as many more */
};

typedef char accumulators[REDUCE_ROW_TILE * REDUCE_ACC_BYTES] __attribute__((aligned(64)));

static void clear(const reduce_job *j, char *acc, int64_t n) {
    for (int c = 0; c < j->components; c++) j->component[c].loops->clear(acc + j->component[c].offset, n);
}

static void join(const reduce_job *j, char *acc, const char *with, int64_t n) {
    for (int c = 0; c < j->components; c++) {
        const reduce_component *one = &j->component[c];
        one->loops->join(acc + one->offset, with + one->offset, n);
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Dense narrow rows: as many at a time as make a wide one, whose parts are joined in the end. */
static void narrow_rows(const gndi_cpu_reduction *loops, const char *x, int64_t pitch, int64_t rows, int64_t n,
                        char *acc) {
    accumulators wide;
    const int64_t at_once = NARROW_WIDTH / n, whole = rows / at_once;
    if (whole) {
        loops->clear(wide, at_once * n);
        loops->rows(x, pitch * at_once, whole, at_once * n, wide);
        for (int64_t k = at_once / 2, left = at_once; left > 1; left -= k, k = left / 2)
            loops->join(wide, wide + (left - k) * n * loops->size, k * n);
        loops->join(acc, wide, n);
    }
    loops->rows(x + whole * at_once * pitch, pitch, rows - whole * at_once, n, acc);
}

/* Rows into acc by way of `part`, a few dozen at a time: so that errors of sums stay small. */
static void some_rows(const gndi_cpu_reduction *loops, const char *x, int64_t pitch, int item, int64_t rows, int64_t n,
                      char *acc) {
    accumulators part;
    const bool narrow = n < NARROW && pitch == n * item && rows > REDUCE_ROWS_PARTIAL;
    int64_t piece = REDUCE_ROWS_PARTIAL;
    if (narrow) piece *= NARROW_WIDTH / n;
    for (int64_t row = 0; row < rows; row += piece) {
        const int64_t some = rows - row < piece ? rows - row : piece;
        if (narrow) {
            narrow_rows(loops, x + row * pitch, pitch, some, n, acc);
        } else if (rows <= 4) {
            loops->rows(x + row * pitch, pitch, some, n, acc);
        } else {
            loops->clear(part, n);
            loops->rows(x + row * pitch, pitch, some, n, part);
            loops->join(acc, part, n);
        }
    }
}

static void take_rows(const reduce_job *j, const reduce_block *b, int64_t rows, int64_t n, int64_t output, char *acc) {
    for (int c = 0; c < j->components; c++) {
        const reduce_component *one = &j->component[c];
        char *to = acc + one->offset + output * one->loops->size;
        if (one->of_taken)
            some_rows(one->loops, (const char *)b->taken, n, 1, rows, n, to);
        else
            some_rows(one->loops, b->values, b->pitch, j->size, rows, n, to);
    }
}

static void other_rows(const reduce_job *j, const reduce_piece *p, char *acc) {
    if (gndi_reduce_in_place(j)) {
        /* What several folds read shall still be in the caches for the second. */
        int64_t height = p->rows;
        if (j->components > 1) height = (ROWS_TOGETHER - 1) / (p->columns * j->size) + 1;
        for (int64_t row = 0; row < p->rows; row += height) {
            const reduce_block block = {.values = p->in + row * j->in.row, .pitch = j->in.row};
            take_rows(j, &block, p->rows - row < height ? p->rows - row : height, p->columns, 0, acc);
        }
        return;
    }
    reduce_buffers buffers;
    /* Whole rows, as many as a buffer holds: rows that follow each other are read on end. */
    const int64_t width = p->columns < j->most ? p->columns : j->most, height = j->most / width;
    accumulators part;
    /* CHAIN buffers make a part. */
    for (int64_t from = 0; from < p->rows; from += CHAIN * height) {
        const int64_t end = p->rows - from < CHAIN * height ? p->rows : from + CHAIN * height;
        const bool apart = end - from > height;
        char *to = apart ? part : acc;
        if (apart) clear(j, part, p->columns);
        for (int64_t row = from; row < end; row += height)
            for (int64_t column = 0; column < p->columns; column += width) {
                const int64_t rows = end - row < height ? end - row : height;
                const int64_t columns = p->columns - column < width ? p->columns - column : width;
                const reduce_block block = gndi_reduce_fetch(j, p, row, column, rows, columns, &buffers);
                take_rows(j, &block, rows, columns, column, to);
            }
        if (apart) join(j, acc, part, p->columns);
    }
}

/* The dot product of bool: whether two elements are true at the same index. */
static bool is_bool_dot(const reduce_job *j) {
    const gndi_reduce_plan *plan = j->plan;
    return j->reducer == GNDI_REDUCE_ANY && plan->map == GNDI_MAP_TIMES && !plan->masked &&
           plan->in.dtype == GND_BOOL && plan->second.dtype == GND_BOOL && j->in.column == 1 && j->second.column == 1;
}

/* Whether the elements are bool, or pairs of them, whose accumulators can be bytes. */
static bool is_bool_rows(const reduce_job *j) {
    const gndi_reduce_plan *plan = j->plan;
    const bool stops = j->reducer == GNDI_REDUCE_ANY || j->reducer == GNDI_REDUCE_ALL;
    if (!stops || plan->masked || plan->in.dtype != GND_BOOL || j->in.column != 1) return false;
    return plan->second.data ? is_bool_dot(j) : j->direct;
}

/* found[i] |= whether x[i] and y[i] are true, of some rows. */
static void meet_rows(const reduce_job *j, const char *x, const char *y, int64_t rows, int64_t n,
                      char *restrict found) {
    for (int64_t r = 0; r < rows; r++, x += j->in.row, y += j->second.row)
        for (int64_t i = 0; i < n; i++) found[i] |= (char)((x[i] != 0) & (y[i] != 0));
}

/* Rows of any, all and dots: once all outputs are known, no further rows are read, by other blocks neither. */
static void bool_rows(const reduce_job *j, const reduce_piece *p, char *acc) {
    _Alignas(64) char found[REDUCE_ROW_TILE];
    const bool any = j->reducer == GNDI_REDUCE_ANY;
    const gndi_cpu_reduction *bits = &(*gndi_cpu_bit_folds_get())[any ? GNDI_CPU_OR : GNDI_CPU_AND][0];
    const int64_t n = p->columns;
    memset(found, !any, (size_t)n);
    int64_t some = FIRST_ROWS;
    for (int64_t row = 0; row < p->rows; row += some, some *= 2) {
        if (gndi_reduce_is_settled(j, p->tile)) return;
        if (some > p->rows - row) some = p->rows - row;
        const char *x = p->in + row * j->in.row;
        if (p->second)
            meet_rows(j, x, p->second + row * j->second.row, some, n, found);
        else
            bits->rows(x, j->in.row, some, n, found);
        if (memchr(found, !any, (size_t)n)) continue;
        gndi_reduce_settle(j, p->tile);
        break;
    }
    uint64_t *count = (uint64_t *)(void *)acc;
    const uint64_t each = any ? 1 : (uint64_t)p->rows;
    for (int64_t i = 0; i < n; i++) count[i] += found[i] ? each : 0;
}

static void by_rows(const reduce_job *j, const reduce_piece *p, char *acc) {
    if (is_bool_rows(j))
        bool_rows(j, p, acc);
    else
        other_rows(j, p, acc);
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* `count` runs of n elements, a pitch apart, for the outputs from `output` on. */
static void take_runs(const reduce_job *j, const reduce_block *b, int64_t count, int64_t n, int64_t output, char *acc) {
    for (int c = 0; c < j->components; c++) {
        const reduce_component *one = &j->component[c];
        char *to = acc + one->offset + output * one->loops->size;
        if (one->of_taken)
            one->loops->runs((const char *)b->taken, n, n, count, to);
        else
            one->loops->runs(b->values, b->pitch, n, count, to);
    }
}

/* Whether any (all) is settled by what was found in n elements. */
static bool settled(const reduce_job *j, uint64_t found, int64_t n) {
    return j->reducer == GNDI_REDUCE_ANY ? found != 0 : found != (uint64_t)n;
}

/* A run of any or all: what is known already needs no more elements. Elements of nothing but zero bytes are false,
   whatever they are; of one byte each, those without a zero byte are true. `tile`: 0 if it has other outputs. */
static void run_until_settled(const reduce_job *j, const char *x, int64_t columns, uint64_t tile, char *acc) {
    const gndi_cpu_reduction *loops = j->component[0].loops;
    const gndi_cpu_reductions *bytes = gndi_cpu_reductions_get();
    const bool any = j->reducer == GNDI_REDUCE_ANY;
    int64_t step = FIRST_BYTES / j->size, n;
    for (; columns > 0; columns -= n, x += n * j->size, step = STOP_BYTES / j->size) {
        const uint64_t before = *(const uint64_t *)acc;
        if ((any && before) || gndi_reduce_is_settled(j, tile)) return;
        n = columns < step ? columns : step;
        const int64_t groups = n * j->size / FIRST_BYTES * FIRST_BYTES; /* bytes: the rest by itself */
        if (groups) n = groups / j->size;
        if (groups && any && bytes->bytes_are(x, groups, false)) continue;
        if (groups && !any && j->size == 1 && bytes->bytes_are(x, groups, true)) {
            *(uint64_t *)acc += (uint64_t)n;
            continue;
        }
        loops->runs(x, 0, n, 1, acc);
        if (!settled(j, *(const uint64_t *)acc - before, n)) continue;
        gndi_reduce_settle(j, tile);
        return;
    }
}

/* Short runs of any: those of outputs that are true already are left out. */
static void runs_of_unknown(const reduce_job *j, const reduce_piece *p, char *acc) {
    const uint64_t *count = (const uint64_t *)(const void *)acc;
    for (int64_t row = 0, end; row < p->rows; row = end) {
        for (end = row; end < p->rows && !count[end];) end++;
        const reduce_block block = {.values = p->in + row * j->in.row, .pitch = j->in.row};
        if (end > row) take_runs(j, &block, end - row, p->columns, row, acc);
        while (end < p->rows && count[end]) end++;
    }
}

static void runs_in_place(const reduce_job *j, const reduce_piece *p, char *acc) {
    const gndi_reducer reducer = j->reducer;
    if ((p->rows == 1 || p->columns * j->size >= STOP_BYTES) &&
        (reducer == GNDI_REDUCE_ANY || reducer == GNDI_REDUCE_ALL)) {
        for (int64_t row = 0; row < p->rows; row++)
            run_until_settled(j, p->in + row * j->in.row, p->columns, p->rows == 1 ? p->tile : 0,
                              acc + row * j->component[0].loops->size);
        return;
    }
    if (reducer == GNDI_REDUCE_ANY) {
        runs_of_unknown(j, p, acc);
        return;
    }
    const int64_t piece = j->components > 1 ? TOGETHER / j->size : p->columns;
    if (p->columns <= piece) {
        const int64_t at_once = j->components > 1 ? piece / p->columns : p->rows;
        for (int64_t row = 0; row < p->rows; row += at_once) {
            const reduce_block block = {.values = p->in + row * j->in.row, .pitch = j->in.row};
            const int64_t rows = p->rows - row < at_once ? p->rows - row : at_once;
            take_runs(j, &block, rows, p->columns, row, acc);
        }
        return;
    }
    for (int64_t row = 0; row < p->rows; row++)
        for (int64_t k = 0; k < p->columns; k += piece) {
            const reduce_block block = {.values = p->in + row * j->in.row + k * j->size};
            take_runs(j, &block, 1, p->columns - k < piece ? p->columns - k : piece, row, acc);
        }
}

/* A run that is longer than a buffer: CHAIN buffers make a part. */
static void long_run(const reduce_job *j, const reduce_piece *p, int64_t row, char *acc, reduce_buffers *buffers) {
    char part[REDUCE_MOST_COMPONENTS * 16] __attribute__((aligned(16)));
    for (int64_t from = 0; from < p->columns; from += CHAIN * j->most) {
        int64_t end = p->columns - from < CHAIN * j->most ? p->columns : from + CHAIN * j->most;
        for (int c = 0; c < j->components; c++) j->component[c].loops->clear(part + 16 * c, 1);
        for (int64_t k = from; k < end; k += j->most) {
            const int64_t n = end - k < j->most ? end - k : j->most;
            const reduce_block block = gndi_reduce_fetch(j, p, row, k, 1, n, buffers);
            for (int c = 0; c < j->components; c++) {
                const reduce_component *one = &j->component[c];
                const char *x = one->of_taken ? (const char *)block.taken : block.values;
                one->loops->runs(x, 0, n, 1, part + 16 * c);
            }
            /* Nothing more is asked of any than one element. */
            if (j->reducer == GNDI_REDUCE_ANY && *(const uint64_t *)(const void *)part) end = k;
        }
        for (int c = 0; c < j->components; c++) {
            const reduce_component *one = &j->component[c];
            one->loops->join(acc + one->offset + row * one->loops->size, part + 16 * c, 1);
        }
        if (end <= from) return;
    }
}

/* The loop that maps and sums dense runs where they lie; NULL if there is none for this job. */
static gndi_cpu_mapped_run mapped_loop(const reduce_job *j, int *parts) {
    const gndi_reduce_plan *plan = j->plan;
    const bool complex_squares = plan->map == GNDI_MAP_SQUARE && j->work != j->wide;
    const bool is_complex = gndi_dtype_is_complex(j->work);
    int map, apart = 1;
    switch (plan->map) {
    case GNDI_MAP_SQUARE: map = GNDI_CPU_SQUARES; break;
    case GNDI_MAP_TIMES: map = is_complex ? GNDI_CPU_COMPLEX_PRODUCTS : GNDI_CPU_PRODUCTS; break;
    case GNDI_MAP_CONJUGATE: map = GNDI_CPU_CONJUGATE_PRODUCTS; break;
    case GNDI_MAP_ABSOLUTE: map = GNDI_CPU_MAGNITUDES; break;
    case GNDI_MAP_SKIP_NAN: map = GNDI_CPU_NUMBERS; break;
    case GNDI_MAP_NONE: map = GNDI_CPU_EVENS, apart = 2; break;
    default: return NULL;
    }
    *parts = complex_squares ? 2 : 1;
    if ((plan->reducer != GNDI_REDUCE_SUM && apart == 1) || j->component[0].fold != GNDI_CPU_SUM || j->components > 1 ||
        plan->masked || (j->work != j->wide && !complex_squares))
        return NULL;
    if (j->work < GND_FLOAT32 || (is_complex && map < GNDI_CPU_COMPLEX_PRODUCTS)) return NULL;
    if (j->loop != j->wide) return NULL; /* elements are rounded to it first */
    if (plan->in.dtype != (int)j->wide || j->in.column != j->size * *parts * apart) return NULL;
    if (plan->second.data && (plan->second.dtype != (int)j->wide || j->second.column != j->size)) return NULL;
    return gndi_cpu_reductions_get()->mapped[map][j->work == GND_FLOAT64 || j->work == GND_COMPLEX128];
}

/* The highest bit of each byte that is not 0, beside others. */
static uint64_t truths(const char *x) {
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    uint64_t word;
    memcpy(&word, x, sizeof word);
    return ((word & low) + low) | word;
}

/* Whether x[i] and y[i] are true anywhere. */
static bool few_meet(const char *x, const char *y, int64_t n) {
    int64_t i = 0;
    for (; i + 8 <= n; i += 8)
        if (truths(x + i) & truths(y + i) & 0x8080808080808080u) return true;
    for (; i < n; i++)
        if (x[i] && y[i]) return true;
    return false;
}

/* The same: most often among the first, then as many at once as fill vectors. */
static bool meet(const char *x, const char *y, int64_t n) {
    enum { FIRST = 32, BYTES = 64 };
    if (n < FIRST + BYTES) return few_meet(x, y, n);
    if (few_meet(x, y, FIRST)) return true;
    int64_t i = FIRST;
    for (; i + BYTES <= n; i += BYTES) {
        char found = 0;
        for (int k = 0; k < BYTES; k++) found |= (char)((x[i + k] != 0) & (y[i + k] != 0));
        if (found) return true;
    }
    return few_meet(x + i, y + i, n - i);
}

static void bool_dots(const reduce_job *j, const reduce_piece *p, char *acc) {
    const uint64_t tile = p->rows == 1 ? p->tile : 0;
    for (int64_t row = 0; row < p->rows; row++) {
        if (gndi_reduce_is_settled(j, tile)) return;
        uint64_t *count = (uint64_t *)(void *)acc + row;
        if (*count || !meet(p->in + row * j->in.row, p->second + row * j->second.row, p->columns)) continue;
        *count = 1;
        gndi_reduce_settle(j, tile);
    }
}

static void by_runs(const reduce_job *j, const reduce_piece *p, char *acc) {
    if (gndi_reduce_in_place(j)) {
        runs_in_place(j, p, acc);
        return;
    }
    if (is_bool_dot(j)) {
        bool_dots(j, p, acc);
        return;
    }
    int parts;
    const gndi_cpu_mapped_run loop = mapped_loop(j, &parts);
    if (loop) {
        for (int64_t row = 0; row < p->rows; row++)
            loop(p->in + row * j->in.row, p->second ? p->second + row * j->second.row : NULL, p->columns * parts,
                 acc + row * j->component[0].loops->size);
        return;
    }
    reduce_buffers buffers;
    if (p->columns > j->most) {
        for (int64_t row = 0; row < p->rows; row++) long_run(j, p, row, acc, &buffers);
        return;
    }
    const int64_t at_once = j->most / p->columns;
    for (int64_t row = 0; row < p->rows; row += at_once) {
        const int64_t rows = p->rows - row < at_once ? p->rows - row : at_once;
        const reduce_block block = gndi_reduce_fetch(j, p, row, 0, rows, p->columns, &buffers);
        take_runs(j, &block, rows, p->columns, row, acc);
    }
}

static void take(const reduce_job *j, const reduce_piece *p, char *acc) {
    if (j->by_rows)
        by_rows(j, p, acc);
    else
        by_runs(j, p, acc);
}

const reduce_method gndi_reduce_folds = {clear, take, join, gndi_reduce_store_folds};
