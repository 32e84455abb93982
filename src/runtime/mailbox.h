/*
 * mailbox.h: an int64 posted from device to host, such as a number of results. Work on the device writes it
 * once to a word of pinned host memory with a plain 8-byte store, and the host polls the word. The number
 * arrives 7 us after it was written, where a copy to the host and a wait take 17 us from the end of the
 * kernel (on an H200 (m)), and the host does not wait for what the kernel does afterwards.
 */
#ifndef GNDI_MAILBOX_H
#define GNDI_MAILBOX_H

#include "runtime/runtime.h"

typedef struct gndi_mail {
    gnd_stream *stream;
    _Atomic int64_t *word;
} gndi_mail;

/* Any number except this one can be posted. */
#define GNDI_MAIL_NOTHING INT64_MIN

/* Takes a word for work on `s`; raises if that is being captured, since the work then does not run. */
gnd_status gndi_mail_open(gndi_mail *m, gnd_stream *s, const char *fn);
/* The word that the device writes, at an address that is valid on host and device. */
static inline int64_t *gndi_mail_word(const gndi_mail *m) {
    return (int64_t *)(void *)m->word;
}
/* Waits for the number, and gives the word back. Like any wait it raises what kernels have reported, and errors of the
   device. */
gnd_status gndi_mail_wait(gndi_mail *m, int64_t *number, const char *fn);
/* Gives the word back if the work could not be submitted completely. */
void gndi_mail_drop(gndi_mail *m);

#endif
