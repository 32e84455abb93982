/*
 * compression_plan.h: circular convolutions of lines by their spectra, as the front (pulses.c) hands them to a GPU:
 *
 *     out = inverse transform, without a factor, of (transform of x) filter,   of n = 2^bits elements of complex64
 */
#ifndef GNDI_COMPRESSION_PLAN_H
#define GNDI_COMPRESSION_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum {
    GNDI_COMPRESSION_LEAST_BITS = 6,
    GNDI_COMPRESSION_SHORT_BITS = 12, /* of lines that a block has in shared memory */
    GNDI_COMPRESSION_MOST_BITS = 24,
};

/* How a longer line is a matrix of A rows and B columns: A = 2^gndi_compression_outer(bits). */
static inline int gndi_compression_outer(int bits) {
    return bits / 2;
}

/* x has n elements a line; a short line may have fewer, with zeros behind them. The filter of longer lines is a matrix,
   too: element k1 + A k2 of the spectrum is in row k1, column k2. */
struct gndi_compression_plan {
    const char *x;
    int64_t x_line; /* bytes from one line to the next */
    int64_t samples, lines;
    const char *filter;
    char *out; /* dense */
    int bits;
};

/* The same of any n, by tiles: a tile of N elements has N - taps + 1 results. Instead of the filter there is the pulse,
   dense, of as many taps as it has, but at most n. */
struct gndi_compression_tiles_plan {
    const void *x;
    int64_t x_line; /* elements from one line to the next */
    int64_t samples, n, lines, taps;
    const void *pulse;
    void *out;      /* dense */
    bool wide;      /* complex128 */
    bool *declined; /* becomes true if the GPU has no such kernel; nothing has been done then */
};

/* Elements of a tile. */
#define GNDI_COMPRESSION_TILE(wide) ((wide) ? 4096 : 16384)

#endif
