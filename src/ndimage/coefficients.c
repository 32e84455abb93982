/*
 * coefficients.c: the coefficients of splines through elements: filters that run forward and backward along lines
 * (src/filter/mirrored.c), one for each pole. What SciPy does at the ends is exact, however short a line is.
 */
#include "filter/filter.h"
#include "ndimage/interpolation.h"
#include <math.h>

/* By so many elements lines are continued whose ends are not the filter's own: 0.43^64 is 3e-24. Shorter lines are
   continued, too, but on the CPU, which sums what their other ends give. */
enum { CONTINUED = 64 };

/* The poles of a spline of order 2 to 5; how many. */
static int poles_of(int order, double *z) {
    switch (order) {
    case 2: z[0] = sqrt(8) - 3; return 1;
    case 3: z[0] = sqrt(3) - 2; return 1;
    case 4:
        z[0] = sqrt(664 - sqrt(438976)) + sqrt(304) - 19;
        z[1] = sqrt(664 + sqrt(438976)) - sqrt(304) - 19;
        return 2;
    default:
        z[0] = sqrt(67.5 - sqrt(4436.25)) + sqrt(26.25) - 6.5;
        z[1] = sqrt(67.5 + sqrt(4436.25)) - sqrt(26.25) - 6.5;
        return 2;
    }
}

/* The filter of a pole, y[i] = z (y[i + 1] - u[i]) gain, over a line that is mirrored about its last element, or about
   its end. u[0] has each sample once more in every period of the mirrored line, and behind the last one. */
static void set_pole(gndi_mirrored_plan *p, double z, double gain, bool about_element) {
    gndi_mirrored_order1(p, -z * gain, z, -1);
    const int64_t n = p->length, skipped = about_element ? 1 : 0;
    const double periods = 1 / (1 - pow(z, (double)(2 * (n - skipped))));
    double *near = p->start[0].weight;
    for (int k = 0; k < 3; k++) near[k] = periods * pow(z, k + 1 - skipped);
    if (about_element) {
        p->first[0] = periods, near[0] = 0;
        p->last = gain * z / (z * z - 1), p->last_before = p->last * z;
    }
    if (p->halo < n) return;
    p->start[0].count = n, p->far.count = n - skipped;
    for (int k = skipped; k < 3; k++) p->far.weight[k] = periods * pow(z, (double)(n + k + 1 - 2 * skipped));
}

static const gnd_array *filter_line(gndi_temporaries *s, const gnd_array *x, int order, int axis, gnd_image_mode mode,
                                    gnd_dtype dtype) {
    double z[2], gain = 1;
    const int poles = poles_of(order, z);
    const bool about_end = mode == GND_IMAGE_REFLECT || mode == GND_IMAGE_NEAREST;
    for (int k = 0; k < poles; k++) gain *= (1 - z[k]) * (1 - 1 / z[k]);
    for (int k = 0; k < poles && !s->failed; k++) {
        gndi_mirrored_plan p = {.length = x->shape[axis], .from = x->dtype, .to = (uint8_t)dtype};
        set_pole(&p, z[k], k == 0 ? gain : 1, !about_end);
        x = gndi_mirrored_run(s, &p, x, axis);
    }
    return x;
}

const gnd_array *gndi_spline_line(gndi_temporaries *s, const gnd_array *x, int order, int axis, gnd_image_mode mode,
                                  gnd_dtype dtype) {
    if (s->failed || order < 2 || x->size == 0 || x->shape[axis] == 1) return x;
    const int64_t n = x->shape[axis];
    if ((n >= CONTINUED || gndi_is_on_cpu(x)) && mode != GND_IMAGE_GRID_WRAP)
        return filter_line(s, x, order, axis, mode, dtype);
    int64_t first[GND_MAX_DIMS] = {0}, shape[GND_MAX_DIMS];
    gndi_border border[GND_MAX_DIMS];
    for (int a = 0; a < x->ndim; a++) shape[a] = x->shape[a], border[a] = GNDI_BORDER_MIRROR;
    if (mode == GND_IMAGE_REFLECT || mode == GND_IMAGE_NEAREST) border[axis] = GNDI_BORDER_REFLECT;
    if (mode == GND_IMAGE_GRID_WRAP) border[axis] = GNDI_BORDER_WRAP;
    first[axis] = -CONTINUED, shape[axis] += 2 * CONTINUED;
    const gnd_array *longer = gndi_image_extended(s, x, first, shape, border, 0);
    if (!s->failed) longer = filter_line(s, longer, order, axis, GND_IMAGE_MIRROR, dtype);
    gnd_array *part = gndi_step_part(s, longer, axis, CONTINUED, n, 1);
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(s->fn, part, dtype, 'C'));
}

/* Both axes of planes, in a launch for each pole; NULL without an error: they go one by one. */
static const gnd_array *filter_planes(gndi_temporaries *s, const gnd_array *x, int order, gnd_image_mode mode,
                                      gnd_dtype dtype) {
    const int row = x->ndim - 2;
    double z[2], gain = 1;
    const int poles = poles_of(order, z);
    const bool about_end = mode == GND_IMAGE_REFLECT || mode == GND_IMAGE_NEAREST;
    if (gndi_is_on_cpu(x) || x->shape[row] < CONTINUED || x->shape[row + 1] < CONTINUED || mode == GND_IMAGE_GRID_WRAP)
        return NULL;
    gndi_mirrored_plan p[2];
    for (int k = 0; k < poles; k++) gain *= (1 - z[k]) * (1 - 1 / z[k]);
    for (int k = 0; k < poles; k++) {
        p[k] = (gndi_mirrored_plan){
            .length = x->shape[row], .inner = x->shape[row + 1], .from = x->dtype, .to = (uint8_t)dtype, .both = true};
        set_pole(&p[k], z[k], k == 0 ? gain : 1, !about_end);
        if (!gndi_mirrored_takes_planes(&p[k])) return NULL;
    }
    for (int k = 0; k < poles && !s->failed; k++) x = gndi_mirrored_run(s, &p[k], x, row);
    return x;
}

const gnd_array *gndi_spline_axes(gndi_temporaries *s, const gnd_array *x, int order, int first, gnd_image_mode mode,
                                  gnd_dtype dtype) {
    for (int a = first; !s->failed && a < x->ndim; a++) {
        const bool planes = a == x->ndim - 2 && order >= 2 && x->size > 0;
        const gnd_array *both = planes ? filter_planes(s, x, order, mode, dtype) : NULL;
        if (both || s->failed) return both;
        x = gndi_spline_line(s, x, order, a, mode, dtype);
    }
    return x;
}

/* ---- the functions -------------------------------------------------------------------------- */

typedef struct request {
    int order, axis; /* axis -1: all */
    gnd_image_mode mode;
} request;

static gnd_array *filter(gndi_temporaries *s, const gndi_image *image, const gnd_array *x, double fill,
                         gnd_dtype output, const void *context) {
    const request *r = context;
    const gnd_dtype from = gndi_image_is_narrow(x->dtype) ? GND_FLOAT32 : GND_FLOAT64;
    const gnd_dtype to = output == GND_FLOAT32 || gndi_dtype_is_half(output) ? GND_FLOAT32 : GND_FLOAT64;
    (void)image, (void)fill;
    if (s->failed) return NULL;
    const gnd_array *y = gndi_image_dense(s, x, to == GND_FLOAT32 ? to : from);
    if (!s->failed)
        y = r->axis < 0 ? gndi_spline_axes(s, y, r->order, 0, r->mode, to)
                        : gndi_spline_line(s, y, r->order, r->axis, r->mode, to);
    if (!s->failed && (y == x || y == image->input)) y = gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, output, 'C'));
    return s->failed ? NULL : gndi_image_stored(s, y, output);
}

static gnd_array *coefficients(const char *fn, const gnd_array *input, int least, request *r,
                               const gnd_interpolation_options *options) {
    gnd_image_options o = {.output = options ? options->output : GND_DTYPE_NONE};
    gndi_image image;
    gndi_border border;
    gndi_temporaries s = {.fn = fn};
    if (gndi_missing(input)) return gndi_raise_null(fn, "input"), NULL;
    if (o.output == GND_DTYPE_NONE) o.output = gndi_dtype_is_complex(input->dtype) ? GND_COMPLEX128 : GND_FLOAT64;
    if (r->order < least || r->order > 5)
        return gndi_fail(GND_ERROR_VALUE, fn, "there is no spline of order %d; it must be %d to 5", r->order, least);
    r->mode = options ? options->mode : GND_IMAGE_DEFAULT;
    if (!gndi_image_border(fn, r->mode, &border) || !gndi_image_read(fn, &image, input, &o, true)) return NULL;
    if (r->axis != -1 && !gndi_normalize_axis(fn, r->axis == INT32_MIN ? -1 : r->axis, input->ndim, &r->axis))
        return NULL;
    return gndi_temporaries_end(&s, gndi_image_by_parts(&s, &image, filter, r));
}

gnd_array *gnd_spline_filter1d(const gnd_array *input, int order, int axis, const gnd_interpolation_options *options) {
    request r = {.order = order, .axis = axis == -1 ? INT32_MIN : axis};
    return coefficients("gnd_spline_filter1d", input, 0, &r, options);
}
gnd_array *gnd_image_spline_filter(const gnd_array *input, int order, const gnd_interpolation_options *options) {
    request r = {.order = order, .axis = -1};
    return coefficients("gnd_image_spline_filter", input, 2, &r, options);
}
