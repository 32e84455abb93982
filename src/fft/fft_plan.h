/*
 * fft_plan.h: Fourier, cosine and sine transforms of many lines or blocks, as the front (src/fft) passes them to a
 * backend:
 *
 *     out[k] = scale * sum over j of in[j] * exp(-+ 2 pi i j k / n)    along each transformed axis
 *
 * Nothing is empty, and arrays do not overlap, unless `in` and `out` are one and all strides agree.
 */
#ifndef GNDI_FFT_PLAN_H
#define GNDI_FFT_PLAN_H

#include "core/core.h"

typedef enum gndi_fft_type {
    GNDI_FFT_C2C, /* complex to complex */
    GNDI_FFT_R2C, /* real to the first n / 2 + 1 elements of a hermitian result; never inverse */
    GNDI_FFT_C2R, /* back, of one axis; always inverse. Imaginary parts that a hermitian input would not
                     have are ignored */
    GNDI_FFT_R2R, /* cosines and sines, real to real */
} gndi_fft_type;

/* Cosine and sine transforms by SciPy's numbers, without factors. */
typedef enum gndi_fft_dct {
    GNDI_DCT1,
    GNDI_DCT2,
    GNDI_DCT3,
    GNDI_DCT4,
    GNDI_DST1,
    GNDI_DST2,
    GNDI_DST3,
    GNDI_DST4,
} gndi_fft_dct;

/* n: how many elements are transformed, real ones for R2C and C2R. Strides are in bytes, multiples of the
   element's size, of either sign; those of the input may be 0. */
typedef struct gndi_fft_axis {
    int64_t n, in, out;
} gndi_fft_axis;

/* One axis more than arrays have: complex numbers are pairs to a transform of real ones. */
enum { GNDI_FFT_AXES = GND_MAX_DIMS + 1 };

struct gndi_fft_plan {
    uint8_t type; /* gndi_fft_type */
    uint8_t dct;  /* gndi_fft_dct, of R2R */
    bool wide;    /* float64 and complex128, not float32 and complex64 */
    bool inverse; /* exp(+ ...) */
    bool spare;   /* the input may be overwritten */
    /* R2R whose matrix is orthogonal but for a factor: the elements at the ends of the input, then of the
       result, are multiplied by the square root of 2 or its inverse. */
    bool orthogonal;
    int axes, batches;
    gndi_fft_axis axis[GND_MAX_DIMS]; /* of R2C and C2R the last one is halved */
    gndi_fft_axis batch[GNDI_FFT_AXES];
    double scale;
    char *in, *out;
    /* Not NULL: the library plans that this one needs are made and pinned, and nothing is run. */
    struct gndi_fft_pins *pins;
};

/* Pinned library plans (fft_cache.h). */
typedef struct gndi_fft_pins {
    int count;
    struct gndi_fft_entry **entry;
    bool thorough; /* they may take long to make if that makes them faster */
} gndi_fft_pins;

/* A copy without the unused axes, which are most of a plan: copying them would cost more than a small transform's other
   work on the host. */
static inline void gndi_fft_copy_plan(struct gndi_fft_plan *to, const struct gndi_fft_plan *from) {
    memcpy(to, from, offsetof(struct gndi_fft_plan, axis));
    memcpy(to->axis, from->axis, (size_t)from->axes * sizeof *to->axis);
    memcpy(to->batch, from->batch, (size_t)from->batches * sizeof *to->batch);
    to->scale = from->scale, to->in = from->in, to->out = from->out, to->pins = from->pins;
}

/* The size of an element on either side. */
static inline int64_t gndi_fft_in_size(const struct gndi_fft_plan *p) {
    const bool real = p->type == GNDI_FFT_R2C || p->type == GNDI_FFT_R2R;
    return (p->wide ? 8 : 4) * (real ? 1 : 2);
}
static inline int64_t gndi_fft_out_size(const struct gndi_fft_plan *p) {
    const bool real = p->type == GNDI_FFT_C2R || p->type == GNDI_FFT_R2R;
    return (p->wide ? 8 : 4) * (real ? 1 : 2);
}
/* How many elements an axis has on either side: of the last one, half and one. */
static inline int64_t gndi_fft_in_count(const struct gndi_fft_plan *p, int axis) {
    const int64_t n = p->axis[axis].n;
    return p->type == GNDI_FFT_C2R && axis == p->axes - 1 ? n / 2 + 1 : n;
}
static inline int64_t gndi_fft_out_count(const struct gndi_fft_plan *p, int axis) {
    const int64_t n = p->axis[axis].n;
    return p->type == GNDI_FFT_R2C && axis == p->axes - 1 ? n / 2 + 1 : n;
}

#endif
