/*
 * filter_plan.h: what the hooks `filter` (recursive filters), `filtfilt` (forward and backward at once) and `fir`
 * (sliding sums) carry out: lines of an array, the filter, and the state before and after.
 */
#ifndef GNDI_FILTER_PLAN_H
#define GNDI_FILTER_PLAN_H

#include "filter/filtfilt.h"
#include "runtime/runtime.h"

enum { GNDI_FILTER_DIMS = 8 };

/* The lines of x and y along the filtered axis; the other axes are merged where both arrays allow it. */
typedef struct gndi_filter_lines {
    const char *x;
    char *y;
    int64_t x_step, y_step; /* bytes from sample to sample */
    int64_t length, count;  /* samples of a line; lines */
    int ndim;               /* of the other axes */
    int64_t shape[GNDI_FILTER_DIMS], x_stride[GNDI_FILTER_DIMS], y_stride[GNDI_FILTER_DIMS];
    int64_t y_first, y_every; /* y has results y_first, y_first + y_every, ... alone; y_every is 0: it has all. On GPUs,
                                 by one launch of a recursive filter. */
} gndi_filter_lines;

/* A recursive filter, its coefficients on the host. */
typedef struct gndi_filter_system {
    int sections;    /* of a cascade; 0: b / a */
    int order;       /* states */
    bool is_complex; /* coefficients are pairs; never of a cascade */
    const double *b; /* order + 1 of them; of a cascade: b0 b1 b2 a1 a2 for each section */
    const double *a; /* order + 1 of them, a[0] = 1; of a cascade: not used */
} gndi_filter_system;

/* A kernel of a GPU takes up to 8 sections, or 16 states of b / a, and is compiled for some numbers of them: the
   least of those that will do. */
static inline int gndi_filter_sections_padded(int sections) {
    return sections <= 4 ? sections : sections <= 6 ? 6 : 8;
}
static inline int gndi_filter_states_padded(int order) {
    return order <= 2 ? 2 : order <= 4 ? 4 : order <= 8 ? 8 : 16;
}
/* The states of all kernels of a filter, and how many kernels there are. */
static inline int64_t gndi_filter_kept_states(const gndi_filter_system *system, int64_t *kernels) {
    *kernels = 1;
    if (!system->sections) return gndi_filter_states_padded(system->order);
    *kernels = (system->sections + 7) / 8;
    return 16 * (*kernels - 1) + 2 * gndi_filter_sections_padded(system->sections - 8 * (int)(*kernels - 1));
}

/* A stream on a GPU: the work is cut at multiples of GNDI_FILTER_TILE samples since the start of the signal, and
   what the next call needs of the tiles so far is kept here. A complex line counts as two. */
enum {
    GNDI_FILTER_TILE = 4096,
    GNDI_FILTER_GROUP = 32,  /* tiles whose ends are combined at once */
    GNDI_FILTER_GROUPS = 31, /* groups whose ends are combined at once */
    /* Vectors of states kept for each line: the start of the group and of the groups, the ends of both, and the start
       of a tile with its number. */
    GNDI_FILTER_KEPT = 2 + GNDI_FILTER_GROUP + GNDI_FILTER_GROUPS + 2,
};
typedef struct gndi_filter_history {
    int64_t *clocks; /* device memory: samples so far, for each kernel of the filter */
    double *ends;    /* device memory: lines * GNDI_FILTER_KEPT for each of gndi_filter_kept_states */
    char *samples;   /* device memory: for each kernel and line GNDI_FILTER_TILE samples, of the unfinished tile */
    char *workspace; /* device memory, zeros before and after each call: GNDI_FILTER_TICKETS bytes for short chunks of
                        few lines; NULL: there are more lines */
} gndi_filter_history;

/* A chunk of up to GNDI_FILTER_TILE samples lies in at most two tiles. Of few lines it is one launch. */
enum { GNDI_FILTER_FEW_LINES = 4, GNDI_FILTER_FEW_TILES = 2, GNDI_FILTER_TICKETS = 256 };

struct gndi_filter_plan {
    uint8_t dtype; /* of x and y: float32, float64, complex64, complex128 */
    gndi_filter_lines lines;
    gndi_filter_system system;
    double *state; /* device memory, dense: `order` for each line (complex dtype: pairs); NULL: zeros before, and
                      not wanted after */
    bool begins;   /* `state` holds the state before; else it is zeros */
    /* Of a stream; NULL: a signal of its own. All zeros: it begins with a state of zeros. With a length of 0 the
       stream is made to begin with `state`. */
    const gndi_filter_history *history;
};

/* The states that filtering forward and backward begins with, one way or the other, of real coefficients: at most
   GNDI_FILTER_EDGE_STATES states or half as many sections. A constant input of `settled` times a sample is what the
   filter has settled to. Forward: to the outermost sample of the extension before the signal, which is then filtered.
   `back`: `state` is that behind the signal. The extension behind it is filtered, and what that gives is filtered
   backward, from the state that its outermost sample has settled to; without extensions that of y is taken. */
enum { GNDI_FILTER_EDGE = 64, GNDI_FILTER_EDGE_STATES = 16 };
struct gndi_filter_ends_plan {
    uint8_t dtype, pad; /* of x and y; gnd_filter_pad */
    bool back;
    gndi_filter_lines lines;
    gndi_filter_system system;
    double settled[GNDI_FILTER_EDGE_STATES];
    int64_t
        edge; /* samples of an extension, at most GNDI_FILTER_EDGE and fewer than the signal has; 0: there is none */
    double *state; /* device memory, dense: `order` for each line */
};

/* Results 0, y_every, 2 y_every, ... of filtering forward and backward; y has these alone. The extensions are odd. An
   infinity or a NaN makes all results of its line NaN. */
struct gndi_filtfilt_plan {
    uint8_t dtype; /* of x and y */
    gndi_filter_lines lines;
    gndi_filter_pairs pairs;
    int64_t edge; /* samples of an extension, fewer than the signal has */
};

struct gndi_fir_plan {
    uint8_t dtype; /* of everything */
    gndi_filter_lines lines;
    const char *taps;   /* device memory, dense */
    int64_t count;      /* of taps */
    const char *zi;     /* dense, count - 1 for each line, added to the first results; NULL: none */
    char *zf;           /* the same for what comes behind the last results; NULL: not wanted */
    int64_t ahead;      /* result i is the sum of taps[k] x[i + ahead - k]; with zf, 0 */
    const char *before; /* dense, count - 1 samples of each line before the first; NULL: zeros */
    const char *behind; /* dense, `ahead` samples of each line behind the last; NULL: zeros */
    char *keeps;        /* `before` itself, where the samples before the next call are to go; NULL: not wanted */
    /* Device memory, dense: 2 * edge rows of `count` numbers; NULL: none. The first `edge` results of each line are
       the products of the first rows with its first `count` samples, the last ones those of the other rows with the
       last samples. A line has at least `count`. */
    const char *edges;
    int64_t edge;
};

/* Where line i starts, in x and y. */
static inline void gndi_filter_line_at(const gndi_filter_lines *lines, int64_t i, int64_t *x, int64_t *y) {
    *x = *y = 0;
    for (int d = lines->ndim - 1; d >= 0; d--) {
        const int64_t k = i % lines->shape[d];
        i /= lines->shape[d];
        *x += k * lines->x_stride[d], *y += k * lines->y_stride[d];
    }
}

#endif
