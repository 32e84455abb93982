/*
 * gnd/spectral.h: power spectra by periodograms and their means, spectrograms, short-time Fourier transforms and their
 * inverses, and convolutions by transforms of signals that come in chunks.
 *
 * Frames of nperseg samples, `hop` apart, are multiplied by a window of nperseg numbers and transformed. SciPy's
 * noverlap is nperseg - hop. Windows and detrending are applied in the pass that reads the samples, which makes no
 * array of frames. An inverse adds frames up in the pass that writes samples. A GPU transforms frames of 2^n samples,
 * from 16 to 4096 complex or twice as many real ones, of float64 half as many, in the same launch; also those of up to
 * 2048 complex or 4096 real samples, of float64 half as many, whose prime factors are at most 13. Others are
 * transformed by cuFFT in slices of about 2^20 samples. Where frames are not 2^n, or hops are so small that they do not
 * fit into a block's memory, inverses hold the frames of a part of the signal, at most about 256 MB.
 *
 * float32 and complex64 give complex64, float64 and complex128 complex128; other dtypes are those that NumPy promotes
 * to with complex64. Windows are real. The same bits on every run, and however a signal is cut.
 */
#ifndef GND_SPECTRAL_H
#define GND_SPECTRAL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/windows.h>

GND_BEGIN

/* ---- spectra -------------------------------------------------------------------------------- */

/** What is taken from each frame before its window. */
typedef enum gnd_spectra_detrend {
    GND_SPECTRA_DETREND_CONSTANT = 0, /**< the mean */
    GND_SPECTRA_DETREND_LINEAR,       /**< the straight line of least squares */
    GND_SPECTRA_DETREND_NONE,         /**< nothing (False) */
} gnd_spectra_detrend;

/** The unit of a power spectrum, w being the window. */
typedef enum gnd_spectra_scaling {
    GND_SPECTRA_DENSITY = 0, /**< V^2 / Hz: |z|^2 / (fs sum w^2) */
    GND_SPECTRA_SPECTRUM,    /**< V^2: |z|^2 / (sum w)^2 */
} gnd_spectra_scaling;

/** How frames are put together. */
typedef enum gnd_spectra_average {
    GND_SPECTRA_MEAN = 0,
    GND_SPECTRA_MEDIAN, /**< of real and imaginary parts, over its bias */
} gnd_spectra_average;

/** Options of spectra; NULL or all zero: SciPy's defaults. */
typedef struct gnd_spectra_options {
    double fs;                /**< samples a second; 0: 1 */
    const gnd_window *window; /**< by its name, periodic; NULL: that of the function */
    const gnd_array *taper;   /**< or its values, 1-d and real */
    int64_t nperseg;          /**< samples of a frame; 0: the taper's, else 256; of a named window at most x's */
    int64_t hop;              /**< from frame to frame, nperseg - noverlap; 0: that of the function */
    int64_t nfft;             /**< the transform's length, of frames with zeros behind them; 0: nperseg */
    gnd_spectra_detrend detrend;
    gnd_spectra_scaling scaling;
    gnd_spectra_average average; /**< gnd_welch and gnd_csd */
    bool two_sided;              /**< all bins of real signals, too (return_onesided=False) */
} gnd_spectra_options;

/**
 * The power spectrum of x along an axis, by the mean of its frames (scipy.signal.welch, whose default axis is -1):
 * real, nfft / 2 + 1 bins of a real signal, which have the power of both sides, else nfft, in the place of the axis.
 * `f`: where the bins' frequencies go, float64 on the current device; may be NULL. The window is Hann's by default, the
 * hop nperseg - nperseg / 2; samples behind the last whole frame are not used. float32 and complex64 give float32, so
 * does what NumPy promotes to complex64, other dtypes give float64.
 *
 * One pass over x, two launches and two for the window, for frames whose nfft is a power of two of 32 to
 * 4096 (float64: 2048); others are transformed a slice at a time, in memory of about 20 MB. The median needs an
 * array of the frames' powers. The same bits on every run of a device.
 *
 * Arrays without elements give empty ones of x's shape, float64. Errors: a taper that is not 1-d or is empty, is longer
 * than x, or not of nperseg elements (GND_ERROR_SHAPE), or complex (GND_ERROR_DTYPE); a window that is not known, a
 * negative hop or nperseg, an nfft below nperseg, an fs that is not positive (GND_ERROR_VALUE). Does not wait.
 */
GND_API gnd_array *gnd_welch(const gnd_array *x, int axis, const gnd_spectra_options *options, gnd_array **f);
/**
 * The power spectrum by one frame, all of x (scipy.signal.periodogram), without a window by default: a larger nfft
 * transforms zeros behind it, a smaller one the first samples. nperseg, hop and average are not looked at; a taper has
 * as many elements as are used. Otherwise as gnd_welch.
 */
GND_API gnd_array *gnd_periodogram(const gnd_array *x, int axis, const gnd_spectra_options *options, gnd_array **f);
/**
 * The cross power spectrum (scipy.signal.csd): the mean of conj(X) Y over frames, complex; real if x and y are the same
 * array. The axis is one of each; the other ones broadcast, and the shorter signal has zeros behind it. If either is
 * complex there are all bins. Otherwise as gnd_welch, with twice the passes.
 */
GND_API gnd_array *gnd_csd(const gnd_array *x, const gnd_array *y, int axis, const gnd_spectra_options *options,
                           gnd_array **f);
/** |gnd_csd|^2 over both signals' gnd_welch, between 0 and 1 (scipy.signal.coherence, which has no scaling, average and
    two_sided: they are not looked at). Signals of different lengths are refused (GND_ERROR_SHAPE). */
GND_API gnd_array *gnd_coherence(const gnd_array *x, const gnd_array *y, int axis, const gnd_spectra_options *options,
                                 gnd_array **f);

/** What a spectrogram shows. */
typedef enum gnd_spectrogram_mode {
    GND_SPECTROGRAM_PSD = 0,   /**< powers, as gnd_welch has their mean */
    GND_SPECTROGRAM_COMPLEX,   /**< the transforms, scaled by the root */
    GND_SPECTROGRAM_MAGNITUDE, /**< their magnitudes */
    GND_SPECTROGRAM_ANGLE,     /**< their angles */
    GND_SPECTROGRAM_PHASE,     /**< the angles unwrapped along the bins */
} gnd_spectrogram_mode;

/**
 * Spectra of all frames (scipy.signal.spectrogram): bins in the place of the axis, and frames along a new last axis; in
 * memory the bins of a frame lie side by side. The window is Tukey's with 0.25 by default, the hop
 * nperseg - nperseg / 8. `t`: where the times of the frames' middles go; may be NULL. An axis without samples is
 * refused (GND_ERROR_VALUE). Otherwise as gnd_welch, and as gnd_stft for how frames are transformed.
 */
GND_API gnd_array *gnd_spectrogram(const gnd_array *x, int axis, const gnd_spectra_options *options,
                                   gnd_spectrogram_mode mode, gnd_array **f, gnd_array **t);

/**
 * Whether windows that overlap by `noverlap` samples add up to a constant, whose largest deviation is below tol
 * (scipy.signal.check_COLA, where tol is 1e-10). The window is 1-d and real. Errors: that it is not (GND_ERROR_SHAPE,
 * GND_ERROR_DTYPE); a noverlap that is not between 0 and its elements (GND_ERROR_VALUE); the result is false then.
 * Waits.
 */
GND_API bool gnd_check_COLA(const gnd_array *window, int64_t noverlap, double tol);
/** The same of whether the sum of their squares is above tol everywhere (scipy.signal.check_NOLA): of windows with
    which gnd_istft undoes gnd_stft. Waits. */
GND_API bool gnd_check_NOLA(const gnd_array *window, int64_t noverlap, double tol);

/* ---- signals -------------------------------------------------------------------------------- */

/** What is taken from each frame before its window. */
typedef enum gnd_stft_detrend {
    GND_STFT_DETREND_NONE = 0, /**< nothing */
    GND_STFT_DETREND_CONSTANT, /**< the mean */
    GND_STFT_DETREND_LINEAR,   /**< the straight line of least squares */
} gnd_stft_detrend;

/** What stands beyond the ends of the signal a b c d, nperseg / 2 samples on either side. */
typedef enum gnd_stft_boundary {
    GND_STFT_ZEROS = 0,   /**< 0 0 | a b c d | 0 0 */
    GND_STFT_EVEN,        /**< c b | a b c d | c b */
    GND_STFT_ODD,         /**< 2a-c 2a-b | a b c d | 2d-c 2d-b */
    GND_STFT_EDGE,        /**< a a | a b c d | d d ("constant") */
    GND_STFT_NO_BOUNDARY, /**< nothing: the first frame begins at the first sample */
} gnd_stft_boundary;

/** The factor of a spectrum. */
typedef enum gnd_stft_scaling {
    GND_STFT_SPECTRUM = 0, /**< 1 / |sum of the window|: magnitudes of sines */
    GND_STFT_PSD,          /**< 1 / sqrt(fs * sum of the window's squares): power densities, of squares */
} gnd_stft_scaling;

/** Options of short-time transforms; NULL or all zero: SciPy's defaults. */
typedef struct gnd_stft_options {
    double fs;                  /**< samples a second; 0: 1 */
    int64_t hop;                /**< samples from frame to frame; 0: nperseg - nperseg / 2 */
    int64_t nfft;               /**< the transform's length, of frames with zeros behind them; 0: nperseg */
    gnd_stft_detrend detrend;   /**< not for the inverse */
    gnd_stft_boundary boundary; /**< of the inverse: whether samples at the ends are cut off again */
    gnd_stft_scaling scaling;
    bool two_sided; /**< all bins of real signals, too (return_onesided=False, input_onesided=False) */
    bool unpadded;  /**< no zeros behind the last whole frame (padded=False); what is left over is not used */
} gnd_stft_options;

/**
 * The short-time Fourier transform of x along an axis (scipy.signal.stft, whose default axis is -1): nfft / 2 + 1 bins
 * of a real signal, else nfft, in the place of the axis, and frames along a new last axis. In memory the bins of a
 * frame lie side by side. `f`, `t`: where the bins' frequencies and the times of the frames' middles go, float64 on the
 * current device; each may be NULL.
 *
 * Errors: a window that is not 1-d or is empty, or is longer than the signal (GND_ERROR_SHAPE), or complex
 * (GND_ERROR_DTYPE); a negative hop, an nfft below nperseg, an fs that is not positive (GND_ERROR_VALUE). An axis
 * without samples is refused, too, where SciPy returns empty arrays of other shapes. Does not wait.
 */
GND_API gnd_array *gnd_stft(const gnd_array *x, const gnd_array *window, int axis, const gnd_stft_options *options,
                            gnd_array **f, gnd_array **t);

/**
 * The inverse (scipy.signal.istft, whose default axes are -1 and -2): the signal whose frames' transforms come nearest
 * to z, along the time axis; the frequency axis is removed. Each sample is the sum of its frames times their window,
 * over the sum of the window's squares; of at most 1e-10 that is 1. Unless the boundary is GND_STFT_NO_BOUNDARY,
 * nperseg / 2 samples at both ends are left out. The result is real unless two_sided.
 *
 * nfft: 0 is nperseg if the bins of that are as many as z's, else what belongs to so many bins, an even number if
 * one-sided; spectra are cut or followed by zeros to fit another one. The samples begin at time 0, 1 / fs apart.
 * Errors: those of gnd_stft for windows and numbers, an nfft below nperseg (GND_ERROR_VALUE), axes that are one
 * (GND_ERROR_AXIS) or without elements (GND_ERROR_SHAPE). Does not wait.
 */
GND_API gnd_array *gnd_istft(const gnd_array *z, const gnd_array *window, int time_axis, int freq_axis,
                             const gnd_stft_options *options);

/* ---- signals in chunks ---------------------------------------------------------------------- */

/**
 * A short-time transform, its inverse, or a convolution by transforms, of a signal that comes in chunks: opaque. Chunks
 * may have any number of samples (or frames), also none; the results of all of them and of the flush, one behind the
 * other, are those of the function for the whole signal, bit for bit on a device. Chunks have the shape of `channels`,
 * and their samples along one more axis, the last; spectra have bins and then frames there.
 *
 * A stream lies on the device that is current when it is made, and belongs to one thread at a time. After the first
 * chunk of a size the next ones take their memory from the pool. A feed can be captured into a CUDA graph, and launched
 * again and again, once the first frames are over, if its chunk has a multiple of `hop` samples (of a convolution of
 * nfft - taps + 1). Frames that cuFFT transforms must have been fed once before; of these the last bits of a feed in a
 * graph may differ. Release it with gnd_spectral_stream_release.
 */
typedef struct gnd_spectral_stream gnd_spectral_stream;

/** A stream of gnd_stft. `dtype`: that of the chunks, float32, float64, complex64 or complex128. Errors are gnd_stft's,
    and GND_ERROR_DTYPE. Does not wait. */
GND_API gnd_spectral_stream *gnd_spectral_stream_stft(const gnd_array *window, gnd_shape channels, gnd_dtype dtype,
                                                      const gnd_stft_options *options);
/** A stream of gnd_istft. `dtype`: that of the spectra, complex64 or complex128; they have the bins of nfft, of which 0
    is nperseg. The last nperseg - hop samples come with the flush. Does not wait. */
GND_API gnd_spectral_stream *gnd_spectral_stream_istft(const gnd_array *window, gnd_shape channels, gnd_dtype dtype,
                                                       const gnd_stft_options *options);
/**
 * A stream of convolutions with 1-d taps h, by transforms of overlapping blocks (overlap-save), to the samples of
 * gnd_convolve_nd in GND_FULL: n + taps - 1 of n samples. Results come in blocks of nfft - taps + 1 samples, so up to
 * one block less a sample later than those of gnd_filter_stream. `nfft`: the length of a block's transform; 0: chosen
 * by the number of taps; up to 128 are added up without a transform, and results come at once. `dtype`: that of chunks
 * and results, float32, float64, complex64 or complex128, and complex if h is. Errors: taps that are not 1-d or none
 * (GND_ERROR_SHAPE), an nfft below their number (GND_ERROR_VALUE). Waits for the taps if they are few.
 */
GND_API gnd_spectral_stream *gnd_spectral_stream_convolve(const gnd_array *h, int64_t nfft, gnd_shape channels,
                                                          gnd_dtype dtype);
/** Releases it. NULL is ignored. */
GND_API void gnd_spectral_stream_release(gnd_spectral_stream *stream);

/** The results that a chunk completes, a new array, perhaps without elements. Chunks of integers and of narrower dtypes
    are cast. A failed call leaves the stream as it was. Does not wait. */
GND_API gnd_array *gnd_spectral_stream_feed(gnd_spectral_stream *stream, const gnd_array *x);
/** The rest of the results, as if the signal ended here; then the stream is as new. GND_ERROR_SHAPE, and nothing done,
    where the whole function refuses so short a signal. Does not wait. */
GND_API gnd_array *gnd_spectral_stream_flush(gnd_spectral_stream *stream);
/** Forgets all elements. Does not wait. */
GND_API gnd_status gnd_spectral_stream_reset(gnd_spectral_stream *stream);
/** The elements that it keeps, a new array of the channels' shape, kept samples (or frames), and of spectra bins last;
    `fed`: where the number of elements so far goes. Does not wait. */
GND_API gnd_array *gnd_spectral_stream_save(const gnd_spectral_stream *stream, int64_t *fed);
/** Goes on from what gnd_spectral_stream_save gave, of a stream that was made alike: with the same bits. Does not
    wait. */
GND_API gnd_status gnd_spectral_stream_restore(gnd_spectral_stream *stream, const gnd_array *state, int64_t fed);

GND_END

#endif
