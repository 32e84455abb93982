/*
 * fuse_compiled.c: the table of programs with their own kernels, which programs get one, and launching them.
 */
#include "fuse/cuda/fuse_compiled.h"
#include "jit/jit.h"
#include "fuse/cuda/fuse_generate.h"

enum {
    BUCKETS = 1024,
    MOST_PROGRAMS = 4096, /* programs in the table. One is compiled after */
    WARM_RUNS = 2,        /* runs of at least */
    WARM_SIZE = 1000000,  /* elements; or */
    OFTEN = 50,           /* runs of any size; or one run of at least */
    LONG_PROGRAM = 48,    /* instructions and */
    LONG_SIZE = 100000,   /* elements */
};

/* What determines a kernel's text. */
typedef struct program_key {
    int count, operands, constants, parameters, reductions;
    bool contract;
    uint8_t reduction[GNDI_FUSE_REDUCTIONS][3]; /* reducer, finish, loop */
    uint8_t operand[GNDI_FUSE_OPERANDS];        /* dtype, in the high bits whether stored, whether in memory */
    gndi_fused_layout layout;
} program_key;

typedef enum program_state { COLD, WAITING, READY, FAILED } program_state;

typedef struct program {
    gndi_device *device;
    uint64_t hash;
    program_key key;
    gndi_fuse_code *code;
    program_state state;
    int runs, large_runs; /* counted while it is COLD */
    gndi_jit_job *job;
    gndi_jit_module *module;
    gndi_jit_function function;
    struct program *next;
} program;

static struct {
    gndi_lock lock;
    program *bucket[BUCKETS];
    int count;
} programs;

/* ---- the table ------------------------------------------------------------------------------ */

static bool key_of(const gndi_fuse_plan *plan, program_key *key) {
    memset(key, 0, sizeof *key);
    if (!gndi_fused_layout_of(plan, &key->layout)) return false;
    key->count = plan->count, key->operands = plan->operands;
    key->constants = plan->constants, key->parameters = plan->parameters;
    key->contract = plan->contract, key->reductions = plan->reductions;
    for (int k = 0; k < plan->reductions; k++) {
        const gndi_fuse_reduction *r = &plan->reduction[k];
        key->reduction[k][0] = r->reducer, key->reduction[k][1] = r->finish;
        key->reduction[k][2] = r->loop;
    }
    for (int k = 0; k < plan->operands; k++)
        key->operand[k] =
            (uint8_t)(plan->operand[k].dtype | (plan->operand[k].store ? 64 : 0) | (plan->operand[k].data ? 128 : 0));
    return true;
}

static uint64_t hash_of(const gndi_fuse_plan *plan, const program_key *key) {
    return gndi_hash(plan->code, (size_t)plan->count * sizeof *plan->code, gndi_hash(key, sizeof *key, 0));
}

/* Under the lock. */
static program *find(const gndi_device *device, uint64_t hash, const program_key *key, const gndi_fuse_plan *plan) {
    for (program *p = programs.bucket[hash % BUCKETS]; p; p = p->next)
        if (p->hash == hash && p->device == device && memcmp(&p->key, key, sizeof *key) == 0 &&
            memcmp(p->code, plan->code, (size_t)plan->count * sizeof *plan->code) == 0)
            return p;
    return NULL;
}

/* Under the lock: drops the programs that have no kernel and are not being compiled. */
static void forget_cold(void) {
    for (int i = 0; i < BUCKETS; i++)
        for (program **at = &programs.bucket[i]; *at;) {
            program *p = *at;
            if (p->state == COLD || p->state == FAILED) {
                *at = p->next;
                gndi_free(p->code);
                gndi_free(p);
                programs.count--;
            } else {
                at = &p->next;
            }
        }
}

/* Under the lock. Kernels are never unloaded, since CUDA graphs may hold them; so their number is limited. */
static program *add(gndi_device *device, uint64_t hash, const program_key *key, const gndi_fuse_plan *plan) {
    const size_t bytes = (size_t)plan->count * sizeof *plan->code;
    if (programs.count >= MOST_PROGRAMS) forget_cold();
    if (programs.count >= MOST_PROGRAMS) return NULL;
    program *p = gndi_calloc(NULL, sizeof *p);
    gndi_fuse_code *code = p ? gndi_malloc(NULL, bytes) : NULL;
    if (!code) {
        gndi_free(p);
        return NULL;
    }
    memcpy(code, plan->code, bytes);
    p->device = device, p->hash = hash, p->key = *key, p->code = code;
    p->next = programs.bucket[hash % BUCKETS];
    programs.bucket[hash % BUCKETS] = p;
    programs.count++;
    return p;
}

/* ---- compiling ------------------------------------------------------------------------------ */

/* Under the lock. */
static void settle(program *p, gndi_jit_module *module) {
    p->module = module;
    p->state = module && !gndi_jit_find(NULL, module, "gnd_fused", &p->function) ? READY : FAILED;
}

static bool is_hot(const gndi_fuse_plan *plan, const program *p) {
    return p->runs >= OFTEN || p->large_runs >= WARM_RUNS || (plan->count >= LONG_PROGRAM && plan->size >= LONG_SIZE);
}

/* Under the lock: has a program compiled in the background once it is worth it, and checks whether that is done. */
static void advance(program *p, const gndi_fuse_plan *plan, bool count) {
    gndi_jit_module *module;
    if (p->state == COLD && count) {
        p->runs++;
        if (plan->size >= WARM_SIZE) p->large_runs++;
        if (!is_hot(plan, p)) return;
        gndi_text text = {0};
        gndi_fused_text(plan, &p->key.layout, &text);
        const gndi_jit_source source = gndi_fused_source(&text);
        if (!text.failed) p->job = gndi_jit_background(p->device, &source);
        gndi_text_free(&text);
        if (p->job)
            p->state = WAITING;
        else
            p->runs = p->large_runs = 0; /* tried again later */
    } else if (p->state == WAITING && gndi_jit_done(p->job, &module)) {
        p->job = NULL;
        settle(p, module);
    }
}

/* Without the lock, and without raising: after a failure the caller uses the interpreter. */
static gndi_jit_module *compile_now(gndi_device *device, const gndi_fuse_plan *plan, const gndi_fused_layout *layout) {
    gndi_text text = {0};
    gndi_jit_module *module = NULL;
    gndi_fused_text(plan, layout, &text);
    const gndi_jit_source source = gndi_fused_source(&text);
    if (!text.failed) gndi_jit_compile(NULL, device, &source, &module);
    gndi_text_free(&text);
    return module;
}

/* ---- running -------------------------------------------------------------------------------- */

static gnd_status launch(gnd_stream *s, const gndi_fuse_plan *plan, const gndi_fused_layout *layout,
                         const gndi_jit_function *function, const gndi_fused_box *box, const char *fn) {
    uint64_t words[GNDI_FUSED_WORDS];
    const int64_t blocks = gndi_fused_parameters(plan, layout, box, words);
    if (blocks == 0) {
        gndi_fused_box first = *box, second;
        gndi_fused_halve(layout, &first, &second);
        const gnd_status status = launch(s, plan, layout, function, &first, fn);
        return status ? status : launch(s, plan, layout, function, &second, fn);
    }
    const unsigned grid[3] = {(unsigned)blocks, 1, 1}, block[3] = {gndi_fused_threads(layout), 1, 1};
    void *arguments[] = {words};
    return gndi_jit_launch(fn, s, function, grid, block, 0, arguments);
}

/* The program's kernel, or NULL in `call` if it has none yet; counts the run. What a graph records is launched often,
   as it was recorded. */
static gndi_jit_function kernel_for(const gnd_stream *s, const gndi_fuse_plan *plan, const program_key *key) {
    gndi_device *device = s->device;
    const uint64_t hash = hash_of(plan, key);
    const bool now = plan->executor == GND_FUSE_COMPILE || s->capture;
    gndi_lock_take(&programs.lock);
    program *p = find(device, hash, key, plan);
    if (!p) p = add(device, hash, key, plan);
    if (p && now && p->state == WAITING) {
        gndi_lock_give(&programs.lock);
        gndi_jit_settle();
        gndi_lock_take(&programs.lock);
        p = find(device, hash, key, plan);
    } else if (p && now && p->state == COLD) {
        gndi_lock_give(&programs.lock);
        gndi_jit_module *module = compile_now(device, plan, &key->layout);
        gndi_lock_take(&programs.lock);
        p = find(device, hash, key, plan); /* it may have been dropped meanwhile */
        if (p && p->state == COLD)
            settle(p, module);
        else
            gndi_jit_release(module);
    }
    if (p) advance(p, plan, !now);
    const gndi_jit_function none = {0};
    const gndi_jit_function function = p && p->state == READY ? p->function : none;
    gndi_lock_give(&programs.lock);
    return function;
}

/* Whether neighbours in a row are neighbours in memory, as lanes that share a row read them. */
static bool is_dense_along_rows(const gndi_fuse_plan *plan) {
    for (int k = 0; k < plan->operands; k++) {
        const int64_t step = plan->stride[k][plan->ndim - 1];
        if (plan->operand[k].data && !plan->operand[k].store && step != 0 &&
            step != gndi_dtype_sizes[plan->operand[k].dtype])
            return false;
    }
    return true;
}

/* Maps can be compiled, and programs whose rows fit the registers of some lanes. Reductions along another axis than the
   fastest are left to the interpreter, which works by columns there. */
static bool may_compile(const gndi_fuse_plan *plan) {
    return plan->executor != GND_FUSE_INTERPRET &&
           (plan->shape_of != GNDI_FUSE_REDUCE_ONLY || plan->ndim == 0 || is_dense_along_rows(plan));
}

gnd_status gndi_cuda_compiled_run(gnd_stream *s, const gndi_fuse_plan *plan, const char *fn, bool *done) {
    program_key key;
    *done = false;
    if (!may_compile(plan) || !key_of(plan, &key)) return GND_OK;
    const gndi_jit_function function = kernel_for(s, plan, &key);
    if (!function.call) return GND_OK;
    *done = true;
    const gndi_fused_box all = gndi_fused_all(plan, &key.layout);
    return launch(s, plan, &key.layout, &function, &all, fn);
}

bool gndi_cuda_compiled_ready(gnd_stream *s, const gndi_fuse_plan *plan) {
    program_key key;
    if (!may_compile(plan) || !key_of(plan, &key)) return false;
    const uint64_t hash = hash_of(plan, &key);
    gndi_lock_take(&programs.lock);
    const program *p = find(s->device, hash, &key, plan);
    const bool ready = p && p->state == READY;
    gndi_lock_give(&programs.lock);
    return ready;
}
