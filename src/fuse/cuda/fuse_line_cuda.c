/*
 * fuse_line_cuda.c: translates programs of the interpreter for the line interpreter, step by step, if it can run
 * them. Also a cache of recent launches of small maps, in which only pointers are patched.
 */
#include "kernels/cuda/divisor.h"
#include "fuse/cuda/fuse_launch.h"

#include <math.h>

enum {
    MANY = GNDI_LINE_MANY,
    LONG_ROW = 1 << 16, /* chunks */
};
_Static_assert((int)GNDI_LINE_DIVIDED == GNDI_FINISH_DIVIDE && (int)GNDI_LINE_ROOT == GNDI_FINISH_SQRT,
               "results are finished as the plan says");

typedef struct translator {
    const gndi_fuse_launch *l;
    gndi_line_launch *to;
    gndi_line_params *p; /* of that */
    int registers, arrays, threads;
    int log_size;                    /* of an element's bytes */
    bool rows;                       /* arrays also have a stride between rows, before the last one */
    uint8_t array[GNDI_FUSE_ARRAYS]; /* index in the line interpreter's arrays, plus 1 */
    gndi_line_step *acc_by;          /* the step that computed the accumulator */
} translator;

/* The line interpreter's operator; those with swapped operands are separate. */
static int line_operator(int op, bool of_bools) {
    static const uint8_t numbers[GNDI_OP_COUNT] = {
#define X(name) [GNDI_OP_##name] = GNDI_LINE_##name + 1,
        GNDI_LINE_OPERATORS(X)
#undef X
    };
    static const uint8_t bools[GNDI_OP_COUNT] = {
#define X(name) [GNDI_OP_##name] = GNDI_LINE_BOOL_##name + 1,
        GNDI_LINE_BOOLS(X)
#undef X
    };
    return (of_bools ? bools[op] : numbers[op]) - 1;
}
static int with_swapped_operands(int op) {
    switch (op) {
    case GNDI_LINE_add:
    case GNDI_LINE_multiply:
    case GNDI_LINE_equal:
    case GNDI_LINE_not_equal: return op;
    case GNDI_LINE_subtract: return GNDI_LINE_SUBTRACT_FROM;
    case GNDI_LINE_divide: return GNDI_LINE_DIVIDE_INTO;
    case GNDI_LINE_less: return GNDI_LINE_greater;
    case GNDI_LINE_less_equal: return GNDI_LINE_greater_equal;
    case GNDI_LINE_greater: return GNDI_LINE_less;
    case GNDI_LINE_greater_equal: return GNDI_LINE_less_equal;
    default: return -1;
    }
}

static uint32_t register_offset(const translator *t, int reg) {
    return (uint32_t)(reg * MANY * t->threads * 16) << 1 | 1;
}
static int add_splat(translator *t, const void *words) {
    gndi_line_params *p = t->p;
    for (int k = 0; k < p->splats; k++)
        if (memcmp(p->splat[k], words, 16) == 0) return k;
    if (p->splats == GNDI_LINE_SPLATS) return -1;
    memcpy(p->splat[p->splats], words, 16);
    return p->splats++;
}
/* Splats are behind the file, whose size is known only at the end: until then bit 31 marks their offsets. */
static uint32_t result_offset(int k) {
    return UINT32_C(1) << 31 | (uint32_t)k << 5;
}
static uint32_t splat_offset(const translator *t, int k) {
    return k < 0 ? 0 : result_offset(t->p->results + k);
}
static bool offset_of(translator *t, int from, uint32_t *offset) {
    if (from < GNDI_FUSE_REGISTERS) {
        *offset = register_offset(t, from);
    } else if (from < GNDI_FUSE_SPLAT) {
        *offset = result_offset(from - GNDI_FUSE_ROW);
    } else if (from >= GNDI_FUSE_SPLAT && from < GNDI_FUSE_ACC) {
        const int k = add_splat(t, t->l->program.splat[from - GNDI_FUSE_SPLAT]);
        *offset = splat_offset(t, k);
        return k >= 0;
    } else {
        return false;
    }
    return true;
}
static gndi_line_step *add_step(translator *t, int op) {
    gndi_line_params *p = t->p;
    if (p->steps == GNDI_LINE_STEPS) return NULL;
    gndi_line_step *s = &p->step[p->steps++];
    *s = (gndi_line_step){.op = (uint32_t)op};
    return s;
}
static void keep(const translator *t, gndi_line_step *s, int reg) {
    s->op |= GNDI_LINE_KEEPS | (uint32_t)(reg * MANY * t->threads) << 16;
}
/* The offset of a copy of the accumulator. */
static bool offset_of_acc(translator *t, uint32_t *offset) {
    if (!t->acc_by && !(t->acc_by = add_step(t, GNDI_LINE_NOTHING))) return false;
    if (!(t->acc_by->op & GNDI_LINE_KEEPS)) keep(t, t->acc_by, t->registers++);
    *offset = (t->acc_by->op >> 16) << 5 | 1;
    return true;
}

/* The line interpreter's index of array k; -1 if its elements do not have the layout that `access` needs. */
enum { EITHER, VECTORS, ROW };
static int line_array(translator *t, int k, int access) {
    const gndi_fuse_program *program = &t->l->program;
    const int64_t *stride = program->stride + k * t->l->params.head.axes;
    const bool same = stride[t->rows] == 0;
    if (same ? access == VECTORS : access == ROW || !program->vectors[k]) return -1;
    if (!t->array[k]) {
        if (t->arrays == GNDI_LINE_ARRAYS) return -1;
        t->p->array[t->arrays] = program->data[k], t->to->operand[t->arrays] = (uint8_t)k;
        t->p->row_stride[t->arrays] = t->rows ? stride[0] : 0;
        if (same) t->p->same |= 1u << t->arrays;
        t->array[k] = (uint8_t)++t->arrays;
    }
    return t->array[k] - 1;
}

/* Divisions of float32 by one number: by its reciprocal if it is known, and neither tiny nor huge. */
static void write_division(translator *t, const gndi_fuse_step *from, gndi_line_step *s) {
    if (from->b >= GNDI_FUSE_ROW && from->b < GNDI_FUSE_SPLAT) s->op = (s->op & ~0xFFu) | GNDI_LINE_DIVIDE_BY_RESULT;
    if (from->b < GNDI_FUSE_SPLAT || from->b >= GNDI_FUSE_ACC) return;
    float c[4] = {0};
    memcpy(c, t->l->program.splat[from->b - GNDI_FUSE_SPLAT], sizeof *c);
    if (!(c[0] > 0x1p-60f && c[0] < 0x1p60f)) return;
    c[1] = 1 / c[0];
    const int k = add_splat(t, c);
    if (k < 0) return;
    s->b = splat_offset(t, k);
    const int once = fabsf(fmaf(c[0], c[1], -1)) < 0x1p-25f;
    s->op = (s->op & ~0xFFu) | (once ? GNDI_LINE_DIVIDE_ONCE : GNDI_LINE_DIVIDE_TWICE);
}

static bool write_operator(translator *t, const gndi_fuse_step *from, int op, int nin) {
    uint32_t offset[3] = {0};
    const uint8_t in[3] = {from->a, from->b, from->c};
    int swapped = -1;
    if (nin == 2 && in[0] == GNDI_FUSE_ACC && in[1] == GNDI_FUSE_ACC && op == GNDI_LINE_multiply) {
        op = GNDI_LINE_square, nin = 1;
    } else if (nin == 2 && in[0] != GNDI_FUSE_ACC && in[1] == GNDI_FUSE_ACC) {
        swapped = with_swapped_operands(op);
    }
    if (swapped >= 0) {
        op = swapped;
        if (!offset_of(t, in[0], &offset[1])) return false;
    } else {
        for (int k = 0; k < nin; k++) {
            if (k == 0 && in[0] == GNDI_FUSE_ACC) continue;
            if (!(in[k] == GNDI_FUSE_ACC ? offset_of_acc(t, &offset[k]) : offset_of(t, in[k], &offset[k])))
                return false;
        }
    }
    gndi_line_step *s = add_step(t, op);
    if (!s) return false;
    s->a = offset[0], s->b = offset[1], s->c = offset[2];
    if (swapped < 0 && in[0] != GNDI_FUSE_ACC) s->op |= GNDI_LINE_BRINGS;
    if (op == GNDI_LINE_divide && t->l->dtype == GND_FLOAT32) write_division(t, from, s);
    if (from->out != GNDI_FUSE_NOWHERE) keep(t, s, from->out);
    t->acc_by = s;
    return true;
}

static gndi_line_step *add_row_step(translator *t, int op, int k, int access) {
    const int array = line_array(t, k, access);
    gndi_line_step *s = array < 0 ? NULL : add_step(t, op);
    if (s) s->c = (uint32_t)array;
    return s;
}

static bool write_store(translator *t, const gndi_fuse_step *from, bool last) {
    uint32_t offset = 0;
    if (from->a != GNDI_FUSE_ACC && !offset_of(t, from->a, &offset)) return false;
    if (from->c != t->log_size && (from->c != 0 || from->out)) return false;
    if (last && from->c == t->log_size && from->a == GNDI_FUSE_ACC && !from->out) {
        const int array = line_array(t, from->at, VECTORS);
        t->p->last = (uint8_t)array;
        return array >= 0;
    }
    gndi_line_step *s = from->out
                            ? add_row_step(t, GNDI_LINE_STORE_ROW, from->at, ROW)
                            : add_row_step(t, from->c ? GNDI_LINE_STORE : GNDI_LINE_STORE_BOOL, from->at, VECTORS);
    if (s && from->a != GNDI_FUSE_ACC) s->op |= GNDI_LINE_BRINGS, s->a = offset, t->acc_by = NULL;
    return s;
}

static bool write_step(translator *t, const gndi_fuse_step *from, const gndi_fuse_step *next) {
    gndi_line_step *s;
    uint32_t offset = 0;
    switch (from->op) {
    case GNDI_FUSE_STEP_STORE: return write_store(t, from, !next);
    /* A bool's bytes, packed, and stored: the store packs them. */
    case GNDI_FUSE_STEP_PACK:
        return from->c == 16 && next && next->op == GNDI_FUSE_STEP_STORE && next->c == 0 && next->a == GNDI_FUSE_ACC &&
               from->a == GNDI_FUSE_ACC && from->out == GNDI_FUSE_NOWHERE;
    case GNDI_FUSE_STEP_LOAD: /* for reductions only: the kernel of maps has no such step */
        if (from->c != t->log_size || !t->p->results) return false;
        s = add_row_step(t, GNDI_LINE_LOAD_ROW, from->at, ROW);
        break;
    case GNDI_FUSE_STEP_NOTHING:
    case GNDI_FUSE_STEP_REDUCE:
        if (from->a != GNDI_FUSE_ACC && !offset_of(t, from->a, &offset)) return false;
        s = add_step(t, from->op == GNDI_FUSE_STEP_REDUCE ? GNDI_LINE_REDUCE : GNDI_LINE_NOTHING);
        if (!s) return false;
        s->c = from->at, s->a = offset;
        if (from->a != GNDI_FUSE_ACC) s->op |= GNDI_LINE_BRINGS;
        if (from->op == GNDI_FUSE_STEP_REDUCE && from->a == GNDI_FUSE_ACC) return true;
        break;
    default: {
        const int op = from->op, number = op % 128;
        const bool of_bools = op >= GNDI_FUSE_BOOL;
        if (op >= GNDI_FUSE_STEP_NOTHING || (op >= GNDI_FUSE_SECONDS && op < GNDI_FUSE_LIGHT)) return false;
        const int as = line_operator(number, of_bools);
        return as >= 0 && write_operator(t, from, as, gndi_ops[number].nin);
    }
    }
    if (s && from->out != GNDI_FUSE_NOWHERE) keep(t, s, from->out);
    t->acc_by = s;
    return s;
}

static bool write_results(gndi_line_params *p, const gndi_fuse_plan *plan, const gndi_fuse_launch *l) {
    if (plan->reductions > GNDI_LINE_RESULTS) return false;
    for (int k = 0; k < plan->reductions; k++) {
        const gndi_fuse_result *r = &l->program.result[k];
        const bool moments = r->reducer == GNDI_FUSE_VARIANCES;
        if (r->of_bools || r->finish > GNDI_LINE_ROOT ||
            !(r->reducer == GNDI_FUSE_SUMS || r->reducer == GNDI_FUSE_MINIMA || r->reducer == GNDI_FUSE_MAXIMA ||
              (moments && p->at_once)))
            return false;
        p->result[k] = (gndi_line_result){r->reducer, r->finish, r->divisor, r->ddof};
    }
    p->results = (uint8_t)plan->reductions;
    return true;
}

/* Assigns threads to the elements of rows; false if too many threads would have none. */
static bool lay_out(gndi_line_launch *to, const gndi_fuse_plan *plan, int64_t rows, int64_t chunks, int processors) {
    gndi_line_params *p = &to->params;
    int64_t threads = GNDI_TUNE_LINE_THREADS, parts = 1;
    if (p->at_once) {
        threads = (chunks + MANY * 32 - 1) / (MANY * 32) * 32;
        if (threads > GNDI_LINE_MOST_THREADS || chunks * 2 < threads * MANY) return false;
    } else if (plan->shape_of == GNDI_FUSE_MAP) {
        while (threads > 64 && rows * chunks < threads * MANY * processors) threads /= 2;
        if (rows > 1)
            while (threads > 64 && chunks % (threads * MANY) && chunks < 4 * threads * MANY) threads /= 2;
        parts = (chunks + threads * MANY - 1) / (threads * MANY);
        if (rows > 1 && chunks * 3 < parts * threads * MANY * 2) return false;
    } else {
        if (chunks >= LONG_ROW) threads *= 2; /* fewer blocks to join */
        const int64_t tiles = (chunks + threads * MANY - 1) / (threads * MANY);
        parts = gndi_cuda_fuse_parts(rows, tiles, processors * (GNDI_TUNE_LINE_RESIDENT / threads));
    }
    if (rows * parts > INT32_MAX) return false;
    to->threads = (int)threads, to->blocks = rows * parts;
    p->parts = (uint32_t)parts, p->groups = gndi_cuda_divide_by(parts);
    return true;
}

static void settle_offset(uint32_t *offset, uint32_t file_chunks) {
    if (*offset >> 31) *offset = (*offset & 0x7FFFFFFF) + (file_chunks << 5);
}
/* Every step reads b, whether it has one or not. Without one: memory that no other thread writes meanwhile, the first
   splat or the thread's own registers; without either, the first memory is a result, or unused. */
static uint32_t offset_of_none(const translator *t) {
    return t->p->splats ? splat_offset(t, 0) : t->registers ? register_offset(t, 0) : 0;
}

bool gndi_cuda_fuse_line(const gndi_fuse_launch *l, const gndi_fuse_plan *plan, int processors, gndi_line_launch *to) {
    const gndi_fuse_head *h = &l->params.head;
    const gndi_fuse_step *step = l->program.step;
    gndi_line_params *p = &to->params;
    const int size = gndi_dtype_sizes[l->dtype], each = 16 / size, log_size = size == 4 ? 2 : 3;
    const bool map = plan->shape_of == GNDI_FUSE_MAP;
    if ((l->dtype != GND_FLOAT32 && l->dtype != GND_FLOAT64) || plan->size == 0 || h->columns || h->axes > 2 ||
        (!map && h->axes != h->first_axes + 1) || step[0].op != GNDI_FUSE_STEP_LOAD || step[0].c != log_size)
        return false;
    const int64_t rows = h->axes == 1 ? 1 : map ? plan->shape[0] : h->firsts;
    to->of_double = l->dtype == GND_FLOAT64;
    p->at_once = h->at_once, p->length = h->run;
    if (!write_results(p, plan, l) || !lay_out(to, plan, rows, ((int64_t)h->run + each - 1) / each, processors))
        return false;
    translator t = {.l = l,
                    .to = to,
                    .p = p,
                    .registers = l->registers,
                    .threads = to->threads,
                    .log_size = log_size,
                    .rows = h->axes == 2};
    p->steps = p->splats = 0, p->same = 0, p->last = GNDI_LINE_NOWHERE;
    if (line_array(&t, step[0].at, EITHER) < 0) return false;
    for (int f = 0; f < h->fetches; f++)
        if (h->fetch[f].to != f || line_array(&t, h->fetch[f].array, EITHER) != f + 1) return false;
    p->loads = (uint8_t)(1 + h->fetches);
    if (step[0].out != GNDI_FUSE_NOWHERE) {
        t.acc_by = add_step(&t, GNDI_LINE_NOTHING);
        keep(&t, t.acc_by, step[0].out);
    }
    for (uint32_t i = 1; i < h->steps; i++) {
        if (i == h->body) p->body = p->steps, t.acc_by = NULL;
        const bool last = i + 1 == h->body || i + 1 == h->steps;
        if (!write_step(&t, &step[i], last ? NULL : &step[i + 1])) return false;
    }
    if (h->body == h->steps) p->body = p->steps;
    p->file_chunks = (uint32_t)(t.registers * MANY * to->threads);
    for (int i = 0; i < p->steps; i++) {
        gndi_line_step *s = &p->step[i];
        if (!s->b) s->b = offset_of_none(&t);
        settle_offset(&s->a, p->file_chunks), settle_offset(&s->b, p->file_chunks);
        if (s->c >> 31) settle_offset(&s->c, p->file_chunks);
    }
    to->shared_bytes = ((size_t)p->file_chunks + p->results + p->splats + 4) * 16 +
                       (p->at_once ? 0 : (size_t)p->results * (size_t)(to->threads * size));
    to->arrays = t.arrays;
    to->partial_bytes = p->parts > 1 ? (size_t)to->blocks * p->results * (size_t)size : 0;
    return to->shared_bytes + 2048 <= l->shared_most && p->file_chunks < 65536;
}

/* ---- cached launches -------------------------------------------------------------------------- */

enum { KEPT = 4, CODES = 24, OPERANDS = 8, CONSTANTS = 8, AXES = 2 };

typedef struct kept_launch {
    const gndi_device *device;
    uint64_t key;
    int count, operands, constants, ndim;
    int64_t shape[AXES], stride[OPERANDS][AXES];
    gndi_fuse_code code[CODES];
    gndi_fuse_operand operand[OPERANDS];
    gndi_scalar constant[CONSTANTS];
    gndi_line_launch launch;
} kept_launch;

static _Thread_local struct {
    int next;
    kept_launch launch[KEPT];
} kept;

static bool is_small(const gndi_fuse_plan *plan) {
    return plan->shape_of == GNDI_FUSE_MAP && plan->count <= CODES && plan->operands <= OPERANDS &&
           plan->constants <= CONSTANTS && plan->ndim <= AXES && plan->parameters == 0;
}

/* Whether only addresses differ, and their alignment is the same. Everything else depends only on the device: maps have
   neither tickets nor partials. No cached address is reused. */
static bool is_alike(const kept_launch *k, const gndi_fuse_plan *plan) {
    if (k->count != plan->count || k->operands != plan->operands || k->constants != plan->constants ||
        k->ndim != plan->ndim)
        return false;
    const size_t axes = (size_t)plan->ndim * sizeof *plan->shape;
    uintptr_t apart = 0;
    for (int i = 0; i < plan->operands; i++) {
        const gndi_fuse_operand *x = &plan->operand[i], *y = &k->operand[i];
        if (x->dtype != y->dtype || x->store != y->store || !x->data != !y->data ||
            memcmp(k->stride[i], plan->stride[i], axes) != 0)
            return false;
        apart |= (uintptr_t)x->data ^ (uintptr_t)y->data;
    }
    return (apart & 15) == 0 && memcmp(k->shape, plan->shape, axes) == 0 &&
           memcmp(k->code, plan->code, (size_t)plan->count * sizeof *plan->code) == 0 &&
           memcmp(k->constant, plan->constant, (size_t)plan->constants * sizeof *plan->constant) == 0;
}

gndi_line_launch *gndi_cuda_fuse_line_again(const gndi_device *device, const gndi_fuse_plan *plan) {
    if (!is_small(plan)) return NULL;
    for (int n = 0; n < KEPT; n++) {
        kept_launch *k = &kept.launch[n];
        if (k->device != device || k->key != plan->key || !is_alike(k, plan)) continue;
        for (int i = 0; i < k->launch.arrays; i++) k->launch.params.array[i] = plan->operand[k->launch.operand[i]].data;
        return &k->launch;
    }
    return NULL;
}

void gndi_cuda_fuse_line_keep(const gndi_device *device, const gndi_fuse_plan *plan, const gndi_line_launch *launch) {
    if (!is_small(plan)) return;
    kept_launch *k = &kept.launch[kept.next++ % KEPT];
    kept.next %= KEPT;
    k->device = device, k->key = plan->key;
    k->count = plan->count, k->operands = plan->operands;
    k->constants = plan->constants, k->ndim = plan->ndim;
    const size_t axes = (size_t)plan->ndim * sizeof *plan->shape;
    memcpy(k->shape, plan->shape, axes);
    for (int i = 0; i < plan->operands; i++) {
        k->operand[i] = plan->operand[i];
        memcpy(k->stride[i], plan->stride[i], axes);
    }
    memcpy(k->code, plan->code, (size_t)plan->count * sizeof *plan->code);
    memcpy(k->constant, plan->constant, (size_t)plan->constants * sizeof *plan->constant);
    k->launch = *launch;
}
