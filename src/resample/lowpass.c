/*
 * lowpass.c: the low-pass filters that resampling designs for itself, by the window method. Designs are kept, since
 * making one takes the host longer than a GPU takes to resample 10^7 elements by it; on GPUs, too.
 */
#include "resample/resample.h"
#include "core/lock.h"
#include "elementwise/create.h"
#include "filter/kept_numbers.h"
#include "filter_design/fir.h"
#include "runtime/runtime.h"

enum { KEPT = 16, LONGEST_KEPT = 1 << 20 /* taps */, NAME = 64 };

/* What a design depends on; compared as bytes. */
typedef struct key {
    int64_t count;
    double cutoff, params[8];
    int64_t parameters, dtype;
    char window[NAME];
} key;

typedef struct design {
    key key;
    char *taps;    /* NULL: an entry that is free */
    uint64_t used; /* when, for the choice of the one that goes */
} design;

static design designs[KEPT];
static gndi_lock lock;
static uint64_t clock_of_uses;

/* The taps in a new block, in float32 or float64. */
static char *make_taps(const char *fn, const key *k, const gnd_window *window) {
    gndi_scratch scratch = {.fn = fn};
    const gnd_firwin_options options = {.window = *window};
    double *wide = gndi_scratch_doubles(&scratch, k->count);
    char *taps = NULL;
    if (wide && gndi_design_firwin(&scratch, k->count, 1, &k->cutoff, &options, wide))
        taps = gndi_malloc(fn, (size_t)(k->count * gndi_dtype_sizes[k->dtype]));
    for (int64_t i = 0; taps && i < k->count; i++)
        if (k->dtype == GND_FLOAT64)
            ((double *)(void *)taps)[i] = wide[i];
        else
            ((float *)(void *)taps)[i] = (float)wide[i];
    gndi_scratch_end(&scratch);
    return taps;
}

/* The kept taps, or new ones; under the lock. `*passing`: they are not kept, and the caller frees them. */
static char *find_taps(const char *fn, const key *k, const gnd_window *window, bool *passing) {
    design *oldest = &designs[0];
    *passing = false;
    for (design *d = designs; d < designs + KEPT; d++) {
        if (d->taps && memcmp(&d->key, k, sizeof *k) == 0) {
            d->used = ++clock_of_uses;
            return d->taps;
        }
        if (d->used < oldest->used) oldest = d;
    }
    char *taps = make_taps(fn, k, window);
    *passing = k->count > LONGEST_KEPT || strlen(window->name) >= NAME;
    if (!taps || *passing) return taps;
    gndi_free(oldest->taps);
    oldest->key = *k, oldest->taps = taps, oldest->used = ++clock_of_uses;
    return taps;
}

gnd_array *gndi_lowpass(gndi_temporaries *s, const gnd_array *like, int64_t count, double cutoff,
                        const gnd_window *window, gnd_dtype dtype) {
    if (s->failed) return NULL;
    key k;
    memset(&k, 0, sizeof k);
    k.count = count, k.cutoff = cutoff, k.parameters = window->count, k.dtype = dtype;
    for (int i = 0; i < window->count && i < 8; i++) k.params[i] = window->params[i];
    strncpy(k.window, window->name, NAME - 1);
    gndi_numbers_key on_device = {.maker = "lowpass"};
    _Static_assert(sizeof k <= sizeof on_device.made_of, "a key of a key");
    memcpy(on_device.made_of, &k, sizeof k);
    gnd_array *h = gndi_numbers_kept(s, like, &on_device);
    if (h || s->failed) return h;
    gnd_stream *stream = gndi_stream_on(like->buffer->device, s->fn);
    h = stream ? gndi_array_new_on(s->fn, stream, 1, &count, dtype, GNDI_ORDER_C) : NULL;
    if (!gndi_temporaries_keep(s, h)) return NULL;
    bool passing;
    gndi_lock_take(&lock);
    char *taps = find_taps(s->fn, &k, window, &passing);
    GNDI_PARTS_OF(s->fn);
    s->failed = !taps || gnd_copy_from_host(h, taps, (size_t)(count * gndi_itemsize(h))) != GND_OK;
    gndi_lock_give(&lock);
    if (taps && passing) gndi_free(taps);
    if (!s->failed && !passing) gndi_numbers_keep(h, &on_device);
    return h;
}
