/* scan_state_cuda.cu: the words that tiles of smaller scans tell each other through: some for each
 * of the GNDI_MAX_STREAMS streams of a device, zero in the beginning. */
#include "scan/cuda/scan_params.h"

extern "C" void gndi_cuda_use(const void *symbol); // runtime/cuda/runtime_cuda.h

static __device__ unsigned long long words[64 * GNDI_SCAN_STATE];

extern "C" unsigned long long *gndi_scan_words(void) {
    void *address = nullptr;
    gndi_cuda_use(words);
    return cudaGetSymbolAddress(&address, words) == cudaSuccess ? (unsigned long long *)address : nullptr;
}
