/*
 * device_cuda.c: NVIDIA GPUs as devices: contexts, memory, streams, events and error messages. Transfers
 * are in transfer_cuda.c, kernels in the topics' cuda folders.
 *
 * Opening a device does little beyond creating the context, which takes 0.3 s: it creates one stream, a record of
 * faults in pinned memory, and memory for the first small arrays. The driver's default memory pool is made ready by
 * the first allocation from it; modules are registered and load lazily.
 */
#include "core/environment.h"
#include "runtime/cuda/runtime_cuda.h"
#include <stdio.h>

int gndi_cuda_device_count;
static char unavailable[256];

/* ---- errors --------------------------------------------------------------------------------- */

/* After these the context is lost: CUDA refuses all further work in this process. */
static bool is_fatal(cudaError_t error) {
    switch ((int)error) {
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorLaunchTimeout:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorAssert:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case 226: return true; /* cudaErrorContained, which CUDA 12.4 has no name for */
    default: return false;
    }
}

gnd_status gndi_cuda_check(int code, const char *fn, const char *what) {
    cudaError_t error = (cudaError_t)code;
    if (gndi_likely(error == cudaSuccess)) return GND_OK;
    if (gndi_unlikely(gndi_gpus_lost)) return gndi_raise_lost(fn);
    cudaGetLastError(); /* an error that is not fatal must not be reported again by the next call */
    if (error == cudaErrorMemoryAllocation)
        return gndi_raise(GND_ERROR_MEMORY, fn, "%s: the GPU is out of memory", what);
    if (error == cudaErrorNoKernelImageForDevice)
        return gndi_raise(GND_ERROR_DEVICE, fn,
                          "%s: this gnd holds no code for this GPU's architecture; build it with "
                          "-Dgpu_arch=release, or for this machine",
                          what);
    if (is_fatal(error)) {
        const char *own = gndi_user_kernels();
        return gndi_raise(GND_ERROR_DEVICE, fn,
                          "%s: the GPU failed in this or an earlier operation: %s (%s); it takes "
                          "no more work from this process%s%s",
                          what, cudaGetErrorString(error), cudaGetErrorName(error),
                          own[0] ? ". The last kernels of your own that were launched: " : "", own);
    }
    return gndi_raise(GND_ERROR_DEVICE, fn, "%s: CUDA reports: %s (%s)", what, cudaGetErrorString(error),
                      cudaGetErrorName(error));
}

/* ---- devices -------------------------------------------------------------------------------- */

static int cuda_count(void) {
    int count = 0, driver = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (error == cudaSuccess && count > 0) return gndi_cuda_device_count = count;
    if (error == cudaSuccess || error == cudaErrorNoDevice) {
        snprintf(unavailable, sizeof unavailable, "there is no NVIDIA GPU that CUDA can see");
    } else if (error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0) {
        snprintf(unavailable, sizeof unavailable,
                 "the NVIDIA driver is for CUDA %d.%d, and gnd was built with CUDA %d.%d; a newer "
                 "driver is needed",
                 driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    } else if (error == cudaErrorInsufficientDriver) {
        snprintf(unavailable, sizeof unavailable, "there is no NVIDIA driver (libcuda.so.1)");
    } else {
        snprintf(unavailable, sizeof unavailable, "CUDA does not start: %s (%s)", cudaGetErrorString(error),
                 cudaGetErrorName(error));
    }
    return 0;
}

const char *gndi_cuda_unavailable(void) {
    return unavailable;
}

void gndi_cuda_bind_slow(const gndi_device *d) {
    int current = -1;
    if (cudaGetDevice(&current) != cudaSuccess || current != d->id.index) cudaSetDevice(d->id.index);
}

static void cuda_close(gndi_device *d) {
    gndi_cuda_device *native = d->native;
    if (d->faults.record) cudaFreeHost(d->faults.record);
    d->faults.record = NULL;
    if (native->first) cudaFree(native->first);
    gndi_free(native);
    d->native = NULL;
}

/* The first allocation from the driver's pool takes 9 to 12 ms (H200, CUDA 13.0), cudaMalloc 0.1: a process's first
   small arrays are in memory of this kind. It is not given back, nor used again: other streams would have to wait. */
enum { FIRST_BYTES = 2 << 20, FIRST_MOST = 64 << 10, FIRST_APART = 512 };

/* Tools that check accesses are to see each allocation. */
static void open_first(gndi_cuda_device *native) {
    if (gndi_env_number(GNDI_GND_MEMCHECK, 0) == 1) return;
    if (cudaMalloc((void **)&native->first, FIRST_BYTES) != cudaSuccess) {
        cudaGetLastError();
        native->first = NULL;
    }
}

static bool is_first(const gndi_cuda_device *native, const char *p) {
    return native->first && p >= native->first && p < native->first + FIRST_BYTES;
}

/* NULL: there is none for it. A graph's own allocations are nodes of it. */
static void *take_first(gndi_cuda_device *native, size_t bytes, const gnd_stream *s) {
    const size_t whole = (bytes + FIRST_APART - 1) / FIRST_APART * FIRST_APART;
    if (!native->first || bytes > FIRST_MOST || native->first_taken + whole > FIRST_BYTES) return NULL;
    if (gndi_cuda_is_captured(s)) return NULL;
    const size_t at = atomic_fetch_add(&native->first_taken, whole);
    return at + whole <= FIRST_BYTES ? native->first + at : NULL;
}

/* Done by the first allocation that the first memory does not serve, and not by processes that end before. Two threads
   may both do it. */
static void open_pool(gndi_device *d) {
    gndi_cuda_device *native = d->native;
    /* Freed memory stays in the pool at a synchronization, ready for the next allocation. */
    uint64_t threshold = UINT64_MAX;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed; /* the program may capture a stream of its own */
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (native->pooled && cudaMemPoolSetAttribute(native->pool, cudaMemPoolAttrReleaseThreshold, &threshold))
        cudaGetLastError(); /* allocations take longer then */
    if (d->backend->load) d->backend->load();
    cudaThreadExchangeStreamCaptureMode(&mode);
    atomic_store_explicit(&native->pool_open, true, memory_order_relaxed);
}

static gnd_status cuda_open(gndi_device *d, const char *fn) {
    gndi_cuda_device *native = gndi_calloc(fn, sizeof *native);
    if (!native) return GND_ERROR_MEMORY;
    d->native = native;
    const size_t fault_bytes = GNDI_FAULT_RECORDS * sizeof *d->faults.record;
    int index = d->id.index, pools = 0;
    cudaError_t error = cudaSetDevice(index);
    if (!error) error = cudaDeviceGetAttribute(&d->processors, cudaDevAttrMultiProcessorCount, index);
    if (!error) error = cudaDeviceGetAttribute(&d->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, index);
    if (!error) error = cudaDeviceGetAttribute(&d->cache_bytes, cudaDevAttrL2CacheSize, index);
    if (!error) error = cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, index);
    if (!error && pools) {
        error = cudaDeviceGetDefaultMemPool(&native->pool, index);
        native->pooled = !error;
        if (!error) open_first(native);
    }
    if (!error)
        error = cudaHostAlloc((void **)&d->faults.record, fault_bytes, cudaHostAllocMapped | cudaHostAllocPortable);
    if (error) {
        char what[32];
        snprintf(what, sizeof what, "opening gpu:%d", index);
        gnd_status status = gndi_cuda_check((int)error, fn, what);
        cuda_close(d);
        return status;
    }
    memset(d->faults.record, 0, fault_bytes);
    d->faults.capacity = GNDI_FAULT_RECORDS;
    return GND_OK;
}

static gnd_status cuda_properties(int index, gnd_device_properties *out, const char *fn) {
    struct cudaDeviceProp p;
    gnd_status status = gndi_cuda_check((int)cudaGetDeviceProperties(&p, index), fn, "asking for its properties");
    if (status) return status;
    snprintf(out->name, sizeof out->name, "%s", p.name);
    snprintf(out->pci_bus_id, sizeof out->pci_bus_id, "%04x:%02x:%02x.0", (unsigned)p.pciDomainID & 0xffffu,
             (unsigned)p.pciBusID & 0xffu, (unsigned)p.pciDeviceID & 0xffu);
    out->memory_bytes = p.totalGlobalMem;
    out->processors = p.multiProcessorCount;
    out->major = p.major;
    out->minor = p.minor;
    out->l2_bytes = p.l2CacheSize > 0 ? (size_t)p.l2CacheSize : 0;
    /* Memory transfers data twice a clock cycle. Values that the driver does not report stay 0. */
    int kilohertz = 0, bits = 0;
    if (cudaDeviceGetAttribute(&kilohertz, cudaDevAttrMemoryClockRate, index) ||
        cudaDeviceGetAttribute(&bits, cudaDevAttrGlobalMemoryBusWidth, index) ||
        cudaDriverGetVersion(&out->driver_version))
        cudaGetLastError();
    out->bandwidth = 2e3 * kilohertz * bits / 8;
    return GND_OK;
}

static gnd_status cuda_memory_info(gndi_device *d, size_t *free_bytes, size_t *total_bytes, const char *fn) {
    gndi_cuda_bind(d);
    return gndi_cuda_check((int)cudaMemGetInfo(free_bytes, total_bytes), fn, "asking for its memory");
}

/* ---- memory --------------------------------------------------------------------------------- */

static void *cuda_allocate(gndi_device *d, size_t bytes, gnd_stream *s) {
    gndi_cuda_device *native = d->native;
    void *p = take_first(native, bytes, s);
    if (p) return p;
    gndi_cuda_bind(d);
    if (gndi_unlikely(!atomic_load_explicit(&native->pool_open, memory_order_relaxed))) open_pool(d);
    cudaError_t error = native->pooled ? cudaMallocAsync(&p, bytes, s->native) : cudaMalloc(&p, bytes);
    if (error == cudaSuccess) return p;
    cudaGetLastError();
    return NULL;
}

static void cuda_release(gndi_device *d, void *p, size_t bytes, gnd_stream *s) {
    (void)bytes;
    gndi_cuda_device *native = d->native;
    if (is_first(native, p)) return;
    gndi_cuda_bind(d);
    /* Without pools cudaFree waits for the device by itself. */
    if ((native->pooled ? cudaFreeAsync(p, s->native) : cudaFree(p)) != cudaSuccess) cudaGetLastError();
}

static void cuda_trim(gndi_device *d) {
    gndi_cuda_device *native = d->native;
    gndi_cuda_bind(d);
    /* Waiting for the device would end the recording of a graph; then what is free already is given back. */
    if (atomic_load(&d->recordings) == 0) cudaDeviceSynchronize();
    if (native->pooled) cudaMemPoolTrimTo(native->pool, 0);
    cudaGetLastError();
}

static gnd_status cuda_set_zero(gnd_stream *s, void *device, size_t bytes, const char *fn) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_check((int)cudaMemsetAsync(device, 0, bytes, s->native), fn, "filling with zeros");
}

static void *cuda_pinned_allocate(gndi_device *d, size_t bytes) {
    void *p = NULL;
    gndi_cuda_bind(d);
    if (cudaHostAlloc(&p, bytes, cudaHostAllocPortable) == cudaSuccess) return p;
    cudaGetLastError();
    return NULL;
}

static void cuda_pinned_release(void *p) {
    if (cudaFreeHost(p) != cudaSuccess) cudaGetLastError();
}

/* ---- streams -------------------------------------------------------------------------------- */

static gnd_status cuda_stream_open(gnd_stream *s, const char *fn) {
    gndi_cuda_bind(s->device);
    cudaStream_t native;
    int least = 0, greatest = 0;
    cudaError_t error = s->urgent ? cudaDeviceGetStreamPriorityRange(&least, &greatest) : cudaSuccess;
    if (!error) error = cudaStreamCreateWithPriority(&native, cudaStreamNonBlocking, greatest); /* the least is 0 */
    const gnd_status status = gndi_cuda_check((int)error, fn, "making a stream");
    if (!status) s->native = native;
    return status;
}

static gnd_status cuda_stream_wait_idle(gnd_stream *s, const char *fn) {
    return gndi_cuda_check((int)cudaStreamSynchronize(s->native), fn, "waiting for a stream");
}

static bool cuda_stream_idle(gnd_stream *s) {
    cudaError_t error = cudaStreamQuery(s->native);
    if (error != cudaSuccess) cudaGetLastError();
    return error != cudaErrorNotReady; /* a failed device has nothing left to wait for */
}

/* The caller holds other's order lock, so nobody else records the marker meanwhile. */
static gnd_status cuda_stream_wait_stream(gnd_stream *s, gnd_stream *other, const char *fn) {
    static const char what[] = "making a stream wait for another";
    gndi_cuda_bind(other->device);
    cudaError_t error = cudaSuccess;
    if (!other->marker) {
        cudaEvent_t marker = NULL;
        error = cudaEventCreateWithFlags(&marker, cudaEventDisableTiming);
        other->marker = marker;
    }
    if (!error) error = cudaEventRecord(other->marker, other->native);
    gndi_cuda_bind(s->device);
    if (!error) error = cudaStreamWaitEvent(s->native, other->marker, 0);
    return gndi_cuda_check((int)error, fn, what);
}

static cudaError_t ask_capture(const gnd_stream *s, enum cudaStreamCaptureStatus *capture) {
    *capture = cudaStreamCaptureStatusNone;
    return cudaStreamIsCapturing((cudaStream_t)s->native, capture);
}

bool gndi_cuda_is_captured(const gnd_stream *s) {
    if (s->capture) return true;
    enum cudaStreamCaptureStatus capture;
    if (ask_capture(s, &capture) == cudaSuccess) return capture != cudaStreamCaptureStatusNone;
    cudaGetLastError();
    return true;
}

gnd_status gndi_cuda_check_not_captured(const gnd_stream *s, const char *because, const char *fn) {
    if (s->capture) return gndi_check_not_recording(s, because, fn);
    enum cudaStreamCaptureStatus capture;
    const cudaError_t error = ask_capture(s, &capture);
    if (error) return gndi_cuda_check((int)error, fn, "asking whether a stream is captured");
    if (capture == cudaStreamCaptureStatusNone) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "the stream is being captured into a CUDA graph, and %s", because);
}

/* ---- events --------------------------------------------------------------------------------- */

static gnd_status cuda_event_open(gnd_event *e, const char *fn) {
    gndi_cuda_bind(e->device);
    cudaEvent_t native;
    unsigned flags = e->timing ? cudaEventDefault : cudaEventDisableTiming;
    gnd_status status = gndi_cuda_check((int)cudaEventCreateWithFlags(&native, flags), fn, "making an event");
    if (!status) e->native = native;
    return status;
}

static void cuda_event_close(gnd_event *e) {
    if (cudaEventDestroy(e->native) != cudaSuccess) cudaGetLastError();
}

static gnd_status cuda_event_record(gnd_event *e, gnd_stream *s, const char *fn) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_check((int)cudaEventRecord(e->native, s->native), fn, "recording an event");
}

static gnd_status cuda_stream_wait_event(gnd_stream *s, gnd_event *e, const char *fn) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_check((int)cudaStreamWaitEvent(s->native, e->native, 0), fn, "making a stream wait for an event");
}

static gnd_status cuda_event_wait(gnd_event *e, const char *fn) {
    return gndi_cuda_check((int)cudaEventSynchronize(e->native), fn, "waiting for an event");
}

static bool cuda_event_done(gnd_event *e) {
    cudaError_t error = cudaEventQuery(e->native);
    if (error != cudaSuccess) cudaGetLastError();
    return error != cudaErrorNotReady;
}

static gnd_status cuda_event_elapsed(gnd_event *from, gnd_event *to, double *milliseconds, const char *fn) {
    float elapsed = 0;
    gnd_status status =
        gndi_cuda_check((int)cudaEventElapsedTime(&elapsed, from->native, to->native), fn, "timing between events");
    if (!status) *milliseconds = elapsed;
    return status;
}

/* ---- kernels -------------------------------------------------------------------------------- */

/* A kernel that needs more than ALWAYS_THERE of shared memory, static and dynamic together, must request it. With at
   most ALWAYS_THERE - OWN_AT_MOST of dynamic memory no kernel needs more, and none is asked about its own. */
enum { ALWAYS_THERE = 48 << 10, OWN_AT_MOST = 8 << 10 };

/* Requests all shared memory besides the kernel's own, the same amount each time: threads that launch it with
   different sizes at once do not change each other's limits. */
static cudaError_t ask_for_shared_memory(const void *kernel, size_t bytes, const gndi_device *d) {
    struct cudaFuncAttributes own;
    cudaError_t error = cudaFuncGetAttributes(&own, kernel);
    if (error || own.sharedSizeBytes + bytes <= ALWAYS_THERE) return error;
    const int rest = d->shared_bytes - (int)own.sharedSizeBytes;
    if (own.maxDynamicSharedSizeBytes >= rest) return error;
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, rest);
}

/* Whether kernels on the device have what start_early() is made of: all have images for the same architectures, so one
   is asked. */
static bool starts_early(gndi_device *d, const void *kernel) {
    enum { UNKNOWN, YES, NO, SINCE = 90 };
    int known = __atomic_load_n(&d->starts_early, __ATOMIC_RELAXED);
    if (gndi_unlikely(known == UNKNOWN)) {
        struct cudaFuncAttributes own;
        known = cudaFuncGetAttributes(&own, kernel) == cudaSuccess && own.ptxVersion >= SINCE ? YES : NO;
        if (known == NO) cudaGetLastError(); /* the launch reports it */
        __atomic_store_n(&d->starts_early, known, __ATOMIC_RELAXED);
    }
    return known == YES;
}

static gnd_status launch(gnd_stream *s, const void *kernel, dim3 grid, int threads, size_t shared_bytes, bool early,
                         void *params, const char *fn) {
    const dim3 block = {(unsigned)threads, 1, 1};
    void *arguments[] = {params};
    cudaError_t error = cudaSuccess;
    gndi_cuda_use(kernel);
    if (gndi_unlikely(shared_bytes > ALWAYS_THERE - OWN_AT_MOST))
        error = ask_for_shared_memory(kernel, shared_bytes, s->device);
    if (!error && early && starts_early(s->device, kernel)) {
        cudaLaunchAttribute attribute = {.id = cudaLaunchAttributeProgrammaticStreamSerialization};
        attribute.val.programmaticStreamSerializationAllowed = 1;
        const cudaLaunchConfig_t how = {grid, block, shared_bytes, s->native, &attribute, 1};
        error = cudaLaunchKernelExC(&how, kernel, arguments);
    } else if (!error) {
        error = cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, s->native);
    }
    if (gndi_likely(error == cudaSuccess)) return GND_OK;
    cudaGetLastError(); /* the error is reported here, and must not be reported again */
    return gndi_cuda_check((int)error, fn, "starting a kernel");
}

gnd_status gndi_cuda_launch_grid(gnd_stream *s, const void *kernel, dim3 grid, int threads, size_t shared_bytes,
                                 void *params, const char *fn) {
    return launch(s, kernel, grid, threads, shared_bytes, false, params, fn);
}

gnd_status gndi_cuda_launch(gnd_stream *s, const void *kernel, int64_t blocks, int threads, size_t shared_bytes,
                            void *params, const char *fn) {
    const dim3 grid = {(unsigned)blocks, 1, 1};
    return launch(s, kernel, grid, threads, shared_bytes, false, params, fn);
}

gnd_status gndi_cuda_launch_early(gnd_stream *s, const void *kernel, int64_t blocks, int threads, size_t shared_bytes,
                                  void *params, const char *fn) {
    const dim3 grid = {(unsigned)blocks, 1, 1};
    return launch(s, kernel, grid, threads, shared_bytes, true, params, fn);
}

static bool cuda_stream_captured(gnd_stream *s) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_is_captured(s);
}

const gndi_backend gndi_cuda_device_functions = {
    .name = "cuda",
    .synchronous = false,
    .count = cuda_count,
    .open = cuda_open,
    .close = cuda_close,
    .properties = cuda_properties,
    .memory_info = cuda_memory_info,
    .allocate = cuda_allocate,
    .release = cuda_release,
    .trim = cuda_trim,
    .kind_allocate = gndi_cuda_kind_allocate,
    .kind_release = gndi_cuda_kind_release,
    .share = gndi_cuda_share,
    .shared_device = gndi_cuda_shared_device,
    .open_shared = gndi_cuda_open_shared,
    .close_shared = gndi_cuda_close_shared,
    .pool_largest = (size_t)1 << 20,
    .stream_open = cuda_stream_open,
    .stream_wait_idle = cuda_stream_wait_idle,
    .stream_idle = cuda_stream_idle,
    .stream_wait_stream = cuda_stream_wait_stream,
    .stream_wait_native = gndi_cuda_stream_wait_native,
    .native_wait_stream = gndi_cuda_native_wait_stream,
    .stream_adopt = gndi_cuda_stream_adopt,
    .stream_return = gndi_cuda_stream_return,
    .event_open = cuda_event_open,
    .event_close = cuda_event_close,
    .event_record = cuda_event_record,
    .stream_wait_event = cuda_stream_wait_event,
    .event_wait = cuda_event_wait,
    .event_done = cuda_event_done,
    .event_elapsed = cuda_event_elapsed,
    .copy_in = gndi_cuda_copy_in,
    .read_in = gndi_cuda_read_in,
    .copy_out = gndi_cuda_copy_out,
    .copy_within = gndi_cuda_copy_within,
    .copy_peer = gndi_cuda_copy_peer,
    .copy_rows = gndi_cuda_copy_rows,
    .set_zero = cuda_set_zero,
    .pinned_allocate = cuda_pinned_allocate,
    .pinned_release = cuda_pinned_release,
    .is_pinned = gndi_cuda_is_pinned,
    .can_reach = gndi_cuda_can_reach,
    .stream_captured = cuda_stream_captured,
    .capture_begin = gndi_cuda_capture_begin,
    .capture_end = gndi_cuda_capture_end,
    .capture_drop = gndi_cuda_capture_drop,
    .graph_launch = gndi_cuda_graph_launch,
    .graph_release = gndi_cuda_graph_release,
};
