/* DLPack tensors: what gnd hands out, what it takes in, and what it refuses, with a producer and a consumer of
   the test's own. Between libraries: tests/oracle/io/test_dlpack.py. */
#include "reads.h"
#include "values.h"

#include "io/dlpack_abi.h"
#include <pthread.h>

typedef struct DLManagedTensorVersioned versioned;
typedef struct DLManagedTensor plain;

/* The stream that a consumer on the current device passes, one of its own kind. */
static int64_t stream_here(void) {
    return gnd_current_device().kind == GND_GPU ? 1 : GND_DLPACK_NONE;
}

/* ---- a producer ----------------------------------------------------------------------------- */

static int deleted; /* how often a deleter was called */

static void delete_versioned(versioned *self) {
    deleted++;
    self->context = NULL;
}

static void delete_plain(plain *self) {
    deleted++;
    self->context = NULL;
}

/* Memory of the test, and a tensor over it: 2 x 3 float32 in C order. Tensors are static wherever arrays
   over them may outlive the function: a test's arrays are released after it. */
static float numbers[6];
static int64_t sizes[40], steps[40];

static gndi_dl_tensor good_tensor(void) {
    for (int i = 0; i < 6; i++) numbers[i] = (float)i;
    sizes[0] = 2, sizes[1] = 3, steps[0] = 3, steps[1] = 1;
    return (gndi_dl_tensor){.data = numbers,
                            .device = {GNDI_DL_CPU, 0},
                            .ndim = 2,
                            .dtype = {GNDI_DL_FLOAT, 32, 1},
                            .shape = sizes,
                            .strides = steps};
}

static versioned good(void) {
    return (versioned){.version = {1, 0}, .deleter = delete_versioned, .tensor = good_tensor()};
}

/* ---- in ------------------------------------------------------------------------------------- */

TEST(taken_in_without_a_copy) {
    static versioned t;
    t = good();
    deleted = 0;
    gnd_array *a = gnd_from_dlpack(&t);
    CHECK(a && gnd_data(a) == numbers && gnd_ndim(a) == 2 && gnd_dim(a, 1) == 3);
    CHECK(HOLDS_AS(a, GND_FLOAT32, 0, 1, 2, 3, 4, 5) && !gnd_is_readonly(a));
    numbers[4] = 9;
    CHECK(HOLDS(a, 0, 1, 2, 3, 9, 5));
    gnd_multiply_into(a, a, 2);
    CHECK(numbers[4] == 18);
    gnd_array *view = gnd_slice(a, "1, ::-1");
    gnd_release(a);
    CHECK(deleted == 0 && HOLDS(view, 10, 18, 6));
    gnd_release(view);
    CHECK(deleted == 1);
}

TEST(taken_in_of_any_layout) {
    static versioned t;
    t = good();
    deleted = 0;
    GND_SCOPE {
        steps[0] = -3, steps[1] = -1, t.tensor.byte_offset = 5 * sizeof(float);
        CHECK(HOLDS(gnd_from_dlpack(&t), 5, 4, 3, 2, 1, 0));
        t.tensor.byte_offset = sizeof(float), steps[0] = 0, steps[1] = 2;
        gnd_array *a = gnd_from_dlpack(&t);
        CHECK(HOLDS(a, 1, 3, 5, 1, 3, 5) && gnd_is_readonly(a));
        t.tensor.byte_offset = 0, t.tensor.strides = NULL;
        CHECK(HOLDS(gnd_from_dlpack(&t), 0, 1, 2, 3, 4, 5));
        t.tensor.strides = steps, sizes[0] = 1, steps[0] = INT64_MAX; /* never stepped along */
        CHECK(HOLDS(gnd_from_dlpack(&t), 0, 2, 4));
        sizes[0] = 0, t.tensor.data = NULL;
        a = gnd_from_dlpack(&t);
        CHECK(a && gnd_size(a) == 0 && gnd_dim(a, 1) == 3);
        t = good();
        t.tensor.ndim = 0, t.tensor.shape = t.tensor.strides = NULL;
        CHECK(HOLDS(gnd_from_dlpack(&t), 0) && gnd_ndim(gnd_from_dlpack(&t)) == 0);
    }
    CHECK(deleted == 7);
}

TEST(taken_in_with_flags_and_old_forms) {
    static versioned t;
    t = good();
    t.flags = GNDI_DL_READ_ONLY | GNDI_DL_COPIED | 64, t.version.minor = 99;
    t.tensor.device = (gndi_dl_device){GNDI_DL_CUDA_HOST, 3}; /* page-locked: the host's all the same */
    gnd_array *a = gnd_from_dlpack(&t);
    CHECK(a && gnd_is_readonly(a) && gnd_is_readonly(gnd_slice(a, "0")));
    CHECK_ERROR(gnd_add_into(a, a, 1), GND_ERROR_INVALID, "read-only");
    t.flags = 0, t.deleter = NULL; /* nothing is to be given back */
    CHECK(!gnd_is_readonly(gnd_from_dlpack(&t)));
    static plain p;
    p = (plain){.tensor = good_tensor(), .deleter = delete_plain};
    deleted = 0;
    GND_SCOPE {
        CHECK(HOLDS(gnd_from_dlpack_unversioned(&p), 0, 1, 2, 3, 4, 5));
    }
    CHECK(deleted == 1);
    p.deleter = NULL;
    CHECK(HOLDS(gnd_from_dlpack_unversioned(&p), 0, 1, 2, 3, 4, 5));
}

TEST(every_dtype_is_taken_in) {
    static const struct {
        gndi_dl_dtype theirs;
        gnd_dtype ours;
    } pairs[] = {
        {{GNDI_DL_BOOL, 8, 1}, GND_BOOL},
        {{GNDI_DL_INT, 8, 1}, GND_INT8},
        {{GNDI_DL_INT, 16, 1}, GND_INT16},
        {{GNDI_DL_INT, 32, 1}, GND_INT32},
        {{GNDI_DL_INT, 64, 1}, GND_INT64},
        {{GNDI_DL_UINT, 8, 1}, GND_UINT8},
        {{GNDI_DL_UINT, 16, 1}, GND_UINT16},
        {{GNDI_DL_UINT, 32, 1}, GND_UINT32},
        {{GNDI_DL_UINT, 64, 1}, GND_UINT64},
        {{GNDI_DL_FLOAT, 16, 1}, GND_FLOAT16},
        {{GNDI_DL_BFLOAT, 16, 1}, GND_BFLOAT16},
        {{GNDI_DL_FLOAT, 32, 1}, GND_FLOAT32},
        {{GNDI_DL_FLOAT, 64, 1}, GND_FLOAT64},
        {{GNDI_DL_COMPLEX, 64, 1}, GND_COMPLEX64},
        {{GNDI_DL_COMPLEX, 128, 1}, GND_COMPLEX128},
    };
    static double room[16];
    int32_t type = -1, index = -1;
    for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++) {
        static versioned tensors[sizeof pairs / sizeof *pairs];
        versioned *t = &tensors[k];
        *t = good();
        t->tensor.dtype = pairs[k].theirs, t->tensor.data = room;
        gnd_array *a = gnd_from_dlpack(t);
        CHECK(a && gnd_dtype_of(a) == pairs[k].ours);
        versioned *out = gnd_to_dlpack(a, GND_DLPACK_NONE);
        CHECK(out && memcmp(&out->tensor.dtype, &pairs[k].theirs, sizeof(gndi_dl_dtype)) == 0);
        CHECK(out->tensor.data == room && out->version.major == 1 && out->flags == 0);
        out->deleter(out);
        CHECK(gnd_dlpack_device(a, &type, &index) == GND_OK && type == GNDI_DL_CPU && index == 0);
    }
    CHECK(gnd_dlpack_stream(gnd_cpu()) == GND_DLPACK_NONE);
}

/* ---- what is refused ------------------------------------------------------------------------ */

#define REFUSED(code, text, ...)                                                                                       \
    do {                                                                                                               \
        versioned t = good();                                                                                          \
        __VA_ARGS__;                                                                                                   \
        CHECK_ERROR(gnd_from_dlpack(&t), code, text);                                                                  \
    } while (0)

TEST(hostile_tensors_are_refused) {
    deleted = 0;
    CHECK_ERROR(gnd_from_dlpack(NULL), GND_ERROR_INVALID, "tensor");
    CHECK_ERROR(gnd_from_dlpack_unversioned(NULL), GND_ERROR_INVALID, "tensor");
    REFUSED(GND_ERROR_INVALID, "version 2.7", t.version.major = 2, t.version.minor = 7);
    REFUSED(GND_ERROR_INVALID, "version 0.8", t.version.major = 0, t.version.minor = 8);
    REFUSED(GND_ERROR_DTYPE, "4 lanes", t.tensor.dtype.lanes = 4);
    REFUSED(GND_ERROR_DTYPE, "0 lanes", t.tensor.dtype.lanes = 0);
    REFUSED(GND_ERROR_DTYPE, "code 99 (unknown)", t.tensor.dtype.code = 99);
    REFUSED(GND_ERROR_DTYPE, "4 bits", t.tensor.dtype.code = GNDI_DL_INT, t.tensor.dtype.bits = 4);
    REFUSED(GND_ERROR_DTYPE, "8 bits", t.tensor.dtype.bits = 8);
    REFUSED(GND_ERROR_DTYPE, "0 bits", t.tensor.dtype.bits = 0);
    REFUSED(GND_ERROR_DTYPE, "opaque", t.tensor.dtype.code = GNDI_DL_OPAQUE);
    REFUSED(GND_ERROR_DTYPE, "bool", t.tensor.dtype.code = GNDI_DL_BOOL);
    REFUSED(GND_ERROR_DEVICE, "type 10 (ROCm)", t.tensor.device.type = 10);
    REFUSED(GND_ERROR_DEVICE, "type 0 (unknown)", t.tensor.device.type = 0);
    REFUSED(GND_ERROR_DEVICE, "type -1 (unknown)", t.tensor.device.type = -1);
    REFUSED(GND_ERROR_DEVICE, "type 5000", t.tensor.device.type = 5000);
    REFUSED(GND_ERROR_DEVICE, "no gpu:77", t.tensor.device = ((gndi_dl_device){GNDI_DL_CUDA, 77}));
    REFUSED(GND_ERROR_SHAPE, "65 dimensions", t.tensor.ndim = 65);
    REFUSED(GND_ERROR_SHAPE, "-1 dimensions", t.tensor.ndim = -1);
    REFUSED(GND_ERROR_INVALID, "no shape", t.tensor.shape = NULL);
    REFUSED(GND_ERROR_SHAPE, "negative size", sizes[1] = -3);
    REFUSED(GND_ERROR_MEMORY, "too big", sizes[0] = sizes[1] = INT64_MAX);
    REFUSED(GND_ERROR_INVALID, "farther than any memory", steps[0] = INT64_MAX);
    REFUSED(GND_ERROR_INVALID, "farther than any memory", steps[0] = INT64_MIN);
    REFUSED(GND_ERROR_INVALID, "farther than any memory", steps[0] = INT64_MAX / 8);
    REFUSED(GND_ERROR_INVALID, "data is NULL", t.tensor.data = NULL);
    REFUSED(GND_ERROR_INVALID, "not a multiple of the 4 bytes", t.tensor.byte_offset = 2);
    REFUSED(GND_ERROR_INVALID, "not a multiple", t.tensor.data = (char *)numbers + 1);
    CHECK(deleted == 0); /* what is refused stays the caller's */
    if (gnd_current_device().kind == GND_GPU)
        REFUSED(GND_ERROR_DEVICE, "is no memory of gpu:0", t.tensor.device = ((gndi_dl_device){GNDI_DL_CUDA, 0}));
}

TEST(hostile_streams_are_refused) {
    gnd_array *a = gnd_zeros(GND_SHAPE(3), GND_FLOAT32);
    CHECK_ERROR(gnd_to_dlpack(NULL, stream_here()), GND_ERROR_INVALID, "a");
    CHECK_ERROR(gnd_to_dlpack_unversioned(NULL, stream_here()), GND_ERROR_INVALID, "a");
    CHECK_ERROR(gnd_to_dlpack(a, 0), GND_ERROR_INVALID, "stream is 0");
    CHECK_ERROR(gnd_to_dlpack(a, -3), GND_ERROR_INVALID, "stream is -3");
    CHECK_ERROR(gnd_to_dlpack_unversioned(a, INT64_MIN), GND_ERROR_INVALID, "stream is -92233");
    if (gnd_current_device().kind == GND_CPU) CHECK_ERROR(gnd_to_dlpack(a, 1), GND_ERROR_INVALID, "GND_DLPACK_NONE");
    int32_t type, index;
    CHECK_ERROR(gnd_dlpack_device(NULL, &type, &index), GND_ERROR_INVALID, "a");
    CHECK_ERROR(gnd_dlpack_device(a, NULL, &index), GND_ERROR_INVALID, "type");
    CHECK_ERROR(gnd_dlpack_device(a, &type, NULL), GND_ERROR_INVALID, "index");
    CHECK_ERROR(gnd_dlpack_stream(gnd_gpu(77)), GND_ERROR_DEVICE, "gpu:77");
    for (int at = 1; at < 10; at++) {
        gndi_fail_alloc_at(at);
        versioned *t = gnd_to_dlpack(a, stream_here());
        gndi_fail_alloc_at(0);
        gnd_error_record e;
        CHECK(gnd_error_take(&e) ? !t && e.code == GND_ERROR_MEMORY : t != NULL);
        if (!t) continue;
        t->deleter(t);
        break;
    }
}

/* ---- out ------------------------------------------------------------------------------------ */

TEST(handed_out_without_a_copy) {
    gnd_array *x = gnd_reshape(gnd_arange(0, 24, 1, GND_INT32), GND_SHAPE(2, 3, 4));
    gnd_array *a = gnd_slice(x, "1, ::-1, 1::2");
    versioned *t = gnd_to_dlpack(a, stream_here());
    CHECK(t && t->version.major == 1 && t->version.minor == 0 && t->flags == 0);
    CHECK((char *)t->tensor.data + t->tensor.byte_offset == gnd_data(a) && t->tensor.ndim == 2);
    CHECK(t->tensor.shape[0] == 3 && t->tensor.shape[1] == 2);
    CHECK(t->tensor.strides[0] == -4 && t->tensor.strides[1] == 2);
    gnd_array *back = gnd_from_dlpack(t); /* a round trip; it owns the tensor now */
    CHECK(back && gnd_data(back) == gnd_data(a) && HOLDS(back, 21, 23, 17, 19, 13, 15));
    CHECK(gnd_device_equal(gnd_device_of(back), gnd_device_of(a)));

    plain *p = gnd_to_dlpack_unversioned(a, stream_here());
    CHECK(p && p->tensor.data == gnd_data(a) && p->tensor.strides[0] == -4);
    p->deleter(p);
}

TEST(handed_out_read_only) {
    gnd_array *row = gnd_arange(0, 3, 1, GND_FLOAT64);
    gnd_array *a = gnd_broadcast_to(row, GND_SHAPE(5, 3));
    versioned *t = gnd_to_dlpack(a, stream_here());
    CHECK(t && t->flags == GNDI_DL_READ_ONLY && t->tensor.strides[0] == 0);
    t->deleter(t);
    CHECK_ERROR(gnd_to_dlpack_unversioned(a, stream_here()), GND_ERROR_INVALID, "read-only");
}

TEST(handed_out_empty_and_0d) {
    versioned *t = gnd_to_dlpack(gnd_zeros(GND_SHAPE(3, 0, 2), GND_INT8), stream_here());
    CHECK(t && t->tensor.data == NULL && t->tensor.shape[1] == 0 && t->tensor.strides[2] == 1);
    t->deleter(t);
    t = gnd_to_dlpack(gnd_full(GND_SCALAR, 5, GND_INT8), stream_here());
    CHECK(t && t->tensor.ndim == 0 && t->tensor.data);
    t->deleter(t);
}

TEST(memory_outlives_the_arrays) {
    versioned *t = NULL;
    GND_SCOPE {
        t = gnd_to_dlpack(gnd_add(gnd_zeros(GND_SHAPE(1000), GND_INT64), 7), stream_here());
    }
    gnd_zeros(GND_SHAPE(1000), GND_INT64); /* would take the memory if it were free */
    gnd_array *a = gnd_from_dlpack(t);
    CHECK(gnd_item_int(gnd_sum(a, GND_ALL)) == 7000);
}

TEST(pending_elements_are_computed) {
    gnd_array *x = gnd_arange(0, 5, 1, GND_FLOAT64);
    versioned *t = NULL;
    GND_FUSE {
        t = gnd_to_dlpack(gnd_add(gnd_multiply(x, x), 1), stream_here());
    }
    CHECK(HOLDS(gnd_from_dlpack(t), 1, 2, 5, 10, 17));
}

static void *give_back(void *tensor) {
    versioned *t = tensor;
    t->deleter(t);
    return gnd_error() ? (void *)gnd_error() : NULL;
}

TEST(deleters_on_other_threads) {
    pthread_t threads[8];
    gnd_array *x = gnd_ones(GND_SHAPE(1 << 16), GND_FLOAT32);
    for (int round = 0; round < 20; round++) {
        for (int k = 0; k < 8; k++) {
            gnd_array *a = gnd_add(x, k);
            versioned *t = gnd_to_dlpack(a, k % 2 ? stream_here() : -1);
            gnd_release(a);
            CHECK(pthread_create(&threads[k], NULL, give_back, t) == 0);
        }
        for (int k = 0; k < 8; k++) {
            void *error = NULL;
            pthread_join(threads[k], &error);
            CHECK(error == NULL);
        }
    }
}

static void *take_and_release(void *tensor) {
    gnd_release(gnd_from_dlpack(tensor));
    return NULL;
}

TEST(taken_in_on_another_thread) {
    pthread_t thread;
    versioned t = good();
    deleted = 0;
    CHECK(pthread_create(&thread, NULL, take_and_release, &t) == 0);
    pthread_join(thread, NULL);
    CHECK(deleted == 1);
}

/* Streams of gnd's own stand for a consumer's and a producer's: work of one is seen by the other. */
TEST(streams_wait) {
    if (gnd_current_device().kind != GND_GPU) SKIP("only a GPU has streams");
    gnd_stream *theirs = gnd_stream_new(), *side = gnd_stream_new();
    const int64_t number = (int64_t)(intptr_t)gnd_stream_native(theirs);
    for (int round = 0; round < 5; round++) {
        gnd_array *x = gnd_zeros(GND_SHAPE(1 << 24), GND_FLOAT32);
        for (int k = 0; k < 20; k++) gnd_add_into(x, x, 1);
        versioned *t = gnd_to_dlpack(x, number);
        GND_STREAM(theirs) {
            CHECK(gnd_dlpack_stream(gnd_current_device()) == number);
            gnd_array *a = gnd_from_dlpack(t); /* ordered on `theirs` by the handshake alone */
            gnd_array *sum = NULL;
            GND_STREAM(side) {
                sum = gnd_sum(a, GND_ALL); /* and here by gnd */
            }
            CHECK(gnd_item_double(sum) == 20.0 * (1 << 24));
            gnd_release(a);
        }
    }
    gnd_stream_release(theirs);
    gnd_stream_release(side);
}

TEST_MAIN
