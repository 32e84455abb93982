/*
 * gnd/memory.h: how much memory a device has and gnd uses, the pool that keeps freed memory for the
 * next array, and pinned host memory.
 *
 * Arrays take their memory from a pool, one a device, and give it back in stream order: the next
 * array on the stream can have it at once, though work on the old one is still queued. Freed memory
 * is kept for gnd until gnd_memory_trim, or until an allocation needs it. Out of memory, the pool
 * gives everything it keeps back to the device and tries again before it reports an error.
 */
#ifndef GND_MEMORY_H
#define GND_MEMORY_H

#include <gnd/base.h>
#include <gnd/device.h>

GND_BEGIN

/** Statistics of a device's pool. */
typedef struct gnd_memory_stats {
    size_t in_use;        /**< bytes that live arrays hold (sizes rounded up by the pool) */
    size_t peak;          /**< the most in_use has been since the start or gnd_memory_reset_peak */
    size_t cached;        /**< bytes of freed blocks that gnd keeps ready by itself */
    size_t limit;         /**< gnd_memory_set_limit's; 0: none */
    uint64_t blocks;      /**< live blocks of memory */
    uint64_t allocations; /**< blocks asked for since the start */
    uint64_t reused;      /**< how many of those were served by a freed block */
    void *reserved[4];
} gnd_memory_stats;

/**
 * Free and total bytes of a device's memory, as the driver or operating system reports them; memory that the
 * pool keeps counts as used. Either pointer may be NULL. Opens the device.
 */
GND_API gnd_status gnd_memory_info(gnd_device device, size_t *free_bytes, size_t *total_bytes);

/** Fills `out` with the statistics of the device's pool; opens the device. */
GND_API gnd_status gnd_memory_stats_of(gnd_device device, gnd_memory_stats *out);

/** Resets the peak to the bytes in use now. */
GND_API gnd_status gnd_memory_reset_peak(gnd_device device);

/** Returns cached memory to the device. Waits for the device's queued work, which may still use freed memory. */
GND_API gnd_status gnd_memory_trim(gnd_device device);

/**
 * Limits the bytes that arrays and cached blocks may take together on a device; an allocation beyond it fails
 * with GND_ERROR_MEMORY. 0 removes the limit. Memory already in use is not affected.
 */
GND_API gnd_status gnd_memory_set_limit(gnd_device device, size_t bytes);

/**
 * Page-locked host memory, which transfers to and from a GPU at full speed and without waiting (the _async
 * functions of gnd/transfer.h need it). Allocation is slow: reuse it. Plain aligned memory if the current
 * device is the CPU. NULL and GND_ERROR_MEMORY if out of memory. Free it with gnd_pinned_free when no
 * transfer uses it any more.
 */
GND_API void *gnd_pinned_alloc(size_t bytes);

/** Frees what gnd_pinned_alloc gave. NULL is ignored. */
GND_API void gnd_pinned_free(void *pointer);

GND_END

#endif
