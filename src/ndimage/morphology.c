/*
 * morphology.c: erosions and dilations of truths and of grey values, and what is made of them: extremes in windows
 * (extremes.c). A dilation's window is turned about its element.
 */
#include "array/view.h"
#include "ndimage/ndimage.h"
#include "rearrange/rearrange.h"
#include <gnd/compare.h>
#include <gnd/device.h>
#include <gnd/error.h>
#include <gnd/morphology.h>
#include <gnd/rearrange.h>
#include <gnd/transfer.h>

/* ---- structures ----------------------------------------------------------------------------- */

enum { MOST_RANK = 16 };

/* In a new buffer: the structure's elements, 3 to the power of rank of them. */
static uint8_t *fill_structure(const char *fn, int rank, int connectivity, int64_t count) {
    uint8_t *elements = gndi_malloc(fn, (size_t)count);
    for (int64_t i = 0; elements && i < count; i++) {
        int away = 0;
        int64_t rest = i;
        for (int a = 0; a < rank; a++, rest /= 3) away += rest % 3 != 1;
        elements[i] = away <= (connectivity < 1 ? 1 : connectivity);
    }
    return elements;
}

static gnd_array *make_structure(const char *fn, int rank, int connectivity) {
    gnd_shape shape = {.ndim = rank};
    int64_t count = 1;
    for (int a = 0; a < rank; a++) shape.dim[a] = 3, count *= 3;
    uint8_t *elements = fill_structure(fn, rank, connectivity, count);
    if (!elements) return NULL;
    GNDI_PARTS_OF(fn);
    gnd_array *structure = gnd_from_host(elements, shape, GND_BOOL);
    gndi_free(elements);
    return structure;
}

gnd_array *gnd_generate_binary_structure(int rank, int connectivity) {
    static const char fn[] = "gnd_generate_binary_structure";
    if (rank >= 0 && rank <= MOST_RANK) return make_structure(fn, rank, connectivity);
    return gndi_fail(GND_ERROR_VALUE, fn, "a rank of %d; it must be 0 to %d", rank, MOST_RANK);
}

/* ---- windows of a request ------------------------------------------------------------------- */

/* An image with its structure, as both an erosion and a dilation need it. */
typedef struct shape_of {
    gndi_image image;
    gnd_image_options options;
    const gnd_array *footprint, *values, *mask;
    gnd_shape size;
    bool truths;
} shape_of;

static const gnd_array *turned(gndi_temporaries *s, const gnd_array *a) {
    if (s->failed || !a || a->ndim == 0) return a;
    GNDI_PARTS_OF(s->fn);
    return gndi_temporaries_keep(s, gnd_flip(a, GND_ALL));
}

/* The window; of a dilation turned, with the origin on the other side. */
static bool window_of(gndi_temporaries *s, const shape_of *r, bool dilates, gndi_image_window *w,
                      const gnd_array **values) {
    gndi_image image = r->image;
    const gnd_array *footprint = dilates ? turned(s, r->footprint) : r->footprint;
    *values = dilates ? turned(s, r->values) : r->values;
    const gnd_array *shaped = footprint ? footprint : *values;
    gnd_shape size = r->size;
    if (s->failed) return false;
    if (!footprint && *values) {
        size.ndim = (*values)->ndim;
        for (int k = 0; k < size.ndim; k++) size.dim[k] = (*values)->shape[k];
    }
    for (int k = 0; dilates && k < image.count; k++) {
        int before = 0; /* a footprint's axes are in the order of the input's */
        for (int j = 0; j < image.count; j++) before += image.axis[j] < image.axis[k];
        const bool listed = !shaped || shaped->ndim != image.count;
        const int64_t n = listed ? gndi_image_number(&size, k, 3) : shaped->shape[before];
        image.origin[k] = -image.origin[k] - (n % 2 == 0);
    }
    if (!gndi_image_window_of(s, &image, &size, footprint, footprint && !r->truths, w)) return false;
    for (int a = 0; r->truths && a < image.input->ndim; a++) w->border[a] = GNDI_BORDER_CONSTANT;
    return true;
}

/* One erosion or dilation of x. */
static gnd_array *once(gndi_temporaries *s, const shape_of *r, const gnd_array *x, bool dilates, gnd_dtype output) {
    gndi_image_window w;
    const gnd_array *values;
    if (s->failed || !window_of(s, r, dilates, &w, &values)) return s->failed = true, NULL;
    return gndi_image_extremes(s, x, dilates, &w, values, r->mask, r->options.cval, output);
}

/* ---- truths --------------------------------------------------------------------------------- */

/* Checks the arguments of a function of truths. */
static bool read_truths(gndi_temporaries *s, shape_of *r, const gnd_array *input, const gnd_array *structure,
                        const gnd_array *mask, const gnd_image_options *options) {
    *r = (shape_of){.options = options ? *options : gndi_image_defaults, .truths = true};
    r->options.cval = r->options.cval != 0;
    if (!gndi_image_read(s->fn, &r->image, input, &r->options, false)) return false;
    if (mask && gndi_missing(mask)) return gndi_raise_null(s->fn, "mask"), false;
    if (mask && gndi_check_together(s->fn, input, "input", mask, "mask")) return false;
    bool fits = !mask || mask->ndim == input->ndim;
    for (int a = 0; fits && mask && a < input->ndim; a++) fits = mask->shape[a] == input->shape[a];
    if (!fits) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "the mask has shape %s, the input %s",
                   gndi_text_shape(mask->ndim, mask->shape), gndi_text_shape(input->ndim, input->shape));
        return false;
    }
    if (mask) r->mask = gndi_image_dense(s, mask, GND_BOOL);
    if (structure && gndi_missing(structure)) return gndi_raise_null(s->fn, "structure"), false;
    r->footprint = structure;
    if (!structure && r->image.count > MOST_RANK) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "there is no structure for %d axes; at most %d", r->image.count, MOST_RANK);
        return false;
    }
    if (!structure && !s->failed) {
        GNDI_PARTS_OF(s->fn);
        gnd_array *made = gndi_temporaries_keep(s, make_structure(s->fn, r->image.count, 1));
        r->footprint = made ? gndi_temporaries_keep(s, gnd_to_device(made, gnd_device_of(input))) : NULL;
    }
    return !s->failed;
}

/* x after some steps, a reference of the caller's; *last: what it was before the last one, another. */
static gnd_array *steps(const char *fn, const shape_of *r, gnd_array *x, bool dilates, int64_t count,
                        gnd_array **last) {
    gndi_temporaries all = {.fn = fn};
    gndi_image_window w;
    const gnd_array *values;
    const bool good = window_of(&all, r, dilates, &w, &values);
    for (int64_t k = 0; x && k < count; k++) {
        gndi_temporaries s = {.fn = fn, .failed = !good};
        gnd_array *next = gndi_image_extremes(&s, x, dilates, &w, values, r->mask, r->options.cval, GND_BOOL);
        next = gndi_temporaries_end(&s, next);
        if (last && k == count - 1 && next)
            *last = x;
        else
            gnd_release(x);
        x = next;
    }
    gndi_temporaries_end(&all, NULL);
    return x;
}

/* So many iterations; below 1: until a step changes nothing, which is looked at after 1, 2, 4, ... 16 more. What a
   dilation reaches is found by components, where its neighbours are such. */
static gnd_array *repeat(gndi_temporaries *s, const shape_of *r, const gnd_array *input, bool dilates,
                         int64_t iterations) {
    if (s->failed) return NULL;
    if (dilates && iterations < 1 && gndi_flood_takes(s, &r->image, r->footprint))
        return gndi_flood(s, input, r->footprint, r->mask, r->options.cval != 0);
    if (s->failed) return NULL;
    const gnd_array *bools = gndi_image_dense(s, input, GND_BOOL);
    gnd_array *x = s->failed ? NULL : gnd_retain(bools);
    if (iterations >= 1) return gndi_temporaries_keep(s, steps(s->fn, r, x, dilates, iterations, NULL));
    for (int64_t count = 1; x; count = gndi_min(2 * count, 16)) {
        gnd_array *last = NULL;
        x = steps(s->fn, r, x, dilates, count, &last);
        GNDI_PARTS_OF(s->fn);
        const bool same = x && gnd_array_equal(x, last, false);
        gnd_release(last);
        if (!x || same) break;
        if (!gnd_error()) continue;
        gnd_release(x), x = NULL;
    }
    return gndi_temporaries_keep(s, x);
}

static gnd_array *truths(const char *fn, const gnd_array *input, const gnd_array *structure, int64_t iterations,
                         const gnd_array *mask, const gnd_image_options *options, int kinds, bool first, bool second) {
    gndi_temporaries s = {.fn = fn};
    shape_of r;
    s.failed = !read_truths(&s, &r, input, structure, mask, options);
    gnd_array *out = repeat(&s, &r, input, first, iterations);
    if (kinds == 2) out = repeat(&s, &r, out, second, iterations);
    const gnd_dtype output = options && options->output != GND_DTYPE_NONE ? options->output : GND_BOOL;
    if (!s.failed && output != GND_BOOL) out = gndi_image_stored(&s, out, output);
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_binary_erosion(const gnd_array *input, const gnd_array *structure, int64_t iterations,
                              const gnd_array *mask, const gnd_image_options *options) {
    return truths("gnd_binary_erosion", input, structure, iterations, mask, options, 1, false, false);
}
gnd_array *gnd_binary_dilation(const gnd_array *input, const gnd_array *structure, int64_t iterations,
                               const gnd_array *mask, const gnd_image_options *options) {
    return truths("gnd_binary_dilation", input, structure, iterations, mask, options, 1, true, false);
}
gnd_array *gnd_binary_opening(const gnd_array *input, const gnd_array *structure, int64_t iterations,
                              const gnd_array *mask, const gnd_image_options *options) {
    return truths("gnd_binary_opening", input, structure, iterations, mask, options, 2, false, true);
}
gnd_array *gnd_binary_closing(const gnd_array *input, const gnd_array *structure, int64_t iterations,
                              const gnd_array *mask, const gnd_image_options *options) {
    return truths("gnd_binary_closing", input, structure, iterations, mask, options, 2, true, false);
}
gnd_array *gnd_binary_propagation(const gnd_array *input, const gnd_array *structure, const gnd_array *mask,
                                  const gnd_image_options *options) {
    return truths("gnd_binary_propagation", input, structure, -1, mask, options, 1, true, false);
}

gnd_array *gnd_iterate_structure(const gnd_array *structure, int64_t iterations) {
    gndi_temporaries s = {.fn = "gnd_iterate_structure"};
    shape_of r = {.options = gndi_image_defaults, .truths = true, .footprint = structure};
    gnd_image_options *const options = &r.options;
    if (gndi_missing(structure)) return gndi_raise_null(s.fn, "structure"), NULL;
    const int64_t more = iterations < 2 ? 0 : iterations - 1;
    int64_t first[GND_MAX_DIMS], shape[GND_MAX_DIMS];
    gndi_border border[GND_MAX_DIMS];
    for (int a = 0; a < structure->ndim; a++) {
        const int64_t n = structure->shape[a];
        if (more > INT32_MAX || n > INT32_MAX)
            return gndi_fail(GND_ERROR_VALUE, s.fn, "%lld iterations are too many", (long long)iterations);
        first[a] = -more * (n / 2), shape[a] = n == 0 ? 0 : n + more * (n - 1), border[a] = GNDI_BORDER_CONSTANT;
    }
    const gnd_array *bools = gndi_image_dense(&s, structure, GND_BOOL);
    gnd_array *out = NULL;
    if (s.failed || more == 0 || structure->size == 0) {
        out = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_copy_as(s.fn, bools, GND_BOOL, 'C'));
        return gndi_temporaries_end(&s, out);
    }
    out = structure->ndim > 0 ? gndi_image_extended(&s, bools, first, shape, border, 0) : (gnd_array *)(uintptr_t)bools;
    s.failed = s.failed || !gndi_image_read(s.fn, &r.image, out, options, false);
    return gndi_temporaries_end(&s, repeat(&s, &r, out, true, more));
}

/* ---- holes ---------------------------------------------------------------------------------- */

gnd_array *gnd_binary_fill_holes(const gnd_array *input, const gnd_array *structure, const gnd_image_options *options) {
    gndi_temporaries s = {.fn = "gnd_binary_fill_holes"};
    shape_of r;
    gnd_array *out = NULL;
    const gnd_dtype output = options && options->output != GND_DTYPE_NONE ? options->output : GND_BOOL;
    s.failed = !read_truths(&s, &r, input, structure, NULL, options);
    const bool plain = !structure && (!options || (options->axes.count == 0 && options->origin.ndim == 0));
    if (!s.failed && plain && input->ndim >= 2 && input->ndim <= 8 && input->size > 0) {
        out = gndi_without_holes(&s, input);
    } else if (!s.failed) {
        r.options.cval = 1;
        r.mask = gndi_step(&s, GNDI_OP_logical_not, gnd_arg_array(input), GND_NONE);
        if (!s.failed) r.mask = gndi_image_dense(&s, r.mask, GND_BOOL);
        gnd_array *none = gndi_new_on_device_of(s.fn, input, input->ndim, input->shape, GND_BOOL);
        none = gndi_temporaries_keep(&s, gndi_zero(s.fn, none));
        gnd_array *outside = repeat(&s, &r, none, true, -1);
        out = s.failed ? NULL : gndi_step(&s, GNDI_OP_logical_not, gnd_arg_array(outside), GND_NONE);
    }
    if (!s.failed && output != GND_BOOL) out = gndi_image_stored(&s, out, output);
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_binary_hit_or_miss(const gnd_array *input, const gnd_array *structure1, const gnd_array *structure2,
                                  gnd_shape origin2, const gnd_image_options *options) {
    gndi_temporaries s = {.fn = "gnd_binary_hit_or_miss"};
    gnd_image_options others = options ? *options : gndi_image_defaults;
    shape_of r;
    others.cval = 0;
    s.failed = !read_truths(&s, &r, input, structure1, NULL, &others);
    gnd_array *hit = s.failed ? NULL : once(&s, &r, gndi_image_dense(&s, input, GND_BOOL), false, GND_BOOL);
    if (!s.failed && !structure2) structure2 = gndi_step(&s, GNDI_OP_logical_not, gnd_arg_array(r.footprint), GND_NONE);
    if (origin2.ndim > 0) others.origin = origin2;
    s.failed = s.failed || !read_truths(&s, &r, input, structure2, NULL, &others);
    /* nowhere an element of what is false: the largest of the input's truths under structure2 */
    gndi_image_window w;
    const gnd_array *values;
    gnd_array *out = NULL;
    if (!s.failed && window_of(&s, &r, false, &w, &values)) {
        for (int a = 0; a < input->ndim; a++) w.border[a] = GNDI_BORDER_CONSTANT;
        const gnd_array *x = gndi_image_dense(&s, input, GND_BOOL);
        gnd_array *missed = s.failed ? NULL : gndi_image_extremes(&s, x, true, &w, NULL, NULL, 0, GND_BOOL);
        out = s.failed ? NULL : gndi_step(&s, GNDI_OP_greater, gnd_arg_array(hit), gnd_arg_array(missed));
    }
    if (!s.failed && others.output != GND_DTYPE_NONE && others.output != GND_BOOL)
        out = gndi_image_stored(&s, out, others.output);
    return gndi_temporaries_end(&s, out);
}

/* ---- grey values ---------------------------------------------------------------------------- */

typedef enum grey_kind { EROSION, DILATION, OPENING, CLOSING, GRADIENT, LAPLACE, WHITE, BLACK } grey_kind;

static bool read_grey(gndi_temporaries *s, shape_of *r, const gnd_array *input, const gnd_shape *size,
                      const gnd_array *footprint, const gnd_array *structure, const gnd_image_options *options) {
    *r = (shape_of){.options = options ? *options : gndi_image_defaults, .footprint = footprint, .size = *size};
    if (!gndi_image_read(s->fn, &r->image, input, &r->options, false)) return false;
    if (footprint && gndi_missing(footprint)) return gndi_raise_null(s->fn, "footprint"), false;
    if (structure && gndi_missing(structure)) return gndi_raise_null(s->fn, "structure"), false;
    if (!structure) return true;
    if (gndi_check_together(s->fn, input, "input", structure, "structure")) return false;
    const gnd_array *like = footprint ? footprint : structure;
    bool fits = structure->ndim == r->image.count && like->ndim == structure->ndim && structure->size > 0;
    for (int k = 0; fits && k < like->ndim; k++) fits = like->shape[k] == structure->shape[k];
    r->values = structure;
    if (fits && !gndi_dtype_is_complex(structure->dtype)) return true;
    gndi_raise(fits ? GND_ERROR_DTYPE : GND_ERROR_SHAPE, s->fn,
               "a structure that is %s does not fit %d axes that are filtered, or the footprint",
               gndi_text_array(structure), r->image.count);
    return false;
}

static gnd_array *difference(gndi_temporaries *s, gnd_array *a, const gnd_array *b) {
    if (s->failed) return NULL;
    return gndi_step(s, a->dtype == GND_BOOL ? GNDI_OP_not_equal : GNDI_OP_subtract, gnd_arg_array(a),
                     gnd_arg_array(b));
}

static gnd_array *combine(gndi_temporaries *s, const shape_of *r, const gnd_array *x, grey_kind kind) {
    const gnd_dtype own = (gnd_dtype)x->dtype, output = r->image.output;
    if (kind == EROSION || kind == DILATION) return once(s, r, x, kind == DILATION, output);
    if (kind == GRADIENT || kind == LAPLACE) {
        gnd_array *most = once(s, r, x, true, output), *least = once(s, r, x, false, output);
        if (kind == GRADIENT) return difference(s, most, least);
        const gnd_array *same = s->failed ? NULL : gndi_image_stored(s, x, output);
        gnd_array *sum = s->failed ? NULL : gndi_step(s, GNDI_OP_add, gnd_arg_array(most), gnd_arg_array(least));
        return difference(s, difference(s, sum, same), same);
    }
    const bool dilates = kind == CLOSING || kind == BLACK;
    gnd_array *between = once(s, r, x, dilates, own);
    gnd_array *y = s->failed ? NULL : once(s, r, between, !dilates, output);
    if (s->failed || kind == OPENING || kind == CLOSING) return y;
    gnd_array *same = gndi_image_stored(s, x, output);
    return kind == WHITE ? difference(s, same, y) : difference(s, y, same);
}

static gnd_array *grey(const char *fn, const gnd_array *input, const gnd_shape *size, const gnd_array *footprint,
                       const gnd_array *structure, const gnd_image_options *options, grey_kind kind) {
    gndi_temporaries s = {.fn = fn};
    shape_of r;
    if (!read_grey(&s, &r, input, size, footprint, structure, options)) return gndi_temporaries_end(&s, NULL);
    if (kind == LAPLACE && (input->dtype == GND_BOOL || r.image.output == GND_BOOL))
        return gndi_fail(GND_ERROR_DTYPE, fn, "a Laplacian has differences, which bool has not");
    return gndi_temporaries_end(&s, combine(&s, &r, input, kind));
}

gnd_array *gnd_grey_erosion(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                            const gnd_array *structure, const gnd_image_options *options) {
    return grey("gnd_grey_erosion", input, &size, footprint, structure, options, EROSION);
}
gnd_array *gnd_grey_dilation(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                             const gnd_array *structure, const gnd_image_options *options) {
    return grey("gnd_grey_dilation", input, &size, footprint, structure, options, DILATION);
}
gnd_array *gnd_grey_opening(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                            const gnd_array *structure, const gnd_image_options *options) {
    return grey("gnd_grey_opening", input, &size, footprint, structure, options, OPENING);
}
gnd_array *gnd_grey_closing(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                            const gnd_array *structure, const gnd_image_options *options) {
    return grey("gnd_grey_closing", input, &size, footprint, structure, options, CLOSING);
}
gnd_array *gnd_morphological_gradient(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                      const gnd_array *structure, const gnd_image_options *options) {
    return grey("gnd_morphological_gradient", input, &size, footprint, structure, options, GRADIENT);
}
gnd_array *gnd_morphological_laplace(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                                     const gnd_array *structure, const gnd_image_options *options) {
    return grey("gnd_morphological_laplace", input, &size, footprint, structure, options, LAPLACE);
}
gnd_array *gnd_white_tophat(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                            const gnd_array *structure, const gnd_image_options *options) {
    return grey("gnd_white_tophat", input, &size, footprint, structure, options, WHITE);
}
gnd_array *gnd_black_tophat(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                            const gnd_array *structure, const gnd_image_options *options) {
    return grey("gnd_black_tophat", input, &size, footprint, structure, options, BLACK);
}
