/*
 * runtime.h: devices, streams and memory as the library sees them, and the backend interface that
 * CUDA and the CPU implement.
 *
 * A public call goes: front end (C) -> plan -> gndi_order_read / gndi_order_write for each
 * operand's buffer (make the current stream wait for whatever else used it) -> backend ->
 * gndi_submitted -> gndi_finish. Only backend_cuda.* and the other *_cuda.* files know CUDA.
 */
#ifndef GNDI_RUNTIME_H
#define GNDI_RUNTIME_H

#include "core/core.h"
#include "core/lock.h"
#include "core/parallel.h"
#include "libraries/library.h"
#include "runtime/fault.h"

/* Live streams on one device: one bit each in gndi_buffer.readers, and one is left (pending.h). */
#define GNDI_MAX_STREAMS 63
#define GNDI_MAX_GPUS 16

/* A queue of work. On the CPU work is done when the call returns, and a stream is only a name.
   A stream that its user releases keeps its slot, its native queue and its count of operations, and
   is handed out again later: so a slot means the same queue for as long as the process lives, and
   what buffers and other streams remember of it stays true. */
struct gnd_stream {
    gndi_device *device;
    uint32_t slot;                             /* 0 is the device's default stream */
    atomic_bool in_use;                        /* a user holds it (slot 0: always) */
    void *native;                              /* cudaStream_t */
    void *marker;                              /* the backend's event for stream_wait_stream */
    _Atomic uint64_t seq;                      /* operations submitted so far */
    _Atomic uint64_t waited[GNDI_MAX_STREAMS]; /* up to which operation of each other stream this one waits */
};

/* A point in a stream. */
struct gnd_event {
    gndi_device *device;
    void *native; /* cudaEvent_t */
    bool timing;
    atomic_bool recorded;
    double time; /* on the CPU: seconds, when it was recorded */
};

typedef struct gndi_backend gndi_backend;
typedef struct gndi_pool gndi_pool;

/* A device's records of faults. The CPU has one, whose first reporter names the function, too. A GPU has one
   for each public function whose kernels may report: a kernel knows only its address, which also work of
   a CUDA graph keeps. `since` tells which of them was first used after the last wait: of several faults the
   oldest is raised. */
enum { GNDI_FAULT_RECORDS = 512 };
typedef struct gndi_faults {
    gndi_fault *record; /* host-visible, `capacity` of them, zeros at first */
    int capacity;
    atomic_int count;
    atomic_uint since[GNDI_FAULT_RECORDS];
    atomic_uint clock;
} gndi_faults;

struct gndi_device {
    gnd_device id;
    const gndi_backend *backend;
    gndi_pool *pool;
    gnd_stream *default_stream;
    gnd_stream *_Atomic streams[GNDI_MAX_STREAMS]; /* in use or waiting to be handed out again */
    gndi_lock order_lock;                          /* held while one stream is made to wait for another (order.c) */
    gndi_faults faults;                            /* what kernels report; read at every wait (fault.c) */
    int processors;                                /* multiprocessors, or CPU threads */
    atomic_bool ready;                             /* opened: context, default stream and pool exist */
    void *native;                                  /* the backend's own state */
};

/* The record for faults of the work that the calling thread is about to do on `d`, in the name of
   gndi_naming: for kernels. NULL: none is kept. */
gndi_fault *gndi_fault_record(gndi_device *d);
/* Whether kernels have reported something that no wait has raised yet. */
bool gndi_fault_reported(const gndi_device *d);

/* Plans of the kernels; each is defined in its topic's folder. */
typedef struct gndi_ew_plan gndi_ew_plan;
typedef struct gndi_sequence_plan gndi_sequence_plan;
typedef struct gndi_reduce_plan gndi_reduce_plan;
typedef struct gndi_scan_plan gndi_scan_plan;
typedef struct gndi_index_plan gndi_index_plan;
typedef struct gndi_compact_plan gndi_compact_plan;
typedef struct gndi_bits_plan gndi_bits_plan;
typedef struct gndi_histogram_plan gndi_histogram_plan;
typedef struct gndi_sort_plan gndi_sort_plan;
typedef struct gndi_search_plan gndi_search_plan;
typedef struct gndi_select_plan gndi_select_plan;
typedef struct gndi_segment_plan gndi_segment_plan;
typedef struct gndi_scatter_plan gndi_scatter_plan;
typedef struct gndi_correlate_plan gndi_correlate_plan;
typedef struct gndi_convolve_plan gndi_convolve_plan;
typedef struct gndi_order_plan gndi_order_plan;
typedef struct gndi_upfirdn_plan gndi_upfirdn_plan;
typedef struct gndi_detrend_plan gndi_detrend_plan;
typedef struct gndi_freq_shift_plan gndi_freq_shift_plan;
typedef struct gndi_channelize_plan gndi_channelize_plan;
typedef struct gndi_window_plan gndi_window_plan;
typedef struct gndi_wave_plan gndi_wave_plan;
typedef struct gndi_extrema_plan gndi_extrema_plan;
typedef struct gndi_peaks_plan gndi_peaks_plan;
typedef struct gndi_matmul_plan gndi_matmul_plan;
typedef struct gndi_lapack_plan gndi_lapack_plan;
typedef struct gndi_fft_plan gndi_fft_plan;
typedef struct gndi_filter_plan gndi_filter_plan;
typedef struct gndi_fir_plan gndi_fir_plan;
typedef struct gndi_random_plan gndi_random_plan;
typedef struct gndi_random_ties gndi_random_ties;
typedef struct gndi_random_cell gndi_random_cell;
typedef struct gndi_fuse_plan gndi_fuse_plan;

/* What a device must be able to do. Functions that return gnd_status raise in the name of `fn`. */
struct gndi_backend {
    const char *name;
    bool synchronous; /* work is done when a call returns: streams need not wait for each other */

    /* Devices. */
    int (*count)(void);
    gnd_status (*open)(gndi_device *d, const char *fn);
    void (*close)(gndi_device *d);
    gnd_status (*properties)(int index, gnd_device_properties *out, const char *fn);
    gnd_status (*memory_info)(gndi_device *d, size_t *free_bytes, size_t *total_bytes, const char *fn);

    /* Raw memory, in the order of `s`; the pool stands in front of both. NULL when there is none
       left (no error raised: the pool trims and tries again). */
    void *(*allocate)(gndi_device *d, size_t bytes, gnd_stream *s);
    void (*release)(gndi_device *d, void *p, size_t bytes, gnd_stream *s);
    void (*trim)(gndi_device *d); /* give back what the backend itself keeps, after waiting for the device */
    size_t pool_largest;          /* freed blocks up to this size are kept by the pool, larger ones released */

    /* Streams and events. */
    gnd_status (*stream_open)(gnd_stream *s, const char *fn);
    gnd_status (*stream_wait_idle)(gnd_stream *s, const char *fn); /* blocks the host */
    bool (*stream_idle)(gnd_stream *s);
    /* All later work of `s` waits for all work submitted to `other` so far. */
    gnd_status (*stream_wait_stream)(gnd_stream *s, gnd_stream *other, const char *fn);
    gnd_status (*event_open)(gnd_event *e, const char *fn);
    void (*event_close)(gnd_event *e);
    gnd_status (*event_record)(gnd_event *e, gnd_stream *s, const char *fn);
    gnd_status (*stream_wait_event)(gnd_stream *s, gnd_event *e, const char *fn);
    gnd_status (*event_wait)(gnd_event *e, const char *fn); /* blocks the host */
    bool (*event_done)(gnd_event *e);
    gnd_status (*event_elapsed)(gnd_event *from, gnd_event *to, double *milliseconds, const char *fn);

    /* Contiguous transfers, in the order of `s`. `pinned`: the host side is page-locked, and the
       call does not wait; otherwise the host memory may be used again when it returns (h2d), or
       holds the data when it returns (d2h). */
    gnd_status (*copy_in)(gnd_stream *s, void *device, const void *host, size_t bytes, bool pinned, const char *fn);
    gnd_status (*copy_out)(gnd_stream *s, void *host, const void *device, size_t bytes, bool pinned, const char *fn);
    gnd_status (*copy_within)(gnd_stream *s, void *to, const void *from, size_t bytes, const char *fn);
    /* Between two devices of this backend; `s` belongs to the destination. */
    gnd_status (*copy_peer)(gnd_stream *s, void *to, const void *from, gndi_device *from_device, size_t bytes,
                            const char *fn);
    gnd_status (*set_zero)(gnd_stream *s, void *device, size_t bytes, const char *fn);
    void *(*pinned_allocate)(gndi_device *d, size_t bytes);
    void (*pinned_release)(void *p);
    bool (*is_pinned)(gndi_device *d, const void *host, size_t bytes);
    bool (*can_reach)(gndi_device *d, const void *p); /* kernels of `d` may work on memory at p */

    bool (*stream_captured)(gnd_stream *s); /* into a CUDA graph; NULL: never */

    /* Kernels: one member for each row. */
#define HOOK(name, type) gnd_status (*name)(gnd_stream * s, const type *plan, const char *fn);
#define HOOK_GPU(name, type) HOOK(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU
    /* Loads kernels for which the first call must not wait; NULL: there are none. */
    void (*load)(void);
    /* Whether it would copy both operands of a transform that lie so; NULL: it never does. */
    bool (*fft_gathers)(const gndi_fft_plan *plan);
    /* Who would run a fused program ("interpreter", "compiled", "tiles", or "fallback": the other hooks are
       quicker); NULL if nobody can in one launch: then the front end cuts it up. */
    const char *(*fuse_executor)(gnd_stream *s, const gndi_fuse_plan *plan);
    const char *(*instruction_set)(void); /* of the kernels; NULL: of a GPU */
    void (*describe_fault)(char *text, size_t bytes, const gndi_fault *f);
    /* In a forked child: from now on all functions of this table fail. NULL: it works there. */
    void (*lose)(void);
};

/* In a forked child whose parent had begun to use CUDA: from then on all that GPUs are asked for fails, with a
   sentence that says why, and releases do nothing. */
extern bool gndi_gpus_lost;
gnd_status gndi_raise_lost(const char *fn);

/* The table of a kind of device; NULL: gnd was built without it. Defined in src/backend: the one name that
   the runtime takes from above. */
const gndi_backend *gndi_backend_of(gnd_device_kind kind);

/* The device halves of the tables: all but the kernels. */
extern const gndi_backend gndi_cpu_device_functions;
#ifdef GNDI_WITH_CUDA
extern const gndi_backend gndi_cuda_device_functions;
const char *gndi_cuda_unavailable(void); /* why there is no GPU to use; asked when count() gave 0 */
#endif

/* ---- the calling thread --------------------------------------------------------------------- */

/* So many later releases delay the reuse of a released header. */
enum { GNDI_HEADERS_HELD = 16 };

/* Everything a thread has of its own. `stream` (and through it the device) is NULL until
   first use. */
typedef struct gndi_thread {
    gnd_stream *stream;
    gndi_scope *scope;
    gnd_array *free_small, *free_large; /* header free lists, linked through `buffer` */
    int free_small_count, free_large_count;
    gnd_array *released[GNDI_HEADERS_HELD]; /* headers on their way to those lists */
    uint32_t next_released;
    bool tf32, linalg_strict;       /* gnd/linalg.h: what this thread asked for */
    struct gndi_recorder *recorder; /* elementwise/record.h: who takes operations down; NULL: they are run */
    struct fuse_program *fuse;      /* fuse/fuse.h: this thread's program, once it has recorded something */
    uint64_t pending_seq;           /* the lowest number gndi_order_write gave out since gndi_submitted; 0: none */
} gndi_thread;
/* The default TLS model on purpose: the static CUDA runtime has 4 KiB of thread-local data, and
   with initial-exec all of it would have to fit the little room that dlopen() has for
   static TLS. */
extern _Thread_local gndi_thread gndi_tls;

/* The current stream, opening the default device at first use; NULL and an error if it can't be. */
gnd_stream *gndi_stream_slow(const char *fn);
static inline gnd_stream *gndi_stream_current(const char *fn) {
    gnd_stream *s = gndi_tls.stream;
    return gndi_likely(s != NULL) ? s : gndi_stream_slow(fn);
}
/* The stream work on `d` goes to from this thread: the current one if it is on d, else
   d's default. */
gnd_stream *gndi_stream_on(gndi_device *d, const char *fn);
/* The device behind a public id, opened; NULL and an error if there is none. */
gndi_device *gndi_device_get(gnd_device id, const char *fn);
/* The device new threads start on (GND_DEVICE, else the first GPU, else the CPU), opened. */
gndi_device *gndi_device_default(const char *fn);
/* A new stream in a free slot of `d` (stream.c). */
gnd_stream *gndi_stream_new_on(gndi_device *d, const char *fn);
/* Waits for everything submitted to `d` on any stream, and reports faults. */
gnd_status gndi_device_sync(gndi_device *d, const char *fn);

/* ---- memory (pool.c) ------------------------------------------------------------------------ */

gndi_pool *gndi_pool_new(gndi_device *d, const char *fn);
void gndi_pool_destroy(gndi_pool *p); /* of a device that could not be opened: nothing is cached yet */
void gndi_pool_stats(gndi_pool *p, gnd_memory_stats *out);
void gndi_pool_reset_peak(gndi_pool *p);
void gndi_pool_set_limit(gndi_pool *p, size_t bytes);
void gndi_pool_trim(gndi_pool *p); /* gives everything kept back to the device */
/* A new buffer of at least `bytes` (0 allowed: base is NULL), usable in the order of `s`. */
gndi_buffer *gndi_buffer_new(const char *fn, gnd_stream *s, size_t bytes);
/* A buffer over foreign memory. */
gndi_buffer *gndi_buffer_wrap(const char *fn, gndi_device *d, void *base, size_t bytes, void (*deleter)(void *, void *),
                              void *context);

/* Whether `bytes` from `host` on may go to and from device `d` without staging: page-locked memory,
   or a device whose copies never wait anyway. */
bool gndi_is_pinned(gndi_device *d, const void *host, size_t bytes);

/* ---- ordering across streams (order.c) ------------------------------------------------------ */

/* Makes `s` wait for the streams that wrote (and, for a write, read) the buffer, if there are any
   others, and notes the use. Costs two compares when one stream does everything. */
gnd_status gndi_order_slow(gnd_stream *s, gndi_buffer *b, bool write, const char *fn);
static inline gnd_status gndi_order_read(gnd_stream *s, gndi_buffer *b, const char *fn) {
    if (gndi_likely(atomic_load_explicit(&b->writer, memory_order_relaxed) == s->slot && b->device == s->device)) {
        uint64_t bit = UINT64_C(1) << s->slot;
        if (!(atomic_load_explicit(&b->readers, memory_order_relaxed) & bit))
            atomic_fetch_or_explicit(&b->readers, bit, memory_order_relaxed);
        return GND_OK;
    }
    return gndi_order_slow(s, b, false, fn);
}
/* The operation about to be submitted is taken to have number seq + 1; gndi_submitted() counts it
   afterwards, and puts things right if another thread got in between on the same stream. */
static inline uint64_t gndi_order_next(gnd_stream *s) {
    uint64_t next = atomic_load_explicit(&s->seq, memory_order_relaxed) + 1;
    if (gndi_tls.pending_seq - 1 >= next) gndi_tls.pending_seq = next; /* none yet, or a higher one */
    return next;
}
static inline gnd_status gndi_order_write(gnd_stream *s, gndi_buffer *b, const char *fn) {
    uint64_t bit = UINT64_C(1) << s->slot;
    if (gndi_likely(atomic_load_explicit(&b->writer, memory_order_relaxed) == s->slot &&
                    !(atomic_load_explicit(&b->readers, memory_order_relaxed) & ~bit) && b->device == s->device)) {
        atomic_store_explicit(&b->writer_seq, gndi_order_next(s), memory_order_relaxed);
        return GND_OK;
    }
    return gndi_order_slow(s, b, true, fn);
}
void gndi_submitted_late(gnd_stream *s, uint64_t pending);
static inline void gndi_submitted(gnd_stream *s) {
    uint64_t number = atomic_fetch_add_explicit(&s->seq, 1, memory_order_release) + 1;
    uint64_t pending = gndi_tls.pending_seq;
    gndi_tls.pending_seq = 0;
    if (gndi_unlikely(pending != 0 && pending != number)) gndi_submitted_late(s, pending);
}
/* `s` waits for all work submitted to `other`, a stream of any device of the same backend. */
gnd_status gndi_order_after(gnd_stream *s, gnd_stream *other, const char *fn);
/* The stream behind whose work a buffer may be reused: it has been made to wait for all other
 * users. */
gnd_stream *gndi_order_last(gndi_buffer *b);

/* After a host wait on `s`: raises what kernels reported since the last one (device->fault). */
gnd_status gndi_collect_faults(gnd_stream *s, const char *fn);
/* Waits for the host and collects: what every waiting function ends with. */
gnd_status gndi_stream_wait(gnd_stream *s, const char *fn);
/* The same behind what the call itself has submitted, after it collected what was there before. */
gnd_status gndi_stream_wait_own(gnd_stream *s, const char *fn);
/* Names of kernels that users wrote, as they are launched on a GPU, and the last few of them, "" if there was
   none: for messages about a device that failed (user_kernels.c). */
void gndi_user_kernel_note(const char *name);
const char *gndi_user_kernels(void);
/* End of every public call that submitted work: under GND_SYNC=1 waits and reports. */
extern bool gndi_sync_always;
gnd_status gndi_finish(gnd_stream *s, const char *fn);

#endif
