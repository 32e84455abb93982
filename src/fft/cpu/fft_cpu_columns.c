/*
 * fft_cpu_columns.c: transforms along an axis with a large stride: FFTW, which plans by estimate, would pass over
 * memory several times, with a cache line for each element (2048 x 2048 complex64 along axis 0: three times as
 * long). Here a thread copies adjacent lines, as many as fill cache lines, to its own workspace, where each line is
 * dense, transforms them there, and copies them back, times the factor.
 */
#include "fft/cpu/fft_cpu.h"

enum {
    WIDTH_BYTES = 128,       /* bytes of adjacent elements in lines that are taken together */
    LEAST_LENGTH = 256,      /* of an axis that is worth the copies */
    LEAST_BYTES = 512 << 10, /* of all; less stays in a cache */
    MOST_SLOTS = 64,
    ALIGNMENT = 64,
};

/* ---- which axes ------------------------------------------------------------------------------- */

/* Whether lines are adjacent along an axis: the columns. */
static bool is_dense(const gndi_fft_plan *p, const gndi_fft_axis *axis) {
    return axis->n > 1 && axis->in == gndi_fft_in_size(p) && axis->out == gndi_fft_out_size(p);
}

bool gndi_fft_is_far(const gndi_fft_plan *p, int axis) {
    bool columns = false;
    for (int i = 0; i < p->axes; i++) /* The halved axis is no batch that both sides agree on. */
        columns = columns || (i != axis && is_dense(p, &p->axis[i]));
    for (int i = 0; i < p->batches; i++) columns = columns || is_dense(p, &p->batch[i]);
    const gndi_fft_axis *a = &p->axis[axis];
    return columns && a->n >= LEAST_LENGTH && gndi_fft_bytes(p) >= LEAST_BYTES &&
           gndi_magnitude(a->in) >= WIDTH_BYTES && gndi_magnitude(a->out) >= WIDTH_BYTES;
}

/* ---- moving ----------------------------------------------------------------------------------- */

typedef struct wide_number {
    double re, im;
} wide_number;

/* Copies `width` lines of n elements, `stride` bytes from one element to the next, to dense lines. */
#define GATHER(T)                                                                                                      \
    static void gather_##T(void *to, const char *from, int64_t stride, int64_t n, int64_t width) {                     \
        T *dense = to;                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            const T *x = (const void *)(from + i * stride);                                                            \
            for (int64_t k = 0; k < width; k++) dense[k * n + i] = x[k];                                               \
        }                                                                                                              \
    }
GATHER(float)
GATHER(double)
GATHER(wide_number)

/* And back, times a factor; an element has `parts` numbers. */
#define SCATTER(T, parts, name)                                                                                        \
    static void scatter_##name(char *to, const void *from, int64_t stride, int64_t n, int64_t width, double by) {      \
        const T *dense = from, factor = (T)by;                                                                         \
        for (int64_t i = 0; i < n; i++) {                                                                              \
            T *x = (void *)(to + i * stride);                                                                          \
            for (int64_t k = 0; k < width; k++)                                                                        \
                for (int part = 0; part < parts; part++)                                                               \
                    x[k * parts + part] = dense[(k * n + i) * parts + part] * factor;                                  \
        }                                                                                                              \
    }
SCATTER(float, 1, float)
SCATTER(float, 2, complex_float)
SCATTER(double, 1, double)
SCATTER(double, 2, complex_double)

/* ---- the work --------------------------------------------------------------------------------- */

typedef struct work {
    const gndi_fft_plan *plan;
    gndi_fft_plan block; /* of dense lines, as FFTW transforms them */
    const gndi_fft_entry *made;
    gndi_fft_axis columns; /* the axis along which lines are adjacent */
    gndi_fft_axis other[GNDI_FFT_AXES];
    int others;
    int64_t width, groups; /* lines taken together; groups of them along the columns */
    int64_t in_count, out_count, in_bytes, slot_bytes;
    char *memory;
    int slots;
    atomic_bool taken[MOST_SLOTS];
} work;

/* Takes a free slot: there is one for every thread that may take part. */
static int take_slot(work *w) {
    for (int i = 0;; i = (i + 1) % w->slots)
        if (!atomic_exchange_explicit(&w->taken[i], true, memory_order_acquire)) return i;
}

static void do_group(const work *w, int64_t group, char *memory) {
    const gndi_fft_plan *p = w->plan;
    const int64_t first = group % w->groups * w->width, left = w->columns.n - first;
    const int64_t width = left < w->width ? left : w->width;
    const int64_t in_size = gndi_fft_in_size(p), out_size = gndi_fft_out_size(p);
    char *in = p->in + first * w->columns.in, *out = p->out + first * w->columns.out;
    int64_t rest = group / w->groups;
    for (int i = w->others - 1; i >= 0; i--) {
        in += rest % w->other[i].n * w->other[i].in, out += rest % w->other[i].n * w->other[i].out;
        rest /= w->other[i].n;
    }
    gndi_fft_plan block = w->block;
    block.in = memory;
    block.out = block.type == GNDI_FFT_C2C ? memory : memory + w->in_bytes;
    const int64_t stride = p->axis[0].in;
    (in_size == 4   ? gather_float
     : in_size == 8 ? gather_double
                    : gather_wide_number)(block.in, in, stride, w->in_count, width);
    gndi_fftw_run(&block, w->made);
    (out_size == (p->wide ? 16 : 8)
         ? (p->wide ? scatter_complex_double : scatter_complex_float)
         : (p->wide ? scatter_double : scatter_float))(out, block.out, p->axis[0].out, w->out_count, width, p->scale);
}

static void piece(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const int slot = take_slot(w);
    for (int64_t i = begin; i < end; i++) do_group(w, i, w->memory + slot * w->slot_bytes);
    atomic_store_explicit(&w->taken[slot], false, memory_order_release);
}

/* The transform of `width` dense lines, those of complex numbers in place. */
static void describe_block(work *w) {
    const gndi_fft_plan *p = w->plan;
    gndi_fft_plan *b = &w->block;
    const int64_t in_size = gndi_fft_in_size(p), out_size = gndi_fft_out_size(p);
    *b = (gndi_fft_plan){.type = p->type,
                         .wide = p->wide,
                         .inverse = p->inverse,
                         .spare = true,
                         .axes = 1,
                         .batches = 1,
                         .axis = {{p->axis[0].n, in_size, out_size}},
                         .scale = 1,
                         .pins = p->pins};
    w->in_count = gndi_fft_in_count(b, 0), w->out_count = gndi_fft_out_count(b, 0);
    b->batch[0] = (gndi_fft_axis){w->width, w->in_count * in_size, w->out_count * out_size};
    const int64_t out_bytes = p->type == GNDI_FFT_C2C ? 0 : w->width * w->out_count * out_size;
    w->in_bytes = (w->width * w->in_count * in_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    w->slot_bytes = w->in_bytes + (out_bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    b->in = w->memory;
    b->out = p->type == GNDI_FFT_C2C ? w->memory : w->memory + w->in_bytes;
}

static int64_t count_groups(work *w) {
    const gndi_fft_plan *p = w->plan;
    int64_t count = 1;
    bool found = false;
    for (int i = 0; i < p->batches; i++) {
        if (!found && is_dense(p, &p->batch[i]))
            w->columns = p->batch[i], found = true;
        else
            w->other[w->others++] = p->batch[i], count *= p->batch[i].n;
    }
    w->width = WIDTH_BYTES / (p->wide ? 16 : 8);
    w->groups = (w->columns.n + w->width - 1) / w->width;
    return count * w->groups;
}

gnd_status gndi_fft_columns(gnd_stream *s, const gndi_fft_plan *p, const char *fn) {
    work w = {.plan = p};
    const int64_t count = count_groups(&w);
    const int threads = gndi_thread_count();
    w.slots = threads < MOST_SLOTS ? threads : MOST_SLOTS;
    describe_block(&w); /* for the size of the workspace */
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(w.slot_bytes * w.slots));
    if (!memory) return GND_ERROR_MEMORY;
    w.memory = memory->base;
    /* Remains of an earlier use could be subnormal numbers, which are slow. */
    memset(w.memory, 0, (size_t)(w.slot_bytes * w.slots));
    describe_block(&w);
    gndi_fft_entry *made = gndi_fftw_plan(s->device, &w.block, 1, fn);
    gnd_status status = made ? GND_OK : gndi_ew_pending();
    if (made && p->pins) {
        status = gndi_fft_cache_pin(p->pins, made, fn);
    } else if (made) {
        const int64_t least = (count + MOST_SLOTS - 1) / MOST_SLOTS;
        w.made = made;
        gndi_parallel_for(count, threads > MOST_SLOTS ? least : 1, piece, &w);
        gndi_fft_cache_give(made);
    }
    gndi_buffer_release(memory);
    return status;
}
