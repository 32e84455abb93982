/*
 * note.c: records what gnd_fuse_explain prints about each launch, when the launch is planned.
 */
#include "fuse/fuse.h"

/* Bytes that an operand loads or stores: each element once, however often it is broadcast. */
static int64_t bytes_of(const gndi_fuse_plan *plan, int k) {
    int64_t count = 1;
    for (int i = 0; i < plan->ndim; i++)
        if (plan->stride[k][i]) count *= plan->shape[i];
    return count * gndi_dtype_sizes[plan->operand[k].dtype];
}

void gndi_fuse_note(fuse_program *p, const gndi_fuse_plan *plan, const char *executor) {
    if (p->notes == FUSE_NOTES) return;
    fuse_note *note = &p->note[p->notes++];
    note->shape_of = plan->shape_of, note->executor = executor;
    note->ndim = plan->ndim, note->kept = plan->kept, note->count = plan->count;
    note->size = plan->size, note->rows = plan->rows, note->operands = plan->operands;
    memcpy(note->shape, plan->shape, (size_t)plan->ndim * sizeof note->shape[0]);
    memcpy(note->code, plan->code, (size_t)plan->count * sizeof note->code[0]);
    memcpy(note->constant, plan->constant, (size_t)plan->constants * sizeof note->constant[0]);
    memcpy(note->reduction, plan->reduction, (size_t)plan->reductions * sizeof note->reduction[0]);
    note->bytes = 0;
    for (int i = 0; i < plan->count; i++)
        if (plan->code[i].kind == GNDI_FUSE_LOAD || plan->code[i].kind == GNDI_FUSE_STORE)
            note->bytes += bytes_of(plan, plan->code[i].at);
}
