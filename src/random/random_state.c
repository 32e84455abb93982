/*
 * random_state.c: the states of generators: known to the host, or in the device's memory once graphs advance them
 * (see struct gnd_random); saved, restored, and passed to draws.
 */
#include "array/view.h"
#include "elementwise/elementwise.h"
#include "elementwise/item.h"
#include "random/random.h"

enum { STATE_BYTES = GNDI_RANDOM_STATES * GNDI_STATE_WORDS * 4 };

gnd_stream *gndi_random_stream(gnd_random *g, const char *fn) {
    return g->follows && !g->captured ? gndi_stream_current(fn) : gndi_stream_on(g->device, fn);
}

/* ---- the cell ------------------------------------------------------------------------------- */

/* Replaces a buffer of the generator's state by a new one. */
static gnd_status renew(const char *fn, gnd_stream *s, gndi_buffer **buffer, size_t bytes) {
    gndi_buffer *fresh = gndi_buffer_new(fn, s, bytes);
    if (!fresh) return GND_ERROR_MEMORY;
    if (*buffer) gndi_buffer_release(*buffer);
    *buffer = fresh;
    return GND_OK;
}

static bool is_captured(gnd_stream *s) {
    const gndi_backend *backend = s->device->backend;
    return backend->stream_captured && backend->stream_captured(s);
}

/* Writes the cell, so that cell and offset together are `state`. */
static gnd_status write_cell(const char *fn, gnd_random *g, gnd_stream *s, const gndi_random_state *state) {
    gndi_random_cell set = {.cell = g->cell->base, .state = *state};
    if (g->captured) set.state.position -= g->offset;
    gnd_status status = gndi_order_write(s, g->cell, fn);
    if (!status) status = s->device->backend->random_set(s, &set, fn);
    if (status) return status;
    gndi_submitted(s);
    g->written = state->position;
    return GND_OK;
}

/* Moves the default generator to the thread's current device, with its cell if it needs one there. */
static gnd_status follow(const char *fn, gnd_random *g, gnd_stream *s) {
    if (g->device != s->device) {
        if (g->cell) gndi_buffer_release(g->cell);
        g->cell = NULL, g->device = s->device;
    }
    if (g->cell || !s->device->backend->random_set || is_captured(s)) return GND_OK;
    gnd_status status = renew(fn, s, &g->cell, sizeof(gndi_random_state));
    if (!status) status = write_cell(fn, g, s, &g->state);
    if (status && g->cell) gndi_buffer_release(g->cell), g->cell = NULL;
    return status;
}

/* If `s` is being captured: from now on the cell advances. */
static gnd_status check_capture(const char *fn, gnd_random *g, gnd_stream *s) {
    if (g->captured || !is_captured(s)) return GND_OK;
    if (!g->cell || s->device != g->device)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "the stream is being captured into a CUDA graph, and the thread's default "
                          "generator was not used on this device before; draw from it once before "
                          "the capture begins");
    g->captured = true, g->offset = g->state.position - g->written;
    return GND_OK;
}

/* ---- setting and reading the state ----------------------------------------------------------- */

static bool has_states(uint32_t kind) {
    return kind == GNDI_XORWOW || kind == GNDI_MRG32K3A;
}

static gnd_status set_states(const char *fn, gnd_random *g, gnd_stream *s, const gndi_random_state *state,
                             const uint32_t *states) {
    if (is_captured(s))
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "the stream is being captured into a CUDA graph; XORWOW and MRG32k3a generators "
                          "can be placed before or after that only");
    gnd_status status = g->states ? GND_OK : renew(fn, s, &g->states, STATE_BYTES);
    if (!status) status = gndi_order_write(s, g->states, fn);
    if (status) return status;
    if (states) {
        status = s->device->backend->copy_in(s, g->states->base, states, STATE_BYTES, false, fn);
    } else {
        gndi_random_begin_plan plan = {.states = g->states->base};
        gndi_random_begin(state, &plan);
        status = s->device->backend->random_begin(s, &plan, fn);
    }
    if (!status) gndi_submitted(s);
    return status;
}

gnd_status gndi_random_set_state(const char *fn, gnd_random *g, const gndi_random_state *state,
                                 const uint32_t *states) {
    if (g->follows && !g->device) { /* it has no memory on a device yet */
        g->state = *state;
        return GND_OK;
    }
    gnd_stream *s = gndi_stream_on(g->device, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = GND_OK;
    if (has_states(state->kind)) status = set_states(fn, g, s, state, states);
    if (!status && s->device->backend->random_set) {
        if (!g->cell) status = renew(fn, s, &g->cell, sizeof(gndi_random_state));
        if (!status) status = check_capture(fn, g, s);
        if (!status) status = write_cell(fn, g, s, state);
    }
    if (!status) g->state = *state;
    return status ? status : gndi_finish(s, fn);
}

gnd_status gndi_random_look(const char *fn, gnd_random *g, gndi_random_state *state) {
    *state = g->state;
    if (!g->captured) return GND_OK;
    gnd_stream *s = gndi_stream_on(g->device, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_read(s, g->cell, fn);
    if (!status) status = s->device->backend->copy_out(s, state, g->cell->base, sizeof *state, false, fn);
    if (status) return status;
    gndi_submitted(s);
    state->position += g->offset;
    return GND_OK;
}

/* ---- draws ---------------------------------------------------------------------------------- */

/* The position of a generator after a draw from `position`. */
static uint64_t position_after(const gndi_random_plan *plan, uint64_t position) {
    if (plan->engine.state.kind != GNDI_PHILOX) return position + (uint64_t)plan->size;
    return gndi_aligned_position(position, plan->words) + plan->words * (uint64_t)plan->size;
}

static gnd_status prepare(const char *fn, gnd_random *g, gnd_stream *s, gndi_random_plan *plan) {
    gnd_status status = g->follows && !g->captured ? follow(fn, g, s) : GND_OK;
    if (!status) status = check_capture(fn, g, s);
    if (status) return status;
    gndi_random_engine *e = &plan->engine;
    *e = (gndi_random_engine){.state = g->state, .dimensions = g->dimensions};
    if (g->captured) {
        e->state.position = g->offset, e->cell = g->cell->base;
        status = gndi_order_write(s, g->cell, fn);
    }
    if (!status && g->states) {
        e->states = g->states->base;
        status = gndi_order_write(s, g->states, fn);
    }
    if (!status && g->sobol) {
        e->sobol = g->sobol->base;
        status = gndi_order_read(s, g->sobol, fn);
    }
    return status;
}

/* A copy of the cell, in the order of `s`. */
static gnd_status copy_cell(const char *fn, const gnd_random *g, gnd_stream *s, gndi_buffer **to) {
    *to = gndi_buffer_new(fn, s, sizeof(gndi_random_state));
    if (!*to) return GND_ERROR_MEMORY;
    gnd_status status = gndi_order_write(s, *to, fn);
    if (!status) status = s->device->backend->copy_within(s, (*to)->base, g->cell->base, sizeof(gndi_random_state), fn);
    if (!status) {
        gndi_submitted(s);
        return GND_OK;
    }
    gndi_buffer_release(*to);
    *to = NULL;
    return status;
}

gnd_status gndi_random_submit_keeping(const char *fn, gnd_random *g, gnd_stream *s, gndi_random_plan *plan,
                                      gnd_array *result, gndi_buffer **cell) {
    if (gndi_random_is_own(fn, g, "random order")) return gndi_ew_pending();
    gndi_lock_take(&g->lock);
    gnd_status status = prepare(fn, g, s, plan);
    if (cell) *cell = NULL;
    if (!status && cell && g->captured) status = copy_cell(fn, g, s, cell);
    if (!status) status = gndi_order_write(s, result->buffer, fn);
    if (!status) status = s->device->backend->random(s, plan, fn);
    if (!status) {
        gndi_submitted(s);
        if (!g->captured) g->state.position = position_after(plan, g->state.position);
    }
    gndi_lock_give(&g->lock);
    return status ? status : gndi_finish(s, fn);
}

gnd_status gndi_random_submit(const char *fn, gnd_random *g, gnd_stream *s, gndi_random_plan *plan, gnd_array *result) {
    return gndi_random_submit_keeping(fn, g, s, plan, result, NULL);
}

/* ---- saving and restoring ------------------------------------------------------------------- */

/* A saved state: these numbers, then the states. */
enum { MAGIC, KIND, KEY, STREAM, POSITION, CHILDREN, DIMENSIONS, SCRAMBLED, HEADER };
#define MAGIC_NUMBER UINT64_C(0x31726e61726e6467) /* the format's name and version */

static gnd_status fill_state(const char *fn, gnd_random *g, uint64_t *to) {
    gndi_random_state state;
    gnd_status status = gndi_random_look(fn, g, &state);
    if (status) return status;
    to[MAGIC] = MAGIC_NUMBER, to[KIND] = state.kind, to[KEY] = state.key;
    to[STREAM] = state.stream, to[POSITION] = state.position, to[CHILDREN] = g->children;
    to[DIMENSIONS] = (uint64_t)g->dimensions, to[SCRAMBLED] = g->scrambled;
    if (!g->states) return GND_OK;
    gnd_stream *s = gndi_stream_on(g->device, fn);
    if (!s) return gndi_ew_pending();
    status = gndi_order_read(s, g->states, fn);
    if (!status) status = s->device->backend->copy_out(s, to + HEADER, g->states->base, STATE_BYTES, false, fn);
    if (!status) gndi_submitted(s);
    return status;
}

gnd_array *gnd_random_save(gnd_random *g) {
    static const char fn[] = "gnd_random_save";
    if (!g) return gndi_raise_null(fn, "g"), (gnd_array *)NULL;
    if (gndi_random_is_own(fn, g, "state to save")) return NULL;
    gndi_device *cpu = gndi_device_get(gnd_cpu(), fn);
    gnd_stream *s = cpu ? gndi_stream_on(cpu, fn) : NULL;
    if (!s) return NULL;
    const int64_t n = HEADER + (has_states(g->state.kind) ? STATE_BYTES / 8 : 0);
    gnd_array *saved = gndi_array_new_on(fn, s, 1, &n, GND_UINT64, GNDI_ORDER_C);
    if (!saved) return NULL;
    gndi_lock_take(&g->lock);
    /* The array is new, and the CPU's work is done when a call returns: there is nothing to wait for. */
    gnd_status status = fill_state(fn, g, (uint64_t *)(void *)gndi_data(saved));
    gndi_lock_give(&g->lock);
    if (!status) return saved;
    gnd_release(saved);
    return NULL;
}

static gnd_status check_saved(const char *fn, const gnd_random *g, const uint64_t *from, int64_t n) {
    if (n < HEADER || from[MAGIC] != MAGIC_NUMBER || from[KIND] > GNDI_SOBOL ||
        n != HEADER + (has_states((uint32_t)from[KIND]) ? STATE_BYTES / 8 : 0))
        return gndi_raise(GND_ERROR_VALUE, fn, "the array is no state that gnd_random_save made");
    if (from[KIND] != g->state.kind)
        return gndi_raise(GND_ERROR_INVALID, fn, "the state is that of a generator of kind %d, this one is of kind %d",
                          (int)from[KIND], (int)g->state.kind);
    if (from[DIMENSIONS] != (uint64_t)g->dimensions || from[SCRAMBLED] != g->scrambled)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "the state is that of a %s Sobol sequence in %llu dimensions, this one "
                          "is %s, in %lld",
                          from[SCRAMBLED] ? "scrambled" : "plain", (unsigned long long)from[DIMENSIONS],
                          g->scrambled ? "scrambled" : "plain", (long long)g->dimensions);
    return GND_OK;
}

static gnd_status restore(const char *fn, gnd_random *g, const uint64_t *from) {
    const gndi_random_state state = {
        .key = from[KEY], .position = from[POSITION], .stream = (uint32_t)from[STREAM], .kind = g->state.kind};
    gnd_status status = GND_OK;
    if (state.kind == GNDI_SOBOL && state.key != g->state.key) status = gndi_random_set_sobol(fn, g, state.key);
    if (!status)
        status =
            gndi_random_set_state(fn, g, &state, has_states(state.kind) ? (const uint32_t *)(from + HEADER) : NULL);
    if (!status) g->children = from[CHILDREN];
    return status;
}

gnd_status gnd_random_restore(gnd_random *g, const gnd_array *state) {
    static const char fn[] = "gnd_random_restore";
    if (!g || gndi_missing(state)) return gndi_raise_null(fn, g ? "state" : "g");
    if (gndi_random_is_own(fn, g, "state to restore")) return gndi_ew_pending();
    if (state->dtype != GND_UINT64 || state->ndim != 1)
        return gndi_raise(GND_ERROR_DTYPE, fn, "a state is a uint64 array of one dimension, not %s",
                          gndi_text_array(state));
    if (state->size < HEADER) return check_saved(fn, g, NULL, 0);
    gnd_array *dense = gndi_copy_as(fn, state, GND_UINT64, 'C');
    uint64_t *from = dense ? gndi_malloc(fn, (size_t)state->size * 8) : NULL;
    gnd_status status = from ? gndi_read(fn, dense, from) : gndi_ew_pending();
    gndi_lock_take(&g->lock);
    if (!status) status = check_saved(fn, g, from, state->size);
    if (!status) status = restore(fn, g, from);
    gndi_lock_give(&g->lock);
    gndi_free(from);
    gnd_release(dense);
    return status;
}
