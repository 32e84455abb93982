/*
 * poison.h: what the address sanitizer is told of the CPU's memory pool. A block is larger than the array in it, and
 * stays mapped when the array is released: without this, nobody would see reads and writes there. Nothing in other
 * builds.
 */
#ifndef GNDI_POISON_H
#define GNDI_POISON_H

#include "runtime/runtime.h"

#ifdef __SANITIZE_ADDRESS__
#    include <sanitizer/asan_interface.h>

/* The first `used` bytes of a block may be touched, and no others. */
static inline void gndi_poison_behind(const gndi_buffer *b, size_t used) {
    if (!b->device->backend->synchronous) return;
    __asan_unpoison_memory_region(b->base, used);
    __asan_poison_memory_region((char *)b->base + used, b->bytes - used);
}
#else
static inline void gndi_poison_behind(const gndi_buffer *b, size_t used) {
    (void)b, (void)used;
}
#endif

#endif
