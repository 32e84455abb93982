/*
 * chunk.h: what streams share that keep the last elements of a signal between chunks (rate_stream.c, src/spectral).
 */
#ifndef GNDI_CHUNK_H
#define GNDI_CHUNK_H

#include "elementwise/temporaries.h"
#include "filter/channels.h"
#include "resample/chunk_plan.h"
#include "runtime/runtime.h"

/* Lines of a stream: the shape of its channels, and how many elements of each it keeps, dense in `memory`. */
typedef struct gndi_kept {
    gndi_device *device;
    gnd_dtype dtype;
    gnd_shape channels;
    bool framed;   /* elements are frames of items, which have an axis of their own in arrays */
    int64_t width; /* items of an element; 1 of a sample */
    int64_t keeps; /* elements of a channel */
    gndi_buffer *memory;
} gndi_kept;

/* Memory for what is kept, of zeros. */
bool gndi_kept_new(gndi_temporaries *s, gndi_kept *k);
void gndi_kept_release(gndi_kept *k);
gnd_status gndi_kept_clear(const char *fn, const gndi_kept *k);
/* What is kept as an array over the memory: the channels' shape, elements, and if there are several the items. */
gnd_array *gndi_kept_array(gndi_temporaries *s, const gndi_kept *k);
/* A new dense array of the channels' shape and more axes. */
gnd_array *gndi_kept_lines(gndi_temporaries *s, const gndi_kept *k, int more, const int64_t *shape, gnd_dtype dtype);
/* A dense array over a buffer, which it retains. */
gnd_array *gndi_array_over_buffer(gndi_temporaries *s, gndi_buffer *b, int ndim, const int64_t *shape, gnd_dtype dtype);

/* Whether x is a chunk for the stream: of the channels' shape and elements, behind an axis of items if there are
   several; of a dtype that the stream's holds; on its device. Raises if not. `stream`: NULL is refused, too. */
bool gndi_check_chunk(const char *fn, const void *stream, const gndi_kept *k, const gnd_array *x);
/* x as chunks are joined: of the stream's dtype, and in few enough axes. */
const gnd_array *gndi_chunk_of(gndi_temporaries *s, const gndi_kept *k, const gnd_array *x);
/* What is kept and a chunk, as gndi_chunk_of gives it, to `joined`, which is laid out like gndi_kept_array; and the
   last elements kept. joined: NULL, if x has as many elements as are kept, which it replaces. */
bool gndi_join_chunk(gndi_temporaries *s, const gndi_kept *k, const gnd_array *x, const gnd_array *joined);
/* Begins the work of a hook that makes `out` from x and the taps h; with `k`, one that first joins what is kept and the
   chunk to x, as *p says. NULL and raised on failure. */
gnd_stream *gndi_work_begin_joined(const char *fn, const gndi_kept *k, const gnd_array *chunk, const gnd_array *x,
                                   const gnd_array *h, const gnd_array *out, gndi_chunk_plan *p);
/* A new array of what is kept, with its axes as they are kept; and the way back: a state that was saved so, of which
   `fed` elements had been fed, is kept again. Raises if it is none. */
gnd_array *gndi_kept_save(gndi_temporaries *s, const gndi_kept *k);
bool gndi_kept_restore(gndi_temporaries *s, const void *stream, const gndi_kept *k, const gnd_array *state,
                       int64_t fed);
/* Keeps again what was kept before, after a failure: a stream is to be left as it was. */
void gndi_unjoin_chunk(const char *fn, const gndi_kept *k, const gnd_array *joined);

#endif
