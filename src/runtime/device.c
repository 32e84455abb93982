/*
 * device.c: the table of devices, each thread's current device, and opening a device.
 *
 * Nothing happens when the library loads. GPUs are counted at the first query (which creates no context),
 * and a device is opened by the first call that uses it.
 */
#include "core/environment.h"
#include "runtime/pending.h"
#include "runtime/traced.h"
#include <stdio.h>
#include <stdlib.h>
#include <dirent.h>

static gndi_device cpu_device = {.id = {GND_CPU, 0}};
static gndi_device gpu_devices[GNDI_MAX_GPUS];
static int gpu_count;
static gndi_once start_once, gpus_once;
static gndi_lock open_lock;

/* The device named by GND_DEVICE, if it is set. */
static bool named;
static gnd_device named_device;

bool gndi_sync_always;

/* ---- finding out ---------------------------------------------------------------------------- */

/* CUDA does not work in a forked child if the parent used it; counting the GPUs is a use. */
static void reset_in_child(void) {
    if (gpu_count > 0) gpu_devices[0].backend->lose(), gndi_gpus_lost = true;
    gndi_fault *fault = cpu_device.faults.record;
    if (fault && fault->code == GNDI_FAULT_CLAIMED) fault->code = 0; /* by a thread that no longer exists */
}

static void start(void) {
    gndi_at_fork(reset_in_child);
    named = gndi_env_device(&named_device);
    gndi_sync_always = gndi_env_number(GNDI_GND_SYNC, 0) == 1;
    gndi_nvtx_start();
    cpu_device.backend = gndi_backend_of(GND_CPU);
}
static void started(void) {
    gndi_once_do(&start_once, start);
}

/* Separate from start(), so that programs on the CPU alone do not pay for the driver's initialization. */
static void find_gpus(void) {
    const gndi_backend *backend = gndi_backend_of(GND_GPU);
    if (!backend) return;
    gpu_count = backend->count();
    if (gpu_count > GNDI_MAX_GPUS) gpu_count = GNDI_MAX_GPUS;
    for (int i = 0; i < gpu_count; i++) {
        gpu_devices[i].id = gnd_gpu(i);
        gpu_devices[i].backend = backend;
    }
}
static int gpus(void) {
    started();
    gndi_once_do(&gpus_once, find_gpus);
    return gpu_count;
}

static bool read_word(const char *directory, const char *name, const char *file, unsigned *value) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s/%s", directory, name, file);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    bool ok = fscanf(f, "%x", value) == 1;
    fclose(f);
    return ok;
}

/* Whether the machine has an NVIDIA display or compute card on its PCI bus, whatever the driver. */
static bool machine_has_gpu(void) {
    static const char bus[] = "/sys/bus/pci/devices";
    DIR *dir = opendir(bus);
    if (!dir) return false;
    bool found = false;
    for (struct dirent *e; !found && (e = readdir(dir));) {
        unsigned vendor, class;
        if (e->d_name[0] == '.') continue;
        found = read_word(bus, e->d_name, "vendor", &vendor) && vendor == 0x10de &&
                read_word(bus, e->d_name, "class", &class) && class >> 16 == 0x03;
    }
    closedir(dir);
    return found;
}

const char *gnd_gpu_unavailable(void) {
    if (gpus() > 0) return NULL;
#ifdef GNDI_WITH_CUDA
    return gndi_cuda_unavailable();
#else
    return "this gnd was built without CUDA";
#endif
}

static void warn_about_unused_gpu(const char *why) {
    static atomic_flag warned = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&warned)) return;
    fprintf(stderr,
            "gnd: this machine has an NVIDIA GPU, but it cannot be used: %s; working on the CPU "
            "(GND_DEVICE=cpu silences this)\n",
            why);
}

/* Called if no GPU could be counted: says nothing if there is none, or if it was hidden on purpose. */
static void warn_about_uncounted_gpu(void) {
    const char *hidden = getenv("CUDA_VISIBLE_DEVICES");
    if (hidden && (!*hidden || strcmp(hidden, "-1") == 0)) return;
    if (machine_has_gpu()) warn_about_unused_gpu(gnd_gpu_unavailable());
}

/* ---- opening -------------------------------------------------------------------------------- */

static gnd_status open_device(gndi_device *d, const char *fn) {
    gnd_status status = gndi_env_check(fn, gndi_is_library);
    if (status) return status;
    gndi_lock_take(&open_lock);
    if (!atomic_load_explicit(&d->ready, memory_order_acquire)) {
        status = d->backend->open(d, fn);
        if (!status) {
            d->pool = gndi_pool_new(d, fn);
            d->default_stream = d->pool ? gndi_stream_new_on(d, false, fn) : NULL;
            if (d->default_stream) {
                atomic_store_explicit(&d->ready, true, memory_order_release);
            } else {
                status = GND_ERROR_MEMORY;
                gndi_pool_destroy(d->pool);
                d->pool = NULL;
                d->backend->close(d);
            }
        }
    }
    gndi_lock_give(&open_lock);
    return status;
}

/* The device behind an id, not opened; NULL if there is none. */
static gndi_device *find_device(gnd_device id) {
    started();
    if (id.kind == GND_CPU && id.index == 0) return &cpu_device;
    if (id.kind == GND_GPU && id.index >= 0 && id.index < gpus()) return &gpu_devices[id.index];
    return NULL;
}

static gndi_device *no_such_device(gnd_device id, const char *fn) {
    if (id.kind != GND_CPU && id.kind != GND_GPU)
        gndi_raise(GND_ERROR_DEVICE, fn, "%d is no kind of device; it is GND_CPU or GND_GPU", (int)id.kind);
    else if (id.kind == GND_CPU)
        gndi_raise(GND_ERROR_DEVICE, fn, "there is no cpu:%d; the CPU is one device, gnd_cpu()", id.index);
    else if (gpu_count == 0)
        gndi_raise(GND_ERROR_DEVICE, fn, "there is no gpu:%d: %s", id.index, gnd_gpu_unavailable());
    else
        gndi_raise(GND_ERROR_DEVICE, fn, "there is no gpu:%d; this machine has gpu:0%s%s", id.index,
                   gpu_count > 1 ? " to " : "", gpu_count > 1 ? gndi_text_device(gnd_gpu(gpu_count - 1)) : "");
    return NULL;
}

gndi_device *gndi_device_get(gnd_device id, const char *fn) {
    gndi_device *d = find_device(id);
    if (!d) return no_such_device(id, fn);
    if (gndi_unlikely(gndi_gpus_lost && id.kind == GND_GPU)) return gndi_raise_lost(fn), NULL;
    if (gndi_likely(atomic_load_explicit(&d->ready, memory_order_acquire))) return d;
    return open_device(d, fn) == GND_OK ? d : NULL;
}

/* A GPU was counted but could not be opened, and was not requested by name: from then on threads start on the
   CPU. */
static atomic_bool gpu_refused;

/* The device a thread starts on, not opened. */
static gnd_device default_id(void) {
    started();
    if (named) return named_device;
    return gpus() > 0 && !atomic_load(&gpu_refused) ? gnd_gpu(0) : gnd_cpu();
}

gndi_device *gndi_device_default(const char *fn) {
    started();
    if (gndi_env_check(fn, gndi_is_library)) return NULL;
    if (named) {
        gndi_device *d = find_device(named_device);
        if (d) return gndi_device_get(named_device, fn);
        gndi_raise(GND_ERROR_DEVICE, fn, "GND_DEVICE=%s, but there is no gpu:%d: %s", gndi_env_text(GNDI_GND_DEVICE),
                   named_device.index, gpu_count ? "this machine has fewer GPUs" : gnd_gpu_unavailable());
        return NULL;
    }
    if (gpus() == 0) warn_about_uncounted_gpu();
    bool clean = gnd_error() == NULL;
    gnd_device id = default_id();
    gndi_device *d = gndi_device_get(id, fn);
    if (!d && id.kind == GND_GPU && clean && gnd_error() && gnd_error()->code == GND_ERROR_DEVICE) {
        warn_about_unused_gpu(gnd_error()->message);
        gnd_error_clear();
        atomic_store(&gpu_refused, true);
        d = gndi_device_get(gnd_cpu(), fn);
    }
    return d;
}

/* ---- public functions ----------------------------------------------------------------------- */

int gnd_device_count(gnd_device_kind kind) {
    return kind == GND_CPU ? 1 : kind == GND_GPU ? gpus() : 0;
}

gnd_status gnd_use(gnd_device device) {
    gndi_device *d = gndi_device_get(device, "gnd_use");
    if (!d) return GND_ERROR_DEVICE;
    if (!gndi_tls.stream || gndi_tls.stream->device != d) gndi_stream_make_current(d->default_stream);
    return GND_OK;
}

gnd_device gnd_current_device(void) {
    return gndi_tls.stream ? gndi_tls.stream->device->id : default_id();
}

gnd_status gnd_device_properties_of(gnd_device device, gnd_device_properties *out) {
    static const char fn[] = "gnd_device_properties_of";
    if (!out) return gndi_raise(GND_ERROR_INVALID, fn, "no place to write the properties to (out is NULL)");
    gndi_device *d = find_device(device);
    if (!d) return no_such_device(device, fn), GND_ERROR_DEVICE;
    gnd_device_properties found = {0};
    gnd_status status = d->backend->properties(device.index, &found, fn);
    found.instruction_set = d->backend->instruction_set ? d->backend->instruction_set() : "";
    if (!status) *out = found;
    return status;
}

const char *gnd_device_name(gnd_device device) {
    return gndi_text_device(device);
}

/* ---- waiting -------------------------------------------------------------------------------- */

gnd_status gndi_device_sync(gndi_device *d, const char *fn) {
    gnd_status status = GND_OK;
    for (int slot = 0; slot < GNDI_MAX_STREAMS && !status; slot++) {
        gnd_stream *s = atomic_load_explicit(&d->streams[slot], memory_order_acquire);
        if (s && !s->capture) status = d->backend->stream_wait_idle(s, fn);
    }
    gnd_status fault = gndi_collect_faults(d->default_stream, fn);
    return status ? status : fault;
}

gnd_status gnd_sync(void) {
    gnd_stream *s = gndi_stream_current("gnd_sync");
    if (!s) return GND_ERROR_DEVICE;
    gnd_status recording = gndi_check_not_recording(s, "waiting is not possible in there", "gnd_sync");
    if (recording) return recording;
    gnd_status status = gndi_pending_flush("gnd_sync");
    gnd_status waited = gndi_device_sync(s->device, "gnd_sync");
    return status ? status : waited;
}

gnd_status gndi_finish(gnd_stream *s, const char *fn) {
    return gndi_likely(!gndi_sync_always) || s->capture ? GND_OK : gndi_stream_wait_own(s, fn);
}
