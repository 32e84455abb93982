/*
 * gnd/radar.h: radar: pulse compression, pulse-Doppler matrices, ambiguity functions, beamformers, detection at a
 * constant false alarm rate, frequency demodulation. The names are cuSignal's and cupyx.signal's.
 *
 *     gnd_array *range = gnd_pulse_compression(echoes, pulse, &(gnd_pulse_options){.normalize = true});
 *     gnd_array *map = gnd_pulse_doppler(range, NULL, 0);
 *     gnd_array *found, *threshold = gnd_ca_cfar(gnd_absolute(map), GND_SHAPE(2, 4), GND_SHAPE(4, 8), 1e-5, &found);
 *
 * float32, complex64 and 16-bit floats are computed in float32 and complex64, everything else in double, whatever the
 * dtypes of windows. Results are new arrays on the device of x.
 */
#ifndef GND_RADAR_H
#define GND_RADAR_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/** Options of gnd_pulse_compression; NULL or all zero: the defaults. */
typedef struct gnd_pulse_options {
    bool normalize;          /**< the pulse, with its window, is divided by its norm */
    int64_t nfft;            /**< elements of the transforms; 0: the samples of x */
    const gnd_array *window; /**< numbers that the pulse is multiplied by, as many as it has; NULL: ones.
                                  gnd_get_window(&w, n, false, dtype) makes what cuSignal makes of a name */
} gnd_pulse_options;

/**
 * The samples along the last axis of x filtered with what matches a 1-d pulse (cupyx.signal.pulse_compression):
 * ifft(fft(x, nfft) conj(fft(pulse, nfft))), complex, of nfft samples. Without zeros behind the samples the filter is
 * circular. x may have any axes in front, not only the one of pulses.
 *
 * Errors: a pulse that is not 1-d or is empty, a window of another length (GND_ERROR_SHAPE), an nfft below 1
 * (GND_ERROR_VALUE). Does not wait.
 */
GND_API gnd_array *gnd_pulse_compression(const gnd_array *x, const gnd_array *pulse, const gnd_pulse_options *options);

/**
 * The Fourier transform across pulses, the last axis of x but one (cupyx.signal.pulse_doppler): nfft rows, of which 0
 * is the number of pulses; complex. `window`: a number for each pulse; NULL: ones.
 *
 * Errors: fewer than two axes, a window of another length (GND_ERROR_SHAPE), an nfft below 1 (GND_ERROR_VALUE). Does
 * not wait.
 */
GND_API gnd_array *gnd_pulse_doppler(const gnd_array *x, const gnd_array *window, int64_t nfft);

/** What of the ambiguity function is computed. */
typedef enum gnd_ambgfun_cut {
    GND_AMBGFUN_2D = 0,  /**< all of it */
    GND_AMBGFUN_DELAY,   /**< one delay: a row */
    GND_AMBGFUN_DOPPLER, /**< one shift of the frequency: a column */
} gnd_ambgfun_cut;

/**
 * Magnitudes of the ambiguity function of two pulses x and y of nx and ny samples, fs a second, each divided by its
 * norm (cusignal.ambgfun); y NULL: x itself. Real, of shape (nx + ny - 1, n), where n is the least power of two that
 * is not below nx + ny - 1:
 *
 *     out[r, k] = |sum over c of y[c] conj(x[c + r - (ny - 1)]) exp(2 pi i (k - n / 2) c / n)|
 *
 * Row r belongs to the delay (r - ny + 1) / fs, column k to the frequency (k - n / 2) fs / n. The cuts are the row at
 * the delay `value` in seconds, n numbers, and the column at the frequency `value`, nx + ny - 1 numbers. A delay need
 * not be a whole number of samples: x is moved by its spectrum, in a circle of n samples.
 *
 * cuSignal's are the same for pulses of one length and delays of whole samples, but that its frequency cut of two
 * pulses is mirrored; for others it reads beyond the shorter pulse, or takes negative frequencies for positive ones.
 * Its argument prf changes nothing, and is left out. Errors: pulses that are not 1-d or are empty (GND_ERROR_SHAPE),
 * an fs that is not positive, numbers that are not finite (GND_ERROR_VALUE). A pulse of zeros gives NaN. Does not wait.
 *
 * One launch besides the norms on a GPU, if both are computed in complex64 and n is between 64 and 4096.
 */
GND_API gnd_array *gnd_ambgfun(const gnd_array *x, const gnd_array *y, double fs, gnd_ambgfun_cut cut, double value);

/**
 * Weights of a beamformer of minimum variance without distortion (cupyx.signal.mvdr): w = C^-1 v / (v^H C^-1 v) for a
 * steering vector v, where C is the covariance of sensors. x has sensors and their samples as its last two axes, not
 * fewer samples than sensors; C is numpy.cov's, divided by samples - 1. Or x is C itself (`is_covariance`;
 * calc_cov=False). Either may have axes in front, of many arrays at once, which are broadcast: the result has the axes
 * of these, and the sensors last.
 *
 * Errors: other shapes (GND_ERROR_SHAPE); a singular covariance is raised at the next wait on a GPU
 * (GND_ERROR_VALUE). Does not wait. A GPU reads up to 64 sensors of complex64 once.
 */
GND_API gnd_array *gnd_mvdr(const gnd_array *x, const gnd_array *sv, bool is_covariance);

/** The factor of cell averages over n cells that a threshold has for the probability pfa of a false alarm
    (cupyx.signal.cfar_alpha): n (pfa^(-1 / n) - 1). GND_ERROR_VALUE for an n below 1, or a pfa that is not above 0 and
    at most 1. */
GND_API gnd_status gnd_cfar_alpha(double *alpha, double pfa, int64_t n);

/**
 * Thresholds of detection at a constant false alarm rate, by averages of cells (cusignal.ca_cfar): for each cell of a
 * real x gnd_cfar_alpha times the mean of its reference cells, those of a box around it that are not in the box of the
 * cell and its guard. `guard`, `reference`: how many cells a box has on either side along each axis of x:
 * GND_SHAPE(2, 4). Cells whose box reaches beyond x have the threshold 0. float32 of float32 and 16-bit x, else
 * float64. `detections`, unless NULL, becomes x > threshold, of bool.
 *
 * x may have up to 8 axes, where cuSignal has one or two. The sums are direct ones, not differences of running sums,
 * so they keep their digits beside strong targets; a cell that is not finite makes the thresholds around it NaN. They
 * are taken along one axis after the other. Errors: complex x (GND_ERROR_DTYPE), counts that do not fit x's axes, a
 * box that does not fit into x (GND_ERROR_SHAPE), negative counts, no reference cell, a pfa that is not above 0 and at
 * most 1 (GND_ERROR_VALUE). Does not wait.
 */
GND_API gnd_array *gnd_ca_cfar(const gnd_array *x, gnd_shape guard, gnd_shape reference, double pfa,
                               gnd_array **detections);

/** The demodulated signal of a complex one whose frequency is modulated (cusignal.fm_demod): differences of
    neighbouring phases along an axis, in radians, between -pi and pi; one fewer than samples. The differences of
    numpy.unwrap's phases, without the digits that growing phases lose. GND_ERROR_DTYPE for real x. Does not wait. */
GND_API gnd_array *gnd_fm_demod(const gnd_array *x, int axis);

GND_END

#endif
