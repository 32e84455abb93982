/*
 * gnd/audio.h: mel spectrograms, mel frequency cepstral coefficients, decibels, with torchaudio's names and
 * definitions.
 *
 *     gnd_array *mel = gnd_melspectrogram(x, &(gnd_melspectrogram_options){
 *         .n_fft = 1024, .hop_length = 256, .mel = {.sample_rate = 22050, .n_mels = 80}});
 *     gnd_array *db = gnd_power_to_db(mel, &(gnd_db_options){.top_db = 80});
 *
 * librosa's conventions are options: its filters have GND_MEL_SLANEY, GND_MEL_NORM_SLANEY and a sample rate of 22050,
 * and are the transpose; its spectrograms have an n_fft of 2048, a hop_length of 512 and GND_AUDIO_ZEROS.
 *
 * Signals are real: float32 and 16-bit ones are computed in float32, all others in float64. Results are new arrays on
 * the device of x. Nothing here waits.
 */
#ifndef GND_AUDIO_H
#define GND_AUDIO_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- the mel scale -------------------------------------------------------------------------- */

/** Formulas of the mel scale. */
typedef enum gnd_mel_scale {
    GND_MEL_HTK = 0, /**< 2595 log10(1 + f / 700) (torchaudio's default) */
    GND_MEL_SLANEY,  /**< linear up to 1000 Hz, then logarithmic (librosa's default) */
} gnd_mel_scale;

/** Factors of the filters of mel bands. */
typedef enum gnd_mel_norm {
    GND_MEL_NORM_NONE = 0, /**< triangles of height 1 (torchaudio's default) */
    GND_MEL_NORM_SLANEY,   /**< of area 1 (librosa's default) */
} gnd_mel_norm;

/** Mel bands; NULL or all zero: torchaudio's defaults. */
typedef struct gnd_mel_options {
    double sample_rate; /**< in Hz; 0: 16000 */
    int64_t n_mels;     /**< bands; 0: 128 */
    double f_min;       /**< in Hz, where the first band begins */
    double f_max;       /**< and the last one ends; 0: half the sample rate */
    gnd_mel_scale scale;
    gnd_mel_norm norm;
} gnd_mel_options;

/** A frequency in mels. */
GND_API double gnd_hz_to_mel(double hz, gnd_mel_scale scale);
/** And back, in Hz. */
GND_API double gnd_mel_to_hz(double mel, gnd_mel_scale scale);

/**
 * Triangular filters on the mel scale for n_freqs frequencies from 0 to half the sample rate, which may be odd: a
 * matrix of shape (n_freqs, n_mels) (torchaudio.functional.melscale_fbanks; the transpose of librosa.filters.mel), on
 * the current device. `dtype`: a floating one; GND_DTYPE_NONE: float32. Computed on the host.
 *
 * Errors: no frequency, no band, a sample rate that is not positive, bands that do not rise from at least 0 Hz
 * (GND_ERROR_VALUE), a dtype that is not floating (GND_ERROR_DTYPE).
 */
GND_API gnd_array *gnd_mel_filters(int64_t n_freqs, const gnd_mel_options *options, gnd_dtype dtype);

/* ---- spectrograms --------------------------------------------------------------------------- */

/** What stands beyond the ends of a signal, n_fft / 2 samples on either side. */
typedef enum gnd_audio_pad {
    GND_AUDIO_REFLECT = 0,  /**< c b | a b c d | c b ("reflect") */
    GND_AUDIO_ZEROS,        /**< 0 0 | a b c d | 0 0 ("constant") */
    GND_AUDIO_EDGE,         /**< a a | a b c d | d d ("replicate", "edge") */
    GND_AUDIO_NOT_CENTERED, /**< nothing: frame f begins at sample f * hop_length (center=False) */
} gnd_audio_pad;

/** Mel spectrograms; NULL or all zero: torchaudio's defaults. */
typedef struct gnd_melspectrogram_options {
    gnd_mel_options mel;
    int64_t n_fft;      /**< samples of a transform; 0: 400 */
    int64_t win_length; /**< of the window, in the middle of them; 0: n_fft */
    int64_t hop_length; /**< from frame to frame; 0: win_length / 2 */
    int64_t pad;        /**< zeros on either side of the signal, before anything else */
    gnd_audio_pad pad_mode;
    double power;            /**< of magnitudes: 1, 2 or any other positive one; 0: 2 */
    bool normalized;         /**< spectra are divided by the root of the sum of the window's squares */
    const gnd_array *window; /**< win_length real numbers; NULL: the periodic gnd_hann */
} gnd_melspectrogram_options;

/**
 * Mel spectrograms of the signals along the last axis of x (torchaudio.transforms.MelSpectrogram): n_mels bands in
 * its place, and frames along a new last axis. In memory the bands of a frame lie side by side.
 *
 * On a GPU frames of float32 samples whose length is a power of two from 128 to 8192 become bands in one launch;
 * others, and those on the CPU, in slices of spectra that stay in the cache. Only the bins of a band are multiplied and
 * added up, not a whole matrix of filters. The filters are computed on the host and copied.
 *
 * Errors: complex x (GND_ERROR_DTYPE), too few samples for a frame or for a mirrored border, a window of another length
 * (GND_ERROR_SHAPE), numbers out of their range, and those of gnd_mel_filters (GND_ERROR_VALUE).
 */
GND_API gnd_array *gnd_melspectrogram(const gnd_array *x, const gnd_melspectrogram_options *options);

/** Options of gnd_mfcc; NULL or all zero: torchaudio's defaults. */
typedef struct gnd_mfcc_options {
    const gnd_melspectrogram_options *mel; /**< NULL: the defaults */
    bool log_mels; /**< the logarithm of bands + 1e-6; else decibels, at most 80 below the largest ones */
    bool plain;    /**< the cosine transform without its orthogonal factors (norm=None) */
} gnd_mfcc_options;

/**
 * Mel frequency cepstral coefficients (torchaudio.transforms.MFCC): the first n_mfcc of the cosine transform (type II,
 * orthogonal) of the decibels of a mel spectrogram; 0 is 40, or as many as there are bands. The shape is that of
 * gnd_melspectrogram, with coefficients for bands. Errors: those of gnd_melspectrogram, more coefficients than bands
 * (GND_ERROR_VALUE).
 */
GND_API gnd_array *gnd_mfcc(const gnd_array *x, int64_t n_mfcc, const gnd_mfcc_options *options);

/* ---- decibels ------------------------------------------------------------------------------- */

/** Options of decibels; NULL or all zero: the defaults. */
typedef struct gnd_db_options {
    double ref;    /**< what 0 dB is; 0: 1 */
    double amin;   /**< smaller numbers count as this one; 0: 1e-10 */
    double top_db; /**< results are at most so many below the largest one of the last three axes; 0: no limit */
} gnd_db_options;

/** 10 log10(max(x, amin) / max(ref, amin)) of powers (torchaudio.functional.amplitude_to_DB with multiplier 10;
    librosa.power_to_db, whose top_db is 80). GND_ERROR_DTYPE for complex x, GND_ERROR_VALUE for negative options. */
GND_API gnd_array *gnd_power_to_db(const gnd_array *x, const gnd_db_options *options);
/** 20 log10 of amplitudes likewise (multiplier 20; librosa.amplitude_to_db, whose amin is 1e-5). */
GND_API gnd_array *gnd_amplitude_to_db(const gnd_array *x, const gnd_db_options *options);
/** ref 10^(x / 10) (torchaudio.functional.DB_to_amplitude with power 1, librosa.db_to_power). GND_ERROR_DTYPE for
    complex x. */
GND_API gnd_array *gnd_db_to_power(const gnd_array *x, double ref);
/** ref 10^(x / 20) (power 0.5, librosa.db_to_amplitude). GND_ERROR_DTYPE for complex x. */
GND_API gnd_array *gnd_db_to_amplitude(const gnd_array *x, double ref);

GND_END

#endif
