/*
 * gnd/sigmf.h: recordings with SigMF metadata (the Signal Metadata Format, version 1; cuSignal's read_sigmf and
 * write_sigmf): samples in NAME.sigmf-data, and JSON that says what they are in NAME.sigmf-meta; or both in an archive,
 * NAME.sigmf (tar).
 *
 *     gnd_sigmf meta;
 *     gnd_array *x = gnd_read_sigmf("capture.sigmf-meta", -1, 0, NULL, &meta);
 *     printf("%g samples a second at %g Hz\n", meta.sample_rate, meta.captures[0].frequency);
 *     gnd_sigmf_release(&meta);
 *
 * Any datatype of SigMF is read and written, in both byte orders, of one channel or several, and the 12 bits of
 * gnd/samples.h. Metadata is read by cJSON, which is loaded at first use: GND_ERROR_UNAVAILABLE without it. All else
 * that a file claims is checked: GND_ERROR_IO for JSON that is malformed or larger than 64 MiB, numbers that are no
 * sample numbers, captures out of order, datasets of another folder, and lengths that the file does not have. Checksums
 * (core:sha512) are not compared.
 */
#ifndef GND_SIGMF_H
#define GND_SIGMF_H

#include <gnd/samples.h>

GND_BEGIN

/** From a sample on, how it was recorded. */
typedef struct gnd_sigmf_capture {
    int64_t sample_start;
    double frequency;     /**< of the centre, in Hz; NaN: not said */
    const char *datetime; /**< ISO 8601; NULL: not said */
    int64_t header_bytes; /**< bytes before this capture's samples that are none; they are left out in reading */
} gnd_sigmf_capture;

/** What somebody says of some samples. */
typedef struct gnd_sigmf_annotation {
    int64_t sample_start, sample_count;      /**< a count of -1: not said */
    double freq_lower_edge, freq_upper_edge; /**< in Hz; NaN: not said */
    const char *label, *comment;             /**< NULL: not said */
} gnd_sigmf_annotation;

/** Metadata. What is not said is NULL, or NaN. */
typedef struct gnd_sigmf {
    const char *datatype;
    double sample_rate;
    int num_channels;
    const char *author, *description, *hw;
    int64_t capture_count, annotation_count;
    const gnd_sigmf_capture *captures;
    const gnd_sigmf_annotation *annotations;
    const char *json; /**< all of it, with what has no member here */
    void *memory;     /**< what gnd_sigmf_release frees */
} gnd_sigmf;

/**
 * `count` samples (-1: all), from sample `offset` on, as gnd_read_bin reads them: (samples,), or (samples, channels) of
 * several channels. `path` is that of the metadata, of the samples, of an archive, or without its end. *meta becomes
 * the metadata, unless it is NULL; gnd_sigmf_release frees it. After an error it is all zero.
 */
GND_API gnd_array *gnd_read_sigmf(const char *path, int64_t count, int64_t offset, const gnd_samples_options *options,
                                  gnd_sigmf *meta);

/** The same, to be read in pieces by gnd_samples_read. */
GND_API gnd_samples *gnd_sigmf_open(const char *path, const gnd_samples_options *options, gnd_sigmf *meta);

/** The metadata alone; there need be no samples. */
GND_API gnd_status gnd_sigmf_load(const char *path, gnd_sigmf *meta);

/**
 * Writes x, of shape (samples,) or (samples, channels), as NAME.sigmf-data and NAME.sigmf-meta; `path` is one of them,
 * or NAME. Metadata begins with that of meta->json, if there is one. Of the members, datatype decides how samples are
 * stored (NULL: x's own dtype, little endian); num_channels is x's; a sample_rate of 0 is not written, nor what is NULL
 * or NaN; captures and annotations take the place of the others' if they are not NULL. With neither there is one
 * capture, at sample 0. `meta` may be NULL. Each file replaces an older one as by gnd_save, first that of the samples.
 * Waits for x. GND_ERROR_DTYPE for an x whose dtype SigMF does not have, without a datatype.
 */
GND_API gnd_status gnd_write_sigmf(const char *path, const gnd_array *x, const gnd_sigmf *meta);

/** Frees what the members point to, and sets them to 0. NULL does nothing. */
GND_API void gnd_sigmf_release(gnd_sigmf *meta);

GND_END

#endif
