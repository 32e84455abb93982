/*
 * stft_params.h: the parameter blocks of the kernels of short-time transforms (stft_kernels.cu), and which frames they
 * transform themselves.
 */
#ifndef GNDI_STFT_PARAMS_H
#define GNDI_STFT_PARAMS_H

#include "fft/fft_factors.h"
#include "spectral/stft_plan.h"

enum {
    GNDI_STFT_THREADS = 256,
    GNDI_STFT_BYTES = 1 << 14,  /* of the frames of a block, which lie in shared memory twice */
    GNDI_STFT_FACTOR = 13,      /* the largest prime factor of a frame that a block transforms */
    GNDI_STFT_SLICE = 1 << 20,  /* elements that cuFFT transforms at once */
    GNDI_STFT_SLICES = 4,       /* large ones that many rows are, at least */
    GNDI_STFT_WORK = 1 << 28,   /* bytes of frames that are transformed back before they are added up */
    GNDI_STFT_OUTPUTS = 1024,   /* of a block that adds frames up */
    GNDI_STFT_PIECE = 1 << 10,  /* elements of a frame that one block prepares for cuFFT, at least */
    GNDI_STFT_PIECES = 1 << 11, /* of a frame, at most */
    GNDI_STFT_COLUMNS = 32,     /* bins of a block that adds up rows */
    GNDI_SUMS_COLUMNS = 8,      /* the same of blocks' sums */
    GNDI_SUMS_THREADS = 256,
    GNDI_TAPER_THREADS = 1024, /* of a block that adds up a window; of short ones FEW */
    GNDI_TAPER_FEW = 256,
    GNDI_TAPER_PART = 1 << 12, /* elements that a block multiplies */
    /* Of long frames: the least one, which the next has twice; a block's threads, and those of each of its two teams;
       samples of a block; frames of a group's ring, and those whose sums are kept; tiles of samples in a block. */
    GNDI_LONG_LEAST = 1 << 15,
    GNDI_LONG_TEAM = 128,
    GNDI_LONG_THREADS = 2 * GNDI_LONG_TEAM + 5 * 32,
    GNDI_LONG_OF_BLOCK = 1 << 12,
    GNDI_LONG_SLOTS = 4,
    GNDI_LONG_SUMS = 8,
    GNDI_LONG_BUFFERS = 3,
    GNDI_LONG_GROUP = 16,      /* blocks of a group, at most */
    GNDI_REGISTERS_LEAST = 16, /* complex elements of a frame in registers; of doubles at most half as many */
    GNDI_REGISTERS_MOST = 1 << 12,
    GNDI_HALVES_LEAST = 1 << 8,
    GNDI_HALVES_MOST = 1 << 11,
    GNDI_HALVES_OWN = 1 << 10,       /* bytes of shared memory that their kernels have besides, at most */
    GNDI_BACKWARD_HOP = 1 << 16,     /* the largest hop of inverses by registers */
    GNDI_BACKWARD_SHARED = 96 << 10, /* bytes of shared memory of their blocks, at most */
};

/* The kernels of frames in stft_kernels.cu: blocks that transform them, and those that prepare them for cuFFT. */
typedef enum gndi_stft_kernel {
    GNDI_STFT_BLOCKS,
    GNDI_STFT_FRAMES,
    GNDI_STFT_TRENDS,
} gndi_stft_kernel;

/* How blocks transform frames. */
typedef struct gndi_stft_tiles {
    int frames;    /* of a block */
    int group;     /* threads that share a frame, as a power of two */
    int packed;    /* real frames of nfft samples are transformed as nfft / 2 complex numbers */
    int length;    /* of a transform */
    int64_t tiles; /* blocks of a line */
    int factor[GNDI_FFT_FACTORS], factors;
} gndi_stft_tiles;

/* How a block transforms frames of n = 2^k complex elements in registers (fft_registers.cuh). */
typedef struct gndi_register_tile {
    int threads, frames; /* of a block */
    int pitch, roots;    /* numbers in shared memory: of a frame; of the roots of unity */
} gndi_register_tile;

GNDI_BORDER_FN gndi_register_tile gndi_register_tile_of(int n, int wide) {
    const int elements = n >= 128 ? 16 : n >= 32 ? 8 : 4, share = n / elements, least = wide ? 128 : 256;
    gndi_register_tile t;
    t.threads = share > least ? share : least;
    t.frames = t.threads / share;
    t.pitch = n + share;
    t.roots = (elements - 1) * share;
    return t;
}

/* Where the elements of frames in registers come from. */
typedef enum gndi_register_source {
    GNDI_REGISTERS_PACKED,  /* two samples of a real frame */
    GNDI_REGISTERS_PAIRS,   /* a sample of each of two real frames */
    GNDI_REGISTERS_REAL,    /* a real sample */
    GNDI_REGISTERS_COMPLEX, /* a complex sample */
} gndi_register_source;

/* Rows are the frames of all lines; a launch is for row_count of them from row_first on. */
typedef struct gndi_stft_params {
    struct gndi_stft_plan plan;
    double squares; /* the sum of those of i - (nperseg - 1) / 2 */
    gndi_stft_tiles t;
    int64_t row_first, row_count;
    int source;            /* gndi_register_source */
    char *to;              /* where the first row's bins go */
    char *rows;            /* for cuFFT: the frames */
    int64_t piece, pieces; /* of a frame, by blocks of their own: elements, and how many */
    char *trends;          /* sums of pieces */
    const char *z, *of_y;  /* bins of the rows, which become results */
} gndi_stft_params;

/* What the blocks of a group tell each other of the frames in their ring (long_kernels.cu): words of sums, and how many
   have written and read. Zeros at first. */
typedef struct gndi_long_relay {
    uint64_t sums[GNDI_LONG_SUMS][2 * GNDI_LONG_GROUP];
    uint32_t written[GNDI_LONG_SLOTS][32], read[GNDI_LONG_SLOTS][32]; /* the first of each; a line of a cache apart */
} gndi_long_relay;

/* Powers of row_count long frames. */
typedef struct gndi_long_params {
    struct gndi_stft_plan plan;
    int64_t row_count;
    char *to, *ring, *relays; /* rings and relays of all groups */
} gndi_long_params;

/* Means of powers or products by registers: blocks have `parts` of a line's frames. */
typedef struct gndi_sums_params {
    struct gndi_stft_plan plan, other; /* other: y as a signal of its own */
    double squares;
    int source; /* gndi_register_source */
    int pairs;  /* two real frames are a complex one */
    int64_t parts;
    char *sums; /* of each part, nfft numbers */
} gndi_sums_params;

/* A kernel that makes them: threads and frames of a block, blocks of a multiprocessor, and bytes of shared memory. */
typedef struct gndi_means_kernel {
    const void *kernel;
    int threads, frames, resident, shared;
} gndi_means_kernel;

typedef struct gndi_istft_params {
    struct gndi_istft_plan plan;
    gndi_stft_tiles t;
    int direct; /* each sample is of one frame alone, and is written by the block that transforms it */
    char *work; /* frames of all lines, transformed back: `frames` of a line, from number `first` on */
    int64_t first, frames, pitch; /* pitch: elements of a frame there */
    int64_t roll;                 /* sample i is element (i + roll) mod nfft there */
    char *rows;                   /* for cuFFT: spectra of all lines, from number row_first on */
    int64_t row_first;
    int64_t out_begin, out_count; /* the samples to be added up, counted from the plan's first one */
    /* By registers: blocks have `batches` of frames one behind the other, the first `overlap` of which reach into the
       first samples of a block; samples are numbered by hops. */
    int overlap, batches, dense; /* dense: bins are read as they lie */
    int pairs;                   /* two neighbouring samples of a real signal are added up by one thread */
    int64_t runs, hop_first;     /* blocks of a line */
} gndi_istft_params;

#endif
