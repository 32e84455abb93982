/*
 * bare_first_fft.c: a process that creates a CUDA context, loads cuFFT, and ends; the yardstick for
 * first_fft.c.
 */
#include "bare_cuda.h"

int main(void) {
    return gndb_create_context() || gndb_load_cufft();
}
