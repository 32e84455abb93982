/*
 * nccl_library.c: finds and opens NCCL.
 */
#include "dist/nccl.h"
#include "dist/mesh.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    "ncclGetVersion",   "ncclGetUniqueId",    "ncclCommInitRankConfig", "ncclCommFinalize",      "ncclCommDestroy",
    "ncclCommAbort",    "ncclCommCount",      "ncclCommUserRank",       "ncclCommGetAsyncError", "ncclGetErrorString",
    "ncclSend",         "ncclRecv",           "ncclAllGather",          "ncclGroupStart",        "ncclGroupEnd",
    "ncclCommSplit",    "ncclGetLastError",   "ncclAllReduce",          "ncclMemAlloc",          "ncclMemFree",
    "ncclCommRegister", "ncclCommDeregister", "gnd_test_nccl_on_host"};
enum { NAMES = sizeof names / sizeof *names, NEEDED = NAMES - 8 };
_Static_assert(sizeof(nccl_table) == NAMES * sizeof(void *), "a name for each function");

/* Whoever comes first publishes it; it stays for ever. */
static gndi_nccl *_Atomic loaded;

/* The path that the environment gives, and no other one; else where packages have it. */
static void *open_nccl(char *problem, size_t capacity) {
    const char *given = getenv("GND_NCCL");
    if (given && *given) {
        void *handle = dlopen(given, RTLD_NOW | RTLD_LOCAL);
        if (!handle) snprintf(problem, capacity, "GND_NCCL=%s cannot be loaded: %s", given, dlerror());
        return handle;
    }
    const char *const places[] = {"libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        void *handle = dlopen(places[i], RTLD_NOW | RTLD_LOCAL);
        if (handle) return handle;
    }
    snprintf(problem, capacity,
             "libnccl.so.2 cannot be loaded; it comes with the package libnccl2, and GND_NCCL may hold its path");
    return NULL;
}

/* 2.18.3 is 21803. */
static void too_old(gndi_nccl *lib, const char *name) {
    int version = 0;
    if (lib->call.GetVersion) lib->call.GetVersion(&version);
    snprintf(lib->problem, sizeof lib->problem, "the library, version %d.%d.%d, has no function %s; 2.18 has it",
             version / 10000, version / 100 % 100, version % 100, name);
}

static void load(gndi_nccl *lib) {
    void *handle = open_nccl(lib->problem, sizeof lib->problem);
    for (int i = 0; handle && i < NAMES; i++) {
        void *address = dlsym(handle, names[i]);
        memcpy((char *)&lib->call + (size_t)i * sizeof address, &address, sizeof address);
        if (!address && i < NEEDED) {
            too_old(lib, names[i]);
            return;
        }
    }
}

const gndi_nccl *gndi_nccl_library(const char *fn) {
    gndi_nccl *own = atomic_load_explicit(&loaded, memory_order_acquire), *none = NULL;
    if (own) return own;
    if (!(own = gndi_dist_calloc(fn, sizeof *own))) return NULL;
    load(own);
    if (!atomic_compare_exchange_strong(&loaded, &none, own)) free(own);
    return atomic_load_explicit(&loaded, memory_order_acquire);
}

gnd_status gndi_nccl_need(const char *fn) {
    const gndi_nccl *lib = gndi_nccl_library(fn);
    if (!lib) return GND_ERROR_MEMORY;
    if (!lib->problem[0]) return GND_OK;
    return gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn, "this needs NCCL, which is missing: %s", lib->problem);
}

bool gndi_nccl_on_host(void) {
    const gndi_nccl *lib = gndi_nccl_library("gnd_mesh");
    return lib && !lib->problem[0] && lib->call.OnHost;
}
