/*
 * scan.c: scans along an axis. Blocks are scanned by gnd. Along a split axis a block is reduced first, and what the
 * blocks before it come to, combined in their order, is what its scan starts from: it is read twice and written once.
 * Where gnd's scan would take a start only by going over its results again, the block is scanned first, its last
 * results take the place of the reduction, and the start is combined with the results. An operator that is not
 * associative goes from rank to rank instead.
 */
#include "dist/dist.h"
#include <string.h>

typedef gnd_array *scan_function(const gnd_array *x, gnd_axes axes);

static const struct named_scan {
    const char *name;
    scan_function *scan;
    const char *combine;
    scan_function *total; /* NULL: gnd_reduce of `combine` */
} scans[] = {{"cumsum", gnd_cumsum, "add", gnd_sum},          {"cumprod", gnd_cumprod, "multiply", gnd_prod},
             {"nancumsum", gnd_nancumsum, "add", gnd_nansum}, {"nancumprod", gnd_nancumprod, "multiply", gnd_nanprod},
             {"cummax", gnd_cummax, "maximum", NULL},         {"cummin", gnd_cummin, "minimum", NULL}};

/* Of src/kernels/ops/ops.def, those of one dtype: a test compares them. */
static const char *const associative[] = {
    "add",       "multiply",   "gcd",         "hypot",      "maximum",     "minimum",     "fmax",       "fmin",
    "logaddexp", "logaddexp2", "logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor"};

typedef struct scanning {
    const char *fn, *name;
    const gnd_dist *x;
    scan_function *scan;  /* NULL: gnd_accumulate of `name` */
    const char *combine;  /* NULL: not associative */
    scan_function *total; /* of a block; NULL: gnd_reduce of `combine` */
    gnd_axes axes;
    int axis;
    gnd_dtype dtype, loop; /* of the result, and of the computation */
} scanning;

static gnd_array *scan_of(const scanning *s, const gnd_array *x, gnd_dtype dtype) {
    gnd_axes axes = s->axes;
    axes.dtype = dtype;
    if (!x) return NULL;
    return s->scan ? s->scan(x, axes) : gnd_accumulate(s->name, x, axes);
}

/* What gnd says of an empty array of x's dtype and number of axes: the result's dtype, and what is wrong on all ranks
   alike. It is tried again if this rank had no memory. */
static bool probe(scanning *s, gnd_shape shape) {
    memset(shape.dim, 0, sizeof shape.dim);
    const bool pending = gnd_error() != NULL;
    for (int attempt = 0;; attempt++) {
        const gnd_array *y = scan_of(s, gnd_empty(shape, s->x->dtype), s->axes.dtype);
        if (y) return s->dtype = gnd_dtype_of(y), true;
        if (!gndi_dist_try_again(attempt, pending)) return false;
    }
}

/* ---- what ranks tell each other ------------------------------------------------------------------------------- */

static int64_t length_at(const gnd_dist *y, int k, int place) {
    return y->cuts[k][place + 1] - y->cuts[k][place];
}

/* Whether a block behind this one has elements. */
static bool is_awaited(const gnd_dist *y, int k) {
    for (int p = y->mesh->place[k] + 1; p < y->mesh->grid[k]; p++)
        if (length_at(y, k, p) > 0) return true;
    return false;
}

/* The totals (NULL: this rank has failed) of all blocks before this one, behind each other and without the axis;
   *blocks of them. NULL if there are none, or on an error of this rank, which has taken part. */
static gnd_array *before(const scanning *s, const gnd_dist *y, int k, const gnd_array *total, gnd_shape shape,
                         int *blocks, bool *good) {
    gnd_mesh *mesh = y->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const int here = mesh->place[k];
    shape.dim[s->axis] = 1;
    const int64_t bytes = gndi_shape_count(shape) * (int64_t)gnd_dtype_size(s->loop);
    int sends = 0, receives = 0;
    gnd_array *all = NULL;
    *blocks = 0;
    const bool some = length_at(y, k, here) > 0;
    for (int p = 0; some && p < here; p++) *blocks += length_at(y, k, p) > 0;
    gnd_shape rows = {.ndim = 1, .dim = {*blocks}};
    for (int i = 0; i < shape.ndim; i++)
        if (i != s->axis) rows.dim[rows.ndim++] = shape.dim[i];
    if (*blocks) all = gnd_empty(rows, s->loop);
    for (int p = here + 1; some && p < mesh->grid[k]; p++)
        if (length_at(y, k, p) > 0) send[sends++] = gndi_piece_at(gndi_beside(mesh, k, p), total, bytes);
    for (int p = 0; some && p < here; p++) {
        if (length_at(y, k, p) == 0) continue;
        const gnd_array *row = gndi_row(all, receives);
        receive[receives++] = gndi_piece_at(gndi_beside(mesh, k, p), row, bytes);
    }
    *good = gndi_mesh_exchange(mesh, s->fn, sends, send, receives, receive) == GND_OK;
    return *good ? all : NULL;
}

/* What the totals of the blocks before come to. */
static gnd_array *start_of(const scanning *s, const gnd_array *all, int blocks) {
    gnd_axes rows = GND_AXES(0);
    rows.dtype = s->loop;
    const gnd_array *start = blocks == 1 ? gndi_row(all, 0) : gnd_reduce(s->combine, all, rows);
    return start ? gnd_expand_dims(start, GND_AXES(s->axis)) : NULL;
}

/* Whether gnd's scan of a block goes on from a start at no cost: of one line, or of lines side by side. Products of
   complex numbers that are not finite depend on their order: the last result is their total. */
static bool starts_freely(const scanning *s, const gnd_array *x, gnd_shape shape) {
    enum { SIDE_BY_SIDE = 17 }; /* lines; fewer go through one block after the other */
    int64_t inner = 1, outer = 1;
    if (strcmp(s->combine, "multiply") == 0 && gnd_dtype_kind(s->loop) == 'c') return false;
    for (int i = 0; i < shape.ndim; i++) *(i < s->axis ? &outer : &inner) *= i == s->axis ? 1 : shape.dim[i];
    return inner == 1 ? outer == 1 : gnd_is_c_contiguous(x) && (outer == 1 || inner >= SIDE_BY_SIDE);
}

/* What all elements of a block come to. The sum of nothing but -0 is 0. */
static gnd_array *total_of(const scanning *s, const gnd_array *x) {
    gnd_axes axes = GND_AXES_KEEP(s->axis);
    axes.dtype = s->loop;
    return s->total ? s->total(x, axes) : gnd_reduce(s->combine, x, axes);
}

static gnd_array *last_of(const scanning *s, const gnd_array *y, gnd_shape shape) {
    gnd_index item[GND_MAX_DIMS];
    const int64_t n = shape.dim[s->axis];
    for (int i = 0; i < shape.ndim; i++) item[i] = i == s->axis ? gnd_index_range(n - 1, n, 1) : gnd_index_all();
    return gnd_slice_ix(y, shape.ndim, item);
}

/* The ranks behind have what they wait for before this one's scan begins, if it goes on from a start freely. */
static gnd_array *scan_along_split(const scanning *s, const gnd_dist *y, int k) {
    const gnd_array *x = s->x->local;
    const gnd_shape shape = gndi_dist_local_shape(y);
    const bool empty = gndi_shape_count(shape) == 0, freely = x && !empty && starts_freely(s, x, shape);
    gnd_array *local = x && !freely ? scan_of(s, x, s->loop) : NULL, *total = NULL;
    int blocks;
    bool good;
    if (shape.dim[s->axis] > 0 && is_awaited(y, k))
        total = freely ? total_of(s, x) : local ? last_of(s, local, shape) : NULL;
    const gnd_array *all = before(s, y, k, total, shape, &blocks, &good), *start = NULL;
    if (!x || !good) return NULL;
    if (!empty && blocks && !(start = start_of(s, all, blocks))) return NULL;
    if (freely) {
        scanning from = *s;
        from.axes.initial = start;
        local = scan_of(&from, x, s->loop);
    } else if (local && start) {
        const gnd_arg pair[2] = {gnd_arg_array(start), gnd_arg_array(local)};
        local = gnd_apply(s->combine, 2, pair, &(gnd_apply_options){.out = {local}, .dtype = s->loop});
    }
    return local && s->dtype != s->loop ? gnd_astype(local, s->dtype) : local;
}

/* The results of a block behind `start`, which is one longer than the block and has room for the last result before it:
   what is scanned, and the block without its first element. */
static gnd_array *scan_behind(const scanning *s, gnd_array *start, int64_t n) {
    gnd_index item[GND_MAX_DIMS];
    const int ndim = gnd_ndim(start);
    for (int i = 0; i < ndim; i++) item[i] = i == s->axis ? gnd_index_range(1, n + 1, 1) : gnd_index_all();
    gnd_array *y = scan_of(s, start, s->dtype);
    return y ? gnd_slice_ix(y, ndim, item) : NULL;
}

/* One rank after the other: each receives the last result before its block. */
static gnd_array *scan_in_turn(const scanning *s, const gnd_dist *y, int k) {
    gnd_mesh *mesh = y->mesh;
    const gnd_array *x = s->x->local;
    const int here = mesh->place[k], places = mesh->grid[k];
    const gnd_shape shape = gndi_dist_local_shape(y);
    const int64_t n = shape.dim[s->axis];
    gnd_shape one = shape, longer = shape;
    one.dim[s->axis] = 1, longer.dim[s->axis] = n + 1;
    const int64_t bytes = gndi_shape_count(one) * (int64_t)gnd_dtype_size(s->dtype);
    gnd_index first[GND_MAX_DIMS], rest[GND_MAX_DIMS], last[GND_MAX_DIMS];
    for (int i = 0; i < shape.ndim; i++) {
        first[i] = i == s->axis ? gnd_index_range(0, 1, 1) : gnd_index_all();
        rest[i] = i == s->axis ? gnd_index_range(1, n + 1, 1) : gnd_index_all();
        last[i] = i == s->axis ? gnd_index_range(n - 1, n, 1) : gnd_index_all();
    }
    int before = -1; /* the place whose block precedes */
    gnd_array *local = NULL;
    for (int p = 0; p < places; p++) {
        if (length_at(y, k, p) == 0) continue;
        if (before < 0 && p == here) local = x ? scan_of(s, x, s->dtype) : NULL;
        if (before >= 0) {
            gndi_piece send = gndi_piece_at(
                gndi_beside(mesh, k, p), local && here == before ? gnd_slice_ix(local, shape.ndim, last) : NULL, bytes);
            gnd_array *whole = p == here ? gnd_empty(longer, s->dtype) : NULL;
            gnd_array *tail = whole ? gnd_slice_ix(whole, shape.ndim, rest) : NULL;
            gndi_piece receive = gndi_piece_at(gndi_beside(mesh, k, before),
                                               whole ? gnd_slice_ix(whole, shape.ndim, first) : NULL, bytes);
            const bool good = gndi_mesh_exchange(mesh, s->fn, here == before, &send, here == p, &receive) == GND_OK;
            const gnd_array *cast = p == here && good && x && tail ? gnd_astype(x, s->dtype) : NULL;
            if (cast && gnd_copyto(tail, cast) == GND_OK) local = scan_behind(s, whole, n);
        }
        before = p;
    }
    if (n == 0 && x) local = scan_of(s, x, s->dtype);
    return local;
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

/* x in one dimension: its blocks must stand behind each other in C order. To be used as a new array. */
static gnd_dist *flattened(const gnd_dist *x, const char *fn) {
    gnd_mesh *mesh = x->mesh;
    const gnd_shape flat = {.ndim = 1, .dim = {gndi_shape_count(x->shape)}};
    gndi_layout layout = {{-1, -1}, {NULL, NULL}};
    int64_t *cuts = mesh->link->numbers; /* set aside: as many as twice the ranks, and more */
    for (int k = 0; k < 2; k++) {
        if (!gndi_is_split(x, k)) continue;
        bool fits = layout.axis[1 - k] < 0;
        int64_t inner = 1;
        for (int i = 0; i < x->shape.ndim; i++) {
            if (i < x->axis[k]) fits = fits && x->shape.dim[i] == 1;
            if (i > x->axis[k]) inner *= x->shape.dim[i];
        }
        if (!fits)
            return gndi_dist_raise(
                       GND_ERROR_SHAPE, fn,
                       "blocks along axis %d do not stand behind each other in C order: gnd_dist_redistribute "
                       "to GND_SPLIT(0) or GND_COPIES",
                       x->axis[k]),
                   NULL;
        for (int i = 0; i <= mesh->grid[k]; i++) cuts[i] = x->cuts[k][i] * inner;
        layout.axis[k] = 0, layout.cuts[k] = cuts;
    }
    gnd_dist *y = gndi_dist_new(mesh, fn, flat, x->dtype, layout);
    if (!y || !x->local) return y ? gndi_dist_failed_like(y, x) : NULL;
    return gndi_dist_done(y, fn, gnd_ravel(x->local));
}

static gnd_dist *scan(scanning *s) {
    char text[160];
    const gnd_dist *x = s->x;
    const int k = gndi_split_of(x, s->axis);
    if (!gndi_mesh_enter(x->mesh, s->fn, "%s %d %s", s->name, s->axis, gndi_text_dist(x, text, sizeof text)))
        return NULL;
    const bool half = s->dtype == GND_FLOAT16 || s->dtype == GND_BFLOAT16;
    s->loop = half && k >= 0 && s->combine ? GND_FLOAT32 : s->dtype;
    gnd_dist *y = gndi_dist_new(x->mesh, s->fn, x->shape, s->dtype, gndi_layout_of(x));
    if (!y) return NULL;
    gnd_array *local = NULL;
    if (k < 0)
        local = x->local ? scan_of(s, x->local, s->dtype) : NULL;
    else
        local = s->combine ? scan_along_split(s, y, k) : scan_in_turn(s, y, k);
    return x->local ? gndi_dist_done(y, s->fn, local) : gndi_dist_failed_like(y, x);
}

/* Reads the axis, after gnd has found it right. */
static void read_axis(scanning *s, int otherwise) {
    s->axis = s->axes.count == 1 ? s->axes.axis[0] : otherwise;
    if (s->axis < 0) s->axis += s->x->shape.ndim;
}

static bool takes(const char *fn, const gnd_axes *axes) {
    if (!axes->out && !axes->initial) return true;
    gndi_dist_raise(GND_ERROR_INVALID, fn, "axes.%s is an array of one rank", axes->out ? "out" : "initial");
    return false;
}

gnd_dist *gnd_dist_scan(const char *name, const gnd_dist *x, gnd_axes axes) {
    static const char fn[] = "gnd_dist_scan";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    scanning s = {.fn = fn, .name = name, .x = x, .axes = axes};
    for (size_t i = 0; name && i < sizeof scans / sizeof *scans; i++)
        if (strcmp(scans[i].name, name) == 0)
            s.scan = scans[i].scan, s.combine = scans[i].combine, s.total = scans[i].total;
    if (!s.scan) return gndi_dist_raise(GND_ERROR_INVALID, fn, "there is no scan \"%s\"", name ? name : "NULL"), NULL;
    if (!takes(fn, &axes) || !probe(&s, x->shape)) return NULL;
    if (x->shape.ndim != 1 && (axes.count == 0 || x->shape.ndim == 0)) {
        gnd_dist *flat = flattened(x, fn);
        if (!flat) return NULL;
        s.x = flat;
        s.axes = GND_AXES(0);
    }
    read_axis(&s, 0);
    gnd_dist *y = scan(&s);
    if (s.x != x) gnd_dist_release((gnd_dist *)s.x);
    return y;
}

gnd_dist *gnd_dist_accumulate(const char *name, const gnd_dist *x, gnd_axes axes) {
    static const char fn[] = "gnd_dist_accumulate";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    scanning s = {.fn = fn, .name = name, .x = x, .axes = axes};
    for (size_t i = 0; name && i < sizeof associative / sizeof *associative; i++)
        if (strcmp(associative[i], name) == 0) s.combine = associative[i];
    if (!takes(fn, &axes) || !probe(&s, x->shape)) return NULL;
    read_axis(&s, 0);
    return scan(&s);
}
