/*
 * text.c: the facts for people.
 */
#include "gnd_info.h"
#include <string.h>

static const char * or (const char *text, const char *otherwise) {
    return *text ? text : otherwise;
}

static void print_build(FILE *out, const facts *f) {
    const gnd_build *b = f->build;
    fprintf(out, "gnd %s  %s\n", b->version, or (f->library, "(linked statically)"));
    fprintf(out, "  built with       %s, %s\n", b->compiler, b->type);
    fprintf(out, "  CUDA             %s", or (b->cuda, "built without"));
    for (const char *at = b->gpu_architectures; *at; at += strspn(at, " ")) {
        const int length = (int)strcspn(at, " ");
        fprintf(out, "%s sm_%.*s", at == b->gpu_architectures ? ", for" : "", length, at);
        at += length;
    }
    fprintf(out, "\n");
    fprintf(out, "  CPU kernels      %s\n", b->cpu_sets);
    fprintf(out, "  profiler ranges  %s\n", b->nvtx ? "NVTX 3 (GND_NVTX=1)" : "built without");
}

static void print_memory(FILE *out, const gnd_device_properties *p) {
    fprintf(out, "%.1f GiB", (double)p->memory_bytes / (1 << 30));
    if (p->bandwidth > 0) fprintf(out, " at %.0f GB/s", p->bandwidth / 1e9);
    if (p->l2_bytes) fprintf(out, ", cache %.0f MiB", (double)p->l2_bytes / (1 << 20));
}

static void print_devices(FILE *out, const facts *f) {
    fprintf(out, "\nDevices (programs start on %s)\n", f->first);
    fprintf(out, "  cpu      %s\n", f->cpu.name);
    fprintf(out, "           %d core%s, %d thread%s in use, instruction set %s\n           ", f->cpu.cores,
            f->cpu.cores == 1 ? "" : "s", f->cpu.processors, f->cpu.processors == 1 ? "" : "s", f->cpu.instruction_set);
    print_memory(out, &f->cpu);
    fprintf(out, "\n");
    for (int i = 0; i < f->gpus; i++) {
        const gnd_device_properties *p = &f->gpu[i];
        fprintf(out, "  gpu:%-4d %s\n", i, p->name);
        fprintf(out, "           compute capability %d.%d, %d multiprocessors, PCI %s\n           ", p->major, p->minor,
                p->processors, p->pci_bus_id);
        print_memory(out, p);
        fprintf(out, "\n");
    }
    if (f->no_gpu) fprintf(out, "  no GPU   %s\n", f->no_gpu);
    if (*f->driver) fprintf(out, "  driver   %s", f->driver);
    if (*f->driver && f->gpus)
        fprintf(out, ", for CUDA up to %d.%d", f->gpu[0].driver_version / 1000, f->gpu[0].driver_version % 1000 / 10);
    if (*f->driver) fprintf(out, "\n");
}

static void print_libraries(FILE *out, const facts *f) {
    fprintf(out, "\nLibraries, opened when they are first needed\n");
    for (int i = 0; i < f->library_count; i++) {
        const gnd_library_info *l = &f->libraries[i];
        fprintf(out, "  %-16s %-9s %s\n", l->name, l->found ? or (l->version, "found") : "missing", l->purpose);
        if (l->found)
            fprintf(out, "  %-26s %s\n", "", l->path);
        else
            fprintf(out, "  %-26s %s; it comes with %s\n", "", l->problem, l->package);
    }
}

void print_text(FILE *out, const facts *f) {
    print_build(out, f);
    print_devices(out, f);
    print_libraries(out, f);
    if (f->variable_count) fprintf(out, "\nEnvironment\n");
    for (int i = 0; i < f->variable_count; i++) fprintf(out, "  %s\n", f->variables[i]);
}
