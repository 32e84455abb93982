/*
 * linear.c: linear filters of pictures and fields: correlations along an axis and of all axes, Gaussians and their
 * derivatives, differences, means. Each is a list of passes along axes.
 */
#include "convolve/convolve.h"
#include "ndimage/ndimage.h"
#include "rearrange/rearrange.h"
#include <gnd/rearrange.h>
#include <math.h>

/* ---- lists of passes ------------------------------------------------------------------------ */

enum { MOST_PASSES = GND_MAX_DIMS };

typedef struct list {
    enum gndi_lines_kind kind;
    int count;
    gndi_pass pass[MOST_PASSES];
    double *taps[MOST_PASSES]; /* allocated */
} list;

static void drop(list *l) {
    for (int k = 0; k < l->count; k++) gndi_free(l->taps[k]);
}

static gndi_pass *add_pass(list *l, int axis, gndi_border border, int64_t size) {
    gndi_pass *pass = &l->pass[l->count++];
    *pass = (gndi_pass){.axis = axis, .border = border, .size = size, .first = -(size / 2)};
    return pass;
}

static gnd_array *run_list(gndi_temporaries *s, const gndi_image *image, const gnd_array *x, double fill,
                           gnd_dtype output, const void *context) {
    (void)image;
    const list *l = context;
    return gndi_passes(s, x, l->kind, l->count, l->pass, fill, output, NULL);
}

/* The filter of a list, whose memory is released. */
static gnd_array *filtered(const char *fn, const gndi_image *image, list *l) {
    gndi_temporaries s = {.fn = fn};
    gnd_array *out = gndi_image_by_parts(&s, image, run_list, l);
    drop(l);
    return gndi_temporaries_end(&s, out);
}

/* ---- correlations --------------------------------------------------------------------------- */

/* Weights as a dense float64 array; backwards for a convolution. */
static const gnd_array *read_weights(gndi_temporaries *s, const gnd_array *input, const gnd_array *weights,
                                     bool convolves) {
    s->failed = true;
    if (gndi_missing(weights)) return gndi_raise_null(s->fn, "weights"), NULL;
    if (gndi_check_together(s->fn, input, "input", weights, "weights")) return NULL;
    if (gndi_dtype_is_complex(weights->dtype))
        return gndi_fail(GND_ERROR_DTYPE, s->fn, "weights must be real, and have dtype %s",
                         gnd_dtype_name((gnd_dtype)weights->dtype));
    s->failed = false;
    GNDI_PARTS_OF(s->fn);
    if (convolves && weights->ndim > 0) weights = gndi_temporaries_keep(s, gnd_flip(weights, GND_ALL));
    return gndi_image_dense(s, weights, GND_FLOAT64);
}

/* A window's origin for a convolution is on the other side. */
static int64_t origin_of(int64_t origin, int64_t size, bool convolves) {
    return convolves ? -origin - (size % 2 == 0) : origin;
}

static gnd_array *along(const char *fn, const gnd_array *input, const gnd_array *weights, int axis,
                        const gnd_image_options *options, bool convolves) {
    gndi_image image;
    gndi_temporaries s = {.fn = fn};
    list l = {.kind = GNDI_LINES_CORRELATE};
    if (!gndi_image_read_axis(fn, &image, input, axis, options, true)) return NULL;
    const gnd_array *w = read_weights(&s, input, weights, convolves);
    if (w && (w->ndim != 1 || w->size == 0)) {
        gndi_raise(GND_ERROR_SHAPE, fn, "weights must have one dimension and an element, and have shape %s",
                   gndi_text_shape(w->ndim, w->shape));
        s.failed = true;
    }
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    gndi_pass *pass = add_pass(&l, image.axis[0], image.border[0], w->size);
    pass->weights = w;
    s.failed =
        !gndi_image_first(fn, w->size, origin_of(image.origin[0], w->size, convolves), image.axis[0], &pass->first);
    return gndi_temporaries_end(&s, gndi_image_by_parts(&s, &image, run_list, &l));
}

gnd_array *gnd_correlate1d(const gnd_array *input, const gnd_array *weights, int axis,
                           const gnd_image_options *options) {
    return along("gnd_correlate1d", input, weights, axis, options, false);
}
gnd_array *gnd_convolve1d(const gnd_array *input, const gnd_array *weights, int axis,
                          const gnd_image_options *options) {
    return along("gnd_convolve1d", input, weights, axis, options, true);
}

/* ---- correlations of all axes --------------------------------------------------------------- */

static gnd_array *slide(gndi_temporaries *s, const gndi_image *image, const gnd_array *x, double fill, gnd_dtype output,
                        const void *context) {
    const gnd_dtype dtype = gndi_passes_dtype(x, GNDI_LINES_CORRELATE, output);
    gndi_sliding slide = *(const gndi_sliding *)context;
    if (s->failed) return NULL;
    if (x->ndim == 0) {
        gnd_array *product =
            gndi_step(s, GNDI_OP_multiply, gnd_arg_array(gndi_image_dense(s, x, dtype)), gnd_arg_array(slide.k));
        return gndi_image_stored(s, product, output);
    }
    slide.x = gndi_image_dense(s, x, dtype);
    slide.k = gndi_image_dense(s, slide.k, dtype);
    slide.fill = gnd_arg_real(fill);
    for (int a = 0; a < x->ndim; a++) slide.count[a] = x->shape[a];
    (void)image;
    return gndi_image_stored(s, gndi_slide(s, &slide), output);
}

/* The weights with an axis for each of the input's. */
static const gnd_array *expand(gndi_temporaries *s, const gndi_image *image, const gnd_array *w) {
    if (s->failed) return NULL;
    int64_t shape[GND_MAX_DIMS];
    if (w->ndim != image->count || (w->size == 0 && image->count > 0)) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "weights of shape %s do not fit %d axes that are filtered",
                   gndi_text_shape(w->ndim, w->shape), image->count);
        s->failed = true;
        return NULL;
    }
    for (int a = 0, next = 0; a < image->input->ndim; a++) {
        shape[a] = 1;
        for (int k = 0; k < image->count; k++)
            if (image->axis[k] == a) shape[a] = w->shape[next++];
    }
    return gndi_temporaries_keep(s, gndi_reshaped(s->fn, w, image->input->ndim, shape));
}

static gnd_array *of_all_axes(const char *fn, const gnd_array *input, const gnd_array *weights,
                              const gnd_image_options *options, bool convolves) {
    gndi_image image;
    gndi_temporaries s = {.fn = fn};
    gndi_sliding slides = {.border = GNDI_BORDER_REFLECT};
    if (!gndi_image_read(fn, &image, input, options, true)) return NULL;
    slides.k = read_weights(&s, input, weights, convolves);
    slides.k = expand(&s, &image, slides.k);
    for (int k = 0; k < image.count && !s.failed; k++) {
        const int a = image.axis[k];
        const int64_t size = slides.k->shape[a];
        s.failed = !gndi_image_first(fn, size, origin_of(image.origin[k], size, convolves), a, &slides.first[a]);
        slides.border = image.border[k];
        if (!s.failed && image.border[k] != image.border[0]) {
            gndi_raise(GND_ERROR_INVALID, fn, "axes %d and %d have other modes; here they have one", image.axis[0], a);
            s.failed = true;
        }
    }
    return gndi_temporaries_end(&s, gndi_image_by_parts(&s, &image, slide, &slides));
}

gnd_array *gnd_image_correlate(const gnd_array *input, const gnd_array *weights, const gnd_image_options *options) {
    return of_all_axes("gnd_image_correlate", input, weights, options, false);
}
gnd_array *gnd_image_convolve(const gnd_array *input, const gnd_array *weights, const gnd_image_options *options) {
    return of_all_axes("gnd_image_convolve", input, weights, options, true);
}

/* ---- Gaussians ------------------------------------------------------------------------------ */

typedef struct gaussian {
    double sigma;
    int64_t order, radius;
} gaussian;

/* The polynomial that the Gaussian is multiplied by for its derivative: q of q(x) exp(-x^2 / 2 sigma^2). */
static void derive(double *q, int64_t order, double square) {
    q[0] = 1;
    for (int64_t k = 1; k <= order; k++) q[k] = 0;
    for (int64_t n = 0; n < order; n++) {
        double before = 0; /* q[k - 1] */
        for (int64_t k = 0; k <= n + 1; k++) {
            const double here = q[k], next = k < order ? (double)(k + 1) * q[k + 1] : 0;
            q[k] = next - before / square;
            before = here;
        }
    }
}

/* The weights of a correlation, in memory that the caller frees; NULL, and raised. */
static double *gaussian_taps(const char *fn, const gaussian *g) {
    const int64_t size = 2 * g->radius + 1;
    const double square = g->sigma * g->sigma;
    double *taps = gndi_malloc(fn, (size_t)(size + g->order + 1) * sizeof *taps), sum = 0;
    if (!taps) return NULL;
    double *q = taps + size;
    derive(q, g->order, square);
    for (int64_t k = 0; k < size; k++) {
        const double x = (double)(k - g->radius);
        taps[k] = exp(-0.5 / square * (x * x));
        sum += taps[k];
    }
    for (int64_t k = 0; k < size; k++) {
        const double x = (double)(g->radius - k); /* a correlation's weights are backwards */
        double factor = 0;
        for (int64_t n = g->order; n >= 0; n--) factor = factor * x + q[n];
        taps[k] = taps[k] / sum * factor;
    }
    return taps;
}

/* The Gaussian along axis number k; false, and raised. */
static bool read_gaussian(const char *fn, const gndi_image *image, int k, double sigma, gaussian *g) {
    const gnd_image_options *o = image->options;
    const double truncate = o->truncate == 0 ? 4 : o->truncate;
    g->sigma = o->sigmas ? o->sigmas[k] : sigma;
    g->order = gndi_image_number(&o->order, k, 0);
    const double reach = o->radius.ndim > 0 ? (double)gndi_image_number(&o->radius, k, 0) : truncate * g->sigma + 0.5;
    if (!(g->sigma >= 0 && g->sigma < INFINITY))
        gndi_raise(GND_ERROR_VALUE, fn, "a standard deviation of %g along axis %d; it must not be negative", g->sigma,
                   image->axis[k]);
    else if (g->order < 0 || g->order > 1000)
        gndi_raise(GND_ERROR_VALUE, fn, "an order of %lld along axis %d; it must be from 0 to 1000",
                   (long long)g->order, image->axis[k]);
    else if (!(reach >= 0 && reach < 1 << 29))
        gndi_raise(GND_ERROR_VALUE, fn, "a radius of %g along axis %d; it must be from 0 to 2^29", reach,
                   image->axis[k]);
    else
        return g->radius = (int64_t)reach, true;
    return false;
}

static bool check_gaussian(const char *fn, const gndi_image *image) {
    return gndi_image_list(fn, "order", &image->options->order, image->count) &&
           gndi_image_list(fn, "radius", &image->options->radius, image->count);
}

/* The passes of a Gaussian; along axis number `derived` (-1: none) its derivative of order `order` instead of that of
   the options. False, and raised: the list is to be dropped all the same. */
static bool gaussian_passes(const char *fn, const gndi_image *image, double sigma, int derived, int64_t order,
                            list *l) {
    l->kind = GNDI_LINES_CORRELATE;
    for (int k = 0; k < image->count; k++) {
        gaussian g;
        if (!read_gaussian(fn, image, k, sigma, &g)) return false;
        if (derived >= 0) g.order = k == derived ? order : 0;
        if (g.sigma <= 1e-15) continue;
        double *taps = gaussian_taps(fn, &g);
        if (!taps) return false;
        l->taps[l->count] = taps;
        add_pass(l, image->axis[k], image->border[k], 2 * g.radius + 1)->taps = taps;
    }
    return true;
}

static gnd_array *gaussian_of(const char *fn, const gndi_image *image, double sigma) {
    list l = {.count = 0};
    if (check_gaussian(fn, image) && gaussian_passes(fn, image, sigma, -1, 0, &l)) return filtered(fn, image, &l);
    drop(&l);
    return NULL;
}

gnd_array *gnd_gaussian_filter1d(const gnd_array *input, double sigma, int axis, const gnd_image_options *options) {
    static const char fn[] = "gnd_gaussian_filter1d";
    gndi_image image;
    if (!gndi_image_read_axis(fn, &image, input, axis, options, true)) return NULL;
    const double deviation = options && options->sigmas ? options->sigmas[0] : sigma;
    if (!(deviation > 0))
        return gndi_fail(GND_ERROR_VALUE, fn, "a standard deviation of %g; it must be positive", deviation);
    return gaussian_of(fn, &image, sigma);
}

gnd_array *gnd_gaussian_filter(const gnd_array *input, double sigma, const gnd_image_options *options) {
    static const char fn[] = "gnd_gaussian_filter";
    gndi_image image;
    return gndi_image_read(fn, &image, input, options, true) ? gaussian_of(fn, &image, sigma) : NULL;
}

/* ---- sums over the axes --------------------------------------------------------------------- */

/* A derivative along axis number `k` of the image: its passes. */
typedef bool axis_passes(const char *fn, const gndi_image *image, double sigma, int k, list *l);

typedef struct over_axes {
    axis_passes *of;
    double sigma;
    bool magnitude; /* the root of the sum of squares, instead of the sum */
} over_axes;

/* sum += part, or part is the sum. Integers are added in the output's dtype. */
static gnd_array *accumulate(gndi_temporaries *s, gnd_array *sum, gnd_array *part, bool squares) {
    if (!s->failed && squares) gndi_step_into(s, GNDI_OP_square, part, gnd_arg_array(part), GND_NONE, NULL);
    if (s->failed || !sum) return part;
    gndi_step_into(s, GNDI_OP_add, sum, gnd_arg_array(sum), gnd_arg_array(part), NULL);
    return sum;
}
static gnd_array *finish_sum(gndi_temporaries *s, const gndi_image *image, gnd_array *sum, bool root) {
    if (!s->failed && !sum)
        sum = gndi_temporaries_keep(s, gndi_copy_as(s->fn, image->input, image->output, 'C'));
    else if (!s->failed && root)
        gndi_step_into(s, GNDI_OP_sqrt, sum, gnd_arg_array(sum), GND_NONE, NULL);
    return sum;
}

/* The sum of the derivatives along both axes of a picture, in one launch; NULL: not so, or failed. */
static gnd_array *add_both(gndi_temporaries *s, const gndi_image *image, const gnd_array *x, double fill,
                           const over_axes *o) {
    list l[2] = {{.count = 0}, {.count = 0}};
    if (image->count != 2) return NULL;
    for (int k = 0; k < 2 && !s->failed; k++) s->failed = !o->of(s->fn, image, o->sigma, k, &l[k]);
    gnd_array *sum = s->failed ? NULL
                               : gndi_passes_added(s, x, (const int[]){l[0].count, l[1].count},
                                                   (const gndi_pass *const[]){l[0].pass, l[1].pass}, fill);
    drop(&l[0]), drop(&l[1]);
    return sum;
}

/* Each derivative of a floating result is added by the launch that computes it. */
static gnd_array *sum_axes(gndi_temporaries *s, const gndi_image *image, const gnd_array *x, double fill,
                           gnd_dtype output, const void *context) {
    const over_axes *o = context;
    const gnd_dtype dtype = gndi_passes_dtype(x, GNDI_LINES_CORRELATE, output);
    const bool adds = !o->magnitude && dtype == output;
    gnd_array *sum = NULL;
    x = gndi_image_dense(s, x, dtype);
    if (adds && !s->failed) sum = add_both(s, image, x, fill, o);
    if (sum) return sum;
    for (int k = 0; k < image->count && !s->failed; k++) {
        list l = {.count = 0};
        gndi_temporaries part = {.fn = s->fn};
        s->failed = !o->of(s->fn, image, o->sigma, k, &l);
        if (!s->failed && adds && sum) {
            gndi_passes(&part, x, l.kind, l.count, l.pass, fill, output, sum);
        } else if (!s->failed) {
            gnd_array *next = gndi_passes(&part, x, l.kind, l.count, l.pass, fill, output, NULL);
            const bool first = !sum;
            sum = accumulate(&part, sum, next, o->magnitude);
            if (first && !part.failed) gndi_temporaries_keep(s, sum = gnd_retain(sum));
        }
        gndi_temporaries_end_part(s, &part);
        drop(&l);
    }
    return finish_sum(s, image, sum, o->magnitude);
}

static gnd_array *over(const char *fn, const gnd_array *input, const gnd_image_options *options, axis_passes *of,
                       double sigma, bool magnitude) {
    gndi_image image;
    gndi_temporaries s = {.fn = fn};
    const over_axes o = {.of = of, .sigma = sigma, .magnitude = magnitude};
    if (!gndi_image_read(fn, &image, input, options, !magnitude) || !check_gaussian(fn, &image)) return NULL;
    return gndi_temporaries_end(&s, gndi_image_by_parts(&s, &image, sum_axes, &o));
}

static bool second_gaussian(const char *fn, const gndi_image *image, double sigma, int k, list *l) {
    return gaussian_passes(fn, image, sigma, k, 2, l);
}
static bool first_gaussian(const char *fn, const gndi_image *image, double sigma, int k, list *l) {
    return gaussian_passes(fn, image, sigma, k, 1, l);
}
static bool second_difference(const char *fn, const gndi_image *image, double sigma, int k, list *l) {
    static const double taps[] = {1, -2, 1};
    (void)fn, (void)sigma;
    l->kind = GNDI_LINES_CORRELATE;
    add_pass(l, image->axis[k], image->border[k], 3)->taps = taps;
    return true;
}

gnd_array *gnd_gaussian_laplace(const gnd_array *input, double sigma, const gnd_image_options *options) {
    return over("gnd_gaussian_laplace", input, options, second_gaussian, sigma, false);
}
gnd_array *gnd_gaussian_gradient_magnitude(const gnd_array *input, double sigma, const gnd_image_options *options) {
    return over("gnd_gaussian_gradient_magnitude", input, options, first_gaussian, sigma, true);
}
gnd_array *gnd_laplace(const gnd_array *input, const gnd_image_options *options) {
    return over("gnd_laplace", input, options, second_difference, 0, false);
}

/* ---- derivatives of one's own --------------------------------------------------------------- */

static gnd_array *generic(const char *fn, const gnd_array *input, gnd_image_derivative_function *of, void *context,
                          const gnd_image_options *options, bool magnitude) {
    gndi_image image;
    gndi_temporaries s = {.fn = fn};
    gnd_array *sum = NULL;
    if (!of) return gndi_raise_null(fn, magnitude ? "derivative" : "derivative2"), NULL;
    if (!gndi_image_read(fn, &image, input, options, !magnitude)) return NULL;
    for (int k = 0; k < image.count && !s.failed; k++) {
        gnd_array *part;
        {
            GNDI_CALLING_BACK();
            part = gndi_temporaries_keep(&s, of(input, image.axis[k], image.options, context));
        }
        if (s.failed) break;
        bool fits = part->ndim == input->ndim;
        for (int a = 0; fits && a < part->ndim; a++) fits = part->shape[a] == input->shape[a];
        if (!fits) {
            gndi_raise(GND_ERROR_SHAPE, fn, "the derivative has shape %s, the input %s",
                       gndi_text_shape(part->ndim, part->shape), gndi_text_shape(input->ndim, input->shape));
            s.failed = true;
        } else {
            part = gndi_temporaries_keep(&s, gndi_copy_as(fn, part, image.output, 'C'));
            sum = accumulate(&s, sum, part, magnitude);
        }
    }
    return gndi_temporaries_end(&s, finish_sum(&s, &image, sum, magnitude));
}

gnd_array *gnd_generic_laplace(const gnd_array *input, gnd_image_derivative_function *derivative2, void *context,
                               const gnd_image_options *options) {
    return generic("gnd_generic_laplace", input, derivative2, context, options, false);
}
gnd_array *gnd_generic_gradient_magnitude(const gnd_array *input, gnd_image_derivative_function *derivative,
                                          void *context, const gnd_image_options *options) {
    return generic("gnd_generic_gradient_magnitude", input, derivative, context, options, true);
}

/* ---- edges ---------------------------------------------------------------------------------- */

/* (-1, 0, 1) along an axis, `across` along the others. The options are those of all axes. */
static gnd_array *edges(const char *fn, const gnd_array *input, int axis, const gnd_image_options *options,
                        const double *across) {
    static const double difference[] = {-1, 0, 1};
    gndi_image image;
    list l = {.kind = GNDI_LINES_CORRELATE};
    int normal;
    if (!gndi_image_read(fn, &image, input, options, true)) return NULL;
    if (!gndi_normalize_axis(fn, axis, input->ndim, &normal)) return NULL;
    for (int first = 1; first >= 0; first--)
        for (int k = 0; k < image.count; k++)
            if ((image.axis[k] == normal) == (bool)first)
                add_pass(&l, image.axis[k], image.border[k], 3)->taps = first ? difference : across;
    gndi_temporaries s = {.fn = fn};
    return gndi_temporaries_end(&s, gndi_image_by_parts(&s, &image, run_list, &l));
}

gnd_array *gnd_prewitt(const gnd_array *input, int axis, const gnd_image_options *options) {
    return edges("gnd_prewitt", input, axis, options, (const double[]){1, 1, 1});
}
gnd_array *gnd_sobel(const gnd_array *input, int axis, const gnd_image_options *options) {
    return edges("gnd_sobel", input, axis, options, (const double[]){1, 2, 1});
}

/* ---- means ---------------------------------------------------------------------------------- */

static gnd_array *means(const char *fn, const gndi_image *image, const gnd_shape *size) {
    list l = {.kind = GNDI_LINES_SUM};
    gndi_temporaries s = {.fn = fn};
    gndi_image_window window;
    if (!gndi_image_window_of(&s, image, size, NULL, false, &window)) return gndi_temporaries_end(&s, NULL);
    for (int k = 0; k < image->count; k++) {
        const int a = image->axis[k];
        if (window.size[a] > 1 || image->count == 1)
            add_pass(&l, a, image->border[k], window.size[a])->first = window.first[a];
    }
    return gndi_temporaries_end(&s, gndi_image_by_parts(&s, image, run_list, &l));
}

gnd_array *gnd_uniform_filter1d(const gnd_array *input, int64_t size, int axis, const gnd_image_options *options) {
    static const char fn[] = "gnd_uniform_filter1d";
    gndi_image image;
    if (!gndi_image_read_axis(fn, &image, input, axis, options, true)) return NULL;
    return means(fn, &image, &GND_SHAPE(size));
}

gnd_array *gnd_uniform_filter(const gnd_array *input, gnd_shape size, const gnd_image_options *options) {
    static const char fn[] = "gnd_uniform_filter";
    gndi_image image;
    return gndi_image_read(fn, &image, input, options, true) ? means(fn, &image, &size) : NULL;
}
