/*
 * random_plan.h: random numbers, as the front (src/random) passes them to a backend. Device code includes
 * this header, too.
 *
 * A plan is a row of the table (random.def), the state of a generator, and parameters that are numbers or
 * arrays broadcast to the result, whose elements are indexed in C order. An element depends only on the
 * state, its index and its parameters.
 */
#ifndef GNDI_RANDOM_PLAN_H
#define GNDI_RANDOM_PLAN_H

#include <stdbool.h>
#include <stdint.h>

typedef enum gndi_distribution {
#define DISTRIBUTION(family, name, result, front, count, parameters, words32, words64, requirement) GNDI_RANDOM_##name,
#include "random/random.def"
#undef DISTRIBUTION
    GNDI_RANDOM_COUNT
} gndi_distribution;

/* The generators, as gnd_random_kind counts them. */
enum { GNDI_PHILOX, GNDI_XORWOW, GNDI_MRG32K3A, GNDI_SOBOL, GNDI_CURAND };

enum {
    GNDI_RANDOM_PARAMETERS = 4,
    GNDI_RANDOM_AXES = 4,       /* of broadcast parameters; those with more are copied first */
    GNDI_RANDOM_STATES = 65536, /* parallel states of XORWOW and MRG32k3a */
    GNDI_STATE_WORDS = 6,       /* 32-bit words of a state; word w of state i is at w * STATES + i */
    GNDI_SOBOL_BITS = 64,       /* direction numbers of a dimension, 64 bits each */
};

/* A generator's state. Its position counts words of 32 bits for Philox, coordinates for Sobol, elements for the
   others. */
typedef struct gndi_random_state gndi_random_state;
struct gndi_random_state {
    uint64_t key;      /* from the seed */
    uint64_t position; /* of the next word, coordinate or element */
    uint32_t stream;   /* Philox: which of 2^32 sequences */
    uint32_t kind;     /* GNDI_PHILOX ... */
};

/* `random_set`: a state to be written to device memory. */
typedef struct gndi_random_cell gndi_random_cell;
struct gndi_random_cell {
    gndi_random_state *cell;
    gndi_random_state state;
};

/* The engine of a plan: the state as the host knows it, and the generator's data in device memory. */
typedef struct gndi_random_engine {
    gndi_random_state state;
    gndi_random_state *cell; /* in the device's memory. Not NULL: graphs were captured that advance it,
                                and the position is the sum of both */
    uint32_t *states;        /* XORWOW, MRG32k3a: their states */
    const uint64_t *sobol;   /* Sobol: GNDI_SOBOL_BITS direction numbers and a shift for each dimension */
    int64_t dimensions;      /* Sobol */
} gndi_random_engine;

/* A parameter's value, by its letter: f32 for T of float32 results, i64 for I, f64 for the others. For an array of
   rows, the address of the element's first number, as i64. */
typedef union gndi_random_value {
    float f32;
    double f64;
    int64_t i64;
} gndi_random_value;

/* One parameter: a number, or an array of the type of its value, with byte strides. */
typedef struct gndi_random_parameter {
    const char *data; /* NULL: a number */
    gndi_random_value value;
    int64_t stride[GNDI_RANDOM_AXES];
} gndi_random_parameter;

/* The third parameter of `integers`: a dtype, and flags for the first two, low and high. */
enum {
    GNDI_INTEGERS_DTYPE = 255,
    GNDI_INTEGERS_CLOSED = 256,     /* high is inclusive, else exclusive */
    GNDI_INTEGERS_LOW_SIGNED = 512, /* low is not from uint64: a set sign bit means a negative number */
    GNDI_INTEGERS_HIGH_SIGNED = 1024,
};

/* The last parameter of `choice`: a bit for keys, and above it the binary digits of the probabilities' dtype. */
enum { GNDI_CHOICE_KEYS = 1, GNDI_CHOICE_DIGITS = 1 };

#if defined(__CUDACC__)
#    define GNDI_RANDOM_FN static inline __host__ __device__
#else
#    define GNDI_RANDOM_FN static inline
#endif

/* The position of a draw's first word: a whole number of elements of 1, 2 or 4 words from the beginning. */
GNDI_RANDOM_FN uint64_t gndi_aligned_position(uint64_t position, uint64_t words) {
    return (position + words - 1) & ~(words - 1);
}

typedef struct gndi_random_plan gndi_random_plan;
struct gndi_random_plan {
    int distribution; /* gndi_distribution */
    uint8_t dtype;    /* the result's */
    uint8_t words;    /* how many an element owns of each attempt: 1, 2 or 4 */
    bool uniform;     /* all parameters are numbers */
    int ndim;         /* of broadcast parameters: merged, the fastest last; 1 if uniform */
    int64_t shape[GNDI_RANDOM_AXES];
    int64_t size; /* how many elements: at least 1 */
    int64_t row;  /* numbers of an element: 1, except for V and M rows */
    char *out;    /* dense, in C order */
    /* A part of a larger draw, with arrays as parameters: which elements of that draw these are. */
    int axes;                                                /* 0: consecutive ones */
    int64_t count[GNDI_RANDOM_AXES], step[GNDI_RANDOM_AXES]; /* the fastest last, whose step is 1 */
    gndi_random_engine engine;
    gndi_random_parameter parameter[GNDI_RANDOM_PARAMETERS];
};

/* The index that element e of the plan has in its draw, from that of element 0 on. */
GNDI_RANDOM_FN int64_t gndi_random_index(const gndi_random_plan *plan, int64_t e) {
    int64_t index = 0;
    if (plan->axes == 0) return e;
    for (int axis = plan->axes - 1; axis > 0; axis--) {
        const int64_t outer = e / plan->count[axis];
        index += (e - outer * plan->count[axis]) * plan->step[axis];
        e = outer;
    }
    return index + e * plan->step[0];
}

/* Rows of sorted random keys and the indices that they came from; the state is Philox's before the keys were
   drawn, a word each. */
typedef struct gndi_random_ties gndi_random_ties;
struct gndi_random_ties {
    gndi_random_engine engine;
    const uint32_t *keys; /* contiguous rows */
    int64_t *indices;     /* the same; equal keys: in ascending order */
    int64_t length, rows; /* at least 1 */
};

/* The table as data (random.c). */
typedef struct gndi_distribution_info {
    const char *name;
    char result;
    const char *parameters;
    uint8_t words32, words64;
    const char *requirement;
} gndi_distribution_info;

#ifdef __cplusplus
extern "C" {
#endif
extern const gndi_distribution_info gndi_distributions[GNDI_RANDOM_COUNT];
/* Whether a distribution takes these values, for a result of this dtype. */
bool gndi_random_takes(int distribution, int dtype, const gndi_random_value *values);
#ifdef __cplusplus
}
#endif

#endif
