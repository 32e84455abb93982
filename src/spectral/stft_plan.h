/*
 * stft_plan.h: short-time Fourier transforms and their inverses, as the fronts (src/spectral) hand them to a backend.
 * Frame f of a line begins at sample f hop - extend:
 *
 *     out[f][k] = sum over i < nperseg of window[i] v[i] exp(-2 pi sqrt(-1) i k / nfft)
 *
 * where v is the frame without its trend. Samples before the signal and behind it are those of the border, `extend` of
 * them on either side, and zeros beyond. Frames and samples have numbers that do not depend on where a line is cut,
 * and each frame is computed in one way, so chunks of a line are the whole line bit for bit.
 */
#ifndef GNDI_STFT_PLAN_H
#define GNDI_STFT_PLAN_H

#include "resample/line_offset.h"
#include <math.h>

/* More samples than any signal has, for one whose end is not known yet. */
#define GNDI_STFT_OPEN (INT64_MAX / 2)

typedef enum gndi_stft_trend {
    GNDI_TREND_NONE,
    GNDI_TREND_CONSTANT,
    GNDI_TREND_LINEAR,
} gndi_stft_trend;

/* What is written of a bin z. */
typedef enum gndi_stft_result {
    GNDI_STFT_SPECTRA,    /* z */
    GNDI_STFT_POWERS,     /* |z|^2 */
    GNDI_STFT_MAGNITUDES, /* |z| */
    GNDI_STFT_ANGLES,     /* the angle of z */
    GNDI_STFT_PRODUCTS,   /* conj(z) times the bin of y, another signal */
} gndi_stft_result;

/* x is float32, float64, complex64 or complex128, dense along the line, out of its precision: complex for spectra and
   products, else real. nperseg, nfft >= nperseg, hop and count are at least 1. x has all samples that its frames see.
   y is of x's dtype, beyond whose ends are zeros. */
struct gndi_stft_plan {
    uint8_t dtype;    /* of x */
    uint8_t border;   /* gndi_border: constant (zeros), nearest, mirror or antireflect */
    uint8_t trend;    /* gndi_stft_trend */
    uint8_t half;     /* of real x the first nfft / 2 + 1 bins */
    uint8_t result;   /* gndi_stft_result */
    uint8_t mean;     /* powers or products: their mean over a line's frames; out has one of them for each line */
    uint8_t centered; /* bin k at place (k + nfft / 2) mod nfft */
    int64_t nperseg, nfft, hop, extend;
    int64_t roll;        /* sample i goes to element (i - roll) mod nfft of what is transformed */
    double inner, scale; /* factors of bins that stand for two of a real signal, and of all; not of angles */
    const char *window;  /* dense, real; NULL: ones */
    const char *x, *y;
    int64_t length, x_first; /* samples in memory, and the number of the first one */
    int64_t total;           /* samples of the whole signal; GNDI_STFT_OPEN: more are to come */
    int64_t y_total;         /* samples of y, all in memory */
    char *out;               /* dense: lines of frames of bins */
    int64_t count, frame_first;
    gndi_line_grid grid; /* of x; as out's strides, those of y */
};

/* A window of float32 or float64 and of at most GNDI_TAPER_MOST elements, with the factor of a transform or of its
   inverse (settings.c): out, and of float64 or float32 as `wide` says; and its squares, unless NULL. */
enum { GNDI_TAPER_MOST = 1 << 16 };
struct gndi_taper_plan {
    const char *window; /* dense */
    uint8_t window_wide, wide, inverse, density;
    int64_t n, nfft;
    double fs;
    char *out, *squares;
};

GNDI_BORDER_FN double gndi_taper_value(const struct gndi_taper_plan *p, int64_t i) {
    return p->window_wide ? ((const double *)(const void *)p->window)[i]
                          : (double)((const float *)(const void *)p->window)[i];
}
/* From the sums of the window and of its squares. */
GNDI_BORDER_FN double gndi_taper_factor(const struct gndi_taper_plan *p, double sum, double squares) {
    const double by = p->density ? sqrt(p->fs * squares) : p->inverse ? sum : fabs(sum);
    return p->inverse ? by / (double)p->nfft : 1 / by;
}
GNDI_BORDER_FN void gndi_taper_store(const struct gndi_taper_plan *p, int64_t i, double factor) {
    const double w = gndi_taper_value(p, i);
    if (p->wide) {
        ((double *)(void *)p->out)[i] = w * factor;
        if (p->squares) ((double *)(void *)p->squares)[i] = w * w;
    } else {
        ((float *)(void *)p->out)[i] = (float)(w * factor);
        if (p->squares) ((float *)(void *)p->squares)[i] = (float)(w * w);
    }
}

/* Sample t of a line is that of all frames that have it, by their window, divided by the sum of the squares of these:
 *
 *     out[t] = sum over f of window[i] w_f[i] / sum over f of squares[i],   i = t - f hop,  skip <= i < nperseg
 *     w_f[i] = sum over k < nfft of z[f][k] response[k] exp(2 pi sqrt(-1) i k / nfft)
 *
 * in the order of the frames. A sum of squares of at most 1e-10 counts as 1. */
struct gndi_istft_plan {
    uint8_t wide;     /* complex128, else complex64 */
    uint8_t half;     /* z has the first bins of a real signal's spectra, and out is real */
    uint8_t centered; /* bin k is at place (k + nfft / 2) mod nfft */
    int64_t nperseg, nfft, hop, skip;
    int64_t roll; /* sample i is element (i - roll) mod nfft of what was transformed */
    double inner; /* what bins that stand for two are divided by */
    const char *window, *squares,
        *response; /* dense; window and squares are real; each may be NULL: ones, and no sum */
    const char *z;
    int64_t frames, frame_first;  /* in memory, and the number of the first one; those below 0 do not count */
    int64_t bins;                 /* of a frame in memory; what is missing counts as zeros */
    int64_t bin_step, frame_step; /* bytes */
    char *out;                    /* dense */
    int64_t count, out_first;
    gndi_line_grid grid; /* of z */
};

/* Where bin k lies, and which bin lies at place k. */
GNDI_BORDER_FN int64_t gndi_stft_place(int64_t k, int64_t nfft, int centered) {
    if (!centered) return k;
    return k + nfft / 2 < nfft ? k + nfft / 2 : k + nfft / 2 - nfft;
}
GNDI_BORDER_FN int64_t gndi_stft_bin_at(int64_t k, int64_t nfft, int centered) {
    if (!centered) return k;
    return k >= nfft / 2 ? k - nfft / 2 : k - nfft / 2 + nfft;
}
/* Whether a bin of half a spectrum stands for two. */
GNDI_BORDER_FN int gndi_stft_is_inner(int64_t k, int64_t nfft, int half) {
    return half && k > 0 && 2 * k != nfft;
}

/* How many bins a spectrum has. */
GNDI_BORDER_FN int64_t gndi_stft_bins(int64_t nfft, int half) {
    return half ? nfft / 2 + 1 : nfft;
}

/* The frames that have samples first .. last, from *from up to, and without, *to. */
GNDI_BORDER_FN void gndi_istft_frames(const struct gndi_istft_plan *p, int64_t first, int64_t last, int64_t *from,
                                      int64_t *to) {
    const int64_t least = p->frame_first > 0 ? p->frame_first : 0, most = p->frame_first + p->frames;
    const int64_t before = first - p->nperseg, begin = before < 0 ? 0 : before / p->hop + 1;
    const int64_t end = last < p->skip ? 0 : (last - p->skip) / p->hop + 1;
    *from = begin > least ? begin : least;
    *to = end < most ? end : most;
}

#endif
