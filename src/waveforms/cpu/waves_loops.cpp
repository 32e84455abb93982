/*
 * waves_loops.cpp: waveforms on the CPU, a loop for each row of waves.def.
 */
#include "waveforms/cpu/waves_loops.h"
#include "waveforms/wave_formulas.h"

namespace gnd {
namespace waves {

template <int Row> static void values(const plan_t &p, int64_t begin, int64_t end) {
    if (p.dtype == GND_FLOAT32)
        for (int64_t i = begin; i < end; i++) put<Row, float>(p, i);
    else
        for (int64_t i = begin; i < end; i++) put<Row, double>(p, i);
}

} // namespace waves
} // namespace gnd

void gndi_wave_values(const gndi_wave_plan *p, int64_t begin, int64_t end) {
    switch (p->row) {
#define ROW(name)                                                                                                      \
    case GNDI_WAVE_##name:                                                                                             \
        return gnd::waves::values<GNDI_WAVE_##name>(*p, begin, end);
#define PHASE(name, formula) ROW(name)
#define VALUE(name, formula) ROW(name)
#define WAVE(name, formula) ROW(name)
#include "waveforms/waves.def"
    default: break;
    }
}
