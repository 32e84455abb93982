/*
 * overlap_params.h: the parameter blocks of the kernels that convolve tiles by Fourier transforms (overlap_kernels.cu).
 */
#ifndef GNDI_OVERLAP_PARAMS_H
#define GNDI_OVERLAP_PARAMS_H

#include <stdint.h>

enum {
    GNDI_OVERLAP_EACH = 16,         /* elements of a thread */
    GNDI_OVERLAP_LINE_BLOCKS = 3,   /* of a processor */
    GNDI_OVERLAP_ROWS = 8,          /* rows of a block, a warp each */
    GNDI_OVERLAP_COLUMNS = 8,       /* columns of a block: 64 bytes of a row */
    GNDI_OVERLAP_COLUMN_BLOCKS = 4, /* of a processor */
};
enum { GNDI_OVERLAP_LINES, GNDI_OVERLAP_ROWS_FORWARD, GNDI_OVERLAP_DOWN, GNDI_OVERLAP_ROWS_BACK };

/* Elements of a tile in shared memory with their gaps, and the roots of unity behind them. */
#define GNDI_OVERLAP_FRAME(n) ((n) + (n) / GNDI_OVERLAP_EACH)
#define GNDI_OVERLAP_ROOTS(n)                                                                                          \
    ((GNDI_OVERLAP_EACH - 1) * ((n) / GNDI_OVERLAP_EACH + (n) / (GNDI_OVERLAP_EACH * GNDI_OVERLAP_EACH)))

/* Lines: a block transforms one complex tile, or two real ones of a line as one. Strides are in elements. */
typedef struct gndi_overlap_lines_params {
    const void *x;
    void *out;                     /* NULL: the spectra are written, not used */
    void *spectra;                 /* of the kernels, in the order in which threads have the elements */
    int64_t n, count, step, shift; /* elements, results, results of a tile, and where tile 0 begins */
    int64_t x_line, out_line, spectra_line;
    uint32_t each, units; /* units of work of a line, and of all */
    int32_t at;           /* index in a tile of its first result */
    uint8_t is_complex;
    double scale; /* of spectra that are written */
} gndi_overlap_lines_params;

/* Matrices: rows are transformed, then columns, both ways, and rows back. The lower part of a real matrix is the
   imaginary part of what is transformed. A strip is a tile's columns of one matrix, with all of its rows. */
typedef struct gndi_overlap_matrix_params {
    const void *x;
    void *out;
    void *before, *behind; /* strips of rows, transformed; and of rows of results, before they are transformed back */
    void *spectrum;        /* of the kernel */
    int64_t n[2], count[2], step[2], shift[2];
    int64_t x_row, x_matrix, out_row, out_matrix; /* strides in elements */
    int64_t apart;                                /* real: rows from the real part to the imaginary one */
    uint32_t rows, results;                       /* of a strip, `before` and `behind` */
    uint32_t first, strips;                       /* number of the first strip in memory; and how many */
    uint32_t across, down;                        /* tiles of a matrix */
    int32_t at[2];
    uint8_t is_complex;
    uint8_t makes_spectrum; /* columns: the spectrum is written, not used */
    double scale;           /* of a spectrum that is written */
} gndi_overlap_matrix_params;

#endif
