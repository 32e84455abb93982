/*
 * cepstrum_plan.h: logarithms of a spectrum's magnitudes, in the spectrum's place.
 */
#ifndef GNDI_CEPSTRUM_PLAN_H
#define GNDI_CEPSTRUM_PLAN_H

#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

/* count complex numbers z become factor * log|z|. */
struct gndi_log_magnitude_plan {
    void *z;
    int64_t count;
    double factor;
    bool wide; /* complex128, else complex64 */
};

#endif
