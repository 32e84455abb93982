/*
 * windows_cuda.c: windows on CUDA, one launch each.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "windows/window_plan.h"

const void *gndi_cuda_windows_cosines(bool wide); /* windows_kernels.cu */
const void *gndi_cuda_windows_floats(int row);
const void *gndi_cuda_windows_doubles(int row, bool is_complex);
const void *gndi_cuda_derived_window_kernel(int dtype); /* derived_kernels.cu */

/* Of complex windows there is chebwin alone. */
static const void *kernel_of(const gndi_window_plan *p) {
    if (p->row == GNDI_WINDOW_general_cosine) return gndi_cuda_windows_cosines(p->dtype == GND_FLOAT64);
    return p->dtype == GND_FLOAT32 ? gndi_cuda_windows_floats(p->row)
                                   : gndi_cuda_windows_doubles(p->row, p->dtype == GND_COMPLEX128);
}

gnd_status gndi_cuda_window(gnd_stream *s, const gndi_window_plan *plan, const char *fn) {
    gndi_window_plan p = *plan;
    if (p.points <= 0) return GND_OK;
    const bool derived = p.row == GNDI_WINDOW_kaiser_bessel_derived && !p.from;
    const void *kernel = derived ? gndi_cuda_derived_window_kernel(p.dtype) : kernel_of(&p);
    const int threads = derived ? GNDI_WINDOW_FEWER : GNDI_WINDOW_THREADS;
    const int64_t each = derived || p.row == GNDI_WINDOW_kaiser ? GNDI_WINDOW_MORE : GNDI_WINDOW_EACH;
    return gndi_cuda_launch_early(s, kernel, gndi_ceil_div(p.points, threads * each), threads, 0, &p, fn);
}
