/*
 * cepstrum_lines_cuda.c: cepstra of long lines on CUDA, in three launches.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "transforms/cuda/cepstrum_lines_params.h"

const void *gndi_cuda_cepstrum_kernel(gndi_cepstrum_step step); /* cepstrum_lines_kernels.cu */

const void *gndi_cuda_million_cepstrum_kernel(gndi_cepstrum_step step,
                                              gndi_cepstrum_result result); /* cepstrum_million_kernels.cu */

/* ---- lines of 1000 rows and columns --------------------------------------------------------------- */

/* All three ask for the least shared memory: an H200 took 21 us a call so, 26 to 31 with what the driver chooses for
   each, and 28 with the most. */
static const void *million_kernel(gndi_cepstrum_step step, gndi_cepstrum_result result) {
    const void *kernel = gndi_cuda_million_cepstrum_kernel(step, result);
    gndi_cuda_use(kernel);
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxL1))
        cudaGetLastError(); /* it takes longer then */
    return kernel;
}

static gnd_status cepstra_of_millions(gnd_stream *s, const gndi_cepstrum_lines_plan *plan, const char *fn) {
    const bool whole = plan->result == GNDI_CEPSTRUM_EXPONENTIALS;
    const int64_t blocks[] = {GNDI_MILLION_SIDE / 2 / GNDI_MILLION_FORTH_TILE, GNDI_MILLION_ROW_PAIRS,
                              whole ? GNDI_MILLION_WHOLE_TILES : GNDI_MILLION_BACK_TILES};
    const int64_t work = whole ? GNDI_MILLION_WHOLE_WORK : GNDI_MILLION_WORK;
    const int tile[] = {GNDI_MILLION_FORTH_TILE, 2, GNDI_MILLION_BACK_TILE};
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(plan->lines * work * 8));
    if (!memory) return GND_ERROR_MEMORY;
    gndi_cepstrum_lines_params p = {.plan = *plan, .work = memory->base};
    gnd_status status = GND_OK;
    for (int k = 0; k < GNDI_CEPSTRUM_STEPS && !status; k++)
        status = gndi_cuda_launch_early(s, million_kernel((gndi_cepstrum_step)k, plan->result), plan->lines * blocks[k],
                                        tile[k] * GNDI_MILLION_PART, 0, &p, fn);
    gndi_buffer_release(memory);
    return status;
}

/* ---- other lines ---------------------------------------------------------------------------------- */

/* The radices of a transform, large ones first: 10 passes less often over shared memory than 2 and 5. */
static int radices(int n, int *radix) {
    static const int all[] = {10, 8, 5, 4, 3, 2};
    int count = 0;
    for (int i = 0; i < 6; i++)
        for (; n % all[i] == 0; n /= all[i]) radix[count++] = all[i];
    return count;
}

gnd_status gndi_cuda_cepstrum_lines(gnd_stream *s, const gndi_cepstrum_lines_plan *plan, const char *fn) {
    if (gndi_cepstrum_has_all(plan)) return cepstra_of_millions(s, plan, fn);
    const int64_t rows = plan->rows, columns = plan->columns, half = rows / 2 + 1;
    const int64_t tile[] = {GNDI_CEPSTRUM_TILE, GNDI_CEPSTRUM_TILE, GNDI_CEPSTRUM_TILE / 2};
    const int64_t transforms[] = {columns / 2, half, columns / 4 + 1}, length[] = {rows, columns, rows};
    gndi_cepstrum_lines_params p = {.plan = *plan};
    p.row_radices = radices(plan->columns, p.row_radix);
    p.column_radices = radices(plan->rows, p.column_radix);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(plan->lines * half * columns * 8));
    if (!memory) return GND_ERROR_MEMORY;
    p.work = memory->base;
    gnd_status status = GND_OK;
    for (int k = 0; k < GNDI_CEPSTRUM_STEPS && !status; k++)
        status = gndi_cuda_launch_early(s, gndi_cuda_cepstrum_kernel((gndi_cepstrum_step)k),
                                        plan->lines * gndi_ceil_div(transforms[k], tile[k]), GNDI_CEPSTRUM_THREADS,
                                        (size_t)GNDI_CEPSTRUM_SHARED(length[k], tile[k]), &p, fn);
    gndi_buffer_release(memory);
    return status;
}
