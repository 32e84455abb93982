/*
 * traced.c: each function of a backend that works in a public function's name, with a range around it
 * while ranges are on. While they are off, it costs a branch that is always predicted.
 */
#include "runtime/traced.h"
#include "core/environment.h"
#include <stdio.h>
#include <stdlib.h>

atomic_bool gndi_ranges;

static const char unavailable[] = "this gnd was built without NVTX 3, whose headers come with the "
                                  "CUDA toolkit (package cuda-nvtx-13-0)";

/* ---- the table ------------------------------------------------------------------------------- */

static const gndi_backend *plain_backend(const gndi_device *d) {
#ifdef GNDI_WITH_CUDA
    if (d->id.kind == GND_GPU) return &gndi_backend_cuda;
#else
    (void)d;
#endif
    return &gndi_backend_cpu;
}

/* A function of the table: its name, the device it is for, its parameters, and these as arguments. */
#define TRACED(function, device, PARAMETERS, ARGUMENTS)                                            \
    static gnd_status traced_##function PARAMETERS {                                               \
        GNDI_RANGE(fn);                                                                            \
        gndi_naming.working = fn;                                                                  \
        return plain_backend(device)->function ARGUMENTS;                                          \
    }
/* Those that carry a plan out. */
#define TRACED_PLAN(function, type)                                                                \
    TRACED(function, s->device, (gnd_stream * s, const type *plan, const char *fn), (s, plan, fn))
#define PLANS(X)                                                                                   \
    X(elementwise, gndi_ew_plan)                                                                   \
    X(reduce, gndi_reduce_plan)                                                                    \
    X(scan, gndi_scan_plan)                                                                        \
    X(select, gndi_select_plan)                                                                    \
    X(reduce_segments, gndi_segment_plan)                                                          \
    X(scatter, gndi_scatter_plan)                                                                  \
    X(index, gndi_index_plan)                                                                      \
    X(compact, gndi_compact_plan)                                                                  \
    X(sort, gndi_sort_plan)                                                                        \
    X(search, gndi_search_plan)                                                                    \
    X(histogram, gndi_histogram_plan)                                                              \
    X(correlate, gndi_correlate_plan)                                                              \
    X(bits, gndi_bits_plan)                                                                        \
    X(matmul, gndi_matmul_plan)                                                                    \
    X(lapack, gndi_lapack_plan)                                                                    \
    X(fft, gndi_fft_plan)                                                                          \
    X(fuse, gndi_fuse_plan)                                                                        \
    X(random, gndi_random_plan)                                                                    \
    X(random_ties, gndi_random_ties)
#define OTHERS(X)                                                                                  \
    X(open, d, (gndi_device * d, const char *fn), (d, fn))                                         \
    X(stream_wait_idle, s->device, (gnd_stream * s, const char *fn), (s, fn))                      \
    X(stream_wait_stream, s->device, (gnd_stream * s, gnd_stream * other, const char *fn),         \
      (s, other, fn))                                                                              \
    X(event_record, s->device, (gnd_event * e, gnd_stream * s, const char *fn), (e, s, fn))        \
    X(stream_wait_event, s->device, (gnd_stream * s, gnd_event * e, const char *fn), (s, e, fn))   \
    X(event_wait, e->device, (gnd_event * e, const char *fn), (e, fn))                             \
    X(copy_in, s->device,                                                                          \
      (gnd_stream * s, void *device, const void *host, size_t bytes, bool pinned, const char *fn), \
      (s, device, host, bytes, pinned, fn))                                                        \
    X(copy_out, s->device,                                                                         \
      (gnd_stream * s, void *host, const void *device, size_t bytes, bool pinned, const char *fn), \
      (s, host, device, bytes, pinned, fn))                                                        \
    X(copy_within, s->device,                                                                      \
      (gnd_stream * s, void *to, const void *from, size_t bytes, const char *fn),                  \
      (s, to, from, bytes, fn))                                                                    \
    X(copy_peer, s->device,                                                                        \
      (gnd_stream * s, void *to, const void *from, gndi_device *from_device, size_t bytes,         \
       const char *fn),                                                                            \
      (s, to, from, from_device, bytes, fn))                                                       \
    X(set_zero, s->device, (gnd_stream * s, void *device, size_t bytes, const char *fn),           \
      (s, device, bytes, fn))                                                                      \
    X(random_set, s->device,                                                                       \
      (gnd_stream * s, gndi_random_state * cell, const gndi_random_state *state, const char *fn),  \
      (s, cell, state, fn))                                                                        \
    X(sequence, s->device,                                                                         \
      (gnd_stream * s, void *out, gnd_dtype dtype, int64_t n, gnd_arg first, gnd_arg step,         \
       bool last_given, gnd_arg last, const char *fn),                                             \
      (s, out, dtype, n, first, step, last_given, last, fn))

PLANS(TRACED_PLAN)
OTHERS(TRACED)

static gndi_backend tables[2];
static gndi_once tables_once;

/* What a backend does not have, the table has not either. */
static void fill(gndi_backend *table, const gndi_backend *plain) {
    *table = *plain;
#define PUT(function) table->function = plain->function ? traced_##function : NULL;
#define PUT_PLAN(function, type) PUT(function)
#define PUT_OTHER(function, device, parameters, arguments) PUT(function)
    PLANS(PUT_PLAN)
    OTHERS(PUT_OTHER)
}

static void fill_tables(void) {
    fill(&tables[GND_CPU], &gndi_backend_cpu);
#ifdef GNDI_WITH_CUDA
    fill(&tables[GND_GPU], &gndi_backend_cuda);
#endif
}

const gndi_backend *gndi_traced(const gndi_backend *plain) {
    gndi_once_do(&tables_once, fill_tables);
    return &tables[plain == &gndi_backend_cpu ? GND_CPU : GND_GPU];
}

/* ---- GPUs in a forked child ------------------------------------------------------------------ */

bool gndi_gpus_lost;

gnd_status gndi_raise_lost(const char *fn) {
    return gndi_raise(
        GND_ERROR_DEVICE, fn,
        "this process was forked by one that had begun to use CUDA, and CUDA does not work in "
        "such a child: its GPU arrays cannot be used here. gnd_use(gnd_cpu()) works; or fork "
        "before the first use of gnd, or start a new program (exec, posix_spawn)");
}

#ifdef GNDI_WITH_CUDA
#    define LOST(function, device, PARAMETERS, ARGUMENTS)                                          \
        static gnd_status lost_##function PARAMETERS {                                             \
            return gndi_raise_lost(fn);                                                            \
        }
#    define LOST_PLAN(function, type)                                                              \
        LOST(function, , (gnd_stream * s, const type *plan, const char *fn), )
#    define MORE(X)                                                                                \
        X(properties, , (int index, gnd_device_properties *out, const char *fn), )                 \
        X(memory_info, ,                                                                           \
          (gndi_device * d, size_t * free_bytes, size_t * total_bytes, const char *fn), )          \
        X(stream_open, , (gnd_stream * s, const char *fn), )                                       \
        X(event_open, , (gnd_event * e, const char *fn), )                                         \
        X(event_elapsed, ,                                                                         \
          (gnd_event * from, gnd_event * to, double *milliseconds, const char *fn), )
#    pragma GCC diagnostic push
#    pragma GCC diagnostic ignored "-Wunused-parameter"
PLANS(LOST_PLAN)
OTHERS(LOST)
MORE(LOST)
static void *no_memory(gndi_device *d, size_t bytes, gnd_stream *s) {
    return NULL;
}
static void release_nothing(gndi_device *d, void *p, size_t bytes, gnd_stream *s) {}
static void trim_nothing(gndi_device *d) {}
static bool stream_is_idle(gnd_stream *s) {
    return true;
}
static bool stream_is_not_captured(gnd_stream *s) {
    return false;
}
static void close_no_event(gnd_event *e) {}
static bool event_is_done(gnd_event *e) {
    return true;
}
static void *no_pinned_memory(gndi_device *d, size_t bytes) {
    return NULL;
}
static void release_no_pinned(void *p) {}
static bool is_not_pinned(gndi_device *d, const void *host, size_t bytes) {
    return false;
}
static bool cannot_reach(gndi_device *d, const void *p) {
    return false;
}
static const char *no_executor(gnd_stream *s, const gndi_fuse_plan *plan) {
    return NULL;
}
#    pragma GCC diagnostic pop

/* In place: devices, streams and what they remember hold the table's address. */
void gndi_lose_gpus(void) {
    gndi_backend *table = &tables[GND_GPU];
#    define LOSE(function) table->function = lost_##function;
#    define LOSE_PLAN(function, type) LOSE(function)
#    define LOSE_OTHER(function, device, parameters, arguments) LOSE(function)
    PLANS(LOSE_PLAN)
    OTHERS(LOSE_OTHER)
    MORE(LOSE_OTHER)
    table->allocate = no_memory, table->release = release_nothing, table->trim = trim_nothing;
    table->stream_idle = stream_is_idle, table->stream_captured = stream_is_not_captured;
    table->event_close = close_no_event, table->event_done = event_is_done;
    table->pinned_allocate = no_pinned_memory, table->pinned_release = release_no_pinned;
    table->is_pinned = is_not_pinned, table->can_reach = cannot_reach;
    table->fft_gathers = NULL, table->fuse_executor = no_executor;
    gndi_gpus_lost = true;
}
#else
void gndi_lose_gpus(void) {}
#endif

/* ---- the public face ------------------------------------------------------------------------- */

/* This thread's open ranges of its own, and which of them began: the last one's bit is the lowest. */
enum { MOST_OPEN = 64 };
static _Thread_local uint64_t begun;
static _Thread_local int open_ranges;

static void read_environment(void) {
    if (gndi_env_number(GNDI_GND_NVTX, 0) == 0) return;
    if (gndi_nvtx_built)
        atomic_store(&gndi_ranges, true);
    else
        fprintf(stderr, "gnd: GND_NVTX=1 in the environment asks for ranges, but %s\n",
                unavailable);
}

void gndi_nvtx_start(void) {
    static gndi_once once;
    gndi_once_do(&once, read_environment);
}

gnd_status gnd_nvtx(bool on) {
    gndi_nvtx_start();
    if (on && !gndi_nvtx_built)
        return gndi_raise(GND_ERROR_UNAVAILABLE, "gnd_nvtx", "%s", unavailable);
    atomic_store(&gndi_ranges, on);
    return GND_OK;
}

bool gnd_nvtx_is_on(void) {
    gndi_nvtx_start();
    return gndi_ranges_on();
}

gnd_status gnd_nvtx_push(const char *name) {
    static const char fn[] = "gnd_nvtx_push";
    if (!name) return gndi_raise(GND_ERROR_INVALID, fn, "a range needs a name");
    if (open_ranges == MOST_OPEN)
        return gndi_raise(GND_ERROR_INVALID, fn, "%d ranges are open on this thread already: %s",
                          MOST_OPEN, "is a gnd_nvtx_pop missing?");
    gndi_nvtx_start();
    const bool on = gndi_ranges_on();
    if (on) gndi_nvtx_push(name);
    begun = begun << 1 | on, open_ranges++;
    return GND_OK;
}

gnd_status gnd_nvtx_pop(void) {
    if (open_ranges == 0)
        return gndi_raise(GND_ERROR_INVALID, "gnd_nvtx_pop",
                          "there is no range to end: this thread began none that has not ended");
    if (begun & 1) gndi_nvtx_pop();
    begun >>= 1, open_ranges--;
    return GND_OK;
}

gnd_status gnd_nvtx_mark(const char *name) {
    if (!name) return gndi_raise(GND_ERROR_INVALID, "gnd_nvtx_mark", "a mark needs a name");
    gndi_nvtx_start();
    if (gndi_ranges_on()) gndi_nvtx_mark(name);
    return GND_OK;
}
