/*
 * mailbox.h: a whole number that work on a device tells the host, while the device goes on: how many
 * results there are, say. The work writes it to a word of pinned host memory, once, with a kernel's plain
 * store of 8 bytes, and the host looks at the word until it changes. A copy to the host and a wait take 17
 * us from the end of a kernel that the device is busy with, this takes 7 (on an H200 (m)), and what the
 * kernel does after it wrote is not waited for.
 */
#ifndef GNDI_MAILBOX_H
#define GNDI_MAILBOX_H

#include "runtime/runtime.h"

typedef struct gndi_mail {
    gnd_stream *stream;
    _Atomic int64_t *word;
} gndi_mail;

/* Any number but this one can be told. */
#define GNDI_MAIL_NOTHING INT64_MIN

/* Takes a word for work that goes to `s`; raises if that is captured, as nothing comes back from there. */
gnd_status gndi_mail_open(gndi_mail *m, gnd_stream *s, const char *fn);
/* Where the device writes: an address for both. */
static inline int64_t *gndi_mail_word(const gndi_mail *m) {
    return (int64_t *)(void *)m->word;
}
/* Waits for the number, and gives the word back. Like any wait it raises what kernels have reported, and
   what is wrong with the device. */
gnd_status gndi_mail_wait(gndi_mail *m, int64_t *number, const char *fn);
/* Gives the word back where the work could not be submitted whole. */
void gndi_mail_drop(gndi_mail *m);

#endif
