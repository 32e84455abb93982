// label_cross_kernels.cu: connected components of a picture whose elements touch along rows and columns. A warp has a
// strip of 32 rows by 64 columns, and a lane two columns: of two neighbours both are of one run, or one is none. What
// the bits of a row say of its runs is found for 32 rows at once, a row a lane. Then the warp goes down the rows: a run
// takes the label of a run above it that it touches, or begins a node. Where a run touches several, these are joined in
// shared memory, and so are the strips of a block. The nodes of the blocks are joined in global memory. The root of a
// component is the node that comes first in C order, so it has the component's first element.
#include "kernels/cuda/early_start.cuh"
#include "labels/cuda/label_words.cuh"
#include "labels/cuda/labels_params.h"

namespace gnd {
namespace labels {
namespace cross {

enum {
    ROWS = 32,
    PAIRS = 32,                 /* of columns of a strip */
    NODES = ROWS * PAIRS,       /* most nodes of a strip */
    STRIPS = GNDI_LABEL_STRIPS, /* of a tile, which a block has */
    THREADS = STRIPS * 32,
    PITCH = STRIPS * PAIRS, /* pairs of a tile's row */
    WORDS = 2 * STRIPS,     /* of a tile's row */
    NUMBERED = 1 << 30,     /* with it a link is the number of a node, which is the root of its tile's component */
    BATCH = 8,              /* rows that a warp looks at before it goes down them */
};

/* A node in global memory: its parent, and the position of its first element: word * 32 + bit. Roots are their own
   parents. */
struct alignas(8) node {
    int32_t parent, first;
};

/* ---- strips --------------------------------------------------------------------------------- */

/* Strips are numbered in C order, and so are tiles, which have STRIPS each, side by side. */
struct strip_place {
    int across, y; /* which one of those beside each other; its first row */
};
static __device__ int strips_across(const label_t &p) {
    return (int)p.tiles_w * STRIPS;
}
static __device__ strip_place place_of(const label_t &p, int strip) {
    const int down = strip / strips_across(p);
    return {strip - down * strips_across(p), down * ROWS};
}

/* The elements of a row of a strip: bit k of x is column 2 k, of y column 2 k + 1. */
static __device__ uint2 *row_masks(const label_t &p, int strip) {
    return reinterpret_cast<uint2 *>(p.masks) + strip * ROWS;
}
/* Every second bit. */
static __device__ uint32_t even_bits(uint32_t x) {
    x &= 0x55555555;
    x = (x | x >> 1) & 0x33333333;
    x = (x | x >> 2) & 0x0f0f0f0f;
    x = (x | x >> 4) & 0x00ff00ff;
    return (x | x >> 8) & 0xffff;
}
template <class U> static __device__ uint2 read_row(const label_t &p, int strip, int y) {
    const int x = strip * 2 * PAIRS;
    uint32_t word[2];
#pragma unroll
    for (int k = 0; k < 2; k++) {
        const int64_t left = y < p.rows ? p.width - x - 32 * k : 0;
        word[k] = read_word<U>(p, {y * p.width + x + 32 * k, left < 0 ? 0 : left < 32 ? (int)left : 32});
    }
    return make_uint2(even_bits(word[0]) | even_bits(word[1]) << 16, even_bits(word[0] >> 1) | even_bits(word[1] >> 1)
                                                                                                   << 16);
}

/* ---- runs of a row -------------------------------------------------------------------------- */

/* Pairs that touch their next ones. */
static __device__ uint32_t linked(uint2 row) {
    return row.y & row.x >> 1;
}
static __device__ uint32_t contacts_of(uint2 row, uint2 above) {
    return (row.x & above.x) | (row.y & above.y);
}
/* Of contacts of the same two runs the last one. */
static __device__ uint32_t last_contacts(uint2 row, uint2 above) {
    const uint32_t contacts = contacts_of(row, above);
    return contacts & ~(contacts >> 1 & linked(row) & linked(above));
}

/* A bit a pair: where runs start and end, where they touch the row above, the starts of those that do not, and the
   contacts that join runs above: of each run all but the last one. */
struct row_runs {
    uint32_t starts, ends, contacts, fresh, joins;
};
static __device__ row_runs runs_of(uint2 row, uint2 above) {
    const uint32_t set = row.x | row.y;
    row_runs r;
    r.starts = set & ~(linked(row) << 1), r.ends = set & ~linked(row), r.contacts = contacts_of(row, above);
    /* From the end of each run a carry goes down to its last contact, or to its start if it has none. */
    const uint32_t from = __brev(r.ends), touch = __brev(r.contacts), pass = __brev(set) & ~touch & ~__brev(r.starts);
    const uint32_t reached = ((pass + (from & pass)) & ~pass) | (from & ~pass);
    r.fresh = __brev(reached & ~touch);
    r.joins = last_contacts(row, above) & ~__brev(reached & touch);
    return r;
}
/* The row above a lane's, none above the strip. */
static __device__ uint2 row_above(uint2 row) {
    const uint32_t x = __shfl_up_sync(ALL, row.x, 1), y = __shfl_up_sync(ALL, row.y, 1);
    return threadIdx.x & 31 ? make_uint2(x, y) : make_uint2(0, 0);
}

/* The sum of what the lanes before have, and of all. */
static __device__ int lanes_before(int own, int *total) {
    int sum = own;
    for (int far = 1; far < 32; far *= 2) {
        const int before = __shfl_up_sync(ALL, sum, far);
        if ((int)(threadIdx.x & 31) >= far) sum += before;
    }
    *total = __shfl_sync(ALL, sum, 31);
    return sum - own;
}
/* Lists the bits of the lane's row: row * 32 + pair. */
static __device__ void list_bits(uint32_t bits, int at, uint16_t *list) {
    const int row = (int)(threadIdx.x & 31) * PAIRS;
    for (; bits; bits &= bits - 1) list[at++] = (uint16_t)(row + lowest_bit(bits));
}

/* What a lane sees of its row: where its pair's run starts, and its last contact with the row above; none: what is less
   than the start. Where the pair is empty they mean nothing. */
struct lane_run {
    int start, contact;
};
static __device__ lane_run lane_run_of(const uint4 &row) {
    const uint32_t lane = threadIdx.x & 31, upto = (2u << lane) - 1, end = row.y & ALL << lane;
    return {31 - __clz((int)(row.x & upto)), 31 - __clz((int)(row.z & (end ^ (end - 1))))};
}

/* ---- a tile --------------------------------------------------------------------------------- */

struct tile_memory {
    int parent[ROWS * PITCH];      /* of each pair; at last the numbers of roots */
    uint4 rows[STRIPS][ROWS];      /* starts, ends, contacts, even columns */
    uint16_t lists[STRIPS][NODES]; /* pairs of a strip: what joins runs, then nodes */
    uint32_t firsts[ROWS * WORDS]; /* bits: where the tile's components begin */
};

/* A pair of a strip as the tile's, and its first element, a bit of the tile's. */
static __device__ int pair_of(int warp, int listed) {
    return listed / PAIRS * PITCH + warp * PAIRS + listed % PAIRS;
}
static __device__ int first_of(const tile_memory &t, int warp, int listed) {
    return 2 * pair_of(warp, listed) + !(t.rows[warp][listed / PAIRS].w >> listed % PAIRS & 1);
}
/* The number of the root above a pair, once all have one. */
static __device__ int root_of(const tile_memory &t, int pair) {
    int above = t.parent[pair];
    while (!(above & NUMBERED)) above = t.parent[above];
    return above & ~NUMBERED;
}

/* Joins two pairs' labels. Of two the larger one gets the smaller as its parent, and what was its parent goes on. There
   is one way through the loop, so that lanes stay together. */
static __device__ void unite_near(int *parent, int pair, int other) {
    int a = parent[pair], b = parent[other];
    while (a != b) {
        const int high = a > b ? a : b, low = a > b ? b : a;
        const int before = atomicMin(parent + high, low);
        a = before == high ? low : before, b = low;
    }
}

/* Gives the pairs of the warp's strip their labels: where the run of the last contact, or their own, begins. */
static __device__ void label_strip(tile_memory &t, int warp) {
    const int lane = (int)(threadIdx.x & 31);
    int label = 0;
#pragma unroll 1
    for (int first = 0; first < ROWS; first += BATCH) {
        lane_run run[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) run[k] = lane_run_of(t.rows[warp][first + k]);
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int pair = (first + k) * PITCH + warp * PAIRS, passed = __shfl_sync(ALL, label, run[k].contact & 31);
            label = run[k].contact >= run[k].start ? passed : pair + run[k].start;
            t.parent[pair + lane] = label;
        }
    }
}

/* Numbers the strip's nodes that are roots of the tile. */
static __device__ void number_roots(tile_memory &t, int warp, int count) {
#pragma unroll 2
    for (int k = (int)(threadIdx.x & 31); k < count; k += 32) {
        const int pair = pair_of(warp, t.lists[warp][k]), bit = first_of(t, warp, t.lists[warp][k]);
        if (t.parent[pair] != pair) continue;
        t.parent[pair] = NUMBERED | (warp * NODES + k);
        atomicOr(t.firsts + bit / 32, 1u << bit % 32);
    }
}

/* Writes the nodes, with their tile's roots as parents, those of pairs at the tile's borders, and where components
   begin. `own`: the lane's row. */
static __device__ void write_tile(const label_t &p, const tile_memory &t, int tile, int warp, int count, uint2 own) {
    const int lane = (int)(threadIdx.x & 31), strip = tile * STRIPS + warp, first_node = tile * STRIPS * NODES;
    const strip_place at = place_of(p, strip);
    const int words = (int)p.words, from_word = (at.across - warp) * 2, first_word = at.y * words + from_word;
    for (int k = lane; k < count; k += 32) {
        const int pair = pair_of(warp, t.lists[warp][k]), bit = first_of(t, warp, t.lists[warp][k]);
        const int word = first_word + bit / (2 * PITCH) * words + bit / 32 % WORDS;
        static_cast<node *>(p.parent)[strip * NODES + k] = {first_node + root_of(t, pair), word * 32 + bit % 32};
    }
    const auto node_of = [&](bool set, int pair) { return set ? first_node + root_of(t, pair) : -1; };
    const uint32_t last_row = __shfl_sync(ALL, own.x | own.y, ROWS - 1);
    p.south[strip * PAIRS + lane] = node_of(last_row >> lane & 1, pair_of(warp, (ROWS - 1) * PAIRS + lane));
    if (warp == 0) p.west[tile * ROWS + lane] = node_of(own.x & 1, lane * PITCH);
    if (warp == STRIPS - 1) p.east[tile * ROWS + lane] = node_of(own.y >> 31, lane * PITCH + PITCH - 1);
    for (int k = (int)threadIdx.x; k < ROWS * WORDS; k += THREADS)
        if (at.y + k / WORDS < p.rows && from_word + k % WORDS < words)
            p.firsts[first_word + k / WORDS * words + k % WORDS] = t.firsts[k];
}

template <class U> __global__ void __launch_bounds__(THREADS) local_kernel(const __grid_constant__ gndi_label_plan p) {
    __shared__ tile_memory t;
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5), tile = (int)blockIdx.x;
    const int strip = tile * STRIPS + warp;
    const strip_place at = place_of(p, strip);
    uint16_t *const list = t.lists[warp];
    start_early();
    const uint2 own = read_row<U>(p, at.across, at.y + lane);
    const row_runs runs = runs_of(own, row_above(own));
    t.rows[warp][lane] = make_uint4(runs.starts, runs.ends, runs.contacts, own.x);
    row_masks(p, strip)[lane] = own;
    for (int k = (int)threadIdx.x; k < ROWS * WORDS; k += THREADS) t.firsts[k] = 0;
    int totals;
    const int before = lanes_before(count_bits(runs.joins) | count_bits(runs.fresh) << 16, &totals);
    const int joins = totals & 0xffff, count = totals >> 16;
    list_bits(runs.joins, before & 0xffff, list);
    __syncwarp();
    label_strip(t, warp);
    __syncwarp();
    for (int k = lane; k < joins; k += 32) unite_near(t.parent, pair_of(warp, list[k]), pair_of(warp, list[k]) - PITCH);
    __syncwarp();
    list_bits(runs.fresh, before >> 16, list);
    __syncthreads();
    const uint2 west = warp > 0 ? row_masks(p, strip - 1)[lane] : make_uint2(0, 0);
    const uint32_t beside = __ballot_sync(ALL, own.x & west.y >> 31);
    const int pair = pair_of(warp, lane * PAIRS);
    if ((beside & ~(beside << 1)) >> lane & 1) unite_near(t.parent, pair, pair - 1);
    __syncthreads();
    number_roots(t, warp, count);
    __syncthreads();
    write_tile(p, t, tile, warp, count, own);
    if (tile == 0 && threadIdx.x == 0) *p.done = 0;
}

/* ---- across tiles --------------------------------------------------------------------------- */

static __device__ node load_node(const node *nodes, int32_t k) {
    const uint64_t bits = *reinterpret_cast<const volatile uint64_t *>(nodes + k);
    return {(int32_t)(uint32_t)bits, (int32_t)(bits >> 32)};
}

/* Goes up from both nodes at once to their roots, and makes ways shorter. The root whose first element comes later is
   linked, and its element's bit cleared. */
static __device__ void unite_far(const label_t &p, int32_t a, int32_t b) {
    node *const nodes = static_cast<node *>(p.parent);
    node at_a = load_node(nodes, a), at_b = load_node(nodes, b);
    while (a != b) {
        if (at_a.parent != a || at_b.parent != b) {
            const node above_a = load_node(nodes, at_a.parent), above_b = load_node(nodes, at_b.parent);
            if (above_a.parent != at_a.parent) *(volatile int32_t *)&nodes[a].parent = above_a.parent;
            if (above_b.parent != at_b.parent) *(volatile int32_t *)&nodes[b].parent = above_b.parent;
            a = at_a.parent, b = at_b.parent, at_a = above_a, at_b = above_b;
            continue;
        }
        if (at_a.first < at_b.first) {
            const int32_t to = a;
            const node its = at_a;
            a = b, at_a = at_b;
            b = to, at_b = its;
        }
        const int32_t before = atomicCAS(&nodes[a].parent, a, b);
        if (before == a) {
            atomicAnd(p.firsts + at_a.first / 32, ~(1u << at_a.first % 32));
            return;
        }
        a = before, at_a = load_node(nodes, a);
    }
}

/* The same for the lanes of `some`. Of equal pairs, of which two large components have many, one lane unites. */
static __device__ void unite_each(const label_t &p, uint32_t some, int32_t a, int32_t b) {
    const int lane = (int)(threadIdx.x & 31);
    if (!(some >> lane & 1)) return;
    const uint32_t equal = __match_any_sync(some, (uint64_t)(uint32_t)a << 32 | (uint32_t)b);
    if (lowest_bit(equal) == lane) unite_far(p, a, b);
}

/* A warp has the last row of a strip and the row below, or the rows on both sides of a tile's eastern border. */
static __global__ void __launch_bounds__(THREADS) across_kernel(const __grid_constant__ gndi_label_plan p) {
    const int lane = (int)(threadIdx.x & 31), tiles_x = (int)p.tiles_w, tiles_y = (int)p.tiles_y;
    const int south = (tiles_y - 1) * strips_across(p), east = tiles_y * (tiles_x - 1);
    const int k = (int)(blockIdx.x * STRIPS + (threadIdx.x >> 5));
    start_early();
    if (k < south) {
        const int below = k + strips_across(p);
        const uint2 row = row_masks(p, below)[0], above = row_masks(p, k)[ROWS - 1];
        const uint32_t some = last_contacts(row, above), starts = (row.x | row.y) & ~(linked(row) << 1);
        if (!(some >> lane & 1)) return;
        /* All runs of a strip's first row begin nodes. */
        const int32_t own = below * NODES + count_bits(starts & ((2u << lane) - 1)) - 1;
        unite_each(p, some, load_node(static_cast<const node *>(p.parent), own).parent, p.south[k * PAIRS + lane]);
    } else if (k - south < east) {
        const int west = (k - south) / (tiles_x - 1) * tiles_x + (k - south) % (tiles_x - 1);
        const int32_t a = p.east[west * ROWS + lane], b = p.west[(west + 1) * ROWS + lane];
        const uint32_t beside = __ballot_sync(ALL, a >= 0 && b >= 0);
        unite_each(p, beside & ~(beside << 1), a, b);
    }
}

/* ---- labels --------------------------------------------------------------------------------- */

/* The labels of `count` nodes of a strip, to where they begin; EACH a lane at a time. */
static __device__ void write_numbers(const label_t &p, int strip, int count, const uint16_t *list, int32_t *label) {
    enum { EACH = 4 };
    const node *const nodes = static_cast<const node *>(p.parent);
    for (int k = (int)(threadIdx.x & 31); k < count; k += 32 * EACH) {
        int32_t root[EACH];
        node at[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            root[e] = strip * NODES + (k + 32 * e < count ? k + 32 * e : k);
            at[e] = nodes[root[e]];
        }
        for (bool more = true; more;) {
            more = false;
#pragma unroll
            for (int e = 0; e < EACH; e++) more |= at[e].parent != root[e], root[e] = at[e].parent;
#pragma unroll
            for (int e = 0; e < EACH; e++) at[e] = nodes[root[e]];
        }
        int number[EACH];
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int word = at[e].first / 32;
            number[e] = count_bits(p.firsts[word] & ((1u << at[e].first % 32) - 1));
            number[e] += (int)p.before[word / GNDI_LABEL_CHUNK] + p.prefix[word] + 1;
        }
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (k + 32 * e < count) label[list[k + 32 * e]] = number[e];
    }
}

static __global__ void __launch_bounds__(THREADS) write_kernel(const __grid_constant__ gndi_label_plan p) {
    __shared__ int32_t numbers[STRIPS][NODES]; /* where a node begins: its label */
    __shared__ uint4 rows[STRIPS][ROWS];       /* starts, ends, contacts */
    __shared__ uint2 masks[STRIPS][ROWS];
    __shared__ uint16_t lists[STRIPS][NODES];
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5), strip = (int)blockIdx.x * STRIPS + warp;
    const strip_place at = place_of(p, strip);
    start_early();
    const uint2 own = row_masks(p, strip)[lane];
    const row_runs runs = runs_of(own, row_above(own));
    rows[warp][lane] = make_uint4(runs.starts, runs.ends, runs.contacts, 0), masks[warp][lane] = own;
    int count;
    list_bits(runs.fresh, lanes_before(count_bits(runs.fresh), &count), lists[warp]);
    __syncwarp();
    write_numbers(p, strip, count, lists[warp], numbers[warp]);
    __syncwarp();
    const int stop = (int)(p.rows - at.y < ROWS ? p.rows - at.y : ROWS), x = (at.across * PAIRS + lane) * 2;
    const uint32_t bit = 1u << lane;
    int32_t *to = static_cast<int32_t *>(p.labels) + at.y * p.width + x, label = 0;
    const bool whole = p.width % 2 == 0 && (uintptr_t)p.labels % sizeof(int2) == 0;
#pragma unroll 1
    for (int first = 0; first < stop; first += BATCH) {
        lane_run run[BATCH];
        uint2 mask[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) run[k] = lane_run_of(rows[warp][first + k]), mask[k] = masks[warp][first + k];
#pragma unroll
        for (int k = 0; k < BATCH; k++, to += p.width) {
            label = __shfl_sync(ALL, label, run[k].contact & 31);
            if (run[k].contact < run[k].start) label = numbers[warp][(first + k) * PAIRS + run[k].start];
            const int32_t even = mask[k].x & bit ? label : 0, odd = mask[k].y & bit ? label : 0;
            if (first + k >= stop || x >= p.width) continue;
            if (whole) {
                __stcs(reinterpret_cast<int2 *>(to), make_int2(even, odd));
            } else {
                to[0] = even;
                if (x + 1 < p.width) to[1] = odd;
            }
        }
    }
}

/* ---- tables --------------------------------------------------------------------------------- */

static const void *local(int size) {
    switch (size) {
    case 1: return (const void *)local_kernel<uint8_t>;
    case 2: return (const void *)local_kernel<uint16_t>;
    case 4: return (const void *)local_kernel<uint32_t>;
    default: return (const void *)local_kernel<uint64_t>;
    }
}

} // namespace cross
} // namespace labels
} // namespace gnd

extern "C" const void *gndi_cuda_label_cross_local_kernel(int size) {
    return gnd::labels::cross::local(size);
}
extern "C" const void *gndi_cuda_label_cross_kernel(gndi_cuda_label_step step) {
    using namespace gnd::labels::cross;
    return step == GNDI_CUDA_LABEL_ACROSS ? (const void *)across_kernel : (const void *)write_kernel;
}
