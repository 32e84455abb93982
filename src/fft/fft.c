/*
 * fft.c: the public transforms: each is a kind, and the axes that its arguments name.
 */
#include "fft/fft.h"

/* Whether there is anything to transform; raises if not. */
static bool check_arrays(const char *fn, const gnd_array *a, const gnd_array *out, bool into) {
    if (!gndi_missing(a) && (!into || !gndi_missing(out))) return true;
    gndi_raise_null(fn, gndi_missing(a) ? "a" : "out");
    return false;
}

/* ---- one axis --------------------------------------------------------------------------------- */

static gnd_status along_axis(const char *fn, gndi_fft_kind kind, bool into, gnd_array *out, const gnd_array *a,
                             int64_t n, int axis, gnd_fft_norm norm, gnd_array **result) {
    gndi_fft_request r = {.fn = fn, .kind = kind, .a = a, .out = out, .norm = norm};
    if (!check_arrays(fn, a, out, into) || !gndi_fft_check_norm(fn, norm) ||
        !gndi_fft_read_axis(fn, a, n, axis, gndi_fft_is_real_result(kind), &r.axes))
        return gndi_ew_pending();
    return gndi_fft_run(&r, result);
}

#define ALONG_AXIS(name, kind)                                                                                         \
    gnd_array *gnd_##name(const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm) {                                \
        gnd_array *result = NULL;                                                                                      \
        along_axis("gnd_" #name, kind, false, NULL, a, n, axis, norm, &result);                                        \
        return result;                                                                                                 \
    }                                                                                                                  \
    gnd_status gnd_##name##_into(gnd_array *out, const gnd_array *a, int64_t n, int axis, gnd_fft_norm norm) {         \
        return along_axis("gnd_" #name "_into", kind, true, out, a, n, axis, norm, NULL);                              \
    }

ALONG_AXIS(fft, GNDI_FFT)     // gnd_fft(), gnd_fft_into()
ALONG_AXIS(ifft, GNDI_IFFT)   // gnd_ifft(), gnd_ifft_into()
ALONG_AXIS(rfft, GNDI_RFFT)   // gnd_rfft(), gnd_rfft_into()
ALONG_AXIS(irfft, GNDI_IRFFT) // gnd_irfft(), gnd_irfft_into()
ALONG_AXIS(hfft, GNDI_HFFT)   // gnd_hfft(), gnd_hfft_into()
ALONG_AXIS(ihfft, GNDI_IHFFT) // gnd_ihfft(), gnd_ihfft_into()

/* ---- several axes ----------------------------------------------------------------------------- */

static gnd_status along_axes(const char *fn, gndi_fft_kind kind, int least, bool into, gnd_array *out,
                             const gnd_array *a, const gnd_shape *s, const gnd_axes *axes, gnd_fft_norm norm,
                             gnd_array **result) {
    gndi_fft_request r = {.fn = fn, .kind = kind, .a = a, .out = out, .norm = norm};
    if (!check_arrays(fn, a, out, into) || !gndi_fft_check_norm(fn, norm) ||
        !gndi_fft_read_axes(fn, a, s, axes, least, gndi_fft_is_real_result(kind), &r.axes))
        return gndi_ew_pending();
    if (r.axes.count == 0 && kind != GNDI_FFT && kind != GNDI_IFFT)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "there is no axis to transform along; of shape %s, at least one must be "
                          "named",
                          gndi_text_shape(a->ndim, a->shape));
    if ((kind == GNDI_HFFT || kind == GNDI_IHFFT) && gndi_fft_has_repeated(&r.axes))
        return gndi_raise(GND_ERROR_AXIS, fn, "an axis of shape %s is named twice", gndi_text_shape(a->ndim, a->shape));
    return gndi_fft_run(&r, result);
}

#define ALONG_AXES(name, kind, least)                                                                                  \
    gnd_array *gnd_##name(const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm) {                         \
        gnd_array *result = NULL;                                                                                      \
        along_axes("gnd_" #name, kind, least, false, NULL, a, &s, &axes, norm, &result);                               \
        return result;                                                                                                 \
    }                                                                                                                  \
    gnd_status gnd_##name##_into(gnd_array *out, const gnd_array *a, gnd_shape s, gnd_axes axes, gnd_fft_norm norm) {  \
        return along_axes("gnd_" #name "_into", kind, least, true, out, a, &s, &axes, norm, NULL);                     \
    }

ALONG_AXES(fft2, GNDI_FFT, 2)     // gnd_fft2(), gnd_fft2_into()
ALONG_AXES(ifft2, GNDI_IFFT, 2)   // gnd_ifft2(), gnd_ifft2_into()
ALONG_AXES(rfft2, GNDI_RFFT, 2)   // gnd_rfft2(), gnd_rfft2_into()
ALONG_AXES(irfft2, GNDI_IRFFT, 2) // gnd_irfft2(), gnd_irfft2_into()
ALONG_AXES(fftn, GNDI_FFT, 0)     // gnd_fftn(), gnd_fftn_into()
ALONG_AXES(ifftn, GNDI_IFFT, 0)   // gnd_ifftn(), gnd_ifftn_into()
ALONG_AXES(rfftn, GNDI_RFFT, 0)   // gnd_rfftn(), gnd_rfftn_into()
ALONG_AXES(irfftn, GNDI_IRFFT, 0) // gnd_irfftn(), gnd_irfftn_into()
ALONG_AXES(hfft2, GNDI_HFFT, 2)   // gnd_hfft2(), gnd_hfft2_into()
ALONG_AXES(ihfft2, GNDI_IHFFT, 2) // gnd_ihfft2(), gnd_ihfft2_into()
ALONG_AXES(hfftn, GNDI_HFFT, 0)   // gnd_hfftn(), gnd_hfftn_into()
ALONG_AXES(ihfftn, GNDI_IHFFT, 0) // gnd_ihfftn(), gnd_ihfftn_into()
