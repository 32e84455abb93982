/*
 * savgol.c: Savitzky-Golay filters. The taps are a least-squares problem of the host's, solved with orthogonal
 * polynomials; the filter is a sliding sum. The ends, where polynomials of the first and the last window stand, are
 * products with the rows of a small matrix: the taps of each position.
 */
#include "filter/filter.h"
#include "filter/kept_numbers.h"
#include "elementwise/create.h"
#include "kernels/border.h"
#include <inttypes.h>
#include <math.h>

typedef struct window {
    int64_t length;
    int order, deriv;
    double delta;
} window;

/* ---- taps ----------------------------------------------------------------------------------- */

/* Row k of q: the k-th polynomial of those that are orthonormal on the points; r: the powers by them. By Gram and
   Schmidt, twice. power: memory for n numbers. */
static void orthonormal(const long double *x, int64_t n, int count, long double *q, long double *r,
                        long double *power) {
    for (int k = 0; k < count; k++) {
        long double *row = q + k * n;
        for (int64_t i = 0; i < n; i++) row[i] = k ? x[i] * q[(k - 1) * n + i] : 1;
        for (int pass = 0; pass < 2; pass++)
            for (int j = 0; j < k; j++) {
                long double s = 0;
                for (int64_t i = 0; i < n; i++) s += q[j * n + i] * row[i];
                for (int64_t i = 0; i < n; i++) row[i] -= s * q[j * n + i];
            }
        long double size = 0;
        for (int64_t i = 0; i < n; i++) size += row[i] * row[i];
        size = sqrtl(size);
        for (int64_t i = 0; i < n; i++) row[i] = size > 0 ? row[i] / size : 0;
    }
    for (int k = 0; k < count; k++) {
        for (int64_t i = 0; i < n; i++) power[i] = k ? power[i] * x[i] : 1;
        for (int j = 0; j < count; j++) {
            long double s = 0;
            for (int64_t i = 0; j <= k && i < n; i++) s += q[j * n + i] * power[i];
            r[k * count + j] = s;
        }
    }
}

/* The taps at a position, in the order of a dot product: the smallest c with sum c[i] x[i]^k = k! / delta^k for
   k = deriv, 0 for other powers. */
static bool find_taps(const char *fn, const window *w, double pos, double *taps) {
    const int64_t n = w->length;
    const int count = w->order + 1;
    memset(taps, 0, (size_t)n * sizeof *taps);
    if (w->deriv > w->order) return true;
    long double *memory = gndi_calloc(fn, (size_t)(n * (count + 2) + (int64_t)count * (count + 1)) * sizeof *memory);
    if (!memory) return false;
    long double *x = memory, *power = x + n, *q = power + n, *r = q + n * count, *z = r + count * count;
    const long double scale = (long double)n / 2;
    for (int64_t i = 0; i < n; i++) x[i] = ((long double)i - pos) / scale;
    orthonormal(x, n, count, q, r, power);
    long double wanted = 1;
    for (int k = 1; k <= w->deriv; k++) wanted *= k / ((long double)w->delta * scale);
    for (int k = w->deriv; k < count; k++) { /* the powers below deriv want 0, and give 0 */
        long double s = k == w->deriv ? wanted : 0;
        for (int j = w->deriv; j < k; j++) s -= r[k * count + j] * z[j];
        z[k] = s / r[k * count + k];
    }
    for (int64_t i = 0; i < n; i++) {
        long double s = 0;
        for (int k = w->deriv; k < count; k++) s += z[k] * q[k * n + i];
        taps[i] = (double)s;
    }
    gndi_free(memory);
    return true;
}

static bool read_window(const char *fn, int64_t length, int order, const gnd_savgol_options *options, window *w) {
    *w = (window){length, order, options->deriv, options->delta == 0 ? 1 : options->delta};
    if (length < 1 || length > INT32_MAX || order < 0 || order >= length)
        gndi_raise(GND_ERROR_VALUE, fn, "polyorder is %d; it must be from 0 to window_length - 1, which is %" PRId64,
                   order, length - 1);
    else if (w->deriv < 0)
        gndi_raise(GND_ERROR_VALUE, fn, "deriv is %d; it must not be negative", w->deriv);
    else
        return true;
    return false;
}

/* The middle, between two samples if the window is even. */
static double middle(const window *w) {
    return w->length % 2 ? (double)(w->length / 2) : (double)(w->length / 2) - 0.5;
}

static bool read_position(const char *fn, const window *w, gnd_arg given, double *pos) {
    *pos = middle(w);
    if (given.kind == GND_ARG_NONE) return true;
    if (given.kind < GND_ARG_BOOL || given.kind > GND_ARG_REAL)
        return gndi_raise(GND_ERROR_INVALID, fn, "pos must be a real number, or GND_NONE"), false;
    *pos = given.kind == GND_ARG_REAL ? given.re : given.kind == GND_ARG_UINT ? (double)given.u : (double)given.i;
    if (*pos >= 0 && *pos < (double)w->length) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "pos is %g; it must be at least 0 and less than window_length, %" PRId64, *pos,
               w->length);
    return false;
}

static void reverse(double *taps, int64_t n) {
    for (int64_t i = 0; i < n / 2; i++) {
        const double kept = taps[i];
        taps[i] = taps[n - 1 - i], taps[n - 1 - i] = kept;
    }
}

gnd_array *gnd_savgol_coeffs(int64_t window_length, int polyorder, const gnd_savgol_options *options) {
    static const char fn[] = "gnd_savgol_coeffs";
    static const gnd_savgol_options defaults;
    window w;
    double pos;
    if (!options) options = &defaults;
    if (!read_window(fn, window_length, polyorder, options, &w) || !read_position(fn, &w, options->pos, &pos))
        return NULL;
    double *taps = gndi_calloc(fn, (size_t)w.length * sizeof *taps);
    if (!taps || !find_taps(fn, &w, pos, taps)) return gndi_free(taps), NULL;
    if (!options->dot) reverse(taps, w.length);
    GNDI_PARTS_OF(fn);
    gnd_shape shape = {.ndim = 1, .dim = {w.length}};
    gnd_array *result = gnd_from_host(taps, shape, GND_FLOAT64);
    gndi_free(taps);
    return result;
}

/* ---- the filter ----------------------------------------------------------------------------- */

typedef struct smoothing {
    gndi_temporaries *s;
    window w;
    int axis;
    const gnd_array *x; /* float32 or float64 */
    gnd_savgol_mode mode;
    double cval;
} smoothing;

/* Lines first, dense. */
static gnd_array *lines_first(const smoothing *f, const gnd_array *x) {
    gndi_temporaries *s = f->s;
    gnd_array *last = gndi_temporaries_keep(s, gnd_moveaxis(x, GND_AXES(f->axis), GND_AXES(-1)));
    return last ? gndi_temporaries_keep(s, gndi_copy_as(s->fn, last, (gnd_dtype)x->dtype, 'C')) : NULL;
}

/* `count` samples from index `first` on, beyond an end. */
static gnd_array *beyond(const smoothing *f, int64_t first, int64_t count) {
    gndi_temporaries *s = f->s;
    const gndi_border mode = f->mode == GND_SAVGOL_MIRROR    ? GNDI_BORDER_MIRROR
                             : f->mode == GND_SAVGOL_NEAREST ? GNDI_BORDER_NEAREST
                                                             : GNDI_BORDER_WRAP;
    if (s->failed || count == 0 || f->mode == GND_SAVGOL_INTERP) return NULL;
    const int64_t n = f->x->shape[f->axis];
    if (f->mode == GND_SAVGOL_CONSTANT) {
        int64_t shape[2] = {n ? f->x->size / n : 0, count};
        gnd_stream *stream = gndi_ew_stream(f->x, s->fn);
        gnd_array *made = NULL;
        if (stream) made = gndi_array_new_on(s->fn, stream, 2, shape, (gnd_dtype)f->x->dtype, GNDI_ORDER_C);
        return gndi_temporaries_keep(s, gndi_filled(s->fn, made, gnd_arg_real(f->cval)));
    }
    double *at = gndi_calloc(s->fn, (size_t)count * sizeof *at);
    if (!at) return s->failed = true, NULL;
    for (int64_t i = 0; i < count; i++) at[i] = (double)gndi_border_index(first + i, n, mode);
    gnd_array *indices = gndi_filter_numbers(s, f->x, 1, &count, at, GND_INT64);
    gndi_free(at);
    gnd_array *taken = indices ? gndi_temporaries_keep(s, gnd_take(f->x, indices, GND_AXES(f->axis), GND_RAISE)) : NULL;
    return taken ? lines_first(f, taken) : NULL;
}

/* The taps, and behind them the rows that the ends need: results by the polynomial of the first or the last window. */
static gnd_array *numbers_of(const smoothing *f, int64_t edge) {
    gndi_temporaries *s = f->s;
    const int64_t n = f->w.length, shape[2] = {1 + 2 * edge, n};
    const struct {
        double delta;
        int64_t numbers[5];
    } made_of = {f->w.delta, {n, f->w.order, f->w.deriv, edge, f->x->dtype}};
    gndi_numbers_key key = {.maker = "savgol"};
    memcpy(key.made_of, &made_of, sizeof made_of);
    gnd_array *on_device = gndi_numbers_kept(s, f->x, &key);
    if (on_device || s->failed) return on_device;
    double *numbers = gndi_calloc(s->fn, (size_t)(shape[0] * n) * sizeof *numbers);
    bool done = numbers && find_taps(s->fn, &f->w, middle(&f->w), numbers);
    if (done) reverse(numbers, n);
    for (int64_t i = 0; done && i < 2 * edge; i++)
        done = find_taps(s->fn, &f->w, (double)(i < edge ? i : n - 2 * edge + i), numbers + (i + 1) * n);
    s->failed |= !done;
    on_device = gndi_filter_numbers(s, f->x, 2, shape, numbers, (gnd_dtype)f->x->dtype);
    gndi_free(numbers);
    if (!s->failed) gndi_numbers_keep(on_device, &key);
    return on_device;
}

static gnd_array *smooth(const smoothing *f) {
    gndi_temporaries *s = f->s;
    const int64_t n = f->w.length, half = n / 2;
    const gnd_dtype dtype = (gnd_dtype)f->x->dtype;
    gndi_fir_plan plan = {.dtype = (uint8_t)dtype, .count = n, .ahead = half};
    plan.edge = f->mode == GND_SAVGOL_INTERP ? half : 0;
    gnd_array *numbers = numbers_of(f, plan.edge);
    gnd_array *before = beyond(f, -(n - 1), n - 1), *behind = beyond(f, f->x->shape[f->axis], half);
    const gnd_array *read = NULL;
    gnd_array *y = gndi_filter_lines_of(s, f->x, f->axis, dtype, NULL, &plan.lines, &read);
    if (s->failed || y->size == 0) return y;
    plan.taps = gndi_data(numbers), plan.edges = plan.taps + n * gndi_dtype_sizes[dtype];
    plan.before = before ? gndi_data(before) : NULL, plan.behind = behind ? gndi_data(behind) : NULL;
    s->failed = gndi_fir_submit(s->fn, &plan, (const gnd_array *[4]){read, numbers, before, behind},
                                (const gnd_array *[2]){y, NULL}) != GND_OK;
    return y;
}

gnd_array *gnd_savgol_filter(const gnd_array *x, int64_t window_length, int polyorder, int axis,
                             const gnd_savgol_options *options) {
    static const char fn[] = "gnd_savgol_filter";
    static const gnd_savgol_options defaults;
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    smoothing f = {.s = &s, .x = x};
    if (!options) options = &defaults;
    f.mode = options->mode, f.cval = options->cval;
    if (!gndi_filter_check_axis(fn, x, axis, &f.axis)) return NULL;
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "x has dtype %s; it must be real", gnd_dtype_name((gnd_dtype)x->dtype));
    if (!read_window(fn, window_length, polyorder, options, &f.w)) return NULL;
    if ((unsigned)f.mode > GND_SAVGOL_WRAP)
        return gndi_fail(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)f.mode);
    const int64_t n = x->shape[f.axis];
    if (f.mode == GND_SAVGOL_INTERP && window_length > n)
        return gndi_fail(GND_ERROR_VALUE, fn,
                         "window_length is %" PRId64
                         "; with GND_SAVGOL_INTERP it must be at most the axis' size, %" PRId64,
                         window_length, n);
    if (x->dtype != GND_FLOAT32) f.x = gndi_temporaries_keep(&s, gndi_copy_as(fn, x, GND_FLOAT64, 'C'));
    return gndi_temporaries_end(&s, f.x ? smooth(&f) : NULL);
}
