/*
 * channelize_plan.h: polyphase channelizers, as the front end (channelize.c) hands them to a backend. Frame i of a
 * line, which ends at element s = (i + 1) hop - 1, is the transform over c of
 *
 *     v[i][c] = sum over t of h[b + t * channels] * x[s - b - t * channels],   b = (c + i * hop) mod channels
 *
 * out[i][k] = sum over c of v[i][c] exp(2 pi sqrt(-1) c k / channels)
 *
 * h is zero from `taps` on, x outside of its elements. Frames and elements have numbers that do not depend on where
 * a line is cut, and each frame is computed in one order, so chunks of a line are the whole line bit for bit.
 */
#ifndef GNDI_CHANNELIZE_PLAN_H
#define GNDI_CHANNELIZE_PLAN_H

#include "core/core.h"
#include "fft/fft_factors.h"
#include "resample/chunk_plan.h"

/* As many channels as backends transform themselves; of more, they leave v. */
enum { GNDI_CHANNELS_MOST = 1024 };

/* x is float32, float64, complex64 or complex128, dense along the line, out complex; the taps are of x's dtype or of
   its real one, and dense. */
struct gndi_channelize_plan {
    uint8_t dtype, taps_dtype;
    bool transforms; /* channels is at most GNDI_CHANNELS_MOST */
    int64_t channels, hop, taps;
    const char *h, *x;
    int64_t length, x_first;
    char *out; /* frames of `channels` numbers */
    int64_t count, frame_first;
    gndi_line_grid grid;
    bool joins; /* a GPU's only: x is what is joined by this plan, before all else */
    struct gndi_chunk_plan chunk;
};

#endif
