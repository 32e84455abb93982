/*
 * labels_cuda.c: components and sums over labels on CUDA.
 *
 * Components, of a picture of n bytes: label_local reads it (n bytes) and joins the runs of a tile in shared memory;
 * what it writes is a bit an element, 16 bits a run, a number for each component of the tile, and a bit for its first
 * element. label_across joins these across tiles, and clears the bits of those that are none of the whole, label_count
 * counts the bits before a word, and label_write, which reads as much as label_local wrote, writes the labels (4 n
 * bytes). For 4096 x 4096 bytes these are about 125 MB at most: 31 us at 4.0 TB/s.
 *
 * Components of a picture whose elements touch along rows and columns: the same steps, by label_cross_kernels.cu, which
 * keeps of each strip's runs only those that begin a node: 8 bytes each. 29 us at 4.0 TB/s.
 *
 * Sums: label_sums reads input and labels once, a block a part; label_sums_join adds the parts in order.
 *
 * Extremes: a sweep reads input and labels (134 MB of 4096 x 4096 floats and int32 labels, 34 us at 4.0 TB/s); a second
 * one is for positions.
 */
#include "labels/cuda/labels_params.h"
#include "runtime/cuda/runtime_cuda.h"

enum { THREADS = GNDI_LABEL_TILE };

/* label_kernels.cu, label_cross_kernels.cu, label_sums_kernels.cu */
const void *gndi_cuda_label_local_near(int size, bool joined);
const void *gndi_cuda_label_local_far(int size, bool joined);
const void *gndi_cuda_label_near(gndi_cuda_label_step step, bool joined, bool wide);
const void *gndi_cuda_label_far(gndi_cuda_label_step step, bool joined, bool wide);
const void *gndi_cuda_label_cross_local_kernel(int size);
const void *gndi_cuda_label_cross_kernel(gndi_cuda_label_step step); /* not to count */
const void *gndi_cuda_label_sums_floats(const gndi_cuda_label_sums_params *p, bool joins);
const void *gndi_cuda_label_sums_floats_wide(const gndi_cuda_label_sums_params *p, bool joins);
const void *gndi_cuda_label_sums_doubles(const gndi_cuda_label_sums_params *p, bool joins);
const void *gndi_cuda_label_sums_doubles_wide(const gndi_cuda_label_sums_params *p, bool joins);
/* label_extremes_kernels.cu */
const void *gndi_cuda_label_extremes_kernel(gndi_cuda_label_extremes_step step, const gndi_label_extremes_plan *plan,
                                            bool held);

typedef struct label_launch {
    const void *kernel;
    int64_t blocks;
    int threads;
    size_t shared;
} label_launch;

static const void *step_kernel(gndi_cuda_label_step step, const gndi_label_plan *p) {
    return p->far ? gndi_cuda_label_far(step, p->joined, p->wide) : gndi_cuda_label_near(step, p->joined, p->wide);
}

gnd_status gndi_cuda_label(gnd_stream *s, const gndi_label_plan *plan, const char *fn) {
    enum { STRIPS = GNDI_LABEL_STRIPS };
    gndi_label_plan p = *plan;
    const size_t most = p.joined ? 16 : 32, nodes = GNDI_LABEL_TILE * most;
    const int64_t chunks = gndi_ceil_div(p.rows * p.words, GNDI_LABEL_CHUNK);
    const size_t ids = p.joined || !p.wide ? (nodes + THREADS) * sizeof(uint16_t) : 0;
    const void *const count = step_kernel(GNDI_CUDA_LABEL_COUNT, &p);
    const label_launch usual[] = {
        {p.far ? gndi_cuda_label_local_far(p.size, p.joined) : gndi_cuda_label_local_near(p.size, p.joined), p.tiles,
         THREADS, (nodes + THREADS) * sizeof(int32_t)},
        {step_kernel(GNDI_CUDA_LABEL_ACROSS, &p), p.tiles, THREADS, 0},
        {count, chunks, THREADS, 0},
        {step_kernel(GNDI_CUDA_LABEL_WRITE, &p), p.tiles, THREADS,
         nodes * (p.wide ? sizeof(int64_t) : sizeof(int32_t)) + ids},
    };
    /* A warp has 32 elements of a border. */
    const int64_t south = ((int64_t)p.tiles_y - 1) * p.tiles_w * STRIPS, east = p.tiles_y * ((int64_t)p.tiles_w - 1);
    const label_launch cross[] = {
        {gndi_cuda_label_cross_local_kernel(p.size), p.tiles, STRIPS * 32, 0},
        {gndi_cuda_label_cross_kernel(GNDI_CUDA_LABEL_ACROSS), gndi_ceil_div(south + east, STRIPS), STRIPS * 32, 0},
        {count, chunks, THREADS, 0},
        {gndi_cuda_label_cross_kernel(GNDI_CUDA_LABEL_WRITE), p.tiles, STRIPS * 32, 0},
    };
    gnd_status status = GND_OK;
    for (size_t k = 0; k < sizeof usual / sizeof *usual && status == GND_OK; k++) {
        const label_launch *one = p.cross ? &cross[k] : &usual[k];
        if (one->blocks > 0)
            status = gndi_cuda_launch_early(s, one->kernel, one->blocks, one->threads, one->shared, &p, fn);
    }
    return status;
}

/* Divides the memory of a block, of which a processor has four, or two of moments in rows, whose warps take more of it:
   slots for each number, and warps with these. Its bytes are never so few that one more would fit: blocks that start
   early would crowd on the processors that are free. */
static size_t divide_block(const gndi_device *d, gndi_cuda_label_sums_params *p, int64_t columns) {
    enum { OWN = 1152 };                              /* what a block has besides */
    enum { MOST_SLOTS = GNDI_CUDA_LABEL_MOST_SLOTS }; /* of 8. With one, lanes look for those of the same group. */
    const int64_t groups = p->plan.groups, bytes_of_table = (int64_t)sizeof(int32_t) << p->table_bits;
    const int64_t of_rows =
        2 * (int64_t)sizeof(double) * ((groups + 1) << MOST_SLOTS) + groups * (int64_t)sizeof(double);
    p->rows = p->rows && 2 * of_rows <= d->shared_bytes / 2 - OWN - bytes_of_table;
    const int64_t blocks = p->rows ? 2 : 4, of_slots = (groups + 1) * columns * (int64_t)sizeof(double);
    const int64_t others = bytes_of_table + (p->plan.centres ? groups + 1 : 0) * (int64_t)sizeof(double);
    const int64_t rest = d->shared_bytes / blocks - OWN - others;
    p->log_slots = p->rows || 2 * (of_slots << MOST_SLOTS) <= rest ? MOST_SLOTS : 0;
    const int64_t of_warp = p->rows ? of_rows : of_slots << p->log_slots;
    p->warps = (int)gndi_max(1, gndi_min(rest / of_warp, GNDI_CUDA_LABEL_WARPS));
    p->plan.parts = gndi_min(p->plan.parts, blocks * d->processors);
    return (size_t)gndi_max(of_warp * p->warps + others, d->shared_bytes / (blocks + 1));
}

static const void *sums_kernel(const gndi_cuda_label_sums_params *p, bool joins) {
    if (p->plan.label_dtype == GND_INT64)
        return p->plan.x_dtype == GND_FLOAT64 ? gndi_cuda_label_sums_doubles_wide(p, joins)
                                              : gndi_cuda_label_sums_floats_wide(p, joins);
    return p->plan.x_dtype == GND_FLOAT64 ? gndi_cuda_label_sums_doubles(p, joins)
                                          : gndi_cuda_label_sums_floats(p, joins);
}

gnd_status gndi_cuda_label_sums(gnd_stream *s, const gndi_label_sums_plan *plan, const char *fn) {
    gndi_cuda_label_sums_params p = {.plan = *plan};
    const int64_t columns = 1 + p.plan.counts + p.plan.axes, numbers = p.plan.groups * columns;
    for (p.table_bits = 1; ((int64_t)1 << p.table_bits) < 2 * p.plan.groups;) p.table_bits++;
    p.narrow = plan->n < INT32_MAX;
    for (int k = 0; k < p.plan.axes; k++) {
        const int64_t inner = p.plan.inner[k], extent = p.plan.extent[k];
        const bool same = inner % GNDI_CUDA_LABEL_LANE == 0, next = inner == 1 && extent % GNDI_CUDA_LABEL_LANE == 0;
        p.step[k] = p.narrow && (same || next) ? next : -1;
        if (p.narrow) p.inner[k] = gndi_cuda_divide_by(inner), p.extent[k] = gndi_cuda_divide_by(extent);
    }
    const bool aligned = (((uintptr_t)plan->x | (uintptr_t)plan->labels) & 15) == 0;
    p.rows = aligned && p.narrow && p.plan.axes == 2 && p.plan.inner[0] >= GNDI_CUDA_LABEL_ROW &&
             p.plan.inner[0] % (32 * GNDI_CUDA_LABEL_LANE) == 0;
    const size_t bytes = divide_block(s->device, &p, columns);
    const gnd_status status =
        gndi_cuda_launch_early(s, sums_kernel(&p, false), p.plan.parts, p.warps * 32, bytes, &p, fn);
    if (status != GND_OK) return status;
    return gndi_cuda_launch_early(s, sums_kernel(&p, true), gndi_ceil_div(numbers, 32), 1024, 0, &p, fn);
}

gnd_status gndi_cuda_label_extremes(gnd_stream *s, const gndi_label_extremes_plan *plan, const char *fn) {
    gndi_cuda_label_extremes_params p = {.plan = *plan};
    enum { THREADS_EACH = GNDI_CUDA_LABEL_EXTREMES_THREADS };
    const bool held = plan->groups <= GNDI_CUDA_LABEL_EXTREMES_HELD;
    const int64_t groups = gndi_ceil_div(plan->groups, THREADS_EACH);
    const int64_t entries = plan->index ? gndi_ceil_div((int64_t)1 << plan->bits, THREADS_EACH) : groups;
    const int64_t each = (int64_t)THREADS_EACH * GNDI_CUDA_LABEL_EXTREMES_EACH;
    const int64_t parts = gndi_max(gndi_ceil_div(plan->n, each), 1);
    const size_t bytes = held ? (size_t)plan->groups * 2 * sizeof(uint64_t) : 0;
    const struct {
        gndi_cuda_label_extremes_step step;
        bool needed;
        int64_t blocks;
        size_t shared;
    } steps[] = {
        {GNDI_CUDA_LABEL_EXTREMES_CLEAR, true, entries, 0},
        {GNDI_CUDA_LABEL_EXTREMES_HASH, plan->index != NULL, groups, 0},
        {GNDI_CUDA_LABEL_EXTREMES_KEYS, true, parts, bytes},
        {GNDI_CUDA_LABEL_EXTREMES_POSITIONS, plan->at != NULL, parts, bytes},
        {GNDI_CUDA_LABEL_EXTREMES_WRITE, true, groups, 0},
    };
    gnd_status status = GND_OK;
    for (size_t k = 0; k < sizeof steps / sizeof *steps && status == GND_OK; k++)
        if (steps[k].needed)
            status = gndi_cuda_launch(s, gndi_cuda_label_extremes_kernel(steps[k].step, &p.plan, held), steps[k].blocks,
                                      THREADS_EACH, steps[k].shared, &p, fn);
    return status;
}
