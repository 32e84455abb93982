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

/** Kinds of memory that arrays can be in; see gnd_memory_use. */
typedef enum gnd_memory_kind {
    GND_MEMORY_DEVICE = 0, /**< the device's own, from the pool (or the allocator that was set) */
    GND_MEMORY_MANAGED,    /**< CUDA moves its pages between host and GPU as either touches them; it may be larger
                                than the GPU's */
    GND_MEMORY_PINNED,     /**< page-locked host memory that the GPU reads and writes through the bus */
    GND_MEMORY_SHARED,     /**< other processes can open it (gnd/ipc.h) */
    GND_MEMORY_FOREIGN,    /**< of somebody else's (gnd_wrap, DLPack, gnd_ipc_open); not to be asked for */
} gnd_memory_kind;

/**
 * An allocator for the arrays of a device: RMM, a pool of MPI's registered memory, a debugger's. `stream` is the
 * cudaStream_t in whose order the memory is used (NULL on the CPU). allocate gives `bytes` bytes (not 0), aligned to
 * 256 on a GPU and 64 on the CPU, or NULL if there are none left: then gnd gives back what it keeps, and tries again.
 * release is called when the last array is gone, but work that is queued on `stream` may still use the memory: it must
 * be freed in the order of that stream, or after waiting for it. Both are called by any thread, and must not
 * call gnd.
 */
typedef struct gnd_allocator {
    void *(*allocate)(size_t bytes, void *stream, void *context);
    void (*release)(void *pointer, size_t bytes, void *stream, void *context);
    void *context;
    void *reserved[2];
} gnd_allocator;

/** What a handler of gnd_on_memory is told: an array's memory was taken, or given up. */
typedef struct gnd_memory_event {
    gnd_device device;
    gnd_memory_kind kind;
    bool released;       /**< given up; else taken */
    bool reused;         /**< taken from freed blocks that gnd kept ready */
    const void *pointer; /**< where it is */
    size_t bytes;        /**< how many, rounded up */
    void *reserved[2];
} gnd_memory_event;

/** Called for each allocation and release of arrays' memory, on the thread that makes it. It must not call gnd. */
typedef void (*gnd_memory_handler)(const gnd_memory_event *event, void *context);

/**
 * Free and total bytes of a device's memory, as the driver or operating system reports them; memory that the
 * pool keeps counts as used. Either pointer may be NULL. Opens the device.
 */
GND_API gnd_status gnd_memory_info(gnd_device device, size_t *free_bytes, size_t *total_bytes);

/** Fills `out` with the statistics of the device's pool; opens the device. */
GND_API gnd_status gnd_memory_stats_of(gnd_device device, gnd_memory_stats *out);

/** Resets the peak to the bytes in use now. */
GND_API gnd_status gnd_memory_reset_peak(gnd_device device);

/** Returns cached memory to the device, and forgets taps of filters that gnd keeps there for their next call. Waits for
    the device's queued work, which may still use freed memory. */
GND_API gnd_status gnd_memory_trim(gnd_device device);

/**
 * Limits the bytes that arrays and cached blocks may take together on a device; an allocation beyond it fails
 * with GND_ERROR_MEMORY. 0 removes the limit. Memory already in use is not affected.
 */
GND_API gnd_status gnd_memory_set_limit(gnd_device device, size_t bytes);

/** The same limit as a share of all the device's memory, above 0 and up to 1; 0 removes it. GND_ERROR_VALUE for
    others. */
GND_API gnd_status gnd_memory_set_limit_share(gnd_device device, double share);

/**
 * The kind of memory of the arrays that the calling thread makes from now on; returns the one before. Temporaries
 * within calls have that kind, too. Kinds other than GND_MEMORY_DEVICE do not come from the pool: an allocation asks
 * the driver, which takes some 10 to 1000 us, and the last release waits for the work that uses the memory. On the CPU
 * all kinds are its memory, GND_MEMORY_SHARED that of a file in /dev/shm. Numbers that are no such kind are
 * refused (GND_ERROR_INVALID), and the kind stays.
 */
GND_API gnd_memory_kind gnd_memory_use(gnd_memory_kind kind);

/** The kind of an array's memory; GND_MEMORY_DEVICE also if a program's allocator gave it. */
GND_API gnd_memory_kind gnd_memory_kind_of(const gnd_array *a);

/**
 * Sets where a device's arrays get their memory from: `allocator` is copied; NULL: gnd's own. gnd keeps freed blocks of
 * up to 1 MiB (on the CPU of any size) ready for later arrays, as it does with its own; gnd_memory_trim gives them
 * back. Blocks go back to the allocator that made them, so it must stay usable as long as there are some, and one that
 * is replaced until they are released. GND_ERROR_INVALID if a function is NULL.
 */
GND_API gnd_status gnd_memory_set_allocator(gnd_device device, const gnd_allocator *allocator);

/** Sets the handler of the whole process that is told of each array's memory; NULL (the default) for none. */
GND_API void gnd_on_memory(gnd_memory_handler handler, void *context);

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
