/*
 * random_part.c: parts of a draw. The part's axes are merged where it is whole along the inner ones; consecutive
 * elements of the last merged axis are a run. Numbers as parameters: runs are drawn with the elements between them, and
 * copied, so that each element is computed as in the whole draw, to the bit; or run by run, where launches cost less
 * than the elements between. Arrays as parameters: in one launch, whose plan knows the runs.
 */
#include "elementwise/elementwise.h"
#include "random/random.h"

enum {
    DROPPED_CPU = 1 << 8,  /* elements between two runs that take as long as another call */
    DROPPED_GPU = 1 << 20, /* as another launch */
    SLAB = 1 << 22,        /* the most elements that are drawn to be copied, unless two runs have more */
};

typedef struct box {
    const gndi_random_filling *f;
    gnd_random *g;            /* a copy of the generator */
    uint64_t position, words; /* of the draw's first element, and of each */
    int64_t first, whole;     /* the part's first element, and the draw's number of them */
    int axes;                 /* merged, the fastest last, whose step is 1 */
    int64_t count[GND_MAX_DIMS], step[GND_MAX_DIMS];
    int64_t dropped; /* DROPPED_CPU or _GPU */
} box;

/* ---- what is drawn -------------------------------------------------------------------------- */

static bool has_arrays(const gndi_random_filling *f) {
    for (int k = 0; k < f->count; k++)
        if (f->parameters[k].kind == GND_ARG_ARRAY) return true;
    return false;
}

static int words_of(const gndi_random_filling *f) {
    const gndi_distribution_info *info = &gndi_distributions[f->distribution];
    if (f->distribution != GNDI_RANDOM_integers) return f->dtype == GND_FLOAT32 ? info->words32 : info->words64;
    const gnd_arg low = f->parameters[0], high = f->parameters[1];
    const bool one = high.kind == GND_ARG_NONE;
    return gndi_random_integers_words(one ? gnd_arg_int(0) : low, one ? low : high, f->dtype, false);
}

static gnd_status check_box(const char *fn, const gnd_array *out, gnd_shape shape, const int64_t *start) {
    if (!start && out->ndim) return gndi_raise_null(fn, "start");
    bool fits = shape.ndim == out->ndim;
    for (int i = 0; fits && i < shape.ndim; i++)
        fits = start[i] >= 0 && start[i] <= shape.dim[i] && out->shape[i] <= shape.dim[i] - start[i];
    if (fits) return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, fn, "a part of shape %s is not within a draw of shape %s, or begins outside",
                      gndi_text_shape(out->ndim, out->shape),
                      shape.ndim >= 0 && shape.ndim <= GND_MAX_DIMS ? gndi_text_shape(shape.ndim, shape.dim) : "none");
}

static gnd_status merge(box *b, const gnd_array *out, gnd_shape shape, const int64_t *start) {
    if (!gndi_shape_size(shape.ndim, shape.dim, &b->whole) || b->whole > INT64_MAX / 16)
        return gndi_raise(GND_ERROR_SHAPE, b->f->fn, "a draw of shape %s is too large",
                          gndi_text_shape(shape.ndim, shape.dim));
    b->axes = gndi_merge_box(shape.ndim, shape.dim, start, out->shape, b->count, b->step, &b->first);
    return GND_OK;
}

/* ---- drawing -------------------------------------------------------------------------------- */

/* `n` elements of the draw, from element `index` on, into an array of as many. */
static gnd_status draw_run(const box *b, int64_t index, gnd_array *to) {
    b->g->state.position = b->position + (uint64_t)index * b->words;
    return to ? gndi_random_fill_into(b->f, b->g, to) : gndi_ew_pending();
}

/* `rows` runs, a step from each other, as rows of `to` from row `row` on. */
static gnd_status draw_rows(const box *b, int64_t index, int64_t row, int64_t rows, gnd_array *to) {
    const int64_t run = b->count[b->axes - 1], step = b->axes > 1 ? b->step[b->axes - 2] : run;
    const int64_t item = (int64_t)gndi_dtype_sizes[to->dtype], n = (rows - 1) * step + run;
    const int64_t shape[2] = {rows, run}, strides[2] = {step * item, item};
    const char *fn = b->f->fn;
    char *data = gndi_data(to) + row * run * item;
    gnd_array *part =
        gndi_array_view(fn, to, rows > 1 ? 2 : 1, rows > 1 ? shape : shape + 1, NULL, data, (gnd_dtype)to->dtype);
    if (rows == 1 || !part) {
        const gnd_status status = draw_run(b, index, part);
        gnd_release(part);
        return status;
    }
    gnd_stream *s = gndi_random_stream(b->g, fn);
    gnd_array *slab = s ? gndi_array_new_on(fn, s, 1, &n, (gnd_dtype)to->dtype, GNDI_ORDER_C) : NULL;
    gnd_status status = draw_run(b, index, slab);
    gnd_array *runs = status ? NULL : gndi_array_view(fn, slab, 2, shape, strides, gndi_data(slab), b->f->dtype);
    if (!status) status = runs ? gndi_copy_into(fn, part, runs) : gndi_ew_pending();
    gnd_release(runs);
    gnd_release(slab);
    gnd_release(part);
    return status;
}

/* All runs, into a dense array. */
static gnd_status draw_runs(const box *b, gnd_array *to) {
    const int64_t run = b->count[b->axes - 1];
    const int64_t rows = b->axes > 1 ? b->count[b->axes - 2] : 1, step = b->axes > 1 ? b->step[b->axes - 2] : run;
    const bool each = step - run >= b->dropped;
    const int64_t most = each || SLAB < step + run ? 1 : (SLAB - run) / step + 1;
    gnd_status status = GND_OK;
    for (int64_t row = 0; row < to->size / run && !status;) {
        const int64_t index = gndi_box_run(b->axes, b->count, b->step, b->first, row);
        const int64_t left = rows - row % rows, now = left < most ? left : most;
        status = draw_rows(b, index, row, now, to);
        row += now;
    }
    return status;
}

/* With arrays as parameters. */
static gnd_status draw_arrays(const box *b, gnd_array *to) {
    gndi_random_part part = {.axes = b->axes > 1 ? b->axes : 0};
    if (b->axes > GNDI_RANDOM_AXES)
        return gndi_raise(GND_ERROR_INVALID, b->f->fn,
                          "the part has %d axes that do not merge, and arrays as parameters", b->axes);
    for (int i = 0; i < b->axes; i++) part.count[i] = b->count[i], part.step[i] = b->step[i];
    b->g->part = &part;
    const gnd_status status = draw_run(b, b->first, to);
    b->g->part = NULL;
    return status;
}

static gnd_status draw(const box *b, gnd_array *out) {
    const gndi_random_filling *f = b->f;
    gnd_stream *s = gndi_random_stream(b->g, f->fn);
    if (!s) return gndi_ew_pending();
    if (has_arrays(f)) return draw_arrays(b, out);
    if (b->whole == 0) return gndi_random_fill_into(f, b->g, out);
    /* Of no elements one is drawn, so that wrong parameters are found. */
    const bool none = out->size == 0, dense = (gnd_dtype)out->dtype == f->dtype && gndi_is_c_contiguous(out);
    if (!none && dense) return draw_runs(b, out);
    gnd_array *drawn = gndi_array_new_on(f->fn, s, none ? 0 : out->ndim, out->shape, f->dtype, GNDI_ORDER_C);
    gnd_status status = !drawn ? gndi_ew_pending() : none ? draw_run(b, 0, drawn) : draw_runs(b, drawn);
    if (!status && !none) status = gndi_copy_into(f->fn, out, drawn);
    gnd_release(drawn);
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static gnd_status check_generator(const char *fn, const gnd_random *g, gnd_stream *s) {
    const gndi_backend *backend = s->device->backend;
    const bool knows = g->state.kind == GNDI_PHILOX || g->state.kind == GNDI_SOBOL;
    if (!g->curand && !g->numpy && knows && !g->captured && !(backend->stream_captured && backend->stream_captured(s)))
        return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn,
                      "parts are drawn by Philox and by Sobol sequences that are in no CUDA graph; draw the whole and "
                      "slice it");
}

gnd_status gnd_random_fill_part(gnd_random *g, gnd_array *out, gnd_shape shape, const int64_t *start, const char *name,
                                int count, const gnd_arg *parameters) {
    static const char fn[] = "gnd_random_fill_part";
    gndi_random_filling f;
    gnd_status status = gndi_random_filling_of(&f, fn, g, out, name, count, parameters);
    if (!status) status = check_box(fn, out, shape, start);
    gnd_stream *s = status ? NULL : gndi_random_stream(g, fn);
    if (!s) return status ? status : gndi_ew_pending();
    status = check_generator(fn, g, s);
    if (status) return status;
    gndi_lock_take(&g->lock);
    /* A generator at this one's position, which nobody else draws from. It needs no cell: no graph has it. */
    gnd_random copy = {.device = s->device,
                       .state = g->state,
                       .sobol = g->sobol,
                       .dimensions = g->dimensions,
                       .scrambled = g->scrambled};
    const bool philox = g->state.kind == GNDI_PHILOX;
    box b = {.f = &f,
             .g = &copy,
             .words = philox ? (uint64_t)words_of(&f) : 1,
             .dropped = s->device->id.kind == GND_CPU ? DROPPED_CPU : DROPPED_GPU};
    b.position = philox ? gndi_aligned_position(g->state.position, b.words) : g->state.position;
    status = merge(&b, out, shape, start);
    if (!status) status = draw(&b, out);
    if (!status && b.whole > 0) g->state.position = b.position + (uint64_t)b.whole * b.words;
    gndi_lock_give(&g->lock);
    gndi_lock_end(&copy.lock);
    return status;
}
