/*
 * fft_cpu_scale.c: what FFTW does not do: results times a factor, and the ends of axes times the square root of
 * 2, by loops over lines of the axis with the smallest stride.
 */
#include "core/axes.h"
#include "fft/cpu/fft_cpu.h"
#include <math.h>

enum { GRAIN = 1 << 15 }; /* elements */

/* Lines along the last axis of blocks of one shape: of `in`, if there is one, to `out`. */
typedef struct walk {
    gndi_fft_block out, in;
    double factor;
} walk;

/* Moves the axis with the smallest stride in the output to the end, and merges axes that are contiguous in both
   blocks. */
static void sort_axes(walk *w) {
    int64_t *const stride[] = {w->out.stride, w->in.stride};
    gndi_walk axes = {.ndim = w->out.ndim, .operands = 2, .leaders = 1, .shape = w->out.shape, .stride = stride};
    gndi_walk_drop_single(&axes);
    w->out.ndim = gndi_walk_collapse(&axes, 0, axes.ndim);
}

#define LINE(T)                                                                                                        \
    static void line_##T(char *out, int64_t to, const char *in, int64_t from, int64_t n, double by) {                  \
        const T factor = (T)by;                                                                                        \
        if (to == sizeof(T) && from == sizeof(T)) {                                                                    \
            T *o = (void *)out;                                                                                        \
            const T *x = (const void *)in;                                                                             \
            for (int64_t i = 0; i < n; i++) o[i] = x[i] * factor;                                                      \
        } else {                                                                                                       \
            for (int64_t i = 0; i < n; i++)                                                                            \
                *(T *)(void *)(out + i * to) = *(const T *)(const void *)(in + i * from) * factor;                     \
        }                                                                                                              \
    }
LINE(float)
LINE(double)

/* Elements begin .. end of the block, counted line by line. */
static void piece(void *context, int64_t begin, int64_t end) {
    const walk *w = context;
    const gndi_fft_block *b = &w->out;
    const int last = b->ndim - 1;
    while (begin < end) {
        int64_t rest = begin / b->shape[last], at = begin % b->shape[last];
        const int64_t n = end - begin < b->shape[last] - at ? end - begin : b->shape[last] - at;
        int64_t to = at * b->stride[last], from = at * w->in.stride[last];
        for (int i = last - 1; i >= 0; i--) {
            to += rest % b->shape[i] * b->stride[i], from += rest % b->shape[i] * w->in.stride[i];
            rest /= b->shape[i];
        }
        (b->wide ? line_double : line_float)(b->data + to, b->stride[last], w->in.data + from, w->in.stride[last], n,
                                             w->factor);
        begin += n;
    }
}

static void walk_over(const gndi_fft_block *out, const gndi_fft_block *in, double factor) {
    walk w = {*out, *in, factor};
    int64_t size = 1;
    sort_axes(&w);
    if (w.out.ndim == 0) w.out.ndim = 1, w.out.shape[0] = 1, w.out.stride[0] = w.in.stride[0] = 0;
    for (int i = 0; i < w.out.ndim; i++) size *= w.out.shape[i];
    gndi_parallel_for(size, GRAIN, piece, &w);
}

void gndi_fft_scale(const gndi_fft_block *block, double factor) {
    walk_over(block, block, factor);
}

void gndi_fft_copy(const gndi_fft_block *out, const gndi_fft_block *in) {
    walk_over(out, in, 1);
}

static gndi_fft_block block_of(const gndi_fft_plan *p, char *data, bool results) {
    gndi_fft_block b = {.data = data, .wide = p->wide, .ndim = p->axes + p->batches};
    for (int i = 0; i < p->axes; i++) {
        b.shape[i] = results ? gndi_fft_out_count(p, i) : gndi_fft_in_count(p, i);
        b.stride[i] = results ? p->axis[i].out : p->axis[i].in;
    }
    for (int i = 0; i < p->batches; i++) {
        b.shape[p->axes + i] = p->batch[i].n;
        b.stride[p->axes + i] = results ? p->batch[i].out : p->batch[i].in;
    }
    const int64_t size = results ? gndi_fft_out_size(p) : gndi_fft_in_size(p);
    const int64_t part = p->wide ? 8 : 4;
    if (size > part) b.shape[b.ndim] = 2, b.stride[b.ndim++] = part;
    return b;
}

gndi_fft_block gndi_fft_results(const gndi_fft_plan *p) {
    return block_of(p, p->out, true);
}

/* ---- ends ------------------------------------------------------------------------------------- */

bool gndi_fft_has_ends_before(const gndi_fft_plan *p) {
    return p->dct == GNDI_DCT1 || p->dct == GNDI_DCT3 || p->dct == GNDI_DST3;
}

static void scale_at(const gndi_fft_plan *p, char *data, bool results, int axis, int64_t index, double factor) {
    gndi_fft_block b = block_of(p, data, results);
    b.data += index * b.stride[axis];
    b.shape[axis] = 1;
    gndi_fft_scale(&b, factor);
}

/* The factors are those in SciPy's documentation of `orthogonalize`. */
void gndi_fft_scale_ends(const gndi_fft_plan *p, char *data, bool of_results, bool before) {
    const double factor = before ? sqrt(2) : sqrt(0.5);
    for (int i = 0; i < p->axes; i++) {
        const int64_t last = p->axis[i].n - 1;
        const bool both = p->dct == GNDI_DCT1;
        if (both || p->dct == (before ? GNDI_DCT3 : GNDI_DCT2)) scale_at(p, data, of_results, i, 0, factor);
        if (both || p->dct == (before ? GNDI_DST3 : GNDI_DST2)) scale_at(p, data, of_results, i, last, factor);
    }
}
