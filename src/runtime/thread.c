/*
 * thread.c: what each host thread has of its own, and how it is given back when the thread ends.
 */
#include "runtime/runtime.h"

_Thread_local gndi_thread gndi_tls __attribute__((tls_model("initial-exec")));

static pthread_key_t exit_key;
static pthread_once_t exit_key_once = PTHREAD_ONCE_INIT;
static bool exit_key_made;

static void free_arrays(gnd_array *list) {
    while (list) {
        gnd_array *next = (gnd_array *)(void *)list->buffer;
        gndi_free(list);
        list = next;
    }
}

static void thread_ends(void *unused) {
    (void)unused;
    gndi_thread *t = &gndi_tls;
    free_arrays(t->free_small);
    free_arrays(t->free_large);
    gndi_free(t->error);
    /* Another destructor of the program may still call gnd: leave a fresh thread behind, which
       comes back here (POSIX calls the destructors again when a key has been set meanwhile). */
    gndi_scope *scope = t->scope;
    memset(t, 0, sizeof *t);
    t->scope = scope;
}

static void make_exit_key(void) {
    exit_key_made = pthread_key_create(&exit_key, thread_ends) == 0;
}

void gndi_thread_register_slow(void) {
    pthread_once(&exit_key_once, make_exit_key);
    if (exit_key_made) pthread_setspecific(exit_key, &gndi_tls);
    gndi_tls.registered = true;
}
