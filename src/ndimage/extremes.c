/*
 * extremes.c: the largest and smallest elements of windows: boxes by passes along the axes, others element by element;
 * and arrays that are continued beyond their ends, by the same hook.
 */
#include "ndimage/ndimage.h"
#include "rearrange/rearrange.h"

/* ---- the hook ------------------------------------------------------------------------------- */

/* The plan's axes: those of x that are longer than 1, or have a window, or are continued. */
static bool set_axes(const char *fn, gndi_neighbours_plan *p, const gnd_array *x, const int64_t *out_shape,
                     const int64_t *window, const int64_t *first, const gndi_border *border) {
    for (int a = 0; a < x->ndim; a++) {
        if (x->shape[a] == 1 && out_shape[a] == 1 && window[a] == 1 && first[a] == 0) continue;
        if (p->ndim == GNDI_NEIGHBOURS_AXES) {
            gndi_raise(GND_ERROR_SHAPE, fn, "windows have at most %d axes longer than 1, not those of shape %s",
                       GNDI_NEIGHBOURS_AXES, gndi_text_shape(x->ndim, x->shape));
            return false;
        }
        const int to = p->ndim++;
        p->x_shape[to] = x->shape[a], p->out_shape[to] = out_shape[a];
        p->window[to] = window[a], p->first[to] = first[a], p->border[to] = (uint8_t)border[a];
    }
    if (p->ndim > 0) return true;
    p->ndim = 1, p->x_shape[0] = p->out_shape[0] = p->window[0] = 1;
    return true;
}

uint64_t gndi_image_bits(double value, int dtype) {
    gndi_scalar v = {.u64 = 0};
    const bool large = dtype == GND_UINT64 && value >= 0x1p63;
    switch (dtype) {
    case GND_FLOAT64: v.f64 = value; break;
    case GND_FLOAT32: v.f32 = (float)value; break;
    case GND_BOOL: v.b = value != 0; break;
    default:
        if (large && value < 0x1p64)
            v.u64 = (uint64_t)value;
        else if (value >= -0x1p63 && value < 0x1p63)
            v.i64 = (int64_t)value;
    }
    return v.u64;
}

static void submit(gndi_temporaries *s, gndi_neighbours_plan *p, const gnd_array *x, const gnd_array *const *others,
                   gnd_array *out) {
    const gnd_array *read[4] = {x, others[0], others[1], others[2]};
    if (s->failed || out->size == 0) return;
    gnd_stream *stream = gndi_work_begin(s->fn, 4, read, 1, (const gnd_array *[]){out});
    s->failed = !stream;
    if (s->failed) return;
    p->x = gndi_data(x), p->out = gndi_data(out);
    p->mask = read[1] ? (const uint8_t *)gndi_data(read[1]) : NULL;
    p->values = read[2] ? gndi_data(read[2]) : NULL;
    p->kept = read[3] ? (const uint8_t *)gndi_data(read[3]) : NULL;
    s->failed = gndi_work_end(stream, stream->device->backend->neighbours(stream, p, s->fn), s->fn) != GND_OK;
}

gnd_array *gndi_image_extended(gndi_temporaries *s, const gnd_array *x, const int64_t *first, const int64_t *shape,
                               const gndi_border *border, double fill) {
    static const uint8_t of_size[] = {[1] = GND_UINT8, [2] = GND_UINT16, [4] = GND_UINT32, [8] = GND_UINT64};
    if (s->failed) return NULL;
    const gnd_dtype dtype = (gnd_dtype)x->dtype;
    gndi_neighbours_plan p = {.kind = GNDI_NEIGHBOURS_EXTEND, .dtype = of_size[gndi_dtype_sizes[dtype]]};
    int64_t window[GND_MAX_DIMS];
    for (int a = 0; a < x->ndim; a++) window[a] = 1;
    s->failed = !set_axes(s->fn, &p, x, shape, window, first, border);
    p.fill = gndi_image_bits(fill, dtype);
    x = gndi_image_dense(s, x, dtype);
    gnd_array *out = s->failed ? NULL : gndi_new_on_device_of(s->fn, x, x->ndim, shape, dtype);
    if (!s->failed) out = gndi_temporaries_keep(s, out);
    submit(s, &p, x, (const gnd_array *[]){NULL, NULL, NULL}, out);
    return out;
}

/* ---- extremes ------------------------------------------------------------------------------- */

static gnd_array *box(gndi_temporaries *s, const gnd_array *x, bool largest, const gndi_image_window *window,
                      double fill, gnd_dtype output) {
    gndi_pass pass[GND_MAX_DIMS];
    int count = 0;
    for (int a = 0; a < x->ndim; a++)
        if (window->size[a] > 1)
            pass[count++] =
                (gndi_pass){.axis = a, .border = window->border[a], .size = window->size[a], .first = window->first[a]};
    return gndi_passes(s, x, largest ? GNDI_LINES_MAXIMUM : GNDI_LINES_MINIMUM, count, pass, fill, output, NULL);
}

gnd_array *gndi_image_extremes(gndi_temporaries *s, const gnd_array *x, bool largest, const gndi_image_window *window,
                               const gnd_array *values, const gnd_array *kept, double fill, gnd_dtype output) {
    if (s->failed) return NULL;
    if (!window->mask && !values && !kept) return box(s, x, largest, window, fill, output);
    const bool truths = x->dtype == GND_BOOL && output == GND_BOOL && !values;
    const bool wide = values && !gndi_dtype_is_float(x->dtype); /* values may be of any size */
    const gnd_dtype real = wide ? GND_FLOAT64 : gndi_passes_dtype(x, GNDI_LINES_MAXIMUM, output);
    const gnd_dtype dtype = truths ? GND_BOOL : real;
    gndi_neighbours_plan p = {.kind = largest ? GNDI_NEIGHBOURS_MAXIMUM : GNDI_NEIGHBOURS_MINIMUM,
                              .dtype = truths ? GND_UINT8 : (uint8_t)dtype,
                              .fill = gndi_image_bits(fill, dtype)};
    s->failed = !set_axes(s->fn, &p, x, x->shape, window->size, window->first, window->border);
    x = gndi_image_dense(s, x, dtype);
    if (values) values = gndi_image_dense(s, values, dtype);
    gnd_array *out = s->failed ? NULL : gndi_new_on_device_of(s->fn, x, x->ndim, x->shape, dtype);
    if (!s->failed) out = gndi_temporaries_keep(s, out);
    submit(s, &p, x, (const gnd_array *[]){window->mask, values, kept}, out);
    return s->failed ? NULL : gndi_image_stored(s, out, output);
}

static gnd_array *extreme(const char *fn, const gndi_image *image, bool largest, const gnd_shape *size,
                          const gnd_array *footprint) {
    gndi_temporaries s = {.fn = fn};
    gndi_image_window window;
    gnd_array *out = NULL;
    if (gndi_image_window_of(&s, image, size, footprint, footprint != NULL, &window))
        out = gndi_image_extremes(&s, image->input, largest, &window, NULL, NULL, image->options->cval, image->output);
    return gndi_temporaries_end(&s, out);
}

static gnd_array *extreme1d(const char *fn, const gnd_array *input, int64_t size, int axis,
                            const gnd_image_options *options, bool largest) {
    gndi_image image;
    if (!gndi_image_read_axis(fn, &image, input, axis, options, false)) return NULL;
    return extreme(fn, &image, largest, &GND_SHAPE(size), NULL);
}

gnd_array *gnd_maximum_filter1d(const gnd_array *input, int64_t size, int axis, const gnd_image_options *options) {
    return extreme1d("gnd_maximum_filter1d", input, size, axis, options, true);
}
gnd_array *gnd_minimum_filter1d(const gnd_array *input, int64_t size, int axis, const gnd_image_options *options) {
    return extreme1d("gnd_minimum_filter1d", input, size, axis, options, false);
}

gnd_array *gnd_maximum_filter(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                              const gnd_image_options *options) {
    static const char fn[] = "gnd_maximum_filter";
    gndi_image image;
    return gndi_image_read(fn, &image, input, options, false) ? extreme(fn, &image, true, &size, footprint) : NULL;
}
gnd_array *gnd_minimum_filter(const gnd_array *input, gnd_shape size, const gnd_array *footprint,
                              const gnd_image_options *options) {
    static const char fn[] = "gnd_minimum_filter";
    gndi_image image;
    return gndi_image_read(fn, &image, input, options, false) ? extreme(fn, &image, false, &size, footprint) : NULL;
}
