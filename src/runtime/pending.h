/*
 * pending.h: the runtime's part of arrays whose elements are still to be computed.
 *
 * src/fuse records operations instead of submitting them. A new array of such an operation is *pending*:
 * it has a header and a buffer without memory, and the flag GNDI_PENDING; gndi_data() settles it. A
 * buffer with memory that a recorded operation will write has the slot GNDI_SLOT_PENDING for its writer,
 * and one that it will read the bit GNDI_PENDING_READER among its readers. gndi_order_read and
 * gndi_order_write, which are called before every use of memory, detect them by these, at no cost for other
 * buffers.
 */
#ifndef GNDI_PENDING_H
#define GNDI_PENDING_H

#include "runtime/runtime.h"

/* Beyond the slots of streams. */
#define GNDI_SLOT_PENDING 64u /* a recorded operation will write it */
#define GNDI_SLOT_FAILED 65u  /* it should have been written, and could not */
#define GNDI_PENDING_READER (UINT64_C(1) << GNDI_MAX_STREAMS)

/* The functions of src/fuse that the runtime calls; NULL until it records for the first time. */
typedef struct gndi_pending_hooks {
    void (*settle)(gnd_array *a);                            /* computes a pending array */
    gnd_status (*write_out)(gndi_buffer *b, const char *fn); /* submits what will write b */
    gnd_status (*read_out)(gndi_buffer *b, const char *fn);  /* submits what will read b */
    void (*forget)(gndi_buffer *b);                          /* a pending array was released: it need not be computed */
    gnd_status (*flush)(const char *fn);                     /* submits all that the calling thread has recorded */
} gndi_pending_hooks;
extern const gndi_pending_hooks *gndi_pending;

/* Called before the calling thread waits for its work, or asks about or marks its progress, which includes recorded
   operations. */
static inline gnd_status gndi_pending_flush(const char *fn) {
    return gndi_unlikely(gndi_pending != NULL) ? gndi_pending->flush(fn) : GND_OK;
}

/* A pending buffer without memory on the device of `s`; and allocates its memory, in the order of `s`. */
gndi_buffer *gndi_buffer_pending(const char *fn, gnd_stream *s);
gnd_status gndi_buffer_fill(const char *fn, gndi_buffer *b, gnd_stream *s, size_t bytes);

#endif
