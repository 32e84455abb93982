/*
 * ends_cuda.c: the states at the ends of a signal that is filtered forward and backward, on CUDA, in one launch.
 */
#include "filter/cuda/ends_params.h"
#include "filter/cuda/filter_tables.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_ends_kernel(bool wide); /* ends_kernels.cu */

gnd_status gndi_cuda_filter_ends(gnd_stream *s, const gndi_filter_ends_plan *plan, const char *fn) {
    const gndi_filter_system *system = &plan->system;
    gndi_ends_params p = {.at = gndi_filter_layout_of(&plan->lines, plan->dtype),
                          .state = plan->state,
                          .sections = system->sections,
                          .order = system->order,
                          .edge = (int32_t)plan->edge,
                          .back = plan->back,
                          .is_even = plan->pad == GND_FILTER_PAD_EVEN,
                          .is_constant = plan->pad == GND_FILTER_PAD_CONSTANT};
    _Static_assert((int)GNDI_FILTER_EDGE_STATES == (int)GNDI_FILTER_MOST, "states");
    _Static_assert((int)GNDI_FILTER_EDGE == (int)GNDI_ENDS_EDGE, "samples of an extension");
    p.state_line = (int64_t)system->order * p.at.parts;
    memcpy(p.settled, plan->settled, sizeof p.settled);
    if (system->sections) {
        memcpy(p.numbers, system->b, (size_t)system->sections * 5 * sizeof(double));
    } else {
        memcpy(p.numbers, system->b, (size_t)(system->order + 1) * sizeof(double));
        memcpy(p.numbers + system->order + 1, system->a + 1, (size_t)system->order * sizeof(double));
    }
    const bool wide = plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128;
    return gndi_cuda_launch_early(s, gndi_cuda_ends_kernel(wide), gndi_ceil_div(p.at.lines, GNDI_ENDS_LINES),
                                  GNDI_ENDS_LINES * 32, 0, &p, fn);
}
