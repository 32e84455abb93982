/*
 * filtfilt.h: a filter that runs forward and backward at once, as a sum over its pairs of poles, and how a GPU cuts
 * a signal for that. C and CUDA.
 */
#ifndef GNDI_FILTFILT_H
#define GNDI_FILTFILT_H

#include <stdint.h>

enum {
    GNDI_FILTER_PAIRS = 4,       /* at most */
    GNDI_FILTFILT_THREADS = 384, /* of a block, at most */
    GNDI_FILTFILT_LEAST = 128,   /* at least */
    GNDI_FILTFILT_RESULTS = 8,   /* of a thread; of every block two warps' are those of its neighbours */
    GNDI_FILTFILT_OWN = 7 << 10, /* bytes of shared memory besides samples */
};

/* Forward and backward a cascade H with pairs of complex poles has the response |H|^2, a sum over the pairs:

       y[n] = direct x[n] + sum of c0 (w[n] + v[n]) + c1 (w[n - 1] + v[n + 1])
       w[n] = x[n] - a1 w[n - 1] - a2 w[n - 2],  v[n] = x[n] - a1 v[n + 1] - a2 v[n + 2]

   so that neither way waits for the other. Behind the last sample E of its extension the signal is zeros, and
   (v[E + 1], v[E + 2]) of the pairs are `back` times (w[E], w[E - 1]) of the pairs and x[E]. (filter_pairs.c) */
typedef struct gndi_filter_pairs {
    double a1[GNDI_FILTER_PAIRS], a2[GNDI_FILTER_PAIRS], c0[GNDI_FILTER_PAIRS], c1[GNDI_FILTER_PAIRS], direct;
    double back[2 * GNDI_FILTER_PAIRS][2 * GNDI_FILTER_PAIRS + 1];
} gndi_filter_pairs;

/* Bytes of shared memory for the samples of a thread, and a gap. */
static inline int64_t gndi_filtfilt_run(int64_t every, int64_t item) {
    return GNDI_FILTFILT_RESULTS * every * item + 16;
}

/* Threads of a block, where one may have so many bytes of shared memory: of two blocks at once if they are not too
   small; 0: none fits. */
static inline int gndi_filtfilt_threads(int64_t shared_bytes, int64_t run_bytes) {
    int64_t threads = (shared_bytes / 2 - GNDI_FILTFILT_OWN) / run_bytes / 32 * 32;
    if (threads < 2 * GNDI_FILTFILT_LEAST) threads = (shared_bytes - GNDI_FILTFILT_OWN) / run_bytes / 32 * 32;
    if (threads > GNDI_FILTFILT_THREADS) threads = GNDI_FILTFILT_THREADS;
    return threads < GNDI_FILTFILT_LEAST ? 0 : (int)threads;
}

#endif
