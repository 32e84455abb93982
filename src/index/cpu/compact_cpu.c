/*
 * compact_cpu.c: packs what a mask names on the CPU. The points are split into chunks. All chunks are counted;
 * then all threads pack chunks to the offsets given by the counts before them.
 *
 * A chunk is walked in stretches along the last axis. Inside, eight points at a time are moved without
 * branches: each is written to the next free position, which advances only if the point was true.
 */
#include "index/compact_plan.h"
#include "kernels/cpu/indices.h"
#include "runtime/hooks.h"

enum {
    CHUNK = 1 << 15,   /* points: a mask and elements that stay in a core's cache */
    STRETCH = 1 << 11, /* points whose truth is looked up at a time */
};

typedef struct packing {
    const gndi_compact_plan *plan;
    int64_t chunks, per_chunk, capacity;
    int64_t item;   /* bytes of a point: an element, or a row of them */
    int64_t *count; /* of each chunk; then how many come before it */
} packing;

#define CONSTANT static inline __attribute__((always_inline)) /* inlined where sizes are known */

/* ---- truth ---------------------------------------------------------------------------------- */

static inline bool is_true(const char *p, int dtype) {
    switch (dtype) {
    case GND_BOOL:
    case GND_INT8:
    case GND_UINT8: return *(const uint8_t *)p != 0;
    case GND_INT16:
    case GND_UINT16: return *(const uint16_t *)p != 0;
    case GND_FLOAT16:
    case GND_BFLOAT16: return (*(const uint16_t *)p & 0x7fff) != 0;
    case GND_INT32:
    case GND_UINT32: return *(const uint32_t *)p != 0;
    case GND_INT64:
    case GND_UINT64: return *(const uint64_t *)p != 0;
    case GND_FLOAT32: return *(const float *)p != 0;
    case GND_FLOAT64: return *(const double *)p != 0;
    case GND_COMPLEX64: return ((const float *)p)[0] != 0 || ((const float *)p)[1] != 0;
    default: return ((const double *)p)[0] != 0 || ((const double *)p)[1] != 0;
    }
}

static inline void look_up_as(const char *mask, int64_t stride, int64_t n, uint8_t *truth, int dtype) {
    for (int64_t i = 0; i < n; i++) truth[i] = is_true(mask + i * stride, dtype);
}
static void look_up(const char *mask, int64_t stride, int64_t n, uint8_t *truth, int dtype) {
    switch (dtype) { /* a loop for each, in which the dtype is a constant */
    case GND_INT16:
    case GND_UINT16: look_up_as(mask, stride, n, truth, GND_INT16); break;
    case GND_INT32:
    case GND_UINT32: look_up_as(mask, stride, n, truth, GND_INT32); break;
    case GND_INT64:
    case GND_UINT64: look_up_as(mask, stride, n, truth, GND_INT64); break;
    case GND_FLOAT16:
    case GND_BFLOAT16: look_up_as(mask, stride, n, truth, GND_FLOAT16); break;
    case GND_FLOAT32: look_up_as(mask, stride, n, truth, GND_FLOAT32); break;
    case GND_FLOAT64: look_up_as(mask, stride, n, truth, GND_FLOAT64); break;
    case GND_COMPLEX64: look_up_as(mask, stride, n, truth, GND_COMPLEX64); break;
    case GND_COMPLEX128: look_up_as(mask, stride, n, truth, GND_COMPLEX128); break;
    default: look_up_as(mask, stride, n, truth, GND_BOOL);
    }
}

/* Whether an element differs from the one before it, in the order that they are sorted in. */
static inline bool is_edge(const char *p, int64_t size, int dtype, bool equal_nan) {
    const char *before = p - size;
    switch (dtype) {
    case GND_INT8: return *before != *p;
    case GND_INT16: return *(const int16_t *)before != *(const int16_t *)p;
    case GND_INT32: return *(const int32_t *)before != *(const int32_t *)p;
    case GND_INT64: return *(const int64_t *)before != *(const int64_t *)p;
    case GND_FLOAT16:
    case GND_BFLOAT16: {
        const unsigned a = *(const uint16_t *)before, b = *(const uint16_t *)p;
        if ((a & 0x7fff) > (dtype == GND_FLOAT16 ? 0x7c00 : 0x7f80)) return !equal_nan;
        return a != b && ((a | b) & 0x7fff) != 0;
    }
    case GND_FLOAT32: {
        const float a = *(const float *)before;
        return a != *(const float *)p && !(equal_nan && a != a);
    }
    case GND_FLOAT64: {
        const double a = *(const double *)before;
        return a != *(const double *)p && !(equal_nan && a != a);
    }
    case GND_COMPLEX64: {
        const float *a = (const float *)before, *b = (const float *)p;
        const bool nan = a[0] != a[0] || a[1] != a[1];
        return (a[0] != b[0] || a[1] != b[1]) && !(equal_nan && nan);
    }
    default: {
        const double *a = (const double *)before, *b = (const double *)p;
        const bool nan = a[0] != a[0] || a[1] != a[1];
        return (a[0] != b[0] || a[1] != b[1]) && !(equal_nan && nan);
    }
    }
}

CONSTANT void compare_as(const char *x, int64_t n, uint8_t *truth, int dtype, int64_t size, bool equal_nan) {
    for (int64_t i = 0; i < n; i++) truth[i] = is_edge(x + i * size, size, dtype, equal_nan);
}
static void compare(const char *x, int64_t n, uint8_t *truth, int dtype, bool equal_nan) {
    switch (dtype) { /* as above; integers by their bits */
    case GND_FLOAT16: compare_as(x, n, truth, GND_FLOAT16, 2, equal_nan); break;
    case GND_BFLOAT16: compare_as(x, n, truth, GND_BFLOAT16, 2, equal_nan); break;
    case GND_FLOAT32: compare_as(x, n, truth, GND_FLOAT32, 4, equal_nan); break;
    case GND_FLOAT64: compare_as(x, n, truth, GND_FLOAT64, 8, equal_nan); break;
    case GND_COMPLEX64: compare_as(x, n, truth, GND_COMPLEX64, 8, equal_nan); break;
    case GND_COMPLEX128: compare_as(x, n, truth, GND_COMPLEX128, 16, equal_nan); break;
    case GND_INT16:
    case GND_UINT16: compare_as(x, n, truth, GND_INT16, 2, false); break;
    case GND_INT32:
    case GND_UINT32: compare_as(x, n, truth, GND_INT32, 4, false); break;
    case GND_INT64:
    case GND_UINT64: compare_as(x, n, truth, GND_INT64, 8, false); break;
    default: compare_as(x, n, truth, GND_INT8, 1, false);
    }
}

static inline uint64_t eight(const uint8_t *truth) {
    uint64_t word;
    memcpy(&word, truth, sizeof word);
    return word;
}

/* The sum of eight bytes. */
static inline int64_t sum_of(uint64_t word) {
    const uint64_t pairs = (word & UINT64_C(0x00ff00ff00ff00ff)) + (word >> 8 & UINT64_C(0x00ff00ff00ff00ff));
    return (int64_t)(pairs * UINT64_C(0x0001000100010001) >> 48);
}
static int64_t count_true(const uint8_t *truth, int64_t n) {
    int64_t count = 0, i = 0;
    while (i + 32 <= n) { /* bytes of 0 and 1 add up to 255 before they must be gathered */
        int64_t words = (n - i) / 32 < 255 ? (n - i) / 32 : 255;
        uint64_t sums[4] = {0};
        for (; words > 0; words--, i += 32)
            for (int k = 0; k < 4; k++) sums[k] += eight(truth + i + 8 * k);
        for (int k = 0; k < 4; k++) count += sum_of(sums[k]);
    }
    for (; i < n; i++) count += truth[i];
    return count;
}

/* ---- moving --------------------------------------------------------------------------------- */

/* A stretch of points along the last axis, of which the first `left` true ones are wanted. */
typedef struct stretch {
    const uint8_t *truth; /* 0 or 1 */
    char *x;
    int64_t n, x_stride, left;
} stretch;

/* The first true elements of the stretch go to out, out + step, ...; how many they were. */
CONSTANT int64_t take_as(const stretch *s, char *out, int64_t step, size_t size) {
    int64_t i = 0, taken = 0;
    for (; i + 8 <= s->n && taken + 8 <= s->left; i += 8) {
        const uint64_t word = eight(s->truth + i);
        if (!word) continue;
        for (int k = 0; k < 8; k++) {
            memcpy(out + taken * step, s->x + (i + k) * s->x_stride, size);
            taken += word >> 8 * k & 1;
        }
    }
    for (; i < s->n && taken < s->left; i++)
        if (s->truth[i]) memcpy(out + taken++ * step, s->x + i * s->x_stride, size);
    return taken;
}
CONSTANT int64_t take_sized(const stretch *s, char *out, int64_t step, int64_t size) {
    if (step == size && s->x_stride == size) {
        const stretch dense = {s->truth, s->x, s->n, size, s->left};
        return take_as(&dense, out, size, (size_t)size);
    }
    return take_as(s, out, step, (size_t)size);
}
/* Rows, in which everything lies together. */
static int64_t take_rows(const stretch *s, char *out, int64_t step, int64_t size) {
    int64_t taken = 0;
    for (int64_t i = 0; i < s->n && taken < s->left; i++)
        if (s->truth[i]) memcpy(out + taken++ * step, s->x + i * s->x_stride, (size_t)size);
    return taken;
}
static int64_t take(const stretch *s, char *out, int64_t step, int64_t size) {
    switch (size) {
    case 1: return take_sized(s, out, step, 1);
    case 2: return take_sized(s, out, step, 2);
    case 4: return take_sized(s, out, step, 4);
    case 8: return take_sized(s, out, step, 8);
    case 16: return take_sized(s, out, step, 16);
    default: return take_rows(s, out, step, size);
    }
}

/* The numbers of the first true points go to out, out + step, ... */
CONSTANT int64_t places_as(const stretch *s, char *out, int64_t step, int64_t first) {
    int64_t i = 0, taken = 0;
    for (; i + 8 <= s->n && taken + 8 <= s->left; i += 8) {
        const uint64_t word = eight(s->truth + i);
        if (!word) continue;
        for (int k = 0; k < 8; k++) {
            *(int64_t *)(out + taken * step) = first + i + k;
            taken += word >> 8 * k & 1;
        }
    }
    for (; i < s->n && taken < s->left; i++)
        if (s->truth[i]) *(int64_t *)(out + taken++ * step) = first + i;
    return taken;
}
static int64_t indices(const stretch *s, char *out, int64_t step, int64_t first) {
    return step == 8 ? places_as(s, out, 8, first) : places_as(s, out, step, first);
}

/* The true points of the stretch get the elements that have their numbers. */
CONSTANT void put_at_as(const stretch *s, const gndi_compact_plan *p, int64_t number, size_t size) {
    int64_t r = number % p->wrap;
    for (int64_t i = 0; i < s->n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, s->truth + i, s->n - i < 8 ? (size_t)(s->n - i) : 8);
        for (; word; word &= word - 1) {
            const int k = __builtin_ctzll(word) / 8;
            int64_t source = r + k;
            if (source >= p->wrap) source = p->wrap >= 8 ? source - p->wrap : source % p->wrap;
            memcpy(s->x + (i + k) * s->x_stride, p->out + source * p->step, size);
        }
        r += 8;
        if (r >= p->wrap) r = p->wrap >= 8 ? r - p->wrap : r % p->wrap;
    }
}
static void put_at(const stretch *s, const gndi_compact_plan *p, int64_t number) {
    switch (p->itemsize) {
    case 1: put_at_as(s, p, number, 1); break;
    case 2: put_at_as(s, p, number, 2); break;
    case 4: put_at_as(s, p, number, 4); break;
    case 8: put_at_as(s, p, number, 8); break;
    default: put_at_as(s, p, number, 16);
    }
}

/* The first true points of the stretch get the elements of rank `rank` on. What is false is not even
   written with its own value: another thread may be at it. */
CONSTANT int64_t put_as(const stretch *s, const gndi_compact_plan *p, int64_t rank, size_t size) {
    const char *const end = p->out + p->wrap * p->step, *from = p->out + rank % p->wrap * p->step;
    int64_t put = 0;
    for (int64_t i = 0; i < s->n && put < s->left; i += 8) {
        uint64_t word = 0;
        memcpy(&word, s->truth + i, s->n - i < 8 ? (size_t)(s->n - i) : 8);
        for (; word && put < s->left; word &= word - 1, put++) {
            memcpy(s->x + (i + __builtin_ctzll(word) / 8) * s->x_stride, from, size);
            from += p->step;
            if (from == end) from = p->out;
        }
    }
    return put;
}
static int64_t put(const stretch *s, const gndi_compact_plan *p, int64_t rank, int64_t size) {
    switch (size) {
    case 1: return put_as(s, p, rank, 1);
    case 2: return put_as(s, p, rank, 2);
    case 4: return put_as(s, p, rank, 4);
    case 8: return put_as(s, p, rank, 8);
    case 16: return put_as(s, p, rank, 16);
    default: return put_as(s, p, rank, (size_t)size);
    }
}

/* ---- chunks --------------------------------------------------------------------------------- */

/* Where a walk over the points is. */
typedef struct walk {
    int64_t at[GND_MAX_DIMS];
    char *mask, *x;
    int64_t index[GND_MAX_DIMS]; /* INDICES: indices of the point */
} walk;

static void go_to(const gndi_compact_plan *p, int64_t point, walk *w) {
    int64_t rest = point;
    w->mask = p->mask.data, w->x = p->x.data;
    for (int a = p->ndim - 1; a >= 0; a--) {
        w->at[a] = rest % p->shape[a], rest /= p->shape[a];
        w->mask += w->at[a] * p->mask.stride[a];
        if (w->x) w->x += w->at[a] * p->x.stride[a];
    }
    for (int a = p->index_ndim - 1; a >= 0; a--) w->index[a] = point % p->index_shape[a], point /= p->index_shape[a];
}

/* On by n points, which do not go past the end of the last axis. */
static void go_on(const gndi_compact_plan *p, int64_t n, walk *w) {
    int a = p->ndim - 1;
    if (a < 0) return;
    w->at[a] += n;
    w->mask += n * p->mask.stride[a];
    if (w->x) w->x += n * p->x.stride[a];
    for (; a > 0 && w->at[a] == p->shape[a]; a--) {
        w->at[a] = 0, w->at[a - 1]++;
        w->mask += p->mask.stride[a - 1] - p->shape[a] * p->mask.stride[a];
        if (w->x) w->x += p->x.stride[a - 1] - p->shape[a] * p->x.stride[a];
    }
}

/* The truth of the next n points, in `truths` unless the mask has it in that form. */
static const uint8_t *truth_of(const gndi_compact_plan *p, const walk *w, int64_t n, uint8_t *truths) {
    const int64_t stride = p->ndim ? p->mask.stride[p->ndim - 1] : 1;
    if (p->edges) {
        const int first = p->ndim == 0 || w->at[0] == 0; /* has nothing before it */
        if (first) truths[0] = 1;
        compare(w->mask + first * gndi_dtype_sizes[p->mask_dtype], n - first, truths + first, p->mask_dtype,
                p->equal_nan);
        return truths;
    }
    if (p->mask_dtype == GND_BOOL && stride == 1) return (const uint8_t *)w->mask;
    if (stride == 0)
        memset(truths, is_true(w->mask, p->mask_dtype), (size_t)n);
    else
        look_up(w->mask, stride, n, truths, p->mask_dtype);
    return truths;
}

/* Points up to the end of the last axis, of the chunk, or of the space for their truth. */
static int64_t stretch_from(const gndi_compact_plan *p, const walk *w, int64_t left) {
    int64_t n = left < STRETCH ? left : STRETCH;
    if (p->ndim && p->shape[p->ndim - 1] - w->at[p->ndim - 1] < n) n = p->shape[p->ndim - 1] - w->at[p->ndim - 1];
    return n;
}

static int64_t points_of(const packing *g, int64_t chunk) {
    const int64_t left = g->plan->points - chunk * g->per_chunk;
    return left < g->per_chunk ? left : g->per_chunk;
}

static void count_chunks(void *context, int64_t begin, int64_t end) {
    packing *g = context;
    const gndi_compact_plan *p = g->plan;
    uint8_t truths[STRETCH];
    for (int64_t chunk = begin; chunk < end; chunk++) {
        walk w;
        int64_t count = 0, left = points_of(g, chunk);
        go_to(p, chunk * g->per_chunk, &w);
        while (left > 0) {
            const int64_t n = stretch_from(p, &w, left);
            count += count_true(truth_of(p, &w, n, truths), n);
            go_on(p, n, &w);
            left -= n;
        }
        g->count[chunk] = count;
    }
}

/* The indices of a stretch, row by row of the axes that they count along. */
static int64_t write_indices(const gndi_compact_plan *p, stretch s, char *out, walk *w) {
    const int last = p->index_ndim - 1;
    int64_t all = 0, left = s.left;
    if (last < 0) return 0;
    for (int64_t i = 0, n = s.n; i < n;) {
        const int64_t row = p->index_shape[last] - w->index[last];
        s.n = n - i < row ? n - i : row, s.left = left - all;
        const int64_t found = indices(&s, out + all * p->step + last * p->axis_step, p->step, w->index[last]);
        for (int a = 0; a < last; a++)
            for (int64_t r = all; r < all + found; r++)
                *(int64_t *)(out + r * p->step + a * p->axis_step) = w->index[a];
        all += found, i += s.n, s.truth += s.n, w->index[last] += s.n;
        for (int a = last; a > 0 && w->index[a] == p->index_shape[a]; a--) w->index[a] = 0, w->index[a - 1]++;
    }
    return all;
}

static void pack_chunk(const packing *g, int64_t chunk) {
    const gndi_compact_plan *p = g->plan;
    uint8_t truths[STRETCH];
    walk w;
    int64_t rank = g->count[chunk], left = points_of(g, chunk);
    const int64_t end = g->count[chunk + 1] < g->capacity ? g->count[chunk + 1] : g->capacity;
    if (rank < end) go_to(p, chunk * g->per_chunk, &w);
    while (rank < end) {
        const int64_t n = stretch_from(p, &w, left);
        const stretch s = {.truth = truth_of(p, &w, n, truths),
                           .x = w.x,
                           .n = n,
                           .x_stride = p->ndim ? p->x.stride[p->ndim - 1] : 0,
                           .left = end - rank};
        if (p->kind == GNDI_COMPACT_TAKE)
            rank += take(&s, p->out + rank * p->step, p->step, g->item);
        else if (p->kind == GNDI_COMPACT_PUT)
            rank += put(&s, p, rank, g->item);
        else
            rank += write_indices(p, s, p->out + rank * p->step, &w);
        go_on(p, n, &w);
        left -= n;
    }
}
static void put_at_chunks(void *context, int64_t begin, int64_t end) {
    const packing *g = context;
    const gndi_compact_plan *p = g->plan;
    uint8_t truths[STRETCH];
    for (int64_t chunk = begin; chunk < end; chunk++) {
        walk w;
        int64_t point = chunk * g->per_chunk, n;
        const int64_t stop = point + points_of(g, chunk);
        for (go_to(p, point, &w); point < stop; point += n) {
            n = stretch_from(p, &w, stop - point);
            const stretch s = {.truth = truth_of(p, &w, n, truths),
                               .x = w.x,
                               .n = n,
                               .x_stride = p->ndim ? p->x.stride[p->ndim - 1] : 0};
            put_at(&s, p, point);
            go_on(p, n, &w);
        }
    }
}
static void pack_chunks(void *context, int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; chunk++) pack_chunk(context, chunk);
}

/* ---- the backend's function ----------------------------------------------------------------- */

/* Counts become ranks: how many true points there are before each chunk. */
static int64_t add_up(packing *g) {
    int64_t sum = 0;
    for (int64_t chunk = 0; chunk < g->chunks; chunk++) {
        const int64_t own = g->count[chunk];
        g->count[chunk] = sum;
        sum += own;
    }
    return g->count[g->chunks] = sum;
}

static void report_count(gnd_stream *s, const gndi_compact_plan *p, int64_t count) {
    if (p->kind == GNDI_COMPACT_PUT && p->expected >= 0 && count != p->expected)
        gndi_report_fault(s, GNDI_FAULT_COUNT, count, 0, p->expected);
}

/* Zeros to the results past the count. */
static void pad(const gndi_compact_plan *p, int64_t count) {
    const bool take = p->kind == GNDI_COMPACT_TAKE;
    for (int64_t r = count; r < p->capacity; r++)
        for (int a = 0; a < (take ? 1 : p->index_ndim); a++)
            memset(p->out + r * p->step + a * p->axis_step, 0, take ? p->itemsize : 8);
}

/* Where a mask does not tell the elements along the last axis apart, they are moved together: how many
   they are. */
static int64_t elements_moved_together(const gndi_compact_plan *p) {
    const int last = p->ndim - 1;
    if (last < 0 || p->edges || p->mask.stride[last] != 0) return 1;
    const int64_t n = p->shape[last];
    if (p->kind == GNDI_COMPACT_COUNT) return n;
    if (p->kind != GNDI_COMPACT_TAKE && p->kind != GNDI_COMPACT_PUT) return 1;
    if (p->x.stride[last] != p->itemsize || p->step != p->itemsize) return 1;
    if (p->capacity > 0 && p->capacity % n) return 1;
    if (p->kind == GNDI_COMPACT_PUT && (p->wrap % n || (p->expected > 0 && p->expected % n))) return 1;
    return n;
}
static void fold_rows(gndi_compact_plan *p, int64_t n) {
    p->ndim--, p->points /= n, p->step *= n;
    if (p->capacity > 0) p->capacity /= n;
    if (p->kind == GNDI_COMPACT_PUT) p->wrap /= n;
}

gnd_status gndi_cpu_compact(gnd_stream *s, const gndi_compact_plan *plan, const char *fn) {
    gndi_compact_plan rows = *plan;
    const int64_t row = elements_moved_together(plan);
    packing g = {.plan = &rows, .per_chunk = CHUNK, .item = plan->itemsize * row};
    if (row > 1) fold_rows(&rows, row);
    while (g.per_chunk > 1 && g.per_chunk * row > CHUNK) g.per_chunk /= 2;
    g.chunks = (rows.points + g.per_chunk - 1) / g.per_chunk;
    g.capacity = rows.capacity < 0 ? INT64_MAX : rows.capacity;
    if (plan->kind == GNDI_COMPACT_PUT_AT) {
        gndi_parallel_for(g.chunks, 1, put_at_chunks, &g);
        return GND_OK;
    }
    g.count = gndi_malloc(fn, (size_t)(g.chunks + 1) * sizeof *g.count);
    if (!g.count) return GND_ERROR_MEMORY;
    gndi_parallel_for(g.chunks, 1, count_chunks, &g);
    const int64_t count = add_up(&g) * row;
    if (plan->kind != GNDI_COMPACT_COUNT) gndi_parallel_for(g.chunks, 1, pack_chunks, &g);
    if (plan->pads) pad(plan, count);
    if (plan->count) *plan->count = count;
    report_count(s, plan, count);
    gndi_free(g.count);
    return GND_OK;
}
