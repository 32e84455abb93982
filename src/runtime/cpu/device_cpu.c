/*
 * device_cpu.c: the CPU as a device. Work is complete when a call returns, so streams and events do
 * nothing. Large blocks get a mapping of their own, with huge pages where available.
 */
#define _GNU_SOURCE
#include "runtime/cpu/shared_cpu.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { ALIGNMENT = 64 };
#define HUGE_PAGE ((size_t)2 << 20)
#define MAPPED_FROM ((size_t)4 << 20)   /* blocks from this size are mapped */
#define CHECKED_FROM ((size_t)64 << 20) /* blocks from this size are compared with the free memory */

static gndi_fault reported;

/* ---- the device ----------------------------------------------------------------------------- */

static int cpu_count(void) {
    return 1;
}

static gnd_status cpu_open(gndi_device *d, const char *fn) {
    (void)fn;
    d->faults.record = &reported, d->faults.capacity = 1;
    d->processors = gndi_thread_count();
    return GND_OK;
}

static void cpu_close(gndi_device *d) {
    (void)d;
}

/* The number in a one-number file (a control group's limit); SIZE_MAX if there is none. */
static size_t read_number(const char *path) {
    FILE *f = fopen(path, "r");
    unsigned long long value;
    if (!f) return SIZE_MAX;
    if (fscanf(f, "%llu", &value) != 1) value = SIZE_MAX;
    fclose(f);
    return (size_t)value;
}

static gnd_status cpu_memory_info(gndi_device *d, size_t *free_bytes, size_t *total_bytes, const char *fn) {
    (void)d, (void)fn;
    size_t total = 0, available = 0;
    char line[256];
    FILE *f = fopen("/proc/meminfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        size_t kib;
        if (sscanf(line, "MemTotal: %zu", &kib) == 1) total = kib << 10;
        if (sscanf(line, "MemAvailable: %zu", &kib) == 1) available = kib << 10;
    }
    if (f) fclose(f);
    if (!total) {
        size_t page = (size_t)sysconf(_SC_PAGESIZE);
        total = (size_t)sysconf(_SC_PHYS_PAGES) * page;
        available = (size_t)sysconf(_SC_AVPHYS_PAGES) * page;
    }
    size_t limit = read_number("/sys/fs/cgroup/memory.max");
    size_t taken = read_number("/sys/fs/cgroup/memory.current");
    if (limit < total && taken != SIZE_MAX) {
        total = limit;
        size_t rest = limit > taken ? limit - taken : 0;
        if (rest < available) available = rest;
    }
    if (free_bytes) *free_bytes = available;
    if (total_bytes) *total_bytes = total;
    return GND_OK;
}

enum { MOST_CORES = 4096 };

/* Reads the model's name, and counts cores as different pairs of socket and core: threads of one core have the same
   pair. */
static void read_cpuinfo(gnd_device_properties *out) {
    static const char path[] = "/proc/cpuinfo";
    char line[512];
    uint64_t *cores = calloc(MOST_CORES, sizeof *cores), socket = 0;
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (!colon) continue;
        const char *text = colon + 1 + strspn(colon + 1, " \t");
        const int length = (int)strcspn(text, "\n");
        if (strncmp(line, "model name", 10) == 0 && strcmp(out->name, "CPU") == 0)
            snprintf(out->name, sizeof out->name, "%.*s", length, text);
        if (strncmp(line, "physical id", 11) == 0) socket = strtoul(text, NULL, 10);
        if (strncmp(line, "core id", 7) == 0 && cores) {
            const uint64_t core = socket << 32 | strtoul(text, NULL, 10);
            int k = 0;
            while (k < out->cores && cores[k] != core) k++;
            if (k == out->cores && k < MOST_CORES) cores[out->cores++] = core;
        }
    }
    if (f) fclose(f);
    free(cores);
}

static gnd_status cpu_properties(int index, gnd_device_properties *out, const char *fn) {
    (void)index;
    snprintf(out->name, sizeof out->name, "CPU");
    read_cpuinfo(out);
    if (out->cores == 0) out->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
    out->processors = gndi_thread_count();
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    out->l2_bytes = cache > 0 ? (size_t)cache : 0;
    return cpu_memory_info(NULL, NULL, &out->memory_bytes, fn);
}

/* ---- memory --------------------------------------------------------------------------------- */

static size_t mapped_size(size_t bytes) {
    return (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
}

/* A mapping aligned to huge pages: one huge page more is mapped, and the ends are unmapped. */
static void *map_block(size_t bytes) {
    size_t size = mapped_size(bytes), all = size + HUGE_PAGE;
    char *raw = mmap(NULL, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) return NULL;
    size_t head = (HUGE_PAGE - (uintptr_t)raw % HUGE_PAGE) % HUGE_PAGE;
    if (head) munmap(raw, head);
    if (all - head - size) munmap(raw + head + size, all - head - size);
    madvise(raw + head, size, MADV_HUGEPAGE);
    return raw + head;
}

static void *cpu_allocate(gndi_device *d, size_t bytes, gnd_stream *s) {
    (void)s;
    /* Linux overcommits memory and kills processes that touch too much of it; an error is better. */
    size_t available;
    if (bytes >= CHECKED_FROM && !cpu_memory_info(d, &available, NULL, "") && bytes > available) return NULL;
    if (bytes >= MAPPED_FROM) return map_block(bytes);
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
}

static void cpu_release(gndi_device *d, void *p, size_t bytes, gnd_stream *s) {
    (void)d, (void)s;
    if (bytes >= MAPPED_FROM)
        munmap(p, mapped_size(bytes));
    else
        free(p);
}

static void *cpu_kind_allocate(gndi_device *d, gnd_memory_kind kind, size_t bytes) {
    return kind == GND_MEMORY_SHARED ? gndi_cpu_shared_allocate(bytes) : cpu_allocate(d, bytes, NULL);
}

static void cpu_kind_release(gndi_device *d, gnd_memory_kind kind, void *p, size_t bytes, gnd_stream *s) {
    if (kind == GND_MEMORY_SHARED)
        gndi_cpu_shared_release(p);
    else
        cpu_release(d, p, bytes, s);
}

static void cpu_trim(gndi_device *d) {
    (void)d;
}

static void *cpu_pinned_allocate(gndi_device *d, size_t bytes) {
    (void)d;
    return aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
}
static void cpu_pinned_release(void *p) {
    free(p);
}
static bool cpu_is_pinned(gndi_device *d, const void *host, size_t bytes) {
    return (void)d, (void)host, (void)bytes, true;
}

static bool cpu_can_reach(gndi_device *d, const void *p) {
    return (void)d, (void)p, true;
}

/* ---- streams and events --------------------------------------------------------------------- */

static gnd_status cpu_stream_open(gnd_stream *s, const char *fn) {
    return (void)s, (void)fn, GND_OK;
}
static gnd_status cpu_stream_wait_idle(gnd_stream *s, const char *fn) {
    return (void)s, (void)fn, GND_OK;
}
static bool cpu_stream_idle(gnd_stream *s) {
    return (void)s, true;
}
static gnd_status cpu_stream_wait_stream(gnd_stream *s, gnd_stream *other, const char *fn) {
    return (void)s, (void)other, (void)fn, GND_OK;
}

/* Programs that also run on a GPU pass NULL, CUDA's default stream. */
static gnd_status check_native(const void *native, const char *fn) {
    if (!native) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "the CPU has no native streams: native must be NULL, not %p", native);
}
static gnd_status cpu_stream_wait_native(gnd_stream *s, void *native, const char *fn) {
    return (void)s, check_native(native, fn);
}
static gnd_status cpu_native_wait_stream(void *native, gnd_stream *s, const char *fn) {
    return (void)s, check_native(native, fn);
}
static void cpu_stream_return(gnd_stream *s) {
    (void)s;
}

static gnd_status cpu_event_open(gnd_event *e, const char *fn) {
    return (void)e, (void)fn, GND_OK;
}
static void cpu_event_close(gnd_event *e) {
    (void)e;
}
static gnd_status cpu_event_record(gnd_event *e, gnd_stream *s, const char *fn) {
    (void)s, (void)fn;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    e->time = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    return GND_OK;
}
static gnd_status cpu_stream_wait_event(gnd_stream *s, gnd_event *e, const char *fn) {
    return (void)s, (void)e, (void)fn, GND_OK;
}
static gnd_status cpu_event_wait(gnd_event *e, const char *fn) {
    return (void)e, (void)fn, GND_OK;
}
static bool cpu_event_done(gnd_event *e) {
    return (void)e, true;
}
static gnd_status cpu_event_elapsed(gnd_event *from, gnd_event *to, double *milliseconds, const char *fn) {
    (void)fn;
    *milliseconds = (to->time - from->time) * 1e3;
    return GND_OK;
}

static bool cpu_stream_captured(gnd_stream *s) {
    return s->capture != NULL;
}

/* ---- copies --------------------------------------------------------------------------------- */

enum { COPY_GRAIN = 1 << 20 };

typedef struct copy_job {
    char *to;
    const char *from;
} copy_job;

static void copy_piece(void *context, int64_t begin, int64_t end) {
    const copy_job *job = context;
    memcpy(job->to + begin, job->from + begin, (size_t)(end - begin));
}

static gnd_status cpu_copy_within(gnd_stream *s, void *to, const void *from, size_t bytes, const char *fn) {
    (void)s, (void)fn;
    copy_job job = {to, from};
    gndi_parallel_for((int64_t)bytes, COPY_GRAIN, copy_piece, &job);
    return GND_OK;
}

static gnd_status cpu_read_in(gnd_stream *s, void *device, const gndi_file_part *from, size_t bytes, const char *fn) {
    (void)s;
    return gndi_file_part_check(from, gndi_file_part_read(from, 0, device, bytes), fn);
}

static gnd_status cpu_copy_in(gnd_stream *s, void *device, const void *host, size_t bytes, bool pinned,
                              const char *fn) {
    (void)pinned;
    return cpu_copy_within(s, device, host, bytes, fn);
}

static gnd_status cpu_copy_out(gnd_stream *s, void *host, const void *device, size_t bytes, bool pinned,
                               const char *fn) {
    (void)pinned;
    return cpu_copy_within(s, host, device, bytes, fn);
}

static gnd_status cpu_copy_peer(gnd_stream *s, void *to, const void *from, gndi_device *from_device, size_t bytes,
                                const char *fn) {
    (void)from_device;
    return cpu_copy_within(s, to, from, bytes, fn);
}

static void zero_piece(void *context, int64_t begin, int64_t end) {
    memset((char *)context + begin, 0, (size_t)(end - begin));
}

static gnd_status cpu_set_zero(gnd_stream *s, void *device, size_t bytes, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for((int64_t)bytes, COPY_GRAIN, zero_piece, device);
    return GND_OK;
}

const gndi_backend gndi_cpu_device_functions = {
    .name = "cpu",
    .synchronous = true,
    .count = cpu_count,
    .open = cpu_open,
    .close = cpu_close,
    .properties = cpu_properties,
    .memory_info = cpu_memory_info,
    .allocate = cpu_allocate,
    .release = cpu_release,
    .trim = cpu_trim,
    .kind_allocate = cpu_kind_allocate,
    .kind_release = cpu_kind_release,
    .share = gndi_cpu_share,
    .shared_device = gndi_cpu_shared_device,
    .open_shared = gndi_cpu_open_shared,
    .close_shared = gndi_cpu_close_shared,
    .pool_largest = (size_t)1 << 44,
    .stream_open = cpu_stream_open,
    .stream_wait_idle = cpu_stream_wait_idle,
    .stream_idle = cpu_stream_idle,
    .stream_wait_stream = cpu_stream_wait_stream,
    .stream_wait_native = cpu_stream_wait_native,
    .native_wait_stream = cpu_native_wait_stream,
    .stream_adopt = cpu_stream_wait_native,
    .stream_return = cpu_stream_return,
    .event_open = cpu_event_open,
    .event_close = cpu_event_close,
    .event_record = cpu_event_record,
    .stream_wait_event = cpu_stream_wait_event,
    .event_wait = cpu_event_wait,
    .event_done = cpu_event_done,
    .event_elapsed = cpu_event_elapsed,
    .copy_in = cpu_copy_in,
    .read_in = cpu_read_in,
    .copy_out = cpu_copy_out,
    .copy_within = cpu_copy_within,
    .copy_peer = cpu_copy_peer,
    .set_zero = cpu_set_zero,
    .pinned_allocate = cpu_pinned_allocate,
    .pinned_release = cpu_pinned_release,
    .is_pinned = cpu_is_pinned,
    .can_reach = cpu_can_reach,
    .stream_captured = cpu_stream_captured,
};
