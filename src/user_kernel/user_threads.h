/*
 * user_threads.h: what a function of a user's module (gnd/module.h) finds around it on the CPU:
 * threadIdx and its like, shared memory, and barriers. A block is one thread of the CPU's work. If
 * the module has no barriers, the threads of a block run one after the other; else each has a stack
 * of its own, and runs until it waits. Included by generated text only.
 */
#ifndef GNDI_USER_THREADS_H
#define GNDI_USER_THREADS_H

#include "user_host.h"
#include <sys/mman.h>
#if !defined(__x86_64__)
#    include <ucontext.h>
#endif

#define __shared__ static thread_local
#define __noinline__ __attribute__((noinline))

/* ---- positions ---------------------------------------------------------------------------------- */

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
static thread_local uint3 threadIdx, blockIdx;
static thread_local dim3 blockDim, gridDim;
static const int warpSize = 32;

/* What the launch says: as in launch.c. */
struct gnd_launch_words {
    unsigned grid[3], block[3];
    size_t shared;
    void **arguments;
};

/* ---- threads of a block ---------------------------------------------------------------------- */

enum gnd_state { GND_READY, GND_AT_BLOCK, GND_AT_WARP, GND_DONE };
/* What became of blocks, as in launch.c. */
enum gnd_problem { GND_FINE, GND_WAITS_FOR_EVER, GND_NO_MEMORY, GND_THREW };

struct gnd_thread {
    void *stack; /* where it stopped */
    uint3 index;
    gnd_state state;
    unsigned mask; /* whom it waits for, in its warp */
    int predicate;
    alignas(16) unsigned char slot[16]; /* what it shows to its warp */
#if !defined(__x86_64__)
    ucontext_t context;
#endif
};

struct gnd_block {
    gnd_thread *threads; /* NULL: one after the other */
    int count, current;
    void (*call)(void **);
    void **arguments;
    void *scheduler; /* where it stopped */
    void *shared;    /* dynamic */
    char *thrown;    /* words for what a thread threw */
    bool threw;
#if !defined(__x86_64__)
    ucontext_t context;
#endif
};
static thread_local gnd_block gnd_here;

enum { GND_STACK_BYTES = 256 << 10 };

static inline gnd_thread &gnd_me() {
    return gnd_here.threads[gnd_here.current];
}

#if defined(__x86_64__)
/* Leaves this stack, noting where at *from, and goes on with the other one. */
extern "C" void gnd_switch(void **from, void *to);
asm(".text\n"
    ".hidden gnd_switch\n"
    ".globl gnd_switch\n"
    ".type gnd_switch, @function\n"
    "gnd_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp, (%rdi)\n"
    "movq %rsi, %rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\n"
    "ret\n");
static void gnd_leave() {
    gnd_switch(&gnd_me().stack, gnd_here.scheduler);
}
static void gnd_resume() {
    gnd_switch(&gnd_here.scheduler, gnd_me().stack);
}
#else
static void gnd_leave() {
    swapcontext(&gnd_me().context, &gnd_here.context);
}
static void gnd_resume() {
    swapcontext(&gnd_here.context, &gnd_me().context);
}
#endif

/* An exception ends here: a thread's stack has no caller. */
static void gnd_thread_main() {
    try {
        gnd_here.call(gnd_here.arguments);
    } catch (...) {
        gnd_note_thrown(gnd_here.thrown);
        gnd_here.threw = true;
    }
    gnd_me().state = GND_DONE;
    for (;;) gnd_leave();
}

static void gnd_prepare(gnd_thread *t, unsigned char *stack) {
#if defined(__x86_64__)
    void **top = (void **)(stack + GND_STACK_BYTES);
    *--top = NULL; /* where gnd_thread_main would return to */
    *--top = (void *)gnd_thread_main;
    for (int saved = 0; saved < 6; saved++) *--top = NULL;
    t->stack = top;
#else
    getcontext(&t->context);
    t->context.uc_stack.ss_sp = stack, t->context.uc_stack.ss_size = GND_STACK_BYTES;
    t->context.uc_link = NULL;
    makecontext(&t->context, gnd_thread_main, 0);
#endif
    t->state = GND_READY;
}

/* Lets go whoever waits for nobody any more; false if nobody is. */
static bool gnd_release_waiting() {
    gnd_block &b = gnd_here;
    bool all = true, any = false;
    for (int t = 0; t < b.count; t++) all &= b.threads[t].state == GND_AT_BLOCK || b.threads[t].state == GND_DONE;
    for (int t = 0; t < b.count && all; t++)
        if (b.threads[t].state == GND_AT_BLOCK) b.threads[t].state = GND_READY, any = true;
    if (any) return true;
    for (int t = 0; t < b.count; t++) {
        gnd_thread &waiting = b.threads[t];
        if (waiting.state != GND_AT_WARP) continue;
        const int first = t & ~31;
        bool here = true;
        for (int l = 0; l < 32 && first + l < b.count; l++) {
            const gnd_thread &other = b.threads[first + l];
            if (waiting.mask >> l & 1 && other.state != GND_DONE)
                here &= other.state == GND_AT_WARP && other.mask == waiting.mask;
        }
        const unsigned mask = waiting.mask;
        for (int l = 0; l < 32 && first + l < b.count && here; l++)
            if (mask >> l & 1 && b.threads[first + l].state == GND_AT_WARP)
                b.threads[first + l].state = GND_READY, any = true;
    }
    return any;
}

/* Runs all threads of a block, until one throws: the others stay where they are. */
static gnd_problem gnd_run_block(unsigned char *stacks) {
    gnd_block &b = gnd_here;
    for (int t = 0; t < b.count; t++) gnd_prepare(&b.threads[t], stacks + (size_t)t * GND_STACK_BYTES);
    for (;;) {
        int left = 0;
        for (b.current = 0; b.current < b.count; b.current++) {
            if (gnd_me().state != GND_READY) continue;
            threadIdx = gnd_me().index;
            gnd_resume();
            if (b.threw) return GND_THREW;
        }
        for (int t = 0; t < b.count; t++) left += b.threads[t].state != GND_DONE;
        if (left == 0) return GND_FINE;
        if (!gnd_release_waiting()) return GND_WAITS_FOR_EVER;
    }
}

/* ---- launches -------------------------------------------------------------------------------- */

template <class T> struct gnd_bare { typedef T type; };
template <class T> struct gnd_bare<const T> { typedef T type; };
template <int... K> struct gnd_numbers {};
template <int N, int... K> struct gnd_count : gnd_count<N - 1, N - 1, K...> {};
template <int... K> struct gnd_count<0, K...> { typedef gnd_numbers<K...> type; };
template <class... P, int... K> static inline void gnd_call(void (*f)(P...), void **a, gnd_numbers<K...>) {
    (void)a;
    f(*(typename gnd_bare<P>::type *)a[K]...);
}
template <class... P> static inline void gnd_call(void (*f)(P...), void **a) {
    gnd_call(f, a, typename gnd_count<(int)sizeof...(P)>::type());
}

/* The threads of a block, one after the other. */
static gnd_problem gnd_run_threads(const gnd_launch_words *l) {
    try {
        for (threadIdx.z = 0; threadIdx.z < l->block[2]; threadIdx.z++)
            for (threadIdx.y = 0; threadIdx.y < l->block[1]; threadIdx.y++)
                for (threadIdx.x = 0; threadIdx.x < l->block[0]; threadIdx.x++) gnd_here.call(gnd_here.arguments);
        return GND_FINE;
    } catch (...) {
        gnd_note_thrown(gnd_here.thrown);
        return GND_THREW;
    }
}

/* Blocks from..to-1 of a launch. */
static gnd_problem gnd_run_blocks(const gnd_launch_words *l, long long from, long long to, bool barriers,
                                  void (*call)(void **), char *thrown) {
    gnd_block &b = gnd_here;
    gnd_problem problem = GND_FINE;
    unsigned char *stacks = NULL;
    b.count = (int)(l->block[0] * l->block[1] * l->block[2]);
    b.call = call, b.arguments = l->arguments, b.thrown = thrown, b.threw = false;
    b.threads = barriers ? (gnd_thread *)calloc((size_t)b.count, sizeof(gnd_thread)) : NULL;
    b.shared = l->shared ? aligned_alloc(128, (l->shared + 127) & ~(size_t)127) : NULL;
    if (barriers) {
        void *workspace = mmap(NULL, (size_t)b.count * GND_STACK_BYTES, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        stacks = workspace == MAP_FAILED ? NULL : (unsigned char *)workspace;
    }
    if ((barriers && (!b.threads || !stacks)) || (l->shared && !b.shared)) problem = GND_NO_MEMORY;
    blockDim = dim3(l->block[0], l->block[1], l->block[2]);
    gridDim = dim3(l->grid[0], l->grid[1], l->grid[2]);
    for (int t = 0; t < b.count && barriers && !problem; t++)
        b.threads[t].index = {t % l->block[0], t / l->block[0] % l->block[1], t / l->block[0] / l->block[1]};
    for (long long block = from; block < to && !problem; block++) {
        blockIdx = {(unsigned)(block % l->grid[0]), (unsigned)(block / l->grid[0] % l->grid[1]),
                    (unsigned)(block / l->grid[0] / l->grid[1])};
        problem = barriers ? gnd_run_block(stacks) : gnd_run_threads(l);
    }
    if (stacks) munmap(stacks, (size_t)b.count * GND_STACK_BYTES);
    free(b.threads), free(b.shared);
    b.threads = NULL, b.shared = NULL;
    return problem;
}

/* ---- barriers -------------------------------------------------------------------------------- */

static void __syncthreads() {
    if (!gnd_here.threads) return;
    gnd_me().state = GND_AT_BLOCK;
    gnd_leave();
}
static inline __attribute__((unused)) int __syncthreads_count(int predicate) {
    gnd_me().predicate = predicate != 0;
    __syncthreads();
    int count = 0;
    for (int t = 0; t < gnd_here.count; t++)
        count += gnd_here.threads[t].state != GND_DONE && gnd_here.threads[t].predicate;
    __syncthreads();
    return count;
}
static inline __attribute__((unused)) int __syncthreads_or(int predicate) {
    return __syncthreads_count(predicate) != 0;
}
static inline __attribute__((unused)) int __syncthreads_and(int predicate) {
    return __syncthreads_count(!predicate) == 0;
}
static inline __attribute__((unused)) void __syncwarp(unsigned mask = 0xffffffffu) {
    if (!gnd_here.threads) return;
    gnd_me().state = GND_AT_WARP, gnd_me().mask = mask;
    gnd_leave();
}
static inline __attribute__((unused)) unsigned __activemask() {
    unsigned mask = 0;
    const int first = gnd_here.current & ~31;
    for (int l = 0; l < 32 && first + l < gnd_here.count; l++)
        if (gnd_here.threads[first + l].state != GND_DONE) mask |= 1u << l;
    return mask;
}

/* ---- words between the threads of a warp ----------------------------------------------------- */

/* What thread `from` of this warp shows; its own where there is none. */
template <class T> static T gnd_exchange(unsigned mask, T value, int from) {
    static_assert(sizeof(T) <= 16, "shuffles move up to 16 bytes");
    const int first = gnd_here.current & ~31;
    memcpy(gnd_me().slot, &value, sizeof value);
    __syncwarp(mask);
    T result = value;
    if (from >= 0 && from < 32 && first + from < gnd_here.count && (mask >> from & 1))
        memcpy(&result, gnd_here.threads[first + from].slot, sizeof result);
    __syncwarp(mask);
    return result;
}
template <class T> static T __shfl_sync(unsigned mask, T value, int from, int width = 32) {
    const int lane = gnd_here.current & 31, base = lane & ~(width - 1);
    return gnd_exchange(mask, value, base + (from & (width - 1)));
}
template <class T> static T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
    const int lane = gnd_here.current & 31, from = lane - (int)by;
    return gnd_exchange(mask, value, from < (lane & ~(width - 1)) ? lane : from);
}
template <class T> static T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
    const int lane = gnd_here.current & 31, from = lane + (int)by;
    return gnd_exchange(mask, value, from > (lane | (width - 1)) ? lane : from);
}
template <class T> static T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {
    const int lane = gnd_here.current & 31, from = lane ^ with;
    return gnd_exchange(mask, value, from > (lane | (width - 1)) ? lane : from);
}
static inline __attribute__((unused)) unsigned __ballot_sync(unsigned mask, int predicate) {
    const int first = gnd_here.current & ~31;
    gnd_me().predicate = predicate != 0;
    __syncwarp(mask);
    unsigned votes = 0;
    for (int l = 0; l < 32 && first + l < gnd_here.count; l++) {
        const gnd_thread &other = gnd_here.threads[first + l];
        if (mask >> l & 1 && other.state != GND_DONE && other.predicate) votes |= 1u << l;
    }
    __syncwarp(mask);
    return votes;
}
static inline __attribute__((unused)) int __any_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, predicate) != 0;
}
static inline __attribute__((unused)) int __all_sync(unsigned mask, int predicate) {
    return __ballot_sync(mask, !predicate) == 0;
}

/* Dynamic shared memory that is declared outside of functions. */
template <class T> struct gnd_dynamic {
    operator T *() const { return (T *)gnd_here.shared; }
};

/* Users write __shared__ alignas(16) float x[4], where C++ has no place for the standard's attribute. */
#define alignas(n) __attribute__((aligned(n)))

#endif
