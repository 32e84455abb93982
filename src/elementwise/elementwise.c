/*
 * elementwise.c: the public elementwise functions, generated from ops.def and special.def, and the hot path: dense
 * operands of one dtype, or a dense array and a number, go straight to the backend.
 */
#include "core/loose.h"
#include "elementwise/elementwise.h"
#include "elementwise/record.h"

/* ---- the hot path --------------------------------------------------------------------------- */

/* Must be an array that is computed: anything else goes to the general path, which raises the error. */
static inline bool dense(const gnd_array *x) {
    const bool computed = (x->flags & (GNDI_C_CONTIGUOUS | GNDI_PENDING)) == GNDI_C_CONTIGUOUS;
    return computed && gndi_likely(x->tag == GNDI_ARRAY_TAG) && !gndi_is_loose(x);
}

/* Whether y can stand beside x without broadcasting or casting. */
static inline bool same_layout(const gnd_array *x, const gnd_array *y) {
    return y && x->dtype == y->dtype && dense(y) && x->buffer->device == y->buffer->device && gndi_same_shape(x, y);
}

/* Whether a dense output may be written while x is read: the same memory, or none of it. */
static inline bool same_or_disjoint(const gnd_array *out, const gnd_array *x) {
    if (out->data == x->data) return out->dtype == x->dtype;
    ptrdiff_t distance = out->data < x->data ? x->data - out->data : out->data - x->data;
    int64_t bytes = out->data < x->data ? out->size * gndi_itemsize(out) : x->size * gndi_itemsize(x);
    return distance >= bytes;
}

/* A number as an operand of a dense loop; false if the general path must decide. */
static inline bool immediate(gndi_ew_operand *operand, gnd_arg number, gnd_dtype dtype) {
    operand->immediate = true, operand->dtype = (uint8_t)dtype, operand->data = NULL;
    switch (dtype) {
    case GND_FLOAT32:
        if (number.kind == GND_ARG_REAL) return operand->value.f32 = (float)number.re, true;
        if (number.kind == GND_ARG_INT) return operand->value.f32 = (float)number.i, true;
        return false;
    case GND_FLOAT64:
        if (number.kind == GND_ARG_REAL) return operand->value.f64 = number.re, true;
        if (number.kind == GND_ARG_INT) return operand->value.f64 = (double)number.i, true;
        return false;
    case GND_INT32:
        if (number.kind != GND_ARG_INT || number.i != (int32_t)number.i) return false;
        return operand->value.i32 = (int32_t)number.i, true;
    case GND_INT64:
        if (number.kind != GND_ARG_INT) return false;
        return operand->value.i64 = number.i, true;
    default: return false;
    }
}

static inline void array_operand(gndi_ew_operand *operand, const gnd_array *x) {
    operand->immediate = false, operand->dtype = x->dtype, operand->data = x->data;
}

/* Whether x to the power of a number is an operator of x alone, in x's own dtype: then *op is that. */
static inline bool power_by(const gnd_array *x, gnd_arg exponent, gndi_op *op) {
    gndi_ew_operand number;
    if (!immediate(&number, exponent, (gnd_dtype)x->dtype)) return false;
    gndi_op simple = gndi_ew_power_by((gnd_dtype)x->dtype, exponent);
    if (simple == *op) return false;
    *op = simple;
    return true;
}

/*
 * The dense case of a one-output operator whose inputs are all T: 1 if it was carried out (*out is
 * made if NULL), 0 if the general path must look at it, -1 on failure. Only the first axis of the
 * plan is filled in.
 */
static inline int try_dense(gndi_op op, int nin, const gnd_arg *args, gnd_array **result, bool given) {
    const char *fn = given ? gndi_ops[op].fn_into : gndi_ops[op].fn;
    const gnd_array *x = NULL;
    if (op == GNDI_OP_power && args[1].kind != GND_ARG_ARRAY && args[0].kind == GND_ARG_ARRAY && args[0].array &&
        power_by(args[0].array, args[1], &op))
        nin = 1;
    const gndi_op_info *info = &gndi_ops[op];
    for (int i = 0; i < nin && !x; i++)
        if (args[i].kind == GND_ARG_ARRAY) x = args[i].array;
    if (!x || !dense(x) || x->size == 0 || !(info->loops & GNDI_BIT(x->dtype))) return 0;
    gndi_thread *const tls = gndi_this_thread();
    if (gndi_unlikely((uint64_t)x->size > tls->most)) return 0;
    if (info->nout != 1 || ((info->flags & CHECKED) && x->dtype < GND_FLOAT16)) return 0;

    gndi_ew_plan plan;
    gnd_dtype loop = (gnd_dtype)x->dtype, out_dtype = loop;
    if (info->out[0] != 'T') out_dtype = gndi_letter_dtype(info->out[0], loop);
    for (int i = 0; i < nin; i++) {
        gndi_ew_operand *operand = &plan.operand[1 + i];
        if (info->in[i] != 'T') return 0;
        if (args[i].kind == GND_ARG_ARRAY) {
            const gnd_array *y = args[i].array;
            if (y != x && !same_layout(x, y)) return 0;
            array_operand(operand, y);
            plan.stride[1 + i][0] = gndi_itemsize(x);
        } else {
            if (!immediate(operand, args[i], loop)) return 0;
            plan.stride[1 + i][0] = 0;
        }
    }

    gnd_array *out = *result;
    if (given) {
        if (out->dtype != out_dtype || !dense(out) || (out->flags & GNDI_READONLY) ||
            out->buffer->device != x->buffer->device || !gndi_same_shape(x, out))
            return 0;
        for (int i = 0; i < nin; i++)
            if (args[i].kind == GND_ARG_ARRAY && !same_or_disjoint(out, args[i].array)) return 0;
    }
    gnd_stream *stream = tls->stream;
    if (gndi_unlikely(!stream || stream->device != x->buffer->device)) stream = gndi_ew_stream(x, fn);
    if (gndi_unlikely(!stream)) return -1;
    if (!given) {
        out = gndi_array_new_on(fn, stream, x->ndim, x->shape, out_dtype, GNDI_ORDER_C);
        if (gndi_unlikely(!out)) return -1;
    }
    array_operand(&plan.operand[0], out);
    plan.stride[0][0] = gndi_itemsize(out);
    plan.op = op, plan.loop = loop;
    plan.nin = (uint8_t)nin, plan.nout = 1;
    plan.masked = false, plan.contiguous = true, plan.uniform = true;
    plan.ndim = 1, plan.size = x->size, plan.shape[0] = x->size;
    plan.params[0] = plan.params[1] = plan.params[2] = plan.params[3] = 0;

    gnd_status status = GND_OK;
    for (int i = 0; i < nin && !status; i++)
        if (args[i].kind == GND_ARG_ARRAY) status = gndi_order_read(stream, args[i].array->buffer, fn);
    if (!status) status = gndi_order_write(stream, out->buffer, fn);
    if (!status) status = stream->device->backend->elementwise(stream, &plan, fn);
    if (!status) {
        gndi_submitted(stream);
        if (gndi_unlikely(gndi_sync_always)) status = gndi_finish(stream, fn);
    }
    if (gndi_unlikely(status)) {
        if (!given) gnd_release(out);
        return -1;
    }
    *result = out;
    return 1;
}

/* ---- one operator, by number of inputs ------------------------------------------------------ */

static void request_for(gndi_ew_request *r, gndi_op op, const char *fn, int nin, const gnd_arg *args) {
    memset(r, 0, sizeof *r);
    r->op = op, r->fn = fn;
    for (int i = 0; i < nin; i++) r->args[i] = args[i];
}

static gnd_array *call(gndi_op op, int nin, const gnd_arg *args) {
    gnd_array *out = NULL;
    int done = try_dense(op, nin, args, &out, false);
    if (gndi_likely(done)) return out;
    gndi_ew_request r;
    request_for(&r, op, gndi_ops[op].fn, nin, args);
    return gndi_elementwise(&r, &out) ? NULL : out;
}

static gnd_status call_into(gndi_op op, gnd_array *out, int nin, const gnd_arg *args) {
    const char *fn = gndi_ops[op].fn_into;
    if (gndi_missing(out)) return gndi_raise_null(fn, "out");
    int done = try_dense(op, nin, args, &out, true);
    if (gndi_likely(done)) return done > 0 ? GND_OK : gndi_ew_pending();
    gndi_ew_request r;
    request_for(&r, op, fn, nin, args);
    r.out[0] = out;
    return gndi_elementwise(&r, NULL);
}

static gnd_status call_two(gndi_op op, gnd_array **first, gnd_array **second, int nin, const gnd_arg *args) {
    if (!first || !second)
        return gndi_raise(GND_ERROR_INVALID, gndi_ops[op].fn, "has two results, and no array was given for %s of them",
                          first || second ? "one" : "either");
    gndi_ew_request r;
    gnd_array *results[2] = {NULL, NULL};
    request_for(&r, op, gndi_ops[op].fn, nin, args);
    gnd_status status = gndi_elementwise(&r, results);
    *first = results[0], *second = results[1];
    return status;
}

static gnd_status call_two_into(gndi_op op, gnd_array *first, gnd_array *second, int nin, const gnd_arg *args) {
    const char *fn = gndi_ops[op].fn_into;
    if (gndi_missing(first) || gndi_missing(second))
        return gndi_raise_null(fn, gndi_missing(first) ? "the first output" : "the second output");
    gndi_ew_request r;
    request_for(&r, op, fn, nin, args);
    r.out[0] = first, r.out[1] = second;
    return gndi_elementwise(&r, NULL);
}

/* ---- the public functions ------------------------------------------------------------------- */

/* One pair of functions a row of the table, by its signature. Rows with parameters (PARAMS) have
   argument lists of their own, in elementwise_apply.c, and so has clip. */
#define UNARY(name)                                                                                                    \
    gnd_array *(gnd_##name)(gnd_arg x) {                                                                               \
        return call(GNDI_OP_##name, 1, &x);                                                                            \
    }                                                                                                                  \
    gnd_status(gnd_##name##_into)(gnd_array * out, gnd_arg x) {                                                        \
        return call_into(GNDI_OP_##name, out, 1, &x);                                                                  \
    }
#define BINARY(name)                                                                                                   \
    gnd_array *(gnd_##name)(gnd_arg x, gnd_arg y) {                                                                    \
        return call(GNDI_OP_##name, 2, (const gnd_arg[]){x, y});                                                       \
    }                                                                                                                  \
    gnd_status(gnd_##name##_into)(gnd_array * out, gnd_arg x, gnd_arg y) {                                             \
        return call_into(GNDI_OP_##name, out, 2, (const gnd_arg[]){x, y});                                             \
    }
#define TERNARY(name)                                                                                                  \
    gnd_array *(gnd_##name)(gnd_arg x, gnd_arg y, gnd_arg z) {                                                         \
        return call(GNDI_OP_##name, 3, (const gnd_arg[]){x, y, z});                                                    \
    }                                                                                                                  \
    gnd_status(gnd_##name##_into)(gnd_array * out, gnd_arg x, gnd_arg y, gnd_arg z) {                                  \
        return call_into(GNDI_OP_##name, out, 3, (const gnd_arg[]){x, y, z});                                          \
    }
#define UNARY_TWO(name)                                                                                                \
    gnd_status(gnd_##name)(gnd_array * *first, gnd_array * *second, gnd_arg x) {                                       \
        return call_two(GNDI_OP_##name, first, second, 1, &x);                                                         \
    }                                                                                                                  \
    gnd_status(gnd_##name##_into)(gnd_array * first, gnd_array * second, gnd_arg x) {                                  \
        return call_two_into(GNDI_OP_##name, first, second, 1, &x);                                                    \
    }
#define BINARY_TWO(name)                                                                                               \
    gnd_status(gnd_##name)(gnd_array * *first, gnd_array * *second, gnd_arg x, gnd_arg y) {                            \
        return call_two(GNDI_OP_##name, first, second, 2, (const gnd_arg[]){x, y});                                    \
    }                                                                                                                  \
    gnd_status(gnd_##name##_into)(gnd_array * first, gnd_array * second, gnd_arg x, gnd_arg y) {                       \
        return call_two_into(GNDI_OP_##name, first, second, 2, (const gnd_arg[]){x, y});                               \
    }

#define FORM_T_T(name) UNARY(name)
#define FORM_T_R(name) UNARY(name)
#define FORM_T_B(name) UNARY(name)
#define FORM_T_H(name) UNARY(name)
#define FORM_TT_T(name) BINARY(name)
#define FORM_TT_B(name) BINARY(name)
#define FORM_TI_T(name) BINARY(name)
#define FORM_TTT_T(name) TERNARY(name)
#define FORM_BTT_T(name) TERNARY(name)
#define FORM_T_TT(name) UNARY_TWO(name)
#define FORM_T_TN(name) UNARY_TWO(name)
#define FORM_TT_TT(name) BINARY_TWO(name)

#define PUBLIC_0(name, signature) FORM_##signature(name)
#define PUBLIC_CHECKED(name, signature) FORM_##signature(name)
#define PUBLIC_ASSOCIATIVE(name, signature) FORM_##signature(name)
#define PUBLIC_PARAMS(name, signature)
#define PUBLIC_INTERNAL(name, signature)
#define PUBLIC_INTERNAL_CHECKED(name, signature)

#define OP(family, name, signature, loops, identity, flags) PUBLIC_##flags(name, signature)
#include "kernels/ops/ops.def"
#include "kernels/ops/special.def"
#undef OP
