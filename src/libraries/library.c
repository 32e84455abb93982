/*
 * library.c: opens libraries at their first use.
 */
#define _GNU_SOURCE
#include "core/environment.h"
#include "core/lock.h"
#include "libraries/library_tables.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { NOT_TRIED, LOADED, MISSING };

static gndi_lock load_lock;

/* The loader has a lock of its own, which no fork takes: so nothing is loaded meanwhile. What is loaded may
   call gnd as it starts. */
void gndi_loader_begin(void) {
    gndi_lock_take_again(&load_lock);
}
void gndi_loader_end(void) {
    gndi_lock_give_again(&load_lock);
}

bool gndi_is_library(const char *name, size_t length) {
    for (int i = 0; gndi_libraries[i]; i++)
        if (strlen(gndi_libraries[i]->name) == length && memcmp(gndi_libraries[i]->name, name, length) == 0)
            return true;
    return false;
}

/* The CUDA toolkit's own folder is often not on the loader's path. */
static void *open_in_toolkit(const char *soname) {
    const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        char path[512];
        if (!roots[i] || snprintf(path, sizeof path, "%s/lib64/%s", roots[i], soname) >= (int)sizeof path) continue;
        void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (handle) return handle;
    }
    return NULL;
}

static void *open_first(gndi_library *lib) {
    for (int i = 0; lib->sonames[i]; i++) {
        void *handle = dlopen(lib->sonames[i], RTLD_NOW | RTLD_LOCAL);
        if (!handle) handle = open_in_toolkit(lib->sonames[i]);
        if (handle) return handle;
    }
    snprintf(lib->problem, sizeof lib->problem, "%s cannot be loaded", lib->sonames[0]);
    return NULL;
}

/* The table stays empty if a symbol is missing that is not optional. */
static bool fill_table(gndi_library *lib, void *handle) {
    int count = 0;
    while (lib->symbols[count]) count++;
    for (int i = 0; i < count; i++) {
        lib->table[i] = dlsym(handle, lib->symbols[i]);
        if (lib->table[i] || i >= count - lib->optional) continue;
        snprintf(lib->problem, sizeof lib->problem, "%s has no function %s; it may be too old", lib->sonames[0],
                 lib->symbols[i]);
        memset(lib->table, 0, (size_t)count * sizeof *lib->table);
        return false;
    }
    Dl_info where;
    if (dladdr(lib->table[0], &where) && where.dli_fname) snprintf(lib->path, sizeof lib->path, "%s", where.dli_fname);
    return true;
}

static int try_to_load(gndi_library *lib) {
    if (gndi_env_lists(GNDI_GND_WITHOUT, lib->name)) {
        snprintf(lib->problem, sizeof lib->problem, "GND_WITHOUT in the environment forbids it");
        return MISSING;
    }
    void *handle = open_first(lib);
    if (!handle) return MISSING;
    if (fill_table(lib, handle)) return LOADED;
    dlclose(handle);
    return MISSING;
}

static int load(gndi_library *lib) {
    int state = atomic_load_explicit(&lib->state, memory_order_acquire);
    if (gndi_likely(state == LOADED)) return state;
    gndi_loader_begin();
    state = atomic_load_explicit(&lib->state, memory_order_relaxed);
    if (state == NOT_TRIED) {
        state = try_to_load(lib);
        if (state == LOADED && lib->opened) lib->opened();
        atomic_store_explicit(&lib->state, state, memory_order_release);
    }
    gndi_loader_end();
    return state;
}

gnd_status gndi_library_load(gndi_library *lib, const char *fn) {
    if (gndi_likely(load(lib) == LOADED)) return GND_OK;
    return gndi_raise(GND_ERROR_UNAVAILABLE, fn, "this needs %s, which is missing: %s; it comes with %s", lib->name,
                      lib->problem, lib->package);
}

/* ---- the public face ------------------------------------------------------------------------ */

int gnd_library_count(void) {
    int count = 0;
    while (gndi_libraries[count]) count++;
    return count;
}

gnd_status gnd_library_info_of(int index, gnd_library_info *out) {
    static const char fn[] = "gnd_library_info_of";
    if (!out) return gndi_raise(GND_ERROR_INVALID, fn, "no place to write to (out is NULL)");
    if (index < 0 || index >= gnd_library_count())
        return gndi_raise(GND_ERROR_INDEX, fn, "there is no library %d; they are 0 to %d", index,
                          gnd_library_count() - 1);
    gndi_library *lib = gndi_libraries[index];
    memset(out, 0, sizeof *out);
    out->name = lib->name;
    out->purpose = lib->purpose;
    out->package = lib->package;
    out->found = load(lib) == LOADED;
    if (out->found) lib->version(out->version, sizeof out->version);
    snprintf(out->path, sizeof out->path, "%s", lib->path);
    snprintf(out->problem, sizeof out->problem, "%s", lib->problem);
    return GND_OK;
}

gnd_status gnd_library_load(const char *name) {
    static const char fn[] = "gnd_library_load";
    if (!name) return gndi_raise(GND_ERROR_INVALID, fn, "name is NULL");
    for (int i = 0; gndi_libraries[i]; i++)
        if (strcmp(gndi_libraries[i]->name, name) == 0) return gndi_library_load(gndi_libraries[i], fn);
    return gndi_raise(GND_ERROR_INVALID, fn, "gnd knows no library \"%s\"; gnd_library_info_of lists them", name);
}
