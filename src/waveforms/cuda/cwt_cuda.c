/*
 * cwt_cuda.c: wavelet transforms on CUDA, two launches: the spectra of the wavelets, then tiles of the signal, which
 * overlap by a wavelet, transformed, multiplied by some spectra and transformed back. A tile is read once for each
 * group of wavelets and every result is written once: 10^5 float32 and 64 wavelets are 26 MB, 6.4 us at 4.0 TB/s,
 * besides 32 transforms of 4096 elements for each of 29 tiles; 10^7 doubles and 30 wavelets are 2.5 GB, 620 us.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "waveforms/cuda/cwt_params.h"

const void *gndi_cuda_cwt_kernel(int which, bool wide); /* cwt_kernels.cu */

enum { ROWS_IN_PAIR = 2, BLOCKS_OF_PROCESSOR = 2 };

/* Lines of a block, whose first transform serves all of them: as many as give every processor its blocks once. */
static int group_of(const gndi_cwt_params *p, int processors) {
    const int64_t blocks = p->tiles * p->lines;
    return (int)gndi_min(gndi_ceil_div(blocks, (int64_t)processors * BLOCKS_OF_PROCESSOR), p->lines);
}

gnd_status gndi_cuda_cwt(gnd_stream *s, const gndi_cwt_plan *plan, const char *fn) {
    const bool wide = plan->wide;
    const int64_t item = wide ? 16 : 8, roots = GNDI_CWT_ROOTS(wide) * item, length = GNDI_CWT_LENGTH(wide);
    const size_t frame = (size_t)(GNDI_CWT_FRAME(wide) * item);
    gndi_cwt_params p = {.plan = *plan, .pairs = !plan->complex_x && !plan->complex_rows};
    p.lines = (int)(p.pairs ? gndi_ceil_div(plan->count, ROWS_IN_PAIR) : plan->count);
    p.valid = (int)(length - plan->columns + 1);
    p.tiles = gndi_ceil_div(plan->size, p.valid);
    p.group = group_of(&p, s->device->processors);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(roots + p.lines * length * item));
    if (!memory) return GND_ERROR_MEMORY;
    p.roots = memory->base, p.spectra = (char *)memory->base + roots;
    gnd_status status = gndi_cuda_launch(s, gndi_cuda_cwt_kernel(0, wide), p.lines, GNDI_CWT_THREADS(wide),
                                         frame + (size_t)roots, &p, fn);
    if (!status)
        status = gndi_cuda_launch(s, gndi_cuda_cwt_kernel(1, wide), p.tiles * gndi_ceil_div(p.lines, p.group),
                                  GNDI_CWT_THREADS(wide), frame, &p, fn);
    gndi_buffer_release(memory);
    return status;
}
