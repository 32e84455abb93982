/*
 * user_kernels.c: the names of the user's kernels that were launched last on GPUs. A failing device does not
 * report which kernel caused the failure, so the error lists these.
 */
#include "runtime/runtime.h"
#include <stdio.h>

enum { KEPT = 4, NAME = 64 };
static gndi_lock lock;
static char names[KEPT][NAME]; /* the last one first; "": none */

void gndi_user_kernel_note(const char *name) {
    gndi_lock_take(&lock);
    int at = 0; /* its index if it is listed already, else the oldest one's */
    while (at < KEPT - 1 && strncmp(names[at], name, NAME - 1) != 0) at++;
    if (at > 0) memmove(names[1], names[0], (size_t)at * NAME);
    snprintf(names[0], NAME, "%s", name);
    gndi_lock_give(&lock);
}

const char *gndi_user_kernels(void) {
    char *text = gndi_text_buffer();
    size_t used = 0;
    text[0] = 0;
    gndi_lock_take(&lock);
    for (int k = 0; k < KEPT && names[k][0]; k++)
        used += (size_t)snprintf(text + used, GNDI_TEXT_BYTES - used, "%s%s", k ? ", " : "", names[k]);
    gndi_lock_give(&lock);
    return text;
}
