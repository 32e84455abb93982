/*
 * firwin.c: FIR filters of bands by the window method (scipy.signal.firwin): a few taps on the host; many by operators
 * on arrays, which the current device computes.
 */
#include "filter_design/fir.h"
#include "windows/windows.h"
#include <gnd.h>
#include <math.h>

/* From so many taps on the way to the device and back would take longer than the design. */
enum { MANY_TAPS = 65536 };

/* A filter whose options are checked: it passes from edge[0] to edge[1], from edge[2] to edge[3] ..., in units of half
   of the sampling rate. */
typedef struct bands {
    gnd_window window;
    int edges;
    double *edge;
    double centre; /* where the gain is to be 1; NAN: nowhere */
} bands;

/* Whether frequency 0 passes; false: the number of edges does not fit the band. */
static bool zero_passes(gndi_scratch *s, gnd_pass_zero given, int count, bool *passes) {
    if ((unsigned)given > GND_PASS_BANDSTOP)
        return gndi_scratch_fail(s, GND_ERROR_INVALID, "there is no band number %d", (int)given);
    const bool single = given == GND_PASS_LOWPASS || given == GND_PASS_HIGHPASS;
    const bool several = given == GND_PASS_BANDPASS || given == GND_PASS_BANDSTOP;
    if ((single && count != 1) || (several && count < 2))
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "this band takes %s, not %d",
                                 single ? "one cutoff frequency" : "at least two cutoff frequencies", count);
    *passes = given == GND_PASS_ZERO || given == GND_PASS_LOWPASS || given == GND_PASS_BANDSTOP;
    return true;
}

static bool check_cutoff(gndi_scratch *s, int count, const double *cutoff, double nyquist) {
    if (count < 1 || !cutoff)
        return gndi_scratch_fail(s, GND_ERROR_VALUE, "at least one cutoff frequency must be given");
    for (int i = 0; i < count; i++) {
        if (!(cutoff[i] > 0 && cutoff[i] < nyquist))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "cutoff frequencies lie between 0 and %g, unlike %g", nyquist,
                                     cutoff[i]);
        if (i > 0 && !(cutoff[i] > cutoff[i - 1]))
            return gndi_scratch_fail(s, GND_ERROR_VALUE, "cutoff frequencies increase, unlike %g and %g", cutoff[i - 1],
                                     cutoff[i]);
    }
    return true;
}

static bool prepare(gndi_scratch *s, int64_t n, int count, const double *cutoff, const gnd_firwin_options *options,
                    bands *b) {
    static const gnd_firwin_options any;
    const gnd_firwin_options *o = options ? options : &any;
    double rate;
    bool passes = false;
    if (!gndi_check_taps(s, n) || !gndi_check_rate(s, o->fs, 2, &rate)) return false;
    if (!check_cutoff(s, count, cutoff, rate / 2) || !zero_passes(s, o->pass_zero, count, &passes)) return false;
    if ((count % 2 == 0) == passes && n % 2 == 0)
        return gndi_scratch_fail(s, GND_ERROR_VALUE,
                                 "a filter that passes the Nyquist frequency has an odd number of "
                                 "taps, not %lld",
                                 (long long)n);
    b->window = o->window;
    if (o->width != 0)
        b->window = (gnd_window){"kaiser", 1, {gnd_kaiser_beta(gnd_kaiser_atten(n, o->width / (rate / 2)))}};
    /* 0 is an edge if it passes, and so is the Nyquist frequency. */
    const int extra = passes ? 1 : 0;
    b->edges = (count + extra + 1) / 2 * 2;
    b->edge = gndi_scratch_doubles(s, b->edges);
    if (!b->edge) return false;
    for (int e = 0; e < b->edges; e++) {
        const int at = e - extra;
        b->edge[e] = at < 0 ? 0 : at < count ? cutoff[at] / (rate / 2) : 1;
    }
    const double first = b->edge[0], second = b->edge[1];
    b->centre = o->unscaled ? NAN : first == 0 ? 0 : second == 1 ? 1 : (first + second) / 2;
    return true;
}

/* ---- on the host ---------------------------------------------------------------------------- */

static double sinc(double x) {
    return x == 0 ? 1 : sin(GNDI_PI * x) / (GNDI_PI * x);
}

static bool few_taps(gndi_scratch *s, int64_t n, const bands *b, double *taps) {
    const double middle = 0.5 * (double)(n - 1);
    double *weights = gndi_scratch_doubles(s, n);
    if (!weights || !gndi_window(s, &b->window, "hamming", n, true, weights)) return false;
    for (int64_t i = 0; i < n; i++) taps[i] = 0;
    for (int e = 0; e < b->edges; e++) {
        const double edge = b->edge[e];
        for (int64_t i = 0; i < n; i++) taps[i] += (e % 2 ? 1 : -1) * edge * sinc(edge * ((double)i - middle));
    }
    for (int64_t i = 0; i < n; i++) taps[i] *= weights[i];
    if (isnan(b->centre)) return true;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += taps[i] * cos(GNDI_PI * ((double)i - middle) * b->centre);
    for (int64_t i = 0; i < n; i++) taps[i] /= sum;
    return true;
}

bool gndi_design_firwin(gndi_scratch *s, int64_t n, int count, const double *cutoff, const gnd_firwin_options *options,
                        double *taps) {
    bands b;
    return prepare(s, n, count, cutoff, options, &b) && few_taps(s, n, &b, taps);
}

/* ---- on a device ---------------------------------------------------------------------------- */

static gnd_array *many_taps(int64_t n, const bands *b) {
    const gnd_window window = b->window.name || b->window.count ? b->window : (gnd_window){"hamming", 0, {0}};
    gnd_array *taps = NULL;
    GNDI_PARTS_OF("gnd_firwin");
    GND_SCOPE {
        gnd_array *m = gnd_arange(-0.5 * (double)(n - 1), 0.5 * (double)n, 1, GND_FLOAT64);
        gnd_array *sum = gnd_zeros(GND_SHAPE(n), GND_FLOAT64), *part = gnd_empty(GND_SHAPE(n), GND_FLOAT64);
        bool failed = !m || !sum || !part;
        for (int e = 0; e < b->edges && !failed; e++) {
            const double edge = b->edge[e];
            if (edge == 0) continue;
            failed = gnd_multiply_into(part, m, edge) || gnd_sinc_into(part, part) ||
                     gnd_multiply_into(part, part, e % 2 ? edge : -edge) || gnd_add_into(sum, sum, part);
        }
        gnd_release(part);
        gnd_array *weights = failed ? NULL : gnd_get_window(&window, n, false, GND_FLOAT64);
        failed = failed || !weights || gnd_multiply_into(sum, sum, weights);
        gnd_release(weights);
        if (!failed && !isnan(b->centre)) {
            failed = gnd_multiply_into(m, m, GNDI_PI * b->centre) || gnd_cos_into(m, m);
            gnd_array *gain = failed ? NULL : gnd_vdot(sum, m);
            failed = failed || !gain || gnd_divide_into(sum, sum, gain);
        }
        if (!failed) taps = gnd_keep(sum);
    }
    return taps;
}

gnd_array *gnd_firwin(int64_t numtaps, int count, const double *cutoff, const gnd_firwin_options *options) {
    gndi_scratch s = {.fn = "gnd_firwin"};
    gnd_array *result = NULL;
    bands b;
    if (prepare(&s, numtaps, count, cutoff, options, &b)) {
        double *taps = numtaps < MANY_TAPS ? gndi_scratch_doubles(&s, numtaps) : NULL;
        if (numtaps >= MANY_TAPS)
            result = many_taps(numtaps, &b);
        else if (taps && few_taps(&s, numtaps, &b, taps))
            result = gndi_array_of_doubles(&s, numtaps, taps);
    }
    gndi_scratch_end(&s);
    return result;
}
