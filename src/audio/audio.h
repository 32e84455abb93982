/*
 * audio.h: what the files of this folder share.
 *
 *     mel.c             the mel scale and its filters
 *     melspectrogram.c  mel spectrograms and cepstral coefficients
 *     decibel.c         decibels
 */
#ifndef GNDI_AUDIO_H
#define GNDI_AUDIO_H

#include "elementwise/temporaries.h"
#include "audio/mel_plan.h"

/* Options of filters, with the defaults filled in. */
typedef struct gndi_mel_settings {
    double rate, low, high; /* Hz */
    int64_t bands;
    gnd_mel_scale scale;
    bool slaney; /* each band over its width */
} gndi_mel_settings;

/* Reads them; false after an error. */
bool gndi_mel_read(const char *fn, const gnd_mel_options *options, gndi_mel_settings *to);
/* The filters on `bins` frequencies from 0 to half the rate, on the host; NULL after an error, else for gndi_free.
   *bands: pointers into it. `wide`: weights are double. */
void *gndi_mel_bands_new(const char *fn, const gndi_mel_settings *set, int64_t bins, bool wide, gndi_mel_bands *bands,
                         size_t *bytes);

/* multiplier * log10(max(x, least)) less that of `ref`, limited from below, of a floating x; a new array. */
gnd_array *gndi_decibels(gndi_temporaries *s, const gnd_array *x, double multiplier, const gnd_db_options *options);

#endif
