/*
 * gnd/dist/transport.h: how bytes get from rank to rank: a table of functions that a mesh calls.
 *
 * gnd has a transport over NCCL for GPU memory (gnd_mesh_init) and one over MPI for host memory (gnd_dist_mpi.h). A
 * program provides another one by filling in the table.
 */
#ifndef GND_DIST_TRANSPORT_H
#define GND_DIST_TRANSPORT_H

#include <gnd/base.h>
#include <gnd/device.h>
#include <gnd/dtype.h>

GND_BEGIN

/** What goes to, or comes from, one rank. If the address is NULL, a send sends arbitrary bytes and a receive drops what
    arrives: so a rank that ran out of memory takes part, and no other rank waits in vain. */
typedef struct gnd_part {
    int rank; /**< the calling one only in transports with `own_parts` */
    void *address;
    size_t bytes; /**< the same on both sides */
} gnd_part;

/** How elements of several ranks become one. */
typedef enum gnd_combine { GND_COMBINE_SUM, GND_COMBINE_PROD, GND_COMBINE_MAX, GND_COMBINE_MIN } gnd_combine;

/** Elements that every rank has, and where what they become goes on all of them, which is other memory. If the
    addresses are NULL, arbitrary elements take part, and the result is dropped. */
typedef struct gnd_combined_part {
    const void *from;
    void *to;
    size_t count;    /**< of elements, the same on all ranks */
    gnd_dtype dtype; /**< an integer of 8, 32 or 64 bits, float32 or float64 */
    gnd_combine how;
} gnd_combined_part;

/**
 * The table. All ranks call the same functions in the same order; several parts between two ranks go in the order of
 * the lists. `stream` is the cudaStream_t that work is queued on, NULL on the CPU. Each function returns GND_OK or
 * another status after gnd_raise(); the mesh cannot be used after that. A function that has waited longer than `limit`
 * allows returns GND_ERROR_DEVICE without raising: the mesh raises the error, with the call and the time.
 */
typedef struct gnd_transport {
    int size, rank;
    gnd_device_kind memory; /**< of what addresses point to */
    bool synchronous;       /**< functions return when all is done; else it is queued on the stream */
    bool own_parts;         /**< exchange takes parts from the calling rank to itself, too */
    void *context;          /**< first argument of each function */
    void *native;           /**< for libraries that take one: the ncclComm_t, or the MPI_Comm; or NULL */
    /** Sends and receives parts, all at once: no order between them blocks. */
    gnd_status (*exchange)(void *context, int sends, const gnd_part *send, int receives, const gnd_part *receive,
                           void *stream);
    /** Everyone's `bytes` bytes at `from`, in the order of ranks, to `to` on all ranks. */
    gnd_status (*all_gather)(void *context, const void *from, void *to, size_t bytes, void *stream);
    /** Ranks of one color form a new transport, in the order of keys, then of ranks; color < 0: none, size is 0. */
    gnd_status (*split)(void *context, int color, int key, struct gnd_transport *out);
    /** GND_OK, or the error of work that was queued before, on any stream; may be NULL. */
    gnd_status (*state)(void *context);
    /** Makes waiting calls of all ranks return with an error, as far as that is possible; may be NULL. */
    void (*abort)(void *context);
    /** Gives everything back. */
    void (*close)(void *context);
    /** all_gather of memory of the host, done at return; NULL: by all_gather. */
    gnd_status (*host_gather)(void *context, const void *from, void *to, size_t bytes);
    /** Sets how long a call may wait for other ranks; <= 0: no limit. NULL: the transport has no limits. */
    void (*limit)(void *context, double seconds);
    /** Combines parts, each in any order of the ranks; NULL: gnd gathers and combines them itself. Called for what does
        not depend on the order, and for floating-point numbers of which at most two ranks have some, the others
        0 for a sum and 1 for a product. */
    gnd_status (*all_reduce)(void *context, int count, const gnd_combined_part *part, void *stream);
    /** Memory that exchange moves faster than other, for what gnd packs; NULL: there is none. It is given back by
        deallocate, before close. Either both are NULL or none. */
    void *(*allocate)(void *context, size_t bytes);
    void (*deallocate)(void *context, void *memory);
    void *reserved[2];
} gnd_transport;

GND_END

#endif
