/*
 * watch.h: a thread that watches queued work of a transport: work that makes no progress for too long is given up.
 * For transports whose calls return before the work is done, as NCCL's do: nobody who waits for the work can tell.
 */
#ifndef GNDI_DIST_WATCH_H
#define GNDI_DIST_WATCH_H

#include "dist/mesh.h"

enum { GNDI_WATCH_SLOTS = 16 };

/* What is watched. Functions are called by one thread at a time. */
typedef struct gndi_watched {
    void *context;
    int rank;
    bool (*record)(void *context, int slot); /* notes the end of the work that was queued last; by its thread */
    bool (*done)(void *context, int slot);   /* whether that has been reached */
    void (*give_up)(void *context);          /* makes the work end; by the watching thread, once */
} gndi_watched;

typedef struct gndi_watch gndi_watch;

/* NULL, and an error, if there is no memory or no thread. */
gndi_watch *gndi_watch_new(const gndi_watched *what, const char *fn);
/* The longest that work may make no progress, in seconds; 0: any time. */
void gndi_watch_limit(gndi_watch *watch, double seconds);
/* Around the calls that queue the work of a public function, which may wait themselves: for a connection, say. */
void gndi_watch_begin(gndi_watch *watch);
void gndi_watch_end(gndi_watch *watch);
/* The error, if work was given up. */
gnd_status gndi_watch_state(gndi_watch *watch);
/* Ends the thread. NULL is ignored. */
void gndi_watch_release(gndi_watch *watch);

#endif
