/*
 * convolve2d.c: convolution and correlation of matrices with a border, and filters of rows and columns.
 */
#include "convolve/convolve.h"
#include "array/view.h"
#include "elementwise/create.h"

static bool check_matrices(const char *fn, const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode) {
    if (!gndi_check_pair(fn, a, b)) return false;
    if (a->ndim != 2 || b->ndim != 2) {
        gndi_raise(GND_ERROR_SHAPE, fn, "both arrays must have two dimensions; their shapes are %s and %s",
                   gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape));
        return false;
    }
    if ((unsigned)mode > GND_VALID) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)mode);
        return false;
    }
    return true;
}

static bool read_boundary(const char *fn, const gnd_convolve2d_options *options, gndi_sliding *r) {
    static const gndi_border borders[] = {GNDI_BORDER_CONSTANT, GNDI_BORDER_WRAP, GNDI_BORDER_REFLECT};
    if (!options) return true;
    if ((unsigned)options->boundary > GND_BOUNDARY_SYMM) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no boundary number %d", (int)options->boundary);
        return false;
    }
    r->border = borders[options->boundary];
    if (options->boundary == GND_BOUNDARY_FILL) r->fill = options->fill;
    return true;
}

/* How many outputs a mode has along an axis, and which element the first tap meets. SciPy's correlate2d has its
   middle before that of its convolve2d where the number of taps is even. */
static void frame(gndi_sliding *r, gnd_correlate_mode mode) {
    for (int a = 0; a < 2; a++) {
        const int64_t n = r->x->shape[a], taps = r->k->shape[a], half = (taps - 1) / 2;
        const int64_t middle = r->backwards ? half - (taps - 1) : -half;
        r->first[a] = mode == GND_FULL ? -(taps - 1) : mode == GND_SAME ? middle : 0;
        r->count[a] = mode == GND_FULL ? n + taps - 1 : mode == GND_SAME ? n : n - taps + 1;
        if (r->count[a] < 0) r->count[a] = 0;
    }
}

static gnd_array *slide(const char *fn, const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                        const gnd_convolve2d_options *options, bool convolves) {
    gndi_sliding r = {.border = GNDI_BORDER_CONSTANT, .backwards = convolves};
    bool swaps = false;
    if (!check_matrices(fn, a, b, mode) || !read_boundary(fn, options, &r)) return NULL;
    if (mode == GND_VALID && !gndi_valid_swaps(fn, a, b, &swaps)) return NULL;
    gndi_temporaries s = {.fn = fn};
    r.x = swaps ? b : a, r.k = swaps ? a : b;
    if (!gndi_sliding_operands(&s, &r.x, &r.k)) return gndi_temporaries_end(&s, NULL);
    if (!convolves) r.k = gndi_conjugate_of(&s, r.k);
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    frame(&r, mode);
    gnd_array *out = gndi_slide(&s, &r);
    if (swaps && !convolves && out) out = gndi_reversed(&s, out);
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_convolve2d(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                          const gnd_convolve2d_options *options) {
    return slide("gnd_convolve2d", a, b, mode, options, true);
}

gnd_array *gnd_correlate2d(const gnd_array *a, const gnd_array *b, gnd_correlate_mode mode,
                           const gnd_convolve2d_options *options) {
    return slide("gnd_correlate2d", a, b, mode, options, false);
}

/* ---- rows, then columns ----------------------------------------------------------------------- */

static bool check_taps(const char *fn, const gnd_array *a, const gnd_array *taps, const char *name) {
    if (gndi_missing(taps)) return gndi_raise_null(fn, name), false;
    if (gndi_check_together(fn, a, "a", taps, name)) return false;
    if (taps->ndim != 1)
        gndi_raise(GND_ERROR_SHAPE, fn, "%s must be 1-dimensional; its shape is %s", name,
                   gndi_text_shape(taps->ndim, taps->shape));
    else if (taps->size % 2 == 0)
        gndi_raise(GND_ERROR_VALUE, fn, "%s must have an odd number of taps; it has %lld", name, (long long)taps->size);
    else
        return true;
    return false;
}

/* x filtered along an axis by a line of taps, backwards, with mirrored edges. */
static gnd_array *along(gndi_temporaries *s, const gnd_array *x, const gnd_array *taps, int axis) {
    if (s->failed) return NULL;
    const int64_t shape[2] = {axis == 0 ? taps->size : 1, axis == 1 ? taps->size : 1};
    const int64_t strides[2] = {taps->strides[0], taps->strides[0]};
    gndi_sliding r = {.x = x, .border = GNDI_BORDER_REFLECT, .backwards = true};
    r.k = gndi_temporaries_keep(
        s, gndi_array_view(s->fn, taps, 2, shape, strides, gndi_data(taps), (gnd_dtype)taps->dtype));
    if (s->failed) return NULL;
    for (int a = 0; a < 2; a++) r.count[a] = x->shape[a], r.first[a] = -(shape[a] / 2);
    return gndi_slide(s, &r);
}

gnd_array *gnd_sepfir2d(const gnd_array *a, const gnd_array *row, const gnd_array *column) {
    static const char fn[] = "gnd_sepfir2d";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (gndi_missing(row)) return gndi_raise_null(fn, "row"), NULL;
    if (gndi_missing(column)) return gndi_raise_null(fn, "column"), NULL;
    if (a->ndim != 2) {
        gndi_raise(GND_ERROR_SHAPE, fn, "a must have two dimensions; its shape is %s",
                   gndi_text_shape(a->ndim, a->shape));
        return NULL;
    }
    if (!check_taps(fn, a, row, "row") || !check_taps(fn, a, column, "column")) return NULL;
    const gnd_dtype own = (gnd_dtype)a->dtype;
    const gnd_dtype dtype = own == GND_BOOL || gndi_dtype_is_int(own) ? GND_FLOAT64 : own;
    gndi_temporaries s = {.fn = fn};
    const gnd_array *operands[3] = {a, row, column};
    for (int i = 0; i < 3 && !s.failed; i++)
        if ((gnd_dtype)operands[i]->dtype != dtype)
            operands[i] = gndi_temporaries_keep(&s, gndi_copy_as(fn, operands[i], dtype, 'K'));
    gnd_array *rows = s.failed ? NULL : along(&s, operands[0], operands[1], 1);
    return gndi_temporaries_end(&s, along(&s, rows, operands[2], 0));
}
