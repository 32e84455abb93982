/*
 * graph.c: graphs (gnd/graph.h): recording them, exchanging what they hold, launching them.
 *
 * The thread that records works on a stream of the library's own until the end, so that a stream that other threads
 * use is never captured, and a foreign one need not be. What a launch has to be ordered after is known from the list of
 * buffers (graph.h): with one stream that is two comparisons a buffer, as for any call.
 */
#include "runtime/graph.h"
#include "runtime/pending.h"

gnd_graph *gnd_graph_new(void) {
    static const char fn[] = "gnd_graph_new";
    gnd_stream *s = gndi_stream_current(fn);
    gnd_graph *g = s ? gndi_calloc(fn, sizeof *g) : NULL;
    if (!g) return NULL;
    g->device = s->device;
    g->info.device = s->device->id;
    g->memory = gndi_graph_memory_new(g->device, fn);
    if (!g->memory) {
        gndi_free(g);
        return NULL;
    }
    return gndi_owned("a graph", g, fn);
}

/* ---- buffers from outside -------------------------------------------------------------------- */

static void release_uses(gndi_graph_uses *u) {
    for (int64_t i = 0; i < u->count; i++) gndi_buffer_release(u->use[i].buffer);
    gndi_free(u->use);
    while (u->kept) {
        gndi_graph_kept *k = u->kept;
        u->kept = k->next;
        k->give(k->thing);
        gndi_free(k);
    }
    *u = (gndi_graph_uses){0};
}

gnd_status gndi_graph_note(gnd_graph *g, gndi_buffer *b, bool write, const char *fn) {
    gndi_graph_uses *u = &g->recorded;
    const uint32_t slot = atomic_load_explicit(&b->writer, memory_order_acquire);
    const gnd_stream *writer = slot < GNDI_MAX_STREAMS ? atomic_load(&b->device->streams[slot]) : NULL;
    if (writer && writer->capture)
        return gndi_check_not_recording(writer, "an array of one graph's recording is not there for another one", fn);
    for (int64_t i = u->count; i-- > 0;) {
        if (u->use[i].buffer != b) continue;
        u->use[i].write |= write;
        return GND_OK;
    }
    if (u->count == u->capacity) {
        const int64_t capacity = u->capacity ? 2 * u->capacity : 16;
        gndi_graph_use *use = gndi_realloc(fn, u->use, (size_t)capacity * sizeof *use);
        if (!use) return GND_ERROR_MEMORY;
        u->use = use, u->capacity = capacity;
    }
    gndi_buffer_retain(b);
    u->use[u->count++] = (gndi_graph_use){b, write};
    return GND_OK;
}

gnd_status gndi_graph_keep(gnd_stream *s, void *thing, void (*give)(void *thing), const char *fn) {
    gndi_graph_kept *k = gndi_malloc(fn, sizeof *k);
    if (!k) {
        give(thing);
        return GND_ERROR_MEMORY;
    }
    *k = (gndi_graph_kept){s->capture->recorded.kept, thing, give};
    s->capture->recorded.kept = k;
    return GND_OK;
}

/* ---- recording ------------------------------------------------------------------------------ */

static bool records_here(const gnd_graph *g) {
    return atomic_load_explicit(&g->thread, memory_order_acquire) == &gndi_tls;
}

static gnd_status check_begin(const gnd_graph *g, const gnd_stream *current, const char *fn) {
    if (records_here(g)) return gndi_raise(GND_ERROR_INVALID, fn, "this thread records into the graph already");
    if (current->capture)
        return gndi_raise(GND_ERROR_INVALID, fn, "this thread records into another graph; a graph has no graphs in it");
    if (atomic_load_explicit(&g->thread, memory_order_acquire))
        return gndi_raise(GND_ERROR_INVALID, fn, "another thread records into the graph");
    return GND_OK;
}

static gnd_status begin(gnd_graph *g, gnd_stream *current, const char *fn) {
    gndi_device *d = g->device;
    gnd_stream *s = gndi_stream_to_record(d, fn);
    if (!s) return gnd_error() ? gnd_error()->code : GND_ERROR_UNAVAILABLE;
    gnd_stream *like = current->device == d ? current : d->default_stream;
    gnd_status status = d->backend->capture_prepare ? d->backend->capture_prepare(s, like, fn) : GND_OK;
    if (!status) gndi_graph_memory_begin(g->memory);
    if (!status) status = d->backend->capture_begin(s, fn);
    if (status) {
        gndi_stream_give_back(s);
        return status;
    }
    atomic_fetch_add(&d->recordings, 1);
    g->stream = s, g->previous = current;
    s->capture = g;
    gndi_stream_make_current(s);
    return GND_OK;
}

gnd_status gnd_graph_begin(gnd_graph *graph) {
    static const char fn[] = "gnd_graph_begin";
    if (!graph) return gndi_raise_null(fn, "graph");
    gnd_stream *current = gndi_stream_current(fn);
    if (!current) return GND_ERROR_DEVICE;
    gnd_status status = check_begin(graph, current, fn);
    if (!status) status = gndi_pending_flush(fn);
    if (status) return status;
    gndi_lock_take(&graph->lock);
    status = begin(graph, current, fn);
    if (status)
        gndi_lock_give(&graph->lock);
    else
        atomic_store_explicit(&graph->thread, &gndi_tls, memory_order_release);
    return status;
}

/* The work that was recorded takes the place of what there was. */
static gnd_status take_over(gnd_graph *g, const char *fn) {
    gnd_stream *s = g->stream;
    int64_t nodes = 0;
    bool updated = false;
    const gnd_status status = s->device->backend->capture_end(s, &g->executable, &nodes, &updated, fn);
    if (status) return status;
    gndi_graph_uses before = g->uses;
    g->uses = g->recorded;
    g->recorded = before;
    g->info.recorded = true, g->info.updated = updated;
    g->info.nodes = nodes, g->info.arrays = g->uses.count;
    return GND_OK;
}

gnd_status gnd_graph_end(gnd_graph *graph) {
    static const char fn[] = "gnd_graph_end";
    if (!graph) return gndi_raise_null(fn, "graph");
    if (!records_here(graph)) return gndi_raise(GND_ERROR_INVALID, fn, "this thread does not record into the graph");
    gnd_stream *s = graph->stream, *previous = graph->previous;
    gnd_status status = gndi_pending_flush(fn);
    if (!status && gnd_error()) status = gnd_error()->code;
    if (status)
        s->device->backend->capture_drop(s);
    else
        status = take_over(graph, fn);
    gndi_graph_memory_end(graph->memory, s);
    release_uses(&graph->recorded); /* those of the former work, or of what was not recorded */
    s->capture = NULL;
    atomic_fetch_sub(&s->device->recordings, 1);
    gndi_stream_give_back(s);
    if (!atomic_load_explicit(&previous->in_use, memory_order_relaxed)) previous = previous->device->default_stream;
    gndi_stream_make_current(previous);
    graph->stream = graph->previous = NULL;
    atomic_store_explicit(&graph->thread, NULL, memory_order_release);
    gndi_lock_give(&graph->lock);
    return status;
}

gnd_graph_guard gnd_graph_guard_begin_(gnd_graph *graph) {
    gnd_graph_guard guard = {NULL, 0};
    if (gnd_graph_begin(graph) == GND_OK) guard = (gnd_graph_guard){graph, 1};
    return guard;
}

void gnd_graph_guard_end_(gnd_graph_guard *guard) {
    if (guard->graph) gnd_graph_end(guard->graph);
}

/* ---- launching ------------------------------------------------------------------------------ */

static gnd_status launch(gnd_graph *g, gnd_stream *s, const char *fn) {
    if (!g->executable) return gndi_raise(GND_ERROR_INVALID, fn, "nothing was recorded into the graph");
    gnd_status status = gndi_graph_memory_order(g->memory, s, fn);
    for (int64_t i = 0; i < g->uses.count && !status; i++) {
        const gndi_graph_use *u = &g->uses.use[i];
        status = u->write ? gndi_order_write(s, u->buffer, fn) : gndi_order_read(s, u->buffer, fn);
    }
    if (!status) status = s->device->backend->graph_launch(s, g->executable, fn);
    gndi_submitted(s);
    if (!status) g->info.launches++;
    return status;
}

gnd_status gnd_graph_launch(gnd_graph *graph) {
    static const char fn[] = "gnd_graph_launch";
    if (!graph) return gndi_raise_null(fn, "graph");
    gnd_stream *s = gndi_stream_current(fn);
    if (!s) return GND_ERROR_DEVICE;
    if (records_here(graph)) return gndi_raise(GND_ERROR_INVALID, fn, "this thread records into the graph");
    gnd_status status = gndi_check_not_recording(s, "a graph cannot be launched in there", fn);
    if (!status) status = gndi_pending_flush(fn);
    if (status) return status;
    if (s->device != graph->device) s = graph->device->default_stream;
    gndi_lock_take(&graph->lock);
    status = launch(graph, s, fn);
    gndi_lock_give(&graph->lock);
    return status ? status : gndi_finish(s, fn);
}

/* ---- the rest ------------------------------------------------------------------------------- */

void gnd_graph_release(gnd_graph *graph) {
    if (!graph) return;
    if (records_here(graph)) {
        gndi_raise(GND_ERROR_INVALID, "gnd_graph_release", "the graph is being recorded");
        return;
    }
    gndi_disowned(graph);
    if (graph->executable) graph->device->backend->graph_release(graph->device, graph->executable);
    release_uses(&graph->uses);
    gndi_graph_memory_close(graph->memory);
    gndi_lock_end(&graph->lock);
    gndi_free(graph);
}

gnd_status gnd_graph_info_of(const gnd_graph *graph, gnd_graph_info *out) {
    static const char fn[] = "gnd_graph_info_of";
    if (!graph || !out) return gndi_raise_null(fn, graph ? "out" : "graph");
    *out = graph->info;
    out->bytes = graph->memory->bytes;
    return GND_OK;
}

void *gnd_graph_native(const gnd_graph *graph) {
    if (!graph) return gndi_raise_null("gnd_graph_native", "graph"), NULL;
    return graph->device->backend->synchronous ? NULL : graph->executable;
}
