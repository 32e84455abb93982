/*
 * march_cuda.c: separable filters of matrices of floats row by row (march_kernels.cu): which there are, and how they
 * are cut into strips and segments.
 */
#include "ndimage/cuda/march_cuda.h"
#include "ndimage/cuda/ndimage_params.h"

const void *gndi_cuda_march_kernel(int kind, int size, int shape, int *warps); /* march_kernels.cu */

enum {
    PACK = 4,
    LINE = 32, /* floats of a line of the cache */
    WIDTH = PACK * GNDI_CUDA_MARCH_THREADS,
    SHARED = 224 << 10, /* bytes of a processor */
    TALL = 512,         /* rows of a segment, at most */
    SMALL = 1 << 29,
    FEW_ROWS = 9, /* larger windows of small matrices, whose segments have fewer rows than these, go in tiles */
};

/* A kernel, its parts, and its warps of a processor. */
typedef struct march {
    gndi_cuda_march_params p;
    const void *kernel;
    int parts, warps, size, along; /* along: the size along the rows, 1 if these are not filtered */
    int64_t outer, blocks;
} march;

/* ---- which there are ------------------------------------------------------------------------ */

static bool is_small(const gndi_lines_axis *a) {
    return a->size < GNDI_CUDA_MARCH_MOST && a->first > -SMALL && a->first < SMALL;
}
static bool is_alike(const gndi_lines_axis *a, const gndi_lines_axis *b) {
    return a->size == b->size && a->first == b->first && a->border == b->border;
}

/* Windows of one size along both axes or down the columns, or a sum of two such filters, or of one along each axis. */
static void find_kernel(march *m, const gndi_lines_plan *plan) {
    const gndi_lines_axis *a = plan->axis, *b = plan->others;
    m->parts = b ? 2 : 1;
    for (int k = 0; k < 2 * m->parts; k++) {
        const gndi_lines_axis *axis = k < 2 ? &a[k] : &b[k - 2];
        if (!is_small(axis) || (plan->kind == GNDI_LINES_CORRELATE && axis->taps)) return;
    }
    const bool crosses = b && a[1].size == 0 && b[0].size == 0 && a[0].first == -1 && b[1].first == -1;
    const bool alike = b && is_alike(&a[0], &b[0]) && is_alike(&a[1], &b[1]);
    const gndi_lines_axis *along = crosses ? &b[1] : &a[1];
    if (b && !crosses && (!alike || along->size == 0)) return;
    if (along->size != 0 && along->size != a[0].size) return;
    const int shape = crosses            ? GNDI_CUDA_MARCH_CROSS
                      : b                ? GNDI_CUDA_MARCH_SUM
                      : along->size == 0 ? GNDI_CUDA_MARCH_DOWN
                                         : GNDI_CUDA_MARCH_BOTH;
    m->kernel = gndi_cuda_march_kernel(plan->kind, (int)a[0].size, shape, &m->warps);
    m->size = (int)a[0].size, m->along = along->size > 0 ? m->size : 1;
    m->p.first[0] = (int32_t)a[0].first, m->p.first[1] = along->size > 0 ? (int32_t)along->first : 0;
    m->p.border[0] = a[0].border, m->p.border[1] = along->border;
}

static void set_weights(march *m, const gndi_lines_plan *plan) {
    for (int q = 0; q < m->parts; q++)
        for (int k = 0; k < 2; k++) {
            const gndi_lines_axis *axis = q ? &plan->others[k] : &plan->axis[k];
            for (int64_t t = 0; t < axis->size; t++) m->p.weight[q][k][t] = (float)axis->few[t];
        }
}

static void set_params(march *m, const gndi_lines_plan *plan) {
    gndi_cuda_march_params *p = &m->p;
    p->x = plan->x, p->out = plan->out, p->rows = (int32_t)plan->rows, p->columns = (int32_t)plan->columns;
    p->adds = plan->adds, p->fill = (float)plan->fill, p->between = p->fill;
    p->before = (p->first[1] % PACK + PACK) % PACK;
    m->outer = plan->outer;
    if (plan->kind == GNDI_LINES_CORRELATE) set_weights(m, plan);
    if (plan->kind == GNDI_LINES_SUM) {
        p->size = (float)m->size * (float)m->along, p->part = 1 / p->size;
        p->between *= (float)m->size; /* sums are divided later */
    }
}

/* ---- strips and segments -------------------------------------------------------------------- */

static int64_t bytes_of(const march *m, int64_t height) {
    const int64_t lines = (GNDI_CUDA_MARCH_AHEAD + 2 * m->parts) * GNDI_CUDA_MARCH_ROWS; /* two times those between */
    const int64_t ends = 2 * GNDI_CUDA_MARCH_ROWS * m->parts * PACK, indices = WIDTH + height + m->size - 1;
    return (lines * WIDTH + ends + indices) * (int64_t)sizeof(float);
}

/* Strips as wide as a block, and as many segments as give the busiest processor least to do, in rows of a warp. A row
   takes as long as FEW warps' at least. */
static void cut(march *m, int64_t processors) {
    enum { FEW = 8, BEGIN = 8 };
    const int64_t most = (WIDTH - m->p.before - (m->along - 1)) / PACK * PACK;
    const int64_t strips = gndi_ceil_div(m->p.columns, most), across = m->outer * strips;
    const int64_t room = gndi_min(32 * m->warps / GNDI_CUDA_MARCH_THREADS, SHARED / bytes_of(m, TALL));
    int64_t best = INT64_MAX;
    for (int64_t waves = 1; waves <= 3; waves++) {
        const int64_t wanted = gndi_max(waves * room * processors / across, gndi_ceil_div(m->p.rows, TALL));
        const int64_t height = gndi_ceil_div(m->p.rows, wanted), segments = gndi_ceil_div(m->p.rows, height);
        const int64_t blocks = gndi_ceil_div(across * segments, processors);
        const int64_t warps = gndi_max(blocks * (GNDI_CUDA_MARCH_THREADS / 32), FEW * gndi_ceil_div(blocks, room));
        const int64_t cost = warps * (height + m->size - 1 + BEGIN);
        if (cost >= best) continue;
        best = cost, m->blocks = across * segments;
        m->p.segments = (int32_t)segments, m->p.height = (int32_t)height;
    }
    const int64_t width = gndi_ceil_div(gndi_ceil_div(m->p.columns, strips), LINE) * LINE;
    m->p.strips = (int32_t)strips, m->p.width = (int32_t)gndi_min(width, most);
}

bool gndi_cuda_marches(gnd_stream *s, const gndi_lines_plan *plan, const char *fn, gnd_status *status) {
    march m = {.parts = 1};
    const uintptr_t together = (uintptr_t)plan->x | (uintptr_t)plan->out | (uintptr_t)plan->columns * sizeof(float);
    if (plan->dtype != GND_FLOAT32 || together % 16 != 0 || plan->rows > SMALL || plan->columns > SMALL) return false;
    find_kernel(&m, plan);
    if (!m.kernel) return false;
    set_params(&m, plan);
    cut(&m, s->device->processors);
    if (m.blocks > INT32_MAX || (!plan->others && m.size > FEW_ROWS && m.p.height < m.size - 1)) return false;
    *status =
        gndi_cuda_launch(s, m.kernel, m.blocks, GNDI_CUDA_MARCH_THREADS, (size_t)bytes_of(&m, m.p.height), &m.p, fn);
    return true;
}
