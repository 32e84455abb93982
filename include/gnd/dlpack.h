/*
 * gnd/dlpack.h: zero-copy exchange of arrays with other libraries (NumPy, PyTorch, CuPy, JAX) through DLPack
 * (https://dmlc.github.io/dlpack).
 *
 * A DLPack tensor is a C struct that describes elements in memory and has a deleter. This header only
 * declares its name: include <dlpack/dlpack.h> before or after it to use the members.
 *
 * Streams. On a GPU the *consumer* tells the producer which stream it will use, and the producer makes that
 * stream wait for its queued work. The number is the one that the Python array API passes to
 * __dlpack__(stream=...):
 *
 *     GND_DLPACK_NONE        Python's None: the only one for the CPU; on a GPU the same as 1
 *     -1                     the producer is to do nothing; the consumer takes care itself
 *     1, 2                   CUDA's legacy default stream, and the calling thread's default stream
 *     greater ones           a cudaStream_t
 *     0                      not allowed, since it could mean any of three
 *
 * Nothing orders the other direction. After the consumer has written, or before gnd writes what the consumer
 * still reads, exchange the array again or wait for the device.
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
 * negative ones too), read-only if the array is. The receiver calls its deleter once, on any thread; until
 * then the memory stays valid, even if all gnd arrays over it are released. Pending elements (of GND_FUSE)
 * are computed. `stream` is the consumer's, see above.
 *
 * On a GPU the deleter ensures that gnd does not reuse the memory while the consumer's work is running: for
 * stream 1 by stream order, else by waiting for the device.
 *
 * NULL, and GND_ERROR_INVALID, for a stream that is none of the above.
 */
GND_API struct DLManagedTensorVersioned *gnd_to_dlpack(const gnd_array *a, int64_t stream);

/**
 * The same as a tensor of DLPack before 1.0, for older consumers. That version has no read-only flag, so a
 * read-only array (gnd_is_readonly) is GND_ERROR_INVALID.
 */
GND_API struct DLManagedTensor *gnd_to_dlpack_unversioned(const gnd_array *a, int64_t stream);

/**
 * An array over the memory of a DLPack tensor, without a copy, on the tensor's device: CUDA (also managed
 * memory) or the CPU (also page-locked memory of CUDA). The tensor's deleter is called once the last array
 * over it is released; on a GPU that waits for the work queued on the memory. The array is read-only if the
 * tensor says so, or where a stride of 0 makes one element stand at many indices.
 *
 * On a GPU, give gnd_dlpack_stream() to the producer, so that it orders its work before that stream, and call
 * this function with the same stream current.
 *
 * If it fails the tensor stays the caller's and its deleter is not called: GND_ERROR_INVALID for a version
 * other than 1, missing or misaligned memory or impossible sizes, GND_ERROR_DTYPE for dtypes that gnd does
 * not have (several lanes, 4 or 8 bits of a float), GND_ERROR_SHAPE for more than 64 dimensions,
 * GND_ERROR_DEVICE for other devices, and for memory that is not where it claims to be.
 */
GND_API gnd_array *gnd_from_dlpack(struct DLManagedTensorVersioned *tensor);
/** The same of a tensor of DLPack before 1.0. */
GND_API gnd_array *gnd_from_dlpack_unversioned(struct DLManagedTensor *tensor);

/**
 * The stream to give to a producer on `device`: the one that the calling thread's work goes to,
 * GND_DLPACK_NONE for the CPU, a cudaStream_t as a number for a GPU. Opens the device.
 */
GND_API int64_t gnd_dlpack_stream(gnd_device device);

/** Where an array is, in DLPack's numbers, as __dlpack_device__() returns them: (1, 0) for the CPU, (2,
 * index) for a GPU. */
GND_API gnd_status gnd_dlpack_device(const gnd_array *a, int32_t *type, int32_t *index);

GND_END

#endif
