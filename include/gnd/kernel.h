/*
 * gnd/kernel.h: custom kernels. You write the computation in C++, as text; gnd handles shapes, strides,
 * dtypes, streams and devices. (For kernels that do all of that themselves, see gnd/module.h.)
 *
 *     gnd_kernel *sqdiff =
 *         gnd_kernel_elementwise("T x, T y", "T z", "z = (x - y) * (x - y)", "sqdiff", NULL);
 *     gnd_array *z = gnd_kernel_call(sqdiff, GND_ARGS(x, 2));
 *     gnd_kernel_release(sqdiff);
 *
 * Parameters are "type name, type name". A type is the name of a dtype (float32, int64, complex64, also
 * float, double, int) or any other word: a type variable such as T. The arguments determine it: all arguments
 * with the same variable are promoted together as in NumPy, C numbers being weak (gnd/arg.h). An argument for
 * a fixed dtype must cast to it safely (gnd_can_cast). Results are cast to given outputs within a kind, as
 * everywhere. A variable used only by outputs takes the dtype of the given output.
 *
 * In the text:
 * - A parameter is a variable of its name and type, a type variable the name of a type. float16 and bfloat16
 *   are float there, and rounded once, when they are stored; complex64 and complex128 are complex<float> and
 *   complex<double>, with operators, real, imag, conj, abs, arg, norm, exp, log, sqrt, pow, sin, cos, tan and
 *   their like. Inputs cannot be assigned; an output that is never assigned is 0.
 * - `i` is the number of the element in C order of the broadcast shape, a long long; _ind[k] its index along
 *   axis k, _ind.shape(k) and _ind.ndim() the shape. `return` ends an element.
 * - A parameter "raw T x" is the whole array, which does not broadcast: x[k] its element number k in C order,
 *   x(j, k) the one at an index, which is not checked; x.size(), x.ndim(), x.shape(axis), x.stride(axis) in
 *   bytes, and x.data() the address of the first. &x[k] may be given to atomicAdd. For an input, x[k] cannot
 *   be assigned. The argument must have exactly the parameter's dtype.
 * - C's and CUDA's numeric functions (exp, fmaf, min, max, rsqrt, atomicAdd ...) can be called; on the CPU,
 *   those that gnd/module.h lists. gnd's own operators of gnd/elementwise.h work on one element as
 *   gnd::ops::<name> (gnd::ops::erfinv(x)).
 * - A product followed by a sum is rounded twice, unless `contract` is set.
 *
 * A kernel is compiled when it is called with new dtypes, or with another kind of layout: on a GPU by NVRTC,
 * on the CPU by the system's C++ compiler (the environment's CXX, else c++). That takes 0.1 to 1 s, once:
 * compiled kernels are cached in memory and in $XDG_CACHE_HOME/gnd. If compilation fails, the error is
 * GND_ERROR_VALUE with the compiler's message, which names the kernel, the part ("body", "preamble") and the
 * line in it; gnd_kernel_log() has the full text. Without a compiler: GND_ERROR_UNAVAILABLE.
 *
 * An exception thrown by a kernel on the CPU makes the call fail with GND_ERROR_VALUE, the kernel's name and
 * the exception's what(). Outputs may then be partly written. On a GPU, NVRTC refuses `throw`.
 *
 * Nothing here waits for the device. Out-of-bounds accesses are not caught: on a GPU they end all GPU work of
 * the process, and the next wait reports the names of the kernels that were running; on the CPU they may
 * crash the process. Kernels may be used by several threads at once.
 */
#ifndef GND_KERNEL_H
#define GND_KERNEL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/** The maximum numbers of inputs and outputs of a kernel. */
#define GND_KERNEL_INPUTS 24
#define GND_KERNEL_OUTPUTS 8

/** A kernel. Released with gnd_kernel_release(). */
typedef struct gnd_kernel gnd_kernel;

/** Options of a kernel. Zero is always the default. */
typedef struct gnd_kernel_options {
    /** C++ in front of the kernel: functions (mark them __device__), constants, structs, templates.
        Type variables are not known there. */
    const char *preamble;
    /** Reductions: the type of a and b, if not that of the output: a dtype, a variable, or any type
        of the preamble of up to 64 bytes that can be copied byte by byte (std::is_trivially_copyable:
        numbers, structs of them; others are refused when the kernel is compiled). */
    const char *accumulator;
    const char *parallel; /**< generalised ufuncs: core dimensions that run in parallel: "m,p" */
    int lanes;            /**< generalised ufuncs: GPU threads that cooperate on one core; 0: one */
    bool contract;        /**< a product followed by a sum may round once (FMA) */
    void *reserved[4];
} gnd_kernel_options;

/**
 * A kernel of elements: `body`, statements, is run for each element of the shape that all inputs (but raw
 * ones) broadcast to together with given outputs. It may declare variables, loop, branch, and call functions
 * of the preamble.
 *
 *     gnd_kernel_elementwise("float32 x, raw float32 table, int32 n", "float32 y, bool found",
 *                            "for (int k = 0; k < n; k++) y += x * table[k]; found = y > 1;",
 *                            "lookup", NULL)
 *
 * `name`, a C identifier, appears in messages and profilers; NULL: "kernel". `inputs` may be ""; the shape is
 * then given to gnd_kernel_apply(). Raw outputs must be given, and are not zeroed. NULL and an error: a
 * malformed list of parameters, a name twice or that C++ keeps for itself, no output, too many.
 */
GND_API gnd_kernel *gnd_kernel_elementwise(const char *inputs, const char *outputs, const char *body, const char *name,
                                           const gnd_kernel_options *options);

/**
 * A reduction kernel. The expression `map` is computed for each element of the inputs, the expression
 * `reduce` combines two values a and b, and the statement `post` stores the result a:
 *
 *     gnd_kernel_reduction("T x, T y", "T d", "(x - y) * (x - y)", "a + b", "d = sqrt(a)", "0",
 *                          "distance", NULL)
 *
 * NULL for `post` means "d = a" for an output d. `identity` is the initial value, and the result of no
 * elements; with NULL, reducing no elements is an error. `reduce` must be associative and commutative: values
 * are combined in an order that depends only on shapes, strides and device. a and b have the output's type
 * (float for float16) unless options.accumulator says otherwise. In `map`, `i` is the number of the element
 * among all, and `j` its number among those that are reduced to the same output, in C order. One output, not
 * raw.
 */
GND_API gnd_kernel *gnd_kernel_reduction(const char *inputs, const char *output, const char *map, const char *reduce,
                                         const char *post, const char *identity, const char *name,
                                         const gnd_kernel_options *options);

/**
 * A function of numbers as an operator on arrays:
 *
 *     gnd_vectorize("float32(float32 x, float32 y); float64(float64 x, float64 y)",
 *                   "return (x - y) * (x - y);", "sqdiff", NULL)
 *
 * The first signature to which all arguments can be cast safely is used, C numbers being weak; if there is
 * none, the call fails. Parameters are named as in the first signature; up to four unnamed ones are called x,
 * y, z and w. `body` is the function's body, or an expression alone. As in the other kernels float16 is float
 * in it.
 */
GND_API gnd_kernel *gnd_vectorize(const char *signatures, const char *body, const char *name,
                                  const gnd_kernel_options *options);

/**
 * A generalised ufunc: `body` computes the outputs for one index of the loop dimensions, from arrays of the
 * core dimensions in `signature`:
 *
 *     gnd_guvectorize("(m,n),(n,p)->(m,p)", "T a, T b", "T c",
 *                     "for (int i = 0; i < m; i++) for (int j = 0; j < p; j++) {"
 *                     "    T s = 0;"
 *                     "    for (int k = 0; k < n; k++) s += a(i, k) * b(k, j);"
 *                     "    c(i, j) = s;"
 *                     "}", "matmul", NULL)
 *
 * The last axes of each argument are its core dimensions; those before them broadcast, and lead the results'
 * shape. A name has the same size wherever it stands, a number is a size that must be so ("(3),(3)->(3)");
 * each size is a variable of the body, a long long, as are names of outputs alone, whose size is then that of
 * the given output. A parameter with core dimensions is like a raw array (x(i, j), x[k], x.shape(0)) of
 * those; one without, "()", a variable. `i` and _ind are of the loop dimensions, unless names hide them.
 * Outputs' cores start undefined.
 *
 * options.parallel names core dimensions of outputs over which the work of one core is spread: the body runs
 * once for each index of them, and computes what belongs to it. The index of "m" is called m_:
 *
 *     "T s = 0; for (int k = 0; k < n; k++) s += a(m_, k) * b(k, p_); c(m_, p_) = s;"
 *
 * with .parallel = "m,p". All outputs must then have core dimensions.
 *
 * options.lanes (a power of two up to 1024) lets that many threads of a GPU run the body of one index
 * together: `lane` is the thread's number, `lanes` how many there are (one on the CPU), sync() waits for all
 * of them, and lane_sum(v), lane_max(v), lane_min(v) combine a number of each and give the result to all. All
 * lanes must reach each of these calls. Outputs without core dimensions are stored by lane 0.
 */
GND_API gnd_kernel *gnd_guvectorize(const char *signature, const char *inputs, const char *outputs, const char *body,
                                    const char *name, const gnd_kernel_options *options);

/** Releases a kernel. Submitted work is not affected. NULL is ignored. */
GND_API void gnd_kernel_release(gnd_kernel *kernel);

/** The kernel's name. Lives as long as the kernel. */
GND_API const char *gnd_kernel_name(const gnd_kernel *kernel);

/**
 * The compiler's full output for the calling thread's last kernel or module that failed to compile; the error
 * message has only its beginning. "" if none has failed. Valid until the next compilation of this thread.
 */
GND_API const char *gnd_kernel_log(void);

/**
 * Runs a kernel with one output on arguments (arrays and C numbers, in the order of its inputs),
 * and returns the output, a new array laid out as the arguments are. A reduction is over all axes.
 *
 * Errors: a wrong number of arguments, dtypes that do not fit (GND_ERROR_DTYPE), shapes that do not
 * broadcast (GND_ERROR_SHAPE), several devices, a number that its dtype cannot hold, and those of
 * compiling.
 */
GND_API gnd_array *gnd_kernel_call(gnd_kernel *kernel, int count, const gnd_arg *args);

/**
 * The same into `out`, which may share memory with the arguments, but for raw ones, as if these had
 * been copied.
 */
GND_API gnd_status gnd_kernel_call_into(gnd_array *out, gnd_kernel *kernel, int count, const gnd_arg *args);

/**
 * A reduction over axes: gnd_kernel_reduce(distance, GND_ARGS(x, y), GND_AXES_KEEP(1)). The axes
 * are those of the shape that the inputs broadcast to. Of gnd_axes' options keepdims and out are
 * taken; `where`, `initial` and `dtype` are errors.
 */
GND_API gnd_array *gnd_kernel_reduce(gnd_kernel *kernel, int count, const gnd_arg *args, gnd_axes axes);

/** Options of a call. Zero is always the default. */
typedef struct gnd_kernel_call_options {
    gnd_array *out[8]; /**< write here instead of into new arrays */
    /** The (loop) shape, which inputs then broadcast to: for kernels with none but raw inputs. */
    const gnd_shape *shape;
    gnd_dtype dtype[8]; /**< of new outputs whose type no input decides */
    void *reserved[4];
} gnd_kernel_call_options;

/**
 * The full form, for any number of outputs: results[k] becomes a reference to output k, new or
 * given. Nothing is changed if it fails. `results` may be NULL if all outputs are given, `options`
 * always.
 */
GND_API gnd_status gnd_kernel_apply(gnd_array *results[], gnd_kernel *kernel, int count, const gnd_arg *args,
                                    const gnd_kernel_call_options *options);

GND_END

#endif
