/*
 * alloc.c: the library's own host allocations, with fault injection: tests make the n-th allocation from
 * now fail to reach every out-of-memory path.
 */
#include "core/environment.h"
#include <stdlib.h>

/* Allocations left before the one that fails; 0: none will. */
static _Atomic int64_t countdown;

__attribute__((constructor)) static void read_environment(void) {
    gndi_fail_alloc_at(gndi_env_number(GNDI_GND_FAIL_ALLOC, 0));
}

void gndi_fail_alloc_at(int64_t n) {
    atomic_store(&countdown, n > 0 ? n : 0);
}

bool gndi_alloc_should_fail(void) {
    int64_t left = atomic_load_explicit(&countdown, memory_order_relaxed);
    if (gndi_likely(left == 0)) return false;
    while (left > 0)
        if (atomic_compare_exchange_weak(&countdown, &left, left - 1)) return left == 1;
    return false;
}

static void *checked(const char *fn, void *p, size_t bytes) {
    if (gndi_unlikely(p == NULL))
        gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory: %zu bytes could not be allocated", bytes);
    return p;
}

void *gndi_malloc(const char *fn, size_t bytes) {
    return checked(fn, gndi_alloc_should_fail() ? NULL : malloc(bytes ? bytes : 1), bytes);
}

void *gndi_calloc(const char *fn, size_t bytes) {
    return checked(fn, gndi_alloc_should_fail() ? NULL : calloc(1, bytes ? bytes : 1), bytes);
}

void *gndi_realloc(const char *fn, void *p, size_t bytes) {
    return checked(fn, gndi_alloc_should_fail() ? NULL : realloc(p, bytes ? bytes : 1), bytes);
}

void gndi_free(void *p) {
    free(p);
}
