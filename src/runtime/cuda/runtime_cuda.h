/*
 * runtime_cuda.h: what the CUDA backend's files share. Only *_cuda.* files include it.
 */
#ifndef GNDI_RUNTIME_CUDA_H
#define GNDI_RUNTIME_CUDA_H

#include "runtime/hooks.h"
#include <cuda_runtime_api.h>

enum { STAGING_THREADS = 8 };

/* A pinned block for staging a transfer of pageable memory, and the event after which it is free. */
typedef struct gndi_cuda_stage {
    void *base;
    cudaEvent_t free;
} gndi_cuda_stage;

/* The blocks of one direction: two for each thread, so that the host copies one while the GPU copies the
   other. */
typedef struct gndi_cuda_staging {
    gndi_lock lock; /* one transfer at a time: two would share the bus */
    gndi_cuda_stage stage[STAGING_THREADS][2];
    _Atomic size_t moved; /* bytes of all transfers that may be staged */
} gndi_cuda_staging;

/* gndi_device.native */
typedef struct gndi_cuda_device {
    bool pooled; /* the driver has stream-ordered memory pools */
    cudaMemPool_t pool;
    atomic_bool pool_open; /* its attributes are set */
    char *first;           /* memory of the first small allocations, or NULL; how much of it is taken */
    _Atomic size_t first_taken;
    gndi_cuda_staging in, out;
    _Atomic uint32_t peers_tried; /* GPUs for which access to this one's memory was requested */
} gndi_cuda_device;

/* Raises what a CUDA error (a cudaError_t) means, in the name of `fn`, unless it is cudaSuccess. */
gnd_status gndi_cuda_check(int error, const char *fn, const char *what);

/* Makes `d` the calling thread's CUDA device. Costs nothing with one GPU; with several, the CUDA runtime is called
   each time, since the program may have changed the device. */
extern int gndi_cuda_device_count;
void gndi_cuda_bind_slow(const gndi_device *d);
static inline void gndi_cuda_bind(const gndi_device *d) {
    if (gndi_unlikely(gndi_cuda_device_count > 1)) gndi_cuda_bind_slow(d);
}

/* modules_cuda.c: to be called before a kernel or a variable of a device is given to the CUDA runtime, with which its
   object is registered then. The functions below that launch kernels call it. */
void gndi_cuda_use(const void *symbol);

/* Launches a kernel whose one parameter is a block of `params`, on a row of blocks. It may have more shared memory
   than the default limit, up to the most that a block of the device can have. */
gnd_status gndi_cuda_launch(gnd_stream *s, const void *kernel, int64_t blocks, int threads, size_t shared_bytes,
                            void *params, const char *fn);
/* The same for kernels that begin with start_early() (kernels/cuda/early_start.cuh). */
gnd_status gndi_cuda_launch_early(gnd_stream *s, const void *kernel, int64_t blocks, int threads, size_t shared_bytes,
                                  void *params, const char *fn);
/* The same on a grid of blocks. */
gnd_status gndi_cuda_launch_grid(gnd_stream *s, const void *kernel, dim3 grid, int threads, size_t shared_bytes,
                                 void *params, const char *fn);

/* together_cuda.c: kernels whose blocks wait for each other, one block on each multiprocessor. The most bytes of shared
   memory that a block can ask for; 0: the device does not start such kernels, or this one's image is older than
   architecture `since`, of whose instructions it is made. */
int64_t gndi_cuda_shared_together(const gndi_device *d, const void *kernel, int since);
/* Launches it, after the question above. false: the device is shared such that fewer blocks can run at once, and
   nothing was done. */
bool gndi_cuda_launch_together(gnd_stream *s, const void *kernel, int64_t blocks, int threads, size_t shared_bytes,
                               void *params);

/* Whether a stream is being captured into a CUDA graph; true if that cannot be determined: captured work must use only
   the stream and its memory. */
bool gndi_cuda_is_captured(const gnd_stream *s);
/* Raises if it is; `because` continues a message that ends in "..., and". */
gnd_status gndi_cuda_check_not_captured(const gnd_stream *s, const char *because, const char *fn);

/* graph_cuda.c */
gnd_status gndi_cuda_capture_begin(gnd_stream *s, const char *fn);
gnd_status gndi_cuda_capture_end(gnd_stream *s, void **executable, int64_t *nodes, bool *updated, const char *fn);
void gndi_cuda_capture_drop(gnd_stream *s);
gnd_status gndi_cuda_graph_launch(gnd_stream *s, void *executable, const char *fn);
void gndi_cuda_graph_release(gndi_device *d, void *executable);

/* native_cuda.c. Of two streams `later` waits for what is queued on `earlier` now; a cudaError_t. */
int gndi_cuda_order(void *earlier, void *later);
gnd_status gndi_cuda_stream_wait_native(gnd_stream *s, void *native, const char *fn);
gnd_status gndi_cuda_native_wait_stream(void *native, gnd_stream *s, const char *fn);
gnd_status gndi_cuda_stream_adopt(gnd_stream *s, void *native, const char *fn);
void gndi_cuda_stream_return(gnd_stream *s);

/* memory_cuda.c */
void *gndi_cuda_kind_allocate(gndi_device *d, gnd_memory_kind kind, size_t bytes);
void gndi_cuda_kind_release(gndi_device *d, gnd_memory_kind kind, void *p, size_t bytes, gnd_stream *s);
gnd_status gndi_cuda_share(gndi_device *d, const void *base, void *token, const char *fn);
gnd_status gndi_cuda_shared_device(const void *token, int *index, const char *fn);
gnd_status gndi_cuda_open_shared(gndi_device *d, const void *token, size_t bytes, void **base, const char *fn);
void gndi_cuda_close_shared(void *base, size_t bytes);

/* transfer_cuda.c */
gnd_status gndi_cuda_copy_in(gnd_stream *s, void *device, const void *host, size_t bytes, bool pinned, const char *fn);
gnd_status gndi_cuda_read_in(gnd_stream *s, void *device, const gndi_file_part *from, size_t bytes, const char *fn);
gnd_status gndi_cuda_copy_out(gnd_stream *s, void *host, const void *device, size_t bytes, bool pinned, const char *fn);
gnd_status gndi_cuda_copy_within(gnd_stream *s, void *to, const void *from, size_t bytes, const char *fn);
gnd_status gndi_cuda_copy_rows(gnd_stream *s, void *to, size_t to_pitch, const void *from, size_t from_pitch,
                               size_t bytes, size_t rows, const char *fn);
gnd_status gndi_cuda_copy_peer(gnd_stream *s, void *to, const void *from, gndi_device *from_device, size_t bytes,
                               const char *fn);
bool gndi_cuda_is_pinned(gndi_device *d, const void *host, size_t bytes);
bool gndi_cuda_can_reach(gndi_device *d, const void *p);

#endif
