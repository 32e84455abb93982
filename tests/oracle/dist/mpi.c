/*
 * mpi.c: the MPI that ranks.py, a Python program, calls: gnd_dist_mpi.h is for C, and compiled by mpicc.
 */
#include <gnd_dist_mpi.h>

gnd_mesh *oracle_mesh(void);
void oracle_end(void);

/* Over NCCL where each rank has a GPU of its own. */
gnd_mesh *oracle_mesh(void) {
    int size;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const bool share = gnd_current_device().kind == GND_GPU && gnd_device_count(GND_GPU) < size;
    return share ? gnd_mesh_from_mpi_staged(MPI_COMM_WORLD) : gnd_mesh_from_mpi(MPI_COMM_WORLD);
}

void oracle_end(void) {
    MPI_Finalize();
}
