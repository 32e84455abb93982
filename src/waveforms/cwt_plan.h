/*
 * cwt_plan.h: a signal convolved with each row of a matrix of wavelets, as the front (wavelets.c) hands it to a GPU:
 *
 *     out[r][i] = sum over j < columns of rows[r][j] x[i + (columns - 1) / 2 - j],   samples outside are 0
 */
#ifndef GNDI_CWT_PLAN_H
#define GNDI_CWT_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* The longest rows: half a transform that a block does in shared memory, of float32 and of float64. */
#define GNDI_CWT_COLUMNS(wide) ((wide) ? 1024 : 2048)

/* Everything is dense. The results are complex if the samples or the wavelets are. */
struct gndi_cwt_plan {
    const void *x, *rows;
    void *out;
    int64_t size, count, columns; /* samples, rows and their elements; each at least 1 */
    bool wide;                    /* float64 */
    bool complex_x, complex_rows;
};

#endif
