/*
 * launch.c: gnd_launch: arguments against the parameters of a __global__ function, and the launch
 * itself; on the CPU blocks go over the threads.
 */
#include "user_kernel/module.h"
#include "runtime/traced.h"
#include <stdio.h>

/* ---- arguments ------------------------------------------------------------------------------- */

/* gnd::array<T>, as user_types.h has it. */
typedef struct array_words {
    char *base;
    int64_t elements, dense, axes, sizes[GND_MAX_DIMS], strides[GND_MAX_DIMS];
} array_words;

typedef struct launch {
    const char *fn;
    const gnd_kernel *kernel;
    const gndi_module_function *function;
    gnd_stream *stream;
    const gnd_arg *args;
    union {
        gndi_scalar number;
        void *pointer;
        array_words *array;
    } value[GNDI_MODULE_PARAMS];
    void *address[GNDI_MODULE_PARAMS];
} launch;

static gnd_status wrong(const launch *l, gnd_status code, int k, const char *what) {
    return gndi_raise(code, l->fn, "%s: parameter %d is \"%s\", and %s is given", l->function->name, k + 1,
                      l->function->param[k].text, what);
}

static gnd_status no_array(const launch *l, int k) {
    char what[32];
    snprintf(what, sizeof what, "args[%d]", k);
    return gndi_raise_null(l->fn, what);
}

static gnd_status check_array(const launch *l, int k) {
    const gndi_module_param *p = &l->function->param[k];
    const gnd_arg arg = l->args[k];
    if (arg.kind != GND_ARG_ARRAY) return wrong(l, GND_ERROR_DTYPE, k, "a number");
    if (gndi_missing(arg.array)) return no_array(l, k);
    const gnd_array *a = arg.array;
    if (p->dtype && a->dtype != p->dtype && a->dtype != p->other)
        return wrong(l, GND_ERROR_DTYPE, k, gndi_text_array(a));
    if (p->kind == GNDI_PARAM_POINTER && !gndi_is_c_contiguous(a)) {
        char *what = gndi_text_buffer();
        snprintf(what, GNDI_TEXT_BYTES,
                 "%s that is not C-contiguous (gnd_ascontiguousarray copies; a parameter gnd::array<T> "
                 "takes any strides)",
                 gndi_text_array(a));
        return wrong(l, GND_ERROR_SHAPE, k, what);
    }
    if (p->written && a->flags & GNDI_READONLY)
        return wrong(l, GND_ERROR_INVALID, k, "a read-only array, a broadcast view");
    return GND_OK;
}

static gnd_status take_number(launch *l, int k) {
    const gndi_module_param *p = &l->function->param[k];
    const gnd_arg arg = l->args[k];
    if (arg.kind == GND_ARG_ARRAY && gndi_missing(arg.array)) return no_array(l, k);
    if (arg.kind == GND_ARG_ARRAY) return wrong(l, GND_ERROR_DTYPE, k, gndi_text_array(arg.array));
    if (arg.kind == GND_ARG_NONE || (unsigned)arg.kind > GND_ARG_COMPLEX)
        return wrong(l, GND_ERROR_INVALID, k, "nothing (GND_NONE)");
    if (!gndi_kernel_number_goes(arg, p->dtype))
        return wrong(l, GND_ERROR_DTYPE, k,
                     arg.kind == GND_ARG_COMPLEX ? "a complex number"
                     : arg.kind == GND_ARG_REAL  ? "a number with a fraction"
                                                 : "an integer");
    if (!gndi_scalar_from_arg(l->fn, arg, p->dtype, &l->value[k].number)) return gndi_ew_pending();
    l->address[k] = &l->value[k].number;
    return GND_OK;
}

static gnd_status check_arguments(launch *l, int count) {
    const gndi_module_function *f = l->function;
    const gnd_array *first = NULL;
    const char *called = NULL;
    gnd_status status = GND_OK;
    if (count != f->params || (count && !l->args))
        return gndi_raise(GND_ERROR_INVALID, l->fn, "%s takes %d arguments; %d were given", f->name, f->params, count);
    for (int k = 0; k < count && !status; k++) {
        if (f->param[k].kind == GNDI_PARAM_NUMBER) {
            status = take_number(l, k);
            continue;
        }
        status = check_array(l, k);
        if (status) break;
        const gnd_array *a = l->args[k].array;
        if (!first) first = a, called = f->param[k].text;
        status = gndi_check_together(l->fn, first, called, a, f->param[k].text);
    }
    if (status) return status;
    l->stream = first ? gndi_stream_on(first->buffer->device, l->fn) : gndi_stream_current(l->fn);
    return l->stream ? GND_OK : gndi_ew_pending();
}

static void fill_array(array_words *w, const gnd_array *a) {
    w->base = gndi_data(a);
    w->elements = a->size, w->dense = gndi_is_c_contiguous(a), w->axes = a->ndim;
    memcpy(w->sizes, a->shape, (size_t)a->ndim * sizeof *w->sizes);
    memcpy(w->strides, a->strides, (size_t)a->ndim * sizeof *w->strides);
}

/* Addresses of arrays, and their order: `arrays` has room for all gnd::array parameters. */
static gnd_status take_arrays(launch *l, array_words *arrays) {
    const gndi_module_function *f = l->function;
    gnd_status status = GND_OK;
    for (int k = 0; k < f->params; k++) {
        if (f->param[k].kind == GNDI_PARAM_POINTER) {
            l->value[k].pointer = gndi_data(l->args[k].array);
            l->address[k] = &l->value[k].pointer;
        } else if (f->param[k].kind == GNDI_PARAM_ARRAY) {
            fill_array(arrays, l->args[k].array);
            l->address[k] = arrays++;
        }
    }
    for (int written = 0; written < 2; written++)
        for (int k = 0; k < f->params && !status; k++)
            if (f->param[k].kind != GNDI_PARAM_NUMBER && f->param[k].written == written)
                status = (written ? gndi_order_write : gndi_order_read)(l->stream, l->args[k].array->buffer, l->fn);
    return status;
}

/* ---- sizes ----------------------------------------------------------------------------------- */

static gnd_status check_sizes(const launch *l, const unsigned *grid, const unsigned *block, size_t shared) {
    const uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    if (grid[0] == 0 || grid[0] > INT32_MAX || grid[1] > 65535 || grid[2] > 65535)
        return gndi_raise(GND_ERROR_INVALID, l->fn,
                          "%s: a grid of (%u, %u, %u) blocks; from (1, 1, 1) to (2147483647, 65535, 65535) "
                          "are possible",
                          l->function->name, grid[0], grid[1], grid[2]);
    if (block[0] == 0 || block[0] > 1024 || block[1] > 1024 || block[2] > 64 || threads > 1024)
        return gndi_raise(GND_ERROR_INVALID, l->fn,
                          "%s: blocks of (%u, %u, %u) threads; 1 to 1024 threads, 64 along z, are possible",
                          l->function->name, block[0], block[1], block[2]);
    if (shared > (227u << 10))
        return gndi_raise(GND_ERROR_INVALID, l->fn,
                          "%s: %zu bytes of shared memory; no GPU has more than 232448 for a block", l->function->name,
                          shared);
    return GND_OK;
}

static void sizes_of(gnd_dim3 d, unsigned *sizes) {
    sizes[0] = d.x, sizes[1] = d.y ? d.y : 1, sizes[2] = d.z ? d.z : 1;
}

/* ---- the CPU --------------------------------------------------------------------------------- */

/* As user_threads.h has it. */
typedef struct launch_words {
    unsigned grid[3], block[3];
    size_t shared;
    void **arguments;
} launch_words;

typedef int host_entry(const launch_words *l, long long from, long long to, char *thrown);
enum { WAITS_FOR_EVER = 1, NO_MEMORY, THREW }; /* what it gives back, if not 0 */

typedef struct host_launch {
    launch_words words;
    host_entry *entry;
    atomic_int problem;
    gndi_thrown thrown;
} host_launch;

static void run_blocks(void *context, int64_t from, int64_t to) {
    host_launch *h = context;
    char text[GNDI_KERNEL_THROWN];
    if (gndi_has_thrown(&h->thrown)) return;
    const int problem = h->entry(&h->words, from, to, text);
    if (problem == THREW)
        gndi_note_thrown(&h->thrown, text);
    else if (problem)
        atomic_store(&h->problem, problem);
}

static gnd_status launch_host(launch *l, const gndi_jit_function *code, const unsigned *grid, const unsigned *block,
                              size_t shared) {
    const gnd_status recording =
        gndi_check_not_recording(l->stream, "kernels of your own are not listed on the CPU", l->fn);
    if (recording) return recording;
    host_launch h = {.words = {.shared = shared, .arguments = l->address}};
    memcpy(h.words.grid, grid, sizeof h.words.grid);
    memcpy(h.words.block, block, sizeof h.words.block);
    memcpy(&h.entry, &code->call, sizeof h.entry); /* ISO C has no cast from data to functions */
    atomic_init(&h.problem, 0);
    gndi_parallel_for((int64_t)grid[0] * grid[1] * grid[2], 1, run_blocks, &h);
    const int problem = atomic_load(&h.problem);
    if (gndi_has_thrown(&h.thrown)) return gndi_raise_thrown(l->fn, l->function->name, &h.thrown);
    if (problem == WAITS_FOR_EVER)
        return gndi_raise(GND_ERROR_VALUE, l->fn,
                          "%s: threads of a block wait for each other at different barriers, for ever",
                          l->function->name);
    if (problem)
        return gndi_raise(GND_ERROR_MEMORY, l->fn, "%s: out of memory for the threads of a block", l->function->name);
    return GND_OK;
}

/* ---- the launch ------------------------------------------------------------------------------ */

static gnd_status submit(launch *l, const unsigned *grid, const unsigned *block, size_t shared) {
    GNDI_RANGE(l->fn);
    const gndi_module_function *f = l->function;
    gndi_jit_function code;
    int count = 0;
    gnd_status status = gndi_module_code(l->fn, f, l->stream->device, l->stream, &code);
    const unsigned threads = block[0] * block[1] * block[2];
    if (!status && code.max_threads > 0 && threads > (unsigned)code.max_threads)
        status = gndi_raise(GND_ERROR_INVALID, l->fn,
                            "%s: blocks of %u threads; with its %d registers a thread it can have %d", f->name, threads,
                            code.registers, code.max_threads);
    if (status) return status;
    for (int k = 0; k < f->params; k++) count += f->param[k].kind == GNDI_PARAM_ARRAY;
    array_words *arrays = gndi_malloc(l->fn, ((size_t)count + 1) * sizeof *arrays);
    status = arrays ? take_arrays(l, arrays) : GND_ERROR_MEMORY;
    const bool gpu = l->stream->device->id.kind == GND_GPU;
    if (!status && gpu) {
        gndi_user_kernel_note(f->name);
        status = gndi_jit_launch(l->fn, l->stream, &code, grid, block, shared, l->address);
    } else if (!status) {
        status = launch_host(l, &code, grid, block, shared);
    }
    gndi_free(arrays);
    gndi_submitted(l->stream);
    return status ? status : gndi_finish(l->stream, l->fn);
}

gnd_status gnd_launch(gnd_kernel *function, gnd_dim3 grid, gnd_dim3 block, size_t shared, int count,
                      const gnd_arg *args) {
    static const char fn[] = "gnd_launch";
    if (!function) {
        if (!gnd_error()) gndi_raise(GND_ERROR_INVALID, fn, "the function is NULL");
        return gndi_ew_pending();
    }
    if (function->kind != GNDI_KERNEL_LAUNCHED)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s is no function of a module: gnd_kernel_call takes it",
                          function->name);
    launch l = {.fn = fn, .kernel = function, .function = function->function, .args = args};
    unsigned blocks[3], threads[3];
    sizes_of(grid, blocks), sizes_of(block, threads);
    gnd_status status = check_sizes(&l, blocks, threads, shared);
    if (!status) status = check_arguments(&l, count);
    return status ? status : submit(&l, blocks, threads, shared);
}
