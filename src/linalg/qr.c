/*
 * qr.c: orthogonal factors. LAPACK leaves R above the diagonal and the reflectors that make Q below it;
 * one of the two results then takes that memory over, and the other is copied out.
 */
#include "linalg/decompose.h"
#include "rearrange/rearrange.h"

gnd_array *gndi_qr_factor(gndi_temporaries *s, gnd_array *a) {
    if (s->failed) return NULL;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_QR, a);
    plan.k = plan.m < plan.n ? plan.m : plan.n;
    gnd_array *tau = gndi_new_lines(s, a, plan.k, (gnd_dtype)a->dtype);
    if (s->failed || a->size == 0) return tau;
    plan.tau = gndi_data(tau);
    gndi_lapack_submit(s, &plan, 0, NULL, 2, (gnd_array *[]){a, tau});
    return tau;
}

void gndi_qr_apply(gndi_temporaries *s, const gnd_array *a, const gnd_array *tau, gnd_array *b) {
    if (s->failed || a->size == 0 || b->size == 0) return;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_QR_APPLY, a);
    plan.n = plan.k = plan.m < plan.n ? plan.m : plan.n;
    plan.b = gndi_lapack_matrices(b);
    plan.columns = b->shape[b->ndim - 1];
    plan.tau = gndi_data(tau);
    plan.transpose = gndi_dtype_is_complex(a->dtype) ? GNDI_LAPACK_CONJUGATED : GNDI_LAPACK_TRANSPOSED;
    gndi_lapack_submit(s, &plan, 2, (const gnd_array *[]){a, tau}, 1, &b);
}

/* The first columns of Q, as many as q has, from the reflectors in q's first columns; in place. */
static void make_q(gndi_temporaries *s, gnd_array *q, const gnd_array *tau) {
    if (s->failed || q->size == 0) return;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_QR_Q, q);
    plan.k = tau->shape[tau->ndim - 1];
    plan.tau = gndi_data(tau);
    if (plan.k == 0)
        gndi_fill_identity(s, q);
    else
        gndi_lapack_submit(s, &plan, 1, (const gnd_array *[]){tau}, 1, &q);
}

void gndi_clear_below(gndi_temporaries *s, gnd_array *a) {
    if (s->failed || a->size == 0) return;
    const gnd_array *below =
        gndi_below_diagonal(s, a->buffer->device, a->shape[a->ndim - 2], a->shape[a->ndim - 1], -1);
    gndi_step_into(s, GNDI_OP_copy, a, gnd_arg_bool(false), gnd_arg_none(), below);
}

/* An array for Q with `columns` columns, to whose first ones the factored columns of `a` are copied. */
static gnd_array *space_for_q(gndi_temporaries *s, const gnd_array *a, int64_t columns) {
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    gnd_array *q = gndi_new_matrices(s, a, m, columns, (gnd_dtype)a->dtype);
    const int64_t shared = n < columns ? n : columns;
    gnd_array *from = gndi_columns(s, a, shared), *to = q ? gndi_columns(s, q, shared) : NULL;
    if (to && gndi_copy_into(s->fn, to, from)) s->failed = true;
    return s->failed ? NULL : q;
}

/* Q and R of a factored matrix; either may be unwanted. */
static void split(gndi_temporaries *s, gnd_array *a, const gnd_array *tau, bool complete, gnd_array **q,
                  gnd_array **r) {
    if (s->failed) return;
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    gnd_array *orthogonal = NULL, *triangular = NULL;
    if (m > n && !complete) { /* Q takes the memory */
        gnd_array *top = r ? gndi_rows(s, a, n) : NULL;
        if (top) triangular = gndi_temporaries_keep(s, gndi_triangle(s->fn, top, 0, true));
        if (q) make_q(s, orthogonal = a, tau);
    } else { /* R does */
        if (q) orthogonal = space_for_q(s, a, m);
        if (q) make_q(s, orthogonal, tau);
        if (r) gndi_clear_below(s, triangular = a);
    }
    gndi_temporaries_give(s, orthogonal, q);
    gndi_temporaries_give(s, triangular, r);
}

static gnd_status check_qr(const char *fn, gnd_array **q, gnd_array **r, const gnd_array *a, gnd_qr_mode mode) {
    if (!q && !r) return gndi_raise(GND_ERROR_INVALID, fn, "no place to write to (q and r are NULL)");
    if ((unsigned)mode > GND_QR_RAW) return gndi_raise(GND_ERROR_INVALID, fn, "there is no mode number %d", (int)mode);
    if (!r && mode == GND_QR_R) return gndi_raise(GND_ERROR_INVALID, fn, "GND_QR_R gives r alone, and r is NULL");
    return gndi_check_matrices(fn, a, "a") ? GND_OK : gndi_ew_pending();
}

gnd_status gnd_qr(gnd_array **q, gnd_array **r, const gnd_array *a, gnd_qr_mode mode) {
    gndi_temporaries s = {.fn = "gnd_qr"};
    if (q) *q = NULL;
    if (r) *r = NULL;
    gnd_status status = check_qr(s.fn, q, r, a, mode);
    if (status) return status;
    const gnd_dtype dtype = gndi_lapack_dtype(s.fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return GND_ERROR_DTYPE;
    gnd_array *own = gndi_matrices_copy(&s, a, dtype);
    gnd_array *tau = gndi_qr_factor(&s, own);
    if (mode == GND_QR_RAW) {
        gnd_array *h = q && !s.failed ? gndi_matrices_transposed(&s, own) : NULL;
        gndi_temporaries_give(&s, h, q);
        gndi_temporaries_give(&s, tau, r);
    } else {
        split(&s, own, tau, mode == GND_QR_COMPLETE, mode == GND_QR_R ? NULL : q, r);
    }
    return gndi_temporaries_status(&s);
}
