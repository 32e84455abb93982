/*
 * upfirdn_cpu.c: polyphase filters on the CPU. The taps are put into rows by phase; stretches of outputs of all lines
 * are shared among the threads. A stretch that reaches beyond the ends of its line gets a copy of its elements with
 * the border around them.
 */
#include "resample/upfirdn_plan.h"
#include "resample/cpu/upfirdn_loops.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_upfirdn_loops, gndi_cpu_upfirdn_loops_get, upfirdn_loops)

typedef struct work {
    const gndi_upfirdn_plan *plan;
    gndi_cpu_upfirdn_loop loop;
    char *table;
    int64_t stretch, stretches; /* outputs at a time; of a line */
    int64_t phase_taps;
    atomic_bool failed; /* for want of memory; threads other than the caller's raise nothing */
} work;

/* ---- taps ------------------------------------------------------------------------------------- */

static double number(const char *p, bool is_double) {
    return is_double ? *(const double *)(const void *)p : (double)*(const float *)(const void *)p;
}

static void set_number(char *p, bool is_double, double value, double scale) {
    if (is_double)
        *(double *)(void *)p = value * scale;
    else
        *(float *)(void *)p = (float)value * (float)scale;
}

/* Rows of taps by phase, the last one first. */
static void fill_table(const work *w) {
    const gndi_upfirdn_plan *p = w->plan;
    const bool is_double = p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128;
    const bool pairs = gndi_dtype_is_complex(p->dtype), complex_taps = gndi_dtype_is_complex(p->taps_dtype);
    const int64_t item = is_double ? 8 : 4;
    char *to = w->table;
    for (int64_t phase = 0; phase < p->up; phase++)
        for (int64_t j = w->phase_taps - 1; j >= 0; j--) {
            const int64_t at = phase + j * p->up;
            for (int part = 0; part < (pairs ? 2 : 1); part++, to += item) {
                const char *from = p->h + at * p->h_step + (complex_taps ? part * item : 0);
                set_number(to, is_double, at < p->taps ? number(from, is_double) : 0, p->scale);
            }
        }
}

/* ---- elements --------------------------------------------------------------------------------- */

/* An element outside of the line. */
static void make_outside(const gndi_upfirdn_plan *p, const char *line, int64_t i, char *to) {
    const bool is_double = p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128;
    const gndi_border_parts parts = gndi_border_at(i, p->length, (gndi_border)p->border);
    const int64_t item = is_double ? 8 : 4, element = gndi_dtype_sizes[p->dtype];
    for (int part = 0; part * item < element; part++) {
        double sum = parts.count ? 0 : p->cval[part];
        for (int k = 0; k < parts.count; k++)
            sum += parts.weight[k] * number(line + parts.index[k] * element + part * item, is_double);
        set_number(to + part * item, is_double, sum, 1);
    }
}

/* Elements first .. last of a line, as far as they lie outside made of the border. */
static void copy_with_border(const gndi_upfirdn_plan *p, const char *line, int64_t first, int64_t last, char *to) {
    const int64_t element = gndi_dtype_sizes[p->dtype];
    int64_t i = first;
    for (; i <= last && i < 0; i++, to += element) make_outside(p, line, i, to);
    const int64_t inside = gndi_min(last + 1, p->length) - i;
    if (inside > 0) {
        memcpy(to, line + i * element, (size_t)(inside * element));
        to += inside * element, i += inside;
    }
    for (; i <= last; i++, to += element) make_outside(p, line, i, to);
}

/* One stretch of one line. */
static gnd_status run_stretch(const work *w, int64_t unit) {
    const gndi_upfirdn_plan *p = w->plan;
    const int64_t line = unit / w->stretches, at = unit % w->stretches * w->stretch;
    const int64_t element = gndi_dtype_sizes[p->dtype];
    const char *x = p->x + gndi_line_of_x(&p->grid, line);
    gndi_cpu_upfirdn_run run = {.x = x,
                                .table = w->table,
                                .x_first = p->x_first,
                                .first = p->out_first + at,
                                .count = gndi_min(w->stretch, p->count - at),
                                .up = p->up,
                                .down = p->down,
                                .offset = p->offset,
                                .phase_taps = w->phase_taps};
    run.out = p->out + gndi_line_of_out(&p->grid, line) + at * element;
    /* Which elements of the line in memory it sees. */
    const int64_t first = (run.first * p->down + p->offset) / p->up - (w->phase_taps - 1) - p->x_first;
    const int64_t last = ((run.first + run.count - 1) * p->down + p->offset) / p->up - p->x_first;
    if (first >= 0 && last < p->length) {
        w->loop(&run);
        return GND_OK;
    }
    char *copy = gndi_malloc(NULL, (size_t)((last - first + 1) * element));
    if (!copy) return GND_ERROR_MEMORY;
    copy_with_border(p, x, first, last, copy);
    run.x = copy, run.x_first = first + p->x_first;
    w->loop(&run);
    gndi_free(copy);
    return GND_OK;
}

static void run_units(void *context, int64_t begin, int64_t end) {
    work *w = context;
    for (int64_t unit = begin; unit < end && !atomic_load(&w->failed); unit++)
        if (run_stretch(w, unit)) atomic_store(&w->failed, true);
}

/* ---- the backend's function ------------------------------------------------------------------- */

gnd_status gndi_cpu_upfirdn(gnd_stream *s, const gndi_upfirdn_plan *p, const char *fn) {
    enum { OUTPUTS = 4096, ELEMENTS = 1 << 16, PRODUCTS = 1 << 16 };
    const bool is_double = p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128;
    const bool pairs = gndi_dtype_is_complex(p->dtype);
    const int loop = !pairs                                 ? GNDI_UPFIRDN_REAL
                     : gndi_dtype_is_complex(p->taps_dtype) ? GNDI_UPFIRDN_BOTH_COMPLEX
                                                            : GNDI_UPFIRDN_COMPLEX;
    work w = {.plan = p, .phase_taps = gndi_ceil_div(p->taps, p->up)};
    w.loop = gndi_cpu_upfirdn_loops_get()->of_real[is_double][loop];
    gndi_buffer *table = gndi_buffer_new(fn, s, (size_t)(p->up * w.phase_taps * (is_double ? 8 : 4) * (pairs ? 2 : 1)));
    if (!table) return GND_ERROR_MEMORY;
    w.table = table->base;
    fill_table(&w);
    const int64_t reach = ELEMENTS / p->down * p->up; /* outputs of so many elements */
    w.stretch = gndi_max(1, gndi_min(OUTPUTS, reach));
    w.stretches = gndi_ceil_div(p->count, w.stretch);
    gndi_parallel_for(p->grid.lines * w.stretches, PRODUCTS / (w.stretch * w.phase_taps) + 1, run_units, &w);
    gndi_buffer_release(table);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for a copy of some elements");
}
