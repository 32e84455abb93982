/*
 * generated.h: plans of fused programs for tests of the kernels that are generated of them, compiled by NVRTC, or run
 * on the host.
 */
#ifndef GND_TESTS_GENERATED_H
#define GND_TESTS_GENERATED_H

#define _GNU_SOURCE
#include "fuse/cuda/fuse_generate_parts.h"
#include "jit_hooks.h"
#include "tap.h"
#include <unistd.h>

/* ---- what the generator makes ----------------------------------------------------------------- */

/* Compiles a plan's kernel with NVRTC, for an architecture. The size of its machine code; 0 and an error if it fails,
   0 alone if there is no kernel for the plan. Architecture 0: the text's size. */
static inline size_t fuse_compiles(const gndi_fuse_plan *plan, int architecture) {
    gndi_fused_layout layout;
    gndi_text text = {0};
    if (!gndi_fused_layout_of(plan, &layout)) return 0;
    gndi_fused_text(plan, &layout, &text);
    const gndi_jit_source source = gndi_fused_source(&text);
    size_t bytes = text.failed ? 0 : text.length;
    if (bytes && architecture) bytes = gndi_jit_nvrtc_size("gndi_fused", architecture, &source);
    gndi_text_free(&text);
    return bytes;
}

/* The kernel's text, up to `capacity` bytes, its parameters, and how many blocks of how many threads there are. The
   bytes that the text needs; 0 if there is no kernel for the plan. */
static size_t fuse_kernel(const gndi_fuse_plan *plan, char *text, size_t capacity, uint64_t *words, int *blocks,
                          int *threads) {
    gndi_fused_layout layout;
    gndi_text all = {0};
    if (!gndi_fused_layout_of(plan, &layout)) return 0;
    gndi_fused_text(plan, &layout, &all);
    const gndi_fused_box box = gndi_fused_all(plan, &layout);
    const size_t bytes = all.failed ? 0 : all.length + 1;
    if (bytes && bytes <= capacity) memcpy(text, all.data, bytes);
    *blocks = (int)gndi_fused_parameters(plan, &layout, &box, words);
    *threads = (int)gndi_fused_threads(&layout);
    gndi_text_free(&all);
    return bytes;
}

static int launches_of(const gndi_fuse_plan *plan, const gndi_fused_layout *layout, const gndi_fused_box *box,
                       int64_t *elements) {
    uint64_t words[GNDI_FUSED_WORDS];
    if (gndi_fused_parameters(plan, layout, box, words) == 0) {
        gndi_fused_box first = *box, second;
        gndi_fused_halve(layout, &first, &second);
        return launches_of(plan, layout, &first, elements) + launches_of(plan, layout, &second, elements);
    }
    int64_t size = 1;
    for (int i = 0; i < layout->axes; i++) size *= box->shape[i];
    *elements += size;
    return 1;
}

/* How many launches the plan's kernel takes, and of how many elements together. */
static inline int fuse_launches(const gndi_fuse_plan *plan, int64_t *elements) {
    gndi_fused_layout layout;
    *elements = 0;
    if (!gndi_fused_layout_of(plan, &layout)) return 0;
    const gndi_fused_box box = gndi_fused_all(plan, &layout);
    return launches_of(plan, &layout, &box, elements);
}

/* ---- plans ------------------------------------------------------------------------------------ */

/* The table, as a plan's maker sees it. */
typedef struct op_row {
    const char *name, *signature;
    uint32_t loops;
    int flags;
} op_row;
static const op_row rows[] = {
#define OP(family, name, signature, loops, identity, flags) {#name, #signature, loops, flags},
#include "kernels/ops/ops.def"
#undef OP
};

static inline int dtype_of(char letter, int loop) {
    switch (letter) {
    case 'B': return GND_BOOL;
    case 'I': return GND_INT64;
    case 'U': return GND_UINT64;
    case 'N': return GND_INT32;
    case 'H': return GND_UINT8;
    case 'R': return loop == GND_COMPLEX64 ? GND_FLOAT32 : loop == GND_COMPLEX128 ? GND_FLOAT64 : loop;
    default: return loop;
    }
}

static const int sizes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8, 8, 16};

/* ---- making plans --------------------------------------------------------------------------- */

static gndi_fuse_plan plan;
static _Alignas(64) char memory[64];
static bool misaligned; /* operands that begin where no vector does */

static inline void begin_plan(void) {
    memset(&plan, 0, sizeof plan);
    plan.ndim = plan.kept = 1;
    plan.size = plan.rows = plan.shape[0] = 1 << 20;
    plan.length = 1, plan.contiguous = true;
}

static inline int add_code(int kind, int dtype, int at) {
    plan.code[plan.count] = (gndi_fuse_code){.kind = (uint8_t)kind,
                                             .dtype = (uint8_t)dtype,
                                             .at = (uint16_t)at,
                                             .in = {GNDI_FUSE_NONE, GNDI_FUSE_NONE, GNDI_FUSE_NONE}};
    return plan.count++;
}

/* Dense to begin with. */
static inline int add_array(int dtype, bool store) {
    const int k = plan.operands++;
    plan.operand[k] = (gndi_fuse_operand){memory + (misaligned ? sizes[dtype] : 0), (uint8_t)dtype, store};
    int64_t step = sizes[dtype];
    for (int i = plan.ndim - 1; i >= 0; i--) plan.stride[k][i] = step, step *= plan.shape[i];
    return k;
}

static inline int load_of(int dtype) {
    for (int i = 0; i < plan.count; i++)
        if (plan.code[i].kind == GNDI_FUSE_LOAD && plan.code[i].dtype == dtype) return i;
    return add_code(GNDI_FUSE_LOAD, dtype, add_array(dtype, false));
}

static inline void store(int value) {
    const int dtype = plan.code[value].dtype;
    const int i = add_code(GNDI_FUSE_STORE, dtype, add_array(dtype, true));
    plan.code[i].in[0] = (uint16_t)value;
}

/* Operator `op` of these values; its first result. */
static inline int add_op(int op, int loop, const int *values) {
    const char *letters = rows[op].signature, *out = strchr(letters, '_') + 1;
    const int i = add_code(GNDI_FUSE_OP, dtype_of(*out, loop), 0);
    plan.code[i].op = (uint8_t)op, plan.code[i].loop = (uint8_t)loop;
    if (rows[op].flags & PARAMS) {
        plan.code[i].at = (uint16_t)plan.parameters;
        plan.params[plan.parameters++][0] = 1;
    }
    for (int k = 0; letters[k] != '_'; k++) plan.code[i].in[k] = (uint16_t)values[k];
    return i;
}

static inline int second_of(int value) {
    const gndi_fuse_code *c = &plan.code[value];
    const int i = add_code(GNDI_FUSE_SECOND, dtype_of(strchr(rows[c->op].signature, '_')[2], c->loop), 0);
    plan.code[i].in[0] = (uint16_t)value;
    return i;
}

/* For a GPU to come NVRTC makes PTX, which takes half the time. */
enum { PTX = 999, HOPPER = 90 };

/* NVRTC is none of gnd's code: where sanitizers look on, most kernels are only written. */
static inline bool compiles(int architecture) {
#if defined(__SANITIZE_ADDRESS__)
    static int number;
    if (number++ % 12) architecture = 0;
#endif
    const bool made = fuse_compiles(&plan, architecture) > 0;
    if (!made) printf("# %s\n", gnd_error() ? gndi_jit_log() : "there is no kernel for it");
    gnd_error_clear();
    return made;
}

static inline bool nvrtc_is_missing(void) {
    setenv("GND_CACHE", "off", 1);
    if (!gnd_library_load("NVRTC")) return false;
    gnd_error_clear();
    return true;
}
static const char missing[] = "there is no NVRTC (libnvrtc of the CUDA toolkit) on this machine";

/* ---- on the host ----------------------------------------------------------------------------- */

/* Just enough of CUDA for kernels whose threads share nothing. */
static const char host_words[] =
    "#include <math.h>\n#include <string.h>\n"
    "struct uint2 { unsigned x, y; };\nstruct uint4 { unsigned x, y, z, w; };\n"
    "static struct { unsigned x; } threadIdx, blockIdx;\n"
    "#define __global__\n#define __grid_constant__\n#define __launch_bounds__(n)\n"
    "static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned long)a * b >> 32; }\n"
    "static int min(int a, int b) { return a < b ? a : b; }\n";
static const char host_run[] = "extern \"C\" void run(const void *p, int blocks, int threads) {\n"
                               "    for (blockIdx.x = 0; blockIdx.x < blocks; blockIdx.x++)\n"
                               "        for (threadIdx.x = 0; threadIdx.x < threads; threadIdx.x++)\n"
                               "            gnd_fused(*(const gnd::program::parameters *)p);\n}\n";

static inline bool run_on_host(void) {
    static char text[1 << 16], all[1 << 17];
    static const char *const options[] = {"-O0"};
    uint64_t words[GNDI_FUSED_WORDS];
    int blocks, threads;
    const size_t length = fuse_kernel(&plan, text, sizeof text, words, &blocks, &threads);
    if (length == 0 || length > sizeof text) return false;
    snprintf(all, sizeof all, "%s%s%s", host_words, text, host_run);
    const gndi_jit_source source = {
        .text = all, .name = "gnd_fused", .names = options, .options = options, .option_count = 1};
    gndi_jit_module *module;
    size_t bytes;
    void (*run)(const void *, int, int);
    void *address = jit_host("gnd_test", &source, "run", &bytes, &module);
    memcpy(&run, &address, sizeof run);
    if (address) run(words, blocks, threads);
    gndi_jit_release(module);
    return address != NULL;
}

#endif
