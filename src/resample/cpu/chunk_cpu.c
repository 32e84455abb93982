/*
 * chunk_cpu.c: a chunk of a signal joined to what is kept of the chunks before, on the CPU.
 */
#include "resample/chunk_plan.h"
#include "runtime/hooks.h"

static void copy_items(const gndi_chunk_plan *p, const char *from, char *to) {
    const size_t item = (size_t)p->item, element = (size_t)p->width * item;
    if (p->x_item == p->item || p->width == 1) {
        if (p->x_step == (int64_t)element) {
            memcpy(to, from, (size_t)p->n * element);
            return;
        }
        for (int64_t i = 0; i < p->n; i++) memcpy(to + (size_t)i * element, from + i * p->x_step, element);
        return;
    }
    for (int64_t i = 0; i < p->n; i++)
        for (int64_t k = 0; k < p->width; k++, to += item) memcpy(to, from + i * p->x_step + k * p->x_item, item);
}

static void join_lines(void *context, int64_t begin, int64_t end) {
    const gndi_chunk_plan *p = context;
    const int64_t element = p->width * p->item, kept = p->keeps * element, all = kept + p->n * element;
    for (int64_t line = begin; line < end; line++) {
        char *to = p->joined + line * all, *keeps = p->kept + line * kept;
        if (!p->joined) {
            copy_items(p, p->x + gndi_line_of_x(&p->grid, line), keeps);
            continue;
        }
        if (kept) memcpy(to, keeps, (size_t)kept);
        copy_items(p, p->x + gndi_line_of_x(&p->grid, line), to + kept);
        if (kept) memcpy(keeps, to + all - kept, (size_t)kept);
    }
}

gnd_status gndi_cpu_chunk(gnd_stream *s, const gndi_chunk_plan *p, const char *fn) {
    (void)s, (void)fn;
    const int64_t bytes = (2 * p->keeps + p->n) * p->width * p->item;
    gndi_parallel_for(p->grid.lines, (1 << 16) / (bytes + 1) + 1, join_lines, (void *)(uintptr_t)p);
    return GND_OK;
}
