/*
 * rows_mesh_moves.c: what moves between ranks: layouts, and communication alone, beside loops of NCCL's own calls.
 * Bytes are those of a rank, as nccl-tests counts them: of an all-gather what each has at the end.
 */
#include "mesh.h"
#include <dlfcn.h>
#include <stdlib.h>

/* ---- layouts --------------------------------------------------------------------------------------------------- */

static void to_columns(mesh_operands *o) {
    gnd_dist_redistribute(o->x, GND_SPLIT(1));
}
static void transposed(mesh_operands *o) {
    gnd_dist *t = gnd_dist_permute(gnd_dist_redistribute(o->x, GND_SPLIT(1)), GND_ALL);
    gnd_dist_like(t, gnd_ascontiguous(gnd_dist_local(t)), GND_FLOAT32);
}

/* ---- communication ---------------------------------------------------------------------------------------------- */

/* Floats of each of so many equal pieces of n bytes: whole lines of 128 bytes, since NCCL is slower elsewhere. */
static int64_t floats_of_piece(int64_t n, int64_t pieces) {
    return (n / pieces + 127) / 128 * 32;
}
static void parts(mesh_operands *o) {
    const int64_t ranks = gnd_mesh_size(o->mesh), count = floats_of_piece(o->n, ranks * ranks);
    o->x = mesh_random(o->mesh, GND_SHAPE(ranks, ranks, count), GND_FLOAT32, GND_SPLIT(0));
    o->a = gnd_retain(gnd_dist_local(o->x));
    o->b = gnd_retain(gnd_empty(GND_SHAPE(ranks, gnd_size(o->a)), GND_FLOAT32));
}
/* Everyone's row for everyone: pieces are contiguous on both sides, so that nothing is packed. */
static void squares(mesh_operands *o) {
    const int64_t ranks = gnd_mesh_size(o->mesh);
    o->x = mesh_random(o->mesh, GND_SHAPE(ranks, ranks, floats_of_piece(o->n, ranks)), GND_FLOAT32, GND_SPLIT(0));
    o->a = gnd_retain(gnd_dist_local(o->x));
    o->b = gnd_retain(gnd_empty(gnd_shape_of(o->a), GND_FLOAT32));
}
static void summands(mesh_operands *o) {
    o->x = mesh_random(o->mesh, GND_SHAPE(gnd_mesh_size(o->mesh), o->n / 4), GND_FLOAT32, GND_SPLIT(0));
    o->a = gnd_retain(gnd_dist_local(o->x));
    o->b = gnd_retain(gnd_empty(gnd_shape_of(o->a), GND_FLOAT32));
}

static void all_gather(mesh_operands *o) {
    gnd_dist_redistribute(o->x, GND_COPIES);
}
static void all_reduce(mesh_operands *o) {
    gnd_dist_sum(o->x, GND_AXES(0), GND_COPIES);
}
static void barrier(mesh_operands *o) {
    gnd_mesh_barrier(o->mesh);
}

/* ---- NCCL's own ----------------------------------------------------------------------------------------------- */

typedef int nccl_pair(const void *buffer, size_t count, int type, int peer, void *comm, void *stream);
typedef int nccl_all(const void *from, void *to, size_t count, int type, void *comm, void *stream);
typedef int nccl_reduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream);
typedef int nccl_group(void);

/* A function of the library that the mesh has loaded. */
static void *of_nccl(const char *name) {
    const char *places[] = {getenv("GND_NCCL"), "libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"};
    for (int i = 0; i < 3; i++) {
        void *library = places[i] && *places[i] ? dlopen(places[i], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (library) return dlsym(library, name);
    }
    return NULL;
}
enum { NCCL_FLOAT = 7, NCCL_SUM = 0, NCCL_IN_PROGRESS = 7 };
/* The mesh's communicator does not block: a first call is done when its state says so. */
static void failed(gnd_mesh *mesh, int result) {
    static int (*state)(void *comm, int *state);
    if (!state) *(void **)&state = of_nccl("ncclCommGetAsyncError");
    while (result == NCCL_IN_PROGRESS && state(gnd_mesh_native(mesh), &result) == 0) {
    }
    if (result) gnd_raise(GND_ERROR_DEVICE, "bench_mesh", "a call of NCCL failed");
}

static void bare_all_gather(mesh_operands *o) {
    static nccl_all *call;
    if (!call) *(void **)&call = of_nccl("ncclAllGather");
    failed(o->mesh, call(gnd_data(o->a), gnd_data(o->b), (size_t)gnd_size(o->a), NCCL_FLOAT, gnd_mesh_native(o->mesh),
                         gnd_stream_native(NULL)));
}
static void bare_all_reduce(mesh_operands *o) {
    static nccl_reduce *call;
    if (!call) *(void **)&call = of_nccl("ncclAllReduce");
    failed(o->mesh, call(gnd_data(o->a), gnd_data(o->b), (size_t)gnd_size(o->a), NCCL_FLOAT, NCCL_SUM,
                         gnd_mesh_native(o->mesh), gnd_stream_native(NULL)));
}
/* The loop of NCCL's documentation: a rank's own part goes along. */
static void bare_all_to_all(mesh_operands *o) {
    static nccl_pair *send, *receive;
    static nccl_group *start, *end;
    if (!send) *(void **)&send = of_nccl("ncclSend"), *(void **)&receive = of_nccl("ncclRecv");
    if (!start) *(void **)&start = of_nccl("ncclGroupStart"), *(void **)&end = of_nccl("ncclGroupEnd");
    const int ranks = gnd_mesh_size(o->mesh);
    const size_t part = (size_t)gnd_size(o->a) / (size_t)ranks;
    int result = start();
    for (int r = 0; r < ranks; r++) {
        result |= send((char *)gnd_data(o->a) + 4 * part * (size_t)r, part, NCCL_FLOAT, r, gnd_mesh_native(o->mesh),
                       gnd_stream_native(NULL));
        result |= receive((char *)gnd_data(o->b) + 4 * part * (size_t)r, part, NCCL_FLOAT, r, gnd_mesh_native(o->mesh),
                          gnd_stream_native(NULL));
    }
    failed(o->mesh, result | end());
}

/* clang-format off */
#define SIZES(row, prepare, run)                                                                                       \
    {row "_1KiB", prepare, run, "2^10"}, {row "_32KiB", prepare, run, "2^15"}, {row "_1MiB", prepare, run, "2^20"},    \
    {row "_16MiB", prepare, run, "2^24"}, {row "_64MiB", prepare, run, "2^26"},                                        \
    {row "_128MiB", prepare, run, "2^27"}, {row "_1GiB", prepare, run, "2^30"}
/* clang-format on */

const mesh_row mesh_rows_moves[] = {
    {"resh.S0toS1_32768", NULL, to_columns, "float32[*32768,32768]/0"},
    {"resh.T_32768", NULL, transposed, "float32[*32768,32768]/0"},
    {"comm.barrier", NULL, barrier, ""},
    SIZES("comm.all_gather", parts, all_gather),
    SIZES("bare.all_gather", parts, bare_all_gather),
    SIZES("comm.all_to_all", squares, to_columns),
    SIZES("bare.all_to_all", squares, bare_all_to_all),
    SIZES("comm.all_reduce", summands, all_reduce),
    SIZES("bare.all_reduce", summands, bare_all_reduce),
    {NULL, NULL, NULL, NULL},
};
