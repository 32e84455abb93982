/*
 * correlate_cpu.c: sliding sums of products on the CPU. Both lines are brought into a dense form of a
 * work type (32- or 64-bit integers, float32 or float64; complex numbers as two lines), unless they
 * are that already; then strips of outputs are computed in vectors, in parallel. Terms outside the
 * line are left out, not taken as zeros: a tap may be infinite.
 */
#include "signal/correlate_plan.h"
#include "elementwise/cpu/cpu_kernels.h"
#include "kernels/cpu/isa.h"
#include "signal/cpu/correlate_loops.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_correlations, gndi_cpu_correlations_get, correlations)

enum { CHUNK = 1 << 14, MOST = GNDI_CORRELATE_BYTES / 4, PRODUCTS = 1 << 16 };

/* A dense line of the work type; complex: its real and its imaginary parts. */
typedef struct line {
    const char *part[2];
    gndi_buffer *memory; /* NULL: the operand's own */
} line;

typedef struct correlation {
    const gndi_correlate_plan *plan;
    const gndi_cpu_kernels *kernels;
    const gndi_cpu_correlation *loops;
    gnd_dtype work; /* the dtype of the work type */
    int64_t item;   /* its bytes */
    int64_t strip;  /* outputs at a time */
    bool is_complex;
    bool direct; /* outputs are of the work type, and dense */
    line x, k;
    const char *minus; /* complex: the imaginary parts of the taps, negated */
    gndi_buffer *minus_memory;
} correlation;

/* ---- lines ---------------------------------------------------------------------------------- */

/* Conversion of one operand, in pieces. */
typedef struct conversion {
    const correlation *c;
    const struct gndi_correlate_operand *from;
    char *to[2];
} conversion;

static int log_size(int64_t bytes) {
    return __builtin_ctzll((unsigned long long)bytes);
}

/* The parts of complex numbers apart. */
static void convert_complex(const conversion *v, int64_t begin, int64_t end) {
    const bool narrow = v->c->work == GND_FLOAT32;
    const char *from = v->from->data + begin * v->from->step;
    for (int64_t i = begin; i < end; i++, from += v->from->step)
        for (int part = 0; part < 2; part++)
            if (narrow)
                ((float *)(void *)v->to[part])[i] = ((const float *)(const void *)from)[part];
            else
                ((double *)(void *)v->to[part])[i] = ((const double *)(const void *)from)[part];
}

static void convert(void *context, int64_t begin, int64_t end) {
    const conversion *v = context;
    const correlation *c = v->c;
    const int dtype = c->plan->dtype;
    const int64_t size = gndi_dtype_sizes[dtype];
    _Alignas(16) char dense[1024 * 8];
    if (c->is_complex) {
        convert_complex(v, begin, end);
        return;
    }
    for (int64_t i = begin; i < end; i += 1024) {
        const int64_t n = end - i < 1024 ? end - i : 1024;
        c->kernels->gather[log_size(size)](v->from->data + i * v->from->step, v->from->step, dense, n);
        c->kernels->cast[dtype][c->work](dense, v->to[0] + i * c->item, n);
    }
}

static gnd_status make_line(gnd_stream *s, const correlation *c, const struct gndi_correlate_operand *from, int64_t n,
                            line *to, const char *fn) {
    to->part[0] = from->data, to->part[1] = NULL, to->memory = NULL;
    if (c->plan->dtype == c->work && from->step == c->item) return GND_OK;
    to->memory = gndi_buffer_new(fn, s, (size_t)(n * c->item * (c->is_complex ? 2 : 1)));
    if (!to->memory) return GND_ERROR_MEMORY;
    conversion v = {.c = c, .from = from, .to = {to->memory->base}};
    v.to[1] = c->is_complex ? v.to[0] + n * c->item : NULL;
    gndi_parallel_for(n, CHUNK, convert, &v);
    to->part[0] = v.to[0], to->part[1] = v.to[1];
    return GND_OK;
}

/* The imaginary parts of the taps with the other sign. */
static gnd_status make_minus(gnd_stream *s, correlation *c, const char *fn) {
    const int64_t n = c->plan->taps;
    c->minus_memory = gndi_buffer_new(fn, s, (size_t)(n * c->item));
    if (!c->minus_memory) return GND_ERROR_MEMORY;
    char *operand[2] = {c->minus_memory->base, (char *)(uintptr_t)c->k.part[1]};
    c->kernels->op[GNDI_OP_negative][c->work](operand, n, NULL);
    c->minus = operand[0];
    return GND_OK;
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* sums[i] += products of one line with taps, for `n` outputs from `at` on. What all outputs of a strip
   have in common is the strip's work; at the ends of the line some have a few taps more. */
static void add_products(const correlation *c, const char *x, const char *k, int64_t at, int64_t n, char *sums) {
    const gndi_correlate_plan *p = c->plan;
    const int64_t first = p->first + at; /* what the first tap of the first output meets */
    int64_t low = -first > 0 ? -first : 0, high = p->length - first - (n - 1);
    if (high > p->taps) high = p->taps;
    const bool whole = n == c->strip && high > low;
    if (whole) c->loops->strip(x + (first + low) * c->item, k + low * c->item, high - low, sums);
    if (whole && first >= 0 && first + (n - 1) + p->taps <= p->length) return;
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = first + i;
        const int64_t own_low = -from > 0 ? -from : 0;
        const int64_t own_high = p->length - from < p->taps ? p->length - from : p->taps;
        char *sum = sums + i * c->item;
        if (!whole) {
            if (own_high > own_low)
                c->loops->dot(x + (from + own_low) * c->item, k + own_low * c->item, own_high - own_low, sum);
            continue;
        }
        if (own_low < low) c->loops->dot(x + (from + own_low) * c->item, k + own_low * c->item, low - own_low, sum);
        if (own_high > high) c->loops->dot(x + (from + high) * c->item, k + high * c->item, own_high - high, sum);
    }
}

/* Sums of the work type to outputs. */
static void store(const correlation *c, const char *sums, const char *imaginary, int64_t at, int64_t n) {
    const gndi_correlate_plan *p = c->plan;
    char *to = p->out.data + at * p->out.step;
    _Alignas(16) char dense[MOST * 8];
    if (c->is_complex) {
        for (int64_t i = 0; i < n; i++, to += p->out.step) {
            memcpy(to, sums + i * c->item, (size_t)c->item);
            memcpy(to + c->item, imaginary + i * c->item, (size_t)c->item);
        }
        return;
    }
    c->kernels->cast[c->work][p->dtype](sums, dense, n);
    c->kernels->scatter[log_size(gndi_dtype_sizes[p->dtype])](dense, to, p->out.step, n);
}

static void run(void *context, int64_t begin, int64_t end) {
    const correlation *c = context;
    const gndi_correlate_plan *p = c->plan;
    for (int64_t block = begin; block < end; block++) {
        _Alignas(64) char sums[2][GNDI_CORRELATE_BYTES] = {{0}};
        const int64_t at = block * c->strip;
        const int64_t n = p->count - at < c->strip ? p->count - at : c->strip;
        if (c->direct && n == c->strip) { /* the sums are the outputs */
            char *out = p->out.data + at * p->out.step;
            memset(out, 0, GNDI_CORRELATE_BYTES);
            add_products(c, c->x.part[0], c->k.part[0], at, n, out);
            continue;
        }
        add_products(c, c->x.part[0], c->k.part[0], at, n, sums[0]);
        if (c->is_complex) {
            add_products(c, c->x.part[1], c->minus, at, n, sums[0]);
            add_products(c, c->x.part[0], c->k.part[1], at, n, sums[1]);
            add_products(c, c->x.part[1], c->k.part[0], at, n, sums[1]);
        }
        store(c, sums[0], sums[1], at, n);
    }
}

/* ---- the backend's function ----------------------------------------------------------------- */

static int work_of(int dtype, int64_t taps, gnd_dtype *work) {
    switch (dtype) {
    case GND_BOOL: /* counted */
        *work = taps > INT32_MAX ? GND_INT64 : GND_INT32;
        return taps > INT32_MAX ? GNDI_WORK_INT64 : GNDI_WORK_INT32;
    case GND_INT64:
    case GND_UINT64: *work = (gnd_dtype)dtype; return GNDI_WORK_INT64;
    case GND_UINT32: *work = GND_UINT32; return GNDI_WORK_INT32;
    case GND_FLOAT16:
    case GND_BFLOAT16:
    case GND_FLOAT32:
    case GND_COMPLEX64: *work = GND_FLOAT32; return GNDI_WORK_FLOAT;
    case GND_FLOAT64:
    case GND_COMPLEX128: *work = GND_FLOAT64; return GNDI_WORK_DOUBLE;
    default: *work = GND_INT32; return GNDI_WORK_INT32;
    }
}

gnd_status gndi_cpu_correlate(gnd_stream *s, const gndi_correlate_plan *plan, const char *fn) {
    correlation c = {.plan = plan, .kernels = gndi_cpu_kernels_get()};
    c.loops = &gndi_cpu_correlations_get()->of_work[work_of(plan->dtype, plan->taps, &c.work)];
    c.item = gndi_dtype_sizes[c.work], c.strip = GNDI_CORRELATE_BYTES / c.item;
    c.is_complex = gndi_dtype_is_complex(plan->dtype);
    c.direct = plan->dtype == c.work && plan->out.step == c.item;
    gnd_status status = make_line(s, &c, &plan->x, plan->length, &c.x, fn);
    if (!status) status = make_line(s, &c, &plan->k, plan->taps, &c.k, fn);
    if (!status && c.is_complex) status = make_minus(s, &c, fn);
    if (!status && c.is_complex && plan->conjugate) { /* the two signs exchanged */
        const char *plus = c.k.part[1];
        c.k.part[1] = c.minus, c.minus = plus;
    }
    if (!status) {
        const int64_t blocks = (plan->count + c.strip - 1) / c.strip;
        const int64_t grain = PRODUCTS / (plan->taps * c.strip) + 1;
        gndi_parallel_for(blocks, grain, run, &c);
    }
    if (c.x.memory) gndi_buffer_release(c.x.memory);
    if (c.k.memory) gndi_buffer_release(c.k.memory);
    if (c.minus_memory) gndi_buffer_release(c.minus_memory);
    return status;
}
