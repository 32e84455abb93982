/*
 * overlap_cuda.c: convolutions by Fourier transforms of tiles on CUDA. Lines are one launch, which transforms,
 * multiplies and transforms back, behind one that makes the kernels' spectra. Matrices are three: rows, columns, and
 * rows back. What lies between them is the strips of tiles, of which only so many are computed at a time as need little
 * memory.
 */
#include "fft/overlap_plan.h"
#include "fft/cuda/overlap_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_convolve_tiles_kernel(bool wide, int which); /* overlap_kernels.cu */

enum { STRIPS_MOST = 256 << 20 }; /* bytes of strips in memory, if one needs no more */

/* ---- lines ------------------------------------------------------------------------------------ */

static gnd_status launch_lines(gnd_stream *s, gndi_overlap_lines_params *p, int64_t number, const char *fn) {
    const bool wide = number == 16;
    const int64_t tile = GNDI_OVERLAP_LINE(number / 2),
                  most = (int64_t)GNDI_OVERLAP_LINE_BLOCKS * s->device->processors;
    const size_t bytes = (size_t)((GNDI_OVERLAP_FRAME(tile) + GNDI_OVERLAP_ROOTS(tile)) * number);
    return gndi_cuda_launch_early(s, gndi_cuda_convolve_tiles_kernel(wide, GNDI_OVERLAP_LINES),
                                  gndi_min((int64_t)p->units, most), (int)(tile / GNDI_OVERLAP_EACH), bytes, p, fn);
}

static gnd_status run_lines(gnd_stream *s, const gndi_overlap_plan *plan, const char *fn) {
    const int64_t element = gndi_dtype_sizes[plan->dtype];
    const bool is_complex = gndi_dtype_is_complex(plan->dtype);
    const int64_t number = is_complex ? element : 2 * element, tile = GNDI_OVERLAP_LINE(number / 2);
    const int64_t kernels = plan->kernel_line ? plan->lines : 1, step = tile - plan->m[1] + 1;
    gndi_buffer *spectra = gndi_buffer_new(fn, s, (size_t)(kernels * tile * number));
    if (!spectra) return GND_ERROR_MEMORY;
    /* The first tile has the kernel, and the second one is empty. */
    gndi_overlap_lines_params of_kernel = {.x = plan->kernel,
                                           .spectra = spectra->base,
                                           .n = plan->m[1],
                                           .step = tile,
                                           .x_line = plan->kernel_line / element,
                                           .spectra_line = tile,
                                           .each = 1,
                                           .units = (uint32_t)kernels,
                                           .is_complex = is_complex,
                                           .scale = 1 / (double)tile};
    const int64_t each = gndi_ceil_div(plan->count[1], (is_complex ? 1 : 2) * step);
    gndi_overlap_lines_params p = {.x = plan->x,
                                   .out = plan->out,
                                   .spectra = spectra->base,
                                   .n = plan->n[1],
                                   .count = plan->count[1],
                                   .step = step,
                                   .shift = plan->first[1] - (plan->m[1] - 1),
                                   .x_line = plan->x_line / element,
                                   .out_line = plan->out_line / element,
                                   .spectra_line = plan->kernel_line ? tile : 0,
                                   .each = (uint32_t)each,
                                   .units = (uint32_t)(each * plan->lines),
                                   .at = (int32_t)(plan->m[1] - 1),
                                   .is_complex = is_complex};
    gnd_status status = launch_lines(s, &of_kernel, number, fn);
    if (!status) status = launch_lines(s, &p, number, fn);
    gndi_buffer_release(spectra);
    return status;
}

/* ---- matrices --------------------------------------------------------------------------------- */

enum { SIDE = GNDI_OVERLAP_SIDE, NUMBER = 2 * sizeof(float) };

static gnd_status launch_rows(gnd_stream *s, gndi_overlap_matrix_params *p, bool back, const char *fn) {
    const size_t bytes = (GNDI_OVERLAP_ROWS * GNDI_OVERLAP_FRAME(SIDE) + GNDI_OVERLAP_ROOTS(SIDE)) * (size_t)NUMBER;
    const int64_t rows = (int64_t)p->strips * (back ? p->results : p->rows);
    const void *kernel =
        gndi_cuda_convolve_tiles_kernel(false, back ? GNDI_OVERLAP_ROWS_BACK : GNDI_OVERLAP_ROWS_FORWARD);
    return gndi_cuda_launch_early(s, kernel, gndi_ceil_div(rows, GNDI_OVERLAP_ROWS), GNDI_OVERLAP_ROWS * 32, bytes, p,
                                  fn);
}

static gnd_status launch_columns(gnd_stream *s, gndi_overlap_matrix_params *p, const char *fn) {
    const size_t bytes = (GNDI_OVERLAP_FRAME(SIDE) * GNDI_OVERLAP_COLUMNS + GNDI_OVERLAP_ROOTS(SIDE)) * (size_t)NUMBER;
    const int64_t blocks = (int64_t)p->strips * p->down * (SIDE / GNDI_OVERLAP_COLUMNS);
    return gndi_cuda_launch_early(s, gndi_cuda_convolve_tiles_kernel(false, GNDI_OVERLAP_DOWN), blocks,
                                  SIDE / GNDI_OVERLAP_EACH * GNDI_OVERLAP_COLUMNS, bytes, p, fn);
}

static gndi_overlap_matrix_params matrix_params(const gndi_overlap_plan *plan) {
    const int64_t element = gndi_dtype_sizes[plan->dtype];
    gndi_overlap_matrix_params p = {.x = plan->x,
                                    .out = plan->out,
                                    .x_row = plan->x_row / element,
                                    .x_matrix = plan->x_line / element,
                                    .out_row = plan->out_row / element,
                                    .out_matrix = plan->out_line / element,
                                    .is_complex = gndi_dtype_is_complex(plan->dtype)};
    for (int i = 0; i < 2; i++) {
        p.n[i] = plan->n[i], p.count[i] = plan->count[i];
        p.step[i] = SIDE - plan->m[i] + 1;
        p.shift[i] = plan->first[i] - (plan->m[i] - 1);
        p.at[i] = (int32_t)(plan->m[i] - 1);
    }
    p.across = (uint32_t)gndi_ceil_div(p.count[1], p.step[1]);
    const int64_t parts = p.is_complex ? 1 : 2;
    p.down = (uint32_t)gndi_ceil_div(p.count[0], parts * p.step[0]);
    p.step[0] = gndi_ceil_div(p.count[0], parts * p.down); /* all tiles alike */
    p.apart = p.down * p.step[0];
    p.results = (uint32_t)gndi_min(p.apart, p.count[0]);
    p.rows = p.results + (uint32_t)plan->m[0] - 1;
    return p;
}

/* The kernel's spectrum: a matrix of one tile, whose imaginary part lies beyond it. */
static gnd_status make_spectrum(gnd_stream *s, const gndi_overlap_plan *plan, const gndi_overlap_matrix_params *like,
                                const char *fn) {
    gndi_overlap_matrix_params p = {.x = plan->kernel,
                                    .before = like->before,
                                    .spectrum = like->spectrum,
                                    .n = {plan->m[0], plan->m[1]},
                                    .step = {plan->m[0], SIDE},
                                    .x_row = plan->m[1],
                                    .apart = plan->m[0],
                                    .rows = (uint32_t)plan->m[0],
                                    .strips = 1,
                                    .across = 1,
                                    .down = 1,
                                    .is_complex = like->is_complex,
                                    .makes_spectrum = 1,
                                    .scale = 1 / ((double)SIDE * SIDE)};
    gnd_status status = launch_rows(s, &p, false, fn);
    return status ? status : launch_columns(s, &p, fn);
}

static gnd_status run_matrices(gnd_stream *s, const gndi_overlap_plan *plan, const char *fn) {
    gndi_overlap_matrix_params p = matrix_params(plan);
    const int64_t strips = plan->lines * p.across, strip = ((int64_t)p.rows + p.results) * SIDE * NUMBER;
    const int64_t groups = gndi_ceil_div(strips, gndi_max(STRIPS_MOST / strip, 1)),
                  most = gndi_ceil_div(strips, groups);
    const int64_t spectrum = (int64_t)SIDE * SIDE * NUMBER;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(spectrum + most * strip));
    if (!memory) return GND_ERROR_MEMORY;
    p.spectrum = memory->base, p.before = (char *)p.spectrum + spectrum;
    p.behind = (char *)p.before + most * p.rows * SIDE * NUMBER;
    gnd_status status = make_spectrum(s, plan, &p, fn);
    for (; p.first < strips && !status; p.first += (uint32_t)most) {
        p.strips = (uint32_t)gndi_min(most, strips - p.first);
        status = launch_rows(s, &p, false, fn);
        if (!status) status = launch_columns(s, &p, fn);
        if (!status) status = launch_rows(s, &p, true, fn);
    }
    gndi_buffer_release(memory);
    return status;
}

gnd_status gndi_cuda_overlap(gnd_stream *s, const gndi_overlap_plan *plan, const char *fn) {
    return plan->axes == 1 ? run_lines(s, plan, fn) : run_matrices(s, plan, fn);
}
