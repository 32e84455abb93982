/*
 * halo.c: heat in a rod that several processes share, by MPI and gnd. Each process has a piece of the rod and, at
 * either end, one cell of its neighbour's, which is exchanged before each step.
 *
 *     mpicc halo.c -o halo $(pkg-config --cflags --libs gnd) -lm
 *     mpirun -n 4 ./halo 400 1000
 *
 * With a CUDA-aware MPI the addresses of arrays on a GPU go straight to MPI; otherwise the program sends copies in
 * pinned memory. On the CPU they are ordinary addresses.
 */
#include <gnd.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef OPEN_MPI
#    include <mpi-ext.h>
#endif

static bool mpi_takes_arrays(void) {
    if (gnd_current_device().kind == GND_CPU) return true;
#if defined(MPIX_CUDA_AWARE_SUPPORT) && MPIX_CUDA_AWARE_SUPPORT
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
}

/* Sends one cell, and receives one. A neighbour that is not there is MPI_PROC_NULL, and nothing changes. */
static void exchange(const gnd_array *cell, int to, gnd_array *halo, int from, double *pinned) {
    if (pinned) {
        gnd_to_host(cell, &pinned[0], sizeof(double));
        MPI_Sendrecv(&pinned[0], 1, MPI_DOUBLE, to, 0, &pinned[1], 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        if (from != MPI_PROC_NULL) gnd_copy_from_host(halo, &pinned[1], sizeof(double));
    } else {
        gnd_sync(); /* MPI knows no streams: what it sends must be there, what it overwrites must have been read */
        MPI_Sendrecv(gnd_data(cell), 1, MPI_DOUBLE, to, 0, gnd_data(halo), 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int64_t cells = argc > 1 ? atoll(argv[1]) : 400, n = cells / size;
    const int steps = argc > 2 ? atoi(argv[2]) : 1000;
    const int gpus = gnd_device_count(GND_GPU);
    if (gnd_current_device().kind == GND_GPU) gnd_use(gnd_gpu(rank % gpus)); /* a GPU for each process of a machine */
    double *pinned = mpi_takes_arrays() ? NULL : gnd_pinned_alloc(2 * sizeof(double));

    GND_SCOPE {
        /* u = sin(pi x) on (0, 1), 0 at the ends; cells 0 and n + 1 are the halo. */
        gnd_array *i = gnd_arange(rank * n, rank * n + n + 2, 1, GND_FLOAT64);
        gnd_array *u = gnd_sin(gnd_multiply(i, M_PI / (double)(n * size + 1)));
        gnd_array *inner = gnd_slice(u, "1:-1"), *left = gnd_slice(u, ":-2"), *right = gnd_slice(u, "2:");
        gnd_array *first = gnd_slice(u, "1:2"), *last = gnd_slice(u, "-2:-1");
        gnd_array *below = gnd_slice(u, "0:1"), *above = gnd_slice(u, "-1:");
        const int down = rank > 0 ? rank - 1 : MPI_PROC_NULL, up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;

        gnd_graph *step = gnd_graph_new(); /* the calls of a step are checked and planned once */
        GND_GRAPH(step) {
            GND_SCOPE {
                gnd_array *bend = gnd_subtract(gnd_add(left, right), gnd_multiply(inner, 2));
                gnd_add_into(inner, inner, gnd_multiply(bend, 0.25));
            }
        }
        for (int k = 0; k < steps; k++) {
            exchange(last, up, below, down, pinned);
            exchange(first, down, above, up, pinned);
            gnd_graph_launch(step);
        }
        gnd_graph_release(step);

        double mine = gnd_item_double(gnd_sum(inner, GND_ALL)), heat = 0;
        MPI_Reduce(&mine, &heat, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        if (rank == 0) printf("heat after %d steps: %.12f\n", steps, heat / (double)(n * size + 1));
    }
    gnd_check();
    gnd_pinned_free(pinned);
    MPI_Finalize();
    return 0;
}
