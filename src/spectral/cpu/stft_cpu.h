/*
 * stft_cpu.h: what short-time transforms and their inverses share on the CPU: a frame's transform by FFTW, between two
 * blocks of a thread's own that always lie alike, so that one plan serves all frames of all calls.
 */
#ifndef GNDI_STFT_CPU_H
#define GNDI_STFT_CPU_H

#include "fft/cpu/fft_cpu.h"
#include "spectral/stft_plan.h"

typedef struct gndi_frame_fft {
    gndi_fft_plan plan;
    gndi_fft_entry *made;
    int64_t bytes; /* of a block, a multiple of the alignment */
} gndi_frame_fft;

/* A thread's blocks: what is transformed, and the result. */
typedef struct gndi_frame {
    void *memory;
    char *in, *out;
} gndi_frame;

/* Finds the plan of nfft elements; gndi_frame_fft_end gives it back. */
gnd_status gndi_frame_fft_begin(gndi_frame_fft *f, gnd_stream *s, bool wide, bool half, bool inverse, int64_t nfft,
                                const char *fn);
void gndi_frame_fft_end(gndi_frame_fft *f);

/* False without memory; raises nothing. */
bool gndi_frame_new(const gndi_frame_fft *f, gndi_frame *frame);
void gndi_frame_run(const gndi_frame_fft *f, const gndi_frame *frame);

/* ---- results (results_cpu.c) ------------------------------------------------------------------ */

/* Bytes of what a plan writes of a bin. */
int64_t gndi_stft_result_bytes(const gndi_stft_plan *p);
/* What a plan writes of a frame's bins, and of those of y's. */
void gndi_stft_store(const gndi_stft_plan *p, const char *z, const char *of_y, char *to);
/* The same, added to sums of powers or products, whose bins are in their order, without the factor. */
void gndi_stft_add(const gndi_stft_plan *p, const char *z, const char *of_y, char *sum);
/* A line's mean from the sums of its parts, one behind the other. */
void gndi_stft_mean(const gndi_stft_plan *p, const char *sums, int64_t parts, char *to);

#endif
