/*
 * bench.h: a row of the benchmark: a workload by its name, with what prepares it and the one call
 * that is timed.
 */
#ifndef GNDB_BENCH_H
#define GNDB_BENCH_H

#include <gnd.h>

#define BENCH_N INT64_C(100000000)
#define BENCH_SIDE INT64_C(10000) /* a matrix of N elements */

/* The operands of a row. `prepare` fills what it needs; everything is released after the row. */
typedef struct operands {
    gnd_array *x, *y, *z, *out;
    gnd_stream *streams[2];
    void *stream; /* of a signal, and what releases it */
    void (*end)(void *stream);
    void *host; /* page-locked or malloc'ed memory of `host_bytes` */
    size_t host_bytes;
    bool pinned;
} operands;

typedef struct bench_row {
    const char *name;
    void (*prepare)(operands *o);
    void (*run)(operands *o); /* one call of the workload, its result released */
    double bytes;             /* the fewest bytes it must move; 0: no floor */
} bench_row;

/* The tables, in rows*.c; each ends with a NULL name. */
extern const bench_row bench_rows_elementwise[], bench_rows_reduce[], bench_rows_scan[], bench_rows_index[],
    bench_rows_sort[], bench_rows_products[], bench_rows_linalg[], bench_rows_fft[], bench_rows_random[],
    bench_rows_fuse[], bench_rows_filter[], bench_rows_stream[], bench_rows_convolve[], bench_rows_signal[],
    bench_rows_pictures[], bench_rows_samples[];

/* Uniform numbers in [0, 1), the same on every run. */
gnd_array *bench_random(gnd_shape shape, gnd_dtype dtype);

/* A size of a row of linear algebra, transforms, random numbers or fusion: n, or with GND_BENCH_SMALL=1 in the
   environment (a test that the rows run at all) a 32nd of it, at least 16. */
int64_t bench_size(int64_t n);

/* Defines the function of a workload that is one call, with the operands in `o`. */
#define BENCH_RUN(name, expression)                                                                                    \
    static void name(operands *o) {                                                                                    \
        (void)o;                                                                                                       \
        gnd_release(expression);                                                                                       \
    }

#endif
