/*
 * loose.h: bool memory that may hold bytes other than 0 and 1, because it was viewed as another dtype (gnd_view) or
 * comes from outside (gnd_wrap, DLPack). A nonzero byte is true, but kernels expect 0 and 1, so such arrays are
 * converted to 0 and 1 before a kernel reads them (elementwise/truths.h). The flag belongs to the buffer: all arrays
 * over it have it, including those made before.
 */
#ifndef GNDI_LOOSE_H
#define GNDI_LOOSE_H

#include "core/core.h"

static inline bool gndi_is_loose(const gnd_array *a) {
    return gndi_unlikely(a->dtype == GND_BOOL) &&
           gndi_unlikely(atomic_load_explicit(&a->buffer->loose, memory_order_relaxed));
}
static inline void gndi_set_loose(gndi_buffer *b) {
    atomic_store_explicit(&b->loose, true, memory_order_relaxed);
}
/* Whoever moves bytes as they are moves the mark with them. */
static inline void gndi_pass_loose(gndi_buffer *to, const gnd_array *from) {
    if (gndi_is_loose(from)) gndi_set_loose(to);
}

#endif
