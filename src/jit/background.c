/*
 * background.c: compiles in the background. One thread starts with the first job and works through the queue
 * in order.
 */
#define _GNU_SOURCE /* gettid */
#include "jit/jit_parts.h"
#include <stdlib.h>
#include <unistd.h>

enum { MOST_WAITING = 100, STACK = 16 << 20 };

struct gndi_jit_job {
    gndi_device *device;
    gndi_jit_source source; /* its text is the job's own */
    char *text;
    gndi_jit_module *module;
    bool tried;
    gndi_jit_job *next;
};

static struct {
    gndi_lock lock;
    pthread_cond_t changed;
    gndi_jit_job *first, **last;
    int waiting; /* and the one in work */
    bool started, ending;
    pthread_t thread;
} queue = {.changed = PTHREAD_COND_INITIALIZER};

/* ---- jobs ----------------------------------------------------------------------------------- */

/* All the source's strings behind one another, so that one block holds them: first the arrays of
   addresses. */
static char *append(char **at, const char *text) {
    const size_t bytes = strlen(text) + 1;
    char *here = memcpy(*at, text, bytes);
    *at += bytes;
    return here;
}

static gndi_jit_job *make_job(gndi_device *device, const gndi_jit_source *source) {
    const size_t names = (size_t)source->name_count, options = (size_t)source->option_count;
    size_t bytes = (names + options) * sizeof(char *) + strlen(source->text) + 1 + strlen(source->name) + 1;
    for (size_t i = 0; i < names; i++) bytes += strlen(source->names[i]) + 1;
    for (size_t i = 0; i < options; i++) bytes += strlen(source->options[i]) + 1;
    gndi_jit_job *job = gndi_calloc(NULL, sizeof *job);
    char *block = job ? gndi_malloc(NULL, bytes) : NULL;
    if (!block) {
        gndi_free(job);
        return NULL;
    }
    const char **list = (const char **)block;
    char *at = block + (names + options) * sizeof(char *);
    for (size_t i = 0; i < names; i++) list[i] = append(&at, source->names[i]);
    for (size_t i = 0; i < options; i++) list[names + i] = append(&at, source->options[i]);
    job->device = device, job->text = block, job->source = *source;
    job->source.names = list, job->source.options = list + names;
    job->source.text = append(&at, source->text);
    job->source.name = append(&at, source->name);
    return job;
}

static void free_job(gndi_jit_job *job) {
    gndi_free(job->text);
    gndi_free(job);
}

/* ---- the thread ----------------------------------------------------------------------------- */

static void *work(void *unused) {
    (void)unused;
    gndi_lock_take(&queue.lock);
    while (!queue.ending) {
        gndi_jit_job *job = queue.first;
        if (!job) {
            gndi_lock_wait(&queue.lock, &queue.changed);
            continue;
        }
        queue.first = job->next;
        if (!queue.first) queue.last = NULL;
        gndi_lock_give(&queue.lock);
        gndi_jit_module *module = NULL;
        gndi_jit_compile(NULL, job->device, &job->source, &module);
        gndi_lock_take(&queue.lock);
        job->module = module, job->tried = true;
        queue.waiting--;
        pthread_cond_broadcast(&queue.changed);
    }
    gndi_lock_give(&queue.lock);
    return NULL;
}

/* At exit the thread must be gone before NVRTC and CUDA take themselves apart: it ends what it is at, and
   begins nothing new. May be called again. */
static void end_thread(void) {
    gndi_lock_take(&queue.lock);
    const bool started = queue.started;
    queue.ending = true, queue.started = false;
    pthread_cond_broadcast(&queue.changed);
    gndi_lock_give(&queue.lock);
    if (started) pthread_join(queue.thread, NULL);
}

/* Of exit handlers the one registered last runs first, and NVRTC registers some whenever it compiles something new:
   a program that ended while the thread compiled took NVRTC away from it. Before all of them run the
   destructors of the main thread's own objects (C++'s thread_local), and of these end_thread is made one: when the
   library is loaded, or, if another thread does that, when the main thread asks for a program. Else there is the exit
   handler. */
#if defined(__GLIBC__)
int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static void end_with_main(void *unused) {
    (void)unused;
    end_thread();
}
__attribute__((constructor)) static void end_before_handlers(void) {
    static _Thread_local bool registered;
    if (registered || gettid() != getpid()) return;
    registered = true;
    __cxa_thread_atexit_impl(end_with_main, NULL, &__dso_handle);
}
#else
static void end_before_handlers(void) {}
#endif

/* A forked child has no thread; what was waiting will not be tried, and nobody waits for it. */
static void reset_in_child(void) {
    queue.changed = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    for (gndi_jit_job *job = queue.first; job; job = job->next) job->tried = true;
    queue.first = NULL, queue.last = NULL;
    queue.waiting = 0, queue.started = false;
}

/* Under the lock. */
static bool start_thread(void) {
    static bool prepared;
    if (queue.started || queue.ending) return queue.started;
    if (!prepared) {
        gndi_at_fork(reset_in_child);
        prepared = true;
        atexit(end_thread);
    }
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    queue.started = pthread_create(&queue.thread, &attributes, work, NULL) == 0;
    pthread_attr_destroy(&attributes);
    return queue.started;
}

gndi_jit_job *gndi_jit_background(gndi_device *device, const gndi_jit_source *source) {
    gndi_jit_job *job = make_job(device, source);
    if (!job) return NULL;
    end_before_handlers();
    gndi_lock_take(&queue.lock);
    const bool taken = queue.waiting < MOST_WAITING && start_thread();
    if (taken) {
        gndi_jit_job **last = queue.last ? queue.last : &queue.first;
        *last = job;
        queue.last = &job->next;
        queue.waiting++;
        pthread_cond_broadcast(&queue.changed);
    }
    gndi_lock_give(&queue.lock);
    if (taken) return job;
    free_job(job);
    return NULL;
}

bool gndi_jit_done(gndi_jit_job *job, gndi_jit_module **module) {
    *module = NULL;
    gndi_lock_take(&queue.lock);
    const bool tried = job->tried;
    gndi_lock_give(&queue.lock);
    if (!tried) return false;
    *module = job->module;
    free_job(job);
    return true;
}

void gndi_jit_settle(void) {
    gndi_lock_take(&queue.lock);
    while (queue.waiting > 0 && queue.started) gndi_lock_wait(&queue.lock, &queue.changed);
    gndi_lock_give(&queue.lock);
}
