/*
 * chunk_params.h: the parameter block of the kernels that join a chunk to what is kept (chunk_kernels.cu).
 */
#ifndef GNDI_CHUNK_PARAMS_H
#define GNDI_CHUNK_PARAMS_H

#include "resample/chunk_plan.h"

enum { GNDI_CHUNK_THREADS = 256, GNDI_CHUNK_ITEMS = 4 /* of a thread */ };

typedef struct gndi_chunk_params {
    struct gndi_chunk_plan plan;
    int64_t parts; /* blocks of a line */
    int shifts;    /* something of what is kept stays */
} gndi_chunk_params;

#endif
