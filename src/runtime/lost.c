/*
 * lost.c: GPUs in a forked child, where CUDA does not work.
 */
#include "runtime/runtime.h"

bool gndi_gpus_lost;

gnd_status gndi_raise_lost(const char *fn) {
    return gndi_raise(GND_ERROR_DEVICE, fn,
                      "this process was forked by one that had begun to use CUDA, and CUDA does not work in "
                      "such a child: its GPU arrays cannot be used here. gnd_use(gnd_cpu()) works; or fork "
                      "before the first use of gnd, or start a new program (exec, posix_spawn)");
}
