/*
 * kernel.h: users' kernels inside the library. A kernel is parsed when it is made (parse.c, tokens.c), bound
 * to the arguments of a call (bind.c, shapes.c), turned into C++ for their dtypes and layout
 * (generate*.c), and compiled and launched (run.c). Numbers that a launch needs travel as 64-bit
 * words, whose positions the generated text knows.
 *
 *     elementwise.c   gnd_kernel_elementwise, gnd_vectorize
 *     gufunc.c        gnd_guvectorize
 *     reduction.c     gnd_kernel_reduction
 *     module*.c       gnd/module.h
 */
#ifndef GNDI_KERNEL_H
#define GNDI_KERNEL_H

#include "core/axes.h"
#include "jit/jit.h"
#include "jit/text.h"
#include "user_kernel/tokens.h"
#include "elementwise/elementwise.h"
#include "runtime/runtime.h"
#include <gnd/kernel.h>

enum {
    GNDI_KERNEL_PARAMS = GND_KERNEL_INPUTS + GND_KERNEL_OUTPUTS,
    GNDI_KERNEL_DIMS = 32, /* names of core dimensions */
};

/* ---- a kernel -------------------------------------------------------------------------------- */

typedef enum gndi_kernel_kind {
    GNDI_KERNEL_ELEMENTS,
    GNDI_KERNEL_CORES, /* a generalised ufunc */
    GNDI_KERNEL_REDUCTION,
    GNDI_KERNEL_LAUNCHED, /* a function of a module */
} gndi_kernel_kind;

typedef struct gndi_kernel_param {
    char name[GNDI_KERNEL_NAME];
    gnd_dtype dtype; /* fixed, or GND_DTYPE_NONE: */
    int variable;    /* its position in the kernel's list */
    bool raw;
    int cores, core[GND_MAX_DIMS]; /* core dimensions, as numbers of the kernel's */
} gndi_kernel_param;

typedef struct gndi_kernel_dim {
    char name[GNDI_KERNEL_NAME];
    int64_t fixed; /* its size, if a number stands for it; else -1 */
} gndi_kernel_dim;

typedef struct gndi_kernel_variant gndi_kernel_variant;
typedef struct gndi_module_function gndi_module_function; /* module.h */

void gndi_module_function_release(gndi_module_function *f); /* NULL: nothing */

struct gnd_kernel {
    atomic_int refs;
    gndi_kernel_kind kind;
    char name[GNDI_KERNEL_NAME];
    int nin, nout;
    gndi_kernel_param param[GNDI_KERNEL_PARAMS]; /* inputs, then outputs */
    int variables;
    char variable[GNDI_KERNEL_PARAMS][GNDI_KERNEL_NAME];
    char *preamble, *body;
    bool contract;
    bool counts;  /* the text says `i`: elements are numbered in C order */
    bool indexes; /* it says _ind: axes stay as they are */

    /* vectorize: the dtypes of the inputs and of the result, GNDI_KERNEL_PARAMS to a signature */
    int signatures;
    gnd_dtype *signature;
    bool expression; /* the body is one */

    /* generalised ufuncs */
    int dims;
    gndi_kernel_dim dim[GNDI_KERNEL_DIMS];
    int parallels, parallel[GNDI_KERNEL_DIMS];
    int lanes; /* 0: no body of several threads */

    /* reductions; the body is the map */
    char *reduce, *post, *identity, *accumulator;

    gndi_module_function *function;
    void (*release_function)(gndi_module_function *function);

    gndi_lock lock;
    gndi_kernel_variant *variants; /* compiled so far */
};

/* A new one with its name, texts and options taken over; NULL and an error. */
gnd_kernel *gndi_kernel_new(const char *fn, gndi_kernel_kind kind, const char *name, const char *body,
                            const gnd_kernel_options *options);

/* ---- parsing (parse.c) ----------------------------------------------------------------------- */

/* Where in a list something is wrong: "parameter 2 of the inputs, \"float x y\"". Each returns
   false and raises. */
bool gndi_kernel_parse_params(const char *fn, gnd_kernel *k, const char *what, const char *text, int *count, int first,
                              int most);
/* "(m,n),(n,p)->(m,p)" for the parameters that are there; "m,p" */
bool gndi_kernel_parse_cores(const char *fn, gnd_kernel *k, const char *signature);
bool gndi_kernel_parse_parallel(const char *fn, gnd_kernel *k, const char *list);
/* "float32(float32 x, float32 y); ..." */
bool gndi_kernel_parse_signatures(const char *fn, gnd_kernel *k, const char *text);

/* ---- a call (bind.c, shapes.c) --------------------------------------------------------------- */

typedef struct gndi_kernel_operand {
    const gnd_array *array; /* NULL: a number */
    gnd_dtype type;         /* of the parameter */
    gnd_dtype stored;       /* of the array */
    gndi_scalar value;      /* of a number, of dtype `type` */
    bool view;              /* an array for the text: raw, or with core dimensions */
    bool dense;             /* views: in C order without gaps */
    bool written;
    int ndim; /* views: their own axes */
    int64_t shape[GND_MAX_DIMS], stride[GND_MAX_DIMS];
    char *data; /* the element at loop index 0 */
} gndi_kernel_operand;

typedef struct gndi_kernel_call {
    gnd_kernel *kernel;
    const char *fn;
    gnd_stream *stream;
    gnd_dtype bound[GNDI_KERNEL_PARAMS]; /* of type variables */
    int count;                           /* operands: inputs, then outputs */
    gndi_kernel_operand operand[GNDI_KERNEL_PARAMS];
    gnd_array *out[GND_KERNEL_OUTPUTS]; /* given or new */
    bool made[GND_KERNEL_OUTPUTS];      /* new */
    gnd_array *temporary[GNDI_KERNEL_PARAMS];
    int temporaries;

    /* the loop */
    int ndim;
    int64_t size, shape[GND_MAX_DIMS];
    int64_t stride[GNDI_KERNEL_PARAMS][GND_MAX_DIMS]; /* of operands, in bytes */
    bool contiguous;                                  /* at most one axis; elements are dense or all the same one */
    int64_t core_size[GNDI_KERNEL_DIMS];
    int parallels; /* the last axes of the loop are those of a core's parallel dimensions */

    /* reductions: the last `reduced` axes of the loop, of `length` elements; one output for each of
       the `rows` indices before them */
    int reduced;
    int64_t rows, length;
} gndi_kernel_call;

/* Arguments and given outputs: numbers, devices, dtypes of all operands. */
gnd_status gndi_kernel_bind(gndi_kernel_call *c, int count, const gnd_arg *args,
                            const gnd_kernel_call_options *options);
/* Whether a number may become an element of `dtype`: any of its kind or a higher one. */
bool gndi_kernel_number_goes(gnd_arg arg, gnd_dtype dtype);
/* The loop's shape, sizes of core dimensions, new outputs, copies of what outputs overlap. */
gnd_status gndi_kernel_shape(gndi_kernel_call *c, const gnd_kernel_call_options *options);
/* Addresses, and the loop's axes sorted and merged as far as the kernel allows. */
void gndi_kernel_plan(gndi_kernel_call *c);
/* For a call to begin with: nothing known but who calls. */
void gndi_kernel_call_start(gndi_kernel_call *c, gnd_kernel *k, const char *fn);
/* The axes of `a` from `lead` on, as a view for the text. */
void gndi_kernel_set_view(gndi_kernel_operand *x, const gnd_array *a, int lead);
/* The loop's axes as a walk, and the call as the walk has become. The operands are in the order of their say about
   axes: outputs first, but in reductions, which read more than they write. */
typedef struct gndi_kernel_walk {
    gndi_walk axes;
    int64_t *stride[GNDI_KERNEL_PARAMS], offset[GNDI_KERNEL_PARAMS];
} gndi_kernel_walk;
void gndi_kernel_walk_begin(gndi_kernel_call *c, gndi_kernel_walk *x);
void gndi_kernel_walk_end(gndi_kernel_call *c, const gndi_kernel_walk *x);
/* Gives up temporaries and, after a failure, new outputs. */
void gndi_kernel_call_end(gndi_kernel_call *c, gnd_status status);
/* A new output of the loop's first `ndim` axes, in the order that the inputs have in memory. */
gnd_array *gndi_kernel_new_output(gndi_kernel_call *c, int k, int ndim, const int64_t *shape);
/* A given one: its shape, dtype, whether it can be written. */
gnd_status gndi_kernel_check_out(gndi_kernel_call *c, int k, int ndim, const int64_t *shape);

/* ---- text (generate.c, generate_reduction.c) ------------------------------------------------- */

/* What is in front of every kernel: gnd's headers, the preamble, type variables. */
void gndi_kernel_generate_start(gndi_text *t, const gndi_kernel_call *c, bool gpu);
/* The function that has the user's statements, for one element, and its call. */
void gndi_kernel_generate_body(gndi_text *t, const gndi_kernel_call *c, bool gpu);
void gndi_kernel_generate_typedefs(gndi_text *t, const gndi_kernel_call *c);
void gndi_kernel_generate(gndi_text *t, const gndi_kernel_call *c, bool gpu);
void gndi_kernel_generate_reduction(gndi_text *t, const gndi_kernel_call *c, bool gpu);
/* What the text calls an index, i or j: "" if a parameter, a type or a dimension has that name. */
const char *gndi_kernel_index_name(const gnd_kernel *k, const char *name);
/* The storage type of a dtype in C++: "gnd::float16". */
const char *gndi_kernel_storage(gnd_dtype dtype);
/* The type of a variable of that dtype: "float32" of float16, too. */
const char *gndi_kernel_number(gnd_dtype dtype);
/* The type of operand k, a view. */
void gndi_kernel_add_view_type(gndi_text *t, const gndi_kernel_call *c, int k);

/* Places of words. size; sizes of the loop's axes; for each operand its address or value (2),
   strides along the loop (ndim), and of views size, sizes and strides; then sizes of core
   dimensions; of reductions what generate_reduction.c says. */
enum { GNDI_WORD_SIZE = 0, GNDI_WORD_SHAPE = 1 };
int gndi_kernel_word_operand(const gndi_kernel_call *c, int k); /* count: what is behind them */
enum {
    GNDI_KERNEL_WORDS = 4000,
    GNDI_KERNEL_MORE_WORDS = 16, /* of reductions, beside one for each axis; at most */
};
/* Fills them in; how many. */
int gndi_kernel_words(const gndi_kernel_call *c, int64_t *words);
int gndi_kernel_word_count(const gndi_kernel_call *c);

/* ---- running (run.c) ------------------------------------------------------------------------- */

struct gndi_kernel_variant {
    gndi_kernel_variant *next;
    gndi_device *device;
    gndi_jit_module *module;
    gndi_jit_function main, finish; /* finish: of reductions */
    size_t key_bytes;
    uint8_t key[];
};

/* What text for this call depends on, compiled. */
gnd_status gndi_kernel_compiled(gndi_kernel_call *c, const gndi_kernel_variant **variant);
GND_API void gndi_test_kernel_nvrtc(int architecture);
int gndi_kernel_tested_architecture(void);
/* Stream order, launch, and notes that follow. */
gnd_status gndi_kernel_run(gndi_kernel_call *c);
/* On the CPU: all threads do 0 .. n-1, in pieces of at least `grain`. Raises what the kernel throws. */
gnd_status gndi_kernel_run_host(const gndi_kernel_call *c, void *call, const int64_t *words, int64_t n, int64_t grain);
/* What a kernel threw on any of the CPU's threads: the first one is told, and no other piece begins. */
enum { GNDI_KERNEL_THROWN = 256 };
typedef struct gndi_thrown {
    atomic_bool any;
    char text[GNDI_KERNEL_THROWN];
} gndi_thrown;
static inline bool gndi_has_thrown(gndi_thrown *t) {
    return atomic_load_explicit(&t->any, memory_order_relaxed);
}
void gndi_note_thrown(gndi_thrown *t, const char *text);
gnd_status gndi_raise_thrown(const char *fn, const char *kernel, const gndi_thrown *t);
gnd_status gndi_kernel_order(gndi_kernel_call *c);
bool gndi_kernel_on_gpu(const gndi_kernel_call *c);

/* The CPU's form of a kernel: words, and which part; 1 if it threw, with the words for it in `thrown`. */
typedef int gndi_kernel_host(const int64_t *words, int64_t begin, int64_t end, char *thrown);

/* The whole of a call of a kernel that is not LAUNCHED. */
gnd_status gndi_kernel_apply(const char *fn, gnd_array **results, gnd_kernel *k, int count, const gnd_arg *args,
                             const gnd_kernel_call_options *options);
gnd_status gndi_kernel_apply_reduction(const char *fn, gnd_array **result, gnd_kernel *k, int count,
                                       const gnd_arg *args, const gnd_axes *axes);

#endif
