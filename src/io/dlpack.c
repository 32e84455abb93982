/*
 * dlpack.c: arrays handed out and taken in as DLPack tensors.
 *
 * What is handed out holds the buffer, not the array: whoever gives it back may do so on a thread that gnd
 * has never seen. What is taken in is a buffer over foreign memory, whose deleter is the tensor's.
 */
#include "io/dlpack.h"
#include "io/dlpack_abi.h"
#include "elementwise/item.h"

enum { WAIT_FOR_NOTHING = -1, LEGACY_STREAM = 1 };

static bool on_gpu(const gndi_device *d) {
    return d->id.kind == GND_GPU;
}

/* ---- dtypes --------------------------------------------------------------------------------- */

static gndi_dl_dtype dtype_out(gnd_dtype dtype) {
    uint8_t code = dtype == GND_BFLOAT16               ? GNDI_DL_BFLOAT
                   : gndi_dtype_is_bool((int)dtype)    ? GNDI_DL_BOOL
                   : gndi_dtype_is_float((int)dtype)   ? GNDI_DL_FLOAT
                   : gndi_dtype_is_complex((int)dtype) ? GNDI_DL_COMPLEX
                   : gnd_dtype_kind(dtype) == 'u'      ? GNDI_DL_UINT
                                                       : GNDI_DL_INT;
    return (gndi_dl_dtype){code, (uint8_t)(8 * gndi_dtype_sizes[dtype]), 1};
}

static const char *kind_of(uint8_t code) {
    static const char *const names[] = {
        "integer", "unsigned integer", "floating point", "opaque", "Brain floating point", "complex", "bool"};
    return code < sizeof names / sizeof *names ? names[code] : "unknown";
}

static gnd_dtype dtype_in(const char *fn, gndi_dl_dtype given) {
    for (int d = GND_BOOL; d < GND_DTYPE_COUNT; d++) {
        gndi_dl_dtype own = dtype_out((gnd_dtype)d);
        if (own.code == given.code && own.bits == given.bits && given.lanes == 1) return (gnd_dtype)d;
    }
    gndi_raise(GND_ERROR_DTYPE, fn,
               "the tensor's dtype, code %d (%s) with %d bits and %d lanes, is none of gnd's: bool; "
               "integers of 8 to 64 bits; floating point of 16 (two kinds), 32 and 64; complex of "
               "64 and 128; one lane",
               given.code, kind_of(given.code), given.bits, given.lanes);
    return GND_DTYPE_NONE;
}

/* ---- streams -------------------------------------------------------------------------------- */

static gnd_status check_stream(const char *fn, const gndi_device *d, int64_t *stream) {
    if (!on_gpu(d)) {
        if (*stream == GND_DLPACK_NONE || *stream == WAIT_FOR_NOTHING) return GND_OK;
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "stream is %lld, but the array is on the CPU, where there is none: pass "
                          "GND_DLPACK_NONE",
                          (long long)*stream);
    }
    if (*stream == GND_DLPACK_NONE) *stream = LEGACY_STREAM;
    if (*stream == 0 || *stream < WAIT_FOR_NOTHING)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "stream is %lld; it is 1 for CUDA's legacy default stream, 2 for the "
                          "thread's default stream, a cudaStream_t, or -1 for none",
                          (long long)*stream);
    return GND_OK;
}

#ifdef GNDI_WITH_CUDA
static gnd_status make_wait(gnd_stream *s, int64_t foreign, const char *fn) {
    return gndi_dlpack_cuda_after(s, foreign, fn);
}
static void wait_for_legacy(gnd_stream *s) {
    gndi_dlpack_cuda_before(s);
}
static void wait_for_device(gndi_device *d) {
    gndi_dlpack_cuda_wait(d);
}
#else /* there are no GPUs */
static gnd_status make_wait(gnd_stream *s, int64_t foreign, const char *fn) {
    (void)s, (void)foreign, (void)fn;
    return GND_OK;
}
static void wait_for_legacy(gnd_stream *s) {
    (void)s;
}
static void wait_for_device(gndi_device *d) {
    (void)d;
}
#endif

/* The elements are there in the order of the consumer's stream. As if gnd wrote them: it may. */
static gnd_status hand_over(const char *fn, const gnd_array *a, int64_t stream) {
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    if (s && gndi_check_not_recording(s, "nothing of it runs before a launch", fn)) return GND_ERROR_INVALID;
    if (!s) return gnd_error() ? gnd_error()->code : GND_ERROR_DEVICE;
    gnd_status status =
        a->flags & GNDI_READONLY ? gndi_order_read(s, a->buffer, fn) : gndi_order_write(s, a->buffer, fn);
    if (status != GND_OK) return status;
    gndi_submitted(s);
    return on_gpu(s->device) && stream != WAIT_FOR_NOTHING ? make_wait(s, stream, fn) : GND_OK;
}

/* ---- out ------------------------------------------------------------------------------------ */

/* A tensor that was handed out, of either kind, with its sizes and strides behind it. */
typedef struct handed_out {
    union {
        struct DLManagedTensorVersioned versioned;
        struct DLManagedTensor plain;
    } as;
    gndi_buffer *buffer;
    int64_t stream;
    int64_t sizes[];
} handed_out;

/* On whatever thread: nothing may be left pending there, so nothing is raised. */
static void give_back(handed_out *out) {
    gndi_device *d = out->buffer->device;
    if (on_gpu(d) && out->stream == LEGACY_STREAM) {
        wait_for_legacy(d->default_stream);
        gndi_order_write(d->default_stream, out->buffer, NULL);
        gndi_submitted(d->default_stream);
    } else if (on_gpu(d)) {
        wait_for_device(d);
    }
    gndi_buffer_release(out->buffer);
    gndi_disowned(out);
    gndi_free(out);
}

static void delete_versioned(struct DLManagedTensorVersioned *self) {
    if (self) give_back(self->context);
}

static void delete_plain(struct DLManagedTensor *self) {
    if (self) give_back(self->context);
}

/* Strides in elements. Those of axes that are never stepped along may be anything: they become what a
   dense array has. */
static gnd_status fill_sizes(const char *fn, const gnd_array *a, int64_t *sizes) {
    int64_t itemsize = gndi_itemsize(a), dense = 1;
    for (int k = a->ndim - 1; k >= 0; k--) {
        bool stepped = a->size > 0 && a->shape[k] > 1;
        if (stepped && a->strides[k] % itemsize)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "the stride along axis %d is %lld bytes, no whole number of elements, "
                              "as DLPack has them; gnd_copy makes it one",
                              k, (long long)a->strides[k]);
        sizes[k] = a->shape[k];
        sizes[a->ndim + k] = stepped ? a->strides[k] / itemsize : dense;
        dense *= a->shape[k] ? a->shape[k] : 1;
    }
    return GND_OK;
}

/* All but what differs between the two kinds of tensors. */
static handed_out *make(const char *fn, const gnd_array *a, int64_t stream, gndi_dl_tensor *tensor) {
    gndi_device *d = a->buffer->device;
    if (check_stream(fn, d, &stream) != GND_OK) return NULL;
    char *data = gndi_data(a);
    if (gndi_settle_address(a->buffer, fn) != GND_OK || hand_over(fn, a, stream) != GND_OK) return NULL;
    handed_out *out = gndi_malloc(fn, sizeof *out + 2 * (size_t)a->ndim * sizeof *out->sizes);
    if (!out || fill_sizes(fn, a, out->sizes) != GND_OK) {
        gndi_free(out);
        return NULL;
    }
    (void)gndi_owned("a DLPack tensor", out, fn);
    gndi_buffer_retain(a->buffer);
    out->buffer = a->buffer, out->stream = stream;
    *tensor = (gndi_dl_tensor){.data = a->size ? data : NULL,
                               .device = {on_gpu(d) ? GNDI_DL_CUDA : GNDI_DL_CPU, d->id.index},
                               .ndim = a->ndim,
                               .dtype = dtype_out((gnd_dtype)a->dtype),
                               .shape = out->sizes,
                               .strides = out->sizes + a->ndim};
    return out;
}

struct DLManagedTensorVersioned *gnd_to_dlpack(const gnd_array *a, int64_t stream) {
    static const char fn[] = "gnd_to_dlpack";
    gndi_dl_tensor tensor;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    handed_out *out = make(fn, a, stream, &tensor);
    if (!out) return NULL;
    out->as.versioned = (struct DLManagedTensorVersioned){.version = {1, 0},
                                                          .context = out,
                                                          .deleter = delete_versioned,
                                                          .flags = a->flags & GNDI_READONLY ? GNDI_DL_READ_ONLY : 0,
                                                          .tensor = tensor};
    return &out->as.versioned;
}

struct DLManagedTensor *gnd_to_dlpack_unversioned(const gnd_array *a, int64_t stream) {
    static const char fn[] = "gnd_to_dlpack_unversioned";
    gndi_dl_tensor tensor;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (a->flags & GNDI_READONLY)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "the array, %s, is read-only, which a tensor without a version cannot "
                          "say; use gnd_to_dlpack, or hand out a copy",
                          gndi_text_array(a)),
               NULL;
    handed_out *out = make(fn, a, stream, &tensor);
    if (!out) return NULL;
    out->as.plain = (struct DLManagedTensor){.tensor = tensor, .context = out, .deleter = delete_plain};
    return &out->as.plain;
}

/* ---- in ------------------------------------------------------------------------------------- */

/* The device that the tensor is on. Page-locked memory is the host's, managed memory a GPU's, too. */
static bool device_in(const char *fn, gndi_dl_device given, gnd_device *out) {
    static const char *const names[] = {[4] = "OpenCL",
                                        [7] = "Vulkan",
                                        [8] = "Metal",
                                        [9] = "VPI",
                                        [10] = "ROCm",
                                        [11] = "ROCm's host",
                                        [12] = "an extension's device",
                                        [14] = "oneAPI",
                                        [15] = "WebGPU",
                                        [16] = "Hexagon"};
    const int count = (int)(sizeof names / sizeof *names);
    if (given.type == GNDI_DL_CPU || given.type == GNDI_DL_CUDA_HOST) {
        *out = gnd_cpu();
        return true;
    }
    if (given.type == GNDI_DL_CUDA || given.type == GNDI_DL_CUDA_MANAGED) {
        *out = gnd_gpu(given.index);
        return true;
    }
    const char *name = given.type > 0 && given.type < count ? names[given.type] : NULL;
    gndi_raise(GND_ERROR_DEVICE, fn, "the tensor is on a device of type %d (%s); gnd works on the CPU and on CUDA",
               given.type, name ? name : "unknown");
    return false;
}

/* Sizes and strides as gnd has them; false, and an error, if they cannot be. */
static bool layout_in(const char *fn, const gndi_dl_tensor *t, gnd_dtype dtype, gnd_shape *shape,
                      int64_t strides[GND_MAX_DIMS]) {
    if (t->ndim < 0 || t->ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, fn, "the tensor has %d dimensions; gnd has 0 to %d", t->ndim, GND_MAX_DIMS),
               false;
    if (t->ndim > 0 && !t->shape)
        return gndi_raise(GND_ERROR_INVALID, fn, "the tensor has %d dimensions and no shape (NULL)", t->ndim), false;
    shape->ndim = t->ndim;
    bool empty = false;
    for (int k = 0; k < t->ndim; k++) empty = empty || t->shape[k] == 0;
    for (int k = 0; k < t->ndim; k++) {
        shape->dim[k] = t->shape[k];
        strides[k] = 0;
        /* Never stepped along: nothing that stands there matters. */
        if (!t->strides || empty || t->shape[k] == 1) continue;
        if (__builtin_mul_overflow(t->strides[k], (int64_t)gndi_dtype_sizes[dtype], &strides[k]))
            return gndi_raise(GND_ERROR_INVALID, fn, "strides %s reach farther than any memory",
                              gndi_text_shape(t->ndim, t->strides)),
                   false;
    }
    return true;
}

static gnd_array *take_in(const char *fn, const gndi_dl_tensor *t, bool readonly, gnd_deleter *deleter, void *context) {
    gnd_device device;
    gnd_shape shape;
    int64_t strides[GND_MAX_DIMS];
    gnd_dtype dtype = dtype_in(fn, t->dtype);
    if (dtype == GND_DTYPE_NONE || !device_in(fn, t->device, &device) || !layout_in(fn, t, dtype, &shape, strides))
        return NULL;
    gndi_device *d = gndi_device_get(device, fn);
    gnd_stream *s = d ? gndi_stream_on(d, fn) : NULL;
    if (!s) return NULL;
    bool dense = !t->strides;
    for (int k = 0; k < shape.ndim; k++) dense = dense || shape.dim[k] == 0;
    char *data = t->data ? (char *)t->data + t->byte_offset : NULL;
    gnd_array *a = gndi_wrap(fn, data, &shape, dense ? NULL : strides, dtype, device, deleter, context);
    if (!a) return NULL;
    if (readonly) a->flags |= GNDI_READONLY;
    /* The producer has made this stream wait, and no other: gnd's others wait for it. */
    gndi_order_write(s, a->buffer, fn);
    gndi_submitted(s);
    return a;
}

static void delete_foreign_versioned(void *data, void *context) {
    struct DLManagedTensorVersioned *tensor = context;
    (void)data;
    if (tensor->deleter) tensor->deleter(tensor);
}

static void delete_foreign_plain(void *data, void *context) {
    struct DLManagedTensor *tensor = context;
    (void)data;
    if (tensor->deleter) tensor->deleter(tensor);
}

gnd_array *gnd_from_dlpack(struct DLManagedTensorVersioned *tensor) {
    static const char fn[] = "gnd_from_dlpack";
    if (!tensor) return gndi_raise_null(fn, "tensor"), NULL;
    if (tensor->version.major != 1)
        return gndi_fail(GND_ERROR_INVALID, fn, "the tensor is of version %u.%u of DLPack; 1.x is known",
                         tensor->version.major, tensor->version.minor);
    return take_in(fn, &tensor->tensor, tensor->flags & GNDI_DL_READ_ONLY, delete_foreign_versioned, tensor);
}

gnd_array *gnd_from_dlpack_unversioned(struct DLManagedTensor *tensor) {
    static const char fn[] = "gnd_from_dlpack_unversioned";
    if (!tensor) return gndi_raise_null(fn, "tensor"), NULL;
    return take_in(fn, &tensor->tensor, false, delete_foreign_plain, tensor);
}

/* ---- what both sides ask -------------------------------------------------------------------- */

int64_t gnd_dlpack_stream(gnd_device device) {
    static const char fn[] = "gnd_dlpack_stream";
    gndi_device *d = gndi_device_get(device, fn);
    gnd_stream *s = d ? gndi_stream_on(d, fn) : NULL;
    return s && on_gpu(d) ? (int64_t)(intptr_t)s->native : GND_DLPACK_NONE;
}

gnd_status gnd_dlpack_device(const gnd_array *a, int32_t *type, int32_t *index) {
    static const char fn[] = "gnd_dlpack_device";
    if (gndi_missing(a) || !type || !index) return gndi_raise_null(fn, !a ? "a" : !type ? "type" : "index");
    const gndi_device *d = a->buffer->device;
    *type = on_gpu(d) ? GNDI_DL_CUDA : GNDI_DL_CPU;
    *index = d->id.index;
    return GND_OK;
}
