/*
 * sort_cpu.c: the CPU backend's sort: the memory it needs, and who sorts which rows.
 */
#include "kernels/cpu/sort_loops.h"
#include "runtime/backend_kernels.h"

gnd_status gndi_cpu_sort(gnd_stream *s, const gndi_sort_plan *plan, const char *fn) {
    gndi_buffer *room = gndi_buffer_new(fn, s, (size_t)plan->length * 48);
    if (!room) return GND_ERROR_MEMORY;
    gndi_cpu_sort_rows(plan, room->base);
    gndi_buffer_release(room);
    return GND_OK;
}
