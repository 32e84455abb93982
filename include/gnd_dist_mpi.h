/*
 * gnd_dist_mpi.h: meshes over MPI. Compile with mpicc; libgnd_dist itself does not use MPI, so any MPI works.
 *
 *     MPI_Init(&argc, &argv);
 *     gnd_mesh *mesh = gnd_mesh_from_mpi(MPI_COMM_WORLD);
 *     ...
 *     gnd_mesh_release(mesh);
 *     MPI_Finalize();
 *
 * One thread of a process calls MPI: MPI_Init is enough. An error inside MPI ends the job, as MPI's own handler does.
 * After a call that has waited too long (gnd_mesh_set_timeout) other ranks may never reach MPI_Finalize either: print
 * the error, save what you need, and call MPI_Abort.
 */
#ifndef GND_DIST_MPI_H
#define GND_DIST_MPI_H

#include <gnd_dist.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

GND_BEGIN

/* ---- the transport ------------------------------------------------------------------------------------------- */

/* The context. Long messages are cut, so that lengths fit an int and a rank without memory can drop what it gets. */
enum { GND_MPI_PIECE_ = 64 << 20 };
typedef struct gnd_mpi_ {
    MPI_Comm comm;
    char *scratch;   /* what a failed rank sends from, and receives into */
    char *gathered;  /* of host_gather, own part first: stays, if others come too late */
    size_t room;     /* of that */
    double limit;    /* seconds to wait for others; <= 0: any time */
    bool left_alone; /* it was passed: others may still write */
} gnd_mpi_;

static inline gnd_status gnd_mpi_failed_(const gnd_mpi_ *c, const char *text) {
    gnd_raise(GND_ERROR_DEVICE, "gnd_mesh", text);
    MPI_Abort(c->comm, 1);
    return GND_ERROR_DEVICE;
}

static inline size_t gnd_mpi_pieces_(int count, const gnd_part *part) {
    size_t pieces = 0;
    for (int i = 0; i < count; i++) pieces += (part[i].bytes + GND_MPI_PIECE_ - 1) / GND_MPI_PIECE_;
    return pieces;
}

static inline int gnd_mpi_length_(const gnd_part *part, size_t at) {
    const size_t left = part->bytes - at, most = GND_MPI_PIECE_;
    return (int)(left < most ? left : most);
}

/* Waits for requests, of which the first `receives` are receives, as long as the limit allows. Those that are not done
   then are given up, if they may be. */
static inline gnd_status gnd_mpi_wait_(gnd_mpi_ *c, int count, MPI_Request *requests, int receives, bool given_up) {
    const double since = MPI_Wtime();
    int done = 0;
    while (!done) {
        if (MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
            return gnd_mpi_failed_(c, "MPI failed in an exchange");
        if (!done && c->limit > 0 && MPI_Wtime() - since > c->limit) break;
    }
    for (int i = 0; !done && given_up && i < count; i++) {
        if (requests[i] == MPI_REQUEST_NULL) continue;
        if (i < receives) MPI_Cancel(&requests[i]);
        MPI_Request_free(&requests[i]);
    }
    c->left_alone = c->left_alone || !done;
    return done ? GND_OK : GND_ERROR_DEVICE;
}

/* Receives all parts, in order: into requests, or one after the other where something is to be dropped. */
static inline gnd_status gnd_mpi_receive_(gnd_mpi_ *c, int receives, const gnd_part *receive, bool drops,
                                          MPI_Request *requests, int *n) {
    gnd_status status = GND_OK;
    for (int i = 0; i < receives; i++)
        for (size_t at = 0; at < receive[i].bytes && !status; at += GND_MPI_PIECE_) {
            const int length = gnd_mpi_length_(&receive[i], at), rank = receive[i].rank;
            char *to = receive[i].address ? (char *)receive[i].address + at : c->scratch;
            MPI_Request one, *request = drops ? &one : &requests[(*n)++];
            if (MPI_Irecv(to, length, MPI_BYTE, rank, 0, c->comm, request) != MPI_SUCCESS)
                return gnd_mpi_failed_(c, "MPI_Irecv failed");
            if (drops) status = gnd_mpi_wait_(c, 1, &one, 1, true);
        }
    return status;
}

static inline gnd_status gnd_mpi_exchange_(void *context, int sends, const gnd_part *send, int receives,
                                           const gnd_part *receive, void *stream) {
    gnd_mpi_ *c = (gnd_mpi_ *)context;
    const size_t most = gnd_mpi_pieces_(sends, send) + gnd_mpi_pieces_(receives, receive);
    MPI_Request few[64], *requests = most <= 64 ? few : (MPI_Request *)malloc(most * sizeof *requests);
    int n = 0, first = 0;
    gnd_status status = GND_OK;
    bool drops = false;
    (void)stream;
    if (!requests || most > INT32_MAX) return gnd_mpi_failed_(c, "no memory for the requests of an exchange");
    for (int i = 0; i < receives; i++) drops = drops || !receive[i].address;
    if (!drops) status = gnd_mpi_receive_(c, receives, receive, false, requests, &n);
    first = n;
    for (int i = 0; i < sends && !status; i++)
        for (size_t at = 0; at < send[i].bytes && !status; at += GND_MPI_PIECE_)
            if (MPI_Isend(send[i].address ? (char *)send[i].address + at : c->scratch, gnd_mpi_length_(&send[i], at),
                          MPI_BYTE, send[i].rank, 0, c->comm, &requests[n++]) != MPI_SUCCESS)
                status = gnd_mpi_failed_(c, "MPI_Isend failed");
    if (drops && !status) status = gnd_mpi_receive_(c, receives, receive, true, requests, &n);
    if (!status) status = gnd_mpi_wait_(c, n, requests, first, true);
    if (requests != few) free(requests);
    return status;
}

/* By memory of its own, where there is enough: if others come too late, they write there. */
static inline gnd_status gnd_mpi_host_gather_(void *context, const void *from, void *to, size_t bytes) {
    gnd_mpi_ *c = (gnd_mpi_ *)context;
    MPI_Request request;
    gnd_status status;
    int size;
    if (bytes > INT32_MAX) return gnd_mpi_failed_(c, "a gather of more than 2 GiB a rank");
    MPI_Comm_size(c->comm, &size);
    const size_t all = bytes * (size_t)size;
    char *larger = c->room < bytes + all ? (char *)realloc(c->gathered, bytes + all) : NULL;
    if (larger) c->gathered = larger, c->room = bytes + all;
    const bool own = c->room >= bytes + all;
    if (own) memcpy(c->gathered, from, bytes);
    if (MPI_Iallgather(own ? c->gathered : from, (int)bytes, MPI_BYTE, own ? c->gathered + bytes : to, (int)bytes,
                       MPI_BYTE, c->comm, &request) != MPI_SUCCESS)
        return gnd_mpi_failed_(c, "MPI_Iallgather failed");
    status = gnd_mpi_wait_(c, 1, &request, 0, false);
    if (own && !status) memcpy(to, c->gathered + bytes, all);
    return status;
}

static inline gnd_status gnd_mpi_all_gather_(void *context, const void *from, void *to, size_t bytes, void *stream) {
    (void)stream;
    return gnd_mpi_host_gather_(context, from, to, bytes);
}

static inline void gnd_mpi_abort_(void *context) {
    gnd_mpi_failed_((gnd_mpi_ *)context, "a rank gave up");
}

static inline void gnd_mpi_close_(void *context) {
    gnd_mpi_ *c = (gnd_mpi_ *)context;
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (c->left_alone) return; /* the communicator and the memory are still in use */
    if (!finalized) MPI_Comm_free(&c->comm);
    free(c->scratch), free(c->gathered);
    free(c);
}

static inline void gnd_mpi_limit_(void *context, double seconds) {
    ((gnd_mpi_ *)context)->limit = seconds;
}

static inline gnd_status gnd_mpi_split_(void *context, int color, int key, gnd_transport *out);

/* Takes `comm` over. */
static inline gnd_status gnd_mpi_transport_(MPI_Comm comm, gnd_transport *out) {
    gnd_mpi_ *c = (gnd_mpi_ *)calloc(1, sizeof *c);
    char *scratch = (char *)calloc(1, GND_MPI_PIECE_); /* memory that is not touched costs none */
    gnd_transport t;
    if (!c || !scratch) {
        gnd_mpi_ given_up;
        memset(&given_up, 0, sizeof given_up);
        given_up.comm = comm;
        free(c), free(scratch);
        return gnd_mpi_failed_(&given_up, "no memory for a mesh");
    }
    c->comm = comm, c->scratch = scratch;
    memset(&t, 0, sizeof t);
    MPI_Comm_size(comm, &t.size);
    MPI_Comm_rank(comm, &t.rank);
    t.memory = GND_CPU, t.synchronous = true, t.context = c;
    t.native = (void *)(intptr_t)comm; /* a pointer, or of some MPIs an int */
    t.exchange = gnd_mpi_exchange_, t.all_gather = gnd_mpi_all_gather_, t.split = gnd_mpi_split_;
    t.abort = gnd_mpi_abort_, t.close = gnd_mpi_close_, t.host_gather = gnd_mpi_host_gather_;
    t.limit = gnd_mpi_limit_;
    *out = t;
    return GND_OK;
}

static inline gnd_status gnd_mpi_split_(void *context, int color, int key, gnd_transport *out) {
    gnd_mpi_ *c = (gnd_mpi_ *)context;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Request here; /* MPI_Comm_split itself has no limit */
    if (MPI_Ibarrier(c->comm, &here) != MPI_SUCCESS) return gnd_mpi_failed_(c, "MPI_Ibarrier failed");
    const gnd_status waited = gnd_mpi_wait_(c, 1, &here, 0, false);
    if (waited) return waited;
    if (MPI_Comm_split(c->comm, color < 0 ? MPI_UNDEFINED : color, key, &part) != MPI_SUCCESS)
        return gnd_mpi_failed_(c, "MPI_Comm_split failed");
    return part == MPI_COMM_NULL ? GND_OK : gnd_mpi_transport_(part, out);
}

/* ---- meshes ---------------------------------------------------------------------------------------------------- */

/**
 * A mesh over a duplicate of `comm`, which moves host memory; arrays on GPUs are staged through it, so several ranks
 * may share a GPU. Waits for all ranks. Release the mesh, and all arrays on it, before MPI_Finalize. NULL after an
 * error.
 */
static inline gnd_mesh *gnd_mesh_from_mpi_staged(MPI_Comm comm) {
    gnd_transport t;
    MPI_Comm copy;
    if (MPI_Comm_dup(comm, &copy) != MPI_SUCCESS || gnd_mpi_transport_(copy, &t) != GND_OK) {
        gnd_raise(GND_ERROR_DEVICE, "gnd_mesh_from_mpi_staged", "MPI_Comm_dup failed");
        return NULL;
    }
    return gnd_mesh_new(&t);
}

/**
 * A mesh of the ranks of `comm`. Where the current device is a GPU: over NCCL, whose address MPI sends to all ranks;
 * the GPU of the rank's number on its node, modulo the number of GPUs there, becomes the current device. Else over MPI,
 * as gnd_mesh_from_mpi_staged(). The current device must be of the same kind on all ranks. Waits for all ranks.
 * GND_ERROR_UNAVAILABLE if a rank cannot use its GPU, or there is no NCCL.
 */
static inline gnd_mesh *gnd_mesh_from_mpi(MPI_Comm comm) {
    MPI_Comm node;
    char id[128] = {0};
    int rank = 0, size = 1, local = 0, good = 1;
    if (gnd_current_device().kind == GND_CPU) return gnd_mesh_from_mpi_staged(comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &local);
    MPI_Comm_free(&node);
    good = gnd_use(gnd_gpu(local % gnd_device_count(GND_GPU))) == GND_OK;
    if (rank == 0 && good) good = gnd_mesh_nccl_id(id) == GND_OK;
    MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, comm);
    if (!good) {
        gnd_raise(GND_ERROR_UNAVAILABLE, "gnd_mesh_from_mpi", "another rank has no GPU, or the first one no NCCL");
        return NULL;
    }
    MPI_Bcast(id, (int)sizeof id, MPI_BYTE, 0, comm);
    return gnd_mesh_new_nccl(id, size, rank);
}

GND_END

#endif
