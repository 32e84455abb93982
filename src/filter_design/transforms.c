/*
 * transforms.c: the public transformations of analog filters, as coefficients and as zeros and poles
 * (scipy.signal.lp2lp, lp2hp, lp2bp, lp2bs, bilinear).
 */
#include "filter_design/design.h"
#include "filter_design/fir.h"
#include <math.h>

/* Real coefficients, of degree up to `degree`, the lowest power first. */
typedef struct pair_of {
    int64_t nb, na, degree;
    double *b, *a;
} pair_of;

static bool read_reversed(gndi_scratch *s, const gnd_array *given, const char *name, int64_t *n, double **c) {
    double *values;
    if (!gndi_doubles_read(s, given, name, n, &values)) return false;
    if (*n < 1 || *n > 2000)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "%s must have 1 to 2000 coefficients, not %lld", name,
                                 (long long)*n);
    *c = gndi_scratch_doubles(s, *n);
    for (int64_t i = 0; *c && i < *n; i++) (*c)[i] = values[*n - 1 - i];
    return !s->failed;
}

/* `trim`: without leading zeros. */
static bool read_pair(gndi_scratch *s, const gnd_array *b, const gnd_array *a, bool trim, pair_of *f) {
    if (!read_reversed(s, b, "b", &f->nb, &f->b) || !read_reversed(s, a, "a", &f->na, &f->a)) return false;
    while (trim && f->nb > 1 && f->b[f->nb - 1] == 0) f->nb--;
    while (trim && f->na > 1 && f->a[f->na - 1] == 0) f->na--;
    f->degree = gndi_max(f->nb, f->na) - 1;
    return true;
}

/* c(s) (n) with s = up(x) / down(x), quadratics, times down(x)^degree: 2 degree + 1 coefficients. */
static double *substitute(gndi_scratch *s, int64_t n, const double *c, int64_t degree, const double *up,
                          const double *down) {
    const int64_t size = 2 * degree + 1;
    double *sum = gndi_scratch_doubles(s, size), *power = gndi_scratch_doubles(s, size);
    if (!sum || !power) return NULL;
    /* Horner's scheme: sum = sum * up + c[i] * down^(degree - i), from the highest power on. */
    power[0] = 1;
    for (int64_t i = 0; i < degree - (n - 1); i++)
        for (int64_t j = size - 1; j >= 0; j--)
            power[j] = power[j] * down[0] + (j > 0 ? power[j - 1] * down[1] : 0) + (j > 1 ? power[j - 2] * down[2] : 0);
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t j = size - 1; j >= 0; j--) {
            sum[j] = sum[j] * up[0] + (j > 0 ? sum[j - 1] * up[1] : 0) + (j > 1 ? sum[j - 2] * up[2] : 0);
            sum[j] += c[i] * power[j];
        }
        for (int64_t j = size - 1; i > 0 && j >= 0; j--)
            power[j] = power[j] * down[0] + (j > 0 ? power[j - 1] * down[1] : 0) + (j > 1 ? power[j - 2] * down[2] : 0);
    }
    return sum;
}

/* Writes the first `size` coefficients of both, the highest power first, normalized. */
static void give(gndi_scratch *s, gnd_filter_design *f, int64_t size, const double *b, const double *a) {
    gndi_complex *num = gndi_scratch_complex(s, size), *den = gndi_scratch_complex(s, size);
    if (s->failed) return;
    int64_t n = size, m = size;
    for (int64_t i = 0; i < size; i++) num[i] = b[size - 1 - i], den[i] = a[size - 1 - i];
    /* the common degree in front is no sign of bad coefficients */
    while (n > 1 && num[0] == 0) n--, num++;
    if (!gndi_normalize_ba(s, 1, &n, num, &m, den)) return;
    f->b = gndi_array_of_numbers(s, n, num, true);
    f->a = gndi_array_of_numbers(s, m, den, true);
}

static gnd_status transform(const char *fn, gnd_filter_design *f, const gnd_array *b, const gnd_array *a,
                            const double *up, const double *down, bool band) {
    gndi_scratch s = {.fn = fn};
    pair_of g;
    bool finite = true;
    for (int i = 0; i < 3; i++) finite &= isfinite(up[i]) && isfinite(down[i]);
    if (gndi_design_begin(&s, f) && !finite)
        gndi_scratch_fail(&s, GND_ERROR_VALUE, "frequencies must be finite and the width not 0");
    /* Only Tustin's method, with up[0] < 0, drops leading zeros: they would be a common factor there. */
    if (!s.failed && read_pair(&s, b, a, up[0] < 0, &g)) {
        const double *num = substitute(&s, g.nb, g.b, g.degree, up, down);
        const double *den = substitute(&s, g.na, g.a, g.degree, up, down);
        if (num && den) give(&s, f, (band ? 2 : 1) * g.degree + 1, num, den);
    }
    return gndi_design_end(&s, f);
}

gnd_status gnd_lp2lp(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double wo) {
    return transform("gnd_lp2lp", f, b, a, (const double[]){0, 1 / wo, 0}, (const double[]){1, 0, 0}, false);
}

gnd_status gnd_lp2hp(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double wo) {
    return transform("gnd_lp2hp", f, b, a, (const double[]){wo, 0, 0}, (const double[]){0, 1, 0}, false);
}

gnd_status gnd_lp2bp(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double wo, double bw) {
    const double up[] = {wo * wo / bw, 0, 1 / bw}, down[] = {0, 1, 0};
    return transform("gnd_lp2bp", f, b, a, up, down, true);
}

gnd_status gnd_lp2bs(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double wo, double bw) {
    return transform("gnd_lp2bs", f, b, a, (const double[]){0, bw, 0}, (const double[]){wo * wo, 0, 1}, true);
}

gnd_status gnd_bilinear(gnd_filter_design *f, const gnd_array *b, const gnd_array *a, double fs) {
    const double rate = fs != 0 ? fs : 1;
    if (!(rate > 0 && isfinite(rate))) {
        if (f) *f = (gnd_filter_design){0};
        return gndi_raise(GND_ERROR_VALUE, "gnd_bilinear", "the sampling rate must be positive, not %g", fs);
    }
    const double root = sqrt(2 * rate);
    return transform("gnd_bilinear", f, b, a, (const double[]){-root, root, 0}, (const double[]){1 / root, 1 / root, 0},
                     false);
}

/* ---- zeros and poles ------------------------------------------------------------------------ */

typedef enum kind { LOWPASS, HIGHPASS, BANDPASS, BANDSTOP, BILINEAR } kind;

static gnd_status transform_zpk(const char *fn, gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k,
                                kind which, double wo, double bw) {
    gndi_scratch s = {.fn = fn};
    gndi_zpk *g = gndi_design_begin(&s, f) ? gndi_zpk_read(&s, z, p, k) : NULL;
    bool done = false;
    if (g) switch (which) {
        case LOWPASS: done = gndi_zpk_lowpass(&s, g, wo); break;
        case HIGHPASS: done = gndi_zpk_highpass(&s, g, wo); break;
        case BANDPASS: done = gndi_zpk_bandpass(&s, g, wo, bw); break;
        case BANDSTOP: done = gndi_zpk_bandstop(&s, g, wo, bw); break;
        case BILINEAR: done = gndi_check_rate(&s, wo, 0, &wo) && gndi_zpk_bilinear(&s, g, wo); break;
        }
    if (done) gndi_design_zpk(&s, g, f);
    return gndi_design_end(&s, f);
}

gnd_status gnd_lp2lp_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double wo) {
    return transform_zpk("gnd_lp2lp_zpk", f, z, p, k, LOWPASS, wo, 0);
}

gnd_status gnd_lp2hp_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double wo) {
    return transform_zpk("gnd_lp2hp_zpk", f, z, p, k, HIGHPASS, wo, 0);
}

gnd_status gnd_lp2bp_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double wo, double bw) {
    return transform_zpk("gnd_lp2bp_zpk", f, z, p, k, BANDPASS, wo, bw);
}

gnd_status gnd_lp2bs_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double wo, double bw) {
    return transform_zpk("gnd_lp2bs_zpk", f, z, p, k, BANDSTOP, wo, bw);
}

gnd_status gnd_bilinear_zpk(gnd_filter_design *f, const gnd_array *z, const gnd_array *p, double k, double fs) {
    return transform_zpk("gnd_bilinear_zpk", f, z, p, k, BILINEAR, fs, 0);
}
