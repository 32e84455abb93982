/*
 * fir_cpu.c: FIR filters on the CPU: each line is brought into a dense form with zeros, or earlier samples, before it
 * and zeros behind, a block at a time; the sliding sums are those of correlate (signal/cpu). A sum adds its products
 * in the same order wherever the signal is cut.
 */
#include "filter/filter_plan.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"
#include "signal/cpu/correlate_loops.h"

const gndi_cpu_correlations *gndi_cpu_correlations_get(void); /* signal/cpu/correlate_cpu.c */

enum { BLOCK = 1024 }; /* results at a time: whole strips */

typedef struct sliding {
    const gndi_fir_plan *plan;
    const gndi_cpu_correlation *loops;
    char *taps[3];    /* backwards: the real parts, the imaginary ones, those negated */
    char *scratch;    /* of each thread's line */
    int64_t per_line; /* bytes of it */
    int64_t item;     /* bytes of a real number */
    bool wide, is_complex;
    int64_t blocks; /* of a line */
} sliding;

static double get(const sliding *f, const char *from, int part) {
    return f->wide ? ((const double *)(const void *)from)[part] : ((const float *)(const void *)from)[part];
}
static void put(const sliding *f, char *to, int64_t i, double value) {
    if (f->wide)
        ((double *)(void *)to)[i] = value;
    else
        ((float *)(void *)to)[i] = (float)value;
}

static void make_taps(sliding *f) {
    const gndi_fir_plan *p = f->plan;
    const int64_t size = f->item * (f->is_complex ? 2 : 1);
    for (int64_t j = 0; j < p->count; j++) {
        const char *from = p->taps + (p->count - 1 - j) * size;
        put(f, f->taps[0], j, get(f, from, 0));
        if (!f->is_complex) continue;
        put(f, f->taps[1], j, get(f, from, 1));
        put(f, f->taps[2], j, -get(f, from, 1));
    }
}

/* Samples first .. first + n - 1 of a line, as many as an output block needs, in parts. */
static void load(const sliding *f, int64_t l, const char *x, int64_t first, int64_t n, char *const *to) {
    const gndi_fir_plan *p = f->plan;
    const int64_t size = f->item * (f->is_complex ? 2 : 1), history = p->count - 1;
    if (first >= 0 && first + n <= p->lines.length && !f->is_complex && p->lines.x_step == size) {
        memcpy(to[0], x + first * size, (size_t)(n * size));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = first + i;
        const char *from = NULL;
        if (at >= 0 && at < p->lines.length) from = x + at * p->lines.x_step;
        if (at < 0 && p->before && at >= -history) from = p->before + (l * history + history + at) * size;
        const int64_t over = at - p->lines.length;
        if (over >= 0 && over < p->ahead && p->behind) from = p->behind + (l * p->ahead + over) * size;
        for (int part = 0; part < (f->is_complex ? 2 : 1); part++) put(f, to[part], i, from ? get(f, from, part) : 0);
    }
}

/* sums += taps over x, for n of them at least. */
static void add(const sliding *f, const char *x, const char *taps, char *sums, int64_t n) {
    const int64_t strip = GNDI_CORRELATE_BYTES / f->item;
    for (int64_t i = 0; i < n; i += strip) f->loops->strip(x + i * f->item, taps, f->plan->count, sums + i * f->item);
}

static void store(const sliding *f, int64_t l, char *y, int64_t first, char *const *sums) {
    const gndi_fir_plan *p = f->plan;
    const int parts = f->is_complex ? 2 : 1;
    const int64_t n = p->lines.length, order = p->count - 1, size = f->item * parts;
    const int64_t end = gndi_min(first + BLOCK, n + (p->zf ? order : 0));
    if (end <= n && (!p->zi || first >= order) && !f->is_complex && p->lines.y_step == size) {
        memcpy(y + first * size, sums[0], (size_t)((end - first) * size));
        return;
    }
    for (int64_t i = first; i < end; i++) {
        char *to = i < n ? y + i * p->lines.y_step : p->zf + (l * order + i - n) * size;
        const char *zi = p->zi && i < order ? p->zi + (l * order + i) * size : NULL;
        for (int part = 0; part < parts; part++) {
            const double sum = get(f, sums[part] + (i - first) * f->item, 0);
            put(f, to, part, zi ? sum + get(f, zi, part) : sum);
        }
    }
}

static void filter_block(const sliding *f, int64_t l, int64_t first, char *scratch) {
    const gndi_fir_plan *p = f->plan;
    const int64_t reach = BLOCK + p->count; /* samples in memory */
    char *x[2] = {scratch, scratch + reach * f->item};
    char *sums[2] = {scratch + 2 * reach * f->item, scratch + (2 * reach + BLOCK) * f->item};
    const int64_t n = gndi_min(BLOCK, p->lines.length + (p->zf ? p->count - 1 : 0) - first), needed = n + p->count - 1;
    const int64_t strip = GNDI_CORRELATE_BYTES / f->item, whole = gndi_ceil_div(n, strip) * strip;
    int64_t at_x, at_y;
    gndi_filter_line_at(&p->lines, l, &at_x, &at_y);
    load(f, l, p->lines.x + at_x, first + p->ahead - (p->count - 1), needed, x);
    for (int part = 0; part < (f->is_complex ? 2 : 1); part++) { /* the last strip sees zeros behind them */
        memset(x[part] + needed * f->item, 0, (size_t)((whole - n) * f->item));
        memset(sums[part], 0, (size_t)(whole * f->item));
    }
    add(f, x[0], f->taps[0], sums[0], n);
    if (f->is_complex) {
        add(f, x[1], f->taps[2], sums[0], n);
        add(f, x[0], f->taps[1], sums[1], n);
        add(f, x[1], f->taps[0], sums[1], n);
    }
    store(f, l, p->lines.y + at_y, first, sums);
}

/* Blocks of all lines, so many for each scratch memory. */
static void run(void *context, int64_t begin, int64_t end) {
    const sliding *f = context;
    for (int64_t share = begin; share < end; share++) {
        const int64_t all = f->blocks * f->plan->lines.count, shares = gndi_thread_count();
        const int64_t each = gndi_ceil_div(all, shares);
        for (int64_t i = share * each; i < gndi_min(all, (share + 1) * each); i++)
            filter_block(f, i / f->blocks, i % f->blocks * BLOCK, f->scratch + share * f->per_line);
    }
}

/* The last samples of each line, for the next call. */
static void keep_samples(const sliding *f) {
    const gndi_fir_plan *p = f->plan;
    const int64_t order = p->count - 1, n = p->lines.length, size = f->item * (f->is_complex ? 2 : 1);
    for (int64_t l = 0; l < p->lines.count; l++) {
        char *kept = p->keeps + l * order * size;
        const int64_t stay = gndi_max(order - n, 0);
        int64_t x, y;
        gndi_filter_line_at(&p->lines, l, &x, &y);
        memmove(kept, kept + (order - stay) * size, (size_t)(stay * size));
        for (int64_t i = stay; i < order; i++)
            memcpy(kept + i * size, p->lines.x + x + (n - order + i) * p->lines.x_step, (size_t)size);
    }
}

/* The results at both ends of each line. */
static void run_edges(const sliding *f) {
    const gndi_fir_plan *p = f->plan;
    const int parts = f->is_complex ? 2 : 1;
    const int64_t n = p->lines.length, size = f->item * parts;
    for (int64_t l = 0; l < p->lines.count; l++) {
        int64_t x, y;
        gndi_filter_line_at(&p->lines, l, &x, &y);
        for (int64_t row = 0; row < 2 * p->edge; row++) {
            const bool last = row >= p->edge;
            const char *from = p->lines.x + x + (last ? n - p->count : 0) * p->lines.x_step;
            const char *k = p->edges + row * p->count * size;
            double re = 0, im = 0;
            for (int64_t j = 0; j < p->count; j++, from += p->lines.x_step, k += size) {
                re += get(f, from, 0) * get(f, k, 0);
                if (!f->is_complex) continue;
                re -= get(f, from, 1) * get(f, k, 1);
                im += get(f, from, 0) * get(f, k, 1) + get(f, from, 1) * get(f, k, 0);
            }
            char *to = p->lines.y + y + (last ? n - 2 * p->edge + row : row) * p->lines.y_step;
            put(f, to, 0, re);
            if (f->is_complex) put(f, to, 1, im);
        }
    }
}

gnd_status gndi_cpu_fir(gnd_stream *s, const gndi_fir_plan *plan, const char *fn) {
    sliding f = {.plan = plan, .wide = plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128};
    f.is_complex = gndi_dtype_is_complex(plan->dtype), f.item = f.wide ? 8 : 4;
    f.loops = &gndi_cpu_correlations_get()->of_work[f.wide ? GNDI_WORK_DOUBLE : GNDI_WORK_FLOAT];
    f.blocks = gndi_ceil_div(plan->lines.length + (plan->zf ? plan->count - 1 : 0), BLOCK);
    f.per_line = (2 * (BLOCK + plan->count) + 2 * BLOCK) * f.item;
    const int64_t shares = gndi_thread_count();
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(3 * plan->count * f.item + shares * f.per_line));
    if (!memory) return GND_ERROR_MEMORY;
    for (int i = 0; i < 3; i++) f.taps[i] = (char *)memory->base + i * plan->count * f.item;
    f.scratch = (char *)memory->base + 3 * plan->count * f.item;
    make_taps(&f);
    const int64_t all = f.blocks * plan->lines.count;
    if (all * BLOCK * plan->count < (1 << 16))
        run(&f, 0, shares);
    else
        gndi_parallel_for(shares, 1, run, &f);
    if (plan->keeps) keep_samples(&f);
    run_edges(&f);
    gndi_buffer_release(memory);
    return GND_OK;
}
