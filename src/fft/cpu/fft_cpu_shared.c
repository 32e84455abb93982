/*
 * fft_cpu_shared.c: a transform on several threads: a batch is cut into pieces, and each of gnd's threads transforms
 * pieces by a single-threaded plan. Without a batch, one axis serves as the batch of a first pass over the others,
 * and is transformed in a second pass.
 *
 * FFTW's own threads are used only for single lines. Its plans by estimate ignore the cost of starting threads, and
 * may start them within each line of a batch: on two cores 16 threads took 1.6 s for 94 x 139 x 155 real numbers,
 * and one thread 0.06 s.
 */
#include "fft/cpu/fft_cpu.h"

enum {
    LEAST_BYTES = 1 << 17,  /* of a transform; less is done by the calling thread */
    PIECE_BYTES = 32 << 10, /* of a piece */
    LINE_BYTES = 2 << 20,   /* of a single line, for each of FFTW's threads */
    MOST_PIECES = 128,
    ALIGNED = 16,       /* elements: addresses that differ by these, of any dtype, have the same alignment */
    MANY = 8 * ALIGNED, /* elements of a piece from which its length is rounded to a multiple of that */
};

/* ---- pieces ----------------------------------------------------------------------------------- */

typedef struct work {
    const gndi_fft_plan *plan;
    int batch; /* the axis that is cut */
    int64_t length, pieces;
    gndi_fft_entry *made[MOST_PIECES];
} work;

static void describe_piece(gndi_fft_plan *to, const work *w, int64_t i) {
    gndi_fft_copy_plan(to, w->plan);
    gndi_fft_axis *batch = &to->batch[w->batch];
    const int64_t begin = i * w->length, left = batch->n - begin;
    to->in += begin * batch->in, to->out += begin * batch->out;
    batch->n = left < w->length ? left : w->length;
}

static void run_pieces(void *context, int64_t begin, int64_t end) {
    const work *w = context;
    gndi_fft_plan piece;
    for (int64_t i = begin; i < end; i++) {
        describe_piece(&piece, w, i);
        gndi_fftw_run(&piece, w->made[i]);
    }
}

/* All pieces but the last have one length; long pieces begin at addresses of the same alignment, so that one plan
   fits all. */
static gnd_status cut(gnd_stream *s, const gndi_fft_plan *p, int batch, int64_t pieces, const char *fn) {
    work w = {.plan = p, .batch = batch};
    const int64_t n = p->batch[batch].n;
    w.length = (n + pieces - 1) / pieces;
    if (w.length >= MANY) w.length = (w.length + ALIGNED - 1) / ALIGNED * ALIGNED;
    w.pieces = (n + w.length - 1) / w.length;
    gnd_status status = GND_OK;
    gndi_fft_plan piece;
    int64_t made = 0;
    for (; made < w.pieces && !status; made++) {
        describe_piece(&piece, &w, made);
        gndi_fft_entry *e = w.made[made] = gndi_fftw_plan(s->device, &piece, 1, fn);
        if (!e) status = gndi_ew_pending();
        if (e && p->pins) status = gndi_fft_cache_pin(p->pins, e, fn);
    }
    if (p->pins) return status;
    if (!status) gndi_parallel_for(w.pieces, 1, run_pieces, &w);
    for (int64_t i = 0; i < made; i++)
        if (w.made[i]) gndi_fft_cache_give(w.made[i]);
    return status;
}

/* ---- axes ------------------------------------------------------------------------------------- */

gndi_fft_plan gndi_fft_split_off(gndi_fft_plan *p, int i) {
    gndi_fft_plan pass = *p;
    const gndi_fft_axis axis = p->axis[i];
    memmove(p->axis + i, p->axis + i + 1, (size_t)(--p->axes - i) * sizeof *p->axis);
    pass.batches = 0, pass.axes = 1;
    if (p->type != GNDI_FFT_R2R) pass.type = GNDI_FFT_C2C;
    pass.in = p->out, pass.spare = true;
    pass.axis[0] = (gndi_fft_axis){axis.n, axis.out, axis.out};
    for (int k = 0; k < p->axes; k++)
        pass.batch[pass.batches++] = (gndi_fft_axis){gndi_fft_out_count(p, k), p->axis[k].out, p->axis[k].out};
    for (int k = 0; k < p->batches; k++)
        pass.batch[pass.batches++] = (gndi_fft_axis){p->batch[k].n, p->batch[k].out, p->batch[k].out};
    p->batch[p->batches++] = axis;
    return pass;
}

/* Of axes that are long enough for all threads, the one with the largest stride; else the longest. */
static int axis_to_cut(const gndi_fft_axis *axis, int count, int64_t pieces) {
    int best = -1;
    for (int i = 0; i < count; i++) {
        const gndi_fft_axis *a = &axis[i], *b = best < 0 ? NULL : &axis[best];
        if (!b || (b->n < pieces ? a->n > b->n : a->n >= pieces && gndi_magnitude(a->out) > gndi_magnitude(b->out)))
            best = i;
    }
    return best;
}

static gnd_status run_alone(gnd_stream *s, const gndi_fft_plan *p, int threads, const char *fn) {
    gndi_fft_entry *e = gndi_fftw_plan(s->device, p, threads, fn);
    if (!e) return gndi_ew_pending();
    if (p->pins) return gndi_fft_cache_pin(p->pins, e, fn);
    gndi_fftw_run(p, e);
    gndi_fft_cache_give(e);
    return GND_OK;
}

gnd_status gndi_fft_shared(gnd_stream *s, const gndi_fft_plan *p, const char *fn) {
    const int64_t bytes = gndi_fft_bytes(p), threads = gndi_thread_count();
    const int64_t useful = bytes < LEAST_BYTES ? 1 : bytes / PIECE_BYTES;
    const int64_t most = threads < MOST_PIECES ? threads : MOST_PIECES;
    const int64_t pieces = useful < most ? useful : most;
    if (pieces <= 1) return run_alone(s, p, 1, fn);
    const int batch = axis_to_cut(p->batch, p->batches, pieces);
    if (batch >= 0 && p->batch[batch].n >= pieces) return cut(s, p, batch, pieces, fn);
    if (p->axes > 1) {
        gndi_fft_plan rest = *p;
        const int whole = p->axes - (p->type == GNDI_FFT_R2C); /* the halved one stays */
        const gndi_fft_plan pass = gndi_fft_split_off(&rest, axis_to_cut(p->axis, whole, pieces));
        const gnd_status status = gndi_fft_shared(s, &rest, fn);
        return status ? status : gndi_fft_shared(s, &pass, fn);
    }
    const int64_t each = p->axis[0].n * (p->wide ? 16 : 8) / LINE_BYTES;
    if (each <= 1) return batch < 0 ? run_alone(s, p, 1, fn) : cut(s, p, batch, pieces, fn);
    return run_alone(s, p, (int)(each < threads ? each : threads), fn);
}
