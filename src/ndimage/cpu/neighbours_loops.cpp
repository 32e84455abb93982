/*
 * neighbours_loops.cpp: windows of any shape on the CPU.
 */
#include "ndimage/cpu/ndimage_loops.h"
#include "ndimage/neighbours_ops.h"

namespace gnd {
namespace neighbours {

template <class T> static void extend_all(const plan_t &p, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; i++) extend<T>(p, i);
}
template <class T> static void extremes(const plan_t &p, int64_t begin, int64_t end) {
    if (p.kind == GNDI_NEIGHBOURS_MAXIMUM)
        for (int64_t i = begin; i < end; i++) extreme<GNDI_NEIGHBOURS_MAXIMUM, T>(p, i);
    else
        for (int64_t i = begin; i < end; i++) extreme<GNDI_NEIGHBOURS_MINIMUM, T>(p, i);
}

} // namespace neighbours
} // namespace gnd

void gndi_neighbours_outputs(const gndi_neighbours_plan *p, int64_t begin, int64_t end) {
    using namespace gnd::neighbours;
    if (p->kind != GNDI_NEIGHBOURS_EXTEND) {
        if (p->dtype == GND_UINT8) return extremes<uint8_t>(*p, begin, end);
        if (p->dtype == GND_FLOAT32) return extremes<float>(*p, begin, end);
        return extremes<double>(*p, begin, end);
    }
    switch (p->dtype) {
    case GND_UINT8: return extend_all<uint8_t>(*p, begin, end);
    case GND_UINT16: return extend_all<uint16_t>(*p, begin, end);
    case GND_UINT32: return extend_all<uint32_t>(*p, begin, end);
    default: return extend_all<uint64_t>(*p, begin, end);
    }
}
