/*
 * run.c: finds the code for a call among what the kernel has compiled, or generates and compiles it, and
 * launches it on the current stream.
 */
#include "user_kernel/reduction.h"
#include "runtime/traced.h"
#include <stdio.h>

bool gndi_kernel_on_gpu(const gndi_kernel_call *c) {
    return c->stream->device->id.kind == GND_GPU;
}

/* ---- variants -------------------------------------------------------------------------------- */

enum { KEY_BYTES = 16 + 8 * GNDI_KERNEL_PARAMS };

/* All that the text depends on, besides the kernel. */
static size_t make_key(const gndi_kernel_call *c, uint8_t *key) {
    const bool reduction = c->kernel->kind == GNDI_KERNEL_REDUCTION;
    const gndi_reduction_layout layout = reduction ? gndi_reduction_layout_of(c) : GNDI_REDUCTION_ANY;
    /* The axis along which text tells operands that stay where they are from those that go on. */
    const int axis = reduction ? c->ndim - c->reduced - (layout == GNDI_REDUCTION_DENSE_COLUMNS) : 0;
    const bool tells = c->contiguous || layout == GNDI_REDUCTION_DENSE_COLUMNS || layout == GNDI_REDUCTION_DENSE_ROWS;
    size_t n = 0;
    key[n++] = (uint8_t)c->ndim, key[n++] = (uint8_t)c->reduced;
    key[n++] = (uint8_t)(c->contiguous | (c->size <= INT32_MAX) << 1), key[n++] = (uint8_t)layout;
    for (int j = 0; j < c->count; j++) {
        const gndi_kernel_operand *x = &c->operand[j];
        key[n++] = (uint8_t)x->type, key[n++] = (uint8_t)x->stored;
        key[n++] = (uint8_t)((x->array != NULL) | x->dense << 1 | (tells && c->stride[j][axis] == 0) << 2);
        key[n++] = (uint8_t)x->ndim;
    }
    for (int v = 0; v < c->kernel->variables; v++) key[n++] = (uint8_t)c->bound[v];
    return n;
}

static gnd_status compile_text(const gndi_kernel_call *c, bool gpu, gndi_jit_module **module) {
    const gnd_kernel *k = c->kernel;
    gndi_text text = {0};
    if (k->kind == GNDI_KERNEL_REDUCTION)
        gndi_kernel_generate_reduction(&text, c, gpu);
    else
        gndi_kernel_generate(&text, c, gpu);
    gnd_status status = gndi_text_complete(&text, c->fn) ? GND_OK : GND_ERROR_MEMORY;
    const gndi_jit_source source = {.text = text.data, .name = k->name, .contract = k->contract};
    if (!status && module)
        status = gndi_jit_compile(c->fn, c->stream->device, &source, module);
    else if (!status && !gndi_jit_nvrtc_size(c->fn, gndi_kernel_tested_architecture(), &source))
        status = gndi_ew_pending();
    gndi_text_free(&text);
    return status;
}

static gnd_status compile(gndi_kernel_call *c, gndi_kernel_variant *v) {
    const gnd_kernel *k = c->kernel;
    char main[2 * GNDI_KERNEL_NAME], finish[2 * GNDI_KERNEL_NAME];
    gnd_status status = compile_text(c, gndi_kernel_on_gpu(c), &v->module);
    if (!status && gndi_kernel_tested_architecture()) status = compile_text(c, true, NULL);
    snprintf(main, sizeof main, "gnd_kernel_%s", k->name);
    snprintf(finish, sizeof finish, "gnd_finish_%s", k->name);
    if (!status) status = gndi_jit_find(c->fn, v->module, main, &v->main);
    if (!status && k->kind == GNDI_KERNEL_REDUCTION) status = gndi_jit_find(c->fn, v->module, finish, &v->finish);
    return status;
}

static gndi_kernel_variant *find(const gndi_kernel_call *c, const uint8_t *key, size_t bytes) {
    gndi_kernel_variant *v = c->kernel->variants;
    while (v && !(v->device == c->stream->device && v->key_bytes == bytes && memcmp(v->key, key, bytes) == 0))
        v = v->next;
    return v;
}

gnd_status gndi_kernel_compiled(gndi_kernel_call *c, const gndi_kernel_variant **variant) {
    gnd_kernel *k = c->kernel;
    uint8_t key[KEY_BYTES];
    const int words = gndi_kernel_word_count(c) + c->ndim + GNDI_KERNEL_MORE_WORDS;
    if (words > GNDI_KERNEL_WORDS)
        return gndi_raise(GND_ERROR_SHAPE, c->fn,
                          "%s: a launch takes %d numbers, and the sizes and strides of its arrays "
                          "are %d; arrays of fewer dimensions would be right",
                          k->name, GNDI_KERNEL_WORDS, words);
    const size_t bytes = make_key(c, key);
    gndi_lock_take(&k->lock);
    gndi_kernel_variant *v = find(c, key, bytes);
    gndi_lock_give(&k->lock);
    if (!v) {
        gndi_kernel_variant *made = gndi_calloc(c->fn, sizeof *made + bytes);
        if (!made) return GND_ERROR_MEMORY;
        made->device = c->stream->device, made->key_bytes = bytes;
        memcpy(made->key, key, bytes);
        gnd_status status = compile(c, made);
        if (status) {
            gndi_jit_release(made->module);
            gndi_free(made);
            return status;
        }
        gndi_lock_take(&k->lock);
        v = find(c, key, bytes); /* another thread may have been as quick */
        if (!v) made->next = k->variants, k->variants = v = made;
        gndi_lock_give(&k->lock);
        if (v != made) gndi_jit_release(made->module), gndi_free(made);
    }
    *variant = v;
    return GND_OK;
}

/* ---- launches -------------------------------------------------------------------------------- */

gnd_status gndi_kernel_order(gndi_kernel_call *c) {
    gnd_status status = GND_OK;
    for (int j = 0; j < c->count && !status; j++)
        if (c->operand[j].array && !c->operand[j].written)
            status = gndi_order_read(c->stream, c->operand[j].array->buffer, c->fn);
    for (int j = 0; j < c->count && !status; j++)
        if (c->operand[j].array && c->operand[j].written)
            status = gndi_order_write(c->stream, c->operand[j].array->buffer, c->fn);
    return status;
}

void gndi_note_thrown(gndi_thrown *t, const char *text) {
    if (!atomic_exchange(&t->any, true)) snprintf(t->text, sizeof t->text, "%s", text);
}

gnd_status gndi_raise_thrown(const char *fn, const char *kernel, const gndi_thrown *t) {
    return gndi_raise(GND_ERROR_VALUE, fn, "%s threw an exception: %s", kernel, t->text);
}

typedef struct host_run {
    gndi_kernel_host *call;
    const int64_t *words;
    gndi_thrown thrown;
} host_run;

static void run_piece(void *context, int64_t begin, int64_t end) {
    host_run *run = context;
    char text[GNDI_KERNEL_THROWN];
    if (!gndi_has_thrown(&run->thrown) && run->call(run->words, begin, end, text)) gndi_note_thrown(&run->thrown, text);
}

gnd_status gndi_kernel_run_host(const gndi_kernel_call *c, void *call, const int64_t *words, int64_t n, int64_t grain) {
    const gnd_status recording =
        gndi_check_not_recording(c->stream, "kernels of your own are not listed on the CPU", c->fn);
    if (recording) return recording;
    host_run run = {NULL, words, {.any = false}};
    memcpy(&run.call, &call, sizeof call); /* ISO C has no cast from data to functions */
    gndi_parallel_for(n, grain, run_piece, &run);
    return gndi_has_thrown(&run.thrown) ? gndi_raise_thrown(c->fn, c->kernel->name, &run.thrown) : GND_OK;
}

static gnd_status launch_gpu(gndi_kernel_call *c, const gndi_kernel_variant *v, int64_t *words) {
    const int lanes = c->kernel->lanes;
    const int64_t each = lanes ? 1 : c->contiguous ? 1024 : 256, needed = (c->size + each - 1) / each;
    const unsigned grid[3] = {(unsigned)(needed < INT32_MAX ? needed : INT32_MAX), 1, 1},
                   block[3] = {lanes ? (unsigned)lanes : 256, 1, 1};
    void *arguments[] = {words};
    gndi_user_kernel_note(c->kernel->name);
    return gndi_jit_launch(c->fn, c->stream, &v->main, grid, block, 0, arguments);
}

gnd_status gndi_kernel_run(gndi_kernel_call *c) {
    GNDI_RANGE(c->fn);
    const gndi_kernel_variant *v;
    int64_t words[GNDI_KERNEL_WORDS];
    gnd_status status = gndi_kernel_compiled(c, &v);
    if (!status) status = gndi_kernel_order(c);
    if (status) return status;
    gndi_kernel_words(c, words);
    if (gndi_kernel_on_gpu(c))
        status = launch_gpu(c, v, words);
    else /* cores are longer than elements */
        status = gndi_kernel_run_host(c, v->main.call, words, c->size, c->kernel->kind == GNDI_KERNEL_CORES ? 1 : 1024);
    if (status) return status;
    gndi_submitted(c->stream);
    return gndi_finish(c->stream, c->fn);
}
