/*
 * parallel.c: the CPU backend's threads, OpenMP's behind one function.
 */
#define _GNU_SOURCE
#include "runtime/runtime.h"
#include <omp.h>
#include <sched.h>
#include <stdlib.h>

static pthread_once_t count_once = PTHREAD_ONCE_INIT;
static int thread_count = 1;

static int count_from(const char *variable) {
    const char *text = getenv(variable);
    if (!text) return 0;
    char *end;
    long n = strtol(text, &end, 10);
    return end != text && n > 0 && n <= 4096 ? (int)n : 0;
}

static void find_thread_count(void) {
    int n = count_from("GND_NUM_THREADS");
    if (!n) n = count_from("OMP_NUM_THREADS");
    if (!n) {
        cpu_set_t cpus;
        n = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : omp_get_num_procs();
    }
    thread_count = n > 0 ? n : 1;
}

int gndi_thread_count(void) {
    pthread_once(&count_once, find_thread_count);
    return thread_count;
}

void gndi_parallel_for(int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t),
                       void *context) {
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    int64_t pieces = n / grain;
    if (pieces > gndi_thread_count()) pieces = gndi_thread_count();
    /* Inside a parallel piece the caller's share is its own to do. */
    if (pieces <= 1 || omp_in_parallel()) {
        body(context, 0, n);
        return;
    }
#pragma omp parallel num_threads((int)pieces)
    {
        int64_t count = omp_get_num_threads(), index = omp_get_thread_num();
        int64_t share = n / count, rest = n % count;
        int64_t begin = index * share + (index < rest ? index : rest);
        int64_t end = begin + share + (index < rest);
        if (begin < end) body(context, begin, end);
    }
}
