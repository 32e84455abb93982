/*
 * test_transfer.c: arrays in and out of host memory and from device to device, in every layout;
 * wrapped memory; single elements.
 */
#include "tap.h"
#include <complex.h>
#include <math.h>

enum { ROWS = 6, COLUMNS = 10, CELLS = ROWS * COLUMNS };

static int32_t cell[CELLS]; /* 0, 1, 2, ... */

static gnd_array *matrix(void) {
    for (int i = 0; i < CELLS; i++) cell[i] = i;
    return gnd_from_host(cell, GND_SHAPE(ROWS, COLUMNS), GND_INT32);
}

/* ---- layouts -------------------------------------------------------------------------------- */

TEST(dense_arrays_come_back_as_they_went) {
    int32_t got[CELLS];
    CHECK(gnd_to_host(matrix(), got, sizeof got) == GND_OK);
    CHECK(memcmp(got, cell, sizeof got) == 0);
}

TEST(every_dtype_travels) {
    unsigned char bytes[16 * 7], got[16 * 7];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 37 + 1);
    for (int d = GND_BOOL; d < GND_DTYPE_COUNT; d++) {
        gnd_dtype dtype = (gnd_dtype)d;
        size_t size = 7 * gnd_dtype_size(dtype);
        if (dtype == GND_BOOL) memset(bytes, 1, 7);
        gnd_array *a = gnd_from_host(bytes, GND_SHAPE(7), dtype);
        memset(got, 0, sizeof got);
        CHECK(gnd_to_host(a, got, size) == GND_OK && memcmp(got, bytes, size) == 0);
        CHECK(gnd_to_host(gnd_slice(a, "::-1"), got, size) == GND_OK);
        CHECK(memcmp(got + 6 * gnd_dtype_size(dtype), bytes, gnd_dtype_size(dtype)) == 0);
    }
}

TEST(strided_arrays_are_packed_on_their_way) {
    gnd_array *m = matrix();
    int32_t got[CELLS];
    CHECK(gnd_to_host(gnd_transpose(m), got, sizeof got) == GND_OK);
    for (int c = 0; c < COLUMNS; c++)
        for (int r = 0; r < ROWS; r++) CHECK(got[c * ROWS + r] == r * COLUMNS + c);
    CHECK(gnd_to_host(gnd_slice(m, "::2, ::3"), got, 3 * 4 * sizeof *got) == GND_OK);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) CHECK(got[r * 4 + c] == 2 * r * COLUMNS + 3 * c);
    CHECK(gnd_to_host(gnd_slice(m, "::-1, ::-1"), got, sizeof got) == GND_OK);
    for (int i = 0; i < CELLS; i++) CHECK(got[i] == CELLS - 1 - i);
    CHECK(gnd_to_host(gnd_broadcast_to(gnd_slice(m, "1:2"), GND_SHAPE(3, COLUMNS)), got, 30 * sizeof *got) == GND_OK);
    for (int i = 0; i < 30; i++) CHECK(got[i] == COLUMNS + i % COLUMNS);
}

TEST(empty_and_0d_arrays_travel) {
    int32_t got[1] = {-1};
    CHECK(gnd_to_host(gnd_slice(matrix(), "3, 4"), got, sizeof *got) == GND_OK && got[0] == 34);
    gnd_array *none = gnd_from_host(NULL, GND_SHAPE(0, 5), GND_FLOAT64);
    CHECK(none != NULL && gnd_to_host(none, NULL, 0) == GND_OK && gnd_copy_from_host(none, NULL, 0) == GND_OK);
    double pi = 3.25, back = 0;
    gnd_array *scalar = gnd_from_host(&pi, GND_SCALAR, GND_FLOAT64);
    CHECK(gnd_ndim(scalar) == 0 && gnd_to_host(scalar, &back, sizeof back) == GND_OK && back == 3.25);
}

TEST(host_data_may_be_strided) {
    matrix();
    int32_t got[CELLS];
    int64_t transposed[2] = {4, 4 * COLUMNS}, backwards[2] = {-4 * COLUMNS, -4}, repeated[2] = {0, 4};
    gnd_array *t = gnd_from_host_strided(cell, GND_SHAPE(COLUMNS, ROWS), transposed, GND_INT32);
    CHECK(gnd_to_host(t, got, sizeof got) == GND_OK && got[1] == COLUMNS && got[ROWS] == 1);
    gnd_array *b = gnd_from_host_strided(cell + CELLS - 1, GND_SHAPE(ROWS, COLUMNS), backwards, GND_INT32);
    CHECK(gnd_to_host(b, got, sizeof got) == GND_OK && got[0] == CELLS - 1 && got[CELLS - 1] == 0);
    gnd_array *r = gnd_from_host_strided(cell, GND_SHAPE(3, 2), repeated, GND_INT32);
    CHECK(gnd_to_host(r, got, 6 * sizeof *got) == GND_OK && got[4] == 0 && got[5] == 1);
    CHECK(!gnd_is_readonly(r) && gnd_is_c_contiguous(r));
    CHECK_ERROR(gnd_from_host_strided(cell, GND_SHAPE(3), NULL, GND_INT32), GND_ERROR_INVALID, "strides is NULL");
}

/* A column of a packed record: neither base nor stride is a multiple of the element's size. */
TEST(host_data_may_be_unaligned) {
    unsigned char records[5 * 11], plain[5 * 8 + 1];
    double got[5];
    for (int i = 0; i < 5; i++) {
        double v = 1.5 * i;
        memcpy(records + 11 * i + 3, &v, 8);
    }
    int64_t stride = 11;
    gnd_array *a = gnd_from_host_strided(records + 3, GND_SHAPE(5), &stride, GND_FLOAT64);
    CHECK(gnd_to_host(a, got, sizeof got) == GND_OK && got[0] == 0 && got[4] == 6);
    CHECK(gnd_to_host(gnd_slice(a, "::-1"), plain + 1, 40) == GND_OK);
    memcpy(got, plain + 1, 40);
    CHECK(got[0] == 6 && got[4] == 0);
    CHECK(gnd_copy_from_host(gnd_slice(a, "::-1"), plain + 1, 40) == GND_OK);
    CHECK(gnd_to_host(a, got, sizeof got) == GND_OK && got[1] == 1.5);
    gnd_array *b = gnd_from_host(plain + 1, GND_SHAPE(5), GND_FLOAT64);
    CHECK(gnd_to_host(b, got, sizeof got) == GND_OK && got[1] == 4.5);
}

TEST(copies_into_views_touch_nothing_else) {
    gnd_array *m = matrix();
    int32_t part[6] = {-1, -2, -3, -4, -5, -6}, got[CELLS];
    CHECK(gnd_copy_from_host(gnd_slice(m, "::2, 1:3"), part, sizeof part) == GND_OK);
    CHECK(gnd_copy_from_host(gnd_slice(m, "1, ::-5"), part, 2 * sizeof *part) == GND_OK);
    CHECK(gnd_to_host(m, got, sizeof got) == GND_OK);
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++) {
            int expected = r * COLUMNS + c;
            if (r % 2 == 0 && (c == 1 || c == 2)) expected = part[r / 2 * 2 + c - 1];
            if (r == 1 && (c == 9 || c == 4)) expected = c == 9 ? -1 : -2;
            CHECK(got[r * COLUMNS + c] == expected);
        }
    CHECK_ERROR(gnd_copy_from_host(gnd_broadcast_to(m, GND_SHAPE(2, ROWS, COLUMNS)), got, 2 * sizeof got),
                GND_ERROR_INVALID, "read-only");
}

/* Large enough to be staged, from 64 MiB on in each direction, and not a whole number of chunks. */
TEST(large_arrays_travel) {
    enum { COUNT = 17000001 };
    int32_t *host = malloc(COUNT * sizeof *host), *got = malloc(COUNT * sizeof *got);
    for (int i = 0; i < COUNT; i++) host[i] = i * 7;
    for (int count = 100; count <= COUNT; count = count < 400000 ? count * 4 : count < COUNT ? COUNT : COUNT + 1) {
        gnd_array *a = gnd_from_host(host, GND_SHAPE(count), GND_INT32);
        memset(got, 0, COUNT * sizeof *got);
        CHECK(gnd_to_host(a, got, (size_t)count * sizeof *got) == GND_OK);
        CHECK(memcmp(host, got, (size_t)count * sizeof *got) == 0);
    }
    gnd_array *a = gnd_from_host(host, GND_SHAPE(COUNT), GND_INT32);
    memset(host, 0, COUNT * sizeof *host); /* may be used again at once */
    CHECK(gnd_to_host(gnd_slice(a, "::-1"), got, COUNT * sizeof *got) == GND_OK);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += got[i] != (COUNT - 1 - i) * 7;
    CHECK(wrong == 0);
    free(host);
    free(got);
}

/* ---- pinned memory -------------------------------------------------------------------------- */

TEST(asynchronous_copies) {
    enum { COUNT = 1 << 20 };
    int32_t *in = gnd_pinned_alloc(COUNT * sizeof *in), *out = gnd_pinned_alloc(COUNT * sizeof *out);
    for (int i = 0; i < COUNT; i++) in[i] = i;
    gnd_array *a = gnd_from_host_async(in, GND_SHAPE(COUNT), GND_INT32);
    gnd_array *b = gnd_add(a, 1);
    CHECK(gnd_to_host_async(b, out, COUNT * sizeof *out) == GND_OK && gnd_stream_sync(NULL) == GND_OK);
    int wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong += out[i] != i + 1;
    CHECK(gnd_to_host_async(gnd_slice(b, "::-2"), out, COUNT / 2 * sizeof *out) == GND_OK);
    CHECK(gnd_sync() == GND_OK);
    for (int i = 0; i < COUNT / 2; i++) wrong += out[i] != COUNT - 2 * i;
    CHECK(gnd_copy_from_host_async(gnd_slice(b, "1::2"), in, COUNT / 2 * sizeof *in) == GND_OK);
    CHECK(gnd_to_host(b, out, COUNT * sizeof *out) == GND_OK);
    for (int i = 0; i < COUNT; i++) wrong += out[i] != (i % 2 ? i / 2 : i + 1);
    CHECK(wrong == 0);
    /* Pinned memory in the functions that wait. */
    CHECK(gnd_copy_from_host(a, out, COUNT * sizeof *out) == GND_OK);
    memset(out, 0, COUNT * sizeof *out);
    CHECK(gnd_to_host(a, out, COUNT * sizeof *out) == GND_OK && out[0] == 1 && out[1] == 0 && out[3] == 1);
    gnd_pinned_free(in);
    gnd_pinned_free(out);
}

TEST(asynchronous_copies_need_pinned_memory) {
    if (gnd_current_device().kind == GND_CPU) SKIP("on the CPU any memory will do");
    int32_t plain[4] = {0};
    gnd_array *a = gnd_zeros(GND_SHAPE(4), GND_INT32);
    CHECK_ERROR(gnd_from_host_async(plain, GND_SHAPE(4), GND_INT32), GND_ERROR_INVALID, "gnd_pinned_alloc");
    CHECK_ERROR(gnd_to_host_async(a, plain, sizeof plain), GND_ERROR_INVALID, "destination is not pinned memory");
    CHECK_ERROR(gnd_copy_from_host_async(a, plain, sizeof plain), GND_ERROR_INVALID, "source is not pinned");
}

/* ---- refusals ------------------------------------------------------------------------------- */

TEST(wrong_sizes_and_null_are_refused) {
    gnd_array *m = matrix();
    int32_t got[CELLS] = {0};
    CHECK_ERROR(gnd_to_host(m, got, sizeof got - 1), GND_ERROR_SHAPE, "takes 240 bytes, not 239");
    CHECK_ERROR(gnd_copy_from_host(m, cell, 4), GND_ERROR_SHAPE, "int32 (6, 10)");
    CHECK_ERROR(gnd_to_host(m, NULL, sizeof got), GND_ERROR_INVALID, "destination is NULL");
    CHECK_ERROR(gnd_copy_from_host(m, NULL, sizeof got), GND_ERROR_INVALID, "source is NULL");
    CHECK_ERROR(gnd_from_host(NULL, GND_SHAPE(2), GND_INT8), GND_ERROR_INVALID, "data is NULL");
    CHECK_ERROR(gnd_from_host(cell, GND_SHAPE(2, -1), GND_INT8), GND_ERROR_SHAPE, "(2, -1)");
    CHECK_ERROR(gnd_from_host(cell, GND_SHAPE(2), (gnd_dtype)77), GND_ERROR_DTYPE, "gnd_from_host");
    CHECK_ERROR(gnd_to_host(NULL, got, 4), GND_ERROR_INVALID, "gnd_to_host");
    CHECK_ERROR(gnd_copy_from_host(NULL, got, 4), GND_ERROR_INVALID, "gnd_copy_from_host");
    CHECK_ERROR(gnd_to_device(NULL, gnd_cpu()), GND_ERROR_INVALID, "gnd_to_device");
    CHECK_ERROR(gnd_to_device(m, gnd_gpu(99)), GND_ERROR_DEVICE, "gpu:99");
    CHECK(got[0] == 0);
}

/* ---- devices -------------------------------------------------------------------------------- */

TEST(to_the_same_device_is_the_same_memory) {
    gnd_array *m = matrix();
    gnd_array *same = gnd_to_device(m, gnd_current_device());
    CHECK(gnd_shares_buffer(m, same) && gnd_data(m) == gnd_data(same));
}

TEST(arrays_move_between_devices) {
    gnd_array *m = gnd_slice(matrix(), "::-1, 1::2");
    int32_t got[CELLS / 2], expected[CELLS / 2];
    CHECK(gnd_to_host(m, expected, sizeof expected) == GND_OK);
    for (int from = -1; from < gnd_device_count(GND_GPU); from++)
        for (int to = -1; to < gnd_device_count(GND_GPU); to++) {
            gnd_device a = from < 0 ? gnd_cpu() : gnd_gpu(from), b = to < 0 ? gnd_cpu() : gnd_gpu(to);
            gnd_array *x = gnd_transpose(gnd_add(gnd_to_device(gnd_transpose(m), a), 1)); /* not dense in C order */
            gnd_array *y = gnd_to_device(x, b);
            CHECK(gnd_device_equal(gnd_device_of(y), b));
            gnd_array *z = gnd_subtract(y, 1);
            CHECK(gnd_to_host(z, got, sizeof got) == GND_OK && memcmp(got, expected, sizeof got) == 0);
            gnd_fill(gnd_slice(x, "1"), 0); /* must come after the copy */
            gnd_array *into = gnd_to_device(gnd_zeros(GND_SHAPE(2 * ROWS, COLUMNS), GND_INT32), b);
            CHECK(gnd_transfer(gnd_slice(into, "::2, ::-2"), x) == GND_OK);
            gnd_array *view = gnd_slice(into, "::2, ::-2");
            CHECK(gnd_to_host(view, got, sizeof got) == GND_OK);
            for (int i = 0; i < CELLS / 2; i++) CHECK(got[i] == (i / 5 == 1 ? 0 : expected[i] + 1));
        }
}

TEST(transfers_refuse_what_does_not_fit) {
    gnd_array *m = matrix();
    CHECK_ERROR(gnd_transfer(m, gnd_transpose(m)), GND_ERROR_SHAPE, "(6, 10) but source has shape (10, 6)");
    CHECK_ERROR(gnd_transfer(m, gnd_astype(m, GND_FLOAT32)), GND_ERROR_DTYPE, "int32");
    CHECK_ERROR(gnd_transfer(gnd_broadcast_to(m, GND_SHAPE(1, ROWS, COLUMNS)), NULL), GND_ERROR_INVALID, "source");
    CHECK_ERROR(gnd_transfer(NULL, m), GND_ERROR_INVALID, "destination");
    gnd_array *wide = gnd_broadcast_to(gnd_slice(m, ":1"), GND_SHAPE(ROWS, COLUMNS));
    CHECK_ERROR(gnd_transfer(wide, m), GND_ERROR_INVALID, "read-only");
}

/* ---- foreign memory ------------------------------------------------------------------------- */

typedef struct owner {
    void *data;
    int calls;
} owner;

static void note(void *data, void *context) {
    owner *o = context;
    o->data = data;
    o->calls++;
}

TEST(wrapped_memory_is_shared_and_deleted_once) {
    double host[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    int64_t strides[2] = {-32, 8};
    owner o = {0};
    gnd_device before = gnd_current_device();
    gnd_use(gnd_cpu());
    gnd_array *a = gnd_wrap(host + 8, GND_SHAPE(3, 4), strides, GND_FLOAT64, gnd_cpu(), note, &o);
    CHECK(a && gnd_device_of(a).kind == GND_CPU && gnd_data(a) == host + 8);
    gnd_array *v = gnd_slice(a, "0, 1");
    CHECK(gnd_item_double(v) == 9);
    CHECK(gnd_multiply_into(a, a, 10) == GND_OK && host[11] == 110 && host[1] == 10);
    gnd_release(a);
    CHECK(o.calls == 0); /* the view holds it */
    gnd_release(v);
    CHECK(o.calls == 1 && o.data == host + 8);
    gnd_use(before);
}

TEST(wrapped_device_memory) {
    gnd_array *owner_of_memory = gnd_arange(0, 100, 1, GND_FLOAT32);
    owner o = {0};
    gnd_array *a =
        gnd_wrap(gnd_data(owner_of_memory), GND_SHAPE(10, 10), NULL, GND_FLOAT32, gnd_current_device(), note, &o);
    float got[100];
    CHECK(gnd_stream_sync(NULL) == GND_OK && gnd_add_into(a, a, 1) == GND_OK);
    CHECK(gnd_to_host(a, got, sizeof got) == GND_OK && got[99] == 100);
    gnd_release(a);
    CHECK(o.calls == 1);
}

TEST(bad_memory_is_not_wrapped) {
    _Alignas(16) unsigned char host[64];
    int64_t odd = 6, zero[2] = {0, 4};
    owner o = {0};
    gnd_device cpu = gnd_cpu();
    CHECK_ERROR(gnd_wrap(host + 1, GND_SHAPE(2), NULL, GND_INT32, cpu, note, &o), GND_ERROR_INVALID, "not a multiple");
    CHECK_ERROR(gnd_wrap(host, GND_SHAPE(2), &odd, GND_INT32, cpu, note, &o), GND_ERROR_INVALID, "strides[0] is 6");
    CHECK_ERROR(gnd_wrap(NULL, GND_SHAPE(2), NULL, GND_INT32, cpu, note, &o), GND_ERROR_INVALID, "data is NULL");
    const int64_t far = INT64_MAX - 3, lowest = INT64_MIN;
    CHECK_ERROR(gnd_wrap(host, GND_SHAPE(2), &far, GND_INT32, cpu, note, &o), GND_ERROR_INVALID,
                "farther than any memory");
    CHECK_ERROR(gnd_wrap(host, GND_SHAPE(1), &lowest, GND_INT32, cpu, note, &o), GND_ERROR_INVALID,
                "farther than any memory");
    CHECK_ERROR(gnd_from_host_strided(host, GND_SHAPE(2), &far, GND_INT32), GND_ERROR_INVALID,
                "farther than any memory");
    CHECK_ERROR(gnd_wrap(host, GND_SHAPE(-2), NULL, GND_INT32, cpu, note, &o), GND_ERROR_SHAPE, "(-2,)");
    CHECK_ERROR(gnd_wrap(host, GND_SHAPE(2), NULL, (gnd_dtype)0, cpu, note, &o), GND_ERROR_DTYPE, "gnd_wrap");
    CHECK_ERROR(gnd_wrap(host, GND_SHAPE(2), NULL, GND_INT32, gnd_gpu(99), note, &o), GND_ERROR_DEVICE, "gpu:99");
    if (gnd_device_count(GND_GPU) > 1) {
        gnd_array *there = gnd_to_device(gnd_zeros(GND_SHAPE(4), GND_INT32), gnd_gpu(1));
        CHECK_ERROR(gnd_wrap(gnd_data(there), GND_SHAPE(4), NULL, GND_INT32, gnd_gpu(0), note, &o), GND_ERROR_DEVICE,
                    "is no memory of gpu:0");
    }
    gnd_array *repeated = gnd_wrap(host, GND_SHAPE(3, 2), zero, GND_INT32, cpu, note, &o);
    CHECK(repeated && gnd_is_readonly(repeated));
    CHECK(o.calls == 0);
    gnd_release(repeated);
    CHECK(o.calls == 1);
}

/* ---- one element ---------------------------------------------------------------------------- */

TEST(single_elements) {
    CHECK(gnd_item_double(gnd_full(GND_SCALAR, 2.5, GND_FLOAT64)) == 2.5);
    CHECK(gnd_item_double(gnd_full(GND_SHAPE(1, 1), 2.5, GND_FLOAT16)) == 2.5);
    CHECK(gnd_item_double(gnd_full(GND_SCALAR, -3, GND_BFLOAT16)) == -3);
    CHECK(gnd_item_int(gnd_full(GND_SCALAR, -2.9, GND_FLOAT32)) == -2);
    CHECK(gnd_item_int(gnd_full(GND_SCALAR, INT64_MIN, GND_INT64)) == INT64_MIN);
    CHECK(gnd_item_uint(gnd_full(GND_SCALAR, UINT64_MAX, GND_UINT64)) == UINT64_MAX);
    CHECK(gnd_item_int(gnd_full(GND_SCALAR, true, GND_BOOL)) == 1);
    CHECK(gnd_item_bool(gnd_full(GND_SCALAR, NAN, GND_FLOAT32)) && !gnd_item_bool(gnd_zeros(GND_SCALAR, GND_INT8)));
    double _Complex z = gnd_item_complex(gnd_full(GND_SCALAR, gnd_arg_parts(1, -2), GND_COMPLEX64));
    CHECK(creal(z) == 1 && cimag(z) == -2);
    CHECK(creal(gnd_item_complex(gnd_full(GND_SCALAR, 7, GND_INT16))) == 7);
    int16_t raw = 0;
    CHECK(gnd_item(gnd_full(GND_SCALAR, 1234, GND_INT16), &raw) == GND_OK && raw == 1234);
    CHECK(gnd_item_int(gnd_slice(matrix(), "2, 3")) == 23);
}

TEST(single_elements_are_refused_where_they_do_not_fit) {
    CHECK_ERROR(gnd_item_double(gnd_zeros(GND_SHAPE(2), GND_INT8)), GND_ERROR_SHAPE, "shape (2,), 2 elements");
    CHECK_ERROR(gnd_item_bool(gnd_zeros(GND_SHAPE(0), GND_INT8)), GND_ERROR_SHAPE, "exactly one");
    CHECK_ERROR(gnd_item_double(gnd_zeros(GND_SCALAR, GND_COMPLEX128)), GND_ERROR_DTYPE, "gnd_item_complex");
    CHECK_ERROR(gnd_item_int(gnd_full(GND_SCALAR, NAN, GND_FLOAT64)), GND_ERROR_VALUE, "nan");
    CHECK_ERROR(gnd_item_int(gnd_full(GND_SCALAR, 1e19, GND_FLOAT64)), GND_ERROR_VALUE, "64-bit integer");
    CHECK_ERROR(gnd_item_int(gnd_full(GND_SCALAR, UINT64_MAX, GND_UINT64)), GND_ERROR_VALUE, "64-bit integer");
    CHECK_ERROR(gnd_item_uint(gnd_full(GND_SCALAR, -1, GND_INT64)), GND_ERROR_VALUE, "-1");
    CHECK_ERROR(gnd_item_double(NULL), GND_ERROR_INVALID, "gnd_item_double");
    CHECK_ERROR(gnd_item(gnd_zeros(GND_SCALAR, GND_INT8), NULL), GND_ERROR_INVALID, "value is NULL");
}

TEST_MAIN
