/*
 * ranks.c: a program of libgnd_dist: the sum of an array that is split over all ranks, told by the first.
 */
#ifdef WITH_MPI
#    include <gnd_dist_mpi.h>
#else
#    include <gnd_dist.h>
#endif
#include <stdio.h>

static void sum(gnd_mesh *mesh) {
    GND_SCOPE {
        gnd_dist *x = gnd_dist_arange(mesh, 0, 100, 1, GND_INT64, GND_SPLIT(0));
        const long long sum = gnd_dist_item_int(gnd_dist_sum(x, GND_ALL, GND_COPIES));
        if (gnd_mesh_rank(mesh) == 0) printf("the sum over %d ranks is %lld\n", gnd_mesh_size(mesh), sum);
    }
    gnd_mesh_release(mesh);
    gnd_check();
}

int main(int argc, char **argv) {
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    sum(gnd_mesh_from_mpi(MPI_COMM_WORLD));
    MPI_Finalize();
#else
    (void)argc, (void)argv;
    sum(gnd_mesh_init());
#endif
    return 0;
}
