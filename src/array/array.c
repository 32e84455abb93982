/*
 * array.c: array headers: how they are made, described and destroyed. Headers come from two free lists of
 * the thread (up to 8 dimensions, up to 64), so views and results need no malloc.
 */
#include "core/core.h"
#include "runtime/runtime.h"
#include <inttypes.h>
#include "core/lock.h"

#define SMALL_DIMS 8
#define SMALL_KEPT 256 /* headers a thread keeps for later; the rest go back to malloc */
#define LARGE_KEPT 32

/* ---- what each thread adds to the count of live arrays -------------------------------------- */

/* A thread counts in a word of its own (no shared cache line on the hot path); gnd_live_arrays()
   adds the words up. An array may die on another thread than it was made on: one word alone may be
   negative. */
typedef struct thread_tally {
    _Atomic int64_t live;
    struct thread_tally *next, *previous;
    bool listed; /* in `tallies`, and thread_ends() will be called for this thread */
} thread_tally;

static _Thread_local thread_tally tally;
static gndi_lock tallies_lock;
static thread_tally *tallies;
static int64_t ended_threads_live;
static gndi_once exit_key_once;
static pthread_key_t exit_key;
static bool exit_key_made;

static void free_released(void) {
    for (int i = 0; i < GNDI_HEADERS_HELD; i++) {
        gndi_free(gndi_tls.released[i]);
        gndi_tls.released[i] = NULL;
    }
}

static void free_headers(gnd_array **list, int *count) {
    for (gnd_array *a; (a = *list) != NULL;) {
        *list = (gnd_array *)(void *)a->buffer;
        gndi_free(a);
    }
    *count = 0;
}

/* Runs as a thread ends. Should another destructor release arrays after this one, the thread lists
   itself again and pthreads calls this once more. */
static void thread_ends(void *unused) {
    (void)unused;
    free_released();
    free_headers(&gndi_tls.free_small, &gndi_tls.free_small_count);
    free_headers(&gndi_tls.free_large, &gndi_tls.free_large_count);
    gndi_lock_take(&tallies_lock);
    ended_threads_live += atomic_load_explicit(&tally.live, memory_order_relaxed);
    atomic_store_explicit(&tally.live, 0, memory_order_relaxed);
    if (tally.previous)
        tally.previous->next = tally.next;
    else
        tallies = tally.next;
    if (tally.next) tally.next->previous = tally.previous;
    tally.listed = false;
    gndi_lock_give(&tallies_lock);
}

/* In a forked child: the words of the other threads are counted, since their memory may go. */
static void keep_own_tally(void) {
    for (thread_tally *t = tallies; t; t = t->next)
        if (t != &tally) ended_threads_live += atomic_load_explicit(&t->live, memory_order_relaxed);
    tally.next = tally.previous = NULL;
    tallies = tally.listed ? &tally : NULL;
}

static void make_exit_key(void) {
    exit_key_made = pthread_key_create(&exit_key, thread_ends) == 0;
    gndi_at_fork(keep_own_tally);
}

static void list_thread(void) {
    gndi_once_do(&exit_key_once, make_exit_key);
    if (exit_key_made) pthread_setspecific(exit_key, &tally);
    gndi_lock_take(&tallies_lock);
    tally.previous = NULL;
    tally.next = tallies;
    if (tallies) tallies->previous = &tally;
    tallies = &tally;
    tally.listed = true;
    gndi_lock_give(&tallies_lock);
}

static inline void count_live(int64_t change) {
    if (gndi_unlikely(!tally.listed)) list_thread();
    int64_t live = atomic_load_explicit(&tally.live, memory_order_relaxed);
    atomic_store_explicit(&tally.live, live + change, memory_order_relaxed);
}

int64_t gnd_live_arrays(void) {
    gndi_lock_take(&tallies_lock);
    int64_t live = ended_threads_live;
    for (thread_tally *t = tallies; t; t = t->next) live += atomic_load_explicit(&t->live, memory_order_relaxed);
    gndi_lock_give(&tallies_lock);
    return live;
}

/* ---- headers -------------------------------------------------------------------------------- */

static gnd_array *header_malloc(const char *fn, int capacity) {
    gnd_array *a = gndi_malloc(fn, sizeof *a + 2 * (size_t)capacity * sizeof(int64_t));
    if (a == NULL) return NULL;
    a->capacity = (uint8_t)capacity;
    a->strides = a->shape + capacity;
    return a;
}

static gnd_array *header_get(const char *fn, int ndim) {
    bool small = ndim <= SMALL_DIMS;
    gnd_array **list = small ? &gndi_tls.free_small : &gndi_tls.free_large;
    gnd_array *a = *list;
    if (gndi_unlikely(a == NULL)) return header_malloc(fn, small ? SMALL_DIMS : GND_MAX_DIMS);
    if (gndi_unlikely(gndi_alloc_should_fail())) {
        gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory: no room for an array's header");
        return NULL;
    }
    *list = (gnd_array *)(void *)a->buffer;
    --*(small ? &gndi_tls.free_small_count : &gndi_tls.free_large_count);
    return a;
}

static void header_to_list(gnd_array *a) {
    bool small = a->capacity == SMALL_DIMS;
    gnd_array **list = small ? &gndi_tls.free_small : &gndi_tls.free_large;
    int *count = small ? &gndi_tls.free_small_count : &gndi_tls.free_large_count;
    if (gndi_unlikely(*count >= (small ? SMALL_KEPT : LARGE_KEPT))) {
        gndi_free(a);
        return;
    }
    a->buffer = (gndi_buffer *)(void *)*list;
    *list = a;
    ++*count;
}

/* Delays the reuse of a released header, so that a use of the released array is detected. */
static void header_put(gnd_array *a) {
    gnd_array **slot = &gndi_tls.released[gndi_tls.next_released++ % GNDI_HEADERS_HELD];
    gnd_array *const before = *slot;
    a->tag = GNDI_RELEASED_TAG;
    *slot = a;
    if (gndi_likely(before != NULL)) header_to_list(before);
}

/* The array is complete: count it, and give it to the scope or the caller. */
static gnd_array *born(const char *fn, gnd_array *a) {
    a->trace = 0;
    a->tag = GNDI_ARRAY_TAG;
    count_live(1);
    if (gndi_unlikely(gndi_leaks_traced)) gndi_leaks_note(a, fn);
    gndi_scope_adopt(a);
    return a;
}

void gndi_array_destroy(gnd_array *a) {
    if (gndi_unlikely(a->trace != 0)) gndi_leaks_forget(a);
    gndi_buffer_release(a->buffer);
    count_live(-1);
    header_put(a);
}

/* ---- layout --------------------------------------------------------------------------------- */

static uint8_t contiguity(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize, int64_t size) {
    if (size == 0) return GNDI_C_CONTIGUOUS | GNDI_F_CONTIGUOUS;
    uint8_t flags = GNDI_C_CONTIGUOUS | GNDI_F_CONTIGUOUS;
    int64_t step = itemsize;
    for (int i = ndim - 1; i >= 0; i--) {
        if (shape[i] == 1) continue;
        if (strides[i] != step) flags &= (uint8_t)~GNDI_C_CONTIGUOUS;
        step *= shape[i];
    }
    step = itemsize;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 1) continue;
        if (strides[i] != step) flags &= (uint8_t)~GNDI_F_CONTIGUOUS;
        step *= shape[i];
    }
    return flags;
}

static bool refuse_shape(const char *fn, int ndim, const int64_t *shape, gnd_dtype dtype) {
    for (int i = 0; i < ndim; i++) {
        if (shape[i] >= 0) continue;
        gndi_raise(GND_ERROR_SHAPE, fn, "shape %s has a negative size", gndi_text_shape(ndim, shape));
        return false;
    }
    gndi_raise(GND_ERROR_MEMORY, fn, "an array of shape %s and dtype %s is too big: its bytes do not fit a 64-bit size",
               gndi_text_shape(ndim, shape), gnd_dtype_name(dtype));
    return false;
}

/* Checks what a new array is asked to be; gives its number of elements and bytes. */
static bool measure(const char *fn, int ndim, const int64_t *shape, gnd_dtype dtype, int64_t *size, int64_t *bytes) {
    if (gndi_unlikely(ndim < 0 || ndim > GND_MAX_DIMS)) {
        gndi_raise(GND_ERROR_SHAPE, fn, "ndim is %d; an array has 0 to %d dimensions", ndim, GND_MAX_DIMS);
        return false;
    }
    if (gndi_unlikely(!gndi_dtype_valid(dtype))) {
        gndi_raise(GND_ERROR_DTYPE, fn, "%d is not a dtype; give one of GND_BOOL to GND_COMPLEX128", (int)dtype);
        return false;
    }
    int64_t product = gndi_dtype_sizes[dtype];
    bool empty = false;
    for (int i = 0; i < ndim; i++) {
        if (gndi_unlikely(shape[i] <= 0)) {
            if (shape[i] < 0) return refuse_shape(fn, ndim, shape, dtype);
            empty = true;
        } else if (gndi_unlikely(__builtin_mul_overflow(product, shape[i], &product))) {
            return refuse_shape(fn, ndim, shape, dtype);
        }
    }
    *bytes = empty ? 0 : product;
    *size = *bytes / gndi_dtype_sizes[dtype];
    return true;
}

/* ---- making arrays -------------------------------------------------------------------------- */

/* Bytes to have behind LAPACK's matrices on the CPU: a column, since OpenBLAS 0.3.21 reads complex vectors one element
   too far, and a row of a matrix a column too far: gesdd crashed where no memory followed. */
static int64_t bytes_behind(const gnd_stream *s, int ndim, const int64_t *shape, gnd_dtype dtype, gndi_order order) {
    const bool read = order == GNDI_ORDER_MATRICES && s->device->backend->synchronous && gndi_dtype_is_complex(dtype);
    return read ? shape[ndim - 2] * gndi_dtype_sizes[dtype] : 0;
}

/* `strides` may be NULL: then they follow from `order`. */
static gnd_array *make(const char *fn, gnd_stream *stream, int ndim, const int64_t *shape, const int64_t *strides,
                       gnd_dtype dtype, gndi_order order) {
    int64_t size, bytes;
    if (!measure(fn, ndim, shape, dtype, &size, &bytes)) return NULL;
    if (stream == NULL && (stream = gndi_stream_current(fn)) == NULL) return NULL;
    gnd_array *a = header_get(fn, ndim);
    if (a == NULL) return NULL;
    const int64_t behind = bytes > 0 ? bytes_behind(stream, ndim, shape, dtype, order) : 0;
    a->buffer = gndi_buffer_new(fn, stream, (size_t)bytes + (size_t)behind);
    if (gndi_unlikely(a->buffer == NULL)) {
        header_put(a);
        return NULL;
    }
    a->data = a->buffer->base;
    a->dtype = (uint8_t)dtype;
    a->ndim = (uint8_t)ndim;
    a->size = size;
    for (int i = 0; i < ndim; i++) a->shape[i] = shape[i];
    int64_t itemsize = gndi_dtype_sizes[dtype];
    if (strides)
        memcpy(a->strides, strides, (size_t)ndim * sizeof *strides);
    else if (order == GNDI_ORDER_C)
        gndi_c_strides(ndim, shape, itemsize, a->strides);
    else if (order == GNDI_ORDER_MATRICES)
        gndi_matrix_strides(ndim, shape, itemsize, a->strides);
    else
        gndi_f_strides(ndim, shape, itemsize, a->strides);
    a->flags = contiguity(ndim, a->shape, a->strides, itemsize, size);
    return born(fn, a);
}

gnd_array *gndi_array_new(const char *fn, int ndim, const int64_t *shape, gnd_dtype dtype, gndi_order order) {
    return make(fn, NULL, ndim, shape, NULL, dtype, order);
}

gnd_array *gndi_array_new_strided(const char *fn, int ndim, const int64_t *shape, const int64_t *strides,
                                  gnd_dtype dtype) {
    return make(fn, NULL, ndim, shape, strides, dtype, GNDI_ORDER_C);
}

gnd_array *gndi_array_new_on(const char *fn, gnd_stream *stream, int ndim, const int64_t *shape, gnd_dtype dtype,
                             gndi_order order) {
    return make(fn, stream, ndim, shape, NULL, dtype, order);
}

/* Over a buffer whose reference is taken over. */
static gnd_array *describe(const char *fn, gndi_buffer *buffer, int ndim, const int64_t *shape, const int64_t *strides,
                           char *data, gnd_dtype dtype, uint8_t flags) {
    int64_t size = 0, bytes;
    gnd_array *a = measure(fn, ndim, shape, dtype, &size, &bytes) ? header_get(fn, ndim) : NULL;
    if (gndi_unlikely(a == NULL)) {
        gndi_buffer_release(buffer);
        return NULL;
    }
    a->buffer = buffer;
    a->data = data;
    a->dtype = (uint8_t)dtype;
    a->ndim = (uint8_t)ndim;
    a->size = size;
    for (int i = 0; i < ndim; i++) a->shape[i] = shape[i];
    int64_t itemsize = gndi_dtype_sizes[dtype];
    if (strides)
        for (int i = 0; i < ndim; i++) a->strides[i] = strides[i];
    else
        gndi_c_strides(ndim, shape, itemsize, a->strides);
    a->flags = flags | contiguity(ndim, a->shape, a->strides, itemsize, size);
    return born(fn, a);
}

/* A view can have more elements than memory (broadcast), but its count must fit as any other's. */
gnd_array *gndi_array_view(const char *fn, const gnd_array *base, int ndim, const int64_t *shape,
                           const int64_t *strides, char *data, gnd_dtype dtype) {
    gndi_buffer_retain(base->buffer);
    uint8_t flags = (base->flags & GNDI_READONLY) | GNDI_VIEW;
    return describe(fn, base->buffer, ndim, shape, strides, data, dtype, flags);
}

gnd_array *gndi_array_over(const char *fn, gndi_buffer *buffer, int ndim, const int64_t *shape, const int64_t *strides,
                           char *data, gnd_dtype dtype) {
    return describe(fn, buffer, ndim, shape, strides, data, dtype, 0);
}

gnd_array *gndi_array_alias(const char *fn, const gnd_array *a) {
    return gndi_array_view(fn, a, a->ndim, a->shape, a->strides, gndi_data(a), (gnd_dtype)a->dtype);
}

/* ---- where the elements are ----------------------------------------------------------------- */

void gndi_array_extent(const gnd_array *a, char **low, char **high) {
    int64_t first, last;
    gndi_byte_extent(a->ndim, a->shape, a->strides, gndi_itemsize(a), &first, &last);
    char *const data = gndi_data(a);
    *low = data + first, *high = data + last;
}

bool gndi_may_overlap(const gnd_array *a, const gnd_array *b) {
    /* Addresses, not buffers: two wrapped buffers may describe the same foreign memory. */
    char *a_low, *a_high, *b_low, *b_high;
    if (a->size == 0 || b->size == 0) return false; /* a position, perhaps inside the other, no bytes */
    gndi_array_extent(a, &a_low, &a_high);
    gndi_array_extent(b, &b_low, &b_high);
    return a_low < b_high && b_low < a_high;
}

gnd_status gndi_check_together(const char *fn, const gnd_array *a, const char *what_a, const gnd_array *b,
                               const char *what_b) {
    if (a->buffer->device == b->buffer->device) return GND_OK;
    return gndi_raise(GND_ERROR_DEVICE, fn, "%s is %s, but %s is %s; gnd_to_device moves arrays", what_a,
                      gndi_text_array(a), what_b, gndi_text_array(b));
}

bool gndi_check_pair(const char *fn, const gnd_array *a, const gnd_array *b) {
    if (!gndi_missing(a) && !gndi_missing(b)) return gndi_check_together(fn, a, "a", b, "b") == GND_OK;
    gndi_raise_null(fn, gndi_missing(a) ? "a" : "b");
    return false;
}

bool gndi_check_out(const char *fn, const gnd_array *x, const gnd_array *out, int ndim, const int64_t *shape) {
    if (out->ndim != ndim || memcmp(out->shape, shape, (size_t)ndim * sizeof *shape) != 0)
        gndi_raise(GND_ERROR_SHAPE, fn, "out has shape %s, the result %s", gndi_text_shape(out->ndim, out->shape),
                   gndi_text_shape(ndim, shape));
    else if (out->flags & GNDI_READONLY)
        gndi_raise(GND_ERROR_INVALID, fn, "out is read-only (a broadcast view)");
    else
        return gndi_check_together(fn, x, "x", out, "out") == GND_OK;
    return false;
}

/* ---- the public description ----------------------------------------------------------------- */

/* For accessors: a NULL array is reported, and the accessor returns `nothing`. */
#define NEED(a, nothing)                                                                                               \
    do {                                                                                                               \
        if (gndi_missing(a)) {                                                                                         \
            gndi_raise_null(__func__, #a);                                                                             \
            return nothing;                                                                                            \
        }                                                                                                              \
    } while (0)

gnd_dtype gnd_dtype_of(const gnd_array *a) {
    NEED(a, GND_DTYPE_NONE);
    return (gnd_dtype)a->dtype;
}

int gnd_ndim(const gnd_array *a) {
    NEED(a, 0);
    return a->ndim;
}

int64_t gnd_size(const gnd_array *a) {
    NEED(a, 0);
    return a->size;
}

int64_t gnd_itemsize(const gnd_array *a) {
    NEED(a, 0);
    return gndi_itemsize(a);
}

int64_t gnd_nbytes(const gnd_array *a) {
    NEED(a, 0);
    return a->size * gndi_itemsize(a);
}

int64_t gnd_dim(const gnd_array *a, int axis) {
    NEED(a, 0);
    return gndi_normalize_axis(__func__, axis, a->ndim, &axis) ? a->shape[axis] : 0;
}

int64_t gnd_stride(const gnd_array *a, int axis) {
    NEED(a, 0);
    return gndi_normalize_axis(__func__, axis, a->ndim, &axis) ? a->strides[axis] : 0;
}

gnd_shape gnd_shape_of(const gnd_array *a) {
    gnd_shape shape = {0};
    NEED(a, shape);
    shape.ndim = a->ndim;
    memcpy(shape.dim, a->shape, a->ndim * sizeof *a->shape);
    return shape;
}

gnd_device gnd_device_of(const gnd_array *a) {
    NEED(a, ((gnd_device){GND_CPU, 0}));
    return a->buffer->device->id;
}

bool gnd_is_c_contiguous(const gnd_array *a) {
    NEED(a, false);
    return gndi_is_c_contiguous(a);
}

bool gnd_is_f_contiguous(const gnd_array *a) {
    NEED(a, false);
    return gndi_is_f_contiguous(a);
}

bool gnd_is_readonly(const gnd_array *a) {
    NEED(a, false);
    return a->flags & GNDI_READONLY;
}

bool gnd_is_view(const gnd_array *a) {
    NEED(a, false);
    return a->flags & GNDI_VIEW;
}

bool gnd_shares_buffer(const gnd_array *a, const gnd_array *b) {
    NEED(a, false);
    NEED(b, false);
    return a->buffer == b->buffer;
}

bool gnd_may_share_memory(const gnd_array *a, const gnd_array *b) {
    NEED(a, false);
    NEED(b, false);
    return gndi_may_overlap(a, b);
}

bool gnd_iscomplexobj(const gnd_array *a) {
    NEED(a, false);
    return gndi_dtype_is_complex(a->dtype);
}

bool gnd_isrealobj(const gnd_array *a) {
    NEED(a, false);
    return !gndi_dtype_is_complex(a->dtype);
}

gnd_status gnd_byte_bounds(const gnd_array *a, const void **low, const void **high) {
    static const char fn[] = "gnd_byte_bounds";
    if (!low || !high) return gndi_raise_null(fn, low ? "high" : "low");
    *low = *high = NULL;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    if (a->size == 0) return GND_OK;
    char *first, *last;
    gndi_array_extent(a, &first, &last);
    const gnd_status status = gndi_settle_address(a->buffer, fn);
    if (!status) *low = first, *high = last;
    return status;
}

void *gnd_data(const gnd_array *a) {
    NEED(a, NULL);
    if (a->size == 0) return NULL;
    /* What is recorded and reads these elements must do so before the caller changes them, and what
       writes them before the caller reads. */
    char *data = gndi_data(a);
    return gndi_settle_address(a->buffer, "gnd_data") ? NULL : data;
}
