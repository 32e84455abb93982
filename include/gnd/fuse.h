/*
 * gnd/fuse.h: several operations in one launch, without a compiler in the way.
 *
 *     gnd_array *z;
 *     GND_FUSE {
 *         gnd_array *d = gnd_subtract(x, y);
 *         z = gnd_keep(gnd_multiply(d, d));
 *     }
 *
 * Inside the block elementwise operators (casts, broadcasts, gnd_where and gnd_clip among them), new
 * constants and ranges, uniform random numbers of Philox, and sums, products, extremes, means, variances and
 * the like build a program instead of running. At the end of the block the arrays that are still
 * alive, those given to gnd_keep(), are produced in as few launches as the data flow allows: d above
 * is never written to memory. A block is a scope, too (gnd/scope.h).
 *
 * Results are what the same lines give without a block, but for sums, whose partial sums may be joined in another
 * order, which is fixed for one program, shape and device, and for which of 0.0 and -0.0 is the largest or smallest.
 * A product and the sum behind it stay two roundings, unless gnd_fuse_contract() allows one.
 *
 * A value that is needed earlier (printed, copied to the host, an operand of something that does not
 * fuse, such as gnd_matmul or a view of it) is computed then, with all that is pending and alive (which is made of
 * the same things, often in the same launch: x and a norm of it, which a loop looks at; alone, the norm would
 * compute x, and later x would be computed again); so is
 * the program when an array that it reads is about to be written, or its address handed out. Calls
 * check their operands as ever: what a program cannot do is refused where it is written, not at the
 * end of the block. (Out of memory is the exception.) A program runs on the stream that was current where
 * its block began. Operators with a mask (`where` of gnd_apply), and integer powers, which may fault, do not
 * fuse.
 *
 * The program is interpreted by a kernel that is compiled with gnd: nothing waits for a compiler. Of what
 * runs often, or is long, maps and rows of up to a few thousand elements (a softmax) are compiled in the
 * background (NVRTC), kept in memory and on disk ($XDG_CACHE_HOME/gnd, else ~/.cache/gnd), and used from then
 * on; longer reductions stay with the interpreter. A launch whose
 * operators compute in several dtypes of numbers, and whose rows are too long to be kept, is cut up. On
 * the CPU a program runs tile by tile in the caches, on all threads; operations on fewer than 32768 elements, of
 * which none is pending, run at once there, as without a block: to record them would take longer.
 */
#ifndef GND_FUSE_H
#define GND_FUSE_H

#include <gnd/base.h>
#include <gnd/scope.h>

GND_BEGIN

/** A block. Its members are the library's; it must stay where it is until it is closed. */
typedef struct gnd_fuse_block {
    gnd_scope scope;
    struct gnd_fuse_block *parent;
    void *reserved[4];
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
 * With true everything on the calling thread fuses, without blocks, and runs when it is needed: by a
 * value that is, by gnd_fuse_flush(), a gnd_stream_sync() or an event, because the program has become
 * long, or because another stream has become current. With false it submits what is pending. Returns
 * what was set before.
 */
GND_API bool gnd_fuse_always(bool on);

/**
 * Whether programs of the calling thread may contract a product and the sum behind it into one
 * operation that rounds once (FMA). It saves nothing where memory is the limit, and results then
 * depend on which executor ran. Not allowed at first. Returns what was set before.
 */
GND_API bool gnd_fuse_contract(bool allow);

/** How fused programs execute. */
typedef enum gnd_fuse_executor {
    GND_FUSE_AUTO,      /**< the compiled program if it is there, else the interpreter; on the CPU what is quicker */
    GND_FUSE_INTERPRET, /**< never compile; on the CPU record small arrays, too */
    /** Compile at the first run, and wait for that: on a GPU, what AUTO would compile some time, if there is NVRTC. */
    GND_FUSE_COMPILE,
    GND_FUSE_OFF, /**< one operation at a time, as outside of a block: for comparisons */
} gnd_fuse_executor;

/** Chooses the executor for the calling thread's programs; GND_FUSE_AUTO at first, or what GND_FUSE
 * in the environment says: auto, interpret, compile, off. Returns the one before. */
GND_API gnd_fuse_executor gnd_fuse_use(gnd_fuse_executor executor);

/**
 * Prints a program to standard output: its instructions, the launches they make, who carries each
 * out, and the bytes it moves. In a block: of what is pending now, as if the block ended here;
 * elsewhere of what the calling thread ran last. Does not submit anything, nor wait.
 *
 * A launch begins with a line `launch 1: map over (1000,); tiles, moves 0.012 MB`: what it does (map; map and
 * reduce; row by row), the shape, the rows where it reduces, who carries it out, and the bytes, each element
 * once. On a GPU that is `compiled` (a kernel of its own), `line interpreter` (the quick one, of float32 or
 * float64 in lines and rows) or `interpreter` (the one for everything); on the CPU `tiles`; `fallback` on either, where it
 * is one operator after the other. What has run at once is not told. A line for each instruction comes behind it. The first 8 launches are told.
 */
GND_API void gnd_fuse_explain(void);

/** The same as text, up to `capacity` bytes with the final zero; returns the bytes that the whole needs,
 * without that zero (as snprintf does). */
GND_API size_t gnd_fuse_explain_text(char *text, size_t capacity);

GND_END

#if defined(__GNUC__)
/** GND_FUSE { ... }: what it does is said at the top of this file; break, continue and return leave it as
 * they leave GND_SCOPE. */
#    define GND_FUSE GND_BLOCK_(gnd_fuse_block, gnd_fuse_open, gnd_fuse_close)
/** GND_FUSE_HERE; fuses from here to the end of the enclosing block, which break, continue, return and
 * goto may leave. It is a scope, too, as GND_SCOPE_HERE is. */
#    define GND_FUSE_HERE GND_HERE_(gnd_fuse_block, gnd_fuse_open, gnd_fuse_close)
#endif

#endif
