// filter_float.cu: recursive filters of float32, in parts: one filter of any states, and sections.
#include "filter/cuda/filter_table.cuh"

#ifdef GNDI_PART_states
extern "C" const void *gndi_cuda_filter_float(int which, int states) {
    return gnd::find_filter_kernel<float>(which, states);
}
#endif
#ifdef GNDI_PART_sections
extern "C" const void *gndi_cuda_sections_float(int which, int sections) {
    return gnd::find_section_kernel<float>(which, sections);
}
#endif
