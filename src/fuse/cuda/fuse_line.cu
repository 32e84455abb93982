// The line interpreter's kernels: for maps, and for reductions.
#include "fuse/cuda/fuse_line.cuh"

template <class S> static const void *kernel_of(bool reduces) {
    if (reduces) return reinterpret_cast<const void *>(&gnd::fuse_line_reduces<S, GNDI_TUNE_LINE_WORDS>);
    return reinterpret_cast<const void *>(&gnd::fuse_line<S, GNDI_TUNE_LINE_WORDS>);
}
extern "C" const void *gndi_cuda_fuse_line_kernel(bool of_double, bool reduces) {
    return of_double ? kernel_of<double>(reduces) : kernel_of<float>(reduces);
}
