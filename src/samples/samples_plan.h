/*
 * samples_plan.h: the unpacking and packing of samples, as the fronts of src/samples hand them to a backend.
 */
#ifndef GNDI_SAMPLES_PLAN_H
#define GNDI_SAMPLES_PLAN_H

#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

/* How a number is stored. */
typedef enum gndi_sample_kind {
    GNDI_SAMPLE_I8,
    GNDI_SAMPLE_U8,
    GNDI_SAMPLE_I12, /* two in three bytes */
    GNDI_SAMPLE_I16,
    GNDI_SAMPLE_U16,
    GNDI_SAMPLE_I32,
    GNDI_SAMPLE_U32,
    GNDI_SAMPLE_F32,
    GNDI_SAMPLE_F64,
} gndi_sample_kind;

/* numbers[i] = what `bytes` store as number i, times `scale`; or the other way, if it packs. Of I12 `count` is even. */
struct gndi_samples_plan {
    void *bytes;
    void *numbers; /* float32 or float64 */
    int64_t count;
    double scale;
    uint8_t kind;
    bool swapped; /* stored in the other byte order; of I12: in the order _be */
    bool flipped; /* unsigned integers, less half their range: their highest bit is the other way round */
    bool wide;    /* numbers are float64 */
    bool packs;
};

#endif
