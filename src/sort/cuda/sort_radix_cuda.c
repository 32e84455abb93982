/*
 * sort_radix_cuda.c: launches the radix passes over rows of any length (sort_radix.cuh). Besides input and
 * output, a sort needs at most one more copy of the numbers: passes alternate between one buffer and the
 * output, if that is dense. Dense indices have space for the scratch data of passes over small elements; the
 * last pass then writes indices of 4 bytes, which are widened afterwards.
 */
#include "elementwise/cuda/copy_launch.h"
#include "sort/cuda/sort_launch.h"
#include "runtime/mailbox.h"
#include "runtime/cuda/runtime_cuda.h"

enum {
    PORTION = 1 << 29,      /* elements of a row in a launch: tiles tell their counts in 30 bits */
    MOST_SCRATCH = 1 << 27, /* elements, if there are several rows, */
    MOST_TABLES = 1 << 28,  /* and bytes of their tables */
    COUNT_BLOCKS = 3,       /* on a multiprocessor */
    WIDE_FROM = 1 << 22,    /* elements of a row: counters that are many have to be cleared and added up */
    WIDE_BYTES = 160 << 10, /* of two blocks' counters on a multiprocessor */
};

static const gndi_sort_radix_kernels *const kernels[GNDI_SORT_CLASSES] = {&gndi_sort_radix_1,  &gndi_sort_radix_2,
                                                                          &gndi_sort_radix_4,  &gndi_sort_radix_8,
                                                                          &gndi_sort_radix_c8, &gndi_sort_radix_c16};

static const gndi_sort_radix_kernels *kernels_of(uint8_t dtype) {
    const int size = gndi_dtype_sizes[dtype];
    if (gndi_dtype_is_int(dtype) && size == 4) return &gndi_sort_radix_w4;
    if (gndi_dtype_is_int(dtype) && size == 8) return &gndi_sort_radix_w8;
    return kernels[gndi_sort_class(dtype)];
}

/* Whether an operand's rows lie one after the other. */
static bool rows_dense(const gndi_sort_plan *plan, const struct gndi_sort_operand *operand, int64_t size) {
    return operand->data && operand->step == size && plan->ndim <= 1 &&
           (plan->ndim == 0 || operand->stride[0] == plan->length * size);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What is not scratch: counts, and what tiles tell each other. */
typedef struct state {
    void *begin;
    size_t cleared; /* of it, before anything else */
    int64_t portions, words;
    uint32_t *counters, *looks[2];
} state;

/* Of indices: those of the first row of this launch. */
static char *first_indices(const gndi_sort_radix *p) {
    return p->plan.indices.data + p->first_row * p->plan.length * 8;
}

/* Whether the indices have space for the scratch data of passes over small elements. */
static bool indices_hold_scratch(const gndi_sort_plan *plan, int key_bytes) {
    return key_bytes <= 2 && !plan->start.data && rows_dense(plan, &plan->indices, 8);
}

/* The second scratch is memory of the operands where they are dense: what is missing gets NULL. */
static void borrow_scratch(gndi_sort_radix *p, int key_bytes, bool indices) {
    gndi_sort_scratch *second = &p->scratch[1];
    const gndi_sort_plan *plan = &p->plan;
    const bool lends = indices && !plan->start.data && rows_dense(plan, &plan->indices, 8);
    char *from = lends ? first_indices(p) : NULL;
    if (rows_dense(plan, &plan->out, key_bytes)) {
        second->keys = plan->out.data + p->first_row * plan->length * key_bytes;
        second->key_step = plan->length * key_bytes;
    } else if (lends && key_bytes <= 4) {
        second->keys = from + plan->length * 4, second->key_step = plan->length * 8;
    } else if (lends && key_bytes == 8) {
        second->keys = from, second->key_step = plan->length * 8;
        from = NULL;
    }
    if (lends && from) second->positions = from, second->position_step = plan->length * 8;
}

/* Lays out the scratch for `rows` rows: what cannot be borrowed is taken. */
static void lay_out_scratch(gndi_cuda_run *run, gndi_sort_radix *p, int64_t rows, int key_bytes, bool indices) {
    const int64_t length = p->plan.length;
    memset(p->scratch, 0, sizeof p->scratch);
    p->even = false;
    if (p->passes == 1) return;
    if (p->narrow) {
        p->scratch[0] = (gndi_sort_scratch){.keys = first_indices(p) + length * 4,
                                            .positions = first_indices(p),
                                            .key_step = length * 8,
                                            .position_step = length * 8};
        p->narrow_indices = gndi_cuda_take(run, rows * length * 4);
        return;
    }
    for (int i = 0; i < (p->passes == 2 ? 1 : 2); i++) {
        gndi_sort_scratch *scratch = &p->scratch[i];
        if (i == 1) borrow_scratch(p, key_bytes, indices);
        if (i == 1) p->even = p->in_place && (scratch->keys || scratch->positions);
        if (!scratch->keys) {
            scratch->keys = gndi_cuda_take(run, rows * length * key_bytes);
            scratch->key_step = length * key_bytes;
        }
        if (indices && !scratch->positions) {
            scratch->positions = gndi_cuda_take(run, rows * length * 4);
            scratch->position_step = length * 4;
        }
    }
}

static void lay_out_state(gndi_cuda_run *run, gndi_sort_radix *p, state *m, int64_t rows, int tile) {
    const int64_t portion = PORTION / tile * tile;
    const int64_t bins = rows * p->passes * GNDI_SORT_DIGITS * 8;
    m->portions = gndi_ceil_div(p->plan.length, portion);
    m->words = gndi_ceil_div(gndi_min(p->plan.length, portion), tile) * rows * GNDI_SORT_DIGITS;
    m->begin = p->counted = gndi_cuda_take(run, (rows + p->passes * m->portions) * 4);
    m->counters = p->counted + rows;
    p->bins = gndi_cuda_take(run, bins);
    m->looks[0] = gndi_cuda_take(run, m->words * 4);
    m->looks[1] = gndi_cuda_take(run, m->words * 4);
    m->cleared = (size_t)((char *)m->looks[1] - (char *)m->begin);
    p->role = gndi_cuda_take(run, rows * GNDI_SORT_MOST_PASSES);
    p->bins_after = m->portions > 1 ? gndi_cuda_take(run, bins) : NULL;
}

/* ---- launches ------------------------------------------------------------------------------- */

static gnd_status run_passes(const gndi_cuda_run *run, gndi_sort_radix *p, const state *m,
                             const gndi_sort_radix_kernels *k, bool indices) {
    const int tile = k->tile[indices];
    const int64_t portion = PORTION / tile * tile;
    unsigned long long *bins[2] = {p->bins, p->bins_after};
    gnd_status status = GND_OK;
    int launch = 0;
    for (p->pass = 0; p->pass < p->passes && !status; p->pass++) {
        for (int64_t i = 0; i < m->portions && !status; i++, launch++) {
            p->first = i * portion, p->count = gndi_min(portion, p->plan.length - p->first);
            p->row_tiles = (uint32_t)gndi_ceil_div(p->count, tile);
            p->more = i + 1 < m->portions;
            p->bins = bins[i % 2], p->bins_after = bins[(i + 1) % 2];
            p->counter = m->counters + launch;
            p->looks = m->looks[launch % 2], p->next_looks = m->looks[(launch + 1) % 2];
            p->next_words = launch + 1 < p->passes * m->portions ? m->words : 0;
            status =
                gndi_cuda_run_launch(run, k->pass[indices], p->row_tiles * p->plan.rows, k->threads[indices], 0, p);
        }
    }
    p->bins = bins[0], p->bins_after = bins[1];
    return status;
}

/* Indices from 4 bytes to 8. */
static gnd_status widen(const gndi_cuda_run *run, const gndi_sort_radix *p) {
    if (run->measures) return GND_OK;
    gndi_cuda_copy copy = gndi_cuda_copy_new(first_indices(p), GND_INT64, (const char *)p->narrow_indices, GND_UINT32);
    gndi_cuda_copy_axis(&copy, p->plan.rows * p->plan.length, 8, 4);
    return gndi_cuda_copy_run(run->stream, &copy, run->fn);
}

/* Whether blocks count in replicas. */
static bool counts_wide(gnd_stream *s, const gndi_sort_plan *plan, const gndi_sort_radix_kernels *k) {
    return plan->length >= WIDE_FROM && k->wide_bytes <= gndi_sort_shared_bytes(s);
}

/*
 * Counts digits, or chooses counting instead of a sort (*declined). That is known as soon as the count has
 * begun, which keeps the device busy meanwhile.
 */
static gnd_status count_digits(const gndi_cuda_run *run, gndi_sort_radix *p, const gndi_sort_radix_kernels *k,
                               bool indices, bool *declined) {
    const bool asks = *declined && !run->measures;
    const bool wide = counts_wide(run->stream, &p->plan, k);
    const int threads = wide ? GNDI_SORT_WIDE_THREADS : GNDI_SORT_COUNT_THREADS;
    const int64_t at_once = !wide ? COUNT_BLOCKS : 2 * k->wide_bytes <= WIDE_BYTES ? 2 : 1;
    const int64_t tiles = gndi_ceil_div(p->plan.length, threads * GNDI_SORT_COUNT_EACH);
    const int64_t blocks = run->stream->device->processors * at_once;
    p->parts = (int32_t)gndi_max(1, gndi_min(tiles, gndi_ceil_div(blocks, p->plan.rows)));
    gndi_mail mail;
    int64_t verdict = 0;
    *declined = false;
    if (asks) {
        const gnd_status status = gndi_mail_open(&mail, run->stream, run->fn);
        if (status) return status;
        p->verdict = gndi_mail_word(&mail);
    }
    gnd_status status = gndi_cuda_run_launch(run, wide ? k->wide[indices] : k->count[indices], p->parts * p->plan.rows,
                                             threads, (size_t)(wide ? k->wide_bytes : k->count_bytes), p);
    if (!asks) return status;
    if (status) {
        gndi_mail_drop(&mail);
        return status;
    }
    status = gndi_mail_wait(&mail, &verdict, run->fn);
    *declined = verdict == 1;
    return status;
}

/* Whether the plan wants to know first if the row is worth it, and can. */
static bool may_decline(const gndi_sort_plan *plan) {
    return plan->declined && plan->rows == 1 && plan->length >= GNDI_SORT_SAMPLE && !plan->start.data &&
           plan->in.data != plan->out.data && gndi_dtype_is_int(plan->dtype) && gndi_dtype_sizes[plan->dtype] >= 4;
}

static gnd_status sort_rows(const gndi_cuda_run *run, gndi_sort_radix *p, const state *m,
                            const gndi_sort_radix_kernels *k, bool indices) {
    gnd_status status = gndi_cuda_run_clear(run, m->begin, m->cleared);
    bool declined = may_decline(&p->plan);
    if (!status) status = count_digits(run, p, k, indices, &declined);
    if (status) return status;
    if (declined) {
        *p->plan.declined = true;
        return GND_OK;
    }
    status = run_passes(run, p, m, k, indices);
    return status || !p->narrow ? status : widen(run, p);
}

/* How many rows are sorted at a time. */
static int64_t rows_at_once(const gndi_sort_plan *plan, int passes, int tile) {
    const int64_t tables = (passes * 8 + gndi_ceil_div(plan->length, tile) * 8) * GNDI_SORT_DIGITS;
    const int64_t most = gndi_min(MOST_SCRATCH / plan->length, MOST_TABLES / tables);
    return gndi_min(plan->rows, gndi_max(1, most));
}

gnd_status gndi_sort_by_radix(gndi_cuda_run *run, const gndi_sort_plan *plan, bool gathers) {
    const gndi_sort_radix_kernels *k = kernels_of(plan->dtype);
    const bool indices = plan->indices.data != NULL;
    gndi_sort_radix p;
    state m;
    if (indices && plan->length > UINT32_MAX)
        return gndi_raise(GND_ERROR_UNAVAILABLE, run->fn,
                          "cannot tell the indices of %lld elements in a row on a GPU, only of "
                          "fewer than 2^32; sort the values alone, or on the CPU",
                          (long long)plan->length);
    memset(&p, 0, sizeof p);
    p.plan = *plan, p.rule = gndi_sort_rule_of(plan->dtype, plan->descending);
    p.gathers = gathers && plan->start.data;
    p.in_place = plan->in.data == plan->out.data || (plan->start.data && plan->start.data == plan->indices.data);
    p.passes = k->key_bytes == 1 && p.in_place ? 2 : k->key_bytes;
    p.narrow = p.passes == 2 && indices && indices_hold_scratch(plan, k->key_bytes);
    const int64_t chunk = rows_at_once(plan, p.passes, k->tile[indices]);
    const size_t used = run->used;
    gnd_status status = GND_OK;
    for (; !status && p.first_row < (run->measures ? 1 : plan->rows); p.first_row += chunk) {
        p.plan.rows = gndi_min(chunk, plan->rows - p.first_row);
        run->used = used;
        lay_out_state(run, &p, &m, chunk, k->tile[indices]);
        lay_out_scratch(run, &p, chunk, k->key_bytes, indices);
        status = sort_rows(run, &p, &m, k, indices);
    }
    return status;
}
