/*
 * gnd/samples.h: raw samples of receivers and converters (cuSignal's unpack_bin, pack_bin, read_bin and write_bin), and
 * files of them that are read in pieces. Recordings with SigMF metadata are in gnd/sigmf.h.
 *
 *     gnd_array *x = gnd_read_bin("capture.iq", "ci16_le", -1, 0, NULL);       // complex64
 *     gnd_samples *file = gnd_samples_open("capture.iq", "ci12_be", NULL);
 *     while (gnd_samples_left(file) >= n) work(gnd_samples_read(file, n));
 *     gnd_samples_close(file);
 *
 * How samples are stored is said by a SigMF datatype: `c` (complex: I, then Q) or `r` (real); `f32` `f64` `i8` `u8`
 * `i12` `i16` `u16` `i32` or `u32`; and `_le` or `_be`, the byte order, which 8 bits do not have: "cf32_le", "ru8",
 * "ci16_be". SigMF has no `i12`; it is two samples in three bytes. With bytes b0 b1 b2, "_le": the first is b0 and the
 * lower half of b1 (as its upper four bits), the second is the upper half of b1 (as its lower four bits) and b2, as
 * LimeSDR and bladeRF pack them; "_be": the first is b0 and the upper half of b1, the second is the lower half of b1
 * and b2, from the highest bit on, as UHD's sc12_be. All such numbers are two's complement.
 *
 * Errors: GND_ERROR_VALUE for a datatype that there is not, or bytes that are no whole number of samples; GND_ERROR_IO
 * for files that cannot be read, are no regular files, or are shorter than what is asked for.
 */
#ifndef GND_SAMPLES_H
#define GND_SAMPLES_H

#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/** Options; NULL or all zero: the defaults. */
typedef struct gnd_samples_options {
    gnd_dtype
        dtype; /**< of the samples; GND_DTYPE_NONE: float32 of up to 16 bits and of f32, float64 of others, or their
                          complex dtypes. Any other is cast to by gnd_astype, in a launch more. */
    bool normalized; /**< integers are divided by 2^(bits - 1), unsigned ones less that before: from -1 to almost 1, as
                          readers of SigMF in Python have them */
    int channels;    /**< how many alternate: the shape is (samples, channels); 0: one, and (samples,) */
    void *reserved[4];
} gnd_samples_options;

/* ---- bytes on the device -------------------------------------------------------------------- */

/**
 * Samples from the bytes of an array of any dtype and shape, in C order (cuSignal's unpack_bin). One launch swaps,
 * widens, scales and stores them. Does not wait.
 */
GND_API gnd_array *gnd_unpack_bin(const gnd_array *binary, const char *datatype, const gnd_samples_options *options);

/**
 * The bytes of samples, as they would be in a file (cuSignal's pack_bin): a uint8 vector. Integers are rounded to the
 * nearest, halves to even, and clipped; NaN becomes 0. With `normalized` numbers are multiplied by 2^(bits - 1) first;
 * the other options do not count. Real samples may be stored as complex ones, with Q 0, but not the other way
 * (GND_ERROR_DTYPE). Integers of 12 bits need an even number of numbers. Does not wait.
 */
GND_API gnd_array *gnd_pack_bin(const gnd_array *x, const char *datatype, const gnd_samples_options *options);

/* ---- files ---------------------------------------------------------------------------------- */

/**
 * `count` samples of a file (of all channels; -1: all there are), from sample `offset` on (cuSignal's read_bin and
 * unpack_bin). Pieces of the file are read by several threads into pinned memory, two buffers each, copied and unpacked
 * on the device while others are being read: at the speed of the link, or of the disk. Returns when the file has been
 * read.
 */
GND_API gnd_array *gnd_read_bin(const char *path, const char *datatype, int64_t count, int64_t offset,
                                const gnd_samples_options *options);

/**
 * Writes samples (cuSignal's pack_bin and write_bin) behind what the file has, or, without `append`, in its place: as
 * by gnd_save, the old file is replaced when the new one is complete. Waits for x.
 */
GND_API gnd_status gnd_write_bin(const char *path, const gnd_array *x, const char *datatype, bool append,
                                 const gnd_samples_options *options);

/** A file that is being read. One thread at a time may use it. */
typedef struct gnd_samples gnd_samples;

/** Opens a file of samples; NULL after an error. The file is read as by gnd_read_bin, with gnd_samples_read. */
GND_API gnd_samples *gnd_samples_open(const char *path, const char *datatype, const gnd_samples_options *options);
/** The next `count` samples: a new array on the current device. No fewer: GND_ERROR_IO if there are not so many. */
GND_API gnd_array *gnd_samples_read(gnd_samples *file, int64_t count);
/** Goes to a sample, from 0 to as many as there are; GND_ERROR_INDEX for any other. */
GND_API gnd_status gnd_samples_seek(gnd_samples *file, int64_t sample);
/** How many samples there are; -1 for NULL. */
GND_API int64_t gnd_samples_count(const gnd_samples *file);
/** How many of them are left to read; -1 for NULL. */
GND_API int64_t gnd_samples_left(const gnd_samples *file);
/** Closes the file. NULL does nothing. */
GND_API void gnd_samples_close(gnd_samples *file);

GND_END

#endif
