/*
 * dlpack.h: what dlpack.c needs of CUDA: streams that are not gnd's.
 */
#ifndef GNDI_IO_DLPACK_H
#define GNDI_IO_DLPACK_H

#include "runtime/runtime.h"

/* A stream of others, as DLPack numbers it, waits for all that is queued on `s`. */
gnd_status gndi_dlpack_cuda_after(gnd_stream *s, int64_t foreign, const char *fn);
/* `s` waits for all that is queued on CUDA's legacy default stream. */
void gndi_dlpack_cuda_before(gnd_stream *s);
/* The host waits for the device, whoever's work it is. */
void gndi_dlpack_cuda_wait(gndi_device *d);

#endif
