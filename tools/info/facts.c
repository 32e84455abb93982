/*
 * facts.c: asks the library, and the system for what the library does not tell: the driver's release,
 * the C++ compiler that makes kernels of the user's own on the CPU, and the environment.
 */
#define _GNU_SOURCE
#include "gnd_info.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void find_library(facts *f) {
    Dl_info where;
    const gnd_build *(*known)(void) = gnd_build_info;
    void *address;
    memcpy(&address, &known, sizeof address); /* ISO C has no cast from functions to data */
    if (dladdr(address, &where) && where.dli_fname && strstr(where.dli_fname, "libgnd")) {
        if (!realpath(where.dli_fname, f->library)) snprintf(f->library, sizeof f->library, "%s", where.dli_fname);
    }
}

static void find_devices(facts *f) {
    gnd_device_properties_of(gnd_cpu(), &f->cpu);
    f->no_gpu = gnd_gpu_unavailable();
    const int count = gnd_device_count(GND_GPU);
    while (f->gpus < count && f->gpus < MOST_GPUS) {
        gnd_device_properties_of(gnd_gpu(f->gpus), &f->gpu[f->gpus]);
        f->gpus++;
    }
    snprintf(f->first, sizeof f->first, "%s", gnd_device_name(gnd_current_device()));
    FILE *version = fopen("/sys/module/nvidia/version", "r");
    if (version && fscanf(version, "%63s", f->driver) != 1) f->driver[0] = '\0';
    if (version) fclose(version);
}

/* A program by its name in PATH, or by a path. */
static bool find_program(const char *name, char *path, size_t room) {
    if (strchr(name, '/')) return snprintf(path, room, "%s", name) < (int)room && access(path, X_OK) == 0;
    for (const char *at = getenv("PATH"); at && *at;) {
        const int length = (int)strcspn(at, ":");
        if (snprintf(path, room, "%.*s/%s", length, at, name) < (int)room && access(path, X_OK) == 0) return true;
        at += length + (at[length] == ':');
    }
    path[0] = '\0';
    return false;
}

/* gnd takes $CXX, else the first of these (gnd/library.h). */
static void find_compiler(facts *f) {
    gnd_library_info *l = &f->libraries[f->library_count++];
    const char *wish = getenv("CXX");
    const char *const names[] = {"c++", "g++", "clang++"};
    l->name = "C++ compiler";
    l->purpose = "kernels compiled at run time, on the CPU";
    l->package = "a C++ compiler (Debian: g++)";
    if (wish && *wish) {
        char first[256]; /* it may have options behind it */
        snprintf(first, sizeof first, "%.*s", (int)strcspn(wish, " "), wish);
        l->found = find_program(first, l->path, sizeof l->path);
        if (!l->found) snprintf(l->problem, sizeof l->problem, "CXX is %.180s, which is no program here", wish);
        return;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names && !l->found; i++)
        l->found = find_program(names[i], l->path, sizeof l->path);
    if (!l->found) snprintf(l->problem, sizeof l->problem, "no c++, g++ or clang++ in PATH");
}

static void find_libraries(facts *f) {
    const int count = gnd_library_count();
    while (f->library_count < count && f->library_count < MOST_LIBRARIES - 1) {
        gnd_library_info_of(f->library_count, &f->libraries[f->library_count]);
        f->library_count++;
    }
    find_compiler(f);
}

static bool matters(const char *variable) {
    static const char *const read[] = {
        "GND_",  "CUDA_VISIBLE_DEVICES=", "CUDA_HOME=",     "CUDA_PATH=", "CXX=", "OMP_NUM_THREADS=",
        "NVTX_", "LD_LIBRARY_PATH=",      "XDG_CACHE_HOME="};
    for (size_t i = 0; i < sizeof read / sizeof *read; i++)
        if (strncmp(variable, read[i], strlen(read[i])) == 0) return true;
    return false;
}

void find_facts(facts *f) {
    *f = (facts){.build = gnd_build_info()};
    find_library(f);
    find_devices(f);
    find_libraries(f);
    for (char **v = environ; *v && f->variable_count < MOST_VARIABLES; v++)
        if (matters(*v)) f->variables[f->variable_count++] = *v;
}
