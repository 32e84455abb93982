// filter_double.cu: recursive filters of float64, in parts: one filter of any states, and sections.
#include "filter/cuda/filter_table.cuh"

#ifdef GNDI_PART_states
extern "C" const void *gndi_cuda_filter_double(int which, int states) {
    return gnd::find_filter_kernel<double>(which, states);
}
#endif
#ifdef GNDI_PART_sections
extern "C" const void *gndi_cuda_sections_double(int which, int sections) {
    return gnd::find_section_kernel<double>(which, sections);
}
#endif
