/*
 * watch.c: the thread that watches queued work. The last calls are in a ring, each with a mark of where its work ends;
 * a call is done when its mark is reached, in the order of the calls. The time counts from the last progress: a mark
 * that was reached, or work that came when there was none.
 */
#define _POSIX_C_SOURCE 200809L
#include "dist/mesh.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct gndi_watch {
    gndi_watched what;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pthread_t thread;
    double limit, progress, waited;
    uint64_t queued, done; /* calls; call n is in slot n modulo GNDI_WATCH_SLOTS */
    const char *name[GNDI_WATCH_SLOTS];
    bool inside; /* the last call of those queued has no mark yet: it is being queued */
    bool stops;
    atomic_bool late;
};

/* Whether work is not done. Calls that the ring has forgotten are done when later ones are. */
static bool under_way(gndi_watch *w) {
    const uint64_t marked = w->queued - w->inside;
    if (w->done + GNDI_WATCH_SLOTS < w->queued) w->done = w->queued - GNDI_WATCH_SLOTS;
    while (w->done < marked && w->what.done(w->what.context, (int)(w->done % GNDI_WATCH_SLOTS)))
        w->done++, w->progress = gndi_mesh_seconds();
    return w->done < w->queued;
}

/* What the program may never be able to say: where it waits. */
static void tell(const gndi_watch *w) {
    fprintf(stderr, "gnd_mesh: rank %d has waited %.1f s for other ranks; calls that are given up:", w->what.rank,
            w->waited);
    for (uint64_t n = w->done; n < w->queued; n++)
        fprintf(stderr, " %llu %s", (unsigned long long)n + 1, w->name[n % GNDI_WATCH_SLOTS]);
    fputc('\n', stderr);
}

static void *watches(void *argument) {
    gndi_watch *w = argument;
    pthread_mutex_lock(&w->mutex);
    while (!w->stops && !w->late) {
        const bool busy = w->limit > 0 && under_way(w);
        w->waited = gndi_mesh_seconds() - w->progress;
        if (busy && w->waited > w->limit) {
            w->late = true;
            tell(w);
            w->what.give_up(w->what.context);
            break;
        }
        if (!busy) { /* the next call, or another limit, wakes it */
            pthread_cond_wait(&w->changed, &w->mutex);
            continue;
        }
        double pause = w->limit / 20 < 0.5 ? w->limit / 20 : 0.5;
        struct timespec at;
        clock_gettime(CLOCK_MONOTONIC, &at);
        pause += 1e-9 * (double)at.tv_nsec;
        at.tv_sec += (time_t)pause, at.tv_nsec = (long)(1e9 * (pause - (double)(time_t)pause));
        pthread_cond_timedwait(&w->changed, &w->mutex, &at);
    }
    pthread_mutex_unlock(&w->mutex);
    return NULL;
}

gndi_watch *gndi_watch_new(const gndi_watched *what, const char *fn) {
    gndi_watch *w = gndi_dist_calloc(fn, sizeof *w);
    pthread_condattr_t attributes;
    if (!w) return NULL;
    w->what = *what;
    pthread_mutex_init(&w->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&w->thread, NULL, watches, w) == 0) return w;
    gndi_dist_raise(GND_ERROR_MEMORY, fn, "there is no thread to watch the mesh with");
    pthread_cond_destroy(&w->changed), pthread_mutex_destroy(&w->mutex);
    free(w);
    return NULL;
}

void gndi_watch_limit(gndi_watch *w, double seconds) {
    pthread_mutex_lock(&w->mutex);
    w->limit = seconds;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mutex);
}

bool gndi_watch_is_late(gndi_watch *w) {
    return w->late;
}

gnd_status gndi_watch_begin(gndi_watch *w) {
    const char *name = gnd_part_of(NULL);
    gnd_part_of(name);
    if (w->late) return gndi_watch_state(w, NULL, NULL);
    pthread_mutex_lock(&w->mutex);
    const bool idle = w->done == w->queued;
    w->inside = true;
    w->name[w->queued++ % GNDI_WATCH_SLOTS] = name ? name : "gnd_mesh";
    if (idle) w->progress = gndi_mesh_seconds();
    if (idle) pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    return GND_OK;
}

void gndi_watch_end(gndi_watch *w) {
    pthread_mutex_lock(&w->mutex);
    w->inside = false;
    const int slot = (int)((w->queued - 1) % GNDI_WATCH_SLOTS);
    if (!w->late && !w->what.record(w->what.context, slot)) w->queued--; /* nothing marks its end: it is not watched */
    if (w->done > w->queued) w->done = w->queued;
    pthread_mutex_unlock(&w->mutex);
}

gnd_status gndi_watch_state(gndi_watch *w, void (*ask)(void *question), void *question) {
    pthread_mutex_lock(&w->mutex);
    const bool late = w->late;
    if (!late && ask) ask(question);
    const uint64_t call = w->done;
    const char *name = late ? w->name[call % GNDI_WATCH_SLOTS] : NULL;
    const double waited = w->waited;
    pthread_mutex_unlock(&w->mutex);
    if (!late) return GND_OK;
    return gndi_dist_raise(GND_ERROR_DEVICE, "gnd_mesh",
                           "rank %d has waited %.1f s for other ranks in %s, exchange %llu of this mesh: one of them "
                           "has ended, hangs, or makes other calls (gnd_mesh_set_timeout)",
                           w->what.rank, waited, name, (unsigned long long)call + 1);
}

void gndi_watch_release(gndi_watch *w) {
    if (!w) return;
    pthread_mutex_lock(&w->mutex);
    w->stops = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->mutex);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->changed), pthread_mutex_destroy(&w->mutex);
    free(w);
}
