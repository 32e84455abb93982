/*
 * text.h: text that grows as it is written: sources, cache keys, command lines. Running out of memory is
 * recorded and checked once at the end.
 */
#ifndef GNDI_JIT_TEXT_H
#define GNDI_JIT_TEXT_H

#include "core/core.h"

/* {0} is empty. */
typedef struct gndi_text {
    char *data; /* ends with a zero that does not count; NULL while empty */
    size_t length, capacity;
    bool failed; /* no memory: what was added since is lost */
} gndi_text;

void gndi_text_add(gndi_text *text, const char *fmt, ...) GND_PRINTF(2, 3);
void gndi_text_add_bytes(gndi_text *text, const void *data, size_t bytes);
/* With the zero at its end, to tell fields apart. */
void gndi_text_add_field(gndi_text *text, const char *field);
/* Whether all of it is there; raises in the name of `fn` if not. */
bool gndi_text_complete(const gndi_text *text, const char *fn);
void gndi_text_free(gndi_text *text);

/* A copy of a text, "" of NULL; NULL and an error: no memory. */
char *gndi_text_copy(const char *fn, const char *text);

/* 64 bits of these bytes: not to be trusted alone, and the same on any machine. */
uint64_t gndi_hash(const void *data, size_t bytes, uint64_t seed);

#endif
