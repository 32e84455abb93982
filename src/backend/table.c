/*
 * table.c: the list of backends. gndi_backend_of is the one name that the runtime takes from above: tables that
 * register themselves would be left out of a program that links the static library.
 */
#include "backend/recorded.h"
#include "backend/table.h"
#include "kernels/cpu/isa.h"

gndi_backend gndi_plain_tables[2], gndi_device_tables[2];

static void fill_cpu_table(gndi_backend *table) {
    *table = gndi_cpu_device_functions;
#define HOOK(name, type) table->name = gndi_cpu_##name;
#define HOOK_GPU(name, type)
#include "runtime/hooks.def"
    table->capture_begin = gndi_record_begin, table->capture_end = gndi_record_end;
    table->capture_drop = gndi_record_drop;
    table->graph_launch = gndi_record_launch, table->graph_release = gndi_record_release;
    table->instruction_set = gndi_cpu_isa;
    table->fuse_executor = gndi_cpu_fuse_executor;
    table->describe_fault = gndi_describe_fault;
}

static void fill(void) {
    fill_cpu_table(&gndi_plain_tables[GND_CPU]);
    gndi_fill_traced_table(&gndi_device_tables[GND_CPU], &gndi_plain_tables[GND_CPU]);
#ifdef GNDI_WITH_CUDA
    gndi_fill_cuda_table(&gndi_plain_tables[GND_GPU]);
    gndi_fill_traced_table(&gndi_device_tables[GND_GPU], &gndi_plain_tables[GND_GPU]);
#endif
}

const gndi_backend *gndi_backend_of(gnd_device_kind kind) {
    static gndi_once once;
    gndi_once_do(&once, fill);
    const gndi_backend *table = &gndi_device_tables[kind];
    return table->name ? table : NULL;
}
