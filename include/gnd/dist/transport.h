/*
 * gnd/dist/transport.h: how bytes get from rank to rank: a table of functions that a mesh stands on.
 *
 * gnd has a transport over NCCL for the memory of GPUs (gnd_mesh_init) and one over MPI for that of the host
 * (gnd_dist_mpi.h). Others are made by filling in the table.
 */
#ifndef GND_DIST_TRANSPORT_H
#define GND_DIST_TRANSPORT_H

#include <gnd/base.h>
#include <gnd/device.h>

GND_BEGIN

/** What goes to, or comes from, one rank. Without an address nothing real does: of a send the bytes may be anything,
    what is received is dropped. A rank that ran out of memory takes part so, and nobody waits for it in vain. */
typedef struct gnd_part {
    int rank; /**< never the calling one */
    void *address;
    size_t bytes; /**< the same on both sides */
} gnd_part;

/**
 * The table. All ranks call the same functions in the same order; several parts between two ranks go in the order of
 * the lists. `stream` is the cudaStream_t that work is queued on, NULL on the CPU. Each function returns GND_OK or
 * another status after gnd_raise(); the mesh cannot be used then. One that has waited longer than `limit` said returns
 * GND_ERROR_DEVICE alone: the mesh raises the error, with the call and the time.
 */
typedef struct gnd_transport {
    int size, rank;
    gnd_device_kind memory; /**< of what addresses point to */
    bool synchronous;       /**< functions return when all is done; else it is queued on the stream */
    void *context;          /**< first argument of each function */
    void *native;           /**< for libraries that take one: the ncclComm_t, or the MPI_Comm; or NULL */
    /** Sends and receives parts, all at once: no order between them blocks. */
    gnd_status (*exchange)(void *context, int sends, const gnd_part *send, int receives, const gnd_part *receive,
                           void *stream);
    /** Everyone's `bytes` bytes at `from`, in the order of ranks, to `to` on all ranks. */
    gnd_status (*all_gather)(void *context, const void *from, void *to, size_t bytes, void *stream);
    /** Ranks of one color form a new transport, in the order of keys, then of ranks; color < 0: none, size is 0. */
    gnd_status (*split)(void *context, int color, int key, struct gnd_transport *out);
    /** What failed since, on any stream; may be NULL. */
    gnd_status (*state)(void *context);
    /** Makes waiting calls of all ranks return with an error, as far as that is possible; may be NULL. */
    void (*abort)(void *context);
    /** Gives everything back. */
    void (*close)(void *context);
    /** all_gather of memory of the host, done at return; NULL: by all_gather. */
    gnd_status (*host_gather)(void *context, const void *from, void *to, size_t bytes);
    /** The longest that a call may wait for other ranks from now on; <= 0: any time. NULL: there is no limit. */
    void (*limit)(void *context, double seconds);
    void *reserved[3];
} gnd_transport;

GND_END

#endif
