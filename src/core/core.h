/*
 * core.h: the array as the library sees it. Everything in src/ may include this header; it depends
 * on nothing but the public types and, by name only, on the runtime's device and stream.
 *
 * A gnd_array is a small header (dtype, shape, strides, a pointer to its first element) over a
 * shared, reference-counted gndi_buffer, which owns device memory and remembers which streams used
 * it. A view is another header over the same buffer.
 */
#ifndef GNDI_CORE_H
#define GNDI_CORE_H

#include <gnd.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

typedef struct gndi_device gndi_device; /* runtime/runtime.h */
typedef struct gnd_scope gndi_scope;    /* gnd/scope.h, array/scope.c */

#define gndi_likely(x) __builtin_expect(!!(x), 1)
#define gndi_unlikely(x) __builtin_expect(!!(x), 0)

/* Asks for `bytes` from p on, which will be read soon: the hardware's own fetching stops at the ends of pages, and does
   not see through loads that wait for a comparison of others. */
static inline void gndi_fetch(const void *p, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i += 64) __builtin_prefetch((const char *)p + i, 0, 3);
}

/* ---- errors (error.c) ----------------------------------------------------------------------- */

/* Records this thread's error, unless one is pending already (the first one explains the rest). `fn` is the public
   function's name; the message becomes "fn: <sentence>". NULL: records nothing, for attempts that may fail. Returns
   `code`. */
gnd_status gndi_raise(gnd_status code, const char *fn, const char *fmt, ...) GND_PRINTF(3, 4);
/* The same for functions that return an array. */
#define gndi_fail(...) (gndi_raise(__VA_ARGS__), (gnd_array *)NULL)
/* A NULL array argument: keeps the pending error that explains it, else raises one of its own; or one
   that gndi_missing() found to be released. Returns GND_ERROR_INVALID or the pending code. */
gnd_status gndi_raise_null(const char *fn, const char *argument);
/* Makes the next gndi_raise_null of this thread say so; returns true. */
bool gndi_note_released(void);

/* Which public function the calling thread works for. `outer`: the one that the program called, if it is built on
   other public functions; errors, kernel faults and leaks of those carry its name. `working`: the function
   in whose name the backend was called last. */
typedef struct gndi_names {
    const char *outer, *working;
} gndi_names;
extern _Thread_local gndi_names gndi_naming;
static inline const char *gndi_public_name(const char *fn) {
    return gndi_naming.outer ? gndi_naming.outer : fn;
}
static inline const char *gndi_outer_set(const char *fn) {
    const char *before = gndi_naming.outer;
    gndi_naming.outer = fn;
    return before;
}
static inline void gndi_outer_restore(const char *const *before) {
    gndi_naming.outer = *before;
}
/* Until the block ends, calls of public functions count as parts of `fn`, or of the function that `fn` is part of. */
#define GNDI_PARTS_OF(fn)                                                                                              \
    __attribute__((cleanup(gndi_outer_restore))) const char *const gndi_outer_before =                                 \
        gndi_outer_set(gndi_public_name(fn))
/* Until the block ends, a callback of the program runs: its calls are the program's own. */
#define GNDI_CALLING_BACK()                                                                                            \
    __attribute__((cleanup(gndi_outer_restore))) const char *const gndi_outer_called_back = gndi_outer_set(NULL)

/* Short-lived text for messages, from a small ring of thread-local buffers: "(3, 4)" and so on. */
const char *gndi_text_shape(int ndim, const int64_t *shape);
const char *gndi_text_array(const gnd_array *a); /* "float32 (3, 4) on gpu:0" */
const char *gndi_text_device(gnd_device d);      /* "cpu", "gpu:0" */
/* One buffer of that ring, for text of any kind: GNDI_TEXT_BYTES of it. */
#define GNDI_TEXT_BYTES 768
char *gndi_text_buffer(void);

/* ---- memory on the host (alloc.c) ----------------------------------------------------------- */

/* malloc, calloc and free for the library's own small objects, with fault injection for the tests
   (GND_FAIL_ALLOC=n in the environment or gndi_fail_alloc_at(n): the n-th allocation from now, of
   host or device memory, fails once). They raise GND_ERROR_MEMORY in the name of `fn`. */
void *gndi_malloc(const char *fn, size_t bytes);
void *gndi_calloc(const char *fn, size_t bytes);
void *gndi_realloc(const char *fn, void *p, size_t bytes);
void gndi_free(void *p);
bool gndi_alloc_should_fail(void);          /* asked by every allocator of the library */
GND_API void gndi_fail_alloc_at(int64_t n); /* exported for the tests only; 0 switches it off */

/* ---- buffers (functions: runtime/pool.c) ---------------------------------------------------- */

/* Memory on one device. Stream order (runtime/order.c): `writer` is the slot of the stream that
   last wrote it and `writer_seq` the number of that operation in its stream; `readers` has a bit
   for each stream slot that has read it since. */
typedef struct gndi_buffer {
    atomic_int refs;
    gndi_device *device;
    void *base;
    size_t bytes; /* of the memory */
    size_t used;  /* of it; the pool rounds up */
    _Atomic uint32_t writer;
    _Atomic uint64_t writer_seq;
    _Atomic uint64_t readers;
    uint32_t home;                              /* stream slot it was allocated on, for the pool */
    uint32_t pool_class;                        /* the pool's size class; UINT32_MAX: foreign memory */
    void (*deleter)(void *base, void *context); /* foreign memory (gnd_wrap) */
    void *context;
    struct gndi_buffer *next;                /* of those that the pool holds back */
    bool opened;                             /* another process's memory (gnd_ipc_open) */
    bool in_capture;                         /* its memory is part of a CUDA graph that was being captured */
    const struct gndi_memory_source *source; /* where it came from (runtime.h); NULL: the device */
    struct gndi_graph_memory *graph;         /* that it belongs to (runtime/graph.h); NULL: none */
    atomic_bool loose;                       /* as bool, it may hold other bytes than 0 and 1 (core/loose.h) */
} gndi_buffer;

void gndi_buffer_retain(gndi_buffer *b);
/* The last release gives the memory back, in stream order. */
void gndi_buffer_release(gndi_buffer *b);

/* ---- the array ------------------------------------------------------------------------------ */

enum {
    GNDI_C_CONTIGUOUS = 1, /* strides of size-1 axes and of empty arrays don't matter */
    GNDI_F_CONTIGUOUS = 2,
    GNDI_READONLY = 4, /* broadcast views: writing through them is refused; views inherit it */
    GNDI_VIEW = 8,     /* made by gndi_array_view */
    GNDI_PENDING = 16, /* neither computed nor allocated yet (runtime/pending.h) */
};

/* In `refs`: a scope holds a reference, beside the ones counted in the lower bits. */
#define GNDI_SCOPED (1 << 30)

/* What the headers of arrays begin with, and those of arrays that were released. */
#define GNDI_ARRAY_TAG UINT32_C(0x646e6721)
#define GNDI_RELEASED_TAG UINT32_C(0x646e6758)

struct gnd_array {
    uint32_t tag;
    atomic_int refs;
    uint8_t dtype; /* gnd_dtype */
    uint8_t ndim;
    uint8_t flags;
    uint8_t capacity; /* the most dimensions this header holds (8 or 64): which free list it returns to */
    int64_t size;     /* number of elements */
    char *data;       /* gndi_data(): the element at index (0, ..., 0), inside buffer (NULL if empty) */
    gndi_buffer *buffer;
    gndi_scope *_Atomic scope;            /* the scope that owns one reference, if any; its thread writes it */
    gnd_array *scope_newer, *scope_older; /* neighbours in that scope's list */
    uint64_t trace;                       /* GND_LEAKS: its position in the table of live arrays, plus 1 */
    int64_t *strides;                     /* in bytes, in the same block as shape[] */
    int64_t shape[];                      /* `capacity` sizes, then `capacity` strides */
};

/*
 * Whether an array argument is NULL, released, or not an array header at all; gndi_raise_null then raises the
 * right error. Every public function calls this for each array argument before it reads it. The reuse of
 * released headers is delayed (array.c), so most uses after a release are detected. Memory that gnd has
 * returned to malloc cannot be checked.
 */
static inline bool gndi_missing(const gnd_array *a) {
    return gndi_unlikely(a == NULL) || (gndi_unlikely(a->tag != GNDI_ARRAY_TAG) && gndi_note_released());
}
/* The same of an argument that may be left out: only what is there, and is no array, is raised. */
bool gndi_optional_missing(const char *fn, const gnd_array *a, const char *argument);

/* Computes a pending array, or fails: then its buffer refuses to be read. */
void gndi_settle(gnd_array *a);
/* Where the element at index (0, ..., 0) is. Whoever asks needs memory: what is pending is submitted. */
static inline char *gndi_data(const gnd_array *a) {
    if (gndi_unlikely(a->flags & GNDI_PENDING)) gndi_settle((gnd_array *)a);
    return a->data;
}

/* Before the address of a buffer goes to the user: what is recorded, and reads or writes it, is submitted. */
gnd_status gndi_settle_address(gndi_buffer *b, const char *fn);

/* How a new array is laid out. */
typedef enum gndi_order {
    GNDI_ORDER_C,
    GNDI_ORDER_F,
    GNDI_ORDER_MATRICES, /* matrices in the last two axes, column-major each, one behind the other */
} gndi_order;

/* New array with memory of its own on the calling thread's current device and stream, not filled.
   Checks ndim, negative sizes and overflow of the byte count. Belongs to the current scope. */
gnd_array *gndi_array_new(const char *fn, int ndim, const int64_t *shape, gnd_dtype dtype, gndi_order order);
/* The same with given byte strides that visit each element once (a permutation of a contiguous
   layout, strides >= itemsize): K-order results. */
gnd_array *gndi_array_new_strided(const char *fn, int ndim, const int64_t *shape, const int64_t *strides,
                                  gnd_dtype dtype);
/* The same on a device and stream of the caller's choice. */
gnd_array *gndi_array_new_on(const char *fn, gnd_stream *stream, int ndim, const int64_t *shape, gnd_dtype dtype,
                             gndi_order order);
/* A view: a new header over base's buffer. Computes size and contiguity flags. NULL strides: in C
   order. Read-only if `base` is. */
gnd_array *gndi_array_view(const char *fn, const gnd_array *base, int ndim, const int64_t *shape,
                           const int64_t *strides, char *data, gnd_dtype dtype);
/* A view whose base is about to be released: it becomes the only array of its memory, which is no view to the user.
   NULL stays NULL. */
static inline gnd_array *gndi_sole_view(gnd_array *view) {
    if (view) view->flags &= (uint8_t)~GNDI_VIEW;
    return view;
}
/* A header over a buffer, whose reference it takes over (released if this fails). */
gnd_array *gndi_array_over(const char *fn, gndi_buffer *buffer, int ndim, const int64_t *shape, const int64_t *strides,
                           char *data, gnd_dtype dtype);

/* A new reference to all of `a`, for functions that return their argument unchanged: a new header,
   because a header belongs to one scope only. (gnd_retain is for the library's own structs.) */
gnd_array *gndi_array_alias(const char *fn, const gnd_array *a);

static inline int64_t gndi_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}
static inline int64_t gndi_max(int64_t a, int64_t b) {
    return a > b ? a : b;
}
/* a / b rounded up, for a >= 0 and b > 0. */
static inline int64_t gndi_ceil_div(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}
/* Of a stride or a step. */
static inline int64_t gndi_magnitude(int64_t x) {
    return x < 0 ? -x : x;
}

static inline bool gndi_is_c_contiguous(const gnd_array *a) {
    return a->flags & GNDI_C_CONTIGUOUS;
}
static inline bool gndi_is_f_contiguous(const gnd_array *a) {
    return a->flags & GNDI_F_CONTIGUOUS;
}
/* Lowest and one-past-highest byte the array's elements touch (equal if it is empty). */
void gndi_array_extent(const gnd_array *a, char **low, char **high);
/* Whether two arrays' byte extents meet: false means certainly disjoint. */
bool gndi_may_overlap(const gnd_array *a, const gnd_array *b);
/* Whether they have a byte in common, exactly, but for questions that would take long, where it is
   true (overlap.c). */
bool gndi_overlaps(const gnd_array *a, const gnd_array *b);
static inline bool gndi_same_shape(const gnd_array *a, const gnd_array *b) {
    if (a->ndim != b->ndim || a->size != b->size) return false;
    for (int i = 0; i < a->ndim; i++)
        if (a->shape[i] != b->shape[i]) return false;
    return true;
}
/* Raises if the two are on different devices; the messages call them so. */
gnd_status gndi_check_together(const char *fn, const gnd_array *a, const char *what_a, const gnd_array *b,
                               const char *what_b);
/* Whether a and b are there, and on one device. Raises if not. */
bool gndi_check_pair(const char *fn, const gnd_array *a, const gnd_array *b);
/* Whether `out` can take a result of this shape that is computed from x: its shape, its device, and
   that it can be written. Raises if not. */
bool gndi_check_out(const char *fn, const gnd_array *x, const gnd_array *out, int ndim, const int64_t *shape);

/* ---- shapes (shape.c) ----------------------------------------------------------------------- */

/* Product of sizes; false if it does not fit int64_t or a size is negative. */
bool gndi_shape_size(int ndim, const int64_t *shape, int64_t *size);
/* A box of an array in C order, as runs of consecutive elements. Axes join those inside them where the box is whole,
   and those of one index are dropped: `count` and `step` (in elements) of what remains, the fastest last, whose step is
   1. Gives their number, at least 1; *first is where the box begins. */
int gndi_merge_box(int ndim, const int64_t *shape, const int64_t *start, const int64_t *size, int64_t *count,
                   int64_t *step, int64_t *first);
/* Where run `row` of a merged box begins. */
int64_t gndi_box_run(int axes, const int64_t *count, const int64_t *step, int64_t first, int64_t row);
/* Strides of a dense array. A product that does not fit is cut off: whoever makes the array refuses its shape. */
void gndi_c_strides(int ndim, const int64_t *shape, int64_t itemsize, int64_t *strides);
void gndi_f_strides(int ndim, const int64_t *shape, int64_t itemsize, int64_t *strides);
/* Of at least two axes: the last two in Fortran order, those before them in C order. */
void gndi_matrix_strides(int ndim, const int64_t *shape, int64_t itemsize, int64_t *strides);
/* Broadcast `shape` into the accumulated (out_ndim, out_shape), as NumPy; false if they clash. */
bool gndi_broadcast(int *out_ndim, int64_t *out_shape, int ndim, const int64_t *shape);
/* The lowest byte that elements touch and the one behind the highest, as offsets from the first element; of
   no elements 0 and 0. False if they do not fit. */
bool gndi_byte_extent(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize, int64_t *low,
                      int64_t *high);
/* Whether strides from outside stay within what memory could be, from `data` on (NULL: from anywhere): no sum
   of steps overflows, none leads below address 0. */
bool gndi_strides_sane(const void *data, int ndim, const int64_t *shape, const int64_t *strides);
/* Strides of `a` seen under a broadcast shape, which it must fit: 0 along broadcast axes. */
void gndi_broadcast_strides(const gnd_array *a, int ndim, const int64_t *shape, int64_t *strides);
/* Bring an axis into 0 .. ndim-1, or raise. */
bool gndi_normalize_axis(const char *fn, int axis, int ndim, int *out);
/* Which axes are meant, as a bit mask; raises on a bad or repeated axis. */
bool gndi_normalize_axes(const char *fn, const gnd_axes *axes, int ndim, uint64_t *mask);

/* ---- dtypes (dtype.c) ----------------------------------------------------------------------- */

/* clang-format off */
static inline bool gndi_dtype_valid(int d) { return d > GND_DTYPE_NONE && d < GND_DTYPE_COUNT; }
static inline bool gndi_dtype_is_bool(int d) { return d == GND_BOOL; }
static inline bool gndi_dtype_is_int(int d) { return d >= GND_INT8 && d <= GND_UINT64; }
static inline bool gndi_dtype_is_float(int d) { return d >= GND_FLOAT16 && d <= GND_FLOAT64; }
static inline bool gndi_dtype_is_half(int d) { return d == GND_FLOAT16 || d == GND_BFLOAT16; }
static inline bool gndi_dtype_is_complex(int d) { return d >= GND_COMPLEX64; }
/* clang-format on */
extern const uint8_t gndi_dtype_sizes[GND_DTYPE_COUNT];
static inline int64_t gndi_itemsize(const gnd_array *a) {
    return gndi_dtype_sizes[a->dtype];
}

/* One element of any dtype, as bytes. */
typedef union gndi_scalar {
    bool b;
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16; /* float16 and bfloat16 bits too */
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    float c64[2];
    double c128[2];
} gndi_scalar;

/* float32 with the last bit set if anything was cut off ("round to odd"): rounding that again to 16
   bits gives what rounding the double once would have. */
float gndi_double_to_odd_float(double value);
/* A C number as an element of `dtype`; raises if an integer does not fit an integer dtype. */
bool gndi_scalar_from_arg(const char *fn, gnd_arg arg, gnd_dtype dtype, gndi_scalar *out);
/* The dtype a C number has alone: bool, int64 (uint64 above 2^63), float64, complex128. */
gnd_dtype gndi_arg_default_dtype(gnd_arg arg);
/* A C number as two doubles (whole ones above 2^53 are rounded), and modulo 2^64. */
typedef struct gndi_parts {
    double re, im;
} gndi_parts;
gndi_parts gndi_arg_parts(gnd_arg arg);
uint64_t gndi_arg_integer(gnd_arg arg);
/* What several arrays' dtypes promote to together (numpy.result_type; not always what pairwise
   promotion in some order gives). GND_DTYPE_NONE if `count` is 0. */
gnd_dtype gndi_promote_list(int count, const gnd_dtype *dtypes);
/* Promotion of `array_dtype` (GND_DTYPE_NONE: no arrays) with a weak number, NEP 50. */
gnd_dtype gndi_promote_weak(gnd_dtype array_dtype, gnd_arg arg);

/* ---- scopes (scope.c) ----------------------------------------------------------------------- */

/* Gives a fresh array (no reference counted yet) to the current scope, else to the caller. */
void gndi_scope_adopt(gnd_array *a);
/* Frees the header and its hold on the buffer; the last reference is gone (array.c). */
void gndi_array_destroy(gnd_array *a);
/* GND_LEAKS=1 (leaks.c): notes a new array, forgets a destroyed one. */
extern bool gndi_leaks_traced;
void gndi_leaks_note(gnd_array *a, const char *fn);
void gndi_leaks_forget(gnd_array *a);
/* The same of another object ("a stream") that is about to be the caller's, and has a release function of its own.
   Gives it back. */
void gndi_leaks_note_object(const char *kind, const void *object, const char *fn);
void gndi_leaks_forget_object(const void *object);
#define gndi_owned(kind, object, fn)                                                                                   \
    (gndi_unlikely(gndi_leaks_traced) ? gndi_leaks_note_object(kind, object, fn) : (void)0, object)
static inline void gndi_disowned(const void *object) {
    if (gndi_unlikely(gndi_leaks_traced)) gndi_leaks_forget_object(object);
}

#endif
