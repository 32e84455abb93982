/*
 * gnd/error.h: errors.
 *
 * A function that fails returns NULL (or a gnd_status) and records an error for the calling thread. The first
 * error stays until it is cleared. A NULL argument gives a NULL result and keeps the error that explains it,
 * so a chain of calls is checked once, at its end. Each thread has its own error. The library never aborts,
 * and exits only in gnd_check().
 *
 * Work on a GPU is only queued when a call returns. What goes wrong while it runs is recorded by the next
 * call that waits (gnd_sync, gnd_to_host, ...), or by the call itself if GND_SYNC=1 is set in the
 * environment. The error names the function that queued the work, and the sentence ends with the one that
 * waited: "gnd_take: index 9 is out of bounds for axis 0 of size 4 (found when gnd_to_host waited)". The
 * function that waited fails with that error's status.
 *
 * An error names the public function that the program called, even if that function calls others.
 */
#ifndef GND_ERROR_H
#define GND_ERROR_H

#include <gnd/base.h>

GND_BEGIN

/** One error. */
typedef struct gnd_error_record {
    gnd_status code;
    char function[64];  /**< the function that failed: "gnd_add" */
    char message[1024]; /**< "gnd_add: shapes (3,) and (4,) do not broadcast together" */
    void *reserved[4];
} gnd_error_record;

/**
 * The calling thread's pending error, or NULL if there is none. The record is valid until this
 * thread clears it or ends. Does not wait for the device.
 */
GND_API const gnd_error_record *gnd_error(void);
/**
 * Copies the pending error to `*out` (which may be NULL) and clears it. False, with `*out` left alone, if
 * there is none. For programs that pass errors between threads.
 */
GND_API bool gnd_error_take(gnd_error_record *out);
/** Clears the pending error, if there is one. */
GND_API void gnd_error_clear(void);

/**
 * Called with each error as it is recorded, on the failing thread, inside the failing call. Errors that only
 * follow from a pending one are not recorded. The handler may read, take or clear the error. It must not
 * unwind through the library (no longjmp, no C++ exception).
 */
typedef void (*gnd_error_handler)(const gnd_error_record *error, void *context);
/** Sets the handler of the whole process; NULL (the default) for none. */
GND_API void gnd_on_error(gnd_error_handler handler, void *context);

/** If an error is pending, prints it with this file and line to stderr and exits with status 1. */
#define gnd_check() gnd_check_at(__FILE__, __LINE__)
/** What gnd_check() calls, for bindings and wrappers that have a better source location to report. */
GND_API void gnd_check_at(const char *file, int line);

/**
 * For libraries on top of gnd: records an error in the name of `function` ("gnd_dist_sum") with a text
 * ("shapes (3,) and (4,) do not fit"), unless one is pending. Returns `code`.
 */
GND_API gnd_status gnd_raise(gnd_status code, const char *function, const char *text);
/**
 * For libraries on top of gnd: from now on the calls of this thread are parts of `function`, which errors and leaks
 * then name. Returns what was set before, to be set again at the function's end; NULL: calls are the program's own.
 * The text must live as long as arrays made meanwhile: a literal.
 */
GND_API const char *gnd_part_of(const char *function);

/** A status in words: "shape error", "out of memory"; "ok" for GND_OK. Lives for ever. */
GND_API const char *gnd_status_name(gnd_status status);

GND_END

#endif
