/*
 * channels.h: what the streams share that take a signal in chunks (filter_stream.c, src/resample, src/spectral): the
 * channels that a chunk must have, and memory that is kept between chunks.
 */
#ifndef GNDI_FILTER_CHANNELS_H
#define GNDI_FILTER_CHANNELS_H

#include "runtime/runtime.h"

/* Whether a stream can have channels of this shape; *lines: how many. Raises if not. */
bool gndi_check_channels_shape(const char *fn, const gnd_shape *channels, int64_t *lines);
/* Whether x is on the stream's device and has the shape of its channels, then, unless `bins` is 0, an axis of so many
   bins, and elements. Raises if not, and if the stream or x is NULL. */
bool gndi_check_chunk_shape(const char *fn, const void *stream, const gndi_device *device, const gnd_shape *channels,
                            int64_t bins, const gnd_array *x);
/* The first `bytes` of a stream's memory become zero. */
gnd_status gndi_clear_memory(const char *fn, gndi_device *device, gndi_buffer *memory, size_t bytes);

#endif
