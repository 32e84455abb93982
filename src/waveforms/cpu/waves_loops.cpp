/*
 * waves_loops.cpp: waveforms on the CPU, a loop for each row of waves.def. Cosines and sines of a block of elements are
 * the operators', which have vectors.
 */
#include "elementwise/cpu/cpu_kernels.h"
#include "waveforms/cpu/waves_loops.h"
#include "waveforms/wave_formulas.h"

namespace gnd {
namespace waves {

constexpr int BLOCK = 256;

template <int Row, class T> static void waves_of(const plan_t &p, int64_t begin, int64_t end) {
    const gndi_cpu_kernels *kernels = gndi_cpu_kernels_get();
    for (int64_t first = begin; first < end; first += BLOCK) {
        const int64_t n = end - first < BLOCK ? end - first : BLOCK;
        wave x[BLOCK];
        double angle[BLOCK], c[BLOCK], s[BLOCK] = {0};
        for (int64_t j = 0; j < n; j++) {
            const given g = given_at<Row, T>(p, first + j);
            x[j] = value<Row>(p, g.t, g.w, g.row, g.column);
            angle[j] = angle_of(x[j].turns + p.phase);
        }
        char *const cosines[] = {(char *)c, (char *)angle}, *const sines[] = {(char *)s, (char *)angle};
        kernels->op[GNDI_OP_cos][GND_FLOAT64](cosines, n, nullptr);
        if (p.pairs || p.sine) kernels->op[GNDI_OP_sin][GND_FLOAT64](sines, n, nullptr);
        for (int64_t j = 0; j < n; j++) store<T>(p, first + j, x[j], c[j], s[j]);
    }
}
template <int Row, class T> static void values_of(const plan_t &p, int64_t begin, int64_t end) {
    if constexpr (is_value<Row>)
        for (int64_t i = begin; i < end; i++) put<Row, T>(p, i, given_at<Row, T>(p, i));
    else
        waves_of<Row, T>(p, begin, end);
}
template <int Row> static void values(const plan_t &p, int64_t begin, int64_t end) {
    if (p.dtype == GND_FLOAT32)
        values_of<Row, float>(p, begin, end);
    else
        values_of<Row, double>(p, begin, end);
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
