/*
 * detrend_cpu.c: lines without their trend on the CPU: the sums of chunks, which are added up in order, then the
 * subtraction, both shared among the threads by chunks.
 */
#include "resample/detrend_plan.h"
#include "runtime/hooks.h"

enum { CHUNK = 1 << 12, LANES = 8, RUN = 128, MOST_PARTS = 2 };

/* Of x and of t * x, for the real and the imaginary part. */
typedef struct sums {
    double plain[MOST_PARTS], weighted[MOST_PARTS];
} sums;

typedef struct work {
    const gndi_detrend_plan *plan;
    int parts;
    int64_t chunks; /* of a line */
    double middle;  /* (n - 1) / 2 */
    sums *of_chunk; /* a line's chunks side by side */
    sums *of_line;
} work;

/* Sums of one part of n numbers, `step` apart; t of the first one. Of a mean short runs are added up in T. The
   functions in capitals are for constant steps, which let the compiler use vectors. */
#define DEFINE_LOOPS(T)                                                                                                \
    static inline __attribute__((always_inline)) void ADD_##T(const T *x, int64_t n, int step, double t, bool linear,  \
                                                              double *plain, double *weighted) {                       \
        double p[LANES] = {0}, w[LANES] = {0};                                                                         \
        int64_t i = 0;                                                                                                 \
        for (; linear && i + LANES <= n; i += LANES)                                                                   \
            for (int k = 0; k < LANES; k++) {                                                                          \
                const double value = (double)x[(i + k) * step];                                                        \
                p[k] += value;                                                                                         \
                w[k] += (t + (double)(i + k)) * value;                                                                 \
            }                                                                                                          \
        for (; i + RUN <= n; i += RUN) {                                                                               \
            T run[LANES] = {0};                                                                                        \
            for (int j = 0; j < RUN; j += LANES)                                                                       \
                for (int k = 0; k < LANES; k++) run[k] += x[(i + j + k) * step];                                       \
            for (int k = 0; k < LANES; k++) p[k] += (double)run[k];                                                    \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            p[i % LANES] += (double)x[i * step];                                                                       \
            w[i % LANES] += (t + (double)i) * (double)x[i * step];                                                     \
        }                                                                                                              \
        *plain = ((p[0] + p[4]) + (p[2] + p[6])) + ((p[1] + p[5]) + (p[3] + p[7]));                                    \
        *weighted = ((w[0] + w[4]) + (w[2] + w[6])) + ((w[1] + w[5]) + (w[3] + w[7]));                                 \
    }                                                                                                                  \
    static void add_##T(const T *x, int64_t n, int step, double t, bool linear, double *plain, double *weighted) {     \
        if (step == 1)                                                                                                 \
            ADD_##T(x, n, 1, t, linear, plain, weighted);                                                              \
        else                                                                                                           \
            ADD_##T(x, n, 2, t, linear, plain, weighted);                                                              \
    }                                                                                                                  \
    static inline __attribute__((always_inline)) void SUBTRACT_##T(const T *x, T *out, int64_t n, int step, double t,  \
                                                                   double mean, double slope) {                        \
        if (slope == 0)                                                                                                \
            for (int64_t i = 0; i < n; i++) out[i * step] = x[i * step] - (T)mean;                                     \
        else                                                                                                           \
            for (int64_t i = 0; i < n; i++) out[i * step] = (T)((double)x[i * step] - mean - slope * (t + (double)i)); \
    }                                                                                                                  \
    static void subtract_##T(const T *x, T *out, int64_t n, int step, double t, double mean, double slope) {           \
        if (step == 1)                                                                                                 \
            SUBTRACT_##T(x, out, n, 1, t, mean, slope);                                                                \
        else                                                                                                           \
            SUBTRACT_##T(x, out, n, 2, t, mean, slope);                                                                \
    }
DEFINE_LOOPS(float)
DEFINE_LOOPS(double)
#undef DEFINE_LOOPS

static bool is_wide(const work *w) {
    return w->plan->dtype == GND_FLOAT64 || w->plan->dtype == GND_COMPLEX128;
}

static void sum_chunks(void *context, int64_t begin, int64_t end) {
    const work *w = context;
    const gndi_detrend_plan *p = w->plan;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t at = unit % w->chunks * CHUNK, n = gndi_min(CHUNK, p->n - at);
        const char *x = p->x + gndi_line_of_x(&p->grid, unit / w->chunks);
        const double t = (double)at - w->middle;
        sums *s = &w->of_chunk[unit];
        for (int part = 0; part < w->parts; part++)
            if (is_wide(w))
                add_double((const double *)(const void *)x + at * w->parts + part, n, w->parts, t, p->linear,
                           &s->plain[part], &s->weighted[part]);
            else
                add_float((const float *)(const void *)x + at * w->parts + part, n, w->parts, t, p->linear,
                          &s->plain[part], &s->weighted[part]);
    }
}

/* The sums of each line, which become its mean and its slope. */
static void sum_lines(void *context, int64_t begin, int64_t end) {
    const work *w = context;
    const double n = (double)w->plan->n, squares = gndi_detrend_squares(w->plan->n);
    for (int64_t line = begin; line < end; line++) {
        sums s = {{0, 0}, {0, 0}};
        for (int64_t c = 0; c < w->chunks; c++)
            for (int part = 0; part < w->parts; part++) {
                s.plain[part] += w->of_chunk[line * w->chunks + c].plain[part];
                s.weighted[part] += w->of_chunk[line * w->chunks + c].weighted[part];
            }
        for (int part = 0; part < w->parts; part++) {
            s.plain[part] /= n;
            s.weighted[part] = w->plan->linear && squares > 0 ? s.weighted[part] / squares : 0;
        }
        w->of_line[line] = s;
    }
}

static void subtract_chunks(void *context, int64_t begin, int64_t end) {
    const work *w = context;
    const gndi_detrend_plan *p = w->plan;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t line = unit / w->chunks, at = unit % w->chunks * CHUNK, n = gndi_min(CHUNK, p->n - at);
        const char *x = p->x + gndi_line_of_x(&p->grid, line);
        char *out = p->out + gndi_line_of_out(&p->grid, line);
        const double t = (double)at - w->middle;
        const sums *s = &w->of_line[line];
        for (int part = 0; part < w->parts; part++) {
            const int64_t first = at * w->parts + part;
            if (is_wide(w))
                subtract_double((const double *)(const void *)x + first, (double *)(void *)out + first, n, w->parts, t,
                                s->plain[part], s->weighted[part]);
            else
                subtract_float((const float *)(const void *)x + first, (float *)(void *)out + first, n, w->parts, t,
                               s->plain[part], s->weighted[part]);
        }
    }
}

gnd_status gndi_cpu_detrend(gnd_stream *s, const gndi_detrend_plan *p, const char *fn) {
    work w = {.plan = p, .parts = gndi_dtype_is_complex(p->dtype) ? 2 : 1, .middle = 0.5 * (double)(p->n - 1)};
    w.chunks = gndi_ceil_div(p->n, CHUNK);
    const int64_t units = p->grid.lines * w.chunks, grain = (1 << 15) / gndi_min(p->n, CHUNK) + 1;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(units + p->grid.lines) * sizeof(sums));
    if (!memory) return GND_ERROR_MEMORY;
    w.of_chunk = memory->base;
    w.of_line = w.of_chunk + units;
    gndi_parallel_for(units, grain, sum_chunks, &w);
    gndi_parallel_for(p->grid.lines, 1 << 12, sum_lines, &w);
    gndi_parallel_for(units, grain, subtract_chunks, &w);
    gndi_buffer_release(memory);
    return GND_OK;
}
