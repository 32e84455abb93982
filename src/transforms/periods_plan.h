/*
 * periods_plan.h: what the hooks `lomb_scargle` and `vector_strength` carry out: sums of sines and cosines over samples,
 * for each of some frequencies or periods.
 */
#ifndef GNDI_PERIODS_PLAN_H
#define GNDI_PERIODS_PLAN_H

#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

/* All arrays are dense and of `dtype`, float32 or float64; amplitudes are pairs. A negative weight, or weights that add
   up to zero, are GNDI_FAULT_WEIGHTS. */
struct gndi_lomb_scargle_plan {
    const void *x, *y, *weights; /* weights NULL: ones */
    const void *freqs;           /* radians */
    void *out;
    int64_t samples, count;
    uint8_t dtype, normalize; /* gnd_lombscargle_normalize */
    bool floating_mean;
};

/* A period that is not above 0 is GNDI_FAULT_PERIOD, but NaN. */
struct gndi_vector_strength_plan {
    const void *events, *periods; /* periods NULL: the one in `period` */
    void *strength, *phase;       /* like periods */
    double period;
    int64_t events_count, count;
    uint8_t dtype, events_dtype; /* float32, float64; of events not the wider one */
};

#endif
