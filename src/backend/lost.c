/*
 * lost.c: the table of GPUs in a forked child whose parent has used CUDA: all functions fail with an error that
 * says why, and releases do nothing.
 */
#include "backend/device_functions.h"
#include "backend/table.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define LOST(function, device, PARAMETERS, ARGUMENTS)                                                                  \
    static gnd_status lost_##function PARAMETERS {                                                                     \
        return gndi_raise_lost(fn);                                                                                    \
    }
#define HOOK(name, type) LOST(name, , (gnd_stream * s, const type *plan, const char *fn), )
#define HOOK_GPU(name, type) HOOK(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU
#define OTHERS(X)                                                                                                      \
    X(properties, , (int index, gnd_device_properties *out, const char *fn), )                                         \
    X(memory_info, , (gndi_device * d, size_t * free_bytes, size_t * total_bytes, const char *fn), )                   \
    X(stream_open, , (gnd_stream * s, const char *fn), )                                                               \
    X(event_open, , (gnd_event * e, const char *fn), )                                                                 \
    X(stream_wait_native, , (gnd_stream * s, void *native, const char *fn), )                                          \
    X(native_wait_stream, , (void *native, gnd_stream *s, const char *fn), )                                           \
    X(stream_adopt, , (gnd_stream * s, void *native, const char *fn), )                                                \
    X(share, , (gndi_device * d, const void *base, void *token, const char *fn), )                                     \
    X(shared_device, , (const void *token, int *index, const char *fn), )                                              \
    X(open_shared, , (gndi_device * d, const void *token, size_t bytes, void **base, const char *fn), )                \
    X(capture_begin, , (gnd_stream * s, const char *fn), )                                                             \
    X(capture_end, , (gnd_stream * s, void **executable, int64_t *nodes, bool *updated, const char *fn), )             \
    X(graph_launch, , (gnd_stream * s, void *executable, const char *fn), )                                            \
    X(event_elapsed, , (gnd_event * from, gnd_event * to, double *milliseconds, const char *fn), )
GNDI_DEVICE_FUNCTIONS(LOST)
OTHERS(LOST)
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
static void *no_memory_of_kind(gndi_device *d, gnd_memory_kind kind, size_t bytes) {
    return NULL;
}
static void release_no_kind(gndi_device *d, gnd_memory_kind kind, void *p, size_t bytes, gnd_stream *s) {}
static void close_nothing(void *base, size_t bytes) {}
static void drop_nothing(gnd_stream *s) {}
static void release_no_graph(gndi_device *d, void *executable) {}
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
#pragma GCC diagnostic pop

/* Changes the table in place: devices and streams hold its address. */
void gndi_lose_table(void) {
    gndi_backend *table = &gndi_device_tables[GND_GPU];
#define LOSE(function, device, parameters, arguments) table->function = lost_##function;
#define HOOK(name, type) LOSE(name, , , )
#define HOOK_GPU(name, type) LOSE(name, , , )
#include "runtime/hooks.def"
    GNDI_DEVICE_FUNCTIONS(LOSE)
    OTHERS(LOSE)
    table->allocate = no_memory, table->release = release_nothing, table->trim = trim_nothing;
    table->stream_idle = stream_is_idle, table->stream_captured = stream_is_not_captured;
    table->kind_allocate = no_memory_of_kind, table->kind_release = release_no_kind;
    table->close_shared = close_nothing, table->stream_return = drop_nothing;
    table->capture_drop = drop_nothing, table->graph_release = release_no_graph;
    table->event_close = close_no_event, table->event_done = event_is_done;
    table->pinned_allocate = no_pinned_memory, table->pinned_release = release_no_pinned;
    table->is_pinned = is_not_pinned, table->can_reach = cannot_reach;
    table->fft_gathers = NULL, table->scan_starts = NULL, table->fuse_executor = no_executor;
}
