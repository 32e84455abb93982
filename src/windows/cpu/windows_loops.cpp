/*
 * windows_loops.cpp: values of windows on the CPU, for arrays and for designs on the host.
 */
#include "windows/cpu/windows_loops.h"
#include "windows/window_formulas.h"

namespace gnd {
namespace windows {

template <int Row> static void values(const plan_t &p, int64_t begin, int64_t end) {
    if constexpr (Row == GNDI_WINDOW_chebwin) {
        for (int64_t i = begin; i < end; i++) put<Row, complex<double>>(p, i);
    } else if (p.dtype == GND_FLOAT32) {
        for (int64_t i = begin; i < end; i++) put<Row, float>(p, i);
    } else {
        for (int64_t i = begin; i < end; i++) put<Row, double>(p, i);
    }
}

} // namespace windows
} // namespace gnd

void gndi_window_values(const gndi_window_plan *p, int64_t begin, int64_t end) {
    switch (p->row) {
#define ROW(name)                                                                                                      \
    case GNDI_WINDOW_##name:                                                                                           \
        return gnd::windows::values<GNDI_WINDOW_##name>(*p, begin, end);
#define FORMULA(name, also, formula) ROW(name)
#define COSINES(name, also, ...)
#define PARAMETERS(name, also, least, most, formula) ROW(name)
#define SAME_AS(name, also, least, most)
#define COMPOSED(name, also, least, most)
#include "windows/windows.def"
        ROW(chebwin)
    default: break;
    }
}

double gndi_bessel_i0(double x) {
    return gnd::special::i0(x);
}
