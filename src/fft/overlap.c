/*
 * overlap.c: convolutions along the last axis, or the last one and another, whose tiles a GPU's blocks transform in
 * their own memory: which ones these are, and their plan. They take a launch or three; other ones are passes of library
 * transforms, products and copies (convolve_run.c).
 */
#include "fft/convolve.h"
#include "array/view.h"
#include "fft/overlap_plan.h"
#include "runtime/runtime.h"

enum {
    WASTE = 4,        /* the most elements of tiles for each result */
    LITTLE = 1 << 20, /* so many elements may be wasted at will: they do not fill a GPU for long */
    SIDE_TAPS = 256,  /* the most of a kernel along an axis of two; of lines it is 3/4 of a tile */
    SHARED = 68 << 10 /* bytes of shared memory that a block needs: GPUs of compute capability 7.5 have 64 KiB */
};

/* The axes of a plan: the transformed ones, or 0 if these are not such. */
static int find_axes(const gndi_convolution *c, int axis[2]) {
    const int last = c->signal->ndim - 1;
    int found = 0;
    for (int i = 0; i <= last; i++) {
        if (!c->axis[i].transformed) continue;
        if (found == 2) return 0;
        axis[found++] = i;
    }
    if (found == 1) axis[1] = axis[0];
    return found && axis[1] == last ? found : 0;
}

/* Elements of complex tiles; two real ones are one. */
static double tile_elements(const gndi_overlap_plan *plan, int64_t real_bytes, bool is_complex) {
    double elements = (double)plan->lines;
    for (int i = 2 - plan->axes; i < 2; i++) {
        const int64_t tile = plan->axes == 1 ? GNDI_OVERLAP_LINE(real_bytes) : GNDI_OVERLAP_SIDE;
        const int64_t step = (tile - plan->m[i] + 1) * (!is_complex && i == 2 - plan->axes ? 2 : 1);
        elements *= (double)gndi_ceil_div(plan->count[i], step) * (double)tile;
    }
    return elements;
}

/* Whether tiles suit the lengths. */
static bool suits(const gndi_overlap_plan *plan) {
    const bool is_complex = gndi_dtype_is_complex(plan->dtype);
    const int64_t real_bytes = gndi_dtype_sizes[plan->dtype] / (is_complex ? 2 : 1);
    const int64_t most = plan->axes == 1 ? GNDI_OVERLAP_LINE(real_bytes) / 4 * 3 : SIDE_TAPS;
    if (plan->axes == 2 && (real_bytes != 4 || plan->m[0] > most)) return false;
    if (plan->m[1] > most) return false;
    double results = (double)plan->lines;
    for (int i = 2 - plan->axes; i < 2; i++) results *= (double)plan->count[i];
    /* A kernel of its own for each line has a spectrum each, as long as a tile, written and read besides: too much for
       lines of one tile. */
    if (plan->kernel_line && plan->count[1] < 2 * GNDI_OVERLAP_LINE(real_bytes)) return false;
    const double elements = tile_elements(plan, real_bytes, is_complex);
    return elements <= WASTE * results || elements <= LITTLE;
}

/* The stride of an axis; 0 of one that is broadcast. */
static int64_t stride_of(const gnd_array *a, int axis) {
    return a->shape[axis] == 1 ? 0 : a->strides[axis];
}

/* All other axes as one; false if they are not. */
static bool merge_lines(const gndi_convolution *c, const gnd_array *x, const gnd_array *kernel,
                        gndi_overlap_plan *plan) {
    int64_t out = gndi_dtype_sizes[plan->dtype];
    plan->lines = 1;
    for (int i = x->ndim - 1; i >= 0; i--) {
        const int64_t count = c->axis[i].count, stride = out;
        out *= count;
        if (c->axis[i].transformed || count == 1) continue;
        const int64_t x_stride = stride_of(x, i), kernel_stride = stride_of(kernel, i);
        if (plan->lines == 1) {
            plan->x_line = x_stride, plan->kernel_line = kernel_stride, plan->out_line = stride;
        } else if (x_stride != plan->x_line * plan->lines || kernel_stride != plan->kernel_line * plan->lines ||
                   stride != plan->out_line * plan->lines) {
            return false;
        }
        plan->lines *= count;
    }
    return true;
}

/* Without memory: the lengths and strides of operands as they are given. */
static bool make_plan(const gndi_convolution *c, const int axis[2], const gnd_array *x, const gnd_array *kernel,
                      gndi_overlap_plan *plan) {
    for (int i = 2 - plan->axes; i < 2; i++) {
        const gndi_convolve_axis *a = &c->axis[axis[i]];
        plan->n[i] = a->n, plan->m[i] = a->m, plan->first[i] = a->first, plan->count[i] = a->count;
    }
    plan->x_row = x->strides[axis[0]];
    plan->out_row = gndi_dtype_sizes[plan->dtype];
    for (int i = axis[0] + 1; i < x->ndim; i++) plan->out_row *= c->axis[i].count;
    return merge_lines(c, x, kernel, plan) && (plan->axes == 1 || plan->kernel_line == 0) && suits(plan);
}

/* The operand itself, or a copy in C order: of the dtype, its last axis contiguous, its elements aligned. */
static const gnd_array *tiled_operand(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool whole) {
    const int64_t size = gndi_dtype_sizes[dtype], last = a->ndim - 1;
    bool fits = (gnd_dtype)a->dtype == dtype && (a->shape[last] == 1 || a->strides[last] == size) &&
                (uintptr_t)gndi_data(a) % (uintptr_t)size == 0 && !(whole && !gndi_is_c_contiguous(a));
    for (int i = 0; i < last && fits; i++) fits = a->strides[i] % size == 0;
    return fits ? a : gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

static gnd_status submit(const char *fn, gndi_overlap_plan *plan, const gnd_array *x, const gnd_array *kernel,
                         gnd_array *out) {
    gnd_stream *s = gndi_work_begin(fn, 2, (const gnd_array *[]){x, kernel}, 1, (const gnd_array *[]){out});
    if (!s) return gndi_ew_pending();
    plan->x = gndi_data(x), plan->kernel = gndi_data(kernel), plan->out = gndi_data(out);
    return gndi_work_end(s, s->device->backend->overlap(s, plan, fn), fn);
}

bool gndi_convolve_tiles(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *x, const gnd_array *kernel,
                         gnd_array **result) {
    int axis[2];
    gndi_overlap_plan plan = {.dtype = (uint8_t)c->dtype, .axes = find_axes(c, axis)};
    const gndi_device *d = x->buffer->device;
    if (!d->backend->overlap || d->shared_bytes < SHARED || plan.axes == 0) return false;
    if (!make_plan(c, axis, x, kernel, &plan)) return false;
    *result = NULL;
    x = tiled_operand(s, x, c->dtype, false);
    kernel = s->failed ? NULL : tiled_operand(s, kernel, c->dtype, true);
    if (s->failed || !make_plan(c, axis, x, kernel, &plan)) return s->failed;
    int64_t shape[GND_MAX_DIMS];
    for (int i = 0; i < x->ndim; i++) shape[i] = c->axis[i].count;
    *result = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, x->ndim, shape, c->dtype));
    if (!s->failed) s->failed = submit(s->fn, &plan, x, kernel, *result) != GND_OK;
    return true;
}
