/*
 * samples.h: what the fronts of samples share.
 */
#ifndef GNDI_SAMPLES_SAMPLES_H
#define GNDI_SAMPLES_SAMPLES_H

#include "elementwise/temporaries.h"
#include "runtime/runtime.h"
#include "samples/samples_plan.h"
#include <gnd/sigmf.h>

/* A datatype and options, read. */
typedef struct gndi_sample_type {
    bool complex;
    uint8_t kind;
    bool swapped; /* as in the plan */
    bool flipped;
    double scale;    /* of numbers that are read; their inverse when written */
    gnd_dtype dtype; /* of results */
    int channels;    /* 0: one, without an axis of its own */
} gndi_sample_type;

/* Raises if there is no such datatype, or the options do not fit it. */
bool gndi_sample_type_read(const char *fn, const char *datatype, const gnd_samples_options *options,
                           gndi_sample_type *type);
/* Bits of a sample of all channels. */
int64_t gndi_sample_bits(const gndi_sample_type *type);
/* Whether numbers are float64 when they are unpacked, and the dtype of samples then. */
bool gndi_sample_is_wide(const gndi_sample_type *type);
gnd_dtype gndi_sample_unpacked_dtype(const gndi_sample_type *type);
/* The number of bytes of `samples` samples; -1, and raised, if they are no whole bytes. */
int64_t gndi_sample_bytes(const char *fn, const gndi_sample_type *type, int64_t samples);

/* Unpacks or packs `count` numbers by the hook; both arrays' memory is dense. */
gnd_status gndi_samples_run(const char *fn, const gndi_sample_type *type, const gnd_array *bytes, int64_t first_byte,
                            const gnd_array *numbers, int64_t first_number, int64_t count, bool packs);
/* A new array for samples as they are unpacked; `like` NULL: on the current device. */
gnd_array *gndi_samples_new(const char *fn, const gndi_sample_type *type, gnd_stream *stream, int64_t samples);
/* Samples as the type's dtype has them; takes over its argument. */
gnd_array *gndi_samples_cast(const char *fn, const gndi_sample_type *type, gnd_array *samples);

/* Opens `bytes` bytes of samples that lie in a file from a byte on; captures say which bytes of these are no samples.
   Takes over the file descriptor. */
gnd_samples *gndi_samples_over(const char *fn, const char *path, int file, int64_t base, int64_t bytes,
                               const gndi_sample_type *type, const gnd_sigmf_capture *captures, int64_t capture_count);
/* A regular file, and its length; -1 and raised. */
int gndi_samples_open_file(const char *fn, const char *path, int64_t *length);
/* Reads the next samples in the name of `fn`. */
gnd_array *gndi_samples_next(const char *fn, gnd_samples *file, int64_t count);

#endif
