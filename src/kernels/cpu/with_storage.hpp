/*
 * with_storage.hpp: loops for every storage type, chosen by dtype at the call.
 */
#ifndef GNDI_CPU_WITH_STORAGE_HPP
#define GNDI_CPU_WITH_STORAGE_HPP

#include "kernels/scalar/scalar_types.h"
#include <gnd/dtype.h>

namespace gnd {

/* Calls `then` with a value of the storage type of a dtype. */
template <class Then> static void with_storage(int dtype, Then then) {
    switch (dtype) {
    case GND_BOOL:
    case GND_UINT8: return then(uint8_t());
    case GND_INT8: return then(int8_t());
    case GND_INT16: return then(int16_t());
    case GND_UINT16: return then(uint16_t());
    case GND_INT32: return then(int32_t());
    case GND_UINT32: return then(uint32_t());
    case GND_INT64: return then(int64_t());
    case GND_UINT64: return then(uint64_t());
    case GND_FLOAT16: return then(float16());
    case GND_BFLOAT16: return then(bfloat16());
    case GND_FLOAT32: return then(float());
    case GND_FLOAT64: return then(double());
    case GND_COMPLEX64: return then(complex<float>());
    default: return then(complex<double>());
    }
}

/* The same for a real dtype. */
template <class Then> static void with_real(int dtype, Then then) {
    with_storage(dtype, [&](auto x) {
        if constexpr (!is_complex<decltype(x)>) then(x);
    });
}

} // namespace gnd

#endif
