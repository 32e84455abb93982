/*
 * bench.h: a row of the benchmark: a workload by its name, with what prepares it and the one call
 * that is timed.
 */
#ifndef GNDB_BENCH_H
#define GNDB_BENCH_H

#include "operands.h"

#define BENCH_N INT64_C(100000000)
#define BENCH_SIDE INT64_C(10000) /* a matrix of N elements */

/* The operands of a row: those that it states, and what `prepare` makes; everything is released after the row. */
typedef struct operands {
    gnd_array *x, *y, *z, *out;
    int64_t n[4]; /* sizes */
    double p[8];  /* parameters of the call */
    gnd_stream *streams[2];
    void *stream; /* of a signal, and what releases it */
    void (*end)(void *stream);
    void *host; /* page-locked or malloc'ed memory of `host_bytes` */
    size_t host_bytes;
    bool pinned;
} operands;

/*
 * The operands of a row are stated once, for gnd and its peers (peers/peers_rows.py), as a text of arrays, sizes and
 * parameters:
 *
 *     "float32[1e8] int64[1e7]<1000 1e6 =0.5"
 *
 * Arrays become x, y, z, out in order, a dtype and a shape each:
 *     float32[64,1e6]    uniform in [0, 1); complex: no imaginary parts; bool: true where that is above 0.5
 *     complex64[1e6]~    uniform in [-0.5, 0.5), as are imaginary parts
 *     int64[1e7]<1000    whole numbers from 0 to 999
 *     bool[1e6]<0.4      true with that probability
 *     float32[10]=0      all the same
 *     float64[1e7]0:10   evenly spaced from 0 to 10, 1-d, both included
 * Sizes become n[0], n[1], ... They may be 1e8 or 2^24, and bench_size() is applied to all, but for those of a shape
 * that follow a "=": complex64[=129,10]. Parameters follow a "=", too, and become p[0], p[1], ... as they are.
 * Every row is listed with its operands by `bench --list`.
 */
typedef struct bench_row {
    const char *name;
    void (*prepare)(operands *o); /* makes what the work needs of the operands that are stated; NULL: they are it */
    void (*run)(operands *o);     /* one call of the workload, its result released */
    double bytes;                 /* the fewest bytes it must move; 0: no floor */
    const char *operands;
} bench_row;

/* The tables, in rows/; each ends with a NULL name. */
extern const bench_row bench_rows_elementwise[], bench_rows_reduce[], bench_rows_scan[], bench_rows_index[],
    bench_rows_sort[], bench_rows_products[], bench_rows_linalg[], bench_rows_fft[], bench_rows_random[],
    bench_rows_fuse[], bench_rows_filter[], bench_rows_stream[], bench_rows_convolve[], bench_rows_signal[],
    bench_rows_radar[], bench_rows_anchor[], bench_rows_pictures[], bench_rows_samples[], bench_rows_graph[];

/* For `prepare`: an operand becomes another array, made of it mostly. */
static inline void bench_replace(gnd_array **replaced, gnd_array *made) {
    gnd_release(*replaced);
    *replaced = made;
}

/* Uniform numbers in [0, 1), the same on every run. */
gnd_array *bench_random(gnd_shape shape, gnd_dtype dtype);

/* Defines the function of a workload that is one call, with the operands in `o`. */
#define BENCH_RUN(name, expression)                                                                                    \
    static void name(operands *o) {                                                                                    \
        (void)o;                                                                                                       \
        gnd_release(expression);                                                                                       \
    }

#endif
