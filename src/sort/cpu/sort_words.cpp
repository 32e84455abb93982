// Sorts of signed 16-bit numbers for CPUs of x86-64-v4 that have AVX-512 VBMI2 as well: partitions compress them.
#define gnd gnd_words
#include "sort/cpu/sort_vectors.hpp"

extern "C" void gndi_cpu_word_sorts(gndi_cpu_sorts *table) {
    table->sort16 = gnd::sort_numbers<int16_t>;
    table->select16 = gnd::select_numbers<int16_t>;
}
