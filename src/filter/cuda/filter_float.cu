// filter_float.cu: recursive filters of float32.
#include "filter/cuda/filter_table.cuh"

extern "C" const void *gndi_cuda_filter_float(int which, int sections, int states) {
    return gnd::find_filter_kernel<float>(which, sections, states);
}
