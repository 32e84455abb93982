/*
 * covariance_params.h: the parameter block of the kernels of covariances (covariance_kernels.cu).
 */
#ifndef GNDI_COVARIANCE_PARAMS_H
#define GNDI_COVARIANCE_PARAMS_H

#include "radar/covariance_plan.h"

enum {
    GNDI_COVARIANCE_THREADS = 256,
    GNDI_COVARIANCE_COLUMNS = 8,                         /* of the matrix, that a thread has */
    GNDI_COVARIANCE_WAYS = 16,                           /* threads that share the sums of a number over the blocks */
    GNDI_COVARIANCE_CHUNK = 56,                          /* samples of all sensors in shared memory */
    GNDI_COVARIANCE_PITCH = GNDI_COVARIANCE_SENSORS + 8, /* neighbouring groups use different banks */
    GNDI_COVARIANCE_SHARED = 2 * GNDI_COVARIANCE_CHUNK * GNDI_COVARIANCE_PITCH * 8, /* bytes */
    /* complex numbers that a block leaves: the sums of products, and of samples */
    GNDI_COVARIANCE_SUMS = GNDI_COVARIANCE_SENSORS * (GNDI_COVARIANCE_SENSORS + 1),
};

typedef struct gndi_covariance_params {
    struct gndi_covariance_plan plan;
    char *sums; /* of the blocks */
    int blocks;
} gndi_covariance_params;

#endif
