/*
 * report_fault.cuh: how kernels report invalid values. The first report wins.
 */
#ifndef GNDI_REPORT_FAULT_CUH
#define GNDI_REPORT_FAULT_CUH

#include "runtime/fault.h"

namespace gnd {

static __device__ __forceinline__ void report_fault(gndi_fault *fault, int code, int64_t value, int axis,
                                                    int64_t size) {
    if (atomicCAS(&fault->code, 0, code) == 0) fault->value = value, fault->axis = axis, fault->size = size;
}

} // namespace gnd

#endif
