/*
 * convolve.c: convolution of a split array with a kernel that all ranks have. Of the result of GND_FULL, of which the
 * other modes are parts, element f needs x from f - taps + 1 to f: each rank gets that window of its part, as far as x
 * goes, and convolves it. Correlation is convolution with the kernel reversed and conjugated.
 */
#include "dist/dist.h"

typedef struct convolving {
    const char *fn;
    const gnd_dist *x;
    const gnd_array *kernel;
    gnd_correlate_mode mode;
    gnd_convolve_method method;
    bool numpy, correlates;                          /* numpy: of lines, by gnd_convolve */
    int64_t taps[GND_MAX_DIMS], first[GND_MAX_DIMS]; /* first: element of the full result */
    gnd_shape shape;                                 /* of the result */
} convolving;

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* The part of the full result that numpy.convolve gives, or numpy.correlate, which exchanges operands that are shorter
   than the kernel and reverses the result. */
static void range_of_numpy(const convolving *c, int64_t n, int64_t m, int64_t *first, int64_t *count) {
    const int64_t least = smaller(n, m), most = larger(n, m);
    if (c->mode == GND_FULL)
        *first = 0, *count = n + m - 1;
    else if (c->mode == GND_SAME)
        *first = c->correlates && m > n ? least / 2 : (least - 1) / 2, *count = most;
    else
        *first = least - 1, *count = most - least + 1;
}

/* SciPy's. */
static void range_of_scipy(const convolving *c, int64_t n, int64_t m, int64_t *first, int64_t *count) {
    *first = c->mode == GND_FULL ? 0 : c->mode == GND_SAME ? (m - 1) / 2 : m - 1;
    *count = larger(0, c->mode == GND_FULL ? n + m - 1 : c->mode == GND_SAME ? n : n - m + 1);
}

/* Raises on all ranks alike. */
static bool read_shapes(convolving *c) {
    const gnd_shape x = c->x->shape, k = gnd_shape_of(c->kernel);
    const char *fn = c->fn;
    if ((unsigned)c->mode > GND_VALID || (unsigned)c->method > GND_CONVOLVE_FFT)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "there is no mode %d or no method %d", (int)c->mode,
                               (int)c->method),
               false;
    if (c->numpy ? x.ndim != 1 || k.ndim > 1 || (c->correlates && k.ndim == 0) : x.ndim != k.ndim)
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "x has %d axes and the kernel %d", x.ndim, k.ndim), false;
    const int64_t one = 1;
    c->shape.ndim = x.ndim;
    for (int i = 0; i < x.ndim; i++) {
        const int64_t n = x.dim[i], m = c->taps[i] = k.ndim ? k.dim[i] : one;
        if (c->numpy && (n == 0 || m == 0))
            return gndi_dist_raise(GND_ERROR_VALUE, fn, "x has %lld elements and the kernel %lld", (long long)n,
                                   (long long)m),
                   false;
        if (!c->numpy && c->mode == GND_VALID && m > n)
            return gndi_dist_raise(GND_ERROR_SHAPE, fn, "the kernel is longer than x along axis %d: %lld and %lld", i,
                                   (long long)m, (long long)n),
                   false;
        (c->numpy ? range_of_numpy : range_of_scipy)(c, n, m, &c->first[i], &c->shape.dim[i]);
    }
    return true;
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* What a rank needs of x for its part of y; false if nothing. */
static bool window_of(const convolving *c, const gnd_dist *y, int rank, gndi_box *window) {
    gndi_box part;
    bool some = true;
    gndi_box_of(y, rank, &part);
    for (int i = 0; i < c->shape.ndim; i++) {
        const int64_t f = c->first[i] + part.start[i], low = larger(f - c->taps[i] + 1, 0);
        window->start[i] = low;
        window->count[i] = smaller(f + part.count[i], c->x->shape.dim[i]) - low;
        some = some && part.count[i] > 0 && window->count[i] > 0;
    }
    return some;
}

/* What a window and a block of x have in common, as a piece of `a`, which begins at `origin`. */
static gndi_piece common(const gnd_dist *x, const gndi_box *window, const gndi_box *block, int rank, const gnd_array *a,
                         const int64_t *origin) {
    gndi_box box;
    if (!gndi_box_meet(x->shape.ndim, window, block, &box)) return gndi_piece_at(rank, NULL, 0);
    int64_t bytes = (int64_t)gnd_dtype_size(x->dtype);
    for (int i = 0; i < x->shape.ndim; i++) bytes *= box.count[i];
    return gndi_piece_at(rank, gndi_box_view(a, x->shape.ndim, &box, origin), bytes);
}

/* This rank's window; NULL if it is empty, or on an error of this rank, which has taken part. */
static gnd_array *fetch(const convolving *c, const gnd_dist *y, bool *good) {
    const gnd_dist *x = c->x;
    gnd_mesh *mesh = x->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const int rank = gnd_mesh_rank(mesh);
    gndi_box mine, own, other;
    gnd_shape shape = {.ndim = x->shape.ndim};
    int sends = 0, receives = 0;
    const bool some = window_of(c, y, rank, &mine);
    for (int i = 0; i < shape.ndim; i++) shape.dim[i] = some ? mine.count[i] : 0;
    gnd_array *window = some ? gnd_empty(shape, x->dtype) : NULL;
    gndi_box_of(x, rank, &own);
    for (int r = 0; r < gnd_mesh_size(mesh); r++) {
        if (gndi_sends_to(x, rank, r) && window_of(c, y, r, &other))
            send[sends++] = common(x, &other, &own, r, x->local, own.start);
        if (some && gndi_sends_to(x, r, rank)) {
            gndi_box_of(x, r, &other);
            receive[receives++] = common(x, &mine, &other, r, window, mine.start);
        }
    }
    *good = gndi_mesh_exchange(mesh, c->fn, sends, send, receives, receive) == GND_OK && (window || !some);
    return window;
}

/* ---- the work ---------------------------------------------------------------------------------------------------- */

static gnd_array *convolve(const convolving *c, const gnd_array *window, const gnd_array *kernel,
                           gnd_correlate_mode mode) {
    return c->numpy ? gnd_convolve(window, kernel, mode) : gnd_convolve_nd(window, kernel, mode, c->method);
}

/* The part of y here, of the window. */
static gnd_array *part_of(const convolving *c, const gnd_dist *y, const gnd_array *window) {
    const gnd_array *kernel = c->kernel;
    gndi_box part, box;
    bool inside = true; /* no tap is beyond the window */
    gndi_box_of(y, gnd_mesh_rank(y->mesh), &part);
    window_of(c, y, gnd_mesh_rank(y->mesh), &box);
    for (int i = 0; i < c->shape.ndim; i++) inside = inside && box.count[i] == part.count[i] + c->taps[i] - 1;
    if (c->correlates) kernel = gnd_conjugate(gnd_flip(kernel, GND_ALL));
    gnd_array *full = kernel ? convolve(c, window, kernel, inside ? GND_VALID : GND_FULL) : NULL;
    if (inside || !full) return full;
    for (int i = 0; i < c->shape.ndim; i++) part.start[i] += c->first[i];
    return gndi_box_view(full, c->shape.ndim, &part, box.start);
}

static gnd_dist *run(convolving *c) {
    const gnd_dist *x = c->x;
    const char *fn = c->fn;
    char text[160];
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    if (!c->kernel) return gndi_dist_status(fn), NULL;
    if (!read_shapes(c)) return NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%s %d", gndi_text_dist(x, text, sizeof text), (int)c->mode)) return NULL;
    gndi_layout layout = gndi_layout_of(x);
    for (int k = 0; k < 2; k++)
        if (layout.axis[k] >= 0 && c->shape.dim[layout.axis[k]] != x->shape.dim[layout.axis[k]]) layout.cuts[k] = NULL;
    const gnd_dtype dtype = gnd_promote_types(x->dtype, gnd_dtype_of(c->kernel));
    gnd_dist *y = gndi_dist_new(x->mesh, fn, c->shape, dtype, layout);
    if (!y) return NULL;
    gnd_array *local = NULL;
    if (gndi_shape_count(x->shape) == 0 || gnd_size(c->kernel) == 0) {
        local = gnd_zeros(gndi_dist_local_shape(y), dtype);
    } else {
        bool good;
        const gnd_array *window = fetch(c, y, &good);
        if (good) local = window ? part_of(c, y, window) : gnd_zeros(gndi_dist_local_shape(y), dtype);
    }
    return x->local ? gndi_dist_done(y, fn, local) : gndi_dist_failed_like(y, x);
}

gnd_dist *gnd_dist_convolve(const gnd_dist *x, const gnd_array *kernel, gnd_correlate_mode mode) {
    convolving c = {.fn = "gnd_dist_convolve", .x = x, .kernel = kernel, .mode = mode, .numpy = true};
    return run(&c);
}

gnd_dist *gnd_dist_correlate(const gnd_dist *x, const gnd_array *kernel, gnd_correlate_mode mode) {
    convolving c = {
        .fn = "gnd_dist_correlate", .x = x, .kernel = kernel, .mode = mode, .numpy = true, .correlates = true};
    return run(&c);
}

gnd_dist *gnd_dist_convolve_nd(const gnd_dist *x, const gnd_array *kernel, gnd_correlate_mode mode,
                               gnd_convolve_method method) {
    convolving c = {.fn = "gnd_dist_convolve_nd", .x = x, .kernel = kernel, .mode = mode, .method = method};
    return run(&c);
}

gnd_dist *gnd_dist_correlate_nd(const gnd_dist *x, const gnd_array *kernel, gnd_correlate_mode mode,
                                gnd_convolve_method method) {
    convolving c = {
        .fn = "gnd_dist_correlate_nd", .x = x, .kernel = kernel, .mode = mode, .method = method, .correlates = true};
    return run(&c);
}
