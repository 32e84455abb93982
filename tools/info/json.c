/*
 * json.c: the facts for programs. What is unknown or missing is null.
 */
#include "gnd_info.h"
#include <string.h>

#ifdef WITH_CJSON
#    include <cjson/cJSON.h>

static void add_text(cJSON *to, const char *name, const char *text) {
    if (text && *text)
        cJSON_AddStringToObject(to, name, text);
    else
        cJSON_AddNullToObject(to, name);
}

static void add_words(cJSON *to, const char *name, const char *text) {
    cJSON *list = cJSON_AddArrayToObject(to, name);
    for (size_t length; *text; text += length + (text[length] == ' ')) {
        char word[64];
        length = strcspn(text, " ");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        cJSON_AddItemToArray(list, cJSON_CreateString(word));
    }
}

static void add_build(cJSON *to, const facts *f) {
    cJSON *build = cJSON_AddObjectToObject(to, "build");
    add_text(build, "compiler", f->build->compiler);
    add_text(build, "type", f->build->type);
    add_text(build, "cuda", f->build->cuda);
    add_words(build, "gpu_architectures", f->build->gpu_architectures);
    add_words(build, "cpu_sets", f->build->cpu_sets);
    cJSON_AddBoolToObject(build, "nvtx", f->build->nvtx);
}

static cJSON *add_device(cJSON *to, const char *kind, int index, const gnd_device_properties *p) {
    cJSON *device = cJSON_CreateObject();
    cJSON_AddItemToArray(to, device);
    cJSON_AddStringToObject(device, "kind", kind);
    cJSON_AddNumberToObject(device, "index", index);
    add_text(device, "name", p->name);
    cJSON_AddNumberToObject(device, "memory_bytes", (double)p->memory_bytes);
    cJSON_AddNumberToObject(device, "cache_bytes", (double)p->l2_bytes);
    return device;
}

static void add_devices(cJSON *to, const facts *f) {
    cJSON *devices = cJSON_AddArrayToObject(to, "devices");
    cJSON *cpu = add_device(devices, "cpu", 0, &f->cpu);
    cJSON_AddNumberToObject(cpu, "cores", f->cpu.cores);
    cJSON_AddNumberToObject(cpu, "threads", f->cpu.processors);
    add_text(cpu, "instruction_set", f->cpu.instruction_set);
    for (int i = 0; i < f->gpus; i++) {
        const gnd_device_properties *p = &f->gpu[i];
        char capability[32];
        snprintf(capability, sizeof capability, "%d.%d", p->major, p->minor);
        cJSON *gpu = add_device(devices, "gpu", i, p);
        add_text(gpu, "compute_capability", capability);
        cJSON_AddNumberToObject(gpu, "multiprocessors", p->processors);
        add_text(gpu, "pci_bus_id", p->pci_bus_id);
        cJSON_AddNumberToObject(gpu, "driver_cuda", p->driver_version);
        if (p->bandwidth > 0)
            cJSON_AddNumberToObject(gpu, "bandwidth", p->bandwidth);
        else
            cJSON_AddNullToObject(gpu, "bandwidth");
    }
    add_text(to, "first_device", f->first);
    add_text(to, "no_gpu", f->no_gpu);
    add_text(to, "driver", f->driver);
}

static void add_libraries(cJSON *to, const facts *f) {
    cJSON *libraries = cJSON_AddArrayToObject(to, "libraries");
    for (int i = 0; i < f->library_count; i++) {
        const gnd_library_info *l = &f->libraries[i];
        cJSON *library = cJSON_CreateObject();
        cJSON_AddItemToArray(libraries, library);
        add_text(library, "name", l->name);
        add_text(library, "purpose", l->purpose);
        cJSON_AddBoolToObject(library, "found", l->found);
        add_text(library, "version", l->version);
        add_text(library, "path", l->path);
        add_text(library, "problem", l->problem);
        add_text(library, "package", l->package);
    }
}

bool print_json(FILE *out, const facts *f) {
    cJSON *all = cJSON_CreateObject();
    add_text(all, "version", f->build->version);
    add_text(all, "library", f->library);
    add_build(all, f);
    add_devices(all, f);
    add_libraries(all, f);
    cJSON *variables = cJSON_AddArrayToObject(all, "environment");
    for (int i = 0; i < f->variable_count; i++) cJSON_AddItemToArray(variables, cJSON_CreateString(f->variables[i]));
    char *text = cJSON_Print(all);
    if (text)
        fprintf(out, "%s\n", text);
    else
        fprintf(stderr, "gnd-info: out of memory\n");
    cJSON_free(text);
    cJSON_Delete(all);
    return text != NULL;
}
#else
bool print_json(FILE *out, const facts *f) {
    (void)out, (void)f;
    fprintf(stderr, "gnd-info: --json needs cJSON, which was missing when this was built (Debian: "
                    "libcjson-dev)\n");
    return false;
}
#endif
