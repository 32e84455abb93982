/*
 * ndimage_cuda.c: filters of pictures and fields on CUDA.
 *
 * Separable filters of one or two axes are one launch that reads and writes each element once (but for the tiles'
 * borders, which the second-level cache has): of 4096 x 4096 floats 134 MB, 34 us at 4.0 TB/s. A Gaussian of 25 weights
 * along both axes is 60 products an output, 1e9 of them, about 40 us of an H200's arithmetic beside that.
 */
#include "ndimage/cuda/march_cuda.h"
#include "ndimage/cuda/ndimage_params.h"
#include "runtime/cuda/runtime_cuda.h"
#include <math.h>

const void *gndi_cuda_lines_floats(int kind, bool tiles); /* lines_kernels.cu */
const void *gndi_cuda_lines_doubles(int kind, bool tiles);
const void *gndi_cuda_neighbours_kernel(int kind, int dtype, bool runs); /* neighbours_kernels.cu */
const void *gndi_cuda_sample_kernel(int dtype, int order, bool plane);   /* sample_kernels.cu */
const void *gndi_cuda_sample_given_kernel(bool constant);                /* given_kernels.cu */
const void *gndi_cuda_sample_straight_kernel(int dtype);                 /* straight_kernels.cu */
const void *gndi_cuda_truths_kernel(int kind);                           /* truths_kernels.cu */

/* ---- separable filters ---------------------------------------------------------------------- */

/* The widest tile that leaves each processor some blocks. */
static void cut(const gnd_stream *s, gndi_cuda_lines_params *p, int item) {
    const gndi_lines_plan *plan = &p->plan;
    p->tile = gndi_lines_widest(&plan->axis[0], &plan->axis[1], item);
    p->bands = gndi_ceil_div(plan->rows, GNDI_LINES_ROWS);
    for (int packs = p->tile.width * item / 16; packs >= 8; packs /= 2) {
        p->tile = gndi_lines_tile_of(&plan->axis[0], &plan->axis[1], item, packs);
        p->segments = gndi_ceil_div(plan->columns, p->tile.width);
        if (2 * plan->outer * p->bands * p->segments >= 3 * (int64_t)s->device->processors) return;
    }
}

static const void *lines_kernel(const gndi_lines_plan *plan, bool tiles) {
    return plan->dtype == GND_FLOAT32 ? gndi_cuda_lines_floats(plan->kind, tiles)
                                      : gndi_cuda_lines_doubles(plan->kind, tiles);
}

gnd_status gndi_cuda_lines(gnd_stream *s, const gndi_lines_plan *plan, const char *fn) {
    gnd_status status = GND_OK;
    if (gndi_cuda_marches(s, plan, fn, &status)) return status;
    gndi_cuda_lines_params p = {.plan = *plan};
    if (plan->others) { /* one after the other */
        gndi_lines_plan one = *plan;
        one.others = NULL;
        status = gndi_cuda_lines(s, &one, fn);
        memcpy(one.axis, plan->others, sizeof one.axis);
        one.adds = true;
        return status ? status : gndi_cuda_lines(s, &one, fn);
    }
    const int item = gndi_dtype_sizes[plan->dtype];
    cut(s, &p, item);
    if (p.tile.width == 0) { /* one axis alone: the fronts see to it */
        enum { THREADS = GNDI_CUDA_LINES_THREADS };
        const int64_t length = plan->axis[0].size ? plan->rows : plan->columns;
        const int64_t lines = plan->outer * plan->rows * plan->columns / length;
        p.bands = gndi_ceil_div(length, GNDI_CUDA_LINES_LONG), p.segments = plan->axis[0].size ? plan->columns : 1;
        return gndi_cuda_launch(s, lines_kernel(plan, false), gndi_ceil_div(lines * p.bands, THREADS), THREADS, 0, &p,
                                fn);
    }
    p.packs = plan->columns * item % 16 == 0 && (uintptr_t)plan->x % 16 == 0 && (uintptr_t)plan->out % 16 == 0;
    return gndi_cuda_launch(s, lines_kernel(plan, true), plan->outer * p.bands * p.segments, p.tile.threads,
                            (size_t)p.tile.bytes, &p, fn);
}

/* ---- windows -------------------------------------------------------------------------------- */

/* Extremes of truths whose rows begin at multiples of 16 bytes, in windows that reach as far along the last axis at
   most; beyond its ends there is a constant. */
static bool is_of_packs(const gndi_neighbours_plan *p) {
    enum { PACK = GNDI_CUDA_TRUTHS_PACK };
    const int last = p->ndim - 1;
    const int64_t first = p->first[last], end = first + p->window[last];
    const uintptr_t together = (uintptr_t)p->x | (uintptr_t)p->out | (uintptr_t)p->kept | (uintptr_t)p->x_shape[last];
    return p->dtype == GND_UINT8 && !p->values && together % PACK == 0 && first >= -PACK && end <= PACK &&
           p->border[last] == GNDI_BORDER_CONSTANT;
}

gnd_status gndi_cuda_neighbours(gnd_stream *s, const gndi_neighbours_plan *plan, const char *fn) {
    enum { THREADS = GNDI_CUDA_NEIGHBOURS_THREADS, RUN = GNDI_CUDA_NEIGHBOURS_RUN, MOST = GNDI_CUDA_NEIGHBOURS_NEAR };
    gndi_neighbours_plan p = *plan;
    const bool extends = p.kind == GNDI_NEIGHBOURS_EXTEND;
    int64_t outputs = 1, elements = 1, window = 1;
    for (int a = 0; a < p.ndim; a++) {
        outputs *= p.out_shape[a], elements *= p.x_shape[a];
        window = gndi_min(window * gndi_min(p.window[a], MOST + 1), MOST + 1); /* beyond the most it stays there */
    }
    const bool runs =
        gndi_max(outputs, elements) < INT32_MAX - (1 << 28) && (extends || (window > 0 && window <= MOST));
    if (runs && !extends && is_of_packs(&p)) {
        const int64_t blocks = gndi_ceil_div(outputs / GNDI_CUDA_TRUTHS_PACK, THREADS);
        const int64_t most = (int64_t)GNDI_CUDA_TRUTHS_BLOCKS * s->device->processors;
        return gndi_cuda_launch_early(s, gndi_cuda_truths_kernel(p.kind), gndi_min(blocks, most), THREADS, 0, &p, fn);
    }
    int64_t units = outputs;
    if (runs) units = outputs / p.out_shape[p.ndim - 1] * gndi_ceil_div(p.out_shape[p.ndim - 1], RUN);
    int64_t blocks = gndi_ceil_div(units, THREADS);
    /* Blocks that list the window first go through several outputs a thread. */
    if (runs && !extends) blocks = gndi_min(blocks, (int64_t)GNDI_CUDA_NEIGHBOURS_BLOCKS * s->device->processors);
    return gndi_cuda_launch(s, gndi_cuda_neighbours_kernel(p.kind, p.dtype, runs), blocks, THREADS, 0, &p, fn);
}

/* ---- splines -------------------------------------------------------------------------------- */

/* Indices that floats have exactly. */
static bool is_plane(const int64_t *shape) {
    return shape[0] <= 1 << 24 && shape[1] <= 1 << 24;
}

/* Whether lines along an axis go into lines along it, which can be said of all elements of a row or a column at once:
   of order 1, where each has two coefficients. Offsets of elements are 32 bits. */
static bool is_straight(const gndi_sample_plan *p) {
    return p->order == 1 && p->mode != GND_IMAGE_GRID_CONSTANT && p->matrix[0][1] == 0 && p->matrix[1][0] == 0 &&
           p->x_shape[0] * p->x_shape[1] < INT32_MAX && p->count < INT32_MAX;
}

/* The box of elements that a block's outputs need, if there are many blocks and few elements for each output. */
static void set_box(const gnd_stream *s, gndi_cuda_sample_params *p) {
    enum { SIDE = GNDI_CUDA_SAMPLE_BOX, FEW = 3, BLOCKS = 4, SHARED = 72 << 10, MOST = 1 << 19, BANKS = 32 };
    enum { OWN = 2 << 10 }; /* bytes that the kernels have besides, at most */
    const gndi_sample_plan *plan = &p->plan;
    const int64_t item = gndi_dtype_sizes[plan->dtype], pack = 16 / item;
    const int64_t blocks = gndi_ceil_div(plan->out_shape[0], SIDE) * gndi_ceil_div(plan->out_shape[1], SIDE);
    double n[2];
    if (plan->order < 1 || blocks < (int64_t)BLOCKS * s->device->processors) return;
    if (plan->x_shape[0] >= MOST || plan->x_shape[1] >= MOST) return;
    for (int a = 0; a < 2; a++) /* what is rounded down at both ends, and the margin, are up to 4 elements */
        n[a] = (fabs(plan->matrix[a][0]) + fabs(plan->matrix[a][1])) * (SIDE - 1) + plan->order + 4;
    const double elements = n[0] * (n[1] + 3 * (double)pack);
    if (!(elements <= FEW * SIDE * SIDE && elements * (double)item <= SHARED)) return;
    p->box_rows = (int32_t)n[0];
    p->box_columns = (int32_t)(gndi_ceil_div((int64_t)n[1] + pack - 1, pack) * pack);
    /* The rows of 8 x 4 elements are in different banks. */
    p->box_pitch = (int32_t)(gndi_ceil_div(p->box_columns - 4, BANKS) * BANKS + 4);
    p->packs = plan->x_shape[1] % pack == 0 && (uintptr_t)plan->x % 16 == 0;
    /* What rounds pitches up may be several times what narrow and high boxes hold. */
    if ((int64_t)p->box_rows * p->box_pitch * item > s->device->shared_bytes - OWN) p->box_rows = 0;
}

static int64_t blocks_of(int64_t outer, const int64_t *shape, int64_t down, int64_t across) {
    return outer * gndi_ceil_div(shape[0], down) * gndi_ceil_div(shape[1], across);
}

/* Whether a kernel of its own takes the coordinates. Offsets of elements are 32 bits. */
static bool is_given(const gndi_sample_plan *p) {
    const int64_t rows = p->x_shape[0], columns = p->x_shape[1];
    return p->coordinates && p->order == 1 && p->pad == 0 && p->dtype == GND_FLOAT32 && p->outer == 1 &&
           p->coordinates_dtype == GND_FLOAT32 && p->rounding == GNDI_SAMPLE_EXACT && rows > 1 && columns > 1 &&
           rows * columns < INT32_MAX;
}

/* Bands of rows: less than half of the L2 cache, whose parts keep copies of what others hold. */
static gnd_status launch_given(gnd_stream *s, gndi_cuda_sample_params *p, const char *fn) {
    enum { THREADS = 256 };
    const gndi_sample_plan *plan = &p->plan;
    const int64_t tiles = gndi_ceil_div(plan->count, THREADS * GNDI_CUDA_SAMPLE_EACH);
    const int64_t most = (int64_t)GNDI_CUDA_SAMPLE_BLOCKS * s->device->processors;
    const int64_t elements = plan->x_shape[0] * plan->x_shape[1];
    const int64_t cache = gndi_max((int64_t)s->device->cache_bytes * 9 / 20, 1);
    const int64_t bands = gndi_ceil_div(elements * (int64_t)sizeof(float), cache);
    p->packs = plan->count % 4 == 0 && (uintptr_t)plan->coordinates % 16 == 0;
    const bool pays = bands <= GNDI_CUDA_SAMPLE_BANDS && plan->count >= elements / 4;
    p->height = (int32_t)(pays ? gndi_ceil_div(plan->x_shape[0], bands) : plan->x_shape[0]);
    return gndi_cuda_launch(s, gndi_cuda_sample_given_kernel(plan->mode == GND_IMAGE_CONSTANT), gndi_min(tiles, most),
                            THREADS, 0, p, fn);
}

gnd_status gndi_cuda_sample(gnd_stream *s, const gndi_sample_plan *plan, const char *fn) {
    enum { THREADS = 256 };
    gndi_cuda_sample_params p = {.plan = *plan, .pad = plan->pad};
    const bool map = !plan->coordinates && plan->out_ndim == 2 && is_plane(plan->out_shape);
    const bool plane = plan->ndim == 2 && is_plane(plan->x_shape) && (plan->coordinates || map);
    if (plane && map && is_straight(plan))
        return gndi_cuda_launch(s, gndi_cuda_sample_straight_kernel(plan->dtype),
                                blocks_of(plan->outer, plan->out_shape, GNDI_CUDA_SAMPLE_ROWS, THREADS), THREADS, 0, &p,
                                fn);
    if (plane && is_given(plan)) return launch_given(s, &p, fn);
    int64_t blocks = gndi_ceil_div(plan->count, THREADS);
    if (plane && map) {
        set_box(s, &p);
        if (p.box_rows > 0)
            blocks = blocks_of(1, plan->out_shape, GNDI_CUDA_SAMPLE_BOX, GNDI_CUDA_SAMPLE_BOX);
        else
            blocks = blocks_of(1, plan->out_shape, GNDI_CUDA_SAMPLE_DOWN, GNDI_CUDA_SAMPLE_ACROSS);
    } else if (plane && plan->order <= 1) {
        blocks = gndi_ceil_div(plan->count, THREADS * GNDI_CUDA_SAMPLE_EACH);
    }
    const int64_t bytes = (int64_t)p.box_rows * p.box_pitch * gndi_dtype_sizes[plan->dtype];
    return gndi_cuda_launch(s, gndi_cuda_sample_kernel(plan->dtype, plan->order, plane), blocks, THREADS, (size_t)bytes,
                            &p, fn);
}
