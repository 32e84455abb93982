/*
 * scan_cuda.h: what other launchers borrow from the scans: the words through which the tiles of one
 * pass tell each other their totals.
 */
#ifndef GNDI_SCAN_CUDA_H
#define GNDI_SCAN_CUDA_H

#include "scan/cuda/scan_params.h"
#include "runtime/cuda/runtime_cuda.h"

/* Words for `tiles` tiles whose totals have `words` words of 4 bytes each, for lookback() with one
   column. What does not fit the stream's own is in *buffer, which is the caller's to release after
   the launch; it is made if it is NULL, and kept from one launch to the next if those have no more
   tiles. */
gnd_status gndi_cuda_scan_tiles(gnd_stream *s, gndi_scan_state *state, int64_t tiles, int words, gndi_buffer **buffer,
                                const char *fn);

#endif
