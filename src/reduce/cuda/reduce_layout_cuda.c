/*
 * reduce_layout_cuda.c: how a reduction's work is shared by threads and blocks. The aim is the same
 * everywhere: every load a full vector along the contiguous axis, enough loads in flight on every
 * multiprocessor to the very end, blocks at work at one time near each other in memory, and an
 * order of additions that the geometry alone decides.
 */
#include "reduce/cuda/reduce_layout.h"

enum {
    THREADS = GNDI_REDUCE_THREADS,
    WAVES = 4,            /* of resident blocks, above which outputs are not shared by blocks */
    FULL_PERCENT = 88,    /* how full the last wave should be */
    FIRST_PERCENT = 75,   /* a single one: more members are more to join (99 us against 106 (m)) */
    MEMBER_BYTES = 16384, /* least work for a block that shares its outputs */
    BUNDLE_LOADS = 8,     /* most results of members that a thread joins */
    CHAIN = 32,           /* most batches of loads a thread adds up before it starts afresh */
};
#define LARGEST_GRID INT32_MAX

/* ---- blocks that share outputs --------------------------------------------------------------- */

/* How the members' results are joined: in bundles, where one block would take long. */
static void bundle_members(gndi_reduce_launch *l, int threads) {
    gndi_reduce_params *p = &l->mixed.base;
    const int64_t lines = gndi_max(1, threads / l->line); /* that are read at once */
    p->bundle = p->members;
    if (p->members <= lines * BUNDLE_LOADS) return;
    int64_t bundles = 1;
    while (bundles * bundles < p->members) bundles++;
    p->bundle = (int32_t)gndi_ceil_div(p->members, bundles);
}

/* How many blocks should share a group's outputs, of `bytes` of input a group: all processors are
   to be busy to the end, so the fewest waves whose last one is nearly full are the best. */
static int64_t members_wanted(const gndi_reduce_launch *l, int64_t groups, int64_t bytes) {
    const int64_t resident = (int64_t)l->processors * l->resident;
    const int64_t most = gndi_max(1, bytes / MEMBER_BYTES);
    int64_t best = 1, best_full = 0;
    if (groups >= resident * WAVES || most == 1) return 1;
    for (int waves = 1; waves <= WAVES; waves++) {
        const int64_t members = gndi_min(resident * waves / groups, most);
        if (members < 1 || groups * members > GNDI_REDUCE_SHARING) continue;
        const int64_t blocks = groups * members;
        const int64_t full = blocks * 100 / (gndi_ceil_div(blocks, resident) * resident);
        if (full > best_full) best = members, best_full = full;
        if (full >= (waves == 1 ? FIRST_PERCENT : FULL_PERCENT)) break;
    }
    return best;
}

/* Cuts the runs for `members` blocks a group, so that no thread's chain of additions gets long.
   `batch`: elements of a run that its threads take at a time; parts are rounded to `grain`. */
static void share_runs(gndi_reduce_launch *l, int64_t members, int64_t batch, int64_t grain) {
    gndi_reduce_params *p = &l->mixed.base;
    const int64_t runs = p->pieces;
    if (runs == 1 && members > 1) {
        /* Members go through the run side by side, so that they read what lies together. */
        members = gndi_min(members, gndi_ceil_div(p->run, batch));
        const int64_t parts = gndi_ceil_div(p->run, batch * CHAIN * members);
        p->part = gndi_ceil_div(gndi_ceil_div(p->run, parts), grain) * grain;
        p->interleaved = 1;
    } else {
        const int64_t spread = p->lanes / p->run_lanes;
        int64_t parts = gndi_ceil_div(members * spread, runs);
        parts = gndi_max(parts, gndi_ceil_div(p->run, batch * CHAIN));
        p->part = gndi_ceil_div(gndi_ceil_div(p->run, parts), grain) * grain;
        p->interleaved = 0;
    }
    if (p->part == 0) p->part = grain;
    p->parts = (int32_t)gndi_max(1, gndi_ceil_div(p->run, p->part));
    p->pieces = runs * p->parts;
    if (!p->interleaved) members = gndi_min(members, gndi_ceil_div(p->pieces, p->lanes / p->run_lanes));
    p->members = (int32_t)gndi_max(1, members);
    if (p->members == 1) p->interleaved = 0;
    bundle_members(l, THREADS);
}

/* ---- layouts --------------------------------------------------------------------------------- */

void gndi_reduce_lay_out_rows(gndi_reduce_launch *l, int vector, int flight, int size) {
    gndi_reduce_params *p = &l->mixed.base;
    const int64_t packs = gndi_ceil_div(p->run, vector);
    const int64_t slots = (int64_t)l->processors * THREADS * 4;
    int lanes = 1;
    /* A warp reads what lies together; more warps share a run that is long enough to give each
       thread some batches of loads, or if there are few runs. */
    while (lanes < 32 && lanes * 3 <= packs) lanes *= 2;
    while (lanes < THREADS && lanes * 2 * l->least_packs <= packs) lanes *= 2;
    while (lanes < THREADS && lanes < packs && p->outputs * p->pieces * lanes < slots) lanes *= 2;
    p->run_lanes = lanes;
    /* With few outputs, the block's other threads take other runs of theirs. */
    while (lanes < THREADS && lanes / p->run_lanes < p->pieces && p->outputs * lanes < slots) lanes *= 2;
    while (lanes > 1 && gndi_ceil_div(p->outputs, THREADS / lanes) > LARGEST_GRID) lanes /= 2;
    while (lanes < THREADS && THREADS / lanes / 2 >= p->outputs) lanes *= 2;
    if (p->run_lanes > lanes || p->pieces == 1) p->run_lanes = lanes;
    p->lanes_inner = 1, p->lanes = lanes, p->across = THREADS / lanes;
    p->groups = (int32_t)gndi_ceil_div(p->outputs, p->across);
    l->line = p->across;
    const int64_t bytes = p->length * gndi_min(p->across, p->outputs) * size;
    share_runs(l, members_wanted(l, p->groups, bytes), (int64_t)p->run_lanes * vector * flight,
               (int64_t)p->run_lanes * vector);
}

/* How many of a few outputs to put side by side, so that the fewest threads have nothing to do. */
static int side_by_side(int64_t outputs, int lanes) {
    int best = 1, best_percent = 0;
    for (int groups = 1; groups <= 32; groups++) {
        const int across = (int)gndi_ceil_div(outputs, groups);
        if (across * lanes > THREADS) continue;
        if (across < 32 && best_percent) break;
        const int percent = (int)(outputs * (THREADS / across) * 100 / (groups * (int64_t)THREADS));
        if (percent > best_percent) best = across, best_percent = percent;
        if (percent >= 94) break;
    }
    return best_percent ? best : THREADS / lanes;
}

void gndi_reduce_lay_out_columns(gndi_reduce_launch *l, int vector, int flight, int size) {
    gndi_reduce_params *p = &l->mixed.base;
    const int64_t slots = (int64_t)l->processors * THREADS * 4;
    int lanes = 1;
    /* Rows of 32 threads are wide enough for the memory; the fewer threads share an output, the
       less there is to join. */
    while (lanes < l->most_lanes && lanes * 2 * flight <= p->length && p->outputs * lanes < slots * 2) lanes *= 2;
    p->across = p->outputs < 1024 ? side_by_side(p->outputs, lanes) : THREADS / lanes;
    lanes = THREADS / p->across;
    p->run_lanes = lanes;
    if (p->pieces > 1) {
        p->run_lanes = 1;
        while (p->run_lanes * 2 <= lanes && p->run_lanes * 2 * flight <= p->run) p->run_lanes *= 2;
        lanes = lanes / p->run_lanes * p->run_lanes;
    }
    p->lanes_inner = 0, p->lanes = lanes;
    p->groups = (int32_t)gndi_ceil_div(p->outputs, p->across);
    l->line = p->across * vector;
    const int64_t bytes = p->length * gndi_min(p->across, p->outputs) * vector * size;
    int64_t members = members_wanted(l, p->groups, bytes);
    members = gndi_max(1, gndi_min(members, p->length / ((int64_t)lanes * flight)));
    share_runs(l, members, (int64_t)p->run_lanes * flight, p->run_lanes);
}

void gndi_reduce_lay_out_short_rows(gndi_reduce_launch *l, int size, bool gaps) {
    gndi_reduce_params *p = &l->mixed.base;
    p->part = GNDI_REDUCE_TILE / (p->run * size) / 16 * 16;
    p->lanes = 1, p->members = 1;
    while (p->lanes < 32 && p->part * p->lanes < THREADS) p->lanes *= 2;
    /* Else: threads that would read the same bank, but for two, share a row. */
    const int banks = size > 4 ? 128 / size : 32, words = size > 4 ? 1 : 4 / size;
    const int apart = gndi_common_divisor((int)p->run / words, banks);
    while (!gaps && (int64_t)p->run % words == 0 && p->lanes * 2 < apart) p->lanes *= 2;
    p->run_lanes = p->lanes;
    p->groups = (int32_t)gndi_ceil_div(p->outputs, p->part);
}

void gndi_reduce_lay_out_flat(gndi_reduce_launch *l, int columns, int vector, int size, int threads) {
    gndi_reduce_params *p = &l->mixed.base;
    const int period = columns / gndi_common_divisor(columns, vector);
    const int active = threads / period * period, positions = active * vector;
    p->columns = columns, p->lanes = active;
    p->groups = (int32_t)(p->outputs / columns);
    p->across = 1;
    while (p->across * 2 * columns <= active) p->across *= 2;
    l->line = columns;
    l->threads = (unsigned)(active + 31) / 32 * 32;
    const int64_t steps = gndi_ceil_div(p->length * columns, positions);
    int64_t members = members_wanted(l, p->groups, p->length * columns * size);
    members = gndi_max(1, gndi_min(members, steps / 8));
    p->part = gndi_ceil_div(steps, members);
    p->members = (int32_t)gndi_ceil_div(steps, p->part);
    bundle_members(l, active);
}
