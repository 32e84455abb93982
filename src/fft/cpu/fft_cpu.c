/*
 * fft_cpu.c: Fourier, cosine and sine transforms on the CPU, by FFTW, which takes any axes and strides: one plan
 * does everything, except for long axes with large strides (fft_cpu_columns.c).
 */
#include "fft/cpu/fft_cpu.h"
#include "runtime/hooks.h"

/* A transform, and a pass that multiplies its results by the factor. */
static gnd_status run_plan(gnd_stream *s, const gndi_fft_plan *p, const char *fn) {
    const gnd_status status = gndi_fft_shared(s, p, fn);
    if (status || p->pins || p->scale == 1) return status;
    const gndi_fft_block results = gndi_fft_results(p);
    gndi_fft_scale(&results, p->scale);
    return GND_OK;
}

/* ---- cosines and sines ------------------------------------------------------------------------ */

/* Applies the factors at the ends of the input: in a copy, made in the output, unless the input may be
   overwritten. */
static gndi_fft_plan with_ends_scaled(const gndi_fft_plan *p) {
    gndi_fft_plan q = *p;
    if (p->in != p->out && !p->spare) {
        gndi_fft_block out = gndi_fft_results(p), in = out;
        in.data = p->in;
        for (int i = 0; i < p->axes; i++) {
            in.stride[i] = p->axis[i].in;
            q.axis[i].in = p->axis[i].out;
        }
        for (int i = 0; i < p->batches; i++) {
            in.stride[p->axes + i] = p->batch[i].in;
            q.batch[i].in = p->batch[i].out;
        }
        gndi_fft_copy(&out, &in);
        q.in = p->out;
    }
    gndi_fft_scale_ends(&q, q.in, q.in == q.out, true);
    return q;
}

/* Orthogonal transforms: the ends of axes have factors of their own. */
static gnd_status run_orthogonal(gnd_stream *s, const gndi_fft_plan *plan, const char *fn) {
    const gndi_fft_plan p = gndi_fft_has_ends_before(plan) ? with_ends_scaled(plan) : *plan;
    gnd_status status = run_plan(s, &p, fn);
    if (!status) gndi_fft_scale_ends(&p, p.out, true, false);
    return status;
}

/* ---- passes ----------------------------------------------------------------------------------- */

/* Axes with large strides get passes of their own, after the others. */
static gnd_status run_passes(gnd_stream *s, const gndi_fft_plan *plan, const char *fn) {
    gndi_fft_plan rest = *plan;
    gndi_fft_plan later[GND_MAX_DIMS];
    int count = 0;
    for (int i = rest.axes - 1 - (rest.type != GNDI_FFT_C2C); i >= 0 && rest.axes > 1; i--)
        if (gndi_fft_is_far(&rest, i)) later[count++] = gndi_fft_split_off(&rest, i);
    if (count) rest.scale = 1;
    for (int i = 0; i < count - 1; i++) later[i].scale = 1;
    const bool columns = rest.axes == 1 && gndi_fft_is_far(&rest, 0);
    gnd_status status = columns ? gndi_fft_columns(s, &rest, fn) : run_plan(s, &rest, fn);
    for (int i = 0; i < count && !status; i++) status = gndi_fft_columns(s, &later[i], fn);
    return status;
}

gnd_status gndi_cpu_fft(gnd_stream *s, const gndi_fft_plan *plan, const char *fn) {
    if (plan->type == GNDI_FFT_R2R) return plan->orthogonal ? run_orthogonal(s, plan, fn) : run_plan(s, plan, fn);
    return run_passes(s, plan, fn);
}
