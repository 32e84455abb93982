/*
 * segments_cpu.c: to be written.
 */
#include "kernels/segment_plan.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cpu_reduce_segments(gnd_stream *s, const gndi_segment_plan *plan, const char *fn) {
    (void)s, (void)plan;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "is being written");
}
