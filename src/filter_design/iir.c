/*
 * iir.c: whole designs of recursive filters (scipy.signal.iirfilter): a prototype, its band, the bilinear transform.
 */
#include "filter_design/zpk.h"
#include <math.h>

static bool check(gndi_scratch *s, int count, const double *wn, const gnd_iir_options *o) {
    const bool single = o->band == GND_LOWPASS || o->band == GND_HIGHPASS;
    if ((unsigned)o->band > GND_BANDSTOP)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no band number %d", (int)o->band);
    if (o->analog && o->fs != 0)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "an analog filter has no sampling rate, and fs is %g", o->fs);
    if (!(o->fs >= 0 && isfinite(o->fs)))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "the sampling rate must be positive, not %g", o->fs);
    if (!wn || count != (single ? 1 : 2))
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "this band takes %d critical frequencies, not %d",
                                 single ? 1 : 2, wn ? count : 0);
    const double nyquist = o->fs != 0 ? o->fs / 2 : 1;
    for (int i = 0; i < count; i++)
        if (!(wn[i] > 0 && (o->analog || wn[i] < nyquist) && isfinite(wn[i])))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "critical frequencies lie between 0 and %g, unlike %g",
                                     o->analog ? INFINITY : nyquist, wn[i]);
    if (count == 2 && !(wn[0] < wn[1]))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "critical frequencies increase, unlike %g and %g", wn[0], wn[1]);
    return true;
}

bool gndi_design_iir(gndi_scratch *s, int order, int count, const double *wn, const gndi_family *family,
                     const gnd_iir_options *options, gndi_zpk *f) {
    static const gnd_iir_options any;
    const gnd_iir_options *o = options ? options : &any;
    double warped[2];
    if (s->failed || !check(s, count, wn, o) || !gndi_prototype(s, order, family, f)) return false;
    for (int i = 0; i < count; i++) warped[i] = o->analog ? wn[i] : 4 * tan(GNDI_PI * wn[i] / (o->fs != 0 ? o->fs : 2));
    bool done = false;
    switch (o->band) {
    case GND_LOWPASS: done = gndi_zpk_lowpass(s, f, warped[0]); break;
    case GND_HIGHPASS: done = gndi_zpk_highpass(s, f, warped[0]); break;
    case GND_BANDPASS: done = gndi_zpk_bandpass(s, f, sqrt(warped[0] * warped[1]), warped[1] - warped[0]); break;
    case GND_BANDSTOP: done = gndi_zpk_bandstop(s, f, sqrt(warped[0] * warped[1]), warped[1] - warped[0]); break;
    }
    return done && (o->analog || gndi_zpk_bilinear(s, f, 2));
}

bool gndi_design_cheby1_zpk(gndi_scratch *s, int order, double rp, double wn, gndi_zpk *f) {
    const gndi_family family = {.family = GND_CHEBYSHEV1, .rp = rp};
    return gndi_design_iir(s, order, 1, &wn, &family, NULL, f);
}

bool gndi_design_cheby1_sos(gndi_scratch *s, int order, double rp, double wn, double *sos) {
    gndi_zpk *f = gndi_scratch_get(s, 1, sizeof(gndi_zpk));
    return f && gndi_design_cheby1_zpk(s, order, rp, wn, f) && gndi_zpk_to_sos(s, f, GND_PAIR_NEAREST, false, sos);
}
