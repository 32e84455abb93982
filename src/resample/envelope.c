/*
 * envelope.c: gnd_envelope: the magnitude of a band of a signal's spectrum, and what the band leaves out.
 */
#include "resample/fourier.h"

static const char fn[] = "gnd_envelope";

typedef struct band {
    int axis;
    int64_t n, n_out;
    int64_t low, high; /* the frequencies low .. high - 1 */
    bool is_real;      /* spectra have the frequencies 0 .. n / 2 only */
} band;

static bool read_band(const gnd_array *x, const gnd_envelope_options *o, band *b) {
    b->n = x->shape[b->axis], b->is_real = !gndi_dtype_is_complex(x->dtype);
    b->n_out = o->n_out ? o->n_out : b->n;
    if (b->n < 1 || b->n_out < 1) {
        gndi_raise(GND_ERROR_VALUE, fn, "%lld samples of %lld along axis %d; there must be at least one of both",
                   (long long)b->n_out, (long long)b->n, b->axis);
        return false;
    }
    const int64_t highest = (b->n + 1) / 2;
    b->low = o->band ? o->low : 1, b->high = o->band ? o->high : highest;
    if (-(b->n / 2) <= b->low && b->low < b->high && b->high <= highest) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "the band is %lld to %lld; of %lld elements it must lie within %lld to %lld",
               (long long)b->low, (long long)b->high, (long long)b->n, (long long)-(b->n / 2), (long long)highest);
    return false;
}

/* Element k of the spectrum holds frequency k, or k - n. Frequencies first .. last - 1, all negative or none, go to
   elements of `to` from `at` on, times a factor. */
static void copy_frequencies(gndi_temporaries *s, const band *b, const gnd_array *to, int64_t at,
                             const gnd_array *spectrum, int64_t first, int64_t last, double factor) {
    if (at + (last - first) > b->n_out) last = first + b->n_out - at;
    if (s->failed || last <= first) return;
    const int64_t from = first < 0 ? first + b->n : first;
    gndi_copy_to_part(s, to, b->axis, at, last - first, gndi_step_part(s, spectrum, b->axis, from, last - first, 1));
    if (factor != 1) gndi_fourier_scale(s, to, b->axis, at, at + last - first, factor);
}

/* The signal of the band alone, moved to frequency 0; of a real one, of its analytic signal. */
static gnd_array *signal_of_band(gndi_temporaries *s, const band *b, const gnd_array *spectrum) {
    gnd_array *y = s->failed ? NULL : gndi_fourier_new(s, spectrum, b->axis, b->n_out, (gnd_dtype)spectrum->dtype);
    if (s->failed || y->size == 0) return y;
    gndi_fourier_scale(s, y, b->axis, 0, b->n_out, 0);
    const int64_t split = b->low > 0 ? b->low : gndi_min(b->high, 0), first = gndi_max(b->low, 0);
    if (!b->is_real) {
        copy_frequencies(s, b, y, 0, spectrum, b->low, split, 1);
    } else if (b->low == -(b->n / 2) && b->n % 2 == 0) { /* the only one of them that a half has */
        copy_frequencies(s, b, y, 0, spectrum, b->low, b->low + 1, 1);
    }
    if (b->high > first && first - b->low < b->n_out) {
        const int64_t zero = b->low <= 0 ? 1 : 0; /* frequency 0 is not doubled */
        copy_frequencies(s, b, y, first - b->low, spectrum, first, first + zero, 1);
        if (first + zero - b->low < b->n_out)
            copy_frequencies(s, b, y, first + zero - b->low, spectrum, first + zero, b->high, b->is_real ? 2 : 1);
    }
    return gndi_fourier(s, GNDI_IFFT, y, b->axis, b->n_out, 1.0 / (double)b->n, y);
}

/* Clears elements first .. last - 1 of a spectrum, as far as it has them. */
static void clear(gndi_temporaries *s, const band *b, const gnd_array *spectrum, int64_t first, int64_t last) {
    const int64_t n = s->failed ? 0 : spectrum->shape[b->axis];
    gndi_fourier_scale(s, spectrum, b->axis, gndi_min(first, n), gndi_min(last, n), 0);
}

/* The rest, from the spectrum, which is overwritten. */
static gnd_array *rest(gndi_temporaries *s, const band *b, const gnd_array *spectrum, gnd_envelope_residual kind) {
    if (s->failed || spectrum->size == 0)
        return s->failed ? NULL
                         : gndi_fourier_new(s, spectrum, b->axis, b->n_out,
                                            b->is_real ? gndi_real_dtype(spectrum->dtype) : (gnd_dtype)spectrum->dtype);
    const int64_t n = b->n, half = (n + 1) / 2;
    clear(s, b, spectrum, gndi_max(b->low, 0), gndi_max(b->high, 0));
    clear(s, b, spectrum, n + gndi_min(b->low, 0), n + gndi_min(b->high, 0));
    if (kind == GND_ENVELOPE_LOWPASS && b->high > 0) clear(s, b, spectrum, b->high, half);
    if (kind == GND_ENVELOPE_LOWPASS && b->high <= 0) {
        clear(s, b, spectrum, n + b->low, n);
        clear(s, b, spectrum, 0, half);
    }
    return b->is_real ? gndi_resample_half(s, spectrum, b->axis, n, b->n_out)
                      : gndi_resample_spectrum(s, spectrum, b->axis, b->n_out);
}

gnd_array *gnd_envelope(const gnd_array *x, int axis, const gnd_envelope_options *options, gnd_array **residual) {
    static const gnd_envelope_options defaults = {0};
    if (!options) options = &defaults;
    if (residual) *residual = NULL;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    band b = {0};
    if (!gndi_normalize_axis(fn, axis, x->ndim, &b.axis) || !read_band(x, options, &b)) return NULL;
    if ((unsigned)options->residual_kind > GND_ENVELOPE_ALL)
        return gndi_fail(GND_ERROR_INVALID, fn, "there is no residual number %d", (int)options->residual_kind);
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gnd_array *spectrum = gndi_fourier(&s, b.is_real ? GNDI_RFFT : GNDI_FFT, x, b.axis, b.n, 0, NULL);
    gnd_array *y = signal_of_band(&s, &b, spectrum);
    gnd_array *envelope = s.failed ? NULL : gndi_step(&s, GNDI_OP_absolute, gnd_arg_array(y), gnd_arg_none());
    if (options->squared && !s.failed)
        gndi_step_into(&s, GNDI_OP_square, envelope, gnd_arg_array(envelope), gnd_arg_none(), NULL);
    if (residual) gndi_temporaries_give(&s, rest(&s, &b, spectrum, options->residual_kind), residual);
    return gndi_temporaries_end(&s, envelope);
}
