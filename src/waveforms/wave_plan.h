/*
 * wave_plan.h: a waveform as the fronts of src/waveforms hand it to a backend: a row of waves.def, where its times come
 * from, and where its results go.
 */
#ifndef GNDI_WAVE_PLAN_H
#define GNDI_WAVE_PLAN_H

#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

enum {
    GNDI_WAVE_NUMBERS = 64,
    GNDI_WAVE_THREADS = 256, /* of a block of a GPU, */
    GNDI_WAVE_ELEMENTS = 4,  /* and the elements of a thread */
};

typedef enum gndi_wave_row {
#define PHASE(name, formula) GNDI_WAVE_##name,
#define VALUE(name, formula) GNDI_WAVE_##name,
#define WAVE(name, formula) GNDI_WAVE_##name,
#include "waveforms/waves.def"
#undef PHASE
#undef VALUE
#undef WAVE
    GNDI_WAVE_ROWS
} gndi_wave_row;

/* All arrays are dense, and float32 or float64 as `dtype` says. */
struct gndi_wave_plan {
    const void *t;      /* n times; NULL: first + step * column */
    const void *w;      /* second operands, n of them; NULL: a[0]. Rows of transforms: a width for each row, double */
    void *out;          /* n results, pairs if `complex` */
    void *sine;         /* of PHASE and WAVE: n numbers with the sine in place of the cosine; NULL: not wanted */
    void *envelope;     /* of WAVE: n envelopes; NULL: not wanted */
    int64_t n, columns; /* elements, and those of a row */
    double first, step;
    double phase; /* turns that are added */
    double limit; /* of the points of a wavelet, in rows of transforms */
    int32_t count;
    uint8_t row, dtype;
    bool pairs; /* out is complex */
    double a[GNDI_WAVE_NUMBERS];
};

#endif
