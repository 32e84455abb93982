/*
 * lapack_jacobi_cuda.c: singular values of batches by one-sided Jacobi: A = Q R, R^H = V_R S U_R^H by the
 * kernels of lapack_jacobi_kernels.cu, U = Q U_R. Nothing waits for the GPU: matrices in slices get as
 * many launches as the one that converges last may need, and those that are not needed end at once.
 */
#include "kernels/cuda/lapack_jacobi_cuda.h"
#include "kernels/cuda/lapack_jacobi_plan.h"

static gnd_status launch(gndi_solver_job *j, int which, int64_t blocks, int threads, size_t shared,
                         gndi_jacobi_params *p) {
    return gndi_cuda_launch(j->s, gndi_cuda_lapack_jacobi_kernel(j->type, which), blocks, threads,
                            shared, p, j->fn);
}

static bool take_shape(const gndi_solver_job *j, gndi_jacobi_params *p, gndi_jacobi_shape *s) {
    const gndi_lapack_plan *plan = j->plan;
    const size_t room = gndi_solver_shared_memory(j->s->device);
    if (plan->n > INT16_MAX) return false;
    *p = (gndi_jacobi_params){.n = (int)plan->n, .batch = plan->batch, .vectors = plan->vectors};
    if (gndi_jacobi_whole(p, s, j->bytes, j->real_bytes, room)) return true;
    return gndi_jacobi_slices(p, s, j->bytes, j->real_bytes, room, GNDI_SVD_SLICE,
                              j->s->device->processors);
}

bool gndi_cuda_use_jacobi(const gndi_solver_job *j) {
    gndi_jacobi_params p;
    gndi_jacobi_shape s;
    return j->plan->n <= GNDI_SVD_MOST && take_shape(j, &p, &s);
}

/* Rooms between launches, and the launches. */
static gnd_status in_slices(gndi_solver_job *j, gndi_jacobi_params *p, const gndi_jacobi_shape *s) {
    const int64_t batch = p->batch, each = (int64_t)p->all * p->ldx * GNDI_JACOBI_LINE;
    p->x = gndi_solver_room(j, batch, each);
    if (!p->x || (p->vectors && !(p->y = gndi_solver_room(j, batch, each))))
        return GND_ERROR_MEMORY;
    p->seen = gndi_solver_room(j, batch * GNDI_JACOBI_SWEEPS, 2 * sizeof(float));
    p->shift = p->seen ? gndi_solver_room(j, batch, sizeof(int)) : NULL;
    p->order = p->shift ? gndi_solver_room(j, batch * p->n, sizeof(int)) : NULL;
    if (!p->order) return GND_ERROR_MEMORY;
    const int64_t wanted = 2 * (int64_t)j->s->device->processors / batch;
    p->parts = (int)(wanted < 1 ? 1 : wanted < p->n / 16 + 1 ? wanted : p->n / 16 + 1);
    gnd_status status = launch(j, GNDI_JACOBI_BEGIN, batch * p->parts, GNDI_JACOBI_THREADS, 0, p);
    const int slices = p->all / (p->width / 2);
    for (p->sweep = 0; p->sweep < GNDI_JACOBI_SWEEPS && !status; p->sweep++)
        for (p->round = 0; p->round < slices - 1 && !status; p->round++)
            status = launch(j, s->which, batch * (slices / 2), s->threads, s->shared, p);
    if (!status) status = launch(j, GNDI_JACOBI_END, batch, GNDI_JACOBI_THREADS, s->notes, p);
    if (!status && p->vectors)
        status = launch(j, GNDI_JACOBI_VECTORS, batch * p->parts, GNDI_JACOBI_THREADS, 0, p);
    return status;
}

gnd_status gndi_cuda_lapack_jacobi(gndi_solver_job *j) {
    const gndi_lapack_plan *plan = j->plan;
    const int64_t most = (int64_t)1 << 20; /* a block takes several of more */
    gndi_jacobi_params p;
    gndi_jacobi_shape s;
    char *tau = gndi_solver_room(j, plan->batch * plan->n, j->bytes);
    if (!tau) return GND_ERROR_MEMORY;
    j->info = gndi_solver_room(j, plan->batch, sizeof *j->info);
    if (!j->info) return GND_ERROR_MEMORY;
    gndi_lapack_plan part = *plan;
    part.op = GNDI_LAPACK_QR;
    part.tau = tau;
    gnd_status status = gndi_cuda_lapack(j->s, &part, j->fn);
    if (status) return status;
    take_shape(j, &p, &s); /* as when it was asked for */
    p.a = gndi_kernel_matrices(&plan->a);
    p.u = gndi_kernel_matrices(&plan->u);
    p.v = gndi_kernel_matrices(&plan->v);
    p.w = plan->w;
    p.info = j->info;
    p.m = plan->m;
    p.columns = plan->full ? plan->m : plan->n;
    p.tolerance = gndi_jacobi_tolerance(p.n, j->real_bytes);
    status = s.whole ? launch(j, s.which, p.batch < most ? p.batch : most, s.threads, s.shared, &p)
                     : in_slices(j, &p, &s);
    if (status || !plan->vectors) return status;
    part = *plan;
    part.op = GNDI_LAPACK_QR_APPLY;
    part.transpose = GNDI_LAPACK_PLAIN;
    part.k = plan->n;
    part.tau = tau;
    part.b = plan->u;
    part.columns = p.columns;
    return gndi_cuda_lapack(j->s, &part, j->fn);
}
