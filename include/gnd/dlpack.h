/*
 * gnd/dlpack.h: arrays handed to and taken from other libraries (NumPy, PyTorch, CuPy, JAX) without a
 * copy, by DLPack (https://dmlc.github.io/dlpack).
 *
 * A DLPack tensor is a C struct that says where elements are and how to give them back. It is known
 * here by its name alone: include <dlpack/dlpack.h> before or after this header, or pass pointers on.
 *
 * Streams. On a GPU a *consumer* tells the producer on which stream it will use the elements, and the
 * producer makes that stream wait for what it has queued. The number is what the Python array API
 * passes to __dlpack__(stream=...):
 *
 *     GND_DLPACK_NONE        Python's None: the only one for the CPU; on a GPU the same as 1
 *     -1                     the producer is to do nothing; the consumer takes care itself
 *     1, 2                   CUDA's legacy default stream, and the calling thread's default stream
 *     greater ones           a cudaStream_t
 *     0                      not allowed, since it could mean any of three
 *
 * Nothing waits the other way: when the consumer has written, or gnd is to write what the consumer
 * reads, hand the array over again, or wait for the device.
 */
#ifndef GND_DLPACK_H
#define GND_DLPACK_H

#include <gnd/base.h>
#include <gnd/device.h>

/** No stream is passed: Python's None. */
#define GND_DLPACK_NONE (-2)

struct DLManagedTensor;
struct DLManagedTensorVersioned;

GND_BEGIN

/**
 * The array as a DLPack tensor of version 1.0: the same memory, strides as they are (in elements, 0 and
 * negative ones too), read-only if the array is. Whoever gets it calls its deleter once, on any thread;
 * until then the memory stays, even if all arrays of gnd over it are released. Pending elements (of
 * GND_FUSE) are computed. `stream` is the consumer's, see above.
 *
 * On a GPU the deleter takes care that gnd does not use the memory for something else while work of the
 * consumer is under way: after stream 1 in the order of streams, else by waiting for the device.
 *
 * NULL, and GND_ERROR_INVALID, for a stream that is none of the above.
 */
GND_API struct DLManagedTensorVersioned *gnd_to_dlpack(const gnd_array *a, int64_t stream);

/**
 * The same as a tensor of DLPack before 1.0, for consumers that know no other. It cannot say that an array
 * is read-only: one that is (gnd_is_readonly) is refused, GND_ERROR_INVALID.
 */
GND_API struct DLManagedTensor *gnd_to_dlpack_unversioned(const gnd_array *a, int64_t stream);

/**
 * An array over the memory of a DLPack tensor, without a copy, on the tensor's device: CUDA (also
 * managed memory) or the CPU (also page-locked memory of CUDA). The tensor's deleter is called once the
 * last array over it is released; on a GPU that waits for the work queued on the memory. The array is
 * read-only if the tensor says so, or where a stride of 0 makes one element stand at many indices.
 *
 * On a GPU the producer must have been given gnd_dlpack_stream(), and queues on that stream what the
 * elements wait for; call this with the same stream current.
 *
 * If it fails the tensor stays the caller's and its deleter is not called: GND_ERROR_INVALID for a
 * version other than 1, missing or misaligned memory or sizes that there cannot be, GND_ERROR_DTYPE for
 * dtypes that gnd does not have (several lanes, 4 or 8 bits of a float), GND_ERROR_SHAPE for more than
 * 64 dimensions, GND_ERROR_DEVICE for other devices, and for memory that is not where it claims to be.
 */
GND_API gnd_array *gnd_from_dlpack(struct DLManagedTensorVersioned *tensor);
/** The same of a tensor of DLPack before 1.0. */
GND_API gnd_array *gnd_from_dlpack_unversioned(struct DLManagedTensor *tensor);

/**
 * The stream that a producer on `device` is to be given, the one that work of the calling thread goes to:
 * GND_DLPACK_NONE for the CPU, a cudaStream_t as a number for a GPU. Opens the device.
 */
GND_API int64_t gnd_dlpack_stream(gnd_device device);

/** Where an array is, in DLPack's numbers, as __dlpack_device__() returns them: (1, 0) for the CPU, (2,
 * index) for a GPU. */
GND_API gnd_status gnd_dlpack_device(const gnd_array *a, int32_t *type, int32_t *index);

GND_END

#endif
