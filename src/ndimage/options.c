/*
 * options.c: the options of filters of pictures and fields, checked: axes, borders, origins, sizes, footprints.
 */
#include "ndimage/ndimage.h"
#include "rearrange/rearrange.h"
#include <gnd/elementwise.h>
#include <gnd/reduce.h>
#include <gnd/transfer.h>
#include <math.h>

const gnd_image_options gndi_image_defaults = {.cval = 0};

bool gndi_image_border(const char *fn, gnd_image_mode mode, gndi_border *border) {
    static const gndi_border of[] = {
        [GND_IMAGE_DEFAULT] = GNDI_BORDER_REFLECT,        [GND_IMAGE_REFLECT] = GNDI_BORDER_REFLECT,
        [GND_IMAGE_CONSTANT] = GNDI_BORDER_CONSTANT,      [GND_IMAGE_NEAREST] = GNDI_BORDER_NEAREST,
        [GND_IMAGE_MIRROR] = GNDI_BORDER_MIRROR,          [GND_IMAGE_WRAP] = GNDI_BORDER_WRAP,
        [GND_IMAGE_GRID_CONSTANT] = GNDI_BORDER_CONSTANT, [GND_IMAGE_GRID_WRAP] = GNDI_BORDER_WRAP,
    };
    if ((unsigned)mode > GND_IMAGE_GRID_WRAP) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)mode);
        return false;
    }
    *border = of[mode];
    return true;
}

bool gndi_image_list(const char *fn, const char *name, const gnd_shape *list, int count) {
    if (list->ndim == 0 || list->ndim == 1 || list->ndim == count) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "%s has %d numbers, but %d axes are filtered", name, list->ndim, count);
    return false;
}

bool gndi_image_first(const char *fn, int64_t size, int64_t origin, int axis, int64_t *first) {
    *first = -(size / 2) - origin;
    if (*first <= 0 && *first + size > 0) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "an origin of %lld along axis %d shifts a window of %lld off its element",
               (long long)origin, axis, (long long)size);
    return false;
}

/* ---- the options ---------------------------------------------------------------------------- */

static bool check_input(const char *fn, gndi_image *to, const gnd_array *input, const gnd_image_options *options,
                        bool complex) {
    if (gndi_missing(input)) return gndi_raise_null(fn, "input"), false;
    *to = (gndi_image){.input = input, .options = options ? options : &gndi_image_defaults};
    const gnd_dtype output = to->options->output, dtype = (gnd_dtype)input->dtype;
    to->output = output == GND_DTYPE_NONE ? dtype : output;
    if (output != GND_DTYPE_NONE && !gndi_dtype_valid(output))
        gndi_raise(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)output);
    else if (gndi_dtype_is_complex(dtype) && !complex)
        gndi_raise(GND_ERROR_DTYPE, fn, "the input must be real, and has dtype %s", gnd_dtype_name(dtype));
    else if (gndi_dtype_is_complex(dtype) != gndi_dtype_is_complex(to->output))
        gndi_raise(GND_ERROR_DTYPE, fn, "the output has dtype %s, but the input %s: both are complex, or none",
                   gnd_dtype_name(to->output), gnd_dtype_name(dtype));
    else
        return true;
    return false;
}

static bool read_axes(const char *fn, gndi_image *to) {
    const gnd_axes *axes = &to->options->axes;
    uint64_t mask;
    if (!gndi_normalize_axes(fn, axes, to->input->ndim, &mask)) return false;
    to->count = axes->count == 0 ? to->input->ndim : axes->count < 0 ? 0 : axes->count;
    for (int k = 0; k < to->count; k++) {
        to->axis[k] = axes->count == 0 ? k : axes->axis[k];
        if (to->axis[k] < 0) to->axis[k] += to->input->ndim;
    }
    return true;
}

/* Borders and origins of the axes. */
static bool read_lists(const char *fn, gndi_image *to) {
    if (!gndi_image_list(fn, "origin", &to->options->origin, to->count)) return false;
    for (int k = 0; k < to->count; k++) {
        const gnd_image_mode mode = to->options->modes ? to->options->modes[k] : to->options->mode;
        if (!gndi_image_border(fn, mode, &to->border[k])) return false;
        to->origin[k] = gndi_image_number(&to->options->origin, k, 0);
        if (to->origin[k] < -INT32_MAX || to->origin[k] > INT32_MAX) {
            gndi_raise(GND_ERROR_VALUE, fn, "an origin of %lld is too far away", (long long)to->origin[k]);
            return false;
        }
    }
    return true;
}

bool gndi_image_read(const char *fn, gndi_image *to, const gnd_array *input, const gnd_image_options *options,
                     bool complex) {
    return check_input(fn, to, input, options, complex) && read_axes(fn, to) && read_lists(fn, to);
}

bool gndi_image_read_axis(const char *fn, gndi_image *to, const gnd_array *input, int axis,
                          const gnd_image_options *options, bool complex) {
    if (!check_input(fn, to, input, options, complex)) return false;
    to->count = 1;
    return gndi_normalize_axis(fn, axis, input->ndim, &to->axis[0]) && read_lists(fn, to);
}

/* ---- windows -------------------------------------------------------------------------------- */

/* The footprint on the input's device, dense, with an axis for each of the input's; how many elements it has. */
static bool read_footprint(gndi_temporaries *s, const gndi_image *image, const gnd_array *footprint, bool counted,
                           gndi_image_window *to) {
    if (gndi_missing(footprint)) return gndi_raise_null(s->fn, "footprint"), false;
    if (gndi_check_together(s->fn, image->input, "input", footprint, "footprint")) return false;
    if (footprint->ndim != image->count || footprint->size == 0) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "a footprint of shape %s does not fit %d axes that are filtered",
                   gndi_text_shape(footprint->ndim, footprint->shape), image->count);
        return false;
    }
    to->mask = gndi_image_dense(s, footprint, GND_BOOL);
    if (s->failed) return false;
    to->elements = footprint->size;
    if (!counted) return true;
    GNDI_PARTS_OF(s->fn);
    gnd_array *number = gndi_temporaries_keep(s, gnd_count_nonzero(to->mask, GND_ALL));
    if (s->failed || gnd_item(number, &to->elements) != GND_OK) return false;
    if (to->elements == 0) {
        gndi_raise(GND_ERROR_VALUE, s->fn, "the footprint has no elements");
        return false;
    }
    if (to->elements == footprint->size) to->mask = NULL;
    return true;
}

bool gndi_image_window_of(gndi_temporaries *s, const gndi_image *image, const gnd_shape *size,
                          const gnd_array *footprint, bool counted, gndi_image_window *to) {
    *to = (gndi_image_window){.elements = 1};
    const int ndim = image->input->ndim;
    for (int a = 0; a < ndim; a++) to->size[a] = 1, to->border[a] = GNDI_BORDER_REFLECT;
    s->failed = true;
    if (!footprint && !gndi_image_list(s->fn, "size", size, image->count)) return false;
    s->failed = false;
    if (footprint && !read_footprint(s, image, footprint, counted, to)) return s->failed = true, false;
    s->failed = true;
    for (int a = 0, next = 0; footprint && a < ndim; a++) /* a footprint's axes are in the order of the input's */
        for (int k = 0; k < image->count; k++)
            if (image->axis[k] == a) to->size[a] = footprint->shape[next++];
    for (int k = 0; k < image->count; k++) {
        const int a = image->axis[k];
        if (!footprint) to->size[a] = gndi_image_number(size, k, 3);
        if (to->size[a] < 1 || to->size[a] >= INT32_MAX) {
            gndi_raise(GND_ERROR_VALUE, s->fn, "a window of %lld elements along axis %d; it must have 1 to 2^31 - 2",
                       (long long)to->size[a], a);
            return false;
        }
        if (!footprint) to->elements = gndi_min(to->elements * to->size[a], INT32_MAX);
        to->border[a] = image->border[k];
        if (!gndi_image_first(s->fn, to->size[a], image->origin[k], a, &to->first[a])) return false;
    }
    s->failed = false;
    return true;
}

/* ---- dtypes --------------------------------------------------------------------------------- */

const gnd_array *gndi_image_dense(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    if (s->failed || ((gnd_dtype)a->dtype == dtype && gndi_is_c_contiguous(a))) return a;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

gnd_array *gndi_image_stored(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    if (!s->failed && dtype == GND_BOOL && a->dtype != GND_BOOL) a = gndi_image_dense(s, a, GND_INT64);
    return s->failed ? NULL : (gnd_array *)(uintptr_t)gndi_image_dense(s, a, dtype);
}
