/*
 * gnd/sound.h: sound in WAV files (RIFF WAVE): samples as they are, without compression.
 */
#ifndef GND_SOUND_H
#define GND_SOUND_H

#include <gnd/base.h>

GND_BEGIN

/**
 * The samples in a WAV file, on the current device, of shape (samples,) or, with several channels,
 * (samples, channels); `rate` (NULL: not asked for) gets the samples a second (scipy.io.wavfile.read).
 * Up to 8 bits give uint8, whose middle is 128; up to 16 int16; 24 and 32 int32, 24 bits in the upper
 * ones; 64 int64; floating point float32 and float64. Read are RIFF, RIFX (high bytes first), RF64 and
 * BW64 (more than 4 GiB), and the extensible form of each. GND_ERROR_IO if the file cannot be read, is
 * truncated, or no such file, and for compressed sound.
 */
GND_API gnd_array *gnd_load_wav(const char *path, int *rate);

/**
 * Writes samples as a WAV file (scipy.io.wavfile.write): uint8, int16, int32, int64, float32 or float64 of
 * shape (samples,) or (samples, channels), `rate` a second. `bits` is 0, for those of the dtype, or with
 * int32 24, for the upper 24. Floating-point sound is usually between -1 and 1; nothing is scaled. Waits for
 * the array's value. An existing file is replaced at the end, as by gnd_save. GND_ERROR_SHAPE and
 * GND_ERROR_DTYPE for other arrays, GND_ERROR_INVALID for an impossible rate or number of bits,
 * GND_ERROR_VALUE for more than 4 GiB, the format's limit.
 */
GND_API gnd_status gnd_save_wav(const char *path, const gnd_array *a, int rate, int bits);

GND_END

#endif
