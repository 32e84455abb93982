/*
 * test_fuse_generate.c: the CUDA kernels that are generated of fused programs, compiled by NVRTC, which
 * needs no GPU: every operator in each of its loops, and random programs in random layouts. What they
 * compute is tested where there is a GPU.
 */
#include "generated.h"

/* ---- every operator in every loop ----------------------------------------------------------- */

enum { AT_ONCE = 50, OPERATORS = sizeof rows / sizeof *rows };

TEST(every_operator_in_every_loop) {
    if (nvrtc_is_missing()) SKIP(missing);
    int count = 0, kernels = 0, failed = 0, in_this = 0;
    begin_plan();
    for (int loop = GND_BOOL; loop < GND_DTYPE_COUNT; loop++)
        for (int op = 0; op < OPERATORS; op++) {
            if (!(rows[op].loops >> loop & 1) || (rows[op].flags & INTERNAL && op != GNDI_OP_copy)) continue;
            int values[3];
            for (int k = 0; rows[op].signature[k] != '_'; k++)
                values[k] = load_of(dtype_of(rows[op].signature[k], loop));
            const int value = add_op(op, loop, values);
            store(value);
            if (strlen(strchr(rows[op].signature, '_')) == 3) store(second_of(value));
            count++;
            if (++in_this < AT_ONCE && plan.operands < 56) continue;
            failed += !compiles(PTX), kernels++, in_this = 0;
            begin_plan();
        }
    if (in_this) failed += !compiles(PTX), kernels++;
    printf("# %d operators in their loops, in %d kernels\n", count, kernels);
    CHECK(failed == 0 && count > 500);
}

/* ---- random programs ------------------------------------------------------------------------ */

static uint64_t state;
static int below(int n) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)n);
}

/* A value of a dtype: one that there is, a cast of any, or a new one. */
static int value_of(int dtype) {
    int found[GNDI_FUSE_CODE], count = 0, i;
    for (i = 0; i < plan.count; i++)
        if (plan.code[i].kind != GNDI_FUSE_STORE && plan.code[i].dtype == dtype) found[count++] = i;
    if (count && below(4)) return found[below(count)];
    switch (below(4)) {
    case 0: i = add_code(GNDI_FUSE_CONST, dtype, plan.constants++); return i;
    case 1:
        for (i = plan.count - 1; i >= 0; i--)
            if (plan.code[i].kind != GNDI_FUSE_STORE) break;
        if (i < 0) return load_of(dtype);
        plan.code[add_code(GNDI_FUSE_CAST, dtype, 0)].in[0] = (uint16_t)i;
        return plan.count - 1;
    case 2: {
        const int k = plan.operands++, uniform = dtype == GND_FLOAT32 || dtype == GND_FLOAT64;
        plan.operand[k] = (gndi_fuse_operand){.dtype = GND_INT64};
        for (int a = 0; a < plan.ndim; a++) plan.stride[k][a] = below(3);
        const int index = add_code(GNDI_FUSE_INDEX, GND_INT64, k);
        i = add_code(uniform ? GNDI_FUSE_UNIFORM : GNDI_FUSE_RANGE, dtype, plan.constants);
        plan.code[i].in[0] = (uint16_t)index;
        plan.constants += uniform ? 3 : 2;
        return i;
    }
    default: return add_code(GNDI_FUSE_LOAD, dtype, add_array(dtype, false));
    }
}

/* Axes of a few sizes; strides that broadcast, turn, skip. */
static void random_layout(void) {
    static const int64_t some[] = {2, 3, 5, 8, 64, 100};
    plan.contiguous = below(2), plan.contract = below(4) == 0;
    misaligned = below(3) == 0;
    if (plan.contiguous) return;
    plan.ndim = plan.kept = 1 + below(4), plan.size = 1;
    for (int i = 0; i < plan.ndim; i++) plan.size *= plan.shape[i] = some[below(6)];
    plan.rows = plan.size;
}
static void random_strides(void) {
    if (plan.contiguous) {
        for (int k = 0; k < plan.operands; k++)
            if (!plan.operand[k].store && below(4) == 0) plan.stride[k][0] = 0;
        return;
    }
    for (int k = 0; k < plan.operands; k++) {
        if (plan.operand[k].store || !plan.operand[k].data) continue;
        int64_t *stride = plan.stride[k];
        const int a = below(plan.ndim), b = below(plan.ndim), how = below(5);
        const int64_t kept = stride[a];
        if (how == 0) stride[a] = 0;
        if (how == 1) stride[a] = stride[b], stride[b] = kept;
        if (how == 2) stride[a] *= 2;
        if (how == 3) stride[a] = -kept;
    }
}

TEST(random_programs) {
    if (nvrtc_is_missing()) SKIP(missing);
    int failed = 0;
    enum { PROGRAMS = 16 };
    for (int n = 0; n < PROGRAMS; n++) {
        state = (uint64_t)n + 1;
        begin_plan();
        random_layout();
        const int length = n == 0 ? 150 : 1 + below(14);
        int value = load_of(1 + below(GND_DTYPE_COUNT - 1));
        for (int i = 0; i < length && plan.operands < 40 && plan.constants < 60; i++) {
            /* Half of them in the dtype that there is already. */
            int op, loop;
            do op = below(OPERATORS), loop = below(2) ? plan.code[value].dtype : 1 + below(GND_DTYPE_COUNT - 1);
            while (!(rows[op].loops >> loop & 1) || rows[op].flags & INTERNAL || plan.parameters == 16 ||
                   (n == 0 && loop > GND_FLOAT32));
            int values[3];
            for (int k = 0; rows[op].signature[k] != '_'; k++)
                values[k] = value_of(dtype_of(rows[op].signature[k], loop));
            value = add_op(op, loop, values);
            if (strlen(strchr(rows[op].signature, '_')) == 3 && below(2)) value = second_of(value);
            if (below(8) == 0) store(value);
        }
        store(value);
        random_strides();
        if (compiles(HOPPER)) continue;
        printf("# program %d\n", n);
        failed++;
    }
    misaligned = false;
    CHECK(failed == 0);
}

/* ---- rows with reductions ------------------------------------------------------------------- */

static int add_reduce(int value, int reducer, int finish, int dtype) {
    const int loop = plan.code[value].dtype, i = add_code(GNDI_FUSE_REDUCE, dtype, plan.reductions);
    plan.code[i].in[0] = (uint16_t)value, plan.code[i].row = 1;
    plan.reduction[plan.reductions++] = (gndi_fuse_reduction){(uint8_t)reducer, (uint8_t)finish, (uint8_t)loop, 100, 1};
    return i;
}

static int real_of(int dtype) {
    return dtype_of('R', dtype);
}
static bool is_whole(int dtype) {
    return dtype <= GND_UINT64;
}

/* A reduction of a value of any dtype, as the front would ask for it. */
static int random_reduction(int value) {
    const int dtype = plan.code[value].dtype;
    switch (below(8)) {
    case 0: return add_reduce(value, GNDI_REDUCE_SUM, GNDI_FINISH_NONE, dtype);
    case 1: return add_reduce(value, GNDI_REDUCE_SUM, GNDI_FINISH_DIVIDE, is_whole(dtype) ? GND_FLOAT64 : dtype);
    case 2: return add_reduce(value, GNDI_REDUCE_PRODUCT, GNDI_FINISH_NONE, dtype);
    case 3: return add_reduce(value, GNDI_REDUCE_MINIMUM, GNDI_FINISH_NONE, dtype);
    case 4: return add_reduce(value, GNDI_REDUCE_MAXIMUM, GNDI_FINISH_NONE, dtype);
    case 5: return add_reduce(value, GNDI_REDUCE_ANY + below(2), GNDI_FINISH_NONE, GND_BOOL);
    case 6: return add_reduce(value, GNDI_REDUCE_COUNT, GNDI_FINISH_NONE, GND_INT64);
    default:
        if (is_whole(dtype)) return add_reduce(value, GNDI_REDUCE_COUNT, GNDI_FINISH_NONE, GND_INT64);
        return add_reduce(value, GNDI_REDUCE_VARIANCE, below(2) ? GNDI_FINISH_SQRT : GNDI_FINISH_NONE, real_of(dtype));
    }
}

static int add_binary(int op, int a, int b) {
    const int values[2] = {a, b};
    const int i = add_op(op, plan.code[a].dtype, values);
    plan.code[i].row = plan.code[a].row && plan.code[b].row;
    return i;
}

/* Takes a value of the row to another dtype. */
static int cast_of(int value, int dtype) {
    const int i = add_code(GNDI_FUSE_CAST, dtype, 0);
    plan.code[i].in[0] = (uint16_t)value, plan.code[i].row = plan.code[value].row;
    return i;
}

static void store_of_row(int value) {
    store(value);
    plan.code[plan.count - 1].row = plan.code[value].row;
    if (plan.code[value].row) plan.stride[plan.operands - 1][plan.ndim - 1] = 0;
}

TEST(rows_with_reductions) {
    if (nvrtc_is_missing()) SKIP(missing);
    static const int64_t lengths[] = {1, 10, 33, 128, 1000, 4096, 5000};
    int failed = 0;
    for (int n = 0; n < 2 * (GND_DTYPE_COUNT - 1); n++) {
        const int dtype = 1 + n / 2;
        state = (uint64_t)n + 100;
        begin_plan();
        plan.shape_of = GNDI_FUSE_ROWS, plan.contiguous = false;
        plan.ndim = 1 + below(3), plan.kept = plan.ndim - 1;
        for (int i = 0; i < plan.ndim; i++)
            plan.shape[i] = i < plan.kept ? 7 : lengths[below(sizes[dtype] > 4 ? 5 : 7)];
        plan.length = plan.shape[plan.kept];
        plan.rows = plan.kept == 0 ? 1 : plan.kept == 1 ? 7 : 49;
        plan.size = plan.rows * plan.length;
        int x = load_of(dtype);
        if (below(2)) x = add_binary(GNDI_OP_add, x, load_of(dtype));
        const int first = random_reduction(x);
        const int y = add_binary(GNDI_OP_multiply, x, cast_of(first, dtype));
        const int second = random_reduction(y), third = random_reduction(below(2) ? x : y);
        const int of_row = add_binary(GNDI_OP_maximum, cast_of(second, GND_FLOAT32), cast_of(third, GND_FLOAT32));
        store_of_row(below(2) ? of_row : third);
        store_of_row(add_binary(GNDI_OP_minimum, y, cast_of(of_row, dtype)));
        if (below(2)) store_of_row(add_binary(GNDI_OP_fmax, x, y));
        if (compiles(HOPPER)) continue;
        printf("# program %d, of dtype %d\n", n, dtype);
        failed++;
    }
    CHECK(failed == 0);
}

/* ---- maps on the host ----------------------------------------------------------------------- */

enum { ROOM = 4000 };
static float numbers[4][ROOM], divisor;

/* z = (x / by - y) * w + (5 + 2 index): x, y and w in operands 0 to 2, z in 3, the index in 4. */
static void make_map(void) {
    for (int k = 0; k < 4; k++) {
        add_array(GND_FLOAT32, k == 3);
        plan.operand[k].data = (char *)numbers[k] + (misaligned && k % 2 ? 4 : 0);
    }
    plan.operand[4] = (gndi_fuse_operand){.dtype = GND_INT64};
    plan.operands = 5;
    for (int i = 0, at = plan.ndim - 1; at >= 0; i++, at--) plan.stride[4][at] = 1 + 10 * i;
    plan.constant[0].f32 = divisor, plan.constant[1].f64 = 5, plan.constant[2].f64 = 2;
    plan.constants = 3;
    int v[3];
    for (int k = 0; k < 3; k++) v[k] = add_code(GNDI_FUSE_LOAD, GND_FLOAT32, k);
    const int by[2] = {v[0], add_code(GNDI_FUSE_CONST, GND_FLOAT32, 0)};
    const int less[2] = {add_op(GNDI_OP_divide, GND_FLOAT32, by), v[1]};
    const int times[2] = {add_op(GNDI_OP_subtract, GND_FLOAT32, less), v[2]};
    const int index = add_code(GNDI_FUSE_INDEX, GND_INT64, 4);
    const int range = add_code(GNDI_FUSE_RANGE, GND_FLOAT32, 1);
    plan.code[range].in[0] = (uint16_t)index;
    const int sum[2] = {add_op(GNDI_OP_multiply, GND_FLOAT32, times), range};
    const int z = add_op(GNDI_OP_add, GND_FLOAT32, sum);
    plan.code[add_code(GNDI_FUSE_STORE, GND_FLOAT32, 3)].in[0] = (uint16_t)z;
}

/* Whether z holds what it shall, and nothing beside it was written. */
static bool map_is_right(void) {
    static const float untouched = -12345;
    int64_t wrong = 0, written = 0;
    for (int64_t n = 0; n < plan.size; n++) {
        int64_t rest = n, offset[5] = {0};
        for (int i = plan.ndim - 1; i >= 0; i--) {
            for (int k = 0; k < 5; k++) offset[k] += rest % plan.shape[i] * plan.stride[k][i];
            rest /= plan.shape[i];
        }
        float value[4];
        for (int k = 0; k < 4; k++) memcpy(&value[k], plan.operand[k].data + offset[k], 4);
        const double expected = ((double)value[0] / divisor - value[1]) * value[2] + (double)(5 + 2 * offset[4]);
        const double error = value[3] - expected;
        wrong += !(error < 1e-2 && error > -1e-2);
    }
    for (int i = 0; i < ROOM; i++) written += numbers[3][i] != untouched;
    return wrong == 0 && written == plan.size;
}

TEST(maps_give_the_right_elements) {
    setenv("GND_CACHE", "off", 1);
    static const int64_t shapes[][3] = {{1003, 0, 0}, {1003, 0, 0}, {17, 40, 0}, {40, 17, 0},
                                        {3, 5, 33},   {2, 64, 7},   {33, 33, 0}};
    for (size_t n = 0; n < sizeof shapes / sizeof *shapes; n++) {
        begin_plan();
        plan.contiguous = n < 2, misaligned = n % 2, plan.size = 1;
        for (plan.ndim = 0; plan.ndim < 3 && shapes[n][plan.ndim]; plan.ndim++)
            plan.size *= plan.shape[plan.ndim] = shapes[n][plan.ndim];
        plan.kept = plan.ndim, plan.rows = plan.size;
        for (int k = 0; k < 4; k++)
            for (int i = 0; i < ROOM; i++) numbers[k][i] = k == 3 ? -12345 : (float)((i * 37 + k * 11) % 101) - 50;
        divisor = n % 2 ? 0.7f : 3; /* one step is enough, and is not */
        make_map();
        if (n == 1) plan.stride[2][0] = 0;
        if (n == 2) plan.stride[0][0] = 0, plan.stride[1][1] = 0;      /* a row and a column */
        if (n == 3) plan.stride[1][0] = 4, plan.stride[1][1] = 4 * 40; /* across */
        if (n == 4) plan.stride[0][2] = 8, plan.stride[1][1] = 0;
        if (n == 5) plan.stride[2][0] = 4, plan.stride[2][1] = 8, plan.stride[2][2] = 4 * 128;
        if (n == 6) { /* backwards, and z by columns */
            plan.operand[0].data += 4 * 32, plan.stride[0][1] = -4;
            plan.stride[3][0] = 4, plan.stride[3][1] = 4 * 33;
        }
        const bool ran = run_on_host();
        CHECK(ran);
        if (ran && !map_is_right()) printf("# layout %zu\n", n);
        CHECK(!ran || map_is_right());
    }
    misaligned = false;
}

/* A dense line that is stored where no vector begins, and other dtypes. */
TEST(shifted_vectors_of_every_dtype) {
    static const int dtypes[] = {GND_INT8, GND_FLOAT16, GND_FLOAT32, GND_FLOAT64};
    if (nvrtc_is_missing()) SKIP(missing);
    for (size_t n = 0; n < sizeof dtypes / sizeof *dtypes; n++)
        for (int stored = 0; stored < 2; stored++) {
            gndi_fused_layout layout;
            begin_plan();
            int load[2];
            for (int k = 0; k < 2; k++) load[k] = add_code(GNDI_FUSE_LOAD, dtypes[n], add_array(dtypes[n], false));
            store(add_op(GNDI_OP_add, dtypes[n], load));
            plan.operand[0].data = memory + sizes[dtypes[n]], plan.operand[2].data = memory + stored * sizes[dtypes[n]];
            CHECK(gndi_fused_layout_of(&plan, &layout) && layout.dense == !stored && layout.before == stored);
            CHECK(layout.access[2] == GNDI_FUSED_VECTOR && layout.access[stored] > GNDI_FUSED_SAME);
            CHECK(compiles(HOPPER));
        }
}

/* Eight axes of which the longest, the vectors', has fewer elements than two vectors. */
TEST(more_units_than_a_launch_has) {
    begin_plan();
    store(load_of(GND_INT8));
    plan.ndim = plan.kept = GNDI_FUSED_AXES, plan.contiguous = false, plan.size = 1;
    int64_t step = 32;
    for (int i = plan.ndim - 1; i >= 0; i--) {
        const bool last = i == plan.ndim - 1;
        plan.size *= plan.shape[i] = last ? 31 : 22;
        plan.stride[0][i] = plan.stride[1][i] = last ? 1 : step;
        if (!last) step *= 22;
    }
    plan.rows = plan.size;
    int64_t elements;
    const int launches = fuse_launches(&plan, &elements);
    CHECK(launches > 1 && elements == plan.size);
}

TEST(what_has_no_kernel) {
    begin_plan();
    store(load_of(GND_FLOAT32));
    plan.ndim = GNDI_FUSED_AXES + 1, plan.contiguous = false;
    for (int i = 0; i < plan.ndim; i++) plan.shape[i] = 2;
    CHECK(fuse_compiles(&plan, 90) == 0 && !gnd_error());
}

TEST_MAIN
