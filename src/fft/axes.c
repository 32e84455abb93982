/*
 * axes.c: the axes of a transform, and how many elements of each it takes, by NumPy's rules.
 */
#include "fft/fft.h"

bool gndi_fft_check_norm(const char *fn, gnd_fft_norm norm) {
    if ((unsigned)norm <= GND_FFT_FORWARD) return true;
    gndi_raise(GND_ERROR_INVALID, fn,
               "there is no norm number %d; there are GND_FFT_BACKWARD, GND_FFT_ORTHO and "
               "GND_FFT_FORWARD",
               (int)norm);
    return false;
}

/* The number of elements of one axis: as given, or all of them; for a real result from m elements of its
   transform, 2 (m - 1). */
static bool read_length(const char *fn, const gnd_array *a, int axis, int64_t given, bool real_result, int64_t *n) {
    const int64_t size = a->shape[axis];
    *n = given != -1 ? given : real_result ? 2 * (size - 1) : size;
    if (*n >= 1) return true;
    gndi_raise(GND_ERROR_VALUE, fn, "there is no transform of %lld elements, along axis %d of an array of shape %s",
               (long long)*n, axis, gndi_text_shape(a->ndim, a->shape));
    return false;
}

bool gndi_fft_read_axis(const char *fn, const gnd_array *a, int64_t n, int axis, bool real_result, gndi_fft_axes *out) {
    out->count = 1;
    return gndi_normalize_axis(fn, axis, a->ndim, &out->axis[0]) &&
           read_length(fn, a, out->axis[0], n, real_result, &out->n[0]);
}

/* The number of axes if none are named: all, the last two, or as many as there are sizes. */
static int default_count(const gnd_array *a, const gnd_shape *s, int least) {
    return least ? least : s->ndim ? s->ndim : a->ndim;
}

static bool check_counts(const char *fn, const gnd_array *a, const gnd_shape *s, int count) {
    if (s->ndim < 0 || s->ndim > GND_MAX_DIMS || count > GND_MAX_DIMS) {
        gndi_raise(GND_ERROR_INVALID, fn, "lists have 0 to %d entries, not %d", GND_MAX_DIMS,
                   count > GND_MAX_DIMS ? count : s->ndim);
        return false;
    }
    if (s->ndim == 0 || s->ndim == count) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "s has %d sizes, and there are %d axes to be transformed of an array of shape %s",
               s->ndim, count, gndi_text_shape(a->ndim, a->shape));
    return false;
}

bool gndi_fft_read_axes(const char *fn, const gnd_array *a, const gnd_shape *s, const gnd_axes *axes, int least,
                        bool real_result, gndi_fft_axes *out) {
    const bool named = axes->count != 0;
    const int count = axes->count < 0 ? 0 : named ? axes->count : default_count(a, s, least);
    out->count = count;
    if (!check_counts(fn, a, s, count)) return false;
    for (int i = 0; i < count; i++)
        if (!gndi_normalize_axis(fn, named ? axes->axis[i] : i - count, a->ndim, &out->axis[i])) return false;
    for (int i = 0; i < count; i++)
        if (!read_length(fn, a, out->axis[i], s->ndim ? s->dim[i] : -1, real_result && i == count - 1 && s->ndim == 0,
                         &out->n[i]))
            return false;
    return true;
}

bool gndi_fft_has_repeated(const gndi_fft_axes *axes) {
    uint64_t seen = 0;
    for (int i = 0; i < axes->count; i++) {
        const uint64_t bit = UINT64_C(1) << axes->axis[i];
        if (seen & bit) return true;
        seen |= bit;
    }
    return false;
}
