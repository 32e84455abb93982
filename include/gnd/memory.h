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

/** What the pool of a device is doing. */
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
 * Free and total bytes of a device's memory, as the driver or operating system says; memory the
 * pool keeps counts as taken. Either pointer may be NULL. Opens the device.
 */
GND_API gnd_status gnd_memory_info(gnd_device device, size_t *free_bytes, size_t *total_bytes);

/** Fills `out` with what the device's pool is doing; opens the device. */
GND_API gnd_status gnd_memory_stats_of(gnd_device device, gnd_memory_stats *out);

/** Sets the peak to what is in use now. */
GND_API gnd_status gnd_memory_reset_peak(gnd_device device);

/**
 * Gives kept memory back to the device. Waits for the device's queued work, since freed memory may
 * still be in use by it.
 */
GND_API gnd_status gnd_memory_trim(gnd_device device);

/**
 * The most bytes arrays and kept blocks may take together on a device; an allocation beyond it
 * fails with GND_ERROR_MEMORY. 0 takes the limit away. What is in use already stays.
 */
GND_API gnd_status gnd_memory_set_limit(gnd_device device, size_t bytes);

/**
 * Page-locked host memory, which transfers to and from a GPU at full speed and without waiting (the
 * _async functions of gnd/transfer.h need it). Costly to make: keep and reuse it. Plain aligned
 * memory if the current device is the CPU. NULL, and GND_ERROR_MEMORY, if there is none left; free
 * it with gnd_pinned_free when no transfer uses it any more.
 */
GND_API void *gnd_pinned_alloc(size_t bytes);

/** Frees what gnd_pinned_alloc gave. NULL is ignored. */
GND_API void gnd_pinned_free(void *pointer);

GND_END

#endif
