/*
 * scan_start_cuda.cu: scans that go on from given values. They are published as the totals of tiles 0, which nobody
 * scans: the elements begin in tiles 1, and the tickets of tiles 0 are gone.
 */
#include "scan/cuda/scan_block.cuh"

namespace gnd {

__global__ __launch_bounds__(GNDI_SCAN_THREADS) void start_lines(const __grid_constant__ gndi_scan_start_lines p) {
    const int64_t line = (int64_t)blockIdx.x * GNDI_SCAN_THREADS + threadIdx.x;
    const uint32_t flag = (uint32_t)(read_word(p.state.ticket) >> 32) * 2 + 1;
    if (line == 0) atomicAdd(p.state.ticket, (scan_word)p.tiles);
    if (line >= p.of.lines) return;
    const char *from = p.of.in + offsets_of_line(p.of, line).in;
    uint32_t part[4] = {0, 0, 0, 0};
    if (p.size == 1)
        part[0] = *(const uint8_t *)from;
    else if (p.size == 2)
        part[0] = *(const uint16_t *)from;
    else
        for (int i = 0; i < p.size / 4; i++) part[i] = ((const uint32_t *)from)[i];
    const int words = (p.size + 3) / 4;
    for (int i = 0; i < words; i++) write_word(p.state.words + line * words + i, (scan_word)flag << 32 | part[i]);
}

} // namespace gnd

extern "C" const void *gndi_scan_start_kernel(void) {
    return (const void *)&gnd::start_lines;
}
