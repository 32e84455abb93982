/*
 * loose.h: bool memory that may hold other bytes than 0 and 1, since it was seen as another dtype (gnd_view), or
 * is somebody else's (gnd_wrap, DLPack). What is not 0 is true, but kernels count on 0 and 1: the engines replace
 * such arrays by their truths (math/truths.h) before a kernel sees them. The mark is one of the memory, so that
 * all arrays over it have it, those too that were made before.
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
