/*
 * program.c: programs and their tables. Leaves, constants and shapes that are already in a table are reused,
 * so that the same memory is read once. All programs are in a list, so that any thread can settle any array.
 *
 * One lock is held while operations are recorded or submitted. It is recursive: submitting one program can require
 * memory that another one will write.
 */
#include "core/loose.h"
#include "fuse/fuse.h"
#include "elementwise/elementwise.h"

fuse_program *gndi_fuse_programs;
static gndi_lock lock;

void gndi_fuse_lock(void) {
    gndi_lock_take_again(&lock);
}

void gndi_fuse_unlock(void) {
    gndi_lock_give_again(&lock);
}

gnd_fuse_thread gndi_fuse_no_thread;

void gndi_fuse_blocks_submit(void) {
    gndi_thread *const tls = gndi_this_thread();
    tls->most_in_block = UINT64_MAX;
    for (gndi_scope *s = tls->scope; s; s = s->parent)
        if (s->fuses) s->fuses = &gndi_fuse_no_thread;
}

/* ---- tables ----------------------------------------------------------------------------------- */

uint16_t gndi_fuse_space(fuse_program *p, int ndim, const int64_t *shape) {
    for (int i = p->spaces - 1; i >= 0; i--)
        if (p->space[i].ndim == ndim &&
            (ndim == 0 || memcmp(p->space[i].shape, shape, (size_t)ndim * sizeof *shape) == 0))
            return (uint16_t)i;
    fuse_space *space = &p->space[p->spaces];
    space->ndim = ndim, space->size = 1;
    for (int i = 0; i < ndim; i++) space->shape[i] = shape[i], space->size *= shape[i];
    return (uint16_t)p->spaces++;
}

uint16_t gndi_fuse_node(fuse_program *p, gndi_fuse_kind kind, gnd_dtype dtype, uint16_t space) {
    fuse_node *n = &p->node[p->nodes];
    n->kind = (uint8_t)kind, n->op = 0, n->loop = (uint8_t)dtype, n->dtype = (uint8_t)dtype;
    n->in[0] = n->in[1] = n->in[2] = FUSE_NOTHING;
    n->at = FUSE_NOTHING, n->space = space, n->memory = FUSE_NOTHING;
    n->array = NULL;
    return (uint16_t)p->nodes++;
}

/* A node for a number, the one element of a 0-d space. */
uint16_t gndi_fuse_constant(fuse_program *p, const gndi_scalar *value, gnd_dtype dtype) {
    const size_t bytes = gndi_dtype_sizes[dtype];
    for (int i = 0; i < p->nodes; i++)
        if (p->node[i].kind == GNDI_FUSE_CONST && p->node[i].dtype == dtype && p->space[p->node[i].space].ndim == 0 &&
            memcmp(&p->constant[p->node[i].at], value, bytes) == 0)
            return (uint16_t)i;
    const uint16_t node = gndi_fuse_node(p, GNDI_FUSE_CONST, dtype, gndi_fuse_space(p, 0, NULL));
    memset(&p->constant[p->constants], 0, sizeof *p->constant);
    memcpy(&p->constant[p->constants], value, bytes);
    p->node[node].at = (uint16_t)p->constants++;
    return node;
}

uint16_t gndi_fuse_cast(fuse_program *p, uint16_t node, gnd_dtype dtype) {
    if (p->node[node].dtype == dtype) return node;
    for (int i = node + 1; i < p->nodes; i++)
        if (p->node[i].kind == GNDI_FUSE_CAST && p->node[i].in[0] == node && p->node[i].dtype == dtype)
            return (uint16_t)i;
    const uint16_t cast = gndi_fuse_node(p, GNDI_FUSE_CAST, dtype, p->node[node].space);
    p->node[cast].in[0] = node;
    return cast;
}

/* ---- memory that is read -------------------------------------------------------------------- */

static bool same_elements(const fuse_program *p, uint16_t space, const int64_t *strides, const gnd_array *x) {
    const fuse_space *s = &p->space[space];
    if (s->ndim != x->ndim) return false;
    for (int i = 0; i < x->ndim; i++)
        if (s->shape[i] != x->shape[i] || (x->shape[i] != 1 && strides[i] != x->strides[i])) return false;
    return true;
}

fuse_target *gndi_fuse_target_of(fuse_program *p, const gnd_array *x) {
    for (int i = 0; i < p->targets; i++) {
        fuse_target *t = &p->target[i];
        if (t->node != FUSE_NOTHING && t->buffer == x->buffer && t->data == x->data && t->dtype == x->dtype &&
            same_elements(p, t->space, t->strides, x))
            return t;
    }
    return NULL;
}

/* A leaf for memory: bool memory with arbitrary bytes is read as bytes. */
static uint16_t leaf_of(fuse_program *p, const gnd_array *x, const char *fn) {
    const gnd_dtype dtype = gndi_is_loose(x) ? GND_UINT8 : (gnd_dtype)x->dtype;
    for (int i = 0; i < p->nodes; i++) {
        const fuse_node *n = &p->node[i];
        if (n->kind != GNDI_FUSE_LOAD) continue;
        const fuse_leaf *l = &p->leaf[n->at];
        if (l->buffer == x->buffer && l->data == x->data && l->dtype == dtype &&
            same_elements(p, l->space, l->strides, x))
            return (uint16_t)i;
    }
    if (gndi_order_read(p->stream, x->buffer, fn)) return FUSE_NOTHING;
    fuse_leaf *l = &p->leaf[p->leaves];
    l->buffer = x->buffer, l->data = x->data, l->dtype = (uint8_t)dtype;
    l->space = gndi_fuse_space(p, x->ndim, x->shape);
    for (int i = 0; i < x->ndim; i++) l->strides[i] = x->strides[i];
    gndi_buffer_retain(x->buffer);
    atomic_fetch_or_explicit(&x->buffer->readers, GNDI_PENDING_READER, memory_order_acq_rel);
    const uint16_t node = gndi_fuse_node(p, GNDI_FUSE_LOAD, dtype, l->space);
    p->node[node].at = (uint16_t)p->leaves++;
    return node;
}

uint16_t gndi_fuse_value(fuse_program *p, const gnd_array *x, const char *fn) {
    if (x->flags & GNDI_PENDING) return (uint16_t)x->buffer->bytes;
    const fuse_target *t = gndi_fuse_target_of(p, x);
    const uint16_t node = t ? t->node : leaf_of(p, x, fn);
    return node == FUSE_NOTHING ? node : gndi_fuse_cast(p, node, (gnd_dtype)x->dtype);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* Whether a program other than p will read this memory. */
static bool read_elsewhere(const fuse_program *p, const gndi_buffer *b) {
    for (const fuse_program *other = gndi_fuse_programs; other; other = other->next)
        for (int i = 0; other != p && i < other->leaves; i++)
            if (other->leaf[i].buffer == b) return true;
    return false;
}

void gndi_fuse_reset(fuse_program *p) {
    for (int i = 0; i < p->leaves + p->temporaries; i++) {
        gndi_buffer *b = p->leaf[i].buffer;
        if (i < p->leaves && !read_elsewhere(p, b))
            atomic_fetch_and_explicit(&b->readers, ~GNDI_PENDING_READER, memory_order_acq_rel);
    }
    for (int i = 0; i < p->leaves + p->temporaries; i++) gndi_buffer_release(p->leaf[i].buffer);
    for (int i = 0; i < p->targets; i++) gndi_buffer_release(p->target[i].buffer);
    p->nodes = p->operators = p->leaves = p->temporaries = p->spaces = 0;
    p->targets = p->constants = p->parameters = p->reductions = 0;
}
