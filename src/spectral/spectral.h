/*
 * spectral.h: what the files of this folder share.
 *
 *     settings.c          options read; windows with their factors
 *     stft.c              stft and istft of whole signals, and the plans of both
 *     spectra.c           periodograms, Welch's means, coherence and spectrograms
 *     overlap.c           what windows that overlap add up to
 *     short_time_fft*.c, dual_window.c   the transform as an object (short_time_fft.h)
 *     spectral_stream.c   signals in chunks
 */
#ifndef GNDI_SPECTRAL_H
#define GNDI_SPECTRAL_H

#include "elementwise/temporaries.h"
#include "spectral/stft_plan.h"

/* Options, read. */
typedef struct gndi_stft_settings {
    int64_t nperseg, nfft, hop;
    int64_t extend; /* samples of the border */
    gndi_border border;
    gndi_stft_trend trend;
    bool half, padded, density;
    bool bounded; /* there is a border, perhaps of no sample */
    double fs;
    /* Of the plans; zero where nothing is said of them. */
    bool centered;
    int64_t roll;
    double inner; /* 0: 1 */
} gndi_stft_settings;

/* Reads options for a window; false after an error. nfft of 0 stays 0. */
bool gndi_stft_read(const char *fn, const gnd_array *window, const gnd_stft_options *options, bool complex_signal,
                    gndi_stft_settings *to);
/* Whether nfft holds a frame; raises if not. */
bool gndi_stft_check_nfft(const char *fn, const gndi_stft_settings *set);
/* How many frames a signal of n samples has; 0 if it is too short. */
int64_t gndi_stft_frames(const gndi_stft_settings *set, int64_t n);
/* Raises: a signal of so many samples is shorter than the window. */
void gndi_stft_raise_short(const char *fn, const gndi_stft_settings *set, int64_t n);

/* Numbers in memory that transforms are made with: windows and spectra, dense. buffer: NULL: there are none. */
typedef struct gndi_table {
    gndi_buffer *buffer;
    const char *data;
} gndi_table;
/* The table of an array; with `retain` for longer than that. */
gndi_table gndi_table_of(const gnd_array *a, bool retain);
void gndi_table_release(gndi_table *t);

/* The window with the factor of a transform, or of its inverse, and the squares of the window (NULL: not wanted), of a
   real dtype. */
gnd_array *gndi_stft_window(gndi_temporaries *s, const gnd_array *window, const gndi_stft_settings *set, bool inverse,
                            gnd_dtype dtype, gnd_array **squares);

/* Frames of lines of x, which are dense, to out, dense lines of frames of bins; y: the other signal of products. */
typedef struct gndi_stft_request {
    const gndi_stft_settings *set;
    gndi_table window;
    const gnd_array *x, *y;
    int64_t x_first, total, frame_first, frames;
    gndi_stft_result result;
    bool mean;
    double scale; /* of results; 0: 1 */
    gnd_array *out;
} gndi_stft_request;
void gndi_stft_run(gndi_temporaries *s, const gndi_stft_request *r);

/* The dtype of spectra of x. */
gnd_dtype gndi_stft_dtype(const gnd_array *x);
/* Lines of frames and bins side by side as an array with bins in the place of `axis` and frames last. */
gnd_array *gndi_stft_frames_last(gndi_temporaries *s, const gnd_array *lines, int axis, int64_t bins);
/* The frequencies of bins, and the times of the middles of frames; where they are NULL, they are not wanted. */
void gndi_stft_give_axes(gndi_temporaries *s, const gndi_stft_settings *set, int64_t frames, gnd_array **f,
                         gnd_array **t);

/* z with its axes of bins and frames last, and few others. */
const gnd_array *gndi_stft_spectra_of(gndi_temporaries *s, const gnd_array *z, int bin_axis, int frame_axis);

/* Samples, dense lines, of spectra z of lines, bins and frames: axes of bins and frames count from the front; the
   other axes are in front, and few. */
typedef struct gndi_istft_request {
    const gndi_stft_settings *set;
    int64_t skip;
    gndi_table window, squares, response;
    const gnd_array *z;
    int bin_axis, frame_axis;
    int64_t frame_first, out_first;
    gnd_array *out;
} gndi_istft_request;
void gndi_istft_run(gndi_temporaries *s, const gndi_istft_request *r);

#endif
