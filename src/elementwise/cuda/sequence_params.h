/*
 * sequence_params.h: the parameter block of the kernels that write arithmetic sequences.
 */
#ifndef GNDI_SEQUENCE_PARAMS_H
#define GNDI_SEQUENCE_PARAMS_H

#include <gnd/dtype.h>

typedef struct gndi_sequence_params {
    void *out;
    uint64_t n;
    uint64_t first, step;    /* integer dtypes: modulo 2^64 */
    double re, im, dre, dim; /* the others */
    uint64_t last[2];        /* the last element, in the output's dtype */
    bool last_given;
} gndi_sequence_params;

#endif
