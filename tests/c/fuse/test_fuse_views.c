/*
 * test_fuse_views.c: generated kernels whose operands are views of one array: vectors that begin anywhere, tiles of
 * rows, and halves of launches. They run on the host.
 */
#include "generated.h"

/* Five views of a field, from element `column` on: elements and their neighbours along the last two axes. Their sum is
   multiplied by a number of the column, one of the row, and stored. */
static float fields[2][48 * 1024], factors[2][1024];
enum { VIEWS = 5, LOADS = VIEWS + 2 };
static void make_stencil(int64_t down, int64_t along, int64_t row, int column, bool of_planes) {
    begin_plan();
    plan.ndim = plan.kept = of_planes ? 3 : 2, plan.contiguous = false;
    const int first = of_planes;
    if (of_planes) plan.shape[0] = 2;
    plan.shape[first] = down, plan.shape[first + 1] = along;
    plan.size = plan.rows = down * along * (of_planes ? 2 : 1);
    const int64_t shift[VIEWS + 1] = {row + 1, row - 1, row, 0, 2 * row, row};
    int value = 0;
    for (int k = 0; k < LOADS; k++) {
        const int load = add_code(GNDI_FUSE_LOAD, GND_FLOAT32, add_array(GND_FLOAT32, false));
        const int both[2] = {value, load};
        value = k ? add_op(k < VIEWS ? GNDI_OP_add : GNDI_OP_multiply, GND_FLOAT32, both) : load;
    }
    store(value);
    for (int k = 0; k <= VIEWS; k++) {
        const int at = k < VIEWS ? k : LOADS;
        plan.operand[at].data = (char *)(fields[k == VIEWS] + column + shift[k]);
        plan.stride[at][0] = 4 * row * (down + 2), plan.stride[at][first] = 4 * row, plan.stride[at][first + 1] = 4;
    }
    for (int k = 0; k < 2; k++) {
        plan.operand[VIEWS + k].data = (char *)(factors[k] + (k ? 0 : column + 2));
        memset(plan.stride[VIEWS + k], 0, sizeof plan.stride[0]);
        plan.stride[VIEWS + k][first + !k] = 4;
        for (int i = 0; i < 1024; i++) factors[k][i] = (float)(1 + i * 5 % (7 - k));
    }
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < sizeof fields[0] / 4; i++) fields[k][i] = k ? -12345 : (float)(i * 37 % 101);
}

static bool stencil_is_right(void) {
    int64_t wrong = 0, written = 0;
    for (int64_t n = 0; n < plan.size; n++) {
        float value[LOADS + 1], result = 0;
        for (int k = 0; k <= LOADS; k++) {
            int64_t rest = n, offset = 0;
            for (int i = plan.ndim - 1; i >= 0; i--)
                offset += rest % plan.shape[i] * plan.stride[k][i], rest /= plan.shape[i];
            memcpy(&value[k], plan.operand[k].data + offset, 4);
        }
        for (int k = 0; k < LOADS; k++) result = k < VIEWS ? result + value[k] : result * value[k];
        wrong += value[LOADS] != result;
    }
    for (size_t i = 0; i < sizeof fields[1] / 4; i++) written += fields[1][i] != -12345;
    return wrong == 0 && written == plan.size;
}

TEST(views_that_begin_anywhere) {
    setenv("GND_CACHE", "off", 1);
    static const struct {
        int down, along, row, column;
        bool of_planes, tiles;
    } cases[] = {{62, 510, 512, 1, false, true},  {40, 253, 260, 2, false, true}, {32, 1000, 1001, 1, false, true},
                 {16, 253, 260, 3, true, true},   {30, 128, 132, 4, false, true}, {1, 510, 512, 1, false, false},
                 {33, 257, 260, 3, false, false}, {3, 40, 44, 1, false, false},   {15, 33, 36, 1, false, false}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        gndi_fused_layout layout;
        make_stencil(cases[n].down, cases[n].along, cases[n].row, cases[n].column, cases[n].of_planes);
        CHECK(gndi_fused_layout_of(&plan, &layout));
        CHECK((layout.across > 0) == cases[n].tiles);
        CHECK(layout.width == (cases[n].row % 4 ? 1 : 4));
        const bool ran = run_on_host(), right = ran && stencil_is_right();
        if (!right) printf("# case %zu\n", n);
        CHECK(right);
    }
}

/* Halves of a launch begin with whole units, and only the first one before its rows. */
TEST(halves_of_shifted_rows) {
    gndi_fused_layout layout;
    uint64_t words[2][GNDI_FUSED_WORDS];
    make_stencil(32, 510, 512, 1, false);
    CHECK(gndi_fused_layout_of(&plan, &layout) && layout.before == 1);
    gndi_fused_box first = gndi_fused_all(&plan, &layout), second;
    gndi_fused_halve(&layout, &first, &second);
    gndi_fused_parameters(&plan, &layout, &first, words[0]);
    gndi_fused_parameters(&plan, &layout, &second, words[1]);
    CHECK(first.shape[1] % 4 == 0 && first.shape[1] + second.shape[1] == 511 && words[0][3] == 1 && words[1][3] == 0);
    CHECK(words[1][5] - words[0][5] == 4 * (uint64_t)first.shape[1]);
}

TEST_MAIN
