/*
 * mailbox.c: the mailboxes of mailbox.h: 64 words for each device, a cache line each, in pinned memory that
 * is allocated at first use and kept as long as the device. A word has one owner from its opening until its
 * number has arrived, or until nothing is left that could write it.
 */
#include "runtime/mailbox.h"
#include <sched.h>

enum {
    WORDS = 64,           /* of a device: a bit each */
    LINE = 64,            /* bytes */
    POLLS = 256,          /* reads of a word before the stream is asked whether it is idle: a few microseconds; */
    MOST_POLLS = 1 << 18, /* then the host waits as it does elsewhere: some milliseconds */
};

typedef struct box {
    char *_Atomic words;
    _Atomic uint64_t taken;
} box;

static box boxes[1 + GNDI_MAX_GPUS]; /* the CPU's, then the GPUs' */
static gndi_lock making;
static gndi_once prepared;

/* In a forked child no thread waits for a word. */
static void reset_in_child(void) {
    for (int i = 0; i <= GNDI_MAX_GPUS; i++) atomic_store(&boxes[i].taken, 0);
}
static void prepare(void) {
    gndi_at_fork(reset_in_child);
}

static box *box_of(const gndi_device *d) {
    return &boxes[d->id.kind == GND_GPU ? 1 + d->id.index : 0];
}

static char *words_of(gndi_device *d, const char *fn) {
    box *b = box_of(d);
    char *words = atomic_load_explicit(&b->words, memory_order_acquire);
    if (gndi_likely(words != NULL)) return words;
    gndi_once_do(&prepared, prepare);
    gndi_lock_take(&making);
    words = atomic_load_explicit(&b->words, memory_order_relaxed);
    if (!words && !gndi_alloc_should_fail()) {
        words = d->backend->pinned_allocate(d, WORDS * LINE);
        atomic_store_explicit(&b->words, words, memory_order_release);
    }
    gndi_lock_give(&making);
    if (!words) gndi_raise(GND_ERROR_MEMORY, fn, "no memory for %d bytes of pinned host memory", WORDS * LINE);
    return words;
}

/* Takes a free word; returns its index. There are usually more words than waiting threads. */
static int take(box *b) {
    uint64_t taken = atomic_load_explicit(&b->taken, memory_order_relaxed);
    for (;;) {
        if (taken == UINT64_MAX) {
            sched_yield();
            taken = atomic_load_explicit(&b->taken, memory_order_relaxed);
            continue;
        }
        const int number = __builtin_ctzll(~taken);
        if (atomic_compare_exchange_weak_explicit(&b->taken, &taken, taken | UINT64_C(1) << number,
                                                  memory_order_acquire, memory_order_relaxed))
            return number;
    }
}

static void give_back(gndi_mail *m) {
    box *b = box_of(m->stream->device);
    const char *words = atomic_load_explicit(&b->words, memory_order_relaxed);
    const int64_t number = ((char *)(void *)m->word - words) / LINE;
    atomic_fetch_and_explicit(&b->taken, ~(UINT64_C(1) << number), memory_order_release);
    m->word = NULL;
}

gnd_status gndi_mail_open(gndi_mail *m, gnd_stream *s, const char *fn) {
    const gndi_backend *backend = s->device->backend;
    static const char because[] = "what this needs to know of the elements there is only when a graph runs";
    const gnd_status recording = gndi_check_not_recording(s, because, fn);
    if (recording) return recording;
    if (backend->stream_captured && backend->stream_captured(s))
        return gndi_raise(GND_ERROR_INVALID, fn, "the stream is being captured into a CUDA graph, and %s", because);
    char *words = words_of(s->device, fn);
    if (!words) return GND_ERROR_MEMORY;
    m->stream = s;
    m->word = (_Atomic int64_t *)(void *)(words + take(box_of(s->device)) * LINE);
    atomic_store_explicit(m->word, GNDI_MAIL_NOTHING, memory_order_release);
    return GND_OK;
}

static bool has_arrived(const gndi_mail *m, int64_t *number) {
    *number = atomic_load_explicit(m->word, memory_order_acquire);
    return *number != GNDI_MAIL_NOTHING;
}

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Polls until the number has arrived. False: the stream is idle, or takes long. */
static bool poll_word(const gndi_mail *m, int64_t *number) {
    for (int looks = 1; !has_arrived(m, number); looks++) {
        if (looks % POLLS == 0) {
            if (looks >= MOST_POLLS || m->stream->device->backend->stream_idle(m->stream))
                return has_arrived(m, number);
            sched_yield();
        }
        pause_briefly();
    }
    return true;
}

gnd_status gndi_mail_wait(gndi_mail *m, int64_t *number, const char *fn) {
    gnd_stream *s = m->stream;
    gnd_status status = GND_OK;
    bool came = poll_word(m, number);
    /* A report is complete, and failures are known, once the stream was waited for. */
    if (!came || gndi_fault_reported(s->device)) status = gndi_stream_wait(s, fn);
    if (!came && !status && !has_arrived(m, number))
        status = gndi_raise(GND_ERROR_DEVICE, fn, "%s finished its work and told no number: please report this",
                            gndi_text_device(s->device->id));
    give_back(m);
    return status;
}

void gndi_mail_drop(gndi_mail *m) {
    while (!m->stream->device->backend->stream_idle(m->stream)) sched_yield();
    give_back(m);
}
