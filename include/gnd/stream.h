/*
 * gnd/stream.h: queues of work on a device, and points in them that can be waited for and timed.
 *
 * Work is queued on the calling thread's current stream and done in order there; streams run beside
 * each other. No explicit event is needed between streams of gnd: each array's memory remembers
 * which streams wrote and read it, and another stream that uses it waits for them by itself. Events
 * are for timing, for the host, and for work that gnd does not know of.
 *
 * Each device has a default stream, shared by all threads until they choose another. On the CPU
 * work is done when a call returns, and streams and events do nothing but keep their promises.
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
 * Gives a stream back. Its queued work is still done, and arrays that it used stay valid. A thread
 * whose current stream it was goes on with the device's default stream (the calling thread at once;
 * another thread must not use it any more). NULL is ignored; a default stream stays. Does not wait.
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
 * Waits until everything queued on `stream` (the current stream if NULL) is done, and reports what
 * kernels found wrong meanwhile (GND_ERROR_VALUE), and a device that failed (GND_ERROR_DEVICE).
 */
GND_API gnd_status gnd_stream_sync(gnd_stream *stream);

/** Whether everything queued on `stream` (the current stream if NULL) is done. Does not wait. */
GND_API bool gnd_stream_done(gnd_stream *stream);

/** The cudaStream_t behind a stream (the current stream if NULL), for CUDA code of one's own; NULL
 * on the CPU. It stays gnd's: do not destroy it. */
GND_API void *gnd_stream_native(gnd_stream *stream);

/**
 * A new event on the calling thread's current device. With `timing`, gnd_event_elapsed can measure
 * with it. Release it with gnd_event_release.
 */
GND_API gnd_event *gnd_event_new(bool timing);

/** Gives an event back. NULL is ignored. Does not wait. */
GND_API void gnd_event_release(gnd_event *event);

/** Marks the point that `stream` (the current stream if NULL) has reached with what is queued so
 * far. Both must be on the same device. An event can be recorded again. Does not wait. */
GND_API gnd_status gnd_event_record(gnd_event *event, gnd_stream *stream);

/** Makes all later work of `stream` (the current stream if NULL) wait for the event; at once if it
 * was never recorded. The host does not wait. */
GND_API gnd_status gnd_stream_wait_event(gnd_stream *stream, gnd_event *event);

/** Waits (the host) for the event; at once if it was never recorded. */
GND_API gnd_status gnd_event_sync(gnd_event *event);

/** Whether the event has been reached; true if it was never recorded. Does not wait. */
GND_API bool gnd_event_done(gnd_event *event);

/**
 * Milliseconds between two recorded events of one device, both made with timing; waits for both.
 * NAN, and GND_ERROR_INVALID, if one has no timing or was never recorded.
 */
GND_API double gnd_event_elapsed(gnd_event *from, gnd_event *to);

/* What GND_STREAM needs; not for direct use. */
typedef struct gnd_stream_guard {
    gnd_stream *previous;
    int runs;
} gnd_stream_guard;
GND_API gnd_stream_guard gnd_stream_guard_begin_(gnd_stream *stream);
GND_API gnd_stream_guard gnd_device_guard_begin_(gnd_device device);
GND_API void gnd_stream_guard_end_(gnd_stream_guard *guard);

GND_END

#define GND_STREAM_PASTE2_(a, b) a##b
#define GND_STREAM_PASTE_(a, b) GND_STREAM_PASTE2_(a, b)
#define GND_STREAM_AS_(guard, begin)                                                                                   \
    for (gnd_stream_guard guard __attribute__((cleanup(gnd_stream_guard_end_))) = begin; guard.runs; guard.runs = 0)
/**
 * GND_STREAM(s) { ... }: inside the block `s` is the calling thread's current stream, and its
 * device the current device; the one before is current again afterwards, also on return, break or
 * goto. With NULL (a gnd_stream_new that failed) the current stream stays. It is a loop that runs
 * once: break and continue inside it leave the block, not a loop around it.
 */
#define GND_STREAM(stream)                                                                                             \
    GND_STREAM_AS_(GND_STREAM_PASTE_(gnd_stream_guard_, __COUNTER__), gnd_stream_guard_begin_(stream))
/**
 * GND_USE(device) { ... }: gnd_use(device) for the block: new arrays are made there. The stream and device
 * before are current again afterwards, also on return, break or goto. If gnd_use fails, its error is
 * pending and they stay current inside, too.
 */
#define GND_USE(device)                                                                                                \
    GND_STREAM_AS_(GND_STREAM_PASTE_(gnd_stream_guard_, __COUNTER__), gnd_device_guard_begin_(device))

#endif
