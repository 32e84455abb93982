/*
 * even_steps_params.h: the parameters of the kernels in even_steps_kernels.cu.
 */
#ifndef GNDI_EVEN_STEPS_PARAMS_H
#define GNDI_EVEN_STEPS_PARAMS_H

#include <stdbool.h>
#include <stdint.h>

enum { GNDI_EVEN_STEPS_THREADS = 256 };

typedef struct gndi_even_steps_params {
    const void *steps;
    bool *even;        /* true before */
    int64_t words;     /* real numbers */
    uint64_t infinity; /* the bits of that number */
    int32_t parts;     /* words of an element: 1, or 2 of complex ones */
} gndi_even_steps_params;

#endif
