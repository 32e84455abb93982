/*
 * convolve.h: convolutions by Fourier transforms, as convolve.c plans and convolve_run.c computes them.
 *
 * The signal is the operand with more elements, the kernel the other. Along an axis the results
 * first .. first + count - 1 of the full convolution are wanted. Either one transform of the whole signal
 * gives them, or the signal is cut into blocks of f elements that overlap by the kernel's length less one,
 * each of which gives `step` results (overlap-save).
 */
#ifndef GNDI_CONVOLVE_H
#define GNDI_CONVOLVE_H

#include "fft/fft.h"

typedef struct gndi_convolve_axis {
    bool transformed;     /* else elements are multiplied, and an axis of one element is broadcast */
    int64_t n, m;         /* of the signal, of the kernel */
    int64_t first, count; /* wanted results */
    int64_t f;            /* elements of a transform */
    int64_t blocks, step; /* blocks, and results of each; the last one's may be fewer */
    int64_t shift;        /* index of the signal's element that begins the first block; negative: a zero */
    int64_t at;           /* index of the first result within a block */
} gndi_convolve_axis;

typedef struct gndi_convolution {
    const char *fn;
    const gnd_array *signal, *kernel;
    gnd_dtype real;  /* float32 or float64 */
    gnd_dtype dtype; /* of the result: the same, or complex */
    gndi_convolve_axis axis[GND_MAX_DIMS];
} gndi_convolution;

/* Computes it (convolve_run.c). */
gnd_array *gndi_convolve_run(const gndi_convolution *c);

/* Computes it of the wanted parts of the operands, if a backend has kernels for it (overlap.c); false if not. */
bool gndi_convolve_tiles(gndi_temporaries *s, const gndi_convolution *c, const gnd_array *signal,
                         const gnd_array *kernel, gnd_array **result);

#endif
