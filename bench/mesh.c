/*
 * mesh.c: times rows over many ranks and prints, on the first of them, one JSON object.
 *
 *     launch_ranks.py bench_mesh [PATTERN ...]       a process for each GPU, over NCCL
 *     mpirun -n 2 bench_mesh_mpi [PATTERN ...]       processes over MPI, on the CPU too
 *     bench_mesh [PATTERN ...]                       one rank
 *     bench_mesh --list [RANKS]                      no time, no mesh: a JSON object of all rows on so many ranks, with
 *                                                    the operands that they state (mesh.h)
 *
 * A row of strong scaling has the size that its name says, for all ranks together; one of weak scaling, whose name goes
 * on with "@weak", as much for each rank. Times are microseconds a call: the median over batches of what the slowest
 * rank took from a barrier to the end of its device's work. `bare.` are loops of NCCL's own calls on the same
 * communicator and stream. With GND_BENCH_SMALL=1 rows are small, and nothing is timed for long.
 */
#define _POSIX_C_SOURCE 200809L
#ifdef GND_BENCH_MPI
#    include <gnd_dist_mpi.h>
#endif
#include "mesh.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BATCHES = 9, MOST_CALLS = 2000 };
static const double BATCH_SECONDS = 0.05;

static bool is_small(void) {
    const char *small = getenv("GND_BENCH_SMALL");
    return small && *small && strcmp(small, "0") != 0;
}

/* Small: a 64th of it, at least 64. */
int64_t bench_size(int64_t n) {
    if (!is_small() || n <= 64) return n;
    const int64_t part = n / 64;
    return part < 64 ? 64 : part > 100000 ? 100000 : part;
}

gnd_dist *mesh_random(gnd_mesh *mesh, gnd_shape shape, gnd_dtype dtype, gnd_layout layout) {
    gnd_dist *made = NULL;
    GND_SCOPE {
        const gnd_dist *x = gnd_dist_empty(mesh, shape, dtype, layout);
        gnd_random *g = gnd_random_new(GND_PHILOX, 7 + (uint64_t)gnd_mesh_rank(mesh));
        gnd_array *local = x ? gnd_dist_local(x) : NULL;
        if (local) gnd_random_fill(g, local, "random", 0, NULL);
        made = gnd_dist_keep(gnd_dist_like(x, local, dtype));
        gnd_random_release(g);
    }
    return made;
}

/* Whole numbers from 0 to `below` - 1. */
static gnd_dist *integers(gnd_mesh *mesh, const operand *o, gnd_layout layout) {
    gnd_dist *x = gnd_dist_empty(mesh, o->shape, o->dtype, layout);
    gnd_random *g = gnd_random_new(GND_PHILOX, 11);
    gnd_dist_random_fill(g, x, "integers", GND_DIST_ARGS(0, (int64_t)o->value));
    gnd_random_release(g);
    return x;
}

static gnd_dist *make(gnd_mesh *mesh, const operand *o) {
    const gnd_layout layout = o->split < 0 ? GND_COPIES : GND_SPLIT(o->split);
    if (o->fill == '=') return gnd_dist_full(mesh, o->shape, o->value, o->dtype, layout);
    return o->fill == '<' ? integers(mesh, o, layout) : mesh_random(mesh, o->shape, o->dtype, layout);
}

/* Makes what a row states. */
static void make_operands(mesh_operands *o, const char *text, int64_t times) {
    const char *at = text;
    for (operand next; operand_next(text, &at, times, &next);) {
        gnd_dist **to = o->x ? &o->y : &o->x;
        if (next.kind == OPERAND_SIZE)
            o->n = (int64_t)next.value;
        else if (next.kind == OPERAND_PARAMETER || *to || next.fill == '~' || next.fill == ':')
            operand_refuse(text, at);
        else
            *to = make(o->mesh, &next);
    }
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The largest of the ranks' numbers, on all of them. */
static double largest(gnd_mesh *mesh, double own) {
    double found = 0;
    GND_SCOPE {
        gnd_dist *all = gnd_dist_from_local(mesh, gnd_full(GND_SHAPE(1), own, GND_FLOAT64), GND_SPLIT(0));
        found = gnd_dist_item_double(gnd_dist_max(all, GND_ALL, GND_COPIES));
    }
    return found;
}

/* Seconds a call, of a batch, on the slowest rank. */
static double batch(const mesh_row *row, mesh_operands *o, int calls) {
    gnd_mesh_barrier(o->mesh);
    const double start = seconds_now();
    for (int i = 0; i < calls; i++) {
        GND_SCOPE {
            row->run(o);
        }
    }
    gnd_sync();
    return largest(o->mesh, (seconds_now() - start) / calls);
}

static int by_size(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double measure(const mesh_row *row, mesh_operands *o) {
    /* Programs that fuse are compiled first, so that what is timed has their kernels. */
    const gnd_fuse_executor before = gnd_fuse_use(GND_FUSE_COMPILE);
    batch(row, o, 1);
    gnd_fuse_use(before);
    double times[BATCHES], once = batch(row, o, 1);
    if (once < 1) once = batch(row, o, 2);
    int batches = once > 0.5 ? 3 : BATCHES;
    int calls = once * MOST_CALLS > BATCH_SECONDS ? (int)(BATCH_SECONDS / once) + 1 : MOST_CALLS;
    if (is_small()) batches = 1, calls = 2;
    for (int i = 0; i < batches; i++) times[i] = batch(row, o, calls);
    qsort(times, (size_t)batches, sizeof *times, by_size);
    return times[batches / 2];
}

static void time_row(const mesh_row *row, gnd_mesh *mesh, bool weak, bool *all_ran) {
    mesh_operands o = {.mesh = mesh};
    double seconds = 0;
    make_operands(&o, row->operands, weak ? gnd_mesh_size(mesh) : 1);
    if (row->prepare && gnd_mesh_agree(mesh) == GND_OK) row->prepare(&o);
    if (gnd_mesh_agree(mesh) == GND_OK) seconds = measure(row, &o);
    const bool good = gnd_mesh_agree(mesh) == GND_OK;
    if (!good && gnd_mesh_rank(mesh) == 0) fprintf(stderr, "%s: %s\n", row->name, gnd_error()->message);
    gnd_error_clear();
    gnd_dist_release(o.x), gnd_dist_release(o.y);
    gnd_release(o.a), gnd_release(o.b), gnd_release(o.c);
    gnd_stream_release(o.stream);
    gnd_random_release(o.g);
    gnd_sync();
    gnd_memory_trim(gnd_current_device());
    *all_ran = *all_ran && good;
    if (good && gnd_mesh_rank(mesh) == 0) {
        printf(",\n  \"%s%s\": {\"us\": %.2f}", row->name, weak ? "@weak" : "", 1e6 * seconds);
        fflush(stdout);
    }
}

static const mesh_row *const tables[] = {mesh_rows, mesh_rows_library, mesh_rows_moves};
enum { TABLES = sizeof tables / sizeof *tables };

/* Whether there is a variant of weak scaling. */
static bool has_weak(const mesh_row *row, int ranks) {
    return ranks > 1 && strchr(row->operands, '*');
}

static int list(int ranks) {
    const char *separator = "{\n";
    for (int t = 0; t < TABLES; t++)
        for (const mesh_row *row = tables[t]; row->name; row++)
            for (int weak = 0; weak <= has_weak(row, ranks); weak++, separator = ",\n") {
                printf("%s  \"%s%s\": ", separator, row->name, weak ? "@weak" : "");
                operands_print(row->operands, weak ? ranks : 1);
            }
    printf("\n}\n");
    return 0;
}

static bool wanted(const char *name, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strstr(name, argv[i])) return true;
    return argc < 2;
}

/* Rows that move nothing on one rank are no rows there; those of bare NCCL need it. */
static bool here(const mesh_row *row, gnd_mesh *mesh) {
    const bool bare = strncmp(row->name, "bare.", 5) == 0;
    return bare ? gnd_mesh_native(mesh) != NULL : gnd_mesh_size(mesh) > 1 || strncmp(row->name, "comm.", 5) != 0;
}

static int bench(gnd_mesh *mesh, int argc, char **argv) {
    bool all_ran = true;
    gnd_device_properties properties;
    gnd_check();
    gnd_device_properties_of(gnd_current_device(), &properties);
    if (gnd_mesh_rank(mesh) == 0)
        printf("{\n  \"mesh\": {\"ranks\": %d, \"device\": \"%s\", \"version\": \"%s\"}", gnd_mesh_size(mesh),
               properties.name, gnd_version());
    for (int t = 0; t < TABLES; t++)
        for (const mesh_row *row = tables[t]; row->name; row++) {
            if (!wanted(row->name, argc, argv) || !here(row, mesh)) continue;
            time_row(row, mesh, false, &all_ran);
            if (has_weak(row, gnd_mesh_size(mesh))) time_row(row, mesh, true, &all_ran);
        }
    if (gnd_mesh_rank(mesh) == 0) printf("\n}\n");
    gnd_mesh_release(mesh);
    return all_ran ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc > 1 && strcmp(argv[1], "--list") == 0) return list(argc > 2 ? atoi(argv[2]) : 1);
#ifdef GND_BENCH_MPI
    MPI_Init(&argc, &argv);
    const int status = bench(gnd_mesh_from_mpi(MPI_COMM_WORLD), argc, argv);
    MPI_Finalize();
    return status;
#else
    return bench(gnd_mesh_init(), argc, argv);
#endif
}
