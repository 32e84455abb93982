/*
 * short_time_fft.h: the object of gnd/short_time_fft.h.
 *
 *     short_time_fft.c       making and changing it, its properties
 *     short_time_fft_run.c   transforms
 *     dual_window.c          windows on the host, and their duals
 */
#ifndef GNDI_SHORT_TIME_FFT_H
#define GNDI_SHORT_TIME_FFT_H

#include "spectral/spectral.h"
#include <complex.h>

typedef double complex gndi_value;

/* A window on the host. */
typedef struct gndi_host_window {
    int64_t n;
    gndi_value *values; /* NULL: there is none */
    bool is_complex, single, integer;
} gndi_host_window;

struct gnd_sft {
    gndi_device *device;
    gndi_host_window win, dual; /* dual.n is 0: not given; then the canonical one is computed, if there is one */
    int64_t hop, mfft, phase_shift;
    double fs;
    gnd_sft_mode mode;
    gnd_sft_scaling scaling;
    bool no_phase_shift;
    /* On the device, of float32 and of float64: real and imaginary parts; the dual's over mfft. */
    gndi_table win_table[2][2], dual_table[2][2];
};

/* ---- windows (dual_window.c) ------------------------------------------------------------------ */

/* Reads a finite 1-d window that is called `name`; false after an error. */
bool gndi_host_window_read(const char *fn, const gnd_array *a, const char *name, gndi_host_window *to);
void gndi_host_window_free(gndi_host_window *w);
/* A new one; values are not set. False without memory. */
bool gndi_host_window_new(const char *fn, const gndi_host_window *like, gndi_host_window *to);
/* The canonical dual window; false, and an error unless fn is NULL, if there is none. */
bool gndi_dual_window(const char *fn, const gndi_host_window *win, int64_t hop, gndi_host_window *to);
/* It as a new array on the current device. */
gnd_array *gndi_host_window_array(const char *fn, const gndi_host_window *w);

/* ---- properties (short_time_fft.c) ------------------------------------------------------------ */

bool gndi_sft_onesided(const gnd_sft *f);
int64_t gndi_sft_bins(const gnd_sft *f);
/* Slices of a signal of n samples; false after an error. */
bool gndi_sft_p_range(const char *fn, const gnd_sft *f, int64_t n, const gnd_sft_slices *slices, int64_t *p0,
                      int64_t *p1);
void gndi_sft_first(const gnd_sft *f, int64_t *k_min, int64_t *p_min);
void gndi_sft_last(const gnd_sft *f, int64_t n, int64_t *k_max, int64_t *p_max);
static inline int64_t gndi_floor_div(int64_t a, int64_t b) {
    return a / b - (a % b < 0);
}

#endif
