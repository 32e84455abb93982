/*
 * zpk.h: filters as zeros, poles and a gain, on the host: prototypes, transformations, second-order sections.
 */
#ifndef GNDI_FILTER_DESIGN_ZPK_H
#define GNDI_FILTER_DESIGN_ZPK_H

#include "polynomial/roots.h"
#include <gnd/filter_design.h>

enum { GNDI_ZPK_MOST = 1024, GNDI_ORDER_MOST = GNDI_ZPK_MOST / 2 };

typedef struct gndi_zpk {
    int nz, np; /* up to GNDI_ZPK_MOST */
    gndi_complex z[GNDI_ZPK_MOST], p[GNDI_ZPK_MOST];
    double k;
} gndi_zpk;

/* What a family of filters needs; zero where it takes nothing. */
typedef struct gndi_family {
    gnd_filter_family family;
    double rp, rs; /* dB; negative: not given */
    gnd_bessel_norm norm;
} gndi_family;

/* ---- prototypes: analog lowpass filters with edge 1 (prototypes.c, bessel.c, elliptic.c) ---------- */

bool gndi_prototype(gndi_scratch *s, int order, const gndi_family *family, gndi_zpk *f);
bool gndi_bessel_prototype(gndi_scratch *s, int order, gnd_bessel_norm norm, gndi_zpk *f);
bool gndi_elliptic_prototype(gndi_scratch *s, int order, double rp, double rs, gndi_zpk *f);
/* The complete elliptic integral of the first kind with parameter m = 1 - complement. */
double gndi_elliptic_k(double complement);

/* ---- transformations (zpk.c) -------------------------------------------------------------------- */

/* More zeros than poles: refused by all of these. */
bool gndi_zpk_lowpass(gndi_scratch *s, gndi_zpk *f, double wo);
bool gndi_zpk_highpass(gndi_scratch *s, gndi_zpk *f, double wo);
bool gndi_zpk_bandpass(gndi_scratch *s, gndi_zpk *f, double wo, double bw);
bool gndi_zpk_bandstop(gndi_scratch *s, gndi_zpk *f, double wo, double bw);
bool gndi_zpk_bilinear(gndi_scratch *s, gndi_zpk *f, double fs);

/* ---- conversions -------------------------------------------------------------------------------- */

/* Coefficients, nz + 1 and np + 1 of them; only the real parts if the filter is known to be real. */
void gndi_zpk_to_ba(const gndi_zpk *f, gndi_complex *b, gndi_complex *a);
/* How many sections there will be. */
int gndi_zpk_sections(const gndi_zpk *f, gnd_sos_pairing pairing);
/* Six coefficients for each section, in rows (sections.c). */
bool gndi_zpk_to_sos(gndi_scratch *s, const gndi_zpk *f, gnd_sos_pairing pairing, bool analog, double *sos);

/* ---- whole designs (iir.c) ---------------------------------------------------------------------- */

/* A filter of a family (scipy.signal.iirfilter): `count` critical frequencies, `options` may be NULL. */
bool gndi_design_iir(gndi_scratch *s, int order, int count, const double *wn, const gndi_family *family,
                     const gnd_iir_options *options, gndi_zpk *f);
/* A digital Chebyshev filter of type 1, lowpass, as decimate uses it: `order` poles, ripple rp in dB, edge wn as a part
   of the Nyquist frequency. sos: (order + 1) / 2 rows of six. */
bool gndi_design_cheby1_sos(gndi_scratch *s, int order, double rp, double wn, double *sos);
bool gndi_design_cheby1_zpk(gndi_scratch *s, int order, double rp, double wn, gndi_zpk *f);

#endif
