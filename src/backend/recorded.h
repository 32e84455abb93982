/*
 * recorded.h: recording streams of the CPU (recorded.c). Each hook, and each copy, has a function that lists the call
 * instead of running it; the traced table chooses (traced.c).
 */
#ifndef GNDI_RECORDED_H
#define GNDI_RECORDED_H

#include "runtime/runtime.h"

#define HOOK(name, type) gnd_status gndi_record_##name(gnd_stream *s, const type *plan, const char *fn);
#define HOOK_GPU(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU
/* `from` NULL: zeros. `may`: false if the copy is of host memory that the graph must not use. */
gnd_status gndi_record_copy(gnd_stream *s, void *to, const void *from, size_t bytes, bool may, const char *fn);

/* The members of the CPU's table. */
gnd_status gndi_record_begin(gnd_stream *s, const char *fn);
gnd_status gndi_record_end(gnd_stream *s, void **executable, int64_t *nodes, bool *updated, const char *fn);
void gndi_record_drop(gnd_stream *s);
gnd_status gndi_record_launch(gnd_stream *s, void *executable, const char *fn);
void gndi_record_release(gndi_device *d, void *executable);

#endif
