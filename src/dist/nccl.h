/*
 * nccl.h: NCCL's functions, by prototypes of 2.18 and later; nothing of its header is needed. The library is opened at
 * its first use.
 */
#ifndef GNDI_DIST_NCCL_H
#define GNDI_DIST_NCCL_H

#include <gnd.h>
#include <stddef.h>

enum { NCCL_ID_BYTES = 128, NCCL_UINT8 = 1, NCCL_IN_PROGRESS = 7, NCCL_NO_COLOR = -1 };
enum { NCCL_INT8 = 0, NCCL_INT32 = 2, NCCL_UINT32, NCCL_INT64, NCCL_UINT64, NCCL_FLOAT32 = 7, NCCL_FLOAT64 };
enum { NCCL_SUM, NCCL_PROD, NCCL_MAX, NCCL_MIN };
typedef struct nccl_id {
    char internal[NCCL_ID_BYTES];
} nccl_id;
typedef struct ncclComm *nccl_comm;

/* ncclConfig_t as it was when `blocking` came. Later versions have more members, and take the size and the version to
   tell which of theirs are not there. */
typedef struct nccl_config {
    size_t size;
    unsigned magic, version;
    int blocking, unused;
} nccl_config;

/* In the order of the names in nccl_library.c; from CommSplit on they may be missing. */
typedef struct nccl_table {
    int (*GetVersion)(int *version);
    int (*GetUniqueId)(nccl_id *id);
    int (*CommInitRankConfig)(nccl_comm *comm, int ranks, nccl_id id, int rank, nccl_config *config);
    int (*CommFinalize)(nccl_comm comm);
    int (*CommDestroy)(nccl_comm comm);
    int (*CommAbort)(nccl_comm comm);
    int (*CommCount)(const nccl_comm comm, int *count);
    int (*CommUserRank)(const nccl_comm comm, int *rank);
    int (*CommGetAsyncError)(nccl_comm comm, int *error);
    const char *(*GetErrorString)(int result);
    int (*Send)(const void *buffer, size_t count, int type, int peer, nccl_comm comm, void *stream);
    int (*Recv)(void *buffer, size_t count, int type, int peer, nccl_comm comm, void *stream);
    int (*AllGather)(const void *from, void *to, size_t count, int type, nccl_comm comm, void *stream);
    int (*GroupStart)(void);
    int (*GroupEnd)(void);
    int (*CommSplit)(nccl_comm comm, int color, int key, nccl_comm *out, nccl_config *config);
    const char *(*GetLastError)(nccl_comm comm);
    int (*AllReduce)(const void *from, void *to, size_t count, int type, int op, nccl_comm comm, void *stream);
    int (*MemAlloc)(void **memory, size_t bytes);
    int (*MemFree)(void *memory);
    int (*CommRegister)(const nccl_comm comm, void *memory, size_t bytes, void **handle);
    int (*CommDeregister)(const nccl_comm comm, void *handle);
    void (*OnHost)(void); /* of the tests' NCCL alone, which moves memory of the host */
} nccl_table;

/* NCCL's functions, or why it cannot be used. NULL, and an error, without memory. */
typedef struct gndi_nccl {
    nccl_table call;
    char problem[512]; /* "": it can be used */
} gndi_nccl;
const gndi_nccl *gndi_nccl_library(const char *fn);
/* GND_ERROR_UNAVAILABLE if it cannot be used. */
gnd_status gndi_nccl_need(const char *fn);

/* ---- registered memory (nccl_memory.c) --------------------------------------------------------------------------
   A GPU of the same host writes right into it, where NCCL else moves data through buffers of its own. */

/* One piece of a communicator's list. */
typedef struct gndi_nccl_memory {
    struct gndi_nccl_memory *next;
    void *address, *handle;
} gndi_nccl_memory;

/* NULL if this NCCL has none, or without memory; raises nothing. */
void *gndi_nccl_allocate(gndi_nccl_memory **list, nccl_comm comm, size_t bytes);
/* `comm`: NULL if it was aborted. */
void gndi_nccl_deallocate(gndi_nccl_memory **list, nccl_comm comm, void *address);

#endif
