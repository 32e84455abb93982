/*
 * ranks.h: how the programs of this folder are started. Compiled by mpicc with -DWITH_MPI: under mpirun or srun, on
 * GPUs and CPUs. Without it: by torchrun, srun or launch_ranks.py, on GPUs; or alone, as one rank, on the CPU too.
 */
#ifndef RANKS_H
#define RANKS_H

#ifdef WITH_MPI
#    include <gnd_dist_mpi.h>
#else
#    include <gnd_dist.h>
#endif
#include <stdio.h>
#include <stdlib.h>

/* program(mesh, argc, argv) on every rank. An error of one rank is the error of all, and ends them. */
static int run_on_ranks(int argc, char **argv, int (*program)(gnd_mesh *mesh, int argc, char **argv)) {
#ifdef WITH_MPI
    MPI_Init(&argc, &argv);
    gnd_mesh *mesh = gnd_mesh_from_mpi(MPI_COMM_WORLD);
#else
    gnd_mesh *mesh = gnd_mesh_init();
#endif
    int status = mesh ? program(mesh, argc, argv) : 1;
    if (mesh && gnd_mesh_agree(mesh) != GND_OK) status = 1;
    if (gnd_error() && gnd_mesh_rank(mesh) <= 0) fprintf(stderr, "%s\n", gnd_error()->message);
    gnd_mesh_release(mesh);
#ifdef WITH_MPI
    if (status) MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Finalize();
#endif
    return status;
}

#endif
