/*
 * gnd/dist/mesh.h: the ranks, processes that run the same program together, and what they agree on.
 *
 * A rank is a process (or thread), usually one for each device. All ranks run the same program and call the functions
 * that take a mesh in the same order. One thread at a time may use a mesh. Functions wait for all ranks where their
 * comments say so.
 *
 * GND_MESH_CHECK=1 in the environment compares each collective call among the ranks before it moves anything: calls
 * that do not match are an error on all ranks that names two of them, instead of a hang. Every call waits then.
 *
 * If a rank ends, hangs or makes other calls, the others wait for it for a limited time: gnd_mesh_set_timeout.
 *
 * A rank that fails (out of memory, a missing file) keeps taking part in the calls that follow, with arrays that have
 * failed (gnd/dist/array.h). The others learn of it where they wait: gnd_mesh_agree, gather, item, save.
 */
#ifndef GND_DIST_MESH_H
#define GND_DIST_MESH_H

#include <gnd/base.h>
#include <gnd/dist/transport.h>
#include <gnd/shape.h>

GND_BEGIN

/** Ranks in a row or in a grid of rows and columns: opaque. */
typedef struct gnd_mesh gnd_mesh;

/** What a mesh has done on this rank. */
typedef struct gnd_mesh_stats {
    uint64_t calls;      /**< of the transport */
    uint64_t bytes_sent; /**< to other ranks */
    double seconds;      /**< host time spent in the transport: waiting and, on the CPU, moving */
    void *reserved[4];
} gnd_mesh_stats;

/**
 * The mesh of all ranks that the launcher started, from its environment: torchrun (RANK, WORLD_SIZE, LOCAL_RANK,
 * MASTER_ADDR, MASTER_PORT), srun (SLURM_PROCID, ...) or mpirun (OMPI_COMM_WORLD_RANK, ..., PMI_RANK, ...); without
 * any of these, a mesh of one rank. Where the current device is a GPU, the GPU of the local rank's number, modulo the
 * number of GPUs, becomes the current one, and the ranks connect by NCCL. The first rank listens at MASTER_ADDR, port
 * MASTER_PORT + 1 (srun: the first host of the job, a port derived from the job's number), at NCCL_COMM_ID if that is
 * set, or writes its address to the file GND_MESH_FILE, on a disk that all ranks share. Waits for all ranks.
 * GND_ERROR_UNAVAILABLE without NCCL, and for several ranks on the CPU, which need MPI: gnd_mesh_from_mpi() of
 * gnd_dist_mpi.h. GND_ERROR_INVALID if variables contradict each other. GND_ERROR_DEVICE, with where the ranks were to
 * meet, if NCCL says that they cannot, or if one has not come after GND_MESH_TIMEOUT seconds (600).
 */
GND_API gnd_mesh *gnd_mesh_init(void);
/** A mesh over a transport, which it owns from then on: closed with the mesh, or if this fails. Every rank calls it. */
GND_API gnd_mesh *gnd_mesh_new(const gnd_transport *transport);
/** A mesh over an ncclComm_t of the program's own, which must outlive it. The current device is the communicator's. */
GND_API gnd_mesh *gnd_mesh_adopt_nccl(void *communicator);
/** The 128 bytes by which ranks find each other through NCCL: made by one rank, sent to the others by other means. */
GND_API gnd_status gnd_mesh_nccl_id(void *id);
/** A mesh over NCCL of `size` ranks that all have the same id. The current device must be a GPU. Waits for all, with
    the limit and the errors of gnd_mesh_init(). */
GND_API gnd_mesh *gnd_mesh_new_nccl(const void *id, int size, int rank);

/** The same ranks as a grid: GND_SHAPE(rows, columns), whose product is the size, else GND_ERROR_SHAPE; rank r is in
    row r / columns. Does not wait. */
GND_API gnd_mesh *gnd_mesh_grid(gnd_mesh *mesh, gnd_shape grid);
/** The ranks of the same color, in the order of `key`, then of rank, as a new mesh. NULL, which is no error, for a
    negative color. Collective; waits. */
GND_API gnd_mesh *gnd_mesh_split(gnd_mesh *mesh, int color, int key);
/** Gives the mesh back; arrays on it keep it. NULL is ignored. The last one closes the transport: over NCCL that waits
    for the other ranks, as long as a call may. */
GND_API void gnd_mesh_release(gnd_mesh *mesh);

/** The number of ranks; 0 for NULL. */
GND_API int gnd_mesh_size(const gnd_mesh *mesh);
/** The calling rank, from 0; -1 for NULL. */
GND_API int gnd_mesh_rank(const gnd_mesh *mesh);
/** The number of ranks along mesh axis 0 or 1; for a mesh that is no grid, its size and 1. */
GND_API int gnd_mesh_extent(const gnd_mesh *mesh, int axis);
/** The calling rank's coordinate along mesh axis 0 (its row) or 1 (its column). */
GND_API int gnd_mesh_place(const gnd_mesh *mesh, int axis);

/** Waits until all ranks are here, and their queued work is done. */
GND_API gnd_status gnd_mesh_barrier(gnd_mesh *mesh);
/**
 * Waits for all ranks and compares their pending errors. If there are any, that of the lowest such rank becomes the
 * error of all, with "rank 3: " before its sentence. After gnd_error_clear() the mesh can be used again.
 */
GND_API gnd_status gnd_mesh_agree(gnd_mesh *mesh);
/**
 * Sets how many seconds a call may wait for other ranks, on this mesh and on meshes that are made from it later; 0: no
 * limit. The default is GND_MESH_TIMEOUT of the environment, else 600. A call that has waited longer returns
 * GND_ERROR_DEVICE, with its name and the time, and the mesh cannot be used any more: arrays can be read on their
 * ranks, further calls are refused. Over NCCL the communicator is aborted, results that the GPU is waiting for are
 * undefined, and the next call on the mesh returns the error. Making a mesh has the limit of the environment; calls
 * over a transport without `limit` have none. GND_ERROR_VALUE for NaN and negative numbers. Does not wait.
 */
GND_API gnd_status gnd_mesh_set_timeout(gnd_mesh *mesh, double seconds);
/** Fills `out` with what the mesh did on this rank. */
GND_API gnd_status gnd_mesh_stats_of(gnd_mesh *mesh, gnd_mesh_stats *out);
/** The ncclComm_t of a mesh over NCCL, for calls of the program's own on gnd_stream_native(); else NULL. It does not
    block: a call may return ncclInProgress, and is on the stream when ncclCommGetAsyncError() says ncclSuccess. */
GND_API void *gnd_mesh_native(gnd_mesh *mesh);

GND_END

#endif
