/*
 * settings.c: the options of short-time transforms, and their windows.
 */
#include "spectral/spectral.h"
#include "elementwise/create.h"
#include "runtime/runtime.h"
#include <math.h>

/* ---- options ---------------------------------------------------------------------------------- */

static bool check_window(const char *fn, const gnd_array *window) {
    if (gndi_missing(window))
        gndi_raise_null(fn, "window");
    else if (window->ndim != 1 || window->size == 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "the window must have one dimension and at least one element; its shape is %s",
                   gndi_text_shape(window->ndim, window->shape));
    else if (gndi_dtype_is_complex(window->dtype))
        gndi_raise(GND_ERROR_DTYPE, fn, "the window must be real, not %s", gnd_dtype_name((gnd_dtype)window->dtype));
    else
        return true;
    return false;
}

static bool check_choices(const char *fn, const gnd_stft_options *o) {
    if ((unsigned)o->detrend > GND_STFT_DETREND_LINEAR)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no detrending number %d", (int)o->detrend);
    else if ((unsigned)o->boundary > GND_STFT_NO_BOUNDARY)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no boundary number %d", (int)o->boundary);
    else if ((unsigned)o->scaling > GND_STFT_PSD)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no scaling number %d", (int)o->scaling);
    else if (!(o->fs >= 0) || isinf(o->fs))
        gndi_raise(GND_ERROR_VALUE, fn, "fs is %g; it must be positive and finite", o->fs);
    else if (o->hop < 0 || o->hop > INT32_MAX)
        gndi_raise(GND_ERROR_VALUE, fn, "the hop is %lld; it must be between 1 and 2^31 - 1", (long long)o->hop);
    else if (o->nfft < 0 || o->nfft > INT32_MAX)
        gndi_raise(GND_ERROR_VALUE, fn, "nfft is %lld; it must be between nperseg and 2^31 - 1", (long long)o->nfft);
    else
        return true;
    return false;
}

bool gndi_stft_read(const char *fn, const gnd_array *window, const gnd_stft_options *options, bool complex_signal,
                    gndi_stft_settings *to) {
    static const gnd_stft_options defaults = {0};
    static const gndi_border borders[] = {
        [GND_STFT_ZEROS] = GNDI_BORDER_CONSTANT,       [GND_STFT_EVEN] = GNDI_BORDER_MIRROR,
        [GND_STFT_ODD] = GNDI_BORDER_ANTIREFLECT,      [GND_STFT_EDGE] = GNDI_BORDER_NEAREST,
        [GND_STFT_NO_BOUNDARY] = GNDI_BORDER_CONSTANT,
    };
    const gnd_stft_options *o = options ? options : &defaults;
    if (!check_window(fn, window) || !check_choices(fn, o)) return false;
    const int64_t n = window->size;
    if (n > INT32_MAX) {
        gndi_raise(GND_ERROR_SHAPE, fn, "the window has %lld elements; at most 2^31 - 1 fit", (long long)n);
        return false;
    }
    *to = (gndi_stft_settings){.nperseg = n,
                               .nfft = o->nfft,
                               .hop = o->hop ? o->hop : n - n / 2,
                               .extend = o->boundary == GND_STFT_NO_BOUNDARY ? 0 : n / 2,
                               .border = borders[o->boundary],
                               .trend = (gndi_stft_trend)o->detrend,
                               .half = !complex_signal && !o->two_sided,
                               .padded = !o->unpadded,
                               .bounded = o->boundary != GND_STFT_NO_BOUNDARY,
                               .density = o->scaling == GND_STFT_PSD,
                               .fs = o->fs > 0 ? o->fs : 1};
    return true;
}

bool gndi_stft_check_nfft(const char *fn, const gndi_stft_settings *set) {
    if (set->nfft >= set->nperseg) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "nfft is %lld; it must be at least the window's length, %lld", (long long)set->nfft,
               (long long)set->nperseg);
    return false;
}

int64_t gndi_stft_frames(const gndi_stft_settings *set, int64_t n) {
    if (n < set->nperseg) return 0;
    const int64_t rest = n + 2 * set->extend - set->nperseg;
    const int64_t zeros = set->padded ? gndi_border_modulo(-rest, set->hop) % set->nperseg : 0;
    return (rest + zeros) / set->hop + 1;
}

void gndi_stft_raise_short(const char *fn, const gndi_stft_settings *set, int64_t n) {
    gndi_raise(GND_ERROR_SHAPE, fn, "the window has %lld elements, and the signal %lld samples; it must not be shorter",
               (long long)set->nperseg, (long long)n);
}

/* ---- tables ----------------------------------------------------------------------------------- */

gndi_table gndi_table_of(const gnd_array *a, bool retain) {
    if (!a) return (gndi_table){0};
    const gndi_table t = {a->buffer, gndi_data(a)};
    if (retain) gndi_buffer_retain(t.buffer);
    return t;
}

void gndi_table_release(gndi_table *t) {
    if (t->buffer) gndi_buffer_release(t->buffer);
    *t = (gndi_table){0};
}

/* ---- windows ---------------------------------------------------------------------------------- */

static gnd_array *as(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype) {
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(s->fn, a, dtype, 'C'));
}

/* |sum of the window|, or the root of fs times that of its squares: what a transform is divided by. The inverse
   multiplies by the sum itself. */
static gnd_array *divisor(gndi_temporaries *s, const gnd_array *w, const gnd_array *squares,
                          const gndi_stft_settings *set, bool inverse) {
    GNDI_PARTS_OF(s->fn);
    gnd_array *sum = s->failed ? NULL : gndi_temporaries_keep(s, gnd_sum(set->density ? squares : w, GND_ALL));
    if (s->failed || (!set->density && inverse)) return sum;
    if (!set->density) return gndi_step(s, GNDI_OP_absolute, gnd_arg_array(sum), gnd_arg_none());
    sum = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(sum), gnd_arg_real(set->fs));
    return s->failed ? NULL : gndi_step(s, GNDI_OP_sqrt, gnd_arg_array(sum), gnd_arg_none());
}

/* A new array of a window's length. */
static gnd_array *new_table(gndi_temporaries *s, const gnd_array *window, gnd_dtype dtype) {
    gnd_stream *stream = s->failed ? NULL : gndi_stream_on(window->buffer->device, s->fn);
    if (!stream) return gndi_temporaries_keep(s, NULL);
    return gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, 1, &window->size, dtype, GNDI_ORDER_C));
}

/* All of it in one launch. */
static gnd_array *short_window(gndi_temporaries *s, const gnd_array *window, const gndi_stft_settings *set,
                               bool inverse, gnd_dtype dtype, gnd_array **squares) {
    const bool floating = window->dtype == GND_FLOAT32 || window->dtype == GND_FLOAT64;
    const bool dense = window->size == 1 || window->strides[0] == gndi_itemsize(window);
    const gnd_array *from = floating && dense ? window : as(s, window, GND_FLOAT64);
    gnd_array *w = new_table(s, window, dtype), *square = squares ? new_table(s, window, dtype) : NULL;
    if (s->failed) return NULL;
    const gndi_taper_plan plan = {.window = gndi_data(from),
                                  .window_wide = from->dtype == GND_FLOAT64,
                                  .wide = dtype == GND_FLOAT64,
                                  .inverse = inverse,
                                  .density = set->density,
                                  .n = window->size,
                                  .nfft = set->nfft,
                                  .fs = set->fs,
                                  .out = gndi_data(w),
                                  .squares = square ? gndi_data(square) : NULL};
    gnd_stream *stream = gndi_ew_stream(w, s->fn);
    s->failed = true;
    if (!stream || gndi_order_read(stream, from->buffer, s->fn) || gndi_order_write(stream, w->buffer, s->fn) ||
        (square && gndi_order_write(stream, square->buffer, s->fn)) ||
        stream->device->backend->taper(stream, &plan, s->fn))
        return NULL;
    gndi_submitted(stream);
    s->failed = gndi_finish(stream, s->fn) != GND_OK;
    if (squares) *squares = square;
    return w;
}

gnd_array *gndi_stft_window(gndi_temporaries *s, const gnd_array *window, const gndi_stft_settings *set, bool inverse,
                            gnd_dtype dtype, gnd_array **squares) {
    if (window->size <= GNDI_TAPER_MOST) return short_window(s, window, set, inverse, dtype, squares);
    gnd_array *w = as(s, window, GND_FLOAT64), *square = NULL;
    if (!s->failed && (squares || set->density))
        square = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(w), gnd_arg_array(w));
    gnd_array *by = divisor(s, w, square, set, inverse);
    if (s->failed) return NULL;
    if (inverse) { /* transforms back have no factor of their own */
        w = gndi_step(s, GNDI_OP_multiply, gnd_arg_array(w), gnd_arg_array(by));
        if (!s->failed) w = gndi_step(s, GNDI_OP_divide, gnd_arg_array(w), gnd_arg_real((double)set->nfft));
    } else {
        w = gndi_step(s, GNDI_OP_divide, gnd_arg_array(w), gnd_arg_array(by));
    }
    if (squares) *squares = as(s, square, dtype);
    return as(s, w, dtype);
}
