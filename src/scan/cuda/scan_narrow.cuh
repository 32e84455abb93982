/*
 * scan_narrow.cuh: dense matrices of a few columns, scanned down their columns. A tile is whole rows,
 * which go through shared memory as the stream of bytes that they are.
 *
 * What other blocks publish takes as long to come as data does, behind which it queues: several
 * microseconds. So nobody waits for it: blocks stay, one on each multiprocessor, and take one tile
 * after the other through a pipeline. In round i of a block tile i + ahead is asked for; tile i, which
 * has come, is added up, and its totals published; what comes before tile i - late is known by now,
 * and the tile is scanned and stored. The block's warps have each their own work, so that none of it
 * is in the way of the rest: most scan, some look back, and one moves tiles, where a thread can do
 * that. 10^7 x 10 floats: 263 us (253 in groups of 128 tiles), and 212 if nobody looks back, of tiles
 * a little smaller; with two tiles late instead of three and a warp for each column that looks back
 * 287, with one tile late and all work by all warps 300 (m).
 */
#ifndef GNDI_SCAN_NARROW_CUH
#define GNDI_SCAN_NARROW_CUH

#include "scan/cuda/scan_narrow_block.cuh"
#include "scan/cuda/scan_narrow_lookback.cuh"

namespace gnd {

/* Whether all is done before round i. Tiles come to an end: first there is nothing to add up, then
   nothing to scan. */
template <class O> GNDI_FN bool narrow_ends(const narrow_block<O> &block, int i) {
    const int late = block.p.late > 0 ? block.p.late : 1, last = i - late;
    return last >= 0 && !block.there_is(i) && !block.there_is(last);
}

/* What the warps that look back do. */
template <class O> GNDI_FN void narrow_lookback_warps(const narrow_block<O> &block) {
    for (int i = 0;; i++) {
        sync_some(narrow_added + i % narrow_phases, narrow_lookback_threads + 32);
        if (!block.there_is(i)) break;
        if (block.tile(i).row_tile > 0) lookback_narrow(block, i);
        __syncwarp();
        pass_some(narrow_known + i % narrow_phases, narrow_lookback_threads + block.threads);
    }
}

/* The warp that moves tiles in bulk: its first thread does. */
template <class O> GNDI_FN void narrow_move(const narrow_block<O> &block) {
    const gndi_scan_narrow &p = block.p;
    const bool moves = (threadIdx.x & 31) == 0;
    if (moves)
        for (int i = 0; i < p.ahead; i++) block.load(i);
    for (int i = 0; !narrow_ends(block, i); i++) {
        sync_some(narrow_scanned + i % narrow_phases, block.threads + 32);
        if (moves) {
            if (block.there_is(i - p.late)) block.store(i - p.late);
            block.free_memory();
            block.load(i + p.ahead);
        }
        __syncwarp();
    }
    if (moves) bulk_wait_read(false);
}

/* Adds up and scans one tile after the other; the first `ahead` have been taken. */
template <class O> GNDI_FN void narrow_scan(const narrow_block<O> &block, scan_word asked, bool more) {
    const gndi_scan_narrow &p = block.p;
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, threads = block.threads;
    const bool in_bulk = block.in_bulk();
    if (!in_bulk)
        for (int i = 0; i < p.ahead; i++) block.load(i);
    typename O::value kept[narrow_phases] = {}; /* of the last tiles that were added up */
    for (int i = 0; !narrow_ends(block, i); i++) {
        const int last = i - p.late;
        const bool adds = block.there_is(i), scans = block.there_is(last);
        if (more && block.takes()) asked = block.ask(asked);
        block.await(i);
#pragma unroll
        for (int k = narrow_phases - 1; k > 0; k--) kept[k] = kept[k - 1];
        if (adds) kept[0] = block.add_chunk(i);
        __syncwarp();
        if (warp == 0) {
            sync_some(narrow_parts, threads);
            if (adds && lane < p.width) block.add_parts(i, lane);
            /* Those who look back go on until they meet the end. */
            __syncwarp();
            if (i == 0 || block.there_is(i - 1))
                pass_some(narrow_added + i % narrow_phases, narrow_lookback_threads + 32);
        } else {
            pass_some(narrow_parts, threads);
            if (block.takes()) block.take(i + p.ahead, asked, more);
            __syncwarp();
        }
        if (scans) {
            sync_some(narrow_known + last % narrow_phases, narrow_lookback_threads + threads);
            block.scan_chunk(last, kept[p.late]);
            __syncwarp();
        }
        if (in_bulk) {
            bulk_fence();
            if (!scans) sync_some(narrow_all, threads);
            /* Towards the end no tiles come that those who scan would wait for: they wait here. */
            if (adds)
                pass_some(narrow_scanned + i % narrow_phases, threads + 32);
            else
                sync_some(narrow_scanned + i % narrow_phases, threads + 32);
        } else {
            sync_some(narrow_all, threads);
            if (scans) block.store(last);
            block.free_memory();
            block.load(i + p.ahead);
        }
    }
}

template <class O> __global__ void __launch_bounds__(GNDI_SCAN_NARROW_MOST * 32, 1)
    scan_narrow_kernel(const __grid_constant__ gndi_scan_narrow p) {
    extern __shared__ uint4 scan_shared[];
    __shared__ narrow_shared<typename O::value> shared;
    const narrow_block<O> block(p, shared, scan_shared);
    const int other = (int)threadIdx.x - block.threads;
    scan_word asked = (scan_word)blockIdx.x - gridDim.x;
    bool more = true;
    if (threadIdx.x == 0)
#pragma unroll 1
        for (int b = 0; b < p.buffers; b++) bulk_init(&shared.arrived[b]);
    if (block.takes())
        for (int i = 0; i < p.ahead; i++) {
            if (more) asked = block.ask(asked);
            block.take(i, asked, more);
        }
    __syncthreads();
    if (other < 0)
        narrow_scan(block, asked, more);
    else if (other < narrow_lookback_threads)
        narrow_lookback_warps(block);
    else if (block.in_bulk())
        narrow_move(block);
}

} // namespace gnd

#endif
