/*
 * transfer_cuda.c: copies between host and GPU, on a GPU, and between GPUs.
 *
 * Pinned memory is copied directly, pageable memory through pinned blocks. The driver does that with one
 * thread at 9 GB/s. Here several threads each take the next chunk, copy it between the caller's memory and
 * a pinned block of their own, and submit the block's copy. Two blocks a thread keep both sides busy: 8
 * threads reach the bus's 50 GB/s. Chunks are small enough for the blocks to stay in the CPU's cache.
 * Files are read into the blocks in the same way: that costs what a copy from a mapping would, and is no signal if
 * the file has shrunk.
 */
#include "runtime/cuda/runtime_cuda.h"

#define CHUNK ((size_t)2 << 20) /* a pinned block */
#define CHUNK_SMALLEST ((size_t)256 << 10)
#define STAGED_FROM ((size_t)512 << 10) /* smaller pageable copies are left to the driver */
#define PAYS_FROM ((size_t)64 << 20)    /* bytes moved in a direction for which blocks are pinned, 1 ms each */

/* ---- the kind of memory ---------------------------------------------------------------------- */

static struct cudaPointerAttributes attributes_of(const void *p) {
    struct cudaPointerAttributes a;
    if (cudaPointerGetAttributes(&a, p) != cudaSuccess) {
        cudaGetLastError();
        memset(&a, 0, sizeof a);
        a.type = cudaMemoryTypeUnregistered;
    }
    return a;
}

bool gndi_cuda_is_pinned(gndi_device *d, const void *host, size_t bytes) {
    gndi_cuda_bind(d);
    return attributes_of(host).type != cudaMemoryTypeUnregistered &&
           attributes_of((const char *)host + bytes - 1).type != cudaMemoryTypeUnregistered;
}

bool gndi_cuda_can_reach(gndi_device *d, const void *p) {
    gndi_cuda_bind(d);
    struct cudaPointerAttributes a = attributes_of(p);
    if (a.type == cudaMemoryTypeDevice) return a.device == d->id.index;
    if (a.type != cudaMemoryTypeUnregistered) return true;
    int everywhere = 0;
    cudaDeviceGetAttribute(&everywhere, cudaDevAttrPageableMemoryAccess, d->id.index);
    return everywhere != 0;
}

/* ---- staged copies -------------------------------------------------------------------------- */

typedef struct staged_copy {
    gnd_stream *stream;
    gndi_cuda_staging *staging;
    char *device, *host;
    const gndi_file_part *file; /* in place of `host`; NULL: none */
    atomic_int file_problem;    /* what gndi_file_part_read gave first */
    bool out;                   /* from the device to the host */
    size_t bytes, chunk;
    int64_t chunks;
    _Atomic int64_t next;
    atomic_int error; /* the first cudaError_t */
} staged_copy;

static size_t chunk_bytes(const staged_copy *c, int64_t i) {
    size_t rest = c->bytes - (size_t)i * c->chunk;
    return rest < c->chunk ? rest : c->chunk;
}

static bool ok(staged_copy *c, cudaError_t error) {
    if (gndi_likely(error == cudaSuccess)) return true;
    int none = cudaSuccess;
    atomic_compare_exchange_strong(&c->error, &none, (int)error);
    return false;
}

/* Takes the next chunk; there is none after a failure. */
static bool take_chunk(staged_copy *c, int64_t *i) {
    *i = atomic_fetch_add(&c->next, 1);
    return *i < c->chunks && atomic_load(&c->error) == cudaSuccess && atomic_load(&c->file_problem) == 0;
}

/* A block's contents; false: the file could not be read. */
static bool fill(staged_copy *c, void *block, size_t offset, size_t bytes) {
    if (!c->file) {
        memcpy(block, c->host + offset, bytes);
        return true;
    }
    const int problem = gndi_file_part_read(c->file, (int64_t)offset, block, bytes);
    int none = 0;
    if (problem) atomic_compare_exchange_strong(&c->file_problem, &none, problem);
    return problem == 0;
}

static void work_in(staged_copy *c, gndi_cuda_stage *stage) {
    int64_t i;
    for (int current = 0; take_chunk(c, &i); current ^= 1) {
        size_t bytes = chunk_bytes(c, i), offset = (size_t)i * c->chunk;
        cudaStream_t s = c->stream->native;
        if (!ok(c, cudaEventSynchronize(stage[current].free))) return;
        if (!fill(c, stage[current].base, offset, bytes)) return;
        if (!ok(c, cudaMemcpyAsync(c->device + offset, stage[current].base, bytes, cudaMemcpyHostToDevice, s))) return;
        if (!ok(c, cudaEventRecord(stage[current].free, s))) return;
    }
}

static void work_out(staged_copy *c, gndi_cuda_stage *stage) {
    int64_t i, previous = -1;
    bool more = true;
    for (int current = 0; more || previous >= 0; current ^= 1) {
        cudaStream_t s = c->stream->native;
        more = more && take_chunk(c, &i);
        if (more) {
            const char *from = c->device + (size_t)i * c->chunk;
            if (!ok(c, cudaMemcpyAsync(stage[current].base, from, chunk_bytes(c, i), cudaMemcpyDeviceToHost, s)))
                return;
            if (!ok(c, cudaEventRecord(stage[current].free, s))) return;
        }
        if (previous >= 0) {
            if (!ok(c, cudaEventSynchronize(stage[current ^ 1].free))) return;
            memcpy(c->host + (size_t)previous * c->chunk, stage[current ^ 1].base, chunk_bytes(c, previous));
        }
        previous = more ? i : -1;
    }
}

static void work(void *context, int64_t begin, int64_t end) {
    (void)end; /* a worker takes chunks until none are left, so its range does not matter */
    staged_copy *c = context;
    gndi_cuda_bind(c->stream->device);
    gndi_cuda_stage *stage = c->staging->stage[begin];
    if (c->out)
        work_out(c, stage);
    else
        work_in(c, stage);
}

/* Whether so much is moved that blocks for all threads pay, this transfer included: a program that copies a little does
   not wait for them. */
static bool pays(gndi_cuda_staging *staging, size_t bytes) {
    return atomic_fetch_add(&staging->moved, bytes) + bytes >= PAYS_FROM;
}

/* Makes sure that the first `threads` threads have both their blocks, which are kept. */
static cudaError_t prepare(gndi_cuda_staging *staging, int threads) {
    for (int i = 0; i < 2 * threads; i++) {
        gndi_cuda_stage *stage = &staging->stage[i / 2][i % 2];
        cudaError_t error = cudaSuccess;
        if (!stage->free) error = cudaEventCreateWithFlags(&stage->free, cudaEventDisableTiming);
        if (!error && !stage->base) error = cudaHostAlloc(&stage->base, CHUNK, cudaHostAllocPortable);
        if (error) return error;
    }
    return cudaSuccess;
}

/* To or from host memory, or from a file. What the file gave is stored in *file_problem. */
static cudaError_t copy_staged(gnd_stream *s, void *device, void *host, const gndi_file_part *file, size_t bytes,
                               bool out, int *file_problem) {
    gndi_cuda_device *native = s->device->native;
    staged_copy c = {.stream = s,
                     .staging = out ? &native->out : &native->in,
                     .device = device,
                     .host = host,
                     .file = file,
                     .out = out,
                     .bytes = bytes,
                     .chunk = CHUNK};
    int threads = gndi_thread_count() < STAGING_THREADS ? gndi_thread_count() : STAGING_THREADS;
    if (file && !pays(c.staging, bytes)) threads = 1;
    while (c.chunk > CHUNK_SMALLEST && c.chunk * 2 * (size_t)threads > bytes) c.chunk /= 2;
    c.chunks = (int64_t)((bytes + c.chunk - 1) / c.chunk);
    if (threads > c.chunks) threads = (int)c.chunks;

    gndi_lock_take(&c.staging->lock);
    cudaError_t error = prepare(c.staging, threads);
    if (!error) {
        gndi_parallel_for(threads, 1, work, &c);
        error = (cudaError_t)atomic_load(&c.error);
    }
    gndi_lock_give(&c.staging->lock);
    if (file) *file_problem = atomic_load(&c.file_problem);
    return error;
}

/* ---- the backend's copies ------------------------------------------------------------------- */

/* Refuses a capture: the graph would access the caller's host memory each time it runs, and waiting, which this copy
   may need, ends a capture. */
static gnd_status check_host_memory(const gnd_stream *s, const char *fn) {
    return gndi_cuda_check_not_captured(s, "only pinned memory can be copied to or from in it, by the _async functions",
                                        fn);
}

gnd_status gndi_cuda_copy_in(gnd_stream *s, void *device, const void *host, size_t bytes, bool pinned, const char *fn) {
    static const char what[] = "copying to the GPU";
    gndi_cuda_bind(s->device);
    const gnd_status captured = pinned ? GND_OK : check_host_memory(s, fn);
    if (captured) return captured;
    /* The driver copies pageable memory before it returns, but reads pinned memory later. */
    bool wait = !pinned && gndi_cuda_is_pinned(s->device, host, bytes);
    gndi_cuda_device *native = s->device->native;
    cudaError_t error;
    if (pinned || wait || bytes < STAGED_FROM || !pays(&native->in, bytes))
        error = cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, s->native);
    else
        error = copy_staged(s, device, (void *)(uintptr_t)host, NULL, bytes, false, NULL);
    if (!error && wait) error = cudaStreamSynchronize(s->native);
    return gndi_cuda_check((int)error, fn, what);
}

gnd_status gndi_cuda_read_in(gnd_stream *s, void *device, const gndi_file_part *from, size_t bytes, const char *fn) {
    gndi_cuda_bind(s->device);
    const gnd_status captured = check_host_memory(s, fn);
    if (captured || bytes == 0) return captured;
    int problem = 0;
    const cudaError_t error = copy_staged(s, device, NULL, from, bytes, false, &problem);
    const gnd_status status = gndi_cuda_check((int)error, fn, "copying to the GPU");
    return status ? status : gndi_file_part_check(from, problem, fn);
}

gnd_status gndi_cuda_copy_out(gnd_stream *s, void *host, const void *device, size_t bytes, bool pinned,
                              const char *fn) {
    static const char what[] = "copying from the GPU";
    gndi_cuda_bind(s->device);
    const gnd_status captured = pinned ? GND_OK : check_host_memory(s, fn);
    if (captured) return captured;
    gndi_cuda_device *native = s->device->native;
    bool direct =
        pinned || bytes < STAGED_FROM || gndi_cuda_is_pinned(s->device, host, bytes) || !pays(&native->out, bytes);
    cudaError_t error;
    if (direct)
        error = cudaMemcpyAsync(host, device, bytes, cudaMemcpyDeviceToHost, s->native);
    else
        error = copy_staged(s, (void *)(uintptr_t)device, host, NULL, bytes, true, NULL);
    if (!error && !pinned && direct) error = cudaStreamSynchronize(s->native);
    return gndi_cuda_check((int)error, fn, what);
}

gnd_status gndi_cuda_copy_within(gnd_stream *s, void *to, const void *from, size_t bytes, const char *fn) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_check((int)cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, s->native), fn,
                           "copying on the GPU");
}

gnd_status gndi_cuda_copy_rows(gnd_stream *s, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                               size_t bytes, size_t rows, const char *fn) {
    gndi_cuda_bind(s->device);
    const cudaError_t error =
        cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, bytes, rows, cudaMemcpyDefault, s->native);
    return gndi_cuda_check((int)error, fn, "copying rows");
}

/* Lets `to` read and write the pooled memory of `from` directly, if the hardware can: copies then need not go through
   the host. Requested once; a refusal is not an error. */
static void open_peer(gndi_device *from, gndi_device *to) {
    gndi_cuda_device *native = from->native;
    uint32_t bit = 1u << to->id.index;
    if (atomic_fetch_or(&native->peers_tried, bit) & bit) return;
    int can = 0;
    if (!native->pooled || cudaDeviceCanAccessPeer(&can, to->id.index, from->id.index) != cudaSuccess || !can) {
        cudaGetLastError();
        return;
    }
    struct cudaMemAccessDesc access = {.location = {.type = cudaMemLocationTypeDevice, .id = to->id.index},
                                       .flags = cudaMemAccessFlagsProtReadWrite};
    if (cudaMemPoolSetAccess(native->pool, &access, 1) != cudaSuccess) cudaGetLastError();
}

gnd_status gndi_cuda_copy_peer(gnd_stream *s, void *to, const void *from, gndi_device *from_device, size_t bytes,
                               const char *fn) {
    gndi_cuda_bind(s->device);
    open_peer(from_device, s->device);
    cudaError_t error = cudaMemcpyPeerAsync(to, s->device->id.index, from, from_device->id.index, bytes, s->native);
    return gndi_cuda_check((int)error, fn, "copying between GPUs");
}
