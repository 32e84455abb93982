/*
 * scan_narrow_look.cuh: how the tiles of NARROW learn what comes before them. A warp looks back for a
 * column. What comes before tile t, of group g = t / 32, are these entries, in this order:
 *
 *     level 3    totals of 32^3 tiles
 *     level 2    of 32^2 tiles
 *     level 1    of groups, up to group g - Direct
 *     level 0    the tiles of groups g - Direct .. g - 1, and those of group g before t
 *
 * It reads all of them at once, 32 that follow each other at a time.
 */
#ifndef GNDI_SCAN_NARROW_LOOK_CUH
#define GNDI_SCAN_NARROW_LOOK_CUH

#include "kernels/cuda/scan_look_back.cuh"

namespace gnd {

/* How many entries of each kind there are, and where those of a kind begin. */
struct narrow_reach {
    int group, old, second, third, own, near, ones, twos;
};
template <int Direct> GNDI_FN narrow_reach reach_of(int tile) {
    narrow_reach r;
    r.group = tile >> 5, r.old = r.group > Direct ? r.group - Direct : 0;
    r.second = r.old > 8 ? (r.old - 8) >> 5 : 0, r.third = r.second > 1 ? (r.second - 1) >> 5 : 0;
    r.own = tile & 31, r.near = r.group - r.old;
    r.ones = r.old - r.second * 32, r.twos = r.second - r.third * 32;
    return r;
}

/* What comes before a tile, not the first one, of a column. Publishes totals of groups that end with
   the tile, whose own is `total`. */
template <class O, int Direct>
GNDI_FN typename O::value look_back_narrow(const gndi_scan_state &state, scan_word *words,
                                           int32_t tile, uint32_t flag, typename O::value total) {
    typedef typename O::value A;
    constexpr int W = scan_words<A>;
    const int lane = threadIdx.x & 31;
    const narrow_reach r = reach_of<Direct>(tile);
    scan_word *const level1 = words + state.level[1] * W,
                     *const level2 = words + state.level[2] * W,
                     *const level3 = words + state.level[3] * W;
    const int ones = r.second * 32 + lane, near = r.old * 32 + lane, own = r.group * 32 + lane;
    scan_entry<A> own_entry = {}, near_entry[Direct] = {}, ones_entry[2] = {}, twos_entry = {};
    if (lane < r.own) own_entry = read_entry<A>(words, own);
#pragma unroll
    for (int k = 0; k < Direct; k++)
        if (k < r.near) near_entry[k] = read_entry<A>(words, near + k * 32);
#pragma unroll
    for (int k = 0; k < 2; k++)
        if (lane + k * 32 < r.ones) ones_entry[k] = read_entry<A>(level1, ones + k * 32);
    if (lane < r.twos) twos_entry = read_entry<A>(level2, r.third * 32 + lane);

    A x = A(), all = A();
    bool any = false;
    const auto add_before = [&](int lanes) {
        x = join_lanes<O>(x, 0, lanes);
        all = any ? O::join(x, all) : x, any = true;
    };
    if (r.own > 0) {
        if (lane < r.own) x = wait_for<A>(own_entry, words, own, flag);
        add_before(r.own);
    }
    if (r.own == 31 && lane == 0) publish(level1, r.group, flag, O::join(all, total));
#pragma unroll
    for (int k = Direct - 1; k >= 0; k--)
        if (k < r.near) {
            x = wait_for<A>(near_entry[k], words, near + k * 32, flag);
            add_before(32);
        }
#pragma unroll
    for (int k = 1; k >= 0; k--)
        if (k * 32 < r.ones) {
            const int count = r.ones - k * 32 < 32 ? r.ones - k * 32 : 32;
            if (lane < count) x = wait_for<A>(ones_entry[k], level1, ones + k * 32, flag);
            add_before(count);
        }
    if (tile % 1024 == 1023 && lane == 0) publish(level2, tile >> 10, flag, O::join(all, total));
    if (r.twos > 0) {
        if (lane < r.twos) x = wait_for<A>(twos_entry, level2, r.third * 32 + lane, flag);
        add_before(r.twos);
    }
    if (tile % 32768 == 32767 && lane == 0) publish(level3, tile >> 15, flag, O::join(all, total));
    for (int end = r.third; end > 0;) { /* of level 3, 32 at a time, the last ones first */
        const int from = (end - 1) & ~31, entry = from + lane;
        if (entry < end) x = wait_for<A>(read_entry<A>(level3, entry), level3, entry, flag);
        add_before(end - from);
        end = from;
    }
    return all;
}

} // namespace gnd

#endif
