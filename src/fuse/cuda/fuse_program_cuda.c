/*
 * fuse_program_cuda.c: the code of a plan as steps of the interpreter. Steps are written in the order of the
 * code. The last value is in the accumulator; a value with later uses is also stored in the file, when the next
 * step would overwrite it. Loads are placed at their first use, casts together with the loads and stores next to
 * them.
 */
#include "fuse/cuda/fuse_launch.h"
#include "fuse/cuda/fuse_units.h"

enum {
    NOWHERE = GNDI_FUSE_NOWHERE,
    ACC = GNDI_FUSE_ACC,
    RAW = 16, /* of PACK and UNPACK: bytes, not converted */
    NOBODY = 0xFFFF,
};

typedef struct writer {
    const gndi_fuse_plan *plan;
    gndi_fuse_launch *launch;
    gndi_fuse_head *h;
    gndi_fuse_program *p;
    int loop, size;                /* its dtype, and bytes of that */
    uint16_t uses[GNDI_FUSE_CODE]; /* still to come */
    uint8_t where[GNDI_FUSE_CODE]; /* NOWHERE, a register, ROW or SPLAT and up */
    bool late[GNDI_FUSE_CODE];     /* depends on a reduction */
    uint16_t in_acc;               /* the code whose value the accumulator holds; NOBODY */
    int splats, numbers;
    uint64_t free[2]; /* registers, a bit each */
    bool fails;
} writer;

static const gndi_fuse_code *code_of(const writer *w, int i) {
    return &w->plan->code[i];
}
static int log_size(int dtype) {
    const int size = gndi_dtype_sizes[dtype];
    return size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : size == 8 ? 3 : 4;
}
static bool fits(const writer *w, int dtype) {
    return gndi_dtype_sizes[dtype] <= w->size;
}

/* ---- registers ------------------------------------------------------------------------------ */

static int take_register(writer *w) {
    for (int half = 0; half < 2; half++)
        if (w->free[half]) {
            const int bit = __builtin_ctzll(w->free[half]), reg = half * 64 + bit;
            w->free[half] &= w->free[half] - 1;
            if (reg >= w->launch->registers) w->launch->registers = reg + 1;
            return reg;
        }
    w->fails = true;
    return 0;
}
static void free_register(writer *w, int reg) {
    w->free[reg / 64] |= UINT64_C(1) << (reg % 64);
}

static gndi_fuse_step *add_step(writer *w, int op, int a, int at) {
    gndi_fuse_head *h = w->h;
    gndi_fuse_program *p = w->p;
    if (h->steps == GNDI_FUSE_STEPS) {
        w->fails = true;
        h->steps--;
    }
    gndi_fuse_step *s = &p->step[h->steps++];
    *s = (gndi_fuse_step){(uint16_t)op, (uint16_t)at, (uint8_t)a, NOWHERE, NOWHERE, NOWHERE};
    return s;
}

/* Called before the accumulator is overwritten: its value is stored in the file if it has more uses than `now`. The
   steps since it was computed have not changed it, so it can be stored by the step that computed it. */
static void save_acc(writer *w, int now) {
    const int i = w->in_acc;
    if (i == NOBODY || w->uses[i] <= now || w->where[i] != NOWHERE) return;
    gndi_fuse_head *h = w->h;
    gndi_fuse_program *p = w->p;
    int s = (int)h->steps - 1;
    while (s >= 0 && (p->step[s].op == GNDI_FUSE_STEP_REDUCE || p->step[s].op == GNDI_FUSE_STEP_STORE ||
                      p->step[s].op == GNDI_FUSE_STEP_STORE_ROW))
        s--;
    if (s < 0 || p->step[s].out != NOWHERE) {
        w->fails = true;
        return;
    }
    p->step[s].out = w->where[i] = (uint8_t)take_register(w);
}

static void use(writer *w, int i) {
    if (--w->uses[i] == 0 && w->where[i] < GNDI_FUSE_REGISTERS) {
        free_register(w, w->where[i]);
        w->where[i] = NOWHERE;
    }
}

/* ---- values that no step computes ----------------------------------------------------------- */

static int add_splat(writer *w, const gndi_scalar *value, int dtype) {
    const size_t slot = (size_t)w->size, own = gndi_dtype_sizes[dtype];
    char bytes[16] = {0};
    for (size_t at = 0; at < 16; at += slot) memcpy(bytes + at, value, own);
    for (int k = 0; k < w->splats; k++)
        if (memcmp(w->p->splat[k], bytes, 16) == 0) return GNDI_FUSE_SPLAT + k;
    if (w->splats == GNDI_FUSE_SPLATS) {
        w->fails = true;
        return GNDI_FUSE_SPLAT;
    }
    memcpy(w->p->splat[w->splats], bytes, 16);
    return GNDI_FUSE_SPLAT + w->splats++;
}

/* The code that computes a value, ignoring casts that do nothing. */
static int origin(const writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    while (c->kind == GNDI_FUSE_CAST && code_of(w, c->in[0])->dtype == c->dtype) c = code_of(w, i = c->in[0]);
    return i;
}

/* The bool value whose true elements a sum of integers counts; NOBODY if it is not such a sum. */
static int counted(const writer *w, const gndi_fuse_code *c) {
    const gndi_fuse_reduction *r = &w->plan->reduction[c->at];
    const gndi_fuse_code *from = code_of(w, origin(w, c->in[0]));
    if (r->reducer != GNDI_REDUCE_SUM || from->kind != GNDI_FUSE_CAST ||
        (from->dtype != GND_INT64 && from->dtype != GND_UINT64))
        return NOBODY;
    const int value = origin(w, from->in[0]);
    return code_of(w, value)->dtype == GND_BOOL ? value : NOBODY;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static void load(writer *w, int array, int dtype, int as) {
    if (!fits(w, dtype)) {
        w->fails |= as != w->loop;
        add_step(w, GNDI_FUSE_STEP_LOAD_LARGER, ACC, array)->c = (uint8_t)dtype;
        return;
    }
    add_step(w, GNDI_FUSE_STEP_LOAD, ACC, array)->c = (uint8_t)log_size(dtype);
    if (dtype == w->loop && as == w->loop) return;
    if (as != dtype && as != w->loop) w->fails = true;
    add_step(w, GNDI_FUSE_STEP_UNPACK, ACC, 0)->c = (uint8_t)(as == dtype ? RAW + log_size(dtype) : dtype);
}

/* Writes the steps of code i, a load or a cast of one, at its first use. */
static void load_value(writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    save_acc(w, 0);
    if (c->kind == GNDI_FUSE_LOAD) {
        load(w, c->at, c->dtype, c->dtype);
    } else {
        const gndi_fuse_code *from = code_of(w, origin(w, c->in[0]));
        load(w, from->at, from->dtype, c->dtype);
    }
    w->in_acc = (uint16_t)i;
}
static bool is_loaded(const writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    if (c->kind == GNDI_FUSE_LOAD) return true;
    return c->kind == GNDI_FUSE_CAST && code_of(w, origin(w, c->in[0]))->kind == GNDI_FUSE_LOAD;
}

/* Makes sure that a value has been computed. */
static void provide(writer *w, int i) {
    if (w->where[i] != NOWHERE || w->in_acc == i) return;
    if (is_loaded(w, i))
        load_value(w, i);
    else
        w->fails = true;
}
static uint8_t source(const writer *w, int i) {
    return w->in_acc == i ? ACC : w->where[i];
}

/* Loads a value into the accumulator, which the following steps may overwrite. */
static void bring(writer *w, int i) {
    provide(w, i);
    if (w->in_acc == i) {
        save_acc(w, 1);
        return;
    }
    save_acc(w, 0);
    add_step(w, GNDI_FUSE_STEP_NOTHING, w->where[i], 0);
    w->in_acc = NOBODY;
}

static void write_operator(writer *w, int i, int maker, bool second) {
    const gndi_fuse_code *c = code_of(w, maker);
    const gndi_op_info *info = &gndi_ops[c->op];
    const uint8_t has = w->launch->loop->has[c->op];
    int in[3] = {NOBODY, NOBODY, NOBODY}, now = 0;
    for (int k = 0; k < info->nin; k++) in[k] = origin(w, c->in[k]);
    for (int k = 0; k < info->nin; k++) provide(w, in[k]);
    int op;
    if (c->loop == w->loop && !second && has & GNDI_FUSE_HAS_LIGHT)
        op = GNDI_FUSE_LIGHT + c->op;
    else if (c->loop == w->loop && !second && has & GNDI_FUSE_HAS_HEAVY)
        op = c->op;
    else if (c->loop == w->loop && second && has & GNDI_FUSE_HAS_SECOND)
        op = GNDI_FUSE_SECONDS + c->op;
    else if (c->loop == GND_BOOL && !second && has & GNDI_FUSE_HAS_BOOL)
        op = GNDI_FUSE_BOOL + c->op;
    else {
        w->fails = true;
        return;
    }
    for (int k = 0; k < info->nin; k++) now += in[k] == w->in_acc;
    if (in[2] != NOBODY && in[2] == w->in_acc) now = 0; /* a third operand must be in the file */
    save_acc(w, now);
    gndi_fuse_step *s = add_step(w, op, source(w, in[0]), c->at == GNDI_FUSE_NONE ? 0 : c->at);
    if (!(gndi_ops[c->op].flags & PARAMS)) s->at = 0;
    if (in[1] != NOBODY) s->b = source(w, in[1]);
    if (in[2] != NOBODY) s->c = w->where[in[2]];
    for (int k = 0; k < info->nin; k++) use(w, in[k]);
    w->in_acc = (uint16_t)i;
}

/* An index cast to the loop's dtype: a sequence from 0 on. */
static bool is_numbered(const writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    return c->kind == GNDI_FUSE_CAST && c->dtype == w->loop && c->dtype != GND_BOOL &&
           code_of(w, origin(w, c->in[0]))->kind == GNDI_FUSE_INDEX;
}

static void write_numbers(writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    const gndi_fuse_code *index = c->kind == GNDI_FUSE_INDEX ? c : code_of(w, origin(w, c->in[0]));
    const gndi_scalar *constant = w->plan->constant + (c->at == GNDI_FUSE_NONE ? 0 : c->at);
    uint64_t *number = w->p->number + w->numbers;
    if (c->dtype != w->loop || w->numbers + 4 > GNDI_FUSE_NUMBERS || index->kind != GNDI_FUSE_INDEX) {
        w->fails = true;
        return;
    }
    save_acc(w, 0);
    gndi_fuse_step *s =
        add_step(w, c->kind == GNDI_FUSE_UNIFORM ? GNDI_FUSE_STEP_UNIFORM : GNDI_FUSE_STEP_RANGE, ACC, index->at);
    s->c = (uint8_t)w->numbers;
    w->numbers += 4;
    memset(number, 0, 4 * sizeof *number);
    if (c->kind == GNDI_FUSE_INDEX || c->kind == GNDI_FUSE_CAST) {
        const double one = 1;
        if (gnd_dtype_kind((gnd_dtype)c->dtype) == 'i' || gnd_dtype_kind((gnd_dtype)c->dtype) == 'u')
            number[1] = 1;
        else
            memcpy(number + 2, &one, sizeof one);
    } else if (c->kind == GNDI_FUSE_UNIFORM) {
        for (int k = 0; k < 3; k++) number[k] = constant[k].u64;
    } else if (gndi_dtype_is_complex(c->dtype)) {
        memcpy(number, constant[0].c128, 16), memcpy(number + 2, constant[1].c128, 16);
    } else if (gndi_dtype_is_float(c->dtype)) {
        memcpy(number, &constant[0].f64, 8), memcpy(number + 2, &constant[1].f64, 8);
    } else {
        number[0] = constant[0].u64, number[1] = constant[1].u64;
    }
    w->in_acc = (uint16_t)i;
}

/* Whether all uses of a value are stores, which then cast it. */
static bool only_stored(const writer *w, int i) {
    for (int k = i + 1; k < w->plan->count; k++) {
        const gndi_fuse_code *c = code_of(w, k);
        for (int n = 0; n < 3; n++)
            if (c->in[n] == i && c->kind != GNDI_FUSE_STORE) return false;
    }
    return true;
}

static void convert(writer *w, bool packs, int code) {
    add_step(w, packs ? GNDI_FUSE_STEP_PACK : GNDI_FUSE_STEP_UNPACK, ACC, 0)->c = (uint8_t)code;
}

/* Converts the accumulator from dtype `from` to the loop's; sets w->fails if it cannot. */
static void to_loop(writer *w, int from) {
    if (from == w->loop) return;
    w->fails |= !fits(w, from);
    convert(w, true, RAW + log_size(from));
    convert(w, false, from);
}

static void write_cast(writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    const int from = origin(w, c->in[0]), dtype = code_of(w, from)->dtype;
    if (is_loaded(w, i) && (c->dtype == w->loop)) return;                     /* comes where it is used */
    if (only_stored(w, i) && (dtype == w->loop || dtype == GND_BOOL)) return; /* with the store */
    if (c->dtype != w->loop && !(fits(w, c->dtype) && (dtype == w->loop || dtype == GND_BOOL))) {
        w->fails = true;
        return;
    }
    bring(w, from);
    to_loop(w, dtype);
    if (c->dtype != w->loop) {
        convert(w, true, c->dtype);
        convert(w, false, RAW + log_size(c->dtype));
    }
    use(w, from);
    w->in_acc = (uint16_t)i;
}

static uint8_t of_row(const writer *w, const gndi_fuse_code *c) {
    return c->row && w->plan->shape_of != GNDI_FUSE_MAP;
}
static void write_store(writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    int from = origin(w, c->in[0]);
    const int dtype = c->dtype;
    const gndi_fuse_code *maker = code_of(w, from);
    gndi_fuse_step *s;
    if (maker->kind == GNDI_FUSE_REDUCE && !fits(w, dtype)) {
        s = add_step(w, GNDI_FUSE_STEP_STORE_ROW, ACC, c->at);
        s->out = (uint8_t)(w->where[from] - GNDI_FUSE_ROW);
        w->fails |= gndi_dtype_sizes[dtype] != 8;
        use(w, from);
        return;
    }
    const bool casts =
        maker->kind == GNDI_FUSE_CAST && source(w, from) == NOWHERE && !(is_loaded(w, from) && maker->dtype == w->loop);
    if (casts) from = origin(w, maker->in[0]);
    const int held = code_of(w, from)->dtype;
    if (!casts && held == w->loop) { /* as it is */
        provide(w, from);
        if (w->in_acc != from) save_acc(w, 0);
        s = add_step(w, GNDI_FUSE_STEP_STORE, source(w, from), c->at);
        s->c = (uint8_t)log_size(dtype), s->out = of_row(w, c);
        if (s->a != ACC) w->in_acc = (uint16_t)from;
        use(w, from);
        return;
    }
    bring(w, from);
    if (casts) to_loop(w, held);
    w->fails |= !casts && !fits(w, dtype);
    if (!fits(w, dtype)) {
        s = add_step(w, GNDI_FUSE_STEP_STORE_LARGER, ACC, c->at);
        s->c = (uint8_t)dtype;
    } else {
        if (!casts || dtype != w->loop) convert(w, true, casts ? dtype : RAW + log_size(dtype));
        s = add_step(w, GNDI_FUSE_STEP_STORE, ACC, c->at);
        s->c = (uint8_t)log_size(dtype);
    }
    s->out = of_row(w, c);
    use(w, from);
    w->in_acc = NOBODY;
}

static void write_reduce(writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    const gndi_fuse_reduction *r = &w->plan->reduction[c->at];
    gndi_fuse_result *result = &w->p->result[c->at];
    const int truths = counted(w, c), from = truths == NOBODY ? origin(w, c->in[0]) : truths;
    const int dtype = code_of(w, from)->dtype;
    const int reducer = truths == NOBODY ? r->reducer : GNDI_REDUCE_COUNT;
    result->reducer = (uint8_t)(reducer == GNDI_REDUCE_VARIANCE ? GNDI_FUSE_VARIANCES : reducer);
    result->finish = r->finish;
    result->divisor = r->divisor, result->ddof = r->ddof;
    result->is_signed = gnd_dtype_kind((gnd_dtype)r->loop) == 'i';
    result->of_bools = dtype == GND_BOOL && w->loop != GND_BOOL;
    const bool counting = reducer >= GNDI_REDUCE_ANY && reducer <= GNDI_REDUCE_COUNT;
    if (r->reducer > GNDI_REDUCE_VARIANCE || r->reducer == GNDI_REDUCE_MEAN ||
        w->launch->loop->acc_bytes[result->reducer] == 0 ||
        (counting ? dtype != w->loop && dtype != GND_BOOL : dtype != w->loop)) {
        w->fails = true;
        return;
    }
    provide(w, from);
    if (w->in_acc != from) save_acc(w, 0);
    gndi_fuse_step *s = add_step(w, GNDI_FUSE_STEP_REDUCE, source(w, from), c->at);
    if (s->a != ACC) w->in_acc = (uint16_t)from;
    use(w, from);
    w->where[i] = (uint8_t)(GNDI_FUSE_ROW + c->at);
}

static void write_code(writer *w, int i) {
    const gndi_fuse_code *c = code_of(w, i);
    if (c->kind != GNDI_FUSE_STORE && w->uses[i] == 0) return;
    switch (c->kind) {
    case GNDI_FUSE_LOAD: return; /* where it is used */
    case GNDI_FUSE_CONST:
        w->fails |= !fits(w, c->dtype);
        w->where[i] =
            (uint8_t)(fits(w, c->dtype) ? add_splat(w, &w->plan->constant[c->at], c->dtype) : GNDI_FUSE_SPLAT);
        return;
    case GNDI_FUSE_INDEX:
        if (c->dtype == w->loop) write_numbers(w, i);
        return;
    case GNDI_FUSE_RANGE:
    case GNDI_FUSE_UNIFORM: write_numbers(w, i); return;
    case GNDI_FUSE_CAST:
        if (is_numbered(w, i) && code_of(w, c->in[0])->dtype != c->dtype)
            write_numbers(w, i);
        else if (code_of(w, c->in[0])->dtype != c->dtype)
            write_cast(w, i);
        return;
    case GNDI_FUSE_OP: write_operator(w, i, i, false); return;
    case GNDI_FUSE_SECOND: write_operator(w, i, c->in[0], true); return;
    case GNDI_FUSE_REDUCE: write_reduce(w, i); return;
    case GNDI_FUSE_STORE: write_store(w, i); return;
    default: w->fails = true;
    }
}

/* ---- the interpreters ----------------------------------------------------------------------- */

static gndi_fuse_loop loops[GND_DTYPE_COUNT];
static gndi_once loops_once;
static atomic_bool loops_filled;

#define UNIT(name) void gndi_fuse_fill_##name(gndi_fuse_loop *);
GNDI_FUSE_UNITS
#undef UNIT

static void fill_loops(void) {
#define UNIT(name) gndi_fuse_fill_##name(loops);
    GNDI_FUSE_UNITS
#undef UNIT
    atomic_store_explicit(&loops_filled, true, memory_order_release);
}

const gndi_fuse_loop *gndi_cuda_fuse_loop(int dtype) {
    if (gndi_unlikely(!atomic_load_explicit(&loops_filled, memory_order_acquire)))
        gndi_once_do(&loops_once, fill_loops);
    return &loops[dtype];
}

/* ---- the whole ------------------------------------------------------------------------------ */

static void use_more(writer *w, int i) {
    w->uses[origin(w, i)]++;
}
/* Counts the uses of each value, backwards, so that unused values count as no use of others; and finds what depends on
   reductions. */
static void count_uses(writer *w) {
    const gndi_fuse_plan *plan = w->plan;
    memset(w->uses, 0, (size_t)plan->count * sizeof *w->uses);
    memset(w->where, NOWHERE, (size_t)plan->count);
    for (int i = 0; i < plan->count; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        w->late[i] = c->kind == GNDI_FUSE_STORE && c->row;
        for (int k = 0; k < 3; k++)
            if (c->in[k] != GNDI_FUSE_NONE)
                w->late[i] |= w->late[c->in[k]] || plan->code[c->in[k]].kind == GNDI_FUSE_REDUCE;
    }
    for (int i = plan->count - 1; i >= 0; i--) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind != GNDI_FUSE_STORE && w->uses[i] == 0) continue;
        if (c->kind == GNDI_FUSE_CAST && plan->code[c->in[0]].dtype == c->dtype) continue;
        if (c->kind == GNDI_FUSE_RANGE || c->kind == GNDI_FUSE_UNIFORM) continue;
        if (c->kind == GNDI_FUSE_REDUCE && counted(w, c) != NOBODY) {
            use_more(w, counted(w, c));
            continue;
        }
        if (is_numbered(w, i)) continue;
        if (c->kind == GNDI_FUSE_CAST && is_loaded(w, i) && c->dtype == w->loop) continue;
        if (c->kind == GNDI_FUSE_SECOND) {
            c = &plan->code[c->in[0]];
            for (int k = 0; k < gndi_ops[c->op].nin; k++) use_more(w, c->in[k]);
            continue;
        }
        const int from = c->kind == GNDI_FUSE_STORE ? origin(w, c->in[0]) : 0;
        const gndi_fuse_code *maker = &plan->code[from];
        if (c->kind == GNDI_FUSE_STORE && maker->kind == GNDI_FUSE_CAST && only_stored(w, from) &&
            !(is_loaded(w, from) && maker->dtype == w->loop)) {
            const int dtype = plan->code[origin(w, maker->in[0])].dtype;
            if (dtype == w->loop || dtype == GND_BOOL) { /* the store casts */
                use_more(w, maker->in[0]);
                continue;
            }
        }
        for (int k = 0; k < 3; k++)
            if (c->in[k] != GNDI_FUSE_NONE) use_more(w, c->in[k]);
    }
}

/* Loads of the loop's own dtype that start before the first step, except the first one, which goes to the
   accumulator. */
static void start_fetches(writer *w) {
    const gndi_fuse_plan *plan = w->plan;
    bool first = true;
    for (int i = 0; i < plan->count && w->h->fetches < GNDI_FUSE_FETCHES; i++) {
        const gndi_fuse_code *c = &plan->code[i];
        if (c->kind != GNDI_FUSE_LOAD || c->dtype != w->loop || !w->uses[i]) continue;
        if (c->row && plan->shape_of != GNDI_FUSE_MAP) continue;
        if (first) {
            first = false;
            continue;
        }
        w->where[i] = (uint8_t)take_register(w);
        w->h->fetch[w->h->fetches++] = (gndi_fuse_fetch){(uint8_t)c->at, w->where[i]};
    }
}

bool gndi_cuda_fuse_write(gndi_fuse_launch *l, const gndi_fuse_plan *plan, int dtype, bool at_once) {
    gndi_fuse_head *h = &l->params.head;
    gndi_fuse_program *p = &l->program;
    writer w;
    w.plan = plan, w.launch = l, w.h = h, w.p = p, w.loop = dtype, w.size = gndi_dtype_sizes[dtype];
    w.in_acc = NOBODY, w.splats = w.numbers = 0, w.fails = false;
    w.free[0] = w.free[1] = ~UINT64_C(0);
    l->loop = gndi_cuda_fuse_loop(dtype), l->registers = 0;
    h->steps = 0, h->fetches = 0, h->at_once = at_once;
    h->results = (uint8_t)plan->reductions;
    count_uses(&w);
    start_fetches(&w);
    memcpy(p->params, plan->params, (size_t)plan->parameters * sizeof *p->params);
    const bool split = plan->shape_of == GNDI_FUSE_REDUCE_ONLY && !at_once;
    for (int pass = 0; pass < 1 + split; pass++) {
        for (int i = 0; i < plan->count && !w.fails; i++)
            if (!split || w.late[i] == pass) write_code(&w, i);
        save_acc(&w, 0);
        w.in_acc = NOBODY;
        if (pass == 0) h->body = h->steps;
    }
    l->splats = w.splats, l->numbers = w.numbers;
    return !w.fails;
}
