/*
 * compression_cuda.c: pulse compression on CUDA. Short lines are one launch, which reads and writes them once. A longer
 * line is a matrix: its columns are transformed and twisted, then its rows filtered, and its columns transformed back,
 * of some lines at a time, so that the passes between the first read and the last write stay in the L2 cache. 256 lines
 * of 65536: 268 MB, 67 us at 4.0 TB/s, besides about 540 MB within the cache. Where the pulse is short against a tile
 * that a block holds, lines of any length are one launch, behind one that makes the pulse's spectrum.
 */
#include "fft/cuda/fft_columns_params.h"
#include "radar/compression_plan.h"
#include "radar/cuda/compression_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_compression_kernel(int bits);        /* compression_kernels.cu */
const void *gndi_cuda_compression_tiles_kernel(bool wide); /* compression_tiles_kernels.cu */
const void *gndi_cuda_columns_kernel(int bits, int kind);  /* fft_columns_kernels.cu */

enum { ELEMENT = 8, SLICE_BYTES = 16 << 20 };

static gnd_status filter_rows(gnd_stream *s, gndi_compression_params *p, int bits, const char *fn) {
    const int side = GNDI_ROWS_SIDE(bits);
    return gndi_cuda_launch(s, gndi_cuda_compression_kernel(bits), gndi_ceil_div(p->rows, side),
                            GNDI_COLUMNS_THREADS(bits, side), (size_t)GNDI_COLUMNS_SHARED(bits, side), p, fn);
}

/* The columns of `lines` matrices of 2^outer rows of `row` elements; lines of `in` are `in_line` bytes apart. */
static gnd_status columns(gnd_stream *s, const char *in, int64_t in_line, char *out, int64_t lines, int outer,
                          int64_t row, int line_bits, const char *fn) {
    const int side = GNDI_COLUMNS_SIDE(outer), kind = line_bits ? GNDI_COLUMNS_TWISTED : GNDI_COLUMNS_PLAIN;
    gndi_columns_params p = {.in = in,
                             .out = out,
                             .in_step = row * ELEMENT,
                             .out_step = row * ELEMENT,
                             .in_side = ELEMENT,
                             .out_side = ELEMENT,
                             .columns = row,
                             .in_stride = {in_line},
                             .out_stride = {(row << outer) * ELEMENT},
                             .n = {(uint32_t)lines},
                             .axes = 1,
                             .tiles = (uint32_t)gndi_ceil_div(row, side),
                             .inverse = !line_bits,
                             .factor = 1,
                             .line = (uint32_t)line_bits};
    return gndi_cuda_launch(s, gndi_cuda_columns_kernel(outer, kind), p.tiles * lines,
                            GNDI_COLUMNS_THREADS(outer, side), (size_t)GNDI_COLUMNS_SHARED(outer, side), &p, fn);
}

static gnd_status some_lines(gnd_stream *s, const gndi_compression_plan *plan, int64_t first, int64_t lines,
                             const char *fn) {
    const int outer = gndi_compression_outer(plan->bits), inner = plan->bits - outer;
    const int64_t row = INT64_C(1) << inner;
    char *out = plan->out + (first << plan->bits) * ELEMENT;
    gndi_compression_params p = {.in = out,
                                 .filter = plan->filter,
                                 .out = out,
                                 .in_row = row * ELEMENT,
                                 .samples = row,
                                 .rows = lines << outer,
                                 .filters = 1u << outer,
                                 .line = (uint32_t)plan->bits};
    gnd_status status =
        columns(s, plan->x + first * plan->x_line, plan->x_line, out, lines, outer, row, plan->bits, fn);
    if (!status) status = filter_rows(s, &p, inner, fn);
    return status ? status : columns(s, out, (row << outer) * ELEMENT, out, lines, outer, row, 0, fn);
}

gnd_status gndi_cuda_compression(gnd_stream *s, const gndi_compression_plan *plan, const char *fn) {
    if (plan->bits <= GNDI_COMPRESSION_SHORT_BITS) {
        gndi_compression_params p = {.in = plan->x,
                                     .filter = plan->filter,
                                     .out = plan->out,
                                     .in_row = plan->x_line,
                                     .samples = plan->samples,
                                     .rows = plan->lines,
                                     .filters = 1};
        return filter_rows(s, &p, plan->bits, fn);
    }
    const int64_t lines = gndi_max(1, (SLICE_BYTES / ELEMENT) >> plan->bits);
    gnd_status status = GND_OK;
    for (int64_t first = 0; first < plan->lines && !status; first += lines)
        status = some_lines(s, plan, first, gndi_min(lines, plan->lines - first), fn);
    return status;
}

/* ---- tiles ------------------------------------------------------------------------------------- */

/* Whether the kernel is one for this device, which can give it as much shared memory. */
static bool has_tiles(const gndi_device *d, const void *kernel, size_t bytes) {
    enum { SINCE = 90 }; /* the images' architecture that has such kernels */
    struct cudaFuncAttributes own;
    if ((int64_t)bytes > d->shared_bytes) return false;
    gndi_cuda_use(kernel);
    const cudaError_t error = cudaFuncGetAttributes(&own, kernel);
    if (error) cudaGetLastError();
    return !error && own.ptxVersion >= SINCE;
}

/* How lines are cut into tiles, each of which begins with a cache line. */
static void cut_lines(const gndi_compression_tiles_plan *plan, int64_t tile, gndi_compression_tiles_params *p) {
    enum { LINE = 16 };
    const int64_t most = tile - plan->taps + 1, each = gndi_ceil_div(plan->n, most);
    const int64_t whole = plan->n / gndi_max(most / LINE * LINE, LINE), left = plan->n - whole * (most / LINE * LINE);
    if (plan->lines > 1 && whole >= 1 && whole < each && left + plan->taps - 1 <= tile / 2) {
        p->step = (int32_t)(most / LINE * LINE), p->each = (uint32_t)(2 * whole + 1), p->lines = (uint32_t)plan->lines;
        p->units = (uint32_t)(plan->lines / 2 * p->each + plan->lines % 2 * (whole + 1));
        return;
    }
    const int64_t alike = gndi_ceil_div(gndi_ceil_div(plan->n, each), LINE) * LINE; /* all tiles */
    p->step = (int32_t)gndi_min(alike, most);
    p->each = (uint32_t)gndi_ceil_div(plan->n, p->step), p->units = (uint32_t)(p->each * plan->lines);
}

gnd_status gndi_cuda_compression_tiles(gnd_stream *s, const gndi_compression_tiles_plan *plan, const char *fn) {
    const bool wide = plan->wide;
    const int64_t tile = GNDI_COMPRESSION_TILE(wide);
    const int64_t number = wide ? 16 : 8, most = (int64_t)GNDI_COMPRESSION_TILE_BLOCKS(wide) * s->device->processors;
    const size_t bytes = (size_t)(GNDI_COMPRESSION_TILE_SHARED(wide) * number);
    const void *kernel = gndi_cuda_compression_tiles_kernel(wide);
    *plan->declined = !has_tiles(s->device, kernel, bytes);
    if (*plan->declined) return GND_OK;
    gndi_buffer *spectrum = gndi_buffer_new(fn, s, (size_t)(tile * number));
    if (!spectrum) return GND_ERROR_MEMORY;
    /* The pulse is what a tile of its length has. */
    gndi_compression_tiles_params of_pulse = {.x = plan->pulse,
                                              .spectrum = spectrum->base,
                                              .n = (int32_t)plan->taps,
                                              .samples = (int32_t)plan->taps,
                                              .taps = 1,
                                              .step = (int32_t)plan->taps,
                                              .each = 1,
                                              .units = 1,
                                              .scale = 1 / (double)tile};
    gndi_compression_tiles_params p = {.x = plan->x,
                                       .out = plan->out,
                                       .spectrum = spectrum->base,
                                       .x_line = plan->x_line,
                                       .n = (int32_t)plan->n,
                                       .samples = (int32_t)plan->samples,
                                       .taps = (int32_t)plan->taps};
    cut_lines(plan, tile, &p);
    p.fetches = !wide; /* of double it takes 0.3 us more of 24 */
    const int threads = GNDI_COMPRESSION_TILE_THREADS(wide);
    gnd_status status = gndi_cuda_launch_early(s, kernel, 1, threads, bytes, &of_pulse, fn);
    if (!status) status = gndi_cuda_launch_early(s, kernel, gndi_min((int64_t)p.units, most), threads, bytes, &p, fn);
    gndi_buffer_release(spectrum);
    return status;
}
