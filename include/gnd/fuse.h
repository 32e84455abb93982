/*
 * gnd/fuse.h: several operations in one launch, without waiting for a compiler.
 *
 *     gnd_array *z;
 *     GND_FUSE {
 *         gnd_array *d = gnd_subtract(x, y);
 *         z = gnd_keep(gnd_multiply(d, d));
 *     }
 *
 * Inside the block elementwise operators (casts, broadcasts, gnd_where and gnd_clip among them), new
 * constants and ranges, uniform random numbers of Philox, and sums, products, extremes, means, variances and
 * the like build a program instead of running. At the end of the block the arrays that are still alive, those
 * given to gnd_keep(), are produced in as few launches as the data flow allows: d above is never written to
 * memory. A block is a scope, too (gnd/scope.h).
 *
 * Results match unfused code, with two exceptions: partial sums may be added in another order (fixed for a
 * program, shape and device), and a minimum or maximum may choose the other of 0.0 and -0.0. A product
 * followed by a sum is rounded twice, unless gnd_fuse_contract() allows one rounding.
 *
 * A value that is needed earlier is computed then: one that is printed, copied to the host, viewed, or used
 * by an operation that does not fuse, such as gnd_matmul. Everything that is pending and alive is computed
 * with it, since it often shares operands and launches. The program also runs when an array that it reads is
 * about to be written, or when the array's address is handed out. Calls check their operands as always, so a
 * bad call is refused where it is made, not at the end of the block. (Out of memory is the exception.) A
 * program runs on the stream that was current where its block began. Operators with a mask (`where` of
 * gnd_apply), and integer powers, which may fault, do not fuse.
 *
 * On a GPU an interpreter kernel, compiled with gnd, runs the program: nothing waits for a compiler. Programs
 * that run often or are long are compiled in the background (NVRTC), if they are maps or have rows of up to a
 * few thousand elements (a softmax); longer reductions stay with the interpreter. Compiled programs are kept
 * in memory and on disk ($XDG_CACHE_HOME/gnd, else ~/.cache/gnd). A launch is split if its operators compute
 * in several numeric dtypes and its rows are too long to be kept. On the CPU a program runs tile by tile in
 * the caches, on all threads. Operations there on fewer than 32768 elements, none of them pending, run
 * immediately, since recording them would take longer.
 */
#ifndef GND_FUSE_H
#define GND_FUSE_H

#include <gnd/base.h>
#include <gnd/scope.h>

GND_BEGIN

/** A block. Its members are private; it must not be moved until it is closed. */
typedef struct gnd_fuse_block {
    gnd_scope scope;
    void *reserved[5];
} gnd_fuse_block;

/** Opens a block on the calling thread, for code that GND_FUSE does not suit, and returns it. A block
 * inside another one adds to the same program. Does not wait. */
GND_API gnd_fuse_block *gnd_fuse_open(gnd_fuse_block *block);

/**
 * Closes a block on the thread that opened it: releases what the block owns, then submits what is
 * pending and still alive. Out of memory, or a launch that fails, leaves an error; the arrays that
 * could not be computed give that error again to whoever uses them. Does not wait.
 */
GND_API gnd_status gnd_fuse_close(gnd_fuse_block *block);

/** Submits all that is pending on the calling thread and still alive, in the middle of a block, or
 * under gnd_fuse_always(). Does not wait. */
GND_API gnd_status gnd_fuse_flush(void);

/**
 * With true, everything on the calling thread fuses, without blocks. Pending work is submitted when a value
 * is needed, by gnd_fuse_flush(), gnd_stream_sync() or an event, when the program becomes long, or when
 * another stream becomes current. With false, pending work is submitted. Returns the previous setting.
 */
GND_API bool gnd_fuse_always(bool on);

/**
 * Whether programs of the calling thread may contract a product and a following sum into one operation that
 * rounds once (FMA). It saves nothing where memory is the limit, and results then depend on the executor. Off
 * by default. Returns the previous setting.
 */
GND_API bool gnd_fuse_contract(bool allow);

/** How fused programs execute. */
typedef enum gnd_fuse_executor {
    GND_FUSE_AUTO,      /**< the compiled program if available, else the interpreter; on the CPU whatever is faster */
    GND_FUSE_INTERPRET, /**< never compile; on the CPU also record small arrays */
    /** Compile at the first run and wait for it: on a GPU with NVRTC, whatever AUTO would compile eventually. */
    GND_FUSE_COMPILE,
    GND_FUSE_OFF, /**< one operation at a time, as without a block, for comparison */
} gnd_fuse_executor;

/**
 * Chooses the executor for the calling thread's programs; GND_FUSE_AUTO at first, or what GND_FUSE in the
 * environment says: auto, interpret, compile, off. Returns the previous one.
 */
GND_API gnd_fuse_executor gnd_fuse_use(gnd_fuse_executor executor);

/**
 * Prints a program to standard output: its instructions, its launches, how each is executed, and the bytes it
 * moves. Inside a block it is the pending program, as if the block ended here; elsewhere it is the calling
 * thread's last one. Does not submit anything and does not wait.
 *
 * A launch begins with a line `launch 1: map over (1000,); tiles, moves 0.012 MB`: its kind (map; map and
 * reduce; row by row), the shape, the number of rows of a reduction, the executor, and the bytes, counting
 * each element once. The executor is, on a GPU, `compiled` (a kernel of its own), `line interpreter` (the
 * fast one, for float32 or float64 in lines and rows) or `interpreter` (the general one); on the CPU `tiles`;
 * on either `fallback`, one operator after the other. A line for each instruction follows. Operations that ran
 * immediately are not shown, and only the first 8 launches are.
 */
GND_API void gnd_fuse_explain(void);

/**
 * The same as text, up to `capacity` bytes including the final zero. Returns the length of the whole text without
 * it (as snprintf does).
 */
GND_API size_t gnd_fuse_explain_text(char *text, size_t capacity);

GND_END

#if defined(__GNUC__)
/* What a block needs of its thread. UINT64_MAX elements: none are recorded; gnd_fuse_open() decides. */
typedef struct gnd_fuse_thread {
    gnd_scope *scope;       /* the innermost */
    uint64_t most;          /* operations on more elements are recorded, */
    uint64_t most_in_block; /* and these inside the next block */
} gnd_fuse_thread;

GND_BEGIN
GND_API extern __thread gnd_fuse_thread gnd_fuse_thread_;
GND_END

/* gnd_fuse_open() and gnd_fuse_close() of blocks that need no call: the outermost, in which nothing is recorded. */
static inline gnd_fuse_block *gnd_fuse_enter_(gnd_fuse_block *block) {
    gnd_fuse_thread *thread = &gnd_fuse_thread_;
    if (__builtin_expect(thread->most_in_block >= thread->most, 0)) return gnd_fuse_open(block);
    block->scope.parent = thread->scope, block->scope.first = NULL, block->scope.owned = NULL;
    block->scope.fuses = thread;
    thread->scope = &block->scope, thread->most = thread->most_in_block;
    return block;
}

static inline gnd_status gnd_fuse_leave_(gnd_fuse_block *block) {
    gnd_fuse_thread *thread = block->scope.fuses;
    uintptr_t owns = (uintptr_t)block->scope.first | (uintptr_t)block->scope.owned;
    if (__builtin_expect(thread->scope != &block->scope || owns, 0)) return gnd_fuse_close(block);
    thread->scope = block->scope.parent, thread->most = UINT64_MAX;
    return GND_OK;
}

/**
 * GND_FUSE { ... } is described at the top of this file; break, continue and return leave it as they leave
 * GND_SCOPE.
 */
#    define GND_FUSE GND_BLOCK_(gnd_fuse_block, gnd_fuse_enter_, gnd_fuse_leave_)
/** GND_FUSE_HERE; fuses from here to the end of the enclosing block, which break, continue, return and
 * goto may leave. It is a scope, too, as GND_SCOPE_HERE is. */
#    define GND_FUSE_HERE GND_HERE_(gnd_fuse_block, gnd_fuse_enter_, gnd_fuse_leave_)
#endif

#endif
