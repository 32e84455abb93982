/*
 * bare_libraries.c: a process that creates a CUDA context, loads cuBLAS and cuSOLVER, creates a handle
 * of each, and ends; the yardstick for first_det.c.
 */
#include "bare_cuda.h"

int main(void) {
    return gndb_create_context() || gndb_load_cublas() || gndb_load_cusolver();
}
