/*
 * wavelets.c: wavelets, and the continuous wavelet transform (scipy.signal.morlet, morlet2, ricker, qmf and cwt, which
 * SciPy had up to 1.14).
 */
#include "waveforms/waveforms.h"
#include "array/view.h"
#include "elementwise/create.h"
#include "rearrange/rearrange.h"
#include "waveforms/cwt_plan.h"
#include <gnd.h>
#include <math.h>

/* A wavelet of m points at first, first + step, ..., real or complex. */
static gnd_array *wavelet(gndi_temporaries *s, struct gndi_wave_plan *p, int64_t m, bool pairs, gnd_dtype dtype) {
    const gnd_dtype narrow = pairs ? GND_COMPLEX64 : GND_FLOAT32, wide = pairs ? GND_COMPLEX128 : GND_FLOAT64;
    if (dtype == GND_DTYPE_NONE) dtype = wide;
    s->failed = true;
    if (dtype != narrow && dtype != wide)
        return gndi_fail(GND_ERROR_DTYPE, s->fn, "this wavelet is %s or %s, not %s", gnd_dtype_name(narrow),
                         gnd_dtype_name(wide), gnd_dtype_name(dtype));
    if (m < 0 || m > INT64_C(1) << 60)
        return gndi_fail(GND_ERROR_VALUE, s->fn, "the number of points must not be negative, and fit memory: not %lld",
                         (long long)m);
    s->failed = false;
    gnd_array *out = gndi_temporaries_keep(s, gndi_array_new(s->fn, 1, &m, dtype, GNDI_ORDER_C));
    p->dtype = dtype == narrow ? GND_FLOAT32 : GND_FLOAT64;
    gndi_wave_run(s, p, &(gndi_wave_arrays){.out = out});
    return gndi_temporaries_end(s, out);
}

gnd_array *gnd_morlet(int64_t m, double w, double s, bool complete, gnd_dtype dtype) {
    gndi_temporaries t = {.fn = "gnd_morlet"};
    const double end = 2 * GNDI_PI * s;
    struct gndi_wave_plan p = {.row = GNDI_WAVE_morlet, .first = -end, .a = {w, complete ? exp(-0.5 * w * w) : 0}};
    if (m > 1) p.step = 2 * end / (double)(m - 1);
    return wavelet(&t, &p, m, true, dtype);
}

gnd_array *gnd_morlet2(int64_t m, double s, double w, gnd_dtype dtype) {
    gndi_temporaries t = {.fn = "gnd_morlet2"};
    struct gndi_wave_plan p = {.row = GNDI_WAVE_morlet2, .first = -(double)(m - 1) / 2, .step = 1, .a = {s, w}};
    return wavelet(&t, &p, m, true, dtype);
}

gnd_array *gnd_ricker(int64_t points, double a, gnd_dtype dtype) {
    gndi_temporaries t = {.fn = "gnd_ricker"};
    struct gndi_wave_plan p = {.row = GNDI_WAVE_ricker, .first = -(double)(points - 1) / 2, .step = 1, .a = {a}};
    return wavelet(&t, &p, points, false, dtype);
}

gnd_array *gnd_qmf(const gnd_array *hk) {
    static const char fn[] = "gnd_qmf";
    if (gndi_missing(hk)) return gndi_raise_null(fn, "hk"), NULL;
    if (hk->ndim != 1)
        return gndi_fail(GND_ERROR_SHAPE, fn, "hk must have one dimension, and is %s", gndi_text_array(hk));
    GNDI_PARTS_OF(fn);
    gnd_array *result = NULL;
    const gnd_dtype dtype = gndi_dtype_is_int(hk->dtype) || hk->dtype == GND_BOOL
                                ? gnd_promote_types((gnd_dtype)hk->dtype, GND_INT64)
                                : (gnd_dtype)hk->dtype;
    GND_SCOPE {
        gnd_array *mirror = gnd_astype(gnd_slice(hk, "::-1"), dtype);
        gnd_array *odd = gnd_slice(mirror, "1::2");
        if (!gnd_negative_into(odd, odd)) result = gnd_keep(mirror);
    }
    return result;
}

/* ---- the transform -------------------------------------------------------------------------- */

static bool check_cwt(const char *fn, const gnd_array *data, gnd_wavelet wavelet, int64_t count, const double *widths) {
    if (gndi_missing(data)) return gndi_raise_null(fn, "data"), false;
    if (!widths) return gndi_raise_null(fn, "widths"), false;
    if ((unsigned)wavelet > GND_WAVELET_MORLET2)
        return gndi_raise(GND_ERROR_INVALID, fn, "there is no wavelet number %d", (int)wavelet), false;
    if (data->ndim != 1 || data->size == 0)
        return gndi_raise(GND_ERROR_SHAPE, fn, "data must have one dimension and an element, and is %s",
                          gndi_text_array(data)),
               false;
    if (count < 1) return gndi_raise(GND_ERROR_VALUE, fn, "there are %lld widths", (long long)count), false;
    for (int64_t k = 0; k < count; k++)
        if (!(widths[k] > 0 && isfinite(widths[k])))
            return gndi_raise(GND_ERROR_VALUE, fn, "widths must be above 0 and finite, unlike %g", widths[k]), false;
    return true;
}

gnd_array *gndi_wavelet_rows(const char *fn, const gnd_array *data, gnd_wavelet wavelet, int64_t count,
                             const double *widths, double w, gnd_dtype dtype) {
    gndi_temporaries s = {.fn = fn};
    double longest = 0;
    for (int64_t k = 0; k < count; k++) longest = fmax(longest, fmin(10 * widths[k], (double)data->size));
    const int64_t columns = (int64_t)ceil(longest), shape[2] = {count, columns};
    const bool pairs = wavelet == GND_WAVELET_MORLET2;
    struct gndi_wave_plan p = {.row = pairs ? GNDI_WAVE_morlet2_rows : GNDI_WAVE_ricker_rows,
                               .columns = columns,
                               .limit = (double)data->size,
                               .dtype = (uint8_t)dtype,
                               .a = {w}};
    gnd_array *on_device = gnd_from_host(widths, (gnd_shape){.ndim = 1, .dim = {count}}, GND_FLOAT64);
    if (pairs) dtype = dtype == GND_FLOAT32 ? GND_COMPLEX64 : GND_COMPLEX128;
    const gndi_wave_arrays arrays = {.w = gndi_temporaries_keep(&s, on_device),
                                     .out =
                                         gndi_temporaries_keep(&s, gndi_array_new(fn, 2, shape, dtype, GNDI_ORDER_C))};
    gndi_wave_run(&s, &p, &arrays);
    return gndi_temporaries_end(&s, arrays.out);
}

/* By a kernel that transforms tiles of the data once, and back for each wavelet. */
static gnd_array *by_tiles(const char *fn, const gnd_array *data, const gnd_array *rows, gnd_dtype dtype) {
    gndi_temporaries s = {.fn = fn};
    struct gndi_cwt_plan p = {.size = data->size,
                              .count = rows->shape[0],
                              .columns = rows->shape[1],
                              .wide = dtype == GND_FLOAT64,
                              .complex_x = gndi_dtype_is_complex(data->dtype),
                              .complex_rows = gndi_dtype_is_complex(rows->dtype)};
    const gnd_dtype pairs = p.wide ? GND_COMPLEX128 : GND_COMPLEX64;
    const int64_t shape[2] = {p.count, p.size};
    const gnd_array *read[] = {gndi_wave_dense(&s, data, p.complex_x ? pairs : dtype), rows};
    gnd_array *out =
        s.failed ? NULL
                 : gndi_temporaries_keep(
                       &s, gndi_new_on_device_of(fn, data, 2, shape, p.complex_x || p.complex_rows ? pairs : dtype));
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    p.x = gndi_data(read[0]), p.rows = gndi_data(rows), p.out = gndi_data(out);
    gnd_stream *stream = gndi_work_begin(fn, 2, read, 1, (const gnd_array *[]){out});
    s.failed = !stream || gndi_work_end(stream, stream->device->backend->cwt(stream, &p, fn), fn);
    return gndi_temporaries_end(&s, out);
}

/* By transforms of the whole data. */
static gnd_array *by_transforms(const gnd_array *data, const gnd_array *rows) {
    const gnd_array *line = gnd_slice(data, "None, :");
    const long long middle = rows ? (long long)((rows->shape[1] - 1) / 2) : 0;
    const gnd_array *full = gnd_fftconvolve(line, rows, GND_FULL, GND_AXES(1));
    return gnd_copy(gnd_slice(full, ":, %lld:%lld", middle, middle + (long long)data->size));
}

gnd_array *gnd_cwt(const gnd_array *data, gnd_wavelet wavelet, int64_t count, const double *widths, double w) {
    static const char fn[] = "gnd_cwt";
    if (!check_cwt(fn, data, wavelet, count, widths)) return NULL;
    GNDI_PARTS_OF(fn);
    gnd_array *result = NULL;
    const bool single = gndi_dtype_is_float(data->dtype) ? data->dtype != GND_FLOAT64 : data->dtype == GND_COMPLEX64;
    const gnd_dtype dtype = single ? GND_FLOAT32 : GND_FLOAT64;
    GND_USE(data->buffer->device->id) {
        GND_SCOPE {
            const gnd_array *rows = gndi_wavelet_rows(fn, data, wavelet, count, widths, w == 0 ? 5 : w, dtype);
            const bool tiles = rows && data->buffer->device->backend->cwt && count <= INT32_MAX &&
                               rows->shape[1] <= GNDI_CWT_COLUMNS(!single);
            result = gnd_keep(tiles ? by_tiles(fn, data, rows, dtype) : by_transforms(data, rows));
        }
    }
    return result;
}
