/*
 * gnd/ipc.h: arrays in memory that several processes share, such as the ranks of an MPI program on one machine:
 * CUDA IPC on a GPU, files in /dev/shm on the CPU.
 *
 *     gnd_memory_kind before = gnd_memory_use(GND_MEMORY_SHARED);
 *     gnd_array *halo = gnd_zeros(GND_SHAPE(4096), GND_FLOAT64);
 *     gnd_memory_use(before);
 *     gnd_ipc_handle handle;
 *     gnd_ipc_export(halo, &handle);          // then sent to the other process, by MPI or a pipe
 *
 *     gnd_array *theirs = gnd_ipc_open(&handle);   // there: the same memory
 *
 * Streams of two processes have no order: after writing, wait (gnd_sync) before the other process is told, by a message
 * or a barrier, that it may read.
 */
#ifndef GND_IPC_H
#define GND_IPC_H

#include <gnd/device.h>

GND_BEGIN

/** Bytes that describe an array to other processes of this machine; they may be copied and sent. */
typedef struct gnd_ipc_handle {
    uint64_t words[160];
} gnd_ipc_handle;

/**
 * Fills `out` with a handle of an array, which may be a view. Its memory must be of kind GND_MEMORY_SHARED
 * (GND_ERROR_INVALID) and stay as long as others use it. Waits for the work that is queued on the array.
 */
GND_API gnd_status gnd_ipc_export(const gnd_array *a, gnd_ipc_handle *out);

/**
 * An array over the memory of another process's array, without a copy: its device, shape, strides and dtype. Read-only
 * if the other array is. The last release gives the memory up here. CUDA lets a process open handles of other
 * processes only; on the CPU the exporting process may open its own. GND_ERROR_INVALID for bytes that are no
 * handle; GND_ERROR_DEVICE if the memory or its device is not there.
 */
GND_API gnd_array *gnd_ipc_open(const gnd_ipc_handle *handle);

/**
 * The same as an array of `device`, which may be another GPU of the machine than the memory's: its kernels and copies
 * then work there over the link between both, and nothing is made on the memory's own GPU. Copies between the memory of
 * two GPUs, of the same dtype and in rows of 1 KiB or more, go by the copy engines, beside kernels, but for those in a
 * GND_FUSE block. GND_ERROR_INVALID for bytes that are no handle; GND_ERROR_DEVICE if the device does not reach the
 * memory, or is of another kind.
 */
GND_API gnd_array *gnd_ipc_open_on(const gnd_ipc_handle *handle, gnd_device device);

GND_END

#endif
