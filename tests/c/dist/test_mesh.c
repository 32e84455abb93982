/*
 * test_mesh.c: meshes: places, grids, splits, gathers, agreement, exchanges of any strides,
 * and what happens when a rank fails or calls another function.
 */
#include "ranks.h"
#include "dist/exchange.h"

static void places(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    EXPECT(gnd_mesh_extent(mesh, 0) == size && gnd_mesh_extent(mesh, 1) == 1);
    EXPECT(gnd_mesh_place(mesh, 0) == rank && gnd_mesh_place(mesh, 1) == 0 && gnd_mesh_place(mesh, 2) == -1);
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK);
    if (size == 4) {
        gnd_mesh *grid = gnd_mesh_grid(mesh, GND_SHAPE(2, 2));
        EXPECT(gnd_mesh_place(grid, 0) == rank / 2 && gnd_mesh_place(grid, 1) == rank % 2);
        EXPECT(gnd_mesh_extent(grid, 1) == 2 && gnd_mesh_size(grid) == 4);
        gnd_mesh_release(grid);
    }
    EXPECT(!gnd_mesh_grid(mesh, GND_SHAPE(2, 3)) && strstr(gnd_error()->message, "product"));
    gnd_error_clear();
    gnd_mesh_stats stats;
    EXPECT(gnd_mesh_stats_of(mesh, &stats) == GND_OK && stats.calls >= 1);
    EXPECT(stats.bytes_sent == (uint64_t)(size - 1));
    EXPECT(gnd_mesh_native(mesh) == NULL);
}

TEST(places_and_grids) {
    run(places);
}

static void splits(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    gnd_mesh *part = gnd_mesh_split(mesh, rank % 2, -rank); /* in the reverse order */
    const int members = (size + 1 - rank % 2) / 2;
    EXPECT(gnd_mesh_size(part) == members && gnd_mesh_rank(part) == members - 1 - rank / 2);
    EXPECT(gnd_mesh_barrier(part) == GND_OK);
    gnd_mesh_release(part);
    part = gnd_mesh_split(mesh, rank == 0 ? 0 : -1, 0);
    EXPECT((rank == 0) == (part != NULL) && !gnd_error());
    gnd_mesh_release(part);
}

TEST(splits_by_color_and_key) {
    run(splits);
}

static void agreement(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int last = gnd_mesh_size(mesh) - 1;
    EXPECT(gnd_mesh_agree(mesh) == GND_OK && !gnd_error());
    if (gnd_mesh_rank(mesh) == last) gnd_raise(GND_ERROR_IO, "gnd_load", "no such file");
    EXPECT(gnd_mesh_agree(mesh) == GND_ERROR_IO);
    char expected[64];
    snprintf(expected, sizeof expected, "gnd_load: rank %d: no such file", last);
    EXPECT(strcmp(gnd_error()->message, expected) == 0 && strcmp(gnd_error()->function, "gnd_load") == 0);
    EXPECT(gnd_mesh_agree(mesh) == GND_ERROR_IO && strcmp(gnd_error()->message, expected) == 0);
    gnd_error_clear();
    EXPECT(gnd_mesh_agree(mesh) == GND_OK);
}

TEST(agreement_about_errors) {
    run(agreement);
}

/* Every rank sends row r of a transposed matrix to rank r, and receives into columns. */
static void exchanges(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    GND_SCOPE {
        gnd_array *from =
            gnd_transpose(gnd_add(gnd_reshape(gnd_arange(0, 5 * size, 1, GND_INT32), GND_SHAPE(5, size)), 1000 * rank));
        gnd_array *to = gnd_zeros(GND_SHAPE(5, size), GND_INT32);
        gndi_piece send[4], receive[4];
        for (int r = 0; r < size; r++) {
            send[r] = gndi_piece_of(r, gnd_slice(from, "%d", r));
            receive[r] = gndi_piece_of(r, gnd_slice(to, ":, %d", r));
        }
        EXPECT(gndi_mesh_exchange(mesh, "test", size, send, size, receive) == GND_OK);
        int32_t got[20];
        EXPECT(gnd_to_host(to, got, sizeof *got * 5 * (size_t)size) == GND_OK);
        for (int i = 0; i < 5; i++)
            for (int r = 0; r < size; r++) EXPECT(got[i * size + r] == 1000 * r + i * size + rank);
        gnd_array *all = gndi_mesh_all_gather(mesh, "test", gnd_slice(to, "1:3, 0"), GND_SHAPE(2), GND_INT32);
        EXPECT(all && gnd_dim(all, 0) == size && gnd_at_int(all, size - 1, 1) == 2 * size + size - 1);
    }
}

TEST(exchanges_of_any_strides) {
    run(exchanges);
}

/* One rank has no array to send and to receive into: the others still get theirs from each other. */
static void failing(gnd_mesh *mesh, void *unused) {
    (void)unused;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    GND_SCOPE {
        const gnd_array *part = rank == 0 ? NULL : gnd_full(GND_SHAPE(3), rank, GND_FLOAT64);
        gnd_array *all = gndi_mesh_all_gather(mesh, "test", part, GND_SHAPE(3), GND_FLOAT64);
        EXPECT((all != NULL) == (rank != 0));
        gnd_error_clear();
        for (int r = 1; all && r < size; r++) EXPECT(gnd_at_double(all, r, 2) == r);
    }
}

TEST(a_rank_without_memory_takes_part) {
    run(failing);
}

static void mismatched(gnd_mesh *mesh, void *unused) {
    (void)unused;
    if (gnd_mesh_rank(mesh) == 1)
        gnd_mesh_release(gnd_mesh_split(mesh, 0, 0));
    else
        gnd_mesh_barrier(mesh);
    EXPECT(gnd_error() && strstr(gnd_error()->message, "gnd_mesh_barrier") &&
           strstr(gnd_error()->message, "rank 1 at call 1, gnd_mesh_split"));
    gnd_error_clear();
    EXPECT(gnd_mesh_barrier(mesh) == GND_OK); /* nothing has moved: the mesh goes on */
}

TEST(calls_that_do_not_match_are_named) {
    setenv("GND_MESH_CHECK", "1", 1);
    for (int size = 2; size <= 4; size++) CHECK(run_on(size, mismatched, NULL));
    unsetenv("GND_MESH_CHECK");
}

#ifndef GND_TEST_MPI
TEST(alone_by_the_environment) {
    gnd_mesh *mesh = gnd_mesh_init();
    CHECK(gnd_mesh_size(mesh) == 1 && gnd_mesh_rank(mesh) == 0 && gnd_mesh_barrier(mesh) == GND_OK);
    CHECK(gnd_mesh_agree(mesh) == GND_OK);
    gnd_mesh *part = gnd_mesh_split(mesh, 3, 0);
    CHECK(gnd_mesh_size(part) == 1);
    gnd_mesh_release(part);
    gnd_mesh_release(mesh);
}

TEST(wrong_environments_are_refused) {
    setenv("RANK", "4", 1), setenv("WORLD_SIZE", "4", 1);
    CHECK_ERROR(gnd_mesh_init(), GND_ERROR_INVALID, "RANK=4 and WORLD_SIZE=4");
    setenv("RANK", "1x", 1);
    CHECK_ERROR(gnd_mesh_init(), GND_ERROR_INVALID, "RANK=1x");
    if (gnd_current_device().kind == GND_CPU) {
        setenv("RANK", "1", 1);
        CHECK_ERROR(gnd_mesh_init(), GND_ERROR_UNAVAILABLE, "4 ranks on the CPU need MPI");
    }
    unsetenv("RANK"), unsetenv("WORLD_SIZE");
}
#endif

TEST(null_arguments) {
    CHECK(gnd_mesh_size(NULL) == 0 && gnd_mesh_rank(NULL) == -1 && gnd_mesh_native(NULL) == NULL);
    CHECK_ERROR(gnd_mesh_barrier(NULL), GND_ERROR_INVALID, "gnd_mesh_barrier");
    CHECK_ERROR(gnd_mesh_agree(NULL), GND_ERROR_INVALID, "gnd_mesh_agree");
    CHECK_ERROR(gnd_mesh_split(NULL, 0, 0), GND_ERROR_INVALID, "gnd_mesh_split");
    CHECK_ERROR(gnd_mesh_grid(NULL, GND_SHAPE(1)), GND_ERROR_INVALID, "gnd_mesh_grid");
    CHECK_ERROR(gnd_mesh_new(NULL), GND_ERROR_INVALID, "transport");
    CHECK_ERROR(gnd_mesh_nccl_id(NULL), GND_ERROR_INVALID, "id is NULL");
    CHECK_ERROR(gnd_mesh_new_nccl(NULL, 1, 0), GND_ERROR_INVALID, "id is NULL");
    CHECK_ERROR(gnd_mesh_adopt_nccl(NULL), GND_ERROR_INVALID, "communicator is NULL");
    gnd_mesh_release(NULL);
}

RANKS_MAIN
