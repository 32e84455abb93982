/*
 * mirrored_cuda.c: mirrored filters on CUDA: one launch that reads and writes each sample once, but for the halos, for
 * an axis or for both axes of planes.
 */
#include "filter/cuda/mirrored_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_mirrored_kernel(int from, int to, int order, bool brief); /* mirrored_kernels.cu */
const void *gndi_cuda_mirrored_plane_kernel(void);                              /* mirrored_plane.cu */

enum { SHARED_MOST = 96 << 10, OWN = 4 << 10, LANES = 32 }; /* OWN: for what a kernel has besides, or more */

/* Rows of a block's tile in shared memory. */
static int64_t rows_of(const gndi_mirrored_params *p) {
    return p->lines > 1 ? p->lines * p->plan.length : p->span + 2 * (int64_t)p->halo;
}

/* A line, if it is short enough, is one tile without halos; others are cut evenly. */
static void cut(gndi_mirrored_params *p, int64_t lanes) {
    enum { RUN = GNDI_MIRRORED_RUN };
    const int64_t n = p->plan.length, most = GNDI_MIRRORED_THREADS / lanes * RUN;
    p->lanes = (int32_t)lanes;
    p->groups = gndi_ceil_div(p->plan.inner, lanes);
    p->tiles = gndi_ceil_div(n, most);
    p->runs = (int32_t)gndi_ceil_div(gndi_ceil_div(n, p->tiles), RUN);
    p->span = p->runs * RUN;
    p->tiles = gndi_ceil_div(n, p->span);
    p->halo = p->tiles > 1 ? (int32_t)p->plan.halo : 0;
    p->lines = p->tiles > 1 ? 1 : (int32_t)gndi_min(GNDI_MIRRORED_THREADS / (lanes * p->runs), p->plan.lines);
}

static gnd_status run_planes(gnd_stream *s, const gndi_mirrored_plan *plan, const char *fn) {
    enum { THREADS = GNDI_MIRRORED_THREADS, PACK = 4, PITCH = THREADS + PACK };
    gndi_mirrored_plane_params p = {.x = plan->x,
                                    .y = plan->y,
                                    .rows = (int32_t)plan->length,
                                    .columns = (int32_t)plan->inner,
                                    .halo = (int32_t)plan->halo,
                                    .gain = (float)plan->gain,
                                    .gain_back = (float)plan->gain_back,
                                    .a2 = (float)plan->a2,
                                    .a2_double = plan->a2,
                                    .first = plan->first[0],
                                    .last = plan->last,
                                    .last_before = plan->last_before,
                                    .start = plan->start[0]};
    p.width = THREADS - 2 * (int32_t)gndi_ceil_div(plan->halo, PACK) * PACK;
    p.bands = gndi_ceil_div(plan->length, GNDI_MIRRORED_PLANE_ROWS), p.segments = gndi_ceil_div(plan->inner, p.width);
    p.packs = plan->inner % PACK == 0 && (uintptr_t)plan->x % 16 == 0 && (uintptr_t)plan->y % 16 == 0;
    const int64_t bytes = (GNDI_MIRRORED_PLANE_ROWS + 2 * plan->halo) * PITCH * (int64_t)sizeof(float);
    return gndi_cuda_launch(s, gndi_cuda_mirrored_plane_kernel(), plan->lines * p.bands * p.segments, THREADS,
                            (size_t)bytes, &p, fn);
}

/* What is left of the two last results a run later. */
static void fade(gndi_mirrored_params *p) {
    p->terms = (int32_t)gndi_ceil_div(p->plan.halo, GNDI_MIRRORED_RUN);
    for (int k = 0; k < 2; k++) {
        double last = k == 0, before = k == 1;
        for (int i = 0; i < GNDI_MIRRORED_RUN; i++) {
            const double next = p->plan.a2 * last + p->plan.a3 * before;
            before = last, last = next;
        }
        p->later[k] = last, p->later[2 + k] = before;
    }
}

gnd_status gndi_cuda_mirrored(gnd_stream *s, const gndi_mirrored_plan *plan, const char *fn) {
    if (plan->both) return run_planes(s, plan, fn);
    gndi_mirrored_params p = {.plan = *plan};
    const int64_t item = gndi_dtype_sizes[plan->to], most = gndi_min(SHARED_MOST, s->device->shared_bytes - OWN);
    int64_t lanes = gndi_min(plan->inner, LANES);
    for (cut(&p, lanes); rows_of(&p) * p.lanes * item > most && lanes > 1; cut(&p, lanes)) lanes /= 2;
    fade(&p);
    /* In float32 an error of a step is at most doubled by those that follow. */
    const bool brief = plan->order == 1 && plan->a2 >= -0.5 && plan->a2 <= 0.5;
    return gndi_cuda_launch(s, gndi_cuda_mirrored_kernel(plan->from, plan->to, plan->order, brief),
                            gndi_ceil_div(plan->lines, p.lines) * p.tiles * p.groups, GNDI_MIRRORED_THREADS,
                            (size_t)(rows_of(&p) * p.lanes * item), &p, fn);
}
