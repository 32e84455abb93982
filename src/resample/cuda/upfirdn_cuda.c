/*
 * upfirdn_cuda.c: polyphase filters on CUDA: which kernel, and how much of a line a block takes at a time. The
 * kernel is a matter of the filter and the dtype alone: each adds up in its own order, and chunks of a line must
 * give the bits of the whole.
 */
#include "resample/upfirdn_plan.h"
#include "resample/cuda/upfirdn_params.h"
#include "runtime/cuda/runtime_cuda.h"

/* upfirdn_kernels.cu */
const void *gndi_cuda_upfirdn_floats(bool complex_taps, int which);
const void *gndi_cuda_upfirdn_doubles(bool complex_taps, int which);
const void *gndi_cuda_upfirdn_complex_floats(bool complex_taps, int which);
const void *gndi_cuda_upfirdn_complex_doubles(bool complex_taps, int which);
const void *gndi_cuda_ratio_kernel(bool wide); /* ratio_kernels.cu */

enum {
    WARP = 32,
    SHARED_MOST = 64 << 10, /* bytes of a block */
    SHARED_GOOD = 40 << 10, /* so that several blocks fit a processor */
    TABLE_MOST = 32 << 10,  /* taps in shared memory, for the kernel of phases */
};

/* What does not depend on the kernel. */
static gndi_upfirdn_params common(const gndi_upfirdn_plan *plan) {
    gndi_upfirdn_params p = {.x = plan->x,
                             .h = plan->h,
                             .out = plan->out,
                             .h_step = plan->h_step,
                             .offset = plan->offset,
                             .taps = plan->taps,
                             .length = plan->length,
                             .x_first = plan->x_first,
                             .count = plan->count,
                             .out_first = plan->out_first,
                             .first_period = plan->out_first / plan->up,
                             .first_base = plan->offset / plan->up,
                             .first_phase = (int)(plan->offset % plan->up),
                             .cval = {plan->cval[0], plan->cval[1]},
                             .scale = plan->scale,
                             .up = (int)plan->up,
                             .down = (int)plan->down,
                             .phase_taps = gndi_ceil_div(plan->taps, plan->up),
                             .grid = plan->grid,
                             .border = plan->border};
    return p;
}

/* Periods of a line that have outputs. */
static int64_t periods_of(const gndi_upfirdn_plan *plan) {
    return (plan->out_first + plan->count - 1) / plan->up - plan->out_first / plan->up + 1;
}

/* How well `items` of equal size fill the block's `slots`. */
static double filled(int64_t items, int64_t slots) {
    return (double)items / (double)(gndi_ceil_div(items, slots) * slots);
}

/* The layout of shared memory for tiles of so many periods, with one buffer of elements or two; its bytes. */
static int64_t lay_windows(gndi_upfirdn_params *p, int64_t periods, int buffers, int64_t item, int64_t tap) {
    const int64_t vectors = (periods + p->row_taps) * item / 16, outputs = periods * p->up;
    p->periods = (int)periods, p->buffers = buffers;
    p->row_vectors = (int)(vectors + vectors / 8 + 1);
    p->table_bytes = gndi_ceil_div((int64_t)p->up * p->down * p->row_taps * tap, 16) * 16;
    p->elements_bytes = p->row_vectors * p->down * 16;
    return p->table_bytes + buffers * (int64_t)p->elements_bytes + (outputs + outputs / (128 / item) + 1) * item;
}

/* The chunks of a tile of windows, of so many periods each, that fill a block's warps best within `good` bytes. */
static int64_t choose_chunks(const gnd_stream *s, const gndi_upfirdn_plan *plan, gndi_upfirdn_params *p, int64_t chunk,
                             int buffers, int64_t good, int64_t tap) {
    enum { CHUNKS = 8, WARPS = GNDI_UPFIRDN_THREADS / WARP };
    int64_t best = 1;
    for (int64_t chunks = 2; chunks <= CHUNKS; chunks++) {
        const int64_t tiles = gndi_ceil_div(periods_of(plan), chunks * chunk) * plan->grid.lines;
        if (lay_windows(p, chunks * chunk, buffers, gndi_dtype_sizes[plan->dtype], tap) > good ||
            tiles < s->device->processors)
            break;
        if (filled(chunks * plan->up, WARPS) > filled(best * plan->up, WARPS)) best = chunks;
    }
    return best;
}

/* Windows, for many taps beside few residues; the bytes of shared memory, or 0 if they are not for this filter. Large
   ones and two buffers, if that keeps enough of the warps busy. */
static int64_t plan_windows(const gnd_stream *s, const gndi_upfirdn_plan *plan, gndi_upfirdn_params *p, int64_t tap,
                            int *which) {
    enum { LONGEST = 1 << 12, WARPS = GNDI_UPFIRDN_THREADS / WARP };
    const int64_t item = gndi_dtype_sizes[plan->dtype], lanes = 16 / item, small = WARP * 2 * lanes, large = 2 * small;
    const int64_t good = s->device->shared_bytes / 3 - 1024; /* so that three blocks fit a processor */
    if (plan->up > LONGEST || plan->down > LONGEST || p->phase_taps > LONGEST || p->phase_taps < 2 * plan->down)
        return 0;
    /* Tap base(q) - residue + (a - ahead) * down: one period more than the taps fill, and another if a base is down. */
    p->ahead = (plan->up - 1) * plan->down + p->first_phase >= plan->up * plan->down;
    p->row_taps = (int)(gndi_ceil_div(gndi_ceil_div(p->phase_taps + plan->down, plan->down) + p->ahead, lanes) * lanes);
    if (lay_windows(p, small, 1, item, tap) > SHARED_MOST) return 0;
    const int64_t many = choose_chunks(s, plan, p, small, 1, SHARED_GOOD, tap);
    if (lay_windows(p, large, 2, item, tap) <= good) {
        const int64_t few = choose_chunks(s, plan, p, large, 2, good, tap);
        *which = GNDI_UPFIRDN_WINDOWS;
        if (filled(few * plan->up, WARPS) * 1.3 >= filled(many * plan->up, WARPS))
            return lay_windows(p, few * large, 2, item, tap);
    }
    *which = GNDI_UPFIRDN_SMALL_WINDOWS;
    return lay_windows(p, many * small, 1, item, tap);
}

/* Groups of phases, for few taps of each of many: spread over few elements, so that few products are none. Tiles of
   which two blocks fit a processor. */
static int64_t plan_groups(const gnd_stream *s, const gndi_upfirdn_plan *plan, gndi_upfirdn_params *p, int64_t tap) {
    enum { Q = GNDI_UPFIRDN_TOGETHER, LEAST = 4 * Q, LONGEST = 1 << 12, GAP_SHIFT = 5 /* a warp's width */ };
    const int64_t item = gndi_dtype_sizes[plan->dtype], periods = GNDI_UPFIRDN_GROUP_PERIODS(item);
    if (plan->up < LEAST || plan->up > LONGEST || plan->down > LONGEST || p->phase_taps > LONGEST) return 0;
    p->spread = (int)((int64_t)(Q - 1) * plan->down / plan->up + 1);
    if (p->spread * 4 > p->phase_taps || p->spread > UINT8_MAX) return 0;
    p->periods = (int)periods;
    p->groups = (int)gndi_ceil_div(plan->up, Q);
    p->gap_shift = plan->down % 2 ? GNDI_UPFIRDN_NO_GAPS : GAP_SHIFT;
    const int64_t span = ((plan->up - 1) * plan->down + p->first_phase) / plan->up;
    p->elements = (int)((periods - 1) * plan->down + span + p->spread + p->phase_taps);
    p->table_bytes = gndi_ceil_div(p->groups * (p->phase_taps + p->spread) * Q * tap, 16) * 16;
    p->elements_bytes = (int)(gndi_ceil_div((p->elements + (p->elements >> p->gap_shift) + 1) * item, 16) * 16);
    const int64_t outputs = periods * (p->groups * Q + 1);
    const int64_t shared = p->table_bytes + (p->groups + 1) * 8 + p->elements_bytes + outputs * item;
    return shared <= s->device->shared_bytes / 2 - 1024 ? shared : 0;
}

static int64_t lay_phases(gndi_upfirdn_params *p, int64_t groups, int64_t item) {
    const int64_t periods = groups * GNDI_UPFIRDN_OUTPUTS;
    const int64_t span = ((int64_t)(p->up - 1) * p->down + p->first_phase) / p->up; /* base of the last phase */
    const int64_t elements = (periods - 1) * p->down + span + p->phase_taps;
    p->periods = (int)periods;
    p->elements = (int)elements;
    p->elements_bytes = (int)(gndi_ceil_div(elements * item, 16) * 16);
    return p->elements_bytes + (p->table_bytes <= TABLE_MOST ? p->table_bytes : 0);
}

static int64_t plan_phases(const gnd_stream *s, const gndi_upfirdn_plan *plan, gndi_upfirdn_params *p, int64_t tap) {
    enum { LONGEST = 1 << 14, GROUPS = 256 };
    const int64_t item = gndi_dtype_sizes[plan->dtype];
    if (plan->up > LONGEST || plan->down > LONGEST || p->phase_taps > LONGEST) return 0;
    p->table_bytes = plan->up * p->phase_taps * tap;
    int64_t best = 1;
    if (lay_phases(p, 1, item) > SHARED_MOST) return 0;
    for (int64_t groups = 2; groups <= GROUPS; groups++) {
        const int64_t tiles = gndi_ceil_div(periods_of(plan), groups * GNDI_UPFIRDN_OUTPUTS) * plan->grid.lines;
        if (lay_phases(p, groups, item) > SHARED_GOOD || tiles < s->device->processors) break;
        if (filled(groups * plan->up, GNDI_UPFIRDN_THREADS) >= filled(best * plan->up, GNDI_UPFIRDN_THREADS))
            best = groups;
    }
    return lay_phases(p, best, item);
}

/* As many blocks as run at once, each of which goes through several units. */
static int64_t blocks_of(const gnd_stream *s, const void *kernel, int threads, int64_t units, int64_t shared) {
    int each = 0;
    if (units <= s->device->processors) return units; /* the question costs as much as a launch */
    gndi_cuda_use(kernel);
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, (size_t)shared) || each < 1) {
        cudaGetLastError();
        each = 1;
    }
    return gndi_min(units, (int64_t)each * s->device->processors);
}

static const void *kernel_of(const gndi_upfirdn_plan *plan, int which) {
    const bool complex_taps = gndi_dtype_is_complex(plan->taps_dtype);
    if (which == GNDI_UPFIRDN_RATIO) return gndi_cuda_ratio_kernel(plan->dtype == GND_FLOAT64);
    switch ((int)plan->dtype) {
    case GND_FLOAT32: return gndi_cuda_upfirdn_floats(complex_taps, which);
    case GND_FLOAT64: return gndi_cuda_upfirdn_doubles(complex_taps, which);
    case GND_COMPLEX64: return gndi_cuda_upfirdn_complex_floats(complex_taps, which);
    default: return gndi_cuda_upfirdn_complex_doubles(complex_taps, which);
    }
}

/* The taps of all phases side by side, in memory. */
static gnd_status make_table(gnd_stream *s, const gndi_upfirdn_plan *plan, gndi_upfirdn_params *p, gndi_buffer **made,
                             const char *fn) {
    *made = gndi_buffer_new(fn, s, (size_t)p->table_bytes);
    if (!*made) return GND_ERROR_MEMORY;
    p->table = (*made)->base;
    return gndi_cuda_launch(s, kernel_of(plan, GNDI_UPFIRDN_TABLE),
                            gndi_ceil_div(plan->up * p->phase_taps, GNDI_UPFIRDN_THREADS), GNDI_UPFIRDN_THREADS, 0, p,
                            fn);
}

/* Bytes of shared memory where there is a kernel for the ratio of the rates, for enough tiles, and the device has bulk
   copies; else 0. Sums are those of windows. */
static int64_t plan_ratio(const gnd_stream *s, const gndi_upfirdn_plan *plan, gndi_upfirdn_params *p) {
    enum { SINCE = 90, WARPS = GNDI_UPFIRDN_THREADS / WARP };
    const bool wide = plan->dtype == GND_FLOAT64,
               by = wide ? plan->up == 2 && plan->down == 1 : plan->up == 3 && plan->down == 2;
    const int64_t item = wide ? 8 : 4, resident = GNDI_RATIO_RESIDENT(item);
    const int64_t elements = (GNDI_RATIO_PERIODS + p->row_taps) * plan->down, outputs = GNDI_RATIO_PERIODS * plan->up;
    const int64_t shared = (plan->up * plan->down * p->row_taps + WARPS * (2 * elements + outputs)) * item;
    const int64_t units = gndi_ceil_div(periods_of(plan), GNDI_RATIO_PERIODS) * plan->grid.lines;
    struct cudaFuncAttributes own;
    if (!by || !(wide || plan->dtype == GND_FLOAT32) || plan->taps_dtype != plan->dtype ||
        units < (int64_t)s->device->processors * resident * WARPS || shared > s->device->shared_bytes / resident - 1024)
        return 0;
    gndi_cuda_use(gndi_cuda_ratio_kernel(wide));
    if (cudaFuncGetAttributes(&own, gndi_cuda_ratio_kernel(wide))) return cudaGetLastError(), 0;
    if (own.ptxVersion < SINCE) return 0;
    p->periods = GNDI_RATIO_PERIODS;
    return shared;
}

gnd_status gndi_cuda_upfirdn(gnd_stream *s, const gndi_upfirdn_plan *plan, const char *fn) {
    const int64_t tap = gndi_dtype_sizes[plan->taps_dtype];
    gndi_upfirdn_params p = common(plan);
    gndi_buffer *table = NULL;
    gnd_status status = GND_OK;
    int which = GNDI_UPFIRDN_WINDOWS;
    int64_t shared = plan_windows(s, plan, &p, tap, &which);
    const int64_t ratio = shared ? plan_ratio(s, plan, &p) : 0;
    if (ratio) which = GNDI_UPFIRDN_RATIO, shared = ratio;
    if (shared == 0) which = GNDI_UPFIRDN_GROUPS, shared = plan_groups(s, plan, &p, tap);
    if (shared == 0) which = GNDI_UPFIRDN_PHASES, shared = plan_phases(s, plan, &p, tap);
    if (shared == 0) which = GNDI_UPFIRDN_WARPS, p.periods = 1;
    const void *kernel = kernel_of(plan, which);
    const int threads = which == GNDI_UPFIRDN_GROUPS ? GNDI_UPFIRDN_GROUP_THREADS : GNDI_UPFIRDN_THREADS;
    p.tiles = gndi_ceil_div(periods_of(plan), p.periods);
    const int64_t units = which == GNDI_UPFIRDN_WARPS
                              ? gndi_ceil_div(plan->grid.lines * plan->count, GNDI_UPFIRDN_THREADS / WARP)
                              : plan->grid.lines * p.tiles;
    if (which == GNDI_UPFIRDN_PHASES && p.table_bytes > TABLE_MOST) status = make_table(s, plan, &p, &table, fn);
    if (!status && plan->joins) { /* behind all that may fail; by windows and groups, if a block has a line */
        p.chunk = plan->chunk;
        p.joins = which < GNDI_UPFIRDN_PHASES && p.tiles == 1 && units <= s->device->processors;
        if (!p.joins) status = gndi_cuda_chunk(s, &plan->chunk, fn);
    }
    if (!status)
        status = gndi_cuda_launch_early(s, kernel, blocks_of(s, kernel, threads, units, shared), threads,
                                        (size_t)shared, &p, fn);
    if (table) gndi_buffer_release(table);
    return status;
}
