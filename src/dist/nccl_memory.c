/*
 * nccl_memory.c: memory that is registered with a communicator of NCCL. What is sent from it to another GPU of the
 * host, and received into it there, is written where it belongs at once. On two H200s 57 MiB each way then take 0.19 ms
 * instead of 0.23, and 171 MiB beside Fourier transforms slow these down by 0.09 ms instead of 0.23.
 */
#include "dist/mesh.h"
#include "dist/nccl.h"
#include <stdlib.h>

#define nccl (*gndi_nccl_library("gnd_mesh"))

void *gndi_nccl_allocate(gndi_nccl_memory **list, nccl_comm comm, size_t bytes) {
    if (!nccl.call.MemAlloc || !nccl.call.MemFree || !nccl.call.CommRegister || !nccl.call.CommDeregister) return NULL;
    gndi_nccl_memory *one = gndi_dist_try_calloc(sizeof *one);
    if (one && nccl.call.MemAlloc(&one->address, bytes) == 0) {
        if (nccl.call.CommRegister(comm, one->address, bytes, &one->handle) == 0) {
            one->next = *list;
            *list = one;
            return one->address;
        }
        nccl.call.MemFree(one->address);
    }
    free(one);
    return NULL;
}

void gndi_nccl_deallocate(gndi_nccl_memory **list, nccl_comm comm, void *address) {
    while (*list && (*list)->address != address) list = &(*list)->next;
    gndi_nccl_memory *one = *list;
    if (!one) return;
    *list = one->next;
    if (comm) nccl.call.CommDeregister(comm, one->handle);
    nccl.call.MemFree(one->address);
    free(one);
}
