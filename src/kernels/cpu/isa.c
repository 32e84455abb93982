/*
 * isa.c: which of the compiled instruction sets this CPU runs.
 * GND_CPU_ISA=baseline, v3 or v4 in the environment asks for one of them (tests compare them).
 */
#include "core/environment.h"
#include "core/lock.h"
#include "kernels/cpu/isa.h"

static gndi_cpu_isa_level level;
static gndi_once chosen;

#ifdef GNDI_CPU_DISPATCH
static bool has_v3(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}
static bool has_v4(void) {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

static void choose(void) {
    level = GNDI_CPU_BASELINE;
#ifdef GNDI_CPU_DISPATCH
    const int64_t asked = gndi_env_number(GNDI_GND_CPU_ISA, GNDI_CPU_V4);
    __builtin_cpu_init();
    if (asked >= GNDI_CPU_V3 && has_v3()) level = GNDI_CPU_V3;
    if (asked >= GNDI_CPU_V4 && has_v4()) level = GNDI_CPU_V4;
#endif
}

gndi_cpu_isa_level gndi_cpu_isa_chosen(void) {
    gndi_once_do(&chosen, choose);
    return level;
}

const char *gndi_cpu_isa(void) {
    static const char *const names[] = {"baseline", "v3", "v4"};
    return names[gndi_cpu_isa_chosen()];
}
