/*
 * kept_numbers.h: taps and other numbers that the host makes, kept on GPUs for the next call with the same filter: a
 * copy from the host is a pause of the stream, as long as a small kernel. gnd_memory_trim gives them back.
 */
#ifndef GNDI_KEPT_NUMBERS_H
#define GNDI_KEPT_NUMBERS_H

#include "elementwise/temporaries.h"

enum { GNDI_NUMBERS_KEY = 192 };

/* What numbers depend on; compared as bytes, so that it begins as zeros. */
typedef struct gndi_numbers_key {
    const char *maker; /* a string of the caller's own */
    char made_of[GNDI_NUMBERS_KEY];
} gndi_numbers_key;

/* The array that was kept on like's device, not to be written to; NULL if there is none, or if a graph is being made,
   which may outlive it. */
gnd_array *gndi_numbers_kept(gndi_temporaries *s, const gnd_array *like, const gndi_numbers_key *key);
/* Keeps `made`, which is dense, in the place of the numbers that were not used for longest. NULL: keeps none. */
void gndi_numbers_keep(const gnd_array *made, const gndi_numbers_key *key);

#endif
