/*
 * ranks.c: the element of a rank in windows, by the filters by order (src/convolve) of an array that is continued
 * beyond its ends; and functions of windows.
 */
#include "array/view.h"
#include "convolve/order.h"
#include "ndimage/ndimage.h"
#include "rearrange/rearrange.h"
#include <gnd/mask.h>
#include <gnd/rearrange.h>

/* ---- continued arrays ----------------------------------------------------------------------- */

/* x with what its windows need beyond its ends. */
static gnd_array *continued(gndi_temporaries *s, const gnd_array *x, const gndi_image_window *w, double fill) {
    int64_t shape[GND_MAX_DIMS];
    for (int a = 0; a < x->ndim; a++) shape[a] = x->shape[a] + w->size[a] - 1;
    return gndi_image_extended(s, x, w->first, shape, w->border, fill);
}

/* Bool elements as bytes. */
static const gnd_array *as_bytes(gndi_temporaries *s, const gnd_array *a) {
    return !s->failed && a->dtype == GND_BOOL ? gndi_image_dense(s, a, GND_UINT8) : a;
}

/* ---- ranks ---------------------------------------------------------------------------------- */

typedef enum rank_kind { RANK, MEDIAN, PERCENTILE } rank_kind;

/* The rank that is meant in a window; false, and raised. */
static bool find_rank(const char *fn, rank_kind kind, int64_t rank, double percentile, int64_t elements, int64_t *to) {
    const double share = percentile < 0 ? percentile + 100 : percentile;
    if (kind == PERCENTILE && !(share >= 0 && share <= 100)) {
        gndi_raise(GND_ERROR_VALUE, fn, "a percentile of %g; it must be from -100 to 100", percentile);
        return false;
    }
    *to = rank < 0 ? rank + elements : rank;
    if (kind == MEDIAN) *to = elements / 2;
    if (kind == PERCENTILE) *to = share == 100 ? elements - 1 : (int64_t)((double)elements * share / 100);
    if (*to >= 0 && *to < elements) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "there is no rank %lld in a window of %lld elements", (long long)rank,
               (long long)elements);
    return false;
}

/* The window of odd sizes that the filters by order take: an even size is one larger, without its last elements. */
static const gnd_array *odd_window(gndi_temporaries *s, const gnd_array *x, const gndi_image_window *w, int64_t *odd) {
    bool even = false;
    for (int a = 0; a < x->ndim; a++) odd[a] = w->size[a] | 1, even |= w->size[a] % 2 == 0;
    if (!even && !w->mask) return NULL;
    gnd_array *mask = gndi_new_on_device_of(s->fn, x, x->ndim, odd, GND_BOOL);
    mask = gndi_temporaries_keep(s, gndi_zero(s->fn, mask));
    gnd_array *part = mask;
    for (int a = 0; a < x->ndim && !s->failed; a++) part = gndi_step_part(s, part, a, 0, w->size[a], 1);
    if (s->failed) return NULL;
    gnd_array *shaped = w->mask ? gndi_temporaries_keep(s, gndi_reshaped(s->fn, w->mask, x->ndim, w->size)) : NULL;
    if (!s->failed) s->failed = gndi_assign(s->fn, part, shaped ? gnd_arg_array(shaped) : gnd_arg_bool(true)) != GND_OK;
    return mask;
}

/* Elements of a rank, where there is a kernel that applies the border; else NULL. */
static gnd_array *with_border(gndi_temporaries *s, const gnd_array *x, const gndi_image_window *w, double fill,
                              int64_t rank) {
    gndi_order_border border = {.fill = gndi_image_bits(fill, x->dtype)};
    for (int a = gndi_max(x->ndim - 2, 0); a < x->ndim; a++) {
        border.first[a - x->ndim + 2] = w->first[a], border.mode[a - x->ndim + 2] = w->border[a];
        if (w->size[a] % 2 == 0) return NULL;
    }
    return w->mask ? NULL : gndi_order_filter_bordered(s, x, w->size, rank, &border);
}

/* Of an array with at least one axis. */
static gnd_array *of_rank(gndi_temporaries *s, const gndi_image *image, const gndi_image_window *w, int64_t rank) {
    const gnd_array *x = as_bytes(s, image->input);
    gndi_image_window wider = *w;
    int64_t odd[GND_MAX_DIMS];
    if (s->failed) return NULL;
    const double fill = image->input->dtype == GND_BOOL ? image->options->cval != 0 : image->options->cval;
    gnd_array *found = with_border(s, x, w, fill, rank);
    if (found && (gnd_dtype)found->dtype == image->output) return found;
    if (found) return gndi_temporaries_keep(s, gndi_copy_as(s->fn, found, image->output, 'C'));
    const gnd_array *mask = odd_window(s, x, w, odd);
    for (int a = 0; a < x->ndim; a++) wider.size[a] = odd[a];
    gnd_array *longer = continued(s, x, &wider, fill);
    gnd_array *out = s->failed ? NULL : gndi_order_filter(s, longer, odd, mask, rank);
    for (int a = 0; a < x->ndim && !s->failed; a++) out = gndi_step_part(s, out, a, odd[a] / 2, x->shape[a], 1);
    if (s->failed) return NULL;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, out, image->output, 'C'));
}

static gnd_array *ranks(const char *fn, const gnd_array *input, rank_kind kind, int64_t rank, double percentile,
                        const gnd_shape *size, const gnd_array *footprint, const gnd_image_options *options) {
    gndi_image image;
    gndi_temporaries s = {.fn = fn};
    gndi_image_window window;
    gnd_array *out = NULL;
    if (!gndi_image_read(fn, &image, input, options, false)) return NULL;
    if (input->dtype != GND_BOOL && !gndi_order_takes(fn, input, "input")) return NULL;
    if (gndi_image_window_of(&s, &image, size, footprint, footprint != NULL, &window)) {
        s.failed = window.elements == INT32_MAX && !footprint;
        if (s.failed) gndi_raise(GND_ERROR_VALUE, fn, "the window has 2^31 elements or more");
        s.failed = s.failed || !find_rank(fn, kind, rank, percentile, window.elements, &rank);
        const bool exact = gndi_dtype_sizes[input->dtype] < 8 || input->dtype == GND_FLOAT64;
        const bool extreme = exact && (rank == 0 || rank == window.elements - 1);
        if (!s.failed && (extreme || input->ndim == 0 || input->size == 0))
            out = gndi_image_extremes(&s, input, rank > 0, &window, NULL, NULL, options ? options->cval : 0,
                                      image.output);
        else if (!s.failed)
            out = of_rank(&s, &image, &window, rank);
    }
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_rank_filter(const gnd_array *input, int64_t rank, gnd_shape size, const gnd_array *footprint,
                           const gnd_image_options *options) {
    return ranks("gnd_rank_filter", input, RANK, rank, 0, &size, footprint, options);
}
gnd_array *gnd_median_filter(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                             const gnd_image_options *options) {
    return ranks("gnd_median_filter", input, MEDIAN, 0, 0, &size, footprint, options);
}
gnd_array *gnd_percentile_filter(const gnd_array *input, double percentile, gnd_shape size, const gnd_array *footprint,
                                 const gnd_image_options *options) {
    return ranks("gnd_percentile_filter", input, PERCENTILE, 0, percentile, &size, footprint, options);
}

/* ---- functions of windows ------------------------------------------------------------------- */

/* On the CPU parts stay in its cache, in copies that are long enough. */
enum { PART_BYTES = 256 << 20, CPU_PART_BYTES = 1 << 20, CPU_COPY_BYTES = 1 << 14 };

/* What the program's function gives, checked: of a shape. */
static gnd_array *call(gndi_temporaries *s, gnd_image_function *function, const gnd_array *windows, void *context,
                       int ndim, const int64_t *shape) {
    gnd_array *result;
    if (s->failed) return NULL;
    {
        GNDI_CALLING_BACK();
        result = gndi_temporaries_keep(s, function(windows, context));
    }
    if (s->failed) return NULL;
    bool fits = result->ndim == ndim;
    for (int a = 0; fits && a < ndim; a++) fits = result->shape[a] == shape[a];
    if (fits) return result;
    gndi_raise(GND_ERROR_SHAPE, s->fn, "the function's result has shape %s instead of %s",
               gndi_text_shape(result->ndim, result->shape), gndi_text_shape(ndim, shape));
    s->failed = true;
    return NULL;
}

/* The windows of `rows` of x's first axis, from `longer`, as a dense array with one axis more. */
static gnd_array *gather(gndi_temporaries *s, const gnd_array *longer, const gnd_array *x, const gndi_image_window *w,
                         int64_t first, int64_t rows) {
    gnd_shape window = {.ndim = x->ndim};
    int64_t shape[GND_MAX_DIMS + 1], elements = 1;
    for (int a = 0; a < x->ndim; a++) {
        window.dim[a] = w->size[a], elements *= w->size[a];
        shape[a] = a == 0 ? rows : x->shape[a];
    }
    shape[x->ndim] = elements;
    GNDI_PARTS_OF(s->fn);
    gnd_array *some = gndi_step_part(s, longer, 0, first, rows + w->size[0] - 1, 1);
    gnd_array *view =
        s->failed ? NULL : gndi_temporaries_keep(s, gnd_sliding_window_view(some, window, GND_ALL, false));
    gnd_array *flat = view ? gndi_temporaries_keep(s, gndi_reshaped(s->fn, view, x->ndim + 1, shape)) : NULL;
    if (!flat || !w->mask) return flat;
    gnd_array *mask = gndi_temporaries_keep(s, gndi_reshaped(s->fn, w->mask, 1, &elements));
    return mask ? gndi_temporaries_keep(s, gnd_compress(mask, flat, GND_AXES(-1))) : NULL;
}

/* The same on the CPU, where an element of all windows is a plane: a part of `longer`. truths: which elements there
   are, `count` of them. */
static gnd_array *gather_planes(gndi_temporaries *s, const gnd_array *longer, const gnd_array *x,
                                const gndi_image_window *w, const uint8_t *truths, int64_t count, int64_t first,
                                int64_t rows) {
    int64_t shape[GND_MAX_DIMS + 1], elements = 1;
    shape[0] = count, shape[1] = rows;
    for (int a = 0; a < x->ndim; a++) elements *= w->size[a];
    for (int a = 1; a < x->ndim; a++) shape[a + 1] = x->shape[a];
    gnd_array *planes =
        gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, x, x->ndim + 1, shape, (gnd_dtype)x->dtype));
    for (int64_t e = 0, plane = 0; e < elements && !s->failed; e++) {
        gndi_temporaries part = {.fn = s->fn};
        int64_t rest = e;
        if (truths && !truths[e]) continue;
        const gnd_array *from = longer;
        for (int a = x->ndim - 1; a >= 0 && !part.failed; rest /= w->size[a], a--)
            from = gndi_step_part(&part, from, a, rest % w->size[a] + (a ? 0 : first), shape[a + 1], 1);
        gnd_array *to = part.failed ? NULL : gndi_step_at(&part, planes, 0, plane++);
        if (!part.failed) part.failed = gndi_copy_into(s->fn, to, from) != GND_OK;
        gndi_temporaries_end_part(s, &part);
    }
    if (s->failed) return NULL;
    GNDI_PARTS_OF(s->fn);
    return gndi_temporaries_keep(s, gnd_moveaxis(planes, GND_AXES(0), GND_AXES(x->ndim)));
}

/* The mask's elements on the host, and how many are true; NULL: all. */
static uint8_t *truths_of(gndi_temporaries *s, const gndi_image_window *w, int64_t *count) {
    uint8_t *truths = s->failed || !w->mask ? NULL : gndi_malloc(s->fn, (size_t)*count);
    if (s->failed || !w->mask) return NULL;
    GNDI_PARTS_OF(s->fn);
    s->failed = !truths || gnd_to_host(w->mask, truths, (size_t)*count) != GND_OK;
    const int64_t elements = *count;
    *count = 0;
    for (int64_t e = 0; e < elements && !s->failed; e++) *count += truths[e] != 0;
    return truths;
}

/* How many rows of the first axis make a part. */
static int64_t part_rows(const gnd_array *x, int64_t elements) {
    const double row = (double)(x->size / x->shape[0]) * (double)gndi_itemsize(x);
    if (!gndi_is_on_cpu(x)) return gndi_max(1, (int64_t)(PART_BYTES / (row * (double)elements)));
    return gndi_max(1, (int64_t)gndi_max(CPU_PART_BYTES / (row * (double)elements), CPU_COPY_BYTES / row));
}

static gnd_array *function_of(gndi_temporaries *s, const gndi_image *image, const gndi_image_window *w,
                              gnd_image_function *function, void *context) {
    const gnd_dtype dtype = image->input->dtype == GND_FLOAT32 ? GND_FLOAT32 : GND_FLOAT64;
    const gnd_array *x = gndi_image_dense(s, image->input, dtype);
    gnd_array *out = s->failed ? NULL : gndi_new_on_device_of(s->fn, x, x->ndim, x->shape, image->output);
    if (!s->failed) out = gndi_temporaries_keep(s, out);
    if (s->failed || out->size == 0) return out;
    gnd_array *longer = continued(s, x, w, image->options->cval);
    int64_t shape[GND_MAX_DIMS], elements = 1;
    for (int a = 0; a < x->ndim; a++) shape[a] = x->shape[a], elements *= w->size[a];
    const int64_t most = part_rows(x, elements);
    uint8_t *truths = gndi_is_on_cpu(x) ? truths_of(s, w, &elements) : NULL;
    for (int64_t first = 0; first < x->shape[0] && !s->failed; first += most) {
        gndi_temporaries part = {.fn = s->fn};
        shape[0] = gndi_min(most, x->shape[0] - first);
        const gnd_array *windows = gndi_is_on_cpu(x)
                                       ? gather_planes(&part, longer, x, w, truths, elements, first, shape[0])
                                       : gather(&part, longer, x, w, first, shape[0]);
        gnd_array *result = call(&part, function, windows, context, x->ndim, shape);
        gnd_array *to = part.failed ? NULL : gndi_step_part(&part, out, 0, first, shape[0], 1);
        if (!part.failed) part.failed = gndi_copy_into(s->fn, to, result) != GND_OK;
        gndi_temporaries_end_part(s, &part);
    }
    gndi_free(truths);
    return out;
}

gnd_array *gnd_generic_filter(const gnd_array *input, gnd_image_function *function, void *context, gnd_shape size,
                              const gnd_array *footprint, const gnd_image_options *options) {
    static const char fn[] = "gnd_generic_filter";
    gndi_image image;
    gndi_temporaries s = {.fn = fn};
    gndi_image_window window;
    gnd_array *out = NULL;
    if (!function) return gndi_raise_null(fn, "function"), NULL;
    if (!gndi_image_read(fn, &image, input, options, false)) return NULL;
    if (input->ndim == 0 || input->ndim == GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn, "the input has %d dimensions; it must have 1 to %d", input->ndim,
                         GND_MAX_DIMS - 1);
    if (gndi_image_window_of(&s, &image, &size, footprint, footprint != NULL, &window))
        out = function_of(&s, &image, &window, function, context);
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_generic_filter1d(const gnd_array *input, gnd_image_function *function, void *context, int64_t size,
                                int axis, const gnd_image_options *options) {
    static const char fn[] = "gnd_generic_filter1d";
    gndi_image image;
    gndi_temporaries s = {.fn = fn};
    gndi_image_window window;
    gnd_array *out = NULL;
    if (!function) return gndi_raise_null(fn, "function"), NULL;
    if (!gndi_image_read_axis(fn, &image, input, axis, options, false)) return NULL;
    if (!gndi_image_window_of(&s, &image, &GND_SHAPE(size), NULL, false, &window))
        return gndi_temporaries_end(&s, NULL);
    GNDI_PARTS_OF(fn);
    const int from = image.axis[0], last = input->ndim - 1;
    const gnd_dtype dtype = input->dtype == GND_FLOAT32 ? GND_FLOAT32 : GND_FLOAT64;
    const gnd_array *x = gndi_image_dense(&s, input, dtype);
    if (!s.failed && input->size > 0) {
        gnd_array *longer = continued(&s, x, &window, image.options->cval);
        gnd_array *lines = s.failed ? NULL : gnd_moveaxis(longer, GND_AXES(from), GND_AXES(last));
        if (!s.failed) gndi_temporaries_keep(&s, lines);
        if (s.failed) return gndi_temporaries_end(&s, NULL);
        int64_t shape[GND_MAX_DIMS];
        for (int a = 0; a < last; a++) shape[a] = lines->shape[a];
        shape[last] = input->shape[from];
        gnd_array *result = call(&s, function, lines, context, input->ndim, shape);
        out = s.failed ? NULL : gndi_temporaries_keep(&s, gnd_moveaxis(result, GND_AXES(last), GND_AXES(from)));
        x = out;
    }
    out = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_copy_as(fn, x, image.output, 'C'));
    return gndi_temporaries_end(&s, out);
}
