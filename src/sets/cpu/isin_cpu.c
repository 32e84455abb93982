/*
 * isin_cpu.c: which values are in a line that is in no order: its elements are put into a set, and
 * the values shared out among the threads. The loops are in isin_loops.cpp.
 */
#include "sets/cpu/isin_loops.h"
#include "runtime/hooks.h"

enum {
    GRAIN = 4096,     /* least work for a thread */
    FEWEST = 64,      /* slots of the smallest set */
    NEAR = 512 << 10, /* bytes of a set that may be sparse, since they stay in a core's cache */
};

static void look_up(void *context, int64_t begin, int64_t end) {
    gndi_cpu_isin_look_up(context, begin, end);
}

gnd_status gndi_cpu_isin(gnd_stream *s, const gndi_search_plan *plan, const char *fn) {
    gndi_cpu_isin_set set = {.plan = plan};
    const size_t slot = gndi_cpu_isin_slot(plan->dtype);
    const uint64_t length = (uint64_t)plan->length;
    uint64_t slots = FEWEST;
    (void)s;
    while (slots < 2 * length || (slots < 8 * length && 2 * slots * slot <= NEAR)) slots *= 2;
    const size_t bytes = (slots + 1) * slot;
    set.mask = slots - 1;
    set.slots = gndi_malloc(fn, bytes);
    if (!set.slots) return GND_ERROR_MEMORY;
    memset(set.slots, 0xff, bytes);
    gndi_cpu_isin_fill(&set);
    gndi_parallel_for(plan->points, GRAIN, look_up, &set);
    gndi_free(set.slots);
    return GND_OK;
}
