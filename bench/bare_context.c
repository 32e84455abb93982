/*
 * bare_context.c: a process that creates a CUDA context and ends; the yardstick for first_add.c.
 */
#include "bare_cuda.h"

int main(void) {
    return gndb_create_context();
}
