/*
 * segments_cpu.c: the CPU's reduceat. Work is shared by segments, tiles of columns, and, where
 * elements may be regrouped, pieces of long segments: always the same pieces.
 */
#include "kernels/cpu/indices.h"
#include "reduce/cpu/operator_fold.h"
#include "ufunc/cpu/segments_cpu.h"
#include "runtime/hooks.h"
#include <stdlib.h>

enum { PIECE = 1 << 16, GRAIN = 1 << 15 };

typedef struct segments {
    fold_job fold;
    const gndi_segment_plan *plan;
    gnd_stream *stream;
    bool by_rows;
    int64_t width, tile, across, tiles; /* of the columns */
    int64_t piece;                      /* elements along the axis */
    int64_t *first_piece;               /* of each segment, and the number of all of them */
    char *partials;                     /* [piece][column]; NULL: a piece is a segment */
} segments;

static int64_t index_at(const gndi_segment_plan *p, int64_t i) {
    return gndi_read_index(p->index.data + i * p->index.step, p->index.dtype);
}

bool gndi_segment_extent(const gndi_segment_plan *p, int64_t i, int64_t *begin, int64_t *end) {
    const int64_t length = p->length, from = index_at(p, i);
    const int64_t next = i + 1 < p->segments ? index_at(p, i + 1) : length;
    *begin = from;
    *end = next <= from ? from + 1 : next < length ? next : length;
    return from >= 0 && from < length;
}

static int64_t tile_begin(const segments *g, int64_t tile, int64_t *columns) {
    const int64_t first = tile % g->across * g->tile;
    *columns = g->width - first < g->tile ? g->width - first : g->tile;
    return tile / g->across * g->width + first;
}

static void fold_elements(segments *g, int64_t begin, int64_t end, int64_t column, int64_t columns, char *acc) {
    const gndi_segment_plan *p = g->plan;
    const char *in = p->in.data + gndi_fold_offset(column, p->ndim, p->shape, p->in.stride);
    bool started = false;
    if (!g->by_rows) {
        gndi_fold_line(&g->fold, acc, &started, in + begin * p->in.step, p->in.step, end - begin, NULL, 0);
        return;
    }
    for (int64_t j = begin; j < end; j++)
        gndi_fold_row(&g->fold, acc, j == begin, in + j * p->in.step, p->in.stride[p->ndim - 1], columns);
}

static void store(const segments *g, int64_t segment, int64_t column, int64_t columns, const char *acc) {
    const gndi_segment_plan *p = g->plan;
    char *out = p->out.data + segment * p->out.step + gndi_fold_offset(column, p->ndim, p->shape, p->out.stride);
    gndi_fold_store(&g->fold, acc, out, p->ndim ? p->out.stride[p->ndim - 1] : 0, columns);
}

/* Which segment a piece belongs to. */
static int64_t segment_of(const segments *g, int64_t piece) {
    int64_t low = 0, high = g->plan->segments;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (g->first_piece[middle] <= piece)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Tasks are (piece, tile). */
static void run_pieces(void *context, int64_t task, int64_t last) {
    segments *g = context;
    _Alignas(64) char acc[FOLD_TILE * 16];
    for (; task < last; task++) {
        const int64_t piece = task / g->tiles;
        const int64_t segment = g->partials ? segment_of(g, piece) : piece;
        int64_t begin, end, columns;
        const int64_t column = tile_begin(g, task % g->tiles, &columns);
        if (!gndi_segment_extent(g->plan, segment, &begin, &end)) {
            gndi_report_index(g->stream, begin, g->plan->axis, g->plan->length);
            continue;
        }
        if (!g->partials) {
            fold_elements(g, begin, end, column, columns, acc);
            store(g, segment, column, columns, acc);
            continue;
        }
        begin += (piece - g->first_piece[segment]) * g->piece;
        if (end > begin + g->piece) end = begin + g->piece;
        fold_elements(g, begin, end, column, columns,
                      g->partials + (piece * g->plan->columns + column) * g->fold.work_size);
    }
}

/* Tasks are (segment, tile). */
static void join_pieces(void *context, int64_t task, int64_t last) {
    segments *g = context;
    const int64_t size = g->fold.work_size;
    for (; task < last; task++) {
        const int64_t segment = task / g->tiles;
        int64_t begin, end, columns;
        const int64_t column = tile_begin(g, task % g->tiles, &columns);
        if (!gndi_segment_extent(g->plan, segment, &begin, &end)) continue;
        const int64_t first = g->first_piece[segment];
        char *acc = g->partials + (first * g->plan->columns + column) * size;
        for (int64_t piece = first + 1; piece < g->first_piece[segment + 1]; piece++) {
            const char *with = g->partials + (piece * g->plan->columns + column) * size;
            bool started = true;
            for (int64_t i = 0; i < columns; i++) gndi_fold_join(&g->fold, acc + i * size, &started, with + i * size);
        }
        store(g, segment, column, columns, acc);
    }
}

static void lay_out(segments *g) {
    const gndi_segment_plan *p = g->plan;
    const int last = p->ndim - 1;
    const int64_t step = p->in.step < 0 ? -p->in.step : p->in.step;
    g->width = last >= 0 ? p->shape[last] : 1;
    g->by_rows = g->width >= 8 && llabs(p->in.stride[last]) < step;
    g->tile = !g->by_rows ? 1 : g->width < FOLD_TILE ? g->width : FOLD_TILE;
    g->across = (g->width + g->tile - 1) / g->tile;
    g->tiles = p->columns / g->width * g->across;
    g->piece = PIECE / g->tile;
}

/* Counts the pieces, if there is a segment that is longer than one. */
static gnd_status cut(segments *g, const char *fn) {
    const gndi_segment_plan *p = g->plan;
    if (!g->fold.associative || p->length <= g->piece) return GND_OK;
    g->first_piece = gndi_malloc(fn, (size_t)(p->segments + 1) * sizeof *g->first_piece);
    if (!g->first_piece) return GND_ERROR_MEMORY;
    int64_t count = 0;
    for (int64_t i = 0; i < p->segments; i++) {
        int64_t begin, end;
        g->first_piece[i] = count;
        count += gndi_segment_extent(g->plan, i, &begin, &end) ? (end - begin + g->piece - 1) / g->piece : 1;
    }
    g->first_piece[p->segments] = count;
    if (count == p->segments) return GND_OK;
    g->partials = gndi_malloc(fn, (size_t)(count * p->columns) * (size_t)g->fold.work_size);
    return g->partials ? GND_OK : GND_ERROR_MEMORY;
}

gnd_status gndi_cpu_reduce_segments(gnd_stream *s, const gndi_segment_plan *plan, const char *fn) {
    segments g = {.plan = plan, .stream = s, .first_piece = NULL, .partials = NULL};
    gndi_fold_begin(&g.fold, plan->op, plan->loop, plan->in.dtype);
    lay_out(&g);
    const gnd_status status = cut(&g, fn);
    if (!status) {
        const int64_t pieces = g.partials ? g.first_piece[plan->segments] : plan->segments;
        const int64_t each = plan->length / plan->segments * g.tile + 1;
        gndi_parallel_for(pieces * g.tiles, each < GRAIN ? GRAIN / each : 1, run_pieces, &g);
        if (g.partials) gndi_parallel_for(plan->segments * g.tiles, 16, join_pieces, &g);
        gndi_fold_end(s, &g.fold);
        gndi_cpu_mend_segments(plan);
    }
    gndi_free(g.partials);
    gndi_free(g.first_piece);
    return status;
}
