/*
 * foreign.c: work of other libraries on arrays' memory, in stream order.
 */
#include "core/core.h"
#include "runtime/runtime.h"

/* Defined here as a function; its macro is for lists. */
#undef gnd_foreign_begin

gnd_status gnd_foreign_begin(gnd_stream *stream, int reads, const gnd_array *const *read, int writes,
                             gnd_array *const *written) {
    static const char fn[] = "gnd_foreign_begin";
    if (!stream && !(stream = gndi_stream_current(fn))) return gnd_error()->code;
    /* CUDA captures it; the CPU would do it once, now. */
    if (stream->recording)
        return gndi_check_not_recording(stream, "work of other libraries is not listed on the CPU", fn);
    for (int i = 0; i < writes; i++) {
        gnd_array *a = written[i];
        if (gndi_missing(a)) return gndi_raise_null(fn, "written");
        if (a->flags & GNDI_READONLY) return gndi_raise(GND_ERROR_INVALID, fn, "%s is read-only", gndi_text_array(a));
        if (a->size == 0) continue;
        gndi_data(a);
        const gnd_status status = gndi_order_write(stream, a->buffer, fn);
        if (status) return status;
    }
    for (int i = 0; i < reads; i++) {
        const gnd_array *a = read[i];
        if (gndi_missing(a)) return gndi_raise_null(fn, "read");
        if (a->size == 0) continue;
        gndi_data(a);
        const gnd_status status = gndi_order_read(stream, a->buffer, fn);
        if (status) return status;
    }
    return GND_OK;
}

gnd_status gnd_foreign_end(gnd_stream *stream) {
    static const char fn[] = "gnd_foreign_end";
    if (!stream && !(stream = gndi_stream_current(fn))) return gnd_error()->code;
    gndi_submitted(stream);
    return gndi_finish(stream, fn);
}
