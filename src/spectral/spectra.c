/*
 * spectra.c: power spectra of signals by their frames: periodograms, Welch's means, coherence, and spectrograms.
 */
#include "spectral/spectral.h"
#include "array/view.h"
#include "elementwise/create.h"
#include "resample/resample.h"
#include "runtime/runtime.h"

/* What a function takes where its options say nothing. */
typedef struct usual {
    gnd_window window;
    int64_t overlap; /* nperseg over the samples that frames share */
} usual;

static const usual of_welch = {{"hann", 0, {0}}, 2};
static const usual of_spectrogram = {{"tukey", 1, {0.25}}, 8};
static const usual of_periodogram = {{"boxcar", 0, {0}}, 2};
static const gnd_spectra_options no_options = {0};

/* One call: its options read, and its window. */
typedef struct spectra {
    const char *fn;
    const gnd_spectra_options *options;
    const usual *usual;
    gndi_stft_settings set;
    double scale;      /* of powers, without a window */
    gnd_array *window; /* with its factor; NULL: ones */
} spectra;

/* ---- options ---------------------------------------------------------------------------------- */

static bool check_choices(const char *fn, const gnd_spectra_options *o) {
    if ((unsigned)o->detrend > GND_SPECTRA_DETREND_NONE)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no detrending number %d", (int)o->detrend);
    else if ((unsigned)o->scaling > GND_SPECTRA_SPECTRUM)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no scaling number %d", (int)o->scaling);
    else if ((unsigned)o->average > GND_SPECTRA_MEDIAN)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no average number %d", (int)o->average);
    else if (o->nperseg < 0)
        gndi_raise(GND_ERROR_VALUE, fn, "nperseg is %lld; it must be positive", (long long)o->nperseg);
    else if (o->taper && o->window)
        gndi_raise(GND_ERROR_INVALID, fn,
                   "the window is given by its name and by its values; one of them must be NULL");
    else
        return true;
    return false;
}

/* Whether a window is all ones, which need not be read. */
static bool is_boxcar(const spectra *c) {
    const gnd_window *window = c->options->window ? c->options->window : &c->usual->window;
    return !c->options->taper && window->name && strcmp(window->name, "boxcar") == 0;
}

/* The window's values, of at most n elements if it has a name; NULL after an error. */
static const gnd_array *find_window(gndi_temporaries *s, const spectra *c, int64_t n, gnd_dtype dtype) {
    const gnd_spectra_options *o = c->options;
    if (o->taper) {
        if (gndi_missing(o->taper)) return gndi_raise_null(c->fn, "options.taper"), NULL;
        if (o->nperseg && o->taper->size != o->nperseg)
            return gndi_fail(GND_ERROR_SHAPE, c->fn, "the window has %lld elements, and nperseg is %lld",
                             (long long)o->taper->size, (long long)o->nperseg);
        return o->taper;
    }
    GNDI_PARTS_OF(c->fn);
    const gnd_window *window = o->window ? o->window : &c->usual->window;
    const int64_t nperseg = gndi_min(n, o->nperseg ? o->nperseg : 256);
    if (!is_boxcar(c)) return gndi_temporaries_keep(s, gnd_get_window(window, nperseg, true, dtype));
    const gnd_array *one = gndi_temporaries_keep(s, gnd_ones(GND_SHAPE(1), dtype)); /* only its length is looked at */
    return s->failed ? NULL : gndi_temporaries_keep(s, gnd_broadcast_to(one, GND_SHAPE(nperseg)));
}

/* Reads the options for n samples of x; false after an error. */
static bool read(gndi_temporaries *s, spectra *c, const gnd_array *x, int64_t n, bool is_complex, gnd_dtype real) {
    static const gnd_stft_detrend trends[] = {GND_STFT_DETREND_CONSTANT, GND_STFT_DETREND_LINEAR,
                                              GND_STFT_DETREND_NONE};
    const gnd_spectra_options *o = c->options;
    if (s->failed || !check_choices(c->fn, o)) return false;
    const gnd_array *window = find_window(s, c, n, GND_FLOAT64);
    if (!window || gndi_check_together(c->fn, x, "x", window, "the window")) return false;
    const gnd_stft_options options = {.fs = o->fs,
                                      .hop = o->hop,
                                      .nfft = o->nfft,
                                      .detrend = trends[o->detrend],
                                      .boundary = GND_STFT_NO_BOUNDARY,
                                      .scaling = o->scaling == GND_SPECTRA_DENSITY ? GND_STFT_PSD : GND_STFT_SPECTRUM,
                                      .two_sided = o->two_sided,
                                      .unpadded = true};
    gndi_stft_settings *set = &c->set;
    if (!gndi_stft_read(c->fn, window, &options, is_complex, set)) return false;
    if (!o->hop) set->hop = set->nperseg - set->nperseg / c->usual->overlap;
    if (!set->nfft) set->nfft = set->nperseg;
    if (!gndi_stft_check_nfft(c->fn, set)) return false;
    if (n < set->nperseg) return gndi_stft_raise_short(c->fn, set, n), false;
    const double count = (double)set->nperseg;
    c->scale = 1;
    if (is_boxcar(c))
        c->scale = set->density ? 1 / (set->fs * count) : 1 / (count * count);
    else
        c->window = gndi_stft_window(s, window, set, false, real, NULL);
    return !s->failed;
}

/* ---- averages --------------------------------------------------------------------------------- */

static double median_bias(int64_t n) {
    double sum = 1;
    for (int64_t i = 2; i <= (n - 1) / 2 * 2; i += 2) sum += 1 / ((double)i + 1) - 1 / (double)i;
    return sum;
}

/* What is computed of lines of x, or of x and y, to new lines of `frames` frames each, or of their mean. */
static gnd_array *compute(gndi_temporaries *s, spectra *c, const gnd_array *x, const gnd_array *y, int64_t frames,
                          gndi_stft_result result, bool mean) {
    const bool is_complex = result == GNDI_STFT_SPECTRA || result == GNDI_STFT_PRODUCTS;
    const bool powers = result == GNDI_STFT_POWERS || result == GNDI_STFT_PRODUCTS;
    if (s->failed) return NULL;
    const int64_t bins = gndi_stft_bins(c->set.nfft, c->set.half);
    if (frames > INT64_MAX / bins) {
        gndi_raise(GND_ERROR_MEMORY, s->fn, "%lld frames of %lld bins are too many", (long long)frames,
                   (long long)bins);
        return gndi_temporaries_keep(s, NULL);
    }
    const gnd_dtype dtype = is_complex ? gndi_stft_dtype(x) : gndi_real_dtype(gndi_stft_dtype(x));
    c->set.inner = powers ? 2 : 1;
    const gndi_stft_request r = {.set = &c->set,
                                 .window = gndi_table_of(c->window, false),
                                 .x = x,
                                 .y = y,
                                 .total = x->shape[x->ndim - 1],
                                 .frames = frames,
                                 .result = result,
                                 .mean = mean,
                                 .scale = powers ? c->scale : sqrt(c->scale),
                                 .out = gndi_lines_new(s, x, x->ndim - 1, (mean ? 1 : frames) * bins, dtype)};
    gndi_stft_run(s, &r);
    return r.out;
}

/* The median of frames over its bias: lines of bins, of lines of frames of bins. */
static gnd_array *median_of(gndi_temporaries *s, const gnd_array *frames, gnd_array *to, double bias) {
    GNDI_PARTS_OF(s->fn);
    gnd_array *median = gndi_temporaries_keep(s, gnd_median(frames, GND_AXES(frames->ndim - 2)));
    if (!s->failed) gndi_step_into(s, GNDI_OP_divide, to, gnd_arg_array(median), gnd_arg_real(bias), NULL);
    return to;
}

static gnd_array *averaged(gndi_temporaries *s, spectra *c, const gnd_array *x, const gnd_array *y, int64_t frames) {
    const gndi_stft_result result = y ? GNDI_STFT_PRODUCTS : GNDI_STFT_POWERS;
    if (c->options->average == GND_SPECTRA_MEAN || frames == 1) return compute(s, c, x, y, frames, result, true);
    const int64_t bins = gndi_stft_bins(c->set.nfft, c->set.half);
    const double bias = median_bias(frames);
    gnd_array *all = compute(s, c, x, y, frames, result, false);
    gnd_array *out = s->failed ? NULL : gndi_lines_new(s, x, x->ndim - 1, bins, (gnd_dtype)all->dtype);
    if (s->failed) return NULL;
    int64_t shape[GND_MAX_DIMS + 1];
    const int last = all->ndim - 1;
    memcpy(shape, all->shape, (size_t)last * sizeof *shape);
    shape[last] = frames, shape[last + 1] = bins;
    gnd_array *rows = gndi_temporaries_keep(
        s, gndi_array_view(s->fn, all, last + 2, shape, NULL, gndi_data(all), (gnd_dtype)all->dtype));
    if (!y) return s->failed ? NULL : median_of(s, rows, out, bias);
    for (int part = 0; part < 2 && !s->failed; part++) {
        gnd_array *from = gndi_temporaries_keep(s, gndi_complex_part(s->fn, rows, part));
        gnd_array *to = s->failed ? NULL : gndi_temporaries_keep(s, gndi_complex_part(s->fn, out, part));
        if (!s->failed) median_of(s, from, to, bias);
    }
    return out;
}

/* ---- signals ---------------------------------------------------------------------------------- */

/* The shape but one axis. */
static int outer_shape(const gnd_array *x, int axis, int64_t *shape) {
    int n = 0;
    for (int k = 0; k < x->ndim; k++)
        if (k != axis) shape[n++] = x->shape[k];
    return n;
}

/* Lines of x, in the broadcast outer shape, that share a grid with those of another signal. */
static gnd_array *broadcast_lines(gndi_temporaries *s, const gnd_array *x, int axis, int outer, const int64_t *shape,
                                  gnd_dtype dtype) {
    gnd_array *lines = gndi_lines_of(s, x, axis, dtype);
    if (s->failed) return NULL;
    gnd_shape wanted = {.ndim = outer + 1};
    memcpy(wanted.dim, shape, (size_t)outer * sizeof *shape);
    wanted.dim[outer] = lines->shape[lines->ndim - 1];
    GNDI_PARTS_OF(s->fn);
    lines = gndi_temporaries_keep(s, gnd_broadcast_to(lines, wanted));
    if (s->failed || outer <= GNDI_LINE_AXES) return lines;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, lines, dtype, 'C'));
}

/* Of signals without elements: two empty arrays. */
static gnd_array *empty(gndi_temporaries *s, int ndim, const int64_t *shape, gnd_array **f, gnd_array **t) {
    gnd_array *made[3] = {NULL};
    gnd_stream *stream = gndi_stream_current(s->fn);
    for (int k = 0; k < 3; k++)
        if (k == 0 || (k == 1 && f) || (k == 2 && t))
            made[k] =
                stream
                    ? gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, ndim, shape, GND_FLOAT64, GNDI_ORDER_C))
                    : gndi_temporaries_keep(s, NULL);
    if (f) gndi_temporaries_give(s, made[1], f);
    if (t) gndi_temporaries_give(s, made[2], t);
    return gndi_temporaries_end(s, made[0]);
}

/* The power spectrum of x without elements checked and options chosen. */
static gnd_array *power(spectra *c, const gnd_array *x, int axis, gnd_array **f) {
    gndi_temporaries s = {.fn = c->fn};
    if (x->size == 0) return empty(&s, x->ndim, x->shape, f, NULL);
    const gnd_dtype bins = gndi_stft_dtype(x), real = gndi_real_dtype(bins);
    const bool is_complex = gndi_dtype_is_complex(x->dtype);
    const int64_t n = x->shape[axis];
    if (!read(&s, c, x, n, is_complex, real)) return gndi_temporaries_end(&s, NULL);
    const gnd_array *lines = gndi_lines_of(&s, x, axis, is_complex ? bins : real);
    gnd_array *out = averaged(&s, c, lines, NULL, gndi_stft_frames(&c->set, n));
    gndi_stft_give_axes(&s, &c->set, 1, f, NULL);
    return gndi_temporaries_end(&s, s.failed ? NULL : gndi_lines_back(&s, out, axis));
}

static bool begin(const gnd_array *x, const char *name, int axis, int *x_axis, gnd_array **f, const char *fn) {
    if (f) *f = NULL;
    if (gndi_missing(x)) return gndi_raise_null(fn, name), false;
    return gndi_normalize_axis(fn, axis, x->ndim, x_axis);
}

gnd_array *gnd_welch(const gnd_array *x, int axis, const gnd_spectra_options *options, gnd_array **f) {
    spectra c = {.fn = "gnd_welch", .options = options ? options : &no_options, .usual = &of_welch};
    if (!begin(x, "x", axis, &axis, f, c.fn)) return NULL;
    return power(&c, x, axis, f);
}

gnd_array *gnd_periodogram(const gnd_array *x, int axis, const gnd_spectra_options *options, gnd_array **f) {
    gnd_spectra_options o = options ? *options : no_options;
    spectra c = {.fn = "gnd_periodogram", .options = &o, .usual = &of_periodogram};
    if (!begin(x, "x", axis, &axis, f, c.fn)) return NULL;
    gndi_temporaries s = {.fn = c.fn};
    const int64_t n = x->shape[axis];
    o.nperseg = o.nfft > 0 ? gndi_min(n, o.nfft) : n;
    o.hop = o.nperseg;
    o.average = GND_SPECTRA_MEAN;
    if (x->size && o.nperseg < n) x = gndi_step_part(&s, x, axis, 0, o.nperseg, 1);
    gnd_array *result = s.failed ? NULL : power(&c, x, axis, f);
    if (!result) s.failed = true;
    return gndi_temporaries_end(&s, result);
}

/* ---- two signals ------------------------------------------------------------------------------ */

/* The lines of two signals, and where their axis is in the result. */
typedef struct two_signals {
    int x_axis, y_axis, axis, ndim;
    int64_t shape[GND_MAX_DIMS]; /* of the result's other axes, and the shorter one's length */
    int64_t n;                   /* of the longer one */
    gnd_dtype bins;
    bool is_complex;
} two_signals;

static bool read_two(const char *fn, const gnd_array *x, const gnd_array *y, int axis, two_signals *two,
                     gnd_array **f) {
    int64_t of_x[GND_MAX_DIMS], of_y[GND_MAX_DIMS];
    if (!begin(x, "x", axis, &two->x_axis, f, fn) || !begin(y, "y", axis, &two->y_axis, f, fn) ||
        gndi_check_together(fn, x, "x", y, "y"))
        return false;
    const int nx = outer_shape(x, two->x_axis, of_x), ny = outer_shape(y, two->y_axis, of_y);
    int outer = nx;
    memcpy(two->shape, of_x, sizeof of_x);
    if (!gndi_broadcast(&outer, two->shape, ny, of_y)) {
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s, y %s; all axes but %d must broadcast together",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(y->ndim, y->shape), axis);
        return false;
    }
    const int64_t n = x->shape[two->x_axis], m = y->shape[two->y_axis];
    const gnd_dtype dtypes[] = {(gnd_dtype)x->dtype, (gnd_dtype)y->dtype, GND_COMPLEX64};
    two->ndim = outer + 1, two->shape[outer] = gndi_min(n, m), two->n = gndi_max(n, m);
    two->bins = gndi_promote_list(3, dtypes);
    two->is_complex = gndi_dtype_is_complex(x->dtype) || gndi_dtype_is_complex(y->dtype);
    return gndi_normalize_axis(fn, axis, two->ndim, &two->axis);
}

gnd_array *gnd_csd(const gnd_array *x, const gnd_array *y, int axis, const gnd_spectra_options *options,
                   gnd_array **f) {
    spectra c = {.fn = "gnd_csd", .options = options ? options : &no_options, .usual = &of_welch};
    two_signals two;
    if (x == y) {
        if (!begin(x, "x", axis, &axis, f, c.fn)) return NULL;
        return power(&c, x, axis, f);
    }
    if (!read_two(c.fn, x, y, axis, &two, f)) return NULL;
    gndi_temporaries s = {.fn = c.fn};
    const int outer = two.ndim - 1;
    const gnd_dtype real = gndi_real_dtype(two.bins), dtype = two.is_complex ? two.bins : real;
    if (x->size == 0 || y->size == 0) {
        int64_t shape[GND_MAX_DIMS];
        for (int k = 0, from = 0; k < two.ndim; k++) shape[k] = two.shape[k == two.axis ? outer : from++];
        return empty(&s, two.ndim, shape, f, NULL);
    }
    if (!read(&s, &c, x, two.n, two.is_complex, real)) return gndi_temporaries_end(&s, NULL);
    const gnd_array *a = broadcast_lines(&s, x, two.x_axis, outer, two.shape, dtype);
    const gnd_array *b = broadcast_lines(&s, y, two.y_axis, outer, two.shape, dtype);
    gnd_array *out = averaged(&s, &c, a, b, gndi_stft_frames(&c.set, two.n));
    gndi_stft_give_axes(&s, &c.set, 1, f, NULL);
    return gndi_temporaries_end(&s, s.failed ? NULL : gndi_lines_back(&s, out, two.axis));
}

gnd_array *gnd_coherence(const gnd_array *x, const gnd_array *y, int axis, const gnd_spectra_options *options,
                         gnd_array **f) {
    static const char fn[] = "gnd_coherence";
    gnd_spectra_options o = options ? *options : no_options;
    two_signals two;
    gnd_array *frequencies = NULL;
    o.scaling = GND_SPECTRA_DENSITY, o.average = GND_SPECTRA_MEAN, o.two_sided = false;
    if (!read_two(fn, x, y, axis, &two, f)) return NULL;
    if (x->shape[two.x_axis] != y->shape[two.y_axis])
        return gndi_fail(GND_ERROR_SHAPE, fn, "x has %lld samples, y %lld; there must be as many",
                         (long long)x->shape[two.x_axis], (long long)y->shape[two.y_axis]);
    gndi_temporaries s = {.fn = fn};
    GNDI_PARTS_OF(fn);
    gnd_array *cross = gndi_temporaries_keep(&s, gnd_csd(x, y, axis, &o, f ? &frequencies : NULL));
    if (frequencies) gndi_temporaries_keep(&s, frequencies);
    o.two_sided = two.is_complex;
    gnd_array *of_x = s.failed ? NULL : gndi_temporaries_keep(&s, gnd_welch(x, axis, &o, NULL));
    gnd_array *of_y = s.failed ? NULL : gndi_temporaries_keep(&s, gnd_welch(y, axis, &o, NULL));
    gnd_array *result = s.failed ? NULL : gndi_step(&s, GNDI_OP_absolute, gnd_arg_array(cross), gnd_arg_none());
    if (!s.failed) result = gndi_step(&s, GNDI_OP_multiply, gnd_arg_array(result), gnd_arg_array(result));
    if (!s.failed) result = gndi_step_in_place(&s, GNDI_OP_divide, result, gnd_arg_array(of_x));
    if (!s.failed) result = gndi_step_in_place(&s, GNDI_OP_divide, result, gnd_arg_array(of_y));
    if (f) gndi_temporaries_give(&s, frequencies, f);
    return gndi_temporaries_end(&s, result);
}

/* ---- spectrograms ----------------------------------------------------------------------------- */

gnd_array *gnd_spectrogram(const gnd_array *x, int axis, const gnd_spectra_options *options, gnd_spectrogram_mode mode,
                           gnd_array **f, gnd_array **t) {
    static const gndi_stft_result results[] = {GNDI_STFT_POWERS, GNDI_STFT_SPECTRA, GNDI_STFT_MAGNITUDES,
                                               GNDI_STFT_ANGLES, GNDI_STFT_ANGLES};
    spectra c = {.fn = "gnd_spectrogram", .options = options ? options : &no_options, .usual = &of_spectrogram};
    if (t) *t = NULL;
    if (!begin(x, "x", axis, &axis, f, c.fn)) return NULL;
    if ((unsigned)mode > GND_SPECTROGRAM_PHASE)
        return gndi_fail(GND_ERROR_INVALID, c.fn, "there is no mode number %d", (int)mode);
    if (x->ndim == GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, c.fn, "x has %d dimensions, and the result would have one more", x->ndim);
    gndi_temporaries s = {.fn = c.fn};
    if (x->size == 0 && x->shape[axis] > 0) return empty(&s, x->ndim, x->shape, f, t);
    const gnd_dtype dtype = gndi_stft_dtype(x), real = gndi_real_dtype(dtype);
    const bool is_complex = gndi_dtype_is_complex(x->dtype);
    if (!read(&s, &c, x, x->shape[axis], is_complex, real)) return gndi_temporaries_end(&s, NULL);
    const int64_t frames = gndi_stft_frames(&c.set, x->shape[axis]), bins = gndi_stft_bins(c.set.nfft, c.set.half);
    const gnd_array *lines = gndi_lines_of(&s, x, axis, is_complex ? dtype : real);
    gnd_array *out = compute(&s, &c, lines, NULL, frames, results[mode], false);
    out = gndi_stft_frames_last(&s, out, axis, bins);
    gndi_stft_give_axes(&s, &c.set, frames, f, t);
    if (mode == GND_SPECTROGRAM_PHASE && !s.failed) {
        GNDI_PARTS_OF(c.fn);
        out = gndi_temporaries_keep(&s, (gnd_unwrap)(out, gnd_arg_none(), axis, gnd_arg_real(6.283185307179586)));
    }
    return gndi_temporaries_end(&s, out);
}
