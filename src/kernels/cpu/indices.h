/*
 * indices.h: on the CPU, reads integers of any dtype as int64, one at a time, and reports indices and other values
 * that a function does not take.
 */
#ifndef GNDI_CPU_INDICES_H
#define GNDI_CPU_INDICES_H

#include "runtime/runtime.h"

/* uint64 above 2^63 - 1 becomes the largest int64, which is out of range everywhere. */
static inline int64_t gndi_read_index(const char *p, int dtype) {
    switch (dtype) {
    case GND_BOOL: return *(const uint8_t *)p != 0;
    case GND_INT8: return *(const int8_t *)p;
    case GND_UINT8: return *(const uint8_t *)p;
    case GND_INT16: return *(const int16_t *)p;
    case GND_UINT16: return *(const uint16_t *)p;
    case GND_INT32: return *(const int32_t *)p;
    case GND_UINT32: return *(const uint32_t *)p;
    case GND_INT64: return *(const int64_t *)p;
    case GND_UINT64: return *(const uint64_t *)p > INT64_MAX ? INT64_MAX : *(const int64_t *)p;
    default: return 0;
    }
}

/* The first fault that any thread of a call reports wins. */
static inline void gndi_report(gnd_stream *s, const gndi_fault *what) {
    gndi_fault *fault = gndi_fault_record(s->device);
    int none = 0;
    if (!fault || !__atomic_compare_exchange_n(&fault->code, &none, GNDI_FAULT_CLAIMED, false, __ATOMIC_ACQUIRE,
                                               __ATOMIC_RELAXED))
        return;
    fault->axis = what->axis, fault->value = what->value;
    fault->size = what->size, fault->fn = gndi_public_name(gndi_naming.working);
    __atomic_store_n(&fault->code, what->code, __ATOMIC_RELEASE);
}
static inline void gndi_report_fault(gnd_stream *s, int code, int64_t value, int axis, int64_t size) {
    const gndi_fault what = {.code = code, .axis = axis, .value = value, .size = size};
    gndi_report(s, &what);
}
static inline void gndi_report_index(gnd_stream *s, int64_t value, int axis, int64_t size) {
    gndi_report_fault(s, GNDI_FAULT_INDEX, value, axis, size);
}

#endif
