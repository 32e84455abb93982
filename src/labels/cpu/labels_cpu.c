/*
 * labels_cpu.c: components and sums over labels on the CPU, shared among the threads: components by bands of rows,
 * sums by the plan's parts.
 */
#include "core/parallel.h"
#include "labels/cpu/labels_loops.h"
#include "runtime/hooks.h"

/* ---- components ----------------------------------------------------------------------------- */

enum { MOST_BANDS = 64, BAND_WORDS = 4096 };

typedef struct bands {
    const gndi_label_plan *plan;
    int64_t count, rows; /* how many, and of how many rows */
    int64_t number[MOST_BANDS];
} bands;

static int64_t band_begin(const bands *b, int64_t k) {
    return gndi_min(k * b->rows, b->plan->rows);
}
static void join_bands(void *context, int64_t begin, int64_t end) {
    const bands *b = context;
    for (int64_t k = begin; k < end; k++) gndi_label_band(b->plan, band_begin(b, k), band_begin(b, k + 1));
}
static void count_bands(void *context, int64_t begin, int64_t end) {
    bands *b = context;
    for (int64_t k = begin; k < end; k++)
        b->number[k] = gndi_label_number(b->plan, band_begin(b, k), band_begin(b, k + 1), 0, true);
}
static void number_bands(void *context, int64_t begin, int64_t end) {
    const bands *b = context;
    for (int64_t k = begin; k < end; k++)
        gndi_label_number(b->plan, band_begin(b, k), band_begin(b, k + 1), b->number[k], false);
}
static void write_bands(void *context, int64_t begin, int64_t end) {
    const bands *b = context;
    for (int64_t k = begin; k < end; k++) gndi_label_write(b->plan, band_begin(b, k), band_begin(b, k + 1));
}

/* Both give the number of components. One thread counts them as it numbers them, and writes a band that it has just
   numbered; several must know first how many begin in the bands before. */
static int64_t write_in_order(const bands *b) {
    int64_t number = 1; /* labels begin with 1 */
    for (int64_t k = 0; k < b->count; k++) {
        number = gndi_label_number(b->plan, band_begin(b, k), band_begin(b, k + 1), number, false);
        gndi_label_write(b->plan, band_begin(b, k), band_begin(b, k + 1));
    }
    return number - 1;
}
static int64_t write_at_once(bands *b) {
    gndi_parallel_for(b->count, 1, count_bands, b);
    int64_t number = 0;
    for (int64_t k = 0; k < b->count; k++) {
        const int64_t many = b->number[k];
        b->number[k] = number + 1;
        number += many;
    }
    gndi_parallel_for(b->count, 1, number_bands, b);
    gndi_parallel_for(b->count, 1, write_bands, b);
    return number;
}

gnd_status gndi_cpu_label(gnd_stream *s, const gndi_label_plan *p, const char *fn) {
    (void)s, (void)fn;
    const int64_t most = gndi_min(MOST_BANDS, gndi_ceil_div(p->rows * p->words, BAND_WORDS));
    bands b = {.plan = p, .rows = gndi_ceil_div(p->rows, gndi_min(most, p->rows))};
    b.count = gndi_ceil_div(p->rows, b.rows);
    gndi_parallel_for(b.count, 1, join_bands, &b);
    for (int64_t k = 1; k < b.count; k++) gndi_label_across(p, band_begin(&b, k), band_begin(&b, k + 1));
    *p->count = gndi_thread_count() == 1 ? write_in_order(&b) : write_at_once(&b);
    return GND_OK;
}

/* ---- sums over labels ----------------------------------------------------------------------- */

typedef struct sums_work {
    const gndi_label_sums_plan *plan;
    int32_t *table;
    int64_t *end; /* of the elements of each group */
    void *values; /* in the order of groups */
} sums_work;

static void add_parts(void *context, int64_t begin, int64_t end) {
    const sums_work *w = context;
    gndi_label_sums_parts(w->plan, w->table, begin, end);
}
static void add_groups(void *context, int64_t begin, int64_t end) {
    const sums_work *w = context;
    gndi_label_sums_groups(w->plan, w->table, begin, end);
}

static void find_middles(void *context, int64_t begin, int64_t end) {
    const sums_work *w = context;
    gndi_label_middles(w->plan, w->table, w->end, w->values, begin, end);
}

/* Elements by groups, and which are in the middle of each. */
static bool order_elements(sums_work *w, const char *fn) {
    const gndi_label_sums_plan *p = w->plan;
    const size_t bytes = (size_t)(p->groups + 1 + (p->order ? 0 : p->n)) * 8;
    int32_t *group = gndi_malloc(fn, (size_t)p->n * sizeof *group);
    if (group) w->end = gndi_malloc(fn, bytes);
    if (w->end) {
        w->values = w->end + p->groups + 1;
        gndi_label_order(p, w->table, group, w->end, w->values);
        if (!p->order) gndi_parallel_for(p->groups, 1024 * p->groups / p->n + 1, find_middles, w);
        if (!p->order) gndi_label_copy_middles(p, w->table);
    }
    gndi_free(group);
    gndi_free(w->end);
    return w->end;
}

gnd_status gndi_cpu_label_sums(gnd_stream *s, const gndi_label_sums_plan *p, const char *fn) {
    (void)s;
    sums_work w = {.plan = p};
    if (!gndi_label_consecutive(p)) {
        w.table = gndi_malloc(fn, sizeof *w.table << gndi_label_table_bits(p->groups));
        if (!w.table) return gnd_error()->code;
        gndi_label_hash(p, w.table);
    }
    bool good = true;
    if (p->low) {
        good = order_elements(&w, fn);
    } else {
        gndi_parallel_for(p->parts, 1, add_parts, &w);
        gndi_parallel_for(p->groups, 1024, add_groups, &w);
    }
    gndi_free(w.table);
    return good ? GND_OK : gnd_error()->code;
}

/* ---- extremes over labels ------------------------------------------------------------------- */

enum { PART_ELEMENTS = 1 << 18 };

typedef struct extremes_work {
    const gndi_label_extremes_plan *plan;
    int32_t *table;
    struct gndi_label_extreme *found;
    int64_t parts;
} extremes_work;

static void find_parts(void *context, int64_t begin, int64_t end) {
    const extremes_work *w = context;
    const int64_t n = w->plan->n, each = gndi_ceil_div(n, w->parts);
    for (int64_t part = begin; part < end; part++)
        gndi_label_extremes_part(w->plan, w->table, w->found + part * w->plan->groups, gndi_min(part * each, n),
                                 gndi_min((part + 1) * each, n));
}

/* ---- boxes around labels -------------------------------------------------------------------- */

typedef struct boxes_work {
    const gndi_label_extremes_plan *plan;
    int64_t rows, parts, *found;
} boxes_work;

static int64_t box_numbers(const gndi_label_extremes_plan *p) {
    return p->groups * p->axes * 2;
}
static void find_boxes(void *context, int64_t begin, int64_t end) {
    const boxes_work *w = context;
    const int64_t each = gndi_ceil_div(w->rows, w->parts);
    for (int64_t part = begin; part < end; part++)
        gndi_label_boxes_part(w->plan, w->found + part * box_numbers(w->plan), gndi_min(part * each, w->rows),
                              gndi_min((part + 1) * each, w->rows));
}

static gnd_status boxes(const gndi_label_extremes_plan *p, const char *fn) {
    boxes_work w = {.plan = p, .rows = p->n / p->shape[p->axes - 1]};
    const int64_t most = gndi_min(gndi_ceil_div(p->n, PART_ELEMENTS), gndi_thread_count());
    w.parts = gndi_max(1, gndi_min(most, p->n / p->groups));
    w.found = gndi_malloc(fn, (size_t)(w.parts * box_numbers(p)) * sizeof *w.found);
    if (!w.found) return gnd_error()->code;
    gndi_parallel_for(w.parts, 1, find_boxes, &w);
    gndi_label_boxes_join(p, w.found, w.parts);
    gndi_free(w.found);
    return GND_OK;
}

gnd_status gndi_cpu_label_extremes(gnd_stream *s, const gndi_label_extremes_plan *p, const char *fn) {
    (void)s;
    if (p->axes) return boxes(p, fn);
    extremes_work w = {.plan = p};
    const gndi_label_sums_plan index = {.index = p->index, .groups = p->groups};
    const int64_t most = gndi_min(gndi_ceil_div(p->n, PART_ELEMENTS), MOST_BANDS);
    w.parts = gndi_max(1, gndi_min(most, p->n / p->groups));
    const bool hashed = !gndi_label_consecutive(&index);
    if (hashed) w.table = gndi_malloc(fn, sizeof *w.table << gndi_label_table_bits(p->groups));
    if (hashed && w.table) gndi_label_hash(&index, w.table);
    if (!hashed || w.table) w.found = gndi_malloc(fn, (size_t)(w.parts * p->groups) * sizeof *w.found);
    if (w.found) {
        gndi_parallel_for(w.parts, 1, find_parts, &w);
        gndi_label_extremes_join(p, w.table, w.found, w.parts);
    }
    gndi_free(w.table);
    gndi_free(w.found);
    return w.found ? GND_OK : gnd_error()->code;
}
