/*
 * parallel.h: the threads that CPU work is shared among (parallel.c).
 */
#ifndef GNDI_PARALLEL_H
#define GNDI_PARALLEL_H

#include <stdint.h>

/* Calls body(context, begin, end) over 0 .. n in pieces of at least `grain`, on the CPU backend's
   threads (GND_NUM_THREADS, else OMP_NUM_THREADS, else all cores); on the caller alone if small. */
void gndi_parallel_for(int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context);
int gndi_thread_count(void);

#endif
