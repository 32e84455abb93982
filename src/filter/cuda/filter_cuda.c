/*
 * filter_cuda.c: recursive filters on CUDA: tiles of all lines in one launch, or a thread for each line where there
 * are many lines, short ones, or powers that overflow. A cascade of more than eight sections takes several launches,
 * each of which filters what the one before wrote.
 */
#include "filter/filter_plan.h"
#include "filter/cuda/filter_tables.h"
#include "runtime/cuda/runtime_cuda.h"
#include <math.h>

const void *gndi_cuda_filter_float(int which, int states); /* filter_float.cu */
const void *gndi_cuda_sections_float(int which, int sections);
const void *gndi_cuda_filter_double(int which, int states); /* filter_double.cu */
const void *gndi_cuda_sections_double(int which, int sections);

enum { TILES, KEEP, SERIAL, SERIAL_LONG, SERIAL_PAIRS, BEGIN, CLEAR };
enum {
    MANY_LINES = 1 << 14, /* fill the card with a thread for each */
    SHORT_LINE = 256,     /* samples: not worth a tile */
    FEW_BYTES = 1 << 20,  /* zeros that a kernel writes */
};
static const double HUGE_POWER = 1e7; /* of a state, in coordinates where those of stable filters are at most 1 */

typedef struct launch {
    gnd_stream *s;
    const gndi_filter_plan *plan;
    const char *fn;
    gndi_filter_layout at;
    bool wide;
    int first;           /* section */
    int64_t kept_before; /* states of the parts before this one, with padding */
} launch;

static const void *kernel_of(const launch *l, int which, const gndi_filter_part *part) {
    if (part && part->sections > 1 && which != KEEP)
        return (l->wide ? gndi_cuda_sections_double : gndi_cuda_sections_float)(which, part->sections);
    return (l->wide ? gndi_cuda_filter_double : gndi_cuda_filter_float)(which, part ? part->states : 0);
}

/* ---- parts ---------------------------------------------------------------------------------- */

static gndi_filter_part cascade_part(const gndi_filter_system *system, int first) {
    const int own = (int)gndi_min(8, system->sections - first);
    gndi_filter_part part = {.sections = gndi_filter_sections_padded(own), .own = 2 * own};
    part.states = 2 * part.sections;
    memcpy(part.numbers, system->b + 5 * first, (size_t)own * 5 * sizeof(double));
    for (int i = own; i < part.sections; i++) part.numbers[5 * i] = 1;
    return part;
}

static gndi_filter_part direct_part(const gndi_filter_system *system) {
    gndi_filter_part part = {.states = gndi_filter_states_padded(system->order), .own = system->order};
    memcpy(part.numbers, system->b, (size_t)(system->order + 1) * sizeof(double));
    memcpy(part.numbers + part.states + 1, system->a + 1, (size_t)system->order * sizeof(double));
    return part;
}

/* ---- a thread for each line ----------------------------------------------------------------- */

static gnd_status launch_serial(const launch *l, const gndi_filter_part *part) {
    const gndi_filter_plan *plan = l->plan;
    gndi_serial_params p = {.at = l->at,
                            .state = plan->state ? plan->state + 2 * l->first * l->at.parts : NULL,
                            .state_line = (int64_t)plan->system.order * l->at.parts,
                            .states = part->own,
                            .begins = plan->begins};
    memcpy(p.numbers, part->numbers, sizeof p.numbers);
    return gndi_cuda_launch(l->s, kernel_of(l, SERIAL, part), gndi_ceil_div(p.at.lines, GNDI_SERIAL_THREADS),
                            GNDI_SERIAL_THREADS, 0, &p, l->fn);
}

/* Orders that registers do not hold, and complex coefficients: coefficients and states in memory. */
static gnd_status launch_long(const launch *l) {
    const gndi_filter_plan *plan = l->plan;
    const int64_t order = plan->system.order, numbers = (order + 1) * (plan->system.is_complex ? 2 : 1);
    const int64_t states = plan->state ? 0 : order * l->at.lines;
    const size_t bytes = (size_t)numbers * sizeof(double);
    gndi_buffer *memory = gndi_buffer_new(l->fn, l->s, 2 * bytes + (size_t)states * sizeof(double));
    if (!memory) return GND_ERROR_MEMORY;
    double *b = memory->base, *a = b + numbers;
    gndi_serial_params p = {.at = l->at,
                            .state = plan->state ? plan->state : a + numbers,
                            .b = b,
                            .a = a,
                            .order = (int32_t)order,
                            .state_line = order * l->at.parts,
                            .begins = plan->begins};
    const gndi_backend *backend = l->s->device->backend;
    gnd_status status = backend->copy_in(l->s, b, plan->system.b, bytes, false, l->fn);
    if (!status) status = backend->copy_in(l->s, a, plan->system.a, bytes, false, l->fn);
    const int which = plan->system.is_complex ? SERIAL_PAIRS : SERIAL_LONG;
    const int64_t threads = plan->system.is_complex ? p.at.lines / 2 : p.at.lines;
    if (!status)
        status = gndi_cuda_launch(l->s, kernel_of(l, which, NULL), gndi_ceil_div(threads, GNDI_SERIAL_THREADS),
                                  GNDI_SERIAL_THREADS, 0, &p, l->fn);
    gndi_buffer_release(memory);
    return status;
}

/* ---- tiles ---------------------------------------------------------------------------------- */

/* Whether the powers that so many tiles need are harmless. A stream may become as long as it likes. */
static bool are_harmless(const launch *l, const gndi_filter_sizes *sizes) {
    const int64_t tiles = gndi_ceil_div(l->at.length, GNDI_FILTER_TILE);
    double largest = sizes->tile;
    if (tiles > 1 || l->plan->history) largest = fmax(largest, sizes->group);
    if (tiles > GNDI_FILTER_GROUP || l->plan->history) largest = fmax(largest, sizes->groups);
    return largest <= HUGE_POWER;
}

/* Where the stream's kept memory of this part is. */
static void find_history(const launch *l, gndi_filter_params *p) {
    const gndi_filter_history *history = l->plan->history;
    const int64_t kernel = l->kept_before / 16;
    p->clock = history->clocks + kernel;
    p->kept = history->ends + l->kept_before * GNDI_FILTER_KEPT * l->at.lines;
    p->samples = history->samples + kernel * GNDI_FILTER_TILE * l->at.lines * (l->wide ? 8 : 4);
}

static gnd_status launch_begin(const launch *l, const gndi_filter_part *part, gndi_filter_params *p) {
    find_history(l, p);
    p->before = l->plan->state + 2 * l->first * l->at.parts;
    return gndi_cuda_launch(l->s, kernel_of(l, BEGIN, part), gndi_ceil_div(l->at.lines, GNDI_FILTER_THREADS),
                            GNDI_FILTER_THREADS, 0, p, l->fn);
}

/* Zeros, of a multiple of 16 bytes. */
static gnd_status clear(const launch *l, void *to, int64_t bytes) {
    if (bytes > FEW_BYTES) return l->s->device->backend->set_zero(l->s, to, (size_t)bytes, l->fn);
    gndi_filter_clear_params p = {.to = to, .pairs = bytes / 16};
    return gndi_cuda_launch_early(l->s, kernel_of(l, CLEAR, NULL), gndi_ceil_div(p.pairs, GNDI_FILTER_THREADS),
                                  GNDI_FILTER_THREADS, 0, &p, l->fn);
}

static gnd_status launch_tiles(const launch *l, const gndi_filter_part *part, const double *tables) {
    const gndi_filter_plan *plan = l->plan;
    const int64_t n = part->states, lines = l->at.lines;
    gndi_filter_params p = {.at = l->at,
                            .tables = tables,
                            .state_line = (int64_t)plan->system.order * l->at.parts,
                            .states = part->own,
                            .kernel_states = part->states};
    memcpy(p.numbers, part->numbers, sizeof p.numbers);
    if (plan->history && l->at.length == 0) return launch_begin(l, part, &p);
    /* A stream may be anywhere in its tile, and its tile anywhere in its group. */
    p.tiles = gndi_ceil_div(l->at.length + (plan->history ? GNDI_FILTER_TILE - 1 : 0), GNDI_FILTER_TILE);
    p.groups = gndi_ceil_div(p.tiles + (plan->history ? GNDI_FILTER_GROUP - 1 : 0), GNDI_FILTER_GROUP);
    if (plan->history) find_history(l, &p);
    const int64_t vectors = lines * (p.tiles + 2 * p.groups + 1), zero_bytes = GNDI_FILTER_TICKETS + vectors * n * 8;
    const int64_t state_bytes = plan->begins && !plan->history ? lines * plan->system.order * 8 : 0;
    const bool is_short = plan->history && plan->history->workspace && p.tiles <= GNDI_FILTER_FEW_TILES;
    p.keeps = is_short;
    _Static_assert((int)GNDI_FILTER_KEPT == (int)GNDI_FILTER_KEPT_VECTORS, "what a stream keeps");
    gndi_buffer *memory = is_short ? NULL : gndi_buffer_new(l->fn, l->s, (size_t)(zero_bytes + state_bytes));
    if (!is_short && !memory) return GND_ERROR_MEMORY;
    const gndi_backend *backend = l->s->device->backend;
    char *base = is_short ? plan->history->workspace : memory->base;
    p.ticket = (uint32_t *)(void *)base;
    p.ends = (double *)(void *)(base + GNDI_FILTER_TICKETS);
    p.group_ends = p.ends + lines * p.tiles * n;
    p.starts = p.group_ends + lines * p.groups * n;
    double *before = p.starts + lines * (p.groups + 1) * n;
    gnd_status status = is_short ? GND_OK : clear(l, p.ticket, zero_bytes);
    if (!status && state_bytes) { /* the states behind come into the same memory */
        status = backend->copy_within(l->s, before, plan->state, (size_t)state_bytes, l->fn);
        p.before = before + 2 * l->first * l->at.parts;
    }
    if (plan->state) p.after = plan->state + 2 * l->first * l->at.parts;
    if (!status)
        status = gndi_cuda_launch_early(l->s, kernel_of(l, TILES, part), is_short ? lines : lines * p.tiles,
                                        GNDI_FILTER_THREADS, 0, &p, l->fn);
    if (!status && plan->history && !is_short)
        status = gndi_cuda_launch_early(l->s, kernel_of(l, KEEP, part), lines, GNDI_FILTER_THREADS, 0, &p, l->fn);
    if (memory) gndi_buffer_release(memory);
    return status;
}

static gnd_status launch_part(const launch *l, const gndi_filter_part *part) {
    gndi_filter_sizes sizes;
    const bool stream = l->plan->history != NULL;
    bool tiles = l->at.lines < MANY_LINES && (stream || l->at.length > SHORT_LINE);
    gndi_buffer *tables = NULL;
    gnd_status status = GND_OK;
    if (tiles) {
        tables = gndi_filter_tables_on(l->s, part, &sizes, l->fn);
        if (!tables) return GND_ERROR_MEMORY;
        tiles = are_harmless(l, &sizes);
    }
    if (tiles)
        status = launch_tiles(l, part, tables->base);
    else if (l->at.length > 0)
        status = launch_serial(l, part);
    if (tables) gndi_buffer_release(tables);
    return status;
}

/* ---- the backend's function ----------------------------------------------------------------- */

gndi_filter_layout gndi_filter_layout_of(const gndi_filter_lines *lines, int dtype) {
    const int parts = gndi_dtype_is_complex(dtype) ? 2 : 1;
    gndi_filter_layout at = {.x = lines->x,
                             .y = lines->y,
                             .x_step = lines->x_step,
                             .y_step = lines->y_step,
                             .length = lines->length,
                             .lines = lines->count * parts,
                             .ndim = lines->ndim,
                             .parts = parts,
                             .y_first = lines->y_first,
                             .y_every = gndi_max(1, lines->y_every)};
    _Static_assert((int)GNDI_FILTER_AXES == (int)GNDI_FILTER_DIMS, "axes of a layout");
    memcpy(at.shape, lines->shape, sizeof at.shape);
    memcpy(at.x_stride, lines->x_stride, sizeof at.x_stride);
    memcpy(at.y_stride, lines->y_stride, sizeof at.y_stride);
    return at;
}

/* A part of a stream keeps samples that it read, so that it must not write over them: parts write to y and to other
   memory by turns. */
static void write_to(launch *l, const gndi_filter_layout *given, char *between) {
    const int64_t item = gndi_dtype_sizes[l->plan->dtype];
    l->at.y = given->y, l->at.y_step = given->y_step;
    memcpy(l->at.y_stride, given->y_stride, sizeof given->y_stride);
    if (!between) return;
    int64_t stride = item * l->at.length;
    l->at.y = between, l->at.y_step = item;
    for (int d = l->at.ndim - 1; d >= 0; d--) {
        l->at.y_stride[d] = stride;
        stride *= l->at.shape[d];
    }
}

gnd_status gndi_cuda_filter(gnd_stream *s, const gndi_filter_plan *plan, const char *fn) {
    const gndi_filter_system *system = &plan->system;
    launch l = {.s = s,
                .plan = plan,
                .fn = fn,
                .at = gndi_filter_layout_of(&plan->lines, plan->dtype),
                .wide = plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128};
    if (system->is_complex || (!system->sections && system->order > GNDI_FILTER_MOST))
        return plan->lines.length > 0 ? launch_long(&l) : GND_OK;
    if (!system->sections) {
        const gndi_filter_part part = direct_part(system);
        return launch_part(&l, &part);
    }
    gnd_status status = GND_OK;
    gndi_buffer *between = NULL;
    if (plan->history && system->sections > 8) {
        between =
            gndi_buffer_new(fn, s, (size_t)(plan->lines.count * plan->lines.length * gndi_dtype_sizes[plan->dtype]));
        if (!between) return GND_ERROR_MEMORY;
    }
    const gndi_filter_layout given = l.at;
    for (; l.first < system->sections && !status; l.first += 8) {
        const gndi_filter_part part = cascade_part(system, l.first);
        if (between) write_to(&l, &given, (system->sections - 1 - l.first) / 8 % 2 ? between->base : NULL);
        status = launch_part(&l, &part);
        l.kept_before += part.states;
        l.at.x = l.at.y, l.at.x_step = l.at.y_step;
        memcpy(l.at.x_stride, l.at.y_stride, sizeof l.at.x_stride);
    }
    if (between) gndi_buffer_release(between);
    return status;
}
