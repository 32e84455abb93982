/*
 * gnd/device.h: which devices there are, and which one the calling thread works on.
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

/** What a device is. */
typedef struct gnd_device_properties {
    char name[256];             /**< "NVIDIA H200", or the CPU's model name */
    size_t memory_bytes;        /**< all of its memory */
    int processors;             /**< multiprocessors, or hardware threads */
    int major, minor;           /**< compute capability; 0 on the CPU */
    size_t l2_bytes;            /**< last-level cache */
    char pci_bus_id[16];        /**< "0000:01:00.0"; empty on the CPU */
    void *reserved[4];
} gnd_device_properties;

GND_END

#endif
