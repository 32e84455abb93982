/*
 * whittaker_loops.cpp: Whittaker-Henderson smoothing on the CPU.
 */
#include "splines/cpu/splines_loops.h"
#include "splines/whittaker_ops.h"

void gndi_whittaker_lines(const gndi_whittaker_plan *p, int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; slot++)
        gnd::splines::smooth_slot(*p, slot, p->work + slot * p->n * (p->order + 1), 1);
}
