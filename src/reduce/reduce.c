/*
 * reduce.c: the public reductions over elements as they are. Each names its reducer, the operator it
 * stands for, the rule for its dtypes and the options it takes; reduce_check.c and reduce_types.c do
 * the rest.
 */
#include "reduce/reduce.h"

enum { NO_INITIAL = GNDI_TAKES_DTYPE | GNDI_TAKES_WHERE, NO_OPTION = 0 };

/* A reduction by an operator; the reducer follows from the dtype. */
static gnd_array *fold(const char *fn, const gnd_array *x, const gnd_axes *axes, gndi_op op) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, GNDI_REDUCE_OPERATOR, op, GNDI_RULE_FOLD, GNDI_TAKES_ALL);
    return gndi_reduce(&r);
}

gnd_array *gnd_sum(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_sum", x, &axes, GNDI_OP_add);
}
gnd_array *gnd_prod(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_prod", x, &axes, GNDI_OP_multiply);
}
gnd_array *gnd_min(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_min", x, &axes, GNDI_OP_minimum);
}
gnd_array *gnd_max(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_max", x, &axes, GNDI_OP_maximum);
}
gnd_array *gnd_amin(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_amin", x, &axes, GNDI_OP_minimum);
}
gnd_array *gnd_amax(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_amax", x, &axes, GNDI_OP_maximum);
}

static gnd_array *reduce(const char *fn, const gnd_array *x, const gnd_axes *axes, gndi_reducer reducer, gndi_op op,
                         gndi_reduce_rule rule, int takes) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, reducer, op, rule, takes);
    return gndi_reduce(&r);
}

gnd_array *gnd_ptp(const gnd_array *x, gnd_axes axes) {
    return reduce("gnd_ptp", x, &axes, GNDI_REDUCE_RANGE, GNDI_OP_maximum, GNDI_RULE_RANGE, NO_OPTION);
}
gnd_array *gnd_mean(const gnd_array *x, gnd_axes axes) {
    return reduce("gnd_mean", x, &axes, GNDI_REDUCE_MEAN, GNDI_OP_add, GNDI_RULE_MEAN, NO_INITIAL);
}
gnd_array *gnd_argmin(const gnd_array *x, gnd_axes axes) {
    return reduce("gnd_argmin", x, &axes, GNDI_REDUCE_ARGMIN, GNDI_OP_minimum, GNDI_RULE_INDEX, NO_OPTION);
}
gnd_array *gnd_argmax(const gnd_array *x, gnd_axes axes) {
    return reduce("gnd_argmax", x, &axes, GNDI_REDUCE_ARGMAX, GNDI_OP_maximum, GNDI_RULE_INDEX, NO_OPTION);
}
gnd_array *gnd_any(const gnd_array *x, gnd_axes axes) {
    return reduce("gnd_any", x, &axes, GNDI_REDUCE_ANY, GNDI_OP_logical_or, GNDI_RULE_TRUTH, GNDI_TAKES_ALL);
}
gnd_array *gnd_all(const gnd_array *x, gnd_axes axes) {
    return reduce("gnd_all", x, &axes, GNDI_REDUCE_ALL, GNDI_OP_logical_and, GNDI_RULE_TRUTH, GNDI_TAKES_ALL);
}
gnd_array *gnd_count_nonzero(const gnd_array *x, gnd_axes axes) {
    return reduce("gnd_count_nonzero", x, &axes, GNDI_REDUCE_COUNT, GNDI_OP_add, GNDI_RULE_TRUTH, NO_INITIAL);
}

static gnd_array *deviation(const char *fn, const gnd_array *x, const gnd_axes *axes, double ddof,
                            gndi_reduce_finish finish) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, GNDI_REDUCE_VARIANCE, GNDI_OP_add, GNDI_RULE_VARIANCE, NO_INITIAL);
    r.finish = finish, r.ddof = ddof;
    return gndi_reduce(&r);
}

gnd_array *gnd_var(const gnd_array *x, gnd_axes axes, double ddof) {
    return deviation("gnd_var", x, &axes, ddof, GNDI_FINISH_NONE);
}
gnd_array *gnd_std(const gnd_array *x, gnd_axes axes, double ddof) {
    return deviation("gnd_std", x, &axes, ddof, GNDI_FINISH_SQRT);
}
