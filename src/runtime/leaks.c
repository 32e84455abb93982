/*
 * leaks.c: under GND_LEAKS=1, a table of live arrays and other objects with the functions that made them. It
 * is printed when the process ends, without arrays that an open scope would have released. Otherwise only
 * a flag, which is false.
 */
#include "core/environment.h"
#include <inttypes.h>
#include "core/lock.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct leak_entry {
    const void *object; /* NULL: free */
    const char *kind;   /* "a stream"; NULL: an array */
    const char *fn;
    size_t next_free; /* index of the next free entry, plus 1 */
} leak_entry;

bool gndi_leaks_traced;

static gndi_lock lock;
static leak_entry *entries;
static size_t used, capacity, first_free;

__attribute__((constructor)) static void read_environment(void) {
    gndi_leaks_traced = gndi_env_number(GNDI_GND_LEAKS, 0) == 1;
}

/* Grows the table by plain realloc: tracing must not disturb the allocations it watches. */
static bool grow(void) {
    if (used < capacity) return true;
    size_t larger = capacity ? 2 * capacity : 1024;
    leak_entry *moved = realloc(entries, larger * sizeof *entries);
    if (moved == NULL) return false; /* this array goes untraced */
    entries = moved;
    capacity = larger;
    return true;
}

/* Under the lock: the new entry's index, plus 1; 0 if there is no memory for it. */
static size_t add(const char *kind, const void *object, const char *fn) {
    size_t index = first_free;
    if (index)
        first_free = entries[index - 1].next_free;
    else if (grow())
        index = ++used;
    if (index) entries[index - 1] = (leak_entry){.object = object, .kind = kind, .fn = gndi_public_name(fn)};
    return index;
}

/* Under the lock. */
static void forget(size_t index) {
    entries[index - 1] = (leak_entry){.next_free = first_free};
    first_free = index;
}

void gndi_leaks_note(gnd_array *a, const char *fn) {
    gndi_lock_take(&lock);
    a->trace = add(NULL, a, fn);
    gndi_lock_give(&lock);
}

void gndi_leaks_forget(gnd_array *a) {
    if (a->trace == 0) return;
    gndi_lock_take(&lock);
    forget(a->trace);
    gndi_lock_give(&lock);
    a->trace = 0;
}

void gndi_leaks_note_object(const char *kind, const void *object, const char *fn) {
    if (!object) return;
    gndi_lock_take(&lock);
    add(kind, object, fn);
    gndi_lock_give(&lock);
}

/* There are few of them, and usually the newest is released first. */
void gndi_leaks_forget_object(const void *object) {
    if (!object) return;
    gndi_lock_take(&lock);
    for (size_t i = used; i > 0; i--) {
        if (entries[i - 1].object != object || !entries[i - 1].kind) continue;
        forget(i);
        break;
    }
    gndi_lock_give(&lock);
}

/* Whether the end of an open scope would have released the array, had exit() or gnd_check() not come first. */
static bool is_scopes(const gnd_array *a) {
    return atomic_load_explicit(&((gnd_array *)a)->refs, memory_order_relaxed) == GNDI_SCOPED;
}

__attribute__((destructor)) static void list_leaks(void) {
    if (!gndi_leaks_traced) return;
    gndi_lock_take(&lock);
    size_t arrays = 0, others = 0;
    int64_t bytes = 0;
    for (size_t i = 0; i < used; i++) {
        const leak_entry *e = &entries[i];
        if (e->object && e->kind) {
            fprintf(stderr, "gnd: never released: %s from %s\n", e->kind, e->fn);
            others++;
        }
        const gnd_array *a = e->kind ? NULL : e->object;
        if (!a || is_scopes(a)) continue;
        const int64_t nbytes = a->size * gndi_itemsize(a);
        fprintf(stderr, "gnd: never released: %s from %s (%" PRId64 " bytes%s)\n", gndi_text_array(a), e->fn, nbytes,
                a->flags & GNDI_VIEW ? ", a view" : "");
        arrays++;
        if (!(a->flags & GNDI_VIEW)) bytes += nbytes;
    }
    if (arrays) fprintf(stderr, "gnd: %zu arrays never released, %" PRId64 " bytes\n", arrays, bytes);
    if (others) fprintf(stderr, "gnd: %zu other objects never released\n", others);
    gndi_lock_give(&lock);
}
