/*
 * runtime.h: devices, streams and memory, and the backend interface that CUDA and the CPU implement.
 *
 * The path of a public call: front (C) -> plan -> gndi_order_read / gndi_order_write for each
 * operand's buffer (make the current stream wait for whatever else used it) -> backend ->
 * gndi_submitted -> gndi_finish. Only *_cuda.* files know CUDA.
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

typedef struct gndi_recording gndi_recording; /* src/backend/recorded.c */

/* A queue of work. On the CPU work is done when the call returns, and a stream is only a name.
   A stream that its user releases keeps its slot, its native queue and its count of operations, and
   is reused later: so a slot means the same queue throughout the process, and what buffers and other
   streams have recorded of it stays valid. */
struct gnd_stream {
    gndi_device *device;
    uint32_t slot;      /* 0 is the device's default stream */
    atomic_bool in_use; /* a user holds it (slot 0: always) */
    void *native;       /* cudaStream_t */
    void *own;          /* while `native` is that of others (gnd_stream_wrap): the slot's own */
    bool wrapped;
    void *marker;                              /* the backend's event for stream_wait_stream */
    gnd_graph *capture;                        /* records into it (graph.h) instead of executing; NULL: none */
    gndi_recording *recording;                 /* the same on the CPU: where calls are listed; NULL: nowhere */
    bool records;                              /* is only used to record */
    bool urgent;                               /* of gnd_stream_new_high_priority */
    _Atomic uint64_t seq;                      /* operations submitted so far */
    _Atomic uint64_t waited[GNDI_MAX_STREAMS]; /* the last operation of each other stream that this one waits for */
};

enum { GNDI_SHARED_TOKEN = 128 };

/* Where memory comes from, if not from the device: another kind of its memory, or an allocator of the program's
   (source.c). Lives for ever. */
typedef struct gndi_memory_source {
    gnd_memory_kind kind; /* GND_MEMORY_DEVICE: */
    gnd_allocator allocator;
} gndi_memory_source;

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

/* A device's records of faults. The CPU has one, in which the first reporter stores the function, too. A GPU has one
   for each public function whose kernels may report: a kernel knows only the record's address, which also stays in a
   CUDA graph. `since` orders records by their first use after the last wait: of several faults the oldest is
   raised. */
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
    gnd_stream *_Atomic streams[GNDI_MAX_STREAMS]; /* in use, or released and to be reused */
    gndi_lock order_lock;                          /* held while a stream is made to wait for another (order.c) */
    gndi_faults faults;                            /* what kernels report; read at every wait (fault.c) */
    int processors;                                /* multiprocessors, or CPU threads */
    int shared_bytes;                              /* of a GPU's shared memory, for a block; 0 on the CPU */
    int cache_bytes;                               /* of a GPU's L2 cache */
    int starts_early;                              /* a GPU's: whether kernels can; see device_cuda.c */
    atomic_int recordings;                         /* graphs that are being recorded on it */
    atomic_bool ready;                             /* opened: context, default stream and pool exist */
    void *native;                                  /* the backend's own state */
};

/* For fronts whose quickest way is another one on the CPU. */
static inline bool gndi_is_on_cpu(const gnd_array *a) {
    return a->buffer->device->id.kind == GND_CPU;
}

/* For kernels: the record for faults of the work that the calling thread is about to submit to `d`, in the name of
   gndi_naming. NULL: there is none. */
gndi_fault *gndi_fault_record(gndi_device *d);
/* Whether kernels have reported something that no wait has raised yet. */
bool gndi_fault_reported(const gndi_device *d);

/* Plans of the kernels; each is defined in its topic's folder. */
#define HOOK(name, type) typedef struct type type;
#define HOOK_GPU(name, type) HOOK(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU

/* An open regular file from a byte on, and its name as messages have it. */
typedef struct gndi_file_part {
    const char *name;
    int file;
    int64_t offset;
} gndi_file_part;
/* Reads `bytes` of a part, from its byte `from` on. 0, an errno, or -1: the file has ended (file_part.c). */
int gndi_file_part_read(const gndi_file_part *part, int64_t from, void *to, size_t bytes);
/* Raises what that has given, unless it is 0. */
gnd_status gndi_file_part_check(const gndi_file_part *part, int problem, const char *fn);

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

    /* Raw memory, in the order of `s`; only the pool calls both. NULL if there is none left (no error is
       raised: the pool trims and tries again). */
    void *(*allocate)(gndi_device *d, size_t bytes, gnd_stream *s);
    void (*release)(gndi_device *d, void *p, size_t bytes, gnd_stream *s);
    void (*trim)(gndi_device *d); /* give back what the backend itself keeps, after waiting for the device */
    /* Memory of other kinds than GND_MEMORY_DEVICE; release waits for `s`. NULL if there is none left. */
    void *(*kind_allocate)(gndi_device *d, gnd_memory_kind kind, size_t bytes);
    void (*kind_release)(gndi_device *d, gnd_memory_kind kind, void *p, size_t bytes, gnd_stream *s);
    /* A token of GNDI_SHARED_TOKEN bytes for a block of GND_MEMORY_SHARED; which device it is on in this process; the
       block in this process. */
    gnd_status (*share)(gndi_device *d, const void *base, void *token, const char *fn);
    gnd_status (*shared_device)(const void *token, int *index, const char *fn);
    gnd_status (*open_shared)(gndi_device *d, const void *token, size_t bytes, void **base, const char *fn);
    void (*close_shared)(void *base, size_t bytes);
    size_t pool_largest; /* freed blocks up to this size are kept by the pool, larger ones released */

    /* Streams and events. */
    gnd_status (*stream_open)(gnd_stream *s, const char *fn);
    gnd_status (*stream_wait_idle)(gnd_stream *s, const char *fn); /* blocks the host */
    bool (*stream_idle)(gnd_stream *s);
    /* All later work of `s` waits for all work submitted to `other` so far. */
    gnd_status (*stream_wait_stream)(gnd_stream *s, gnd_stream *other, const char *fn);
    /* The same between `s` and a native stream of others; and `s` works on one until stream_return. */
    gnd_status (*stream_wait_native)(gnd_stream *s, void *native, const char *fn);
    gnd_status (*native_wait_stream)(void *native, gnd_stream *s, const char *fn);
    gnd_status (*stream_adopt)(gnd_stream *s, void *native, const char *fn);
    void (*stream_return)(gnd_stream *s);
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
    /* Bytes of a file, straight to the device: the host waits until they have been read, not until they have arrived.
       Raises if the file ends before. */
    gnd_status (*read_in)(gnd_stream *s, void *device, const gndi_file_part *from, size_t bytes, const char *fn);
    gnd_status (*copy_out)(gnd_stream *s, void *host, const void *device, size_t bytes, bool pinned, const char *fn);
    gnd_status (*copy_within)(gnd_stream *s, void *to, const void *from, size_t bytes, const char *fn);
    /* Between two devices of this backend; `s` belongs to the destination. */
    gnd_status (*copy_peer)(gnd_stream *s, void *to, const void *from, gndi_device *from_device, size_t bytes,
                            const char *fn);
    /* Rows of bytes; from or to the memory of another GPU by the copy engines, which need no multiprocessor. NULL: the
       backend has none. */
    gnd_status (*copy_rows)(gnd_stream *s, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes,
                            size_t rows, const char *fn);
    gnd_status (*set_zero)(gnd_stream *s, void *device, size_t bytes, const char *fn);
    void *(*pinned_allocate)(gndi_device *d, size_t bytes);
    void (*pinned_release)(void *p);
    bool (*is_pinned)(gndi_device *d, const void *host, size_t bytes);
    bool (*can_reach)(gndi_device *d, const void *p); /* kernels of `d` may work on memory at p */

    bool (*stream_captured)(gnd_stream *s); /* into a graph */
    /* Graphs: from capture_begin on `s` records. capture_end makes what it has recorded executable, or exchanges it in
       *executable (sets *updated) where it can; capture_drop ends it without. After a failure *executable stays. */
    gnd_status (*capture_begin)(gnd_stream *s, const char *fn);
    gnd_status (*capture_end)(gnd_stream *s, void **executable, int64_t *nodes, bool *updated, const char *fn);
    void (*capture_drop)(gnd_stream *s);
    gnd_status (*graph_launch)(gnd_stream *s, void *executable, const char *fn);
    void (*graph_release)(gndi_device *d, void *executable); /* its launches go on */
    /* Before `s` records, what it will need of libraries, if `like` has it; NULL: nothing. */
    gnd_status (*capture_prepare)(gnd_stream *s, gnd_stream *like, const char *fn);

    /* Kernels: one member for each row. */
#define HOOK(name, type) gnd_status (*name)(gnd_stream * s, const type *plan, const char *fn);
#define HOOK_GPU(name, type) HOOK(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU
    /* Loads kernels in advance, so that their first call does not wait; NULL: there are none. Called by the backend
       itself, before the first larger allocation. */
    void (*load)(void);
    /* Whether it would copy both operands of a transform with these strides; NULL: it never does. */
    bool (*fft_gathers)(const gndi_fft_plan *plan);
    /* Whether it takes the start of this scan, which else is combined with the results; NULL: always. */
    bool (*scan_starts)(const gndi_scan_plan *plan);
    /* The executor that would run a fused program ("interpreter", "compiled", "tiles", or "fallback": the other hooks
       are faster); NULL if none can in one launch: then the front divides it. */
    const char *(*fuse_executor)(gnd_stream *s, const gndi_fuse_plan *plan);
    const char *(*instruction_set)(void); /* of CPU kernels; NULL on a GPU */
    void (*describe_fault)(char *text, size_t bytes, const gndi_fault *f);
    /* Called in a forked child: makes all functions of this table fail. NULL: the backend works there. */
    void (*lose)(void);
};

/* True in a forked child whose parent has used CUDA: all work on GPUs fails with an error that says why, and releases
   do nothing. */
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

/* The number of later releases that delay the reuse of a released header. */
enum { GNDI_HEADERS_HELD = 16 };

/* A thread's own state. `stream` (and through it the device) is NULL until
   first use. */
typedef struct gndi_thread {
    /* These are public as gnd_fuse_thread_ (gnd/fuse.h). */
    gndi_scope *scope;
    uint64_t most, most_in_block;

    gnd_stream *stream;                 /* gndi_stream_make_current sets it */
    gnd_array *free_small, *free_large; /* header free lists, linked through `buffer` */
    int free_small_count, free_large_count;
    gnd_array *released[GNDI_HEADERS_HELD]; /* headers on their way to those lists */
    uint32_t next_released;
    gnd_memory_kind memory_kind;    /* of new arrays (gnd_memory_use) */
    bool tf32, linalg_strict;       /* gnd/linalg.h: this thread's settings */
    struct gndi_recorder *recorder; /* elementwise/record.h: records operations on more elements than `most` */
    struct fuse_program *fuse;      /* fuse/fuse.h: this thread's program, once it has recorded something */
    uint64_t pending_seq;           /* the lowest number gndi_order_write gave out since gndi_submitted; 0: none */
} gndi_thread;
/* Deliberately the default TLS model: the static CUDA runtime has 4 KiB of thread-local data, and
   with initial-exec all of it would have to fit the little space that dlopen() has for static
   TLS. */
extern _Thread_local gndi_thread gndi_tls;
/* It, for functions that use it again after calls: else compilers look its address up each time, in a call of 1 ns. */
static inline gndi_thread *gndi_this_thread(void) {
    gndi_thread *mine = &gndi_tls;
    __asm__("" : "+r"(mine));
    return mine;
}

/* Blocks that open from now on record on another stream. */
static inline gnd_stream *gndi_stream_make_current(gnd_stream *s) {
    gndi_thread *mine = gndi_this_thread();
    if (mine->stream != s) mine->most_in_block = UINT64_MAX;
    return mine->stream = s;
}

/* The current stream, opening the default device at first use; NULL and an error if it can't be. */
gnd_stream *gndi_stream_slow(const char *fn);
static inline gnd_stream *gndi_stream_current(const char *fn) {
    gnd_stream *s = gndi_tls.stream;
    return gndi_likely(s != NULL) ? s : gndi_stream_slow(fn);
}
/* The stream for this thread's work on `d`: the current one if it is on d, else
   d's default. */
gnd_stream *gndi_stream_on(gndi_device *d, const char *fn);
/* The device behind a public id, opened; NULL and an error if there is none. */
gndi_device *gndi_device_get(gnd_device id, const char *fn);
/* The device new threads start on (GND_DEVICE, else the first GPU, else the CPU), opened. */
gndi_device *gndi_device_default(const char *fn);
/* A new stream in a free slot of `d` (stream.c). */
gnd_stream *gndi_stream_new_on(gndi_device *d, bool urgent, const char *fn);
/* One that is used to record only, so that no other work has its slot; given back by gnd_stream_release's half. */
gnd_stream *gndi_stream_to_record(gndi_device *d, const char *fn);
void gndi_stream_give_back(gnd_stream *s);
/* Raises if `s` records into a graph; `because` continues a message that ends in "..., and". */
static inline gnd_status gndi_check_not_recording(const gnd_stream *s, const char *because, const char *fn) {
    if (gndi_likely(s->capture == NULL)) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "the stream records into a graph (GND_GRAPH), and %s", because);
}
/* Waits for everything submitted to `d` on any stream, and reports faults. */
gnd_status gndi_device_sync(gndi_device *d, const char *fn);

/* ---- memory (pool.c) ------------------------------------------------------------------------ */

gndi_pool *gndi_pool_new(gndi_device *d, const char *fn);
void gndi_pool_destroy(gndi_pool *p); /* for a device that could not be opened: nothing is cached yet */
void gndi_pool_stats(gndi_pool *p, gnd_memory_stats *out);
void gndi_pool_reset_peak(gndi_pool *p);
void gndi_pool_set_limit(gndi_pool *p, size_t bytes);
void gndi_pool_set_source(gndi_pool *p, const gndi_memory_source *source);
/* Memory that gnd did not allocate (gndi_buffer_wrap). */
bool gndi_buffer_is_foreign(const gndi_buffer *b);
/* source.c: memory in the order of `s`, and back; `source` NULL: the device's own. */
const gndi_memory_source *gndi_source_of_kind(gnd_memory_kind kind);
void *gndi_source_allocate(const gndi_memory_source *source, gnd_stream *s, size_t bytes);
void gndi_source_release(const gndi_memory_source *source, gnd_stream *s, void *p, size_t bytes);
/* Tells the program's handler of a buffer's memory, if it has one. */
extern _Atomic(const void *) gndi_memory_listener;
void gndi_memory_tell(const gndi_buffer *b, bool released, bool reused);
static inline void gndi_memory_note(const gndi_buffer *b, bool released, bool reused) {
    if (gndi_unlikely(atomic_load_explicit(&gndi_memory_listener, memory_order_relaxed) != NULL))
        gndi_memory_tell(b, released, reused);
}
void gndi_pool_trim(gndi_pool *p); /* gives everything kept back to the device */
/* gnd_memory_trim calls `forget` before that: what a cache above the pool keeps of a device goes, too. */
void gndi_memory_at_trim(void (*forget)(const gndi_device *d));
/* A new buffer of at least `bytes` (0 allowed: base is NULL), usable in the order of `s`. */
gndi_buffer *gndi_buffer_new(const char *fn, gnd_stream *s, size_t bytes);
/* A buffer over memory that gnd did not allocate. */
gndi_buffer *gndi_buffer_wrap(const char *fn, gndi_device *d, void *base, size_t bytes, void (*deleter)(void *, void *),
                              void *context);

/* Whether `bytes` from `host` on may be copied to and from device `d` without staging: page-locked memory,
   or a device whose copies need none. */
bool gndi_is_pinned(gndi_device *d, const void *host, size_t bytes);

/* ---- ordering across streams (order.c) ------------------------------------------------------ */

/* Makes `s` wait for the other streams that wrote (and, for a write, read) the buffer, and records the use. Costs two
   comparisons if one stream does everything. */
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
/* The operation about to be submitted is assumed to have number seq + 1; gndi_submitted() counts it afterwards, and
   corrects the records if another thread has submitted to the same stream in between. */
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
/* The stream after whose work a buffer may be reused: it has been made to wait for all other
 * users. */
gnd_stream *gndi_order_last(gndi_buffer *b);

/* After a host wait on `s`: raises what kernels reported since the last one (device->fault). */
gnd_status gndi_collect_faults(gnd_stream *s, const char *fn);
/* Makes the host wait, and collects faults: the end of every waiting function. */
gnd_status gndi_stream_wait(gnd_stream *s, const char *fn);
/* The same for what the call itself has submitted, after it has collected earlier faults. */
gnd_status gndi_stream_wait_own(gnd_stream *s, const char *fn);
/* Records the name of a user's kernel that is launched on a GPU; and the last few names, "" if there are none: for
   messages about a device that failed (user_kernels.c). */
void gndi_user_kernel_note(const char *name);
const char *gndi_user_kernels(void);
/* End of every public call that submitted work: under GND_SYNC=1 waits and reports. */
extern bool gndi_sync_always;
gnd_status gndi_finish(gnd_stream *s, const char *fn);

#endif
