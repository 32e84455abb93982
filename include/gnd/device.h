/*
 * gnd/device.h: the devices, and the calling thread's current one.
 *
 * New arrays are made on the calling thread's current device, and stay there. A thread starts on the first
 * GPU, or on the CPU where there is none. GND_DEVICE=cpu, gpu or gpu:1 in the environment chooses another
 * start; with gpu or gpu:N, a GPU that cannot be used is an error instead of a warning on stderr. A device is opened
 * (its context created) when it is first used, not when the library loads.
 *
 * A process may fork at any time, also while other threads call gnd. The child keeps its arrays on the CPU
 * and starts CPU threads of its own. If the parent had used CUDA (gnd_device_count(GND_GPU) is a use), all
 * GPU calls of the child fail with GND_ERROR_DEVICE; gnd_use(gnd_cpu()) works. A fork waits until all locks
 * of the library are free, for about 5 seconds at most.
 */
#ifndef GND_DEVICE_H
#define GND_DEVICE_H

#include <gnd/base.h>

GND_BEGIN

typedef enum gnd_device_kind { GND_CPU = 0, GND_GPU = 1 } gnd_device_kind;

/** A device: its kind and its number among that kind. */
typedef struct gnd_device {
    gnd_device_kind kind;
    int index;
} gnd_device;

/** Properties of a device. */
typedef struct gnd_device_properties {
    char name[256];              /**< "NVIDIA H200", or the CPU's model name */
    size_t memory_bytes;         /**< all of its memory */
    int processors;              /**< multiprocessors, or threads the CPU backend works with */
    int major, minor;            /**< compute capability; 0 on the CPU */
    size_t l2_bytes;             /**< last-level cache */
    char pci_bus_id[16];         /**< "0000:01:00.0"; empty on the CPU */
    int cores;                   /**< the CPU's physical cores; 0 on a GPU */
    int driver_version;          /**< the newest CUDA the driver knows, 13000 for 13.0; 0 on the CPU */
    double bandwidth;            /**< bytes a second that its memory could move, by the clock and width
                              that the driver tells; 0 on the CPU, and where it does not tell */
    const char *instruction_set; /**< that of the CPU kernels in use, "baseline", "v3" or "v4" of
                                      x86-64; "" on a GPU */
    void *reserved[1];
} gnd_device_properties;

/** The CPU. */
static inline gnd_device gnd_cpu(void) {
    gnd_device d;
    d.kind = GND_CPU, d.index = 0;
    return d;
}

/** The GPU with this number, from 0. It need not exist: that is checked when it is used. */
static inline gnd_device gnd_gpu(int index) {
    gnd_device d;
    d.kind = GND_GPU, d.index = index;
    return d;
}

/** Whether two devices are the same one. */
static inline bool gnd_device_equal(gnd_device a, gnd_device b) {
    return a.kind == b.kind && a.index == b.index;
}

/**
 * The number of usable devices of a kind: 1 for GND_CPU. For GND_GPU it is 0 if no GPU can be used
 * (gnd_gpu_unavailable says why) or gnd was built without CUDA. Opens none.
 */
GND_API int gnd_device_count(gnd_device_kind kind);

/** Why no GPU can be used, as a sentence; NULL if one can. Lives for ever. */
GND_API const char *gnd_gpu_unavailable(void);

/**
 * Makes `device` the calling thread's current device, and its default stream the current stream
 * (unless the current stream is on that device already). Other threads are not affected. Opens the
 * device at its first use. GND_ERROR_DEVICE if there is no such device or it cannot be opened.
 */
GND_API gnd_status gnd_use(gnd_device device);

/**
 * The calling thread's current device. Opens none: before the thread's first use, it is the device that would
 * be opened.
 */
GND_API gnd_device gnd_current_device(void);

/** Fills `out` with a device's properties. Opens none. GND_ERROR_DEVICE if there is no such device. */
GND_API gnd_status gnd_device_properties_of(gnd_device device, gnd_device_properties *out);

/** "cpu", "gpu:0": as GND_DEVICE takes it. The text lives until a few later calls on
    this thread. */
GND_API const char *gnd_device_name(gnd_device device);

/**
 * Waits until everything submitted to the calling thread's current device, on any stream and by any thread,
 * is done. Reports what kernels found wrong meanwhile (GND_ERROR_INDEX: an index out of range; GND_ERROR_VALUE:
 * an integer to a negative power), and a device that failed (GND_ERROR_DEVICE).
 */
GND_API gnd_status gnd_sync(void);

GND_END

#endif
