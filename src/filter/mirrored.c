/*
 * mirrored.c: plans of filters that run forward and backward over a mirrored signal: their coefficients, the weights
 * of the sums at the ends (those of SciPy's symiirorder1 and symiirorder2), and how far a sample reaches.
 */
#include "filter/filter.h"
#include "rearrange/rearrange.h"
#include <math.h>

static const double PI = 3.14159265358979323846;

/* The weight of a sample that is k away from an end. */
typedef struct weights {
    int64_t shift;
    double r, omega, cs;
} weights;

/* The response of cs / (1 - a2 / z - a3 / z^2) to a one. */
static double response(const weights *w, int64_t k) {
    k += w->shift;
    if (k < 0) return 0;
    const double size = w->cs * pow(w->r, (double)k);
    if (w->omega == 0) return size * (double)(k + 1);
    if (w->omega == PI) return size * (double)(k + 1) * (k % 2 ? -1 : 1);
    return size * sin(w->omega * (double)(k + 1)) / sin(w->omega);
}

/* That of the filter both ways. */
static double both_ways(const weights *w, int64_t k) {
    const double square = w->r * w->r, c = w->cs * w->cs, ratio = (1 - square) / (1 + square);
    k = k < 0 ? -k : k;
    const double size = pow(square, (double)k / 2);
    if (w->omega == 0 || w->omega == PI) {
        const double start = (1 + square) / ((1 - square) * (1 - square) * (1 - square)) * c;
        const double gamma = ratio * (w->omega == 0 || k % 2 == 0 ? 1 : -1);
        return start * size * (1 + gamma * (double)k);
    }
    const double start = c * (1 + square) / (1 - square) / (1 - 2 * square * cos(2 * w->omega) + square * square);
    const double angle = w->omega * (double)k;
    return start * size * (cos(angle) + ratio / tan(w->omega) * sin(angle));
}
static double end_first(const weights *w, int64_t k) {
    return both_ways(w, k) + both_ways(w, k + 1);
}
static double end_second(const weights *w, int64_t k) {
    return both_ways(w, k - 1) + both_ways(w, k + 2);
}

/* ---- plans ---------------------------------------------------------------------------------- */

double gndi_mirrored_weight(const gndi_mirrored_plan *p, const gndi_mirrored_sum *sum, int64_t k, double (*before)[2]) {
    const double w = k < 3 ? sum->weight[k] : p->a2 * (*before)[0] + p->a3 * (*before)[1];
    (*before)[1] = (*before)[0], (*before)[0] = w;
    return w;
}

/* Until a weight's square is not above the limit, or over all samples. */
static int64_t count_of(const gndi_mirrored_plan *p, const gndi_mirrored_sum *sum, double limit) {
    double before[2] = {0, 0};
    int64_t count = 0;
    while (count < p->length) {
        const double w = gndi_mirrored_weight(p, sum, count++, &before);
        if (w * w <= limit) break;
    }
    return count;
}

/* The samples after which a response has fallen to nothing, up to one more than a GPU looks at. */
static int64_t reach(int order, double pole, uint8_t dtype) {
    const double nothing = dtype == GND_FLOAT32 ? 0x1p-34 : 0x1p-60;
    int64_t k = 1;
    while (k <= GNDI_MIRRORED_HALO && (order == 2 ? (double)(k + 1) : 1) * pow(fabs(pole), (double)k) > nothing) k++;
    return k;
}

/* precision < 0: the sums go as far as a response does. */
static void finish(gndi_mirrored_plan *p, double pole, double precision) {
    p->halo = gndi_min(reach(p->order, pole, p->to), p->length);
    const bool all = p->halo > GNDI_MIRRORED_HALO;
    for (int k = 0; k < p->order; k++) {
        p->start[k].count = count_of(p, &p->start[k], precision * precision);
        p->end[k].count = p->order == 2 ? count_of(p, &p->end[k], precision) : 0;
        if (precision < 0) p->start[k].count = p->end[k].count = all ? p->length : p->halo;
        p->halo = gndi_max(p->halo, gndi_max(p->start[k].count, p->end[k].count));
    }
}

void gndi_mirrored_order1(gndi_mirrored_plan *p, double c0, double z1, double precision) {
    p->order = 1, p->gain = 1, p->gain_back = c0, p->a2 = z1, p->a3 = 0;
    p->first[0] = 1, p->last = -c0 / (z1 - 1);
    for (int k = 0; k < 3; k++) p->start[0].weight[k] = pow(z1, k + 1);
    finish(p, z1, precision);
}

void gndi_mirrored_order2(gndi_mirrored_plan *p, double r, double omega, double precision) {
    p->order = 2, p->a2 = 2 * r * cos(omega), p->a3 = -r * r;
    p->gain = p->gain_back = 1 - p->a2 - p->a3;
    weights w = {.r = r, .omega = omega, .cs = p->gain};
    p->first[0] = p->first[2] = response(&w, 0), p->first[1] = response(&w, 1);
    for (int k = 0; k < 3; k++) {
        w.shift = 1, p->start[0].weight[k] = response(&w, k);
        w.shift = 2, p->start[1].weight[k] = response(&w, k);
        p->end[0].weight[k] = end_first(&w, k), p->end[1].weight[k] = end_second(&w, k);
    }
    finish(p, r, precision);
}

bool gndi_mirrored_is_local(const gndi_mirrored_plan *p) {
    return p->halo <= GNDI_MIRRORED_HALO;
}

gnd_array *gndi_mirrored_run(gndi_temporaries *s, gndi_mirrored_plan *p, const gnd_array *x, int axis) {
    if (s->failed) return NULL;
    const bool pairs = gndi_dtype_is_complex(x->dtype);
    const gnd_dtype from =
        p->from == GND_FLOAT32 ? (pairs ? GND_COMPLEX64 : GND_FLOAT32) : (pairs ? GND_COMPLEX128 : GND_FLOAT64);
    const gnd_dtype to =
        p->to == GND_FLOAT32 ? (pairs ? GND_COMPLEX64 : GND_FLOAT32) : (pairs ? GND_COMPLEX128 : GND_FLOAT64);
    if ((gnd_dtype)x->dtype != from || !gndi_is_c_contiguous(x))
        x = gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, from, 'C'));
    gnd_array *y = x ? gndi_new_on_device_of(s->fn, x, x->ndim, x->shape, to) : NULL;
    y = gndi_temporaries_keep(s, y);
    if (!y || y->size == 0) return y;
    p->lines = 1, p->inner = pairs ? 2 : 1;
    for (int d = 0; d < x->ndim; d++)
        if (d != axis) *(d < axis ? &p->lines : &p->inner) *= x->shape[d];
    p->x = gndi_data(x), p->y = gndi_data(y);
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &x, 1, (const gnd_array *[]){y});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->mirrored(stream, p, s->fn), s->fn) != GND_OK;
    return y;
}
