/*
 * nvtx.c: ranges for profilers (gnd/nvtx.h): switching them on, and ranges opened by the program.
 */
#include "core/environment.h"
#include "runtime/traced.h"
#include <stdio.h>

atomic_bool gndi_ranges;

static const char unavailable[] = "this gnd was built without NVTX 3, whose headers come with the "
                                  "CUDA toolkit (package cuda-nvtx-13-0)";

/* This thread's own open ranges, and a bit for each that says whether it was begun, the last one's lowest. */
enum { MOST_OPEN = 64 };
static _Thread_local uint64_t begun;
static _Thread_local int open_ranges;

static void read_environment(void) {
    if (gndi_env_number(GNDI_GND_NVTX, 0) == 0) return;
    if (gndi_nvtx_built)
        atomic_store(&gndi_ranges, true);
    else
        fprintf(stderr, "gnd: GND_NVTX=1 in the environment asks for ranges, but %s\n", unavailable);
}

void gndi_nvtx_start(void) {
    static gndi_once once;
    gndi_once_do(&once, read_environment);
}

gnd_status gnd_nvtx(bool on) {
    gndi_nvtx_start();
    if (on && !gndi_nvtx_built) return gndi_raise(GND_ERROR_UNAVAILABLE, "gnd_nvtx", "%s", unavailable);
    atomic_store(&gndi_ranges, on);
    return GND_OK;
}

bool gnd_nvtx_is_on(void) {
    gndi_nvtx_start();
    return gndi_ranges_on();
}

gnd_status gnd_nvtx_push(const char *name) {
    static const char fn[] = "gnd_nvtx_push";
    if (!name) return gndi_raise(GND_ERROR_INVALID, fn, "a range needs a name");
    if (open_ranges == MOST_OPEN)
        return gndi_raise(GND_ERROR_INVALID, fn, "%d ranges are open on this thread already: %s", MOST_OPEN,
                          "is a gnd_nvtx_pop missing?");
    gndi_nvtx_start();
    const bool on = gndi_ranges_on();
    if (on) gndi_nvtx_push(name);
    begun = begun << 1 | on, open_ranges++;
    return GND_OK;
}

gnd_status gnd_nvtx_pop(void) {
    if (open_ranges == 0)
        return gndi_raise(GND_ERROR_INVALID, "gnd_nvtx_pop",
                          "there is no range to end: this thread began none that has not ended");
    if (begun & 1) gndi_nvtx_pop();
    begun >>= 1, open_ranges--;
    return GND_OK;
}

gnd_status gnd_nvtx_mark(const char *name) {
    if (!name) return gndi_raise(GND_ERROR_INVALID, "gnd_nvtx_mark", "a mark needs a name");
    gndi_nvtx_start();
    if (gndi_ranges_on()) gndi_nvtx_mark(name);
    return GND_OK;
}
