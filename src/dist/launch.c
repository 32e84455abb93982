/*
 * launch.c: gnd_mesh_init: which rank this process is, by the variables of its launcher, and how ranks find each other.
 */
#define _GNU_SOURCE
#include "dist/mesh.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The variables of a launcher: rank, number of ranks, rank within the node. The first whose rank is set counts. */
static const char *const launchers[][3] = {
    {"RANK", "WORLD_SIZE", "LOCAL_RANK"}, /* torchrun */
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"}, /* MPICH, Intel MPI */
    {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
};

typedef struct place {
    int rank, size, local;
} place;

static bool number(const char *name, int *out) {
    const char *text = getenv(name);
    char *end;
    const long value = text && *text ? strtol(text, &end, 10) : -1;
    if (value < 0 || value > INT_MAX || *end) return false;
    *out = (int)value;
    return true;
}

static gnd_status read_place(place *p, const char *fn) {
    *p = (place){0, 1, 0};
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *const *name = launchers[i];
        if (!getenv(name[0])) continue;
        if (!getenv(name[1]) && strcmp(name[0], "RANK") == 0) continue; /* a variable of anybody's */
        if (!number(name[0], &p->rank) || !number(name[1], &p->size) || p->rank >= p->size)
            return gndi_dist_raise(GND_ERROR_INVALID, fn,
                                   "%s=%s and %s=%s in the environment are no rank, counted from 0, of a number of "
                                   "ranks",
                                   name[0], getenv(name[0]), name[1], getenv(name[1]) ? getenv(name[1]) : "");
        if (!number(name[2], &p->local)) p->local = p->rank;
        return GND_OK;
    }
    return GND_OK;
}

/* ---- where rank 0 listens ----------------------------------------------------------------------------------- */

/* The first host of SLURM's list: "node[03-06,9],other" gives node03. */
static void first_host(const char *list, char *out, size_t capacity) {
    size_t n = 0;
    for (; *list && *list != ',' && *list != '[' && n + 1 < capacity; list++) out[n++] = *list;
    if (*list == '[')
        for (list++; isdigit((unsigned char)*list) && n + 1 < capacity; list++) out[n++] = *list;
    out[n] = 0;
}

/* "host:port", "" if the environment does not tell; false, and an error, if what it tells is no address. */
static bool address(char *out, size_t capacity, const char *fn) {
    char host[256];
    int port = 0, job = 0;
    const char *master = getenv("MASTER_ADDR"), *nodes = getenv("SLURM_JOB_NODELIST"), *text = getenv("MASTER_PORT");
    out[0] = 0;
    if (getenv("NCCL_COMM_ID")) {
        snprintf(out, capacity, "%s", getenv("NCCL_COMM_ID"));
    } else if (master && *master && text) {
        if (!number("MASTER_PORT", &port) || port < 1 || port > 65534)
            return gndi_dist_raise(GND_ERROR_INVALID, fn, "MASTER_PORT=%s is no port from 1 to 65534", text), false;
        const bool v6 = strchr(master, ':') && *master != '['; /* torchrun listens at MASTER_PORT itself */
        snprintf(out, capacity, "%s%s%s:%d", v6 ? "[" : "", master, v6 ? "]" : "", port + 1);
    } else if (nodes && number("SLURM_JOB_ID", &job)) {
        first_host(nodes, host, sizeof host);
        snprintf(out, capacity, "%s:%d", host, 20000 + job % 20000);
    }
    return true;
}

/* By a file on a disk that all share: written under another name, and renamed when it is whole. */
static gnd_status id_by_file(const char *path, void *id, size_t bytes, bool writes, const char *fn) {
    char other[PATH_MAX];
    double limit;
    if ((size_t)snprintf(other, sizeof other, "%s.part", path) >= sizeof other)
        return gndi_dist_raise(GND_ERROR_IO, fn, "GND_MESH_FILE: the path is too long");
    if (writes) {
        FILE *file = fopen(other, "wb");
        bool good = file && fwrite(id, 1, bytes, file) == bytes;
        if (file) good = fclose(file) == 0 && good;
        if (good && rename(other, path) == 0) return GND_OK;
        const char *why = strerror(errno);
        if (file) remove(other);
        return gndi_dist_raise(GND_ERROR_IO, fn, "GND_MESH_FILE: %s cannot be written: %s", path, why);
    }
    const gnd_status status = gndi_mesh_first_limit(&limit, fn);
    if (status) return status;
    for (const double since = gndi_mesh_seconds(); limit == 0 || gndi_mesh_seconds() - since <= limit;) {
        FILE *file = fopen(path, "rb");
        const size_t count = file ? fread(id, 1, bytes, file) : 0;
        if (file) fclose(file);
        if (count == bytes) return GND_OK;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return gndi_dist_raise(GND_ERROR_IO, fn,
                           "GND_MESH_FILE: %s, which rank 0 writes, did not appear within %.1f s (GND_MESH_TIMEOUT)",
                           path, limit);
}

static gnd_mesh *connect_by_file(const place *p, const char *path, const char *fn) {
    char id[128], meeting[512];
    if (p->rank == 0 && gnd_mesh_nccl_id(id) != GND_OK) return NULL;
    if (id_by_file(path, id, sizeof id, p->rank == 0, fn) != GND_OK) return NULL;
    snprintf(meeting, sizeof meeting, "GND_MESH_FILE=%s, which must not be one that an earlier run has left", path);
    gnd_mesh *mesh = gndi_mesh_new_nccl(fn, id, p->size, p->rank, meeting);
    if (p->rank == 0) remove(path); /* everybody has read it, or came too late */
    return mesh;
}

/* NCCL's own listener needs the address in the environment while the first communicator is made. */
static gnd_mesh *connect(const place *p, const char *fn) {
    char at[320], id[128], meeting[400];
    const char *file = getenv("GND_MESH_FILE");
    const bool had = getenv("NCCL_COMM_ID") != NULL;
    gnd_mesh *mesh = NULL;
    if (file && *file) return connect_by_file(p, file, fn);
    if (!address(at, sizeof at, fn)) return NULL;
    if (!at[0]) {
        gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn,
                        "%d ranks do not know where to meet: set MASTER_ADDR and "
                        "MASTER_PORT, or GND_MESH_FILE, or start from MPI (gnd_mesh_from_mpi)",
                        p->size);
        return NULL;
    }
    snprintf(meeting, sizeof meeting, "%s, where rank 0 listens", at);
    if (!had) setenv("NCCL_COMM_ID", at, 1);
    if (gnd_mesh_nccl_id(id) == GND_OK) mesh = gndi_mesh_new_nccl(fn, id, p->size, p->rank, meeting);
    if (!had) unsetenv("NCCL_COMM_ID");
    return mesh;
}

gnd_mesh *gnd_mesh_init(void) {
    static const char fn[] = "gnd_mesh_init";
    GNDI_CALL(fn);
    place p;
    if (read_place(&p, fn) != GND_OK) return NULL;
    const bool gpu = gnd_current_device().kind == GND_GPU;
    if (gpu && gnd_use(gnd_gpu(p.local % gnd_device_count(GND_GPU))) != GND_OK) return NULL;
    if (p.size == 1) {
        gnd_transport alone;
        gndi_transport_alone(&alone);
        return gnd_mesh_new(&alone);
    }
    if (gpu || gndi_nccl_on_host()) return connect(&p, fn);
    gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn,
                    "%d ranks on the CPU need MPI: gnd_mesh_from_mpi(MPI_COMM_WORLD) of "
                    "gnd_dist_mpi.h",
                    p.size);
    return NULL;
}
