/*
 * fault.c: the records in which kernels report invalid values, and how a wait raises them.
 */
#include "runtime/runtime.h"

static gndi_lock lock;

/* The index of a function's record; a new one for a new function. When there are no more, all further functions share
   the last one, whose report names the first of them. */
static int find_record(gndi_faults *f, const char *fn) {
    const int count = atomic_load_explicit(&f->count, memory_order_acquire);
    for (int i = 0; i < count; i++)
        if (f->record[i].fn == fn) return i;
    gndi_lock_take(&lock);
    int i = 0, now = atomic_load_explicit(&f->count, memory_order_relaxed);
    while (i < now && strcmp(f->record[i].fn, fn) != 0) i++;
    if (i == now && now == f->capacity) i--;
    if (i == now) {
        f->record[i].fn = fn;
        atomic_store_explicit(&f->count, now + 1, memory_order_release);
    }
    gndi_lock_give(&lock);
    return i;
}

gndi_fault *gndi_fault_record(gndi_device *d) {
    gndi_faults *f = &d->faults;
    const char *working = gndi_public_name(gndi_naming.working);
    if (!f->record || f->capacity == 1) return f->record;
    const int i = find_record(f, working ? working : "gnd");
    if (!atomic_load_explicit(&f->since[i], memory_order_relaxed))
        atomic_store_explicit(&f->since[i], atomic_fetch_add(&f->clock, 1) + 1, memory_order_relaxed);
    return &f->record[i];
}

static int code_of(const gndi_faults *f, int i) {
    return __atomic_load_n(&f->record[i].code, __ATOMIC_RELAXED);
}

/* The CPU has one record, in which the reporter stores the function's name. */
static int records(const gndi_faults *f) {
    return f->capacity == 1 ? 1 : atomic_load_explicit(&f->count, memory_order_acquire);
}

bool gndi_fault_reported(const gndi_device *d) {
    for (int i = records(&d->faults) - 1; i >= 0; i--)
        if (code_of(&d->faults, i) != 0) return true;
    return false;
}

/* Copies a record and clears it; false if it has no fault, or is being written. Claims it while it reads: on the CPU
   other threads may be reporting at the same time. */
static bool take_record(gndi_fault *reported, gndi_fault *fault) {
    int code = __atomic_load_n(&reported->code, __ATOMIC_RELAXED);
    do
        if (gndi_likely(code == 0) || code == GNDI_FAULT_CLAIMED) return false;
    while (!__atomic_compare_exchange_n(&reported->code, &code, GNDI_FAULT_CLAIMED, true, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED));
    *fault = *reported;
    fault->code = code;
    __atomic_store_n(&reported->code, 0, __ATOMIC_RELEASE);
    return true;
}

static gnd_status raise_fault(gndi_device *d, const char *fn, const gndi_fault *fault, bool own) {
    const gnd_status code = fault->code == GNDI_FAULT_INDEX ? GND_ERROR_INDEX : GND_ERROR_VALUE;
    const char *waited = gndi_public_name(fn), *guilty = fault->fn ? fault->fn : waited;
    const bool same = strcmp(waited, guilty) == 0;
    char text[256];
    d->backend->describe_fault(text, sizeof text, fault);
    GNDI_CALLING_BACK(); /* the message has its full name, which is not that of the waiting function */
    if (own && same) return gndi_raise(code, guilty, "%s", text);
    return gndi_raise(code, guilty, "%s (found when %s waited)", text, same ? "a later call" : waited);
}

/* Raises the oldest fault, and drops those that may follow from it. */
static gnd_status take_fault(gnd_stream *s, const char *fn, bool own) {
    gndi_faults *f = &s->device->faults;
    gndi_fault oldest = {0}, found;
    unsigned oldest_since = 0;
    for (int i = records(f) - 1; i >= 0; i--) {
        unsigned since = atomic_load_explicit(&f->since[i], memory_order_relaxed);
        if (since) atomic_store_explicit(&f->since[i], 0, memory_order_relaxed);
        if (!take_record(&f->record[i], &found)) continue;
        if (!oldest.code || since < oldest_since) oldest = found, oldest_since = since;
    }
    return gndi_likely(oldest.code == 0) ? GND_OK : raise_fault(s->device, fn, &oldest, own);
}

gnd_status gndi_collect_faults(gnd_stream *s, const char *fn) {
    return take_fault(s, fn, false);
}

static const char waiting[] = "waiting is not possible in there";

gnd_status gndi_stream_wait(gnd_stream *s, const char *fn) {
    const gnd_status recording = gndi_check_not_recording(s, waiting, fn);
    if (recording) return recording;
    gnd_status status = s->device->backend->stream_wait_idle(s, fn);
    gnd_status fault = take_fault(s, fn, false);
    return status ? status : fault;
}

gnd_status gndi_stream_wait_own(gnd_stream *s, const char *fn) {
    const gnd_status recording = gndi_check_not_recording(s, waiting, fn);
    if (recording) return recording;
    gnd_status status = s->device->backend->stream_wait_idle(s, fn);
    gnd_status fault = take_fault(s, fn, true);
    return status ? status : fault;
}
