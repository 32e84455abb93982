/*
 * traced.c: wraps each function of a backend that works in a public function's name in a range for profilers. While
 * ranges are off, this costs a predicted branch.
 */
#include "backend/device_functions.h"
#include "backend/recorded.h"
#include "backend/table.h"
#include "runtime/traced.h"

/* A function of the table: its name, the device it is for, its parameters, and these as arguments. */
#define TRACED(function, device, PARAMETERS, ARGUMENTS)                                                                \
    static gnd_status traced_##function PARAMETERS {                                                                   \
        GNDI_RANGE(fn);                                                                                                \
        gndi_naming.working = fn;                                                                                      \
        return gndi_plain_tables[(device)->id.kind].function ARGUMENTS;                                                \
    }
#define TRACED_HOOK(name, type)                                                                                        \
    TRACED(name, s->device, (gnd_stream * s, const type *plan, const char *fn), (s, plan, fn))
/* A recording stream of the CPU lists the call. */
#define HOOK(name, type)                                                                                               \
    TRACED_HOOK(name, type)                                                                                            \
    static gnd_status recorded_##name(gnd_stream *s, const type *plan, const char *fn) {                               \
        return (gndi_unlikely(s->recording != NULL) ? gndi_record_##name : traced_##name)(s, plan, fn);                \
    }
#define HOOK_GPU(name, type) TRACED_HOOK(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU
GNDI_DEVICE_FUNCTIONS(TRACED)

static gnd_status recorded_copy_in(gnd_stream *s, void *to, const void *from, size_t bytes, bool pinned,
                                   const char *fn) {
    if (gndi_unlikely(s->recording != NULL)) return gndi_record_copy(s, to, from, bytes, pinned, fn);
    return traced_copy_in(s, to, from, bytes, pinned, fn);
}
static gnd_status recorded_copy_out(gnd_stream *s, void *to, const void *from, size_t bytes, bool pinned,
                                    const char *fn) {
    if (gndi_unlikely(s->recording != NULL)) return gndi_record_copy(s, to, from, bytes, pinned, fn);
    return traced_copy_out(s, to, from, bytes, pinned, fn);
}
static gnd_status recorded_copy_within(gnd_stream *s, void *to, const void *from, size_t bytes, const char *fn) {
    if (gndi_unlikely(s->recording != NULL)) return gndi_record_copy(s, to, from, bytes, true, fn);
    return traced_copy_within(s, to, from, bytes, fn);
}
static gnd_status recorded_set_zero(gnd_stream *s, void *device, size_t bytes, const char *fn) {
    if (gndi_unlikely(s->recording != NULL)) return gndi_record_copy(s, device, NULL, bytes, true, fn);
    return traced_set_zero(s, device, bytes, fn);
}
static gnd_status recorded_read_in(gnd_stream *s, void *device, const gndi_file_part *from, size_t bytes,
                                   const char *fn) {
    if (gndi_unlikely(s->recording != NULL)) return gndi_record_copy(s, device, NULL, bytes, false, fn);
    return traced_read_in(s, device, from, bytes, fn);
}

/* Members that are NULL in the backend's table stay NULL. */
void gndi_fill_traced_table(gndi_backend *table, const gndi_backend *plain) {
    *table = *plain;
#define PUT(function) table->function = plain->function ? traced_##function : NULL;
#define HOOK(name, type) PUT(name)
#define HOOK_GPU(name, type) PUT(name)
#include "runtime/hooks.def"
#define PUT_OTHER(function, device, parameters, arguments) PUT(function)
    GNDI_DEVICE_FUNCTIONS(PUT_OTHER)
#undef HOOK
#undef HOOK_GPU
    if (!plain->synchronous) return;
#define HOOK(name, type) table->name = recorded_##name;
#define HOOK_GPU(name, type)
#include "runtime/hooks.def"
    table->copy_in = recorded_copy_in, table->copy_out = recorded_copy_out;
    table->copy_within = recorded_copy_within, table->set_zero = recorded_set_zero;
    table->read_in = recorded_read_in;
}
