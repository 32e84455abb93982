/*
 * gnd/benchmark.h: times a function on the host, which issues work, and on the device, which executes it.
 *
 *     static void work(void *context) {
 *         gnd_array **a = context;
 *         gnd_add(a[0], a[1]);
 *     }
 *     ...
 *     gnd_benchmark_options options = {.n_repeat = 100, .max_duration = 1.0};
 *     gnd_benchmark_result r = gnd_benchmark(work, a, &options);
 *     gnd_benchmark_print(stdout, "add", &r);
 *
 * The meaning is that of cupyx.profiler.benchmark: `host` is its cpu_times, `device` its gpu_times. gnd adds
 * `total`, the time until the host knows that everything is done. A repetition may consist of several calls,
 * since one small call is too short for any clock.
 */
#ifndef GND_BENCHMARK_H
#define GND_BENCHMARK_H

#include <gnd/base.h>
#include <gnd/device.h>
#include <stdio.h>

GND_BEGIN

/**
 * The function to time; `context` is passed through. Arrays that it makes are released after each call, as at
 * the end of a GND_SCOPE, except those given to gnd_keep. To report a failure, it leaves an error pending
 * (gnd/error.h).
 */
typedef void gnd_benchmark_function(void *context);

/** How a function is timed. Each comment gives the meaning of 0; NULL options are all 0. */
typedef struct gnd_benchmark_options {
    int64_t n_repeat;       /**< repetitions, at most; 0: 10000 */
    int64_t n_warmup;       /**< repetitions before those, untimed, at most; 0: 10; negative: none */
    double max_duration;    /**< seconds after which no further repetition starts; the warm-up has
                                 the same limit of its own; 0: no limit */
    int64_t n_calls;        /**< calls of the function in one repetition; 0: 1 */
    double *host_samples;   /**< arrays of n_repeat numbers, or NULL: the repetitions' times, */
    double *device_samples; /**< in the order in which they ran, seconds a call */
    double *total_samples;
    void *reserved[4];
} gnd_benchmark_options;

/** Times of repetitions, in seconds a call; NAN where something failed. */
typedef struct gnd_benchmark_times {
    double mean;
    double deviation; /**< the standard deviation, as numpy.std has it */
    double min;
    double max;
    double median;
} gnd_benchmark_times;

/** What gnd_benchmark measured. */
typedef struct gnd_benchmark_result {
    gnd_status status;          /**< GND_OK; else gnd_error() has the sentence */
    gnd_device where;           /**< the current stream's device */
    int64_t n_repeat;           /**< repetitions that were timed; 0 where something failed */
    int64_t n_calls;            /**< calls in each */
    gnd_benchmark_times host;   /**< until the calls had returned: what issuing costs */
    gnd_benchmark_times device; /**< between an event before and one behind the calls */
    gnd_benchmark_times total;  /**< until the device was known to be idle */
    void *reserved[4];
} gnd_benchmark_result;

/**
 * Times `function(context)` on the calling thread's current stream.
 *
 * Each repetition records an event, calls the function n_calls times, records another event, and waits for
 * the device. It starts when the device is idle, so that on a GPU `device` includes the wait for the first
 * call to be issued, and for the next ones where issuing is slower than the work; with one call a repetition
 * that is several microseconds. Work that the function gives to other streams is in `total`, and in `device`
 * as far as the current stream waits for it. On the CPU work is done when a call returns: `device` is the
 * time until then, that is `host`. Fused operations that are still pending at the end of a call are submitted
 * then. `function` must leave the current stream as it found it.
 *
 * An error in the function or in its work ends the measurement: `status` has it, it stays pending, and times
 * are NAN. If an error is already pending, the function is not called at all. GND_ERROR_INVALID for a
 * function that is NULL, a negative number of repetitions or calls, a duration that is negative or NAN.
 */
GND_API gnd_benchmark_result gnd_benchmark(gnd_benchmark_function *function, void *context,
                                           const gnd_benchmark_options *options);

/**
 * Prints a line with mean, deviation, min and max of host and device, in microseconds:
 *
 *     add: host 2.63 us +/- 0.11 (min 2.51, max 4.02), gpu:0 4.12 us +/- 0.20 (min 3.98, max 7.31), 100 x 1
 *
 * The last two numbers are the repetitions and the calls in each. `name` may be NULL. For a failed
 * measurement the status is printed. GND_ERROR_IO if writing fails; GND_ERROR_INVALID for a stream or a
 * result that is NULL.
 */
GND_API gnd_status gnd_benchmark_print(FILE *stream, const char *name, const gnd_benchmark_result *result);

GND_END

#endif
