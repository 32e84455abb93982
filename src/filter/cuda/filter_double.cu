// filter_double.cu: recursive filters of float64.
#include "filter/cuda/filter_table.cuh"

extern "C" const void *gndi_cuda_filter_double(int which, int sections, int states) {
    return gnd::find_filter_kernel<double>(which, sections, states);
}
