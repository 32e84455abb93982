/*
 * fuse_launch.h: a launch of the interpreter, which is made from a plan, and one of the line interpreter, which is
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

/* Writes the plan's program as steps of the loop `dtype`; false if that loop cannot run it. */
bool gndi_cuda_fuse_write(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int dtype, bool at_once);

/* Prepares a plan's launch; returns the dtype of its loop, or GND_DTYPE_NONE if no loop can run it. `processors` and
   `shared_most`: of the device. */
gnd_dtype gndi_cuda_fuse_prepare(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors, size_t shared_most);

/* The number of blocks that share a reduction's row, or group of columns, of `tiles` tiles, if `resident` blocks can
   run at once. */
static inline int64_t gndi_cuda_fuse_parts(int64_t rows, int64_t tiles, int64_t resident) {
    enum { TILES_A_BLOCK = 4 }; /* with fewer, joining costs more than it saves */
    int64_t parts = resident / rows;
    if (parts > tiles / TILES_A_BLOCK) parts = tiles / TILES_A_BLOCK;
    return parts < 1 || rows > GNDI_REDUCE_SHARING ? 1 : parts;
}

typedef struct gndi_line_launch {
    bool of_double; /* the loop */
    int64_t blocks;
    int threads, arrays;
    size_t shared_bytes, partial_bytes;
    uint8_t operand[GNDI_LINE_ARRAYS]; /* the plan's operand of each array */
    gndi_line_params params;
} gndi_line_launch;

/* Translates the program for the line interpreter; false if that cannot run it. */
bool gndi_cuda_fuse_line(const gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors, gndi_line_launch *to);
/* Small maps are often repeated with other addresses: each thread caches its last few launches. NULL if the plan's is
   not among them. */
gndi_line_launch *gndi_cuda_fuse_line_again(const gndi_device *device, const gndi_fuse_plan *plan);
void gndi_cuda_fuse_line_keep(const gndi_device *device, const gndi_fuse_plan *plan, const gndi_line_launch *launch);
const void *gndi_cuda_fuse_line_kernel(bool of_double, bool reduces);

#endif
