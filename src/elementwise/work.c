/*
 * work.c: what every request of the device begins and ends with: the stream it goes to, the order of its buffers, and
 * the wait of debug mode.
 */
#include "elementwise/elementwise.h"

gnd_stream *gndi_ew_stream(const gnd_array *any, const char *fn) {
    gnd_stream *s = gndi_stream_current(fn);
    if (gndi_unlikely(!s)) return NULL;
    return !any || gndi_likely(s->device == any->buffer->device) ? s : gndi_stream_on(any->buffer->device, fn);
}

gnd_status gndi_ew_pending(void) {
    const gnd_error_record *error = gnd_error();
    return error ? error->code : GND_ERROR_MEMORY;
}

gnd_stream *gndi_work_begin(const char *fn, int reads, const gnd_array *const *read, int writes,
                            const gnd_array *const *written) {
    gnd_stream *s = gndi_stream_on((reads && read[0] ? read[0] : written[0])->buffer->device, fn);
    if (!s) return NULL;
    for (int i = 0; i < reads; i++)
        if (read[i] && gndi_order_read(s, read[i]->buffer, fn)) return NULL;
    for (int i = 0; i < writes; i++)
        if (written[i] && gndi_order_write(s, written[i]->buffer, fn)) return NULL;
    return s;
}

gnd_stream *gndi_work_begin_buffers(const char *fn, int reads, gndi_buffer *const *read, int writes,
                                    gndi_buffer *const *written) {
    gnd_stream *s = gndi_stream_on((reads && read[0] ? read[0] : written[0])->device, fn);
    if (!s) return NULL;
    for (int i = 0; i < reads; i++)
        if (read[i] && gndi_order_read(s, read[i], fn)) return NULL;
    for (int i = 0; i < writes; i++)
        if (written[i] && gndi_order_write(s, written[i], fn)) return NULL;
    return s;
}

gnd_status gndi_work_end(gnd_stream *s, gnd_status status, const char *fn) {
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}
