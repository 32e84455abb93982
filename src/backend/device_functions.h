/*
 * device_functions.h: the functions of a table that are not kernels and work in a public function's name:
 * X(name, the device it is for, its parameters, and these as arguments).
 */
#ifndef GNDI_DEVICE_FUNCTIONS_H
#define GNDI_DEVICE_FUNCTIONS_H

#define GNDI_DEVICE_FUNCTIONS(X)                                                                                       \
    X(open, d, (gndi_device * d, const char *fn), (d, fn))                                                             \
    X(stream_wait_idle, s->device, (gnd_stream * s, const char *fn), (s, fn))                                          \
    X(stream_wait_stream, s->device, (gnd_stream * s, gnd_stream * other, const char *fn), (s, other, fn))             \
    X(event_record, s->device, (gnd_event * e, gnd_stream * s, const char *fn), (e, s, fn))                            \
    X(stream_wait_event, s->device, (gnd_stream * s, gnd_event * e, const char *fn), (s, e, fn))                       \
    X(event_wait, e->device, (gnd_event * e, const char *fn), (e, fn))                                                 \
    X(read_in, s->device, (gnd_stream * s, void *device, const gndi_file_part *from, size_t bytes, const char *fn),    \
      (s, device, from, bytes, fn))                                                                                    \
    X(copy_in, s->device, (gnd_stream * s, void *device, const void *host, size_t bytes, bool pinned, const char *fn), \
      (s, device, host, bytes, pinned, fn))                                                                            \
    X(copy_out, s->device,                                                                                             \
      (gnd_stream * s, void *host, const void *device, size_t bytes, bool pinned, const char *fn),                     \
      (s, host, device, bytes, pinned, fn))                                                                            \
    X(copy_within, s->device, (gnd_stream * s, void *to, const void *from, size_t bytes, const char *fn),              \
      (s, to, from, bytes, fn))                                                                                        \
    X(copy_peer, s->device,                                                                                            \
      (gnd_stream * s, void *to, const void *from, gndi_device *from_device, size_t bytes, const char *fn),            \
      (s, to, from, from_device, bytes, fn))                                                                           \
    X(copy_rows, s->device,                                                                                            \
      (gnd_stream * s, void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t bytes, size_t rows,      \
       const char *fn),                                                                                                \
      (s, to, to_pitch, from, from_pitch, bytes, rows, fn))                                                            \
    X(set_zero, s->device, (gnd_stream * s, void *device, size_t bytes, const char *fn), (s, device, bytes, fn))

#endif
