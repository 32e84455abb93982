/*
 * random.c: generators: seeds, streams, children, and a default one for each thread.
 */
#define _GNU_SOURCE
#include "random/numpy_streams.h"
#include "random/random.h"
#include "elementwise/elementwise.h"
#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

/* Attempts that no draw reaches: their words are not used by any element. */
enum { CHILDREN = -1 };

static const char *const kind_names[] = {"Philox", "XORWOW", "MRG32k3a", "Sobol", "cuRAND", "NumPy"};

uint64_t gndi_philox_number(uint64_t key, uint64_t block, uint32_t attempt, uint32_t stream) {
    uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
    uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), attempt, stream};
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const uint64_t a = (uint64_t)c[0] * 0xD2511F53u, b = (uint64_t)c[2] * 0xCD9E8D57u;
        c[0] = (uint32_t)(b >> 32) ^ c[1] ^ k0, c[1] = (uint32_t)b;
        c[2] = (uint32_t)(a >> 32) ^ c[3] ^ k1, c[3] = (uint32_t)a;
    }
    return (uint64_t)c[0] << 32 | c[1];
}

/* ---- making and releasing ------------------------------------------------------------------- */

static void destroy(gnd_random *g) {
    if (g->curand) gndi_random_drop_curand(g);
    gndi_free(g->curand);
    gndi_free(g->numpy);
    if (g->cell) gndi_buffer_release(g->cell);
    if (g->states) gndi_buffer_release(g->states);
    if (g->sobol) gndi_buffer_release(g->sobol);
    gndi_lock_end(&g->lock);
    gndi_free(g);
}

static gnd_random *allocate(const char *fn, gnd_random_kind kind) {
    gnd_random *g = gndi_calloc(fn, sizeof *g);
    if (!g) return NULL;
    g->state.kind = (uint32_t)kind;
    return g;
}

/* Direction numbers in the device's memory. */
gnd_status gndi_random_set_sobol(const char *fn, gnd_random *g, uint64_t key) {
    const size_t bytes = (size_t)g->dimensions * (GNDI_SOBOL_BITS + 1) * sizeof(uint64_t);
    gnd_stream *s = gndi_stream_on(g->device, fn);
    uint64_t *numbers = s ? gndi_malloc(fn, bytes) : NULL;
    if (!numbers) return s ? GND_ERROR_MEMORY : gndi_ew_pending();
    gndi_random_sobol_numbers(numbers, g->dimensions, g->scrambled, key);
    gnd_status status = GND_OK;
    if (!g->sobol && !(g->sobol = gndi_buffer_new(fn, s, bytes))) status = GND_ERROR_MEMORY;
    if (!status) status = gndi_order_write(s, g->sobol, fn);
    if (!status) status = s->device->backend->copy_in(s, g->sobol->base, numbers, bytes, false, fn);
    if (!status) gndi_submitted(s);
    gndi_free(numbers);
    return status;
}

/* Sets the state that a seed means, on the device. */
static gnd_status start(const char *fn, gnd_random *g, uint64_t key, uint32_t stream) {
    const gndi_random_state state = {.key = key, .stream = stream, .kind = g->state.kind};
    gnd_status status = state.kind == GNDI_SOBOL ? gndi_random_set_sobol(fn, g, key) : GND_OK;
    return status ? status : gndi_random_set_state(fn, g, &state, NULL);
}

static gnd_random *make(const char *fn, gnd_random_kind kind, gndi_device *device, int64_t dimensions, bool scrambled,
                        uint64_t seed) {
    gnd_random *g = allocate(fn, kind);
    if (!g) return NULL;
    g->device = device, g->dimensions = dimensions, g->scrambled = scrambled;
    if (!start(fn, g, seed, 0)) return gndi_owned("a generator", g, fn);
    destroy(g);
    return NULL;
}

gnd_random *gndi_random_new_with_curand(const char *fn, gndi_device *device, gnd_curand_kind kind, uint64_t seed,
                                        const gnd_curand_options *options) {
    gnd_random *g = allocate(fn, GND_CURAND);
    if (!g) return NULL;
    g->device = device;
    if (!gndi_random_make_curand(fn, g, kind, seed, options)) return gndi_owned("a generator", g, fn);
    destroy(g);
    return NULL;
}

gnd_random *gndi_random_new_with_numpy(const char *fn, gndi_device *device, gnd_numpy_kind kind, uint64_t seed,
                                       int64_t child) {
    gnd_random *g = allocate(fn, GND_NUMPY);
    if (!g) return NULL;
    g->device = device;
    if (!gndi_random_make_numpy(fn, g, kind, seed, child)) return gndi_owned("a generator", g, fn);
    destroy(g);
    return NULL;
}

gnd_status gndi_random_is_own(const char *fn, const gnd_random *g, const char *what) {
    if (!g->curand && !g->numpy) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "a generator of %s has no %s", g->curand ? "cuRAND's" : "NumPy's", what);
}

gnd_random *gnd_random_new(gnd_random_kind kind, uint64_t seed) {
    static const char fn[] = "gnd_random_new";
    if ((unsigned)kind > GND_NUMPY) {
        gndi_raise(GND_ERROR_INVALID, fn, "there is no kind of generator number %d", (int)kind);
        return NULL;
    }
    if (kind == GND_SOBOL) {
        gndi_raise(GND_ERROR_INVALID, fn,
                   "a Sobol sequence has a number of dimensions; make it with "
                   "gnd_random_new_sobol");
        return NULL;
    }
    if (kind == GND_CURAND || kind == GND_NUMPY) {
        gndi_raise(GND_ERROR_INVALID, fn, "%s has several kinds; make one with gnd_random_new_%s",
                   kind == GND_CURAND ? "cuRAND" : "NumPy", kind == GND_CURAND ? "curand" : "numpy");
        return NULL;
    }
    gnd_stream *s = gndi_stream_current(fn);
    return s ? make(fn, kind, s->device, 0, false, seed) : NULL;
}

gnd_random *gnd_random_new_sobol(int64_t dimensions, bool scramble, uint64_t seed) {
    static const char fn[] = "gnd_random_new_sobol";
    if (dimensions < 1 || dimensions > GNDI_SOBOL_MOST) {
        gndi_raise(GND_ERROR_VALUE, fn, "dimensions is %lld; it must be 1 to %d", (long long)dimensions,
                   GNDI_SOBOL_MOST);
        return NULL;
    }
    gnd_stream *s = gndi_stream_current(fn);
    return s ? make(fn, GND_SOBOL, s->device, dimensions, scramble, seed) : NULL;
}

void gnd_random_release(gnd_random *g) {
    if (!g || g->follows) return;
    gndi_disowned(g);
    destroy(g);
}

gnd_random_kind gnd_random_kind_of(const gnd_random *g) {
    return g ? (gnd_random_kind)g->state.kind : GND_PHILOX;
}

/* ---- the default generator ------------------------------------------------------------------ */

uint64_t gnd_random_entropy(void) {
    uint64_t seed;
    if (getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed) return seed;
    /* A system without getrandom: the time and an address, mixed. */
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return gndi_philox_number((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec, (uintptr_t)&seed, 0, 0);
}

static pthread_key_t exit_key;
static gndi_once exit_once;
static bool exit_key_made;
static _Thread_local gnd_random *own;

static void thread_ends(void *g) {
    own = NULL;
    destroy(g);
}
static void make_exit_key(void) {
    exit_key_made = pthread_key_create(&exit_key, thread_ends) == 0;
}

gnd_random *gnd_random_default(void) {
    GNDI_PARTS_OF("gnd_random_default");
    if (gndi_likely(own != NULL)) return own;
    static const char fn[] = "gnd_random_default";
    gnd_random *g = allocate(fn, GND_PHILOX);
    if (!g) return NULL;
    g->follows = true, g->state.key = gnd_random_entropy();
    gndi_once_do(&exit_once, make_exit_key);
    if (exit_key_made) pthread_setspecific(exit_key, g);
    return own = g;
}

/* ---- seeds, streams, children --------------------------------------------------------------- */

gnd_status gnd_random_seed(gnd_random *g, uint64_t seed) {
    static const char fn[] = "gnd_random_seed";
    if (!g) return gndi_raise_null(fn, "g");
    gndi_lock_take(&g->lock);
    gnd_status status = g->curand  ? gndi_random_seed_curand(g, seed)
                        : g->numpy ? gndi_random_make_numpy(fn, g, g->numpy->kind, seed, -1)
                                   : start(fn, g, seed, 0);
    if (!status) g->children = 0;
    gndi_lock_give(&g->lock);
    return status;
}

gnd_status gnd_random_jump(gnd_random *g, uint32_t streams) {
    static const char fn[] = "gnd_random_jump";
    if (!g) return gndi_raise_null(fn, "g");
    if (gndi_random_is_own(fn, g, "streams")) return gndi_ew_pending();
    if (g->state.kind == GNDI_SOBOL)
        return gndi_raise(GND_ERROR_INVALID, fn, "a Sobol sequence has no streams; scramble it with another seed");
    gndi_lock_take(&g->lock);
    gnd_status status = start(fn, g, g->state.key, g->state.stream + streams);
    gndi_lock_give(&g->lock);
    return status;
}

gnd_status gnd_random_advance(gnd_random *g, uint64_t count) {
    static const char fn[] = "gnd_random_advance";
    if (!g) return gndi_raise_null(fn, "g");
    const uint32_t kind = g->state.kind;
    if (g->numpy) return gndi_random_advance_numpy(fn, g, count);
    if (gndi_random_is_own(fn, g, "way to skip numbers but its option `offset`")) return gndi_ew_pending();
    if (kind != GNDI_PHILOX && kind != GNDI_SOBOL)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "a generator of kind %s cannot skip numbers; gnd_random_jump goes to its "
                          "next stream",
                          kind_names[kind]);
    gndi_lock_take(&g->lock);
    gndi_random_state state;
    gnd_status status = gndi_random_look(fn, g, &state);
    if (!status) {
        state.position += kind == GNDI_SOBOL ? count * (uint64_t)g->dimensions : count;
        status = gndi_random_set_state(fn, g, &state, NULL);
    }
    gndi_lock_give(&g->lock);
    return status;
}

gnd_random *gnd_random_spawn(gnd_random *g) {
    static const char fn[] = "gnd_random_spawn";
    if (!g) {
        gndi_raise_null(fn, "g");
        return NULL;
    }
    if (!g->numpy && gndi_random_is_own(fn, g, "children")) return NULL;
    gndi_device *device = g->device;
    if (g->follows) {
        gnd_stream *s = gndi_stream_current(fn);
        if (!s) return NULL;
        device = s->device;
    }
    gndi_lock_take(&g->lock);
    if (g->numpy) {
        gnd_random *child = gndi_random_new_with_numpy(fn, device, g->numpy->kind, g->state.key, (int64_t)g->children);
        if (child) g->children++;
        gndi_lock_give(&g->lock);
        return child;
    }
    const uint64_t seed = gndi_philox_number(g->state.key, g->children, (uint32_t)CHILDREN, g->state.stream);
    gnd_random *child = make(fn, (gnd_random_kind)g->state.kind, device, g->dimensions, g->scrambled, seed);
    if (child) g->children++;
    gndi_lock_give(&g->lock);
    return child;
}
