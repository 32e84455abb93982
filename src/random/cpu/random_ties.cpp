/*
 * random_ties.cpp: equal random keys on the CPU.
 */
#include "random/cpu/random_loops.h"
#include "random/random_ties.h"

extern "C" void gndi_cpu_break_ties(void *context, int64_t begin, int64_t end) {
    const gndi_random_ties &t = *static_cast<const gndi_random_ties *>(context);
    for (int64_t i = begin; i < end; i++) gnd::break_ties(t, t.engine.state, i);
}
