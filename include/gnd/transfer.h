/*
 * gnd/transfer.h: copies between host memory, arrays and devices.
 *
 * Only the functions here and in gnd/io.h access host memory. Host data are dense and in C order unless a
 * function takes strides. Arrays may have any layout: they are packed on their own device first, and only
 * their own elements are moved. Ordinary (pageable) memory goes to and from a GPU through pinned buffers,
 * with several threads; memory of gnd_pinned_alloc goes directly.
 */
#ifndef GND_TRANSFER_H
#define GND_TRANSFER_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/device.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * A new array on the current device with a copy of `data`, which holds the elements of an array of this shape
 * and dtype, dense and in C order. `data` may be used again when the call returns; the copy to the device
 * itself may still be queued.
 */
GND_API gnd_array *gnd_from_host(const void *data, gnd_shape shape, gnd_dtype dtype);

/**
 * The same for host data in any layout: `strides` has for each axis the bytes from one element to
 * the next, negative and zero ones too, and `data` points at element (0, ..., 0).
 */
GND_API gnd_array *gnd_from_host_strided(const void *data, gnd_shape shape, const int64_t *strides, gnd_dtype dtype);

/**
 * The same from pinned memory (gnd_pinned_alloc), without waiting: `data` must not change until the current
 * stream has reached the copy (gnd_stream_sync, or an event). GND_ERROR_INVALID if the device is a GPU and
 * `data` is not pinned.
 */
GND_API gnd_array *gnd_from_host_async(const void *data, gnd_shape shape, gnd_dtype dtype);

/**
 * Copies an array's elements to `destination`, dense and in C order. `bytes` must be exactly the array's
 * number of elements times their size. Waits for the array's value, and reports what kernels found wrong
 * meanwhile. For host memory with strides, gnd_wrap it on the CPU and use gnd_transfer.
 */
GND_API gnd_status gnd_to_host(const gnd_array *a, void *destination, size_t bytes);

/**
 * The same into pinned memory (gnd_pinned_alloc), without waiting: `destination` holds the elements once the
 * current stream has reached the copy (gnd_stream_sync, or an event). GND_ERROR_INVALID if the array is on a
 * GPU and `destination` is not pinned.
 */
GND_API gnd_status gnd_to_host_async(const gnd_array *a, void *destination, size_t bytes);

/**
 * Copies `bytes` of host data, dense and in C order, into an existing array or view of any layout. `bytes`
 * must be exactly its size. `source` may be used again when the call returns. A read-only view (a broadcast)
 * is refused.
 */
GND_API gnd_status gnd_copy_from_host(gnd_array *a, const void *source, size_t bytes);

/** The same from pinned memory, without waiting; see gnd_from_host_async. */
GND_API gnd_status gnd_copy_from_host_async(gnd_array *a, const void *source, size_t bytes);

/**
 * The array on another device: a view if it is already there, else a copy with the same shape, dtype and
 * values, in C order. A copy to the CPU waits for the array's value; a copy to a GPU does not wait.
 */
GND_API gnd_array *gnd_to_device(const gnd_array *a, gnd_device device);

/**
 * Copies `source` into `destination`, elementwise, between any two devices and layouts. Shapes and
 * dtypes must be the same. Waits only if one of them is on the CPU and the other is not.
 */
GND_API gnd_status gnd_transfer(gnd_array *destination, const gnd_array *source);

/**
 * Called with the pointer and context of gnd_wrap when the last array over the memory is released.
 * On a GPU that release first waits for the work queued on the memory.
 */
typedef void gnd_deleter(void *data, void *context);

/**
 * An array over memory that gnd does not own, without a copy. `data` points at element (0, ..., 0)
 * and is memory of `device` (host memory for the CPU); `strides` are in bytes, or NULL for dense in
 * C order. It must stay valid until `deleter` is called (NULL: until the array and its views are
 * released and their work is done). For a GPU, work already queued on the memory outside gnd must
 * be ordered by the caller. If the call fails the deleter is not called.
 */
GND_API gnd_array *gnd_wrap(void *data, gnd_shape shape, const int64_t *strides, gnd_dtype dtype, gnd_device device,
                            gnd_deleter *deleter, void *context);

/**
 * Copies the one element of an array of size 1 to `value`: gnd_dtype_size(dtype) bytes. Waits.
 * GND_ERROR_SHAPE if the array has not exactly one element.
 */
GND_API gnd_status gnd_item(const gnd_array *a, void *value);

/** The one element as a double. Waits. 0 and an error if the array has not exactly one element
    (GND_ERROR_SHAPE) or is complex (GND_ERROR_DTYPE). */
GND_API double gnd_item_double(const gnd_array *a);

/** The one element as an integer, a fraction cut off toward zero, as Python's int(). Waits. 0 and
    an error as above, or if it is not finite or does not fit (GND_ERROR_VALUE). */
GND_API int64_t gnd_item_int(const gnd_array *a);

/** The same for unsigned values up to 2^64 - 1. */
GND_API uint64_t gnd_item_uint(const gnd_array *a);

/** Whether the one element differs from zero (NaN does). Waits. False and an error if the array has
    not exactly one element. */
GND_API bool gnd_item_bool(const gnd_array *a);

/** The real and imaginary part of the one element, of any dtype. Waits. */
GND_API gnd_status gnd_item_parts(const gnd_array *a, double *real, double *imaginary);

/**
 * One element by its indices, as a double: gnd_at_double(a, i, j), as a[i, j] in NumPy. There is one
 * index for each axis; a negative one counts from the end. Waits. 0 and an error if there are more or
 * fewer indices than axes, or one is out of bounds (GND_ERROR_INDEX), or if `a` is complex
 * (GND_ERROR_DTYPE).
 *
 * Each call waits and copies one element: to read many of them, copy the array with gnd_to_host().
 * The element of a 0-d array is gnd_item_double()'s. The function that the macro calls takes the
 * indices as a list: (gnd_at_double)(a, 2, (int64_t[]){i, j}).
 */
GND_API double gnd_at_double(const gnd_array *a, int count, const int64_t *indices);

/** One element as gnd_item_int() gives it: gnd_at_int(a, i, j). Errors as there, and gnd_at_double's. */
GND_API int64_t gnd_at_int(const gnd_array *a, int count, const int64_t *indices);

/** One element as gnd_item_uint() gives it: gnd_at_uint(a, i, j). */
GND_API uint64_t gnd_at_uint(const gnd_array *a, int count, const int64_t *indices);

/** Whether one element differs from zero (NaN does): gnd_at_bool(a, i, j). False if an index is wrong. */
GND_API bool gnd_at_bool(const gnd_array *a, int count, const int64_t *indices);

/** The parts of one element of any dtype: gnd_at_parts(a, &real, &imaginary, i, j). */
GND_API gnd_status gnd_at_parts(const gnd_array *a, double *real, double *imaginary, int count, const int64_t *indices);

/** Copies one element: gnd_at_item(a, value, i, j) writes gnd_dtype_size(dtype) bytes to `value`. */
GND_API gnd_status gnd_at_item(const gnd_array *a, void *value, int count, const int64_t *indices);

GND_END

#ifndef __cplusplus
/** The one element as a complex number, of any dtype. Waits. 0 and an error as gnd_item_double. */
static inline double _Complex gnd_item_complex(const gnd_array *a) {
    union {
        double part[2];
        double _Complex value;
    } item = {{0, 0}};
    gnd_item_parts(a, &item.part[0], &item.part[1]);
    return item.value;
}
/** One element as a complex number: gnd_at_complex(a, i, j). Errors as gnd_at_double; any dtype. */
static inline double _Complex gnd_at_complex(const gnd_array *a, int count, const int64_t *indices) {
    union {
        double part[2];
        double _Complex value;
    } item = {{0, 0}};
    (gnd_at_parts)(a, &item.part[0], &item.part[1], count, indices);
    return item.value;
}
#    define GND_AT_(...)                                                                                               \
        GND_COUNT_ONCE_(__VA_ARGS__), (const int64_t[GND_COUNT_ONCE_(__VA_ARGS__)]) {                                  \
            __VA_ARGS__                                                                                                \
        }
#else
/** The one element as a complex number, of any dtype. Waits. 0 and an error as gnd_item_double. */
inline std::complex<double> gnd_item_complex(const gnd_array *a) {
    double real = 0, imaginary = 0;
    gnd_item_parts(a, &real, &imaginary);
    return std::complex<double>(real, imaginary);
}
/** One element as a complex number: gnd_at_complex(a, i, j). Errors as gnd_at_double; any dtype. */
inline std::complex<double> gnd_at_complex(const gnd_array *a, int count, const int64_t *indices) {
    double real = 0, imaginary = 0;
    gnd_at_parts(a, &real, &imaginary, count, indices);
    return std::complex<double>(real, imaginary);
}
#    define GND_AT_(...) GND_COUNT_ONCE_(__VA_ARGS__), gnd_make_integers_(__VA_ARGS__).begin()
#endif

#define gnd_at_double(a, ...) (gnd_at_double)(a, GND_AT_(__VA_ARGS__))
#define gnd_at_int(a, ...) (gnd_at_int)(a, GND_AT_(__VA_ARGS__))
#define gnd_at_uint(a, ...) (gnd_at_uint)(a, GND_AT_(__VA_ARGS__))
#define gnd_at_bool(a, ...) (gnd_at_bool)(a, GND_AT_(__VA_ARGS__))
#define gnd_at_complex(a, ...) (gnd_at_complex)(a, GND_AT_(__VA_ARGS__))
#define gnd_at_item(a, value, ...) (gnd_at_item)(a, value, GND_AT_(__VA_ARGS__))
#define gnd_at_parts(a, real, imaginary, ...) (gnd_at_parts)(a, real, imaginary, GND_AT_(__VA_ARGS__))

#endif
