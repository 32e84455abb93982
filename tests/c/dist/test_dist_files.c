/*
 * test_dist_files.c: .npy files that all ranks read and write, in every layout, beside gnd_load and gnd_save.
 */
#include "layouts.h"

/* The same on all ranks: processes of one mpirun have one parent. */
static const char *path_of(const char *name) {
    static _Thread_local char path[64];
    snprintf(path, sizeof path, "/tmp/gnd_%d_%s", (int)getppid(), name);
    return path;
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

static void written(gnd_mesh *mesh, gnd_shape shape, gnd_layout layout) {
    static const gnd_dtype dtypes[] = {GND_BOOL, GND_BFLOAT16, GND_COMPLEX64};
    const bool first = gnd_mesh_rank(mesh) == 0;
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        gnd_array *whole = numbered(shape, dtypes[d]);
        gnd_dist *x = gnd_dist_scatter(mesh, whole, 0, layout);
        EXPECT(gnd_dist_save(path_of("saved"), x) == GND_OK);
        EXPECT(gnd_array_equal(gnd_load(path_of("saved")), whole, false) && !exists(path_of("saved.part")));
        EXPECT(same(gnd_dist_load(mesh, path_of("saved"), layout), whole));
        if (first) gnd_save(path_of("turned"), gnd_permute(gnd_ascontiguous(gnd_transpose(whole)), GND_ALL));
        gnd_mesh_barrier(mesh);
        gnd_dist *y = gnd_dist_load(mesh, path_of("turned"), layout); /* in Fortran order */
        EXPECT(same(y, whole) && gnd_dist_same_layout(y, x));
        gnd_mesh_barrier(mesh);
    }
}
static void all_written(gnd_mesh *mesh, void *unused) {
    (void)unused;
    every_layout(mesh, written);
    gnd_mesh_barrier(mesh);
    if (gnd_mesh_rank(mesh) == 0) remove(path_of("saved")), remove(path_of("turned"));
}
TEST(files_in_every_layout) {
    run(all_written);
}

/* Rows that are long enough to be read and written where they are. */
static void long_rows(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        gnd_array *whole = numbered(GND_SHAPE(3, 9001), GND_FLOAT64);
        gnd_dist *x = gnd_dist_scatter(mesh, whole, 0, GND_SPLIT(1));
        gnd_mesh_stats before, after;
        EXPECT(gnd_dist_save(path_of("long"), x) == GND_OK);
        gnd_mesh_stats_of(mesh, &before);
        gnd_dist *y = gnd_dist_load(mesh, path_of("long"), GND_SPLIT(1));
        gnd_mesh_stats_of(mesh, &after);
        EXPECT(after.bytes_sent - before.bytes_sent < 4096); /* headers and codes alone */
        EXPECT(same(y, whole) && gnd_array_equal(gnd_load(path_of("long")), whole, false));
        gnd_mesh_barrier(mesh);
        if (gnd_mesh_rank(mesh) == 0) remove(path_of("long"));
    }
}
TEST(long_rows_do_not_move) {
    run(long_rows);
}

static void refused(gnd_mesh *mesh, void *unused) {
    (void)unused;
    GND_SCOPE {
        const bool first = gnd_mesh_rank(mesh) == 0;
        gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(8, 8), 1, GND_INT32, GND_SPLIT(0));
        REFUSED(gnd_dist_load(mesh, path_of("none"), GND_SPLIT(0)), GND_ERROR_IO, "cannot open");
        REFUSED(gnd_dist_load(mesh, NULL, GND_SPLIT(0)), GND_ERROR_INVALID, "NULL");
        REFUSED(gnd_dist_load(NULL, path_of("none"), GND_SPLIT(0)), GND_ERROR_INVALID, "NULL");
        REFUSED(gnd_dist_save("/nowhere/at/all", x) == GND_OK, GND_ERROR_IO, "nowhere");
        REFUSED(gnd_dist_save(NULL, x) == GND_OK, GND_ERROR_INVALID, "NULL");
        REFUSED(gnd_dist_save(path_of("none"), NULL) == GND_OK, GND_ERROR_INVALID, "NULL");
        if (first) gnd_save(path_of("old"), gnd_arange(0, 4, 1, GND_INT8));
        gnd_mesh_barrier(mesh);
        REFUSED(gnd_dist_load(mesh, path_of("old"), GND_SPLIT(1)), GND_ERROR_AXIS, "axis 1");
        gnd_mesh_barrier(mesh);
        if (first) { /* too short for the ranks behind */
            gnd_npy_create(path_of("short"), GND_SHAPE(64), GND_INT8, false);
            EXPECT(truncate(path_of("short"), 150) == 0);
        }
        gnd_mesh_barrier(mesh);
        REFUSED(gnd_dist_load(mesh, path_of("short"), GND_SPLIT(0)), GND_ERROR_IO, "truncated");
        gnd_mesh_barrier(mesh);
        if (first) remove(path_of("short")), remove(path_of("old"));
    }
}
TEST(what_cannot_be_read_or_written) {
    run(refused);
}

/* A failure of one rank leaves the file that was there, and no other. */
static void starved(gnd_mesh *mesh, void *unused) {
    bool failed = true;
    (void)unused;
    const bool first = gnd_mesh_rank(mesh) == 0, last = gnd_mesh_rank(mesh) == gnd_mesh_size(mesh) - 1;
    for (int n = 1; failed && n < 1000; n++) {
        GND_SCOPE {
            gnd_dist *x = gnd_dist_full(mesh, GND_SHAPE(6, 4), n, GND_INT32, GND_SPLIT(1));
            if (first) gnd_save(path_of("kept"), gnd_full(GND_SHAPE(6, 4), -1, GND_INT32));
            gnd_mesh_barrier(mesh);
            if (last) gndi_fail_alloc_at(n);
            const gnd_status status = gnd_dist_save(path_of("kept"), x);
            gnd_dist *y = status ? NULL : gnd_dist_load(mesh, path_of("kept"), GND_SPLIT(1));
            gndi_fail_alloc_at(0);
            failed = gnd_mesh_agree(mesh) != GND_OK;
            if (failed) EXPECT(gnd_error()->code == GND_ERROR_MEMORY && strstr(gnd_error()->message, "rank "));
            gnd_error_clear();
            gnd_array *there = gnd_load(path_of("kept"));
            EXPECT(there && gnd_at_int(there, 5, 3) == (status ? -1 : n) && !exists(path_of("kept.part")));
            if (!failed) EXPECT(y != NULL);
        }
        gnd_error_clear();
        gnd_mesh_barrier(mesh);
    }
    EXPECT(!failed);
    if (first) remove(path_of("kept"));
}
TEST(a_failure_leaves_the_old_file) {
    run(starved);
}

RANKS_MAIN
