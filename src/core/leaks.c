/*
 * leaks.c: under GND_LEAKS=1, a table of the arrays alive and the functions that made them, which
 * is listed when the process ends. Otherwise one flag that is false.
 */
#include "core/core.h"
#include <inttypes.h>
#include "core/lock.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct leak_entry {
    gnd_array *array; /* NULL: free */
    const char *fn;
    size_t next_free; /* place of the next free entry, plus 1 */
} leak_entry;

bool gndi_leaks_traced;

static gndi_lock lock;
static leak_entry *entries;
static size_t used, capacity, first_free;

__attribute__((constructor)) static void read_environment(void) {
    const char *text = getenv("GND_LEAKS");
    gndi_leaks_traced = text && *text && strcmp(text, "0") != 0;
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

void gndi_leaks_note(gnd_array *a, const char *fn) {
    gndi_lock_take(&lock);
    size_t place = first_free;
    if (place)
        first_free = entries[place - 1].next_free;
    else if (grow())
        place = ++used;
    if (place) entries[place - 1] = (leak_entry){.array = a, .fn = fn};
    a->trace = place;
    gndi_lock_give(&lock);
}

void gndi_leaks_forget(gnd_array *a) {
    if (a->trace == 0) return;
    gndi_lock_take(&lock);
    entries[a->trace - 1] = (leak_entry){.next_free = first_free};
    first_free = a->trace;
    gndi_lock_give(&lock);
    a->trace = 0;
}

__attribute__((destructor)) static void list_leaks(void) {
    if (!gndi_leaks_traced) return;
    gndi_lock_take(&lock);
    size_t count = 0;
    int64_t bytes = 0;
    for (size_t i = 0; i < used; i++) {
        gnd_array *a = entries[i].array;
        if (a == NULL) continue;
        int64_t nbytes = a->size * gndi_itemsize(a);
        fprintf(stderr, "gnd: never released: %s from %s (%" PRId64 " bytes%s)\n",
                gndi_text_array(a), entries[i].fn, nbytes, a->flags & GNDI_VIEW ? ", a view" : "");
        count++;
        if (!(a->flags & GNDI_VIEW)) bytes += nbytes;
    }
    if (count) fprintf(stderr, "gnd: %zu arrays never released, %" PRId64 " bytes\n", count, bytes);
    gndi_lock_give(&lock);
}
