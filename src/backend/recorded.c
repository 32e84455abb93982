/*
 * recorded.c: graphs on the CPU (gnd/graph.h): the list of calls that a recording stream was given, in place of
 * running them, and running them again.
 *
 * A plan holds all that its work needs, so a copy of it can be run at any time. Addresses of arrays stay valid, since
 * the graph keeps their memory; what a plan points to on the host is copied with it (parts_of).
 */
#include "backend/recorded.h"
#include "backend/table.h"
#include "backend/recorded_plans.h" /* of all hooks, made by meson.build */
#include <stddef.h>
#include <stdlib.h>

/* A call: what runs it, the public function it works for, and its plan with the plan's parts. */
typedef struct call {
    struct call *next;
    gnd_status (*run)(gnd_stream *s, const void *plan, const char *fn);
    const char *fn;
    _Alignas(64) char plan[];
} call;

struct gndi_recording {
    call *first, **end;
    int64_t count;
};

/* Memory on the host that a plan points to: where the pointer is, and its size. */
typedef struct part {
    size_t at, bytes;
} part;

enum { PARTS = 3 };

enum {
#define HOOK(name, type) HOOK_##name,
#define HOOK_GPU(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU
    HOOKS, /* of copies */
};

/* ---- what plans point to --------------------------------------------------------------------- */

static int parts_of_filter(const gndi_filter_plan *p, part out[PARTS]) {
    const gndi_filter_system *system = &p->system;
    const size_t number = system->is_complex ? 2 * sizeof(double) : sizeof(double);
    int n = 0;
    if (system->sections) {
        out[n++] = (part){offsetof(gndi_filter_plan, system.b), (size_t)system->sections * 5 * sizeof(double)};
    } else {
        out[n++] = (part){offsetof(gndi_filter_plan, system.b), (size_t)(system->order + 1) * number};
        out[n++] = (part){offsetof(gndi_filter_plan, system.a), (size_t)(system->order + 1) * number};
    }
    if (p->history) out[n++] = (part){offsetof(gndi_filter_plan, history), sizeof *p->history};
    return n;
}

/* How many there are. Everything else in plans is a value, or an address of an array's memory. */
static int parts_of(int hook, const void *plan, part out[PARTS]) {
    int n = 0;
    if (hook == HOOK_filter) {
        n = parts_of_filter(plan, out);
    } else if (hook == HOOK_sort) {
        const gndi_sort_plan *p = plan;
        if (p->kths) out[n++] = (part){offsetof(gndi_sort_plan, kth), (size_t)p->kths * sizeof *p->kth};
    } else if (hook == HOOK_window) {
        const gndi_window_plan *p = plan;
        if (p->many) out[n++] = (part){offsetof(gndi_window_plan, many), (size_t)p->count * sizeof *p->many};
    } else if (hook == HOOK_lines) {
        const gndi_lines_plan *p = plan;
        if (p->others) out[n++] = (part){offsetof(gndi_lines_plan, others), 2 * sizeof *p->others};
    } else if (hook == HOOK_search || hook == HOOK_isin) {
        const gndi_search_plan *p = plan;
        if (p->interp) out[n++] = (part){offsetof(gndi_search_plan, interp), sizeof *p->interp};
    }
    return n;
}

/* Whether a plan tells the host something that only its work knows. */
static bool answers(int hook, const void *plan) {
    return hook == HOOK_sort && ((const gndi_sort_plan *)plan)->declined != NULL;
}

/* ---- the list ------------------------------------------------------------------------------- */

static size_t rounded(size_t bytes) {
    return (bytes + 63) & ~(size_t)63;
}

static gnd_status record(gnd_stream *s, gnd_status (*run)(gnd_stream *, const void *, const char *), int hook,
                         const void *plan, size_t bytes, const char *fn) {
    part parts[PARTS];
    const int n = parts_of(hook, plan, parts);
    size_t all = rounded(sizeof(call)) + rounded(bytes);
    for (int i = 0; i < n; i++) all += rounded(parts[i].bytes);
    if (answers(hook, plan))
        return gndi_check_not_recording(s, "what this needs to know of the elements there is only when a graph runs",
                                        fn);
    /* Plans of a library are made now, and nothing is run. */
    if (hook == HOOK_fft && ((const gndi_fft_plan *)plan)->pins) return gndi_cpu_fft(s, plan, fn);
    call *c = gndi_alloc_should_fail() ? NULL : aligned_alloc(64, all);
    if (!c) return gndi_raise(GND_ERROR_MEMORY, fn, "no memory for %zu bytes of a recorded call", all);
    *c = (call){.run = run, .fn = gndi_public_name(fn)};
    memcpy(c->plan, plan, bytes);
    char *to = c->plan + rounded(bytes);
    for (int i = 0; i < n; i++) {
        const void *from;
        memcpy(&from, (const char *)plan + parts[i].at, sizeof from);
        memcpy(to, from, parts[i].bytes);
        memcpy(c->plan + parts[i].at, &to, sizeof to);
        to += rounded(parts[i].bytes);
    }
    *s->recording->end = c;
    s->recording->end = &c->next;
    s->recording->count++;
    return GND_OK;
}

#define HOOK(name, type)                                                                                               \
    static gnd_status run_##name(gnd_stream *s, const void *plan, const char *fn) {                                    \
        return s->device->backend->name(s, plan, fn);                                                                  \
    }                                                                                                                  \
    gnd_status gndi_record_##name(gnd_stream *s, const type *plan, const char *fn) {                                   \
        return record(s, run_##name, HOOK_##name, plan, sizeof *plan, fn);                                             \
    }
#define HOOK_GPU(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU

/* ---- copies --------------------------------------------------------------------------------- */

typedef struct copy_plan {
    void *to;
    const void *from; /* NULL: zeros */
    size_t bytes;
} copy_plan;

static gnd_status run_copy(gnd_stream *s, const void *plan, const char *fn) {
    const copy_plan *p = plan;
    const gndi_backend *backend = s->device->backend;
    return p->from ? backend->copy_within(s, p->to, p->from, p->bytes, fn) : backend->set_zero(s, p->to, p->bytes, fn);
}

gnd_status gndi_record_copy(gnd_stream *s, void *to, const void *from, size_t bytes, bool may, const char *fn) {
    const copy_plan plan = {to, from, bytes};
    if (!may)
        return gndi_check_not_recording(s, "only pinned memory can be copied to or from in it, by the _async functions",
                                        fn);
    return record(s, run_copy, HOOKS, &plan, sizeof plan, fn);
}

/* ---- the backend's functions ----------------------------------------------------------------- */

gnd_status gndi_record_begin(gnd_stream *s, const char *fn) {
    gndi_recording *r = gndi_calloc(fn, sizeof *r);
    if (!r) return GND_ERROR_MEMORY;
    r->end = &r->first;
    s->recording = r;
    return GND_OK;
}

void gndi_record_release(gndi_device *d, void *executable) {
    (void)d;
    gndi_recording *r = executable;
    while (r->first) {
        call *next = r->first->next;
        free(r->first);
        r->first = next;
    }
    gndi_free(r);
}

static bool same_calls(const gndi_recording *a, const gndi_recording *b) {
    const call *x = a->first, *y = b->first;
    while (x && y && x->run == y->run) x = x->next, y = y->next;
    return !x && !y;
}

gnd_status gndi_record_end(gnd_stream *s, void **executable, int64_t *nodes, bool *updated, const char *fn) {
    (void)fn;
    *updated = *executable && same_calls(*executable, s->recording);
    if (*executable) gndi_record_release(s->device, *executable);
    *executable = s->recording;
    *nodes = s->recording->count;
    s->recording = NULL;
    return GND_OK;
}

void gndi_record_drop(gnd_stream *s) {
    gndi_record_release(s->device, s->recording);
    s->recording = NULL;
}

gnd_status gndi_record_launch(gnd_stream *s, void *executable, const char *fn) {
    (void)fn;
    gnd_status status = GND_OK;
    const gndi_recording *r = executable;
    for (const call *c = r->first; c && !status; c = c->next) status = c->run(s, c->plan, c->fn);
    return status;
}
