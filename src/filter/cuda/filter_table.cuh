// filter_table.cuh: the kernels of recursive filters for one type of number.
#pragma once
#include "filter/cuda/filter_serial.cuh"
#include "filter/cuda/filter_tile.cuh"

namespace gnd {

template <class T, int sections, int N> static const void *filter_kernel_of(int which) {
    switch (which) {
    case 0: return reinterpret_cast<const void *>(&filter_kernel<T, sections, N>);
    case 2: return reinterpret_cast<const void *>(&serial_kernel<T, sections, N>);
    default: return reinterpret_cast<const void *>(&filter_begin_kernel<T, N>);
    }
}

// Which: 0 tiles, 2 a thread a line, 5 how a stream begins. Of sections; one alone is a filter of 2 states.
template <class T> static const void *find_section_kernel(int which, int sections) {
    switch (sections) {
    case 2: return filter_kernel_of<T, 2, 4>(which);
    case 3: return filter_kernel_of<T, 3, 6>(which);
    case 4: return filter_kernel_of<T, 4, 8>(which);
    case 6: return filter_kernel_of<T, 6, 12>(which);
    default: return filter_kernel_of<T, 8, 16>(which);
    }
}

// Of one filter, and 1 what a stream keeps, 3 a thread a line of any order, 4 of complex coefficients, 6 zeros.
template <class T> static const void *find_filter_kernel(int which, int states) {
    if (which == 1) return reinterpret_cast<const void *>(&filter_keep_kernel<T>);
    if (which == 6) return reinterpret_cast<const void *>(&filter_clear_kernel<T>);
    if (which == 3) return reinterpret_cast<const void *>(&serial_long_kernel<T>);
    if (which == 4) return reinterpret_cast<const void *>(&serial_pairs_kernel<T>);
    switch (states) {
    case 2: return filter_kernel_of<T, 0, 2>(which);
    case 4: return filter_kernel_of<T, 0, 4>(which);
    case 8: return filter_kernel_of<T, 0, 8>(which);
    default: return filter_kernel_of<T, 0, 16>(which);
    }
}

} // namespace gnd
