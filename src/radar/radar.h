/*
 * radar.h: what the files of this folder share.
 *
 *     pulses.c       pulse compression and pulse-Doppler matrices
 *     ambiguity.c    ambiguity functions and their cuts
 *     beamformer.c   weights of beamformers
 *     detection.c    thresholds of a constant false alarm rate
 *     demodulate.c   frequency demodulation
 */
#ifndef GNDI_RADAR_H
#define GNDI_RADAR_H

#include "resample/fourier.h"
#include "runtime/runtime.h"

/* x of a dtype: itself or a copy. NULL stays NULL. */
static inline const gnd_array *gndi_radar_as(gndi_temporaries *s, const gnd_array *x, gnd_dtype dtype) {
    if (!x || s->failed || (gnd_dtype)x->dtype == dtype) return x;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, dtype, 'K'));
}

/* How many lines of n elements are worked on at once, so that they stay in the cache from step to step. */
static inline int64_t gndi_radar_slice(const gnd_array *x, int64_t n) {
    enum { GPU = 1 << 21, CPU = 1 << 16 };
    const int64_t elements = x->buffer->device->backend->synchronous ? CPU : GPU;
    return gndi_max(1, elements / gndi_max(1, n));
}

#endif
