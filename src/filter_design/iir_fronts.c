/*
 * iir_fronts.c: the public functions of recursive filters, and of the prototypes that they transform.
 */
#include "filter_design/design.h"

void gndi_design_filter(gndi_scratch *s, gnd_filter_design *out, int order, int count, const double *wn,
                        const gndi_family *family, const gnd_iir_options *options) {
    const gnd_filter_output output = options ? options->output : GND_BA;
    const bool analog = options && options->analog;
    gndi_zpk *f = gndi_scratch_get(s, 1, sizeof(*f));
    if (f && (unsigned)output > GND_SOS)
        gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no form of coefficients number %d", (int)output);
    if (!f || !gndi_design_iir(s, order, count, wn, family, options, f)) return;
    if (output == GND_BA)
        gndi_design_ba(s, f, true, out);
    else if (output == GND_ZPK)
        gndi_design_zpk(s, f, out);
    else
        out->sos = gndi_design_sos(s, f, analog ? GND_PAIR_MINIMAL : GND_PAIR_NEAREST, analog);
}

static gnd_status design(const char *fn, gnd_filter_design *out, int order, int count, const double *wn,
                         const gndi_family *family, const gnd_iir_options *options) {
    gndi_scratch s = {.fn = fn};
    if (gndi_design_begin(&s, out)) gndi_design_filter(&s, out, order, count, wn, family, options);
    return gndi_design_end(&s, out);
}

gnd_status gnd_butter(gnd_filter_design *f, int order, int count, const double *wn, const gnd_iir_options *options) {
    return design("gnd_butter", f, order, count, wn, &(gndi_family){.family = GND_BUTTERWORTH}, options);
}

gnd_status gnd_cheby1(gnd_filter_design *f, int order, double rp, int count, const double *wn,
                      const gnd_iir_options *options) {
    return design("gnd_cheby1", f, order, count, wn, &(gndi_family){.family = GND_CHEBYSHEV1, .rp = rp}, options);
}

gnd_status gnd_cheby2(gnd_filter_design *f, int order, double rs, int count, const double *wn,
                      const gnd_iir_options *options) {
    return design("gnd_cheby2", f, order, count, wn, &(gndi_family){.family = GND_CHEBYSHEV2, .rs = rs}, options);
}

gnd_status gnd_ellip(gnd_filter_design *f, int order, double rp, double rs, int count, const double *wn,
                     const gnd_iir_options *options) {
    return design("gnd_ellip", f, order, count, wn, &(gndi_family){.family = GND_ELLIPTIC, .rp = rp, .rs = rs},
                  options);
}

gnd_status gnd_bessel(gnd_filter_design *f, int order, int count, const double *wn, gnd_bessel_norm norm,
                      const gnd_iir_options *options) {
    return design("gnd_bessel", f, order, count, wn, &(gndi_family){.family = GND_BESSEL, .norm = norm}, options);
}

gnd_status gnd_iirfilter(gnd_filter_design *f, int order, double rp, double rs, int count, const double *wn,
                         gnd_filter_family family, const gnd_iir_options *options) {
    return design("gnd_iirfilter", f, order, count, wn, &(gndi_family){.family = family, .rp = rp, .rs = rs}, options);
}

/* ---- prototypes ----------------------------------------------------------------------------- */

static gnd_status prototype(const char *fn, gnd_filter_design *out, int order, const gndi_family *family) {
    gndi_scratch s = {.fn = fn};
    gndi_zpk *f = gndi_design_begin(&s, out) ? gndi_scratch_get(&s, 1, sizeof(*f)) : NULL;
    if (f && gndi_prototype(&s, order, family, f)) gndi_design_zpk(&s, f, out);
    return gndi_design_end(&s, out);
}

gnd_status gnd_buttap(gnd_filter_design *f, int order) {
    return prototype("gnd_buttap", f, order, &(gndi_family){.family = GND_BUTTERWORTH});
}

gnd_status gnd_cheb1ap(gnd_filter_design *f, int order, double rp) {
    return prototype("gnd_cheb1ap", f, order, &(gndi_family){.family = GND_CHEBYSHEV1, .rp = rp});
}

gnd_status gnd_cheb2ap(gnd_filter_design *f, int order, double rs) {
    return prototype("gnd_cheb2ap", f, order, &(gndi_family){.family = GND_CHEBYSHEV2, .rs = rs});
}

gnd_status gnd_ellipap(gnd_filter_design *f, int order, double rp, double rs) {
    return prototype("gnd_ellipap", f, order, &(gndi_family){.family = GND_ELLIPTIC, .rp = rp, .rs = rs});
}

gnd_status gnd_besselap(gnd_filter_design *f, int order, gnd_bessel_norm norm) {
    return prototype("gnd_besselap", f, order, &(gndi_family){.family = GND_BESSEL, .norm = norm});
}
