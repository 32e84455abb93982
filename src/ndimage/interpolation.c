/*
 * interpolation.c: splines at coordinates: given ones, and those of affine transforms, shifts, zooms and rotations.
 */
#include "ndimage/interpolation.h"
#include "array/view.h"
#include "ndimage/sample_plan.h"
#include "rearrange/rearrange.h"
#include <gnd/rearrange.h>
#include <math.h>

/* SciPy continues an input whose ends its prefilter does not have by so many elements. */
enum { PREPADDED = 12 };

/* What is asked for: the last `ndim` axes of an input are sampled. */
typedef struct request {
    gndi_sample_plan plan;
    const gnd_array *coordinates;
    int out_ndim; /* of the result, with the axes before the sampled ones */
    int64_t out_shape[GND_MAX_DIMS];
    bool filtered;
} request;

/* ---- one real array ------------------------------------------------------------------------- */

/* The input, continued, as coefficients. */
static const gnd_array *prepare(gndi_temporaries *s, request *r, const gnd_array *x, double fill, gnd_dtype dtype) {
    const gnd_image_mode mode = (gnd_image_mode)r->plan.mode;
    const bool pads = mode == GND_IMAGE_NEAREST || mode == GND_IMAGE_GRID_CONSTANT;
    x = gndi_image_dense(s, x, dtype);
    r->plan.pad = 0;
    if (s->failed || r->filtered || r->plan.order < 2 || x->size == 0) return x;
    const int outer = x->ndim - r->plan.ndim;
    if (pads) {
        int64_t first[GND_MAX_DIMS] = {0}, shape[GND_MAX_DIMS];
        gndi_border border[GND_MAX_DIMS];
        for (int a = 0; a < x->ndim; a++) {
            shape[a] = x->shape[a] + (a < outer ? 0 : 2 * PREPADDED), first[a] = a < outer ? 0 : -PREPADDED;
            border[a] = mode == GND_IMAGE_NEAREST ? GNDI_BORDER_NEAREST : GNDI_BORDER_CONSTANT;
        }
        x = gndi_image_extended(s, x, first, shape, border, fill);
        r->plan.pad = PREPADDED;
    }
    return s->failed ? NULL : gndi_spline_axes(s, x, r->plan.order, outer, mode, dtype);
}

/* How SciPy stores results of an integer dtype. */
static void set_rounding(gndi_sample_plan *p, gnd_dtype output) {
    if (!gndi_dtype_is_int(output)) return;
    const bool is_signed = output <= GND_INT64 &&
                           (output == GND_INT8 || output == GND_INT16 || output == GND_INT32 || output == GND_INT64);
    p->rounding = is_signed ? GNDI_SAMPLE_SIGNED : GNDI_SAMPLE_UNSIGNED;
    p->most = ldexp(1, 8 * gndi_dtype_sizes[output]) - (output == GND_UINT64 ? 2048 : 1);
}

static gnd_array *sample(gndi_temporaries *s, const gndi_image *image, const gnd_array *x, double fill,
                         gnd_dtype output, const void *context) {
    request r = *(const request *)context;
    gndi_sample_plan *p = &r.plan;
    (void)image;
    if (s->failed) return NULL;
    const bool floats = gndi_dtype_is_float(output) && gndi_dtype_is_float(x->dtype);
    const bool copies = r.plan.order == 0 && fill == (float)fill; /* float32 has what is copied */
    const bool narrow = gndi_image_is_narrow(output) && gndi_image_is_narrow(x->dtype) && (floats || copies);
    const gnd_dtype dtype = narrow ? GND_FLOAT32 : GND_FLOAT64;
    const gnd_array *c = prepare(s, &r, x, fill, dtype);
    gnd_array *out = s->failed ? NULL : gndi_new_on_device_of(s->fn, x, r.out_ndim, r.out_shape, dtype);
    if (!s->failed) out = gndi_temporaries_keep(s, out);
    if (s->failed || out->size == 0) return s->failed ? NULL : gndi_image_stored(s, out, output);
    if (c->size == 0) {
        s->failed = gndi_assign(s->fn, out, gnd_arg_real(fill)) != GND_OK;
        return s->failed ? NULL : gndi_image_stored(s, out, output);
    }
    const gnd_array *read[2] = {c, r.coordinates};
    gnd_stream *stream = gndi_work_begin(s->fn, 2, read, 1, (const gnd_array *[]){out});
    s->failed = !stream;
    if (s->failed) return NULL;
    p->outer = 1;
    for (int a = 0; a < c->ndim; a++)
        if (a < c->ndim - p->ndim)
            p->outer *= c->shape[a];
        else
            p->x_shape[a - (c->ndim - p->ndim)] = c->shape[a];
    p->count = out->size / p->outer, p->fill = fill, p->dtype = (uint8_t)dtype;
    set_rounding(p, output);
    p->x = gndi_data(c), p->out = gndi_data(out), p->coordinates = r.coordinates ? gndi_data(r.coordinates) : NULL;
    s->failed = gndi_work_end(stream, stream->device->backend->sample(stream, p, s->fn), s->fn) != GND_OK;
    return s->failed ? NULL : gndi_image_stored(s, out, output);
}

/* ---- arguments ------------------------------------------------------------------------------ */

/* Checks what all functions have, and begins a request. */
static bool begin(const char *fn, request *r, gndi_image *image, gnd_image_options *kept, const gnd_array *input,
                  int order, const gnd_interpolation_options *options) {
    gndi_border border;
    *kept =
        (gnd_image_options){.cval = options ? options->cval : 0, .output = options ? options->output : GND_DTYPE_NONE};
    *r = (request){.plan = {.order = order, .mode = options ? (uint8_t)options->mode : 0},
                   .filtered = options && options->filtered};
    if (options && !gndi_image_border(fn, options->mode, &border)) return false;
    if (r->plan.mode == GND_IMAGE_DEFAULT) r->plan.mode = GND_IMAGE_CONSTANT;
    if (!gndi_image_read(fn, image, input, kept, true)) return false;
    if (order < 0 || order > 5) {
        gndi_raise(GND_ERROR_VALUE, fn, "there is no spline of order %d; it must be 0 to 5", order);
        return false;
    }
    r->plan.ndim = input->ndim;
    if (input->ndim >= 1 && input->ndim <= GNDI_SAMPLE_AXES) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "the input must have 1 to %d dimensions; its shape is %s", GNDI_SAMPLE_AXES,
               gndi_text_shape(input->ndim, input->shape));
    return false;
}

/* The result's shape. */
static bool set_shape(const char *fn, request *r, int ndim, const int64_t *shape) {
    for (int a = 0; a < ndim; a++)
        if (shape[a] < 0) {
            gndi_raise(GND_ERROR_SHAPE, fn, "there is no shape %s", gndi_text_shape(ndim, shape));
            return false;
        }
    r->out_ndim = ndim;
    memcpy(r->out_shape, shape, (size_t)ndim * sizeof *shape);
    return true;
}

/* The same of an affine transform, whose axes are the plan's. */
static bool set_affine_shape(const char *fn, request *r, int ndim, const int64_t *shape) {
    if (ndim < 1 || ndim > GNDI_SAMPLE_AXES) {
        gndi_raise(GND_ERROR_SHAPE, fn, "the output must have 1 to %d dimensions, and has %d", GNDI_SAMPLE_AXES, ndim);
        return false;
    }
    if (!set_shape(fn, r, ndim, shape)) return false;
    r->plan.out_ndim = ndim;
    memcpy(r->plan.out_shape, shape, (size_t)ndim * sizeof *shape);
    return true;
}

static gnd_array *run(const char *fn, const gndi_image *image, const request *r) {
    gndi_temporaries s = {.fn = fn};
    const gnd_array *x = image->input;
    if (!gndi_dtype_is_complex(x->dtype))
        return gndi_temporaries_end(&s, sample(&s, image, x, image->options->cval, image->output, r));
    const gnd_dtype part = image->output == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    gnd_array *out = gndi_temporaries_keep(&s, gndi_new_on_device_of(fn, x, r->out_ndim, r->out_shape, image->output));
    for (int k = 0; k < 2 && !s.failed; k++) {
        gnd_array *from = gndi_temporaries_keep(&s, gndi_complex_part(fn, x, k == 1));
        gnd_array *to = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_complex_part(fn, out, k == 1));
        gnd_array *y = s.failed ? NULL : sample(&s, image, from, k == 0 ? image->options->cval : 0, part, r);
        if (!s.failed) s.failed = gndi_copy_into(fn, to, y) != GND_OK;
    }
    return gndi_temporaries_end(&s, out);
}

/* ---- coordinates ---------------------------------------------------------------------------- */

static gnd_array *at_coordinates(const char *fn, gndi_image *image, request *r, const gnd_array *coordinates) {
    const gnd_array *input = image->input;
    gndi_temporaries s = {.fn = fn};
    if (gndi_missing(coordinates)) return gndi_raise_null(fn, "coordinates"), NULL;
    if (gndi_check_together(fn, input, "input", coordinates, "coordinates")) return NULL;
    if (gndi_dtype_is_complex(coordinates->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "coordinates must be real, and have dtype %s",
                         gnd_dtype_name((gnd_dtype)coordinates->dtype));
    if (coordinates->ndim < 2 || coordinates->shape[0] != input->ndim)
        return gndi_fail(GND_ERROR_SHAPE, fn, "coordinates of an input of shape %s have shape (%d, ...), not %s",
                         gndi_text_shape(input->ndim, input->shape), input->ndim,
                         gndi_text_shape(coordinates->ndim, coordinates->shape));
    if (!set_shape(fn, r, coordinates->ndim - 1, coordinates->shape + 1)) return NULL;
    const bool narrow = gndi_image_is_narrow(coordinates->dtype);
    r->coordinates = gndi_image_dense(&s, coordinates, narrow ? GND_FLOAT32 : GND_FLOAT64);
    r->plan.coordinates_dtype = narrow ? GND_FLOAT32 : GND_FLOAT64;
    gnd_array *out = s.failed ? NULL : run(fn, image, r);
    if (out) gndi_temporaries_keep(&s, out);
    s.failed |= !out;
    return gndi_temporaries_end(&s, out);
}

gnd_array *gnd_map_coordinates(const gnd_array *input, const gnd_array *coordinates, int order,
                               const gnd_interpolation_options *options) {
    static const char fn[] = "gnd_map_coordinates";
    request r;
    gndi_image image;
    gnd_image_options kept;
    if (!begin(fn, &r, &image, &kept, input, order, options)) return NULL;
    return at_coordinates(fn, &image, &r, coordinates);
}

gnd_array *gnd_geometric_transform(const gnd_array *input, gnd_image_mapping_function *mapping, void *context,
                                   int order, const gnd_interpolation_options *options) {
    static const char fn[] = "gnd_geometric_transform";
    request r;
    gndi_image image;
    gnd_image_options kept;
    gndi_temporaries s = {.fn = fn};
    if (!mapping) return gndi_raise_null(fn, "mapping"), NULL;
    if (!begin(fn, &r, &image, &kept, input, order, options)) return NULL;
    gnd_shape shape = options ? options->output_shape : (gnd_shape){.ndim = 0};
    if (shape.ndim == 0) {
        shape.ndim = input->ndim;
        for (int a = 0; a < input->ndim; a++) shape.dim[a] = input->shape[a];
    }
    gnd_array *indices, *coordinates = NULL;
    {
        GNDI_PARTS_OF(fn);
        gnd_array *made = gndi_temporaries_keep(&s, gnd_indices(shape, GND_INT64));
        indices = made ? gndi_temporaries_keep(&s, gnd_to_device(made, gnd_device_of(input))) : NULL;
    }
    if (!s.failed) {
        GNDI_CALLING_BACK();
        coordinates = gndi_temporaries_keep(&s, mapping(indices, context));
    }
    gnd_array *out = s.failed ? NULL : at_coordinates(fn, &image, &r, coordinates);
    if (out) gndi_temporaries_keep(&s, out);
    s.failed |= !out;
    return gndi_temporaries_end(&s, out);
}

/* ---- affine transforms ---------------------------------------------------------------------- */

gnd_array *gnd_affine_transform(const gnd_array *input, const double *matrix, const double *offset, int order,
                                const gnd_interpolation_options *options) {
    static const char fn[] = "gnd_affine_transform";
    request r;
    gndi_image image;
    gnd_image_options kept;
    if (!matrix) return gndi_raise_null(fn, "matrix"), NULL;
    if (!begin(fn, &r, &image, &kept, input, order, options)) return NULL;
    const bool given = options && options->output_shape.ndim > 0;
    const int columns = given ? options->output_shape.ndim : input->ndim;
    if (!set_affine_shape(fn, &r, columns, given ? options->output_shape.dim : input->shape)) return NULL;
    for (int i = 0; i < input->ndim; i++) {
        for (int j = 0; j < columns; j++) r.plan.matrix[i][j] = matrix[i * columns + j];
        r.plan.offset[i] = offset ? offset[i] : 0;
    }
    return run(fn, &image, &r);
}

gnd_array *gnd_shift(const gnd_array *input, const double *shift, int order, const gnd_interpolation_options *options) {
    static const char fn[] = "gnd_shift";
    request r;
    gndi_image image;
    gnd_image_options kept;
    if (!shift) return gndi_raise_null(fn, "shift"), NULL;
    if (!begin(fn, &r, &image, &kept, input, order, options)) return NULL;
    if (!set_affine_shape(fn, &r, input->ndim, input->shape)) return NULL;
    for (int i = 0; i < input->ndim; i++) r.plan.matrix[i][i] = 1, r.plan.ahead[i] = -shift[i];
    return run(fn, &image, &r);
}

gnd_array *gnd_zoom(const gnd_array *input, const double *factor, int order, const gnd_interpolation_options *options) {
    static const char fn[] = "gnd_zoom";
    const bool grid = options && options->grid_mode;
    request r;
    gndi_image image;
    gnd_image_options kept;
    int64_t shape[GND_MAX_DIMS];
    bool same = true;
    if (!factor) return gndi_raise_null(fn, "factor"), NULL;
    if (!begin(fn, &r, &image, &kept, input, order, options)) return NULL;
    for (int i = 0; i < input->ndim; i++) {
        const double length = nearbyint((double)input->shape[i] * factor[i]);
        if (!(length >= 0 && length < 0x1p62))
            return gndi_fail(GND_ERROR_VALUE, fn, "a factor of %g along axis %d of %lld elements", factor[i], i,
                             (long long)input->shape[i]);
        shape[i] = (int64_t)length, same = same && factor[i] == 1;
        const double from = (double)input->shape[i] - !grid, to = length - !grid;
        r.plan.matrix[i][i] = to == 0 ? 1 : from / to;
        if (grid) r.plan.ahead[i] = 0.5, r.plan.offset[i] = -0.5;
    }
    if (same && !r.filtered) {
        gndi_temporaries s = {.fn = fn};
        return gndi_temporaries_end(&s, gndi_temporaries_keep(&s, gndi_copy_as(fn, input, image.output, 'C')));
    }
    return set_affine_shape(fn, &r, input->ndim, shape) ? run(fn, &image, &r) : NULL;
}

/* ---- rotations ------------------------------------------------------------------------------ */

/* The sine of an angle in degrees; exact at multiples of 90. */
static double sine(double degrees) {
    double x = fmod(degrees, 360);
    if (x < 0) x += 360;
    const double sign = x >= 180 ? -1 : 1;
    if (x >= 180) x -= 180;
    if (x > 90) x = 180 - x;
    if (x == 90) return sign;
    return sign * (x == 0 ? 0 : x > 45 ? cos((90 - x) * 0.017453292519943295) : sin(x * 0.017453292519943295));
}

/* The plane's matrix, offset and shape. */
static bool set_rotation(const char *fn, request *r, const gnd_array *x, double angle, bool reshape) {
    const int64_t *n = x->shape + x->ndim - 2;
    const double s = sine(angle), c = sine(angle + 90), matrix[2][2] = {{c, s}, {-s, c}};
    const double corners[2][4] = {{0, 0, (double)n[0], (double)n[0]}, {0, (double)n[1], 0, (double)n[1]}};
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    for (int i = 0; i < 2 && reshape; i++) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < 4; k++) {
            const double at = matrix[i][0] * corners[0][k] + matrix[i][1] * corners[1][k];
            low = fmin(low, at), high = fmax(high, at);
        }
        shape[x->ndim - 2 + i] = (int64_t)(high - low + 0.5);
    }
    r->plan.ndim = 2;
    const int64_t *to = shape + x->ndim - 2;
    if (!set_affine_shape(fn, r, 2, to) || !set_shape(fn, r, x->ndim, shape)) return false;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) r->plan.matrix[i][j] = matrix[i][j];
        const double centre = matrix[i][0] * ((double)(to[0] - 1) / 2) + matrix[i][1] * ((double)(to[1] - 1) / 2);
        r->plan.offset[i] = (double)(n[i] - 1) / 2 - centre;
    }
    return true;
}

gnd_array *gnd_rotate(const gnd_array *input, double angle, int axis1, int axis2, bool reshape, int order,
                      const gnd_interpolation_options *options) {
    static const char fn[] = "gnd_rotate";
    request r;
    gndi_image image;
    gnd_image_options kept;
    gndi_temporaries s = {.fn = fn};
    int first, second;
    if (!begin(fn, &r, &image, &kept, input, order, options)) return NULL;
    if (!gndi_normalize_axis(fn, axis1, input->ndim, &first) || !gndi_normalize_axis(fn, axis2, input->ndim, &second))
        return NULL;
    if (first == second) return gndi_fail(GND_ERROR_AXIS, fn, "axis %d is given twice", first);
    if (!(fabs(angle) < INFINITY)) return gndi_fail(GND_ERROR_VALUE, fn, "an angle of %g degrees", angle);
    const gnd_axes from = GND_AXES(gndi_min(first, second), gndi_max(first, second)), to = GND_AXES(-2, -1);
    GNDI_PARTS_OF(fn);
    const gnd_array *turned = gndi_temporaries_keep(&s, gnd_moveaxis(input, from, to)); /* the plane's axes last */
    image.input = turned;
    s.failed = s.failed || !set_rotation(fn, &r, turned, angle, reshape);
    gnd_array *out = s.failed ? NULL : gndi_temporaries_keep(&s, run(fn, &image, &r));
    if (!s.failed && (from.axis[0] != input->ndim - 2 || from.axis[1] != input->ndim - 1)) {
        out = gndi_temporaries_keep(&s, gnd_moveaxis(out, to, from));
        out = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_copy_as(fn, out, (gnd_dtype)out->dtype, 'C'));
    }
    return gndi_temporaries_end(&s, out);
}
