// The line interpreter's kernels: of maps, and of what reduces.
#include "kernels/cuda/fuse_line.cuh"

extern "C" const void *gndi_cuda_fuse_line_kernel(bool reduces) {
    if (reduces)
        return reinterpret_cast<const void *>(&gnd::fuse_line_reduces<float, GNDI_TUNE_LINE_WORDS>);
    return reinterpret_cast<const void *>(&gnd::fuse_line<float, GNDI_TUNE_LINE_WORDS>);
}
