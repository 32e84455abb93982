/*
 * einsum.h: what the parts of einsum share.
 *
 *     einsum_parse.c   subscripts and shapes become terms of labels
 *     einsum_path.c    in which order operands are contracted: greedy, optimal
 *     einsum_plan.c    gnd_einsum_path: a path as data and as text
 *     einsum_pair.c    the contraction of two operands
 *     einsum.c         the public functions, operands one by one, the steps in their order
 *
 * A label is the number of a letter, A to Z and a to z in the order of their codes; labels without a
 * letter are for axes of `...`, if letters do not suffice. The planner and the contractions work on sets of
 * labels, one bit each.
 */
#ifndef GNDI_EINSUM_H
#define GNDI_EINSUM_H

#include "linalg/linalg.h"

enum { GNDI_LETTERS = 52, GNDI_LABELS = 64 };

typedef uint64_t gndi_labels; /* a set of labels */

static inline gndi_labels gndi_label_bit(int label) {
    return UINT64_C(1) << label;
}
static inline int gndi_label_count(gndi_labels set) {
    return __builtin_popcountll(set);
}
static inline char gndi_label_letter(int label) {
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[label];
}
/* For each label of a set, in ascending order. */
#define GNDI_EACH_LABEL(label, set)                                                                                    \
    for (gndi_labels left_ = (set); left_ && (label = __builtin_ctzll(left_), true); left_ &= left_ - 1)

/* The axes of an operand or of a result, a label each. */
typedef struct gndi_term {
    int ndim;
    uint8_t label[GND_MAX_DIMS];
} gndi_term;

static inline gndi_labels gndi_term_set(const gndi_term *term) {
    gndi_labels set = 0;
    for (int i = 0; i < term->ndim; i++) set |= gndi_label_bit(term->label[i]);
    return set;
}
/* The axis of a label that the term has. */
static inline int gndi_term_axis(const gndi_term *term, int label) {
    int i = 0;
    while (term->label[i] != label) i++;
    return i;
}

/* ---- what is asked for (einsum_parse.c) ----------------------------------------------------- */

typedef struct gndi_einsum {
    const char *fn;
    int64_t size[GNDI_LABELS]; /* of each label, broadcast; 1 of those that do not occur */
    gndi_term out;
    int count;
    gndi_term terms[]; /* one an operand */
} gndi_einsum;

/* Reads subscripts for arrays, which are checked to be there, on one device and of shapes that fit.
   To be freed with gndi_free. NULL and an error if it does not fit. */
gndi_einsum *gndi_einsum_parse(const char *fn, const char *subscripts, int count, const gnd_array *const arrays[]);

/* ---- in which order (einsum_path.c) --------------------------------------------------------- */

typedef struct gndi_path_problem {
    int count;               /* of operands */
    const gndi_labels *sets; /* of each of them */
    gndi_labels out;
    const int64_t *size;
    double memory_limit; /* most elements of what a step makes */
    bool only_pairs;     /* no step takes more than two operands, whatever it costs */
} gndi_path_problem;

/* The operands of one step, as indices among the remaining ones; first < second. Their result is appended to the
   others. first == GNDI_ALL_LEFT: the last step, which takes all. */
typedef struct gndi_path_step {
    int first, second;
} gndi_path_step;
enum { GNDI_ALL_LEFT = -1 };

/* Fills in the steps, at most count - 1, or one. Returns their number; 0 and an error if there is no memory. */
int gndi_path_greedy(const char *fn, const gndi_path_problem *p, gndi_path_step *steps);
int gndi_path_optimal(const char *fn, const gndi_path_problem *p, gndi_path_step *steps);

/* The product of the sizes of some labels. */
double gndi_labels_size(gndi_labels set, const int64_t *size);
/* The operations of a step over the labels `all` of `operands` operands. */
double gndi_step_flops(gndi_labels all, bool sums, int operands, const int64_t *size);

/* ---- one contraction (einsum_pair.c) -------------------------------------------------------- */

/* An operand, no label of which occurs twice or has size 1. */
typedef struct gndi_einsum_operand {
    const gnd_array *array;
    gnd_array *made; /* the reference to release; NULL: the caller's array */
    gndi_term term;
} gndi_einsum_operand;

/* Where the result of the last step goes. */
typedef struct gndi_einsum_target {
    const gndi_term *term; /* the order of its axes; NULL: this is not the last step */
    gnd_array *out;        /* in that order; NULL: a new array */
} gndi_einsum_target;

/* `a` with its axes in another order. Labels that it does not have get size 1, or, if sizes are
   given, theirs with stride 0; axes that `to` does not have are of size 1. A view. */
gnd_array *gndi_einsum_view(gndi_temporaries *s, const gnd_array *a, const gndi_term *from, const gndi_term *to,
                            const int64_t *size);

/* The product of a and b, summed over the labels of both that are not in `keep`, computed in
   `dtype`. Axes of one operand alone are all kept. Without an `out`, returns a new array and stores its
   axis order in `term`; else writes `out` and returns NULL. */
gnd_array *gndi_einsum_pair(gndi_temporaries *s, const gndi_einsum_operand *a, const gndi_einsum_operand *b,
                            gndi_labels keep, const int64_t *size, gnd_dtype dtype, const gndi_einsum_target *target,
                            gndi_term *term);

#endif
