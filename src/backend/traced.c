/*
 * traced.c: wraps each function of a backend that works in a public function's name in a range for profilers. While
 * ranges are off, this costs a predicted branch.
 */
#include "backend/device_functions.h"
#include "backend/table.h"
#include "runtime/traced.h"

/* A function of the table: its name, the device it is for, its parameters, and these as arguments. */
#define TRACED(function, device, PARAMETERS, ARGUMENTS)                                                                \
    static gnd_status traced_##function PARAMETERS {                                                                   \
        GNDI_RANGE(fn);                                                                                                \
        gndi_naming.working = fn;                                                                                      \
        return gndi_plain_tables[(device)->id.kind].function ARGUMENTS;                                                \
    }
#define HOOK(name, type) TRACED(name, s->device, (gnd_stream * s, const type *plan, const char *fn), (s, plan, fn))
#define HOOK_GPU(name, type) HOOK(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU
GNDI_DEVICE_FUNCTIONS(TRACED)

/* Members that are NULL in the backend's table stay NULL. */
void gndi_fill_traced_table(gndi_backend *table, const gndi_backend *plain) {
    *table = *plain;
#define PUT(function) table->function = plain->function ? traced_##function : NULL;
#define HOOK(name, type) PUT(name)
#define HOOK_GPU(name, type) PUT(name)
#include "runtime/hooks.def"
#define PUT_OTHER(function, device, parameters, arguments) PUT(function)
    GNDI_DEVICE_FUNCTIONS(PUT_OTHER)
}
