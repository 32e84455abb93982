/*
 * gnd/stream.h: streams (queues of work on a device) and events (points in them to wait for and to time).
 *
 * Work is queued on the calling thread's current stream and executes there in order; different streams run
 * concurrently. Streams of gnd need no explicit events between them: each array's memory records which
 * streams wrote and read it, and another stream that uses it waits for them automatically. Events are for
 * timing, for the host, and for work outside gnd.
 *
 * Each device has a default stream, shared by all threads until they choose another. On the CPU work is done
 * when a call returns; streams and events work there too, trivially.
 */
#ifndef GND_STREAM_H
#define GND_STREAM_H

#include <gnd/base.h>
#include <gnd/device.h>

GND_BEGIN

/**
 * A new stream on the calling thread's current device. Up to 62 can be alive on a device at a time
 * (GND_ERROR_UNAVAILABLE beyond). Release it with gnd_stream_release. Does not wait.
 */
GND_API gnd_stream *gnd_stream_new(void);

/**
 * The same with the highest priority that the GPU has: where kernels of several streams wait for room, those of this
 * one start first; none that runs is interrupted. For short work beside long work, such as transfers beside the product
 * of large matrices. On the CPU it is as gnd_stream_new. Does not wait.
 */
GND_API gnd_stream *gnd_stream_new_high_priority(void);

/**
 * Releases a stream. Its queued work still executes, and arrays that it used stay valid. If it is the calling
 * thread's current stream, the device's default stream becomes current; other threads must not use it any
 * more. NULL is ignored, and so are default streams. Does not wait.
 */
GND_API void gnd_stream_release(gnd_stream *stream);

/** Makes `stream` the calling thread's current stream, and its device the current device; NULL
 * means the current device's default stream. */
GND_API gnd_status gnd_use_stream(gnd_stream *stream);

/** The calling thread's current stream (borrowed); opens the default device at first use. */
GND_API gnd_stream *gnd_current_stream(void);

/** The device a stream is on; the current stream's if NULL. */
GND_API gnd_device gnd_stream_device(const gnd_stream *stream);

/**
 * Waits until everything queued on `stream` (the current stream if NULL) is done. Reports what kernels found
 * wrong meanwhile (GND_ERROR_INDEX, GND_ERROR_VALUE), and a device that failed (GND_ERROR_DEVICE).
 */
GND_API gnd_status gnd_stream_sync(gnd_stream *stream);

/** Whether everything queued on `stream` (the current stream if NULL) is done. Does not wait. */
GND_API bool gnd_stream_done(gnd_stream *stream);

/** The cudaStream_t behind a stream (the current stream if NULL), for CUDA code of one's own; NULL
 * on the CPU. It stays gnd's: do not destroy it. */
GND_API void *gnd_stream_native(gnd_stream *stream);

/**
 * A stream of gnd's over a cudaStream_t of somebody else's (an MPI code's, cuDNN's, NPP's), on the calling thread's
 * current device: gnd's work in it and other work in it execute in the order in which they were queued. `native` may
 * be NULL, CUDA's default stream. It counts as one of the device's streams. Until gnd_stream_release, which leaves it
 * to its owner and makes what gnd still has to do come after it, it must not be destroyed, nor captured by others
 * while gnd uses it. On the CPU, which has no such streams, `native` must be NULL, and the result is as from
 * gnd_stream_new. GND_ERROR_INVALID for what is no stream of this device. Does not wait.
 */
GND_API gnd_stream *gnd_stream_wrap(void *native);

/**
 * Makes all later work of `stream` (the current stream if NULL) wait for what is queued on `native`, a cudaStream_t,
 * now; NULL is CUDA's default stream, and the only one on the CPU, where there is nothing to wait for. The host does
 * not wait.
 */
GND_API gnd_status gnd_stream_wait_native(gnd_stream *stream, void *native);

/** The reverse: later work on `native` waits for what is queued on `stream` now. The host does not wait. */
GND_API gnd_status gnd_native_wait_stream(void *native, gnd_stream *stream);

/**
 * Before foreign work on an array: later work on `native` (as above) waits until the array is computed, and if it
 * `writes` also until nothing of gnd's reads it any more, on whichever stream that is. The host does not wait.
 * GND_ERROR_INVALID if it writes and the array is a read-only view.
 */
GND_API gnd_status gnd_native_begin(void *native, const gnd_array *a, bool writes);

/**
 * After foreign work was queued on `native` that reads or, if it `writes`, writes an array: work of gnd's that comes
 * later waits for it, on whichever stream it is, and the array's memory is not used again before. The host does not
 * wait. GND_ERROR_INVALID as above.
 */
GND_API gnd_status gnd_native_end(void *native, const gnd_array *a, bool writes);

/**
 * A new event on the calling thread's current device. With `timing`, gnd_event_elapsed can measure
 * with it. Release it with gnd_event_release.
 */
GND_API gnd_event *gnd_event_new(bool timing);

/** Releases an event. NULL is ignored. Does not wait. */
GND_API void gnd_event_release(gnd_event *event);

/**
 * Records the event after all work queued so far on `stream` (the current stream if NULL). Both must be on
 * the same device. An event can be recorded again. Does not wait.
 */
GND_API gnd_status gnd_event_record(gnd_event *event, gnd_stream *stream);

/**
 * Makes all later work of `stream` (the current stream if NULL) wait for the event. Does nothing if it was
 * never recorded. The host does not wait.
 */
GND_API gnd_status gnd_stream_wait_event(gnd_stream *stream, gnd_event *event);

/** Makes the host wait for the event. Returns immediately if it was never recorded. */
GND_API gnd_status gnd_event_sync(gnd_event *event);

/** Whether the event has been reached; true if it was never recorded. Does not wait. */
GND_API bool gnd_event_done(gnd_event *event);

/**
 * Milliseconds between two recorded events of one device, both made with timing; waits for both.
 * NAN, and GND_ERROR_INVALID, if one has no timing or was never recorded.
 */
GND_API double gnd_event_elapsed(gnd_event *from, gnd_event *to);

/**
 * For work of other libraries on the memory of arrays: `stream` (the current stream if NULL) waits for whatever else
 * uses the arrays that the work reads and writes. Then queue the work on gnd_stream_native(stream), with the addresses
 * of gnd_data(), and call gnd_foreign_end() on the same thread, also if queueing failed. Other streams that use the
 * arrays later wait for it. GND_ERROR_DEVICE if an array is on another device than the stream, GND_ERROR_INVALID if
 * one that is written is read-only. Does not wait.
 */
GND_API gnd_status gnd_foreign_begin(gnd_stream *stream, int reads, gnd_array_list read, int writes,
                                     gnd_array *const *written);
/** After the work of another library has been queued: see gnd_foreign_begin(). */
GND_API gnd_status gnd_foreign_end(gnd_stream *stream);

/* What GND_STREAM needs; not for direct use. */
typedef struct gnd_stream_guard {
    gnd_stream *previous;
    int runs;
} gnd_stream_guard;
GND_API gnd_stream_guard gnd_stream_guard_begin_(gnd_stream *stream);
GND_API gnd_stream_guard gnd_device_guard_begin_(gnd_device device);
GND_API void gnd_stream_guard_end_(gnd_stream_guard *guard);

GND_END

#define gnd_foreign_begin(...) GND_WITH_LIST_(gnd_foreign_begin)(__VA_ARGS__)

#define GND_STREAM_PASTE2_(a, b) a##b
#define GND_STREAM_PASTE_(a, b) GND_STREAM_PASTE2_(a, b)
#define GND_STREAM_AS_(guard, begin)                                                                                   \
    for (gnd_stream_guard guard __attribute__((cleanup(gnd_stream_guard_end_))) = begin; guard.runs; guard.runs = 0)
/**
 * GND_STREAM(s) { ... }: inside the block `s` is the calling thread's current stream, and its device the
 * current device. The previous stream is restored afterwards, also on return, break or goto. With NULL (a
 * gnd_stream_new that failed) the current stream stays. It is a loop that runs once: break and continue
 * inside it leave the block, not a loop around it.
 */
#define GND_STREAM(stream)                                                                                             \
    GND_STREAM_AS_(GND_STREAM_PASTE_(gnd_stream_guard_, __COUNTER__), gnd_stream_guard_begin_(stream))
/**
 * GND_USE(device) { ... }: gnd_use(device) for the block: new arrays are made there. The previous stream and
 * device are restored afterwards, also on return, break or goto. If gnd_use fails, its error is pending and
 * they stay current inside the block.
 */
#define GND_USE(device)                                                                                                \
    GND_STREAM_AS_(GND_STREAM_PASTE_(gnd_stream_guard_, __COUNTER__), gnd_device_guard_begin_(device))

#endif
