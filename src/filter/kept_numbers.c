/*
 * kept_numbers.c: a cache of the numbers on GPUs.
 */
#include "filter/kept_numbers.h"
#include "array/view.h"
#include "core/lock.h"
#include "elementwise/create.h"
#include "runtime/runtime.h"

enum { KEPT = 32, DIMS = 2, LARGEST = 1 << 20 /* bytes */ };

typedef struct entry {
    gndi_numbers_key key;
    gndi_buffer *buffer; /* NULL: free */
    int ndim;
    int64_t shape[DIMS];
    gnd_dtype dtype;
    uint64_t used;
} entry;

static entry entries[KEPT];
static gndi_lock lock;
static uint64_t uses;

/* What is kept, with a reference to its buffer; false: nothing is. */
static bool find(const gndi_device *d, const gndi_numbers_key *key, entry *found) {
    bool there = false;
    gndi_lock_take(&lock);
    for (entry *e = entries; e < entries + KEPT && !there; e++) {
        there = e->buffer && e->buffer->device == d && !memcmp(&e->key, key, sizeof *key);
        if (!there) continue;
        e->used = ++uses, *found = *e;
        gndi_buffer_retain(e->buffer);
    }
    gndi_lock_give(&lock);
    return there;
}

gnd_array *gndi_numbers_kept(gndi_temporaries *s, const gnd_array *like, const gndi_numbers_key *key) {
    const gndi_backend *backend = like->buffer->device->backend;
    entry e;
    if (s->failed || backend->synchronous) return NULL;
    gnd_stream *stream = gndi_stream_on(like->buffer->device, s->fn);
    if (!stream) return gndi_temporaries_keep(s, NULL);
    if ((backend->stream_captured && backend->stream_captured(stream)) || !find(stream->device, key, &e)) return NULL;
    int64_t strides[DIMS];
    gndi_c_strides(e.ndim, e.shape, gndi_dtype_sizes[e.dtype], strides);
    return gndi_temporaries_keep(s,
                                 gndi_array_over(s->fn, e.buffer, e.ndim, e.shape, strides, e.buffer->base, e.dtype));
}

/* Gives back what is kept on a device. */
static void forget(const gndi_device *d) {
    for (entry *e = entries; e < entries + KEPT; e++) {
        gndi_lock_take(&lock);
        gndi_buffer *gone = e->buffer && e->buffer->device == d ? e->buffer : NULL;
        if (gone) *e = (entry){0};
        gndi_lock_give(&lock);
        if (gone) gndi_buffer_release(gone);
    }
}

/* Whether memory may be kept: the pool's own, which no graph has. */
static bool may_be_kept(const gndi_buffer *b) {
    return !b->device->backend->synchronous && !b->in_capture && !b->source;
}

void gndi_numbers_keep(const gnd_array *made, const gndi_numbers_key *key) {
    if (!made || !may_be_kept(made->buffer) || made->ndim > DIMS || made->size * gndi_itemsize(made) > LARGEST ||
        gndi_data(made) != (char *)made->buffer->base)
        return;
    gndi_memory_at_trim(forget);
    gndi_buffer_retain(made->buffer);
    gndi_lock_take(&lock);
    entry *oldest = entries;
    for (entry *e = entries; e < entries + KEPT; e++)
        if (e->used < oldest->used) oldest = e;
    gndi_buffer *gone = oldest->buffer;
    *oldest = (entry){.key = *key, .buffer = made->buffer, .ndim = made->ndim, .dtype = (gnd_dtype)made->dtype};
    memcpy(oldest->shape, made->shape, (size_t)made->ndim * sizeof *made->shape);
    oldest->used = ++uses;
    gndi_lock_give(&lock);
    if (gone) gndi_buffer_release(gone);
}
