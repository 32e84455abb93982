/*
 * gnd/short_time_fft.h: the short-time Fourier transform as an object (scipy.signal.ShortTimeFFT), and dual windows.
 *
 *     gnd_sft *f = gnd_sft_new(window, 64, &(gnd_sft_options){.fs = 1000, .scale_to = GND_SFT_PSD});
 *     gnd_array *s = gnd_sft_stft(f, x, -1, NULL), *back = gnd_sft_istft(f, s, 0, x_samples, -2, -1);
 *
 * Slice p is the transform of the samples about time p * hop / fs, times the conjugate window; a signal has those from
 * p_min to p_max - 1, so that p_min is mostly negative. Names and rules are SciPy's. float32 and complex64 signals give
 * complex64, where SciPy gives complex128.
 */
#ifndef GND_SHORT_TIME_FFT_H
#define GND_SHORT_TIME_FFT_H

#include <gnd/spectral.h>

GND_BEGIN

/**
 * The dual window of a window and a hop that is closest to `desired`, 1-d and as long, or if that is NULL to ones
 * (scipy.signal.closest_STFT_dual_window): float64, or complex128 if either is complex. `scaled`: the closest but for a
 * factor, which goes to alpha[0] and its imaginary part to alpha[1] (NULL: not wanted); else 1. Errors: windows that
 * are not 1-d or not of one length (GND_ERROR_SHAPE), that are not finite, a hop that is not between 1 and the window's
 * length, no dual window, or no stable factor (GND_ERROR_VALUE), a window of integers (GND_ERROR_DTYPE). Waits.
 */
GND_API gnd_array *gnd_closest_STFT_dual_window(const gnd_array *win, int64_t hop, const gnd_array *desired,
                                                bool scaled, double alpha[2]);

/** Which bins a transform has. */
typedef enum gnd_sft_mode {
    GND_SFT_ONESIDED = 0, /**< of real signals, frequencies from 0 on */
    GND_SFT_ONESIDED2X,   /**< the same, magnitudes doubled, or powers, by the scaling; 0 and the highest stay */
    GND_SFT_TWOSIDED,     /**< all */
    GND_SFT_CENTERED,     /**< all, with frequency 0 in the middle */
} gnd_sft_mode;

/** What a window is scaled for. */
typedef enum gnd_sft_scaling {
    GND_SFT_UNSCALED = 0, /**< nothing (None) */
    GND_SFT_MAGNITUDE,    /**< |sum of the window| is 1 */
    GND_SFT_PSD,          /**< the sum of squares is fs */
    GND_SFT_UNITARY,      /**< gnd_sft_from_win_equals_dual only */
} gnd_sft_scaling;

/** Options of an object; NULL or all zero: SciPy's defaults. */
typedef struct gnd_sft_options {
    double fs; /**< samples a second; 0: 1 */
    gnd_sft_mode fft_mode;
    int64_t mfft;              /**< the transform's length; 0: the window's */
    const gnd_array *dual_win; /**< of gnd_sft_new only; NULL: the canonical one */
    gnd_sft_scaling scale_to;
    int64_t phase_shift; /**< samples by which the phase is shifted from that of a slice's middle */
    bool no_phase_shift; /**< None: phases count from a slice's first sample */
} gnd_sft_options;

/** A short-time transform: opaque; on the device that was current. For one thread at a time while it is changed. */
typedef struct gnd_sft gnd_sft;

/** One with a real or complex 1-d window. Errors: a window that is not 1-d, is empty (GND_ERROR_SHAPE) or not finite, a
    hop below 1, an mfft below the window's length, an fs that is not positive, a phase_shift of mfft or more, a
    one-sided mode with a complex window, GND_SFT_ONESIDED2X without a scaling (GND_ERROR_VALUE). Waits for the
    window. */
GND_API gnd_sft *gnd_sft_new(const gnd_array *win, int64_t hop, const gnd_sft_options *options);
/** One whose dual window is given; its window is the canonical dual of that. Waits. */
GND_API gnd_sft *gnd_sft_from_dual(const gnd_array *dual_win, int64_t hop, const gnd_sft_options *options);
/** One with a window of gnd_get_window, symmetric or periodic, and the hop nperseg - noverlap. Waits. */
GND_API gnd_sft *gnd_sft_from_window(const gnd_window *window, int64_t nperseg, int64_t noverlap, bool symmetric,
                                     const gnd_sft_options *options);
/** One whose window is its own dual, as near to the desired one as that goes; scaled, if at all, behind that. Waits. */
GND_API gnd_sft *gnd_sft_from_win_equals_dual(const gnd_array *desired_win, int64_t hop,
                                              const gnd_sft_options *options);
/** Releases it. NULL is ignored. */
GND_API void gnd_sft_release(gnd_sft *f);

/** Scales the window, and the dual window by the inverse. GND_SFT_MAGNITUDE or GND_SFT_PSD (else GND_ERROR_INVALID). */
GND_API gnd_status gnd_sft_scale_to(gnd_sft *f, gnd_sft_scaling scaling);
/** Changes what can be changed: fs, fft_mode, mfft, phase_shift and no_phase_shift. A failed call changes nothing. */
GND_API gnd_status gnd_sft_set(gnd_sft *f, const gnd_sft_options *options);

/** The properties that do not depend on a signal. */
typedef struct gnd_sft_info {
    int64_t hop, mfft, m_num, m_num_mid, f_pts, phase_shift;
    int64_t k_min, p_min;        /**< the first sample and the number of the first slice */
    int64_t lower_border_end[2]; /**< the first sample and slice that zeros before the signal do not change */
    double fs, T, delta_t, delta_f, fac_magnitude, fac_psd;
    gnd_sft_mode fft_mode;
    gnd_sft_scaling scaling;
    bool no_phase_shift, onesided_fft, invertible;
} gnd_sft_info;
/** And those of a signal of n samples. */
typedef struct gnd_sft_range {
    int64_t k_max, p_max, p_num;   /**< behind the last sample and slice; how many slices */
    int64_t upper_border_begin[2]; /**< the first sample and slice that zeros behind the signal change */
} gnd_sft_range;

/** Its properties. */
GND_API gnd_status gnd_sft_get_info(const gnd_sft *f, gnd_sft_info *info);
/** Those of a signal of n samples, at least half a window (else GND_ERROR_VALUE). */
GND_API gnd_status gnd_sft_get_range(const gnd_sft *f, int64_t n, gnd_sft_range *range);
/** Where a picture of a signal's transform lies: t0, t1, f0, f1, or frequencies first (extent, axes_seq "ft");
    `center_bins`: values in the middle of pixels. GND_ERROR_VALUE for GND_SFT_TWOSIDED. */
GND_API gnd_status gnd_sft_extent(const gnd_sft *f, int64_t n, bool f_first, bool center_bins, double extent[4]);
/** The sample at a slice's middle that is nearest to sample k, not behind it, or not before it. 0 for NULL. */
GND_API int64_t gnd_sft_nearest_k_p(const gnd_sft *f, int64_t k, bool left);
/** The window, and the dual one (GND_ERROR_VALUE if there is none): new arrays, float64 or complex128. */
GND_API gnd_array *gnd_sft_win(const gnd_sft *f);
GND_API gnd_array *gnd_sft_dual_win(const gnd_sft *f);
/** The frequencies of bins: float64. */
GND_API gnd_array *gnd_sft_f(const gnd_sft *f);

/** What a signal is taken for outside of its samples. */
typedef enum gnd_sft_padding {
    GND_SFT_ZEROS = 0,
    GND_SFT_EDGE, /**< the sample at the end */
    GND_SFT_EVEN, /**< mirrored */
    GND_SFT_ODD,  /**< twice the end less what is mirrored */
} gnd_sft_padding;

/** Which slices; NULL or all zero: all, of a signal between zeros. */
typedef struct gnd_sft_slices {
    bool some;      /**< those from p0 to p1 - 1, else all */
    int64_t p0, p1; /**< within p_min and p_max (else GND_ERROR_VALUE) */
    int64_t k_offset;
    gnd_sft_padding padding; /**< other than zeros: by a copy of the signal */
    gnd_stft_detrend detrend;
} gnd_sft_slices;

/** The times of the slices of a signal of n samples: float64. */
GND_API gnd_array *gnd_sft_t(const gnd_sft *f, int64_t n, const gnd_sft_slices *slices);
/**
 * The transform of x along an axis, without a trend if slices say so (stft, stft_detrend): bins in the place of the
 * axis, and slices along a new last one. In memory the bins of a slice lie side by side. A complex window takes two
 * passes. Errors: a signal shorter than half a window, complex x in a one-sided mode (GND_ERROR_VALUE). Does not wait.
 */
GND_API gnd_array *gnd_sft_stft(const gnd_sft *f, const gnd_array *x, int axis, const gnd_sft_slices *slices);
/** |gnd_sft_stft|^2, real; or if y is not NULL nor x, that of x times the conjugate of y's, which broadcast. */
GND_API gnd_array *gnd_sft_spectrogram(const gnd_sft *f, const gnd_array *x, const gnd_array *y, int axis,
                                       const gnd_sft_slices *slices);
/** The end of a signal that has as many samples as slices allow. */
#define GND_SFT_END INT64_MIN
/**
 * The samples k0 to k1 - 1 (GND_SFT_END: the last one that slices have) of the signal whose slices, all from p_min on,
 * are s. Along the frequency axis, or if the result has none of that number along the time axis. Errors: another number
 * of bins, too few slices, samples outside of k_min and k_max or fewer than half a window, no dual window
 * (GND_ERROR_VALUE). Does not wait.
 */
GND_API gnd_array *gnd_sft_istft(const gnd_sft *f, const gnd_array *s, int64_t k0, int64_t k1, int f_axis, int t_axis);

GND_END

#endif
