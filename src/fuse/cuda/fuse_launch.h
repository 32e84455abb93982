/*
 * fuse_launch.h: a launch of the interpreter, as it is made from a plan, and of the line interpreter, as it is
 * made from the former.
 */
#ifndef GNDI_FUSE_LAUNCH_H
#define GNDI_FUSE_LAUNCH_H

#include "fuse/cuda/fuse_line.h"
#include "reduce/cuda/reduce_params.h"
#include "fuse/fuse_plan.h"
#include "runtime/runtime.h"

typedef struct gndi_fuse_launch {
    const gndi_fuse_loop *loop;
    int dtype, registers, threads;
    int64_t blocks;
    size_t shared_bytes, partial_bytes;
    size_t shared_most;  /* that a block may have */
    int splats, numbers; /* of the program */
    const void *kernel;
    gndi_fuse_program program;
    gndi_fuse_params params;
} gndi_fuse_launch;

/* The interpreter of a loop. */
const gndi_fuse_loop *gndi_cuda_fuse_loop(int dtype);

/* Writes the plan's program in steps of the loop `dtype`; false if that loop cannot carry it out. */
bool gndi_cuda_fuse_write(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int dtype, bool at_once);

/* The dtype a plan's launch loops in, for which it can be written and laid out; GND_DTYPE_NONE if there is none.
   `processors` and `shared_most`: of the device. */
gnd_dtype gndi_cuda_fuse_prepare(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors, size_t shared_most);

/* How many blocks share each of a reduction's rows, or groups of columns, of so many tiles, where so many blocks
   can run beside each other. */
static inline int64_t gndi_cuda_fuse_parts(int64_t rows, int64_t tiles, int64_t resident) {
    enum { TILES_A_BLOCK = 4 }; /* fewer, and joining costs more than it spares */
    int64_t parts = resident / rows;
    if (parts > tiles / TILES_A_BLOCK) parts = tiles / TILES_A_BLOCK;
    return parts < 1 || rows > GNDI_REDUCE_SHARING ? 1 : parts;
}

typedef struct gndi_line_launch {
    bool of_double; /* the loop */
    int64_t blocks;
    int threads, arrays;
    size_t shared_bytes, partial_bytes;
    uint8_t operand[GNDI_LINE_ARRAYS]; /* of the plan's: which array is where */
    gndi_line_params params;
} gndi_line_launch;

/* The same program as the line interpreter's; false if it cannot carry that out. */
bool gndi_cuda_fuse_line(const gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors, gndi_line_launch *to);
/* Small maps come again and again with other addresses: each thread keeps the launches of its last few. NULL if the
   plan's is not among them. */
gndi_line_launch *gndi_cuda_fuse_line_again(const gndi_device *device, const gndi_fuse_plan *plan);
void gndi_cuda_fuse_line_keep(const gndi_device *device, const gndi_fuse_plan *plan, const gndi_line_launch *launch);
const void *gndi_cuda_fuse_line_kernel(bool of_double, bool reduces);

#endif
