/*
 * build.c: how this library was built.
 */
#include "build_facts.h"
#include "runtime/traced.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

const gnd_build *gnd_build_info(void) {
    static const gnd_build plain = {
        .version = TEXT(GND_VERSION_MAJOR) "." TEXT(GND_VERSION_MINOR) "." TEXT(GND_VERSION_PATCH),
        .compiler = GNDI_BUILD_COMPILER,
        .type = GNDI_BUILD_TYPE,
        .cuda = GNDI_BUILD_CUDA,
        .gpu_architectures = GNDI_BUILD_GPU_ARCHITECTURES,
        .cpu_sets = GNDI_BUILD_CPU_SETS,
        .nvtx = GNDI_BUILD_NVTX,
    };
    return &plain;
}
