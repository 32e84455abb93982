/*
 * gnd/array.h: the description of an array: dtype, shape, strides, device and memory.
 *
 * A gnd_array describes elements in a buffer of memory on one device: a dtype, up to 64 dimensions, and for
 * each dimension its size and its stride, the number of bytes from one index to the next. Views (gnd/view.h)
 * are further arrays over the same buffer. Reference counts are thread-safe.
 *
 * The functions here read the description: they never touch the elements and never wait. Given NULL they
 * record an error, unless one is pending, and return 0, GND_DTYPE_NONE, false or NULL.
 */
#ifndef GND_ARRAY_H
#define GND_ARRAY_H

#include <gnd/base.h>
#include <gnd/device.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/** The element type. */
GND_API gnd_dtype gnd_dtype_of(const gnd_array *a);
/** The number of dimensions, 0 to 64. */
GND_API int gnd_ndim(const gnd_array *a);
/** The number of elements: 1 for a 0-d array, 0 if any dimension is empty. */
GND_API int64_t gnd_size(const gnd_array *a);
/** The bytes one element takes. */
GND_API int64_t gnd_itemsize(const gnd_array *a);
/** The bytes all elements take: gnd_size times gnd_itemsize, whatever the strides. */
GND_API int64_t gnd_nbytes(const gnd_array *a);
/** The size along an axis; a negative axis counts from the end. A bad axis is GND_ERROR_AXIS. */
GND_API int64_t gnd_dim(const gnd_array *a, int axis);
/** The stride along an axis in bytes, which may be 0 or negative. Axes as in gnd_dim. */
GND_API int64_t gnd_stride(const gnd_array *a, int axis);
/** All sizes, as gnd_zeros and the like take them. */
GND_API gnd_shape gnd_shape_of(const gnd_array *a);
/** The device that holds the elements; the CPU for NULL. */
GND_API gnd_device gnd_device_of(const gnd_array *a);

/** Whether the elements lie one after the other in C order (the last index the fastest). */
GND_API bool gnd_is_c_contiguous(const gnd_array *a);
/** Whether the elements lie one after the other in Fortran order (the first index the fastest). */
GND_API bool gnd_is_f_contiguous(const gnd_array *a);
/** Whether the array is read-only, as a broadcast view is: one element stands at many indices. */
GND_API bool gnd_is_readonly(const gnd_array *a);
/** Whether the array was made as a view of another one's buffer. */
GND_API bool gnd_is_view(const gnd_array *a);
/** Whether two arrays describe the same buffer: one is a view of the other, or both of a third. */
GND_API bool gnd_shares_buffer(const gnd_array *a, const gnd_array *b);
/** Whether the address ranges of the two arrays' elements meet (numpy.may_share_memory). */
GND_API bool gnd_may_share_memory(const gnd_array *a, const gnd_array *b);

/** Whether the dtype is complex (numpy.iscomplexobj), whatever the elements are. */
GND_API bool gnd_iscomplexobj(const gnd_array *a);
/** Whether the dtype is not complex (numpy.isrealobj). */
GND_API bool gnd_isrealobj(const gnd_array *a);
/**
 * The addresses, on the array's device, of the first byte of any element and of the byte behind the last
 * one (numpy.lib.array_utils.byte_bounds): *high - *low is gnd_nbytes for a contiguous array, and more for
 * one with gaps. Both NULL if the array is empty, and on an error.
 */
GND_API gnd_status gnd_byte_bounds(const gnd_array *a, const void **low, const void **high);

/**
 * The address, on the array's device, of the element at index (0, ..., 0); NULL if the array is
 * empty. Work queued earlier may still be writing there: use it on the same stream or wait first.
 */
GND_API void *gnd_data(const gnd_array *a);

/**
 * The number of live arrays in the process, views included, for leak tests. With GND_LEAKS=1 in the
 * environment, arrays that were never released are listed on stderr at exit, each with the function that made
 * it. Arrays of scopes that are still open are not listed. Streams, events, generators, plans, kernels and
 * everything else with a release function are listed as well.
 */
GND_API int64_t gnd_live_arrays(void);

GND_END

#endif
