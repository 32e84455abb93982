/*
 * block.c: GND_FUSE blocks, per-thread settings, and the runtime's hooks into fusion. A thread has one
 * program, made when it first records something.
 */
#include "core/environment.h"
#include "fuse/fuse.h"
#include "elementwise/elementwise.h"
#include <stdlib.h>

static gndi_once once;
static pthread_key_t exit_key;
static gnd_fuse_executor default_executor;

/* ---- the runtime's hooks -------------------------------------------------------------------- */

static void settle(gnd_array *a) {
    gndi_fuse_lock();
    /* Another thread may have been faster. */
    if (a->flags & GNDI_PENDING) gndi_fuse_submit(a->buffer->context, "gnd_fuse");
    gndi_fuse_unlock();
}

static gnd_status write_out(gndi_buffer *b, const char *fn) {
    gnd_status status = GND_OK;
    gndi_fuse_lock();
    for (fuse_program *p = gndi_fuse_programs; p && !status; p = p->next) {
        bool writes = false;
        for (int i = 0; i < p->nodes && !writes; i++) writes = p->node[i].array && p->node[i].array->buffer == b;
        for (int i = 0; i < p->targets && !writes; i++) writes = p->target[i].buffer == b;
        if (writes) status = gndi_fuse_submit(p, fn);
    }
    gndi_fuse_unlock();
    return status;
}

static gnd_status read_out(gndi_buffer *b, const char *fn) {
    gnd_status status = GND_OK;
    gndi_fuse_lock();
    for (fuse_program *p = gndi_fuse_programs; p && !status; p = p->next) {
        bool reads = false;
        for (int i = 0; i < p->leaves && !reads; i++) reads = p->leaf[i].buffer == b;
        if (reads) status = gndi_fuse_submit(p, fn);
    }
    gndi_fuse_unlock();
    return status;
}

static void forget(gndi_buffer *b) {
    gndi_fuse_lock();
    fuse_program *p = b->context;
    if (p && (int)b->bytes < p->nodes && p->node[b->bytes].array && p->node[b->bytes].array->buffer == b)
        p->node[b->bytes].array = NULL;
    gndi_fuse_unlock();
}

static gnd_status flush_mine(const char *fn) {
    fuse_program *p = gndi_tls.fuse;
    if (!p || !p->nodes) return GND_OK;
    gndi_fuse_lock();
    const gnd_status status = gndi_fuse_submit(p, fn);
    gndi_fuse_unlock();
    return status;
}

static const gndi_pending_hooks hooks = {
    .settle = settle,
    .write_out = write_out,
    .read_out = read_out,
    .forget = forget,
    .flush = flush_mine,
};

/* ---- a thread's program --------------------------------------------------------------------- */

/* Called at a thread's end: submits what it recorded. */
static void thread_ends(void *program) {
    fuse_program *p = program;
    gndi_fuse_lock();
    gndi_fuse_submit(p, "gnd_fuse");
    fuse_program **at = &gndi_fuse_programs;
    while (*at != p) at = &(*at)->next;
    *at = p->next;
    gndi_fuse_unlock();
    gndi_tls.fuse = NULL, gndi_tls.recorder = NULL; /* other destructors may use gnd */
    gndi_tls.most = gndi_tls.most_in_block = UINT64_MAX;
    gndi_free(p);
}

static void begin(void) {
    pthread_key_create(&exit_key, thread_ends);
    default_executor = (gnd_fuse_executor)gndi_env_number(GNDI_GND_FUSE, GND_FUSE_AUTO);
    gndi_pending = &hooks;
}

static __attribute__((noinline)) fuse_program *program(const char *fn) {
    if (gndi_likely(gndi_tls.fuse != NULL)) return gndi_tls.fuse;
    gndi_once_do(&once, begin);
    fuse_program *p = gndi_calloc(fn, sizeof *p);
    if (!p) return NULL;
    p->recorder.apply = gndi_fuse_operator;
    p->recorder.source = gndi_fuse_source;
    p->recorder.reduce = gndi_fuse_reduce;
    p->executor = (uint8_t)default_executor;
    gndi_fuse_lock();
    p->next = gndi_fuse_programs, gndi_fuse_programs = p;
    gndi_fuse_unlock();
    pthread_setspecific(exit_key, p);
    gndi_tls.recorder = &p->recorder;
    return gndi_tls.fuse = p;
}

/* Decides which of the thread's calls are recorded from now on, and on which stream; outside of blocks, which of those
   inside the next one. */
static gnd_status choose_recorder(gndi_thread *tls, fuse_program *p, const char *fn) {
    const bool fuses = p->executor != GND_FUSE_OFF, records = fuses && (p->always || gndi_fuse_block());
    tls->most = UINT64_MAX;
    gndi_fuse_blocks_submit();
    if (!fuses || (!records && (p->nodes || !tls->stream))) return GND_OK;
    if (!p->nodes) p->stream = gndi_likely(tls->stream != NULL) ? tls->stream : gndi_stream_slow(fn);
    if (!p->stream) return gndi_ew_pending();
    const bool quick = p->executor == GND_FUSE_AUTO && p->stream->device->backend->synchronous;
    *(records ? &tls->most : &tls->most_in_block) = quick ? FUSE_LEAST_RECORDED - 1 : 0;
    return GND_OK;
}

/* ---- blocks --------------------------------------------------------------------------------- */

/* gnd_fuse_enter_ does the same for the outermost block of a thread, if `most_in_block` was chosen when the last one
   closed. */
gnd_fuse_block *gnd_fuse_open(gnd_fuse_block *block) {
    static const char fn[] = "gnd_fuse_open";
    if (gndi_unlikely(!block)) return gndi_raise_null(fn, "block"), NULL;
    gndi_thread *const tls = gndi_this_thread();
    fuse_program *p = program(fn);
    if (p && p->nodes && !gndi_fuse_block()) flush_mine(fn); /* of gnd_fuse_always: it has its own stream */
    gnd_scope_open(&block->scope);
    block->scope.fuses = &gndi_fuse_no_thread;
    if (p) choose_recorder(tls, p, fn);
    return block;
}

static bool is_open(const gndi_thread *tls, const gnd_fuse_block *block) {
    const gndi_scope *s = tls->scope;
    while (s && s != &block->scope) s = s->parent;
    return s != NULL;
}

/* gnd_fuse_leave_ does the same for a block in which nothing was recorded and that releases nothing. */
gnd_status gnd_fuse_close(gnd_fuse_block *block) {
    static const char fn[] = "gnd_fuse_close";
    if (gndi_unlikely(!block)) return gndi_raise_null(fn, "block");
    gndi_thread *const tls = gndi_this_thread();
    fuse_program *p = tls->fuse;
    if (!p) { /* there was no memory for a program: the block is only a scope */
        gnd_scope_close(&block->scope);
        return gndi_ew_pending();
    }
    if (!is_open(tls, block)) {
        choose_recorder(tls, p, fn);
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "this block is not open on the calling thread; close a block once, where it "
                          "was opened");
    }
    gnd_status status = GND_OK;
    for (gndi_scope *inner; (inner = gndi_fuse_block()) != &block->scope;) { /* left open inside it */
        const gnd_status closed = gnd_fuse_close((gnd_fuse_block *)(void *)inner);
        if (!status) status = closed;
    }
    gnd_scope_close(&block->scope);
    const gnd_status flushed = p->nodes ? flush_mine(fn) : GND_OK;
    const gnd_status next = choose_recorder(tls, p, fn);
    return status ? status : flushed ? flushed : next;
}

gnd_status gnd_fuse_flush(void) {
    return flush_mine("gnd_fuse_flush");
}

/* ---- settings ------------------------------------------------------------------------------- */

bool gnd_fuse_always(bool on) {
    fuse_program *p = program("gnd_fuse_always");
    if (!p) return false;
    const bool before = p->always;
    if (!on) flush_mine("gnd_fuse_always");
    p->always = on;
    choose_recorder(&gndi_tls, p, "gnd_fuse_always");
    return before;
}

bool gnd_fuse_contract(bool allow) {
    fuse_program *p = program("gnd_fuse_contract");
    if (!p) return false;
    const bool before = p->contract;
    if (before != allow) flush_mine("gnd_fuse_contract");
    p->contract = allow;
    return before;
}

gnd_fuse_executor gnd_fuse_use(gnd_fuse_executor executor) {
    static const char fn[] = "gnd_fuse_use";
    fuse_program *p = program(fn);
    if (!p) return GND_FUSE_AUTO;
    const gnd_fuse_executor before = (gnd_fuse_executor)p->executor;
    if ((unsigned)executor > GND_FUSE_OFF) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no executor number %d", (int)executor);
        return before;
    }
    flush_mine(fn);
    p->executor = (uint8_t)executor;
    choose_recorder(&gndi_tls, p, fn);
    return before;
}
