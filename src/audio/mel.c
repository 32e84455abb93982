/*
 * mel.c: the mel scale, by the formulas of HTK and of Slaney's Auditory Toolbox, and filters on it.
 */
#include "audio/audio.h"
#include "array/view.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"
#include <math.h>

/* Slaney's scale: linear up to 1000 Hz, 200 / 3 Hz a mel; then logarithmic, 27 mels for a factor of 6.4. */
static const double LINEAR = 200.0 / 3, KNEE = 1000, KNEE_MEL = 15;
static double log_step(void) {
    return log(6.4) / 27;
}

double gnd_hz_to_mel(double hz, gnd_mel_scale scale) {
    if (scale == GND_MEL_HTK) return 2595 * log10(1 + hz / 700);
    return hz < KNEE ? hz / LINEAR : KNEE_MEL + log(hz / KNEE) / log_step();
}

double gnd_mel_to_hz(double mel, gnd_mel_scale scale) {
    if (scale == GND_MEL_HTK) return 700 * (pow(10, mel / 2595) - 1);
    return mel < KNEE_MEL ? mel * LINEAR : KNEE * exp(log_step() * (mel - KNEE_MEL));
}

bool gndi_mel_read(const char *fn, const gnd_mel_options *options, gndi_mel_settings *to) {
    static const gnd_mel_options defaults;
    const gnd_mel_options *o = options ? options : &defaults;
    *to = (gndi_mel_settings){.rate = o->sample_rate == 0 ? 16000 : o->sample_rate,
                              .low = o->f_min,
                              .bands = o->n_mels == 0 ? 128 : o->n_mels,
                              .scale = o->scale,
                              .slaney = o->norm == GND_MEL_NORM_SLANEY};
    to->high = o->f_max == 0 ? to->rate / 2 : o->f_max;
    if ((unsigned)o->scale > GND_MEL_SLANEY || (unsigned)o->norm > GND_MEL_NORM_SLANEY)
        gndi_raise(GND_ERROR_INVALID, fn, "there is no scale number %d, or no norm number %d", (int)o->scale,
                   (int)o->norm);
    else if (!(to->rate > 0) || !isfinite(to->rate) || !(to->low >= 0) || !(to->high > to->low) || !isfinite(to->high))
        gndi_raise(GND_ERROR_VALUE, fn,
                   "the sample rate is %g, and the bands go from %g to %g Hz; the rate must be positive, and these "
                   "rise from at least 0",
                   to->rate, to->low, to->high);
    else if (to->bands < 1 || to->bands > INT32_MAX / 2)
        gndi_raise(GND_ERROR_VALUE, fn, "there are %lld bands; there must be 1 to 2^30", (long long)to->bands);
    else
        return true;
    return false;
}

/* ---- filters ---------------------------------------------------------------------------------- */

static void set_number(void *to, bool wide, int64_t i, double value) {
    if (wide)
        ((double *)to)[i] = value;
    else
        ((float *)to)[i] = (float)value;
}

static double number(const void *of, bool wide, int64_t i) {
    return wide ? ((const double *)of)[i] : (double)((const float *)of)[i];
}

void *gndi_mel_bands_new(const char *fn, const gndi_mel_settings *set, int64_t bins, bool wide, gndi_mel_bands *bands,
                         size_t *bytes) {
    const int64_t corners = set->bands + 2, item = wide ? 8 : 4;
    *bytes = (size_t)(2 * bins * item + corners * 4);
    double *corner = gndi_malloc(fn, (size_t)corners * sizeof *corner);
    char *memory = corner ? gndi_calloc(fn, *bytes) : NULL;
    if (!memory) return gndi_free(corner), NULL;
    void *rise = memory, *fall = memory + bins * item;
    int32_t *start = (int32_t *)(void *)(memory + 2 * bins * item);
    const double low = gnd_hz_to_mel(set->low, set->scale), high = gnd_hz_to_mel(set->high, set->scale);
    for (int64_t i = 0; i < corners; i++)
        corner[i] = gnd_mel_to_hz(low + (high - low) * (double)i / (double)(corners - 1), set->scale);
    int64_t k = 0;
    for (int64_t i = 0; i < corners; i++) {
        const double step = bins > 1 ? set->rate / 2 / (double)(bins - 1) : 0;
        for (; k < bins && step * (double)k < corner[i]; k++) {
            if (i == 0) continue;
            const double width = corner[i] - corner[i - 1], up = (step * (double)k - corner[i - 1]) / width;
            const double over_rise = set->slaney && i + 1 < corners ? 2 / (corner[i + 1] - corner[i - 1]) : 1;
            const double over_fall = set->slaney && i > 1 ? 2 / (corner[i] - corner[i - 2]) : 1;
            if (i + 1 < corners) set_number(rise, wide, k, up * over_rise);
            if (i > 1) set_number(fall, wide, k, (1 - up) * over_fall);
        }
        start[i] = (int32_t)k;
    }
    gndi_free(corner);
    *bands = (gndi_mel_bands){set->bands, rise, fall, start};
    return memory;
}

/* The filters as a matrix of bins and bands, which is zeros. */
static void fill(double *to, const gndi_mel_bands *m) {
    for (int64_t band = 0; band < m->bands; band++) {
        for (int64_t k = m->start[band]; k < m->start[band + 1]; k++)
            to[k * m->bands + band] = number(m->rise, true, k);
        for (int64_t k = m->start[band + 1]; k < m->start[band + 2]; k++)
            to[k * m->bands + band] = number(m->fall, true, k);
    }
}

gnd_array *gnd_mel_filters(int64_t n_freqs, const gnd_mel_options *options, gnd_dtype dtype) {
    static const char fn[] = "gnd_mel_filters";
    gndi_mel_settings set;
    gndi_mel_bands m;
    size_t bytes;
    if (dtype == GND_DTYPE_NONE) dtype = GND_FLOAT32;
    if (!gndi_dtype_valid(dtype) || !gndi_dtype_is_float(dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "the dtype is %s; it must be a floating one",
                         gndi_dtype_valid(dtype) ? gnd_dtype_name(dtype) : "none");
    if (!gndi_mel_read(fn, options, &set)) return NULL;
    if (n_freqs < 1 || n_freqs > INT32_MAX / set.bands)
        return gndi_fail(GND_ERROR_VALUE, fn, "there are %lld frequencies; there must be one, and not too many",
                         (long long)n_freqs);
    void *memory = gndi_mel_bands_new(fn, &set, n_freqs, true, &m, &bytes);
    double *matrix = memory ? gndi_calloc(fn, (size_t)(n_freqs * set.bands) * sizeof *matrix) : NULL;
    gnd_array *out = NULL;
    if (matrix) {
        GNDI_PARTS_OF(fn);
        gndi_temporaries s = {.fn = fn};
        fill(matrix, &m);
        out = gndi_temporaries_keep(&s, gnd_from_host(matrix, GND_SHAPE(n_freqs, set.bands), GND_FLOAT64));
        if (out && dtype != GND_FLOAT64) out = gndi_temporaries_keep(&s, gndi_copy_as(fn, out, dtype, 'C'));
        out = gndi_temporaries_end(&s, out);
    }
    gndi_free(matrix);
    gndi_free(memory);
    return out;
}
