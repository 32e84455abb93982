/*
 * gnd/spectral.h: short-time Fourier transforms, their inverses, and convolutions by transforms of signals that come in
 * chunks.
 *
 * Frames of nperseg samples, `hop` apart, are multiplied by a window of nperseg numbers and transformed. SciPy's
 * noverlap is nperseg - hop. Windows and detrending are applied in the pass that reads the samples, which makes no
 * array of frames. An inverse adds frames up in the pass that writes samples; a GPU holds the frames of a part of the
 * signal, at most about 256 MB, before that. A GPU transforms frames of up to 2048 complex or 4096 real samples, half
 * as many of float64, whose prime factors are at most 13, in the same launch, others by cuFFT in slices of about 2^20
 * samples.
 *
 * float32 and complex64 give complex64, float64 and complex128 complex128; other dtypes are those that NumPy promotes
 * to with complex64. Windows are real. The same bits on every run, and however a signal is cut.
 */
#ifndef GND_SPECTRAL_H
#define GND_SPECTRAL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

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
 * by the number of taps. `dtype`: that of chunks and results, float32, float64, complex64 or complex128, and complex if
 * h is. Errors: taps that are not 1-d or none (GND_ERROR_SHAPE), an nfft below their number (GND_ERROR_VALUE). Does not
 * wait.
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
