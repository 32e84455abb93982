/*
 * error.c: the calling thread's error. The record is allocated at a thread's first error and freed when the
 * thread ends. So is the ring of short-lived text buffers that messages are made from.
 */
#include "core/core.h"
#include "core/lock.h"
#include <stdio.h>
#include <stdlib.h>

#define TEXTS 8

typedef struct error_state {
    gnd_error_record record;
    bool pending;
    int next_text;
    char text[TEXTS][GNDI_TEXT_BYTES];
} error_state;

_Thread_local gndi_names gndi_naming;

static _Thread_local error_state *thread_state;
/* Stands in for a state that could not be allocated: the thread is out of memory, whatever
   it did. */
static _Thread_local bool thread_starved;
static const gnd_error_record starved_record = {
    .code = GND_ERROR_MEMORY,
    .function = "gnd",
    .message = "gnd: out of host memory, even for the sentence that would say where",
};

static gndi_once exit_key_once;
static pthread_key_t exit_key;
static bool exit_key_made;

static struct {
    gndi_lock lock;
    gnd_error_handler call;
    void *context;
} handler;

static void thread_ends(void *state) {
    free(state);
    thread_state = NULL;
}

static void make_exit_key(void) {
    exit_key_made = pthread_key_create(&exit_key, thread_ends) == 0;
}

/* Plain calloc: reporting an injected allocation failure must not itself count as an allocation. */
static error_state *state_get(void) {
    if (thread_state == NULL) {
        thread_state = calloc(1, sizeof *thread_state);
        gndi_once_do(&exit_key_once, make_exit_key);
        if (thread_state && exit_key_made) pthread_setspecific(exit_key, thread_state);
    }
    return thread_state;
}

char *gndi_text_buffer(void) {
    static char no_memory[GNDI_TEXT_BYTES]; /* scratch nobody needs to read: starved_record is next */
    error_state *state = state_get();
    if (state == NULL) return no_memory;
    state->next_text = (state->next_text + 1) % TEXTS;
    return state->text[state->next_text];
}

static void call_handler(const gnd_error_record *record) {
    gndi_lock_take(&handler.lock);
    gnd_error_handler call = handler.call;
    void *context = handler.context;
    gndi_lock_give(&handler.lock);
    GNDI_CALLING_BACK();
    if (call) call(record, context);
}

gnd_status gndi_raise(gnd_status code, const char *fn, const char *fmt, ...) {
    if (!fn || gnd_error()) return code;
    fn = gndi_public_name(fn);
    error_state *state = state_get();
    if (state == NULL) {
        thread_starved = true;
        call_handler(&starved_record);
        return code;
    }
    gnd_error_record *r = &state->record;
    r->code = code;
    snprintf(r->function, sizeof r->function, "%s", fn);
    int prefix = snprintf(r->message, sizeof r->message, "%s: ", fn);
    if (prefix < 0 || prefix >= (int)sizeof r->message) prefix = 0;
    va_list args;
    va_start(args, fmt);
    int length = vsnprintf(r->message + prefix, sizeof r->message - (size_t)prefix, fmt, args);
    va_end(args);
    if (length >= (int)sizeof r->message - prefix) strcpy(r->message + sizeof r->message - 4, "...");
    state->pending = true;
    call_handler(r);
    return code;
}

static _Thread_local bool released_noted;

bool gndi_note_released(void) {
    return released_noted = true;
}

gnd_status gndi_raise_null(const char *fn, const char *argument) {
    const gnd_error_record *pending = gnd_error();
    const bool released = released_noted;
    released_noted = false;
    if (pending) return pending->code;
    if (released)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "argument '%s' is released or not an array; gnd_keep() takes an array out "
                          "of the scope that would release it",
                          argument);
    return gndi_raise(GND_ERROR_INVALID, fn, "argument '%s' is NULL", argument);
}

bool gndi_optional_missing(const char *fn, const gnd_array *a, const char *argument) {
    if (!a || !gndi_missing(a)) return false;
    gndi_raise_null(fn, argument);
    return true;
}

gnd_status gnd_raise(gnd_status code, const char *function, const char *text) {
    if (code == GND_OK) return GND_OK;
    return gndi_raise(code, function ? function : "gnd_raise", "%s", text ? text : gnd_status_name(code));
}

const char *gnd_part_of(const char *function) {
    return gndi_outer_set(function);
}

const gnd_error_record *gnd_error(void) {
    if (gndi_unlikely(thread_state != NULL) && thread_state->pending) return &thread_state->record;
    return gndi_unlikely(thread_starved) ? &starved_record : NULL;
}

void gnd_error_clear(void) {
    if (thread_state) thread_state->pending = false;
    thread_starved = false;
}

bool gnd_error_take(gnd_error_record *out) {
    const gnd_error_record *pending = gnd_error();
    if (pending == NULL) return false;
    if (out) *out = *pending;
    gnd_error_clear();
    return true;
}

void gnd_on_error(gnd_error_handler call, void *context) {
    gndi_lock_take(&handler.lock);
    handler.call = call;
    handler.context = context;
    gndi_lock_give(&handler.lock);
}

void gnd_check_at(const char *file, int line) {
    const gnd_error_record *pending = gnd_error();
    if (pending == NULL) return;
    fflush(stdout); /* the program's output so far comes before the message */
    fprintf(stderr, "%s:%d: %s (%s)\n", file, line, pending->message, gnd_status_name(pending->code));
    exit(1);
}

const char *gnd_status_name(gnd_status status) {
    switch (status) {
    case GND_OK: return "ok";
    case GND_ERROR_INVALID: return "invalid argument";
    case GND_ERROR_SHAPE: return "shape error";
    case GND_ERROR_DTYPE: return "dtype error";
    case GND_ERROR_INDEX: return "index out of range";
    case GND_ERROR_VALUE: return "value error";
    case GND_ERROR_DEVICE: return "device error";
    case GND_ERROR_MEMORY: return "out of memory";
    case GND_ERROR_IO: return "input/output error";
    case GND_ERROR_UNAVAILABLE: return "not available";
    case GND_ERROR_AXIS: return "axis error";
    }
    return "unknown status";
}
