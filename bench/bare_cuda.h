/*
 * bare_cuda.h: what CUDA itself costs, without gnd: a null kernel launched back to back, and the
 * creation of a context.
 */
#ifndef GNDB_BARE_CUDA_H
#define GNDB_BARE_CUDA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a null kernel `count` times on its own stream and waits once. 0, or a CUDA error. */
int gndb_null_kernels(int count);
/* Creates the context of GPU 0. 0, or a CUDA error. */
int gndb_create_context(void);

#ifdef __cplusplus
}
#endif

#endif
