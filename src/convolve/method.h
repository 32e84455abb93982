/*
 * method.h: what gnd_choose_conv_method goes by: for each kind of device a table of the taps at which a direct
 * convolution takes as long as one by Fourier transforms, measured by bench/conv_method.c, which writes method_cpu.h
 * and method_gpu.h.
 */
#ifndef GNDI_METHOD_H
#define GNDI_METHOD_H

enum {
    GNDI_METHOD_FIRST = 6, /* the logarithm to base 2 of the elements of the smallest result */
    GNDI_METHOD_STEP = 2,  /* from one column to the next */
    GNDI_METHOD_SIZES = 10,
};

typedef struct gndi_method_table {
    /* By dtype (float32, float64, complex64, complex128), axes (one; more), elements of the full convolution. */
    float taps[4][2][GNDI_METHOD_SIZES];
} gndi_method_table;

#include "convolve/method_cpu.h"
#include "convolve/method_gpu.h"

#endif
